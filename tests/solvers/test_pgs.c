// test_pgs.c: projected Gauss-Seidel and SOR.
#include "support/lcp_battery.h"

static void one_sweep_of_a_triangular_problem_is_exact(void** state) {
    // Murty's matrix: row i needs only what the rows before it have settled
    double M[9] = {1, 0, 0, 2, 1, 0, 2, 2, 1}, q[3] = {-1, -1, -3};
    const sti_lcp lcp = {.n = 3, .M = sti_matrix_dense_view(3, 3, M), .q = q};
    sti_lcp_options o = sti_lcp_options_default();
    o.max_iterations = 1;
    o.tol = 1e-15;
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_pgs, &lcp, &o);
    assert_int_equal(a.termination, STI_END_SOLUTION);
    assert_int_equal(a.iterations, 1);
    assert_true(a.z[0] == 1 && a.z[1] == 0 && a.z[2] == 1);
    assert_true(a.alpha[0] == 1 && a.alpha[1] == 0 && a.alpha[2] == 1);
    sti_lcp_answer_clear(*state, &a);
    const sti_lcp none = {.n = 0};
    a = family_solve(*state, sti_lcp_method_pgs, &none, NULL);
    assert_int_equal(a.termination, STI_END_SOLUTION);
    sti_lcp_answer_clear(*state, &a);
}

static void pgs_converges_for_every_relaxation_on_definite_problems(void** state) {
    for (int n = 1; n <= 61; n += 15) {
        family f = family_make(FAMILY_SPD, n, 40 + (uint64_t)n);
        for (double omega = 0.3; omega < 2; omega += 0.4) {
            sti_lcp_options o = sti_lcp_options_default();
            o.relaxation = omega;
            o.tol = 1e-11;
            sti_lcp_answer a = family_solve(*state, sti_lcp_method_pgs, &f.lcp, &o);
            assert_int_equal(a.termination, STI_END_SOLUTION);
            assert_true(family_distance(a.z, f.z, n) < 1e-8);
            sti_lcp_answer_clear(*state, &a);
        }
        family_clear(&f);
    }
}

static void pgs_converges_on_semidefinite_problems(void** state) {
    for (int n = 2; n <= 62; n += 15) {
        family f = family_make(FAMILY_LOW_RANK, n, 50 + (uint64_t)n);
        family_expect_solution(*state, sti_lcp_method_pgs, &f, false, 0);
        family_clear(&f);
    }
}

static void pgs_agrees_dense_and_sparse_bit_for_bit_on_a_string(void** state) {
    // three entries a row: both forms add the same numbers, the dense one zeros as well
    family f = family_obstacle(30, 1, 4);
    sti_lcp dense = f.lcp;
    assert_int_equal(sti_matrix_to_dense(*state, &f.lcp.M, &dense.M), STI_OK);
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_pgs, &f.lcp, NULL);
    sti_lcp_answer b = family_solve(*state, sti_lcp_method_pgs, &dense, NULL);
    assert_int_equal(a.termination, STI_END_SOLUTION);
    assert_int_equal(a.iterations, b.iterations);
    assert_true(family_distance(a.z, b.z, 30) < 1e-12);
    sti_lcp_answer_clear(*state, &a);
    sti_lcp_answer_clear(*state, &b);
    sti_matrix_clear(*state, &dense.M);
    family_clear(&f);
}

// The rows of a sparse matrix come from its columns: an unsymmetric one shows whether they came out right.
static void pgs_takes_rows_of_an_unsymmetric_sparse_matrix(void** state) {
    family f = family_obstacle(20, 20, 5);
    for (int64_t k = 0; k < f.lcp.M.col_start[400]; k++)
        f.lcp.M.value[k] += f.lcp.M.value[k] < 0 ? 0.01 * (double)(k % 30) : 0.2;
    memset(f.q, 0, 400 * sizeof *f.q);
    free(f.z);
    sti_rng rng = {3};
    family_plant(&f, &rng);
    family_expect_solution(*state, sti_lcp_method_pgs, &f, true, 1e-8);
    family_clear(&f);
}

