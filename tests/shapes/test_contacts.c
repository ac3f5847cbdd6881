// test_contacts.c: contact points of two shapes: how many, where, and whether they stay themselves.
#include "shape_tools.h"

#define PI 3.14159265358979323846

static sti_shape* box(sti_env* env, int dim, double x, double y, double z) {
    const double half[3] = {x, y, z};
    sti_shape* s;
    assert_int_equal(sti_shape_create_box(env, dim, half, &s), STI_OK);
    return s;
}

static sti_shape* capsule(sti_env* env, int dim, double length, double radius) {
    sti_shape* s;
    assert_int_equal(sti_shape_create_capsule(env, dim, length, radius, &s), STI_OK);
    return s;
}

static sti_shape* ground(sti_env* env, int dim) {  // z <= 0 in space, y <= 0 in the plane
    const double up[3] = {0, dim == 2 ? 1 : 0, 1};
    sti_shape* s;
    assert_int_equal(sti_shape_create_halfspace(env, dim, up, 0, &s), STI_OK);
    return s;
}

static sti_pose turned(sti_pose p, double x, double y, double z, double angle) {
    const double length = sqrt(x * x + y * y + z * z), s = sin(angle / 2) / length;
    const sti_pose turn = {.q = {cos(angle / 2), s * x, s * y, s * z}};
    const sti_pose place = at(p.x[0], p.x[1], p.x[2]);
    return sti_pose_compose(&place, &turn);
}

static int contacts(const sti_shape* a, sti_pose pa, const sti_shape* b, sti_pose pb, double margin, int max,
                    sti_shape_contact* out) {
    int count;
    assert_int_equal(sti_shape_contacts(a, &pa, b, &pb, margin, max, out, &count), STI_OK);
    assert_true(count <= max);
    for (int i = 0; i < count; i++) {
        check_contact(out + i, sti_shape_dim(a));
        assert_true(out[i].gap <= margin);
        for (int j = 0; j < i; j++) assert_true(out[i].id != out[j].id);
    }
    return count;
}

// ---- counts

static void a_box_stands_on_a_plane_with_four_points_and_tilts_onto_two_and_one(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape *b = box(env, 3, 1, 2, 0.5), *g = ground(env, 3);
    sti_shape_contact c[8];
    assert_int_equal(contacts(b, at(0, 0, 0.5 - 1e-3), g, at(0, 0, 0), 1e-4, 8, c), 4);
    for (int i = 0; i < 4; i++) {
        assert_near(c[i].gap, -1e-3, 1e-15);
        assert_near(c[i].normal[2], 1, 0);
        assert_near(fabs(c[i].point_a[0]), 1, 1e-15);
        assert_near(fabs(c[i].point_a[1]), 2, 1e-15);
        assert_near(c[i].point_b[2], 0, 1e-15);
    }
    assert_int_equal(contacts(b, turned(at(0, 0, sqrt(1.25) - 0.01), 0, 1, 0, atan(2)), g, at(0, 0, 0), 0, 8, c), 2);
    assert_int_equal(contacts(b, turned(at(0, 0, 2), 1, 1, 0, 0.9), g, at(0, 0, 0), 0.5, 8, c), 1);
    assert_int_equal(contacts(b, at(0, 0, 0.6), g, at(0, 0, 0), 0.01, 8, c), 0);
    assert_int_equal(contacts(g, at(0, 0, 0), b, at(0, 0, 0.5), 0, 8, c), 4);
    assert_near(c[0].normal[2], -1, 0);
    assert_int_equal(contacts(g, at(0, 0, 0), g, at(0, 0, 0), 0, 8, c), 0);
    sti_shape_destroy(b);
    sti_shape_destroy(g);
    sti_env_destroy(env);
}

