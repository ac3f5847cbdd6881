// outline.c: simple polygons and discs, and where a point stands to their boundary.
//
// Polygons are taken as they are, not as unions of convex pieces: a tip that slides over a face must not feel the seams
// of a decomposition. A point near the boundary has as many feet as there are local minima of its distance: on edges
// that it projects into, and at vertices that stick out when it lies in their cone of normals. A point in a notch so
// touches both sides. Inside, the edge that is nearest counts, and others that are as near up to rounding.
#include <math.h>

#include "manipulation/manipulation.h"

#define ROUNDING 1e-6  // of the reach: so deep a point is still taken for one on the boundary

static const double* at(const sti_shape_room* s, int k) {
    return s->v + 2 * (size_t)(k % s->vertex_count);
}

static double cross(const double a[2], const double b[2], const double c[2]) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Do the segments ab and cd meet?
static bool meet(const double* a, const double* b, const double* c, const double* d) {
    const double p = cross(a, b, c), q = cross(a, b, d), r = cross(c, d, a), s = cross(c, d, b);
    if (p == 0 && q == 0 && r == 0 && s == 0) {  // on one line
        const int k = fabs(a[0] - b[0]) > fabs(a[1] - b[1]) ? 0 : 1;
        return fmax(fmin(a[k], b[k]), fmin(c[k], d[k])) <= fmin(fmax(a[k], b[k]), fmax(c[k], d[k]));
    }
    return ((p <= 0 && q >= 0) || (p >= 0 && q <= 0)) && ((r <= 0 && s >= 0) || (r >= 0 && s <= 0));
}

static bool crosses_itself(const sti_shape_room* s) {
    const int n = s->vertex_count;
    for (int i = 0; i < n; i++) {
        for (int j = i + 2; j < n; j++) {
            if (i == 0 && j == n - 1) continue;
            if (meet(at(s, i), at(s, i + 1), at(s, j), at(s, j + 1))) return true;
        }
    }
    return false;
}

static double twice_area(const sti_shape_room* s) {
    double sum = 0;
    for (int i = 0; i < s->vertex_count; i++) sum += cross(at(s, 0), at(s, i), at(s, i + 1));
    return sum;
}

static void reverse(sti_shape_room* s) {
    for (int i = 0, j = s->vertex_count - 1; i < j; i++, j--) {
        for (int k = 0; k < 2; k++) {
            const double x = s->v[2 * i + k];
            s->v[2 * i + k] = s->v[2 * j + k];
            s->v[2 * j + k] = x;
        }
    }
}

const char* sti_outline_settle(sti_shape_room* s) {
    s->reach = s->radius;
    if (s->vertex_count == 0) return s->radius > 0 && isfinite(s->radius) ? NULL : "a radius above 0 is expected";
    for (int i = 0; i < s->vertex_count; i++) {
        const double length = hypot(at(s, i)[0], at(s, i)[1]);
        if (!isfinite(length)) return "a vertex is not finite";
        s->reach = fmax(s->reach, length);
    }
    for (int i = 0; i < s->vertex_count; i++) {
        const double *a = at(s, i), *b = at(s, i + 1);
        if (!(hypot(b[0] - a[0], b[1] - a[1]) > 1e-12 * s->reach)) return "two neighbouring vertices are the same";
    }
    if (crosses_itself(s)) return "its boundary crosses itself";
    const double area = twice_area(s);
    if (!(fabs(area) > 1e-12 * s->reach * s->reach)) return "it has no area";
    if (area < 0) reverse(s);
    return NULL;
}

bool sti_outline_has(const sti_shape_room* s, const double p[2]) {
    if (s->vertex_count == 0) return hypot(p[0], p[1]) < s->radius;
    bool in = false;
    for (int i = 0; i < s->vertex_count; i++) {
        const double *a = at(s, i), *b = at(s, i + 1);
        if ((a[1] > p[1]) == (b[1] > p[1])) continue;
        const double side = cross(a, b, p);
        if (side == 0) return false;
        if ((b[1] > a[1]) == (side > 0)) in = !in;
    }
    return in;
}

bool sti_outline_corner(const sti_shape_room* s, int k) {
    return cross(at(s, k + s->vertex_count - 1), at(s, k), at(s, k + 1)) > 0;
}

