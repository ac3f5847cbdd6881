// test_l1.c: least sums of absolute values against closed forms, exhaustive search and the independent check.
#include <math.h>
#include <stiction/l1.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/late_env.h"
#include "support/open_env.h"
#include "support/random.h"

static void assert_verified(sti_env* env, const sti_l1* p, const sti_l1_answer* a, double tol) {
    sti_l1_verification check;
    assert_int_equal(sti_verify_l1(env, p, a, tol, &check), STI_OK);
    if (!check.accepted) fail_msg("%s", check.text);
    assert_true(fabs(check.objective - a->objective) <= 1e-12 * (1 + a->objective));
}

static void the_median_is_the_least_sum_of_distances(void** state) {
    double A[] = {1, 1, 1, 1, 1}, b[] = {-3, -10, 4, -1, -100};
    const sti_l1 p = {.m = 5, .n = 1, .A = sti_matrix_dense_view(5, 1, A), .b = b};
    sti_l1_answer a;
    assert_int_equal(sti_l1_solve(*state, &p, NULL, &a), STI_OK);
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_true(fabs(a.x[0] - 3) < 1e-5);
    assert_true(fabs(a.objective - 113) < 1e-5);  // 0 + 7 + 7 + 2 + 97
    assert_verified(*state, &p, &a, 1e-8);
    sti_l1_answer_clear(*state, &a);
}

// Some n rows vanish at a vertex, and a vertex is among the solutions: look at all pairs.
static double least_of_vertices(const double* A, const double* b, int m) {
    double least = INFINITY;
    for (int i = 0; i < m; i++) {
        for (int k = i + 1; k < m; k++) {
            const double det = A[2 * i] * A[2 * k + 1] - A[2 * i + 1] * A[2 * k];
            if (fabs(det) < 1e-9) continue;
            const double x = (-b[i] * A[2 * k + 1] + b[k] * A[2 * i + 1]) / det;
            const double y = (-b[k] * A[2 * i] + b[i] * A[2 * k]) / det;
            double sum = 0;
            for (int r = 0; r < m; r++) sum += fabs(A[2 * r] * x + A[2 * r + 1] * y + b[r]);
            least = fmin(least, sum);
        }
    }
    return least;
}

static void two_unknowns_agree_with_a_search_of_all_vertices(void** state) {
    sti_rng rng = {17};
    for (int trial = 0; trial < 200; trial++) {
        enum { M = 12 };
        double A[2 * M], b[M];
        for (int k = 0; k < 2 * M; k++) A[k] = symmetric(&rng);
        for (int k = 0; k < M; k++) b[k] = symmetric(&rng) * (trial % 3 == 0 ? 1e6 : 1);
        const sti_l1 p = {.m = M, .n = 2, .A = sti_matrix_dense_view(M, 2, A), .b = b};
        sti_l1_answer a;
        assert_int_equal(sti_l1_solve(*state, &p, NULL, &a), STI_OK);
        assert_int_equal(a.outcome, STI_SOLVED);
        const double least = least_of_vertices(A, b, M);
        assert_true(fabs(a.objective - least) <= 2e-8 * least);
        assert_verified(*state, &p, &a, 1e-8);
        sti_l1_answer_clear(*state, &a);
    }
}

static void equations_that_can_be_met_are_met(void** state) {
    double A[] = {2, 1, 1, 3, 1, 1}, b[] = {-4, -7, -3};  // x = (1, 2)
    const sti_l1 p = {.m = 3, .n = 2, .A = sti_matrix_dense_view(3, 2, A), .b = b};
    sti_l1_answer a;
    assert_int_equal(sti_l1_solve(*state, &p, NULL, &a), STI_OK);
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_true(a.objective <= 1e-13);
    assert_verified(*state, &p, &a, 1e-8);
    assert_true(fabs(a.x[0] - 1) < 1e-9 && fabs(a.x[1] - 2) < 1e-9);
    sti_l1_answer_clear(*state, &a);
}

