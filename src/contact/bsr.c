// bsr.c: block-sparse rows over contacts.
#include <string.h>

#include "contact/bsr_row.h"

void sti_bsr_clear(sti_env* env, sti_bsr* A) {
    sti_free(env, A->row_start);
    sti_free(env, A->col);
    sti_free(env, A->diagonal);
    sti_free(env, A->block);
    *A = (sti_bsr){0};
}

// Is there anything in block (i, j) of the dense matrix A?
static bool block_filled(const sti_matrix* A, int d, int i, int j) {
    for (int a = 0; a < d; a++) {
        const double* row = A->dense + (size_t)(d * i + a) * (size_t)A->cols + (size_t)(d * j);
        for (int b = 0; b < d; b++) {
            if (row[b] != 0) return true;
        }
    }
    return i == j;  // diagonal blocks are always stored
}

static sti_status reserve(sti_env* env, sti_bsr* A, int64_t blocks) {
    A->col = sti_alloc_array(env, (size_t)blocks, sizeof *A->col);
    A->block = sti_alloc_array_zero(env, (size_t)blocks * (size_t)(A->d * A->d), sizeof *A->block);
    if (A->col == NULL || A->block == NULL)
        return STI_FAIL(env, STI_ERR_MEMORY, -1, "%lld blocks of W", (long long)blocks);
    return STI_OK;
}

static sti_status from_dense(sti_env* env, const sti_matrix* M, sti_bsr* A) {
    const int d = A->d;
    for (int i = 0; i < A->n; i++) {
        int64_t count = 0;
        for (int j = 0; j < A->n; j++) count += block_filled(M, d, i, j);
        A->row_start[i + 1] = A->row_start[i] + count;
    }
    const sti_status status = reserve(env, A, A->row_start[A->n]);
    if (status != STI_OK) return status;
    for (int i = 0; i < A->n; i++) {
        int64_t k = A->row_start[i];
        for (int j = 0; j < A->n; j++) {
            if (!block_filled(M, d, i, j)) continue;
            if (i == j) A->diagonal[i] = k;
            A->col[k] = j;
            for (int a = 0; a < d; a++)
                memcpy(A->block + (k * d + a) * d, M->dense + (size_t)(d * i + a) * (size_t)M->cols + (size_t)(d * j),
                       (size_t)d * sizeof(double));
            k++;
        }
    }
    return STI_OK;
}

// Compressed columns: block columns are taken one after the other, so the blocks of a row come in ascending order. d is
// a constant where this is called: its divisions are then cheap.
static inline sti_status from_sparse(sti_env* env, const sti_matrix* M, const int d, sti_bsr* A) {
    const int n = A->n;
    int* seen = sti_alloc_array(env, (size_t)n, sizeof *seen);             // last block column that touched row i
    int64_t* place = sti_alloc_array_zero(env, (size_t)n, sizeof *place);  // and its block
    sti_status status = seen != NULL && place != NULL ? STI_OK : STI_FAIL(env, STI_ERR_MEMORY, -1, "blocks of W");
    for (int pass = 0; pass < 2 && status == STI_OK; pass++) {
        for (int i = 0; i < n; i++) seen[i] = -1;
        for (int j = 0; j < n; j++) {
            for (int b = -1; b < d; b++) {
                // b = -1: the diagonal block, filled or not
                const int64_t first = b < 0 ? 0 : M->col_start[d * j + b],
                              last = b < 0 ? 1 : M->col_start[d * j + b + 1];
                for (int64_t k = first; k < last; k++) {
                    if (b >= 0 && M->value[k] == 0) continue;
                    const int row = b < 0 ? d * j : M->row[k], i = row / d;
                    if (seen[i] != j) {
                        seen[i] = j;
                        if (pass == 0) {
                            A->row_start[i + 1]++;
                        } else {
                            A->col[place[i]] = j;
                            if (i == j) A->diagonal[i] = place[i];
                            place[i]++;
                        }
                    }
                    if (pass == 1 && b >= 0) A->block[((place[i] - 1) * d + row % d) * d + b] += M->value[k];
                }
            }
        }
        if (pass == 0) {
            for (int i = 0; i < n; i++) {
                A->row_start[i + 1] += A->row_start[i];
                place[i] = A->row_start[i];
            }
            status = reserve(env, A, A->row_start[n]);
        }
    }
    sti_free(env, seen);
    sti_free(env, place);
    return status;
}

sti_status sti_bsr_from_matrix(sti_env* env, const sti_matrix* M, int d, sti_bsr* out) {
    *out = (sti_bsr){.d = d, .n = M->rows / d};
    out->row_start = sti_alloc_array_zero(env, (size_t)out->n + 1, sizeof *out->row_start);
    out->diagonal = sti_alloc_array(env, (size_t)out->n, sizeof *out->diagonal);
    sti_status status = STI_OK;
    if (out->row_start == NULL || out->diagonal == NULL) status = STI_FAIL(env, STI_ERR_MEMORY, -1, "rows of W");
    if (status == STI_OK)
        status = M->dense != NULL || M->col_start == NULL ? from_dense(env, M, out)
                 : d == 2                                 ? from_sparse(env, M, 2, out)
                                                          : from_sparse(env, M, 3, out);
    if (status != STI_OK) sti_bsr_clear(env, out);
    return status;
}

void sti_bsr_row_multiply(const sti_bsr* A, int c, const double* x, double* y) {
    for (int i = 0; i < A->d; i++) y[i] = 0;
    if (A->d == 3)
        sti_bsr_add_row_3(A, A->row_start[c], A->row_start[c + 1], x, y);
    else
        sti_bsr_add_row_2(A, A->row_start[c], A->row_start[c + 1], x, y);
}

void sti_bsr_multiply(const sti_bsr* A, const double* x, double* y) {
    for (int c = 0; c < A->n; c++) sti_bsr_row_multiply(A, c, x, y + (size_t)A->d * (size_t)c);
}
