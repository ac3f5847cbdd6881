// The front door: real problems, theorem cases, hard families, what auto records, bad input, failed allocations.
#include <dirent.h>
#include <math.h>
#include <stiction/io.h>
#include <stiction/problem.h>

#include "base/env.h"
#include "base/rng.h"
#include "support/group_env.h"
#include "support/oracle.h"

static sti_lcp_answer solve(const sti_lcp* lcp, sti_lcp_solver solver) {
    sti_lcp_options options = sti_lcp_options_default();
    options.solver = solver;
    sti_lcp_answer answer;
    assert_int_equal(sti_lcp_solve(group_env, lcp, &options, &answer), STI_OK);
    return answer;
}

// At the tolerance that was asked for: how far below it an answer ends differs between builds of BLAS.
static void assert_decided(const char* name, const sti_document* problem, const sti_lcp_answer* answer) {
    const double tol = sti_lcp_options_default().tol;
    sti_verification v;
    if (sti_lcp_of(problem) != NULL)
        assert_int_equal(sti_verify_lcp(group_env, sti_lcp_of(problem), answer, tol, &v), STI_OK);
    else
        assert_int_equal(sti_verify_mlcp(group_env, sti_mlcp_of(problem), answer, tol, &v), STI_OK);
    if (!v.accepted) fail_msg("%s: %s; %s", name, sti_outcome_text(answer->outcome), v.text);
}

// Every .json and .hdf5 problem of a folder, by auto. Returns how many.
static int solve_folder(const char* folder) {
    DIR* dir = opendir(folder);
    if (dir == NULL) return 0;
    int count = 0;
    for (struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (strstr(entry->d_name, ".json") == NULL && strstr(entry->d_name, ".hdf5") == NULL) continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        sti_document* problem;
        if (sti_document_load(group_env, path, &problem) != STI_OK) fail_msg("%s", sti_env_error(group_env)->text);
        if (sti_document_kind(problem) == STI_KIND_LCP || sti_document_kind(problem) == STI_KIND_MLCP) {
            sti_lcp_answer answer;
            if (sti_lcp_of(problem) != NULL)
                assert_int_equal(sti_lcp_solve(group_env, sti_lcp_of(problem), NULL, &answer), STI_OK);
            else
                assert_int_equal(sti_mlcp_solve(group_env, sti_mlcp_of(problem), NULL, &answer), STI_OK);
            assert_decided(entry->d_name, problem, &answer);
            sti_lcp_answer_clear(group_env, &answer);
            count++;
        }
        sti_document_destroy(problem);
    }
    closedir(dir);
    return count;
}

static void every_problem_of_the_checkout_is_solved_or_disproved(void** state) {
    (void)state;
    assert_true(solve_folder(STI_SOURCE_DIR "/problems") > 0);
}

static void every_problem_from_elsewhere_is_solved_or_disproved(void** state) {
    (void)state;
    const int count = solve_folder(STI_SHARED_DIR "/problems/lcp") + solve_folder(STI_SHARED_DIR "/problems/mlcp");
    if (count == 0) {
        print_message("skipped: no problems at ../shared/problems\n");
        skip();
    }
    assert_true(count >= 17);
}

static void theorem_1_2_8_cases_are_solved_or_proved_unsolvable(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strncmp(oracle_id(item), "T128-", 5) != 0) continue;
        oracle_table M = oracle_read(group_env, oracle_get(item, "inputs", "M")),
                     q = oracle_read(group_env, oracle_get(item, "inputs", "q"));
        const sti_lcp lcp = {.n = q.rows,
                             .M = sti_matrix_dense_view(q.rows, q.rows, M.value),
                             .q = q.value,
                             .M_exact = M.exact,
                             .q_exact = q.exact};
        sti_lcp_answer answer = solve(&lcp, STI_LCP_AUTO), pivots = solve(&lcp, STI_LCP_LEMKE);
        const bool solvable = cJSON_IsTrue(oracle_get(item, "expected", "solvable"));
        assert_int_equal(answer.outcome, solvable ? STI_SOLVED : STI_NO_SOLUTION);
        assert_string_equal(sti_termination_text(pivots.termination),
                            cJSON_GetStringValue(oracle_get(item, "expected", "lemke_status")));
        assert_true(pivots.outcome != (solvable ? STI_NO_SOLUTION : STI_SOLVED));
        sti_lcp_answer_clear(group_env, &answer);
        sti_lcp_answer_clear(group_env, &pivots);
        oracle_free(&M);
        oracle_free(&q);
    }
    cJSON_Delete(root);
}

