// test_copositive.c: copositivity and the minimum on the simplex: the reference cases, families with known answers up
// to order 20, thresholds to the last bit, large matrices that fall into parts, and what a limit on work does.
#include <stdio.h>
#include <time.h>

#include "classes/classes.h"
#include "support/class_oracle.h"
#include "support/open_env.h"
#include "support/oracle.h"

static void copositive_cases_of_the_thesis_hold(void** state) {
    sti_env* env = *state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    int seen = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strncmp(oracle_id(item), "COP-", 4) != 0) continue;
        seen++;
        oracle_table t = oracle_read(env, oracle_get(item, "inputs", "M"));
        const sti_matrix M = sti_matrix_dense_view(t.rows, t.cols, t.value);
        sti_classes* c;
        assert_int_equal(sti_classes_create(env, &M, t.exact, NULL, &c), STI_OK);
        exact_check_findings(env, &M, t.exact, c);
        const sti_class_finding* f = c->finding;
        assert_int_equal(f[STI_CLASS_COPOSITIVE].verdict, cJSON_IsTrue(oracle_get(item, "expected", "copositive")));
        assert_int_equal(f[STI_CLASS_STRICTLY_COPOSITIVE].verdict,
                         cJSON_IsTrue(oracle_get(item, "expected", "strictly_copositive")));
        assert_int_equal(f[STI_CLASS_POSITIVE_SEMIDEFINITE].verdict,
                         cJSON_IsTrue(oracle_get(item, "expected", "positive_semidefinite")));
        assert_true(fabs(c->min_eigenvalue - oracle_double(env, oracle_get(item, "expected", "min_eig_sym"))) < 1e-9);
        assert_true(fabs(c->simplex_min - oracle_double(env, oracle_get(item, "expected", "min_over_simplex"))) < 1e-9);
        char* text;
        assert_int_equal(sti_rationals_text(c->simplex_min_exact, 0, &text), STI_OK);
        assert_string_equal(text, cJSON_GetStringValue(oracle_get(item, "expected", "min_over_simplex_exact")));
        sti_env_free(env, text);
        sti_classes_destroy(env, c);
        oracle_free(&t);
    }
    assert_true(seen >= 7);
    cJSON_Delete(root);
}

// ---- order 20

enum { N = 20 };

typedef struct expected {
    sti_verdict copositive, strictly;
    double simplex_min;  // NAN: not known
} expected;

// Copositivity alone, timed; then everything, checked.
static void check(sti_env* env, const char* name, const double* entries, int n, expected e) {
    static double copy[N * N];
    memcpy(copy, entries, (size_t)(n * n) * sizeof *copy);
    const sti_matrix M = sti_matrix_dense_view(n, n, copy);
    const sti_classes_options options = sti_classes_options_default();
    sti_specimen s;
    int all[N];
    for (int i = 0; i < n; i++) all[i] = i;
    sti_class_finding f[2] = {{0}, {0}};
    assert_int_equal(sti_specimen_init(&s, env, &M, NULL, &options), STI_OK);
    const clock_t begin = clock();
    assert_int_equal(sti_specimen_copositive(&s, all, n, &f[0], &f[1]), STI_OK);
    print_message("%-34s order %2d  %.3f s  copositive %d strictly %d\n", name, n,
                  (double)(clock() - begin) / CLOCKS_PER_SEC, f[0].verdict, f[1].verdict);
    for (int k = 0; k < 2; k++) {
        assert_true(f[k].exact);
        sti_finding_clear(env, &f[k]);
    }
    sti_specimen_clear(&s);
    sti_classes* c;
    assert_int_equal(sti_classes_create(env, &M, NULL, NULL, &c), STI_OK);
    exact_check_findings(env, &M, NULL, c);
    if (e.copositive != STI_UNDECIDED) {
        assert_int_equal(c->finding[STI_CLASS_COPOSITIVE].verdict, e.copositive);
        assert_int_equal(c->finding[STI_CLASS_STRICTLY_COPOSITIVE].verdict, e.strictly);
    }
    if (!isnan(e.simplex_min)) assert_true(fabs(c->simplex_min - e.simplex_min) < 1e-13);
    // the sign of the minimum is the verdict
    if (!isnan(c->simplex_min)) {
        assert_int_equal(c->finding[STI_CLASS_COPOSITIVE].verdict, c->simplex_min >= 0);
        assert_int_equal(c->finding[STI_CLASS_STRICTLY_COPOSITIVE].verdict, c->simplex_min > 0);
    }
    sti_classes_destroy(env, c);
}

static const int horn[5] = {1, -1, 1, 1, -1};
static const int hoffman_pereira[7] = {1, -1, 1, 0, 0, 1, -1};

