// test_covering.c: Q and Q0 of matrices that are known, neighbours of complementary cones, and the path of Lemke's
// method.
#include <math.h>
#include <stiction/covering.h>

#include "base/rng.h"
#include "support/failing_env.h"
#include "support/open_env.h"

static sti_covering* cover(sti_env* env, int n, double* M) {
    sti_covering* k;
    const sti_matrix view = sti_matrix_dense_view(n, n, M);
    assert_int_equal(sti_covering_create(env, &view, NULL, NULL, &k), STI_OK);
    return k;
}

static void expect(sti_env* env, int n, double* M, sti_verdict Q, sti_verdict Q0) {
    sti_covering* k = cover(env, n, M);
    assert_int_equal(k->Q, Q);
    assert_int_equal(k->Q0, Q0);
    assert_int_equal(k->q_outside != NULL, Q == STI_NO);
    assert_int_equal(k->q_feasible != NULL, Q0 == STI_NO);
    sti_covering_destroy(env, k);
}

static void known_matrices_are_in_the_classes_they_are_known_for(void** state) {
    double P[] = {2, 1, -1, 2}, minus[] = {-1, 0, 0, -1}, ray[] = {0, 1, 0, 0}, skew[] = {0, 1, -1, 0},
           zero[] = {0, 0, 0, 0};
    expect(*state, 2, P, STI_YES, STI_YES);     // a P-matrix
    expect(*state, 2, minus, STI_NO, STI_YES);  // K(M) is the orthant
    expect(*state, 2, ray, STI_NO, STI_NO);     // problems/ray_is_no_proof.json
    expect(*state, 2, skew, STI_NO, STI_YES);   // positive semidefinite: Q0
    expect(*state, 2, zero, STI_NO, STI_YES);
    double copositive[] = {1, 5, 0, 0, 1, 5, 5, 0, 1};  // strictly copositive, hence Q
    expect(*state, 3, copositive, STI_YES, STI_YES);
    double one[] = {-2};
    expect(*state, 1, one, STI_NO, STI_YES);
}

static void neighbours_lie_on_opposite_sides_exactly_for_minors_of_one_sign(void** state) {
    double P[] = {2, 1, -1, 2}, mixed[] = {1, 2, 2, 1};  // minors 1, 1, -3
    sti_covering* k = cover(*state, 2, P);
    for (int alpha = 0; alpha < 4; alpha++) {
        for (int i = 0; i < 2; i++) assert_int_equal(sti_covering_adjacent(k, alpha, i), 1);
    }
    sti_covering_destroy(*state, k);
    k = cover(*state, 2, mixed);
    assert_int_equal(sti_covering_adjacent(k, 0, 0), 1);
    assert_int_equal(sti_covering_adjacent(k, 1, 1), -1);
    assert_int_equal(sti_covering_adjacent(k, 3, 0), -1);
    sti_covering_destroy(*state, k);
}

static void the_path_of_lemke_is_the_one_found_by_hand(void** state) {
    // z0 = 6 at q + 6 d = (1, 0); then z_1 enters, ...
    double M[] = {2, 1, 1, 2}, q[] = {-5, -6};
    const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
    sti_lemke_path* p;
    assert_int_equal(sti_lemke_path_create(*state, &lcp, NULL, &p), STI_OK);
    assert_true(p->solved && p->count == 3);
    const int alpha[] = {0, 2, 3};
    const double to[] = {6, 4, 0};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(p->piece[k].alpha, alpha[k]);
        assert_true(fabs(p->piece[k].to - to[k]) < 1e-15);
    }
    sti_lemke_path_destroy(*state, p);
    double ray[] = {-1, 0, 0, -1};
    const sti_lcp none = {.n = 2, .M = sti_matrix_dense_view(2, 2, ray), .q = q};
    assert_int_equal(sti_lemke_path_create(*state, &none, NULL, &p), STI_OK);
    assert_false(p->solved);
    sti_lemke_path_destroy(*state, p);
}

// Nonnegative matrices with a positive diagonal are strictly copositive: the method ends with a solution for any q.
// Small whole numbers let several variables fall to 0 at once, nearly every time.
static void ties_do_not_lead_the_path_of_lemke_round(void** state) {
    double round[] = {1, 2, 0, 0, 1, 2, 2, 0, 1}, ones[] = {-1, -1, -1};
    const sti_lcp known = {.n = 3, .M = sti_matrix_dense_view(3, 3, round), .q = ones};
    sti_lemke_path* p;
    assert_int_equal(sti_lemke_path_create(*state, &known, NULL, &p), STI_OK);
    assert_true(p->solved && p->piece[p->count - 1].to == 0);
    sti_lemke_path_destroy(*state, p);
    sti_rng rng = {11};
    for (int k = 0; k < 2000; k++) {
        const int n = sti_rng_int(&rng, 2, 6);
        double M[36], q[6];
        for (int i = 0; i < n; i++) {
            q[i] = sti_rng_int(&rng, -2, 0);
            for (int j = 0; j < n; j++) M[i * n + j] = sti_rng_int(&rng, i == j, 2);
        }
        const sti_lcp lcp = {.n = n, .M = sti_matrix_dense_view(n, n, M), .q = q};
        assert_int_equal(sti_lemke_path_create(*state, &lcp, NULL, &p), STI_OK);
        assert_true(p->solved && p->count <= 64);
        for (int i = 1; i < p->count; i++) assert_true(p->piece[i].from == p->piece[i - 1].to);
        sti_lemke_path_destroy(*state, p);
    }
}

static void large_orders_are_refused_and_few_cells_leave_the_question_open(void** state) {
    double M[49] = {0};
    for (int i = 0; i < 7; i++) M[i * 8] = 1;
    sti_covering* k;
    sti_matrix view = sti_matrix_dense_view(7, 7, M);
    assert_int_equal(sti_covering_create(*state, &view, NULL, NULL, &k), STI_ERR_SIZE);
    double P[] = {2, 1, -1, 2};
    view = sti_matrix_dense_view(2, 2, P);
    const sti_covering_options few = {.max_cells = 2};
    assert_int_equal(sti_covering_create(*state, &view, NULL, &few, &k), STI_OK);
    assert_int_equal(k->Q, STI_UNDECIDED);
    sti_covering_destroy(*state, k);
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    double M[] = {0, 1, 0, 0}, q[] = {-1, -1};
    const sti_matrix view = sti_matrix_dense_view(2, 2, M);
    const sti_lcp lcp = {.n = 2, .M = view, .q = q};
    for (long k = 0;; k++) {
        failing_env f;
        sti_covering* cones = NULL;
        sti_lemke_path* path = NULL;
        failing_env_open(&f, k);
        sti_status status = sti_covering_create(f.env, &view, NULL, NULL, &cones);
        if (status == STI_OK) status = sti_lemke_path_create(f.env, &lcp, NULL, &path);
        if (status == STI_OK) assert_int_equal(cones->Q0, STI_NO);
        sti_covering_destroy(f.env, cones);
        sti_lemke_path_destroy(f.env, path);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_matrices_are_in_the_classes_they_are_known_for),
        cmocka_unit_test(neighbours_lie_on_opposite_sides_exactly_for_minors_of_one_sign),
        cmocka_unit_test(the_path_of_lemke_is_the_one_found_by_hand),
        cmocka_unit_test(ties_do_not_lead_the_path_of_lemke_round),
        cmocka_unit_test(large_orders_are_refused_and_few_cells_leave_the_question_open),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
