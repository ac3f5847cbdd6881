// posed.c: is the contact problem well posed as data? The error names field, index and value.
#include "contact/posed.h"

#include <math.h>

#include "linalg/check.h"

sti_status sti_contact_check(sti_env* env, const sti_contact_problem* p) {
    if (p->dimension != 2 && p->dimension != 3)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "dimension is %d, must be 2 or 3", p->dimension);
    if (p->contact_count < 0 || p->bilateral_count < 0 || p->velocity_count < 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "counts must not be negative");
    const int n = p->dimension * p->contact_count, nb = p->bilateral_count, nv = p->velocity_count;
    sti_status status = sti_vector_check(env, "mu", p->mu, p->contact_count);
    for (int c = 0; c < p->contact_count && status == STI_OK; c++) {
        if (p->mu[c] < 0)
            status = STI_FAIL(env, STI_ERR_ARGUMENT, c, "mu[%d] is %g, must not be negative", c, p->mu[c]);
    }
    for (int c = 0; c < p->contact_count && status == STI_OK && p->section != NULL; c++) {
        status = sti_section_check(env, &p->section[c]);
        if (status != STI_OK) break;
        if (p->dimension != 3 && p->section[c].shape != STI_SECTION_DISC)
            status = STI_FAIL(env, STI_ERR_ARGUMENT, c, "section[%d]: contacts in the plane have none", c);
    }
    if (status != STI_OK) return status;
    if (p->global) {
        status = sti_matrix_check(env, "M", &p->M, nv, nv, false);
        if (status == STI_OK) status = sti_matrix_check(env, "H", &p->H, nv, n, false);
        if (status == STI_OK) status = sti_matrix_check(env, "G", &p->G, nv, nb, false);
        if (status == STI_OK) status = sti_vector_check(env, "f", p->f, nv);
        if (status == STI_OK) status = sti_vector_check(env, "w", p->w, n);
        if (status == STI_OK) status = sti_vector_check(env, "b", p->b, nb);
        return status;
    }
    if (p->W_op == NULL)
        status = sti_matrix_check(env, "W", &p->W, n, n, false);
    else
        status = sti_vector_check(env, "diagonal of W", p->W_op->diagonal, n * p->dimension);
    if (status == STI_OK) status = sti_vector_check(env, "q", p->q, n);
    if (status == STI_OK) status = sti_matrix_check(env, "V", &p->V, n, nb, false);
    if (status == STI_OK) status = sti_matrix_check(env, "R", &p->R, nb, nb, false);
    if (status == STI_OK) status = sti_vector_check(env, "s", p->s, nb);
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
