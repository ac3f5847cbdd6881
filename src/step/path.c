// path.c: motions in steps as functions of bounded variation.
//
// Integrals of |a - b| are exact: on the union of both meshes the difference is linear in every component, and so is
// split where it changes sign. Distances of graphs are least values of convex functions on segments; segments that
// cannot be nearer than what was found are passed over.
#include <math.h>
#include <stiction/path.h>
#include <string.h>

#include "base/env.h"
#include "linalg/vector.h"

struct sti_path {
    sti_env* env;
    int nq, nv;
    double alpha;
    long count, room;
    double* t;  // (count)
    double* q;  // (count x nq)
    double* v;  // (count x nv)
    double* p;  // sum of normal impulses up to t       (count)
};

sti_status sti_path_create(sti_env* env, int position_count, int velocity_count, double alpha, sti_path** out) {
    *out = NULL;
    if (position_count < 1 || velocity_count < 1)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a path of %d positions and %d velocities: at least one of each",
                        position_count, velocity_count);
    if (!(alpha > 0 && alpha <= 1))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "alpha = %g: a number in (0, 1] is expected", alpha);
    sti_path* path = sti_alloc_array_zero(env, 1, sizeof *path);
    if (path == NULL) return STI_ERR_MEMORY;
    path->env = env;
    path->nq = position_count;
    path->nv = velocity_count;
    path->alpha = alpha;
    *out = path;
    return STI_OK;
}

void sti_path_destroy(sti_path* path) {
    if (path == NULL) return;
    sti_free(path->env, path->t);
    sti_free(path->env, path->q);
    sti_free(path->env, path->v);
    sti_free(path->env, path->p);
    sti_free(path->env, path);
}

static bool grow_one(sti_env* env, double** array, size_t rows, size_t columns) {
    double* grown = sti_realloc_array(env, *array, sti_size_mul(rows, columns), sizeof **array);
    if (grown != NULL) *array = grown;
    return grown != NULL;
}

static bool grow(sti_path* p) {
    const long room = p->room < 64 ? 64 : 2 * p->room;
    const size_t rows = (size_t)room;
    if (!grow_one(p->env, &p->t, rows, 1) || !grow_one(p->env, &p->q, rows, (size_t)p->nq) ||
        !grow_one(p->env, &p->v, rows, (size_t)p->nv) || !grow_one(p->env, &p->p, rows, 1))
        return false;
    p->room = room;
    return true;
}

sti_status sti_path_add(sti_path* path, double t, const double* q, const double* v, double normal) {
    const long k = path->count;
    if (!isfinite(t) || !isfinite(normal) || !sti_vector_is_finite((size_t)path->nq, q) ||
        !sti_vector_is_finite((size_t)path->nv, v))
        return STI_FAIL(path->env, STI_ERR_ARGUMENT, k, "row %ld of a path is not finite", k);
    if (k > 0 && !(t > path->t[k - 1]))
        return STI_FAIL(path->env, STI_ERR_ARGUMENT, k, "t = %g follows on t = %g: times ascend", t, path->t[k - 1]);
    if (k == path->room && !grow(path)) return STI_ERR_MEMORY;
    path->t[k] = t;
    memcpy(path->q + (size_t)k * (size_t)path->nq, q, (size_t)path->nq * sizeof *q);
    memcpy(path->v + (size_t)k * (size_t)path->nv, v, (size_t)path->nv * sizeof *v);
    path->p[k] = normal + (k > 0 ? path->p[k - 1] : 0);
    path->count++;
    return STI_OK;
}

long sti_path_count(const sti_path* path) {
    return path->count;
}

double sti_path_time(const sti_path* path, long row) {
    return path->t[row];
}

const double* sti_path_q(const sti_path* path, long row) {
    return path->q + (size_t)row * (size_t)path->nq;
}

const double* sti_path_v(const sti_path* path, long row) {
    return path->v + (size_t)row * (size_t)path->nv;
}