static void blocks_of_exceptional_matrices_are_copositive(void** state) {
    double m[N * N];
    for (int between = 0; between < 2; between++) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) m[i * N + j] = i / 5 == j / 5 ? horn[(j - i + 5) % 5] : between;
        }
        check(*state, "four Horn blocks", m, N, (expected){STI_YES, STI_NO, 0});
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            const bool same = i / 7 == j / 7;
            m[i * N + j] = i < 14 && j < 14 && same ? hoffman_pereira[(j - i + 7) % 7] : i >= 14 && i == j;
        }
    }
    check(*state, "two Hoffman-Pereira blocks and I", m, N, (expected){STI_YES, STI_NO, 0});
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) m[i * N + j] = horn[(j / 4 - i / 4 + 5) % 5];
    }
    check(*state, "Horn times ones of order 4", m, N, (expected){STI_YES, STI_NO, 0});
    for (int i = 0; i < N; i++) m[i * N + i] += 0.125;
    check(*state, "the same plus I/8", m, N, (expected){STI_YES, STI_YES, NAN});
    for (int i = 0; i < N; i++) m[i * N + i] -= 0.25;
    check(*state, "the same minus I/8", m, N, (expected){STI_NO, STI_NO, NAN});
}

// min x'(A+I)x = 1 / independence number (Motzkin & Straus), so t(A+I) - J is copositive exactly for t >= that number.
static void graph_matrices_turn_at_the_independence_number(void** state) {
    static const int skip_of[2] = {2, 3},
                     independence[2] = {8, 10};  // generalized Petersen graphs: dodecahedron, Desargues
    for (int g = 0; g < 2; g++) {
        int A[N][N] = {{0}};
        for (int i = 0; i < 10; i++) {
            const int outer = (i + 1) % 10, inner = 10 + (i + skip_of[g]) % 10;
            A[i][outer] = A[outer][i] = A[i][10 + i] = A[10 + i][i] = A[10 + i][inner] = A[inner][10 + i] = 1;
        }
        for (int side = -1; side <= 1; side++) {
            const double t = independence[g] + side * 0x1p-40;
            double m[N * N];
            for (int i = 0; i < N; i++) {
                for (int j = 0; j < N; j++) m[i * N + j] = t * (A[i][j] + (i == j)) - 1;
            }
            check(*state, g == 0 ? "dodecahedron" : "Desargues graph", m, N,
                  (expected){side >= 0 ? STI_YES : STI_NO, side > 0 ? STI_YES : STI_NO, t / independence[g] - 1});
        }
    }
}

// A semidefinite block of low rank, in integers and in rounded doubles, with one more row: a search through half of
// all sets.
static void semidefinite_blocks_with_one_more_row_are_decided(void** state) {
    sti_rng rng = {1};
    for (int real = 0; real < 2; real++) {
        for (int rank = 7; rank <= 19; rank += 6) {
            double G[N][N], m[N * N];
            for (int i = 0; i < 19; i++) {
                for (int k = 0; k < rank; k++) G[i][k] = real ? sti_rng_u01(&rng) - 0.5 : sti_rng_int(&rng, -3, 3);
            }
            for (int i = 0; i < 19; i++) {
                for (int j = 0; j < 19; j++) {
                    m[i * N + j] = 0;
                    for (int k = 0; k < rank; k++) m[i * N + j] += G[i][k] * G[j][k];
                }
            }
            for (int i = 0; i < N; i++)
                m[i * N + 19] = m[19 * N + i] = i == 19 ? 1 : real ? sti_rng_u01(&rng) - 0.3 : sti_rng_int(&rng, -1, 6);
            char name[40];
            snprintf(name, sizeof name, "%s rank %d and a row", real ? "rounded" : "integer", rank);
            check(*state, name, m, N, (expected){STI_UNDECIDED, STI_UNDECIDED, NAN});
        }
    }
}

// If l = top/bottom is the minimum of x'Sx on the simplex, then bottom S - top J is copositive with a zero, and a
// change of the last bit, 2^-38 J, decides.
static void thresholds_of_small_matrices_are_sharp(void** state) {
    sti_env* env = *state;
    sti_rng rng = {25};
    for (int trial = 0; trial < 1500; trial++) {
        const brute b = brute_random(&rng, sti_rng_int(&rng, 2, 6));
        wide top = 0, bottom = 0;
        brute_simplex(&b, &top, &bottom);
        if (bottom > 1000 || top > 4000 || top < -4000) continue;  // entries must fit 53 bits
        for (int side = -1; side <= 1; side++) {
            double m[BRUTE_MAX * BRUTE_MAX];
            for (int i = 0; i < b.n; i++) {
                for (int j = 0; j < b.n; j++)
                    m[i * b.n + j] = (double)(bottom * (b.m[i][j] + b.m[j][i]) - top) + side * 0x1p-38;
            }
            const sti_matrix M = sti_matrix_dense_view(b.n, b.n, m);
            sti_classes* c;
            assert_int_equal(sti_classes_create(env, &M, NULL, NULL, &c), STI_OK);
            exact_check_findings(env, &M, NULL, c);
            assert_int_equal(c->finding[STI_CLASS_COPOSITIVE].verdict, side >= 0);
            assert_int_equal(c->finding[STI_CLASS_STRICTLY_COPOSITIVE].verdict, side > 0);
            assert_true(c->simplex_min == side * 0x1p-38);
            sti_classes_destroy(env, c);
        }
    }
}

