// Pointedness of given generators: margin, witness, dependent lines.
#include "support/cone_tools.h"
#include "support/oracle.h"

// Generators of a friction cone: n and n + mu d_i for each contact; lines: the joints.
typedef struct generators {
    int d, ray_count, line_count;
    double rays[16 * 4], lines[4 * 4];
} generators;

static void push_ray(generators* g, const double* n, double mu, const double* t) {
    for (int j = 0; j < g->d; j++) g->rays[g->ray_count * g->d + j] = n[j] + (t != NULL ? mu * t[j] : 0);
    g->ray_count++;
}

static void json_row(const cJSON* row, double* out) {
    int n = 0;
    const cJSON* entry;
    cJSON_ArrayForEach(entry, row) out[n++] = cJSON_GetNumberValue(entry);
}

static void read_case(const cJSON* item, generators* g) {
    const cJSON *normals = oracle_get(item, "inputs", "n"), *D = oracle_get(item, "inputs", "D"), *direction, *line;
    *g = (generators){.d = cJSON_GetArraySize(cJSON_GetArrayItem(normals, 0))};
    for (int i = 0; i < cJSON_GetArraySize(normals); i++) {
        double n[4], t[4];
        json_row(cJSON_GetArrayItem(normals, i), n);
        push_ray(g, n, 0, NULL);
        cJSON_ArrayForEach(direction, cJSON_GetArrayItem(D, i)) {
            json_row(direction, t);
            push_ray(g, n, cJSON_GetNumberValue(cJSON_GetArrayItem(oracle_get(item, "inputs", "mu"), i)), t);
        }
    }
    cJSON_ArrayForEach(line, oracle_get(item, "inputs", "nu"))
        json_row(line, g->lines + (size_t)(g->line_count++ * g->d));
}

// The answer stands by itself: x attains the margin in the box, or c is a nonnegative combination that vanishes.
static void check_answer(const generators* g, const sti_pointedness* p, double tol) {
    const int d = g->d;
    if (p->pointed) {
        double least = INFINITY;
        for (int j = 0; j < d; j++) assert_true(fabs(p->x[j]) <= 1);
        for (int i = 0; i < g->ray_count; i++) least = fmin(least, row_dot(g->rays + (size_t)(i * d), p->x, d));
        if (g->ray_count > 0) assert_true(fabs(least - p->margin) <= 1e-12 * fmax(1, p->margin) && p->margin > 0);
        for (int i = 0; i < g->line_count; i++)
            assert_true(fabs(row_dot(g->lines + (size_t)(i * d), p->x, d)) <= 1e-12);
        assert_null(p->c);
        return;
    }
    double sum[4] = {0}, total = 0, size = 0;
    for (int i = 0; i < g->ray_count + g->line_count; i++) {
        const double* row = i < g->ray_count ? g->rays + (size_t)(i * d) : g->lines + (size_t)((i - g->ray_count) * d);
        for (int j = 0; j < d; j++) {
            sum[j] += p->c[i] * row[j];
            size = fmax(size, fabs(p->c[i] * row[j]));
        }
        if (i < g->ray_count) {
            assert_true(p->c[i] >= 0);
            total += p->c[i];
        }
    }
    assert_true(fabs(total - 1) < 1e-12 || total == 0);
    for (int j = 0; j < d; j++) assert_true(fabs(sum[j]) <= tol * fmax(size, 1e-300) + (size == 0 ? 0 : 1e-15 * size));
    assert_true(p->margin == 0);
    assert_null(p->x);
}

static sti_pointedness ask(sti_env* env, const generators* g, bool exact, double tol) {
    sti_rationals *r = NULL, *l = NULL;
    const sti_rows rays =
        exact ? exact_rows(env, g->ray_count, g->d, g->rays, &r) : floating_rows(g->ray_count, g->d, g->rays);
    const sti_rows lines =
        exact ? exact_rows(env, g->line_count, g->d, g->lines, &l) : floating_rows(g->line_count, g->d, g->lines);
    sti_pointedness p;
    assert_int_equal(sti_rows_pointedness(env, g->d, &rays, &lines, NULL, &p), STI_OK);
    check_answer(g, &p, tol);
    assert_int_equal(p.c_exact != NULL, exact && !p.pointed);
    sti_rationals_destroy(r);
    sti_rationals_destroy(l);
    return p;
}

