// matrix.h: what the rooms do with an sti_matrix beyond the public header.
#ifndef STI_LINALG_MATRIX_H
#define STI_LINALG_MATRIX_H

#include <stiction/linalg.h>

void sti_matrix_multiply_add(const sti_matrix* A, const double* x, double* y);             // y += A x
void sti_matrix_multiply_transposed_add(const sti_matrix* A, const double* x, double* y);  // y += A'x

// The sparse A by rows, which is A' by columns: start (rows + 1), col and value (as many as A has); columns ascend
// within a row.
void sti_matrix_by_rows(const sti_matrix* A, int64_t* start, int* col, double* value);

#endif
