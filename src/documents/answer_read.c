// answer_read.c: answers from JSON, as answer_write.c writes them or as a person would.
//
// Only the point (z, or u and v) or a certificate is needed; an answer without an outcome but with a point claims
// "solved". What is null or missing is NAN, NULL or 0, and names that are not known are passed over. Of an MLCP the
// names with z that were written up to 0.1 are read too: z_exact with u and v one after the other, residuals.z, ray.z,
// ray.dz, z_zero.
#include <math.h>
#include <stiction/io.h>
#include <string.h>

#include "documents/document.h"
#include "documents/json_answer.h"
#include "formats/file.h"

static const char* const solver_names[] = {
#define STI_X(code, name) #name,
    STI_LCP_SOLVER_LIST(STI_X)};
#undef STI_X
#define COUNT_OF(a) ((int)(sizeof(a) / sizeof(a)[0]))

typedef struct reader {
    sti_json_tree tree;
    sti_env* env;
    sti_lcp_answer* a;
} reader;

// A list of indices below n, each marked with `sign` in out (n), where nothing may be marked yet.
static sti_status read_marks(const reader* r, const sti_place* up, const sti_json_value* object, const char* key, int n,
                             int sign, signed char* out) {
    const sti_json_value* list = sti_json_field(object, key);
    const sti_place place = sti_place_key(up, key);
    if (list == NULL) return STI_OK;
    if (!sti_json_is_array(list)) return sti_json_fail(&r->tree, &place, list, "a list of indices is expected");
    sti_status status = STI_OK;
    int64_t k = 0, i = 0;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next, k++) {
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
    const sti_json_value *list = sti_json_field(r->tree.root, list_name),
                         *said = sti_json_field(r->tree.root, size_name);
    const sti_place at_list = sti_place_key(NULL, list_name), at_size = sti_place_key(NULL, size_name);
    int64_t size = 0;
    sti_status status = STI_OK;
    if ((list == NULL && said == NULL) || (list != NULL && !sti_json_is_array(list)))
        status = sti_json_fail(&r->tree, &at_list, list, "a list of numbers is expected");
    else if (said != NULL)
        status = sti_json_read_integer(&r->tree, &at_size, said, 0, STI_FILE_SPARSE_MOST, &size);
    else
        size = sti_json_count(list);
    if (size > STI_FILE_SPARSE_MOST)
        status = sti_json_fail(&r->tree, &at_list, list, "more than %d entries", STI_FILE_SPARSE_MOST);
    *out = (int)size;
    return status;
}

// kind, or what the lists there are say of it; n and m.
static sti_status read_sizes(const reader* r) {
    static const char* const kinds[] = {"lcp", "mlcp", "avi", "relay"};  // the last two are read as the MLCP they are
    int kind = sti_json_field(r->tree.root, "u") != NULL || sti_json_field(r->tree.root, "v") != NULL;
    sti_status status = sti_json_read_word(&r->tree, NULL, r->tree.root, "kind", kinds, 4, &kind);
    if (status != STI_OK) return status;
    r->a->mixed = kind >= 1;
    if (kind == 0) return read_size(r, "n", "z", &r->a->n);
    status = read_size(r, "n", "u", &r->a->free_count);
    return status == STI_OK ? read_size(r, "m", "v", &r->a->n) : status;
}

// x of an inequality, which is written for people: the first entries of u.
static sti_status check_x(const reader* r) {
    const sti_json_value* list = sti_json_field(r->tree.root, "x");
    const sti_place place = sti_place_key(NULL, "x");
    double* x = NULL;
    if (r->a->u == NULL || list == NULL || sti_json_is_null(list)) return STI_OK;
    const int count = sti_json_count(list);
    if (count > r->a->free_count)
        return sti_json_fail(&r->tree, &place, list, "at most as many entries as u has are expected");
    sti_status status = sti_json_read_doubles(&r->tree, NULL, r->tree.root, "x", count, &x);
    const sti_json_value* value = list->child;
    for (int i = 0; status == STI_OK && i < count; i++, value = value->next) {
        const sti_place at = sti_place_index(&place, i);
        if (x[i] != r->a->u[i] && !(isnan(x[i]) && isnan(r->a->u[i])))
            status = sti_json_fail(&r->tree, &at, value, "u[%d] is expected, %.17g", i, r->a->u[i]);
    }
    sti_free(r->env, x);
    return status;
}

