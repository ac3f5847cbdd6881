// solvability.c: S0 section 3.2: solvability of the contact problem (43) without discs: MFCQ, proposition 7,
// the set E of proposition 8, corollaries 2 and 3.
//
// (43) is the optimality system of  min 1/2 a'M a + F'a  over  X'a + c_x = 0, U'a + c_u >= 0.
//     It is solvable exactly when
// that set is not empty and F'x >= 0 on its recession directions in ker M, which are the x-part of E. So besides the
// sufficient conditions of S0 the exact answer is there:
//
//     E = E_x x E_y,    E_x = { x : U'x >= 0, M x = 0, X'x = 0 },    E_y = { y : X y in -cone(U) }.
//
// Corrections (errata S0-E8, E9): z of proposition 7 is a solution of X'z = -c_x; E always holds {0} x ker X, so that
// (ii) never holds for dependent tangents; v ranges over E, not over R^n; corollary 2 needs c_x in im X'.
#include <math.h>
#include <string.h>

#include "sticking/blocks.h"

static sti_holds verdict_of(sti_conic_outcome outcome) {
    return outcome == STI_CONIC_SOLVED       ? STI_HOLDS
           : outcome == STI_CONIC_INFEASIBLE ? STI_HOLDS_NOT
                                             : STI_HOLDS_UNKNOWN;
}

// max d : U'v >= d, |v|_inf <= 1; MFCQ holds when it is positive. With bilateral contacts: grad h_b'v = 0 as well, and
// these gradients independent.
static sti_status pose_opening(const sti_sticking_blocks* b, sti_cone_program* p) {
    const sti_posed* s = b->s;
    const sti_status status = sti_program_open(p, b->pool, b->n + 1, b->m + 2 * b->n, b->exact);
    if (status != STI_OK) return status;
    for (int i = 0; i < b->m; i++) {
        const int r = sti_program_add(p, s->bilateral[i] ? STI_ROW_ZERO : STI_ROW_NONNEGATIVE, i);
        for (int j = 0; j < b->n; j++) sti_posed_put_direction(s, p, r, 1 + j, s->first[i], j, 1);
        if (!s->bilateral[i]) sti_program_put(p, r, 1 + b->n, -1);
    }
    for (int j = 0; j < 2 * b->n; j++) {
        const int r = sti_program_add(p, STI_ROW_NONNEGATIVE, -1);
        sti_program_put(p, r, 0, 1);
        sti_program_put(p, r, 1 + j / 2, j % 2 ? -1 : 1);
    }
    return b->pool->status;
}

static sti_status largest_opening_exactly(const sti_sticking_blocks* b, const sti_cone_program* p, double* d,
                                          double* v) {
    sti_exact_program e = {0};
    sti_rationals* x = NULL;
    sti_status status = sti_exact_program_open(&e, p);
    if (status == STI_OK) status = sti_exact_program_least(&e, b->n, -1, d);
    if (status == STI_OK) status = sti_rationals_create(b->s->env, (size_t)b->n + 1, &x);
    if (status == STI_OK) status = sti_exact_program_point(&e, x);
    for (int j = 0; status == STI_OK && j < b->n; j++) v[j] = sti_rationals_double(x, (size_t)j);
    *d = -*d;
    sti_rationals_destroy(x);
    sti_exact_program_close(&e);
    return status;
}

static sti_status largest_opening(const sti_sticking_blocks* b, double* d, double** v) {
    sti_cone_program p = {0};
    sti_program_answer answer;
    double* c = *v = sti_arena_doubles(b->pool, (size_t)b->n + 1);
    sti_status status = c != NULL ? pose_opening(b, &p) : b->pool->status;
    if (status == STI_OK && b->exact) {
        status = largest_opening_exactly(b, &p, d, *v);
    } else if (status == STI_OK) {
        status = sti_program_reduce(&p);
        c[b->n] = -1;
        if (status == STI_OK) status = sti_program_minimize(&p, c, NULL, &answer);
        *d = status == STI_OK && answer.outcome == STI_CONIC_SOLVED ? answer.x[b->n] : NAN;
        if (status == STI_OK) *v = answer.x;
    }
    sti_program_close(&p);
    return status;
}

