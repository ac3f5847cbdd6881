// apgd.c: accelerated projected gradient with restart (Nesterov 1983; O'Donoghue and Candes 2015).
//
//     z+ = P_C(y - g(y) / L),    y+ = z+ + beta (z+ - z),    beta = t (1 - t) / (t^2 + t+),   t+^2 = (1 - t+) t^2
//
// L is found by doubling where the quadratic bound fails and relaxed by a tenth after each step. When the step runs
// against the gradient the momentum is dropped. Products with P: one for each step (that of y is carried along, as y is
// a combination of z's), and one more for each doubling.
#include <string.h>

#include "convex/scaled.h"

typedef struct state {
    sti_scaled p;
    double *z, *Pz;        // the point and its product
    double *next, *Pnext;  // the next one
    double *y, *Py;        // where the gradient is taken
    double *best, *scratch, *gradient;
    double L, t, best_map;
} state;

// One trial step from y with 1/L; the bound f(z+) <= f(y) + g'(z+ - y) + L/2 |z+ - y|^2 is d'Pd <= L d'd.
static bool try_step(state* s) {
    const int n = s->p.n;
    for (int i = 0; i < n; i++) s->next[i] = s->y[i] - (s->Py[i] + s->p.kappa[i]) / s->L;
    sti_scaled_project(&s->p, s->next);
    sti_scaled_multiply(&s->p, s->next, s->Pnext);
    double dd, dPd;
    STI_SUM4(dd, n, (s->next[i] - s->y[i]) * (s->next[i] - s->y[i]));
    STI_SUM4(dPd, n, (s->next[i] - s->y[i]) * (s->Pnext[i] - s->Py[i]));
    if (!(dPd > s->L * dd * (1 + 1e-12)) || dd == 0) return true;
    s->L = fmax(2 * s->L, dPd / dd);
    return false;
}

static void advance(state* s) {
    const int n = s->p.n;
    double against;
    STI_SUM4(against, n, (s->Py[i] + s->p.kappa[i]) * (s->next[i] - s->z[i]));
    const double t2 = s->t * s->t, t_next = 0.5 * (-t2 + s->t * sqrt(t2 + 4));
    double beta = s->t * (1 - s->t) / (t2 + t_next);
    s->t = t_next;
    if (against > 0) {
        beta = 0;
        s->t = 1;
    }
    for (int i = 0; i < n; i++) {
        s->y[i] = s->next[i] + beta * (s->next[i] - s->z[i]);
        s->Py[i] = s->Pnext[i] + beta * (s->Pnext[i] - s->Pz[i]);
        s->z[i] = s->next[i];
        s->Pz[i] = s->Pnext[i];
    }
    s->L *= 0.9;
}

// The residual at z; the best point is kept.
static double look(state* s) {
    const int n = s->p.n;
    for (int i = 0; i < n; i++) s->gradient[i] = s->Pz[i] + s->p.kappa[i];
    const double map = sti_scaled_residual(&s->p, s->z, s->gradient, s->scratch);
    if (map < s->best_map) {
        s->best_map = map;
        memcpy(s->best, s->z, (size_t)n * sizeof(double));
    }
    return map;
}

sti_status sti_quadratic_apgd(sti_env* env, const sti_quadratic* q, const sti_quadratic_goal* goal, double* x,
                              sti_quadratic_report* report) {
    *report = (sti_quadratic_report){0};
    const size_t n = (size_t)q->n;
    state s = {.L = 1, .t = 1, .best_map = INFINITY};
    sti_status status = sti_scaled_init(&s.p, env, q);
    if (status != STI_OK) return status;
    double* memory = sti_alloc_array(env, 9 * n + 1, sizeof *memory);
    if (memory == NULL) {
        sti_scaled_clear(&s.p, env);
        return STI_ERR_MEMORY;
    }
    double** const part[] = {&s.z, &s.Pz, &s.next, &s.Pnext, &s.y, &s.Py, &s.best, &s.scratch, &s.gradient};
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) *part[k] = memory + k * n;
    for (size_t i = 0; i < n; i++) s.z[i] = x[i] / s.p.s[i];
    sti_scaled_project(&s.p, s.z);
    sti_scaled_multiply(&s.p, s.z, s.Pz);
    memcpy(s.y, s.z, n * sizeof(double));
    memcpy(s.best, s.z, n * sizeof(double));
    memcpy(s.Py, s.Pz, n * sizeof(double));
    while (look(&s) > goal->tol && report->iterations < goal->max_iterations && sti_clock() < goal->stop_at) {
        while (!try_step(&s)) continue;
        advance(&s);
        report->iterations++;
    }
    status = sti_scaled_report(env, &s.p, s.best, goal->tol, x, report);
    sti_free(env, memory);
    sti_scaled_clear(&s.p, env);
    return status;
}
