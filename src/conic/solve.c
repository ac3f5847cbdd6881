// solve.c: the public face of conic programs: data are checked, scaled, solved, and the answer is put in order.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "conic/ipm.h"
#include "linalg/check.h"

const char* sti_conic_outcome_text(sti_conic_outcome outcome) {
    switch (outcome) {
#define STI_X(code, text) \
    case code:            \
        return text;
        STI_CONIC_OUTCOME_LIST(STI_X)
#undef STI_X
    }
    return "not an outcome";
}

sti_conic_options sti_conic_options_default(void) {
    return (sti_conic_options){.tol = 1e-9};
}

void sti_conic_answer_clear(sti_env* env, sti_conic_answer* answer) {
    sti_free(env, answer->x);
    sti_free(env, answer->s);
    sti_free(env, answer->y);
    *answer = (sti_conic_answer){0};
}

static sti_status check_program(sti_env* env, const sti_conic* p) {
    if (p->n < 0 || p->m < 0 || p->zero < 0 || p->nonnegative < 0 || p->cone_count < 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a count is negative");
    if (p->cone_count > 0 && p->cone_size == NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "cone_size is missing");
    int64_t rows = (int64_t)p->zero + p->nonnegative;
    for (int c = 0; c < p->cone_count; c++) {
        if (p->cone_size[c] < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, c, "cone %d has %d rows", c, p->cone_size[c]);
        rows += p->cone_size[c];
    }
    if (rows != p->m)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the cones have %lld rows, A has %d", (long long)rows, p->m);
    if ((int64_t)p->n + p->m > INT_MAX / 4) return STI_FAIL(env, STI_ERR_SIZE, -1, "%d variables, %d rows", p->n, p->m);
    sti_status status = sti_matrix_check(env, "A", &p->A, p->m, p->n, true);
    if (status == STI_OK && p->P.rows > 0) status = sti_matrix_check(env, "P", &p->P, p->n, p->n, true);
    if (status == STI_OK) status = sti_vector_check(env, "c", p->c, p->n);
    if (status == STI_OK) status = sti_vector_check(env, "b", p->b, p->m);
    return status;
}

sti_status sti_conic_answer_reserve(sti_env* env, const sti_conic* p, sti_conic_answer* a) {
    *a = (sti_conic_answer){.n = p->n,
                            .m = p->m,
                            .residual_primal = NAN,
                            .residual_dual = NAN,
                            .residual_gap = NAN,
                            .residual = INFINITY,
                            .objective = NAN,
                            .bound = NAN};
    a->x = sti_alloc_array(env, (size_t)p->n, sizeof *a->x);
    a->s = sti_alloc_array(env, (size_t)p->m, sizeof *a->s);
    a->y = sti_alloc_array(env, (size_t)p->m, sizeof *a->y);
    if (a->x == NULL || a->s == NULL || a->y == NULL) return STI_ERR_MEMORY;
    for (int j = 0; j < p->n; j++) a->x[j] = NAN;
    for (int i = 0; i < p->m; i++) a->s[i] = a->y[i] = NAN;
    return STI_OK;
}

sti_status sti_conic_solve(sti_env* env, const sti_conic* program, const sti_conic_options* options,
                           sti_conic_answer* answer) {
    const double started = sti_clock();
    const sti_conic_options o = options != NULL ? *options : sti_conic_options_default();
    *answer = (sti_conic_answer){0};
    sti_status status = check_program(env, program);
    if (status == STI_OK && !(o.tol > 0)) status = STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tol is %g", o.tol);
    if (status == STI_OK && o.guess_x != NULL) status = sti_vector_check(env, "guess_x", o.guess_x, program->n);
    if (status == STI_OK && o.guess_y != NULL) status = sti_vector_check(env, "guess_y", o.guess_y, program->m);
    if (status != STI_OK) return status;
    status = sti_conic_settle(env, program, &o, answer);
    if (status != STI_OK) {
        sti_conic_answer_clear(env, answer);
        return status;
    }
    answer->time_s = sti_clock() - started;
    return STI_OK;
}