// With a tolerance: d against the terms n_j v_j, |v_j| <= 1, of the smallest gradient.
static int opening_sign(const sti_sticking_blocks* b, double d) {
    double least = INFINITY;
    for (int k = 0; k < b->u; k++) {
        double terms = 0;
        for (int j = 0; j < b->n; j++) terms += fabs(b->U[(size_t)j * b->u + k]);
        least = fmin(least, terms);
    }
    return sti_blocks_sign(d, least);
}

static sti_status mfcq(const sti_sticking_blocks* b, sti_propositions_table* t) {
    sti_propositions_begin(t, "MFCQ", "a motion opens all unilateral contacts at once");
    if (b->u == 0) {
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "there is no unilateral contact");
        return STI_OK;
    }
    const sti_posed* s = b->s;
    double d = NAN, *v = NULL;
    int *joints = sti_arena_ints(b->pool, (size_t)b->m), count = 0, rank = 0;
    bool agree = b->exact;
    sti_status status = b->pool->status;
    for (int i = 0; status == STI_OK && i < b->m; i++)
        if (s->bilateral[i]) joints[count++] = s->first[i];
    if (status == STI_OK) status = sti_posed_rank(s, &agree, joints, count, &rank);
    if (status == STI_OK) status = largest_opening(b, &d, &v);
    if (status != STI_OK) return status;
    const int sign = isnan(d) ? 2 : opening_sign(b, d);
    const sti_holds some = b->exact    ? (d > 0 ? STI_HOLDS : STI_HOLDS_NOT)
                           : sign == 1 ? STI_HOLDS
                           : sign == 2 ? STI_HOLDS_UNKNOWN
                                       : STI_HOLDS_NOT;
    if (some == STI_HOLDS_NOT) d = 0;  // v = 0 is always there
    const bool independent = rank == count;
    sti_propositions_verdict(t, independent ? some : STI_HOLDS_NOT,
                             independent ? "largest opening rate for a motion of size one: %.6g"
                                         : "bilateral gradients are dependent; largest opening rate %.6g",
                             d);
    sti_propositions_number(t, "opening_rate", d);
    if (!isnan(d)) sti_propositions_vector(t, "v", b->n, v);
    return STI_OK;
}

// ---- the set E

typedef struct table {  // rows of exact numbers for a cone
    sti_env* env;
    sti_rationals* exact;
    double* value;
    int rows, cols;
} table;

static sti_status open_table(table* q, sti_arena* pool, int rows, int cols) {
    *q = (table){.env = pool->env, .rows = rows, .cols = cols};
    q->value = sti_arena_doubles(pool, (size_t)rows * (size_t)cols);
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
    int* x_sign;                              // of F'v on the rays of E_x                     (x_rays)
    sti_rationals* y_exact;                   // rays of E_y without rounding; NULL: doubles   (y_rays x x)
} set_E;

// Vectors of a cone, scaled: small integers stay, anything else has largest entry one.
static double* take(const sti_sticking_blocks* b, sti_rows rows, int* count) {
    double* out = sti_arena_copy(b->pool, rows.value, (size_t)rows.count * (size_t)rows.dimension);
    *count = rows.count;
    for (int i = 0; out != NULL && i < rows.count; i++) {
        double* v = out + (size_t)i * (size_t)rows.dimension;
        const double size = sti_small_max((size_t)rows.dimension, v);
        for (int j = 0; size > 1000 && j < rows.dimension; j++) v[j] /= size;
    }
    return out;
}

// Sign of F'v on every ray v of E_x, without rounding where the ray has none.
static sti_status find_signs(const sti_sticking_blocks* b, sti_rows rays, set_E* e) {
    const sti_instant* instant = b->s->instant;
    const size_t n = (size_t)b->n;
    sti_cone_program form = {0};
    e->x_sign = sti_arena_ints(b->pool, (size_t)rays.count);
    sti_status status = sti_program_open(&form, b->pool, b->n, 1, true);
    if (status != STI_OK) return status;
    sti_program_add(&form, STI_ROW_ZERO, -1);
    for (size_t j = 0; j < n; j++)
        sti_program_put_data(&form, 0, 1 + (int)j, instant->F[j], instant->exact ? instant->exact->F : NULL, j, 1);
    status = b->pool->status;
    for (int i = 0; status == STI_OK && i < rays.count; i++) {
        double value = 0, terms = 0;
        for (size_t j = 0; j < n; j++) {
            const double term = instant->F[j] * rays.value[(size_t)i * n + j];
            value += term;
            terms += fabs(term);
        }
        e->x_sign[i] = sti_blocks_sign(value, terms);
        if (rays.exact == NULL) continue;
        sti_rationals* ray = NULL;
        status = sti_rationals_slice(b->s->env, rays.exact, (size_t)i * n, n, &ray);
        if (status == STI_OK) status = sti_program_exact_value(&form, 0, ray, &e->x_sign[i], &value);
        sti_rationals_destroy(ray);
    }
    sti_program_close(&form);
    return status;
}

