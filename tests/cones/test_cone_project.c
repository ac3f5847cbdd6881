// Projection, distance and membership.
#include "support/cone_tools.h"

static sti_polycone* random_cone(sti_env* env, sti_rng* rng, bool exact, int d) {
    double g[12 * 8];
    const int n = sti_rng_int(rng, 0, 12), lines = n > 3 ? sti_rng_int(rng, 0, 2) : 0;
    random_integers(rng, n * d, sti_rng_int(rng, 1, 4), g);
    if (sti_rng_int(rng, 0, 2) > 0) {
        for (int i = 0; i < n; i++) g[i * d] = 1 + fabs(g[i * d]);
    }
    return make_cone(env, exact, sti_rng_int(rng, 0, 1) != 0, d, n - lines, g, lines,
                     g + (size_t)(n - lines) * (size_t)d);
}

// p is the projection of x exactly when p is in the cone, x - p in the polar, and the two are orthogonal. Checked on
// the rows of both forms, which the projection uses only one of. Returns the worst violation relative to |x|.
static double projection_error(const sti_polycone* cone, const double* x, const double* p) {
    const int d = sti_polycone_dimension_space(cone);
    const sti_rows tables[4] = {sti_polycone_inequalities(cone), sti_polycone_equations(cone), sti_polycone_rays(cone),
                                sti_polycone_lines(cone)};
    double r[16], worst = 0, size = sqrt(row_dot(x, x, d));
    if (size == 0) return sqrt(row_dot(p, p, d));
    for (int j = 0; j < d; j++) r[j] = x[j] - p[j];
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < tables[t].count; i++) {
            const double* row = tables[t].value + (size_t)i * (size_t)d;
            double v = row_dot(row, t < 2 ? p : r, d) / sqrt(row_dot(row, row, d));
            if (t % 2 == 1) v = fabs(v);
            worst = fmax(worst, v / size);
        }
    }
    return fmax(worst, fabs(row_dot(p, r, d)) / (size * size));
}

static void projections_satisfy_the_optimality_conditions(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {31};
    double worst = 0;
    for (int trial = 0; trial < 1000; trial++) {
        const int d = sti_rng_int(&rng, 1, 7);
        sti_polycone* cone = random_cone(env, &rng, trial % 2, d);
        for (int k = 0; k < 5; k++) {
            double x[8], p[8];
            for (int j = 0; j < d; j++) x[j] = k < 2 ? sti_rng_int(&rng, -3, 3) : 20 * sti_rng_u01(&rng) - 10;
            assert_int_equal(sti_polycone_project(cone, x, p), STI_OK);
            worst = fmax(worst, projection_error(cone, x, p));
        }
        sti_polycone_destroy(cone);
    }
    print_message("worst relative error %.1e\n", worst);
    assert_true(worst < 1e-13);
    sti_env_destroy(env);
}

static void a_point_is_the_sum_of_its_projections_on_cone_and_polar(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {37};
    for (int trial = 0; trial < 300; trial++) {
        const int d = sti_rng_int(&rng, 1, 6);
        sti_polycone *cone = random_cone(env, &rng, trial % 2, d), *polar;
        assert_int_equal(sti_polycone_polar(cone, &polar), STI_OK);
        double x[8], p[8], q[8];
        for (int j = 0; j < d; j++) x[j] = 2 * sti_rng_u01(&rng) - 1;
        assert_int_equal(sti_polycone_project(cone, x, p), STI_OK);
        assert_int_equal(sti_polycone_project(polar, x, q), STI_OK);
        for (int j = 0; j < d; j++) assert_true(fabs(x[j] - p[j] - q[j]) < 1e-13);
        assert_true(fabs(row_dot(p, q, d)) < 1e-13);
        sti_cone_point at;
        assert_int_equal(sti_polycone_locate(cone, x, &at), STI_OK);
        if (!at.inside)
            assert_true(fabs(at.distance - sqrt(row_dot(q, q, d))) < 1e-13);
        else
            assert_true(row_dot(q, q, d) < 1e-18);
        sti_polycone_destroy(cone);
        sti_polycone_destroy(polar);
    }
    sti_env_destroy(env);
}

