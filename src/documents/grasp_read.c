// grasp_read.c: a grasp by points and inward normals, from JSON. It becomes an instant of the held object alone.
//
//     {"kind": "grasp", "dimension": 2 or 3, "center": [..], "mu": 0.5,
//      "contacts": [{"name": "thumb", "point": [..], "normal": [..], "mu": 0.4}, ..]}
//
// The velocities are those of the object at the center, then its turning: (x, y, turn), (x, y, z, turn x, turn y, turn
// z). With r = point - center and the unit normal n, which points into the object,
//
//     row n_i = (n, r x n),     rows t_i = (t, r x t)
//
// in the plane t = (-n_y, n_x); in space t_1 is the unit vector along e_m - n_m n with m the first smallest entry of
// |n|, and t_2 = n x t_1. M, F and v are 0: a grasp asks what forces can balance, not how anything moves.
//
// A normal of another length is made a unit vector. In the plane the instant is exact, "0.6" is 3/5, when every normal
// as written has length one; otherwise, and in space, the doubles are the data.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "documents/document.h"
#include "documents/instant_read.h"
#include "exact/rationals.h"
#include "formats/file.h"
#include "formats/json_fields.h"
#include "linalg/vec3.h"
#include "system/instant.h"

enum { MOST_CONTACTS = 5000 };

static const char* const root_names[] = {"kind", "name", "dimension", "center", "mu", "contacts"};
static const char* const contact_names[] = {"name", "point", "normal", "mu"};
static const char* const plane_names[] = {"x", "y", "turn"};
static const char* const space_names[] = {"x", "y", "z", "turn x", "turn y", "turn z"};

typedef struct reader {
    sti_json_tree* tree;
    sti_instant_store* s;
    int d, n, contact_count;
    sti_rationals* given;  // center, then point and normal of each contact, as written   (d (1 + 2 contact_count))
    double* value;         // the same, rounded
} reader;

static sti_status take(const reader* r, const sti_place* up, const sti_json_value* object, const char* key, size_t at) {
    const sti_place place = sti_place_key(up, key);
    const sti_json_value* list = sti_json_field(object, key);
    if (list == NULL) return sti_json_fail(r->tree, &place, NULL, "%d numbers are expected", r->d);
    sti_status status = sti_json_check_list(r->tree, &place, list, r->d);
    int k = 0;
    for (const sti_json_value* v = status == STI_OK ? list->child : NULL; status == STI_OK && v != NULL;
         v = v->next, k++, at++) {
        const sti_place here = sti_place_index(&place, k);
        bool is_double;
        status = sti_json_read_number(r->tree, &here, v, &r->value[at], &is_double);
        if (status == STI_OK) status = sti_json_read_exact(r->tree, &here, v, r->given, at);
    }
    return status;
}

static size_t point_at(const reader* r, int i) {
    return sti_size_mul((size_t)r->d, 1 + 2 * (size_t)i);
}

static sti_status open_grasp(reader* r) {
    const sti_json_value *root = r->tree->root, *dimension = sti_json_field(root, "dimension");
    const sti_json_value* list = sti_json_field(root, "contacts");
    const sti_place at_d = sti_place_key(NULL, "dimension"), at_list = sti_place_key(NULL, "contacts");
    int64_t d = 0;
    if (dimension == NULL) return sti_json_fail(r->tree, &at_d, NULL, "2 or 3 is expected");
    sti_status status = sti_json_read_integer(r->tree, &at_d, dimension, 2, 3, &d);
    if (status == STI_OK)
        status = sti_json_check_names(r->tree, NULL, root, root_names, (int)(sizeof root_names / sizeof *root_names));
    if (status != STI_OK) return status;
    if (!sti_json_is_array(list)) return sti_json_fail(r->tree, &at_list, list, "a list of contacts is expected");
    r->d = (int)d;
    r->n = d == 2 ? 3 : 6;
    r->contact_count = sti_json_count(list);
    if (r->contact_count < 1 || r->contact_count > MOST_CONTACTS)
        return sti_json_fail(r->tree, &at_list, list, "from 1 to %d contacts are expected", MOST_CONTACTS);
    const size_t count = point_at(r, r->contact_count);
    r->value = sti_alloc_array_zero(r->tree->env, count, sizeof *r->value);
    if (r->value == NULL) return STI_ERR_MEMORY;
    status = sti_rationals_create(r->tree->env, count, &r->given);
    if (status == STI_OK && sti_json_field(root, "center") != NULL) status = take(r, NULL, root, "center", 0);
    return status;
}

