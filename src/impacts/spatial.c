// spatial.c: (67)-(68) for one contact in space, with Coulomb's round cone.
//
// With one contact, slips s0 (after restitution, before impulses), w = W_tn, T = W_tt, r = -E qdot_norm- - qdot_norm0
// and mu' = mu / |n|, a contact that slides along the unit vector d has p_t = -mu' pbar d and
//
//     pbar (G - mu' w'd) = r,         sigma = s0 + pbar (w - mu' T d) = kappa d,    kappa > 0.
//
// Eliminating pbar, sigma is parallel to d exactly when
//
//     f(d) = d x ( s0 (G - mu' w'd) + r w - r mu' T d ) = 0,
//
// a trigonometric polynomial of degree 2 in the angle of d: at most four roots, unless it vanishes everywhere. Five
// values give its coefficients, tan of the half angle makes it a quartic, and the eigenvalues of the companion matrix
// are polished by Newton's method on f. Sticking is one linear system. So all solutions are found. When f vanishes
// everywhere (nothing distinguishes a direction) and a direction satisfies the law, they all do: the answer is then
// marked incomplete.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "impacts/work.h"
#include "linalg/dense_algebra.h"

typedef struct spatial {
    sti_impact_work* w;
    sti_impact_answer* answer;
    double G, r, mu;     // mu' = mu / |n|
    double s0[2], c[2];  // c: W_tn
    double T[4];
    double offset;  // of the angles, so that the quartic keeps its degree
    double size;    // of slips: sqrt(trace T) times the speed
} spatial;

// q = G - mu' w'd and q sigma = s0 q + r (w - mu' T d)
static double evaluate(const spatial* k, double angle, double* d, double* sigma_q) {
    d[0] = cos(angle);
    d[1] = sin(angle);
    const double q = k->G - k->mu * (k->c[0] * d[0] + k->c[1] * d[1]);
    for (int i = 0; i < 2; i++)
        sigma_q[i] = k->s0[i] * q + k->r * (k->c[i] - k->mu * (k->T[2 * i] * d[0] + k->T[2 * i + 1] * d[1]));
    return q;
}

static double cross_of(const spatial* k, double angle) {
    double d[2], sigma_q[2];
    evaluate(k, angle, d, sigma_q);
    return d[0] * sigma_q[1] - d[1] * sigma_q[0];
}

// f = a[0] + a[1] cos + a[2] sin + a[3] cos 2 + a[4] sin 2, in the angle less the offset
static void coefficients(const spatial* k, double* a) {
    const double step = 2 * acos(-1.0) / 5;
    memset(a, 0, 5 * sizeof *a);
    for (int i = 0; i < 5; i++) {
        const double angle = step * i, f = cross_of(k, angle + k->offset) / 5;
        a[0] += f;
        a[1] += 2 * f * cos(angle);
        a[2] += 2 * f * sin(angle);
        a[3] += 2 * f * cos(2 * angle);
        a[4] += 2 * f * sin(2 * angle);
    }
}

static sti_status record(spatial* k, double pbar, const double* p_t, char mode) {
    const double z[3] = {pbar, p_t[0], p_t[1]};
    sti_impact_solution* x = NULL;
    const sti_status status = sti_impact_add(k->w, k->answer, z, &x);
    if (status != STI_OK) return status;
    char* text = sti_arena_take(k->w->pool, 2, 1);
    if (text == NULL) return k->w->pool->status;
    text[0] = mode;
    x->mode = text;
    x->law = fabs(x->qdot_norm[0] + k->w->out->E[0] * k->w->u[0]) / fmax(k->w->speed, 1e-300);
    return sti_impact_energy_friction(k->w, x);
}

// Is the direction at this angle a solution?
static sti_status try_angle(spatial* k, double angle) {
    double d[2], sigma_q[2];
    for (int i = 0; i < 8; i++) {  // f' by a central difference, good enough for the last digits
        const double h = 1e-6, f = cross_of(k, angle),
                     slope = (cross_of(k, angle + h) - cross_of(k, angle - h)) / (2 * h);
        if (slope == 0 || !(fabs(f / slope) < 0.1)) break;
        angle -= f / slope;
    }
    const double q = evaluate(k, angle, d, sigma_q);
    const double scale = k->G + k->mu * hypot(k->c[0], k->c[1]);
    if (fabs(q) <= 1e-12 * scale) return STI_OK;  // pbar would be infinite
    const double pbar = k->r / q, kappa = (d[0] * sigma_q[0] + d[1] * sigma_q[1]) / q;
    const double side = (d[0] * sigma_q[1] - d[1] * sigma_q[0]) / q, small = k->w->options.tol * k->size;
    if (!(kappa > small) || fabs(side) > 1e-7 * fmax(fabs(kappa), small)) return STI_OK;
    for (int i = 0; i < k->answer->count; i++) {  // a double root comes twice
        const sti_impact_solution* x = &k->answer->solutions[i];
        if (hypot(x->p_t[0] + k->mu * pbar * d[0], x->p_t[1] + k->mu * pbar * d[1]) <= 1e-9 * fabs(k->mu * pbar))
            return STI_OK;
    }
    const double p_t[2] = {-k->mu * pbar * d[0], -k->mu * pbar * d[1]};
    return record(k, pbar, p_t, 's');
}

