// solve.c: the front door of contact problems: check, reduce, run a method, carry back, conclude.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "contact/contact.h"
#include "contact/equilibrate.h"
#include "contact/existence.h"
#include "contact/hyperstatic.h"
#include "contact/judge.h"
#include "contact/local.h"
#include "contact/posed.h"
#include "contact/quick.h"
#include "contact/reduce.h"
#include "contact/section_solve.h"
#include "contact/stretch.h"
#include "contact/touch.h"
#include "contact/velocity_form.h"

const char* sti_contact_solver_text(sti_contact_solver solver) {
#define STI_X(code, name) [code] = #name,
    static const char* const names[] = {STI_CONTACT_SOLVER_LIST(STI_X)};
#undef STI_X
    return (unsigned)solver < STI_CONTACT_SOLVER_COUNT ? names[solver] : "?";
}

const char* sti_contact_mode_text(sti_contact_mode mode) {
    switch (mode) {
#define STI_X(code, text) \
    case code:            \
        return text;
        STI_CONTACT_MODE_LIST(STI_X)
#undef STI_X
        default:
            return "?";
    }
}

bool sti_contact_solver_parse(const char* name, sti_contact_solver* out) {
    for (int s = 0; s < STI_CONTACT_SOLVER_COUNT; s++) {
        if (strcmp(name, sti_contact_solver_text((sti_contact_solver)s)) == 0) {
            *out = (sti_contact_solver)s;
            return true;
        }
    }
    return false;
}

sti_contact_options sti_contact_options_default(void) {
    return (sti_contact_options){.solver = STI_CONTACT_AUTO, .tol = 1e-8, .relaxation = 1.0, .describe = true};
}

void sti_contact_answer_clear(sti_env* env, sti_contact_answer* a) {
    void* owned[] = {a->r,      a->u,           a->v,        a->lambda,        a->mode,
                     a->margin, a->dissipation, a->attempts, a->certificate.y, a->certificate.lambda};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sti_free(env, owned[k]);
    *a = (sti_contact_answer){0};
}

static sti_status reserve_answer(sti_env* env, const sti_contact_problem* p, sti_contact_answer* a) {
    *a = (sti_contact_answer){.dimension = p->dimension,
                              .contact_count = p->contact_count,
                              .velocity_count = p->global ? p->velocity_count : 0,
                              .bilateral_count = p->bilateral_count,
                              .worst_contact = -1,
                              .residual = NAN,
                              .undetermined = NAN,
                              .undetermined_dimension = -1};
    const size_t n = (size_t)(p->dimension * p->contact_count);
    a->r = sti_alloc_array_zero(env, n, sizeof *a->r);
    a->u = sti_alloc_array_zero(env, n, sizeof *a->u);
    a->v = p->global ? sti_alloc_array_zero(env, (size_t)p->velocity_count, sizeof *a->v) : NULL;
    a->lambda = sti_alloc_array_zero(env, (size_t)p->bilateral_count, sizeof *a->lambda);
    if (a->r != NULL && a->u != NULL && a->lambda != NULL && (!p->global || a->v != NULL)) return STI_OK;
    sti_contact_answer_clear(env, a);
    return STI_ERR_MEMORY;
}

sti_contact_method* sti_contact_method_of(sti_contact_solver solver) {
#define STI_X(code, name) [code] = sti_contact_method_##name,
    static sti_contact_method* const methods[STI_CONTACT_SOLVER_COUNT] = {STI_CONTACT_METHOD_LIST(STI_X)};
#undef STI_X
    return methods[solver];
}

