// friction_newton.c: the last digits of the least coefficient of friction.
//
// Newton's method on the optimality conditions of what friction.c looks for. With active bounds g_i =
// |lambda_t,i| - k w_i lambda_n,i = 0 (and lambda_n,j = 0), family coordinates s and multipliers v:
//
//     sum_i v_i dg_i/ds = 0,    sum_i v_i w_i lambda_n,i = 1,    g_i = 0.
//
// A contact at the apex of its cone has all its components zero, each an equation with a multiplier of either sign.
//
// Which bounds are active is read off the point found so far; multipliers start from least squares, and bounds with
// negative ones are let go. What comes out replaces the point only when it meets the conditions better.
#include <math.h>
#include <string.h>

#include "linalg/lapack.h"
#include "sticking/friction.h"

enum { NEWTON_ROUNDS = 12 };

typedef struct newton {
    const sti_quest* q;
    const sti_cone_program* g;
    int k, m, size;    // family coordinates, active bounds, unknowns k + 1 + m
    int* contact;      // of each active bound
    int* component;    // -1: g_i; otherwise this component of lambda is zero
    bool* apex;        // with a multiplier of either sign
    double* lambda;    // (p)
    double* residual;  // (size)
    double* J;         // column major, as LAPACK takes it (size x size)
    double* s;         // (k)
    double* v;         // (m)
    double kappa;
} newton;

static const double* direction(const newton* w, int l) {
    return w->g->basis + (size_t)l * (size_t)w->g->size + w->q->s->n;
}

static void place(newton* w) {
    const sti_posed* s = w->q->s;
    memcpy(w->lambda, w->g->start + s->n, (size_t)s->p * sizeof *w->lambda);
    for (int l = 0; l < w->k; l++)
        for (int j = 0; j < s->p; j++) w->lambda[j] += w->s[l] * direction(w, l)[j];
}

// Gradient of bound b over the family coordinates, its value, and lambda_n times w.
static double bound(const newton* w, int b, double* gradient, double* normal) {
    const sti_quest* q = w->q;
    const int i = w->contact[b], at = q->s->first[i], tangents = q->s->tangents[i];
    const int side = q->s->bilateral[i] ? q->sign[i] : 1;
    const double* r = w->lambda + at;
    double t = 0;
    for (int h = 1; h <= tangents; h++) t = hypot(t, r[h]);
    const bool friction = w->component[b] < 0;
    *normal = friction ? q->weight[i] * side * r[0] : 0;
    for (int l = 0; l < w->k; l++) {
        const double* e = direction(w, l) + at;
        double sum = friction ? -w->kappa * q->weight[i] * side * e[0] : -side * e[w->component[b]];
        for (int h = 1; friction && t > 0 && h <= tangents; h++) sum += r[h] / t * e[h];
        gradient[l] = sum;
    }
    return friction ? t - w->kappa * *normal : -side * r[w->component[b]];
}

// Second derivative of |lambda_t| along family directions l and h.
static double curvature(const newton* w, int b, int l, int h) {
    const int i = w->contact[b], at = w->q->s->first[i];
    if (w->component[b] >= 0 || w->q->s->tangents[i] < 2) return 0;
    const double *r = w->lambda + at, *e = direction(w, l) + at, *f = direction(w, h) + at;
    const double t = hypot(r[1], r[2]);
    if (t == 0) return 0;
    const double re = (r[1] * e[1] + r[2] * e[2]) / t, rf = (r[1] * f[1] + r[2] * f[2]) / t;
    return (e[1] * f[1] + e[2] * f[2] - re * rf) / t;
}

