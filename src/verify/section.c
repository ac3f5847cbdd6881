// section.c: nearest points and supports of sections, in extended precision.
//
// Polygon: the nearest point of every side. Ellipse with half axes a, in its own axes: x_i = p_i (1 + t / a_i^2), so t
// >= 0 is the root of sum (a_i x_i / (a_i^2 + t))^2 = 1, which falls in t. By support function: p = x - f n with the n
// whose f = n.x - reach sigma(n) is largest, where n x (x - reach grad sigma(n)) changes its sign.
#include "verify/section.h"

#include <math.h>

#include "base/env.h"

typedef long double real;

enum { AROUND = 180, HALVINGS = 120 };

static real side(const sti_section* s, int j, const real* x) {
    const double *a = s->vertex + 2 * (size_t)j, *b = s->vertex + 2 * (size_t)((j + 1) % s->vertex_count);
    return ((real)b[0] - a[0]) * (x[1] - a[1]) - ((real)b[1] - a[1]) * (x[0] - a[0]);
}

// Every vertex and 0 lie to the left of every side
static bool is_polygon(const sti_section* s) {
    if (s->vertex_count < 3 || s->vertex == NULL) return false;
    for (int k = 0; k < 2 * s->vertex_count; k++) {
        if (!isfinite(s->vertex[k])) return false;
    }
    for (int j = 0; j < s->vertex_count; j++) {
        const real zero[2] = {0};
        if (!(side(s, j, zero) > 0)) return false;
        for (int k = 0; k < s->vertex_count; k++) {
            const real at[2] = {s->vertex[2 * (size_t)k], s->vertex[2 * (size_t)k + 1]};
            const bool on = k == j || k == (j + 1) % s->vertex_count;
            if (!on && !(side(s, j, at) > 0)) return false;
        }
    }
    return true;
}

static bool is_convex(const sti_section* s) {
    double n[AROUND][2], x[AROUND][2], h[AROUND];
    if (s->support == NULL) return false;
    for (int k = 0; k < AROUND; k++) {
        const double angle = 2 * M_PI * k / AROUND;
        n[k][0] = cos(angle);
        n[k][1] = sin(angle);
        h[k] = s->support(s->user, n[k], x[k]);
        if (!(h[k] > 0) || !isfinite(h[k]) || !(fabs(n[k][0] * x[k][0] + n[k][1] * x[k][1] - h[k]) <= 1e-9 * h[k]))
            return false;
    }
    for (int k = 0; k < AROUND * AROUND; k++) {
        const double *m = n[k % AROUND], *y = x[k / AROUND];
        if (m[0] * y[0] + m[1] * y[1] > h[k % AROUND] * (1 + 1e-9)) return false;
    }
    return true;
}

sti_status sti_check_section(sti_env* env, const sti_section* s, int contact) {
    bool good = s->shape == STI_SECTION_DISC;
    if (s->shape == STI_SECTION_ELLIPSE)
        good = s->axes[0] > 0 && s->axes[1] > 0 && isfinite(s->axes[0] + s->axes[1]) && isfinite(s->angle);
    if (s->shape == STI_SECTION_POLYGON) good = is_polygon(s);
    if (s->shape == STI_SECTION_SUPPORT) good = is_convex(s);
    if (good) return STI_OK;
    return STI_FAIL(env, STI_ERR_ARGUMENT, contact, "section[%d] is no convex set around 0", contact);
}

real sti_check_section_support(const sti_section* s, const real* y) {
    const real size = hypotl(y[0], y[1]);
    if (s->shape == STI_SECTION_DISC || size == 0) return size;
    if (s->shape == STI_SECTION_ELLIPSE) {
        const real c = cosl(s->angle), d = sinl(s->angle);
        return hypotl(s->axes[0] * (c * y[0] + d * y[1]), s->axes[1] * (c * y[1] - d * y[0]));
    }
    if (s->shape == STI_SECTION_SUPPORT) {
        double x[2];
        const double n[2] = {(double)(y[0] / size), (double)(y[1] / size)};
        return size * s->support(s->user, n, x);
    }
    real most = 0;
    for (int j = 0; j < s->vertex_count; j++)
        most = fmaxl(most, y[0] * s->vertex[2 * (size_t)j] + y[1] * s->vertex[2 * (size_t)j + 1]);
    return most;
}

