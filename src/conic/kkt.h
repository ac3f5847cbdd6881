// kkt.h: the linear system of an interior-point step,
//
//     [ P   A'  ] [x]   [f]
//     [ A  -W^2 ] [z] = [g]        W^2 = 0 on rows of {0}
//
// by sparse L D L' of a slightly regularized copy, with iterative refinement against the system itself.
#ifndef STI_CONIC_KKT_H
#define STI_CONIC_KKT_H

#include <stiction/linalg.h>

#include "base/arena.h"
#include "conic/cones.h"
#include "linalg/ldl.h"

#define STI_KKT_SMALL \
    6  // rows of a cone up to which its block is diagonalized; larger ones are written with two more rows

// A small cone has its rows turned by an orthogonal Q, in which W^2 is diagonal (kkt.c). Its rows of A all have the
// columns that any of them has: `blocks` of cone size x 1.
typedef struct sti_kkt {
    sti_arena memory;
    sti_env* env;
    int n, m, extra;     // extra: 2 for each large cone
    int order;           // n + m + extra
    sti_ldl ldl;         // values with the regularization in
    int* large;          // cone -> its first extra row, or -1                       (count)
    int* cone;           // row -> cone, or -1                                       (m)
    int* diagonal;       // place of each diagonal entry in ldl.value                (order)
    signed char* sign;   // of each pivot                                            (order)
    double* exact;       // diagonal without regularization                          (order)
    int* blocks;         // first block of each cone                                 (count+1)
    int* block_column;   // j of a block                                             (blocks)
    int* block_place;    // its first entry in column j of ldl.value                 (blocks)
    double* block_data;  // its entries of A                                         (blocks x SMALL)
    double* Q;           // of each cone, row major                                  (count x SMALL^2)
    double* rhs;         // right side, solution, correction                         (3 order)
    double* step;        // for the caller: a right side, then its solution          (n + m)
    double* g;           // W^2 of small cones as for sti_kkt_factor_blocks          (m)
    double* axis;        //                                                          (m)
    double delta;        // regularization of the last factorization
} sti_kkt;

// P (n x n, both triangles) and A (m x n), sparse, with At = A'. Only the shape of the cones is used here
// (kkt_pattern.c).
sti_status sti_kkt_init(sti_kkt* k, sti_env* env, const sti_matrix* P, const sti_matrix* A, const sti_matrix* At,
                        const sti_cones* cones);
void sti_kkt_clear(sti_kkt* k);  // accepts a zero struct

// W from the cones. False: no regularization gave pivots of the right signs.
bool sti_kkt_factor(sti_kkt* k, const sti_cones* cones);

// The same with other blocks in place of W^2: for a row of R_+ the number g[i]; for a cone at rows at, at+1, ..
//
//     g[at] p p' + g[at+1] q q' + g[at+2] (I - p p' - q q'),     p, q = (1, +-axis) / sqrt(2),  axis at the same rows
//
// g[at] >= g[at+2] >= g[at+1] > 0; g[at] and g[at+1] alone for a cone of two rows, g[at] for one of one row.
bool sti_kkt_factor_blocks(sti_kkt* k, const sti_cones* cones, const double* g, const double* axis);

// x (n), z (m): f and g in, the solution out. The residual that is left, in the infinity norm, relative to the right
// side.
double sti_kkt_solve(sti_kkt* k, const sti_cones* cones, double* x, double* z);

// (x, z) <- (I + S K / delta)^-1 (x, z), S the signs of the pivots: keeps the part in the null space of K.
void sti_kkt_filter(sti_kkt* k, const sti_cones* cones, double* x, double* z);

#endif
