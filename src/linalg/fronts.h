// fronts.h: L D L' of a large sparse symmetric matrix by dense fronts.
//
// Neighbouring columns of L with (nearly) the same pattern are one front: a dense matrix of its own columns and of the
// rows below them. What the columns leave to the rows below is handed to the front of the first of these rows. So
// nearly all arithmetic is products of dense matrices, which run ten to forty times as fast as a column at a time.
#ifndef STI_LINALG_FRONTS_H
#define STI_LINALG_FRONTS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/env.h"
#include "par/tasks.h"

typedef struct sti_fronts {
    sti_arena memory;
    sti_env* env;
    int n;
    int count;             // fronts
    int* first;            // front s has the pivots first[s] .. first[s+1] - 1        (count+1)
    int* parent;           // the front that takes over, -1: none                      (count)
    int* child;            // its last child, -1: none                                 (count)
    int* sibling;          // the child of the same front before this one, -1: none    (count)
    int64_t* row_start;    // rows below front s: row[row_start[s] .. row_start[s+1]-1]  (count+1)
    int* row;              // pivots, ascending
    int64_t* panel_start;  // columns of L: (columns + rows) x columns, by columns     (count+1)
    double* panel;
    int* where;        // place of a row in the front at hand                (n)
    int* relative;     // places of the rows of a child                      (most rows)
    double* update;    // what the front at hand leaves                      (most rows, squared)
    double* scaled;    // L D of the front at hand                           (largest panel)
    double* stack;     // what fronts have left to fronts that come
    double* room;      // of each worker, to pack factors of a product
    size_t bytes;      // of what numbers take
    double deadline;   // of sti_now; INFINITY: none
    sti_tasks* tasks;  // share the products of large fronts; NULL: nobody
} sti_fronts;

// Pattern of A by columns, both triangles; order[k] is the k-th pivot, place its inverse. parent is the elimination
// tree and count the entries of the columns of L, both by pivot, as ldl_symbolic finds them; every subtree must be a
// range of pivots (a postorder). What would take more than `most` bytes is not made: panel is NULL then.
sti_status sti_fronts_init(sti_fronts* f, sti_env* env, int n, const int* col_start, const int* row, const int* order,
                           const int* place, const int* parent, const int* count, size_t most);
void sti_fronts_clear(sti_fronts* f);  // accepts a zero struct

// Factor the values of A; D (n) by pivot. The first pivot that is zero or not a number, -1 when all went well, -2 past
// the deadline.
int sti_fronts_factor(sti_fronts* f, const int* col_start, const int* row, const double* value, const int* order,
                      const int* place, double* D);

void sti_fronts_solve(sti_fronts* f, const double* D, double* x);  // x (n) by pivot: b in, A^-1 b out
// The same through some fronts alone, ascending, each from one of its pivots on, and with each the fronts above it, for
// the columns of X (n x m): where they are 0 elsewhere, they come out right there. t (most rows x m) is scratch.
void sti_fronts_solve_some(const sti_fronts* f, const double* D, int count, const int* some, const int* from, int m,
                           double* X, double* t);
int sti_fronts_most_rows(const sti_fronts* f);

#endif
