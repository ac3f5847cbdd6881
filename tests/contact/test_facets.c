// Lemke's method on cones cut to facets: closed forms, the collection as far as islands are small, exactness in the
// plane, refinement in space, and proofs that there is no solution.
#include "support/contact_cases.h"

#define METHOD STI_CONTACT_LEMKE
static const sti_contact_solver methods[] = {METHOD};
#include "contact/every_method.h"

static void small_problems_of_the_collection_are_solved(void** state) {
    (void)state;
    case_collection(METHOD, 1e-4, 150, 0, 0);
    case_collection(METHOD, 1e-8, 150, 0, 0);
}

// Many contacts, but in small islands, are as good as few; two problems have one large island.
static void islands_make_large_problems_small(void** state) {
    (void)state;
    case_collection(METHOD, 1e-8, 1000, 0, 2);
}

// ---- the plane: the facets are the cone

// However coarse the tolerance, the answer of the one LCP is right to rounding.
static void planar_problems_are_solved_to_rounding(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double mus[] = {0, 0.2, 1, 5};
    for (int trial = 0; trial < 24; trial++) {
        case_local m = case_local_random(2, 1 + trial, mus[trial % 4], 400 + (uint64_t)trial);
        sti_contact_answer a = case_solve(env, &m.p, METHOD, 1e-2, "planar");
        assert_true(a.iterations == 0 || a.residual <= 1e-13);
        sti_contact_answer_clear(env, &a);
        case_local_free(&m);
    }
    sti_env_destroy(env);
}

// ---- space: round cones through polygons

// Sliding in a direction that no polygon of the first round has: the force is turned until it is opposite.
static void a_slip_between_the_facets_is_found(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int k = 0; k < 32; k++) {
        const double angle = 0.2 * k, mu = 0.4;
        case_local m = case_local_make(3, 1);
        const double W[9] = {2, 0.3, -0.2, 0.3, 1.5, 0.4, -0.2, 0.4, 1};
        memcpy(m.W, W, sizeof W);
        m.mu[0] = mu;
        m.q[0] = -1, m.q[1] = 3 * cos(angle), m.q[2] = 3 * sin(angle);
        sti_contact_answer a = case_solve(env, &m.p, METHOD, 1e-12, "one sliding contact");
        const double slip = hypot(a.u[1], a.u[2]);
        assert_int_equal(a.mode[0], STI_MODE_SLIDE);
        for (int i = 1; i < 3; i++) assert_true(fabs(a.r[i] + mu * a.r[0] * a.u[i] / slip) <= 1e-10);
        sti_contact_answer_clear(env, &a);
        case_local_free(&m);
    }
    sti_env_destroy(env);
}

// Whatever the friction: the LCP has a solution, and what is left is local. These are beyond the sweeping methods.
static void strong_friction_is_no_obstacle(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double mus[] = {0.5, 2, 10, 100};
    for (int trial = 0; trial < 24; trial++) {
        case_local m = case_local_random(3, 3 + trial / 4, mus[trial % 4], 600 + (uint64_t)trial);
        sti_contact_answer a = case_solve(env, &m.p, METHOD, 1e-8, "strong friction");
        sti_contact_answer_clear(env, &a);
        case_local_free(&m);
    }
    sti_env_destroy(env);
}

static void contacts_without_friction_have_no_facets(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int trial = 0; trial < 6; trial++) {
        case_local m = case_local_random(3, 8, 0, 800 + (uint64_t)trial);
        for (int c = 0; trial % 2 == 1 && c < 8; c += 2) m.mu[c] = 0.6;
        sti_contact_answer a = case_solve(env, &m.p, METHOD, 1e-9, "some without friction");
        for (int c = 0; c < 8; c++) {
            if (m.mu[c] == 0) assert_true(a.r[3 * c + 1] == 0 && a.r[3 * c + 2] == 0);
        }
        sti_contact_answer_clear(env, &a);
        case_local_free(&m);
    }
    sti_env_destroy(env);
}

// ---- no solution