static sti_status check_options(sti_env* env, const sti_contact_options* o, const sti_contact_problem* p) {
    if (o->solver < 0 || o->solver >= STI_CONTACT_SOLVER_COUNT)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "no such solver: %d", (int)o->solver);
    if (!(o->tol > 0)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tol is %g, must be positive", o->tol);
    if (!(o->relaxation > 0 && o->relaxation < 2))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "relaxation is %g, must lie in (0, 2)", o->relaxation);
    if (o->memory != NULL && !sti_contact_memory_is_of(o->memory, env))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "memory belongs to another environment");
    if (o->minimum_norm && o->solver == STI_CONTACT_VELOCITIES)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "minimum_norm does not go with velocities");
    if (o->minimum_norm && !p->global && p->W_op != NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "minimum_norm needs W as a matrix, not as an operator");
    for (int i = 0; o->guess_r != NULL && i < p->dimension * p->contact_count; i++) {
        if (!isfinite(o->guess_r[i]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "guess_r[%d] is %g, not a finite number", i, o->guess_r[i]);
    }
    return STI_OK;
}

// The part of the tolerance below which nothing is doubted, where doubles can tell
static double clearly(double tol) {
    return fmax(1e-3 * tol, fmin(tol, 1e-13));
}

// The residual by which this is judged. Against forces that run away it is rounding, and as uncertain.
static double judged(const sti_contact_answer* a) {
    enum { DOUBT = 4, FAR = 1000 };
    return sti_contact_safely(a->runaway > FAR ? DOUBT * a->residual : a->residual);
}

// The method once, on the reduced problem; in even units where its own are not.
static sti_status run_method(const sti_contact_reduction* red, sti_contact_even* even,
                             const sti_contact_options* options, sti_contact_answer* a, sti_contact_run* run) {
    const sti_contact_local* p = even->scale != NULL ? &even->local : &red->local;
    const int d = p->d, n = d * p->nc;
    *run = (sti_contact_run){.r = a->r, .u = a->u, .residual = INFINITY, .multipliers = a->certificate.y};
    for (int i = 0; even->scale != NULL && i < n; i++) a->r[i] /= even->scale[i / d];
    const sti_status status = options->solver == STI_CONTACT_AUTO
                                  ? sti_contact_run_auto(p, options, run, a)
                                  : sti_contact_method_of(options->solver)(p, options, run);
    for (int i = 0; even->scale != NULL && i < n; i++) a->r[i] *= even->scale[i / d];
    for (int c = 0; even->scale != NULL && a->certificate.y != NULL && c < p->nc; c++)
        a->certificate.y[c] *= even->scale[c];
    return status;
}

static sti_status touch_once(sti_contact_reduction* red, sti_contact_even* even, sti_contact_block* block, int sweeps,
                             sti_contact_answer* a) {
    const sti_contact_local* p = even->scale != NULL ? &even->local : &red->local;
    const int d = p->d, n = d * p->nc;
    for (int i = 0; even->scale != NULL && i < n; i++) a->r[i] /= even->scale[i / d];
    sti_contact_touch(p, block, sweeps, a->r);
    for (int i = 0; even->scale != NULL && i < n; i++) a->r[i] *= even->scale[i / d];
    return sti_contact_expand_and_measure(red, a);
}

// Sweeps while they help; `before` (d nc) is room for the point that stays where they do not.
static sti_status touch_while_it_helps(sti_contact_reduction* red, sti_contact_even* even, sti_contact_block* block,
                                       const sti_contact_options* options, double* before, sti_contact_answer* a,
                                       long* iterations) {
    enum { TRIES = 4, SWEEPS = 2, AHEAD = 2 };  // of that many more tries the gain has to be enough
    const size_t n = (size_t)(red->local.d * red->local.nc);
    sti_status status = STI_OK;
    for (int try = 0; try < TRIES && status == STI_OK && !(judged(a) <= options->tol); try++) {
        const double was = judged(a);
        if (options->max_iterations > 0 && *iterations + SWEEPS > options->max_iterations) break;
        memcpy(before, a->r, n * sizeof *before);
        status = touch_once(red, even, block, SWEEPS, a);
        *iterations += SWEEPS;
        const double gain = judged(a) / was;
        if (status != STI_OK || judged(a) * pow(gain, AHEAD) <= options->tol) continue;
        if (!(judged(a) <= was)) {
            memcpy(a->r, before, n * sizeof *before);
            status = sti_contact_expand_and_measure(red, a);
        }
        break;
    }
    return status;
}

