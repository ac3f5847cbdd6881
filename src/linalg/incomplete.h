// incomplete.h: L L' of a large sparse positive semidefinite matrix in so much memory and no more, to precondition
// conjugate gradients.
#ifndef STI_LINALG_INCOMPLETE_H
#define STI_LINALG_INCOMPLETE_H

#include <stdint.h>

#include "base/env.h"

typedef struct sti_incomplete {
    sti_env* env;
    int n;
    int entries;      // of a column of L below its diagonal, at most, and as many that only work on later columns
    int* order;       // order[k] is the k-th pivot                         (n)
    int* place;       // inverse of order                                   (n)
    double* scale;    // 1 / sqrt of the diagonal of A                      (n)
    int64_t* start;   // columns of L by pivot, rows ascending              (n+1)
    int* row;         //                                                    (n x entries)
    double* value;    //                                                    (n x entries)
    double* pivot;    // diagonal of L                                      (n)
    double shift;     // of the unit diagonal, in the last factorization
    double deadline;  // of sti_now; INFINITY, from the start: none
    void* room;       // what a factorization works in
    double* x;        //                                                    (n)
} sti_incomplete;

// Bytes that it takes with so many entries.
size_t sti_incomplete_bytes(int n, int entries);

// Pattern of A by columns, both triangles, symmetric, every diagonal entry present.
sti_status sti_incomplete_init(sti_incomplete* f, sti_env* env, int n, const int* col_start, const int* row,
                               int entries);
void sti_incomplete_clear(sti_incomplete* f);  // accepts a zero struct

typedef enum sti_incomplete_end {
    STI_INCOMPLETE_DONE,
    STI_INCOMPLETE_FAILED,  // a diagonal entry is not positive, or no shift kept the pivots so
    STI_INCOMPLETE_LATE     // past the deadline
} sti_incomplete_end;

sti_incomplete_end sti_incomplete_factor(sti_incomplete* f, const int* col_start, const int* row, const double* value);

void sti_incomplete_solve(sti_incomplete* f, const double* b, double* x);  // x (n) := (L L')^-1 b; b = x is allowed

#endif
