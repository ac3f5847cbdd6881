// system.c: what all kinds of systems share: names, parameters, life, and the public functions in front of each kind.
#include "system/system.h"

#include <math.h>
#include <stdio.h>
#include <stiction/section.h>
#include <string.h>

static sti_status copy_name(sti_env* env, const char* given, const char* word, int k, char** out) {
    char standard[32];
    snprintf(standard, sizeof standard, "%s %d", word, k + 1);
    *out = sti_strdup(env, given != NULL ? given : standard);
    return *out != NULL ? STI_OK : STI_ERR_MEMORY;
}

// Names tell contacts apart in answers.
static sti_status check_contact_names(const sti_system* s) {
    const int first_joint = s->contact_count - s->joint_count;
    for (int i = 0; i < s->contact_count; i++) {
        for (int k = 0; k < i; k++) {
            if (strcmp(s->contact[i], s->contact[k]) != 0) continue;
            const bool joint = i >= first_joint;
            return STI_FAIL(s->env, STI_ERR_INPUT, i, "%s[%d].name: \"%.60s\": given twice",
                            joint ? "joints" : "contacts", joint ? i - first_joint : i, s->contact[i]);
        }
    }
    return STI_OK;
}

static sti_status copy_names(sti_system* s, const sti_system_shape* shape) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < s->n; k++)
        status = copy_name(s->env, shape->coordinates[k], "q", k, &s->coordinate[k]);
    for (int k = 0; status == STI_OK && k < s->parameter_count; k++)
        status = copy_name(s->env, shape->parameters[k], "p", k, &s->parameter[k]);
    for (int i = 0; status == STI_OK && i < s->contact_count; i++) {
        const bool joint = i >= shape->contact_count;
        status = copy_name(s->env, shape->contacts != NULL ? shape->contacts[i] : NULL, joint ? "joint" : "contact",
                           joint ? i - shape->contact_count : i, &s->contact[i]);
    }
    return status == STI_OK ? check_contact_names(s) : status;
}

static sti_status check_polygon(const sti_system* s, const sti_system_shape* shape, int i) {
    const sti_section section = {
        .shape = STI_SECTION_POLYGON, .vertex_count = shape->corner_count[i], .vertex = shape->corner[i]};
    char why[160];
    if (s->tangent_count[i] != 2 || i >= s->contact_count - s->joint_count)
        return STI_FAIL(s->env, STI_ERR_INPUT, i,
                        "contacts[%d].polygon: friction in a polygon is for contacts with two slips, and for no joints",
                        i);
    if (sti_section_check(s->env, &section) == STI_OK) return STI_OK;
    snprintf(why, sizeof why, "%.150s", sti_env_error(s->env)->text);
    return STI_FAIL(s->env, STI_ERR_INPUT, i, "contacts[%d].polygon: %s", i, why);
}

static sti_status copy_corners(sti_system* s, const sti_system_shape* shape) {
    size_t count = 0, at = 0;
    for (int i = 0; shape->corner_count != NULL && i < s->contact_count; i++) {
        const sti_status status = shape->corner_count[i] != 0 ? check_polygon(s, shape, i) : STI_OK;
        if (status != STI_OK) return status;
        s->corner_count[i] = shape->corner_count[i];
        count += 2 * (size_t)s->corner_count[i];
    }
    if (count == 0) return STI_OK;
    s->corner = sti_alloc_array(s->env, count, sizeof *s->corner);
    if (s->corner == NULL) return STI_ERR_MEMORY;
    for (int i = 0; i < s->contact_count; i++) {
        const size_t size = 2 * (size_t)s->corner_count[i];
        if (size > 0) memcpy(s->corner + at, shape->corner[i], size * sizeof *s->corner);
        at += size;
    }
    return STI_OK;
}

