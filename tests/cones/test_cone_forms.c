// Span form and face form: conversion, redundancy, canonical output, degenerate input.
#include "support/cone_tools.h"
#include "support/oracle.h"

// Numbers of a JSON table, row after row.
static int json_table(const cJSON* table, double* out) {
    int n = 0;
    const cJSON *row, *entry;
    cJSON_ArrayForEach(row, table) {
        cJSON_ArrayForEach(entry, row) out[n++] = cJSON_GetNumberValue(entry);
    }
    return n;
}

static void check_oracle(sti_env* env, const cJSON* rays, const cJSON* extreme, const cJSON* faces) {
    double r[64], e[64], f[64];
    const int d = cJSON_GetArraySize(cJSON_GetArrayItem(rays, 0));
    const int nr = json_table(rays, r) / d, ne = json_table(extreme, e) / d, nf = json_table(faces, f) / d;
    for (int exact = 0; exact < 2; exact++) {
        sti_polycone* cone = make_cone(env, exact, true, d, nr, r, 0, NULL);
        assert_int_equal(sti_polycone_dimension(cone), d);
        assert_true(sti_polycone_is_pointed(cone));
        assert_rows_are(sti_polycone_rays(cone), ne, e, exact ? 0 : 1e-14);
        assert_rows_are(sti_polycone_inequalities(cone), nf, f, exact ? 0 : 1e-14);
        sti_polycone_destroy(cone);
        cone = make_cone(env, exact, false, d, nf, f, 0, NULL);
        assert_rows_are(sti_polycone_rays(cone), ne, e, exact ? 0 : 1e-14);
        sti_polycone_destroy(cone);
    }
}

static void reference_wrench_cones_in_both_forms(void** state) {
    (void)state;
    cJSON* root = oracle_open("papers");
    if (root == NULL) skip();
    sti_env* env = open_env();
    int seen = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strcmp(oracle_id(item), "S2-01") == 0) {
            const cJSON* g = oracle_get(item, "expected", "generators_primitive_integer");
            check_oracle(env, g, g, oracle_get(item, "expected", "faces_primitive_integer"));
            seen++;
        } else if (strcmp(oracle_id(item), "S2-19") == 0) {
            check_oracle(env, oracle_get(item, "inputs", "generators_as_rows"),
                         oracle_get(item, "expected", "extreme_rays"), oracle_get(item, "expected", "faces"));
            seen++;
        }
    }
    assert_int_equal(seen, 2);
    cJSON_Delete(root);
    sti_env_destroy(env);
}

// S2 figure 2, from the mechanics: mode "la" of the disc. The generators as computed are scaled and rounded.
static void disc_wrench_cone_from_scaled_generators(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double mu = 0.4, g[9] = {1e-7, -mu * 1e-7, -mu * 1e-7, 0, -2e5, 1e5, 0, 0, -3};
    sti_polycone* cone = make_cone(env, false, true, 3, 3, g, 0, NULL);
    assert_rows_are(sti_polycone_inequalities(cone), 3, (double[]){6, 5, 10, 2, 5, 0, -1, 0, 0}, 1e-14);
    sti_polycone_destroy(cone);
    sti_env_destroy(env);
}

static int64_t binomial(int n, int k) {
    int64_t r = 1;
    for (int i = 1; i <= k; i++) r = r * (n - k + i) / i;
    return r;
}

// Facets of the cyclic polytope with n vertices in dimension p (Gale).
static int64_t cyclic_facets(int n, int p) {
    const int h = p / 2;
    if (p % 2 == 0) return binomial(n - h, h) * n / (n - h);
    return 2 * binomial(n - h - 1, h);
}

