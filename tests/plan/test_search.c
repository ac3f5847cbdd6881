// test_search.c: plans: what is proved holds in replays, the same seed gives the same plan, and what cannot be is
// refused.
#include <math.h>
#include <stiction/plan.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/group_env.h"

static const char scene[] =
    "{\"kind\": \"manipulation\", \"parts\": [{\"polygon\": [[-0.8, -0.4], [0.8, -0.4], [0.8, 0.4], [-0.8, 0.4]],"
    "\"support\": {\"pressure\": 1}}], \"fixtures\": [{\"polygon\": [[0.5, 0.8], [0.9, 0.8], [0.9, 1.6], [0.5, 1.6]]}],"
    "\"probes\": [{\"tips\": [[-0.8, 0.1]], \"direction\": 0, \"speed\": 0.1}], \"mu\": 0.3, \"h\": 0.05}";

static sti_manipulation* open_scene(sti_document** d) {
    assert_int_equal(sti_document_parse(group_env, scene, strlen(scene), "scene", d), STI_OK);
    return sti_manipulation_of(*d);
}

static const sti_plan_goal goal = {.pose = {0.7, 0, 0}, .tolerance = {0.03, 0.03, 0.05}};

static void what_is_proved_holds_in_replays(void** state) {
    (void)state;
    sti_document* d;
    sti_plan* p;
    sti_manipulation* m = open_scene(&d);
    assert_int_equal(sti_plan_create(group_env, m, 1, &goal, NULL, &p), STI_OK);
    assert_true(p->reached);
    assert_true(p->push_count >= 1);
    for (int i = 0; i < p->push_count; i++) {
        const sti_pose_set* s = &p->sets[i + 1];
        const double* q = p->poses + 3 * (i + 1);
        const double c = cos(s->angle), e = sin(s->angle), at[3] = {c * q[0] + e * q[1], c * q[1] - e * q[0], q[2]};
        for (int j = 0; j < 3; j++) assert_true(s->low[j] <= at[j] + 1e-12 && at[j] <= s->high[j] + 1e-12);
    }
    sti_replay r;
    assert_int_equal(sti_plan_replay(group_env, m, p, NULL, 5, 40, NULL, NULL, &r), STI_OK);
    assert_int_equal(r.runs, 40);
    assert_int_equal(r.successes, 40);
    // without noise the parts come to where they are predicted
    const sti_plan_noise none = {0};
    assert_int_equal(sti_plan_replay(group_env, m, p, &none, 5, 1, NULL, NULL, &r), STI_OK);
    for (int j = 0; j < 3; j++)
        assert_true(fabs(r.worst[j] - fabs(p->poses[3 * p->push_count + j] - goal.pose[j])) < 1e-12);
    // noise far beyond what the plan was made for is felt, so a success is not a matter of course
    const sti_plan_noise wide = {.pose = {0.2, 0.2, 0.3}};
    assert_int_equal(sti_plan_replay(group_env, m, p, &wide, 5, 40, NULL, NULL, &r), STI_OK);
    assert_true(r.successes < 40);
    sti_plan_destroy(group_env, p);
    sti_document_destroy(d);
}

static void same_seed_same_plan(void** state) {
    (void)state;
    sti_plan* p[2];
    for (int k = 0; k < 2; k++) {
        sti_document* d;
        sti_manipulation* m = open_scene(&d);
        sti_plan_options o = sti_plan_options_default(m);
        o.seed = 3;
        o.shortest = true;
        o.max_tries = 40;
        assert_int_equal(sti_plan_create(group_env, m, 1, &goal, &o, &p[k]), STI_OK);
        sti_document_destroy(d);
    }
    assert_int_equal(p[0]->push_count, p[1]->push_count);
    assert_int_equal(p[0]->tries, p[1]->tries);
    assert_memory_equal(p[0]->poses, p[1]->poses, 3 * (size_t)(p[0]->push_count + 1) * sizeof(double));
    for (int k = 0; k < 2; k++) sti_plan_destroy(group_env, p[k]);
}

static bool at_once(void* user, long tries, double nearest) {
    (void)nearest;
    *(long*)user = tries;
    return tries < 5;
}

static void a_search_that_is_stopped_keeps_the_nearest(void** state) {
    (void)state;
    sti_document* d;
    sti_plan* p;
    sti_manipulation* m = open_scene(&d);
    sti_plan_options o = sti_plan_options_default(m);
    long tries = 0;
    o.watch = at_once;
    o.user = &tries;
    const sti_plan_goal far = {.pose = {9, 9, 2}, .tolerance = {0.01, 0.01, 0.01}};
    assert_int_equal(sti_plan_create(group_env, m, 1, &far, &o, &p), STI_OK);
    assert_false(p->reached);
    assert_int_equal(p->tries, tries);
    assert_true(tries >= 5 && tries <= 7);
    sti_plan_destroy(group_env, p);
    sti_document_destroy(d);
}

// Pushes of more steps than any count holds are not tried: nothing is found, and nothing fails.
static void steps_shorter_than_any_push_find_nothing(void** state) {
    (void)state;
    sti_document* d;
    sti_plan* p;
    sti_manipulation* m = open_scene(&d);
    sti_plan_options o = sti_plan_options_default(m);
    o.step = 1e-300;
    o.max_tries = 20;
    assert_int_equal(sti_plan_create(group_env, m, 1, &goal, &o, &p), STI_OK);
    assert_false(p->reached);
    assert_int_equal(p->push_count, 0);
    sti_plan_destroy(group_env, p);
    sti_document_destroy(d);
}

