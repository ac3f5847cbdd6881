// answer_read.c: answers from JSON, as answer_write.c writes them or as a person would.
//
// Only the point (z, or u and v) or a certificate is needed; an answer without an outcome but with a point claims
// "solved". What is null or missing is NAN, NULL or 0, and names that are not known are passed over.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/file.h"
#include "io/json_tree.h"
#include "io/problem.h"

static const char* const outcome_names[] = {
#define STI_X(code, text) text,
    STI_OUTCOME_LIST(STI_X)};
static const char* const termination_names[] = {STI_TERMINATION_LIST(STI_X)};
static const char* const solver_names[] = {STI_SOLVER_LIST(STI_X)};
static const char* const proof_names[] = {STI_PROOF_LIST(STI_X)};
#undef STI_X
#define COUNT_OF(a) ((int)(sizeof(a) / sizeof(a)[0]))

typedef struct reader {
    sti_json_tree tree;
    sti_env* env;
    sti_lcp_answer* a;
} reader;

static const cJSON* field(const cJSON* object, const char* key) {
    const cJSON* value = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNull(value) ? NULL : value;
}

// One of a list of words; *out stays when it is missing.
static sti_status read_word(const reader* r, const sti_place* up, const cJSON* object, const char* key,
                            const char* const* words, int count, int* out) {
    const cJSON* value = field(object, key);
    const sti_place place = sti_place_key(up, key);
    if (value == NULL) return STI_OK;
    for (int k = 0; cJSON_IsString(value) && k < count; k++) {
        if (strcmp(words[k], value->valuestring) == 0) {
            *out = k;
            return STI_OK;
        }
    }
    char list[160] = "";
    for (int k = 0; k < count; k++) {
        const size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", k > 0 ? ", " : "", words[k]);
    }
    return sti_json_fail(&r->tree, &place, value, "one of %s is expected", list);
}

// A number; `missing` when it is null or not there.
static sti_status read_double(const reader* r, const sti_place* up, const cJSON* object, const char* key,
                              double missing, double* out) {
    const cJSON* value = field(object, key);
    const sti_place place = sti_place_key(up, key);
    bool is_double;
    *out = missing;
    return value == NULL ? STI_OK : sti_json_read_number(&r->tree, &place, value, out, &is_double);
}

static sti_status read_bool(const reader* r, const sti_place* up, const cJSON* object, const char* key, bool* out) {
    const cJSON* value = field(object, key);
    const sti_place place = sti_place_key(up, key);
    if (value != NULL && !cJSON_IsBool(value))
        return sti_json_fail(&r->tree, &place, value, "true or false is expected");
    *out = cJSON_IsTrue(value);
    return STI_OK;
}

static sti_status read_long(const reader* r, const sti_place* up, const cJSON* object, const char* key, long* out) {
    const cJSON* value = field(object, key);
    const sti_place place = sti_place_key(up, key);
    int64_t n = 0;
    const sti_status status =
        value == NULL ? STI_OK : sti_json_read_integer(&r->tree, &place, value, 0, INT64_C(1) << 53, &n);
    *out = (long)n;
    return status;
}

// Text, cut to size.
static sti_status read_text(const reader* r, const sti_place* up, const cJSON* object, const char* key, char* out,
                            size_t size) {
    const cJSON* value = field(object, key);
    const sti_place place = sti_place_key(up, key);
    if (value != NULL && !cJSON_IsString(value)) return sti_json_fail(&r->tree, &place, value, "text is expected");
    snprintf(out, size, "%s", value != NULL ? value->valuestring : "");
    return STI_OK;
}

static sti_status check_list(const reader* r, const sti_place* place, const cJSON* value, int count) {
    if (!cJSON_IsArray(value)) return sti_json_fail(&r->tree, place, value, "a list of %d is expected", count);
    if (cJSON_GetArraySize(value) != count)
        return sti_json_fail(&r->tree, place, value, "%d entries are expected", count);
    return STI_OK;
}

