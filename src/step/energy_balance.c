// energy_balance.c: the energy of a step. With E = T + V and mean velocity u,
//
//     E+ = E + work + loss + impact + defect
//
//     work    of applied forces that no potential gives, and of surfaces that move by themselves
//     loss    of friction, c_t'(slip) <= 0
//     impact  of contacts that close, where collisions are not located: normal impulses along (v + v+) / 2
//     defect  what the scheme makes of its own
//
// For alpha = 1/2, constant M and forces linear in q and v the defect is 0: T(v+) - T(v) = u'M (v+ - v), and the
// impulses of closed contacts and joints do no work on u. Otherwise M(q), curved potentials, the cubic that is cut at a
// collision and the projection of positions leave O(h^3) in a step (geometry ahead). A crank that turns by a radian in
// one step is beyond all orders: its energy is seventy times larger after eight steps. So
//
//     1. a piece of a step whose defect is beyond 1e-3 of the kinetic energy is made again with half its length
//     2. the rest of the defect is taken out of, or given back to, the velocity: v+ + beta u with the energy as it
//        should be
//
// The direction u is the one of discrete gradients (Gonzalez 1996): it fits joints, closed contacts and sticking ones,
// and beta is O(h^2), so the order stays. Momentum that the scheme would keep moves by as much. Where there is more
// than u can carry away (a turning point: V alone is beyond the energy) pieces are halved, and what is left is taken
// from the next ones. Energy that is missing is given back in the same piece or never, so energy does not grow.
//
// For alpha > 1/2 the scheme loses (alpha - 1/2) |v+ - v|^2 in the metric of M on purpose: only gains are taken out
// then. Nothing is corrected where a surface moves, since u does not fit a velocity there. Energy is not judged where
// it is not known, where T is not v'M v / 2 or depends on time, and where V changes without any applied force (a C
// function that left k out).
//
// Work of applied forces comes from the formulas k = Q - V_q alone: the integral of k'u over the chord from q to q+,
// three Gauss points, is V - V+ for what has a potential, up to O(h^7), and the rest is work. In time it is weighted as
// in the scheme, (1 - alpha) k(t) + alpha k(t + h).
#include <float.h>
#include <math.h>
#include <string.h>

#include "step/step.h"

static const double fails = 1e-3, most_back = 0.1;

static double quadratic(const sti_stepper* s, const double* x, const double* y) {
    double sum = 0;
    for (int i = 0; i < s->n; i++) sum += x[i] * sti_vector_dot(s->n, s->instant->M + sti_at(s->n, i, 0), y);
    return sum;
}

// The size of its terms, which tells what of it is rounding.
static double quadratic_size(const sti_stepper* s, const double* x) {
    double sum = 0;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) sum += fabs(x[i] * s->instant->M[sti_at(s->n, i, j)] * x[j]);
    return sum;
}

sti_status sti_step_balance_begin(sti_stepper* s, double h) {
    sti_balance* b = &s->balance;
    double later, other;
    *b = (sti_balance){.known = false};
    if (s->options.scheme == STI_SCHEME_QUASISTATIC) return STI_OK;
    sti_status status = sti_system_energy(s->system, s->time, s->q, s->v, &b->T, &b->V);
    if (status != STI_OK || !isfinite(b->T) || !isfinite(b->V)) return status;
    status = sti_system_energy(s->system, s->time + h, s->q, s->v, &later, &other);
    if (status != STI_OK) return status;
    const double T = quadratic(s, s->v, s->v) / 2, size = 1e-12 * quadratic_size(s, s->v);
    b->known = fabs(b->T - T) <= size && fabs(b->T - later) <= size;
    return STI_OK;
}

// Integral of k'mean over the chord of length tau.
static sti_status applied_work(sti_stepper* s, double tau, const double* mean, bool* any, double* work) {
    static const double at[3] = {0.11270166537925831, 0.5, 0.88729833462074169},
                        weight[3] = {5 / 18.0, 8 / 18.0, 5 / 18.0};
    const double alpha = s->alpha;
    const bool timeless =
        s->options.scheme == STI_SCHEME_ALPHA && memcmp(s->k0, s->k1, (size_t)s->n * sizeof *s->k0) == 0;
    *any = false;
    *work = 0;
    for (int g = 0; g < 3; g++) {
        for (int i = 0; i < s->n; i++) s->dq[i] = s->q[i] + at[g] * tau * mean[i];
        for (int end = 0; end < (timeless ? 1 : 2); end++) {
            const double share = timeless ? 1 : end == 0 ? 1 - alpha : alpha;
            const double t = s->time + (end == 1 ? tau : 0);
            if (share == 0) continue;
            const sti_status status = sti_system_force(s->system, t, s->dq, mean, s->other, NULL, NULL);
            if (status != STI_OK) return status;
            *work += tau * weight[g] * share * sti_vector_dot(s->n, s->other, mean);
            *any = *any || sti_vector_largest(s->n, s->other) > 0;
        }
    }
    return STI_OK;
}

