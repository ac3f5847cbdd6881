// test_accelerate.c: when sweeps have momentum, and when they stay plain.
#include <stiction/run.h>
#include <string.h>

#include "granular/bed_tools.h"
// clang-format off
#include <math.h>
#include "granular/bed.h"
// clang-format on

enum { GRAINS = 6600, UNSEEN = 7, SWEEPS = 20 };  // UNSEEN: sweeps before the first look

typedef struct saved {
    void* bytes;
    size_t size;
} saved;

// A deep bed that has begun to land.
static saved landing(sti_env* env) {
    sti_bed* bed = land(env, GRAINS);
    saved s;
    assert_int_equal(sti_bed_save_state(bed, &s.bytes, &s.size), STI_OK);
    sti_bed_destroy(bed);
    return s;
}

// The next step of it, to `tol` or in `most` sweeps.
static sti_bed* step_once(sti_env* env, saved s, double tol, long most, sti_bed_report* report) {
    sti_bed* bed;
    assert_int_equal(sti_bed_load_state(env, s.bytes, s.size, &bed), STI_OK);
    bed->options.tol = tol;
    bed->options.max_iterations = most;
    bed->unseen = UNSEEN;
    assert_int_equal(sti_bed_step(bed, report), STI_OK);
    return bed;
}

static void sweep_plainly(sti_bed* bed, int sweeps) {
    sti_passes passes = {.count = 0};
    for (int k = 0; k < sweeps; k++) sti_passes_add(&passes, STI_PASS_SWEEP, 0);
    sti_passes_residual(bed, &passes);
}

// Do two beds that made the same step to different ends have the same impulses?
static bool same_impulses(const sti_bed* p, const sti_bed* q) {
    assert_int_equal(p->touches, q->touches);
    assert_true(p->touches > 1000);
    for (int s = 0; s < p->slab_count; s++) {
        for (int64_t k = p->touch_first[s]; k < p->touch_first[s] + p->touch_count[s]; k++) {
            if (memcmp(p->touch[k].r, q->touch[k].r, sizeof p->touch[k].r) != 0) return false;
        }
    }
    return true;
}

static void a_step_of_a_deep_bed_that_begins_near_its_tolerance_stays_with_plain_sweeps(void** state) {
    (void)state;
    sti_env* env = open_env_of(2);
    const saved s = landing(env);
    sti_bed_report report;
    sti_bed_destroy(step_once(env, s, INFINITY, 0, &report));
    assert_int_equal(report.iterations, UNSEEN);
    const double start = report.residual;
    assert_true(start > 0);
    sti_bed* plain = step_once(env, s, start / 9, UNSEEN, &report);
    sweep_plainly(plain, SWEEPS - UNSEEN);
    sti_bed* near = step_once(env, s, start / 9, SWEEPS, &report);
    assert_int_equal(report.iterations, SWEEPS);  // it does not get there, or this says nothing
    sti_bed* far = step_once(env, s, start / 11, SWEEPS, &report);
    assert_int_equal(report.iterations, SWEEPS);
    assert_true(same_impulses(near, plain));
    assert_false(same_impulses(far, plain));
    sti_bed_destroy(plain);
    sti_bed_destroy(near);
    sti_bed_destroy(far);
    sti_free(env, s.bytes);
    sti_env_destroy(env);
}

// Above 0.97 of the tolerance one sweep less would not have done.
static void a_step_of_a_deep_bed_foresees_the_sweeps_of_the_next_one(void** state) {
    (void)state;
    sti_env* env = open_env_of(2);
    const saved s = landing(env);
    sti_bed_report report;
    sti_bed_destroy(step_once(env, s, INFINITY, 0, &report));
    const double residual = report.residual, tol[2] = {1.02, 1.05};
    for (int k = 0; k < 2; k++) {
        sti_bed* bed = step_once(env, s, tol[k] * residual, 0, &report);
        assert_true(report.solved);
        assert_int_equal(report.iterations, UNSEEN);
        assert_int_equal(bed->unseen, UNSEEN - k);
        sti_bed_destroy(bed);
    }
    sti_bed* bed = step_once(env, s, residual / 9, SWEEPS, &report);
    assert_int_equal(report.iterations, SWEEPS);
    assert_int_equal(bed->unseen, 0);  // a step with many says nothing
    sti_bed_destroy(bed);
    sti_free(env, s.bytes);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_of_a_deep_bed_that_begins_near_its_tolerance_stays_with_plain_sweeps),
        cmocka_unit_test(a_step_of_a_deep_bed_foresees_the_sweeps_of_the_next_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
