// project.c: the stabilization. Joints and closed contacts are kept at the level of velocities, so their gaps drift;
// after each step the position is moved to
//
//     the nearest q, in the metric of M, at which the gaps of all joints and of all closed contacts vanish
//
// by Newton's method with the least step each time. A contact is closed when it carried an impulse, or when it
// overlaps; with level gap, contacts look after themselves.
// Gaps up to 1e-13 of the size of q are left alone: a body that sticks does not move by a bit. Velocities stay. The
// motion is as small as the drift of one step: O(h^2) with the geometry of the print, O(h^3) with geometry ahead.
//
// Where the equations contradict each other (more closed contacts than can touch at once) least squares are taken, and
// what remains shows as drift and penetration in the report.
//
// Velocities can be settled in the same way: with alpha < 1 the weighted velocity u of a closed contact is right and v
// alternates around it, v+ = -v where u = 0, and so does nu'v of a joint. The nearest v with rates 0 at joints and
// closed contacts, and slips 0 where a contact sticks, does not. It is off by default: S3 figure 2.2 shows the
// alternation.
#include <math.h>
#include <string.h>

#include "step/step.h"

enum { ROUNDS = 6 };

// A gap as a length, whatever the units of its formula; the instant is one near by.
double sti_step_gap_length(const sti_stepper* s, int i, double gap) {
    const double* n = s->instant->contacts[i].n;
    const double length = sqrt(sti_vector_dot(s->n, n, n));
    return length > 0 ? gap / length : gap;
}

static bool wanted(const sti_stepper* s, int i, double size, bool contacts) {
    if (i >= s->p - s->joint_count) return true;
    if (!contacts || s->options.level != STI_LEVEL_VELOCITY) return false;
    return (s->active[i] && s->mode[i] != STI_MODE_SEPARATE) || sti_step_gap_length(s, i, s->gap_work[i]) < -size;
}

// Whether there may be something to do, as far as gaps alone tell.
static bool may_move(const sti_stepper* s, bool contacts) {
    bool may = false;
    for (int i = 0; i < s->p; i++) {
        const bool closed = i >= s->p - s->joint_count || (s->active[i] && s->mode[i] != STI_MODE_SEPARATE);
        may = may || (closed ? s->gap_work[i] != 0 : contacts && s->gap_work[i] < 0);
    }
    return may;
}

// dq, the least in the metric of M with rows dq = defect, k of them.
static sti_status least_move(sti_stepper* s, int k) {
    memset(s->other, 0, (size_t)s->n * sizeof *s->other);
    sti_bordered b = {.n = s->n,
                      .k = k,
                      .M = s->instant->M,
                      .A = s->rows,
                      .f = s->other,
                      .g = s->defect,
                      .x = s->dq,
                      .y = s->multiplier};
    return sti_bordered_solve(s->env, &b);
}

sti_status sti_step_project(sti_stepper* s, double t, bool contacts, double* q, double* moved) {
    const int n = s->n;
    const double size = 1e-13 * (1 + sti_vector_largest(n, q));
    *moved = 0;
    for (int round = 0; round < ROUNDS; round++) {
        sti_status status = sti_system_gap(s->system, t, q, s->gap_work);
        if (status != STI_OK || !may_move(s, contacts)) return status;
        status = sti_system_instant_update(s->system, t, q, s->v, s->instant);
        if (status != STI_OK) return status;
        double worst = 0;
        for (int i = 0; i < s->p; i++) {
            if (wanted(s, i, size, contacts)) worst = fmax(worst, fabs(sti_step_gap_length(s, i, s->gap_work[i])));
        }
        if (worst <= size) return STI_OK;
        int k = 0;
        for (int i = 0; i < s->p; i++) {
            if (!wanted(s, i, size, contacts)) continue;
            memcpy(s->rows + sti_at(n, k, 0), s->instant->contacts[i].n, (size_t)n * sizeof *s->rows);
            s->defect[k++] = -s->gap_work[i];
        }
        status = least_move(s, k);
        if (status != STI_OK) return status;
        for (int i = 0; i < n; i++) q[i] += s->dq[i];
        *moved = fmax(*moved, sti_vector_largest(n, s->dq));
    }
    return STI_OK;
}

// Row k: gradient and what its rate is too large by.
static void add_row(sti_stepper* s, int k, const double* gradient, double offset, const double* v) {
    memcpy(s->rows + sti_at(s->n, k, 0), gradient, (size_t)s->n * sizeof *s->rows);
    s->defect[k] = -(sti_vector_dot(s->n, gradient, v) + offset);
}

sti_status sti_step_settle(sti_stepper* s, double t, const double* q, double* v) {
    const int n = s->n;
    sti_status status = sti_system_instant_update(s->system, t, q, v, s->instant);
    if (status != STI_OK) return status;
    int k = 0;
    for (int i = 0; i < s->p; i++) {
        const sti_instant_contact* c = &s->instant->contacts[i];
        const bool joint = i >= s->p - s->joint_count;
        if (!joint && (!s->active[i] || s->mode[i] == STI_MODE_SEPARATE)) continue;
        add_row(s, k++, c->n, c->n_offset, v);
        if (s->mode[i] != STI_MODE_STICK || !(c->mu > 0)) continue;
        for (int a = 0; a < c->tangent_count; a++)
            add_row(s, k++, c->t + sti_at(n, a, 0), c->t_offset != NULL ? c->t_offset[a] : 0, v);
    }
    if (k == 0) return STI_OK;
    status = least_move(s, k);
    for (int i = 0; status == STI_OK && i < n; i++) v[i] += s->dq[i];
    return status;
}