// Where contacts are seen by their gaps a step stops what closes, and an impulse changes T by its work on (v + v+) / 2.
// A contact that slides in the convex step lifts and is pressed back: that is its friction. What pushes an overlap
// apart is neither, and left to the defect.
static void closing_work(sti_stepper* s, const sti_impulse_contact* c, int j) {
    sti_balance* b = &s->balance;
    const sti_impulses* p = &s->impulses;
    const sti_instant_contact* from = &s->instant->contacts[c->contact];
    double both = 0, normal = from->n_offset, slip = 0;
    for (int i = 0; i < s->n; i++) {
        const double v = (s->v[i] + s->v_trial[i]) / 2;
        both += c->n[i] * v;
        normal += from->n[i] * v;
        for (int a = 0; a < c->tangent_count; a++) slip += p->c_t[sti_at(2, j, a)] * c->t[sti_at(s->n, a, i)] * v;
    }
    for (int a = 0; a < c->tangent_count && from->t_offset != NULL; a++)
        slip += p->c_t[sti_at(2, j, a)] * from->t_offset[a];
    const int i = c->contact;
    const bool rough = from->mu > 0 && from->tangent_count > 0;
    const bool rubs = rough && s->held[i] && s->slides[i] && isnan(s->collision_at[i]);
    const double whole = p->c_n[j] * (both + from->n_offset) + slip;
    const double closes = c->bilateral || rubs ? 0 : rough ? fmin(p->c_n[j] * normal, 0) : fmin(whole, 0);
    b->impact += closes;
    if (rough) b->loss += fmin(whole - closes, 0);
}

// Impulses of the trial, `share` of each, along mean: work of surfaces, and of friction. At the level of velocities
// normal impulses do no work on surfaces at rest, and friction loses; on a cubic that is cut both hold up to O(h^3)
// only, and the difference belongs to the defect.
static void contact_work(sti_stepper* s, double share, const double* mean) {
    sti_balance* b = &s->balance;
    const sti_impulses* p = &s->impulses;
    const bool exact = s->options.scheme == STI_SCHEME_ALPHA && s->options.level == STI_LEVEL_VELOCITY;
    for (int j = 0; j < p->count; j++) {
        const sti_impulse_contact* c = &p->contacts[j];
        const sti_instant_contact* from = &s->instant->contacts[c->contact];
        double own = p->c_n[j] * from->n_offset, slip = 0;
        b->moving = b->moving || from->n_offset != 0;
        for (int a = 0; a < c->tangent_count; a++) {
            const double c_t = p->c_t[sti_at(2, j, a)], offset = from->t_offset != NULL ? from->t_offset[a] : 0;
            own += c_t * offset;
            slip += c_t * (sti_vector_dot(s->n, c->t + sti_at(s->n, a, 0), mean) + offset);
            b->moving = b->moving || offset != 0;
        }
        // facets of the convex step carry friction in their normals
        for (int a = 0; c->tangent_count == 0 && from->t_offset != NULL && a < from->tangent_count; a++)
            b->known = b->known && from->t_offset[a] == 0;
        b->work -= share * own;
        if (exact)
            b->loss += share * fmin(slip, 0);
        else
            closing_work(s, c, j);
    }
}

// Kinetic energy that the forces at the end of applied_work give a body at rest: where contacts hold them in balance,
// what is left of it is rounding.
static double given(const sti_stepper* s, double tau) {
    double sum = 0;
    for (int i = 0; i < s->n; i++) {
        const double m = s->instant->M[sti_at(s->n, i, i)];
        if (m > 0) sum += tau * s->other[i] * tau * s->other[i] / (2 * m);
    }
    return sum;
}

