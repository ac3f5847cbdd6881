// newton.c: semismooth Newton for  F_i >= 0 where x_i = lb_i,  F_i <= 0 where x_i = ub_i,  F_i = 0 between.
//
// Source: T. De Luca, F. Facchinei, C. Kanzow, A semismooth equation approach to the solution of nonlinear
// complementarity problems, Math. Programming 75 (1996); for bounds on both sides S. C. Billups, Algorithms for
// complementarity problems and generalized equations, Wisconsin 1995. Letters: fb(a, b) = a + b - sqrt(a^2 + b^2), zero
// iff a, b >= 0 and ab = 0.
//
//     Phi_i(x) = F_i                                     no bounds
//                fb(x_i - lb_i, F_i)                     a lower one
//                -fb(ub_i - x_i, -F_i)                   an upper one
//                fb(x_i - lb_i, -fb(ub_i - x_i, -F_i))   both
//
//     Psi = |Phi|^2 / 2,   continuously differentiable, gradient V'Phi for every V in the B-subdifferential of Phi
//
// A step solves V d = -Phi. Where V is nearly singular, or d does not descend, d comes from (V'V + mu I) d = -V'Phi,
// which always descends; then Armijo's rule against the largest of the last Psi, and steepest descent where that fails.
// Every limit point is a stationary point of Psi; it solves the problem where F is a P0 function there, for example,
// and otherwise need not: then the run stalls, and the caller goes on from another start. D1: points where F has no
// value are stepped back from.
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "vi/map.h"

enum { MEMORY = 5 };

struct sti_vi_newton {
    sti_env* env;
    sti_vi_map* map;
    int n;
    double *x, *trial, *F, *phi, *J, *V, *gradient, *d;
    sti_dense_factor factor;
    double last[MEMORY];
    int count;
};

sti_status sti_vi_newton_open(sti_env* env, sti_vi_map* map, sti_vi_newton** out) {
    const size_t n = (size_t)map->n;
    sti_vi_newton* w = *out = sti_alloc_array_zero(env, 1, sizeof *w);
    if (w == NULL) return STI_ERR_MEMORY;
    w->env = env;
    w->map = map;
    w->n = map->n;
    double** vectors[] = {&w->x, &w->trial, &w->F, &w->phi, &w->gradient, &w->d};
    bool good = true;
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
        *vectors[k] = sti_alloc_array_zero(env, n, sizeof(double));
        good = good && *vectors[k] != NULL;
    }
    w->J = sti_alloc_array(env, sti_size_mul(n, n), sizeof *w->J);
    w->V = sti_alloc_array(env, sti_size_mul(n, n), sizeof *w->V);
    if (!good || w->J == NULL || w->V == NULL) return STI_ERR_MEMORY;
    return sti_dense_factor_init(&w->factor, env, map->n);
}

void sti_vi_newton_close(sti_vi_newton* w) {
    if (w == NULL) return;
    double* vectors[] = {w->x, w->trial, w->F, w->phi, w->gradient, w->d, w->J, w->V};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) sti_free(w->env, vectors[k]);
    sti_dense_factor_clear(&w->factor);
    sti_free(w->env, w);
}

// ---- the map

typedef struct fb {
    double value, a, b;  // and its derivatives
} fb;

static fb fischer_burmeister(double a, double b) {
    const double r = hypot(a, b);
    if (r == 0) return (fb){0, 0.3, 0.3};  // 1 - 0.7: within the disc of subgradients
    // a + b - r without cancellation where both are positive
    const double value = a > 0 && b > 0 ? 2 * (a / (a + b + r)) * b : a + b - r;
    return (fb){value, 1 - a / r, 1 - b / r};
}

// Phi_i, and its derivatives in x_i alone and in F_i.
static double phi_of(const sti_vi* vi, int i, double x, double F, double* in_x, double* in_F) {
    const bool low = isfinite(vi->lb[i]), high = isfinite(vi->ub[i]);
    *in_x = 0;
    *in_F = 1;
    if (!low && !high) return F;
    fb upper = {F, 0, 1};
    if (high) {
        upper = fischer_burmeister(vi->ub[i] - x, -F);
        upper.value = -upper.value;
    }
    *in_x = upper.a;
    *in_F = upper.b;
    if (!low) return upper.value;
    const fb lower = fischer_burmeister(x - vi->lb[i], upper.value);
    *in_x = lower.a + lower.b * upper.a;
    *in_F = lower.b * upper.b;
    return lower.value;
}

// Psi at a point, INFINITY where F has no value; F and Phi are set.
static double merit(sti_vi_newton* w, const double* x) {
    double sum = 0, in_x, in_F;
    if (!sti_vi_map_at(w->map, x, w->F, NULL)) return INFINITY;
    for (int i = 0; i < w->n; i++) {
        w->phi[i] = phi_of(w->map->vi, i, x[i], w->F[i], &in_x, &in_F);
        sum += w->phi[i] * w->phi[i];
    }
    return isfinite(sum) ? sum / 2 : INFINITY;
}

