// small.h: products of small dense matrices, row-major. What comes out is none of what goes in.
#ifndef STI_LINALG_SMALL_H
#define STI_LINALG_SMALL_H

#include <stdbool.h>

// C (m x n) = A (m x k) B (k x n); the others with A (k x m) or B (n x k) transposed.
void sti_small_multiply(int m, int k, int n, const double* A, const double* B, double* C);
void sti_small_multiply_tn(int m, int k, int n, const double* A, const double* B, double* C);
void sti_small_multiply_nt(int m, int k, int n, const double* A, const double* B, double* C);
void sti_small_apply(int m, int n, const double* A, const double* x, double* y);             // y = A x
void sti_small_apply_transposed(int m, int n, const double* A, const double* x, double* y);  // y = A'x, A m x n
double sti_small_form(int n, const double* A, const double* x, const double* y);             // x'A y
// Powers of 2 with which unit_i A_ii unit_i is from 1/2 to 2, so that nothing is rounded; false: not all A_ii are
// positive.
bool sti_small_units(int n, const double* A, double* unit);

#endif
