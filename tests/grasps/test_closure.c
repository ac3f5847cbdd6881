// Force closure and form closure on grasps whose answer is known, with every witness checked.
#include <math.h>

#include "base/rng.h"
#include "support/failing_env.h"
#include "support/group_env.h"
#include "support/instant_tools.h"

// A planar contact at (x, y) with inward unit normal at the given angle, on an object with coordinates (x, y, theta).
static void planar(tool_instant* t, double x, double y, double nx, double ny, double mu) {
    tool_contact(t, false, 1, mu);
    const int i = t->instant.contact_count - 1;
    const double n[3] = {nx, ny, x * ny - y * nx}, s[3] = {-ny, nx, x * nx + y * ny};
    memcpy(t->n[i], n, sizeof n);
    memcpy(t->t[i], s, sizeof s);
}

static sti_closure ask(const tool_instant* t, bool friction, const sti_closure_options* options) {
    sti_closure c;
    assert_int_equal(friction ? sti_force_closure_analyze(group_env, &t->instant, options, &c)
                              : sti_form_closure_analyze(group_env, &t->instant, options, &c),
                     STI_OK);
    bool accepted;
    assert_int_equal(sti_verify_closure(group_env, &t->instant, options, friction, &c, 1e-9, &accepted), STI_OK);
    assert_int_equal(accepted, c.closed != STI_UNDECIDED);
    return c;
}

static void expect(const tool_instant* t, bool friction, sti_verdict closed, bool exact) {
    sti_closure c = ask(t, friction, NULL);
    assert_int_equal(c.closed, closed);
    assert_int_equal(c.exact, exact);
    sti_closure_clear(group_env, &c);
}

static void two_fingers_hold_a_disc_only_with_friction(void** state) {
    (void)state;
    tool_instant t;
    tool_open(&t, 3);
    planar(&t, -1, 0, 1, 0, 0.5);
    planar(&t, 1, 0, -1, 0, 0.5);
    expect(&t, true, STI_YES, true);
    // without friction the two normals do not span: rank decides
    expect(&t, false, STI_NO, false);
}

static void three_normals_of_a_disc_do_not_hold_its_rotation(void** state) {
    (void)state;
    tool_instant t;
    tool_open(&t, 3);
    planar(&t, -1, 0, 1, 0, 1);
    planar(&t, 0.5, 0.75, -0.5, -0.75, 1);
    planar(&t, 0.5, -0.75, -0.5, 0.75, 1);
    expect(&t, true, STI_YES, true);
    sti_closure c = ask(&t, false, NULL);
    assert_int_equal(c.closed, STI_NO);
    assert_int_equal(c.rank, 2);
    sti_closure_clear(group_env, &c);
}

static void four_normals_hold_a_square_when_they_turn_both_ways(void** state) {
    (void)state;
    tool_instant t;
    tool_open(&t, 3);
    planar(&t, -1, 0.5, 1, 0, 0);
    planar(&t, 1, -0.5, -1, 0, 0);
    planar(&t, -0.5, -1, 0, 1, 0);
    planar(&t, 0.5, 1, 0, -1, 0);
    // all four turn the same way: (x) pair -0.5-0.5, (y) pair -0.5-0.5
    expect(&t, false, STI_NO, true);
    tool_open(&t, 3);
    planar(&t, -1, 0.5, 1, 0, 0);
    planar(&t, 1, -0.5, -1, 0, 0);
    planar(&t, 0.5, -1, 0, 1, 0);
    planar(&t, -0.5, 1, 0, -1, 0);
    expect(&t, false, STI_YES, true);
}

static void contacts_on_one_side_never_close(void** state) {
    (void)state;
    tool_instant t;
    tool_open(&t, 3);
    planar(&t, -1, 0, 0, 1, 0.5);
    planar(&t, 1, 0, 0, 1, 0.5);
    sti_closure c = ask(&t, true, NULL);
    assert_int_equal(c.closed, STI_NO);
    assert_true(c.exact && c.y[1] < 0);  // a load upwards... the contacts only push up: y'C lambda <= 0 means down
    sti_closure_clear(group_env, &c);
}

// n equally spaced fingers on the equator of a ball.
static void equator(tool_instant* t, int fingers, double mu) {
    tool_open(t, 6);
    for (int i = 0; i < fingers; i++) {
        const double angle = 6.283185307179586 * i / fingers, c = cos(angle), s = sin(angle);
        tool_spatial(t, (double[]){c, s, 0}, (const double[3][3]){{-c, -s, 0}, {-s, c, 0}, {0, 0, 1}}, mu);
    }
}

