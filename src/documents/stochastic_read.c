// stochastic_read.c: stochastic programs from JSON.
//
//     {"kind": "stochastic", "Q0": .., "c0": .., "T0": .., "W0": .., "b": ..,
//      "scenarios": [{"p": 0.5, "Q": .., "c": .., "T": .., "W": .., "d": ..}, ..]}
//
// Rows are equations ("b", "d") or lie between "bl" and "bu", "dl" and "du", null for none; variables are not negative
// unless "lb", "ub" say otherwise. A scenario takes what it does not say from "common"; "p" is 1/N when no scenario
// says it. A scenario may bring its own "W0".
#include <math.h>
#include <string.h>

#include "documents/document.h"
#include "documents/stochastic_store.h"
#include "formats/file.h"
#include "formats/json_fields.h"
#include "formats/json_matrix.h"

static const char* const names[] = {"kind", "name", "description", "Q0", "c0", "T0",     "W0",        "b",
                                    "bl",   "bu",   "lb",          "ub", "n",  "common", "scenarios", "sample"};
static const char* const scenario_names[] = {"p", "name", "Q", "c", "T", "W", "W0", "d", "dl", "du", "lb", "ub"};
#define COUNT_OF(a) ((int)(sizeof(a) / sizeof(a)[0]))

typedef sti_stochastic_store store;

// ---- memory: pointers that a scenario shares with `common` belong to that

static void free_unless(sti_env* env, const double* x, const double* shared) {
    if (x != shared) sti_free(env, (double*)x);
}

static void clear_matrix(sti_env* env, sti_matrix* A, const sti_matrix* shared) {
    const bool same = shared != NULL && A->dense == shared->dense && A->value == shared->value;
    if (!same || (A->dense == NULL && A->value == NULL)) sti_matrix_clear(env, A);
}

static void clear_sides(sti_env* env, const double* low, const double* high, const double* shared_low,
                        const double* shared_high) {
    if (high != low) free_unless(env, high, shared_high);
    free_unless(env, low, shared_low);
}

static void clear_scenario(sti_env* env, sti_scenario* s, const sti_scenario* common) {
    static const sti_scenario none = {0};
    const sti_scenario* c = common != NULL ? common : &none;
    clear_matrix(env, &s->Q, common != NULL ? &c->Q : NULL);
    clear_matrix(env, &s->T, common != NULL ? &c->T : NULL);
    clear_matrix(env, &s->W, common != NULL ? &c->W : NULL);
    clear_matrix(env, &s->W0, common != NULL ? &c->W0 : NULL);
    free_unless(env, s->c, c->c);
    clear_sides(env, s->dl, s->du, c->dl, c->du);
    clear_sides(env, s->lb, s->ub, c->lb, c->ub);
}

void sti_stochastic_store_destroy(sti_env* env, void* content) {
    store* s = content;
    if (s == NULL) return;
    for (int i = 0; s->scenarios != NULL && s->stack_count == 0 && i < s->program.scenario_count; i++)
        clear_scenario(env, &s->scenarios[i], &s->common);
    for (int k = 0; k < s->stack_count; k++) sti_free(env, s->stack[k]);
    clear_scenario(env, &s->common, NULL);
    sti_free(env, s->scenarios);
    sti_matrix_clear(env, &s->program.Q0);
    sti_matrix_clear(env, &s->program.T0);
    sti_matrix_clear(env, &s->program.W0);
    sti_free(env, (double*)s->program.c0);
    clear_sides(env, s->program.bl, s->program.bu, NULL, NULL);
    clear_sides(env, s->program.lb, s->program.ub, NULL, NULL);
    sti_distribution_destroy(env, s->distribution);
    sti_free(env, s);
}

// ---- fields

typedef struct reader {
    const sti_json_tree* tree;
    const sti_place* up;  // NULL: the root
    const sti_json_value* object;
} reader;

