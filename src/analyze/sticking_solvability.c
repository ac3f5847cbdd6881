// sticking_solvability.c: S0 section 3.2: solvability of the contact problem (43) without discs: MFCQ, proposition 7, the
// set E of proposition 8, corollaries 2 and 3.
//
// (43) is the optimality system of  min 1/2 a'M a + F'a  over  X'a + c_x = 0, U'a + c_u >= 0.  It is solvable exactly when
// that set is not empty and F'x >= 0 on its recession directions in ker M, which are the x-part of E. So besides the
// sufficient conditions of S0 the exact answer is there:
//
//     E = E_x x E_y,    E_x = { x : U'x >= 0, M x = 0, X'x = 0 },    E_y = { y : X y in -cone(U) }.
//
// Corrections (errata S0-E8, E9): z of proposition 7 is a solution of X'z = -c_x; E always holds {0} x ker X, so that
// (ii) never holds for dependent tangents; v ranges over E, not over R^n; corollary 2 needs c_x in im X'.
#include <math.h>
#include <string.h>

#include "analyze/sticking_blocks.h"

// ---- linear feasibility

// Multipliers of the rows: those of X when they are there, then those of U (absent: zero).
static void keep_farkas(const sti_blocks* b, bool tangents, const double* dual, double* farkas) {
    if (farkas == NULL) return;
    const int count = b->x + b->u;
    for (int k = 0; k < count; k++) farkas[k] = tangents ? dual[k] : 0;
    const double size = sti_small_max((size_t)count, farkas);
    for (int k = 0; k < count && size > 0; k++) farkas[k] /= size;
}

// By the conic solver: the point of least norm.
static sti_status feasible_conic(const sti_blocks* b, sti_program* p, bool tangents, sti_conic_outcome* outcome,
                                 double** a, double* farkas) {
    *outcome = STI_CONIC_INFEASIBLE;
    sti_status status = sti_program_reduce(p);
    if (status != STI_OK) return status;
    if (p->outside > 1e-9) {
        keep_farkas(b, tangents, p->witness, farkas);
        return STI_OK;
    }
    double* weight = sti_pool_doubles(b->pool, (size_t)b->n);
    if (weight == NULL) return b->pool->status;
    for (int j = 0; j < b->n; j++) weight[j] = 1;
    sti_program_answer answer;
    status = sti_program_minimize(p, NULL, weight, &answer);
    if (status != STI_OK) return status;
    *outcome = answer.outcome;
    *a = answer.outcome == STI_CONIC_SOLVED ? answer.x : NULL;
    if (answer.outcome == STI_CONIC_INFEASIBLE) {
        sti_program_lift(p, answer.dual);
        keep_farkas(b, tangents, answer.dual, farkas);
    }
    return b->pool->status;
}

// In integers: a vertex.
static sti_status feasible_exactly(const sti_blocks* b, sti_program* p, bool tangents, sti_conic_outcome* outcome,
                                   double** a, double* farkas) {
    sti_exact_program e = {0};
    sti_rationals* x = NULL;
    double* out = sti_pool_doubles(b->pool, (size_t)(p->rows + p->size));
    if (out == NULL) return b->pool->status;
    sti_status status = sti_exact_program_open(&e, p);
    const int count = status == STI_OK && e.feasible ? p->size : p->rows;
    if (status == STI_OK) status = sti_rationals_create(b->s->env, (size_t)count, &x);
    if (status == STI_OK) status = e.feasible ? sti_exact_program_point(&e, x) : sti_exact_program_farkas(&e, x);
    for (int k = 0; status == STI_OK && k < count; k++) out[k] = sti_rationals_double(x, (size_t)k);
    *outcome = status == STI_OK && e.feasible ? STI_CONIC_SOLVED : STI_CONIC_INFEASIBLE;
    if (status == STI_OK && e.feasible) *a = out;
    if (status == STI_OK && !e.feasible) keep_farkas(b, tangents, out, farkas);
    sti_rationals_destroy(x);
    sti_exact_program_close(&e);
    return status;
}

