// lcp_families.h: LCPs of known kind, often with a known solution, and a check of answers that shares no code with the
// library: it sees the problem and the point, and sums in extended precision.
#ifndef TESTS_SUPPORT_LCP_FAMILIES_H
#define TESTS_SUPPORT_LCP_FAMILIES_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
// cmocka wants some of the above first
#include <cmocka.h>
#include <stiction/problem.h>

#include "base/rng.h"
#include "solvers/solvers.h"

// A problem that owns its data (malloc). Dense unless M.col_start is set.
typedef struct family {
    sti_lcp lcp;
    double* q;       //                                     (n)
    double* z;       // a solution; NULL: none was planted  (n)
    double* farkas;  // v >= 0, M'v <= 0, q'v < 0; or NULL  (n)
} family;

static inline double* family_vector(size_t count) {
    double* v = calloc(count > 0 ? count : 1, sizeof *v);
    assert_non_null(v);
    return v;
}

static inline family family_dense(int n) {
    family f = {.lcp = {.n = n}, .q = family_vector((size_t)n)};
    f.lcp.M = sti_matrix_dense_view(n, n, family_vector((size_t)n * (size_t)n));
    f.lcp.q = f.q;
    return f;
}

static inline void family_clear(family* f) {
    free(f->lcp.M.dense);
    free(f->lcp.M.col_start);
    free(f->lcp.M.row);
    free(f->lcp.M.value);
    free(f->q);
    free(f->z);
    free(f->farkas);
}

static inline double family_normal(sti_rng* rng) {  // near enough: twelve uniforms
    double s = -6;
    for (int i = 0; i < 12; i++) s += sti_rng_u01(rng);
    return s;
}

// M += A A' / rank with A n x rank normal; M += normal skew matrix of that size
static inline void family_add_gram(family* f, int rank, sti_rng* rng) {
    const int n = f->lcp.n;
    double* A = family_vector((size_t)n * (size_t)rank);
    for (int k = 0; k < n * rank; k++) A[k] = family_normal(rng);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double s = 0;
            for (int k = 0; k < rank; k++) s += A[i * rank + k] * A[j * rank + k];
            f->lcp.M.dense[i * n + j] += s / rank;
            if (j < i) f->lcp.M.dense[j * n + i] += s / rank;
        }
    }
    free(A);
}

static inline void family_add_skew(family* f, sti_rng* rng) {
    const int n = f->lcp.n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            const double v = family_normal(rng) / sqrt(n);
            f->lcp.M.dense[i * n + j] += v;
            f->lcp.M.dense[j * n + i] -= v;
        }
    }
}

static inline void family_add_diagonal(family* f, double value) {
    for (int i = 0; i < f->lcp.n; i++) f->lcp.M.dense[i * f->lcp.n + i] += value;
}

// Choose complementary z, w at random and let q = w - M z.
static inline void family_plant(family* f, sti_rng* rng) {
    const int n = f->lcp.n;
    f->z = family_vector((size_t)n);
    for (int i = 0; i < n; i++) {
        if (sti_rng_u01(rng) < 0.5)
            f->z[i] = 0.1 + sti_rng_u01(rng);
        else
            f->q[i] = 0.1 + sti_rng_u01(rng);
    }
    for (int j = 0; j < n; j++) {
        if (f->lcp.M.dense == NULL) {
            for (int64_t k = f->lcp.M.col_start[j]; k < f->lcp.M.col_start[j + 1]; k++)
                f->q[f->lcp.M.row[k]] -= f->lcp.M.value[k] * f->z[j];
        } else {
            for (int i = 0; i < n; i++) f->q[i] -= f->lcp.M.dense[i * n + j] * f->z[j];
        }
    }
}

typedef enum family_kind {
    FAMILY_SPD,       // symmetric positive definite
    FAMILY_DEFINITE,  // positive definite, not symmetric
    FAMILY_LOW_RANK,  // symmetric positive semidefinite of rank n/2
    FAMILY_MONOTONE,  // positive semidefinite, symmetric part of rank n/2, not symmetric
    FAMILY_P,         // P, far from positive definite
    FAMILY_KINDS
} family_kind;

