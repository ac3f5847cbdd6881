// test_tiny.c: factors of a few rows against the equations they solve, and against LAPACK's estimate of the condition.
#include <math.h>

#include "base/rng.h"
#include "linalg/dense.h"
#include "linalg/tiny.h"
#include "support/open_env.h"

static void solves_every_size(void** state) {
    (void)state;
    sti_rng rng = {.state = 7};
    for (int round = 0; round < 600; round++) {
        const int n = 1 + round % STI_TINY;
        double A[STI_TINY * STI_TINY], lu[STI_TINY * STI_TINY], x[STI_TINY], b[STI_TINY], size = 0;
        int pivot[STI_TINY];
        for (int k = 0; k < n * n; k++) lu[k] = A[k] = 2 * sti_rng_u01(&rng) - 1;
        for (int i = 0; i < n; i++) x[i] = b[i] = 2 * sti_rng_u01(&rng) - 1;
        assert_true(sti_tiny_lu(n, lu, pivot));
        sti_tiny_lu_solve(n, lu, pivot, x);
        for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
        for (int i = 0; i < n; i++) {
            double s = -b[i];
            for (int j = 0; j < n; j++) s += A[i * n + j] * x[j];
            assert_true(fabs(s) <= 1e-13 * (1 + size));
        }
    }
}

// LAPACK estimates |A^-1| from below: its rcond is at least the exact one, and seldom far from it.
static void condition_is_that_of_lapack(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 11};
    sti_dense_factor f;
    assert_int_equal(sti_dense_factor_init(&f, env, STI_TINY), STI_OK);
    for (int round = 0; round < 300; round++) {
        const int n = 1 + round % STI_TINY;
        double lu[STI_TINY * STI_TINY], *A = sti_dense_factor_load(&f, n);
        int pivot[STI_TINY];
        for (int k = 0; k < n * n; k++) lu[k] = A[k] = 2 * sti_rng_u01(&rng) - 1;
        assert_true(sti_dense_factor_lu(&f));
        const double theirs = sti_dense_factor_rcond(&f);
        assert_true(sti_tiny_lu(n, lu, pivot));
        const double exact = sti_tiny_lu_rcond(n, lu, pivot, f.norm);
        assert_true(exact <= (1 + 1e-9) * theirs && theirs <= 10 * exact);
    }
    sti_dense_factor_clear(&f);
    sti_env_destroy(env);
}

static void singular_is_seen(void** state) {
    (void)state;
    int pivot[2];
    double zero[4] = {1, 2, 2, 4}, nan[4] = {NAN, 0, 0, 1}, near[4] = {1, 1, 1, 1 + 1e-15};
    assert_false(sti_tiny_lu(2, zero, pivot));
    assert_false(sti_tiny_lu(2, nan, pivot));
    assert_true(sti_tiny_lu(2, near, pivot));
    assert_true(sti_tiny_lu_rcond(2, near, pivot, 2) < 1e-14);
    assert_true(sti_tiny_lu_rcond(2, near, pivot, INFINITY) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_every_size),
        cmocka_unit_test(condition_is_that_of_lapack),
        cmocka_unit_test(singular_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
