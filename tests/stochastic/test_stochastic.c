// test_stochastic.c: stochastic programs against reference values, closed forms, the quadratic program of all scenarios
// at once, and the independent check.
#include <math.h>
#include <stiction/qp.h>
#include <stiction/stochastic.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/late_env.h"
#include "support/open_env.h"
#include "support/oracle.h"
#include "support/scenario_case.h"

static void assert_verified(sti_env* env, const sti_stochastic* p, const sti_stochastic_answer* a, double tol) {
    sti_stochastic_verification v;
    assert_int_equal(sti_verify_stochastic(env, p, a, tol, &v), STI_OK);
    if (!v.accepted) fail_msg("%s", v.text);
}

static void assert_rejected(sti_env* env, const sti_stochastic* p, const sti_stochastic_answer* a) {
    sti_stochastic_verification v;
    assert_int_equal(sti_verify_stochastic(env, p, a, 1e-8, &v), STI_OK);
    assert_false(v.accepted);
}

static sti_stochastic_answer solved(sti_env* env, const sti_stochastic* p) {
    sti_stochastic_answer a;
    if (sti_stochastic_solve(env, p, NULL, &a) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    if (a.outcome != STI_CONIC_SOLVED) fail_msg("%s: %s", sti_conic_outcome_text(a.outcome), a.reason);
    assert_verified(env, p, &a, 1e-8);
    return a;
}

// ---- S3, 3.1

static void the_reference_cases_have_their_values(void** state) {
    cJSON* cases = oracle_open("thesis");
    int count = 0;
    const cJSON* item;
    if (cases == NULL) skip();
    cJSON_ArrayForEach(item, oracle_cases(cases)) {
        const cJSON *in = cJSON_GetObjectItem(item, "inputs"), *out = cJSON_GetObjectItem(item, "expected");
        if (strncmp(oracle_id(item), "SOE", 3) != 0 || cJSON_GetObjectItem(in, "seed") == NULL) continue;
        const char* const sizes[] = {"n", "m", "p", "q", "N", "seed"};
        int v[6];
        for (int k = 0; k < 6; k++) v[k] = cJSON_GetObjectItemCaseSensitive(in, sizes[k])->valueint;
        scenario_case s;
        scenario_case_make(&s, v[0], v[1], v[2], v[3], v[4], (uint64_t)v[5]);
        sti_stochastic_answer a = solved(*state, &s.program);
        const double objective = cJSON_GetObjectItem(out, "objective")->valuedouble;
        if (!(fabs(a.objective - objective) <= 2e-9 * (1 + fabs(objective))))
            fail_msg("%s: %.15g, not %.15g", oracle_id(item), a.objective, objective);
        for (int j = 0; j < v[0]; j++)
            assert_true(fabs(a.x[j] - cJSON_GetArrayItem(cJSON_GetObjectItem(out, "x"), j)->valuedouble) < 1e-5);
        sti_stochastic_answer_clear(*state, &a);
        scenario_case_free(&s);
        count++;
    }
    cJSON_Delete(cases);
    assert_true(count >= 2);
}

// SOE-06: data of the case, drawn as it says.
static void one_newton_system_is_the_monolithic_one(void** state) {
    enum { N = 4, M = 5, P = 2, Q = 3, S = 4 };
    static const double eigen[] = {-0.42608687004992757, -0.24317126365712546, 2.7620923936078143,
                                   8.19661552811695,     14.478069980443076,   61.92819593427835};
    static const double z0[] = {0.13267310090425546, 0.7816617391468312, -0.2263911349898529,
                                0.38073809921174256, -2.05294508774371,  -0.20761943534142085};
    scenario_case s;
    scenario_case_make(&s, N, M, P, Q, S, 301);
    sti_rng rng = {904};
    double room[200], *at = room;
    double *D0 = draw(&rng, &at, N, 0.1, 3), *D = draw(&rng, &at, S * M, 0.1, 3);
    double *rhs0 = draw(&rng, &at, N + P, -1, 1), *rhs = draw(&rng, &at, S * (M + Q), -1, 1);
    const sti_stochastic_system system = {D0, D, rhs0, rhs};
    sti_stochastic_step step;
    assert_int_equal(sti_stochastic_newton_step(*state, &s.program, &system, &step), STI_OK);
    double norm = 0;
    for (int k = 0; k < N + P; k++) {
        assert_true(fabs(step.eigen[k] - eigen[k]) <= 1e-9 * fabs(eigen[k]));
        assert_true(fabs(step.z0[k] - z0[k]) <= 1e-9 * fabs(z0[k]));
        norm += step.z0[k] * step.z0[k];
    }
    for (size_t k = 0; k < step.size; k++) norm += step.z[k] * step.z[k];
    assert_true(fabs(sqrt(norm) - 9.425111956096345) < 1e-8);
    sti_stochastic_step_clear(*state, &step);
    D[7] = -1;
    assert_int_equal(sti_stochastic_newton_step(*state, &s.program, &system, &step), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(*state)->text, "D[7]: -1"));
    scenario_case_free(&s);
}

