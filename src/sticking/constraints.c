// constraints.c: can the constraints of the contact problem (43) hold, and is there something to hold F?
//
//     X'a + c_x = 0 (tangents that stick, bilateral normals),    U'a + c_u >= 0 (unilateral normals)
//
// (43) is solvable exactly when some acceleration satisfies them and F'x >= 0 for all x with M x = 0, X'x = 0, U'x >=
// 0. Either has a proof when it fails: a Farkas vector, or such an x with F'x < 0.
#include <math.h>

#include "sticking/sticking.h"

#define CONSISTENT 1e-9  // rows that miss their constants by less count as solved, in floating point

static sti_row_kind kind_of(const sti_posed* s, int i, int k) {
    return k == 0 && !s->bilateral[i] ? STI_ROW_NONNEGATIVE : STI_ROW_ZERO;
}

static void add_held(const sti_posed* s, sti_cone_program* g, bool equations, bool rates) {
    for (int i = 0; i < s->nc; i++) {
        for (int k = 0; k < s->row[i + 1] - s->row[i]; k++) {
            const sti_row_kind kind = kind_of(s, i, k);
            if (equations || kind == STI_ROW_NONNEGATIVE)
                sti_posed_held_row(s, g, sti_program_add(g, kind, i), i, k, rates);
        }
    }
}

// The point of least norm, or multipliers of the rows.
static sti_status solve_conic(sti_cone_program* g, sti_constraints* out) {
    out->outcome = STI_CONIC_INFEASIBLE;
    sti_status status = sti_program_reduce(g);
    double *weight = sti_arena_doubles(g->pool, (size_t)g->size), *dual = sti_arena_doubles(g->pool, (size_t)g->rows);
    if (status != STI_OK || g->pool->status != STI_OK) return status != STI_OK ? status : g->pool->status;
    if (g->outside > CONSISTENT) {
        for (int k = 0; k < g->equations.m; k++) dual[g->equation[k]] = g->witness[k];
        out->farkas = dual;
        return STI_OK;
    }
    for (int j = 0; j < g->size; j++) weight[j] = 1;
    sti_program_answer answer;
    status = sti_program_minimize(g, NULL, weight, &answer);
    if (status != STI_OK) return status;
    out->outcome = answer.outcome;
    if (answer.outcome == STI_CONIC_SOLVED) out->a = answer.x;
    if (answer.outcome == STI_CONIC_INFEASIBLE) {
        sti_program_lift(g, answer.dual);
        out->farkas = answer.dual;
    }
    return g->pool->status;
}

static double* doubles_of(sti_arena* pool, const sti_rationals* r, size_t count) {
    double* out = sti_arena_doubles(pool, count);
    for (size_t k = 0; out != NULL && k < count; k++) out[k] = sti_rationals_double(r, k);
    return out;
}

// In integers: a vertex, or multipliers of the rows.
static sti_status solve_exactly(sti_sticking* r, const sti_cone_program* g, sti_constraints* out) {
    sti_exact_program e = {0};
    sti_status status = sti_exact_program_open(&e, g);
    const size_t count = (size_t)(e.feasible ? g->size : g->rows);
    sti_rationals* x = NULL;
    if (status == STI_OK) status = sti_sticking_rationals(r, count, &x);
    if (status == STI_OK) status = e.feasible ? sti_exact_program_point(&e, x) : sti_exact_program_farkas(&e, x);
    if (status == STI_OK) {
        double* value = doubles_of(g->pool, x, count);
        out->outcome = e.feasible ? STI_CONIC_SOLVED : STI_CONIC_INFEASIBLE;
        *(e.feasible ? &out->a : &out->farkas) = value;
        *(e.feasible ? &out->a_exact : &out->farkas_exact) = x;
        status = g->pool->status;
    }
    sti_exact_program_close(&e);
    return status;
}

sti_status sti_posed_constraints(sti_sticking* r, const sti_posed* s, bool exact, bool equations,
                                 sti_constraints* out) {
    *out = (sti_constraints){.outcome = STI_CONIC_UNKNOWN};
    sti_cone_program g = {0};
    sti_status status = sti_program_open(&g, s->pool, s->n, s->q, exact);
    if (status == STI_OK) {
        add_held(s, &g, equations, true);
        status = s->pool->status;
    }
    if (status == STI_OK) status = exact ? solve_exactly(r, &g, out) : solve_conic(&g, out);
    sti_program_close(&g);
    return status;
}

// x'F = -1 in the cone: without rounding.
static sti_status descend_exactly(sti_sticking* r, const sti_posed* s, sti_constraints* out) {
    sti_cone_program g = {0};
    sti_constraints found = {.outcome = STI_CONIC_UNKNOWN};
    sti_status status = sti_program_open(&g, s->pool, s->n, s->n + s->q + 1, true);
    if (status == STI_OK) {
        const sti_instant_exact* exact = s->instant->exact;
        for (int j = 0; j < s->n; j++) sti_posed_mass_row(s, &g, sti_program_add(&g, STI_ROW_ZERO, -1), j);
        add_held(s, &g, true, false);
        const int row = sti_program_add(&g, STI_ROW_ZERO, -1);
        sti_program_put(&g, row, 0, 1);
        for (int j = 0; j < s->n; j++)
            sti_program_put_data(&g, row, 1 + j, s->instant->F[j], exact ? exact->F : NULL, (size_t)j, 1);
        status = s->pool->status;
    }
    if (status == STI_OK) status = solve_exactly(r, &g, &found);
    if (status == STI_OK && found.outcome == STI_CONIC_SOLVED) {
        out->descent = found.a;
        out->descent_exact = found.a_exact;
    }
    sti_program_close(&g);
    return status;
}

// Least x'F in the cone with |x_j| <= 1, against the terms of that sum.
static sti_status descend(const sti_posed* s, sti_constraints* out) {
    sti_cone_program g = {0};
    sti_status status = sti_program_open(&g, s->pool, s->n, 3 * s->n + s->q, false);
    if (status != STI_OK) return status;
    for (int j = 0; j < s->n; j++) sti_posed_mass_row(s, &g, sti_program_add(&g, STI_ROW_ZERO, -1), j);
    add_held(s, &g, true, false);
    for (int j = 0; j < 2 * s->n; j++) {
        const int row = sti_program_add(&g, STI_ROW_NONNEGATIVE, -1);
        sti_program_put(&g, row, 0, 1);
        sti_program_put(&g, row, 1 + j / 2, j % 2 ? -1 : 1);
    }
    status = sti_program_reduce(&g);
    sti_program_answer answer;
    if (status == STI_OK) status = sti_program_minimize(&g, s->instant->F, NULL, &answer);
    if (status != STI_OK || answer.outcome != STI_CONIC_SOLVED) return status;
    double terms = 0, value = 0;
    for (int j = 0; j < s->n; j++) {
        terms += fabs(s->instant->F[j]);  // |x_j| <= 1
        value += s->instant->F[j] * answer.x[j];
    }
    if (value < -CONSISTENT * terms) out->descent = answer.x;
    return STI_OK;
}

sti_status sti_posed_descent(sti_sticking* r, const sti_posed* s, bool exact, sti_constraints* out) {
    return exact ? descend_exactly(r, s, out) : descend(s, out);
}
