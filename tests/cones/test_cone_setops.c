// Polar, intersection, sum, image and equality.
#include "support/cone_tools.h"

static sti_polycone* polar(const sti_polycone* a) {
    sti_polycone* out;
    assert_int_equal(sti_polycone_polar(a, &out), STI_OK);
    return out;
}

static sti_polycone* intersect(const sti_polycone* a, const sti_polycone* b) {
    sti_polycone* out;
    assert_int_equal(sti_polycone_intersect(a, b, &out), STI_OK);
    return out;
}

static sti_polycone* sum(const sti_polycone* a, const sti_polycone* b) {
    sti_polycone* out;
    assert_int_equal(sti_polycone_sum(a, b, &out), STI_OK);
    return out;
}

static sti_polycone* random_cone(sti_env* env, sti_rng* rng, bool exact, int d) {
    double g[10 * 6];
    const int n = sti_rng_int(rng, 0, 8), lines = n > 0 ? sti_rng_int(rng, 0, 1) : 0;
    random_integers(rng, n * d, 3, g);
    for (int i = 0; i < n; i++) g[i * d] = fabs(g[i * d]);
    return make_cone(env, exact, sti_rng_int(rng, 0, 1) != 0, d, n - lines, g, lines,
                     g + (size_t)(n - lines) * (size_t)d);
}

static void polar_of_the_polar_is_the_cone(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {1};
    for (int trial = 0; trial < 300; trial++) {
        const int d = sti_rng_int(&rng, 1, 5);
        sti_polycone* a = random_cone(env, &rng, trial % 2, d);
        sti_polycone* b = polar(a);
        sti_polycone* c = polar(b);
        assert_rows_identical(sti_polycone_rays(a), sti_polycone_inequalities(b));
        assert_rows_identical(sti_polycone_equations(a), sti_polycone_lines(b));
        assert_rows_identical(sti_polycone_rays(a), sti_polycone_rays(c));
        assert_rows_identical(sti_polycone_lines(a), sti_polycone_lines(c));
        assert_int_equal(sti_polycone_dimension(b), d - sti_polycone_lineality(a));
        assert_cones_equal(a, c);
        // and the polar made from scratch is the same
        const sti_rows F = sti_polycone_rays(a), E = sti_polycone_lines(a);
        sti_polycone* again;
        assert_int_equal(sti_polycone_create_face(env, d, &F, &E, NULL, &again), STI_OK);
        assert_cones_equal(b, again);
        sti_polycone_destroy(again);
        sti_polycone_destroy(a);
        sti_polycone_destroy(b);
        sti_polycone_destroy(c);
    }
    sti_env_destroy(env);
}

static void polar_of_an_intersection_is_the_sum_of_the_polars(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {2};
    for (int trial = 0; trial < 300; trial++) {
        const int d = sti_rng_int(&rng, 1, 5);
        const bool exact = trial % 3 != 0;
        sti_polycone *a = random_cone(env, &rng, exact, d), *b = random_cone(env, &rng, exact, d);
        sti_polycone *both = intersect(a, b), *left = polar(both);
        sti_polycone *pa = polar(a), *pb = polar(b), *right = sum(pa, pb);
        assert_cones_equal(left, right);
        if (exact) assert_true(sti_polycone_is_exact(both) && sti_polycone_is_exact(right));
        sti_polycone* other = intersect(b, a);
        assert_cones_equal(both, other);
        sti_polycone* all[] = {a, b, both, left, pa, pb, right, other};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) sti_polycone_destroy(all[i]);
    }
    sti_env_destroy(env);
}