// Component i of v^(l,alpha).
static double weighted(const sti_path* p, long l, int i) {
    return p->alpha * sti_path_v(p, l + 1)[i] + (1 - p->alpha) * sti_path_v(p, l)[i];
}

void sti_path_measures_add(sti_path_measures* sum, int n, double alpha, double t, const double* v, const double* before,
                           const double* two_before, double normal) {
    double size = 0, change = 0, turn = 0;
    for (int i = 0; i < n; i++) {
        size += v[i] * v[i];
        if (before == NULL) continue;
        change += (v[i] - before[i]) * (v[i] - before[i]);
        if (two_before == NULL) continue;
        const double w = alpha * (v[i] - before[i]) + (1 - alpha) * (before[i] - two_before[i]);
        turn += w * w;
    }
    sum->speed = fmax(sum->speed, sqrt(size));
    sum->variation += sqrt(change);
    sum->weighted_variation += sqrt(turn);
    sum->impulses += normal;
    if (before == NULL || (two_before != NULL && sqrt(change) <= sum->jump)) return;
    sum->jump = sqrt(change);
    sum->jump_time = t;
}

void sti_path_measure(const sti_path* path, sti_path_measures* out) {
    *out = (sti_path_measures){.jump_time = NAN};
    for (long l = 0; l < path->count; l++)
        sti_path_measures_add(out, path->nv, path->alpha, path->t[l], sti_path_v(path, l),
                              l > 0 ? sti_path_v(path, l - 1) : NULL, l > 1 ? sti_path_v(path, l - 2) : NULL, 0);
    if (path->count > 0) out->impulses = path->p[path->count - 1];
}

// ---- differences

// The row l with t[l] <= t, the last but one at most; from *at on, which only ascends.
static long row_at(const sti_path* p, double t, long* at) {
    while (*at + 2 < p->count && p->t[*at + 1] <= t) (*at)++;
    return *at;
}

static double between(const sti_path* p, const double* x, int n, int i, long l, double t) {
    const double a = x[(size_t)l * (size_t)n + (size_t)i];
    if (l + 1 == p->count) return a;
    const double b = x[(size_t)(l + 1) * (size_t)n + (size_t)i], f = (t - p->t[l]) / (p->t[l + 1] - p->t[l]);
    return a + f * (b - a);
}

// Integral over a length h of |d|, d linear from a to b.
static double integral_of_size(double a, double b, double h) {
    if (a * b >= 0) return h * (fabs(a) + fabs(b)) / 2;
    return h * (a * a + b * b) / (2 * (fabs(a) + fabs(b)));
}

// Over one cell of the union of the meshes, from s to t; rows k and l there.
static void add_cell(const sti_path* a, long k, const sti_path* b, long l, double s, double t, sti_path_error* e) {
    for (int i = 0; i < a->nv; i++) {
        e->velocity += integral_of_size(between(a, a->v, a->nv, i, k, s) - between(b, b->v, b->nv, i, l, s),
                                        between(a, a->v, a->nv, i, k, t) - between(b, b->v, b->nv, i, l, t), t - s);
        e->weighted += fabs(weighted(a, k, i) - weighted(b, l, i)) * (t - s);
    }
    e->impulse += integral_of_size(between(a, a->p, 1, 0, k, s) - between(b, b->p, 1, 0, l, s),
                                   between(a, a->p, 1, 0, k, t) - between(b, b->p, 1, 0, l, t), t - s);
}

static void integrate(const sti_path* a, const sti_path* b, double from, double to, sti_path_error* e) {
    long k = 0, l = 0;
    for (double s = from; s < to;) {
        row_at(a, s, &k);
        row_at(b, s, &l);
        double t = to;
        if (a->t[k + 1] > s) t = fmin(t, a->t[k + 1]);
        if (b->t[l + 1] > s) t = fmin(t, b->t[l + 1]);
        add_cell(a, k, b, l, s, t, e);
        s = t;
    }
}

