// tron.c: Newton's method on faces with bounds, by conjugate gradients (after More and Toraldo 1991 and TRON, Lin and
// More 1999, the solver of S3 2.3; on a quadratic).
//
//     F = { z > 0 },  and { z = 0, g < 0 } too when  |g| there outweighs |g| on { z > 0 }  the face
//     w = -g_F + beta s_F,     beta = g_F'P s / s'P s,     s the last step                 conjugate to it
//     z+ = max(0, z + a w),    a = -g'w / w'P w,                                           the minimum along w
//
// While no variable meets its bound these are the conjugate gradients of the face, with one product a step. One that
// does stays there, the face becomes smaller, and a second product gives the gradient at z+. The objective has to
// fall; where it does not, a is halved, and in the end s forgotten. The variables are scaled to a unit diagonal,
// which is the Jacobi preconditioner.
//
// P = A M^-1 A' is singular, and nearly so on the faces of a bed that comes to rest: minimizing over the last face
// takes thousands of products, and those before it are as bad. So it matters that nothing is thrown away when the
// face changes, which it does in hundreds of steps. What we do not take from the papers:
//
// D1. There is no trust region. The model of a quadratic is exact, and a radius could answer for the bounds only. A
//     long direction from conjugate gradients rests on stiff parts in balance; cut at the bounds it is worth little,
//     a search takes a hundredth of it, and a radius follows: ten products to a round, which is steepest descent, and
//     a residual that stays near 1e-6. Here the bounds have their say after every step of the conjugate gradients.
// D2. A change of the face is no restart. s is what the bounds left of the last step and P s the difference of the
//     gradients, so the next direction costs no product more. (With P s_F in place of P s, which costs one, the
//     number of steps is about the same.)
// D3. No gradient projection of its own: variables leave their bounds inside the same step, when proportioning says
//     so (Dostal 1997, with |g|^2 outside at most a tenth of that inside).
//
// It ends without a solution at the limit, when rounding lets nothing lower the objective, or when a direction has
// neither curvature nor a bound: then the program has no minimum, which the residual says too.
#include <string.h>

#include "convex/accelerated.h"
#include "convex/scaled.h"

enum { FRESH = 100, TRIALS = 30 };  // steps between gradients computed anew; halvings of a step

#define PROPORTION 0.1

typedef struct state {
    sti_scaled p;
    double *z, *g;        // the point, P z + kappa                               (n)
    double *w, *Pw;       // the direction; between two steps the last step       (n)
    double wPw;           // 0: there is none
    double *next, *best;  // a trial, or -g on the face; the best point           (n)
    double* g_next;       //                                                      (n)
    double inside;        // |g|^2 over z > 0
    double outside;       // |g|^2 over z = 0 > g
    double best_map;
    int age;  // steps since g was computed anew
} state;

// The residual at z: |min(z, g)|, which is |z - max(0, z - g)|, over |z|. The best point is kept.
static double look(state* s) {
    const int n = s->p.n;
    double map2 = 0, size2 = 0, inside = 0, outside = 0;
    for (int i = 0; i < n; i++) {
        const double z = s->z[i], g = s->g[i], least = z < g ? z : g, on_face = z > 0 ? g : 0;
        map2 += least * least;
        size2 += z * z;
        inside += on_face * on_face;
        outside += z > 0 || g > 0 ? 0 : g * g;
    }
    s->inside = inside;
    s->outside = outside;
    const double map = sti_scaled_relative(sqrt(map2), sqrt(size2));
    if (map < s->best_map) {
        s->best_map = map;
        memcpy(s->best, s->z, (size_t)n * sizeof(double));
    }
    return map;
}

// w: downhill on the face and conjugate to the last step. The slope -g'w; 0: the face has none.
static double direction(state* s) {
    const int n = s->p.n;
    const bool release = s->outside > PROPORTION * s->inside;
    double* r = s->next;
    for (int i = 0; i < n; i++) {
        r[i] = s->z[i] > 0 || (release && s->g[i] < 0) ? -s->g[i] : 0;
        if (!(s->z[i] > 0)) s->w[i] = 0;
    }
    const double beta = s->wPw > 0 ? -sti_scaled_dot(n, r, s->Pw) / s->wPw : 0;
    for (int i = 0; i < n; i++) s->w[i] = r[i] + beta * s->w[i];
    const double slope = sti_scaled_dot(n, r, s->w);
    if (slope > 0) return slope;
    memcpy(s->w, r, (size_t)n * sizeof(double));
    return sti_scaled_dot(n, r, r);
}