static void check_counts(sti_env* env, int d, int n, const double* g, int64_t facets) {
    for (int exact = 0; exact < 2; exact++) {
        sti_polycone* cone = make_cone(env, exact, true, d, n, g, 0, NULL);
        assert_int_equal(sti_polycone_rays(cone).count, n);
        assert_int_equal(sti_polycone_inequalities(cone).count, facets);
        assert_int_equal(sti_polycone_equations(cone).count + sti_polycone_lines(cone).count, 0);
        sti_polycone_destroy(cone);
    }
}

static void cones_over_cyclic_polytopes_have_the_known_facets(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int d = 3; d <= 7; d++) {
        const int n = d + 6;
        double g[16 * 7];
        for (int i = 0; i < n; i++) {
            double power = 1;
            for (int j = 0; j < d; j++, power *= (double)(i - n / 2) / 4) g[i * d + j] = power;
        }
        check_counts(env, d, n, g, cyclic_facets(n, d - 1));
    }
    sti_env_destroy(env);
}

static void cones_over_cubes_and_cross_polytopes_have_the_known_facets(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int d = 3; d <= 7; d++) {
        double g[64 * 7] = {0};
        for (int i = 0; i < 1 << (d - 1); i++) {
            for (int j = 0; j < d - 1; j++) g[i * d + j] = (i >> j & 1) != 0 ? 1 : -1;
            g[i * d + d - 1] = 1;
        }
        check_counts(env, d, 1 << (d - 1), g, 2 * (d - 1));
        memset(g, 0, sizeof g);
        for (int i = 0; i < 2 * (d - 1); i++) {
            g[i * d + i / 2] = i % 2 == 0 ? 1 : -1;
            g[i * d + d - 1] = 1;
        }
        check_counts(env, d, 2 * (d - 1), g, 1 << (d - 1));
    }
    sti_env_destroy(env);
}

static void friction_pyramids_have_as_many_facets_as_sides(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double mu = 0.3;
    for (int sides = 3; sides <= 16; sides++) {
        double g[17 * 3];
        for (int i = 0; i < sides; i++) {
            g[3 * i] = mu * cos(2 * M_PI * i / sides);
            g[3 * i + 1] = mu * sin(2 * M_PI * i / sides);
            g[3 * i + 2] = 1;
        }
        memcpy(g + 3 * (size_t)sides, (double[]){0, 0, 1}, 3 * sizeof(double));  // the normal is redundant
        sti_polycone* cone = make_cone(env, false, true, 3, sides + 1, g, 0, NULL);
        assert_int_equal(sti_polycone_rays(cone).count, sides);
        const sti_rows F = sti_polycone_inequalities(cone);
        assert_int_equal(F.count, sides);
        // every facet normal makes the angle of the inscribed cone with the axis
        for (int i = 0; i < sides; i++) {
            const double* f = F.value + 3 * (size_t)i;
            assert_true(fabs(-f[2] / hypot(f[0], f[1]) - mu * cos(M_PI / sides)) < 1e-14);
        }
        sti_polycone_destroy(cone);
    }
    sti_env_destroy(env);
}

// Rays with some structure: many ties, lines, low dimension.
static int random_cone(sti_rng* rng, int d, double* g) {
    const int n = sti_rng_int(rng, 0, 2 * d + 3), size = sti_rng_int(rng, 1, 4), hull = sti_rng_int(rng, 1, d);
    const bool lifted = sti_rng_int(rng, 0, 2) > 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < d; j++) g[i * d + j] = j < hull ? sti_rng_int(rng, -size, size) : g[i * d + j % hull];
        if (lifted) g[i * d] = sti_rng_int(rng, 1, size);
        if (i > 1 && sti_rng_int(rng, 0, 4) == 0) {  // on an edge between two others
            for (int j = 0; j < d; j++) g[i * d + j] = g[(i - 1) * d + j] + 2 * g[(i - 2) * d + j];
        }
    }
    return n;
}

