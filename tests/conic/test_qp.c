// test_qp.c: quadratic programs with rows and bounds on both sides.
#include <stiction/io.h>
#include <stiction/problem.h>
#include <stiction/qp.h>

#include "conic_tools.h"
#include "support/failing_env.h"
#include "support/open_env.h"

static sti_qp_answer expect_qp(sti_env* env, const sti_qp* qp, sti_conic_outcome outcome) {
    sti_qp_answer a;
    assert_int_equal(sti_qp_solve(env, qp, NULL, &a), STI_OK);
    if (a.outcome != outcome)
        print_error("%s instead of %s: %s, residual %g\n", sti_conic_outcome_text(a.outcome),
                    sti_conic_outcome_text(outcome), a.reason, a.residual);
    assert_int_equal(a.outcome, outcome);
    sti_qp_verification v;
    assert_int_equal(sti_verify_qp(env, qp, &a, 1.01e-9, &v), STI_OK);
    if (!v.accepted) print_error("%s\n", v.text);
    assert_true(v.accepted);
    assert_true(fabs(v.residual - a.residual) <= 1e-3 * a.residual + 1e-12);
    return a;
}

// min (x - 3)^2 / 2 within [low, high]: the nearest point of the interval, and a multiplier of the right sign
static void one_variable_goes_to_the_nearest_point(void** state) {
    const double bounds[][3] = {{0, 2, 2},        {4, 5, 4}, {0, 5, 3},       {-1e30, 1, 1},
                                {3.5, 1e30, 3.5}, {2, 2, 2}, {-1e30, 1e30, 3}};
    double P = 1, A = 1, c = -3;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        for (int rows = 0; rows < 2; rows++) {  // as bounds, as rows
            const double *low = &bounds[i][0], *high = &bounds[i][1], x = bounds[i][2];
            sti_qp qp = {.n = 1, .m = rows, .P = sti_matrix_dense_view(1, 1, &P), .c = &c};
            qp.A = sti_matrix_dense_view(rows, 1, &A);
            if (rows == 1) {
                qp.l = low;
                qp.u = high;
            } else {
                qp.lb = low;
                qp.ub = high;
            }
            sti_qp_answer a = expect_qp(*state, &qp, STI_CONIC_SOLVED);
            assert_true(fabs(a.x[0] - x) < 1e-9);
            assert_true(fabs((rows == 1 ? a.y[0] : a.z[0]) - (3 - x)) < 1e-8);
            sti_qp_answer_clear(*state, &a);
        }
    }
}

static void linear_program_by_hand(void** state) {
    // max 3x + 2y, x + y <= 4, x + 3y <= 9, 0 <= x <= 3, y >= 0: (3, 1), value 11, multipliers 2, 0, and 1 of x <= 3
    double A[] = {1, 1, 1, 3}, c[] = {-3, -2};
    const double u[] = {4, 9}, lb[] = {0, 0}, ub[] = {3, 1e20};
    const sti_qp qp = {.n = 2, .m = 2, .A = sti_matrix_dense_view(2, 2, A), .c = c, .u = u, .lb = lb, .ub = ub};
    sti_qp_answer a = expect_qp(*state, &qp, STI_CONIC_SOLVED);
    assert_true(fabs(a.x[0] - 3) < 1e-9 && fabs(a.x[1] - 1) < 1e-9 && fabs(a.objective + 11) < 1e-9);
    assert_true(fabs(a.y[0] - 2) < 1e-8 && fabs(a.y[1]) < 1e-8 && fabs(a.z[0] - 1) < 1e-8 && fabs(a.z[1]) < 1e-8);
    sti_qp_answer_clear(*state, &a);
}

static void crossed_bounds_are_infeasible_and_say_where(void** state) {
    double P[] = {1, 0, 0, 1}, A[] = {1, 1}, c[] = {0, 0};
    const double l[] = {1}, u[] = {-1}, lb[] = {0, 0}, ub[] = {1, 1}, high[] = {3};
    sti_qp qp = {.n = 2, .m = 1, .P = sti_matrix_dense_view(2, 2, P), .A = sti_matrix_dense_view(1, 2, A), .c = c};
    qp.l = l;
    qp.u = u;  // 1 <= x + y <= -1
    sti_qp_answer a = expect_qp(*state, &qp, STI_CONIC_INFEASIBLE);
    assert_int_equal(a.crossed, 0);
    a.crossed = 2;  // another variable, where nothing is crossed
    sti_qp_verification v;
    assert_int_equal(sti_verify_qp(*state, &qp, &a, 1e-9, &v), STI_OK);
    assert_false(v.accepted);
    sti_qp_answer_clear(*state, &a);
    qp.l = high;
    qp.u = NULL;
    qp.lb = lb;
    qp.ub = ub;  // x + y >= 3 in the unit square
    a = expect_qp(*state, &qp, STI_CONIC_INFEASIBLE);
    assert_true(a.y[0] < 0 && a.z[0] > 0 && a.z[1] > 0);
    assert_true(a.bound > 1e9 && isnan(a.x[0]) && a.crossed == -1);
    sti_qp_answer_clear(*state, &a);
}