static sti_status take_contacts(const reader* r) {
    const sti_json_value* contact = sti_json_field(r->tree->root, "contacts")->child;
    const sti_place list = sti_place_key(NULL, "contacts");
    sti_status status = STI_OK;
    for (int i = 0; status == STI_OK && contact != NULL; contact = contact->next, i++) {
        const sti_place at = sti_place_index(&list, i), at_n = sti_place_key(&at, "normal");
        if (!sti_json_is_object(contact)) return sti_json_fail(r->tree, &at, contact, "an object { .. } is expected");
        status = sti_json_check_names(r->tree, &at, contact, contact_names,
                                      (int)(sizeof contact_names / sizeof *contact_names));
        if (status == STI_OK) status = take(r, &at, contact, "point", point_at(r, i));
        if (status == STI_OK) status = take(r, &at, contact, "normal", point_at(r, i) + (size_t)r->d);
        const double* n = r->value + point_at(r, i) + r->d;
        if (status == STI_OK && !(hypot(hypot(n[0], n[1]), r->d == 3 ? n[2] : 0) > 0))
            status = sti_json_fail(r->tree, &at_n, sti_json_field(contact, "normal"), "a direction is expected, not 0");
    }
    return status;
}

// ---- exactly, in the plane

// num / den += sign times the product of the given numbers i and j.
static void add_product(sti_exact* x, const sti_rationals* g, size_t i, size_t j, int sign, sti_int* num,
                        sti_int* den) {
    sti_int top = {0}, bottom = {0}, other = {0};
    sti_int_mul(x, &top, &g->num[i], &g->num[j]);
    sti_int_mul(x, &bottom, &g->den[i], &g->den[j]);
    if (sign < 0) sti_int_neg(&top);
    sti_int_mul(x, &other, &top, den);
    sti_int_mul(x, &top, num, &bottom);
    sti_int_add(x, num, &top, &other);
    sti_int_mul(x, &top, den, &bottom);
    sti_int_swap(den, &top);
    sti_int_clear(x->env, &top);
    sti_int_clear(x->env, &bottom);
    sti_int_clear(x->env, &other);
}

// The sum of sign_k g[i_k] g[j_k] over count products, as a rational.
static sti_status sum_products(const reader* r, int count, const size_t (*pair)[2], const int* sign, sti_rationals* to,
                               size_t at) {
    sti_exact x;
    sti_int num = {0}, den = {0};
    sti_exact_init(&x, r->tree->env);
    sti_int_set_i64(&x, &den, 1);
    for (int k = 0; k < count; k++) add_product(&x, r->given, pair[k][0], pair[k][1], sign[k], &num, &den);
    sti_status status = x.status;
    if (status == STI_OK) status = sti_rationals_set_ratio(to, at, &num, &den);
    sti_int_clear(r->tree->env, &num);
    sti_int_clear(r->tree->env, &den);
    sti_exact_clear(&x);
    return status;
}

// Are all normals of length one, as written?
static sti_status all_unit(const reader* r, bool* unit) {
    sti_rationals* one = NULL;
    *unit = r->d == 2;
    sti_status status = sti_rationals_create(r->tree->env, 1, &one);
    for (int i = 0; status == STI_OK && *unit && i < r->contact_count; i++) {
        const size_t n = point_at(r, i) + 2, pair[2][2] = {{n, n}, {n + 1, n + 1}};
        status = sum_products(r, 2, pair, (const int[]){1, 1}, one, 0);
        *unit = status == STI_OK && sti_int_is_one(&one->num[0]) && sti_int_is_one(&one->den[0]);
    }
    sti_rationals_destroy(one);
    return status;
}

static sti_status put_exact(const reader* r, int i) {
    sti_instant_exact* e = &r->s->exact;
    const size_t p = point_at(r, i), n = p + 2, row = 3 * (size_t)i;
    sti_status status = sti_rationals_copy(e->n, row, r->given, n);
    if (status == STI_OK) status = sti_rationals_copy(e->n, row + 1, r->given, n + 1);
    if (status == STI_OK) status = sti_rationals_copy(e->t, row, r->given, n + 1);
    if (status == STI_OK) status = sti_rationals_copy(e->t, row + 1, r->given, n);
    if (status != STI_OK) return status;
    sti_int_neg(&e->t->num[row]);
    // r x n = r_x n_y - r_y n_x,   r x t = r_x n_x + r_y n_y,   r = p - c
    const size_t cross[4][2] = {{p, n + 1}, {0, n + 1}, {p + 1, n}, {1, n}};
    const size_t along[4][2] = {{p, n}, {0, n}, {p + 1, n + 1}, {1, n + 1}};
    status = sum_products(r, 4, cross, (const int[]){1, -1, -1, 1}, e->n, row + 2);
    if (status == STI_OK) status = sum_products(r, 4, along, (const int[]){1, -1, 1, -1}, e->t, row + 2);
    return status;
}

// ---- in doubles

// (direction, r x direction) as the object has it; vectors of the plane have z = 0.
static void put_row(int d, const double* r, const double* direction, double* row) {
    double moment[3];
    cross3(r, direction, moment);
    memcpy(row, direction, (size_t)d * sizeof *row);
    if (d == 2)
        row[2] = moment[2];
    else
        memcpy(row + 3, moment, sizeof moment);
}

