// test_tao.c: the step of the reference by each method of TAO. Run by itself, or over ranks by mpirun.
#include <string.h>

#include "granular/bed_tools.h"
#include "stiction_tao.h"
#include "support/oracle.h"

static const char* const names[] = {"tao:blmvm", "tao:tron", "tao:bqpip"};
enum { NAMES = sizeof names / sizeof *names };

static sti_bed* make_bed(sti_env* env, int count, const sti_bed_options* o, const char* name) {
    sti_bed* bed = bed_of_pebbles(env, count, o);
    sti_bed_method method;
    assert_true(sti_tao_method(name, &method));
    assert_int_equal(sti_bed_use(bed, &method), STI_OK);
    return bed;
}

static void every_method_reaches_the_optimum_of_the_reference_step(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    sti_env* env = open_env();
    const cJSON* item;
    int seen = 0;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strncmp(oracle_id(item), "PBR-11", 6) != 0 || oracle_get(item, "inputs", "state") == NULL) continue;
        seen++;
        static double x[3 * REFERENCE_COUNT], v[3 * REFERENCE_COUNT], w[3 * REFERENCE_COUNT];
        assert_true(reference_state(x, v, w));
        for (int k = 0; k < NAMES; k++) {
            const sti_bed_options o = reference_options(STI_BED_APGD, 1e-8);
            sti_bed* bed = make_bed(env, REFERENCE_COUNT, &o, names[k]);
            assert_int_equal(sti_bed_set(bed, x, v, w), STI_OK);
            sti_bed_report report;
            assert_int_equal(sti_bed_step(bed, &report), STI_OK);
            print_message("%-9s %5ld iterations, residual %.1e, gap %.1e, %.3f s\n", names[k], report.iterations,
                          report.residual, report.gap, report.time_solve_s);
            assert_true(report.solved);
            assert_int_equal(report.contacts, (int)oracle_number(item, "expected", "n_contacts"));
            const double best = oracle_number(item, "expected", "primal_objective"),
                         E = oracle_number(item, "expected", "kinetic_energy_next");
            assert_true(fabs(report.objective - best) <= 1e-8 * fabs(best));
            assert_true(fabs(report.kinetic - E) <= 1e-6 * E);
            sti_bed_destroy(bed);
        }
    }
    assert_int_equal(seen, 1);
    cJSON_Delete(root);
    sti_env_destroy(env);
}

static void a_bed_falls_and_settles_the_same_by_every_method(void** state) {
    (void)state;
    sti_env* env = open_env();
    double kinetic[NAMES];
    for (int k = 0; k < NAMES; k++) {
        sti_bed_options o = reference_options(STI_BED_APGD, 1e-8);
        o.h = 0.05;
        sti_bed* bed = make_bed(env, 12, &o, names[k]);
        sti_bed_report report;
        for (int step = 0; step < 20; step++) {  // the first ones have no contact at all
            assert_int_equal(sti_bed_step(bed, &report), STI_OK);
            assert_true(report.solved);
        }
        kinetic[k] = report.kinetic;
        assert_true(fabs(kinetic[k] - kinetic[0]) <= 1e-5 * kinetic[0]);
        sti_bed_destroy(bed);
    }
    sti_env_destroy(env);
}

static void a_limit_on_iterations_is_kept_and_reported_as_not_solved(void** state) {
    (void)state;
    sti_env* env = open_env();
    for (int k = 0; k < NAMES; k++) {
        sti_bed_options o = reference_options(STI_BED_APGD, 1e-8);
        o.h = 0.05;
        o.tol = 1e-10;
        o.max_iterations = 2;
        sti_bed* bed = make_bed(env, 30, &o, names[k]);
        bool all = true;
        for (int step = 0; step < 16; step++) {
            sti_bed_report report;
            assert_int_equal(sti_bed_step(bed, &report), STI_OK);
            assert_true(report.iterations <= 2);
            assert_true(report.solved == (report.residual <= o.tol));
            all &= report.solved;
        }
        assert_false(all);
        sti_bed_destroy(bed);
    }
    sti_env_destroy(env);
}

static void names_that_are_not_there_and_other_laws_are_refused(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_bed_method method;
    assert_false(sti_tao_method("tao:gpcg", &method));
    assert_false(sti_tao_method("blmvm", &method));
    assert_true(sti_tao_method("tao:tron", &method));
    const sti_bed_options o = sti_bed_options_default();
    sti_bed* bed = bed_of_pebbles(env, 5, &o);
    assert_int_equal(sti_bed_use(bed, &method), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(env)->text, "tao:tron does not take the law coulomb"));
    sti_bed_destroy(bed);
    sti_env_destroy(env);
}

static int end(void** state) {
    (void)state;
    sti_tao_shutdown();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_reaches_the_optimum_of_the_reference_step),
        cmocka_unit_test(a_bed_falls_and_settles_the_same_by_every_method),
        cmocka_unit_test(a_limit_on_iterations_is_kept_and_reported_as_not_solved),
        cmocka_unit_test(names_that_are_not_there_and_other_laws_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
