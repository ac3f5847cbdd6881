// test_stack.c: many bodies: towers, arches, loops, chains, grasps, and what the verifier says to their steps.
#include "base/rng.h"
#include "scene_tools.h"

static void a_tower_of_twenty_stands_still(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_scene(env, dim);
        add_ground(env, bodies, 0);
        int box[20];
        for (int k = 0; k < 20; k++)
            box[k] = add_box(env, bodies, 0.5, 0.5, 0.5, dim == 2 ? at(0, 0.5 + k, 0) : at(0, 0, 0.5 + k));
        sti_world* world = open_world(env, bodies, NULL);
        sti_pose before[20], after;
        for (int k = 0; k < 20; k++) sti_world_pose(world, box[k], &before[k]);
        for (int i = 0; i < 1000; i++) {
            step(env, world);
            if (i % 250 == 0) assert_verified(env, world, 1e-10);
        }
        for (int k = 0; k < 20; k++) {
            sti_world_pose(world, box[k], &after);
            assert_true(distance(&before[k], &after) <= 1e-8);
        }
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// Boxes with gaps between them fall on each other and come to rest.
static void a_tower_that_falls_together_comes_to_rest(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 3);
    add_ground(env, bodies, 0);
    for (int k = 0; k < 8; k++) add_box(env, bodies, 0.5, 0.5, 0.5, at(0.02 * (k % 3), 0.01 * (k % 2), 0.5 + 1.01 * k));
    sti_world* world = open_world(env, bodies, NULL);
    sti_world_report report = {0};
    for (int i = 0; i < 200; i++) report = step(env, world);
    assert_true(report.at_rest);
    assert_true(report.penetration <= 1e-9);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// A half ring of n voussoirs between radii 1 and 1.3 on two springings; returns how far the keystone has come down in a
// second.
static double arch_falls_by(sti_env* env, double mu) {
    enum { N = 7 };
    sti_bodies* bodies = open_scene(env, 2);
    add_ground(env, bodies, 0);
    assert_int_equal(sti_bodies_set_pair(bodies, 0, 0, mu, 0), STI_OK);
    int key = -1;
    for (int k = 0; k < N; k++) {
        double points[8];
        for (int c = 0; c < 4; c++) {
            const double radius = c < 2 ? 1 : 1.3, angle = PI * (k + (c == 1 || c == 2)) / N;
            points[2 * c] = radius * cos(angle);
            points[2 * c + 1] = radius * sin(angle);
        }
        sti_shape* shape;
        assert_int_equal(sti_shape_create_convex(env, 2, 4, points, &shape), STI_OK);
        sti_body body = sti_body_default();
        const int index = add_shape_body(bodies, shape, &body);
        if (k == N / 2) key = index;
    }
    sti_world* world = open_world(env, bodies, NULL);
    sti_pose before, after;
    sti_world_pose(world, key, &before);
    for (int i = 0; i < 100; i++) step(env, world);
    sti_world_pose(world, key, &after);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    return before.x[1] - after.x[1];
}

static void an_arch_stands_with_friction_and_falls_without(void** state) {
    (void)state;
    sti_env* env = open_env();
    assert_true(fabs(arch_falls_by(env, 0.8)) <= 1e-9);
    assert_true(arch_falls_by(env, 0.1) > 0.05);
    sti_env_destroy(env);
}

// Four hinges with parallel axes in space: three of their twenty rows are redundant.
static void a_closed_loop_of_redundant_hinges_keeps_together(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 3);
    const double s = sin(0.5), c = cos(0.5);
    sti_pose left = at(-s / 2, 0, c / 2), right = at(1 - s / 2, 0, c / 2);
    left.q[0] = right.q[0] = cos(0.25);
    left.q[2] = right.q[2] = -sin(0.25);
    const int A = add_box(env, bodies, 0.02, 0.02, 0.5, left), C = add_box(env, bodies, 0.02, 0.02, 0.5, right),
              B = add_box(env, bodies, 0.5, 0.02, 0.02, at(0.5 - s, 0, c));
    const int pair[4][2] = {{-1, A}, {A, B}, {B, C}, {C, -1}};
    const double point[4][2] = {{0, 0}, {-s, c}, {1 - s, c}, {1, 0}};
    for (int k = 0; k < 4; k++) {
        sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, pair[k][0], pair[k][1]);
        add_joint(bodies, &joint, point[k][0], 0, point[k][1]);
    }
    sti_world* world = open_world(env, bodies, NULL);
    for (int i = 0; i < 1000; i++) {
        const sti_world_report report = step(env, world);
        assert_int_equal(report.joint_rows, 20);
        assert_true(report.drift <= 1e-8);
        if (i % 100 == 0) assert_verified(env, world, 1e-10);
    }
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void a_chain_of_twenty_falls_and_holds_together(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 3);
    int last = -1;
    for (int k = 0; k < 20; k++) {
        const int link = add_box(env, bodies, 0.05, 0.02, 0.02, at(0.1 * k + 0.05, 0, 0));
        sti_joint joint = sti_joint_default(k % 2 ? STI_JOINT_SPHERICAL : STI_JOINT_REVOLUTE, last, link);
        add_joint(bodies, &joint, 0.1 * k, 0, 0);
        last = link;
    }
    sti_world* world = open_world(env, bodies, NULL);
    for (int i = 0; i < 300; i++) {
        const sti_world_report report = step(env, world);
        assert_true(report.drift <= 1e-8);
        if (i % 50 == 0) assert_verified(env, world, 1e-10);
    }
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// Its factor has more work than a chain's: every body hangs on four others.
static void a_net_of_many_joints_falls_and_holds_together(void** state) {
    (void)state;
    enum { SIDE = 12 };
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 3);
    for (int i = 0; i < SIDE; i++) {
        for (int k = 0; k < SIDE; k++) {
            const int link = add_box(env, bodies, 0.02, 0.02, 0.02, at(0.1 * i, 0.1 * k, 0));
            sti_joint along = sti_joint_default(STI_JOINT_SPHERICAL, link - 1, link);
            sti_joint across = sti_joint_default(STI_JOINT_SPHERICAL, i > 0 ? link - SIDE : -1, link);
            if (k > 0) add_joint(bodies, &along, 0.1 * i, 0.1 * k - 0.05, 0);
            if (i > 0 || k == 0) add_joint(bodies, &across, 0.1 * i - 0.05, 0.1 * k, 0);
        }
    }
    sti_world* world = open_world(env, bodies, NULL);
    for (int i = 0; i < 5; i++) assert_true(step(env, world).drift <= 1e-8);
    assert_verified(env, world, 1e-8);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// Two fingers on slides press a box with motors of bounded force and hold it in the air, or let it slip.
