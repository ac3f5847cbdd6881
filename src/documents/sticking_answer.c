// sticking_answer.c: claims about sticking, with their proofs, as JSON and back.
//
//     {"kind": "sticking", "outcome": "does_not", "exact": true, "facets": 0, "n": 3, "contacts": [0, 1],
//      "multipliers": 4, "accelerations": 4, "a": [..], "lambda": [..], "a_exact": ["1/2", ..], "lambda_exact": [..],
//      "leaves": [{"sign": [0, 0], "y": [..], "z": [..], "w": [..], "exact": ["3", ..]}], "bound": null,
//      "opening": {"without_discs": "solved", "outcome": "does_not", "exact": true, "a": [..], "lambda": [..], "a_n":
//      [..],
//                  "opens": [false, true], "a_exact": [..], "lambda_exact": [..], "leaves": [..], "bound": null,
//                  "farkas": [..], "farkas_exact": [..], "descent": [..], "descent_exact": [..]},
//      "propositions": [..]}
//
// What an outcome does not need is null. Nothing is judged here: sti_verify_sticking does that. Where the object is the
// field "certificate" of another, fields of that other that say the same must say the same.
#include <math.h>
#include <stiction/sticking.h>

#include "documents/document.h"
#include "documents/sticking_propositions.h"
#include "formats/file.h"
#include "formats/json_fields.h"
#include "formats/json_write.h"

#define STI_X(code, text) text,
static const char* const outcomes[] = {STI_STICKING_OUTCOME_LIST(STI_X)};
static const char* const solutions[] = {STI_OUTCOME_LIST(STI_X)};
#undef STI_X

// ---- writing

static void write_exact(sti_json* j, const char* key, const sti_rationals* r) {
    if (r == NULL) {
        sti_json_null(j, key);
        return;
    }
    sti_json_array(j, key);
    for (size_t i = 0; i < sti_rationals_count(r); i++) sti_json_fraction(j, NULL, r, i);
    sti_json_end(j);
}

static void write_leaf(sti_json* j, const sti_sticking_answer* a, const sti_sticking_leaf* leaf) {
    sti_json_object(j, NULL);
    sti_json_array(j, "sign");
    for (int i = 0; i < a->contact_count; i++) sti_json_integer(j, NULL, leaf->sign[i]);
    sti_json_end(j);
    sti_json_doubles(j, "y", leaf->y, (size_t)a->n);
    sti_json_doubles(j, "z", leaf->z, (size_t)a->acceleration_count);
    sti_json_doubles(j, "w", leaf->w, (size_t)a->contact_count * (size_t)a->facets);
    write_exact(j, "exact", leaf->exact);
    sti_json_end(j);
}

static void write_leaves(sti_json* j, const sti_sticking_answer* a, int count, const sti_sticking_leaf* leaves) {
    sti_json_array(j, "leaves");
    for (int i = 0; i < count; i++) write_leaf(j, a, &leaves[i]);
    sti_json_end(j);
}

static void write_opens(sti_json* j, const sti_sticking_answer* a) {
    if (a->opening.opens == NULL) {
        sti_json_null(j, "opens");
        return;
    }
    sti_json_array(j, "opens");
    for (int i = 0; i < a->contact_count; i++) sti_json_bool(j, NULL, a->opening.opens[i] != 0);
    sti_json_end(j);
}

static void write_opening(sti_json* j, const sti_sticking_answer* a) {
    const sti_opening* o = &a->opening;
    if (!o->asked) {
        sti_json_null(j, "opening");
        return;
    }
    sti_json_object(j, "opening");
    sti_json_text(j, "without_discs", solutions[o->contact_problem]);
    sti_json_text(j, "outcome", outcomes[o->outcome]);
    sti_json_bool(j, "exact", o->exact);
    sti_json_doubles(j, "a", o->a, (size_t)a->n);
    sti_json_doubles(j, "lambda", o->lambda, (size_t)a->multiplier_count);
    sti_json_doubles(j, "a_n", o->a_n, (size_t)a->contact_count);
    write_opens(j, a);
    write_exact(j, "a_exact", o->a_exact);
    write_exact(j, "lambda_exact", o->lambda_exact);
    write_leaves(j, a, o->leaf_count, o->leaves);
    sti_json_double(j, "bound", o->bound);
    sti_json_doubles(j, "farkas", o->farkas, (size_t)a->acceleration_count);
    write_exact(j, "farkas_exact", o->farkas_exact);
    sti_json_doubles(j, "descent", o->descent, (size_t)a->n);
    write_exact(j, "descent_exact", o->descent_exact);
    sti_json_end(j);
}

