// A bed as bytes and back: later steps have the same bits, and bytes that are no state are refused.
#include <stiction/recording.h>
#include <string.h>

#include "base/rng.h"
#include "granular/bed.h"
#include "granular/bed_tools.h"
#include "support/failing_env.h"

enum { GRAINS = 150 };

static sti_bed* make_bed(sti_env* env, sti_law law, sti_bed_solver solver, double spin) {
    sti_grains g = pebbles(env, GRAINS, 1);
    sti_bed_options o = sti_bed_options_default();
    o.law = law;
    o.solver = solver;
    o.h = 0.02;
    g.walls[2].spin = spin;
    return bed_of(env, &g, &o);
}

static void step(sti_bed* bed, int count, sti_bed_report* report) {
    for (int k = 0; k < count; k++) assert_int_equal(sti_bed_step(bed, report), STI_OK);
    report->time_search_s = report->time_solve_s = report->time_rest_s = 0;
}

static void expect_same_bits(const sti_bed* a, const sti_bed* b) {
    double p[2][3][3 * GRAINS];
    sti_bed_get(a, p[0][0], p[0][1], p[0][2]);
    sti_bed_get(b, p[1][0], p[1][1], p[1][2]);
    assert_memory_equal(p[0], p[1], sizeof p[0]);
    assert_true(sti_bed_time(a) == sti_bed_time(b));
}

// 100 steps after the state was taken, for every pair of worker counts, against the run that was not interrupted.
static void a_bed_goes_on_bit_by_bit_for_any_number_of_workers(void** state) {
    (void)state;
    static const struct {
        sti_law law;
        sti_bed_solver solver;
        double spin;
    } cases[] = {{STI_LAW_COULOMB, STI_BED_GS, 0},
                 {STI_LAW_COULOMB, STI_BED_GS, 0.7},
                 {STI_LAW_CONE, STI_BED_APGD, 0},
                 {STI_LAW_FACETS, STI_BED_BLMVM, 0}};
    sti_env* env[2] = {open_env_of(1), open_env_of(2)};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const int steps = c == 0 ? 100 : 8;
        sti_bed* straight = make_bed(env[0], cases[c].law, cases[c].solver, cases[c].spin);
        sti_bed_report straight_report;
        step(straight, 37 + steps, &straight_report);
        for (int from = 0; from < 2; from++) {
            sti_bed* bed = make_bed(env[from], cases[c].law, cases[c].solver, cases[c].spin);
            sti_bed_report report;
            void* bytes;
            size_t size;
            step(bed, 37, &report);
            assert_int_equal(sti_bed_save_state(bed, &bytes, &size), STI_OK);
            for (int to = 0; to < 2; to++) {
                sti_bed* again;
                assert_int_equal(sti_bed_load_state(env[to], bytes, size, &again), STI_OK);
                expect_same_bits(bed, again);
                assert_int_equal(sti_bed_contact_count(again), 0);
                step(again, steps, &report);
                expect_same_bits(straight, again);
                assert_memory_equal(&report.residual, &straight_report.residual, sizeof(double));
                assert_true(report.step == straight_report.step && report.kinetic == straight_report.kinetic);
                assert_true(report.iterations == straight_report.iterations &&
                            report.contacts == straight_report.contacts && report.balance == straight_report.balance);
                sti_bed_destroy(again);
            }
            sti_env_free(env[from], bytes);
            sti_bed_destroy(bed);
        }
        sti_bed_destroy(straight);
    }
    for (int k = 0; k < 2; k++) sti_env_destroy(env[k]);
}

