// Projected gradients, accelerated (apgd) and spectral (bb): closed forms, the collection, invariance, limits,
// operators.
#include "support/contact_cases.h"

static const sti_contact_solver methods[] = {STI_CONTACT_APGD, STI_CONTACT_BB};
#include "contact/every_method.h"

static void the_collection_is_solved_to_four_digits(void** state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) case_collection(methods[k], 1e-4, 10000, 2000, 0);
}

// Products with W alone: what is ill conditioned takes more iterations than a test has time for.
static void most_of_the_collection_is_solved_to_eight_digits(void** state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) case_collection(methods[k], 1e-8, 1000, 10000, 4);
}

static void an_infeasible_squeeze_is_not_called_solved(void** state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) case_squeeze_is_not_solved(methods[k]);
}

// ---- W as an operator

typedef struct counted {
    const case_local* m;
    long products;
} counted;

static void multiply(void* user, const double* x, double* y) {
    counted* c = user;
    const int n = c->m->p.dimension * c->m->p.contact_count;
    c->products++;
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++) y[i] += c->m->W[i * n + j] * x[j];
    }
}

// The same answer as with the matrix, and about one product for an iteration.
static void an_operator_serves_as_well_as_a_matrix(void** state) {
    (void)state;
    enum { NC = 10, N = 3 * NC };
    sti_env* env = open_env();
    case_local m = case_local_random(3, NC, 0.3, 21);
    double diagonal[9 * NC];
    for (int k = 0; k < 9 * NC; k++) diagonal[k] = m.W[(3 * (k / 9) + k % 9 / 3) * N + 3 * (k / 9) + k % 3];
    for (int k = 0; k < 2; k++) {
        counted c = {.m = &m};
        const sti_contact_operator op = {.apply = multiply, .user = &c, .diagonal = diagonal};
        sti_contact_problem p = m.p;
        p.W = (sti_matrix){0};
        p.W_op = &op;
        sti_contact_answer a = case_solve(env, &m.p, methods[k], 1e-10, "matrix");
        const sti_contact_options options = case_options(methods[k], 1e-10);
        sti_contact_answer b;
        assert_int_equal(sti_contact_solve(env, &p, &options, &b), STI_OK);
        assert_int_equal(b.outcome, STI_SOLVED);
        for (int i = 0; i < N; i++) assert_true(fabs(a.u[i] - b.u[i]) <= 1e-8);
        assert_true(c.products <= 2 * b.iterations + 20);
        sti_contact_answer_clear(env, &a);
        sti_contact_answer_clear(env, &b);
    }
    case_local_free(&m);
    sti_env_destroy(env);
}

// ---- friction

// mu = 0: the cone is a ray, and a point on the axis behind it belongs to the origin.
static void the_projection_without_friction_is_on_a_ray(void** state) {
    (void)state;
    for (int d = 2; d <= 3; d++) {
        const double x[3] = {-0.25, 0, 0}, y[3] = {2, -1, 0.5};
        double p[3] = {1, 1, 1};
        sti_coulomb_project(d, 0, x, p);
        for (int i = 0; i < d; i++) assert_true(p[i] == 0);
        sti_coulomb_project(d, 0, y, p);
        for (int i = 0; i < d; i++) assert_true(p[i] == (i == 0 ? 2 : 0));
    }
}

// Without friction the problem is a convex program with bounds: the impulse of least energy, here known by
// construction.
static void frictionless_problems_are_bound_constrained_programs(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int trial = 0; trial < 8; trial++) {
        enum { NC = 15, N = 3 * NC };
        case_local m = case_local_random(3, NC, 0, 300 + (uint64_t)trial);
        sti_rng rng = {.state = (uint64_t)trial};
        double r[N] = {0};
        for (int c = 0; c < NC; c++) r[3 * c] = fmax(0, 2 * sti_rng_u01(&rng) - 1);
        for (int i = 0; i < N; i++) {  // u_n = 0 where r_n > 0, positive elsewhere
            m.q[i] = i % 3 != 0 ? 0.3 : r[i] > 0 ? 0 : sti_rng_u01(&rng);
            for (int j = 0; j < N; j++) m.q[i] -= m.W[i * N + j] * r[j];
        }
        for (int k = 0; k < 2; k++) {
            sti_contact_answer a = case_solve(env, &m.p, methods[k], 1e-11, "no friction");
            for (int i = 0; i < N; i++) assert_true(fabs(a.r[i] - r[i]) <= 1e-7);
            sti_contact_answer_clear(env, &a);
        }
        case_local_free(&m);
    }
    sti_env_destroy(env);
}

// Strong friction, where slips that follow the velocity make the plain iteration cycle.
static void strong_friction_is_mastered_by_slower_slips(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int k = 0; k < 2; k++) {
        int solved = 0;
        for (int trial = 0; trial < 10; trial++) {
            case_local m = case_local_random(3, 6, 1.5, 700 + (uint64_t)trial);
            const sti_contact_options options = case_options(methods[k], 1e-8);
            sti_contact_answer a = case_try(env, &m.p, &options, "strong friction");
            solved += a.outcome == STI_SOLVED;
            sti_contact_answer_clear(env, &a);
            case_local_free(&m);
        }
        print_message("%s: %d of 10\n", sti_contact_solver_text(methods[k]), solved);
        assert_true(solved >= 8);
    }
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TESTS_OF_EVERY_METHOD,
        cmocka_unit_test(the_collection_is_solved_to_four_digits),
        cmocka_unit_test(most_of_the_collection_is_solved_to_eight_digits),
        cmocka_unit_test(an_infeasible_squeeze_is_not_called_solved),
        cmocka_unit_test(an_operator_serves_as_well_as_a_matrix),
        cmocka_unit_test(the_projection_without_friction_is_on_a_ray),
        cmocka_unit_test(frictionless_problems_are_bound_constrained_programs),
        cmocka_unit_test(strong_friction_is_mastered_by_slower_slips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
