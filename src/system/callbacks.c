// callbacks.c: a system whose numbers come from a function of the caller.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "system/system.h"

typedef struct callbacks {
    sti_arena memory;
    sti_system_def def;  // its arrays are not used after the creation
    double* start;       // q, then v                              (2 n)
    sti_instant_store* scratch;
    double* zero;   // velocities for questions without any    (n)
    double* force;  // k, k_q, k_v                            (n + 2 n n)
    bool made;      // what is behind the function belongs to the system
} callbacks;

static callbacks* inside(const sti_system* s) {
    return s->inside;
}

// Run the function into a store. Energies are given back beside it.
static sti_status run(const sti_system* s, sti_env* env, double t, const double* q, const double* v,
                      sti_instant_store* store, double* kinetic, double* potential) {
    const callbacks* c = inside(s);
    const size_t n = (size_t)s->n, p = (size_t)s->contact_count, d = (size_t)store->instant.tangent_total;
    memset(store->M, 0, n * n * sizeof(double));
    memset(store->F, 0, n * sizeof(double));
    memset(store->n, 0, p * n * sizeof(double));
    memset(store->t, 0, d * n * sizeof(double));
    memset(store->t_rate, 0, d * sizeof(double));
    memset(store->t_offset, 0, d * sizeof(double));
    memset(c->force, 0, (n + 2 * n * n) * sizeof(double));
    for (size_t i = 0; i < p; i++) {
        sti_instant_contact* k = &store->contacts[i];
        k->gap = k->mu = k->restitution = k->restitution_t = k->n_rate = k->n_offset = 0;
        k->mu_kinetic = NAN;  // not set: mu
    }
    sti_system_values values = {.M = store->M,
                                .F = store->F,
                                .kinetic = NAN,
                                .potential = NAN,
                                .contacts = store->contacts,
                                .n = store->n,
                                .t = store->t,
                                .t_rate = store->t_rate,
                                .t_offset = store->t_offset,
                                .k = c->force,
                                .k_q = c->force + n,
                                .k_v = c->force + n + n * n};
    if (!c->def.evaluate(c->def.user, t, q, v, &values))
        return STI_FAIL(env, STI_ERR_INPUT, -1, "the system's function has no value at t = %g", t);
    for (size_t i = 0; i < p; i++) {
        if (isnan(store->contacts[i].mu_kinetic)) store->contacts[i].mu_kinetic = store->contacts[i].mu;
    }
    if (kinetic != NULL) *kinetic = values.kinetic;
    if (potential != NULL) *potential = values.potential;
    return STI_OK;
}

static sti_status fill(const sti_system* s, sti_env* env, double t, const double* q, const double* v,
                       sti_instant_store* out) {
    const sti_status status = run(s, env, t, q, v, out, NULL, NULL);
    return status == STI_OK ? sti_instant_check(env, &out->instant) : status;
}

static sti_status mass(const sti_system* s, sti_env* env, double t, const double* q, double* M) {
    sti_instant_store* store = inside(s)->scratch;
    const sti_status status = run(s, env, t, q, inside(s)->zero, store, NULL, NULL);
    if (status == STI_OK) memcpy(M, store->M, (size_t)s->n * (size_t)s->n * sizeof *M);
    return status;
}

static sti_status energy(const sti_system* s, sti_env* env, double t, const double* q, const double* v, double* kinetic,
                         double* potential) {
    return run(s, env, t, q, v, inside(s)->scratch, kinetic, potential);
}

static sti_status force(const sti_system* s, sti_env* env, double t, const double* q, const double* v, double* k,
                        double* k_q, double* k_v) {
    const size_t n = (size_t)s->n, square = n * n * sizeof(double);
    const double* from = inside(s)->force;
    const sti_status status = run(s, env, t, q, v, inside(s)->scratch, NULL, NULL);
    if (status != STI_OK) return status;
    if (k != NULL) memcpy(k, from, n * sizeof *k);
    if (k_q != NULL) memcpy(k_q, from + n, square);
    if (k_v != NULL) memcpy(k_v, from + n + n * n, square);
    return STI_OK;
}