static void a_direction_without_end_is_unbounded(void** state) {
    double P[] = {1, 0, 0, 0}, A[] = {1, -1}, c[] = {0, -1};
    const double l[] = {-1e30}, u[] = {5};  // x - y <= 5, y falls without end ... upward
    const sti_qp qp = {.n = 2,
                       .m = 1,
                       .P = sti_matrix_dense_view(2, 2, P),
                       .A = sti_matrix_dense_view(1, 2, A),
                       .c = c,
                       .l = l,
                       .u = u};
    sti_qp_answer a = expect_qp(*state, &qp, STI_CONIC_UNBOUNDED);
    assert_true(fabs(a.x[0]) < 1e-8 && fabs(a.x[1] - 1) < 1e-8 && isnan(a.y[0]));
    sti_qp_answer_clear(*state, &a);
}

// Around a known answer: multipliers of random signs, rows that are equations, one-sided, two-sided or free.
static void families_around_known_answers(void** state) {
    sti_rng rng = {5};
    for (int trial = 0; trial < 60; trial++) {
        const int n = 2 + trial % 17, m = trial % 11, rank = trial % 3 == 0 ? -1 : trial % 3 == 1 ? n : n / 2;
        double *P = calloc((size_t)(n * n), sizeof *P), *A = calloc((size_t)(n * m) + 1, sizeof *A);
        double* v = calloc((size_t)(4 * n + 3 * m) + 8, sizeof *v);
        double *x = v, *c = x + n, *lb = c + n, *ub = lb + n, *l = ub + n, *u = l + m;
        if (rank > 0) random_gram(&rng, n, rank, P);
        for (int i = 0; i < n * m; i++) A[i] = sti_rng_u01(&rng) < 0.5 ? symmetric(&rng) : 0;
        for (int j = 0; j < n; j++) x[j] = symmetric(&rng);
        if (rank > 0) times(n, n, P, x, c);
        for (int i = 0; i < m + n; i++) {
            const double at = i < m ? inner(n, A + i * n, x) : x[i - m], y = fabs(symmetric(&rng)) + 0.01;
            double *low = i < m ? &l[i] : &lb[i - m], *high = i < m ? &u[i] : &ub[i - m], sign = 0;
            const int kind = sti_rng_int(&rng, 0, 4);
            *low = kind == 0 || kind == 3 ? at : kind == 2 ? -INFINITY : at - y;
            *high = kind == 1 || kind == 3 ? at : kind == 2 ? 1e25 : at + y;
            if (kind == 0) sign = -1;
            if (kind == 1) sign = 1;
            if (kind == 3) sign = symmetric(&rng) > 0 ? 1 : -1;
            for (int j = 0; j < n; j++) c[j] += sign * y * (i < m ? A[i * n + j] : (j == i - m ? 1 : 0));
        }
        for (int j = 0; j < n; j++) c[j] = -c[j];
        sti_qp qp = {.n = n, .m = m, .A = sti_matrix_dense_view(m, n, A), .c = c, .l = l, .u = u, .lb = lb, .ub = ub};
        if (rank >= 0) qp.P = sti_matrix_dense_view(n, n, P);
        sti_qp_answer a = expect_qp(*state, &qp, STI_CONIC_SOLVED);
        double value = inner(n, c, x);
        for (int i = 0; rank > 0 && i < n * n; i++) value += x[i / n] * P[i] * x[i % n] / 2;
        assert_true(fabs(a.objective - value) < 1e-8 * (1 + fabs(value)));
        sti_qp_answer_clear(*state, &a);
        free(P);
        free(A);
        free(v);
    }
}

