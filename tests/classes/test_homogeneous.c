// test_homogeneous.c: the test of theorem 1.2.8: the reference cases, thousands of small problems against the extreme
// rays of { v >= 0, Mv >= 0 }, what may and what may not be concluded, limits and failing memory.
#include "support/class_oracle.h"
#include "support/oracle.h"

static void cases_of_the_thesis_hold(void** state) {
    sti_env* env = ((fixture*)*state)->env;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    int seen = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strncmp(oracle_id(item), "T128-", 5) != 0) continue;
        seen++;
        oracle_table M = oracle_read(env, oracle_get(item, "inputs", "M"));
        oracle_table q = oracle_read(env, oracle_get(item, "inputs", "q"));
        const sti_lcp lcp = {.n = M.rows,
                             .M = sti_matrix_dense_view(M.rows, M.cols, M.value),
                             .q = q.value,
                             .M_exact = M.exact,
                             .q_exact = q.exact};
        sti_classes* c;
        sti_homogeneous_test* t;
        assert_int_equal(sti_classes_create(env, &lcp.M, lcp.M_exact, NULL, &c), STI_OK);
        assert_int_equal(sti_homogeneous_test_create(env, &lcp, c, &t), STI_OK);
        assert_int_equal(c->finding[STI_CLASS_COPOSITIVE].verdict,
                         cJSON_IsTrue(oracle_get(item, "expected", "copositive")));
        assert_int_equal(t->implication, cJSON_IsTrue(oracle_get(item, "expected", "implication_holds")));
        const cJSON* least = oracle_get(item, "expected", "min_qTv");
        if (cJSON_IsNull(least))
            assert_true(t->trivial == STI_YES && isnan(t->min_qv) && t->v == NULL);
        else
            assert_true(t->trivial == STI_NO && fabs(t->min_qv - oracle_double(env, least)) < 1e-9);
        const sti_verdict solvable = cJSON_IsTrue(oracle_get(item, "expected", "solvable")) ? STI_YES : STI_NO;
        assert_true(t->solvable == solvable || t->solvable == STI_UNDECIDED);
        if (solvable == STI_YES) assert_int_equal(t->solvable, STI_YES);
        sti_homogeneous_test_destroy(env, t);
        sti_classes_destroy(env, c);
        oracle_free(&M);
        oracle_free(&q);
    }
    assert_true(seen >= 4);
    cJSON_Delete(root);
}

// Least q'v over complementary extreme rays with e'v = 1; SOL(0, M) is a union of faces of { v >= 0, Mv >= 0 }.
static bool brute_least(const brute* b, const int* q, brute_rays* rays, double* least) {
    bool found = false;
    brute_extreme_rays(b, rays);
    for (int r = 0; r < rays->count; r++) {
        const wide* v = rays->z[r];
        wide sum = 0, top = 0;
        bool complementary = true;
        for (int i = 0; i < b->n; i++) {
            wide y = 0;
            for (int j = 0; j < b->n; j++) y += b->m[i][j] * v[j];
            complementary = complementary && (y == 0 || v[i] == 0);
            sum += v[i];
            top += q[i] * v[i];
        }
        if (!complementary) continue;
        const double value = (double)top / (double)sum;
        if (!found || value < *least) *least = value;
        found = true;
    }
    return found;
}

