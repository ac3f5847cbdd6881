// Sets of admissible positions, prox-regular or not: sets whose constant is known, what cannot be told, allocations.
// Random sets: study_regularity.c.
#include <math.h>
#include <stdio.h>
#include <stiction/stiction.h>
#include <string.h>

#include "support/failing_env.h"

static sti_env* env;

static sti_document* read(sti_env* in, const char* contacts, const char* more) {
    char json[1000];
    sti_document* file = NULL;
    snprintf(
        json, sizeof json,
        "{\"kind\": \"system\", \"coordinates\": [\"x\", \"y\"], \"kinetic\": \"(x'^2 + y'^2)/2\", \"parameters\": "
        "{\"R\": 2}, \"definitions\": {\"d\": \"hypot(x, y)\"}, \"contacts\": [%s]%s}",
        contacts, more);
    const sti_status status = sti_document_parse(in, json, strlen(json), "set", &file);
    if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
    return file;
}

static sti_gap_regularity ask(const char* contacts, const char* more, double x, double y) {
    sti_document* file = read(env, contacts, more);
    const double q[2] = {x, y};
    sti_gap_regularity r;
    assert_non_null(file);
    assert_int_equal(sti_gap_regularity_find(env, sti_system_of(file), 0, q, &r), STI_OK);
    sti_document_destroy(file);
    return r;
}

// The outside of a disc of radius R has the constant R; how the gap is written does not matter to that.
static void the_outside_of_a_disc_has_its_radius(void** state) {
    (void)state;
    const char* const gaps[] = {"{\"gap\": \"d - R\"}", "{\"gap\": \"x^2 + y^2 - R^2\"}",
                                "{\"gap\": \"7*(d^2 - R^2)\"}", "{\"gap\": \"sqrt(x^2 + y^2) - 2.00000000000000000\"}"};
    for (int i = 0; i < 4; i++) {
        sti_gap_regularity r = ask(gaps[i], "", 2, 0);
        assert_true(r.found && r.gaps == 1 && r.radius >= 0.25 && r.radius <= 2);
        assert_true(r.constant <= 2 && r.constant > 0.25);
        assert_true(r.opening <= 1 && fabs(r.v[0] - 1) < 1e-9 && fabs(r.v[1]) < 1e-9);
        sti_gap_regularity_clear(env, &r);
    }
}

static void convex_sets_have_no_bound(void** state) {
    (void)state;
    const char* const sets[] = {"{\"gap\": \"y - x\"}, {\"gap\": \"y + x\"}", "{\"gap\": \"R^2 - x^2 - (y - R)^2\"}"};
    for (int i = 0; i < 2; i++) {
        sti_gap_regularity r = ask(sets[i], "", 0, 0);
        assert_true(r.found && isinf(r.constant) && r.bend == 0 && r.gaps == 2 - i);
        assert_true(i == 1 || (r.radius == 1024 && fabs(r.opening - sqrt(0.5)) < 1e-9));
        sti_gap_regularity_clear(env, &r);
    }
    sti_gap_regularity r = ask("{\"gap\": \"y\"}", "", 0, 10);  // far from everything
    assert_true(r.found && r.gaps >= 0 && isinf(r.constant));
    sti_gap_regularity_clear(env, &r);
}

static void refused(const char* contacts, const char* more, double x, double y, const char* words) {
    sti_gap_regularity r = ask(contacts, more, x, y);
    assert_false(r.found);
    if (strstr(r.why, words) == NULL) fail_msg("\"%s\" is not in \"%s\"", words, r.why);
    sti_gap_regularity_clear(env, &r);
}

static void what_is_not_known_says_why(void** state) {
    (void)state;
    refused("{\"gap\": \"y\"}, {\"gap\": \"-y\"}", "", 0, 0, "no motion is seen to open");  // a line: no interior
    refused("{\"gap\": \"y^2 - x^3\"}", "", 0, 0, "no motion is seen to open");             // a cusp
    refused("{\"gap\": \"y\"}", "", 0, -1, "contact 0 overlaps by 1");
    refused("{\"gap\": \"y - abs(x)\"}", "", 0, 0, "contact 0: its gap is not known");  // a kink
    refused("{\"gap\": \"y\"}", ", \"joints\": [{\"constraint\": \"x\"}]", 0, 0, "there are joints");
    refused("", "", 0, 0, "there is no contact");
}

// The corner of two discs that touch each other from outside is a cusp; apart a little it is regular, ever less so.
static void a_corner_that_closes_loses_its_regularity(void** state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        const double half = 1 - ldexp(0.5, -2 * k), y = sqrt(1 - half * half);  // centres at -half and half
        char gaps[200];
        snprintf(gaps, sizeof gaps, "{\"gap\": \"hypot(x - %.17g, y) - 1\"}, {\"gap\": \"hypot(x + %.17g, y) - 1\"}",
                 half, half);
        sti_gap_regularity r = ask(gaps, "", 0, y);
        assert_true(r.found && r.gaps == 2);
        assert_true(r.opening <= y + 1e-12 && r.constant <= y + 1e-12);  // at the corner itself n'v = y at most
        assert_true(r.constant > 0.1 * y);
        sti_gap_regularity_clear(env, &r);
    }
}

static void every_failing_allocation_is_survived(void** state) {
    (void)state;
    for (long a = 0;; a++) {
        failing_env fail;
        failing_env_open(&fail, a);
        sti_document* file = read(fail.env, "{\"gap\": \"d - R\"}, {\"gap\": \"x\"}", "");
        if (file != NULL) {
            const double q[2] = {0, 2};
            sti_gap_regularity r;
            const sti_status status = sti_gap_regularity_find(fail.env, sti_system_of(file), 0, q, &r);
            if (status == STI_OK)
                sti_gap_regularity_clear(fail.env, &r);
            else
                assert_int_equal(status, STI_ERR_MEMORY);
        }
        sti_document_destroy(file);
        if (failing_env_close(&fail)) break;
    }
}

int main(void) {
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_outside_of_a_disc_has_its_radius),
        cmocka_unit_test(convex_sets_have_no_bound),
        cmocka_unit_test(what_is_not_known_says_why),
        cmocka_unit_test(a_corner_that_closes_loses_its_regularity),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sti_env_destroy(env);
    return failed;
}