// Where the last variable meets its bound along w; INFINITY: none does.
static double last_bound(const state* s) {
    double a = 0;
    for (int i = 0; i < s->p.n; i++) {
        if (s->w[i] < 0) a = fmax(a, s->z[i] / -s->w[i]);
    }
    return a > 0 ? a : INFINITY;
}

// next = max(0, z + a w); true: a bound was met.
static bool try_step(state* s, double a) {
    bool met = false;
    for (int i = 0; i < s->p.n; i++) {
        const double z = s->z[i] + a * s->w[i];
        met |= z < 0;
        s->next[i] = z > 0 ? z : 0;
    }
    return met;
}

// A step that meets bounds: halved until it lowers the objective. False: it does not.
static bool bend(state* s, double a) {
    const int n = s->p.n;
    for (int trial = 0; trial < TRIALS; trial++) {
        double descent;
        sti_scaled_gradient(&s->p, s->next, s->g_next);
        STI_SUM4(descent, n, s->g[i] * (s->next[i] - s->z[i]));
        const double change = sti_scaled_change(n, s->z, s->g, s->next, s->g_next);
        if (descent < 0 && change <= 0.01 * descent) {
            for (int i = 0; i < n; i++) {
                s->w[i] = s->next[i] - s->z[i];
                s->Pw[i] = s->g_next[i] - s->g[i];
            }
            s->wPw = sti_scaled_dot(n, s->w, s->Pw);
            sti_trade(&s->z, &s->next);
            sti_trade(&s->g, &s->g_next);
            s->age = 0;
            return true;
        }
        try_step(s, a *= 0.5);
    }
    return false;
}

// False: nothing lowers the objective, or nothing bounds it.
static bool step(state* s) {
    const int n = s->p.n;
    const bool conjugate = s->wPw > 0;
    const double slope = direction(s);
    if (!(slope > 0)) return false;
    sti_scaled_multiply(&s->p, s->w, s->Pw);
    s->wPw = sti_scaled_dot(n, s->w, s->Pw);
    const bool curved = s->wPw > 1e-16 * sti_scaled_dot(n, s->w, s->w);
    const double a = curved ? slope / s->wPw : last_bound(s);
    if (!(a < INFINITY)) return false;
    if (try_step(s, a) || !curved) {
        if (bend(s, a)) return true;
        s->wPw = 0;  // once more, from the gradient
        return conjugate;
    }
    sti_trade(&s->z, &s->next);
    for (int i = 0; i < n; i++) s->g[i] += a * s->Pw[i];
    if (++s->age == FRESH) {
        sti_scaled_gradient(&s->p, s->z, s->g);
        s->age = 0;
    }
    return true;
}

sti_status sti_quadratic_tron(sti_env* env, const sti_quadratic* q, const sti_quadratic_goal* goal, double* x,
                              sti_quadratic_report* report) {
    *report = (sti_quadratic_report){0};
    if (q->project != NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tron takes x >= 0 only: not a cone");
    const size_t n = (size_t)q->n;
    state s = {.best_map = INFINITY};
    sti_status status = sti_scaled_init(&s.p, env, q);
    if (status != STI_OK) return status;
    double* memory = sti_alloc_array(env, 7 * n + 1, sizeof *memory);
    if (memory == NULL) {
        sti_scaled_clear(&s.p, env);
        return STI_ERR_MEMORY;
    }
    double** const part[] = {&s.z, &s.g, &s.w, &s.Pw, &s.next, &s.best, &s.g_next};
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) *part[k] = memory + k * n;
    for (size_t i = 0; i < n; i++) {
        s.z[i] = fmax(x[i], 0) / s.p.s[i];
        s.w[i] = s.Pw[i] = 0;
    }
    memcpy(s.best, s.z, n * sizeof(double));
    sti_scaled_gradient(&s.p, s.z, s.g);
    while (look(&s) > goal->tol && s.p.products < goal->max_iterations && sti_clock() < goal->stop_at) {
        if (!step(&s)) break;
    }
    report->iterations = s.p.products;
    status = sti_scaled_report(env, &s.p, s.best, goal->tol, x, report);
    sti_free(env, memory);
    sti_scaled_clear(&s.p, env);
    return status;
}
