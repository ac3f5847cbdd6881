// test_lift.c: linked bodies that start inside something are moved out of it as they are, once; steps that are ended.
#include "bodies/motion.h"
#include "scene_tools.h"

// Two boxes on a hinge, the lower one with its lower face at height z; fixed: the lower one stays.
static sti_bodies* open_pair(sti_env* env, int dim, double z, bool held, int box[2]) {
    sti_bodies* bodies = open_scene(env, dim);
    add_ground(env, bodies, 0);
    for (int k = 0; k < 2; k++)
        box[k] =
            add_box(env, bodies, 0.1, 0.1, 0.1, dim == 2 ? at(0, z + 0.1 + 0.25 * k, 0) : at(0, 0, z + 0.1 + 0.25 * k));
    sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, box[0], box[1]);
    add_joint(bodies, &joint, 0, dim == 2 ? z + 0.225 : 0, dim == 2 ? 0 : z + 0.225);
    if (held) {
        sti_joint hold = sti_joint_default(STI_JOINT_PRISMATIC, -1, box[0]);
        hold.axis[0].lower = -0.01;
        hold.axis[0].upper = 0.01;
        const double point[3] = {0}, axis[3] = {1, 0, 0};
        assert_int_equal(sti_joint_place(bodies, point, axis, &hold), STI_OK);
        assert_int_equal(sti_bodies_add_joint(bodies, &hold, NULL), STI_OK);
    }
    return bodies;
}

static void linked_bodies_deep_in_the_ground_are_raised_as_they_are(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        const int up = dim == 2 ? 1 : 2;
        int box[2];
        sti_bodies* bodies = open_pair(env, dim, -3, false, box);
        sti_world* world = open_world(env, bodies, NULL);
        const double mass = world->bodies->mass[box[0]].mass + world->bodies->mass[box[1]].mass;
        sti_world_report report;
        assert_int_equal(sti_world_step(world, &report), STI_OK);
        assert_true(report.solved && report.penetration <= 1e-9);
        assert_near(report.given, 3, 1e-12);
        assert_near(report.corrected, 3, 1e-9);
        assert_near(report.mended, mass * GRAVITY * 3, 1e-6 * mass);
        for (int k = 0; k < 2; k++) {
            sti_pose pose;
            sti_world_pose(world, box[k], &pose);
            assert_near(pose.x[up], 0.1 + 0.25 * k, 1e-6);
            assert_near(pose.x[0], 0, 1e-6);
        }
        report = step(env, world);
        assert_true(report.given == 0 && report.corrected <= 1e-9);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// A held one cannot be moved out as it is, and one between two walls has nowhere to go: nothing is shifted.
static void what_cannot_be_raised_is_left_to_mending(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int kind = 0; kind < 2; kind++) {
        int box[2];
        sti_bodies* bodies = open_pair(env, 3, -0.05, kind == 0, box);
        if (kind == 1) {  // a ceiling 0.1 too low
            sti_body body = sti_body_default();
            body.fixed = true;
            const double down[3] = {0, 0, -1};
            sti_shape* shape;
            assert_int_equal(sti_shape_create_halfspace(env, 3, down, -0.35, &shape), STI_OK);
            add_shape_body(bodies, shape, &body);
        }
        sti_world* world = open_world(env, bodies, NULL);
        sti_lift lift;
        memcpy(world->solve->kept, world->placed, (size_t)world->bodies->count * sizeof *world->placed);
        sti_pose before, after;
        sti_world_pose(world, box[1], &before);
        assert_int_equal(sti_world_lift(world, &lift), STI_OK);
        sti_world_pose(world, box[1], &after);
        assert_true(lift.depth == 0 && lift.way == 0);
        assert_memory_equal(&before, &after, sizeof before);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

static void shifts_out_of_a_corner_are_the_shortest(void** state) {
    (void)state;
    sti_env* env = open_env();
    int box[2];
    sti_bodies* bodies = open_pair(env, 3, -0.3, false, box);
    sti_body body = sti_body_default();
    body.fixed = true;
    const double right[3] = {1, 0, 0};
    sti_shape* shape;
    assert_int_equal(sti_shape_create_halfspace(env, 3, right, 0.1, &shape), STI_OK);
    add_shape_body(bodies, shape, &body);
    sti_world* world = open_world(env, bodies, NULL);
    sti_lift lift;
    memcpy(world->solve->kept, world->placed, (size_t)world->bodies->count * sizeof *world->placed);
    assert_int_equal(sti_world_lift(world, &lift), STI_OK);
    assert_near(lift.way, hypot(0.3, 0.2), 1e-9);
    assert_near(world->placed[box[0]].x[0], 0.2, 1e-9);
    assert_near(world->placed[box[0]].x[2], 0.1, 1e-9);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

typedef struct countdown {
    long left, asked;
} countdown;

static bool at_zero(void* user) {
    countdown* c = user;
    c->asked++;
    return c->left-- <= 0;
}

// However far a step got before it was ended: the world goes on with the bits it would have had.
static void a_step_that_is_ended_was_never_made(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_world* world[2];
    sti_bodies* bodies[2];
    for (int w = 0; w < 2; w++) {
        bodies[w] = open_scene(env, 3);
        add_ground(env, bodies[w], 0);
        int last = -1;
        for (int k = 0; k < 4; k++) {
            const int box = add_box(env, bodies[w], 0.1, 0.08, 0.05, at(0.25 * k, 0, 0.12 + 0.05 * k));
            sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, last, box);
            if (last >= 0) add_joint(bodies[w], &joint, 0.25 * k - 0.125, 0, 0.1 + 0.05 * k);
            last = box;
        }
        add_ball(env, bodies[w], 0.1, at(0.3, 0.02, 0.6), 1);
        const sti_world_options options = sti_world_options_default();
        world[w] = open_world(env, bodies[w], &options);
    }
    long ended = 0;
    for (int i = 0; i < 60; i++) {
        for (long left = 0;; left += 1 + left / 2) {
            countdown c = {.left = left};
            sti_env_ask(env, at_zero, &c);
            const sti_status status = sti_world_step(world[0], NULL);
            sti_env_ask(env, NULL, NULL);
            if (status == STI_OK) break;
            if (status != STI_ERR_TIME) fail_msg("step %d, asked %ld: %s", i, c.asked, sti_env_error(env)->text);
            assert_int_equal(sti_world_steps(world[0]), i);
            ended++;
        }
        step(env, world[1]);
        void* bytes[2];
        size_t size[2];
        for (int w = 0; w < 2; w++) assert_int_equal(sti_world_save_state(world[w], &bytes[w], &size[w]), STI_OK);
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        for (int w = 0; w < 2; w++) sti_env_free(env, bytes[w]);
    }
    assert_true(ended > 60);
    for (int w = 0; w < 2; w++) {
        sti_world_destroy(world[w]);
        sti_bodies_destroy(bodies[w]);
    }
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linked_bodies_deep_in_the_ground_are_raised_as_they_are),
        cmocka_unit_test(what_cannot_be_raised_is_left_to_mending),
        cmocka_unit_test(shifts_out_of_a_corner_are_the_shortest),
        cmocka_unit_test(a_step_that_is_ended_was_never_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
