// ipm.c: primal-dual interior-point method for conic programs with a quadratic objective, in a homogeneous embedding.
//
//     min 1/2 x'P x + c'x,    A x + s = b,    s in K            and its dual with z in K*
//
// Source: Goulart & Chen, "Clarabel: an interior-point solver for conic programs with quadratic objectives", 2024,
// sections 2 and 3; the step for symmetric cones is that of Vandenberghe, "The CVXOPT linear and quadratic cone program
// solvers", 2010. Two more numbers make the optimality conditions homogeneous,
//
//     P x + A'z + c tau = 0
//     A x + s - b tau = 0                                      s in K, z in K*, s'z = 0
//     x'P x / tau + c'x + b'z + kappa = 0                      tau, kappa >= 0, tau kappa = 0                       (H)
//
// and every limit point with (tau, kappa) != 0 is one of
//
//     tau > 0     (x, s, z) / tau is optimal
//     kappa > 0   c'x + b'z < 0: b'z < 0, then A'z = 0 and there is no feasible point; or c'x < 0, then P x = 0,
//                 A x + s = 0, and the dual has none: the program is unbounded if it is feasible
//
// tau = kappa = 0 is possible without interior points, and nothing is claimed then. Steps (Mehrotra's predictor and
// corrector), W the Nesterov-Todd scaling of (s, z), lambda = W z = W^-1 s:
//
//     residuals  r_x = -(P x + A'z + c tau),  r_z = A x + s - b tau,  r_t = x'P x / tau + c'x + b'z + kappa
//     P dx + A'dz + c dtau = eta r_x
//     A dx + ds - b dtau = -eta r_z                                                                               (N)
//     dkappa + c'dx + b'dz + 2 x'P dx / tau - x'P x dtau / tau^2 = -eta r_t
//     lambda o (W^-1 ds + W dz) = -d_s,    kappa dtau + tau dkappa = -d_k
//
// predictor: eta = 1, d_s = lambda o lambda, d_k = tau kappa; corrector: eta = 1 - sigma, the second-order terms of the
// predictor and -sigma mu e added, sigma = (1 - a)^3 with a the step of the predictor. Eliminating ds and dkappa leaves
// the system of kkt.c for two right sides, (-c, b) and the rest, and a scalar equation for dtau.
//
// What an outcome proves: see judge.c; every point, and vector that may be a certificate, is measured in the original
// units, and the best is kept. Cost: 8 to 25 iterations of a factorization (order n + m, sparse) and three solutions.
//
// Departures. D1 a step goes 0.99 of the way to the border, closer as the predictor succeeds. D2 a warm start is pushed
// inside by a small multiple of its size, tau = 1. D3 a point within tol, or where the method came to no end, is
// polished (polish.c). D4 where the first system is singular and its right side does not fit, the misfit is a
// certificate. D5 a corrector far shorter than the predictor is replaced by plain centering, sigma = 0.2, then 0.8. D6
// x'P x / tau is not linear and may leave more of mu than 1 - sigma; eta is reduced by as much. D7 multipliers that
// almost prove infeasibility are projected on A'y = 0, D8 directions that almost prove unboundedness on P x = 0.
#include "conic/ipm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conic/kkt.h"
#include "conic/polish.h"
#include "linalg/vector.h"

enum { DEFAULT_LIMIT = 120, PATIENCE = 12, POLISHING = 6, CENTERINGS = 2 };

static const double SHORT = 0.1;   // part of the predictor's step that the corrector must reach
static const double WORTH = 1e-3;  // residual from which on polishing is tried

static const double FINE = 1e-13;      // residual that ends the iteration
static const double ROUNDING = 1e-15;  // no residual is worth improving beyond this

