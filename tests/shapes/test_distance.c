// test_distance.c: distance and depth of two convex shapes, against certificates, closed forms and brute force.
#include <stiction/qp.h>

#include "shape_tools.h"

// A distance is proved by two points and a direction: the points belong to the shapes, and the direction parts these by
// as much as the points are apart.
static void prove_distance(const sti_shape* a, const sti_pose* pa, const sti_shape* b, const sti_pose* pb,
                           const sti_shape_contact* c) {
    check_contact(c, sti_shape_dim(a));
    assert_true(outside(a, pa, c->point_a) <= 1e-12);
    assert_true(outside(b, pb, c->point_b) <= 1e-12);
    assert_near(parting(a, pa, b, pb, c->normal), c->gap, 2e-12);
}

static void separated_shapes_have_the_distance_that_points_and_a_direction_prove(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 1};
    int apart = 0, overlapping = 0;
    for (int trial = 0; trial < 3000; trial++) {
        const int dim = 2 + trial % 2;
        sti_shape *a = random_convex(env, &rng, dim, trial / 2 % 4), *b = random_convex(env, &rng, dim, trial / 8 % 4);
        for (int k = 0; k < 4; k++) {
            const sti_pose pa = random_pose(&rng, dim, 2), pb = random_pose(&rng, dim, 2);
            sti_shape_contact c;
            assert_int_equal(sti_shape_distance(a, &pa, b, &pb, &c), STI_OK);
            if (c.gap > 0) {
                prove_distance(a, &pa, b, &pb, &c);
                apart++;
            } else {
                check_contact(&c, dim);
                assert_near(parting(a, &pa, b, &pb, c.normal), c.gap, 2e-12);
                overlapping++;
            }
        }
        sti_shape_destroy(a);
        sti_shape_destroy(b);
    }
    assert_true(apart > 3000 && overlapping > 1000);
    sti_env_destroy(env);
}

static void translation_by_the_depth_along_the_normal_parts_overlapping_shapes(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 2};
    for (int trial = 0; trial < 2000; trial++) {
        const int dim = 2 + trial % 2;
        sti_shape *a = random_convex(env, &rng, dim, trial / 2 % 4), *b = random_convex(env, &rng, dim, trial / 8 % 4);
        sti_pose pa = random_pose(&rng, dim, 0.6);
        const sti_pose pb = random_pose(&rng, dim, 0.6);
        sti_shape_contact c, after;
        assert_int_equal(sti_shape_distance(a, &pa, b, &pb, &c), STI_OK);
        for (int k = 0; k < 3; k++) pa.x[k] -= c.gap * c.normal[k];
        assert_int_equal(sti_shape_distance(a, &pa, b, &pb, &after), STI_OK);
        if (c.gap < 0) assert_near(after.gap, 0, 1e-11);
        sti_shape_destroy(a);
        sti_shape_destroy(b);
    }
    sti_env_destroy(env);
}

// The best of all face normals of both shapes.
static double best_parting(const sti_shape* a, const sti_pose* pa, const sti_shape* b, const sti_pose* pb) {
    double best = -INFINITY;
    const sti_shape* shapes[2] = {a, b};
    const sti_pose* poses[2] = {pa, pb};
    for (int s = 0; s < 2; s++) {
        double R[9];
        sti_pose_rotation(poses[s], R);
        for (int f = 0; f < sti_shape_face_count(shapes[s]); f++) {
            double plane[4], n[3];
            int count;
            sti_shape_face(shapes[s], f, plane, &count);
            const double sign = s == 0 ? -1 : 1;
            for (int k = 0; k < 3; k++) n[k] = sign * dot3(R + 3 * k, plane);
            best = fmax(best, parting(a, pa, b, pb, n));
        }
    }
    return best;
}

