// test_create.c: shapes made and refused, hulls, mass properties, boxes around them.
#include "shape_tools.h"
#include "shapes/orient.h"

static const double cube[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};

// ---- hulls

// Euler's formula, every vertex under every plane, every loop convex and flat.
static void check_hull(const sti_shape* s, int count, const double* points) {
    const int dim = sti_shape_dim(s), faces = sti_shape_face_count(s);
    int nv, corners = 0;
    const double* v = sti_shape_vertices(s, &nv);
    for (int f = 0; f < faces; f++) {
        double plane[4];
        int n;
        const int* loop = sti_shape_face(s, f, plane, &n);
        corners += n;
        assert_true(n >= dim);
        for (int i = 0; i < n; i++) assert_near(dot3(plane, v + 3 * loop[i]), plane[3], 1e-9);
        for (int i = 0; i < count; i++) {
            const double p[3] = {points[dim * i], points[dim * i + 1], dim == 3 ? points[3 * i + 2] : 0};
            assert_true(dot3(plane, p) <= plane[3] + 1e-9);
        }
    }
    if (dim == 3) assert_int_equal(nv - corners / 2 + faces, 2);
    if (dim == 2) assert_int_equal(nv, faces);
}

static void hull_of_a_cube_has_six_faces_whatever_lies_on_them(void** state) {
    (void)state;
    sti_env* env = open_env();
    double points[3 * 400];
    int count = 0;
    // grid points of the cube: corners, edges, faces and inside, all of them twice
    for (int twice = 0; twice < 2; twice++) {
        for (int i = 0; i < 125; i++) {
            points[3 * count] = i % 5 * 0.25;
            points[3 * count + 1] = i / 5 % 5 * 0.25;
            points[3 * count++ + 2] = i / 25 * 0.25;
        }
    }
    sti_shape* s;
    assert_int_equal(sti_shape_create_convex(env, 3, count, points, &s), STI_OK);
    int nv;
    sti_shape_vertices(s, &nv);
    assert_int_equal(nv, 8);
    assert_int_equal(sti_shape_face_count(s), 6);
    check_hull(s, count, points);
    sti_shape_destroy(s);

    // the same, turned: now coplanar only up to rounding
    sti_rng rng = {.state = 9};
    for (int trial = 0; trial < 50; trial++) {
        const sti_pose pose = random_pose(&rng, 3, 5);
        double turned[3 * 400];
        for (int i = 0; i < count; i++) sti_pose_apply(&pose, points + 3 * i, turned + 3 * i);
        assert_int_equal(sti_shape_create_convex(env, 3, count, turned, &s), STI_OK);
        sti_shape_vertices(s, &nv);
        assert_int_equal(nv, 8);
        assert_int_equal(sti_shape_face_count(s), 6);
        check_hull(s, count, turned);
        sti_shape_destroy(s);
    }
    sti_env_destroy(env);
}

static void random_hulls_hold_all_their_points(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 10};
    for (int trial = 0; trial < 200; trial++) {
        const int dim = 2 + trial % 2, count = sti_rng_int(&rng, 5, 200);
        double points[3 * 200];
        for (int i = 0; i < count * dim; i++) points[i] = between(&rng, -1, 1);
        if (trial % 4 >= 2) {  // on a sphere: all of them are vertices
            for (int i = 0; i < count; i++) {
                double s = 0;
                for (int k = 0; k < dim; k++) s += points[dim * i + k] * points[dim * i + k];
                for (int k = 0; k < dim; k++) points[dim * i + k] /= sqrt(s);
            }
        }
        sti_shape* s;
        assert_int_equal(sti_shape_create_convex(env, dim, count, points, &s), STI_OK);
        check_hull(s, count, points);
        int nv;
        sti_shape_vertices(s, &nv);
        if (trial % 4 >= 2) assert_int_equal(nv, count);
        sti_shape_destroy(s);
    }
    sti_env_destroy(env);
}