static void point_fingers_on_a_ball_close_from_three_on(void** state) {
    (void)state;
    tool_instant t;
    equator(&t, 2, 0.8);
    expect(&t, true, STI_NO, false);  // rotation about the axis of two point contacts
    equator(&t, 3, 0.8);
    expect(&t, true, STI_YES, false);
    sti_closure_options options = sti_closure_options_default();
    options.facets = 4;
    sti_closure c = ask(&t, true, &options);
    assert_true(c.closed == STI_YES && c.exact);
    sti_closure_clear(group_env, &c);
}

// Any friction closes, but no rounded margin of 1e-10 shows it: that is not a "no".
static void a_margin_too_small_to_see_is_not_called_none(void** state) {
    (void)state;
    tool_instant t;
    equator(&t, 3, 1e-9);
    sti_closure c = ask(&t, true, NULL);
    assert_int_equal(c.closed, STI_UNDECIDED);
    sti_closure_clear(group_env, &c);
}

// Friction that the conic program cannot see takes nothing from normals that hold alone: those of a particle in a
// plane, in space, from four sides.
static void normals_that_hold_alone_close_with_any_friction(void** state) {
    (void)state;
    tool_instant t;
    tool_open(&t, 2);
    for (int i = 0; i < 4; i++) {
        tool_contact(&t, false, 2, i == 0 ? 1e-13 : 0.5);
        t.n[i][i / 2] = i % 2 ? 1 : -1;
        t.t[i][1 - i / 2] = 1;  // along the plane; the other one is across it
    }
    expect(&t, false, STI_YES, true);
    expect(&t, true, STI_YES, true);
}

// Away from the border random grasps in space are decided, with a witness that holds; also where the fourth contact
// has no friction.
static void random_grasps_in_space(bool slick) {
    sti_rng rng = {77};
    int count[3] = {0};
    for (int trial = 0; trial < 300; trial++) {
        tool_instant t;
        tool_open(&t, 6);
        for (int i = 0; i < 3 + trial % 3; i++) {
            double axis[3][3], size = 0;
            for (int k = 0; k < 3; k++) {
                axis[0][k] = sti_rng_u01(&rng) - 0.5;
                size = hypot(size, axis[0][k]);
            }
            for (int k = 0; k < 3; k++) axis[0][k] /= size;
            const double *n = axis[0], length = hypot(n[0], n[1]);
            const double frame[2][3] = {{-n[1] / length, n[0] / length, 0},
                                        {-n[2] * n[0] / length, -n[2] * n[1] / length, length}};
            memcpy(axis[1], frame, sizeof frame);
            const double mu = sti_rng_u01(&rng);
            tool_spatial(&t, (double[]){-n[0], -n[1] * 1.5, -n[2]}, (const double(*)[3])axis, slick && i == 3 ? 0 : mu);
        }
        sti_closure c = ask(&t, true, NULL);
        count[c.closed == STI_YES ? 0 : c.closed == STI_NO ? 1 : 2]++;
        sti_closure_clear(group_env, &c);
    }
    assert_true(count[0] > 20 && count[1] > 20);
    assert_int_equal(count[2], 0);
}

static void random_grasps_in_space_are_decided(void** state) {
    (void)state;
    random_grasps_in_space(false);
    random_grasps_in_space(true);
}

