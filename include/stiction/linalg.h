// linalg.h: matrices as the library takes them, and arrays of exact rationals.
#ifndef STICTION_LINALG_H
#define STICTION_LINALG_H

#include <stdbool.h>
#include <stiction/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// A rows x cols matrix, dense (row major) or sparse (compressed columns, row indices ascending).
// Exactly one of the two forms is set; an empty matrix (rows or cols 0) may have neither.
// The struct is a view: who fills the pointers owns them. sti_matrix_clear frees what the library made.
typedef struct sti_matrix {
    int rows;
    int cols;
    double* dense;       // row major                          (rows x cols)
    int64_t* col_start;  // first entry of each column         (cols+1)
    int* row;            // row of each entry                  (nnz)
    double* value;       // value of each entry                (nnz)
} sti_matrix;

STI_API sti_matrix sti_matrix_dense_view(int rows, int cols, double* entries);
STI_API bool sti_matrix_is_sparse(const sti_matrix* A);
STI_API double sti_matrix_get(const sti_matrix* A, int i, int j);
STI_API sti_status sti_matrix_to_dense(sti_env* env, const sti_matrix* A, sti_matrix* out);
STI_API sti_status sti_matrix_to_sparse(sti_env* env, const sti_matrix* A, sti_matrix* out);
STI_API void sti_matrix_clear(sti_env* env, sti_matrix* A);

// An array of rational numbers, each exact: integers, fractions "2/3", decimals "0.4" or doubles as
// the binary fractions they are. Used where the input asks for it and where an answer is exact.
typedef struct sti_rationals sti_rationals;

STI_API sti_status sti_rationals_create(sti_env* env, size_t count, sti_rationals** out);  // all 0
STI_API void sti_rationals_destroy(sti_rationals* r);
STI_API size_t sti_rationals_count(const sti_rationals* r);
STI_API sti_status sti_rationals_set_double(sti_rationals* r, size_t i, double value);    // finite
STI_API sti_status sti_rationals_set_text(sti_rationals* r, size_t i, const char* text);  // "-3", "2/3", "0.4", "1e-3"
STI_API double sti_rationals_double(const sti_rationals* r, size_t i);                    // nearest double
STI_API int sti_rationals_sign(const sti_rationals* r, size_t i);
STI_API bool sti_rationals_is_double(const sti_rationals* r, size_t i);               // exactly representable
STI_API sti_status sti_rationals_text(const sti_rationals* r, size_t i, char** out);  // "-4/3"; free with sti_env_free

#ifdef __cplusplus
}
#endif
#endif