// A point of { X'a + c_x = 0, U'a + c_u >= 0 } (tangents: with the equations), or none and then farkas (x + u), scaled to size
// one: X f_x + U f_u = 0, f_u >= 0, c_x'f_x + c_u'f_u < 0.
static sti_status feasible(const sti_blocks* b, bool exact, bool tangents, sti_conic_outcome* outcome, double** a,
                           double* farkas) {
    sti_program p = {0};
    sti_status status = sti_program_open(&p, b->pool, b->n, b->x + b->u, false);
    if (status != STI_OK) return status;
    for (int k = 0; tangents && k < b->x; k++) {
        const int r = sti_program_add(&p, STI_ROW_ZERO, -1);
        sti_program_put(&p, r, 0, b->c_x[k]);
        for (int j = 0; j < b->n; j++) sti_program_put(&p, r, 1 + j, b->X[(size_t)j * b->x + k]);
    }
    for (int k = 0; k < b->u; k++) {
        const int r = sti_program_add(&p, STI_ROW_NONNEGATIVE, -1);
        sti_program_put(&p, r, 0, b->c_u[k]);
        for (int j = 0; j < b->n; j++) sti_program_put(&p, r, 1 + j, b->U[(size_t)j * b->u + k]);
    }
    *a = NULL;
    return exact ? feasible_exactly(b, &p, tangents, outcome, a, farkas)
                 : feasible_conic(b, &p, tangents, outcome, a, farkas);
}

static sti_holds verdict_of(sti_conic_outcome outcome) {
    return outcome == STI_CONIC_SOLVED       ? STI_HOLDS
           : outcome == STI_CONIC_INFEASIBLE ? STI_HOLDS_NOT
                                             : STI_HOLDS_UNKNOWN;
}

// max d : U'v >= d, |v|_inf <= 1; MFCQ holds when it is positive. With bilateral contacts: grad h_b'v = 0 as well, and
// these gradients independent.
static sti_status mfcq(const sti_blocks* b, sti_propositions_table* t) {
    sti_propositions_begin(t, "MFCQ", "a motion opens all unilateral contacts at once");
    if (b->u == 0) {
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "there is no unilateral contact");
        return STI_OK;
    }
    const sti_posed* s = b->s;
    sti_program p = {0};
    sti_status status = sti_program_open(&p, b->pool, b->n + 1, b->m + 2 * b->n + 1, false);
    if (status != STI_OK) return status;
    int bilateral = 0;
    for (int i = 0; i < b->m; i++) {
        const int r = sti_program_add(&p, s->bilateral[i] ? STI_ROW_ZERO : STI_ROW_NONNEGATIVE, i);
        bilateral += s->bilateral[i];
        for (int j = 0; j < b->n; j++) sti_program_put(&p, r, 1 + j, b->N[(size_t)j * b->m + i]);
        if (!s->bilateral[i]) sti_program_put(&p, r, 1 + b->n, -1);
    }
    for (int j = 0; j < 2 * b->n; j++) {
        const int r = sti_program_add(&p, STI_ROW_NONNEGATIVE, -1);
        sti_program_put(&p, r, 0, 1);
        sti_program_put(&p, r, 1 + j / 2, j % 2 ? -1 : 1);
    }
    status = sti_program_reduce(&p);
    double* c = sti_pool_doubles(b->pool, (size_t)b->n + 1);
    if (status != STI_OK || c == NULL) return status != STI_OK ? status : b->pool->status;
    c[b->n] = -1;
    sti_program_answer answer;
    status = sti_program_minimize(&p, c, NULL, &answer);
    if (status != STI_OK) return status;
    const double d = answer.outcome == STI_CONIC_SOLVED ? answer.x[b->n] : NAN;
    const bool independent = p.equations.rank == bilateral;
    sti_propositions_verdict(t,
                             isnan(d)                  ? STI_HOLDS_UNKNOWN
                             : d > 1e-9 && independent ? STI_HOLDS
                                                       : STI_HOLDS_NOT,
                             independent ? "largest opening rate for a motion of size one: %.6g"
                                         : "bilateral gradients are dependent; largest opening rate %.6g",
                             fabs(d) < 1e-9 ? 0 : d);
    sti_propositions_number(t, "opening_rate", d);
    if (answer.outcome == STI_CONIC_SOLVED) sti_propositions_vector(t, "v", b->n, answer.x);
    return STI_OK;
}

