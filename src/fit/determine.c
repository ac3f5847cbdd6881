// determine.c: what the data determine, and what not.
//
// Central differences of the residuals in x_i, scaled by the size of x_i (of one that is 0: by 1), give a matrix J (m x
// n). Its singular values come from Jacobi's rotations of the columns (one-sided, Hestenes), which keep small ones to
// full relative accuracy. A direction d with |J d| below 1e-6 |J|, or of the size of the data, changes no residual:
// only other combinations of the parameters are measured.
#include <math.h>
#include <string.h>

#include "base/env.h"
#include "fit/fit.h"
#include "linalg/vector.h"

#define STEP 1e-5

typedef struct table {
    int m, n;
    double* J;  // columns                                                     (n x m)
    double* V;  // (n x n), columns of directions
} table;

static void rotate(int m, double* a, double* b, double c, double s) {
    for (int i = 0; i < m; i++) {
        const double x = a[i];
        a[i] = c * x - s * b[i];
        b[i] = s * x + c * b[i];
    }
}

static void make_orthogonal(const table* t) {
    for (int round = 0; round < 60; round++) {
        double worst = 0;
        for (int p = 0; p < t->n; p++) {
            for (int q = p + 1; q < t->n; q++) {
                double *a = t->J + (size_t)p * (size_t)t->m, *b = t->J + (size_t)q * (size_t)t->m;
                const double aa = sti_vector_dot((size_t)t->m, a, a), bb = sti_vector_dot((size_t)t->m, b, b),
                             ab = sti_vector_dot((size_t)t->m, a, b);
                if (!(fabs(ab) > 1e-15 * sqrt(aa * bb)) || ab == 0) continue;
                worst = fmax(worst, fabs(ab) / sqrt(aa * bb));
                const double z = (bb - aa) / (2 * ab), w = (z >= 0 ? 1 : -1) / (fabs(z) + sqrt(1 + z * z));
                const double c = 1 / sqrt(1 + w * w), s = c * w;
                rotate(t->m, a, b, c, s);
                rotate(t->n, t->V + (size_t)p * (size_t)t->n, t->V + (size_t)q * (size_t)t->n, c, s);
            }
        }
        if (worst < 1e-14) break;
    }
}

// One column: the change of the residuals with x_i, times its size. Where the model ends on one side the other one
// counts.
static sti_status column(const sti_fit_problem* p, const sti_fit_answer* a, int i, double* x, double* r, double* out) {
    const double size = a->x[i] != 0 ? fabs(a->x[i]) : 1, h = STEP * size;
    memcpy(x, a->x, (size_t)p->n * sizeof *x);
    bool good[2] = {false, false};
    for (int side = 0; side < 2; side++) {
        x[i] = a->x[i] + (side == 0 ? h : -h);
        if ((p->low != NULL && x[i] < p->low[i]) || (p->high != NULL && x[i] > p->high[i])) x[i] = a->x[i];
        const sti_status status = p->residuals(p->user, x, r + (ptrdiff_t)side * p->m);
        if (status != STI_OK) return status;
        good[side] = isfinite(sti_fit_size(STI_FIT_LARGEST, r + (ptrdiff_t)side * p->m, p->m));
        if (!good[side]) memcpy(r + (ptrdiff_t)side * p->m, a->r, (size_t)p->m * sizeof *r);
    }
    for (int k = 0; k < p->m; k++) out[k] = (r[k] - r[p->m + k]) / STEP / (good[0] && good[1] ? 2 : 1);
    return STI_OK;
}

// Largest first.
static void order(const table* t, sti_fit_answer* a) {
    const size_t n = (size_t)t->n;
    for (int i = 0; i < t->n; i++) {
        int best = -1;
        double most = -1;
        for (int k = 0; k < t->n; k++) {
            const double* c = t->J + (size_t)k * (size_t)t->m;
            const double size = isnan(c[0]) ? -2 : sqrt(sti_vector_dot((size_t)t->m, c, c));
            if (size > most) {
                most = size;
                best = k;
            }
        }
        a->singular[i] = most;
        memcpy(a->direction + (size_t)i * n, t->V + (size_t)best * n, n * sizeof *t->V);
        t->J[(size_t)best * (size_t)t->m] = NAN;  // taken
    }
}

sti_status sti_fit_determine(sti_env* env, const sti_fit_problem* p, sti_fit_answer* a) {
    const size_t n = (size_t)p->n, m = (size_t)p->m;
    double* room = sti_alloc_array_zero(env, sti_size_add(sti_size_mul(n, m + n + 1), 2 * m), sizeof *room);
    if (room == NULL) return STI_ERR_MEMORY;
    const table t = {.m = p->m, .n = p->n, .J = room, .V = room + n * m};
    double *x = t.V + n * n, *r = x + n;
    sti_status status = STI_OK;
    for (int i = 0; status == STI_OK && i < p->n; i++) {
        status = column(p, a, i, x, r, t.J + (size_t)i * m);
        t.V[(size_t)i * n + (size_t)i] = 1;
    }
    if (status == STI_OK) {
        make_orthogonal(&t);
        order(&t, a);
        for (int i = 0; i < p->n; i++)
            a->undetermined += !(a->singular[i] > STI_FIT_FLOOR * fmax(a->singular[0], p->scale));
    }
    sti_free(env, room);
    return status;
}
