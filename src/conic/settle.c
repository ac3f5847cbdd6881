// settle.c: the method is run, and where it leaves a question open, simpler programs are asked.
//
//     rows     the same rows without an objective: infeasible, or there is a point
//     ray      P x = 0, c'x = -1, A x + s = 0, s in K without an objective: a direction in which the objective falls
//              without end
//
// Both are linear, and need no interior of the original program. They are asked where the method came to no end (the
// program and its dual may both be infeasible, and then its steps fall apart), and the rows also after a ray was found:
// "unbounded" is said of a program with a point, and where the rows contradict each other, that is the answer. They are
// asked again where they contradict each other only just within tol: without P multipliers can be polished.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "conic/ipm.h"

static const double POOR = 1e-3;  // residual of a certificate, over tol

// A certificate is scaled to b'y = -1 or c'x = -1; what it says nothing about becomes NAN.
static void finish(const sti_conic* p, sti_conic_answer* a) {
    double product = 0;
    if (a->outcome == STI_CONIC_INFEASIBLE) {
        for (int i = 0; i < p->m; i++) product += p->b[i] * a->y[i];
        for (int i = 0; i < p->m; i++) a->y[i] /= -product;
        for (int i = 0; i < p->m; i++) a->s[i] = NAN;
        for (int j = 0; j < p->n; j++) a->x[j] = NAN;
    } else if (a->outcome == STI_CONIC_UNBOUNDED) {
        for (int j = 0; j < p->n; j++) product += p->c[j] * a->x[j];
        for (int j = 0; j < p->n; j++) a->x[j] /= -product;
        for (int i = 0; i < p->m; i++) a->s[i] /= -product;
        for (int i = 0; i < p->m; i++) a->y[i] = NAN;
    }
}

// Solve a checked program; on failure the answer is cleared.
static sti_status run(sti_env* env, const sti_conic* program, const sti_conic_options* options,
                      sti_conic_answer* answer) {
    sti_conic_ipm* ipm = NULL;
    sti_status status = sti_conic_answer_reserve(env, program, answer);
    if (status == STI_OK) status = sti_conic_ipm_create(env, program, &ipm);
    if (status == STI_OK && program->P.rows > 0 && program->n > 0)
        status = sti_conic_check_objective(env, program, sti_conic_ipm_scaled(ipm));
    if (status == STI_OK) {
        sti_conic_ipm_run(ipm, options, answer);
        finish(program, answer);
    } else {
        sti_conic_answer_clear(env, answer);
    }
    sti_conic_ipm_destroy(ipm);
    return status;
}

// A question about the rows of a program: c = 0, no P.
static sti_status ask(sti_env* env, const sti_conic* rows, const sti_conic_options* options, sti_conic_answer* out) {
    sti_conic question = *rows;
    double* c = sti_alloc_array_zero(env, (size_t)rows->n, sizeof *c);
    if (c == NULL) return STI_ERR_MEMORY;
    question.P = (sti_matrix){0};
    question.c = c;
    const sti_status status = run(env, &question, options, out);
    sti_free(env, c);
    return status;
}

// The rows alone. They may turn the answer into "infeasible"; *feasible: a point was found.
static sti_status ask_rows(sti_env* env, const sti_conic* program, const sti_conic_options* options,
                           sti_conic_answer* answer, bool* feasible) {
    sti_conic_answer second;
    const sti_status status = ask(env, program, options, &second);
    if (status != STI_OK) return status;
    second.iterations += answer->iterations;
    answer->iterations = second.iterations;
    *feasible = second.outcome == STI_CONIC_SOLVED;
    const bool better = answer->outcome != STI_CONIC_INFEASIBLE || second.residual < answer->residual;
    if (second.outcome == STI_CONIC_INFEASIBLE && better) {
        const sti_conic_answer first = *answer;
        *answer = second;
        second = first;
    }
    sti_conic_answer_clear(env, &second);
    return STI_OK;
}

