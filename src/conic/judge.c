// judge.c: residuals of points and certificates, on the original data.
//
// Rows first get their own units: a_i is the largest entry of row i of A (of all rows of its cone), and r_i / a_i, a_i
// y_i are what is compared, so a row may be multiplied by any number without a change here. With |.| the largest entry,
//
//     point        primal  |A x + s - b| / max(|b|, |A x|, |s|)          (1 instead of |b| when b = 0)
//                  dual    |P x + A'y + c| / max(|c|, |P x|, |A'y|)      (1 instead of |c| when c = 0)
//                  gap     |x'P x + c'x + b'y| / max(|x'P x|, |c'x|, |b'y|, |b| |c|)
//     infeasible   dual    |A'y| |b|                        with b'y = -1
//     unbounded    primal  |A x + s| |c|,   dual  |P x| |c| / max |P_ij|     with c'x = -1
//
// The products on the last two lines have the units of b'y and c'x. They say how far any point that contradicts the
// certificate must be: an x that satisfies the rows has b'y = x'A'y + s'y >= -|x|_1 |A'y|, so |x|_1 >= 1 / |A'y|, and
// that is more than |b| / residual, with |b| in the units of x.
#include "conic/judge.h"

#include <math.h>
#include <string.h>

#include "base/env.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"

static double entry_size(const sti_matrix* A, double* row) {
    double size = 0;
    for (int j = 0; A->dense != NULL && j < A->cols; j++) {
        for (int i = 0; i < A->rows; i++) {
            const double a = fabs(A->dense[(size_t)i * (size_t)A->cols + (size_t)j]);
            size = fmax(size, a);
            if (row != NULL) row[i] = fmax(row[i], a);
        }
    }
    for (int64_t e = 0; A->dense == NULL && A->col_start != NULL && e < A->col_start[A->cols]; e++) {
        const double a = fabs(A->value[e]);
        size = fmax(size, a);
        if (row != NULL) row[A->row[e]] = fmax(row[A->row[e]], a);
    }
    return size;
}

sti_status sti_conic_judge_init(sti_conic_judge* k, sti_env* env, const sti_conic* program) {
    const sti_conic* p = program;
    *k = (sti_conic_judge){.env = env, .program = p};
    k->memory = sti_arena_make(env);
    k->unit = sti_arena_take(&k->memory, (size_t)p->m, sizeof *k->unit);
    k->row = sti_arena_raw(&k->memory, (size_t)p->m, sizeof *k->row);
    k->column = sti_arena_raw(&k->memory, 2 * (size_t)p->n, sizeof *k->column);
    if (k->memory.status != STI_OK) {
        sti_conic_judge_clear(k);
        return STI_ERR_MEMORY;
    }
    if (p->m > 0 && p->n > 0) entry_size(&p->A, k->unit);
    for (int c = 0, at = p->zero + p->nonnegative; c < p->cone_count; at += p->cone_size[c++]) {
        double size = 0;
        for (int i = 0; i < p->cone_size[c]; i++) size = fmax(size, k->unit[at + i]);
        for (int i = 0; i < p->cone_size[c]; i++) k->unit[at + i] = size;
    }
    for (int i = 0; i < p->m; i++) {
        if (k->unit[i] == 0) k->unit[i] = 1;
        k->b = fmax(k->b, fabs(p->b[i]) / k->unit[i]);
    }
    sti_conic_judge_set_c(k);
    if (p->P.rows > 0) k->P = entry_size(&p->P, NULL);
    if (k->b == 0) k->b = 1;
    if (k->P == 0) k->P = 1;
    return STI_OK;
}

void sti_conic_judge_set_c(sti_conic_judge* k) {
    k->c = 0;
    for (int j = 0; j < k->program->n; j++) k->c = fmax(k->c, fabs(k->program->c[j]));
    if (k->c == 0) k->c = 1;
}

void sti_conic_judge_clear(sti_conic_judge* k) {
    if (k->env == NULL) return;
    sti_arena_clear(&k->memory);
    *k = (sti_conic_judge){0};
}

static void multiply(const sti_matrix* A, const double* x, double* y, int count) {
    memset(y, 0, (size_t)count * sizeof *y);
    if (A->rows > 0 && A->cols > 0) sti_matrix_multiply_add(A, x, y);
}

