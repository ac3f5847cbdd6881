// test_convex.c: quadratic programs over cones by products alone: closed forms, optimality by other code, failure.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "convex/convex.h"
#include "support/failing_env.h"

typedef struct method {
    const char* name;
    sti_quadratic_method* run;
    bool cones;
} method;

static const method methods[] = {{"apgd", sti_quadratic_apgd, true},
                                 {"bb", sti_quadratic_bb, true},
                                 {"blmvm", sti_quadratic_blmvm, false},
                                 {"tron", sti_quadratic_tron, false}};
enum { METHODS = sizeof methods / sizeof methods[0], MOST = 60 };

// P = B'B, dense, with rank rows of B
typedef struct dense {
    int n, rank;
    double B[MOST * MOST];
    double kappa[MOST], rho[MOST], mu;
} dense;

static void multiply(void* user, const double* x, double* y) {
    const dense* d = user;
    memset(y, 0, (size_t)d->n * sizeof *y);
    for (int k = 0; k < d->rank; k++) {
        double t = 0;
        for (int i = 0; i < d->n; i++) t += d->B[k * d->n + i] * x[i];
        for (int i = 0; i < d->n; i++) y[i] += t * d->B[k * d->n + i];
    }
}

// blocks of three, normal first
static void project(void* user, double* x) {
    const dense* d = user;
    for (int k = 0; k < d->n; k += 3) {
        const double t = hypot(x[k + 1], x[k + 2]);
        if (t <= d->mu * x[k]) continue;
        const double p = fmax(0, (x[k] + d->mu * t) / (1 + d->mu * d->mu));
        x[k + 1] *= t > 0 ? d->mu * p / t : 0;
        x[k + 2] *= t > 0 ? d->mu * p / t : 0;
        x[k] = p;
    }
}

// With a solution: kappa = -P x0 + y0 for a complementary pair when exact, so P singular stays solvable.
static void make(dense* d, uint64_t seed, int n, int rank) {
    sti_rng rng = {seed};
    *d = (dense){.n = n, .rank = rank, .mu = 0.5};
    for (int i = 0; i < rank * n; i++) d->B[i] = 2 * sti_rng_u01(&rng) - 1;
    double x0[MOST] = {0}, y[MOST];
    for (int i = 0; i < n; i++) x0[i] = fmax(0, 2 * sti_rng_u01(&rng) - 1);
    multiply(d, x0, y);
    for (int i = 0; i < n; i++) {
        d->kappa[i] = -y[i] + (x0[i] > 0 ? 0 : sti_rng_u01(&rng));
        double diagonal = 0;
        for (int k = 0; k < rank; k++) diagonal += d->B[k * n + i] * d->B[k * n + i];
        d->rho[i] = 1 / diagonal;
    }
}

// The same with the cones: every other block is pressed, inside its cone, and the others have a y inside the dual one.
static void make_cones(dense* d, uint64_t seed, int n, int rank) {
    make(d, seed, n, rank);
    sti_rng rng = {seed};
    double x0[MOST] = {0}, y[MOST];
    for (int k = 0; k < n; k += 6) {
        x0[k] = 0.5 + sti_rng_u01(&rng);
        for (int i = 1; i < 3; i++) x0[k + i] = 0.5 * d->mu * x0[k] * (2 * sti_rng_u01(&rng) - 1);
    }
    multiply(d, x0, y);
    for (int i = 0; i < n; i++) d->kappa[i] = -y[i];
    for (int k = 3; k < n; k += 6) {
        for (int i = 1; i < 3; i++) d->kappa[k + i] += 2 * sti_rng_u01(&rng) - 1;
        d->kappa[k] += 1 + sti_rng_u01(&rng);  // mu times the length of the others is below 1
    }
}

static sti_quadratic pose(dense* d, bool cones) {
    if (cones) {  // one scale on each block
        for (int k = 0; k < d->n; k += 3) d->rho[k + 1] = d->rho[k + 2] = d->rho[k];
    }
    return (sti_quadratic){.n = d->n,
                           .multiply = multiply,
                           .project = cones ? project : NULL,
                           .user = d,
                           .kappa = d->kappa,
                           .rho = d->rho};
}

static const sti_quadratic_goal goal = {.tol = 1e-10, .max_iterations = 200000, .stop_at = INFINITY};

static void every_method_solves_programs_with_bounds_definite_or_not(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        dense d;
        make(&d, seed, 10 + (int)(seed * 7 % 40), seed % 3 == 0 ? 8 : 55);
        const sti_quadratic q = pose(&d, false);
        double value[METHODS];
        for (int m = 0; m < METHODS; m++) {
            double x[MOST] = {0}, g[MOST];
            sti_quadratic_report report;
            assert_int_equal(methods[m].run(env, &q, &goal, x, &report), STI_OK);
            if (!report.solved) print_message("%s, seed %d: %g\n", methods[m].name, (int)seed, report.residual);
            assert_true(report.solved);
            multiply(&d, x, g);
            for (int i = 0; i < d.n; i++) {  // 0 <= x _|_ P x + kappa >= 0
                g[i] += d.kappa[i];
                assert_true(x[i] >= 0 && g[i] > -1e-7 && fabs(x[i] * g[i]) < 1e-7);
            }
            value[m] = report.value;
            assert_true(fabs(value[m] - value[0]) <= 1e-9 * (1 + fabs(value[0])));
        }
    }
    sti_env_destroy(env);
}

