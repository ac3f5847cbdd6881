// test_ipm.c: the homogeneous interior-point method, and the agreement of the iterative methods.
#include "support/lcp_battery.h"

// v >= 0, q'v < 0, and M'v <= 0 up to tol times -q'v.
static void assert_farkas(const sti_lcp* lcp, const sti_lcp_answer* a, double tol) {
    assert_int_equal(a->termination, STI_END_RAY);
    assert_non_null(a->ray.z);
    assert_non_null(a->ray.dz);
    long double qv = 0;
    for (int i = 0; i < lcp->n; i++) {
        assert_true(a->ray.dz[i] >= 0 && isfinite(a->ray.dz[i]));
        assert_true(a->ray.z[i] == 0);
        qv += (long double)lcp->q[i] * a->ray.dz[i];
    }
    assert_true(qv < 0);
    for (int j = 0; j < lcp->n; j++) {
        long double s = 0;
        for (int i = 0; i < lcp->n; i++) s += (long double)sti_matrix_get(&lcp->M, i, j) * a->ray.dz[i];
        assert_true(s <= -tol * qv);
    }
}

static void ipm_solves_closed_forms(void** state) {
    for (int k = -3; k <= 3; k++) {
        double m = 4, q = k;
        const sti_lcp lcp = {.n = 1, .M = sti_matrix_dense_view(1, 1, &m), .q = &q};
        sti_lcp_answer a = family_solve(*state, sti_lcp_method_ipm, &lcp, NULL);
        assert_int_equal(a.termination, STI_END_SOLUTION);
        assert_true(a.z[0] == fmax(0, -q / m));
        sti_lcp_answer_clear(*state, &a);
    }
    // a linear program as a skew LCP: min x + 2y, x + y >= 3, x <= 2 (as -x >= -2): x = 2, y = 1, duals 2 and 1
    double M[16] = {0, 0, -1, 1, 0, 0, -1, 0, 1, 1, 0, 0, -1, 0, 0, 0}, q[4] = {1, 2, -3, 2};
    const sti_lcp lcp = {.n = 4, .M = sti_matrix_dense_view(4, 4, M), .q = q};
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_ipm, &lcp, NULL);
    assert_int_equal(a.termination, STI_END_SOLUTION);
    assert_true(family_distance(a.z, (const double[]){2, 1, 2, 1}, 4) < 1e-14);
    sti_lcp_answer_clear(*state, &a);
    const sti_lcp none = {.n = 0};
    a = family_solve(*state, sti_lcp_method_ipm, &none, NULL);
    assert_int_equal(a.termination, STI_END_SOLUTION);
    sti_lcp_answer_clear(*state, &a);
}

static void ipm_finds_planted_solutions_to_rounding(void** state) {
    for (int kind = 0; kind < FAMILY_KINDS; kind++) {
        for (int n = 1; n <= 161; n += 16) {
            family f = family_make((family_kind)kind, n, 10 + (uint64_t)n);
            sti_lcp_answer a = family_solve(*state, sti_lcp_method_ipm, &f.lcp, NULL);
            assert_int_equal(a.termination, STI_END_SOLUTION);
            assert_true(family_residual(&f.lcp, a.z) < 1e-13);
            assert_in_range(a.iterations, 0, 40);
            if (family_is_unique((family_kind)kind)) assert_true(family_distance(a.z, f.z, n) < 1e-11);
            assert_int_equal(strstr(a.reason, "guarantees nothing") != NULL, kind == FAMILY_P && n > 1);
            sti_lcp_answer_clear(*state, &a);
            family_clear(&f);
        }
    }
}

static void methods_agree_where_the_solution_is_unique(void** state) {
    const family_kind kinds[] = {FAMILY_SPD, FAMILY_DEFINITE, FAMILY_P};
    for (int k = 0; k < 3; k++) {
        for (uint64_t seed = 0; seed < 30; seed++) {
            const int n = 1 + (int)(seed % 10) * 3;
            family f = family_make(kinds[k], n, 900 + seed);
            sti_lcp_options o = sti_lcp_options_default();
            o.tol = 1e-12;
            sti_lcp_answer a = family_solve(*state, sti_lcp_method_newton, &f.lcp, &o);
            sti_lcp_answer b = family_solve(*state, sti_lcp_method_ipm, &f.lcp, &o);
            o.relaxation = 0.5;
            sti_lcp_answer c = family_solve(*state, sti_lcp_method_pgs, &f.lcp, &o);
            assert_int_equal(a.termination, STI_END_SOLUTION);
            assert_int_equal(b.termination, STI_END_SOLUTION);
            assert_true(family_distance(a.z, b.z, n) < 1e-10);
            // Gauss-Seidel has no theorem for the unsymmetric ones; where it converges it must agree
            if (kinds[k] == FAMILY_SPD) assert_int_equal(c.termination, STI_END_SOLUTION);
            if (c.termination == STI_END_SOLUTION) assert_true(family_distance(a.z, c.z, n) < 1e-8);
            sti_lcp_answer_clear(*state, &a);
            sti_lcp_answer_clear(*state, &b);
            sti_lcp_answer_clear(*state, &c);
            family_clear(&f);
        }
    }
}

