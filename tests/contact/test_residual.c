// test_residual.c: the residual that decides: no scaling of a contact changes it, nothing large hides what is small,
// and the problems by which an earlier one was refuted.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stiction/contact.h>
#include <stiction/io.h>
#include <string.h>

#include "contact/gauge.h"
#include "support/contact_families.h"
#include "support/contact_truth.h"
#include "support/open_env.h"

static double verified_residual(sti_env* env, const sti_contact_problem* p, const sti_contact_answer* a) {
    sti_contact_verification v;
    assert_int_equal(sti_verify_contact(env, p, a, 1e-8, &v), STI_OK);
    return v.residual;
}

// A point of a problem: r, v, lambda at random, u to be computed.
typedef struct point {
    double r[CASE_ROWS], u[CASE_ROWS], v[CASE_VELOCITIES], lambda[CASE_JOINTS];
    sti_contact_answer a;
} point;

static void make_point(point* x, const sti_contact_problem* p, sti_rng* rng) {
    *x = (point){0};
    for (int i = 0; i < p->dimension * p->contact_count; i++) x->r[i] = 2 * sti_rng_u01(rng) - 0.5;
    for (int i = 0; i < p->velocity_count; i++) x->v[i] = 2 * sti_rng_u01(rng) - 1;
    for (int i = 0; i < p->bilateral_count; i++) x->lambda[i] = 2 * sti_rng_u01(rng) - 1;
    x->a = (sti_contact_answer){.outcome = STI_SOLVED,
                                .dimension = p->dimension,
                                .contact_count = p->contact_count,
                                .velocity_count = p->global ? p->velocity_count : 0,
                                .bilateral_count = p->bilateral_count,
                                .r = x->r,
                                .u = x->u,
                                .v = p->global ? x->v : NULL,
                                .lambda = x->lambda};
}

// Contact c in other units: its velocities s times, its forces 1 / s times as large.
static void rescale(contact_case* k, point* x, int c, double s) {
    const sti_contact_problem* p = &k->p;
    const int d = p->dimension, n = d * p->contact_count;
    for (int j = d * c; j < d * c + d; j++) {
        for (int i = 0; i < n; i++) {
            k->W[i * n + j] *= s;
            k->W[j * n + i] *= s;
        }
        for (int i = 0; p->global && i < p->velocity_count; i++) k->H[i * n + j] *= s;
        k->w[j] *= s;
        k->q[j] *= s;
        x->r[j] /= s;
    }
}

static void the_scaling_of_a_contact_changes_nothing(void** state) {
    (void)state;
    sti_env* env = open_env();
    static contact_case k;
    for (uint64_t seed = 0; seed < 240; seed++) {
        sti_rng rng = {.state = seed};
        point x;
        case_make(&k, &rng, (int)(seed % FAMILY_COUNT));
        make_point(&x, &k.p, &rng);
        assert_int_equal(sti_contact_residual(env, &k.p, &x.a), STI_OK);
        const double before = x.a.residual, verified = verified_residual(env, &k.p, &x.a);
        for (int c = 0; c < k.p.contact_count; c++) rescale(&k, &x, c, case_scale(&rng));
        assert_int_equal(sti_contact_residual(env, &k.p, &x.a), STI_OK);
        assert_true(fabs(x.a.residual - before) <= 1e-12 * before);
        assert_true(fabs(verified_residual(env, &k.p, &x.a) - verified) <= 1e-12 * verified);
        assert_true(fabs(verified - before) <= 1e-10 * before);
    }
    sti_env_destroy(env);
}

// What is kept from one reading to the next belongs to the problem, not to the point.
static void points_read_one_after_the_other_are_as_if_alone(void** state) {
    (void)state;
    sti_env* env = open_env();
    static contact_case k;
    for (uint64_t seed = 0; seed < 240; seed++) {
        sti_rng rng = {.state = seed};
        sti_contact_gauge gauge;
        case_make(&k, &rng, (int)(seed % FAMILY_COUNT));
        assert_int_equal(sti_contact_gauge_open(env, &k.p, &gauge), STI_OK);
        for (int i = 0; i < 4; i++) {
            point x, alone;
            make_point(&x, &k.p, &rng);
            for (int j = 0; j < CASE_ROWS && i == 2; j++) x.r[j] *= 1e6;  // forces that run away: islands are asked for
            memcpy(&alone, &x, sizeof x);
            alone.a.r = alone.r, alone.a.u = alone.u, alone.a.lambda = alone.lambda;
            alone.a.v = k.p.global ? alone.v : NULL;
            sti_contact_gauge_read(&gauge, &x.a);
            assert_int_equal(sti_contact_residual(env, &k.p, &alone.a), STI_OK);
            assert_memory_equal(&x.a.residual, &alone.a.residual, sizeof(double));
            assert_memory_equal(&x.a.runaway, &alone.a.runaway, sizeof(double));
            assert_memory_equal(x.u, alone.u, sizeof x.u);
            assert_int_equal(x.a.worst_contact, alone.a.worst_contact);
        }
        sti_contact_gauge_close(env, &gauge);
    }
    sti_env_destroy(env);
}

