// test_defaults.c: NULL for options means the defaults, in every public function that takes options.
#include <math.h>
#include <stiction/stiction.h>
#include <string.h>

#include "support/open_env.h"

#define ROD_FILE                                                                                                    \
    "{\"kind\": \"instant\", \"M\": [[1, 0], [0, 1]], \"F\": [0, -1], \"contacts\": [{\"mu\": 0.5, \"n\": [0, 1], " \
    "\"t\": [[1, 0]]}]}"

static sti_document* read(sti_env* env, const char* text) {
    sti_document* d;
    if (sti_document_parse(env, text, strlen(text), "text", &d) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    return d;
}

static void solvers(void** state) {
    sti_env* env = *state;
    sti_document* d = read(env, "{\"kind\": \"lcp\", \"M\": [[2, 1], [1, 2]], \"q\": [-5, -6]}");
    sti_lcp_answer a;
    sti_classes* classes;
    assert_int_equal(sti_lcp_solve(env, sti_lcp_of(d), NULL, &a), STI_OK);
    assert_int_equal(a.outcome, STI_SOLVED);
    sti_lcp_answer_clear(env, &a);
    assert_int_equal(sti_classes_create(env, &sti_lcp_of(d)->M, NULL, NULL, &classes), STI_OK);
    sti_classes_destroy(env, classes);
    sti_document_destroy(d);

    d = read(env,
             "{\"kind\": \"mlcp\", \"A\": [[1]], \"C\": [[1]], \"D\": [[-1]], \"B\": [[1]], \"a\": [1], \"b\": [1]}");
    sti_mlcp_structure* structure;
    assert_int_equal(sti_mlcp_solve(env, sti_mlcp_of(d), NULL, &a), STI_OK);
    sti_lcp_answer_clear(env, &a);
    assert_int_equal(sti_mlcp_structure_create(env, sti_mlcp_of(d), NULL, &structure), STI_OK);
    sti_mlcp_structure_destroy(env, structure);
    sti_document_destroy(d);

    d = read(env, "{\"kind\": \"qp\", \"P\": [[1]], \"c\": [-1], \"lb\": [0]}");
    sti_qp_answer q;
    assert_int_equal(sti_qp_solve(env, sti_qp_of(d), NULL, &q), STI_OK);
    assert_int_equal(q.outcome, STI_CONIC_SOLVED);
    sti_qp_answer_clear(env, &q);
    sti_document_destroy(d);

    d = read(env, "{\"kind\": \"l1\", \"A\": [[1], [1], [1]], \"b\": [-1, -2, -4]}");
    sti_l1_answer l;
    assert_int_equal(sti_l1_solve(env, sti_l1_of(d), NULL, &l), STI_OK);
    assert_int_equal(l.outcome, STI_SOLVED);
    sti_l1_answer_clear(env, &l);
    sti_document_destroy(d);

    d = read(env, "{\"kind\": \"root\", \"variables\": {\"x\": [0, 2]}, \"equations\": [\"x^2 - 2\"]}");
    sti_root_answer r;
    assert_int_equal(sti_root_solve(env, sti_root_problem_of(d), NULL, &r), STI_OK);
    sti_root_answer_clear(env, &r);
    sti_document_destroy(d);
}

static void cones_and_contact(void** state) {
    sti_env* env = *state;
    double minus[1] = {-1}, one[1] = {1}, W[4] = {1, 0, 0, 1}, q[2] = {-1, 0}, mu[1] = {0.5};
    const int size[1] = {1};
    const sti_conic program = {.n = 1,
                               .m = 1,
                               .A = sti_matrix_dense_view(1, 1, minus),
                               .c = one,
                               .b = minus,
                               .cone_count = 1,
                               .cone_size = size};
    sti_conic_answer a;
    assert_int_equal(sti_conic_solve(env, &program, NULL, &a), STI_OK);  // min x, x - 1 >= 0
    assert_int_equal(a.outcome, STI_CONIC_SOLVED);
    sti_conic_answer_clear(env, &a);
    const sti_contact_problem problem = {
        .dimension = 2, .contact_count = 1, .W = sti_matrix_dense_view(2, 2, W), .q = q, .mu = mu};
    sti_contact_answer c;
    assert_int_equal(sti_contact_solve(env, &problem, NULL, &c), STI_OK);
    assert_int_equal(c.outcome, STI_SOLVED);
    sti_contact_answer_clear(env, &c);
    const sti_rows rows = {.count = 2, .dimension = 2, .value = W};
    sti_polycone *span, *face;
    sti_pointedness p;
    assert_int_equal(sti_polycone_create_span(env, 2, &rows, NULL, NULL, &span), STI_OK);
    assert_int_equal(sti_polycone_create_face(env, 2, &rows, NULL, NULL, &face), STI_OK);
    assert_int_equal(sti_rows_pointedness(env, 2, &rows, NULL, NULL, &p), STI_OK);
    sti_polycone_destroy(span);
    sti_polycone_destroy(face);
    sti_pointedness_clear(env, &p);
}

static void analyses_of_an_instant(void** state) {
    sti_env* env = *state;
    sti_document* d = read(env, ROD_FILE);
    const sti_instant* in = sti_instant_of(d);
    sti_modes* modes;
    sti_modes_lcp* lcp;
    sti_modes_verification checked;
    assert_int_equal(sti_modes_create(env, in, NULL, &modes), STI_OK);
    assert_int_equal(sti_verify_modes(env, in, NULL, modes, &checked), STI_OK);
    assert_true(checked.accepted);
    assert_int_equal(sti_modes_lcp_create(env, in, NULL, &lcp), STI_OK);
    sti_modes_lcp_destroy(lcp);
    sti_modes_destroy(modes);

    sti_sticking* sticking;
    sti_force_answer force;
    sti_force_intervals intervals;
    sti_force_set set;
    const sti_force_choice choice = {.count = 2};
    const double direction[2] = {1, 0};
    assert_int_equal(sti_sticking_create(env, in, NULL, &sticking), STI_OK);
    sti_sticking_destroy(sticking);
    assert_int_equal(sti_sticking_force(env, in, NULL, &choice, &force), STI_OK);
    sti_force_answer_clear(env, &force);
    assert_int_equal(sti_sticking_force_line(env, in, NULL, direction, &intervals), STI_OK);
    sti_force_intervals_clear(env, &intervals);
    assert_int_equal(sti_sticking_force_set(env, in, NULL, &set), STI_OK);
    sti_force_set_clear(env, &set);

    sti_velocities* velocities;
    sti_impact* impact;
    sti_collision* collision;
    sti_painleve* painleve;
    assert_int_equal(sti_velocities_create(env, in, NULL, &velocities), STI_OK);
    sti_velocities_destroy(env, velocities);
    assert_int_equal(sti_impact_create(env, in, NULL, &impact), STI_OK);
    sti_impact_destroy(env, impact);
    assert_int_equal(sti_collision_create(env, in, NULL, &collision), STI_OK);
    sti_collision_destroy(env, collision);
    assert_int_equal(sti_painleve_create(env, in, NULL, &painleve), STI_OK);
    sti_painleve_destroy(env, painleve);
    sti_document_destroy(d);
}

static void grasps(void** state) {
    sti_env* env = *state;
    sti_document* d =
        read(env,
             "{\"kind\": \"grasp\", \"dimension\": 2, \"contacts\": [{\"point\": [1, 0], \"normal\": [-1, 0], "
             "\"mu\": 1}, {\"point\": [-1, 0], \"normal\": [1, 0], \"mu\": 1}]}");
    const sti_instant* in = sti_instant_of(d);
    sti_closure closure;
    sti_grasp_friction friction;
    sti_grasp_quality quality;
    sti_grasp_verification checked;
    bool accepted;
    assert_int_equal(sti_force_closure_analyze(env, in, NULL, &closure), STI_OK);
    assert_int_equal(sti_verify_closure(env, in, NULL, true, &closure, 1e-8, &accepted), STI_OK);
    assert_true(accepted);
    sti_closure_clear(env, &closure);
    assert_int_equal(sti_form_closure_analyze(env, in, NULL, &closure), STI_OK);
    sti_closure_clear(env, &closure);
    assert_int_equal(sti_grasp_friction_analyze(env, in, NULL, STI_GRASP_FACTOR, &friction), STI_OK);
    assert_int_equal(sti_verify_grasp_friction(env, in, NULL, &friction, 1e-8, &accepted), STI_OK);
    assert_true(accepted);
    sti_grasp_friction_clear(env, &friction);
    assert_int_equal(sti_grasp_quality_analyze(env, in, NULL, &quality), STI_OK);
    assert_int_equal(sti_verify_grasp_quality(env, in, NULL, &quality, 100, &checked), STI_OK);
    sti_grasp_quality_clear(env, &quality);
    sti_document_destroy(d);
}

static void systems(void** state) {
    sti_env* env = *state;
    sti_document* d = read(env,
                           "{\"kind\": \"system\", \"coordinates\": [\"x\"], \"kinetic\": \"x'^2/2\", \"potential\": "
                           "\"x^2/2\", \"start\": {\"x\": 1}}");
    sti_stepper* stepper;
    sti_robust* robust = NULL;
    assert_int_equal(sti_stepper_create(env, sti_system_of(d), NULL, &stepper), STI_OK);
    sti_stepper_destroy(stepper);
    const sti_stepper_options standard = sti_stepper_options_default(STI_SCHEME_QUASISTATIC);
    const sti_status expected = sti_robust_create(env, sti_system_of(d), &standard, 2, &robust);
    sti_robust_destroy(env, robust);
    assert_int_equal(sti_robust_create(env, sti_system_of(d), NULL, 2, &robust), expected);
    sti_robust_destroy(env, robust);
    sti_document_destroy(d);
}

// Both crashed once.
static void beds(void** state) {
    sti_env* env = *state;
    const sti_pebble_bed def = sti_pebble_bed_default(20);
    const sti_bed_options standard = sti_bed_options_default();
    const sti_jamming_options usual = sti_jamming_options_default();
    sti_grains g = {0};
    sti_bed *bed, *twin;
    sti_bed_jamming jamming, same;
    assert_int_equal(sti_grains_pebble_bed(env, &def, &g), STI_OK);
    assert_int_equal(sti_bed_create(env, &g, NULL, &bed), STI_OK);
    assert_int_equal(sti_bed_create(env, &g, &standard, &twin), STI_OK);
    for (int k = 0; k < 5; k++) {
        sti_bed_report a, b;
        assert_int_equal(sti_bed_step(bed, &a), STI_OK);
        assert_int_equal(sti_bed_step(twin, &b), STI_OK);
        assert_true(a.time == b.time && a.kinetic == b.kinetic && a.residual == b.residual);
    }
    assert_int_equal(sti_bed_jamming_analyze(env, bed, NULL, &jamming), STI_OK);
    assert_int_equal(sti_bed_jamming_analyze(env, twin, &usual, &same), STI_OK);
    assert_int_equal(jamming.pointed, same.pointed);
    assert_int_equal(jamming.contact_count, same.contact_count);
    sti_bed_jamming_clear(env, &jamming);
    sti_bed_jamming_clear(env, &same);
    sti_bed_destroy(bed);
    sti_bed_destroy(twin);
    sti_grains_clear(env, &g);
}

// A recording was verified with options alone, and crashed without.
static void worlds_and_their_recordings(void** state) {
    sti_env* env = *state;
    static const char robot[] = "<robot name=\"r\"><link name=\"base\"/></robot>";
    sti_document* d =
        read(env,
             "{\"kind\": \"scene\", \"dimension\": 2, \"bodies\": [{\"name\": \"disc\", \"shape\": {\"type\": "
             "\"sphere\", \"radius\": 1}}], \"time\": 1}");
    sti_world* world;
    assert_int_equal(sti_world_create(env, sti_world_scene_of(d)->bodies, NULL, &world), STI_OK);
    assert_int_equal(sti_world_step(world, NULL), STI_OK);
    sti_world_destroy(world);
    sti_document_destroy(d);

    sti_bodies* bodies;
    sti_urdf_report report;
    assert_int_equal(sti_bodies_create(env, 3, &bodies), STI_OK);
    assert_int_equal(sti_urdf_parse(env, robot, strlen(robot), "r.urdf", NULL, bodies, &report), STI_OK);
    sti_urdf_report_clear(env, &report);
    sti_bodies_destroy(bodies);

    const sti_recorded_world nothing = {.dim = 2};
    sti_run_verification v;
    assert_int_equal(sti_verify_recorded_world(env, &nothing, NULL, &v), STI_OK);
    assert_true(v.accepted && v.check[STI_RUN_MOMENTUM].limit == sti_run_verify_options_default().tol);
    sti_run_checker* checker;
    assert_int_equal(sti_run_checker_create(env, NULL, &checker), STI_ERR_ARGUMENT);  // the defaults have no bodies
    assert_non_null(strstr(sti_env_error(env)->text, "bodies: NULL"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers),
        cmocka_unit_test(cones_and_contact),
        cmocka_unit_test(analyses_of_an_instant),
        cmocka_unit_test(grasps),
        cmocka_unit_test(systems),
        cmocka_unit_test(beds),
        cmocka_unit_test(worlds_and_their_recordings),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
