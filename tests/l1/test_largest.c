// test_largest.c: least largest absolute values against closed forms, Helly's theorem and the independent check.
#include <math.h>
#include <stiction/l1.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/open_env.h"
#include "support/random.h"

static sti_l1_options largest(void) {
    sti_l1_options o = sti_l1_options_default();
    o.norm = STI_L1_LARGEST;
    return o;
}

static sti_l1_answer solved(sti_env* env, const sti_l1* p) {
    const sti_l1_options o = largest();
    sti_l1_answer a;
    sti_l1_verification check;
    if (sti_l1_solve(env, p, &o, &a) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    if (a.outcome != STI_SOLVED) fail_msg("%s", a.reason);
    assert_int_equal(sti_verify_l1(env, p, &a, 1e-8, &check), STI_OK);
    if (!check.accepted) fail_msg("%s", check.text);
    assert_true(fabs(check.objective - a.objective) <= 1e-12 * (1 + a.objective));
    return a;
}

static void one_number_is_fitted_by_the_middle_of_the_range(void** state) {
    double A[] = {1, 1, 1, 1, 1}, b[] = {-3, -10, 4, -1, -100};
    const sti_l1 p = {.m = 5, .n = 1, .A = sti_matrix_dense_view(5, 1, A), .b = b};
    sti_l1_answer a = solved(*state, &p);
    assert_true(fabs(a.x[0] - 48) < 1e-6 && fabs(a.objective - 52) < 1e-6);
    sti_l1_answer_clear(*state, &a);
}

// Chebyshev: x^n by polynomials of lower degree on [-1, 1] up to 2^(1-n); the error swings between n + 1 points, all on
// the grid.
static void a_parabola_is_fitted_by_a_line_to_one_half(void** state) {
    enum { M = 201 };
    double A[2 * M], b[M];
    for (int i = 0; i < M; i++) {
        const double x = -1 + 0.01 * i;
        A[2 * i] = 1, A[2 * i + 1] = x, b[i] = -x * x;
    }
    const sti_l1 p = {.m = M, .n = 2, .A = sti_matrix_dense_view(M, 2, A), .b = b};
    sti_l1_answer a = solved(*state, &p);
    assert_true(fabs(a.objective - 0.5) < 1e-8 && fabs(a.x[0] - 0.5) < 1e-7 && fabs(a.x[1]) < 1e-7);
    sti_l1_answer_clear(*state, &a);
}

// The least largest row is that of the worst three rows (Helly); for three, |b'l| / |l|_1 with A'l = 0.
static double worst_of_triples(const double* A, const double* b, int m) {
    double worst = 0;
    for (int i = 0; i < m; i++) {
        for (int j = i + 1; j < m; j++) {
            for (int k = j + 1; k < m; k++) {
                const double *p = A + 2 * i, *q = A + 2 * j, *r = A + 2 * k;
                const double u = q[0] * r[1] - q[1] * r[0], v = r[0] * p[1] - r[1] * p[0],
                             w = p[0] * q[1] - p[1] * q[0];
                worst = fmax(worst, fabs(u * b[i] + v * b[j] + w * b[k]) / (fabs(u) + fabs(v) + fabs(w)));
            }
        }
    }
    return worst;
}

static void two_unknowns_agree_with_the_worst_three_rows(void** state) {
    sti_rng rng = {7};
    for (int round = 0; round < 200; round++) {
        double A[40], b[20];
        const int m = 3 + round % 18;
        for (int i = 0; i < 2 * m; i++) A[i] = between(&rng, -1, 1);
        for (int i = 0; i < m; i++) b[i] = between(&rng, -1, 1);
        const sti_l1 p = {.m = m, .n = 2, .A = sti_matrix_dense_view(m, 2, A), .b = b};
        sti_l1_answer a = solved(*state, &p);
        const double value = worst_of_triples(A, b, m);
        if (!(fabs(a.objective - value) <= 1e-8 * value)) fail_msg("%d: %.15g, not %.15g", round, a.objective, value);
        sti_l1_answer_clear(*state, &a);
    }
}

static void units_do_not_matter_and_what_can_be_met_is_met(void** state) {
    double A[] = {1, 2, 3, 1, 5, 1, -1, 2}, b[] = {-1, -2, -4, 3}, c[4];
    sti_l1 p = {.m = 4, .n = 2, .A = sti_matrix_dense_view(4, 2, A), .b = b};
    sti_l1_answer a = solved(*state, &p);
    for (int i = 0; i < 4; i++) c[i] = 1e6 * b[i];
    p.b = c;
    sti_l1_answer scaled = solved(*state, &p);
    assert_true(fabs(scaled.objective / a.objective / 1e6 - 1) < 2e-8);
    sti_l1_answer_clear(*state, &a);
    sti_l1_answer_clear(*state, &scaled);
    for (int i = 0; i < 4; i++) c[i] = -A[2 * i] * 3 + A[2 * i + 1];
    a = solved(*state, &p);
    assert_true(a.gap <= 0 && a.bound <= 0 && a.objective < 1e-6 && fabs(a.x[0] - 3) < 1e-6);
    sti_l1_answer_clear(*state, &a);
}

static void a_forged_answer_is_rejected(void** state) {
    double A[] = {1, 1, 1}, b[] = {0, -1, -4};
    const sti_l1 p = {.m = 3, .n = 1, .A = sti_matrix_dense_view(3, 1, A), .b = b};
    sti_l1_answer a = solved(*state, &p);
    sti_l1_verification check;
    a.x[0] += 1e-3;
    assert_int_equal(sti_verify_l1(*state, &p, &a, 1e-8, &check), STI_OK);
    assert_false(check.accepted);
    a.x[0] -= 1e-3;
    for (int i = 0; i < 3; i++) a.y[i] *= 2;
    assert_int_equal(sti_verify_l1(*state, &p, &a, 1e-8, &check), STI_OK);
    assert_false(check.accepted);
    assert_non_null(strstr(check.text, "the sum of |y_i|"));
    for (int i = 0; i < 3; i++) a.y[i] = i == 0 ? 0.5 : 0;
    assert_int_equal(sti_verify_l1(*state, &p, &a, 1e-8, &check), STI_OK);
    assert_false(check.accepted);
    sti_l1_answer_clear(*state, &a);
}

static void an_answer_survives_its_file(void** state) {
    double A[] = {1, 1, 1}, b[] = {0, -1, -4};
    const sti_l1 p = {.m = 3, .n = 1, .A = sti_matrix_dense_view(3, 1, A), .b = b};
    sti_l1_answer a = solved(*state, &p), back;
    char* json;
    assert_int_equal(sti_l1_answer_json(*state, &a, &json), STI_OK);
    assert_int_equal(sti_l1_answer_parse(*state, &p, json, strlen(json), "answer", &back), STI_OK);
    assert_int_equal(back.norm, STI_L1_LARGEST);
    assert_memory_equal(a.y, back.y, 3 * sizeof *a.y);
    sti_env_free(*state, json);
    sti_l1_answer_clear(*state, &a);
    sti_l1_answer_clear(*state, &back);
    const char bad[] = "{\"kind\": \"l1\", \"norm\": \"least\", \"x\": [1], \"y\": [0, 0, 0]}";
    assert_int_equal(sti_l1_answer_parse(*state, &p, bad, strlen(bad), "answer", &back), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(*state)->text, "norm"));
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    double A[] = {1, 2, 3, 1, 5, 1}, b[] = {-1, -2, -4};
    const sti_l1 p = {.m = 3, .n = 2, .A = sti_matrix_dense_view(3, 2, A), .b = b};
    const sti_l1_options o = largest();
    for (long k = 0;; k++) {
        failing_env f;
        sti_l1_answer a;
        failing_env_open(&f, k);
        const sti_status status = sti_l1_solve(f.env, &p, &o, &a);
        if (status == STI_OK)
            sti_l1_answer_clear(f.env, &a);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_number_is_fitted_by_the_middle_of_the_range),
        cmocka_unit_test(a_parabola_is_fitted_by_a_line_to_one_half),
        cmocka_unit_test(two_unknowns_agree_with_the_worst_three_rows),
        cmocka_unit_test(units_do_not_matter_and_what_can_be_met_is_met),
        cmocka_unit_test(a_forged_answer_is_rejected),
        cmocka_unit_test(an_answer_survives_its_file),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
