// data.c: the data of a problem or an answer: there, of the right size, finite.
#include "verify/data.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/env.h"

sti_status sti_check_data_vector(sti_env* env, const char* name, const double* x, int n) {
    if (n > 0 && x == NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s is missing", name);
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i])) return STI_FAIL(env, STI_ERR_ARGUMENT, i, "%s[%d] is %g", name, i, x[i]);
    }
    return STI_OK;
}

static sti_status check_sparse(sti_env* env, const char* name, const sti_matrix* A, bool ascending) {
    if (A->col_start == NULL || A->col_start[0] != 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s has no entries", name);
    for (int j = 0; j < A->cols; j++) {
        if (A->col_start[j + 1] < A->col_start[j])
            return STI_FAIL(env, STI_ERR_ARGUMENT, j, "column %d of %s ends before it starts", j, name);
    }
    if (A->col_start[A->cols] > 0 && (A->row == NULL || A->value == NULL))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s has no entries", name);
    for (int j = 0; j < A->cols; j++) {
        for (int64_t e = A->col_start[j], last = -1; e < A->col_start[j + 1]; last = A->row[e++]) {
            if (A->row[e] < 0 || A->row[e] >= A->rows || (ascending && A->row[e] <= last))
                return STI_FAIL(env, STI_ERR_ARGUMENT, e, "%s: row %d in column %d is out of range%s", name, A->row[e],
                                j, ascending ? " or order" : "");
            if (!isfinite(A->value[e]))
                return STI_FAIL(env, STI_ERR_ARGUMENT, e, "%s[%d][%d] is %g", name, A->row[e], j, A->value[e]);
        }
    }
    return STI_OK;
}

sti_status sti_check_data_matrix(sti_env* env, const char* name, const sti_matrix* A, int rows, int cols,
                                 bool ascending) {
    if (rows == 0 || cols == 0) return STI_OK;
    if (A->rows != rows || A->cols != cols)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s is %d x %d, not %d x %d", name, A->rows, A->cols, rows, cols);
    if (A->dense == NULL) return check_sparse(env, name, A, ascending);
    const size_t count = (size_t)rows * (size_t)cols;
    for (size_t e = 0; e < count; e++) {
        if (!isfinite(A->dense[e]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, (int64_t)e, "%s[%d][%d] is %g", name, (int)(e / (size_t)cols),
                            (int)(e % (size_t)cols), A->dense[e]);
    }
    return STI_OK;
}

bool sti_check_data_finite(const double* x, int n) {
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i])) return false;
    }
    return true;
}

sti_status sti_check_refuse(bool* accepted, char* text, size_t size, const char* format, ...) {
    *accepted = false;
    va_list args;
    va_start(args, format);
    vsnprintf(text, size, format, args);
    va_end(args);
    return STI_OK;
}
