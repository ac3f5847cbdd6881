// profile.h: performance profiles (Dolan & More 2002) of times, drawn.
//
//     tau_ps = time of solver s on problem p over the least time of all solvers on p;
//         infinite where s did not solve p
//     rho_s(tau) = part of the problems with tau_ps <= tau
//
// rho_s(1): how often s is the fastest. rho_s for large tau: how much it solves at all. Problems that nobody solved
// count for everybody.
#ifndef STI_BENCH_PROFILE_H
#define STI_BENCH_PROFILE_H

#include <stdlib.h>

#include "svg.h"

typedef struct profile {
    int problems, solvers;
    const double* time;  // INFINITY: not solved             (problems x solvers)
    const bool* counts;  // among those that set the least   (solvers)
} profile;

static inline double profile_least(const profile* f, int p) {
    double least = INFINITY;
    for (int s = 0; s < f->solvers; s++) {
        if (f->counts[s]) least = fmin(least, f->time[p * f->solvers + s]);
    }
    return least;
}

static inline int profile_ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// tau of every problem that s solves, ascending; returns how many. tau (problems)
static inline int profile_ratios(const profile* f, int s, double* tau) {
    int count = 0;
    for (int p = 0; p < f->problems; p++) {
        const double t = f->time[p * f->solvers + s];
        if (isfinite(t)) tau[count++] = fmax(t / profile_least(f, p), 1);
    }
    qsort(tau, (size_t)count, sizeof *tau, profile_ascending);
    return count;
}

// The staircase of s, up to the right end of the chart.
static inline void profile_draw(const svg_chart* c, const profile* f, int s, svg_pen pen) {
    double* tau = malloc((size_t)f->problems * sizeof *tau + 1);
    double* xy = malloc((size_t)(2 * f->problems + 2) * 2 * sizeof *xy);
    if (tau != NULL && xy != NULL) {
        const int solved = profile_ratios(f, s, tau);
        double *x = xy, *y = xy + 2 * f->problems + 2;
        int n = 0;
        x[n] = c->x.low;
        y[n++] = 0;
        for (int k = 0; k < solved && tau[k] <= c->x.high; k++) {
            x[n] = tau[k];
            y[n++] = (double)k / f->problems;
            x[n] = tau[k];
            y[n++] = (double)(k + 1) / f->problems;
        }
        x[n] = c->x.high;
        y[n] = y[n - 1];
        svg_curve(c, n + 1, x, y, pen);
    }
    free(tau);
    free(xy);
}

#endif
