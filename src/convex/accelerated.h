// accelerated.h: the accelerated projected gradient (Nesterov 1983; Beck and Teboulle 2009), a step at a time, whatever
// the gradient and the projection are.
//
//     x+ = P(y - D g(y) / L),    y+ = x+ + beta (x+ - x),    beta = t (1 - t) / (t^2 + t+),   t+^2 = (1 - t+) t^2
//
// g is affine, g(x) = W x + q, so that of y is carried along: one product for each step, and one for each time that L
// is raised, until d'W d <= L |d|^2 for the step d = x+ - y in the metric of D^-1. The momentum is dropped when a step
// runs against the last one, (y - x+)'(x+ - x) > 0 (O'Donoghue and Candes 2015).
//
// Who uses it: apgd.c for quadratic programs, contact/gradient.c for Coulomb's law, bodies/rest_forces.c.
#ifndef STI_CONVEX_ACCELERATED_H
#define STI_CONVEX_ACCELERATED_H

#include <stdbool.h>
#include <stddef.h>

// Two arrays change places.
static inline void sti_trade(double** a, double** b) {
    double* const kept = *a;
    *a = *b;
    *b = kept;
}

typedef struct sti_accelerated {
    int n;
    const double* weight;  // D^-1, one for each number; NULL: 1                             (n)
    double *x, *g;         // the point and its gradient: filled by the caller at first      (n)
    double *y, *gy;        // where the next step begins                                     (n)
    double *last, *glast;  // the point before; these pairs change places                    (n)
    double L;              // of the next step
    double forget;         // L times this after each step
    double t;
    double way;  // |x - y|, without weights
    void* user;
    // x = P(y - step D g); g: the gradient at y. x is not y.
    void (*project)(void* user, const double* y, const double* g, double step, double* x);
    void (*gradient)(void* user, const double* x, double* g);
    bool (*again)(void* user);  // May the product be taken again with a larger L? NULL: it may
} sti_accelerated;

enum { STI_ACCELERATED_VECTORS = 6 };

// Six vectors out of memory (6 n).
void sti_accelerated_place(sti_accelerated* k, double* memory);
void sti_accelerated_begin(sti_accelerated* k);  // at x, where g is known, without momentum
void sti_accelerated_step(sti_accelerated* k);

#endif
