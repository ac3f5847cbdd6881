// navigation.c: the independent check of a recorded run of vehicles in cages, docs/navigation.md.
//
// A step of length h from (q, v) to (q+, v+) with impulses c of the contacts that press claims
//
//     (M - h k_v)(v+ - v) = h k(q, v, t + h) + sum n c,     c > 0,     Phi(q) + h n'v+ = 0 where it presses,
//         q+ = q + h v+
//
// and that no cage enters another one, a wall or an obstacle. Forces come from the formulas of the recording; cages are
// looked at anew, by all their corners and edges, and all pairs of them, whatever the run took for near. Of a contact
// the file has Phi and n: between convex shapes Phi is the distance and n its direction where n separates them by as
// much as they are apart, which needs no division by a gap that is next to nothing.
//
// Cost: O(rows vehicles^2) to see that most pairs are far, O(corners^2) for those that are not.
#include <math.h>
#include <stiction/verify.h>
#include <string.h>

#include "base/env.h"

#define STI_X(code, name, text) name,
static const char* const names[] = {STI_NAVIGATION_CHECK_LIST(STI_X)};
#undef STI_X
#define STI_X(code, name, text) text,
static const char* const texts[] = {STI_NAVIGATION_CHECK_LIST(STI_X)};
#undef STI_X

const char* sti_navigation_check_name(sti_navigation_check_kind kind) {
    return (unsigned)kind < STI_NAVIGATION_CHECK_COUNT ? names[kind] : "?";
}

const char* sti_navigation_check_text(sti_navigation_check_kind kind) {
    return (unsigned)kind < STI_NAVIGATION_CHECK_COUNT ? texts[kind] : "?";
}

typedef struct checker {
    sti_env* env;
    const sti_recorded_navigation* w;
    const sti_navigation* nav;
    double tol, h;
    int walls, obstacles;
    sti_navigation_verification* out;
    double* left;          // of the balance of a step                                 (2 count)
    double* k;             // forces                                                   (2 count)
    double* hull;          // corners of cages that are polygons, one after the other
    int *first, *corners;  // of each cage in it                               (count)
} checker;

// Something went by so much; NAN counts as worst.
static void look(checker* c, sti_navigation_check_kind kind, double by, long step, int vehicle) {
    sti_run_check* k = &c->out->check[kind];
    k->looked++;
    if (by <= k->worst) return;
    k->worst = by;
    k->holds = by <= k->limit;
    if (!k->holds) k->frame = step, k->body = vehicle;
}

// ---- shapes: corners that are joined, or one point with a radius

typedef struct shape {
    sti_outline o;
    double pose[3];
} shape;

static int corners_of(const shape* s) {
    return s->o.vertex_count > 0 ? s->o.vertex_count : 1;
}

static void corner(const shape* s, int i, double p[2]) {
    const double cosine = cos(s->pose[2]), sine = sin(s->pose[2]);
    const double x = s->o.vertex_count > 0 ? s->o.vertices[2 * i] : 0,
                 y = s->o.vertex_count > 0 ? s->o.vertices[2 * i + 1] : 0;
    p[0] = s->pose[0] + cosine * x - sine * y;
    p[1] = s->pose[1] + sine * x + cosine * y;
}

static double radius_of(const shape* s) {
    return s->o.vertex_count > 0 ? 0 : s->o.radius;
}

static shape cage_of(const checker* c, int i, const double* q) {
    shape s = {.o = sti_navigation_cage_outline(c->nav, i), .pose = {q[2 * i], q[2 * i + 1], 0}};
    if (c->corners[i] > 0) s.o.vertices = c->hull + 2 * (ptrdiff_t)c->first[i], s.o.vertex_count = c->corners[i];
    return s;
}

