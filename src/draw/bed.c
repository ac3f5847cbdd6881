// bed.c: spheres in a vessel, drawn with a depth buffer.
//
// The viewer stands far away on the side of negative y and looks along d, a little downward; a point p is seen at
// (right'p, up'p) and has depth d'p. Every pixel is made of samples^2 rays:
//
//     depth     for each sphere, the rays inside its disc: depth - sqrt(R^2 - distance^2); the nearest sphere is kept
//     vessel    an intersection of convex sets: a ray runs inside it between the last entry and the first exit, and
//               what
//               is seen of an open vessel is the wall at the exit
//     cut       grains with centres before the plane through the axis are left out; where a ray meets that plane less
//               than a wall's thickness outside of the vessel, it sees the cut through the wall
//     light     Lambert's law for one light, shadows from a second depth buffer that looks along it, and darkness in
//               crevices: how many of the rays around see something nearer
//
// Cost: O(rays + sum of discs). Nothing depends on the order of the spheres, except where depths are equal: the lower
// number is kept.
#include <math.h>
#include <stiction/draw.h>
#include <string.h>

#include "base/env.h"
#include "draw/raster.h"

typedef struct scene {
    const sti_grains* g;
    const double* x;
    const unsigned char* color;
    const sti_bed_view* view;
    double low[3], high[3];  // box of the grains
    double axis_y;           // the cut is here
    double top;              // the vessel is drawn up to here
    double mean_radius, wall;
    sti_rings rings;
    sti_depth seen, lit;  // by the viewer, by the light
} scene;

static bool is_kept(const scene* s, int k) {
    return !s->view->cut || s->x[3 * (size_t)k + 1] >= s->axis_y;
}

sti_bed_view sti_bed_view_default(void) {
    return (sti_bed_view){.width = 1200, .cut = true, .tilt = 0.3, .samples = 2};
}

// ---- the depth of spheres

static void put_spheres(const scene* s, sti_depth* b) {
    for (int k = 0; k < s->g->count; k++) {
        if (is_kept(s, k)) sti_depth_put_ball(b, s->x + 3 * (size_t)k, s->g->radius[k], k);
    }
}

// The camera that sees the box of the scene and a margin, upright.
static void aim(sti_camera* c, const double low[3], const double high[3], double margin) {
    double u[2] = {INFINITY, -INFINITY}, v[2] = {INFINITY, -INFINITY};
    sti_camera_widen(c, low, high, u, v);
    sti_camera_frame(c, u, v, margin, 0.5, 2);
}

// ---- the vessel

// Where a ray p + t d is inside of one wall: from *in to *out. False: nowhere.
static bool inside_of(const sti_wall* w, const double p[3], const double d[3], double* in, double* out) {
    double q[3];
    for (int i = 0; i < 3; i++) q[i] = p[i] - w->point[i];
    const double qa = dot3(q, w->axis), da = dot3(d, w->axis);
    *in = -INFINITY;
    *out = INFINITY;
    if (w->kind == STI_WALL_PLANE) {
        if (da == 0) return qa >= 0;
        if (da > 0)
            *in = -qa / da;
        else
            *out = -qa / da;
        return true;
    }
    // |q_t + t d_t|^2 <= (radius + slope (qa + t da))^2, and the right side a length
    const double slope = w->kind == STI_WALL_CONE ? w->slope : 0, r0 = w->radius + slope * qa, r1 = slope * da;
    const double a = 1 - da * da - r1 * r1, b = dot3(q, d) - qa * da - r0 * r1, c = dot3(q, q) - qa * qa - r0 * r0;
    const double disc = b * b - a * c;
    if (fabs(a) < 1e-12) return b != 0 ? (b > 0 ? (*out = -c / (2 * b)) : (*in = -c / (2 * b)), true) : c <= 0;
    if (disc < 0) return a < 0;
    const double t0 = (-b - sqrt(disc)) / a, t1 = (-b + sqrt(disc)) / a;
    if (a > 0) {
        *in = t0;
        *out = t1;
        return r0 + r1 * 0.5 * (t0 + t1) >= 0;
    }
    // steeper than the cone: inside beyond one of the two, on the side where the right side grows
    if (r1 > 0)
        *in = fmax(t0, t1);
    else
        *out = fmin(t0, t1);
    return true;
}

