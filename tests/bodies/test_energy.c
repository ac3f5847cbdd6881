// test_energy.c: energy never comes from nowhere, also where a step follows curves by straight pieces or is not
// solved; locked rows; and steps that cannot be solved stay harmless.
#include "scene_tools.h"

// One step, solved or not: finite, with a word where it is not solved, and T + V no larger than before but for work and
// mending.
static sti_world_report any_step(sti_env* env, sti_world* world, double tol) {
    sti_world_report r;
    const sti_status status = sti_world_step(world, &r);
    if (status != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    const double size = fabs(r.kinetic) + fabs(r.potential) + fabs(r.work) + 1;
    assert_true(isfinite(r.kinetic + r.potential + r.gain + r.work + r.penetration + r.drift));
    if (!r.solved) assert_true(strlen(r.why) > 10);
    if (r.gain > tol * size) fail_msg("step %ld: gained %g of %g: %s", r.step, r.gain, size, r.why);
    return r;
}

// A heavy spring holds a ball that flies past: its direction turns by a radian in a step.
static void stiff_springs_that_turn_add_no_energy(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        for (int k = 0; k < 4; k++) {
            sti_bodies* bodies = open_scene(env, dim);
            sti_body body = sti_body_default();
            body.pose = at(0.3, 0, 0);
            body.v[1] = 30;
            body.w[2] = 40;
            sti_shape* shape;
            assert_int_equal(sti_shape_create_sphere(env, dim, 0.1, &shape), STI_OK);
            const int ball = add_shape_body(bodies, shape, &body);
            sti_spring spring = {.a = -1, .b = ball, .stiffness = k % 2 == 0 ? 1e5 : 1e8, .rest = 0.2};
            spring.at_b[1] = 0.05;
            assert_int_equal(sti_bodies_add_spring(bodies, &spring), STI_OK);
            sti_world_options options = sti_world_options_default();
            options.h = 0.01;
            options.alpha = k < 2 ? 1 : 0.5;
            sti_world* world = open_world(env, bodies, &options);
            double kinetic, potential;
            sti_world_energy(world, &kinetic, &potential);
            const double before = kinetic + potential;
            for (int i = 0; i < 200; i++) any_step(env, world, 1e-8);
            sti_world_energy(world, &kinetic, &potential);
            assert_true(kinetic + potential <= before + 1e-6 * (fabs(before) + 1));
            sti_world_destroy(world);
            sti_bodies_destroy(bodies);
        }
    }
    sti_env_destroy(env);
}

// The same joint twice, each with friction that grows with its reaction: no one knows which of them carries.
static void friction_of_redundant_joints_stays_bounded(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 3);
    add_ground(env, bodies, 0);
    int last = -1;
    for (int k = 0; k < 3; k++) {
        const double half[3] = {0.2, 0.1, 0.1};
        sti_shape* shape;
        assert_int_equal(sti_shape_create_box(env, 3, half, &shape), STI_OK);
        sti_body body = sti_body_default();
        body.pose = at(0.4 * k, 0, 0.4);
        if (k == 2) body.v[1] = 2;
        const int box = add_shape_body(bodies, shape, &body);
        for (int twice = 0; twice < 2; twice++) {
            sti_joint joint = sti_joint_default(STI_JOINT_CYLINDRICAL, last, box);
            for (int axis = 0; axis < 2; axis++) {
                joint.axis[axis].mu = 0.4;
                joint.axis[axis].radius = 0.05;
                joint.axis[axis].friction = 0.1;
            }
            add_joint(bodies, &joint, 0.4 * k - 0.2, 0, 0.4);
        }
        last = box;
    }
    sti_world* world = open_world(env, bodies, NULL);
    for (int i = 0; i < 150; i++) {
        const sti_world_report r = any_step(env, world, 1e-8);
        assert_true(r.kinetic < 1e3 && r.penetration < 0.01 && r.drift < 1e-6);
    }
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// Two boxes welded together where they touch, and a hinge doubled by a weld, with friction and a motor: nothing there
// can move.
static void rows_that_joints_lock_take_no_part(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_scene(env, dim);
        add_ground(env, bodies, 0);
        const int low = add_box(env, bodies, 0.1, 0.1, 0.1, dim == 2 ? at(0, 0.1, 0) : at(0, 0, 0.1));
        const int high = add_box(env, bodies, 0.1, 0.1, 0.1, dim == 2 ? at(0, 0.3, 0) : at(0, 0, 0.3));
        sti_joint weld = sti_joint_default(STI_JOINT_FIXED, low, high);
        weld.collide = true;
        add_joint(bodies, &weld, 0, dim == 2 ? 0.2 : 0, dim == 2 ? 0 : 0.2);
        sti_joint hinge = sti_joint_default(STI_JOINT_REVOLUTE, low, high);
        hinge.collide = true;
        hinge.axis[0].friction = 1;
        hinge.axis[0].motor_speed = 3;
        hinge.axis[0].motor_force = 10;
        add_joint(bodies, &hinge, 0, dim == 2 ? 0.2 : 0, dim == 2 ? 0 : 0.2);
        sti_world* world = open_world(env, bodies, NULL);
        for (int i = 0; i < 50; i++) {
            step(env, world);
            assert_verified(env, world, 1.01e-10);
        }
        int between = 0, count;
        const sti_world_contact* contact = sti_world_contacts(world, &count);
        for (int c = 0; c < count; c++) {
            const bool inner =
                (contact[c].a == low && contact[c].b == high) || (contact[c].a == high && contact[c].b == low);
            between += inner;
            if (inner) assert_true(contact[c].r[0] == 0);
        }
        assert_true(between > 0);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// A wall drives a slider against its limit: no velocity obeys both. The step says so, and nothing flies away.
static void a_step_without_solution_is_reported_and_harmless(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_driven_slider(env, dim);
        sti_world* world = open_world(env, bodies, NULL);
        int open = 0;
        for (int i = 0; i < 50; i++) {
            const sti_world_report r = any_step(env, world, 1e-8);
            open += !r.solved;
            assert_true(r.kinetic < 1 && r.drift < 1e-6);
        }
        assert_true(open > 0);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_springs_that_turn_add_no_energy),
        cmocka_unit_test(friction_of_redundant_joints_stays_bounded),
        cmocka_unit_test(rows_that_joints_lock_take_no_part),
        cmocka_unit_test(a_step_without_solution_is_reported_and_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
