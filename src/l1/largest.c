// largest.c: min max_i |A x + b|_i as a least sum of absolute values.
//
// For t >= 0 is |r - t| + |r + t| = 2 max(|r|, t). So with r = A x + b and any T above the least value t*
//
//     sum_i (|r_i - t| + |r_i + t|) + (2m - 1) |t - T|  =  2 sum_i max(|r_i|, t) + (2m - 1) (T - t)      0 <= t <= T
//
// falls with t by 2k - 1 while k >= 1 rows are above t, and rises by 1 when none is: for given x it is least at t = max
// |r_i|, where it is (2m - 1) T + max |r_i|. The program has the rows (A, -1), (A, 1) and (0, 2m - 1), and one more
// unknown.
//
// Of its dual vector (u, v, w), y = u + v has A'y = 0. At the best point w = -1, sum (v_i - u_i) = 2m - 1, and |u_i +
// v_i| <= 2 - (v_i - u_i) gives sum |y_i| <= 1, so y proves max |A x' + b|_i >= b'y for every x'. Away from it y is
// divided by its sum, which keeps A'y = 0.
//
// The constant (2m - 1) T stands in the objective, so the gap of the program has to be smaller by t* / (2m T): T is the
// largest row of a point that is good for the sum, and the tolerance is lowered as long as that brings something.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "l1/interior.h"

enum { ROUNDS = 4 };

static const double ROUGH = 1e-2;        // gap of the point that T is taken from
static const double LEAST_TOL = 1e-15;   // of the program
static const double NEGLIGIBLE = 1e-12;  // of the largest dual value
static const double WIDER = 1 + 1e-9;    // T is above t*
static const double INSIDE = 1 + 1e-14;  // so that rounding leaves sum |y_i| <= 1

typedef struct wide {
    sti_arena memory;
    sti_l1 l1;  // of the rows above      (2m + 1, n + 1)
    int64_t* col_start;
    int* row;
    double *value, *b;
    double* room;  // scratch             (2n)
    sti_l1_answer answer;
} wide;

static void wide_close(sti_env* env, wide* w) {
    sti_arena_clear(&w->memory);
    sti_l1_answer_clear(env, &w->answer);
    *w = (wide){0};
}

static sti_status wide_open(sti_env* env, const sti_l1* p, wide* w) {
    const size_t m = (size_t)p->m, n = (size_t)p->n, nnz = (size_t)p->A.col_start[p->n], rows = 2 * m + 1;
    *w = (wide){0};
    if (p->m > (INT32_MAX - 1) / 2) return STI_FAIL(env, STI_ERR_SIZE, -1, "%d rows", p->m);
    w->memory = sti_arena_make(env);
    w->col_start = sti_arena_raw(&w->memory, n + 2, sizeof *w->col_start);
    w->row = sti_arena_raw(&w->memory, 2 * nnz + rows, sizeof *w->row);
    w->value = sti_arena_raw(&w->memory, 2 * nnz + rows, sizeof *w->value);
    w->b = sti_arena_raw(&w->memory, rows, sizeof *w->b);
    w->room = sti_arena_raw(&w->memory, 2 * n, sizeof *w->room);
    w->answer.x = sti_alloc_array_zero(env, n + 1, sizeof *w->answer.x);
    w->answer.y = sti_alloc_array_zero(env, rows, sizeof *w->answer.y);
    if (w->memory.status != STI_OK || w->answer.x == NULL || w->answer.y == NULL) {
        wide_close(env, w);
        return STI_ERR_MEMORY;
    }
    return STI_OK;
}

static void wide_fill(const sti_l1* p, double T, wide* w) {
    const sti_matrix* A = &p->A;
    const int m = p->m, n = p->n;
    const double weight = 2.0 * m - 1;
    int64_t at = 0;
    for (int j = 0; j < n; j++) {
        w->col_start[j] = at;
        for (int half = 0; half < 2; half++) {
            for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++, at++) {
                w->row[at] = A->row[k] + half * m;
                w->value[at] = A->value[k];
            }
        }
    }
    w->col_start[n] = at;
    for (int i = 0; i < 2 * m + 1; i++, at++) {
        w->row[at] = i;
        w->value[at] = i < m ? -1 : i < 2 * m ? 1 : weight;
        w->b[i] = i < 2 * m ? p->b[i % m] : -weight * T;
    }
    w->col_start[n + 1] = at;
    w->l1 = (sti_l1){.m = 2 * m + 1, .n = n + 1, .b = w->b};
    w->l1.A =
        (sti_matrix){.rows = 2 * m + 1, .cols = n + 1, .col_start = w->col_start, .row = w->row, .value = w->value};
}