struct sti_conic_ipm {
    sti_env* env;
    const sti_conic* program;
    sti_conic_scaled scaled;
    sti_conic_judge judge;
    int n, m;
    sti_cones cones;
    sti_kkt kkt;
    double* store;
    double *x, *dx, *rx, *Px, *x1, *x2;                    // (n)
    double *s, *z, *ds, *dz, *rz, *z1, *z2, *d, *t1, *t2;  // (m)
    double* farkas;        // best multipliers towards infeasibility so far                (m)
    double* ray;           // best direction towards unboundedness so far                  (n)
    double* work;          // of polishing                                                 (2 m)
    double *px, *ps, *py;  // the point that is polished            (n), (m), (m)
    double *X, *S, *Y;     // in the original units                 (n), (m), (m)
    double tau, kappa, dtau, dkappa, rt, mu, xPx;
    double best;         // worst residual of the point in the answer
    double farkas_best;  // residual of farkas as a certificate
    double ray_best;     // and of ray
};

static sti_status reserve(sti_conic_ipm* k) {
    const size_t n = (size_t)k->n, m = (size_t)k->m;
    k->store = sti_alloc_array_zero(k->env, 9 * n + 17 * m, sizeof *k->store);
    if (k->store == NULL) return STI_ERR_MEMORY;
    double** of_n[] = {&k->x, &k->dx, &k->rx, &k->Px, &k->x1, &k->x2, &k->px, &k->X, &k->ray};
    double** of_m[] = {&k->s,  &k->z,  &k->ds, &k->dz, &k->rz, &k->z1, &k->z2,     &k->d,
                       &k->t1, &k->t2, &k->ps, &k->py, &k->S,  &k->Y,  &k->farkas, &k->work};
    double* at = k->store;
    for (size_t v = 0; v < sizeof of_n / sizeof *of_n; v++, at += n) *of_n[v] = at;
    for (size_t v = 0; v < sizeof of_m / sizeof *of_m; v++, at += m) *of_m[v] = at;
    return STI_OK;
}

static void add(int n, double a, const double* x, double* y) {
    for (int i = 0; i < n; i++) y[i] += a * x[i];
}

static void times_P(const sti_conic_ipm* k, const double* x, double* y) {
    if (k->scaled.P.rows > 0)
        sti_conic_multiply_transposed(&k->scaled.P, x, y);  // symmetric
    else
        memset(y, 0, (size_t)k->n * sizeof *y);
}

// Everything that depends on the point alone.
static void evaluate(sti_conic_ipm* k) {
    const sti_conic_scaled* p = &k->scaled;
    times_P(k, k->x, k->Px);
    k->xPx = sti_vector_dot((size_t)k->n, k->x, k->Px);
    sti_conic_multiply_transposed(&p->A, k->z, k->rx);
    for (int j = 0; j < k->n; j++) k->rx[j] = -(k->Px[j] + k->rx[j] + p->c[j] * k->tau);
    sti_conic_multiply_transposed(&p->At, k->x, k->rz);
    for (int i = 0; i < k->m; i++) k->rz[i] += k->s[i] - p->b[i] * k->tau;
    k->rt = k->xPx / k->tau + sti_vector_dot((size_t)k->n, p->c, k->x) + sti_vector_dot((size_t)k->m, p->b, k->z) +
            k->kappa;
    k->mu = (sti_vector_dot((size_t)k->m, k->s, k->z) + k->tau * k->kappa) / (k->cones.degree + 1);
}

// Push x inside the cone: at least `least` from the border, and a tenth of the mean eigenvalue.
static void push_inside(const sti_conic_ipm* k, double least, double* x) {
    double positive;
    const double margin = sti_cones_margin(&k->cones, x, &positive);
    if (k->cones.degree == 0) return;
    const double target = fmax(least, 0.1 * positive / k->cones.degree);
    if (margin < target) sti_cones_add_unit(&k->cones, target - margin, x);
}

// D4: the part of (-c, b) in the null space of K,
//
//     { (x, z) : P x = 0,  A x = 0,  z = 0 outside the rows of {0},  A'z = 0 },
//
// by v <- (I + S K / delta)^-1 v with the regularized factors (S the signs): what is not in it shrinks by delta /
// |eigenvalue| each time. Returns in x1, z1 two certificates, if they are any: c'x < 0, b'z < 0.
static void null_part(sti_conic_ipm* k) {
    for (int j = 0; j < k->n; j++) k->x1[j] = -k->scaled.c[j];
    for (int i = 0; i < k->m; i++) k->z1[i] = -k->scaled.b[i];
    for (int t = 0; t < 3; t++) sti_kkt_filter(&k->kkt, &k->cones, k->x1, k->z1);
    for (int i = k->cones.zero; i < k->m; i++) k->z1[i] = 0;
}