static void a_box_on_a_box_touches_in_four_points_where_the_faces_overlap(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape *a = box(env, 3, 1, 1, 1), *b = box(env, 3, 2, 2, 1);
    sti_shape_contact c[16];
    const double gaps[5] = {-1e-2, -1e-9, 0, 1e-9, 1e-4};
    for (int g = 0; g < 5; g++) {
        // inside the face, over its edge, over its corner, exactly alike
        const double place[4][4] = {{0.3, 0.2, 1, 1}, {1.5, 0, 0.75, 1}, {1.5, 1.5, 0.75, 0.75}, {1, 1, 1, 1}};
        for (int k = 0; k < 4; k++) {
            const int count = contacts(a, at(place[k][0], place[k][1], 2 + gaps[g]), b, at(0, 0, 0), 1e-3, 16, c);
            assert_int_equal(count, 4);
            for (int i = 0; i < 4; i++) {
                assert_near(c[i].gap, gaps[g], 1e-14);
                assert_near(c[i].normal[2], 1, 1e-15);
                const double low_x = place[k][0] - 1, high_x = fmin(2, place[k][0] + 1);
                assert_true(fabs(c[i].point_b[0] - low_x) < 1e-12 || fabs(c[i].point_b[0] - high_x) < 1e-12);
            }
        }
        assert_int_equal(contacts(a, at(0, 0, 2 + gaps[g]), a, at(0, 0, 0), 1e-3, 16, c), 4);
        // turned by 45 degrees: eight, or four that span
        assert_int_equal(contacts(a, turned(at(0, 0, 2 + gaps[g]), 0, 0, 1, PI / 4), a, at(0, 0, 0), 1e-3, 16, c), 8);
        assert_int_equal(contacts(a, turned(at(0, 0, 2 + gaps[g]), 0, 0, 1, PI / 4), a, at(0, 0, 0), 1e-3, 4, c), 4);
        double sum[2] = {0, 0};
        for (int i = 0; i < 4; i++) {
            sum[0] += c[i].point_b[0];
            sum[1] += c[i].point_b[1];
        }
        assert_true(fabs(sum[0]) < 2 && fabs(sum[1]) < 2);  // the centre is well inside
    }
    sti_shape_destroy(a);
    sti_shape_destroy(b);
    sti_env_destroy(env);
}

static void capsules_lie_on_two_points(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape *c3 = capsule(env, 3, 1, 0.25), *g3 = ground(env, 3), *b3 = box(env, 3, 2, 2, 1);
    sti_shape *c2 = capsule(env, 2, 1, 0.25), *g2 = ground(env, 2), *b2 = box(env, 2, 2, 1, 0);
    sti_shape_contact c[8];
    const sti_pose lying = turned(at(0, 0, 0.25), 0, 1, 0, PI / 2);  // along x
    assert_int_equal(contacts(c3, lying, g3, at(0, 0, 0), 1e-6, 4, c), 2);
    assert_near(fabs(c[0].point_a[0]), 1, 1e-15);
    assert_int_equal(contacts(c3, lying, b3, at(0, 0, -1), 1e-6, 4, c), 2);
    assert_near(c[0].gap, 0, 1e-15);
    assert_near(c[0].normal[2], 1, 1e-15);
    // over the rim of the box: one end and the rim
    sti_pose over = lying;
    over.x[0] = 1.5;
    assert_int_equal(contacts(c3, over, b3, at(0, 0, -1), 1e-6, 4, c), 2);
    assert_near(fmax(c[0].point_b[0], c[1].point_b[0]), 2, 1e-9);
    // two side by side, shifted: the ends of the overlap
    sti_pose beside = lying;
    beside.x[1] = 0.5;
    beside.x[0] = 0.5;
    assert_int_equal(contacts(c3, lying, c3, beside, 1e-6, 4, c), 2);
    assert_near(fabs(c[0].point_b[0] - c[1].point_b[0]), 1.5, 1e-9);
    // crossed: one
    assert_int_equal(contacts(c3, lying, c3, turned(at(0, 0, 0.75), 1, 0, 0, PI / 2), 1e-6, 4, c), 1);
    assert_near(c[0].gap, 0, 1e-15);
    assert_int_equal(contacts(c2, at(0, 0.25, 0), g2, at(0, 0, 0), 1e-6, 4, c), 2);
    assert_int_equal(contacts(c2, at(0, 0.25, 0), b2, at(0, -1, 0), 1e-6, 4, c), 2);
    assert_int_equal(contacts(c2, at(0.5, 0.5, 0), c2, at(0, 0, 0), 1e-6, 4, c), 2);
    sti_shape* all[6] = {c3, g3, b3, c2, g2, b2};
    for (int i = 0; i < 6; i++) sti_shape_destroy(all[i]);
    sti_env_destroy(env);
}

