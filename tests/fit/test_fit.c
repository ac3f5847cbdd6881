// Nelder and Mead's method: the NMF cases, smooth and kinked functions, bounds, what is not determined, failing
// allocations.
#include <math.h>
#include <stiction/stiction.h>

#include "support/group_env.h"
#include "support/near.h"
#include "support/oracle.h"

static void must(sti_status status) {
    if (status != STI_OK) print_error("%s\n", sti_env_error(group_env)->text);
    assert_int_equal(status, STI_OK);
}

typedef struct decay {
    const cJSON *t, *y;
} decay;

static sti_status decay_residuals(void* user, const double* x, double* r) {
    const decay* d = user;
    for (int i = 0; i < cJSON_GetArraySize(d->t); i++)
        r[i] = x[0] * exp(-x[1] * cJSON_GetNumberValue(cJSON_GetArrayItem(d->t, i))) + x[2] -
               cJSON_GetNumberValue(cJSON_GetArrayItem(d->y, i));
    return STI_OK;
}

static void largest_residuals_of_the_cases_are_least(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* item;
    int seen = 0;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strncmp(oracle_id(item), "NMF-", 4) != 0 || oracle_get(item, "inputs", "y") == NULL) continue;
        decay d = {oracle_get(item, "inputs", "t"), oracle_get(item, "inputs", "y")};
        double start[3];
        for (int i = 0; i < 3; i++)
            start[i] = cJSON_GetNumberValue(cJSON_GetArrayItem(oracle_get(item, "inputs", "x0"), i));
        const sti_fit_problem p = {
            .n = 3, .m = cJSON_GetArraySize(d.t), .start = start, .residuals = decay_residuals, .user = &d};
        sti_fit_answer a;
        must(sti_fit_solve(group_env, &p, NULL, &a));
        const double best = oracle_number(item, "expected", "minimax_residual");
        assert_true(a.converged);
        if (!(a.value <= best * (1 + 1e-3) + 1e-8)) fail_msg("%s: %.9g, %.9g expected", oracle_id(item), a.value, best);
        const double tol =
            cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetObjectItem(item, "tolerance"), "parameters_abs"));
        for (int i = 0; i < 3; i++)
            assert_near(a.x[i],
                        cJSON_GetNumberValue(cJSON_GetArrayItem(oracle_get(item, "expected", "parameters_minimax"), i)),
                        tol);
        assert_int_equal(a.undetermined, 0);
        sti_fit_answer_clear(group_env, &a);
        seen++;
    }
    assert_true(seen >= 2);
    cJSON_Delete(root);
}

static sti_status rosenbrock(void* user, const double* x, double* r) {
    (void)user;
    r[0] = 1 - x[0];
    r[1] = 10 * (x[1] - x[0] * x[0]);
    return STI_OK;
}

static void squares_find_the_bottom_of_a_valley(void** state) {
    (void)state;
    const sti_fit_problem p = {.n = 2, .m = 2, .start = (const double[]){-1.2, 1}, .residuals = rosenbrock};
    sti_fit_options o = sti_fit_options_default();
    o.norm = STI_FIT_SQUARES;
    sti_fit_answer a;
    must(sti_fit_solve(group_env, &p, &o, &a));
    assert_true(a.converged);
    assert_near(a.x[0], 1, 1e-7);
    assert_near(a.x[1], 1, 1e-7);
    sti_fit_answer_clear(group_env, &a);
    // with x <= 1/2 the best point is on that face: (1/2, 1/4)
    const sti_fit_problem bounded = {.n = 2,
                                     .m = 2,
                                     .start = (const double[]){-1.2, 1},
                                     .low = (const double[]){-INFINITY, -INFINITY},
                                     .high = (const double[]){0.5, INFINITY},
                                     .residuals = rosenbrock};
    must(sti_fit_solve(group_env, &bounded, &o, &a));
    assert_near(a.x[0], 0.5, 1e-12);
    assert_near(a.x[1], 0.25, 1e-6);
    assert_true(a.at_bound[0] && !a.at_bound[1]);
    sti_fit_answer_clear(group_env, &a);
}

// y = a b t: only the product is measured.
static sti_status product(void* user, const double* x, double* r) {
    (void)user;
    for (int i = 0; i < 5; i++) r[i] = x[0] * x[1] * i - 6 * i + 0.1 * (x[2] - 2);
    return STI_OK;
}