// Least-squares points of the program and its dual, pushed inside. False: no factors; *left is the residual of the
// solution.
static bool start_cold(sti_conic_ipm* k, double* left) {
    const size_t n = (size_t)k->n, m = (size_t)k->m;
    sti_cones_reset(&k->cones);
    if (!sti_kkt_factor(&k->kkt, &k->cones)) return false;
    memset(k->x, 0, n * sizeof *k->x);
    memcpy(k->s, k->scaled.b, m * sizeof *k->s);
    for (size_t j = 0; j < n; j++) k->x1[j] = -k->scaled.c[j];
    if (k->scaled.P.rows > 0) {
        memcpy(k->x, k->x1, n * sizeof *k->x);
        *left = sti_kkt_solve(&k->kkt, &k->cones, k->x, k->s);
        memcpy(k->z, k->s, m * sizeof *k->z);
    } else {
        memset(k->z, 0, m * sizeof *k->z);
        *left = sti_kkt_solve(&k->kkt, &k->cones, k->x, k->s);
        *left = fmax(*left, sti_kkt_solve(&k->kkt, &k->cones, k->x1, k->z));
    }
    for (size_t i = 0; i < m; i++) k->s[i] = i < (size_t)k->cones.zero ? 0 : -k->s[i];
    push_inside(k, 1, k->s);
    push_inside(k, 1, k->z);
    k->tau = k->kappa = 1;
    return true;
}

// D2
static void start_warm(sti_conic_ipm* k, const sti_conic_options* options) {
    sti_conic_scaled_enter(&k->scaled, options->guess_x, NULL, options->guess_y, k->x, NULL, k->z);
    sti_conic_multiply_transposed(&k->scaled.At, k->x, k->s);
    double size = 1;
    for (int i = 0; i < k->m; i++) {
        k->s[i] = i < k->cones.zero ? 0 : k->scaled.b[i] - k->s[i];
        size = fmax(size, fmax(fabs(k->s[i]), fabs(k->z[i])));
    }
    const double least = 1e-2 * size;
    push_inside(k, least, k->s);
    push_inside(k, least, k->z);
    k->tau = 1;
    k->kappa = k->cones.degree > 0 ? sti_vector_dot((size_t)k->m, k->s, k->z) / k->cones.degree : 1;
}

// The solution for the right side (-c, b), the same for predictor and corrector.
static void solve_constant(sti_conic_ipm* k) {
    for (int j = 0; j < k->n; j++) k->x2[j] = -k->scaled.c[j];
    memcpy(k->z2, k->scaled.b, (size_t)k->m * sizeof *k->z2);
    sti_kkt_solve(&k->kkt, &k->cones, k->x2, k->z2);
}

// One solution of (N): offset (m) is W (lambda \ d_s).
static bool solve_step(sti_conic_ipm* k, double eta, const double* offset, double d_k) {
    const sti_conic_scaled* p = &k->scaled;
    for (int j = 0; j < k->n; j++) k->x1[j] = eta * k->rx[j];
    for (int i = 0; i < k->m; i++) k->z1[i] = offset[i] - eta * k->rz[i];
    sti_kkt_solve(&k->kkt, &k->cones, k->x1, k->z1);

    // (xi - x2)'P(xi - x2) - x2'P x2 with xi = x / tau
    const double tau = k->tau, cross = sti_vector_dot((size_t)k->n, k->Px, k->x2) / tau;
    const double curvature = k->xPx / (tau * tau) - 2 * cross;
    const double num = eta * k->rt - d_k / tau + sti_vector_dot((size_t)k->n, p->c, k->x1) +
                       sti_vector_dot((size_t)k->m, p->b, k->z1) + 2 * sti_vector_dot((size_t)k->n, k->Px, k->x1) / tau;
    const double den = k->kappa / tau - sti_vector_dot((size_t)k->n, p->c, k->x2) -
                       sti_vector_dot((size_t)k->m, p->b, k->z2) + curvature;
    k->dtau = num / den;
    k->dkappa = -(d_k + k->kappa * k->dtau) / tau;
    for (int j = 0; j < k->n; j++) k->dx[j] = k->x1[j] + k->dtau * k->x2[j];
    for (int i = 0; i < k->m; i++) k->dz[i] = k->z1[i] + k->dtau * k->z2[i];
    sti_conic_multiply_transposed(&p->At, k->dx, k->ds);
    for (int i = 0; i < k->m; i++) k->ds[i] = i < k->cones.zero ? 0 : p->b[i] * k->dtau - eta * k->rz[i] - k->ds[i];
    return isfinite(k->dtau) && isfinite(sti_vector_dot((size_t)k->n, k->dx, k->dx)) &&
           isfinite(sti_vector_dot((size_t)k->m, k->dz, k->dz)) && isfinite(sti_vector_dot((size_t)k->m, k->ds, k->ds));
}