static void planar_edges_touch_in_two_points(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape *a = box(env, 2, 1, 1, 0), *g = ground(env, 2), *hexagon;
    double points[12];
    for (int i = 0; i < 6; i++) {
        points[2 * i] = cos(PI / 3 * i);
        points[2 * i + 1] = sin(PI / 3 * i);
    }
    assert_int_equal(sti_shape_create_convex(env, 2, 6, points, &hexagon), STI_OK);
    sti_shape_contact c[8];
    assert_int_equal(contacts(a, at(0, 1, 0), g, at(0, 0, 0), 1e-6, 4, c), 2);
    assert_int_equal(contacts(a, at(0.5, 2, 0), a, at(0, 0, 0), 1e-6, 4, c), 2);
    assert_near(fabs(c[0].point_b[0] - c[1].point_b[0]), 1.5, 1e-15);
    assert_int_equal(contacts(hexagon, at(0, sqrt(0.75), 0), g, at(0, 0, 0), 1e-6, 4, c), 2);
    assert_int_equal(contacts(hexagon, at(0.25, 1 + sqrt(0.75), 0), a, at(0, 0, 0), 1e-6, 4, c), 2);
    assert_near(c[0].gap, 0, 1e-15);
    // corner to corner, apart: one point, along the diagonal
    assert_int_equal(contacts(a, at(2.1, 2.1, 0), a, at(0, 0, 0), 1, 4, c), 1);
    assert_near(c[0].gap, 0.1 * sqrt(2), 1e-15);
    assert_near(c[0].normal[0], sqrt(0.5), 1e-15);
    sti_shape_destroy(a);
    sti_shape_destroy(g);
    sti_shape_destroy(hexagon);
    sti_env_destroy(env);
}

static void parallel_edges_of_boxes_touch_in_two_points_and_crossed_ones_in_one(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape* a = box(env, 3, 1, 1, 1);
    sti_shape_contact c[8];
    const double s = sqrt(2);
    // edge down on edge up, both along x, shifted
    const sti_pose low = turned(at(0, 0, 0), 1, 0, 0, PI / 4);
    assert_int_equal(contacts(a, turned(at(0.5, 0, 2 * s + 1e-4), 1, 0, 0, PI / 4), a, low, 1e-3, 4, c), 2);
    assert_near(c[0].gap, 1e-4, 1e-14);
    assert_near(fabs(c[0].point_a[0] - c[1].point_a[0]), 1.5, 1e-9);
    // crossed, apart and overlapping
    for (int sign = -1; sign <= 1; sign++) {
        assert_int_equal(contacts(a, turned(at(0, 0, 2 * s + sign * 1e-4), 0, 1, 0, PI / 4), a, low, 1e-3, 4, c), 1);
        assert_near(c[0].gap, sign * 1e-4, 1e-14);
        assert_near(c[0].normal[2], 1, 1e-12);
        assert_near(c[0].point_b[0], 0, 1e-9);
    }
    sti_shape_destroy(a);
    sti_env_destroy(env);
}

// ---- laws

static void points_lie_on_the_surfaces_and_the_least_gap_is_the_distance(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 21};
    int touching = 0;
    for (int trial = 0; trial < 4000; trial++) {
        const int dim = 2 + trial % 2;
        sti_shape *a = random_convex(env, &rng, dim, trial / 2 % 4), *b = random_convex(env, &rng, dim, trial / 8 % 4);
        sti_pose pa = random_pose(&rng, dim, 1.5);
        const sti_pose pb = random_pose(&rng, dim, 1.5);
        sti_shape_contact d, c[8];
        assert_int_equal(sti_shape_distance(a, &pa, b, &pb, &d), STI_OK);
        const double wanted = between(&rng, -0.05, 0.05);  // bring them near each other
        for (int k = 0; k < 3 && d.gap > 0; k++) pa.x[k] += (wanted - d.gap) * d.normal[k];
        assert_int_equal(sti_shape_distance(a, &pa, b, &pb, &d), STI_OK);
        const int count = contacts(a, pa, b, pb, 0.1, 8, c);
        if (d.gap <= 0.1) {
            touching++;
            assert_true(count > 0);
            assert_near(least_gap(count, c), d.gap, 2e-9);
        } else {
            assert_int_equal(count, 0);
        }
        for (int i = 0; i < count; i++) {
            // a point of a contact is on or under the surface, never outside, for both shapes
            assert_true(outside(a, &pa, c[i].point_a) <= 2e-9);
            assert_true(outside(b, &pb, c[i].point_b) <= 2e-9);
        }
        sti_shape_destroy(a);
        sti_shape_destroy(b);
    }
    assert_true(touching > 3000);
    sti_env_destroy(env);
}