static void planar_depth_is_the_best_over_all_directions(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 3};
    int overlapping = 0;
    for (int trial = 0; trial < 400; trial++) {
        sti_shape *a = random_convex(env, &rng, 2, 2 + trial % 2), *b = random_convex(env, &rng, 2, 2 + trial / 2 % 2);
        const sti_pose pa = random_pose(&rng, 2, 0.5), pb = random_pose(&rng, 2, 0.5);
        sti_shape_contact c;
        assert_int_equal(sti_shape_distance(a, &pa, b, &pb, &c), STI_OK);
        if (c.gap < 0) {
            overlapping++;
            for (int i = 0; i < 2000; i++) {
                const double n[3] = {cos(i * 3.14159265358979 / 1000), sin(i * 3.14159265358979 / 1000), 0};
                assert_true(parting(a, &pa, b, &pb, n) <= c.gap + 1e-12);
            }
            assert_near(best_parting(a, &pa, b, &pb), c.gap, 1e-9);
        }
        sti_shape_destroy(a);
        sti_shape_destroy(b);
    }
    assert_true(overlapping > 100);
    sti_env_destroy(env);
}

static void spatial_depth_is_not_beaten_by_any_sampled_direction_or_product_of_edges(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 4};
    int overlapping = 0;
    for (int trial = 0; trial < 150; trial++) {
        sti_shape *a = random_convex(env, &rng, 3, 1 + trial % 3), *b = random_convex(env, &rng, 3, 1 + trial / 3 % 3);
        const sti_pose pa = random_pose(&rng, 3, 0.4), pb = random_pose(&rng, 3, 0.4);
        sti_shape_contact c;
        assert_int_equal(sti_shape_distance(a, &pa, b, &pb, &c), STI_OK);
        if (c.gap < 0) {
            overlapping++;
            assert_true(best_parting(a, &pa, b, &pb) <= c.gap + 1e-9);
            int na, nb;
            const double *va = sti_shape_vertices(a, &na), *vb = sti_shape_vertices(b, &nb);
            for (int i = 0; i < 3000; i++) {
                // the product of two differences of vertices: every product of edges is among these
                const int i0 = sti_rng_int(&rng, 0, na - 1), i1 = sti_rng_int(&rng, 0, na - 1);
                const int j0 = sti_rng_int(&rng, 0, nb - 1), j1 = sti_rng_int(&rng, 0, nb - 1);
                double p[4][3], n[3];
                sti_pose_apply(&pa, va + 3 * i0, p[0]);
                sti_pose_apply(&pa, va + 3 * i1, p[1]);
                sti_pose_apply(&pb, vb + 3 * j0, p[2]);
                sti_pose_apply(&pb, vb + 3 * j1, p[3]);
                for (int k = 0; k < 3; k++) {
                    const int l = (k + 1) % 3, m = (k + 2) % 3;
                    n[k] = (p[1][l] - p[0][l]) * (p[3][m] - p[2][m]) - (p[1][m] - p[0][m]) * (p[3][l] - p[2][l]);
                }
                const double length = sqrt(dot3(n, n));
                if (length < 1e-6) continue;
                for (int k = 0; k < 3; k++) n[k] /= length;
                assert_true(parting(a, &pa, b, &pb, n) <= c.gap + 1e-9);
            }
        }
        sti_shape_destroy(a);
        sti_shape_destroy(b);
    }
    assert_true(overlapping > 60);
    sti_env_destroy(env);
}