// ---- closed forms

// The newsvendor: buy x at 1, sell min(x, demand) at 3. In words of the program: y sold, y <= x, y <= demand.
static void a_newsvendor_buys_the_quantile(void** state) {
    enum { S = 100 };
    double cost = 1, price = -3, W[] = {1}, W0[] = {-1}, minus[S], zero[S], demand[S];
    sti_scenario scenarios[S];
    for (int i = 0; i < S; i++) {
        minus[i] = -INFINITY, zero[i] = 0, demand[i] = i + 1;
        scenarios[i] = (sti_scenario){.probability = 1.0 / S,
                                      .m = 1,
                                      .q = 1,
                                      .W = sti_matrix_dense_view(1, 1, W),
                                      .c = &price,
                                      .dl = &minus[i],
                                      .du = &zero[i],
                                      .ub = &demand[i]};
    }
    const sti_stochastic p = {
        .n = 1, .W0 = sti_matrix_dense_view(1, 1, W0), .c0 = &cost, .scenario_count = S, .scenarios = scenarios};
    sti_stochastic_answer a = solved(*state, &p);
    // any x from the 66th to the 67th demand: P(demand > x) = 1/3 lies between
    double value = 67;
    for (int i = 0; i < S; i++) value -= 0.03 * fmin(67, demand[i]);
    assert_true(a.x[0] > 66 - 1e-5 && a.x[0] < 67 + 1e-5);
    assert_true(fabs(a.objective - value) < 1e-6);
    sti_stochastic_answer_clear(*state, &a);
}

// x' free, expectation row: the mean of y_i = x + xi_i is to be 2; min x^2/2 is then at x = 2 - mean of xi.
static void an_expectation_row_holds_in_the_mean(void** state) {
    double Q0[] = {1}, T[] = {1}, W[] = {1}, W0[] = {-1}, b = 2, d[] = {-1, 3, 0.5}, low = -INFINITY,
           lows[] = {-INFINITY};
    sti_scenario s[3];
    for (int i = 0; i < 3; i++)
        s[i] = (sti_scenario){.probability = i == 0 ? 0.5 : 0.25,
                              .m = 1,
                              .q = 1,
                              .T = sti_matrix_dense_view(1, 1, T),
                              .W = sti_matrix_dense_view(1, 1, W),
                              .dl = &d[i],
                              .du = &d[i],
                              .lb = lows};
    const sti_stochastic p = {.n = 1,
                              .p = 1,
                              .Q0 = sti_matrix_dense_view(1, 1, Q0),
                              .W0 = sti_matrix_dense_view(1, 1, W0),
                              .bl = &b,
                              .bu = &b,
                              .lb = &low,
                              .scenario_count = 3,
                              .scenarios = s};
    sti_stochastic_answer a = solved(*state, &p);
    const double mean = 0.5 * -1 + 0.25 * 3 + 0.25 * 0.5;
    assert_true(fabs(a.x[0] - (2 - mean)) < 1e-7);
    assert_true(fabs(a.pi[0] + (2 - mean)) < 1e-7);  // x + pi = 0
    sti_stochastic_answer_clear(*state, &a);
}

// ---- the quadratic program of all scenarios at once

enum { BIG = 64 };

static void copy_block(double* to, int width, int row, int col, const sti_matrix* A, double f) {
    for (int i = 0; i < A->rows; i++) {
        for (int j = 0; j < A->cols; j++) to[(row + i) * width + col + j] = f * sti_matrix_get(A, i, j);
    }
}

