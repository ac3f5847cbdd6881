// conic_tools.h: conic programs for tests: small ones written out, and families made around a known answer.
#ifndef TESTS_CONIC_CONIC_TOOLS_H
#define TESTS_CONIC_CONIC_TOOLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
// cmocka wants the four above first
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stiction/conic.h>
#include <string.h>

#include "support/random.h"

// A dense program that owns its data.
typedef struct dense_program {
    sti_conic p;
    double *P, *A, *c, *b;
    double *x, *s, *y;  // what it was made around, by kind
    int* size;
} dense_program;

typedef enum family { SOLVABLE, INFEASIBLE, UNBOUNDED } family;

static inline void dense_program_free(dense_program* d) {
    free(d->P);
    free(d->A);
    free(d->c);
    free(d->b);
    free(d->x);
    free(d->s);
    free(d->y);
    free(d->size);
}

// v inside the cone, away from its border
static inline void inside(sti_rng* rng, const sti_conic* p, bool dual, double* v) {
    for (int i = 0; i < p->zero + p->nonnegative; i++)
        v[i] = i >= p->zero ? 0.1 + fabs(symmetric(rng)) : (dual ? symmetric(rng) : 0);
    for (int c = 0, at = p->zero + p->nonnegative; c < p->cone_count; at += p->cone_size[c++]) {
        double tail = 0;
        for (int i = 1; i < p->cone_size[c]; i++) {
            v[at + i] = symmetric(rng);
            tail = hypot(tail, v[at + i]);
        }
        v[at] = 1.2 * tail + 0.1;
    }
}

// s and y complementary: one zero and the other inside, or both on the border, opposite
static inline void complementary(sti_rng* rng, const sti_conic* p, double* s, double* y) {
    double* v = calloc((size_t)p->m + 1, sizeof *v);
    inside(rng, p, true, v);
    for (int i = 0; i < p->zero + p->nonnegative; i++) {
        const bool tight = i < p->zero || symmetric(rng) > 0;
        s[i] = tight ? 0 : v[i];
        y[i] = tight ? v[i] : 0;
    }
    for (int c = 0, at = p->zero + p->nonnegative; c < p->cone_count; at += p->cone_size[c++]) {
        const double kind = p->cone_size[c] == 1 ? symmetric(rng) : 1.5 * symmetric(rng),
                     factor = 0.1 + sti_rng_u01(rng);
        double tail = 0;
        for (int i = 1; i < p->cone_size[c]; i++) tail = hypot(tail, v[at + i]);
        const bool border = fabs(kind) <= 0.75 && p->cone_size[c] > 1;
        for (int i = 0; i < p->cone_size[c]; i++) {
            s[at + i] = border ? (i == 0 ? tail : v[at + i]) : (kind > 0 ? v[at + i] : 0);
            y[at + i] = border ? factor * (i == 0 ? tail : -v[at + i]) : (kind > 0 ? 0 : v[at + i]);
        }
    }
    free(v);
}

// P = sum over `rank` vectors of v v'
static inline void random_gram(sti_rng* rng, int n, int rank, double* P) {
    for (int t = 0; t < rank; t++) {
        double* v = calloc((size_t)n, sizeof *v);
        for (int j = 0; j < n; j++) v[j] = symmetric(rng);
        for (int i = 0; i < n * n; i++) P[i] += v[i / n] * v[i % n];
        free(v);
    }
}

// out = M v, M rows x cols
static inline void times(int rows, int cols, const double* M, const double* v, double* out) {
    for (int i = 0; i < rows; i++) {
        out[i] = 0;
        for (int j = 0; j < cols; j++) out[i] += M[i * cols + j] * v[j];
    }
}

static inline double inner(int n, const double* x, const double* y) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// (x, s, y) is optimal by construction.
static inline void make_solvable(sti_rng* rng, dense_program* d, int n, int m) {
    complementary(rng, &d->p, d->s, d->y);
    times(m, n, d->A, d->x, d->b);
    for (int i = 0; i < m; i++) d->b[i] += d->s[i];
    if (d->P != NULL) times(n, n, d->P, d->x, d->c);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) d->c[j] += d->A[i * n + j] * d->y[i];
        d->c[j] = -d->c[j];
    }
}

// A'y = 0, b'y = -1 for a y inside K*.
static inline void make_infeasible(sti_rng* rng, dense_program* d, int n, int m) {
    inside(rng, &d->p, true, d->y);
    const double yy = inner(m, d->y, d->y);
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < m; i++) sum += d->A[i * n + j] * d->y[i];
        for (int i = 0; i < m; i++) d->A[i * n + j] -= sum * d->y[i] / yy;
        d->c[j] = symmetric(rng);
    }
    for (int i = 0; i < m; i++) d->b[i] = symmetric(rng);
    const double by = inner(m, d->b, d->y);
    for (int i = 0; i < m; i++) d->b[i] -= (by + 1) * d->y[i] / yy;
}