static void check_structure(const sti_polycone* cone) {
    const sti_rows R = sti_polycone_rays(cone), L = sti_polycone_lines(cone);
    const sti_rows F = sti_polycone_inequalities(cone), E = sti_polycone_equations(cone);
    const int d = R.dimension, dim = sti_polycone_dimension(cone), lin = sti_polycone_lineality(cone);
    assert_int_equal(dim, d - E.count);
    assert_int_equal(lin, L.count);
    assert_int_equal(sti_polycone_is_pointed(cone), lin == 0);
    assert_true(R.count >= dim - lin && F.count >= dim - lin);
    for (int r = 0; r < R.count; r++) {
        const double* ray = R.value + (size_t)r * (size_t)d;
        int on = 0;
        for (int i = 0; i < F.count; i++) {
            const double v = row_dot(F.value + (size_t)i * (size_t)d, ray, d);
            assert_true(v <= 1e-9);
            on += fabs(v) <= 1e-9;
        }
        assert_true(on >= dim - lin - 1 && (on < F.count || F.count == 0));
        for (int i = 0; i < E.count; i++) assert_true(fabs(row_dot(E.value + (size_t)i * (size_t)d, ray, d)) <= 1e-9);
        for (int i = 0; i < L.count; i++) assert_true(fabs(row_dot(L.value + (size_t)i * (size_t)d, ray, d)) <= 1e-9);
    }
    for (int i = 0; i < F.count; i++) {
        for (int k = 0; k < E.count; k++)
            assert_true(fabs(row_dot(F.value + (size_t)i * (size_t)d, E.value + (size_t)k * (size_t)d, d)) <= 1e-9);
    }
}

static void span_to_face_and_back_is_the_identity(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {2024};
    for (int trial = 0; trial < 1000; trial++) {
        const int d = sti_rng_int(&rng, 1, 6);
        double g[16 * 6];
        const int n = random_cone(&rng, d, g), lines = n > 2 && trial % 5 == 0 ? 1 : 0;
        sti_polycone* cone = make_cone(env, true, true, d, n - lines, g, lines, g + (size_t)(n - lines) * (size_t)d);
        check_structure(cone);
        const sti_rows F = sti_polycone_inequalities(cone), E = sti_polycone_equations(cone);
        sti_polycone* back;
        assert_int_equal(sti_polycone_create_face(env, d, &F, &E, NULL, &back), STI_OK);
        assert_true(sti_polycone_is_exact(back));
        assert_rows_identical(sti_polycone_rays(cone), sti_polycone_rays(back));
        assert_rows_identical(sti_polycone_lines(cone), sti_polycone_lines(back));
        assert_rows_identical(F, sti_polycone_inequalities(back));
        assert_rows_identical(E, sti_polycone_equations(back));
        sti_polycone_destroy(cone);
        sti_polycone_destroy(back);
    }
    sti_env_destroy(env);
}

static void floating_agrees_with_exact(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {77};
    for (int trial = 0; trial < 1000; trial++) {
        const int d = sti_rng_int(&rng, 1, 6);
        double g[16 * 6];
        const int n = random_cone(&rng, d, g);
        sti_polycone* exact = make_cone(env, true, trial % 2 == 0, d, n, g, 0, NULL);
        // scaling rows by what is not a power of two makes every number inexact
        for (int i = 0; i < n; i++) {
            const double s = pow(10, sti_rng_int(&rng, -6, 6)) * (0.1 + sti_rng_u01(&rng));
            for (int j = 0; j < d; j++) g[i * d + j] *= s;
        }
        sti_polycone* floating = make_cone(env, false, trial % 2 == 0, d, n, g, 0, NULL);
        assert_int_equal(sti_polycone_is_exact(floating), n == 0);  // no data: nothing was rounded
        assert_int_equal(sti_polycone_lineality(exact), sti_polycone_lineality(floating));
        assert_int_equal(sti_polycone_dimension(exact), sti_polycone_dimension(floating));
        assert_rows_are(sti_polycone_rays(floating), sti_polycone_rays(exact).count, sti_polycone_rays(exact).value,
                        1e-13);
        assert_rows_are(sti_polycone_inequalities(floating), sti_polycone_inequalities(exact).count,
                        sti_polycone_inequalities(exact).value, 1e-13);
        check_structure(floating);
        assert_cones_equal(exact, floating);
        sti_polycone_destroy(exact);
        sti_polycone_destroy(floating);
    }
    sti_env_destroy(env);
}