// A list of `count` numbers, null for those that are none; *out stays NULL when it is missing.
static sti_status read_vector(const reader* r, const sti_place* up, const cJSON* object, const char* key, int count,
                              double** out) {
    const cJSON* list = field(object, key);
    const sti_place place = sti_place_key(up, key);
    if (list == NULL) return STI_OK;
    sti_status status = check_list(r, &place, list, count);
    if (status != STI_OK) return status;
    *out = sti_alloc_array(r->env, (size_t)count, sizeof **out);
    if (*out == NULL) return STI_FAIL(r->env, STI_ERR_MEMORY, -1, "%s of %d", key, count);
    int i = 0;
    for (const cJSON* value = list->child; status == STI_OK && value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(&place, i);
        bool is_double;
        if (cJSON_IsNull(value))
            (*out)[i] = NAN;
        else
            status = sti_json_read_number(&r->tree, &at, value, &(*out)[i], &is_double);
    }
    return status;
}

// A list of indices below n, each marked with `sign` in out (n), where nothing may be marked yet.
static sti_status read_marks(const reader* r, const sti_place* up, const cJSON* object, const char* key, int n,
                             int sign, signed char* out) {
    const cJSON* list = field(object, key);
    const sti_place place = sti_place_key(up, key);
    if (list == NULL) return STI_OK;
    if (!cJSON_IsArray(list)) return sti_json_fail(&r->tree, &place, list, "a list of indices is expected");
    sti_status status = STI_OK;
    int64_t k = 0, i = 0;
    for (const cJSON* value = list->child; status == STI_OK && value != NULL; value = value->next, k++) {
        const sti_place at = sti_place_index(&place, k);
        status = sti_json_read_integer(&r->tree, &at, value, 0, n - 1, &i);
        if (status == STI_OK && out[i] != 0) status = sti_json_fail(&r->tree, &at, value, "this index is given twice");
        if (status == STI_OK) out[i] = (signed char)sign;
    }
    return status;
}

// ---- parts of the answer

// A size as it is said, or the length of a list where it is not.
static sti_status read_size(const reader* r, const char* size_name, const char* list_name, int* out) {
    const cJSON *list = field(r->tree.root, list_name), *said = field(r->tree.root, size_name);
    const sti_place at_list = sti_place_key(NULL, list_name), at_size = sti_place_key(NULL, size_name);
    int64_t size = 0;
    sti_status status = STI_OK;
    if ((list == NULL && said == NULL) || (list != NULL && !cJSON_IsArray(list)))
        status = sti_json_fail(&r->tree, &at_list, list, "a list of numbers is expected");
    else if (said != NULL)
        status = sti_json_read_integer(&r->tree, &at_size, said, 0, STI_IO_SPARSE_MOST, &size);
    else
        size = cJSON_GetArraySize(list);
    if (size > STI_IO_SPARSE_MOST)
        status = sti_json_fail(&r->tree, &at_list, list, "more than %d entries", STI_IO_SPARSE_MOST);
    *out = (int)size;
    return status;
}

// kind, or what the lists there are say of it; n and m.
static sti_status read_sizes(const reader* r) {
    static const char* const kinds[] = {"lcp", "mlcp"};
    int kind = field(r->tree.root, "u") != NULL || field(r->tree.root, "v") != NULL;
    sti_status status = read_word(r, NULL, r->tree.root, "kind", kinds, 2, &kind);
    if (status != STI_OK) return status;
    if (kind == 0) return read_size(r, "n", "z", &r->a->n);
    status = read_size(r, "n", "u", &r->a->free_count);
    return status == STI_OK ? read_size(r, "m", "v", &r->a->n) : status;
}

static sti_status read_point(reader* r) {
    sti_lcp_answer* a = r->a;
    const cJSON* root = r->tree.root;
    const char* z = field(root, "v") != NULL ? "v" : "z";
    if (field(root, "v") != NULL && field(root, "z") != NULL)
        return sti_file_fail(r->env, STI_ERR_INPUT, r->tree.name, "both z and v are given");
    sti_status status = read_vector(r, NULL, root, z, a->n, &a->z);
    if (status == STI_OK) status = read_vector(r, NULL, root, "w", a->n, &a->w);
    if (status == STI_OK) status = read_vector(r, NULL, root, "u", a->free_count, &a->u);
    if (status == STI_OK && field(root, "alpha") != NULL) {
        a->alpha = sti_alloc_array_zero(r->env, (size_t)a->n, 1);
        if (a->alpha == NULL) return STI_FAIL(r->env, STI_ERR_MEMORY, -1, "index set of %d", a->n);
        status = read_marks(r, NULL, root, "alpha", a->n, 1, (signed char*)a->alpha);
    }
    bool nonsingular = false;
    if (status == STI_OK) status = read_bool(r, NULL, root, "basis_nonsingular", &nonsingular);
    a->basis_nonsingular = field(root, "basis_nonsingular") == NULL ? -1 : nonsingular;
    if (status == STI_OK) status = read_bool(r, NULL, root, "exact", &a->exact);
    return status;
}