// As many unknowns as rows, and one more.
static void equations_of_very_different_size_are_met(void** state) {
    enum { M = 9, MOST = M * (M + 1) };
    sti_rng rng = {23};
    for (int trial = 0; trial < 100; trial++) {
        double A[MOST], b[M];
        const int n = M + trial % 2;
        for (int i = 0; i < M; i++) {
            const double size = pow(10, 3 * symmetric(&rng));
            for (int j = 0; j < n; j++) A[i * n + j] = size * symmetric(&rng);
            b[i] = symmetric(&rng);
        }
        const sti_l1 p = {.m = M, .n = n, .A = sti_matrix_dense_view(M, n, A), .b = b};
        sti_l1_answer a;
        assert_int_equal(sti_l1_solve(*state, &p, NULL, &a), STI_OK);
        if (a.outcome != STI_SOLVED) fail_msg("trial %d: %s", trial, a.reason);
        sti_l1_verification check;
        assert_int_equal(sti_verify_l1(*state, &p, &a, 1e-8, &check), STI_OK);
        if (!check.accepted) fail_msg("trial %d: %s", trial, check.text);
        sti_l1_answer_clear(*state, &a);
    }
}

// One row of 1e16, two of 1 that contradict each other: what they leave is no rounding of the large one.
static void small_rows_beside_large_ones_are_not_taken_as_met(void** state) {
    for (int k = 12; k <= 16; k++) {
        double A[3] = {pow(10, k), 1, 1}, b[3] = {-A[0], -1, -3};
        const sti_l1 p = {.m = 3, .n = 1, .A = sti_matrix_dense_view(3, 1, A), .b = b};
        sti_l1_answer a;
        sti_l1_verification check;
        assert_int_equal(sti_l1_solve(*state, &p, NULL, &a), STI_OK);
        assert_int_equal(a.outcome, STI_SOLVED);
        assert_true(fabs(a.objective - 2) < 1e-6);
        assert_verified(*state, &p, &a, 1e-8);
        a.x[0] = 1 - pow(10, 1 - k);  // leaves 10 of the large row
        assert_int_equal(sti_verify_l1(*state, &p, &a, 1e-8, &check), STI_OK);
        assert_false(check.accepted);
        sti_l1_answer_clear(*state, &a);
    }
}

// A column of zeros, and two columns that are the same.
static void columns_that_determine_nothing_do_no_harm(void** state) {
    double A[] = {1, 0, 1, 1, 0, 1, 1, 0, 1, 2, 0, 2}, b[] = {-1, -2, -6, 0};
    const sti_l1 p = {.m = 4, .n = 3, .A = sti_matrix_dense_view(4, 3, A), .b = b};
    sti_l1_answer a;
    assert_int_equal(sti_l1_solve(*state, &p, NULL, &a), STI_OK);
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_true(fabs(a.objective - 8) < 1e-6);  // at x + z = 1: 0 + 1 + 5 + 2
    assert_verified(*state, &p, &a, 1e-8);
    sti_l1_answer_clear(*state, &a);
}

static void rows_may_be_permuted_and_units_changed(void** state) {
    enum { M = 40, N = 6 };
    sti_rng rng = {5};
    double A[M * N], b[M], B[M * N], c[M];
    for (int k = 0; k < M * N; k++) A[k] = symmetric(&rng);
    for (int k = 0; k < M; k++) b[k] = symmetric(&rng);
    for (int i = 0; i < M; i++) {
        const int from = (7 * i + 3) % M;
        for (int j = 0; j < N; j++) B[i * N + j] = 1e-4 * A[from * N + j];
        c[i] = 1e3 * b[from];
    }
    const sti_l1 p = {.m = M, .n = N, .A = sti_matrix_dense_view(M, N, A), .b = b};
    const sti_l1 q = {.m = M, .n = N, .A = sti_matrix_dense_view(M, N, B), .b = c};
    sti_l1_answer one, other;
    assert_int_equal(sti_l1_solve(*state, &p, NULL, &one), STI_OK);
    assert_int_equal(sti_l1_solve(*state, &q, NULL, &other), STI_OK);
    assert_true(fabs(1e3 * one.objective - other.objective) <= 3e-8 * other.objective);
    sti_l1_answer_clear(*state, &one);
    sti_l1_answer_clear(*state, &other);
}

