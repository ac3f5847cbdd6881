// tiles.h: products and eliminations of dense columns, tile by tile in registers; for threads, since BLAS may let in
// one at a time (lapack.c), and for blocks too small for it. All matrices by columns.
//
// Rows are done eight at a time. A caller keeps columns whose length is a multiple of eight, or where what lies below
// the last row, up to the next multiple of eight from the first one, may be read and overwritten: it is the upper part
// of the next column in a lower triangle, and seven more numbers at the end.
//
// The bits depend on the processor (with or without fused products), not on threads.
#ifndef STI_LINALG_TILES_H
#define STI_LINALG_TILES_H

#include <stdbool.h>
#include <stddef.h>

enum {
    STI_TILES_PAD = 8,
    STI_TILES_STRIP = 192,                                     // columns of a product that is packed, at most
    STI_TILES_DEPTH = 256,                                     // of its inner dimension at a time
    STI_TILES_ROOM = (STI_TILES_STRIP + 32) * STI_TILES_DEPTH  // doubles in which it is packed
};

static inline size_t sti_tiles_padded(size_t n) {
    return (n + STI_TILES_PAD - 1) / STI_TILES_PAD * STI_TILES_PAD;
}

// C (m x n) -= X (m x k) Y' (n x k). lower: entries above the diagonal of C may be left out, or not.
void sti_tiles_subtract(bool lower, int m, int n, int k, const double* X, int ldx, const double* Y, int ldy, double* C,
                        int ldc);
// The same for large ones, n <= STI_TILES_STRIP, packed in room (STI_TILES_ROOM).
void sti_tiles_subtract_packed(bool lower, int m, int n, int k, const double* X, int ldx, const double* Y, int ldy,
                               double* C, int ldc, double* room);

// The rows below a factored square of L D L', of whose columns first .. end - 1 are pivots now: f[8 s + t] = L_st for
// those t < s, 0 elsewhere. Column s of P (rows x width, width <= 8) -= f_st times column t, in the order of t; then
// the pivot columns go to Z as they are, L D, and times inverse[t] into P, L.
void sti_tiles_eliminate(int width, int first, int end, int rows, double* P, int ld, const double* f,
                         const double* inverse, double* Z, int ldz);

// x (k) := (L D L')^-1 x. L is packed by tiles: for every eight columns the squares of eight rows from the diagonal
// down, each by columns; entries at and above the diagonal, and beyond k, are 0. x has room for the padded k, its tail
// is 0.
void sti_tiles_solve(const double* L, const double* inverse, int k, double* x);
static inline size_t sti_tiles_packed(size_t k) {
    const size_t tiles = sti_tiles_padded(k) / STI_TILES_PAD;
    return STI_TILES_PAD * STI_TILES_PAD * (tiles * (tiles + 1) / 2);
}

// y (rows) += f A x and x (cols) += f A'y, A by rows.
void sti_tiles_multiply(int rows, int cols, const double* A, double f, const double* x, double* y);
void sti_tiles_multiply_transposed(int rows, int cols, const double* A, double f, const double* y, double* x);

// ---- eight systems side by side: every number is eight numbers, one of each

enum { STI_TILES_LANES = 8 };

// Pivot j of lower triangles a (order x order, entry (i, j) at 8 (i + order j)) with rows below `reach`: column j
// becomes L, what is right of it is updated.
void sti_tiles_lanes_pivot(double* a, int order, int j, int reach, const double* inverse);
// z (order) := L^-1 z, and from D^-1 z its first k by L^-T; L by columns, each from below its diagonal to row order -
// 1; k columns.
void sti_tiles_lanes_forward(const double* L, int order, int k, double* z);
void sti_tiles_lanes_backward(const double* L, const double* inverse, int order, int k, double* z);

#endif