// V and the gradient V'Phi at a point where F has a value. False: the derivatives have none.
static bool differentiate(sti_vi_newton* w, const double* x) {
    const size_t n = (size_t)w->n;
    if (!sti_vi_map_at(w->map, x, w->F, w->J)) return false;
    memset(w->gradient, 0, n * sizeof *w->gradient);
    for (size_t i = 0; i < n; i++) {
        double in_x, in_F;
        w->phi[i] = phi_of(w->map->vi, (int)i, x[i], w->F[i], &in_x, &in_F);
        for (size_t j = 0; j < n; j++) w->V[i * n + j] = in_F * w->J[i * n + j] + (i == j ? in_x : 0);
        for (size_t j = 0; j < n; j++) w->gradient[j] += w->V[i * n + j] * w->phi[i];
    }
    return true;
}

static double natural_residual(const sti_vi_newton* w, const double* x) {
    double worst = 0, size = 1;
    for (int i = 0; i < w->n; i++) {
        worst = fmax(worst, fabs(x[i] - sti_vi_clip(w->map->vi, i, x[i] - w->F[i])));
        size = fmax(size, 1 + fabs(x[i]));
    }
    return worst / size;
}

// ---- a step

static double slope(const sti_vi_newton* w) {
    double sum = 0;
    for (int i = 0; i < w->n; i++) sum += w->gradient[i] * w->d[i];
    return sum;
}

static bool newton_direction(sti_vi_newton* w) {
    const size_t n = (size_t)w->n;
    memcpy(sti_dense_factor_load(&w->factor, w->n), w->V, n * n * sizeof *w->V);
    if (!sti_dense_factor_lu(&w->factor) || !(sti_dense_factor_rcond(&w->factor) > 1e-14)) return false;
    for (size_t i = 0; i < n; i++) w->d[i] = -w->phi[i];
    sti_dense_factor_solve(&w->factor, w->d);
    double size = 0;
    for (size_t i = 0; i < n; i++) size += w->d[i] * w->d[i];
    return isfinite(size) && slope(w) <= -1e-10 * pow(size, 1.05);
}

// (V'V + mu I) d = -V'Phi, mu of the size of V'V times |Phi|, at most a tenth of it
static bool damped_direction(sti_vi_newton* w) {
    const size_t n = (size_t)w->n;
    double* A = sti_dense_factor_load(&w->factor, w->n);
    double most = 0, psi = 0;
    for (size_t i = 0; i < n; i++) psi += w->phi[i] * w->phi[i];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) sum += w->V[k * n + i] * w->V[k * n + j];
            A[i * n + j] = A[j * n + i] = sum;
        }
        most = fmax(most, A[i * n + i]);
    }
    const double mu = (most > 0 ? most : 1) * fmin(0.1, fmax(sqrt(psi), 1e-12));
    for (size_t i = 0; i < n; i++) A[i * n + i] += mu;
    if (!sti_dense_factor_cholesky(&w->factor)) return false;
    for (size_t i = 0; i < n; i++) w->d[i] = -w->gradient[i];
    sti_dense_factor_solve(&w->factor, w->d);
    return slope(w) < 0;
}

static bool steepest_direction(sti_vi_newton* w) {
    for (int i = 0; i < w->n; i++) w->d[i] = -w->gradient[i];
    return slope(w) < 0;
}

// x + t d with Armijo's rule; false: no t is short enough. x moves, *psi is its merit.
static bool search(sti_vi_newton* w, double* psi) {
    const double descent = slope(w);
    double reference = *psi;
    for (int k = 0; k < w->count && k < MEMORY; k++) reference = fmax(reference, w->last[k]);
    for (double t = 1; t > 1e-13; t *= 0.5) {
        for (int i = 0; i < w->n; i++) w->trial[i] = w->x[i] + t * w->d[i];
        const double value = merit(w, w->trial);
        if (!(value <= reference + 1e-4 * t * descent)) continue;
        memcpy(w->x, w->trial, (size_t)w->n * sizeof *w->x);
        w->last[w->count++ % MEMORY] = *psi = value;
        return true;
    }
    return false;
}

static bool step(sti_vi_newton* w, double* psi) {
    if (newton_direction(w) && search(w, psi)) return true;
    if (!differentiate(w, w->x)) return false;  // search has left F and Phi of a trial behind
    if (damped_direction(w) && search(w, psi)) return true;
    if (!differentiate(w, w->x)) return false;
    return steepest_direction(w) && search(w, psi);
}

// Keep x where it is the best so far. True: it is, by enough to go on.
static bool keep_best(sti_vi_newton* w, sti_vi_run* run) {
    const double residual = natural_residual(w, w->x);
    const bool better = residual < 0.5 * run->residual;
    if (residual < run->residual) {
        run->residual = residual;
        memcpy(run->x, w->x, (size_t)w->n * sizeof *run->x);
    }
    return better;
}

void sti_vi_newton_run(sti_vi_newton* w, const sti_vi_options* o, double deadline, sti_vi_run* run) {
    memcpy(w->x, run->x, (size_t)w->n * sizeof *w->x);
    run->residual = INFINITY;
    run->iterations = 0;
    w->count = 0;
    double psi = merit(w, w->x);
    int idle = 0;
    while (isfinite(psi) && differentiate(w, w->x)) {
        idle = keep_best(w, run) ? 0 : idle + 1;
        if (o->trace != NULL) o->trace(o->trace_user, "newton", run->iterations, run->residual);
        if (run->residual <= 4 * DBL_EPSILON || (run->residual <= o->tol && idle >= 2)) break;
        if (run->iterations >= o->max_iterations || idle >= 60 || sti_now(w->env) >= deadline) break;
        run->iterations++;
        if (!step(w, &psi)) break;
    }
}
