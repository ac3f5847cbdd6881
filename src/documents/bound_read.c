// bound_read.c: an inequality whose numbers are wanted, from JSON.
//
//     {"kind": "bound", "what": "gruess", "interval": [0, 1], "f": "x^2", "g": "sqrt(x)",
//      "A": "1", "B": {"density": "6*x*(1-x)", "atoms": [[0.2, "1/4"], [0.7, "3/4"]]}}       or "weight" for both
//     {"kind": "bound", "what": "gruess", "interval": [0, 1], "f": "u", "g": "v", "joint": "1 + (1-2*u)*(1-2*v)"}
//     {"kind": "bound", "what": "hadamard", "interval": [1, 3], "f": "x^3", "weight": "1/2"}
//     {"kind": "bound", "what": "modulus", "interval": [0, 1], "f": "abs(x - 1/2)", "t": [0.1, 0.5]}
//
// A function may also be {"points": [[x, y], ..]}: the broken line through them. Numbers stand for what is written.
#include <stdio.h>
#include <stiction/bounds.h>
#include <string.h>

#include "documents/document.h"
#include "documents/texts.h"
#include "formats/file.h"
#include "formats/json_fields.h"

static const char* const names[] = {"kind", "name",      "description", "what",       "interval",   "f",
                                    "g",    "weight",    "A",           "B",          "joint",      "other_joint",
                                    "t",    "normalize", "tol",         "parameters", "definitions"};
static const char* const functional_names[] = {"density", "atoms"};

typedef struct store {
    sti_bound_problem problem;  // first member: what sti_bound_problem_of hands out
    sti_texts texts;
} store;

static void destroy(sti_env* env, void* content) {
    store* s = content;
    if (s == NULL) return;
    sti_texts_clear(&s->texts);
    sti_free(env, s);
}

// ---- functions

// [x, y] as two texts
static sti_status read_pair(store* s, const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                            const char** first, const char** second) {
    if (!sti_json_is_array(value) || sti_json_count(value) != 2)
        return sti_json_fail(tree, place, value, "a pair [.., ..] is expected");
    sti_status status = sti_texts_formula(&s->texts, tree, place, value->child, first);
    if (status == STI_OK) status = sti_texts_formula(&s->texts, tree, place, value->child->next, second);
    return status;
}

// The broken line through points as a formula: y_0 + sum (y_{i+1} - y_i) max(0, min(1, (x - x_i)/(x_{i+1} - x_i)))
static sti_status read_points(store* s, const sti_json_tree* tree, const sti_place* up, const sti_json_value* list,
                              const char** out) {
    const sti_place place = sti_place_key(up, "points");
    const int n = sti_json_is_array(list) ? sti_json_count(list) : 0;
    if (n < 2 || n > 60) return sti_json_fail(tree, &place, list, "2 to 60 points [x, y] are expected");
    const char** xy = sti_texts_array(&s->texts, 2 * (size_t)n, sizeof *xy);
    if (xy == NULL) return s->texts.status;
    size_t size = 1;
    int i = 0;
    for (const sti_json_value* value = list->child; value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(&place, i);
        const sti_status status = read_pair(s, tree, &at, value, &xy[2 * i], &xy[2 * i + 1]);
        if (status != STI_OK) return status;
        size = sti_size_add(size, sti_size_mul(4, strlen(xy[2 * i]) + strlen(xy[2 * i + 1])) + 80);
    }
    char* text = sti_texts_array(&s->texts, size, 1);
    if (text == NULL) return s->texts.status;
    size_t at = (size_t)snprintf(text, size, "(%s)", xy[1]);
    for (i = 0; i + 1 < n; i++)
        at += (size_t)snprintf(text + at, size - at, " + ((%s)-(%s))*max(0, min(1, (x-(%s))/((%s)-(%s))))",
                               xy[2 * i + 3], xy[2 * i + 1], xy[2 * i], xy[2 * i + 2], xy[2 * i]);
    *out = text;
    return STI_OK;
}

static sti_status read_function(store* s, const sti_json_tree* tree, const char* key, const char** out) {
    const sti_json_value* value = sti_json_field(tree->root, key);
    const sti_place place = sti_place_key(NULL, key);
    if (!sti_json_is_object(value)) return sti_texts_formula(&s->texts, tree, &place, value, out);
    return read_points(s, tree, &place, sti_json_field(value, "points"), out);
}

// ---- functionals

static sti_status read_atoms(store* s, const sti_json_tree* tree, const sti_place* up, const sti_json_value* list,
                             sti_functional* out) {
    const sti_place place = sti_place_key(up, "atoms");
    const int n = sti_json_is_array(list) ? sti_json_count(list) : 0;
    if (list == NULL) return STI_OK;
    if (n < 1 || n > 10000) return sti_json_fail(tree, &place, list, "a list of pairs [x, mass] is expected");
    const char** text = sti_texts_array(&s->texts, 2 * (size_t)n, sizeof *text);
    if (text == NULL) return s->texts.status;
    int i = 0;
    for (const sti_json_value* value = list->child; value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(&place, i);
        const sti_status status = read_pair(s, tree, &at, value, &text[i], &text[n + i]);
        if (status != STI_OK) return status;
    }
    out->atom_count = n;
    out->atom_at = text;
    out->atom_mass = text + n;
    return STI_OK;
}

