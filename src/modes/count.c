// count.c: which complementary choices of one contact at rest can happen (S2 sections V-A, VI-A, VI-C).
//
// From each complementary pair one variable is chosen positive and the other is zero (strict complementarity), so there
// are 2^pairs choices. Those that the relations of the contact allow are found by walking over the pairs and leaving
// out a part choice as soon as a linear program says that its signs cannot hold: 2^(k+2) choices need O(k^2) programs.
//
//     box     unknowns a_n, c_n, a_t+, a_t-, ..; s_t+ = x, s_t- = 2 mu c_n - x                    S2 (19), (20)
//     sides   unknowns a_n, c_n, a_t (2), c_f (k), lambda                                          S2 (33), (34)
//
// Departures. D1: S2 counts 2k+4 for k sides; strict complementarity leaves 2k+2 when mu > 0 (and 2 when mu = 0). D2:
// S2 calls choices with two directions degenerate; their cones are full dimensional, so they are listed and told apart.
//
// Dimension: of { b = a - A c } for a particle (A diagonal), the complementary cone in the space of (b_n, b_t, ..).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exact/determinant.h"
#include "exact/dictionary.h"
#include "modes/model.h"

const char* sti_choice_kind_text(sti_choice_kind kind) {
    static const char* const text[] = {"separate", "roll", "slide", "between", "free"};
    return (unsigned)kind < sizeof text / sizeof text[0] ? text[kind] : "unknown";
}

// Every variable of a pair is a linear form in the unknowns; so are the accelerations and forces.
typedef struct system {
    sti_env* env;
    sti_exact x;
    int pairs, unknowns, tangents;
    int forms;          // 2 pairs: first and second of each, then a_t (tangents), then c_t (tangents)
    sti_int* form;      // (forms x unknowns)
    signed char* side;  // of each pair: 1 first positive, 0 second, -1 open       (pairs)
    bool* is_free;      // unknowns of either sign                                  (unknowns)
    sti_mode_count* out;
    int capacity;
} system_t;

static sti_int* form_at(const system_t* s, int form, int unknown) {
    return &s->form[(size_t)form * (size_t)s->unknowns + (size_t)unknown];
}

static void put(system_t* s, int form, int unknown, int64_t value) {
    sti_int_set_i64(&s->x, form_at(s, form, unknown), value);
}

// unknowns: a_n, c_n, then for each tangent a+, a-, x = s+. Integers: mu = num / den, scaled by den.
static void pose_box(system_t* s, const sti_int* num, const sti_int* den) {
    static const char axis[2] = {'t', 'o'};
    for (int k = 0; k < s->tangents; k++) {
        const int u = 2 + 3 * k, plus = 2 * (1 + 2 * k), minus = plus + 2;
        put(s, plus, u, 1);
        put(s, plus + 1, u + 2, 1);
        put(s, minus, u + 1, 1);
        sti_int_add(&s->x, form_at(s, minus + 1, 1), num, num);  // 2 mu c_n - s+, times den
        sti_int_set(&s->x, form_at(s, minus + 1, u + 2), den);
        sti_int_neg(form_at(s, minus + 1, u + 2));
        const int a = 2 * s->pairs + k, c = a + s->tangents;
        put(s, a, u, 1);
        put(s, a, u + 1, -1);
        sti_int_set(&s->x, form_at(s, c, u + 2), den);  // c_t = s+ - mu c_n
        sti_int_set(&s->x, form_at(s, c, 1), num);
        sti_int_neg(form_at(s, c, 1));
        for (int side = 0; side < 2; side++) {
            snprintf(s->out->pair_name[1 + 2 * k + side][0], 16, "a_%c%c", axis[k], "+-"[side]);
            snprintf(s->out->pair_name[1 + 2 * k + side][1], 16, "s_%c%c", axis[k], "+-"[side]);
        }
    }
}

