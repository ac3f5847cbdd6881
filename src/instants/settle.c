// settle.c: velocities as a step leaves them, made such that one can ask what lasts.
//
// A step ends with velocities that hold joints and closed contacts up to its tolerance, and joints up to its order,
// since it asks for them at its middle. Analyses ask whether a gap rate or a slip IS zero: to them a rate of 1e-9 is an
// impact, or a contact that slides along some direction that rounding chose. Here v' is the nearest velocity, in the
// norm of the diagonal of M, with
//
//     n'v' + n_offset = 0   for joints, and for closed contacts whose gap rate was small,
//     t v' + t_offset = 0   for contacts with friction whose slip was small,
//
// by least squares of least norm: rows may repeat each other. A rate is small when it is at most rate_tol times the sum
// of the sizes of its terms, or `floor`; of a contact that is said to stick it is taken for small.
#include <math.h>
#include <stiction/instant.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/lapack.h"

typedef struct rows {
    int n, count;
    double* value;   // row major (capacity x n)
    double* offset;  // (capacity)
} rows;

static double rate_of(const sti_instant* in, const double* row, double offset, double* size) {
    double sum = offset;
    *size = fabs(offset);
    for (int j = 0; j < in->n; j++) {
        sum += row[j] * in->v[j];
        *size += fabs(row[j] * in->v[j]);
    }
    return sum;
}

static void put(rows* r, const double* row, double offset) {
    memcpy(r->value + (size_t)r->count * (size_t)r->n, row, (size_t)r->n * sizeof *row);
    r->offset[r->count++] = offset;
}

static double offset_of(const sti_instant_contact* c, int k) {
    return c->t_offset != NULL ? c->t_offset[k] : 0;
}

// Is this a contact that all but sticks? Then its rows are taken.
static bool take_slip(const sti_instant* in, const sti_instant_contact* c, const sti_settle_options* o, rows* r,
                      sti_instant_settled* told) {
    double slip[2] = {0, 0}, size, terms = 0;
    if (c->tangent_count == 0 || !(c->mu > 0)) return false;
    for (int k = 0; k < c->tangent_count; k++) {
        slip[k] = rate_of(in, c->t + (size_t)k * (size_t)in->n, offset_of(c, k), &size);
        terms += size;
    }
    const double all = hypot(slip[0], slip[1]);
    if (c->state != STI_INSTANT_STICK && all > fmax(o->rate_tol * terms, o->floor)) return false;
    for (int k = 0; k < c->tangent_count; k++) put(r, c->t + (size_t)k * (size_t)in->n, offset_of(c, k));
    told->sticks++;
    told->slip = fmax(told->slip, all);
    return true;
}

static bool take_contact(const sti_instant* in, const sti_instant_contact* c, const sti_settle_options* o, rows* r,
                         sti_instant_settled* told) {
    double size;
    if (c->pressed) return take_slip(in, c, o, r, told);
    const double rate = rate_of(in, c->n, c->n_offset, &size);
    const bool small = fabs(rate) <= fmax(o->rate_tol * size, o->floor);
    if (!c->bilateral && (c->gap > o->gap_tol || !small)) return false;
    put(r, c->n, c->n_offset);
    double* worst = c->bilateral ? &told->joint_rate : &told->gap_rate;
    *worst = fmax(*worst, fabs(rate));
    told->lasts += !c->bilateral;
    return take_slip(in, c, o, r, told);
}

