// layout.c: where grains start: vessels and seeded arrangements (S3 2.3, figure 2.3).
//
// Horizontal planes, on each a centre grain and concentric circles, every grain moved a little at random. The draws
// come from splitmix64 in a fixed order, so a layout is known to the last bit by its seed.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "granular/bed.h"

static const double pi = M_PI;

void sti_grains_clear(sti_env* env, sti_grains* grains) {
    sti_free(env, grains->x);
    sti_free(env, grains->v);
    sti_free(env, grains->w);
    sti_free(env, grains->radius);
    sti_free(env, grains->mass);
    sti_free(env, grains->walls);
    sti_free(env, grains->friction);
    sti_free(env, grains->corners);
    *grains = (sti_grains){0};
}

sti_status sti_grains_create(sti_env* env, int count, int walls, double radius, double mass, sti_grains* out) {
    const size_t n = (size_t)count;
    *out = (sti_grains){.count = count,
                        .x = sti_alloc_array_zero(env, n, 3 * sizeof(double)),
                        .v = sti_alloc_array_zero(env, n, 3 * sizeof(double)),
                        .w = sti_alloc_array_zero(env, n, 3 * sizeof(double)),
                        .radius = sti_alloc_array(env, n, sizeof(double)),
                        .mass = sti_alloc_array(env, n, sizeof(double)),
                        .gravity = {0, 0, -9.81},
                        .wall_count = walls,
                        .walls = sti_alloc_array_zero(env, (size_t)walls, sizeof(sti_wall))};
    if (out->x == NULL || out->v == NULL || out->w == NULL || out->radius == NULL || out->mass == NULL ||
        out->walls == NULL) {
        sti_grains_clear(env, out);
        return STI_ERR_MEMORY;
    }
    for (int i = 0; i < count; i++) {
        out->radius[i] = radius;
        out->mass[i] = mass;
    }
    return STI_OK;
}

// Plate, cone and cylinder about the z axis.
static void put_vessel(sti_grains* g, double cylinder, double opening, double slope) {
    g->walls[0] = (sti_wall){.kind = STI_WALL_PLANE, .axis = {0, 0, 1}, .mu = g->mu};
    g->walls[1] = (sti_wall){.kind = STI_WALL_CONE, .axis = {0, 0, 1}, .radius = opening, .slope = slope, .mu = g->mu};
    g->walls[2] = (sti_wall){.kind = STI_WALL_CYLINDER, .axis = {0, 0, 1}, .radius = cylinder, .mu = g->mu};
}

void sti_grains_open_bottom(sti_grains* g) {
    g->wall_count--;
    memmove(g->walls, g->walls + 1, (size_t)g->wall_count * sizeof *g->walls);
    if (g->friction != NULL) memmove(g->friction, g->friction + 1, (size_t)g->wall_count * sizeof *g->friction);
    g->walls[0].rim = true;
}

static double jitter(sti_rng* rng, double size) {
    return size * (2 * sti_rng_u01(rng) - 1);
}

void sti_grains_scale(sti_grains* g, double factor) {
    for (size_t k = 0; k < (size_t)g->count; k++) {
        for (size_t i = 0; i < 3; i++) g->x[3 * k + i] *= factor;
        g->radius[k] *= factor;
        g->mass[k] *= factor * factor * factor;
    }
    for (int k = 0; k < g->wall_count; k++) {
        for (int i = 0; i < 3; i++) g->walls[k].point[i] *= factor;
        g->walls[k].radius *= factor;
    }
}

sti_pebble_bed sti_pebble_bed_default(int count) {
    return (sti_pebble_bed){.count = count, .seed = 1, .mu = 0.3};
}

// Vessels of the reference runs; between and beyond them the same shape, scaled with the cube root of the count.
static void default_vessel(int count, double* cylinder, double* opening) {
    static const struct {
        int count;
        double cylinder, opening;
    } known[] = {{100, 3.0, 1.0}, {800, 6.0, 2.0}, {1600, 7.5, 2.5}, {3200, 9.5, 3.0}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].count != count) continue;
        *cylinder = known[i].cylinder;
        *opening = known[i].opening;
        return;
    }
    const double scale = cbrt(count / 1600.0);
    *cylinder = fmax(7.5 * scale, 1.5);
    *opening = fmax(2.5 * scale, 0.75);
}