// Two contacts of the plane that have nothing to do with each other, u = r + q: the first carries `large`, the second
// falls in by 1.
static double residual_beside(sti_env* env, double large, double coupling, double* verified) {
    double W[16] = {0}, q[4] = {-large, 0, -1, 0}, mu[2] = {0.5, 0.5}, r[4] = {large, 0, 0, 0}, u[4];
    for (int i = 0; i < 4; i++) W[5 * i] = 1;
    W[2] = W[8] = coupling;
    const sti_contact_problem p = {
        .dimension = 2, .contact_count = 2, .mu = mu, .W = sti_matrix_dense_view(4, 4, W), .q = q};
    sti_contact_answer a = {.outcome = STI_SOLVED, .dimension = 2, .contact_count = 2, .r = r, .u = u};
    assert_int_equal(sti_contact_residual(env, &p, &a), STI_OK);
    assert_int_equal(a.worst_contact, 1);
    *verified = verified_residual(env, &p, &a);
    return a.residual;
}

// Up to where it is rounding of the other, 2^-46.
static void a_contact_that_falls_in_is_seen_beside_a_larger_one(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int e = 0; e <= 12; e++) {
        for (int coupled = 0; coupled < 2; coupled++) {
            double verified;
            const double residual = residual_beside(env, pow(10, e), coupled ? -1e-3 * pow(10, -e) : 0, &verified);
            assert_true(residual >= 0.1 && verified >= 0.1);
        }
    }
    sti_env_destroy(env);
}

// Two walls that close on a bead by 1, by forces of 1e9 that cancel: against these the overlap is nothing. Far away,
// and not joined to it, a contact carries `large`.
static void forces_that_run_away_are_seen_beside_larger_ones(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int e = 0; e <= 12; e++) {
        const double large = pow(10, e);
        double W[36] = {0}, q[6] = {-1, 0, 0, 0, -large, 0}, mu[3] = {0}, r[6] = {1e9, 0, 1e9 - 0.5, 0, large, 0}, u[6];
        W[0] = W[14] = W[28] = 1;
        W[2] = W[12] = -1;
        const sti_contact_problem p = {
            .dimension = 2, .contact_count = 3, .mu = mu, .W = sti_matrix_dense_view(6, 6, W), .q = q};
        sti_contact_answer a = {.outcome = STI_SOLVED, .dimension = 2, .contact_count = 3, .r = r, .u = u};
        assert_int_equal(sti_contact_residual(env, &p, &a), STI_OK);
        assert_true(a.residual > 1e-8 && a.runaway > 1e6);
        assert_true(verified_residual(env, &p, &a) > 1e-8);
    }
    sti_env_destroy(env);
}

// ---- what was called solved, or solved and rejected

static sti_matrix dense_of(sti_env* env, const sti_matrix* A) {
    sti_matrix out = {0};
    if (A->rows > 0 && A->cols > 0) assert_int_equal(sti_matrix_to_dense(env, A, &out), STI_OK);
    return out;
}

// The problem with dense matrices (6, owned).
static sti_contact_problem make_dense(sti_env* env, const sti_contact_problem* p, sti_matrix* owned) {
    sti_contact_problem out = *p;
    sti_matrix* all[] = {&out.W, &out.V, &out.R, &out.M, &out.H, &out.G};
    for (int i = 0; i < 6; i++) *all[i] = owned[i] = dense_of(env, all[i]);
    return out;
}

