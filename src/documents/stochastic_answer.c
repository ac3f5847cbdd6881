// stochastic_answer.c: answers to stochastic programs as JSON, and back; the data of one Newton system.
//
//     {"kind": "stochastic", "n", "p", "scenario_count", "solver": "ipm", "outcome": "solved", "residual", "residuals":
//     {"primal", "dual"},
//      "objective", "gap", "iterations", "time_s", "x": [..], "y": [[..], ..], "pi": [..], "l": [[..], ..],
//      "certificate": {"type": "solution", "bound": null, "x": null, "y": null, "pi": null, "l": null}, "reason"}
//
// Without a solution x, y, pi, l are null, and the certificate holds what proves it: pi and l of a Farkas vector for
// "infeasible", x and y of a direction for "unbounded".
#include <math.h>
#include <stiction/stochastic.h>
#include <string.h>

#include "documents/document.h"
#include "documents/json_answer.h"
#include "formats/file.h"

static const char* const outcome_names[] = {
#define STI_X(code, text) text,
    STI_CONIC_OUTCOME_LIST(STI_X)};
#undef STI_X
#define COUNT_OF(a) ((int)(sizeof(a) / sizeof(a)[0]))

// ---- out

static void put_lists(sti_json* j, const char* key, const double* x, const size_t* start, int count) {
    if (x == NULL) {
        sti_json_null(j, key);
        return;
    }
    sti_json_array(j, key);
    for (int i = 0; i < count; i++) sti_json_doubles(j, NULL, x + start[i], start[i + 1] - start[i]);
    sti_json_end(j);
}

static void put_vectors(sti_json* j, const sti_stochastic_answer* a, bool point, bool multipliers) {
    sti_json_doubles(j, "x", point ? a->x : NULL, (size_t)a->n);
    put_lists(j, "y", point ? a->y : NULL, a->y_start, a->scenario_count);
    sti_json_doubles(j, "pi", multipliers ? a->pi : NULL, (size_t)a->p);
    put_lists(j, "l", multipliers ? a->l : NULL, a->l_start, a->scenario_count);
}

static sti_status write_answer(sti_env* env, const sti_stochastic_answer* a, char** out, size_t* size) {
    static const char* const type[] = {"none", "solution", "farkas", "ray", "none"};  // in the order of the outcomes
    const bool farkas = a->outcome == STI_CONIC_INFEASIBLE, ray = a->outcome == STI_CONIC_UNBOUNDED;
    sti_json j;
    sti_json_begin(&j, env);
    sti_json_text(&j, "kind", sti_kind_text(STI_KIND_STOCHASTIC));
    sti_json_integer(&j, "n", a->n);
    sti_json_integer(&j, "p", a->p);
    sti_json_integer(&j, "scenario_count", a->scenario_count);
    sti_json_text(&j, "solver", "ipm");
    sti_json_text(&j, "outcome", sti_conic_outcome_text(a->outcome));
    sti_json_double(&j, "residual", a->residual);
    sti_json_object(&j, "residuals");
    sti_json_double(&j, "primal", farkas || ray ? NAN : a->residual_primal);
    sti_json_double(&j, "dual", farkas || ray ? NAN : a->residual_dual);
    sti_json_end(&j);
    sti_json_double(&j, "objective", farkas || ray ? NAN : a->objective);
    sti_json_double(&j, "gap", farkas || ray ? NAN : a->gap);
    sti_json_integer(&j, "iterations", a->iterations);
    sti_json_double(&j, "time_s", a->time_s);
    put_vectors(&j, a, !farkas && !ray, !farkas && !ray);
    sti_json_object(&j, "certificate");
    sti_json_text(&j, "type", type[a->outcome]);
    sti_json_double(&j, "bound", farkas ? a->bound : NAN);
    put_vectors(&j, a, ray, farkas);
    sti_json_end(&j);
    sti_json_text(&j, "reason", a->reason);
    return sti_json_finish(&j, out, size);
}

