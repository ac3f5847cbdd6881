// contact_generate.h: frictional contact problems of any size, the same on every machine.
//
//     wall      bricks in running bond between two pillars: every brick stands on two, with four contacts on each
//     stacks    towers of ten boxes, four contacts between two boxes: many islands, tall and hyperstatic
//     spheres   a tetrahedral heap: every sphere in the hollow of three; it slips apart at the edges
//     chains    ten boxes in a row on the ground, joined at their ends by balls: bilateral rows, four contacts a box
//
// mu = 0.5 between boxes, 0.2 between spheres. generate_shake gives the bodies motions, and the contacts friction, from
// a seed.
//
// Rigid bodies in space, one step of gravity from rest: M v = H r + f, u = H'v + w with v the velocities (6 a body,
// angular ones about the centre), f = M g h, w = 0. The ground and the pillars have no velocities. The result is a
// sti_contact_problem in global form: its data are linear in the number of bodies, those of W in the number of blocks.
#ifndef STI_BENCH_CONTACT_GENERATE_H
#define STI_BENCH_CONTACT_GENERATE_H

#include <math.h>
#include <stdint.h>
#include <stiction/stiction.h>
#include <string.h>

#include "contact_random.h"
#include "measure.h"

enum { GENERATE_GROUND = -1 };

typedef struct generated_contact {
    int a, b;         // bodies, b may be the ground; the normal goes from b to a
    double n[3];      // unit normal
    double point[3];  // in space
} generated_contact;

typedef struct generated {
    sti_contact_problem problem;
    int body_count, contact_count;
    double* center;        // (3 body_count)
    double* inverse_mass;  // of the 6 velocities of each body   (6 body_count)
    generated_contact* contact;
    int contact_room;
    double *mu, *f, *w;
    int joint_count;
    double* joint;        // body, the one after it, point in space  (5 joint_count)
    double* b;            // (3 joint_count)
    int64_t block_count;  // of W: pairs of contacts that share a body
} generated;

static inline void generate_bodies(generated* g, int count) {
    g->body_count = count;
    g->center = bench_memory((size_t)count * 3, sizeof *g->center);
    g->inverse_mass = bench_memory((size_t)count * 6, sizeof *g->inverse_mass);
}

static inline void generate_mass(generated* g, int body, double mass, const double* inertia) {
    for (int i = 0; i < 3; i++) {
        g->inverse_mass[6 * body + i] = 1 / mass;
        g->inverse_mass[6 * body + 3 + i] = 1 / inertia[i];
    }
}

// Half edges e (3), density 1.
static inline void generate_box(generated* g, int body, double x, double y, double z, const double* e) {
    const double mass = 8 * e[0] * e[1] * e[2];
    const double inertia[3] = {mass / 3 * (e[1] * e[1] + e[2] * e[2]), mass / 3 * (e[0] * e[0] + e[2] * e[2]),
                               mass / 3 * (e[0] * e[0] + e[1] * e[1])};
    const double at[3] = {x, y, z};
    memcpy(g->center + 3 * body, at, sizeof at);
    generate_mass(g, body, mass, inertia);
}

static inline void generate_contact(generated* g, int a, int b, const double* n, const double* point) {
    if (g->contact_count == g->contact_room) {
        g->contact_room = 2 * g->contact_room + 1024;
        g->contact = realloc(g->contact, (size_t)g->contact_room * sizeof *g->contact);
        if (g->contact == NULL) exit(3);
    }
    generated_contact* c = &g->contact[g->contact_count++];
    c->a = a;
    c->b = b;
    memcpy(c->n, n, sizeof c->n);
    memcpy(c->point, point, sizeof c->point);
}

// Four contacts at the corners of the rectangle [x0, x1] x [-y, y] at height z.
static inline void generate_face(generated* g, int a, int b, double x0, double x1, double y, double z) {
    const double up[3] = {0, 0, 1};
    for (int k = 0; k < 4; k++) {
        const double point[3] = {k % 2 == 0 ? x0 : x1, k / 2 == 0 ? -y : y, z};
        generate_contact(g, a, b, up, point);
    }
}

