// bed_tools.h: beds of the pebble vessel, and the step of the reference simulation, for tests of granular steps.
#ifndef TESTS_GRANULAR_BED_TOOLS_H
#define TESTS_GRANULAR_BED_TOOLS_H

#include <math.h>
#include <stdio.h>
#include <stiction/granular.h>

#include "support/open_env.h"

static inline double dot(const double* x, const double* y) {
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

static inline double norm(const double* x) {
    return sqrt(dot(x, x));
}

// The bed of these grains, which are cleared.
static inline sti_bed* bed_of(sti_env* env, sti_grains* g, const sti_bed_options* o) {
    sti_bed* bed;
    assert_int_equal(sti_bed_create(env, g, o, &bed), STI_OK);
    sti_grains_clear(env, g);
    return bed;
}

static inline sti_grains pebbles(sti_env* env, int count, uint64_t seed) {
    sti_pebble_bed def = sti_pebble_bed_default(count);
    sti_grains g;
    def.seed = seed;
    assert_int_equal(sti_grains_pebble_bed(env, &def, &g), STI_OK);
    return g;
}

static inline sti_bed* bed_of_pebbles(sti_env* env, int count, const sti_bed_options* o) {
    sti_grains g = pebbles(env, count, 1);
    return bed_of(env, &g, o);
}

// The settle test, at its start, steps of 0.002 to `tol`.
static inline sti_bed* begin_settling(sti_env* env, int count, double tol) {
    sti_grains g;
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.002;
    o.recover = 0.2;
    o.tol = tol;
    assert_int_equal(sti_grains_settle(env, count, 1, &g), STI_OK);
    return bed_of(env, &g, &o);
}

// The same when it has begun to land, to 3e-2.
static inline sti_bed* land(sti_env* env, int count) {
    sti_bed* bed = begin_settling(env, count, 3e-2);
    for (int k = 0; k < 110; k++) assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    return bed;
}

// Pebbles in an environment that may fail, lower by this; bed is NULL then.
static inline sti_status try_pebbles(sti_env* env, int count, double lower, const sti_bed_options* o, sti_bed** bed) {
    const sti_pebble_bed def = sti_pebble_bed_default(count);
    sti_grains g;
    *bed = NULL;
    sti_status status = sti_grains_pebble_bed(env, &def, &g);
    for (int a = 0; status == STI_OK && a < count; a++) g.x[3 * a + 2] -= lower;
    if (status == STI_OK) status = sti_bed_create(env, &g, o, bed);
    sti_grains_clear(env, &g);
    return status;
}

// The reference simulation: eps = max(0.05, 2 h v_max), three facets.
static inline sti_bed_options reference_options(sti_bed_solver solver, double tol) {
    sti_bed_options o = sti_bed_options_default();
    o.law = STI_LAW_FACETS;
    o.solver = solver;
    o.h = 0.01;
    o.tol = tol;
    o.eps = 0.05;
    o.eps_speed = 2;
    return o;
}

enum { REFERENCE_COUNT = 100 };

// A state of the reference amid the fall; x y z and six velocities a line. False where it is not there.
static inline bool reference_state(double* x, double* v, double* w) {
    char line[1024];
    FILE* f = fopen(STI_SOURCE_DIR "/tests/reference/thesis/data/pbr100_state_l60.csv", "r");
    if (f == NULL) return false;
    int k = 0;
    while (k < REFERENCE_COUNT && fgets(line, sizeof line, f) != NULL) {
        double *a = x + 3 * (size_t)k, *b = v + 3 * (size_t)k, *c = w + 3 * (size_t)k;
        k +=
            sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", a, a + 1, a + 2, b, b + 1, b + 2, c, c + 1, c + 2) == 9;
    }
    fclose(f);
    return k == REFERENCE_COUNT;
}

#endif