sti_status sti_stochastic_answer_json(sti_env* env, const sti_stochastic_answer* answer, char** out) {
    return write_answer(env, answer, out, NULL);
}

sti_status sti_stochastic_answer_save(sti_env* env, const sti_stochastic_answer* answer, const char* path) {
    char* text;
    size_t size;
    const sti_status status = write_answer(env, answer, &text, &size);
    return status == STI_OK ? sti_json_save_text(env, text, size, path) : status;
}

// ---- in

// A list of `count` lists into x, list i from start[i] on; NAN where it is missing.
static sti_status read_lists(const sti_json_tree* t, const sti_place* up, const sti_json_value* object, const char* key,
                             int count, const size_t* start, double* x) {
    const sti_json_value* list = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    for (size_t k = 0; k < start[count]; k++) x[k] = NAN;
    if (list == NULL) return STI_OK;
    sti_status status = sti_json_check_list(t, &place, list, count);
    int i = 0;
    for (const sti_json_value* one = list->child; status == STI_OK && i < count; one = one->next, i++) {
        const sti_place at = sti_place_index(&place, i);
        status = sti_json_check_list(t, &at, one, (int)(start[i + 1] - start[i]));
        size_t k = start[i];
        for (const sti_json_value* value = status == STI_OK ? one->child : NULL; value != NULL;
             value = value->next, k++) {
            const sti_place entry = sti_place_index(&at, (int64_t)(k - start[i]));
            bool is_double;
            if (!sti_json_is_null(value)) status = sti_json_read_number(t, &entry, value, &x[k], &is_double);
            if (status != STI_OK) return status;
        }
    }
    return status;
}

static sti_status read_list(const sti_json_tree* t, const sti_place* up, const sti_json_value* object, const char* key,
                            int count, double* x) {
    double* read = NULL;
    const sti_status status = sti_json_read_doubles(t, up, object, key, count, &read);
    for (int k = 0; k < count; k++) x[k] = status == STI_OK && read != NULL ? read[k] : NAN;
    sti_free(t->env, read);
    return status;
}

static sti_status reserve(sti_env* env, const sti_stochastic* p, sti_stochastic_answer* a) {
    const size_t count = (size_t)p->scenario_count + 1;
    *a = (sti_stochastic_answer){.n = p->n, .p = p->p, .scenario_count = p->scenario_count, .bound = NAN};
    a->y_start = sti_alloc_array_zero(env, count, sizeof *a->y_start);
    a->l_start = sti_alloc_array_zero(env, count, sizeof *a->l_start);
    if (a->y_start == NULL || a->l_start == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < p->scenario_count; i++) {
        a->y_start[i + 1] = sti_size_add(a->y_start[i], (size_t)p->scenarios[i].m);
        a->l_start[i + 1] = sti_size_add(a->l_start[i], (size_t)p->scenarios[i].q);
    }
    a->y_count = a->y_start[p->scenario_count];
    a->l_count = a->l_start[p->scenario_count];
    a->x = sti_alloc_array(env, (size_t)p->n, sizeof *a->x);
    a->y = sti_alloc_array(env, a->y_count, sizeof *a->y);
    a->pi = sti_alloc_array(env, (size_t)p->p, sizeof *a->pi);
    a->l = sti_alloc_array(env, a->l_count, sizeof *a->l);
    if (a->x != NULL && a->y != NULL && a->pi != NULL && a->l != NULL) return STI_OK;
    return STI_ERR_MEMORY;
}

static sti_status read_vectors(const sti_json_tree* t, sti_stochastic_answer* a) {
    const bool proof = a->outcome == STI_CONIC_INFEASIBLE || a->outcome == STI_CONIC_UNBOUNDED;
    const sti_json_value* object = proof ? sti_json_field(t->root, "certificate") : t->root;
    const sti_place place = sti_place_key(NULL, "certificate"), *up = proof ? &place : NULL;
    if (proof && object != NULL && !sti_json_is_object(object))
        return sti_json_fail(t, &place, object, "an object is expected");
    sti_status status = read_list(t, up, object, "x", a->n, a->x);
    if (status == STI_OK) status = read_lists(t, up, object, "y", a->scenario_count, a->y_start, a->y);
    if (status == STI_OK) status = read_list(t, up, object, "pi", a->p, a->pi);
    if (status == STI_OK) status = read_lists(t, up, object, "l", a->scenario_count, a->l_start, a->l);
    return status;
}

