// test_definite.c: definiteness where rounding hides it: singular, nearly singular and badly scaled matrices, orders
// above and below the limit of exact elimination, connected parts, and what is only known up to rounding.
#include "classes/classes.h"
#include "support/class_oracle.h"
#include "support/open_env.h"

static double* table(int n) {
    double* m = calloc((size_t)(n * n) + 1, sizeof *m);
    assert_non_null(m);
    return m;
}

// Definite and semidefinite verdicts of the whole matrix; witnesses are checked.
static void find(sti_env* env, double* m, int n, sti_class_finding* f) {
    const sti_matrix M = sti_matrix_dense_view(n, n, m);
    const sti_classes_options options = sti_classes_options_default();
    sti_specimen s;
    int* all = malloc((size_t)(n + 1) * sizeof *all);
    for (int i = 0; i < n; i++) all[i] = i;
    assert_int_equal(sti_specimen_init(&s, env, &M, NULL, &options), STI_OK);
    f[0] = f[1] = (sti_class_finding){0};
    assert_int_equal(sti_specimen_definite(&s, all, n, &f[0], &f[1]), STI_OK);
    mpq_t* a = exact_matrix(env, &M, NULL);
    if (f[0].verdict == STI_NO) exact_check_vector(env, a, (size_t)n, STI_CLASS_POSITIVE_DEFINITE, &f[0]);
    if (f[1].verdict == STI_NO) exact_check_vector(env, a, (size_t)n, STI_CLASS_POSITIVE_SEMIDEFINITE, &f[1]);
    exact_free(a, (size_t)(n * n));
    sti_specimen_clear(&s);
    free(all);
}

static void expect(sti_env* env, double* m, int n, sti_verdict definite, sti_verdict semidefinite, bool exact) {
    sti_class_finding f[2];
    find(env, m, n, f);
    assert_int_equal(f[0].verdict, definite);
    assert_int_equal(f[1].verdict, semidefinite);
    if (exact)
        assert_true(f[0].exact && f[1].exact);
    else
        assert_false(f[1].exact);
    sti_finding_clear(env, &f[0]);
    sti_finding_clear(env, &f[1]);
}

// M = G G' + skew, G n x rank of small integers
static void add_gram(sti_rng* rng, double* m, int n, int rank) {
    double* G = table(n);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < rank; k++) G[i * n + k] = sti_rng_int(rng, -2, 2);
        G[i * n + i % rank] += 5;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < rank; k++) m[i * n + j] += G[i * n + k] * G[j * n + k];
        }
        for (int j = 0; j < i; j++) {
            const double v = sti_rng_int(rng, -9, 9);
            m[i * n + j] += v;
            m[j * n + i] -= v;
        }
    }
    free(G);
}

static void singular_and_shifted_matrices_are_told_apart(void** state) {
    sti_rng rng = {3};
    for (int n = 2; n <= 50; n += 12) {
        for (int rank = n - 1; rank <= n; rank++) {
            double* m = table(n);
            add_gram(&rng, m, n, rank);
            expect(*state, m, n, rank == n ? STI_YES : STI_NO, STI_YES, true);
            if (rank < n) {  // any diagonal of a singular matrix: down by a last bit
                m[0] -= ldexp(1, -40);
                expect(*state, m, n, STI_NO, STI_NO, true);
                for (int i = 0; i < n; i++) m[i * n + i] += ldexp(1, -39);
                expect(*state, m, n, STI_YES, STI_YES, true);
            }
            free(m);
        }
    }
}

static void scaling_does_not_matter(void** state) {
    sti_rng rng = {13};
    for (int trial = 0; trial < 20; trial++) {
        const int n = 6;
        double *m = table(n), *scaled = table(n);
        add_gram(&rng, m, n, trial % 2 == 0 ? 6 : 4);
        if (trial % 4 >= 2) m[7] -= 0x1p-30;
        sti_class_finding f[2], g[2];
        find(*state, m, n, f);
        int e[6];
        for (int i = 0; i < n; i++) e[i] = sti_rng_int(&rng, -200, 200);
        for (int i = 0; i < n * n; i++) scaled[i] = ldexp(m[i], e[i / n] + e[i % n]);
        find(*state, scaled, n, g);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(f[k].verdict, g[k].verdict);
            sti_finding_clear(*state, &f[k]);
            sti_finding_clear(*state, &g[k]);
        }
        free(m);
        free(scaled);
    }
}

