// newton.c: semismooth Newton method for the LCP
//
//     w = M z + q,   0 <= w _|_ z >= 0,
//
// in two forms that share their iterates.
//
//   active set   Newton on  min(z, w) = 0  (Kanzow 1996; Hintermueller, Ito & Kunisch 2003): with
//                a = {i : z_i > w_i} the step ends where z = 0 off a and w = 0 on a,
//
//                    M_aa z_a = -q_a,     w = M z + q.                                             (1)
//
//                One linear system of order |a| a step; when the set repeats itself, z solves the LCP. Often a
//                handful of steps whatever n, but it may cycle, even for P-matrices (Ben Gharbia & Gilbert 2012).
//
//   damped       Newton on  Phi_i = sqrt(z_i^2 + w_i^2) - z_i - w_i = 0  (Fischer & Burmeister) with line search on
//                the merit Psi = 1/2 |Phi|^2, which is smooth (De Luca, Facchinei & Kanzow 1996, algorithm 3.1):
//
//                    (A + B M) d = -Phi,   A_i = z_i/r_i - 1,  B_i = w_i/r_i - 1,  r_i = sqrt(z_i^2 + w_i^2)     (2)
//                    grad Psi = (A + B M)' Phi
//
//                solved after division by B as (M + E) d = -B^-1 Phi, E = B^-1 A >= 0: a principal system again.
//
// The method takes active-set steps as long as they pay: a set that was met before, or a while without a better merit,
// hands over to the damped form, from the best point seen. There every new active set is still tried, and the point
// (1) taken when it reduces the merit to a quarter of what it was.
//
// What an outcome proves. Solution: the residual on the original data is at most tol. Stalled: Psi has no descent here
// that shows. A stationary point of Psi solves when M is P0 (all monotone problems), so for those it means loss of
// accuracy or no solution at all; nothing here proves that there is none.
//
// Works for P-matrices: every stationary point solves, level sets of Psi are bounded, so the damped form converges
// from everywhere, at the end quadratically. Cost: active set 2/3 |a|^3 flops a step (1/3 when M is symmetric
// and Cholesky succeeds), damped 2/3 n^3; a sparse symmetric M one L D L' a step.
//
// Departures:
// D1  the line search compares with the largest of the last four merits (Grippo, Lampariello & Lucidi 1986).
// D2  a block M_aa whose condition number is beyond 1e13 is replaced by M_aa + delta I, and the answer corrected with
//     M itself (steps of the proximal point method): exact for a consistent singular system with M_aa monotone.
// D3  entries with |B_i| < 1e-12, where (2) is just A_i d_i = -Phi_i, leave the linear system.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solvers/trial.h"

enum {
    DEFAULT_LIMIT = 300,  // steps
    SEEN = 64,            // active sets remembered
    PATIENCE = 6,         // active-set steps without a better merit
    MEMORY = 4,           // merits the line search looks back on
    HALVINGS = 50,
    WINDOW = 40,  // damped steps in which the merit must halve
    EXTRA = 5,    // damped steps after the tolerance is met
};

typedef struct newton {
    sti_trial t;  // its point (z, w) is the candidate
    int n;
    double* store;            // the vectors below              (9 n)
    double *z, *w;            // current point                  (n)
    double *d, *Md;           // step, and M times it           (n)
    double *phi, *A, *B, *E;  // see (2)                        (n)
    double* gradient;         // of the merit                   (n)
    double merit;             // at z
    double past[MEMORY];      // merits of accepted points
    int past_count;
    uint64_t seen[SEEN];  // hashes of the active sets tried
    int seen_count;
    int extra;  // damped steps since the tolerance was met
} newton;

static sti_status reserve(newton* k, sti_env* env) {
    const size_t n = (size_t)k->n;
    k->store = sti_alloc_array_zero(env, 9 * n, sizeof *k->store);
    if (k->store == NULL) return STI_ERR_MEMORY;
    double** vectors[] = {&k->z, &k->w, &k->d, &k->Md, &k->phi, &k->A, &k->B, &k->E, &k->gradient};
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) *vectors[v] = k->store + v * n;
    return STI_OK;
}