// A matrix of rows x cols (-1: any, which is then known); *out stays where the field is missing.
static sti_status read_matrix(const reader* r, const char* key, int* rows, int* cols, sti_matrix* out) {
    const sti_json_value* value = sti_json_field(r->object, key);
    const sti_place place = sti_place_key(r->up, key);
    sti_field f = {0};
    if (value == NULL) return STI_OK;
    sti_status status = sti_json_read_matrix(r->tree, &place, value, &f);
    if (status == STI_OK && f.cols < 0) {  // no rows have no width
        f.cols = *cols < 0 ? 0 : *cols;
        f.matrix.cols = f.cols;
    }
    if (status == STI_OK && ((*rows >= 0 && f.rows != *rows) || (*cols >= 0 && f.cols != *cols))) {
        if (*rows < 0)
            status = sti_json_fail(r->tree, &place, value, "%d x %d: %d columns are expected", f.rows, f.cols, *cols);
        else
            status = sti_json_fail(r->tree, &place, value, "%d x %d: %d x %d is expected", f.rows, f.cols, *rows,
                                   *cols < 0 ? f.cols : *cols);
    }
    if (status == STI_OK) {
        *rows = f.rows;
        *cols = f.cols;
        *out = f.matrix;
        f.matrix = (sti_matrix){0};
    }
    sti_field_clear(r->tree->env, &f);
    return status;
}

// A vector of `count` (-1: any, then known); null stands for `none`.
static sti_status read_vector(const reader* r, const char* key, int* count, bool open, double none,
                              const double** out) {
    const sti_json_value* value = sti_json_field(r->object, key);
    const sti_place place = sti_place_key(r->up, key);
    sti_field f = {.open = open};
    if (value == NULL) return STI_OK;
    sti_status status = sti_json_read_vector(r->tree, &place, value, &f);
    if (status == STI_OK && *count >= 0 && f.rows != *count)
        status = sti_json_fail(r->tree, &place, value, "%d entries are expected", *count);
    if (status == STI_OK) {
        *count = f.rows;
        for (int j = 0; j < f.rows; j++) {
            if (isnan(f.vector[j])) f.vector[j] = none;
        }
        *out = f.vector;
        f.vector = NULL;
    }
    sti_field_clear(r->tree->env, &f);
    return status;
}

// All of one number, for a side that is not said beside one that is.
static sti_status fill(sti_env* env, int count, double value, const double** out) {
    double* x = sti_alloc_array(env, (size_t)count, sizeof *x);
    if (x == NULL) return STI_ERR_MEMORY;
    for (int j = 0; j < count; j++) x[j] = value;
    *out = x;
    return STI_OK;
}

// Rows: an equation by one name, or two sides, of which one may be missing. *low and *high are new when any field is
// there.
static sti_status read_sides(const reader* r, const char* equation, const char* lower, const char* upper, int* count,
                             const double** low, const double** high) {
    const bool both = sti_json_field(r->object, lower) != NULL || sti_json_field(r->object, upper) != NULL;
    const sti_json_value* value = sti_json_field(r->object, equation);
    const sti_place place = sti_place_key(r->up, equation);
    if (!both && value == NULL) return STI_OK;
    if (both && value != NULL)
        return sti_json_fail(r->tree, &place, value, "stands for both sides: neither %s nor %s is expected beside it",
                             lower, upper);
    const double *l = NULL, *u = NULL;
    sti_status status = value != NULL ? read_vector(r, equation, count, false, 0, &l) : STI_OK;
    if (value != NULL) {
        u = l;
    } else {
        status = read_vector(r, lower, count, true, -INFINITY, &l);
        if (status == STI_OK) status = read_vector(r, upper, count, true, INFINITY, &u);
        if (status == STI_OK && l == NULL) status = fill(r->tree->env, *count, -INFINITY, &l);
        if (status == STI_OK && u == NULL) status = fill(r->tree->env, *count, INFINITY, &u);
    }
    if (status != STI_OK) {
        clear_sides(r->tree->env, l, u, NULL, NULL);
        return status;
    }
    *low = l;
    *high = u;
    return STI_OK;
}

static sti_status read_bounds(const reader* r, int* count, const double** low, const double** high) {
    sti_status status = read_vector(r, "lb", count, true, -INFINITY, low);
    if (status == STI_OK) status = read_vector(r, "ub", count, true, INFINITY, high);
    return status;
}

// ---- the stages