static inline void generate_wall(generated* g, int contacts) {
    int rows = 1;
    while (rows * 2 * rows * 8 < contacts) rows++;
    int cols = contacts / (8 * rows);
    if (cols < 2) cols = 2;
    const double e[3] = {1, 0.5, 0.5};
    generate_bodies(g, rows * cols);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            const int body = i * cols + j;
            const double x = 2.0 * j + (i % 2), z = i + 0.5;
            generate_box(g, body, x, 0, z, e);
            if (i == 0) {
                generate_face(g, body, GENERATE_GROUND, x - 1, x + 1, 0.5, 0);
                continue;
            }
            // under brick j of an odd row stand j and j + 1, of an even row j - 1 and j
            const int left = i % 2 == 1 ? j : j - 1;
            for (int side = 0; side < 2; side++) {
                const int place = left + side, below = body - j - cols + place;
                generate_face(g, body, place < 0 || place >= cols ? GENERATE_GROUND : below, side == 0 ? x - 1 : x,
                              side == 0 ? x : x + 1, 0.5, i);
            }
        }
    }
}

static inline void generate_stacks(generated* g, int contacts) {
    enum { HEIGHT = 10 };
    const int towers = contacts / (4 * HEIGHT) > 0 ? contacts / (4 * HEIGHT) : 1;
    const double e[3] = {0.5, 0.5, 0.5};
    generate_bodies(g, towers * HEIGHT);
    for (int t = 0; t < towers; t++) {
        for (int i = 0; i < HEIGHT; i++) {
            const int body = t * HEIGHT + i;
            const double x = 2.0 * t + 0.02 * (i % 3), low = i > 0 ? g->center[3 * (body - 1)] : x;
            generate_box(g, body, x, 0, i + 0.5, e);
            generate_face(g, body, i == 0 ? GENERATE_GROUND : body - 1, fmax(x, low) - 0.5, fmin(x, low) + 0.5, 0.5, i);
        }
    }
}

static inline void generate_chains(generated* g, int contacts) {
    enum { LENGTH = 10 };
    const int chains = contacts / (4 * LENGTH) > 0 ? contacts / (4 * LENGTH) : 1;
    const double e[3] = {0.5, 0.25, 0.25};
    generate_bodies(g, chains * LENGTH);
    g->joint = bench_memory((size_t)(5 * g->body_count), sizeof *g->joint);
    for (int body = 0; body < g->body_count; body++) {
        const double x = 1.1 * (body % LENGTH), y = 2.0 * (body / LENGTH);
        generate_box(g, body, x, y, 0.25, e);
        for (int k = 0; k < 4; k++) {
            const double up[3] = {0, 0, 1}, point[3] = {x + (k % 2 - 0.5), y + 0.5 * (k / 2) - 0.25, 0};
            generate_contact(g, body, GENERATE_GROUND, up, point);
        }
        if (body % LENGTH == LENGTH - 1) continue;
        const double joint[5] = {body, body + 1, x + 0.55, y, 0.25};
        memcpy(g->joint + (size_t)(5 * g->joint_count++), joint, sizeof joint);
    }
}

static inline void generate_touch(generated* g, int a, int b) {
    double n[3], point[3], size = 0;
    for (int i = 0; i < 3; i++) {
        n[i] = g->center[3 * a + i] - g->center[3 * b + i];
        point[i] = 0.5 * (g->center[3 * a + i] + g->center[3 * b + i]);
        size += n[i] * n[i];
    }
    for (int i = 0; i < 3; i++) n[i] /= sqrt(size);
    generate_contact(g, a, b, n, point);
}

// A tetrahedron of triangular layers: k spheres along an edge, then k - 1, ...; each lies on three of the layer below
// and, the layers being a hundredth wider than close packing, touches none of its own.
static inline void generate_spheres(generated* g, int contacts) {
    int side = 1, count = 1;
    while (3 * count < contacts) side++, count += side * (side + 1) / 2;
    generate_bodies(g, count);
    const double pitch = 2.02, height = sqrt(4 - pitch * pitch / 3);
    const double inertia[3] = {0.4, 0.4, 0.4}, up[3] = {0, 0, 1};  // mass 1, radius 1
    int body = 0, below = 0;                                       // first sphere of the layer under this one
    for (int k = side; k > 0; k--) {
        const int first = body, level = side - k;
        for (int i = 0; i < k; i++) {
            for (int j = 0; j < k - i; j++, body++) {
                const double x = pitch * (i + 0.5 * j + 0.5 * level), y = pitch * sqrt(0.75) * (j + level / 3.0);
                const double at[3] = {x, y, 1 + level * height}, foot[3] = {x, y, 0};
                memcpy(g->center + 3 * body, at, sizeof at);
                generate_mass(g, body, 1, inertia);
                if (level == 0) {
                    generate_contact(g, body, GENERATE_GROUND, up, foot);
                    continue;
                }
                // row i of the layer below has k + 1 - i spheres and begins after i (k + 1) - i (i - 1) / 2 others
                const int under = below + i * (k + 1) - i * (i - 1) / 2 + j;
                generate_touch(g, body, under);
                generate_touch(g, body, under + 1);
                generate_touch(g, body, under + k + 1 - i);
            }
        }
        below = first;
    }
}

