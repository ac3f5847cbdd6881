// contact_plane.h: frictional contact problems in the plane, of any size, the same on every machine.
//
//     wall      bricks in running bond: every brick stands on two, with two contacts on each
//     stacks    towers of ten boxes, two contacts between two boxes
//     discs     a triangular heap: every disc in the hollow of two
//
// Rigid bodies of three velocities (angular ones about the centre), one step of gravity from motions that the seed
// picks, small beside those of the step: M v = M v_0 + h f + H r, u = H'v. The ground has no velocities.
#ifndef STI_BENCH_CONTACT_PLANE_H
#define STI_BENCH_CONTACT_PLANE_H

#include <math.h>
#include <stdint.h>
#include <stiction/stiction.h>
#include <string.h>

#include "contact_random.h"
#include "measure.h"

enum { PLANE_GROUND = -1 };

typedef struct plane_contact {
    int a, b;  // bodies, b may be the ground; the normal goes from b to a
    double n[2], point[2];
} plane_contact;

typedef struct plane {
    sti_contact_problem problem;
    int bodies, contacts, room;
    double *center, *mass;  // (2 bodies), (3 bodies)
    plane_contact* contact;
    double *mu, *f, *w;
} plane;

static inline void plane_touch(plane* g, int a, int b, double nx, double ny, double x, double y) {
    if (g->contacts == g->room) {
        g->room = 2 * g->room + 1024;
        g->contact = realloc(g->contact, (size_t)g->room * sizeof *g->contact);
        if (g->contact == NULL) exit(3);
    }
    g->contact[g->contacts++] = (plane_contact){a, b, {nx, ny}, {x, y}};
}

static inline void plane_bodies(plane* g, int count) {
    g->bodies = count;
    g->center = bench_memory(2 * (size_t)count, sizeof *g->center);
    g->mass = bench_memory(3 * (size_t)count, sizeof *g->mass);
}

// Half edges, or a radius where height is 0; density 1
static inline void plane_body(plane* g, int body, double x, double y, double width, double height) {
    const double pi = 3.14159265358979323846, disc = height == 0;
    const double m = disc ? pi * width * width : 4 * width * height;
    const double turn = disc ? 0.5 * m * width * width : m / 3 * (width * width + height * height);
    g->center[2 * body] = x;
    g->center[2 * body + 1] = y;
    g->mass[3 * body] = g->mass[3 * body + 1] = m;
    g->mass[3 * body + 2] = turn;
}

static inline void plane_face(plane* g, int a, int b, double x0, double x1, double y) {
    plane_touch(g, a, b, 0, 1, x0, y);
    plane_touch(g, a, b, 0, 1, x1, y);
}

static inline void plane_wall(plane* g, int contacts) {
    int rows = 1;
    while (rows * 2 * rows * 4 < contacts) rows++;
    const int cols = contacts / (4 * rows) > 2 ? contacts / (4 * rows) : 2;
    plane_bodies(g, rows * cols);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            const int body = i * cols + j, left = i % 2 == 1 ? j : j - 1;
            const double x = 2.0 * j + (i % 2);
            plane_body(g, body, x, i + 0.5, 1, 0.5);
            if (i == 0) {
                plane_face(g, body, PLANE_GROUND, x - 1, x + 1, 0);
                continue;
            }
            for (int side = 0; side < 2; side++) {
                const int place = left + side,
                          below = place < 0 || place >= cols ? PLANE_GROUND : body - j - cols + place;
                plane_face(g, body, below, side == 0 ? x - 1 : x, side == 0 ? x : x + 1, i);
            }
        }
    }
}

static inline void plane_stacks(plane* g, int contacts) {
    enum { HEIGHT = 10 };
    const int towers = contacts / (2 * HEIGHT) > 0 ? contacts / (2 * HEIGHT) : 1;
    plane_bodies(g, towers * HEIGHT);
    for (int body = 0; body < g->bodies; body++) {
        const int i = body % HEIGHT;
        plane_body(g, body, 2.0 * (body / HEIGHT), i + 0.5, 0.5, 0.5);
        const double x = g->center[2 * body];
        plane_face(g, body, i == 0 ? PLANE_GROUND : body - 1, x - 0.5, x + 0.5, i);
    }
}