// v' - v = D^-1/2 x, x of least norm with (rows D^-1/2) x = -(rows v + offset). Rows that repeat each other do so up to
// errors of the places they were taken at, so a rank is told with room for those.
static sti_status project(sti_arena* pool, const sti_instant* in, const rows* r, double* v) {
    const int m = r->count, n = r->n, most = m > n ? m : n, room = sti_lapack_least_squares_room(m, n);
    double *scale = sti_arena_doubles(pool, (size_t)n), *a = sti_arena_doubles(pool, (size_t)m * (size_t)n),
           *b = sti_arena_doubles(pool, (size_t)most), *work = sti_arena_doubles(pool, (size_t)room);
    int *pivot = sti_arena_ints(pool, (size_t)n), rank;
    if (pool->status != STI_OK) return pool->status;
    sti_status status = sti_lapack_reserve(pool->env);
    if (status != STI_OK) return status;
    for (int j = 0; j < n; j++) {
        const double mass = in->M[(size_t)j * (size_t)n + (size_t)j];
        scale[j] = mass > 0 ? 1 / sqrt(mass) : 1;
    }
    for (int i = 0; i < m; i++) {
        const double* row = r->value + (size_t)i * (size_t)n;
        b[i] = -r->offset[i];
        for (int j = 0; j < n; j++) {
            b[i] -= row[j] * v[j];
            a[(size_t)j * (size_t)m + (size_t)i] = row[j] * scale[j];
        }
    }
    const int end = sti_lapack_least_squares(m, n, a, b, most, pivot, 1e-7, &rank, work, room);
    if (end != STI_LAPACK_DONE) return sti_lapack_status(pool->env, end, "velocities that fit the contacts");
    for (int j = 0; j < n; j++) v[j] += scale[j] * b[j];
    return STI_OK;
}

// Rows that contradict each other by an error of a place leave a rate; its surface takes that over.
static double left_of(const sti_instant* in, const sti_instant_contact* c) {
    double size;
    return rate_of(in, c->n, c->n_offset, &size);
}

static sti_status settle(sti_arena* pool, const sti_instant* in, const sti_settle_options* o, double* v, bool* sticks,
                         bool* lasts, sti_instant_settled* told) {
    const size_t n = (size_t)in->n, most = (size_t)in->contact_count + (size_t)in->tangent_total;
    rows r = {.n = in->n, .value = sti_arena_doubles(pool, most * n + 1), .offset = sti_arena_doubles(pool, most + 1)};
    if (pool->status != STI_OK) return pool->status;
    for (int i = 0; i < in->contact_count; i++) {
        const int before = told->lasts;
        sticks[i] = take_contact(in, &in->contacts[i], o, &r, told);
        lasts[i] = told->lasts > before;
    }
    memcpy(v, in->v, n * sizeof *v);
    sti_status status = STI_OK;
    // what the first solution leaves is rounding of its size; the second takes it out
    for (int pass = 0; pass < 2 && r.count > 0 && status == STI_OK; pass++) status = project(pool, in, &r, v);
    for (size_t j = 0; j < n; j++) told->change = fmax(told->change, fabs(v[j] - in->v[j]));
    return status;
}

sti_settle_options sti_settle_options_default(void) {
    return (sti_settle_options){.gap_tol = 1e-8, .rate_tol = 1e-6};
}

sti_status sti_instant_settle(sti_env* env, const sti_instant* instant, const sti_settle_options* options,
                              sti_instant_settled* told, sti_instant** out) {
    const sti_settle_options usual = sti_settle_options_default(), *o = options != NULL ? options : &usual;
    sti_instant_settled room;
    *out = NULL;
    if (told == NULL) told = &room;
    *told = (sti_instant_settled){0};
    sti_status status = sti_instant_check(env, instant);
    if (status != STI_OK) return status;
    if (!(o->gap_tol >= 0 && o->rate_tol >= 0 && o->floor >= 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "settle: tolerances %g, %g, %g: none may be negative", o->gap_tol,
                        o->rate_tol, o->floor);
    sti_arena pool = sti_arena_make(env);
    double* v = sti_arena_doubles(&pool, (size_t)instant->n);
    bool* sticks = sti_arena_take(&pool, (size_t)instant->contact_count + 1, sizeof *sticks);
    bool* lasts = sti_arena_take(&pool, (size_t)instant->contact_count + 1, sizeof *lasts);
    status = pool.status;
    if (status == STI_OK) status = settle(&pool, instant, o, v, sticks, lasts, told);
    if (status == STI_OK) status = sti_instant_copy(env, instant, v, out);
    for (int i = 0; status == STI_OK && i < instant->contact_count; i++) {
        sti_instant_contact* c = (sti_instant_contact*)&(*out)->contacts[i];  // of the copy, which is ours
        if (sticks[i] && c->state == STI_INSTANT_BY_VELOCITY) c->state = STI_INSTANT_STICK;
        if (lasts[i]) c->n_offset -= left_of(*out, c);
    }
    sti_arena_clear(&pool);
    return status;
}
