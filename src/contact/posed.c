// posed.c: is the contact problem well posed as data? The error names field, index and value.
#include "contact/posed.h"

#include <math.h>

static sti_status check_vector(sti_env* env, const char* name, const double* v, int n) {
    if (n > 0 && v == NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s is missing", name);
    for (int i = 0; i < n; i++) {
        if (!isfinite(v[i]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "%s[%d] is %g, not a finite number", name, i, v[i]);
    }
    return STI_OK;
}

static sti_status check_matrix(sti_env* env, const char* name, const sti_matrix* A, int rows, int cols) {
    if (rows == 0 || cols == 0) return STI_OK;
    if (A->rows != rows || A->cols != cols)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s is %d x %d, expected %d x %d", name, A->rows, A->cols, rows,
                        cols);
    if (A->dense != NULL) {
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < cols; j++) {
                const double x = A->dense[(size_t)i * (size_t)cols + (size_t)j];
                if (!isfinite(x))
                    return STI_FAIL(env, STI_ERR_ARGUMENT, i, "%s[%d][%d] is %g, not a finite number", name, i, j, x);
            }
        }
        return STI_OK;
    }
    if (A->col_start == NULL || A->row == NULL || A->value == NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s has no entries", name);
    for (int j = 0; j < cols; j++) {
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
            if (A->row[k] < 0 || A->row[k] >= rows)
                return STI_FAIL(env, STI_ERR_ARGUMENT, j, "%s: row index %d in column %d is out of range", name,
                                A->row[k], j);
            if (!isfinite(A->value[k]))
                return STI_FAIL(env, STI_ERR_ARGUMENT, j, "%s[%d][%d] is %g, not a finite number", name, A->row[k], j,
                                A->value[k]);
        }
    }
    return STI_OK;
}

sti_status sti_contact_check(sti_env* env, const sti_contact_problem* p) {
    if (p->dimension != 2 && p->dimension != 3)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "dimension is %d, must be 2 or 3", p->dimension);
    if (p->contact_count < 0 || p->bilateral_count < 0 || p->velocity_count < 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "counts must not be negative");
    const int n = p->dimension * p->contact_count, nb = p->bilateral_count, nv = p->velocity_count;
    sti_status status = check_vector(env, "mu", p->mu, p->contact_count);
    for (int c = 0; c < p->contact_count && status == STI_OK; c++) {
        if (p->mu[c] < 0)
            status = STI_FAIL(env, STI_ERR_ARGUMENT, c, "mu[%d] is %g, must not be negative", c, p->mu[c]);
    }
    if (status != STI_OK) return status;
    if (p->global) {
        status = check_matrix(env, "M", &p->M, nv, nv);
        if (status == STI_OK) status = check_matrix(env, "H", &p->H, nv, n);
        if (status == STI_OK) status = check_matrix(env, "G", &p->G, nv, nb);
        if (status == STI_OK) status = check_vector(env, "f", p->f, nv);
        if (status == STI_OK) status = check_vector(env, "w", p->w, n);
        if (status == STI_OK) status = check_vector(env, "b", p->b, nb);
        return status;
    }
    if (p->W_op == NULL)
        status = check_matrix(env, "W", &p->W, n, n);
    else
        status = check_vector(env, "diagonal of W", p->W_op->diagonal, n * p->dimension);
    if (status == STI_OK) status = check_vector(env, "q", p->q, n);
    if (status == STI_OK) status = check_matrix(env, "V", &p->V, n, nb);
    if (status == STI_OK) status = check_matrix(env, "R", &p->R, nb, nb);
    if (status == STI_OK) status = check_vector(env, "s", p->s, nb);
    return status;
}

double sti_contact_rho(int d, int nc, const double* q, double* rho) {
    double mean = 0;
    for (int c = 0; c < nc; c++) mean += rho[c];
    const double unit = mean > 0 ? (double)d * (double)nc / mean : 1;
    double sum = 0;
    for (int c = 0; c < nc; c++) {
        rho[c] = rho[c] > 0 ? d / rho[c] : unit;  // a contact that moves nothing borrows the unit of the others
        for (int i = 0; i < d; i++) {
            const double x = rho[c] * q[(size_t)d * (size_t)c + (size_t)i];
            sum += x * x;
        }
    }
    return sqrt(sum);
}