static void check_case(sti_env* env, const generators* g, bool pointed, double margin) {
    sti_pointedness p = ask(env, g, false, 1e-9);
    assert_int_equal(p.pointed, pointed);
    assert_true(fabs(p.margin - margin) <= 1e-8 * fmax(1, margin));
    sti_pointedness_clear(env, &p);
}

static void check_probes(sti_env* env, const cJSON* item) {
    const cJSON* row;
    cJSON_ArrayForEach(row, oracle_get(item, "expected", "rows")) {
        const double L = cJSON_GetNumberValue(cJSON_GetObjectItem(row, "L_w"));
        const double v = cJSON_GetNumberValue(cJSON_GetObjectItem(row, "d_v"));
        const double mu = cJSON_GetNumberValue(cJSON_GetObjectItem(row, "mu"));
        const double n[2][3] = {{0, -1, -v}, {0, 1, -v}}, t[2][3] = {{1, 0, -L}, {1, 0, L}};
        generators g = {.d = 3};
        for (int i = 0; i < 2; i++) {
            push_ray(&g, n[i], 0, NULL);
            push_ray(&g, n[i], mu, t[i]);
            push_ray(&g, n[i], -mu, t[i]);
        }
        check_case(env, &g, cJSON_IsTrue(cJSON_GetObjectItem(row, "pointed")),
                   cJSON_GetNumberValue(cJSON_GetObjectItem(row, "margin")));
    }
}

// CON-20: the tangents of a 3- or 4-sided pyramid cancel; with the normal they are pointed.
static void check_pyramids(sti_env* env) {
    for (int sides = 3; sides <= 4; sides++) {
        generators flat = {.d = 3}, raised = {.d = 3};
        for (int s = 0; s < sides; s++) {
            const double t[3] = {cos(2 * M_PI * s / sides), sin(2 * M_PI * s / sides), 0}, n[3] = {0, 0, 1};
            push_ray(&flat, t, 0, NULL);
            push_ray(&raised, n, 0.3, t);
        }
        check_case(env, &flat, false, 0);
        check_case(env, &raised, true, 1);
    }
}

static void reference_friction_cones(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    sti_env* env = open_env();
    int seen = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        const char* id = oracle_id(item);
        if (id == NULL || strncmp(id, "CON-", 4) != 0) continue;
        generators g;
        const cJSON* margin = oracle_get(item, "expected", "certificate_margin");
        if (strcmp(id, "CON-15") == 0 || strcmp(id, "CON-16") == 0) {
            check_probes(env, item);
        } else if (strcmp(id, "CON-20") == 0) {
            check_pyramids(env);
        } else if (margin != NULL) {
            read_case(item, &g);
            check_case(env, &g, cJSON_IsTrue(oracle_get(item, "expected", "pointed")), cJSON_GetNumberValue(margin));
        } else if (strcmp(id, "CON-17") == 0) {
            read_case(item, &g);
            sti_pointedness p = ask(env, &g, false, 1e-9);
            assert_int_equal(p.pointed, cJSON_IsTrue(oracle_get(item, "expected", "total_pointed")));
            sti_pointedness_clear(env, &p);
        } else {
            continue;
        }
        seen++;
    }
    assert_true(seen >= 11);
    cJSON_Delete(root);
    sti_env_destroy(env);
}

static generators groove(double mu) {
    generators g = {.d = 2};
    const double n[2][2] = {{0.8, 0.6}, {-0.8, 0.6}}, t[2][2] = {{0.6, -0.8}, {0.6, 0.8}};
    for (int i = 0; i < 2; i++) {
        push_ray(&g, n[i], 0, NULL);
        push_ray(&g, n[i], mu, t[i]);
        push_ray(&g, n[i], -mu, t[i]);
    }
    return g;
}