static void intersection_and_sum_agree_with_their_members(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {4};
    for (int trial = 0; trial < 150; trial++) {
        const int d = sti_rng_int(&rng, 1, 4);
        sti_polycone *a = random_cone(env, &rng, true, d), *b = random_cone(env, &rng, true, d);
        sti_polycone *both = intersect(a, b), *either = sum(a, b);
        for (int k = 0; k < 20; k++) {
            double x[4];
            random_integers(&rng, d, 3, x);
            sti_cone_point in_a, in_b, in_both, in_sum;
            assert_int_equal(sti_polycone_locate(a, x, &in_a), STI_OK);
            assert_int_equal(sti_polycone_locate(b, x, &in_b), STI_OK);
            assert_int_equal(sti_polycone_locate(both, x, &in_both), STI_OK);
            assert_int_equal(sti_polycone_locate(either, x, &in_sum), STI_OK);
            assert_int_equal(in_both.inside, in_a.inside && in_b.inside);
            if (in_a.inside || in_b.inside) assert_true(in_sum.inside);
        }
        sti_polycone* all[] = {a, b, both, either};
        for (size_t i = 0; i < 4; i++) sti_polycone_destroy(all[i]);
    }
    sti_env_destroy(env);
}

static void the_image_is_spanned_by_the_images(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {6};
    for (int trial = 0; trial < 200; trial++) {
        const int d = sti_rng_int(&rng, 1, 5), e = sti_rng_int(&rng, 1, 5);
        const bool exact = trial % 2 == 0;
        double T[25];
        random_integers(&rng, d * e, 3, T);
        sti_polycone* a = random_cone(env, &rng, exact, d);
        const bool was_exact = sti_polycone_is_exact(a);
        const sti_rows map = floating_rows(e, d, T);
        sti_polycone* image;
        assert_int_equal(sti_polycone_image(a, &map, &image), STI_OK);
        assert_int_equal(sti_polycone_is_exact(image), was_exact);  // T holds integers
        assert_int_equal(sti_polycone_dimension_space(image), e);
        // y in the polar of T A  <=>  T'y in the polar of A
        sti_polycone* pi = polar(image);
        sti_polycone* pa = polar(a);
        for (int k = 0; k < 10; k++) {
            double y[5], x[5] = {0};
            random_integers(&rng, e, 3, y);
            for (int i = 0; i < e; i++) {
                for (int j = 0; j < d; j++) x[j] += T[i * d + j] * y[i];
            }
            sti_cone_point left, right;
            assert_int_equal(sti_polycone_locate(pi, y, &left), STI_OK);
            assert_int_equal(sti_polycone_locate(pa, x, &right), STI_OK);
            assert_int_equal(left.inside, right.inside);
        }
        sti_polycone_destroy(pi);
        sti_polycone_destroy(pa);
        sti_polycone_destroy(a);
        sti_polycone_destroy(image);
    }
    sti_env_destroy(env);
}

static void exact_maps_keep_exact_cones_exact(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_polycone* a = make_cone(env, true, true, 2, 2, (double[]){1, 0, 0, 1}, 0, NULL);
    sti_rationals* r;
    assert_int_equal(sti_rationals_create(env, 4, &r), STI_OK);
    const char* text[] = {"1/3", "0", "0", "2/7"};
    for (size_t i = 0; i < 4; i++) assert_int_equal(sti_rationals_set_text(r, i, text[i]), STI_OK);
    const double rounded[] = {1.0 / 3, 1, 0, 2.0 / 7};
    sti_rows map = {.count = 2, .dimension = 2, .exact = r};
    sti_polycone* image;
    assert_int_equal(sti_polycone_image(a, &map, &image), STI_OK);
    assert_true(sti_polycone_is_exact(image));
    assert_cones_equal(a, image);
    sti_polycone_destroy(image);
    map = floating_rows(2, 2, rounded);
    assert_int_equal(sti_polycone_image(a, &map, &image), STI_OK);
    assert_false(sti_polycone_is_exact(image));
    sti_polycone_destroy(image);
    const double zero[4] = {0};
    map = floating_rows(2, 2, zero);
    assert_int_equal(sti_polycone_image(a, &map, &image), STI_OK);
    assert_int_equal(sti_polycone_dimension(image), 0);
    sti_polycone_destroy(image);
    sti_polycone_destroy(a);
    sti_rationals_destroy(r);
    sti_env_destroy(env);
}

