// progress.c: a line that rewrites itself, only on a terminal and only when the solve takes its time.
#include <time.h>

#include "cli.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

cli_progress cli_progress_begin(void) {
    return (cli_progress){.start = now()};
}

void cli_progress_show(void* user, const char* solver, long iteration, double residual) {
    cli_progress* p = user;
    const double t = now();
    if (t - p->start < 1.0 || t - p->last < 0.2) return;
    p->last = t;
    p->shown = true;
    fprintf(stderr, "\r%-8s %10ld iterations   residual %-10.2e %6.0f s ", solver, iteration, residual, t - p->start);
}

void cli_progress_clear(const cli_progress* p) {
    if (p->shown) fprintf(stderr, "\r%72s\r", "");
}
