// svd.c: dense algebra on small matrices, over LAPACK.
#include "linalg/svd.h"

#include <math.h>
#include <string.h>

#include "linalg/lapack.h"

double sti_small_norm(int n, const double* x) {
    double size = sti_small_max((size_t)n, x), sum = 0;
    if (size == 0) return 0;
    for (int i = 0; i < n; i++) sum += (x[i] / size) * (x[i] / size);
    return size * sqrt(sum);
}

// LAPACK sees the row-major A as A' and returns A' = V S U': its left vectors, by columns, are our rows of V.
sti_status sti_svd_make(sti_arena* pool, int m, int n, const double* A, double tol, sti_svd* out) {
    const int least = m < n ? m : n, most = m > n ? m : n;
    *out = (sti_svd){.m = m, .n = n};
    out->s = sti_arena_doubles(pool, (size_t)least);
    out->U = sti_arena_doubles(pool, (size_t)m * (size_t)m);
    out->V = sti_arena_doubles(pool, (size_t)n * (size_t)n);
    double* a = sti_arena_copy(pool, A, (size_t)m * (size_t)n);
    const int lwork = 8 * most + 64;
    double* work = sti_arena_doubles(pool, (size_t)lwork);
    if (pool->status != STI_OK) return pool->status;
    if (least == 0) {
        for (int i = 0; i < m; i++) out->U[(size_t)i * m + i] = 1;
        for (int i = 0; i < n; i++) out->V[(size_t)i * n + i] = 1;
        return STI_OK;
    }
    sti_status status = sti_lapack_reserve(pool->env);
    if (status == STI_OK)
        status = sti_lapack_status(pool->env, sti_lapack_svd(n, m, a, out->s, out->V, out->U, work, lwork),
                                   "singular values of a %d x %d matrix", m, n);
    if (status != STI_OK) return pool->status = status;
    while (out->rank < least && out->s[out->rank] > tol * out->s[0]) out->rank++;
    return STI_OK;
}

void sti_svd_solve(const sti_svd* f, const double* b, double* x) {
    memset(x, 0, (size_t)f->n * sizeof *x);
    for (int k = 0; k < f->rank; k++) {
        double c = 0;
        for (int i = 0; i < f->m; i++) c += f->U[(size_t)i * f->m + k] * b[i];
        c /= f->s[k];
        for (int j = 0; j < f->n; j++) x[j] += c * f->V[(size_t)k * f->n + j];
    }
}

void sti_svd_solve_transposed(const sti_svd* f, const double* b, double* y) {
    memset(y, 0, (size_t)f->m * sizeof *y);
    for (int k = 0; k < f->rank; k++) {
        const double c = sti_small_dot(f->n, f->V + (size_t)k * f->n, b) / f->s[k];
        for (int i = 0; i < f->m; i++) y[i] += c * f->U[(size_t)i * f->m + k];
    }
}

double sti_svd_outside(const sti_svd* f, const double* b, double* r) {
    memset(r, 0, (size_t)f->m * sizeof *r);
    for (int k = f->rank; k < f->m; k++) {
        double c = 0;
        for (int i = 0; i < f->m; i++) c += f->U[(size_t)i * f->m + k] * b[i];
        for (int i = 0; i < f->m; i++) r[i] += c * f->U[(size_t)i * f->m + k];
    }
    const double size = sti_small_norm(f->m, b);
    return size > 0 ? sti_small_norm(f->m, r) / size : 0;
}

sti_status sti_svd_pinv(sti_arena* pool, const sti_svd* f, double** out) {
    double* X = *out = sti_arena_doubles(pool, (size_t)f->n * (size_t)f->m);
    if (X == NULL) return pool->status;
    for (int k = 0; k < f->rank; k++) {
        for (int j = 0; j < f->n; j++) {
            const double c = f->V[(size_t)k * f->n + j] / f->s[k];
            for (int i = 0; i < f->m; i++) X[(size_t)j * f->m + i] += c * f->U[(size_t)i * f->m + k];
        }
    }
    return STI_OK;
}

