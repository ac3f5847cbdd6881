// check.h: is a matrix or a vector sound as data? The error names it, the index and the value.
#ifndef STI_LINALG_CHECK_H
#define STI_LINALG_CHECK_H

#include <stiction/linalg.h>

// v (n) is there and finite.
sti_status sti_vector_check(sti_env* env, const char* name, const double* v, int n);

// A is rows x cols, complete and finite. ascending: the rows of a sparse column must ascend, as the public header says;
// otherwise any order will do. An empty matrix is not looked at.
sti_status sti_matrix_check(sti_env* env, const char* name, const sti_matrix* A, int rows, int cols, bool ascending);

#endif
