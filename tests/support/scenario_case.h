// scenario_case.h: stochastic programs drawn as the reference cases SOE draw them: one stream of splitmix64, U(-1, 1),
// points that are feasible by construction.
#ifndef TESTS_SUPPORT_SCENARIO_CASE_H
#define TESTS_SUPPORT_SCENARIO_CASE_H

#include <stdlib.h>
#include <stiction/stochastic.h>
#include <string.h>

#include "support/random.h"

typedef struct scenario_case {
    sti_stochastic program;
    sti_scenario* scenarios;
    double* block;
} scenario_case;

static inline double* draw(sti_rng* rng, double** room, int count, double low, double high) {
    double* x = *room;
    for (int k = 0; k < count; k++) x[k] = between(rng, low, high);
    *room += count;
    return x;
}

// L L' + 0.1 I
static inline double* draw_convex(sti_rng* rng, double** room, int n) {
    double *Q = *room, *scratch = Q + (ptrdiff_t)n * n, *L = draw(rng, &scratch, n * n, -1, 1);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = i == j ? 0.1 : 0;
            for (int k = 0; k < n; k++) sum += L[i * n + k] * L[j * n + k];
            Q[i * n + j] = sum;
        }
    }
    *room += (ptrdiff_t)n * n;
    return Q;
}

static inline void add_product(double* y, const double* A, const double* x, int rows, int cols, double f) {
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < cols; j++) sum += A[i * cols + j] * x[j];
        y[i] += f * sum;
    }
}

static inline void scenario_case_make(scenario_case* s, int n, int m, int p, int q, int N, uint64_t seed) {
    sti_rng rng = {seed};
    const size_t one = (size_t)(m * m + m + p * m + q * m + m + q), first = (size_t)(n * n + n + p * n + q * n + n + p);
    const size_t spare = (size_t)(m > n ? m * m : n * n);
    double* room = s->block = calloc(first + (size_t)N * one + spare, sizeof *room);
    s->scenarios = calloc((size_t)N, sizeof *s->scenarios);
    double* Q0 = draw_convex(&rng, &room, n);
    double *c0 = draw(&rng, &room, n, -1, 1), *T0 = draw(&rng, &room, p * n, -1, 1),
           *W0 = draw(&rng, &room, q * n, -1, 1);
    double *x = draw(&rng, &room, n, 0.5, 1.5), *b = room;
    room += p;
    add_product(b, T0, x, p, n, 1);
    for (int i = 0; i < N; i++) {
        double* Q = draw_convex(&rng, &room, m);
        double *c = draw(&rng, &room, m, -1, 1), *T = draw(&rng, &room, p * m, -1, 1),
               *W = draw(&rng, &room, q * m, -1, 1);
        double *y = draw(&rng, &room, m, 0.5, 1.5), *d = room;
        room += q;
        memset(d, 0, (size_t)q * sizeof *d);
        add_product(d, W0, x, q, n, 1);
        add_product(d, W, y, q, m, 1);
        add_product(b, T, y, p, m, 1.0 / N);
        s->scenarios[i] = (sti_scenario){.probability = 1.0 / N,
                                         .m = m,
                                         .q = q,
                                         .Q = sti_matrix_dense_view(m, m, Q),
                                         .T = sti_matrix_dense_view(p, m, T),
                                         .W = sti_matrix_dense_view(q, m, W),
                                         .c = c,
                                         .dl = d,
                                         .du = d};
    }
    s->program = (sti_stochastic){.n = n,
                                  .p = p,
                                  .Q0 = sti_matrix_dense_view(n, n, Q0),
                                  .T0 = sti_matrix_dense_view(p, n, T0),
                                  .W0 = sti_matrix_dense_view(q, n, W0),
                                  .c0 = c0,
                                  .bl = b,
                                  .bu = b,
                                  .scenario_count = N,
                                  .scenarios = s->scenarios};
}

static inline void scenario_case_free(scenario_case* s) {
    free(s->scenarios);
    free(s->block);
}

#endif