// Pointed iff mu < 3/4. At 3/4 the doubles are pointed or not by rounding; the tolerance says not.
static void groove_at_critical_friction_is_not_pointed(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double mu[] = {0.749999, 0.75, 0.75 - 1e-11, 0.750001};
    for (int i = 0; i < 4; i++) {
        const generators g = groove(mu[i]);
        sti_pointedness p = ask(env, &g, false, 1e-9);
        assert_int_equal(p.pointed, i == 0);
        sti_pointedness_clear(env, &p);
    }
    sti_env_destroy(env);
}

// The outer edges n + mu t of the groove with normals (4/5, 3/5), (-4/5, 3/5), at mu = 3/4 and 1e-20 below it.
static void exact_fractions_are_decided_at_the_boundary(void** state) {
    (void)state;
    sti_env* env = open_env();
    const char* edges[2][4] = {{"5/4", "0", "-5/4", "0"}, {"5/4", "8e-21", "-5/4", "8e-21"}};
    for (int below = 0; below < 2; below++) {
        sti_rationals* r;
        assert_int_equal(sti_rationals_create(env, 4, &r), STI_OK);
        for (size_t i = 0; i < 4; i++) assert_int_equal(sti_rationals_set_text(r, i, edges[below][i]), STI_OK);
        const sti_rows rays = {.count = 2, .dimension = 2, .exact = r};
        sti_pointedness p;
        assert_int_equal(sti_rows_pointedness(env, 2, &rays, NULL, NULL, &p), STI_OK);
        assert_int_equal(p.pointed, below == 1);
        if (below == 1)
            assert_true(p.margin == 8e-21);
        else
            assert_true(p.c[0] == 0.5 && p.c[1] == 0.5 && sti_rationals_double(p.c_exact, 0) == 0.5);
        sti_pointedness_clear(env, &p);
        sti_rationals_destroy(r);
    }
    sti_env_destroy(env);
}

static void dependent_lines_are_not_pointed_and_show_the_dependence(void** state) {
    (void)state;
    sti_env* env = open_env();
    generators g = {.d = 3, .ray_count = 1, .line_count = 3};
    memcpy(g.rays, (double[]){0, 0, 1}, 3 * sizeof(double));
    memcpy(g.lines, (double[]){1, 2, 0, 0, 1, 0, 2, 1, 0}, 9 * sizeof(double));
    for (int exact = 0; exact < 2; exact++) {
        sti_pointedness p = ask(env, &g, exact, 1e-9);
        assert_false(p.pointed);
        assert_true(p.c[0] == 0 && p.c[3] != 0);
        sti_pointedness_clear(env, &p);
    }
    g.line_count = 2;
    sti_pointedness p = ask(env, &g, true, 0);
    assert_true(p.pointed && p.margin == 1);
    sti_pointedness_clear(env, &p);
    memset(g.lines, 0, 3 * sizeof(double));  // a line that is zero depends on nothing else
    for (int exact = 0; exact < 2; exact++) {
        p = ask(env, &g, exact, 1e-9);
        assert_false(p.pointed);
        assert_true(p.c[1] != 0 && p.c[2] == 0);
        sti_pointedness_clear(env, &p);
    }
    sti_env_destroy(env);
}

static void no_rays_have_no_bound_and_a_zero_ray_is_not_pointed(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_pointedness p;
    assert_int_equal(sti_rows_pointedness(env, 3, NULL, NULL, NULL, &p), STI_OK);
    assert_true(p.pointed && p.margin == INFINITY);
    sti_pointedness_clear(env, &p);
    generators g = {.d = 2, .ray_count = 2};
    memcpy(g.rays, (double[]){1, 0, 0, 0}, 4 * sizeof(double));
    for (int exact = 0; exact < 2; exact++) {
        p = ask(env, &g, exact, 1e-9);
        assert_true(!p.pointed && p.c[0] == 0 && p.c[1] == 1);
        sti_pointedness_clear(env, &p);
    }
    sti_env_destroy(env);
}