static void a_peg_in_space_is_not_closed_by_contacts_below(void** state) {
    (void)state;
    tool_instant t;
    tool_open(&t, 6);
    for (int i = 0; i < 4; i++)
        tool_spatial(&t, (double[]){i % 2 ? 1 : -1, i / 2 ? 1 : -1, -1},
                     (const double[3][3]){{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, 0.5);
    sti_closure c = ask(&t, true, NULL);
    assert_int_equal(c.closed, STI_NO);
    assert_false(c.exact);
    sti_closure_clear(group_env, &c);
}

static void coordinates_of_fingers_can_be_left_out(void** state) {
    (void)state;
    tool_instant t;
    tool_open(&t, 5);
    planar(&t, -1, 0, 1, 0, 0.5);
    planar(&t, 1, 0, -1, 0, 0.5);
    t.n[0][3] = -1;
    t.n[1][4] = 1;
    const int object[3] = {0, 1, 2};
    sti_closure_options options = sti_closure_options_default();
    sti_closure c = ask(&t, true, &options);
    assert_int_equal(c.closed, STI_NO);  // nothing drives the fingers
    sti_closure_clear(group_env, &c);
    options.object_count = 3;
    options.object = object;
    c = ask(&t, true, &options);
    assert_int_equal(c.closed, STI_YES);
    sti_closure_clear(group_env, &c);
}

static void bilateral_contacts(void** state) {
    (void)state;
    tool_instant t;
    tool_open(&t, 2);  // a point in a slot: the slot holds one direction, friction the other only while it is loaded
    tool_contact(&t, true, 1, 0.5);
    t.n[0][0] = t.t[0][1] = 1;
    expect(&t, true, STI_UNDECIDED, false);
    tool_contact(&t, true, 0, 0);  // and a second slot across it
    t.n[1][1] = 1;
    expect(&t, false, STI_YES, true);
    tool_open(&t, 2);
    tool_contact(&t, true, 0, 0);
    t.n[0][0] = 1;
    expect(&t, true, STI_NO, false);
}

// Random planar grasps: the answer does not depend on the units of length nor on the order of contacts, and more
// friction never opens a grasp.
static void closure_is_invariant_and_monotone(void** state) {
    (void)state;
    sti_rng rng = {7};
    int closed = 0;
    for (int trial = 0; trial < 300; trial++) {
        tool_instant t, u;
        const int count = sti_rng_int(&rng, 2, 4);
        double p[4][4];
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 4; k++) p[i][k] = sti_rng_int(&rng, -2, 2) + (k == 2) * 0.5;
        tool_open(&t, 3);
        for (int i = 0; i < count; i++) planar(&t, p[i][0], p[i][1], p[i][2], p[i][3], 0.25);
        tool_open(&u, 3);
        for (int i = count - 1; i >= 0; i--) planar(&u, 8 * p[i][0], 8 * p[i][1], p[i][2], p[i][3], 0.25);
        sti_closure a = ask(&t, true, NULL), b = ask(&u, true, NULL);
        assert_int_equal(a.closed, b.closed);
        for (int i = 0; i < count; i++) t.contact[i].mu = 0.75;
        sti_closure c = ask(&t, true, NULL);
        assert_true(c.closed == STI_YES || a.closed == STI_NO);
        closed += a.closed == STI_YES;
        sti_closure_clear(group_env, &a);
        sti_closure_clear(group_env, &b);
        sti_closure_clear(group_env, &c);
    }
    assert_in_range(closed, 5, 295);
}

// Angles in units of 2^44 radians, or of 2^-44: what holds the disc still holds it.
static void closure_does_not_hang_on_the_unit_of_angles(void** state) {
    (void)state;
    for (int e = -44; e <= 44; e += 44) {
        tool_instant t;
        tool_open(&t, 3);
        planar(&t, -1, 0, 1, 0, 0.5);
        planar(&t, 1, 0, -1, 0, 0.5);
        for (int i = 0; i < 2; i++) {
            t.n[i][2] = ldexp(t.n[i][2], e);
            t.t[i][2] = ldexp(t.t[i][2], e);
        }
        sti_closure c = ask(&t, true, NULL);
        assert_int_equal(c.rank, 3);
        assert_int_equal(c.closed, STI_YES);
        sti_closure_clear(group_env, &c);
    }
}

static void closure_survives_failed_allocations(void** state) {
    (void)state;
    tool_instant t;
    equator(&t, 3, 0.8);
    for (int facets = 0; facets <= 4; facets += 4) {
        sti_closure_options options = sti_closure_options_default();
        options.facets = facets;
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_closure c;
            const sti_status status = sti_force_closure_analyze(f.env, &t.instant, &options, &c);
            assert_true(status == STI_OK || status == STI_ERR_MEMORY);
            bool accepted = false;
            if (status == STI_OK && facets > 0) {
                const sti_status checked = sti_verify_closure(f.env, &t.instant, &options, true, &c, 1e-9, &accepted);
                assert_true(checked == STI_OK || checked == STI_ERR_MEMORY);
            }
            if (status == STI_OK) sti_closure_clear(f.env, &c);
            if (failing_env_close(&f)) break;
            if (k > 300) k += 6;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_fingers_hold_a_disc_only_with_friction),
        cmocka_unit_test(three_normals_of_a_disc_do_not_hold_its_rotation),
        cmocka_unit_test(four_normals_hold_a_square_when_they_turn_both_ways),
        cmocka_unit_test(contacts_on_one_side_never_close),
        cmocka_unit_test(point_fingers_on_a_ball_close_from_three_on),
        cmocka_unit_test(a_peg_in_space_is_not_closed_by_contacts_below),
        cmocka_unit_test(coordinates_of_fingers_can_be_left_out),
        cmocka_unit_test(bilateral_contacts),
        cmocka_unit_test(a_margin_too_small_to_see_is_not_called_none),
        cmocka_unit_test(normals_that_hold_alone_close_with_any_friction),
        cmocka_unit_test(random_grasps_in_space_are_decided),
        cmocka_unit_test(closure_is_invariant_and_monotone),
        cmocka_unit_test(closure_does_not_hang_on_the_unit_of_angles),
        cmocka_unit_test(closure_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
