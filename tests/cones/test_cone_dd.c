// The double description core on integer rows: sti_dd_rays.
#include "cones/dd.h"
#include "support/cone_tools.h"
#include "support/failing_env.h"

typedef struct fixture {
    sti_env* env;
    sti_exact x;
    sti_int* rows;
    size_t count;
} fixture;

static void open_rows(fixture* f, sti_env* env, int rows, int d, const int* value) {
    f->env = env;
    f->count = (size_t)rows * (size_t)d;
    sti_exact_init(&f->x, env);
    f->rows = sti_int_array(&f->x, f->count);
    for (size_t i = 0; f->rows != NULL && i < f->count; i++) sti_int_set_i64(&f->x, &f->rows[i], value[i]);
}

static void close_rows(fixture* f) {
    sti_int_array_free(f->env, f->rows, f->count);
    sti_exact_clear(&f->x);
}

static sti_status convert(sti_env* env, int rows, int d, const int* value, const unsigned char* equation, int max_rays,
                          sti_dd_result* out) {
    fixture f;
    *out = (sti_dd_result){0};
    open_rows(&f, env, rows, d, value);
    const sti_status status =
        f.x.status != STI_OK ? f.x.status : sti_dd_rays(&f.x, d, rows, f.rows, equation, max_rays, out);
    close_rows(&f);
    return status;
}

static void assert_table(const sti_int* table, int count, int d, const int* expected) {
    for (int i = 0; i < count * d; i++) assert_true(sti_int_double(&table[i]) == expected[i]);
}

static void no_rows_give_the_whole_space(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_dd_result r;
    assert_int_equal(convert(env, 0, 3, NULL, NULL, 10, &r), STI_OK);
    assert_int_equal(r.ray_count, 0);
    assert_int_equal(r.line_count, 3);
    assert_table(r.lines, 3, 3, (int[]){0, 0, 1, 0, 1, 0, 1, 0, 0});
    sti_dd_result_clear(env, &r);
    sti_env_destroy(env);
}

static void equations_leave_their_null_space(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_dd_result r;
    // the third is the sum of the first two, the fourth is zero
    const int rows[] = {1, 2, 3, 4, 0, 1, 1, -1, 1, 3, 4, 3, 0, 0, 0, 0};
    assert_int_equal(convert(env, 4, 4, rows, (unsigned char[]){1, 1, 1, 1}, 10, &r), STI_OK);
    assert_int_equal(r.ray_count, 0);
    assert_int_equal(r.line_count, 2);
    assert_table(r.lines, 2, 4, (int[]){0, 7, -6, 1, 7, 0, -1, -1});
    sti_dd_result_clear(env, &r);
    sti_env_destroy(env);
}

static void orthant_with_duplicates_and_redundant_rows(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_dd_result r;
    const int rows[] = {1, 0, 0, 0, 3, 0, 0, 0, 2, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 5, 0, 1};
    assert_int_equal(convert(env, 8, 3, rows, NULL, 10, &r), STI_OK);
    assert_int_equal(r.line_count, 0);
    assert_int_equal(r.ray_count, 3);
    assert_table(r.rays, 3, 3, (int[]){0, 0, 1, 0, 1, 0, 1, 0, 0});
    sti_dd_result_clear(env, &r);
    sti_env_destroy(env);
}

static void opposite_inequalities_act_as_equations(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_dd_result r;
    const int both[] = {1, -1, -1, 1, 1, 1, 0, 1};
    assert_int_equal(convert(env, 4, 2, both, NULL, 10, &r), STI_OK);
    assert_int_equal(r.ray_count, 1);
    assert_table(r.rays, 1, 2, (int[]){1, 1});
    sti_dd_result_clear(env, &r);
    const int nothing[] = {1, 0, -1, 0, 0, 1, 0, -1};
    assert_int_equal(convert(env, 4, 2, nothing, NULL, 10, &r), STI_OK);
    assert_int_equal(r.ray_count + r.line_count, 0);
    sti_dd_result_clear(env, &r);
    sti_env_destroy(env);
}

// { (t, x, y) : t >= 0, 0 <= x <= 2 t, 0 <= y <= 3 t } and an unbounded direction z >= 0, a free direction w.
static void vertices_of_a_polyhedron_by_homogenization(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_dd_result r;
    const int rows[] = {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, -1, 0, 0, 0, 0, 0, 1, 0, 0, 3, 0, -1, 0, 0, 0, 0, 0, 1, 0};
    assert_int_equal(convert(env, 6, 5, rows, NULL, 100, &r), STI_OK);
    assert_int_equal(r.line_count, 1);
    assert_table(r.lines, 1, 5, (int[]){0, 0, 0, 0, 1});
    assert_int_equal(r.ray_count, 5);
    assert_table(r.rays, 5, 5, (int[]){0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 3, 0, 0, 1, 2, 0, 0, 0, 1, 2, 3, 0, 0});
    sti_dd_result_clear(env, &r);
    sti_env_destroy(env);
}

// Rows (1, t, .., t^6) of the moment curve: the polar of a cyclic polytope, many rays.
static void moment_rows(int* rows, int m, int d) {
    for (int i = 0; i < m; i++) {
        int power = 1;
        for (int j = 0; j < d; j++, power *= i - m / 2) rows[i * d + j] = power;
    }
}