static sti_status read_first(store* s, const reader* r) {
    sti_stochastic* P = &s->program;
    int n = -1, p = -1, rows = -1;
    sti_status status = read_vector(r, "c0", &n, false, 0, &P->c0);
    if (status == STI_OK) status = read_matrix(r, "Q0", &n, &n, &P->Q0);
    if (status == STI_OK) status = read_matrix(r, "T0", &p, &n, &P->T0);
    if (status == STI_OK) status = read_matrix(r, "W0", &rows, &n, &P->W0);
    if (status == STI_OK) status = read_bounds(r, &n, &P->lb, &P->ub);
    if (status == STI_OK) status = read_sides(r, "b", "bl", "bu", &p, &P->bl, &P->bu);
    const sti_place place = sti_place_key(NULL, "c0");
    if (status == STI_OK && n < 0)
        status = sti_json_fail(r->tree, &place, NULL, "the costs of x, or Q0, T0 or W0, are expected");
    P->n = n < 0 ? 0 : n;
    P->p = p < 0 ? 0 : p;
    return status;
}

// The fields of one scenario, over those of `common`, whose sizes are unknown (-1) until they are said.
static sti_status read_scenario(const sti_stochastic* P, const reader* r, sti_scenario* s) {
    int m = s->m, q = s->q, p = P->p, n = P->n;
    sti_status status = sti_json_check_names(r->tree, r->up, r->object, scenario_names, COUNT_OF(scenario_names));
    if (status == STI_OK) status = read_vector(r, "c", &m, false, 0, &s->c);
    if (status == STI_OK) status = read_matrix(r, "Q", &m, &m, &s->Q);
    if (status == STI_OK) status = read_matrix(r, "T", &p, &m, &s->T);
    if (status == STI_OK) status = read_matrix(r, "W", &q, &m, &s->W);
    if (status == STI_OK) status = read_matrix(r, "W0", &q, &n, &s->W0);
    if (status == STI_OK) status = read_bounds(r, &m, &s->lb, &s->ub);
    if (status == STI_OK) status = read_sides(r, "d", "dl", "du", &q, &s->dl, &s->du);
    if (status == STI_OK)
        status = sti_json_read_double(r->tree, r->up, r->object, "p", s->probability, &s->probability);
    s->m = m;
    s->q = q;
    return status;
}

static void settle_sizes(const sti_stochastic* P, sti_scenario* s) {
    if (s->m < 0) s->m = 0;
    if (s->q < 0) s->q = P->W0.rows;
}

static sti_status read_scenarios(store* s, const sti_json_tree* tree) {
    const sti_json_value* list = sti_json_field(tree->root, "scenarios");
    const sti_place place = sti_place_key(NULL, "scenarios"), at_common = sti_place_key(NULL, "common");
    const reader common = {tree, &at_common, sti_json_field(tree->root, "common")};
    if (!sti_json_is_array(list) || sti_json_count(list) < 1)
        return sti_json_fail(tree, &place, list, "a list of scenarios, or \"sample\", is expected");
    const int count = sti_json_count(list);
    s->common = (sti_scenario){.m = -1, .q = -1, .probability = 1.0 / count};
    sti_status status = common.object != NULL ? read_scenario(&s->program, &common, &s->common) : STI_OK;
    if (status != STI_OK) return status;
    s->scenarios = sti_alloc_array_zero(tree->env, (size_t)count, sizeof *s->scenarios);
    if (s->scenarios == NULL) return STI_ERR_MEMORY;
    int i = 0;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(&place, i);
        const reader r = {tree, &at, value};
        if (!sti_json_is_object(value)) return sti_json_fail(tree, &at, value, "an object is expected");
        s->scenarios[i] = s->common;
        s->program.scenario_count = i + 1;
        status = read_scenario(&s->program, &r, &s->scenarios[i]);
        settle_sizes(&s->program, &s->scenarios[i]);
    }
    s->program.scenarios = s->scenarios;
    return status;
}

static sti_status read_all(store* s, const sti_json_tree* tree) {
    const reader root = {tree, NULL, tree->root};
    const sti_json_value* sample = sti_json_field(tree->root, "sample");
    sti_status status = read_first(s, &root);
    if (status != STI_OK) return status;
    if (sample == NULL) return read_scenarios(s, tree);
    return sti_distribution_read(tree, sample, s->program.n, s->program.p, s->program.W0.rows, &s->distribution);
}