// Brute force: the projection is that on the span of some subset of at most d rays.
static double brute_distance(const sti_polycone* cone, const double* x) {
    const sti_rows R = sti_polycone_rays(cone);
    const int d = R.dimension;
    double best = sqrt(row_dot(x, x, d));
    for (unsigned subset = 1; subset < 1u << R.count; subset++) {
        // Gram-Schmidt on the subset, coefficients by back substitution
        double q[8][8], r[8][8] = {{0}}, c[8];
        int n = 0;
        bool independent = true;
        for (int i = 0; i < R.count && independent; i++) {
            if ((subset >> i & 1) == 0) continue;
            if (n == d) {
                independent = false;
                break;
            }
            memcpy(q[n], R.value + (size_t)i * (size_t)d, (size_t)d * sizeof(double));
            for (int k = 0; k < n; k++) {
                r[n][k] = row_dot(q[n], q[k], d);
                for (int j = 0; j < d; j++) q[n][j] -= r[n][k] * q[k][j];
            }
            r[n][n] = sqrt(row_dot(q[n], q[n], d));
            independent = r[n][n] > 1e-9;
            for (int j = 0; j < d; j++) q[n][j] /= r[n][n];
            n++;
        }
        if (!independent) continue;
        bool nonnegative = true;
        double p[8] = {0}, distance = 0;
        for (int k = n - 1; k >= 0; k--) {
            c[k] = row_dot(q[k], x, d);
            for (int j = 0; j < d; j++) p[j] += c[k] * q[k][j];
            for (int i = k + 1; i < n; i++) c[k] -= r[i][k] * c[i];
            c[k] /= r[k][k];
            nonnegative = nonnegative && c[k] >= 0;
        }
        for (int j = 0; j < d; j++) distance = hypot(distance, x[j] - p[j]);
        if (nonnegative && distance < best) best = distance;
    }
    return best;
}

static void distance_agrees_with_brute_force(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {41};
    int outside = 0;
    for (int trial = 0; trial < 200; trial++) {
        const int d = sti_rng_int(&rng, 2, 4);
        double g[7 * 4];
        random_integers(&rng, 7 * d, 3, g);
        for (int i = 0; i < 7; i++) g[i * d] = 1 + fabs(g[i * d]);  // pointed: no lines
        sti_polycone* cone = make_cone(env, trial % 2, true, d, 7, g, 0, NULL);
        for (int k = 0; k < 4; k++) {
            double x[4];
            for (int j = 0; j < d; j++) x[j] = 4 * sti_rng_u01(&rng) - 1;
            sti_cone_point at;
            assert_int_equal(sti_polycone_locate(cone, x, &at), STI_OK);
            const double expected = brute_distance(cone, x);
            assert_true(fabs(at.distance - expected) < 1e-9);
            assert_int_equal(at.inside, expected < 1e-9);
            outside += !at.inside;
        }
        sti_polycone_destroy(cone);
    }
    assert_true(outside > 100);
    sti_env_destroy(env);
}

static void the_face_and_slack_of_a_point_are_named(void** state) {
    (void)state;
    sti_env* env = open_env();
    // { x >= 0, y >= 0, z = 0 }
    const double F[] = {0, -2, 0, -3, 0, 0}, E[] = {0, 0, 5};
    for (int exact = 0; exact < 2; exact++) {
        sti_polycone* cone = make_cone(env, exact, false, 3, 2, F, 1, E);
        const sti_rows facets = sti_polycone_inequalities(cone);
        sti_cone_point at;
        assert_int_equal(sti_polycone_locate(cone, (double[]){3, 4, 0}, &at), STI_OK);
        assert_true(at.inside && at.distance == 0 && at.slack == 3);
        assert_int_equal(sti_polycone_locate(cone, (double[]){-3, -4, 0}, &at), STI_OK);
        assert_true(!at.inside && at.distance == 5 && isnan(at.slack));
        assert_true(facets.value[3 * at.face + 1] < 0);
        assert_int_equal(sti_polycone_locate(cone, (double[]){-3, 1, 4}, &at), STI_OK);
        assert_true(!at.inside && at.distance == 5);
        assert_int_equal(at.face, -1);  // the equation is violated most
        double p[3];
        assert_int_equal(sti_polycone_project(cone, (double[]){-3, 1, 4}, p), STI_OK);
        assert_true(p[0] == 0 && fabs(p[1] - 1) < 1e-15 && p[2] == 0);
        sti_polycone_destroy(cone);
    }
    // nothing to violate
    sti_polycone* all = make_cone(env, false, false, 3, 0, NULL, 0, NULL);
    sti_cone_point at;
    assert_int_equal(sti_polycone_locate(all, (double[]){1, 2, 3}, &at), STI_OK);
    assert_true(at.inside && at.slack == INFINITY);
    sti_polycone_destroy(all);
    sti_env_destroy(env);
}

