// Modes by actuators: closed forms on a block and a point, random cases against a search, the checker, failing memory.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/stiction.h>

#include "base/rng.h"
#include "support/failing_env.h"
#include "support/group_env.h"
#include "support/near.h"

typedef struct lever {
    sti_rationals *base, *direction, *low, *high;
    sti_actuators by;
} lever;

static sti_status open_lever(sti_env* e, lever* k, int n, int count, const double* base, const double* direction,
                             const double* low, const double* high) {
    *k = (lever){0};
    sti_status status = sti_rationals_create(e, (size_t)n, &k->base);
    if (status == STI_OK) status = sti_rationals_create(e, (size_t)(n * count), &k->direction);
    if (status == STI_OK) status = sti_rationals_create(e, (size_t)count, &k->low);
    if (status == STI_OK) status = sti_rationals_create(e, (size_t)count, &k->high);
    for (int i = 0; status == STI_OK && i < n; i++) status = sti_rationals_set_double(k->base, (size_t)i, base[i]);
    for (int i = 0; status == STI_OK && i < n * count; i++)
        status = sti_rationals_set_double(k->direction, (size_t)i, direction[i]);
    for (int i = 0; status == STI_OK && i < count; i++) status = sti_rationals_set_double(k->low, (size_t)i, low[i]);
    for (int i = 0; status == STI_OK && i < count; i++) status = sti_rationals_set_double(k->high, (size_t)i, high[i]);
    k->by = (sti_actuators){.count = count, .direction = k->direction, .low = k->low, .high = k->high};
    return status;
}

static void close_lever(lever* k) {
    sti_rationals_destroy(k->base);
    sti_rationals_destroy(k->direction);
    sti_rationals_destroy(k->low);
    sti_rationals_destroy(k->high);
}

// A set { w : G w <= h } as the wrenches of a mode: the cone over (w, 1).
static sti_status make_set(sti_env* e, int n, int faces, const double* G, const double* h, sti_mode_wrenches* out) {
    double rows[200];
    sti_rationals* exact;
    const size_t width = (size_t)n + 1;
    for (int f = 0; f <= faces; f++) {
        for (int i = 0; i < n; i++) rows[(size_t)f * width + (size_t)i] = f < faces ? G[f * n + i] : 0;
        rows[(size_t)f * width + (size_t)n] = f < faces ? -h[f] : -1;  // and height >= 0
    }
    sti_status status = sti_rationals_create(e, (size_t)(faces + 1) * width, &exact);
    if (status != STI_OK) return status;
    for (size_t i = 0; status == STI_OK && i < (size_t)(faces + 1) * width; i++)
        status = sti_rationals_set_double(exact, i, rows[i]);
    const sti_rows inequalities = {.count = faces + 1, .dimension = n + 1, .value = rows, .exact = exact};
    *out = (sti_mode_wrenches){0};
    if (status == STI_OK) status = sti_polycone_create_face(e, n + 1, &inequalities, NULL, NULL, &out->cone);
    sti_rationals_destroy(exact);
    return status;
}

static void ask(const sti_mode_wrenches* set, int n, const lever* k, sti_actuation** a) {
    sti_actuation_verification check;
    if (sti_actuation_create(group_env, set, n, k->base, &k->by, a) != STI_OK)
        fail_msg("%s", sti_env_error(group_env)->text);
    assert_int_equal(sti_verify_actuation(group_env, set, n, k->base, &k->by, *a, 1e-9, &check), STI_OK);
    if (!check.accepted) fail_msg("%s: %g %g %g", check.text, check.bounds, check.faces, check.gap);
}

// The square |w|_1,2 <= 1, a force along x within [-a, a], a base outside of it: the margin is known.
static void a_force_brings_a_wrench_into_a_square(void** state) {
    (void)state;
    const double G[8] = {1, 0, -1, 0, 0, 1, 0, -1}, h[4] = {1, 1, 1, 1};
    sti_mode_wrenches set;
    assert_int_equal(make_set(group_env, 2, 4, G, h, &set), STI_OK);
    for (int i = 0; i <= 12; i++) {
        const double most = 0.25 * i, base[2] = {2, 0.5}, direction[2] = {1, 0}, low = -most, high = most;
        lever k;
        sti_actuation* a;
        assert_int_equal(open_lever(group_env, &k, 2, 1, base, direction, &low, &high), STI_OK);
        ask(&set, 2, &k, &a);
        const double along = most - 1, across = 0.5;  // distances to x = 1 and y = 1
        assert_near(a->margin, fmin(along, across), 1e-12);
        assert_true(a->possible == (most >= 1) && a->strict == (most > 1) && a->reachable);
        if (along < across) {
            assert_int_equal(a->limit, 0);
            assert_near(a->rate[0], 1, 1e-12);
            assert_near(a->tau[0], -most, 1e-12);
        }
        if (along > across) assert_int_equal(a->limit, -1);
        sti_actuation_destroy(group_env, a);
        close_lever(&k);
    }
    sti_polycone_destroy(set.cone);
}