// Grains that come in again are drawn by a generator, which is part of the state.
static void a_flow_goes_on_bit_by_bit(void** state) {
    (void)state;
    sti_env* env = open_env_of(2);
    const sti_pebble_bed def = {.count = 60, .seed = 1, .cylinder = 2.5, .opening = 1.8, .mu = 0.2};
    sti_bed_options o = sti_bed_options_default();
    sti_grains g;
    sti_bed* bed[2];
    sti_recirculation* flow[2];
    o.recover = 0.2;
    o.tol = 1e-3;
    assert_int_equal(sti_grains_pebble_bed(env, &def, &g), STI_OK);
    sti_grains_open_bottom(&g);
    assert_int_equal(sti_bed_create(env, &g, &o, &bed[0]), STI_OK);
    assert_int_equal(sti_recirculation_create(env, bed[0], -1, 1.9, 3, &flow[0]), STI_OK);
    for (int k = 0; k < 250; k++) {
        assert_int_equal(sti_bed_step(bed[0], NULL), STI_OK);
        assert_int_equal(sti_recirculation_apply(flow[0], bed[0], NULL), STI_OK);
    }
    void *bytes, *flow_bytes;
    size_t size, flow_size;
    assert_int_equal(sti_bed_save_state(bed[0], &bytes, &size), STI_OK);
    assert_int_equal(sti_recirculation_save_state(flow[0], &flow_bytes, &flow_size), STI_OK);
    assert_int_equal(sti_bed_load_state(env, bytes, size, &bed[1]), STI_OK);
    assert_int_equal(sti_recirculation_load_state(env, bed[1], flow_bytes, flow_size, &flow[1]), STI_OK);
    double x[2][180];
    sti_outflow known[2];
    for (int j = 0; j < 2; j++) {
        for (int k = 0; k < 250; k++) {
            assert_int_equal(sti_bed_step(bed[j], NULL), STI_OK);
            assert_int_equal(sti_recirculation_apply(flow[j], bed[j], NULL), STI_OK);
        }
        sti_bed_get(bed[j], x[j], NULL, NULL);
        known[j] = sti_recirculation_outflow(flow[j]);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_true(known[0].left > 20 && known[0].left == known[1].left && known[0].residence == known[1].residence);
    sti_recirculation* none;
    assert_int_equal(sti_recirculation_load_state(env, bed[1], flow_bytes, flow_size - 1, &none), STI_ERR_INPUT);
    ((char*)flow_bytes)[0] ^= 1;
    assert_int_equal(sti_recirculation_load_state(env, bed[1], flow_bytes, flow_size, &none), STI_ERR_INPUT);
    assert_null(none);
    sti_env_free(env, bytes);
    sti_env_free(env, flow_bytes);
    for (int j = 0; j < 2; j++) {
        sti_recirculation_destroy(env, flow[j]);
        sti_bed_destroy(bed[j]);
    }
    sti_grains_clear(env, &g);
    sti_env_destroy(env);
}

static void a_bed_that_has_not_moved_yet_has_a_state_too(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    sti_bed *bed = make_bed(env, STI_LAW_COULOMB, STI_BED_GS, 0), *again;
    void* bytes;
    size_t size;
    sti_bed_report a, b;
    assert_int_equal(sti_bed_save_state(bed, &bytes, &size), STI_OK);
    assert_int_equal(sti_bed_load_state(env, bytes, size, &again), STI_OK);
    step(bed, 50, &a);
    step(again, 50, &b);
    expect_same_bits(bed, again);
    sti_env_free(env, bytes);
    sti_bed_destroy(bed);
    sti_bed_destroy(again);
    sti_env_destroy(env);
}

// Whatever the bytes are: a bed that can be stepped, or a refusal.
// A bed that has moved, and its bytes.
static sti_bed* moved_bed(sti_env* env, void** bytes, size_t* size) {
    sti_bed* bed = make_bed(env, STI_LAW_COULOMB, STI_BED_GS, 0);
    sti_bed_report report;
    step(bed, 40, &report);
    assert_int_equal(sti_bed_save_state(bed, bytes, size), STI_OK);
    return bed;
}

static void bytes_that_are_no_state_are_refused(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    void* bytes;
    size_t size;
    sti_bed *bed = moved_bed(env, &bytes, &size), *again;
    sti_bed_report report;
    assert_int_equal(sti_bed_load_state(env, bytes, 0, &again), STI_ERR_INPUT);
    assert_int_equal(sti_bed_load_state(env, bytes, size - 8, &again), STI_ERR_INPUT);
    assert_int_equal(sti_bed_load_state(env, (const char*)bytes + 8, size - 8, &again), STI_ERR_INPUT);
    assert_null(again);
    unsigned char* b = bytes;
    sti_rng rng = {7};
    int loaded = 0, refused = 0;
    for (int k = 0; k < 1500; k++) {
        const size_t at =
            k < 600 ? (size_t)k % 400 : (size_t)(sti_rng_next(&rng) % size);  // the lead is hit more often
        const unsigned char was = b[at];
        b[at] ^= (unsigned char)(1u << (sti_rng_next(&rng) % 8));
        const sti_status status = sti_bed_load_state(env, bytes, size, &again);
        b[at] = was;
        if (status == STI_OK) {
            const sti_status stepped = sti_bed_step(again, &report);
            assert_true(stepped == STI_OK || stepped == STI_ERR_ARGUMENT);
            sti_bed_destroy(again);
            loaded++;
        } else {
            assert_int_equal(status, STI_ERR_INPUT);
            assert_null(again);
            refused++;
        }
        if (loaded > 120) break;  // steps take their time
    }
    assert_true(refused > 100 && loaded > 100);
    sti_env_free(env, bytes);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

// A slab that ends behind the last grain, and the next one before it: nothing beyond the list is read.
static void slabs_that_run_backwards_are_refused(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    void* bytes;
    size_t size;
    sti_bed *bed = moved_bed(env, &bytes, &size), *again;
    assert_true(bed->slab_count >= 2);
    const size_t width = ((size_t)bed->slab_count + 1) * sizeof(int);
    char *at = bytes, *found = NULL;
    for (size_t k = 0; k + width <= size; k += 8) {
        if (memcmp(at + k, bed->slab_first, width) == 0) found = at + k;
    }
    assert_non_null(found);
    const int far = 1000000;
    memcpy(found + sizeof far, &far, sizeof far);
    assert_int_equal(sti_bed_load_state(env, bytes, size, &again), STI_ERR_INPUT);
    assert_null(again);
    sti_env_free(env, bytes);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

// Whatever the memory that options and walls came from had between their members.
static void equal_beds_have_equal_bytes(void** state) {
    (void)state;
    sti_env* env = open_env_of(1);
    void* bytes[2];
    size_t size[2];
    for (int k = 0; k < 2; k++) {
        const sti_grain_pour pour = {.count = 40, .seed = 1, .mu = 0.3, .spin = 0.5};
        sti_grains g;
        assert_int_equal(sti_grains_drum(env, &pour, &g), STI_OK);
        sti_bed_options o, set = sti_bed_options_default();
        memset(&o, k == 0 ? 0x55 : 0xaa, sizeof o);
        o.h = set.h, o.law = set.law, o.facets = set.facets, o.solver = set.solver, o.tol = set.tol;
        o.max_iterations = set.max_iterations, o.recover = set.recover, o.eps = set.eps, o.eps_speed = set.eps_speed;
        o.warm = set.warm;
        for (int j = 0; j < g.wall_count; j++) {
            const sti_wall w = g.walls[j];
            sti_wall* to = &g.walls[j];
            memset(to, k == 0 ? 0x55 : 0xaa, sizeof *to);
            to->kind = w.kind, to->radius = w.radius, to->slope = w.slope, to->rim = w.rim, to->spin = w.spin,
            to->mu = w.mu;
            memcpy(to->point, w.point, sizeof w.point);
            memcpy(to->axis, w.axis, sizeof w.axis);
        }
        sti_bed* bed;
        assert_int_equal(sti_bed_create(env, &g, &o, &bed), STI_OK);
        assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
        assert_int_equal(sti_bed_save_state(bed, &bytes[k], &size[k]), STI_OK);
        sti_bed_destroy(bed);
        sti_grains_clear(env, &g);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    for (int k = 0; k < 2; k++) sti_env_free(env, bytes[k]);
    sti_env_destroy(env);
}

static void flows_survive_every_failing_allocation(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_pebble_bed def = {.count = 40, .seed = 1, .cylinder = 2.5, .opening = 1.8, .mu = 0.2};
        const sti_bed_options o = sti_bed_options_default();
        sti_grains g;
        sti_bed* bed = NULL;
        sti_recirculation *flow = NULL, *again = NULL;
        void* bytes = NULL;
        size_t size = 0;
        sti_status status = sti_grains_pebble_bed(f.env, &def, &g);
        if (status == STI_OK) {
            sti_grains_open_bottom(&g);
            for (int a = 0; a < g.count; a++) g.x[3 * a + 2] -= 4;  // some are out already
            status = sti_bed_create(f.env, &g, &o, &bed);
        }
        if (status == STI_OK) status = sti_recirculation_create(f.env, bed, -1, 1.9, 3, &flow);
        for (int step = 0; status == STI_OK && step < 3; step++) {
            int moved;
            status = sti_bed_step(bed, NULL);
            if (status == STI_OK) status = sti_recirculation_apply(flow, bed, &moved);
        }
        if (status == STI_OK) status = sti_recirculation_save_state(flow, &bytes, &size);
        if (status == STI_OK) status = sti_recirculation_load_state(f.env, bed, bytes, size, &again);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        assert_true(status != STI_OK || sti_recirculation_outflow(flow).left > 0);
        sti_env_free(f.env, bytes);
        sti_recirculation_destroy(f.env, again);
        sti_recirculation_destroy(f.env, flow);
        sti_bed_destroy(bed);
        sti_grains_clear(f.env, &g);
        if (failing_env_close(&f)) break;
    }
}

static void states_survive_every_failing_allocation(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, -1);
        sti_bed *bed = make_bed(f.env, STI_LAW_COULOMB, STI_BED_GS, 0), *again = NULL;
        sti_bed_report report;
        step(bed, 2, &report);
        f.count = 0;
        f.fail_at = k;
        void* bytes = NULL;
        size_t size;
        sti_status status = sti_bed_save_state(bed, &bytes, &size);
        if (status == STI_OK) status = sti_bed_load_state(f.env, bytes, size, &again);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_env_free(f.env, bytes);
        sti_bed_destroy(bed);
        sti_bed_destroy(again);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bed_goes_on_bit_by_bit_for_any_number_of_workers),
        cmocka_unit_test(a_flow_goes_on_bit_by_bit),
        cmocka_unit_test(a_bed_that_has_not_moved_yet_has_a_state_too),
        cmocka_unit_test(bytes_that_are_no_state_are_refused),
        cmocka_unit_test(slabs_that_run_backwards_are_refused),
        cmocka_unit_test(equal_beds_have_equal_bytes),
        cmocka_unit_test(flows_survive_every_failing_allocation),
        cmocka_unit_test(states_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