static double extensive_objective(sti_env* env, const sti_stochastic* p) {
    static double P[BIG * BIG], A[BIG * BIG], c[BIG], l[BIG], u[BIG], lb[BIG], ub[BIG];
    int n = p->n, rows = p->p;
    for (int i = 0; i < p->scenario_count; i++) n += p->scenarios[i].m, rows += p->scenarios[i].q;
    assert_true(n <= BIG && rows <= BIG);
    memset(P, 0, sizeof P), memset(A, 0, sizeof A);
    copy_block(P, n, 0, 0, &p->Q0, 1);
    copy_block(A, n, 0, 0, &p->T0, 1);
    for (int j = 0; j < p->n; j++)
        c[j] = p->c0[j], lb[j] = p->lb != NULL ? p->lb[j] : 0, ub[j] = p->ub != NULL ? p->ub[j] : INFINITY;
    for (int k = 0; k < p->p; k++) l[k] = p->bl[k], u[k] = p->bu[k];
    int v = p->n, r = p->p;
    for (int i = 0; i < p->scenario_count; i++) {
        const sti_scenario* s = &p->scenarios[i];
        copy_block(P, n, v, v, &s->Q, s->probability);
        copy_block(A, n, 0, v, &s->T, s->probability);
        copy_block(A, n, r, v, &s->W, 1);
        copy_block(A, n, r, 0, s->W0.rows > 0 ? &s->W0 : &p->W0, 1);
        for (int j = 0; j < s->m; j++)
            c[v + j] = s->probability * s->c[j], lb[v + j] = s->lb != NULL ? s->lb[j] : 0,
                  ub[v + j] = s->ub != NULL ? s->ub[j] : INFINITY;
        for (int k = 0; k < s->q; k++) l[r + k] = s->dl[k], u[r + k] = s->du[k];
        v += s->m, r += s->q;
    }
    const sti_qp qp = {.n = n,
                       .m = rows,
                       .P = sti_matrix_dense_view(n, n, P),
                       .A = sti_matrix_dense_view(rows, n, A),
                       .c = c,
                       .l = l,
                       .u = u,
                       .lb = lb,
                       .ub = ub};
    sti_qp_answer a;
    assert_int_equal(sti_qp_solve(env, &qp, NULL, &a), STI_OK);
    assert_int_equal(a.outcome, STI_CONIC_SOLVED);
    const double objective = a.objective;
    sti_qp_answer_clear(env, &a);
    return objective;
}

// Rows become inequalities of all kinds, variables get bounds of all kinds.
static void rows_and_bounds_of_all_kinds_agree_with_the_whole_program(void** state) {
    for (uint64_t seed = 1; seed <= 30; seed++) {
        scenario_case s;
        scenario_case_make(&s, 4, 5, 2, 3, 5, seed);
        sti_rng rng = {seed + 1000};
        double low[5][3], high[5][3], lb[5][5], ub[5][5], bl[2], bu[2], xl[4], xu[4];
        for (int i = 0; i < 5; i++) {
            for (int k = 0; k < 3; k++) {
                const int kind = sti_rng_int(&rng, 0, 3);
                const double d = s.scenarios[i].dl[k];
                low[i][k] = kind == 1 ? -INFINITY : kind == 3 ? d - 0.1 : d;
                high[i][k] = kind == 2 ? INFINITY : kind == 3 ? d + 0.3 : d;
            }
            for (int j = 0; j < 5; j++) {
                const int kind = sti_rng_int(&rng, 0, 3);
                lb[i][j] = kind == 1 ? -INFINITY : kind == 2 ? -0.5 : 0;
                ub[i][j] = kind == 3 ? 1.6 : kind == 2 ? 2 : INFINITY;
            }
            s.scenarios[i].dl = low[i], s.scenarios[i].du = high[i], s.scenarios[i].lb = lb[i],
            s.scenarios[i].ub = ub[i];
        }
        for (int k = 0; k < 2; k++)
            bl[k] = s.program.bl[k] - (k == 0 ? 0.2 : 0), bu[k] = k == 0 ? INFINITY : s.program.bu[k];
        for (int j = 0; j < 4; j++)
            xl[j] = j == 1 ? -INFINITY : j == 2 ? 0.25 : 0, xu[j] = j == 2 && seed % 2 == 0 ? 0.25 : 2;
        s.program.bl = bl, s.program.bu = bu, s.program.lb = xl, s.program.ub = xu;
        sti_stochastic_answer a;
        assert_int_equal(sti_stochastic_solve(*state, &s.program, NULL, &a), STI_OK);
        if (a.outcome == STI_CONIC_SOLVED) {
            assert_verified(*state, &s.program, &a, 1e-7);
            const double objective = extensive_objective(*state, &s.program);
            if (fabs(a.objective - objective) > 1e-6 * (1 + fabs(objective)))
                fail_msg("seed %d: %.12g %.12g", (int)seed, a.objective, objective);
        } else {
            assert_int_equal(a.outcome, STI_CONIC_INFEASIBLE);  // fixing x may leave no point
            assert_verified(*state, &s.program, &a, 1e-7);
        }
        sti_stochastic_answer_clear(*state, &a);
        scenario_case_free(&s);
    }
}

