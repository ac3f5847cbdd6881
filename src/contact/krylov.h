// krylov.h: restarted GMRES for a matrix known by its action, with a preconditioner from the right.
//
//     A P^-1 z = b,   x = P^-1 z                      (Saad & Schultz 1986; Saad 2003, algorithm 9.5)
#ifndef STI_CONTACT_KRYLOV_H
#define STI_CONTACT_KRYLOV_H

#include "base/arena.h"
#include "base/env.h"

typedef struct sti_krylov {
    sti_arena memory;
    sti_env* env;
    int n;
    int restart;     // m, directions before a restart
    double* basis;   // V                        (m+1 x n)
    double* H;       // Hessenberg, by columns   (m x m+1)
    double* rotate;  // cosines and sines        (2 m)
    double* g;       // right side in the basis  (m+1)
    double* work;    // (2 n)
} sti_krylov;

typedef void sti_krylov_map(void* user, const double* x, double* y);  // y = A x, or y = P^-1 x; y is not x

sti_status sti_krylov_init(sti_krylov* k, sti_env* env, int n, int restart);
void sti_krylov_clear(sti_krylov* k);  // accepts a zero struct

// x (n): a solution with |b - A x| <= tol |b|, or the best after so many products with A. Returns |b - A x| / |b|.
double sti_krylov_solve(sti_krylov* k, sti_krylov_map* A, sti_krylov_map* P, void* user, const double* b, double tol,
                        int product_limit, double* x);

#endif