// y of the certificate, in whole numbers as the data are: y >= 0, W (y, 0) = 0, y'q_n < 0.
static void assert_proved(sti_env* env, const sti_contact_problem* p, const sti_contact_answer* a) {
    assert_int_equal(a->outcome, STI_NO_SOLUTION);
    assert_int_equal(a->termination, STI_END_RAY);
    assert_int_equal(a->certificate.proof, STI_PROOF_FARKAS);
    sti_contact_verification v;
    assert_int_equal(sti_verify_contact(env, p, a, 1e-8, &v), STI_OK);
    if (!v.accepted) fail_msg("%s", v.text);
    const int d = p->dimension, n = d * p->contact_count;
    double falls = 0;
    for (int c = 0; c < p->contact_count; c++) {
        assert_true(a->certificate.y[c] >= 0 && a->certificate.y[c] == rint(a->certificate.y[c]));
        falls += a->certificate.y[c] * p->q[d * c];
    }
    assert_true(falls < 0);
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int c = 0; c < p->contact_count; c++) sum += a->certificate.y[c] * p->W.dense[d * c * n + j];
        assert_true(sum == 0);
    }
}

// A particle held by walls whose normals, weighted by y, cancel: their gaps cannot all open. W = N'N in whole numbers.
static case_local walls(int d, int count, const double (*normal)[3], const double* q_n) {
    case_local m = case_local_make(d, count);
    const int n = d * count;
    double axis[24][3] = {{0}};
    for (int c = 0; c < count; c++) {
        const double *k = normal[c], t[2][3] = {{-k[1], k[0], 0}, {0, -k[2], k[1]}};
        for (int i = 0; i < 3; i++) {
            axis[d * c][i] = k[i];
            for (int e = 1; e < d; e++) axis[d * c + e][i] = t[e - 1][i];
        }
        m.mu[c] = 0.5;
        m.q[d * c] = q_n[c];
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int e = 0; e < 3; e++) m.W[i * n + j] += axis[i][e] * axis[j][e];
        }
    }
    return m;
}

static void closing_walls_are_proved_to_leave_no_solution(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double pair[2][3] = {{1, 0, 0}, {-1, 0, 0}};
    static const double wedge[3][3] = {{1, 0, 0}, {1, 2, 0}, {-1, -1, 0}};                // 1 + 1 + 2 times
    static const double corner[4][3] = {{1, 1, 1}, {1, 0, 0}, {-1, -1, 0}, {-1, 0, -1}};  // 1 + 1 + 1 + 1
    static const double slow[4] = {-1, 0, -1, 0}, fast[4] = {-3, -1, 1, -2};
    const struct {
        int count;
        const double (*normal)[3];
    } cases[] = {{2, pair}, {3, wedge}, {4, corner}};
    for (int k = 0; k < 12; k++) {
        const int d = 2 + k % 2, which = k / 2 % 3;
        if (d == 2 && which == 2) continue;  // not in a plane
        case_local m = walls(d, cases[which].count, cases[which].normal, k / 6 == 0 ? slow : fast);
        const sti_contact_options options = case_options(METHOD, 1e-8);
        sti_contact_answer a = case_try(env, &m.p, &options, "walls");
        if (a.outcome != STI_NO_SOLUTION) print_message("case %d: %s\n", k, a.reason);
        assert_proved(env, &m.p, &a);
        sti_contact_answer_clear(env, &a);
        case_local_free(&m);
    }
    sti_env_destroy(env);
}

// W = 5 (1, -1)(1, -1)', q = (-6, 4), mu = 1: u_n + u_t = -2, so that u_n >= 0 means sliding back, and friction then
// makes u_n = -6. Forces that part the bodies exist, so no Farkas vector does: all three modes have to be excluded.
static void a_jammed_contact_is_found_impossible_in_every_mode(void** state) {
    (void)state;
    sti_env* env = open_env();
    case_local m = case_local_make(2, 1);
    m.W[0] = m.W[3] = 5, m.W[1] = m.W[2] = -5;
    m.q[0] = -6, m.q[1] = 4, m.mu[0] = 1;
    const sti_contact_options options = case_options(METHOD, 1e-8);
    sti_contact_answer a = case_try(env, &m.p, &options, "jam");
    assert_int_equal(a.outcome, STI_UNKNOWN);
    assert_int_equal(a.termination, STI_END_EXHAUSTED);
    assert_non_null(strstr(a.reason, "every choice of modes of the local problem is impossible"));
    sti_contact_answer_clear(env, &a);
    case_failed_allocations(&m.p, METHOD);
    m.mu[0] = 0.5;  // less friction: it slides, 5 (r_n - r_n / 2) = 6
    a = case_solve(env, &m.p, METHOD, 1e-12, "no jam");
    assert_true(fabs(a.r[0] - 2.4) <= 1e-10 && fabs(a.u[1] + 2) <= 1e-10);
    sti_contact_answer_clear(env, &a);
    case_local_free(&m);
    sti_env_destroy(env);
}

