// test_near.c: the list of near pairs misses no contact, whoever was listed when.
#include <stiction/recording.h>
#include <string.h>

#include "base/rng.h"
#include "granular/bed.h"
#include "granular/bed_tools.h"
#include "support/failing_env.h"

enum { MOST = 600 };

// What the next step must take along (2), may take along (1) or must not (0), from all pairs; walls behind the grains.
static void expect_contacts(const sti_bed* bed, unsigned char* expected) {
    static double x[3 * MOST], v[3 * MOST];
    const sti_bed_options* o = &bed->options;
    const int n = bed->n, width = n + bed->wall_count;
    double fastest = 0;
    sti_bed_get(bed, x, v, NULL);
    for (int a = 0; a < n; a++) fastest = fmax(fastest, norm(v + 3 * a));
    const double eps = fmax(o->eps, o->eps_speed * o->h * fastest), tiny = 1e-11;
    const double fall = o->h * o->h * norm(bed->gravity);
    for (int a = 0; a < n; a++) {
        const double R = bed->radius[bed->place[a]], s = norm(v + 3 * a);
        for (int b = 0; b < width; b++) {
            double gap, low, high, unused[3];
            if (b < n) {
                const double S = bed->radius[bed->place[b]], t = norm(v + 3 * b);
                const double d[3] = {x[3 * a] - x[3 * b], x[3 * a + 1] - x[3 * b + 1], x[3 * a + 2] - x[3 * b + 2]};
                gap = norm(d) - R - S;
                low = 0.02 * fmin(R, S) + o->h * fmax(s, t) + fall;
                high = 0.02 * fmax(R, S) + o->h * fmax(s, t) + fall;
            } else {
                gap = sti_wall_gap(&bed->walls[b - n], x + 3 * a, R, unused);
                low = high = 0.02 * R + o->h * s + fall;
            }
            if (o->eps > 0) low = high = eps;
            expected[a * width + b] = a == b || gap > high + tiny ? 0 : gap < low - tiny ? 2 : 1;
        }
    }
}

// One step, and whether its contacts are those of all pairs, each once. One that was made anew has more.
static void step_and_compare(sti_bed* bed) {
    static unsigned char expected[MOST * (MOST + 8)];
    static sti_bed_contact contact[40 * MOST];
    const int n = bed->n, width = n + bed->wall_count;
    expect_contacts(bed, expected);
    sti_bed_report report;
    assert_int_equal(sti_bed_step(bed, &report), STI_OK);
    const int count = sti_bed_contact_count(bed);
    assert_true(count < 40 * MOST);
    sti_bed_contacts(bed, contact);
    for (int k = 0; k < count; k++) {
        const int a = contact[k].a, b = contact[k].b;
        assert_true(report.again > 0 || expected[a * width + (b >= 0 ? b : n - 1 - b)] != 0);
        expected[a * width + (b >= 0 ? b : n - 1 - b)] = 0;
        if (b >= 0) expected[b * width + a] = 0;
    }
    for (int k = 0; k < n * width; k++) assert_true(expected[k] != 2);
}

typedef struct lists {
    int whole, some;
} lists;

static lists run_and_compare(sti_bed* bed, int steps, sti_recirculation* flow) {
    lists made = {0, 0};
    for (int k = 0; k < steps; k++) {
        const int64_t* start = bed->near_start;
        const int64_t count = start[bed->n];
        step_and_compare(bed);
        made.whole += bed->near_start != start;
        made.some += bed->near_start == start && start[bed->n] != count;
        if (flow != NULL) assert_int_equal(sti_recirculation_apply(flow, bed, NULL), STI_OK);
    }
    return made;
}