// Roots of the quartic in t = tan(angle / 2).
static sti_status slide(spatial* k, const double* a) {
    const double p[5] = {a[0] + a[1] + a[3], 2 * a[2] + 4 * a[4], 2 * a[0] - 6 * a[3], 2 * a[2] - 4 * a[4],
                         a[0] - a[1] + a[3]};
    double companion[16] = {0}, re[4], im[4];
    for (int i = 0; i < 4; i++) {
        companion[4 * i + 3] = -p[i] / p[4];
        if (i > 0) companion[4 * i + i - 1] = 1;
    }
    sti_status status = sti_dense_eigenvalues(k->w->env, 4, companion, re, im);
    for (int i = 0; status == STI_OK && i < 4; i++) {
        if (fabs(im[i]) <= 1e-5 * (1 + fabs(re[i]))) status = try_angle(k, 2 * atan(re[i]) + k->offset);
    }
    return status;
}

static sti_status stick(spatial* k) {
    const double A[9] = {k->G, k->c[0], k->c[1], k->c[0], k->T[0], k->T[1], k->c[1], k->T[2], k->T[3]};
    const double b[3] = {k->r, -k->s0[0], -k->s0[1]};
    double x[3], Z[9], work[12];
    int index[6];
    const sti_dense_family f = sti_dense_solve(3, 3, A, b, STI_IMPACT_RANK_TOL, x, Z, work, index);
    if (!f.consistent) return STI_OK;
    const double radius = k->mu * (k->w->options.stick_negative ? fabs(x[0]) : x[0]);
    const double unit = sqrt(k->T[0] + k->T[3]), slack = k->w->options.tol * k->w->speed / fmax(unit, 1e-300);
    if (hypot(x[1], x[2]) > radius + slack) return STI_OK;
    const sti_status status = record(k, x[0], x + 1, 'k');
    if (status == STI_OK) ((sti_impact_solution*)k->answer->solutions)[k->answer->count - 1].dimension = 3 - f.rank;
    return status;
}

sti_status sti_impact_friction_spatial(sti_impact_work* w, sti_impact_answer* a) {
    const double* W = w->space->W;  // 3 x 3: normal, two slips
    spatial k = {
        .w = w, .answer = a, .G = W[0], .mu = w->out->mu[0] / w->space->norm[0], .T = {W[4], W[5], W[7], W[8]}};
    k.r = -w->u0[0] - w->out->E[0] * w->u[0];
    for (int i = 0; i < 2; i++) {
        k.s0[i] = w->u0[1 + i] + w->out->e_t[0] * w->u[1 + i];
        k.c[i] = W[1 + i];
    }
    k.size = sqrt(W[4] + W[8]) * w->speed;
    a->applies = a->complete = true;
    // where the leading coefficient f(offset + pi) is largest
    const double turn = 2 * acos(-1.0);
    double most = 0;
    for (int i = 0; i < 16; i++) {
        const double value = fabs(cross_of(&k, turn * i / 16 + turn / 2));
        if (value > most) k.offset = turn * i / 16;
        most = fmax(most, value);
    }
    double coefficient[5];
    coefficients(&k, coefficient);
    const double scale = (k.G + k.mu * hypot(k.c[0], k.c[1])) * k.size + fabs(k.r) * hypot(k.c[0], k.c[1]);
    sti_status status = STI_OK;
    if (most > 1e-13 * scale) {
        status = slide(&k, coefficient);
    } else {
        status = try_angle(&k, 0);  // one direction stands for all
        if (a->count > 0) a->complete = false;
    }
    if (status == STI_OK) status = stick(&k);
    if (status == STI_OK && a->count == 0) snprintf(a->why, sizeof a->why, "no mode satisfies the law");
    return status;
}