static void a_forged_answer_is_rejected(void** state) {
    double A[] = {1, 1, 1}, b[] = {-1, -2, -4};
    const sti_l1 p = {.m = 3, .n = 1, .A = sti_matrix_dense_view(3, 1, A), .b = b};
    double x = 2, y[3] = {1, 0, -1};
    sti_l1_answer a = {.outcome = STI_SOLVED, .m = 3, .n = 1, .x = &x, .y = y};
    sti_l1_verification check;
    assert_int_equal(sti_verify_l1(*state, &p, &a, 1e-8, &check), STI_OK);
    assert_true(check.accepted);
    x = 2.5;
    assert_int_equal(sti_verify_l1(*state, &p, &a, 1e-8, &check), STI_OK);
    assert_false(check.accepted);
    x = 2;
    y[0] = 1.5, y[1] = -0.5;
    assert_int_equal(sti_verify_l1(*state, &p, &a, 1e-8, &check), STI_OK);
    assert_false(check.accepted);
    y[0] = 1, y[1] = 0.5;
    assert_int_equal(sti_verify_l1(*state, &p, &a, 1e-8, &check), STI_OK);
    assert_false(check.accepted);
}

enum { SAMPLE_M = 60, SAMPLE_N = 8 };

static sti_l1 sample(double* A, double* b) {
    sti_rng rng = {23};
    for (int k = 0; k < SAMPLE_M * SAMPLE_N; k++) A[k] = symmetric(&rng);
    for (int k = 0; k < SAMPLE_M; k++) b[k] = symmetric(&rng);
    return (sti_l1){.m = SAMPLE_M, .n = SAMPLE_N, .A = sti_matrix_dense_view(SAMPLE_M, SAMPLE_N, A), .b = b};
}

// Cut short anywhere: the bound holds, the objective is above it, and nothing is claimed.
static void what_is_found_within_a_limit_has_a_bound(void** state) {
    double A[SAMPLE_M * SAMPLE_N], b[SAMPLE_M];
    const sti_l1 p = sample(A, b);
    sti_l1_answer best, a;
    assert_int_equal(sti_l1_solve(*state, &p, NULL, &best), STI_OK);
    assert_true(best.iterations > 3);
    double last = -1;
    for (long limit = 1; limit < best.iterations; limit++) {
        sti_l1_options o = sti_l1_options_default();
        o.max_iterations = limit;
        assert_int_equal(sti_l1_solve(*state, &p, &o, &a), STI_OK);
        assert_int_equal(a.outcome, STI_LIMIT);
        assert_true(a.bound <= best.objective && a.objective >= best.bound);
        assert_true(a.bound > 0 && a.residual < 1e-10);
        last = a.bound;
        sti_l1_answer_clear(*state, &a);
    }
    assert_true(last > 0.9 * best.objective);
    sti_l1_answer_clear(*state, &best);
}

static void a_time_limit_gives_the_best_so_far(void** state) {
    (void)state;
    double A[SAMPLE_M * SAMPLE_N], b[SAMPLE_M];
    const sti_l1 p = sample(A, b);
    int cut = 0;
    for (long k = 1;; k++) {
        late_env l;
        late_env_open(&l, k);
        sti_l1_answer a;
        assert_int_equal(sti_l1_solve(l.memory.env, &p, NULL, &a), STI_OK);
        if (a.outcome == STI_LIMIT) {
            cut++;
            assert_non_null(strstr(a.reason, "time limit"));
        }
        sti_l1_answer_clear(l.memory.env, &a);
        if (late_env_close(&l)) break;
    }
    assert_true(cut > 2);
}

// ---- one Newton step, row by row of (2.5.8)

static void fill(sti_rng* rng, double* x, int count, double low, double high) {
    for (int i = 0; i < count; i++) x[i] = between(rng, low, high);
}

