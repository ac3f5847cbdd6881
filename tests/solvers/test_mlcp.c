// Mixed problems: reference cases, singular and redundant equations, contradictions, every solver.
#include <math.h>
#include <stiction/problem.h>

#include "base/rng.h"
#include "support/group_env.h"
#include "support/oracle.h"

// Room for a mixed problem with n free variables and m pairs, all zero.
typedef struct mixed {
    sti_mlcp p;
    double *A, *C, *D, *B, *a, *b;
} mixed;

static double* zeros(int count) {
    double* v = calloc((size_t)(count > 0 ? count : 1), sizeof *v);
    assert_non_null(v);
    return v;
}

static mixed make(int n, int m) {
    mixed x = {
        .A = zeros(n * n), .C = zeros(n * m), .D = zeros(m * n), .B = zeros(m * m), .a = zeros(n), .b = zeros(m)};
    x.p = (sti_mlcp){.n = n,
                     .m = m,
                     .A = sti_matrix_dense_view(n, n, x.A),
                     .C = sti_matrix_dense_view(n, m, x.C),
                     .D = sti_matrix_dense_view(m, n, x.D),
                     .B = sti_matrix_dense_view(m, m, x.B),
                     .a = x.a,
                     .b = x.b};
    return x;
}

static void drop(mixed* x) {
    free(x->A);
    free(x->C);
    free(x->D);
    free(x->B);
    free(x->a);
    free(x->b);
}

static sti_lcp_answer solve(const sti_mlcp* p, sti_lcp_solver solver) {
    sti_lcp_options options = sti_lcp_options_default();
    options.solver = solver;
    options.tol = 1e-10;
    sti_lcp_answer answer;
    assert_int_equal(sti_mlcp_solve(group_env, p, &options, &answer), STI_OK);
    return answer;
}

static void assert_accepted(const sti_mlcp* p, const sti_lcp_answer* answer, sti_outcome outcome) {
    if (answer->outcome != outcome) fail_msg("outcome %s: %s", sti_outcome_text(answer->outcome), answer->reason);
    sti_verification v;
    assert_int_equal(sti_verify_mlcp(group_env, p, answer, 1e-10, &v), STI_OK);
    if (!v.accepted) fail_msg("verifier: %s", v.text);
}

// The problem of S3 theorem 1.2.10 from Q, F, H, N, k, b.
static mixed from_theorem(const cJSON* item) {
    oracle_table Q = oracle_read(group_env, oracle_get(item, "inputs", "Q")),
                 F = oracle_read(group_env, oracle_get(item, "inputs", "F")),
                 H = oracle_read(group_env, oracle_get(item, "inputs", "H")),
                 N = oracle_read(group_env, oracle_get(item, "inputs", "N")),
                 k = oracle_read(group_env, oracle_get(item, "inputs", "k")),
                 b = oracle_read(group_env, oracle_get(item, "inputs", "b"));
    const int nx = Q.rows, ny = F.cols, m = N.rows, n = nx + ny;
    mixed x = make(n, m);
    for (int i = 0; i < nx; i++) {
        for (int j = 0; j < nx; j++) x.A[i * n + j] = Q.value[i * nx + j];
        for (int j = 0; j < ny; j++)
            x.A[i * n + nx + j] = -F.value[i * ny + j], x.A[(nx + j) * n + i] = F.value[i * ny + j];
        for (int j = 0; j < m; j++) x.C[i * m + j] = -H.value[i * m + j], x.D[j * n + i] = H.value[i * m + j];
        x.a[i] = -k.value[i];
    }
    memcpy(x.B, N.value, (size_t)(m * m) * sizeof(double));
    memcpy(x.b, b.value, (size_t)m * sizeof(double));
    oracle_free(&Q), oracle_free(&F), oracle_free(&H), oracle_free(&N), oracle_free(&k), oracle_free(&b);
    return x;
}

