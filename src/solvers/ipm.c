// ipm.c: interior-point method for monotone LCPs, on the homogeneous model.
//
//     w = M z + q,   0 <= w _|_ z >= 0,        M + M' positive semidefinite
//
// Source: Andersen & Ye, "On a homogeneous algorithm for the monotone complementarity problem", Math. Programming 84
// (1999), their (HMCP) with f(z) = M z + q. One more pair (tau, kappa) makes the problem homogeneous:
//
//     w     = M z + q tau                   0 <= z _|_ w >= 0
//     kappa = -z'M z / tau - q'z            0 <= tau _|_ kappa >= 0                                    (H)
//
// which always has solutions, and for a monotone M the iterates tend to one of the two kinds:
//
//     tau > 0     z / tau solves the LCP
//     kappa > 0   z'M z = 0, so (M + M') z = 0 and M'z = -M z = -w <= 0, with q'z = -kappa < 0:
//                 v = z is a Farkas vector (v >= 0, M'v <= 0, q'v < 0) and the LCP is not even feasible
//
// (a feasible monotone LCP is solvable, and an infeasible one has a Farkas vector, so there is no third kind).
// Steps (Mehrotra's predictor and corrector), with residuals r = M z + q tau - w, r_k = -z'Mz/tau - q'z - kappa:
//
//     M dz + q dtau - dw = -eta r
//     g'dz + g_t dtau - dkappa = -eta r_k,        g = -(M + M') z / tau - q,   g_t = z'M z / tau^2            (N)
//     W dz + Z dw = sigma mu e - Z w - (dz dw),   kappa dtau + tau dkappa = sigma mu - tau kappa - (dtau dkappa)
//
// (the products in brackets from the predictor). Eliminating dw, dkappa leaves two right sides for the principal system
// M + Z^-1 W, which is positive definite, and one scalar equation for dtau.
//
// What an outcome proves. Solution: the residual on the original data is at most tol. Ray: answer->ray.dz = v meets the
// Farkas conditions to about 1e-9; if it meets them exactly, the caller's business, there is no solution. Limit or
// stalled: nothing.
//
// Cost: 10 to 25 factorizations of order n: 2/3 n^3 flops dense, half of it when M is symmetric, one L D L' each (one
// ordering in all) when M is sparse and symmetric.
//
// Departures:
// D1  M not monotone (Cholesky of its symmetric part fails): (H) loses its meaning, and tau = 1, kappa = 0 are kept,
//     the plain infeasible method. Often works for P-matrices; the reason says that nothing is guaranteed.
// D2  one step length for all variables, cut until every product z_i w_i is at least a thousandth of their mean; a
//     short step is followed by one of centering.
// D3  once the set {z_i > w_i} stands still, the point of that active set is tried: a nondegenerate problem ends there,
//     with rounding errors only.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/vector.h"
#include "solvers/trial.h"

enum {
    DEFAULT_LIMIT = 100,
    EXTRA = 6,     // steps after the tolerance is met
    PATIENCE = 8,  // steps without progress
};

typedef struct ipm {
    sti_trial t;
    int n;
    bool homogeneous;
    double* store;         // the vectors below                            (13 n)
    double *z, *w;         // current point of (H)                         (n)
    double *dz, *dw;       // step                                         (n)
    double *Mz, *Mtz;      // M z and M'z                                  (n)
    double *r, *g;         // of (N)                                       (n)
    double *E, *p;         // Z^-1 W, (M + E)^-1 q                         (n)
    double *rhs, *second;  // right side; predictor's dz dw                (n)
    double* best_ray;      // scaled units, largest entry 1                (n)
    double tau, kappa, dtau, dkappa;
    double r_k, g_t, second_k;
    double curvature;  // of z'M z / tau along the predictor
    double mu;
    unsigned char* last;  // active set one step ago                      (n)
    bool tried_point;     // its point was computed
    double ray_quality;   // largest (M'v)_i over -q'v of best_ray; INFINITY: none
    int extra;            // steps since the tolerance was met
} ipm;

static sti_status reserve(ipm* k, sti_env* env) {
    const size_t n = (size_t)k->n;
    k->store = sti_alloc_array_zero(env, 13 * n, sizeof *k->store);
    k->last = sti_alloc_array_zero(env, n, sizeof *k->last);
    if (k->store == NULL || k->last == NULL) return STI_ERR_MEMORY;
    double** vectors[] = {&k->z, &k->w, &k->dz, &k->dw,  &k->Mz,     &k->Mtz,     &k->r,
                          &k->g, &k->E, &k->p,  &k->rhs, &k->second, &k->best_ray};
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) *vectors[v] = k->store + v * n;
    return STI_OK;
}

