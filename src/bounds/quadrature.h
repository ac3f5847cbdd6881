// quadrature.h: integrals of formulas over an interval and over a rectangle, enclosed.
#ifndef STI_BOUNDS_QUADRATURE_H
#define STI_BOUNDS_QUADRATURE_H

#include "interval/series.h"

enum { STI_GAUSS_POINTS = 10, STI_QUADRATURE_ORDER = 2 * STI_GAUSS_POINTS, STI_INTEGRALS_MOST = 16 };

// Gauss-Legendre rule on [-1, 1].
typedef struct sti_gauss {
    sti_interval node[STI_GAUSS_POINTS];
    sti_interval weight[STI_GAUSS_POINTS];
    sti_interval norm;  // of the monic Legendre polynomial, squared: the factor of the remainder
} sti_gauss;

void sti_gauss_make(sti_gauss* g);

typedef struct sti_quadrature {
    sti_series* series;  // of order STI_QUADRATURE_ORDER at least
    sti_gauss gauss;
    long panels;  // looked at so far
    long most_panels;
} sti_quadrature;

// Integrals of several entries at once, along the only variable of the tape, from low to high (known as intervals).
// A false answer: an entry may be unbounded or without a value; *at says where, and sti_series_reason why.
bool sti_integrate(sti_quadrature* q, sti_interval low, sti_interval high, const int* entry, int count,
                   sti_interval* out, double* at);
// The same over a square, variables 0 and 1.
bool sti_integrate_square(sti_quadrature* q, sti_interval low, sti_interval high, const int* entry, int count,
                          sti_interval* out, double* at);

#endif
