// l1_answer.c: answers to least sums of absolute values as JSON, and back; the data of one Newton step.
//
//     {"kind": "l1", "n": 2, "m": 3, "norm": "sum", "solver": "ipm", "outcome": "solved", "residual": 1e-17,
//     "objective": .., "bound": ..,
//      "gap": .., "iterations": 9, "cg_count": 0, "time_s": .., "x": [..], "y": [..],
//       "certificate": {"type": "dual"}, "reason": ""}
#include <math.h>
#include <stiction/l1.h>

#include "documents/document.h"
#include "documents/json_answer.h"
#include "formats/file.h"

// ---- out

static sti_status write_answer(sti_env* env, const sti_l1_answer* a, char** out, size_t* size) {
    sti_json j;
    sti_json_begin(&j, env);
    sti_json_text(&j, "kind", sti_kind_text(STI_KIND_L1));
    sti_json_integer(&j, "n", a->n);
    sti_json_integer(&j, "m", a->m);
    sti_json_text(&j, "norm", sti_l1_norm_text(a->norm));
    sti_json_text(&j, "solver", "ipm");
    sti_json_text(&j, "outcome", sti_outcome_text(a->outcome));
    sti_json_double(&j, "residual", a->residual);
    sti_json_double(&j, "objective", a->objective);
    sti_json_double(&j, "bound", a->bound);
    sti_json_double(&j, "gap", a->gap);
    sti_json_integer(&j, "iterations", a->iterations);
    sti_json_integer(&j, "cg_count", a->cg_count);
    sti_json_double(&j, "time_s", a->time_s);
    sti_json_doubles(&j, "x", a->x, (size_t)a->n);
    sti_json_doubles(&j, "y", a->y, (size_t)a->m);
    sti_json_object(&j, "certificate");
    sti_json_text(&j, "type", a->outcome == STI_SOLVED ? "dual" : "none");
    sti_json_end(&j);
    sti_json_text(&j, "reason", a->reason);
    return sti_json_finish(&j, out, size);
}

sti_status sti_l1_answer_json(sti_env* env, const sti_l1_answer* answer, char** out) {
    return write_answer(env, answer, out, NULL);
}

sti_status sti_l1_answer_save(sti_env* env, const sti_l1_answer* answer, const char* path) {
    char* text;
    size_t size;
    const sti_status status = write_answer(env, answer, &text, &size);
    return status == STI_OK ? sti_json_save_text(env, text, size, path) : status;
}

// ---- in

static sti_status read_norm(const sti_json_tree* t, sti_l1_answer* a) {
    char text[16];
    if (sti_json_field(t->root, "norm") == NULL) return STI_OK;  // the sum
    const sti_status status = sti_json_read_text(t, NULL, t->root, "norm", text, sizeof text);
    if (status != STI_OK || sti_l1_norm_parse(text, &a->norm)) return status;
    const sti_place place = sti_place_key(NULL, "norm");
    return sti_json_fail(t, &place, sti_json_field(t->root, "norm"), "\"sum\" or \"largest\" is expected");
}

static sti_status read_all(const sti_json_tree* t, sti_l1_answer* a) {
    const bool point = sti_json_field(t->root, "x") != NULL;
    sti_json_verdict verdict = {0};
    static const char* const solvers[] = {"ipm"};
    sti_status status = sti_json_check_size(t, "n", a->n);
    if (status == STI_OK) status = sti_json_check_size(t, "m", a->m);
    if (status == STI_OK) status = sti_json_read_verdict(t, solvers, 1, point ? STI_SOLVED : STI_UNKNOWN, &verdict);
    a->outcome = verdict.outcome;
    if (status == STI_OK) status = read_norm(t, a);
    if (status == STI_OK) status = sti_json_claimed_vector(t, NULL, t->root, "x", a->n, &a->x);
    if (status == STI_OK) status = sti_json_claimed_vector(t, NULL, t->root, "y", a->m, &a->y);
    if (status == STI_OK) status = sti_json_read_double(t, NULL, t->root, "residual", NAN, &a->residual);
    if (status == STI_OK) status = sti_json_read_double(t, NULL, t->root, "objective", NAN, &a->objective);
    if (status == STI_OK) status = sti_json_read_double(t, NULL, t->root, "bound", NAN, &a->bound);
    if (status == STI_OK) status = sti_json_read_double(t, NULL, t->root, "gap", NAN, &a->gap);
    if (status == STI_OK) status = sti_json_read_long(t, NULL, t->root, "iterations", &a->iterations);
    if (status == STI_OK) status = sti_json_read_long(t, NULL, t->root, "cg_count", &a->cg_count);
    if (status == STI_OK) status = sti_json_read_double(t, NULL, t->root, "time_s", NAN, &a->time_s);
    if (status == STI_OK) status = sti_json_read_text(t, NULL, t->root, "reason", a->reason, sizeof a->reason);
    return status;
}

