// kkt.h: the linear system of an interior-point step,
//
//     [ P   A'  ] [x]   [f]
//     [ A  -W^2 ] [z] = [g]        W^2 = 0 on rows of {0}
//
// by sparse L D L' of a slightly regularized copy, with iterative refinement against the system itself.
#ifndef STI_CONIC_KKT_H
#define STI_CONIC_KKT_H

#include <stiction/linalg.h>

#include "conic/cones.h"
#include "linalg/ldl.h"

typedef struct sti_kkt {
    sti_env* env;
    int n, m, extra;    // extra: 2 for each large cone
    int order;          // n + m + extra
    sti_ldl ldl;        // values with the regularization in
    int* large;         // cone -> its first extra row, or -1                      (count)
    int* diagonal;      // place of each diagonal entry in ldl.value               (order)
    int* block;         // place of the first W^2 entry of each column of A'       (m)
    signed char* sign;  // of each pivot                                         (order)
    double* exact;      // diagonal without regularization                       (order)
    double* rhs;        // right side, residual, correction                      (3 order)
    double* step;       // for the caller: a right side, then its solution         (n + m)
    double delta;       // regularization of the last factorization
} sti_kkt;

// P (n x n, both triangles) and A (m x n), sparse, with At = A'. Only the pattern of the cones is used here.
sti_status sti_kkt_init(sti_kkt* k, sti_env* env, const sti_matrix* P, const sti_matrix* A, const sti_matrix* At,
                        const sti_cones* cones);
void sti_kkt_clear(sti_kkt* k);  // accepts a zero struct

// W from the cones. False: no regularization gave pivots of the right signs.
bool sti_kkt_factor(sti_kkt* k, const sti_cones* cones);

// The same with other blocks in place of W^2: for a row of R_+ the number g[i]; for a cone at rows at, at+1, ..
//
//     g[at+2] I + (g[at] - g[at+2]) p p' + (g[at+1] - g[at+2]) q q',     p, q = (1, +-axis) / sqrt(2),
//
// g[at] >= g[at+2] >= g[at+1] > 0; g[at] and g[at+1] alone for a cone of two rows, g[at] for one of one row.
bool sti_kkt_factor_blocks(sti_kkt* k, const sti_cones* cones, const double* g, const double* axis);

// x (n), z (m): f and g in, the solution out. The residual that is left, in the infinity norm, relative to the right side.
double sti_kkt_solve(sti_kkt* k, double* x, double* z);

// (x, z) <- (I + S K / delta)^-1 (x, z), S the signs of the pivots: keeps the part in the null space of K.
void sti_kkt_filter(sti_kkt* k, double* x, double* z);

#endif