static void a_ray_of_a_copositive_matrix_alone_is_no_proof(void** state) {
    (void)state;
    double M[4] = {0, 1, 0, 0}, q[2] = {-1, 0};
    const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
    sti_lcp_answer answer = solve(&lcp, STI_LCP_AUTO), pivots = solve(&lcp, STI_LCP_LEMKE);
    assert_int_equal(answer.outcome, STI_SOLVED);
    assert_true(answer.z[0] == 0 && answer.z[1] == 1);
    assert_true(pivots.outcome != STI_NO_SOLUTION);
    sti_lcp_answer_clear(group_env, &answer);
    sti_lcp_answer_clear(group_env, &pivots);
}

static void an_infeasible_monotone_problem_carries_a_farkas_vector_at_any_size(void** state) {
    (void)state;
    for (int n = 2; n <= 130; n += 64) {
        // M = A A' with a common kernel vector v = (1, 1, 0, ...): rows 0 and 1 opposite; q'v < 0
        sti_rng rng = {.state = (uint64_t)n};
        const int k = n / 2;
        double *A = calloc((size_t)(n * k), sizeof *A), *M = calloc((size_t)(n * n), sizeof *M),
               *q = calloc((size_t)n, sizeof *q);
        for (int i = 1; i < n; i++) {
            for (int j = 0; j < k; j++) A[i * k + j] = sti_rng_int(&rng, -3, 3);
            q[i] = sti_rng_int(&rng, -3, 3);
        }
        for (int j = 0; j < k; j++) A[j] = -A[k + j];
        q[0] = -q[1] - 1;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                for (int l = 0; l < k; l++) M[i * n + j] += A[i * k + l] * A[j * k + l];
            }
        }
        const sti_lcp lcp = {.n = n, .M = sti_matrix_dense_view(n, n, M), .q = q};
        sti_lcp_answer answer = solve(&lcp, STI_LCP_AUTO);
        if (answer.outcome != STI_NO_SOLUTION)
            fail_msg("n = %d: %s, %s", n, sti_outcome_text(answer.outcome), answer.reason);
        assert_int_equal(answer.certificate.proof, STI_PROOF_FARKAS);
        sti_verification v;
        assert_int_equal(sti_verify_lcp(group_env, &lcp, &answer, 1e-10, &v), STI_OK);
        if (!v.accepted) fail_msg("n = %d: %s", n, v.text);
        sti_lcp_answer_clear(group_env, &answer);
        free(A), free(M), free(q);
    }
}

static void exponential_families_are_solved_exactly(void** state) {
    (void)state;
    for (int n = 2; n <= 16; n++) {
        double *murty = calloc((size_t)(n * n), sizeof *murty), *fathi = calloc((size_t)(n * n), sizeof *fathi),
               *q = calloc((size_t)n, sizeof *q);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) murty[i * n + j] = i == j ? 1 : 2;
        }
        for (int i = 0; i < n; i++) {  // Fathi: F = U U', symmetric positive definite
            for (int j = 0; j < n; j++) {
                for (int k = 0; k < n; k++) fathi[i * n + j] += murty[i * n + k] * murty[j * n + k];
            }
            q[i] = i == 0 ? -ldexp(1, n) : q[i - 1] - ldexp(1, n - i);
        }
        double* matrix[2] = {murty, fathi};
        for (int f = 0; f < 2; f++) {
            const sti_lcp lcp = {.n = n, .M = sti_matrix_dense_view(n, n, matrix[f]), .q = q};
            sti_lcp_answer answer = solve(&lcp, STI_LCP_AUTO);
            assert_int_equal(answer.outcome, STI_SOLVED);
            assert_true(answer.exact);
            if (f == 0) assert_true(answer.z[0] == ldexp(1, n));
            sti_lcp_answer_clear(group_env, &answer);
        }
        free(murty), free(fathi), free(q);
    }
}

