// test_vi.c: variational inequalities given by formulas: problems of the literature, random ones with a known solution,
// proofs.
#include <math.h>
#include <stdio.h>
#include <stiction/vi.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/open_env.h"
#include "support/random.h"

static sti_document* parse(sti_env* env, const char* text) {
    sti_document* d = NULL;
    if (sti_document_parse(env, text, strlen(text), "test", &d) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    return d;
}

static sti_vi_answer solve(sti_env* env, const sti_vi* vi) {
    sti_vi_answer a;
    sti_vi_verification v;
    if (sti_vi_solve(env, vi, NULL, &a) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    if (a.outcome == STI_SOLVED) {
        assert_int_equal(sti_verify_vi(env, vi, &a, 1e-9, &v), STI_OK);
        if (!v.accepted) fail_msg("proof %s: %s", sti_vi_proof_text(a.proof), v.text);
        assert_int_equal(v.proof, a.proof);
    }
    return a;
}

static const char kojima[] =
    "{\"kind\": \"ncp\", \"variables\": [\"a\", \"b\", \"c\", \"d\"], \"F\": ["
    "\"3*a^2 + 2*a*b + 2*b^2 + c + 3*d - 6\", \"2*a^2 + a + b^2 + 3*c + 2*d - 2\","
    "\"3*a^2 + a*b + 2*b^2 + 2*c + 3*d - 1\", \"a^2 + 3*b^2 + 2*c + 3*d - 3\"]}";

// Kojima and Shindo 1986: (1, 0, 3, 0), and (sqrt(6)/2, 0, 0, 1/2), which is degenerate.
static void the_problem_of_kojima_and_shindo_is_solved(void** state) {
    sti_document* d = parse(*state, kojima);
    sti_vi_answer a = solve(*state, sti_vi_of(d));
    assert_int_equal(a.outcome, STI_SOLVED);
    const bool one = fabs(a.x[0] - 1) < 1e-8 && fabs(a.x[2] - 3) < 1e-8;
    const bool two = fabs(a.x[0] - sqrt(6) / 2) < 1e-6 && fabs(a.x[3] - 0.5) < 1e-6;
    assert_true(one || two);
    assert_true(!one || a.proof == STI_VI_PROOF_EXACT);
    sti_vi_answer_clear(*state, &a);
    sti_document_destroy(d);
}

static void a_solution_with_irrational_coordinates_is_proved_by_its_intervals(void** state) {
    sti_document* d = parse(*state,
                            "{\"kind\": \"vi\", \"variables\": {\"x\": [0, 4], \"y\": null, \"z\": [null, 1]}, "
                            "\"F\": [\"x^2 - 2\", \"y - cos(y)\", \"z - 3 + x/10\"]}");
    sti_vi_answer a = solve(*state, sti_vi_of(d));
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_int_equal(a.proof, STI_VI_PROOF_EXISTENCE);
    assert_true(a.interval[0].low <= sqrt(2) && sqrt(2) <= a.interval[0].high);
    assert_true(a.interval[0].high - a.interval[0].low < 1e-12);
    assert_true(a.interval[2].low == 1 && a.interval[2].high == 1);
    sti_vi_verification v;
    a.interval[0].low += 1e-6;  // no root in there
    a.interval[0].high += 1e-6;
    assert_int_equal(sti_verify_vi(*state, sti_vi_of(d), &a, 1e-9, &v), STI_OK);
    assert_false(v.accepted);
    sti_vi_answer_clear(*state, &a);
    sti_document_destroy(d);
}

static void what_has_no_solution_is_unknown_and_an_empty_box_is_none(void** state) {
    sti_document* d = parse(*state, "{\"kind\": \"ncp\", \"variables\": [\"x\"], \"F\": [\"-1 - x^2\"]}");
    sti_vi_answer a = solve(*state, sti_vi_of(d));
    assert_int_equal(a.outcome, STI_UNKNOWN);
    assert_int_equal(a.proof, STI_VI_PROOF_NONE);
    sti_vi_answer_clear(*state, &a);
    sti_document_destroy(d);
    d = parse(*state, "{\"kind\": \"vi\", \"variables\": {\"x\": [2, 1]}, \"F\": [\"x\"]}");
    a = solve(*state, sti_vi_of(d));
    assert_int_equal(a.outcome, STI_NO_SOLUTION);
    sti_vi_verification v;
    assert_int_equal(sti_verify_vi(*state, sti_vi_of(d), &a, 1e-9, &v), STI_OK);
    assert_true(v.accepted);
    sti_vi_answer_clear(*state, &a);
    sti_document_destroy(d);
}

// F falls off far away, or x is so large that a residual over its size is small: neither is a solution
static void a_small_residual_with_no_solution_near_it_is_not_taken_for_one(void** state) {
    static const char* const without[] = {"{\"kind\": \"vi\", \"variables\": {\"x\": null}, \"F\": [\"exp(-x)\"]}",
                                          "{\"kind\": \"vi\", \"variables\": {\"x\": null}, \"F\": [\"1/x\"]}"};
    for (int k = 0; k < 2; k++) {
        sti_document* d = parse(*state, without[k]);
        sti_vi_answer a = solve(*state, sti_vi_of(d));
        sti_vi_verification v;
        assert_int_equal(a.outcome, STI_UNKNOWN);
        a.outcome = STI_SOLVED;
        a.proof = STI_VI_PROOF_RESIDUAL;
        a.x[0] = k == 0 ? 30 : 1e8;
        a.F[0] = NAN;
        assert_int_equal(sti_verify_vi(*state, sti_vi_of(d), &a, 1e-9, &v), STI_OK);
        assert_true(v.residual <= 1e-9 && !v.accepted);
        sti_vi_answer_clear(*state, &a);
        sti_document_destroy(d);
    }
    sti_document* d =
        parse(*state,
              "{\"kind\": \"vi\", \"variables\": {\"x\": [-123456789, null], \"y\": null}, \"F\": [\"1\", "
              "\"y^2 + x*1e-9 - 2\"]}");
    sti_vi_answer a = solve(*state, sti_vi_of(d));
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_true(a.x[0] == -123456789);
    sti_vi_answer_clear(*state, &a);
    sti_document_destroy(d);
}

// F is -1/2 below 1 and 1/2 there: points near 1 look like solutions. Away from its jumps the same F has one.
static void a_small_residual_next_to_a_jump_is_no_solution(void** state) {
    static const char* const jumps = "{\"kind\": \"vi\", \"variables\": {\"x\": [0, 1]}, \"F\": [\"floor(x) - 0.5\"]}";
    static const char* const plain =
        "{\"kind\": \"vi\", \"variables\": {\"x\": [0, 9]}, \"F\": [\"x - 0.5 + floor(x)\"]}";
    sti_document *d = parse(*state, jumps), *e = parse(*state, plain);
    sti_vi_answer a = solve(*state, sti_vi_of(d)), b;
    assert_int_equal(a.outcome, STI_UNKNOWN);
    assert_int_equal(sti_vi_solve(*state, sti_vi_of(e), NULL, &b), STI_OK);  // the verifier does not read floor
    assert_int_equal(b.outcome, STI_SOLVED);
    assert_true(fabs(b.x[0] - 0.5) <= 1e-9);
    sti_vi_answer_clear(*state, &a);
    sti_vi_answer_clear(*state, &b);
    sti_document_destroy(d);
    sti_document_destroy(e);
}

static void bounds_of_any_size_stay_exact_in_proofs(void** state) {
    sti_document* d =
        parse(*state,
              "{\"kind\": \"vi\", \"variables\": {\"x\": [1e-310, 1], \"y\": null, \"z\": [-3, 0]}, \"F\": "
              "[\"x + 1\", \"y^2 - x + z - 2\", \"1\"], \"start\": [0, 1, 0]}");
    sti_vi_answer a = solve(*state, sti_vi_of(d));
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_int_equal(a.proof, STI_VI_PROOF_EXISTENCE);
    assert_true(a.x[0] == 1e-310 && a.x[2] == -3 && fabs(a.x[1] - sqrt(5)) < 1e-12);
    sti_vi_verification v;
    a.F[2] = 2;  // not what the formula says
    assert_int_equal(sti_verify_vi(*state, sti_vi_of(d), &a, 1e-9, &v), STI_OK);
    assert_true(!v.accepted && strstr(v.text, "F_2") != NULL);
    sti_vi_answer_clear(*state, &a);
    sti_document_destroy(d);
}

static void formulas_without_a_value_at_the_start_are_got_around(void** state) {
    // log(0) at the usual start
    sti_document* d = parse(*state, "{\"kind\": \"ncp\", \"variables\": [\"x\"], \"F\": [\"log(x) + 1\"]}");
    sti_vi_answer a = solve(*state, sti_vi_of(d));
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_true(fabs(a.x[0] - exp(-1)) < 1e-12 && a.proof == STI_VI_PROOF_EXISTENCE);
    sti_vi_answer_clear(*state, &a);
    sti_document_destroy(d);
}

static void wrong_formulas_are_named(void** state) {
    sti_document* d = parse(*state, "{\"kind\": \"ncp\", \"variables\": [\"x\", \"y\"], \"F\": [\"x\", \"x + z\"]}");
    sti_vi_answer a;
    assert_int_equal(sti_vi_solve(*state, sti_vi_of(d), NULL, &a), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(*state)->text, "F[1]"));
    sti_document_destroy(d);
}

// F(x) = M (x - s) + c ((x - s)^3) + r with M positive definite and a solution s that is known: r_i > 0 where s_i is at
// its lower bound, < 0 at the upper, 0 between. F is strictly monotone, so s is the only one.
static void random_monotone_maps_are_solved_where_they_were_made(void** state) {
    enum { N = 5 };
    sti_rng rng = {7};
    int proved = 0;
    for (int trial = 0; trial < 60; trial++) {
        char text[N][1200], name[N][16];
        const char *F[N], *names[N];
        double L[N][N], lb[N], ub[N], s[N];
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) L[i][j] = floor(20 * symmetric(&rng)) / 10;
            lb[i] = sti_rng_int(&rng, 0, 3) == 0 ? -INFINITY : sti_rng_int(&rng, -2, 0);
            ub[i] = sti_rng_int(&rng, 0, 2) == 0 ? INFINITY : sti_rng_int(&rng, 1, 3);
            const int side = sti_rng_int(&rng, -1, 1);
            s[i] = side < 0 && isfinite(lb[i]) ? lb[i] : side > 0 && isfinite(ub[i]) ? ub[i] : between(&rng, 0.1, 0.9);
            snprintf(name[i], sizeof name[i], "x%d", i);
            names[i] = name[i];
            F[i] = text[i];
        }
        for (int i = 0; i < N; i++) {
            size_t at = 0;
            for (int j = 0; j < N; j++) {
                double m = i == j ? 0.5 : 0;
                for (int k = 0; k < N; k++) m += L[k][i] * L[k][j];
                at += (size_t)snprintf(text[i] + at, sizeof text[i] - at, "%+.17g*(x%d - (%.17g))", m, j, s[j]);
            }
            const double push = s[i] == lb[i] ? 0.5 : s[i] == ub[i] ? -0.5 : 0;
            snprintf(text[i] + at, sizeof text[i] - at, " + (x%d - (%.17g))^3 + %.17g", i, s[i], push);
        }
        const sti_vi vi = {.n = N, .variables = names, .lb = lb, .ub = ub, .F = F};
        sti_vi_answer a = solve(*state, &vi);
        assert_int_equal(a.outcome, STI_SOLVED);
        for (int i = 0; i < N; i++) assert_true(fabs(a.x[i] - s[i]) < 1e-7);
        proved += a.proof >= STI_VI_PROOF_EXISTENCE;
        sti_vi_answer_clear(*state, &a);
    }
    assert_true(proved >= 58);
}