// E_x: U'x >= 0, M x = 0, X'x = 0.
static sti_status make_x(const sti_sticking_blocks* b, bool exact, set_E* e) {
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
        status = find_signs(b, sti_polycone_rays(cone), e);
    }
    sti_polycone_destroy(cone);
    sti_rationals_destroy(ineq.exact);
    sti_rationals_destroy(eq.exact);
    return status == STI_OK ? b->pool->status : status;
}

// E_y: the y of { (y, l) : X y + U l = 0, l >= 0 }.
static sti_status make_y(const sti_sticking_blocks* b, bool exact, set_E* e) {
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
        const sti_rows rays = sti_polycone_rays(image);
        if (rays.exact != NULL)
            status = sti_rationals_slice(s->env, rays.exact, 0, (size_t)rays.count * (size_t)b->x, &e->y_exact);
    }
    sti_polycone_destroy(cone);
    sti_polycone_destroy(image);
    sti_rationals_destroy(ineq.exact);
    sti_rationals_destroy(eq.exact);
    sti_rationals_destroy(map.exact);
    return status == STI_OK ? b->pool->status : status;
}

// What is known of a strict inequality that must hold on all rays.
typedef struct strict {
    double value;  // least, on unit rays; INFINITY: no ray
    int sign;      // of the least: as sti_blocks_sign
} strict;

static int worse(int a, int b) {  // -1 before 2 (not clear) before 0 before 1, but 2 beats 0: it may be negative
    static const int rank[] = {0, 2, 3, 1};  // of -1, 0, 1, 2
    return rank[a + 1] < rank[b + 1] ? a : b;
}

static strict strict_on_x(const sti_sticking_blocks* b, const set_E* e) {
    strict out = {INFINITY, 1};
    for (int i = 0; i < e->x_rays; i++) {
        const double* v = e->x_ray + (size_t)i * (size_t)b->n;
        const double value = sti_small_dot(b->n, b->s->instant->F, v) / sti_small_norm(b->n, v);
        out.value = fmin(out.value, e->x_sign[i] == 0 ? 0 : value);
        out.sign = worse(out.sign, e->x_sign[i]);
    }
    return out;
}

// Row k of (c_x, X)'v for ray v: 0: c_x'v, 1 + j: (X v)_j. Without rounding where the ray has none.
static sti_status ray_forms(const sti_sticking_blocks* b, const set_E* e, int ray, sti_rationals* out) {
    const size_t x = (size_t)b->x;
    sti_cone_program form = {0};
    sti_rationals* v = NULL;
    sti_status status = sti_program_open(&form, b->pool, b->x, b->n + 1, true);
    if (status == STI_OK) status = sti_rationals_create(b->s->env, x, &v);
    for (int row = 0; status == STI_OK && row <= b->n; row++) {
        sti_program_add(&form, STI_ROW_ZERO, -1);
        for (int k = 0; k < b->x; k++) {
            if (row == 0)
                sti_posed_put_rate(b->s, &form, row, 1 + k, b->x_multiplier[k], 1);
            else
                sti_posed_put_direction(b->s, &form, row, 1 + k, b->x_multiplier[k], row - 1, 1);
        }
        status = b->pool->status;
    }
    for (size_t k = 0; status == STI_OK && k < x; k++)
        status = e->y_exact != NULL ? sti_rationals_copy(v, k, e->y_exact, (size_t)ray * x + k)
                                    : sti_rationals_set_double(v, k, e->y_ray[(size_t)ray * x + k]);
    for (int row = 0; status == STI_OK && row <= b->n; row++)
        status = sti_program_exact_row(&form, row, v, out, (size_t)row);
    sti_rationals_destroy(v);
    sti_program_close(&form);
    return status;
}

