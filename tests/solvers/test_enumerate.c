// All solutions of an LCP: reference cases, closed forms, connected pieces, proofs.
#include <math.h>
#include <stiction/problem.h>

#include "base/rng.h"
#include "support/group_env.h"
#include "support/oracle.h"

static sti_lcp_solution_set* enumerate(const sti_lcp* lcp) {
    sti_lcp_solution_set* set;
    assert_int_equal(sti_lcp_enumerate(group_env, lcp, 0, 0, &set), STI_OK);
    assert_true(set->complete);
    return set;
}

static int find_vertex(const sti_lcp_solution_set* set, const double* z) {
    for (int k = 0; k < set->vertex_count; k++) {
        double far = 0;
        for (int i = 0; i < set->n; i++)
            far = fmax(far, fabs(set->vertex[(size_t)k * (size_t)set->n + (size_t)i] - z[i]));
        if (far < 1e-12 * (1 + fabs(z[0]))) return k;
    }
    return -1;
}

static bool piece_is(const sti_lcp_piece* piece, const cJSON* alpha, int n) {
    for (int i = 0; i < n; i++) {
        bool listed = false;
        const cJSON* k;
        cJSON_ArrayForEach(k, alpha) listed = listed || (int)cJSON_GetNumberValue(k) == i + 1;
        if (listed != (piece->alpha[i] != 0)) return false;
    }
    return true;
}

static void check_cones(const sti_lcp_solution_set* set, const cJSON* list, bool nonsingular) {
    int count = 0;
    for (int k = 0; k < set->piece_count; k++) count += set->pieces[k].nonsingular == nonsingular;
    assert_int_equal(count, cJSON_GetArraySize(list));
    const cJSON* alpha;
    cJSON_ArrayForEach(alpha, list) {
        bool found = false;
        for (int k = 0; k < set->piece_count; k++)
            found = found || (set->pieces[k].nonsingular == nonsingular && piece_is(&set->pieces[k], alpha, set->n));
        assert_true(found);
    }
}

static void reference_lcps_have_exactly_the_listed_cones_and_solutions(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    int seen = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strncmp(oracle_id(item), "LCP-", 4) != 0) continue;
        oracle_table M = oracle_read(group_env, oracle_get(item, "inputs", "M")),
                     q = oracle_read(group_env, oracle_get(item, "inputs", "q"));
        const sti_lcp lcp = {.n = q.rows,
                             .M = sti_matrix_dense_view(q.rows, q.rows, M.value),
                             .q = q.value,
                             .M_exact = M.exact,
                             .q_exact = q.exact};
        sti_lcp_solution_set* set = enumerate(&lcp);
        check_cones(set, oracle_get(item, "expected", "alphas_with_q_in_cone_1based"), true);
        check_cones(set, oracle_get(item, "expected", "singular_alphas_with_q_in_cone_1based"), false);
        const cJSON *list = oracle_get(item, "expected", "solutions_z_exact"), *z;
        int basic = 0;
        for (int k = 0; k < set->vertex_count; k++) basic += set->vertex_basic[k];
        assert_int_equal(basic, cJSON_GetArraySize(list));
        cJSON_ArrayForEach(z, list) {
            oracle_table t = oracle_read(group_env, z);
            assert_true(find_vertex(set, t.value) >= 0);
            oracle_free(&t);
        }
        assert_int_equal(set->piece_count > 0, cJSON_IsTrue(oracle_get(item, "expected", "solvable")));
        sti_lcp_solution_set_destroy(group_env, set);
        oracle_free(&M);
        oracle_free(&q);
        seen++;
    }
    assert_true(seen > 0);
    cJSON_Delete(root);
}