static void put_doubles(const reader* r, int i) {
    const size_t d = (size_t)r->d, width = (size_t)r->n;
    const double *p = r->value + point_at(r, i), *given = p + d;
    double arm[3] = {0}, n[3] = {0}, t[2][3] = {{0}};
    const double length = hypot(hypot(given[0], given[1]), d == 3 ? given[2] : 0);
    for (size_t k = 0; k < d; k++) {
        arm[k] = p[k] - r->value[k];
        n[k] = given[k] / length;
    }
    if (d == 2) {
        t[0][0] = -n[1];
        t[0][1] = n[0];
    } else {
        int m = 0;
        for (int k = 1; k < 3; k++) {
            if (fabs(n[k]) < fabs(n[m])) m = k;
        }
        for (int k = 0; k < 3; k++) t[0][k] = ((k == m) - n[m] * n[k]) / sqrt(1 - n[m] * n[m]);
        cross3(n, t[0], t[1]);
    }
    put_row(r->d, arm, n, r->s->n + (size_t)i * width);
    for (size_t k = 0; k + 1 < d; k++) put_row(r->d, arm, t[k], r->s->t + ((size_t)i * (d - 1) + k) * width);
}

// Doubles of exact rows: nearest to them, so that both are the same instant. NAN comes of failed memory alone.
static sti_status round_rows(const reader* r, int i) {
    const size_t row = 3 * (size_t)i;
    for (size_t k = row; k < row + 3; k++) {
        r->s->n[k] = sti_rationals_double(r->s->exact.n, k);
        r->s->t[k] = sti_rationals_double(r->s->exact.t, k);
        if (isnan(r->s->n[k]) || isnan(r->s->t[k])) return STI_ERR_MEMORY;
    }
    return STI_OK;
}

// ---- the instant

// The contact's own mu, else that of the grasp, else 0.
static sti_status take_friction(const reader* r, const sti_place* up, const sti_json_value* contact, int i) {
    sti_instant_contact* c = &r->s->contacts[i];
    const sti_json_value *own = sti_json_field(contact, "mu"), *common = sti_json_field(r->tree->root, "mu");
    const sti_place place = sti_place_key(own != NULL ? up : NULL, "mu");
    const sti_json_value* value = own != NULL ? own : common;
    bool is_double;
    if (value == NULL) return STI_OK;
    sti_status status = sti_json_read_number(r->tree, &place, value, &c->mu, &is_double);
    if (status == STI_OK && c->mu < 0) status = sti_json_fail(r->tree, &place, value, "friction from 0 on is expected");
    c->mu_kinetic = c->mu;
    if (status != STI_OK || r->s->exact.mu == NULL) return status;
    status = sti_json_read_exact(r->tree, &place, value, r->s->exact.mu, (size_t)i);
    if (status == STI_OK) status = sti_rationals_copy(r->s->exact.mu_kinetic, (size_t)i, r->s->exact.mu, (size_t)i);
    return status;
}

static sti_status fill(const reader* r, bool exact) {
    const sti_json_value* contact = sti_json_field(r->tree->root, "contacts")->child;
    const sti_place list = sti_place_key(NULL, "contacts");
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < r->n; k++)
        status = sti_instant_store_name(r->tree->env, r->s, k, r->d == 2 ? plane_names[k] : space_names[k]);
    for (int i = 0; status == STI_OK && contact != NULL; contact = contact->next, i++) {
        const sti_place at = sti_place_index(&list, i);
        status = sti_instant_read_name(r->tree, r->s, r->n, &at, contact, i);
        if (status == STI_OK) status = take_friction(r, &at, contact, i);
        put_doubles(r, i);
        if (status == STI_OK && exact) status = put_exact(r, i);
        if (status == STI_OK && exact) status = round_rows(r, i);
    }
    if (status != STI_OK) return status;
    status = sti_instant_check(r->tree->env, &r->s->instant);
    if (status == STI_ERR_INPUT) {  // say in which file
        char text[sizeof r->tree->env->error.text];
        memcpy(text, r->tree->env->error.text, sizeof text);
        status = sti_file_fail(r->tree->env, status, r->tree->name, "%s", text);
    }
    return status;
}

static sti_status make_store(reader* r, bool exact) {
    int* tangents = sti_alloc_array(r->tree->env, (size_t)r->contact_count, sizeof *tangents);
    if (tangents == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < r->contact_count; i++) tangents[i] = r->d - 1;
    const sti_instant_shape shape = {
        .n = r->n, .contact_count = r->contact_count, .tangent_count = tangents, .exact = exact};
    const sti_status status = sti_instant_store_create(r->tree->env, &shape, &r->s);
    sti_free(r->tree->env, tangents);
    return status;
}

static sti_status read(sti_json_tree* tree, void** out) {
    reader r = {.tree = tree};
    bool exact = false;
    tree->by_digits = true;
    sti_status status = open_grasp(&r);
    if (status == STI_OK) status = take_contacts(&r);
    if (status == STI_OK) status = all_unit(&r, &exact);
    if (status == STI_OK) status = make_store(&r, exact);
    if (status == STI_OK) status = fill(&r, exact);
    *out = r.s;
    sti_rationals_destroy(r.given);
    sti_free(tree->env, r.value);
    return status;
}

static void destroy(sti_env* env, void* content) {
    sti_instant_store_destroy(env, content);
}

const sti_kind_row sti_kind_grasp = {.read = read, .destroy = destroy};
