// test_accelerate.c: what sweeps have to reach, whatever they go by: the tolerance in every step, in a bounded number
// of sweeps in the mean, over beds of all kinds; and a bed at rest that stays at rest.
#include <math.h>
#include <stiction/recording.h>
#include <stiction/scene.h>
#include <string.h>

#include "granular/bed.h"
#include "granular/bed_tools.h"
#include "support/sanitized.h"

typedef struct kind {
    sti_layout layout;
    int count;
    const char* mu;  // up to 0.5: beyond, a step now and then misses its tolerance, and says so
    double h, until;
    long at_rest;  // sweeps a step in the last second, at most; 0: it goes on moving
} kind;

static const kind kinds[] = {
    {STI_LAYOUT_PEBBLE_BED, 200, "0.3", 0.01, 8, 25}, {STI_LAYOUT_PEBBLE_BED, 200, "0", 0.01, 4, 0},
    {STI_LAYOUT_PEBBLE_BED, 200, "0.5", 0.01, 8, 25}, {STI_LAYOUT_SETTLE, 200, "0.3", 0.002, 2, 25},
    {STI_LAYOUT_BOX, 200, "0.3", 0.01, 6, 25},        {STI_LAYOUT_BOX, 200, "0.5", 0.02, 6, 25},
    {STI_LAYOUT_HOPPER, 200, "0.3", 0.01, 6, 25},     {STI_LAYOUT_DRUM, 200, "0.5", 0.01, 3, 0},
    {STI_LAYOUT_HEAP, 200, "0.5", 0.01, 5, 0},        {STI_LAYOUT_PEBBLE_BED, 1, "0.3", 0.01, 4, 2},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static sti_bed* begin(sti_env* env, const kind* k) {
    sti_bed_scene scene = sti_bed_scene_default(k->layout, k->count);
    sti_grains grains;
    scene.step.h = k->h;
    scene.step.tol = 1e-4;
    scene.step.recover = 0.2;
    assert_int_equal(sti_bed_scene_set(env, &scene, "mu", k->mu), STI_OK);
    assert_int_equal(sti_bed_scene_grains(env, &scene, &grains), STI_OK);
    return bed_of(env, &grains, &scene.step);
}

static void every_step_of_every_kind_of_bed_reaches_its_tolerance_and_a_bed_at_rest_hardly_sweeps(void** state) {
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        const kind* k = &kinds[i];
        sti_env* env = open_env_of(1);
        sti_bed* bed = begin(env, k);
        const long steps = (long)(k->until / k->h + 0.5), second = (long)(1 / k->h + 0.5);
        long late = 0, all = 0;
        for (long s = 0; s < steps; s++) {
            sti_bed_report r;
            assert_int_equal(sti_bed_step(bed, &r), STI_OK);
            if (!r.solved) print_error("kind %d, step %ld, %ld sweeps\n", i, s, r.iterations);
            assert_true(r.solved && r.residual <= 1e-4);
            all += r.iterations;
            if (s >= steps - second) late += r.iterations;
        }
        if (k->at_rest > 0 && late > k->at_rest * second) print_error("kind %d: %ld sweeps at rest\n", i, late);
        assert_true(k->at_rest == 0 || late <= k->at_rest * second);
        assert_true(all <= 200 * steps);
        sti_bed_destroy(bed);
        sti_env_destroy(env);
    }
}

// The residual that is reported is that of the impulses: summed anew from them it is the same.
static void the_residual_that_counts_is_that_of_the_impulses(void** state) {
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        sti_env* env = open_env_of(2);
        sti_bed* bed = begin(env, &kinds[i]);
        for (int s = 0; s < 150; s++) {
            sti_bed_report r;
            sti_passes passes = {.count = 0};
            assert_int_equal(sti_bed_step(bed, &r), STI_OK);
            if (s % 10 != 9 || bed->touches == 0) continue;
            sti_passes_add(&passes, STI_PASS_ANEW, 0);
            assert_true(fabs(sti_passes_residual(bed, &passes) - r.residual) <= 1e-9 * r.residual + 1e-14);
        }
        sti_bed_destroy(bed);
        sti_env_destroy(env);
    }
}

// A tighter tolerance is reached too, from the same state, and a limit on sweeps is kept to and told.
static void a_step_goes_as_far_as_it_is_asked_to(void** state) {
    (void)state;
    sti_env* env = open_env_of(2);
    sti_bed* bed = land(env, 800);
    void* bytes;
    size_t size;
    sti_bed_report r;
    long last = 0;
    assert_int_equal(sti_bed_save_state(bed, &bytes, &size), STI_OK);
    sti_bed_destroy(bed);
    for (double tol = 1e-2; tol > 1e-6; tol *= 0.1) {
        assert_int_equal(sti_bed_load_state(env, bytes, size, &bed), STI_OK);
        bed->options.tol = tol;
        assert_int_equal(sti_bed_step(bed, &r), STI_OK);
        assert_true(r.solved && r.residual <= tol && r.iterations >= last);
        last = r.iterations;
        sti_bed_destroy(bed);
    }
    assert_true(last > 20);
    assert_int_equal(sti_bed_load_state(env, bytes, size, &bed), STI_OK);
    bed->options.tol = 1e-6;
    bed->options.max_iterations = 7;
    assert_int_equal(sti_bed_step(bed, &r), STI_OK);
    assert_true(!r.solved && r.iterations == 7 && r.residual > 1e-6);
    sti_bed_destroy(bed);
    sti_free(env, bytes);
    sti_env_destroy(env);
}

// What the state before rounds to is what a large bed at rest goes on from: it is neither stirred nor does it drop.
static void a_deep_bed_at_rest_stays_at_rest(void** state) {
    (void)state;
    if (SANITIZED) {
        print_message("skipped: a bed of 6400 to rest is for the release tree\n");
        skip();
    }
    sti_env* env = open_env_of(2);
    const kind deep = {STI_LAYOUT_BOX, 6400, "0.3", 0.01, 5, 0};
    sti_bed* bed = begin(env, &deep);
    for (int s = 0; s < 500; s++) assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    long sweeps = 0;
    for (int s = 0; s < 150; s++) {
        sti_bed_report r;
        assert_int_equal(sti_bed_step(bed, &r), STI_OK);
        assert_true(r.solved && fabs(r.balance - 1) < 0.05);
        sweeps += r.iterations;
    }
    assert_true(sweeps <= 150 * 10);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_of_every_kind_of_bed_reaches_its_tolerance_and_a_bed_at_rest_hardly_sweeps),
        cmocka_unit_test(the_residual_that_counts_is_that_of_the_impulses),
        cmocka_unit_test(a_step_goes_as_far_as_it_is_asked_to),
        cmocka_unit_test(a_deep_bed_at_rest_stays_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
