// root_read.c: equations whose roots are wanted, from JSON.
//
//     {"kind": "root", "variables": {"x": [-10, 10]}, "equations": ["sin(10*x) + x/2 - 1"], "start": [1],
//      "method": "safe", "seed": 1, "runs": 100, "max_iterations": 100, "tol_f": 1e-12, "gamma": 0.5, "digits": 3000,
//      "width": 1e-12, "max_boxes": 200000, "parameters": {..}, "definitions": {..}}
//
// Numbers stand for what is written: 0.1 is a tenth. A variable that is null has no box.
#include <math.h>
#include <stiction/roots.h>

#include "documents/document.h"
#include "documents/texts.h"
#include "formats/file.h"
#include "formats/json_fields.h"
#include "formats/json_matrix.h"

static const char* const names[] = {"kind",   "name",      "description",    "variables",  "equations",  "start",
                                    "method", "seed",      "runs",           "tol_f",      "gamma",      "digits",
                                    "width",  "max_boxes", "max_iterations", "parameters", "definitions"};

typedef struct store {
    sti_root_problem problem;  // first member: what sti_root_problem_of hands out
    sti_texts texts;
} store;

static void destroy(sti_env* env, void* content) {
    store* s = content;
    if (s == NULL) return;
    sti_texts_clear(&s->texts);
    sti_free(env, s);
}

// One variable: its name, and its box.
static sti_status read_variable(store* s, const sti_json_tree* tree, const sti_json_value* value, int k,
                                const char** name, const char** low, const char** high, bool* boxed) {
    const sti_place up = sti_place_key(NULL, "variables"), place = sti_place_key(&up, value->key);
    name[k] = sti_texts_copy(&s->texts, value->key);
    *boxed = !sti_json_is_null(value);
    if (!*boxed) return s->texts.status;
    if (!sti_json_is_array(value) || sti_json_count(value) != 2)
        return sti_json_fail(tree, &place, value, "[low, high] is expected, or null where there is no box");
    const sti_place first = sti_place_index(&place, 0), second = sti_place_index(&place, 1);
    sti_status status = sti_texts_formula(&s->texts, tree, &first, value->child, &low[k]);
    if (status == STI_OK) status = sti_texts_formula(&s->texts, tree, &second, value->child->next, &high[k]);
    return status;
}

static sti_status read_variables(store* s, const sti_json_tree* tree) {
    const sti_json_value* object = sti_json_field(tree->root, "variables");
    const sti_place place = sti_place_key(NULL, "variables");
    if (!sti_json_is_object(object) || object->child == NULL)
        return sti_json_fail(tree, &place, object, "{\"name\": [low, high], ..} is expected");
    const int n = sti_json_count(object);
    if (n > STI_ROOT_VARIABLES_MOST)
        return sti_json_fail(tree, &place, object, "%d variables: at most %d are expected", n, STI_ROOT_VARIABLES_MOST);
    const char** list = sti_texts_array(&s->texts, 3 * (size_t)n, sizeof *list);
    if (list == NULL) return s->texts.status;
    int k = 0, boxes = 0;
    for (const sti_json_value* value = object->child; value != NULL; value = value->next, k++) {
        bool boxed;
        const sti_status status = read_variable(s, tree, value, k, list, list + n, list + 2 * n, &boxed);
        if (status != STI_OK) return status;
        boxes += boxed;
    }
    if (boxes != 0 && boxes != n)
        return sti_json_fail(tree, &place, object, "a box for all variables or for none is expected");
    s->problem.variable_count = n;
    s->problem.variables = list;
    s->problem.low = boxes > 0 ? list + n : NULL;
    s->problem.high = boxes > 0 ? list + 2 * n : NULL;
    return STI_OK;
}

static sti_status read_equations(store* s, const sti_json_tree* tree) {
    const sti_json_value* value = sti_json_field(tree->root, "equations");
    const sti_place place = sti_place_key(NULL, "equations");
    int count = 0;
    if (value == NULL) return sti_json_fail(tree, &place, NULL, "needed for kind \"root\"");
    const sti_status status = sti_texts_list(&s->texts, tree, &place, value, &s->problem.equations, &count);
    if (status == STI_OK && count != s->problem.variable_count)
        return sti_json_fail(tree, &place, value, "%d equations for %d variables: as many are expected", count,
                             s->problem.variable_count);
    return status;
}

static sti_status read_count(const sti_json_tree* tree, const char* key, int64_t least, int64_t most, long* out) {
    const sti_json_value* value = sti_json_field(tree->root, key);
    const sti_place place = sti_place_key(NULL, key);
    int64_t n = *out;
    const sti_status status = value == NULL ? STI_OK : sti_json_read_integer(tree, &place, value, least, most, &n);
    *out = (long)n;
    return status;
}

static sti_status read_options(sti_root_options* o, const sti_json_tree* tree) {
    static const char* const methods[] = {
#define STI_X(code, words) words,
        STI_ROOT_METHOD_LIST(STI_X)
#undef STI_X
    };
    int method = (int)o->method;
    long seed = (long)o->seed;
    sti_status status =
        sti_json_read_word(tree, NULL, tree->root, "method", methods, sizeof methods / sizeof methods[0], &method);
    if (status == STI_OK) status = read_count(tree, "seed", 0, INT64_C(1) << 53, &seed);
    if (status == STI_OK) status = read_count(tree, "runs", 1, 10000000, &o->runs);
    if (status == STI_OK) status = read_count(tree, "max_iterations", 1, 1000000, &o->max_iterations);
    if (status == STI_OK) status = read_count(tree, "max_boxes", 1, 100000000, &o->max_boxes);
    if (status == STI_OK) status = read_count(tree, "digits", 0, 10000, &o->digits);
    if (status == STI_OK) status = sti_json_read_double(tree, NULL, tree->root, "tol_f", o->tol_f, &o->tol_f);
    if (status == STI_OK) status = sti_json_read_double(tree, NULL, tree->root, "gamma", NAN, &o->gamma);
    if (status == STI_OK) status = sti_json_read_double(tree, NULL, tree->root, "width", o->width, &o->width);
    o->method = (sti_root_method)method;
    o->seed = (uint64_t)seed;
    return status;
}

static sti_status read(sti_json_tree* tree, void** out) {
    store* s = *out = sti_alloc_array_zero(tree->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    s->texts.env = tree->env;
    s->problem.options = sti_root_options_default();
    sti_status status = read_variables(s, tree);
    if (status == STI_OK) status = read_equations(s, tree);
    if (status == STI_OK)
        status = sti_texts_named(&s->texts, tree, &s->problem.definitions, &s->problem.definition_count);
    if (status == STI_OK) status = sti_texts_start(&s->texts, tree, s->problem.variable_count, true, &s->problem.start);
    if (status == STI_OK) status = read_options(&s->problem.options, tree);
    if (status == STI_OK) sti_json_warn_unknown(tree, NULL, tree->root, names, sizeof names / sizeof names[0]);
    return status;
}

const sti_kind_row sti_kind_root = {.read = read, .destroy = destroy};

const sti_root_problem* sti_root_problem_of(const sti_document* document) {
    return sti_document_content(document, STI_KIND_ROOT);
}
