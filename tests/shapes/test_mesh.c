// test_mesh.c: shapes on triangle meshes: flat ones like a plane, folded ones like the hull they bound.
#include "shape_tools.h"

enum { SIDE = 9 };

// A square of SIDE - 1 cells to each side about the origin, facing up; height gives z.
static sti_shape* terrain(sti_env* env, double (*height)(double x, double y)) {
    double vertex[3 * SIDE * SIDE];
    int triangle[6 * SIDE * SIDE], count = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        vertex[3 * i] = i % SIDE - (SIDE - 1) / 2;
        vertex[3 * i + 1] = i / SIDE - (SIDE - 1) / 2;
        vertex[3 * i + 2] = height(vertex[3 * i], vertex[3 * i + 1]);
    }
    for (int i = 0; i < SIDE * SIDE; i++) {
        if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1) continue;
        const int cell[6] = {i, i + 1, i + SIDE + 1, i, i + SIDE + 1, i + SIDE};
        memcpy(triangle + 3 * count, cell, sizeof cell);
        count += 2;
    }
    sti_shape* s;
    assert_int_equal(sti_shape_create_mesh(env, SIDE * SIDE, vertex, count, triangle, &s), STI_OK);
    return s;
}

static double flat(double x, double y) {
    (void)x;
    (void)y;
    return 0;
}

static double valley(double x, double y) {
    (void)y;
    return 0.5 * fabs(x);
}

static double ridge(double x, double y) {
    (void)y;
    return -0.5 * fabs(x);
}

static int contacts(const sti_shape* a, sti_pose pa, const sti_shape* b, sti_pose pb, double margin, int max,
                    sti_shape_contact* out) {
    int count;
    assert_int_equal(sti_shape_contacts(a, &pa, b, &pb, margin, max, out, &count), STI_OK);
    for (int i = 0; i < count; i++) check_contact(out + i, 3);
    return count;
}

static void a_flat_mesh_is_a_plane_for_whatever_slides_over_it(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape *mesh = terrain(env, flat), *plane;
    const double up[3] = {0, 0, 1};
    assert_int_equal(sti_shape_create_halfspace(env, 3, up, 0, &plane), STI_OK);
    sti_rng rng = {.state = 41};
    for (int trial = 0; trial < 2000; trial++) {
        sti_shape* s = random_convex(env, &rng, 3, trial % 4);
        sti_pose p = random_pose(&rng, 3, 2), o = sti_pose_identity();
        sti_shape_contact c[16], d;
        assert_int_equal(sti_shape_distance(s, &p, plane, &o, &d), STI_OK);
        p.x[2] += between(&rng, -0.05, 0.05) - d.gap;
        assert_int_equal(sti_shape_distance(s, &p, plane, &o, &d), STI_OK);
        const int count = contacts(s, p, mesh, o, 0.1, 16, c);
        assert_true(count >= 1);
        assert_near(least_gap(count, c), d.gap, 1e-9);
        for (int i = 0; i < count; i++) assert_near(c[i].normal[2], 1, 1e-9);  // no inner edge catches
        sti_shape_destroy(s);
    }
    sti_shape_destroy(mesh);
    sti_shape_destroy(plane);
    sti_env_destroy(env);
}

static void a_box_on_a_flat_mesh_is_held_at_its_corners(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape *mesh = terrain(env, flat), *box;
    const double half[3] = {1.3, 0.7, 0.5};
    assert_int_equal(sti_shape_create_box(env, 3, half, &box), STI_OK);
    sti_pose p = sti_pose_identity(), o = sti_pose_identity();
    p.x[0] = 0.2;
    p.x[2] = 0.5 - 1e-6;
    sti_shape_contact c[16];
    assert_int_equal(contacts(box, p, mesh, o, 1e-3, 4, c), 4);
    for (int i = 0; i < 4; i++) {
        assert_near(fabs(c[i].point_a[0] - 0.2), 1.3, 1e-9);
        assert_near(fabs(c[i].point_a[1]), 0.7, 1e-9);
        assert_near(c[i].gap, -1e-6, 1e-12);
    }
    assert_int_equal(contacts(mesh, o, box, p, 1e-3, 4, c), 4);
    assert_near(c[0].normal[2], -1, 1e-12);
    sti_shape_destroy(mesh);
    sti_shape_destroy(box);
    sti_env_destroy(env);
}

