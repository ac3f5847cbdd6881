// test_pressed.c: strong springs against joints and contacts, light bodies between heavy ones. A step and its mending
// together add nothing to T + V, the way is gone to its end, and a step that is not solved names the rule that refused
// it.
#include "bodies/bodies.h"
#include "scene_tools.h"

// A step of any verdict. T + V does not grow beyond `slack` of the energies, mending included.
static sti_world_report sober_step(sti_env* env, sti_world* world, double slack) {
    double kinetic, potential;
    sti_world_report r;
    sti_world_energy(world, &kinetic, &potential);
    const double before = kinetic + potential;
    const sti_status status = sti_world_step(world, &r);
    if (status != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    const double size = fabs(before) + fabs(r.kinetic) + fabs(r.potential) + fabs(r.work) + 1;
    const double growth = r.kinetic + r.potential - before - r.work;
    if (growth > slack * size) fail_msg("step %ld: T + V grew by %g of %g: %s", r.step, growth, size, r.why);
    if (!r.solved) assert_true(strlen(r.why) > 20);
    return r;
}

static int add_heavy_box(sti_env* env, sti_bodies* bodies, double half, double density, sti_pose pose) {
    const double halves[3] = {half, half, half};
    sti_shape* shape;
    assert_int_equal(sti_shape_create_box(env, sti_bodies_dim(bodies), halves, &shape), STI_OK);
    sti_body body = sti_body_default();
    body.density = density;
    body.pose = pose;
    return add_shape_body(bodies, shape, &body);
}

static void add_spring(sti_bodies* bodies, int a, int b, double x, double y, double stiffness, double rest) {
    sti_spring spring = {.a = a, .b = b, .stiffness = stiffness, .rest = rest};
    spring.at_a[0] = x;
    spring.at_a[1] = y;
    assert_int_equal(sti_bodies_add_spring(bodies, &spring), STI_OK);
}

// 0.35 kg below 31 t, and a spring that is pressed together by tons across the stack.
static sti_bodies* open_pressed_stack(sti_env* env) {
    static const double density[4] = {1.4, 1000, 1000, 125000};
    sti_bodies* bodies = open_scene(env, 2);
    add_ground(env, bodies, 0);
    int box[4];
    for (int i = 0; i < 4; i++)
        box[i] = add_heavy_box(env, bodies, 0.25, density[i], at(i == 1 ? -0.07 : 0, 0.25 + 0.5 * i, 0));
    sti_spring spring = {.a = box[1], .b = box[3], .at_b = {0.1, 0}, .stiffness = 4e7, .rest = 1.9};
    spring.at_a[0] = -0.1;
    assert_int_equal(sti_bodies_add_spring(bodies, &spring), STI_OK);
    return bodies;
}

static void light_bodies_between_heavy_ones_do_not_sink(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_pressed_stack(env);
    sti_world_options options = sti_world_options_default();
    options.h = 0.005;
    sti_world* world = open_world(env, bodies, &options);
    for (int i = 0; i < 100; i++) {
        const sti_world_report r = sober_step(env, world, 1e-9);
        assert_true(r.penetration < 1e-9);
    }
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// A bar at rest, a spring of 1e6 weights on one of its ends: it swings by many turns in a step if the turning of its
// arm is left out.
static void a_bar_on_a_strong_spring_comes_to_hang_along_it(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        for (int k = 0; k < 4; k++) {
            sti_bodies* bodies = open_scene(env, dim);
            const int bar = add_box(env, bodies, 0.2, 0.02, 0.02, at(0.5 + 0.1 * k, 0, 0));
            sti_spring spring = {.a = -1, .b = bar, .at_b = {0, 0, 0}, .stiffness = 1e8, .rest = 0.1};
            spring.at_b[0] = k % 2 == 0 ? 0.2 : -0.2;
            spring.at_b[1] = 0.01;
            assert_int_equal(sti_bodies_add_spring(bodies, &spring), STI_OK);
            sti_world_options options = sti_world_options_default();
            options.h = 0.01;
            sti_world* world = open_world(env, bodies, &options);
            int short_ways = 0;
            for (int i = 0; i < 100; i++) short_ways += !sober_step(env, world, 1e-9).solved;
            assert_true(short_ways <= 2);
            sti_world_destroy(world);
            sti_bodies_destroy(bodies);
        }
    }
    sti_env_destroy(env);
}

// A light body between a pin or a bar and a strong spring: the joint's own force turns it back.
static void joints_under_a_strong_spring_are_not_torn(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        for (int k = 0; k < 2; k++) {
            sti_bodies* bodies = open_scene(env, dim);
            const int box = add_box(env, bodies, 0.05, 0.05, 0.05, at(0.3, 0.1, 0));
            sti_joint joint = sti_joint_default(k == 0 ? STI_JOINT_REVOLUTE : STI_JOINT_DISTANCE, -1, box);
            if (k == 0) {
                add_joint(bodies, &joint, 0, 0, 0);
            } else {
                joint.length = hypot(0.3, 0.1);
                assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
            }
            add_spring(bodies, -1, box, -0.8, dim == 2 ? 0.6 : 0, 1e7, 0.1);
            sti_world_options options = sti_world_options_default();
            options.h = 0.01;
            sti_world* world = open_world(env, bodies, &options);
            int short_ways = 0;
            for (int i = 0; i < 60; i++) {
                const sti_world_report r = sober_step(env, world, 1e-9);
                short_ways += !r.solved;
                assert_true(r.drift < 1e-9);
            }
            assert_true(short_ways <= 8);
            sti_world_destroy(world);
            sti_bodies_destroy(bodies);
        }
    }
    sti_env_destroy(env);
}