static sti_status read_point(reader* r) {
    sti_lcp_answer* a = r->a;
    const sti_json_value* root = r->tree.root;
    const char* z = sti_json_field(root, "v") != NULL ? "v" : "z";
    if (sti_json_field(root, "v") != NULL && sti_json_field(root, "z") != NULL)
        return sti_file_fail(r->env, STI_ERR_INPUT, r->tree.name, "both z and v are given");
    sti_status status = sti_json_read_doubles(&r->tree, NULL, root, z, a->n, &a->z);
    if (status == STI_OK) status = sti_json_read_doubles(&r->tree, NULL, root, "w", a->n, &a->w);
    if (status == STI_OK) status = sti_json_read_doubles(&r->tree, NULL, root, "u", a->free_count, &a->u);
    if (status == STI_OK) status = check_x(r);
    if (status == STI_OK && sti_json_field(root, "alpha") != NULL) {
        a->alpha = sti_alloc_array_zero(r->env, (size_t)a->n, 1);
        if (a->alpha == NULL) return STI_ERR_MEMORY;
        status = read_marks(r, NULL, root, "alpha", a->n, 1, (signed char*)a->alpha);
    }
    bool nonsingular = false;
    if (status == STI_OK) status = sti_json_read_bool(&r->tree, NULL, root, "basis_nonsingular", &nonsingular);
    a->basis_nonsingular = sti_json_field(root, "basis_nonsingular") == NULL ? -1 : nonsingular;
    if (status == STI_OK) status = sti_json_read_bool(&r->tree, NULL, root, "exact", &a->exact);
    return status;
}

// A list of `count` exact numbers into entries first.. of out.
static sti_status read_exact(const reader* r, const sti_place* place, const sti_json_value* list, sti_rationals* out,
                             size_t first) {
    sti_status status = STI_OK;
    size_t i = 0;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(place, (int64_t)i);
        status = sti_json_read_exact(&r->tree, &at, value, out, first + i);
        if (status == STI_ERR_ARGUMENT) status = sti_json_fail(&r->tree, &at, value, "a finite number is expected");
    }
    return status;
}

// A list of `count` exact numbers into entries first.. of the point's exact form, which is made when it is not there
// yet.
static sti_status read_exact_part(reader* r, const char* key, size_t first, int count) {
    const sti_json_value* list = sti_json_field(r->tree.root, key);
    const sti_place place = sti_place_key(NULL, key);
    sti_status status = sti_json_check_list(&r->tree, &place, list, count);
    if (status == STI_OK && r->a->z_exact == NULL)
        status = sti_rationals_create(r->env, (size_t)r->a->free_count + (size_t)r->a->n, &r->a->z_exact);
    return status == STI_OK ? read_exact(r, &place, list, r->a->z_exact, first) : status;
}

static sti_status read_exact_point(reader* r) {
    const sti_json_value* root = r->tree.root;
    const int u = r->a->free_count, v = r->a->n;
    if (sti_json_field(root, "z_exact") != NULL) return read_exact_part(r, "z_exact", 0, u + v);
    if (sti_json_field(root, "u_exact") == NULL && sti_json_field(root, "v_exact") == NULL) return STI_OK;
    const sti_status status = read_exact_part(r, "u_exact", 0, u);
    return status == STI_OK ? read_exact_part(r, "v_exact", (size_t)u, v) : status;
}

// The name of the pairs' part: that of an MLCP where it is given.
static const char* pair_name(const sti_json_value* object, const char* mixed, const char* plain) {
    return sti_json_field(object, mixed) != NULL ? mixed : plain;
}