static double longest_step(const sti_conic_ipm* k) {
    double a = fmin(sti_cones_step(&k->cones, k->s, k->ds), sti_cones_step(&k->cones, k->z, k->dz));
    if (k->dtau < 0) a = fmin(a, -k->tau / k->dtau);
    if (k->dkappa < 0) a = fmin(a, -k->kappa / k->dkappa);
    return a;
}

// d_s of the corrector, then W (lambda \ d_s), in k->d. second: with the product of the predictor's steps, in ds and dz
static void correct(sti_conic_ipm* k, double sigma, bool second) {
    memset(k->d, 0, (size_t)k->m * sizeof *k->d);
    if (second) {
        sti_cones_apply_inverse(&k->cones, k->ds, k->t1);
        sti_cones_apply(&k->cones, k->dz, k->t2);
        sti_cones_product(&k->cones, k->t1, k->t2, k->d);
    }
    sti_cones_product(&k->cones, k->cones.lambda, k->cones.lambda, k->t1);
    add(k->m, 1, k->t1, k->d);
    sti_cones_add_unit(&k->cones, -sigma * k->mu, k->d);
    sti_cones_divide(&k->cones, k->d, k->d);
    sti_cones_apply(&k->cones, k->d, k->d);
}

// What is left of mu after the predictor's step, beyond the part 1 - predicted that the linear theory leaves. D6
static double surplus(const sti_conic_ipm* k, double predicted) {
    double product = (k->tau + predicted * k->dtau) * (k->kappa + predicted * k->dkappa);
    for (int i = k->cones.zero; i < k->m; i++)
        product += (k->s[i] + predicted * k->ds[i]) * (k->z[i] + predicted * k->dz[i]);
    return fmin(fmax(product / (k->cones.degree + 1) / k->mu - (1 - predicted), 0), 0.9);
}

// The corrector into dx, ds, dz, dtau, dkappa, and how far it may go; 0: it is not finite.
static double correct_step(sti_conic_ipm* k, double predicted) {
    const double sigma = (1 - predicted) * (1 - predicted) * (1 - predicted), second = k->dtau * k->dkappa;
    const double eta = 1 - fmax(sigma, surplus(k, predicted));
    correct(k, sigma, true);
    if (!solve_step(k, eta, k->d, k->tau * k->kappa + second - sigma * k->mu)) return 0;
    double longest = longest_step(k);
    for (int t = 0; t < CENTERINGS && longest < SHORT * predicted; t++) {  // D5
        const double centering = t == 0 ? 0.2 : 0.8;
        correct(k, centering, false);
        if (!solve_step(k, 1 - centering, k->d, k->tau * k->kappa - centering * k->mu)) return 0;
        longest = longest_step(k);
    }
    return longest;
}