static void infeasible_problems_end_on_a_farkas_vector(void** state) {
    for (int n = 3; n <= 60; n += 3) {
        for (int symmetric = 0; symmetric <= 1; symmetric++) {
            family f = family_infeasible(n, symmetric, 300 + (uint64_t)n);
            sti_lcp_answer a = family_solve(*state, sti_lcp_method_ipm, &f.lcp, NULL);
            assert_farkas(&f.lcp, &a, 1e-11);
            sti_lcp_answer_clear(*state, &a);
            family_clear(&f);
        }
    }
    // an infeasible linear program: x <= 1 and x >= 2
    double M[9] = {0, 1, -1, -1, 0, 0, 1, 0, 0}, q[3] = {1, 1, -2};
    const sti_lcp lcp = {.n = 3, .M = sti_matrix_dense_view(3, 3, M), .q = q};
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_ipm, &lcp, NULL);
    assert_farkas(&lcp, &a, 1e-14);
    sti_lcp_answer_clear(*state, &a);
    // M = 0 and some q_i < 0
    double Z[4] = {0}, r[2] = {3, -2};
    const sti_lcp zero = {.n = 2, .M = sti_matrix_dense_view(2, 2, Z), .q = r};
    a = family_solve(*state, sti_lcp_method_ipm, &zero, NULL);
    assert_farkas(&zero, &a, 0);
    sti_lcp_answer_clear(*state, &a);
}

// For a monotone LCP there is no third possibility: solved, or a Farkas vector. Small integers, so that degenerate and
// rank-deficient ones are common.
static void every_small_monotone_problem_is_settled(void** state) {
    sti_rng rng = {12};
    int solved = 0, infeasible = 0;
    for (int trial = 0; trial < 3000; trial++) {
        const int n = sti_rng_int(&rng, 1, 8), rank = sti_rng_int(&rng, 0, n), skew = sti_rng_int(&rng, 0, 1);
        family f = family_dense(n);
        int A[64];
        for (int k = 0; k < n * rank; k++) A[k] = sti_rng_int(&rng, -2, 2);
        for (int i = 0; i < n; i++) {
            f.q[i] = sti_rng_int(&rng, -3, 3);
            for (int j = 0; j <= i; j++) {
                int s = 0;
                for (int k = 0; k < rank; k++) s += A[i * rank + k] * A[j * rank + k];
                const int t = skew && j < i ? sti_rng_int(&rng, -2, 2) : 0;
                f.lcp.M.dense[i * n + j] = s + t;
                f.lcp.M.dense[j * n + i] = s - t;
            }
        }
        sti_lcp_answer a = family_solve(*state, sti_lcp_method_ipm, &f.lcp, NULL);
        if (a.termination == STI_END_SOLUTION) {
            solved++;
            assert_true(family_residual(&f.lcp, a.z) < 1e-11);
        } else {
            infeasible++;
            assert_farkas(&f.lcp, &a, 1e-10);
        }
        sti_lcp_answer_clear(*state, &a);
        family_clear(&f);
    }
    assert_true(solved > 1000 && infeasible > 300);
}

static void ipm_agrees_dense_and_sparse(void** state) {
    battery_dense_and_sparse(*state, sti_lcp_method_ipm, 20);
}

static void ipm_detects_infeasibility_of_a_sparse_problem(void** state) {
    // a floating membrane (no boundary) pushed down harder than up: constants span the null space of M
    family f = family_grid(20, 20);
    for (int j = 0; j < 400; j++) {
        double sum = 0;
        int64_t diagonal = 0;
        for (int64_t k = f.lcp.M.col_start[j]; k < f.lcp.M.col_start[j + 1]; k++) {
            if (f.lcp.M.row[k] == j)
                diagonal = k;
            else
                sum -= f.lcp.M.value[k];
        }
        f.lcp.M.value[diagonal] = sum;
        f.q[j] = j % 3 == 0 ? -1 : 0.25;
    }
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_ipm, &f.lcp, NULL);
    assert_farkas(&f.lcp, &a, 1e-9);
    sti_lcp_answer_clear(*state, &a);
    family_clear(&f);
}

