// test_pminors.c: P, P0 and K: the reference case with its critical friction, order 20 in full, matrices where every
// floating-point sign is in doubt, triangular and block triangular matrices of any order, H-matrices, large witnesses.
#include <stdio.h>
#include <time.h>

#include "classes/classes.h"
#include "support/class_oracle.h"
#include "support/open_env.h"
#include "support/oracle.h"

enum { N = 20 };

// P and P0 only, timed, with witnesses checked.
static void check(sti_env* env, const char* name, double* entries, int n, sti_verdict P, sti_verdict P0) {
    const sti_matrix M = sti_matrix_dense_view(n, n, entries);
    const sti_classes_options options = sti_classes_options_default();
    sti_specimen s;
    sti_classes c = {.n = n};
    for (int k = 0; k < STI_CLASS_COUNT; k++) sti_finding_clear(env, &c.finding[k]);
    assert_int_equal(sti_specimen_init(&s, env, &M, NULL, &options), STI_OK);
    const clock_t begin = clock();
    assert_int_equal(sti_specimen_P(&s, &c), STI_OK);
    const clock_t middle = clock();
    assert_int_equal(sti_specimen_P0(&s, &c), STI_OK);
    print_message("%-36s order %3d  P %2d %.3f s  P0 %2d %.3f s\n", name, n, c.finding[STI_CLASS_P].verdict,
                  (double)(middle - begin) / CLOCKS_PER_SEC, c.finding[STI_CLASS_P0].verdict,
                  (double)(clock() - middle) / CLOCKS_PER_SEC);
    assert_int_equal(c.finding[STI_CLASS_P].verdict, P);
    assert_int_equal(c.finding[STI_CLASS_P0].verdict, P0);
    mpq_t* a = exact_matrix(env, &M, NULL);
    for (int k = STI_CLASS_P; k <= STI_CLASS_P0; k++) {
        const sti_class_finding* f = &c.finding[k];
        if (f->verdict == STI_NO) {
            const int sign = exact_det_sign(a, (size_t)n, f->index, (size_t)f->size, NULL);
            assert_true(k == STI_CLASS_P0 ? sign < 0 : sign <= 0);
        }
        sti_finding_clear(env, &c.finding[k]);
    }
    exact_free(a, (size_t)(n * n));
    sti_specimen_clear(&s);
}

static void block_on_two_corners_loses_P_at_the_critical_friction(void** state) {
    sti_env* env = *state;
    cJSON* root = oracle_open("papers");
    if (root == NULL) skip();
    const cJSON* item;
    int seen = 0;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strcmp(oracle_id(item), "S1-65") != 0) continue;
        const cJSON* one;
        cJSON_ArrayForEach(one, oracle_get(item, "expected", "per_mu")) {
            oracle_table D = oracle_read(env, cJSON_GetObjectItemCaseSensitive(one, "D"));
            const sti_matrix M = sti_matrix_dense_view(2, 2, D.value);
            sti_classes* c;
            assert_int_equal(sti_classes_create(env, &M, NULL, NULL, &c), STI_OK);
            exact_check_findings(env, &M, NULL, c);
            const bool P = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(one, "P_matrix"));
            assert_int_equal(c->finding[STI_CLASS_P].verdict, P);
            if (!P) assert_true(c->finding[STI_CLASS_P].size == 1 && c->finding[STI_CLASS_P].index[0] == 0);
            sti_classes_destroy(env, c);
            oracle_free(&D);
            seen++;
        }
    }
    cJSON_Delete(root);
    assert_int_equal(seen, 3);
    // the same matrix in fractions: l = 4/5, L = 1/2, m = 3; exactly zero at mu = 41/30, and only there
    static const char* diagonal[3] = {"1/1000000000000000000000", "0", "-1/1000000000000000000000"};
    for (int k = 0; k < 3; k++) {
        sti_rationals* exact;
        double entries[4];
        static const char* rest[4] = {"", "-75/82", "89/82", "2"};
        assert_int_equal(sti_rationals_create(env, 4, &exact), STI_OK);
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(sti_rationals_set_text(exact, i, i == 0 ? diagonal[k] : rest[i]), STI_OK);
            entries[i] = sti_rationals_double(exact, i);
        }
        const sti_matrix M = sti_matrix_dense_view(2, 2, entries);
        sti_classes* c;
        assert_int_equal(sti_classes_create(env, &M, exact, NULL, &c), STI_OK);
        assert_int_equal(c->finding[STI_CLASS_P].verdict, k == 0);
        assert_int_equal(c->finding[STI_CLASS_P0].verdict, k <= 1);
        sti_classes_destroy(env, c);
        sti_rationals_destroy(exact);
    }
}