// ---- invariances

static void a_scenario_may_be_split_and_their_order_changed(void** state) {
    scenario_case s;
    scenario_case_make(&s, 4, 5, 2, 3, 6, 12);
    sti_stochastic_answer one = solved(*state, &s.program);
    sti_scenario other[7];
    for (int i = 0; i < 6; i++) other[i] = s.scenarios[5 - i];
    other[6] = other[2];
    other[2].probability = 0.25 * other[6].probability, other[6].probability *= 0.75;
    sti_stochastic q = s.program;
    q.scenario_count = 7, q.scenarios = other;
    sti_stochastic_answer two = solved(*state, &q);
    assert_true(fabs(one.objective - two.objective) < 1e-8);
    for (int j = 0; j < 4; j++) assert_true(fabs(one.x[j] - two.x[j]) < 1e-5);
    sti_stochastic_answer_clear(*state, &one);
    sti_stochastic_answer_clear(*state, &two);
    scenario_case_free(&s);
}

static void sparse_blocks_are_the_same_program(void** state) {
    scenario_case s;
    scenario_case_make(&s, 4, 5, 2, 3, 6, 13);
    sti_stochastic_answer one = solved(*state, &s.program);
    for (int i = 0; i < 6; i++) {
        sti_matrix* blocks[] = {&s.scenarios[i].Q, &s.scenarios[i].T, &s.scenarios[i].W};
        for (int k = 0; k < 3; k++) {
            sti_matrix sparse;
            assert_int_equal(sti_matrix_to_sparse(*state, blocks[k], &sparse), STI_OK);
            *blocks[k] = sparse;
        }
    }
    sti_stochastic_answer two = solved(*state, &s.program);
    assert_true(fabs(one.objective - two.objective) < 1e-9);
    for (int i = 0; i < 6; i++) {
        sti_matrix_clear(*state, &s.scenarios[i].Q);
        sti_matrix_clear(*state, &s.scenarios[i].T);
        sti_matrix_clear(*state, &s.scenarios[i].W);
    }
    sti_stochastic_answer_clear(*state, &one);
    sti_stochastic_answer_clear(*state, &two);
    scenario_case_free(&s);
}

static void any_number_of_threads_gives_the_same_bits(void** state) {
    (void)state;
    scenario_case s;
    scenario_case_make(&s, 4, 5, 2, 3, 300, 14);
    sti_stochastic_answer first = {0};
    sti_env* env[3];
    for (int k = 0; k < 3; k++) {
        sti_env_def def = sti_env_def_default();
        sti_stochastic_answer a;
        def.workers = k + 1;
        assert_int_equal(sti_env_create(&def, &env[k]), STI_OK);
        assert_int_equal(sti_stochastic_solve(env[k], &s.program, NULL, &a), STI_OK);
        if (k == 0) {
            first = a;
            continue;
        }
        assert_memory_equal(a.x, first.x, 4 * sizeof *a.x);
        assert_memory_equal(a.y, first.y, a.y_count * sizeof *a.y);
        assert_memory_equal(a.l, first.l, a.l_count * sizeof *a.l);
        sti_stochastic_answer_clear(env[k], &a);
        sti_env_destroy(env[k]);
    }
    sti_stochastic_answer_clear(env[0], &first);
    sti_env_destroy(env[0]);
    scenario_case_free(&s);
}

