// fixed_point.c: the outer loop over slips.
//
//     s <- F(s),     F_c(s) = |u_t,c(s)|,     u(s) = W r(s) + q the velocity of the convex problem of s
//         (fixed_point.h)
//
// u(s) is unique and Lipschitz in s, so F is continuous, and maps a ball to itself when the problem is strictly
// feasible without friction: there is a fixed point (Brouwer). That F contracts is not known in general, and false for
// large mu; it is what is seen for moderate ones.
//
// Departures from s <- F(s).
// D1  The convex problems are solved as far as the outer residual deserves (INNER times that), warm from the last one.
// D2  Anderson acceleration of s (anderson.h): F is smooth where modes do not change.
// D3  A step that makes the true residual grow halves the part omega of the step that is taken next, and empties the
//     memory;
//     one that reduces it lets omega grow back to 1.
//
// What an outcome proves. Solution: the natural map of the Coulomb problem itself is at most tol. Limit, stalled:
// nothing.
#include "contact/fixed_point.h"

#include <math.h>
#include <string.h>

#include "contact/anderson.h"
#include "contact/cone.h"

enum {
    CHUNK = 4096,         // numbers in a piece of the acceleration's vectors
    SHARE = 20,           // at most one part in so many of the iterations for one convex problem ...
    LEAST_BUDGET = 1000,  // ... but no less than this
};

static const double INNER = 0.1;  // accuracy of a convex problem, relative to the true residual
static const double LEAST_OMEGA = 1 / 64.;

double sti_contact_convex_map(const sti_contact_local* p, const double* s, const double* r, const double* u) {
    const int d = p->d;
    double sum = 0, size = 0;
    for (int c = 0; c < p->nc; c++) {
        const double *rc = r + (size_t)d * (size_t)c, *uc = u + (size_t)d * (size_t)c;
        double e[3] = {0};
        for (int i = 0; i < d; i++) e[i] = rc[i] - p->rho[c] * uc[i];
        e[0] -= p->rho[c] * p->mu[c] * s[c];
        sti_cone_project(d, p->mu[c], e, e);
        for (int i = 0; i < d; i++) {
            sum += (rc[i] - e[i]) * (rc[i] - e[i]);
            size += rc[i] * rc[i];
        }
    }
    const double unit = fmax(sqrt(size), p->scale);
    return unit > 0 ? sqrt(sum) / unit : sqrt(sum);
}

typedef struct outer {
    sti_contact_watch* watch;
    sti_anderson acceleration;
    double* s;     // slips                          (nc)
    double* slip;  // |u_t| of the last solution     (nc)
    double* step;  // slip - s                       (nc)
    double* r;     //                                (d nc)
    double* u;     //                                (d nc)
    double omega;  // part of a step that is taken
} outer;

static void slips_of(const sti_contact_local* p, const double* u, double* s) {
    for (int c = 0; c < p->nc; c++) s[c] = sti_cone_slip(p->d, u + (size_t)p->d * (size_t)c);
}

// D1: the convex problem of s. *residual: the true one of its solution, which the watch has seen.
static sti_status solve_convex(outer* k, const sti_contact_convex* convex, double* residual) {
    sti_contact_watch* watch = k->watch;
    const double tol = INNER * fmax(*residual, watch->options->tol);
    const long left = watch->limit - watch->run->iterations;
    long budget = watch->limit / SHARE, spent = 0;
    if (budget < LEAST_BUDGET) budget = LEAST_BUDGET;
    const sti_status status = convex->solve(convex->user, k->s, tol, budget < left ? budget : left, k->r, k->u, &spent);
    if (status != STI_OK) return status;
    watch->run->iterations += spent > 0 ? spent : 1;
    *residual = sti_contact_watch_point(watch, k->r, k->u);
    return STI_OK;
}

// D2, D3: the next slips; never negative, and never far beyond the ones seen.
static void renew_slips(outer* k, double before, double after) {
    const sti_contact_local* p = k->watch->p;
    if (!(after <= before)) {
        k->omega = fmax(0.5 * k->omega, LEAST_OMEGA);
        sti_anderson_forget(&k->acceleration);
    } else {
        k->omega = fmin(1.5 * k->omega, 1);
    }
    slips_of(p, k->u, k->slip);
    for (int c = 0; c < p->nc; c++) k->step[c] = k->slip[c] - k->s[c];
    sti_anderson_push(&k->acceleration, k->step, k->slip);
    for (int c = 0; c < p->nc; c++) k->step[c] = k->s[c];
    if (!sti_anderson_mix(&k->acceleration, k->s)) memcpy(k->s, k->slip, (size_t)p->nc * sizeof *k->s);
    for (int c = 0; c < p->nc; c++) {
        const double s = k->step[c] + k->omega * (k->s[c] - k->step[c]), most = 2 * fmax(k->slip[c], k->step[c]);
        k->s[c] = fmin(fmax(s, 0), most);
    }
}

sti_status sti_contact_fixed_point(sti_contact_watch* watch, const sti_contact_convex* convex) {
    const sti_contact_local* p = watch->p;
    const size_t nc = (size_t)p->nc, n = (size_t)(p->d * p->nc);
    outer k = {.watch = watch, .omega = 1};
    k.s = sti_alloc_array(p->env, 3 * nc + 2 * n, sizeof *k.s);
    if (k.s == NULL) return STI_ERR_MEMORY;
    k.slip = k.s + nc;
    k.step = k.slip + nc;
    k.r = k.step + nc;
    k.u = k.r + n;
    sti_status status = sti_anderson_create(p->env, p->nc, CHUNK, &k.acceleration);
    if (status == STI_OK) {
        sti_anderson_begin(&k.acceleration, p->nc, NULL);
        for (size_t i = 0; i < n; i++) k.r[i] = watch->run->r[i];
        slips_of(p, watch->run->u, k.s);
    }
    double residual = watch->run->residual;
    while (status == STI_OK && !sti_contact_watch_stop(watch)) {
        const double before = residual;
        status = solve_convex(&k, convex, &residual);
        if (status == STI_OK) renew_slips(&k, before, residual);
    }
    sti_anderson_destroy(p->env, &k.acceleration);
    sti_free(p->env, k.s);
    return status;
}