// Of the ray that the forms are about: the exact one and its double have different lengths.
static double ray_length(const sti_sticking_blocks* b, const set_E* e, int ray) {
    const size_t x = (size_t)b->x;
    double length = 0;
    for (size_t k = 0; k < x; k++) {
        const size_t at = (size_t)ray * x + k;
        length = hypot(length, e->y_exact != NULL ? sti_rationals_double(e->y_exact, at) : e->y_ray[at]);
    }
    return length;
}

static sti_status strict_with_tolerance(const sti_sticking_blocks* b, sti_cone_program* p, strict* out) {
    sti_program_answer answer;
    double* c = sti_arena_doubles(b->pool, (size_t)b->n + 1);
    if (c == NULL) return b->pool->status;
    c[b->n] = -1;
    sti_status status = sti_program_reduce(p);
    *out = (strict){-INFINITY, -1};
    if (status != STI_OK || p->outside > 1e-9) return status;
    status = sti_program_minimize(p, c, NULL, &answer);
    if (status != STI_OK) return status;
    *out = (strict){NAN, 2};
    if (answer.outcome == STI_CONIC_INFEASIBLE) *out = (strict){-INFINITY, -1};
    if (answer.outcome != STI_CONIC_SOLVED) return STI_OK;
    double terms = 0;  // of the ray's row with the largest terms, over the length of the ray
    for (int r = 0; r < p->rows; r++) {
        const double *row = p->row + (size_t)r * (size_t)(p->size + 1), unit = fabs(row[1 + b->n]);
        double sum = fabs(row[0]);
        for (int j = 0; j < b->n; j++) sum += fabs(row[1 + j] * answer.x[j]);
        if (unit > 0) terms = fmax(terms, sum / unit);
    }
    *out = (strict){answer.x[b->n], sti_blocks_sign(answer.x[b->n], terms)};
    return STI_OK;
}

// max d : (c_x + X'x0)'v >= d on the rays of E_y, each of unit length, U'x0 + c_u >= 0, d <= 1; rest: x0 = 0 instead.
static sti_status strict_on_y(const sti_sticking_blocks* b, const set_E* e, bool rest, strict* out) {
    const sti_posed* s = b->s;
    sti_cone_program p = {0};
    sti_exact_program solver = {0};
    sti_rationals* form = NULL;
    *out = (strict){INFINITY, 1};
    if (e->y_rays == 0) return STI_OK;
    sti_status status = sti_program_open(&p, b->pool, b->n + 1, e->y_rays + b->u + b->n + 1, true);
    if (status == STI_OK) status = sti_rationals_create(s->env, (size_t)b->n + 1, &form);
    for (int i = 0; status == STI_OK && i < e->y_rays; i++) {
        status = ray_forms(b, e, i, form);
        if (status != STI_OK) break;
        const int r = sti_program_add(&p, STI_ROW_NONNEGATIVE, -1);
        for (int j = 0; j <= b->n; j++)
            sti_program_put_data(&p, r, j, sti_rationals_double(form, (size_t)j), form, (size_t)j, 1);
        sti_program_put(&p, r, 1 + b->n, -ray_length(b, e, i));
    }
    for (int k = 0; status == STI_OK && k < (rest ? b->n : b->u); k++) {
        const int r = sti_program_add(&p, rest ? STI_ROW_ZERO : STI_ROW_NONNEGATIVE, -1);
        if (rest) sti_program_put(&p, r, 1 + k, 1);
        if (!rest) sti_posed_put_rate(s, &p, r, 0, b->u_multiplier[k], 1);
        for (int j = 0; !rest && j < b->n; j++) sti_posed_put_direction(s, &p, r, 1 + j, b->u_multiplier[k], j, 1);
    }
    if (status == STI_OK) {
        const int cap = sti_program_add(&p, STI_ROW_NONNEGATIVE, -1);
        sti_program_put(&p, cap, 0, 1);
        sti_program_put(&p, cap, 1 + b->n, -1);
        status = b->pool->status;
    }
    if (status == STI_OK && b->exact) {
        status = sti_exact_program_open(&solver, &p);
        if (status == STI_OK && solver.feasible) status = sti_exact_program_least(&solver, b->n, -1, &out->value);
        out->value = solver.feasible ? -out->value : -INFINITY;
        out->sign = (out->value > 0) - (out->value < 0);
    } else if (status == STI_OK) {
        status = strict_with_tolerance(b, &p, out);
    }
    sti_exact_program_close(&solver);
    sti_rationals_destroy(form);
    sti_program_close(&p);
    return status;
}