// Within the tolerance by the norm over all contacts, but not at every contact: a few sweeps mostly mend that.
static sti_status touch_up(sti_contact_reduction* red, sti_contact_even* even, const sti_contact_options* options,
                           sti_contact_answer* a, long* iterations) {
    const size_t nc = (size_t)red->local.nc;
    if (red->local.op != NULL) return STI_OK;
    sti_arena memory = sti_arena_make(red->env);
    double* before = sti_arena_raw(&memory, (size_t)red->local.d * nc, sizeof *before);
    sti_contact_block* block = sti_arena_raw(&memory, nc, sizeof *block);
    sti_status status = STI_OK;
    if (memory.status != STI_OK) {
        status = STI_ERR_MEMORY;
    } else {
        sti_contact_touch_prepare(even->scale != NULL ? &even->local : &red->local, block);
        status = touch_while_it_helps(red, even, block, options, before, a, iterations);
    }
    sti_arena_clear(&memory);
    return status;
}

// Rounds of the method. Singular masses or joints take a few. So may any other problem: a method stops by one norm over
// all contacts, which is cheap, and the residual that decides looks at every contact by itself, and at forces that run
// away.
static sti_status run_rounds(sti_contact_reduction* red, const sti_contact_options* options, sti_contact_answer* a) {
    enum { ROUNDS = 30 };
    static const double FINEST = 1e-16, BOLDEST = 1e-3;
    long iterations = a->iterations;
    sti_contact_even even = {0};
    sti_contact_options now = *options;
    sti_status status = sti_contact_uneven(&red->local) ? sti_contact_even_create(&red->local, &even) : STI_OK;
    for (int round = 0; round < ROUNDS && status == STI_OK; round++) {
        sti_contact_run run;
        status = run_method(red, &even, &now, a, &run);
        if (status != STI_OK) break;
        iterations += run.iterations;
        a->termination = run.termination;
        memcpy(a->reason, run.reason, sizeof a->reason);
        status = sti_contact_expand_and_measure(red, a);
        if (run.termination == STI_END_RAY || status != STI_OK || judged(a) <= options->tol) break;
        const bool converged = run.residual <= now.tol;
        if (converged && !red->proximal) status = touch_up(red, &even, options, a, &iterations);
        if (status != STI_OK || judged(a) <= options->tol) break;
        if (red->proximal) {
            if (sti_contact_recenter(red, a->r) <= 1e-15) break;
            if (even.scale != NULL) sti_contact_even_follow(&even, &red->local);
        } else {
            if (!(converged && now.tol > FINEST)) break;
            now.tol *= fmin(fmax(BOLDEST, 0.5 * options->tol / judged(a)), 0.5);
        }
    }
    sti_contact_even_clear(&even);
    a->iterations = iterations;
    return status;
}

// A method has proved the local problem empty. That is a statement about the problem as posed when nothing was reduced.
static void take_proof(sti_env* env, const sti_contact_problem* p, sti_contact_answer* a) {
    if (a->certificate.y != NULL && a->termination == STI_END_RAY && !p->global && p->bilateral_count == 0) {
        a->certificate.proof = STI_PROOF_FARKAS;
        a->certificate.bound = INFINITY;
        return;
    }
    sti_free(env, a->certificate.y);
    a->certificate = (sti_contact_certificate){0};
}

static const char reason_solved[] = "every contact and every row within the tolerance, on the original data";