static void scale_of_rays_does_not_change_the_decision(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {51};
    int pointed = 0;
    for (int trial = 0; trial < 300; trial++) {
        generators g = {
            .d = sti_rng_int(&rng, 1, 4), .ray_count = sti_rng_int(&rng, 1, 6), .line_count = sti_rng_int(&rng, 0, 1)};
        random_integers(&rng, g.ray_count * g.d, 2, g.rays);
        random_integers(&rng, g.line_count * g.d, 2, g.lines);
        sti_pointedness exact = ask(env, &g, true, 0), floating = ask(env, &g, false, 1e-9);
        assert_int_equal(exact.pointed, floating.pointed);
        assert_true(fabs(exact.margin - floating.margin) <= 1e-15);
        pointed += exact.pointed;
        for (int i = 0; i < g.ray_count; i++) {
            const double s = pow(10, sti_rng_int(&rng, -200, 200));
            for (int j = 0; j < g.d; j++) g.rays[i * g.d + j] *= s;
        }
        const sti_rows rays = floating_rows(g.ray_count, g.d, g.rays),
                       lines = floating_rows(g.line_count, g.d, g.lines);
        sti_pointedness scaled;
        assert_int_equal(sti_rows_pointedness(env, g.d, &rays, &lines, NULL, &scaled), STI_OK);
        assert_int_equal(exact.pointed, scaled.pointed);
        sti_pointedness_clear(env, &exact);
        sti_pointedness_clear(env, &floating);
        sti_pointedness_clear(env, &scaled);
    }
    assert_in_range(pointed, 50, 250);
    sti_env_destroy(env);
}

// With independent lines and no zero rays: pointed as generators exactly when the lines are the whole lineality space
// and no ray lies in it.
static void pointedness_agrees_with_the_lineality_space(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {53};
    for (int trial = 0; trial < 300; trial++) {
        generators g = {
            .d = sti_rng_int(&rng, 2, 4), .ray_count = sti_rng_int(&rng, 1, 6), .line_count = sti_rng_int(&rng, 0, 1)};
        random_integers(&rng, g.ray_count * g.d, 2, g.rays);
        for (int i = 0; i < g.ray_count; i++) g.rays[i * g.d] += g.rays[i * g.d] >= 0;
        random_integers(&rng, g.line_count * g.d, 2, g.lines);
        if (g.line_count > 0) g.lines[g.d - 1] = 3;
        sti_pointedness p = ask(env, &g, true, 0);
        sti_polycone* cone = make_cone(env, true, true, g.d, g.ray_count, g.rays, g.line_count, g.lines);
        bool expected = sti_polycone_lineality(cone) == g.line_count;
        // a ray inside the lineality space is zero on every facet
        const sti_rows F = sti_polycone_inequalities(cone);
        for (int i = 0; i < g.ray_count && expected; i++) {
            bool in_lines = true;
            for (int f = 0; f < F.count && in_lines; f++)
                in_lines = row_dot(F.value + (size_t)(f * g.d), g.rays + (size_t)(i * g.d), g.d) == 0;
            expected = !in_lines;
        }
        assert_int_equal(p.pointed, expected);
        sti_pointedness_clear(env, &p);
        sti_polycone_destroy(cone);
    }
    sti_env_destroy(env);
}

