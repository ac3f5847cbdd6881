// actuation.c: a contact mode by actuators within bounds, the linear program of actuation.h.
//
// Unknowns are tau and t, free; rows are the faces, the bounds and, held at zero, the equations; -t is minimized. All
// numbers are integers over one scale for base and directions, so nothing is rounded but |G_f|, which is taken to 53
// bits. In the last dictionary  -d t = const + sum c_j s_j  with slacks s_j >= 0 that are 0: a bound that is widened by
// one unit changes its slack by its scale, so c_j scale_j / d is the rate of t. The rates of the faces are the
// multipliers of the dual program.
#include <math.h>
#include <stiction/actuation.h>
#include <string.h>

#include "exact/dictionary.h"
#include "exact/rationals.h"

typedef struct lever {
    sti_env* env;
    sti_exact x;
    const sti_actuators* by;
    sti_rows faces, equations;
    int n, count, wide;  // wide: the cone is over (w, 1)
    sti_dictionary* D;
    sti_int* wrench;   // base, then directions, times scale       ((1 + count) x n)
    sti_int num, den;  // value = wrench den / num
    sti_int one, two;
    double* norm;  // of faces
    sti_actuation* out;
} lever;

static int row_count(const lever* k) {
    return k->faces.count + k->equations.count + 2 * k->count + 1;
}

static int slack(const lever* k, int row) {  // the variable of a row
    return k->D->cols + row;
}

static sti_status check(sti_env* env, const sti_mode_wrenches* w, int n, const sti_rationals* base,
                        const sti_actuators* by) {
    const size_t count = by->count > 0 ? (size_t)by->count : 0;
    if (by->count < 0) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%d actuators", by->count);
    if (n < 1 || sti_polycone_dimension_space(w->cone) != n + !w->is_cone || !sti_polycone_is_exact(w->cone))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the mode has no exact set of wrenches of dimension %d", n);
    if (sti_rationals_count(base) != (size_t)n) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "base: %d numbers", n);
    if (count > 0 && (sti_rationals_count(by->direction) != count * (size_t)n ||
                      sti_rationals_count(by->low) != count || sti_rationals_count(by->high) != count))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "directions and bounds of %d actuators have other sizes", by->count);
    return STI_OK;
}

static sti_status reserve(lever* k) {
    sti_actuation* a = sti_alloc_array_zero(k->env, 1, sizeof *a);
    const size_t count = (size_t)k->count, faces = (size_t)k->faces.count, equations = (size_t)k->equations.count;
    k->out = a;
    k->norm = sti_alloc_array_zero(k->env, faces, sizeof *k->norm);
    double* numbers = a != NULL ? sti_alloc_array_zero(k->env, 2 * count + faces + equations, sizeof *numbers) : NULL;
    if (a != NULL) a->tau = numbers;
    if (k->norm == NULL || numbers == NULL) return STI_ERR_MEMORY;
    *a = (sti_actuation){.n = k->n,
                         .count = k->count,
                         .face_count = k->faces.count,
                         .equation_count = k->equations.count,
                         .margin = NAN,
                         .limit = -1,
                         .limit_face = -1,
                         .tau = numbers};
    a->rate = a->tau + count;
    a->face_multiplier = a->rate + count;
    a->equation_multiplier = a->face_multiplier + faces;
    k->wrench = sti_int_array(&k->x, (count + 1) * (size_t)k->n);
    if (k->x.status != STI_OK) return k->x.status;
    return sti_dictionary_create(&k->x, row_count(k), k->count + 1, &k->D);
}

static sti_status read_wrenches(lever* k, const sti_rationals* base) {
    const size_t n = (size_t)k->n, all = ((size_t)k->count + 1) * n;
    sti_rationals* r;
    sti_status status = sti_rationals_create(k->env, all, &r);
    if (status != STI_OK) return status;
    for (size_t i = 0; status == STI_OK && i < all; i++)
        status = i < n ? sti_rationals_copy(r, i, base, i) : sti_rationals_copy(r, i, k->by->direction, i - n);
    if (status == STI_OK) sti_int_row_from_rationals(&k->x, k->wrench, r, 0, all, &k->num, &k->den);
    sti_rationals_destroy(r);
    return status == STI_OK ? k->x.status : status;
}