// A permuted triangular matrix: principal minors are products of its diagonal, all 1, whatever stands off it.
static inline void family_fill_p(family* f, sti_rng* rng) {
    const int n = f->lcp.n;
    int* order = calloc((size_t)n + 1, sizeof *order);
    assert_non_null(order);
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int j = sti_rng_int(rng, 0, i), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (int i = 0; i < n; i++) {
        f->lcp.M.dense[order[i] * n + order[i]] = 1;
        for (int j = 0; j < i; j++) f->lcp.M.dense[order[i] * n + order[j]] = 8 * (sti_rng_u01(rng) - 0.5) / sqrt(n);
    }
    free(order);
}

// With a planted solution, the only one for SPD, DEFINITE and P.
static inline family family_make(family_kind kind, int n, uint64_t seed) {
    family f = family_dense(n);
    sti_rng rng = {seed};
    const int half = n > 1 ? n / 2 : 1;
    if (kind == FAMILY_P) family_fill_p(&f, &rng);
    if (kind == FAMILY_SPD || kind == FAMILY_DEFINITE) {
        family_add_gram(&f, n, &rng);
        family_add_diagonal(&f, 0.1);
    }
    if (kind == FAMILY_LOW_RANK || kind == FAMILY_MONOTONE) family_add_gram(&f, half, &rng);
    if (kind == FAMILY_DEFINITE || kind == FAMILY_MONOTONE) family_add_skew(&f, &rng);
    family_plant(&f, &rng);
    return f;
}

static inline bool family_is_unique(family_kind kind) {
    return kind == FAMILY_SPD || kind == FAMILY_DEFINITE || kind == FAMILY_P;
}

// Monotone and infeasible: v >= 0 on the first half, zero on the second; A'v = 0 makes A A' v = 0, and the skew matrix
// a v' - v a' (a on the second half) adds -|v|^2 a <= 0 to M'v. q is random with q'v = -1. True up to rounding in A'v,
// so n is at least 3: a single row of rounding errors would be a row of data.
static inline family family_infeasible(int n, bool symmetric, uint64_t seed) {
    family f = family_dense(n);
    sti_rng rng = {seed};
    const int half = (n + 1) / 2;
    double vv = 0;
    f.farkas = family_vector((size_t)n);
    for (int i = 0; i < half; i++) {
        f.farkas[i] = 0.5 + sti_rng_u01(&rng);
        vv += f.farkas[i] * f.farkas[i];
    }
    double* A = family_vector((size_t)n * (size_t)n);
    for (int k = 0; k < n; k++) {
        double av = 0;
        for (int i = 0; i < n; i++) {
            A[i * n + k] = family_normal(&rng);
            av += A[i * n + k] * f.farkas[i];
        }
        for (int i = 0; i < n; i++) A[i * n + k] -= f.farkas[i] * av / vv;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) f.lcp.M.dense[i * n + j] += A[i * n + k] * A[j * n + k] / n;
        }
    }
    for (int i = half; i < n && !symmetric; i++) {
        const double a = sti_rng_u01(&rng);
        for (int j = 0; j < half; j++) {
            f.lcp.M.dense[i * n + j] += a * f.farkas[j];
            f.lcp.M.dense[j * n + i] -= a * f.farkas[j];
        }
    }
    double qv = 0;
    for (int i = 0; i < n; i++) {
        f.q[i] = family_normal(&rng);
        qv += f.q[i] * f.farkas[i];
    }
    for (int i = 0; i < n; i++) f.q[i] -= f.farkas[i] * (qv + 1) / vv;
    free(A);
    return f;
}

// Five-point stencil over a grid (side x height; height 1: a string), sparse. q is zero.
static inline family family_grid(int side, int height) {
    const int n = side * height;
    family f = {.lcp = {.n = n, .M = {.rows = n, .cols = n}}, .q = family_vector((size_t)n)};
    f.lcp.q = f.q;
    f.lcp.M.col_start = calloc((size_t)n + 1, sizeof *f.lcp.M.col_start);
    f.lcp.M.row = calloc(5 * (size_t)n, sizeof *f.lcp.M.row);
    f.lcp.M.value = calloc(5 * (size_t)n, sizeof *f.lcp.M.value);
    assert_true(f.lcp.M.col_start != NULL && f.lcp.M.row != NULL && f.lcp.M.value != NULL);
    int64_t at = 0;
    for (int j = 0; j < n; j++) {
        const int x = j % side, y = j / side;
        const int near[5] = {y > 0 ? j - side : -1, x > 0 ? j - 1 : -1, j, x < side - 1 ? j + 1 : -1,
                             y < height - 1 ? j + side : -1};
        for (int k = 0; k < 5; k++) {
            if (near[k] < 0) continue;
            f.lcp.M.row[at] = near[k];
            f.lcp.M.value[at++] = near[k] != j ? -1 : height > 1 ? 4 : 2;
        }
        f.lcp.M.col_start[j + 1] = at;
    }
    return f;
}

