// principal.c: gather a block, factor it, solve with it.
#include "linalg/principal.h"

#include <string.h>

#include "linalg/matrix.h"

sti_status sti_principal_init(sti_principal* p, sti_env* env, const sti_matrix* M, bool symmetric) {
    const int n = M->rows;
    const bool sparse = sti_matrix_is_sparse(M);
    *p = (sti_principal){.env = env, .n = n, .M = M, .symmetric = symmetric};
    p->index = sti_alloc_array(env, (size_t)n, sizeof *p->index);
    p->packed = sti_alloc_array(env, (size_t)n, sizeof *p->packed);
    sti_status status = STI_OK;
    if (p->index == NULL || p->packed == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK && sparse) status = sti_ldl_init(&p->ldl, env, n, M->col_start, M->row);
    if (status == STI_OK && !sparse) status = sti_dense_factor_init(&p->dense, env, n);
    if (status != STI_OK) sti_principal_clear(p);
    return status;
}

void sti_principal_clear(sti_principal* p) {
    if (p->env == NULL) return;
    sti_dense_factor_clear(&p->dense);
    sti_ldl_clear(&p->ldl);
    sti_free(p->env, p->index);
    sti_free(p->env, p->packed);
    *p = (sti_principal){0};
}

static void gather_dense(sti_principal* p, const double* E) {
    const size_t n = (size_t)p->n;
    const int count = p->count;
    double* to = sti_dense_factor_load(&p->dense, count);
    for (int k = 0; k < count; k++, to += count) {
        const double* Mi = p->M->dense + (size_t)p->index[k] * n;
        if (count == p->n)
            memcpy(to, Mi, n * sizeof *to);
        else
            for (int l = 0; l < count; l++) to[l] = Mi[p->index[l]];
        if (E != NULL) to[k] += E[p->index[k]];
    }
}

static bool factor_dense(sti_principal* p, const double* E) {
    gather_dense(p, E);
    if (p->symmetric) {
        if (sti_dense_factor_cholesky(&p->dense)) return true;
        gather_dense(p, E);
    }
    return sti_dense_factor_lu(&p->dense);
}

static bool factor_sparse(sti_principal* p, const unsigned char* alpha, const double* E) {
    const sti_matrix* M = p->M;
    for (int j = 0; j < p->n; j++) {
        const bool in = alpha == NULL || alpha[j] != 0;
        for (int64_t k = M->col_start[j]; k < M->col_start[j + 1]; k++) {
            const int i = M->row[k];
            double v = in && (alpha == NULL || alpha[i] != 0) ? M->value[k] : 0;
            if (i == j) v = !in ? 1 : E != NULL ? v + E[j] : v;
            p->ldl.value[k] = v;
        }
    }
    return sti_ldl_factor(&p->ldl) < 0;
}

bool sti_principal_factor(sti_principal* p, const unsigned char* alpha, const double* E) {
    p->count = 0;
    for (int i = 0; i < p->n; i++) {
        if (alpha == NULL || alpha[i] != 0) p->index[p->count++] = i;
    }
    return sti_matrix_is_sparse(p->M) ? factor_sparse(p, alpha, E) : factor_dense(p, E);
}

double sti_principal_rcond(sti_principal* p) {
    return sti_matrix_is_sparse(p->M) ? sti_ldl_pivot_ratio(&p->ldl) : sti_dense_factor_rcond(&p->dense);
}

void sti_principal_solve(sti_principal* p, double* x) {
    if (sti_matrix_is_sparse(p->M)) {
        memset(p->packed, 0, (size_t)p->n * sizeof *p->packed);
        for (int k = 0; k < p->count; k++) p->packed[p->index[k]] = x[p->index[k]];
        sti_ldl_solve(&p->ldl, p->packed);
        for (int k = 0; k < p->count; k++) x[p->index[k]] = p->packed[p->index[k]];
    } else {
        for (int k = 0; k < p->count; k++) p->packed[k] = x[p->index[k]];
        sti_dense_factor_solve(&p->dense, p->packed);
        for (int k = 0; k < p->count; k++) x[p->index[k]] = p->packed[k];
    }
}

void sti_principal_multiply(const sti_principal* p, const double* x, double* y) {
    if (!sti_matrix_is_sparse(p->M)) {
        sti_dense_multiply(p->n, p->M->dense, x, y);
        return;
    }
    memset(y, 0, (size_t)p->n * sizeof *y);
    sti_matrix_multiply_add(p->M, x, y);
}

void sti_principal_multiply_transposed(const sti_principal* p, const double* x, double* y) {
    if (p->symmetric)
        sti_principal_multiply(p, x, y);  // a sparse M is symmetric
    else
        sti_dense_multiply_transposed(p->n, p->M->dense, x, y);
}

bool sti_principal_is_positive(sti_principal* p, double shift) {
    const size_t n = (size_t)p->n;
    if (sti_matrix_is_sparse(p->M)) {
        for (size_t i = 0; i < n; i++) p->packed[i] = shift;
        return factor_sparse(p, NULL, p->packed) && sti_ldl_nonpositive_count(&p->ldl) == 0;
    }
    const double* M = p->M->dense;
    double* S = sti_dense_factor_load(&p->dense, p->n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) S[i * n + j] = 0.5 * (M[i * n + j] + M[j * n + i]);
        S[i * n + i] = M[i * n + i] + shift;
    }
    // Cholesky reads the lower triangle; the norm it records on the way would read the upper one too
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) S[i * n + j] = 0;
    }
    return sti_dense_factor_cholesky(&p->dense);
}
