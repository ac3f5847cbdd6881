// residual.c: how well a point solves the program, from the original data.
#include "convex/scaled.h"

double sti_quadratic_residual(const sti_quadratic* q, const double* x, double* g, double* scratch, double* value) {
    q->multiply(q->user, x, g);
    double size2 = 0, sum = 0, map2 = 0;
    for (int i = 0; i < q->n; i++) {
        sum += x[i] * (0.5 * g[i] + q->kappa[i]);
        g[i] += q->kappa[i];
        scratch[i] = x[i] - q->rho[i] * g[i];
        size2 += x[i] * x[i] / q->rho[i];
    }
    if (q->project != NULL) {
        q->project(q->user, scratch);
    } else {
        for (int i = 0; i < q->n; i++) scratch[i] = scratch[i] <= 0 ? 0 : scratch[i];
    }
    for (int i = 0; i < q->n; i++) map2 += (x[i] - scratch[i]) * (x[i] - scratch[i]) / q->rho[i];
    if (value != NULL) *value = sum;
    if (map2 == 0) return 0;
    return size2 > 0 ? sqrt(map2 / size2) : INFINITY;
}

sti_status sti_scaled_report(sti_env* env, sti_scaled* p, const double* z, double tol, double* x,
                             sti_quadratic_report* report) {
    const size_t n = (size_t)p->n;
    double* g = sti_alloc_array(env, 2 * n + 1, sizeof *g);
    if (g == NULL) return STI_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) x[i] = p->s[i] * z[i];
    report->residual = sti_quadratic_residual(p->q, x, g, g + n, &report->value);
    report->products = p->products + 1;
    report->solved = report->residual <= tol;
    sti_free(env, g);
    return STI_OK;
}