// ---- the set E

typedef struct table {  // rows of exact numbers for a cone
    sti_env* env;
    sti_rationals* exact;
    double* value;
    int rows, cols;
} table;

static sti_status open_table(table* q, sti_pool* pool, int rows, int cols) {
    *q = (table){.env = pool->env, .rows = rows, .cols = cols};
    q->value = sti_pool_doubles(pool, (size_t)rows * (size_t)cols);
    if (q->value == NULL) return pool->status;
    return sti_rationals_create(pool->env, (size_t)rows * (size_t)cols, &q->exact);
}

static sti_status put(table* q, int i, int j, double value, const sti_rationals* from, size_t index, int sign) {
    const size_t k = (size_t)i * (size_t)q->cols + (size_t)j;
    q->value[k] = sign * value;
    if (from == NULL) return sti_rationals_set_double(q->exact, k, sign * value);
    const sti_status status = sti_rationals_copy(q->exact, k, from, index);
    if (status == STI_OK && sign < 0) sti_int_neg(&q->exact->num[k]);
    return status;
}

static sti_rows rows_of(const table* q, bool exact) {
    return (sti_rows){.count = q->rows, .dimension = q->cols, .value = q->value, .exact = exact ? q->exact : NULL};
}

// Entry j of the direction of flat multiplier k, with its exact twin.
static sti_status put_direction(const sti_posed* s, table* q, int i, int j, int k, int entry, int sign) {
    const sti_instant_exact* exact = s->instant->exact;
    int contact = 0;
    while (s->first[contact + 1] <= k) contact++;
    const int t = k - s->first[contact];
    const size_t line = t == 0 ? (size_t)s->contact[contact] : (size_t)(s->t_first[contact] + t - 1);
    const sti_rationals* from = exact == NULL ? NULL : t == 0 ? exact->n : exact->t;
    return put(q, i, j, s->C[(size_t)entry * (size_t)s->p + (size_t)k], from, line * (size_t)s->n + (size_t)entry,
               sign);
}

typedef struct set_E {
    int x_rays, x_lines, y_rays, y_lines;
    double *x_ray, *x_line, *y_ray, *y_line;  // (count x n), (count x x)
} set_E;

// Vectors of a cone, scaled: small integers stay, anything else has largest entry one.
static double* take(const sti_blocks* b, sti_rows rows, int* count) {
    double* out = sti_pool_copy(b->pool, rows.value, (size_t)rows.count * (size_t)rows.dimension);
    *count = rows.count;
    for (int i = 0; out != NULL && i < rows.count; i++) {
        double* v = out + (size_t)i * (size_t)rows.dimension;
        const double size = sti_small_max((size_t)rows.dimension, v);
        for (int j = 0; size > 1000 && j < rows.dimension; j++) v[j] /= size;
    }
    return out;
}

// E_x: U'x >= 0, M x = 0, X'x = 0.
static sti_status make_x(const sti_blocks* b, bool exact, set_E* e) {
    const sti_posed* s = b->s;
    table ineq = {0}, eq = {0};
    const sti_polycone_options options = sti_polycone_options_default();
    sti_polycone* cone = NULL;
    sti_status status = open_table(&ineq, b->pool, b->u, b->n);
    if (status == STI_OK) status = open_table(&eq, b->pool, b->n + b->x, b->n);
    for (int j = 0; status == STI_OK && j < b->n; j++) {
        for (int k = 0; status == STI_OK && k < b->u; k++)
            status = put_direction(s, &ineq, k, j, b->u_multiplier[k], j, -1);  // face form: F x <= 0
        for (int k = 0; status == STI_OK && k < b->n; k++) {
            const size_t at = (size_t)k * (size_t)b->n + (size_t)j;
            status = put(&eq, k, j, s->instant->M[at], s->instant->exact ? s->instant->exact->M : NULL, at, 1);
        }
        for (int k = 0; status == STI_OK && k < b->x; k++)
            status = put_direction(s, &eq, b->n + k, j, b->x_multiplier[k], j, 1);
    }
    const sti_rows inequalities = rows_of(&ineq, exact), equations = rows_of(&eq, exact);
    if (status == STI_OK) status = sti_polycone_create_face(s->env, b->n, &inequalities, &equations, &options, &cone);
    if (status == STI_OK) {
        e->x_ray = take(b, sti_polycone_rays(cone), &e->x_rays);
        e->x_line = take(b, sti_polycone_lines(cone), &e->x_lines);
    }
    sti_polycone_destroy(cone);
    sti_rationals_destroy(ineq.exact);
    sti_rationals_destroy(eq.exact);
    return status == STI_OK ? b->pool->status : status;
}