// text is altered, and ends with a 0 at text[size].
static sti_status read_answer(sti_env* env, const sti_l1* p, char* text, size_t size, const char* name,
                              sti_l1_answer* out) {
    sti_json_tree t;
    *out = (sti_l1_answer){.n = p->n, .m = p->m};
    sti_status status = sti_json_tree_create(env, text, size, name, &t);
    if (status != STI_OK) return status;
    status = read_all(&t, out);
    sti_json_tree_clear(&t);
    if (status != STI_OK) sti_l1_answer_clear(env, out);
    return status;
}

sti_status sti_l1_answer_load(sti_env* env, const sti_l1* problem, const char* path, sti_l1_answer* out) {
    char* text;
    size_t size;
    *out = (sti_l1_answer){0};
    sti_status status = sti_file_read(env, path, STI_FILE_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    status = read_answer(env, problem, text, size, path, out);
    sti_free(env, text);
    return status;
}

sti_status sti_l1_answer_parse(sti_env* env, const sti_l1* problem, const char* text, size_t size, const char* name,
                               sti_l1_answer* out) {
    char* copy;
    *out = (sti_l1_answer){0};
    sti_status status = sti_json_copy_text(env, text, size, name, &copy);
    if (status != STI_OK) return status;
    status = read_answer(env, problem, copy, size, name, out);
    sti_free(env, copy);
    return status;
}

// ---- one Newton step

typedef struct store {
    sti_l1_step_system system;  // first member: what is handed out
    double* vector[8];          // in the order of the names
} store;

static const char* const names[] = {"v", "s", "r_x", "r_v", "r_lambda", "r_s", "D", "rhs"};
enum { NAME_COUNT = sizeof names / sizeof names[0] };

void sti_l1_step_system_destroy(sti_env* env, sti_l1_step_system* system) {
    store* s = (store*)system;
    if (s == NULL) return;
    for (int k = 0; k < NAME_COUNT; k++) sti_free(env, s->vector[k]);
    sti_free(env, s);
}

static sti_status read_step(const sti_json_tree* t, const sti_l1* p, store* s) {
    const int m = p->m, n = p->n;
    const int both = sti_count_mul(2, m);
    const int count[NAME_COUNT] = {both, both, n, both, m, both, m, n};
    sti_status status = sti_json_check_names(t, NULL, t->root, names, NAME_COUNT);
    for (int k = 0; status == STI_OK && k < NAME_COUNT; k++)
        status = sti_json_read_doubles(t, NULL, t->root, names[k], count[k], &s->vector[k]);
    if (status != STI_OK) return status;
    const bool short_form = s->vector[6] != NULL;
    for (int k = short_form ? 6 : 0; k < (short_form ? 8 : 2); k++) {
        const sti_place place = sti_place_key(NULL, names[k]);
        if (s->vector[k] == NULL)
            return sti_json_fail(t, &place, NULL, "v and s, or D and rhs, are expected for one step");
    }
    s->system = (sti_l1_step_system){s->vector[0], s->vector[1], s->vector[2], s->vector[3],
                                     s->vector[4], s->vector[5], s->vector[6], s->vector[7]};
    return STI_OK;
}

// text is altered, and ends with a 0 at text[size].
static sti_status read_system(sti_env* env, const sti_l1* p, char* text, size_t size, const char* name,
                              sti_l1_step_system** out) {
    sti_json_tree t;
    sti_status status = sti_json_tree_create(env, text, size, name, &t);
    if (status != STI_OK) return status;
    store* s = sti_alloc_array_zero(env, 1, sizeof *s);
    if (s == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = read_step(&t, p, s);
    sti_json_tree_clear(&t);
    if (status == STI_OK)
        *out = &s->system;
    else
        sti_l1_step_system_destroy(env, s != NULL ? &s->system : NULL);
    return status;
}

sti_status sti_l1_step_system_load(sti_env* env, const sti_l1* problem, const char* path, sti_l1_step_system** out) {
    char* text;
    size_t size;
    *out = NULL;
    sti_status status = sti_file_read(env, path, STI_FILE_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    status = read_system(env, problem, text, size, path, out);
    sti_free(env, text);
    return status;
}

sti_status sti_l1_step_system_parse(sti_env* env, const sti_l1* problem, const char* text, size_t size,
                                    const char* name, sti_l1_step_system** out) {
    char* copy;
    *out = NULL;
    sti_status status = sti_json_copy_text(env, text, size, name, &copy);
    if (status != STI_OK) return status;
    status = read_system(env, problem, copy, size, name, out);
    sti_free(env, copy);
    return status;
}