// min 1/2 |sum x_i a_i - sum y_j b_j|^2 over weights: the same distance from another branch of mathematics.
static double distance_by_qp(sti_env* env, const sti_shape* a, const sti_pose* pa, const sti_shape* b,
                             const sti_pose* pb) {
    int na, nb;
    const double *va = sti_shape_vertices(a, &na), *vb = sti_shape_vertices(b, &nb);
    const int n = na + nb;
    double w[64][3], P[64 * 64], A[2 * 64], c[64] = {0}, lb[64] = {0}, l[2] = {1, 1};
    assert_true(n <= 64);
    for (int i = 0; i < n; i++) {
        sti_pose_apply(i < na ? pa : pb, i < na ? va + 3 * i : vb + 3 * (i - na), w[i]);
        for (int k = 0; k < 3 && i >= na; k++) w[i][k] = -w[i][k];
        A[i] = i < na ? 1 : 0;
        A[n + i] = i < na ? 0 : 1;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) P[n * i + j] = dot3(w[i], w[j]);
    }
    const sti_qp qp = {.n = n,
                       .m = 2,
                       .P = sti_matrix_dense_view(n, n, P),
                       .A = sti_matrix_dense_view(2, n, A),
                       .c = c,
                       .l = l,
                       .u = l,
                       .lb = lb};
    const sti_conic_options options = sti_conic_options_default();
    sti_qp_answer answer;
    assert_int_equal(sti_qp_solve(env, &qp, &options, &answer), STI_OK);
    const double d = sqrt(fmax(0, 2 * answer.objective));
    sti_qp_answer_clear(env, &answer);
    return d;
}

static void distance_of_polyhedra_agrees_with_a_quadratic_program(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 5};
    for (int trial = 0; trial < 60; trial++) {
        sti_shape *a = random_convex(env, &rng, 3, 2 + trial % 2), *b = random_convex(env, &rng, 3, 2 + trial / 2 % 2);
        const sti_pose pa = random_pose(&rng, 3, 2), pb = random_pose(&rng, 3, 2);
        sti_shape_contact c;
        assert_int_equal(sti_shape_distance(a, &pa, b, &pb, &c), STI_OK);
        assert_near(fmax(c.gap, 0), distance_by_qp(env, a, &pa, b, &pb), c.gap > 0.01 ? 1e-6 : 1e-3);
        sti_shape_destroy(a);
        sti_shape_destroy(b);
    }
    sti_env_destroy(env);
}

// ---- closed forms

static void spheres_and_capsules_have_their_closed_forms(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int dim = 2; dim <= 3; dim++) {
        sti_shape *s, *t, *capsule, *ground;
        assert_int_equal(sti_shape_create_sphere(env, dim, 0.5, &s), STI_OK);
        assert_int_equal(sti_shape_create_sphere(env, dim, 0.25, &t), STI_OK);
        assert_int_equal(sti_shape_create_capsule(env, dim, 1, 0.25, &capsule), STI_OK);
        const double up[3] = {0, 2, 0};
        assert_int_equal(sti_shape_create_halfspace(env, dim, up, 2, &ground), STI_OK);  // y <= 1
        sti_pose p = sti_pose_identity(), q = sti_pose_identity();
        sti_shape_contact c;
        p.x[0] = 3;
        p.x[1] = 4;
        assert_int_equal(sti_shape_distance(s, &p, t, &q, &c), STI_OK);
        assert_near(c.gap, 5 - 0.75, 1e-15);
        assert_near(c.normal[0], 0.6, 1e-15);
        assert_near(c.point_a[0], 3 - 0.3, 1e-15);
        assert_near(c.point_b[1], 0.2, 1e-15);
        assert_int_equal(sti_shape_distance(s, &p, ground, &q, &c), STI_OK);
        assert_near(c.gap, 2.5, 1e-15);
        assert_near(c.normal[1], 1, 0);
        assert_int_equal(sti_shape_distance(ground, &q, s, &p, &c), STI_OK);
        assert_near(c.gap, 2.5, 1e-15);
        assert_near(c.normal[1], -1, 0);
        // the axis of the capsule is x in the plane and z in space; the sphere stands sideways of it
        assert_int_equal(sti_shape_distance(s, &p, capsule, &q, &c), STI_OK);
        assert_near(c.gap, (dim == 2 ? hypot(2, 4) : 5) - 0.75, 1e-15);
        // one inside the other, centres together: any direction, full depth
        p.x[0] = p.x[1] = 0;
        assert_int_equal(sti_shape_distance(s, &p, t, &q, &c), STI_OK);
        assert_near(c.gap, -0.75, 0);
        check_contact(&c, dim);
        assert_int_equal(sti_shape_distance(s, &p, capsule, &q, &c), STI_OK);
        assert_near(c.gap, -0.75, 0);
        check_contact(&c, dim);
        assert_int_equal(sti_shape_distance(capsule, &p, capsule, &q, &c), STI_OK);
        check_contact(&c, dim);
        assert_near(c.gap, -0.5, 1e-15);
        sti_shape_destroy(s);
        sti_shape_destroy(t);
        sti_shape_destroy(capsule);
        sti_shape_destroy(ground);
    }
    sti_env_destroy(env);
}