// [P; c'; A], sparse, and the right side (0, -1, 0) of the rows of a ray.
static sti_status stack(sti_env* env, const sti_conic* program, sti_matrix* out, double** b) {
    const int n = program->n, top = program->P.rows > 0 ? n : 0;
    const sti_matrix none = {.rows = program->m, .cols = n};
    sti_matrix P = {0}, A = {0};
    sti_status status = sti_matrix_to_sparse(env, program->m > 0 ? &program->A : &none, &A);
    if (status == STI_OK && top > 0) status = sti_matrix_to_sparse(env, &program->P, &P);
    *out = (sti_matrix){.rows = top + 1 + program->m, .cols = n};
    if (status == STI_OK) {
        const size_t room = (size_t)A.col_start[n] + (top > 0 ? (size_t)P.col_start[n] : 0) + (size_t)n;
        out->col_start = sti_alloc_array_zero(env, (size_t)n + 1, sizeof *out->col_start);
        out->row = sti_alloc_array(env, room, sizeof *out->row);
        out->value = sti_alloc_array(env, room, sizeof *out->value);
        *b = sti_alloc_array_zero(env, (size_t)out->rows, sizeof **b);
        if (out->col_start == NULL || out->row == NULL || out->value == NULL || *b == NULL) status = STI_ERR_MEMORY;
    }
    int64_t at = 0;
    for (int j = 0; status == STI_OK && j < n; j++) {
        for (int64_t e = top > 0 ? P.col_start[j] : 0; top > 0 && e < P.col_start[j + 1]; e++, at++) {
            out->row[at] = P.row[e];
            out->value[at] = P.value[e];
        }
        out->row[at] = top;
        out->value[at++] = program->c[j];
        for (int64_t e = A.col_start[j]; e < A.col_start[j + 1]; e++, at++) {
            out->row[at] = top + 1 + A.row[e];
            out->value[at] = A.value[e];
        }
        out->col_start[j + 1] = at;
    }
    if (status == STI_OK) (*b)[top] = -1;
    sti_matrix_clear(env, &P);
    sti_matrix_clear(env, &A);
    return status;
}

// Take the ray x, with s of its last m rows, if it is one within tol on the original data.
static sti_status take_ray(sti_env* env, const sti_conic* program, double tol, const sti_conic_answer* from,
                           sti_conic_answer* answer) {
    sti_conic_judge judge;
    const sti_status status = sti_conic_judge_init(&judge, env, program);
    if (status != STI_OK) return status;
    double* s = from->s + (from->m - program->m);
    const sti_conic_residuals r = sti_conic_judge_unbounded(&judge, from->x, s);
    sti_conic_judge_clear(&judge);
    if (!(r.worst <= tol)) return STI_OK;
    for (int j = 0; j < program->n; j++) answer->x[j] = from->x[j];
    for (int i = 0; i < program->m; i++) answer->s[i] = s[i];
    answer->outcome = STI_CONIC_UNBOUNDED;
    answer->residual_primal = r.primal;
    answer->residual_dual = r.dual;
    answer->residual_gap = r.gap;
    answer->residual = r.worst;
    answer->objective = r.objective;
    answer->bound = r.bound;
    finish(program, answer);
    return STI_OK;
}

static sti_status ask_ray(sti_env* env, const sti_conic* program, const sti_conic_options* options,
                          sti_conic_answer* answer) {
    sti_conic rows = *program;
    double* b = NULL;
    sti_status status = stack(env, program, &rows.A, &b);
    rows.m = rows.A.rows;
    rows.zero = program->zero + rows.m - program->m;
    rows.b = b;
    sti_conic_answer second = {0};
    if (status == STI_OK) status = ask(env, &rows, options, &second);
    if (status == STI_OK) {
        answer->iterations += second.iterations;
        if (second.outcome == STI_CONIC_SOLVED) status = take_ray(env, program, options->tol, &second, answer);
        sti_conic_answer_clear(env, &second);
    }
    sti_matrix_clear(env, &rows.A);
    sti_free(env, b);
    return status;
}

sti_status sti_conic_settle(sti_env* env, const sti_conic* program, const sti_conic_options* options,
                            sti_conic_answer* answer) {
    const double started = sti_now(env);
    sti_status status = run(env, program, options, answer);
    if (status != STI_OK) return status;
    sti_conic_options o = *options;
    o.guess_x = o.guess_y = NULL;
    if (o.time_limit_s > 0) o.time_limit_s = fmax(o.time_limit_s - (sti_now(env) - started), 1e-3);
    const bool own_limit = answer->outcome == STI_CONIC_LIMIT && o.max_iterations == 0 && o.time_limit_s == 0;
    const bool open = answer->outcome == STI_CONIC_UNKNOWN || own_limit;
    bool feasible = false;
    const bool poor = answer->outcome == STI_CONIC_INFEASIBLE && program->P.rows > 0 && answer->residual > POOR * o.tol;
    if (open || poor || answer->outcome == STI_CONIC_UNBOUNDED) status = ask_rows(env, program, &o, answer, &feasible);
    if (status == STI_OK && open && answer->outcome != STI_CONIC_INFEASIBLE && program->n > 0)
        status = ask_ray(env, program, &o, answer);
    if (status == STI_OK && answer->outcome == STI_CONIC_UNBOUNDED)
        snprintf(answer->reason, sizeof answer->reason, "%s",
                 feasible ? "the rows have a solution, and the objective falls without end"
                          : "the dual is infeasible; whether the rows have a solution is not known");
    return status;
}
