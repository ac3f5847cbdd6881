// vector.h: sums and sizes of vectors, in the order of their entries: the same bits everywhere.
#ifndef STI_LINALG_VECTOR_H
#define STI_LINALG_VECTOR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

// Entry (i, j) of a row-major matrix with `cols` columns.
static inline size_t sti_at(int cols, int i, int j) {
    return (size_t)i * (size_t)cols + (size_t)j;
}

static inline double sti_vector_dot(size_t n, const double* x, const double* y) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// The same in four sums, which are added in the end: faster, other bits.
static inline double sti_vector_dot4(size_t n, const double* x, const double* y) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    size_t i = 0;
    for (; i + 3 < n; i += 4) {
        s0 += x[i] * y[i];
        s1 += x[i + 1] * y[i + 1];
        s2 += x[i + 2] * y[i + 2];
        s3 += x[i + 3] * y[i + 3];
    }
    for (; i < n; i++) s0 += x[i] * y[i];
    return (s0 + s1) + (s2 + s3);
}

static inline bool sti_vector_is_finite(size_t n, const double* x) {
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) return false;
    }
    return true;
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
