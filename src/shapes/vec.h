// vec.h: three-vectors and 3 x 3 rotations, small enough to be inlined.
#ifndef STI_SHAPES_VEC_H
#define STI_SHAPES_VEC_H

#include <math.h>

typedef struct vec {
    double x, y, z;
} vec;

static inline vec vec_of(const double* p) {
    return (vec){p[0], p[1], p[2]};
}

static inline void vec_store(vec a, double* p) {
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}

static inline vec vec_add(vec a, vec b) {
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec vec_sub(vec a, vec b) {
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec vec_scale(double s, vec a) {
    return (vec){s * a.x, s * a.y, s * a.z};
}

static inline vec vec_axpy(double s, vec a, vec b) {  // s a + b
    return (vec){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}

static inline double vec_dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec vec_cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec_norm(vec a) {
    return sqrt(vec_dot(a, a));
}

static inline vec rotate(const double* R, vec a) {  // R a
    return (vec){R[0] * a.x + R[1] * a.y + R[2] * a.z, R[3] * a.x + R[4] * a.y + R[5] * a.z,
                 R[6] * a.x + R[7] * a.y + R[8] * a.z};
}

static inline vec rotate_back(const double* R, vec a) {  // R' a
    return (vec){R[0] * a.x + R[3] * a.y + R[6] * a.z, R[1] * a.x + R[4] * a.y + R[7] * a.z,
                 R[2] * a.x + R[5] * a.y + R[8] * a.z};
}

#endif
