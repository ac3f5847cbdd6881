// kernel.c: elimination by panels of four pivots. Every entry is updated by itself, pivot after pivot, so the bits do not depend on
// how wide the registers are.
#include "stochastic/kernel.h"

#include <math.h>
#include <string.h>

enum { PANEL = 4 };

static const double HELD = 1e-11;  // of what a pivot began with: added to it

// rows[t] -= sum over the panel; columns from..to-1
static inline __attribute__((always_inline)) void update_row(double* restrict row, const double* restrict p, int stride,
                                                             const double* f, int count, int from, int to) {
    if (count == PANEL) {
        const double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
        const double *p0 = p, *p1 = p + stride, *p2 = p1 + stride, *p3 = p2 + stride;
        for (int c = from; c < to; c++) row[c] = (((row[c] - f0 * p0[c]) - f1 * p1[c]) - f2 * p2[c]) - f3 * p3[c];
        return;
    }
    for (int t = 0; t < count; t++, p += stride) {
        for (int c = from; c < to; c++) row[c] -= f[t] * p[c];
    }
}

// Rows that depend on each other leave a pivot of rounding. A small part of what it began with is added: of a row that is a proximal
// term around its multiplier, and the step then leaves a residual of that part of the change of the multiplier, which vanishes.
static double sound_pivot(double d, double began, double sign, int* frozen) {
    const double held = d * sign + (sign < 0 ? HELD * fabs(began) : 0);
    if (held > 0 && isfinite(held)) return sign * held;
    ++*frozen;
    return sign * STI_KERNEL_FROZEN;
}

// Pivots first .. last-1, all of one sign, that reach columns below `reach`.
static inline __attribute__((always_inline)) int eliminate_range(double* a, int order, int first, int last, int reach,
                                                                 double sign, double* inverse, const double* began) {
    int frozen = 0;
    const size_t stride = (size_t)order;
    for (int j = first; j < last; j += PANEL) {
        const int count = last - j < PANEL ? last - j : PANEL;
        double* panel = a + (size_t)j * stride;
        double f[PANEL];
        for (int t = 0; t < count; t++) {
            double* row = panel + (size_t)t * stride;
            row[j + t] = sound_pivot(row[j + t], began[j + t], sign, &frozen);
            inverse[j + t] = 1 / row[j + t];
            for (int s = t + 1; s < count; s++) {
                f[0] = row[j + s] * inverse[j + t];
                update_row(panel + (size_t)s * stride, row, order, f, 1, j + s, reach);
            }
        }
        for (int i = j + count; i < reach; i++) {
            for (int t = 0; t < count; t++) f[t] = panel[(size_t)t * stride + (size_t)i] * inverse[j + t];
            update_row(a + (size_t)i * stride, panel, order, f, count, i, reach);
        }
    }
    return frozen;
}

static inline __attribute__((always_inline)) int eliminate(double* a, int order, int m, int k, int reach,
                                                           double* inverse, double* diagonal) {
    for (int j = 0; j < m; j++) diagonal[j] = a[(size_t)j * (size_t)order + (size_t)j];
    int frozen = eliminate_range(a, order, 0, m, reach, 1, inverse, diagonal);
    for (int j = m; j < k; j++) diagonal[j] = a[(size_t)j * (size_t)order + (size_t)j];
    return frozen + eliminate_range(a, order, m, k, order, -1, inverse, diagonal);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static int eliminate_avx2(double* a, int order, int m, int k, int reach,
                                                          double* inverse, double* diagonal) {
    return eliminate(a, order, m, k, reach, inverse, diagonal);
}

int sti_kernel_eliminate(double* a, int order, int m, int k, int reach, double* inverse, double* diagonal) {
    if (__builtin_cpu_supports("avx2")) return eliminate_avx2(a, order, m, k, reach, inverse, diagonal);
    return eliminate(a, order, m, k, reach, inverse, diagonal);
}
#else
int sti_kernel_eliminate(double* a, int order, int m, int k, int reach, double* inverse, double* diagonal) {
    return eliminate(a, order, m, k, reach, inverse, diagonal);
}
#endif

void sti_kernel_pack(const double* a, int order, int k, double* packed) {
    for (int j = 0; j < k; j++) {
        const size_t count = (size_t)(k - j - 1);
        memcpy(packed, a + (size_t)j * (size_t)order + (size_t)j + 1, count * sizeof *packed);
        packed += count;
    }
}

void sti_kernel_solve(const double* packed, const double* inverse, int k, double* x) {
    const double* row = packed;
    for (int j = 0; j < k; j++) {
        const double f = x[j] * inverse[j];
        for (int i = j + 1; i < k; i++) x[i] -= f * row[i - j - 1];
        x[j] = f;
        row += k - j - 1;
    }
    for (int j = k - 1; j >= 0; j--) {
        row -= k - j - 1;
        double sum = 0;
        for (int i = j + 1; i < k; i++) sum += row[i - j - 1] * x[i];
        x[j] -= sum * inverse[j];
    }
}
