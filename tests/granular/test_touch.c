// test_touch.c: what a step starts from: a mean of the last impulses and what leads beyond it.
#include <stiction/run.h>
#include <string.h>

#include "granular/bed_tools.h"
// clang-format off
#include "granular/bed.h"
// clang-format on

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

// A contact that stays: m + 0.3 (r - start) is the mean, and 0.5 (r - m) leads beyond it. One that begins: r. One that is
// gone: nothing.
static void a_step_starts_from_a_mean_and_a_lead(void** state) {
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

// The start of a contact was `last`, its impulse is now `grown` times that; 0.8 is the quick filter of a deep bed with
// recover = 0.2. What part of the change the mean has learned.
static double part_learned(const sti_memo* last, const sti_memo* now, double grown) {
    double up = 0, all = 0;
    for (int i = 0; i < 3; i++) {
        const double start = last->r[i], m = start - last->lead[i], r = grown * start;
        assert_true(fabs(now->lead[i] - 0.8 * (r - m)) <= 1e-12 * (1 + fabs(start)));
        up += (now->r[i] - now->lead[i] - m) * start;
        all += (r - start) * start;
    }
    return up / all;
}

// A deep bed that is called calm, and its impulses after a step: all have grown by the same part, or by that part with one and
// the other sign, and one in RARE by twice what it was.
typedef struct learner {
    sti_bed* bed;
    sti_memo *last, *now;  // by pair
    double* grown;
    int64_t pairs;
    double square;  // mean of the starts
} learner;

enum { RARE = 101 };

static learner learn(sti_env* env, int count, bool alike, double growth) {
    sti_bed* bed = land(env, count);
    learner l = {.bed = bed};
    l.pairs = bed->near_start[count];
    l.last = memos_of(bed, NULL);
    l.grown = calloc((size_t)l.pairs, sizeof *l.grown);
    uint64_t seed = 7;
    int seen = 0;
    for (int64_t j = 0; j < l.pairs; j++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        l.grown[j] = alike || seed >> 63 == 0 ? 1 + growth : 1 - growth;
        if (!alike && j % RARE == 0) l.grown[j] = j / RARE % 2 == 0 ? 3 : -1;
        if (bed->near[j].touch < 0) continue;
        for (int i = 0; i < 3; i++) bed->touch[bed->near[j].touch].r[i] = l.grown[j] * l.last[j].r[i];
        l.square += sti_dot3(l.last[j].r, l.last[j].r);
        seen++;
    }
    assert_true(seen > 1000);
    l.square /= seen;
    bed->calm = true;
    for (int s = 0; s < bed->slab_count; s++) sti_bed_keep(bed, s);
    l.now = memos_of(bed, NULL);
    return l;
}

static void forget(learner* l) {
    free(l->last);
    free(l->now);
    free(l->grown);
    sti_bed_destroy(l->bed);
}

// The mean, the least and the largest part learned by contacts whose start is at least or at most of middle size, rare ones or others.
static double find_parts(const learner* l, bool rare, bool large, double* least, double* most) {
    int seen = 0;
    double sum = 0;
    *least = INFINITY;
    *most = -INFINITY;
    for (int64_t j = 0; j < l->pairs; j++) {
        const double size = sti_dot3(l->last[j].r, l->last[j].r);
        if (!(size > 0) || (j % RARE == 0) != rare || (size > l->square) != large) continue;
        const double part = part_learned(&l->last[j], &l->now[j], l->grown[j]);
        *least = fmin(*least, part);
        *most = fmax(*most, part);
        sum += part;
        seen++;
    }
    assert_true(seen >= (rare ? 10 : 300));
    return sum / seen;
}

static void the_mean_of_a_calm_bed_learns_a_part_of_a_growth_in_common_and_a_loss_as_it_is(void** state) {
    (void)state;
    sti_env* env = open_env_of(2);
    const double growth[2] = {0.5, -0.2}, part[2] = {0.2 * 0.12, 0.2};
    for (int k = 0; k < 2; k++) {
        learner l = learn(env, 13000, true, growth[k]);
        for (int large = 0; large < 2; large++) {
            double least, most;
            find_parts(&l, false, large != 0, &least, &most);
            assert_true(fabs(least - part[k]) <= 1e-8 && fabs(most - part[k]) <= 1e-8);
        }
        forget(&l);
    }
    sti_env_destroy(env);
}

static void the_mean_of_a_calm_bed_learns_a_change_that_stands_out_four_times_as_quickly(void** state) {
    (void)state;
    sti_env* env = open_env_of(2);
    learner l = learn(env, 13000, false, 0.2);
    double least, most;
    assert_true(fabs(find_parts(&l, true, true, &least, &most) - 0.8) < 0.03);
    assert_true(least > 0.7);
    assert_true(fabs(find_parts(&l, false, false, &least, &most) - 0.22) < 0.04);
    forget(&l);
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
        sti_bed* bed = begin_settling(env, GRAINS, 3e-2);
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
        cmocka_unit_test(the_mean_of_a_calm_bed_learns_a_part_of_a_growth_in_common_and_a_loss_as_it_is),
        cmocka_unit_test(the_mean_of_a_calm_bed_learns_a_change_that_stands_out_four_times_as_quickly),
        cmocka_unit_test(a_deep_bed_gives_the_same_bits_in_two_threads_and_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
