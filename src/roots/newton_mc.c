// newton_mc.c: Newton's method with random weights (S3 section 3.2, (3.2.3)-(3.2.6)).
//
//     x*_0 = x_0,   x_1  = x_0 - f(x_0) / f'(x_0)
//                   x*_k = x_k - f(x_k) / f'((1 - g) x_{k-1} + g x*_{k-1})        predictor
//                x_{k+1} = x_k - f(x_k) / f'((1 - g) x_k     + g x*_k)            corrector,  k = 1, 2, ..
//
// with g = gamma_k drawn from (0, 1), one for both lines; g = 1/2 is the method of McDougall and Wotherspoon. A run
// ends as in S3: k > maxIter, or |f(x_k)| <= tolFun; also when a number is not finite, and the draws that the run would
// still have made are made then, so that run i starts from the same state whatever the others did.
//
// For several equations f' is the Jacobian and the quotient a linear solve (docs/bounds.md says what is left of the
// orders).
//
// Departures: D1 a run counts as a success only if a root is proved within 1e-6 of where it ended: |f| <= tolFun alone
// also accepts x exp(-x) at 40. D2 x_1 is the same in all runs, so a start whose Newton step leaves the domain fails in
// all of them; that is the method, and is reported.
#include "base/rng.h"
#include "roots/found.h"

typedef struct run {
    sti_equations* q;
    double x0[MOST], x[MOST], star[MOST];  // x_0; x_k; x*_k
    double last[MOST], last_star[MOST];    // x_{k-1}, x*_{k-1}
    double f[MOST];                        // f(x_k)
    long k;
} run;

// out = x - J((1 - g) a + g b)^-1 f
static bool move(const run* r, const double* a, const double* b, double g, double* out) {
    const int n = r->q->n;
    double at[MOST], step[MOST], ignored[MOST], J[MOST * MOST];
    for (int k = 0; k < n; k++) at[k] = (1 - g) * a[k] + g * b[k];
    const bool finite = sti_equations_at(r->q, at, ignored, J);
    r->q->evaluations--;  // f at that point is not asked for
    memcpy(step, r->f, sizeof step);
    if (!finite && n > 1) return false;
    if (n == 1)
        step[0] /= J[0];
    else if (!sti_dense_algebra(J, step, n))
        return false;
    for (int k = 0; k < n; k++) {
        out[k] = r->x[k] - step[k];
        if (!isfinite(out[k])) return false;
    }
    return true;
}

static bool evaluate(run* r) {
    return sti_equations_at(r->q, r->x, r->f, NULL);
}

// x_1 from x_0
static bool begin(run* r) {
    double next[MOST];
    const size_t bytes = (size_t)r->q->n * sizeof *next;
    memcpy(r->x, r->x0, bytes);
    memcpy(r->last, r->x0, bytes);
    memcpy(r->last_star, r->x0, bytes);
    r->k = 1;
    if (!evaluate(r) || !move(r, r->x, r->x, 0, next)) return false;
    memcpy(r->x, next, bytes);
    return evaluate(r);
}

static bool step(run* r, double g) {
    double next[MOST];
    const size_t bytes = (size_t)r->q->n * sizeof *next;
    if (!move(r, r->last, r->last_star, g, r->star) || !move(r, r->x, r->star, g, next)) return false;
    memcpy(r->last, r->x, bytes);
    memcpy(r->last_star, r->star, bytes);
    memcpy(r->x, next, bytes);
    r->k++;
    return evaluate(r);
}

// Where a run ended: the root it is within 1e-6 of, -1: none is proved there.
static sti_status find_near(run* r, const sti_root_options* o, sti_found* f, int* at) {
    const int n = r->q->n;
    sti_proved root;
    *at = -1;
    for (int i = 0; i <= f->root_count; i++) {
        bool near = true;
        if (i == f->root_count) {
            const long evaluations = r->q->evaluations;
            const bool proved = sti_prove_near(r->q, r->x, o->width, &root);
            r->q->evaluations = evaluations;  // proofs are not part of the method
            if (!proved) return STI_OK;
        }
        const sti_interval* x = i < f->root_count ? f->root[i].x : root.x;
        for (int k = 0; k < n; k++) near = near && x[k].low - 1e-6 < r->x[k] && r->x[k] < x[k].high + 1e-6;
        if (!near) continue;
        if (i == f->root_count) return sti_found_add(f, r->q, &root, at);
        *at = i;
        return STI_OK;
    }
    return STI_OK;
}

static void newton_beside(sti_equations* q, const sti_root_options* o, const double* start, sti_root_runs* out) {
    run r = {.q = q};
    memcpy(r.x, start, (size_t)q->n * sizeof *start);
    bool good = evaluate(&r);
    for (long k = 0;; k++) {
        if (out->iterate_count < 6) {
            for (int i = 0; i < q->n; i++) out->newton_iterate[out->iterate_count][i] = r.x[i];
            out->iterate_count++;
        }
        out->newton_iterations = k;
        out->newton_converged = good && sti_roots_size(r.f, q->n) <= o->tol_f;
        if (!good || out->newton_converged || k >= o->max_iterations) break;
        double next[MOST];
        good = move(&r, r.x, r.x, 0, next);
        if (good) memcpy(r.x, next, (size_t)q->n * sizeof *next);
        good = good && evaluate(&r);
        if (!good) {
            out->newton_iterations = k + 1;
            break;
        }
    }
}

// Wilson's interval for the probability of success, 95 %.
static void confidence(sti_root_runs* out) {
    const double z = 1.959963984540054, n = (double)out->runs, p = out->rate, z2 = z * z / n;
    const double centre = (p + z2 / 2) / (1 + z2), half = z * sqrt(p * (1 - p) / n + z2 / (4 * n)) / (1 + z2);
    out->rate_low = fmax(0, centre - half);
    out->rate_high = fmin(1, centre + half);
}

sti_status sti_newton_mc(sti_equations* q, const sti_root_options* o, const double* start, sti_found* f,
                         sti_root_runs* out) {
    run r = {.q = q};
    sti_rng rng = {.state = o->seed};
    double iterations = 0;
    memcpy(r.x0, start, (size_t)q->n * sizeof *start);
    *out = (sti_root_runs){.runs = o->runs};
    const long before = q->evaluations;
    for (long i = 0; i < o->runs; i++) {
        const sti_status late = sti_check_time(q->env, "making runs");
        if (late != STI_OK) return late;
        bool good = begin(&r), ended = false;
        for (long k = 1; k <= o->max_iterations && !ended; k++) {
            const double g = isnan(o->gamma) ? sti_rng_u01(&rng) : o->gamma;
            good = good && step(&r, g);
            ended = good && sti_roots_size(r.f, q->n) <= o->tol_f;
        }
        if (!ended) continue;
        int at;
        const sti_status status = find_near(&r, o, f, &at);
        if (status != STI_OK) return status;
        if (at < 0) {
            out->spurious++;
            continue;
        }
        out->successes++;
        f->runs[at]++;
        iterations += (double)(r.k - 1);
    }
    out->evaluations = q->evaluations - before;
    out->rate = (double)out->successes / (double)out->runs;
    out->mean_iterations = out->successes > 0 ? iterations / (double)out->successes : NAN;
    confidence(out);
    newton_beside(q, o, start, out);
    return STI_OK;
}
