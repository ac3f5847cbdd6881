// Pieces of a mass matrix that are no bodies: sparse and dense, and problems over them.
#include "../../bench/contact_elastic.h"
#include "contact/reduce.h"
#include "support/contact_cases.h"
#include "support/failing_env.h"

static elastic make(int d, int cells) {
    elastic e = {0};
    elastic_block(3, d, cells, &e);
    return e;
}

// M as it is, and with an entry that has no equal on the other side: a dense factor then
static void reduce_both(sti_env* env, elastic* e, sti_contact_reduction* sparse, sti_contact_reduction* dense) {
    assert_int_equal(sti_contact_reduce(env, &e->problem, sparse), STI_OK);
    assert_int_equal(sparse->piece_count, 1);
    assert_true(sparse->pieces[0].large->ldl.n > 0);
    e->problem.M.value[1] *= 1 + 1e-10;
    assert_int_equal(sti_contact_reduce(env, &e->problem, dense), STI_OK);
    assert_true(dense->pieces[0].large->ldl.n == 0);
}

static void sparse_and_dense_factors_give_the_same_problem(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const int cells[][2] = {{2, 8}, {2, 24}, {3, 3}, {3, 6}};  // columns of L, and fronts
    for (int k = 0; k < 4; k++) {
        elastic e = make(cells[k][0], cells[k][1]);
        sti_contact_reduction a, b;
        reduce_both(env, &e, &a, &b);
        const sti_bsr *W = &a.local.W, *V = &b.local.W;
        const int64_t blocks = W->row_start[W->n];
        assert_int_equal(blocks, (int64_t)W->n * W->n);
        assert_int_equal(V->row_start[V->n], blocks);
        double most = 0, size = 0;
        for (int64_t i = 0; i < blocks * W->d * W->d; i++) {
            most = fmax(most, fabs(W->block[i] - V->block[i]));
            size = fmax(size, fabs(V->block[i]));
        }
        assert_true(most <= 1e-9 * size);
        for (int i = 0; i < W->d * W->n; i++) assert_true(fabs(a.q[i] - b.q[i]) <= 1e-9);
        sti_contact_reduction_clear(&a);
        sti_contact_reduction_clear(&b);
        elastic_clear(&e);
    }
    sti_env_destroy(env);
}

static sti_contact_answer solve_and_verify(sti_env* env, const sti_contact_problem* p) {
    sti_contact_options o = case_options(STI_CONTACT_AUTO, 1e-9);
    sti_contact_answer a;
    sti_contact_verification check;
    o.describe = false;
    assert_int_equal(sti_contact_solve(env, p, &o, &a), STI_OK);
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_int_equal(sti_verify_contact(env, p, &a, 1e-9, &check), STI_OK);
    assert_true(check.accepted);
    return a;
}

static void elastic_blocks_of_any_size_are_solved(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const int cells[][2] = {{2, 12}, {3, 4}, {2, 60}};
    for (int k = 0; k < 3; k++) {
        elastic e = make(cells[k][0], cells[k][1]);
        sti_contact_answer a = solve_and_verify(env, &e.problem);
        double most = 0;
        for (int i = 0; i < a.dimension * a.contact_count; i++) most = fmax(most, a.r[i]);
        assert_true(most > 0);
        sti_contact_answer_clear(env, &a);
        elastic_clear(&e);
    }
    sti_env_destroy(env);
}

// Masses from 1 to 1e8 in one piece
static void uneven_masses_are_scaled_before_they_are_factored(void** state) {
    (void)state;
    sti_env* env = open_env();
    elastic e = make(2, 10);
    sti_matrix* M = &e.problem.M;
    for (int j = 0; j < M->cols; j++) {
        for (int64_t k = M->col_start[j]; k < M->col_start[j + 1]; k++)
            M->value[k] *= (j % 7 == 3 ? 1e4 : 1) * (M->row[k] % 7 == 3 ? 1e4 : 1);
    }
    sti_contact_reduction red;
    assert_int_equal(sti_contact_reduce(env, &e.problem, &red), STI_OK);
    assert_true(red.pieces[0].scaled && red.pieces[0].large->ldl.n > 0 && !red.proximal);
    sti_contact_reduction_clear(&red);
    sti_contact_answer a = solve_and_verify(env, &e.problem);
    sti_contact_answer_clear(env, &a);
    elastic_clear(&e);
    sti_env_destroy(env);
}