static void different_cones_are_not_equal(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int exact = 0; exact < 2; exact++) {
        sti_polycone* a = make_cone(env, exact, true, 2, 2, (double[]){1, 0, 0, 1}, 0, NULL);
        sti_polycone* b = make_cone(env, exact, true, 2, 2, (double[]){1, 0, 1, 1}, 0, NULL);
        sti_polycone* c = make_cone(env, exact, true, 2, 1, (double[]){0, 1}, 1, (double[]){1, 0});
        sti_polycone* d = make_cone(env, exact, true, 2, 1, (double[]){1, 0}, 1, (double[]){0, 1});
        const sti_polycone* pairs[][2] = {{a, b}, {b, a}, {a, c}, {c, a}, {c, d}};
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            bool equal = true;
            assert_int_equal(sti_polycone_equal(pairs[i][0], pairs[i][1], &equal), STI_OK);
            assert_false(equal);
        }
        sti_polycone_destroy(a);
        sti_polycone_destroy(b);
        sti_polycone_destroy(c);
        sti_polycone_destroy(d);
    }
    sti_env_destroy(env);
}

static void exact_and_floating_cones_mix_as_floating(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_polycone* a = make_cone(env, true, true, 2, 2, (double[]){1, 0, 0, 1}, 0, NULL);
    sti_polycone* b = make_cone(env, false, true, 2, 2, (double[]){-0.1, 0.3, 0.1, 0.3}, 0, NULL);
    sti_polycone* both = intersect(a, b);
    assert_false(sti_polycone_is_exact(both));
    assert_rows_are(sti_polycone_rays(both), 2, (double[]){0, 1, 1, 3}, 1e-15);
    sti_polycone_destroy(both);
    sti_polycone_destroy(a);
    sti_polycone_destroy(b);
    sti_env_destroy(env);
}

static void bad_arguments_are_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_polycone *a = make_cone(env, true, true, 2, 1, (double[]){1, 0}, 0, NULL), *out;
    sti_polycone* b = make_cone(env, true, true, 3, 1, (double[]){1, 0, 0}, 0, NULL);
    sti_polycone* c = make_cone(env, false, true, 2, 1, (double[]){1, 0}, 0, NULL);
    bool equal;
    assert_int_equal(sti_polycone_intersect(a, b, &out), STI_ERR_ARGUMENT);
    assert_null(out);
    assert_int_equal(sti_polycone_sum(a, b, &out), STI_ERR_ARGUMENT);
    assert_int_equal(sti_polycone_equal(a, b, &equal), STI_ERR_ARGUMENT);
    const double T[] = {1, 0, 0, NAN};
    sti_rows map = floating_rows(2, 2, T);
    assert_int_equal(sti_polycone_image(a, &map, &out), STI_ERR_ARGUMENT);
    assert_int_equal(sti_polycone_image(b, &map, &out), STI_ERR_ARGUMENT);
    map = floating_rows(0, 2, T);
    assert_int_equal(sti_polycone_image(a, &map, &out), STI_ERR_ARGUMENT);
    map = floating_rows(1, 2, NULL);
    assert_int_equal(sti_polycone_image(c, &map, &out), STI_ERR_ARGUMENT);
    sti_polycone_destroy(a);
    sti_polycone_destroy(b);
    sti_polycone_destroy(c);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polar_of_the_polar_is_the_cone),
        cmocka_unit_test(polar_of_an_intersection_is_the_sum_of_the_polars),
        cmocka_unit_test(intersection_and_sum_agree_with_their_members),
        cmocka_unit_test(the_image_is_spanned_by_the_images),
        cmocka_unit_test(exact_maps_keep_exact_cones_exact),
        cmocka_unit_test(different_cones_are_not_equal),
        cmocka_unit_test(exact_and_floating_cones_mix_as_floating),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
