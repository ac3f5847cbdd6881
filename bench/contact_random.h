// contact_random.h: contact problems in local form made from a seed: few contacts that press among many.
//
// Bodies joined at random, d velocities each; of their contacts a stated part closes, the others part. W = H H' by
// columns, row c of H random frames on the two bodies of contact c. The same seed gives the same problem.
#ifndef STI_BENCH_CONTACT_RANDOM_H
#define STI_BENCH_CONTACT_RANDOM_H

#include <stdint.h>
#include <stiction/stiction.h>

#include "measure.h"

typedef struct random_local {
    sti_contact_problem problem;
    int64_t* start;
    int* row;
    double *W, *q, *mu;
} random_local;

static inline double random_in(uint64_t* state, double low, double high) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*state >> 11) / 9007199254740992.0;
}

static inline void random_few(uint64_t seed, int d, int nc, double closing, random_local* out) {
    const int n = d * nc, bodies = nc / 2 + 2, nv = d * bodies;
    double* H = bench_memory((size_t)n * (size_t)nv, sizeof *H);
    uint64_t g = seed;
    out->W = bench_memory((size_t)n * (size_t)n, sizeof *out->W);
    out->q = bench_memory((size_t)n, sizeof *out->q);
    out->mu = bench_memory((size_t)nc, sizeof *out->mu);
    for (int c = 0; c < nc; c++) {
        const int a = (int)random_in(&g, 0, bodies), b = (int)random_in(&g, 0, bodies);
        for (int i = d * c; i < d * c + d; i++) {
            for (int j = 0; j < d; j++) {
                H[i * nv + d * a + j] += random_in(&g, -0.5, 0.5);
                H[i * nv + d * b + j] -= a == b ? 0 : random_in(&g, -0.5, 0.5);
            }
            out->q[i] = random_in(&g, -0.5, 0.5);
        }
        out->q[d * c] = random_in(&g, 0, 1) < closing ? -random_in(&g, 0, 1) : random_in(&g, 0.2, 1.2);
        out->mu[c] = random_in(&g, 0.1, 0.8);
    }
    out->start = bench_memory((size_t)n + 1, sizeof *out->start);
    out->row = bench_memory((size_t)n * (size_t)n, sizeof *out->row);
    int64_t filled = 0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            double s = 0;
            for (int k = 0; k < nv; k++) s += H[i * nv + k] * H[j * nv + k];
            if (s == 0) continue;
            out->row[filled] = i;
            out->W[filled++] = s;
        }
        out->start[j + 1] = filled;
    }
    free(H);
    out->problem = (sti_contact_problem){.dimension = d, .contact_count = nc, .mu = out->mu, .q = out->q};
    out->problem.W = (sti_matrix){.rows = n, .cols = n, .col_start = out->start, .row = out->row, .value = out->W};
}

#endif
