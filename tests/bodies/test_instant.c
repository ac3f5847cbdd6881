// test_instant.c: a world as an instant: masses, forces, contacts, joints and their rates against closed forms.
#include "world_tools.h"

static sti_instant* instant_of(const sti_world* world, double tol) {
    sti_instant* instant;
    const sti_status status = sti_world_instant(world->env, world, tol, &instant);
    if (status != STI_OK) fail_msg("%s", sti_env_error(world->env)->text);
    assert_int_equal(sti_instant_check(world->env, instant), STI_OK);
    return instant;
}

static void a_box_at_rest_has_its_weight_and_no_rates(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_bodies(env, dim);
        const double g[3] = {0, dim == 2 ? -10 : 0, -10};
        sti_bodies_set_gravity(bodies, g);
        add_body(bodies, "floor", true, sti_pose_identity(), ground(env, dim));
        add_body(bodies, "box", false, dim == 2 ? at(0, 0.5, 0) : at(0, 0, 0.5), box(env, dim, 0.5, 0.5, 0.5));
        sti_world world;
        world_open(&world, env, bodies);
        sti_instant* a = instant_of(&world, 1e-9);
        assert_int_equal(a->n, dim == 2 ? 3 : 6);
        assert_int_equal(a->contact_count, dim == 2 ? 2 : 4);
        assert_string_equal(a->names[0], "box.vx");
        assert_string_equal(a->names[a->n - 1], "box.wz");
        assert_string_equal(a->contacts[0].name, "floor:box");
        assert_string_equal(a->contacts[1].name, "floor:box 2");
        assert_near(a->M[0], 1000, 1e-10);
        assert_near(a->F[dim - 1], 10000, 1e-9);
        for (int i = 0; i < a->contact_count; i++) {
            const sti_instant_contact* c = &a->contacts[i];
            assert_false(c->bilateral);
            assert_int_equal(c->tangent_count, dim - 1);
            assert_true(c->gap == 0);
            assert_true(c->n_rate == 0);
            for (int k = 0; k < c->tangent_count; k++) assert_true(c->t_rate[k] == 0);
            assert_near(c->n[dim - 1], 1, 1e-15);
        }
        sti_instant_destroy(env, a);
        world_close(&world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// A ball of radius r slides on a fixed ball of radius R with speed s: the gap grows by s^2 / (R + r).
static void a_ball_on_a_ball_needs_the_centripetal_force(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_bodies(env, dim);
        add_body(bodies, "big", true, sti_pose_identity(), sphere(env, dim, 2));
        add_body(bodies, "small", false, at(0, 2.5, 0), sphere(env, dim, 0.5));
        sti_world world;
        world_open(&world, env, bodies);
        world.v[0] = 3;
        world.v[dim == 2 ? 2 : 5] = 1.7;
        sti_instant* a = instant_of(&world, 1e-9);
        assert_int_equal(a->contact_count, 1);
        assert_near(a->contacts[0].n_rate, 9 / 2.5, 1e-8);
        sti_instant_destroy(env, a);
        world_close(&world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// A corner of a tumbling box has the acceleration w x (w x p) against the floor. v is held in the numbers of the
// instant: of the centre in world axes, of the turn in body axes.
static void a_corner_of_a_tumbling_box_is_thrown_towards_the_centre(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    add_body(bodies, "floor", true, sti_pose_identity(), ground(env, 3));
    const sti_pose pose = {.x = {0, 0, 0}, .q = {0.9, 0.3, 0.1, 0.2}};
    add_body(bodies, "box", false, pose, box(env, 3, 0.5, 0.4, 0.3));
    sti_world world;
    world_open(&world, env, bodies);
    assert_int_equal(sti_world_detect_create(&world), STI_OK);
    assert_int_equal(sti_world_detect_within(&world, 0.5), STI_OK);
    double lowest = 1;
    for (int i = 0; i < world.contact_count; i++) lowest = fmin(lowest, world.contact[i].at.gap);
    world.placed[1].x[2] -= lowest;
    double w[3] = {0.5, -1, 2}, wb[3];
    const double* R = world.placed[1].R;
    for (int k = 0; k < 3; k++) wb[k] = R[k] * w[0] + R[k + 3] * w[1] + R[k + 6] * w[2];
    memcpy(world.v + 3, wb, sizeof wb);
    sti_instant* a = instant_of(&world, 1e-9);
    assert_int_equal(a->contact_count, 1);
    // the corner is lowest: p = R (+-0.5, +-0.4, +-0.3)
    double p[3] = {0, 0, 0};
    const double half[3] = {0.5, 0.4, 0.3};
    for (int k = 0; k < 3; k++) {
        const double s = R[6 + k] > 0 ? -half[k] : half[k];
        for (int i = 0; i < 3; i++) p[i] += R[3 * i + k] * s;
    }
    const double ww = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], wp = w[0] * p[0] + w[1] * p[1] + w[2] * p[2];
    assert_near(a->contacts[0].n_rate, w[2] * wp - ww * p[2], 1e-8);
    // gyroscopic forces w x I w do no work
    double power = 0;
    for (int k = 0; k < 3; k++) power += a->F[3 + k] * wb[k];
    assert_near(power, 0, 1e-10);
    assert_true(fabs(a->F[3]) > 1);
    sti_instant_destroy(env, a);
    world_close(&world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// A rod on a pin: centre at (1, 0) from the pin, turning with w. The pivot, seen from the centre, is accelerated by w^2
// along x.
static void joints_follow_as_bilateral_rows_with_their_rates(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 2);
    const int rod = add_body(bodies, "rod", false, at(1, 0, 0), box(env, 2, 1, 0.1, 0));
    sti_joint pin = sti_joint_default(STI_JOINT_REVOLUTE, -1, rod);
    const double origin[3] = {0, 0, 0};
    pin.name = "pin";
    pin.axis[0].lower = 0;
    assert_int_equal(sti_joint_place(bodies, origin, NULL, &pin), STI_OK);
    assert_int_equal(sti_bodies_add_joint(bodies, &pin, NULL), STI_OK);
    sti_world world;
    world_open(&world, env, bodies);
    world.v[1] = 2;
    world.v[2] = 2;
    sti_instant* a = instant_of(&world, 1e-9);
    assert_int_equal(a->contact_count, 3);
    assert_string_equal(a->contacts[0].name, "pin lower");
    assert_false(a->contacts[0].bilateral);
    assert_near(a->contacts[0].n[2], 1, 0);
    assert_string_equal(a->contacts[1].name, "pin");
    assert_string_equal(a->contacts[2].name, "pin 2");
    assert_true(a->contacts[1].bilateral);
    assert_true(a->contacts[1].mu == 0);
    assert_int_equal(a->contacts[1].tangent_count, 0);
    assert_near(a->contacts[1].n_rate, 4, 1e-8);
    assert_near(a->contacts[2].n_rate, 0, 1e-8);
    double along = 0;
    for (int k = 0; k < 3; k++) along += a->contacts[2].n[k] * a->v[k];
    assert_near(along, 0, 1e-15);
    sti_instant_destroy(env, a);
    world_close(&world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void rates_are_second_derivatives_of_gaps(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {7};
    int compared = 0;
    for (int repeat = 0; repeat < 200; repeat++) {
        const int dim = 2 + repeat % 2;
        sti_bodies* bodies = open_bodies(env, dim);
        add_body(bodies, NULL, false, random_pose(&rng, dim, 0.8), sphere(env, dim, between(&rng, 0.3, 0.6)));
        add_body(bodies, NULL, false, random_pose(&rng, dim, 0.8),
                 repeat % 4 < 2 ? box(env, dim, 0.5, 0.4, 0.3) : sphere(env, dim, 0.4));
        sti_world world[3];
        double gap[3];
        const double eps = 1e-3;
        bool same = true;
        double v[12];
        world_open(&world[0], env, bodies);
        random_velocity(&rng, &world[0], v);
        world_close(&world[0]);
        for (int k = 0; k < 3; k++) {
            world_open(&world[k], env, bodies);
            world_move(&world[k], (k - 1) * eps, v);
            world[k].options.points = 1;
            assert_int_equal(sti_world_detect_create(&world[k]), STI_OK);
            assert_int_equal(sti_world_detect_within(&world[k], 3), STI_OK);
            assert_int_equal(world[k].contact_count, 1);
            gap[k] = world[k].contact[0].at.gap;
            same = same && world[k].contact[0].at.id == world[0].contact[0].at.id;
        }
        if (same && gap[1] > 0.01) {
            memcpy(world[1].v, v, sizeof(double) * (size_t)(world[1].nv * 2));
            sti_instant* a = instant_of(&world[1], 3);
            assert_int_equal(a->contact_count, 1);
            const double second = (gap[0] - 2 * gap[1] + gap[2]) / (eps * eps);
            assert_near(a->contacts[0].n_rate, second, 1e-4 * (1 + fabs(second)));
            sti_instant_destroy(env, a);
            compared++;
        }
        for (int k = 0; k < 3; k++) world_close(&world[k]);
        sti_bodies_destroy(bodies);
    }
    assert_true(compared > 50);
    sti_env_destroy(env);
}

static void an_instant_survives_every_failed_allocation(void** state) {
    (void)state;
    sti_env* maker = open_env();
    sti_bodies* bodies = open_bodies(maker, 3);
    add_body(bodies, "floor", true, sti_pose_identity(), ground(maker, 3));
    const int b = add_body(bodies, "box", false, at(0, 0, 0.5), box(maker, 3, 0.5, 0.5, 0.5));
    const sti_joint joint = sti_joint_default(STI_JOINT_PLANAR, -1, b);
    assert_int_equal(sti_bodies_add_joint(bodies, &joint, NULL), STI_OK);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_world world;
        world_open(&world, maker, bodies);
        world.v[0] = 1;
        sti_instant* a;
        const sti_status status = sti_world_instant(f.env, &world, 1e-9, &a);
        if (status != STI_OK) {
            assert_int_equal(status, STI_ERR_MEMORY);
            assert_null(a);
        }
        sti_instant_destroy(f.env, a);
        world_close(&world);
        if (failing_env_close(&f)) break;
    }
    sti_bodies_destroy(bodies);
    sti_env_destroy(maker);
}

static void a_world_that_cannot_move_has_no_instant(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_bodies(env, 3);
    add_body(bodies, "floor", true, sti_pose_identity(), ground(env, 3));
    sti_world world;
    world_open(&world, env, bodies);
    sti_instant* a;
    assert_int_equal(sti_world_instant(env, &world, 1e-9, &a), STI_ERR_INPUT);
    assert_null(a);
    assert_int_equal(sti_world_instant(env, &world, -1, &a), STI_ERR_ARGUMENT);
    assert_int_equal(sti_world_instant(env, &world, (double)NAN, &a), STI_ERR_ARGUMENT);
    world_close(&world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_at_rest_has_its_weight_and_no_rates),
        cmocka_unit_test(a_ball_on_a_ball_needs_the_centripetal_force),
        cmocka_unit_test(a_corner_of_a_tumbling_box_is_thrown_towards_the_centre),
        cmocka_unit_test(joints_follow_as_bilateral_rows_with_their_rates),
        cmocka_unit_test(rates_are_second_derivatives_of_gaps),
        cmocka_unit_test(an_instant_survives_every_failed_allocation),
        cmocka_unit_test(a_world_that_cannot_move_has_no_instant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
