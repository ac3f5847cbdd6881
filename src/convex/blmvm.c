// blmvm.c: limited-memory quasi-Newton steps with bounds (after Benson and More 2001, the BLMVM of S3 2.3).
//
//     d = -H_F g_F on the free variables F = { z > 0 or g < 0 },    z+ = P(z + lambda d)
//
// H is the limited-memory BFGS matrix of the last pairs (s, y), applied to g with the bound components removed, as the
// method does. lambda comes from a projected search with Armijo's rule; pairs without positive curvature are not kept.
#include <string.h>

#include "convex/scaled.h"

enum { PAIRS = 8, TRIALS = 30 };

typedef struct state {
    sti_scaled p;
    double *z, *g, *d, *next, *g_next, *best, *scratch;
    double *S, *Y;  // pairs, a ring                 (PAIRS x n)
    double rho[PAIRS];
    int count, head;
    double best_map;
} state;

static bool is_free(const state* s, int i) {
    return s->z[i] > 0 || s->g[i] < 0;
}

// d = -H g on the free variables, by the two-loop recursion.
static void direction(state* s) {
    const int n = s->p.n;
    double alpha[PAIRS];
    for (int i = 0; i < n; i++) s->d[i] = is_free(s, i) ? s->g[i] : 0;
    for (int k = 1; k <= s->count; k++) {
        const int at = (s->head - k + PAIRS) % PAIRS;
        const double *S = s->S + (size_t)at * (size_t)n, *Y = s->Y + (size_t)at * (size_t)n;
        alpha[at] = s->rho[at] * sti_scaled_dot(n, S, s->d);
        for (int i = 0; i < n; i++) s->d[i] -= alpha[at] * Y[i];
    }
    if (s->count > 0) {
        const int last = (s->head - 1 + PAIRS) % PAIRS;
        const double* Y = s->Y + (size_t)last * (size_t)n;
        const double scale = 1 / (s->rho[last] * sti_scaled_dot(n, Y, Y));
        for (int i = 0; i < n; i++) s->d[i] *= scale;
    }
    for (int k = s->count; k >= 1; k--) {
        const int at = (s->head - k + PAIRS) % PAIRS;
        const double *S = s->S + (size_t)at * (size_t)n, *Y = s->Y + (size_t)at * (size_t)n;
        const double beta = s->rho[at] * sti_scaled_dot(n, Y, s->d);
        for (int i = 0; i < n; i++) s->d[i] += (alpha[at] - beta) * S[i];
    }
    for (int i = 0; i < n; i++) s->d[i] = is_free(s, i) ? -s->d[i] : 0;
    if (sti_scaled_dot(n, s->d, s->g) < 0) return;
    s->count = 0;  // not a descent direction: begin again with the gradient
    for (int i = 0; i < n; i++) s->d[i] = is_free(s, i) ? -s->g[i] : 0;
}

// False: no trial lowers the objective any more.
static bool search(state* s) {
    const int n = s->p.n;
    double lambda = 1;
    for (int trial = 0; trial < TRIALS; trial++, lambda *= 0.5) {
        double descent = 0;
        for (int i = 0; i < n; i++) {
            const double z = s->z[i] + lambda * s->d[i];
            s->next[i] = z > 0 ? z : 0;
            descent += s->g[i] * (s->next[i] - s->z[i]);
        }
        sti_scaled_gradient(&s->p, s->next, s->g_next);
        if (!(descent < 0) || sti_scaled_change(n, s->z, s->g, s->next, s->g_next) > 1e-4 * descent) continue;
        return true;
    }
    return false;
}

static void keep_pair(state* s) {
    const int n = s->p.n;
    double *S = s->S + (size_t)s->head * (size_t)n, *Y = s->Y + (size_t)s->head * (size_t)n;
    for (int i = 0; i < n; i++) {
        S[i] = s->next[i] - s->z[i];
        Y[i] = s->g_next[i] - s->g[i];
    }
    const double sy = sti_scaled_dot(n, S, Y);
    if (sy > 1e-12 * sti_scaled_dot(n, S, S)) {
        s->rho[s->head] = 1 / sy;
        s->head = (s->head + 1) % PAIRS;
        if (s->count < PAIRS) s->count++;
    }
    memcpy(s->z, s->next, (size_t)n * sizeof(double));
    memcpy(s->g, s->g_next, (size_t)n * sizeof(double));
}

sti_status sti_quadratic_blmvm(sti_env* env, const sti_quadratic* q, const sti_quadratic_goal* goal, double* x,
                               sti_quadratic_report* report) {
    *report = (sti_quadratic_report){0};
    if (q->project != NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "blmvm takes x >= 0 only: not a cone");
    const size_t n = (size_t)q->n;
    state s = {.best_map = INFINITY};
    sti_status status = sti_scaled_init(&s.p, env, q);
    if (status != STI_OK) return status;
    double* memory = sti_alloc_array(env, (7 + 2 * PAIRS) * n + 1, sizeof *memory);
    if (memory == NULL) {
        sti_scaled_clear(&s.p, env);
        return STI_ERR_MEMORY;
    }
    double** const part[] = {&s.z, &s.g, &s.d, &s.next, &s.g_next, &s.best, &s.scratch, &s.S};
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) *part[k] = memory + k * n;
    s.Y = s.S + PAIRS * n;
    for (size_t i = 0; i < n; i++) s.z[i] = fmax(x[i], 0) / s.p.s[i];
    memcpy(s.best, s.z, n * sizeof(double));
    sti_scaled_gradient(&s.p, s.z, s.g);
    for (;;) {
        const double map = sti_scaled_residual(&s.p, s.z, s.g, s.scratch);
        if (map < s.best_map) {
            s.best_map = map;
            memcpy(s.best, s.z, n * sizeof(double));
        }
        if (!(map > goal->tol) || report->iterations >= goal->max_iterations || sti_clock() >= goal->stop_at) break;
        direction(&s);
        if (!search(&s)) {
            if (s.count == 0) break;
            s.count = 0;
            continue;
        }
        keep_pair(&s);
        report->iterations++;
    }
    status = sti_scaled_report(env, &s.p, s.best, goal->tol, x, report);
    sti_free(env, memory);
    sti_scaled_clear(&s.p, env);
    return status;
}