// Random polygons and two actuators: a grid over the controls finds no better margin, and the claimed one is met.
static void no_control_on_a_grid_does_better(void** state) {
    (void)state;
    sti_rng rng = {31};
    int possible = 0, limited = 0;
    for (int round = 0; round < 200; round++) {
        double G[12], h[6], base[2], direction[4], low[2], high[2], best = -INFINITY;
        for (int f = 0; f < 6; f++) {
            const double angle = 2 * M_PI * (f + 0.8 * sti_rng_u01(&rng)) / 6;
            G[2 * f] = cos(angle);
            G[2 * f + 1] = sin(angle);
            h[f] = 0.3 + sti_rng_u01(&rng);
        }
        for (int i = 0; i < 2; i++) {
            base[i] = 4 * sti_rng_u01(&rng) - 2;
            low[i] = -2 * sti_rng_u01(&rng);
            high[i] = 2 * sti_rng_u01(&rng);
        }
        for (int i = 0; i < 4; i++) direction[i] = 2 * sti_rng_u01(&rng) - 1;
        sti_mode_wrenches set;
        lever k;
        sti_actuation* a;
        assert_int_equal(make_set(group_env, 2, 6, G, h, &set), STI_OK);
        assert_int_equal(open_lever(group_env, &k, 2, 2, base, direction, low, high), STI_OK);
        ask(&set, 2, &k, &a);
        for (int i = 0; i <= 60; i++) {
            for (int j = 0; j <= 60; j++) {
                const double x = low[0] + (high[0] - low[0]) * i / 60, y = low[1] + (high[1] - low[1]) * j / 60;
                double least = INFINITY;
                for (int f = 0; f < 6; f++) {
                    const double w0 = base[0] + x * direction[0] + y * direction[2],
                                 w1 = base[1] + x * direction[1] + y * direction[3];
                    least = fmin(least, (h[f] - G[2 * f] * w0 - G[2 * f + 1] * w1) / hypot(G[2 * f], G[2 * f + 1]));
                }
                best = fmax(best, least);
            }
        }
        assert_true(a->margin >= best - 1e-9 && a->margin <= best + 0.2);
        possible += a->possible;
        limited += a->limit >= 0;
        sti_actuation_destroy(group_env, a);
        close_lever(&k);
        sti_polycone_destroy(set.cone);
    }
    assert_true(possible > 40 && possible < 190 && limited > 40);
}