static void compare_positions(const sti_path* a, const sti_path* b, double to, sti_path_error* e) {
    long l = 0;
    for (long k = 0; k < a->count; k++) {
        if (a->t[k] < b->t[0] || a->t[k] > to) continue;
        row_at(b, a->t[k], &l);
        double worst = 0;
        for (int i = 0; i < a->nq; i++)
            worst = fmax(worst, fabs(sti_path_q(a, k)[i] - between(b, b->q, b->nq, i, l, a->t[k])));
        e->position = fmax(e->position, worst);
        e->final = worst;
    }
}

// ---- graphs: max of |t - s| and the components of |v - w(s)|

static double apart(const sti_path* a, long k, const sti_path* b, long l, double f) {
    double worst = fabs(a->t[k] - b->t[l] - f * (b->t[l + 1] - b->t[l]));
    const double *v = sti_path_v(a, k), *w = sti_path_v(b, l), *x = sti_path_v(b, l + 1);
    for (int i = 0; i < a->nv; i++) worst = fmax(worst, fabs(v[i] - w[i] - f * (x[i] - w[i])));
    return worst;
}

// No point of segment l is nearer than this.
static double at_least(const sti_path* a, long k, const sti_path* b, long l) {
    const double *v = sti_path_v(a, k), *w = sti_path_v(b, l), *x = sti_path_v(b, l + 1);
    double bound = fmax(b->t[l] - a->t[k], a->t[k] - b->t[l + 1]);
    for (int i = 0; i < a->nv; i++) bound = fmax(bound, fmax(fmin(w[i], x[i]) - v[i], v[i] - fmax(w[i], x[i])));
    return bound;
}

static double near_on(const sti_path* a, long k, const sti_path* b, long l, double best) {
    if (at_least(a, k, b, l) >= best) return best;
    double low = 0, high = 1;
    best = fmin(best, fmin(apart(a, k, b, l, 0), apart(a, k, b, l, 1)));
    for (int turn = 0; turn < 90; turn++) {
        const double f = low + (high - low) / 3, g = high - (high - low) / 3;
        const double x = apart(a, k, b, l, f), y = apart(a, k, b, l, g);
        best = fmin(best, fmin(x, y));
        if (x < y)
            high = g;
        else
            low = f;
    }
    return best;
}

// Largest distance of a row of a from the graph of b.
static double farthest(const sti_path* a, const sti_path* b, double from, double to) {
    double worst = 0;
    long at = 0;
    for (long k = 0; k < a->count; k++) {
        const double t = a->t[k];
        if (t < from || t > to) continue;
        row_at(b, t, &at);
        double best = INFINITY;
        for (long l = at; l >= 0 && t - b->t[l + 1] < best; l--) best = near_on(a, k, b, l, best);
        for (long l = at + 1; l + 1 < b->count && b->t[l] - t < best; l++) best = near_on(a, k, b, l, best);
        worst = fmax(worst, best);
    }
    return worst;
}

sti_status sti_path_compare(const sti_path* path, const sti_path* reference, sti_path_error* out) {
    *out = (sti_path_error){0};
    if (path->nq != reference->nq || path->nv != reference->nv)
        return STI_FAIL(path->env, STI_ERR_ARGUMENT, -1,
                        "paths of %d and %d positions, %d and %d velocities cannot be compared", path->nq,
                        reference->nq, path->nv, reference->nv);
    if (path->count < 2 || reference->count < 2)
        return STI_FAIL(path->env, STI_ERR_ARGUMENT, -1, "a path of fewer than two rows cannot be compared");
    const double from = fmax(path->t[0], reference->t[0]);
    const double to = fmin(path->t[path->count - 1], reference->t[reference->count - 1]);
    if (!(from < to)) return STI_FAIL(path->env, STI_ERR_ARGUMENT, -1, "the paths have no time in common");
    // the end of one may lie a rounding before that of the other
    compare_positions(path, reference, to + 1e-9 * (to - from), out);
    integrate(path, reference, from, to, out);
    out->graph = fmax(farthest(path, reference, from, to), farthest(reference, path, from, to));
    return STI_OK;
}