// sqrt(a^2 + b^2) - a - b without cancellation: where a + b > 0 it is -2ab / (r + a + b).
static double fischer_burmeister(double a, double b) {
    const double r = hypot(a, b);
    return a + b > 0 ? -2 * a * (b / (r + a + b)) : r - a - b;
}

static double merit_of(const newton* k, const double* z, const double* w) {
    double sum = 0;
    for (int i = 0; i < k->n; i++) {
        const double phi = fischer_burmeister(z[i], w[i]);
        sum += phi * phi;
    }
    return isfinite(sum) ? 0.5 * sum : INFINITY;
}

// The candidate becomes the current point.
static void accept(newton* k, double merit) {
    memcpy(k->z, k->t.z, (size_t)k->n * sizeof *k->z);
    memcpy(k->w, k->t.w, (size_t)k->n * sizeof *k->w);
    k->merit = merit;
    k->past[k->past_count++ % MEMORY] = merit;
}

// FNV-1a over the active set.
static uint64_t hash_set(const newton* k) {
    uint64_t h = 0xCBF29CE484222325u;
    for (int i = 0; i < k->n; i++) h = (h ^ k->t.alpha[i]) * 0x100000001B3u;
    return h;
}

static bool same_as_last(const newton* k, uint64_t h) {
    return k->seen_count > 0 && k->seen[(k->seen_count - 1) % SEEN] == h;
}

// Remember the active set. False: it was tried before (or, once in 2^64, seems so).
static bool first_visit(newton* k, uint64_t h) {
    const int known = k->seen_count < SEEN ? k->seen_count : SEEN;
    for (int i = 0; i < known; i++) {
        if (k->seen[i] == h) return false;
    }
    k->seen[k->seen_count++ % SEEN] = h;
    return true;
}

// --- active set ------------------------------------------------------------------------------------------------------

// Steps (1) while sets are new and merits improve. Leaves the best point by merit in (z, w).
static void run_active(newton* k) {
    sti_trial* t = &k->t;
    memcpy(t->z, k->z, (size_t)k->n * sizeof *k->z);
    memcpy(t->w, k->w, (size_t)k->n * sizeof *k->w);
    for (int idle = 0; idle < PATIENCE && !sti_trial_out_of_budget(t); idle++) {
        sti_trial_choose_set(t, t->z, t->w);
        const uint64_t h = hash_set(k);
        if (same_as_last(k, h)) {  // solved: (z, w) belongs to alpha, and so do the factors
            t->active = true;
            return;
        }
        if (!first_visit(k, h)) return;
        if (!sti_trial_solve_active(t, t->z)) return;
        t->steps++;
        if (sti_trial_measure(t, t->z, t->w) <= fmin(t->options->tol, 1e-13)) return;
        const double merit = merit_of(k, t->z, t->w);
        if (merit < k->merit) {
            idle = -1;
            accept(k, merit);
        }
    }
}

// --- damped ----------------------------------------------------------------------------------------------------------

// phi, A, B of (2) and the gradient of the merit at (z, w). Returns the length of the gradient.
static double linearize(newton* k) {
    for (int i = 0; i < k->n; i++) {
        const double a = k->z[i], b = k->w[i], r = hypot(a, b);
        k->phi[i] = fischer_burmeister(a, b);
        // at the kink (0, 0) any element of the generalized derivative serves
        // 1 - a/r = b^2 / (r (r + a)) where a > 0, and likewise for b
        if (r == 0)
            k->A[i] = k->B[i] = M_SQRT1_2 - 1;
        else {
            k->A[i] = a > 0 ? -(b / r) * (b / (r + a)) : a / r - 1;
            k->B[i] = b > 0 ? -(a / r) * (a / (r + b)) : b / r - 1;
        }
        k->d[i] = k->B[i] * k->phi[i];
    }
    sti_principal_multiply_transposed(&k->t.system, k->d, k->gradient);
    double sum = 0;
    for (int i = 0; i < k->n; i++) {
        k->gradient[i] += k->A[i] * k->phi[i];
        sum += k->gradient[i] * k->gradient[i];
    }
    return sqrt(sum);
}

