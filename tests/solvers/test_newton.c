// test_newton.c: semismooth Newton, active set and damped.
#include "support/lcp_battery.h"

static void newton_solves_closed_forms(void** state) {
    // one pair: z = max(0, -q/m)
    for (int k = -3; k <= 3; k++) {
        double m = 4, q = k;
        const sti_lcp lcp = {.n = 1, .M = sti_matrix_dense_view(1, 1, &m), .q = &q};
        sti_lcp_answer a = family_solve(*state, sti_lcp_method_newton, &lcp, NULL);
        assert_int_equal(a.termination, STI_END_SOLUTION);
        assert_true(a.z[0] == fmax(0, -q / m));
        assert_int_equal(a.alpha[0], k < 0);
        sti_lcp_answer_clear(*state, &a);
    }
    // (z - 1)^2 + (y - 2)^2 over z, y >= 0, z + y <= 2: z = 1/2, y = 3/2, multiplier 1
    double M[9] = {2, 0, 1, 0, 2, 1, -1, -1, 0}, q[3] = {-2, -4, 2};
    const sti_lcp lcp = {.n = 3, .M = sti_matrix_dense_view(3, 3, M), .q = q};
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_newton, &lcp, NULL);
    assert_int_equal(a.termination, STI_END_SOLUTION);
    assert_true(family_distance(a.z, (const double[]){0.5, 1.5, 1}, 3) < 1e-15);
    assert_int_equal(a.basis_nonsingular, 1);
    sti_lcp_answer_clear(*state, &a);
}

static void newton_needs_no_step_when_zero_solves(void** state) {
    double M[4] = {-1, 0, 0, -1}, q[2] = {0, 3};
    const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_newton, &lcp, NULL);
    assert_int_equal(a.termination, STI_END_SOLUTION);
    assert_int_equal(a.iterations, 0);
    sti_lcp_answer_clear(*state, &a);
    const sti_lcp none = {.n = 0};
    a = family_solve(*state, sti_lcp_method_newton, &none, NULL);
    assert_int_equal(a.termination, STI_END_SOLUTION);
    sti_lcp_answer_clear(*state, &a);
}

static void newton_finds_planted_solutions_to_rounding(void** state) {
    for (int kind = 0; kind < FAMILY_KINDS; kind++) {
        for (int n = 1; n <= 161; n += 16) {
            family f = family_make((family_kind)kind, n, 10 + (uint64_t)n);
            sti_lcp_answer a = family_solve(*state, sti_lcp_method_newton, &f.lcp, NULL);
            assert_int_equal(a.termination, STI_END_SOLUTION);
            assert_true(family_residual(&f.lcp, a.z) < 1e-13);
            if (family_is_unique((family_kind)kind)) {
                assert_true(family_distance(a.z, f.z, n) < 1e-11);
                for (int i = 0; i < n; i++) assert_int_equal(a.alpha[i], f.z[i] > 0);
            }
            sti_lcp_answer_clear(*state, &a);
            family_clear(&f);
        }
    }
}

static void newton_takes_few_steps_on_definite_problems(void** state) {
    for (int kind = 0; kind <= FAMILY_DEFINITE; kind++) {
        family f = family_make((family_kind)kind, 400, 77);
        sti_lcp_answer a = family_solve(*state, sti_lcp_method_newton, &f.lcp, NULL);
        assert_int_equal(a.termination, STI_END_SOLUTION);
        assert_in_range(a.iterations, 1, 12);
        assert_int_equal(a.basis_nonsingular, 1);
        sti_lcp_answer_clear(*state, &a);
        family_clear(&f);
    }
}

// I + c P, P a cyclic permutation: a P-matrix (for odd n whatever c, for even n when c < 1) on which plain active-set
// steps run in circles from many starting sets (Ben Gharbia & Gilbert 2012). The damped form must break the cycle.
static void newton_leaves_cycles_of_active_sets(void** state) {
    int damped = 0;
    for (int n = 3; n <= 9; n++) {
        for (int shift = 1; shift < n; shift++) {
            double M[81] = {0}, q[9], start[9];
            for (int i = 0; i < n; i++) {
                M[i * n + i] = 1;
                M[i * n + (i + shift) % n] += n % 2 ? 1.5 : 0.9;
                q[i] = -1;
            }
            const sti_lcp lcp = {.n = n, .M = sti_matrix_dense_view(n, n, M), .q = q};
            const int stride = n > 6 ? 37 : 1;
            for (int set = 0; set < (1 << n); set += stride) {
                for (int i = 0; i < n; i++) start[i] = (set >> i) & 1;
                sti_lcp_options o = sti_lcp_options_default();
                o.start = start;
                o.tol = 1e-12;
                sti_lcp_answer a = family_solve(*state, sti_lcp_method_newton, &lcp, &o);
                assert_int_equal(a.termination, STI_END_SOLUTION);
                damped += strstr(a.reason, "damped") != NULL;
                sti_lcp_answer_clear(*state, &a);
            }
        }
    }
    assert_true(damped > 0);
}