// min 1/2 x'P x + c'x, A x <= b, x >= 0 has a solution exactly when its LCP has one, and that is decided without
// rounding. Small whole numbers make every kind of degeneracy: equal and opposite rows, rows of zeros, no interior,
// many solutions.
static void outcomes_agree_with_exact_complementarity(void** state) {
    sti_rng rng = {1};
    int count[5] = {0};
    for (int trial = 0; trial < 400; trial++) {
        const int n = sti_rng_int(&rng, 1, 6), m = sti_rng_int(&rng, 0, 7), N = n + m, most = sti_rng_int(&rng, 1, 3);
        const int rank = sti_rng_int(&rng, 0, 1) == 0 ? -1 : sti_rng_int(&rng, 0, n);
        double A[42] = {0}, P[36] = {0}, c[6], b[7], M[169] = {0}, q[13];
        const double lb[6] = {0};
        for (int i = 0; i < m * n; i++) A[i] = sti_rng_int(&rng, 0, 2) > 0 ? sti_rng_int(&rng, -most, most) : 0;
        for (int j = 0; j < n; j++) c[j] = sti_rng_int(&rng, -2, 2);
        for (int i = 0; i < m; i++) b[i] = sti_rng_int(&rng, 0, 2) > 0 ? sti_rng_int(&rng, -2, 3) : 0;
        if (m > 1 && trial % 4 == 0) {  // the first row once more, or turned around
            for (int j = 0; j < n; j++) A[n + j] = trial % 8 == 0 ? A[j] : -A[j];
            b[1] = trial % 8 == 0 ? b[0] : -b[0];
        }
        for (int t = 0; t < rank; t++) {
            double v[6];
            for (int j = 0; j < n; j++) v[j] = sti_rng_int(&rng, -1, 1);
            for (int i = 0; i < n * n; i++) P[i] += v[i / n] * v[i % n];
        }
        sti_qp qp = {.n = n, .m = m, .A = sti_matrix_dense_view(m, n, A), .c = c, .u = b, .lb = lb};
        if (rank >= 0) qp.P = sti_matrix_dense_view(n, n, P);
        for (int i = 0; i < N; i++) {
            q[i] = i < n ? c[i] : b[i - n];
            for (int j = 0; j < N; j++) {
                if (i < n && j < n) M[i * N + j] = P[i * n + j];
                if (i < n && j >= n) M[i * N + j] = A[(j - n) * n + i];
                if (i >= n && j < n) M[i * N + j] = -A[(i - n) * n + j];
            }
        }
        const sti_lcp lcp = {.n = N, .M = sti_matrix_dense_view(N, N, M), .q = q};
        sti_lcp_answer exact;
        sti_qp_answer a;
        assert_int_equal(sti_lcp_solve(*state, &lcp, NULL, &exact), STI_OK);
        assert_int_equal(sti_qp_solve(*state, &qp, NULL, &a), STI_OK);
        sti_qp_verification v;
        assert_int_equal(sti_verify_qp(*state, &qp, &a, 1.01e-9, &v), STI_OK);
        if (!v.accepted || (a.outcome == STI_CONIC_SOLVED) != (exact.outcome == STI_SOLVED))
            fail_msg("trial %d: %s, as an LCP %s: %s", trial, sti_conic_outcome_text(a.outcome),
                     sti_outcome_text(exact.outcome), v.text);
        count[a.outcome]++;
        sti_lcp_answer_clear(*state, &exact);
        sti_qp_answer_clear(*state, &a);
    }
    assert_true(count[STI_CONIC_SOLVED] > 100 && count[STI_CONIC_INFEASIBLE] > 50 && count[STI_CONIC_UNBOUNDED] > 50);
}

// x_4 = 1 by two rows, no interior, and x_1 falls without end: found by the question for a ray.
static double stuck_A[] = {0, 0, 0, -1, 0,  0, 0,  0, 1, 0, 0,  0, -1, 0, 1,
                           0, 0, 0, 0,  -1, 0, -1, 0, 0, 0, -1, 0, 0,  0, -1};
static double stuck_P[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1};
static const double stuck_u[] = {-1, 1, -2, 2, 0, 0}, stuck_c[] = {-1, 2, 1, -1, -1}, stuck_lb[] = {0, 0, 0, 0, 0};

static sti_qp stuck(void) {
    return (sti_qp){.n = 5,
                    .m = 6,
                    .P = sti_matrix_dense_view(5, 5, stuck_P),
                    .A = sti_matrix_dense_view(6, 5, stuck_A),
                    .c = stuck_c,
                    .u = stuck_u,
                    .lb = stuck_lb};
}

static void a_ray_is_found_where_the_method_comes_to_no_end(void** state) {
    const sti_qp qp = stuck();
    sti_qp_answer a = expect_qp(*state, &qp, STI_CONIC_UNBOUNDED);
    assert_true(a.x[0] > 0);
    sti_qp_answer_clear(*state, &a);
}

// Bounds are rows that fit any unit: they kept the variables of this one in theirs, 1e5 apart, and nothing was decided.
static void bug_units_of_variables_far_apart(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_document* problem;
    assert_int_equal(sti_document_load(env, STI_SOURCE_DIR "/problems/qp_units.json", &problem), STI_OK);
    const sti_qp* qp = sti_qp_of(problem);
    sti_qp_answer a;
    assert_int_equal(sti_qp_solve(env, qp, NULL, &a), STI_OK);
    assert_int_equal(a.outcome, STI_CONIC_SOLVED);
    for (int j = 0; j < qp->n; j++) {  // each in its own unit: |P x + c + z| against the terms
        double sum = qp->c[j] + a.z[j], size = fabs(qp->c[j]);
        for (int i = 0; i < qp->n; i++) {
            const double term = sti_matrix_get(&qp->P, j, i) * a.x[i];
            sum += term;
            size += fabs(term);
        }
        assert_true(fabs(sum) <= 1e-10 * size);
    }
    sti_qp_answer_clear(env, &a);
    sti_document_destroy(problem);
    sti_env_destroy(env);
}