// text is altered, and ends with a 0 at text[size].
static sti_status read_answer(sti_env* env, const sti_stochastic* p, char* text, size_t size, const char* name,
                              sti_stochastic_answer* out) {
    sti_json_tree t;
    sti_status status = sti_json_tree_create(env, text, size, name, &t);
    if (status != STI_OK) return status;
    int outcome = sti_json_field(t.root, "x") != NULL ? STI_CONIC_SOLVED : STI_CONIC_UNKNOWN;
    status = reserve(env, p, out);
    if (status == STI_OK)
        status = sti_json_read_word(&t, NULL, t.root, "outcome", outcome_names, COUNT_OF(outcome_names), &outcome);
    out->outcome = (sti_conic_outcome)outcome;
    if (status == STI_OK) status = read_vectors(&t, out);
    if (status == STI_OK) status = sti_json_read_double(&t, NULL, t.root, "objective", NAN, &out->objective);
    if (status == STI_OK) status = sti_json_read_double(&t, NULL, t.root, "gap", NAN, &out->gap);
    if (status == STI_OK) status = sti_json_read_double(&t, NULL, t.root, "residual", NAN, &out->residual);
    if (status == STI_OK) status = sti_json_read_long(&t, NULL, t.root, "iterations", &out->iterations);
    sti_json_tree_clear(&t);
    if (status != STI_OK) sti_stochastic_answer_clear(env, out);
    return status;
}