// Rows and columns in turn by the root of their largest entry, which tends to largest entries of one (Ruiz 2001).
sti_status sti_small_equilibrate(sti_arena* pool, int m, int n, const double* A, double* row, double* column) {
    enum { SWEEPS = 12 };
    double *most = sti_arena_doubles(pool, (size_t)m + (size_t)n), *wide = most + m;
    if (pool->status != STI_OK) return pool->status;
    for (int i = 0; i < m; i++) row[i] = 1;
    for (int j = 0; j < n; j++) column[j] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        memset(most, 0, ((size_t)m + (size_t)n) * sizeof *most);
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                const double entry = fabs(A[(size_t)i * (size_t)n + (size_t)j]) * row[i] * column[j];
                most[i] = fmax(most[i], entry);
                wide[j] = fmax(wide[j], entry);
            }
        }
        for (int i = 0; i < m; i++) row[i] /= most[i] > 0 ? sqrt(most[i]) : 1;
        for (int j = 0; j < n; j++) column[j] /= wide[j] > 0 ? sqrt(wide[j]) : 1;
    }
    return STI_OK;
}

sti_status sti_small_rank(sti_arena* pool, int m, int n, const double* A, int* rank) {
    sti_svd f;
    double *scaled = sti_arena_copy(pool, A, (size_t)m * (size_t)n), *row = sti_arena_doubles(pool, (size_t)m);
    double* column = sti_arena_doubles(pool, (size_t)n);
    if (pool->status != STI_OK) return pool->status;
    sti_status status = sti_small_equilibrate(pool, m, n, A, row, column);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) scaled[(size_t)i * (size_t)n + (size_t)j] *= row[i] * column[j];
    if (status == STI_OK) status = sti_svd_make(pool, m, n, scaled, STI_SMALL_RANK_TOL, &f);
    *rank = status == STI_OK ? f.rank : 0;
    return status;
}

sti_status sti_small_eigen(sti_arena* pool, int n, const double* A, double* w, double* V) {
    const int lwork = 8 * n + 8;
    double* work = sti_arena_doubles(pool, (size_t)lwork);
    if (work == NULL) return pool->status;
    memcpy(V, A, (size_t)n * (size_t)n * sizeof *V);
    sti_status status = sti_lapack_reserve(pool->env);
    if (status == STI_OK && n > 0)
        status = sti_lapack_status(pool->env, sti_lapack_symmetric_eigen(true, n, V, w, work, lwork),
                                   "eigenvalues of order %d", n);
    return pool->status = status;
}

sti_status sti_small_inverse(sti_arena* pool, int n, const double* A, double* inverse, bool* definite) {
    double* L = sti_arena_copy(pool, A, (size_t)n * (size_t)n);
    if (L == NULL) return pool->status;
    *definite = true;
    if (n == 0) return STI_OK;
    if (sti_lapack_reserve(pool->env) != STI_OK) return pool->status = STI_ERR_MEMORY;
    const int end = sti_lapack_cholesky('L', n, L);
    *definite = end == STI_LAPACK_DONE;
    if (end == STI_LAPACK_NOT_FINITE) return pool->status = sti_lapack_status(pool->env, end, "inverse of order %d", n);
    if (!*definite) return STI_OK;
    memset(inverse, 0, (size_t)n * (size_t)n * sizeof *inverse);
    for (int i = 0; i < n; i++) inverse[(size_t)i * n + i] = 1;
    sti_lapack_cholesky_solve('L', n, n, L, inverse, n);
    return STI_OK;
}

sti_status sti_small_canonical(sti_arena* pool, int count, int n, double* V) {
    double* P = sti_arena_doubles(pool, (size_t)n * (size_t)n);  // projector on what is left, its rows the projections
    if (P == NULL) return pool->status;
    sti_small_multiply_tn(n, count, n, V, V, P);
    for (int k = 0; k < count; k++) {
        double most = 0;
        for (int i = 0; i < n; i++) most = fmax(most, P[(size_t)i * n + i]);  // squared length of projection i
        int i = 0;
        while (i < n - 1 && P[(size_t)i * n + i] < (1 - 1e-6) * most) i++;
        double* v = V + (size_t)k * (size_t)n;
        memcpy(v, P + (size_t)i * (size_t)n, (size_t)n * sizeof *v);
        const double size = sti_small_norm(n, v);
        for (int j = 0; j < n && size > 0; j++) v[j] /= size;
        for (int h = 0; h < n; h++)
            for (int j = 0; j < n; j++) P[(size_t)h * n + j] -= v[h] * v[j];
    }
    return STI_OK;
}
