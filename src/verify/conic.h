// conic.h: what the checks of conic and quadratic programs share, in long double.
#ifndef STI_VERIFY_CONIC_H
#define STI_VERIFY_CONIC_H

#include <stdbool.h>
#include <stiction/linalg.h>

enum { STI_CHECK_CHOLESKY = 400 };  // order up to which P is tested

sti_status sti_check_conic_vector(sti_env* env, const char* name, const double* x, int n);
sti_status sti_check_conic_matrix(sti_env* env, const char* name, const sti_matrix* A, int rows, int cols);

void sti_check_conic_multiply(const sti_matrix* A, bool transposed, const long double* x,
                              long double* y);  // y += A x, A'x
long double sti_check_conic_size(const sti_matrix* A,
                                 long double* row);  // largest entry; row: and of each row, or NULL
sti_status sti_check_conic_convex(sti_env* env, int order, const sti_matrix* P, bool* convex);  // up to 1e-10

#endif
