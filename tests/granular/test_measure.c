// test_measure.c: what a step is judged by besides its residual: momentum, and the values of both programs.
#include "granular/bed.h"
#include "granular/bed_tools.h"
#include "support/near.h"

enum { GRAINS = 150, STEPS = 40 };

static void follow_momentum(sti_env* env, sti_grains* g, sti_bed_options o) {
    sti_bed* bed = bed_of(env, g, &o);
    int touching = 0;
    for (int k = 0; k < STEPS; k++) {
        sti_bed_report report;
        assert_int_equal(sti_bed_step(bed, &report), STI_OK);
        assert_true(report.momentum <= 1e-13);
        touching += report.touching;
    }
    assert_true(touching > 100);
    sti_bed_destroy(bed);
}

static void a_bed_exchanges_momentum_with_gravity_and_walls_alone(void** state) {
    (void)state;
    sti_env* env = open_env_of(2);
    for (int law = 0; law < STI_LAW_COUNT; law++) {
        sti_bed_options o = sti_bed_options_default();
        o.law = (sti_law)law;
        o.h = 0.02;
        o.tol = 1e-4;
        const sti_grain_pour pour = {.count = GRAINS, .seed = 1, .mu = 0.3, .spread = 0.3, .spin = 0.5};
        sti_grains g;
        assert_int_equal(sti_grains_drum(env, &pour, &g), STI_OK);
        follow_momentum(env, &g, o);
        assert_int_equal(sti_grains_box(env, &pour, &g), STI_OK);
        for (int i = 0; i < 3; i++) g.gravity[i] = 0;
        for (int k = 0; k < g.count; k++) g.v[3 * (size_t)k + 2] = -4;
        follow_momentum(env, &g, o);
    }
    sti_env_destroy(env);
}

static sti_touch* a_wall_contact_with_a_load(sti_bed* bed) {
    for (int s = 0; s < bed->slab_count; s++) {
        sti_touch* t = bed->touch + bed->touch_first[s];
        for (int k = 0; k < bed->touch_count[s]; k++) {
            if (t[k].b >= bed->n && dot3(t[k].r, t[k].r) > 0) return &t[k];
        }
    }
    return NULL;
}

static void an_impulse_that_no_grain_felt_is_seen_in_the_momentum(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bed* bed = begin_settling(env, GRAINS, 1e-4);
    sti_bed_report report;
    for (int k = 0; k < 200; k++) assert_int_equal(sti_bed_step(bed, &report), STI_OK);
    assert_true(report.momentum <= 1e-13);
    sti_touch* t = a_wall_contact_with_a_load(bed);
    assert_non_null(t);
    t->r[0] += 3;
    t->r[1] += 4;
    for (int s = 0; s < bed->slab_count; s++) sti_bed_measure_slab(bed, s);
    sti_bed_measure(bed, &report);
    assert_near(report.momentum * (bed->options.h * bed->weight + bed->before[3]), 5, 1e-9);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

// Slip of a contact at velocities v, w by number, without the gap.
static void slip_at(const sti_grains* g, const sti_bed_contact* c, const double* v, const double* w, double u[3]) {
    u[0] = u[1] = u[2] = 0;
    for (int side = 0; side < 2; side++) {
        const int k = side == 0 ? c->a : c->b;
        if (k < 0) continue;
        const double sign = side == 0 ? 1 : -1, R = -sign * g->radius[k];
        const double arm[3] = {R * c->n[0], R * c->n[1], R * c->n[2]};
        const double *vk = v + 3 * (size_t)k, *wk = w + 3 * (size_t)k;
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, l = (i + 2) % 3;
            u[i] += sign * (vk[i] + wk[j] * arm[l] - wk[l] * arm[j]);
        }
    }
}

typedef struct motion {
    double v[3 * GRAINS], w[3 * GRAINS];
} motion;

static double product(const sti_grains* g, const motion* a, const motion* b) {
    double sum = 0;
    for (int k = 0; k < g->count; k++) {
        const size_t at = 3 * (size_t)k;
        sum += g->mass[k] * (dot(a->v + at, b->v + at) + 0.4 * g->radius[k] * g->radius[k] * dot(a->w + at, b->w + at));
    }
    return sum;
}

// Of the step from `old` to where the bed is: the primal value, the dual one  1/2 r'H'M^-1 H r + r'(H'v_0 + Phi/h),
//     and
// what they differ by at the optimum,  1/2 v_0'M v_0.
static void find_values(const sti_bed* bed, const sti_grains* g, double h, const motion* old, double values[3]) {
    motion now, alone = *old, given;
    sti_bed_get(bed, NULL, now.v, now.w);
    for (int i = 0; i < 3 * g->count; i++) {
        alone.v[i] += h * g->gravity[i % 3];
        given.v[i] = now.v[i] - alone.v[i];
        given.w[i] = now.w[i] - alone.w[i];
    }
    values[0] = 0.5 * product(g, &now, &now) - product(g, &alone, &now);
    values[1] = 0.5 * product(g, &given, &given);
    const int count = sti_bed_contact_count(bed);
    sti_bed_contact* c = calloc((size_t)count + 1, sizeof *c);
    sti_bed_contacts(bed, c);
    for (int k = 0; k < count; k++) {
        double u[3];
        slip_at(g, &c[k], alone.v, alone.w, u);
        values[1] += dot(c[k].r, u) + c[k].offset * dot(c[k].r, c[k].n);
    }
    free(c);
    values[2] = 0.5 * product(g, &alone, &alone);
}

