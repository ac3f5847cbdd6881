// scaled.h: an LCP in units in which its numbers are near one.
//
//     M' = D M D,   q' = D q / s,   z = s D z',   w = s D^-1 w'        D > 0 diagonal, s > 0
//
// keeps solutions, complementarity, symmetry, definiteness and the signs of principal minors. D and s are powers of
// two, so scaling rounds nothing (short of underflow), and an answer in one set of units is the answer in the other.
#ifndef STI_SOLVERS_SCALED_H
#define STI_SOLVERS_SCALED_H

#include <stiction/problem.h>

#include "base/env.h"

enum { STI_SCALED_DENSE_LIMIT = 5000 };  // a sparse M that needs general LU is made dense up to this order

typedef struct sti_scaled_lcp {
    sti_env* env;
    int n;
    sti_matrix M;     // D M D: dense, or sparse, symmetric and with every diagonal entry stored
    double* q;        // D q / s                             (n)
    int* exponent;    // D_i = 2^exponent_i                  (n)
    int q_exponent;   // s = 2^q_exponent
    bool symmetric;   // entries of D M D and of its transpose agree to 1e-14
    bool applicable;  // false: M is sparse, not symmetric, and too large to be made dense; M is not set
} sti_scaled_lcp;

sti_status sti_scaled_lcp_init(sti_scaled_lcp* p, sti_env* env, const sti_lcp* lcp);
void sti_scaled_lcp_clear(sti_scaled_lcp* p);  // accepts a zero struct

void sti_scaled_lcp_enter(const sti_scaled_lcp* p, const double* z, double* z_scaled);  // z' of z, negative parts cut
void sti_scaled_lcp_enter_slack(const sti_scaled_lcp* p, const double* w, double* w_scaled);  // w' of w
// z of z', negative parts cut. False: it does not fit in a double; z is then zero.
bool sti_scaled_lcp_leave(const sti_scaled_lcp* p, const double* z_scaled, double* z);

#endif
