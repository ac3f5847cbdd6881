// test_team.c: programs whose scenarios several ranks share; the ranks are threads here, in tao/ they are those of MPI.
#include <math.h>
#include <stiction/stochastic.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/open_env.h"
#include "support/oracle.h"
#include "support/rank_threads.h"
#include "support/scenario_case.h"

enum { RANKS = 3 };

typedef rank_thread member;

static void* work(void* user) {
    member* r = user;
    sti_stochastic_options o = sti_stochastic_options_default();
    o.team = &r->team;
    r->status = sti_stochastic_solve(r->env, &r->program, &o, &r->answer);
    return NULL;
}

static void solve_together(const sti_stochastic* p, rank_meeting* m, member* r) {
    rank_threads_share(r, RANKS, m, p);
    rank_threads_run(r, RANKS, work);
}

static void* gather(void* user) {
    member* r = user;
    if (r->status == STI_OK) r->status = sti_stochastic_answer_gather(r->env, &r->team, &r->answer);
    return NULL;
}

static rank_meeting room;

static void open_members(member* r) {
    memset(r, 0, RANKS * sizeof *r);
    for (int k = 0; k < RANKS; k++) assert_int_equal(sti_env_create(NULL, &r[k].env), STI_OK);
}

static void close_members(member* r) {
    for (int k = 0; k < RANKS; k++) {
        sti_stochastic_answer_clear(r[k].env, &r[k].answer);
        sti_env_destroy(r[k].env);
    }
}

// y and l of all ranks in place of those of `whole`.
static void join(const member* r, sti_stochastic_answer* whole) {
    size_t y = 0, l = 0;
    for (int k = 0; k < RANKS; k++) {
        memcpy(whole->y + y, r[k].answer.y, r[k].answer.y_count * sizeof *whole->y);
        memcpy(whole->l + l, r[k].answer.l, r[k].answer.l_count * sizeof *whole->l);
        y += r[k].answer.y_count;
        l += r[k].answer.l_count;
    }
    assert_true(y == whole->y_count && l == whole->l_count);
    memcpy(whole->x, r[0].answer.x, (size_t)whole->n * sizeof *whole->x);
    memcpy(whole->pi, r[0].answer.pi, (size_t)whole->p * sizeof *whole->pi);
}

static void assert_verified(sti_env* env, const sti_stochastic* p, const sti_stochastic_answer* a) {
    sti_stochastic_verification v;
    assert_int_equal(sti_verify_stochastic(env, p, a, 1e-8, &v), STI_OK);
    if (!v.accepted) fail_msg("%s", v.text);
}

static void ranks_find_what_one_process_finds(void** state) {
    for (uint64_t seed = 1; seed <= 5; seed++) {
        scenario_case s;
        sti_stochastic_answer whole;
        member r[RANKS];
        scenario_case_make(&s, 4, 5, 2, 3, 20, seed);
        assert_int_equal(sti_stochastic_solve(*state, &s.program, NULL, &whole), STI_OK);
        open_members(r);
        solve_together(&s.program, &room, r);
        for (int k = 0; k < RANKS; k++) {
            const sti_stochastic_answer* a = &r[k].answer;
            assert_int_equal(r[k].status, STI_OK);
            assert_int_equal(a->outcome, STI_CONIC_SOLVED);
            assert_true(fabs(a->objective - whole.objective) <= 1e-9 * (1 + fabs(whole.objective)));
            assert_memory_equal(a->x, r[0].answer.x, 4 * sizeof *a->x);
            for (int j = 0; j < 4; j++) assert_true(fabs(a->x[j] - whole.x[j]) < 1e-6);
        }
        join(r, &whole);
        assert_verified(*state, &s.program, &whole);
        rank_threads_run(r, RANKS, gather);
        for (int k = 0; k < RANKS; k++) {
            assert_int_equal(r[k].status, STI_OK);
            assert_int_equal(r[k].answer.scenario_count, 20);
            assert_memory_equal(r[k].answer.y, whole.y, whole.y_count * sizeof *whole.y);
            assert_memory_equal(r[k].answer.l, whole.l, whole.l_count * sizeof *whole.l);
            assert_memory_equal(r[k].answer.y_start, whole.y_start, 21 * sizeof *whole.y_start);
        }
        close_members(r);
        sti_stochastic_answer_clear(*state, &whole);
        scenario_case_free(&s);
    }
}

