// conic.c: the independent check of an answer to a conic program.
//
//     min 1/2 x'P x + c'x,  A x + s = b,  s in K            P x + A'y + c = 0,  y in K*
//
// From the program and (x, s, y) alone, in long double. a_i is the largest entry of row i of A, of all rows of its cone
// for a second-order cone, 1 for rows of zeros; rows are compared as r_i / a_i, multipliers as a_i y_i. |.| is the
// largest entry, and |b|, |c|, max |P_ij| are read as 1 where they are 0.
//
//     solved       |A x + s - b| / max(|b|, |A x|, |s|),     |P x + A'y + c| / max(|c|, |P x|, |A'y|),
//                  |x'P x + c'x + b'y| / max(|x'P x|, |c'x|, |b'y|, |b| |c|)
//     infeasible   b'y < 0 and  |A'y| |b| / -b'y
//     unbounded    c'x < 0 and  |A x + s| |c| / -c'x,  |P x| |c| / (max |P_ij| -c'x)
//
// and the distance of s and y from their cones, relative to |s| and |y| in the same units (for a certificate s and y
// must be in the cone to that accuracy too). For a program with P that is not positive semidefinite "solved" would be
// only a stationary point: P + shift I is factored (Cholesky, dense) where n is at most 400, the shift being 1e-10 of
// each diagonal entry and of the mean.
#include "verify/conic.h"

#include <math.h>
#include <stdio.h>
#include <stiction/conic.h>

#include "base/env.h"
#include "verify/data.h"

typedef struct judge {
    const sti_conic* p;
    int n, m;
    long double* memory;
    long double *x, *Px, *Aty;       // (n)
    long double *s, *y, *Ax, *unit;  // (m)
    long double b, c, P;             // sizes
} judge;

// --- the program as data -------------------------------------------------------------------------------------------