static void a_warm_start_takes_fewer_steps(void** state) {
    scenario_case s;
    scenario_case_make(&s, 4, 5, 2, 3, 200, 15);
    sti_stochastic_answer cold = solved(*state, &s.program), warm, again;
    sti_stochastic_options o = sti_stochastic_options_default();
    double c0[4];
    for (int j = 0; j < 4; j++) c0[j] = s.program.c0[j] + (j == 1 ? 0.01 : 0);
    s.program.c0 = c0;
    again = solved(*state, &s.program);
    o.start = &cold;
    assert_int_equal(sti_stochastic_solve(*state, &s.program, &o, &warm), STI_OK);
    assert_int_equal(warm.outcome, STI_CONIC_SOLVED);
    assert_true(warm.iterations < again.iterations);
    assert_true(fabs(warm.objective - again.objective) < 1e-7);
    sti_stochastic_answer_clear(*state, &cold);
    sti_stochastic_answer_clear(*state, &warm);
    sti_stochastic_answer_clear(*state, &again);
    scenario_case_free(&s);
}

// ---- no solution

static void contradicting_rows_are_proved_so(void** state) {
    scenario_case s;
    scenario_case_make(&s, 3, 4, 1, 2, 5, 16);
    double W[] = {1, 1, 1, 1, 0, 0, 0, 0}, W0[] = {1, 1, 1, 1, 1, 1}, d[] = {1, 2};  // x1 + x2 + x3 is at most 1 and 2
    s.scenarios[3].W = sti_matrix_dense_view(2, 4, W);
    s.scenarios[3].W0 = sti_matrix_dense_view(2, 3, W0);
    s.scenarios[3].dl = s.scenarios[3].du = d;
    sti_stochastic_answer a;
    assert_int_equal(sti_stochastic_solve(*state, &s.program, NULL, &a), STI_OK);
    assert_int_equal(a.outcome, STI_CONIC_INFEASIBLE);
    assert_verified(*state, &s.program, &a, 1e-8);
    assert_true(isnan(a.x[0]) && a.bound > 1e5);
    for (size_t k = 0; k < a.l_count; k++) a.l[k] = -a.l[k];
    a.pi[0] = -a.pi[0];
    assert_rejected(*state, &s.program, &a);
    sti_stochastic_answer_clear(*state, &a);
    scenario_case_free(&s);
}

static void an_objective_without_end_has_a_direction(void** state) {
    double c0[] = {-1, 1}, W0[] = {1, -1}, W[] = {1}, zero = 0,
           free_low = -INFINITY;  // x1 - x2 + y = 0, y free: x1 grows
    sti_scenario s[2];
    for (int i = 0; i < 2; i++)
        s[i] = (sti_scenario){.probability = 0.5,
                              .m = 1,
                              .q = 1,
                              .W = sti_matrix_dense_view(1, 1, W),
                              .dl = &zero,
                              .du = &zero,
                              .lb = &free_low};
    const sti_stochastic p = {
        .n = 2, .W0 = sti_matrix_dense_view(1, 2, W0), .c0 = c0, .scenario_count = 2, .scenarios = s};
    sti_stochastic_answer a;
    assert_int_equal(sti_stochastic_solve(*state, &p, NULL, &a), STI_OK);
    assert_int_equal(a.outcome, STI_CONIC_UNBOUNDED);
    assert_verified(*state, &p, &a, 1e-8);
    a.x[0] = -a.x[0];
    assert_rejected(*state, &p, &a);
    sti_stochastic_answer_clear(*state, &a);
}

// least cost x with small x = 1 (x = 1 / small), or the largest x with small x <= 1: proofs that leave out what is far
// away must not hide it.
static void a_point_far_away_is_found_or_left_open(void** state) {
    const double one = 1, least = -INFINITY;
    double zero = 0, unit = 1;
    for (int k = 0; k < 12; k++) {
        double small = pow(10, -5 - k / 2);
        const bool row = k % 2 == 0;
        const double cost = row ? 1 : -1;
        const sti_scenario s = {.probability = 1,
                                .m = 1,
                                .q = 1,
                                .W0 = sti_matrix_dense_view(1, 1, &zero),
                                .W = sti_matrix_dense_view(1, 1, &unit),
                                .Q = sti_matrix_dense_view(1, 1, &unit),
                                .dl = &one,
                                .du = &one};
        const sti_stochastic p = {.n = 1,
                                  .p = 1,
                                  .T0 = sti_matrix_dense_view(1, 1, &small),
                                  .c0 = &cost,
                                  .bl = row ? &one : &least,
                                  .bu = &one,
                                  .scenario_count = 1,
                                  .scenarios = &s};
        sti_stochastic_answer a;
        assert_int_equal(sti_stochastic_solve(*state, &p, NULL, &a), STI_OK);
        if (small > 5e-9) {
            assert_int_equal(a.outcome, STI_CONIC_SOLVED);
            assert_true(fabs(a.x[0] * small - 1) < 1e-7);
            assert_verified(*state, &p, &a, 1e-7);
        } else {
            assert_true(a.outcome == STI_CONIC_SOLVED || a.outcome == STI_CONIC_LIMIT);
        }
        sti_stochastic_answer_clear(*state, &a);
    }
}

