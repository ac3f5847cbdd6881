// test_schur.c: large sparse blocks of stochastic programs, beside dense ones of the same numbers.
#include <math.h>
#include <string.h>

#include "stochastic/arrow.h"
#include "support/failing_env.h"
#include "support/open_env.h"
#include "support/random.h"

static sti_stochastic_answer solved(sti_env* env, const sti_stochastic* p) {
    sti_stochastic_answer a;
    if (sti_stochastic_solve(env, p, NULL, &a) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    if (a.outcome != STI_CONIC_SOLVED) fail_msg("%s: %s", sti_conic_outcome_text(a.outcome), a.reason);
    return a;
}

// Stores over time: what is left of the last hour, less demand, plus what is bought; the last two rows are the same.
enum { HOURS = 60, BOUGHT = 2 * HOURS, YEARS = 3 };

typedef struct stores {
    double W[YEARS][HOURS * BOUGHT], W0[HOURS * 2], Q[BOUGHT * BOUGHT], c[YEARS][BOUGHT], d[YEARS][HOURS], T[BOUGHT];
    double c0[2], low[1], high[1], free_below[BOUGHT];
    sti_scenario scenarios[YEARS];
    sti_stochastic program;
} stores;

static void make_stores(stores* s) {
    sti_rng rng = {3};
    memset(s, 0, sizeof *s);
    for (int j = 0; j < BOUGHT; j++) {
        s->Q[j * BOUGHT + j] = j % 5 == 0 ? 0 : 0.1 + 0.01 * j;  // some are linear
        s->T[j] = j < HOURS ? 0 : 1.0 / HOURS;
        s->free_below[j] = j == 7 ? -INFINITY : 0;
    }
    for (int t = 0; t < HOURS; t++) s->W0[2 * t + t % 2] = 1;
    for (int i = 0; i < YEARS; i++) {
        for (int t = 0; t < HOURS - 1; t++) {
            double* row = s->W[i] + (size_t)t * BOUGHT;
            if (t > 0) row[t - 1] = 0.9;
            row[t] = -1;
            row[HOURS + t] = between(&rng, 0.5, 1.5);
            s->d[i][t] = between(&rng, 1, 3);
            s->c[i][t] = 0.1;
            s->c[i][HOURS + t] = between(&rng, 0, 1);
        }
        memcpy(s->W[i] + (size_t)(HOURS - 1) * BOUGHT, s->W[i] + (size_t)(HOURS - 2) * BOUGHT, BOUGHT * sizeof(double));
        s->W0[2 * (HOURS - 1)] = s->W0[2 * (HOURS - 2)], s->W0[2 * (HOURS - 1) + 1] = s->W0[2 * (HOURS - 2) + 1];
        s->d[i][HOURS - 1] = s->d[i][HOURS - 2];
        s->scenarios[i] = (sti_scenario){.probability = 1.0 / YEARS,
                                         .m = BOUGHT,
                                         .q = HOURS,
                                         .Q = sti_matrix_dense_view(BOUGHT, BOUGHT, s->Q),
                                         .W = sti_matrix_dense_view(HOURS, BOUGHT, s->W[i]),
                                         .T = sti_matrix_dense_view(1, BOUGHT, s->T),
                                         .c = s->c[i],
                                         .dl = s->d[i],
                                         .du = s->d[i],
                                         .lb = s->free_below};
    }
    s->c0[0] = 30, s->c0[1] = 40;
    s->low[0] = -INFINITY, s->high[0] = 2.5;
    s->program = (sti_stochastic){.n = 2,
                                  .p = 1,
                                  .W0 = sti_matrix_dense_view(HOURS, 2, s->W0),
                                  .c0 = s->c0,
                                  .bl = s->low,
                                  .bu = s->high,
                                  .scenario_count = YEARS,
                                  .scenarios = s->scenarios};
}

// Q_i and W_i stored by their entries; to be freed by who asks.
static void make_sparse(sti_env* env, stores* s) {
    for (int i = 0; i < YEARS; i++) {
        sti_matrix Q, W;
        assert_int_equal(sti_matrix_to_sparse(env, &s->scenarios[i].Q, &Q), STI_OK);
        assert_int_equal(sti_matrix_to_sparse(env, &s->scenarios[i].W, &W), STI_OK);
        s->scenarios[i].Q = Q;
        s->scenarios[i].W = W;
    }
}

static void drop_sparse(sti_env* env, stores* s) {
    for (int i = 0; i < YEARS; i++) {
        sti_matrix_clear(env, &s->scenarios[i].Q);
        sti_matrix_clear(env, &s->scenarios[i].W);
    }
}

// Blocks that are factored sparsely give what dense ones give, in fewer bytes, and the same bits on any number of
// threads.
static void large_sparse_blocks_are_factored_as_such(void** state) {
    static stores s;
    make_stores(&s);
    sti_stochastic_layout L;
    sti_schur block;
    sti_stochastic_answer whole = solved(*state, &s.program);
    assert_int_equal(sti_stochastic_layout_create(*state, &s.program, NULL, &L), STI_OK);
    assert_int_equal(sti_schur_create(*state, &L, 1, &block), STI_OK);
    assert_false(sti_schur_serves(&block));
    sti_stochastic_layout_clear(*state, &L);
    make_sparse(*state, &s);
    assert_int_equal(sti_stochastic_layout_create(*state, &s.program, NULL, &L), STI_OK);
    assert_int_equal(sti_schur_create(*state, &L, 1, &block), STI_OK);
    assert_true(sti_schur_serves(&block));
    sti_schur_clear(*state, &block);
    sti_stochastic_layout_clear(*state, &L);
    sti_stochastic_answer part = solved(*state, &s.program);
    assert_true(fabs(whole.objective - part.objective) <= 1e-7 * fabs(whole.objective));
    for (int j = 0; j < 2; j++) assert_true(fabs(whole.x[j] - part.x[j]) <= 1e-5);
    sti_env_def def = sti_env_def_default();
    sti_env* two = NULL;
    def.workers = 2;
    assert_int_equal(sti_env_create(&def, &two), STI_OK);
    sti_stochastic_answer other = solved(two, &s.program);
    assert_memory_equal(other.y, part.y, part.y_count * sizeof *part.y);
    sti_stochastic_answer_clear(two, &other);
    sti_env_destroy(two);
    sti_stochastic_answer_clear(*state, &whole);
    sti_stochastic_answer_clear(*state, &part);
    drop_sparse(*state, &s);
}

// The Newton step of the same system by both; the rows that are the same are left out.
static void sparse_and_dense_blocks_have_one_newton_step(void** state) {
    static stores s;
    static double D0[] = {1, 2}, D[YEARS * BOUGHT], rhs0[3], rhs[YEARS * (BOUGHT + HOURS)];
    sti_rng rng = {9};
    make_stores(&s);
    for (int i = 0; i < YEARS; i++) {
        s.scenarios[i].q = HOURS - 1;
        s.scenarios[i].W.rows = HOURS - 1;
    }
    s.program.W0.rows = HOURS - 1;
    for (int k = 0; k < YEARS * BOUGHT; k++) D[k] = between(&rng, 0.1, 3);
    for (int k = 0; k < 3; k++) rhs0[k] = symmetric(&rng);
    for (int k = 0; k < YEARS * (BOUGHT + HOURS - 1); k++) rhs[k] = symmetric(&rng);
    const sti_stochastic_system system = {D0, D, rhs0, rhs};
    sti_stochastic_step dense, sparse;
    assert_int_equal(sti_stochastic_newton_step(*state, &s.program, &system, &dense), STI_OK);
    make_sparse(*state, &s);
    assert_int_equal(sti_stochastic_newton_step(*state, &s.program, &system, &sparse), STI_OK);
    for (int k = 0; k < 9; k++) assert_true(fabs(dense.C[k] - sparse.C[k]) <= 1e-12 * fabs(dense.C[0]));
    for (size_t k = 0; k < dense.size; k++) assert_true(fabs(dense.z[k] - sparse.z[k]) <= 1e-9);
    sti_stochastic_step_clear(*state, &dense);
    sti_stochastic_step_clear(*state, &sparse);
    drop_sparse(*state, &s);
}

static void every_allocation_of_sparse_blocks_may_fail(void** state) {
    static stores s;
    make_stores(&s);
    make_sparse(*state, &s);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_stochastic_layout L;
        sti_arrow arrow;
        sti_status status = sti_stochastic_layout_create(f.env, &s.program, NULL, &L);
        if (status == STI_OK) {
            status = sti_arrow_create(f.env, &L, NULL, &arrow);
            if (status == STI_OK) sti_arrow_clear(&arrow);
            sti_stochastic_layout_clear(f.env, &L);
        }
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    drop_sparse(*state, &s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_sparse_blocks_are_factored_as_such),
        cmocka_unit_test(sparse_and_dense_blocks_have_one_newton_step),
        cmocka_unit_test(every_allocation_of_sparse_blocks_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