static void exchanged_shapes_have_opposite_normals_and_the_same_gaps(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 22};
    for (int trial = 0; trial < 2000; trial++) {
        const int dim = 2 + trial % 2;
        sti_shape *a = random_convex(env, &rng, dim, trial / 2 % 4), *b = random_convex(env, &rng, dim, trial / 8 % 4);
        const sti_pose pa = random_pose(&rng, dim, 0.9), pb = random_pose(&rng, dim, 0.9);
        sti_shape_contact c[16], s[16];
        const int n = contacts(a, pa, b, pb, 0.05, 16, c), m = contacts(b, pb, a, pa, 0.05, 16, s);
        assert_int_equal(n, m);
        for (int i = 0; i < n; i++) {
            double best = INFINITY;
            for (int j = 0; j < m; j++) {
                double d = fabs(c[i].gap - s[j].gap);
                for (int k = 0; k < 3; k++) {
                    d = fmax(d, fabs(c[i].normal[k] + s[j].normal[k]));
                    d = fmax(d, fabs(c[i].point_a[k] - s[j].point_b[k]));
                }
                best = fmin(best, d);
            }
            assert_near(best, 0, 1e-8);
        }
        sti_shape_destroy(a);
        sti_shape_destroy(b);
    }
    sti_env_destroy(env);
}

static void contacts_move_with_the_frame(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 23};
    for (int trial = 0; trial < 1000; trial++) {
        const int dim = 2 + trial % 2;
        sti_shape *a = random_convex(env, &rng, dim, trial / 2 % 4), *b = random_convex(env, &rng, dim, trial / 8 % 4);
        const sti_pose pa = random_pose(&rng, dim, 0.9), pb = random_pose(&rng, dim, 0.9);
        const sti_pose move = random_pose(&rng, dim, 3);
        sti_shape_contact c[16], m[16];
        const int n = contacts(a, pa, b, pb, 0.05, 16, c);
        assert_int_equal(contacts(a, sti_pose_compose(&move, &pa), b, sti_pose_compose(&move, &pb), 0.05, 16, m), n);
        for (int i = 0; i < n; i++) {
            double p[3];
            sti_pose_apply(&move, c[i].point_a, p);
            assert_near(c[i].gap, m[i].gap, 1e-9);
            assert_true(c[i].id == m[i].id);
            for (int k = 0; k < 3; k++) assert_near(p[k], m[i].point_a[k], 1e-8);
        }
        sti_shape_destroy(a);
        sti_shape_destroy(b);
    }
    sti_env_destroy(env);
}

// A bottom of nine points, flat or bulging: four of the flat one are enough, of the other one each counts.
static void nearly_flat_faces_keep_all_their_points(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape* g = ground(env, 3);
    for (int bulge = 0; bulge < 2; bulge++) {
        double points[3 * 10] = {[29] = 1};
        for (int i = 0; i < 9; i++) {
            const double x = i % 3 - 1, y = i / 3 - 1;
            points[3 * i] = x;
            points[3 * i + 1] = y;
            points[3 * i + 2] = bulge * 1e-4 * (x * x + y * y);
        }
        sti_shape* s;
        sti_shape_contact c[STI_SHAPE_MAX_POINTS];
        assert_int_equal(sti_shape_create_convex(env, 3, 10, points, &s), STI_OK);
        const sti_pose here = at(0, 0, 0);
        int count;
        assert_int_equal(sti_shape_contacts(s, &here, g, &here, 1e-3, 0, c, &count), STI_OK);
        assert_int_equal(count, bulge ? 9 : 4);
        assert_int_equal(contacts(s, at(0, 0, 0), g, at(0, 0, 0), 1e-3, 4, c), 4);
        sti_shape_destroy(s);
    }
    sti_shape_destroy(g);
    sti_env_destroy(env);
}

