// contact_elastic.h: frictional contact of an elastic block with the ground, the mass matrix that of finite elements.
//
// A grid of cells in the plane or in space, linear elements with consistent mass, linear elasticity, one implicit step:
//
//     (M + h^2 K) v = M v_0 + h f_gravity + H r,      u = H'v
//
// with a contact at every node of the lowest layer. The block falls, turns and slides, so some of them part. The matrix
// is one piece, symmetric and positive definite, sparse; H has one entry in each column. The same seed gives the same
// block: speeds, stiffness and friction come from it.
#ifndef STI_BENCH_CONTACT_ELASTIC_H
#define STI_BENCH_CONTACT_ELASTIC_H

#include <math.h>
#include <stdint.h>
#include <stiction/stiction.h>
#include <string.h>

#include "contact_random.h"
#include "measure.h"

enum { ELASTIC_NODES = 8, ELASTIC_NEAR = 27 };

typedef struct elastic {
    sti_contact_problem problem;
    int d, nodes, side[3];  // nodes along each axis, the last one upwards
    double* block;          // of M + h^2 K: node, neighbour, row, column       (nodes x 3^d x d x d)
    double* mass;           // of a node, with its neighbours                   (nodes x 3^d)
    double *mu, *f, *w;
} elastic;

// Shape functions of a cell at x in [0, 1]^d and their derivatives
static inline void elastic_shapes(int d, const double* x, double* N, double (*dN)[3]) {
    for (int a = 0; a < 1 << d; a++) {
        N[a] = 1;
        for (int i = 0; i < d; i++) {
            const bool up = a >> i & 1;
            N[a] *= up ? x[i] : 1 - x[i];
            dN[a][i] = up ? 1 : -1;
            for (int j = 0; j < d; j++) dN[a][i] *= j == i ? 1 : (a >> j & 1) ? x[j] : 1 - x[j];
        }
    }
}

// Mass (nodes x nodes) and K (d nodes x d nodes) of one cell with edges 1: lambda, shear, by 2^d points of Gauss
static inline void elastic_cell(int d, double lambda, double shear, double* M, double* K) {
    const int nodes = 1 << d, n = d * nodes;
    for (int g = 0; g < nodes; g++) {
        double x[3], N[ELASTIC_NODES], dN[ELASTIC_NODES][3];
        for (int i = 0; i < d; i++) x[i] = 0.5 + ((g >> i & 1) ? 0.5 : -0.5) / sqrt(3);
        elastic_shapes(d, x, N, dN);
        for (int a = 0; a < nodes; a++) {
            for (int b = 0; b < nodes; b++) {
                double dot = 0;
                for (int i = 0; i < d; i++) dot += dN[a][i] * dN[b][i];
                M[a * nodes + b] += N[a] * N[b] / nodes;
                for (int i = 0; i < d; i++) {
                    for (int j = 0; j < d; j++)
                        K[(d * a + i) * n + d * b + j] +=
                            (lambda * dN[a][i] * dN[b][j] + shear * dN[a][j] * dN[b][i] + (i == j ? shear * dot : 0)) /
                            nodes;
                }
            }
        }
    }
}

static inline int elastic_node(const elastic* e, const int* at) {
    int node = 0;
    for (int i = e->d - 1; i >= 0; i--) node = node * e->side[i] + at[i];
    return node;
}

static inline void elastic_place(const elastic* e, int node, int* at) {
    for (int i = 0; i < e->d; i++) {
        at[i] = node % e->side[i];
        node /= e->side[i];
    }
}

// The neighbour of a node in a direction 0 .. 3^d - 1; -1: beyond the border
static inline int elastic_near(const elastic* e, int node, int way) {
    int at[3];
    elastic_place(e, node, at);
    for (int i = 0; i < e->d; i++, way /= 3) {
        at[i] += way % 3 - 1;
        if (at[i] < 0 || at[i] >= e->side[i]) return -1;
    }
    return elastic_node(e, at);
}

static inline void elastic_assemble(elastic* e, double lambda, double shear, double step2) {
    const int d = e->d, corners = 1 << d, n = d * corners, ways = d == 2 ? 9 : 27;
    double M[ELASTIC_NODES * ELASTIC_NODES] = {0}, K[9 * ELASTIC_NODES * ELASTIC_NODES] = {0};
    elastic_cell(d, lambda, shear, M, K);
    e->block = bench_memory((size_t)(e->nodes * ways * d * d), sizeof *e->block);
    e->mass = bench_memory((size_t)(e->nodes * ways), sizeof *e->mass);
    for (int first = 0; first < e->nodes; first++) {
        int at[3];
        bool inside = true;
        elastic_place(e, first, at);
        for (int i = 0; i < d; i++) inside = inside && at[i] + 1 < e->side[i];
        for (int a = 0; inside && a < corners; a++) {
            int corner[3];
            for (int i = 0; i < d; i++) corner[i] = at[i] + (a >> i & 1);
            const int node = elastic_node(e, corner);
            for (int b = 0; b < corners; b++) {
                int way = 0;
                for (int i = d - 1; i >= 0; i--) way = 3 * way + 1 + (b >> i & 1) - (a >> i & 1);
                e->mass[node * ways + way] += M[a * corners + b];
                double* block = e->block + (size_t)(node * ways + way) * (size_t)(d * d);
                for (int i = 0; i < d; i++) {
                    for (int j = 0; j < d; j++)
                        block[i * d + j] += (i == j ? M[a * corners + b] : 0) + step2 * K[(d * a + i) * n + d * b + j];
                }
            }
        }
    }
}

