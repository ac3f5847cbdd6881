// determinant.h: exact elimination, and the exact sign of principal minors of an integer matrix.
#ifndef STI_EXACT_DETERMINANT_H
#define STI_EXACT_DETERMINANT_H

#include "base/arena.h"
#include "exact/integer.h"

// One fraction-free Gauss-Jordan step on the rows x cols table T with pivot T_rc != 0 and the last pivot d:
//
//     T_ij := (T_ij p - T_ic T_rj) / d     i != r, all j,          then d := p
//
// so column c becomes p times a unit column, and columns eliminated before keep that form with the new d. Row i of
// an eliminated pivot then reads  d x_ci = T_i,right - sum over the open columns of T_ij x_j.
void sti_int_jordan(sti_exact* x, sti_int* T, int rows, int cols, int r, int c, sti_int* d);

// Eliminate the first `lead` columns, pivots by row order. pivot_col[i] (rows) is the column of row i's pivot after
// the rows have been exchanged, -1 for the rows left over, which come last and are zero in those columns.
// Returns the rank of the leading columns; *d is the common pivot.
int sti_int_eliminate(sti_exact* x, sti_int* T, int rows, int cols, int lead, int* pivot_col, sti_int* d);

// Signs of the principal minors of one integer matrix A. Three stages, each with a proof:
//
//     1. elimination in floating point with a bound on the error of every entry: a pivot larger than its error has
//        the right sign;
//     2. elimination modulo primes just below 2^62: not zero modulo one of them is not zero; zero modulo so many that
//        their product exceeds Hadamard's bound is zero;
//     3. not zero, sign not clear: Bareiss in integers.
typedef struct sti_minors {
    sti_arena memory;
    sti_exact* x;  // borrowed
    int n;
    const sti_int* A;  // borrowed, row major                              (n x n)
    double* mid;       // A_ij over a power of two for each row, nearest   (n x n)
    double* rad;       // error of mid                                     (n x n)
    double* log_row;   // log2 of a bound on the Euclidean norm of row i   (n)
    double* work_mid;  //                                                  (n x n)
    double* work_rad;  //                                                  (n x n)
    int prime_count;
    int prime_capacity;
    uint64_t* prime;     //                                               (prime_capacity)
    uint64_t* residue;   // A modulo each prime                           (prime_capacity x n x n)
    uint64_t* work_mod;  //                                               (n x n)
    sti_int* work;       //                                               (n x n)
    sti_int previous;    // the pivot before
    long float_settled, prime_settled, integer_settled;  // how often each stage had the last word
} sti_minors;

// A failure is left in x->status as well.
sti_status sti_minors_init(sti_minors* m, sti_exact* x, const sti_int* A, int n);
void sti_minors_clear(sti_minors* m);  // accepts a zero struct

// Sign of the minor of the index set (k different indices, any order). 0 when x->status is set.
int sti_minors_sign(sti_minors* m, const int* index, int k);
int sti_minors_sign_integer(sti_minors* m, const int* index, int k);            // without stage 1
void sti_minors_value(sti_minors* m, const int* index, int k, sti_int* minor);  // Bareiss

#endif
