// test_touch.c: a step starts from a mean of the last impulses.
#include "support/failing_env.h"
// clang-format off
#include <math.h>
#include "granular/bed.h"
// clang-format on

static sti_env* open_env(int workers) {
    sti_env_def def = sti_env_def_default();
    def.workers = workers;
    sti_env* env;
    assert_int_equal(sti_env_create(&def, &env), STI_OK);
    return env;
}

static sti_bed* settle(sti_env* env, int count) {
    sti_grains g;
    sti_bed* bed;
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.002;
    o.recover = 0.2;
    assert_int_equal(sti_grains_settle(env, count, 1, &g), STI_OK);
    assert_int_equal(sti_bed_create(env, &g, &o, &bed), STI_OK);
    sti_grains_clear(env, &g);
    return bed;
}

static double mean_sweeps(sti_bed* bed, int steps) {
    long sweeps = 0;
    for (int k = 0; k < steps; k++) {
        sti_bed_report report;
        assert_int_equal(sti_bed_step(bed, &report), STI_OK);
        assert_true(report.solved && report.residual <= bed->options.tol);
        sweeps += report.iterations;
    }
    return (double)sweeps / steps;
}

static void a_bed_at_rest_needs_hardly_any_sweeps(void** state) {
    (void)state;
    sti_env* env = open_env(1);
    sti_bed* bed = settle(env, 100);
    assert_true(mean_sweeps(bed, 250) > 10);  // it falls
    mean_sweeps(bed, 500);
    assert_true(mean_sweeps(bed, 100) < 3);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

// A contact that stays: start + 0.3 (r - start). One that begins: r. One that is gone: nothing.
static void a_step_starts_from_a_mean_of_the_last_impulses(void** state) {
    (void)state;
    sti_env* env = open_env(1);
    sti_bed* bed = settle(env, 60);
    int stayed = 0, began = 0, gone = 0;
    double(*last)[3] = NULL;
    for (int k = 0; k < 160; k++) {
        const bool was_listed = bed->listed;
        const double* listed = bed->listed_x;
        const int64_t count = was_listed ? bed->near_start[bed->n] : 0;
        double at[3] = {0};
        if (was_listed) {
            for (int i = 0; i < 3; i++) at[i] = listed[i];
            last = realloc(last, (size_t)(count + 1) * sizeof *last);
            for (int64_t j = 0; j < count; j++) {
                for (int i = 0; i < 3; i++) last[j][i] = bed->near[j].r[i];
            }
        }
        assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
        bool same = was_listed && count == bed->near_start[bed->n];
        for (int i = 0; i < 3; i++) same = same && at[i] == bed->listed_x[i];
        if (!same) continue;  // another list
        for (int s = 0; s < bed->slab_count; s++) {
            for (int64_t j = bed->near_start[bed->slab_first[s]]; j < bed->near_start[bed->slab_first[s + 1]]; j++) {
                const sti_near* near = &bed->near[j];
                const bool before = sti_dot3(last[j], last[j]) > 0;
                for (int i = 0; i < 3; i++) {
                    const double r = near->touch < 0 ? 0 : bed->touch[bed->touch_first[s] + near->touch].r[i];
                    const double start = near->touch < 0 ? 0 : before ? last[j][i] + 0.3 * (r - last[j][i]) : r;
                    assert_true(fabs(near->r[i] - start) <= 1e-15);
                }
                stayed += near->touch >= 0 && before;
                began += near->touch >= 0 && !before;
                gone += near->touch < 0 && before;
            }
        }
    }
    assert_true(stayed > 0 && began > 0 && gone > 0);
    free(last);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bed_at_rest_needs_hardly_any_sweeps),
        cmocka_unit_test(a_step_starts_from_a_mean_of_the_last_impulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
