// alpha.c: the linearly implicit alpha schemes, S3 (2.1.4) to (2.1.10).
//
// Letters: q, v state at t; h step; k applied forces (k_1 of S3); c inertial forces, M a + c = k + contact
// forces, so F(v) v of S3 is -c. With dv = v+ - v,
//
//     k      ~  (1 - alpha) k(t, q, v) + alpha (k(t + h, q, v) + k_q (q+ - q) + k_v dv)                      (2.1.3)
//     c      ~  c(v) + alpha G dv,   G = c_v / 2                                                             (2.1.2)
//     Q dv   =  k~ + impulses,       Q = M + alpha h (G - k_v) - alpha^2 h^2 k_q                             (2.1.5)
//     k~     =  h ((1 - alpha) k(t, q, v) + alpha k(t + h, q, v) - c(v)) + alpha h^2 k_q v                errata S3-E1
//
// and with the weighted velocity u = alpha v+ + (1 - alpha) v as unknown                                  errata S3-E2
//
//     Q u - alpha impulses = Q v + alpha k~,       q+ = q + h u,       v+ = (u - (1 - alpha) v) / alpha.
//
// Joints obey nu'u + Theta_t = 0 and active contacts 0 <= n'u + Phi_t, with Coulomb's law for the slip of u
// (impulses.h). With level gap, Phi(q) / h is added to the latter.
//
// G is half the derivative of c: c is quadratic in v, and that is the one matrix of Christoffel's symbols, with M' - 2
// G skew. A caller who writes Newton-Euler equations gives the skew matrix of S3 (2.1.2) instead (`inertial`), with
// which alpha = 1/2 keeps the kinetic energy of a free body exactly.
//
// Order. All of M, c, nu, n, D are taken at (t, q) in the print: then every alpha is of first order where any of them
// changes, so with every joint. Geometry `ahead` takes them at (t + h/2, q + h/2 v), and c(v) + c_v dv / 2 in place of
// c(v) + alpha G dv, for every alpha. That is of second order for alpha = 1/2: the defect of each equation at its
// midpoint is O(h^2). For the others it keeps the energy of inertial motion better (taken at q + alpha h v, alpha = 1
// gains).
//
// D1. c_v comes from c by central differences with steps as large as v: exact for a quadratic up to rounding. Where c
//     is 0 it is not formed.
// D2. Redundant joints have dependent gradients where they are closed, and only there: off by O(h^2) they would hold
// what
//     should move. So with redundant joints the position ahead is first projected on them.
// D3. Index 3: the row of a joint is Theta(t + h, q + h u) = 0 in place of nu'u + Theta_t = 0. By Newton's method with
// the gradient at
//     the place of the others: nu'(u+ - u) = -Theta / h, which gains a factor O(h) in each round. The impulse acts
//     along nu as before.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step/step.h"

enum { CLOSING_ROUNDS = 40 };

// Inertial forces at (t, q, v): what F has beyond the applied forces. Returns their size.
static sti_status inertial_forces(sti_stepper* s, double t, const double* q, const double* v, double* c, double* size) {
    sti_status status = sti_system_instant_update(s->system, t, q, v, s->instant);
    if (status == STI_OK) status = sti_system_force(s->system, t, q, v, s->other, NULL, NULL);
    if (status != STI_OK) return status;
    *size = 0;
    for (int i = 0; i < s->n; i++) {
        const double F = s->instant->F[i], k = s->other[i];
        c[i] = fabs(F + k) <= 4e-16 * (fabs(F) + fabs(k)) ? 0 : F + k;
        *size = fmax(*size, fabs(c[i]));
    }
    return STI_OK;
}

// c_v, D1
static sti_status inertial_derivative(sti_stepper* s, double t, const double* q) {
    const double speed = sti_vector_largest(s->n, s->v), step = speed > 0 ? speed : 1;
    double size;
    memcpy(s->v_other, s->v, (size_t)s->n * sizeof *s->v);
    for (int j = 0; j < s->n; j++) {
        for (int side = 0; side < 2; side++) {
            s->v_other[j] = s->v[j] + (side == 0 ? step : -step);
            const sti_status status = inertial_forces(s, t, q, s->v_other, s->k0, &size);
            if (status != STI_OK) return status;
            for (int i = 0; i < s->n; i++) {
                double* entry = &s->c_v[sti_at(s->n, i, j)];
                *entry = side == 0 ? s->k0[i] : (*entry - s->k0[i]) / (2 * step);
            }
        }
        s->v_other[j] = s->v[j];
    }
    return STI_OK;
}

// What the caller gave: G v = -c. (c_v is -G here.)
static sti_status check_inertial(const sti_stepper* s, double t, double size) {
    for (int i = 0; i < s->n; i++) {
        const double c = sti_vector_dot(s->n, s->c_v + sti_at(s->n, i, 0), s->v);
        if (!(fabs(c - s->c[i]) <= 1e-6 * size))
            return STI_FAIL(s->env, STI_ERR_INPUT, i,
                            "inertial: at t = %g row %d of G v is %.6g, and minus the inertial forces is %.6g", t, i,
                            -c, -s->c[i]);
    }
    return STI_OK;
}

// c, and G in c_v. The instant is the one at (t, q, v) afterwards.
static sti_status inertia(sti_stepper* s, double t, const double* q) {
    const size_t n = (size_t)s->n;
    double size;
    memset(s->c_v, 0, n * n * sizeof *s->c_v);
    sti_status status = inertial_forces(s, t, q, s->v, s->c, &size);
    if (status != STI_OK || size == 0) return status;
    const bool ahead = s->options.geometry == STI_GEOMETRY_AHEAD;
    if (!ahead && s->options.inertial != NULL) {
        if (!s->options.inertial(s->options.inertial_user, t, q, s->v, s->c_v))
            return STI_FAIL(s->env, STI_ERR_INPUT, -1, "the inertial matrix is not known at t = %g", t);
        for (size_t i = 0; i < n * n; i++) s->c_v[i] = -s->c_v[i];
        return check_inertial(s, t, size);
    }
    status = inertial_derivative(s, t, q);
    for (size_t i = 0; !ahead && i < n * n; i++) s->c_v[i] /= 2;
    return status == STI_OK ? sti_system_instant_update(s->system, t, q, s->v, s->instant) : status;
}