static void a_newton_step_satisfies_all_rows_of_its_system(void** state) {
    enum { M = SAMPLE_M, N = SAMPLE_N };
    double A[M * N], b[M], v[2 * M], s[2 * M], rx[N], rv[2 * M], rl[M], rs[2 * M];
    const sti_l1 p = sample(A, b);
    sti_rng rng = {904};
    fill(&rng, v, 2 * M, 0.1, 3), fill(&rng, s, 2 * M, 0.1, 3), fill(&rng, rx, N, -1, 1);
    fill(&rng, rv, 2 * M, -1, 1), fill(&rng, rl, M, -1, 1), fill(&rng, rs, 2 * M, -1, 1);
    const sti_l1_step_system w = {.v = v, .s = s, .r_x = rx, .r_v = rv, .r_lambda = rl, .r_s = rs};
    sti_l1_step d, e;
    assert_int_equal(sti_l1_newton_step(*state, &p, &w, &d), STI_OK);
    for (int j = 0; j < N; j++) {
        double sum = rx[j];
        for (int i = 0; i < M; i++) sum += A[i * N + j] * d.dlambda[i];
        assert_true(fabs(sum) < 1e-12);
    }
    for (int i = 0; i < M; i++) {
        double sum = rl[i] - d.dv[i] + d.dv[M + i];
        for (int j = 0; j < N; j++) sum += A[i * N + j] * d.dx[j];
        assert_true(fabs(sum) < 1e-12);
        assert_true(fabs(-d.dlambda[i] + d.ds[i] + rv[i]) < 1e-12);
        assert_true(fabs(d.dlambda[i] + d.ds[M + i] + rv[M + i]) < 1e-12);
        assert_true(fabs(d.D[i] - v[i] / s[i] - v[M + i] / s[M + i]) < 1e-13 * d.D[i]);
    }
    for (int k = 0; k < 2 * M; k++) assert_true(fabs(s[k] * d.dv[k] + v[k] * d.ds[k] + rs[k]) < 1e-12);
    const sti_l1_step_system given = {.D = d.D, .rhs = d.rhs};
    assert_int_equal(sti_l1_newton_step(*state, &p, &given, &e), STI_OK);
    for (int j = 0; j < N; j++) assert_true(fabs(e.dx[j] - d.dx[j]) < 1e-13);
    assert_null(e.dv);
    v[3] = 0;
    sti_l1_step_clear(*state, &e);
    assert_int_equal(sti_l1_newton_step(*state, &p, &w, &e), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(*state)->text, "v[3]: 0"));
    sti_l1_step_clear(*state, &d);
}

static void a_step_that_does_not_exist_is_refused(void** state) {
    double A[] = {1, 1, 2, 2, 3, 3}, b[] = {0, 0, 0}, D[] = {1, 1, 1}, rhs[] = {1, -1};
    const sti_l1 p = {.m = 3, .n = 2, .A = sti_matrix_dense_view(3, 2, A), .b = b};
    const sti_l1_step_system w = {.D = D, .rhs = rhs};
    sti_l1_step step;
    assert_int_equal(sti_l1_newton_step(*state, &p, &w, &step), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(*state)->text, "rank"));
}

static void bad_data_are_named(void** state) {
    double A[] = {1, NAN}, b[] = {0, 1};
    sti_l1 p = {.m = 2, .n = 1, .A = sti_matrix_dense_view(2, 1, A), .b = b};
    sti_l1_answer a;
    assert_int_equal(sti_l1_solve(*state, &p, NULL, &a), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(*state)->text, "A"));
    A[1] = 1;
    b[1] = INFINITY;
    assert_int_equal(sti_l1_solve(*state, &p, NULL, &a), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(*state)->text, "b"));
}

