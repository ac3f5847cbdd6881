// Systems with friction polygons: what slides goes against the corner that takes most of its power, what is pulled
// sticks up to the gauge, impacts and steps alike; what does not take them says so; failing allocations.
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>

#include "base/rng.h"
#include "support/failing_env.h"
#include "support/group_env.h"
#include "support/near.h"

static const double g = 9.81;

// A point on the floor: polygon, pull along x and y, velocity; e.
static sti_system* point(const char* polygon, double a, double b, double vx, double vy, double z, double vz,
                         sti_document** document) {
    char text[900];
    const int size = snprintf(
        text, sizeof text,
        "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\", \"z\"], \"kinetic\": \"(x'^2 + y'^2 + z'^2)/2\","
        " \"potential\": \"9.81*z - (%.17g)*x - (%.17g)*y\", \"contacts\": [{\"name\": \"floor\", \"gap\": \"z\","
        " \"slip\": [\"x'\", \"y'\"], \"mu\": 0.3, \"polygon\": %s}],"
        " \"state\": {\"q\": [0, 0, %.17g], \"v\": [%.17g, %.17g, %.17g]}}",
        a, b, polygon, z, vx, vy, vz);
    if (sti_document_parse(group_env, text, (size_t)size, "point", document) != STI_OK)
        fail_msg("%s", sti_env_error(group_env)->text);
    return (sti_system*)sti_system_of(*document);
}

static const char diamond[] = "[[1, 0], [0, 0.5], [-1, 0], [0, -0.5]]";

static void a_point_slides_against_the_corner_that_takes_most(void** state) {
    (void)state;
    sti_document* document;
    sti_stepper* s;
    sti_step_report r;
    const sti_system* system = point(diamond, 0, 0, 3, 0.5, 0, 0, &document);
    assert_int_equal(sti_stepper_create(group_env, system, NULL, &s), STI_OK);
    for (int k = 1; k <= 50; k++) {
        assert_int_equal(sti_stepper_step(s, &r), STI_OK);
        assert_int_equal(r.outcome, STI_SOLVED);
        const double t = 0.01 * k;
        assert_near(sti_stepper_q(s)[0], 3 * t - 0.15 * g * t * t, 1e-12);
        assert_near(sti_stepper_q(s)[1], 0.5 * t, 1e-12);
        assert_near(r.impulse_t[0], -0.003 * g, 1e-12);
        assert_near(r.impulse_t[1], 0, 1e-12);
    }
    sti_stepper_destroy(s);
    sti_document_destroy(document);
}

static void a_pulled_point_sticks_up_to_the_gauge(void** state) {
    (void)state;
    static const double corner[8] = {1, 0, 0, 0.5, -1, 0, 0, -0.5};
    const sti_section section = {.shape = STI_SECTION_POLYGON, .vertex_count = 4, .vertex = corner};
    sti_rng rng = {5};
    int sticks = 0;
    for (int k = 0; k < 40; k++) {
        const double pull[2] = {6 * sti_rng_u01(&rng) - 3, 3 * sti_rng_u01(&rng) - 1.5};
        const bool holds = sti_section_gauge(&section, pull) < 0.3 * g;
        sti_document* document;
        sti_stepper* s;
        sti_step_report r;
        const sti_system* system = point(diamond, pull[0], pull[1], 0, 0, 0, 0, &document);
        assert_int_equal(sti_stepper_create(group_env, system, NULL, &s), STI_OK);
        for (int l = 0; l < 10; l++) assert_int_equal(sti_stepper_step(s, &r), STI_OK);
        assert_int_equal(r.mode[0], holds ? STI_MODE_STICK : STI_MODE_SLIDE);
        assert_true((hypot(sti_stepper_q(s)[0], sti_stepper_q(s)[1]) < 1e-13) == holds);
        sticks += holds;
        sti_stepper_destroy(s);
        sti_document_destroy(document);
    }
    assert_true(sticks > 8 && sticks < 32);
}

