// auto.c: a portfolio for contact problems: the table by which methods escalate (base/portfolio.h), and the best point.
//
// Block Gauss-Seidel first: a few sweeps settle most contacts and often everything. What crawls (tall stacks,
// hyperstatic bodies, bad conditioning) goes to Newton's method from there, small problems to pivots on facets, then to
// gradient steps, ADMM and interior points, and round again with more patience. Every method starts from the best point
// so far and none can make it worse. A stage that gains is run again; one that proves that there is no solution ends
// it.
//
// How many sweeps first: a factorization of a large problem costs as much as hundreds of them, one of a small problem
// as much as a few. A small problem therefore changes early, and earlier still when high accuracy is wanted, which is
// what Newton's method is good at. Islands are factored one by one, so it is the largest of them that counts: towers
// beside each other are small problems, however many they are.
//
// Small problems end their first sweeps as soon as the gain of the last ones says that those allowed will not do: walls
// are done after 20, stacks after 40, and after 8 it shows which is which. Newton's method then makes none of its own.
//
// What each rule was tried on, and what it saves: bench/README.md, "The order of auto". From the best point alternating
// directions stay where Newton's method has led them; so they begin at zero.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/portfolio.h"
#include "contact/contact.h"
#include "par/graph.h"

enum {
    SMALL = 200,   // contacts of the largest island: up to here a factorization costs a few sweeps
    MIDDLE = 600,  //   and up to here its factors stay in the caches
    FEW = 60,      // contacts, for pivots on facets
    MANY = 1500,   // too many for interior points
    SWEEPS = 24,   // at first
    SWEEPS_LARGE = 160,
    SWEEPS_ACCURATE = 16,
    AGAIN = 8,  // stages that may be run again
    FIRST = STI_STAGE_OWN,
    FRESH = 2 * STI_STAGE_OWN,  // from zero, not from the best point
};
#define ACCURATE 1e-6
#define NEARLY 5.0  // residual over tol
#define GAIN 0.3    // residual over what it was
#define GAIN_OF_SWEEPS 0.8

typedef struct portfolio {
    const sti_contact_local* p;
    const sti_contact_options* options;
    sti_contact_run* best;
    sti_contact_answer* answer;  // its attempts, and who found the best point
    double* trial;               // r, u                                                       (2 d nc)
    int islands, largest;        // how many, and contacts of the largest
} portfolio;

// An operator shows no islands; of few contacts they do not matter.
static sti_status find_islands(portfolio* f) {
    const sti_contact_local* p = f->p;
    f->islands = 1;
    f->largest = p->nc;
    if (p->op != NULL || p->nc <= FEW) return STI_OK;
    const sti_graph graph = {.n = p->nc, .row_start = p->W.row_start, .col = p->W.col};
    int* order = sti_alloc_array(p->env, 2 * (size_t)p->nc + 1, sizeof *order);
    if (order == NULL) return STI_ERR_MEMORY;
    int* start = order + p->nc;
    const sti_status status = sti_graph_islands(p->env, &graph, order, start, &f->islands);
    f->largest = 0;
    for (int i = 0; i < f->islands && status == STI_OK; i++) {
        const int count = start[i + 1] - start[i];
        f->largest = count > f->largest ? count : f->largest;
    }
    sti_free(p->env, order);
    return status;
}

static bool large_and_rough(const void* self) {
    const portfolio* f = self;
    return f->largest > SMALL && f->options->tol >= ACCURATE;
}

static bool middle(const void* self) {
    const portfolio* f = self;
    return f->largest > SMALL && f->largest <= MIDDLE;
}

static bool not_middle(const void* self) {
    return !middle(self);
}

static bool few(const void* self) {
    return ((const portfolio*)self)->p->nc <= FEW;
}

static bool not_many(const void* self) {
    return ((const portfolio*)self)->p->nc <= MANY;
}

static const sti_stage stages[] = {
    {STI_CONTACT_GS, SWEEPS_LARGE, NULL, FIRST, "a few sweeps settle most contacts"},
    {STI_CONTACT_APGD, 400, large_and_rough, 0, "sweeps converge slowly: gradient steps see all contacts at once"},
    {STI_CONTACT_NEWTON, 24, middle, 0, "sweeps converge slowly: Newton from where they are"},
    {STI_CONTACT_ADMM, 4000, middle, FRESH, "Newton goes from mode to mode: alternating directions, from zero"},
    {STI_CONTACT_NEWTON, 60, not_middle, 0, "sweeps converge slowly: Newton from where they are"},
    {STI_CONTACT_LEMKE, 1000, few, 0, "few contacts: pivots on facets, which bad conditioning does not slow"},
    {STI_CONTACT_GS, 1000, NULL, 0, "not solved by Newton: more sweeps"},
    {STI_CONTACT_NEWTON, 300, NULL, 0, "Newton again, from a better point"},
    {STI_CONTACT_BB, 3000, NULL, 0, "gradient steps from the point of Newton"},
    {STI_CONTACT_ADMM, 5000, NULL, 0, "stiff or hyperstatic: alternating directions"},
    {STI_CONTACT_NEWTON, 300, NULL, 0, "Newton from the point of ADMM"},
    {STI_CONTACT_IPM, 200, not_many, 0, "interior points, which degeneracy does not slow"},
    {STI_CONTACT_GS, 20000, NULL, 0, "sweeps, with a high limit"},
    {STI_CONTACT_NEWTON, 1000, NULL, 0, "Newton, with a high limit"},
    {STI_CONTACT_ADMM, 20000, NULL, 0, "alternating directions, with a high limit"},
    {STI_CONTACT_NEWTON, 1000, NULL, 0, "Newton, the last attempt"},
};

