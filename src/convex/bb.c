// bb.c: spectral projected gradient (Birgin, Martinez, Raydan 2000) with Barzilai-Borwein steps.
//
//     d = P_C(z - a g) - z,    z+ = z + lambda d,    a+ = s's / s'Ps  or  s'Ps / s'PPs, in turn,   s = z+ - z
//
// The objective is quadratic, so the step along d is known: lambda = -g'd / d'Pd, at most 1, is the minimum on the
// segment, and the search needs no trials. A nonmonotone rule lets the full step pass as long as it stays below the
// largest of the last ten values, since the exact minimum would destroy what makes spectral steps fast. One product
// with P for each iteration.
#include <string.h>

#include "convex/scaled.h"

enum { MEMORY = 10 };

typedef struct state {
    sti_scaled p;
    double *z, *g;   // the point, P z + kappa
    double *d, *Pd;  // the step
    double *best, *scratch;
    double a, value, last[MEMORY], best_map;
} state;

static void step(state* s, long k) {
    const int n = s->p.n;
    for (int i = 0; i < n; i++) s->d[i] = s->z[i] - s->a * s->g[i];
    sti_scaled_project(&s->p, s->d);
    for (int i = 0; i < n; i++) s->d[i] -= s->z[i];
    sti_scaled_multiply(&s->p, s->d, s->Pd);
    const double gd = sti_dot(n, s->g, s->d), dPd = sti_dot(n, s->d, s->Pd), dd = sti_dot(n, s->d, s->d);
    double highest = s->last[0];
    for (int i = 1; i < MEMORY && i <= k; i++) highest = fmax(highest, s->last[i]);
    double lambda = 1;
    if (s->value + gd + 0.5 * dPd > highest + 1e-4 * gd && dPd > 0) lambda = fmin(1, -gd / dPd);
    for (int i = 0; i < n; i++) {
        s->z[i] += lambda * s->d[i];
        s->g[i] += lambda * s->Pd[i];
    }
    s->value += lambda * gd + 0.5 * lambda * lambda * dPd;
    s->last[(k + 1) % MEMORY] = s->value;
    const double PdPd = sti_dot(n, s->Pd, s->Pd);
    s->a = dPd > 0 ? (k % 2 == 0 ? dd / dPd : dPd / PdPd) : 1e3;
    s->a = fmin(fmax(s->a, 1e-6), 1e6);
}

// Rounding gathers in g, which is updated: now and then it is computed anew.
static void refresh(state* s) {
    sti_scaled_multiply(&s->p, s->z, s->g);
    s->value = 0;
    for (int i = 0; i < s->p.n; i++) {
        s->value += s->z[i] * (0.5 * s->g[i] + s->p.kappa[i]);
        s->g[i] += s->p.kappa[i];
    }
}

sti_status sti_quadratic_bb(sti_env* env, const sti_quadratic* q, const sti_quadratic_goal* goal, double* x,
                            sti_quadratic_report* report) {
    *report = (sti_quadratic_report){0};
    const size_t n = (size_t)q->n;
    state s = {.a = 1, .best_map = INFINITY};
    sti_status status = sti_scaled_init(&s.p, env, q);
    if (status != STI_OK) return status;
    double* memory = sti_alloc_array(env, 6 * n + 1, sizeof *memory);
    if (memory == NULL) {
        sti_scaled_clear(&s.p, env);
        return STI_FAIL(env, STI_ERR_MEMORY, -1, "bb in %d variables", q->n);
    }
    double** const part[] = {&s.z, &s.g, &s.d, &s.Pd, &s.best, &s.scratch};
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) *part[k] = memory + k * n;
    for (size_t i = 0; i < n; i++) s.z[i] = x[i] / s.p.s[i];
    sti_scaled_project(&s.p, s.z);
    refresh(&s);
    s.last[0] = s.value;
    for (;;) {
        const double map = sti_scaled_residual(&s.p, s.z, s.g, s.scratch);
        if (map < s.best_map) {
            s.best_map = map;
            memcpy(s.best, s.z, n * sizeof(double));
        }
        if (map <= goal->tol || report->iterations >= goal->max_iterations || sti_clock() >= goal->stop_at) break;
        step(&s, report->iterations++);
        if (report->iterations % 100 == 0) refresh(&s);
    }
    status = sti_scaled_report(env, &s.p, s.best, goal->tol, x, report);
    sti_free(env, memory);
    sti_scaled_clear(&s.p, env);
    return status;
}
