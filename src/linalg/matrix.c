// matrix.c: dense and sparse matrices as the public header shows them.
#include "linalg/matrix.h"

#include <string.h>

#include "base/env.h"

sti_matrix sti_matrix_dense_view(int rows, int cols, double* entries) {
    return (sti_matrix){.rows = rows, .cols = cols, .dense = entries};
}

bool sti_matrix_is_sparse(const sti_matrix* A) {
    return A->dense == NULL && A->col_start != NULL;
}

double sti_matrix_get(const sti_matrix* A, int i, int j) {
    if (A->dense != NULL) return A->dense[(size_t)i * (size_t)A->cols + (size_t)j];
    if (A->col_start == NULL) return 0;
    for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
        if (A->row[k] == i) return A->value[k];
    }
    return 0;
}

void sti_matrix_clear(sti_env* env, sti_matrix* A) {
    sti_free(env, A->dense);
    sti_free(env, A->col_start);
    sti_free(env, A->row);
    sti_free(env, A->value);
    *A = (sti_matrix){0};
}

sti_status sti_matrix_to_dense(sti_env* env, const sti_matrix* A, sti_matrix* out) {
    *out = (sti_matrix){.rows = A->rows, .cols = A->cols};
    const size_t cols = (size_t)A->cols, count = (size_t)A->rows * cols;
    out->dense = sti_alloc_array_zero(env, count, sizeof(double));
    if (out->dense == NULL) {
        *out = (sti_matrix){0};
        return STI_ERR_MEMORY;
    }
    if (A->dense != NULL) {
        memcpy(out->dense, A->dense, count * sizeof(double));
    } else if (A->col_start != NULL) {
        for (int j = 0; j < A->cols; j++) {
            for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++)
                out->dense[(size_t)A->row[k] * cols + (size_t)j] += A->value[k];
        }
    }
    return STI_OK;
}

sti_status sti_matrix_to_sparse(sti_env* env, const sti_matrix* A, sti_matrix* out) {
    *out = (sti_matrix){.rows = A->rows, .cols = A->cols};
    int64_t nnz = 0;
    const size_t cols = (size_t)A->cols, count = (size_t)A->rows * cols;
    const bool sparse = sti_matrix_is_sparse(A);
    if (sparse)
        nnz = A->col_start[A->cols];
    else if (A->dense != NULL) {
        for (size_t k = 0; k < count; k++) nnz += A->dense[k] != 0;
    }
    out->col_start = sti_alloc_array_zero(env, cols + 1, sizeof *out->col_start);
    out->row = sti_alloc_array(env, (size_t)nnz, sizeof *out->row);
    out->value = sti_alloc_array(env, (size_t)nnz, sizeof *out->value);
    if (out->col_start == NULL || out->row == NULL || out->value == NULL) {
        sti_matrix_clear(env, out);
        return STI_ERR_MEMORY;
    }
    if (sparse) {
        memcpy(out->col_start, A->col_start, (cols + 1) * sizeof *out->col_start);
        memcpy(out->row, A->row, (size_t)nnz * sizeof *out->row);
        memcpy(out->value, A->value, (size_t)nnz * sizeof *out->value);
        return STI_OK;
    }
    int64_t at = 0;
    for (size_t j = 0; j < cols; j++) {
        for (size_t i = 0; A->dense != NULL && i < (size_t)A->rows; i++) {
            const double v = A->dense[i * cols + j];
            if (v != 0) {
                out->row[at] = (int)i;
                out->value[at++] = v;
            }
        }
        out->col_start[j + 1] = at;
    }
    return STI_OK;
}

void sti_matrix_multiply_add(const sti_matrix* A, const double* x, double* y) {
    if (A->dense != NULL) {
        const size_t cols = (size_t)A->cols;
        for (size_t i = 0; i < (size_t)A->rows; i++) {
            const double* Ai = A->dense + i * cols;
            double s = 0;
            for (size_t j = 0; j < cols; j++) s += Ai[j] * x[j];
            y[i] += s;
        }
    } else if (A->col_start != NULL) {
        for (int j = 0; j < A->cols; j++) {
            for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) y[A->row[k]] += A->value[k] * x[j];
        }
    }
}

void sti_matrix_multiply_transposed_add(const sti_matrix* A, const double* x, double* y) {
    for (size_t i = 0; A->dense != NULL && i < (size_t)A->rows; i++) {
        const double* Ai = A->dense + i * (size_t)A->cols;
        for (int j = 0; j < A->cols; j++) y[j] += Ai[j] * x[i];
    }
    for (int j = 0; A->dense == NULL && A->col_start != NULL && j < A->cols; j++) {
        double sum = 0;
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) sum += A->value[k] * x[A->row[k]];
        y[j] += sum;
    }
}

// A counting sort of the entries.
void sti_matrix_by_rows(const sti_matrix* A, int64_t* start, int* col, double* value) {
    const size_t rows = (size_t)A->rows;
    for (size_t i = 0; i <= rows; i++) start[i] = 0;
    for (int64_t e = 0; e < A->col_start[A->cols]; e++) start[A->row[e] + 1]++;
    for (size_t i = 0; i < rows; i++) start[i + 1] += start[i];
    // start[i] moves through row i, and ends where row i + 1 begins
    for (int j = 0; j < A->cols; j++) {
        for (int64_t e = A->col_start[j]; e < A->col_start[j + 1]; e++) {
            const int64_t at = start[A->row[e]]++;
            col[at] = j;
            value[at] = A->value[e];
        }
    }
    for (size_t i = rows; i > 0; i--) start[i] = start[i - 1];
    start[0] = 0;
}
