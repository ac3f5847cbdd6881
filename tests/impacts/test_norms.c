// Conditions that compare norms: closed forms, the reference values of S1, and what they imply, on random matrices.
#include <math.h>
#include <stiction/norms.h>

#include "base/rng.h"
#include "support/group_env.h"
#include "support/oracle.h"

static sti_norm_test ask(const sti_matrices* m, sti_norm_question q) {
    sti_norm_test t;
    assert_int_equal(sti_norm_test_analyze(group_env, m, q, &t), STI_OK);
    return t;
}

// P = 2 I + skew, N = a e1 e2': |N| = a in both norms, 1 / |sym(P)^-1| = 2 and sqrt 2; P + N stays definite to a = 4.
static void a_sum_in_closed_form(void** state) {
    (void)state;
    for (int k = 1; k <= 50; k++) {
        const double a = 0.1 * k, P[4] = {2, 1, -1, 2}, N[4] = {0, a, 0, 0};
        const sti_norm_test t = ask(&(sti_matrices){.sum_size = 2, .P = P, .N = N}, STI_NORM_SUM);
        assert_true(t.asked && t.applies);
        assert_true(fabs(t.left[0] - a) < 1e-14 && fabs(t.left[1] - a) < 1e-14);
        assert_true(fabs(t.right[0] - sqrt(2)) < 1e-14 && fabs(t.right[1] - 2) < 1e-14);
        assert_true(t.holds[0] == (a < sqrt(2)) && t.holds[1] == (a < 2 - 1e-9));
        assert_true(fabs(t.lambda_min - (2 - a / 2)) < 1e-13);
    }
    const double flat[1] = {0}, one[1] = {1};
    sti_norm_test t = ask(&(sti_matrices){.sum_size = 1, .P = flat, .N = one}, STI_NORM_SUM);
    assert_true(t.asked && !t.applies && !t.holds[0] && !t.holds[1] && t.why[0] != '\0');
    t = ask(&(sti_matrices){.sum_size = 1, .P = flat}, STI_NORM_SUM);
    assert_false(t.asked);
}

// The block of S1-67: Prop 14 with mu = 1 for both corners.
static void prop_14_of_the_block(void** state) {
    (void)state;
    cJSON* root = oracle_open("papers");
    if (root == NULL) skip();
    const cJSON* item = NULL;
    const cJSON* each;
    cJSON_ArrayForEach(each, oracle_cases(root)) {
        if (strcmp(oracle_id(each), "S1-67") == 0) item = each;
    }
    assert_non_null(item);
    // n = 1 / m + n_i n_j / I, t = n_i 0.4 / I
    const double m = 3, I = m * (0.8 * 0.8 + 0.5 * 0.5) / 12, a = 0.25, norm = sqrt(1 / m + a * a / I);
    const double g = (1 / m - a * a / I) / (norm * norm), h = a * 0.4 / I / norm;
    const double G[4] = {1, g, g, 1}, n_H[4] = {h, h, -h, -h}, mu[2] = {1 / norm, 1 / norm};
    const sti_norm_test t =
        ask(&(sti_matrices){.size = 2, .G = G, .slip_count = 2, .n_H = n_H, .mu = mu}, STI_NORM_FRICTION);
    assert_true(fabs(1 / t.left[0] - oracle_number(item, "expected", "mu_prop14_frobenius")) < 1e-9);
    assert_true(fabs(1 / t.left[1] - oracle_number(item, "expected", "mu_prop14_spectral")) < 1e-9);
    cJSON_Delete(root);
}

// Three balls: Prop 7 with G = (1, -1/2; -1/2, 1): |G^-1| |G| = 3 spectral, 10/3 Frobenius.
static void prop_7_of_three_balls(void** state) {
    (void)state;
    const double G[4] = {1, -0.5, -0.5, 1}, E[4] = {0.5, 0, 0, 0.5};
    const sti_matrices m = {.size = 2, .G = G, .E_size = 2, .E = E};
    const sti_norm_test t = ask(&m, STI_NORM_RESTITUTION);
    assert_true(fabs(t.right[1] - 1 / sqrt(3)) < 1e-14 && fabs(t.right[0] - sqrt(0.3)) < 1e-14);
    assert_true(t.holds[1] && !t.holds[0]);
    assert_true(fabs(t.lambda_min - 0.75 * 2 / 3) < 1e-14);
    assert_false(ask(&m, STI_NORM_QUASI).asked);
    const sti_norm_test loss = ask(&m, STI_NORM_LOSS);
    assert_true(fabs(loss.left[1] - 0.5 * 2.5 * 3) < 1e-13 && !loss.holds[1]);
}

static double symmetric(sti_rng* rng) {
    return 2 * sti_rng_u01(rng) - 1;
}

// What holds implies what it says, and Frobenius implies spectral.
static void conditions_imply_what_they_say(void** state) {
    (void)state;
    sti_rng rng = {6};
    int held[STI_NORM_COUNT] = {0};
    for (int trial = 0; trial < 1000; trial++) {
        const int n = 1 + trial % 4;
        const double size = pow(10, -2 * sti_rng_u01(&rng));
        double A[16], G[16], P[16], X[16], mu[4];
        for (int i = 0; i < n * n; i++) {
            A[i] = symmetric(&rng);
            X[i] = size * symmetric(&rng);
        }
        for (int i = 0; i < n; i++) {
            mu[i] = sti_rng_u01(&rng);
            for (int j = 0; j < n; j++) {
                G[i * n + j] = i == j ? 0.5 : 0;
                for (int l = 0; l < n; l++) G[i * n + j] += A[i * n + l] * A[j * n + l];
                P[i * n + j] = G[i * n + j] + (i < j ? A[i * n + j] : i > j ? -A[j * n + i] : 0);
            }
        }
        const sti_matrices first = {
            .sum_size = n, .P = P, .N = X, .size = n, .G = G, .E_size = n, .E = X, .slip_count = n, .n_H = A, .mu = mu};
        const sti_matrices second = {.E_size = n, .E = X, .D = G};
        for (int q = 0; q < STI_NORM_COUNT; q++) {
            for (int j = 0; j < n; j++) mu[j] = size * fabs(mu[j]);
            const sti_norm_test t = ask(q == STI_NORM_QUASI ? &second : &first, (sti_norm_question)q);
            assert_true(t.asked && t.applies);
            if (t.holds[0]) assert_true(t.holds[1]);
            if (t.holds[1]) assert_true(t.lambda_min > 0);
            held[q] += t.holds[1];
        }
    }
    for (int q = 0; q < STI_NORM_COUNT; q++) assert_true(held[q] > 50 && held[q] <= 1000);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    const double G[4] = {1, -0.5, -0.5, 1}, E[4] = {0.5, 0, 0, 0.5}, mu[2] = {0.1, 0.1};
    const sti_matrices first = {
        .sum_size = 2, .P = G, .N = E, .size = 2, .G = G, .E_size = 2, .E = E, .slip_count = 2, .n_H = E, .mu = mu};
    const sti_matrices second = {.E_size = 2, .E = E, .D = G};
    for (int q = 0; q < STI_NORM_COUNT; q++) {
        for (long k = 0;; k++) {
            failing_env f;
            sti_norm_test t;
            failing_env_open(&f, k);
            const sti_status status =
                sti_norm_test_analyze(f.env, q == STI_NORM_QUASI ? &second : &first, (sti_norm_question)q, &t);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_in_closed_form),
        cmocka_unit_test(prop_14_of_the_block),
        cmocka_unit_test(prop_7_of_three_balls),
        cmocka_unit_test(conditions_imply_what_they_say),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