static void the_limit_on_rays_ends_the_call_and_harms_nothing(void** state) {
    (void)state;
    sti_env* env = open_env();
    int rows[14 * 7];
    moment_rows(rows, 14, 7);
    fixture f;
    sti_dd_result r;
    open_rows(&f, env, 14, 7, rows);
    assert_int_equal(sti_dd_rays(&f.x, 7, 14, f.rows, NULL, 100, &r), STI_ERR_SIZE);
    assert_null(r.rays);
    assert_int_equal(f.x.status, STI_OK);
    assert_int_equal(sti_dd_rays(&f.x, 7, 14, f.rows, NULL, 1000, &r), STI_OK);
    assert_int_equal(r.ray_count, 210);  // 14/11 C(11,3)
    sti_dd_result_clear(env, &r);
    close_rows(&f);
    sti_env_destroy(env);
}

// Every ray obeys every row, and lies on rows of rank d - 1: it is extreme. Numbers of 30 digits.
static void huge_integers_stay_exact(void** state) {
    (void)state;
    sti_env* env = open_env();
    enum { M = 9, D = 4 };
    fixture f;
    const int zero[M * D] = {0};
    open_rows(&f, env, M, D, zero);
    sti_rng rng = {11};
    for (int i = 0; i < M * D; i++) {
        char digits[32];
        for (int k = 0; k < 30; k++) digits[k] = (char)('0' + sti_rng_int(&rng, k == 0, 9));
        sti_int_set_digits(&f.x, &f.rows[i], digits, 30);
        if (i % D != 0 && sti_rng_int(&rng, 0, 1) == 0) sti_int_neg(&f.rows[i]);
    }
    sti_dd_result r;
    assert_int_equal(sti_dd_rays(&f.x, D, M, f.rows, NULL, 1000, &r), STI_OK);
    assert_true(r.ray_count >= D);
    sti_int value = {0};
    for (int i = 0; i < r.ray_count; i++) {
        int zeros = 0;
        for (int a = 0; a < M; a++) {
            sti_int_set_i64(&f.x, &value, 0);
            for (int j = 0; j < D; j++) sti_int_addmul(&f.x, &value, &f.rows[a * D + j], &r.rays[i * D + j]);
            assert_true(sti_int_sign(&value) >= 0);
            zeros += sti_int_sign(&value) == 0;
        }
        assert_true(zeros >= D - 1);
    }
    sti_int_clear(env, &value);
    sti_dd_result_clear(env, &r);
    close_rows(&f);
    sti_env_destroy(env);
}

static void bad_sizes_are_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_dd_result r;
    sti_exact x;
    sti_exact_init(&x, env);
    assert_int_equal(sti_dd_rays(&x, 0, 0, NULL, NULL, 10, &r), STI_ERR_ARGUMENT);
    assert_int_equal(sti_dd_rays(&x, 2, -1, NULL, NULL, 10, &r), STI_ERR_ARGUMENT);
    sti_exact_clear(&x);
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    const int rows[] = {1, 1, 0, 0, 1, -1, 0, 0, 1, 0, 1, 0, 1, 0, -1, 0, 2, 1, 1, 0, 0, 0, 0, 1};
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_dd_result r;
        const sti_status status = convert(f.env, 6, 4, rows, (unsigned char[]){0, 0, 0, 0, 0, 1}, 100, &r);
        if (status == STI_OK)
            assert_int_equal(r.ray_count, 4);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        sti_dd_result_clear(f.env, &r);
        if (failing_env_close(&f)) break;
    }
}

// The echelon form depends on the space alone, in both arithmetics.
static void echelon_form_does_not_depend_on_the_basis(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {3};
    for (int trial = 0; trial < 40; trial++) {
        const bool exact = trial % 2 == 0;
        const int d = sti_rng_int(&rng, 2, 6), k = sti_rng_int(&rng, 1, d);
        double first[36], second[36] = {0};
        random_integers(&rng, k * d, 5, first);
        for (int i = 0; i < k; i++) {  // second = triangular with nonzero diagonal times first
            for (int c = 0; c <= i; c++) {
                const int t = c == i ? sti_rng_int(&rng, 1, 3) : sti_rng_int(&rng, -3, 3);
                for (int j = 0; j < d; j++) second[i * d + j] += t * first[c * d + j];
            }
        }
        sti_polycone* a = make_cone(env, exact, true, d, 0, NULL, k, first);
        sti_polycone* b = make_cone(env, exact, true, d, 0, NULL, k, second);
        const sti_rows la = sti_polycone_lines(a), lb = sti_polycone_lines(b);
        assert_int_equal(la.count, lb.count);
        for (int i = 0; i < la.count * d; i++) assert_true(fabs(la.value[i] - lb.value[i]) <= (exact ? 0 : 1e-12));
        sti_polycone_destroy(a);
        sti_polycone_destroy(b);
    }
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rows_give_the_whole_space),
        cmocka_unit_test(equations_leave_their_null_space),
        cmocka_unit_test(orthant_with_duplicates_and_redundant_rows),
        cmocka_unit_test(opposite_inequalities_act_as_equations),
        cmocka_unit_test(vertices_of_a_polyhedron_by_homogenization),
        cmocka_unit_test(the_limit_on_rays_ends_the_call_and_harms_nothing),
        cmocka_unit_test(huge_integers_stay_exact),
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(echelon_form_does_not_depend_on_the_basis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
