// block_lu.h: L U of a block-sparse matrix with the pattern of W, in an order found once.
//
//     A = L U,     blocks d x d,   L_kk = I,   pattern of A inside the pattern of W + W'
//
// The matrices of a Newton method differ in values only, so the order (approximate minimum degree on the contact graph)
// and the pattern of the factors are made at creation. Pivoting stays inside the blocks: the caller regularizes.
//
// Where the factors would be too large their pattern is cut to that of W: the factorization is then incomplete, and the
// solve a preconditioner.
#ifndef STI_CONTACT_BLOCK_LU_H
#define STI_CONTACT_BLOCK_LU_H

#include "contact/contact.h"

typedef struct sti_block_lu {
    sti_env* env;
    int d;
    int n;
    bool complete;       // false: incomplete factors
    double cost;         // multiplications of blocks in one factorization
    int* order;          // contact eliminated k-th; the contacts of an island are neighbours  (n)
    int* place;          // inverse of order                                                  (n)
    int island_count;    //
    int* island_start;   // island i is order[island_start[i]] ... order[island_start[i+1] - 1]  (island_count+1)
    int64_t* row_start;  // rows of L + U in that order, columns ascending                    (n+1)
    int64_t* diagonal;   // place of U_kk                                                     (n)
    int* col;            //                                                                   (row_start[n])
    double* block;       // row major; after factoring the place of U_kk holds its inverse    (row_start[n] x d x d)
    int64_t* entry;      // place of each block of W                                          (blocks of W)
    bool* out;           // row and column k, by place, are absent from the matrix            (n)
    int64_t* where;      // place of column j in the row at hand, -1                          (n)
    double* x;           // right side in elimination order                                   (d n)
} sti_block_lu;

// block_limit: the largest number of blocks in complete factors. cost_limit: the same for multiplications of blocks.
sti_status sti_block_lu_init(sti_block_lu* f, sti_env* env, const sti_bsr* W, int64_t block_limit, double cost_limit);
void sti_block_lu_clear(sti_block_lu* f);  // accepts a zero struct

// Factor rows first ... last - 1, by place, of what the caller wrote in block (a union of islands; rows marked in out
// are skipped and need not be written). Pivots below tiny (by place, in the units of A) are raised to it. False when a
// number is not finite.
bool sti_block_lu_factor(sti_block_lu* f, int first, int last, const double* tiny);

// b (d n, by contact) in, A^-1 b out, rows first ... last - 1; parts of b at absent rows stay.
void sti_block_lu_solve(sti_block_lu* f, int first, int last, double* b);

#endif
