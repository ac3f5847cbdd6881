// scaled.c: equilibration.
//
// The rows and columns of [P A'; A 0] are divided by the square roots of their largest entries until all of these are
// about 1 (Ruiz, "A scaling algorithm to equilibrate both rows and columns norms in matrices", 2001). The rows of a
// second-order cone share one factor, from the largest entry of the block. A row of a single entry, a bound, takes the
// unit of its variable and gives none: it fits any, so that variables in units 1e5 apart would keep them. Then two
// numbers are left: beta, the unit of x, from the size of b (and of P^-1 c where there is a P: the geometric mean,
// since either may decide), and kappa, the unit of the objective. Rows and columns of zeros keep their units. The
// scaling is a change of units: nothing is lost, and what is accepted in the end is measured without it. Cost: a few
// passes over the entries.
#include "conic/scaled.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"

enum { PASSES = 12 };

void sti_conic_multiply(const sti_matrix* A, const double* x, double* y) {
    memset(y, 0, (size_t)A->rows * sizeof *y);
    sti_matrix_multiply_add(A, x, y);
}

void sti_conic_multiply_transposed(const sti_matrix* A, const double* x, double* y) {
    memset(y, 0, (size_t)A->cols * sizeof *y);
    sti_matrix_multiply_transposed_add(A, x, y);
}

// out = A', sparse
static sti_status transpose(sti_env* env, const sti_matrix* A, sti_matrix* out) {
    const size_t nnz = (size_t)A->col_start[A->cols];
    *out = (sti_matrix){.rows = A->cols, .cols = A->rows};
    out->col_start = sti_alloc_array_zero(env, (size_t)A->rows + 1, sizeof *out->col_start);
    out->row = sti_alloc_array(env, nnz, sizeof *out->row);
    out->value = sti_alloc_array(env, nnz, sizeof *out->value);
    if (out->col_start == NULL || out->row == NULL || out->value == NULL) return STI_ERR_MEMORY;
    sti_matrix_by_rows(A, out->col_start, out->row, out->value);
    return STI_OK;
}

// A as sparse columns without zeros
static sti_status copy_entries(sti_env* env, const sti_matrix* A, int rows, int cols, sti_matrix* out) {
    const sti_matrix empty = {.rows = rows, .cols = cols};
    sti_status status = sti_matrix_to_sparse(env, rows == 0 || cols == 0 ? &empty : A, out);
    if (status != STI_OK) return status;
    int64_t at = 0, e = 0;
    for (int j = 0; j < cols; j++) {
        for (; e < out->col_start[j + 1]; e++) {
            if (out->value[e] == 0) continue;
            out->row[at] = out->row[e];
            out->value[at++] = out->value[e];
        }
        out->col_start[j + 1] = at;
    }
    return STI_OK;
}

// The union of both patterns, merged column by column.
sti_status sti_conic_symmetrize(sti_env* env, sti_matrix* P) {
    sti_matrix T = {0}, S = {.rows = P->rows, .cols = P->cols};
    sti_status status = transpose(env, P, &T);
    const size_t room = 2 * (size_t)P->col_start[P->cols];
    if (status == STI_OK) {
        S.col_start = sti_alloc_array_zero(env, (size_t)P->cols + 1, sizeof *S.col_start);
        S.row = sti_alloc_array(env, room, sizeof *S.row);
        S.value = sti_alloc_array(env, room, sizeof *S.value);
        if (S.col_start == NULL || S.row == NULL || S.value == NULL) status = STI_ERR_MEMORY;
    }
    int64_t at = 0;
    for (int j = 0; status == STI_OK && j < P->cols; j++) {
        int64_t a = P->col_start[j], b = T.col_start[j];
        const int64_t a_end = P->col_start[j + 1], b_end = T.col_start[j + 1];
        while (a < a_end || b < b_end) {
            const int row_a = a < a_end ? P->row[a] : P->rows, row_b = b < b_end ? T.row[b] : P->rows;
            const int row = row_a < row_b ? row_a : row_b;
            double sum = 0;
            if (row_a == row) sum += P->value[a++];
            if (row_b == row) sum += T.value[b++];
            S.row[at] = row;
            S.value[at++] = sum / 2;
        }
        S.col_start[j + 1] = at;
    }
    sti_matrix_clear(env, &T);
    if (status != STI_OK) {
        sti_matrix_clear(env, &S);
        return status;
    }
    sti_matrix_clear(env, P);
    *P = S;
    return STI_OK;
}

