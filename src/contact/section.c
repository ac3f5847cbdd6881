// section.c: sections of friction cones: support, projection, gauge.
//
// A point z outside S has its nearest point p = z - f n, where n is the unit vector for which f = n.z - sigma(n) is
// largest: the distance. Above any level f >= 0 these n form an arc (an intersection of convex cones with the circle),
// so a maximum found among enough directions is narrowed to rounding by the sign of f'. Inside, -f is how deep.
//
// Ellipse. x = T y with |y| <= 1, T = rotation times diag(axes): sigma(n) = |T'n|, reached at T T'n / sigma(n). In its
// own axes the nearest point is p_i = a_i^2 z_i / (a_i^2 + t) with the t >= 0 that puts p on the border; z - p is t
// (z_i / (a_i^2 + t)). No number of directions would be enough for one that is thin. t is the zero of 1 / |y| - 1 with
// y_i = a_i z_i / (a_i^2 + t), which grows and is concave: Newton's method from 0 comes to it from below.
#include <math.h>
#include <stdlib.h>
#include <stiction/section.h>
#include <string.h>

#include "base/env.h"

enum { DIRECTIONS = 64, HALVINGS = 80 };

const char* sti_section_shape_text(sti_section_shape shape) {
    switch (shape) {
#define STI_X(code, text) \
    case code:            \
        return text;
        STI_SECTION_SHAPE_LIST(STI_X)
#undef STI_X
        default:
            return "?";
    }
}

static double dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1];
}

static double cross(const double* a, const double* b) {
    return a[0] * b[1] - a[1] * b[0];
}

static const double* vertex(const sti_section* s, int j) {
    return s->vertex + 2 * (size_t)(j % s->vertex_count);
}

// ---- the check

static sti_status check_polygon(sti_env* env, const sti_section* s) {
    if (s->vertex_count < 3 || s->vertex == NULL)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a section of %d vertices, at least 3 are expected",
                        s->vertex_count);
    double turn = 0;
    for (int j = 0; j < s->vertex_count; j++) {
        const double *a = vertex(s, j), *b = vertex(s, j + 1), *c = vertex(s, j + 2);
        if (!isfinite(a[0]) || !isfinite(a[1]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, j, "vertex %d of a section is (%g, %g)", j, a[0], a[1]);
        const double e[2] = {b[0] - a[0], b[1] - a[1]}, f[2] = {c[0] - b[0], c[1] - b[1]};
        if (!(cross(e, f) > 0))
            return STI_FAIL(
                env, STI_ERR_ARGUMENT, j,
                "the section turns right or not at all at vertex %d: counterclockwise and convex is expected",
                (j + 1) % s->vertex_count);
        if (!(cross(a, b) > 0))
            return STI_FAIL(env, STI_ERR_ARGUMENT, j, "0 is not inside the section, at its side from vertex %d", j);
        turn += atan2(cross(a, b), dot(a, b));
    }
    if (turn > 7) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "the section goes around 0 more than once");
    return STI_OK;
}

static sti_status check_support(sti_env* env, const sti_section* s) {
    if (s->support == NULL) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a section without its support function");
    double n[DIRECTIONS][2], at[DIRECTIONS][2], h[DIRECTIONS];
    for (int k = 0; k < DIRECTIONS; k++) {
        const double angle = 2 * M_PI * k / DIRECTIONS;
        n[k][0] = cos(angle), n[k][1] = sin(angle);
        h[k] = s->support(s->user, n[k], at[k]);
        if (!(h[k] > 0) || !isfinite(h[k]) || !(fabs(dot(n[k], at[k]) - h[k]) <= 1e-9 * h[k]))
            return STI_FAIL(
                env, STI_ERR_ARGUMENT, k,
                "support of a section at angle %g is %g, at a point with %g: one positive number is expected", angle,
                h[k], dot(n[k], at[k]));
    }
    for (int k = 0; k < DIRECTIONS; k++) {
        for (int j = 0; j < DIRECTIONS; j++) {
            if (dot(n[k], at[j]) > h[k] * (1 + 1e-9))
                return STI_FAIL(env, STI_ERR_ARGUMENT, k, "the support function of a section is not convex at angle %g",
                                2 * M_PI * k / DIRECTIONS);
        }
    }
    return STI_OK;
}

sti_status sti_section_check(sti_env* env, const sti_section* s) {
    switch (s->shape) {
        case STI_SECTION_DISC:
            return STI_OK;
        case STI_SECTION_ELLIPSE:
            if (!(s->axes[0] > 0 && s->axes[1] > 0) || !isfinite(s->axes[0] + s->axes[1]) || !isfinite(s->angle))
                return STI_FAIL(env, STI_ERR_ARGUMENT, -1,
                                "ellipse of half axes %g and %g at %g: positive numbers are expected", s->axes[0],
                                s->axes[1], s->angle);
            return STI_OK;
        case STI_SECTION_POLYGON:
            return check_polygon(env, s);
        case STI_SECTION_SUPPORT:
            return check_support(env, s);
        default:
            return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "no such shape of a section: %d", (int)s->shape);
    }
}