// Corners of the hull of a polygon, counterclockwise: from each the next one that all others are left of.
static int wrap(const sti_outline* o, double* out) {
    const double* p = o->vertices;
    int start = 0, at, count = 0;
    for (int i = 1; i < o->vertex_count; i++) {
        if (p[2 * i] < p[2 * start] || (p[2 * i] == p[2 * start] && p[2 * i + 1] < p[2 * start + 1])) start = i;
    }
    at = start;
    do {
        int next = at == 0 ? 1 : 0;
        memcpy(out + 2 * (ptrdiff_t)count++, p + 2 * (ptrdiff_t)at, 2 * sizeof *out);
        for (int i = 0; i < o->vertex_count; i++) {
            const double d[2] = {p[2 * next] - p[2 * at], p[2 * next + 1] - p[2 * at + 1]};
            const double e[2] = {p[2 * i] - p[2 * at], p[2 * i + 1] - p[2 * at + 1]};
            const double side = d[0] * e[1] - d[1] * e[0];
            if (i != at && (side < 0 || (side == 0 && hypot(e[0], e[1]) > hypot(d[0], d[1])))) next = i;
        }
        at = next;
    } while (at != start && count < o->vertex_count);
    return count;
}

static sti_status make_room(checker* c) {
    const size_t n = (size_t)c->w->count;
    size_t total = 0;
    for (int i = 0; i < c->w->count; i++) total += (size_t)sti_navigation_cage_outline(c->nav, i).vertex_count;
    c->left = sti_alloc_array_zero(c->env, 4 * n, sizeof *c->left);
    c->hull = sti_alloc_array_zero(c->env, 2 * total + 1, sizeof *c->hull);
    c->first = sti_alloc_array_zero(c->env, 2 * n, sizeof *c->first);
    if (c->left == NULL || c->hull == NULL || c->first == NULL) return STI_ERR_MEMORY;
    c->k = c->left + 2 * n;
    c->corners = c->first + n;
    for (int i = 0, at = 0; i < c->w->count; i++) {
        const sti_outline o = sti_navigation_cage_outline(c->nav, i);
        c->first[i] = at;
        if (o.vertex_count > 0) c->corners[i] = wrap(&o, c->hull + 2 * (ptrdiff_t)at);
        at += o.vertex_count;
    }
    return STI_OK;
}

static double to_segment(const double p[2], const double a[2], const double b[2]) {
    const double d[2] = {b[0] - a[0], b[1] - a[1]}, square = d[0] * d[0] + d[1] * d[1];
    const double f = square > 0 ? ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / square : 0;
    const double g = fmin(fmax(f, 0), 1);
    return hypot(p[0] - a[0] - g * d[0], p[1] - a[1] - g * d[1]);
}

// Corners of a against edges of b; negative: one is inside.
static double corners_to(const shape* a, const shape* b) {
    double least = INFINITY;
    for (int i = 0; i < corners_of(a); i++) {
        double p[2], from[2], to[2], d = INFINITY;
        bool inside = false;
        corner(a, i, p);
        corner(b, corners_of(b) - 1, from);
        for (int j = 0; j < corners_of(b); j++, memcpy(from, to, sizeof from)) {
            corner(b, j, to);
            d = fmin(d, to_segment(p, from, to));
            if ((from[1] > p[1]) != (to[1] > p[1]) &&
                p[0] < from[0] + (p[1] - from[1]) / (to[1] - from[1]) * (to[0] - from[0]))
                inside = !inside;
        }
        least = fmin(least, inside ? -d : d);
    }
    return least;
}

static double apart(const shape* a, const shape* b) {
    return fmin(corners_to(a, b), corners_to(b, a)) - radius_of(a) - radius_of(b);
}

static double from_wall(const checker* c, const shape* a, int wall, double n[2]) {
    double point[2], least = INFINITY;
    sti_navigation_wall(c->nav, wall, point, n);
    for (int i = 0; i < corners_of(a); i++) {
        double p[2];
        corner(a, i, p);
        least = fmin(least, n[0] * (p[0] - point[0]) + n[1] * (p[1] - point[1]));
    }
    return least - radius_of(a);
}

