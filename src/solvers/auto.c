// auto.c: choose a method, fall back to others, remember what was tried and why.
//
//     lemke       first: about n pivots, a residual near rounding, and a theorem behind it (S3 theorem 1.2.8); on dense
//                 problems it is also the fastest of ours at every size measured (bench/results)
//     newton      when pivoting ends without a solution, or runs into its limit
//     lemke       with other covering vectors: another path through the same problem
//     ipm         in case the matrix is monotone; it may also find that nothing is feasible
//     pgs         last
//
// Small problems stop after the first: exact arithmetic decides them afterwards. Large sparse ones, where a dense basis does
// not fit, go to ipm and pgs. The best point seen is kept. What the answer proves is concluded by the caller, on the
// original data.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "solvers/exact_lcp.h"
#include "solvers/solvers.h"

enum { MAX_ATTEMPTS = 10, DENSE_LIMIT = 12000 };

typedef struct portfolio {
    sti_env* env;
    const sti_lcp* lcp;
    sti_lcp_options options;
    sti_lcp_answer* best;  // the caller's answer
    double best_residual;
    double deadline;
    double* w;         // scratch         (n)
    double* covering;  // a vector d > 0  (n)
} portfolio;

static bool late(const portfolio* f) {
    return isfinite(f->deadline) && sti_now(f->env) > f->deadline;
}

static bool diagonal_positive(const sti_lcp* lcp) {
    for (int i = 0; i < lcp->n; i++) {
        if (!(sti_matrix_get(&lcp->M, i, i) > 0)) return false;
    }
    return true;
}

static void swap_points(sti_lcp_answer* a, sti_lcp_answer* b) {
    double* d = a->z;
    a->z = b->z;
    b->z = d;
    unsigned char* c = a->alpha;
    a->alpha = b->alpha;
    b->alpha = c;
}

// Run one method; keep its point when it is the best so far. *done: it meets the tolerance, or it is the last word.
static sti_status attempt(portfolio* f, sti_solver solver, const char* why, bool* done) {
    *done = false;
    sti_env* env = f->env;
    sti_lcp_answer* best = f->best;
    if (best->attempt_count == MAX_ATTEMPTS || late(f)) return STI_OK;
    sti_lcp_answer trial;
    sti_status status = sti_lcp_answer_reserve(env, 0, f->lcp->n, &trial);
    if (status != STI_OK) return status;
    const double start = sti_clock();
    if (isfinite(f->deadline)) f->options.time_limit_s = fmax(f->deadline - sti_now(f->env), 1e-3);
    status = sti_lcp_method_of(solver)(env, f->lcp, &f->options, &trial);
    if (status == STI_OK) {
        const double residual =
            trial.termination == STI_END_NOT_APPLICABLE ? NAN : sti_lcp_point_residual(f->lcp, trial.z, f->w);
        sti_attempt* a = &best->attempts[best->attempt_count++];
        *a = (sti_attempt){.solver = solver,
                           .termination = trial.termination,
                           .residual = residual,
                           .iterations = trial.iterations,
                           .time_s = sti_clock() - start};
        snprintf(a->why, sizeof a->why, "%s", why);
        sti_log(env, STI_LOG_INFO, "auto: %s (%s): %s, residual %.2e, %ld iterations", sti_solver_text(solver), why,
                sti_termination_text(trial.termination), residual, trial.iterations);
        *done = residual <= f->options.tol;
        const bool ray = trial.termination == STI_END_RAY && best->ray.dz == NULL;
        if (ray) {  // a ray may prove more than a poor point: keep the first
            sti_ray r = best->ray;
            best->ray = trial.ray;
            trial.ray = r;
        }
        if (residual < f->best_residual || (isinf(f->best_residual) && best->attempt_count == 1)) {
            f->best_residual = isnan(residual) ? INFINITY : residual;
            swap_points(best, &trial);
            best->solver = solver;
            best->iterations = trial.iterations;
            best->basis_nonsingular = trial.basis_nonsingular;
            best->termination = trial.termination;
            memcpy(best->reason, trial.reason, sizeof best->reason);
        }
    }
    sti_lcp_answer_clear(env, &trial);
    return status;
}

// The ray found shows that nothing is feasible: no other method will do better.
static bool ray_is_proof(portfolio* f) {
    const sti_mlcp p = sti_mlcp_from_lcp(f->lcp);
    return f->best->ray.dz != NULL && sti_ray_bound(&p, f->best->ray.dz, f->w) > 0;
}

static sti_status run_portfolio(portfolio* f, bool small, bool dense) {
    bool done = false;
    sti_status status;
    if (!dense) {
        status = attempt(f, STI_SOLVER_IPM, "large and sparse", &done);
        if (status == STI_OK && !done) status = attempt(f, STI_SOLVER_PGS, "large and sparse", &done);
        return status;
    }
    status = attempt(f, STI_SOLVER_LEMKE, small ? "small: exact arithmetic decides the rest" : "pivoting first", &done);
    if (status != STI_OK || done || small || ray_is_proof(f)) return status;
    status = attempt(f, STI_SOLVER_NEWTON, "pivoting ended without a solution", &done);
    if (status != STI_OK || done) return status;
    sti_rng rng = {.state = 1};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < f->lcp->n; i++) f->covering[i] = 0.25 + sti_rng_u01(&rng);
        f->options.covering = f->covering;
        status = attempt(f, STI_SOLVER_LEMKE, "another covering vector", &done);
        f->options.covering = NULL;
        if (status != STI_OK || done) return status;
    }
    status = attempt(f, STI_SOLVER_IPM, "in case the matrix is monotone", &done);
    if (status == STI_OK && !done && diagonal_positive(f->lcp))
        status = attempt(f, STI_SOLVER_PGS, "last resort", &done);
    return status;
}

sti_status sti_lcp_method_auto(sti_env* env, const sti_lcp* lcp, const sti_lcp_options* options,
                               sti_lcp_answer* answer) {
    const size_t n = (size_t)lcp->n;
    bool trivial = true;
    for (int i = 0; i < lcp->n; i++) trivial = trivial && lcp->q[i] >= 0;
    if (trivial) {  // z = 0
        answer->termination = STI_END_SOLUTION;
        answer->basis_nonsingular = 1;
        answer->solver = STI_SOLVER_LEMKE;
        return STI_OK;
    }
    answer->attempts = sti_alloc_array_zero(env, MAX_ATTEMPTS, sizeof *answer->attempts);
    double* scratch = sti_alloc_array(env, 2 * n, sizeof *scratch);
    if (answer->attempts == NULL || scratch == NULL) {
        sti_free(env, scratch);
        return STI_FAIL(env, STI_ERR_MEMORY, -1, "portfolio for %d pairs", lcp->n);
    }
    portfolio f = {.env = env,
                   .lcp = lcp,
                   .options = *options,
                   .best = answer,
                   .best_residual = INFINITY,
                   .deadline = sti_deadline(env, options->time_limit_s),
                   .w = scratch,
                   .covering = scratch + n};
    const bool dense = !sti_matrix_is_sparse(&lcp->M) || lcp->n <= DENSE_LIMIT;
    const sti_status status = run_portfolio(&f, lcp->n <= options->exact_limit, dense);
    // A ray outranks a poor point: it is what can still be turned into a proof.
    if (status == STI_OK && !(f.best_residual <= options->tol)) {
        if (answer->ray.dz != NULL)
            answer->termination = STI_END_RAY;
        else if (late(&f))
            answer->termination = STI_END_LIMIT;
    }
    sti_free(env, scratch);
    return status;
}