sti_status sti_step_balance_measure(sti_stepper* s, double tau, double share, const double* mean) {
    sti_balance* b = &s->balance;
    if (!b->known) return STI_OK;
    bool any;
    double applied, kinetic, potential;
    b->work = b->loss = b->impact = 0;
    b->moving = false;
    sti_status status = applied_work(s, tau, mean, &any, &applied);
    for (int i = 0; i < s->n; i++) s->dq[i] = s->q[i] + tau * mean[i];
    if (status == STI_OK) status = sti_system_energy(s->system, s->time + tau, s->dq, mean, &kinetic, &potential);
    if (status != STI_OK) return status;
    const double change = potential - b->V, size = fabs(applied) + fabs(change);
    b->rounding = 16 * DBL_EPSILON * (fabs(b->V) + fabs(potential) + b->T + size + given(s, tau));
    if (!any && fabs(change) > b->rounding) {
        b->known = false;
        return STI_OK;
    }
    if (fabs(applied + change) > 1e-9 * size + b->rounding) b->work = applied + change;
    contact_work(s, share, mean);
    return STI_OK;
}

// beta, and the energy that v + beta mean has beyond the right one; v is not changed.
static sti_status correction(sti_stepper* s, double t, const double* q, const double* v, const double* mean,
                             double excess, double* beta, double* left) {
    *beta = 0;
    *left = excess;
    if (s->balance.moving || fabs(excess) <= s->balance.rounding) return STI_OK;
    const sti_status status = sti_system_instant_update(s->system, t, q, v, s->instant);
    if (status != STI_OK) return status;
    const double a = quadratic(s, mean, mean) / 2, b = quadratic(s, mean, v);
    if (!(a > 0)) return STI_OK;
    const double under = b * b - 4 * a * excess;
    *beta = under > 0 ? -2 * excess / (b + copysign(sqrt(under), b)) : -b / (2 * a);
    if (excess < 0 && !(fabs(*beta) <= most_back)) *beta = 0;
    *left = excess + *beta * (b + *beta * a);
    if (fabs(*left) <= s->balance.rounding) *left = 0;
    return STI_OK;
}

sti_status sti_step_balance_judge(sti_stepper* s, double tau, const double* q, const double* v, const double* mean,
                                  bool* fine) {
    sti_balance* b = &s->balance;
    const bool middle = s->alpha == 0.5;
    double T, V;
    *fine = b->ease = true;
    b->beta = b->left = 0;
    b->defect = NAN;
    if (!b->known) return STI_OK;
    sti_status status = sti_system_energy(s->system, s->time + tau, q, v, &T, &V);
    if (status != STI_OK) return status;
    b->defect = T + V - b->T - b->V - b->work - b->loss - b->impact;
    b->rounding = fmax(b->rounding, 16 * DBL_EPSILON * (T + fabs(V) + fabs(b->work)));
    if (fabs(b->defect) <= b->rounding) b->defect = 0;
    if (s->options.scheme != STI_SCHEME_ALPHA || s->options.level != STI_LEVEL_VELOCITY) return STI_OK;
    const double most = fails * fmax(b->T, T) + b->rounding;
    // below 1/2 the scheme gains as much with any length
    *fine = s->alpha < 0.5 || (b->defect <= most && (!middle || b->defect >= -most));
    b->ease = fabs(b->defect) <= most / 16;
    double excess = b->defect + s->surplus;
    if (excess < 0 && (!middle || !*fine)) excess = 0;
    if (!s->options.balance) return STI_OK;
    status = correction(s, s->time + tau, q, v, mean, excess, &b->beta, &b->left);
    *fine = *fine && (b->moving || s->alpha < 0.5 || b->left <= fmax(s->surplus, 0));
    return status;
}

void sti_step_balance_correct(sti_stepper* s, const double* mean, double* v, sti_step_report* report) {
    const sti_balance* b = &s->balance;
    report->pieces++;
    if (!b->known) {
        report->work = report->loss = report->defect = NAN;
        return;
    }
    report->work += b->work;
    report->loss += b->loss;
    report->collision_energy += b->impact;
    report->defect += fabs(b->defect);
    s->surplus = s->options.balance && !b->moving ? fmax(b->left, 0) : 0;
    if (b->beta == 0) return;
    for (int i = 0; i < s->n; i++) v[i] += b->beta * mean[i];
}