static void order_and_scale_of_rows_do_not_matter(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {5};
    for (int trial = 0; trial < 200; trial++) {
        const int d = sti_rng_int(&rng, 2, 5);
        double g[16 * 6], h[16 * 6];
        const int n = random_cone(&rng, d, g);
        for (int i = 0; i < n; i++) {
            const int to = (i + 3) % n;  // a rotation, and powers of two so that floating rows stay the same directions
            const double s = ldexp(1, sti_rng_int(&rng, -20, 20));
            for (int j = 0; j < d; j++) h[to * d + j] = s * g[i * d + j];
        }
        sti_polycone* a = make_cone(env, trial % 2, true, d, n, g, 0, NULL);
        sti_polycone* b = make_cone(env, trial % 2, true, d, n, h, 0, NULL);
        assert_rows_identical(sti_polycone_rays(a), sti_polycone_rays(b));
        assert_rows_identical(sti_polycone_lines(a), sti_polycone_lines(b));
        assert_rows_identical(sti_polycone_inequalities(a), sti_polycone_inequalities(b));
        assert_rows_identical(sti_polycone_equations(a), sti_polycone_equations(b));
        sti_polycone_destroy(a);
        sti_polycone_destroy(b);
    }
    sti_env_destroy(env);
}

// A rotation of space rotates the cone.
static void rotated_data_give_the_rotated_cone(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double c = 0.6, s = 0.8, Q[9] = {c, -s * c, s * s, s, c * c, -c * s, 0, s, c};  // product of two turns
    sti_rng rng = {19};
    for (int trial = 0; trial < 200; trial++) {
        double g[16 * 6], h[16 * 6];
        const int n = random_cone(&rng, 3, g);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 3; j++) h[3 * i + j] = row_dot(Q + 3 * (size_t)j, g + 3 * (size_t)i, 3);
        }
        sti_polycone* a = make_cone(env, false, true, 3, n, g, 0, NULL);
        sti_polycone* b = make_cone(env, false, true, 3, n, h, 0, NULL);
        const sti_rows T = floating_rows(3, 3, Q);
        sti_polycone* image;
        assert_int_equal(sti_polycone_image(a, &T, &image), STI_OK);
        assert_cones_equal(image, b);
        assert_int_equal(sti_polycone_rays(a).count, sti_polycone_rays(b).count);
        assert_int_equal(sti_polycone_inequalities(a).count, sti_polycone_inequalities(b).count);
        sti_polycone_destroy(a);
        sti_polycone_destroy(b);
        sti_polycone_destroy(image);
    }
    sti_env_destroy(env);
}

static void noise_below_the_tolerance_does_not_split_facets(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {8};
    for (int trial = 0; trial < 50; trial++) {
        double g[16 * 5];
        for (int i = 0; i < 16; i++) {
            for (int j = 0; j < 5; j++)
                g[i * 5 + j] = (j == 4 || (i >> j & 1) != 0 ? 1 : -1) + 1e-11 * (2 * sti_rng_u01(&rng) - 1);
        }
        sti_polycone* cone = make_cone(env, false, true, 5, 16, g, 0, NULL);
        assert_int_equal(sti_polycone_inequalities(cone).count, 8);
        assert_int_equal(sti_polycone_rays(cone).count, 16);
        sti_polycone_destroy(cone);
    }
    sti_env_destroy(env);
}