// Young's best omega for the membrane without floor, 2 / (1 + sin(pi h)), makes sweeps grow like 1/h instead of 1/h^2.
static void over_relaxation_pays_on_a_large_membrane(void** state) {
    long sweeps[3];
    double seconds[3];
    for (int k = 0; k < 3; k++) {  // plain at side 50, relaxed at 50 and 100
        const int side = k == 2 ? 100 : 50;
        family f = family_membrane(side);
        sti_lcp_options o = sti_lcp_options_default();
        o.relaxation = k == 0 ? 1 : 2 / (1 + sin(3.14159265358979 / (side + 1)));
        const double start = sti_clock();
        sti_lcp_answer a = family_solve(*state, sti_lcp_method_pgs, &f.lcp, &o);
        seconds[k] = sti_clock() - start;
        sweeps[k] = a.iterations;
        assert_int_equal(a.termination, STI_END_SOLUTION);
        sti_lcp_answer_clear(*state, &a);
        family_clear(&f);
    }
    assert_true(5 * sweeps[1] < sweeps[0]);
    assert_true(sweeps[2] < 3 * sweeps[1]);
    print_message(
        "pgs, membrane of 2500 points: %ld sweeps, %.3f s; relaxed: %ld sweeps, %.3f s; 10000 points: %ld sweeps, %.3f "
        "s\n",
        sweeps[0], seconds[0], sweeps[1], seconds[1], sweeps[2], seconds[2]);
}

static void a_row_without_positive_diagonal_is_named(void** state) {
    family f = family_make(FAMILY_SPD, 5, 1);
    f.lcp.M.dense[3 * 5 + 3] = 0;
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_pgs, &f.lcp, NULL);
    assert_int_equal(a.termination, STI_END_NOT_APPLICABLE);
    assert_non_null(strstr(a.reason, "M[3][3] = 0"));
    sti_lcp_answer_clear(*state, &a);
    family_clear(&f);
    f = family_obstacle(10, 1, 1);
    f.lcp.M.row[2] = 2;  // column 1 loses its diagonal entry to row 2 ...
    f.lcp.M.row[3] = 3;  // ... and its neighbour moves on; columns 0 and 1 are (0, 1), (2, 3, 2) now
    f.lcp.M.row[4] = 4;
    a = family_solve(*state, sti_lcp_method_pgs, &f.lcp, NULL);
    assert_int_equal(a.termination, STI_END_NOT_APPLICABLE);
    assert_non_null(strstr(a.reason, "M[1][1]"));
    sti_lcp_answer_clear(*state, &a);
    family_clear(&f);
}

static void pgs_notices_divergence_and_standstill(void** state) {
    double M[4] = {1, -1e3, -1e3, 1}, q[2] = {-1, -1};
    const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_pgs, &lcp, NULL);
    assert_int_equal(a.termination, STI_END_STALLED);
    assert_non_null(strstr(a.reason, "diverge"));
    sti_lcp_answer_clear(*state, &a);
    // infeasible: z_0 - z_1 >= 1 and z_1 - z_0 >= 1
    double N[4] = {1, -1, -1, 1}, r[2] = {-1, -1};
    const sti_lcp infeasible = {.n = 2, .M = sti_matrix_dense_view(2, 2, N), .q = r};
    a = family_solve(*state, sti_lcp_method_pgs, &infeasible, NULL);
    assert_int_equal(a.termination, STI_END_STALLED);
    assert_non_null(strstr(a.reason, "no longer falls"));
    sti_lcp_answer_clear(*state, &a);
}

