// test_membership.c: membership of q in complementary cones: the reference lists, both kinds of certificate on
// thousands of small problems, singular bases, exact data, failing memory.
#include "support/class_oracle.h"
#include "support/open_env.h"
#include "support/oracle.h"

static bool in_list(const cJSON* list, unsigned alpha) {  // of lists of 1-based indices
    const cJSON* one;
    cJSON_ArrayForEach(one, list) {
        unsigned set = 0;
        const cJSON* i;
        cJSON_ArrayForEach(i, one) set |= 1u << (int)(cJSON_GetNumberValue(i) - 1);
        if (set == alpha) return true;
    }
    return false;
}

static void cones_of_the_thesis_are_found(void** state) {
    sti_env* env = *state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    int seen = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strncmp(oracle_id(item), "LCP-", 4) != 0) continue;
        seen++;
        oracle_table M = oracle_read(env, oracle_get(item, "inputs", "M"));
        oracle_table q = oracle_read(env, oracle_get(item, "inputs", "q"));
        const sti_lcp lcp = {.n = M.rows, .M = sti_matrix_dense_view(M.rows, M.cols, M.value), .q = q.value};
        int bases = 0;
        bool solvable = false;
        for (unsigned alpha = 0; alpha < 1u << lcp.n; alpha++) {
            unsigned char in[16];
            for (int i = 0; i < lcp.n; i++) in[i] = alpha >> i & 1;
            sti_cone_membership a;
            assert_int_equal(sti_lcp_cone_membership(env, &lcp, in, &a), STI_OK);
            bases += a.nonsingular;
            solvable = solvable || a.inside;
            const bool listed = in_list(oracle_get(item, "expected", "alphas_with_q_in_cone_1based"), alpha);
            const bool singular = in_list(oracle_get(item, "expected", "singular_alphas_with_q_in_cone_1based"), alpha);
            assert_int_equal(a.inside, listed || singular);
            if (a.inside) assert_int_equal(a.nonsingular, listed);
            sti_cone_membership_clear(env, &a);
        }
        assert_int_equal(bases, (int)oracle_number(item, "expected", "n_complementary_bases_nonsingular"));
        assert_int_equal(solvable, cJSON_IsTrue(oracle_get(item, "expected", "solvable")));
        oracle_free(&M);
        oracle_free(&q);
    }
    assert_true(seen >= 7);
    cJSON_Delete(root);
}

// Either v >= 0 with C v = q, or y'C >= 0 with y'q < 0: both cannot hold, and each is easy to see.
static void check_certificate(const brute* b, const double* scale, const double* q, const unsigned char* in,
                              const sti_cone_membership* a) {
    const int n = b->n;
    assert_true((a->v != NULL) == a->inside && (a->y != NULL) == !a->inside);
    double size = 1;
    for (int i = 0; i < n && a->inside; i++) size = fmax(size, fabs(a->v[i]));
    for (int i = 0; i < n && a->inside; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += a->v[j] * (in[j] ? -b->m[i][j] * scale[i] : i == j);
        assert_true(a->v[i] >= 0);
        assert_true(fabs(sum - q[i]) <= 1e-12 * size * (fabs(q[i]) + scale[i]));
    }
    double product = 0, norm = 0;
    for (int i = 0; i < n && !a->inside; i++) {
        product += a->y[i] * q[i];
        norm += fabs(a->y[i] * q[i]);
    }
    if (!a->inside) assert_true(product < -1e-13 * norm);
    for (int j = 0; j < n && !a->inside; j++) {
        double sum = 0, sum_size = 0;
        for (int i = 0; i < n; i++) {
            const double t = a->y[i] * (in[j] ? -b->m[i][j] * scale[i] : i == j);
            sum += t;
            sum_size += fabs(t);
        }
        assert_true(sum >= -1e-13 * sum_size);
    }
}