// Right, or honestly open: what is claimed is accepted by the verifier; solved obeys the law at every contact, and is
// possible.
static sti_outcome try_file(sti_env* env, const char* path, sti_contact_solver solver) {
    sti_document* file;
    assert_int_equal(sti_document_load(env, path, &file), STI_OK);
    const sti_contact_problem* p = sti_contact_problem_of(file);
    sti_matrix owned[6];
    const sti_contact_problem dense = make_dense(env, p, owned);
    sti_contact_options options = sti_contact_options_default();
    sti_contact_answer a;
    sti_contact_verification v;
    options.solver = solver;
    assert_int_equal(sti_contact_solve(env, p, &options, &a), STI_OK);
    assert_int_equal(sti_verify_contact(env, p, &a, 1e-8, &v), STI_OK);
    const bool claims = a.outcome == STI_SOLVED || a.outcome == STI_NO_SOLUTION;
    if (claims && !v.accepted) fail_msg("%s: %s, and %s", path, a.reason, v.text);
    if (a.outcome == STI_SOLVED) {
        const double violation = (double)truth_violation(&dense, &a);
        if (!(violation <= 1e-6)) fail_msg("%s: solved, and a contact is off by %g of its terms", path, violation);
        if (!truth_has_motion(env, &dense)) fail_msg("%s: solved, and there is no motion", path);
    }
    const sti_outcome outcome = a.outcome;
    sti_contact_answer_clear(env, &a);
    for (int i = 0; i < 6; i++) sti_matrix_clear(env, &owned[i]);
    sti_document_destroy(file);
    return outcome;
}

static void the_problems_of_the_attack_are_answered_rightly_or_left_open(void** state) {
    (void)state;
    static const char folder[] = STI_SHARED_DIR "/review/attack/contact_findings";
    sti_env* env = open_env();
    DIR* d = opendir(folder);
    if (d == NULL) print_message("skipped: no problems at ../shared/review/attack/contact_findings\n");
    int solved = 0, none = 0, open = 0;
    for (struct dirent* e; d != NULL && (e = readdir(d)) != NULL;) {
        if (strstr(e->d_name, ".hdf5") == NULL) continue;
        char path[1024], name[16];
        sti_contact_solver solver;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(strrchr(e->d_name, '_') + 1, "."),
                 strrchr(e->d_name, '_') + 1);
        assert_true(sti_contact_solver_parse(name, &solver));
        const sti_outcome outcome = try_file(env, path, solver);
        if (solver != STI_CONTACT_AUTO) try_file(env, path, STI_CONTACT_AUTO);
        if (strstr(e->d_name, "solved_infeasible") != NULL && strstr(e->d_name, "170_bb") == NULL)
            assert_int_equal(outcome, STI_NO_SOLUTION);
        solved += outcome == STI_SOLVED;
        none += outcome == STI_NO_SOLUTION;
        open += outcome != STI_SOLVED && outcome != STI_NO_SOLUTION;
    }
    if (d != NULL) print_message("%d solved, %d without a solution, %d open\n", solved, none, open);
    if (d != NULL) closedir(d);
    sti_env_destroy(env);
}

static void problems_with_uneven_contacts_and_frictions_are_decided(void** state) {
    (void)state;
    static const struct {
        const char* name;
        sti_outcome outcome;
    } files[] = {{"uneven_walls", STI_NO_SOLUTION},
                 {"uneven_rows", STI_NO_SOLUTION},
                 {"uneven_contacts", STI_SOLVED},
                 {"uneven_masses", STI_SOLVED},
                 {"uneven_friction", STI_SOLVED}};
    sti_env* env = open_env();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        snprintf(path, sizeof path, STI_SOURCE_DIR "/problems/%s.hdf5", files[i].name);
        for (int s = 0; s < STI_CONTACT_SOLVER_COUNT; s++) {
            const sti_outcome outcome = try_file(env, path, (sti_contact_solver)s);
            if (s == STI_CONTACT_AUTO && outcome != files[i].outcome)
                fail_msg("%s: %s", files[i].name, sti_outcome_text(outcome));
        }
    }
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scaling_of_a_contact_changes_nothing),
        cmocka_unit_test(points_read_one_after_the_other_are_as_if_alone),
        cmocka_unit_test(a_contact_that_falls_in_is_seen_beside_a_larger_one),
        cmocka_unit_test(forces_that_run_away_are_seen_beside_larger_ones),
        cmocka_unit_test(the_problems_of_the_attack_are_answered_rightly_or_left_open),
        cmocka_unit_test(problems_with_uneven_contacts_and_frictions_are_decided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
