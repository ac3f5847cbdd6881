// What is kept of one contact problem for the next: never what comes out, only how long it takes.
#include "../../bench/contact_elastic.h"
#include "contact/reduce.h"
#include "support/contact_cases.h"
#include "support/failing_env.h"

// The k-th of alike problems: other masses and stiffnesses, other speeds
static void change(elastic* e, int k) {
    const sti_matrix* M = &e->problem.M;
    for (int j = 0; j < M->cols; j++) {
        e->f[j] *= 1 + 0.01 * k;
        for (int64_t i = M->col_start[j]; i < M->col_start[j + 1]; i++)
            M->value[i] *= 1 + 0.001 * k * (double)((M->row[i] + j) % 5);
    }
}

static void expect_same(const sti_contact_answer* a, const sti_contact_answer* b) {
    const size_t n = (size_t)(a->dimension * a->contact_count), nv = (size_t)a->velocity_count;
    assert_int_equal(a->contact_count, b->contact_count);
    assert_int_equal(a->outcome, b->outcome);
    assert_int_equal(a->solver, b->solver);
    assert_int_equal(a->iterations, b->iterations);
    assert_memory_equal(a->r, b->r, n * sizeof *a->r);
    assert_memory_equal(a->u, b->u, n * sizeof *a->u);
    assert_memory_equal(a->v, b->v, nv * sizeof *a->v);
    assert_memory_equal(&a->residual, &b->residual, sizeof a->residual);
}

// With the memory and without it: the same bits
static void solve_both(sti_env* env, const sti_contact_problem* p, sti_contact_memory* memory, bool solved) {
    sti_contact_options options = sti_contact_options_default();
    sti_contact_answer with, without;
    assert_int_equal(sti_contact_solve(env, p, &options, &without), STI_OK);
    options.memory = memory;
    assert_int_equal(sti_contact_solve(env, p, &options, &with), STI_OK);
    if (solved) {
        sti_contact_verification check;
        assert_int_equal(with.outcome, STI_SOLVED);
        assert_int_equal(sti_verify_contact(env, p, &with, options.tol, &check), STI_OK);
        assert_true(check.accepted);
    }
    expect_same(&with, &without);
    sti_contact_answer_clear(env, &with);
    sti_contact_answer_clear(env, &without);
}

static const int CELLS[][2] = {{2, 8}, {2, 40}, {3, 3}, {3, 7}};  // columns of L, and fronts
enum { BLOCKS = 4 };

static sti_contact_memory* open_memory(sti_env* env) {
    sti_contact_memory* memory;
    assert_int_equal(sti_contact_memory_create(env, &memory), STI_OK);
    return memory;
}

static void alike_problems_have_the_same_answers_bit_for_bit(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int k = 0; k < BLOCKS; k++) {
        sti_contact_memory* memory = open_memory(env);
        elastic e = {0};
        elastic_block(3, CELLS[k][0], CELLS[k][1], &e);
        for (int turn = 0; turn < 4; turn++) {
            solve_both(env, &e.problem, memory, true);
            change(&e, turn + 1);
        }
        elastic_clear(&e);
        sti_contact_memory_destroy(memory);
    }
    sti_env_destroy(env);
}

// Contacts that open and close: other rows come last, with the same fill-reducing order
static void other_contacts_keep_the_order_of_elimination(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int k = 0; k < BLOCKS; k++) {
        sti_contact_memory* memory = open_memory(env);
        elastic e = {0};
        elastic_block(5, CELLS[k][0], CELLS[k][1], &e);
        const int all = e.problem.contact_count;
        const int counts[] = {all, all / 2, all / 2, 1, 0, 0, all};
        for (size_t turn = 0; turn < sizeof counts / sizeof *counts; turn++) {
            e.problem.contact_count = counts[turn];
            e.problem.H.cols = e.d * counts[turn];
            solve_both(env, &e.problem, memory, true);
        }
        elastic_clear(&e);
        sti_contact_memory_destroy(memory);
    }
    sti_contact_memory_destroy(NULL);
    sti_env_destroy(env);
}

