// mode_scene.h: one rigid body and contacts, as an instant with exact numbers, for the tests of contact modes.
#ifndef TESTS_SUPPORT_MODE_SCENE_H
#define TESTS_SUPPORT_MODE_SCENE_H

#include <stdio.h>
#include <stiction/modes.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/sanitized.h"

enum { SCENE_CONTACTS = 24, SCENE_DOF = 12 };

typedef struct mode_scene {
    sti_env* env;
    sti_instant instant;
    sti_instant_exact exact;
    sti_instant_contact contacts[SCENE_CONTACTS];
    double M[SCENE_DOF * SCENE_DOF], F[SCENE_DOF], v[SCENE_DOF];
    double n[SCENE_CONTACTS][SCENE_DOF], t[SCENE_CONTACTS][2 * SCENE_DOF], t_rate[SCENE_CONTACTS][2];
    char name[SCENE_CONTACTS][16];
} mode_scene;

// A body of n velocities with a diagonal mass matrix.
static inline void scene_open(mode_scene* s, sti_env* env, int n, const double* mass) {
    memset(s, 0, sizeof *s);
    s->env = env;
    s->instant.n = n;
    for (int i = 0; i < n; i++) s->M[i * n + i] = mass[i];
    s->instant.M = s->M;
    s->instant.F = s->F;
    s->instant.v = s->v;
    s->instant.contacts = s->contacts;
}

static inline sti_instant_contact* scene_contact(mode_scene* s, double mu, int tangents) {
    const int i = s->instant.contact_count++;
    assert_true(i < SCENE_CONTACTS);
    snprintf(s->name[i], sizeof s->name[i], "c%d", i + 1);
    s->contacts[i] = (sti_instant_contact){.name = s->name[i],
                                           .mu = mu,
                                           .mu_kinetic = mu,
                                           .tangent_count = tangents,
                                           .n = s->n[i],
                                           .t = s->t[i],
                                           .t_rate = s->t_rate[i]};
    s->instant.tangent_total += tangents;
    return &s->contacts[i];
}

// Planar body: contact at r with normal n, t = (-n_y, n_x).
static inline sti_instant_contact* scene_planar(mode_scene* s, const double r[2], const double n[2], double mu) {
    const int i = s->instant.contact_count;
    const double t[2] = {-n[1], n[0]};
    for (int k = 0; k < 2; k++) {
        s->n[i][k] = n[k];
        s->t[i][k] = t[k];
    }
    s->n[i][2] = r[0] * n[1] - r[1] * n[0];
    s->t[i][2] = r[0] * t[1] - r[1] * t[0];
    return scene_contact(s, mu, 1);
}

static inline void scene_cross(const double a[3], const double b[3], double* out) {
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

// Spatial body: contact at r with normal n and tangents t, o.
static inline sti_instant_contact* scene_spatial(mode_scene* s, const double r[3], const double n[3], const double t[3],
                                                 const double o[3], double mu) {
    const int i = s->instant.contact_count;
    memcpy(s->n[i], n, 3 * sizeof *n);
    scene_cross(r, n, s->n[i] + 3);
    memcpy(s->t[i], t, 3 * sizeof *t);
    scene_cross(r, t, s->t[i] + 3);
    memcpy(s->t[i] + 6, o, 3 * sizeof *o);
    scene_cross(r, o, s->t[i] + 9);
    return scene_contact(s, mu, 2);
}

// r[i] := the decimal number that the double stands for
static inline void scene_text(sti_rationals* r, size_t i, double value) {
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    assert_int_equal(sti_rationals_set_text(r, i, text), STI_OK);
}

static inline sti_rationals* scene_numbers(mode_scene* s, const double* value, size_t count) {
    sti_rationals* r;
    assert_int_equal(sti_rationals_create(s->env, count, &r), STI_OK);
    for (size_t i = 0; i < count; i++) scene_text(r, i, value[i]);
    return r;
}

// Exact tables: every double as the shortest decimal, 0.4 = 2/5.
static inline void scene_make_exact(mode_scene* s) {
    const size_t n = (size_t)s->instant.n, contacts = (size_t)s->instant.contact_count;
    double n_rate[SCENE_CONTACTS], gap[SCENE_CONTACTS], mu[SCENE_CONTACTS], kinetic[SCENE_CONTACTS];
    double t_rate[2 * SCENE_CONTACTS], rows[SCENE_CONTACTS * SCENE_DOF], tangents[2 * SCENE_CONTACTS * SCENE_DOF];
    size_t tangent = 0;
    for (size_t i = 0; i < contacts; i++) {
        const sti_instant_contact* c = &s->contacts[i];
        n_rate[i] = c->n_rate;
        gap[i] = c->gap;
        mu[i] = c->mu;
        kinetic[i] = c->mu_kinetic;
        memcpy(rows + i * n, s->n[i], n * sizeof *rows);
        for (size_t k = 0; k < (size_t)c->tangent_count; k++, tangent++) {
            memcpy(tangents + tangent * n, s->t[i] + k * n, n * sizeof *tangents);
            t_rate[tangent] = s->t_rate[i][k];
        }
    }
    s->exact = (sti_instant_exact){.M = scene_numbers(s, s->M, n * n),
                                   .F = scene_numbers(s, s->F, n),
                                   .v = scene_numbers(s, s->v, n),
                                   .n = scene_numbers(s, rows, contacts * n),
                                   .t = scene_numbers(s, tangents, tangent * n),
                                   .n_rate = scene_numbers(s, n_rate, contacts),
                                   .t_rate = scene_numbers(s, t_rate, tangent),
                                   .gap = scene_numbers(s, gap, contacts),
                                   .mu = scene_numbers(s, mu, contacts),
                                   .mu_kinetic = scene_numbers(s, kinetic, contacts)};
    s->instant.exact = &s->exact;
}

static inline void scene_close(mode_scene* s) {
    if (s->instant.exact == NULL) return;
    sti_rationals* const tables[] = {s->exact.M,      s->exact.F,      s->exact.v,   s->exact.n,  s->exact.t,
                                     s->exact.n_rate, s->exact.t_rate, s->exact.gap, s->exact.mu, s->exact.mu_kinetic};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) sti_rationals_destroy(tables[i]);
    s->instant.exact = NULL;
}

// Modes that the checker accepts.
static inline sti_modes* scene_modes(mode_scene* s, const sti_modes_options* options) {
    sti_modes* modes;
    const sti_status status = sti_modes_create(s->env, &s->instant, options, &modes);
    if (status != STI_OK) print_message("%s\n", sti_env_error(s->env)->text);
    assert_int_equal(status, STI_OK);
    sti_modes_verification check;
    assert_int_equal(sti_verify_modes(s->env, &s->instant, options, modes, &check), STI_OK);
    if (!check.accepted) print_message("%s\n", check.text);
    assert_true(check.accepted);
    return modes;
}

#endif
