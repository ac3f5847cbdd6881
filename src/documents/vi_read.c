// vi_read.c: variational inequalities given by formulas, from JSON.
//
//     {"kind": "ncp", "variables": ["x", "y"], "F": ["x^2 - y", "y - 1"], "start": [1, 1], "definitions": {..},
//     "parameters": {..}} {"kind": "vi", "variables": {"x": [0, 1], "y": null, "z": [null, 3]}, "F": [..], ..}
//
// Of an ncp every variable is at least 0. Of a vi each has [low, high], either of them null where there is none, or
// null for both.
#include <math.h>
#include <stiction/vi.h>

#include "documents/document.h"
#include "documents/texts.h"
#include "formats/file.h"
#include "formats/json_fields.h"
#include "formats/json_matrix.h"

enum { VARIABLES_MOST = 1000 };

static const char* const names[] = {"kind", "name",  "description", "variables",
                                    "F",    "start", "parameters",  "definitions"};

typedef struct store {
    sti_vi vi;  // first member: what sti_vi_of hands out
    sti_texts texts;
} store;

static void destroy(sti_env* env, void* content) {
    store* s = content;
    if (s == NULL) return;
    sti_texts_clear(&s->texts);
    sti_free(env, s);
}

static sti_status read_bound(const sti_json_tree* tree, const sti_place* up, int side, const sti_json_value* value,
                             double* out) {
    const sti_place place = sti_place_index(up, side);
    bool exact;
    if (sti_json_is_null(value)) return STI_OK;
    const sti_status status = sti_json_read_number(tree, &place, value, out, &exact);
    if (status == STI_OK && (side == 0 ? *out >= 1e20 : *out <= -1e20))
        return sti_json_fail(tree, &place, value, "less than 1e20 in size is expected");
    if (status == STI_OK && fabs(*out) >= 1e20) *out = side == 0 ? -INFINITY : INFINITY;
    return status;
}

// One variable of a vi and its bounds.
static sti_status read_box(const sti_json_tree* tree, const sti_json_value* value, double* low, double* high) {
    const sti_place up = sti_place_key(NULL, "variables"), place = sti_place_key(&up, value->key);
    *low = -INFINITY;
    *high = INFINITY;
    if (sti_json_is_null(value)) return STI_OK;
    if (!sti_json_is_array(value) || sti_json_count(value) != 2)
        return sti_json_fail(tree, &place, value, "[low, high] is expected, null where there is no bound");
    const sti_status status = read_bound(tree, &place, 0, value->child, low);
    return status == STI_OK ? read_bound(tree, &place, 1, value->child->next, high) : status;
}

static sti_status read_variables(store* s, const sti_json_tree* tree, bool ncp) {
    const sti_json_value* list = sti_json_field(tree->root, "variables");
    const sti_place place = sti_place_key(NULL, "variables");
    const bool right = ncp ? sti_json_is_array(list) : sti_json_is_object(list);
    if (!right || list->child == NULL)
        return sti_json_fail(
            tree, &place, list,
            ncp ? "a list of names, [\"x\", ..], is expected" : "{\"name\": [low, high], ..} is expected");
    const int n = sti_json_count(list);
    if (n > VARIABLES_MOST)
        return sti_json_fail(tree, &place, NULL, "%d variables: at most %d are expected", n, VARIABLES_MOST);
    const char** variables = sti_texts_array(&s->texts, (size_t)n, sizeof *variables);
    double *low = sti_texts_array(&s->texts, (size_t)n, sizeof *low),
           *high = sti_texts_array(&s->texts, (size_t)n, sizeof *high);
    if (variables == NULL || low == NULL || high == NULL) return s->texts.status;
    int k = 0;
    for (const sti_json_value* value = list->child; value != NULL; value = value->next, k++) {
        const sti_place at = sti_place_index(&place, k);
        sti_status status = STI_OK;
        if (ncp && sti_json_string(value) == NULL) status = sti_json_fail(tree, &at, value, "a name is expected");
        if (!ncp) status = read_box(tree, value, &low[k], &high[k]);
        if (status != STI_OK) return status;
        if (ncp) high[k] = INFINITY;
        variables[k] = sti_texts_copy(&s->texts, ncp ? sti_json_string(value) : value->key);
    }
    s->vi.n = n;
    s->vi.ncp = ncp;
    s->vi.variables = variables;
    s->vi.lb = low;
    s->vi.ub = high;
    return s->texts.status;
}

static sti_status read_map(store* s, const sti_json_tree* tree) {
    const sti_json_value* value = sti_json_field(tree->root, "F");
    const sti_place place = sti_place_key(NULL, "F");
    int count = 0;
    if (value == NULL) return sti_json_fail(tree, &place, NULL, "a list of formulas is expected");
    const sti_status status = sti_texts_list(&s->texts, tree, &place, value, &s->vi.F, &count);
    if (status == STI_OK && count != s->vi.n)
        return sti_json_fail(tree, &place, value, "%d formulas for %d variables: as many are expected", count, s->vi.n);
    return status;
}

static sti_status read_any(sti_json_tree* tree, void** out, bool ncp) {
    store* s = *out = sti_alloc_array_zero(tree->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    s->texts.env = tree->env;
    sti_status status = read_variables(s, tree, ncp);
    if (status == STI_OK) status = read_map(s, tree);
    if (status == STI_OK) status = sti_texts_named(&s->texts, tree, &s->vi.definitions, &s->vi.definition_count);
    if (status == STI_OK) status = sti_texts_start(&s->texts, tree, s->vi.n, false, &s->vi.start);
    if (status == STI_OK) sti_json_warn_unknown(tree, NULL, tree->root, names, sizeof names / sizeof names[0]);
    return status;
}

static sti_status read_ncp(sti_json_tree* tree, void** out) {
    return read_any(tree, out, true);
}

static sti_status read_vi(sti_json_tree* tree, void** out) {
    return read_any(tree, out, false);
}

const sti_kind_row sti_kind_ncp = {.read = read_ncp, .destroy = destroy};
const sti_kind_row sti_kind_vi = {.read = read_vi, .destroy = destroy};

const sti_vi* sti_vi_of(const sti_document* document) {
    const sti_vi* vi = sti_document_content(document, STI_KIND_VI);
    return vi != NULL ? vi : sti_document_content(document, STI_KIND_NCP);
}
