// Paths: measures and distances against closed forms, random ones against dense sampling; failing allocations.
#include <math.h>
#include <stiction/stiction.h>

#include "base/rng.h"
#include "support/failing_env.h"
#include "support/group_env.h"
#include "support/near.h"

static void must(sti_status status) {
    if (status != STI_OK) print_error("%s\n", sti_env_error(group_env)->text);
    assert_int_equal(status, STI_OK);
}

// A ball that falls from rest for a second, then rests: v = -t, then 0; impulse 1.
static void measures_of_a_fall(void** state) {
    (void)state;
    sti_path* p;
    sti_path_measures m;
    must(sti_path_create(group_env, 1, 1, 0.5, &p));
    sti_path_measure(p, &m);
    assert_true(m.speed == 0 && isnan(m.jump_time));
    for (int k = 0; k <= 8; k++) {
        const double t = k / 4.0, q = t <= 1 ? -t * t / 2 : -0.5, v = t <= 1 ? -t : 0;
        must(sti_path_add(p, t, &q, &v, k == 5 ? 1 : 0));
    }
    sti_path_measure(p, &m);
    assert_near(m.speed, 1, 1e-15);
    assert_near(m.variation, 2, 1e-15);
    assert_near(m.jump, 1, 1e-15);
    assert_near(m.jump_time, 1.25, 1e-15);
    assert_near(m.impulses, 1, 1e-15);
    // v^(l,1/2): -1/8, -3/8, -5/8, -7/8, -1/2, 0, 0, 0
    assert_near(m.weighted_variation, 0.75 + 0.375 + 0.5, 1e-15);
    assert_int_equal(sti_path_count(p), 9);
    assert_near(sti_path_time(p, 8), 2, 0);
    assert_near(sti_path_q(p, 8)[0], -0.5, 0);
    assert_near(sti_path_v(p, 2)[0], -0.5, 0);
    sti_path_destroy(p);
}

// v = t on [0, 1] against v = 1 - t: L1 distance 1/2; against a jump that comes d later: L1 distance d, graphs d apart.
static void distances_by_hand(void** state) {
    (void)state;
    sti_path *a, *b;
    sti_path_error e;
    const double zero = 0, one = 1, half = 0.5;
    must(sti_path_create(group_env, 1, 1, 1, &a));
    must(sti_path_create(group_env, 1, 1, 1, &b));
    must(sti_path_add(a, 0, &zero, &zero, 0));
    must(sti_path_add(a, 1, &half, &one, 2));
    must(sti_path_add(b, 0, &zero, &one, 0));
    must(sti_path_add(b, 0.5, &zero, &half, 0));
    must(sti_path_add(b, 1, &half, &zero, 0));
    must(sti_path_compare(a, b, &e));
    assert_near(e.velocity, 0.5, 1e-15);
    assert_near(e.weighted, 0.25 + 0.5, 1e-15);
    assert_near(e.impulse, 1, 1e-15);
    assert_near(e.position, 0, 1e-15);
    assert_near(e.graph, 0.5, 1e-12);
    sti_path_destroy(a);
    sti_path_destroy(b);
    for (int k = 0; k < 2; k++) {
        const double at = k == 0 ? 0.5 : 0.625, eps = 1e-9;
        sti_path** p = k == 0 ? &a : &b;
        must(sti_path_create(group_env, 1, 1, 1, p));
        must(sti_path_add(*p, 0, &zero, &zero, 0));
        must(sti_path_add(*p, at, &zero, &zero, 0));
        must(sti_path_add(*p, at + eps, &zero, &one, 0));
        must(sti_path_add(*p, 1, &half, &one, 0));
    }
    must(sti_path_compare(a, b, &e));
    assert_near(e.velocity, 0.125, 1e-8);
    assert_near(e.graph, 0.125, 1e-8);
    sti_path_destroy(a);
    sti_path_destroy(b);
}

static sti_path* random_path(sti_rng* rng, int n, double alpha) {
    sti_path* p;
    double t = 0, q[3], v[3];
    must(sti_path_create(group_env, n, n, alpha, &p));
    const int rows = sti_rng_int(rng, 2, 9);
    for (int k = 0; k < rows; k++) {
        for (int i = 0; i < n; i++) {
            q[i] = 2 * sti_rng_u01(rng) - 1;
            v[i] = 2 * sti_rng_u01(rng) - 1;
        }
        must(sti_path_add(p, t, q, v, k > 0 ? sti_rng_u01(rng) : 0));
        t = k + 2 == rows ? 1 : t + (1 - t) * (0.1 + 0.5 * sti_rng_u01(rng));
    }
    return p;
}