static void vertices_that_nearly_coincide_become_one(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 11};
    double points[3 * 64];
    for (int i = 0; i < 8 * 8; i++) {
        for (int k = 0; k < 3; k++) points[3 * i + k] = cube[3 * (i % 8) + k] + between(&rng, -1e-13, 1e-13);
    }
    sti_shape* s;
    int nv;
    assert_int_equal(sti_shape_create_convex(env, 3, 64, points, &s), STI_OK);
    sti_shape_vertices(s, &nv);
    assert_int_equal(nv, 8);
    assert_int_equal(sti_shape_face_count(s), 6);
    sti_shape_destroy(s);
    double square[2 * 32];
    for (int i = 0; i < 32; i++) {
        for (int k = 0; k < 2; k++) square[2 * i + k] = cube[3 * (i % 4) + k] + between(&rng, -1e-13, 1e-13);
    }
    assert_int_equal(sti_shape_create_convex(env, 2, 32, square, &s), STI_OK);
    sti_shape_vertices(s, &nv);
    assert_int_equal(nv, 4);
    sti_shape_destroy(s);
    sti_env_destroy(env);
}

static void sides_of_planes_are_exact(void** state) {
    (void)state;
    const double a[3] = {0.5, 0.5, 12}, b[3] = {24, 24, 24}, c[3] = {1, 2, 3};
    for (int i = -3; i <= 3; i++) {
        // points on the line y = x, moved by units in the last place
        const double p[2] = {0.5, 0.5 + i * 0x1p-53}, q[2] = {12, 12}, r[2] = {24, 24};
        assert_int_equal(sti_orient_planar(q, r, p), (i > 0) - (i < 0));
        const double d[3] = {a[0] + b[0] - c[0] + i * 0x1p-40, a[1] + b[1] - c[1], a[2] + b[2] - c[2]};
        const double e[3] = {d[0], d[1], d[2]};
        assert_int_equal(sti_orient_spatial(a, b, c, d), -sti_orient_spatial(b, a, c, e));
        assert_int_equal(sti_orient_spatial(a, b, c, d) == 0, i == 0);
    }
    const double o[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1e-300};
    assert_int_equal(sti_orient_spatial(o, x, y, z), 1);
}

// ---- refusals

static void refuse(sti_env* env, sti_status status, sti_shape* s, const char* word) {
    assert_int_equal(status, STI_ERR_INPUT);
    assert_null(s);
    if (strstr(sti_env_error(env)->text, word) == NULL) fail_msg("no '%s' in: %s", word, sti_env_error(env)->text);
}

static void shapes_without_size_are_refused_by_name(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape* s;
    const double bad[4] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        sti_status status = sti_shape_create_sphere(env, 3, bad[i], &s);
        refuse(env, status, s, "radius");
        status = sti_shape_create_capsule(env, 2, bad[i], 1, &s);
        refuse(env, status, s, "half length");
        status = sti_shape_create_capsule(env, 2, 1, bad[i], &s);
        refuse(env, status, s, "radius");
        const double half[3] = {1, bad[i], 1};
        status = sti_shape_create_box(env, 3, half, &s);
        refuse(env, status, s, "box along y");
        assert_int_equal(sti_env_error(env)->index, 1);
    }
    const double zero[3] = {0, 0, 0}, up[3] = {0, 0, 1};
    sti_status status = sti_shape_create_halfspace(env, 3, zero, 1, &s);
    refuse(env, status, s, "normal");
    status = sti_shape_create_halfspace(env, 3, up, NAN, &s);
    refuse(env, status, s, "offset");
    assert_int_equal(sti_shape_create_sphere(env, 4, 1, &s), STI_ERR_ARGUMENT);
    sti_env_destroy(env);
}

static void points_without_an_inside_are_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape* s;
    double flat[24], line[16], same[24] = {0}, bad[24];
    for (int i = 0; i < 24; i++) {
        flat[i] = i % 3 == 2 ? cube[i - 2] + 2 * cube[i - 1] : cube[i];
        bad[i] = i == 10 ? NAN : cube[i];
    }
    for (int i = 0; i < 16; i++) line[i] = i % 2 == 0 ? i : 3 * (i - 1) + 0.1;
    sti_status status = sti_shape_create_convex(env, 3, 8, flat, &s);
    refuse(env, status, s, "in one plane");
    status = sti_shape_create_convex(env, 3, 8, same, &s);
    refuse(env, status, s, "at one place");
    status = sti_shape_create_convex(env, 2, 8, line, &s);
    refuse(env, status, s, "on a line");
    status = sti_shape_create_convex(env, 3, 3, cube, &s);
    refuse(env, status, s, "3 points");
    status = sti_shape_create_convex(env, 3, 8, bad, &s);
    refuse(env, status, s, "vertex 3");
    sti_env_destroy(env);
}

