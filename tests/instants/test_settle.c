// Velocities as a step leaves them, made to fit what lasts: joints, closed contacts, contacts that stick.
#include <math.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/group_env.h"
#include "support/instant_tools.h"

// Four legs on the ground, 12 rows of rank 6.
static void make_table(tool_instant* t) {
    tool_open(t, 6);
    tool_mass(t, (double[]){2, 2, 2, 1, 1, 1});
    for (int i = 0; i < 4; i++)
        tool_spatial(t, (double[]){i % 2 ? 1 : -1, i / 2 ? 1 : -1, -1},
                     (const double[3][3]){{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, 0.4);
}

static double rate(const sti_instant* in, const double* row, double offset) {
    for (int j = 0; j < in->n; j++) offset += row[j] * in->v[j];
    return offset;
}

static sti_instant* settle(const tool_instant* t, double floor, sti_instant_settled* told) {
    sti_settle_options o = sti_settle_options_default();
    sti_instant* out;
    o.floor = floor;
    assert_int_equal(sti_instant_settle(group_env, &t->instant, &o, told, &out), STI_OK);
    return out;
}

static void what_all_but_rests_is_at_rest(void** state) {
    (void)state;
    tool_instant t;
    sti_instant_settled told;
    make_table(&t);
    for (int j = 0; j < 6; j++) t.v[j] = 1e-10 * (j - 2.5);
    sti_instant* out = settle(&t, 1e-8, &told);
    assert_true(told.lasts == 4 && told.sticks == 4 && told.change > 2e-10 && told.change < 1e-9);
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(rate(out, out->contacts[i].n, out->contacts[i].n_offset)) < 1e-24);
        assert_int_equal(out->contacts[i].state, STI_INSTANT_STICK);
    }
    for (int j = 0; j < 6; j++) assert_true(fabs(out->v[j]) < 1e-24 && t.v[j] != 0);
    sti_instant_destroy(group_env, out);
    // without a floor a rate is measured by its terms, and these are of one size
    out = settle(&t, 0, &told);
    assert_true(told.lasts == 0 && told.sticks == 0 && told.change == 0);
    assert_memory_equal(out->v, t.v, 6 * sizeof *t.v);
    sti_instant_destroy(group_env, out);
}

static void what_slides_goes_on_sliding(void** state) {
    (void)state;
    tool_instant t;
    sti_instant_settled told;
    make_table(&t);
    t.v[0] = 3;
    t.v[2] = -1e-9;
    sti_instant* out = settle(&t, 1e-8, &told);
    assert_true(told.lasts == 4 && told.sticks == 0 && told.gap_rate == 1e-9 && told.slip == 0);
    assert_true(out->v[0] == 3 && fabs(out->v[2]) < 1e-24);
    assert_int_equal(out->contacts[2].state, STI_INSTANT_BY_VELOCITY);
    sti_instant_destroy(group_env, out);
    // an impact stays one, and what is apart may come near
    t.v[2] = -1e-3;
    out = settle(&t, 1e-8, &told);
    assert_true(told.lasts == 0 && out->v[2] == -1e-3);
    sti_instant_destroy(group_env, out);
    t.v[2] = -1e-9;
    for (int i = 0; i < 4; i++) t.contact[i].gap = 1e-3;
    out = settle(&t, 1e-8, &told);
    assert_true(told.lasts == 0 && told.sticks == 0 && out->v[2] == -1e-9);
    sti_instant_destroy(group_env, out);
}

// A joint x + y = 0 between masses 1 and 3 holds however far it was off; the lighter one gives way three times as far.
static void joints_hold_and_the_nearest_velocity_is_taken(void** state) {
    (void)state;
    tool_instant t;
    sti_instant_settled told;
    tool_open(&t, 2);
    tool_mass(&t, (double[]){1, 3});
    for (int i = 0; i < 2; i++) {  // twice: a row may repeat another
        tool_contact(&t, true, 0, 0);
        t.n[i][0] = t.n[i][1] = 1 + i;
    }
    t.v[0] = 1;
    t.v[1] = -0.6;
    sti_instant* out = settle(&t, 0, &told);
    assert_true(fabs(out->v[0] - 0.7) < 1e-15 && fabs(out->v[1] + 0.7) < 1e-15);
    assert_true(fabs(told.joint_rate - 0.8) < 1e-15 && fabs(told.change - 0.3) < 1e-15 && told.lasts == 0);
    sti_instant_destroy(group_env, out);
}

// Rows that contradict each other by an error of the places they were taken at: the surface takes over what is left.
static void contradictions_are_left_to_the_surface(void** state) {
    (void)state;
    tool_instant t;
    sti_instant_settled told;
    tool_open(&t, 2);
    tool_mass(&t, (double[]){1, 1});
    for (int i = 0; i < 2; i++) {
        tool_contact(&t, false, 0, 0);
        t.n[i][0] = 1;
        t.n[i][1] = i * 1e-9;
    }
    t.v[1] = 0.1;
    sti_instant* out = settle(&t, 1e-8, &told);
    assert_int_equal(told.lasts, 2);
    assert_true(fabs(out->v[1] - 0.1) < 1e-9);
    for (int i = 0; i < 2; i++) {
        assert_true(fabs(rate(out, out->contacts[i].n, out->contacts[i].n_offset)) < 1e-24);
        assert_true(fabs(out->contacts[i].n_offset) < 1e-9);
    }
    sti_instant_destroy(group_env, out);
}

static void bad_input_is_refused(void** state) {
    (void)state;
    tool_instant t;
    sti_instant* out;
    make_table(&t);
    sti_settle_options o = sti_settle_options_default();
    o.floor = -1;
    assert_int_equal(sti_instant_settle(group_env, &t.instant, &o, NULL, &out), STI_ERR_ARGUMENT);
    o.floor = NAN;
    assert_int_equal(sti_instant_settle(group_env, &t.instant, &o, NULL, &out), STI_ERR_ARGUMENT);
    t.v[0] = NAN;
    assert_int_equal(sti_instant_settle(group_env, &t.instant, NULL, NULL, &out), STI_ERR_INPUT);
    assert_null(out);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    tool_instant t;
    make_table(&t);
    t.v[2] = 1e-9;
    t.v[0] = 1;
    for (long k = 0;; k++) {
        failing_env f;
        sti_instant* out;
        failing_env_open(&f, k);
        const sti_status status = sti_instant_settle(f.env, &t.instant, NULL, NULL, &out);
        if (status == STI_OK)
            sti_instant_destroy(f.env, out);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_all_but_rests_is_at_rest),
        cmocka_unit_test(what_slides_goes_on_sliding),
        cmocka_unit_test(joints_hold_and_the_nearest_velocity_is_taken),
        cmocka_unit_test(contradictions_are_left_to_the_surface),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
