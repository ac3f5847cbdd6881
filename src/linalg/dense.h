// dense.h: factors of a dense matrix that are made once and used for many right sides.
//
// Row-major in, row-major out; see lapack.h for the transposition behind it.
#ifndef STI_LINALG_DENSE_H
#define STI_LINALG_DENSE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/env.h"

// Room for the factors of any matrix up to capacity x capacity.
typedef struct sti_dense_factor {
    sti_arena memory;
    sti_env* env;
    int capacity;
    int n;          // order of the matrix now held
    bool cholesky;  // A = L L', otherwise P A = L U
    double norm;    // largest absolute row sum of A, before factoring
    double* a;      // A, then its factors              (n x n of capacity x capacity)
    int* pivot;     // row exchanges of LU              (capacity)
    double* work;   // for the condition estimate       (4 capacity)
    int* iwork;     //                                  (capacity)
} sti_dense_factor;

sti_status sti_dense_factor_init(sti_dense_factor* f, sti_env* env, int capacity);
void sti_dense_factor_clear(sti_dense_factor* f);  // accepts a zero struct

// Where to write the n x n matrix, row major, before factoring it. n <= capacity.
double* sti_dense_factor_load(sti_dense_factor* f, int n);

// Factor what was loaded. LU: false when a pivot is exactly zero. Cholesky reads the lower triangle: false when
// a pivot is not positive, and then the matrix must be loaded again.
bool sti_dense_factor_lu(sti_dense_factor* f);
bool sti_dense_factor_cholesky(sti_dense_factor* f);

// Estimate of 1 / (|A| |A^-1|), between 0 (singular to working precision) and 1. The 0 x 0 matrix has 1.
double sti_dense_factor_rcond(sti_dense_factor* f);

void sti_dense_factor_solve(const sti_dense_factor* f, double* x);  // x (n): b in, A^-1 b out

// y = A x  and  y = A' x  for a row-major n x n matrix
void sti_dense_multiply(int n, const double* A, const double* x, double* y);
void sti_dense_multiply_transposed(int n, const double* A, const double* x, double* y);

#endif