// Column j of H: the frame direction d at the contact, on bodies a and b.
static inline int generate_column(const generated* g, const generated_contact* c, const double* d, int* row,
                                  double* value) {
    int count = 0;
    const int low = c->b == GENERATE_GROUND || c->a < c->b ? c->a : c->b, high = low == c->a ? c->b : c->a;
    const int body[2] = {low, high};
    for (int k = 0; k < 2; k++) {
        if (body[k] == GENERATE_GROUND) continue;
        const double sign = body[k] == c->a ? 1 : -1, *x = g->center + 3 * body[k];
        const double arm[3] = {c->point[0] - x[0], c->point[1] - x[1], c->point[2] - x[2]};
        for (int i = 0; i < 3; i++) {
            row[count] = 6 * body[k] + i;
            value[count++] = sign * d[i];
        }
        for (int i = 0; i < 3; i++) {
            const int m = (i + 1) % 3, n = (i + 2) % 3;
            row[count] = 6 * body[k] + 3 + i;
            value[count++] = sign * (arm[m] * d[n] - arm[n] * d[m]);
        }
    }
    return count;
}

static inline void generate_frame(const double* n, double frame[3][3]) {
    const int m = fabs(n[0]) < 0.6 ? 0 : 1;
    double size = 0;
    for (int i = 0; i < 3; i++) {
        frame[0][i] = n[i];
        frame[1][i] = (i == m) - n[m] * n[i];
        size += frame[1][i] * frame[1][i];
    }
    for (int i = 0; i < 3; i++) frame[1][i] /= sqrt(size);
    for (int i = 0; i < 3; i++) {
        const int a = (i + 1) % 3, b = (i + 2) % 3;
        frame[2][i] = n[a] * frame[1][b] - n[b] * frame[1][a];
    }
}

// Blocks of W: for every contact those that share a body with it, once each.
static inline int64_t generate_count_blocks(const generated* g) {
    const int nc = g->contact_count;
    int* start = bench_memory((size_t)g->body_count + 2, sizeof *start);
    int* list = bench_memory(2 * (size_t)nc, sizeof *list);
    int* seen = bench_memory((size_t)nc, sizeof *seen);
    for (int c = 0; c < nc; c++) {
        start[g->contact[c].a + 2]++;
        if (g->contact[c].b != GENERATE_GROUND) start[g->contact[c].b + 2]++;
    }
    for (int b = 0; b < g->body_count; b++) start[b + 2] += start[b + 1];
    for (int c = 0; c < nc; c++) {
        list[start[g->contact[c].a + 1]++] = c;
        if (g->contact[c].b != GENERATE_GROUND) list[start[g->contact[c].b + 1]++] = c;
    }
    int64_t count = 0;
    for (int c = 0; c < nc; c++) {
        for (int k = 0; k < 2; k++) {
            const int body = k == 0 ? g->contact[c].a : g->contact[c].b;
            if (body == GENERATE_GROUND) continue;
            for (int t = start[body]; t < start[body + 1]; t++) {
                if (seen[list[t]] == c + 1) continue;
                seen[list[t]] = c + 1;
                count++;
            }
        }
    }
    free(start);
    free(list);
    free(seen);
    return count;
}