static void a_grasped_box_does_not_creep(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int held = 0; held < 2; held++) {
        for (int fine = 0; fine < 2; fine++) {
            sti_bodies* bodies = open_scene(env, 3);
            const int box = add_box(env, bodies, 0.05, 0.05, 0.05, at(0, 0, 0));  // 1 kg
            for (int side = -1; side <= 1; side += 2) {
                const int finger = add_box(env, bodies, 0.01, 0.05, 0.05, at(0.06 * side, 0, 0));
                sti_joint joint = sti_joint_default(STI_JOINT_PRISMATIC, -1, finger);
                joint.axis[0].motor_speed = -0.1 * side;
                joint.axis[0].motor_force = held ? 12 : 8;  // 2 mu F against 9.81 N
                assert_int_equal(sti_joint_place(bodies, (double[3]){0.06 * side, 0, 0}, (double[3]){1, 0, 0}, &joint),
                                 STI_OK);
                int index;
                assert_int_equal(sti_bodies_add_joint(bodies, &joint, &index), STI_OK);
            }
            sti_world_options options = accurate();
            options.h = fine ? 0.002 : 0.01;
            sti_world* world = open_world(env, bodies, &options);
            sti_pose before, after;
            sti_world_pose(world, box, &before);
            for (int i = 0; i < (held ? 10 : 0.1) / options.h; i++) step(env, world);
            sti_world_pose(world, box, &after);
            if (held)
                assert_true(distance(&before, &after) <= 1e-12);
            else
                assert_near(before.x[2] - after.x[2], (GRAVITY - 8) * 0.1 * (0.1 + options.h) / 2, 1e-4);
            assert_verified(env, world, 1e-10);
            sti_world_destroy(world);
            sti_bodies_destroy(bodies);
        }
    }
    sti_env_destroy(env);
}

static void random_piles_are_verified_step_by_step(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (uint64_t seed = 1; seed <= 6; seed++) {
        sti_rng rng = {seed};
        const int dim = seed % 2 ? 3 : 2;
        sti_bodies* bodies = open_scene(env, dim);
        add_ground(env, bodies, 0);
        for (int k = 0; k < 12; k++) {
            const double x = 0.4 * sti_rng_u01(&rng), y = 0.4 * sti_rng_u01(&rng), up = 0.2 + 0.25 * k;
            if (k % 2)
                add_ball(env, bodies, 0.1, dim == 2 ? at(x, up, 0) : at(x, y, up), 0);
            else
                add_box(env, bodies, 0.1, 0.08, 0.06, dim == 2 ? at(x, up, 0) : at(x, y, up));
        }
        sti_world* world = open_world(env, bodies, NULL);
        for (int i = 0; i < 150; i++) {
            step(env, world);
            assert_verified(env, world, 1e-10);
        }
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// Two piles that do not touch move as each does alone.
static void islands_do_not_know_of_each_other(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_pose pose[2][3];
    for (int both = 0; both < 2; both++) {
        sti_bodies* bodies = open_scene(env, 3);
        add_ground(env, bodies, 0);
        int ball[3];
        for (int k = 0; k < 3; k++) ball[k] = add_ball(env, bodies, 0.1, at(0.01 * k, 0.02 * k, 0.15 + 0.22 * k), 0);
        for (int k = 0; k < 3 * both; k++) add_ball(env, bodies, 0.1, at(5 + 0.03 * k, 0, 0.15 + 0.22 * k), 0);
        sti_world* world = open_world(env, bodies, NULL);
        for (int i = 0; i < 60; i++) step(env, world);
        for (int k = 0; k < 3; k++) sti_world_pose(world, ball[k], &pose[both][k]);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    assert_memory_equal(pose[0], pose[1], sizeof pose[0]);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tower_of_twenty_stands_still),
        cmocka_unit_test(a_tower_that_falls_together_comes_to_rest),
        cmocka_unit_test(an_arch_stands_with_friction_and_falls_without),
        cmocka_unit_test(a_closed_loop_of_redundant_hinges_keeps_together),
        cmocka_unit_test(a_chain_of_twenty_falls_and_holds_together),
        cmocka_unit_test(a_net_of_many_joints_falls_and_holds_together),
        cmocka_unit_test(a_grasped_box_does_not_creep),
        cmocka_unit_test(random_piles_are_verified_step_by_step),
        cmocka_unit_test(islands_do_not_know_of_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