static void rod_with_friction_has_four_extreme_solutions_in_three_components(void** state) {
    (void)state;
    // NCX-02
    double M[] = {2.08, -1.44, 1.44, 0, -1.44, 2.92, -2.92, 1, 1.44, -2.92, 2.92, 1, 2, -1, -1, 0}, q[] = {1, -6, 6, 0};
    sti_rationals *Me, *qe;
    const char* text[] = {"52/25", "-36/25", "36/25", "0", "-36/25", "73/25", "-73/25", "1",
                          "36/25", "-73/25", "73/25", "1", "2",      "-1",    "-1",     "0"};
    assert_int_equal(sti_rationals_create(group_env, 16, &Me), STI_OK);
    assert_int_equal(sti_rationals_create(group_env, 4, &qe), STI_OK);
    for (size_t k = 0; k < 16; k++) assert_int_equal(sti_rationals_set_text(Me, k, text[k]), STI_OK);
    for (size_t k = 0; k < 4; k++) assert_int_equal(sti_rationals_set_double(qe, k, q[k]), STI_OK);
    const sti_lcp lcp = {.n = 4, .M = sti_matrix_dense_view(4, 4, M), .q = q, .M_exact = Me, .q_exact = qe};
    sti_lcp_solution_set* set = enumerate(&lcp);
    assert_int_equal(set->vertex_count, 4);
    assert_int_equal(set->component_count, 3);
    const double z[4][4] = {{1.43, 2.76, 0, 0}, {0, 0, 0, 6}, {1.25, 2.5, 0, 0.5}, {1.43, 2.81, 0.05, 0}};
    int where[4];
    for (int k = 0; k < 4; k++) {
        where[k] = find_vertex(set, z[k]);
        assert_true(where[k] >= 0);
    }
    // sliding is isolated; sticking splits its friction along a segment; separated, lambda >= 6 is arbitrary
    int isolated = 0;
    for (int c = 0; c < set->component_count; c++) isolated += set->component_dimension[c] == 0;
    assert_int_equal(isolated, 1);
    assert_int_equal(set->ray_count, 1);
    char* exact;
    assert_int_equal(sti_rationals_text(set->vertex_exact, (size_t)where[0] * 4, &exact), STI_OK);
    assert_string_equal(exact, "143/100");
    sti_env_free(group_env, exact);
    sti_lcp_solution_set_destroy(group_env, set);
    sti_rationals_destroy(Me);
    sti_rationals_destroy(qe);
}

static void minus_identity_has_two_to_the_n_isolated_solutions(void** state) {
    (void)state;
    enum { N = 9 };
    double M[N * N] = {0}, q[N];
    for (int i = 0; i < N; i++) {
        M[i * N + i] = -1;
        q[i] = i + 1;
    }
    const sti_lcp lcp = {.n = N, .M = sti_matrix_dense_view(N, N, M), .q = q};
    sti_lcp_solution_set* set = enumerate(&lcp);
    assert_int_equal(set->vertex_count, 1 << N);
    assert_int_equal(set->component_count, 1 << N);
    for (int c = 0; c < set->component_count; c++) assert_int_equal(set->component_dimension[c], 0);
    sti_lcp_solution_set_destroy(group_env, set);
}

static void zero_matrix_gives_one_unbounded_component(void** state) {
    (void)state;
    double M[4] = {0}, q[2] = {0, 1};
    const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
    sti_lcp_solution_set* set = enumerate(&lcp);  // z_1 >= 0 arbitrary, z_2 = 0
    assert_int_equal(set->component_count, 1);
    assert_int_equal(set->component_dimension[0], 1);
    assert_int_equal(set->vertex_count, 1);
    assert_int_equal(set->ray_count, 1);
    assert_true(set->ray[0] > 0 && set->ray[1] == 0);
    sti_lcp_solution_set_destroy(group_env, set);
}