// All positive, some not, or not clear.
static sti_holds positive(strict x, strict y) {
    const int sign = worse(x.sign, y.sign);
    return sign == 1 ? STI_HOLDS : sign == 2 ? STI_HOLDS_UNKNOWN : STI_HOLDS_NOT;
}

static void proposition_8(const sti_sticking_blocks* b, sti_propositions_table* t, const set_E* e, strict x, strict y) {
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
        sti_propositions_verdict(t, positive(x, y), "least value on unit rays: %.6g on E_x, %.6g on E_y", x.value,
                                 y.value);
    sti_propositions_number(t, "least_on_x", x.value);
    sti_propositions_number(t, "least_on_y", y.value);
    sti_propositions_begin(t, "P8.iii", "two solutions of (43) have accelerations that differ in ker M");
    sti_propositions_verdict(t, STI_HOLDS, "always; M is %s",
                             b->definite ? "definite, the acceleration is unique" : "singular");
}

// Corollary 2. The rays of E_y are outside its lines, ker X among them: X v != 0 on each. A line of E_y that is not in
// ker X is such a v too.
static sti_status corollary_2(const sti_sticking_blocks* b, sti_propositions_table* t, const set_E* e) {
    bool rates = false;
    const sti_status status =
        sti_posed_consistent(b->s, b->exact, b->x_multiplier, b->x, b->definite ? b->acceleration : NULL, &rates);
    const bool meet = e->y_rays > 0 || e->y_lines > b->x - b->rank_X;
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
    sti_propositions_number(t, "rank_H", b->rank_X);
    return status;
}

static sti_status corollary_3(const sti_sticking_blocks* b, sti_propositions_table* t, const set_E* e, strict x) {
    bool rest = true;
    strict y;
    for (int k = 0; k < b->u; k++) rest = rest && b->c_u[k] >= 0;
    const sti_status status = strict_on_y(b, e, true, &y);
    if (status != STI_OK) return status;
    const bool trivial = e->x_rays + e->x_lines + e->y_rays + e->y_lines == 0, lines = e->x_lines + e->y_lines > 0;
    sti_propositions_begin(t, "C3", "0 in K and F_u'v > 0 on E: (43) is solvable");
    if (!rest)
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "0 is not in K: a rate along a normal is negative");
    else
        sti_propositions_verdict(t,
                                 trivial ? STI_HOLDS
                                 : lines ? STI_HOLDS_NOT
                                         : positive(x, y),
                                 trivial ? "E = {0}"
                                 : lines ? "E holds lines"
                                         : "least value on unit rays %.6g",
                                 fmin(x.value, y.value));
    return STI_OK;
}

// The rows of A' in the order (x, u) of the blocks: flat multiplier k of contact i is row[i] + its place there.
static void split_rows(const sti_sticking_blocks* b, const double* flat, double* x, double* u) {
    const sti_posed* s = b->s;
    for (int i = 0; i < s->nc; i++) {
        for (int k = 0; k < s->row[i + 1] - s->row[i]; k++) {
            const int multiplier = s->first[i] + k;
            for (int j = 0; j < b->x; j++)
                if (b->x_multiplier[j] == multiplier) x[j] = flat[s->row[i] + k];
            for (int j = 0; j < b->u; j++)
                if (b->u_multiplier[j] == multiplier) u[j] = flat[s->row[i] + k];
        }
    }
}