// Murty's and Fathi's matrices, on which pivoting methods walk through exponentially many bases.
static void newton_is_not_impressed_by_murty_and_fathi(void** state) {
    for (int n = 1; n <= 40; n++) {
        for (int fathi = 0; fathi <= 1; fathi++) {
            family f = family_dense(n);
            for (int i = 0; i < n; i++) {
                f.q[i] = -1;
                for (int j = 0; j < n; j++) {
                    // Murty: lower triangle of 2 with unit diagonal, here U; Fathi: U U'
                    double v = i == j ? 1 : j > i ? 2 : 0;
                    if (fathi) {
                        v = 0;
                        for (int k = 0; k < n; k++) v += (k == i ? 1 : k > i ? 2 : 0) * (k == j ? 1 : k > j ? 2 : 0);
                    }
                    f.lcp.M.dense[i * n + j] = v;
                }
            }
            sti_lcp_answer a = family_solve(*state, sti_lcp_method_newton, &f.lcp, NULL);
            assert_int_equal(a.termination, STI_END_SOLUTION);
            assert_true(fabs(a.z[n - 1] - 1) < 1e-9);  // the solution is the last unit vector
            sti_lcp_answer_clear(*state, &a);
            family_clear(&f);
        }
    }
}

static void newton_agrees_dense_and_sparse(void** state) {
    battery_dense_and_sparse(*state, sti_lcp_method_newton, 25);
    // sparse and not symmetric: made dense inside
    family f = family_obstacle(12, 12, 9);
    for (int64_t k = 0; k < f.lcp.M.col_start[144]; k++)
        f.lcp.M.value[k] += f.lcp.M.value[k] < 0 ? -0.001 * (double)(k % 7) : 0.1;
    sti_lcp_answer s = family_solve(*state, sti_lcp_method_newton, &f.lcp, NULL);
    assert_int_equal(s.termination, STI_END_SOLUTION);
    sti_lcp_answer_clear(*state, &s);
    family_clear(&f);
}

static void newton_lifts_a_string_off_the_floor(void** state) {
    // pushed up with force 1 everywhere the string is a parabola: z_i = i (n + 1 - i) / 2, i = 1 .. n
    enum { N = 100 };
    family f = family_grid(N, 1);
    for (int i = 0; i < N; i++) f.q[i] = -1;
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_newton, &f.lcp, NULL);
    assert_int_equal(a.termination, STI_END_SOLUTION);
    for (int i = 0; i < N; i++) assert_true(fabs(a.z[i] - 0.5 * (i + 1) * (N - i)) < 1e-12 * N * N);
    sti_lcp_answer_clear(*state, &a);
    family_clear(&f);
}

static void newton_handles_a_large_sparse_membrane(void** state) {
    family f = family_membrane(100);
    const double start = sti_clock();
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_newton, &f.lcp, NULL);
    print_message("newton, membrane of 10000 points: %ld steps, %.2f s\n", a.iterations, sti_clock() - start);
    assert_int_equal(a.termination, STI_END_SOLUTION);
    sti_lcp_answer_clear(*state, &a);
    family_clear(&f);
}

static void newton_does_not_depend_on_the_order_of_pairs(void** state) {
    battery_order(*state, sti_lcp_method_newton);
}

static void newton_gives_the_same_bits_every_time_and_with_a_trace(void** state) {
    battery_same_bits(*state, sti_lcp_method_newton, "newton");
}

static void newton_starts_where_it_is_told(void** state) {
    family f = family_make(FAMILY_DEFINITE, 50, 6);
    sti_lcp_options o = sti_lcp_options_default();
    o.start = f.z;
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_newton, &f.lcp, &o);
    assert_int_equal(a.termination, STI_END_SOLUTION);
    assert_in_range(a.iterations, 0, 1);
    sti_lcp_answer_clear(*state, &a);
    family_clear(&f);
}

static void newton_stops_at_its_limits(void** state) {
    family f = family_make(FAMILY_LOW_RANK, 60, 5);
    battery_limits(*state, sti_lcp_method_newton, &f.lcp, 2);
    family_clear(&f);
}