// ---- the check, limits, bad data, memory

static void a_forged_answer_is_rejected(void** state) {
    scenario_case s;
    scenario_case_make(&s, 4, 5, 2, 3, 8, 17);
    sti_stochastic_answer a = solved(*state, &s.program);
    double* const values[] = {&a.x[1], &a.y[7], &a.pi[0], &a.l[4]};
    for (int k = 0; k < 4; k++) {
        const double kept = *values[k];
        *values[k] += 1e-3;
        assert_rejected(*state, &s.program, &a);
        *values[k] = NAN;
        assert_rejected(*state, &s.program, &a);
        *values[k] = kept;
    }
    assert_verified(*state, &s.program, &a, 1e-8);
    a.outcome = STI_CONIC_INFEASIBLE;
    assert_rejected(*state, &s.program, &a);
    a.outcome = STI_CONIC_UNBOUNDED;
    assert_rejected(*state, &s.program, &a);
    a.outcome = STI_CONIC_LIMIT;
    assert_rejected(*state, &s.program, &a);
    sti_stochastic_answer_clear(*state, &a);
    scenario_case_free(&s);
}

static void limits_give_the_best_so_far(void** state) {
    scenario_case s;
    scenario_case_make(&s, 4, 5, 2, 3, 8, 18);
    int cut = 0;
    for (long k = 1;; k++) {
        late_env l;
        late_env_open(&l, k);
        sti_stochastic_answer a;
        assert_int_equal(sti_stochastic_solve(l.memory.env, &s.program, NULL, &a), STI_OK);
        cut += a.outcome == STI_CONIC_LIMIT && strstr(a.reason, "time limit") != NULL;
        sti_stochastic_answer_clear(l.memory.env, &a);
        if (late_env_close(&l)) break;
    }
    assert_true(cut > 2);
    sti_stochastic_options o = sti_stochastic_options_default();
    sti_stochastic_answer a;
    o.max_iterations = 2;
    assert_int_equal(sti_stochastic_solve(*state, &s.program, &o, &a), STI_OK);
    assert_int_equal(a.outcome, STI_CONIC_LIMIT);
    sti_stochastic_answer_clear(*state, &a);
    scenario_case_free(&s);
}

static void expect_refused(sti_env* env, const sti_stochastic* p, const char* words) {
    sti_stochastic_answer a;
    assert_int_equal(sti_stochastic_solve(env, p, NULL, &a), STI_ERR_ARGUMENT);
    if (strstr(sti_env_error(env)->text, words) == NULL) fail_msg("%s", sti_env_error(env)->text);
}

static void bad_data_are_named(void** state) {
    scenario_case s;
    scenario_case_make(&s, 4, 5, 2, 3, 8, 19);
    const sti_scenario kept = s.scenarios[2];
    double concave[25] = {0}, low[] = {0, 0, 9}, high[] = {1, 1, 1};
    s.scenarios[2].W.dense[3] = NAN;
    expect_refused(*state, &s.program, "scenarios[2].W");
    s.scenarios[2].W.dense[3] = 1;
    concave[0] = -1;
    s.scenarios[2].Q = sti_matrix_dense_view(5, 5, concave);
    expect_refused(*state, &s.program, "scenarios[2].Q is not positive semidefinite");
    concave[0] = 1, concave[1] = 1;
    expect_refused(*state, &s.program, "scenarios[2].Q is not symmetric");
    s.scenarios[2] = kept;
    s.scenarios[2].probability = 0.5;
    expect_refused(*state, &s.program, "sum to 1.375");
    s.scenarios[2].probability = -1;
    expect_refused(*state, &s.program, "scenarios[2].p: -1");
    s.scenarios[2] = kept;
    s.scenarios[2].dl = low, s.scenarios[2].du = high;
    expect_refused(*state, &s.program, "scenarios[2].dl[2]: 9: above du[2], which is 1");
    s.scenarios[2] = kept;
    s.scenarios[2].q = 2;
    expect_refused(*state, &s.program, "W0 has 3 rows, scenarios[2] has 2");
    s.program.scenario_count = 0;
    expect_refused(*state, &s.program, "scenarios: at least one");
    scenario_case_free(&s);
}