sti_status sti_stochastic_answer_load(sti_env* env, const sti_stochastic* program, const char* path,
                                      sti_stochastic_answer* out) {
    char* text;
    size_t size;
    *out = (sti_stochastic_answer){0};
    sti_status status = sti_file_read(env, path, STI_FILE_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    status = read_answer(env, program, text, size, path, out);
    sti_free(env, text);
    return status;
}

sti_status sti_stochastic_answer_parse(sti_env* env, const sti_stochastic* program, const char* text, size_t size,
                                       const char* name, sti_stochastic_answer* out) {
    char* copy;
    *out = (sti_stochastic_answer){0};
    sti_status status = sti_json_copy_text(env, text, size, name, &copy);
    if (status != STI_OK) return status;
    status = read_answer(env, program, copy, size, name, out);
    sti_free(env, copy);
    return status;
}

// ---- one Newton system

typedef struct store {
    sti_stochastic_system system;  // first member: what is handed out
    double *D0, *D, *rhs0, *rhs;
    size_t *D_start, *rhs_start;
} store;

void sti_stochastic_system_destroy(sti_env* env, sti_stochastic_system* system) {
    store* s = (store*)system;
    if (s == NULL) return;
    void* owned[] = {s->D0, s->D, s->rhs0, s->rhs, s->D_start, s->rhs_start};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sti_free(env, owned[k]);
    sti_free(env, s);
}

static sti_status reserve_system(sti_env* env, const sti_stochastic* p, store* s) {
    const size_t count = (size_t)p->scenario_count + 1, order = sti_size_add((size_t)p->n, (size_t)p->p);
    s->D_start = sti_alloc_array_zero(env, count, sizeof *s->D_start);
    s->rhs_start = sti_alloc_array_zero(env, count, sizeof *s->rhs_start);
    if (s->D_start == NULL || s->rhs_start == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < p->scenario_count; i++) {
        const size_t m = (size_t)p->scenarios[i].m;
        s->D_start[i + 1] = sti_size_add(s->D_start[i], m);
        s->rhs_start[i + 1] = sti_size_add(s->rhs_start[i], sti_size_add(m, (size_t)p->scenarios[i].q));
    }
    s->D0 = sti_alloc_array(env, (size_t)p->n, sizeof *s->D0);
    s->rhs0 = sti_alloc_array(env, order, sizeof *s->rhs0);
    s->D = sti_alloc_array(env, s->D_start[p->scenario_count], sizeof *s->D);
    s->rhs = sti_alloc_array(env, s->rhs_start[p->scenario_count], sizeof *s->rhs);
    if (s->D0 == NULL || s->rhs0 == NULL || s->D == NULL || s->rhs == NULL) return STI_ERR_MEMORY;
    s->system = (sti_stochastic_system){s->D0, s->D, s->rhs0, s->rhs};
    return STI_OK;
}

static sti_status check_there(const sti_json_tree* t, const char* key, const double* x, size_t count) {
    const sti_place place = sti_place_key(NULL, key);
    for (size_t k = 0; k < count; k++) {
        if (isnan(x[k]))
            return sti_json_fail(t, &place, sti_json_field(t->root, key), "numbers are expected, entry %zu is none", k);
    }
    return STI_OK;
}

static sti_status read_parts(const sti_json_tree* t, const sti_stochastic* p, store* s) {
    static const char* const names[] = {"D0", "D", "rhs0", "rhs"};
    const size_t order = sti_size_add((size_t)p->n, (size_t)p->p);
    sti_status status = sti_json_check_names(t, NULL, t->root, names, COUNT_OF(names));
    if (status == STI_OK) status = read_list(t, NULL, t->root, "D0", p->n, s->D0);
    if (status == STI_OK) status = read_lists(t, NULL, t->root, "D", p->scenario_count, s->D_start, s->D);
    if (status == STI_OK) status = read_list(t, NULL, t->root, "rhs0", (int)order, s->rhs0);
    if (status == STI_OK) status = read_lists(t, NULL, t->root, "rhs", p->scenario_count, s->rhs_start, s->rhs);
    if (status == STI_OK) status = check_there(t, "D0", s->D0, (size_t)p->n);
    if (status == STI_OK) status = check_there(t, "D", s->D, s->D_start[p->scenario_count]);
    if (status == STI_OK) status = check_there(t, "rhs0", s->rhs0, order);
    if (status == STI_OK) status = check_there(t, "rhs", s->rhs, s->rhs_start[p->scenario_count]);
    return status;
}

// text is altered, and ends with a 0 at text[size].
static sti_status read_system(sti_env* env, const sti_stochastic* p, char* text, size_t size, const char* name,
                              sti_stochastic_system** out) {
    sti_json_tree t;
    sti_status status = sti_json_tree_create(env, text, size, name, &t);
    if (status != STI_OK) return status;
    store* s = sti_alloc_array_zero(env, 1, sizeof *s);
    status = s == NULL ? STI_ERR_MEMORY : reserve_system(env, p, s);
    if (status == STI_OK) status = read_parts(&t, p, s);
    sti_json_tree_clear(&t);
    if (status == STI_OK)
        *out = &s->system;
    else
        sti_stochastic_system_destroy(env, s != NULL ? &s->system : NULL);
    return status;
}

sti_status sti_stochastic_system_load(sti_env* env, const sti_stochastic* program, const char* path,
                                      sti_stochastic_system** out) {
    char* text;
    size_t size;
    *out = NULL;
    sti_status status = sti_file_read(env, path, STI_FILE_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    status = read_system(env, program, text, size, path, out);
    sti_free(env, text);
    return status;
}

sti_status sti_stochastic_system_parse(sti_env* env, const sti_stochastic* program, const char* text, size_t size,
                                       const char* name, sti_stochastic_system** out) {
    char* copy;
    *out = NULL;
    sti_status status = sti_json_copy_text(env, text, size, name, &copy);
    if (status != STI_OK) return status;
    status = read_system(env, program, copy, size, name, out);
    sti_free(env, copy);
    return status;
}