// An ellipse of half axes 1 and 1/2, turned by a quarter, is one of 1/2 and 1; along an axis it is a disc of that size.
static void an_ellipse_is_a_disc_along_its_axes(void** state) {
    (void)state;
    static const char text[] =
        "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\", \"z\"], \"kinetic\": \"(x'^2 + y'^2 + z'^2)/2\","
        " \"potential\": \"9.81*z\", \"contacts\": [{\"gap\": \"z\", \"slip\": [\"x'\", \"y'\"], \"mu\": 0.3,"
        " \"ellipse\": {\"axes\": [1, 0.5], \"angle\": %.17g}}], \"state\": {\"v\": [%g, %g, 0]}}";
    for (int k = 0; k < 4; k++) {
        char room[500];
        const bool turned = k % 2 == 1, across = k / 2 == 1;
        const int size =
            snprintf(room, sizeof room, text, turned ? asin(1) : 0, across ? 0.0 : 3.0, across ? 3.0 : 0.0);
        sti_document* document;
        sti_stepper* s;
        assert_int_equal(sti_document_parse(group_env, room, (size_t)size, "point", &document), STI_OK);
        assert_int_equal(sti_stepper_create(group_env, sti_system_of(document), NULL, &s), STI_OK);
        for (int l = 0; l < 20; l++) assert_int_equal(sti_stepper_step(s, NULL), STI_OK);
        assert_near(sti_stepper_v(s)[across], 3 - 0.3 * (turned == across ? 1 : 0.5) * g * 0.2, 1e-12);
        assert_near(sti_stepper_v(s)[!across], 0, 1e-12);
        sti_stepper_destroy(s);
        sti_document_destroy(document);
    }
}

// Without restitution it gives up V, and mu V times the corner against its slip.
static void an_impact_has_the_polygon_too(void** state) {
    (void)state;
    sti_document* document;
    sti_stepper* s;
    sti_step_report r;
    const sti_system* system = point(diamond, 0, 0, 3, 0.5, 0.001, -2, &document);
    assert_int_equal(sti_stepper_create(group_env, system, NULL, &s), STI_OK);
    assert_int_equal(sti_stepper_step(s, &r), STI_OK);
    assert_int_equal(r.collisions, 1);
    assert_near(sti_stepper_v(s)[1], 0.5, 1e-12);
    assert_near(sti_stepper_v(s)[0], 3 - 0.3 * r.impulse_n[0], 1e-12);
    assert_true(r.impulse_n[0] > 2);
    sti_stepper_destroy(s);
    sti_document_destroy(document);
}

static void what_takes_no_polygons_says_so(void** state) {
    (void)state;
    static const char* const wrong[] = {"[[1, 0], [2, 1], [2, -1]]", "[[1, 0], [0, 1]]", "[[1, 0], [0, 1], [-1]]", "3"};
    sti_document* document;
    sti_stepper* s;
    const sti_system* system = point(diamond, 0, 0, 1, 0, 0, 0, &document);
    for (int k = 0; k < 4; k++) {
        sti_stepper_options o = sti_stepper_options_default(k <= 1 ? STI_SCHEME_CONVEX : STI_SCHEME_ALPHA);
        if (k == 1) o.friction = STI_FRICTION_CONE;
        if (k == 2) o.events = STI_EVENTS_AUTO;
        if (k == 3) o.law = STI_IMPACT_STRONGE;
        assert_int_equal(sti_stepper_create(group_env, system, &o, &s), STI_ERR_INPUT);
        assert_non_null(strstr(sti_env_error(group_env)->text, "polygon"));
    }
    sti_document_destroy(document);
    for (int k = 0; k < 4; k++) {
        char text[400];
        const int size =
            snprintf(text, sizeof text,
                     "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\", \"z\"], \"kinetic\": \"x'^2\","
                     " \"contacts\": [{\"gap\": \"z\", \"slip\": [\"x'\", \"y'\"], \"polygon\": %s}]}",
                     wrong[k]);
        assert_int_equal(sti_document_parse(group_env, text, (size_t)size, "wrong", &document), STI_ERR_INPUT);
        assert_non_null(strstr(sti_env_error(group_env)->text, "polygon"));
    }
    const char* const names[] = {"x", "y", "z"};
    const char* const slips[] = {"x'", "y'"};
    const sti_system_contact_text contact = {.gap = "z", .slip_count = 2, .slip = slips, .mu = "1", .corner_count = -3};
    const sti_system_text less = {
        .coordinate_count = 3, .coordinates = names, .kinetic = "x'^2", .contact_count = 1, .contacts = &contact};
    sti_system* none;
    assert_int_equal(sti_system_create(group_env, &less, &none), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(group_env)->text, "contacts[0].polygon: a section of -3 vertices"));
}

