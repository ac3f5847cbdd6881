// test_contact_hyperstatic.c: of all forces that go with the same velocities the smallest. Boxes and repeated contacts
// whose answer is known, optimality against the forces that other solvers find, determined problems that must stay as
// they are.
#include <math.h>
#include <stdio.h>
#include <stiction/contact.h>
#include <string.h>

#include "base/rng.h"
#include "contact/problem_tools.h"
#include "support/contact_box.h"
#include "support/contact_pile.h"
#include "support/failing_env.h"
#include "support/open_env.h"

// Solved and accepted, with or without the smallest forces.
static sti_contact_answer solve(sti_env* env, const sti_contact_problem* p, sti_contact_solver solver, double tol,
                                bool smallest, const char* name) {
    sti_contact_options options = sti_contact_options_default();
    options.solver = solver;
    options.tol = tol;
    options.minimum_norm = smallest;
    sti_contact_answer a;
    sti_contact_verification v;
    assert_int_equal(sti_contact_solve(env, p, &options, &a), STI_OK);
    assert_int_equal(sti_verify_contact(env, p, &a, tol * (1 + 1e-6), &v), STI_OK);
    if (!v.accepted || (smallest && isnan(a.undetermined)))
        fail_msg("%s by %s: %s; %s", name, sti_contact_solver_text(solver), a.reason, v.text);
    assert_int_equal(isnan(a.undetermined), !smallest);
    assert_int_equal(a.undetermined_dimension >= 0, smallest);
    return a;
}

static double dot(const double* x, const double* y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// --- boxes ---------------------------------------------------------------------------------------------------------

static void a_box_at_rest_presses_equally_on_its_corners(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int s = 0; s < STI_CONTACT_VELOCITIES; s++) {
        for (int form = 0; form < 2; form++) {
            contact_box m;
            make_box(&m, 0, 0.5);
            sti_contact_answer a =
                solve(env, form == 0 ? &m.local : &m.global, (sti_contact_solver)s, 1e-10, true, "box");
            assert_int_equal(a.undetermined_dimension, 6);
            for (int c = 0; c < 4; c++) {
                assert_true(fabs(a.r[3 * c] - 0.25) <= 1e-8);
                assert_true(hypot(a.r[3 * c + 1], a.r[3 * c + 2]) <= 1e-8);
                assert_int_equal(a.mode[c], STI_MODE_STICK);
            }
            sti_contact_answer_clear(env, &a);
        }
    }
    sti_env_destroy(env);
}