static void zeros_on_the_diagonal_are_seen(void** state) {
    double m[9] = {0, 1, 0, -1, 2, 0, 0, 0, 0};
    expect(*state, m, 3, STI_NO, STI_YES, true);
    m[1] = 1 + 0x1p-52;
    expect(*state, m, 3, STI_NO, STI_NO, true);
    double zero[4] = {0};
    expect(*state, zero, 2, STI_NO, STI_YES, true);
    expect(*state, zero, 0, STI_YES, STI_YES, true);
}

static void large_orders_are_decided_with_a_margin(void** state) {
    sti_rng rng = {21};
    const int n = 150;
    double* m = table(n);
    add_gram(&rng, m, n, n);
    for (int i = 0; i < n; i++) m[i * n + i] += 1;
    expect(*state, m, n, STI_YES, STI_YES, true);
    m[0] = m[0] - 1000;
    expect(*state, m, n, STI_NO, STI_NO, true);
    free(m);
    // singular: only up to rounding
    m = table(n);
    add_gram(&rng, m, n, n - 3);
    sti_class_finding f[2];
    find(*state, m, n, f);
    assert_int_equal(f[1].verdict, STI_YES);
    assert_false(f[1].exact);
    assert_int_equal(f[0].verdict, STI_UNDECIDED);
    sti_finding_clear(*state, &f[0]);
    sti_finding_clear(*state, &f[1]);
    free(m);
}

static void singular_parts_of_a_large_matrix_are_exact(void** state) {
    const int n = 160;
    double* m = table(n);
    for (int c = 0; c < n / 4; c++) {  // blocks 4 I - J: singular
        for (int i = 0; i < 16; i++) m[(4 * c + i / 4) * n + 4 * c + i % 4] = i % 5 == 0 ? 3 : -1;
    }
    expect(*state, m, n, STI_NO, STI_YES, true);
    m[81 * n + 81] -= 0x1p-50;
    expect(*state, m, n, STI_NO, STI_NO, true);
    for (int i = 0; i < n; i++) m[i * n + i] = 3 + 0x1p-45;
    expect(*state, m, n, STI_YES, STI_YES, true);
    free(m);
}

static void failed_allocations_are_survived(void** state) {
    (void)state;
    const int n = 64;  // above the limit: cut into parts
    double* m = table(n);
    for (int i = 0; i < n; i++) {
        m[i * n + i] = 1;
        m[i * n + (i ^ 1)] = i < 40 ? -1 : i < 60 ? -0.5 : 2;
    }
    const sti_matrix M = sti_matrix_dense_view(n, n, m);
    const sti_classes_options options = sti_classes_options_default();
    int all[64];
    for (int i = 0; i < n; i++) all[i] = i;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_specimen s;
        sti_status status = sti_specimen_init(&s, f.env, &M, NULL, &options);
        if (status == STI_OK) {
            sti_class_finding finding[2] = {{0}, {0}};
            status = sti_specimen_definite(&s, all, n, &finding[0], &finding[1]);
            if (status == STI_OK) assert_true(finding[0].verdict == STI_NO && finding[1].verdict == STI_NO);
            sti_finding_clear(f.env, &finding[0]);
            sti_finding_clear(f.env, &finding[1]);
            sti_specimen_clear(&s);
        }
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singular_and_shifted_matrices_are_told_apart),
        cmocka_unit_test(scaling_does_not_matter),
        cmocka_unit_test(zeros_on_the_diagonal_are_seen),
        cmocka_unit_test(large_orders_are_decided_with_a_margin),
        cmocka_unit_test(singular_parts_of_a_large_matrix_are_exact),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
