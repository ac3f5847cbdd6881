// vec3.h: arrays of three numbers and 3 x 3 matrices, row major.
#ifndef STI_LINALG_VEC3_H
#define STI_LINALG_VEC3_H

#include <math.h>
#include <string.h>

static inline double dot3(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double norm3(const double* a) {
    return sqrt(dot3(a, a));
}

static inline void cross3(const double* a, const double* b, double* out) {  // out is neither a nor b
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void sub3(const double* a, const double* b, double* out) {
    for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

static inline void axpy3(double s, const double* a, double* y) {  // y += s a
    for (int k = 0; k < 3; k++) y[k] += s * a[k];
}

static inline void mul3(const double* R, const double* a, double* out) {  // R a
    for (int k = 0; k < 3; k++) out[k] = dot3(R + 3 * (size_t)k, a);
}

static inline void mul3_transposed(const double* R, const double* a, double* out) {  // R' a
    for (int k = 0; k < 3; k++) out[k] = R[k] * a[0] + R[k + 3] * a[1] + R[k + 6] * a[2];
}

static inline void column3(const double* R, int k, double* out) {  // R e_k
    for (int i = 0; i < 3; i++) out[i] = R[3 * i + k];
}

static inline void quaternion_product(const double* p, const double* q, double* out) {
    out[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    out[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
    out[2] = p[0] * q[2] + p[2] * q[0] + p[3] * q[1] - p[1] * q[3];
    out[3] = p[0] * q[3] + p[3] * q[0] + p[1] * q[2] - p[2] * q[1];
}

#endif