static void gradient_methods_solve_programs_with_cones(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        dense d;
        make(&d, seed, 30, 40);
        const sti_quadratic q = pose(&d, true);
        double value[METHODS] = {0};
        for (int m = 0; m < METHODS; m++) {
            double x[MOST] = {0}, g[MOST];
            sti_quadratic_report report;
            if (!methods[m].cones) {
                assert_int_equal(methods[m].run(env, &q, &goal, x, &report), STI_ERR_ARGUMENT);
                continue;
            }
            assert_int_equal(methods[m].run(env, &q, &goal, x, &report), STI_OK);
            assert_true(report.solved);
            multiply(&d, x, g);
            for (int k = 0; k < d.n; k += 3) {  // x in K, g in K*, orthogonal
                for (int i = k; i < k + 3; i++) g[i] += d.kappa[i];
                assert_true(hypot(x[k + 1], x[k + 2]) <= d.mu * x[k] + 1e-9);
                assert_true(d.mu * hypot(g[k + 1], g[k + 2]) <= g[k] + 1e-6);
                assert_true(fabs(x[k] * g[k] + x[k + 1] * g[k + 1] + x[k + 2] * g[k + 2]) < 1e-6);
            }
            value[m] = report.value;
            assert_true(fabs(value[m] - value[0]) <= 1e-9 * (1 + fabs(value[0])));
        }
    }
    sti_env_destroy(env);
}

static void a_solution_is_recognized_and_a_limit_is_kept(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    dense d;
    make(&d, 5, 40, 45);
    const sti_quadratic q = pose(&d, false);
    for (int m = 0; m < METHODS; m++) {
        double x[MOST] = {0};
        sti_quadratic_report report;
        const sti_quadratic_goal few = {.tol = 1e-10, .max_iterations = 3, .stop_at = INFINITY};
        assert_int_equal(methods[m].run(env, &q, &few, x, &report), STI_OK);
        assert_true(!report.solved && report.residual > 1e-10);
        assert_int_equal(methods[m].run(env, &q, &goal, x, &report), STI_OK);
        assert_true(report.solved);
        assert_int_equal(methods[m].run(env, &q, &(sti_quadratic_goal){1e-9, 100, INFINITY}, x, &report), STI_OK);
        assert_true(report.solved && report.iterations <= 1);
    }
    sti_env_destroy(env);
}

// The residual is relative to the point, so the point with the smallest map need not be the best: a method that stops
// at its tolerance has to return the point it stopped at.
static void a_method_that_stops_early_is_within_its_tolerance(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    static dense d;
    for (int m = 0; m < METHODS; m++) {
        for (uint64_t seed = 1; seed <= 3000; seed++) {
            const int n = 3 + 3 * (int)(seed % 15);
            const bool cones = methods[m].cones && seed % 2 == 0;
            (cones ? make_cones : make)(&d, seed, n, n > 6 ? n - 4 : n);
            const sti_quadratic q = pose(&d, cones);
            const sti_quadratic_goal loose = {
                .tol = pow(10, -(double)(seed % 7)), .max_iterations = 100000, .stop_at = INFINITY};
            double x[MOST];
            sti_rng rng = {seed};
            for (int i = 0; i < n; i++) x[i] = 0.1 * sti_rng_u01(&rng);
            sti_quadratic_report report;
            assert_int_equal(methods[m].run(env, &q, &loose, x, &report), STI_OK);
            assert_true(report.iterations < loose.max_iterations);
            assert_true(report.solved && report.residual <= loose.tol);
        }
    }
    sti_env_destroy(env);
}

static void multiply_by_zero(void* user, const double* x, double* y) {
    (void)x;
    memset(y, 0, *(const size_t*)user * sizeof *y);
}

// Without curvature a direction leads to the bounds that end it, or to no minimum at all. Either way tron ends.
static void tron_follows_flat_directions_to_their_bounds(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    size_t n = 4;
    const double rho[] = {1, 2, 0.5, 1}, down[] = {1, 0, 3, 1e-3}, up[] = {1, 0, -1e-3, 2};
    sti_quadratic q = {.n = (int)n, .multiply = multiply_by_zero, .user = &n, .kappa = down, .rho = rho};
    sti_quadratic_report report;
    double x[] = {1, 2, 3, 1e6};
    assert_int_equal(sti_quadratic_tron(env, &q, &goal, x, &report), STI_OK);
    assert_true(report.solved && x[0] == 0 && x[1] == 2 && x[2] == 0 && x[3] == 0);
    q.kappa = up;
    assert_int_equal(sti_quadratic_tron(env, &q, &goal, x, &report), STI_OK);
    assert_true(!report.solved && report.products < 100);
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    dense d;
    make(&d, 9, 20, 25);
    const sti_quadratic q = pose(&d, false);
    for (int m = 0; m < METHODS; m++) {
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            double x[MOST] = {0};
            sti_quadratic_report report;
            const sti_status status = methods[m].run(f.env, &q, &goal, x, &report);
            const bool done = failing_env_close(&f);
            assert_int_equal(status, done ? STI_OK : STI_ERR_MEMORY);
            if (done) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_solves_programs_with_bounds_definite_or_not),
        cmocka_unit_test(gradient_methods_solve_programs_with_cones),
        cmocka_unit_test(a_solution_is_recognized_and_a_limit_is_kept),
        cmocka_unit_test(a_method_that_stops_early_is_within_its_tolerance),
        cmocka_unit_test(tron_follows_flat_directions_to_their_bounds),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