static void identities_survive_small_motions(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_shape *a = box(env, 3, 1, 1, 1), *b = box(env, 3, 3, 3, 1), *g = ground(env, 3);
    sti_rng rng = {.state = 24};
    const struct {
        const sti_shape* under;
        double z, turn;
        int max;
    } cases[4] = {{g, 1, 0.3, 4}, {b, 2, 0.3, 4}, {a, 2, PI / 4, 4}, {a, 2, 0.2, 8}};
    for (int k = 0; k < 4; k++) {
        sti_shape_contact first[8];
        const sti_pose still = turned(at(0.1, 0, cases[k].z), 0, 0, 1, cases[k].turn);
        const int count = contacts(a, still, cases[k].under, at(0, 0, 0), 1e-3, cases[k].max, first);
        assert_true(count >= 4);
        for (int trial = 0; trial < 200; trial++) {
            // rocking and sliding by up to 1e-6, down to rounding
            const double size = pow(10, -6 - trial % 11);
            sti_pose p = still;
            for (int j = 0; j < 3; j++) p.x[j] += between(&rng, -size, size);
            for (int j = 0; j < 4; j++) p.q[j] += between(&rng, -size, size);
            sti_shape_contact now[8];
            assert_int_equal(contacts(a, p, cases[k].under, at(0, 0, 0), 1e-3, cases[k].max, now), count);
            int match[8];
            sti_shape_contacts_match(count, first, count, now, 0, match);
            for (int i = 0; i < count; i++) {
                assert_true(match[i] >= 0);
                for (int j = 0; j < 3; j++) assert_near(first[match[i]].point_b[j], now[i].point_b[j], 1e-4);
            }
        }
    }
    sti_shape_destroy(a);
    sti_shape_destroy(b);
    sti_shape_destroy(g);
    sti_env_destroy(env);
}

// Grid places and quarter turns: faces, edges and corners meet exactly, in every combination.
static void shapes_on_a_grid_touch_without_trouble(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 25};
    for (int trial = 0; trial < 6000; trial++) {
        const int dim = 2 + trial % 2;
        sti_shape* pair[2];
        sti_pose pose[2];
        for (int s = 0; s < 2; s++) {
            const int kind = sti_rng_int(&rng, 0, 3);
            double half[3], points[24];
            for (int k = 0; k < 3; k++) half[k] = sti_rng_int(&rng, 1, 2);
            for (int i = 0; i < 8; i++) {
                for (int k = 0; k < dim; k++) points[dim * i + k] = (i >> k & 1) != 0 ? half[k] : -half[k];
            }
            if (kind == 0) assert_int_equal(sti_shape_create_sphere(env, dim, half[0], pair + s), STI_OK);
            if (kind == 1) assert_int_equal(sti_shape_create_capsule(env, dim, half[0], half[1], pair + s), STI_OK);
            if (kind == 2) assert_int_equal(sti_shape_create_box(env, dim, half, pair + s), STI_OK);
            if (kind == 3) assert_int_equal(sti_shape_create_convex(env, dim, 8, points, pair + s), STI_OK);
            double axis[3] = {0, 0, 0};
            axis[dim == 2 ? 2 : sti_rng_int(&rng, 0, 2)] = 1;
            pose[s] = at(sti_rng_int(&rng, -3, 3), sti_rng_int(&rng, -3, 3), dim == 2 ? 0 : sti_rng_int(&rng, -3, 3));
            pose[s] = turned(pose[s], axis[0], axis[1], axis[2], PI / 4 * sti_rng_int(&rng, 0, 7));
        }
        sti_shape_contact d, e, c[16];
        assert_int_equal(sti_shape_distance(pair[0], pose, pair[1], pose + 1, &d), STI_OK);
        assert_int_equal(sti_shape_distance(pair[1], pose + 1, pair[0], pose, &e), STI_OK);
        assert_near(d.gap, e.gap, 2e-9);
        assert_near(parting(pair[0], pose, pair[1], pose + 1, d.normal), d.gap, 2e-9);
        const int count = contacts(pair[0], pose[0], pair[1], pose[1], 0.01, 16, c);
        assert_int_equal(count > 0, d.gap <= 0.01);
        if (count > 0) assert_near(least_gap(count, c), d.gap, 2e-9);
        for (int i = 0; i < count; i++) {
            assert_true(outside(pair[0], pose, c[i].point_a) <= 1e-8);
            assert_true(outside(pair[1], pose + 1, c[i].point_b) <= 1e-8);
        }
        sti_shape_destroy(pair[0]);
        sti_shape_destroy(pair[1]);
    }
    sti_env_destroy(env);
}

