// For how long contacts stick while the load changes: closed forms, what is not known, allocations. Random instants:
// study_lasting.c.
#include <math.h>
#include <stiction/sticking.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/instant_tools.h"
#include "support/near.h"

static sti_env* env;

// A point of mass 1, pressed on the ground by 10, friction 1/2. mu (10 + d_y) - |d_x| = 0 first at |d| = 5 / sqrt(5/4).
static void touch(tool_instant* t, double mu) {
    const int i = t->instant.contact_count;
    tool_contact(t, false, 1, mu);
    t->n[i][1] = t->t[i][0] = 1;
}

static void point_on_the_ground(tool_instant* t, double mass) {
    tool_open(t, 2);
    tool_mass(t, (double[]){mass, mass});
    t->F[1] = 10;
    touch(t, 0.5);
}

static void a_point_slips_when_the_nearest_load_is_reached(void** state) {
    (void)state;
    tool_instant t;
    sti_sticking_time s;
    point_on_the_ground(&t, 1);
    assert_int_equal(sti_sticking_lasts(env, &t.instant, NULL, 2, &s), STI_OK);
    assert_true(s.found && s.unique && s.contact_count == 1);
    assert_near(s.time, 5 / sqrt(1.25) / 2, 1e-7);
    assert_near(s.until[0], s.time, 1e-15);
    assert_near(s.gain[0], sqrt(2), 1e-9);
    sti_sticking_time_clear(env, &s);
}

// Two equal points of contact share the load: forces that hold exist as long as one alone would hold, not that they are
// what happens.
static void shared_forces_are_not_known(void** state) {
    (void)state;
    tool_instant t;
    sti_sticking_time s;
    point_on_the_ground(&t, 1);
    touch(&t, 0.5);
    assert_int_equal(sti_sticking_lasts(env, &t.instant, NULL, 1, &s), STI_OK);
    assert_true(s.found && !s.unique && s.contact_count == 2);
    assert_near(s.time, 5 / sqrt(1.25), 1e-6);
    sti_sticking_time_clear(env, &s);
}

static void unknown(tool_instant* t, const char* words) {
    sti_sticking_time s;
    assert_int_equal(sti_sticking_lasts(env, &t->instant, NULL, 1, &s), STI_OK);
    assert_true(!s.found && isnan(s.time) && strstr(s.why, words) != NULL);
    sti_sticking_time_clear(env, &s);
}

static void what_is_not_known_says_why(void** state) {
    (void)state;
    tool_instant t;
    sti_sticking_time s;
    point_on_the_ground(&t, 1);
    t.F[0] = 6;
    unknown(&t, "not known to stick");
    t.F[0] = 5;
    unknown(&t, "without a margin");
    point_on_the_ground(&t, 0);
    assert_int_equal(sti_sticking_lasts(env, &t.instant, NULL, 1, &s), STI_OK);  // held, though without mass
    assert_true(s.found);
    sti_sticking_time_clear(env, &s);
    assert_int_equal(sti_sticking_lasts(env, &t.instant, NULL, 0, &s), STI_ERR_ARGUMENT);
    assert_int_equal(sti_sticking_lasts(env, &t.instant, NULL, NAN, &s), STI_ERR_ARGUMENT);
}

static void every_failing_allocation_is_survived(void** state) {
    (void)state;
    tool_instant t;
    point_on_the_ground(&t, 1);
    for (long a = 0;; a++) {
        failing_env fail;
        sti_sticking_time s;
        failing_env_open(&fail, a);
        const sti_status status = sti_sticking_lasts(fail.env, &t.instant, NULL, 1, &s);
        if (status == STI_OK)
            sti_sticking_time_clear(fail.env, &s);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&fail)) break;
    }
}

int main(void) {
    if (sti_env_create(NULL, &env) != STI_OK) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_slips_when_the_nearest_load_is_reached),
        cmocka_unit_test(shared_forces_are_not_known),
        cmocka_unit_test(what_is_not_known_says_why),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sti_env_destroy(env);
    return failed;
}