// d of (2) with M + nu I in place of M. False: singular, or not finite.
static bool newton_direction(newton* k, double nu) {
    for (int i = 0; i < k->n; i++) {
        k->t.alpha[i] = k->B[i] < -1e-12;  // D3
        k->d[i] = k->t.alpha[i] ? 0 : -k->phi[i] / k->A[i];
        k->E[i] = k->t.alpha[i] ? k->A[i] / k->B[i] + nu : 0;
    }
    k->t.active = false;
    sti_principal_multiply(&k->t.system, k->d, k->Md);
    for (int i = 0; i < k->n; i++) {
        if (k->t.alpha[i]) k->d[i] = -k->phi[i] / k->B[i] - k->Md[i];
    }
    if (!sti_principal_factor(&k->t.system, k->t.alpha, k->E)) return false;
    sti_principal_solve(&k->t.system, k->d);
    for (int i = 0; i < k->n; i++) {
        if (!isfinite(k->d[i])) return false;
    }
    return true;
}

// Slope of the merit along d; Md is filled.
static double slope_of(newton* k) {
    sti_principal_multiply(&k->t.system, k->d, k->Md);
    double slope = 0;
    for (int i = 0; i < k->n; i++) slope += k->gradient[i] * k->d[i];
    return slope;
}

// A descent direction: Newton's, regularized when the system is singular, else the gradient's.
static double choose_direction(newton* k, double gradient_length) {
    for (double nu = 0; nu < 1; nu = nu == 0 ? 1e-8 : 1e3 * nu) {
        if (!newton_direction(k, nu)) continue;
        double length = 0;
        for (int i = 0; i < k->n; i++) length += k->d[i] * k->d[i];
        const double slope = slope_of(k);
        if (slope <= -1e-8 * pow(length, 1.05)) return slope;  // rho |d|^p, p = 2.1
    }
    for (int i = 0; i < k->n; i++) k->d[i] = -k->gradient[i];
    slope_of(k);
    return -gradient_length * gradient_length;
}

// Armijo: the largest t = 1, 1/2, ... with Psi(z + t d) <= past + 1e-4 t slope. False: none.
static bool line_search(newton* k, double slope, double* merit) {
    double past = k->merit;  // D1
    for (int i = 0; i < MEMORY && i < k->past_count; i++) past = fmax(past, k->past[i]);
    double t = 1;
    for (int halving = 0; halving < HALVINGS; halving++, t *= 0.5) {
        for (int i = 0; i < k->n; i++) {
            k->t.z[i] = k->z[i] + t * k->d[i];
            k->t.w[i] = k->w[i] + t * k->Md[i];
        }
        *merit = merit_of(k, k->t.z, k->t.w);
        if (*merit <= past + 1e-4 * t * slope) return true;
    }
    return false;
}

// After the first point within tol a few more steps are taken: convergence is fast there, and where the solution is not
// unique no correction on the active set can replace them.
static bool good_enough(newton* k) {
    if (!(k->t.best_residual <= k->t.options->tol)) return false;
    return k->t.best_residual <= 1e-14 || k->extra++ >= EXTRA;
}

// Try the active set of (z, w), when it is a new one. True: its point solves to rounding, or is much better and
// accepted.
static bool try_active(newton* k) {
    sti_trial* t = &k->t;
    sti_trial_choose_set(t, k->z, k->w);
    if (!first_visit(k, hash_set(k)) || !sti_trial_solve_active(t, k->z)) return false;
    t->steps++;
    if (sti_trial_measure(t, t->z, t->w) <= fmin(t->options->tol, 1e-13)) return true;
    const double merit = merit_of(k, t->z, t->w);
    if (!(merit <= 0.25 * k->merit)) return false;
    accept(k, merit);
    return true;
}

