// test_degenerate.c: stochastic programs as they come: variables free, fixed and bounded, rows of all kinds, some of
// them in fixed variables alone or depending on each other, costs of low rank. All are feasible, by the point that they
// are made from.
#include <math.h>
#include <stiction/stochastic.h>
#include <string.h>

#include "base/rng.h"
#include "support/open_env.h"
#include "support/random.h"

enum { MOST = 4, SCENARIOS = 5, BLOCK = MOST * MOST };

typedef struct stage {
    int m, q;
    double u[MOST], c[MOST], lb[MOST], ub[MOST], low[MOST], high[MOST];
    double Q[BLOCK], A[BLOCK], W0[BLOCK], T[BLOCK];
} stage;

typedef struct ragged {
    stage block[SCENARIOS + 1];
    sti_scenario scenarios[SCENARIOS];
    sti_stochastic program;
} ragged;

static int pick(sti_rng* rng, int count) {
    return (int)(sti_rng_u01(rng) * count);
}

static void fill_matrix(sti_rng* rng, double* A, int rows, int cols, double density, double scale) {
    for (int i = 0; i < rows; i++) {
        const double f = pow(10, scale * symmetric(rng));
        for (int j = 0; j < cols; j++) A[i * cols + j] = sti_rng_u01(rng) < density ? f * symmetric(rng) : 0;
    }
}

static void fill_costs(sti_rng* rng, stage* s, double scale) {
    double R[BLOCK];
    const int rank = pick(rng, s->m + 1);
    fill_matrix(rng, R, s->m, rank, 1, scale);
    memset(s->Q, 0, sizeof s->Q);
    for (int i = 0; i < s->m; i++) {
        for (int j = 0; j < s->m; j++) {
            for (int k = 0; k < rank; k++) s->Q[i * s->m + j] += R[i * rank + k] * R[j * rank + k];
        }
    }
}

// Sides about a value: none, one, both, or the value itself.
static void surround(sti_rng* rng, double value, double* low, double* high) {
    static const double away[] = {INFINITY, 1, 0};
    *low = value - away[pick(rng, 3)];
    *high = value + away[pick(rng, 3)];
}

static void make_stage(sti_rng* rng, stage* s, bool linear, double scale) {
    s->m = 1 + pick(rng, MOST);
    s->q = pick(rng, MOST);
    for (int j = 0; j < s->m; j++) {
        s->u[j] = 2 * symmetric(rng);
        s->c[j] = symmetric(rng);
        surround(rng, s->u[j], &s->lb[j], &s->ub[j]);
    }
    memset(s->Q, 0, sizeof s->Q);
    if (!linear) fill_costs(rng, s, scale);
}

static double row_value(const double* A, int row, int cols, const double* u) {
    double sum = 0;
    for (int j = 0; j < cols; j++) sum += A[row * cols + j] * u[j];
    return sum;
}

static void make(sti_rng* rng, bool linear, double scale, ragged* r) {
    const double density = pick(rng, 2) == 0 ? 0.4 : 1;
    stage* first = &r->block[0];
    double mean[MOST];
    make_stage(rng, first, linear, scale);
    fill_matrix(rng, first->A, first->q, first->m, density, scale);
    for (int k = 0; k < first->q; k++) mean[k] = row_value(first->A, k, first->m, first->u);
    for (int i = 1; i <= SCENARIOS; i++) {
        stage* s = &r->block[i];
        make_stage(rng, s, linear, scale);
        fill_matrix(rng, s->A, s->q, s->m, density, scale);
        fill_matrix(rng, s->W0, s->q, first->m, density, scale);
        fill_matrix(rng, s->T, first->q, s->m, density, scale);
        for (int k = 0; k < s->q; k++)
            surround(rng, row_value(s->W0, k, first->m, first->u) + row_value(s->A, k, s->m, s->u), &s->low[k],
                     &s->high[k]);
        for (int k = 0; k < first->q; k++) mean[k] += row_value(s->T, k, s->m, s->u) / SCENARIOS;
        r->scenarios[i - 1] = (sti_scenario){.probability = 1.0 / SCENARIOS,
                                             .m = s->m,
                                             .q = s->q,
                                             .Q = sti_matrix_dense_view(s->m, s->m, s->Q),
                                             .T = sti_matrix_dense_view(first->q, s->m, s->T),
                                             .W = sti_matrix_dense_view(s->q, s->m, s->A),
                                             .W0 = sti_matrix_dense_view(s->q, first->m, s->W0),
                                             .c = s->c,
                                             .dl = s->low,
                                             .du = s->high,
                                             .lb = s->lb,
                                             .ub = s->ub};
    }
    for (int k = 0; k < first->q; k++) surround(rng, mean[k], &first->low[k], &first->high[k]);
    r->program = (sti_stochastic){.n = first->m,
                                  .p = first->q,
                                  .Q0 = sti_matrix_dense_view(first->m, first->m, first->Q),
                                  .T0 = sti_matrix_dense_view(first->q, first->m, first->A),
                                  .c0 = first->c,
                                  .bl = first->low,
                                  .bu = first->high,
                                  .lb = first->lb,
                                  .ub = first->ub,
                                  .scenario_count = SCENARIOS,
                                  .scenarios = r->scenarios};
}

// How many of so many programs have an answer; every answer is accepted, and none says that there is no point.
static int count_answers(sti_env* env, uint64_t seed, int count, bool linear, double scale) {
    sti_rng rng = {seed};
    int answered = 0;
    for (int k = 0; k < count; k++) {
        static ragged r;
        sti_stochastic_answer a;
        sti_stochastic_verification v;
        make(&rng, linear, scale, &r);
        if (sti_stochastic_solve(env, &r.program, NULL, &a) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
        if (a.outcome != STI_CONIC_LIMIT) {
            assert_int_equal(sti_verify_stochastic(env, &r.program, &a, 1e-7, &v), STI_OK);
            if (!v.accepted) fail_msg("program %d, %s: %s", k, sti_conic_outcome_text(a.outcome), v.text);
            assert_int_not_equal(a.outcome, STI_CONIC_INFEASIBLE);
            answered++;
        } else {
            print_message("program %d: %s\n", k, a.reason);
        }
        sti_stochastic_answer_clear(env, &a);
    }
    return answered;
}

static void linear_programs_without_an_interior_have_answers(void** state) {
    assert_int_equal(count_answers(*state, 5, 200, true, 0), 200);
}

static void costs_of_low_rank_have_answers(void** state) {
    assert_int_equal(count_answers(*state, 6, 200, false, 0), 200);
}

static void rows_of_any_size_have_answers(void** state) {
    assert_true(count_answers(*state, 7, 200, true, 3) >= 190);  // 195; entries from 1e-3 to 1e3
    assert_int_equal(count_answers(*state, 8, 200, false, 1), 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_programs_without_an_interior_have_answers),
        cmocka_unit_test(costs_of_low_rank_have_answers),
        cmocka_unit_test(rows_of_any_size_have_answers),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
