// polish.h: one Newton step on the optimality conditions themselves, for points near a solution.
#ifndef STI_CONIC_POLISH_H
#define STI_CONIC_POLISH_H

#include "conic/kkt.h"
#include "conic/scaled.h"

// x (n), s, y (m), in scaled units, are improved in place: s in K and y in K* are orthogonal afterwards, to rounding.
// work: two vectors of length m. False: no factors, or a step that is not finite.
bool sti_conic_polish(const sti_conic_scaled* p, const sti_cones* cones, sti_kkt* kkt, double* x, double* s, double* y,
                      double* work);

// One step from x (n) towards P x = 0, -A x in K, for programs without second-order cones or with a ray inside them.
// work as above.
bool sti_conic_polish_ray(const sti_conic_scaled* p, const sti_cones* cones, sti_kkt* kkt, double* x, double* work);

// One step from y (m), in K*, towards A'y = 0, for a program without P; y stays in K*. work: two vectors of length m.
bool sti_conic_polish_farkas(const sti_conic_scaled* p, sti_cones* cones, sti_kkt* kkt, double* y, double* work);

#endif