static void sizes_and_places_may_differ_by_many_orders(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 26};
    for (int trial = 0; trial < 500; trial++) {
        const double small = pow(10, sti_rng_int(&rng, -4, 0)), large = pow(10, sti_rng_int(&rng, 0, 4));
        const double away = pow(10, sti_rng_int(&rng, 0, 5));
        sti_shape *a = box(env, 3, small, small, small), *b = box(env, 3, large, large, large);
        const double gap = between(&rng, -0.1, 0.1) * small;
        const sti_pose place = turned(at(away, -away, 0.5 * away), 1, 2, 3, between(&rng, -3, 3));
        const sti_pose up = at(0.3 * large, 0.1 * large, large + small + gap);
        sti_shape_contact c[8];
        const int count = contacts(a, sti_pose_compose(&place, &up), b, place, 0.2 * small, 8, c);
        assert_int_equal(count, 4);
        for (int i = 0; i < count; i++) assert_near(c[i].gap, gap, 1e-14 * (away + large));
        sti_shape_destroy(a);
        sti_shape_destroy(b);
    }
    sti_env_destroy(env);
}

static void contacts_without_an_old_name_are_matched_by_place(void** state) {
    (void)state;
    sti_shape_contact old[3] = {
        {.id = 1, .point_b = {0, 0, 0}}, {.id = 2, .point_b = {1, 0, 0}}, {.id = 3, .point_b = {2, 0, 0}}};
    const sti_shape_contact now[3] = {
        {.id = 9, .point_b = {0.1, 0, 0}}, {.id = 3, .point_b = {5, 0, 0}}, {.id = 8, .point_b = {2, 0, 0}}};
    int match[3];
    sti_shape_contacts_match(3, old, 3, now, 0.2, match);
    assert_int_equal(match[0], 0);
    assert_int_equal(match[1], 2);  // by name, however far
    assert_int_equal(match[2], -1);
}

static void frames_follow_one_rule_and_do_not_flip(void** state) {
    (void)state;
    const double n[3] = {0, 0, 1};
    double t1[3], t2[3];
    sti_tangent_frame(n, t1, t2);
    const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    for (int k = 0; k < 3; k++) {
        assert_near(t1[k], x[k], 0);
        assert_near(t2[k], y[k], 0);
    }
}

static void a_wheel_of_many_corners_is_held_by_a_few_that_span(void** state) {
    (void)state;
    sti_env* env = open_env();
    double points[3 * 400];
    for (int i = 0; i < 400; i++) {
        const double angle = 2 * PI / 200 * (i % 200);
        points[3 * i] = cos(angle);
        points[3 * i + 1] = sin(angle);
        points[3 * i + 2] = i < 200 ? -0.5 : 0.5;
    }
    sti_shape *wheel, *g = ground(env, 3), *b = box(env, 3, 2, 2, 1);
    assert_int_equal(sti_shape_create_convex(env, 3, 400, points, &wheel), STI_OK);
    sti_shape_contact c[64];
    for (int max = 3; max <= 64; max += 61) {
        for (int k = 0; k < 3; k++) {
            const sti_shape* under[3] = {g, b, wheel};
            const double z[3] = {0.5, 1.5, 1};
            const int count = contacts(wheel, at(0, 0, z[k]), under[k], at(0, 0, 0), 1e-6, max, c);
            assert_int_equal(count, max);
            double low = INFINITY, high = -INFINITY;
            for (int i = 0; i < count; i++) {
                low = fmin(low, c[i].point_b[0]);
                high = fmax(high, c[i].point_b[0]);
            }
            assert_true(high - low > 1.4);
        }
    }
    sti_shape_destroy(wheel);
    sti_shape_destroy(g);
    sti_shape_destroy(b);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_stands_on_a_plane_with_four_points_and_tilts_onto_two_and_one),
        cmocka_unit_test(a_box_on_a_box_touches_in_four_points_where_the_faces_overlap),
        cmocka_unit_test(capsules_lie_on_two_points),
        cmocka_unit_test(planar_edges_touch_in_two_points),
        cmocka_unit_test(parallel_edges_of_boxes_touch_in_two_points_and_crossed_ones_in_one),
        cmocka_unit_test(points_lie_on_the_surfaces_and_the_least_gap_is_the_distance),
        cmocka_unit_test(exchanged_shapes_have_opposite_normals_and_the_same_gaps),
        cmocka_unit_test(contacts_move_with_the_frame),
        cmocka_unit_test(nearly_flat_faces_keep_all_their_points),
        cmocka_unit_test(identities_survive_small_motions),
        cmocka_unit_test(shapes_on_a_grid_touch_without_trouble),
        cmocka_unit_test(sizes_and_places_may_differ_by_many_orders),
        cmocka_unit_test(contacts_without_an_old_name_are_matched_by_place),
        cmocka_unit_test(frames_follow_one_rule_and_do_not_flip),
        cmocka_unit_test(a_wheel_of_many_corners_is_held_by_a_few_that_span),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
