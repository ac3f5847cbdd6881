// The smallest problems, solved by auto before anything is prepared; and what it leaves to the portfolio.
#include "contact/quick.h"
#include "support/contact_cases.h"

// By auto, to the tolerance, verified; returns the number of attempts.
static int attempts_of(const case_local* m, double tol, const char* name) {
    sti_env* env = open_env();
    sti_contact_answer a = case_solve(env, &m->p, STI_CONTACT_AUTO, tol, name);
    const int attempts = a.attempt_count;
    sti_contact_answer_clear(env, &a);
    sti_env_destroy(env);
    return attempts;
}

// Quick alone, on an answer with room for it.
static bool quick_alone(const sti_contact_problem* p, const sti_contact_options* o, double* r, double* u) {
    sti_env* env = open_env();
    sti_contact_answer a = {.r = r, .u = u};
    bool solved;
    assert_int_equal(sti_contact_quick(env, p, o, &a, &solved), STI_OK);
    sti_env_destroy(env);
    return solved;
}

static void one_contact_is_solved_in_closed_form(void** state) {
    (void)state;
    case_one_contact(STI_CONTACT_AUTO);
}

static void contacts_that_part_cost_nothing(void** state) {
    (void)state;
    case_local m = case_local_random(3, 8, 0.4, 7);
    for (int c = 0; c < 8; c++) m.q[3 * c] = 0.1 * c;
    assert_int_equal(attempts_of(&m, 1e-12, "all part"), 0);
    case_local_free(&m);
}

static void small_random_problems_are_mostly_solved_at_once(void** state) {
    (void)state;
    int at_once = 0, all = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        for (int d = 2; d <= 3; d++) {
            case_local m = case_local_random(d, 1 + (int)(seed % 5), 0.1 + 0.01 * (double)seed, seed);
            at_once += attempts_of(&m, 1e-9, "random") <= 1;
            all++;
            case_local_free(&m);
        }
    }
    assert_true(at_once >= all / 2);
}

// u from r afresh: what the guess left in it by rounding is larger than forces of nearly 0
static void velocities_are_those_of_the_forces_whatever_was_guessed(void** state) {
    enum { NC = 4, N = 3 * NC };
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        case_local m = case_local_random(3, NC, 0.4, seed);
        double r[N], u[N], guess[N];
        for (int i = 0; i < N; i++) r[i] = guess[i] = i % 3 == 0 ? 1e6 : (double)(i % 5) * 1e5;
        for (int c = 0; c < NC; c++) m.q[3 * c] = c % 2;
        sti_contact_options o = sti_contact_options_default();
        o.guess_r = guess;
        if (quick_alone(&m.p, &o, r, u)) {
            for (int i = 0; i < N; i++) {
                double sum = m.q[i], size = fabs(m.q[i]);
                for (int j = 0; j < N; j++) {
                    const double term = sti_matrix_get(&m.p.W, i, j) * r[j];
                    sum += term;
                    size += fabs(term);
                }
                assert_true(fabs(u[i] - sum) <= 1e-14 * size);
            }
        }
        case_local_free(&m);
    }
}

static void what_is_left_open_goes_on_in_the_portfolio(void** state) {
    (void)state;
    // a block on its corners: Newton's matrix is singular where all stick
    case_local m = case_block(3, 0.2, 0.8);
    assert_true(attempts_of(&m, 1e-12, "hyperstatic") >= 1);
    case_local_free(&m);
    // too many press: not tried
    enum { MANY = 24 };
    m = case_local_random(3, MANY, 0.3, 3);
    for (int c = 0; c < MANY; c++) m.q[3 * c] = -1;
    double r[3 * MANY] = {0}, u[3 * MANY] = {0};
    const sti_contact_options o = case_options(STI_CONTACT_AUTO, 1e-6);
    assert_false(quick_alone(&m.p, &o, r, u));
    assert_true(largest(r, 3 * MANY) == 0);
    assert_true(attempts_of(&m, 1e-9, "all press") >= 1);
    case_local_free(&m);
}

static void options_that_ask_for_more_are_left_to_the_portfolio(void** state) {
    (void)state;
    case_local m = case_local_random(3, 3, 0.3, 5);
    double r[9] = {0}, u[9] = {0};
    const sti_contact_options plain = case_options(STI_CONTACT_AUTO, 1e-8);
    for (int k = 0; k < 3; k++) {
        sti_contact_options o = plain;
        if (k == 0) o.relaxation = 1.2;
        if (k == 1) o.max_iterations = 5;
        if (k == 2) o.minimum_norm = true;
        assert_false(quick_alone(&m.p, &o, r, u));
    }
    assert_true(quick_alone(&m.p, &plain, r, u));
    case_local_free(&m);
}

// The same bits whether W is dense or in columns, with entries given twice.
static void dense_and_sparse_data_give_the_same_bits(void** state) {
    (void)state;
    enum { D = 3, NC = 4, N = D * NC };
    case_local m = case_local_random(D, NC, 0.5, 11);
    int64_t start[N + 1];
    int row[2 * N * N];
    double value[2 * N * N], r[2][N] = {{0}}, u[2][N] = {{0}};
    int64_t count = 0;
    for (int j = 0; j < N; j++) {
        start[j] = count;
        for (int i = 0; i < N; i++) {
            for (int half = 0; half < 2; half++) {
                row[count] = i;
                value[count++] = 0.5 * m.W[i * N + j];
            }
        }
    }
    start[N] = count;
    sti_contact_problem sparse = m.p;
    sparse.W = (sti_matrix){.rows = N, .cols = N, .col_start = start, .row = row, .value = value};
    const sti_contact_options o = case_options(STI_CONTACT_AUTO, 1e-10);
    assert_int_equal(quick_alone(&m.p, &o, r[0], u[0]), quick_alone(&sparse, &o, r[1], u[1]));
    assert_memory_equal(r[0], r[1], sizeof r[0]);
    assert_memory_equal(u[0], u[1], sizeof u[0]);
    case_local_free(&m);
}