// ---- mass

static void mass_of_simple_shapes_is_the_textbook_one(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double pi = 3.14159265358979323846;
    sti_shape* s;
    sti_shape_mass m;
    assert_int_equal(sti_shape_create_sphere(env, 3, 2, &s), STI_OK);
    assert_int_equal(sti_shape_measure(env, s, 3, &m), STI_OK);
    assert_near(m.mass, 3 * 4.0 / 3 * pi * 8, 1e-13);
    assert_near(m.inertia[4], 0.4 * m.mass * 4, 1e-12);
    sti_shape_destroy(s);
    assert_int_equal(sti_shape_create_sphere(env, 2, 2, &s), STI_OK);
    assert_int_equal(sti_shape_measure(env, s, 3, &m), STI_OK);
    assert_near(m.mass, 3 * pi * 4, 1e-13);
    assert_near(m.inertia[8], 0.5 * m.mass * 4, 1e-12);
    sti_shape_destroy(s);
    // capsule: cylinder m (3 r^2 + h^2) / 12 and half balls, moved by the parallel-axis theorem
    const double r = 0.5, l = 1.5;
    assert_int_equal(sti_shape_create_capsule(env, 3, l, r, &s), STI_OK);
    assert_int_equal(sti_shape_measure(env, s, 1, &m), STI_OK);
    const double mc = pi * r * r * 2 * l, ms = 4.0 / 3 * pi * r * r * r;
    const double half = 0.4 * r * r - 9.0 / 64 * r * r;  // about the centre of mass of the half ball, per mass
    assert_near(m.mass, mc + ms, 1e-14);
    assert_near(m.inertia[8], mc * r * r / 2 + ms * 0.4 * r * r, 1e-14);
    assert_near(m.inertia[0], mc * (3 * r * r + 4 * l * l) / 12 + ms * (half + (l + 3.0 / 8 * r) * (l + 3.0 / 8 * r)),
                1e-13);
    assert_near(m.inertia[4], m.inertia[0], 0);
    sti_shape_destroy(s);
    const double n[3] = {0, 0, 1};
    assert_int_equal(sti_shape_create_halfspace(env, 3, n, 0, &s), STI_OK);
    assert_int_equal(sti_shape_measure(env, s, 1, &m), STI_ERR_ARGUMENT);
    sti_shape_destroy(s);
    sti_env_destroy(env);
}

static void hull_of_a_box_has_the_mass_of_the_box_wherever_it_lies(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 12};
    for (int trial = 0; trial < 40; trial++) {
        const int dim = 2 + trial % 2, corners = dim == 2 ? 4 : 8;
        const double half[3] = {between(&rng, 0.1, 2), between(&rng, 0.1, 2), between(&rng, 0.1, 2)};
        const sti_pose pose = random_pose(&rng, dim, 3);
        sti_shape *box, *hull;
        assert_int_equal(sti_shape_create_box(env, dim, half, &box), STI_OK);
        int count;
        const double* v = sti_shape_vertices(box, &count);
        assert_int_equal(count, corners);
        double points[24];
        for (int i = 0; i < corners; i++) {
            double x[3];
            sti_pose_apply(&pose, v + 3 * i, x);
            for (int k = 0; k < dim; k++) points[dim * i + k] = x[k];
        }
        assert_int_equal(sti_shape_create_convex(env, dim, corners, points, &hull), STI_OK);
        sti_shape_mass a, b;
        assert_int_equal(sti_shape_measure(env, box, 2, &a), STI_OK);
        assert_int_equal(sti_shape_measure(env, hull, 2, &b), STI_OK);
        assert_near(a.mass, b.mass, 1e-12 * a.mass);
        double R[9];
        sti_pose_rotation(&pose, R);
        for (int i = 0; i < 3; i++) {
            assert_near(b.centre[i], pose.x[i], 1e-12);
            for (int j = 0; j < 3; j++) {
                double rotated = 0;  // R I R'
                for (int k = 0; k < 9; k++) rotated += R[3 * i + k / 3] * a.inertia[k] * R[3 * j + k % 3];
                assert_near(b.inertia[3 * i + j], rotated, 1e-11 * a.mass);
            }
        }
        sti_shape_destroy(box);
        sti_shape_destroy(hull);
    }
    sti_env_destroy(env);
}

