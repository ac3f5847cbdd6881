// The border to LAPACK: what is no finite number gets no further, and the factorizations behind it are those they are
// called.
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "linalg/lapack.h"
#include "support/open_env.h"

enum { N = 4, ROOM = 200 };

static const double spd[N * N] = {4, 1, 0, 0, 1, 5, 2, 0, 0, 2, 6, 1, 0, 0, 1, 3};

// Every routine with one entry of its matrix replaced: how it ends.
typedef int (*routine)(double* a);

static int run_lu(double* a) {
    int pivot[N];
    return sti_lapack_lu(N, a, pivot);
}

static int run_cholesky(double* a) {
    return sti_lapack_cholesky('L', N, a);
}

static int run_symmetric(double* a) {
    double w[N], work[ROOM];
    return sti_lapack_symmetric_eigen(true, N, a, w, work, ROOM);
}

static int run_eigenvalues(double* a) {
    double re[N], im[N], work[ROOM];
    return sti_lapack_eigenvalues(N, a, re, im, work, ROOM);
}

static int run_svd(double* a) {
    double s[N], u[N * N], vt[N * N], work[ROOM];
    return sti_lapack_svd(N, N, a, s, u, vt, work, ROOM);
}

static int run_least_squares(double* a) {
    double b[N] = {1, 2, 3, 4}, work[ROOM];
    int pivot[N], rank;
    return sti_lapack_least_squares(N, N, a, b, N, pivot, 1e-12, &rank, work, ROOM);
}

static const struct {
    routine run;
    bool lower;  // reads the lower triangle alone
} routines[] = {{run_lu, false},          {run_cholesky, true}, {run_symmetric, true},
                {run_eigenvalues, false}, {run_svd, false},     {run_least_squares, false}};
enum { ROUTINES = sizeof routines / sizeof routines[0] };

static void finite_matrices_pass(void** state) {
    (void)state;
    for (int r = 0; r < ROUTINES; r++) {
        double a[N * N];
        memcpy(a, spd, sizeof a);
        assert_int_equal(routines[r].run(a), STI_LAPACK_DONE);
    }
}

static void what_is_no_finite_number_goes_no_further(void** state) {
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int r = 0; r < ROUTINES; r++) {
        for (int k = 0; k < N * N * 3; k++) {
            const int column = k / 3 / N, row = k / 3 % N;
            double a[N * N];
            memcpy(a, spd, sizeof a);
            a[column * N + row] = bad[k % 3];
            const int expected = routines[r].lower && row < column ? STI_LAPACK_DONE : STI_LAPACK_NOT_FINITE;
            assert_int_equal(routines[r].run(a), expected);
        }
    }
}

static void numbers_at_the_end_of_the_range_end(void** state) {
    (void)state;
    for (int r = 0; r < ROUTINES; r++) {
        double a[N * N];
        for (int k = 0; k < N * N; k++) a[k] = (k % 3 == 0 ? -1.7e308 : 1e308) * (1 - 0.01 * k);
        (void)routines[r].run(a);  // whatever it says
    }
}

static void an_overflow_on_the_way_of_lu_is_no_factorization(void** state) {
    (void)state;
    double a[4] = {1, -1, 1.7e308, 1.7e308};
    int pivot[2];
    assert_int_equal(sti_lapack_lu(2, a, pivot), 2);
}

// A caller that goes on with factors that are none gets numbers that are none, and nothing worse.
static void a_solve_with_factors_that_are_none_ends(void** state) {
    (void)state;
    double a[4] = {1, INFINITY, NAN, 1}, x[2] = {1, 2};
    int pivot[2] = {1 << 30, -5};
    assert_int_equal(sti_lapack_lu(2, a, pivot), STI_LAPACK_NOT_FINITE);
    sti_lapack_lu_solve('T', 2, 1, a, pivot, x, 2);
    assert_true(!isfinite(x[0]) || !isfinite(x[1]));
}

static void the_status_blames_the_data(void** state) {
    (void)state;
    sti_env* env = open_env();
    assert_int_equal(sti_lapack_reserve(env), STI_OK);
    assert_int_equal(sti_lapack_status(env, STI_LAPACK_DONE, "x"), STI_OK);
    assert_int_equal(sti_lapack_status(env, STI_LAPACK_NOT_FINITE, "eigenvalues of order %d", 7), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "eigenvalues of order 7: the numbers given are too large"));
    assert_int_equal(sti_lapack_status(env, 3, "eigenvalues of order %d", 7), STI_ERR_INTERNAL);
    sti_env_destroy(env);
}

enum { ORDER = 16, SIZE = ORDER * ORDER, ROUNDS = 20000, THREADS = 4 };

// The same triangular system again and again: how often was the answer another one?
typedef struct worker {
    int which;
    int changes;
} worker;

static void* solve_again_and_again(void* arg) {
    worker* w = arg;
    double a[SIZE], first[SIZE], x[SIZE];
    for (int k = 0; k < SIZE; k++) a[k] = k % (ORDER + 1) == 0 ? 1 + w->which : sin(k + w->which) / ORDER;
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < SIZE; k++) x[k] = cos(k * w->which + 1.0);
        sti_blas_trsm('L', 'N', false, ORDER, ORDER, a, ORDER, x, ORDER);
        if (round == 0) memcpy(first, x, sizeof x);
        w->changes += memcmp(first, x, sizeof x) != 0;
    }
    return NULL;
}

// An OpenBLAS without threads has no locks either; without one before it some 70 of these 80,000 answers are wrong.
static void threads_of_a_program_do_not_disturb_each_other(void** state) {
    (void)state;
    pthread_t thread[THREADS];
    worker workers[THREADS] = {{0}};
    for (int i = 0; i < THREADS; i++) {
        workers[i].which = i;
        assert_int_equal(pthread_create(&thread[i], NULL, solve_again_and_again, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) assert_int_equal(workers[i].changes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finite_matrices_pass),
        cmocka_unit_test(what_is_no_finite_number_goes_no_further),
        cmocka_unit_test(numbers_at_the_end_of_the_range_end),
        cmocka_unit_test(an_overflow_on_the_way_of_lu_is_no_factorization),
        cmocka_unit_test(a_solve_with_factors_that_are_none_ends),
        cmocka_unit_test(the_status_blames_the_data),
        cmocka_unit_test(threads_of_a_program_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