// ---- invariance

static void distance_does_not_change_with_the_frame_or_the_order_of_the_shapes(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 6};
    for (int trial = 0; trial < 1000; trial++) {
        const int dim = 2 + trial % 2;
        sti_shape *a = random_convex(env, &rng, dim, trial / 2 % 4), *b = random_convex(env, &rng, dim, trial / 8 % 4);
        const sti_pose pa = random_pose(&rng, dim, 1.5), pb = random_pose(&rng, dim, 1.5);
        const sti_pose move = random_pose(&rng, dim, 10);
        const sti_pose qa = sti_pose_compose(&move, &pa), qb = sti_pose_compose(&move, &pb);
        sti_shape_contact c, swapped, moved;
        assert_int_equal(sti_shape_distance(a, &pa, b, &pb, &c), STI_OK);
        assert_int_equal(sti_shape_distance(b, &pb, a, &pa, &swapped), STI_OK);
        assert_int_equal(sti_shape_distance(a, &qa, b, &qb, &moved), STI_OK);
        assert_near(c.gap, swapped.gap, 1e-9);
        assert_near(c.gap, moved.gap, 1e-9);
        if (c.gap > 0.01) {
            double R[9];
            sti_pose_rotation(&move, R);
            for (int k = 0; k < 3; k++) {
                assert_near(c.normal[k], -swapped.normal[k], 1e-9);
                assert_near(dot3(R + 3 * k, c.normal), moved.normal[k], 1e-9);
            }
        }
        sti_shape_destroy(a);
        sti_shape_destroy(b);
    }
    sti_env_destroy(env);
}

static void gap_is_continuous_while_a_shape_moves_through_another(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 7};
    for (int trial = 0; trial < 64; trial++) {
        const int dim = 2 + trial % 2;
        sti_shape *a = random_convex(env, &rng, dim, trial / 2 % 4), *b = random_convex(env, &rng, dim, trial / 8 % 4);
        sti_pose pa = random_pose(&rng, dim, 0.3);
        const sti_pose pb = random_pose(&rng, dim, 0.3);
        double before = NAN;
        // a gap is 1-Lipschitz in the translation; the steps near touching are tiny
        const double step = 1e-3, direction = between(&rng, -3, 3);
        for (int i = 0; i < 3000; i++) {
            sti_shape_contact c;
            assert_int_equal(sti_shape_distance(a, &pa, b, &pb, &c), STI_OK);
            if (!isnan(before)) assert_true(fabs(c.gap - before) <= step + 1e-9);
            before = c.gap;
            pa.x[0] += step * cos(direction);
            pa.x[1] += step * sin(direction);
        }
        sti_shape_destroy(a);
        sti_shape_destroy(b);
    }
    sti_env_destroy(env);
}

