// rationals.h: the inside of sti_rationals, and integer images of rational and floating data.
#ifndef STI_EXACT_RATIONALS_H
#define STI_EXACT_RATIONALS_H

#include <stiction/linalg.h>

#include "exact/integer.h"

struct sti_rationals {
    sti_exact x;
    size_t count;
    sti_int* num;
    sti_int* den;  // > 0, coprime to num
};

// Set entry i to num / den (den != 0), reduced.
sti_status sti_rationals_set_ratio(sti_rationals* r, size_t i, const sti_int* num, const sti_int* den);
sti_status sti_rationals_copy(sti_rationals* to, size_t i, const sti_rationals* from, size_t j);
// New array holding from[first .. first+count).
sti_status sti_rationals_slice(sti_env* env, const sti_rationals* from, size_t first, size_t count,
                               sti_rationals** out);

// The sign of entry i minus a finite double.
sti_status sti_rationals_off(sti_rationals* r, size_t i, double value, int* out);

// Integer image of a row of numbers: out_k = s * value_k with one scale s > 0, the smallest power of two
// (doubles) or common denominator (rationals) that makes all of them integers, divided by what they share.
// scale is num / den: value = out * den / num; pass NULL when it is not needed.
void sti_int_row_from_doubles(sti_exact* x, sti_int* out, const double* value, size_t count, size_t stride,
                              sti_int* scale_num, sti_int* scale_den);
void sti_int_row_from_rationals(sti_exact* x, sti_int* out, const sti_rationals* r, size_t first, size_t count,
                                sti_int* scale_num, sti_int* scale_den);

#endif
