// test_settle.c: a world after a step as an instant: velocities that hold what touches, in a copy.
#include "world_tools.h"

static sti_world* box_with_noise(sti_env* env, const sti_bodies* bodies, int body, double noise) {
    const double v[3] = {0.5, 0, noise};
    sti_world_options options = sti_world_options_default();
    sti_world* world;
    options.start_as_given = true;
    if (sti_world_create(env, bodies, &options, &world) != STI_OK) return NULL;
    assert_int_equal(sti_world_set(world, body, NULL, v, NULL), STI_OK);
    return world;
}

static int add_box(sti_env* env, sti_bodies* bodies) {
    const double g[3] = {0, 0, -10};
    sti_bodies_set_gravity(bodies, g);
    add_body(bodies, "floor", true, sti_pose_identity(), ground(env, 3));
    return add_body(bodies, "box", false, at(0, 0, 0.5), box(env, 3, 0.5, 0.5, 0.5));
}

static void the_noise_of_a_step_is_settled_and_the_world_keeps_its_own(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    const int body = add_box(env, bodies);
    sti_world* world = box_with_noise(env, bodies, body, 1e-9);
    sti_instant_settled told;
    sti_instant* a;
    assert_int_equal(sti_world_instant_settled(env, world, 1e-9, &told, &a), STI_OK);
    assert_near(a->v[0], 0.5, 1e-15);
    assert_true(fabs(a->v[2]) < 1e-18);
    assert_int_equal(told.lasts, 4);
    assert_near(told.gap_rate, 1e-9, 1e-15);
    double v[3], w[3];
    sti_world_velocity(world, body, v, w);
    assert_true(v[2] == 1e-9);
    sti_instant_destroy(env, a);
    assert_int_equal(sti_world_instant_settled(env, world, -1, NULL, &a), STI_ERR_ARGUMENT);
    assert_null(a);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void a_box_that_leaves_the_ground_still_leaves_it(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    sti_world* world = box_with_noise(env, bodies, add_box(env, bodies), 0.25);
    sti_instant* a;
    assert_int_equal(sti_world_instant_settled(env, world, 1e-9, NULL, &a), STI_OK);
    assert_true(a->v[2] == 0.25);
    sti_instant_destroy(env, a);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void a_settled_instant_survives_every_failed_allocation(void** state) {
    (void)state;
    sti_env* maker = open_env();
    sti_bodies* bodies = open_bodies(maker, 3);
    sti_world* world = box_with_noise(maker, bodies, add_box(maker, bodies), 1e-9);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_instant* a;
        const sti_status status = sti_world_instant_settled(f.env, world, 1e-9, NULL, &a);
        if (status != STI_OK) {
            assert_int_equal(status, STI_ERR_MEMORY);
            assert_null(a);
        }
        sti_instant_destroy(f.env, a);
        if (failing_env_close(&f)) break;
    }
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(maker);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_noise_of_a_step_is_settled_and_the_world_keeps_its_own),
        cmocka_unit_test(a_box_that_leaves_the_ground_still_leaves_it),
        cmocka_unit_test(a_settled_instant_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
