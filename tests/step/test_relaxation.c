// The convex relaxation of a step, S3 2.3: its lift, its sequence, facets and the round cone, infeasible steps.
#include "step/step_tools.h"

static sti_system* block(void) {
    sti_system* system;
    const sti_system_contact_text ground = {
        .name = "ground", .gap = "y", .slip_count = 1, .slip = (const char*[]){"x'"}, .mu = "0.3"};
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 2,
                                                         .coordinates = (const char*[]){"x", "y"},
                                                         .kinetic = "(x'^2 + y'^2)/2",
                                                         .potential = "9.81*y",
                                                         .contact_count = 1,
                                                         .contacts = &ground,
                                                         .v = (const char*[]){"2", "0"}},
                                      &system));
    return system;
}

static void a_sliding_block_lifts(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* qp = oracle_get(oracle_find(root, "CQP-01"), "expected", "qp");
    const cJSON* lcp = oracle_get(oracle_find(root, "CQP-01"), "expected", "lcp");
    sti_system* system = block();
    for (int k = 0; k < 3; k++) {
        sti_stepper_options o = sti_stepper_options_default(k < 2 ? STI_SCHEME_CONVEX : STI_SCHEME_ALPHA);
        o.alpha = 1;
        if (k == 1) o.friction = STI_FRICTION_CONE;
        const double tol = k == 1 ? 1e-9 : 1e-12;
        sti_stepper* s = make_stepper(group_env, system, &o);
        const sti_step_report r = step_on(group_env, s);
        const cJSON* v = cJSON_GetObjectItem(k < 2 ? qp : lcp, "v");
        for (int i = 0; i < 2; i++) assert_near(sti_stepper_v(s)[i], number_at(v, i), tol);
        if (k < 2) {
            assert_near(r.impulse_n[0], cJSON_GetNumberValue(cJSON_GetObjectItem(qp, "lambda_sum")), tol);
            assert_near(r.impulse_t[0], -0.3 * r.impulse_n[0], tol);
            assert_near(r.lift, 0.01 * cJSON_GetNumberValue(cJSON_GetObjectItem(qp, "normal_lift_velocity")), tol);
            assert_int_equal(r.mode[0], STI_MODE_SLIDE);
        } else {
            assert_near(r.impulse_n[0], cJSON_GetNumberValue(cJSON_GetObjectItem(lcp, "c_n")), tol);
            assert_near(r.impulse_t[0], -cJSON_GetNumberValue(cJSON_GetObjectItem(lcp, "friction")), tol);
        }
        sti_stepper_destroy(s);
    }
    sti_system_destroy(system);
    cJSON_Delete(root);
}

static void a_decelerating_block_follows_the_sequence(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* sequence = oracle_get(oracle_find(root, "CQP-03"), "expected", "sequence");
    sti_system* system = block();
    const sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_CONVEX);
    sti_stepper* s = make_stepper(group_env, system, &o);
    for (int l = 0; l < cJSON_GetArraySize(sequence); l++) {
        const cJSON* row = cJSON_GetArrayItem(sequence, l);
        assert_near(sti_stepper_v(s)[0], number_at(row, 0), 1e-9);
        assert_near(sti_stepper_v(s)[1], number_at(row, 1), 1e-9);
        assert_near(sti_stepper_q(s)[1], number_at(row, 2), 1e-9);
        step_on(group_env, s);
    }
    sti_stepper_destroy(s);
    sti_system_destroy(system);
    cJSON_Delete(root);
}

static void a_sphere_with_three_facets_lifts_as_the_case_says(void** state) {
    (void)state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    const cJSON* expected = cJSON_GetObjectItem(oracle_find(root, "CQP-04"), "expected");
    double sign = -1;
    sti_system* system = sphere_system(group_env, &sign);
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_CONVEX);
    o.facets = 3;
    sti_stepper* s = make_stepper(group_env, system, &o);
    const sti_step_report r = step_on(group_env, s);
    for (int i = 0; i < 6; i++)
        assert_near(sti_stepper_v(s)[i], number_at(cJSON_GetObjectItem(expected, "v"), i), 1e-10);
    assert_near(r.impulse_n[0], cJSON_GetNumberValue(cJSON_GetObjectItem(expected, "lambda_sum")), 1e-10);
    sti_stepper_destroy(s);
    // many facets approach the cone
    double round[6], fine[6];
    o.friction = STI_FRICTION_CONE;
    s = make_stepper(group_env, system, &o);
    step_on(group_env, s);
    memcpy(round, sti_stepper_v(s), sizeof round);
    sti_stepper_destroy(s);
    o.friction = STI_FRICTION_FACETS;
    o.facets = 64;
    s = make_stepper(group_env, system, &o);
    step_on(group_env, s);
    memcpy(fine, sti_stepper_v(s), sizeof fine);
    for (int i = 0; i < 6; i++) assert_near(fine[i], round[i], 2e-3);
    sti_stepper_destroy(s);
    sti_system_destroy(system);
    cJSON_Delete(root);
}

