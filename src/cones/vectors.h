// vectors.h: vectors and tables of vectors over two arithmetics, so that the cone algorithms are written once.
//
//     exact       integers of any size; a direction is a primitive integer vector
//     floating    doubles; a direction has Euclidean length 1, and a product of two directions counts as zero
//                 when it is at most tol
//
// Memory failures are remembered in x->status, in both arithmetics; see exact/integer.h.
#ifndef STI_CONES_VECTORS_H
#define STI_CONES_VECTORS_H

#include <stiction/cone.h>

#include "exact/integer.h"
#include "exact/rationals.h"

typedef union sti_number {
    sti_int z;  // exact
    double f;   // floating
} sti_number;   // all zero bytes: the number 0, in both

typedef struct sti_arith {
    sti_exact* x;  // borrowed; memory and status, in both arithmetics
    bool exact;
    double tol;          // floating only
    sti_number work[4];  // scratch of the operations below
} sti_arith;

void sti_arith_init(sti_arith* ar, sti_exact* x, bool exact, double tol);
void sti_arith_clear(sti_arith* ar);

sti_number* sti_numbers_create(sti_arith* ar, size_t count);  // all 0; NULL (and status) on failure
void sti_numbers_destroy(sti_arith* ar, sti_number* v, size_t count);

int sti_number_sign(const sti_arith* ar, const sti_number* a);  // of a product of directions; floating: with tol
void sti_numbers_copy(sti_arith* ar, sti_number* r, const sti_number* a, int n);
void sti_numbers_negate(const sti_arith* ar, sti_number* a, int n);
void sti_numbers_dot(sti_arith* ar, sti_number* r, const sti_number* a, const sti_number* b, int n);
// r = s u - t v; r may be u or v, not s or t.
void sti_numbers_combine(sti_arith* ar, sti_number* r, const sti_number* s, const sti_number* u, const sti_number* t,
                         const sti_number* v, int n);
// Make v a direction: primitive, or of length 1. False: v is zero.
bool sti_numbers_tidy(sti_arith* ar, sti_number* v, int n);
// Lexicographic; in floating arithmetic entries that differ by at most tol are equal.
int sti_numbers_compare(const sti_arith* ar, const sti_number* a, const sti_number* b, int n);

typedef struct sti_table {
    int count;
    int dimension;
    size_t capacity;  // rows that v has room for
    sti_number* v;    // row major       (capacity x dimension)
} sti_table;

bool sti_table_create(sti_arith* ar, size_t capacity, int dimension, sti_table* out);  // count 0
void sti_table_clear(sti_arith* ar, sti_table* t);
static inline sti_number* sti_table_row(const sti_table* t, int i) {
    return t->v + (size_t)i * (size_t)t->dimension;
}
void sti_table_push(sti_arith* ar, sti_table* t, const sti_number* row);  // there is room
void sti_table_swap_rows(sti_table* t, int i, int j);
// Directions of the rows of a public table (zero rows left out), appended; there is room. Values are finite.
void sti_table_push_rows(sti_arith* ar, sti_table* t, const sti_rows* rows);
// order[0..count): the rows from lexicographically smallest to largest, ties by index.
void sti_table_order(const sti_arith* ar, const sti_table* t, int* order);
void sti_table_sort(sti_arith* ar, sti_table* t);  // rows into that order

// Q: an orthogonal basis of the row space of `rows`, which is used up. Floating: rows are taken by largest remainder,
// and what is not longer than tol is dropped, so that the count is a numerical rank. Ends when Q is full.
void sti_table_orthogonalize(sti_arith* ar, sti_table* rows, sti_table* Q);
// v minus its orthogonal projection on the span of Q, as a direction. False: nothing (floating: not more than tol of
// the direction v) is left; v is then undefined.
bool sti_numbers_reduce(sti_arith* ar, sti_number* v, const sti_table* Q);
// The basis of the row space of Q that is the same for every Q of that space: reduced echelon form. Exact: leftmost
// pivots, rows primitive, pivots positive. Floating: pivots where the space is largest, pivots 1.
void sti_table_echelon(sti_arith* ar, sti_table* Q);

#endif