// unknowns: a_n, c_n, a_t, a_o, c_f (k), lambda. Corners as integers, `scale` times their value.
static void pose_sides(system_t* s, const sti_int* num, const sti_int* den, const sti_int* corner,
                       const sti_int* scale) {
    const int k = s->pairs - 2, lambda = 4 + k;
    for (int j = 0; j < k; j++) {
        const int pair = 2 * (1 + j);
        for (int t = 0; t < 2; t++) {
            sti_int_set(&s->x, form_at(s, pair, 2 + t), &corner[2 * j + t]);
            sti_int_set(&s->x, form_at(s, 2 * s->pairs + 2 + t, 4 + j), &corner[2 * j + t]);
        }
        sti_int_set(&s->x, form_at(s, pair, lambda), scale);
        put(s, pair + 1, 4 + j, 1);
        sti_int_set(&s->x, form_at(s, 2 * (k + 1), 4 + j), den);
        sti_int_neg(form_at(s, 2 * (k + 1), 4 + j));
        snprintf(s->out->pair_name[1 + j][0], 16, "a_f%d", j % 100);
        snprintf(s->out->pair_name[1 + j][1], 16, "c_f%d", j % 100);
    }
    sti_int_set(&s->x, form_at(s, 2 * (k + 1), 1), num);  // mu c_n - sum c_f, times den
    put(s, 2 * (k + 1) + 1, lambda, 1);
    snprintf(s->out->pair_name[k + 1][0], 16, "limit");
    snprintf(s->out->pair_name[k + 1][1], 16, "lambda");
    for (int t = 0; t < 2; t++) {
        put(s, 2 * s->pairs + t, 2 + t, 1);
        s->is_free[2 + t] = true;
    }
}

// Can the chosen variables be positive together, the others of their pairs zero, and open pairs nonnegative?
static sti_status is_possible(system_t* s, bool* possible) {
    sti_dictionary* D;
    const int rows = 2 * s->pairs + 2, cols = s->unknowns + 1, e = s->unknowns;
    sti_status status = sti_dictionary_create(&s->x, rows, cols, &D);
    if (status != STI_OK) return status;
    for (int u = 0; u < s->unknowns; u++) D->kind[u] = s->is_free[u] ? STI_VAR_FREE : STI_VAR_NONNEGATIVE;
    for (int f = 0; f < 2 * s->pairs; f++) {
        for (int u = 0; u < s->unknowns; u++) sti_int_set(&s->x, sti_dictionary_at(D, f, 1 + u), form_at(s, f, u));
        const int side = s->side[f / 2];
        if (side < 0) continue;
        if ((f % 2 == 0) == (side == 1))
            sti_int_set_i64(&s->x, sti_dictionary_at(D, f, 1 + e), -1);
        else
            D->kind[cols + f] = STI_VAR_ZERO;
    }
    const int objective = rows - 1;  // 1 - e >= 0, then -e
    sti_int_set_i64(&s->x, sti_dictionary_at(D, rows - 2, 0), 1);
    sti_int_set_i64(&s->x, sti_dictionary_at(D, rows - 2, 1 + e), -1);
    sti_int_set_i64(&s->x, sti_dictionary_at(D, objective, 1 + e), -1);
    D->kind[cols + objective] = STI_VAR_FREE;
    int column;
    *possible = sti_dictionary_feasible(D) && sti_dictionary_minimize(D, cols + objective, &column) &&
                sti_int_sign(sti_dictionary_at(D, objective, 0)) < 0;
    status = s->x.status;
    sti_dictionary_destroy(D);
    return status;
}