// The factor is handed on, and not made anew
static void the_factor_of_the_same_pattern_is_handed_on(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_contact_memory* memory = open_memory(env);
    elastic e = {0}, other = {0};
    elastic_block(3, 2, 12, &e);
    elastic_block(3, 2, 9, &other);
    sti_contact_reduction red;
    const int* order = NULL;
    for (int turn = 0; turn < 3; turn++) {
        assert_int_equal(sti_contact_reduce_again(env, &e.problem, memory, &red), STI_OK);
        assert_true(red.pieces[0].large->ldl.n == e.problem.velocity_count);
        assert_true(turn == 0 || red.pieces[0].large->ldl.order == order);
        order = red.pieces[0].large->ldl.order;
        sti_contact_reduction_clear(&red);
        change(&e, turn + 1);
    }
    assert_int_equal(sti_contact_reduce_again(env, &other.problem, memory, &red), STI_OK);
    assert_true(red.pieces[0].large->ldl.order != order && red.pieces[0].large->ldl.n == other.problem.velocity_count);
    sti_contact_reduction_clear(&red);
    elastic_clear(&e);
    elastic_clear(&other);
    sti_contact_memory_destroy(memory);
    sti_env_destroy(env);
}

// Velocities in another order: as many entries, in other places; M as a dense matrix
static double* exchange(const elastic* e, sti_contact_problem* p, double* f, int* row, int one, int two) {
    const int n = p->velocity_count;
    double* A = calloc((size_t)n * (size_t)n, sizeof *A);
    assert_non_null(A);
    *p = e->problem;
    for (int j = 0; j < n; j++) {
        const int to_j = j == one ? two : j == two ? one : j;
        f[to_j] = p->f[j];
        for (int64_t k = p->M.col_start[j]; k < p->M.col_start[j + 1]; k++) {
            const int i = p->M.row[k], to_i = i == one ? two : i == two ? one : i;
            A[(size_t)to_i * (size_t)n + (size_t)to_j] = p->M.value[k];
        }
    }
    for (int j = 0; j < p->H.cols; j++) {
        const int i = p->H.row[j];
        row[j] = i == one ? two : i == two ? one : i;
    }
    p->M = sti_matrix_dense_view(n, n, A);
    p->H.row = row;
    p->f = f;
    return A;
}

static void another_pattern_with_as_many_entries_is_told_apart(void** state) {
    (void)state;
    enum { ROOM = 400 };
    sti_env* env = open_env();
    sti_contact_memory* memory = open_memory(env);
    elastic e = {0};
    elastic_block(3, 2, 8, &e);
    double f[ROOM];
    int row[ROOM];
    assert_true(e.problem.velocity_count <= ROOM && e.problem.H.cols <= ROOM);
    for (int turn = 0; turn < 4; turn++) {
        sti_contact_problem other = e.problem;
        double* A = exchange(&e, &other, f, row, 40, turn % 2 == 0 ? 100 : 40);  // the second: M itself, as a dense one
        solve_both(env, &e.problem, memory, true);
        solve_both(env, &other, memory, true);
        free(A);
    }
    elastic_clear(&e);
    sti_contact_memory_destroy(memory);
    sti_env_destroy(env);
}

