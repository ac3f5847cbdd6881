// contact_families.h: random small contact problems of the kinds that have led solvers astray, from a seed.
//
// Data are dyadic fractions wherever W is computed from H and M, so that the local form is exactly what it was made
// from, and "no solution" is a statement about the numbers and not about their rounding.
#ifndef TESTS_SUPPORT_CONTACT_FAMILIES_H
#define TESTS_SUPPORT_CONTACT_FAMILIES_H

#include <math.h>
#include <stiction/contact.h>
#include <string.h>

#include "base/rng.h"

#define FAMILY_LIST(X)                                                    \
    X(FAMILY_PLAIN, "plain")                                              \
    X(FAMILY_JOINTS, "joints")          /* with bilateral rows */         \
    X(FAMILY_SCALED, "contacts scaled") /* forces and velocities alike */ \
    X(FAMILY_UNEVEN, "H scaled, w not")                                   \
    X(FAMILY_MASSES, "masses scaled")                                     \
    X(FAMILY_FRICTION, "mu from 0 to 1e12")                               \
    X(FAMILY_RANK_ONE, "rank 1")                                          \
    X(FAMILY_REDUNDANT, "redundant contacts")                             \
    X(FAMILY_INFEASIBLE, "infeasible")                                    \
    X(FAMILY_INFEASIBLE_SCALED, "infeasible, scaled")                     \
    X(FAMILY_DEGENERATE, "q = 0 in places")                               \
    X(FAMILY_APART, "two of them apart") /* of other sizes */             \
    X(FAMILY_LARGE, "many contacts")

#define STI_X(code, text) code,
enum { FAMILY_LIST(STI_X) FAMILY_COUNT };
#undef STI_X

static inline const char* family_text(int which) {
#define STI_X(code, text) text,
    static const char* const texts[] = {FAMILY_LIST(STI_X)};
#undef STI_X
    return texts[which];
}

enum { CASE_CONTACTS = 40, CASE_ROWS = 3 * CASE_CONTACTS, CASE_VELOCITIES = 60, CASE_JOINTS = 2 };

// Everything dense, and owned.
typedef struct contact_case {
    double M[CASE_VELOCITIES * CASE_VELOCITIES], H[CASE_VELOCITIES * CASE_ROWS], G[CASE_VELOCITIES * CASE_JOINTS];
    double f[CASE_VELOCITIES], w[CASE_ROWS], b[CASE_JOINTS], mu[CASE_CONTACTS];
    double W[CASE_ROWS * CASE_ROWS], q[CASE_ROWS];
    sti_contact_problem p;
} contact_case;

// a fraction with few digits, in (-4, 4)
static inline double case_number(sti_rng* rng) {
    return sti_rng_int(rng, -63, 63) / 16.0;
}

// 2^k, k in [-27, 27]: from 1e-8 to 1e8
static inline double case_scale(sti_rng* rng) {
    return ldexp(1, sti_rng_int(rng, -27, 27));
}

static inline double case_friction(sti_rng* rng, int which) {
    static const double extreme[] = {0, 1e-12, 1e-6, 0.3, 1, 1e2, 1e6, 1e12};
    if (which == FAMILY_FRICTION) return extreme[sti_rng_int(rng, 0, 7)];
    return sti_rng_int(rng, 0, 9) == 0 ? 0 : sti_rng_u01(rng);
}

static inline void case_fill(contact_case* k, sti_rng* rng, int which) {
    sti_contact_problem* p = &k->p;
    const int d = p->dimension, n = d * p->contact_count, nv = p->velocity_count, nb = p->bilateral_count;
    const bool sparse = which == FAMILY_LARGE;
    for (int c = 0; c < p->contact_count; c++) k->mu[c] = case_friction(rng, which);
    for (int i = 0; i < nv; i++) {
        k->M[i * nv + i] = ldexp(1, sti_rng_int(rng, -1, 1));
        k->f[i] = case_number(rng);
        for (int j = 0; j < n; j++) {  // with many contacts each touches a few velocities
            const int body = j / d * nv / p->contact_count;
            k->H[i * n + j] = sparse && (i < body - 5 || i > body + 5) ? 0 : case_number(rng);
        }
        for (int j = 0; j < nb; j++) k->G[i * nb + j] = case_number(rng);
    }
    for (int j = 0; j < n; j++) k->w[j] = sti_rng_int(rng, 0, 1) ? case_number(rng) : 0;
    for (int j = 0; j < nb; j++) k->b[j] = case_number(rng);
}

// column of contact c, in all its directions, times s
static inline void case_scale_contact(contact_case* k, int c, double s, bool with_w) {
    const int d = k->p.dimension, n = d * k->p.contact_count;
    for (int j = d * c; j < d * c + d; j++) {
        for (int i = 0; i < k->p.velocity_count; i++) k->H[i * n + j] *= s;
        if (with_w) k->w[j] *= s;
    }
}

// Contact c like contact `of`, its normal turned by sign.
static inline void case_repeat_contact(contact_case* k, int c, int of, double sign) {
    const int d = k->p.dimension, n = d * k->p.contact_count;
    for (int t = 0; t < d; t++) {
        for (int i = 0; i < k->p.velocity_count; i++) k->H[i * n + d * c + t] = sign * k->H[i * n + d * of + t];
        k->w[d * c + t] = sign * k->w[d * of + t];
    }
}

