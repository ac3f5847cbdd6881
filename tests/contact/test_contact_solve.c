// test_contact_solve.c: contact problems through the front door. Files, bodies whose motion is known in closed form,
// joints, massless velocities, the edges of the data, memory that runs out. Every solved answer passes the independent
// check.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stiction/contact.h>
#include <stiction/io.h>
#include <string.h>

#include "contact/problem_tools.h"
#include "support/contact_box.h"
#include "support/failing_env.h"
#include "support/open_env.h"

// Solve with tol; the answer must be solved and accepted.
static sti_contact_answer solve_by(sti_env* env, const sti_contact_problem* p, sti_contact_solver solver, double tol,
                                   const char* name) {
    sti_contact_options options = sti_contact_options_default();
    options.solver = solver;
    options.tol = tol;
    sti_contact_answer a;
    const sti_status status = sti_contact_solve(env, p, &options, &a);
    if (status != STI_OK) print_message("%s: %s\n", name, sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    sti_contact_verification v;
    assert_int_equal(sti_verify_contact(env, p, &a, tol * (1 + 1e-6), &v), STI_OK);
    if (a.outcome != STI_SOLVED || !v.accepted)
        print_message("%s by %s: %s, residual %g; %s\n", name, sti_contact_solver_text(solver), a.reason, a.residual,
                      v.text);
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_true(v.accepted);
    return a;
}

static sti_contact_answer solve(sti_env* env, const sti_contact_problem* p, double tol, const char* name) {
    return solve_by(env, p, STI_CONTACT_AUTO, tol, name);
}

// --- files ---------------------------------------------------------------------------------------------------------

static void every_problem_of_the_collection_is_solved_and_accepted(void** state) {
    (void)state;
    static const char* const kinds[] = {"fc2d", "fc3d", "gfc2d", "gfc3d"};
    sti_env* env = open_env();
    int count = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/problems/%s", STI_SHARED_DIR, kinds[k]);
        DIR* folder = opendir(path);
        if (folder == NULL) continue;
        for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
            if (strstr(entry->d_name, ".hdf5") == NULL) continue;
            char name[512];
            snprintf(name, sizeof name, "%s/%s", kinds[k], entry->d_name);
            sti_document* file = load(env, name);
            sti_contact_answer a = solve(env, sti_contact_problem_of(file), 1e-8, name);
            sti_contact_answer_clear(env, &a);
            sti_document_destroy(file);
            count++;
        }
        closedir(folder);
    }
    sti_env_destroy(env);
    print_message("%s (%d problems)\n", count == 0 ? "no collection of problems here" : "the collection", count);
    if (count == 0) skip();
}

// --- a box on a plane ----------------------------------------------------------------------------------------------

static double normal_sum(const sti_contact_answer* a) {
    double sum = 0;
    for (int c = 0; c < a->contact_count; c++) sum += a->r[a->dimension * c];
    return sum;
}

static void a_box_below_the_friction_angle_sticks(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double slopes[] = {0, 0.1, 0.3, 0.45};  // atan 0.5 = 0.4636
    for (size_t k = 0; k < sizeof slopes / sizeof *slopes; k++) {
        for (int s = 0; s < STI_CONTACT_SOLVER_COUNT; s++) {
            for (int form = s == STI_CONTACT_VELOCITIES; form < 2; form++) {
                contact_box m;
                make_box(&m, slopes[k], 0.5);
                const sti_contact_problem* p = form == 0 ? &m.local : &m.global;
                const double tol = s == STI_CONTACT_AUTO ? 1e-13 : 1e-8, near = s == STI_CONTACT_AUTO ? 1e-12 : 1e-6;
                sti_contact_answer a = solve_by(env, p, (sti_contact_solver)s, tol, "box at rest");
                assert_true(largest(a.u, 12) <= near);
                assert_true(fabs(normal_sum(&a) - cos(slopes[k])) <= near);
                for (int c = 0; c < 4; c++) {  // sticks: pressed, and inside the cone
                    if (s == STI_CONTACT_AUTO) assert_int_equal(a.mode[c], STI_MODE_STICK);
                    // a basic solution may leave a corner unloaded
                    assert_true(s == STI_CONTACT_LEMKE ? a.r[3 * c] >= 0 : a.r[3 * c] > 0);
                    assert_true(hypot(a.r[3 * c + 1], a.r[3 * c + 2]) <= 0.5 * a.r[3 * c] + near);
                }
                sti_contact_answer_clear(env, &a);
            }
        }
    }
    sti_env_destroy(env);
}

