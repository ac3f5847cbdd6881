// ldl.h: L D L' of a sparse symmetric matrix whose pattern stays while its values change.
//
// The ordering (approximate minimum degree, or nested dissection where that is less work) and the pattern of L are
// found once, at creation; every later factorization runs through them with new values, a column at a time or, where
// there is much to do, by dense fronts (fronts.h). No pivoting: right for matrices that are positive definite, or
// quasidefinite, where every symmetric permutation has an L D L' (Vanderbei 1995).
#ifndef STI_LINALG_LDL_H
#define STI_LINALG_LDL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/env.h"
#include "linalg/fronts.h"

typedef struct sti_ldl {
    sti_arena memory;
    sti_env* env;
    int n;
    int nnz;            // entries of A
    int64_t lnz;        // entries of L below its diagonal
    int* col_start;     // pattern of A, both triangles            (n+1)
    int* row;           //                                         (nnz)
    double* value;      // its values: filled by the caller        (nnz)
    int* order;         // order[k] is the k-th pivot              (n)
    int* fill_order;    // the same before some rows became the last; sti_ldl_init_few  (n)
    int* place;         // inverse of order                        (n)
    int* parent;        // elimination tree                        (n)
    int* L_start;       // columns of L                            (n+1)
    int* L_count;       // entries of each column                  (n)
    int* L_row;         //                                         (lnz), small matrices only
    double* L_value;    //                                         (lnz)
    sti_fronts fronts;  // L of a large matrix; no fronts: a small one
    size_t bytes;       // of L and what a factorization works in
    bool withheld;      // that was more than the caller allows: there is no L, and nothing can be factored
    double* D;          //                                         (n)
    double deadline;    // of sti_now: a factorization by fronts is broken off then; INFINITY, from the start: none
    double* work;       //                                         (n)
    int* pattern;       // scratch of the numeric phase            (n)
    int* flag;          //                                         (n)
    int few_count;      // rows that have solves of their own
    int solves;         // how many
    int* few;           // their pivots                            (few_count)
    int reach_count;    // fronts, or columns, that such a solve goes through
    int* reach;         // ascending                               (n)
    int* reach_from;    // the first pivot of each that matters    (n)
    double* few_room;   // what they work in
} sti_ldl;

// Pattern by columns, rows ascending, both triangles, symmetric, every diagonal entry present; it is copied.
// The ordering takes memory from env like everything else. Fails with STI_ERR_SIZE when A has more than 2^29
// entries.
sti_status sti_ldl_init(sti_ldl* f, sti_env* env, int n, const int64_t* col_start, const int* row);
// The same with L by columns however much there is to do, for a caller who runs through them himself.
sti_status sti_ldl_init_columns(sti_ldl* f, sti_env* env, int n, const int64_t* col_start, const int* row);
// The same with L only where it takes no more than `most` bytes.
sti_status sti_ldl_init_within(sti_ldl* f, sti_env* env, int n, const int64_t* col_start, const int* row, size_t most);
// The same for a caller who has `solves` right sides that are 0 but on a few rows, and wants x on these rows alone
// (sti_ldl_solve_few). The rows are the last pivots where that is less work for all together. alike: made by this for
// the same pattern (sti_ldl_is_alike), it saves the ordering; NULL: none. It does not change what comes out.
sti_status sti_ldl_init_few(sti_ldl* f, sti_env* env, int n, const int64_t* col_start, const int* row, int few_count,
                            const int* few, int solves, const sti_ldl* alike);
// Was f, of sti_ldl_init_few, made for just that? Then it is what would come out, its values apart.
bool sti_ldl_is_same(const sti_ldl* f, int n, const int64_t* col_start, const int* row, int few_count, const int* few,
                     int solves);
// For the same pattern, and whatever few rows?
bool sti_ldl_is_alike(const sti_ldl* f, int n, const int64_t* col_start, const int* row, int few_count);
void sti_ldl_clear(sti_ldl* f);  // accepts a zero struct

#define STI_LDL_LATE (-2)

// Factor f->value. The column of the first pivot that is zero or not a number, -1 when all went well, STI_LDL_LATE past
// the deadline.
int sti_ldl_factor(sti_ldl* f);

// Pivots of the last factorization: how many are not positive, and smallest over largest in size.
int sti_ldl_nonpositive_count(const sti_ldl* f);
double sti_ldl_pivot_ratio(const sti_ldl* f);

void sti_ldl_solve(sti_ldl* f, double* x);  // x (n): b in, A^-1 b out

enum { STI_LDL_TOGETHER = 32 };

// x (few_count x columns): b in, A^-1 b out, on the few rows; at most STI_LDL_TOGETHER columns.
void sti_ldl_solve_few(sti_ldl* f, int columns, double* x);

#endif