static void conclude(const sti_contact_options* options, sti_contact_answer* a) {
    if (a->certificate.proof == STI_PROOF_FARKAS) {
        a->outcome = STI_NO_SOLUTION;
        return;
    }
    if (judged(a) <= options->tol) {
        a->outcome = STI_SOLVED;
        a->termination = STI_END_SOLUTION;
        strcpy(a->reason, reason_solved);
        return;
    }
    a->outcome = a->termination == STI_END_LIMIT ? STI_LIMIT : STI_UNKNOWN;
    if (a->termination == STI_END_SOLUTION) a->termination = STI_END_STALLED;
    if (a->runaway > 1 && a->residual <= a->runaway * options->tol)
        snprintf(a->reason, sizeof a->reason,
                 "forces run away, and only against them the residual is small: perhaps infeasible");
    if (a->reason[0] == '\0')
        snprintf(a->reason, sizeof a->reason, "no method came within the tolerance at every contact");
}

// What was tried before the portfolio
static sti_status record(sti_env* env, double start, bool solved, const char* why, sti_contact_answer* a) {
    a->time_s = sti_clock() - start;
    if (a->iterations > 0) {
        a->attempts = sti_alloc(env, sizeof *a->attempts);
        if (a->attempts == NULL) return STI_ERR_MEMORY;
        a->attempt_count = 1;
        *a->attempts = (sti_contact_attempt){.solver = a->solver,
                                             .termination = solved ? STI_END_SOLUTION : STI_END_STALLED,
                                             .residual = a->residual,
                                             .iterations = a->iterations,
                                             .time_s = a->time_s};
        strcpy(a->attempts->why, why);  // printing takes as long as a small problem
    }
    if (!solved) return STI_OK;
    a->outcome = STI_SOLVED;
    a->termination = STI_END_SOLUTION;
    strcpy(a->reason, reason_solved);
    return STI_OK;
}

// Before anything is prepared: problems of which few contacts press (quick.c), rigid bodies with many contacts
// (velocities.c). What is left open goes on from its point.
static sti_status try_at_once(sti_env* env, const sti_contact_problem* p, const sti_contact_options* options,
                              double start, double deadline, sti_contact_answer* a) {
    bool done;
    if (!p->global) {
        const sti_status status = sti_contact_quick(env, p, options, a, &done);
        if (status != STI_OK) return status;
        return record(env, start, done, "sweeps by columns of W, and Newton on the few contacts that still move", a);
    }
    const sti_status status = sti_contact_try_velocities(env, p, options, deadline, a, &done);
    if (status != STI_OK || !done) return status;
    a->solver = STI_CONTACT_VELOCITIES;
    return record(env, start, judged(a) <= options->tol, "many contacts for few rigid bodies: their velocities", a);
}

// A little more accuracy than was asked for; whatever comes of it, the point stays a solution.
static sti_status polish(sti_contact_reduction* red, const sti_contact_options* options, double deadline,
                         sti_contact_answer* a) {
    enum { PATIENCE = 300 };
    const size_t n = (size_t)(red->local.d * red->local.nc);
    if (red->proximal) return STI_OK;  // its rounds do not go back
    double* before = sti_alloc_array(red->env, n, sizeof *before);
    if (before == NULL) return STI_ERR_MEMORY;
    memcpy(before, a->r, n * sizeof *before);
    sti_contact_options tighter = *options;
    tighter.tol *= 0.01;
    tighter.max_iterations = PATIENCE;
    if (isfinite(deadline)) tighter.time_limit_s = fmax(deadline - sti_clock(), 1e-3);
    sti_status status = run_rounds(red, &tighter, a);
    if (status == STI_OK) conclude(options, a);
    if (status == STI_OK && a->outcome != STI_SOLVED) {
        memcpy(a->r, before, n * sizeof *before);
        status = sti_contact_expand_and_measure(red, a);
        if (status == STI_OK) conclude(options, a);
    }
    sti_free(red->env, before);
    return status;
}

// Forces in units of energy
static double force_size(const sti_contact_local* p, const double* r) {
    double sum = 0;
    for (int i = 0; i < p->d * p->nc; i++) sum += r[i] * r[i] / p->rho[i / p->d];
    return sqrt(sum);
}

// What a second run of the portfolio may not change
typedef struct claim {
    sti_contact_solver solver;
    int attempt_count;
    long iterations;
    double* r;
} claim;

