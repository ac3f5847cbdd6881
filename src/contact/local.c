// local.c: the prepared local problem: its data, its operator, its natural map.
//
//     e_c = r_c - P_K(r_c - rho_c (u_c + mu_c |u_t,c| n)),  rho_c = d / trace W_cc,  residual = |e| / max(|r|, |rho q|)
//
// and |e_c| counted as at least rho_c times the penetration -u_n. The map vanishes exactly at the solutions. rho
// carries velocities to the units of r, so that a change of units, or one very heavy body, changes nothing in the
// verdict.
#include "contact/local.h"

#include <math.h>
#include <string.h>

#include "contact/posed.h"

// |x_t|. The square root of squares serves nearly always and is several times faster than hypot.
static inline double tangent_norm(int d, const double* x) {
    if (d == 2) return fabs(x[1]);
    const double square = x[1] * x[1] + x[2] * x[2];
    return square > 1e-280 && square < 1e280 ? sqrt(square) : hypot(x[1], x[2]);
}

static inline void project(int d, double mu, const double* x, double* p) {
    const double xn = x[0], norm = tangent_norm(d, x);
    if (xn >= 0 && norm <= mu * xn) {  // inside; for mu = 0 the second alone holds on the whole axis
        for (int i = 0; i < d; i++) p[i] = x[i];
        return;
    }
    if (mu * norm <= -xn) {  // in the polar cone
        for (int i = 0; i < d; i++) p[i] = 0;
        return;
    }
    const double pn = (xn + mu * norm) / (1 + mu * mu), f = norm > 0 ? mu * pn / norm : 0;
    p[0] = pn;
    for (int i = 1; i < d; i++) p[i] = f * x[i];
}

void sti_coulomb_project(int d, double mu, const double* x, double* p) {
    project(d, mu, x, p);
}

void sti_contact_local_apply(const sti_contact_local* p, const double* r, double* u) {
    if (p->op != NULL)
        p->op->apply(p->op->user, r, u);
    else
        sti_bsr_multiply(&p->W, r, u);
    for (int i = 0; i < p->d * p->nc; i++) u[i] += p->q[i];
}

double sti_contact_natural_map_one(int d, double mu, double rho, const double* r, const double* u) {
    const double slip = tangent_norm(d, u);
    if (u[0] >= 0 && slip >= 0 && r[0] == 0 && r[1] == 0 && (d == 2 || r[2] == 0)) return 0;  // parts
    double x[3] = {0}, y[3], e2 = 0;
    for (int i = 0; i < d; i++) x[i] = r[i] - rho * (u[i] + (i == 0 ? mu * slip : 0));
    project(d, mu, x, y);
    for (int i = 0; i < d; i++) e2 += (r[i] - y[i]) * (r[i] - y[i]);
    // for large mu the map sees penetration only through 1/mu: count it in full
    const double penetration = u[0] < 0 ? rho * u[0] : 0;
    return penetration * penetration > e2 ? penetration * penetration : e2;  // a NaN stays one
}

double sti_contact_natural_map(const sti_contact_local* p, const double* r, const double* u, int* worst) {
    const int d = p->d;
    double sum = 0, size = 0, largest = -1;
    if (worst != NULL) *worst = -1;
    for (int c = 0; c < p->nc; c++) {
        const double *rc = r + (size_t)d * (size_t)c, *uc = u + (size_t)d * (size_t)c;
        const double e2 = sti_contact_natural_map_one(d, p->mu[c], p->rho[c], rc, uc);
        for (int i = 0; i < d; i++) size += rc[i] * rc[i];
        sum += e2;
        if (worst != NULL && !(e2 <= largest)) {
            largest = e2;
            *worst = c;
        }
    }
    const double length = sqrt(size), unit = length < p->scale ? p->scale : length;  // fmax is a call
    return unit > 0 ? sqrt(sum) / unit : sqrt(sum);
}

sti_status sti_contact_local_finish(sti_contact_local* p) {
    const size_t nc = (size_t)p->nc, dd = (size_t)(p->d * p->d);
    p->diagonal = sti_alloc_array(p->env, nc * dd, sizeof *p->diagonal);
    p->rho = sti_alloc_array(p->env, nc, sizeof *p->rho);
    if (p->diagonal == NULL || p->rho == NULL) return STI_ERR_MEMORY;
    for (size_t c = 0; c < nc; c++) {
        const double* block = p->op != NULL ? p->op->diagonal + c * dd : p->W.block + (size_t)p->W.diagonal[c] * dd;
        memcpy(p->diagonal + c * dd, block, dd * sizeof *block);
        p->rho[c] = 0;
        for (int i = 0; i < p->d; i++) p->rho[c] += block[i * p->d + i];
    }
    p->scale = sti_contact_rho(p->d, p->nc, p->q, p->rho);
    return STI_OK;
}

void sti_contact_local_clear(sti_contact_local* p) {
    sti_bsr_clear(p->env, &p->W);
    sti_free(p->env, p->diagonal);
    sti_free(p->env, p->rho);
    p->diagonal = NULL;
    p->rho = NULL;
}
