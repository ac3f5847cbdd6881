// dense.c: LU and Cholesky by LAPACK, kept in one reusable store.
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#include "linalg/lapack.h"

sti_status sti_dense_factor_init(sti_dense_factor* f, sti_env* env, int capacity) {
    *f = (sti_dense_factor){0};
    const sti_status status = sti_lapack_reserve(env);
    if (status != STI_OK) return status;
    *f = (sti_dense_factor){.env = env, .capacity = capacity};
    const size_t n = (size_t)capacity;
    // n * n fits in 62 bits; the byte count is checked by the allocator
    f->memory = sti_arena_make(env);
    f->a = sti_arena_raw(&f->memory, n * n, sizeof *f->a);
    f->pivot = sti_arena_raw(&f->memory, n, sizeof *f->pivot);
    f->work = sti_arena_raw(&f->memory, 4 * n, sizeof *f->work);
    f->iwork = sti_arena_raw(&f->memory, n, sizeof *f->iwork);
    if (f->memory.status != STI_OK) {
        sti_dense_factor_clear(f);
        return STI_ERR_MEMORY;
    }
    return STI_OK;
}

void sti_dense_factor_clear(sti_dense_factor* f) {
    if (f->env == NULL) return;
    sti_arena_clear(&f->memory);
    *f = (sti_dense_factor){0};
}

double* sti_dense_factor_load(sti_dense_factor* f, int n) {
    STI_ASSERT(n <= f->capacity);
    f->n = n;
    return f->a;
}

// The infinity norm of the rows is the 1-norm of the columns LAPACK sees.
static double row_sum_norm(int n, const double* a) {
    double norm = 0;
    for (int i = 0; i < n; i++) {
        const double* ai = a + (size_t)i * (size_t)n;
        double sum = 0;
        for (int j = 0; j < n; j++) sum += fabs(ai[j]);
        if (!(sum <= norm)) norm = sum;
    }
    return norm;
}

bool sti_dense_factor_lu(sti_dense_factor* f) {
    f->cholesky = false;
    if (f->n == 0) return true;
    f->norm = row_sum_norm(f->n, f->a);
    return sti_lapack_lu(f->n, f->a, f->pivot) == STI_LAPACK_DONE;
}

bool sti_dense_factor_cholesky(sti_dense_factor* f) {
    f->cholesky = true;
    if (f->n == 0) return true;
    f->norm = row_sum_norm(f->n, f->a);
    // our lower triangle is the upper one of the columns LAPACK sees
    return sti_lapack_cholesky('U', f->n, f->a) == STI_LAPACK_DONE;
}

double sti_dense_factor_rcond(sti_dense_factor* f) {
    if (f->n == 0) return 1;
    return f->cholesky ? sti_lapack_cholesky_rcond('U', f->n, f->a, f->norm, f->work, f->iwork)
                       : sti_lapack_lu_rcond(f->n, f->a, f->norm, f->work, f->iwork);
}

void sti_dense_factor_solve(const sti_dense_factor* f, double* x) {
    if (f->n == 0) return;
    if (f->cholesky)
        sti_lapack_cholesky_solve('U', f->n, 1, f->a, x, f->n);
    else
        sti_lapack_lu_solve('T', f->n, 1, f->a, f->pivot, x, f->n);
}

void sti_dense_multiply(int n, const double* A, const double* x, double* y) {
    if (n > 0) sti_blas_gemv('T', n, n, 1, A, n, x, 0, y);
}

void sti_dense_multiply_transposed(int n, const double* A, const double* x, double* y) {
    if (n > 0) sti_blas_gemv('N', n, n, 1, A, n, x, 0, y);
}
