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

#include "base/arena.h"
#include "contact/contact.h"

typedef struct sti_block_lu {
    sti_env* env;
    sti_arena memory;
    int d;
    int n;
    bool complete;       // false: incomplete factors
    double cost;         // multiplications of blocks in one factorization
    int* order;          // contact eliminated k-th; the contacts of an island are neighbours  (n)
    int* place;          // inverse of order                                                  (n)
    int island_count;    //
    int* island_start;   // island i is order[island_start[i]] ... order[island_start[i+1] - 1]  (island_count+1)
    int64_t* row_start;  // blocks of each row of L + U, in that order, columns ascending      (n+1)
    int64_t* diagonal;   // place of U_kk                                                     (n)
    int* col;            //                                                                   (row_start[n])
    double* value;       // row k: d rows of numbers, its blocks side by side                 (row_start[n] x d x d)
    double* inverse;     // of U_kk, rows 3 apart                                             (n x 9)
    int* entry;          // place of each block of W in its row                               (blocks of W)
    int* super;          // last row of the supernode of row k                                (n)
    unsigned char* dim;  // order of block k, by place: 0 (absent) ... d                      (n)
    int* where;          // place of column j in the row at hand, -1                          (n)
    double* x;           // right side in elimination order                                   (3 n)
    double* tail;        // sum of the rows of one supernode                                  (3 tail_room)
    size_t tail_room;
} sti_block_lu;

// block_limit: the largest number of blocks in complete factors. cost_limit: the same for multiplications of blocks.
sti_status sti_block_lu_init(sti_block_lu* f, sti_env* env, const sti_bsr* W, int64_t block_limit, double cost_limit);
void sti_block_lu_clear(sti_block_lu* f);  // accepts a zero struct

// Where block t of row k (t counts from 0 in the row) begins; its rows lie stride apart.
static inline double* sti_block_lu_at(const sti_block_lu* f, int k, int t, size_t* stride) {
    *stride = (size_t)f->d * (size_t)(f->row_start[k + 1] - f->row_start[k]);
    return f->value + f->row_start[k] * f->d * f->d + (int64_t)f->d * t;
}

// Factor rows first ... last - 1, by place, of what the caller wrote (whole islands). The caller sets dim: of block k
// only the first dim[k] rows and columns count, the others must be zero; rows of dim 0 need not be written. Pivots
// below tiny (by place, in the units of A) are raised to it. False when a number is not finite.
bool sti_block_lu_factor(sti_block_lu* f, int first, int last, const double* tiny);

// b (d n, by contact) in, A^-1 b out, in the first dim places of each contact of the range; the others stay.
void sti_block_lu_solve(sti_block_lu* f, int first, int last, double* b);

#endif