static sti_status read(sti_json_tree* tree, void** out) {
    store* s = *out = sti_alloc_array_zero(tree->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    const sti_status status = read_all(s, tree);
    if (status == STI_OK) sti_json_warn_unknown(tree, NULL, tree->root, names, COUNT_OF(names));
    return status;
}

const sti_kind_row sti_kind_stochastic = {
    .read = read, .read_hdf5 = sti_stochastic_read_hdf5, .destroy = sti_stochastic_store_destroy};

const sti_stochastic* sti_stochastic_of(const sti_document* document) {
    const store* s = sti_document_content(document, STI_KIND_STOCHASTIC);
    return s != NULL && s->distribution == NULL ? &s->program : NULL;
}

// Scenarios from .. to - 1 of those of the document; the others are given back.
static void keep_part(sti_env* env, store* s, int from, int to) {
    for (int i = 0; i < s->program.scenario_count; i++) {
        if (i < from || i >= to)
            clear_scenario(env, &s->scenarios[i], &s->common);
        else
            s->scenarios[i - from] = s->scenarios[i];
    }
    s->program.scenario_count = to - from;
}

static sti_status load_json_part(sti_env* env, const char* path, int rank, int size, sti_document** out) {
    sti_status status = sti_document_load(env, path, out);
    if (status != STI_OK) return status;
    store* s = sti_document_content(*out, STI_KIND_STOCHASTIC);
    const int64_t count = s == NULL ? 0 : s->program.scenario_count;
    if (s == NULL || s->distribution != NULL)
        status =
            sti_file_fail(env, STI_ERR_INPUT, path, "kind: a stochastic program that lists its scenarios is expected");
    else if (count < size)
        status =
            sti_file_fail(env, STI_ERR_INPUT, path, "scenarios: %lld: at least one for each of %d ranks is expected",
                          (long long)count, size);
    else
        keep_part(env, s, sti_stochastic_share(count, rank, size), sti_stochastic_share(count, rank + 1, size));
    if (status == STI_OK) return STI_OK;
    sti_document_destroy(*out);
    *out = NULL;
    return status;
}

static sti_status read_part(const sti_h5* h, int rank, int size, sti_document** out) {
    char text[64];
    bool found;
    void* content = NULL;
    sti_status status = sti_h5_attribute(h, h->root, "kind", text, sizeof text, &found);
    if (status != STI_OK) return status;
    if (!found || strcmp(text, sti_kind_text(STI_KIND_STOCHASTIC)) != 0)
        return sti_h5_fail(h, "kind", "a stochastic program is expected");
    status = sti_stochastic_read_hdf5_part(h, rank, size, &content);
    if (status == STI_OK) return sti_document_create(h->env, STI_KIND_STOCHASTIC, content, out);
    sti_stochastic_store_destroy(h->env, content);
    return status;
}

sti_status sti_stochastic_load_part(sti_env* env, const char* path, int rank, int size, sti_document** out) {
    *out = NULL;
    if (rank < 0 || rank >= size)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "rank %d of %d: from 0 to size - 1 is expected", rank, size);
    unsigned char head[8];
    size_t count;
    sti_h5 h;
    sti_status status = sti_file_peek(env, path, head, sizeof head, &count);
    if (status == STI_OK && !sti_document_head_is_hdf5(head, count)) return load_json_part(env, path, rank, size, out);
    if (status == STI_OK) status = sti_h5_open(env, path, &h);
    if (status != STI_OK) return status;
    status = read_part(&h, rank, size, out);
    sti_h5_close(&h);
    return status;
}

bool sti_stochastic_is_sampled(const sti_document* document) {
    const store* s = sti_document_content(document, STI_KIND_STOCHASTIC);
    return s != NULL && s->distribution != NULL;
}

sti_status sti_stochastic_sample(sti_env* env, const sti_document* document, int count, uint64_t* seed,
                                 sti_stochastic** out) {
    const store* s = sti_document_content(document, STI_KIND_STOCHASTIC);
    *out = NULL;
    if (s == NULL || s->distribution == NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the document has no \"sample\" to draw scenarios from");
    if (count < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%d scenarios: at least one is expected", count);
    return sti_distribution_draw(env, s->distribution, &s->program, count, seed, out);
}
