// test_touch.c: what a step starts from: a mean of the last impulses and what leads beyond it.
#include <stiction/recording.h>
#include <string.h>

#include "granular/bed.h"
#include "granular/bed_tools.h"

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
    sti_env* env = open_env_of(1);
    sti_bed* bed = begin_settling(env, 100, 1e-4);
    assert_true(mean_sweeps(bed, 250) > 10);  // it falls
    mean_sweeps(bed, 750);
    assert_true(mean_sweeps(bed, 100) < 3);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

// Memos by pair; zero where a pair has none.
static sti_memo* memos_of(const sti_bed* bed, sti_memo* out) {
    const int64_t count = bed->near_start[bed->n];
    out = realloc(out, (size_t)(count + 1) * sizeof *out);
    for (int64_t j = 0; j < count; j++)
        out[j] = bed->near[j].touch >= 0 ? bed->memo[bed->near[j].touch] : (sti_memo){.r = {0}};
    return out;
}

// A contact that begins starts its next step from its impulse, one that is gone from nothing.
static void a_contact_that_begins_hands_on_its_impulse_and_one_that_is_gone_nothing(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    sti_bed* bed = begin_settling(env, 60, 1e-4);
    int stayed = 0, began = 0, gone = 0;
    sti_memo *last = NULL, *now = NULL;
    for (int k = 0; k < 400; k++) {
        const bool was_listed = bed->listed;
        const double* listed = bed->home;
        const int64_t count = was_listed ? bed->near_start[bed->n] : 0;
        double at[3] = {0};
        if (was_listed) {
            for (int i = 0; i < 3; i++) at[i] = listed[i];
            last = memos_of(bed, last);
        }
        assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
        bool same = was_listed && count == bed->near_start[bed->n];
        for (int i = 0; i < 3; i++) same = same && at[i] == bed->home[i];
        if (!same) continue;  // another list
        now = memos_of(bed, now);
        for (int64_t j = 0; j < count; j++) {
            const int touch = bed->near[j].touch;
            const bool before = dot3(last[j].r, last[j].r) > 0;
            for (int i = 0; i < 3; i++) {
                const double r = touch < 0 ? 0 : bed->touch[touch].r[i];
                if (touch < 0 || !before) assert_true(now[j].r[i] == r && now[j].lead[i] == 0);
            }
            stayed += touch >= 0 && before;
            began += touch >= 0 && !before;
            gone += touch < 0 && before;
        }
    }
    assert_true(stayed > 0 && began > 0 && gone > 0);
    free(last);
    free(now);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

// Impulses that are the same in step after step are what later steps start from, whatever they started from at first.
static void a_step_learns_to_start_from_impulses_that_last(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    sti_bed* bed = land(env, 400);
    const int64_t pairs = bed->near_start[bed->n];
    sti_memo* now = NULL;
    double first = 0, size = 0, error = 0, most = 0;
    for (int64_t j = 0; j < pairs; j++) {
        if (bed->near[j].touch < 0) continue;
        for (int i = 0; i < 3; i++) bed->touch[bed->near[j].touch].r[i] += 0.3 * (double)(j % 7 - 3);
    }
    for (int k = 0; k < 200; k++) {
        for (int s = 0; s < bed->slab_count; s++) sti_bed_keep(bed, s);
        now = memos_of(bed, now);
        error = size = 0;
        for (int64_t j = 0; j < pairs; j++) {
            const int touch = bed->near[j].touch;
            for (int i = 0; touch >= 0 && i < 3; i++) {
                const double r = bed->touch[touch].r[i], e = now[j].r[i] - r;
                error += e * e;
                size += r * r;
            }
        }
        if (k == 0) first = error;
        most = fmax(most, error);
    }
    assert_true(first > 0 && most <= 4 * first);
    assert_true(size > 0 && error <= 1e-8 * size && error <= 1e-4 * first);
    free(now);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

static sti_bed* reloaded(sti_env* env, sti_bed* bed) {
    void* bytes;
    size_t size;
    sti_bed* again;
    assert_int_equal(sti_bed_save_state(bed, &bytes, &size), STI_OK);
    assert_int_equal(sti_bed_load_state(env, bytes, size, &again), STI_OK);
    sti_free(env, bytes);
    sti_bed_destroy(bed);
    return again;
}

// 6600 grains begin to land, in any number of threads; the second bed is saved and loaded on the way.
static void a_large_bed_gives_the_same_bits_in_two_threads_and_resumed(void** state) {
    (void)state;
    enum { GRAINS = 6600, STEPS = 80 };
    double* x[2];
    for (int t = 0; t < 2; t++) {
        sti_env* env = open_env_of(t + 1);
        sti_bed* bed = begin_settling(env, GRAINS, 3e-2);
        for (int k = 0; k < STEPS; k++) {
            assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
            if (t == 1 && k % 30 == 29) bed = reloaded(env, bed);
        }
        x[t] = malloc(3 * GRAINS * sizeof(double));
        sti_bed_get(bed, x[t], NULL, NULL);
        sti_bed_destroy(bed);
        sti_env_destroy(env);
    }
    assert_memory_equal(x[0], x[1], 3 * GRAINS * sizeof(double));
    free(x[0]);
    free(x[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bed_at_rest_needs_hardly_any_sweeps),
        cmocka_unit_test(a_contact_that_begins_hands_on_its_impulse_and_one_that_is_gone_nothing),
        cmocka_unit_test(a_step_learns_to_start_from_impulses_that_last),
        cmocka_unit_test(a_large_bed_gives_the_same_bits_in_two_threads_and_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
