// json_answer.c: what answers of every kind have in common as JSON.
#include "documents/json_answer.h"

#include <math.h>
#include <string.h>

#include "documents/document.h"
#include "formats/file.h"

static const char* const outcome_names[] = {
#define STI_X(code, text) text,
    STI_OUTCOME_LIST(STI_X)};
static const char* const termination_names[] = {STI_TERMINATION_LIST(STI_X)};
static const char* const proof_names[] = {STI_PROOF_LIST(STI_X)};
#undef STI_X
#define COUNT_OF(a) ((int)(sizeof(a) / sizeof(a)[0]))

// ---- the verdict

static sti_status read_ending(const sti_json_tree* t, const sti_place* place, const sti_json_value* object,
                              const char* const* solver_names, int solver_count, int* solver,
                              sti_termination* termination) {
    int end = STI_END_NONE;
    *solver = 0;
    sti_status status = sti_json_read_word(t, place, object, "solver", solver_names, solver_count, solver);
    if (status == STI_OK)
        status =
            sti_json_read_word(t, place, object, "termination", termination_names, COUNT_OF(termination_names), &end);
    *termination = (sti_termination)end;
    return status;
}

sti_status sti_json_read_verdict(const sti_json_tree* t, const char* const* solver_names, int solver_count,
                                 sti_outcome missing, sti_json_verdict* out) {
    int outcome = sti_json_field(t->root, "outcome") == NULL ? (int)missing : STI_UNKNOWN;
    sti_status status =
        sti_json_read_word(t, NULL, t->root, "outcome", outcome_names, COUNT_OF(outcome_names), &outcome);
    if (status == STI_OK)
        status = read_ending(t, NULL, t->root, solver_names, solver_count, &out->solver, &out->termination);
    if (status == STI_OK) status = sti_json_read_text(t, NULL, t->root, "reason", out->reason, sizeof out->reason);
    out->outcome = (sti_outcome)outcome;
    return status;
}

void sti_json_put_verdict(sti_json* j, const char* solver, sti_outcome outcome, sti_termination termination) {
    sti_json_text(j, "solver", solver);
    sti_json_text(j, "outcome", sti_outcome_text(outcome));
    sti_json_text(j, "termination", sti_termination_text(termination));
}

sti_status sti_json_read_proof(const sti_json_tree* t, const sti_json_value** object, sti_proof* proof) {
    const sti_place place = sti_place_key(NULL, "certificate");
    int type = STI_PROOF_NONE;
    *object = sti_json_field(t->root, "certificate");
    *proof = STI_PROOF_NONE;
    if (*object == NULL) return STI_OK;
    if (!sti_json_is_object(*object)) return sti_json_fail(t, &place, *object, "an object is expected");
    const sti_status status = sti_json_read_word(t, &place, *object, "type", proof_names, COUNT_OF(proof_names), &type);
    *proof = (sti_proof)type;
    return status;
}

// ---- attempts

static sti_status read_attempt(const sti_json_tree* t, const sti_place* place, const sti_json_value* object,
                               const char* const* solver_names, int solver_count, sti_lcp_attempt* out) {
    int solver;
    if (!sti_json_is_object(object)) return sti_json_fail(t, place, object, "an object is expected");
    sti_status status = read_ending(t, place, object, solver_names, solver_count, &solver, &out->termination);
    out->solver = (sti_lcp_solver)solver;
    if (status == STI_OK) status = sti_json_read_double(t, place, object, "residual", NAN, &out->residual);
    if (status == STI_OK) status = sti_json_read_long(t, place, object, "iterations", &out->iterations);
    if (status == STI_OK) status = sti_json_read_double(t, place, object, "time_s", NAN, &out->time_s);
    if (status == STI_OK) status = sti_json_read_text(t, place, object, "why", out->why, sizeof out->why);
    return status;
}

sti_status sti_json_read_attempts(const sti_json_tree* t, const char* const* solver_names, int solver_count,
                                  sti_lcp_attempt** out, int* count) {
    const sti_json_value* list = sti_json_field(t->root, "attempts");
    const sti_place place = sti_place_key(NULL, "attempts");
    *out = NULL;
    *count = 0;
    if (list == NULL) return STI_OK;
    if (!sti_json_is_array(list)) return sti_json_fail(t, &place, list, "a list is expected");
    const int length = sti_json_count(list);
    *out = sti_alloc_array_zero(t->env, (size_t)length, sizeof **out);
    if (*out == NULL) return STI_ERR_MEMORY;
    *count = length;
    sti_status status = STI_OK;
    int k = 0;
    for (const sti_json_value* object = list->child; status == STI_OK && object != NULL; object = object->next, k++) {
        const sti_place at = sti_place_index(&place, k);
        status = read_attempt(t, &at, object, solver_names, solver_count, &(*out)[k]);
    }
    return status;
}

void sti_json_put_attempt(sti_json* j, const char* solver, const sti_lcp_attempt* attempt) {
    sti_json_object(j, NULL);
    sti_json_text(j, "solver", solver);
    sti_json_text(j, "termination", sti_termination_text(attempt->termination));
    sti_json_double(j, "residual", attempt->residual);
    sti_json_integer(j, "iterations", attempt->iterations);
    sti_json_double(j, "time_s", attempt->time_s);
    sti_json_text(j, "why", attempt->why);
    sti_json_end(j);
}

// ---- text

sti_status sti_json_copy_text(sti_env* env, const char* text, size_t size, const char* name, char** out) {
    *out = NULL;
    if (size > STI_FILE_TEXT_MOST) return sti_file_fail(env, STI_ERR_INPUT, name, "too long to be read as text");
    *out = sti_alloc(env, sti_size_add(size, 1));
    if (*out == NULL) return STI_ERR_MEMORY;
    if (size > 0) memcpy(*out, text, size);
    (*out)[size] = '\0';
    return STI_OK;
}

sti_status sti_json_save_text(sti_env* env, char* text, size_t size, const char* path) {
    text[size] = '\n';
    const sti_status status = sti_file_write(env, path, text, size + 1);
    sti_free(env, text);
    return status;
}

// ---- sizes and vectors

sti_status sti_json_check_size(const sti_json_tree* tree, const char* key, int size) {
    const sti_json_value* value = sti_json_field(tree->root, key);
    const sti_place place = sti_place_key(NULL, key);
    int64_t stated = 0;
    if (value == NULL) return STI_OK;
    const sti_status status = sti_json_read_integer(tree, &place, value, 0, STI_FILE_SPARSE_MOST, &stated);
    if (status == STI_OK && stated != size) return sti_json_fail(tree, &place, value, "the problem has %d", size);
    return status;
}

sti_status sti_json_claimed_vector(const sti_json_tree* tree, const sti_place* up, const sti_json_value* object,
                                   const char* key, int count, double** out) {
    const sti_status status = sti_json_read_doubles(tree, up, object, key, count, out);
    if (status != STI_OK || *out != NULL) return status;
    *out = sti_alloc_array(tree->env, (size_t)count, sizeof **out);
    if (*out == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < count; i++) (*out)[i] = NAN;
    return STI_OK;
}
