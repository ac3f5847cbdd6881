// small.h: products of small dense matrices, row-major. What comes out is none of what goes in.
#ifndef STI_LINALG_SMALL_H
#define STI_LINALG_SMALL_H

// C (m x n) = A (m x k) B (k x n); the others with A (k x m) or B (n x k) transposed.
void sti_small_multiply(int m, int k, int n, const double* A, const double* B, double* C);
void sti_small_multiply_tn(int m, int k, int n, const double* A, const double* B, double* C);
void sti_small_multiply_nt(int m, int k, int n, const double* A, const double* B, double* C);
void sti_small_apply(int m, int n, const double* A, const double* x, double* y);             // y = A x
void sti_small_apply_transposed(int m, int n, const double* A, const double* x, double* y);  // y = A'x, A m x n
double sti_small_form(int n, const double* A, const double* x, const double* y);             // x'A y

#endif