static void nearest_of_polygon(const sti_section* s, real reach, const real* x, real* p) {
    const real z[2] = {x[0] / reach, x[1] / reach};
    real least = INFINITY;
    bool inside = true;
    for (int j = 0; j < s->vertex_count; j++) {
        if (side(s, j, z) >= 0) continue;
        inside = false;
        const double *a = s->vertex + 2 * (size_t)j, *b = s->vertex + 2 * (size_t)((j + 1) % s->vertex_count);
        const real e[2] = {(real)b[0] - a[0], (real)b[1] - a[1]};
        const real t = ((z[0] - a[0]) * e[0] + (z[1] - a[1]) * e[1]) / (e[0] * e[0] + e[1] * e[1]),
                   on = fminl(fmaxl(t, 0), 1);
        const real y[2] = {a[0] + on * e[0], a[1] + on * e[1]}, far = hypotl(z[0] - y[0], z[1] - y[1]);
        if (far >= least) continue;
        least = far;
        p[0] = reach * y[0];
        p[1] = reach * y[1];
    }
    if (!inside) return;
    p[0] = x[0];
    p[1] = x[1];
}

static void nearest_of_ellipse(const sti_section* s, real reach, const real* x, real* p) {
    const real c = cosl(s->angle), d = sinl(s->angle), a = reach * s->axes[0], b = reach * s->axes[1];
    const real y = c * x[0] + d * x[1], z = c * x[1] - d * x[0];
    p[0] = x[0];
    p[1] = x[1];
    if (hypotl(y / a, z / b) <= 1) return;
    real low = 0, high = hypotl(a * y, b * z);
    for (int k = 0; k < HALVINGS; k++) {
        const real t = 0.5L * (low + high);
        if (hypotl(a * y / (a * a + t), b * z / (b * b + t)) > 1)
            low = t;
        else
            high = t;
    }
    const real py = a * a * y / (a * a + high), pz = b * b * z / (b * b + high);
    p[0] = c * py - d * pz;
    p[1] = d * py + c * pz;
}

static real excess(const sti_section* s, real reach, const real* x, real angle, real* n, real* slope) {
    double at[2];
    n[0] = cosl(angle);
    n[1] = sinl(angle);
    const real h = s->support(s->user, (double[2]){(double)n[0], (double)n[1]}, at);
    *slope = n[0] * (x[1] - reach * at[1]) - n[1] * (x[0] - reach * at[0]);
    return n[0] * x[0] + n[1] * x[1] - reach * h;
}

static void nearest_by_support(const sti_section* s, real reach, const real* x, real* p) {
    real best = 0, most = -INFINITY, n[2], slope;
    for (int k = 0; k < 2 * AROUND; k++) {
        const real angle = M_PI * k / AROUND, f = excess(s, reach, x, angle, n, &slope);
        if (f > most) {
            most = f;
            best = angle;
        }
    }
    real low = best - M_PI / AROUND, high = best + M_PI / AROUND;
    for (int k = 0; k < HALVINGS; k++) {
        const real middle = 0.5L * (low + high);
        excess(s, reach, x, middle, n, &slope);
        if (slope > 0)
            low = middle;
        else
            high = middle;
    }
    const real f = excess(s, reach, x, 0.5L * (low + high), n, &slope);
    p[0] = x[0] - fmaxl(f, 0) * n[0];
    p[1] = x[1] - fmaxl(f, 0) * n[1];
}

void sti_check_section_nearest(const sti_section* s, real reach, const real* x, real* p) {
    p[0] = p[1] = 0;
    if (!(reach > 0)) return;
    const real size = hypotl(x[0], x[1]);
    switch (s->shape) {
        case STI_SECTION_ELLIPSE:
            nearest_of_ellipse(s, reach, x, p);
            return;
        case STI_SECTION_POLYGON:
            nearest_of_polygon(s, reach, x, p);
            return;
        case STI_SECTION_SUPPORT:
            nearest_by_support(s, reach, x, p);
            return;
        default:
            p[0] = size > reach ? x[0] * reach / size : x[0];
            p[1] = size > reach ? x[1] * reach / size : x[1];
    }
}
