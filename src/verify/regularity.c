// regularity.c: the set S = { q : h_i(q) >= 0 for all gaps } is prox-regular around q: S0 section 3.2 before
// proposition 8, by the theorem of Adly, Nacry and Thibault (2016), with its data.
//
// Let |v| = 1, and let for all x within R of q, and all gaps that may be 0 there,
//
//     grad h_i(x)'v >= delta > 0                 Hess h_i(x) <= gamma 1,   gamma >= 0
//
// A unit normal of S at x is z = -sum l_i grad h_i(x), l_i >= 0 over the gaps that are 0 at x: the first condition is
// the MFCQ there. It gives delta sum l_i <= -z'v <= 1. For y in S, h_i(y) >= 0 = h_i(x) and Taylor's formula along the
// segment give grad h_i(x)'(y - x) >= -gamma |y - x|^2 / 2. So, for all x, y in S within R of q,
//
//     z'(y - x)  <=  |y - x|^2 / (2 r),      r = delta / gamma.
//
// That is prox-regularity with constant r: normal and tangent cones are those of Clarke, each the polar of the other.
// Gaps count by their sets alone: each is divided by |grad h_i(q)|. Both numbers are found over the box around the
// ball, by affine arithmetic rounded outward, eigenvalues by Gershgorin's discs; v is the nearest point to 0 of the
// hull of the gradients at q, any v would do. R: the one with the largest min(R, r) among powers of 2 and what lies
// between the best and the next.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stiction/sticking.h>
#include <string.h>

#include "base/arena.h"
#include "verify/jet.h"

enum { LARGEST = 10, SMALLEST = -30, BETWEEN = 4, ROUNDS = 3000 };
#define UP (1 + 0x1p-40)  // more than sums of 40 terms round by
#define DOWN (1 - 0x1p-40)

typedef sti_affine num;

typedef struct search {
    sti_env* env;
    const sti_system_text* text;
    const double* q;
    double t;
    int n, count;  // coordinates, gaps
    sti_affine_room room;
    sti_jet_reader reader;
    num *at, *parameters;
    double* gradient;  // at q, of length 1           (count x n)
    double* scale;     // 1 / |grad h_i(q)|           (count)
    bool* taken;       // may be 0 within R           (count)
    double *v, *x;     // (n)
    double* best;      // (n)
} search;

// ---- one radius

typedef struct trial {
    double radius, opening, bend, constant;
    int gaps;
} trial;

// Coordinates in the box of half width R around q; R = 0: q itself.
static void place(search* s, double R) {
    s->room = (sti_affine_room){.n = R > 0 ? s->n : 0};
    s->reader.unable = false;
    for (int j = 0; j < 2 * s->n + 1; j++) s->at[j] = sti_affine_number(j < s->n ? s->q[j] : j < 2 * s->n ? 0 : s->t);
    for (int j = 0; R > 0 && j < s->n; j++) s->at[j].a[j] = R;
}

static const sti_jet* read(search* s, int i, int order) {
    s->reader.order = order;
    return sti_jet_of(&s->reader, s->text->contacts[i].gap);
}

// Upper bound of the eigenvalues.
static double largest_eigenvalue(const search* s, const sti_jet* h) {
    double most = -INFINITY;
    for (int j = 0; j < s->n; j++) {
        double sum = 0;
        for (int k = 0; k < s->n; k++) {
            const num* x = h->h[j > k ? j * (j + 1) / 2 + k : k * (k + 1) / 2 + j];
            if (x == NULL) continue;
            const double high = sti_affine_high(&s->room, x), low = sti_affine_low(&s->room, x);
            sum += j == k ? high : fmax(fabs(high), fabs(low));
        }
        most = fmax(most, sum + fabs(sum) * (UP - 1));
    }
    return most;
}

// Lower bound of grad h'v.
static double least_opening(search* s, const sti_jet* h) {
    num sum = sti_affine_number(0);
    for (int j = 0; j < s->n; j++) {
        if (h->d[j] == NULL) continue;
        const num part = sti_affine_scale(&s->room, h->d[j], s->v[j]);
        sum = sti_affine_add(&s->room, &sum, &part, 1);
    }
    return sti_affine_low(&s->room, &sum);
}