// The rocking block at rest: tipping needs a moment, and the modes told possible are those that the wrench with the
// controls has.
static void modes_of_a_block_are_those_of_the_wrench_with_controls(void** state) {
    (void)state;
    sti_document* p;
    sti_instant* in;
    double t, q[8], v[8];
    char path[400];
    snprintf(path, sizeof path, "%s/scenes/rocking-block.json", STI_SOURCE_DIR);
    assert_int_equal(sti_document_load(group_env, path, &p), STI_OK);
    assert_int_equal(sti_system_state(sti_system_of(p), &t, q, v), STI_OK);
    assert_int_equal(sti_system_instant(group_env, sti_system_of(p), t, q, v, &in), STI_OK);
    sti_modes* m;
    sti_modes_options o = sti_modes_options_default();
    assert_int_equal(sti_modes_create(group_env, in, &o, &m), STI_OK);
    const double direction[6] = {1, 0, 0, 0, 0, 1}, low[2] = {-20, -8}, high[2] = {20, 8};
    double base[3];
    lever k;
    int strict = 0;
    for (int i = 0; i < 3; i++) base[i] = sti_rationals_double(m->wrench, (size_t)i);
    assert_int_equal(open_lever(group_env, &k, 3, 2, base, direction, low, high), STI_OK);
    for (int i = 0; i < m->mode_count; i++) {
        sti_actuation* a;
        if (m->modes[i].wrenches == NULL || sti_polycone_equations(m->modes[i].wrenches->cone).count > 0) continue;
        ask(m->modes[i].wrenches, 3, &k, &a);
        if (a->strict) {
            strict++;
            const double wrench[3] = {base[0] + a->tau[0], base[1], base[2] + a->tau[1]};
            sti_modes* with;
            o.wrench = wrench;
            assert_int_equal(sti_modes_create(group_env, in, &o, &with), STI_OK);
            const int at = sti_modes_find(with, m->modes[i].text);
            assert_true(at >= 0 && with->modes[at].fit == STI_MODE_STRICT);
            assert_near(with->modes[at].wrenches->margin, a->margin, 1e-9);
            sti_modes_destroy(with);
            o.wrench = NULL;
        }
        sti_actuation_destroy(group_env, a);
    }
    assert_true(strict >= 2);
    close_lever(&k);
    sti_modes_destroy(m);
    sti_instant_destroy(group_env, in);
    sti_document_destroy(p);
}

static void forged_margins_are_not_accepted(void** state) {
    (void)state;
    const double G[8] = {1, 0, -1, 0, 0, 1, 0, -1}, h[4] = {1, 1, 1, 1}, base[2] = {2, 0.5}, direction[2] = {1, 0};
    const double low = -1.25, high = 1.25;
    sti_mode_wrenches set;
    lever k;
    sti_actuation* a;
    sti_actuation_verification check;
    assert_int_equal(make_set(group_env, 2, 4, G, h, &set), STI_OK);
    assert_int_equal(open_lever(group_env, &k, 2, 1, base, direction, &low, &high), STI_OK);
    ask(&set, 2, &k, &a);
    const double margin = a->margin, tau = a->tau[0];
    const double wrong[2] = {margin + 0.01, margin - 0.01};
    for (int i = 0; i < 2; i++) {
        a->margin = wrong[i];
        assert_int_equal(sti_verify_actuation(group_env, &set, 2, k.base, &k.by, a, 1e-9, &check), STI_OK);
        assert_false(check.accepted);
    }
    a->margin = margin;
    a->tau[0] = -1.3;
    assert_int_equal(sti_verify_actuation(group_env, &set, 2, k.base, &k.by, a, 1e-9, &check), STI_OK);
    assert_false(check.accepted);
    a->tau[0] = tau;
    a->face_multiplier[a->limit_face] *= 2;
    assert_int_equal(sti_verify_actuation(group_env, &set, 2, k.base, &k.by, a, 1e-9, &check), STI_OK);
    assert_false(check.accepted);
    sti_actuation_destroy(group_env, a);
    close_lever(&k);
    sti_polycone_destroy(set.cone);
}

static void every_failing_allocation_is_survived(void** state) {
    (void)state;
    const double G[8] = {1, 0, -1, 0, 0, 1, 0, -1}, h[4] = {1, 1, 1, 1}, base[2] = {2, 0.5}, direction[2] = {1, 0.25};
    const double low = -1.25, high = 1.25;
    for (long i = 0;; i++) {
        failing_env f;
        failing_env_open(&f, i);
        sti_mode_wrenches set = {0};
        lever k = {0};
        sti_actuation* a = NULL;
        sti_status status = make_set(f.env, 2, 4, G, h, &set);
        if (status == STI_OK) status = open_lever(f.env, &k, 2, 1, base, direction, &low, &high);
        if (status == STI_OK) status = sti_actuation_create(f.env, &set, 2, k.base, &k.by, &a);
        sti_actuation_verification check;
        if (status == STI_OK) status = sti_verify_actuation(f.env, &set, 2, k.base, &k.by, a, 1e-9, &check);
        if (status == STI_OK) assert_true(check.accepted);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_actuation_destroy(f.env, a);
        close_lever(&k);
        sti_polycone_destroy(set.cone);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_brings_a_wrench_into_a_square),
        cmocka_unit_test(no_control_on_a_grid_does_better),
        cmocka_unit_test(modes_of_a_block_are_those_of_the_wrench_with_controls),
        cmocka_unit_test(forged_margins_are_not_accepted),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