static void a_squeeze_without_room_has_no_solution(void** state) {
    (void)state;
    // CQP-13: v >= 0.5 and v <= -0.5
    const sti_system_contact_text walls[] = {{.name = "left", .gap = "x - 0.005 - 0.5*t"},
                                             {.name = "right", .gap = "-x - 0.005 - 0.5*t"}};
    sti_system* system;
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 1,
                                                         .coordinates = (const char*[]){"x"},
                                                         .kinetic = "x'^2/2",
                                                         .contact_count = 2,
                                                         .contacts = walls},
                                      &system));
    for (int k = 0; k < 2; k++) {
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_CONVEX);
        if (k == 1) o.friction = STI_FRICTION_CONE;
        sti_stepper* s = make_stepper(group_env, system, &o);
        sti_step_report r;
        must(group_env, sti_stepper_step(s, &r));
        assert_int_equal(r.outcome, STI_NO_SOLUTION);
        assert_true(strlen(r.why) > 0);
        assert_int_equal(r.step, 0);
        sti_stepper_destroy(s);
    }
    sti_system_destroy(system);
}

// Two blocks at different speeds: each contact lifts by h mu |slip| of its own, what sticks does not; the gap of the
// program is rounding.
static void every_contact_lifts_by_its_own_slip(void** state) {
    (void)state;
    const char* slips[3] = {"x'", "z'", "s'"};
    const sti_system_contact_text contacts[3] = {
        {.name = "one", .gap = "y", .slip_count = 1, .slip = &slips[0], .mu = "0.3"},
        {.name = "two", .gap = "w", .slip_count = 1, .slip = &slips[1], .mu = "0.1"},
        {.name = "rest", .gap = "r", .slip_count = 1, .slip = &slips[2], .mu = "0.5"}};
    sti_system* system;
    must(group_env, sti_system_create(group_env,
                                      &(sti_system_text){.coordinate_count = 6,
                                                         .coordinates = (const char*[]){"x", "y", "z", "w", "s", "r"},
                                                         .kinetic = "(x'^2 + y'^2 + z'^2 + w'^2 + s'^2 + r'^2)/2",
                                                         .potential = "9.81*(y + w + r)",
                                                         .contact_count = 3,
                                                         .contacts = contacts,
                                                         .v = (const char*[]){"2", "0", "-3", "0", "0", "0"}},
                                      &system));
    for (int k = 0; k < 2; k++) {
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_CONVEX);
        if (k == 1) o.friction = STI_FRICTION_CONE;
        sti_stepper* s = make_stepper(group_env, system, &o);
        const sti_step_report r = step_on(group_env, s);
        const double* v = sti_stepper_v(s);
        assert_near(r.lifts[0], o.step * 0.3 * v[0], 1e-9);
        assert_near(r.lifts[1], -o.step * 0.1 * v[2], 1e-9);
        assert_near(r.lifts[2], 0, 1e-9);
        assert_near(r.lift, r.lifts[0], 0);
        assert_near(v[0], (2 - 0.3 * 0.0981) / 1.09, 1e-9);
        assert_true(r.duality_gap <= (k == 0 ? 1e-12 : 1e-9));
        double objective = 0;  // 1/2 v'v - (v^l + h k)'v
        const double start[6] = {2, 0, -3, 0, 0, 0};
        for (int i = 0; i < 6; i++) objective += v[i] * v[i] / 2 - (start[i] - (i % 2 == 1 ? o.step * 9.81 : 0)) * v[i];
        assert_near(r.objective, objective, 1e-12);
        sti_stepper_destroy(s);
        o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        s = make_stepper(group_env, system, &o);
        const sti_step_report other = step_on(group_env, s);
        assert_true(isnan(other.duality_gap) && isnan(other.objective) && other.lifts[0] == 0);
        sti_stepper_destroy(s);
    }
    sti_system_destroy(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sliding_block_lifts),
        cmocka_unit_test(every_contact_lifts_by_its_own_slip),
        cmocka_unit_test(a_decelerating_block_follows_the_sequence),
        cmocka_unit_test(a_sphere_with_three_facets_lifts_as_the_case_says),
        cmocka_unit_test(a_squeeze_without_room_has_no_solution),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
