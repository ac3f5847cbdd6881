// bb.c: spectral projected gradient (Birgin, Martinez, Raydan 2000) with Barzilai-Borwein steps.
//
//     d = P_C(z - a g) - z,   z+ = z + lambda d,   a+ = d'd / d'Pd  or  d'Pd / |(Pd)_J|^2, in turn,   J = { d_i != 0 }
//
// The objective is quadratic, so the step along d is known: lambda = -g'd / d'Pd, at most 1, is the minimum on the
// segment, and the search needs no trials. A nonmonotone rule lets the full step pass as long as it stays below the
// largest of the last ten values, since the exact minimum would destroy what makes spectral steps fast. One product
// with P for each iteration.
//
// Both steps are inverses of a curvature of the face that z moves on, and Pd has nothing to do with it outside J:
// there are the contacts that stay open, nine of ten variables while a bed falls, and what Pd is there says how they
// would feel the step. Counted in, the second step is too short by their number, and so are all that follow: the
// method stops near 1e-6 (800 pebbles in their impact: 20000 iterations for 2e-7, against 1700 for 5e-9). Other rules
// for the choice between the two steps (the smallest of the last second steps where they differ much, the two in
// cycles of three or four, steps with quadratic termination, inverses of Ritz values) took as many iterations or
// more.
//
// With bounds the minimum over the plane of d and the last step s is tried first. P s is known, so it costs no
// product; it is taken when it meets no bound, and on a face that has settled such steps are conjugate gradients.
// They are what makes an answer to 1e-8 a good one: the residual of spectral steps goes up and down, and where it
// first falls below the tolerance the flat directions of P may be far from their minimum still (800 pebbles coming to
// rest, residual 1e-8: 1e-8 above the least value, and nothing to be seen of it with steps in planes).
#include <string.h>

#include "convex/scaled.h"

enum { MEMORY = 10 };

typedef struct state {
    sti_scaled p;
    double *z, *g;   // the point, P z + kappa                        (n)
    double *d, *Pd;  // projected gradient                            (n)
    double *s, *Ps;  // the last step                                 (n)
    double sPs;      // 0: there is none
    double *best, *scratch;
    double a, value, last[MEMORY], best_map;
    double short_steps[MEMORY];  // the last of the second kind; INFINITY: none yet
} state;

// The minimum over z + span(d, s), when no variable passes its bound there.
static bool step_in_plane(state* t, double gd, double dPd) {
    const int n = t->p.n;
    if (t->p.q->project != NULL || !(t->sPs > 0)) return false;
    const double dPs = sti_scaled_dot(n, t->d, t->Ps), gs = sti_scaled_dot(n, t->g, t->s),
                 det = dPd * t->sPs - dPs * dPs;
    if (!(det > 1e-12 * dPd * t->sPs)) return false;
    const double along = (gs * dPs - gd * t->sPs) / det, again = (gd * dPs - gs * dPd) / det;
    bool inside = true;
    for (int i = 0; i < n; i++) {
        t->scratch[i] = t->z[i] + along * t->d[i] + again * t->s[i];
        inside &= t->scratch[i] >= 0;
    }
    if (!inside) return false;
    memcpy(t->z, t->scratch, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        t->s[i] = along * t->d[i] + again * t->s[i];
        t->Ps[i] = along * t->Pd[i] + again * t->Ps[i];
        t->g[i] += t->Ps[i];
    }
    t->value += 0.5 * (along * gd + again * gs);  // half of the slope is left at the minimum
    t->sPs = sti_scaled_dot(n, t->s, t->Ps);
    return true;
}

static void step_on_segment(state* t, long k, double gd, double dPd) {
    double highest = t->last[0];
    for (int i = 1; i < MEMORY && i <= k; i++) highest = fmax(highest, t->last[i]);
    double lambda = 1;
    if (t->value + gd + 0.5 * dPd > highest + 1e-4 * gd && dPd > 0) lambda = fmin(1, -gd / dPd);
    for (int i = 0; i < t->p.n; i++) {
        t->s[i] = lambda * t->d[i];
        t->Ps[i] = lambda * t->Pd[i];
        t->z[i] += t->s[i];
        t->g[i] += t->Ps[i];
    }
    t->value += lambda * gd + 0.5 * lambda * lambda * dPd;
    t->sPs = lambda * lambda * dPd;
}

static void step(state* t, long k) {
    const int n = t->p.n;
    for (int i = 0; i < n; i++) t->d[i] = t->z[i] - t->a * t->g[i];
    sti_scaled_project(&t->p, t->d);
    for (int i = 0; i < n; i++) t->d[i] -= t->z[i];
    sti_scaled_multiply(&t->p, t->d, t->Pd);
    const double gd = sti_scaled_dot(n, t->g, t->d), dPd = sti_scaled_dot(n, t->d, t->Pd),
                 dd = sti_scaled_dot(n, t->d, t->d);
    double PdPd;
    STI_SUM4(PdPd, n, t->d[i] != 0 ? t->Pd[i] * t->Pd[i] : 0);
    const bool plane = step_in_plane(t, gd, dPd);
    if (!plane) step_on_segment(t, k, gd, dPd);
    t->last[(k + 1) % MEMORY] = t->value;
    if (dPd > 0) t->short_steps[k % MEMORY] = dPd / PdPd;
    t->a = dPd > 0 ? (k % 2 == 0 ? dd / dPd : dPd / PdPd) : 1e3;
    // next in a plane d has to be the gradient, and not what bounds leave of a long step
    for (int i = 0; plane && i < MEMORY; i++) t->a = fmin(t->a, t->short_steps[i]);
    t->a = fmin(fmax(t->a, 1e-6), 1e6);
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
    for (int k = 0; k < MEMORY; k++) s.short_steps[k] = INFINITY;
    sti_status status = sti_scaled_init(&s.p, env, q);
    if (status != STI_OK) return status;
    double* memory = sti_alloc_array(env, 8 * n + 1, sizeof *memory);
    if (memory == NULL) {
        sti_scaled_clear(&s.p, env);
        return STI_ERR_MEMORY;
    }
    double** const part[] = {&s.z, &s.g, &s.d, &s.Pd, &s.s, &s.Ps, &s.best, &s.scratch};
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) *part[k] = memory + k * n;
    for (size_t i = 0; i < n; i++) s.z[i] = x[i] / s.p.s[i];
    sti_scaled_project(&s.p, s.z);
    memcpy(s.best, s.z, n * sizeof(double));
    refresh(&s);
    s.last[0] = s.value;
    for (;;) {
        const double map = sti_scaled_residual(&s.p, s.z, s.g, s.scratch);
        if (map < s.best_map) {
            s.best_map = map;
            memcpy(s.best, s.z, n * sizeof(double));
        }
        if (!(map > goal->tol) || report->iterations >= goal->max_iterations || sti_clock() >= goal->stop_at) break;
        step(&s, report->iterations++);
        if (report->iterations % 100 == 0) refresh(&s);
    }
    status = sti_scaled_report(env, &s.p, s.best, goal->tol, x, report);
    sti_free(env, memory);
    sti_scaled_clear(&s.p, env);
    return status;
}