static void no_solution_comes_with_a_proof_the_verifier_accepts(void** state) {
    (void)state;
    // Horn's matrix with q'v < 0 on SOL(0, M): feasible as inequalities, yet without solution (T128-04)
    double M[25] = {1, -1, 1, 1, -1, -1, 1, -1, 1, 1, 1, -1, 1, -1, 1, 1, 1, -1, 1, -1, -1, 1, 1, -1, 1},
           q[5] = {-1, -1, 1, 1, 1};
    const sti_lcp lcp = {.n = 5, .M = sti_matrix_dense_view(5, 5, M), .q = q};
    sti_lcp_solution_set* set = enumerate(&lcp);
    assert_int_equal(set->piece_count, 0);
    assert_int_equal(set->certificate.proof, STI_PROOF_BRANCH);
    sti_lcp_answer answer = {.outcome = STI_NO_SOLUTION, .n = 5, .certificate = set->certificate};
    sti_verification v;
    assert_int_equal(sti_verify_lcp(group_env, &lcp, &answer, 1e-10, &v), STI_OK);
    assert_true(v.accepted && v.exact);
    sti_lcp_solution_set_destroy(group_env, set);
}

// Free variables: the same set after u is eliminated by hand.
static void mixed_problem_lists_what_its_eliminated_form_lists(void** state) {
    (void)state;
    sti_rng rng = {.state = 11};
    for (int trial = 0; trial < 50; trial++) {
        double A[4] = {2, 1, 1, 1}, inverse[4] = {1, -1, -1, 2}, C[6], D[6], B[9], a[2], b[3], M[9], q[3];
        for (int k = 0; k < 6; k++) C[k] = sti_rng_int(&rng, -2, 2), D[k] = sti_rng_int(&rng, -2, 2);
        for (int k = 0; k < 9; k++) B[k] = sti_rng_int(&rng, -2, 2);
        for (int k = 0; k < 2; k++) a[k] = sti_rng_int(&rng, -3, 3);
        for (int k = 0; k < 3; k++) b[k] = sti_rng_int(&rng, -3, 3);
        for (int i = 0; i < 3; i++) {
            double DA[2];
            for (int k = 0; k < 2; k++) DA[k] = D[2 * i] * inverse[k] + D[2 * i + 1] * inverse[2 + k];
            q[i] = b[i] - DA[0] * a[0] - DA[1] * a[1];
            for (int j = 0; j < 3; j++) M[3 * i + j] = B[3 * i + j] - DA[0] * C[j] - DA[1] * C[3 + j];
        }
        const sti_mlcp mlcp = {.n = 2,
                               .m = 3,
                               .A = sti_matrix_dense_view(2, 2, A),
                               .C = sti_matrix_dense_view(2, 3, C),
                               .D = sti_matrix_dense_view(3, 2, D),
                               .B = sti_matrix_dense_view(3, 3, B),
                               .a = a,
                               .b = b};
        const sti_lcp lcp = {.n = 3, .M = sti_matrix_dense_view(3, 3, M), .q = q};
        sti_lcp_solution_set *mixed, *plain = enumerate(&lcp);
        assert_int_equal(sti_mlcp_enumerate(group_env, &mlcp, 0, 0, &mixed), STI_OK);
        assert_int_equal(mixed->piece_count, plain->piece_count);
        assert_int_equal(mixed->vertex_count, plain->vertex_count);
        assert_int_equal(mixed->component_count, plain->component_count);
        for (int k = 0; k < mixed->vertex_count; k++) assert_true(find_vertex(plain, mixed->vertex + 5 * k + 2) >= 0);
        sti_lcp_solution_set_destroy(group_env, plain);
        sti_lcp_solution_set_destroy(group_env, mixed);
    }
}

