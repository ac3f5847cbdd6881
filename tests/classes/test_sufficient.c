// test_sufficient.c: column sufficiency beyond what brute force reaches: row-scaled semidefinite matrices
// (sufficient, though not semidefinite), the same spoilt in one place, every branch of the construction from a
// negative minor.
#include <time.h>

#include "support/class_oracle.h"
#include "support/open_env.h"

enum { MAX = 20 };

static sti_verdict verdict_of(sti_env* env, double* m, int n) {
    const sti_matrix M = sti_matrix_dense_view(n, n, m);
    sti_classes* c;
    const clock_t begin = clock();
    assert_int_equal(sti_classes_create(env, &M, NULL, NULL, &c), STI_OK);
    const sti_class_finding* f = &c->finding[STI_CLASS_COLUMN_SUFFICIENT];
    print_message("order %2d: %2d %.3f s  %s\n", n, f->verdict, (double)(clock() - begin) / CLOCKS_PER_SEC, f->how);
    exact_check_findings(env, &M, NULL, c);
    const sti_verdict verdict = f->verdict;
    sti_classes_destroy(env, c);
    return verdict;
}

// x_i (DMx)_i = d_i x_i (Mx)_i: positive factors on rows do not change column sufficiency
static void row_scaled_semidefinite(sti_rng* rng, double* m, int n, int rank) {
    int G[MAX][MAX];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < rank; k++) G[i][k] = sti_rng_int(rng, -2, 2);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            m[i * n + j] = 0;
            for (int k = 0; k < rank; k++) m[i * n + j] += G[i][k] * G[j][k];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            const int v = sti_rng_int(rng, 0, 2) == 0 ? sti_rng_int(rng, -2, 2) : 0;
            m[i * n + j] += v;
            m[j * n + i] -= v;
        }
    }
    for (int i = 0; i < n; i++) {
        const int d = sti_rng_int(rng, 1, 7);
        for (int j = 0; j < n; j++) m[i * n + j] *= d;
    }
}

static void row_scaled_semidefinite_matrices_are_sufficient(void** state) {
    sti_rng rng = {17};
    double m[MAX * MAX];
    for (int n = 2; n <= 12; n++) {
        row_scaled_semidefinite(&rng, m, n, n / 3 + 1);
        const sti_verdict verdict = verdict_of(*state, m, n);
        assert_true(verdict == STI_YES || (n > 10 && verdict == STI_UNDECIDED));
    }
}

static void a_zero_row_with_a_full_column_is_not_sufficient(void** state) {
    // M = [0 0; 1 0]: x = (1, -1) has x_2 (Mx)_2 = -1; P0, so only the search can tell
    double m[MAX * MAX] = {0, 0, 1, 0};
    assert_int_equal(verdict_of(*state, m, 2), STI_NO);
    sti_rng rng = {19};
    for (int n = 3; n <= 11; n += 2) {  // the same somewhere in a larger sufficient matrix
        row_scaled_semidefinite(&rng, m, n, 2);
        const int i = sti_rng_int(&rng, 0, n - 2);
        for (int j = 0; j < n; j++) m[i * n + j] = m[j * n + i] = m[(i + 1) * n + j] = m[j * n + i + 1] = 0;
        m[(i + 1) * n + i] = 3;
        assert_int_equal(verdict_of(*state, m, n), STI_NO);
    }
}

static void every_negative_minor_gives_a_vector(void** state) {
    double pair[4] = {0, 1, 1, 0};  // all smaller minors zero: the pair construction
    assert_int_equal(verdict_of(*state, pair, 2), STI_NO);
    double one_sided[9] = {0, 1, 0, 0, 0, 1, -1, 0, 0};  // a cycle of three, all minors of order 1 and 2 zero
    assert_int_equal(verdict_of(*state, one_sided, 3), STI_NO);
    double cycle[MAX * MAX] = {0};
    for (int i = 0; i < 16; i++) {  // order 16: beyond the search, but not P0
        cycle[i * 16 + i] = 1;
        cycle[i * 16 + (i + 1) % 16] = 2;
    }
    assert_int_equal(verdict_of(*state, cycle, 16), STI_NO);
    for (int i = 0; i < 13; i++) {  // order 13, P0 and neither P nor semidefinite: open
        for (int j = 0; j < 13; j++) cycle[i * 13 + j] = j > i;
    }
    assert_int_equal(verdict_of(*state, cycle, 13), STI_UNDECIDED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_scaled_semidefinite_matrices_are_sufficient),
        cmocka_unit_test(a_zero_row_with_a_full_column_is_not_sufficient),
        cmocka_unit_test(every_negative_minor_gives_a_vector),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
