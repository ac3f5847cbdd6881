// fractions.h: matrices of rationals for the checker: integers over one denominator, fraction-free elimination.
//
// Every entry carries its size: the sum of the absolute values of the terms it was summed from, in doubles. What a
// claim in doubles may differ by is a part of that, so that it does not vanish where terms cancel.
#ifndef STI_VERIFY_FRACTIONS_H
#define STI_VERIFY_FRACTIONS_H

#include "exact/rationals.h"

typedef struct sti_fractions {
    int rows, cols;
    sti_int* num;  // (rows x cols)
    sti_int den;   // > 0
    double* size;  // (rows x cols)
} sti_fractions;

// The matrices of one check: they live until it is closed. A failed allocation is remembered; results are then empty.
typedef struct sti_algebra {
    sti_env* env;
    sti_exact x;
    int count, capacity;
    sti_fractions* all;
} sti_algebra;

void sti_algebra_open(sti_algebra* k, sti_env* env);
void sti_algebra_close(sti_algebra* k);
static inline bool sti_algebra_failed(const sti_algebra* k) {
    return k->x.status != STI_OK;
}
void sti_algebra_fail(sti_algebra* k);  // for lack of memory

sti_fractions sti_fractions_make(sti_algebra* k, int rows, int cols);  // zero
// Columns of an array of rationals: entry (i, j) is table[index[i * cols + j]], sign times; index < 0: zero.
sti_fractions sti_fractions_load(sti_algebra* k, int rows, int cols, const sti_rationals* table, const long* index,
                                 int sign);
sti_fractions sti_fractions_from_doubles(sti_algebra* k, int rows, int cols, const double* value);  // finite
sti_fractions sti_fractions_transpose(sti_algebra* k, sti_fractions a);
sti_fractions sti_fractions_product(sti_algebra* k, sti_fractions a, sti_fractions b);
sti_fractions sti_fractions_sum(sti_algebra* k, sti_fractions a, sti_fractions b, int sign);  // a + sign b
sti_fractions sti_fractions_join(sti_algebra* k, sti_fractions a, sti_fractions b);           // (a | b)
sti_fractions sti_fractions_stack(sti_algebra* k, sti_fractions a, sti_fractions b);          // a above b
sti_fractions sti_fractions_columns(sti_algebra* k, sti_fractions a, const int* column, int count);

int sti_fractions_rank(sti_algebra* k, sti_fractions a);
// A basis of { x : a x = 0 }, in columns.
sti_fractions sti_fractions_kernel(sti_algebra* k, sti_fractions a);
// Of a square matrix; *regular false: there is none.
sti_fractions sti_fractions_inverse(sti_algebra* k, sti_fractions a, bool* regular);
// Moore-Penrose inverse of a symmetric matrix.
sti_fractions sti_fractions_pseudo_inverse(sti_algebra* k, sti_fractions a);
// Symmetric and positive definite: leading minors are positive.
bool sti_fractions_definite(sti_algebra* k, sti_fractions a);

static inline int sti_fractions_sign(sti_fractions a, int i, int j) {
    return a.num == NULL ? 0 : sti_int_sign(&a.num[(size_t)i * (size_t)a.cols + (size_t)j]);
}
static inline double sti_fractions_size(sti_fractions a, int at) {
    return a.size == NULL ? 0 : a.size[at];
}
double sti_fractions_double(sti_algebra* k, sti_fractions a, int i, int j);
bool sti_fractions_is_zero(sti_fractions a);

// Is { x : rows (constant, coefficients) } not empty? The first `equations` rows are = 0, the others >= 0; x is free.
bool sti_fractions_feasible(sti_algebra* k, sti_fractions rows, int equations);

#endif