static void a_box_above_the_friction_angle_slides_as_it_must(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double slopes[] = {0.48, 0.6, 0.75};  // it would tip beyond pi / 4
    for (size_t k = 0; k < sizeof slopes / sizeof *slopes; k++) {
        const double speed = sin(slopes[k]) - 0.5 * cos(slopes[k]);
        for (int s = 0; s < STI_CONTACT_SOLVER_COUNT; s++) {
            for (int form = s == STI_CONTACT_VELOCITIES; form < 2; form++) {
                contact_box m;
                make_box(&m, slopes[k], 0.5);
                sti_contact_answer a =
                    solve_by(env, form == 0 ? &m.local : &m.global, (sti_contact_solver)s, 1e-10, "sliding box");
                for (int c = 0; c < 4; c++) {
                    assert_true(fabs(a.u[3 * c]) <= 1e-8 && fabs(a.u[3 * c + 2]) <= 1e-8);
                    assert_true(fabs(a.u[3 * c + 1] - speed) <= 1e-8);
                }
                assert_true(fabs(normal_sum(&a) - cos(slopes[k])) <= 1e-8);
                if (form == 1) assert_true(fabs(a.v[0] - speed) <= 1e-8);
                sti_contact_answer_clear(env, &a);
            }
        }
    }
    sti_env_destroy(env);
}

// --- joints and massless velocities --------------------------------------------------------------------------------

// The joint lets the box down at the speed 1/8, slower than it would go by itself: l = 1/8 - sin + mu cos.
static void joints_slow_a_box_on_a_steep_slope_also_when_redundant(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int s = 0; s < STI_CONTACT_VELOCITIES; s++) {
        for (int way = 0; way < 4; way++) {
            const int count = 1 + way % 2;
            const double mu = way < 2 ? 0 : 0.5;
            contact_box m;
            make_box(&m, 0.7, mu);
            hold_box(&m, count);
            m.b[0] = m.b[1] = -0.125;
            sti_contact_answer a = solve_by(env, &m.global, (sti_contact_solver)s, 1e-8, "box on joints");
            assert_true(fabs(a.v[0] - 0.125) <= 1e-6 && largest(a.v + 1, 5) <= 1e-6);
            assert_true(fabs(normal_sum(&a) - cos(0.7)) <= 1e-6);
            const double pull = count == 1 ? a.lambda[0] : a.lambda[0] + a.lambda[1];
            assert_true(fabs(pull - (0.125 - sin(0.7) + mu * cos(0.7))) <= 1e-6);
            sti_contact_answer_clear(env, &a);
        }
    }
    sti_env_destroy(env);
}