static void bounds_hold_the_shape_and_touch_it_on_every_side(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 13};
    for (int trial = 0; trial < 200; trial++) {
        const int dim = 2 + trial % 2;
        sti_shape* s = random_convex(env, &rng, dim, trial / 2 % 4);
        const sti_pose pose = random_pose(&rng, dim, 5);
        sti_aabb box;
        assert_int_equal(sti_shape_bounds(s, &pose, 0.125, &box), STI_OK);
        for (int k = 0; k < dim; k++) {
            double n[3] = {0, 0, 0};
            n[k] = 1;
            assert_near(box.upper[k], extent(s, &pose, n) + 0.125, 1e-13);
            n[k] = -1;
            assert_near(-box.lower[k], extent(s, &pose, n) + 0.125, 1e-13);
        }
        sti_shape_destroy(s);
    }
    const double n[3] = {0, 0, -2};
    sti_shape* ground;
    assert_int_equal(sti_shape_create_halfspace(env, 3, n, -6, &ground), STI_OK);  // z >= 3
    const sti_pose pose = sti_pose_identity();
    sti_aabb box;
    assert_int_equal(sti_shape_bounds(ground, &pose, 0, &box), STI_OK);
    assert_near(box.lower[2], 3, 0);
    assert_true(isinf(box.upper[2]) && isinf(box.lower[0]) && isinf(box.upper[1]));
    sti_shape_destroy(ground);
    sti_env_destroy(env);
}

static sti_status create_any(sti_env* env, int which, sti_shape** s) {
    const double half[3] = {1, 2, 3}, n[3] = {0, 1, 0};
    const int triangles[6] = {0, 1, 2, 1, 3, 2};
    double square[16], near[27];
    for (int i = 0; i < 16; i++) square[i] = cube[i / 2 * 3 + i % 2];
    memcpy(near, cube, sizeof cube);
    for (int k = 0; k < 3; k++) near[24 + k] = 1 + 1e-13;  // makes the hull twice
    switch (which) {
        case 0:
            return sti_shape_create_sphere(env, 3, 1, s);
        case 1:
            return sti_shape_create_capsule(env, 3, 1, 1, s);
        case 2:
            return sti_shape_create_box(env, 3, half, s);
        case 3:
            return sti_shape_create_convex(env, 3, 9, near, s);
        case 4:
            return sti_shape_create_convex(env, 2, 8, square, s);
        case 5:
            return sti_shape_create_halfspace(env, 2, n, 0, s);
        default:
            return sti_shape_create_mesh(env, 8, cube, 2, triangles, s);
    }
}

static void every_failing_allocation_is_survived(void** state) {
    (void)state;
    for (int which = 0; which < 7; which++) {
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
        cmocka_unit_test(hull_of_a_cube_has_six_faces_whatever_lies_on_them),
        cmocka_unit_test(random_hulls_hold_all_their_points),
        cmocka_unit_test(vertices_that_nearly_coincide_become_one),
        cmocka_unit_test(sides_of_planes_are_exact),
        cmocka_unit_test(shapes_without_size_are_refused_by_name),
        cmocka_unit_test(points_without_an_inside_are_refused),
        cmocka_unit_test(mass_of_simple_shapes_is_the_textbook_one),
        cmocka_unit_test(hull_of_a_box_has_the_mass_of_the_box_wherever_it_lies),
        cmocka_unit_test(bounds_hold_the_shape_and_touch_it_on_every_side),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
