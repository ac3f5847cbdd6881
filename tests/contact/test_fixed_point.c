// The outer loop over slips, with a convex solver of our own: one that is exact, one that is lazy, one that fails.
#include "contact/fixed_point.h"
#include "support/contact_pile.h"
#include "support/open_env.h"

enum { LIMIT = 100000 };

// Projected gradients with a fixed step, as plain as can be: r <- P_K(r - a rho (W r + q + mu s n)).
typedef struct plain {
    const sti_contact_local* p;
    double step;
    long calls;
    double last_tol;
    sti_status fail_with;  // STI_OK: works
    bool lazy;             // gives up after one step
} plain;

static sti_status plain_solve(void* user, const double* s, double tol, long budget, double* r, double* u, long* spent) {
    plain* k = user;
    const sti_contact_local* p = k->p;
    k->calls++;
    k->last_tol = tol;
    if (k->fail_with != STI_OK) return STI_FAIL(p->env, k->fail_with, -1, "told to fail");
    sti_contact_local_apply(p, r, u);
    for (*spent = 0; *spent < (k->lazy ? 1 : budget); ++*spent) {
        if (sti_contact_convex_map(p, s, r, u) <= tol) break;
        for (int c = 0; c < p->nc; c++) {
            double* x = r + p->d * c;
            const double a = k->step * p->rho[c];
            for (int i = 0; i < p->d; i++) x[i] -= a * (u[p->d * c + i] + (i == 0 ? p->mu[c] * s[c] : 0));
            sti_coulomb_project(p->d, p->mu[c], x, x);
        }
        sti_contact_local_apply(p, r, u);
    }
    return STI_OK;
}

typedef struct trial {
    double *r, *u;
    sti_contact_run run;
    sti_contact_watch watch;
    plain solver;
} trial;

static sti_status solve(trial* t, const sti_contact_local* p, const sti_contact_options* options) {
    const size_t n = (size_t)(p->d * p->nc);
    t->r = calloc(n + 1, sizeof(double));
    t->u = calloc(n + 1, sizeof(double));
    t->run = (sti_contact_run){.r = t->r, .u = t->u};
    t->solver.p = p;
    if (t->solver.step == 0) t->solver.step = 0.2;
    const sti_contact_convex convex = {.user = &t->solver, .solve = plain_solve};
    sti_contact_watch_start(&t->watch, "outer", p, options, &t->run, 1, LIMIT);
    return sti_contact_fixed_point(&t->watch, &convex);
}

static void drop(trial* t) {
    free(t->r);
    free(t->u);
}

static const sti_contact_options eight_digits = {.tol = 1e-8, .relaxation = 1, .max_iterations = LIMIT};

// With s = |u_t| the map of the convex problem is that of Coulomb's problem, wherever nothing penetrates.
static void the_convex_map_is_the_true_one_at_the_right_slips(void** state) {
    (void)state;
    sti_env* env = open_env();
    pile p;
    pile_spheres(env, 3, 2, 2, 2, 0.5, &p);
    const int n = 3 * p.contact_count;
    double *r = malloc((size_t)n * sizeof *r), *u = malloc((size_t)n * sizeof *u);
    double* s = malloc((size_t)p.contact_count * sizeof *s);
    sti_rng rng = {.state = 4};
    for (int i = 0; i < n; i++) r[i] = sti_rng_u01(&rng), u[i] = sti_rng_u01(&rng);
    for (int c = 0; c < p.contact_count; c++) s[c] = hypot(u[3 * c + 1], u[3 * c + 2]);
    const double map = sti_contact_convex_map(&p.local, s, r, u);
    assert_true(fabs(map - sti_contact_natural_map(&p.local, r, u, NULL)) <= 1e-14 * map);
    free(r);
    free(u);
    free(s);
    pile_free(&p);
    sti_env_destroy(env);
}

static void piles_are_solved_through_convex_problems(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double mus[] = {0, 0.1, 0.5, 1};
    for (int k = 0; k < 8; k++) {
        pile p;
        pile_spheres(env, 2 + k % 2, 3, k % 2 == 0 ? 1 : 2, 2, mus[k / 2], &p);
        trial t = {0};
        assert_int_equal(solve(&t, &p.local, &eight_digits), STI_OK);
        if (t.run.termination != STI_END_SOLUTION) print_message("%s\n", t.run.reason);
        assert_int_equal(t.run.termination, STI_END_SOLUTION);
        sti_contact_local_apply(&p.local, t.r, t.u);
        assert_true(sti_contact_natural_map(&p.local, t.r, t.u, NULL) <= 1e-8);
        drop(&t);
        pile_free(&p);
    }
    sti_env_destroy(env);
}

// Without friction the slips do not matter: the first convex problems are as accurate as asked, and few are needed.
static void without_friction_the_convex_problem_is_the_problem(void** state) {
    (void)state;
    sti_env* env = open_env();
    pile p;
    pile_spheres(env, 3, 2, 2, 3, 0, &p);
    trial t = {0};
    assert_int_equal(solve(&t, &p.local, &eight_digits), STI_OK);
    assert_int_equal(t.run.termination, STI_END_SOLUTION);
    assert_true(t.solver.calls <= 10);
    drop(&t);
    pile_free(&p);
    sti_env_destroy(env);
}