// Q and f = Q v + alpha k~
static void fill_motion(sti_stepper* s, double h) {
    const int n = s->n;
    const double alpha = s->alpha, weight = s->options.geometry == STI_GEOMETRY_AHEAD ? 0.5 : alpha;
    double *Q = s->impulses.Q, *f = s->impulses.f;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        Q[i] = s->instant->M[i] + h * (weight * s->c_v[i] - alpha * s->k_v[i]) - alpha * alpha * h * h * s->k_q[i];
    for (int i = 0; i < n; i++) {
        const double k = (1 - alpha) * s->k0[i] + alpha * s->k1[i] - s->c[i];
        const double k_tilde = h * k + alpha * h * h * sti_vector_dot(n, s->k_q + sti_at(n, i, 0), s->v);
        f[i] = sti_vector_dot(n, Q + sti_at(n, i, 0), s->v) + alpha * k_tilde;
    }
}

sti_status sti_step_alpha_pose(sti_stepper* s, double h) {
    const double ahead = s->options.geometry == STI_GEOMETRY_AHEAD ? h / 2 : 0;
    for (int i = 0; i < s->n; i++) s->q_ahead[i] = s->q[i] + ahead * s->v[i];
    sti_status status = STI_OK;
    double moved;
    if (ahead > 0 && s->initial->rank < s->joint_count)  // D2
        status = sti_step_project(s, s->time + ahead, false, s->q_ahead, &moved);
    if (status == STI_OK) status = inertia(s, s->time + ahead, s->q_ahead);
    if (status == STI_OK) status = sti_system_force(s->system, s->time, s->q, s->v, s->k0, NULL, NULL);
    if (status == STI_OK) status = sti_system_force(s->system, s->time + h, s->q, s->v, s->k1, s->k_q, s->k_v);
    if (status != STI_OK) return status;
    sti_impulses* p = &s->impulses;
    p->alpha = s->alpha;
    p->count = 0;
    fill_motion(s, h);
    for (int i = 0; i < s->p; i++) {
        if (!s->active[i]) continue;
        const sti_instant_contact* from = &s->instant->contacts[i];
        sti_impulse_contact* c = sti_impulses_add(p, s->instant, i, s->slides[i] ? from->mu_kinetic : from->mu);
        if (s->options.level == STI_LEVEL_GAP && !c->bilateral) c->b_n += s->gap[i] / h;
    }
    return STI_OK;
}

static sti_status solve(sti_stepper* s) {
    sti_impulses* p = &s->impulses;
    return s->options.friction == STI_FRICTION_CONE ? sti_impulses_solve_cone(p) : sti_impulses_solve(p);
}

// Largest gap of a joint, as a length, at the end of the step with the weighted velocity of the problem; gap_trial has
// all of them.
static sti_status joint_gap(sti_stepper* s, double h, double* worst) {
    for (int i = 0; i < s->n; i++) s->q_trial[i] = s->q[i] + h * s->impulses.u[i];
    *worst = 0;
    const sti_status status = sti_system_gap(s->system, s->time + h, s->q_trial, s->gap_trial);
    for (int i = s->p - s->joint_count; i < s->p; i++)
        *worst = fmax(*worst, fabs(sti_step_gap_length(s, i, s->gap_trial[i])));
    return status;
}

// D3
static sti_status close_joints(sti_stepper* s, double h) {
    sti_impulses* p = &s->impulses;
    const double fits = 1e-13 * (1 + sti_vector_largest(s->n, s->q));
    double worst;
    sti_status status = joint_gap(s, h, &worst);
    for (int round = 0; status == STI_OK && p->outcome == STI_SOLVED && worst > fits; round++) {
        if (round == CLOSING_ROUNDS) {
            p->outcome = STI_LIMIT;
            snprintf(p->why, sizeof p->why, "joints at the level of positions: %.3g off after %d rounds", worst, round);
            return STI_OK;
        }
        for (int j = 0; j < p->count; j++) {
            sti_impulse_contact* c = &p->contacts[j];
            if (c->contact < s->p - s->joint_count) continue;
            c->b_n = s->gap_trial[c->contact] / h - sti_vector_dot(s->n, c->n, p->u);
        }
        status = solve(s);
        if (status == STI_OK && p->outcome == STI_SOLVED) status = joint_gap(s, h, &worst);
    }
    return status;
}

sti_status sti_step_alpha(sti_stepper* s, double h) {
    sti_status status = sti_step_alpha_pose(s, h);
    if (status != STI_OK) return status;
    sti_impulses* p = &s->impulses;
    const bool positions = s->options.index == 3 && s->joint_count > 0;
    p->nearing = positions;
    status = solve(s);
    if (status == STI_OK && positions && p->outcome == STI_SOLVED) status = close_joints(s, h);
    if (status != STI_OK || p->outcome != STI_SOLVED) return status;
    const double alpha = s->alpha;
    for (int i = 0; i < s->n; i++) {
        s->u_trial[i] = p->u[i];
        s->q_trial[i] = s->q[i] + h * p->u[i];
        s->v_trial[i] = (p->u[i] - (1 - alpha) * s->v[i]) / alpha;
    }
    return STI_OK;
}