static sti_status write_answer(sti_env* env, const sti_sticking_answer* a, char** out, size_t* size) {
    sti_json j;
    sti_json_begin(&j, env);
    sti_json_text(&j, "kind", "sticking");
    sti_json_text(&j, "outcome", outcomes[a->outcome]);
    sti_json_bool(&j, "exact", a->exact);
    sti_json_integer(&j, "facets", a->facets);
    sti_json_integer(&j, "n", a->n);
    sti_json_indices(&j, "contacts", a->contact, (size_t)a->contact_count);
    sti_json_integer(&j, "multipliers", a->multiplier_count);
    sti_json_integer(&j, "accelerations", a->acceleration_count);
    sti_json_doubles(&j, "a", a->a, (size_t)a->n);
    sti_json_doubles(&j, "lambda", a->lambda, (size_t)a->multiplier_count);
    write_exact(&j, "a_exact", a->a_exact);
    write_exact(&j, "lambda_exact", a->lambda_exact);
    write_leaves(&j, a, a->leaf_count, a->leaves);
    sti_json_double(&j, "bound", a->bound);
    write_opening(&j, a);
    sti_propositions_write(&j, a);
    return sti_json_finish(&j, out, size);
}

sti_status sti_sticking_answer_json(sti_env* env, const sti_sticking_answer* answer, char** out) {
    size_t size;
    *out = NULL;
    return write_answer(env, answer, out, &size);
}

sti_status sti_sticking_answer_save(sti_env* env, const sti_sticking_answer* answer, const char* path) {
    char* text = NULL;
    size_t size;
    sti_status status = write_answer(env, answer, &text, &size);
    if (status != STI_OK) return status;
    status = sti_file_write(env, path, text, size);
    sti_free(env, text);
    return status;
}

// ---- reading

typedef struct reader {
    sti_json_tree tree;
    sti_env* env;
    const sti_json_value* root;  // the object, or its field "certificate"
    sti_place place;             // of that field
    const sti_place* up;         // NULL at the root
    sti_sticking_answer* a;
} reader;

static sti_status read_size(const reader* r, const char* key, int64_t most, int* out) {
    const sti_json_value* value = sti_json_field(r->root, key);
    const sti_place at = sti_place_key(r->up, key);
    int64_t size = 0;
    if (value == NULL) return sti_json_fail(&r->tree, &at, NULL, "a whole number is expected");
    const sti_status status = sti_json_read_integer(&r->tree, &at, value, 0, most, &size);
    *out = (int)size;
    return status;
}

static sti_status read_contacts(const reader* r) {
    const sti_json_value* list = sti_json_field(r->root, "contacts");
    const sti_place place = sti_place_key(r->up, "contacts");
    if (!sti_json_is_array(list)) return sti_json_fail(&r->tree, &place, list, "a list of indices is expected");
    const int count = r->a->contact_count = sti_json_count(list);
    r->a->contact = sti_alloc_array(r->env, (size_t)count, sizeof *r->a->contact);
    if (r->a->contact == NULL) return STI_ERR_MEMORY;
    sti_status status = STI_OK;
    int i = 0;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(&place, i);
        int64_t index = 0;
        status = sti_json_read_integer(&r->tree, &at, value, 0, STI_FILE_SPARSE_MOST, &index);
        r->a->contact[i] = (int)index;
    }
    return status;
}

static sti_status read_exact(const reader* r, const sti_place* up, const sti_json_value* object, const char* key,
                             size_t count, sti_rationals** out) {
    const sti_json_value* list = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    if (list == NULL) return STI_OK;
    sti_status status = sti_json_check_list(&r->tree, &place, list, (int)count);
    if (status == STI_OK) status = sti_rationals_create(r->env, count, out);
    size_t i = 0;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(&place, (int64_t)i);
        status = sti_json_read_exact(&r->tree, &at, value, *out, i);
        if (status == STI_ERR_ARGUMENT) status = sti_json_fail(&r->tree, &at, value, "a finite number is expected");
    }
    return status;
}

