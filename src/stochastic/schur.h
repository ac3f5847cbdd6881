// schur.h: large sparse blocks K_i whose Q_i is diagonal, by sparse factors of W_i (Q_i + D_i)^-1 W_i' + E_i.
#ifndef STI_STOCHASTIC_SCHUR_H
#define STI_STOCHASTIC_SCHUR_H

#include "linalg/ldl.h"
#include "stochastic/program.h"

// One block. ldl.n = 0: not of this kind.
typedef struct sti_schur {
    const sti_matrix* W;  // q x m, by columns; borrowed
    const sti_matrix* Q;  // m x m, diagonal, or of no rows; borrowed
    sti_ldl ldl;          // of S = W H^-1 W' + E
    int64_t* start;       // W by rows                 (q+1)
    int* col;             //                           (entries of W)
    double* value;        //                           (entries of W)
    int* place;           // scratch                   (q)
    double* H;            // Q + D                     (m)
} sti_schur;

// Of block i, where it is large, sparse, and takes so much less memory than dense factors.
sti_status sti_schur_create(sti_env* env, const sti_stochastic_layout* L, int i, sti_schur* out);
void sti_schur_clear(sti_env* env, sti_schur* s);  // accepts a zero struct

static inline bool sti_schur_serves(const sti_schur* s) {
    return s->ldl.n > 0;
}

// [H W'; W -E] with H = Q + D + proximal and E + proximal, and `held` of the diagonal of S more. The number of times
// that more had to be added, 0: none.
int sti_schur_factor(sti_schur* s, const double* D, const double* E, double proximal, double held);
// (y, l) := K^-1 (y, l); y (m), l (q).
void sti_schur_solve(sti_schur* s, double* y, double* l);

#endif
