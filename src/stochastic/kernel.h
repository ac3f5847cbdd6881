// kernel.h: dense symmetric elimination without pivoting, of one block or of eight small ones side by side. No BLAS: it
// runs inside threads.
#ifndef STI_STOCHASTIC_KERNEL_H
#define STI_STOCHASTIC_KERNEL_H

#include "linalg/tiles.h"

#define STI_KERNEL_FROZEN 1e100  // the pivot of an unknown that is held where it is

enum { STI_KERNEL_LANES = STI_TILES_LANES };

// The unknowns of an elimination: m with positive pivots and nothing beyond `reach`, then negative ones up to k; what
// is left of unknowns k .. order - 1 is the Schur complement. To a negative pivot `held` of what it began with is
// added.
typedef struct sti_kernel {
    int order, m, k, reach;
    double held;
} sti_kernel;

// Rows that depend on each other leave a pivot of rounding. With a small part of what it began with a row is a proximal
// term around its multiplier, and the step then leaves a residual of that part of the change of the multiplier, which
// vanishes.
#define STI_KERNEL_HELD 1e-11

// ---- one block. a: the lower triangle by columns (the upper one by rows) of a matrix of `order`, in columns of
// sti_tiles_padded(order) entries, 0 in what is padded. Its first k columns become L with inverse pivots in inverse[];
// room: sti_kernel_room(order). A pivot of the wrong sign is replaced by one that freezes its unknown. How many were
// frozen.
int sti_kernel_eliminate(const sti_kernel* s, double* a, double* inverse, double* room);

static inline size_t sti_kernel_room(size_t order) {
    return 9 * sti_tiles_padded(order) + STI_TILES_PAD;
}

// x (k) := K^-1 x with the first k columns of L, packed by sti_kernel_pack; x has room for the padded k.
void sti_kernel_pack(const double* a, int order, int k, double* packed);
void sti_kernel_solve(const double* packed, const double* inverse, int k, double* x);
static inline size_t sti_kernel_packed(size_t k) {
    return sti_tiles_packed(k);
}

// ---- eight blocks of the same sizes: eight numbers in place of each. a: (order x order) of them, L:
// sti_kernel_lanes_packed.
int sti_kernel_lanes_eliminate(const sti_kernel* s, double* a, double* inverse, double* began);
void sti_kernel_lanes_pack(const sti_kernel* s, const double* a, double* L);

static inline size_t sti_kernel_lanes_packed(size_t order, size_t k) {  // eights
    return k * order - k * (k + 1) / 2;
}

#endif