static void the_duality_gap_is_the_distance_of_the_two_values_whoever_solves_the_step(void** state) {
    (void)state;
    sti_env* env = open_env_of(2);
    static const struct {
        sti_law law;
        sti_bed_solver solver;
    } ways[] = {{STI_LAW_CONE, STI_BED_GS},
                {STI_LAW_CONE, STI_BED_APGD},
                {STI_LAW_CONE, STI_BED_IPM},
                {STI_LAW_FACETS, STI_BED_GS},
                {STI_LAW_FACETS, STI_BED_TRON}};
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
        sti_grains g = pebbles(env, GRAINS, 1);
        sti_bed_options o = reference_options(ways[way].solver, 1e-4);
        o.law = ways[way].law;
        sti_bed* bed;
        assert_int_equal(sti_bed_create(env, &g, &o, &bed), STI_OK);
        for (int k = 0; k < 100; k++) {
            motion old;
            sti_bed_report report;
            sti_bed_get(bed, NULL, old.v, old.w);
            assert_int_equal(sti_bed_step(bed, &report), STI_OK);
            double values[3];
            find_values(bed, &g, o.h, &old, values);
            const double size = fabs(values[0]) + fabs(values[1]);
            assert_near(report.objective, values[0], 1e-12 * size);
            assert_near(report.gap * size, fabs(values[0] + values[1] + values[2]), 1e-12 * size);
            assert_true(report.gap <= 1e-2);
            if (k == 99) assert_true(report.touching > 100 && (ways[way].solver == STI_BED_IPM || report.gap > 1e-9));
        }
        sti_bed_destroy(bed);
        sti_grains_clear(env, &g);
    }
    sti_env_destroy(env);
}

// Grains fly at each other in pairs from farther than half a step takes each: the step sees them all the same, and they
// meet.
static void pairs_that_close_within_a_step_are_seen_before_they_meet(void** state) {
    (void)state;
    enum { COUNT = 40 };
    sti_env* env = open_env();
    static double x[3 * COUNT], v[3 * COUNT], w[3 * COUNT], radius[COUNT], mass[COUNT];
    for (int k = 0; k < COUNT; k++) {
        x[3 * k] = k % 2 * 1.9;
        x[3 * k + 1] = k / 2 * 3.0;
        v[3 * k] = k % 2 == 0 ? 10 : -10;
        radius[k] = 0.5;
        mass[k] = 1;
    }
    const sti_grains g = {.count = COUNT, .x = x, .v = v, .w = w, .radius = radius, .mass = mass};
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.05;
    sti_bed* bed;
    assert_int_equal(sti_bed_create(env, &g, &o, &bed), STI_OK);
    for (int step = 0; step < 3; step++) {
        sti_bed_report report;
        assert_int_equal(sti_bed_step(bed, &report), STI_OK);
        assert_true(report.solved && report.sound && fmax(report.penetration, report.overlap) < 1e-3);
    }
    sti_bed_get(bed, x, NULL, NULL);
    assert_near(x[3] - x[0], 1, 1e-3);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

// Grains fly at each other in pairs, farther than a given eps looks: how deep they met is said when the next step
// begins, and that this is no step of hard grains.
static void pairs_that_meet_from_farther_than_the_list_looks_are_reported_a_step_later(void** state) {
    (void)state;
    enum { COUNT = 40 };
    sti_env* env = open_env();
    static double x[3 * COUNT], v[3 * COUNT], w[3 * COUNT], radius[COUNT], mass[COUNT];
    for (int part = 0; part < 3; part++) {
        for (int k = 0; k < COUNT; k++) {
            x[3 * k] = k % 2 * 1.6;
            x[3 * k + 1] = k / 2 * 3.0;
            v[3 * k] = k % 2 == 0 ? 10 : -10;
            radius[k] = 0.5;
            mass[k] = 1;
        }
        const sti_grains g = {.count = COUNT, .x = x, .v = v, .w = w, .radius = radius, .mass = mass};
        sti_bed_options o = sti_bed_options_default();
        o.h = 0.05;
        o.recover = 0.5 * part;
        o.eps = 0.1;
        sti_bed* bed;
        assert_int_equal(sti_bed_create(env, &g, &o, &bed), STI_OK);
        sti_bed_report report;
        assert_int_equal(sti_bed_step(bed, &report), STI_OK);
        assert_int_equal(report.contacts, 0);
        assert_true(report.penetration == 0 && report.overlap == 0);
        sti_bed_get(bed, x, NULL, NULL);
        assert_near(x[3] - x[0], 0.6, 1e-12);
        assert_int_equal(sti_bed_step(bed, &report), STI_OK);
        assert_near(fmax(report.penetration, report.overlap), 0.4, 1e-12);
        assert_true(!report.sound && !report.solved && report.residual <= o.tol);
        sti_bed_destroy(bed);
    }
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bed_exchanges_momentum_with_gravity_and_walls_alone),
        cmocka_unit_test(an_impulse_that_no_grain_felt_is_seen_in_the_momentum),
        cmocka_unit_test(the_duality_gap_is_the_distance_of_the_two_values_whoever_solves_the_step),
        cmocka_unit_test(pairs_that_close_within_a_step_are_seen_before_they_meet),
        cmocka_unit_test(pairs_that_meet_from_farther_than_the_list_looks_are_reported_a_step_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