static void gap_is_continuous_at_the_moment_of_touching(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 8};
    for (int trial = 0; trial < 200; trial++) {
        const int dim = 2 + trial % 2;
        sti_shape *a = random_convex(env, &rng, dim, trial / 2 % 4), *b = random_convex(env, &rng, dim, trial / 8 % 4);
        sti_pose pa = random_pose(&rng, dim, 2);
        const sti_pose pb = random_pose(&rng, dim, 2);
        sti_shape_contact c;
        assert_int_equal(sti_shape_distance(a, &pa, b, &pb, &c), STI_OK);
        const double n[3] = {c.normal[0], c.normal[1], c.normal[2]}, x[3] = {pa.x[0], pa.x[1], pa.x[2]}, gap = c.gap;
        // along the normal, from 1e-4 apart through 1e-14 to 1e-4 deep
        for (int i = -4; i >= -14 && gap > 0; i--) {
            for (int sign = -1; sign <= 1; sign += 2) {
                const double wanted = sign * pow(10, i);
                for (int k = 0; k < 3; k++) pa.x[k] = x[k] + (wanted - gap) * n[k];
                assert_int_equal(sti_shape_distance(a, &pa, b, &pb, &c), STI_OK);
                check_contact(&c, dim);
                if (sign > 0) assert_near(c.gap, wanted, 1e-9);
                if (sign < 0) assert_true(c.gap >= wanted - 1e-9 && c.gap <= 1e-9);
            }
        }
        sti_shape_destroy(a);
        sti_shape_destroy(b);
    }
    sti_env_destroy(env);
}

static void bad_questions_are_refused_and_leave_zeros(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape *disc, *sphere;
    assert_int_equal(sti_shape_create_sphere(env, 2, 1, &disc), STI_OK);
    assert_int_equal(sti_shape_create_sphere(env, 3, 1, &sphere), STI_OK);
    const sti_pose good = sti_pose_identity();
    sti_pose bad[4] = {good, good, good, good};
    bad[0].x[1] = NAN;
    bad[1].q[0] = 0;
    bad[2].q[3] = NAN;
    bad[3].x[0] = INFINITY;
    sti_shape_contact c[4];
    int count = 7;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(sti_shape_distance(sphere, bad + i, sphere, &good, c), STI_ERR_ARGUMENT);
        assert_near(c[0].gap, 0, 0);
        assert_int_equal(sti_shape_contacts(sphere, &good, sphere, bad + i, 0.1, 4, c, &count), STI_ERR_ARGUMENT);
        assert_int_equal(count, 0);
        sti_aabb box;
        assert_int_equal(sti_shape_bounds(sphere, bad + i, 0, &box), STI_ERR_ARGUMENT);
    }
    assert_int_equal(sti_shape_distance(sphere, &good, disc, &good, c), STI_ERR_ARGUMENT);
    assert_int_equal(sti_shape_contacts(sphere, &good, sphere, &good, NAN, 4, c, &count), STI_ERR_ARGUMENT);
    assert_int_equal(sti_shape_contacts(sphere, &good, sphere, &good, 0, -1, c, &count), STI_ERR_ARGUMENT);
    bad[0] = good;
    bad[0].x[2] = 1;  // out of the plane
    assert_int_equal(sti_shape_distance(disc, bad, disc, &good, c), STI_ERR_ARGUMENT);
    sti_shape_destroy(disc);
    sti_shape_destroy(sphere);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separated_shapes_have_the_distance_that_points_and_a_direction_prove),
        cmocka_unit_test(translation_by_the_depth_along_the_normal_parts_overlapping_shapes),
        cmocka_unit_test(planar_depth_is_the_best_over_all_directions),
        cmocka_unit_test(spatial_depth_is_not_beaten_by_any_sampled_direction_or_product_of_edges),
        cmocka_unit_test(distance_of_polyhedra_agrees_with_a_quadratic_program),
        cmocka_unit_test(spheres_and_capsules_have_their_closed_forms),
        cmocka_unit_test(distance_does_not_change_with_the_frame_or_the_order_of_the_shapes),
        cmocka_unit_test(gap_is_continuous_while_a_shape_moves_through_another),
        cmocka_unit_test(gap_is_continuous_at_the_moment_of_touching),
        cmocka_unit_test(bad_questions_are_refused_and_leave_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
