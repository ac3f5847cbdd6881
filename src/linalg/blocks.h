// blocks.h: L U of a sparse matrix of small dense blocks, with symmetric pattern.
//
// Rows and columns come in groups of b: the velocities of a body. The ordering and the pattern of L are found on the
// graph of the groups, and kept while the pattern stays; the arithmetic is that of b x b blocks. No pivoting between
// groups: right for matrices whose symmetric part is positive definite (Golub and Van Loan 1979), for those close to
// them, and for those that are regularized: pivots below a bound are raised to it.
//
// The groups that no chain of blocks joins (islands) may be factored and solved apart, and groups may be left out.
// Where the factors would be too large their pattern is cut to that of A: they are then incomplete, and a
// preconditioner.
#ifndef STI_LINALG_BLOCKS_H
#define STI_LINALG_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/env.h"

enum { STI_BLOCK_MOST = 6 };

typedef struct sti_blocks {
    struct {
        size_t first, near, order, L_row, value, L, U, D;
    } room;  // of the arrays below
    int n, b;
    bool complete;
    double cost;                    // products of blocks in a factorization without symmetry
    int islands;                    // island i has the pivots island_start[i] ... island_start[i + 1] - 1
    int count;                      // blocks of A
    int fill;                       // blocks of L below its diagonal
    int* first;                     // pattern of A by columns, both triangles, ascending, diagonals present  (n+1)
    int* near;                      //                                                                        (count)
    int* order;                     // order[k] is the k-th pivot; its inverse; scratch                       (8 n + 2)
    int* place;                     // inside order
    int* L_start;                   // inside order                                                           (n+1)
    int* island_start;              // inside order                                                           (n+1)
    int *head, *next, *at, *where;  // inside order
    int* L_row;                     // rows of L by columns, as pivots, ascending                             (fill)
    double* value;  // A, blocks column major: filled by the caller                           (count x b x b)
    double *L, *U;  // L below, U right of the diagonal, at the same places                   (fill x b x b each)
    double* D;      // inverses of the pivots, and a vector                                   (n x b x b + n x b)
} sti_blocks;

// The pattern (copied). Nothing is done where it is the one there was. The memory stays until sti_blocks_clear; after a
// failure the struct is as good as a zero one, but for the memory that it keeps.
sti_status sti_blocks_shape(sti_blocks* f, sti_env* env, int n, int b, const int* first, const int* near);
// The same with at most so many blocks in L, D and U, and about so many products of blocks in a factorization, else
// incomplete; the pivots of an island stand together, and all values are 0.
sti_status sti_blocks_shape_within(sti_blocks* f, sti_env* env, int n, int b, const int* first, const int* near,
                                   int64_t most_blocks, double most_cost);
void sti_blocks_clear(sti_blocks* f, sti_env* env);  // accepts a zero struct

// Factor f->value. symmetric: the caller knows it to be, which saves half of the work. False: a pivot is singular.
bool sti_blocks_factor(sti_blocks* f, bool symmetric);
void sti_blocks_solve(const sti_blocks* f, double* x);  // x (n b): right side in, solution out

// The pivots first ... last - 1 (whole islands) of it, of every group the first dim rows and columns (what lies beyond
// is 0; of dim 0 nothing is looked at). Pivots within a block below tiny are raised to it. dim and tiny by group (n).
// False: a number is not finite. In x the rest stays as it is.
bool sti_blocks_factor_part(sti_blocks* f, int first, int last, const unsigned char* dim, const double* tiny);
void sti_blocks_solve_part(const sti_blocks* f, int first, int last, const unsigned char* dim, double* x);

#endif