// E_y: the y of { (y, l) : X y + U l = 0, l >= 0 }.
static sti_status make_y(const sti_blocks* b, bool exact, set_E* e) {
    const sti_posed* s = b->s;
    const int dimension = b->x + b->u;
    table ineq = {0}, eq = {0}, map = {0};
    const sti_polycone_options options = sti_polycone_options_default();
    sti_polycone *cone = NULL, *image = NULL;
    if (b->x == 0) return STI_OK;
    sti_status status = open_table(&ineq, b->pool, b->u, dimension);
    if (status == STI_OK) status = open_table(&eq, b->pool, b->n, dimension);
    if (status == STI_OK) status = open_table(&map, b->pool, b->x, dimension);
    for (int k = 0; status == STI_OK && k < b->u; k++) status = put(&ineq, k, b->x + k, -1, NULL, 0, 1);
    for (int k = 0; status == STI_OK && k < b->x; k++) status = put(&map, k, k, 1, NULL, 0, 1);
    for (int j = 0; status == STI_OK && j < b->n; j++) {
        for (int k = 0; status == STI_OK && k < b->x; k++)
            status = put_direction(s, &eq, j, k, b->x_multiplier[k], j, 1);
        for (int k = 0; status == STI_OK && k < b->u; k++)
            status = put_direction(s, &eq, j, b->x + k, b->u_multiplier[k], j, 1);
    }
    const sti_rows inequalities = rows_of(&ineq, exact), equations = rows_of(&eq, exact), T = rows_of(&map, exact);
    if (status == STI_OK)
        status = sti_polycone_create_face(s->env, dimension, &inequalities, &equations, &options, &cone);
    if (status == STI_OK) status = sti_polycone_image(cone, &T, &image);
    if (status == STI_OK) {
        e->y_ray = take(b, sti_polycone_rays(image), &e->y_rays);
        e->y_line = take(b, sti_polycone_lines(image), &e->y_lines);
    }
    sti_polycone_destroy(cone);
    sti_polycone_destroy(image);
    sti_rationals_destroy(ineq.exact);
    sti_rationals_destroy(eq.exact);
    sti_rationals_destroy(map.exact);
    return status == STI_OK ? b->pool->status : status;
}