// ---- the support function

static double support_ellipse(const sti_section* s, const double* y, double* x) {
    const double c = cos(s->angle), d = sin(s->angle), *a = s->axes;
    const double along = a[0] * (c * y[0] + d * y[1]), across = a[1] * (c * y[1] - d * y[0]);
    const double h = hypot(along, across), p = h > 0 ? a[0] * along / h : 0, q = h > 0 ? a[1] * across / h : 0;
    x[0] = c * p - d * q;
    x[1] = d * p + c * q;
    return h;
}

static double support_polygon(const sti_section* s, const double* y, double* x) {
    int best = 0;
    for (int j = 1; j < s->vertex_count; j++) best = dot(vertex(s, j), y) > dot(vertex(s, best), y) ? j : best;
    memcpy(x, vertex(s, best), 2 * sizeof *x);
    return dot(x, y);
}

double sti_section_support(const sti_section* s, const double* y, double* x) {
    double room[2] = {0}, size;
    double* at = x != NULL ? x : room;
    switch (s->shape) {
        case STI_SECTION_ELLIPSE:
            return support_ellipse(s, y, at);
        case STI_SECTION_POLYGON:
            return support_polygon(s, y, at);
        case STI_SECTION_SUPPORT:
            size = hypot(y[0], y[1]);
            at[0] = at[1] = 0;
            if (!(size > 0)) return 0;
            return size * s->support(s->user, (double[2]){y[0] / size, y[1] / size}, at);
        default:
            size = hypot(y[0], y[1]);
            at[0] = size > 0 ? y[0] / size : 0;
            at[1] = size > 0 ? y[1] / size : 0;
            return size;
    }
}

// ---- projection

static void set_derivative(double* D, double a, double b, double c, double d) {
    if (D == NULL) return;
    D[0] = a, D[1] = b, D[2] = c, D[3] = d;
}

static double project_disc(const double* z, double* p, double* D) {
    const double size = hypot(z[0], z[1]);
    if (size <= 1) {
        p[0] = z[0], p[1] = z[1];
        set_derivative(D, 1, 0, 0, 1);
        return size - 1;
    }
    p[0] = z[0] / size, p[1] = z[1] / size;
    set_derivative(D, p[1] * p[1] / size, -p[0] * p[1] / size, -p[0] * p[1] / size, p[0] * p[0] / size);
    return size - 1;
}

static double project_polygon(const sti_section* s, const double* z, double* p, double* D) {
    double depth = -INFINITY, least = INFINITY;
    for (int j = 0; j < s->vertex_count; j++) {
        const double *a = vertex(s, j), *b = vertex(s, j + 1);
        const double e[2] = {b[0] - a[0], b[1] - a[1]}, w[2] = {z[0] - a[0], z[1] - a[1]}, e2 = dot(e, e),
                     length = sqrt(e2);
        const double outside = -cross(e, w) / length, share = dot(e, w) / e2;
        depth = fmax(depth, outside);
        if (outside < 0) continue;
        const double t = share < 0 ? 0 : share > 1 ? 1 : share;
        const double x[2] = {t < 1 ? a[0] + t * e[0] : b[0], t < 1 ? a[1] + t * e[1] : b[1]};
        const double far = hypot(z[0] - x[0], z[1] - x[1]);
        if (far >= least) continue;
        least = far;
        p[0] = x[0], p[1] = x[1];
        const double on = share > 0 && share < 1 ? 1 / e2 : 0;
        set_derivative(D, on * e[0] * e[0], on * e[0] * e[1], on * e[0] * e[1], on * e[1] * e[1]);
    }
    if (depth > 0) return least;
    p[0] = z[0], p[1] = z[1];
    set_derivative(D, 1, 0, 0, 1);
    return depth;
}

// f = n.z - sigma(n) at the angle, and its derivative
static double excess(const sti_section* s, const double* z, double angle, double* slope) {
    const double n[2] = {cos(angle), sin(angle)};
    double x[2];
    const double h = sti_section_support(s, n, x);
    *slope = n[0] * (z[1] - x[1]) - n[1] * (z[0] - x[0]);
    return dot(n, z) - h;
}