// Does w = Mz + q, z, w >= 0, z'w = 0 have a solution? Vertices of every complementary cone by Cramer's rule.
static bool brute_solvable(const brute* b, const int* q) {
    const int n = b->n;
    // a solution with least support solves M_aa z_a = -q_a with independent columns M_.a: pick |a| rows of full rank
    for (unsigned a = 0; a < 1u << n; a++) {
        int in[BRUTE_MAX], k = 0;
        for (int i = 0; i < n; i++) {
            if ((a >> i & 1) != 0) in[k++] = i;
        }
        // equations: rows of w_i = 0 for i in some set of at least the support; support a needs w_a = 0, other w may
        // vanish too
        for (unsigned rows = 0; rows < 1u << n; rows++) {
            if (__builtin_popcount(rows) != k) continue;
            int row[BRUTE_MAX], r = 0;
            for (int i = 0; i < n; i++) {
                if ((rows >> i & 1) != 0) row[r++] = i;
            }
            wide det[BRUTE_MAX + 1];
            for (int column = -1; column < k; column++) {
                wide t[BRUTE_MAX][BRUTE_MAX];
                for (int i = 0; i < k; i++) {
                    for (int j = 0; j < k; j++) t[i][j] = j == column ? -q[row[i]] : b->m[row[i]][in[j]];
                }
                det[column + 1] = brute_det(t, k);
            }
            if (det[0] == 0) continue;
            bool solves = true;
            for (int j = 0; j < k; j++) solves = solves && det[j + 1] * det[0] >= 0;
            for (int i = 0; i < n && solves; i++) {
                wide w = q[i] * det[0];
                for (int j = 0; j < k; j++) w += b->m[i][in[j]] * det[j + 1];
                if (det[0] < 0) w = -w;
                solves = w >= 0 && ((a >> i & 1) == 0 || w == 0);
            }
            if (solves) return true;
        }
    }
    return false;
}

static void small_problems_agree_with_extreme_rays(void** state) {
    const fixture* f = *state;
    sti_rng rng = {31};
    int count[3] = {0};
    for (int trial = 0; trial < 4000; trial++) {
        const brute b = brute_random(&rng, sti_rng_int(&rng, 1, 4));
        int q[BRUTE_MAX];
        double entries[BRUTE_MAX * BRUTE_MAX], q_double[BRUTE_MAX];
        for (int i = 0; i < b.n; i++) q_double[i] = q[i] = sti_rng_int(&rng, -3, 3);
        const sti_lcp lcp = {.n = b.n, .M = brute_view(&b, entries), .q = q_double};
        sti_classes* c;
        sti_homogeneous_test* t;
        assert_int_equal(sti_classes_create(f->env, &lcp.M, NULL, NULL, &c), STI_OK);
        assert_int_equal(sti_homogeneous_test_create(f->env, &lcp, trial % 3 == 0 ? NULL : c, &t), STI_OK);
        double least = NAN;
        const bool nontrivial = brute_least(&b, q, f->rays, &least);
        assert_int_equal(t->trivial, !nontrivial);
        assert_int_equal(t->implication, !nontrivial || least >= 0);
        if (nontrivial) {
            assert_true(fabs(t->min_qv - least) <= 1e-15 * fabs(least));
            double sum = 0, value = 0;
            for (int i = 0; i < b.n; i++) {
                double y = 0;
                for (int j = 0; j < b.n; j++) y += b.m[i][j] * t->v[j];
                assert_true(t->v[i] >= 0 && y > -1e-13 && fabs(y * t->v[i]) < 1e-13);
                sum += t->v[i];
                value += q[i] * t->v[i];
            }
            assert_true(fabs(sum - 1) < 1e-14 && fabs(value - least) < 1e-13);
        }
        if (t->solvable != STI_UNDECIDED) assert_int_equal(t->solvable, brute_solvable(&b, q));
        count[t->solvable + 1]++;
        if (c->finding[STI_CLASS_COPOSITIVE].verdict == STI_YES && trial % 3 != 0 && (!nontrivial || least >= 0))
            assert_int_equal(t->solvable, STI_YES);
        sti_homogeneous_test_destroy(f->env, t);
        sti_classes_destroy(f->env, c);
    }
    for (int i = 0; i < 3; i++) assert_true(count[i] > 100);
}