static sti_status gap(const sti_system* s, sti_env* env, double t, const double* q, double* out) {
    const sti_instant_store* store = inside(s)->scratch;
    const sti_status status = run(s, env, t, q, inside(s)->zero, inside(s)->scratch, NULL, NULL);
    for (int i = 0; status == STI_OK && i < s->contact_count; i++) out[i] = store->contacts[i].gap;
    return status;
}

static sti_status state(const sti_system* s, sti_env* env, double* t, double* q, double* v) {
    const callbacks* c = inside(s);
    const size_t size = (size_t)s->n * sizeof(double);
    (void)env;
    if (t != NULL) *t = c->def.time;
    if (q != NULL) memcpy(q, c->start, size);
    if (v != NULL) memcpy(v, c->start + s->n, size);
    return STI_OK;
}

static void destroy(sti_system* s) {
    callbacks* c = inside(s);
    if (c == NULL) return;
    sti_instant_store_destroy(s->env, c->scratch);
    if (c->made && c->def.destroy != NULL) c->def.destroy(c->def.user);
    sti_arena_clear(&c->memory);
    sti_free(s->env, c);
}

static const sti_system_kind kind = {destroy, fill, mass, energy, force, gap, state};

static sti_status check(sti_env* env, const sti_system_def* def) {
    if (def->coordinate_count < 1)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "coordinate_count: %d: at least 1 is expected",
                        def->coordinate_count);
    if (def->contact_count < 0 || def->joint_count < 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "contact_count, joint_count: %d, %d: not below 0 is expected",
                        def->contact_count, def->joint_count);
    if (def->coordinates == NULL || def->evaluate == NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%s: missing", def->evaluate == NULL ? "evaluate" : "coordinates");
    for (int i = 0; def->tangent_count != NULL && i < def->contact_count + def->joint_count; i++) {
        if (def->tangent_count[i] < 0 || def->tangent_count[i] > 2)
            return STI_FAIL(env, STI_ERR_ARGUMENT, i, "tangent_count[%d]: %d: 0, 1 or 2 is expected", i,
                            def->tangent_count[i]);
    }
    return STI_OK;
}

static sti_status create_inside(sti_system* s, const sti_system_def* def) {
    const size_t n = (size_t)s->n, size = n * sizeof(double);
    callbacks* c = sti_alloc_array_zero(s->env, 1, sizeof *c);
    if (c == NULL) return STI_ERR_MEMORY;
    s->inside = c;
    c->def = *def;
    c->memory = sti_arena_make(s->env);
    c->start = sti_arena_take(&c->memory, 2 * n, sizeof *c->start);
    c->zero = sti_arena_take(&c->memory, n, sizeof *c->zero);
    c->force = sti_arena_take(&c->memory, n + 2 * n * n, sizeof *c->force);
    if (c->memory.status != STI_OK) return c->memory.status;
    if (def->q != NULL) memcpy(c->start, def->q, size);
    if (def->v != NULL) memcpy(c->start + n, def->v, size);
    const sti_instant_shape shape = {.n = s->n, .contact_count = s->contact_count, .tangent_count = s->tangent_count};
    return sti_instant_store_create(s->env, &shape, &c->scratch);
}

sti_status sti_system_create_def(sti_env* env, const sti_system_def* def, sti_system** out) {
    *out = NULL;
    sti_status status = check(env, def);
    if (status != STI_OK) return status;
    const int count = def->contact_count + def->joint_count;
    int* none = sti_alloc_array_zero(env, (size_t)count, sizeof *none);
    if (none == NULL) return STI_ERR_MEMORY;
    const sti_system_shape shape = {.n = def->coordinate_count,
                                    .contact_count = def->contact_count,
                                    .joint_count = def->joint_count,
                                    .coordinates = def->coordinates,
                                    .contacts = def->contact_names,
                                    .tangent_count = def->tangent_count != NULL ? def->tangent_count : none};
    sti_system* s;
    status = sti_system_begin(env, &shape, &s);
    sti_free(env, none);
    if (status != STI_OK) return status;
    s->kind = &kind;
    status = create_inside(s, def);
    if (status == STI_OK) {
        inside(s)->made = true;
        *out = s;
    } else {
        sti_system_destroy(s);
    }
    return status;
}
