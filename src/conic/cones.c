// cones.c: products, square roots and steps in R_+ and the second-order cone.
//
// The algebra of the cone Q: x o y = (x'y, x0 y1 + y0 x1), unit e = (1, 0), eigenvalues x0 -+ |x1|. For s, z inside,
// with det x = x0^2 - |x1|^2 and the bar for division by sqrt(det):
//
//     eta^4 = det s / det z,    gamma = sqrt((1 + sbar'zbar) / 2),    w = (sbar + J zbar) / (2 gamma),
//         J = diag(1, -1, ..)
//     W     = eta [w0 w1'; w1 I + w1 w1' / (1 + w0)],                 W^2 = eta^2 (2 w w' - J)
//     lambda = sqrt(sqrt(det s det z)) (gamma, ((gamma + zbar0) sbar1 + (gamma + sbar0) zbar1) / (sbar0 + zbar0 + 2
//     gamma))
//
// (Vandenberghe, "The CVXOPT linear and quadratic cone program solvers", 2010, sections 4 and 5). A cone of size 1 is
// R_+, and the formulas say so. det is computed as (x0 - |x1|)(x0 + |x1|): close to the border x0^2 - |x1|^2 has no
// digits left. Cost: a few operations for each row.
#include "conic/cones.h"

#include <math.h>
#include <string.h>

sti_status sti_cones_init(sti_cones* k, sti_env* env, int zero, int linear, int count, const int* dim) {
    *k = (sti_cones){.env = env, .zero = zero, .linear = linear, .count = count, .degree = linear + count};
    k->m = zero + linear;
    for (int c = 0; c < count; c++) k->m += dim[c];
    k->memory = sti_arena_make(env);
    k->at = sti_arena_raw(&k->memory, (size_t)count, sizeof *k->at);
    k->dim = sti_arena_raw(&k->memory, (size_t)count, sizeof *k->dim);
    k->eta = sti_arena_raw(&k->memory, (size_t)count, sizeof *k->eta);
    k->w = sti_arena_take(&k->memory, (size_t)k->m, sizeof *k->w);
    k->lambda = sti_arena_take(&k->memory, (size_t)k->m, sizeof *k->lambda);
    if (k->memory.status != STI_OK) {
        sti_cones_clear(k);
        return STI_ERR_MEMORY;
    }
    for (int c = 0, at = zero + linear; c < count; at += dim[c++]) {
        k->at[c] = at;
        k->dim[c] = dim[c];
    }
    sti_cones_reset(k);
    return STI_OK;
}

void sti_cones_reset(sti_cones* k) {
    for (int i = 0; i < k->m; i++) k->w[i] = i >= k->zero && i < k->zero + k->linear ? 1 : 0;
    for (int c = 0; c < k->count; c++) k->eta[c] = k->w[k->at[c]] = 1;
}

void sti_cones_clear(sti_cones* k) {
    if (k->env == NULL) return;
    sti_arena_clear(&k->memory);
    *k = (sti_cones){0};
}

static double dot_tail(int dim, const double* x, const double* y) {
    double sum = 0;
    for (int i = 1; i < dim; i++) sum += x[i] * y[i];
    return sum;
}

static double norm_tail(int dim, const double* x) {
    if (dim == 2) return fabs(x[1]);
    return sqrt(dot_tail(dim, x, x));
}

static double determinant(int dim, const double* x) {
    const double t = norm_tail(dim, x);
    return (x[0] - t) * (x[0] + t);
}

static bool scale_cone(int dim, const double* s, const double* z, double* eta, double* w, double* lambda) {
    const double det_s = determinant(dim, s), det_z = determinant(dim, z);
    if (!(s[0] > 0 && z[0] > 0 && det_s > 0 && det_z > 0)) return false;
    const double root_s = sqrt(det_s), root_z = sqrt(det_z);
    const double gamma = sqrt((1 + (s[0] * z[0] + dot_tail(dim, s, z)) / (root_s * root_z)) / 2);
    const double s0 = s[0] / root_s, z0 = z[0] / root_z, size = sqrt(root_s * root_z);
    *eta = sqrt(root_s / root_z);
    double tail = 0;
    for (int i = 1; i < dim; i++) {
        const double si = s[i] / root_s, zi = z[i] / root_z;
        w[i] = (si - zi) / (2 * gamma);
        lambda[i] = size * ((gamma + z0) * si + (gamma + s0) * zi) / (s0 + z0 + 2 * gamma);
        tail += w[i] * w[i];
    }
    w[0] = sqrt(1 + tail);
    lambda[0] = size * gamma;
    return isfinite(*eta) && isfinite(w[0]) && *eta > 0;
}

bool sti_cones_scale(sti_cones* k, const double* s, const double* z) {
    for (int i = k->zero; i < k->zero + k->linear; i++) {
        if (!(s[i] > 0 && z[i] > 0)) return false;
        k->w[i] = sqrt(s[i] / z[i]);
        k->lambda[i] = sqrt(s[i] * z[i]);
    }
    for (int c = 0; c < k->count; c++) {
        const int at = k->at[c];
        if (!scale_cone(k->dim[c], s + at, z + at, &k->eta[c], k->w + at, k->lambda + at)) return false;
    }
    return true;
}