// All ones, or the given point pushed inside by as much as it violates the conditions.
static void start(ipm* k) {
    sti_trial* t = &k->t;
    double push = 1;
    if (t->options->start != NULL) {
        sti_scaled_lcp_enter(&t->p, t->options->start, k->z);
        sti_trial_slack(t, k->z, k->w);
        push = 0;
        for (int i = 0; i < k->n; i++) push = fmax(push, fabs(fmin(k->z[i], k->w[i])));
        push = fmin(fmax(push, 1e-2), 1e3);
    }
    for (int i = 0; i < k->n; i++) {
        k->z[i] = fmax(k->z[i], push);
        k->w[i] = fmax(k->w[i], push);
    }
    k->tau = 1;
    k->kappa = k->homogeneous ? sti_vector_dot((size_t)k->n, k->z, k->w) / k->n : 0;
}

// Everything that depends on the point alone.
static void evaluate(ipm* k) {
    const int n = k->n;
    const double* q = k->t.p.q;
    sti_principal_multiply(&k->t.system, k->z, k->Mz);
    if (k->t.p.symmetric)
        memcpy(k->Mtz, k->Mz, (size_t)n * sizeof *k->Mz);
    else
        sti_principal_multiply_transposed(&k->t.system, k->z, k->Mtz);
    const double zMz = sti_vector_dot((size_t)n, k->z, k->Mz);
    for (int i = 0; i < n; i++) {
        k->r[i] = k->Mz[i] + q[i] * k->tau - k->w[i];
        k->g[i] = -(k->Mz[i] + k->Mtz[i]) / k->tau - q[i];
    }
    k->r_k = -zMz / k->tau - sti_vector_dot((size_t)n, q, k->z) - k->kappa;
    k->g_t = zMz / (k->tau * k->tau);
    k->mu = (sti_vector_dot((size_t)n, k->z, k->w) + k->tau * k->kappa) / (k->homogeneous ? n + 1 : n);
}

// M + Z^-1 W, and p. False: breakdown.
static bool factor(ipm* k) {
    for (int i = 0; i < k->n; i++) k->E[i] = k->w[i] / k->z[i];
    if (!sti_principal_factor(&k->t.system, NULL, k->E)) return false;
    memcpy(k->p, k->t.p.q, (size_t)k->n * sizeof *k->p);
    sti_principal_solve(&k->t.system, k->p);
    return true;
}

// dz + p dtau = (M + E)^-1 rhs, and dtau from the scalar equation left by the elimination.
static void solve_bordered(ipm* k, const double* rhs, double rhs_k) {
    memcpy(k->dz, rhs, (size_t)k->n * sizeof *k->dz);
    sti_principal_solve(&k->t.system, k->dz);
    k->dtau = 0;
    if (!k->homogeneous) return;
    const double pivot = k->kappa / k->tau + k->g_t - sti_vector_dot((size_t)k->n, k->g, k->p);
    k->dtau = (rhs_k - sti_vector_dot((size_t)k->n, k->g, k->dz)) / pivot;
    for (int i = 0; i < k->n; i++) k->dz[i] -= k->p[i] * k->dtau;
}

// The step (N). dw comes from the first line, so that linear residuals shrink as they should whatever the error of dz;
// one round of refinement keeps that error small in the third.
static void direction(ipm* k, double sigma, double eta) {
    const int n = k->n;
    const double* q = k->t.p.q;
    for (int i = 0; i < n; i++) k->rhs[i] = (sigma * k->mu - k->second[i]) / k->z[i] - k->w[i] - eta * k->r[i];
    const double rhs_k = (sigma * k->mu - k->second_k) / k->tau - k->kappa - eta * k->r_k + k->curvature;
    solve_bordered(k, k->rhs, rhs_k);
    sti_principal_multiply(&k->t.system, k->dz, k->dw);
    for (int i = 0; i < n; i++) k->rhs[i] -= k->dw[i] + k->E[i] * k->dz[i] + q[i] * k->dtau;
    sti_principal_solve(&k->t.system, k->rhs);
    for (int i = 0; i < n; i++) k->dz[i] += k->rhs[i];
    sti_principal_multiply(&k->t.system, k->dz, k->dw);
    for (int i = 0; i < n; i++) k->dw[i] += q[i] * k->dtau + eta * k->r[i];
    k->dkappa =
        k->homogeneous ? sti_vector_dot((size_t)n, k->g, k->dz) + k->g_t * k->dtau + eta * k->r_k - k->curvature : 0;
}

