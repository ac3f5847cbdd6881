// pour.c: grains poured into a box, a hopper, a drum, or onto a plain; mixed radii.
//
// A jittered cubic lattice, wide enough for the largest grain, fills a block above the place from below; a lattice
// point that lies too near a wall is passed over. Draws come in a fixed order: radius, then three for the place.
#include <math.h>

#include "base/rng.h"
#include "granular/bed.h"

static const double pi = M_PI;

static double diameter(const sti_grain_pour* def) {
    return def->radius > 0 ? 2 * def->radius : 1;
}

static sti_status check(sti_env* env, const sti_grain_pour* def) {
    if (def->count < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "count: %d, must be at least 1", def->count);
    if (!(def->mu >= 0)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "mu: %g, must not be negative", def->mu);
    if (!(def->spread >= 0 && def->spread <= 0.9))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "spread: %g, must be in [0, 0.9]", def->spread);
    if (!(def->radius >= 0) || !isfinite(def->radius))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "radius: %g, must be positive", def->radius);
    if (def->width != 0 && !(def->width >= 3 * diameter(def)))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "width: %g, must be at least 3 diameters", def->width);
    if (!(def->slope >= 0 && def->slope < 90))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "slope: %g degrees, must be in [0, 90)", def->slope);
    if (!isfinite(def->spin)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "spin: %g", def->spin);
    return STI_OK;
}

static void add_plane(sti_grains* g, double px, double py, double pz, double nx, double ny, double nz) {
    g->walls[g->wall_count++] =
        (sti_wall){.kind = STI_WALL_PLANE, .point = {px, py, pz}, .axis = {nx, ny, nz}, .mu = g->mu};
}

static bool is_inside(const sti_grains* g, const double x[3], double radius) {
    for (int k = 0; k < g->wall_count; k++) {
        double n[3];
        if (sti_wall_gap(&g->walls[k], x, radius, n) < 0.02) return false;
    }
    return true;
}

// Layers from z upwards over [-a, a] x [-b, b]. False: a hundred layers in a row had no place.
static bool pour(const sti_grain_pour* def, sti_grains* g, double a, double b, double z) {
    sti_rng rng = {def->seed};
    const double pitch = 1.1 * (1 + def->spread);
    const int na = (int)fmax(1, floor(2 * a / pitch)), nb = (int)fmax(1, floor(2 * b / pitch));
    double radius = 0.5;
    bool drawn = false;
    for (int placed = 0, idle = 0, before = 0; placed < g->count; z += pitch, before = placed) {
        for (int j = 0; j < nb; j++) {
            for (int i = 0; i < na && placed < g->count; i++) {
                if (!drawn) radius = 0.5 * (1 + def->spread * (2 * sti_rng_u01(&rng) - 1));
                drawn = true;  // a radius waits until a place takes it
                double* x = g->x + 3 * (size_t)placed;
                x[0] = (i - 0.5 * (na - 1)) * pitch + 0.04 * (sti_rng_u01(&rng) - 0.5);
                x[1] = (j - 0.5 * (nb - 1)) * pitch + 0.04 * (sti_rng_u01(&rng) - 0.5);
                x[2] = z + 0.04 * (sti_rng_u01(&rng) - 0.5);
                if (!is_inside(g, x, radius)) continue;
                g->radius[placed] = radius;
                g->mass[placed++] = 8 * radius * radius * radius;
                drawn = false;
            }
        }
        idle = placed > before ? 0 : idle + 1;
        if (idle > 100) return false;
    }
    return true;
}

static sti_status finish(sti_env* env, const sti_grain_pour* def, bool poured, sti_grains* out) {
    if (poured) {
        if (diameter(def) != 1) sti_grains_scale(out, diameter(def));
        return STI_OK;
    }
    const int count = out->count;
    sti_grains_clear(env, out);
    return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "count: %d grains do not fit into a vessel of this width", count);
}

static sti_status begin(sti_env* env, const sti_grain_pour* def, int walls, sti_grains* out) {
    *out = (sti_grains){0};
    sti_status status = check(env, def);
    if (status == STI_OK) status = sti_grains_create(env, def->count, walls, 0.5, 1.0, out);
    if (status != STI_OK) return status;
    out->mu = def->mu;
    out->wall_count = 0;
    return STI_OK;
}

static double width_of(const sti_grain_pour* def, double factor) {
    return def->width > 0 ? def->width / diameter(def) : fmax(3, factor * cbrt(def->count) * (1 + 0.5 * def->spread));
}

sti_status sti_grains_box(sti_env* env, const sti_grain_pour* def, sti_grains* out) {
    const sti_status status = begin(env, def, 5, out);
    if (status != STI_OK) return status;
    const double half = 0.5 * width_of(def, 1.2);
    add_plane(out, 0, 0, 0, 0, 0, 1);
    add_plane(out, -half, 0, 0, 1, 0, 0);
    add_plane(out, half, 0, 0, -1, 0, 0);
    add_plane(out, 0, -half, 0, 0, 1, 0);
    add_plane(out, 0, half, 0, 0, -1, 0);
    return finish(env, def, pour(def, out, half, half, 1.0), out);
}

// Two slopes that meet along y at z = 0, end walls, and a floor that closes the slot of two diameters between them.
sti_status sti_grains_hopper(sti_env* env, const sti_grain_pour* def, sti_grains* out) {
    const sti_status status = begin(env, def, 5, out);
    if (status != STI_OK) return status;
    const double half = 0.5 * width_of(def, 1.6), angle = (def->slope > 0 ? def->slope : 45) * pi / 180, slot = 1.0;
    add_plane(out, 0, 0, 0, 0, 0, 1);
    add_plane(out, -slot, 0, 0, sin(angle), 0, cos(angle));
    add_plane(out, slot, 0, 0, -sin(angle), 0, cos(angle));
    add_plane(out, 0, -0.5 * half, 0, 0, 1, 0);
    add_plane(out, 0, 0.5 * half, 0, 0, -1, 0);
    return finish(env, def, pour(def, out, half, 0.5 * half, 1.0), out);
}

// A cylinder about y that turns, between two plates; filled to about its middle.
sti_status sti_grains_drum(sti_env* env, const sti_grain_pour* def, sti_grains* out) {
    const sti_status status = begin(env, def, 3, out);
    if (status != STI_OK) return status;
    const double radius = 0.5 * (def->width > 0 ? width_of(def, 1.9) : fmax(4 * (1 + def->spread), width_of(def, 1.9)));
    // grains fill at most a third of the drum, on the loose lattice they start from
    const double pitch = 1.1 * (1 + def->spread),
                 length = fmax(3, 3.2 * def->count * pitch * pitch * pitch / (pi * radius * radius));
    out->walls[out->wall_count++] =
        (sti_wall){.kind = STI_WALL_CYLINDER, .axis = {0, 1, 0}, .radius = radius, .spin = def->spin, .mu = def->mu};
    add_plane(out, 0, -0.5 * length, 0, 0, 1, 0);
    add_plane(out, 0, 0.5 * length, 0, 0, -1, 0);
    return finish(env, def, pour(def, out, radius, 0.5 * length, -radius + 0.6), out);
}

sti_status sti_grains_heap(sti_env* env, const sti_grain_pour* def, sti_grains* out) {
    const sti_status status = begin(env, def, 1, out);
    if (status != STI_OK) return status;
    const double half = 0.5 * width_of(def, 0.8);
    add_plane(out, 0, 0, 0, 0, 0, 1);
    return finish(env, def, pour(def, out, half, half, 1.0), out);
}