// The grid with a planted solution: half of the points, at random, in contact.
static inline family family_obstacle(int side, int height, uint64_t seed) {
    family f = family_grid(side, height);
    sti_rng rng = {seed};
    family_plant(&f, &rng);
    return f;
}

// A membrane over a floor, pushed up in some places and down in others: contact regions as in practice.
static inline family family_membrane(int side) {
    family f = family_grid(side, side);
    const double h = 1.0 / (side + 1), pi = 3.14159265358979323846;
    for (int j = 0; j < side * side; j++) {
        const double x = h * (j % side + 1), y = h * (j / side + 1);  // NOLINT(bugprone-integer-division)
        f.q[j] = -h * h * (10 * sin(3 * pi * x) * sin(2 * pi * y) - 1);
    }
    return f;
}

// The residual of the public header, from its text: parts relative to max |q| and max |z|.
static inline double family_residual(const sti_lcp* lcp, const double* z) {
    const int n = lcp->n;
    long double* w = calloc((size_t)n + 1, sizeof *w);
    assert_non_null(w);
    double s = 0, t = 0;
    for (int i = 0; i < n; i++) {
        w[i] = lcp->q[i];
        s = fmax(s, fabs(lcp->q[i]));
        t = fmax(t, fabs(z[i]));
    }
    if (s == 0) s = 1;
    if (t == 0) t = 1;
    for (int j = 0; j < n; j++) {
        if (lcp->M.dense != NULL) {
            for (int i = 0; i < n; i++) w[i] += (long double)lcp->M.dense[(size_t)i * (size_t)n + (size_t)j] * z[j];
        } else {
            for (int64_t k = lcp->M.col_start[j]; k < lcp->M.col_start[j + 1]; k++)
                w[lcp->M.row[k]] += (long double)lcp->M.value[k] * z[j];
        }
    }
    long double worst = 0, gap = 0;
    for (int i = 0; i < n; i++) {
        if (-z[i] / t > worst) worst = -z[i] / t;
        if (-w[i] / s > worst) worst = -w[i] / s;
        gap += fabsl(z[i] / t * (w[i] / s));
    }
    free(w);
    return (double)(gap > worst ? gap : worst);
}

static inline double family_distance(const double* x, const double* y, int n) {
    double d = 0;
    for (int i = 0; i < n; i++) d = fmax(d, fabs(x[i] - y[i]));
    return d;
}

// A method run from scratch, with the options given or (NULL) the defaults at tol 1e-10; everything the contract
// promises about its point is checked. The caller clears the answer.
static inline sti_lcp_answer family_solve(sti_env* env, sti_lcp_method* method, const sti_lcp* lcp,
                                          const sti_lcp_options* options) {
    sti_lcp_options standard = sti_lcp_options_default();
    standard.tol = 1e-10;
    sti_lcp_answer answer;
    assert_int_equal(sti_lcp_answer_reserve(env, 0, lcp->n, &answer), STI_OK);
    const sti_lcp_options* o = options != NULL ? options : &standard;
    assert_int_equal(method(env, lcp, o, &answer), STI_OK);
    assert_int_not_equal(answer.termination, STI_END_NONE);
    assert_true(answer.reason[0] != 0);
    for (int i = 0; i < lcp->n; i++) {
        assert_true(isfinite(answer.z[i]));
        assert_true(answer.z[i] >= 0);
        assert_true(answer.alpha[i] <= 1);
    }
    if (answer.termination == STI_END_SOLUTION) assert_true(family_residual(lcp, answer.z) <= o->tol);
    return answer;
}

// Termination solution, and the planted point when it is the only one.
static inline void family_expect_solution(sti_env* env, sti_lcp_method* method, const family* f, bool unique,
                                          double distance) {
    sti_lcp_answer answer = family_solve(env, method, &f->lcp, NULL);
    assert_int_equal(answer.termination, STI_END_SOLUTION);
    if (unique && f->z != NULL) assert_true(family_distance(answer.z, f->z, f->lcp.n) <= distance);
    sti_lcp_answer_clear(env, &answer);
}

#endif
