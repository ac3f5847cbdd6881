// stronge.c: one contact with Stronge's energetic coefficient and Coulomb's friction in the plane, in closed
// form.
//
// Routh's method: the normal impulse P = pbar grows from 0, and while the slip keeps its sign xi the local velocities
// move along a straight line,
//
//     du_n/dP = a - m xi b,   dv_t/dP = b - m xi c,      m = mu / |n|,
//         a = W_nn (1 without joints), b = W_nt, c = W_tt.
//
// Where v_t reaches 0 the contact sticks from there on if |b| <= m c (then du_n/dP = a - b^2 / c), else it slips on
// with xi = sgn b. So there are at most two pieces, and u_n is piecewise linear in P, the work of the normal impulse
// piecewise quadratic. Compression ends where u_n = 0, with work -W_c; the impact ends where e^2 W_c was given back.
// Energy is never gained: T+ - T- = -(1 - e^2) W_c + work of friction. Poisson's and Newton's coefficients are the same
// number without friction, and where the slip keeps its sign.
//
// In space the slip turns; there the same law is integrated (lzb.c, whose springs have no say with one contact).
#include <math.h>
#include <stdio.h>

#include "impacts/work.h"

typedef struct course {
    double m, a, b, c;
    double u, v;               // local velocities
    double P, p_t;             // impulses
    double work_n, work_t;     // of them so far
    double work_c;             // at the end of compression
    double rate_n, rate_t, F;  // of u, v and p_t in P
} course;

static void slide(course* k, double xi) {
    k->F = -k->m * xi;
    k->rate_n = k->a + k->F * k->b;
    k->rate_t = k->b + k->F * k->c;
}

static void begin_piece(course* k, double small) {
    if (fabs(k->v) > small) {
        slide(k, k->v > 0 ? 1 : -1);
        return;
    }
    k->v = 0;
    if (k->c > 0 && fabs(k->b) > k->m * k->c) {
        slide(k, k->b > 0 ? 1 : -1);
        return;
    }
    k->F = k->c > 0 ? -k->b / k->c : 0;
    k->rate_n = k->a + k->F * k->b;
    k->rate_t = 0;
}

static void go(course* k, double dP) {
    k->work_n += dP * (k->u + 0.5 * dP * k->rate_n);
    k->work_t += k->F * dP * (k->v + 0.5 * dP * k->rate_t);
    k->u += dP * k->rate_n;
    k->v += dP * k->rate_t;
    k->p_t += dP * k->F;
    k->P += dP;
}

// How far the slip keeps its sign.
static double until_slip_ends(const course* k) {
    return k->v != 0 && k->v * k->rate_t < 0 ? -k->v / k->rate_t : INFINITY;
}

// Compression; false when it does not end (then u falls along a piece that does not end either).
static bool compress(course* k, double small) {
    for (int piece = 0; piece < 3; piece++) {
        begin_piece(k, small);
        const double slip = until_slip_ends(k), end = k->rate_n > 0 ? -k->u / k->rate_n : INFINITY;
        if (isinf(slip) && isinf(end)) return false;
        go(k, fmin(slip, end));
        if (slip < end) {
            k->v = 0;
        } else {
            k->u = 0;
            k->work_c = -k->work_n;
            return true;
        }
    }
    return false;
}

// Until the work `back` was given back: dP of u dP + rate dP^2 / 2 = back.
static bool expand(course* k, double back, double small) {
    for (int piece = 0; piece < 3 && back > 0; piece++) {
        begin_piece(k, small);
        const double root = k->u * k->u + 2 * k->rate_n * back, slip = until_slip_ends(k);
        const double end = root >= 0 && k->u + sqrt(fmax(root, 0)) > 0 ? 2 * back / (k->u + sqrt(root)) : INFINITY;
        if (isinf(slip) && isinf(end)) return false;
        const double before = k->work_n;
        go(k, fmin(slip, end));
        if (end <= slip) return true;
        back -= k->work_n - before;
        k->v = 0;
    }
    return back <= 0;
}

sti_status sti_impact_stronge(sti_impact_work* w) {
    sti_impact_answer* a = &w->out->laws[STI_IMPACT_STRONGE];
    const int s = w->out->s;
    if (w->out->p != 1 || !(w->e[0] >= 0 && w->e[0] <= 1)) {
        snprintf(a->why, sizeof a->why, "%s",
                 w->out->p != 1 ? "one contact is asked; lzb has this coefficient for several"
                                : "restitution between 0 and 1 is asked");
        return STI_OK;
    }
    if (s > 1) return sti_impact_springs(w, a);
    a->applies = true;
    double* z = sti_arena_doubles(w->pool, 4);
    if (z == NULL) return w->pool->status;
    course k = {.a = w->space->W[0], .u = w->u0[0]};
    double unit = 1;
    if (s == 1) {
        const double* W = w->space->W;
        k.m = w->out->mu[0] / w->space->norm[0];
        k.b = W[1];
        k.c = W[3];
        k.v = w->u0[1];
        unit = w->tan[0];
    }
    const double small = 1e-14 * w->speed * unit;
    bool ended = true;
    if (k.u < 0) ended = compress(&k, small) && expand(&k, w->e[0] * w->e[0] * k.work_c, small);
    if (!ended) {
        snprintf(a->why, sizeof a->why, "the impact does not end");
        return STI_OK;
    }
    a->complete = true;
    z[0] = k.P;
    if (s == 1) z[1] = k.p_t;
    z[2] = k.work_c;
    z[3] = k.work_t;
    sti_impact_solution* x = NULL;
    const sti_status status = sti_impact_add(w, a, z, &x);
    if (status != STI_OK) return status;
    x->work_c = z + 2;
    x->work_t = z + 3;
    const double T = fmax(w->speed * w->speed, 1e-300);
    x->law = fabs(k.work_n + (1 - w->e[0] * w->e[0]) * k.work_c) / T;
    return STI_OK;
}