// rows of (gram of rank r + skew) times positive numbers: P0 always; not semidefinite any more
static void scaled_rows(sti_rng* rng, double* m, int rank, int skew, bool real) {
    double G[N][N];
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < rank; k++) G[i][k] = real ? sti_rng_u01(rng) - 0.5 : sti_rng_int(rng, -2, 2);
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            m[i * N + j] = 0;
            for (int k = 0; k < rank; k++) m[i * N + j] += G[i][k] * G[j][k];
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            const double v = skew == 0 || (skew == 1 && (i < 10) == (j < 10)) ? 0 : sti_rng_int(rng, -2, 2);
            m[i * N + j] += v;
            m[j * N + i] -= v;
        }
    }
    for (int i = 0; i < N; i++) {
        const double d = sti_rng_int(rng, 1, 9);
        for (int j = 0; j < N; j++) m[i * N + j] *= d;
    }
}

static void order_twenty_is_decided_in_full(void** state) {
    sti_rng rng = {4};
    double m[N * N];
    scaled_rows(&rng, m, 20, 2, false);
    check(*state, "gram and skew, rows scaled", m, N, STI_YES, STI_YES);
    scaled_rows(&rng, m, 20, 2, true);
    check(*state, "the same in doubles", m, N, STI_YES, STI_YES);
    scaled_rows(&rng, m, 8, 0, false);
    check(*state, "gram of rank 8, rows scaled", m, N, STI_NO, STI_YES);
}

static void signs_below_rounding_are_decided(void** state) {
    sti_rng rng = {6};
    double m[N * N];
    const int n = 14;
    // tiny + skew, rows scaled: P by definiteness before the scaling, with minors down to 1e-200
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            const double v = sti_rng_int(&rng, -3, 3);
            m[i * n + j] = i == j ? 0x1p-60 : v;
            m[j * n + i] = i == j ? 0x1p-60 : -v;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) m[i * n + j] *= i + 1;
    }
    check(*state, "skew and 2^-60 I, rows scaled", m, n, STI_YES, STI_YES);
    // Hilbert matrix of order 12 in doubles, rows scaled: its minors are far below rounding
    const int h = 12;
    for (int i = 0; i < h; i++) {
        for (int j = 0; j < h; j++) m[i * h + j] = (i + 1.0) * (12252240 / (i + j + 1) + (i + j + 1 > 17 ? 1 : 0));
    }
    const sti_matrix M = sti_matrix_dense_view(h, h, m);
    sti_classes* c;
    assert_int_equal(sti_classes_create(*state, &M, NULL, NULL, &c), STI_OK);
    exact_check_findings(*state, &M, NULL, c);
    assert_true(c->finding[STI_CLASS_P].exact);
    sti_classes_destroy(*state, c);
}

// Rounded low-rank matrices, some with tiny diagonals added or taken away: some are P, and rounding cannot tell which.
static void doubles_in_doubt_agree_with_all_minors(void** state) {
    sti_env* env = *state;
    sti_rng rng = {27};
    int yes = 0;
    for (int trial = 0; trial < 600; trial++) {
        const int n = sti_rng_int(&rng, 2, 6), rank = sti_rng_int(&rng, 1, n);
        double m[36], G[6][6];
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < rank; k++) G[i][k] = sti_rng_u01(&rng) - 0.5;
        }
        for (int i = 0; i < n; i++) {
            const double d = ldexp(sti_rng_int(&rng, 1, 5), sti_rng_int(&rng, -40, 40));
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int k = 0; k < rank; k++) sum += G[i][k] * G[j][k];
                if (i == j) sum += ldexp(sti_rng_int(&rng, -1, 1), -sti_rng_int(&rng, 50, 60));
                m[i * n + j] = d * sum;
            }
        }
        const sti_matrix M = sti_matrix_dense_view(n, n, m);
        mpq_t* a = exact_matrix(env, &M, NULL);
        bool P = true, P0 = true;
        for (unsigned set = 1; set < 1u << n; set++) {
            int index[6], k = 0;
            for (int i = 0; i < n; i++) {
                if ((set >> i & 1) != 0) index[k++] = i;
            }
            const int sign = exact_det_sign(a, (size_t)n, index, (size_t)k, NULL);
            P = P && sign > 0;
            P0 = P0 && sign >= 0;
        }
        exact_free(a, (size_t)(n * n));
        sti_classes* c;
        assert_int_equal(sti_classes_create(env, &M, NULL, NULL, &c), STI_OK);
        exact_check_findings(env, &M, NULL, c);
        assert_int_equal(c->finding[STI_CLASS_P].verdict, P);
        assert_int_equal(c->finding[STI_CLASS_P0].verdict, P0);
        yes += P;
        sti_classes_destroy(env, c);
    }
    assert_true(yes > 100 && yes < 500);
}

static void a_minor_of_the_whole_matrix_is_found(void** state) {
    // cyclic: all proper minors positive, det = 1 + (-1)^(n+1) * product of the cycle
    for (int n = 3; n <= 17; n += n < 6 ? 1 : 11) {
        double m[N * N] = {0};
        for (int i = 0; i < n; i++) {
            m[i * n + i] = 1;
            m[i * n + (i + 1) % n] = n % 2 == 0 ? 1 : -1;
        }
        m[(n - 1) * n] *= 1 + 0x1p-50;
        check(*state, "cycle", m, n, STI_NO, STI_NO);
        m[(n - 1) * n] = n % 2 == 0 ? 1 : -1;
        check(*state, "singular cycle", m, n, STI_NO, STI_YES);
        m[(n - 1) * n] *= 1 - 0x1p-50;
        check(*state, "cycle below one", m, n, STI_YES, STI_YES);
    }
}

