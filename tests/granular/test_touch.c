// test_touch.c: what a step starts from: a mean of the last impulses and what leads beyond it.
#include <stiction/run.h>
#include <string.h>

#include "granular/bed_tools.h"
// clang-format off
#include "granular/bed.h"
// clang-format on

static sti_bed* settle(sti_env* env, int count) {
    sti_grains g;
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.002;
    o.recover = 0.2;
    assert_int_equal(sti_grains_settle(env, count, 1, &g), STI_OK);
    return bed_of(env, &g, &o);
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
    sti_env* env = open_env_of(1);
    sti_bed* bed = settle(env, 100);
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

// A contact that stays: m + 0.3 (r - start) is the mean, and 0.5 (r - m) leads beyond it. One that begins: r. One that is
// gone: nothing.
static void a_step_starts_from_a_mean_and_a_lead(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    sti_bed* bed = settle(env, 60);
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
            const bool before = sti_dot3(last[j].r, last[j].r) > 0;
            for (int i = 0; i < 3; i++) {
                const double r = touch < 0 ? 0 : bed->touch[touch].r[i];
                const double start = last[j].r[i], m = touch >= 0 && before ? start - last[j].lead[i] : r;
                const double mean = touch >= 0 && before ? m + 0.3 * (r - start) : r;
                assert_true(fabs(now[j].lead[i] - 0.5 * (r - m)) <= 1e-15);
                assert_true(fabs(now[j].r[i] - now[j].lead[i] - mean) <= 1e-15);
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

// The start of a contact was `last`, its impulse is now `grown` times that; 0.4 and 0.8 are the filters of a deep bed with
// recover = 0.2. What part of the growth the mean has learned.
static double part_learned(const sti_memo* last, const sti_memo* now, double grown) {
    double up = 0, all = 0;
    for (int i = 0; i < 3; i++) {
        const double start = last->r[i], m = start - last->lead[i], r = grown * start;
        assert_true(fabs(now->lead[i] - 0.8 * (r - m)) <= 1e-12 * (1 + fabs(start)));
        up += (now->r[i] - now->lead[i] - m) * start;
        all += 0.4 * (r - start) * start;
    }
    return up / all;
}

// A deep bed that is called calm, with impulses that have grown by the part `growth`, all alike, or by one and the other sign.
// The mean of what was learned; `part` of it by every contact, if alike.
static double mean_learned(sti_env* env, int count, bool alike, double growth, double part) {
    sti_bed* bed = settle(env, count);
    bed->options.tol = 3e-2;
    for (int k = 0; k < 110; k++) assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    const int64_t pairs = bed->near_start[count];
    sti_memo* last = memos_of(bed, NULL);
    double* grown = calloc((size_t)pairs, sizeof *grown);
    uint64_t seed = 7;
    for (int64_t j = 0; j < pairs; j++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        grown[j] = alike || seed >> 63 == 0 ? 1 + growth : 1 - growth;
        if (bed->near[j].touch < 0) continue;
        for (int i = 0; i < 3; i++) bed->touch[bed->near[j].touch].r[i] = grown[j] * last[j].r[i];
    }
    bed->calm = true;
    for (int s = 0; s < bed->slab_count; s++) sti_bed_keep(bed, s);
    sti_memo* now = memos_of(bed, NULL);
    int seen = 0;
    double sum = 0;
    for (int64_t j = 0; j < pairs; j++) {
        if (!(sti_dot3(last[j].r, last[j].r) > 0)) continue;
        const double learned = part_learned(&last[j], &now[j], grown[j]);
        if (alike) assert_true(fabs(learned - part) <= 1e-8);
        sum += learned;
        seen++;
    }
    assert_true(seen > 1000);
    free(last);
    free(now);
    free(grown);
    sti_bed_destroy(bed);
    return sum / seen;
}

// Loads that have grown all alike are learned in part, those that have fallen all alike or shift from contact to contact are
// learned whole.
static void the_mean_of_a_calm_bed_learns_a_part_of_a_growth_in_common(void** state) {
    (void)state;
    sti_env* env = open_env_of(2);
    assert_true(fabs(mean_learned(env, 13000, true, 0.5, 0.12) - 0.12) <= 1e-8);
    assert_true(fabs(mean_learned(env, 13000, true, -0.2, 1) - 1) <= 1e-8);
    assert_true(fabs(mean_learned(env, 13000, false, 0.1, 1) - 1) < 0.05);
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

// 6600 grains begin to land: a deep bed, with calm steps and others, in any number of threads; the second one is saved and
// loaded on the way.
static void a_deep_bed_gives_the_same_bits_in_two_threads_and_resumed(void** state) {
    (void)state;
    enum { GRAINS = 6600, STEPS = 80 };
    double* x[2];
    for (int t = 0; t < 2; t++) {
        sti_env* env = open_env_of(t + 1);
        sti_bed* bed = settle(env, GRAINS);
        bed->options.tol = 3e-2;
        int calm = 0;
        for (int k = 0; k < STEPS; k++) {
            assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
            calm += bed->calm;
            if (t == 1 && k % 30 == 29) bed = reloaded(env, bed);
        }
        assert_true(calm > 0 && calm < STEPS);
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
        cmocka_unit_test(a_step_starts_from_a_mean_and_a_lead),
        cmocka_unit_test(the_mean_of_a_calm_bed_learns_a_part_of_a_growth_in_common),
        cmocka_unit_test(a_deep_bed_gives_the_same_bits_in_two_threads_and_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
