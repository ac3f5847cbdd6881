// test_contact_ipm.c: the interior-point method for contact problems. Files, bodies with known motions, the edges of
// the data, memory that runs out. Every solved answer passes the independent check.
#include <math.h>
#include <stdio.h>
#include <stiction/contact.h>
#include <stiction/io.h>
#include <string.h>

#include "base/rng.h"
#include "contact/problem_tools.h"
#include "support/failing_env.h"
#include "support/open_env.h"

static sti_contact_answer run(sti_env* env, const sti_contact_problem* p, double tol) {
    sti_contact_options options = sti_contact_options_default();
    options.solver = STI_CONTACT_IPM;
    options.tol = tol;
    sti_contact_answer a;
    assert_int_equal(sti_contact_solve(env, p, &options, &a), STI_OK);
    return a;
}

// Solved within tol, and accepted.
static sti_contact_answer solve(sti_env* env, const sti_contact_problem* p, double tol, const char* name) {
    sti_contact_answer a = run(env, p, tol);
    sti_contact_verification v;
    assert_int_equal(sti_verify_contact(env, p, &a, tol * (1 + 1e-6), &v), STI_OK);
    if (a.outcome != STI_SOLVED || !v.accepted)
        print_message("%s: %s, residual %g; %s\n", name, a.reason, a.residual, v.text);
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_int_equal(a.solver, STI_CONTACT_IPM);
    assert_true(v.accepted);
    return a;
}

// --- files ---------------------------------------------------------------------------------------------------------

static void problems_of_the_collection_are_solved(void** state) {
    (void)state;
    static const char* const files[] = {
        "fc2d/FC2D_SliderCrankLagrangian00000",
        "fc2d/FC2D_SliderCrankLagrangian00001",
        "fc2d/FrictionContactProblem00031",
        "fc2d/gfc2d_granularflowonwall_00069_00350_reduced",
        "fc3d/BoxesStack1-i100000-32",
        "fc3d/FrictionContact3D_1c",
        "fc3d/FrictionContact3D_RR_1c",
        "fc3d/LMGC_100_PR_PerioBox-i00361-60-03000",
        "fc3d/NESpheres_10_1",
        "fc3d/OneObject-i100000-499",
        "fc3d/OneObject-i1028-138",
        "fc3d/Rover1039",
        "fc3d/Rover1040",
        "fc3d/Rover4144",
        "fc3d/Rover4516",
        "fc3d/OneObject-i100000-316",
        "fc3d/Rover1041",
        "fc3d/Rover4609",
        "fc3d/Rover4622",
        "gfc2d/gfc2d_granularflowonwall_00069_00350",
        "gfc3d/CubeH8",
        "gfc3d/GFC3D_TwoRods1",
    };
    sti_env* env = open_env();
    int count = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/problems/%s.hdf5", STI_SHARED_DIR, files[i]);
        sti_document* file;
        if (sti_document_load(env, path, &file) != STI_OK) continue;
        sti_contact_answer a = solve(env, sti_contact_problem_of(file), 1e-8, files[i]);
        sti_contact_answer_clear(env, &a);
        sti_document_destroy(file);
        count++;
    }
    sti_env_destroy(env);
    print_message("%d problems\n", count);
    if (count == 0) skip();
}

// --- one body ------------------------------------------------------------------------------------------------------

// W = J M^-1 J', q = J v for a body with the given contacts (position, normal along z).
typedef struct body {
    int nc;
    double W[24 * 24], q[24], mu[8];
    sti_contact_problem p;
} body;