static mixed from_blocks(const cJSON* item) {
    oracle_table A = oracle_read(group_env, oracle_get(item, "inputs", "A")),
                 C = oracle_read(group_env, oracle_get(item, "inputs", "C")),
                 D = oracle_read(group_env, oracle_get(item, "inputs", "D")),
                 B = oracle_read(group_env, oracle_get(item, "inputs", "B")),
                 a = oracle_read(group_env, oracle_get(item, "inputs", "a")),
                 b = oracle_read(group_env, oracle_get(item, "inputs", "b"));
    mixed x = make(a.rows, b.rows);
    memcpy(x.A, A.value, (size_t)(a.rows * a.rows) * sizeof(double));
    memcpy(x.C, C.value, (size_t)(a.rows * b.rows) * sizeof(double));
    memcpy(x.D, D.value, (size_t)(a.rows * b.rows) * sizeof(double));
    memcpy(x.B, B.value, (size_t)(b.rows * b.rows) * sizeof(double));
    memcpy(x.a, a.value, (size_t)a.rows * sizeof(double));
    memcpy(x.b, b.value, (size_t)b.rows * sizeof(double));
    oracle_free(&A), oracle_free(&C), oracle_free(&D), oracle_free(&B), oracle_free(&a), oracle_free(&b);
    return x;
}

static void compare(const double* got, const cJSON* expected) {
    if (!cJSON_IsArray(expected)) return;  // "not unique"
    oracle_table t = oracle_read(group_env, expected);
    for (int i = 0; i < t.rows; i++) assert_true(fabs(got[i] - t.value[i]) <= 1e-10);
    oracle_free(&t);
}

static void reference_mixed_problems_have_the_listed_solution(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    int seen = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strncmp(oracle_id(item), "MLCP-", 5) != 0) continue;
        const bool theorem = oracle_get(item, "inputs", "Q") != NULL;
        mixed x = theorem ? from_theorem(item) : from_blocks(item);
        const sti_lcp_solver solvers[] = {STI_LCP_AUTO, STI_LCP_LEMKE, STI_LCP_ENUM};
        for (int s = 0; s < 3; s++) {
            sti_lcp_answer answer = solve(&x.p, solvers[s]);
            assert_accepted(&x.p, &answer, STI_SOLVED);
            compare(answer.z, oracle_get(item, "expected", theorem ? "lemke_lex_lambda" : "v"));
            compare(answer.u, oracle_get(item, "expected", theorem ? "x" : "u"));
            if (!theorem) compare(answer.w, oracle_get(item, "expected", "slack"));
            sti_lcp_answer_clear(group_env, &answer);
        }
        drop(&x);
        seen++;
    }
    assert_true(seen > 0);
    cJSON_Delete(root);
}

// A random problem with a known solution; A of the given rank, consistent.
static mixed known(sti_rng* rng, int n, int m, int rank) {
    mixed x = make(n, m);
    double *L = zeros(n * n), *R = zeros(n * n), *G = zeros(m * m), *u = zeros(n), *v = zeros(m);
    for (int k = 0; k < n * n; k++) L[k] = 2 * sti_rng_u01(rng) - 1, R[k] = 2 * sti_rng_u01(rng) - 1;
    for (int k = 0; k < m * m; k++) G[k] = 2 * sti_rng_u01(rng) - 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < rank; k++) x.A[i * n + j] += L[i * n + k] * L[j * n + k];  // semidefinite
        }
    }
    // C = -P E, D = E'P with P on the range of A: no equation is left without a partner
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < rank; k++) x.D[j * n + i] += L[i * n + k] * R[(k * m + j) % (n * n)];
            x.C[i * m + j] = -x.D[j * n + i];
        }
        u[i] = 2 * sti_rng_u01(rng) - 1;
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < m; k++) x.B[i * m + j] += G[i * m + k] * G[j * m + k] / m;
        }
        x.B[i * m + i] += 0.1;
        v[i] = i % 2 == 0 ? sti_rng_u01(rng) : 0;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) x.a[i] -= x.A[i * n + j] * u[j];
        for (int j = 0; j < m; j++) x.a[i] -= x.C[i * m + j] * v[j];
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) x.b[i] -= x.D[i * n + j] * u[j];
        for (int j = 0; j < m; j++) x.b[i] -= x.B[i * m + j] * v[j];
        if (i % 2 == 1) x.b[i] += sti_rng_u01(rng);
    }
    free(L), free(R), free(G), free(u), free(v);
    return x;
}

