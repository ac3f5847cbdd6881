// test_round.c: cylinders and cones against closed forms and their own support functions.
#include "shape_tools.h"

typedef struct roller {
    double half, rim[2];
    sti_shape* shape;
} roller;

static roller make_round(sti_env* env, double half, double lower, double upper) {
    roller r = {.half = half, .rim = {lower, upper}};
    assert_int_equal(lower == upper ? sti_shape_create_cylinder(env, half, lower, &r.shape)
                                    : sti_shape_create_cone(env, half, lower, upper, &r.shape),
                     STI_OK);
    return r;
}

static void set_turn(sti_pose* pose, double x, double y, double z, double angle) {
    const double axis[3] = {x, y, z}, length = sqrt(dot3(axis, axis));
    pose->q[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++) pose->q[k + 1] = sin(angle / 2) * axis[k] / length;
}

// max of n'x over the placed shape: the definition, with no prism in it.
static double support(const roller* r, const sti_pose* pose, const double n[3]) {
    double R[9], d[3];
    sti_pose_rotation(pose, R);
    for (int k = 0; k < 3; k++) d[k] = R[k] * n[0] + R[k + 3] * n[1] + R[k + 6] * n[2];
    const double flat = hypot(d[0], d[1]);
    return dot3(n, pose->x) + fmax(r->rim[0] * flat - r->half * d[2], r->rim[1] * flat + r->half * d[2]);
}

static double box_support(const double half[3], const double n[3]) {
    return half[0] * fabs(n[0]) + half[1] * fabs(n[1]) + half[2] * fabs(n[2]);
}

static void the_gap_to_a_plane_is_that_of_the_round_surface_however_it_is_turned(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape* plane;
    assert_int_equal(sti_shape_create_halfspace(env, 3, (double[]){0, 0, 1}, 0, &plane), STI_OK);
    const double sizes[4][3] = {{0.5, 0.3, 0.3}, {0.1, 1, 1}, {0.5, 0.4, 0}, {0.5, 0.1, 0.6}};
    sti_rng rng = {.state = 3};
    for (int k = 0; k < 400; k++) {
        const roller r = make_round(env, sizes[k % 4][0], sizes[k % 4][1], sizes[k % 4][2]);
        const sti_pose ground = sti_pose_identity(), pose = random_pose(&rng, 3, 1);
        const double down[3] = {0, 0, -1};
        sti_shape_contact c, list[STI_SHAPE_MAX_POINTS];
        int count;
        double least = INFINITY;
        assert_int_equal(sti_shape_distance(r.shape, &pose, plane, &ground, &c), STI_OK);
        assert_near(c.gap, -support(&r, &pose, down), 1e-8);
        assert_int_equal(sti_shape_contacts(r.shape, &pose, plane, &ground, 3, 0, list, &count), STI_OK);
        for (int i = 0; i < count; i++) least = fmin(least, list[i].gap);
        assert_near(least, c.gap, 1e-12);
        sti_aabb box;
        assert_int_equal(sti_shape_bounds(r.shape, &pose, 0, &box), STI_OK);
        for (int i = 0; i < 3; i++) {
            double e[3] = {0, 0, 0};
            e[i] = 1;
            assert_near(box.upper[i], support(&r, &pose, e), 1e-14);
            e[i] = -1;
            assert_near(-box.lower[i], support(&r, &pose, e), 1e-14);
        }
        sti_shape_destroy(r.shape);
    }
    sti_shape_destroy(plane);
    sti_env_destroy(env);
}

// A lying cylinder that is turned about its axis touches with the same two points.
static void rolling_keeps_gap_points_and_identity(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape* slab;
    assert_int_equal(sti_shape_create_box(env, 3, (double[]){2, 2, 0.5}, &slab), STI_OK);
    const roller r = make_round(env, 0.4, 0.25, 0.25);
    sti_shape_contact first[STI_SHAPE_MAX_POINTS];
    int before = 0;
    for (int k = 0; k < 50; k++) {
        sti_pose low = sti_pose_identity(), pose = sti_pose_identity(), spun = sti_pose_identity();
        low.x[2] = -0.5;
        pose.x[2] = 0.25 + 1e-4;
        set_turn(&pose, 1, 0, 0, M_PI / 2);
        set_turn(&spun, 0, 0, 1, 0.37 * k);
        const sti_pose at = sti_pose_compose(&pose, &spun);
        sti_shape_contact list[STI_SHAPE_MAX_POINTS];
        int count;
        assert_int_equal(sti_shape_contacts(r.shape, &at, slab, &low, 1e-3, 0, list, &count), STI_OK);
        assert_int_equal(count, 2);
        for (int i = 0; i < count; i++) {
            assert_near(list[i].gap, 1e-4, 1e-13);
            assert_near(list[i].normal[2], 1, 1e-13);
            assert_near(fabs(list[i].point_a[1]), 0.4, 1e-12);
            assert_near(list[i].point_a[0], 0, 1e-9);
            if (k > 0) assert_true(list[i].id == first[i].id);
        }
        if (k == 0) memcpy(first, list, sizeof list);
        before = count;
    }
    assert_int_equal(before, 2);
    sti_shape_destroy(r.shape);
    sti_shape_destroy(slab);
    sti_env_destroy(env);
}

