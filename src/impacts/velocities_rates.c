// velocities_rates.c: rates of the quasi-velocities under given contact forces, S1 (24).
//
//     d/dt qdot_norm = G lambda_bar + n_q'H_T lambda_t - n_q'F + d/dt(n_q'M) qdot,      lambda_bar = |n| lambda_n
//     d/dt qdot_tan  =               t_q'H_T lambda_t - t_q'F + d/dt(t_q'M) qdot
//
// The last terms. n_q'M has rows n_i / |n_i|, so with |n|^2 = n'M^-1 n
//
//     d/dt(n_q'M) qdot = (d/dt n)'qdot / |n| - qdot_norm d/dt|n| / |n|
//     d/dt|n| / |n|    = n_q'(d/dt n) / |n| - n_q'(d/dt M) n_q / 2
//
// For t_q the frame has to be followed. Constant t_q'M t_q = D_t^-1 and n't_q = 0 leave only its turning free; without
// any,
//
//     d/dt t_q = -t_q D_t (t_q'(d/dt M) t_q) / 2 - n_q D_n C,         C = (d/dt n / |n|)'t_q
//     d/dt(t_q'M) qdot = t_q'(d/dt M) qdot - (t_q'(d/dt M) t_q) D_t qdot_tan / 2 - C'D_n qdot_norm.
//
// Departure: the paper writes lambda_bar with two dots in (24); it is the lambda_bar of (25).
#include <math.h>
#include <stiction/velocities.h>
#include <string.h>

#include "linalg/dense_algebra.h"

static size_t area(int rows, int cols) {
    return (size_t)rows * (size_t)cols;
}

// A contact lasts when its part of the velocity is rounding.
#define LASTS 1e-9

static void add_forces(const sti_velocities* k, const double* lambda_n, const double* lambda_t, double* out) {
    const int c = k->count, d = k->tangent_count, s = k->slip_count;
    for (int i = 0; i < c; i++) {
        out[i] = sti_vector_dot(s, k->n_H + area(i, s), lambda_t) - k->F_norm[i];
        for (int j = 0; j < c; j++) out[i] += k->G[area(i, c) + (size_t)j] * k->norm[j] * lambda_n[j];
    }
    for (int i = 0; i < d; i++) out[c + i] = sti_vector_dot(s, k->t_H + area(i, s), lambda_t) - k->F_tan[i];
}

// What an instant alone tells.
static void add_known(const sti_velocities* k, const sti_instant* instant, double* rate) {
    const double speed = sqrt(2 * k->T);
    for (int i = 0; i < k->count; i++) {
        const sti_instant_contact* contact = &instant->contacts[k->contact[i]];
        const bool lasts = contact->n_offset == 0 && fabs(k->qdot_norm[i]) <= LASTS * speed;
        rate[i] += lasts ? contact->n_rate / k->norm[i] : (double)NAN;
    }
    for (int i = 0; i < k->tangent_count; i++) rate[k->count + i] += speed == 0 ? 0 : (double)NAN;
}

static void add_motion(const sti_velocities* k, const sti_velocities_motion* motion, double* work, double* rate) {
    const int n = k->n, c = k->count, d = k->tangent_count;
    double *pushed = work, *y = pushed + n, *z = y + c;  // (d/dt M) qdot; D_n qdot_norm; D_t qdot_tan
    sti_small_apply(n, n, motion->M_rate, k->qdot, pushed);
    sti_small_apply(c, c, k->D_n, k->qdot_norm, y);
    sti_small_apply(d, d, k->D_t, k->qdot_tan, z);
    for (int i = 0; i < c; i++) {
        const double *n_q = k->n_q + area(i, n), *n_rate = motion->n_rate + area(i, n);
        const double growth =
            sti_vector_dot(n, n_q, n_rate) / k->norm[i] - 0.5 * sti_small_form(n, motion->M_rate, n_q, n_q);
        rate[i] += sti_vector_dot(n, n_rate, k->qdot) / k->norm[i] - k->qdot_norm[i] * growth;
    }
    for (int i = 0; i < d; i++) {
        const double* t_q = k->t_q + area(i, n);
        double own = sti_vector_dot(n, t_q, pushed);
        for (int j = 0; j < d; j++) own -= 0.5 * sti_small_form(n, motion->M_rate, t_q, k->t_q + area(j, n)) * z[j];
        for (int j = 0; j < c; j++) own -= sti_vector_dot(n, motion->n_rate + area(j, n), t_q) / k->norm[j] * y[j];
        rate[c + i] += own;
    }
}

sti_status sti_velocities_rates_of(sti_env* env, const sti_velocities* k, const sti_instant* instant,
                                   const double* lambda_n, const double* lambda_t, const sti_velocities_motion* motion,
                                   double* rate, double* from_forces) {
    if (instant->n != k->n)
        return STI_FAIL(env, STI_ERR_ARGUMENT, instant->n, "an instant of %d velocities, and %d quasi-velocities",
                        instant->n, k->n);
    if (k->singular) return STI_FAIL(env, STI_ERR_INPUT, -1, "M: singular, and rates need its inverse");
    add_forces(k, lambda_n, lambda_t, from_forces);
    memcpy(rate, from_forces, area(k->count + k->tangent_count, 1) * sizeof *rate);
    if (motion == NULL) {
        add_known(k, instant, rate);
        return STI_OK;
    }
    double* work = sti_alloc_array(env, (size_t)(k->n + k->count + k->tangent_count), sizeof *work);
    if (work == NULL) return STI_ERR_MEMORY;
    add_motion(k, motion, work, rate);
    sti_free(env, work);
    return STI_OK;
}