// Teeth hold 1 against x and 0.2 against -x, with mu g = 2.943: a pull of 2 sticks one way, and slides the other with
// 2 - 0.5886. The step with cones gives the contact problem the polygon.
static void by_cones_a_point_sticks_one_way_and_slides_the_other(void** state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double way = k % 2 == 0 ? 1 : -1;
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        if (k < 2) o.friction = STI_FRICTION_CONE;
        sti_document* document;
        sti_stepper* s;
        sti_step_report r;
        const sti_system* system = point("[[-1, 0], [0, -0.5], [0.2, 0], [0, 0.5]]", 2 * way, 0, 0, 0, 0, 0, &document);
        assert_int_equal(sti_stepper_create(group_env, system, &o, &s), STI_OK);
        for (int l = 0; l < 50; l++) {
            assert_int_equal(sti_stepper_step(s, &r), STI_OK);
            assert_int_equal(r.outcome, STI_SOLVED);
            assert_int_equal(r.mode[0], way > 0 ? STI_MODE_STICK : STI_MODE_SLIDE);
        }
        assert_near(sti_stepper_v(s)[0], way > 0 ? 0 : -0.5 * (2 - 0.06 * g), 1e-10);
        assert_near(sti_stepper_v(s)[1], 0, 1e-10);
        if (k < 2) {
            sti_stepper_problem problem;
            assert_int_equal(sti_stepper_pose(group_env, s, &problem), STI_OK);
            assert_true(problem.round);
            assert_int_equal(problem.contact.section[0].vertex_count, 4);
            sti_stepper_problem_clear(group_env, &problem);
        }
        sti_stepper_destroy(s);
        sti_document_destroy(document);
    }
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    static const char text[] =
        "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\", \"z\"], \"kinetic\": \"(x'^2 + y'^2 + z'^2)/2\","
        " \"potential\": \"9.81*z\", \"contacts\": [{\"gap\": \"z\", \"slip\": [\"x'\", \"y'\"], \"mu\": 0.3,"
        " \"polygon\": [[1, 0], [-1, 1], [-1, -1]]}, {\"gap\": \"z + 1\", \"slip\": [\"x'\", \"y'\"], \"mu\": 0.3,"
        " \"ellipse\": {\"axes\": [1, 2]}}], \"state\": {\"v\": [1, 0, 0]}}";
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_document* document = NULL;
        sti_stepper* s = NULL;
        sti_status status = sti_document_parse(f.env, text, sizeof text - 1, "point", &document);
        sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
        o.friction = STI_FRICTION_CONE;
        if (status == STI_OK) status = sti_stepper_create(f.env, sti_system_of(document), NULL, &s);
        if (status == STI_OK) status = sti_stepper_step(s, NULL);
        sti_stepper_destroy(s);
        s = NULL;
        if (status == STI_OK) status = sti_stepper_create(f.env, sti_system_of(document), &o, &s);
        if (status == STI_OK) status = sti_stepper_step(s, NULL);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_stepper_destroy(s);
        sti_document_destroy(document);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_slides_against_the_corner_that_takes_most),
        cmocka_unit_test(a_pulled_point_sticks_up_to_the_gauge),
        cmocka_unit_test(an_ellipse_is_a_disc_along_its_axes),
        cmocka_unit_test(an_impact_has_the_polygon_too),
        cmocka_unit_test(what_takes_no_polygons_says_so),
        cmocka_unit_test(by_cones_a_point_sticks_one_way_and_slides_the_other),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