static sti_status read_signs(const reader* r, const sti_place* up, const sti_json_value* object, signed char* sign) {
    const sti_json_value* list = sti_json_field(object, "sign");
    const sti_place place = sti_place_key(up, "sign");
    sti_status status = sti_json_check_list(&r->tree, &place, list, r->a->contact_count);
    int i = 0;
    for (const sti_json_value* value = status == STI_OK ? list->child : NULL; status == STI_OK && value != NULL;
         value = value->next, i++) {
        const sti_place at = sti_place_index(&place, i);
        int64_t s = 0;
        status = sti_json_read_integer(&r->tree, &at, value, -1, 1, &s);
        sign[i] = (signed char)s;
    }
    return status;
}

static sti_status read_leaf(const reader* r, const sti_place* place, const sti_json_value* object,
                            sti_sticking_leaf* leaf) {
    const sti_sticking_answer* a = r->a;
    const int facets = sti_count_mul(a->contact_count, a->facets);
    if (!sti_json_is_object(object)) return sti_json_fail(&r->tree, place, object, "an object is expected");
    leaf->sign = sti_alloc_array_zero(r->env, (size_t)a->contact_count, 1);
    if (leaf->sign == NULL) return STI_ERR_MEMORY;
    sti_status status = read_signs(r, place, object, leaf->sign);
    if (status == STI_OK) status = sti_json_read_doubles(&r->tree, place, object, "y", a->n, &leaf->y);
    if (status == STI_OK) status = sti_json_read_doubles(&r->tree, place, object, "z", a->acceleration_count, &leaf->z);
    if (status == STI_OK) status = sti_json_read_doubles(&r->tree, place, object, "w", facets, &leaf->w);
    const size_t count = (size_t)a->n + (size_t)a->acceleration_count + (size_t)facets;
    if (status == STI_OK) status = read_exact(r, place, object, "exact", count, &leaf->exact);
    return status;
}

static sti_status read_leaves(const reader* r, const sti_place* up, const sti_json_value* object, int* leaf_count,
                              sti_sticking_leaf** leaves) {
    const sti_json_value* list = sti_json_field(object, "leaves");
    const sti_place place = sti_place_key(up, "leaves");
    if (list == NULL) return STI_OK;
    if (!sti_json_is_array(list)) return sti_json_fail(&r->tree, &place, list, "a list is expected");
    const int count = sti_json_count(list);
    *leaves = sti_alloc_array_zero(r->env, (size_t)count, sizeof **leaves);
    if (*leaves == NULL) return STI_ERR_MEMORY;
    *leaf_count = count;
    sti_status status = STI_OK;
    int i = 0;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(&place, i);
        status = read_leaf(r, &at, value, &(*leaves)[i]);
    }
    return status;
}

static sti_status read_opens(const reader* r, const sti_place* up, const sti_json_value* object, unsigned char** out) {
    const sti_json_value* list = sti_json_field(object, "opens");
    const sti_place place = sti_place_key(up, "opens");
    if (list == NULL) return STI_OK;
    sti_status status = sti_json_check_list(&r->tree, &place, list, r->a->contact_count);
    if (status != STI_OK) return status;
    *out = sti_alloc_array_zero(r->env, (size_t)r->a->contact_count, 1);
    if (*out == NULL) return STI_ERR_MEMORY;
    int i = 0;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(&place, i);
        if (!sti_json_is_bool(value)) status = sti_json_fail(&r->tree, &at, value, "true or false is expected");
        (*out)[i] = sti_json_is_true(value);
    }
    return status;
}