// Two walls that close: the first two contacts cannot both part or stay
static inline void case_close_walls(contact_case* k, sti_rng* rng) {
    case_repeat_contact(k, 1, 0, -1);
    k->w[0] = case_number(rng);
    k->w[k->p.dimension] = -k->w[0] - (1 + sti_rng_int(rng, 0, 15)) / 16.0;
}

static inline void case_scale_masses(contact_case* k, sti_rng* rng) {
    const int nv = k->p.velocity_count;
    const bool pushed = sti_rng_int(rng, 0, 1);  // forces in proportion, or not
    for (int i = 0; i < nv; i++) {
        const double s = case_scale(rng);
        k->M[i * nv + i] *= s;
        if (pushed) k->f[i] *= s;
    }
}

// The first contacts touch the first velocities, the others the rest, and the data of these are larger or smaller by
// far. Half of the time the first ones are two walls that close.
static inline void case_part(contact_case* k, sti_rng* rng) {
    const int d = k->p.dimension, nc = k->p.contact_count, nv = k->p.velocity_count, n = d * nc;
    const int first = nc / 2, velocities = (nv + 1) / 2;
    const double s = case_scale(rng);
    if (first > 1 && sti_rng_int(rng, 0, 1)) case_close_walls(k, rng);
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < n; j++) k->H[i * n + j] = (j < d * first) == (i < velocities) ? k->H[i * n + j] : 0;
        if (i >= velocities) k->f[i] *= s;
    }
    for (int j = d * first; j < n; j++) k->w[j] *= s;
}

static inline void case_shape(contact_case* k, sti_rng* rng, int which) {
    const int d = k->p.dimension, nc = k->p.contact_count;
    if (which == FAMILY_MASSES) case_scale_masses(k, rng);
    for (int c = 1; c < nc && which == FAMILY_REDUNDANT; c++) {
        if (sti_rng_int(rng, 0, 1)) case_repeat_contact(k, c, sti_rng_int(rng, 0, c - 1), 1);
    }
    if ((which == FAMILY_INFEASIBLE || which == FAMILY_INFEASIBLE_SCALED) && nc > 1) case_close_walls(k, rng);
    if (which == FAMILY_APART) case_part(k, rng);
    for (int j = 0; j < d * nc && which == FAMILY_DEGENERATE; j++) {
        if (sti_rng_int(rng, 0, 3) > 0) k->w[j] = 0;
    }
    for (int i = 0; i < k->p.velocity_count && which == FAMILY_DEGENERATE; i++) {
        if (sti_rng_int(rng, 0, 1)) k->f[i] = 0;
    }
    for (int c = 0; c < nc; c++) {
        if (which == FAMILY_SCALED || which == FAMILY_INFEASIBLE_SCALED)
            case_scale_contact(k, c, case_scale(rng), true);
        if (which == FAMILY_UNEVEN) case_scale_contact(k, c, case_scale(rng), false);
    }
}

// W = H'M^-1 H, q = H'M^-1 f + w: exact, since masses are powers of two and the rest has few digits.
static inline void case_make_local(contact_case* k) {
    sti_contact_problem* p = &k->p;
    const int n = p->dimension * p->contact_count, nv = p->velocity_count;
    for (int a = 0; a < n; a++) {
        k->q[a] = k->w[a];
        for (int i = 0; i < nv; i++) k->q[a] += k->H[i * n + a] * (k->f[i] / k->M[i * nv + i]);
        for (int b = 0; b < n; b++) {
            k->W[a * n + b] = 0;
            for (int i = 0; i < nv; i++) k->W[a * n + b] += k->H[i * n + a] * k->H[i * n + b] / k->M[i * nv + i];
        }
    }
    p->global = false;
    p->velocity_count = 0;
    p->W = sti_matrix_dense_view(n, n, k->W);
}

static inline void case_make(contact_case* k, sti_rng* rng, int which) {
    *k = (contact_case){0};
    sti_contact_problem* p = &k->p;
    p->dimension = sti_rng_int(rng, 2, 3);
    p->contact_count = which == FAMILY_LARGE ? sti_rng_int(rng, 20, CASE_CONTACTS) : sti_rng_int(rng, 1, 6);
    p->velocity_count = which == FAMILY_LARGE ? CASE_VELOCITIES : which == FAMILY_RANK_ONE ? 1 : sti_rng_int(rng, 1, 9);
    p->bilateral_count = which == FAMILY_JOINTS ? sti_rng_int(rng, 1, CASE_JOINTS) : 0;
    p->global = true;
    case_fill(k, rng, which);
    case_shape(k, rng, which);
    const int n = p->dimension * p->contact_count, nv = p->velocity_count, nb = p->bilateral_count;
    p->mu = k->mu;
    p->f = k->f;
    p->w = k->w;
    p->q = k->q;
    p->b = k->b;
    p->M = sti_matrix_dense_view(nv, nv, k->M);
    p->H = sti_matrix_dense_view(nv, n, k->H);
    p->G = sti_matrix_dense_view(nv, nb, k->G);
    if (nb == 0 && which != FAMILY_MASSES && sti_rng_int(rng, 0, 1)) case_make_local(k);
}

#endif
