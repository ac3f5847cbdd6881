// basis.h: the basis of a pivoting method for an LCP with an artificial column, and solves with it.
//
//     A x - w + f = 0,   A = [M d]        (f = q: the values; f = a column: the direction of an entering variable)
//
// n of the 2n + 1 variables w_i = i, z_i = n + i, z0 = 2n are basic, one for each row; the others are zero. The data
// is scaled by powers of two,
//
//     M -> R M C,   q -> R q,   d -> c0 R d       (w -> R w,  z -> C^-1 z,  z0 -> z0 / c0)
//
// which rounds nothing and leaves every comparison of ratios as it was: numerator and denominator of a row
// carry the same factor.
#ifndef STI_SOLVERS_BASIS_H
#define STI_SOLVERS_BASIS_H

#include <stiction/problem.h>

#include "base/arena.h"
#include "base/env.h"

enum { STI_BASIS_WIDTH = 64 };  // columns or rows computed together, at most

typedef struct sti_basis {
    sti_arena memory;
    sti_env* env;  // borrowed
    int n;
    const double* M;       // unscaled, row major; borrowed, or in `copy`       (n x n)
    sti_matrix copy;       // of a sparse M
    const double* q_data;  // unscaled, borrowed                                (n)
    const double* d_data;  // the same; NULL: ones                              (n)
    double* R;             // row factors                                       (n)
    double* C;             // column factors, c0 last                           (n+1)
    double* q;             // scaled                                            (n)
    double* d;             // scaled covering column                            (n)

    int* basic;        // variable of each row                                  (n)
    int* place;        // row of a basic variable, -1 of a nonbasic one         (2n+1)
    int z_count;       // basic ones of z, z0
    double* b;         // value of each basic variable                          (n)
    double* b_size;    // largest number that went into b_i                     (n)
    double* col;       // of the entering variable, from sti_basis_column       (n)
    double* col_size;  // size of the numbers col_i was computed from           (n)
    double col_loss;   // largest of those over the largest of col: what cancelled

    // The last rebuild: m rows of basic z, z0 first, their equations those of the nonbasic w.
    int m;
    int* order;  // equation of each row                                        (n)
    double* W;   // A_:,C in that order, row major; first m rows: LU of G'      (n x m, room for n x n)
    int* ipiv;   // its interchanges                                            (n)
    int* iwork;  // scratch                                                     (n)

    // Pivots since then.
    int pivots;
    int capacity;
    int* pivot_row;    // row of each                                           (capacity)
    int* pivot_prev;   // the pivot before in the same row, -1: none            (capacity)
    int* last_pivot;   // the last pivot in a row, -1: none                     (n)
    double* U;         // columns, cleared in later pivot rows; column major    (n x capacity)
    double* L;         // what was cleared, pivots on the diagonal              (capacity x capacity)
    double* row_size;  // largest entry that a row of U ever held               (n)

    // Columns computed ahead, as they were after the first `ahead_pivots` pivots.
    int ahead_room;
    int ahead_count;
    int ahead_pivots;
    int* ahead;           // variable of each, -1: used up                      (ahead_room)
    int* ahead_slot;      // the column of a variable, -1: none                 (2n+1)
    double* X;            // column major                                       (n x ahead_room)
    double* ahead_base;   // sizes, see solve_sized                             (ahead_room)
    double* ahead_theta;  //                                                    (ahead_room)

    double* theta;     // scratch                                               (capacity x width)
    double* x;         // scratch                                               (n+1)
    double* y;         // scratch                                               (n+1)
    long double* acc;  // scratch                                               (n)
    double* doubles;   // the memory behind the arrays of doubles
    int* ints;         // and of integers
} sti_basis;

// d (n) > 0 is the covering vector, NULL: all ones; it and the problem are borrowed. All w are basic.
sti_status sti_basis_create(sti_env* env, const sti_lcp* lcp, const double* d, sti_basis** out);
void sti_basis_destroy(sti_basis* B);  // accepts NULL
void sti_basis_reset(sti_basis* B);    // back to the first basis and the given d

// x (n, by row) with A x - w + f = 0, f (n, by equation).
void sti_basis_solve(sti_basis* B, const double* f, double* x);

// Rows of the inverse of the basis matrix [I, -A]_B, at most STI_BASIS_WIDTH: H (count x n, by equation), and the size
// of the numbers each was computed from (count).
void sti_basis_inverse_rows(sti_basis* B, const int* rows, int count, double* H, double* size);

// How the basic variables move when v enters, in B->col and B->col_size; x_B = b + col v.
void sti_basis_column(sti_basis* B, int v);

// Compute the columns of these nonbasic variables ahead, by matrix products: each then costs a third of what it
// costs alone. At most ahead_room of them; others computed before are dropped.
void sti_basis_look_ahead(sti_basis* B, const int* variables, int count);

// v, whose column is in B->col, replaces the basic variable of row r. There must be room: pivots < capacity.
void sti_basis_pivot(sti_basis* B, int r, int v);

// Factorize the basis anew and recompute b. Rows are renumbered. False: singular to rounding, nothing is usable
// until the next reset.
bool sti_basis_rebuild(sti_basis* B);

// Improve x until A x - w + f = 0 holds to rounding, with the residual in extended precision. Returns the last
// correction relative to x: near rounding when it converged.
double sti_basis_refine(sti_basis* B, const double* f, double* x);

// f of v entering: its column of A, or -e_j for w_j.
void sti_basis_direction(const sti_basis* B, int v, double* f);

// Make the complementary basis at hand (z0 nonbasic) the start of a new pass: d so that z0 enters with ones.
void sti_basis_cover(sti_basis* B);

double sti_max_abs(const double* x, int n);

#endif