// Stiffness without mass: all nodes of a block can be moved together for nothing.
static void a_singular_piece_is_met_by_the_proximal_method(void** state) {
    (void)state;
    sti_env* env = open_env();
    elastic e = make(2, 10);
    const sti_matrix* M = &e.problem.M;
    for (int j = 0; j < M->cols; j++) {
        for (int64_t k = M->col_start[j]; k < M->col_start[j + 1]; k++) {
            if (M->row[k] / 2 == j / 2 || M->row[k] % 2 != j % 2) M->value[k] = 0;
        }
    }
    for (int j = 0; j < M->cols; j++) {  // each row sums to zero: a Laplacian with all weights 1
        int64_t own = -1;
        int others = 0;
        for (int64_t k = M->col_start[j]; k < M->col_start[j + 1]; k++) {
            if (M->row[k] == j) own = k;
            if (M->value[k] != 0) M->value[k] = -1, others++;
        }
        assert_true(own >= 0);
        M->value[own] = others;
    }
    sti_contact_reduction red;
    assert_int_equal(sti_contact_reduce(env, &e.problem, &red), STI_OK);
    assert_int_equal(red.piece_count, 2);
    assert_true(red.proximal && red.pieces[0].delta > 0);
    sti_contact_reduction_clear(&red);
    elastic_clear(&e);
    sti_env_destroy(env);
}

static void what_is_too_large_for_a_dense_factor_is_refused_where_it_is_not_symmetric(void** state) {
    (void)state;
    sti_env* env = open_env();
    elastic e = make(2, 60);
    e.problem.M.value[1] *= 1.5;
    sti_contact_answer a;
    assert_int_equal(sti_contact_solve(env, &e.problem, NULL, &a), STI_ERR_SIZE);
    assert_non_null(strstr(sti_env_error(env)->text, "M couples 7442 velocities"));
    elastic_clear(&e);
    sti_env_destroy(env);
}

// An indefinite matrix has no L D L' to rely on: it is factored with pivoting.
static void an_indefinite_piece_becomes_dense(void** state) {
    (void)state;
    sti_env* env = open_env();
    elastic e = make(2, 8);
    const sti_matrix* M = &e.problem.M;
    for (int64_t k = M->col_start[40]; k < M->col_start[41]; k++) {
        if (M->row[k] == 40) M->value[k] *= 1e-3;
    }
    sti_contact_reduction red;
    assert_int_equal(sti_contact_reduce(env, &e.problem, &red), STI_OK);
    assert_true(red.pieces[0].large->ldl.n == 0 && red.pieces[0].large->dense.capacity > 0);
    sti_contact_reduction_clear(&red);
    elastic_clear(&e);
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    elastic small = make(2, 6), large = make(3, 6), odd = make(2, 6);
    odd.problem.M.value[1] *= 1.5;
    elastic* each[] = {&small, &large, &odd};
    for (int size = 0; size < 3; size++) {
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_contact_reduction red;
            const sti_status status = sti_contact_reduce(f.env, &each[size]->problem, &red);
            if (status == STI_OK)
                sti_contact_reduction_clear(&red);
            else
                assert_int_equal(status, STI_ERR_MEMORY);
            if (failing_env_close(&f)) break;
        }
    }
    for (int size = 0; size < 3; size++) elastic_clear(each[size]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_and_dense_factors_give_the_same_problem),
        cmocka_unit_test(elastic_blocks_of_any_size_are_solved),
        cmocka_unit_test(uneven_masses_are_scaled_before_they_are_factored),
        cmocka_unit_test(a_singular_piece_is_met_by_the_proximal_method),
        cmocka_unit_test(what_is_too_large_for_a_dense_factor_is_refused_where_it_is_not_symmetric),
        cmocka_unit_test(an_indefinite_piece_becomes_dense),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
