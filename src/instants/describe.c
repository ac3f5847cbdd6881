// describe.c: what an instant is, by counting: freedoms, constraints, redundancy.
#include <math.h>
#include <stiction/instant.h>
#include <string.h>

#include "linalg/svd.h"

typedef struct rows {
    int n, count;
    double* value;  // (capacity x n)
} rows;

// Rows at unit length, so that one scale of rank fits all.
static void put(rows* r, const double* from) {
    double* to = r->value + (size_t)r->count * (size_t)r->n;
    const double size = sti_small_norm(r->n, from);
    for (int j = 0; j < r->n; j++) to[j] = size > 0 ? from[j] / size : 0;
    r->count++;
}

static double rate(const sti_instant* in, const double* row, double offset, double* size) {
    double sum = offset;
    *size = fabs(offset);
    for (int j = 0; j < in->n; j++) {
        sum += row[j] * in->v[j];
        *size += fabs(row[j] * in->v[j]);
    }
    return sum;
}

static void look_at_motion(const sti_instant* in, const sti_instant_contact* c, sti_instant_facts* f) {
    double size, slip = 0, scale = 0;
    const double normal = rate(in, c->n, c->n_offset, &size);
    f->approaching += normal < -1e-9 * size;
    for (int k = 0; k < c->tangent_count; k++) {
        slip = hypot(slip, rate(in, c->t + (size_t)k * (size_t)in->n, c->t_offset != NULL ? c->t_offset[k] : 0, &size));
        scale += size;
    }
    if (c->state == STI_INSTANT_SLIDE || (c->state == STI_INSTANT_BY_VELOCITY && slip > 1e-9 * scale)) f->sliding++;
}

static sti_status rank_of(sti_arena* pool, const rows* r, int* rank) {
    *rank = 0;
    return r->count > 0 ? sti_small_rank(pool, r->count, r->n, r->value, rank) : STI_OK;
}

static sti_status describe(sti_arena* pool, const sti_instant* in, double gap_tol, sti_instant_facts* f) {
    const size_t n = (size_t)in->n, most = n + (size_t)in->contact_count + (size_t)in->tangent_total;
    rows r = {.n = in->n, .value = sti_arena_doubles(pool, most * n)};
    if (r.value == NULL) return pool->status;
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        f->bounded += c->pressed;
        if (c->pressed || !c->bilateral) continue;
        f->joint_count++;
        put(&r, c->n);
    }
    sti_status status = rank_of(pool, &r, &f->joint_rank);
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        if (c->pressed || c->bilateral) continue;
        const bool touches = c->gap <= gap_tol;
        f->touching += touches;
        f->apart += !touches;
        if (!touches) continue;
        put(&r, c->n);
        look_at_motion(in, c, f);
    }
    if (status == STI_OK) status = rank_of(pool, &r, &f->normal_rank);
    for (int i = 0; i < in->contact_count; i++) {
        const sti_instant_contact* c = &in->contacts[i];
        if (c->pressed || (!c->bilateral && !(c->gap <= gap_tol)) || !(c->mu > 0)) continue;
        for (int k = 0; k < c->tangent_count; k++, f->slip_count++) put(&r, c->t + (size_t)k * n);
    }
    if (status == STI_OK) status = rank_of(pool, &r, &f->rank);
    f->normal_redundancy = f->joint_count + f->touching - f->normal_rank;
    f->redundancy = f->joint_count + f->touching + f->slip_count - f->rank;
    // M with its joints, after all else: the rows are written over
    r.count = f->joint_count;
    double largest = sti_small_max(n * n, in->M);
    for (size_t i = 0; i < n; i++, r.count++) {
        for (size_t j = 0; j < n; j++) r.value[(size_t)r.count * n + j] = largest > 0 ? in->M[i * n + j] / largest : 0;
    }
    if (status == STI_OK) status = rank_of(pool, &r, &f->motion_rank);
    if (status == STI_OK) status = sti_small_rank(pool, in->n, in->n, in->M, &f->mass_rank);
    return status;
}

sti_status sti_instant_describe(sti_env* env, const sti_instant* instant, double gap_tol, sti_instant_facts* out) {
    *out = (sti_instant_facts){0};
    sti_status status = sti_instant_check(env, instant);
    if (status != STI_OK) return status;
    sti_arena pool = sti_arena_make(env);
    out->n = instant->n;
    for (int i = 0; i < instant->n; i++) {
        for (int j = 0; j < instant->n; j++)
            out->kinetic +=
                0.5 * instant->v[i] * instant->M[(size_t)i * (size_t)instant->n + (size_t)j] * instant->v[j];
    }
    status = describe(&pool, instant, gap_tol, out);
    sti_arena_clear(&pool);
    return status;
}