// Parting by the direction found is what is reported, and no direction of many parts better.
static void the_gap_to_a_box_is_the_best_parting_of_the_true_shapes(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 11};
    const double half[3] = {0.4, 0.5, 0.3};
    sti_shape* box;
    assert_int_equal(sti_shape_create_box(env, 3, half, &box), STI_OK);
    for (int k = 0; k < 150; k++) {
        const roller r = make_round(env, between(&rng, 0.1, 0.6), between(&rng, 0.1, 0.6), between(&rng, 0.1, 0.6));
        sti_pose here = sti_pose_identity(), pose = random_pose(&rng, 3, 0);
        const double far = between(&rng, 0.7, 1.3), way[3] = {between(&rng, -1, 1), between(&rng, -1, 1), 0.8};
        for (int i = 0; i < 3; i++) pose.x[i] = far * way[i] / sqrt(dot3(way, way));
        sti_shape_contact c;
        assert_int_equal(sti_shape_distance(r.shape, &pose, box, &here, &c), STI_OK);
        if (c.gap < -0.02) {
            sti_shape_destroy(r.shape);
            continue;
        }
        for (int trial = 0; trial < 400; trial++) {
            double n[3], back[3];
            for (int i = 0; i < 3; i++)
                n[i] = c.normal[i] + (trial == 0 ? 0 : pow(10, -trial / 80.0)) * between(&rng, -1, 1);
            const double length = sqrt(dot3(n, n));
            for (int i = 0; i < 3; i++) back[i] = -(n[i] /= length);
            const double parting = -support(&r, &pose, back) - box_support(half, n);
            if (trial == 0) assert_near(parting, c.gap, 1e-9);
            assert_true(parting <= c.gap + 1e-9);
        }
        sti_shape_destroy(r.shape);
    }
    sti_shape_destroy(box);
    sti_env_destroy(env);
}

// A corner that presses into the side is pushed out along the radius, apart and in overlap alike.
static void a_ball_and_a_corner_feel_the_radius_of_the_side(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape *ball, *box;
    assert_int_equal(sti_shape_create_sphere(env, 3, 0.1, &ball), STI_OK);
    assert_int_equal(sti_shape_create_box(env, 3, (double[]){0.2, 0.2, 0.2}, &box), STI_OK);
    const roller r = make_round(env, 1, 0.5, 0.5);
    for (int k = 0; k < 40; k++) {
        const double phi = 0.41 * k, gap = k % 2 == 0 ? 1e-3 : -1e-3;
        const sti_pose here = sti_pose_identity();
        sti_pose at = sti_pose_identity(), edge = sti_pose_identity();
        at.x[0] = (0.6 + gap) * cos(phi);
        at.x[1] = (0.6 + gap) * sin(phi);
        sti_shape_contact c;
        assert_int_equal(sti_shape_distance(ball, &at, r.shape, &here, &c), STI_OK);
        assert_near(c.gap, gap, 1e-12);
        assert_near(c.normal[0] * cos(phi) + c.normal[1] * sin(phi), 1, 1e-12);
        // an upright edge of the box, turned to face the axis
        set_turn(&edge, 0, 0, 1, phi + M_PI / 4);
        edge.x[0] = (0.5 + gap + 0.2 * sqrt(2)) * cos(phi);
        edge.x[1] = (0.5 + gap + 0.2 * sqrt(2)) * sin(phi);
        assert_int_equal(sti_shape_distance(box, &edge, r.shape, &here, &c), STI_OK);
        assert_near(c.gap, gap, 1e-10);
        assert_near(c.normal[0] * cos(phi) + c.normal[1] * sin(phi), 1, 1e-9);
    }
    sti_shape_destroy(r.shape);
    sti_shape_destroy(ball);
    sti_shape_destroy(box);
    sti_env_destroy(env);
}