// P x = 0, A x + s = 0 for an s inside K, c'x = -1; feasible.
static inline void make_unbounded(sti_rng* rng, dense_program* d, int n, int m) {
    const double xx = inner(n, d->x, d->x);
    inside(rng, &d->p, false, d->s);
    for (int i = 0; i < m; i++) {
        const double sum = d->s[i] + inner(n, d->A + (size_t)i * (size_t)n, d->x);
        for (int j = 0; j < n; j++) d->A[i * n + j] -= sum * d->x[j] / xx;
        d->b[i] = d->s[i];
    }
    if (d->P != NULL) {
        double* Px = calloc((size_t)n, sizeof *Px);
        times(n, n, d->P, d->x, Px);
        const double xPx = inner(n, d->x, Px);
        for (int i = 0; i < n * n; i++) {
            const int r = i / n, c = i % n;
            d->P[i] += -(d->x[r] * Px[c] + Px[r] * d->x[c]) / xx + xPx * d->x[r] * d->x[c] / (xx * xx);
        }
        free(Px);
    }
    for (int j = 0; j < n; j++) d->c[j] = symmetric(rng);
    const double cx = inner(n, d->c, d->x);
    for (int j = 0; j < n; j++) d->c[j] -= (cx + 1) * d->x[j] / xx;
}

// rank < 0: no P
static inline dense_program random_program(sti_rng* rng, family kind, int n, int zero, int linear, int cones,
                                           int largest, int rank) {
    dense_program d = {.size = calloc((size_t)cones + 1, sizeof(int))};
    int m = zero + linear;
    for (int c = 0; c < cones; c++) m += d.size[c] = 1 + (int)(sti_rng_u01(rng) * largest);
    const size_t N = (size_t)n, M = (size_t)m;
    d.A = calloc(N * M + 1, sizeof(double));
    d.c = calloc(N + 1, sizeof(double));
    d.b = calloc(M + 1, sizeof(double));
    d.x = calloc(N + 1, sizeof(double));
    d.s = calloc(M + 1, sizeof(double));
    d.y = calloc(M + 1, sizeof(double));
    for (size_t i = 0; i < N * M; i++) d.A[i] = sti_rng_u01(rng) < 0.3 + 3.0 / n ? symmetric(rng) : 0;
    for (size_t j = 0; j < N; j++) d.x[j] = symmetric(rng);
    if (rank >= 0) {
        d.P = calloc(N * N + 1, sizeof(double));
        random_gram(rng, n, rank, d.P);
    }
    d.p = (sti_conic){.n = n, .m = m, .A = sti_matrix_dense_view(m, n, d.A), .c = d.c, .b = d.b};
    d.p.zero = zero;
    d.p.nonnegative = linear;
    d.p.cone_count = cones;
    d.p.cone_size = d.size;
    if (rank >= 0) d.p.P = sti_matrix_dense_view(n, n, d.P);
    if (kind == SOLVABLE) make_solvable(rng, &d, n, m);
    if (kind == INFEASIBLE) make_infeasible(rng, &d, n, m);
    if (kind == UNBOUNDED) make_unbounded(rng, &d, n, m);
    return d;
}

// Solve, demand the outcome, and let the verifier agree. The caller clears the answer.
static inline void expect(sti_env* env, const sti_conic* p, const sti_conic_options* options, sti_conic_outcome outcome,
                          sti_conic_answer* a) {
    assert_int_equal(sti_conic_solve(env, p, options, a), STI_OK);
    if (a->outcome != outcome)
        print_error("%s instead of %s: %s, residual %g\n", sti_conic_outcome_text(a->outcome),
                    sti_conic_outcome_text(outcome), a->reason, a->residual);
    assert_int_equal(a->outcome, outcome);
    if (outcome == STI_CONIC_UNKNOWN || outcome == STI_CONIC_LIMIT) return;
    sti_conic_verification v;
    const double tol = options != NULL ? options->tol : sti_conic_options_default().tol;
    assert_int_equal(sti_verify_conic(env, p, a, 1.01 * tol, &v), STI_OK);
    if (!v.accepted) print_error("%s\n", v.text);
    assert_true(v.accepted);
    assert_true(fabs(v.residual - a->residual) <= 1e-3 * a->residual + 1e-12);
}

#endif