static sti_status read_opening(const reader* r) {
    const sti_sticking_answer* a = r->a;
    sti_opening* o = &r->a->opening;
    const sti_json_value* object = sti_json_field(r->root, "opening");
    const sti_place up = sti_place_key(r->up, "opening");
    const sti_json_tree* tree = &r->tree;
    int outcome = STI_STICKING_UNKNOWN, solution = STI_UNKNOWN;
    if (object == NULL) return STI_OK;
    if (!sti_json_is_object(object)) return sti_json_fail(tree, &up, object, "an object is expected");
    o->asked = true;
    sti_status status = sti_json_read_word(tree, &up, object, "without_discs", solutions,
                                           (int)(sizeof solutions / sizeof solutions[0]), &solution);
    if (status == STI_OK)
        status = sti_json_read_word(tree, &up, object, "outcome", outcomes, (int)(sizeof outcomes / sizeof outcomes[0]),
                                    &outcome);
    o->contact_problem = (sti_outcome)solution;
    o->outcome = (sti_sticking_outcome)outcome;
    if (status == STI_OK) status = sti_json_read_bool(tree, &up, object, "exact", &o->exact);
    if (status == STI_OK) status = sti_json_read_doubles(tree, &up, object, "a", a->n, &o->a);
    if (status == STI_OK) status = sti_json_read_doubles(tree, &up, object, "lambda", a->multiplier_count, &o->lambda);
    if (status == STI_OK) status = sti_json_read_doubles(tree, &up, object, "a_n", a->contact_count, &o->a_n);
    if (status == STI_OK) status = read_opens(r, &up, object, &o->opens);
    if (status == STI_OK) status = read_exact(r, &up, object, "a_exact", (size_t)a->n, &o->a_exact);
    if (status == STI_OK)
        status = read_exact(r, &up, object, "lambda_exact", (size_t)a->multiplier_count, &o->lambda_exact);
    if (status == STI_OK) status = read_leaves(r, &up, object, &o->leaf_count, &o->leaves);
    if (status == STI_OK) status = sti_json_read_double(tree, &up, object, "bound", INFINITY, &o->bound);
    if (status == STI_OK)
        status = sti_json_read_doubles(tree, &up, object, "farkas", a->acceleration_count, &o->farkas);
    if (status == STI_OK)
        status = read_exact(r, &up, object, "farkas_exact", (size_t)a->acceleration_count, &o->farkas_exact);
    if (status == STI_OK) status = sti_json_read_doubles(tree, &up, object, "descent", a->n, &o->descent);
    if (status == STI_OK) status = read_exact(r, &up, object, "descent_exact", (size_t)a->n, &o->descent_exact);
    return status;
}

// What stands beside a certificate and in it must be the same in both.
static sti_status check_twin(const reader* r, const sti_place* up, const sti_json_value* outer,
                             const sti_json_value* inner, const char* key) {
    const sti_json_value *a = sti_json_get(outer, key), *b = sti_json_get(inner, key);
    const sti_place at = sti_place_key(up, key);
    if (a == NULL || b == NULL || sti_json_same(a, b)) return STI_OK;
    return sti_json_fail(&r->tree, &at, a, "what the certificate says is expected");
}

static sti_status check_twins(const reader* r) {
    static const char* const twins[] = {"outcome", "exact", "a", "propositions"};
    const sti_json_value* outer = r->up != NULL ? sti_json_field(r->tree.root, "opening") : NULL;
    const sti_json_value* inner = sti_json_field(r->root, "opening");
    const sti_place up = sti_place_key(NULL, "opening");
    sti_status status = STI_OK;
    for (size_t i = 0; r->up != NULL && status == STI_OK && i < sizeof twins / sizeof twins[0]; i++)
        status = check_twin(r, NULL, r->tree.root, r->root, twins[i]);
    if (status == STI_OK && outer != NULL && inner == NULL)
        status = sti_json_fail(&r->tree, &up, outer, "null is expected, as in the certificate");
    for (const sti_json_value* value = sti_json_is_object(outer) ? outer->child : NULL;
         value != NULL && status == STI_OK; value = value->next)
        status = check_twin(r, &up, outer, inner, value->key);
    return status;
}

