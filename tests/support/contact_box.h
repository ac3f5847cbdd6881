// contact_box.h: a box on a plane, the smallest hyperstatic problem: four corners, six velocities.
#ifndef TESTS_SUPPORT_CONTACT_BOX_H
#define TESTS_SUPPORT_CONTACT_BOX_H

#include <math.h>
#include <stiction/contact.h>

// A cube of side and mass 1, four corners of its lower face on the plane; v is the velocity and spin after a step in
// which gravity gives the impulse (sin a, 0, -cos a).
typedef struct contact_box {
    double M[36], H[72], G[12], f[6], w[12], b[2], mu[4], W[144], q[12];
    sti_contact_problem global, local;
} contact_box;

static inline void make_box(contact_box* m, double slope, double mu) {
    *m = (contact_box){.f = {sin(slope), 0, -cos(slope)}, .mu = {mu, mu, mu, mu}};
    for (int i = 0; i < 6; i++) m->M[7 * i] = i < 3 ? 1 : 1.0 / 6;
    static const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};  // normal and tangents
    for (int c = 0; c < 4; c++) {
        const double x[3] = {c & 1 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, -0.5};
        for (int k = 0; k < 3; k++) {
            const double* n = axis[k];
            const double lever[3] = {x[1] * n[2] - x[2] * n[1], x[2] * n[0] - x[0] * n[2], x[0] * n[1] - x[1] * n[0]};
            for (int i = 0; i < 3; i++) {
                m->H[i * 12 + 3 * c + k] = n[i];
                m->H[(i + 3) * 12 + 3 * c + k] = lever[i];
            }
        }
    }
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 6; k++) {
            m->q[i] += m->H[k * 12 + i] * m->f[k] / m->M[7 * k];
            for (int j = 0; j < 12; j++) m->W[i * 12 + j] += m->H[k * 12 + i] * m->H[k * 12 + j] / m->M[7 * k];
        }
    }
    m->global = (sti_contact_problem){.dimension = 3,
                                      .contact_count = 4,
                                      .mu = m->mu,
                                      .global = true,
                                      .velocity_count = 6,
                                      .M = sti_matrix_dense_view(6, 6, m->M),
                                      .H = sti_matrix_dense_view(6, 12, m->H),
                                      .f = m->f,
                                      .w = m->w};
    m->local = (sti_contact_problem){
        .dimension = 3, .contact_count = 4, .mu = m->mu, .W = sti_matrix_dense_view(12, 12, m->W), .q = m->q};
}

// Rows that hold the box along the slope, `count` times the same.
static inline void hold_box(contact_box* m, int count) {
    for (int k = 0; k < count; k++) m->G[k] = 1;
    m->global.bilateral_count = count;
    m->global.G = sti_matrix_dense_view(6, count, m->G);
    m->global.b = m->b;
}

#endif
