// normal.h: the matrix  A'D^-1 A  of every Newton step (2.5.9), ordered once and factored for each D; or, where its
// factors would be too large, conjugate gradients with incomplete ones.
#ifndef STI_L1_NORMAL_H
#define STI_L1_NORMAL_H

#include <stiction/linalg.h>

#include "linalg/incomplete.h"
#include "linalg/ldl.h"

typedef struct sti_l1_normal {
    sti_env* env;
    int m, n;
    const sti_matrix* A;  // sparse, borrowed
    int64_t* row_start;   // A by rows                                 (m+1)
    int* col;             //                                           (nnz)
    double* value;        //                                           (nnz)
    sti_ldl ldl;          // A'D^-1 A, shifted where it is singular, and its factors; withheld: the others
    sti_incomplete part;
    double* cg;            // room of conjugate gradients                (3 n)
    long cg_count;         // their steps
    double deadline;       // of sti_now; INFINITY, from the start: none
    const double* weight;  // D^-1 of the last factorization, borrowed (m)
    int* place;            // of a row in the column at hand            (n)
    double* t;             // scratch                                   (m)
    double* r;             // scratch                                   (n)
    double* z;             // scratch                                   (n)
    bool late;             // the last factorization or solution was broken off at the deadline
} sti_l1_normal;

// With factors of at most `memory` bytes; 0: as many as there are.
sti_status sti_l1_normal_init(sti_l1_normal* N, sti_env* env, const sti_matrix* A, double memory);
void sti_l1_normal_clear(sti_l1_normal* N);  // accepts a zero struct

// Factor A' diag(weight) A; weight (m), positive, is borrowed until the next call. False: no shift made it positive.
bool sti_l1_normal_factor(sti_l1_normal* N, const double* weight);

// x (n) with A' diag(weight) A x = b, by the factors and steps of refinement on the matrix without its shift, or by
// conjugate gradients.
void sti_l1_normal_solve(sti_l1_normal* N, const double* b, double* x);

void sti_l1_multiply(const sti_l1_normal* N, const double* x, double* y);             // y (m) = A x
void sti_l1_multiply_transposed(const sti_l1_normal* N, const double* y, double* x);  // x (n) = A'y

// Is r (m) = A x + b no more than rounding: its sum that of all terms, and every row small against its own? room (m).
bool sti_l1_is_rounding(const sti_matrix* A, const double* b, const double* x, const double* r, double* room);

#endif