static void units_do_not_matter(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        for (int k = 0; k < 3; k++) {
            const double mass = k == 1 ? 1e6 : 1e-6, speed = k == 0 ? 1 : 1e3;
            case_local m = case_local_random(3, 4, 0.4, seed), s = case_local_random(3, 4, 0.4, seed);
            for (int i = 0; i < 144; i++) s.W[i] /= mass;
            for (int i = 0; i < 12; i++) s.q[i] *= speed;
            assert_int_equal(attempts_of(&m, 1e-10, "as it is"), attempts_of(&s, 1e-10, "in other units"));
            case_local_free(&m);
            case_local_free(&s);
        }
    }
}

// Few press among many, on the stack and off it: solved at once, verified over all contacts, and the forces of the
// portfolio.
static void few_that_press_among_many_are_solved_at_once(void** state) {
    (void)state;
    int at_once = 0, all = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        for (int d = 2; d <= 3; d++) {
            const int nc = seed % 2 == 0 ? 20 : 60;
            case_local m = case_local_random(d, nc, 0.3, seed);
            for (int c = 0; c < nc; c++) m.q[d * c] = c % 10 == 3 ? -1 : 2 + fabs(m.q[d * c]);
            at_once += attempts_of(&m, 1e-9, "few press") <= 1;
            all++;
            case_local_free(&m);
        }
    }
    assert_true(at_once >= all / 2);
}

// A force on the first pushes the second down, and that one the third: chains of W_ij < 0.
static void contacts_that_others_push_down_are_found(void** state) {
    (void)state;
    enum { D = 2, NC = 12, N = D * NC };
    case_local m = case_local_make(D, NC);
    for (int i = 0; i < N; i++) {
        m.W[i * N + i] = 2;
        m.q[i] = 0;
    }
    for (int c = 0; c + 1 < NC; c++) m.W[D * c * N + D * (c + 1)] = m.W[D * (c + 1) * N + D * c] = -1;
    for (int c = 0; c < NC; c++) {
        m.q[D * c] = c == 0 ? -1 : 0.01;
        m.mu[c] = 0.5;
    }
    double r[N] = {0}, u[N] = {0};
    const sti_contact_options o = case_options(STI_CONTACT_AUTO, 1e-12);
    assert_true(quick_alone(&m.p, &o, r, u));
    assert_true(r[D * 1] > 0 && r[D * 2] > 0);
    for (int c = 0; c < NC; c++) assert_true(u[D * c] > -1e-12 && fabs(u[D * c] * r[D * c]) < 1e-12);
    case_local_free(&m);
}

// Two walls closing on one body: no r helps, and one that runs away is no solution.
static void what_cannot_be_solved_is_not_called_solved(void** state) {
    (void)state;
    sti_env* env = open_env();
    case_local m = case_local_make(2, 2);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            m.W[(2 * i) * 4 + 2 * j] = i == j ? 1 : -1;  // opposite normals
            m.W[(2 * i + 1) * 4 + 2 * j + 1] = 1;
        }
        m.q[2 * i] = -1;
        m.mu[i] = 0.3;
    }
    const sti_contact_options o = case_options(STI_CONTACT_AUTO, 1e-6);
    sti_contact_answer a = case_try(env, &m.p, &o, "closing walls");
    assert_int_not_equal(a.outcome, STI_SOLVED);
    sti_contact_answer_clear(env, &a);
    m.W[0] = m.W[10] = 0;  // and contacts that move nothing
    a = case_try(env, &m.p, &o, "contacts that move nothing");
    assert_int_not_equal(a.outcome, STI_SOLVED);
    sti_contact_answer_clear(env, &a);
    case_local_free(&m);
    sti_env_destroy(env);
}

static void failed_allocations_are_survived(void** state) {
    (void)state;
    case_local m = case_local_random(2, 40, 0.4, 9);  // off the stack
    for (int c = 0; c < 40; c++) m.q[2 * c] = c < 3 ? -1 : 5;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_contact_answer a;
        const sti_status status = sti_contact_solve(f.env, &m.p, NULL, &a);
        if (status == STI_OK)
            sti_contact_answer_clear(f.env, &a);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    case_local_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contact_is_solved_in_closed_form),
        cmocka_unit_test(contacts_that_part_cost_nothing),
        cmocka_unit_test(small_random_problems_are_mostly_solved_at_once),
        cmocka_unit_test(velocities_are_those_of_the_forces_whatever_was_guessed),
        cmocka_unit_test(what_is_left_open_goes_on_in_the_portfolio),
        cmocka_unit_test(options_that_ask_for_more_are_left_to_the_portfolio),
        cmocka_unit_test(dense_and_sparse_data_give_the_same_bits),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(few_that_press_among_many_are_solved_at_once),
        cmocka_unit_test(contacts_that_others_push_down_are_found),
        cmocka_unit_test(what_cannot_be_solved_is_not_called_solved),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
