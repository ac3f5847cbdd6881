// test_verify_navigation.c: recorded runs of vehicles in cages: true ones pass, and whatever is forged in them is found
// by the check that is for it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stiction/stiction.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/group_env.h"

// A round cage and one with corners that push each other along a wall, and into a notch.
static const char text[] =
    "{\"kind\": \"navigation\", \"vehicles\": ["
    " {\"cage\": 0.3, \"force\": [\"2 - 2*x'\", \"-1 - 2*y'\"], \"q\": [0, 0.4], \"v\": [0.2, 0], \"goal\": [9, 0]},"
    " {\"cage\": [[-0.3, -0.2], [0.3, -0.2], [0, 0.05], [0.3, 0.2], [-0.3, 0.2]], \"force\": [\"-x'\", \"-1 - 2*y'\"],"
    "  \"q\": [0.9, 0.5], \"v\": [0, 0], \"goal\": [9, 0]}],"
    " \"walls\": [{\"point\": [0, 0], \"normal\": [0, 2]}],"
    " \"obstacles\": [{\"polygon\": [[2, 0.05], [4, 0.05], [4, 2], [2, 2], [2.5, 0.7]]}, {\"disc\": 0.2, \"pose\": "
    "[1.6, 0.9, 0]}],"
    " \"h\": 0.02, \"time\": 4}";

static char scratch[100], path[140];

static void must(sti_status status) {
    if (status != STI_OK) fail_msg("%s", sti_env_error(group_env)->text);
}

static void drop(void) {
    static const char* const names[] = {"trajectory.h5", "checkpoint.h5"};
    for (int k = 0; k < 2; k++) {
        char name[140];
        snprintf(name, sizeof name, "%s/%s", scratch, names[k]);
        remove(name);
    }
    rmdir(scratch);
}

static void make(void) {
    const sti_run_source source = {.text = text, .size = sizeof text - 1};
    sti_run_options o = sti_run_options_default();
    sti_simulation* s;
    sti_run* run;
    snprintf(scratch, sizeof scratch, "test_verify_navigation_%ld", (long)getpid());
    snprintf(path, sizeof path, "%s/trajectory.h5", scratch);
    mkdir(scratch, 0777);
    o.dir = scratch;
    must(sti_navigation_simulation(group_env, &source, &s));
    must(sti_run_create(group_env, s, &o, &run));
    must(sti_run_go(run));
    sti_run_destroy(run);
}

static const sti_navigation* load(sti_recorded_navigation* w, sti_document** document) {
    make();
    must(sti_recorded_navigation_load(group_env, path, w));
    drop();
    must(sti_document_parse(group_env, w->text, strlen(w->text), "navigation", document));
    return sti_navigation_of(*document);
}

static sti_navigation_verification judge(const sti_recorded_navigation* w, const sti_navigation* nav) {
    sti_navigation_verification v;
    must(sti_verify_recorded_navigation(group_env, w, nav, 0, &v));
    return v;
}

static void a_true_run_is_accepted(void** state) {
    (void)state;
    sti_recorded_navigation w;
    sti_document* document;
    const sti_navigation* nav = load(&w, &document);
    const sti_navigation_verification v = judge(&w, nav);
    for (int k = 0; k < STI_NAVIGATION_CHECK_COUNT; k++) {
        if (!v.check[k].holds || v.check[k].looked == 0)
            fail_msg("%s: %g", sti_navigation_check_name((sti_navigation_check_kind)k), v.check[k].worst);
    }
    assert_true(v.accepted && v.least_gap > 0);
    // it touches the wall, the other cage, an edge and the disc, or this shows little
    bool seen[4] = {false};
    for (long k = 0; k < w.total; k++) {
        const int other = (int)w.pair[2 * k + 1];
        seen[other >= 0 ? 0 : -other] = true;
    }
    assert_true(seen[0] && seen[1] && (seen[2] || seen[3]));
    sti_document_destroy(document);
    sti_recorded_navigation_clear(group_env, &w);
}