static void place(body* b, int nc, const double (*at)[3], const double* v, double mu) {
    double J[24][6] = {{0}};
    const double weight[6] = {1, 1, 1, 6, 6, 6};  // inverse of mass and inertia: the unit cube of mass 1
    memset(b, 0, sizeof *b);
    b->nc = nc;
    for (int c = 0; c < nc; c++) {
        const double *x = at[c], frame[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
        for (int i = 0; i < 3; i++) {
            const double* e = frame[i];
            const double row[6] = {
                e[0], e[1], e[2], x[1] * e[2] - x[2] * e[1], x[2] * e[0] - x[0] * e[2], x[0] * e[1] - x[1] * e[0]};
            memcpy(J[3 * c + i], row, sizeof row);
        }
        b->mu[c] = mu;
    }
    for (int i = 0; i < 3 * nc; i++) {
        for (int k = 0; k < 6; k++) b->q[i] += J[i][k] * v[k];
        for (int j = 0; j < 3 * nc; j++) {
            for (int k = 0; k < 6; k++) b->W[i * 3 * nc + j] += J[i][k] * weight[k] * J[j][k];
        }
    }
    b->p = (sti_contact_problem){
        .dimension = 3, .contact_count = nc, .mu = b->mu, .W = sti_matrix_dense_view(3 * nc, 3 * nc, b->W), .q = b->q};
}

static const double corners[4][3] = {{.5, .5, -.5}, {-.5, .5, -.5}, {-.5, -.5, -.5}, {.5, -.5, -.5}};

static void a_cube_on_four_corners_sticks(void** state) {
    (void)state;
    sti_env* env = open_env();
    body b;
    place(&b, 4, corners, (double[]){0.1, 0.05, -1, 0, 0, 0}, 0.5);
    sti_contact_answer a = solve(env, &b.p, 1e-10, "cube at rest");
    assert_true(largest(a.u, 12) < 1e-9);
    for (int c = 0; c < 4; c++) assert_int_equal(a.mode[c], STI_MODE_STICK);
    sti_contact_answer_clear(env, &a);
    sti_env_destroy(env);
}

static void a_cube_pushed_hard_slides_with_the_friction_of_its_weight(void** state) {
    (void)state;
    sti_env* env = open_env();
    body b;
    place(&b, 4, corners, (double[]){2, 0, -1, 0, 0, 0},
          0.5);  // impulse 1 at most 1/2 of friction: 3/2 is left, no tipping
    sti_contact_answer a = solve(env, &b.p, 1e-9, "sliding cube");
    double normal = 0, along = 0;
    for (int c = 0; c < 4; c++) {
        normal += a.r[3 * c];
        along += a.r[3 * c + 1];
        assert_true(fabs(a.u[3 * c]) < 1e-8 && fabs(a.u[3 * c + 1] - 1.5) < 1e-8 && fabs(a.u[3 * c + 2]) < 1e-8);
    }
    assert_true(fabs(normal - 1) < 1e-8 && fabs(along + 0.5) < 1e-8);
    sti_contact_answer_clear(env, &a);
    sti_env_destroy(env);
}

static void friction_may_be_zero_huge_or_mixed(void** state) {
    (void)state;
    sti_env* env = open_env();
    const double mus[] = {0, 1e-6, 1e-2, 1, 1e2, 1e4};
    for (size_t i = 0; i < sizeof mus / sizeof *mus; i++) {
        body b;
        place(&b, 4, corners, (double[]){0.3, 0, -1, 0, 0, 0.2}, mus[i]);
        char name[40];
        snprintf(name, sizeof name, "mu = %g", mus[i]);
        sti_contact_answer a = solve(env, &b.p, 1e-8, name);
        if (mus[i] == 0) assert_true(fabs(a.u[2]) > 0 && fabs(a.r[1]) + fabs(a.r[2]) == 0);
        if (mus[i] >= 1) assert_true(largest(a.u, 12) < 1e-7);
        sti_contact_answer_clear(env, &a);
        b.mu[1] = 0;
        b.mu[3] = 0.3;
        a = solve(env, &b.p, 1e-8, "mixed mu");
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

static void units_do_not_matter(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int power = -6; power <= 6; power += 6) {
        body b;
        place(&b, 3, corners, (double[]){2, 0.3, -1, 0.1, 0, 0.4}, 0.4);  // four would leave r, and so u, undetermined
        sti_contact_answer a = solve(env, &b.p, 1e-8, "units");
        const double speed = pow(10, power), force = pow(10, -power / 2.);
        for (int i = 0; i < 81; i++) b.W[i] *= speed / force;
        for (int i = 0; i < 9; i++) b.q[i] *= speed;
        sti_contact_answer s = solve(env, &b.p, 1e-8, "other units");
        for (int i = 0; i < 9; i++) assert_true(fabs(s.u[i] / speed - a.u[i]) < 1e-6);
        sti_contact_answer_clear(env, &a);
        sti_contact_answer_clear(env, &s);
    }
    sti_env_destroy(env);
}

static void a_W_that_is_a_little_unsymmetric_is_solved_as_given(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {3};
    body b;
    place(&b, 4, corners, (double[]){2, 0.3, -1, 0.1, 0, 0.4}, 0.4);
    for (int i = 0; i < 12; i++) b.W[i * 13] += 1e-2;  // regular
    for (int i = 0; i < 144; i++) b.W[i] *= 1 + 2e-3 * (sti_rng_u01(&rng) - 0.5);
    sti_contact_answer a = solve(env, &b.p, 1e-9, "unsymmetric");
    sti_contact_answer_clear(env, &a);
    sti_env_destroy(env);
}

static void a_good_guess_is_taken(void** state) {
    (void)state;
    sti_env* env = open_env();
    body b;
    place(&b, 4, corners, (double[]){2, 0.3, -1, 0.1, 0, 0.4}, 0.4);
    sti_contact_answer a = solve(env, &b.p, 1e-8, "first");
    sti_contact_options options = sti_contact_options_default();
    options.solver = STI_CONTACT_IPM;
    options.guess_r = a.r;
    sti_contact_answer again;
    assert_int_equal(sti_contact_solve(env, &b.p, &options, &again), STI_OK);
    assert_int_equal(again.outcome, STI_SOLVED);
    assert_int_equal(again.iterations, 0);
    sti_contact_answer_clear(env, &a);
    sti_contact_answer_clear(env, &again);
    sti_env_destroy(env);
}

// --- where there is nothing to find --------------------------------------------------------------------------------

// A body between two walls that close in: u_1 = v - 1 >= 0 and u_2 = -v - 1 >= 0.
static void a_squeezed_body_is_not_called_solved(void** state) {
    (void)state;
    sti_env* env = open_env();
    double W[16] = {1, 0, -1, 0, 0, 1, 0, -1, -1, 0, 1, 0, 0, -1, 0, 1}, q[4] = {-1, 0.2, -1, 0.1};
    for (int i = 0; i < 2; i++) {
        const double mu[2] = {0.3 * i, 0.3 * i};
        const sti_contact_problem p = {
            .dimension = 2, .contact_count = 2, .mu = mu, .W = sti_matrix_dense_view(4, 4, W), .q = q};
        sti_contact_answer a = run(env, &p, 1e-8);
        assert_int_not_equal(a.outcome, STI_SOLVED);
        assert_true(a.reason[0] != 0);
        sti_contact_answer_clear(env, &a);
    }
    sti_env_destroy(env);
}

static void apply(void* user, const double* r, double* u) {
    const body* b = user;
    for (int i = 0; i < 3 * b->nc; i++) {
        u[i] = 0;
        for (int j = 0; j < 3 * b->nc; j++) u[i] += b->W[i * 3 * b->nc + j] * r[j];
    }
}

static void an_operator_or_a_negative_W_is_refused_with_a_word(void** state) {
    (void)state;
    sti_env* env = open_env();
    body b;
    place(&b, 4, corners, (double[]){2, 0.3, -1, 0.1, 0, 0.4}, 0.4);
    double diagonal[4 * 9];
    for (int c = 0; c < 4; c++) {
        for (int i = 0; i < 9; i++) diagonal[9 * c + i] = b.W[(3 * c + i / 3) * 12 + 3 * c + i % 3];
    }
    const sti_contact_operator op = {.user = &b, .apply = apply, .diagonal = diagonal};
    sti_contact_problem p = b.p;
    p.W = (sti_matrix){0};
    p.W_op = &op;
    sti_contact_answer a = run(env, &p, 1e-8);
    assert_int_not_equal(a.outcome, STI_SOLVED);
    assert_int_equal(a.termination, STI_END_NOT_APPLICABLE);
    sti_contact_answer_clear(env, &a);
    for (int i = 0; i < 3; i++) b.W[i * 13] = -1;
    a = run(env, &b.p, 1e-8);
    assert_int_equal(a.termination, STI_END_NOT_APPLICABLE);
    sti_contact_answer_clear(env, &a);
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    body b;
    place(&b, 4, corners, (double[]){2, 0.3, -1, 0.1, 0, 0.4}, 0.4);
    b.mu[2] = 0;
    for (int i = 0; i < 144; i++) b.W[i] *= 1 + 1e-4 * (i % 5);
    sti_contact_options options = sti_contact_options_default();
    options.solver = STI_CONTACT_IPM;
    options.tol = 1e-6;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_contact_answer a;
        const sti_status status = sti_contact_solve(f.env, &b.p, &options, &a);
        if (status == STI_OK)
            sti_contact_answer_clear(f.env, &a);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_of_the_collection_are_solved),
        cmocka_unit_test(a_cube_on_four_corners_sticks),
        cmocka_unit_test(a_cube_pushed_hard_slides_with_the_friction_of_its_weight),
        cmocka_unit_test(friction_may_be_zero_huge_or_mixed),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(a_W_that_is_a_little_unsymmetric_is_solved_as_given),
        cmocka_unit_test(a_good_guess_is_taken),
        cmocka_unit_test(a_squeezed_body_is_not_called_solved),
        cmocka_unit_test(an_operator_or_a_negative_W_is_refused_with_a_word),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
