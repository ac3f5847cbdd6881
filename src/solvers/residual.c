// residual.c: how well a point solves the problem, on the original data.
#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "solvers/exact_lcp.h"
#include "solvers/solvers.h"

static double max_abs(const double* x, int n, double so_far) {
    for (int i = 0; i < n; i++) so_far = fmax(so_far, fabs(x[i]));
    return so_far;
}

// y = v + A x + B z, summed in extended precision: residuals must not drown in their own rounding.
static void affine(const double* v, const sti_matrix* A, const double* x, const sti_matrix* B, const double* z,
                   int rows, double* y) {
    const sti_matrix* part[2] = {A, B};
    const double* at[2] = {x, z};
    for (int i = 0; i < rows; i++) {
        long double s = v[i];
        for (int k = 0; k < 2; k++) {
            if (part[k]->dense == NULL) continue;
            const double* row = part[k]->dense + (size_t)i * (size_t)part[k]->cols;
            for (int j = 0; j < part[k]->cols; j++) s += (long double)row[j] * at[k][j];
        }
        y[i] = (double)s;
    }
    for (int k = 0; k < 2; k++) {
        if (sti_matrix_is_sparse(part[k])) sti_matrix_multiply_add(part[k], at[k], y);
    }
}

static double worst(double a, double b) {  // NaN is the worst of all
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static void pair_residuals(const double* z, const double* w, int n, double s, double* rz, double* rw, double* gap) {
    double t = max_abs(z, n, 0);
    if (t == 0) t = 1;
    *rz = *rw = *gap = 0;
    for (int i = 0; i < n; i++) {
        *rz = worst(*rz, -z[i] / t);
        *rw = worst(*rw, -w[i] / s);
        *gap += fabs(z[i] / t) * fabs(w[i] / s);  // each factor scaled: no overflow
    }
}

double sti_lcp_point_residual(const sti_lcp* lcp, const double* z, double* w) {
    const sti_matrix none = {0};
    affine(lcp->q, &none, NULL, &lcp->M, z, lcp->n, w);
    double s = max_abs(lcp->q, lcp->n, 0), rz, rw, gap;
    pair_residuals(z, w, lcp->n, s > 0 ? s : 1, &rz, &rw, &gap);
    return worst(rz, worst(rw, gap));
}

sti_status sti_mlcp_residual(sti_env* env, const sti_mlcp* p, sti_lcp_answer* answer) {
    double s = max_abs(p->b, p->m, max_abs(p->a, p->n, 0));
    if (s == 0) s = 1;
    answer->residual_equation = 0;
    if (p->n > 0) {
        double* e = sti_alloc_array(env, (size_t)p->n, sizeof *e);
        if (e == NULL) return STI_ERR_MEMORY;
        affine(p->a, &p->A, answer->u, &p->C, answer->z, p->n, e);
        for (int i = 0; i < p->n; i++) answer->residual_equation = worst(answer->residual_equation, fabs(e[i]) / s);
        sti_free(env, e);
    }
    affine(p->b, &p->D, answer->u, &p->B, answer->z, p->m, answer->w);
    pair_residuals(answer->z, answer->w, p->m, s, &answer->residual_z, &answer->residual_w, &answer->residual_gap);
    answer->residual =
        worst(worst(answer->residual_equation, answer->residual_z), worst(answer->residual_w, answer->residual_gap));
    return STI_OK;
}

sti_status sti_lcp_residual(sti_env* env, const sti_lcp* lcp, sti_lcp_answer* answer) {
    const sti_mlcp p = sti_mlcp_from_lcp(lcp);
    return sti_mlcp_residual(env, &p, answer);
}
