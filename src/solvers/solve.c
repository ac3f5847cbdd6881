// solve.c: the front door: check the input, reduce what is mixed, run the method, conclude.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/check.h"
#include "solvers/exact_lcp.h"
#include "solvers/mlcp.h"
#include "solvers/solvers.h"

#define TEXT_FUNCTION(type, name, LIST)                          \
    const char* name(type value) {                               \
        switch (value) { LIST(TEXT_CASE) default : return "?"; } \
    }
#define TEXT_CASE(code, text) \
    case code:                \
        return text;

TEXT_FUNCTION(sti_outcome, sti_outcome_text, STI_OUTCOME_LIST)
TEXT_FUNCTION(sti_termination, sti_termination_text, STI_TERMINATION_LIST)
TEXT_FUNCTION(sti_proof, sti_proof_text, STI_PROOF_LIST)

const char* sti_lcp_solver_text(sti_lcp_solver solver) {
#define STI_X(code, name) [code] = #name,
    static const char* const names[] = {STI_LCP_SOLVER_LIST(STI_X)};
#undef STI_X
    return (unsigned)solver < STI_LCP_SOLVER_COUNT ? names[solver] : "?";
}

bool sti_lcp_solver_parse(const char* name, sti_lcp_solver* out) {
    for (int s = 0; s < STI_LCP_SOLVER_COUNT; s++) {
        if (strcmp(name, sti_lcp_solver_text((sti_lcp_solver)s)) == 0) {
            *out = (sti_lcp_solver)s;
            return true;
        }
    }
    return false;
}

sti_lcp_options sti_lcp_options_default(void) {
    return (sti_lcp_options){.solver = STI_LCP_AUTO, .tol = 1e-8, .relaxation = 1.0, .exact_limit = 24};
}

sti_lcp_method* sti_lcp_method_of(sti_lcp_solver solver) {
#define STI_X(code, name) [code] = sti_lcp_method_##name,
    static sti_lcp_method* const methods[STI_LCP_SOLVER_COUNT] = {[STI_LCP_AUTO] = sti_lcp_method_auto,
                                                                  STI_LCP_METHOD_LIST(STI_X)};
#undef STI_X
    return methods[solver];
}

sti_status sti_lcp_answer_reserve(sti_env* env, int free_count, int n, sti_lcp_answer* answer) {
    *answer = (sti_lcp_answer){.free_count = free_count, .n = n, .basis_nonsingular = -1, .residual = NAN};
    answer->u = sti_alloc_array_zero(env, (size_t)free_count, sizeof *answer->u);
    answer->z = sti_alloc_array_zero(env, (size_t)n, sizeof *answer->z);
    answer->w = sti_alloc_array_zero(env, (size_t)n, sizeof *answer->w);
    answer->alpha = sti_alloc_array_zero(env, (size_t)n, 1);
    if (answer->u != NULL && answer->z != NULL && answer->w != NULL && answer->alpha != NULL) return STI_OK;
    sti_lcp_answer_clear(env, answer);
    return STI_ERR_MEMORY;
}

void sti_lcp_answer_clear(sti_env* env, sti_lcp_answer* a) {
    sti_free(env, a->u);
    sti_free(env, a->z);
    sti_free(env, a->w);
    sti_free(env, a->alpha);
    sti_rationals_destroy(a->z_exact);
    sti_certificate_clear(env, &a->certificate);
    sti_free(env, a->ray.z);
    sti_free(env, a->ray.dz);
    sti_free(env, a->attempts);
    *a = (sti_lcp_answer){0};
}

// --- input ---------------------------------------------------------------------------------------------------------

static sti_status check_exact(sti_env* env, const sti_mlcp* p) {
    if ((p->matrix_exact == NULL) != (p->vector_exact == NULL))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1,
                        "exact data must be given for the matrix and the vector, or for neither");
    const size_t k = (size_t)p->n + (size_t)p->m;
    if (p->matrix_exact != NULL &&
        (sti_rationals_count(p->matrix_exact) != k * k || sti_rationals_count(p->vector_exact) != k))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "exact data have the wrong number of entries");
    return STI_OK;
}

static sti_status check_options(sti_env* env, const sti_lcp_options* o, int pairs) {
    if (o->solver < 0 || o->solver >= STI_LCP_SOLVER_COUNT)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "no such solver: %d", (int)o->solver);
    if (!(o->tol > 0)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tol is %g, must be positive", o->tol);
    if (!(o->relaxation > 0 && o->relaxation < 2))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "relaxation is %g, must lie in (0, 2)", o->relaxation);
    for (int i = 0; o->covering != NULL && i < pairs; i++) {
        if (!(o->covering[i] > 0) || !isfinite(o->covering[i]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "covering[%d] is %g, must be positive", i, o->covering[i]);
    }
    return o->start != NULL ? sti_vector_check(env, "start", o->start, pairs) : STI_OK;
}

sti_status sti_mlcp_check(sti_env* env, const sti_mlcp* p, bool mixed) {
    if (p->n < 0 || p->m < 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "sizes %d, %d: must not be negative", p->n, p->m);
    sti_status status = sti_matrix_check(env, "A", &p->A, p->n, p->n, true);
    if (status == STI_OK) status = sti_matrix_check(env, "C", &p->C, p->n, p->m, true);
    if (status == STI_OK) status = sti_matrix_check(env, "D", &p->D, p->m, p->n, true);
    if (status == STI_OK) status = sti_matrix_check(env, mixed ? "B" : "M", &p->B, p->m, p->m, true);
    if (status == STI_OK) status = sti_vector_check(env, "a", p->a, p->n);
    if (status == STI_OK) status = sti_vector_check(env, mixed ? "b" : "q", p->b, p->m);
    if (status == STI_OK) status = check_exact(env, p);
    return status;
}

