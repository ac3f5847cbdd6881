// svd.h: dense algebra on small row-major matrices: singular values, pseudo-inverse, kernels.
#ifndef STI_LINALG_SVD_H
#define STI_LINALG_SVD_H

#include <stdbool.h>

#include "base/arena.h"
#include "linalg/small.h"
#include "linalg/vector.h"

#define sti_small_max sti_vector_largest

static inline double sti_small_dot(int n, const double* x, const double* y) {
    return sti_vector_dot((size_t)n, x, y);
}

double sti_small_norm(int n, const double* x);  // Euclidean

// A = U diag(s) V', A m x n. Singular values below `tol` times the largest count as zero.
typedef struct sti_svd {
    int m, n;
    int rank;
    double* s;  // descending                                    (min(m, n))
    double* U;  // columns are left singular vectors             (m x m)
    double* V;  // rows are right singular vectors               (n x n)
} sti_svd;

#define STI_SMALL_RANK_TOL 1e-11

sti_status sti_svd_make(sti_arena* pool, int m, int n, const double* A, double tol, sti_svd* out);
void sti_svd_solve(const sti_svd* f, const double* b, double* x);             // x = A+ b: least squares, least norm
void sti_svd_solve_transposed(const sti_svd* f, const double* b, double* y);  // y = (A')+ b
static inline const double* sti_svd_kernel(const sti_svd* f, int k) {         // k-th kernel vector, k < n - rank (n)
    return f->V + (size_t)(f->rank + k) * (size_t)f->n;
}
// Distance of b from the image of A, relative to |b|; the component outside into r (m).
double sti_svd_outside(const sti_svd* f, const double* b, double* r);
sti_status sti_svd_pinv(sti_arena* pool, const sti_svd* f, double** out);  // n x m

// Factors of rows (m) and columns (n) that bring the largest entry of each to about one: units have no say in what
// follows.
sti_status sti_small_equilibrate(sti_arena* pool, int m, int n, const double* A, double* row, double* column);

// Rank alone, of A with rows and columns scaled so.
sti_status sti_small_rank(sti_arena* pool, int m, int n, const double* A, int* rank);

// The rows of V (count x n, orthonormal) replaced by a basis of the same space that does not depend on how they were
// found: unit vectors projected on it, the longest projection first (ties by index), made orthonormal one after the
// other.
sti_status sti_small_canonical(sti_arena* pool, int count, int n, double* V);

// Eigenvalues, ascending, and (rows of V) eigenvectors of a symmetric matrix.
sti_status sti_small_eigen(sti_arena* pool, int n, const double* A, double* w, double* V);

// Inverse of a symmetric positive definite matrix by Cholesky. *definite false: a pivot was not positive.
sti_status sti_small_inverse(sti_arena* pool, int n, const double* A, double* inverse, bool* definite);

#endif
