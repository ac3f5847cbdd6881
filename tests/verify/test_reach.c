// test_reach.c: where a push takes a set of poses: the stepper, which knows nothing of the proof, never leaves the set.
#include <math.h>
#include <stdio.h>
#include <stiction/manipulation.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/group_env.h"
#include "support/random.h"

static sti_manipulation* open_scene(sti_env* e, int tips, sti_document** d) {
    char text[700];
    snprintf(
        text, sizeof text,
        "{\"kind\": \"manipulation\", \"parts\": [{\"polygon\": [[-0.8, -0.4], [0.8, -0.4], [0.8, 0.4], [-0.8, 0.4]],"
        "\"support\": %s}], \"fixtures\": [{\"polygon\": [[3, -1], [4, -1], [4, 1], [3, 1]]}],"
        "\"probes\": [{\"tips\": [%s], \"direction\": 0, \"speed\": 0.1}], \"mu\": 0.3, \"h\": 0.05}",
        tips == 1 ? "{\"points\": [[0.4, 0, 1], [-0.2, 0.35, 1], [-0.2, -0.35, 1]]}" : "{\"pressure\": 1}",
        tips == 1 ? "[-0.9, 0]" : "[-0.9, 0.2], [-0.9, -0.2]");
    return sti_document_parse(e, text, strlen(text), "scene", d) == STI_OK ? sti_manipulation_of(*d) : NULL;
}

static const char inside_a_block[] =
    "{\"kind\": \"manipulation\", \"parts\": [{\"polygon\": [[-0.8, -0.4], [0.8, -0.4], [0.8, 0.4], [-0.8, 0.4]],"
    "\"support\": {\"pressure\": 1}}], \"fixtures\": [{\"polygon\": [[-6, -2], [-1.1, -2], [-1.1, 2], [-6, 2]]}],"
    "\"probes\": [{\"tips\": [[-9, 0.2], [-9, -0.2]], \"direction\": 0, \"speed\": 0.1}], \"mu\": 0.3, \"h\": 0.05}";

typedef struct trial {
    int tips;
    double half[3], turn, way;
    long steps;
    double lateral;
} trial;

static void aim(sti_manipulation* m, const trial* t, double dx, double dy) {
    const double back = 0.03 + t->half[0] + 0.4 * t->half[2] + 0.25 * fabs(t->turn);
    assert_int_equal(sti_manipulation_aim(m, 0, -0.8 - back + dx, t->lateral + dy, t->turn, t->way / 0.05), STI_OK);
}

static void starts_end_in_the_set(const trial* t, bool settles) {
    sti_document* d;
    sti_push_reach r;
    sti_manipulation* m = open_scene(group_env, t->tips, &d);
    assert_non_null(m);
    const sti_pose_set before = {.low = {-t->half[0], -t->half[1], -t->half[2]},
                                 .high = {t->half[0], t->half[1], t->half[2]}};
    const sti_push_course c = {
        .h = 0.05, .steps = t->steps, .edge = 3, .before = &before, .mu = 0.05, .tip = 0.002, .angle = t->turn};
    aim(m, t, 0, 0);
    assert_int_equal(sti_verify_push_reach(group_env, m, &c, &r), STI_OK);
    if (!r.accepted) fail_msg("%s", r.text);
    // two tips that have settled know the angle, and the place along the push but for that of the tool
    if (settles && !(r.after.high[2] - r.after.low[2] < 1e-10 && r.after.high[0] - r.after.low[0] < 0.0061))
        fail_msg("along %g, angle %g", r.after.high[0] - r.after.low[0], r.after.high[2] - r.after.low[2]);
    sti_push* push;
    assert_int_equal(sti_push_create(group_env, m, 0.05, &push), STI_OK);
    sti_rng random = {7};
    for (int k = 0; k < 40; k++) {
        double q[3];
        const double still[3] = {0};
        for (int j = 0; j < 3; j++) q[j] = t->half[j] * (k < 8 ? (k >> j & 1) * 2 - 1 : symmetric(&random));
        aim(m, t, 0.002 * symmetric(&random), 0.002 * symmetric(&random));
        sti_manipulation_rub(m, 0, 2, 0.3 + 0.05 * symmetric(&random));
        sti_push_set(push, 0, q, still);
        for (long l = 0; l < t->steps; l++) {
            sti_push_report report;
            assert_int_equal(sti_push_step(push, &report), STI_OK);
            assert_int_equal(report.end, STI_PUSH_MOVED);
        }
        const double *x = sti_push_q(push), cosine = cos(t->turn), sine = sin(t->turn);
        const double at[3] = {cosine * x[0] + sine * x[1], cosine * x[1] - sine * x[0], x[2]};
        for (int j = 0; j < 3; j++)
            if (!(at[j] >= r.after.low[j] - 1e-9 && at[j] <= r.after.high[j] + 1e-9))
                fail_msg("start %d: %g is not in [%g, %g]", k, at[j], r.after.low[j], r.after.high[j]);
    }
    sti_push_destroy(push);
    sti_document_destroy(d);
}