// Opening walls, or ones that are not quite opposite, are another matter: then there is a solution, perhaps a huge one.
static void what_is_not_proved_is_not_claimed(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double pair[2][3] = {{1, 0, 0}, {-1, 0, 0}}, open[2] = {-1, 1}, closing[2] = {-1, -1};
    const sti_contact_options options = case_options(METHOD, 1e-8);
    for (int d = 2; d <= 3; d++) {
        case_local m = walls(d, 2, pair, open);
        sti_contact_answer a = case_solve(env, &m.p, METHOD, 1e-8, "walls that move together");
        sti_contact_answer_clear(env, &a);
        case_local_free(&m);

        m = walls(d, 2, pair, closing);
        m.W[0] *= 1 + 1e-9;
        a = case_try(env, &m.p, &options, "walls that give way a little");
        assert_int_not_equal(a.outcome, STI_NO_SOLUTION);
        sti_contact_answer_clear(env, &a);
        case_local_free(&m);
    }
    case_squeeze_is_not_solved(METHOD);
    sti_env_destroy(env);
}

// ---- what it does not take

static void nothing(void* user, const double* x, double* y) {
    (void)user, (void)x;
    y[0] = y[1] = 0;
}

static void large_islands_and_operators_are_left_to_others(void** state) {
    (void)state;
    sti_env* env = open_env();
    case_local m = case_local_make(3, 201);
    for (int i = 0; i < 603; i++) {
        m.W[i * 603 + i] = 2, m.q[i] = -1;
        if (i >= 3) m.W[i * 603 + i - 3] = m.W[(i - 3) * 603 + i] = -0.5;
    }
    const sti_contact_options options = case_options(METHOD, 1e-8);
    sti_contact_answer a = case_try(env, &m.p, &options, "a long chain");
    assert_int_equal(a.outcome, STI_UNKNOWN);
    assert_int_equal(a.termination, STI_END_NOT_APPLICABLE);
    sti_contact_answer_clear(env, &a);
    m.W[300 * 603 + 297] = m.W[297 * 603 + 300] = 0;  // cut in two: islands of 100 and 101
    m.W[301 * 603 + 298] = m.W[298 * 603 + 301] = m.W[302 * 603 + 299] = m.W[299 * 603 + 302] = 0;
    a = case_solve(env, &m.p, METHOD, 1e-8, "two chains");
    sti_contact_answer_clear(env, &a);
    case_local_free(&m);

    const double diagonal[4] = {0}, q[2] = {-1, 0}, mu[1] = {0.5};
    const sti_contact_operator op = {.apply = nothing, .diagonal = diagonal};
    const sti_contact_problem p = {.dimension = 2, .contact_count = 1, .mu = mu, .q = q, .W_op = &op};
    assert_int_equal(sti_contact_solve(env, &p, &options, &a), STI_OK);
    assert_int_equal(a.termination, STI_END_NOT_APPLICABLE);
    sti_contact_answer_clear(env, &a);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TESTS_OF_EVERY_METHOD,
        cmocka_unit_test(small_problems_of_the_collection_are_solved),
        cmocka_unit_test(islands_make_large_problems_small),
        cmocka_unit_test(planar_problems_are_solved_to_rounding),
        cmocka_unit_test(a_slip_between_the_facets_is_found),
        cmocka_unit_test(strong_friction_is_no_obstacle),
        cmocka_unit_test(contacts_without_friction_have_no_facets),
        cmocka_unit_test(closing_walls_are_proved_to_leave_no_solution),
        cmocka_unit_test(a_jammed_contact_is_found_impossible_in_every_mode),
        cmocka_unit_test(what_is_not_proved_is_not_claimed),
        cmocka_unit_test(large_islands_and_operators_are_left_to_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