static sti_status solve_and_check(sti_env* env, const sti_stochastic* p, long iterations) {
    sti_stochastic_answer a;
    sti_stochastic_verification v;
    sti_stochastic_options o = sti_stochastic_options_default();
    o.max_iterations = iterations;
    sti_status status = sti_stochastic_solve(env, p, &o, &a);
    if (status == STI_OK) status = sti_verify_stochastic(env, p, &a, 1e-8, &v);
    sti_stochastic_answer_clear(env, &a);
    return status;
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    scenario_case s;
    scenario_case_make(&s, 2, 2, 1, 1, 3, 20);
    double c0[] = {-1, -1}, D0[] = {1, 1}, D[] = {1, 1, 1, 1, 1, 1}, rhs0[3] = {1}, rhs[9] = {1};
    sti_stochastic loose = s.program;  // unbounded, so that certificates are sought
    loose.Q0 = (sti_matrix){0}, loose.T0 = (sti_matrix){0}, loose.W0 = (sti_matrix){0}, loose.c0 = c0;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_status status = solve_and_check(f.env, &s.program, 100);
        if (status == STI_OK) status = solve_and_check(f.env, &loose, 100);
        if (status == STI_OK) status = solve_and_check(f.env, &s.program, 1);  // then in other units
        const sti_stochastic_system system = {D0, D, rhs0, rhs};
        sti_stochastic_step step = {0};
        if (status == STI_OK) status = sti_stochastic_newton_step(f.env, &s.program, &system, &step);
        sti_stochastic_step_clear(f.env, &step);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    scenario_case_free(&s);
}

// Quantiles as tables print them, and deviations by hand.
static void an_interval_of_a_mean_is_that_of_student(void** state) {
    (void)state;
    static const struct {
        long degrees;
        double t;
    } table[] = {{1, 12.7062047362}, {2, 4.3026527297},  {3, 3.1824463053},  {4, 2.7764451052},    {9, 2.2621571628},
                 {10, 2.2281388520}, {29, 2.0452296421}, {99, 1.9842169516}, {1000, 1.9623390808}, {4999, 1.9604386}};
    double values[5000];
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        const long count = table[k].degrees + 1;
        for (long i = 0; i < count; i++) values[i] = 7 + (i % 2 == 0 ? 1 : -1);
        const sti_average v = sti_average_of(values, count);
        const double mean = 7 + (count % 2 == 0 ? 0 : 1.0 / (double)count);
        const double deviation = sqrt(((double)count - (double)count * (mean - 7) * (mean - 7)) / (double)(count - 1));
        assert_true(fabs(v.mean - mean) < 1e-12 && fabs(v.deviation - deviation) < 1e-9);
        assert_true(fabs((v.high - v.low) * sqrt((double)count) / (2 * deviation) - table[k].t) < 5e-8 * table[k].t);
    }
    const sti_average one = sti_average_of(values, 1), none = sti_average_of(values, 0);
    assert_true(one.mean == 8 && isnan(one.low) && isnan(none.mean));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_cases_have_their_values),
        cmocka_unit_test(one_newton_system_is_the_monolithic_one),
        cmocka_unit_test(a_newsvendor_buys_the_quantile),
        cmocka_unit_test(an_expectation_row_holds_in_the_mean),
        cmocka_unit_test(rows_and_bounds_of_all_kinds_agree_with_the_whole_program),
        cmocka_unit_test(a_scenario_may_be_split_and_their_order_changed),
        cmocka_unit_test(sparse_blocks_are_the_same_program),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_warm_start_takes_fewer_steps),
        cmocka_unit_test(contradicting_rows_are_proved_so),
        cmocka_unit_test(an_objective_without_end_has_a_direction),
        cmocka_unit_test(a_point_far_away_is_found_or_left_open),
        cmocka_unit_test(a_forged_answer_is_rejected),
        cmocka_unit_test(limits_give_the_best_so_far),
        cmocka_unit_test(bad_data_are_named),
        cmocka_unit_test(an_interval_of_a_mean_is_that_of_student),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