// Is d, a unit vector, in the cone of normals of vertex k, up to an angle whose sine is slack?
static bool in_cone(const sti_shape_room* s, int k, const double d[2], double slack) {
    const double *u = at(s, k + s->vertex_count - 1), *v = at(s, k), *w = at(s, k + 1);
    const double before = hypot(v[0] - u[0], v[1] - u[1]), after = hypot(w[0] - v[0], w[1] - v[1]);
    return (v[0] - u[0]) * d[0] + (v[1] - u[1]) * d[1] > -slack * before &&
           (w[0] - v[0]) * d[0] + (w[1] - v[1]) * d[1] < slack * after;
}

bool sti_outline_corner_faces(const sti_shape_room* s, int k, const double n[2], double slack) {
    return sti_outline_corner(s, k) && in_cone(s, k, n, slack);
}

// Are the feet on edge k and on its first vertex surely farther than margin? Without a root, for most are.
static bool is_far(const sti_shape_room* s, int k, const double p[2], double margin, bool* vertex) {
    const double *a = at(s, k), *b = at(s, k + 1), d[2] = {b[0] - a[0], b[1] - a[1]}, r[2] = {p[0] - a[0], p[1] - a[1]};
    const double square = d[0] * d[0] + d[1] * d[1], off = d[1] * r[0] - d[0] * r[1], along = d[0] * r[0] + d[1] * r[1];
    const double most = margin * margin * (1 + 1e-9);
    *vertex = r[0] * r[0] + r[1] * r[1] > most;
    return off * off > most * square || along < -1e-9 * square || along > (1 + 1e-9) * square;
}

static bool edge_foot(const sti_shape_room* s, int k, const double p[2], sti_foot* out) {
    const double *a = at(s, k), *b = at(s, k + 1), length = hypot(b[0] - a[0], b[1] - a[1]);
    const double d[2] = {(b[0] - a[0]) / length, (b[1] - a[1]) / length};
    const double along = d[0] * (p[0] - a[0]) + d[1] * (p[1] - a[1]);
    if (along < 0 || along > length) return false;
    *out = (sti_foot){.gap = d[1] * (p[0] - a[0]) - d[0] * (p[1] - a[1]), .n = {d[1], -d[0]}, .face = k};
    return true;
}

static bool vertex_foot(const sti_shape_room* s, int k, const double p[2], sti_foot* out) {
    const double d[2] = {p[0] - at(s, k)[0], p[1] - at(s, k)[1]}, length = hypot(d[0], d[1]);
    if (!sti_outline_corner(s, k) || !in_cone(s, k, d, 0) || !(length > 0)) return false;
    *out = (sti_foot){.gap = length, .n = {d[0] / length, d[1] / length}, .face = s->vertex_count + k};
    return true;
}

// The edge that is nearest from inside.
static double depth_of(const sti_shape_room* s, const double p[2]) {
    double depth = INFINITY;
    sti_foot f;
    for (int k = 0; k < s->vertex_count; k++) {
        if (edge_foot(s, k, p, &f) && f.gap <= 0) depth = fmin(depth, -f.gap);
    }
    return depth;
}

int sti_outline_feet(const sti_shape_room* s, const double p[2], double margin, sti_foot* out) {
    if (s->vertex_count == 0) {
        const double r = hypot(p[0], p[1]);
        if (r - s->radius > margin) return 0;
        *out = (sti_foot){.gap = r - s->radius, .n = {r > 0 ? p[0] / r : 1, r > 0 ? p[1] / r : 0}, .face = -1};
        return 1;
    }
    const bool inside = sti_outline_has(s, p);
    const double rounding = ROUNDING * s->reach, deepest = inside ? fmax(depth_of(s, p), rounding) : rounding;
    int count = 0;
    for (int k = 0; k < s->vertex_count; k++) {
        sti_foot f;
        bool far = false;
        const bool off = is_far(s, k, p, fmax(margin, deepest), &far);
        if (!off && edge_foot(s, k, p, &f) && f.gap <= margin && f.gap >= -deepest) out[count++] = f;
        if (!inside && !far && count < s->vertex_count && vertex_foot(s, k, p, &f) && f.gap <= margin) out[count++] = f;
    }
    return count;
}