// One step; false: rounding has taken over.
static bool step(sti_conic_ipm* k) {
    if (!sti_cones_scale(&k->cones, k->s, k->z) || !sti_kkt_factor(&k->kkt, &k->cones)) return false;
    solve_constant(k);
    if (!solve_step(k, 1, k->s, k->tau * k->kappa)) return false;
    const double predicted = fmin(1, longest_step(k));
    const double longest = correct_step(k, predicted);
    const double reach = fmin(fmax(0.99, 1 - 0.1 * (1 - predicted)), 0.9999);  // D1
    const double a = fmin(1, reach * longest);
    if (!(a > 1e-8)) return false;
    add(k->n, a, k->dx, k->x);
    add(k->m, a, k->ds, k->s);
    add(k->m, a, k->dz, k->z);
    k->tau += a * k->dtau;
    k->kappa += a * k->dkappa;
    return k->tau > 0 && k->kappa > 0;
}

// The embedding is homogeneous: keep its numbers near 1.
static void renormalize(sti_conic_ipm* k) {
    const double size = fmax(k->tau, k->kappa);
    if (size > 1e-3 && size < 1e3) return;
    for (int j = 0; j < k->n; j++) k->x[j] /= size;
    for (int i = 0; i < k->m; i++) {
        k->s[i] /= size;
        k->z[i] /= size;
    }
    k->tau /= size;
    k->kappa /= size;
}

static void keep(const sti_conic_ipm* k, sti_conic_answer* a, sti_conic_outcome outcome, const sti_conic_residuals* r) {
    a->outcome = outcome;
    a->residual_primal = r->primal;
    a->residual_dual = r->dual;
    a->residual_gap = r->gap;
    a->residual = r->worst;
    a->objective = r->objective;
    a->bound = r->bound;
    memcpy(a->x, k->X, (size_t)k->n * sizeof *a->x);
    memcpy(a->s, k->S, (size_t)k->m * sizeof *a->s);
    memcpy(a->y, k->Y, (size_t)k->m * sizeof *a->y);
}

// Measure the point and both possible certificates, and keep the best of what proves most.
static void inspect(sti_conic_ipm* k, double tol, sti_conic_answer* a) {
    const bool certified = a->outcome == STI_CONIC_INFEASIBLE || a->outcome == STI_CONIC_UNBOUNDED;
    sti_conic_scaled_leave(&k->scaled, k->tau, k->x, k->s, k->z, k->X, k->S, k->Y);
    sti_conic_residuals r = sti_conic_judge_point(&k->judge, k->X, k->S, k->Y);
    if (!certified && r.worst < k->best) {
        k->best = r.worst;
        keep(k, a, r.worst <= tol ? STI_CONIC_SOLVED : STI_CONIC_UNKNOWN, &r);
    }
    if (a->outcome == STI_CONIC_SOLVED || k->kappa < 1e-3 * k->tau) return;
    r = sti_conic_judge_infeasible(&k->judge, k->Y);
    sti_conic_outcome outcome = STI_CONIC_INFEASIBLE;
    if (r.worst < k->farkas_best) {
        k->farkas_best = r.worst;
        memcpy(k->farkas, k->z, (size_t)k->m * sizeof *k->z);
    }
    if (r.worst > tol) {
        r = sti_conic_judge_unbounded(&k->judge, k->X, k->S);
        outcome = STI_CONIC_UNBOUNDED;
        if (r.worst < k->ray_best) {
            k->ray_best = r.worst;
            memcpy(k->ray, k->x, (size_t)k->n * sizeof *k->x);
        }
    }
    if (r.worst <= tol && (!certified || r.worst < k->best)) {
        k->best = r.worst;
        keep(k, a, outcome, &r);
    }
}

// D4: a certificate from the null space of K alone. True: found one.
static bool inspect_null(sti_conic_ipm* k, double tol, sti_conic_answer* a) {
    null_part(k);
    memset(k->t1, 0, (size_t)k->m * sizeof *k->t1);
    sti_conic_scaled_leave(&k->scaled, 1, k->x1, k->t1, k->z1, k->X, k->S, k->Y);
    sti_conic_residuals r = sti_conic_judge_infeasible(&k->judge, k->Y);
    if (r.worst <= tol) {
        keep(k, a, STI_CONIC_INFEASIBLE, &r);
        return true;
    }
    r = sti_conic_judge_unbounded(&k->judge, k->X, k->S);
    if (r.worst <= tol) keep(k, a, STI_CONIC_UNBOUNDED, &r);
    return r.worst <= tol;
}

