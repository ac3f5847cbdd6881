// test_matrix.c: dense and sparse forms of the same matrix.
#include "base/rng.h"
#include "linalg/matrix.h"
#include "support/failing_env.h"

// m x n, row major; about half of the entries zero
static void random_entries(sti_rng* rng, int count, double* out) {
    for (int k = 0; k < count; k++) out[k] = sti_rng_int(rng, 0, 1) == 0 ? 0 : sti_rng_int(rng, -9, 9);
}

static void dense_and_sparse_hold_the_same_entries(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_rng rng = {1};
    for (int m = 1; m <= 7; m++) {
        for (int n = 1; n <= 7; n++) {
            double entries[49];
            random_entries(&rng, m * n, entries);
            const sti_matrix A = sti_matrix_dense_view(m, n, entries);
            sti_matrix sparse, dense;
            assert_int_equal(sti_matrix_to_sparse(env, &A, &sparse), STI_OK);
            assert_true(sti_matrix_is_sparse(&sparse));
            assert_false(sti_matrix_is_sparse(&A));
            assert_int_equal(sti_matrix_to_dense(env, &sparse, &dense), STI_OK);
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < n; j++) {
                    assert_true(sti_matrix_get(&A, i, j) == entries[i * n + j]);
                    assert_true(sti_matrix_get(&sparse, i, j) == entries[i * n + j]);
                    assert_true(sti_matrix_get(&dense, i, j) == entries[i * n + j]);
                }
            }
            for (int j = 0; j < n; j++) {
                for (int64_t k = sparse.col_start[j]; k < sparse.col_start[j + 1]; k++) {
                    assert_true(sparse.value[k] != 0);
                    assert_true(k == sparse.col_start[j] || sparse.row[k] > sparse.row[k - 1]);
                }
            }
            sti_matrix_clear(env, &sparse);
            sti_matrix_clear(env, &dense);
        }
    }
    sti_env_destroy(env);
}

static void copies_of_either_form_stand_alone(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    double entries[6] = {1, 0, 2, 0, 3, 0};
    const sti_matrix A = sti_matrix_dense_view(2, 3, entries);
    sti_matrix dense, sparse, again;
    assert_int_equal(sti_matrix_to_dense(env, &A, &dense), STI_OK);
    assert_int_equal(sti_matrix_to_sparse(env, &A, &sparse), STI_OK);
    assert_int_equal(sti_matrix_to_sparse(env, &sparse, &again), STI_OK);
    entries[0] = 7;
    sparse.value[0] = 8;
    assert_true(sti_matrix_get(&dense, 0, 0) == 1);
    assert_true(sti_matrix_get(&again, 0, 0) == 1);
    assert_int_equal(again.col_start[3], 3);
    sti_matrix_clear(env, &dense);
    sti_matrix_clear(env, &sparse);
    sti_matrix_clear(env, &again);
    assert_null(dense.dense);
    sti_matrix_clear(env, &dense);  // a cleared matrix may be cleared again
    sti_env_destroy(env);
}

static void products_agree_between_the_forms(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_rng rng = {2};
    double entries[35], x[7] = {1, -2, 3, -4, 5, -6, 7}, y1[5], y2[5];
    random_entries(&rng, 35, entries);
    const sti_matrix A = sti_matrix_dense_view(5, 7, entries);
    sti_matrix sparse;
    assert_int_equal(sti_matrix_to_sparse(env, &A, &sparse), STI_OK);
    for (int i = 0; i < 5; i++) y1[i] = y2[i] = 100 * i;
    sti_matrix_multiply_add(&A, x, y1);
    sti_matrix_multiply_add(&sparse, x, y2);
    for (int i = 0; i < 5; i++) {
        double s = 100 * i;
        for (int j = 0; j < 7; j++) s += entries[i * 7 + j] * x[j];
        assert_true(y1[i] == s);  // integers: no rounding
        assert_true(y2[i] == s);
    }
    sti_matrix_clear(env, &sparse);
    sti_env_destroy(env);
}

static void empty_matrices_are_matrices(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    const int shapes[3][2] = {{0, 0}, {0, 3}, {3, 0}};
    for (int s = 0; s < 3; s++) {
        const sti_matrix A = {.rows = shapes[s][0], .cols = shapes[s][1]};
        sti_matrix sparse, dense;
        assert_int_equal(sti_matrix_to_sparse(env, &A, &sparse), STI_OK);
        assert_int_equal(sparse.rows, A.rows);
        assert_int_equal(sparse.cols, A.cols);
        assert_int_equal(sparse.col_start[A.cols], 0);
        assert_int_equal(sti_matrix_to_dense(env, &sparse, &dense), STI_OK);
        double x[3] = {1, 1, 1}, y[3] = {5, 6, 7};
        sti_matrix_multiply_add(&A, x, y);
        sti_matrix_multiply_add(&sparse, x, y);
        sti_matrix_multiply_add(&dense, x, y);
        assert_true(y[0] == 5 && y[1] == 6 && y[2] == 7);
        sti_matrix_clear(env, &sparse);
        sti_matrix_clear(env, &dense);
    }
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    double entries[4] = {1, 2, 0, 4};
    const sti_matrix A = sti_matrix_dense_view(2, 2, entries);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_matrix sparse, dense = {0};
        sti_status status = sti_matrix_to_sparse(f.env, &A, &sparse);
        if (status == STI_OK) status = sti_matrix_to_dense(f.env, &sparse, &dense);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_matrix_clear(f.env, &sparse);
        sti_matrix_clear(f.env, &dense);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_and_sparse_hold_the_same_entries), cmocka_unit_test(copies_of_either_form_stand_alone),
        cmocka_unit_test(products_agree_between_the_forms),       cmocka_unit_test(empty_matrices_are_matrices),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