// A spring presses a disc to a box, off its middle: the box turns under the disc, and mending must not pump.
static void mending_against_a_spring_adds_nothing(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 2);
    const double none[3] = {0};
    sti_bodies_set_gravity(bodies, none);
    const int box = add_box(env, bodies, 0.15, 0.3, 0.15, at(0, 0, 0));
    const int ball = add_ball(env, bodies, 0.2, at(0.35, 0.1, 0), 0);
    sti_spring spring = {
        .a = box, .b = ball, .at_a = {-0.1, -0.05}, .at_b = {0.02, 0.05}, .stiffness = 5e8, .rest = 0.1};
    spring.damping = 1e6;
    assert_int_equal(sti_bodies_add_spring(bodies, &spring), STI_OK);
    sti_world_options options = sti_world_options_default();
    options.h = 0.01;
    sti_world* world = open_world(env, bodies, &options);
    for (int i = 0; i < 100; i++) {
        const sti_world_report r = sober_step(env, world, 1e-9);
        assert_true(r.penetration < 1e-8);
    }
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// What a caller places into each other is lifted all the same, and the report says what that took.
static void overlaps_of_the_start_are_lifted(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 2);
    add_ground(env, bodies, 0);
    add_box(env, bodies, 0.1, 0.1, 0.1, at(0, 0.09, 0));
    sti_world* world = open_world(env, bodies, NULL);
    const sti_world_report r = step(env, world);
    assert_true(r.penetration < 1e-9 && r.mended > 0);
    assert_true(fabs(r.mended - 1000 * 0.04 * GRAVITY * 0.01) < 1e-6);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// A box 0.01 deep in the ground, which no caller gave: as if an earlier step had left it there.
static sti_world* open_sunk(sti_env* env, sti_bodies** bodies, double speed) {
    *bodies = open_scene(env, 2);
    add_ground(env, *bodies, 0);
    const int box = add_box(env, *bodies, 0.1, 0.1, 0, at(0, 0.09, 0));
    sti_world* world = open_world(env, *bodies, NULL);
    const double v[3] = {speed, 0, 0};
    assert_int_equal(sti_world_set(world, box, NULL, v, NULL), STI_OK);
    world->given[box] = 0;
    return world;
}

// At rest nothing pays for it, and it stays; in motion the box pays with its speed; a caller who places it anew has it
// lifted.
static void overlaps_of_earlier_steps_are_paid_for(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies;
    const double mass = 1000 * 0.04, lift = mass * GRAVITY * 0.01, speed = 2;
    sti_world* world = open_sunk(env, &bodies, 0);
    sti_world_report r;
    for (int i = 0; i < 5; i++) {
        r = sober_step(env, world, 1e-9);
        assert_true(!r.solved && !r.sound && r.residual <= 1e-8 && r.mended == 0);
        assert_non_null(strstr(r.why, "overlap by 0.01"));
        assert_near(r.penetration, 0.01, 1e-9);
    }
    sti_pose pose;
    sti_world_pose(world, 1, &pose);
    assert_int_equal(sti_world_set(world, 1, &pose, NULL, NULL), STI_OK);
    r = step(env, world);
    assert_true(r.penetration < 1e-9 && fabs(r.mended - lift) < 1e-6);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);

    world = open_sunk(env, &bodies, speed);
    r = sober_step(env, world, 1e-9);
    assert_true(r.solved && r.penetration < 1e-9);
    const double slowed = speed - 0.5 * GRAVITY * 0.01;  // by friction, in the step
    assert_near(r.kinetic, mass * slowed * slowed / 2 - lift, 1e-6);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// A place given by the caller, saved before the first step, is still a given one.
