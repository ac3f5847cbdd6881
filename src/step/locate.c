// locate.c: collisions inside a step, S3 (2.2.12) and after.
//
// The step without the contacts that are open goes from (q, v) to (q_trial, v_trial). On the cubic with these ends and
// slopes,
//
//     q~(tau) = H_0 q + H_1 h v + H_2 q_trial + H_3 h v_trial,
//
// the least gap of all contacts that are open now and crossed at the end changes its sign. Its root is found by
// bisection mixed with the secant method (Illinois); the end of the last interval where the gap is not positive is
// returned, so the contact counts as touching there. Contacts that cross and come back within the step are not seen. A
// contact that touches at tau = 0 and opens has its root behind a time at which it is open; tau = 0 is the answer when
// there is no such time down to h / 2^40.
#include <math.h>
#include <string.h>

#include "step/step.h"

enum { LIFT_HALVINGS = 40 };

static void cubic(const sti_stepper* s, double h, double tau, double* q, double* v) {
    const double x = tau / h, y = 1 - x;
    const double h0 = (1 + 2 * x) * y * y, h1 = x * y * y, h2 = x * x * (3 - 2 * x), h3 = -x * x * y;
    const double d0 = 6 * x * (x - 1), d1 = y * (1 - 3 * x), d3 = x * (3 * x - 2);
    for (int i = 0; i < s->n; i++) {
        q[i] = h0 * s->q[i] + h1 * h * s->v[i] + h2 * s->q_trial[i] + h3 * h * s->v_trial[i];
        v[i] = d0 * (s->q[i] - s->q_trial[i]) / h + d1 * s->v[i] + d3 * s->v_trial[i];
    }
}

// Least gap of the contacts that cross; which.
static sti_status least_gap(sti_stepper* s, double h, double tau, double* gap, int* which) {
    cubic(s, h, tau, s->root_q, s->root_v);
    const sti_status status = sti_system_gap(s->system, s->time + tau, s->root_q, s->gap_work);
    *gap = INFINITY;
    *which = -1;
    for (int i = 0; status == STI_OK && i < s->p - s->joint_count; i++) {
        if (s->active[i] || !(s->gap_trial[i] < -s->options.gap_tol) || !(s->gap_work[i] < *gap)) continue;
        *gap = s->gap_work[i];
        *which = i;
    }
    return status;
}

sti_status sti_step_locate(sti_stepper* s, double h, double* tau, int* which) {
    double a = 0, b = h, gap_a = INFINITY, gap_b = 0;
    *which = -1;
    sti_status status = sti_system_gap(s->system, s->time + h, s->q_trial, s->gap_trial);
    if (status == STI_OK) status = least_gap(s, h, h, &gap_b, which);
    if (status != STI_OK || *which < 0) return status;
    int first = *which;
    for (int i = 0; i < s->p - s->joint_count; i++) {
        if (!s->active[i] && s->gap_trial[i] < -s->options.gap_tol) gap_a = fmin(gap_a, s->gap[i]);
    }
    // a contact that touches now and opens: look for a time at which it is open
    for (int k = 0; k < LIFT_HALVINGS && gap_a <= 0; k++) {
        int contact;
        a = k == 0 ? h / 2 : a / 2;
        status = least_gap(s, h, a, &gap_a, &contact);
        if (status != STI_OK) return status;
        if (gap_a <= 0) {
            b = a;
            gap_b = gap_a;
            first = contact;
        }
    }
    if (gap_a <= 0) {
        *tau = 0;
        *which = first;
        return STI_OK;
    }
    // gap_a > 0 >= gap_b throughout
    double weight_a = gap_a, weight_b = gap_b;
    for (int k = 0; k < 200 && b - a > 2e-16 * (h + a) && gap_b < 0; k++) {
        const double secant = a + (b - a) * weight_a / (weight_a - weight_b);
        double x = k % 4 == 3 || !(secant > a && secant < b) ? a + (b - a) / 2 : secant;
        if (!(x > a && x < b)) break;
        double gap;
        int contact;
        status = least_gap(s, h, x, &gap, &contact);
        if (status != STI_OK) return status;
        if (gap > 0) {
            a = x;
            weight_a = gap;
            weight_b /= 2;
        } else {
            b = x;
            gap_b = weight_b = gap;
            weight_a /= 2;
            first = contact;
        }
    }
    *tau = b;
    *which = first;
    cubic(s, h, b, s->root_q, s->root_v);
    return sti_system_gap(s->system, s->time + b, s->root_q, s->gap_work);
}
