// kernel.c: L D L' by groups of eight columns (linalg/tiles.h): the square of a group by itself, the rows below it,
// then all that follows. Groups begin at multiples of eight; the one in which the sign of the pivots changes is gone
// through twice.
#include "stochastic/kernel.h"

#include <math.h>
#include <string.h>

enum { GROUP = 8 };

static const double LEAST = 1e-50;  // a smaller pivot is that of a row whose unknowns are all held

static double sound_pivot(const sti_kernel* s, double d, double began, double sign, int* frozen) {
    const double held = d * sign + (sign < 0 ? s->held * fabs(began) : 0);
    if (held > LEAST && isfinite(held)) return sign * held;
    ++*frozen;
    return sign * STI_KERNEL_FROZEN;
}

typedef struct elimination {
    const sti_kernel* s;
    double *a, *inverse, *began, *Z;
    size_t ld;
    double f[GROUP * GROUP];  // L of the square at hand
    int frozen;
} elimination;

// Pivots first .. end - 1 of the group of columns from g on, its square alone.
static void factor_square(elimination* e, int g, int width, int first, int end, double sign) {
    double* P = e->a + (size_t)g * e->ld + (size_t)g;
    memset(e->f, 0, sizeof e->f);
    for (int t = first; t < end; t++) {
        double* column = P + (size_t)t * e->ld;
        column[t] = sound_pivot(e->s, column[t], e->began[g + t], sign, &e->frozen);
        e->inverse[g + t] = 1 / column[t];
        for (int s = t + 1; s < width; s++) e->f[GROUP * s + t] = column[s] * e->inverse[g + t];
        for (int s = t + 1; s < width; s++) {
            double* to = P + (size_t)s * e->ld;
            for (int i = s; i < width; i++) to[i] -= e->f[GROUP * s + t] * column[i];
        }
        for (int s = t + 1; s < width; s++) column[s] = e->f[GROUP * s + t];
    }
}

// Pivots first .. last - 1, all of one sign, that reach rows below `reach`.
static void eliminate_range(elimination* e, int first, int last, int reach, double sign) {
    const int ld = (int)e->ld, bottom = (int)sti_tiles_padded((size_t)reach);
    for (int g = first / GROUP * GROUP; g < last; g += GROUP) {
        const int from = first > g ? first - g : 0, end = last - g < GROUP ? last - g : GROUP, next = g + GROUP;
        factor_square(e, g, GROUP, from, end, sign);
        if (next >= bottom || from == end) continue;
        double* below = e->a + (size_t)g * e->ld + (size_t)next;
        sti_tiles_eliminate(GROUP, from, end, bottom - next, below, ld, e->f, e->inverse + g, e->Z, ld);
        sti_tiles_subtract(true, bottom - next, bottom - next, end - from, below + (size_t)from * e->ld, ld, e->Z, ld,
                           e->a + (size_t)next * (e->ld + 1), ld);
    }
}

static void note_diagonal(elimination* e, int first, int last) {
    for (int j = first; j < last; j++) e->began[j] = e->a[(size_t)j * (e->ld + 1)];
}

int sti_kernel_eliminate(const sti_kernel* s, double* a, double* inverse, double* room) {
    const size_t ld = sti_tiles_padded((size_t)s->order);
    elimination e = {.s = s, .a = a, .inverse = inverse, .began = room + GROUP * ld, .Z = room, .ld = ld};
    note_diagonal(&e, 0, s->m);
    eliminate_range(&e, 0, s->m, s->reach, 1);
    note_diagonal(&e, s->m, s->k);
    eliminate_range(&e, s->m, s->k, s->order, -1);
    return e.frozen;
}

void sti_kernel_pack(const double* a, int order, int k, double* packed) {
    const int end = (int)sti_tiles_padded((size_t)k);
    const size_t ld = sti_tiles_padded((size_t)order);
    for (int g = 0; g < end; g += GROUP) {
        for (int i = g; i < end; i += GROUP) {
            for (int j = g; j < g + GROUP; j++, packed += GROUP) {
                const double* from = a + (size_t)j * ld + (size_t)i;
                for (int e = 0; e < GROUP; e++) packed[e] = from[e];
                for (int e = 0; i == g && e <= j - g; e++) packed[e] = 0;
                for (int e = j < k ? k - i : 0; i + GROUP > k && e < GROUP; e++) packed[e] = 0;
                for (int e = 0; j >= k && e < GROUP; e++) packed[e] = 0;
            }
        }
    }
}

void sti_kernel_solve(const double* packed, const double* inverse, int k, double* x) {
    for (int i = k; i < (int)sti_tiles_padded((size_t)k); i++) x[i] = 0;
    sti_tiles_solve(packed, inverse, k, x);
}

// ---- eight side by side

int sti_kernel_lanes_eliminate(const sti_kernel* s, double* a, double* inverse, double* began) {
    const size_t order = (size_t)s->order;
    int frozen = 0;
    for (int j = 0; j < s->k; j++) {
        const double sign = j < s->m ? 1 : -1;
        if (j == 0 || j == s->m) {
            for (size_t i = (size_t)j; i < (size_t)s->k; i++)
                memcpy(began + 8 * i, a + 8 * i * (order + 1), 8 * sizeof *began);
        }
        double* pivot = a + 8 * (size_t)j * (order + 1);
        for (int lane = 0; lane < STI_KERNEL_LANES; lane++) {
            pivot[lane] = sound_pivot(s, pivot[lane], began[8 * j + lane], sign, &frozen);
            inverse[8 * j + lane] = 1 / pivot[lane];
        }
        sti_tiles_lanes_pivot(a, s->order, j, j < s->m ? s->reach : s->order, inverse + 8 * (size_t)j);
    }
    return frozen;
}

void sti_kernel_lanes_pack(const sti_kernel* s, const double* a, double* L) {
    const size_t order = (size_t)s->order;
    for (size_t j = 0; j < (size_t)s->k; j++) {
        const size_t count = 8 * (order - 1 - j);
        memcpy(L, a + 8 * (j * order + j + 1), count * sizeof *L);
        L += count;
    }
}