// By how much n separates a from the edge of b (or from all of it, edge < 0): a lower bound of their distance.
static double separates(const shape* a, const shape* b, int edge, const double n[2]) {
    double low = INFINITY, high = -INFINITY;
    const int count = corners_of(b);
    for (int i = 0; i < corners_of(a); i++) {
        double p[2];
        corner(a, i, p);
        low = fmin(low, n[0] * p[0] + n[1] * p[1]);
    }
    for (int i = 0; i < count; i++) {
        double p[2];
        if (edge >= 0 && i != edge && i != (edge + 1) % count) continue;
        corner(b, i, p);
        high = fmax(high, n[0] * p[0] + n[1] * p[1]);
    }
    return low - high - radius_of(a) - radius_of(b);
}

static double to_edge(const shape* a, const shape* b, int edge) {
    double ends[4];
    corner(b, edge, ends);
    corner(b, (edge + 1) % corners_of(b), ends + 2);
    const shape one = {.o = {.vertex_count = 2, .vertices = ends}};
    return apart(a, &one);
}

// ---- one contact

static shape obstacle_of(const checker* c, int k) {
    shape s;
    s.o = sti_navigation_obstacle(c->nav, k, s.pose);
    return s;
}

// How far the recorded gap and normal are from those of the shapes.
static double contact_defect(const checker* c, const shape* a, int other, const double* q, double gap,
                             const double n[2]) {
    if (other < 0 && -1 - other < c->walls) {
        double m[2];
        const double d = from_wall(c, a, -1 - other, m);
        const double size = hypot(m[0], m[1]);
        return fmax(fabs(d / size - gap), hypot(n[0] - m[0] / size, n[1] - m[1] / size));
    }
    if (other >= 0) {
        const shape b = cage_of(c, other, q);
        return fmax(fabs(apart(a, &b) - gap), fabs(separates(a, &b, -1, n) - gap));
    }
    const shape b = obstacle_of(c, -1 - other - c->walls);
    double best = INFINITY;
    if (b.o.vertex_count == 0) return fmax(fabs(apart(a, &b) - gap), fabs(separates(a, &b, -1, n) - gap));
    for (int e = 0; e < b.o.vertex_count; e++)
        best = fmin(best, fmax(fabs(to_edge(a, &b, e) - gap), fabs(separates(a, &b, e, n) - gap)));
    return best;
}

// The contacts of a step, which begin at row `at` of the recording; their impulses go to the balance.
static void check_contacts(checker* c, long step, long at) {
    const sti_recorded_navigation* w = c->w;
    const double *q = w->q + (step - 1) * 2 * w->count, *v = w->v + step * 2 * w->count;
    for (long k = at; k < at + (long)w->pressing[step]; k++) {
        const int i = (int)w->pair[2 * k], other = (int)w->pair[2 * k + 1];
        const double *x = w->contact + 4 * k, *n = x + 1;
        const double size = sti_navigation_cage(c->nav, i) + (other >= 0 ? sti_navigation_cage(c->nav, other) : 0);
        const shape a = cage_of(c, i, q);
        look(c, STI_NAVIGATION_SIGN, fmax(x[3] > 0 ? 0 : INFINITY, fabs(hypot(n[0], n[1]) - 1)), step, i);
        look(c, STI_NAVIGATION_CONTACT, contact_defect(c, &a, other, q, x[0], n) / size, step, i);
        double rate = n[0] * v[2 * i] + n[1] * v[2 * i + 1];
        for (int j = 0; j < 2; j++) c->left[2 * i + j] -= n[j] * x[3];
        if (other >= 0) {
            rate -= n[0] * v[2 * other] + n[1] * v[2 * other + 1];
            for (int j = 0; j < 2; j++) c->left[2 * other + j] += n[j] * x[3];
        }
        look(c, STI_NAVIGATION_CLOSED, fabs(x[0] + c->h * rate) / size, step, i);
    }
}

// ---- one step

