// data.h: what every check begins and ends with: data that are there, fit and are finite; and the sentence of a
// refusal.
#ifndef STI_VERIFY_DATA_H
#define STI_VERIFY_DATA_H

#include <stdbool.h>
#include <stiction/linalg.h>

sti_status sti_check_data_vector(sti_env* env, const char* name, const double* x, int n);
// ascending: the rows of each sparse column stand in order, each at most once.
sti_status sti_check_data_matrix(sti_env* env, const char* name, const sti_matrix* A, int rows, int cols,
                                 bool ascending);
bool sti_check_data_finite(const double* x, int n);

// Reject with a sentence, of any sti_..._verification. STI_OK, for `return STI_REJECT(...)`.
#define STI_REJECT(out, ...) sti_check_refuse(&(out)->accepted, (out)->text, sizeof(out)->text, __VA_ARGS__)
sti_status sti_check_refuse(bool* accepted, char* text, size_t size, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