// Which gaps may be 0 within R. False: one of them is not known there.
static bool find_taken(search* s, double R, trial* out) {
    place(s, R);
    for (int i = 0; i < s->count; i++) {
        const sti_jet* h = read(s, i, 0);
        if (h == NULL) return false;
        s->taken[i] = sti_affine_low(&s->room, h->v) <= 0;
        out->gaps += s->taken[i];
    }
    return true;
}

// v: nearest point to 0 of the hull of the gradients of these gaps, by Frank and Wolfe's steps. False: 0 itself.
static bool choose_direction(search* s) {
    const int n = s->n;
    int first = 0;
    while (!s->taken[first]) first++;
    memcpy(s->x, s->gradient + (size_t)first * (size_t)n, (size_t)n * sizeof *s->x);
    for (int round = 0; round < ROUNDS; round++) {
        double least = INFINITY, square = 0, length = 0;
        const double* g = NULL;
        for (int i = 0; i < s->count; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++) sum += s->gradient[i * n + j] * s->x[j];
            if (!s->taken[i] || !(sum < least)) continue;
            least = sum;
            g = s->gradient + (size_t)i * (size_t)n;
        }
        for (int j = 0; j < n; j++) {
            square += s->x[j] * s->x[j];
            length += (s->x[j] - g[j]) * (s->x[j] - g[j]);
        }
        if (square - least <= 1e-14 || !(length > 0)) break;
        const double step = fmin(1, (square - least) / length);
        for (int j = 0; j < n; j++) s->x[j] += step * (g[j] - s->x[j]);
    }
    double size = 0;
    for (int j = 0; j < n; j++) size = hypot(size, s->x[j]);
    for (int j = 0; j < n; j++) s->v[j] = size > 0 ? s->x[j] / size * DOWN : 0;  // |v| <= 1
    return size > 1e-9;
}

// False: nothing is proved with this R.
static bool attempt(search* s, double R, trial* out) {
    *out = (trial){.radius = R, .opening = INFINITY, .constant = INFINITY};
    if (!find_taken(s, R, out)) return false;
    if (out->gaps == 0) return true;
    if (!choose_direction(s)) return false;
    for (int i = 0; i < s->count; i++) {
        if (!s->taken[i]) continue;
        const sti_jet* h = read(s, i, 2);
        if (h == NULL) return false;
        out->opening = fmin(out->opening, least_opening(s, h) * s->scale[i]);
        out->bend = fmax(out->bend, largest_eigenvalue(s, h) * s->scale[i] * UP);
    }
    out->opening *= DOWN;
    if (!(out->opening > 0) || !isfinite(out->bend)) return false;
    out->constant = out->bend > 0 ? out->opening / out->bend * DOWN : INFINITY;
    return true;
}

// ---- the search

static sti_status open_search(search* s, sti_arena* pool) {
    const size_t n = (size_t)s->n, count = (size_t)s->count;
    s->at = sti_arena_take(pool, 2 * n + 1, sizeof *s->at);
    s->parameters = sti_arena_take(pool, (size_t)s->text->parameter_count + 1, sizeof *s->parameters);
    s->gradient = sti_arena_doubles(pool, count * n + 1);
    s->scale = sti_arena_doubles(pool, count + 1);
    s->taken = sti_arena_take(pool, count + 1, sizeof *s->taken);
    s->v = sti_arena_doubles(pool, n + 1);
    s->x = sti_arena_doubles(pool, n + 1);
    s->best = sti_arena_doubles(pool, n + 1);
    if (pool->status != STI_OK) return pool->status;
    for (int i = 0; i < s->text->parameter_count; i++) s->parameters[i] = sti_affine_number(s->text->parameters[i]);
    s->reader = (sti_jet_reader){.arena = sti_arena_make(s->env),
                                 .k = &s->room,
                                 .n = 2 * s->n + 1,
                                 .text = s->text,
                                 .parameters = s->parameters,
                                 .at = s->at};
    return STI_OK;
}

