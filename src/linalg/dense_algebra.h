// dense_algebra.h: dense algebra of the few rows that contacts have: row major, no hidden memory.
#ifndef STI_LINALG_DENSE_ALGEBRA_H
#define STI_LINALG_DENSE_ALGEBRA_H

#include <stdbool.h>

#include "base/env.h"
#include "linalg/small.h"
#include "linalg/vector.h"

// Eigenvalues w (n, ascending) of a symmetric A (n x n, destroyed), rows of V (n x n, may be NULL) the eigenvectors.
// Cyclic Jacobi: small eigenvalues are as good as large ones.
void sti_dense_eigen(int n, double* A, double* w, double* V);

// Pseudo-inverse of a symmetric positive semidefinite A; may be A itself. Eigenvalues below tol times the largest count
// as zero. work: 2 n^2 + n. Returns the rank.
int sti_dense_pseudo_inverse(int n, const double* A, double tol, double* inverse, double* work);

// All x with A x = b, A m x n:  x = x0 + sum_k y_k z_k.  x0 (n) is the shortest one; the rows of Z (n x n room) are an
// orthonormal basis of the null space, n - rank of them. Pivots below tol times the largest entry count as zero, and
// residuals of that size are forgiven. work: m (n + 1), index: m + n.
typedef struct sti_dense_family {
    int rank;
    bool consistent;
} sti_dense_family;
sti_dense_family sti_dense_solve(int m, int n, const double* A, const double* b, double tol, double* x0, double* Z,
                                 double* work, int* index);

double sti_dense_determinant(int n, double* A);  // destroys A

// Spectral norm of an m x n matrix. work: n^2 + n
double sti_dense_norm(int m, int n, const double* A, double* work);

// Eigenvalues of a general n x n matrix: real and imaginary parts, in the order LAPACK finds them.
sti_status sti_dense_eigenvalues(sti_env* env, int n, const double* A, double* re, double* im);

#endif