// Least squares with LAPACK: x (n) from the column-major A (m x n) and b, both overwritten.
static sti_status least_squares(sti_arena* pool, int m, int n, double* A, double* b, double* x) {
    const int most = m > n ? m : n, lwork = 4 * most + 16 * n + 64;
    int* pivot = sti_arena_ints(pool, (size_t)n);
    double *work = sti_arena_doubles(pool, (size_t)lwork), *rhs = sti_arena_doubles(pool, (size_t)most);
    if (pool->status != STI_OK) return pool->status;
    memcpy(rhs, b, (size_t)m * sizeof *rhs);
    const sti_status status = sti_lapack_reserve(pool->env);
    if (status != STI_OK) return pool->status = status;
    int rank;
    if (sti_lapack_least_squares(m, n, A, rhs, most, pivot, 1e-13, &rank, work, lwork) != STI_LAPACK_DONE)
        rhs[0] = NAN;  // the iteration ran away, which its caller sees
    memcpy(x, rhs, (size_t)n * sizeof *x);
    return STI_OK;
}

static sti_status assemble(newton* w) {
    const int n = w->size;
    double* gradient = sti_arena_doubles(w->g->pool, (size_t)w->k);
    if (gradient == NULL) return w->g->pool->status;
    memset(w->J, 0, (size_t)n * (size_t)n * sizeof *w->J);
    memset(w->residual, 0, (size_t)n * sizeof *w->residual);
    w->residual[w->k] = -1;
    for (int b = 0; b < w->m; b++) {
        const int i = w->contact[b], side = w->q->s->bilateral[i] ? w->q->sign[i] : 1;
        const double weight = w->component[b] < 0 ? w->q->weight[i] * side : 0;
        double normal;
        w->residual[w->k + 1 + b] = bound(w, b, gradient, &normal);
        w->residual[w->k] += w->v[b] * normal;
        for (int l = 0; l < w->k; l++) {
            const double along = direction(w, l)[w->q->s->first[i]];
            w->residual[l] += w->v[b] * gradient[l];
            for (int h = 0; h < w->k; h++) w->J[(size_t)h * n + l] += w->v[b] * curvature(w, b, l, h);
            w->J[(size_t)w->k * n + l] -= w->v[b] * weight * along;  // d/dk of the stationarity
            w->J[(size_t)(w->k + 1 + b) * n + l] = gradient[l];      // d/dv
            w->J[(size_t)l * n + w->k] += w->v[b] * weight * along;
            w->J[(size_t)l * n + (w->k + 1 + b)] = gradient[l];
        }
        w->J[(size_t)(w->k + 1 + b) * n + w->k] = normal;
        w->J[(size_t)w->k * n + (w->k + 1 + b)] = -normal;
    }
    return STI_OK;
}

// Multipliers of the active bounds by least squares; bounds with negative ones are let go, the most negative first.
static sti_status first_multipliers(newton* w) {
    sti_arena* pool = w->g->pool;
    double* gradient = sti_arena_doubles(pool, (size_t)w->k);
    for (;;) {
        const int rows = w->k + 1;
        double *A = sti_arena_doubles(pool, (size_t)rows * (size_t)(w->m + 1)),
               *b = sti_arena_doubles(pool, (size_t)rows);
        if (pool->status != STI_OK || w->m == 0) return pool->status;
        const double unit = w->q->s->force;
        for (int j = 0; j < w->m; j++) {
            double normal;
            bound(w, j, gradient, &normal);
            for (int l = 0; l < w->k; l++) A[(size_t)j * rows + l] = gradient[l];
            A[(size_t)j * rows + w->k] = normal / unit;
        }
        b[w->k] = 1 / unit;
        sti_status status = least_squares(pool, rows, w->m, A, b, w->v);
        if (status != STI_OK) return status;
        int worst = -1;
        for (int j = 0; j < w->m; j++)
            if (!w->apex[j] && w->v[j] < (worst < 0 ? 0 : w->v[worst])) worst = j;
        if (worst < 0) return STI_OK;
        w->m--;
        w->contact[worst] = w->contact[w->m];
        w->component[worst] = w->component[w->m];
        w->apex[worst] = w->apex[w->m];
    }
}