static sti_status check_program(sti_env* env, const sti_conic* p) {
    if (p->n < 0 || p->m < 0 || p->zero < 0 || p->nonnegative < 0 || p->cone_count < 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a count is negative");
    if (p->cone_count > 0 && p->cone_size == NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "cone_size is missing");
    int64_t rows = (int64_t)p->zero + p->nonnegative;
    for (int c = 0; c < p->cone_count; c++) {
        if (p->cone_size[c] < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, c, "cone %d has %d rows", c, p->cone_size[c]);
        rows += p->cone_size[c];
    }
    if (rows != p->m)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the cones have %lld rows, A has %d", (long long)rows, p->m);
    sti_status status = sti_check_data_matrix(env, "A", &p->A, p->m, p->n, false);
    if (status == STI_OK && p->P.rows > 0) status = sti_check_data_matrix(env, "P", &p->P, p->n, p->n, false);
    if (status == STI_OK) status = sti_check_data_vector(env, "c", p->c, p->n);
    if (status == STI_OK) status = sti_check_data_vector(env, "b", p->b, p->m);
    return status;
}

// --- arithmetic ----------------------------------------------------------------------------------------------------

// y += A x, or A'x, for a checked matrix of the program
void sti_check_conic_multiply(const sti_matrix* A, bool transposed, const long double* x, long double* y) {
    if (A->rows == 0 || A->cols == 0) return;
    for (int j = 0; j < A->cols; j++) {
        if (A->dense != NULL) {
            for (int i = 0; i < A->rows; i++) {
                const long double a = A->dense[(size_t)i * (size_t)A->cols + (size_t)j];
                y[transposed ? j : i] += a * x[transposed ? i : j];
            }
        } else {
            for (int64_t e = A->col_start[j]; e < A->col_start[j + 1]; e++)
                y[transposed ? j : A->row[e]] += (long double)A->value[e] * x[transposed ? A->row[e] : j];
        }
    }
}

// Largest entry, and of each row when there is a place for it.
long double sti_check_conic_size(const sti_matrix* A, long double* row) {
    long double size = 0;
    if (A->rows == 0 || A->cols == 0) return 0;
    for (int j = 0; j < A->cols; j++) {
        const int64_t first = A->dense != NULL ? 0 : A->col_start[j],
                      last = A->dense != NULL ? A->rows : A->col_start[j + 1];
        for (int64_t e = first; e < last; e++) {
            const int i = A->dense != NULL ? (int)e : A->row[e];
            const long double a =
                fabsl(A->dense != NULL ? A->dense[(size_t)i * (size_t)A->cols + (size_t)j] : A->value[e]);
            size = fmaxl(size, a);
            if (row != NULL) row[i] = fmaxl(row[i], a);
        }
    }
    return size;
}

static void set_units(judge* k) {
    const sti_conic* p = k->p;
    if (k->n > 0) sti_check_conic_size(&p->A, k->unit);
    for (int c = 0, at = p->zero + p->nonnegative; c < p->cone_count; at += p->cone_size[c++]) {
        long double size = 0;
        for (int i = at; i < at + p->cone_size[c]; i++) size = fmaxl(size, k->unit[i]);
        for (int i = at; i < at + p->cone_size[c]; i++) k->unit[i] = size;
    }
    for (int i = 0; i < k->m; i++) {
        if (k->unit[i] == 0) k->unit[i] = 1;
        k->b = fmaxl(k->b, fabsl(p->b[i]) / k->unit[i]);
    }
    for (int j = 0; j < k->n; j++) k->c = fmaxl(k->c, fabsl(p->c[j]));
    k->P = sti_check_conic_size(&p->P, NULL);
    if (k->b == 0) k->b = 1;
    if (k->c == 0) k->c = 1;
    if (k->P == 0) k->P = 1;
}

static sti_status open_judge(sti_env* env, judge* k, const sti_conic* p, const sti_conic_answer* a) {
    *k = (judge){.p = p, .n = p->n, .m = p->m};
    const size_t n = (size_t)k->n, m = (size_t)k->m;
    k->memory = sti_alloc_array_zero(env, 3 * n + 4 * m, sizeof *k->memory);
    if (k->memory == NULL) return STI_ERR_MEMORY;
    k->x = k->memory;
    k->Px = k->x + n;
    k->Aty = k->Px + n;
    k->s = k->Aty + n;
    k->y = k->s + m;
    k->Ax = k->y + m;
    k->unit = k->Ax + m;
    for (size_t j = 0; j < n; j++) k->x[j] = a->x[j];
    for (size_t i = 0; i < m; i++) k->s[i] = a->s[i];
    for (size_t i = 0; i < m; i++) k->y[i] = a->y[i];
    set_units(k);
    return STI_OK;
}

// Distance of v from K (dual: from K*, where rows of {0} are free), relative to its size; row units with the given
// power.
static double outside(const judge* k, const long double* v, bool dual) {
    const sti_conic* p = k->p;
    long double worst = 0, size = 0;
    for (int i = 0; i < k->m; i++) size = fmaxl(size, dual ? fabsl(v[i]) * k->unit[i] : fabsl(v[i]) / k->unit[i]);
    for (int i = 0; i < p->zero + p->nonnegative; i++) {
        const long double out = i < p->zero ? (dual ? 0 : fabsl(v[i])) : fmaxl(-v[i], 0);
        worst = fmaxl(worst, dual ? out * k->unit[i] : out / k->unit[i]);
    }
    for (int c = 0, at = p->zero + p->nonnegative; c < p->cone_count; at += p->cone_size[c++]) {
        long double tail = 0;
        for (int i = 1; i < p->cone_size[c]; i++) tail = hypotl(tail, v[at + i]);
        const long double out = fmaxl(tail - v[at], 0);
        worst = fmaxl(worst, dual ? out * k->unit[at] : out / k->unit[at]);
    }
    return size > 0 ? (double)(worst / size) : 0;
}

// Cholesky of the symmetric part of P, shifted: no where a pivot is negative.
sti_status sti_check_conic_convex(sti_env* env, int order, const sti_matrix* P, sti_verdict* convex) {
    enum { LARGEST = 400 };
    const size_t n = (size_t)order;
    *convex = P->rows == 0 || n <= LARGEST ? STI_YES : STI_UNDECIDED;
    if (P->rows == 0 || n == 0 || n > LARGEST) return STI_OK;
    long double* L = sti_alloc_array_zero(env, n * n, sizeof *L);
    if (L == NULL) return STI_ERR_MEMORY;
    long double trace = 0;
    for (size_t j = 0; j < n; j++) {
        const int64_t first = P->dense != NULL ? 0 : P->col_start[j],
                      last = P->dense != NULL ? order : P->col_start[j + 1];
        for (int64_t e = first; e < last; e++) {
            const size_t i = P->dense != NULL ? (size_t)e : (size_t)P->row[e];
            const long double half = (P->dense != NULL ? P->dense[i * n + j] : P->value[e]) / 2;
            L[i * n + j] += half;
            L[j * n + i] += half;
        }
    }
    for (size_t j = 0; j < n; j++) trace += L[j * n + j];
    for (size_t j = 0; j < n; j++) L[j * n + j] += 1e-10L * (fabsl(L[j * n + j]) + fabsl(trace) / order);
    for (size_t j = 0; j < n && *convex == STI_YES; j++) {
        for (size_t i = j; i < n; i++) {
            for (size_t t = 0; t < j; t++) L[i * n + j] -= L[i * n + t] * L[j * n + t];
            if (i == j) {
                if (!(L[j * n + j] >= 0)) *convex = STI_NO;
                L[j * n + j] = sqrtl(fmaxl(L[j * n + j], 0));
            } else {
                L[i * n + j] = L[j * n + j] > 0 ? L[i * n + j] / L[j * n + j] : 0;
            }
        }
    }
    sti_free(env, L);
    return STI_OK;
}

bool sti_check_conic_claims(sti_conic_outcome claim) {
    return claim == STI_CONIC_SOLVED || claim == STI_CONIC_INFEASIBLE || claim == STI_CONIC_UNBOUNDED;
}

void sti_check_conic_say(sti_conic_outcome claim, double residual, bool convex, char* text, size_t size) {
    snprintf(text, size, "%s, residual %.3g%s", sti_conic_outcome_text(claim), residual,
             claim == STI_CONIC_SOLVED && !convex ? "; P was not tested for convexity" : "");
}

// --- the claims ----------------------------------------------------------------------------------------------------

static void check_point(judge* k, sti_conic_verification* out) {
    const sti_conic* p = k->p;
    long double size = k->b, error = 0, xPx = 0, cx = 0, by = 0;
    sti_check_conic_multiply(&p->A, false, k->x, k->Ax);
    sti_check_conic_multiply(&p->A, true, k->y, k->Aty);
    if (p->P.rows > 0) sti_check_conic_multiply(&p->P, false, k->x, k->Px);
    for (int i = 0; i < k->m; i++) {
        size = fmaxl(size, fmaxl(fabsl(k->Ax[i]), fabsl(k->s[i])) / k->unit[i]);
        error = fmaxl(error, fabsl(k->Ax[i] + k->s[i] - p->b[i]) / k->unit[i]);
        by += p->b[i] * k->y[i];
    }
    out->residual_primal = (double)(error / size);
    size = k->c;
    error = 0;
    for (int j = 0; j < k->n; j++) {
        size = fmaxl(size, fmaxl(fabsl(k->Px[j]), fabsl(k->Aty[j])));
        error = fmaxl(error, fabsl(k->Px[j] + k->Aty[j] + p->c[j]));
        xPx += k->x[j] * k->Px[j];
        cx += p->c[j] * k->x[j];
    }
    out->residual_dual = (double)(error / size);
    size = fmaxl(fmaxl(fabsl(xPx), fabsl(cx)), fmaxl(fabsl(by), k->m > 0 ? k->b * k->c : 0));
    out->residual_gap = size > 0 ? (double)(fabsl(xPx + cx + by) / size) : 0;
    out->cone_s = outside(k, k->s, false);
    out->cone_y = outside(k, k->y, true);
    out->residual =
        fmax(fmax(fmax(out->residual_primal, out->residual_dual), out->residual_gap), fmax(out->cone_s, out->cone_y));
}

static void check_infeasible(judge* k, sti_conic_verification* out) {
    long double by = 0, error = 0;
    for (int i = 0; i < k->m; i++) by += k->p->b[i] * k->y[i];
    sti_check_conic_multiply(&k->p->A, true, k->y, k->Aty);
    for (int j = 0; j < k->n; j++) error = fmaxl(error, fabsl(k->Aty[j]));
    out->cone_y = outside(k, k->y, true);
    out->residual_dual = by < 0 ? (double)(error * k->b / -by) : INFINITY;
    out->bound = by < 0 ? (double)(-by / error) : 0;
    out->residual = fmax(out->residual_dual, out->cone_y);
}

static void check_unbounded(judge* k, sti_conic_verification* out) {
    long double cx = 0, rows = 0, curvature = 0;
    for (int j = 0; j < k->n; j++) cx += k->p->c[j] * k->x[j];
    sti_check_conic_multiply(&k->p->A, false, k->x, k->Ax);
    for (int i = 0; i < k->m; i++) rows = fmaxl(rows, fabsl(k->Ax[i] + k->s[i]) / k->unit[i]);
    if (k->p->P.rows > 0) sti_check_conic_multiply(&k->p->P, false, k->x, k->Px);
    for (int j = 0; j < k->n; j++) curvature = fmaxl(curvature, fabsl(k->Px[j]));
    out->cone_s = outside(k, k->s, false);
    out->residual_primal = cx < 0 ? (double)(rows * k->c / -cx) : INFINITY;
    out->residual_dual = cx < 0 ? (double)(curvature * k->c / k->P / -cx) : INFINITY;
    out->residual = fmax(fmax(out->residual_primal, out->residual_dual), out->cone_s);
}

// The vectors that the claim is about are there and finite.
static bool complete(const sti_conic* p, const sti_conic_answer* a) {
    if (a->n != p->n || a->m != p->m || a->x == NULL || a->s == NULL || a->y == NULL) return false;
    const bool need_x = a->outcome != STI_CONIC_INFEASIBLE, need_y = a->outcome != STI_CONIC_UNBOUNDED;
    return (!need_x || (sti_check_data_finite(a->x, p->n) && sti_check_data_finite(a->s, p->m))) &&
           (!need_y || sti_check_data_finite(a->y, p->m));
}

static sti_status decide(sti_env* env, judge* k, double tol, sti_conic_verification* out) {
    if (out->claim == STI_CONIC_SOLVED) {
        check_point(k, out);
        sti_verdict convex;
        const sti_status status = sti_check_conic_convex(env, k->n, &k->p->P, &convex);
        if (status != STI_OK) return status;
        if (convex == STI_NO) return STI_REJECT(out, "P is not positive semidefinite");
        out->convex = convex == STI_YES;
    } else if (out->claim == STI_CONIC_INFEASIBLE) {
        check_infeasible(k, out);
    } else {
        check_unbounded(k, out);
    }
    if (!(out->residual <= tol))
        return STI_REJECT(out, "residual %.3g (rows %.3g, dual %.3g, gap %.3g, s %.3g, y %.3g)", out->residual,
                          out->residual_primal, out->residual_dual, out->residual_gap, out->cone_s, out->cone_y);
    out->accepted = true;
    sti_check_conic_say(out->claim, out->residual, out->convex, out->text, sizeof out->text);
    return STI_OK;
}

sti_status sti_verify_conic(sti_env* env, const sti_conic* program, const sti_conic_answer* answer, double tol,
                            sti_conic_verification* out) {
    *out = (sti_conic_verification){.claim = answer->outcome,
                                    .residual = NAN,
                                    .residual_primal = NAN,
                                    .residual_dual = NAN,
                                    .residual_gap = NAN,
                                    .cone_s = NAN,
                                    .cone_y = NAN,
                                    .bound = NAN};
    sti_status status = check_program(env, program);
    if (status != STI_OK) return status;
    if (!sti_check_conic_claims(out->claim))
        return STI_REJECT(out, "nothing is claimed (%s)", sti_conic_outcome_text(out->claim));
    if (!complete(program, answer)) return STI_REJECT(out, "the answer does not fit the program or is not finite");
    judge k;
    status = open_judge(env, &k, program, answer);
    if (status == STI_OK) status = decide(env, &k, tol, out);
    sti_free(env, k.memory);
    return status;
}