// Blocks of all kinds in turn, with one that has no symmetric M, one that is singular, and problems in local form
static void problems_of_all_kinds_may_come_in_turn(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_contact_memory* memory = open_memory(env);
    for (int turn = 0; turn < 3 * BLOCKS; turn++) {
        elastic e = {0};
        elastic_block(3, CELLS[turn % BLOCKS][0], CELLS[turn % BLOCKS][1], &e);
        solve_both(env, &e.problem, memory, true);
        if (turn % BLOCKS == 0) {
            sti_contact_reduction red;
            assert_int_equal(sti_contact_reduce(env, &e.problem, &red), STI_OK);
            const int n = 2 * red.local.nc;
            double* W = calloc((size_t)n * (size_t)n, sizeof *W);
            assert_non_null(W);
            for (int i = 0; i < n; i++) W[i * n + i] = 1 + i;
            const sti_contact_problem local = {.dimension = 2,
                                               .contact_count = red.local.nc,
                                               .mu = e.problem.mu,
                                               .W = sti_matrix_dense_view(n, n, W),
                                               .q = red.local.q};
            sti_contact_options options = case_options(STI_CONTACT_AUTO, 1e-8);
            options.memory = memory;
            sti_contact_answer a = case_try(env, &local, &options, "local");
            assert_int_equal(a.outcome, STI_SOLVED);
            sti_contact_answer_clear(env, &a);
            free(W);
            sti_contact_reduction_clear(&red);
            e.problem.M.value[1] *= 1.5;
            solve_both(env, &e.problem, memory, false);
        }
        elastic_clear(&e);
    }
    sti_contact_memory_destroy(memory);
    sti_env_destroy(env);
}

static void a_memory_of_another_environment_is_refused(void** state) {
    (void)state;
    sti_env *env = open_env(), *other = open_env();
    sti_contact_memory* memory = open_memory(other);
    elastic e = {0};
    elastic_block(3, 2, 8, &e);
    sti_contact_options options = sti_contact_options_default();
    sti_contact_answer a;
    options.memory = memory;
    assert_int_equal(sti_contact_solve(env, &e.problem, &options, &a), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(env)->text, "another environment"));
    sti_contact_memory_destroy(memory);
    elastic_clear(&e);
    sti_env_destroy(env);
    sti_env_destroy(other);
}

// Problems in turn, one allocation fails: what failed is asked again of the same memory, and all answers stay
static void every_failed_allocation_leaves_a_memory_to_go_on_with(void** state) {
    (void)state;
    enum { TURNS = 3 };
    sti_env* env = open_env();
    elastic e[TURNS] = {0};
    sti_contact_answer right[TURNS];
    for (int t = 0; t < TURNS; t++) {
        elastic_block(3, 2, 6, &e[t]);
        change(&e[t], t);
        if (t == 2) e[t].problem.contact_count -= 2, e[t].problem.H.cols -= 4;
        assert_int_equal(sti_contact_solve(env, &e[t].problem, NULL, &right[t]), STI_OK);
    }
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_contact_memory* memory;
        sti_status status = sti_contact_memory_create(f.env, &memory);
        if (status != STI_OK) status = sti_contact_memory_create(f.env, &memory);
        assert_int_equal(status, STI_OK);
        for (int t = 0; t < TURNS; t++) {
            sti_contact_options options = sti_contact_options_default();
            sti_contact_answer a;
            options.memory = memory;
            status = sti_contact_solve(f.env, &e[t].problem, &options, &a);
            if (status == STI_ERR_MEMORY) status = sti_contact_solve(f.env, &e[t].problem, &options, &a);
            assert_int_equal(status, STI_OK);
            expect_same(&a, &right[t]);
            sti_contact_answer_clear(f.env, &a);
        }
        sti_contact_memory_destroy(memory);
        if (failing_env_close(&f)) break;
    }
    for (int t = 0; t < TURNS; t++) {
        sti_contact_answer_clear(env, &right[t]);
        elastic_clear(&e[t]);
    }
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alike_problems_have_the_same_answers_bit_for_bit),
        cmocka_unit_test(other_contacts_keep_the_order_of_elimination),
        cmocka_unit_test(the_factor_of_the_same_pattern_is_handed_on),
        cmocka_unit_test(another_pattern_with_as_many_entries_is_told_apart),
        cmocka_unit_test(problems_of_all_kinds_may_come_in_turn),
        cmocka_unit_test(a_memory_of_another_environment_is_refused),
        cmocka_unit_test(every_failed_allocation_leaves_a_memory_to_go_on_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
