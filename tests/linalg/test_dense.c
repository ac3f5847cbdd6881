// test_dense.c: LU and Cholesky factors, and the principal systems built on them.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "linalg/dense.h"
#include "linalg/principal.h"
#include "support/failing_env.h"
#include "support/open_env.h"

static void random_matrix(sti_rng* rng, int n, double* A) {
    for (int k = 0; k < n * n; k++) A[k] = 2 * sti_rng_u01(rng) - 1;
}

// largest |A x - b|
static double defect(int n, const double* A, const double* x, const double* b) {
    double worst = 0;
    for (int i = 0; i < n; i++) {
        long double s = -b[i];
        for (int j = 0; j < n; j++) s += (long double)A[i * n + j] * x[j];
        worst = fmax(worst, fabs((double)s));
    }
    return worst;
}

static void lu_solves_rows_not_columns(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_dense_factor f;
    assert_int_equal(sti_dense_factor_init(&f, env, 2), STI_OK);
    double* A = sti_dense_factor_load(&f, 2);
    A[0] = 1, A[1] = 2, A[2] = 0, A[3] = 4;  // x + 2y = 5, 4y = 8
    assert_true(sti_dense_factor_lu(&f));
    double x[2] = {5, 8};
    sti_dense_factor_solve(&f, x);
    assert_true(x[0] == 1 && x[1] == 2);
    sti_dense_factor_clear(&f);
    sti_env_destroy(env);
}

static void factors_solve_random_systems_to_rounding(void** state) {
    (void)state;
    sti_env* env = open_env();
    enum { N = 60 };
    static double A[N * N], S[N * N], b[N], x[N];
    sti_dense_factor f;
    assert_int_equal(sti_dense_factor_init(&f, env, N), STI_OK);
    sti_rng rng = {3};
    for (int n = 1; n <= N; n += 7) {  // one store for all orders
        random_matrix(&rng, n, A);
        for (int i = 0; i < n; i++) b[i] = x[i] = sti_rng_u01(&rng);
        memcpy(sti_dense_factor_load(&f, n), A, sizeof *A * (size_t)(n * n));
        assert_true(sti_dense_factor_lu(&f));
        sti_dense_factor_solve(&f, x);
        assert_true(defect(n, A, x, b) < 1e-11);

        for (int i = 0; i < n; i++) {  // S = A A' + I; only its lower triangle is read
            for (int j = 0; j < n; j++) {
                S[i * n + j] = i == j;
                for (int k = 0; k < n; k++) S[i * n + j] += A[i * n + k] * A[j * n + k];
            }
        }
        memcpy(sti_dense_factor_load(&f, n), S, sizeof *S * (size_t)(n * n));
        assert_true(sti_dense_factor_cholesky(&f));
        memcpy(x, b, sizeof b);
        sti_dense_factor_solve(&f, x);
        assert_true(defect(n, S, x, b) < 1e-12);
    }
    sti_dense_factor_clear(&f);
    sti_env_destroy(env);
}

static void breakdowns_are_reported(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_dense_factor f;
    assert_int_equal(sti_dense_factor_init(&f, env, 2), STI_OK);
    const double singular[4] = {1, 2, 2, 4}, indefinite[4] = {1, 2, 2, 1};
    memcpy(sti_dense_factor_load(&f, 2), singular, sizeof singular);
    assert_false(sti_dense_factor_lu(&f));
    memcpy(sti_dense_factor_load(&f, 2), indefinite, sizeof indefinite);
    assert_false(sti_dense_factor_cholesky(&f));
    memcpy(sti_dense_factor_load(&f, 2), indefinite, sizeof indefinite);
    assert_true(sti_dense_factor_lu(&f));
    sti_dense_factor_clear(&f);
    sti_env_destroy(env);
}

static void condition_estimates_see_near_singularity(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_dense_factor f;
    assert_int_equal(sti_dense_factor_init(&f, env, 10), STI_OK);
    for (int cholesky = 0; cholesky <= 1; cholesky++) {
        double* A = sti_dense_factor_load(&f, 10);
        for (int k = 0; k < 100; k++) A[k] = k / 10 == k % 10;
        assert_true(cholesky ? sti_dense_factor_cholesky(&f) : sti_dense_factor_lu(&f));
        assert_true(fabs(sti_dense_factor_rcond(&f) - 1) < 1e-15);

        A = sti_dense_factor_load(&f, 10);  // Hilbert: condition number 3.5e13 in the 1-norm
        for (int k = 0; k < 100; k++) A[k] = 1.0 / (k / 10 + k % 10 + 1);
        assert_true(cholesky ? sti_dense_factor_cholesky(&f) : sti_dense_factor_lu(&f));
        const double rcond = sti_dense_factor_rcond(&f);
        assert_true(rcond > 1e-14 && rcond < 1e-12);
    }
    sti_dense_factor_load(&f, 0);
    assert_true(sti_dense_factor_lu(&f));
    assert_true(sti_dense_factor_rcond(&f) == 1);
    sti_dense_factor_solve(&f, NULL);
    sti_dense_factor_clear(&f);
    sti_env_destroy(env);
}

static void products_follow_the_definition(void** state) {
    (void)state;
    double A[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10}, x[3] = {1, -1, 2}, y[3];
    sti_dense_multiply(3, A, x, y);
    assert_true(y[0] == 5 && y[1] == 11 && y[2] == 19);
    sti_dense_multiply_transposed(3, A, x, y);
    assert_true(y[0] == 11 && y[1] == 13 && y[2] == 17);
}

