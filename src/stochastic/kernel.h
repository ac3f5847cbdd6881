// kernel.h: dense symmetric elimination without pivoting, on blocks from 2 to a few hundred rows. No BLAS: it runs inside threads.
#ifndef STI_STOCHASTIC_KERNEL_H
#define STI_STOCHASTIC_KERNEL_H

#include <stddef.h>

#define STI_KERNEL_FROZEN 1e100  // the pivot of an unknown that is held where it is

// a: the upper triangle of a symmetric matrix, row major with rows of `order` entries. Unknowns 0 .. m-1 have positive pivots and
// nothing beyond column `reach`, unknowns m .. k-1 negative ones. They are eliminated: what is left of rows k .. order-1 is the
// Schur complement. Row j < k stays as (D L')_j, its pivot inverted in inverse[j]. Negative pivots are held away from 0; one of the
// wrong sign is replaced by one that freezes its unknown. diagonal (k) is scratch. How many were frozen.
int sti_kernel_eliminate(double* a, int order, int m, int k, int reach, double* inverse, double* diagonal);

// x (k) := K^-1 x with the factors packed row by row: row j has the k - j - 1 entries right of the diagonal.
void sti_kernel_pack(const double* a, int order, int k, double* packed);
void sti_kernel_solve(const double* packed, const double* inverse, int k, double* x);

static inline size_t sti_kernel_packed(int k) {
    return (size_t)k * (size_t)(k > 0 ? k - 1 : 0) / 2;
}

#endif