// Depth where the ray leaves the vessel through a wall. NAN: it does not, or leaves through the open top.
static double wall_depth(const scene* s, const double p[3], const double d[3], double n[3]) {
    double in = -INFINITY, out = INFINITY;
    int last = -1;
    for (int k = 0; k < s->g->wall_count; k++) {
        double a, b;
        if (!inside_of(&s->g->walls[k], p, d, &a, &b)) return NAN;
        in = fmax(in, a);
        if (b < out) {
            out = b;
            last = k;
        }
    }
    if (last < 0 || !(in < out)) return NAN;
    double at[3];
    for (int i = 0; i < 3; i++) at[i] = p[i] + out * d[i];
    if (at[2] > s->top || (s->view->cut && at[1] < s->axis_y)) return NAN;
    const sti_wall* wall = &s->g->walls[last];
    double from_rim[3];
    for (int i = 0; i < 3; i++) from_rim[i] = at[i] - wall->point[i];
    if (wall->rim && dot3(from_rim, wall->axis) < 0) return NAN;  // through the opening
    sti_wall_gap(wall, at, 0, n);
    return out;
}

// How far outside of the vessel a point is; negative: inside.
static double outside_by(const scene* s, const double p[3]) {
    double worst = -INFINITY, n[3];
    for (int k = 0; k < s->g->wall_count; k++) worst = fmax(worst, -sti_wall_gap(&s->g->walls[k], p, 0, n));
    return worst;
}

// ---- light

static double openness(const scene* s, int i, int j, double z) {
    const double level[2] = {0, 0}, reach = fmax(1.8 * s->mean_radius, 3 / s->seen.view.scale);
    return sti_depth_openness(&s->seen, &s->rings, i, j, z, level, reach, 3);
}

static double lit_part(const scene* s, const double p[3]) {
    return sti_depth_lit_part(&s->lit, p, 0.15 * s->mean_radius);
}

static void shade_grain(const scene* s, int k, const double p[3], double open, double sum[3]) {
    const double* x = s->x + 3 * (size_t)k;
    double n[3], base[3];
    for (int i = 0; i < 3; i++) {
        n[i] = (p[i] - x[i]) / s->g->radius[k];
        const double c = s->color[3 * (size_t)k + (size_t)i] / 255.0;
        base[i] = c * c;
    }
    const double* light = s->lit.view.into;
    const double facing = fmax(0, -dot3(n, light)), sun = facing > 0 ? facing * lit_part(s, p) : 0;
    double half[3];
    for (int i = 0; i < 3; i++) half[i] = -light[i] - s->seen.view.into[i];
    const double shine = sun > 0 ? pow(fmax(0, dot3(n, half) / sqrt(dot3(half, half))), 40) : 0;
    sti_light_add(sum, base, open * (0.30 + 0.12 * n[2]) + 0.80 * sun * (0.4 + 0.6 * open));
    const double white[3] = {1, 1, 1};
    sti_light_add(sum, white, 0.14 * shine * open);
}

// What one ray sees.
static void trace(const void* of, int i, int j, double sum[3]) {
    const scene* s = of;
    const sti_camera* c = &s->seen.view;
    const double u = c->left + (i + 0.5) / c->scale, v = c->top - (j + 0.5) / c->scale;
    const size_t at = (size_t)j * (size_t)c->width + (size_t)i;
    const double depth = s->seen.depth[at];
    double p[3], q[3], n[3];
    for (int a = 0; a < 3; a++) p[a] = u * c->right[a] + v * c->up[a];
    // the cut through the wall
    if (s->view->cut && s->g->wall_count > 0) {
        const double t = (s->axis_y - p[1]) / c->into[1];
        for (int a = 0; a < 3; a++) q[a] = p[a] + t * c->into[a];
        const double away = q[2] <= s->top ? outside_by(s, q) : INFINITY;
        if (t < depth && away > 0 && away < s->wall) {
            const double dark[3] = {0.10, 0.11, 0.13};
            sti_light_add(sum, dark, 1);
            return;
        }
    }
    const double wall = s->g->wall_count > 0 ? wall_depth(s, p, c->into, n) : NAN;
    if (isfinite(depth) && !(wall < depth)) {
        for (int a = 0; a < 3; a++) q[a] = p[a] + depth * c->into[a];
        shade_grain(s, s->seen.item[at], q, openness(s, i, j, depth), sum);
    } else if (!isnan(wall)) {
        for (int a = 0; a < 3; a++) q[a] = p[a] + wall * c->into[a];
        const double facing = fmax(0, -dot3(n, s->lit.view.into)), sun = facing > 0 ? facing * lit_part(s, q) : 0;
        const double pale[3] = {0.80, 0.83, 0.87};
        sti_light_add(sum, pale, (0.52 + 0.34 * sun) * (0.45 + 0.55 * openness(s, i, j, wall)));
    } else {
        double rgb[3];
        sti_light_background((double)j / c->height, rgb);
        sti_light_add(sum, rgb, 1);
    }
}