static void false_claims_are_rejected(void** state) {
    double P[] = {2, 0, 0, 2}, A[] = {1, 1}, c[] = {-2, -6};
    const double u[] = {2}, lb[] = {0, 0};
    const sti_qp qp = {.n = 2,
                       .m = 1,
                       .P = sti_matrix_dense_view(2, 2, P),
                       .A = sti_matrix_dense_view(1, 2, A),
                       .c = c,
                       .u = u,
                       .lb = lb};
    sti_qp_answer a = expect_qp(*state, &qp, STI_CONIC_SOLVED);
    sti_qp_verification v;
    double* entries[] = {&a.x[0], &a.x[1], &a.y[0], &a.z[0], &a.z[1]};
    for (int i = 0; i < 5; i++) {
        const double keep = *entries[i];
        *entries[i] += 1e-3;
        assert_int_equal(sti_verify_qp(*state, &qp, &a, 1e-8, &v), STI_OK);
        assert_false(v.accepted);
        *entries[i] = NAN;
        assert_int_equal(sti_verify_qp(*state, &qp, &a, 1e-8, &v), STI_OK);
        assert_false(v.accepted);
        *entries[i] = keep;
    }
    a.y[0] = -a.y[0];  // a multiplier of a side that is not there
    assert_int_equal(sti_verify_qp(*state, &qp, &a, 1e-8, &v), STI_OK);
    assert_false(v.accepted);
    a.outcome = STI_CONIC_INFEASIBLE;
    assert_int_equal(sti_verify_qp(*state, &qp, &a, 1e-8, &v), STI_OK);
    assert_false(v.accepted);
    a.outcome = STI_CONIC_UNBOUNDED;
    assert_int_equal(sti_verify_qp(*state, &qp, &a, 1e-8, &v), STI_OK);
    assert_false(v.accepted);
    sti_qp_answer_clear(*state, &a);
    P[3] = -2;  // indefinite
    assert_int_equal(sti_qp_solve(*state, &qp, NULL, &a), STI_ERR_ARGUMENT);
    sti_qp_answer_clear(*state, &a);
}

static void bad_bounds_are_refused(void** state) {
    double c[] = {1};
    const double nan[] = {NAN}, high[] = {1e30}, low[] = {-1e30};
    sti_qp_answer a;
    const sti_qp programs[] = {{.n = 1, .c = c, .lb = nan}, {.n = 1, .c = c, .ub = nan}, {.n = 1, .c = c, .lb = high},
                               {.n = 1, .c = c, .ub = low}, {.n = -1, .c = c},           {.n = 1}};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        assert_int_equal(sti_qp_solve(*state, &programs[i], NULL, &a), STI_ERR_ARGUMENT);
}

static void fail_every_allocation(const sti_qp* qp) {
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_qp_answer a;
        sti_qp_verification v;
        sti_status status = sti_qp_solve(f.env, qp, NULL, &a);
        if (status == STI_OK) status = sti_verify_qp(f.env, qp, &a, 1e-9, &v);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_qp_answer_clear(f.env, &a);
        if (failing_env_close(&f)) break;
    }
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    double P[] = {2, 0, 0, 2}, A[] = {1, 1}, c[] = {-2, -6};
    const double u[] = {2}, lb[] = {0, 0};
    const sti_qp qp = {.n = 2,
                       .m = 1,
                       .P = sti_matrix_dense_view(2, 2, P),
                       .A = sti_matrix_dense_view(1, 2, A),
                       .c = c,
                       .u = u,
                       .lb = lb};
    fail_every_allocation(&qp);
    const sti_qp open = stuck();
    fail_every_allocation(&open);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_variable_goes_to_the_nearest_point),
        cmocka_unit_test(linear_program_by_hand),
        cmocka_unit_test(crossed_bounds_are_infeasible_and_say_where),
        cmocka_unit_test(a_direction_without_end_is_unbounded),
        cmocka_unit_test(families_around_known_answers),
        cmocka_unit_test(outcomes_agree_with_exact_complementarity),
        cmocka_unit_test(a_ray_is_found_where_the_method_comes_to_no_end),
        cmocka_unit_test(bug_units_of_variables_far_apart),
        cmocka_unit_test(false_claims_are_rejected),
        cmocka_unit_test(bad_bounds_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
