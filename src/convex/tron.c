// tron.c: Newton's method on faces with bounds: gradient projection finds the face, conjugate gradients its minimum
// (More and Toraldo 1991; TRON of Lin and More 1999, the solver of S3 2.3, on a quadratic).
//
// One round:
//
//     1. projected gradient steps until the set of bound variables settles or they stop paying
//     2. conjugate gradients in the free variables (Steihaug 1983) until they stop paying or reach the radius Delta, then a
//        projected search along the result
//
// The objective is quadratic, so the model of the trust region is exact; what it can be wrong about are the bounds.
// Delta doubles when the search takes a step that ended on it whole, and shrinks to what the search took otherwise. It
// matters because P is singular: on a wrong face the minimum may be far off, or nowhere. The variables are scaled to a
// unit diagonal, which is the Jacobi preconditioner.
#include <string.h>

#include "convex/scaled.h"

typedef struct state {
    sti_scaled p;
    double *z, *g, *d, *r, *w, *Pw, *next, *g_next, *best, *scratch;
    double best_map;
    double delta;  // radius
    double taken;  // part of the last direction that a search took
} state;

// z := P(z + lambda d) with the largest lambda of 1, 1/2, ... that lowers the objective enough. The gain; 0: none.
static double search(state* s, const double* d, double lambda) {
    const int n = s->p.n;
    for (int trial = 0; trial < 25; trial++, lambda *= 0.5) {
        double descent = 0;
        for (int i = 0; i < n; i++) {
            const double z = s->z[i] + lambda * d[i];
            s->next[i] = z > 0 ? z : 0;
            descent += s->g[i] * (s->next[i] - s->z[i]);
        }
        if (!(descent < 0)) return 0;
        sti_scaled_gradient(&s->p, s->next, s->g_next);
        const double gain = -sti_scaled_change(n, s->z, s->g, s->next, s->g_next);
        if (gain < -0.01 * descent) continue;
        memcpy(s->z, s->next, (size_t)n * sizeof(double));
        memcpy(s->g, s->g_next, (size_t)n * sizeof(double));
        s->taken = lambda;
        return gain;
    }
    return 0;
}

static int count_free(const state* s) {
    int count = 0;
    for (int i = 0; i < s->p.n; i++) count += s->z[i] > 0;
    return count;
}

// What they gained in all.
static double project_gradients(state* s) {
    const int n = s->p.n;
    double best = 0, all = 0;
    int face = count_free(s);
    for (int k = 0; k < 10; k++) {
        // the exact step along the free part of -g is where to begin
        for (int i = 0; i < n; i++) s->d[i] = s->z[i] > 0 || s->g[i] < 0 ? -s->g[i] : 0;
        sti_scaled_multiply(&s->p, s->d, s->w);
        const double dd = sti_dot(n, s->d, s->d), dPd = sti_dot(n, s->d, s->w);
        const double gain = search(s, s->d, dPd > 0 ? dd / dPd : 1);
        best = fmax(best, gain);
        all += gain;
        const int now = count_free(s);
        if (gain <= 0.25 * best || now == face) break;
        face = now;
    }
    return all;
}

// The t >= 0 with |d + t w| = delta.
static double to_radius(double dd, double dw, double ww, double delta) {
    const double room = delta * delta - dd;
    return room > 0 ? room / (dw + sqrt(dw * dw + ww * room)) : 0;
}

// Conjugate gradients for the minimum over the variables that are free now; d is the way there. True: stopped by delta.
static bool minimize_on_face(state* s, long most) {
    const int n = s->p.n;
    double rr = 0, best_gain = 0;
    for (int i = 0; i < n; i++) {
        s->d[i] = 0;
        s->r[i] = s->z[i] > 0 ? -s->g[i] : 0;
        s->w[i] = s->r[i];
        rr += s->r[i] * s->r[i];
    }
    const double goal = 1e-30 * rr;
    for (long k = 0; k < most && rr > goal; k++) {
        sti_scaled_multiply(&s->p, s->w, s->Pw);
        const double curvature = sti_dot(n, s->w, s->Pw), ww = sti_dot(n, s->w, s->w);
        const double dd = sti_dot(n, s->d, s->d), dw = sti_dot(n, s->d, s->w);
        const double edge = to_radius(dd, dw, ww, s->delta);
        if (!(curvature > 1e-16 * ww) || rr / curvature >= edge) {
            for (int i = 0; i < n; i++) s->d[i] += edge * s->w[i];
            return true;
        }
        const double step = rr / curvature, gain = 0.5 * step * rr;
        double next = 0;
        for (int i = 0; i < n; i++) {
            s->d[i] += step * s->w[i];
            if (!(s->z[i] > 0)) continue;
            s->r[i] -= step * s->Pw[i];
            next += s->r[i] * s->r[i];
        }
        best_gain = fmax(best_gain, gain);
        if (gain <= 0.1 * best_gain) break;  // the rest of the face is not worth it before the face is known
        for (int i = 0; i < n; i++) s->w[i] = s->r[i] + next / rr * s->w[i];
        rr = next;
    }
    return false;
}

sti_status sti_quadratic_tron(sti_env* env, const sti_quadratic* q, const sti_quadratic_goal* goal, double* x,
                              sti_quadratic_report* report) {
    *report = (sti_quadratic_report){0};
    if (q->project != NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tron takes x >= 0 only: not a cone");
    const size_t n = (size_t)q->n;
    state s = {.best_map = INFINITY};
    sti_status status = sti_scaled_init(&s.p, env, q);
    if (status != STI_OK) return status;
    double* memory = sti_alloc_array(env, 10 * n + 1, sizeof *memory);
    if (memory == NULL) {
        sti_scaled_clear(&s.p, env);
        return STI_FAIL(env, STI_ERR_MEMORY, -1, "tron in %d variables", q->n);
    }
    double** const part[] = {&s.z, &s.g, &s.d, &s.r, &s.w, &s.Pw, &s.next, &s.g_next, &s.best, &s.scratch};
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) *part[k] = memory + k * n;
    for (size_t i = 0; i < n; i++) s.z[i] = fmax(x[i], 0) / s.p.s[i];
    sti_scaled_gradient(&s.p, s.z, s.g);
    for (int idle = 0; idle < 3;) {
        const double map = sti_scaled_residual(&s.p, s.z, s.g, s.scratch);
        if (map < s.best_map) {
            s.best_map = map;
            memcpy(s.best, s.z, n * sizeof(double));
        }
        report->iterations = s.p.products;
        if (map <= goal->tol || s.p.products >= goal->max_iterations || sti_clock() >= goal->stop_at) break;
        double gain = project_gradients(&s);
        if (s.delta == 0) s.delta = fmax(1, sqrt(sti_dot(s.p.n, s.z, s.z)));
        const bool edge = minimize_on_face(&s, goal->max_iterations - s.p.products);
        const double length = sqrt(sti_dot(s.p.n, s.d, s.d)), face_gain = search(&s, s.d, 1);
        gain += face_gain;
        if (face_gain > 0 && s.taken == 1) {
            if (edge) s.delta *= 2;
        } else if (length > 0) {
            s.delta = fmax(face_gain > 0 ? 2 * s.taken * length : 0.1 * length, 1e-12);
        }
        idle = gain > 0 ? 0 : idle + 1;
    }
    status = sti_scaled_report(env, &s.p, s.best, goal->tol, x, report);
    sti_free(env, memory);
    sti_scaled_clear(&s.p, env);
    return status;
}