static void forged(sti_recorded_navigation* w, const sti_navigation* nav, double* x, double by,
                   sti_navigation_check_kind kind) {
    const double kept = *x;
    *x += by;
    const sti_navigation_verification v = judge(w, nav);
    if (v.check[kind].holds) fail_msg("%s does not see it", sti_navigation_check_name(kind));
    assert_false(v.accepted);
    *x = kept;
}

static void what_is_forged_is_found(void** state) {
    (void)state;
    sti_recorded_navigation w;
    sti_document* document;
    const sti_navigation* nav = load(&w, &document);
    const long row = w.rows / 2, last = w.rows - 1;
    assert_true(w.total > 10);
    forged(&w, nav, &w.time[row], 0.01, STI_NAVIGATION_ORDER);
    forged(&w, nav, &w.q[0], 1e-6, STI_NAVIGATION_ORDER);
    forged(&w, nav, &w.v[1], 1e-6, STI_NAVIGATION_ORDER);
    for (int i = 0; i < 4; i++) {
        forged(&w, nav, &w.q[4 * row + i], 1e-6, STI_NAVIGATION_MOTION);
        forged(&w, nav, &w.v[4 * row + i], 1e-4, STI_NAVIGATION_BALANCE);
    }
    forged(&w, nav, &w.q[4 * last + 1], -0.3, STI_NAVIGATION_APART);
    forged(&w, nav, &w.q[4 * last], w.q[4 * last + 2] - w.q[4 * last], STI_NAVIGATION_APART);
    forged(&w, nav, &w.least_gap[row], -1e-3, STI_NAVIGATION_LEAST);
    for (long k = 0; k < w.total; k += w.total / 7) {
        double* x = w.contact + 4 * k;
        forged(&w, nav, x, 1e-4, STI_NAVIGATION_CONTACT);
        forged(&w, nav, x, 1e-4, STI_NAVIGATION_CLOSED);
        forged(&w, nav, x + 1, 0.01, STI_NAVIGATION_SIGN);
        forged(&w, nav, x + 3, 1e-4, STI_NAVIGATION_BALANCE);
        forged(&w, nav, x + 3, -1, STI_NAVIGATION_SIGN);
        // turned by a little: of length 1 as before
        const double n[2] = {x[1], x[2]};
        x[1] = n[0] * cos(0.01) - n[1] * sin(0.01);
        x[2] = n[0] * sin(0.01) + n[1] * cos(0.01);
        assert_false(judge(&w, nav).accepted);
        memcpy(x + 1, n, sizeof n);
    }
    assert_true(judge(&w, nav).accepted);
    w.pair[1] = -9;
    sti_navigation_verification v;
    assert_int_equal(sti_verify_recorded_navigation(group_env, &w, nav, 0, &v), STI_ERR_ARGUMENT);
    w.count = 1;
    assert_int_equal(sti_verify_recorded_navigation(group_env, &w, nav, 0, &v), STI_ERR_ARGUMENT);
    sti_document_destroy(document);
    sti_recorded_navigation_clear(group_env, &w);
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    make();
    for (long k = 0;; k++) {
        failing_env f;
        sti_recorded_navigation w;
        sti_document* document = NULL;
        failing_env_open(&f, k);
        sti_status status = sti_recorded_navigation_load(f.env, path, &w);
        if (status == STI_OK) {
            sti_navigation_verification v;
            status = sti_document_parse(f.env, w.text, strlen(w.text), "navigation", &document);
            if (status == STI_OK)
                status = sti_verify_recorded_navigation(f.env, &w, sti_navigation_of(document), 0, &v);
            double force[2], k_v[4], mass;
            if (status == STI_OK)
                status = sti_navigation_force(sti_navigation_of(document), 0, 0, w.q, w.v, force, k_v, &mass);
            if (status == STI_OK) assert_true(v.accepted);
            sti_document_destroy(document);
            sti_recorded_navigation_clear(f.env, &w);
        }
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    drop();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_true_run_is_accepted),
        cmocka_unit_test(what_is_forged_is_found),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