static sti_status read_functional(store* s, const sti_json_tree* tree, const char* key, sti_functional* out) {
    const sti_json_value* value = sti_json_field(tree->root, key);
    const sti_place place = sti_place_key(NULL, key);
    if (!sti_json_is_object(value)) return sti_texts_formula(&s->texts, tree, &place, value, &out->density);
    sti_status status = sti_json_check_names(tree, &place, value, functional_names, 2);
    const sti_place density = sti_place_key(&place, "density");
    if (status == STI_OK)
        status = sti_texts_formula(&s->texts, tree, &density, sti_json_field(value, "density"), &out->density);
    if (status == STI_OK) status = read_atoms(s, tree, &place, sti_json_field(value, "atoms"), out);
    if (status == STI_OK && out->density == NULL && out->atom_count == 0)
        return sti_json_fail(tree, &place, value, "\"density\" or \"atoms\" is expected");
    return status;
}

static sti_status read_functionals(store* s, const sti_json_tree* tree) {
    sti_bound_problem* p = &s->problem;
    const sti_json_value *weight = sti_json_field(tree->root, "weight"), *B = sti_json_field(tree->root, "B");
    const sti_place place = sti_place_key(NULL, "weight");
    if (weight != NULL && (B != NULL || sti_json_field(tree->root, "A") != NULL))
        return sti_json_fail(tree, &place, weight, "stands for A and B: neither is expected beside it");
    p->one_functional = B == NULL;
    sti_status status = read_functional(s, tree, weight != NULL ? "weight" : "A", &p->A);
    if (status == STI_OK && B != NULL) status = read_functional(s, tree, "B", &p->B);
    return status;
}

// ---- the whole

static sti_status read_interval(store* s, const sti_json_tree* tree) {
    const sti_json_value* value = sti_json_field(tree->root, "interval");
    const sti_place place = sti_place_key(NULL, "interval");
    if (value == NULL) return sti_json_fail(tree, &place, NULL, "[a, b] is expected");
    return read_pair(s, tree, &place, value, &s->problem.low, &s->problem.high);
}

static sti_status read_all(store* s, const sti_json_tree* tree) {
    static const char* const whats[] = {
#define STI_X(code, words) words,
        STI_BOUND_WHAT_LIST(STI_X)
#undef STI_X
    };
    sti_bound_problem* p = &s->problem;
    int what = -1;
    const sti_place place = sti_place_key(NULL, "what"), list = sti_place_key(NULL, "t");
    sti_status status =
        sti_json_read_word(tree, NULL, tree->root, "what", whats, sizeof whats / sizeof whats[0], &what);
    if (status == STI_OK && what < 0)
        status = sti_json_fail(tree, &place, NULL, "one of modulus, gruess, hadamard is expected");
    p->what = (sti_bound_what)(what < 0 ? 0 : what);
    if (status == STI_OK) status = read_interval(s, tree);
    if (status == STI_OK) status = sti_texts_named(&s->texts, tree, &p->definitions, &p->definition_count);
    if (status == STI_OK) status = read_function(s, tree, "f", &p->f);
    if (status == STI_OK) status = read_function(s, tree, "g", &p->g);
    if (status == STI_OK) status = read_functionals(s, tree);
    if (status == STI_OK) status = sti_texts_field(&s->texts, tree, "joint", &p->joint);
    if (status == STI_OK) status = sti_texts_field(&s->texts, tree, "other_joint", &p->other_joint);
    if (status == STI_OK)
        status = sti_texts_list(&s->texts, tree, &list, sti_json_field(tree->root, "t"), &p->t, &p->t_count);
    if (status == STI_OK) status = sti_json_read_bool(tree, NULL, tree->root, "normalize", &p->normalize);
    if (status == STI_OK) status = sti_json_read_double(tree, NULL, tree->root, "tol", 1e-10, &p->tol);
    if (status == STI_OK && !(p->tol > 0)) {
        const sti_place tol = sti_place_key(NULL, "tol");
        status = sti_json_fail(tree, &tol, sti_json_field(tree->root, "tol"), "a number above 0 is expected");
    }
    return status;
}

static sti_status read(sti_json_tree* tree, void** out) {
    store* s = *out = sti_alloc_array_zero(tree->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    s->texts.env = tree->env;
    const sti_status status = read_all(s, tree);
    if (status == STI_OK) sti_json_warn_unknown(tree, NULL, tree->root, names, sizeof names / sizeof names[0]);
    return status;
}

const sti_kind_row sti_kind_bound = {.read = read, .destroy = destroy};

const sti_bound_problem* sti_bound_problem_of(const sti_document* document) {
    return sti_document_content(document, STI_KIND_BOUND);
}
