// progress.c: a line that rewrites itself, only on a terminal and only when the solve takes its time.
#include <time.h>

#include "cli.h"

double cli_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

cli_progress cli_progress_begin(void) {
    return (cli_progress){.start = cli_now()};
}

void cli_progress_show(void* user, const char* solver, long iteration, double residual) {
    cli_progress* p = user;
    const double t = cli_now();
    if (t - p->start < 1.0 || t - p->last < 0.2) return;
    p->last = t;
    p->shown = true;
    fprintf(stderr, "\r%-8s %10ld iterations   residual %-10.2e %6.0f s ", solver, iteration, residual, t - p->start);
}

void cli_progress_part(void* user, const char* phase, double part, long found) {
    enum { WIDTH = 24 };
    cli_progress* p = user;
    const double t = cli_now();
    if (t - p->start < 1.0 || t - p->last < 0.2) return;
    p->last = t;
    p->shown = true;
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++) bar[i] = i < part * WIDTH ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r%-16s [%s] %7ld found %6.0f s ", phase, bar, found, t - p->start);
}

void cli_progress_clear(const cli_progress* p) {
    if (p->shown) fprintf(stderr, "\r%72s\r", "");
}