static void one_tip_leads_into_the_set(void** state) {
    (void)state;
    starts_end_in_the_set(&(trial){1, {0.002, 0.002, 0.002}, 0, 0.02, 20, 0.05}, false);
    starts_end_in_the_set(&(trial){1, {0.02, 0.02, 0.03}, 0, 0.02, 12, 0}, false);
    starts_end_in_the_set(&(trial){1, {0.01, 0.005, 0.01}, 0.3, 0.01, 16, -0.1}, false);  // some slide
}

static void two_tips_lead_into_a_set_without_angle(void** state) {
    (void)state;
    starts_end_in_the_set(&(trial){2, {0.004, 0.004, 0.008}, 0, 0.02, 36, 0}, true);
    starts_end_in_the_set(&(trial){2, {0.003, 0.003, 0.003}, 0.03, 0.02, 40, 0.02}, true);
    starts_end_in_the_set(&(trial){2, {0.05, 0.01, 0}, 0, 0.02, 20, 0}, true);
}

static void what_is_in_the_way_is_found(void** state) {
    (void)state;
    sti_document* d;
    sti_push_reach r;
    sti_manipulation* m = open_scene(group_env, 2, &d);
    const sti_pose_set before = {.low = {-0.01, -0.01, -0.01}, .high = {0.01, 0.01, 0.01}};
    sti_push_course c = {.h = 0.05, .steps = 130, .edge = 3, .before = &before, .mu = 0.05, .tip = 0.002};
    assert_int_equal(sti_manipulation_aim(m, 0, -0.84, 0, 0, 0.4), STI_OK);
    assert_int_equal(sti_verify_push_reach(group_env, m, &c, &r), STI_OK);
    assert_false(r.accepted);
    assert_non_null(strstr(r.text, "may touch something else"));
    c.steps = 40;
    assert_int_equal(sti_manipulation_aim(m, 0, -0.801, 0, 0, 0.4), STI_OK);
    assert_int_equal(sti_verify_push_reach(group_env, m, &c, &r), STI_OK);
    assert_false(r.accepted);
    assert_non_null(strstr(r.text, "start inside"));
    assert_int_equal(sti_manipulation_aim(m, 0, -0.84, 0.35, 0, 0.4), STI_OK);
    assert_int_equal(sti_verify_push_reach(group_env, m, &c, &r), STI_OK);
    assert_false(r.accepted);
    assert_non_null(strstr(r.text, "leave the edge"));
    // inside of a block, far from its edges, is no place for a tool
    sti_document* other;
    sti_manipulation* far =
        sti_document_parse(group_env, inside_a_block, strlen(inside_a_block), "scene", &other) == STI_OK
            ? sti_manipulation_of(other)
            : NULL;
    assert_non_null(far);
    assert_int_equal(sti_manipulation_aim(far, 0, -1.3, 0, 0, 0.4), STI_OK);
    c.steps = 2;
    assert_int_equal(sti_verify_push_reach(group_env, far, &c, &r), STI_OK);
    assert_false(r.accepted);
    if (strstr(r.text, "starts inside something else") == NULL) fail_msg("%s", r.text);
    sti_document_destroy(other);
    c.edge = 4;
    assert_int_equal(sti_verify_push_reach(group_env, m, &c, &r), STI_ERR_INPUT);
    sti_document_destroy(d);
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        sti_document* d = NULL;
        sti_push_reach r;
        failing_env_open(&f, k);
        sti_manipulation* m = open_scene(f.env, 2, &d);
        const sti_pose_set before = {0};
        const sti_push_course c = {.h = 0.05, .steps = 3, .edge = 3, .before = &before};
        if (m != NULL) {
            const sti_status status = sti_verify_push_reach(f.env, m, &c, &r);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        }
        sti_document_destroy(d);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_tip_leads_into_the_set),
        cmocka_unit_test(two_tips_lead_into_a_set_without_angle),
        cmocka_unit_test(what_is_in_the_way_is_found),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