// The angle of the largest excess
static double farthest_angle(const sti_section* s, const double* z, double* f) {
    double best = 0, slope;
    *f = -INFINITY;
    const double start = atan2(z[1], z[0]);
    for (int k = 0; k < DIRECTIONS; k++) {
        const double angle = start + 2 * M_PI * k / DIRECTIONS, value = excess(s, z, angle, &slope);
        if (value <= *f) continue;
        *f = value;
        best = angle;
    }
    double low = best - 2 * M_PI / DIRECTIONS, high = best + 2 * M_PI / DIRECTIONS;
    for (int k = 0; k < HALVINGS && low < high; k++) {
        const double middle = 0.5 * (low + high), value = excess(s, z, middle, &slope);
        if (middle <= low || middle >= high) break;
        if (value >= *f) {
            *f = value;
            best = middle;
        }
        if (slope > 0)
            low = middle;
        else
            high = middle;
    }
    return best;
}

// 1 / curvature of the border where its normal has this angle
static double radius(const sti_section* s, double angle) {
    static const double STEP = 1e-5;
    double a[2], b[2];
    sti_section_support(s, (double[2]){cos(angle - STEP), sin(angle - STEP)}, a);
    sti_section_support(s, (double[2]){cos(angle + STEP), sin(angle + STEP)}, b);
    return hypot(b[0] - a[0], b[1] - a[1]) / (2 * STEP);
}

// False: z is inside
static bool project_ellipse(const sti_section* s, const double* z, double* p, double* D, double* f) {
    const double c = cos(s->angle), d = sin(s->angle), a = s->axes[0], b = s->axes[1];
    const double x = c * z[0] + d * z[1], y = c * z[1] - d * z[0];
    if (hypot(x / a, y / b) <= 1) return false;
    double t = 0;
    for (int k = 0; k < HALVINGS; k++) {
        const double v = a * x / (a * a + t), w = b * y / (b * b + t), h = hypot(v, w);
        const double next = t + (h - 1) / ((v / h) * (v / h) / (a * a + t) + (w / h) * (w / h) / (b * b + t));
        if (!(next > t)) break;
        t = next;
    }
    const double v = x / (a * a + t), w = y / (b * b + t), size = hypot(v, w), m = v / size, n = w / size;
    const double h = hypot(a * m, b * n), rho = (a / h) * (a / h) * (b / h) * b, k = rho / (rho + t * size);
    const double N[2] = {c * m - d * n, d * m + c * n};
    p[0] = c * a * a * v - d * b * b * w;
    p[1] = d * a * a * v + c * b * b * w;
    set_derivative(D, k * N[1] * N[1], -k * N[0] * N[1], -k * N[0] * N[1], k * N[0] * N[0]);
    *f = t * size;
    return true;
}

double sti_section_project(const sti_section* s, const double* z, double* p, double* D) {
    if (s->shape == STI_SECTION_DISC) return project_disc(z, p, D);
    if (s->shape == STI_SECTION_POLYGON) return project_polygon(s, z, p, D);
    double beyond;
    if (s->shape == STI_SECTION_ELLIPSE && project_ellipse(s, z, p, D, &beyond)) return beyond;
    double f;
    const double angle = farthest_angle(s, z, &f);
    if (f <= 0 || s->shape == STI_SECTION_ELLIPSE) {
        p[0] = z[0], p[1] = z[1];
        set_derivative(D, 1, 0, 0, 1);
        return fmin(f, 0);
    }
    const double c = cos(angle), d = sin(angle), rho = D != NULL ? radius(s, angle) : 0, k = rho / (rho + f);
    p[0] = z[0] - f * c, p[1] = z[1] - f * d;
    set_derivative(D, k * d * d, -k * c * d, -k * c * d, k * c * c);
    return f;
}

// ---- gauge

double sti_section_gauge(const sti_section* s, const double* z) {
    const double size = hypot(z[0], z[1]);
    if (size == 0 || s->shape == STI_SECTION_DISC) return size;
    if (s->shape == STI_SECTION_ELLIPSE) {
        const double c = cos(s->angle), d = sin(s->angle);
        return hypot((c * z[0] + d * z[1]) / s->axes[0], (c * z[1] - d * z[0]) / s->axes[1]);
    }
    double most = 0;
    if (s->shape == STI_SECTION_POLYGON) {
        for (int j = 0; j < s->vertex_count; j++) {
            const double *a = vertex(s, j), *b = vertex(s, j + 1), n[2] = {b[1] - a[1], a[0] - b[0]};
            most = fmax(most, dot(n, z) / dot(n, a));
        }
        return most;
    }
    // the largest n.z / sigma(n): z / t touches S, to be found from both sides of t
    double low = size / sti_section_support(s, (double[2]){z[0] / size, z[1] / size}, NULL), high = 2 * low, p[2];
    while (sti_section_project(s, (double[2]){z[0] / high, z[1] / high}, p, NULL) > 0) high *= 2;
    low = fmin(low, high) * 0.5;
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        if (sti_section_project(s, (double[2]){z[0] / middle, z[1] / middle}, p, NULL) > 0)
            low = middle;
        else
            high = middle;
    }
    return high;
}
