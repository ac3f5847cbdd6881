// reach.c: S1 proposition 1: the restitution matrix that leads from one velocity before an impact to one after
// it.
//
// E b = -a is met by E = -a w'/(w'b) for every w with w'b != 0. With |x| = sqrt(x'G^-1 x) the norm of E is least for w
// = G^-1 b, where it is |a| / |b|: E'G^-1 E <= G^-1, no energy gained for any velocity, exactly when |a| <= |b|.
//
// Of contacts that do not move before the impact b is rounding, not 0, and a G of dependent gradients has a last pivot
// that is: both are refused.
#include <math.h>
#include <stiction/impact.h>

#include "linalg/dense.h"

static const double least_rcond = 1e-14, least_share = 1e-10;

sti_status sti_restitution_reaching(sti_env* env, int p, const double* G, const double* before, const double* after,
                                    double* E) {
    if (p < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, p, "%d contacts", p);
    sti_dense_factor f = {0};
    double* w = sti_alloc_array(env, (size_t)p, sizeof *w);
    sti_status status = w != NULL ? sti_dense_factor_init(&f, env, p) : STI_ERR_MEMORY;
    double form = 0, size = 0, wanted = 0;
    if (status == STI_OK) {
        double* A = sti_dense_factor_load(&f, p);
        for (int i = 0; i < p; i++) {
            for (int j = 0; j < p; j++) A[(size_t)i * (size_t)p + (size_t)j] = G[(size_t)i * (size_t)p + (size_t)j];
            w[i] = before[i];
            size = fmax(size, fabs(before[i]));
            wanted = fmax(wanted, fabs(after[i]));
        }
        if (!isfinite(size + wanted) || !sti_dense_factor_cholesky(&f) || !(sti_dense_factor_rcond(&f) > least_rcond))
            status =
                STI_FAIL(env, STI_ERR_INPUT, -1,
                         "G is not positive definite (gradients depend on each other), or a velocity is no number");
    }
    if (status == STI_OK && size <= least_share * wanted && wanted > 0)
        status =
            STI_FAIL(env, STI_ERR_INPUT, -1, "nothing approaches before the impact, so no restitution moves anything");
    if (status == STI_OK && size > 0) {
        sti_dense_factor_solve(&f, w);
        for (int i = 0; i < p; i++) form += w[i] * before[i];
    }
    for (int i = 0; status == STI_OK && i < p * p; i++) E[i] = form > 0 ? -after[i / p] * w[i % p] / form : 0;
    sti_dense_factor_clear(&f);
    sti_free(env, w);
    return status;
}