// The reading of docs/steppers.md at t, by code of its own.
static double value_at(const sti_path* p, double t, int i, double alpha) {
    long l = 0;
    while (l + 2 < sti_path_count(p) && sti_path_time(p, l + 1) <= t) l++;
    const double a = sti_path_v(p, l)[i], b = sti_path_v(p, l + 1)[i];
    if (!isnan(alpha)) return (1 - alpha) * a + alpha * b;
    return a + (b - a) * (t - sti_path_time(p, l)) / (sti_path_time(p, l + 1) - sti_path_time(p, l));
}

static double graph_distance_by_sampling(const sti_path* a, const sti_path* b, int n) {
    enum { POINTS = 2000 };
    double worst = 0;
    for (long k = 0; k < sti_path_count(a); k++) {
        double best = INFINITY;
        for (int s = 0; s <= POINTS; s++) {
            const double t = (double)s / POINTS;
            double d = fabs(t - sti_path_time(a, k));
            for (int i = 0; i < n; i++) d = fmax(d, fabs(sti_path_v(a, k)[i] - value_at(b, t, i, NAN)));
            best = fmin(best, d);
        }
        worst = fmax(worst, best);
    }
    return worst;
}

static void random_paths_are_as_far_as_samples_say(void** state) {
    (void)state;
    sti_rng rng = {71};
    enum { POINTS = 4000 };
    for (int trial = 0; trial < 60; trial++) {
        const int n = sti_rng_int(&rng, 1, 3);
        const double alpha = 0.5 + 0.5 * sti_rng_u01(&rng);
        sti_path *a = random_path(&rng, n, alpha), *b = random_path(&rng, n, alpha);
        sti_path_error e, back;
        must(sti_path_compare(a, b, &e));
        must(sti_path_compare(b, a, &back));
        assert_near(e.velocity, back.velocity, 1e-12);
        assert_near(e.weighted, back.weighted, 1e-12);
        assert_near(e.impulse, back.impulse, 1e-12);
        assert_near(e.graph, back.graph, 1e-12);
        double velocity = 0, weighted = 0;
        for (int s = 0; s < POINTS; s++) {
            const double t = (s + 0.5) / POINTS;
            for (int i = 0; i < n; i++) {
                velocity += fabs(value_at(a, t, i, NAN) - value_at(b, t, i, NAN)) / POINTS;
                weighted += fabs(value_at(a, t, i, alpha) - value_at(b, t, i, alpha)) / POINTS;
            }
        }
        assert_near(e.velocity, velocity, 2e-3);
        assert_near(e.weighted, weighted, 2e-2);  // midpoints miss up to a cell at each of at most 16 jumps
        const double graph = fmax(graph_distance_by_sampling(a, b, n), graph_distance_by_sampling(b, a, n));
        assert_true(e.graph <= graph + 1e-12 && e.graph >= graph - 0.02);
        sti_path_destroy(a);
        sti_path_destroy(b);
    }
}

static void wrong_rows_are_refused(void** state) {
    (void)state;
    sti_path *p, *other;
    sti_path_error e;
    const double x[2] = {0, 0}, bad = NAN;
    assert_int_equal(sti_path_create(group_env, 0, 1, 1, &p), STI_ERR_ARGUMENT);
    assert_int_equal(sti_path_create(group_env, 1, 1, 0, &p), STI_ERR_ARGUMENT);
    must(sti_path_create(group_env, 1, 1, 1, &p));
    must(sti_path_create(group_env, 2, 1, 1, &other));
    must(sti_path_add(p, 0, x, x, 0));
    assert_int_equal(sti_path_add(p, 0, x, x, 0), STI_ERR_ARGUMENT);
    assert_int_equal(sti_path_add(p, 1, &bad, x, 0), STI_ERR_ARGUMENT);
    assert_int_equal(sti_path_add(p, 1, x, x, NAN), STI_ERR_ARGUMENT);
    assert_int_equal(sti_path_compare(p, p, &e), STI_ERR_ARGUMENT);
    assert_int_equal(sti_path_compare(p, other, &e), STI_ERR_ARGUMENT);
    sti_path_destroy(p);
    sti_path_destroy(other);
}

static void every_failing_allocation_is_survived(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_path* p = NULL;
        const double x = 0;
        sti_status status = sti_path_create(f.env, 1, 1, 1, &p);
        for (int l = 0; status == STI_OK && l < 100; l++) status = sti_path_add(p, l, &x, &x, 0);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        sti_path_error e;
        if (status == STI_OK) assert_int_equal(sti_path_compare(p, p, &e), STI_OK);
        sti_path_destroy(p);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_of_a_fall),
        cmocka_unit_test(distances_by_hand),
        cmocka_unit_test(random_paths_are_as_far_as_samples_say),
        cmocka_unit_test(wrong_rows_are_refused),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
