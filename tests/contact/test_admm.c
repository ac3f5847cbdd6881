// Alternating directions: closed forms, the collection, invariance, limits; and what is its own: factors, penalties,
// scales.
#include "support/contact_cases.h"

#define METHOD STI_CONTACT_ADMM
static const sti_contact_solver methods[] = {METHOD};
#include "contact/every_method.h"

static void the_collection_is_solved_to_four_digits(void** state) {
    (void)state;
    case_collection(METHOD, 1e-4, 10000, 1000, 0);
}

static void the_collection_is_solved_to_eight_digits(void** state) {
    (void)state;
    case_collection(METHOD, 1e-8, 1000, 10000, 0);
}

static void an_infeasible_squeeze_is_not_called_solved(void** state) {
    (void)state;
    case_squeeze_is_not_solved(METHOD);
}

// Bodies that differ by 10^9 in mass, each on two contacts of its own: the penalties follow rho, so nothing changes.
static void bodies_of_very_different_mass_are_no_harder(void** state) {
    (void)state;
    sti_env* env = open_env();
    long iterations[2];
    for (int way = 0; way < 2; way++) {
        enum { NC = 12, N = 3 * NC };
        case_local m = case_local_make(3, NC);
        for (int b = 0; b < NC / 4; b++) {
            case_local block = case_block(3, 0.6, 0.5);
            const double mass = way == 0 ? 1 : pow(1e3, b);
            for (int i = 0; i < 12; i++) {
                for (int j = 0; j < 12; j++) m.W[(12 * b + i) * N + 12 * b + j] = block.W[12 * i + j] / mass;
                m.q[12 * b + i] = block.q[i];
                m.mu[(12 * b + i) / 3] = 0.5;
            }
            case_local_free(&block);
        }
        sti_contact_answer a = case_solve(env, &m.p, METHOD, 1e-10, "light and heavy blocks");
        iterations[way] = a.iterations;
        sti_contact_answer_clear(env, &a);
        case_local_free(&m);
    }
    assert_true(iterations[1] <= 2 * iterations[0] + 10);
    sti_env_destroy(env);
}

// A chain of blocks, sparse, and a full matrix of the same order go through different factorizations.
static void sparse_and_full_matrices_are_both_factored(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int way = 0; way < 2; way++) {
        case_local m = case_local_random(3, 40, 0.3, 3);
        for (int i = 0; way == 0 && i < 120; i++) {
            for (int j = 0; j < 120; j++) {
                if (abs(i / 3 - j / 3) > 1) m.W[i * 120 + j] = 0;
                if (i == j) m.W[i * 120 + j] *= 4;
            }
        }
        sti_contact_answer a = case_solve(env, &m.p, METHOD, 1e-9, way == 0 ? "band" : "full");
        sti_contact_answer_clear(env, &a);
        case_local_free(&m);
    }
    sti_env_destroy(env);
}

static void multiply(void* user, const double* x, double* y) {
    const case_local* m = user;
    const int n = m->p.dimension * m->p.contact_count;
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++) y[i] += m->W[i * n + j] * x[j];
    }
}

static void an_operator_cannot_be_factored(void** state) {
    (void)state;
    sti_env* env = open_env();
    case_local m = case_block(2, 0.3, 0.5);
    const double diagonal[8] = {m.W[0], m.W[1], m.W[4], m.W[5], m.W[10], m.W[11], m.W[14], m.W[15]};
    const sti_contact_operator op = {.apply = multiply, .user = &m, .diagonal = diagonal};
    sti_contact_problem p = m.p;
    p.W = (sti_matrix){0};
    p.W_op = &op;
    const sti_contact_options options = case_options(METHOD, 1e-8);
    sti_contact_answer a = case_try(env, &p, &options, "operator");
    assert_int_equal(a.outcome, STI_UNKNOWN);
    assert_int_equal(a.termination, STI_END_NOT_APPLICABLE);
    sti_contact_answer_clear(env, &a);
    case_local_free(&m);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TESTS_OF_EVERY_METHOD,
        cmocka_unit_test(the_collection_is_solved_to_four_digits),
        cmocka_unit_test(the_collection_is_solved_to_eight_digits),
        cmocka_unit_test(an_infeasible_squeeze_is_not_called_solved),
        cmocka_unit_test(bodies_of_very_different_mass_are_no_harder),
        cmocka_unit_test(sparse_and_full_matrices_are_both_factored),
        cmocka_unit_test(an_operator_cannot_be_factored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
