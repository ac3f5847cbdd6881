// cone.h: the Coulomb cone inside loops: the same projection as sti_coulomb_project with a plain square root, several
// times faster. Squares may leave the range of doubles for data beyond 1e+-150; no verdict is taken from here.
#ifndef STI_CONTACT_CONE_H
#define STI_CONTACT_CONE_H

#include <math.h>

// |x_t|
static inline double sti_cone_slip(int d, const double* x) {
    return d == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

// The same for all doubles.
static inline double sti_cone_slip_safe(int d, const double* x) {
    return d == 2 ? fabs(x[1]) : hypot(x[1], x[2]);
}

// p = P_K(x); p may be x.
static inline void sti_cone_project(int d, double mu, const double* x, double* p) {
    const double xn = x[0], norm = sti_cone_slip(d, x);
    double pn = xn, f = 1;
    if (norm > mu * xn || xn < 0) {
        pn = mu * norm > -xn ? (xn + mu * norm) / (1 + mu * mu) : 0;
        f = pn > 0 ? mu * pn / norm : 0;
    }
    p[0] = pn;
    p[1] = f * x[1];
    if (d == 3) p[2] = f * x[2];
}

// One after the other: p_n = max(0, x_n), and p_t the vector of length at most mu p_n that is nearest to x_t; p may be
// x.
static inline void sti_cone_project_disc(int d, double mu, const double* x, double* p) {
    const double normal = x[0] > 0 ? x[0] : 0, norm = sti_cone_slip(d, x), bound = mu * normal;
    const double f = norm > bound ? bound / norm : 1;
    p[0] = normal;
    p[1] = f * x[1];
    if (d == 3) p[2] = f * x[2];
}

#endif