// Gravity along the slope has the lever 1/2 about the lower corners' plane: normals (cos -+ sin) / 4, tangents sin / 4.
static void a_box_on_a_slope_has_the_forces_of_least_squares(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double slopes[] = {0.1, 0.2, 0.3};
    for (int k = 0; k < 3; k++) {
        contact_box m;
        make_box(&m, slopes[k], 0.9);
        sti_contact_answer a = solve(env, &m.global, STI_CONTACT_AUTO, 1e-10, true, "box on a slope");
        for (int c = 0; c < 4; c++) {
            const double side = c & 1 ? 1 : -1;  // downhill corners carry more
            assert_true(fabs(a.r[3 * c] - (cos(slopes[k]) + side * sin(slopes[k])) / 4) <= 1e-8);
            assert_true(fabs(a.r[3 * c + 1] + sin(slopes[k]) / 4) <= 1e-8);
            assert_true(fabs(a.r[3 * c + 2]) <= 1e-8);
        }
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

// Four forces along given lines make a force and two moments: one direction is open.
static void a_sliding_box_keeps_its_directions(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int form = 0; form < 2; form++) {
        contact_box m;
        make_box(&m, 0.6, 0.5);
        sti_contact_answer a = solve(env, form == 0 ? &m.local : &m.global, STI_CONTACT_AUTO, 1e-10, true, "sliding");
        assert_int_equal(a.undetermined_dimension, 1);
        double sum = 0;
        for (int c = 0; c < 4; c++) {
            assert_int_equal(a.mode[c], STI_MODE_SLIDE);
            assert_true(fabs(a.r[3 * c + 1] + 0.5 * a.r[3 * c]) <= 1e-8);
            assert_true(fabs(a.r[3 * c] - a.r[3 * (c ^ 2)]) <= 1e-8);  // left and right alike
            sum += a.r[3 * c];
        }
        assert_true(fabs(sum - cos(0.6)) <= 1e-8);
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

// The joint takes the pull along the slope, once or in two halves; r is the same.
static void joints_take_part(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int count = 1; count <= 2; count++) {
        contact_box m;
        make_box(&m, 0.3, 0);
        hold_box(&m, count);
        sti_contact_answer a = solve(env, &m.global, STI_CONTACT_AUTO, 1e-9, true, "held box");
        // without friction the pull at the centre leaves no moment: all corners alike
        assert_int_equal(a.undetermined_dimension, 1);
        for (int c = 0; c < 4; c++) assert_true(fabs(a.r[3 * c] - cos(0.3) / 4) <= 1e-7);
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

// --- repeated contacts ---------------------------------------------------------------------------------------------

static void repeated_contacts_share_alike(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double units[] = {1, 1e-6, 1e6};
    for (int way = 0; way < 12; way++) {
        enum { TIMES = 5 };
        const int d = 2 + way % 2, n = d * TIMES;
        const double unit = units[way / 4], push = way / 2 % 2 == 0 ? 0.2 : 2;  // sticks, or slides
        double W[225] = {0}, q[15], mu[TIMES];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) W[i * n + j] = i % d == j % d ? unit : 0;
            q[i] = i % d == 0 ? -1 : i % d == 1 ? push : 0;
        }
        for (int c = 0; c < TIMES; c++) mu[c] = 0.5;
        const sti_contact_problem p = {
            .dimension = d, .contact_count = TIMES, .mu = mu, .W = sti_matrix_dense_view(n, n, W), .q = q};
        for (int s = 0; s < STI_CONTACT_VELOCITIES; s++) {
            sti_contact_answer a = solve(env, &p, (sti_contact_solver)s, 1e-9, true, "repeated contact");
            assert_int_equal(a.undetermined_dimension, push < 1 ? n - d : TIMES - 1);
            for (int c = 0; c < TIMES; c++) {
                assert_true(fabs(unit * a.r[d * c] - 1.0 / TIMES) <= 1e-7);
                assert_true(fabs(unit * a.r[d * c + 1] + fmin(push, 0.5) / TIMES) <= 1e-7);
            }
            sti_contact_answer_clear(env, &a);
        }
    }
    sti_env_destroy(env);
}

// --- determined problems -------------------------------------------------------------------------------------------

static void determined_forces_stay_as_they_are(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 3};
    for (int trial = 0; trial < 40; trial++) {
        const int d = 2 + trial % 2, nc = 1 + trial % 5, n = d * nc;
        double W[225] = {0}, B[225], q[15], mu[5];
        for (int i = 0; i < n * n; i++) B[i] = 2 * sti_rng_u01(&rng) - 1;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) W[i * n + j] = (i == j ? 1 : 0) + dot(B + i * n, B + j * n, n);
            q[i] = 2 * sti_rng_u01(&rng) - 1.5;
        }
        for (int c = 0; c < nc; c++) mu[c] = 0.3;
        const sti_contact_problem p = {
            .dimension = d, .contact_count = nc, .mu = mu, .W = sti_matrix_dense_view(n, n, W), .q = q};
        sti_contact_answer a = solve(env, &p, STI_CONTACT_GS, 1e-9, false, "determined");
        sti_contact_answer b = solve(env, &p, STI_CONTACT_GS, 1e-9, true, "determined");
        assert_int_equal(b.undetermined_dimension, 0);
        assert_true(b.undetermined == 0);
        assert_memory_equal(a.r, b.r, (size_t)n * sizeof *a.r);
        sti_contact_answer_clear(env, &a);
        sti_contact_answer_clear(env, &b);
    }
    sti_env_destroy(env);
}

// --- optimality ----------------------------------------------------------------------------------------------------

// r of a tower by each solver is feasible for the program of the smallest r0: r0'(r - r0) >= 0, and the smallest of all
// solvers agree.
static void assert_smallest(sti_env* env, const sti_contact_problem* p, double tol, double near, const char* name) {
    static const sti_contact_solver solvers[] = {STI_CONTACT_GS, STI_CONTACT_NEWTON, STI_CONTACT_ADMM};
    const int n = p->dimension * p->contact_count;
    sti_contact_answer a = solve(env, p, STI_CONTACT_AUTO, tol, true, name);
    const double size = sqrt(dot(a.r, a.r, n));
    for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        sti_contact_answer b = solve(env, p, solvers[s], tol, false, name);
        if (!(dot(a.r, b.r, n) - size * size >= -near * size * size))
            fail_msg("%s by %s: %g below %g", name, sti_contact_solver_text(solvers[s]), dot(a.r, b.r, n), size * size);
        sti_contact_answer_clear(env, &b);
        b = solve(env, p, solvers[s], tol, true, name);
        double apart = 0;
        for (int i = 0; i < n; i++) apart = fmax(apart, fabs(a.r[i] - b.r[i]));
        if (!(apart <= near * size))
            fail_msg("%s by %s: %g apart of %g", name, sti_contact_solver_text(solvers[s]), apart, size);
        sti_contact_answer_clear(env, &b);
    }
    sti_contact_answer_clear(env, &a);
}