// Columns of M + h^2 K, which is symmetric
static inline void elastic_matrix(elastic* e) {
    const int d = e->d, nv = d * e->nodes, ways = d == 2 ? 9 : 27;
    sti_matrix* A = &e->problem.M;
    *A = (sti_matrix){.rows = nv, .cols = nv};
    A->col_start = bench_memory((size_t)nv + 1, sizeof *A->col_start);
    A->row = bench_memory((size_t)(nv * ways * d), sizeof *A->row);
    A->value = bench_memory((size_t)(nv * ways * d), sizeof *A->value);
    int64_t filled = 0;
    for (int j = 0; j < nv; j++) {
        for (int way = 0; way < ways; way++) {
            const int near = elastic_near(e, j / d, way);
            for (int i = 0; near >= 0 && i < d; i++) {
                A->row[filled] = d * near + i;
                A->value[filled++] = e->block[((j / d) * ways + way) * d * d + (j % d) * d + i];
            }
        }
        A->col_start[j + 1] = filled;
    }
}

// cells along each edge; d velocities a node, contacts at the nodes below
static inline void elastic_block(uint64_t seed, int d, int cells, elastic* e) {
    enum { STEPS_A_SECOND = 100 };
    uint64_t g = seed;
    *e = (elastic){.d = d, .nodes = 1};
    for (int i = 0; i < d; i++) e->nodes *= e->side[i] = cells + 1;
    const double h = 1.0 / STEPS_A_SECOND, stiff = random_in(&g, 1e3, 1e4), mu = random_in(&g, 0.2, 0.6);
    elastic_assemble(e, 1.5 * stiff, stiff, h * h);
    elastic_matrix(e);
    const int ways = d == 2 ? 9 : 27, nv = d * e->nodes, nc = e->nodes / e->side[d - 1], up = d - 1;
    e->mu = bench_memory((size_t)nc, sizeof *e->mu);
    e->f = bench_memory((size_t)nv, sizeof *e->f);
    e->w = bench_memory((size_t)(d * nc), sizeof *e->w);
    const double fall = random_in(&g, 0.05, 0.2), slide = random_in(&g, 0, 0.2), turn = random_in(&g, 0.1, 0.3);
    for (int node = 0; node < e->nodes; node++) {
        for (int way = 0; way < ways; way++) {
            const int near = elastic_near(e, node, way);
            if (near < 0) continue;
            int at[3];
            elastic_place(e, near, at);
            const double x = (double)at[0] / cells - 0.5, z = (double)at[up] / cells;
            double v[3] = {slide + turn * z, 0, 0};
            v[up] = -fall - turn * x - 9.81 * h;
            for (int i = 0; i < d; i++) e->f[d * node + i] += e->mass[node * ways + way] * v[i];
        }
    }
    sti_matrix* H = &e->problem.H;
    *H = (sti_matrix){.rows = nv, .cols = d * nc};
    H->col_start = bench_memory((size_t)(d * nc) + 1, sizeof *H->col_start);
    H->row = bench_memory((size_t)(d * nc), sizeof *H->row);
    H->value = bench_memory((size_t)(d * nc), sizeof *H->value);
    for (int j = 0; j < d * nc; j++) {  // the lowest nodes come first; the normal is the last axis
        e->mu[j / d] = mu;
        H->row[j] = d * (j / d) + (j % d == 0 ? up : j % d - 1);
        H->value[j] = 1;
        H->col_start[j + 1] = j + 1;
    }
    e->problem.dimension = d;
    e->problem.contact_count = nc;
    e->problem.mu = e->mu;
    e->problem.global = true;
    e->problem.velocity_count = nv;
    e->problem.f = e->f;
    e->problem.w = e->w;
}

static inline void elastic_clear(elastic* e) {
    void* owned[] = {e->block,
                     e->mass,
                     e->mu,
                     e->f,
                     e->w,
                     e->problem.M.col_start,
                     e->problem.M.row,
                     e->problem.M.value,
                     e->problem.H.col_start,
                     e->problem.H.row,
                     e->problem.H.value};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) free(owned[k]);
    *e = (elastic){0};
}

#endif