static void every_allocation_may_fail(void** state) {
    sti_document* d = parse(*state,
                            "{\"kind\": \"vi\", \"variables\": {\"x\": [0, 4], \"z\": [null, 1]}, \"F\": [\"x^2 - 2\", "
                            "\"z - 3 + x/10\"]}");
    const sti_vi* vi = sti_vi_of(d);
    for (long k = 0;; k++) {
        failing_env f;
        sti_vi_answer a, b;
        sti_vi_verification v;
        char* text = NULL;
        double *x = NULL, *F, *J;
        failing_env_open(&f, k);
        sti_status status = sti_vi_solve(f.env, vi, NULL, &a);
        if (status == STI_OK) {
            status = sti_verify_vi(f.env, vi, &a, 1e-9, &v);
            if (status == STI_OK) status = sti_vi_answer_json(f.env, vi, &a, &text);
            if (status == STI_OK) status = sti_vi_answer_parse(f.env, vi, text, strlen(text), "text", &b);
            if (status == STI_OK) sti_vi_answer_clear(f.env, &b);
            if (status == STI_OK) status = sti_vi_answer_save(f.env, vi, &a, "vi_failing.json");
            if (status == STI_OK) status = sti_vi_answer_load(f.env, vi, "vi_failing.json", &b);
            if (status == STI_OK) sti_vi_answer_clear(f.env, &b);
            if (status == STI_OK) status = sti_vi_at_start(f.env, vi, &x, &F, &J);
            sti_env_free(f.env, x);
            sti_env_free(f.env, text);
            sti_vi_answer_clear(f.env, &a);
        }
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    sti_document_destroy(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_problem_of_kojima_and_shindo_is_solved),
        cmocka_unit_test(a_solution_with_irrational_coordinates_is_proved_by_its_intervals),
        cmocka_unit_test(what_has_no_solution_is_unknown_and_an_empty_box_is_none),
        cmocka_unit_test(a_small_residual_with_no_solution_near_it_is_not_taken_for_one),
        cmocka_unit_test(a_small_residual_next_to_a_jump_is_no_solution),
        cmocka_unit_test(bounds_of_any_size_stay_exact_in_proofs),
        cmocka_unit_test(formulas_without_a_value_at_the_start_are_got_around),
        cmocka_unit_test(wrong_formulas_are_named),
        cmocka_unit_test(random_monotone_maps_are_solved_where_they_were_made),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