static inline void plane_discs(plane* g, int contacts) {
    int side = 1;
    while (side * side < contacts) side++;
    plane_bodies(g, side * (side + 1) / 2);
    const double pitch = 2.02, height = sqrt(4 - pitch * pitch / 4);
    for (int k = side, body = 0; k > 0; k--) {
        for (int j = 0; j < k; j++, body++) {
            const double x = pitch * (j + 0.5 * (side - k)), y = 1 + height * (side - k);
            plane_body(g, body, x, y, 1, 0);
            if (k == side) plane_touch(g, body, PLANE_GROUND, 0, 1, x, 0);
            for (int s = 0; s < 2 && k < side; s++) {
                const double* low = g->center + 2 * (size_t)(body - k - 1 + s);
                plane_touch(g, body, body - k - 1 + s, (x - low[0]) / 2, (y - low[1]) / 2, (x + low[0]) / 2,
                            (y + low[1]) / 2);
            }
        }
    }
}

static inline void plane_matrices(plane* g) {
    const int nv = 3 * g->bodies, n = 2 * g->contacts;
    sti_matrix *M = &g->problem.M, *H = &g->problem.H;
    *M = (sti_matrix){.rows = nv, .cols = nv};
    *H = (sti_matrix){.rows = nv, .cols = n};
    M->col_start = bench_memory((size_t)nv + 1, sizeof *M->col_start);
    M->row = bench_memory((size_t)nv, sizeof *M->row);
    M->value = bench_memory((size_t)nv, sizeof *M->value);
    for (int i = 0; i < nv; i++) {
        M->row[i] = i;
        M->value[i] = g->mass[i];
        M->col_start[i + 1] = i + 1;
    }
    H->col_start = bench_memory((size_t)n + 1, sizeof *H->col_start);
    H->row = bench_memory(6 * (size_t)n, sizeof *H->row);
    H->value = bench_memory(6 * (size_t)n, sizeof *H->value);
    int64_t at = 0;
    for (int j = 0; j < n; j++) {
        const plane_contact* c = &g->contact[j / 2];
        const double x = j % 2 == 0 ? c->n[0] : -c->n[1], y = j % 2 == 0 ? c->n[1] : c->n[0];
        const int body[2] = {c->a < c->b || c->b < 0 ? c->a : c->b, c->b < 0 ? -1 : c->a < c->b ? c->b : c->a};
        for (int s = 0; s < 2 && body[s] >= 0; s++) {
            const double sign = body[s] == c->a ? 1 : -1, *p = g->center + 2 * (size_t)body[s];
            const double part[3] = {x, y, (c->point[0] - p[0]) * y - (c->point[1] - p[1]) * x};
            for (int i = 0; i < 3; i++) {
                H->row[at] = 3 * body[s] + i;
                H->value[at++] = sign * part[i];
            }
        }
        H->col_start[j + 1] = at;
    }
}

// About so many contacts. family: wall, stacks, discs. False: no such family.
static inline bool plane_generate(const char* family, uint64_t seed, int contacts, plane* g) {
    *g = (plane){0};
    if (strcmp(family, "wall") == 0)
        plane_wall(g, contacts);
    else if (strcmp(family, "stacks") == 0)
        plane_stacks(g, contacts);
    else if (strcmp(family, "discs") == 0)
        plane_discs(g, contacts);
    else
        return false;
    const int nv = 3 * g->bodies;
    const double step = 0.01, gravity = 9.81;
    uint64_t state = seed;
    plane_matrices(g);
    g->mu = bench_memory((size_t)g->contacts, sizeof *g->mu);
    g->f = bench_memory((size_t)nv, sizeof *g->f);
    g->w = bench_memory(2 * (size_t)g->contacts, sizeof *g->w);
    for (int c = 0; c < g->contacts; c++) g->mu[c] = random_in(&state, 0.2, 0.6);
    for (int i = 0; i < nv; i++)
        g->f[i] = g->mass[i] * (random_in(&state, -0.02, 0.02) - (i % 3 == 1 ? step * gravity : 0));
    g->problem.dimension = 2;
    g->problem.contact_count = g->contacts;
    g->problem.mu = g->mu;
    g->problem.global = true;
    g->problem.velocity_count = nv;
    g->problem.f = g->f;
    g->problem.w = g->w;
    return true;
}

static inline void plane_clear(plane* g) {
    void* owned[] = {g->center,
                     g->mass,
                     g->contact,
                     g->mu,
                     g->f,
                     g->w,
                     g->problem.M.col_start,
                     g->problem.M.row,
                     g->problem.M.value,
                     g->problem.H.col_start,
                     g->problem.H.row,
                     g->problem.H.value};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) free(owned[k]);
    *g = (plane){0};
}

#endif