static void column_norms(const sti_matrix* A, const unsigned char* skip, double* column) {
    for (int j = 0; j < A->cols; j++) {
        for (int64_t e = A->col_start[j]; e < A->col_start[j + 1]; e++) {
            if (skip == NULL || !skip[A->row[e]]) column[j] = fmax(column[j], fabs(A->value[e]));
        }
    }
}

static void row_norms(const sti_matrix* A, double* row) {
    for (int64_t e = 0; e < A->col_start[A->cols]; e++) row[A->row[e]] = fmax(row[A->row[e]], fabs(A->value[e]));
}

// Rows of {0} and R_+ with a single entry, in columns that have others.
static void find_bounds(const sti_conic_scaled* k, const sti_conic* program, unsigned char* bound) {
    const int linear = program->zero + program->nonnegative;
    memset(bound, 0, (size_t)k->m);
    for (int64_t e = 0; e < k->A.col_start[k->n]; e++) {  // 0, 1, or more of them
        if (bound[k->A.row[e]] < 2) bound[k->A.row[e]]++;
    }
    for (int i = 0; i < k->m; i++) bound[i] = i < linear && bound[i] == 1;
    for (int j = 0; j < k->n; j++) {
        bool others = k->P.rows > 0 && k->P.col_start[j + 1] > k->P.col_start[j];
        for (int64_t e = k->A.col_start[j]; e < k->A.col_start[j + 1]; e++) others = others || !bound[k->A.row[e]];
        for (int64_t e = k->A.col_start[j]; !others && e < k->A.col_start[j + 1]; e++) bound[k->A.row[e]] = 0;
    }
}

static void multiply_sides(sti_matrix* A, const double* left, const double* right) {
    for (int j = 0; j < A->cols; j++) {
        for (int64_t e = A->col_start[j]; e < A->col_start[j + 1]; e++)
            A->value[e] = left[A->row[e]] * A->value[e] * right[j];
    }
}

static void divide_entries(sti_matrix* A, double by) {
    for (int64_t e = 0; e < A->col_start[A->cols]; e++) A->value[e] /= by;
}

// One pass: column (n) and row (m) are scratch.
static void balance(sti_conic_scaled* k, const sti_conic* program, const unsigned char* bound, double* column,
                    double* row) {
    memset(column, 0, (size_t)k->n * sizeof *column);
    memset(row, 0, (size_t)k->m * sizeof *row);
    if (k->P.rows > 0) column_norms(&k->P, NULL, column);
    column_norms(&k->A, bound, column);
    row_norms(&k->A, row);
    for (int c = 0, at = program->zero + program->nonnegative; c < program->cone_count; at += program->cone_size[c++]) {
        const double size = sti_vector_largest((size_t)program->cone_size[c], row + at);
        for (int i = 0; i < program->cone_size[c]; i++) row[at + i] = size;
    }
    for (int j = 0; j < k->n; j++) column[j] = column[j] > 0 ? 1 / sqrt(column[j]) : 1;
    for (int i = 0; i < k->m; i++) row[i] = row[i] > 0 ? 1 / sqrt(row[i]) : 1;
    if (k->P.rows > 0) multiply_sides(&k->P, column, column);
    multiply_sides(&k->A, row, column);
    for (int j = 0; j < k->n; j++) k->D[j] *= column[j];
    for (int i = 0; i < k->m; i++) k->E[i] *= row[i];
}