sti_status sti_system_begin(sti_env* env, const sti_system_shape* shape, sti_system** out) {
    *out = NULL;
    sti_system* s = sti_alloc_array_zero(env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    s->env = env;
    s->n = shape->n;
    s->contact_count = shape->contact_count + shape->joint_count;
    s->joint_count = shape->joint_count;
    s->parameter_count = shape->parameter_count;
    const size_t n = (size_t)s->n, p = (size_t)s->contact_count;
    s->memory = sti_arena_make(env);
    s->tangent_count = sti_arena_take(&s->memory, p, sizeof *s->tangent_count);
    s->corner_count = sti_arena_take(&s->memory, p, sizeof *s->corner_count);
    s->coordinate = sti_arena_take(&s->memory, n, sizeof *s->coordinate);
    s->contact = sti_arena_take(&s->memory, p, sizeof *s->contact);
    s->parameter = sti_arena_take(&s->memory, (size_t)s->parameter_count, sizeof *s->parameter);
    s->parameters = sti_arena_take(&s->memory, (size_t)s->parameter_count, sizeof *s->parameters);
    s->work = sti_arena_take(&s->memory, n * n, sizeof *s->work);
    sti_status status = STI_OK;
    if (s->memory.status != STI_OK) status = STI_ERR_MEMORY;
    if (status == STI_OK && p > 0) memcpy(s->tangent_count, shape->tangent_count, p * sizeof *s->tangent_count);
    if (status == STI_OK) status = copy_corners(s, shape);
    if (status == STI_OK) status = copy_names(s, shape);
    if (status == STI_OK)
        *out = s;
    else
        sti_system_destroy(s);
    return status;
}

static void free_names(sti_env* env, char** names, int count) {
    for (int k = 0; names != NULL && k < count; k++) sti_free(env, names[k]);
}

void sti_system_destroy(sti_system* s) {
    if (s == NULL) return;
    if (s->kind != NULL) s->kind->destroy(s);
    free_names(s->env, s->coordinate, s->n);
    free_names(s->env, s->contact, s->contact_count);
    free_names(s->env, s->parameter, s->parameter_count);
    sti_arena_clear(&s->memory);
    sti_free(s->env, s->corner);
    sti_arena_clear(&s->room);
    sti_free(s->env, s);
}

int sti_system_coordinate_count(const sti_system* s) {
    return s->n;
}

const char* sti_system_coordinate(const sti_system* s, int k) {
    return s->coordinate[k];
}

int sti_system_contact_count(const sti_system* s) {
    return s->contact_count;
}

int sti_system_joint_count(const sti_system* s) {
    return s->joint_count;
}

const char* sti_system_contact(const sti_system* s, int i) {
    return s->contact[i];
}

int sti_system_parameter_count(const sti_system* s) {
    return s->parameter_count;
}

const char* sti_system_parameter(const sti_system* s, int k) {
    return s->parameter[k];
}

double sti_system_parameter_value(const sti_system* s, int k) {
    return s->parameters[k];
}

sti_status sti_system_set(sti_system* s, const char* parameter, double value) {
    char list[160] = "";
    if (!isfinite(value))
        return STI_FAIL(s->env, STI_ERR_ARGUMENT, -1, "%.60s: %g: a finite number is expected", parameter, value);
    for (int k = 0; k < s->parameter_count; k++) {
        const size_t at = strlen(list);
        if (strcmp(s->parameter[k], parameter) == 0) {
            s->parameters[k] = value;
            return STI_OK;
        }
        snprintf(list + at, sizeof list - at, "%s%s", k > 0 ? ", " : "", s->parameter[k]);
    }
    return STI_FAIL(s->env, STI_ERR_ARGUMENT, -1, "%.60s: no such parameter%s%s", parameter,
                    s->parameter_count > 0 ? "; there are " : ", the system has none", list);
}

static sti_status check_numbers(sti_env* env, const char* name, const double* x, int count) {
    for (int k = 0; k < count; k++) {
        if (!isfinite(x[k]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, k, "%s[%d]: %g: a finite number is expected", name, k, x[k]);
    }
    return STI_OK;
}

static sti_status check_place(const sti_system* s, sti_env* env, double t, const double* q, const double* v) {
    sti_status status = check_numbers(env, "t", &t, 1);
    if (status == STI_OK) status = check_numbers(env, "q", q, s->n);
    if (status == STI_OK && v != NULL) status = check_numbers(env, "v", v, s->n);
    return status;
}

sti_status sti_system_state(const sti_system* s, double* t, double* q, double* v) {
    return s->kind->state(s, s->env, t, q, v);
}

sti_status sti_system_energy(const sti_system* s, double t, const double* q, const double* v, double* kinetic,
                             double* potential) {
    const sti_status status = check_place(s, s->env, t, q, v);
    return status == STI_OK ? s->kind->energy(s, s->env, t, q, v, kinetic, potential) : status;
}

sti_status sti_system_force(const sti_system* s, double t, const double* q, const double* v, double* k, double* k_q,
                            double* k_v) {
    const sti_status status = check_place(s, s->env, t, q, v);
    return status == STI_OK ? s->kind->force(s, s->env, t, q, v, k, k_q, k_v) : status;
}

sti_status sti_system_gap(const sti_system* s, double t, const double* q, double* gap) {
    const sti_status status = check_place(s, s->env, t, q, NULL);
    return status == STI_OK ? s->kind->gap(s, s->env, t, q, gap) : status;
}

// Rank of a semidefinite matrix, which is destroyed: pivots of Cholesky's method with the largest diagonal entry first,
// down to the rounding of the matrix.
static int rank_of(double* A, int order) {
    const size_t n = (size_t)order;
    double largest = 0;
    for (size_t k = 0; k < n; k++) largest = fmax(largest, A[k * n + k]);
    int rank = 0;
    while (rank < order) {
        size_t p = 0;
        for (size_t i = 1; i < n; i++) {
            if (A[i * n + i] > A[p * n + p]) p = i;
        }
        const double pivot = A[p * n + p];
        if (!(pivot > 1e-13 * (double)order * largest)) break;
        for (size_t i = 0; i < n; i++) {
            const double factor = A[i * n + p] / pivot;
            for (size_t k = 0; i != p && factor != 0 && k < n; k++) A[i * n + k] -= factor * A[p * n + k];
        }
        for (size_t k = 0; k < n; k++) A[p * n + k] = A[k * n + p] = 0;
        rank++;
    }
    return rank;
}

sti_status sti_system_mass(const sti_system* s, double t, const double* q, double* M, int* rank) {
    const size_t size = (size_t)s->n * (size_t)s->n * sizeof(double);
    sti_status status = check_place(s, s->env, t, q, NULL);
    if (status == STI_OK) status = s->kind->mass(s, s->env, t, q, s->work);
    if (status != STI_OK) return status;
    if (M != NULL) memcpy(M, s->work, size);
    if (rank != NULL) *rank = rank_of(s->work, s->n);
    return STI_OK;
}

static sti_status fill(const sti_system* s, sti_env* env, double t, const double* q, const double* v,
                       sti_instant_store* store) {
    const sti_status status = check_place(s, env, t, q, v);
    if (status != STI_OK) return status;
    store->instant.time = t;
    memcpy(store->v, v, (size_t)s->n * sizeof(double));
    return s->kind->fill(s, env, t, q, v, store);
}

sti_status sti_system_instant_update(const sti_system* s, double t, const double* q, const double* v,
                                     sti_instant* instant) {
    if (instant->n != s->n || instant->contact_count != s->contact_count)
        return STI_FAIL(s->env, STI_ERR_ARGUMENT, -1, "the instant is of another system: %d velocities, %d contacts",
                        instant->n, instant->contact_count);
    return fill(s, s->env, t, q, v, (sti_instant_store*)instant);
}

sti_status sti_system_store(sti_env* env, const sti_system* s, sti_instant_store** out) {
    const sti_instant_shape shape = {.n = s->n,
                                     .contact_count = s->contact_count,
                                     .tangent_count = s->tangent_count,
                                     .corner_count = s->corner_count};
    const sti_status status = sti_instant_store_create(env, &shape, out);
    size_t count = 0;
    for (int i = 0; i < s->contact_count; i++) count += 2 * (size_t)s->corner_count[i];
    if (status == STI_OK && count > 0) memcpy((*out)->corner, s->corner, count * sizeof *s->corner);
    return status;
}

sti_status sti_system_instant(sti_env* env, const sti_system* s, double t, const double* q, const double* v,
                              sti_instant** out) {
    sti_instant_store* store;
    *out = NULL;
    sti_status status = sti_system_store(env, s, &store);
    if (status != STI_OK) return status;
    for (int k = 0; status == STI_OK && k < s->n; k++) status = sti_instant_store_name(env, store, k, s->coordinate[k]);
    for (int i = 0; status == STI_OK && i < s->contact_count; i++) {
        status = sti_instant_store_name(env, store, s->n + i, s->contact[i]);
        store->contacts[i].bilateral = i >= s->contact_count - s->joint_count;
    }
    if (status == STI_OK) status = fill(s, env, t, q, v, store);
    if (status == STI_OK)
        *out = &store->instant;
    else
        sti_instant_store_destroy(env, store);
    return status;
}
