// solve.c: the front door of contact problems: check, reduce, run a method, carry back, conclude.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/contact.h"
#include "contact/local.h"
#include "contact/posed.h"
#include "contact/reduce.h"

const char* sti_contact_solver_text(sti_contact_solver solver) {
    switch (solver) {
#define STI_X(code, text) \
    case code:            \
        return text;
        STI_CONTACT_SOLVER_LIST(STI_X)
#undef STI_X
        default:
            return "?";
    }
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
    void* owned[] = {a->r, a->u, a->v, a->lambda, a->mode, a->margin, a->dissipation, a->attempts};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sti_free(env, owned[k]);
    *a = (sti_contact_answer){0};
}

static sti_status reserve_answer(sti_env* env, const sti_contact_problem* p, sti_contact_answer* a) {
    *a = (sti_contact_answer){.dimension = p->dimension,
                              .contact_count = p->contact_count,
                              .velocity_count = p->global ? p->velocity_count : 0,
                              .bilateral_count = p->bilateral_count,
                              .worst_contact = -1,
                              .residual = NAN};
    const size_t n = (size_t)(p->dimension * p->contact_count);
    a->r = sti_alloc_array_zero(env, n, sizeof *a->r);
    a->u = sti_alloc_array_zero(env, n, sizeof *a->u);
    a->v = p->global ? sti_alloc_array_zero(env, (size_t)p->velocity_count, sizeof *a->v) : NULL;
    a->lambda = sti_alloc_array_zero(env, (size_t)p->bilateral_count, sizeof *a->lambda);
    if (a->r != NULL && a->u != NULL && a->lambda != NULL && (!p->global || a->v != NULL)) return STI_OK;
    sti_contact_answer_clear(env, a);
    return STI_FAIL(env, STI_ERR_MEMORY, -1, "answer for %d contacts", p->contact_count);
}

sti_contact_method* sti_contact_method_of(sti_contact_solver solver) {
    switch (solver) {
        case STI_CONTACT_GS:
            return sti_contact_method_gs;
        case STI_CONTACT_NEWTON:
            return sti_contact_method_newton;
        case STI_CONTACT_APGD:
            return sti_contact_method_apgd;
        case STI_CONTACT_BB:
            return sti_contact_method_bb;
        case STI_CONTACT_ADMM:
            return sti_contact_method_admm;
        default:
            return NULL;
    }
}

static sti_status check_options(sti_env* env, const sti_contact_options* o, const sti_contact_problem* p) {
    if (o->solver < 0 || o->solver >= STI_CONTACT_SOLVER_COUNT)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "no such solver: %d", (int)o->solver);
    if (!(o->tol > 0)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tol is %g, must be positive", o->tol);
    if (!(o->relaxation > 0 && o->relaxation < 2))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "relaxation is %g, must lie in (0, 2)", o->relaxation);
    for (int i = 0; o->guess_r != NULL && i < p->dimension * p->contact_count; i++) {
        if (!isfinite(o->guess_r[i]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "guess_r[%d] is %g, not a finite number", i, o->guess_r[i]);
    }
    return STI_OK;
}

// The method on the reduced problem; singular masses or joints take a few rounds of it.
static sti_status run_rounds(sti_contact_reduction* red, const sti_contact_options* options, sti_contact_answer* a) {
    enum { ROUNDS = 30 };
    const sti_contact_problem* p = red->problem;
    long iterations = 0;
    sti_status status = STI_OK;
    for (int round = 0; round < ROUNDS; round++) {
        sti_contact_run run = {.r = a->r, .u = a->u, .residual = INFINITY};
        if (options->solver == STI_CONTACT_AUTO)
            status = sti_contact_run_auto(&red->local, options, &run, a);
        else
            status = sti_contact_method_of(options->solver)(&red->local, options, &run);
        if (status != STI_OK) return status;
        iterations += run.iterations;
        a->termination = run.termination;
        memcpy(a->reason, run.reason, sizeof a->reason);
        sti_contact_expand(red, a->r, a->v, a->lambda);
        status = sti_contact_residual(red->env, p, a);
        if (status != STI_OK || !red->proximal || a->residual <= options->tol) break;
        if (sti_contact_recenter(red, a->r) <= 1e-15) break;
    }
    a->iterations = iterations;
    return status;
}

// The residual is relative to |r|, so an infeasible problem, on which r grows without bound, would pass in the end. For the
// verdict |r| therefore counts for at most this multiple of |rho q|; on real problems it stays below ten.
static const double farthest = 100;

static double judged_residual(const sti_contact_local* p, const sti_contact_answer* a) {
    double sum = 0;
    for (int i = 0; i < p->d * p->nc; i++) sum += a->r[i] * a->r[i];
    const double far = p->scale > 0 ? sqrt(sum) / (farthest * p->scale) : 0;
    return a->residual_equation + (far > 1 ? far * a->residual_contact : a->residual_contact);
}

static void conclude(const sti_contact_local* p, const sti_contact_options* options, sti_contact_answer* a) {
    if (judged_residual(p, a) <= options->tol) {
        a->outcome = STI_SOLVED;
        a->termination = STI_END_SOLUTION;
        snprintf(a->reason, sizeof a->reason, "natural map on the original data within the tolerance");
        return;
    }
    a->outcome = a->termination == STI_END_LIMIT ? STI_LIMIT : STI_UNKNOWN;
    if (a->termination == STI_END_SOLUTION) a->termination = STI_END_STALLED;
    if (a->residual <= options->tol)
        snprintf(a->reason, sizeof a->reason,
                 "r runs away, and only against it the residual is small: perhaps infeasible");
}

sti_status sti_contact_solve(sti_env* env, const sti_contact_problem* p, const sti_contact_options* given,
                             sti_contact_answer* a) {
    *a = (sti_contact_answer){0};
    const sti_contact_options options = given != NULL ? *given : sti_contact_options_default();
    sti_status status = sti_contact_check(env, p);
    if (status == STI_OK) status = check_options(env, &options, p);
    if (status == STI_OK) status = reserve_answer(env, p, a);
    if (status != STI_OK) return status;
    const double start = sti_clock();
    a->solver = options.solver;
    if (options.guess_r != NULL)
        memcpy(a->r, options.guess_r, (size_t)(p->dimension * p->contact_count) * sizeof *a->r);
    sti_contact_reduction red;
    status = sti_contact_reduce(env, p, &red);
    if (status == STI_OK) {
        status = run_rounds(&red, &options, a);
        if (status == STI_OK) conclude(&red.local, &options, a);
        if (status == STI_OK && a->outcome != STI_SOLVED) sti_contact_diagnose(&red.local, a);
        if (status == STI_OK && options.describe) status = sti_contact_describe(env, p, a);
        sti_contact_reduction_clear(&red);
    }
    a->time_s = sti_clock() - start;
    if (status != STI_OK) sti_contact_answer_clear(env, a);
    return status;
}