// At the tolerance itself the answer may be either, or a refusal; never a cone that contradicts its data.
static void noise_at_the_tolerance_is_decided_or_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {21};
    int refused = 0;
    for (int trial = 0; trial < 400; trial++) {
        double g[20 * 5];
        for (int i = 0; i < 20; i++) {
            for (int j = 0; j < 5; j++)
                g[i * 5 + j] = sti_rng_int(&rng, j == 4 ? 0 : -1, 1) + 3e-9 * (2 * sti_rng_u01(&rng) - 1);
        }
        const sti_rows rays = floating_rows(20, 5, g);
        sti_polycone* cone;
        const sti_status status = sti_polycone_create_span(env, 5, &rays, NULL, NULL, &cone);
        if (status != STI_OK) {
            assert_int_equal(status, STI_ERR_INPUT);
            assert_null(cone);
            refused++;
            continue;
        }
        const sti_rows F = sti_polycone_inequalities(cone);
        for (int i = 0; i < 20; i++) {
            const double size = sqrt(row_dot(g + 5 * (size_t)i, g + 5 * (size_t)i, 5));
            for (int f = 0; f < F.count; f++)
                assert_true(row_dot(F.value + 5 * (size_t)f, g + 5 * (size_t)i, 5) <= 1e-7 * size);
        }
        sti_polycone_destroy(cone);
    }
    assert_true(refused < 200);
    sti_env_destroy(env);
}

static void check_table_counts(const sti_polycone* cone, int rays, int lines, int inequalities, int equations) {
    assert_int_equal(sti_polycone_rays(cone).count, rays);
    assert_int_equal(sti_polycone_lines(cone).count, lines);
    assert_int_equal(sti_polycone_inequalities(cone).count, inequalities);
    assert_int_equal(sti_polycone_equations(cone).count, equations);
}

static void empty_tables_are_the_origin_and_the_whole_space(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int d = 1; d <= 3; d++) {
        sti_polycone* cone;
        assert_int_equal(sti_polycone_create_span(env, d, NULL, NULL, NULL, &cone), STI_OK);
        assert_true(sti_polycone_is_exact(cone));
        assert_true(sti_polycone_is_pointed(cone));
        check_table_counts(cone, 0, 0, 0, d);
        sti_polycone_destroy(cone);
        assert_int_equal(sti_polycone_create_face(env, d, NULL, NULL, NULL, &cone), STI_OK);
        check_table_counts(cone, 0, d, 0, 0);
        assert_int_equal(sti_polycone_dimension(cone), d);
        sti_polycone_destroy(cone);
    }
    sti_env_destroy(env);
}

static void zero_rays_and_duplicates_are_dropped(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double g[] = {0, 0, 1, 2, 2, 4, 0, 0, 0.5, 1, 3, 1};
    for (int exact = 0; exact < 2; exact++) {
        sti_polycone* cone = make_cone(env, exact, true, 2, 6, g, 2, (double[]){0, 0, 0, 0});
        check_table_counts(cone, 2, 0, 2, 0);
        sti_polycone_destroy(cone);
        cone = make_cone(env, exact, true, 2, 1, g, 0, NULL);  // only a zero ray
        check_table_counts(cone, 0, 0, 0, 2);
        sti_polycone_destroy(cone);
    }
    sti_env_destroy(env);
}

static void the_four_cones_of_the_line(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int exact = 0; exact < 2; exact++) {
        sti_polycone* cone = make_cone(env, exact, true, 1, 2, (double[]){2, 7}, 0, NULL);
        check_table_counts(cone, 1, 0, 1, 0);
        assert_true(sti_polycone_rays(cone).value[0] == 1 && sti_polycone_inequalities(cone).value[0] == -1);
        sti_polycone_destroy(cone);
        cone = make_cone(env, exact, true, 1, 2, (double[]){2, -7}, 0, NULL);
        check_table_counts(cone, 0, 1, 0, 0);
        sti_polycone_destroy(cone);
        cone = make_cone(env, exact, false, 1, 2, (double[]){2, -7}, 0, NULL);
        check_table_counts(cone, 0, 0, 0, 1);
        sti_polycone_destroy(cone);
    }
    sti_env_destroy(env);
}