static void a_sphere_rests_on_a_ridge_by_its_edge_and_in_a_valley_by_both_sides(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape *up = terrain(env, ridge), *down = terrain(env, valley), *ball;
    assert_int_equal(sti_shape_create_sphere(env, 3, 0.5, &ball), STI_OK);
    sti_pose p = sti_pose_identity(), o = sti_pose_identity();
    sti_shape_contact c[16];
    p.x[1] = 0.3;
    p.x[2] = 0.49;
    const int count = contacts(ball, p, up, o, 1e-6, 8, c);
    assert_int_equal(count, 1);
    assert_near(c[0].gap, -0.01, 1e-12);
    assert_near(c[0].normal[2], 1, 1e-12);
    // in the valley the centre is 0.5 from both sides
    p.x[2] = 0.5 * sqrt(1.25) - 1e-4;
    assert_int_equal(contacts(ball, p, down, o, 1e-3, 8, c), 2);
    for (int i = 0; i < 2; i++) {
        assert_near(c[i].normal[2], 1 / sqrt(1.25), 1e-12);
        assert_near(c[i].gap, -1e-4 / sqrt(1.25), 1e-9);
    }
    assert_near(c[0].normal[0], -c[1].normal[0], 1e-12);
    // below the mesh and apart from it: nothing
    p.x[2] = -3;
    assert_int_equal(contacts(ball, p, down, o, 0.1, 8, c), 0);
    sti_shape_destroy(up);
    sti_shape_destroy(down);
    sti_shape_destroy(ball);
    sti_env_destroy(env);
}

// The surface of a convex body as a mesh has the same distances as the body itself.
static void the_mesh_of_a_cube_is_as_far_away_as_the_cube(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double half[3] = {1, 1, 1};
    sti_shape *cube, *mesh;
    assert_int_equal(sti_shape_create_box(env, 3, half, &cube), STI_OK);
    int nv, triangle[36], count = 0;
    const double* v = sti_shape_vertices(cube, &nv);
    for (int f = 0; f < 6; f++) {
        double plane[4];
        int n;
        const int* loop = sti_shape_face(cube, f, plane, &n);
        const int two[6] = {loop[0], loop[1], loop[2], loop[0], loop[2], loop[3]};
        memcpy(triangle + 3 * count, two, sizeof two);
        count += 2;
    }
    assert_int_equal(sti_shape_create_mesh(env, nv, v, count, triangle, &mesh), STI_OK);
    assert_int_equal(sti_shape_face_count(mesh), 12);
    sti_rng rng = {.state = 42};
    int near = 0;
    for (int trial = 0; trial < 3000; trial++) {
        sti_shape* s = random_convex(env, &rng, 3, trial % 4);
        sti_pose p = random_pose(&rng, 3, 3);
        const sti_pose o = random_pose(&rng, 3, 3);
        sti_shape_contact d, c[16];
        assert_int_equal(sti_shape_distance(s, &p, cube, &o, &d), STI_OK);
        if (d.gap > 0) {
            const double wanted = between(&rng, -0.01, 0.09);
            for (int k = 0; k < 3; k++) p.x[k] += (wanted - d.gap) * d.normal[k];
            assert_int_equal(sti_shape_distance(s, &p, cube, &o, &d), STI_OK);
            const int n = contacts(s, p, mesh, o, 0.1, 16, c);
            assert_true(n >= 1);
            if (d.gap > 0) assert_near(least_gap(n, c), d.gap, 1e-9);
            // a triangle alone may be harder to leave than the whole, but not by much
            if (d.gap < 0) assert_true(least_gap(n, c) < 1e-9 && least_gap(n, c) > 3 * d.gap - 1e-9);
            near++;
        }
        sti_shape_destroy(s);
    }
    assert_true(near > 1000);
    sti_shape_destroy(cube);
    sti_shape_destroy(mesh);
    sti_env_destroy(env);
}

static void bad_meshes_are_refused_by_triangle(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double vertex[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0};
    const int missing[3] = {0, 1, 4}, line[6] = {0, 1, 3, 0, 1, 2}, same[3] = {1, 1, 2}, good[3] = {0, 1, 3};
    sti_shape* s;
    assert_int_equal(sti_shape_create_mesh(env, 4, vertex, 1, missing, &s), STI_ERR_INPUT);
    assert_int_equal(sti_shape_create_mesh(env, 4, vertex, 2, line, &s), STI_ERR_INPUT);
    assert_int_equal(sti_env_error(env)->index, 1);
    assert_int_equal(sti_shape_create_mesh(env, 4, vertex, 1, same, &s), STI_ERR_INPUT);
    assert_int_equal(sti_shape_create_mesh(env, 4, vertex, 0, good, &s), STI_ERR_INPUT);
    assert_null(s);
    assert_int_equal(sti_shape_create_mesh(env, 4, vertex, 1, good, &s), STI_OK);
    assert_int_equal(sti_shape_kind_of(s), STI_SHAPE_MESH);
    sti_shape_contact c;
    const sti_pose o = sti_pose_identity();
    assert_int_equal(sti_shape_distance(s, &o, s, &o, &c), STI_ERR_ARGUMENT);
    sti_shape_destroy(s);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_mesh_is_a_plane_for_whatever_slides_over_it),
        cmocka_unit_test(a_box_on_a_flat_mesh_is_held_at_its_corners),
        cmocka_unit_test(a_sphere_rests_on_a_ridge_by_its_edge_and_in_a_valley_by_both_sides),
        cmocka_unit_test(the_mesh_of_a_cube_is_as_far_away_as_the_cube),
        cmocka_unit_test(bad_meshes_are_refused_by_triangle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
