// scaled.h: a program in balanced units, and the way back.
//
//     x = beta D xh,   s = beta E^-1 sh,   y = E yh / (kappa beta)
//     Ph = kappa beta^2 D P D,   ch = kappa beta D c,   Ah = E A D,   bh = E b / beta
//
// D and E are positive and diagonal, E constant on each second-order cone, so that the cones stay what they are.
#ifndef STI_CONIC_SCALED_H
#define STI_CONIC_SCALED_H

#include <stiction/conic.h>

#include "base/arena.h"

typedef struct sti_conic_scaled {
    sti_arena memory;
    sti_env* env;
    int n, m;
    sti_matrix P;   // symmetrized; rows = 0: none
    sti_matrix A;   // both sparse, entries that are zero left out
    sti_matrix At;  // A'
    double* c;      // (n)
    double* b;      // (m)
    double* D;      // (n)
    double* E;      // (m)
    double beta, kappa;
} sti_conic_scaled;

sti_status sti_conic_scaled_init(sti_conic_scaled* k, sti_env* env, const sti_conic* program);
void sti_conic_scaled_clear(sti_conic_scaled* k);  // accepts a zero struct

void sti_conic_scaled_set_c(sti_conic_scaled* k, const double* c);  // another c in the same units

// Column of a negative pivot of P + eps I, -1 when P is positive semidefinite up to rounding (curvature.c).
sti_status sti_conic_scaled_curvature(const sti_conic_scaled* k, int* column);

// P is symmetric and positive semidefinite, or it is an error.
sti_status sti_conic_check_objective(sti_env* env, const sti_conic* program, const sti_conic_scaled* k);

// Out of, and into, the scaled units; any pointer pair may be NULL.
void sti_conic_scaled_leave(const sti_conic_scaled* k, double tau, const double* xh, const double* sh, const double* yh,
                            double* x, double* s, double* y);
void sti_conic_scaled_enter(const sti_conic_scaled* k, const double* x, const double* s, const double* y, double* xh,
                            double* sh, double* yh);

sti_status sti_conic_symmetrize(sti_env* env, sti_matrix* P);  // sparse P <- (P + P')/2

// y = A x and y = A'x for a sparse matrix; each entry is a sum in the order of the stored entries.
void sti_conic_multiply(const sti_matrix* A, const double* x, double* y);
void sti_conic_multiply_transposed(const sti_matrix* A, const double* x, double* y);

#endif
