// convex.h: quadratic programs over a set that is easy to project on, P known by its products alone.
//
//     min 1/2 x'P x + kappa'x,   x in C          P symmetric positive semidefinite, C a product of cones or x >= 0
//
// This is the dual of a time step with a convex law of friction (S3 2.3.10). Every method works in z = x / s with a
// scale s that has one value on each block of C, so that C is the same set in z; s_i^2 = rho_i is near 1 / P_ii.
#ifndef STI_CONVEX_CONVEX_H
#define STI_CONVEX_CONVEX_H

#include <stdbool.h>

#include "base/env.h"

typedef struct sti_quadratic {
    int n;
    void (*multiply)(void* user, const double* x, double* y);  // y = P x
    void (*project)(void* user, double* x);                    // onto C, in place; NULL: x >= 0
    void* user;
    const double* kappa;  // (n)
    const double* rho;    // > 0, one value on each block of C (n)
} sti_quadratic;

typedef struct sti_quadratic_goal {
    double tol;           // on the residual
    long max_iterations;  // products with P are what counts: about one for each
    double stop_at;       // clock; INFINITY: no limit
} sti_quadratic_goal;

typedef struct sti_quadratic_report {
    // |x - P_C(x - rho g)| / |x|, norms weighted by 1/rho; g = P x + kappa, computed anew. Of x = 0: 0, or INFINITY
    double residual;
    double value;  // objective
    long iterations;
    long products;
    bool solved;
} sti_quadratic_report;

// x: start in, the best point out. They fail for want of memory, and where a method does not take C.
typedef sti_status sti_quadratic_method(sti_env* env, const sti_quadratic* q, const sti_quadratic_goal* goal, double* x,
                                        sti_quadratic_report* report);
sti_quadratic_method sti_quadratic_apgd;   // accelerated projected gradient
sti_quadratic_method sti_quadratic_bb;     // spectral projected gradient, Barzilai-Borwein steps
sti_quadratic_method sti_quadratic_blmvm;  // limited-memory quasi-Newton with bounds; x >= 0 only
sti_quadratic_method sti_quadratic_tron;   // conjugate gradients on faces; x >= 0 only

// The residual of x; g (n) receives P x + kappa. scratch (n).
double sti_quadratic_residual(const sti_quadratic* q, const double* x, double* g, double* scratch, double* value);

#endif
