// vi_answer.c: answers to variational inequalities given by formulas, as JSON and back.
//
//     {"kind": "ncp", "n": 2, "variables": ["x", "y"], "solver": "newton", "outcome": "solved", "residual": 1e-17,
//     "iterations": 5,
//      "start": 0, "time_s": .., "x": [..], "F": [..], "certificate": {"type": "existence", "intervals": [[..], ..]},
//      "reason": ".."}
#include <math.h>
#include <stiction/vi.h>
#include <string.h>

#include "documents/document.h"
#include "documents/json_answer.h"
#include "formats/file.h"

// ---- out

static void put_certificate(sti_json* j, const sti_vi_answer* a) {
    sti_json_object(j, "certificate");
    sti_json_text(j, "type", sti_vi_proof_text(a->proof));
    if (a->proof != STI_VI_PROOF_EXISTENCE) {
        sti_json_null(j, "intervals");
    } else {
        sti_json_array(j, "intervals");
        for (int i = 0; i < a->n; i++)
            sti_json_doubles(j, NULL, (const double[]){a->interval[i].low, a->interval[i].high}, 2);
        sti_json_end(j);
    }
    sti_json_end(j);
}

static sti_status write_answer(sti_env* env, const sti_vi* vi, const sti_vi_answer* a, char** out, size_t* size) {
    sti_json j;
    sti_json_begin(&j, env);
    sti_json_text(&j, "kind", sti_kind_text(vi->ncp ? STI_KIND_NCP : STI_KIND_VI));
    sti_json_integer(&j, "n", a->n);
    sti_json_array(&j, "variables");
    for (int i = 0; i < vi->n; i++) sti_json_text(&j, NULL, vi->variables[i]);
    sti_json_end(&j);
    sti_json_text(&j, "solver", "newton");
    sti_json_text(&j, "outcome", sti_outcome_text(a->outcome));
    sti_json_double(&j, "residual", a->residual);
    sti_json_integer(&j, "iterations", a->iterations);
    sti_json_integer(&j, "start", a->start);
    sti_json_double(&j, "time_s", a->time_s);
    sti_json_doubles(&j, "x", a->x, (size_t)a->n);
    sti_json_doubles(&j, "F", a->F, (size_t)a->n);
    put_certificate(&j, a);
    sti_json_text(&j, "reason", a->reason);
    return sti_json_finish(&j, out, size);
}

sti_status sti_vi_answer_json(sti_env* env, const sti_vi* vi, const sti_vi_answer* answer, char** out) {
    return write_answer(env, vi, answer, out, NULL);
}

sti_status sti_vi_answer_save(sti_env* env, const sti_vi* vi, const sti_vi_answer* answer, const char* path) {
    char* text;
    size_t size;
    const sti_status status = write_answer(env, vi, answer, &text, &size);
    return status == STI_OK ? sti_json_save_text(env, text, size, path) : status;
}

// ---- in

static sti_status read_interval(const sti_json_tree* t, const sti_place* place, const sti_json_value* value,
                                sti_interval* out) {
    bool exact;
    if (!sti_json_is_array(value) || sti_json_count(value) != 2)
        return sti_json_fail(t, place, value, "[low, high] is expected");
    sti_status status = sti_json_read_number(t, place, value->child, &out->low, &exact);
    if (status == STI_OK) status = sti_json_read_number(t, place, value->child->next, &out->high, &exact);
    return status;
}

static sti_status read_certificate(const sti_json_tree* t, sti_vi_answer* a) {
    static const char* const types[] = {
#define STI_X(code, text, words) text,
        STI_VI_PROOF_LIST(STI_X)
#undef STI_X
    };
    const sti_json_value* object = sti_json_field(t->root, "certificate");
    const sti_place up = sti_place_key(NULL, "certificate"), place = sti_place_key(&up, "intervals");
    int type = STI_VI_PROOF_NONE;
    if (object == NULL) return STI_OK;
    if (!sti_json_is_object(object)) return sti_json_fail(t, &up, object, "an object is expected");
    sti_status status = sti_json_read_word(t, &up, object, "type", types, sizeof types / sizeof types[0], &type);
    a->proof = (sti_vi_proof)type;
    const sti_json_value* list = sti_json_field(object, "intervals");
    if (status != STI_OK || list == NULL) return status;
    status = sti_json_check_list(t, &place, list, a->n);
    if (status != STI_OK) return status;
    a->interval = sti_alloc_array_zero(t->env, (size_t)a->n, sizeof *a->interval);
    if (a->interval == NULL) return STI_ERR_MEMORY;
    int i = 0;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(&place, i);
        status = read_interval(t, &at, value, &a->interval[i]);
    }
    return status;
}

static sti_status read_all(const sti_json_tree* t, sti_vi_answer* a) {
    const bool point = sti_json_field(t->root, "x") != NULL;
    static const char* const solvers[] = {"newton"};
    sti_json_verdict verdict = {0};
    sti_status status = sti_json_check_size(t, "n", a->n);
    if (status == STI_OK) status = sti_json_read_verdict(t, solvers, 1, point ? STI_SOLVED : STI_UNKNOWN, &verdict);
    a->outcome = verdict.outcome;
    memcpy(a->reason, verdict.reason, sizeof a->reason);
    if (status == STI_OK) status = sti_json_claimed_vector(t, NULL, t->root, "x", a->n, &a->x);
    if (status == STI_OK) status = sti_json_claimed_vector(t, NULL, t->root, "F", a->n, &a->F);
    if (status == STI_OK) status = sti_json_read_double(t, NULL, t->root, "residual", NAN, &a->residual);
    if (status == STI_OK) status = sti_json_read_long(t, NULL, t->root, "iterations", &a->iterations);
    if (status == STI_OK) status = sti_json_read_double(t, NULL, t->root, "time_s", NAN, &a->time_s);
    if (status == STI_OK) status = read_certificate(t, a);
    return status;
}

// text is altered, and ends with a 0 at text[size].
static sti_status read_answer(sti_env* env, const sti_vi* vi, char* text, size_t size, const char* name,
                              sti_vi_answer* out) {
    sti_json_tree t;
    *out = (sti_vi_answer){.n = vi->n};
    sti_status status = sti_json_tree_create(env, text, size, name, &t);
    if (status != STI_OK) return status;
    status = read_all(&t, out);
    sti_json_tree_clear(&t);
    if (status != STI_OK) sti_vi_answer_clear(env, out);
    return status;
}

sti_status sti_vi_answer_load(sti_env* env, const sti_vi* vi, const char* path, sti_vi_answer* out) {
    char* text;
    size_t size;
    *out = (sti_vi_answer){0};
    sti_status status = sti_file_read(env, path, STI_FILE_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    status = read_answer(env, vi, text, size, path, out);
    sti_free(env, text);
    return status;
}

sti_status sti_vi_answer_parse(sti_env* env, const sti_vi* vi, const char* text, size_t size, const char* name,
                               sti_vi_answer* out) {
    char* copy;
    *out = (sti_vi_answer){0};
    sti_status status = sti_json_copy_text(env, text, size, name, &copy);
    if (status != STI_OK) return status;
    status = read_answer(env, vi, copy, size, name, out);
    sti_free(env, copy);
    return status;
}