static double ratio(double x, double dx, double so_far) {
    return dx < 0 && -x / dx < so_far ? -x / dx : so_far;
}

// Largest step to the boundary, at most 1.
static double boundary(const ipm* k) {
    double a = ratio(k->tau, k->dtau, 1);
    a = ratio(k->kappa, k->dkappa, a);
    for (int i = 0; i < k->n; i++) {
        a = ratio(k->z[i], k->dz[i], a);
        a = ratio(k->w[i], k->dw[i], a);
    }
    return a;
}

// What the predictor leaves over to second order: the products dz dw, dtau dkappa, and the curvature of the second line
// of (H),  u'M u / tau  with  u = dz - z dtau / tau.
static void second_order(ipm* k) {
    const double* q = k->t.p.q;
    const double bend = k->dtau / k->tau;
    double uMu = 0;
    for (int i = 0; i < k->n; i++) {
        const double Mdz = k->dw[i] - q[i] * k->dtau - k->r[i];
        uMu += (k->dz[i] - k->z[i] * bend) * (Mdz - k->Mz[i] * bend);
        k->second[i] = k->dz[i] * k->dw[i];
    }
    k->second_k = k->dtau * k->dkappa;
    k->curvature = k->homogeneous ? uMu / k->tau : 0;
}

// The products after a step a, smallest over mean: 1 on the central path, 0 at the boundary.
static double centrality(const ipm* k, double a) {
    double low = INFINITY, sum = 0;
    for (int i = 0; i < k->n; i++) {
        const double product = (k->z[i] + a * k->dz[i]) * (k->w[i] + a * k->dw[i]);
        low = fmin(low, product);
        sum += product;
    }
    if (!k->homogeneous) return low / (sum / k->n);
    const double product = (k->tau + a * k->dtau) * (k->kappa + a * k->dkappa);
    return fmin(low, product) / ((sum + product) / (k->n + 1));
}

// Predictor, corrector, step. Returns the step length; 0 when something is not finite.
static double advance(ipm* k, double last_step) {
    const int n = k->n;
    memset(k->second, 0, (size_t)n * sizeof *k->second);
    k->second_k = k->curvature = 0;
    double sigma = 0.8;  // D2
    if (last_step > 0.1) {
        direction(k, 0, 1);
        sigma = fmax(pow(1 - boundary(k), 3), 1e-6);
        second_order(k);
    }
    direction(k, sigma, k->homogeneous ? 1 - sigma : 1);
    for (int i = 0; i < n; i++) {
        if (!isfinite(k->dz[i]) || !isfinite(k->dw[i])) return 0;
    }
    if (!isfinite(k->dtau) || !isfinite(k->dkappa)) return 0;
    double a = fmin(1, 0.995 * boundary(k));
    for (int cut = 0; cut < 30 && centrality(k, a) < 1e-3; cut++) a *= 0.8;  // D2
    for (int i = 0; i < n; i++) {
        k->z[i] += a * k->dz[i];
        k->w[i] += a * k->dw[i];
    }
    k->tau += a * k->dtau;
    k->kappa += a * k->dkappa;
    return a;
}

// --- what the point is worth
// -------------------------------------------------------------------------------------------

// alpha = {i : z_i > w_i}. True: the same as before.
static bool stands_still(ipm* k) {
    sti_trial_choose_set(&k->t, k->z, k->w);
    if (memcmp(k->last, k->t.alpha, (size_t)k->n) == 0) return true;
    memcpy(k->last, k->t.alpha, (size_t)k->n);
    k->tried_point = false;
    return false;
}

// z / tau as a solution. D3: when the active set stands still, the point of that set as well.
static double measure(ipm* k, bool still) {
    sti_trial* t = &k->t;
    for (int i = 0; i < k->n; i++) {
        t->z[i] = k->z[i] / k->tau;
        t->w[i] = k->Mz[i] / k->tau + t->p.q[i];
    }
    const double residual = sti_trial_measure(t, t->z, t->w);
    if (!(residual < 1e-3) || !still || k->tried_point) return residual;
    k->tried_point = true;
    memcpy(k->rhs, t->z, (size_t)k->n * sizeof *k->rhs);
    if (!sti_trial_solve_active(t, k->rhs)) return residual;
    return fmin(residual, sti_trial_measure(t, t->z, t->w));
}