static void their_certificates_are_those_of_the_whole(void** state) {
    scenario_case s;
    sti_stochastic_answer whole;
    member r[RANKS];
    scenario_case_make(&s, 3, 4, 1, 2, 5, 16);
    double W[] = {1, 1, 1, 1, 0, 0, 0, 0}, W0[] = {1, 1, 1, 1, 1, 1}, d[] = {1, 2};  // x1 + x2 + x3 is at most 1 and 2
    s.scenarios[3].W = sti_matrix_dense_view(2, 4, W);
    s.scenarios[3].W0 = sti_matrix_dense_view(2, 3, W0);
    s.scenarios[3].dl = s.scenarios[3].du = d;
    assert_int_equal(sti_stochastic_solve(*state, &s.program, NULL, &whole), STI_OK);
    open_members(r);
    solve_together(&s.program, &room, r);
    for (int k = 0; k < RANKS; k++) assert_int_equal(r[k].answer.outcome, STI_CONIC_INFEASIBLE);
    for (int j = 0; j < 3; j++) assert_true(isnan(r[1].answer.x[j]));
    join(r, &whole);
    assert_verified(*state, &s.program, &whole);
    close_members(r);
    sti_stochastic_answer_clear(*state, &whole);
    double c0[3] = {-1, -1, -1}, nothing[6] = {0};  // nothing holds x
    s.program.c0 = c0;
    s.program.Q0 = s.program.T0 = s.program.W0 = (sti_matrix){0};
    s.program.bl = s.program.bu = NULL;
    for (int i = 0; i < 5; i++) {
        s.scenarios[i].W0 = sti_matrix_dense_view(2, 3, nothing);
        s.scenarios[i].T = s.scenarios[i].W = (sti_matrix){0};
        s.scenarios[i].dl = s.scenarios[i].du = NULL;
    }
    assert_int_equal(sti_stochastic_solve(*state, &s.program, NULL, &whole), STI_OK);
    assert_int_equal(whole.outcome, STI_CONIC_UNBOUNDED);
    open_members(r);
    solve_together(&s.program, &room, r);
    for (int k = 0; k < RANKS; k++) assert_int_equal(r[k].answer.outcome, STI_CONIC_UNBOUNDED);
    join(r, &whole);
    assert_verified(*state, &s.program, &whole);
    close_members(r);
    sti_stochastic_answer_clear(*state, &whole);
    scenario_case_free(&s);
}

static void bad_data_of_one_rank_end_the_work_of_all(void** state) {
    (void)state;
    scenario_case s;
    member r[RANKS];
    scenario_case_make(&s, 4, 5, 2, 3, 20, 1);
    s.scenarios[9].probability = 0.5;
    open_members(r);
    solve_together(&s.program, &room, r);
    for (int k = 0; k < RANKS; k++) {
        assert_int_equal(r[k].status, STI_ERR_ARGUMENT);
        assert_non_null(strstr(sti_env_error(r[k].env)->text, "sum to 1.45: 1 is expected"));
    }
    close_members(r);
    s.scenarios[9].probability = -1;
    open_members(r);
    solve_together(&s.program, &room, r);
    for (int k = 0; k < RANKS; k++) {
        assert_int_equal(r[k].status, STI_ERR_ARGUMENT);
        assert_non_null(strstr(sti_env_error(r[k].env)->text, k == 1 ? "scenarios[3].p: -1" : "another rank"));
    }
    close_members(r);
    scenario_case_free(&s);
}

// The rank in the middle runs out of memory at every place in turn; the others end as well, and nobody waits for ever.
static void memory_may_run_out_on_one_rank(void** state) {
    (void)state;
    scenario_case s;
    scenario_case_make(&s, 3, 4, 1, 2, 6, 3);
    for (long k = 0;; k++) {
        member r[RANKS];
        failing_env f;
        open_members(r);
        sti_env* const own = r[1].env;
        failing_env_open(&f, k);
        r[1].env = f.env;
        solve_together(&s.program, &room, r);
        if (r[0].status == STI_OK) rank_threads_run(r, RANKS, gather);
        const bool done = r[1].status == STI_OK;
        for (int i = 0; i < RANKS; i++) assert_int_equal(r[i].status, done ? STI_OK : STI_ERR_MEMORY);
        sti_stochastic_answer_clear(f.env, &r[1].answer);
        r[1].env = own;
        close_members(r);
        if (failing_env_close(&f)) break;
    }
    scenario_case_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_find_what_one_process_finds),
        cmocka_unit_test(their_certificates_are_those_of_the_whole),
        cmocka_unit_test(bad_data_of_one_rank_end_the_work_of_all),
        cmocka_unit_test(memory_may_run_out_on_one_rank),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