static void towers_have_one_smallest_force(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int way = 0; way < 3; way++) {
        pile p;
        const double velocity[3] = {way == 0 ? 0 : 0.03, 0, -0.1};
        pile_cubes(env, way == 2 ? 12 : 4, 0.6, velocity, &p);
        for (int c = 0; way == 1 && c < 4; c++) p.mu[c] = 0.1;  // the lowest cube slides, and the others with it
        sti_matrix W;                                           // with the entries of each place added up
        assert_int_equal(sti_matrix_to_dense(env, &p.W, &W), STI_OK);
        const sti_contact_problem posed = {
            .dimension = 3, .contact_count = p.contact_count, .mu = p.mu, .W = W, .q = p.q};
        assert_smallest(env, &posed, 1e-9, 1e-5, "tower");
        sti_matrix_clear(env, &W);
        pile_free(&p);
    }
    sti_env_destroy(env);
}

// --- the edges -----------------------------------------------------------------------------------------------------

static void nothing_carries(void** state) {
    (void)state;
    sti_env* env = open_env();
    double W[4] = {1, 0, 0, 1}, q[2] = {1, 0}, mu[1] = {0.5};
    const sti_contact_problem apart = {
        .dimension = 2, .contact_count = 1, .mu = mu, .W = sti_matrix_dense_view(2, 2, W), .q = q};
    const sti_contact_problem none = {.dimension = 3, .q = q};
    sti_contact_answer a = solve(env, &apart, STI_CONTACT_AUTO, 1e-8, true, "apart");
    assert_true(a.undetermined == 0 && a.undetermined_dimension == 0);
    sti_contact_answer_clear(env, &a);
    a = solve(env, &none, STI_CONTACT_AUTO, 1e-8, true, "no contact");
    assert_true(a.undetermined == 0 && a.undetermined_dimension == 0);
    sti_contact_answer_clear(env, &a);
    sti_env_destroy(env);
}

static void an_operator_is_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double q[2] = {-1, 0}, mu[1] = {0.5}, diagonal[4] = {1, 0, 0, 1};
    const sti_contact_operator op = {.apply = stay, .diagonal = diagonal};
    const sti_contact_problem p = {.dimension = 2, .contact_count = 1, .mu = mu, .W_op = &op, .q = q};
    sti_contact_options options = sti_contact_options_default();
    options.minimum_norm = true;
    sti_contact_answer a;
    assert_int_equal(sti_contact_solve(env, &p, &options, &a), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(env)->text, "minimum_norm"));
    sti_env_destroy(env);
}

static void failed_allocations_are_survived(void** state) {
    (void)state;
    for (int form = 0; form < 3; form++) {
        contact_box m;
        make_box(&m, 0.3, 0.5);
        if (form == 2) hold_box(&m, 2);
        sti_contact_options options = sti_contact_options_default();
        options.minimum_norm = true;
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_contact_answer a;
            const sti_status status = sti_contact_solve(f.env, form == 0 ? &m.local : &m.global, &options, &a);
            if (status == STI_OK)
                sti_contact_answer_clear(f.env, &a);
            else
                assert_int_equal(status, STI_ERR_MEMORY);
            if (failing_env_close(&f)) {
                assert_int_equal(status, STI_OK);
                break;
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_at_rest_presses_equally_on_its_corners),
        cmocka_unit_test(a_box_on_a_slope_has_the_forces_of_least_squares),
        cmocka_unit_test(a_sliding_box_keeps_its_directions),
        cmocka_unit_test(joints_take_part),
        cmocka_unit_test(repeated_contacts_share_alike),
        cmocka_unit_test(determined_forces_stay_as_they_are),
        cmocka_unit_test(towers_have_one_smallest_force),
        cmocka_unit_test(nothing_carries),
        cmocka_unit_test(an_operator_is_refused),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