// G w for w = base (k = 0) or a direction, times num / den; the entry at infinity with it.
static void product(lever* k, const sti_rows* rows, int row, int which, sti_int* out) {
    const size_t at = (size_t)row * (size_t)rows->dimension;
    sti_int_set_i64(&k->x, out, 0);
    for (int i = 0; i < k->n; i++)
        sti_int_addmul(&k->x, out, &rows->exact->num[at + (size_t)i], &k->wrench[which * k->n + i]);
    sti_int_mul(&k->x, &k->one, out, &k->den);
    if (which == 0 && k->wide) sti_int_addmul(&k->x, &k->one, &rows->exact->num[at + (size_t)k->n], &k->num);
    sti_int_swap(out, &k->one);
}

static double row_norm(const lever* k, const sti_rows* rows, int row) {
    double sum = 0;
    for (int i = 0; i < k->n; i++) {
        const double x = sti_rationals_double(rows->exact, (size_t)row * (size_t)rows->dimension + (size_t)i);
        sum = hypot(sum, x);
    }
    return sum;
}

// -G (w, 1) - |G| t >= 0, times num 2^shift.
static void put_face(lever* k, int f) {
    int exponent = 0;
    k->norm[f] = row_norm(k, &k->faces, f);
    frexp(k->norm[f], &exponent);
    const int shift = exponent < 53 ? 53 - exponent : 0;
    for (int c = 0; c <= k->count; c++) {
        sti_int* at = sti_dictionary_at(k->D, f, c);
        product(k, &k->faces, f, c, at);
        sti_int_shl(&k->x, at, at, (size_t)shift);
        sti_int_neg(at);
    }
    sti_int_set_double(&k->x, &k->two, k->norm[f], shift);
    sti_int_mul(&k->x, &k->one, &k->two, &k->num);
    sti_int* t = sti_dictionary_at(k->D, f, k->count + 1);
    sti_int_swap(t, &k->one);
    sti_int_neg(t);
}

// tau - low >= 0 or high - tau >= 0, times the denominator of the bound.
static void put_bound(lever* k, int row, int actuator, const sti_rationals* bound, int sign) {
    sti_int *constant = sti_dictionary_at(k->D, row, 0), *at = sti_dictionary_at(k->D, row, 1 + actuator);
    sti_int_set(&k->x, constant, &bound->num[actuator]);
    sti_int_set(&k->x, at, &bound->den[actuator]);
    if (sign > 0)
        sti_int_neg(constant);
    else
        sti_int_neg(at);
}

static sti_status fill(lever* k) {
    const int faces = k->faces.count, equations = k->equations.count, bounds = faces + equations;
    for (int c = 0; c <= k->count; c++) k->D->kind[c] = STI_VAR_FREE;
    for (int f = 0; f < faces; f++) put_face(k, f);
    for (int e = 0; e < equations; e++) {
        for (int c = 0; c <= k->count; c++) product(k, &k->equations, e, c, sti_dictionary_at(k->D, faces + e, c));
        k->D->kind[slack(k, faces + e)] = STI_VAR_ZERO;
    }
    for (int a = 0; a < k->count; a++) {
        put_bound(k, bounds + 2 * a, a, k->by->low, 1);
        put_bound(k, bounds + 2 * a + 1, a, k->by->high, -1);
    }
    const int last = row_count(k) - 1;
    sti_int_set_i64(&k->x, sti_dictionary_at(k->D, last, k->count + 1), -1);
    k->D->kind[slack(k, last)] = STI_VAR_FREE;
    return k->x.status;
}

// Value of an unknown: its row's constant over d, 0 where it is nonbasic.
static double value_of(lever* k, int variable) {
    const int row = sti_dictionary_row_of(k->D, variable);
    return row < 0 ? 0 : sti_int_ratio(&k->x, sti_dictionary_at(k->D, row, 0), &k->D->d);
}

// c_j / d of the objective's row at the slack of a row; 0 where that is basic.
static double price(lever* k, int row) {
    const int objective = sti_dictionary_row_of(k->D, slack(k, row_count(k) - 1));
    for (int j = 0; j < k->D->cols && objective >= 0; j++) {
        if (k->D->nonbasic[j] == slack(k, row))
            return sti_int_ratio(&k->x, sti_dictionary_at(k->D, objective, j + 1), &k->D->d);
    }
    return 0;
}