static void exact_cones_decide_membership_without_rounding(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double g[] = {3, 1, 0, 1}, on[] = {3, 1}, below[] = {3, 0x1.fffffffffffffp-1},
                 above[] = {3, 0x1.0000000000001p0};
    sti_polycone *exact = make_cone(env, true, true, 2, 2, g, 0, NULL),
                 *floating = make_cone(env, false, true, 2, 2, g, 0, NULL);
    sti_cone_point at;
    assert_int_equal(sti_polycone_locate(exact, on, &at), STI_OK);
    assert_true(at.inside);
    assert_int_equal(sti_polycone_locate(exact, above, &at), STI_OK);
    assert_true(at.inside);
    assert_int_equal(sti_polycone_locate(exact, below, &at), STI_OK);
    assert_true(!at.inside && at.distance < 1e-15);
    assert_int_equal(sti_polycone_locate(floating, below, &at), STI_OK);
    assert_true(at.inside);  // within the tolerance
    sti_polycone_destroy(exact);
    sti_polycone_destroy(floating);
    sti_env_destroy(env);
}

static void huge_and_tiny_points_are_located_in_proportion(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_polycone* cone = make_cone(env, false, true, 2, 2, (double[]){1, 0, 1, 1}, 0, NULL);
    const double scales[] = {1e-300, 1e-160, 1, 1e160, 1e300};
    for (int i = 0; i < 5; i++) {
        const double s = scales[i], x[] = {-3 * s, -4 * s}, y[] = {4 * s, -3 * s};
        double p[2];
        sti_cone_point at;
        assert_int_equal(sti_polycone_locate(cone, x, &at), STI_OK);
        assert_true(!at.inside && fabs(at.distance / s - 5) < 1e-14);
        assert_int_equal(sti_polycone_project(cone, y, p), STI_OK);
        assert_true(fabs(p[0] / s - 4) < 1e-14 && fabs(p[1] / s) < 1e-14);
    }
    double p[2];
    assert_int_equal(sti_polycone_project(cone, (double[]){0, 0}, p), STI_OK);
    assert_true(p[0] == 0 && p[1] == 0);
    sti_polycone_destroy(cone);
    sti_env_destroy(env);
}

// Nearly parallel rays and points near edges: the active set must settle.
static void slender_cones_are_projected_on_accurately(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {43};
    double worst = 0;
    for (int trial = 0; trial < 300; trial++) {
        const int d = sti_rng_int(&rng, 2, 6), n = 2 * d;
        double g[12 * 6];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < d; j++) g[i * d + j] = j == 0 ? 1 : 1e-4 * (2 * sti_rng_u01(&rng) - 1);
        }
        sti_polycone* cone = make_cone(env, false, true, d, n, g, 0, NULL);
        for (int k = 0; k < 5; k++) {
            double x[6], p[6];
            for (int j = 0; j < d; j++) x[j] = j == 0 ? 1 : 3e-4 * (2 * sti_rng_u01(&rng) - 1);
            assert_int_equal(sti_polycone_project(cone, x, p), STI_OK);
            worst = fmax(worst, projection_error(cone, x, p));
        }
        sti_polycone_destroy(cone);
    }
    print_message("worst relative error %.1e\n", worst);
    assert_true(worst < 1e-11);
    sti_env_destroy(env);
}

static void points_that_are_no_numbers_are_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_polycone* cone = make_cone(env, true, true, 2, 1, (double[]){1, 0}, 0, NULL);
    double p[2];
    sti_cone_point at;
    assert_int_equal(sti_polycone_project(cone, (double[]){1, NAN}, p), STI_ERR_ARGUMENT);
    assert_int_equal(sti_polycone_locate(cone, (double[]){INFINITY, 0}, &at), STI_ERR_ARGUMENT);
    sti_polycone_destroy(cone);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projections_satisfy_the_optimality_conditions),
        cmocka_unit_test(a_point_is_the_sum_of_its_projections_on_cone_and_polar),
        cmocka_unit_test(distance_agrees_with_brute_force),
        cmocka_unit_test(the_face_and_slack_of_a_point_are_named),
        cmocka_unit_test(exact_cones_decide_membership_without_rounding),
        cmocka_unit_test(huge_and_tiny_points_are_located_in_proportion),
        cmocka_unit_test(slender_cones_are_projected_on_accurately),
        cmocka_unit_test(points_that_are_no_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