// A convex solver that takes one step at a time: the outer loop goes on with what it is given.
static void a_lazy_solver_is_enough(void** state) {
    (void)state;
    sti_env* env = open_env();
    pile p;
    pile_spheres(env, 3, 2, 2, 2, 0.2, &p);
    trial t = {.solver.lazy = true};
    assert_int_equal(solve(&t, &p.local, &eight_digits), STI_OK);
    assert_int_equal(t.run.termination, STI_END_SOLUTION);
    assert_true(t.run.iterations >= t.solver.calls);
    drop(&t);
    pile_free(&p);
    sti_env_destroy(env);
}

// One sliding contact: q = (-1, 3), W = I, mu = 1/2. The convex problem of s has u_t = (5 - s) / 2 ... and s = u_t =
// 5/2.
static void one_sliding_contact_has_the_slip_known_in_closed_form(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double mu = 0.5, q[2] = {-1, 3};
    double W[4] = {1, 0, 0, 1};
    const sti_matrix view = sti_matrix_dense_view(2, 2, W);
    sti_contact_local p = {.env = env, .d = 2, .nc = 1, .mu = &mu, .q = q};
    assert_int_equal(sti_bsr_from_matrix(env, &view, 2, &p.W), STI_OK);
    assert_int_equal(sti_contact_local_finish(&p), STI_OK);
    trial t = {0};
    assert_int_equal(solve(&t, &p, &eight_digits), STI_OK);
    assert_int_equal(t.run.termination, STI_END_SOLUTION);
    assert_true(fabs(t.r[0] - 1) <= 1e-7 && fabs(t.r[1] + 0.5) <= 1e-7);
    assert_true(fabs(t.u[0]) <= 1e-7 && fabs(t.u[1] - 2.5) <= 1e-7);
    drop(&t);
    sti_contact_local_clear(&p);
    sti_env_destroy(env);
}

static void a_solution_given_as_guess_needs_no_convex_problem(void** state) {
    (void)state;
    sti_env* env = open_env();
    pile p;
    pile_spheres(env, 2, 3, 1, 3, 0.3, &p);
    trial t = {0};
    assert_int_equal(solve(&t, &p.local, &eight_digits), STI_OK);
    assert_int_equal(t.run.termination, STI_END_SOLUTION);
    plain again = {.p = &p.local, .step = 0.2};
    const sti_contact_convex convex = {.user = &again, .solve = plain_solve};
    sti_contact_watch_start(&t.watch, "outer", &p.local, &eight_digits, &t.run, 1, LIMIT);
    assert_int_equal(sti_contact_fixed_point(&t.watch, &convex), STI_OK);
    assert_int_equal(t.run.termination, STI_END_SOLUTION);
    assert_int_equal(again.calls, 0);
    drop(&t);
    pile_free(&p);
    sti_env_destroy(env);
}

static void limits_are_kept_and_the_best_point_is_returned(void** state) {
    (void)state;
    sti_env* env = open_env();
    pile p;
    pile_spheres(env, 3, 2, 2, 3, 0.5, &p);
    double last = INFINITY;
    for (long limit = 1; limit <= 256; limit *= 4) {
        sti_contact_options options = eight_digits;
        options.max_iterations = limit;
        options.tol = 1e-15;
        trial t = {0};
        assert_int_equal(solve(&t, &p.local, &options), STI_OK);
        assert_int_equal(t.run.termination, STI_END_LIMIT);
        assert_true(t.run.iterations <= limit);
        assert_true(t.run.residual <= last);
        last = t.run.residual;
        sti_contact_local_apply(&p.local, t.r, t.u);
        assert_true(sti_contact_natural_map(&p.local, t.r, t.u, NULL) == t.run.residual);
        drop(&t);
    }
    sti_contact_options options = eight_digits;
    options.time_limit_s = 1e-9;
    options.tol = 1e-15;
    trial t = {0};
    assert_int_equal(solve(&t, &p.local, &options), STI_OK);
    assert_int_equal(t.run.termination, STI_END_LIMIT);
    drop(&t);
    pile_free(&p);
    sti_env_destroy(env);
}

static void a_failure_of_the_convex_solver_is_passed_on(void** state) {
    (void)state;
    sti_env* env = open_env();
    pile p;
    pile_spheres(env, 3, 2, 2, 2, 0.5, &p);
    trial t = {.solver.fail_with = STI_ERR_MEMORY};
    assert_int_equal(solve(&t, &p.local, &eight_digits), STI_ERR_MEMORY);
    assert_int_equal(t.solver.calls, 1);
    drop(&t);
    pile_free(&p);
    sti_env_destroy(env);
}

static void failed_allocations_are_survived(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, -1);
        pile p;
        pile_spheres(f.env, 2, 2, 1, 2, 0.3, &p);
        f.count = 0;
        f.fail_at = k;
        trial t = {0};
        const sti_status status = solve(&t, &p.local, &eight_digits);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        const bool done = f.count <= k;
        drop(&t);
        pile_free(&p);
        failing_env_close(&f);
        if (!done) continue;
        assert_int_equal(status, STI_OK);
        assert_true(k >= 2);
        return;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_convex_map_is_the_true_one_at_the_right_slips),
        cmocka_unit_test(piles_are_solved_through_convex_problems),
        cmocka_unit_test(without_friction_the_convex_problem_is_the_problem),
        cmocka_unit_test(a_lazy_solver_is_enough),
        cmocka_unit_test(one_sliding_contact_has_the_slip_known_in_closed_form),
        cmocka_unit_test(a_solution_given_as_guess_needs_no_convex_problem),
        cmocka_unit_test(limits_are_kept_and_the_best_point_is_returned),
        cmocka_unit_test(a_failure_of_the_convex_solver_is_passed_on),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
