// packing.c: how densely grains fill a vessel about the z axis.
//
// The vessel's radius at a height is the smallest of its walls', each linear in z, so its volume below a height is a
// sum of truncated cones between the heights where the smallest changes.
#include <math.h>
#include <stdlib.h>

#include "granular/bed.h"

static const double pi = M_PI;

typedef struct vessel {
    double floor;
    int count;
    double at_zero[8], slope[8];  // radius = at_zero + slope z
} vessel;

static bool upright(const sti_wall* w) {
    return w->axis[0] == 0 && w->axis[1] == 0 && w->axis[2] == 1 && w->point[0] == 0 && w->point[1] == 0;
}

// False: a wall that is not about the z axis, or not above a floor.
static bool read_vessel(const sti_grains* g, vessel* v) {
    *v = (vessel){0};
    for (int k = 0; k < g->wall_count; k++) {
        const sti_wall* w = &g->walls[k];
        if (!upright(w)) return false;
        if (w->kind == STI_WALL_PLANE) {
            v->floor = w->point[2];
            continue;
        }
        if (v->count == 8) return false;
        const double slope = w->kind == STI_WALL_CONE ? w->slope : 0;
        v->slope[v->count] = slope;
        v->at_zero[v->count++] = w->radius - slope * w->point[2];
    }
    return v->count > 0;
}

static double radius_at(const vessel* v, double z) {
    double radius = INFINITY;
    for (int k = 0; k < v->count; k++) radius = fmin(radius, v->at_zero[k] + v->slope[k] * z);
    return fmax(radius, 0);
}

static double volume_below(const vessel* v, double z) {
    double cut[66];
    int cuts = 0;
    cut[cuts++] = v->floor;
    for (int i = 0; i < v->count; i++) {
        for (int j = 0; j < i; j++) {
            const double meet = (v->at_zero[i] - v->at_zero[j]) / (v->slope[j] - v->slope[i]);
            if (isfinite(meet) && meet > v->floor && meet < z) cut[cuts++] = meet;
        }
    }
    cut[cuts++] = z;
    for (int i = 1; i < cuts; i++) {  // few: insertion
        for (int j = i; j > 0 && cut[j] < cut[j - 1]; j--) {
            const double t = cut[j];
            cut[j] = cut[j - 1];
            cut[j - 1] = t;
        }
    }
    double volume = 0;
    for (int i = 0; i + 1 < cuts; i++) {
        const double r = radius_at(v, cut[i]), s = radius_at(v, cut[i + 1]);
        volume += pi / 3 * (cut[i + 1] - cut[i]) * (r * r + r * s + s * s);
    }
    return volume;
}

// Of a sphere, below a height.
static double cap_below(double height, double z, double R) {
    const double t = fmin(2 * R, fmax(0, height - (z - R)));
    return pi * t * t * (3 * R - t) / 3;
}

static int descending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x < y) - (x > y);
}

sti_status sti_grains_packing(sti_env* env, const sti_grains* g, const double* x, sti_packing* out) {
    *out = (sti_packing){.all = NAN, .bottom = NAN};
    double* z = sti_alloc_array(env, (size_t)g->count, sizeof *z);
    if (z == NULL) return STI_ERR_MEMORY;
    double largest = 0, grains = 0;
    for (int k = 0; k < g->count; k++) {
        z[k] = x[3 * (size_t)k + 2];
        out->mean_height += z[k] / g->count;
        largest = fmax(largest, g->radius[k]);
        grains += 4.0 / 3.0 * pi * g->radius[k] * g->radius[k] * g->radius[k];
    }
    qsort(z, (size_t)g->count, sizeof *z, descending);
    const int top = g->count / 20 > 0 ? g->count / 20 : 1;
    for (int k = 0; k < top; k++) out->top += z[k] / top;
    out->top += largest;
    sti_free(env, z);
    vessel v;
    if (!read_vessel(g, &v)) return STI_OK;
    const double level = 0.8 * out->top;
    double below = 0;
    for (int k = 0; k < g->count; k++) below += cap_below(level, x[3 * (size_t)k + 2], g->radius[k]);
    out->all = grains / volume_below(&v, out->top);
    out->bottom = below / volume_below(&v, level);
    return STI_OK;
}