// (ii): some x0 in K has (c_x + X'x0)'v > 0 for all rays v of E_y, and F'v > 0 for all rays of E_x; no lines. rest: x0 = 0.
static sti_status condition_ii(const sti_blocks* b, const set_E* e, bool rest, double* value_x, double* value_y) {
    *value_x = *value_y = INFINITY;
    for (int i = 0; i < e->x_rays; i++) {
        const double* v = e->x_ray + (size_t)i * (size_t)b->n;
        *value_x = fmin(*value_x, sti_small_dot(b->n, b->s->instant->F, v) / sti_small_norm(b->n, v));
    }
    if (e->y_rays == 0) return STI_OK;
    for (int i = 0; rest && i < e->y_rays; i++) {
        const double* v = e->y_ray + (size_t)i * (size_t)b->x;
        *value_y = fmin(*value_y, sti_small_dot(b->x, b->c_x, v) / sti_small_norm(b->x, v));
    }
    if (rest) return STI_OK;
    sti_program p = {0};  // max d : (c_x + X'x0)'v >= d, U'x0 + c_u >= 0, d <= 1
    sti_status status = sti_program_open(&p, b->pool, b->n + 1, e->y_rays + b->u + 1, false);
    if (status != STI_OK) return status;
    for (int i = 0; i < e->y_rays; i++) {
        const double* v = e->y_ray + (size_t)i * (size_t)b->x;
        const double unit = 1 / sti_small_norm(b->x, v);
        const int r = sti_program_add(&p, STI_ROW_NONNEGATIVE, -1);
        sti_program_put(&p, r, 0, sti_small_dot(b->x, b->c_x, v) * unit);
        for (int j = 0; j < b->n; j++)
            sti_program_put(&p, r, 1 + j, sti_small_dot(b->x, b->X + (size_t)j * b->x, v) * unit);
        sti_program_put(&p, r, 1 + b->n, -1);
    }
    for (int k = 0; k < b->u; k++) {
        const int r = sti_program_add(&p, STI_ROW_NONNEGATIVE, -1);
        sti_program_put(&p, r, 0, b->c_u[k]);
        for (int j = 0; j < b->n; j++) sti_program_put(&p, r, 1 + j, b->U[(size_t)j * b->u + k]);
    }
    const int cap = sti_program_add(&p, STI_ROW_NONNEGATIVE, -1);
    sti_program_put(&p, cap, 0, 1);
    sti_program_put(&p, cap, 1 + b->n, -1);
    status = sti_program_reduce(&p);
    double* c = sti_pool_doubles(b->pool, (size_t)b->n + 1);
    if (status != STI_OK || c == NULL) return status != STI_OK ? status : b->pool->status;
    c[b->n] = -1;
    sti_program_answer answer;
    status = sti_program_minimize(&p, c, NULL, &answer);
    *value_y = status == STI_OK && answer.outcome == STI_CONIC_SOLVED ? answer.x[b->n] : -INFINITY;
    if (fabs(*value_y) < 1e-9) *value_y = 0;
    return status;
}

static void proposition_8(const sti_blocks* b, sti_propositions_table* t, const set_E* e, double value_x,
                          double value_y) {
    const bool trivial = e->x_rays + e->x_lines + e->y_rays + e->y_lines == 0;
    sti_propositions_begin(t, "P8.i", "E = {0}, so that (43) is solvable");
    sti_propositions_verdict(t, trivial ? STI_HOLDS : STI_HOLDS_NOT, "E_x has %d rays and %d lines, E_y has %d and %d",
                             e->x_rays, e->x_lines, e->y_rays, e->y_lines);
    sti_propositions_number(t, "E_trivial", trivial);
    sti_propositions_matrix(t, "x_rays", e->x_rays, b->n, e->x_ray);
    sti_propositions_matrix(t, "x_lines", e->x_lines, b->n, e->x_line);
    sti_propositions_matrix(t, "y_rays", e->y_rays, b->x, e->y_ray);
    sti_propositions_matrix(t, "y_lines", e->y_lines, b->x, e->y_line);
    sti_propositions_begin(t, "P8.ii",
                           "E is not trivial, and F_u'v + x0'H v_m > 0 on it for some x0 in K: (43) is solvable");
    if (trivial)
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "E is trivial");
    else if (e->x_lines + e->y_lines > 0)
        sti_propositions_verdict(t, STI_HOLDS_NOT, "E holds lines, on which no linear form is positive");
    else
        sti_propositions_verdict(t, value_x > 0 && value_y > 1e-9 ? STI_HOLDS : STI_HOLDS_NOT,
                                 "least value on unit rays: %.6g on E_x, %.6g on E_y", value_x, value_y);
    sti_propositions_number(t, "least_on_x", value_x);
    sti_propositions_number(t, "least_on_y", value_y);
    sti_propositions_begin(t, "P8.iii", "two solutions of (43) have accelerations that differ in ker M");
    sti_propositions_verdict(t, STI_HOLDS, "always; M is %s",
                             b->definite ? "definite, the acceleration is unique" : "singular");
}