// The largest row at x, and what y leaves open of it. r (m) is scratch.
static double largest_row(const sti_l1* p, const double* x, double* r) {
    double largest = 0;
    memcpy(r, p->b, (size_t)p->m * sizeof *r);
    for (int j = 0; j < p->n; j++) {
        for (int64_t k = p->A.col_start[j]; k < p->A.col_start[j + 1]; k++) r[p->A.row[k]] += p->A.value[k] * x[j];
    }
    for (int i = 0; i < p->m; i++) largest = fmax(largest, fabs(r[i]));
    return largest;
}

// What u + v lost in cancellation of A'y = 0 is given back by the least change relative to the entries of y. t: (m), s:
// (n)
static void purify(const sti_l1* p, sti_l1_normal* N, double* y, double* t, double* s) {
    for (int round = 0; round < 2; round++) {
        double largest = 0;
        for (int i = 0; i < p->m; i++) largest = fmax(largest, fabs(y[i]));
        if (!(largest > 0)) return;
        for (int i = 0; i < p->m; i++) t[i] = fabs(y[i]) + NEGLIGIBLE * largest;
        if (!sti_l1_normal_factor(N, t)) return;
        sti_l1_multiply_transposed(N, y, s);
        sti_l1_normal_solve(N, s, s + p->n);
        sti_l1_multiply(N, s + p->n, t);
        for (int i = 0; i < p->m; i++) y[i] -= (fabs(y[i]) + NEGLIGIBLE * largest) * t[i];
    }
}

static double take_answer(const sti_l1* p, const wide* w, sti_l1_normal* N, double* r, sti_l1_answer* a) {
    double sum = 0, bound = 0;
    memcpy(a->x, w->answer.x, (size_t)p->n * sizeof *a->x);
    for (int i = 0; i < p->m; i++) {
        a->y[i] = w->answer.y[i] + w->answer.y[p->m + i];
    }
    purify(p, N, a->y, r, w->room);
    for (int i = 0; i < p->m; i++) sum += fabs(a->y[i]);
    for (int i = 0; i < p->m; i++) {
        a->y[i] = sum > 0 ? a->y[i] / (sum * INSIDE) : 0;
        bound += a->y[i] * p->b[i];
    }
    const double largest = largest_row(p, a->x, r);
    return largest > 0 ? (largest - bound) / largest : 0;
}

// Solve the program to lower tolerances until the gap of the fit is within that asked for.
static sti_status solve_rounds(sti_env* env, const sti_l1* p, const sti_l1_options* options, double T, double deadline,
                               double* r, wide* w, sti_l1_answer* a) {
    sti_l1_options o = *options;
    sti_l1_normal N;
    wide_fill(p, T, w);
    o.norm = STI_L1_SUM;
    o.x = NULL;
    o.tol = fmax(0.1 * options->tol / (2.0 * p->m), LEAST_TOL);
    sti_status status = sti_l1_normal_init(&N, env, &p->A, 1e6 * options->memory_mb);
    for (int k = 0; k < ROUNDS && status == STI_OK; k++) {
        if (isfinite(deadline)) o.time_limit_s = fmax(deadline - sti_now(env), 1e-9);
        w->answer.iterations = w->answer.cg_count = 0;
        w->answer.reason[0] = '\0';
        status = sti_l1_interior(env, &w->l1, &o, &w->answer);
        a->iterations += w->answer.iterations;
        a->cg_count += w->answer.cg_count;
        if (status != STI_OK) break;
        const double gap = take_answer(p, w, &N, r, a);
        if (gap <= options->tol || w->answer.reason[0] != '\0' || o.tol <= LEAST_TOL) break;
        o.tol = fmax(LEAST_TOL, 0.1 * o.tol * options->tol / gap);
    }
    memcpy(a->reason, w->answer.reason, sizeof a->reason);
    sti_l1_normal_clear(&N);
    return status;
}

sti_status sti_l1_largest(sti_env* env, const sti_l1* p, const sti_l1_options* options, sti_l1_answer* a) {
    const double deadline = sti_deadline(env, options->time_limit_s);
    sti_l1_options rough = *options;
    wide w;
    rough.tol = ROUGH;
    rough.trace = NULL;
    sti_status status = wide_open(env, p, &w);
    double* r = sti_alloc_array(env, (size_t)p->m, sizeof *r);
    if (status == STI_OK && r == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = sti_l1_interior(env, p, &rough, a);
    if (status == STI_OK) {
        const double T = fmin(largest_row(p, a->x, r), largest_row(p, w.answer.x, r));  // that x is still 0
        a->reason[0] = '\0';
        memset(a->y, 0, (size_t)p->m * sizeof *a->y);
        if (T > 0) status = solve_rounds(env, p, options, WIDER * T, deadline, r, &w, a);
    }
    sti_free(env, r);
    wide_close(env, &w);
    return status;
}
