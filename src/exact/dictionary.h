// dictionary.h: linear systems in dictionary form, in exact integers, with fraction-free pivots.
//
//     d x_basic = T (1, x_nonbasic),     T integer, d > 0 the one common denominator
//
// Every variable has a kind: nonnegative, free, or held at zero. On this stand exact linear feasibility,
// linear minimization, Lemke's method and the enumeration of complementary cones.
#ifndef STI_EXACT_DICTIONARY_H
#define STI_EXACT_DICTIONARY_H

#include "base/arena.h"
#include "exact/integer.h"

typedef enum sti_var_kind { STI_VAR_NONNEGATIVE, STI_VAR_FREE, STI_VAR_ZERO } sti_var_kind;

typedef struct sti_dictionary {
    sti_arena memory;
    sti_exact* x;  // borrowed
    int rows;
    int cols;
    sti_int* T;           // row i: constant, then one entry per column       (rows x (cols+1))
    sti_int d;            // > 0
    int* basic;           // variable of each row; at first cols + i          (rows)
    int* nonbasic;        // variable of each column; at first j              (cols)
    unsigned char* kind;  // sti_var_kind of each variable                    (rows+cols)
    int infeasible_row;   // after infeasibility: the row that proves it
    long pivots;
} sti_dictionary;

sti_status sti_dictionary_create(sti_exact* x, int rows, int cols, sti_dictionary** out);  // T = 0, all nonnegative
void sti_dictionary_destroy(sti_dictionary* D);
void sti_dictionary_copy(sti_dictionary* to, const sti_dictionary* from);  // same sizes; failure in x->status

static inline sti_int* sti_dictionary_at(const sti_dictionary* D, int row, int col) {  // col 0: constant
    return &D->T[(size_t)row * (size_t)(D->cols + 1) + (size_t)col];
}

// Exchange the basic variable of row r with the nonbasic one of column c (0-based column; entry at c+1 is not 0).
void sti_dictionary_pivot(sti_dictionary* D, int r, int c);

// Find a vertex of { nonnegative variables >= 0, held ones = 0 } by least-index dual pivoting.
// True: the dictionary shows it (nonbasic variables are 0). False: infeasible, or x->status is set.
bool sti_dictionary_feasible(sti_dictionary* D);

// From a feasible dictionary: minimize the basic free variable `objective` (least-index rule). The objective must not
// depend on free variables that no restriction reaches: feasibility has set those to zero.
// True: optimal. False: unbounded (the column that shows it in *column), or x->status is set.
bool sti_dictionary_minimize(sti_dictionary* D, int objective, int* column);

int sti_dictionary_row_of(const sti_dictionary* D, int variable);  // -1 when nonbasic

// After infeasibility: multipliers y of the rows of the first dictionary (integers, a common positive factor
// pulled out) such that the y-combination of those rows is the absurd one. y has `rows` entries.
//     sum_i y_i basic_i = sum_i y_i (T0_i0 + sum_j T0_ij x_j):  left >= 0 and every x_j coefficient on the right
//     <= 0 for what may be positive, but the constant is < 0.
void sti_dictionary_farkas(sti_dictionary* D, sti_int* y);

#endif