static inline void generate_matrices(generated* g) {
    const int nv = 6 * g->body_count, nc = g->contact_count, n = 3 * nc;
    sti_matrix* M = &g->problem.M;
    *M = (sti_matrix){.rows = nv, .cols = nv};
    M->col_start = bench_memory((size_t)nv + 1, sizeof *M->col_start);
    M->row = bench_memory((size_t)nv, sizeof *M->row);
    M->value = bench_memory((size_t)nv, sizeof *M->value);
    for (int i = 0; i < nv; i++) {
        M->row[i] = i;
        M->value[i] = 1 / g->inverse_mass[i];
        M->col_start[i + 1] = i + 1;
    }
    sti_matrix* H = &g->problem.H;
    *H = (sti_matrix){.rows = nv, .cols = n};
    H->col_start = bench_memory((size_t)n + 1, sizeof *H->col_start);
    H->row = bench_memory(12 * (size_t)n, sizeof *H->row);
    H->value = bench_memory(12 * (size_t)n, sizeof *H->value);
    int64_t filled = 0;
    for (int c = 0; c < nc; c++) {
        double frame[3][3];
        generate_frame(g->contact[c].n, frame);
        for (int i = 0; i < 3; i++) {
            filled += generate_column(g, &g->contact[c], frame[i], H->row + filled, H->value + filled);
            H->col_start[3 * c + i + 1] = filled;
        }
    }
}

// The ends of a joint stay together: three rows of G' each.
static inline void generate_joints(generated* g) {
    const size_t n = 3 * (size_t)g->joint_count;
    sti_matrix* G = &g->problem.G;
    *G = (sti_matrix){.rows = 6 * g->body_count, .cols = (int)n};
    G->col_start = bench_memory(n + 1, sizeof *G->col_start);
    G->row = bench_memory(12 * n, sizeof *G->row);
    G->value = bench_memory(12 * n, sizeof *G->value);
    g->b = bench_memory(n, sizeof *g->b);
    int64_t filled = 0;
    for (size_t j = 0; j < n; j++) {
        const double* joint = g->joint + 5 * (j / 3);
        generated_contact c = {.a = (int)joint[0], .b = (int)joint[1]};
        double axis[3] = {0};
        axis[j % 3] = 1;
        memcpy(c.point, joint + 2, sizeof c.point);
        filled += generate_column(g, &c, axis, G->row + filled, G->value + filled);
        G->col_start[j + 1] = filled;
    }
    g->problem.bilateral_count = (int)n;
    g->problem.b = g->b;
}

// About so many contacts. family: wall, stacks, spheres, chains. False: no such family.
static inline bool generate(const char* family, int contacts, generated* g) {
    *g = (generated){0};
    if (strcmp(family, "wall") == 0)
        generate_wall(g, contacts);
    else if (strcmp(family, "stacks") == 0)
        generate_stacks(g, contacts);
    else if (strcmp(family, "spheres") == 0)
        generate_spheres(g, contacts);
    else if (strcmp(family, "chains") == 0)
        generate_chains(g, contacts);
    else
        return false;
    const int nv = 6 * g->body_count, nc = g->contact_count;
    const double step = 0.01, gravity = 9.81;
    generate_matrices(g);
    g->mu = bench_memory((size_t)nc, sizeof *g->mu);
    g->f = bench_memory((size_t)nv, sizeof *g->f);
    g->w = bench_memory(3 * (size_t)nc, sizeof *g->w);
    for (int c = 0; c < nc; c++) g->mu[c] = strcmp(family, "spheres") == 0 ? 0.2 : 0.5;
    for (int b = 0; b < g->body_count; b++) g->f[6 * b + 2] = -step * gravity / g->inverse_mass[6 * b + 2];
    g->block_count = generate_count_blocks(g);
    g->problem.dimension = 3;
    g->problem.contact_count = nc;
    g->problem.mu = g->mu;
    g->problem.global = true;
    g->problem.velocity_count = nv;
    g->problem.f = g->f;
    g->problem.w = g->w;
    if (g->joint_count > 0) generate_joints(g);
    return true;
}

// Velocities up to a fifth of those of the step, friction up to a quarter more or less.
static inline void generate_shake(generated* g, uint64_t seed) {
    uint64_t state = seed;
    for (int i = 0; i < 6 * g->body_count; i++) g->f[i] += random_in(&state, -0.02, 0.02) / g->inverse_mass[i];
    for (int c = 0; c < g->contact_count; c++) g->mu[c] *= random_in(&state, 0.75, 1.25);
}

static inline void generated_clear(generated* g) {
    void* owned[] = {g->center,
                     g->inverse_mass,
                     g->contact,
                     g->mu,
                     g->f,
                     g->w,
                     g->joint,
                     g->b,
                     g->problem.G.col_start,
                     g->problem.G.row,
                     g->problem.G.value,
                     g->problem.M.col_start,
                     g->problem.M.row,
                     g->problem.M.value,
                     g->problem.H.col_start,
                     g->problem.H.row,
                     g->problem.H.value};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) free(owned[k]);
    *g = (generated){0};
}

#endif