// Gradients at q. False: why says what is in the way.
static bool read_gradients(search* s, sti_gap_regularity* out) {
    place(s, 0);
    for (int i = 0; i < s->count; i++) {
        const sti_jet* h = read(s, i, 1);
        double* g = s->gradient + (size_t)i * (size_t)s->n;
        double size = 0;
        if (h == NULL) {
            snprintf(out->why, sizeof out->why, "contact %d: its gap is not known with two derivatives here", i);
            return false;
        }
        for (int j = 0; j < s->n; j++) {
            g[j] = h->d[j] != NULL ? h->d[j]->c : 0;
            size = hypot(size, g[j]);
        }
        s->scale[i] = size > 0 ? 1 / size : 1;
        for (int j = 0; j < s->n; j++) g[j] *= s->scale[i];
        if (h->v->c < -1e-9 * (1 + fabs(h->v->c))) {
            snprintf(out->why, sizeof out->why, "contact %d overlaps by %.3g: q is not in the set", i, -h->v->c);
            return false;
        }
    }
    return true;
}

static void keep_best(search* s, const trial* t, trial* best) {
    if (!(fmin(t->radius, t->constant) > fmin(best->radius, best->constant))) return;
    *best = *t;
    memcpy(s->best, s->v, (size_t)s->n * sizeof *s->best);
}

static trial look(search* s) {
    trial best = {0}, t;
    for (int k = LARGEST; k >= SMALLEST; k--) {
        const double R = ldexp(1, k);
        if (R < fmin(best.radius, best.constant)) break;  // min(R, r) cannot be better
        if (attempt(s, R, &t)) keep_best(s, &t, &best);
    }
    const double from = best.radius;
    for (int k = 1; from > 0 && from < ldexp(1, LARGEST) && k < BETWEEN; k++) {
        if (attempt(s, from * (1 + (double)k / BETWEEN), &t)) keep_best(s, &t, &best);
    }
    return best;
}

static const char* hindrance(const search* s) {
    return s->text == NULL            ? "only formulas that were read from a file can be enclosed"
           : s->text->joint_count > 0 ? "there are joints: the theorem is for inequalities"
           : s->count == 0            ? "there is no contact"
           : s->n > STI_DOUBTS_MOST   ? "more coordinates than are enclosed at once"
                                      : NULL;
}

sti_status sti_gap_regularity_find(sti_env* env, const sti_system* system, double t, const double* q,
                                   sti_gap_regularity* out) {
    *out = (sti_gap_regularity){0};
    search s = {.env = env, .text = sti_system_text_of(system), .q = q, .t = t};
    if (s.text != NULL) {
        s.n = s.text->coordinate_count;
        s.count = s.text->contact_count;
    }
    const char* why = hindrance(&s);
    if (why != NULL) {
        snprintf(out->why, sizeof out->why, "%s", why);
        return STI_OK;
    }
    sti_arena pool = sti_arena_make(env);
    sti_status status = open_search(&s, &pool);
    if (status == STI_OK && read_gradients(&s, out)) {
        const trial best = look(&s);
        out->found = best.radius > 0;
        out->gaps = best.gaps;
        out->radius = best.radius;
        out->opening = best.opening;
        out->bend = best.bend;
        out->constant = best.constant;
        if (!out->found) snprintf(out->why, sizeof out->why, "no motion is seen to open all gaps that touch at once");
        out->v = out->found ? sti_alloc_array(env, (size_t)s.n, sizeof *out->v) : NULL;
        if (out->found && out->v == NULL)
            status = STI_ERR_MEMORY;
        else if (out->found)
            memcpy(out->v, s.best, (size_t)s.n * sizeof *out->v);
    }
    if (status == STI_OK) status = s.reader.arena.status;
    sti_arena_clear(&s.reader.arena);
    sti_arena_clear(&pool);
    if (status != STI_OK) sti_gap_regularity_clear(env, out);
    return status;
}

void sti_gap_regularity_clear(sti_env* env, sti_gap_regularity* r) {
    sti_free(env, r->v);
    *r = (sti_gap_regularity){0};
}