static sti_status read_residuals(reader* r) {
    sti_lcp_answer* a = r->a;
    const sti_json_value *root = r->tree.root, *parts = sti_json_field(root, "residuals");
    const sti_place place = sti_place_key(NULL, "residuals");
    sti_status status = sti_json_read_double(&r->tree, NULL, root, "residual", NAN, &a->residual);
    if (status == STI_OK)
        status = sti_json_read_double(&r->tree, &place, parts, "equation", NAN, &a->residual_equation);
    if (status == STI_OK)
        status = sti_json_read_double(&r->tree, &place, parts, pair_name(parts, "v", "z"), NAN, &a->residual_z);
    if (status == STI_OK) status = sti_json_read_double(&r->tree, &place, parts, "w", NAN, &a->residual_w);
    if (status == STI_OK) status = sti_json_read_double(&r->tree, &place, parts, "gap", NAN, &a->residual_gap);
    if (status == STI_OK) status = sti_json_read_double(&r->tree, NULL, root, "time_s", NAN, &a->time_s);
    if (status == STI_OK) status = sti_json_read_long(&r->tree, NULL, root, "iterations", &a->iterations);
    return status;
}

static sti_status read_ray(reader* r) {
    sti_ray* ray = &r->a->ray;
    const sti_json_value* object = sti_json_field(r->tree.root, "ray");
    const sti_place place = sti_place_key(NULL, "ray");
    if (object == NULL) return STI_OK;
    sti_status status = sti_json_read_doubles(&r->tree, &place, object, pair_name(object, "v", "z"), r->a->n, &ray->z);
    if (status == STI_OK)
        status = sti_json_read_doubles(&r->tree, &place, object, pair_name(object, "dv", "dz"), r->a->n, &ray->dz);
    if (status == STI_OK) status = sti_json_read_double(&r->tree, &place, object, "z0", NAN, &ray->z0);
    if (status == STI_OK) status = sti_json_read_double(&r->tree, &place, object, "dz0", NAN, &ray->dz0);
    return status;
}

// ---- the certificate