// Largest (M'v)_i over -q'v: zero for a Farkas vector, INFINITY for a v that cannot be one. Mtv (n) is filled.
static double farkas_quality(const ipm* k, const double* v, double* Mtv) {
    const double gain = -sti_vector_dot((size_t)k->n, k->t.p.q, v);
    if (!(gain > 0)) return INFINITY;
    sti_principal_multiply_transposed(&k->t.system, v, Mtv);
    double violation = 0;
    for (int i = 0; i < k->n; i++) violation = fmax(violation, Mtv[i]);
    return isfinite(violation) ? violation / gain : INFINITY;
}

static void keep_ray(ipm* k, const double* v, double quality) {
    if (!(quality < k->ray_quality)) return;
    double largest = 0;
    for (int i = 0; i < k->n; i++) largest = fmax(largest, v[i]);
    if (!(largest > 0)) return;
    for (int i = 0; i < k->n; i++) k->best_ray[i] = v[i] / largest;
    k->ray_quality = quality;
}

// alpha = {i : the limit of z_i is positive}. When the limit is not strictly complementary, pairs with both members
// zero have z_i and w_i about sqrt(mu), against z_i about 1; so the border is drawn at mu^(1/4).
static void choose_support(ipm* k) {
    double largest = 0;
    for (int i = 0; i < k->n; i++) largest = fmax(largest, k->z[i]);
    const double border = sqrt(sqrt(k->mu) * largest);
    for (int i = 0; i < k->n; i++) k->t.alpha[i] = k->z[i] > border;
    k->t.active = false;
}

// The point of the support, where D3 has found nothing better.
static void try_support(ipm* k) {
    sti_trial* t = &k->t;
    if (t->best_residual <= 1e-13) return;
    choose_support(k);
    for (int i = 0; i < k->n; i++) k->rhs[i] = k->z[i] / k->tau;
    if (sti_trial_solve_active(t, k->rhs)) sti_trial_measure(t, t->z, t->w);
}

// The limit v of z satisfies M_aa v_a = 0 on its support (all of M v = 0 when M is symmetric, so it is never strictly
// complementary then). Steps v <- delta (M_aa + delta I)^-1 v go to the null space (it is the proximal point method
// again), and wash out what an interior point still has beside it.
static void polish_ray(ipm* k) {
    sti_trial* t = &k->t;
    choose_support(k);
    for (int i = 0; i < k->n; i++) {
        k->E[i] = 1e-9;
        k->dz[i] = t->alpha[i] ? k->z[i] : 0;
    }
    if (!sti_principal_factor(&t->system, t->alpha, k->E)) return;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < k->n; i++) k->dz[i] *= 1e-9;
        sti_principal_solve(&t->system, k->dz);
        for (int i = 0; i < k->n; i++) {
            if (!isfinite(k->dz[i])) return;
            if (!(k->dz[i] > 0)) k->dz[i] = 0;
        }
        keep_ray(k, k->dz, farkas_quality(k, k->dz, k->rhs));
    }
}

// z as a Farkas vector, when tau is on its way to zero.
static void look_for_ray(ipm* k) {
    if (!k->homogeneous || !(k->tau < k->kappa)) return;
    const double quality = farkas_quality(k, k->z, k->rhs);
    keep_ray(k, k->z, quality);
    if (quality < 1e-2) polish_ray(k);
}

// v = D v', up to a factor: the largest entry comes out near 1.
static sti_status store_ray(ipm* k, sti_env* env) {
    sti_ray* ray = &k->t.answer->ray;
    const int* exponent = k->t.p.exponent;
    ray->z = sti_alloc_array_zero(env, (size_t)k->n, sizeof *ray->z);
    ray->dz = sti_alloc_array_zero(env, (size_t)k->n, sizeof *ray->dz);
    if (ray->z == NULL || ray->dz == NULL) {
        sti_free(env, ray->z);
        sti_free(env, ray->dz);
        *ray = (sti_ray){0};
        return STI_ERR_MEMORY;
    }
    double largest = -INFINITY;
    for (int i = 0; i < k->n; i++) {
        if (k->best_ray[i] > 0) largest = fmax(largest, log2(k->best_ray[i]) + exponent[i]);
    }
    for (int i = 0; i < k->n; i++) ray->dz[i] = ldexp(k->best_ray[i], exponent[i] - (int)floor(largest));
    return STI_OK;
}