// The claim again: r, and who made it
static sti_status restore(sti_contact_reduction* red, const claim* k, const sti_contact_options* options,
                          sti_contact_answer* a) {
    memcpy(a->r, k->r, (size_t)(red->local.d * red->local.nc) * sizeof *a->r);
    a->solver = k->solver;
    a->attempt_count = k->attempt_count;
    a->iterations = k->iterations;
    const sti_status status = sti_contact_expand_and_measure(red, a);
    conclude(options, a);
    return status;
}

// A part of the tolerance, from the portfolio. grown: the forces run away on the way. reached: not, and the point is
// that good; `auto` keeps it then. A method that was chosen keeps its own point.
static sti_status insist(sti_contact_reduction* red, const sti_contact_options* options, double deadline,
                         sti_contact_answer* a, bool* grown, bool* reached) {
    enum { PATIENCE = 3000, GROWTH = 10 };
    const sti_contact_local* p = &red->local;
    const size_t n = (size_t)(p->d * p->nc);
    const bool portfolio = options->solver == STI_CONTACT_AUTO;
    *grown = *reached = false;
    sti_contact_options sharper = *options;
    sharper.solver = STI_CONTACT_AUTO;
    sharper.tol = clearly(options->tol);
    sharper.max_iterations = PATIENCE;
    if (portfolio && options->max_iterations > 0 && options->max_iterations - a->iterations < PATIENCE)
        sharper.max_iterations = options->max_iterations - a->iterations;
    if (isfinite(deadline)) sharper.time_limit_s = fmax(deadline - sti_clock(), 1e-3);
    if (sharper.max_iterations <= 0) return STI_OK;
    claim before = {a->solver, a->attempt_count, a->iterations, sti_alloc_array(red->env, n, sizeof *before.r)};
    if (before.r == NULL) return STI_ERR_MEMORY;
    memcpy(before.r, a->r, n * sizeof *before.r);
    sti_status status = run_rounds(red, &sharper, a);
    conclude(&sharper, a);
    *grown = force_size(p, a->r) > GROWTH * force_size(p, before.r);
    *reached = a->outcome == STI_SOLVED && !*grown;
    if (status == STI_OK && !(*reached && portfolio)) status = restore(red, &before, options, a);
    sti_free(red->env, before.r);
    return status;
}

// A few contacts, and a point that is only just within the tolerance. A solution stays where it is when more accuracy
// is asked for; where there is none, forces grow with every digit, or the residual stays. So it is asked for. What does
// not get there is believed where a solution is known to exist, and otherwise called unknown, or no solution where that
// can be shown.
static sti_status confirm(sti_contact_reduction* red, const sti_contact_options* options, double deadline,
                          sti_contact_answer* a) {
    enum { FEW = 60 };
    bool grown, reached;
    if (red->local.nc > FEW || red->local.op != NULL || judged(a) <= clearly(options->tol)) return STI_OK;
    sti_status status = insist(red, options, deadline, a, &grown, &reached);
    if (status != STI_OK || reached) return status;
    sti_contact_existence x;
    status = sti_contact_existence_find(red->env, red->problem, red,
                                        isfinite(deadline) ? fmax(deadline - sti_clock(), 1e-3) : 0, &x);
    if (status != STI_OK) return status;
    const bool exists = x.exists || (x.pointed.finding == STI_FINDING_HOLDS && x.definite && red->nb == 0);
    sti_contact_existence_clear(red->env, &x);
    if (exists) return STI_OK;
    a->outcome = STI_UNKNOWN;
    a->termination = STI_END_STALLED;
    snprintf(a->reason, sizeof a->reason, "within the tolerance, but %s: perhaps no solution",
             grown ? "forces grow with every digit of accuracy that is asked for"
                   : "no smaller residual was found, and no proof of a solution");
    return STI_OK;
}