// A list of `count` exact numbers into entries first.. of out.
static sti_status read_exact(const reader* r, const sti_place* place, const cJSON* list, sti_rationals* out,
                             size_t first) {
    sti_status status = STI_OK;
    size_t i = 0;
    for (const cJSON* value = list->child; status == STI_OK && value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(place, (int64_t)i);
        status = sti_json_read_exact(&r->tree, &at, value, out, first + i);
        if (status == STI_ERR_ARGUMENT) status = sti_json_fail(&r->tree, &at, value, "a finite number is expected");
    }
    return status;
}

static sti_status read_exact_point(reader* r) {
    const cJSON* list = field(r->tree.root, "z_exact");
    const sti_place place = sti_place_key(NULL, "z_exact");
    if (list == NULL) return STI_OK;
    const int count = r->a->free_count + r->a->n;
    sti_status status = check_list(r, &place, list, count);
    if (status == STI_OK) status = sti_rationals_create(r->env, (size_t)count, &r->a->z_exact);
    return status == STI_OK ? read_exact(r, &place, list, r->a->z_exact, 0) : status;
}

static sti_status read_residuals(reader* r) {
    sti_lcp_answer* a = r->a;
    const cJSON *root = r->tree.root, *parts = field(root, "residuals");
    const sti_place place = sti_place_key(NULL, "residuals");
    sti_status status = read_double(r, NULL, root, "residual", NAN, &a->residual);
    if (status == STI_OK) status = read_double(r, &place, parts, "equation", NAN, &a->residual_equation);
    if (status == STI_OK) status = read_double(r, &place, parts, "z", NAN, &a->residual_z);
    if (status == STI_OK) status = read_double(r, &place, parts, "w", NAN, &a->residual_w);
    if (status == STI_OK) status = read_double(r, &place, parts, "gap", NAN, &a->residual_gap);
    if (status == STI_OK) status = read_double(r, NULL, root, "time_s", NAN, &a->time_s);
    if (status == STI_OK) status = read_long(r, NULL, root, "iterations", &a->iterations);
    return status;
}

static sti_status read_ray(reader* r) {
    sti_ray* ray = &r->a->ray;
    const cJSON* object = field(r->tree.root, "ray");
    const sti_place place = sti_place_key(NULL, "ray");
    if (object == NULL) return STI_OK;
    sti_status status = read_vector(r, &place, object, "z", r->a->n, &ray->z);
    if (status == STI_OK) status = read_vector(r, &place, object, "dz", r->a->n, &ray->dz);
    if (status == STI_OK) status = read_double(r, &place, object, "z0", NAN, &ray->z0);
    if (status == STI_OK) status = read_double(r, &place, object, "dz0", NAN, &ray->dz0);
    return status;
}

static sti_status read_attempt(const reader* r, const sti_place* place, const cJSON* object, sti_attempt* out) {
    int solver = STI_SOLVER_AUTO, termination = STI_END_NONE;
    sti_status status = read_word(r, place, object, "solver", solver_names, COUNT_OF(solver_names), &solver);
    if (status == STI_OK)
        status =
            read_word(r, place, object, "termination", termination_names, COUNT_OF(termination_names), &termination);
    if (status == STI_OK) status = read_double(r, place, object, "residual", NAN, &out->residual);
    if (status == STI_OK) status = read_long(r, place, object, "iterations", &out->iterations);
    if (status == STI_OK) status = read_double(r, place, object, "time_s", NAN, &out->time_s);
    if (status == STI_OK) status = read_text(r, place, object, "why", out->why, sizeof out->why);
    out->solver = (sti_solver)solver;
    out->termination = (sti_termination)termination;
    return status;
}