static void what_the_data_leave_open_is_told(void** state) {
    (void)state;
    const sti_fit_problem p = {.n = 3, .m = 5, .start = (const double[]){1, 1, 1}, .residuals = product};
    sti_fit_answer a;
    must(sti_fit_solve(group_env, &p, NULL, &a));
    assert_near(a.x[0] * a.x[1], 6, 1e-6);
    assert_near(a.x[2], 2, 1e-5);
    assert_int_equal(a.undetermined, 1);
    const double* d = a.direction + 6;  // a and b against each other, in parts of their sizes
    assert_near(fabs(d[0]), sqrt(0.5), 1e-5);
    assert_near(d[0] + d[1], 0, 1e-5);
    assert_near(d[2], 0, 1e-5);
    sti_fit_answer_clear(group_env, &a);
}

// Above 1 the first parameter does nothing, as friction of a tip that sticks.
static sti_status plateau(void* user, const double* x, double* r) {
    (void)user;
    r[0] = fmin(x[0], 1) - 0.3;
    r[1] = x[1] - 2 + fmin(x[0], 1);
    r[2] = x[1] - 1.7;
    return STI_OK;
}

static void what_is_open_is_sought_elsewhere_in_a_box(void** state) {
    (void)state;
    sti_fit_problem p = {.n = 2, .m = 3, .start = (const double[]){3, 1}, .scale = 1, .residuals = plateau};
    sti_fit_answer a;
    must(sti_fit_solve(group_env, &p, NULL, &a));
    assert_true(a.undetermined == 1 && a.value > 0.3);
    sti_fit_answer_clear(group_env, &a);
    p.low = (const double[]){0, 0};
    p.high = (const double[]){10, 10};
    must(sti_fit_solve(group_env, &p, NULL, &a));
    assert_int_equal(a.undetermined, 0);
    assert_near(a.x[0], 0.3, 1e-9);
    assert_near(a.x[1], 1.7, 1e-9);
    sti_fit_answer_clear(group_env, &a);
    for (long at = 0;; at++) {
        failing_env f;
        failing_env_open(&f, at);
        const sti_status status = sti_fit_solve(f.env, &p, NULL, &a);
        if (status == STI_OK)
            sti_fit_answer_clear(f.env, &a);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
}

static sti_status broken(void* user, const double* x, double* r) {
    (void)user;
    r[0] = x[0] < 2 ? NAN : x[0] - 2.5;
    return STI_OK;
}

static sti_status failing(void* user, const double* x, double* r) {
    (void)user;
    (void)x;
    (void)r;
    return STI_ERR_IO;
}

static void models_that_end_and_bad_questions(void** state) {
    (void)state;
    sti_fit_answer a;
    const sti_fit_problem p = {.n = 1, .m = 1, .start = (const double[]){3}, .residuals = broken};
    must(sti_fit_solve(group_env, &p, NULL, &a));
    assert_near(a.x[0], 2.5, 1e-12);
    sti_fit_answer_clear(group_env, &a);
    sti_fit_problem bad = p;
    bad.residuals = failing;
    assert_int_equal(sti_fit_solve(group_env, &bad, NULL, &a), STI_ERR_IO);
    bad = p;
    bad.n = 0;
    assert_int_equal(sti_fit_solve(group_env, &bad, NULL, &a), STI_ERR_ARGUMENT);
    bad = p;
    bad.m = 0;
    assert_int_equal(sti_fit_solve(group_env, &bad, NULL, &a), STI_ERR_ARGUMENT);
    bad = p;
    bad.start = (const double[]){NAN};
    assert_int_equal(sti_fit_solve(group_env, &bad, NULL, &a), STI_ERR_ARGUMENT);
    bad = p;
    bad.low = (const double[]){2};
    bad.high = (const double[]){1};
    assert_int_equal(sti_fit_solve(group_env, &bad, NULL, &a), STI_ERR_ARGUMENT);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    for (long at = 0;; at++) {
        failing_env f;
        sti_fit_answer a;
        const sti_fit_problem p = {.n = 2, .m = 2, .start = (const double[]){-1.2, 1}, .residuals = rosenbrock};
        failing_env_open(&f, at);
        const sti_status status = sti_fit_solve(f.env, &p, NULL, &a);
        if (status == STI_OK)
            sti_fit_answer_clear(f.env, &a);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_residuals_of_the_cases_are_least),
        cmocka_unit_test(squares_find_the_bottom_of_a_valley),
        cmocka_unit_test(what_the_data_leave_open_is_told),
        cmocka_unit_test(what_is_open_is_sought_elsewhere_in_a_box),
        cmocka_unit_test(models_that_end_and_bad_questions),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
