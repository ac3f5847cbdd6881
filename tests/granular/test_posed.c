// test_posed.c: the last step of a bed as a contact problem: the independent verifier accepts what the bed claims.
#include <stiction/contact.h>
#include <stiction/io.h>
#include <stiction/recording.h>
#include <string.h>
#include <unistd.h>

#include "granular/bed_tools.h"

static sti_bed* make_pour(sti_env* env, sti_status (*make)(sti_env*, const sti_grain_pour*, sti_grains*), int count,
                          const sti_bed_options* o) {
    const sti_grain_pour def = {.count = count, .seed = 5, .mu = 0.4, .spread = 0.4, .spin = 0.5};
    sti_grains g;
    assert_int_equal(make(env, &def, &g), STI_OK);
    return bed_of(env, &g, o);
}

// Grains of different sizes, walls that stand still and walls that turn.
static void the_verifier_accepts_every_step_that_the_bed_calls_solved(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bed_options o = sti_bed_options_default();
    o.tol = 1e-6;
    o.h = 0.02;
    for (int which = 0; which < 3; which++) {
        sti_bed* bed = make_pour(env,
                                 which == 0   ? sti_grains_box
                                 : which == 1 ? sti_grains_drum
                                              : sti_grains_hopper,
                                 60, &o);
        int most = 0;
        double turning = 0;
        for (int k = 0; k < 70; k++) {
            sti_bed_report report;
            assert_int_equal(sti_bed_step(bed, &report), STI_OK);
            if (k % 7 != 0) continue;
            sti_bed_problem posed;
            sti_contact_verification v;
            assert_int_equal(sti_bed_problem_make(env, bed, &posed), STI_OK);
            assert_int_equal(posed.problem.contact_count, report.contacts);
            assert_true(report.solved);
            assert_true(posed.answer.residual <= 10 * o.tol);  // src/granular/posed.c
            assert_int_equal(posed.answer.outcome, STI_SOLVED);
            assert_true(posed.answer.residual_equation < 1e-13);
            assert_int_equal(sti_verify_contact(env, &posed.problem, &posed.answer, 10 * o.tol, &v), STI_OK);
            assert_true(v.accepted);
            assert_true(fabs(v.residual - posed.answer.residual) <= 1e-12);
            for (int c = 0; c < report.contacts; c++)
                turning = fmax(turning, fabs(posed.problem.w[3 * c + 1]) + fabs(posed.problem.w[3 * c + 2]));
            most = report.touching > most ? report.touching : most;
            if (report.contacts > 0) {  // and it does not accept another point
                posed.answer.r[0] += 1;
                assert_int_equal(sti_verify_contact(env, &posed.problem, &posed.answer, 10 * o.tol, &v), STI_OK);
                assert_false(v.accepted);
            }
            sti_bed_problem_clear(env, &posed);
        }
        assert_true(most > 50);
        assert_true((turning > 0) == (which == 1));
        sti_bed_destroy(bed);
    }
    sti_env_destroy(env);
}