static sti_status read_attempts(reader* r) {
    const cJSON* list = field(r->tree.root, "attempts");
    const sti_place place = sti_place_key(NULL, "attempts");
    if (list == NULL) return STI_OK;
    if (!cJSON_IsArray(list)) return sti_json_fail(&r->tree, &place, list, "a list is expected");
    const int count = cJSON_GetArraySize(list);
    r->a->attempts = sti_alloc_array_zero(r->env, (size_t)count, sizeof *r->a->attempts);
    if (r->a->attempts == NULL) return STI_FAIL(r->env, STI_ERR_MEMORY, -1, "%d attempts", count);
    r->a->attempt_count = count;
    sti_status status = STI_OK;
    int k = 0;
    for (const cJSON* object = list->child; status == STI_OK && object != NULL; object = object->next, k++) {
        const sti_place at = sti_place_index(&place, k);
        if (!cJSON_IsObject(object))
            status = sti_json_fail(&r->tree, &at, object, "an object is expected");
        else
            status = read_attempt(r, &at, object, &r->a->attempts[k]);
    }
    return status;
}

// ---- the certificate

// Every leaf has lists x and y of the right lengths: then its arrays are no larger than the file.
static sti_status check_leaves(const reader* r, const sti_place* place, const cJSON* list, int* count) {
    const sti_certificate* c = &r->a->certificate;
    *count = 0;
    if (list == NULL) return STI_OK;
    if (!cJSON_IsArray(list)) return sti_json_fail(&r->tree, place, list, "a list is expected");
    for (const cJSON* leaf = list->child; leaf != NULL; leaf = leaf->next) {
        const sti_place at = sti_place_index(place, (*count)++);
        const sti_place at_x = sti_place_key(&at, "x"), at_y = sti_place_key(&at, "y");
        if (!cJSON_IsObject(leaf)) return sti_json_fail(&r->tree, &at, leaf, "an object is expected");
        const cJSON* x = field(leaf, "x");
        sti_status status = x == NULL && c->free_count == 0 ? STI_OK : check_list(r, &at_x, x, c->free_count);
        if (status == STI_OK) status = check_list(r, &at_y, field(leaf, "y"), c->pair_count);
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

static sti_status read_multipliers(const reader* r, const sti_place* place, const cJSON* list, size_t first) {
    sti_certificate* c = &r->a->certificate;
    if (list == NULL) return STI_OK;
    return read_exact(r, place, list, c->y_exact, first);
}

static sti_status read_leaf(const reader* r, const sti_place* place, const cJSON* leaf, int k) {
    sti_certificate* c = &r->a->certificate;
    const size_t pairs = (size_t)c->pair_count, width = (size_t)c->free_count + pairs, first = (size_t)k * width;
    const sti_place at_x = sti_place_key(place, "x"), at_y = sti_place_key(place, "y");
    signed char* fixed = c->fixed + (size_t)k * pairs;
    sti_status status = read_marks(r, place, leaf, "z_zero", c->pair_count, 1, fixed);
    if (status == STI_OK) status = read_marks(r, place, leaf, "w_zero", c->pair_count, -1, fixed);
    if (status == STI_OK) status = read_multipliers(r, &at_x, field(leaf, "x"), first);
    if (status == STI_OK) status = read_multipliers(r, &at_y, field(leaf, "y"), first + (size_t)c->free_count);
    for (size_t i = first; status == STI_OK && i < first + width; i++) {
        c->y[i] = sti_rationals_double(c->y_exact, i);
        if (isnan(c->y[i])) status = STI_FAIL(r->env, STI_ERR_MEMORY, -1, "a multiplier as a double");
    }
    return status;
}

static sti_status read_leaves(reader* r, const sti_place* up, const cJSON* object) {
    sti_certificate* c = &r->a->certificate;
    const cJSON* list = field(object, "leaves");
    const sti_place place = sti_place_key(up, "leaves");
    int count;
    sti_status status = check_leaves(r, &place, list, &count);
    if (status != STI_OK || count == 0) return status;
    const size_t leaves = (size_t)count, width = (size_t)c->free_count + (size_t)c->pair_count;
    c->fixed = sti_alloc_array_zero(r->env, leaves * (size_t)c->pair_count, 1);
    c->y = sti_alloc_array(r->env, leaves * width, sizeof *c->y);
    if (c->fixed == NULL || c->y == NULL)
        return STI_FAIL(r->env, STI_ERR_MEMORY, -1, "%d leaves of a certificate", count);
    status = sti_rationals_create(r->env, leaves * width, &c->y_exact);
    c->leaf_count = count;
    int k = 0;
    for (const cJSON* leaf = list->child; status == STI_OK && leaf != NULL; leaf = leaf->next, k++) {
        const sti_place at = sti_place_index(&place, k);
        status = read_leaf(r, &at, leaf, k);
    }
    return status;
}

static sti_status read_certificate(reader* r) {
    sti_certificate* c = &r->a->certificate;
    const cJSON* object = field(r->tree.root, "certificate");
    const sti_place place = sti_place_key(NULL, "certificate");
    int proof = STI_PROOF_NONE;
    c->free_count = r->a->free_count;
    c->pair_count = r->a->n;
    c->bound = INFINITY;
    if (object == NULL) return STI_OK;
    if (!cJSON_IsObject(object)) return sti_json_fail(&r->tree, &place, object, "an object is expected");
    sti_status status = read_word(r, &place, object, "type", proof_names, COUNT_OF(proof_names), &proof);
    c->proof = (sti_proof)proof;
    if (status == STI_OK) status = read_bool(r, &place, object, "exact", &c->exact);
    if (status == STI_OK) status = read_double(r, &place, object, "bound", INFINITY, &c->bound);
    if (status == STI_OK) status = read_leaves(r, &place, object);
    return status;
}

static sti_status read_words(reader* r) {
    sti_lcp_answer* a = r->a;
    const cJSON* root = r->tree.root;
    int outcome = field(root, "outcome") == NULL && a->z != NULL ? STI_SOLVED : STI_UNKNOWN;
    int termination = STI_END_NONE, solver = STI_SOLVER_AUTO;
    sti_status status = read_word(r, NULL, root, "outcome", outcome_names, COUNT_OF(outcome_names), &outcome);
    if (status == STI_OK)
        status = read_word(r, NULL, root, "termination", termination_names, COUNT_OF(termination_names), &termination);
    if (status == STI_OK) status = read_word(r, NULL, root, "solver", solver_names, COUNT_OF(solver_names), &solver);
    if (status == STI_OK) status = read_text(r, NULL, root, "reason", a->reason, sizeof a->reason);
    a->outcome = (sti_outcome)outcome;
    a->termination = (sti_termination)termination;
    a->solver = (sti_solver)solver;
    return status;
}

// text is altered, and ends with a 0 at text[size].
static sti_status read_answer(sti_env* env, char* text, size_t size, const char* name, sti_lcp_answer* out) {
    reader r = {.env = env, .a = out};
    *out = (sti_lcp_answer){0};
    sti_status status = sti_json_tree_create(env, text, size, name, &r.tree);
    if (status != STI_OK) return status;
    status = read_sizes(&r);
    if (status == STI_OK) status = read_point(&r);
    if (status == STI_OK) status = read_exact_point(&r);
    if (status == STI_OK) status = read_words(&r);
    if (status == STI_OK) status = read_residuals(&r);
    if (status == STI_OK) status = read_ray(&r);
    if (status == STI_OK) status = read_attempts(&r);
    if (status == STI_OK) status = read_certificate(&r);
    sti_json_tree_clear(&r.tree);
    if (status != STI_OK) sti_lcp_answer_clear(env, out);
    return status;
}

sti_status sti_lcp_answer_load(sti_env* env, const char* path, sti_lcp_answer* out) {
    char* text;
    size_t size;
    *out = (sti_lcp_answer){0};
    sti_status status = sti_file_read(env, path, STI_IO_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    status = read_answer(env, text, size, path, out);
    sti_free(env, text);
    return status;
}

sti_status sti_lcp_answer_parse(sti_env* env, const char* text, size_t size, const char* name, sti_lcp_answer* out) {
    *out = (sti_lcp_answer){0};
    if (size > STI_IO_TEXT_MOST) return sti_file_fail(env, STI_ERR_INPUT, name, "too long to be read as text");
    char* copy = sti_alloc_array(env, size + 1, 1);
    if (copy == NULL) return STI_FAIL(env, STI_ERR_MEMORY, -1, "text of %.200s", name);
    if (size > 0) memcpy(copy, text, size);
    copy[size] = '\0';
    const sti_status status = read_answer(env, copy, size, name, out);
    sti_free(env, copy);
    return status;
}
