// contact_pile.h: prepared local contact problems for tests: piles of spheres, discs and boxes, W = H' M^-1 H.
#ifndef TESTS_SUPPORT_CONTACT_PILE_H
#define TESTS_SUPPORT_CONTACT_PILE_H

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "contact/local.h"
#include "support/failing_env.h"

// A contact between bodies a (-1: the ground) and b: directions (normal from a to b, tangents) and arms of the force.
typedef struct pile_contact {
    int a, b;
    double axis[3][3];   // n, t1, t2
    double arm_a[3][3];  // moment of each direction on a and on b
    double arm_b[3][3];
} pile_contact;

typedef struct pile {
    int d, body_count, contact_count;
    pile_contact* contact;
    double inverse_mass, inverse_inertia;
    double *mu, *q;
    sti_matrix W;  // dense
    sti_contact_local local;
} pile;

static inline void pile_cross(const double* x, const double* y, double* z) {
    z[0] = x[1] * y[2] - x[2] * y[1];
    z[1] = x[2] * y[0] - x[0] * y[2];
    z[2] = x[0] * y[1] - x[1] * y[0];
}

// A contact at a point, with the centres of the bodies (centre_a is not used for the ground). d = 2: the x-z plane.
static inline void pile_touch(pile* p, int a, int b, const double* centre_a, const double* centre_b,
                              const double* point, const double* normal) {
    pile_contact* c = &p->contact[p->contact_count++];
    *c = (pile_contact){.a = a, .b = b};
    const double norm = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int i = 0; i < 3; i++) c->axis[0][i] = normal[i] / norm;
    double other[3] = {0, 1, 0};
    if (p->d == 3 && fabs(c->axis[0][1]) > 0.8) other[0] = 1, other[1] = 0;
    pile_cross(c->axis[0], other, c->axis[1]);
    const double size =
        sqrt(c->axis[1][0] * c->axis[1][0] + c->axis[1][1] * c->axis[1][1] + c->axis[1][2] * c->axis[1][2]);
    for (int i = 0; i < 3; i++) c->axis[1][i] /= size;
    pile_cross(c->axis[0], c->axis[1], c->axis[2]);
    for (int k = 0; k < 3; k++) {
        double lever_a[3] = {0}, lever_b[3];
        for (int i = 0; i < 3; i++) {
            if (a >= 0) lever_a[i] = point[i] - centre_a[i];
            lever_b[i] = point[i] - centre_b[i];
        }
        pile_cross(lever_a, c->axis[k], c->arm_a[k]);
        pile_cross(lever_b, c->axis[k], c->arm_b[k]);
    }
}