// Beyond dimension 8 floating data go through the program in doubles first; exact data never do.
static void larger_floating_programs_agree_with_exact_ones(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {57};
    int pointed = 0;
    enum { TRIALS = 60 };
    for (int trial = 0; trial < TRIALS; trial++) {
        const int d = sti_rng_int(&rng, 9, 12), k = sti_rng_int(&rng, 0, 3), m = sti_rng_int(&rng, d, 2 * d + 4);
        double g[28 * 12], l[3 * 12];
        random_integers(&rng, m * d, 3, g);
        random_integers(&rng, k * d, 3, l);
        if (trial % 3 == 0) {  // every ray on the plane x_0 = 0 or just above it
            for (int i = 0; i < m; i++) g[i * d] = trial % 2 == 0 ? 0x1p-20 : 0;
        }
        sti_rationals *er, *el;
        const sti_rows rays = exact_rows(env, m, d, g, &er), lines = exact_rows(env, k, d, l, &el);
        const sti_rows fr = floating_rows(m, d, g), fl = floating_rows(k, d, l);
        sti_pointedness exact, floating;
        assert_int_equal(sti_rows_pointedness(env, d, &rays, &lines, NULL, &exact), STI_OK);
        assert_int_equal(sti_rows_pointedness(env, d, &fr, &fl, NULL, &floating), STI_OK);
        assert_int_equal(exact.pointed, floating.pointed);
        assert_true(fabs(exact.margin - floating.margin) <= 1e-10 * exact.margin);
        double lower, upper;
        assert_int_equal(sti_rows_margin_bounds(env, d, &fr, &fl, &lower, &upper), STI_OK);
        assert_true(lower <= exact.margin + 1e-12 && upper >= exact.margin - 1e-12);
        if (exact.pointed) assert_true(upper - lower <= 1e-6 * upper);
        pointed += exact.pointed;
        if (!floating.pointed) {
            double total = 0;
            for (int j = 0; j < d; j++) {
                double sum = 0;
                for (int i = 0; i < m; i++) sum += floating.c[i] * g[i * d + j];
                for (int i = 0; i < k; i++) sum += floating.c[m + i] * l[i * d + j];
                assert_true(fabs(sum) < 1e-9);
            }
            for (int i = 0; i < m; i++) {
                assert_true(floating.c[i] >= 0);
                total += floating.c[i];
            }
            assert_true(fabs(total - 1) < 1e-12);
        }
        sti_pointedness_clear(env, &exact);
        sti_pointedness_clear(env, &floating);
        sti_rationals_destroy(er);
        sti_rationals_destroy(el);
    }
    assert_in_range(pointed, 10, TRIALS - 10);
    sti_env_destroy(env);
}

static void bad_arguments_are_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_pointedness p;
    const double bad[] = {NAN, 1};
    const sti_rows rays = floating_rows(1, 2, bad);
    double lower, upper;
    assert_int_equal(sti_rows_margin_bounds(env, 0, NULL, NULL, &lower, &upper), STI_ERR_ARGUMENT);
    assert_true(isnan(lower) && isnan(upper));
    assert_int_equal(sti_rows_margin_bounds(env, 2, NULL, NULL, &lower, &upper), STI_OK);
    assert_true(lower == INFINITY && upper == INFINITY);
    assert_int_equal(sti_rows_pointedness(env, 0, NULL, NULL, NULL, &p), STI_ERR_ARGUMENT);
    assert_int_equal(sti_rows_pointedness(env, 2, &rays, NULL, NULL, &p), STI_ERR_ARGUMENT);
    assert_int_equal(sti_rows_pointedness(env, 3, &rays, NULL, NULL, &p), STI_ERR_ARGUMENT);
    assert_true(isnan(p.margin) && p.x == NULL && p.c == NULL);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_friction_cones),
        cmocka_unit_test(groove_at_critical_friction_is_not_pointed),
        cmocka_unit_test(exact_fractions_are_decided_at_the_boundary),
        cmocka_unit_test(dependent_lines_are_not_pointed_and_show_the_dependence),
        cmocka_unit_test(no_rays_have_no_bound_and_a_zero_ray_is_not_pointed),
        cmocka_unit_test(scale_of_rays_does_not_change_the_decision),
        cmocka_unit_test(pointedness_agrees_with_the_lineality_space),
        cmocka_unit_test(larger_floating_programs_agree_with_exact_ones),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