static void opposite_rays_become_lines(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double g[] = {1, 0, 0, -2, 0, 0, 0, 1, 0, 1, 1, 0};
    for (int exact = 0; exact < 2; exact++) {
        sti_polycone* cone = make_cone(env, exact, true, 3, 4, g, 0, NULL);
        check_table_counts(cone, 1, 1, 1, 1);
        assert_int_equal(sti_polycone_lineality(cone), 1);
        assert_int_equal(sti_polycone_dimension(cone), 2);
        assert_false(sti_polycone_is_pointed(cone));
        assert_rows_are(sti_polycone_rays(cone), 1, (double[]){0, 1, 0}, 0);
        assert_rows_are(sti_polycone_lines(cone), 1, (double[]){1, 0, 0}, 0);
        assert_rows_are(sti_polycone_inequalities(cone), 1, (double[]){0, -1, 0}, 0);
        assert_rows_are(sti_polycone_equations(cone), 1, (double[]){0, 0, 1}, 0);
        sti_polycone_destroy(cone);
    }
    sti_env_destroy(env);
}

static void huge_and_tiny_rows_are_directions_all_the_same(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double g[] = {1e308, 1e308, 0, 1e-308, 0, 1e-308, 0, 5e-324, 5e-324};
    const double expected[] = {1, 1, 0, 1, 0, 1, 0, 1, 1};
    for (int exact = 0; exact < 2; exact++) {
        sti_polycone* cone = make_cone(env, exact, true, 3, 3, g, 0, NULL);
        assert_rows_are(sti_polycone_rays(cone), 3, expected, 1e-14);
        assert_rows_are(sti_polycone_inequalities(cone), 3, (double[]){-1, 1, -1, -1, -1, 1, 1, -1, -1}, 1e-14);
        sti_polycone_destroy(cone);
    }
    // exact rows beyond the range of doubles are shown scaled, never infinite
    const double wide[] = {1e300, 1e-300, 1, 1};
    sti_polycone* cone = make_cone(env, true, true, 2, 2, wide, 0, NULL);
    const sti_rows F = sti_polycone_inequalities(cone);
    for (int i = 0; i < 4; i++) assert_true(isfinite(F.value[i]));
    assert_int_equal(F.count, 2);
    sti_polycone_destroy(cone);
    sti_env_destroy(env);
}

static void fractions_are_cleared_to_primitive_integers(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rationals* r;
    assert_int_equal(sti_rationals_create(env, 4, &r), STI_OK);
    const char* text[] = {"2/3", "1/2", "-0.4", "1e-1"};
    for (size_t i = 0; i < 4; i++) assert_int_equal(sti_rationals_set_text(r, i, text[i]), STI_OK);
    const sti_rows rays = {.count = 2, .dimension = 2, .exact = r};  // no floating values at all
    sti_polycone* cone;
    assert_int_equal(sti_polycone_create_span(env, 2, &rays, NULL, NULL, &cone), STI_OK);
    assert_rows_identical(sti_polycone_rays(cone), floating_rows(2, 2, (double[]){-4, 1, 4, 3}));
    assert_rows_identical(sti_polycone_inequalities(cone), floating_rows(2, 2, (double[]){-1, -4, 3, -4}));
    assert_int_equal(sti_rationals_count(sti_polycone_rays(cone).exact), 4);
    sti_polycone_destroy(cone);
    sti_rationals_destroy(r);
    sti_env_destroy(env);
}

