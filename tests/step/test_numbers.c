// What the steppers promise in numbers, on the built-in scenes: nothing creeps, bounces follow the exact ladder, joints
// that are there twice stay closed, slip starts at once where friction is too small.
#include "step/step_tools.h"

// Ten seconds at two steps: where sticking is possible nothing moves by 1e-12 m.
static void held_bodies_do_not_creep(void** state) {
    (void)state;
    const char* const names[] = {"slope-block", "guided-mass", "three-fingers", "ladder"};
    for (int k = 0; k < 9; k++) {
        sti_document* scene = load_scene(group_env, names[k / 2 % 4]);
        const sti_system* system = sti_system_of(scene);
        const int n = sti_system_coordinate_count(system);
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        o.step = k % 2 == 0 ? 0.01 : 0.002;
        if (k == 7) o.step = 0.005;  // friction in a joint is iterated
        if (k == 8) o.alpha = 1;
        double start[16];
        sti_stepper* s = make_stepper(group_env, system, &o);
        memcpy(start, sti_stepper_q(s), (size_t)n * sizeof *start);
        const int count = (int)lround(10 / o.step);
        for (int l = 0; l < count; l++) step_on(group_env, s);
        for (int i = 0; i < n; i++) assert_near(sti_stepper_q(s)[i], start[i], 1e-12);
        sti_stepper_destroy(s);
        sti_document_destroy(scene);
    }
}

// The block slips in its first step when mu is below tan(angle) by one part in 1e9, and stays when it is above by as
// much; the mass between fingers falls at once when they press too little. Slipping is as fast as it should be.
static void slip_starts_within_one_step(void** state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        sti_document* scene = load_scene(group_env, "slope-block");
        sti_system* system = sti_system_of(scene);
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        o.step = k < 2 ? 0.01 : 0.002;
        const double slope = tan(0.3490658503988659), mu = slope * (k % 2 == 0 ? 1 - 1e-9 : 1 + 1e-9);
        must(group_env, sti_system_set(system, "mu", mu));
        sti_stepper* s = make_stepper(group_env, system, &o);
        assert_int_equal(step_on(group_env, s).mode[0], k % 2 == 0 ? STI_MODE_SLIDE : STI_MODE_STICK);
        sti_stepper_destroy(s);
        must(group_env, sti_system_set(system, "mu", 0.2));
        s = make_stepper(group_env, system, &o);
        step_on(group_env, s);
        const double a = 9.81 * (sin(0.3490658503988659) - 0.2 * cos(0.3490658503988659));
        assert_near(sti_stepper_v(s)[0], a * o.step, 1e-14);
        assert_near(sti_stepper_q(s)[0], a * o.step * o.step / 2, 1e-15);
        sti_stepper_destroy(s);
        sti_document_destroy(scene);
    }
    sti_document* scene = load_scene(group_env, "guided-mass");
    must(group_env, sti_system_set(sti_system_of(scene), "F1", 9));
    sti_stepper* s = make_stepper(group_env, sti_system_of(scene), NULL);
    step_on(group_env, s);
    assert_near(sti_stepper_v(s)[1], -0.01 * (9.81 - 9), 1e-12);
    sti_stepper_destroy(s);
    sti_document_destroy(scene);
}

// Energy above the table after bounce k is e^2k of the first, to 1e-9; its time is exact too.
static void bounces_follow_the_exact_ladder(void** state) {
    (void)state;
    const double es[] = {1, 0.95, 0.8, 0.5};
    for (int k = 0; k < 4; k++) {
        sti_document* scene = load_scene(group_env, "bouncing-ball");
        must(group_env, sti_system_set(sti_system_of(scene), "e", es[k]));
        sti_stepper* s = make_stepper(group_env, sti_system_of(scene), NULL);
        const double fall = sqrt(2 / 9.81);
        double when = fall, flight = 2 * fall, ladder = 1;
        int bounces = 0;
        while (bounces < 100 && flight > 0.02) {
            const sti_step_report r = step_on(group_env, s);
            assert_true(r.collisions <= 1);
            if (r.collisions == 0) continue;
            assert_near(r.collision_time, when, 1e-9);
            ladder *= es[k] * es[k];
            flight *= es[k];
            when += flight;
            bounces++;
            assert_near((r.kinetic + r.potential - 9.81 * 0.1) / 9.81, ladder, 1e-9 * ladder);
        }
        assert_true(bounces >= 4);
        sti_stepper_destroy(s);
        sti_document_destroy(scene);
    }
}

static void redundant_joints_stay_closed_for_ten_seconds(void** state) {
    (void)state;
    sti_document* scene = load_scene(group_env, "four-bar");
    for (int k = 0; k < 2; k++) {
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        o.step = k == 0 ? 0.01 : 0.002;
        sti_stepper* s = make_stepper(group_env, sti_system_of(scene), &o);
        const int count = (int)lround(10 / o.step);
        for (int l = 0; l < count; l++) {
            const sti_step_report r = step_on(group_env, s);
            assert_true(r.drift <= 1e-12 && fabs(sti_stepper_q(s)[2]) <= 1e-12 && r.why[0] == '\0');
        }
        sti_stepper_destroy(s);
    }
    sti_document_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_bodies_do_not_creep),
        cmocka_unit_test(slip_starts_within_one_step),
        cmocka_unit_test(bounces_follow_the_exact_ladder),
        cmocka_unit_test(redundant_joints_stay_closed_for_ten_seconds),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