void sti_cones_apply(const sti_cones* k, const double* x, double* y) {
    for (int i = 0; i < k->zero; i++) y[i] = 0;
    for (int i = k->zero; i < k->zero + k->linear; i++) y[i] = k->w[i] * x[i];
    for (int c = 0; c < k->count; c++) {
        const double *w = k->w + k->at[c], *xc = x + k->at[c];
        double* yc = y + k->at[c];
        const double tail = dot_tail(k->dim[c], w, xc), x0 = xc[0], eta = k->eta[c];
        const double along = x0 + tail / (1 + w[0]);
        yc[0] = eta * (w[0] * x0 + tail);
        for (int i = 1; i < k->dim[c]; i++) yc[i] = eta * (xc[i] + along * w[i]);
    }
}

void sti_cones_apply_inverse(const sti_cones* k, const double* x, double* y) {
    for (int i = 0; i < k->zero; i++) y[i] = 0;
    for (int i = k->zero; i < k->zero + k->linear; i++) y[i] = x[i] / k->w[i];
    for (int c = 0; c < k->count; c++) {
        const double *w = k->w + k->at[c], *xc = x + k->at[c];
        double* yc = y + k->at[c];
        const double tail = dot_tail(k->dim[c], w, xc), x0 = xc[0], eta = k->eta[c];
        const double along = -x0 + tail / (1 + w[0]);
        yc[0] = (w[0] * x0 - tail) / eta;
        for (int i = 1; i < k->dim[c]; i++) yc[i] = (xc[i] + along * w[i]) / eta;
    }
}

void sti_cones_product(const sti_cones* k, const double* x, const double* y, double* z) {
    for (int i = 0; i < k->zero; i++) z[i] = 0;
    for (int i = k->zero; i < k->zero + k->linear; i++) z[i] = x[i] * y[i];
    for (int c = 0; c < k->count; c++) {
        const double *xc = x + k->at[c], *yc = y + k->at[c];
        double* zc = z + k->at[c];
        zc[0] = xc[0] * yc[0] + dot_tail(k->dim[c], xc, yc);
        for (int i = 1; i < k->dim[c]; i++) zc[i] = xc[0] * yc[i] + yc[0] * xc[i];
    }
}

void sti_cones_divide(const sti_cones* k, const double* d, double* x) {
    for (int i = 0; i < k->zero; i++) x[i] = 0;
    for (int i = k->zero; i < k->zero + k->linear; i++) x[i] = d[i] / k->lambda[i];
    for (int c = 0; c < k->count; c++) {
        const double *l = k->lambda + k->at[c], *dc = d + k->at[c];
        double* xc = x + k->at[c];
        const double x0 = (l[0] * dc[0] - dot_tail(k->dim[c], l, dc)) / determinant(k->dim[c], l);
        for (int i = 1; i < k->dim[c]; i++) xc[i] = (dc[i] - x0 * l[i]) / l[0];
        xc[0] = x0;
    }
}

void sti_cones_add_unit(const sti_cones* k, double a, double* x) {
    for (int i = k->zero; i < k->zero + k->linear; i++) x[i] += a;
    for (int c = 0; c < k->count; c++) x[k->at[c]] += a;
}

// The transformation that takes xbar to e takes dx / sqrt(det x) to rho, and x + a dx is in Q exactly when e + a rho
// is.
static double step_cone(int dim, const double* x, const double* dx) {
    const double root = sqrt(fmax(determinant(dim, x), 0));
    if (!(root > 0)) return 0;
    const double x0 = x[0] / root, inner = (x[0] * dx[0] - dot_tail(dim, x, dx)) / root;  // xbar'J dx
    const double along = (inner + dx[0]) / (1 + x0);
    double tail = 0;
    for (int i = 1; i < dim; i++) {
        const double r = dx[i] - along * (x[i] / root);
        tail += r * r;
    }
    const double down = (sqrt(tail) - inner) / root;
    return down > 0 ? 1 / down : INFINITY;
}

double sti_cones_step(const sti_cones* k, const double* x, const double* dx) {
    double a = INFINITY;
    for (int i = k->zero; i < k->zero + k->linear; i++) {
        if (dx[i] < 0) a = fmin(a, -x[i] / dx[i]);
    }
    for (int c = 0; c < k->count; c++) a = fmin(a, step_cone(k->dim[c], x + k->at[c], dx + k->at[c]));
    return a;
}

double sti_cones_margin(const sti_cones* k, const double* x, double* positive) {
    double least = INFINITY, sum = 0;
    for (int i = k->zero; i < k->zero + k->linear; i++) {
        least = fmin(least, x[i]);
        sum += fmax(x[i], 0);
    }
    for (int c = 0; c < k->count; c++) {
        const double* xc = x + k->at[c];
        const double e = xc[0] - norm_tail(k->dim[c], xc);
        least = fmin(least, e);
        sum += fmax(e, 0);
    }
    *positive = sum;
    return least;
}