static void activate(newton* w, int contact, int component, bool apex) {
    w->contact[w->m] = contact;
    w->component[w->m] = component;
    w->apex[w->m++] = apex;
}

static void choose_active(newton* w) {
    const sti_quest* q = w->q;
    const double near = 1e-5 * q->s->force;
    for (int i = 0; i < q->s->nc; i++) {
        const double* r = w->lambda + q->s->first[i];
        double t = 0;
        for (int h = 1; h <= q->s->tangents[i]; h++) t = hypot(t, r[h]);
        const int side = q->s->bilateral[i] ? q->sign[i] : 1;
        if (q->weight[i] > 0 && fabs(r[0]) < near && t < near) {
            for (int h = 0; h <= q->s->tangents[i]; h++) activate(w, i, h, true);
        } else if (q->weight[i] > 0 && fabs(t - w->kappa * q->weight[i] * side * r[0]) < near) {
            activate(w, i, -1, false);
        } else if (!q->s->bilateral[i] && fabs(r[0]) < near) {
            activate(w, i, 0, false);
        }
    }
}

sti_status sti_quest_polish(sti_quest* q, const sti_cone_program* g, const double* x) {
    const sti_posed* s = q->s;
    sti_arena* pool = s->pool;
    // family coordinates without the margin: those of the point found
    newton w = {.q = q, .g = g, .k = g->freedom, .kappa = q->k};
    const size_t bounds = (size_t)s->p, most = (size_t)g->freedom + 1 + bounds;
    w.contact = sti_arena_ints(pool, bounds);
    w.component = sti_arena_ints(pool, bounds);
    w.apex = sti_arena_take(pool, bounds, sizeof *w.apex);
    w.lambda = sti_arena_doubles(pool, (size_t)s->p);
    w.residual = sti_arena_doubles(pool, most);
    w.J = sti_arena_doubles(pool, most * most);
    w.s = sti_arena_doubles(pool, (size_t)g->freedom);
    w.v = sti_arena_doubles(pool, bounds);
    double* step = sti_arena_doubles(pool, most);
    if (pool->status != STI_OK) return pool->status;
    for (int l = 0; l < w.k; l++) {
        for (int j = 0; j < g->size; j++) {
            const double u = g->unknown_scale[j];
            w.s[l] += g->basis[(size_t)l * (size_t)g->size + (size_t)j] / u * (x[j] - g->start[j]) / u;
        }
    }
    place(&w);
    choose_active(&w);
    if (w.m == 0) return STI_OK;
    sti_status status = first_multipliers(&w);
    w.size = w.k + 1 + w.m;
    for (int round = 0; status == STI_OK && w.m > 0 && round < NEWTON_ROUNDS; round++) {
        place(&w);
        status = assemble(&w);
        if (status == STI_OK) status = least_squares(pool, w.size, w.size, w.J, w.residual, step);
        if (status != STI_OK) return status;
        for (int l = 0; l < w.k; l++) w.s[l] -= step[l];
        w.kappa -= step[w.k];
        for (int b = 0; b < w.m; b++) w.v[b] -= step[w.k + 1 + b];
        if (!isfinite(w.kappa)) return STI_OK;
    }
    if (status != STI_OK || w.m == 0) return status;
    place(&w);
    const double most_ratio = sti_quest_ratio(q, w.lambda);
    bool signs = true;
    for (int i = 0; i < s->nc; i++) signs = signs && (s->bilateral[i] || w.lambda[s->first[i]] >= -1e-12 * s->force);
    if (signs && fabs(most_ratio - q->k) <= 1e-6 * (1 + q->k) && fabs(most_ratio - w.kappa) <= 1e-10 * (1 + w.kappa)) {
        q->k = most_ratio;
        memcpy(q->lambda, w.lambda, (size_t)s->p * sizeof *w.lambda);
    }
    return STI_OK;
}
