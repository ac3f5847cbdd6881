// qp_answer.c: answers to quadratic programs as JSON, and back.
//
//     {"kind": "qp", "n": 2, "m": 1, "solver": "ipm", "outcome": "solved", "residual": 1e-16,
//      "residuals": {"primal": .., "dual": .., "gap": ..}, "objective": .., "iterations": 9, "time_s": ..,
//      "x": [..], "y": [..], "z": [..], "certificate": {"type": "solution", "bound": null}, "reason": ""}
//
// Without a solution x, y, z are null, and the certificate holds what proves it: {"type": "farkas", "y", "z", "bound"}
// or {"type": "farkas", "crossed": row} for "infeasible", {"type": "ray", "x"} for "unbounded"; its other fields are
// null.
#include <math.h>
#include <stiction/io.h>

#include "documents/document.h"
#include "documents/json_answer.h"
#include "formats/file.h"

static const char* const outcome_names[] = {
#define STI_X(code, text) text,
    STI_CONIC_OUTCOME_LIST(STI_X)};
#undef STI_X
#define COUNT_OF(a) ((int)(sizeof(a) / sizeof(a)[0]))

// ---- out

static void put_certificate(sti_json* j, const sti_qp_answer* a) {
    static const char* const type[] = {"none", "solution", "farkas", "ray", "none"};  // in the order of the outcomes
    const bool farkas = a->outcome == STI_CONIC_INFEASIBLE;
    sti_json_object(j, "certificate");
    sti_json_text(j, "type", type[a->outcome]);
    sti_json_double(j, "bound", a->bound);
    if (farkas && a->crossed >= 0)
        sti_json_integer(j, "crossed", a->crossed);
    else
        sti_json_null(j, "crossed");
    sti_json_doubles(j, "x", a->outcome == STI_CONIC_UNBOUNDED ? a->x : NULL, (size_t)a->n);
    sti_json_doubles(j, "y", farkas && a->crossed < 0 ? a->y : NULL, (size_t)a->m);
    sti_json_doubles(j, "z", farkas && a->crossed < 0 ? a->z : NULL, (size_t)a->n);
    sti_json_end(j);
}

static sti_status write_answer(sti_env* env, const sti_qp_answer* a, char** out, size_t* size) {
    const bool point = a->outcome != STI_CONIC_INFEASIBLE && a->outcome != STI_CONIC_UNBOUNDED;
    sti_json j;
    sti_json_begin(&j, env);
    sti_json_text(&j, "kind", sti_kind_text(STI_KIND_QP));
    sti_json_integer(&j, "n", a->n);
    sti_json_integer(&j, "m", a->m);
    sti_json_text(&j, "solver", "ipm");
    sti_json_text(&j, "outcome", sti_conic_outcome_text(a->outcome));
    sti_json_double(&j, "residual", a->residual);
    sti_json_object(&j, "residuals");
    sti_json_double(&j, "primal", a->residual_primal);
    sti_json_double(&j, "dual", a->residual_dual);
    sti_json_double(&j, "gap", a->residual_gap);
    sti_json_end(&j);
    sti_json_double(&j, "objective", a->objective);
    sti_json_integer(&j, "iterations", a->iterations);
    sti_json_double(&j, "time_s", a->time_s);
    sti_json_doubles(&j, "x", point ? a->x : NULL, (size_t)a->n);
    sti_json_doubles(&j, "y", point ? a->y : NULL, (size_t)a->m);
    sti_json_doubles(&j, "z", point ? a->z : NULL, (size_t)a->n);
    put_certificate(&j, a);
    sti_json_text(&j, "reason", a->reason);
    return sti_json_finish(&j, out, size);
}

sti_status sti_qp_answer_json(sti_env* env, const sti_qp_answer* answer, char** out) {
    return write_answer(env, answer, out, NULL);
}

sti_status sti_qp_answer_save(sti_env* env, const sti_qp_answer* answer, const char* path) {
    char* text;
    size_t size;
    const sti_status status = write_answer(env, answer, &text, &size);
    return status == STI_OK ? sti_json_save_text(env, text, size, path) : status;
}

// ---- in

static sti_status read_vectors(const sti_json_tree* t, const sti_place* up, const sti_json_value* object,
                               sti_qp_answer* a) {
    sti_status status = sti_json_claimed_vector(t, up, object, "x", a->n, &a->x);
    if (status == STI_OK) status = sti_json_claimed_vector(t, up, object, "y", a->m, &a->y);
    if (status == STI_OK) status = sti_json_claimed_vector(t, up, object, "z", a->n, &a->z);
    return status;
}