// Of all r with the same velocities the smallest. Which contacts are closed is read off velocities better than the
// tolerance asks for, so the point is improved first. A determined r stays as it is.
static sti_status make_smallest(sti_contact_reduction* red, const sti_contact_options* options, double deadline,
                                sti_contact_answer* a) {
    sti_status status = sti_contact_count_open(red, options, a);
    if (status != STI_OK || !isnan(a->undetermined)) return status;
    status = polish(red, options, deadline, a);
    sti_contact_options left = *options;
    if (isfinite(deadline)) left.time_limit_s = fmax(deadline - sti_clock(), 1e-3);
    return status == STI_OK ? sti_contact_minimum_norm(red, &left, a) : status;
}

sti_status sti_contact_solve(sti_env* env, const sti_contact_problem* p, const sti_contact_options* given,
                             sti_contact_answer* a) {
    const sti_contact_options options = given != NULL ? *given : sti_contact_options_default();
    sti_status status = sti_contact_check(env, p);
    if (status == STI_OK) status = check_options(env, &options, p);
    if (status != STI_OK) {
        *a = (sti_contact_answer){0};
        return status;
    }
    status = reserve_answer(env, p, a);
    if (status != STI_OK) return status;
    const double start = sti_clock(), deadline = options.time_limit_s > 0 ? start + options.time_limit_s : INFINITY;
    a->solver = options.solver;
    if (options.guess_r != NULL)
        memcpy(a->r, options.guess_r, (size_t)(p->dimension * p->contact_count) * sizeof *a->r);
    if (p->section != NULL && sti_contact_has_sections(p)) {
        status = sti_contact_solve_sections(env, p, &options, a);
        if (status != STI_OK) sti_contact_answer_clear(env, a);
        return status;
    }
    const bool whole = options.solver == STI_CONTACT_VELOCITIES;  // nothing is reduced
    if (options.solver == STI_CONTACT_AUTO) status = try_at_once(env, p, &options, start, deadline, a);
    if (whole) status = sti_contact_solve_velocities(env, p, &options, deadline, a);
    if (whole && status == STI_OK) conclude(&options, a);
    // described answers are looked at more closely where they are only just within the tolerance
    const bool ready = whole || (a->outcome == STI_SOLVED && !(options.describe && a->residual > clearly(options.tol)));
    if (status == STI_OK && !ready && (options.solver == STI_CONTACT_LEMKE || options.solver == STI_CONTACT_AUTO)) {
        // for the one method that proves
        a->certificate.y = sti_alloc_array_zero(env, (size_t)p->contact_count, sizeof *a->certificate.y);
        if (a->certificate.y == NULL) status = STI_ERR_MEMORY;
    }
    if (ready && status == STI_OK && options.describe && a->outcome == STI_SOLVED)
        status = sti_contact_doubt(env, p, deadline, a);
    if (ready && status == STI_OK && options.describe) status = sti_contact_describe(env, p, a);
    sti_contact_reduction red;
    if (status == STI_OK && !ready) status = sti_contact_reduce_again(env, p, options.memory, &red);
    if (status == STI_OK && !ready) {
        status = run_rounds(&red, &options, a);
        take_proof(env, p, a);
        if (status == STI_OK) conclude(&options, a);
        if (status == STI_OK && a->outcome == STI_SOLVED && options.describe)
            status = confirm(&red, &options, deadline, a);
        if (status == STI_OK && a->outcome == STI_SOLVED && options.describe)
            status = sti_contact_doubt(env, p, deadline, a);
        if (status == STI_OK && a->outcome != STI_SOLVED && options.describe)
            status = sti_contact_explain(&red, deadline, a);
        if (status == STI_OK && a->outcome == STI_SOLVED && options.minimum_norm)
            status = make_smallest(&red, &options, deadline, a);
        if (status == STI_OK && options.describe) status = sti_contact_describe(env, p, a);
        sti_contact_reduction_clear(&red);
    }
    if (!ready || options.describe) a->time_s = sti_clock() - start;
    if (status != STI_OK) sti_contact_answer_clear(env, a);
    return status;
}
