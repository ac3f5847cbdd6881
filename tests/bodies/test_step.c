// test_step.c: motions with closed forms: flight, tops, pendulums, rolling, slipping, motors, limits, friction,
// bounces.
#include "scene_tools.h"

static void flight_is_the_sum_of_its_steps(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_scene(env, dim);
        const int ball = add_ball(env, bodies, 0.1, at(0, 0, 0), 2);
        sti_world_options options = accurate();
        for (int half = 0; half < 2; half++) {
            options.alpha = half ? 0.5 : 1;
            sti_world* world = open_world(env, bodies, &options);
            for (int i = 0; i < 100; i++) step(env, world);
            sti_pose pose;
            sti_world_pose(world, ball, &pose);
            assert_near(pose.x[0], 2, 1e-12);
            // implicit Euler falls by h^2 g n (n + 1) / 2, the midpoint rule exactly
            assert_near(pose.x[dim - 1], half ? -GRAVITY / 2 : -GRAVITY * 1e-4 * 5050, 1e-11);
            assert_near(sti_world_time(world), 1, 1e-12);
            sti_world_destroy(world);
        }
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

static double angular_momentum(const sti_world* world, int body, const double inertia[3], double L[3]) {
    sti_pose pose;
    double v[3], w[3], R[9], in_body[3];
    sti_world_pose(world, body, &pose);
    sti_world_velocity(world, body, v, w);
    sti_pose_rotation(&pose, R);
    for (int k = 0; k < 3; k++) in_body[k] = inertia[k] * (R[k] * w[0] + R[3 + k] * w[1] + R[6 + k] * w[2]);
    for (int k = 0; k < 3; k++) L[k] = R[3 * k] * in_body[0] + R[3 * k + 1] * in_body[1] + R[3 * k + 2] * in_body[2];
    return sqrt(L[0] * L[0] + L[1] * L[1] + L[2] * L[2]);
}

// Turning about the middle axis of inertia it tumbles; the angular momentum turns by O(h), the energy does not grow.
static void a_top_keeps_its_momentum_to_first_order(void** state) {
    (void)state;
    sti_env* env = open_env();
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
        sti_bodies* bodies = open_scene(env, 3);
        sti_bodies_set_gravity(bodies, (double[3]){0, 0, 0});
        sti_body body = sti_body_default();
        const double inertia[3] = {1, 2, 3};
        body.density = 0;
        body.mass = 1;
        for (int k = 0; k < 3; k++) body.inertia[4 * k] = inertia[k];
        body.w[1] = 3;
        body.w[0] = 0.01;
        int top;
        assert_int_equal(sti_bodies_add(bodies, &body, &top), STI_OK);
        sti_world_options options = accurate();
        options.h = fine ? 0.0005 : 0.001;
        options.alpha = 0.5;
        sti_world* world = open_world(env, bodies, &options);
        double L0[3], L[3], T0, T, V;
        angular_momentum(world, top, inertia, L0);
        sti_world_energy(world, &T0, &V);
        for (int i = 0; i < (fine ? 4000 : 2000); i++) step(env, world);
        angular_momentum(world, top, inertia, L);
        sti_world_energy(world, &T, &V);
        assert_near(T, T0, 1e-10 * T0);
        error[fine] =
            sqrt((L[0] - L0[0]) * (L[0] - L0[0]) + (L[1] - L0[1]) * (L[1] - L0[1]) + (L[2] - L0[2]) * (L[2] - L0[2]));
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    assert_true(error[0] < 0.05);
    assert_true(error[1] < 0.7 * error[0]);
    sti_env_destroy(env);
}

static void a_fast_top_does_not_gain_energy(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 3);
    const int box = add_box(env, bodies, 0.3, 0.2, 0.05, at(0, 0, 0));
    sti_world* world = open_world(env, bodies, NULL);
    assert_int_equal(sti_world_set(world, box, NULL, NULL, (double[3]){150, 90, 70}), STI_OK);
    for (int i = 0; i < 200; i++) step(env, world);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// Small swings of a body on a hinge: period 2 pi sqrt((I + m l^2) / (m g l)), and the joint holds.
static void a_pendulum_swings_with_its_period(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_scene(env, dim);
        const double l = 1, a = 0.1, angle = 0.05;
        const int box =
            add_box(env, bodies, a, a, a,
                    dim == 2 ? at(l * sin(angle), -l * cos(angle), 0) : at(l * sin(angle), 0, -l * cos(angle)));
        sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, -1, box);
        const int hinge = add_joint(bodies, &joint, 0, 0, 0);
        sti_world_options options = accurate();
        options.h = 0.001;
        options.alpha = 0.5;
        sti_world* world = open_world(env, bodies, &options);
        const double period = 2 * PI * sqrt((l * l + 2 * a * a / 3) / (GRAVITY * l));
        double crossings[2] = {0, 0}, last = 0;
        int found = 0;
        for (int i = 0; i < 3000 && found < 2; i++) {
            const sti_world_report report = step(env, world);
            assert_true(report.drift <= 1e-9);
            sti_pose pose;
            sti_world_pose(world, box, &pose);
            if (last > 0 && pose.x[0] <= 0)
                crossings[found++] = report.time - options.h * pose.x[0] / (pose.x[0] - last);
            last = pose.x[0];
        }
        assert_int_equal(found, 2);
        assert_near(crossings[1] - crossings[0], period, 0.002 * period);
        sti_world_joint out;
        sti_world_joint_state(world, hinge, &out);
        assert_near(fabs(dim == 2 ? out.force[1] : out.force[2]) / options.h / (1000 * (dim == 2 ? 0.04 : 0.008)),
                    GRAVITY, 0.3);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// 5/7 g sin for a ball, 2/3 g sin for a disc.
static void a_ball_rolls_down_a_slope(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double angle = 20 * PI / 180, radius = 0.1;
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_scene(env, dim);
        add_ground(env, bodies, angle);
        const double x = -radius * sin(angle), y = radius * cos(angle);
        const int ball = add_ball(env, bodies, radius, dim == 2 ? at(x, y, 0) : at(x, 0, y), 0);
        sti_world* world = open_world(env, bodies, NULL);
        for (int i = 0; i < 100; i++) step(env, world);
        double v[3], w[3];
        sti_world_velocity(world, ball, v, w);
        const double speed = hypot(v[0], v[dim - 1]);
        assert_near(speed, (dim == 3 ? 5.0 / 7 : 2.0 / 3) * GRAVITY * sin(angle), 1e-9);
        assert_near(hypot(w[1], w[2]) * radius, speed, 1e-9);
        assert_verified(env, world, 1e-10);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

static void a_cube_does_not_creep_where_it_can_stick(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double angle = 20 * PI / 180;
    for (int dim = 2; dim <= 3; dim++) {
        for (int fine = 0; fine < 2; fine++) {
            sti_bodies* bodies = open_scene(env, dim);
            add_ground(env, bodies, angle);
            const int cube = add_cube_on_slope(env, bodies, 0.1, angle);
            sti_world_options options = accurate();
            options.h = fine ? 0.002 : 0.01;
            sti_world* world = open_world(env, bodies, &options);
            sti_pose before, after;
            sti_world_pose(world, cube, &before);
            for (int i = 0; i < 10 / options.h; i++) step(env, world);
            sti_world_pose(world, cube, &after);
            assert_true(distance(&before, &after) <= 1e-12);
            sti_world_destroy(world);
            sti_bodies_destroy(bodies);
        }
    }
    sti_env_destroy(env);
}

static void a_cube_slips_from_the_first_step_where_it_cannot(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double angle = 20 * PI / 180, mu[2] = {0.3, 0.9999 * tan(20 * PI / 180)};
    for (int dim = 2; dim <= 3; dim++) {
        for (int k = 0; k < 2; k++) {
            sti_bodies* bodies = open_scene(env, dim);
            add_ground(env, bodies, angle);
            assert_int_equal(sti_bodies_set_pair(bodies, 0, 0, mu[k], 0), STI_OK);
            const int cube = add_cube_on_slope(env, bodies, 0.1, angle);
            sti_world* world = open_world(env, bodies, NULL);
            const double a = GRAVITY * (sin(angle) - mu[k] * cos(angle));
            for (int i = 1; i <= 50; i++) {
                double v[3], w[3];
                step(env, world);
                sti_world_velocity(world, cube, v, w);
                assert_near(hypot(v[0], v[dim - 1]), a * 0.01 * i, 1e-8);
            }
            sti_world_destroy(world);
            sti_bodies_destroy(bodies);
        }
    }
    sti_env_destroy(env);
}

// A belt takes a box along with mu g until both have one speed; its work is in the report.
static void a_belt_takes_a_box_along(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 3);
    sti_body body = sti_body_default();
    body.fixed = true;
    body.v[0] = 1;
    sti_shape* shape;
    assert_int_equal(sti_shape_create_box(env, 3, (double[3]){20, 1, 0.5}, &shape), STI_OK);
    body.pose = at(0, 0, -0.5);
    add_shape_body(bodies, shape, &body);
    const int box = add_box(env, bodies, 0.1, 0.1, 0.1, at(0, 0, 0.1));
    sti_world* world = open_world(env, bodies, NULL);
    double v[3], w[3], work = 0;
    for (int i = 1; i <= 10; i++) {
        work += step(env, world).work;
        sti_world_velocity(world, box, v, w);
        assert_near(v[0], 0.5 * GRAVITY * 0.01 * i, 1e-8);
    }
    assert_near(work, 8 * 0.5 * GRAVITY * 0.1, 1e-6);  // force times way of the belt
    for (int i = 0; i < 40; i++) step(env, world);
    sti_world_velocity(world, box, v, w);
    assert_near(v[0], 1, 1e-9);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// A slide along x (plane) with a motor: F / m until the speed is reached; then it keeps it. Against a stronger push it
// stalls.
static void a_motor_reaches_its_speed_and_stalls_at_its_bound(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_bodies* bodies = open_scene(env, dim);
        const int box = add_box(env, bodies, 0.1, 0.1, 0.1, at(0, 0, 0));
        sti_joint joint = sti_joint_default(STI_JOINT_PRISMATIC, -1, box);
        const double mass = dim == 2 ? 40 : 8;
        joint.axis[0].motor_speed = 0.5;
        joint.axis[0].motor_force = mass;  // 1 m/s^2
        int index;
        assert_int_equal(sti_joint_place(bodies, (double[3]){0, 0, 0}, (double[3]){1, 0, 0}, &joint), STI_OK);
        assert_int_equal(sti_bodies_add_joint(bodies, &joint, &index), STI_OK);
        sti_world* world = open_world(env, bodies, NULL);
        double v[3], w[3];
        sti_world_joint out;
        for (int i = 1; i <= 100; i++) {
            step(env, world);
            sti_world_velocity(world, box, v, w);
            assert_near(v[0], fmin(0.01 * i, 0.5), 1e-9);
        }
        assert_verified(env, world, 1e-10);
        assert_int_equal(sti_world_push(world, box, (double[3]){-2 * mass, 0, 0}, NULL), STI_OK);
        for (int i = 1; i <= 100; i++) step(env, world);
        sti_world_velocity(world, box, v, w);
        assert_near(v[0], 0.5 - 1, 1e-9);
        sti_world_joint_state(world, index, &out);
        assert_near(out.motor[0], mass * 0.01, 1e-9);
        assert_near(out.speed[0], -0.5, 1e-9);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// A slide falls to its lower limit, stays there, and the limit carries its weight.
static void a_limit_stops_and_carries(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bodies* bodies = open_scene(env, 3);
    const int box = add_box(env, bodies, 0.1, 0.1, 0.1, at(0, 0, 0));
    sti_joint joint = sti_joint_default(STI_JOINT_PRISMATIC, -1, box);
    joint.axis[0].lower = -0.5;
    joint.axis[0].upper = 0.5;
    int index;
    assert_int_equal(sti_joint_place(bodies, (double[3]){0, 0, 0}, (double[3]){0, 0, 1}, &joint), STI_OK);
    assert_int_equal(sti_bodies_add_joint(bodies, &joint, &index), STI_OK);
    sti_world* world = open_world(env, bodies, NULL);
    for (int i = 0; i < 200; i++) step(env, world);
    sti_world_joint out;
    sti_world_joint_state(world, index, &out);
    assert_near(out.coordinate[0], -0.5, 1e-10);
    assert_near(out.limit[0], 8 * GRAVITY * 0.01, 1e-9);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

// Dry friction of a hinge holds a pendulum where m g l sin <= torque, also as mu radius |reaction|; otherwise it
// starts.
static void friction_of_a_hinge_holds_a_pendulum(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double angle = 0.4, l = 0.5, mass = 8, needed = mass * GRAVITY * l * sin(angle);
    for (int by_reaction = 0; by_reaction < 2; by_reaction++) {
        for (int enough = 0; enough < 2; enough++) {
            sti_bodies* bodies = open_scene(env, 3);
            const int box = add_box(env, bodies, 0.1, 0.1, 0.1, at(l * sin(angle), 0, -l * cos(angle)));
            sti_joint joint = sti_joint_default(STI_JOINT_REVOLUTE, -1, box);
            const double factor = enough ? 1.05 : 0.95;
            if (by_reaction) {
                joint.axis[0].radius = 0.25;
                joint.axis[0].mu = factor * needed / (mass * GRAVITY * 0.25);
            } else {
                joint.axis[0].friction = factor * needed;
            }
            add_joint(bodies, &joint, 0, 0, 0);
            sti_world* world = open_world(env, bodies, NULL);
            sti_pose before, after;
            sti_world_pose(world, box, &before);
            for (int i = 0; i < 100; i++) step(env, world);
            sti_world_pose(world, box, &after);
            if (enough)
                assert_true(distance(&before, &after) <= 1e-12);
            else
                assert_true(distance(&before, &after) >= 1e-2);
            assert_verified(env, world, 1e-10);
            sti_world_destroy(world);
            sti_bodies_destroy(bodies);
        }
    }
    sti_env_destroy(env);
}

// A damped stiff spring settles at m g / k for any step.
static void a_stiff_spring_is_stable_for_every_step(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int k = 0; k < 3; k++) {
        const double stiffness = pow(10, 3 + 3 * k);
        sti_bodies* bodies = open_scene(env, 3);
        const int box = add_box(env, bodies, 0.1, 0.1, 0.1, at(0, 0, 0));
        const sti_spring spring = {.a = -1,
                                   .b = box,
                                   .at_a = {0, 0, 1},
                                   .at_b = {0, 0, 0},
                                   .stiffness = stiffness,
                                   .damping = 2 * sqrt(stiffness * 8),
                                   .rest = 1};
        assert_int_equal(sti_bodies_add_spring(bodies, &spring), STI_OK);
        sti_world_options options = accurate();
        options.h = 0.05;
        sti_world* world = open_world(env, bodies, &options);
        for (int i = 0; i < 400; i++) step(env, world);
        sti_pose pose;
        sti_world_pose(world, box, &pose);
        assert_near(pose.x[2], -8 * GRAVITY / stiffness, 1e-6 * GRAVITY / stiffness + 1e-12);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// With the midpoint rule flight keeps energy, so the heights of a ladder are e^2 each.
static void a_ball_bounces_down_its_ladder(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double es[2] = {0.5, 1}, height = 1;
    for (int k = 0; k < 2; k++) {
        for (int law = 0; law < 2; law++) {
            sti_bodies* bodies = open_scene(env, 3);
            add_ground(env, bodies, 0);
            assert_int_equal(sti_bodies_set_pair(bodies, 0, 0, 0.5, es[k]), STI_OK);
            add_ball(env, bodies, 0.1, at(0, 0, 0.1 + height), 0);
            sti_world_options options = accurate();
            options.h = 0.001;
            options.alpha = 0.5;
            options.law = law ? STI_IMPACT_POISSON : STI_IMPACT_NEWTON;
            sti_world* world = open_world(env, bodies, &options);
            double mass = 1000 * 4.0 / 3 * PI * 1e-3, energy = mass * GRAVITY * height;
            int bounces = 0;
            for (int i = 0; i < 2500 && bounces < 3; i++) {
                const sti_world_report report = step(env, world);
                if (report.impacts == 0) continue;
                energy *= es[k] * es[k];
                bounces++;
                assert_near(report.kinetic, energy, 1e-9 * mass * GRAVITY * height);
            }
            assert_int_equal(bounces, 3);
            sti_world_destroy(world);
            sti_bodies_destroy(bodies);
        }
    }
    sti_env_destroy(env);
}

// Three equal balls, the last two touching, e = 1: both laws, asked for all contacts at once, give (-1, 2, 2) / 3.
static void a_cradle_struck_at_once_gives_minus_one_two_two_thirds(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int law = 0; law < 2; law++) {
        sti_bodies* bodies = open_scene(env, 3);
        sti_bodies_set_gravity(bodies, (double[3]){0, 0, 0});
        assert_int_equal(sti_bodies_set_pair(bodies, 0, 0, 0.5, 1), STI_OK);
        int ball[3];
        for (int k = 0; k < 3; k++)
            ball[k] = add_ball(env, bodies, 0.1, at(0.2 * k - (k == 0 ? 0.05 : 0), 0, 0), k == 0);
        sti_world_options options = accurate();
        options.law = law ? STI_IMPACT_POISSON : STI_IMPACT_NEWTON;
        sti_world* world = open_world(env, bodies, &options);
        int impacts = 0;
        for (int i = 0; i < 20 && impacts == 0; i++) impacts = step(env, world).impacts;
        assert_int_equal(impacts, 1);
        const double expected[3] = {-1.0 / 3, 2.0 / 3, 2.0 / 3};
        for (int k = 0; k < 3; k++) {
            double v[3], w[3];
            sti_world_velocity(world, ball[k], v, w);
            assert_near(v[0], expected[k], 1e-9);
        }
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

// A rod that falls on one end with friction and e = 1: whatever the law would add is taken back.
static void impacts_do_not_add_energy(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int law = 0; law < 2; law++) {
        for (int k = 0; k < 12; k++) {
            sti_bodies* bodies = open_scene(env, 2);
            add_ground(env, bodies, 0);
            assert_int_equal(sti_bodies_set_pair(bodies, 0, 0, 0.3 * k, 1), STI_OK);
            const double angle = 0.2 + 0.1 * k;
            const int rod = add_box(env, bodies, 1, 0.02, 0, sti_pose_planar(0, 1.3, angle));
            sti_world_options options = accurate();
            options.h = 0.005;
            options.law = law ? STI_IMPACT_POISSON : STI_IMPACT_NEWTON;
            sti_world* world = open_world(env, bodies, &options);
            assert_int_equal(sti_world_set(world, rod, NULL, (double[3]){-3, -2, 0}, (double[3]){0, 0, 4}), STI_OK);
            int impacts = 0;
            for (int i = 0; i < 300; i++) impacts += step(env, world).impacts;
            assert_true(impacts > 0);
            sti_world_destroy(world);
            sti_bodies_destroy(bodies);
        }
    }
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flight_is_the_sum_of_its_steps),
        cmocka_unit_test(a_top_keeps_its_momentum_to_first_order),
        cmocka_unit_test(a_fast_top_does_not_gain_energy),
        cmocka_unit_test(a_pendulum_swings_with_its_period),
        cmocka_unit_test(a_ball_rolls_down_a_slope),
        cmocka_unit_test(a_cube_does_not_creep_where_it_can_stick),
        cmocka_unit_test(a_cube_slips_from_the_first_step_where_it_cannot),
        cmocka_unit_test(a_belt_takes_a_box_along),
        cmocka_unit_test(a_motor_reaches_its_speed_and_stalls_at_its_bound),
        cmocka_unit_test(a_limit_stops_and_carries),
        cmocka_unit_test(friction_of_a_hinge_holds_a_pendulum),
        cmocka_unit_test(a_stiff_spring_is_stable_for_every_step),
        cmocka_unit_test(a_ball_bounces_down_its_ladder),
        cmocka_unit_test(a_cradle_struck_at_once_gives_minus_one_two_two_thirds),
        cmocka_unit_test(impacts_do_not_add_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