static void bad_arguments_are_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_polycone* cone = (sti_polycone*)1;
    const double bad[] = {1, 2, NAN, 3, 1, INFINITY};
    sti_rows rows = floating_rows(2, 2, bad);
    assert_int_equal(sti_polycone_create_span(env, 0, NULL, NULL, NULL, &cone), STI_ERR_ARGUMENT);
    assert_null(cone);
    assert_int_equal(sti_polycone_create_face(env, -3, NULL, NULL, NULL, &cone), STI_ERR_ARGUMENT);
    assert_int_equal(sti_polycone_create_span(env, 2, &rows, NULL, NULL, &cone), STI_ERR_ARGUMENT);
    assert_int_equal(sti_env_error(env)->index, 1);
    assert_int_equal(sti_polycone_create_face(env, 2, NULL, &rows, NULL, &cone), STI_ERR_ARGUMENT);
    rows = floating_rows(1, 2, bad + 4);
    assert_int_equal(sti_polycone_create_face(env, 2, &rows, NULL, NULL, &cone), STI_ERR_ARGUMENT);
    rows = floating_rows(1, 2, bad);
    assert_int_equal(sti_polycone_create_span(env, 3, &rows, NULL, NULL, &cone), STI_ERR_ARGUMENT);
    rows.value = NULL;
    assert_int_equal(sti_polycone_create_span(env, 2, &rows, NULL, NULL, &cone), STI_ERR_ARGUMENT);
    rows = floating_rows(-1, 2, bad);
    assert_int_equal(sti_polycone_create_span(env, 2, &rows, NULL, NULL, &cone), STI_ERR_ARGUMENT);
    const sti_polycone_options no_tol = {.tol = NAN, .max_rays = 5}, no_rays = {.tol = 1e-9, .max_rays = 0};
    assert_int_equal(sti_polycone_create_span(env, 2, NULL, NULL, &no_tol, &cone), STI_ERR_ARGUMENT);
    assert_int_equal(sti_polycone_create_span(env, 2, NULL, NULL, &no_rays, &cone), STI_ERR_ARGUMENT);
    sti_env_destroy(env);
}

static void too_many_rays_are_said_so(void** state) {
    (void)state;
    sti_env* env = open_env();
    double g[14 * 7];
    for (int i = 0; i < 14; i++) {
        double power = 1;
        for (int j = 0; j < 7; j++, power *= (i - 7) / 4.0) g[i * 7 + j] = power;
    }
    const sti_rows rays = floating_rows(14, 7, g);
    sti_polycone_options options = sti_polycone_options_default();
    options.max_rays = 100;
    sti_polycone* cone;
    assert_int_equal(sti_polycone_create_span(env, 7, &rays, NULL, &options, &cone), STI_ERR_SIZE);
    assert_null(cone);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_wrench_cones_in_both_forms),
        cmocka_unit_test(disc_wrench_cone_from_scaled_generators),
        cmocka_unit_test(cones_over_cyclic_polytopes_have_the_known_facets),
        cmocka_unit_test(cones_over_cubes_and_cross_polytopes_have_the_known_facets),
        cmocka_unit_test(friction_pyramids_have_as_many_facets_as_sides),
        cmocka_unit_test(span_to_face_and_back_is_the_identity),
        cmocka_unit_test(floating_agrees_with_exact),
        cmocka_unit_test(order_and_scale_of_rows_do_not_matter),
        cmocka_unit_test(rotated_data_give_the_rotated_cone),
        cmocka_unit_test(noise_below_the_tolerance_does_not_split_facets),
        cmocka_unit_test(noise_at_the_tolerance_is_decided_or_refused),
        cmocka_unit_test(empty_tables_are_the_origin_and_the_whole_space),
        cmocka_unit_test(zero_rays_and_duplicates_are_dropped),
        cmocka_unit_test(the_four_cones_of_the_line),
        cmocka_unit_test(opposite_rays_become_lines),
        cmocka_unit_test(huge_and_tiny_rows_are_directions_all_the_same),
        cmocka_unit_test(fractions_are_cleared_to_primitive_integers),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(too_many_rays_are_said_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