static void a_saved_world_knows_what_was_given(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 2);
    add_ground(env, bodies, 0);
    add_box(env, bodies, 0.1, 0.1, 0.1, at(0, 0.09, 0));
    for (int given = 0; given < 2; given++) {
        sti_world *world = open_world(env, bodies, NULL), *loaded = open_world(env, bodies, NULL);
        void* bytes;
        size_t size;
        world->given[1] = (unsigned char)given;
        loaded->given[1] = (unsigned char)!given;
        assert_int_equal(sti_world_save_state(world, &bytes, &size), STI_OK);
        assert_int_equal(sti_world_load_state(loaded, bytes, size), STI_OK);
        const sti_world_report r = sober_step(env, loaded, 1);
        assert_true(r.solved == (given == 1));
        assert_true(given ? r.penetration < 1e-9 && r.mended > 0 : r.penetration > 0.009 && r.mended == 0);
        sti_free(env, bytes);
        sti_world_destroy(loaded);
        sti_world_destroy(world);
    }
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// Too deep to be lifted: the box stays where it was put, and no step is called solved.
static void a_box_far_under_the_floor_is_no_solution(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 2);
    add_ground(env, bodies, 0);
    add_box(env, bodies, 0.1, 0.1, 0.1, at(0, -5, 0));
    sti_world* world = open_world(env, bodies, NULL);
    for (int i = 0; i < 3; i++) {
        const sti_world_report r = sober_step(env, world, 1e-9);
        assert_true(!r.solved && !r.sound && r.penetration > 5);
        assert_non_null(strstr(r.why, "overlap by 5.1 at its end"));
        assert_true(r.given_a == 0 && r.given_b == 1);
        assert_near(r.given, 5.1, 1e-9);
    }
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// Lifted in one step: the report says how deep it was, how far it went, and what that took.
static void an_overlap_of_the_start_is_told(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 2);
    add_ground(env, bodies, 0);
    add_box(env, bodies, 0.1, 0.1, 0.1, at(0, 0.05, 0));
    sti_world* world = open_world(env, bodies, NULL);
    sti_world_report r = step(env, world);
    assert_near(r.given, 0.05, 1e-9);
    assert_near(r.corrected, 0.05, 1e-6);
    assert_near(r.mended, sti_bodies_body(bodies, 1)->mass * GRAVITY * 0.05, 1e-6);
    r = step(env, world);
    assert_true(r.given == 0);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// Where a double cannot tell places apart there is nothing to compute.