// Damped steps until the tolerance is met (and a little beyond). *stall says why it got stuck, if it did.
static sti_termination run_damped(newton* k, const char** stall) {
    sti_trial* t = &k->t;
    double window_merit = k->merit;
    for (long step = 1; !sti_trial_out_of_budget(t); step++) {
        if (try_active(k)) {
            if (t->best_residual <= fmin(t->options->tol, 1e-13)) return STI_END_SOLUTION;
            continue;
        }
        const double length = linearize(k);
        double merit;
        *stall = "stationary point of the merit function that is no solution";
        if (!isfinite(length) || !(length > 1e-14 * sqrt(k->merit))) return STI_END_STALLED;
        const double slope = choose_direction(k, length);
        *stall = "the line search finds no descent, as near a stationary point that is no solution";
        if (!line_search(k, slope, &merit)) return STI_END_STALLED;
        accept(k, merit);
        sti_trial_slack(t, k->z, k->w);  // sheds the rounding of w + t M d
        t->steps++;
        sti_trial_choose_set(t, k->z, k->w);
        sti_trial_measure(t, k->z, k->w);
        if (good_enough(k)) return STI_END_SOLUTION;
        if (step % WINDOW == 0) {
            *stall = "the merit function hardly falls any more";
            if (k->merit > 0.5 * window_merit) return STI_END_STALLED;
            window_merit = k->merit;
        }
    }
    return STI_END_LIMIT;
}

// --- the method ------------------------------------------------------------------------------------------------------

static void explain(const newton* k, const char* how, const char* stall) {
    const sti_trial* t = &k->t;
    sti_lcp_answer* answer = t->answer;
    const size_t size = sizeof answer->reason;
    switch (answer->termination) {
        case STI_END_STALLED:
            snprintf(answer->reason, size,
                     "%s: %ld steps, residual %.1e (M is not P0, or there is no solution, or accuracy is lost)", stall,
                     t->steps, t->best_residual);
            break;
        default:
            if (answer->termination == STI_END_LIMIT) how = sti_trial_budget_text(t);
            snprintf(answer->reason, size, "%s: %ld steps, residual %.1e", how, t->steps, t->best_residual);
            break;
    }
}

static void iterate(newton* k) {
    sti_trial* t = &k->t;
    if (t->options->start != NULL) sti_scaled_lcp_enter(&t->p, t->options->start, k->z);
    sti_trial_slack(t, k->z, k->w);
    k->merit = merit_of(k, k->z, k->w);
    sti_trial_choose_set(t, k->z, k->w);
    const char *how = "the starting point solves", *stall = "";
    t->answer->termination = STI_END_SOLUTION;
    if (!(sti_trial_measure(t, k->z, k->w) <= fmin(t->options->tol, 1e-14))) {
        how = "active-set Newton converged";
        run_active(k);
        if (!(t->best_residual <= t->options->tol)) {
            how = "damped Newton converged";
            t->answer->termination = run_damped(k, &stall);
        }
    }
    if (t->best_residual <= t->options->tol) {
        t->answer->termination = STI_END_SOLUTION;
        sti_trial_polish(t);
    }
    t->answer->iterations = t->steps;
    explain(k, how, stall);
}

sti_status sti_lcp_method_newton(sti_env* env, const sti_lcp* lcp, const sti_lcp_options* options,
                                 sti_lcp_answer* answer) {
    newton k = {.n = lcp->n};
    sti_status status = sti_trial_init(&k.t, env, "newton", lcp, options, DEFAULT_LIMIT, answer);
    if (status != STI_OK) return status;
    if (k.t.p.applicable) {
        status = reserve(&k, env);
        if (status == STI_OK) iterate(&k);
        sti_free(env, k.store);
    }
    sti_trial_clear(&k.t);
    return status;
}