// ---- the whole

static void measure(scene* s) {
    const sti_grains* g = s->g;
    double radius = 0;
    for (int i = 0; i < 3; i++) {
        s->low[i] = INFINITY;
        s->high[i] = -INFINITY;
    }
    for (int k = 0; k < g->count; k++) {
        radius += g->radius[k] / g->count;
        for (int i = 0; i < 3; i++) {
            const double x = s->x[3 * (size_t)k + (size_t)i];
            s->low[i] = fmin(s->low[i], x - g->radius[k]);
            s->high[i] = fmax(s->high[i], x + g->radius[k]);
        }
    }
    s->mean_radius = radius;
    s->axis_y = 0.5 * (s->low[1] + s->high[1]);
    s->top = s->high[2] + 2 * radius;
    for (int k = 0; k < g->wall_count; k++) {
        const sti_wall* w = &g->walls[k];
        if (w->kind == STI_WALL_PLANE) {
            if (w->axis[2] > 0.99) s->low[2] = fmin(s->low[2], w->point[2]);  // a floor
            continue;
        }
        s->axis_y = w->point[1];
        if (w->kind != STI_WALL_CYLINDER) continue;
        // seen in its full width, and when it lies in its full height
        const bool lies = fabs(w->axis[2]) < 0.5;
        for (int i = 0; i < (lies ? 3 : 2); i++) {
            const double reach = w->radius * sqrt(fmax(0, 1 - w->axis[i] * w->axis[i]));
            if (reach < 0.5 * w->radius) continue;  // along the axis it has no end
            s->low[i] = fmin(s->low[i], w->point[i] - reach);
            s->high[i] = fmax(s->high[i], w->point[i] + reach);
        }
        if (lies) s->top = fmax(s->top, s->high[2] + 0.03 * w->radius);
    }
    s->wall = fmax(0.012 * (s->high[0] - s->low[0]), 0);
    s->high[2] = s->top;
}

static sti_status make_buffers(sti_env* env, scene* s) {
    const double light[3] = {0.55, 0.75, -1.0};
    sti_camera* c = &s->seen.view;
    const double into[3] = {0, cos(s->view->tilt), -sin(s->view->tilt)};
    c->width = s->view->width * s->view->samples;
    c->height = s->view->height * s->view->samples;
    sti_camera_look(c, into);
    double low[3], high[3];
    memcpy(low, s->low, sizeof low);
    memcpy(high, s->high, sizeof high);
    if (s->view->cut) low[1] = s->axis_y;
    aim(c, low, high, 0.03 * (high[0] - low[0]) + s->wall);
    sti_camera* l = &s->lit.view;
    l->width = l->height = 2048;
    sti_camera_look(l, light);
    aim(l, low, high, s->mean_radius);
    const sti_status status = sti_depth_make(env, &s->seen, true);
    return status == STI_OK ? sti_depth_make(env, &s->lit, false) : status;
}

static sti_status check(sti_env* env, const sti_grains* g, const double* x, const sti_bed_view* view) {
    if (g->count < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "count: %d, must be at least 1", g->count);
    const sti_status status = sti_view_check(env, view->width, view->height, view->samples, view->tilt);
    if (status != STI_OK) return status;
    for (int k = 0; k < g->count; k++) {
        const double* y = x + 3 * (size_t)k;
        if (!isfinite(y[0] + y[1] + y[2]) || !(g->radius[k] > 0) || !isfinite(g->radius[k]))
            return STI_FAIL(env, STI_ERR_ARGUMENT, k, "grain %d: a place or radius that is not finite", k);
    }
    return STI_OK;
}

sti_status sti_draw_bed(sti_env* env, const sti_grains* grains, const double* x, const unsigned char* color,
                        const sti_bed_view* view, sti_image* out) {
    *out = (sti_image){0};
    sti_status status = check(env, grains, x, view);
    if (status != STI_OK) return status;
    scene s = {.g = grains, .x = x, .color = color, .view = view};
    measure(&s);
    status = make_buffers(env, &s);
    if (status == STI_OK) status = sti_image_make(env, view->width, s.seen.view.height / view->samples, out);
    if (status == STI_OK) {
        sti_rings_fill(&s.rings);
        put_spheres(&s, &s.seen);
        put_spheres(&s, &s.lit);
        sti_image_develop(out, view->samples, trace, &s);
    }
    sti_depth_clear(env, &s.seen);
    sti_depth_clear(env, &s.lit);
    return status;
}