static void multiply_transposed(const sti_matrix* A, const double* x, double* y, int count) {
    memset(y, 0, (size_t)count * sizeof *y);
    if (A->rows > 0 && A->cols > 0) sti_matrix_multiply_transposed_add(A, x, y);
}

// |A x + s - b| and the sizes of its terms in the units of the rows; b may be NULL for 0
static double primal_error(sti_conic_judge* k, const double* x, const double* s, const double* b, double* size) {
    const sti_conic* p = k->program;
    double error = 0;
    multiply(&p->A, x, k->row, p->m);
    for (int i = 0; i < p->m; i++) {
        *size = sti_larger(*size, fmax(fabs(k->row[i]), fabs(s[i])) / k->unit[i]);
        error = sti_larger(error, fabs(k->row[i] + s[i] - (b != NULL ? b[i] : 0)) / k->unit[i]);
    }
    return error;
}

sti_conic_residuals sti_conic_judge_point(sti_conic_judge* k, const double* x, const double* s, const double* y) {
    const sti_conic* p = k->program;
    sti_conic_residuals out = {.bound = NAN};
    double size = k->b, error = primal_error(k, x, s, p->b, &size);
    out.primal = error / size;

    double *Px = k->column, *Aty = k->column + p->n;
    multiply(&p->P, x, Px, p->n);
    multiply_transposed(&p->A, y, Aty, p->n);
    size = k->c;
    error = 0;
    for (int j = 0; j < p->n; j++) {
        size = sti_larger(size, fmax(fabs(Px[j]), fabs(Aty[j])));
        error = sti_larger(error, fabs(Px[j] + Aty[j] + p->c[j]));
    }
    out.dual = error / size;

    const double xPx = sti_vector_dot((size_t)p->n, x, Px), cx = sti_vector_dot((size_t)p->n, p->c, x),
                 by = sti_vector_dot((size_t)p->m, p->b, y);
    size = fmax(fmax(fabs(xPx), fabs(cx)), fmax(fabs(by), p->m > 0 ? k->b * k->c : 0));
    out.gap = size > 0 ? fabs(xPx + cx + by) / size : 0;
    out.objective = xPx / 2 + cx;
    out.worst = sti_larger(sti_larger(out.primal, out.dual), out.gap);
    return out;
}

// b'y so much smaller than its terms that its sign is rounding
static double strict_product(int n, const double* x, const double* y) {
    double sum = 0, size = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
        size += fabs(x[i] * y[i]);
    }
    return fabs(sum) > 1e-12 * size ? sum : 0;
}

sti_conic_residuals sti_conic_judge_infeasible(sti_conic_judge* k, const double* y) {
    const sti_conic* p = k->program;
    sti_conic_residuals out = {.primal = NAN, .gap = NAN, .objective = INFINITY, .worst = INFINITY, .bound = NAN};
    const double by = strict_product(p->m, p->b, y);
    if (!(by < 0)) return out;
    double error = 0;
    multiply_transposed(&p->A, y, k->column, p->n);
    for (int j = 0; j < p->n; j++) error = sti_larger(error, fabs(k->column[j]));
    out.bound = -by / error;  // INFINITY for 0
    out.dual = out.worst = error / -by * k->b;
    return out;
}

// Rows of R_+ have any s >= 0 that A x leaves: its own digits would count in the unit of c where there is nothing to
// prove.
static void leave_slack(sti_conic_judge* k, const double* x, double* s) {
    const sti_conic* p = k->program;
    multiply(&p->A, x, k->row, p->m);
    for (int i = p->zero; i < p->zero + p->nonnegative; i++) s[i] = fmax(-k->row[i], 0);
}

sti_conic_residuals sti_conic_judge_unbounded(sti_conic_judge* k, const double* x, double* s) {
    const sti_conic* p = k->program;
    sti_conic_residuals out = {.gap = NAN, .objective = -INFINITY, .worst = INFINITY, .bound = NAN};
    const double cx = strict_product(p->n, p->c, x);
    if (!(cx < 0)) return out;
    leave_slack(k, x, s);
    double size = 0, error = primal_error(k, x, s, NULL, &size);
    out.primal = error / -cx * k->c;
    multiply(&p->P, x, k->column, p->n);
    error = 0;
    for (int j = 0; j < p->n; j++) error = sti_larger(error, fabs(k->column[j]));
    out.dual = error / -cx * k->c / k->P;
    out.worst = sti_larger(out.primal, out.dual);
    return out;
}