static void auto_records_what_it_tried(void** state) {
    (void)state;
    // a bimatrix game: Lemke with the covering vector of ones leaves on a ray at once
    double M[16] = {0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0}, q[4] = {-1, -1, -1, -1};
    const sti_lcp lcp = {.n = 4, .M = sti_matrix_dense_view(4, 4, M), .q = q};
    sti_lcp_answer answer = solve(&lcp, STI_LCP_AUTO);
    assert_int_equal(answer.outcome, STI_SOLVED);
    assert_int_equal(answer.solver, STI_LCP_ENUM);
    assert_int_equal(answer.attempt_count, 2);
    assert_int_equal(answer.attempts[0].solver, STI_LCP_LEMKE);
    assert_int_equal(answer.attempts[0].termination, STI_END_RAY);
    assert_int_equal(answer.attempts[1].solver, STI_LCP_ENUM);
    assert_int_equal(answer.attempts[1].termination, STI_END_SOLUTION);
    sti_lcp_answer_clear(group_env, &answer);
}

// A grid of m x m points in columns: the five-point Laplacian, with walls at which it is held, or free (rows of sum
// zero).
static sti_matrix laplacian(int m, bool held) {
    const int n = m * m;
    sti_matrix A = {.rows = n, .cols = n};
    A.col_start = sti_alloc_array_zero(group_env, (size_t)n + 1, sizeof *A.col_start);
    A.row = sti_alloc_array(group_env, 5 * (size_t)n, sizeof *A.row);
    A.value = sti_alloc_array(group_env, 5 * (size_t)n, sizeof *A.value);
    int64_t top = 0;
    for (int k = 0; k < n; k++) {
        const int x = k % m, y = k / m;
        const struct {
            bool there;
            int row;
        } near[4] = {{y > 0, k - m}, {x > 0, k - 1}, {x < m - 1, k + 1}, {y < m - 1, k + m}};
        int64_t middle = 0;
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            if (i == 2) middle = top++;
            if (!near[i].there) continue;
            A.row[top] = near[i].row;
            A.value[top++] = -1;
            sum++;
        }
        A.row[middle] = k;
        A.value[middle] = held ? 4 : sum;
        A.col_start[k + 1] = top;
    }
    return A;
}

// A membrane pressed against a dome: w = A z + q, q = A psi + load.
static void an_obstacle_problem_is_solved_by_sparse_factors(void** state) {
    (void)state;
    for (int m = 20; m <= 125; m += 35) {
        const int n = m * m;
        sti_matrix A = laplacian(m, true);
        double *psi = calloc((size_t)n, sizeof *psi), *q = calloc((size_t)n, sizeof *q);
        for (int k = 0; k < n; k++) {
            const double x = (k % m + 1.0) / (m + 1) - 0.5, y = (k / m + 1.0) / (m + 1) - 0.4;
            psi[k] = 0.25 - 4 * (x * x + 2 * y * y);
        }
        for (int j = 0; j < n; j++) {
            for (int64_t k = A.col_start[j]; k < A.col_start[j + 1]; k++) q[A.row[k]] += A.value[k] * psi[j];
        }
        const sti_lcp lcp = {.n = n, .M = A, .q = q};
        sti_lcp_answer answer = solve(&lcp, STI_LCP_AUTO);
        assert_int_equal(answer.outcome, STI_SOLVED);
        for (int i = 0; i < answer.attempt_count; i++)
            assert_true(answer.attempts[i].solver != STI_LCP_LEMKE && answer.attempts[i].iterations <= 40);
        sti_verification v;
        assert_int_equal(sti_verify_lcp(group_env, &lcp, &answer, 1e-8, &v), STI_OK);
        assert_true(v.accepted);
        sti_lcp_answer_clear(group_env, &answer);
        sti_matrix_clear(group_env, &A);
        free(psi), free(q);
    }
}

// Free at its edges and pulled away: v = (1, .., 1) has A v = 0 and q'v < 0.
static void a_sparse_problem_without_solution_is_proved_to_have_none(void** state) {
    (void)state;
    const int m = 30, n = m * m;
    sti_matrix A = laplacian(m, false);
    double* q = calloc((size_t)n, sizeof *q);
    for (int k = 0; k < n; k++) q[k] = k % 3 == 0 ? 1 : -1;
    const sti_lcp lcp = {.n = n, .M = A, .q = q};
    sti_lcp_answer answer = solve(&lcp, STI_LCP_AUTO);
    if (answer.outcome != STI_NO_SOLUTION) fail_msg("%s: %s", sti_outcome_text(answer.outcome), answer.reason);
    sti_verification v;
    assert_int_equal(sti_verify_lcp(group_env, &lcp, &answer, 1e-8, &v), STI_OK);
    assert_true(v.accepted);
    sti_lcp_answer_clear(group_env, &answer);
    sti_matrix_clear(group_env, &A);
    free(q);
}