// --- principal systems -----------------------------------------------------------------------------------------------

enum { GRID = 6, CELLS = GRID * GRID };

static void fill_membrane(double* M) {  // five-point stencil on a grid
    memset(M, 0, CELLS * CELLS * sizeof *M);
    for (int j = 0; j < CELLS; j++) {
        M[j * CELLS + j] = 4;
        if (j % GRID > 0) M[j * CELLS + j - 1] = M[(j - 1) * CELLS + j] = -1;
        if (j >= GRID) M[j * CELLS + j - GRID] = M[(j - GRID) * CELLS + j] = -1;
    }
}

static void principal_systems_agree_dense_and_sparse(void** state) {
    (void)state;
    sti_env* env = open_env();
    static double entries[CELLS * CELLS];
    fill_membrane(entries);
    const sti_matrix dense = sti_matrix_dense_view(CELLS, CELLS, entries);
    sti_matrix sparse;
    assert_int_equal(sti_matrix_to_sparse(env, &dense, &sparse), STI_OK);
    sti_principal p[3];  // Cholesky, LU, L D L'
    assert_int_equal(sti_principal_init(&p[0], env, &dense, true), STI_OK);
    assert_int_equal(sti_principal_init(&p[1], env, &dense, false), STI_OK);
    assert_int_equal(sti_principal_init(&p[2], env, &sparse, true), STI_OK);
    sti_rng rng = {4};
    for (int trial = 0; trial < 20; trial++) {
        unsigned char alpha[CELLS];
        double E[CELLS], b[CELLS];
        for (int i = 0; i < CELLS; i++) {
            alpha[i] = trial == 0 || (trial != 1 && sti_rng_int(&rng, 0, 1));  // all, none, some
            E[i] = sti_rng_u01(&rng);
            b[i] = sti_rng_u01(&rng);
        }
        for (int k = 0; k < 3; k++) {
            double x[CELLS];
            memcpy(x, b, sizeof b);
            assert_true(sti_principal_factor(&p[k], trial == 0 ? NULL : alpha, trial % 2 ? E : NULL));
            assert_true(sti_principal_rcond(&p[k]) > 1e-3);
            sti_principal_solve(&p[k], x);
            for (int i = 0; i < CELLS; i++) {
                if (!alpha[i]) {
                    assert_true(x[i] == b[i]);  // not touched
                    continue;
                }
                double s = (trial % 2 ? E[i] * x[i] : 0) - b[i];
                for (int j = 0; j < CELLS; j++) s += alpha[j] ? entries[i * CELLS + j] * x[j] : 0;
                assert_true(fabs(s) < 1e-13);
            }
        }
    }
    for (int k = 0; k < 3; k++) sti_principal_clear(&p[k]);
    sti_matrix_clear(env, &sparse);
    sti_env_destroy(env);
}

static void positivity_is_decided_on_the_symmetric_part(void** state) {
    (void)state;
    sti_env* env = open_env();
    double rotation[4] = {0, 1, -1, 0}, saddle[4] = {1, 5, 0, 1}, membrane[4] = {2, -1, -1, 2};
    struct {
        double* entries;
        bool symmetric, sparse, positive, positive_shifted;
    } cases[] = {{rotation, false, false, false, true},
                 {saddle, false, false, false, false},
                 {membrane, true, false, true, true},
                 {membrane, true, true, true, true}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const sti_matrix view = sti_matrix_dense_view(2, 2, cases[c].entries);
        sti_matrix M;
        if (cases[c].sparse)
            assert_int_equal(sti_matrix_to_sparse(env, &view, &M), STI_OK);
        else
            assert_int_equal(sti_matrix_to_dense(env, &view, &M), STI_OK);
        sti_principal p;
        assert_int_equal(sti_principal_init(&p, env, &M, cases[c].symmetric), STI_OK);
        assert_int_equal(sti_principal_is_positive(&p, 0), cases[c].positive);
        assert_int_equal(sti_principal_is_positive(&p, 1e-10), cases[c].positive_shifted);
        const double x[2] = {1, 2};
        double y[2], yt[2];
        sti_principal_multiply(&p, x, y);
        sti_principal_multiply_transposed(&p, x, yt);
        const double* A = cases[c].entries;
        assert_true(y[0] == A[0] + 2 * A[1] && y[1] == A[2] + 2 * A[3]);
        assert_true(yt[0] == A[0] + 2 * A[2] && yt[1] == A[1] + 2 * A[3]);
        sti_principal_clear(&p);
        sti_matrix_clear(env, &M);
    }
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    double entries[4] = {2, -1, -1, 2};
    const sti_matrix dense = sti_matrix_dense_view(2, 2, entries);
    int64_t col_start[3] = {0, 2, 4};
    int row[4] = {0, 1, 0, 1};
    const sti_matrix sparse = {.rows = 2, .cols = 2, .col_start = col_start, .row = row, .value = entries};
    for (int form = 0; form < 2; form++) {
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_principal p;
            const sti_status status = sti_principal_init(&p, f.env, form == 0 ? &dense : &sparse, true);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            sti_principal_clear(&p);  // cleared already when the call failed
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lu_solves_rows_not_columns),
        cmocka_unit_test(factors_solve_random_systems_to_rounding),
        cmocka_unit_test(breakdowns_are_reported),
        cmocka_unit_test(condition_estimates_see_near_singularity),
        cmocka_unit_test(products_follow_the_definition),
        cmocka_unit_test(principal_systems_agree_dense_and_sparse),
        cmocka_unit_test(positivity_is_decided_on_the_symmetric_part),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