// A joint at rest, b = 0 and G'v = 0: measured against the velocities it undoes, not against its own rounding.
static void joints_at_rest_hold_a_box(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int way = 0; way < 4; way++) {
        contact_box m;
        make_box(&m, 0.7, way < 2 ? 0 : 0.5);
        hold_box(&m, 1 + way % 2);
        sti_contact_answer a = solve(env, &m.global, 1e-8, "box held at rest");
        assert_true(largest(a.v, 6) <= 1e-7);
        assert_true(fabs(normal_sum(&a) - cos(0.7)) <= 1e-7);
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

static void bilateral_rows_of_a_local_problem_are_kept(void** state) {
    (void)state;
    sti_env* env = open_env();
    // two contacts under unit masses; a joint makes their tangential velocities equal
    for (int redundant = 0; redundant < 2; redundant++) {
        double W[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, q[4] = {-1, 2, -1, 0}, mu[2] = {0.1, 0.2};
        double V[8] = {0}, R[4] = {2, 0, 0, 0}, s[2] = {-2, -2};
        const int nb = 1 + redundant;
        for (int k = 0; k < nb; k++) V[nb + k] = -1, V[3 * nb + k] = 1;
        // 0 = V'r + R l + s with R = V'V: the joint acts on the masses themselves
        if (redundant) R[1] = R[2] = R[3] = 2;
        const sti_contact_problem p = {.dimension = 2,
                                       .contact_count = 2,
                                       .mu = mu,
                                       .bilateral_count = nb,
                                       .W = sti_matrix_dense_view(4, 4, W),
                                       .q = q,
                                       .V = sti_matrix_dense_view(4, nb, V),
                                       .R = sti_matrix_dense_view(nb, nb, R),
                                       .s = s};
        sti_contact_answer a = solve(env, &p, 1e-10, "joined sliders");
        assert_true(fabs(a.u[1] - a.u[3]) <= 1e-9);
        assert_true(fabs(a.u[1] - (2 - 0.3) / 2) <= 1e-9);  // both slide: momentum 2, friction 0.1 + 0.2
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

// A block (mass 1) on a massless plate on the ground, 2D: v = (block x, y, plate x, y). Pushed by fx, pressed by 1.
static void a_massless_plate_passes_the_force_on(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double units[] = {1, 1e-6, 1e6};
    for (int way = 0; way < 6; way++) {
        const double mass = units[way / 2], fx = way % 2 == 0 ? 0.2 : 0.8, mu[2] = {0.5, 0.6};
        double M[16] = {mass, 0, 0, 0, 0, mass};
        double H[16] = {0, 1, 0, 0, 1, 0, 0, 0, 0, -1, 0, 1, -1, 0, 1, 0};  // columns: n, t of each contact
        const double f[4] = {fx, -1, 0, 0}, w[4] = {0};
        const sti_contact_problem p = {.dimension = 2,
                                       .contact_count = 2,
                                       .mu = mu,
                                       .global = true,
                                       .velocity_count = 4,
                                       .M = sti_matrix_dense_view(4, 4, M),
                                       .H = sti_matrix_dense_view(4, 4, H),
                                       .f = f,
                                       .w = w};
        sti_contact_answer a = solve(env, &p, 1e-8, "plate");
        assert_true(fabs(a.r[0] - 1) <= 1e-6 && fabs(a.r[2] - 1) <= 1e-6);
        assert_true(fabs(mass * a.v[0] - (way % 2 == 0 ? 0 : 0.3)) <= 1e-6);
        assert_true(fabs(mass * a.v[2]) <= 1e-6);
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

// The block and a massless handle that a joint makes slower by 1/10 in x; the force acts on the handle, the contact on
// the block, or the other way round.
static void a_massless_handle_is_held_by_its_joints(void** state) {
    (void)state;
    sti_env* env = open_env();
    static const double units[] = {1, 1e-6, 1e6};
    for (int way = 0; way < 6; way++) {
        const double mass = units[way / 2], mu[1] = {0.5};
        double M[16] = {mass, 0, 0, 0, 0, mass}, H[8] = {0}, G[8] = {1, 0, 0, 1, -1, 0, 0, -1};
        double f[4] = {0}, w[2] = {0}, b[2] = {-0.1 / mass, 0};
        const int touched = way % 2 == 0 ? 0 : 2, pushed = 2 - touched;
        H[2 * touched + 1] = 1, H[2 * (touched + 1)] = 1;
        f[pushed] = 0.8, f[pushed + 1] = -1;
        const sti_contact_problem p = {.dimension = 2,
                                       .contact_count = 1,
                                       .mu = mu,
                                       .global = true,
                                       .bilateral_count = 2,
                                       .velocity_count = 4,
                                       .M = sti_matrix_dense_view(4, 4, M),
                                       .H = sti_matrix_dense_view(4, 2, H),
                                       .G = sti_matrix_dense_view(4, 2, G),
                                       .f = f,
                                       .w = w,
                                       .b = b};
        sti_contact_answer a = solve(env, &p, 1e-8, "handle");
        assert_true(fabs(a.r[0] - 1) <= 1e-6);
        assert_true(fabs(mass * a.v[0] - 0.3) <= 1e-6 && fabs(mass * a.v[2] - 0.2) <= 1e-6);
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

// --- the edges of the data -----------------------------------------------------------------------------------------

static void nothing_to_touch_is_solved(void** state) {
    (void)state;
    sti_env* env = open_env();
    double M[4] = {2, 0, 0, 4}, f[2] = {2, 2}, none[1] = {0};
    const sti_contact_problem local_form = {.dimension = 3, .q = none};
    const sti_contact_problem global_form = {.dimension = 3,
                                             .global = true,
                                             .velocity_count = 2,
                                             .M = sti_matrix_dense_view(2, 2, M),
                                             .H = sti_matrix_dense_view(2, 0, none),
                                             .f = f,
                                             .w = none};
    for (int s = 0; s < STI_CONTACT_VELOCITIES; s++) {
        sti_contact_answer a = solve_by(env, &local_form, (sti_contact_solver)s, 1e-8, "no contact");
        assert_int_equal(a.worst_contact, -1);
        sti_contact_answer_clear(env, &a);
        a = solve_by(env, &global_form, (sti_contact_solver)s, 1e-8, "no contact");
        assert_true(a.v[0] == 1 && a.v[1] == 0.5);
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

static void friction_may_be_absent_or_huge(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int s = 0; s < STI_CONTACT_VELOCITIES; s++) {
        contact_box m;
        make_box(&m, 0.5, 0);
        sti_contact_answer a = solve_by(env, &m.local, (sti_contact_solver)s, 1e-8, "ice");
        for (int c = 0; c < 4; c++) assert_true(fabs(a.u[3 * c + 1] - sin(0.5)) <= 1e-6);
        sti_contact_answer_clear(env, &a);
    }
    static const double mus[] = {1e1, 1e2, 1e4, 1e6};
    for (int k = 0; k < 4; k++) {
        contact_box m;
        make_box(&m, 0.5, mus[k]);
        sti_contact_answer a = solve(env, &m.local, 1e-8, "glue");
        assert_true(largest(a.u, 12) <= 1e-6);
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

// A particle between two closing walls: u_n1 + u_n2 = -2 whatever r is. Large r makes any residual relative to it
// small.
static void an_infeasible_squeeze_is_proved_to_have_no_solution(void** state) {
    (void)state;
    sti_env* env = open_env();
    double W[16] = {1, 0, -1, 0, 0, 1, 0, 1, -1, 0, 1, 0, 0, 1, 0, 1}, q[4] = {-1, 0, -1, 0}, mu[2] = {0.3, 0.3};
    const sti_contact_problem p = {
        .dimension = 2, .contact_count = 2, .mu = mu, .W = sti_matrix_dense_view(4, 4, W), .q = q};
    static const double tols[] = {1e-3, 1e-4, 1e-8};
    for (int s = 0; s < STI_CONTACT_VELOCITIES; s++) {
        for (int k = 0; k < 3; k++) {
            sti_contact_options options = sti_contact_options_default();
            options.solver = (sti_contact_solver)s;
            options.tol = tols[k];
            sti_contact_answer a;
            assert_int_equal(sti_contact_solve(env, &p, &options, &a), STI_OK);
            if (a.outcome != STI_NO_SOLUTION)
                fail_msg("%s at %g: %s", sti_contact_solver_text(options.solver), tols[k], sti_outcome_text(a.outcome));
            assert_true(a.certificate.y[0] == a.certificate.y[1] && a.certificate.y[0] > 0);
            assert_true(isinf(a.certificate.bound));
            assert_non_null(strstr(a.diagnosis, "no motion keeps every contact closed"));
            assert_non_null(strstr(a.diagnosis, "not pointed"));
            sti_contact_verification v;
            assert_int_equal(sti_verify_contact(env, &p, &a, tols[k], &v), STI_OK);
            if (!v.accepted || !v.exact) fail_msg("%s", v.text);
            sti_contact_answer_clear(env, &a);
        }
    }
    sti_env_destroy(env);
}

static void assert_refused(sti_env* env, const sti_contact_problem* p, const char* words) {
    sti_contact_answer a;
    assert_int_equal(sti_contact_solve(env, p, NULL, &a), STI_ERR_ARGUMENT);
    if (strstr(sti_env_error(env)->text, words) == NULL)
        print_message("'%s' does not say '%s'\n", sti_env_error(env)->text, words);
    assert_non_null(strstr(sti_env_error(env)->text, words));
    assert_null(a.r);
}

static void bad_input_is_named(void** state) {
    (void)state;
    sti_env* env = open_env();
    contact_box m;
    make_box(&m, 0, 0.5);
    m.mu[2] = -0.5;
    assert_refused(env, &m.local, "mu[2] is -0.5");
    m.mu[2] = NAN;
    assert_refused(env, &m.global, "mu[2]");
    make_box(&m, 0, 0.5);
    m.W[12 + 3] = NAN;
    assert_refused(env, &m.local, "W[1][3]");
    make_box(&m, 0, 0.5);
    m.q[7] = INFINITY;
    assert_refused(env, &m.local, "q[7] is inf");
    make_box(&m, 0, 0.5);
    m.local.W.rows = 11;
    assert_refused(env, &m.local, "W is 11 x 12");
    m.global.H.cols = 9;
    assert_refused(env, &m.global, "H is 6 x 9");
    m.global.H.cols = 12;
    m.global.f = NULL;
    assert_refused(env, &m.global, "f is missing");
    make_box(&m, 0, 0.5);
    m.local.dimension = 4;
    assert_refused(env, &m.local, "dimension is 4");
    m.local.dimension = 3;
    m.local.contact_count = -1;
    assert_refused(env, &m.local, "negative");
    sti_env_destroy(env);
}

// --- memory --------------------------------------------------------------------------------------------------------

static void failed_allocations_are_survived_by_every_solver(void** state) {
    (void)state;
    for (int s = 0; s < STI_CONTACT_SOLVER_COUNT; s++) {
        for (int form = 0; form < 3; form++) {
            contact_box m;
            make_box(&m, 0.6, 0.5);
            if (form == 2) hold_box(&m, 2);
            const sti_contact_problem* p = form == 0 ? &m.local : &m.global;
            sti_contact_options options = sti_contact_options_default();
            options.solver = (sti_contact_solver)s;
            for (long k = 0;; k++) {
                failing_env f;
                failing_env_open(&f, k);
                sti_contact_answer a;
                const sti_status status = sti_contact_solve(f.env, p, &options, &a);
                if (status != STI_OK) {
                    assert_int_equal(status, STI_ERR_MEMORY);
                    assert_null(a.r);
                } else {
                    sti_contact_answer_clear(f.env, &a);
                }
                if (failing_env_close(&f)) {
                    assert_int_equal(status, STI_OK);
                    break;
                }
            }
        }
    }
}

static void failed_allocations_are_survived_by_residual_and_description(void** state) {
    (void)state;
    for (int call = 0; call < 2; call++) {
        contact_box m;
        make_box(&m, 0.6, 0.5);
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, -1);
            sti_contact_answer a;
            sti_contact_options options = sti_contact_options_default();
            options.describe = false;
            assert_int_equal(sti_contact_solve(f.env, &m.global, &options, &a), STI_OK);
            f.count = 0;
            f.fail_at = k;
            const sti_status status =
                call == 0 ? sti_contact_residual(f.env, &m.global, &a) : sti_contact_describe(f.env, &m.global, &a);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            const bool done = f.count <= k;
            f.fail_at = -1;
            sti_contact_answer_clear(f.env, &a);
            failing_env_close(&f);
            if (done) {
                assert_int_equal(status, STI_OK);
                break;
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_problem_of_the_collection_is_solved_and_accepted),
        cmocka_unit_test(a_box_below_the_friction_angle_sticks),
        cmocka_unit_test(a_box_above_the_friction_angle_slides_as_it_must),
        cmocka_unit_test(joints_slow_a_box_on_a_steep_slope_also_when_redundant),
        cmocka_unit_test(joints_at_rest_hold_a_box),
        cmocka_unit_test(an_infeasible_squeeze_is_proved_to_have_no_solution),
        cmocka_unit_test(bilateral_rows_of_a_local_problem_are_kept),
        cmocka_unit_test(a_massless_plate_passes_the_force_on),
        cmocka_unit_test(a_massless_handle_is_held_by_its_joints),
        cmocka_unit_test(nothing_to_touch_is_solved),
        cmocka_unit_test(friction_may_be_absent_or_huge),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(failed_allocations_are_survived_by_every_solver),
        cmocka_unit_test(failed_allocations_are_survived_by_residual_and_description),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
