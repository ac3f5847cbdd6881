// test_contact_inertia.c: matrices collected entry by entry, and eigenvalues counted by factorizations against LAPACK.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "contact/entries.h"
#include "contact/inertia.h"
#include "linalg/lapack.h"
#include "support/failing_env.h"
#include "support/open_env.h"

static void entries_in_any_order_become_columns(void** state) {
    (void)state;
    enum { ROWS = 7, COLS = 5, COUNT = 200 };
    sti_env* env = open_env();
    sti_rng rng = {.state = 4};
    double dense[ROWS * COLS] = {0};
    sti_entries e = {.env = env};
    sti_matrix A;
    for (int k = 0; k < COUNT; k++) {
        const int i = sti_rng_int(&rng, 0, ROWS - 1),
                  j = sti_rng_int(&rng, 0, COLS - 2);  // the last column stays empty
        const double x = sti_rng_int(&rng, -5, 5);
        dense[i * COLS + j] += x;
        sti_entries_add(&e, i, j, x);
    }
    assert_int_equal(sti_entries_finish(&e, ROWS, COLS, &A), STI_OK);
    assert_int_equal(A.col_start[COLS], A.col_start[COLS - 1]);
    for (int j = 0; j < COLS; j++) {
        for (int64_t k = A.col_start[j] + 1; k < A.col_start[j + 1]; k++) assert_true(A.row[k - 1] < A.row[k]);
        for (int i = 0; i < ROWS; i++) assert_true(sti_matrix_get(&A, i, j) == dense[i * COLS + j]);
    }
    sti_matrix B;
    sti_entries_add_matrix(&e, &A, true, 1, 2, -2);
    assert_int_equal(sti_entries_finish(&e, COLS + 1, ROWS + 2, &B), STI_OK);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLS; j++) assert_true(sti_matrix_get(&B, j + 1, i + 2) == -2 * dense[i * COLS + j]);
    }
    sti_matrix_clear(env, &A);
    sti_matrix_clear(env, &B);
    assert_int_equal(sti_entries_finish(&e, 0, 0, &A), STI_OK);
    sti_matrix_clear(env, &A);
    sti_env_destroy(env);
}

// Of D A D with unit diagonal, by LAPACK.
static void count_by_eigenvalues(int n, const double* A, int* negative, int* zero) {
    double S[900], w[30], work[300];
    for (int i = 0; i < n * n; i++) S[i] = A[i] / sqrt(A[(i / n) * (n + 1)] * A[(i % n) * (n + 1)]);
    assert_int_equal(sti_lapack_symmetric_eigen(false, n, S, w, work, 300), STI_LAPACK_DONE);
    *negative = *zero = 0;
    for (int i = 0; i < n; i++) {
        *negative += w[i] < -1e-10;
        *zero += fabs(w[i]) <= 1e-10;
    }
}

static void eigenvalues_are_counted(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 6};
    for (int trial = 0; trial < 300; trial++) {
        const int n = 1 + trial % 30, rank = sti_rng_int(&rng, 0, n);
        double A[900] = {0}, B[900];
        for (int i = 0; i < n * n; i++) B[i] = 2 * sti_rng_u01(&rng) - 1;
        for (int k = 0; k <= rank; k++) {
            const double sign = trial % 3 == 0 && k % 4 == 3 ? -0.05 : 1;  // some of them indefinite
            for (int i = 0; i < n * n; i++) A[i] += sign * B[(k % n) * n + i / n] * B[(k % n) * n + i % n];
        }
        for (int i = 0; i < n; i++) {
            const double unit = pow(10, sti_rng_int(&rng, -4, 4));  // and badly scaled
            for (int j = 0; j < n; j++) A[i * n + j] *= unit, A[j * n + i] *= unit;
        }
        bool positive = true;
        for (int i = 0; i < n; i++) positive = positive && A[i * n + i] > 0;
        if (!positive) continue;
        int negative, zero, expected_negative, expected_zero;
        const sti_matrix M = sti_matrix_dense_view(n, n, A);
        assert_int_equal(sti_inertia_count(env, &M, &negative, &zero), STI_OK);
        count_by_eigenvalues(n, A, &expected_negative, &expected_zero);
        assert_int_equal(negative, expected_negative);
        assert_int_equal(zero, expected_zero);
    }
    const sti_matrix none = {0};
    int negative, zero;
    assert_int_equal(sti_inertia_count(env, &none, &negative, &zero), STI_OK);
    assert_true(negative == 0 && zero == 0);
    double nothing[4] = {0};
    const sti_matrix still = sti_matrix_dense_view(2, 2, nothing);
    assert_int_equal(sti_inertia_count(env, &still, &negative, &zero), STI_OK);
    assert_true(negative == 0 && zero == 2);
    sti_env_destroy(env);
}

static void blocks_are_restricted(void** state) {
    (void)state;
    enum { D = 3, NC = 4, N = D * NC };
    sti_env* env = open_env();
    sti_rng rng = {.state = 8};
    double W[N * N], basis[NC * D * D];
    for (int i = 0; i < N * N; i++) W[i] = 2 * sti_rng_u01(&rng) - 1;
    for (int i = 0; i < NC * D * D; i++) basis[i] = 2 * sti_rng_u01(&rng) - 1;
    const int dim[NC] = {3, 0, 1, 2};
    const sti_matrix dense = sti_matrix_dense_view(N, N, W);
    sti_bsr blocks;
    sti_matrix R, all;
    assert_int_equal(sti_bsr_from_matrix(env, &dense, D, &blocks), STI_OK);
    assert_int_equal(sti_bsr_restrict(env, &blocks, dim, basis, &R), STI_OK);
    assert_int_equal(sti_bsr_restrict(env, &blocks, NULL, NULL, &all), STI_OK);
    assert_int_equal(R.rows, 6);
    int row = 0;
    for (int c = 0; c < NC; c++) {
        for (int a = 0; a < dim[c]; a++, row++) {
            int col = 0;
            for (int e = 0; e < NC; e++) {
                for (int b = 0; b < dim[e]; b++, col++) {
                    double sum = 0;
                    for (int i = 0; i < D; i++) {
                        for (int j = 0; j < D; j++)
                            sum += basis[(c * D + a) * D + i] * W[(c * D + i) * N + e * D + j] *
                                   basis[(e * D + b) * D + j];
                    }
                    assert_true(fabs(sti_matrix_get(&R, row, col) - sum) <= 1e-14);
                }
            }
        }
    }
    for (int i = 0; i < N * N; i++) assert_true(sti_matrix_get(&all, i / N, i % N) == W[i]);
    sti_bsr_clear(env, &blocks);
    sti_matrix_clear(env, &R);
    sti_matrix_clear(env, &all);
    sti_env_destroy(env);
}

static void failed_allocations_are_survived(void** state) {
    (void)state;
    double A[16] = {2, 1, 0, 0, 1, 2, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1};
    const sti_matrix M = sti_matrix_dense_view(4, 4, A);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        int negative, zero;
        const sti_status status = sti_inertia_count(f.env, &M, &negative, &zero);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) {
            assert_true(negative == 0 && zero == 1);
            break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_in_any_order_become_columns),
        cmocka_unit_test(eigenvalues_are_counted),
        cmocka_unit_test(blocks_are_restricted),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