// D3: one polishing step from the point in the answer, kept if it is better. True: three times better.
static bool polish_once(sti_conic_ipm* k, double tol, sti_conic_answer* a) {
    sti_conic_scaled_enter(&k->scaled, a->x, a->s, a->y, k->px, k->ps, k->py);
    if (!sti_conic_polish(&k->scaled, &k->cones, &k->kkt, k->px, k->ps, k->py, k->work)) return false;
    sti_conic_scaled_leave(&k->scaled, 1, k->px, k->ps, k->py, k->X, k->S, k->Y);
    const sti_conic_residuals r = sti_conic_judge_point(&k->judge, k->X, k->S, k->Y);
    const double before = k->best;
    a->iterations++;
    if (r.worst < before) {
        k->best = r.worst;
        keep(k, a, r.worst <= tol ? STI_CONIC_SOLVED : a->outcome, &r);
    }
    return r.worst < 0.3 * before;
}

static void polish(sti_conic_ipm* k, double tol, sti_conic_answer* a) {
    if (a->outcome == STI_CONIC_INFEASIBLE || a->outcome == STI_CONIC_UNBOUNDED || !(k->best < WORTH)) return;
    for (int t = 0; t < POLISHING && k->best > ROUNDING && polish_once(k, tol, a); t++) continue;
}

// D8: the best direction towards unboundedness, projected on P x = 0 and on the rows it runs along.
static void polish_ray(sti_conic_ipm* k, double tol, sti_conic_answer* a) {
    const bool open = a->outcome == STI_CONIC_UNKNOWN || a->outcome == STI_CONIC_LIMIT;
    for (int t = 0; open && t < POLISHING && k->ray_best > ROUNDING && k->ray_best < WORTH; t++) {
        if (!sti_conic_polish_ray(&k->scaled, &k->cones, &k->kkt, k->ray, k->work)) return;
        sti_conic_scaled_leave(&k->scaled, 1, k->ray, NULL, NULL, k->X, NULL, NULL);
        const sti_conic_residuals r = sti_conic_judge_unbounded(&k->judge, k->X, k->S);
        const double before = k->ray_best;
        if (!(r.worst < before)) return;
        k->ray_best = r.worst;
        a->iterations++;
        if (r.worst <= tol) keep(k, a, STI_CONIC_UNBOUNDED, &r);
        if (!(r.worst < 0.3 * before)) return;
    }
}

// D7: the best multipliers towards infeasibility, projected on A'y = 0 (a program without P).
static void polish_farkas(sti_conic_ipm* k, double tol, sti_conic_answer* a) {
    const bool open = a->outcome == STI_CONIC_UNKNOWN || a->outcome == STI_CONIC_LIMIT;
    if (k->scaled.P.rows > 0 || !(k->farkas_best < WORTH) || !(open || a->outcome == STI_CONIC_INFEASIBLE)) return;
    for (int t = 0; t < POLISHING && k->farkas_best > ROUNDING; t++) {
        if (!sti_conic_polish_farkas(&k->scaled, &k->cones, &k->kkt, k->farkas, k->work)) return;
        sti_conic_scaled_leave(&k->scaled, 1, k->x, k->s, k->farkas, k->X, k->S, k->Y);
        const sti_conic_residuals r = sti_conic_judge_infeasible(&k->judge, k->Y);
        const double before = k->farkas_best;
        if (!(r.worst < before)) return;
        k->farkas_best = r.worst;
        a->iterations++;
        if (r.worst <= tol) keep(k, a, STI_CONIC_INFEASIBLE, &r);
        if (!(r.worst < 0.3 * before)) return;
    }
}

static bool limit_reached(const sti_conic_ipm* k, const sti_conic_options* options, double deadline,
                          sti_conic_answer* a) {
    const long limit = options->max_iterations > 0 ? options->max_iterations : DEFAULT_LIMIT;
    const bool count = a->iterations >= limit;
    if (!count && !(deadline < INFINITY && sti_now(k->env) > deadline)) return false;
    if (a->outcome == STI_CONIC_UNKNOWN) {
        a->outcome = STI_CONIC_LIMIT;
        snprintf(a->reason, sizeof a->reason, "%s", count ? "iteration limit" : "time limit");
    }
    return true;
}

