// raster.c: the camera, and a depth buffer of balls, rods, triangles and planes.
//
// Depths of round things come from their equations, ray by ray, so that their outlines are as smooth as the rays are
// close. Cost: O(rays in the box around a thing).
#include "draw/raster.h"

#include <math.h>

#include "base/env.h"

sti_status sti_view_check(sti_env* env, int width, int height, int samples, double tilt) {
    if (width < 1 || width > 8192 || height < 0 || height > 8192)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "a picture of %d x %d pixels", width, height);
    if (samples < 1 || samples > 4) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "samples: %d, must be 1 to 4", samples);
    if (!(tilt > -1.5 && tilt < 1.5))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "tilt: %g, must be within -1.5 and 1.5", tilt);
    return STI_OK;
}

// ---- cameras

void sti_camera_look(sti_camera* c, const double d[3]) {
    const double size = sqrt(dot3(d, d)), flat = hypot(d[0], d[1]);
    for (int i = 0; i < 3; i++) c->into[i] = d[i] / size;
    c->right[0] = d[1] / flat;
    c->right[1] = -d[0] / flat;
    c->right[2] = 0;
    c->up[0] = c->right[1] * c->into[2] - c->right[2] * c->into[1];
    c->up[1] = c->right[2] * c->into[0] - c->right[0] * c->into[2];
    c->up[2] = c->right[0] * c->into[1] - c->right[1] * c->into[0];
}

void sti_camera_frame(sti_camera* c, const double u[2], const double v[2], double margin, double flattest,
                      double tallest) {
    const double width = u[1] - u[0] + 2 * margin, height = v[1] - v[0] + 2 * margin;
    if (c->height == 0) c->height = (int)(c->width * fmin(fmax(height / width, flattest), tallest));
    c->scale = fmin(c->width / width, c->height / height);
    c->left = 0.5 * (u[0] + u[1]) - 0.5 * c->width / c->scale;
    c->top = 0.5 * (v[0] + v[1]) + 0.5 * c->height / c->scale;
}

void sti_camera_widen(const sti_camera* c, const double low[3], const double high[3], double u[2], double v[2]) {
    for (int corner = 0; corner < 8; corner++) {
        double p[3];
        for (int i = 0; i < 3; i++) p[i] = corner >> i & 1 ? high[i] : low[i];
        u[0] = fmin(u[0], dot3(c->right, p));
        u[1] = fmax(u[1], dot3(c->right, p));
        v[0] = fmin(v[0], dot3(c->up, p));
        v[1] = fmax(v[1], dot3(c->up, p));
    }
}

void sti_camera_point(const sti_camera* c, int i, int j, double depth, double p[3]) {
    const double u = c->left + (i + 0.5) / c->scale, v = c->top - (j + 0.5) / c->scale;
    for (int a = 0; a < 3; a++) p[a] = u * c->right[a] + v * c->up[a] + depth * c->into[a];
}

// ---- the buffer

typedef struct range {
    int x0, x1, y0, y1;  // rays, the last ones too; empty where x0 > x1
} range;

// Rays of a box in the picture. What lies far outside of it gives an empty range, and no overflow.
static range rays_in(const sti_camera* c, double x0, double x1, double y0, double y1) {
    return (range){.x0 = (int)fmin(fmax(0, floor(x0)), c->width),
                   .x1 = (int)fmax(fmin(c->width - 1, ceil(x1)), -1),
                   .y0 = (int)fmin(fmax(0, floor(y0)), c->height),
                   .y1 = (int)fmax(fmin(c->height - 1, ceil(y1)), -1)};
}

static void put(sti_depth* b, int i, int j, double depth, int item) {
    const size_t at = (size_t)j * (size_t)b->view.width + (size_t)i;
    const float z = (float)depth;
    if (!(z < b->depth[at])) return;
    b->depth[at] = z;
    if (b->item != NULL) b->item[at] = item;
}

// Place in the picture, in rays, and depth in units of length.
static void see(const sti_camera* c, const double p[3], double out[3]) {
    out[0] = (dot3(c->right, p) - c->left) * c->scale;
    out[1] = (c->top - dot3(c->up, p)) * c->scale;
    out[2] = dot3(c->into, p);
}

sti_status sti_depth_make(sti_env* env, sti_depth* b, bool items) {
    const size_t rays = (size_t)b->view.width * (size_t)b->view.height;
    b->depth = sti_alloc_array(env, rays, sizeof *b->depth);
    b->item = items ? sti_alloc_array(env, rays, sizeof *b->item) : NULL;
    if (b->depth == NULL || (items && b->item == NULL)) return STI_ERR_MEMORY;
    for (size_t k = 0; k < rays; k++) b->depth[k] = INFINITY;
    for (size_t k = 0; items && k < rays; k++) b->item[k] = -1;
    return STI_OK;
}

void sti_depth_clear(sti_env* env, sti_depth* b) {
    sti_free(env, b->depth);
    sti_free(env, b->item);
}