// The sum of what is left is beyond all numbers: then nothing is known of the least one.
static void sums_that_overflow_are_not_claimed_to_be_met(void** state) {
    double A[] = {1, 1, 1, 1}, b[] = {1e308, -1e308};
    const sti_l1 p = {.m = 2, .n = 2, .A = sti_matrix_dense_view(2, 2, A), .b = b};
    sti_l1_answer a;
    for (int norm = STI_L1_SUM; norm <= STI_L1_LARGEST; norm++) {
        sti_l1_options o = sti_l1_options_default();
        o.norm = (sti_l1_norm)norm;
        assert_int_equal(sti_l1_solve(*state, &p, &o, &a), STI_OK);
        assert_true(a.outcome != STI_SOLVED || a.bound >= 1e307);
        assert_true(isfinite(a.gap) && isfinite(a.bound));
        sti_l1_answer_clear(*state, &a);
    }
}

// The third column has one row, which is met: its y is 0 up to rounding, and A'y there all rounding of that.
static void a_column_whose_dual_values_vanish_is_no_obstacle(void** state) {
    double A[] = {1, 1, 0, 1, -1, 0, 1, 2, 0, 1, 0.5, 0, 0.3, 0.7, 2}, b[] = {1, 2, -4, 0.5, 3};
    for (int k = 0; k < 2; k++) {
        const sti_l1 p = {.m = 5, .n = 3, .A = sti_matrix_dense_view(5, 3, A), .b = b};
        sti_l1_options o = sti_l1_options_default();
        sti_l1_answer a;
        o.norm = k == 0 ? STI_L1_SUM : STI_L1_LARGEST;
        assert_int_equal(sti_l1_solve(*state, &p, &o, &a), STI_OK);
        assert_int_equal(a.outcome, STI_SOLVED);
        assert_true(a.residual <= 1e-12);
        assert_verified(*state, &p, &a, 1e-8);
        sti_l1_answer_clear(*state, &a);
    }
}

// Derivatives on a grid against data with a step and noise: unknowns that all hang together.
enum { GRID = 24, PIXELS = GRID * GRID };

typedef struct denoising {
    int64_t col_start[PIXELS + 1];
    int row[9 * PIXELS];
    double value[9 * PIXELS], b[3 * PIXELS];
    sti_l1 problem;
} denoising;

// Pixel j in the rows of its neighbours along one direction: `at` of GRID, `stride` apart, rows from `first` on.
static int64_t put_neighbours(denoising* d, int64_t end, int j, int at, int stride, int first) {
    static const double value[] = {-0.05, 0.4, 0, -0.4, 0.05};
    for (int k = -2; k <= 2; k++) {
        if (k == 0 || at + k < 0 || at + k >= GRID) continue;
        d->row[end] = first + j + k * stride;
        d->value[end++] = value[k + 2];
    }
    return end;
}

static void make_denoising(denoising* d) {
    int64_t end = 0;
    sti_rng rng = {5};
    memset(d->b, 0, sizeof d->b);
    for (int j = 0; j < PIXELS; j++) {
        const int x = j % GRID, y = j / GRID;
        d->col_start[j] = end;
        d->b[j] = -(x + y > GRID ? 1 : 0) + 0.2 * symmetric(&rng);
        d->row[end] = j;
        d->value[end++] = 1;
        end = put_neighbours(d, end, j, x, 1, PIXELS);
        end = put_neighbours(d, end, j, y, GRID, 2 * PIXELS);
    }
    d->col_start[PIXELS] = end;
    d->problem = (sti_l1){.m = 3 * PIXELS, .n = PIXELS, .b = d->b};
    d->problem.A =
        (sti_matrix){.rows = 3 * PIXELS, .cols = PIXELS, .col_start = d->col_start, .row = d->row, .value = d->value};
}

