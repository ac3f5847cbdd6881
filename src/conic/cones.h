// cones.h: the cone K = {0}^zero x R_+^linear x Q_1 x Q_2 x ..., and the Nesterov-Todd scaling of a pair inside it.
//
// For s and z inside K there is one symmetric positive definite W, block by block, with  W z = W^-1 s = lambda  and
// W K = K. Rows of {0} have s = 0 and no part in anything here: operations leave zero there.
#ifndef STI_CONIC_CONES_H
#define STI_CONIC_CONES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/env.h"

typedef struct sti_cones {
    sti_arena memory;
    sti_env* env;
    int m;             // rows in all
    int zero, linear;  // rows of {0}, then of R_+
    int count;         // second-order cones
    int* at;           // first row of each                               (count)
    int* dim;          // rows of each, >= 1                              (count)
    int degree;        // linear + count: e'e of the unit element e
    double* eta;       // W = eta [w0 w1'; w1 I + w1 w1'/(1 + w0)]        (count)
    double* w;         // its w, w0^2 - |w1|^2 = 1; of R_+: sqrt(s/z)      (m)
    double* lambda;    // W z                                             (m)
} sti_cones;

sti_status sti_cones_init(sti_cones* k, sti_env* env, int zero, int linear, int count, const int* dim);
void sti_cones_clear(sti_cones* k);  // accepts a zero struct
void sti_cones_reset(sti_cones* k);  // W is the identity, as after init

// The scaling of (s, z). False: one of them is not inside, as far as rounding can tell.
bool sti_cones_scale(sti_cones* k, const double* s, const double* z);

void sti_cones_apply(const sti_cones* k, const double* x, double* y);          // y = W x; y may be x
void sti_cones_apply_inverse(const sti_cones* k, const double* x, double* y);  // y = W^-1 x; y may be x

void sti_cones_product(const sti_cones* k, const double* x, const double* y, double* z);  // z = x o y; z is neither
void sti_cones_divide(const sti_cones* k, const double* d, double* x);                    // lambda o x = d; x may be d
void sti_cones_add_unit(const sti_cones* k, double a, double* x);                         // x += a e

double sti_cones_step(const sti_cones* k, const double* x, const double* dx);  // largest a with x + a dx in K
double sti_cones_margin(const sti_cones* k, const double* x, double* positive);
// ^ least eigenvalue of x, and the sum of the positive ones; INFINITY for no rows

#endif
