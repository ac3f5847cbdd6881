// matrix.h: what the rooms do with an sti_matrix beyond the public header.
#ifndef STI_LINALG_MATRIX_H
#define STI_LINALG_MATRIX_H

#include <stiction/linalg.h>

void sti_matrix_multiply_add(const sti_matrix* A, const double* x, double* y);  // y += A x

#endif