// (M - h k_v)(v+ - v) - h k, before contacts.
static sti_status begin_balance(checker* c, long step, double* scale) {
    const sti_recorded_navigation* w = c->w;
    const ptrdiff_t row = 2 * (ptrdiff_t)w->count;
    const double *q = w->q + (step - 1) * row, *v = w->v + (step - 1) * row, *u = v + row;
    *scale = 0;
    for (int i = 0; i < w->count; i++) {
        double k_v[4], mass, *k = c->k + 2 * i;
        const sti_status status =
            sti_navigation_force(c->nav, i, (double)step * c->h, q + 2 * i, v + 2 * i, k, k_v, &mass);
        if (status != STI_OK) return status;
        const double d[2] = {u[2 * i] - v[2 * i], u[2 * i + 1] - v[2 * i + 1]};
        for (int j = 0; j < 2; j++)
            c->left[2 * i + j] = mass * d[j] - c->h * (k_v[2 * j] * d[0] + k_v[2 * j + 1] * d[1] + k[j]);
        *scale = fmax(*scale, mass * fmax(hypot(v[2 * i], v[2 * i + 1]), hypot(u[2 * i], u[2 * i + 1])) +
                                  c->h * hypot(k[0], k[1]));
    }
    return STI_OK;
}

// The least gap of all pairs after a step, in length and in parts of cages.
static double check_apart(checker* c, long step) {
    const int n = c->w->count;
    const double* q = c->w->q + step * 2 * n;
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
        const shape a = cage_of(c, i, q);
        const double size = sti_navigation_cage(c->nav, i);
        double own = INFINITY, m[2];
        for (int k = 0; k < c->walls; k++) {
            const double d = from_wall(c, &a, k, m);
            own = fmin(own, d / hypot(m[0], m[1]));
        }
        for (int k = 0; k < c->obstacles; k++) {
            const shape b = obstacle_of(c, k);
            own = fmin(own, apart(&a, &b));
        }
        for (int j = 0; j < i; j++) {
            const double far = hypot(q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1]);
            if (far - size - sti_navigation_cage(c->nav, j) > fmin(own, least)) continue;
            const shape b = cage_of(c, j, q);
            own = fmin(own, apart(&a, &b));
        }
        look(c, STI_NAVIGATION_APART, fmax(-own, 0) / size, step, i);
        least = fmin(least, own);
    }
    return least;
}

static void check_motion(checker* c, long step) {
    const sti_recorded_navigation* w = c->w;
    const ptrdiff_t row = 2 * (ptrdiff_t)w->count;
    const double *q = w->q + step * row, *v = w->v + step * row;
    for (int i = 0; i < 2 * w->count; i++) {
        const double off = fabs(q[i] - q[i - row] - c->h * v[i]) / (sti_navigation_cage(c->nav, i / 2) + fabs(q[i]));
        look(c, STI_NAVIGATION_MOTION, off, step, i / 2);
    }
}

// The end: is it at rest, in balance?
static void judge_rest(checker* c, long step, long at) {
    const sti_recorded_navigation* w = c->w;
    const double* v = w->v + step * 2 * w->count;
    double most = 0, worst = 0;
    for (int i = 0; i < w->count; i++) {
        if (c->h * hypot(v[2 * i], v[2 * i + 1]) > 1e-9 * sti_navigation_cage(c->nav, i)) return;
        most = fmax(most, hypot(c->k[2 * i], c->k[2 * i + 1]));
    }
    c->out->at_rest = true;
    for (long k = at; k < at + (long)w->pressing[step]; k++) {
        const int i = (int)w->pair[2 * k], other = (int)w->pair[2 * k + 1];
        for (int j = 0; j < 2; j++) {
            c->k[2 * i + j] += w->contact[4 * k + 1 + j] * w->contact[4 * k + 3] / c->h;
            if (other >= 0) c->k[2 * other + j] -= w->contact[4 * k + 1 + j] * w->contact[4 * k + 3] / c->h;
        }
    }
    for (int i = 0; i < w->count; i++) worst = fmax(worst, hypot(c->k[2 * i], c->k[2 * i + 1]));
    c->out->balance = most > 0 ? worst / most : 0;
}