// (43) itself, as opening.c found it: a solution, or why there is none.
static sti_status equation_43(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t) {
    const sti_opening* o = &r->answer.opening;
    double *ln = sti_arena_doubles(b->pool, (size_t)(b->m + b->u)),
           *lt = sti_arena_doubles(b->pool, (size_t)(b->t + b->x));
    double* Ma = sti_arena_doubles(b->pool, (size_t)b->n);
    if (b->pool->status != STI_OK) return b->pool->status;
    sti_propositions_begin(t, "E43", "the contact problem (43), contacts free to open, no discs, is solvable");
    if (b->slides) {
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, "a contact slides");
        return STI_OK;
    }
    const bool solved = o->contact_problem == STI_SOLVED, none = o->contact_problem == STI_NO_SOLUTION;
    sti_propositions_verdict(t,
                             solved ? STI_HOLDS
                             : none ? STI_HOLDS_NOT
                                    : STI_HOLDS_UNKNOWN,
                             solved              ? "a solution was found"
                             : !none             ? "not decided"
                             : o->farkas != NULL ? "no acceleration satisfies the constraints"
                                                 : "F'x < 0 for a direction x of E");
    sti_propositions_number(t, "solvable", solved ? 1 : none ? 0 : NAN);
    if (solved) {
        sti_blocks_split(b, o->lambda, ln, lt);
        sti_small_multiply(b->n, b->n, 1, b->s->instant->M, o->a, Ma);
        sti_propositions_vector(t, "qdd", b->n, o->a);
        sti_propositions_vector(t, "M_qdd", b->n, Ma);
        sti_propositions_vector(t, "lambda_n", b->m, ln);
        sti_propositions_vector(t, "lambda_t", b->t, lt);
        sti_propositions_vector(t, "a_n", b->m, o->a_n);
    } else if (o->farkas != NULL) {  // X f_x + U f_u = 0, f_u >= 0, rates'f < 0, largest entry one
        const double size = sti_small_max((size_t)b->s->q, o->farkas);
        split_rows(b, o->farkas, lt, ln);
        for (int k = 0; k < b->x; k++) lt[k] /= size;
        for (int k = 0; k < b->u; k++) ln[k] /= size;
        sti_propositions_vector(t, "farkas_x", b->x, lt);
        sti_propositions_vector(t, "farkas_u", b->u, ln);
    } else if (o->descent != NULL) {
        sti_propositions_vector(t, "descent", b->n, o->descent);
    }
    return STI_OK;
}

sti_status sti_propositions_solvability(sti_sticking* r, const sti_sticking_blocks* b, sti_propositions_table* t) {
    sti_status status = mfcq(b, t);
    if (status != STI_OK) return status;
    sti_constraints all, literal;
    const bool exact = b->exact;
    status = sti_posed_constraints(r, b->s, exact, true, &all);
    if (status == STI_OK) status = sti_posed_constraints(r, b->s, exact, false, &literal);
    if (status != STI_OK) return status;
    const sti_conic_outcome outcome = all.outcome;
    sti_propositions_begin(t, "P7", "U'(z + y) + rates >= 0 for some y in ker H', H'z = -rates: (43) is solvable");
    if (!b->definite || b->slides)
        sti_propositions_verdict(t, STI_NOT_APPLICABLE, b->slides ? "a contact slides" : "M is singular");
    else
        sti_propositions_verdict(t, verdict_of(outcome),
                                 outcome == STI_CONIC_SOLVED       ? "an acceleration satisfies them"
                                 : outcome == STI_CONIC_INFEASIBLE ? "no acceleration satisfies them"
                                                                   : "not decided");
    sti_propositions_number(t, "feasible", outcome == STI_CONIC_SOLVED);
    sti_propositions_number(t, "literal_reading_feasible", literal.outcome == STI_CONIC_SOLVED);
    if (all.a != NULL) sti_propositions_vector(t, "a", b->n, all.a);

    set_E e = {0};
    strict y;
    status = make_x(b, exact, &e);
    if (status == STI_OK) status = make_y(b, exact, &e);
    if (status == STI_OK) status = strict_on_y(b, &e, false, &y);
    if (status == STI_OK) {
        const strict x = strict_on_x(b, &e);
        proposition_8(b, t, &e, x, y);
        status = corollary_2(b, t, &e);
        if (status == STI_OK) status = corollary_3(b, t, &e, x);
    }
    if (status == STI_OK) status = equation_43(r, b, t);
    sti_rationals_destroy(e.y_exact);
    return status;
}