// Sparse, symmetric and indefinite: what Newton and interior points leave open goes to the pivots.
static void a_sparse_problem_that_is_not_monotone_is_still_pivoted(void** state) {
    (void)state;
    const int m = 6, n = m * m;
    sti_matrix A = laplacian(m, true);
    for (int j = 0; j < n; j++) {
        for (int64_t k = A.col_start[j]; k < A.col_start[j + 1]; k++) A.value[k] = A.row[k] == j ? 1 : -A.value[k];
    }
    double* q = calloc((size_t)n, sizeof *q);
    for (int k = 0; k < n; k++) q[k] = k % 5 - 3;
    const sti_lcp lcp = {.n = n, .M = A, .q = q};
    sti_lcp_answer answer = solve(&lcp, STI_LCP_AUTO);
    assert_int_equal(answer.outcome, STI_SOLVED);
    sti_verification v;
    assert_int_equal(sti_verify_lcp(group_env, &lcp, &answer, 1e-8, &v), STI_OK);
    assert_true(v.accepted);
    sti_lcp_answer_clear(group_env, &answer);
    sti_matrix_clear(group_env, &A);
    free(q);
}

static void fractions_are_taken_at_their_word(void** state) {
    (void)state;
    double M[1] = {1.0 / 3}, q[1] = {-2.0 / 7};
    sti_rationals *Me, *qe;
    assert_int_equal(sti_rationals_create(group_env, 1, &Me), STI_OK);
    assert_int_equal(sti_rationals_create(group_env, 1, &qe), STI_OK);
    assert_int_equal(sti_rationals_set_text(Me, 0, "1/3"), STI_OK);
    assert_int_equal(sti_rationals_set_text(qe, 0, "-2/7"), STI_OK);
    const sti_lcp lcp = {.n = 1, .M = sti_matrix_dense_view(1, 1, M), .q = q, .M_exact = Me, .q_exact = qe};
    sti_lcp_answer answer = solve(&lcp, STI_LCP_ENUM);
    char* text;
    assert_int_equal(sti_rationals_text(answer.z_exact, 0, &text), STI_OK);
    assert_string_equal(text, "6/7");
    sti_env_free(group_env, text);
    sti_lcp_answer_clear(group_env, &answer);
    sti_rationals_destroy(Me);
    sti_rationals_destroy(qe);
}

static void an_empty_problem_is_solved(void** state) {
    (void)state;
    const sti_lcp lcp = {.n = 0};
    for (int s = 0; s < STI_LCP_SOLVER_COUNT; s++) {
        sti_lcp_answer answer = solve(&lcp, (sti_lcp_solver)s);
        assert_int_equal(answer.outcome, STI_SOLVED);
        sti_lcp_answer_clear(group_env, &answer);
    }
}

static void bad_input_is_refused_by_name(void** state) {
    (void)state;
    double M[4] = {1, 0, INFINITY, 1}, q[2] = {-1, NAN}, d[2] = {1, 0};
    sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
    sti_lcp_answer answer;
    sti_lcp_options options = sti_lcp_options_default();
    assert_int_equal(sti_lcp_solve(group_env, &lcp, NULL, &answer), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(group_env)->text, "M[1][0] is inf"));
    M[2] = 0;
    assert_int_equal(sti_lcp_solve(group_env, &lcp, NULL, &answer), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(group_env)->text, "q[1] is"));
    q[1] = 0;
    options.tol = 0;
    assert_int_equal(sti_lcp_solve(group_env, &lcp, &options, &answer), STI_ERR_ARGUMENT);
    options = sti_lcp_options_default();
    options.covering = d;
    assert_int_equal(sti_lcp_solve(group_env, &lcp, &options, &answer), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(group_env)->text, "covering[1]"));
    lcp.M.rows = 3;
    assert_int_equal(sti_lcp_solve(group_env, &lcp, NULL, &answer), STI_ERR_ARGUMENT);
    lcp.n = -1;
    assert_int_equal(sti_lcp_solve(group_env, &lcp, NULL, &answer), STI_ERR_ARGUMENT);
}

