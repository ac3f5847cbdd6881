// apgd.c: accelerated projected gradient with restart (accelerated.h) in the scaled variable z = x / s.
//
// Products with P: one for each step, and one more for each time that L is raised.
#include <string.h>

#include "convex/accelerated.h"
#include "convex/scaled.h"

typedef struct state {
    sti_scaled p;
    sti_accelerated way;
    double *best, *scratch;
    double best_map;
} state;

static void project(void* user, const double* y, const double* g, double step, double* x) {
    const state* s = user;
    for (int i = 0; i < s->p.n; i++) x[i] = y[i] - step * g[i];
    sti_scaled_project(&s->p, x);
}

static void gradient(void* user, const double* x, double* g) {
    state* s = user;
    sti_scaled_gradient(&s->p, x, g);
}

// The residual; the best point is kept.
static double look(state* s) {
    const double map = sti_scaled_residual(&s->p, s->way.x, s->way.g, s->scratch);
    if (map < s->best_map) {
        s->best_map = map;
        memcpy(s->best, s->way.x, (size_t)s->p.n * sizeof(double));
    }
    return map;
}

sti_status sti_quadratic_apgd(sti_env* env, const sti_quadratic* q, const sti_quadratic_goal* goal, double* x,
                              sti_quadratic_report* report) {
    *report = (sti_quadratic_report){0};
    const size_t n = (size_t)q->n;
    state s = {.best_map = INFINITY};
    sti_status status = sti_scaled_init(&s.p, env, q);
    if (status != STI_OK) return status;
    double* memory = sti_alloc_array(env, (STI_ACCELERATED_VECTORS + 2) * n + 1, sizeof *memory);
    if (memory == NULL) {
        sti_scaled_clear(&s.p, env);
        return STI_ERR_MEMORY;
    }
    s.way = (sti_accelerated){.n = q->n, .L = 1, .forget = 0.9, .user = &s, .project = project, .gradient = gradient};
    sti_accelerated_place(&s.way, memory);
    s.best = memory + STI_ACCELERATED_VECTORS * n;
    s.scratch = s.best + n;
    for (size_t i = 0; i < n; i++) s.way.x[i] = x[i] / s.p.s[i];
    sti_scaled_project(&s.p, s.way.x);
    gradient(&s, s.way.x, s.way.g);
    memcpy(s.best, s.way.x, n * sizeof(double));
    sti_accelerated_begin(&s.way);
    while (look(&s) > goal->tol && report->iterations < goal->max_iterations && sti_clock() < goal->stop_at) {
        sti_accelerated_step(&s.way);
        report->iterations++;
    }
    status = sti_scaled_report(env, &s.p, s.best, goal->tol, x, report);
    sti_free(env, memory);
    sti_scaled_clear(&s.p, env);
    return status;
}
