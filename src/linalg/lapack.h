// lapack.h: the few BLAS and LAPACK routines we call, and the border to them. Only lapack.c names them as Fortran does;
// `tools/lint borders` sees to it.
//
// Matrices are column major, as the routines want them. A row-major matrix M is the column-major M'; so "LU of the
// rows" is the LU of M' and a solve with M is one with its transpose.
//
// What is no finite number gets no further than this border: some routines never end on one (singular values by QR
// steps).
#ifndef STI_LINALG_LAPACK_H
#define STI_LINALG_LAPACK_H

#include <stdbool.h>

#include "base/env.h"

// How a factorization ended, where it did not end well: > 0 as LAPACK counts (the pivot that is zero or not positive,
// or what did not converge), otherwise one of these.
enum {
    STI_LAPACK_DONE = 0,
    STI_LAPACK_NOT_FINITE = -1,  // an entry is no finite number; nothing was done
};

// The same as a status, for who cannot go on. `what` names the matrix: "singular values of a 3 x 4 matrix".
// Not finite: STI_ERR_INPUT, as finite data were multiplied to numbers that no double holds.
sti_status sti_lapack_status(sti_env* env, int end, const char* format, ...) __attribute__((format(printf, 3, 4)));

// OpenBLAS works in a buffer that it maps when it first needs one. Where there is no room for it, it asks again for
// ever. So whoever is going to call anything below says so first, as often as it likes: STI_ERR_MEMORY when there is no
// room.
sti_status sti_lapack_reserve(sti_env* env);

// ---- factorizations: how they ended

int sti_lapack_lu(int n, double* a, int* pivot);  // a (n x n): P L U; pivot can be solved with however it ended
int sti_lapack_cholesky(char triangle, int n, double* a);  // a (n x n): reads and leaves the triangle 'L' or 'U'
double sti_lapack_lu_rcond(int n, const double* lu, double norm, double* work, int* iwork);  // (4n), (n); 0: singular
double sti_lapack_cholesky_rcond(char triangle, int n, const double* l, double norm, double* work, int* iwork);

// Eigenvalues w (n), ascending, of a symmetric matrix by its lower triangle; vectors: its eigenvectors into the columns
// of a.
int sti_lapack_symmetric_eigen(bool vectors, int n, double* a, double* w, double* work, int room);  // room >= 3n - 1
// Eigenvalues re + i im of a general matrix, which is destroyed.
int sti_lapack_eigenvalues(int n, double* a, double* re, double* im, double* work, int room);  // room >= 3n
// a (m x n) = u diag(s) vt, u (m x m), vt (n x n); a is destroyed.
int sti_lapack_svd(int m, int n, double* a, double* s, double* u, double* vt, double* work,
                   int room);  // room >= 5 max(m, n)
// Least squares of least norm with a (m x n), destroyed: b (ldb >= max(m, n)) in, x out. pivot (n) is zeroed here.
int sti_lapack_least_squares(int m, int n, double* a, double* b, int ldb, int* pivot, double rcond, int* rank,
                             double* work, int room);
int sti_lapack_least_squares_room(int m, int n);  // doubles of `work` that let it run well

// ---- solves with factors and products: they end on any numbers

void sti_lapack_lu_solve(char trans, int n, int count, const double* lu, const int* pivot, double* b, int ldb);
void sti_lapack_cholesky_solve(char triangle, int n, int count, const double* l, double* b, int ldb);

// c (m x n) = alpha op(a) op(b) + beta c, op(a) m x k
void sti_blas_gemm(char op_a, char op_b, int m, int n, int k, double alpha, const double* a, int lda, const double* b,
                   int ldb, double beta, double* c, int ldc);
// y = alpha op(a) x + beta y, a m x n
void sti_blas_gemv(char op, int m, int n, double alpha, const double* a, int lda, const double* x, double beta,
                   double* y);
// Lower triangular systems. unit: the diagonal is 1 and not read. x: b in, solution out.
void sti_blas_trsv(char op, bool unit, int n, const double* a, int lda, double* x);
void sti_blas_trsm(char side, char op, bool unit, int m, int n, const double* a, int lda, double* b, int ldb);

#endif
