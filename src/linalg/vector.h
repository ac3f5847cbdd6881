// vector.h: sums and sizes of vectors, in the order of their entries: the same bits everywhere.
#ifndef STI_LINALG_VECTOR_H
#define STI_LINALG_VECTOR_H

#include <math.h>
#include <stddef.h>

static inline double sti_vector_dot(size_t n, const double* x, const double* y) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// Largest |x_i|.
static inline double sti_vector_largest(size_t n, const double* x) {
    double size = 0;
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

static inline double sti_vector_norm(size_t n, const double* x) {
    return sqrt(sti_vector_dot(n, x, x));
}

#endif