static sti_status read_answer(reader* r) {
    sti_sticking_answer* a = r->a;
    int outcome = STI_STICKING_UNKNOWN;
    const sti_json_value* inner = sti_json_field(r->tree.root, "certificate");
    r->root = inner != NULL ? inner : r->tree.root;
    r->place = sti_place_key(NULL, "certificate");
    r->up = inner != NULL ? &r->place : NULL;
    if (!sti_json_is_object(r->root)) return sti_json_fail(&r->tree, &r->place, r->root, "an object is expected");
    a->bound = INFINITY;
    sti_status status = sti_json_read_word(&r->tree, r->up, r->root, "outcome", outcomes,
                                           (int)(sizeof outcomes / sizeof outcomes[0]), &outcome);
    a->outcome = (sti_sticking_outcome)outcome;
    if (status == STI_OK) status = sti_json_read_bool(&r->tree, r->up, r->root, "exact", &a->exact);
    if (status == STI_OK) status = read_size(r, "facets", 360, &a->facets);
    if (status == STI_OK) status = read_size(r, "n", STI_FILE_DENSE_MOST, &a->n);
    if (status == STI_OK) status = read_size(r, "multipliers", STI_FILE_DENSE_MOST, &a->multiplier_count);
    if (status == STI_OK) status = read_size(r, "accelerations", STI_FILE_DENSE_MOST, &a->acceleration_count);
    if (status == STI_OK) status = read_contacts(r);
    if (status == STI_OK) status = sti_json_read_doubles(&r->tree, r->up, r->root, "a", a->n, &a->a);
    if (status == STI_OK)
        status = sti_json_read_doubles(&r->tree, r->up, r->root, "lambda", a->multiplier_count, &a->lambda);
    if (status == STI_OK) status = read_exact(r, r->up, r->root, "a_exact", (size_t)a->n, &a->a_exact);
    if (status == STI_OK)
        status = read_exact(r, r->up, r->root, "lambda_exact", (size_t)a->multiplier_count, &a->lambda_exact);
    if (status == STI_OK) status = read_leaves(r, r->up, r->root, &a->leaf_count, &a->leaves);
    if (status == STI_OK) status = sti_json_read_double(&r->tree, r->up, r->root, "bound", INFINITY, &a->bound);
    if (status == STI_OK) status = read_opening(r);
    if (status == STI_OK) status = sti_propositions_read(r->env, &r->tree, r->up, r->root, a);
    return status == STI_OK ? check_twins(r) : status;
}

sti_status sti_sticking_answer_load(sti_env* env, const char* path, sti_sticking_answer* out) {
    char* text;
    size_t size;
    *out = (sti_sticking_answer){0};
    sti_status status = sti_file_read(env, path, STI_FILE_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    reader r = {.env = env, .a = out};
    status = sti_json_tree_create(env, text, size, path, &r.tree);
    if (status == STI_OK) {
        status = read_answer(&r);
        sti_json_tree_clear(&r.tree);
    }
    sti_free(env, text);
    if (status != STI_OK) sti_sticking_answer_clear(env, out);
    return status;
}

static void clear_leaves(sti_env* env, int count, sti_sticking_leaf* leaves) {
    for (int i = 0; i < count; i++) {
        sti_free(env, leaves[i].sign);
        sti_free(env, leaves[i].y);
        sti_free(env, leaves[i].z);
        sti_free(env, leaves[i].w);
        sti_rationals_destroy(leaves[i].exact);
    }
    sti_free(env, leaves);
}

static void clear_opening(sti_env* env, sti_opening* o) {
    void* const own[] = {o->a, o->lambda, o->a_n, o->opens, o->farkas, o->descent};
    sti_rationals* const exact[] = {o->a_exact, o->lambda_exact, o->farkas_exact, o->descent_exact};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) sti_free(env, own[i]);
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) sti_rationals_destroy(exact[i]);
    clear_leaves(env, o->leaf_count, o->leaves);
}

void sti_sticking_answer_clear(sti_env* env, sti_sticking_answer* answer) {
    clear_leaves(env, answer->leaf_count, answer->leaves);
    clear_opening(env, &answer->opening);
    sti_propositions_clear(env, answer);
    sti_free(env, answer->contact);
    sti_free(env, answer->a);
    sti_free(env, answer->lambda);
    sti_rationals_destroy(answer->a_exact);
    sti_rationals_destroy(answer->lambda_exact);
    *answer = (sti_sticking_answer){0};
}