// M = diag(2, 1), q = (-4, 3): every residual by hand, and nothing leaks when memory fails.
static void residuals_are_relative_to_the_data(void** state) {
    (void)state;
    double M[4] = {2, 0, 0, 1}, q[2] = {-4, 3}, A[1] = {1}, C[2] = {1, 0}, D[2] = {0, 0}, a[1] = {-2};
    const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
    const sti_mlcp mlcp = {.n = 1,
                           .m = 2,
                           .A = sti_matrix_dense_view(1, 1, A),
                           .C = sti_matrix_dense_view(1, 2, C),
                           .D = sti_matrix_dense_view(2, 1, D),
                           .B = sti_matrix_dense_view(2, 2, M),
                           .a = a,
                           .b = q};
    double u[1] = {0.5}, z[2] = {1, -0.5}, w[2];
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_lcp_answer answer = {.n = 2, .z = z, .w = w}, mixed = {.n = 2, .free_count = 1, .u = u, .z = z, .w = w};
        sti_status status = sti_lcp_residual(f.env, &lcp, &answer);
        if (status == STI_OK) status = sti_mlcp_residual(f.env, &mlcp, &mixed);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (!failing_env_close(&f)) continue;
        assert_true(w[0] == -2 && w[1] == 2.5);
        assert_true(answer.residual_w == 0.5 && answer.residual_z == 0.5);
        assert_true(answer.residual_gap == 0.5 + 0.5 * 0.625);
        assert_true(answer.residual == answer.residual_gap);
        assert_true(mixed.residual_equation == 0.5 / 4);
        break;
    }
}

static void a_failed_allocation_leaves_nothing_behind(void** state) {
    (void)state;
    double easy[9] = {2, 1, 0, 1, 2, 1, 0, 1, 2},
           horn[25] = {1, -1, 1, 1, -1, -1, 1, -1, 1, 1, 1, -1, 1, -1, 1, 1, 1, -1, 1, -1, -1, 1, 1, -1, 1};
    double q3[3] = {-1, -1, 1}, q5[5] = {-1, -1, 1, 1, 1};
    const sti_lcp problem[2] = {{.n = 3, .M = sti_matrix_dense_view(3, 3, easy), .q = q3},
                                {.n = 5, .M = sti_matrix_dense_view(5, 5, horn), .q = q5}};
    for (int s = 0; s < 2 * STI_LCP_SOLVER_COUNT; s++) {
        sti_lcp_options options = sti_lcp_options_default();
        options.solver = (sti_lcp_solver)(s / 2);
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_lcp_answer answer;
            const sti_status status = sti_lcp_solve(f.env, &problem[s % 2], &options, &answer);
            if (status == STI_OK)
                sti_lcp_answer_clear(f.env, &answer);
            else
                assert_int_equal(status, STI_ERR_MEMORY);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_problem_of_the_checkout_is_solved_or_disproved),
        cmocka_unit_test(every_problem_from_elsewhere_is_solved_or_disproved),
        cmocka_unit_test(theorem_1_2_8_cases_are_solved_or_proved_unsolvable),
        cmocka_unit_test(a_ray_of_a_copositive_matrix_alone_is_no_proof),
        cmocka_unit_test(an_infeasible_monotone_problem_carries_a_farkas_vector_at_any_size),
        cmocka_unit_test(exponential_families_are_solved_exactly),
        cmocka_unit_test(auto_records_what_it_tried),
        cmocka_unit_test(an_obstacle_problem_is_solved_by_sparse_factors),
        cmocka_unit_test(a_sparse_problem_without_solution_is_proved_to_have_none),
        cmocka_unit_test(a_sparse_problem_that_is_not_monotone_is_still_pivoted),
        cmocka_unit_test(fractions_are_taken_at_their_word),
        cmocka_unit_test(an_empty_problem_is_solved),
        cmocka_unit_test(bad_input_is_refused_by_name),
        cmocka_unit_test(residuals_are_relative_to_the_data),
        cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