sti_status sti_grains_pebble_bed(sti_env* env, const sti_pebble_bed* def, sti_grains* out) {
    *out = (sti_grains){0};
    double cylinder, opening;
    if (def->count < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "count: %d, must be at least 1", def->count);
    if (!(def->radius >= 0) || !isfinite(def->radius))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "radius: %g, must be positive", def->radius);
    const double diameter = def->radius > 0 ? 2 * def->radius : 1;
    default_vessel(def->count, &cylinder, &opening);
    if (def->cylinder > 0) cylinder = def->cylinder / diameter;
    if (def->opening > 0) opening = def->opening / diameter;
    if (!(cylinder >= 1.0) || !(opening >= 0.6) || !(opening <= cylinder) || !(def->mu >= 0))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1,
                        "vessel: cylinder %g, opening %g, mu %g; %g <= opening <= cylinder, %g <= cylinder, mu >= 0",
                        cylinder * diameter, opening * diameter, def->mu, 0.6 * diameter, diameter);
    const sti_status status = sti_grains_create(env, def->count, 3, 0.5, 1.0, out);
    if (status != STI_OK) return status;
    out->mu = def->mu;
    put_vessel(out, cylinder, opening, 1.0);

    sti_rng rng = {def->seed};
    const double spacing = 1.1;
    int placed = 0;
    for (int plane = 0; placed < def->count; plane++) {
        const double z = (cylinder - opening) + 0.6 + spacing * plane;
        for (int circle = 0; placed < def->count && spacing * circle <= cylinder - 0.6; circle++) {
            const int on_circle = circle == 0 ? 1 : (int)floor(2 * pi * circle);
            const double first = circle == 0 ? 0 : 2 * pi * sti_rng_u01(&rng);
            for (int j = 0; j < on_circle && placed < def->count; j++, placed++) {
                const double angle = first + 2 * pi * j / on_circle;
                double* x = out->x + 3 * (size_t)placed;
                x[0] = circle == 0 ? 0 : spacing * circle * cos(angle);
                x[1] = circle == 0 ? 0 : spacing * circle * sin(angle);
                x[2] = z;
                for (int i = 0; i < 3; i++) x[i] += jitter(&rng, 0.02);
            }
        }
    }
    if (diameter != 1) sti_grains_scale(out, diameter);
    return STI_OK;
}

sti_status sti_grains_settle(sti_env* env, int count, uint64_t seed, sti_grains* out) {
    *out = (sti_grains){0};
    if (count < 1) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "count: %d, must be at least 1", count);
    const double R = 0.03;
    const double cylinder = fmax(12 * R * cbrt(count / 1600.0), 1.3 * R), opening = cylinder / 4;  // room for one
    const sti_status status = sti_grains_create(env, count, 3, R, 1.0, out);
    if (status != STI_OK) return status;
    out->mu = 0.3;
    put_vessel(out, cylinder, opening, 1 / tan(pi / 6));

    sti_rng rng = {seed};
    const double spacing = 2.2 * R;
    int placed = 0;
    for (double z = (cylinder - opening) * tan(pi / 6) + 1.2 * R; placed < count; z += spacing) {
        for (int circle = 0; placed < count && spacing * circle <= cylinder - 1.2 * R; circle++) {
            const int on_circle = circle == 0 ? 1 : (int)floor(pi / asin(0.5 / circle));
            const double first = 2 * pi * sti_rng_u01(&rng);
            for (int j = 0; j < on_circle && placed < count; j++, placed++) {
                const double angle = first + 2 * pi * j / on_circle;
                const double at[3] = {spacing * circle * cos(angle), spacing * circle * sin(angle), z};
                for (int i = 0; i < 3; i++) out->x[3 * (size_t)placed + (size_t)i] = at[i] + jitter(&rng, 0.05 * R);
            }
        }
    }
    return STI_OK;
}