static void bad_requests_are_refused(void** state) {
    (void)state;
    sti_document* d;
    sti_plan* p;
    sti_manipulation* m = open_scene(&d);
    sti_plan_goal g = goal;
    g.part = 1;
    assert_int_equal(sti_plan_create(group_env, m, 1, &g, NULL, &p), STI_ERR_ARGUMENT);
    assert_null(p);
    g = goal;
    g.tolerance[1] = 0;
    assert_int_equal(sti_plan_create(group_env, m, 1, &g, NULL, &p), STI_ERR_ARGUMENT);
    g = goal;
    g.pose[1] = 0.9;
    assert_int_equal(sti_plan_create(group_env, m, 1, &g, NULL, &p), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(group_env)->text, "overlap fixture 1"));
    assert_int_equal(sti_manipulation_aim(m, 1, 0, 0, 0, 1), STI_ERR_ARGUMENT);
    assert_int_equal(sti_manipulation_aim(m, 0, NAN, 0, 0, 1), STI_ERR_ARGUMENT);
    sti_document_destroy(d);
}

static void a_probe_is_aimed_as_a_tool(void** state) {
    (void)state;
    static const char fork[] =
        "{\"kind\": \"manipulation\", \"parts\": [{\"disc\": 1, \"support\": {\"pressure\": 1}}],"
        "\"probes\": [{\"tips\": [[-2, 0.2], [-2, -0.2]], \"direction\": 0, \"speed\": 0.1}], \"mu\": 0.3}";
    sti_document* d;
    double x[2], v[2];
    assert_int_equal(sti_document_parse(group_env, fork, strlen(fork), "fork", &d), STI_OK);
    sti_manipulation* m = sti_manipulation_of(d);
    assert_int_equal(sti_manipulation_aim(m, 0, 3, 0, 3.14159265358979323846 / 2, 2), STI_OK);
    sti_manipulation_tip(m, 0, 1, x, v);
    assert_true(fabs(x[0] - 2.8) < 1e-15 && fabs(x[1] - 2) < 1e-15 && fabs(v[0]) < 1e-15 && fabs(v[1] - 2) < 1e-15);
    sti_manipulation_rub(m, 0, 1, 0.7);
    assert_true(sti_manipulation_friction(m, 0, 1) == 0.7);
    sti_plan* p;
    assert_int_equal(sti_plan_create(group_env, m, 1, &goal, NULL, &p), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(group_env)->text, "is a disc"));
    sti_document_destroy(d);
}

// A claim that is changed is found, and named.
static void a_tampered_plan_is_refused(void** state) {
    (void)state;
    sti_document* d;
    sti_plan* p;
    sti_plan_verification v;
    sti_manipulation* m = open_scene(&d);
    assert_int_equal(sti_plan_create(group_env, m, 1, &goal, NULL, &p), STI_OK);
    assert_true(p->reached);
    assert_int_equal(sti_verify_plan(group_env, m, p, &v), STI_OK);
    assert_true(v.accepted);
    const int last = p->push_count;
    double* const what[] = {&p->sets[last].low[0], &p->sets[last].high[2],     &p->poses[3 * last],
                            &p->pushes[0].at[1],   &p->pushes[last - 1].speed, &p->noise.pose[1],
                            &p->sets[0].high[1],   &p->goals[0].pose[0],       &p->poses[0]};
    for (size_t i = 0; i < sizeof what / sizeof what[0]; i++) {
        const double keep = *what[i];
        *what[i] = i == 1 || i == 6 ? keep - 1e-4 : i == 7 ? keep + 0.1 : i == 5 ? keep + 0.2 : keep + 1e-2;
        assert_int_equal(sti_verify_plan(group_env, m, p, &v), STI_OK);
        if (v.accepted) fail_msg("change %zu is not found", i);
        *what[i] = keep;
    }
    p->shortest = true;
    assert_int_equal(sti_verify_plan(group_env, m, p, &v), STI_OK);
    assert_false(v.accepted);
    assert_non_null(strstr(v.text, "claims nothing"));
    sti_plan_destroy(group_env, p);
    sti_document_destroy(d);
}

// Beyond the first thousand they are those of steps, which repeat: every 13th of them.
static void allocations_may_fail_anywhere(void** state) {
    (void)state;
    for (long k = 0;; k += k < 1000 ? 1 : 13) {
        failing_env f;
        sti_document* d = NULL;
        sti_plan* p = NULL;
        sti_replay r;
        failing_env_open(&f, k);
        sti_status status = sti_document_parse(f.env, scene, strlen(scene), "scene", &d);
        if (status == STI_OK) {
            sti_manipulation* m = sti_manipulation_of(d);
            sti_plan_options o = sti_plan_options_default(m);
            o.max_tries = 1;
            o.step = 0.15;
            o.reach = 0.35;
            status = sti_manipulation_aim(m, 0, -1, 0, 0, 0.1);
            if (status == STI_OK) status = sti_plan_create(f.env, m, 1, &goal, &o, &p);
            sti_plan_verification v;
            if (status == STI_OK) status = sti_verify_plan(f.env, m, p, &v);
            if (status == STI_OK) status = sti_plan_replay(f.env, m, p, NULL, 1, 1, NULL, NULL, &r);
        }
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_plan_destroy(f.env, p);
        sti_document_destroy(d);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_proved_holds_in_replays),
        cmocka_unit_test(same_seed_same_plan),
        cmocka_unit_test(a_search_that_is_stopped_keeps_the_nearest),
        cmocka_unit_test(steps_shorter_than_any_push_find_nothing),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(a_probe_is_aimed_as_a_tool),
        cmocka_unit_test(a_tampered_plan_is_refused),
        cmocka_unit_test(allocations_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