static void all_sets_positive_definite_takes_all_of_them(void** state) {
    // (1 + e) I - J/20 is strictly copositive for e > 0; every proper submatrix is positive definite for e = 0 and
    // below
    double m[N * N];
    for (int side = -1; side <= 1; side++) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) m[i * N + j] = i == j ? 19 + side * 0x1p-44 : -1;
        }
        check(*state, "20 I - J", m, N, (expected){side >= 0 ? STI_YES : STI_NO, side > 0 ? STI_YES : STI_NO, NAN});
    }
}

static void random_matrices_of_order_twenty_are_decided(void** state) {
    sti_rng rng = {9};
    for (int trial = 0; trial < 6; trial++) {
        double m[N * N];
        for (int i = 0; i < N; i++) {
            for (int j = i; j < N; j++) {
                const double pm = sti_rng_int(&rng, 0, 4) > 0 ? 1 : -1;
                m[i * N + j] = m[j * N + i] = trial < 3 ? (i == j ? 1 : pm)
                                              : i == j  ? trial + 1
                                                        : 2 * sti_rng_u01(&rng) - 1;
            }
        }
        check(*state, trial < 3 ? "random signs" : "random entries", m, N,
              (expected){STI_UNDECIDED, STI_UNDECIDED, NAN});
    }
}

// ---- beyond the search

static void frictional_matrices_fall_into_parts(void** state) {
    sti_env* env = *state;
    // contacts without coupling: [a, c, -c, 0; c, d, -d, 1; -c, -d, d, 1; mu, -1, -1, 0] as in COP-12, 50 of them
    enum { contacts = 50, n = 4 * contacts };
    static const double block[16] = {1.25, 0.5, -0.5, 0, 0.5, 2, -2, 1, -0.5, -2, 2, 1, 0.5, -1, -1, 0};
    double* m = calloc((size_t)(n * n), sizeof *m);
    for (int c = 0; c < contacts; c++) {
        for (int i = 0; i < 16; i++) m[(4 * c + i / 4) * n + 4 * c + i % 4] = block[i];
    }
    const sti_matrix M = sti_matrix_dense_view(n, n, m);
    sti_classes* c;
    assert_int_equal(sti_classes_create(env, &M, NULL, NULL, &c), STI_OK);
    assert_int_equal(c->finding[STI_CLASS_COPOSITIVE].verdict, STI_YES);
    assert_true(c->finding[STI_CLASS_COPOSITIVE].exact);
    assert_int_equal(c->finding[STI_CLASS_STRICTLY_COPOSITIVE].verdict, STI_NO);
    assert_int_equal(c->finding[STI_CLASS_POSITIVE_SEMIDEFINITE].verdict, STI_NO);
    exact_check_findings(env, &M, NULL, c);
    assert_true(c->simplex_min == 0);
    sti_classes_destroy(env, c);
    // a violator in the middle is found by descent when the part is too large to search
    for (int i = 0; i < n; i++) {
        m[i * n + i] += 2;
        m[i * n + (i + 1) % n] -= 1;
        m[((i + 1) % n) * n + i] -= 1;
    }
    m[40 * n + 90] = m[90 * n + 40] = -9;
    assert_int_equal(sti_classes_create(env, &M, NULL, NULL, &c), STI_OK);
    assert_int_equal(c->finding[STI_CLASS_COPOSITIVE].verdict, STI_NO);
    exact_check_findings(env, &M, NULL, c);
    sti_classes_destroy(env, c);
    free(m);
}

static void too_little_work_is_said(void** state) {
    sti_env* env = *state;
    double m[N * N];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) m[i * N + j] = horn[(j / 4 - i / 4 + 5) % 5] + 0.125 * (i == j);
    }
    const sti_matrix M = sti_matrix_dense_view(N, N, m);
    for (int k = 0; k < 2; k++) {
        sti_classes_options options = sti_classes_options_default();
        if (k == 0)
            options.work_limit = 100;
        else
            options.exact_limit = 4;
        sti_classes* c;
        assert_int_equal(sti_classes_create(env, &M, NULL, &options, &c), STI_OK);
        assert_int_equal(c->finding[STI_CLASS_COPOSITIVE].verdict, STI_UNDECIDED);
        assert_int_equal(c->finding[STI_CLASS_STRICTLY_COPOSITIVE].verdict, STI_UNDECIDED);
        assert_false(c->finding[STI_CLASS_COPOSITIVE].exact);
        assert_true(isnan(c->simplex_min));
        assert_null(c->simplex_argmin);
        sti_classes_destroy(env, c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copositive_cases_of_the_thesis_hold),
        cmocka_unit_test(blocks_of_exceptional_matrices_are_copositive),
        cmocka_unit_test(graph_matrices_turn_at_the_independence_number),
        cmocka_unit_test(semidefinite_blocks_with_one_more_row_are_decided),
        cmocka_unit_test(thresholds_of_small_matrices_are_sharp),
        cmocka_unit_test(all_sets_positive_definite_takes_all_of_them),
        cmocka_unit_test(random_matrices_of_order_twenty_are_decided),
        cmocka_unit_test(frictional_matrices_fall_into_parts),
        cmocka_unit_test(too_little_work_is_said),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