static void structure_decides_large_orders(void** state) {
    enum { n = 120 };
    double* m = calloc((size_t)(n * n), sizeof *m);
    sti_rng rng = {8};
    // Murty's matrix: triangular, P at every order
    for (int i = 0; i < n; i++) {
        m[i * n + i] = 1;
        for (int j = i + 1; j < n; j++) m[i * n + j] = 2;
    }
    check(*state, "Murty", m, n, STI_YES, STI_YES);
    m[77 * n + 77] = 0;
    check(*state, "Murty with a zero", m, n, STI_NO, STI_YES);
    // block triangular with cycles of order 6, dense above
    memset(m, 0, (size_t)(n * n) * sizeof *m);
    for (int i = 0; i < n; i++) {
        for (int j = 6 * (i / 6 + 1); j < n; j++) m[i * n + j] = sti_rng_int(&rng, -9, 9);
        m[i * n + i] = 1;
        m[i * n + (i % 6 == 5 ? i - 5 : i + 1)] = 0.5;
    }
    check(*state, "block triangular", m, n, STI_YES, STI_YES);
    for (int i = 60; i < 66; i++) m[i * n + (i % 6 == 5 ? i - 5 : i + 1)] = 2;
    check(*state, "one block not P0", m, n, STI_NO, STI_NO);
    // diagonally dominant after scaling of columns; its sign pattern is anything
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) m[i * n + j] = (i == j ? n : 2 * sti_rng_u01(&rng) - 1) * (1 + j % 7);
    }
    check(*state, "H-matrix", m, n, STI_YES, STI_YES);
    free(m);
}

static void K_is_decided_by_leading_minors(void** state) {
    sti_env* env = *state;
    enum { n = 40 };
    double* m = calloc((size_t)(n * n), sizeof *m);
    for (int singular = 0; singular < 3; singular++) {
        // Laplacian of a cycle, with the last entry 1 more, as it is, or a last bit less
        for (int i = 0; i < n; i++) {
            m[i * n + i] = 2;
            m[i * n + (i + 1) % n] = m[((i + 1) % n) * n + i] = -1;
        }
        m[1] = -1 - 0x1p-30;  // not symmetric
        m[0] = 2 + 0x1p-30 + (singular == 0 ? 1 : singular == 1 ? 0 : -0x1p-45);
        const sti_matrix M = sti_matrix_dense_view(n, n, m);
        sti_classes* c;
        assert_int_equal(sti_classes_create(env, &M, NULL, NULL, &c), STI_OK);
        exact_check_findings(env, &M, NULL, c);
        assert_int_equal(c->finding[STI_CLASS_Z].verdict, STI_YES);
        assert_int_equal(c->finding[STI_CLASS_K].verdict, singular == 0);
        assert_true(c->finding[STI_CLASS_K].exact);
        sti_classes_destroy(env, c);
    }
    free(m);
}

static void symmetric_matrices_get_an_index_set(void** state) {
    sti_env* env = *state;
    sti_rng rng = {12};
    for (int trial = 0; trial < 20; trial++) {
        const int n = 25 + trial;
        double* m = calloc((size_t)(n * n), sizeof *m);
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n - 2; k++) {
                const double g = sti_rng_int(&rng, -2, 2);
                m[i * n + k] = g;
            }
        }
        double* S = calloc((size_t)(n * n), sizeof *S);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                for (int k = 0; k < n - 2; k++) S[i * n + j] += m[i * n + k] * m[j * n + k];
            }
        }
        if (trial % 2 == 1) S[n * n - 1] -= 1;
        const sti_matrix M = sti_matrix_dense_view(n, n, S);
        sti_classes* c;
        assert_int_equal(sti_classes_create(env, &M, NULL, NULL, &c), STI_OK);
        exact_check_findings(env, &M, NULL, c);
        assert_int_equal(c->finding[STI_CLASS_P].verdict, STI_NO);
        assert_int_equal(c->finding[STI_CLASS_P0].verdict, trial % 2 == 0);
        if (trial % 2 == 1) assert_non_null(c->finding[STI_CLASS_P0].index);
        sti_classes_destroy(env, c);
        free(m);
        free(S);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_on_two_corners_loses_P_at_the_critical_friction),
        cmocka_unit_test(order_twenty_is_decided_in_full),
        cmocka_unit_test(signs_below_rounding_are_decided),
        cmocka_unit_test(doubles_in_doubt_agree_with_all_minors),
        cmocka_unit_test(a_minor_of_the_whole_matrix_is_found),
        cmocka_unit_test(structure_decides_large_orders),
        cmocka_unit_test(K_is_decided_by_leading_minors),
        cmocka_unit_test(symmetric_matrices_get_an_index_set),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