static void permuting_the_pairs_permutes_the_solutions(void** state) {
    (void)state;
    sti_rng rng = {.state = 3};
    const int order[5] = {3, 0, 4, 1, 2};
    for (int trial = 0; trial < 100; trial++) {
        double M[25], q[5], Mp[25], qp[5];
        for (int k = 0; k < 25; k++) M[k] = sti_rng_int(&rng, -1, 2);
        for (int k = 0; k < 5; k++) q[k] = sti_rng_int(&rng, -2, 1);
        for (int i = 0; i < 5; i++) {
            qp[i] = q[order[i]];
            for (int j = 0; j < 5; j++) Mp[5 * i + j] = M[5 * order[i] + order[j]];
        }
        const sti_lcp one = {.n = 5, .M = sti_matrix_dense_view(5, 5, M), .q = q},
                      two = {.n = 5, .M = sti_matrix_dense_view(5, 5, Mp), .q = qp};
        sti_lcp_solution_set *a = enumerate(&one), *b = enumerate(&two);
        assert_int_equal(a->piece_count, b->piece_count);
        assert_int_equal(a->vertex_count, b->vertex_count);
        assert_int_equal(a->ray_count, b->ray_count);
        assert_int_equal(a->component_count, b->component_count);
        for (int k = 0; k < a->vertex_count; k++) {
            double z[5];
            for (int i = 0; i < 5; i++) z[i] = a->vertex[5 * k + order[i]];
            assert_true(find_vertex(b, z) >= 0);
        }
        sti_lcp_solution_set_destroy(group_env, a);
        sti_lcp_solution_set_destroy(group_env, b);
    }
}

static void too_many_pieces_are_reported_as_incomplete(void** state) {
    (void)state;
    enum { N = 10 };
    double M[N * N] = {0}, q[N] = {0};
    const sti_lcp lcp = {.n = N, .M = sti_matrix_dense_view(N, N, M), .q = q};
    sti_lcp_solution_set* set;
    assert_int_equal(sti_lcp_enumerate(group_env, &lcp, 50, 0, &set), STI_OK);
    assert_false(set->complete);
    assert_int_equal(set->piece_count, 50);
    sti_lcp_solution_set_destroy(group_env, set);
}

static void a_time_limit_ends_a_search_that_would_not_end(void** state) {
    (void)state;
    enum { N = 40 };
    double M[N * N] = {0}, q[N];
    for (int i = 0; i < N; i++) {
        M[i * N + i] = -1;  // 2^40 isolated solutions
        q[i] = 1;
    }
    const sti_lcp lcp = {.n = N, .M = sti_matrix_dense_view(N, N, M), .q = q};
    sti_lcp_solution_set* set;
    assert_int_equal(sti_lcp_enumerate(group_env, &lcp, 0, 0.05, &set), STI_OK);
    assert_false(set->complete);
    sti_lcp_solution_set_destroy(group_env, set);
}

static void a_failed_allocation_leaves_nothing_behind(void** state) {
    (void)state;
    double M[9] = {1, 2, 0, 2, 1, 0, 0, 0, 0}, q[3] = {-1, -1, 0};
    const sti_lcp lcp = {.n = 3, .M = sti_matrix_dense_view(3, 3, M), .q = q};
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_lcp_solution_set* set;
        const sti_status status = sti_lcp_enumerate(f.env, &lcp, 0, 0, &set);
        if (status == STI_OK)
            sti_lcp_solution_set_destroy(f.env, set);
        else {
            assert_int_equal(status, STI_ERR_MEMORY);
            assert_null(set);
        }
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_lcps_have_exactly_the_listed_cones_and_solutions),
        cmocka_unit_test(rod_with_friction_has_four_extreme_solutions_in_three_components),
        cmocka_unit_test(minus_identity_has_two_to_the_n_isolated_solutions),
        cmocka_unit_test(zero_matrix_gives_one_unbounded_component),
        cmocka_unit_test(no_solution_comes_with_a_proof_the_verifier_accepts),
        cmocka_unit_test(mixed_problem_lists_what_its_eliminated_form_lists),
        cmocka_unit_test(permuting_the_pairs_permutes_the_solutions),
        cmocka_unit_test(too_many_pieces_are_reported_as_incomplete),
        cmocka_unit_test(a_time_limit_ends_a_search_that_would_not_end),
        cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