static void pgs_keeps_its_limits_start_and_trace(void** state) {
    family f = family_make(FAMILY_SPD, 80, 2);
    battery_limits(*state, sti_lcp_method_pgs, &f.lcp, 3);
    sti_lcp_options o = sti_lcp_options_default();
    battery_calls calls = {"pgs", 0};
    o.trace = battery_count;
    o.trace_user = &calls;
    o.max_iterations = 3;
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_pgs, &f.lcp, &o);
    assert_int_equal(calls.count, 2);
    sti_lcp_answer_clear(*state, &a);
    o.max_iterations = 0;
    o.start = f.z;
    a = family_solve(*state, sti_lcp_method_pgs, &f.lcp, &o);
    assert_int_equal(a.termination, STI_END_SOLUTION);
    assert_int_equal(a.iterations, 0);
    sti_lcp_answer_clear(*state, &a);
    family_clear(&f);
}

static void pgs_does_not_depend_on_units(void** state) {
    enum { N = 12 };
    family f = family_make(FAMILY_SPD, N, 3), g = family_dense(N);
    double unit[N];
    for (int i = 0; i < N; i++) unit[i] = ldexp(1, 40 * (i % 7 - 3));
    for (int i = 0; i < N; i++) {
        g.q[i] = f.q[i] * unit[i];
        for (int j = 0; j < N; j++) g.lcp.M.dense[i * N + j] = unit[i] * f.lcp.M.dense[i * N + j] * unit[j];
    }
    sti_lcp_options o = sti_lcp_options_default();
    o.max_iterations = 30;
    o.tol = 1e-300;
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_pgs, &f.lcp, &o);
    o.start = a.z;
    for (int i = 0; i < N; i++) a.z[i] /= unit[i];
    o.max_iterations = 1;
    sti_lcp_answer b = family_solve(*state, sti_lcp_method_pgs, &g.lcp, &o);
    for (int i = 0; i < N; i++) assert_true(fabs(b.z[i] * unit[i] - f.z[i]) < 1e-2);
    sti_lcp_answer_clear(*state, &a);
    sti_lcp_answer_clear(*state, &b);
    family_clear(&f);
    family_clear(&g);
}

// definite, far from dominant, a diagonal of almost nothing
static double hard_entry(int which, int i, int j) {
    const double v[3] = {(i == j) + 0.1 * (i + 1) * (j + 1), (i == j) - 2.0 * (i != j), i == j ? 1e-140 : 1};
    return v[which];
}

static void judge_hard(int which, bool tame, const sti_lcp* lcp, const sti_lcp_answer* a) {
    (void)lcp;
    if (which == 0 && tame) assert_int_equal(a->termination, STI_END_SOLUTION);
}

static void pgs_survives_hard_input(void** state) {
    battery_hard_input(*state, sti_lcp_method_pgs, 3, hard_entry, judge_hard);
}

static void pgs_survives_every_failed_allocation(void** state) {
    (void)state;
    family small = family_make(FAMILY_SPD, 6, 1), sparse = family_obstacle(20, 1, 1);
    battery_failed_allocations(sti_lcp_method_pgs, &small, STI_END_SOLUTION);
    battery_failed_allocations(sti_lcp_method_pgs, &sparse, STI_END_SOLUTION);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sweep_of_a_triangular_problem_is_exact),
        cmocka_unit_test(pgs_converges_for_every_relaxation_on_definite_problems),
        cmocka_unit_test(pgs_converges_on_semidefinite_problems),
        cmocka_unit_test(pgs_agrees_dense_and_sparse_bit_for_bit_on_a_string),
        cmocka_unit_test(pgs_takes_rows_of_an_unsymmetric_sparse_matrix),
        cmocka_unit_test(over_relaxation_pays_on_a_large_membrane),
        cmocka_unit_test(a_row_without_positive_diagonal_is_named),
        cmocka_unit_test(pgs_notices_divergence_and_standstill),
        cmocka_unit_test(pgs_keeps_its_limits_start_and_trace),
        cmocka_unit_test(pgs_does_not_depend_on_units),
        cmocka_unit_test(pgs_survives_hard_input),
        cmocka_unit_test(pgs_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