static sti_status equilibrate(sti_conic_scaled* k, const sti_conic* program) {
    const size_t n = (size_t)k->n, m = (size_t)k->m;
    sti_arena memory = sti_arena_make(k->env);
    double* scratch = sti_arena_raw(&memory, n + m, sizeof *scratch);
    unsigned char* bound = sti_arena_raw(&memory, m, 1);
    if (memory.status != STI_OK) {
        sti_arena_clear(&memory);
        return STI_ERR_MEMORY;
    }
    find_bounds(k, program, bound);
    for (size_t j = 0; j < n; j++) k->D[j] = 1;
    for (size_t i = 0; i < m; i++) k->E[i] = 1;
    const double p = k->P.rows > 0 ? sti_vector_largest((size_t)k->P.col_start[k->n], k->P.value) : 0;
    if (p > 0) divide_entries(&k->P, p);
    for (int pass = 0; pass < PASSES; pass++) balance(k, program, bound, scratch, scratch + n);
    sti_arena_clear(&memory);

    for (size_t j = 0; j < n; j++) k->c[j] = k->D[j] * program->c[j];
    for (size_t i = 0; i < m; i++) k->b[i] = k->E[i] * program->b[i];
    const double b = sti_vector_largest(m, k->b), c = sti_vector_largest(n, k->c);
    double curvature = k->P.rows > 0 ? sti_vector_largest((size_t)k->P.col_start[k->n], k->P.value) * p : 0;
    k->beta = 1;
    if (b > 0) k->beta = b;
    if (curvature > 0 && c > 0) k->beta = b > 0 ? sqrt(b) * sqrt(c / curvature) : c / curvature;
    curvature *= k->beta * k->beta;
    k->kappa = fmax(curvature, c * k->beta);
    k->kappa = k->kappa > 0 ? 1 / k->kappa : 1;
    sti_conic_scaled_set_c(k, program->c);
    for (size_t i = 0; i < m; i++) k->b[i] /= k->beta;
    if (p > 0) divide_entries(&k->P, 1 / (p * k->kappa * k->beta * k->beta));
    return STI_OK;
}

sti_status sti_conic_scaled_init(sti_conic_scaled* k, sti_env* env, const sti_conic* program) {
    *k = (sti_conic_scaled){.env = env, .n = program->n, .m = program->m};
    sti_status status = copy_entries(env, &program->A, k->m, k->n, &k->A);
    if (status == STI_OK && program->P.rows > 0) {
        status = copy_entries(env, &program->P, k->n, k->n, &k->P);
        if (status == STI_OK) status = sti_conic_symmetrize(env, &k->P);
    }
    k->memory = sti_arena_make(env);
    k->c = sti_arena_raw(&k->memory, (size_t)k->n, sizeof *k->c);
    k->b = sti_arena_raw(&k->memory, (size_t)k->m, sizeof *k->b);
    k->D = sti_arena_raw(&k->memory, (size_t)k->n, sizeof *k->D);
    k->E = sti_arena_raw(&k->memory, (size_t)k->m, sizeof *k->E);
    if (status == STI_OK) status = k->memory.status;
    if (status == STI_OK) status = equilibrate(k, program);
    if (status == STI_OK) status = transpose(env, &k->A, &k->At);
    if (status != STI_OK) sti_conic_scaled_clear(k);
    return status;
}

void sti_conic_scaled_set_c(sti_conic_scaled* k, const double* c) {
    for (int j = 0; j < k->n; j++) k->c[j] = k->kappa * k->beta * (k->D[j] * c[j]);
}

void sti_conic_scaled_clear(sti_conic_scaled* k) {
    if (k->env == NULL) return;
    sti_matrix_clear(k->env, &k->P);
    sti_matrix_clear(k->env, &k->A);
    sti_matrix_clear(k->env, &k->At);
    sti_arena_clear(&k->memory);
    *k = (sti_conic_scaled){0};
}

void sti_conic_scaled_leave(const sti_conic_scaled* k, double tau, const double* xh, const double* sh, const double* yh,
                            double* x, double* s, double* y) {
    for (int j = 0; x != NULL && j < k->n; j++) x[j] = k->beta * k->D[j] * (xh[j] / tau);
    for (int i = 0; s != NULL && i < k->m; i++) s[i] = k->beta * (sh[i] / tau) / k->E[i];
    for (int i = 0; y != NULL && i < k->m; i++) y[i] = k->E[i] * (yh[i] / tau) / (k->kappa * k->beta);
}

void sti_conic_scaled_enter(const sti_conic_scaled* k, const double* x, const double* s, const double* y, double* xh,
                            double* sh, double* yh) {
    for (int j = 0; x != NULL && j < k->n; j++) xh[j] = x[j] / (k->beta * k->D[j]);
    for (int i = 0; s != NULL && i < k->m; i++) sh[i] = s[i] * k->E[i] / k->beta;
    for (int i = 0; y != NULL && i < k->m; i++) yh[i] = y[i] * k->kappa * k->beta / k->E[i];
}