enum { STAGES = sizeof stages / sizeof *stages };

// made: sweeps before the portfolio, which count
static long first_sweeps(const portfolio* f, long made) {
    if (f->largest > SMALL) return SWEEPS_LARGE;
    const long all = f->options->tol < ACCURATE ? SWEEPS_ACCURATE : SWEEPS;
    return made < all / 2 ? all - made : all / 2;
}

// Sweeps of a large problem are run again when they are nearly there; Newton's method while it goes down.
static bool gains(const void* self, const sti_stage* stage, double residual, double gain) {
    const portfolio* f = self;
    if ((stage->flags & FIRST) != 0)
        return f->largest > SMALL && residual <= NEARLY * f->options->tol && gain <= GAIN_OF_SWEEPS;
    return stage->method == STI_CONTACT_NEWTON && gain <= GAIN;
}

static void keep(portfolio* f, const sti_contact_run* one, sti_contact_solver solver) {
    const size_t n = (size_t)(f->p->d * f->p->nc);
    if (one->residual < f->best->residual) {
        memcpy(f->best->r, one->r, n * sizeof *one->r);
        memcpy(f->best->u, one->u, n * sizeof *one->u);
        f->best->residual = one->residual;
    } else if (one->termination != STI_END_RAY) {
        return;
    }
    f->best->termination = one->termination;
    memcpy(f->best->reason, one->reason, sizeof f->best->reason);
    f->answer->solver = solver;
}

// A caller who counts, as steps of bodies do, has a guess that is nearly right, and what rests has to stay at rest:
// sweeps spread the forces of redundant contacts more evenly than Newton's method.
static void hint(const portfolio* f, const sti_stage* stage, sti_contact_run* one) {
    if (f->options->max_iterations > 0) return;
    const int made = f->answer->attempt_count;
    one->brief = (stage->flags & FIRST) != 0 && f->largest <= SMALL;
    one->swept = made > 0 && f->answer->attempts[made - 1].solver == STI_CONTACT_GS;
}

static sti_status use_stage(void* self, sti_stage_use* use) {
    portfolio* f = self;
    const sti_contact_local* p = f->p;
    const size_t n = (size_t)(p->d * p->nc);
    const sti_contact_solver solver = (sti_contact_solver)use->stage->method;
    const double start = sti_clock();
    sti_contact_options o = *f->options;
    o.max_iterations = use->limit;
    if ((use->stage->flags & FIRST) != 0) {
        const long first = first_sweeps(f, f->answer->iterations);
        if (first < o.max_iterations) o.max_iterations = first;
    }
    // Newton's method counts the steps of all islands together
    if (solver == STI_CONTACT_NEWTON && f->options->max_iterations == 0) o.max_iterations *= f->islands;
    o.time_limit_s = use->time_s;
    sti_contact_run one = {.r = f->trial, .u = f->trial + n, .residual = INFINITY, .multipliers = f->best->multipliers};
    if ((use->stage->flags & FRESH) != 0)
        memset(one.r, 0, n * sizeof *one.r);
    else
        memcpy(one.r, f->best->r, n * sizeof *one.r);
    hint(f, use->stage, &one);
    const sti_status status = sti_contact_method_of(solver)(p, &o, &one);
    if (status != STI_OK) return status;
    sti_contact_attempt* a = &f->answer->attempts[f->answer->attempt_count++];
    *a = (sti_contact_attempt){.solver = solver,
                               .termination = one.termination,
                               .residual = one.residual,
                               .iterations = one.iterations,
                               .time_s = sti_clock() - start};
    snprintf(a->why, sizeof a->why, "%s", use->why);
    f->best->iterations += one.iterations;
    keep(f, &one, solver);
    use->residual = f->best->residual;
    use->iterations = one.iterations;
    use->proved = one.termination == STI_END_RAY;
    return STI_OK;
}

sti_status sti_contact_run_auto(const sti_contact_local* p, const sti_contact_options* options, sti_contact_run* run,
                                sti_contact_answer* answer) {
    sti_env* env = p->env;
    const size_t n = (size_t)(p->d * p->nc);
    sti_contact_attempt* attempts =
        sti_realloc(env, answer->attempts, (size_t)(answer->attempt_count + STAGES + AGAIN) * sizeof *attempts);
    if (attempts == NULL) return STI_ERR_MEMORY;
    answer->attempts = attempts;
    double* trial = sti_alloc_array(env, 2 * n, sizeof *trial);
    if (trial == NULL) return STI_ERR_MEMORY;
    sti_contact_local_apply(p, run->r, run->u);
    run->residual = sti_contact_natural_map(p, run->r, run->u, NULL);
    run->termination = run->residual <= options->tol ? STI_END_SOLUTION : STI_END_LIMIT;
    portfolio f = {.p = p, .options = options, .best = run, .answer = answer, .trial = trial};
    sti_portfolio all = {.env = env,
                         .stages = stages,
                         .count = STAGES,
                         .caller = &f,
                         .use = use_stage,
                         .gains = gains,
                         .most_again = AGAIN,
                         .tol = options->tol,
                         .budget = options->max_iterations,
                         .deadline = options->time_limit_s > 0 ? sti_now(env) + options->time_limit_s : INFINITY,
                         .residual = run->residual,
                         .iterations = run->iterations};
    sti_status status = find_islands(&f);
    if (status == STI_OK) status = sti_portfolio_run(&all);
    sti_free(env, trial);
    return status;
}