static void without_memory_for_factors_the_same_is_found(void** state) {
    static denoising d;
    make_denoising(&d);
    sti_l1_options o = sti_l1_options_default();
    sti_l1_answer whole, part;
    for (int norm = STI_L1_SUM; norm <= STI_L1_LARGEST; norm++) {
        o.norm = (sti_l1_norm)norm;
        o.tol = norm == STI_L1_SUM ? 1e-8 : 1e-5;
        o.memory_mb = 0;
        assert_int_equal(sti_l1_solve(*state, &d.problem, &o, &whole), STI_OK);
        o.memory_mb = 0.2;
        assert_int_equal(sti_l1_solve(*state, &d.problem, &o, &part), STI_OK);
        assert_int_equal(whole.outcome, STI_SOLVED);
        assert_true(whole.cg_count == 0 && part.cg_count > 100);
        if (part.outcome != STI_SOLVED) fail_msg("%s, gap %g", part.reason, part.gap);
        assert_true(fabs(part.objective - whole.objective) <= 2 * o.tol * whole.objective);
        assert_verified(*state, &d.problem, &part, o.tol);
        sti_l1_answer_clear(*state, &whole);
        sti_l1_answer_clear(*state, &part);
    }
    o.memory_mb = 0.01;
    assert_int_equal(sti_l1_solve(*state, &d.problem, &o, &part), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(*state)->text, "memory: 0.01 MB"));
    o.memory_mb = -1;
    assert_int_equal(sti_l1_solve(*state, &d.problem, &o, &part), STI_ERR_ARGUMENT);
}

static void conjugate_gradients_keep_to_the_time(void** state) {
    static denoising d;
    (void)state;
    make_denoising(&d);
    for (long k = 1;; k *= 2) {
        late_env l;
        late_env_open(&l, k);
        sti_l1_options o = sti_l1_options_default();
        sti_l1_answer a;
        o.memory_mb = 0.2;
        assert_int_equal(sti_l1_solve(l.memory.env, &d.problem, &o, &a), STI_OK);
        assert_true(a.outcome == STI_SOLVED || strstr(a.reason, "time limit") != NULL);
        assert_true(a.bound <= a.objective);
        sti_l1_answer_clear(l.memory.env, &a);
        if (late_env_close(&l)) break;
    }
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    double A[] = {1, 2, 3, 1, 5, 1}, b[] = {-1, -2, -4};
    const sti_l1 p = {.m = 3, .n = 2, .A = sti_matrix_dense_view(3, 2, A), .b = b};
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_l1_answer a;
        sti_l1_options o = sti_l1_options_default();
        sti_status status = sti_l1_solve(f.env, &p, &o, &a);
        if (status == STI_OK) {
            sti_l1_verification check;
            status = sti_verify_l1(f.env, &p, &a, 1e-8, &check);
            sti_l1_answer_clear(f.env, &a);
        }
        o.max_iterations = 1;  // then an x is sought that meets all rows
        if (status == STI_OK) status = sti_l1_solve(f.env, &p, &o, &a);
        if (status == STI_OK) sti_l1_answer_clear(f.env, &a);
        double D[] = {1, 1, 1}, rhs[] = {1, 1};
        const sti_l1_step_system w = {.D = D, .rhs = rhs};
        sti_l1_step step = {0};
        if (status == STI_OK) status = sti_l1_newton_step(f.env, &p, &w, &step);
        sti_l1_step_clear(f.env, &step);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_is_the_least_sum_of_distances),
        cmocka_unit_test(two_unknowns_agree_with_a_search_of_all_vertices),
        cmocka_unit_test(equations_that_can_be_met_are_met),
        cmocka_unit_test(equations_of_very_different_size_are_met),
        cmocka_unit_test(small_rows_beside_large_ones_are_not_taken_as_met),
        cmocka_unit_test(columns_that_determine_nothing_do_no_harm),
        cmocka_unit_test(rows_may_be_permuted_and_units_changed),
        cmocka_unit_test(a_forged_answer_is_rejected),
        cmocka_unit_test(what_is_found_within_a_limit_has_a_bound),
        cmocka_unit_test(a_time_limit_gives_the_best_so_far),
        cmocka_unit_test(a_newton_step_satisfies_all_rows_of_its_system),
        cmocka_unit_test(a_step_that_does_not_exist_is_refused),
        cmocka_unit_test(bad_data_are_named),
        cmocka_unit_test(sums_that_overflow_are_not_claimed_to_be_met),
        cmocka_unit_test(a_column_whose_dual_values_vanish_is_no_obstacle),
        cmocka_unit_test(without_memory_for_factors_the_same_is_found),
        cmocka_unit_test(conjugate_gradients_keep_to_the_time),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
