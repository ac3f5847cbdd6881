// Rigid bodies found in the data of a problem, and solved for in their velocities.
#include "../../bench/contact_generate.h"
#include "support/contact_cases.h"
#include "support/failing_env.h"

static void solve_and_verify(sti_env* env, const sti_contact_problem* p, sti_contact_solver solver, double tol,
                             sti_contact_answer* a) {
    sti_contact_options o = case_options(solver, tol);
    o.describe = false;
    sti_contact_verification check;
    assert_int_equal(sti_contact_solve(env, p, &o, a), STI_OK);
    assert_int_equal(a->outcome, STI_SOLVED);
    assert_int_equal(sti_verify_contact(env, p, a, tol, &check), STI_OK);
    assert_true(check.accepted);
}

static generated make(const char* family, int contacts) {
    generated g = {0};
    assert_true(generate(family, contacts, &g));
    return g;
}

// Velocities are unique where M is definite and friction does not couple to them, and nearly so here.
static void the_velocities_are_those_of_the_local_form(void** state) {
    (void)state;
    static const char* const families[] = {"wall", "stacks", "spheres"};
    sti_env* env = open_env();
    for (int k = 0; k < 3; k++) {
        generated g = make(families[k], 60);
        sti_contact_answer a, b;
        solve_and_verify(env, &g.problem, STI_CONTACT_VELOCITIES, 1e-9, &a);
        solve_and_verify(env, &g.problem, STI_CONTACT_NEWTON, 1e-9, &b);
        double most = 0, size = 0;
        for (int i = 0; i < g.problem.velocity_count; i++) {
            most = fmax(most, fabs(a.v[i] - b.v[i]));
            size = fmax(size, fabs(g.problem.f[i] * g.inverse_mass[i]));
        }
        assert_true(most <= 1e-4 * size);
        sti_contact_answer_clear(env, &a);
        sti_contact_answer_clear(env, &b);
        generated_clear(&g);
    }
    sti_env_destroy(env);
}

static void a_wall_goes_to_its_velocities_by_itself(void** state) {
    (void)state;
    sti_env* env = open_env();
    generated g = make("wall", 300);
    sti_contact_answer a;
    solve_and_verify(env, &g.problem, STI_CONTACT_AUTO, 1e-8, &a);
    assert_int_equal(a.solver, STI_CONTACT_VELOCITIES);
    assert_true(a.attempt_count >= 1 && a.attempts[0].solver == STI_CONTACT_VELOCITIES);
    sti_contact_answer_clear(env, &a);
    generated_clear(&g);
    sti_env_destroy(env);
}

static sti_contact_answer refused(sti_env* env, const sti_contact_problem* p) {
    const sti_contact_options o = case_options(STI_CONTACT_VELOCITIES, 1e-6);
    sti_contact_answer a;
    assert_int_equal(sti_contact_solve(env, p, &o, &a), STI_OK);
    assert_int_equal(a.termination, STI_END_NOT_APPLICABLE);
    assert_int_equal(a.outcome, STI_UNKNOWN);
    return a;
}

static void what_is_no_rigid_body_is_left_to_others(void** state) {
    (void)state;
    sti_env* env = open_env();
    case_local m = case_local_random(3, 3, 0.4, 1);
    sti_contact_answer a = refused(env, &m.p);  // the local form
    sti_contact_answer_clear(env, &a);
    case_local_free(&m);
    for (int k = 0; k < 3; k++) {
        generated g = make("stacks", 40);
        sti_matrix dense;
        assert_int_equal(sti_matrix_to_dense(env, &g.problem.M, &dense), STI_OK);
        const int n = g.problem.velocity_count;
        double* M = (double*)dense.dense;
        if (k == 0) M[0] *= 2;                      // masses that differ by direction
        if (k == 1) M[3] = M[3 * n] = 1e-3;         // mass that couples to turning
        if (k == 2) M[6] = M[6 * n] = 1e-3 * M[0];  // bodies that are coupled
        sti_contact_problem changed = g.problem;
        changed.M = dense;
        a = refused(env, &changed);
        sti_contact_answer_clear(env, &a);
        sti_matrix_clear(env, &dense);
        generated_clear(&g);
    }
    sti_env_destroy(env);
}

static void limits_are_kept(void** state) {
    (void)state;
    sti_env* env = open_env();
    generated g = make("wall", 300);
    for (long most = 1; most < 100; most = 3 * most + 1) {
        sti_contact_options o = case_options(STI_CONTACT_VELOCITIES, 1e-10);
        o.max_iterations = most;
        sti_contact_answer a;
        assert_int_equal(sti_contact_solve(env, &g.problem, &o, &a), STI_OK);
        assert_true(a.iterations <= most);
        if (a.outcome != STI_SOLVED) assert_int_equal(a.outcome, STI_LIMIT);
        sti_contact_answer_clear(env, &a);
    }
    generated_clear(&g);
    sti_env_destroy(env);
}

static void failed_allocations_are_survived(void** state) {
    (void)state;
    generated g = make("stacks", 40);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_contact_options o = case_options(k % 2 == 0 ? STI_CONTACT_VELOCITIES : STI_CONTACT_AUTO, 1e-4);
        o.describe = false;
        sti_contact_answer a;
        const sti_status status = sti_contact_solve(f.env, &g.problem, &o, &a);
        if (status == STI_OK)
            sti_contact_answer_clear(f.env, &a);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    generated_clear(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_velocities_are_those_of_the_local_form),
        cmocka_unit_test(a_wall_goes_to_its_velocities_by_itself),
        cmocka_unit_test(what_is_no_rigid_body_is_left_to_others),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