static void ipm_cost_grows_gently_on_sparse_membranes(void** state) {
    long steps[2];
    double seconds[2];
    for (int large = 0; large <= 1; large++) {
        family f = family_membrane(large ? 100 : 50);
        const double start = sti_clock();
        sti_lcp_answer a = family_solve(*state, sti_lcp_method_ipm, &f.lcp, NULL);
        seconds[large] = sti_clock() - start;
        steps[large] = a.iterations;
        assert_int_equal(a.termination, STI_END_SOLUTION);
        sti_lcp_answer b = family_solve(*state, sti_lcp_method_newton, &f.lcp, NULL);
        assert_true(family_distance(a.z, b.z, f.lcp.n) < 1e-9);
        sti_lcp_answer_clear(*state, &a);
        sti_lcp_answer_clear(*state, &b);
        family_clear(&f);
    }
    assert_true(steps[1] < 2 * steps[0] + 5);
    print_message("ipm, membranes of 2500 and 10000 points: %ld and %ld steps, %.2f and %.2f s\n", steps[0], steps[1],
                  seconds[0], seconds[1]);
}

static void ipm_does_not_depend_on_the_order_of_pairs(void** state) {
    assert_int_equal(battery_order(*state, sti_lcp_method_ipm), 0);
}

static void ipm_gives_the_same_bits_every_time_and_with_a_trace(void** state) {
    battery_same_bits(*state, sti_lcp_method_ipm, "ipm");
}

static void ipm_keeps_its_limits_and_its_start(void** state) {
    family f = family_make(FAMILY_LOW_RANK, 60, 5);
    battery_limits(*state, sti_lcp_method_ipm, &f.lcp, 2);
    sti_lcp_options o = sti_lcp_options_default();
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_ipm, &f.lcp, &o);
    o.start = f.z;
    sti_lcp_answer b = family_solve(*state, sti_lcp_method_ipm, &f.lcp, &o);
    assert_int_equal(b.termination, STI_END_SOLUTION);
    assert_true(b.iterations < a.iterations);
    sti_lcp_answer_clear(*state, &a);
    sti_lcp_answer_clear(*state, &b);
    family_clear(&f);
}

static void judge_hard(int which, bool tame, const sti_lcp* lcp, const sti_lcp_answer* a) {
    if (which == 3 && tame) assert_int_equal(a->termination, STI_END_SOLUTION);
    if (which == 0) assert_farkas(lcp, a, 0);
    if (which == 1) assert_int_not_equal(a->termination, STI_END_SOLUTION);
}

static void ipm_survives_hard_input(void** state) {
    battery_hard_input(*state, sti_lcp_method_ipm, 4, battery_entry, judge_hard);
}

static void ipm_survives_every_failed_allocation(void** state) {
    (void)state;
    family small = family_make(FAMILY_MONOTONE, 6, 1), sparse = family_obstacle(20, 1, 1);
    family infeasible = family_infeasible(5, false, 1);
    battery_failed_allocations(sti_lcp_method_ipm, &small, STI_END_SOLUTION);
    battery_failed_allocations(sti_lcp_method_ipm, &sparse, STI_END_SOLUTION);
    battery_failed_allocations(sti_lcp_method_ipm, &infeasible, STI_END_RAY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ipm_solves_closed_forms),
        cmocka_unit_test(ipm_finds_planted_solutions_to_rounding),
        cmocka_unit_test(methods_agree_where_the_solution_is_unique),
        cmocka_unit_test(infeasible_problems_end_on_a_farkas_vector),
        cmocka_unit_test(every_small_monotone_problem_is_settled),
        cmocka_unit_test(ipm_agrees_dense_and_sparse),
        cmocka_unit_test(ipm_detects_infeasibility_of_a_sparse_problem),
        cmocka_unit_test(ipm_cost_grows_gently_on_sparse_membranes),
        cmocka_unit_test(ipm_does_not_depend_on_the_order_of_pairs),
        cmocka_unit_test(ipm_gives_the_same_bits_every_time_and_with_a_trace),
        cmocka_unit_test(ipm_keeps_its_limits_and_its_start),
        cmocka_unit_test(ipm_survives_hard_input),
        cmocka_unit_test(ipm_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
