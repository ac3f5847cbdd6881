// random_instants.h: random instants of small integers and binary fractions: planar and spatial, redundant, degenerate,
// at rest and sliding, unilateral and bilateral, with regular and singular masses. Ties are common.
#ifndef TESTS_SUPPORT_RANDOM_INSTANTS_H
#define TESTS_SUPPORT_RANDOM_INSTANTS_H

#include <math.h>

#include "base/rng.h"
#include "support/instant_tools.h"

typedef struct random_instant {
    tool_instant t;
    int facets;  // 4 in space: pyramids, for those who want them
    int choices[TOOL_CONTACTS], choice_count;
} random_instant;

static const double random_coefficients[] = {0, 0.25, 0.5, 0.5, 1, 2};

static inline void random_instant_mass(random_instant* s, sti_rng* rng) {
    const int n = s->t.instant.n, kind = sti_rng_int(rng, 0, 3);
    for (int j = 0; j < n; j++) s->t.M[j * n + j] = sti_rng_int(rng, kind == 0 ? 0 : 1, 3);
    if (kind != 3) return;
    double v[TOOL_N];  // a semidefinite matrix of rank one added
    for (int j = 0; j < n; j++) v[j] = sti_rng_int(rng, -1, 1);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) s->t.M[j * n + k] += v[j] * v[k];
}

// F and the rates come from accelerations and forces, so that many instances have solutions, then are often disturbed.
static inline void random_instant_load(random_instant* s, sti_rng* rng) {
    sti_instant* in = &s->t.instant;
    const int n = in->n;
    double a[TOOL_N];
    const bool at_rest = sti_rng_int(rng, 0, 1) == 0;
    for (int j = 0; j < n; j++) a[j] = at_rest ? 0 : sti_rng_int(rng, -2, 2);
    for (int j = 0; j < n; j++) {
        s->t.F[j] = 0;
        for (int k = 0; k < n; k++) s->t.F[j] -= s->t.M[j * n + k] * a[k];
    }
    for (int i = 0; i < in->contact_count; i++) {
        sti_instant_contact* c = &s->t.contact[i];
        const double normal = sti_rng_int(rng, c->bilateral ? -4 : 0, 4);
        c->n_rate = 0;
        for (int j = 0; j < n; j++) {
            c->n_rate -= s->t.n[i][j] * a[j];
            s->t.F[j] += s->t.n[i][j] * normal;
        }
        for (int k = 0; k < c->tangent_count; k++) {
            const double force = c->mu * fabs(normal) * sti_rng_int(rng, -2, 2) / (k == 0 ? 2 : 4);
            s->t.t_rate[i][k] = 0;
            for (int j = 0; j < n; j++) {
                s->t.t_rate[i][k] -= s->t.t[i][k * n + j] * a[j];
                s->t.F[j] += s->t.t[i][k * n + j] * force;
            }
        }
    }
    const int disturb = sti_rng_int(rng, 0, 5);
    for (int k = 1; k < disturb; k++) s->t.F[sti_rng_int(rng, 0, n - 1)] += sti_rng_int(rng, -4, 4);
    if (disturb == 5) s->t.contact[0].n_rate += sti_rng_int(rng, -1, 1);
}

static inline void random_instant_make(random_instant* s, sti_rng* rng) {
    const bool spatial = sti_rng_int(rng, 0, 2) == 0;
    const int n = sti_rng_int(rng, 1, 4), contacts = sti_rng_int(rng, 1, spatial ? 3 : 4);
    tool_open(&s->t, n);
    s->facets = spatial ? 4 : 0;
    s->choice_count = 0;
    random_instant_mass(s, rng);
    for (int j = 0; j < n; j++) s->t.v[j] = sti_rng_int(rng, -2, 2);
    for (int i = 0; i < contacts; i++) {
        const double mu = random_coefficients[sti_rng_int(rng, 0, 5)];
        const bool bilateral = sti_rng_int(rng, 0, 4) == 0;
        const int tangents = sti_rng_int(rng, 0, 7) == 0 ? 0 : spatial ? 2 : 1;
        sti_instant_contact* c = tool_contact(&s->t, bilateral, tangents, mu);
        bool zero = true;
        for (int j = 0; j < n; j++) {
            s->t.n[i][j] = sti_rng_int(rng, -2, 2);
            zero = zero && s->t.n[i][j] == 0;
        }
        if (zero) s->t.n[i][0] = 1;
        for (int j = 0; j < tangents * n; j++) s->t.t[i][j] = sti_rng_int(rng, -2, 2);
        if (i > 0 && sti_rng_int(rng, 0, 3) == 0) {  // the same contact twice, or its mirror
            const int sign = sti_rng_int(rng, 0, 1) ? 1 : -1;
            for (int j = 0; j < n; j++) s->t.n[i][j] = sign * s->t.n[i - 1][j];
            if (tangents <= s->t.contact[i - 1].tangent_count) memcpy(s->t.t[i], s->t.t[i - 1], sizeof s->t.t[i]);
        }
        if (tangents == 1 && sti_rng_int(rng, 0, 9) == 0) {  // slides
            double slip = 0;
            for (int j = 0; j < n; j++) slip += s->t.v[j] * s->t.t[i][j];
            c->state = slip != 0 ? STI_INSTANT_SLIDE : STI_INSTANT_STICK;
        } else {
            c->state = STI_INSTANT_STICK;
        }
        if (bilateral && tangents > 0 && mu > 0) s->choices[s->choice_count++] = i;
    }
    random_instant_load(s, rng);
}

#endif