void sti_depth_put_ball(sti_depth* b, const double x[3], double radius, int item) {
    const sti_camera* c = &b->view;
    double at[3];
    see(c, x, at);
    const double r = radius * c->scale, side = b->back ? -1 : 1;
    const range in = rays_in(c, at[0] - r, at[0] + r, at[1] - r, at[1] + r);
    for (int j = in.y0; j <= in.y1; j++) {
        const double dy = j + 0.5 - at[1];
        for (int i = in.x0; i <= in.x1; i++) {
            const double dx = i + 0.5 - at[0], inside = r * r - dx * dx - dy * dy;
            if (inside > 0) put(b, i, j, at[2] - side * sqrt(inside) / c->scale, item);
        }
    }
}

// With q from a to the ray at depth z beyond a, and d the direction of the rod,
//     |q|^2 - (d'q)^2 = radius^2,    0 <= d'q <= length,
// a quadratic equation for z. Lengths are counted in rays.
void sti_depth_put_rod(sti_depth* b, const double a[3], const double e[3], double radius, int item) {
    const sti_camera* c = &b->view;
    double from[3], to[3];
    see(c, a, from);
    see(c, e, to);
    double d[3] = {to[0] - from[0], to[1] - from[1], (to[2] - from[2]) * c->scale};
    const double length = sqrt(dot3(d, d)), r = radius * c->scale, side = b->back ? -1 : 1;
    if (!(length > 0)) return;
    for (int i = 0; i < 3; i++) d[i] /= length;
    const double across = d[0] * d[0] + d[1] * d[1];
    if (across < 1e-12) return;  // seen along itself: the balls hide it
    const range in = rays_in(c, fmin(from[0], to[0]) - r, fmax(from[0], to[0]) + r, fmin(from[1], to[1]) - r,
                             fmax(from[1], to[1]) + r);
    for (int j = in.y0; j <= in.y1; j++) {
        const double y = j + 0.5 - from[1];
        for (int i = in.x0; i <= in.x1; i++) {
            const double x = i + 0.5 - from[0], along = x * d[0] + y * d[1], half = along * d[2];
            const double disc = half * half - across * (x * x + y * y - along * along - r * r);
            if (!(disc >= 0)) continue;
            const double z = (half - side * sqrt(disc)) / across, s = along + z * d[2];
            if (s >= 0 && s <= length) put(b, i, j, from[2] + z / c->scale, item);
        }
    }
}

void sti_depth_put_triangle(sti_depth* b, const double p[9], int item) {
    const sti_camera* c = &b->view;
    double s[3][3];
    for (int k = 0; k < 3; k++) see(c, p + 3 * (size_t)k, s[k]);
    const double ax = s[1][0] - s[0][0], ay = s[1][1] - s[0][1], bx = s[2][0] - s[0][0], by = s[2][1] - s[0][1];
    const double area = ax * by - ay * bx;
    if (!(fabs(area) > 0)) return;  // seen along itself
    const range in = rays_in(c, fmin(s[0][0], fmin(s[1][0], s[2][0])), fmax(s[0][0], fmax(s[1][0], s[2][0])),
                             fmin(s[0][1], fmin(s[1][1], s[2][1])), fmax(s[0][1], fmax(s[1][1], s[2][1])));
    for (int j = in.y0; j <= in.y1; j++) {
        const double y = j + 0.5 - s[0][1];
        for (int i = in.x0; i <= in.x1; i++) {
            const double x = i + 0.5 - s[0][0], f = (x * by - y * bx) / area, g = (ax * y - ay * x) / area;
            if (f < 0 || g < 0 || f + g > 1) continue;
            put(b, i, j, s[0][2] + f * (s[1][2] - s[0][2]) + g * (s[2][2] - s[0][2]), item);
        }
    }
}

void sti_depth_put_plane(sti_depth* b, const double n[3], double offset, const double centre[3], double radius,
                         int item) {
    const sti_camera* c = &b->view;
    const double facing = dot3(n, c->into), r = radius * c->scale;
    if (!(fabs(facing) > 1e-9)) return;
    double at[3];
    see(c, centre, at);
    const range in = rays_in(c, at[0] - r, at[0] + r, at[1] - r, at[1] + r);
    for (int j = in.y0; j <= in.y1; j++) {
        for (int i = in.x0; i <= in.x1; i++) {
            double p[3], away = 0;
            sti_camera_point(c, i, j, 0, p);
            const double z = (offset - dot3(n, p)) / facing;
            for (int a = 0; a < 3; a++) away += pow(p[a] + z * c->into[a] - centre[a], 2);
            if (away <= radius * radius) put(b, i, j, z, item);
        }
    }
}

void sti_depth_put_side(sti_depth* b, const double n[3], double offset, double depth, int item) {
    for (int j = 0; j < b->view.height; j++) {
        for (int i = 0; i < b->view.width; i++) {
            double p[3];
            sti_camera_point(&b->view, i, j, 0, p);
            if (dot3(n, p) <= offset) put(b, i, j, depth, item);
        }
    }
}
