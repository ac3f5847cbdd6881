// test_start.c: consistent starts, mending, and what is refused.
#include "scene_tools.h"

// Joints that do not quite meet, and velocities that they do not allow, are moved the least.
static void a_start_is_made_consistent(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_scene(env, dim);
        const int box = add_ball(env, bodies, 0.1, at(1, 0, 0), 3);  // along the arm: not allowed
        sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, -1, box);
        const int hinge = add_joint(bodies, &joint, 0, 0, 0);
        sti_world* world = open_world(env, bodies, NULL);
        double v[3], w[3];
        sti_world_velocity(world, box, v, w);
        assert_near(v[0], 0, 1e-14);
        sti_world_joint out;
        sti_world_joint_state(world, hinge, &out);
        assert_near(out.defect, 0, 1e-12);
        sti_world_destroy(world);
        sti_world_options options = sti_world_options_default();
        options.start_as_given = true;
        world = open_world(env, bodies, &options);
        sti_world_velocity(world, box, v, w);
        assert_near(v[0], 3, 0);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

static void joints_apart_are_brought_together(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 3);
    int last = -1;
    for (int k = 0; k < 5; k++) {
        const int link = add_box(env, bodies, 0.05, 0.02, 0.02, at(0.1 * k + 0.05, 0.002 * k, 0.003 * (k % 2)));
        sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, last, link);
        joint.at_a = at(k == 0 ? 0 : 0.05, 0, 0);
        joint.at_b = at(-0.05, 0, 0);
        int index;
        assert_int_equal(sti_bodies_add_joint(bodies, &joint, &index), STI_OK);
        last = link;
    }
    sti_world* world = open_world(env, bodies, NULL);
    for (int j = 0; j < 5; j++) {
        sti_world_joint out;
        sti_world_joint_state(world, j, &out);
        assert_true(out.defect <= 1e-11);
    }
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void a_loop_that_cannot_close_is_refused_by_name(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_scene(env, dim);
        const int box = add_box(env, bodies, 0.5, 0.1, 0.1, at(0, 0, 0));
        for (int k = 0; k < 2; k++) {
            sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, -1, box);
            joint.name = k == 0 ? "left" : "right";
            joint.at_b = at(k == 0 ? -0.5 : 0.5, 0, 0);
            joint.at_a = at(k == 0 ? -0.5 : 0.7, 0, 0);
            int index;
            assert_int_equal(sti_bodies_add_joint(bodies, &joint, &index), STI_OK);
        }
        sti_world* world;
        assert_int_equal(sti_world_create(env, bodies, NULL, &world), STI_ERR_INPUT);
        assert_null(world);
        assert_true(strstr(sti_env_error(env)->text, "left") != NULL ||
                    strstr(sti_env_error(env)->text, "right") != NULL);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// Boxes that start inside the ground are pushed out, at rest: no overlap becomes speed.
static void overlaps_are_mended_without_speed(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 3);
    add_ground(env, bodies, 0);
    const int box = add_box(env, bodies, 0.1, 0.1, 0.1, at(0, 0, 0.08));
    const int upper = add_box(env, bodies, 0.1, 0.1, 0.1, at(0, 0, 0.27));
    sti_world* world = open_world(env, bodies, NULL);
    sti_world_report report;
    assert_int_equal(sti_world_step(world, &report), STI_OK);
    assert_true(report.corrected > 0.019);
    assert_true(report.penetration <= 1e-10);
    for (int i = 0; i < 20; i++) assert_int_equal(sti_world_step(world, &report), STI_OK);
    sti_pose pose;
    sti_world_pose(world, box, &pose);
    assert_near(pose.x[2], 0.1, 1e-9);
    sti_world_pose(world, upper, &pose);
    assert_near(pose.x[2], 0.3, 1e-9);
    assert_true(report.at_rest);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void options_are_checked(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 2);
    add_ball(env, bodies, 1, at(0, 0, 0), 0);
    sti_world_options bad[6];
    for (int k = 0; k < 6; k++) bad[k] = sti_world_options_default();
    bad[0].h = 0;
    bad[1].alpha = 0.4;
    bad[2].tol = -1;
    bad[3].h = NAN;
    bad[4].law = STI_IMPACT_MOREAU;
    bad[5].rest_speed = -1;
    for (int k = 0; k < 6; k++) {
        sti_world* world;
        assert_int_equal(sti_world_create(env, bodies, &bad[k], &world), STI_ERR_ARGUMENT);
        assert_null(world);
    }
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void what_is_set_from_outside_is_checked(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 3);
    const int ground = add_ground(env, bodies, 0), box = add_box(env, bodies, 1, 1, 1, at(0, 0, 5));
    sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, -1, box);
    const int hinge = add_joint(bodies, &joint, 0, 0, 5);
    sti_world* world = open_world(env, bodies, NULL);
    assert_int_equal(sti_world_set(world, 7, NULL, NULL, NULL), STI_ERR_INPUT);
    assert_int_equal(sti_world_set(world, ground, NULL, (double[3]){1, 0, 0}, NULL), STI_ERR_ARGUMENT);
    assert_int_equal(sti_world_set(world, box, NULL, (double[3]){NAN, 0, 0}, NULL), STI_ERR_ARGUMENT);
    assert_int_equal(sti_world_push(world, box, (double[3]){INFINITY, 0, 0}, NULL), STI_ERR_ARGUMENT);
    assert_int_equal(sti_world_drive(world, hinge, 1, 0, 0, 0), STI_ERR_ARGUMENT);
    assert_int_equal(sti_world_drive(world, hinge, 0, 0, -1, 0), STI_ERR_ARGUMENT);
    assert_int_equal(sti_world_drive(world, 3, 0, 0, 0, 0), STI_ERR_ARGUMENT);
    assert_int_equal(sti_world_drive(world, hinge, 0, 1, 100, 0), STI_OK);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_is_made_consistent),
        cmocka_unit_test(joints_apart_are_brought_together),
        cmocka_unit_test(a_loop_that_cannot_close_is_refused_by_name),
        cmocka_unit_test(overlaps_are_mended_without_speed),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(what_is_set_from_outside_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
