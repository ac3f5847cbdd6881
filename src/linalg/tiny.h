// tiny.h: factors of matrices of a few rows, such as the mass of one rigid body. A call of LAPACK costs more than they
// do.
//
// Row major. The caller owns the n x n numbers and the n pivots.
#ifndef STI_LINALG_TINY_H
#define STI_LINALG_TINY_H

#include <stdbool.h>

enum { STI_TINY = 6 };  // largest n

// P A = L U in place, rows exchanged for the largest pivot. False: a pivot is 0, or not a number.
bool sti_tiny_lu(int n, double* a, int* pivot);

// x (n): b in, A^-1 b out
void sti_tiny_lu_solve(int n, const double* lu, const int* pivot, double* x);

// 1 / (|A| |A^-1|) in the norm of absolute row sums, given |A|; 0 where that is not a number
double sti_tiny_lu_rcond(int n, const double* lu, const int* pivot, double norm);

#endif