static void read_limits(lever* k) {
    sti_actuation* a = k->out;
    const int bounds = k->faces.count + k->equations.count;
    double most = 0;
    for (int i = 0; i < k->count; i++) {
        const double low = price(k, bounds + 2 * i) * sti_int_double(&k->by->low->den[i]);
        const double high = price(k, bounds + 2 * i + 1) * sti_int_double(&k->by->high->den[i]);
        const double range = sti_rationals_double(k->by->high, (size_t)i) - sti_rationals_double(k->by->low, (size_t)i);
        a->rate[i] = low + high;
        if (!(a->rate[i] * range > most) && (a->limit >= 0 || !(a->rate[i] > 0))) continue;
        most = a->rate[i] * range;
        a->limit = i;
    }
    most = 0;
    for (int f = 0; f < k->faces.count; f++) {
        int exponent = 0;
        frexp(k->norm[f], &exponent);
        // slack of the row: num 2^shift times that of the face
        a->face_multiplier[f] = price(k, f) * sti_int_double(&k->num) * ldexp(1, exponent < 53 ? 53 - exponent : 0);
        if (!(a->face_multiplier[f] * k->norm[f] > most)) continue;
        most = a->face_multiplier[f] * k->norm[f];
        a->limit_face = f;
    }
    for (int e = 0; e < k->equations.count; e++)
        a->equation_multiplier[e] = price(k, k->faces.count + e) * sti_int_double(&k->num);
}

// The face at infinity of a cone over (w, 1) bounds nothing.
static bool has_face(const lever* k) {
    bool any = false;
    for (int f = 0; f < k->faces.count; f++) any = any || k->norm[f] > 0;
    return any;
}

static sti_status solve(lever* k) {
    sti_actuation* a = k->out;
    int column;
    if (!sti_dictionary_feasible(k->D)) return k->x.status;
    a->reachable = true;
    const bool bounded = has_face(k) && sti_dictionary_minimize(k->D, slack(k, row_count(k) - 1), &column);
    if (k->x.status != STI_OK) return k->x.status;
    for (int i = 0; i < k->count; i++) a->tau[i] = value_of(k, i);
    const int row = sti_dictionary_row_of(k->D, k->count);
    const int sign = row < 0 ? 0 : sti_int_sign(sti_dictionary_at(k->D, row, 0));
    a->possible = !bounded || sign >= 0;
    a->strict = !bounded || sign > 0;
    a->margin = bounded ? value_of(k, k->count) : INFINITY;
    if (bounded) read_limits(k);
    return k->x.status;
}

sti_status sti_actuation_create(sti_env* env, const sti_mode_wrenches* wrenches, int n, const sti_rationals* base,
                                const sti_actuators* actuators, sti_actuation** out) {
    *out = NULL;
    sti_status status = check(env, wrenches, n, base, actuators);
    if (status != STI_OK) return status;
    lever k = {.env = env, .by = actuators, .n = n, .count = actuators->count, .wide = !wrenches->is_cone};
    k.faces = sti_polycone_inequalities(wrenches->cone);
    k.equations = sti_polycone_equations(wrenches->cone);
    sti_exact_init(&k.x, env);
    status = reserve(&k);
    if (status == STI_OK) status = read_wrenches(&k, base);
    if (status == STI_OK) status = fill(&k);
    if (status == STI_OK) status = solve(&k);
    sti_dictionary_destroy(k.D);
    sti_int_array_free(env, k.wrench, ((size_t)k.count + 1) * (size_t)n);
    sti_int_clear(env, &k.num);
    sti_int_clear(env, &k.den);
    sti_int_clear(env, &k.one);
    sti_int_clear(env, &k.two);
    sti_free(env, k.norm);
    sti_exact_clear(&k.x);
    if (status == STI_OK)
        *out = k.out;
    else
        sti_actuation_destroy(env, k.out);
    return status;
}

void sti_actuation_destroy(sti_env* env, sti_actuation* actuation) {
    if (actuation == NULL) return;
    sti_free(env, actuation->tau);
    sti_free(env, actuation);
}