// Rank of b = a - c over the unknowns that may differ from zero: the span of the open cone of the choice. The columns
// are those of a basis of { forms of zero variables = 0 }, so rank(b and zero forms) - rank(zero forms).
static sti_status find_dimension(system_t* s, int* dimension) {
    const int d = 1 + s->tangents, width = s->unknowns;
    const size_t total = (size_t)(s->pairs + d) * (size_t)width;
    int rank[2] = {0, 0};
    for (int with = 0; with < 2 && s->x.status == STI_OK; with++) {
        sti_int* T = sti_int_array(&s->x, total);
        int* pivot = sti_alloc_array(s->env, (size_t)(s->pairs + d), sizeof *pivot);
        if (pivot == NULL && s->x.status == STI_OK) s->x.status = STI_ERR_MEMORY;
        int rows = 0;
        for (int p = 0; p < s->pairs && s->x.status == STI_OK; p++, rows++) {
            const int zero = 2 * p + (s->side[p] == 1 ? 1 : 0);
            for (int u = 0; u < width; u++)
                sti_int_set(&s->x, &T[(size_t)rows * (size_t)width + (size_t)u], form_at(s, zero, u));
        }
        for (int k = 0; k < d && with == 1 && s->x.status == STI_OK; k++, rows++) {
            const int a = k == 0 ? 0 : 2 * s->pairs + k - 1, c = k == 0 ? 1 : 2 * s->pairs + s->tangents + k - 1;
            for (int u = 0; u < width; u++)
                sti_int_sub(&s->x, &T[(size_t)rows * (size_t)width + (size_t)u], form_at(s, a, u), form_at(s, c, u));
        }
        sti_int last = {0};
        if (s->x.status == STI_OK) rank[with] = sti_int_eliminate(&s->x, T, rows, width, width, pivot, &last);
        sti_int_clear(s->env, &last);
        sti_int_array_free(s->env, T, T != NULL ? total : 0);
        sti_free(s->env, pivot);
    }
    *dimension = rank[1] - rank[0];
    return s->x.status;
}

static sti_choice_kind kind_of(const system_t* s, bool box) {
    if (s->side[0] == 1) return STI_CHOICE_SEPARATE;
    int sliding = 0, both = 0;
    if (box) {
        for (int k = 0; k < s->tangents; k++) {
            sliding += s->side[1 + 2 * k] == 1 || s->side[2 + 2 * k] == 1;
            both += s->side[1 + 2 * k] == 1 && s->side[2 + 2 * k] == 1;
        }
        if (both > 0) return STI_CHOICE_FREE;
        if (sliding == 0) return STI_CHOICE_ROLL;
        return sliding == s->tangents ? STI_CHOICE_SLIDE : STI_CHOICE_BETWEEN;
    }
    if (s->side[s->pairs - 1] == 1) return STI_CHOICE_ROLL;  // the limit is not reached
    for (int j = 1; j < s->pairs - 1; j++) sliding += s->side[j] == 0;
    return sliding == 0 ? STI_CHOICE_FREE : sliding == 1 ? STI_CHOICE_SLIDE : STI_CHOICE_BETWEEN;
}

static sti_status emit(system_t* s, bool box) {
    sti_mode_count* out = s->out;
    const size_t pairs = (size_t)s->pairs;
    if (out->feasible == s->capacity) {
        const size_t capacity = s->capacity > 0 ? 2 * (size_t)s->capacity : 16;
        void* first = sti_realloc(s->env, out->first, capacity * pairs);
        if (first != NULL) out->first = first;
        void* kind = sti_realloc(s->env, out->kind, capacity * sizeof *out->kind);
        if (kind != NULL) out->kind = kind;
        void* dimension = sti_realloc(s->env, out->dimension, capacity * sizeof *out->dimension);
        if (dimension != NULL) out->dimension = dimension;
        if (first == NULL || kind == NULL || dimension == NULL) return STI_ERR_MEMORY;
        s->capacity = (int)capacity;
    }
    const size_t at = (size_t)out->feasible++;
    for (size_t p = 0; p < pairs; p++) out->first[at * pairs + p] = s->side[p] == 1;
    out->kind[at] = kind_of(s, box);
    out->by_kind[out->kind[at]]++;
    return find_dimension(s, &out->dimension[at]);
}

static sti_status explore(system_t* s, int pair, bool box) {
    bool possible;
    sti_status status = is_possible(s, &possible);
    if (status != STI_OK || !possible) return status;
    if (pair == s->pairs) return emit(s, box);
    for (int side = 0; side < 2 && status == STI_OK; side++) {
        s->side[pair] = (signed char)side;
        status = explore(s, pair + 1, box);
    }
    s->side[pair] = -1;
    return status;
}