static void velocities_beyond_all_measure_are_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double speeds[] = {1e8, 1e20, 1e150};
    for (int k = 0; k < 3; k++) {
        sti_bodies* bodies = open_scene(env, 2);
        add_ground(env, bodies, 0);
        const int box = add_box(env, bodies, 0.1, 0.1, 0.1, at(0, 5, 0));
        const sti_world_options o = accurate();
        sti_world* world = NULL;
        bodies->body[box].v[1] = -speeds[k];
        const sti_status status = sti_world_create(env, bodies, &o, &world);
        assert_int_equal(status, k == 0 ? STI_OK : STI_ERR_INPUT);
        if (k > 0) assert_non_null(strstr(sti_env_error(env)->text, "doubles resolve this scene up to"));
        if (k == 0) {  // given later: no step of it is called solved
            assert_int_equal(sti_world_set(world, box, NULL, (double[]){0, -1e20, 0}, NULL), STI_OK);
            sti_world_report r;
            assert_int_equal(sti_world_step(world, &r), STI_OK);
            assert_true(!r.solved && !r.sound && strstr(r.why, "doubles resolve this scene up to") != NULL);
        }
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// A box that falls flat and stays: two corners land, and what they lose is what it had.
static void a_landing_without_restitution_is_an_impact(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 2);
    add_ground(env, bodies, 0);
    add_box(env, bodies, 0.1, 0.1, 0.1, at(0, 1.1, 0));
    sti_world* world = open_world(env, bodies, NULL);
    const double fall = sqrt(2 / GRAVITY), mass = sti_bodies_body(bodies, 1)->mass;
    int landings = 0;
    double lost = 0;
    for (int i = 0; i < 60; i++) {
        const sti_world_report r = step(env, world);
        assert_true(r.impacts == 0 && (r.landings > 0) == !isnan(r.impact_time));
        if (r.landings > 0) {
            int count = 0;
            const sti_world_contact* list = sti_world_contacts(world, &count);
            assert_near(r.impact_time, fall, 0.02);
            for (int c = 0; c < count; c++) assert_true(list[c].hit == r.impact_time);
        }
        landings += r.landings;
        lost += r.landing_energy;
    }
    assert_int_equal(landings, 2);
    assert_near(lost, -mass * GRAVITY * 1, 0.05 * mass * GRAVITY);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// A spring throws a ball from rest towards a wall that it did not look for: it ends at the wall, not in it.
static void what_a_spring_throws_finds_the_wall(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_scene(env, dim);
        const int ball = add_ball(env, bodies, 0.1, at(0, 0, 0), 0);
        sti_body wall = sti_body_default();
        wall.fixed = true;
        wall.pose = at(0.4, 0, 0);
        const double half[3] = {0.1, 1, 1};
        sti_shape* shape;
        assert_int_equal(sti_shape_create_box(env, dim, half, &shape), STI_OK);
        add_shape_body(bodies, shape, &wall);
        add_spring(bodies, -1, ball, 3, 0, 1e6, 0.1);
        sti_world_options options = sti_world_options_default();
        options.h = 0.01;
        sti_world* world = open_world(env, bodies, &options);
        for (int i = 0; i < 20; i++) {
            sti_pose pose;
            sober_step(env, world, 1e-9);
            sti_world_pose(world, ball, &pose);
            assert_true(pose.x[0] < 0.2 + 1e-6);
        }
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// The residual may be small against forces that run away; that is not what is said then.
static void a_refused_step_names_the_rule(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_driven_slider(env, 2);
    sti_world* world = open_world(env, bodies, NULL);
    int refused = 0;
    for (int i = 0; i < 20; i++) {
        sti_world_report r;
        assert_int_equal(sti_world_step(world, &r), STI_OK);
        if (r.solved) continue;
        refused++;
        const sti_contact_answer* answer;
        sti_world_problem(world, &answer);
        const double far = fmax(answer->runaway, 1);
        const bool small = answer->residual <= far * 1e-8;
        if (strstr(r.why, small ? "forces run away: " : "residual ") != r.why)
            fail_msg("residual %g: %s", answer->residual, r.why);
    }
    assert_true(refused > 0);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        sti_env* quiet = open_env();
        sti_bodies* bodies = open_pressed_stack(quiet);
        failing_env_open(&f, k);
        sti_world* world = NULL;
        sti_status status = sti_world_create(f.env, bodies, NULL, &world);
        for (int i = 0; i < 3 && status == STI_OK; i++) status = sti_world_step(world, NULL);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_world_destroy(world);
        const bool done = failing_env_close(&f);
        sti_bodies_destroy(bodies);
        sti_env_destroy(quiet);
        if (done) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_bodies_between_heavy_ones_do_not_sink),
        cmocka_unit_test(a_bar_on_a_strong_spring_comes_to_hang_along_it),
        cmocka_unit_test(joints_under_a_strong_spring_are_not_torn),
        cmocka_unit_test(mending_against_a_spring_adds_nothing),
        cmocka_unit_test(overlaps_of_the_start_are_lifted),
        cmocka_unit_test(overlaps_of_earlier_steps_are_paid_for),
        cmocka_unit_test(a_saved_world_knows_what_was_given),
        cmocka_unit_test(a_box_far_under_the_floor_is_no_solution),
        cmocka_unit_test(an_overlap_of_the_start_is_told),
        cmocka_unit_test(velocities_beyond_all_measure_are_refused),
        cmocka_unit_test(a_landing_without_restitution_is_an_impact),
        cmocka_unit_test(what_a_spring_throws_finds_the_wall),
        cmocka_unit_test(a_refused_step_names_the_rule),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
