// quasistatic.c: the step without inertia, S3 (2.4.13) to (2.4.16), with errata S3-E8 and S3-E9.
//
//     E h v = h k_0 + W_n h lambda_n + W_f h lambda_f + nu h c
//     0 <= Psi_n + W_n' h v + h Psi_n,t                _|_  h lambda_n >= 0
//     0 <= W_f' h v + h Psi_f,t + E_f h sigma          _|_  h lambda_f >= 0
//     0 <= U h lambda_n - E_f' h lambda_f              _|_  h sigma    >= 0
//     0  = Theta + nu' h v + h Theta_t,                q+ = q + h v
//
// The damping E is what the system's forces say: E = -k_v at (t, q, 0), so a support that moves with the body changes
// with q (errata S3-E25), and k_0 = k(t, q, 0) are forces that act at rest. Unknown is u = h v as printed: (2.4.20)
// keeps its units. Kinetic energy plays no part. Outcome STI_NO_SOLUTION is the jam of S3 figure 2.8: the control has
// to be refused.
#include <math.h>
#include <string.h>

#include "step/step.h"

sti_status sti_step_quasistatic_pose(sti_stepper* s, double h) {
    memset(s->other, 0, (size_t)s->n * sizeof *s->other);
    sti_status status = sti_system_instant_update(s->system, s->time, s->q, s->other, s->instant);
    if (status == STI_OK) status = sti_system_force(s->system, s->time, s->q, s->other, s->k0, NULL, s->k_v);
    if (status != STI_OK) return status;
    sti_impulses* p = &s->impulses;
    p->alpha = 1;
    p->count = 0;
    for (size_t i = 0; i < (size_t)s->n * (size_t)s->n; i++) p->Q[i] = -s->k_v[i];
    for (int i = 0; i < s->n; i++) p->f[i] = h * s->k0[i];
    for (int i = 0; i < s->p; i++) {
        if (!s->active[i]) continue;
        sti_impulse_contact* c = sti_impulses_add(p, s->instant, i, s->instant->contacts[i].mu);
        c->b_n = s->gap[i] + h * c->b_n;
        c->b_t[0] *= h;
        c->b_t[1] *= h;
    }
    return STI_OK;
}

sti_status sti_step_quasistatic(sti_stepper* s, double h) {
    sti_status status = sti_step_quasistatic_pose(s, h);
    if (status != STI_OK) return status;
    sti_impulses* p = &s->impulses;
    status = s->options.friction == STI_FRICTION_CONE ? sti_impulses_solve_cone(p) : sti_impulses_solve(p);
    if (status != STI_OK || p->outcome != STI_SOLVED) return status;
    for (int i = 0; i < s->n; i++) {
        s->u_trial[i] = s->v_trial[i] = p->u[i] / h;
        s->q_trial[i] = s->q[i] + p->u[i];
    }
    return STI_OK;
}