static sti_status corollaries(const sti_blocks* b, sti_propositions_table* t, const set_E* e) {
    double *Xt = sti_pool_doubles(b->pool, (size_t)b->x * (size_t)b->n), *out = sti_pool_doubles(b->pool, (size_t)b->x);
    if (b->pool->status != STI_OK) return b->pool->status;
    for (int j = 0; j < b->n; j++)
        for (int k = 0; k < b->x; k++) Xt[(size_t)k * b->n + j] = b->X[(size_t)j * b->x + k];
    sti_svd f;
    sti_status status = sti_svd_make(b->pool, b->x, b->n, Xt, STI_SMALL_RANK_TOL, &f);
    if (status != STI_OK) return status;
    const bool rates = sti_svd_outside(&f, b->c_x, out) < 1e-9;
    // X v != 0 for some v of E_y: then im X meets the normal cone in more than 0
    bool meet = false;
    for (int i = 0; i < e->y_rays; i++) {
        double size = 0;
        for (int j = 0; j < b->n; j++)
            size = fmax(size, fabs(sti_small_dot(b->x, b->X + (size_t)j * b->x, e->y_ray + (size_t)i * (size_t)b->x)));
        meet = meet || size > 1e-9 * sti_small_max((size_t)b->x, e->y_ray + (size_t)i * (size_t)b->x);
    }
    sti_propositions_begin(t, "C2",
                           "M > 0 and im H meets the normal cone only in 0: (43) is solvable, one acceleration");
    if (!b->definite)
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "M is singular");
    else
        sti_propositions_verdict(
            t, !meet && rates ? STI_HOLDS : STI_HOLDS_NOT,
            meet    ? "they meet in a ray"
            : rates ? "they meet only in 0, and the tangential rates are in im H'"
                    : "they meet only in 0, but the tangential rates are not in im H', as they must be");
    sti_propositions_number(t, "imH_cap_N_trivial", !meet);
    sti_propositions_number(t, "rates_in_image", rates);
    sti_propositions_number(t, "rank_H", f.rank);

    bool rest = true;
    for (int k = 0; k < b->u; k++) rest = rest && b->c_u[k] >= 0;
    double value_x, value_y;
    status = condition_ii(b, e, true, &value_x, &value_y);
    if (status != STI_OK) return status;
    const bool trivial = e->x_rays + e->x_lines + e->y_rays + e->y_lines == 0;
    sti_propositions_begin(t, "C3", "0 in K and F_u'v > 0 on E: (43) is solvable");
    if (!rest)
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "0 is not in K: a rate along a normal is negative");
    else
        sti_propositions_verdict(
            t, trivial || (e->x_lines + e->y_lines == 0 && value_x > 0 && value_y > 0) ? STI_HOLDS : STI_HOLDS_NOT,
            trivial                       ? "E = {0}"
            : e->x_lines + e->y_lines > 0 ? "E holds lines"
                                          : "least value on unit rays %.6g",
            fmin(value_x, value_y));
    return STI_OK;
}

