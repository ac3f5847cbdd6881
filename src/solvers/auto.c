// auto.c: choose a method, fall back to others, remember what was tried and why.
//
// The table below is the order (base/portfolio.h walks it). Pivoting comes first where it is cheap: about n pivots, a
// residual near rounding, and a theorem behind it (S3 theorem 1.2.8); on dense problems it is also the fastest of ours
// at every size measured (bench/results). Its dense basis makes it the wrong choice for large sparse problems: the
// obstacle problem on a grid of 50 x 50 costs 2353 pivots of 2500^2 entries, and nine sparse factorizations by Newton's
// method. There a handful of active sets is tried (not on very large grids, where they are many), then interior points,
// whose steps hardly grow.
//
// Small problems stop after the first: exact arithmetic decides them afterwards. The best point seen is kept. What the
// answer proves is concluded by the caller, on the original data.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/portfolio.h"
#include "base/rng.h"
#include "solvers/exact_lcp.h"
#include "solvers/solvers.h"

enum {
    DENSE_LIMIT = 12000,       // pairs of a sparse problem for which a dense basis is made
    ACTIVE_SETS = 16,          // Newton steps on a sparse problem: a few settle it; their number grows with the grid
    COVERING = STI_STAGE_OWN,  // lemke by another path: a random covering vector
    LAST = STI_STAGE_LAST,
};

typedef struct portfolio {
    sti_env* env;
    const sti_lcp* lcp;
    const sti_lcp_options* options;
    sti_lcp_answer* best;  // the caller's answer
    double best_residual;
    double deadline;
    double* w;         // scratch         (n)
    double* covering;  // a vector d > 0  (n)
    sti_rng rng;       // of covering vectors
    bool small;        // exact arithmetic decides it
    bool dense;        // a dense basis is made of it
    bool banded;       // sparse and symmetric: factors are sparse as well
} portfolio;

static bool small(const void* self) {
    const portfolio* f = self;
    return f->small;
}

static bool sparse_factors(const void* self) {
    const portfolio* f = self;
    return f->banded;
}

static bool few_sets(const void* self) {
    const portfolio* f = self;
    return f->banded && f->dense;
}

static bool large(const void* self) {
    const portfolio* f = self;
    return !f->dense && !f->banded;
}

static bool too_large(const void* self) {
    const portfolio* f = self;
    return !f->dense;
}

static bool fits(const void* self) {
    const portfolio* f = self;
    return f->dense;
}

static bool fits_once(const void* self) {  // interior points have not been tried yet
    const portfolio* f = self;
    return f->dense && !f->banded;
}

static bool diagonal_positive(const void* self) {
    const portfolio* f = self;
    for (int i = 0; i < f->lcp->n; i++) {
        if (!(sti_matrix_get(&f->lcp->M, i, i) > 0)) return false;
    }
    return true;
}

static const sti_stage stages[] = {
    {STI_LCP_LEMKE, 0, small, LAST, "small: exact arithmetic decides the rest"},
    {STI_LCP_NEWTON, ACTIVE_SETS, few_sets, 0, "sparse and symmetric: few active sets may do"},
    {STI_LCP_IPM, 0, sparse_factors, 0, "sparse and symmetric: steps that do not grow with n"},
    {STI_LCP_IPM, 0, large, 0, "large and sparse"},
    {STI_LCP_PGS, 0, too_large, LAST, "large and sparse"},
    {STI_LCP_LEMKE, 0, fits, 0, "pivoting first"},
    {STI_LCP_NEWTON, 0, fits, 0, "pivoting ended without a solution"},
    {STI_LCP_LEMKE, 0, fits, COVERING, "another covering vector"},
    {STI_LCP_LEMKE, 0, fits, COVERING, "another covering vector"},
    {STI_LCP_LEMKE, 0, fits, COVERING, "another covering vector"},
    {STI_LCP_IPM, 0, fits_once, 0, "in case the matrix is monotone"},
    {STI_LCP_PGS, 0, diagonal_positive, LAST, "last resort"},
};

enum { STAGES = sizeof stages / sizeof *stages };

static bool late(const portfolio* f) {
    return isfinite(f->deadline) && sti_now(f->env) > f->deadline;
}