static void iterate(sti_conic_ipm* k, const sti_conic_options* options, double deadline, sti_conic_answer* a) {
    int idle = 0;
    for (;; a->iterations++) {
        evaluate(k);
        const double before = k->best;
        const bool had = a->outcome != STI_CONIC_UNKNOWN;
        inspect(k, options->tol, a);
        if (a->outcome == STI_CONIC_SOLVED && !had) polish(k, options->tol, a);  // D3
        if (had && !(k->best < 0.3 * before)) return;
        if (a->outcome != STI_CONIC_UNKNOWN && k->best <= FINE) return;
        idle = k->best < 0.9 * before ? 0 : idle + 1;
        if (a->outcome == STI_CONIC_UNKNOWN && idle > PATIENCE && k->kappa < k->tau) break;
        if (limit_reached(k, options, deadline, a)) return;
        if (!step(k)) break;
        renormalize(k);
    }
    if (a->outcome == STI_CONIC_UNKNOWN)
        snprintf(a->reason, sizeof a->reason, "no more progress at residual %.3g, tau %.3g, kappa %.3g", k->best,
                 k->tau, k->kappa);
}

sti_status sti_conic_ipm_create(sti_env* env, const sti_conic* program, sti_conic_ipm** out) {
    *out = NULL;
    sti_conic_ipm* k = sti_alloc(env, sizeof *k);
    if (k == NULL) return STI_ERR_MEMORY;
    *k = (sti_conic_ipm){.env = env, .program = program, .n = program->n, .m = program->m};
    sti_status status = sti_conic_scaled_init(&k->scaled, env, program);
    if (status == STI_OK) status = sti_conic_judge_init(&k->judge, env, program);
    if (status == STI_OK)
        status = sti_cones_init(&k->cones, env, program->zero, program->nonnegative, program->cone_count,
                                program->cone_size);
    if (status == STI_OK) status = sti_kkt_init(&k->kkt, env, &k->scaled.P, &k->scaled.A, &k->scaled.At, &k->cones);
    if (status == STI_OK) status = reserve(k);
    if (status == STI_OK)
        *out = k;
    else
        sti_conic_ipm_destroy(k);
    return status;
}

void sti_conic_ipm_destroy(sti_conic_ipm* k) {
    if (k == NULL) return;
    sti_conic_scaled_clear(&k->scaled);
    sti_conic_judge_clear(&k->judge);
    sti_cones_clear(&k->cones);
    sti_kkt_clear(&k->kkt);
    sti_free(k->env, k->store);
    sti_free(k->env, k);
}

const sti_conic_scaled* sti_conic_ipm_scaled(const sti_conic_ipm* k) {
    return &k->scaled;
}

double sti_conic_ipm_work(const sti_conic_ipm* k) {
    double work = 0;
    for (int j = 0; j < k->kkt.order; j++) work += (double)k->kkt.ldl.L_count[j] * k->kkt.ldl.L_count[j];
    return work;
}

void sti_conic_ipm_run(sti_conic_ipm* k, const sti_conic_options* options, sti_conic_answer* answer) {
    const double deadline = sti_deadline(k->env, options->time_limit_s);
    double left = 0;
    bool ready = true;
    sti_conic_scaled_set_c(&k->scaled, k->program->c);
    sti_conic_judge_set_c(&k->judge);
    k->best = k->farkas_best = k->ray_best = INFINITY;
    answer->outcome = STI_CONIC_UNKNOWN;
    answer->iterations = 0;
    answer->reason[0] = 0;
    if (options->guess_x != NULL && options->guess_y != NULL)
        start_warm(k, options);
    else
        ready = start_cold(k, &left);
    if (!ready)
        snprintf(answer->reason, sizeof answer->reason, "the first system could not be factored");
    else if (!(left > 1e-8 && inspect_null(k, options->tol, answer)))
        iterate(k, options, deadline, answer);
    polish(k, options->tol, answer);
    polish_farkas(k, options->tol, answer);
    polish_ray(k, options->tol, answer);
}
