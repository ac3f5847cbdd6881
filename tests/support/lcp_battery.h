// lcp_battery.h: what every iterative method of LCPs has to stand, with the method as a parameter.
#ifndef STI_TEST_LCP_BATTERY_H
#define STI_TEST_LCP_BATTERY_H

#include "support/failing_env.h"
#include "support/lcp_families.h"
#include "support/open_env.h"

typedef sti_status lcp_method(sti_env* env, const sti_lcp* lcp, const sti_lcp_options* options, sti_lcp_answer* answer);

// The same membrane over an obstacle, sparse and dense.
static inline void battery_dense_and_sparse(sti_env* env, lcp_method* method, int side) {
    family f = family_obstacle(side, side, 8);
    family_expect_solution(env, method, &f, true, 1e-11);
    sti_lcp dense = f.lcp;
    assert_int_equal(sti_matrix_to_dense(env, &f.lcp.M, &dense.M), STI_OK);
    sti_lcp_answer a = family_solve(env, method, &dense, NULL);
    assert_int_equal(a.termination, STI_END_SOLUTION);
    assert_true(family_distance(a.z, f.z, f.lcp.n) < 1e-11);
    sti_lcp_answer_clear(env, &a);
    sti_matrix_clear(env, &dense.M);
    family_clear(&f);
}

// Pairs in another order: the same solution, to rounding. Returns the difference of the iterations.
static inline long battery_order(sti_env* env, lcp_method* method) {
    enum { N = 40 };
    family f = family_make(FAMILY_DEFINITE, N, 21), g = family_dense(N);
    for (int i = 0; i < N; i++) {
        const int pi = (i * 7 + 3) % N;
        g.q[pi] = f.q[i];
        for (int j = 0; j < N; j++) g.lcp.M.dense[pi * N + (j * 7 + 3) % N] = f.lcp.M.dense[i * N + j];
    }
    sti_lcp_answer a = family_solve(env, method, &f.lcp, NULL);
    sti_lcp_answer b = family_solve(env, method, &g.lcp, NULL);
    for (int i = 0; i < N; i++) assert_true(fabs(a.z[i] - b.z[(i * 7 + 3) % N]) < 1e-13);
    const long difference = a.iterations - b.iterations;
    sti_lcp_answer_clear(env, &a);
    sti_lcp_answer_clear(env, &b);
    family_clear(&f);
    family_clear(&g);
    return difference;
}

typedef struct battery_calls {
    const char* solver;
    int count;
} battery_calls;

static inline void battery_count(void* user, const char* solver, long iteration, double residual) {
    battery_calls* calls = user;
    assert_string_equal(solver, calls->solver);
    assert_true(iteration >= 0 && residual >= 0);
    calls->count++;
}

static inline void battery_same_bits(sti_env* env, lcp_method* method, const char* name) {
    family f = family_make(FAMILY_LOW_RANK, 60, 5);
    sti_lcp_answer a = family_solve(env, method, &f.lcp, NULL);
    battery_calls calls = {name, 0};
    sti_lcp_options o = sti_lcp_options_default();
    o.tol = 1e-10;
    o.trace = battery_count;
    o.trace_user = &calls;
    sti_lcp_answer b = family_solve(env, method, &f.lcp, &o);
    assert_true(calls.count >= b.iterations);
    assert_int_equal(a.iterations, b.iterations);
    assert_memory_equal(a.z, b.z, 60 * sizeof(double));
    sti_lcp_answer_clear(env, &a);
    sti_lcp_answer_clear(env, &b);
    family_clear(&f);
}

// Iterations and time.
static inline void battery_limits(sti_env* env, lcp_method* method, const sti_lcp* lcp, long iterations) {
    sti_lcp_options o = sti_lcp_options_default();
    o.max_iterations = iterations;
    sti_lcp_answer a = family_solve(env, method, lcp, &o);
    assert_int_equal(a.termination, STI_END_LIMIT);
    assert_int_equal(a.iterations, iterations);
    sti_lcp_answer_clear(env, &a);
    o.max_iterations = 0;
    o.time_limit_s = 1e-9;
    a = family_solve(env, method, lcp, &o);
    assert_int_equal(a.termination, STI_END_LIMIT);
    sti_lcp_answer_clear(env, &a);
}

// Four pairs with the matrix `which`, in units of 1e+-150 for M and q. Whatever the end, the point is finite and not
// negative (family_solve asserts that); judge says what the end has to be. tame: z is not near 1e+-300.
static inline void battery_hard_input(sti_env* env, lcp_method* method, int count,
                                      double (*entry)(int which, int i, int j),
                                      void (*judge)(int which, bool tame, const sti_lcp* lcp,
                                                    const sti_lcp_answer* a)) {
    const double scales[] = {1, 1e-150, 1e150};
    for (int s = 0; s < 3; s++) {
        for (int t = 0; t < 3; t++) {
            for (int which = 0; which < count; which++) {
                family f = family_dense(4);
                for (int i = 0; i < 4; i++) {
                    f.q[i] = (i % 2 ? 1 : -1) * scales[t];
                    for (int j = 0; j < 4; j++) f.lcp.M.dense[i * 4 + j] = scales[s] * entry(which, i, j);
                }
                sti_lcp_answer a = family_solve(env, method, &f.lcp, NULL);
                judge(which, s == 0 || t == 0 || s == t, &f.lcp, &a);
                sti_lcp_answer_clear(env, &a);
                family_clear(&f);
            }
        }
    }
}

// 0, -I, indefinite, definite
static inline double battery_entry(int which, int i, int j) {
    const double v[4] = {0, -(i == j), i + j - 3, (i == j) + 0.1 * (i + 1) * (j + 1)};
    return v[which];
}

// Every allocation fails once. Takes the problem away.
static inline void battery_failed_allocations(lcp_method* method, family* problem, sti_termination end) {
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        const sti_lcp_options o = sti_lcp_options_default();
        sti_lcp_answer a;
        sti_status status = sti_lcp_answer_reserve(f.env, 0, problem->lcp.n, &a);
        if (status == STI_OK) {
            status = method(f.env, &problem->lcp, &o, &a);
            if (status == STI_OK) assert_int_equal(a.termination, end);
            sti_lcp_answer_clear(f.env, &a);
        }
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    family_clear(problem);
}

#endif
