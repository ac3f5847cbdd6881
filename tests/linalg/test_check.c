// test_check.c: unsound matrices and vectors are named with the index and the value.
#include <math.h>
#include <string.h>

#include "linalg/check.h"
#include "support/failing_env.h"

static void assert_says(sti_env* env, sti_status status, const char* words) {
    assert_int_equal(status, STI_ERR_ARGUMENT);
    if (strstr(sti_env_error(env)->text, words) == NULL) fail_msg("'%s': not '%s'", sti_env_error(env)->text, words);
}

static void vectors_are_checked(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    const double x[3] = {1, 2, NAN};
    assert_int_equal(sti_vector_check(env, "q", x, 2), STI_OK);
    assert_int_equal(sti_vector_check(env, "q", NULL, 0), STI_OK);
    assert_says(env, sti_vector_check(env, "q", NULL, 1), "q is missing");
    assert_says(env, sti_vector_check(env, "q", x, 3), "q[2] is nan");
    assert_int_equal(sti_env_error(env)->index, 2);
    sti_env_destroy(env);
}

static void matrices_are_checked(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    double dense[4] = {1, 2, 3, 4}, value[3] = {1, 2, 3};
    int64_t start[3] = {0, 2, 3};
    int row[3] = {0, 1, 1};
    const sti_matrix D = sti_matrix_dense_view(2, 2, dense), nothing = {.rows = 2, .cols = 2};
    sti_matrix S = {.rows = 2, .cols = 2, .col_start = start, .row = row, .value = value};
    assert_int_equal(sti_matrix_check(env, "A", &D, 2, 2, true), STI_OK);
    assert_int_equal(sti_matrix_check(env, "A", &S, 2, 2, true), STI_OK);
    assert_int_equal(sti_matrix_check(env, "A", &nothing, 0, 2, true), STI_OK);
    assert_says(env, sti_matrix_check(env, "A", &D, 2, 3, true), "A is 2 x 2, expected 2 x 3");
    assert_says(env, sti_matrix_check(env, "A", &nothing, 2, 2, true), "A has no entries");
    dense[2] = INFINITY;
    assert_says(env, sti_matrix_check(env, "A", &D, 2, 2, true), "A[1][0] is inf");
    row[0] = 1, row[1] = 0;
    assert_says(env, sti_matrix_check(env, "A", &S, 2, 2, true), "out of order");
    assert_int_equal(sti_matrix_check(env, "A", &S, 2, 2, false), STI_OK);
    row[1] = 2;
    assert_says(env, sti_matrix_check(env, "A", &S, 2, 2, false), "row index 2 in column 0");
    row[1] = 0, value[2] = NAN;
    assert_says(env, sti_matrix_check(env, "A", &S, 2, 2, false), "A[1][1] is nan");
    start[1] = 3, start[2] = 2, value[2] = 3;
    assert_says(env, sti_matrix_check(env, "A", &S, 2, 2, false), "column 1 ends before it starts");
    start[0] = 1;
    assert_says(env, sti_matrix_check(env, "A", &S, 2, 2, false), "incomplete");
    S.row = NULL;
    assert_says(env, sti_matrix_check(env, "A", &S, 2, 2, false), "incomplete");
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_checked),
        cmocka_unit_test(matrices_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