static void newton_says_stalled_where_nothing_solves(void** state) {
    // w = -z - 1: no solution; and infeasible monotone problems
    double m = -1, q = -1;
    const sti_lcp lcp = {.n = 1, .M = sti_matrix_dense_view(1, 1, &m), .q = &q};
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_newton, &lcp, NULL);
    assert_int_equal(a.termination, STI_END_STALLED);
    sti_lcp_answer_clear(*state, &a);
    for (int n = 5; n <= 33; n += 4) {
        family f = family_infeasible(n, n % 8 == 1, (uint64_t)n);
        a = family_solve(*state, sti_lcp_method_newton, &f.lcp, NULL);
        assert_int_not_equal(a.termination, STI_END_SOLUTION);
        sti_lcp_answer_clear(*state, &a);
        family_clear(&f);
    }
}

static void judge_hard(int which, bool tame, const sti_lcp* lcp, const sti_lcp_answer* a) {
    (void)lcp;
    if (which == 3 && tame) assert_int_equal(a->termination, STI_END_SOLUTION);
    if (which == 0) assert_int_not_equal(a->termination, STI_END_SOLUTION);
}

static void newton_survives_hard_input(void** state) {
    battery_hard_input(*state, sti_lcp_method_newton, 4, battery_entry, judge_hard);
}

static void newton_is_indifferent_to_units(void** state) {
    enum { N = 30 };
    family f = family_make(FAMILY_DEFINITE, N, 33), g = family_dense(N);
    double unit[N];
    sti_rng rng = {4};
    for (int i = 0; i < N; i++) unit[i] = pow(10, sti_rng_int(&rng, -8, 8));
    for (int i = 0; i < N; i++) {
        g.q[i] = f.q[i] * unit[i];
        for (int j = 0; j < N; j++) g.lcp.M.dense[i * N + j] = unit[i] * f.lcp.M.dense[i * N + j] * unit[j];
    }
    sti_lcp_answer b = family_solve(*state, sti_lcp_method_newton, &g.lcp, NULL);
    assert_int_equal(b.termination, STI_END_SOLUTION);
    for (int i = 0; i < N; i++) assert_true(fabs(b.z[i] * unit[i] - f.z[i]) < 1e-12);
    sti_lcp_answer_clear(*state, &b);
    family_clear(&f);
    family_clear(&g);
}

static void newton_survives_every_failed_allocation(void** state) {
    (void)state;
    family small = family_make(FAMILY_MONOTONE, 6, 1), sparse = family_obstacle(20, 1, 1);
    battery_failed_allocations(sti_lcp_method_newton, &small, STI_END_SOLUTION);
    battery_failed_allocations(sti_lcp_method_newton, &sparse, STI_END_SOLUTION);
}

static void a_large_unsymmetric_sparse_matrix_is_declined(void** state) {
    family f = family_obstacle(5100, 1, 2);
    f.lcp.M.value[1] = -0.5;
    sti_lcp_answer a = family_solve(*state, sti_lcp_method_newton, &f.lcp, NULL);
    assert_int_equal(a.termination, STI_END_NOT_APPLICABLE);
    sti_lcp_answer_clear(*state, &a);
    family_clear(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_solves_closed_forms),
        cmocka_unit_test(newton_needs_no_step_when_zero_solves),
        cmocka_unit_test(newton_finds_planted_solutions_to_rounding),
        cmocka_unit_test(newton_takes_few_steps_on_definite_problems),
        cmocka_unit_test(newton_leaves_cycles_of_active_sets),
        cmocka_unit_test(newton_is_not_impressed_by_murty_and_fathi),
        cmocka_unit_test(newton_agrees_dense_and_sparse),
        cmocka_unit_test(newton_lifts_a_string_off_the_floor),
        cmocka_unit_test(newton_handles_a_large_sparse_membrane),
        cmocka_unit_test(newton_does_not_depend_on_the_order_of_pairs),
        cmocka_unit_test(newton_gives_the_same_bits_every_time_and_with_a_trace),
        cmocka_unit_test(newton_starts_where_it_is_told),
        cmocka_unit_test(newton_stops_at_its_limits),
        cmocka_unit_test(newton_says_stalled_where_nothing_solves),
        cmocka_unit_test(newton_survives_hard_input),
        cmocka_unit_test(newton_is_indifferent_to_units),
        cmocka_unit_test(newton_survives_every_failed_allocation),
        cmocka_unit_test(a_large_unsymmetric_sparse_matrix_is_declined),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