static sti_status build(system_t* s, sti_friction_model model, double mu) {
    const bool box = model == STI_FRICTION_BOX;
    s->form = sti_int_array(&s->x, (size_t)s->forms * (size_t)s->unknowns);
    s->side = sti_alloc_array(s->env, (size_t)s->pairs, 1);
    s->is_free = sti_alloc_array_zero(s->env, (size_t)s->unknowns, sizeof *s->is_free);
    s->out->pair_name = sti_alloc_array_zero(s->env, (size_t)s->pairs, sizeof *s->out->pair_name);
    if (s->x.status != STI_OK || s->side == NULL || s->is_free == NULL || s->out->pair_name == NULL)
        return STI_ERR_MEMORY;
    memset(s->side, -1, (size_t)s->pairs);
    snprintf(s->out->pair_name[0][0], 16, "a_n");
    snprintf(s->out->pair_name[0][1], 16, "c_n");
    put(s, 0, 0, 1);
    put(s, 1, 1, 1);
    sti_rationals *value = NULL, *corners = NULL;
    sti_int* corner = NULL;
    sti_int num = {0}, den = {0};
    int k = 0;
    sti_status status = sti_rationals_create(s->env, 1, &value);
    if (status == STI_OK) status = sti_rationals_set_double(value, 0, mu);
    if (status == STI_OK && box) pose_box(s, &value->num[0], &value->den[0]);
    if (status == STI_OK && !box) status = sti_modes_polygon(s->env, model, s->pairs - 2, &corners, &k);
    if (status == STI_OK && !box) {
        corner = sti_int_array(&s->x, 2 * (size_t)k);
        if (corner != NULL) {
            sti_int_row_from_rationals(&s->x, corner, corners, 0, 2 * (size_t)k, &num, &den);
            for (size_t j = 0; j < 2 * (size_t)k; j++) sti_int_mul(&s->x, &corner[j], &corner[j], &den);
            if (s->x.status == STI_OK) pose_sides(s, &value->num[0], &value->den[0], corner, &num);
        }
    }
    if (status == STI_OK) status = s->x.status;
    if (status == STI_OK) status = explore(s, 0, box);
    sti_int_array_free(s->env, corner, corner != NULL ? 2 * (size_t)k : 0);
    sti_int_clear(s->env, &num);
    sti_int_clear(s->env, &den);
    sti_rationals_destroy(value);
    sti_rationals_destroy(corners);
    return status;
}

void sti_mode_count_destroy(sti_mode_count* count) {
    if (count == NULL) return;
    sti_free(count->env, count->first);
    sti_free(count->env, count->kind);
    sti_free(count->env, count->dimension);
    sti_free(count->env, count->pair_name);
    sti_free(count->env, count);
}

sti_status sti_mode_count_create(sti_env* env, sti_friction_model model, int tangents, int sides, double mu,
                                 sti_mode_count** out) {
    *out = NULL;
    sti_modes_options o = sti_modes_options_default();
    o.model = model;
    o.sides = sides;
    sti_status status = sti_modes_options_check(env, &o);
    if (status != STI_OK) return status;
    if (tangents < 1 || tangents > 2 || (tangents == 1 && model == STI_FRICTION_SIDES))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%d tangents; 1 (box only) or 2 are possible", tangents);
    if (!(mu >= 0) || !isfinite(mu)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "mu is %g", mu);
    sti_mode_count* count = sti_alloc_array_zero(env, 1, sizeof *count);
    if (count == NULL) return STI_ERR_MEMORY;
    count->env = env;
    count->tangents = tangents;
    count->pairs = model == STI_FRICTION_BOX ? 1 + 2 * tangents : sides + 2;
    count->choices = ldexp(1, count->pairs);
    system_t s = {.env = env, .pairs = count->pairs, .tangents = tangents, .out = count};
    s.unknowns = model == STI_FRICTION_BOX ? 2 + 3 * tangents : 5 + sides;
    s.forms = 2 * s.pairs + 2 * tangents;
    sti_exact_init(&s.x, env);
    status = build(&s, model, mu);
    count->named = count->feasible - count->by_kind[STI_CHOICE_BETWEEN];
    sti_int_array_free(env, s.form, s.form != NULL ? (size_t)s.forms * (size_t)s.unknowns : 0);
    sti_free(env, s.side);
    sti_free(env, s.is_free);
    sti_exact_clear(&s.x);
    if (status == STI_OK)
        *out = count;
    else
        sti_mode_count_destroy(count);
    return status;
}
