// actuation.c: a mode brought about by actuators: is the claimed margin within reach, and can it not be larger?
//
// Reach: tau within its bounds, G_f (w, 1) + |G_f| t <= 0 and E (w, 1) = 0 at the claimed tau and t. No larger: with
// the claimed multipliers y >= 0, z, sum y_f |G_f| = 1, every tau within the bounds has
//
//     t <= -sum_f y_f G_f (w, 1) + sum_e z_e E_e (w, 1),
//
// and the right side, affine in tau, is largest at a corner of the box. All in long double, on the nearest doubles of
// the data.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stiction/actuation.h>

#include "base/env.h"

typedef struct lever {
    int n;
    bool wide;
    const sti_rationals* base;
    const sti_actuators* by;
} lever;

// (constant, coefficient of each actuator) of row (w, 1), one at a time: which = 0 the constant. *size: of the terms.
static long double product(const lever* k, const sti_rows* rows, int row, int which, long double* size) {
    long double sum = 0;
    const size_t at = (size_t)row * (size_t)rows->dimension;
    for (int i = 0; i < k->n; i++) {
        const double w = which == 0 ? sti_rationals_double(k->base, (size_t)i)
                                    : sti_rationals_double(k->by->direction, (size_t)((which - 1) * k->n + i));
        const long double term = (long double)sti_rationals_double(rows->exact, at + (size_t)i) * w;
        sum += term;
        *size += fabsl(term);
    }
    if (which == 0 && k->wide) sum += sti_rationals_double(rows->exact, at + (size_t)k->n);
    return sum;
}

static long double norm(const lever* k, const sti_rows* rows, int row) {
    long double sum = 0;
    for (int i = 0; i < k->n; i++) {
        const long double x = sti_rationals_double(rows->exact, (size_t)row * (size_t)rows->dimension + (size_t)i);
        sum += x * x;
    }
    return sqrtl(sum);
}

static long double value(const lever* k, const sti_rows* rows, int row, const double* tau, long double* size) {
    long double sum = product(k, rows, row, 0, size);
    for (int a = 0; a < k->by->count; a++) sum += product(k, rows, row, 1 + a, size) * tau[a];
    return sum;
}

static long double within_bounds(const lever* k, const double* tau) {
    long double worst = 0;
    for (int a = 0; a < k->by->count; a++) {
        const long double low = sti_rationals_double(k->by->low, (size_t)a),
                          high = sti_rationals_double(k->by->high, (size_t)a);
        worst = fmaxl(worst, fmaxl(low - tau[a], tau[a] - high));
    }
    return worst;
}

// How much larger t could be: the least upper bound that the multipliers give, less t.
static long double room_above(const lever* k, const sti_rows* faces, const sti_rows* equations,
                              const sti_actuation* a) {
    long double bound = 0, size = 0, weight = 0;
    for (int which = 0; which <= k->by->count; which++) {
        long double c = 0;
        for (int f = 0; f < faces->count; f++) c -= a->face_multiplier[f] * product(k, faces, f, which, &size);
        for (int e = 0; e < equations->count; e++)
            c += a->equation_multiplier[e] * product(k, equations, e, which, &size);
        if (which == 0) {
            bound += c;
            continue;
        }
        const double low = sti_rationals_double(k->by->low, (size_t)(which - 1)),
                     high = sti_rationals_double(k->by->high, (size_t)(which - 1));
        bound += fmaxl(c * low, c * high);
    }
    for (int f = 0; f < faces->count; f++) {
        if (!(a->face_multiplier[f] >= 0)) return INFINITY;
        weight += a->face_multiplier[f] * norm(k, faces, f);
    }
    return fabsl(weight - 1) > 1e-9L ? INFINITY : bound - a->margin;
}

sti_status sti_verify_actuation(sti_env* env, const sti_mode_wrenches* wrenches, int n, const sti_rationals* base,
                                const sti_actuators* actuators, const sti_actuation* claim, double tol,
                                sti_actuation_verification* out) {
    *out = (sti_actuation_verification){.gap = NAN};
    if (claim->count != actuators->count || claim->n != n)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the claim is about %d actuators", claim->count);
    const lever k = {.n = n, .wide = !wrenches->is_cone, .base = base, .by = actuators};
    const sti_rows faces = sti_polycone_inequalities(wrenches->cone),
                   equations = sti_polycone_equations(wrenches->cone);
    if (!claim->reachable) {
        snprintf(out->text, sizeof out->text, "out of reach: not looked at here");
        return STI_OK;
    }
    bool has_face = false;
    out->bounds = (double)within_bounds(&k, claim->tau);
    for (int f = 0; f < faces.count; f++) {
        long double size = 0;
        const long double length = norm(&k, &faces, f), G = value(&k, &faces, f, claim->tau, &size);
        if (length > 0) out->faces = fmax(out->faces, (double)((G / length + claim->margin) / (1 + size / length)));
        has_face = has_face || length > 0;
    }
    for (int e = 0; e < equations.count; e++) {
        long double size = 0;
        out->equations =
            fmax(out->equations, (double)(fabsl(value(&k, &equations, e, claim->tau, &size)) / (1 + size)));
    }
    if (has_face) out->gap = (double)room_above(&k, &faces, &equations, claim) / (1 + fabs(claim->margin));
    const bool signs = claim->possible == (claim->margin >= 0) && claim->strict == (claim->margin > 0);
    out->accepted =
        out->bounds <= tol && out->faces <= tol && out->equations <= tol && signs && (!has_face || out->gap <= tol);
    snprintf(out->text, sizeof out->text, "%s",
             out->accepted              ? "accepted"
             : !(out->bounds <= tol)    ? "a control is beyond its bounds"
             : !(out->faces <= tol)     ? "a face is nearer than claimed"
             : !(out->equations <= tol) ? "the wrench leaves the hull of the set"
             : !signs                   ? "the margin has another sign"
                                        : "the margin could be larger");
    return STI_OK;
}