static void the_theorem_has_no_converse(void** state) {
    sti_env* env = ((fixture*)*state)->env;
    double m[4] = {0, 1, 0, 0}, q[2] = {-1, 0};
    const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, m), .q = q};
    sti_classes* c;
    sti_homogeneous_test* t;
    assert_int_equal(sti_classes_create(env, &lcp.M, NULL, NULL, &c), STI_OK);
    assert_int_equal(c->finding[STI_CLASS_COPOSITIVE].verdict, STI_YES);
    assert_int_equal(sti_homogeneous_test_create(env, &lcp, c, &t), STI_OK);
    assert_int_equal(t->implication, STI_NO);
    assert_true(t->min_qv == -1 && t->v[0] == 1 && t->v[1] == 0);
    assert_int_equal(t->solvable, STI_UNDECIDED);  // z = (0, 1) solves
    sti_homogeneous_test_destroy(env, t);
    sti_classes_destroy(env, c);
}

static void order_twenty_and_sixty_one_are_handled(void** state) {
    sti_env* env = ((fixture*)*state)->env;
    enum { n = 20, large = 61 };
    static const int horn[5] = {1, -1, 1, 1, -1};
    double m[n * n], q[n];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) m[i * n + j] = i / 5 == j / 5 ? horn[(j - i + 5) % 5] : 0;
        q[i] = i == 19 ? -0.5 : 1;
    }
    const sti_lcp lcp = {.n = n, .M = sti_matrix_dense_view(n, n, m), .q = q};
    sti_classes* c;
    sti_homogeneous_test* t;
    assert_int_equal(sti_classes_create(env, &lcp.M, NULL, NULL, &c), STI_OK);
    assert_int_equal(sti_homogeneous_test_create(env, &lcp, c, &t), STI_OK);
    assert_int_equal(t->trivial, STI_NO);
    assert_int_equal(t->implication, STI_YES);
    assert_true(t->min_qv == 0.25);  // v = (e_18 + e_19) / 2
    assert_int_equal(t->solvable, STI_YES);
    sti_homogeneous_test_destroy(env, t);
    sti_classes_destroy(env, c);

    double* big = calloc(large * large, sizeof *big);
    double zero[large] = {0};
    for (int i = 0; i + 1 < large; i++) big[i * large + i + 1] = 1;
    const sti_lcp too_large = {.n = large, .M = sti_matrix_dense_view(large, large, big), .q = zero};
    assert_int_equal(sti_homogeneous_test_create(env, &too_large, NULL, &t), STI_OK);
    assert_int_equal(t->trivial, STI_UNDECIDED);
    assert_int_equal(t->solvable, STI_UNDECIDED);
    sti_homogeneous_test_destroy(env, t);
    free(big);
}

static void bad_input_is_refused(void** state) {
    sti_env* env = ((fixture*)*state)->env;
    double m[4] = {1, 0, 0, 1}, q[2] = {NAN, 0};
    sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, m), .q = q};
    sti_homogeneous_test* t;
    assert_int_equal(sti_homogeneous_test_create(env, &lcp, NULL, &t), STI_ERR_ARGUMENT);
    assert_null(t);
    q[0] = 1;
    lcp.n = 1;
    assert_int_equal(sti_homogeneous_test_create(env, &lcp, NULL, &t), STI_ERR_ARGUMENT);
    lcp.n = 0;
    lcp.M = (sti_matrix){0};
    assert_int_equal(sti_homogeneous_test_create(env, &lcp, NULL, &t), STI_OK);
    assert_int_equal(t->trivial, STI_YES);
    sti_homogeneous_test_destroy(env, t);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    double m[9] = {0, 1, -1, -1, 0, 2, 1, -2, 0}, q[3] = {1, -1, 0.1};
    const sti_lcp lcp = {.n = 3, .M = sti_matrix_dense_view(3, 3, m), .q = q};
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_homogeneous_test* t;
        const sti_status status = sti_homogeneous_test_create(f.env, &lcp, NULL, &t);
        if (status == STI_OK)
            sti_homogeneous_test_destroy(f.env, t);
        else
            assert_true(status == STI_ERR_MEMORY && t == NULL);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_of_the_thesis_hold),    cmocka_unit_test(small_problems_agree_with_extreme_rays),
        cmocka_unit_test(the_theorem_has_no_converse), cmocka_unit_test(order_twenty_and_sixty_one_are_handled),
        cmocka_unit_test(bad_input_is_refused),        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
