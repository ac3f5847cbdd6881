// scaled.h: what the methods of this room share: the problem in the scaled variable z = x / s, and vector loops.
#ifndef STI_CONVEX_SCALED_H
#define STI_CONVEX_SCALED_H

#include <math.h>

#include "convex/convex.h"

typedef struct sti_scaled {
    const sti_quadratic* q;
    int n;
    double* s;      // sqrt(rho)              (n)
    double* kappa;  // s kappa                (n)
    double* x;      // scratch                (n)
    long products;
} sti_scaled;

static inline sti_status sti_scaled_init(sti_scaled* p, sti_env* env, const sti_quadratic* q) {
    const size_t n = (size_t)q->n;
    *p = (sti_scaled){.q = q, .n = q->n};
    p->s = sti_alloc_array(env, 3 * n + 1, sizeof(double));
    if (p->s == NULL) return STI_ERR_MEMORY;
    p->kappa = p->s + n;
    p->x = p->kappa + n;
    for (size_t i = 0; i < n; i++) {
        p->s[i] = sqrt(q->rho[i]);
        p->kappa[i] = p->s[i] * q->kappa[i];
    }
    return STI_OK;
}

static inline void sti_scaled_clear(sti_scaled* p, sti_env* env) {
    sti_free(env, p->s);
}

// y = S P S z
static inline void sti_scaled_multiply(sti_scaled* p, const double* z, double* y) {
    for (int i = 0; i < p->n; i++) p->x[i] = p->s[i] * z[i];
    p->q->multiply(p->q->user, p->x, y);
    for (int i = 0; i < p->n; i++) y[i] *= p->s[i];
    p->products++;
}

static inline void sti_scaled_project(const sti_scaled* p, double* z) {
    if (p->q->project != NULL) {
        // C is a cone with one scale on each block, so it is the same set in z
        p->q->project(p->q->user, z);
        return;
    }
    for (int i = 0; i < p->n; i++) z[i] = z[i] <= 0 ? 0 : z[i];  // what is not a number stays so
}

// Sums are taken in four parts, which need not wait for each other; the shape is fixed, and so are the bits.
#define STI_SUM4(result, n, term)                                 \
    do {                                                          \
        double part_[4] = {0};                                    \
        const int whole_ = (n) - (n) % 4;                         \
        for (int j_ = 0; j_ < whole_; j_ += 4) {                  \
            for (int lane_ = 0; lane_ < 4; lane_++) {             \
                const int i = j_ + lane_;                         \
                part_[lane_] += (term);                           \
            }                                                     \
        }                                                         \
        for (int i = whole_; i < (n); i++) part_[0] += (term);    \
        (result) = (part_[0] + part_[1]) + (part_[2] + part_[3]); \
    } while (0)

static inline double sti_scaled_dot(int n, const double* x, const double* y) {
    double sum;
    STI_SUM4(sum, n, x[i] * y[i]);
    return sum;
}

static inline void sti_scaled_gradient(sti_scaled* p, const double* z, double* g) {
    sti_scaled_multiply(p, z, g);
    for (int i = 0; i < p->n; i++) g[i] += p->kappa[i];
}

// f(y) - f(z) from the gradients there, exact for a quadratic: near the solution the values themselves are too coarse.
static inline double sti_scaled_change(int n, const double* z, const double* gz, const double* y, const double* gy) {
    double sum;
    STI_SUM4(sum, n, (gz[i] + gy[i]) * (y[i] - z[i]));
    return 0.5 * sum;
}

// |z - P_C(z - g)|; y (n) is scratch.
static inline double sti_scaled_map(const sti_scaled* p, const double* z, const double* g, double* y) {
    for (int i = 0; i < p->n; i++) y[i] = z[i] - g[i];
    sti_scaled_project(p, y);
    double sum;
    STI_SUM4(sum, p->n, (z[i] - y[i]) * (z[i] - y[i]));
    return sqrt(sum);
}

// The map over |z|: what is asked to be at most tol, and by which the best point is known. Zero is a solution or as far
// from one as can be.
static inline double sti_scaled_relative(double map, double size) {
    return size > 0 ? map / size : map == 0 ? 0 : INFINITY;
}

static inline double sti_scaled_residual(const sti_scaled* p, const double* z, const double* g, double* y) {
    return sti_scaled_relative(sti_scaled_map(p, z, g, y), sqrt(sti_scaled_dot(p->n, z, z)));
}

sti_status sti_scaled_report(sti_env* env, sti_scaled* p, const double* z, double tol, double* x,
                             sti_quadratic_report* report);

#endif