// What the claim is about: the point, or the certificate.
static sti_status read_claim(const sti_json_tree* t, sti_qp_answer* a) {
    const sti_json_value* object = sti_json_field(t->root, "certificate");
    const sti_place place = sti_place_key(NULL, "certificate");
    if (a->outcome != STI_CONIC_INFEASIBLE && a->outcome != STI_CONIC_UNBOUNDED)
        return read_vectors(t, NULL, t->root, a);
    if (object != NULL && !sti_json_is_object(object)) return sti_json_fail(t, &place, object, "an object is expected");
    const sti_json_value* crossed = sti_json_field(object, "crossed");
    const sti_place at = sti_place_key(&place, "crossed");
    int64_t index = -1;
    sti_status status = read_vectors(t, &place, object, a);
    if (status == STI_OK) status = sti_json_read_double(t, &place, object, "bound", NAN, &a->bound);
    if (status == STI_OK && crossed != NULL)
        status = sti_json_read_integer(t, &at, crossed, 0, (int64_t)a->n + a->m - 1, &index);
    a->crossed = (int)index;
    return status;
}

static sti_status read_numbers(const sti_json_tree* t, sti_qp_answer* a) {
    const sti_json_value* parts = sti_json_field(t->root, "residuals");
    const sti_place place = sti_place_key(NULL, "residuals");
    sti_status status = sti_json_read_double(t, NULL, t->root, "residual", NAN, &a->residual);
    if (parts != NULL && !sti_json_is_object(parts)) return sti_json_fail(t, &place, parts, "an object is expected");
    if (status == STI_OK) status = sti_json_read_double(t, &place, parts, "primal", NAN, &a->residual_primal);
    if (status == STI_OK) status = sti_json_read_double(t, &place, parts, "dual", NAN, &a->residual_dual);
    if (status == STI_OK) status = sti_json_read_double(t, &place, parts, "gap", NAN, &a->residual_gap);
    if (status == STI_OK) status = sti_json_read_double(t, NULL, t->root, "objective", NAN, &a->objective);
    if (status == STI_OK) status = sti_json_read_long(t, NULL, t->root, "iterations", &a->iterations);
    if (status == STI_OK) status = sti_json_read_double(t, NULL, t->root, "time_s", NAN, &a->time_s);
    if (status == STI_OK) status = sti_json_read_text(t, NULL, t->root, "reason", a->reason, sizeof a->reason);
    return status;
}

// text is altered, and ends with a 0 at text[size].
static sti_status read_answer(sti_env* env, const sti_qp* qp, char* text, size_t size, const char* name,
                              sti_qp_answer* out) {
    sti_json_tree t;
    *out = (sti_qp_answer){.n = qp->n, .m = qp->m, .crossed = -1, .bound = NAN};
    sti_status status = sti_json_tree_create(env, text, size, name, &t);
    if (status != STI_OK) return status;
    int outcome = sti_json_field(t.root, "x") != NULL ? STI_CONIC_SOLVED : STI_CONIC_UNKNOWN;  // unless it says more
    status = sti_json_check_size(&t, "n", qp->n);
    if (status == STI_OK) status = sti_json_check_size(&t, "m", qp->m);
    if (status == STI_OK)
        status = sti_json_read_word(&t, NULL, t.root, "outcome", outcome_names, COUNT_OF(outcome_names), &outcome);
    out->outcome = (sti_conic_outcome)outcome;
    if (status == STI_OK) status = read_claim(&t, out);
    if (status == STI_OK) status = read_numbers(&t, out);
    sti_json_tree_clear(&t);
    if (status != STI_OK) sti_qp_answer_clear(env, out);
    return status;
}

sti_status sti_qp_answer_load(sti_env* env, const sti_qp* qp, const char* path, sti_qp_answer* out) {
    char* text;
    size_t size;
    *out = (sti_qp_answer){0};
    sti_status status = sti_file_read(env, path, STI_FILE_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    status = read_answer(env, qp, text, size, path, out);
    sti_free(env, text);
    return status;
}

sti_status sti_qp_answer_parse(sti_env* env, const sti_qp* qp, const char* text, size_t size, const char* name,
                               sti_qp_answer* out) {
    char* copy;
    *out = (sti_qp_answer){0};
    sti_status status = sti_json_copy_text(env, text, size, name, &copy);
    if (status != STI_OK) return status;
    status = read_answer(env, qp, copy, size, name, out);
    sti_free(env, copy);
    return status;
}
