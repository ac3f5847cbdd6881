// check.c: matrices and vectors as data: sizes, indices, finite numbers.
#include "linalg/check.h"

#include <math.h>

#include "base/env.h"

sti_status sti_vector_check(sti_env* env, const char* name, const double* v, int n) {
    if (n > 0 && v == NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s is missing", name);
    for (int i = 0; i < n; i++) {
        if (!isfinite(v[i]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "%s[%d] is %g, not a finite number", name, i, v[i]);
    }
    return STI_OK;
}

// All finite? A zero times a number is none where it is not. Four sums, so that none waits for another.
static bool all_finite(const double* v, int64_t n) {
    double zero[4] = {0};
    int64_t i = 0;
    for (; i + 3 < n; i += 4) {
        for (int k = 0; k < 4; k++) zero[k] += 0 * v[i + k];
    }
    for (; i < n; i++) zero[0] += 0 * v[i];
    return zero[0] + zero[1] + zero[2] + zero[3] == 0;
}

// Is there nothing to complain about? The same questions as below, without branches.
static bool is_sound(const sti_matrix* A) {
    unsigned bad = 0;
    for (int j = 0; j < A->cols; j++) bad |= A->col_start[j + 1] < A->col_start[j];
    if (bad != 0) return false;
    for (int64_t k = 0; k < A->col_start[A->cols]; k++) bad |= (unsigned)A->row[k] >= (unsigned)A->rows;
    return bad == 0 && all_finite(A->value, A->col_start[A->cols]);
}

static sti_status check_sparse(sti_env* env, const char* name, const sti_matrix* A, bool ascending) {
    if (A->row == NULL || A->value == NULL || A->col_start[0] != 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s: incomplete sparse matrix", name);
    if (!ascending && is_sound(A)) return STI_OK;
    for (int j = 0; j < A->cols; j++) {
        if (A->col_start[j + 1] < A->col_start[j])
            return STI_FAIL(env, STI_ERR_ARGUMENT, j, "%s: column %d ends before it starts", name, j);
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
            if (A->row[k] < 0 || A->row[k] >= A->rows ||
                (ascending && k > A->col_start[j] && A->row[k] <= A->row[k - 1]))
                return STI_FAIL(env, STI_ERR_ARGUMENT, j, "%s: row index %d in column %d is out of range%s", name,
                                A->row[k], j, ascending ? " or out of order" : "");
            if (!isfinite(A->value[k]))
                return STI_FAIL(env, STI_ERR_ARGUMENT, k, "%s[%d][%d] is %g, not a finite number", name, A->row[k], j,
                                A->value[k]);
        }
    }
    return STI_OK;
}

sti_status sti_matrix_check(sti_env* env, const char* name, const sti_matrix* A, int rows, int cols, bool ascending) {
    if (rows == 0 || cols == 0) return STI_OK;
    if (A->rows != rows || A->cols != cols)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s is %d x %d, expected %d x %d", name, A->rows, A->cols, rows,
                        cols);
    if (A->dense == NULL && A->col_start == NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s has no entries", name);
    if (A->dense == NULL) return check_sparse(env, name, A, ascending);
    for (int i = 0; i < rows; i++) {
        const double* Ai = A->dense + (size_t)i * (size_t)cols;
        for (int j = 0; j < cols; j++) {
            if (!isfinite(Ai[j]))
                return STI_FAIL(env, STI_ERR_ARGUMENT, i, "%s[%d][%d] is %g, not a finite number", name, i, j, Ai[j]);
        }
    }
    return STI_OK;
}