static void every_answer_carries_its_certificate(void** state) {
    sti_env* env = *state;
    sti_rng rng = {41};
    int inside = 0, singular = 0;
    for (int trial = 0; trial < 3000; trial++) {
        const brute b = brute_random(&rng, sti_rng_int(&rng, 1, 5));
        double m[BRUTE_MAX * BRUTE_MAX], q[BRUTE_MAX], scale[BRUTE_MAX];
        unsigned char in[BRUTE_MAX];
        unsigned set = 0;
        for (int i = 0; i < b.n; i++) {
            scale[i] = trial % 2 == 0 ? 1 : ldexp(1, sti_rng_int(&rng, -20, 20));  // rows in other units
            q[i] = scale[i] * sti_rng_int(&rng, -3, 3);
            in[i] = (unsigned char)sti_rng_int(&rng, 0, 1);
            set |= (unsigned)in[i] << i;
            for (int j = 0; j < b.n; j++) m[i * b.n + j] = scale[i] * b.m[i][j];
        }
        const sti_lcp lcp = {.n = b.n, .M = sti_matrix_dense_view(b.n, b.n, m), .q = q};
        sti_cone_membership a;
        assert_int_equal(sti_lcp_cone_membership(env, &lcp, in, &a), STI_OK);
        if (trial % 2 == 0) assert_int_equal(a.nonsingular, brute_minor(&b, set, false) != 0);
        check_certificate(&b, scale, q, in, &a);
        inside += a.inside;
        singular += !a.nonsingular;
        sti_cone_membership_clear(env, &a);
    }
    assert_true(inside > 300 && singular > 300);
}

static void fractions_are_exact(void** state) {
    sti_env* env = *state;
    // q = (-1/3, -2/3) lies on the ray of -M_0 = (-1, -2) exactly; the nearest doubles do not
    sti_rationals *M, *q;
    double m[4], d[2];
    const char* M_text[4] = {"1", "1/7", "2", "1/7"};
    const char* q_text[2] = {"-1/3", "-2/3"};
    assert_int_equal(sti_rationals_create(env, 4, &M), STI_OK);
    assert_int_equal(sti_rationals_create(env, 2, &q), STI_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(sti_rationals_set_text(M, i, M_text[i]), STI_OK);
        m[i] = sti_rationals_double(M, i);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(sti_rationals_set_text(q, i, q_text[i]), STI_OK);
        d[i] = sti_rationals_double(q, i);
    }
    const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, m), .q = d, .M_exact = M, .q_exact = q};
    const unsigned char both[2] = {1, 1};
    sti_cone_membership a;
    assert_int_equal(sti_lcp_cone_membership(env, &lcp, both, &a), STI_OK);
    assert_true(a.inside && a.nonsingular && a.v[1] == 0 && a.v[0] == 1.0 / 3);
    sti_cone_membership_clear(env, &a);
    sti_rationals_destroy(M);
    sti_rationals_destroy(q);
}

static void bad_input_and_large_orders_are_refused(void** state) {
    sti_env* env = *state;
    double m[1] = {1}, q[1] = {INFINITY};
    const unsigned char in[1] = {1};
    sti_lcp lcp = {.n = 1, .M = sti_matrix_dense_view(1, 1, m), .q = q};
    sti_cone_membership a;
    assert_int_equal(sti_lcp_cone_membership(env, &lcp, in, &a), STI_ERR_ARGUMENT);
    lcp.n = 2;
    assert_int_equal(sti_lcp_cone_membership(env, &lcp, in, &a), STI_ERR_ARGUMENT);
    lcp.n = lcp.M.rows = lcp.M.cols = 101;
    assert_int_equal(sti_lcp_cone_membership(env, &lcp, in, &a), STI_ERR_SIZE);
    assert_true(a.v == NULL && a.y == NULL);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    double m[4] = {1, 2, 2, 1}, q[2][2] = {{-1, -0.1}, {1, -1}};
    const unsigned char in[2][2] = {{1, 1}, {1, 0}};
    for (int turn = 0; turn < 2; turn++) {
        const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, m), .q = q[turn]};
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_cone_membership a;
            const sti_status status = sti_lcp_cone_membership(f.env, &lcp, in[turn], &a);
            if (status == STI_OK)
                sti_cone_membership_clear(f.env, &a);
            else
                assert_true(status == STI_ERR_MEMORY && a.v == NULL && a.y == NULL);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cones_of_the_thesis_are_found),
        cmocka_unit_test(every_answer_carries_its_certificate),
        cmocka_unit_test(fractions_are_exact),
        cmocka_unit_test(bad_input_and_large_orders_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
