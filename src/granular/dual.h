// dual.h: the convex step as a program in the impulses, for the methods of src/convex.
#ifndef STI_GRANULAR_DUAL_H
#define STI_GRANULAR_DUAL_H

#include <math.h>

#include "convex/convex.h"
#include "granular/bed.h"

// Contact k has `width` variables. Facets: lambda_s >= 0 with generators e_s, r = sum lambda_s e_s. Cone: r itself.
typedef struct sti_dual {
    sti_bed* bed;
    int width;
    int m;                     // width times the contacts
    int first[STI_SLAB_MOST];  // number of the first contact of each slab
    double* e;                 // generators n + mu d_s                 (m x 3), facets only
    double* x;                 // (m)
    double* kappa;             // (m)
    double* rho;               // (m)
    sti_grain* grain;          // velocities made by impulses alone
    void* grain_memory;
} sti_dual;

sti_status sti_dual_create(sti_bed* bed, sti_dual* dual);  // x from the impulses in the contacts
void sti_dual_clear(sti_dual* dual);
sti_quadratic sti_dual_quadratic(sti_dual* dual);
void sti_dual_impulses(const sti_dual* dual, const double* x);  // into the contacts

// Two unit vectors across n: t1 from the axis of its smallest entry, t2 = n x t1.
static inline void sti_tangents(const double* n, double t1[3], double t2[3]) {
    int i = fabs(n[1]) < fabs(n[0]) ? 1 : 0;
    if (fabs(n[2]) < fabs(n[i])) i = 2;
    for (int j = 0; j < 3; j++) t1[j] = (j == i ? 1.0 : 0.0) - n[i] * n[j];
    const double size = sqrt(dot3(t1, t1));
    for (int j = 0; j < 3; j++) t1[j] /= size;
    t2[0] = n[1] * t1[2] - n[2] * t1[1];
    t2[1] = n[2] * t1[0] - n[0] * t1[2];
    t2[2] = n[0] * t1[1] - n[1] * t1[0];
}

// interior.c: the primal program in the velocities by the interior-point method of src/conic; x from its multipliers.
sti_status sti_dual_interior(sti_dual* dual, const sti_quadratic_goal* goal, long* iterations);

// method.c: the program handed to the method of the caller.
sti_status sti_dual_method(sti_dual* dual, const sti_quadratic_goal* goal, long* iterations);

#endif