// --- the method ------------------------------------------------------------------------------------------------------

// Steps until a solution is good, a ray is good, nothing moves, or the budget is spent.
static sti_termination iterate(ipm* k) {
    sti_trial* t = &k->t;
    const double tol = t->options->tol;
    double step = 1, best_mu = INFINITY;
    int idle = 0;
    start(k);
    for (;; t->steps++) {
        evaluate(k);
        const bool still = stands_still(k);
        const double residual = measure(k, still);
        if (t->best_residual <= tol) {
            // where D3 does not apply, a few more steps as long as they improve the point
            if (t->best_residual <= 1e-13 || residual > t->best_residual || k->extra++ >= EXTRA)
                return STI_END_SOLUTION;
        }
        look_for_ray(k);
        if (k->ray_quality <= 1e-12) return STI_END_RAY;
        if (k->mu < 0.9 * best_mu) {
            best_mu = k->mu;
            idle = 0;
        } else if (++idle > PATIENCE) {
            return STI_END_STALLED;
        }
        if (sti_trial_out_of_budget(t)) return STI_END_LIMIT;
        if (!factor(k)) return STI_END_STALLED;
        step = advance(k, step);
        if (!(step > 1e-10)) return STI_END_STALLED;
    }
}

static void explain(const ipm* k) {
    const sti_trial* t = &k->t;
    sti_lcp_answer* answer = t->answer;
    const char* doubt = k->homogeneous ? "" : "; M is not positive semidefinite, so the method guarantees nothing";
    const size_t size = sizeof answer->reason;
    switch (answer->termination) {
        case STI_END_SOLUTION:
            snprintf(answer->reason, size, "interior point converged: %ld steps, residual %.1e%s", t->steps,
                     t->best_residual, doubt);
            break;
        case STI_END_RAY:
            snprintf(answer->reason, size,
                     "interior point left along v >= 0 with q'v < 0 and M'v <= 0 to %.1e: infeasible if that is exact",
                     k->ray_quality);
            break;
        case STI_END_LIMIT:
            snprintf(answer->reason, size, "%s: %ld steps, residual %.1e%s", sti_trial_budget_text(t), t->steps,
                     t->best_residual, doubt);
            break;
        default:
            snprintf(answer->reason, size, "no progress after %ld steps, residual %.1e%s", t->steps, t->best_residual,
                     doubt);
            break;
    }
}

static sti_status run(ipm* k, sti_env* env) {
    sti_trial* t = &k->t;
    sti_lcp_answer* answer = t->answer;
    // z = 0, when that is all there is to it
    sti_trial_slack(t, t->z, t->w);
    if (sti_trial_measure(t, t->z, t->w) <= fmin(t->options->tol, 1e-15)) {
        answer->termination = STI_END_SOLUTION;
        answer->basis_nonsingular = 1;  // no column of M is in it
        snprintf(answer->reason, sizeof answer->reason, "q >= 0: z = 0 solves");
        return STI_OK;
    }
    k->homogeneous = sti_principal_is_positive(&t->system, 1e-15 * k->n + 1e-14);
    answer->termination = iterate(k);
    answer->iterations = t->steps;
    if (t->best_residual <= t->options->tol) {
        answer->termination = STI_END_SOLUTION;
        try_support(k);
        sti_trial_polish(t);
    } else if (k->ray_quality < 1e-8) {
        answer->termination = STI_END_RAY;
    }
    explain(k);
    return answer->termination == STI_END_RAY ? store_ray(k, env) : STI_OK;
}

sti_status sti_lcp_method_ipm(sti_env* env, const sti_lcp* lcp, const sti_lcp_options* options,
                              sti_lcp_answer* answer) {
    ipm k = {.n = lcp->n, .ray_quality = INFINITY};
    sti_status status = sti_trial_init(&k.t, env, "ipm", lcp, options, DEFAULT_LIMIT, answer);
    if (status != STI_OK) return status;
    if (k.t.p.applicable) {
        status = reserve(&k, env);
        if (status == STI_OK) status = run(&k, env);
        sti_free(env, k.store);
        sti_free(env, k.last);
    }
    sti_trial_clear(&k.t);
    return status;
}