// --- the way through -----------------------------------------------------------------------------------------------

enum { LAST_RESORT_NODES = 500 };

// auto: exact arithmetic settles what floating point left open, as far as the size allows.
static sti_status settle(sti_env* env, const sti_mlcp* p, const sti_lcp_options* options, sti_lcp_answer* answer) {
    if (options->exact_limit <= 0 || p->m > STI_ENUM_LIMIT || p->n + p->m > 4 * STI_ENUM_LIMIT) return STI_OK;
    const long nodes = p->m <= options->exact_limit ? INT32_MAX : LAST_RESORT_NODES, before = answer->iterations;
    const double start = sti_clock();
    sti_lcp_attempt* attempts =
        sti_realloc(env, answer->attempts, (size_t)(answer->attempt_count + 1) * sizeof *attempts);
    if (attempts == NULL) return STI_ERR_MEMORY;
    answer->attempts = attempts;
    const sti_status status = sti_mlcp_decide(env, p, options, nodes, answer);
    if (status != STI_OK) return status;
    const bool decided = answer->outcome == STI_SOLVED || answer->outcome == STI_NO_SOLUTION;
    sti_lcp_attempt* last = &answer->attempts[answer->attempt_count++];
    *last = (sti_lcp_attempt){.solver = STI_LCP_ENUM,
                              .termination = decided ? answer->termination : STI_END_LIMIT,
                              .residual = answer->outcome == STI_SOLVED ? answer->residual : NAN,
                              .iterations = answer->iterations,
                              .time_s = sti_clock() - start};
    snprintf(last->why, sizeof last->why, "floating point left it open: exact search of the complementary cones");
    if (decided)
        answer->solver = STI_LCP_ENUM;
    else
        answer->iterations = before;
    return STI_OK;
}

static sti_status run_method(sti_env* env, const sti_mlcp* p, const sti_lcp_options* options, sti_lcp_answer* answer) {
    sti_lcp_method* method = sti_lcp_method_of(options->solver);
    if (p->n > 0) return sti_mlcp_solve_reduced(env, p, options, method, answer);
    const sti_lcp lcp = {.n = p->m, .M = p->B, .q = p->b};
    return method(env, &lcp, options, answer);
}

static sti_status solve_checked(sti_env* env, const sti_mlcp* p, const sti_lcp_options* options,
                                sti_lcp_answer* answer) {
    answer->solver = options->solver;
    if (options->solver == STI_LCP_ENUM) {
        if (p->m > STI_ENUM_LIMIT)
            return STI_FAIL(env, STI_ERR_SIZE, p->m, "enum takes at most %d complementary pairs, this problem has %d",
                            STI_ENUM_LIMIT, p->m);
        answer->outcome = STI_LIMIT;
        answer->termination = STI_END_LIMIT;
        snprintf(answer->reason, sizeof answer->reason, "the search was stopped before every case was looked at");
        const long nodes = options->max_iterations > 0 ? options->max_iterations : INT32_MAX;
        return sti_mlcp_decide(env, p, options, nodes, answer);
    }
    sti_status status = run_method(env, p, options, answer);
    // an inconsistent system of equations comes back proved
    if (status == STI_OK && answer->outcome != STI_NO_SOLUTION) status = sti_mlcp_conclude(env, p, options, answer);
    const bool open = answer->outcome == STI_UNKNOWN || (answer->outcome == STI_LIMIT && !(options->time_limit_s > 0));
    if (status == STI_OK && open && options->solver == STI_LCP_AUTO) status = settle(env, p, options, answer);
    return status;
}

static sti_status solve_posed(sti_env* env, const sti_mlcp* p, const sti_lcp_options* given, bool mixed,
                              sti_lcp_answer* answer) {
    *answer = (sti_lcp_answer){0};
    const sti_lcp_options options = given != NULL ? *given : sti_lcp_options_default();
    sti_status status = sti_mlcp_check(env, p, mixed);
    if (status == STI_OK) status = check_options(env, &options, p->m);
    if (status == STI_OK) status = sti_lcp_answer_reserve(env, p->n, p->m, answer);
    if (status != STI_OK) return status;
    const double start = sti_clock();
    status = solve_checked(env, p, &options, answer);
    answer->time_s = sti_clock() - start;
    if (status != STI_OK) sti_lcp_answer_clear(env, answer);
    return status;
}

sti_status sti_lcp_solve(sti_env* env, const sti_lcp* lcp, const sti_lcp_options* options, sti_lcp_answer* answer) {
    const sti_mlcp p = sti_mlcp_from_lcp(lcp);
    return solve_posed(env, &p, options, false, answer);
}

sti_status sti_mlcp_solve(sti_env* env, const sti_mlcp* mlcp, const sti_lcp_options* options, sti_lcp_answer* answer) {
    const sti_status status = solve_posed(env, mlcp, options, true, answer);
    answer->mixed = status == STI_OK;
    return status;
}
