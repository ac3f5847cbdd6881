// limit.c: --time-limit. What can be cut short looks at the clock itself: calls of the library by the limit of their
// environment (STI_ERR_TIME), runs between two steps. What cannot be asked, a factorization inside LAPACK say, is ended
// here at twice the limit, and a second.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli.h"

static volatile sig_atomic_t alarms;
static char error_text[160], json_text[256];  // written by the handler, which may not format

static void put(int fd, const char* text) {
    size_t left = strlen(text);
    while (left > 0) {
        const ssize_t done = write(fd, text, left);
        if (done <= 0) return;
        text += done;
        left -= (size_t)done;
    }
}

static void ring(int number) {
    (void)number;
    alarms++;
    if (alarms < 2) return;
    put(STDOUT_FILENO, json_text);
    put(STDERR_FILENO, error_text);
    _exit(CLI_NO);
}

static struct timeval interval(double seconds) {
    const double most = 1e9;  // 30 years
    if (seconds > most) seconds = most;
    return (struct timeval){.tv_sec = (time_t)seconds,
                            .tv_usec = (suseconds_t)(1e6 * (seconds - (double)(time_t)seconds))};
}

void cli_limit_begin(const cli* c) {
    if (!(c->time_limit > 0)) return;
    alarms = 0;
    snprintf(error_text, sizeof error_text, "stiction %s: time limit reached: ended by force after twice %g s\n",
             c->verb->name, c->time_limit);
    if (c->json)
        snprintf(json_text, sizeof json_text,
                 "{\"kind\": \"limit\", \"code\": %d, \"message\": \"time limit reached: ended by force after twice %g "
                 "s\"}\n",
                 CLI_NO, c->time_limit);
    sti_env_limit_time(c->env, c->time_limit);
    struct sigaction action = {.sa_handler = ring, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    const double least = 1e-6;  // a timer of 0 is none
    const struct itimerval timer = {.it_value = interval(c->time_limit > least ? c->time_limit : least),
                                    .it_interval = interval(c->time_limit + 1)};
    setitimer(ITIMER_REAL, &timer, NULL);
}

bool cli_limit_reached(void) {
    return alarms > 0;
}

double cli_limit_soft(const cli* c) {
    if (c->time_limit > 0) sti_env_limit_time(c->env, 2 * c->time_limit);
    return c->time_limit;
}

void cli_limit_none(const cli* c) {
    sti_env_limit_time(c->env, 0);
}