static void contacts_of_the_problem_stand_in_the_order_of_the_bed(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.02;
    sti_bed* bed = make_pour(env, sti_grains_box, 40, &o);
    for (int k = 0; k < 80; k++) assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    sti_bed_problem posed;
    assert_int_equal(sti_bed_problem_make(env, bed, &posed), STI_OK);
    const int count = sti_bed_contact_count(bed);
    sti_bed_contact* list = calloc((size_t)count + 1, sizeof *list);
    sti_bed_contacts(bed, list);
    assert_true(count > 30);
    double v[120], w[120];
    sti_bed_get(bed, NULL, v, w);
    for (int i = 0; i < 40; i++) {
        for (int j = 0; j < 3; j++) {
            assert_true(posed.answer.v[6 * i + j] == v[3 * i + j]);
            assert_true(posed.answer.v[6 * i + 3 + j] == w[3 * i + j]);
        }
    }
    const sti_matrix* H = &posed.problem.H;
    for (int k = 0; k < count; k++) {
        // the column of the normal: n on a, -n on b
        for (int i = 0; i < 3; i++) {
            assert_true(sti_matrix_get(H, 6 * list[k].a + i, 3 * k) == list[k].n[i]);
            if (list[k].b >= 0) assert_true(sti_matrix_get(H, 6 * list[k].b + i, 3 * k) == -list[k].n[i]);
        }
        const double rn = list[k].r[0] * list[k].n[0] + list[k].r[1] * list[k].n[1] + list[k].r[2] * list[k].n[2];
        assert_true(fabs(posed.answer.r[3 * k] - rn) <= 1e-15);
        assert_true(posed.problem.w[3 * k] == list[k].offset);
    }
    free(list);
    sti_bed_problem_clear(env, &posed);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

// The lift of a convex law is no solution of Coulomb's problem, and nothing is claimed.
static void a_convex_law_claims_nothing_about_coulombs_problem(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.02;
    o.law = STI_LAW_CONE;
    sti_bed* bed = make_pour(env, sti_grains_drum, 40, &o);
    bool slid = false;
    for (int k = 0; k < 60; k++) {
        sti_bed_report report;
        sti_bed_problem posed;
        assert_int_equal(sti_bed_step(bed, &report), STI_OK);
        assert_int_equal(sti_bed_problem_make(env, bed, &posed), STI_OK);
        assert_int_equal(posed.answer.outcome, STI_UNKNOWN);
        assert_true(posed.answer.residual_equation < 1e-13);
        slid = slid || posed.answer.residual > 1e-3;
        sti_bed_problem_clear(env, &posed);
    }
    assert_true(slid);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

static void the_problem_of_a_step_goes_through_an_fclib_file(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.02;
    sti_bed* bed = make_pour(env, sti_grains_box, 30, &o);
    for (int k = 0; k < 50; k++) assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    sti_bed_problem posed;
    assert_int_equal(sti_bed_problem_make(env, bed, &posed), STI_OK);
    assert_int_equal(posed.answer.outcome, STI_SOLVED);
    char path[] = "/tmp/posed_XXXXXX.hdf5";
    const int file = mkstemps(path, 5);
    assert_true(file >= 0);
    close(file);
    unlink(path);
    sti_document* read;
    assert_int_equal(sti_contact_answer_save(env, &posed.problem, &posed.answer, path), STI_OK);
    assert_int_equal(sti_document_load(env, path, &read), STI_OK);
    const sti_contact_problem* p = sti_contact_problem_of(read);
    assert_non_null(p);
    assert_true(p->global);
    sti_contact_answer answer;
    sti_contact_verification v;
    assert_int_equal(sti_contact_answer_load(env, p, path, &answer), STI_OK);
    assert_int_equal(sti_verify_contact(env, p, &answer, 1e-4, &v), STI_OK);
    assert_true(v.accepted);
    assert_true(fabs(v.residual - posed.answer.residual) <= 1e-12);
    sti_contact_answer_clear(env, &answer);
    sti_document_destroy(read);
    unlink(path);
    sti_bed_problem_clear(env, &posed);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

static void a_bed_without_a_step_has_no_problem(void** state) {
    (void)state;
    sti_env* env = open_env();
    const sti_bed_options o = sti_bed_options_default();
    sti_bed* bed = make_pour(env, sti_grains_box, 10, &o);
    sti_bed_problem posed;
    assert_int_equal(sti_bed_problem_make(env, bed, &posed), STI_ERR_ARGUMENT);
    assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    assert_int_equal(sti_bed_problem_make(env, bed, &posed), STI_OK);  // free fall: no contact, and f alone
    assert_true(posed.answer.residual < 1e-14);
    sti_bed_problem_clear(env, &posed);
    double x[30], v[30], w[30];
    sti_bed_get(bed, x, v, w);
    assert_int_equal(sti_bed_set(bed, x, v, w), STI_OK);
    assert_int_equal(sti_bed_problem_make(env, bed, &posed), STI_ERR_ARGUMENT);
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

static void posing_survives_every_failed_allocation(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bed_options o = sti_bed_options_default();
    o.h = 0.02;
    sti_bed* bed = make_pour(env, sti_grains_box, 20, &o);
    for (int k = 0; k < 50; k++) assert_int_equal(sti_bed_step(bed, NULL), STI_OK);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_bed_problem posed;
        const sti_status status = sti_bed_problem_make(f.env, bed, &posed);
        assert_true(status == STI_OK || status == STI_ERR_MEMORY);
        if (status == STI_OK) sti_bed_problem_clear(f.env, &posed);
        if (failing_env_close(&f)) break;
        assert_int_equal(status, STI_ERR_MEMORY);
    }
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_verifier_accepts_every_step_that_the_bed_calls_solved),
        cmocka_unit_test(contacts_of_the_problem_stand_in_the_order_of_the_bed),
        cmocka_unit_test(a_convex_law_claims_nothing_about_coulombs_problem),
        cmocka_unit_test(the_problem_of_a_step_goes_through_an_fclib_file),
        cmocka_unit_test(a_bed_without_a_step_has_no_problem),
        cmocka_unit_test(posing_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
