// principal.h: linear systems with the principal blocks of one square matrix,
//
//     (M_aa + E_aa) x_a = b_a        a an index set, E a diagonal matrix.
//
// Active-set Newton steps, Fischer-Burmeister Newton steps and interior-point steps all have this form. M is dense
// (Cholesky when M is symmetric and the block allows it, otherwise LU), or sparse and symmetric (L D L' with one
// ordering for all blocks: rows outside a become rows of the identity).
#ifndef STI_LINALG_PRINCIPAL_H
#define STI_LINALG_PRINCIPAL_H

#include <stiction/linalg.h>

#include "linalg/dense.h"
#include "linalg/ldl.h"

typedef struct sti_principal {
    sti_env* env;
    int n;
    const sti_matrix* M;  // borrowed; outlives this
    bool symmetric;
    sti_dense_factor dense;  // M dense
    sti_ldl ldl;             // M sparse
    int count;               // |a| of the last factorization
    int* index;              // a, ascending                     (n)
    double* packed;          // b_a and x_a                      (n)
} sti_principal;

// A sparse M must be symmetric, with every diagonal entry stored.
sti_status sti_principal_init(sti_principal* p, sti_env* env, const sti_matrix* M, bool symmetric);
void sti_principal_clear(sti_principal* p);  // accepts a zero struct

// Factor the block of a = {i : alpha_i != 0} (all of them when alpha is NULL); E (n) may be NULL for zero.
// False: a pivot is zero, the block is singular.
bool sti_principal_factor(sti_principal* p, const unsigned char* alpha, const double* E);
double sti_principal_rcond(sti_principal* p);  // of the factored block; for a sparse M only its pivot ratio
void sti_principal_solve(sti_principal* p,
                         double* x);  // x (n): x_a is b_a in, the solution out; the rest is not touched

void sti_principal_multiply(const sti_principal* p, const double* x, double* y);             // y = M x
void sti_principal_multiply_transposed(const sti_principal* p, const double* x, double* y);  // y = M'x

// Is (M + M')/2 + shift I positive definite in floating point? Overwrites the factors.
bool sti_principal_is_positive(sti_principal* p, double shift);

#endif