static void a_triangle_of_a_mesh_feels_the_round_side(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape* floor_of;
    const double square[12] = {-2, -2, 0, 2, -2, 0, 2, 2, 0, -2, 2, 0};
    assert_int_equal(sti_shape_create_mesh(env, 4, square, 2, (int[]){0, 1, 2, 0, 2, 3}, &floor_of), STI_OK);
    const roller r = make_round(env, 0.4, 0.25, 0.25);
    for (int k = 0; k < 20; k++) {
        const sti_pose here = sti_pose_identity();
        sti_pose pose = sti_pose_identity(), spun = sti_pose_identity();
        pose.x[2] = 0.2499;
        set_turn(&pose, 1, 0.2, 0, M_PI / 2);
        set_turn(&spun, 0, 0, 1, 0.37 * k);
        const sti_pose at = sti_pose_compose(&pose, &spun);
        sti_shape_contact list[STI_SHAPE_MAX_POINTS];
        int count;
        double least = INFINITY;
        assert_int_equal(sti_shape_contacts(r.shape, &at, floor_of, &here, 1e-5, 0, list, &count), STI_OK);
        for (int i = 0; i < count; i++) least = fmin(least, list[i].gap);
        assert_near(least, -1e-4, 1e-10);
    }
    sti_shape_destroy(r.shape);
    sti_shape_destroy(floor_of);
    sti_env_destroy(env);
}

static void masses_are_those_of_the_closed_forms(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double r = 0.3, h = 0.5;
    sti_shape_mass m;
    roller c = make_round(env, h, r, r);
    assert_int_equal(sti_shape_measure(env, c.shape, 2, &m), STI_OK);
    assert_near(m.mass, 2 * M_PI * r * r * 2 * h, 1e-14);
    assert_near(m.inertia[8], m.mass * r * r / 2, 1e-14);
    assert_near(m.inertia[0], m.mass * (3 * r * r + 4 * h * h) / 12, 1e-14);
    assert_near(m.centre[2], 0, 1e-15);
    sti_shape_destroy(c.shape);
    c = make_round(env, h, r, 0);  // a cone: its centre a quarter of the way up
    assert_int_equal(sti_shape_measure(env, c.shape, 2, &m), STI_OK);
    assert_near(m.mass, 2 * M_PI * r * r * 2 * h / 3, 1e-14);
    assert_near(m.centre[2], -h + 2 * h / 4, 1e-14);
    assert_near(m.inertia[8], 0.3 * m.mass * r * r, 1e-14);
    assert_near(m.inertia[0], m.mass * (3.0 / 20 * r * r + 3.0 / 80 * 4 * h * h), 1e-14);
    sti_shape_destroy(c.shape);
    // a truncated one is the difference of two
    const roller whole = make_round(env, 1, 0.4, 0), tip = make_round(env, 0.5, 0.2, 0),
                 rest = make_round(env, 0.5, 0.4, 0.2);
    sti_shape_mass a, b;
    assert_int_equal(sti_shape_measure(env, whole.shape, 1, &a), STI_OK);
    assert_int_equal(sti_shape_measure(env, tip.shape, 1, &b), STI_OK);
    assert_int_equal(sti_shape_measure(env, rest.shape, 1, &m), STI_OK);
    assert_near(a.mass - b.mass, m.mass, 1e-14);
    assert_near(a.inertia[8] - b.inertia[8], m.inertia[8], 1e-14);
    sti_shape_destroy(whole.shape);
    sti_shape_destroy(tip.shape);
    sti_shape_destroy(rest.shape);
    sti_env_destroy(env);
}

static void sizes_that_are_none_are_refused_by_name(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape* s;
    assert_int_equal(sti_shape_create_cylinder(env, 1, 0, &s), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "radius"));
    assert_int_equal(sti_shape_create_cylinder(env, NAN, 1, &s), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "half length"));
    assert_int_equal(sti_shape_create_cone(env, 1, -1, 1, &s), STI_ERR_INPUT);
    assert_int_equal(sti_shape_create_cone(env, 1, 1, INFINITY, &s), STI_ERR_INPUT);
    assert_int_equal(sti_shape_create_cone(env, 1, 0, 0, &s), STI_ERR_INPUT);
    assert_null(s);
    sti_env_destroy(env);
}

static sti_status create_any(sti_env* env, int which, sti_shape** s) {
    return which == 0 ? sti_shape_create_cylinder(env, 1, 1, s) : sti_shape_create_cone(env, 1, which == 1, 1, s);
}

static void every_failing_allocation_is_survived(void** state) {
    (void)state;
    for (int which = 0; which < 3; which++) {
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_shape* s;
            const sti_status status = create_any(f.env, which, &s);
            if (status != STI_OK) {
                assert_int_equal(status, STI_ERR_MEMORY);
                assert_null(s);
            }
            sti_shape_destroy(s);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gap_to_a_plane_is_that_of_the_round_surface_however_it_is_turned),
        cmocka_unit_test(rolling_keeps_gap_points_and_identity),
        cmocka_unit_test(the_gap_to_a_box_is_the_best_parting_of_the_true_shapes),
        cmocka_unit_test(a_ball_and_a_corner_feel_the_radius_of_the_side),
        cmocka_unit_test(a_triangle_of_a_mesh_feels_the_round_side),
        cmocka_unit_test(masses_are_those_of_the_closed_forms),
        cmocka_unit_test(sizes_that_are_none_are_refused_by_name),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