static void every_solver_handles_regular_and_rank_deficient_equations(void** state) {
    (void)state;
    sti_rng rng = {.state = 5};
    for (int trial = 0; trial < 20; trial++) {
        const int n = 2 + trial % 6, m = 3 + trial % 9, rank = trial % 2 == 0 ? n : n - 1;
        mixed x = known(&rng, n, m, rank);
        for (int s = 0; s < STI_LCP_SOLVER_COUNT; s++) {
            sti_lcp_answer answer = solve(&x.p, (sti_lcp_solver)s);
            // exact arithmetic sees the rounding in redundant equations: they contradict at 1e-16
            if (s == STI_LCP_ENUM && rank < n)
                assert_true(answer.outcome == STI_SOLVED || answer.outcome == STI_NO_SOLUTION);
            else
                assert_accepted(&x.p, &answer, STI_SOLVED);
            sti_lcp_answer_clear(group_env, &answer);
        }
        drop(&x);
    }
}

static void contradicting_equations_come_with_their_multipliers(void** state) {
    (void)state;
    mixed x = make(2, 1);
    const double A[4] = {1, 2, 2, 4}, a[2] = {1, 3};
    memcpy(x.A, A, sizeof A), memcpy(x.a, a, sizeof a);
    x.B[0] = 1, x.b[0] = -1;
    const sti_lcp_solver solvers[] = {STI_LCP_AUTO, STI_LCP_LEMKE, STI_LCP_ENUM, STI_LCP_NEWTON};
    for (int s = 0; s < 4; s++) {
        sti_lcp_answer answer = solve(&x.p, solvers[s]);
        assert_accepted(&x.p, &answer, STI_NO_SOLUTION);
        assert_int_equal(answer.certificate.proof, STI_PROOF_FARKAS);
        assert_true(answer.certificate.exact);
        sti_lcp_answer_clear(group_env, &answer);
    }
    drop(&x);
}

static void large_contradicting_equations_are_proved_up_to_rounding(void** state) {
    (void)state;
    sti_rng rng = {.state = 9};
    mixed x = known(&rng, 30, 20, 29);
    x.a[4] += 1;
    sti_lcp_answer answer = solve(&x.p, STI_LCP_AUTO);
    assert_accepted(&x.p, &answer, STI_NO_SOLUTION);
    assert_true(answer.certificate.bound > 1e6);
    sti_lcp_answer_clear(group_env, &answer);
    drop(&x);
}

// A = 0: the equations fix v, the free variables are their multipliers (a linear program's conditions).
static void vanishing_A_is_pivoted_through_the_pairs(void** state) {
    (void)state;
    // min c'v, v >= 0, v_1 + v_2 + v_3 = 1:   C = (1 1 1), D = -C'
    mixed x = make(1, 3);
    const double c[3] = {3, 1, 2};
    for (int j = 0; j < 3; j++) x.C[j] = 1, x.D[j] = -1, x.b[j] = c[j];
    x.a[0] = -1;
    for (int s = 0; s < STI_LCP_SOLVER_COUNT; s++) {
        if (s == STI_LCP_PGS) continue;  // the reduced matrix has a zero diagonal
        sti_lcp_answer answer = solve(&x.p, (sti_lcp_solver)s);
        assert_accepted(&x.p, &answer, STI_SOLVED);
        assert_true(fabs(answer.z[1] - 1) < 1e-12 && fabs(answer.u[0] - 1) < 1e-12);
        sti_lcp_answer_clear(group_env, &answer);
    }
    drop(&x);
}

