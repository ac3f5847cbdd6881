// bordered.c: the linear system of every projection and of (1.3.8),
//
//     [ M   -W' ] (x)   (f)
//     [ A    0  ] (y) = (g)
//
// with W = A but where contacts slide, M semidefinite and rows of A that may depend on each other. M is divided by its
// largest entry and each row of A by its length, so that the rank has a meaning; then a rank-revealing factorization
// gives the solution of least norm. Coordinates whose units are far apart (micrometres beside radians) would look like
// directions without mass there: they are measured in units of their own.
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/lapack.h"
#include "linalg/small.h"
#include "step/step.h"

static const double spread = 0x1p10;  // of units, so 1e6 of M: its least entries then count to 1e-10

typedef struct room {
    double* K;       // column major               (size x size)
    double* r;       // right side, then solution  (size)
    double* length;  // of the rows of A           (k)
    double* unit;    // of the coordinates         (n)
    double* work;    // of dgelsy
    int* pivot;      // (size)
    int lwork;
} room;

static sti_status reserve(sti_env* env, int n, int k, room* w) {
    const int size = n + k;
    const size_t s = (size_t)size;
    w->lwork = 8 * size + 64;
    double* block = sti_alloc_array_zero(env, s * s + 2 * s + (size_t)w->lwork, sizeof *block);
    w->pivot = sti_alloc_array_zero(env, s, sizeof *w->pivot);
    if (block == NULL || w->pivot == NULL) {
        sti_free(env, block);
        sti_free(env, w->pivot);
        return STI_ERR_MEMORY;
    }
    w->K = block;
    w->r = w->K + s * s;
    w->length = w->r + s;
    w->unit = w->length + k;
    w->work = w->unit + n;
    return STI_OK;
}

// Largest residual of the scaled system, relative to its right side.
static double measure(const sti_bordered* b, const room* w, double scale) {
    const double* W = b->W != NULL ? b->W : b->A;
    double worst = 0, size = 0;
    for (int i = 0; i < b->n; i++) {
        const double unit = w->unit[i] / scale;
        double r = -b->f[i] * unit;
        size = fmax(size, fabs(r));
        for (int j = 0; j < b->n; j++) r += b->M[sti_at(b->n, i, j)] * unit * b->x[j];
        for (int j = 0; j < b->k; j++) r -= W[sti_at(b->n, j, i)] * b->y[j] * unit;
        worst = fmax(worst, fabs(r));
    }
    for (int j = 0; j < b->k; j++) {
        const double r = sti_vector_dot(b->n, b->A + sti_at(b->n, j, 0), b->x) - b->g[j];
        size = fmax(size, fabs(b->g[j]) / w->length[j]);
        worst = fmax(worst, fabs(r) / w->length[j]);
    }
    return size > 0 ? worst / size : 0;
}

// The system in the units of the coordinates; what M was divided by.
static double fill(const sti_bordered* b, room* w) {
    const int n = b->n, k = b->k, size = n + k;
    const double *W = b->W != NULL ? b->W : b->A, *unit = w->unit;
    double scale = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) scale = fmax(scale, fabs(b->M[sti_at(n, i, j)] * unit[i] * unit[j]));
    if (!(scale > 0)) scale = 1;
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < n; i++) w->work[i] = b->A[sti_at(n, j, i)] * unit[i];
        const double length = sqrt(sti_vector_dot(n, w->work, w->work));
        w->length[j] = length > 0 ? length : 1;
        w->r[n + j] = b->g[j] / w->length[j];
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) w->K[sti_at(size, j, i)] = b->M[sti_at(n, i, j)] * unit[i] * unit[j] / scale;
        for (int j = 0; j < k; j++) {
            w->K[sti_at(size, n + j, i)] = -W[sti_at(n, j, i)] * unit[i] / w->length[j];
            w->K[sti_at(size, i, n + j)] = b->A[sti_at(n, j, i)] * unit[i] / w->length[j];
        }
        w->r[i] = b->f[i] * unit[i] / scale;
    }
    return scale;
}

// Units of the coordinates: 1, or, where the diagonal of M is spread that far, powers of 2 that bring it near 1.
static void find_units(const sti_bordered* b, room* w) {
    double least = INFINITY, most = 0;
    const bool positive = sti_small_units(b->n, b->M, w->unit);
    for (int i = 0; i < b->n; i++) {
        least = fmin(least, w->unit[i]);
        most = fmax(most, w->unit[i]);
    }
    for (int i = 0; (!positive || most < spread * least) && i < b->n; i++) w->unit[i] = 1;
}

sti_status sti_bordered_solve(sti_env* env, sti_bordered* b) {
    const int n = b->n, k = b->k, size = n + k;
    room w = {0};
    sti_status status = reserve(env, n, k, &w);
    if (status != STI_OK) return status;
    find_units(b, &w);
    const double scale = fill(b, &w);
    b->rank = 0;
    status = sti_lapack_reserve(env);
    if (status == STI_OK && size > 0)
        status = sti_lapack_status(
            env, sti_lapack_least_squares(size, size, w.K, w.r, size, w.pivot, 1e-12, &b->rank, w.work, w.lwork),
            "equations of motion and of %d contacts", k);
    for (int i = 0; i < n; i++) b->x[i] = w.r[i] * w.unit[i];
    for (int j = 0; j < k; j++) b->y[j] = w.r[n + j] * scale / w.length[j];
    b->residual = measure(b, &w, scale);
    sti_free(env, w.K);
    sti_free(env, w.pivot);
    return status;
}

// Gram-Schmidt on rows of length 1, the longest remainder first.
int sti_step_row_rank(int k, int n, double* rows) {
    for (int j = 0; j < k; j++) {
        double* row = rows + sti_at(n, j, 0);
        const double length = sqrt(sti_vector_dot(n, row, row));
        for (int i = 0; length > 0 && i < n; i++) row[i] /= length;
    }
    for (int rank = 0; rank < k; rank++) {
        int best = rank;
        double most = 0;
        for (int j = rank; j < k; j++) {
            const double* row = rows + sti_at(n, j, 0);
            const double length = sti_vector_dot(n, row, row);
            if (length > most) {
                most = length;
                best = j;
            }
        }
        if (most <= 1e-20) return rank;
        double *a = rows + sti_at(n, rank, 0), *b = rows + sti_at(n, best, 0);
        for (int i = 0; i < n; i++) {
            const double x = a[i];
            a[i] = b[i] / sqrt(most);
            if (best != rank) b[i] = x;
        }
        for (int j = rank + 1; j < k; j++) {
            double* row = rows + sti_at(n, j, 0);
            for (int round = 0; round < 2; round++) {
                const double part = sti_vector_dot(n, a, row);
                for (int i = 0; i < n; i++) row[i] -= part * a[i];
            }
        }
    }
    return k;
}
