// test_grain.c: materials with a grain: a plank slides as its ellipse of friction says, whichever body carries the
// grain.
#include <math.h>

#include "bodies/world_tools.h"

static sti_world* plank(sti_env* env, sti_bodies** bodies, const double grain[3], bool below, double turn, double vx,
                        double vy) {
    const sti_material wood = {.name = "wood", .mu = 0.6, .grain = {grain[0], grain[1], grain[2]}, .mu_across = 0.2};
    const sti_material plain = {.name = "plain", .mu = 0.6};
    sti_bodies* b = open_bodies(env, 3);
    const double down[3] = {0, 0, -9.81};
    sti_bodies_set_gravity(b, down);
    int grained, other;
    assert_int_equal(sti_bodies_add_material(b, &wood, &grained), STI_OK);
    assert_int_equal(sti_bodies_add_material(b, &plain, &other), STI_OK);
    sti_body floor = sti_body_default(), board = sti_body_default();
    int k;
    floor.name = "floor";
    floor.fixed = true;
    assert_int_equal(sti_bodies_add(b, &floor, &k), STI_OK);
    assert_int_equal(sti_bodies_add_shape(b, k, ground(env, 3), NULL, below ? grained : other), STI_OK);
    board.name = "board";
    board.density = 600;
    board.pose.x[2] = 0.05;
    board.pose.q[0] = cos(0.5 * turn);
    board.pose.q[3] = sin(0.5 * turn);
    board.v[0] = vx;
    board.v[1] = vy;
    assert_int_equal(sti_bodies_add(b, &board, &k), STI_OK);
    assert_int_equal(sti_bodies_add_shape(b, k, box(env, 3, 0.4, 0.4, 0.05), NULL, below ? other : grained), STI_OK);
    sti_world_options o = sti_world_options_default();
    o.h = 0.001;
    sti_world* world;
    *bodies = b;
    assert_int_equal(sti_world_create(env, b, &o, &world), STI_OK);
    return world;
}

// While it slides along d, friction is - m g T T'd / |T'd|, T = 0.6 along the grain and 0.2 across it. In a step of h
// the direction of d changes by O(h), and so does the force.
static void a_plank_slides_as_its_grain_says(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int k = 0; k < 24; k++) {
        const bool below = k % 2 == 0;
        const double turn = below ? 0 : 0.3 * k, course = 0.37 * k, along[3] = {cos(0.2), sin(0.2), 0.3};
        sti_bodies* bodies;
        sti_world* world = plank(env, &bodies, along, below, turn, cos(course), sin(course));
        sti_world_report report;
        assert_int_equal(sti_world_step(world, &report), STI_OK);
        assert_true(report.solved);
        const double g = 0.2 + turn, c = cos(g), s = sin(g), dx = cos(course), dy = sin(course);
        const double x = 0.36 * (c * dx + s * dy), y = 0.04 * (c * dy - s * dx), size = hypot(x / 0.6, y / 0.2);
        const double fx = (c * x - s * y) / size, fy = (s * x + c * y) / size;
        double v[6];
        sti_world_velocity(world, 1, v, v + 3);
        assert_near(v[0], dx - 0.001 * 9.81 * fx, 2e-4);
        assert_near(v[1], dy - 0.001 * 9.81 * fy, 2e-4);
        sti_world_destroy(world);
        sti_bodies_destroy(bodies);
    }
    sti_env_destroy(env);
}

static void a_grain_that_stands_upright_has_no_direction(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double up[3] = {0, 0, 1};
    sti_bodies* bodies;
    sti_world* world = plank(env, &bodies, up, false, 0, 0.6, 0.8);
    sti_world_report report;
    assert_int_equal(sti_world_step(world, &report), STI_OK);
    double v[6];
    sti_world_velocity(world, 1, v, v + 3);
    assert_near(hypot(v[0], v[1]), 1 - 0.001 * 9.81 * 0.6, 1e-9);
    sti_world_destroy(world);
    sti_bodies_destroy(bodies);
    sti_env_destroy(env);
}

static void a_grain_that_makes_no_sense_is_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    const sti_material bad[] = {{.name = "a", .mu = 0.5, .grain = {1, 0, 0}},
                                {.name = "b", .mu = 0, .grain = {1, 0, 0}, .mu_across = 1},
                                {.name = "c", .mu = 0.5, .mu_across = 1},
                                {.name = "d", .mu = 0.5, .grain = {NAN, 0, 0}, .mu_across = 1},
                                {.name = "e", .mu = 0.5, .grain = {1, 0, 0}, .mu_across = -1}};
    sti_bodies *space = open_bodies(env, 3), *plane = open_bodies(env, 2);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_int_equal(sti_bodies_add_material(space, &bad[k], NULL), STI_ERR_INPUT);
    const sti_material good = {.name = "f", .mu = 0.5, .grain = {1, 0, 0}, .mu_across = 1};
    assert_int_equal(sti_bodies_add_material(plane, &good, NULL), STI_ERR_INPUT);
    assert_int_equal(sti_bodies_add_material(space, &good, NULL), STI_OK);
    sti_bodies_destroy(space);
    sti_bodies_destroy(plane);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plank_slides_as_its_grain_says),
        cmocka_unit_test(a_grain_that_stands_upright_has_no_direction),
        cmocka_unit_test(a_grain_that_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