// Every leaf has lists x and y of the right lengths: then its arrays are no larger than the file.
static sti_status check_leaves(const reader* r, const sti_place* place, const sti_json_value* list, int* count) {
    const sti_certificate* c = &r->a->certificate;
    *count = 0;
    if (list == NULL) return STI_OK;
    if (!sti_json_is_array(list)) return sti_json_fail(&r->tree, place, list, "a list is expected");
    for (const sti_json_value* leaf = list->child; leaf != NULL; leaf = leaf->next) {
        const sti_place at = sti_place_index(place, (*count)++);
        const sti_place at_x = sti_place_key(&at, "x"), at_y = sti_place_key(&at, "y");
        if (!sti_json_is_object(leaf)) return sti_json_fail(&r->tree, &at, leaf, "an object is expected");
        const sti_json_value* x = sti_json_field(leaf, "x");
        sti_status status =
            x == NULL && c->free_count == 0 ? STI_OK : sti_json_check_list(&r->tree, &at_x, x, c->free_count);
        if (status == STI_OK) status = sti_json_check_list(&r->tree, &at_y, sti_json_field(leaf, "y"), c->pair_count);
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

static sti_status read_multipliers(const reader* r, const sti_place* place, const sti_json_value* list, size_t first) {
    sti_certificate* c = &r->a->certificate;
    if (list == NULL) return STI_OK;
    return read_exact(r, place, list, c->y_exact, first);
}

static sti_status read_leaf(const reader* r, const sti_place* place, const sti_json_value* leaf, int k) {
    sti_certificate* c = &r->a->certificate;
    const size_t pairs = (size_t)c->pair_count, width = (size_t)c->free_count + pairs,
                 first = sti_size_mul((size_t)k, width);
    const sti_place at_x = sti_place_key(place, "x"), at_y = sti_place_key(place, "y");
    signed char* fixed = c->fixed + (size_t)k * pairs;
    sti_status status = read_marks(r, place, leaf, pair_name(leaf, "v_zero", "z_zero"), c->pair_count, 1, fixed);
    if (status == STI_OK) status = read_marks(r, place, leaf, "w_zero", c->pair_count, -1, fixed);
    if (status == STI_OK) status = read_multipliers(r, &at_x, sti_json_field(leaf, "x"), first);
    if (status == STI_OK) status = read_multipliers(r, &at_y, sti_json_field(leaf, "y"), first + (size_t)c->free_count);
    for (size_t i = first; status == STI_OK && i < first + width; i++) {
        c->y[i] = sti_rationals_double(c->y_exact, i);
        if (isnan(c->y[i])) status = STI_ERR_MEMORY;
    }
    return status;
}

static sti_status read_leaves(reader* r, const sti_place* up, const sti_json_value* object) {
    sti_certificate* c = &r->a->certificate;
    const sti_json_value* list = sti_json_field(object, "leaves");
    const sti_place place = sti_place_key(up, "leaves");
    int count;
    sti_status status = check_leaves(r, &place, list, &count);
    if (status != STI_OK || count == 0) return status;
    const size_t leaves = (size_t)count, width = (size_t)c->free_count + (size_t)c->pair_count;
    c->fixed = sti_alloc_array_zero(r->env, sti_size_mul(leaves, (size_t)c->pair_count), 1);
    c->y = sti_alloc_array(r->env, sti_size_mul(leaves, width), sizeof *c->y);
    if (c->fixed == NULL || c->y == NULL) return STI_ERR_MEMORY;
    status = sti_rationals_create(r->env, sti_size_mul(leaves, width), &c->y_exact);
    c->leaf_count = count;
    int k = 0;
    for (const sti_json_value* leaf = list->child; status == STI_OK && leaf != NULL; leaf = leaf->next, k++) {
        const sti_place at = sti_place_index(&place, k);
        status = read_leaf(r, &at, leaf, k);
    }
    return status;
}

static sti_status read_certificate(reader* r) {
    sti_certificate* c = &r->a->certificate;
    const sti_place place = sti_place_key(NULL, "certificate");
    const sti_json_value* object;
    c->free_count = r->a->free_count;
    c->pair_count = r->a->n;
    c->bound = INFINITY;
    sti_status status = sti_json_read_proof(&r->tree, &object, &c->proof);
    if (object == NULL) return status;
    if (status == STI_OK) status = sti_json_read_bool(&r->tree, &place, object, "exact", &c->exact);
    if (status == STI_OK) status = sti_json_read_double(&r->tree, &place, object, "bound", INFINITY, &c->bound);
    if (status == STI_OK) status = read_leaves(r, &place, object);
    return status;
}

static sti_status read_words(reader* r) {
    sti_lcp_answer* a = r->a;
    sti_json_verdict verdict = {0};
    const sti_status status = sti_json_read_verdict(&r->tree, solver_names, COUNT_OF(solver_names),
                                                    a->z != NULL ? STI_SOLVED : STI_UNKNOWN, &verdict);
    a->outcome = verdict.outcome;
    a->termination = verdict.termination;
    a->solver = (sti_lcp_solver)verdict.solver;
    memcpy(a->reason, verdict.reason, sizeof a->reason);
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
    if (status == STI_OK)
        status =
            sti_json_read_attempts(&r.tree, solver_names, COUNT_OF(solver_names), &out->attempts, &out->attempt_count);
    if (status == STI_OK) status = read_certificate(&r);
    sti_json_tree_clear(&r.tree);
    if (status != STI_OK) sti_lcp_answer_clear(env, out);
    return status;
}

sti_status sti_lcp_answer_load(sti_env* env, const char* path, sti_lcp_answer* out) {
    char* text;
    size_t size;
    *out = (sti_lcp_answer){0};
    sti_status status = sti_file_read(env, path, STI_FILE_TEXT_MOST, &text, &size);
    if (status != STI_OK) return status;
    status = read_answer(env, text, size, path, out);
    sti_free(env, text);
    return status;
}

sti_status sti_lcp_answer_parse(sti_env* env, const char* text, size_t size, const char* name, sti_lcp_answer* out) {
    *out = (sti_lcp_answer){0};
    char* copy;
    sti_status status = sti_json_copy_text(env, text, size, name, &copy);
    if (status != STI_OK) return status;
    status = read_answer(env, copy, size, name, out);
    sti_free(env, copy);
    return status;
}
