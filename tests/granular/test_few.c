// test_few.c: sweeps over the few contacts that hold much of the residual.
#include <string.h>

#include "granular/bed_tools.h"
// clang-format off
#include <math.h>
#include "granular/bed.h"
// clang-format on

enum { GRAINS = 6600 };

// A deep bed that has begun to land, its last step solved to 1e-4.
static sti_bed* landing(sti_env* env) {
    sti_bed* bed = land(env, GRAINS);
    bed->options.tol = 1e-4;
    sti_bed_report report;
    assert_int_equal(sti_bed_step(bed, &report), STI_OK);
    assert_true(report.solved);
    return bed;
}

static double look_anew(sti_bed* bed) {
    sti_passes passes = {.count = 0};
    sti_passes_add(&passes, STI_PASS_ANEW, 0);
    return sti_passes_residual(bed, &passes);
}

static double look(sti_bed* bed) {
    sti_passes passes = {.count = 0};
    return sti_passes_residual(bed, &passes);
}

// The largest impulse of a slab in the middle, doubled.
static void upset(sti_bed* bed) {
    const int slab = bed->slab_count / 2;
    sti_touch *touch = bed->touch + bed->touch_first[slab], *most = touch;
    for (sti_touch* t = touch; t < touch + bed->touch_count[slab]; t++) {
        if (sti_dot3(t->r, t->r) > sti_dot3(most->r, most->r)) most = t;
    }
    for (int i = 0; i < 3; i++) most->r[i] *= 2;
}

static double* impulses_of(const sti_bed* bed) {
    double *out = malloc(3 * sizeof *out * (size_t)bed->touches), *r = out;
    for (int s = 0; s < bed->slab_count; s++) {
        for (int64_t k = bed->touch_first[s]; k < bed->touch_first[s] + bed->touch_count[s]; k++, r += 3)
            memcpy(r, bed->touch[k].r, 3 * sizeof *r);
    }
    return out;
}

static int count_changes(const double* p, const double* q, int contacts) {
    int changed = 0;
    for (int k = 0; k < contacts; k++) changed += memcmp(p + 3 * k, q + 3 * k, 3 * sizeof *p) != 0;
    return changed;
}

// What one contact is wrong by is taken away by sweeps of its neighbourhood, with velocities that belong to the impulses,
// and the same bits in one thread and in two.
static void an_upset_contact_is_swept_with_its_neighbours_alone(void** state) {
    (void)state;
    double* after[2];
    int contacts = 0;
    for (int t = 0; t < 2; t++) {
        sti_env* env = open_env_of(t + 1);
        sti_bed* bed = landing(env);
        upset(bed);
        const double upset_residual = look_anew(bed);
        assert_true(upset_residual > 1e-3);
        double* before = impulses_of(bed);
        assert_true(sti_bed_sweep_few(bed));
        after[t] = impulses_of(bed);
        contacts = bed->touches;
        const int changed = count_changes(before, after[t], contacts);
        assert_true(changed > 0 && changed <= contacts / 64);
        const double residual = look(bed);
        assert_true(residual < 0.5 * upset_residual);
        assert_true(fabs(look_anew(bed) - residual) <= 1e-9 * residual);
        free(before);
        sti_bed_destroy(bed);
        sti_env_destroy(env);
    }
    assert_memory_equal(after[0], after[1], 3 * sizeof(double) * (size_t)contacts);
    free(after[0]);
    free(after[1]);
}

static void a_residual_that_is_spread_over_the_bed_is_left_to_whole_sweeps(void** state) {
    (void)state;
    sti_env* env = open_env_of(2);
    sti_bed* bed = landing(env);
    for (int s = 0; s < bed->slab_count; s++) {
        for (int64_t k = bed->touch_first[s]; k < bed->touch_first[s] + bed->touch_count[s]; k++) {
            for (int i = 0; i < 3; i++) bed->touch[k].r[i] *= k % 2 == 0 ? 1.1 : 0.9;
        }
    }
    look_anew(bed);
    double* before = impulses_of(bed);
    assert_false(sti_bed_sweep_few(bed));
    double* after = impulses_of(bed);
    assert_int_equal(count_changes(before, after, bed->touches), 0);
    free(before);
    free(after);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_upset_contact_is_swept_with_its_neighbours_alone),
        cmocka_unit_test(a_residual_that_is_spread_over_the_bed_is_left_to_whole_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