// An equation that only v meets and a free variable that only other rows of w see: nothing to pivot, split instead.
static void an_equation_and_a_variable_without_a_common_pair_are_split(void** state) {
    (void)state;
    mixed x = make(1, 2);
    x.C[0] = 1, x.a[0] = -2;  // v_1 = 2
    x.D[1] = 1;               // w_2 = u + v_2 + 1
    x.B[0] = 1, x.b[0] = -2;  // w_1 = v_1 - 2 = 0
    x.B[3] = 1, x.b[1] = 1;
    sti_lcp_answer answer = solve(&x.p, STI_LCP_AUTO);
    assert_accepted(&x.p, &answer, STI_SOLVED);
    assert_true(fabs(answer.z[0] - 2) < 1e-12);
    sti_lcp_answer_clear(group_env, &answer);
    drop(&x);
}

static void units_do_not_matter(void** state) {
    (void)state;
    sti_rng rng = {.state = 21};
    mixed x = known(&rng, 5, 8, 5);
    sti_lcp_answer one = solve(&x.p, STI_LCP_AUTO);
    const double mass = 0x1p20, length = 0x1p-30;  // equations times mass, u over length
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) x.A[i * 5 + j] *= mass * length;
        for (int j = 0; j < 8; j++) x.C[i * 8 + j] *= mass, x.D[j * 5 + i] *= length;
        x.a[i] *= mass;
    }
    sti_lcp_answer two = solve(&x.p, STI_LCP_AUTO);
    assert_accepted(&x.p, &two, STI_SOLVED);
    for (int i = 0; i < 8; i++) assert_true(fabs(one.z[i] - two.z[i]) <= 1e-12);
    for (int i = 0; i < 5; i++) assert_true(fabs(one.u[i] - two.u[i] * length) <= 1e-11);
    sti_lcp_answer_clear(group_env, &one);
    sti_lcp_answer_clear(group_env, &two);
    drop(&x);
}

static void bad_input_is_named(void** state) {
    (void)state;
    mixed x = make(1, 1);
    x.A[0] = 1, x.B[0] = NAN;
    sti_lcp_answer answer;
    assert_int_equal(sti_mlcp_solve(group_env, &x.p, NULL, &answer), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(group_env)->text, "B[0][0]"));
    x.B[0] = 1;
    x.p.C.cols = 3;
    assert_int_equal(sti_mlcp_solve(group_env, &x.p, NULL, &answer), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(group_env)->text, "C is 1 x 3"));
    drop(&x);
}

static void a_failed_allocation_leaves_nothing_behind(void** state) {
    (void)state;
    sti_rng rng = {.state = 2};
    mixed x = known(&rng, 3, 4, 2);
    for (int s = 0; s < STI_LCP_SOLVER_COUNT; s++) {
        sti_lcp_options options = sti_lcp_options_default();
        options.solver = (sti_lcp_solver)s;
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_lcp_answer answer;
            const sti_status status = sti_mlcp_solve(f.env, &x.p, &options, &answer);
            if (status == STI_OK)
                sti_lcp_answer_clear(f.env, &answer);
            else
                assert_int_equal(status, STI_ERR_MEMORY);
            if (failing_env_close(&f)) break;
        }
    }
    drop(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_mixed_problems_have_the_listed_solution),
        cmocka_unit_test(every_solver_handles_regular_and_rank_deficient_equations),
        cmocka_unit_test(contradicting_equations_come_with_their_multipliers),
        cmocka_unit_test(large_contradicting_equations_are_proved_up_to_rounding),
        cmocka_unit_test(vanishing_A_is_pivoted_through_the_pairs),
        cmocka_unit_test(an_equation_and_a_variable_without_a_common_pair_are_split),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
