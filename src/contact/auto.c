// auto.c: a portfolio for contact problems: escalate, keep the best point, tell what was done.
//
// Block Gauss-Seidel first: a few sweeps settle most contacts and often everything. What crawls (tall stacks,
// hyperstatic bodies, bad conditioning) goes to Newton's method from there, small problems to pivots on facets, then to
// gradient steps, ADMM and interior points, and round again with more patience. Every method starts from the best point
// so far and none can make it worse. A stage that gains is run again; one that proves that there is no solution ends
// it.
//
// How many sweeps first: a factorization of a large problem costs as much as hundreds of them, one of a small problem
// as much as a few. A small problem therefore changes early, and earlier still when high accuracy is wanted, which is
// what Newton's method is good at.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/contact.h"

typedef struct stage {
    sti_contact_solver solver;
    long iterations;
    bool rough;  // for large problems and low accuracy only
    int most;    // contacts for which it is tried; 0: any number
    const char* why;
} stage;

static const stage stages[] = {
    {STI_CONTACT_GS, 24, false, 0, "a few sweeps settle most contacts"},
    {STI_CONTACT_APGD, 400, true, 0, "sweeps converge slowly: gradient steps see all contacts at once"},
    {STI_CONTACT_NEWTON, 60, false, 0, "sweeps converge slowly: Newton from where they are"},
    {STI_CONTACT_LEMKE, 1000, false, 60, "few contacts: pivots on facets, which no bad conditioning slows"},
    {STI_CONTACT_GS, 1000, false, 0, "Newton left it open: more sweeps"},
    {STI_CONTACT_NEWTON, 300, false, 0, "Newton again, from a better point"},
    {STI_CONTACT_BB, 3000, false, 0, "gradient steps, from where Newton is"},
    {STI_CONTACT_ADMM, 5000, false, 0, "stiff or hyperstatic: alternating directions"},
    {STI_CONTACT_NEWTON, 300, false, 0, "Newton from the point of ADMM"},
    {STI_CONTACT_IPM, 200, false, 1500, "interior points, which degeneracy does not slow"},
    {STI_CONTACT_GS, 20000, false, 0, "patience"},
    {STI_CONTACT_NEWTON, 1000, false, 0, "Newton, with patience"},
    {STI_CONTACT_ADMM, 20000, false, 0, "alternating directions, with patience"},
    {STI_CONTACT_NEWTON, 1000, false, 0, "Newton for the last time"},
};

enum {
    STAGES = sizeof stages / sizeof *stages,
    SMALL = 200,  // contacts
    SWEEPS_LARGE = 160,
    SWEEPS_ACCURATE = 16,
    EXTRA = 8,  // stages that may be run again
};
#define ACCURATE 1e-6
#define NEARLY 5.0  // residual over tol
#define GAIN 0.3    // residual over what it was
#define GAIN_OF_SWEEPS 0.8

// made: sweeps before the portfolio, which count
static long first_sweeps(const sti_contact_local* p, double tol, long made) {
    if (p->nc > SMALL) return SWEEPS_LARGE;
    const long all = tol < ACCURATE ? SWEEPS_ACCURATE : stages[0].iterations;
    return made < all / 2 ? all - made : all / 2;
}

// Is the stage to be run again, at this residual over tol and after this gain? Sweeps of a large problem when they are
// nearly there; Newton's method while it goes down.
static bool gains(const sti_contact_local* p, int s, double residual, double gain) {
    if (s == 0) return p->nc > SMALL && residual <= NEARLY && gain <= GAIN_OF_SWEEPS;
    return stages[s].solver == STI_CONTACT_NEWTON && gain <= GAIN;
}

sti_status sti_contact_run_auto(const sti_contact_local* p, const sti_contact_options* options, sti_contact_run* run,
                                sti_contact_answer* answer) {
    sti_env* env = p->env;
    const size_t n = (size_t)(p->d * p->nc);
    sti_contact_attempt* attempts =
        sti_realloc(env, answer->attempts, (size_t)(answer->attempt_count + STAGES + EXTRA) * sizeof *attempts);
    if (attempts == NULL) return STI_FAIL(env, STI_ERR_MEMORY, -1, "record of attempts");
    answer->attempts = attempts;
    double* trial = sti_alloc_array(env, 2 * n, sizeof *trial);
    if (trial == NULL) return STI_FAIL(env, STI_ERR_MEMORY, -1, "portfolio for %d contacts", p->nc);
    const double deadline = options->time_limit_s > 0 ? sti_clock() + options->time_limit_s : INFINITY;
    sti_contact_local_apply(p, run->r, run->u);
    run->residual = sti_contact_natural_map(p, run->r, run->u, NULL);
    run->termination = run->residual <= options->tol ? STI_END_SOLUTION : STI_END_LIMIT;
    sti_status status = STI_OK;
    int extra = 0;
    double gain = 1;
    for (int s = 0, last = -1; s < STAGES && status == STI_OK && !(run->residual <= options->tol); s++) {
        const bool again = last >= 0 && extra < EXTRA && gains(p, last, run->residual / options->tol, gain);
        if (again) {
            extra++;
            s = last;
        }
        if (stages[s].rough && (p->nc <= SMALL || options->tol < ACCURATE)) continue;
        if (stages[s].most > 0 && p->nc > stages[s].most) continue;
        last = s;
        const double before = run->residual;
        const double start = sti_clock();
        if (start > deadline) break;
        sti_contact_options o = *options;
        o.max_iterations = s == 0 ? first_sweeps(p, options->tol, answer->iterations) : stages[s].iterations;
        if (options->max_iterations > 0) {  // a limit of the caller's is one for all stages together
            const long left = options->max_iterations - run->iterations;
            if (left <= 0) break;
            if (left < o.max_iterations) o.max_iterations = left;
        }
        if (isfinite(deadline)) o.time_limit_s = deadline - start;
        sti_contact_run one = {.r = trial, .u = trial + n, .residual = INFINITY, .multipliers = run->multipliers};
        memcpy(one.r, run->r, n * sizeof *one.r);
        status = sti_contact_method_of(stages[s].solver)(p, &o, &one);
        if (status != STI_OK) break;
        sti_contact_attempt* a = &answer->attempts[answer->attempt_count++];
        *a = (sti_contact_attempt){.solver = stages[s].solver,
                                   .termination = one.termination,
                                   .residual = one.residual,
                                   .iterations = one.iterations,
                                   .time_s = sti_clock() - start};
        snprintf(a->why, sizeof a->why, "%s", again ? "it gains: more of the same" : stages[s].why);
        run->iterations += one.iterations;
        if (one.residual < run->residual) {
            memcpy(run->r, one.r, n * sizeof *one.r);
            memcpy(run->u, one.u, n * sizeof *one.u);
            run->residual = one.residual;
            run->termination = one.termination;
            memcpy(run->reason, one.reason, sizeof run->reason);
            answer->solver = stages[s].solver;
        }
        gain = run->residual / before;
        if (one.termination == STI_END_RAY) {  // a proof that there is nothing to find
            run->termination = STI_END_RAY;
            memcpy(run->reason, one.reason, sizeof run->reason);
            answer->solver = stages[s].solver;
            break;
        }
    }
    sti_free(env, trial);
    return status;
}