static inline double pile_dot(const double* x, const double* y) {
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

// What one body contributes to the entry of W for directions i of c and j of e.
static inline double pile_share(const pile* p, int body, const pile_contact* c, int i, const pile_contact* e, int j) {
    if (body < 0 || (e->a != body && e->b != body)) return 0;
    const double sign_c = c->b == body ? 1 : -1, sign_e = e->b == body ? 1 : -1;
    const double* arm_c = c->b == body ? c->arm_b[i] : c->arm_a[i];
    const double* arm_e = e->b == body ? e->arm_b[j] : e->arm_a[j];
    return sign_c * sign_e *
           (p->inverse_mass * pile_dot(c->axis[i], e->axis[j]) + p->inverse_inertia * pile_dot(arm_c, arm_e));
}

// W, and q from a free velocity (the same for every body) plus noise on the normals.
static inline void pile_finish(sti_env* env, pile* p, double mu, const double* velocity, double noise) {
    const int d = p->d, nc = p->contact_count;
    sti_rng rng = {.state = 9};
    p->mu = malloc((size_t)nc * sizeof *p->mu + 1);
    p->q = malloc((size_t)(d * nc) * sizeof *p->q + 1);
    // entries found by way of the bodies: contacts of a body are few
    int* first = calloc((size_t)p->body_count + 2, sizeof *first);
    int* list = malloc(2 * (size_t)nc * sizeof *list + 1);
    for (int c = 0; c < nc; c++) {
        first[p->contact[c].b + 2]++;
        if (p->contact[c].a >= 0) first[p->contact[c].a + 2]++;
    }
    for (int b = 0; b < p->body_count; b++) first[b + 2] += first[b + 1];
    for (int c = 0; c < nc; c++) {
        list[first[p->contact[c].b + 1]++] = c;
        if (p->contact[c].a >= 0) list[first[p->contact[c].a + 1]++] = c;
    }
    // compressed columns: blocks are met body by body, duplicates are added up by the reader
    size_t capacity = 0;
    for (int c = 0; c < nc; c++) {
        const int bodies[2] = {p->contact[c].a, p->contact[c].b};
        for (int k = 0; k < 2; k++) {
            if (bodies[k] >= 0) capacity += (size_t)(d * d) * (size_t)(first[bodies[k] + 1] - first[bodies[k]]);
        }
    }
    p->W = (sti_matrix){.rows = d * nc, .cols = d * nc};
    p->W.col_start = calloc((size_t)(d * nc) + 1, sizeof *p->W.col_start);
    p->W.row = malloc(capacity * sizeof *p->W.row + 1);
    p->W.value = malloc(capacity * sizeof *p->W.value + 1);
    int64_t filled = 0;
    for (int e = 0; e < nc; e++) {
        for (int j = 0; j < d; j++) {
            const int bodies[2] = {p->contact[e].a, p->contact[e].b};
            for (int k = 0; k < 2; k++) {
                if (bodies[k] < 0) continue;
                for (int x = first[bodies[k]]; x < first[bodies[k] + 1]; x++) {
                    for (int i = 0; i < d; i++) {
                        p->W.row[filled] = d * list[x] + i;
                        p->W.value[filled++] = pile_share(p, bodies[k], &p->contact[list[x]], i, &p->contact[e], j);
                    }
                }
            }
            p->W.col_start[d * e + j + 1] = filled;
        }
        for (int i = 0; i < d; i++) {
            const double ground = p->contact[e].a < 0 ? 1 : 0;
            p->q[d * e + i] = ground * pile_dot(p->contact[e].axis[i], velocity);
            if (i == 0) p->q[d * e] += noise * (2 * sti_rng_u01(&rng) - 1);
        }
        p->mu[e] = mu;
    }
    free(first);
    free(list);
    p->local = (sti_contact_local){.env = env, .d = d, .nc = nc, .mu = p->mu, .q = p->q};
    assert_int_equal(sti_bsr_from_matrix(env, &p->W, d, &p->local.W), STI_OK);
    assert_int_equal(sti_contact_local_finish(&p->local), STI_OK);
}

static inline void pile_free(pile* p) {
    sti_contact_local_clear(&p->local);
    free(p->contact);
    free(p->mu);
    free(p->q);
    free(p->W.col_start);
    free(p->W.row);
    free(p->W.value);
    *p = (pile){0};
}

// nx x ny x nz spheres (d = 3) or, with ny = 1, discs (d = 2) on a lattice, leaning a little, on the ground; falling.
static inline void pile_spheres(sti_env* env, int d, int nx, int ny, int nz, double mu, pile* p) {
    *p = (pile){.d = d, .body_count = nx * ny * nz, .inverse_mass = 1, .inverse_inertia = 8};
    p->contact = malloc(3 * (size_t)p->body_count * sizeof *p->contact);
    sti_rng rng = {.state = 3};
    for (int b = 0; b < p->body_count; b++) {
        const int at[3] = {b % nx, b / nx % ny, b / (nx * ny)}, step[3] = {1, nx, nx * ny};
        const double centre[3] = {at[0], at[1], at[2] + 0.5};
        for (int k = 0; k < 3; k++) {
            if (at[k] == 0 && k < 2) continue;
            double n[3] = {0};
            n[k] = 1;
            for (int i = 0; i < 3; i++) {
                if (d == 3 || i != 1) n[i] += 0.2 * (2 * sti_rng_u01(&rng) - 1);
            }
            double below[3], point[3];
            for (int i = 0; i < 3; i++) {
                below[i] = centre[i] - n[i];
                point[i] = centre[i] - 0.5 * n[i];
            }
            pile_touch(p, at[k] == 0 ? -1 : b - step[k], b, below, centre, point, n);
        }
    }
    pile_finish(env, p, mu, (double[3]){0, 0, -0.1}, 1e-3);
}

// A tower of cubes, four contacts between any two: as redundant as contacts come.
static inline void pile_cubes(sti_env* env, int count, double mu, const double* velocity, pile* p) {
    *p = (pile){.d = 3, .body_count = count, .inverse_mass = 1, .inverse_inertia = 6};
    p->contact = malloc(4 * (size_t)count * sizeof *p->contact);
    for (int b = 0; b < count; b++) {
        const double centre[3] = {0, 0, b + 0.5}, below[3] = {0, 0, b - 0.5}, up[3] = {0, 0, 1};
        for (int k = 0; k < 4; k++) {
            const double point[3] = {k % 2 ? 0.5 : -0.5, k / 2 ? 0.5 : -0.5, b};
            pile_touch(p, b - 1, b, below, centre, point, up);
        }
    }
    pile_finish(env, p, mu, velocity, 0);
}

#endif