static bool symmetric(const sti_matrix* M) {
    for (int j = 0; j < M->cols; j++) {
        for (int64_t k = M->col_start[j]; k < M->col_start[j + 1]; k++) {
            const double a = M->value[k], b = sti_matrix_get(M, j, M->row[k]);
            if (!(fabs(a - b) <= 1e-14 * (fabs(a) + fabs(b)))) return false;
        }
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

// The options of a stage: a limit of the caller's counts for each of them.
static sti_lcp_options options_of(portfolio* f, const sti_stage_use* use) {
    sti_lcp_options o = *f->options;
    if (isfinite(f->deadline)) o.time_limit_s = fmax(use->time_s, 1e-3);
    if (use->limit > 0 && (o.max_iterations == 0 || o.max_iterations > use->limit)) o.max_iterations = use->limit;
    if ((use->stage->flags & COVERING) == 0) return o;
    for (int i = 0; i < f->lcp->n; i++) f->covering[i] = 0.25 + sti_rng_u01(&f->rng);
    o.covering = f->covering;
    return o;
}

// The ray found shows that nothing is feasible: no other method will do better.
static bool ray_is_proof(portfolio* f) {
    const sti_mlcp p = sti_mlcp_from_lcp(f->lcp);
    return f->best->ray.dz != NULL && sti_ray_bound(&p, f->best->ray.dz, f->w) > 0;
}

static void note(portfolio* f, const sti_stage_use* use, const sti_lcp_answer* trial, double residual, double time_s) {
    const sti_lcp_solver solver = (sti_lcp_solver)use->stage->method;
    sti_lcp_attempt* a = &f->best->attempts[f->best->attempt_count++];
    *a = (sti_lcp_attempt){.solver = solver,
                           .termination = trial->termination,
                           .residual = residual,
                           .iterations = trial->iterations,
                           .time_s = time_s};
    snprintf(a->why, sizeof a->why, "%s", use->why);
    sti_log(f->env, STI_LOG_INFO, "auto: %s (%s): %s, residual %.2e, %ld iterations", sti_lcp_solver_text(solver),
            use->why, sti_termination_text(trial->termination), residual, trial->iterations);
}

// Keeps the point when it is the best so far, and the first ray: that may prove more than a poor point.
static void keep(portfolio* f, sti_lcp_solver solver, double residual, sti_lcp_answer* trial) {
    sti_lcp_answer* best = f->best;
    if (trial->termination == STI_END_RAY && best->ray.dz == NULL) {
        const sti_ray r = best->ray;
        best->ray = trial->ray;
        trial->ray = r;
    }
    if (!(residual < f->best_residual || (isinf(f->best_residual) && best->attempt_count == 1))) return;
    f->best_residual = isnan(residual) ? INFINITY : residual;
    swap_points(best, trial);
    best->solver = solver;
    best->iterations = trial->iterations;
    best->basis_nonsingular = trial->basis_nonsingular;
    best->termination = trial->termination;
    memcpy(best->reason, trial->reason, sizeof best->reason);
}

static sti_status use_stage(void* self, sti_stage_use* use) {
    portfolio* f = self;
    const sti_lcp_solver solver = (sti_lcp_solver)use->stage->method;
    sti_lcp_answer trial;
    sti_status status = sti_lcp_answer_reserve(f->env, 0, f->lcp->n, &trial);
    if (status != STI_OK) return status;
    const double start = sti_clock();
    const sti_lcp_options options = options_of(f, use);
    status = sti_lcp_method_of(solver)(f->env, f->lcp, &options, &trial);
    if (status == STI_OK) {
        const double residual =
            trial.termination == STI_END_NOT_APPLICABLE ? NAN : sti_lcp_point_residual(f->lcp, trial.z, f->w);
        note(f, use, &trial, residual, sti_clock() - start);
        keep(f, solver, residual, &trial);
        use->residual = f->best_residual;
        use->iterations = trial.iterations;
        use->proved = f->best_residual > f->options->tol && ray_is_proof(f);
    }
    sti_lcp_answer_clear(f->env, &trial);
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
        answer->solver = STI_LCP_LEMKE;
        return STI_OK;
    }
    answer->attempts = sti_alloc_array_zero(env, STAGES, sizeof *answer->attempts);
    double* scratch = sti_alloc_array(env, 2 * n, sizeof *scratch);
    if (answer->attempts == NULL || scratch == NULL) {
        sti_free(env, scratch);
        return STI_ERR_MEMORY;
    }
    portfolio f = {.env = env,
                   .lcp = lcp,
                   .options = options,
                   .best = answer,
                   .best_residual = INFINITY,
                   .deadline = sti_deadline(env, options->time_limit_s),
                   .w = scratch,
                   .covering = scratch + n,
                   .rng = {.state = 1},
                   .small = lcp->n <= options->exact_limit,
                   .dense = !sti_matrix_is_sparse(&lcp->M) || lcp->n <= DENSE_LIMIT,
                   .banded = sti_matrix_is_sparse(&lcp->M) && symmetric(&lcp->M)};
    sti_portfolio all = {.env = env,
                         .stages = stages,
                         .count = STAGES,
                         .caller = &f,
                         .use = use_stage,
                         .tol = options->tol,
                         .deadline = f.deadline,
                         .residual = INFINITY};
    const sti_status status = sti_portfolio_run(&all);
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