static sti_status check_step(checker* c, long step, long at) {
    const sti_recorded_navigation* w = c->w;
    double scale;
    look(c, STI_NAVIGATION_ORDER, fabs(w->time[step] / c->h - (double)step) / (double)step, step, -1);
    check_motion(c, step);
    sti_status status = begin_balance(c, step, &scale);
    if (status != STI_OK) return status;
    check_contacts(c, step, at);
    for (int i = 0; i < 2 * w->count; i++)
        look(c, STI_NAVIGATION_BALANCE, scale > 0 ? fabs(c->left[i]) / scale : fabs(c->left[i]), step, i / 2);
    const double least = check_apart(c, step), told = w->least_gap[step];
    c->out->least_gap = fmin(c->out->least_gap, least);
    if (told != 0) look(c, STI_NAVIGATION_LEAST, fmax(least - told, 0) / sti_navigation_cage(c->nav, 0), step, -1);
    if (step == w->rows - 1) judge_rest(c, step, at);
    return STI_OK;
}

static sti_status check_given(const checker* c) {
    const sti_recorded_navigation* w = c->w;
    if (sti_navigation_count(c->nav) != w->count)
        return STI_FAIL(c->env, STI_ERR_ARGUMENT, -1, "recording of %d vehicles, and the scene has %d", w->count,
                        sti_navigation_count(c->nav));
    for (long k = 0; k < w->total; k++) {
        if (w->pair[2 * k + 1] < -(double)c->walls - (double)c->obstacles)
            return STI_FAIL(c->env, STI_ERR_ARGUMENT, k, "pressing/pair: row %ld: %g: %d walls and %d obstacles", k,
                            w->pair[2 * k + 1], c->walls, c->obstacles);
    }
    return STI_OK;
}

sti_status sti_verify_recorded_navigation(sti_env* env, const sti_recorded_navigation* w, const sti_navigation* nav,
                                          double tol, sti_navigation_verification* out) {
    checker c = {.env = env,
                 .w = w,
                 .nav = nav,
                 .tol = tol > 0 ? tol : 1e-6,
                 .h = sti_navigation_step_length(nav),
                 .walls = sti_navigation_wall_count(nav),
                 .obstacles = sti_navigation_obstacle_count(nav),
                 .out = out};
    *out = (sti_navigation_verification){.least_gap = INFINITY, .balance = NAN};
    for (int k = 0; k < STI_NAVIGATION_CHECK_COUNT; k++)
        out->check[k] = (sti_run_check){.holds = true, .limit = c.tol, .frame = -1, .body = -1};
    // what is no matter of how a step was solved
    out->check[STI_NAVIGATION_ORDER].limit = out->check[STI_NAVIGATION_MOTION].limit = 1e-12;
    out->check[STI_NAVIGATION_APART].limit = out->check[STI_NAVIGATION_SIGN].limit = 1e-12;
    out->check[STI_NAVIGATION_CLOSED].limit = 2 * c.tol;  // crowds keep a millionth of a cage, up to one half of it
    sti_status status = check_given(&c);
    if (status == STI_OK) status = make_room(&c);
    for (int i = 0; status == STI_OK && i < 2 * w->count; i++) {
        const double off = fmax(fabs(w->q[i] - sti_navigation_q(nav)[i]), fabs(w->v[i] - sti_navigation_v(nav)[i]));
        look(&c, STI_NAVIGATION_ORDER, fmax(off, fabs(w->time[0])), 0, i / 2);
    }
    long at = (long)w->pressing[0];
    for (long l = 1; status == STI_OK && l < w->rows && !sti_late(env); l++) {
        status = check_step(&c, l, at);
        at += (long)w->pressing[l];
    }
    if (status == STI_OK && sti_late(env)) status = STI_FAIL(env, STI_ERR_TIME, -1, "check of a run: no time is left");
    out->accepted = true;
    for (int k = 0; k < STI_NAVIGATION_CHECK_COUNT; k++) out->accepted = out->accepted && out->check[k].holds;
    sti_free(env, c.left);
    sti_free(env, c.hull);
    sti_free(env, c.first);
    return status;
}