// (43) itself: solvable exactly when the constraints can hold and F'x >= 0 on E_x.
static sti_status equation_43(sti_sticking* r, const sti_blocks* b, sti_propositions_table* t, const set_E* e,
                              sti_conic_outcome constraints, const double* farkas) {
    const bool possible = constraints == STI_CONIC_SOLVED, impossible = constraints == STI_CONIC_INFEASIBLE;
    double *ln = sti_pool_doubles(b->pool, (size_t)b->m), *lt = sti_pool_doubles(b->pool, (size_t)b->t);
    double* Ma = sti_pool_doubles(b->pool, (size_t)b->n);
    if (b->pool->status != STI_OK) return b->pool->status;
    const double band = 1e-9 * sti_small_max((size_t)b->n, b->s->instant->F);
    bool falls = false;
    double* down = sti_pool_doubles(b->pool, (size_t)b->n);
    if (down == NULL) return b->pool->status;
    for (int i = 0; i < e->x_rays + 2 * e->x_lines; i++) {
        const int k = i - e->x_rays;
        const double* v =
            i < e->x_rays ? e->x_ray + (size_t)i * (size_t)b->n : e->x_line + (size_t)(k / 2) * (size_t)b->n;
        const int side = i < e->x_rays || k % 2 == 0 ? 1 : -1;
        if (falls || side * sti_small_dot(b->n, b->s->instant->F, v) >= -band * sti_small_max((size_t)b->n, v))
            continue;
        falls = true;
        for (int j = 0; j < b->n; j++) down[j] = side * v[j];
    }
    sti_propositions_begin(t, "E43", "the contact problem (43), contacts free to open, no discs, is solvable");
    const bool solved = r->mlcp_outcome == STI_SOLVED;
    if (b->slides)
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "a contact slides");
    else
        sti_propositions_verdict(t,
                                 solved || (possible && !falls) ? STI_HOLDS
                                 : impossible || falls          ? STI_HOLDS_NOT
                                                                : STI_HOLDS_UNKNOWN,
                                 solved       ? "a solution was found"
                                 : impossible ? "no acceleration satisfies the constraints"
                                 : falls      ? "F'x < 0 for a direction x of E"
                                 : possible   ? "the constraints can hold, and F'x >= 0 on E"
                                              : "not decided");
    sti_propositions_number(t, "solvable", solved || (possible && !falls));
    if (solved && !b->slides) {
        sti_blocks_split(b, r->opening_lambda, ln, lt);
        sti_small_multiply(b->n, b->n, 1, b->s->instant->M, r->opening_a, Ma);
        sti_propositions_vector(t, "qdd", b->n, r->opening_a);
        sti_propositions_vector(t, "M_qdd", b->n, Ma);
        sti_propositions_vector(t, "lambda_n", b->m, ln);
        sti_propositions_vector(t, "lambda_t", b->t, lt);
        sti_propositions_vector(t, "a_n", b->m, r->opening_a_n);
    } else if (impossible) {  // X f_x + U f_u = 0, f_u >= 0, rates'f < 0
        sti_propositions_vector(t, "farkas_x", b->x, farkas);
        sti_propositions_vector(t, "farkas_u", b->u, farkas + b->x);
    } else if (falls) {
        sti_propositions_vector(t, "descent", b->n, down);
    }
    return STI_OK;
}

sti_status sti_propositions_solvability(sti_sticking* r, const sti_blocks* b, sti_propositions_table* t) {
    sti_status status = mfcq(b, t);
    if (status != STI_OK) return status;
    sti_conic_outcome outcome, literal;
    double *a, *other;
    double* farkas = sti_pool_doubles(b->pool, (size_t)(b->x + b->u));
    if (farkas == NULL) return b->pool->status;
    const bool exact = !r->near_redundant && b->s->exact;
    status = feasible(b, exact, true, &outcome, &a, farkas);
    if (status == STI_OK) status = feasible(b, exact, false, &literal, &other, NULL);
    if (status != STI_OK) return status;
    sti_propositions_begin(t, "P7", "U'(z + y) + rates >= 0 for some y in ker H', H'z = -rates: (43) is solvable");
    if (!b->definite || b->slides)
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, b->slides ? "a contact slides" : "M is singular");
    else
        sti_propositions_verdict(t, verdict_of(outcome),
                                 outcome == STI_CONIC_SOLVED       ? "an acceleration satisfies them"
                                 : outcome == STI_CONIC_INFEASIBLE ? "no acceleration satisfies them"
                                                                   : "not decided");
    sti_propositions_number(t, "feasible", outcome == STI_CONIC_SOLVED);
    sti_propositions_number(t, "literal_reading_feasible", literal == STI_CONIC_SOLVED);
    if (a != NULL) sti_propositions_vector(t, "a", b->n, a);

    set_E e = {0};
    status = make_x(b, exact, &e);
    if (status == STI_OK) status = make_y(b, exact, &e);
    if (status != STI_OK) return status;
    double value_x, value_y;
    status = condition_ii(b, &e, false, &value_x, &value_y);
    if (status != STI_OK) return status;
    proposition_8(b, t, &e, value_x, value_y);
    status = corollaries(b, t, &e);
    if (status == STI_OK) status = equation_43(r, b, t, &e, outcome, farkas);
    return status;
}