static void contacts_are_those_of_all_pairs_from_the_fall_to_rest(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    sti_grains g = pebbles(env, 300, 2);
    sti_bed_options o = sti_bed_options_default();
    o.recover = 0.2;
    sti_bed* bed = bed_of(env, &g, &o);
    run_and_compare(bed, 200, NULL);
    const lists calm = run_and_compare(bed, 300, NULL);
    assert_true(calm.some > 0 && calm.whole < 40);  // grains that roll are listed alone
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

static void contacts_are_those_of_all_pairs_in_a_drum_and_with_mixed_radii(void** state) {
    (void)state;
    sti_env* env = open_env_of(2);
    const sti_grain_pour def = {.count = 200, .seed = 3, .mu = 0.4, .spread = 0.5, .spin = 1.0};
    sti_grains g;
    sti_bed_options o = sti_bed_options_default();
    assert_int_equal(sti_grains_drum(env, &def, &g), STI_OK);
    sti_bed* bed = bed_of(env, &g, &o);
    run_and_compare(bed, 300, NULL);
    sti_bed_destroy(bed);
    assert_int_equal(sti_grains_heap(env, &def, &g), STI_OK);
    o.h = 0.05;
    bed = bed_of(env, &g, &o);
    run_and_compare(bed, 150, NULL);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

static void contacts_are_those_of_all_pairs_with_one_eps(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    sti_grains g = pebbles(env, 200, 1);
    sti_bed_options o = reference_options(STI_BED_GS, 1e-3);
    o.law = STI_LAW_CONE;
    sti_bed* bed = bed_of(env, &g, &o);
    run_and_compare(bed, 300, NULL);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

// Grains that come in again are far from where they were listed.
static void contacts_are_those_of_all_pairs_in_a_flow(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    const sti_pebble_bed def = {.count = 120, .seed = 1, .cylinder = 3, .opening = 2, .mu = 0.2};
    sti_grains g;
    assert_int_equal(sti_grains_pebble_bed(env, &def, &g), STI_OK);
    sti_grains_open_bottom(&g);
    sti_bed_options o = sti_bed_options_default();
    o.recover = 0.2;
    sti_bed* bed = bed_of(env, &g, &o);
    sti_recirculation* flow;
    assert_int_equal(sti_recirculation_create(env, bed, -1, 2, 3, &flow), STI_OK);
    run_and_compare(bed, 300, flow);
    assert_true(sti_recirculation_outflow(flow).left > 10);
    sti_recirculation_destroy(env, flow);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

// One grain is shot through a bed at rest, for which nobody else is listed anew.
static void a_bullet_is_listed_alone(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    static double x[900], v[900], w[900];
    sti_grains g = pebbles(env, 300, 2);
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.002;
    o.recover = 0.2;
    for (int i = 0; i < 3; i++) g.gravity[i] = 0;
    sti_bed* bed = bed_of(env, &g, &o);
    sti_bed_get(bed, x, v, w);
    v[0] = 3;
    v[1] = 0.5;
    assert_int_equal(sti_bed_set(bed, x, v, w), STI_OK);
    const lists made = run_and_compare(bed, 400, NULL);
    assert_true(made.whole < 8 && made.some > 5);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

// A bed that has just listed some grains alone; its state.
static void rolling_bed(sti_env* env, void** bytes, size_t* size) {
    sti_grains g = pebbles(env, 300, 2);
    sti_bed_options o = sti_bed_options_default();
    o.recover = 0.2;
    sti_bed* bed = bed_of(env, &g, &o);
    int strays = 0;
    for (int k = 0; k < 200 || bed->stray_count <= strays; k++) {
        assert_true(k < 600);
        strays = bed->stray_count;
        assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    }
    assert_int_equal(sti_bed_save_state(bed, bytes, size), STI_OK);
    sti_bed_destroy(bed);
}

static void a_bed_with_strays_goes_on_bit_by_bit(void** state) {
    (void)state;
    sti_env* env[2] = {open_env_of(1), open_env_of(2)};
    void* bytes;
    size_t size;
    rolling_bed(env[0], &bytes, &size);
    sti_bed *straight, *bed;
    assert_int_equal(sti_bed_load_state(env[0], bytes, size, &straight), STI_OK);
    assert_int_equal(sti_bed_load_state(env[1], bytes, size, &bed), STI_OK);
    assert_true(bed->stray_count > 0);
    for (int k = 0; k < 60; k++) {  // the one is stopped after every step
        void* again;
        assert_int_equal(sti_bed_step(straight, NULL), STI_OK);
        assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
        assert_int_equal(sti_bed_save_state(bed, &again, &size), STI_OK);
        sti_bed_destroy(bed);
        assert_int_equal(sti_bed_load_state(env[(k + 1) % 2], again, size, &bed), STI_OK);
        sti_env_free(env[1 - k % 2], again);
        assert_int_equal(bed->stray_count, straight->stray_count);
        assert_memory_equal(bed->x, straight->x, 900 * sizeof(double));
        assert_int_equal(bed->near_start[300], straight->near_start[300]);
    }
    sti_bed_destroy(straight);
    sti_bed_destroy(bed);
    sti_env_free(env[0], bytes);
    for (int k = 0; k < 2; k++) sti_env_destroy(env[k]);
}

// Memos by number of the grains, on the one with the smaller number; walls behind the grains.
static void memos_by_number(const sti_bed* bed, sti_memo* out) {
    const int n = bed->n, width = n + bed->wall_count;
    memset(out, 0, (size_t)n * (size_t)width * sizeof *out);
    for (int a = 0; a < n; a++) {
        for (int64_t k = bed->near_start[a]; k < bed->near_start[a + 1]; k++) {
            const sti_near* near = &bed->near[k];
            if (near->touch < 0) continue;
            const int i = bed->id[a], j = near->b >= 0 ? bed->id[near->b] : n - 1 - near->b;
            sti_memo* m = &out[(i < j ? i : j) * width + (i < j ? j : i)];
            *m = bed->memo[near->touch];
            for (int c = 0; i > j && c < 3; c++) {
                m->r[c] = -m->r[c];
                m->lead[c] = -m->lead[c];
            }
        }
    }
}

static void a_new_list_keeps_what_contacts_hand_on(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    void* bytes;
    size_t size;
    rolling_bed(env, &bytes, &size);
    sti_bed* bed;
    assert_int_equal(sti_bed_load_state(env, bytes, size, &bed), STI_OK);
    const size_t all = (size_t)bed->n * (size_t)(bed->n + bed->wall_count);
    sti_memo *before = calloc(all, sizeof *before), *after = calloc(all, sizeof *after);
    int kept = 0;
    for (int k = 0; k < 5; k++) {
        for (int step = 0; step < 20; step++) assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
        memos_by_number(bed, before);
        assert_int_equal(sti_bed_list(bed), STI_OK);
        memos_by_number(bed, after);
        for (size_t j = 0; j < all; j++) {
            for (int i = 0; i < 3; i++) {
                assert_true(before[j].r[i] == after[j].r[i]);
                assert_true(before[j].lead[i] == after[j].lead[i]);
            }
            kept += before[j].r[2] != 0;
        }
    }
    assert_true(kept > 5 * 300);
    free(before);
    free(after);
    sti_bed_destroy(bed);
    sti_env_free(env, bytes);
    sti_env_destroy(env);
}

// Some steps from this state for every allocation that may fail in them, and after the failure three more, which must
// have the contacts of all pairs. How many failed.
static int fail_each_allocation(const void* bytes, size_t size, int steps) {
    for (int k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, -1);
        sti_bed* bed;
        assert_int_equal(sti_bed_load_state(f.env, bytes, size, &bed), STI_OK);
        f.fail_at = f.count + k;
        sti_status status = STI_OK;
        for (int step = 0; step < steps && status == STI_OK; step++) status = sti_bed_step(bed, NULL);
        const bool failed = f.count > f.fail_at;
        assert_int_equal(status, failed ? STI_ERR_MEMORY : STI_OK);
        f.fail_at = -1;
        for (int step = 0; step < 3; step++) step_and_compare(bed);
        sti_bed_destroy(bed);
        failing_env_close(&f);
        if (!failed) return k;
    }
}

static void lists_survive_every_failed_allocation(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    void* bytes;
    size_t size;
    rolling_bed(env, &bytes, &size);
    assert_true(fail_each_allocation(bytes, size, 40) > 0);
    sti_env_free(env, bytes);
    sti_env_destroy(env);
}

// A lattice at rest, and beside it one grain that flies down a corridor at another, some slabs away: it strays, and in
// the end a whole list is asked for, because the other is beyond the next slab.
static void corridor(sti_env* env, double ahead, void** bytes, size_t* size) {
    enum { LONG = 16, WIDE = 6, COUNT = LONG * WIDE * WIDE + 1 };
    static double x[3 * COUNT], v[3 * COUNT], w[3 * COUNT], radius[COUNT], mass[COUNT];
    for (int k = 0; k < COUNT; k++) {
        const double at[3] = {2.0 * (k / (WIDE * WIDE)), 1.2 * (k / WIDE % WIDE), 1.2 * (k % WIDE)};
        for (int i = 0; i < 3; i++) x[3 * k + i] = at[i];
        radius[k] = 0.5;
        mass[k] = 1;
    }
    const double flies[3] = {8 + ahead, -3, 0}, waits[3] = {20, -3, 0};
    for (int i = 0; i < 3; i++) {
        x[3 * (COUNT - 1) + i] = flies[i];
        x[3 * (COUNT - 2) + i] = waits[i];
    }
    v[3 * (COUNT - 1)] = 20;
    const sti_grains g = {.count = COUNT, .x = x, .v = v, .w = w, .radius = radius, .mass = mass, .mu = 0.3};
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.005;
    sti_bed* bed;
    assert_int_equal(sti_bed_create(env, &g, &o, &bed), STI_OK);
    for (int k = 0; k < 100; k++) assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    assert_int_equal(sti_bed_save_state(bed, bytes, size), STI_OK);
    sti_bed_destroy(bed);
}

static void no_contact_is_missed_after_a_failed_allocation_on_the_way_to_a_whole_list(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    int failures = 0;
    for (int phase = 0; phase < 3; phase++) {
        void* bytes;
        size_t size;
        corridor(env, 0.15 * phase, &bytes, &size);
        failures += fail_each_allocation(bytes, size, 14);
        sti_env_free(env, bytes);
    }
    assert_true(failures > 10);
    sti_env_destroy(env);
}

// Grains of many sizes that fly in all directions, each up to two of its radii in a step: whoever meets whom within it,
// none is in another afterwards, and where nothing was missed there was no step anew.
static void no_pair_that_was_left_out_overlaps_when_the_step_is_over(void** state) {
    (void)state;
    enum { SIDE = 6, COUNT = SIDE * SIDE * SIDE, CLOUDS = 12 };
    static double x[3 * COUNT], v[3 * COUNT], w[3 * COUNT], radius[COUNT], mass[COUNT];
    sti_env* env = open_env_of(2);
    sti_bed_options o = sti_bed_options_default();
    o.tol = 1e-6;
    int again = 0, once = 0;
    for (int cloud = 0; cloud < CLOUDS; cloud++) {
        sti_rng rng = {(uint64_t)cloud + 1};
        const double fast = 1.0 / (1 + cloud % 4 * 4);  // radii in a step
        for (int k = 0; k < COUNT; k++) {
            const int at[3] = {k / (SIDE * SIDE), k / SIDE % SIDE, k % SIDE};
            radius[k] = 0.2 + 0.3 * sti_rng_u01(&rng);
            mass[k] = 8 * radius[k] * radius[k] * radius[k];
            for (int i = 0; i < 3; i++) {
                x[3 * k + i] = 1.1 * at[i] + 0.05 * sti_rng_u01(&rng);
                v[3 * k + i] = fast * (2 * sti_rng_u01(&rng) - 1) / o.h;
            }
        }
        const sti_grains g = {.count = COUNT, .x = x, .v = v, .w = w, .radius = radius, .mass = mass, .mu = 0.3};
        sti_bed* bed;
        sti_bed_report r;
        assert_int_equal(sti_bed_create(env, &g, &o, &bed), STI_OK);
        assert_int_equal(sti_bed_step(bed, &r), STI_OK);
        assert_true(r.solved);
        again += r.again > 0;
        once += r.again == 0;
        sti_bed_get(bed, x, NULL, NULL);
        for (int a = 0; a < COUNT; a++) {
            for (int b = 0; b < a; b++) {
                const double d[3] = {x[3 * a] - x[3 * b], x[3 * a + 1] - x[3 * b + 1], x[3 * a + 2] - x[3 * b + 2]};
                assert_true(norm(d) >= radius[a] + radius[b] - 3e-4 * 0.2);
            }
        }
        sti_bed_destroy(bed);
    }
    assert_true(again > 0 && once > 0);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_those_of_all_pairs_from_the_fall_to_rest),
        cmocka_unit_test(contacts_are_those_of_all_pairs_in_a_drum_and_with_mixed_radii),
        cmocka_unit_test(contacts_are_those_of_all_pairs_with_one_eps),
        cmocka_unit_test(contacts_are_those_of_all_pairs_in_a_flow),
        cmocka_unit_test(no_pair_that_was_left_out_overlaps_when_the_step_is_over),
        cmocka_unit_test(a_bullet_is_listed_alone),
        cmocka_unit_test(a_bed_with_strays_goes_on_bit_by_bit),
        cmocka_unit_test(a_new_list_keeps_what_contacts_hand_on),
        cmocka_unit_test(lists_survive_every_failed_allocation),
        cmocka_unit_test(no_contact_is_missed_after_a_failed_allocation_on_the_way_to_a_whole_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
