// test_box.c: boxes of doubts in which a push keeps its modes: starts inside are tried by the stepper, which knows
// nothing of the proof.
#include <stiction/plan.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/group_env.h"

static const char scene[] =
    "{\"kind\": \"manipulation\", \"parts\": [{\"polygon\": [[-0.8, -0.4], [0.8, -0.4], [0.8, 0.4], [-0.8, 0.4]],"
    "\"support\": {\"points\": [[0.4, 0, 1], [-0.2, 0.35, 1], [-0.2, -0.35, 1]]}}],"
    "\"probes\": [{\"tips\": [[-0.8, 0.1]], \"direction\": 0, \"speed\": 0.1}], \"mu\": 0.3, \"h\": 0.05, \"steps\": "
    "10}";

static sti_box_options quick(const sti_manipulation* m) {
    sti_box_options o = sti_box_options_default(m);
    o.max_pieces = 4;
    o.rounds = 2;
    o.weight[STI_DOUBT_PLACE_X] = o.weight[STI_DOUBT_PLACE_Y] = 0;
    o.weight[STI_DOUBT_TURN] = o.weight[STI_DOUBT_SPEED] = o.weight[STI_DOUBT_MU] = 0;
    return o;
}

// Does the stepper keep the one contact in its mode from this start?
static bool lasts(const sti_manipulation* m, const sti_robust_box* b, const double* q) {
    const double still[3] = {0};
    sti_push* push;
    bool good = true;
    assert_int_equal(sti_push_create(group_env, m, b->box.h, &push), STI_OK);
    sti_push_set(push, 0, q, still);
    for (long l = 0; l < b->box.steps && good; l++) {
        sti_push_report r;
        int closed = 0;
        assert_int_equal(sti_push_step(push, &r), STI_OK);
        good = r.end == STI_PUSH_MOVED;
        for (int i = 0; good && i < r.contact_count; i++) {
            if (r.forces[i].mode == STI_PUSH_OPEN) continue;
            good = r.forces[i].mode == b->box.modes[0];
            closed++;
        }
        good = good && closed == 1;
    }
    for (int i = 0; i < 3 && good; i++) {
        const double x = sti_push_q(push)[i];
        assert_true(b->end[i] <= x && x <= b->end[3 + i]);
    }
    sti_push_destroy(push);
    return good;
}

static void starts_inside_keep_their_modes(void** state) {
    (void)state;
    sti_document* d;
    sti_robust_box* b;
    assert_int_equal(sti_document_parse(group_env, scene, strlen(scene), "scene", &d), STI_OK);
    const sti_manipulation* m = sti_manipulation_of(d);
    const sti_box_options o = quick(m);
    assert_int_equal(sti_robust_box_create(group_env, m, NULL, 0, 8, &o, &b), STI_OK);
    assert_true(b->found);
    assert_true(b->proof.accepted);
    assert_true(b->scale > 1e-4);
    assert_int_equal(b->box.doubt_count, 3);
    unsigned long seed = 7;
    for (int k = 0; k < 300; k++) {
        double q[3];
        for (int i = 0; i < 3; i++) {
            seed = seed * 6364136223846793005UL + 1442695040888963407UL;
            const double f = k < 8 ? (k >> i & 1) : (double)(seed >> 40) / 16777216.0;
            q[i] = b->box.start[i] + b->box.doubts[i].low + f * (b->box.doubts[i].high - b->box.doubts[i].low);
        }
        assert_true(lasts(m, b, q));
    }
    // far outside the push misses the contact in its first step: refuted, and the stepper agrees
    sti_push_doubt wide = {.kind = STI_DOUBT_X, .low = 0, .high = 0.2};
    sti_push_box claim = b->box;
    claim.doubts = &wide;
    claim.doubt_count = 1;
    sti_box_verification v;
    assert_int_equal(sti_verify_push_box(group_env, m, &claim, 256, NULL, &v), STI_OK);
    assert_false(v.accepted);
    assert_false(lasts(m, b, (const double[]){0.2, 0, 0}));
    assert_string_equal(sti_doubt_text(STI_DOUBT_TURN), "turn");
    assert_true(sti_manipulation_friction(m, 0, 1) == 0.3);
    sti_robust_box_destroy(group_env, b);
    sti_document_destroy(d);
}

// Two tips on one edge: the box of a fork, and what it says of starts that the stepper plays.
static const char fork_scene[] =
    "{\"kind\": \"manipulation\", \"parts\": [{\"polygon\": [[-0.8, -0.4], [0.8, -0.4], [0.8, 0.4], [-0.8, 0.4]],"
    "\"support\": {\"points\": [[0.6, 0.1, 1], [-0.4, 0.3, 1.5], [-0.2, -0.3, 0.8]]}}],"
    "\"probes\": [{\"tips\": [[-0.8, 0.15], [-0.8, -0.15]], \"direction\": 0, \"speed\": 0.1}], \"mu\": 0.2,"
    "\"h\": 0.05, \"steps\": 10}";

static void a_fork_keeps_its_grip_inside_the_box(void** state) {
    (void)state;
    sti_document* d;
    sti_robust_box* b;
    assert_int_equal(sti_document_parse(group_env, fork_scene, strlen(fork_scene), "fork", &d), STI_OK);
    sti_manipulation* m = sti_manipulation_of(d);
    sti_box_options o = quick(m);
    o.weight[STI_DOUBT_MU] = o.weight[STI_DOUBT_TURN] = 1;
    for (int k = 0; k < 2; k++) {
        sti_box_switch s;
        o.slip = k == 0 ? 0 : 1e-4;
        assert_int_equal(sti_robust_box_create(group_env, m, NULL, 0, 8, &o, &b), STI_OK);
        assert_true(b->found && b->proof.accepted);
        assert_int_equal(b->box.contact_count, 2);
        assert_int_equal(b->box.doubt_count, 5);
        // what the fork aligns: b^2 / a = 0.3 angle^2 has to stay below the slip that counts as none
        assert_int_equal(b->box.doubts[2].kind, STI_DOUBT_THETA);
        assert_true(b->box.doubts[2].high > (k == 0 ? 1e-5 : 2e-4) && b->box.doubts[2].high < (k == 0 ? 1.8e-5 : 2e-2));
        unsigned long seed = 3;
        double x[5];
        for (int l = 0; l < 200; l++) {
            for (int i = 0; i < 5; i++) {
                seed = seed * 6364136223846793005UL + 1442695040888963407UL;
                const double f = l < 32 ? (l >> i & 1) : (double)(seed >> 40) / 16777216.0;
                x[i] = b->box.doubts[i].low + f * (b->box.doubts[i].high - b->box.doubts[i].low);
            }
            assert_int_equal(sti_robust_box_try(group_env, m, &b->box, x, &s), STI_OK);
            if (s.step >= 0) fail_msg("start %d changes a mode in step %ld", l, s.step);
        }
        // an angle beyond what is proved is seen by the stepper
        memset(x, 0, sizeof x);
        x[2] = k == 0 ? 1.8e-5 : 3e-2;
        assert_int_equal(sti_robust_box_try(group_env, m, &b->box, x, &s), STI_OK);
        assert_int_equal(s.step, 0);
        // and refused by the proof
        sti_push_doubt turned = {.kind = STI_DOUBT_THETA, .low = 0, .high = x[2]};
        sti_push_box claim = b->box;
        sti_box_verification v;
        claim.doubts = &turned;
        claim.doubt_count = 1;
        assert_int_equal(sti_verify_push_box(group_env, m, &claim, 256, NULL, &v), STI_OK);
        assert_false(v.accepted);
        sti_robust_box_destroy(group_env, b);
    }
    // the push meets no friction: no sign of it lasts
    o.friction = true;
    assert_int_equal(sti_robust_box_create(group_env, m, NULL, 0, 8, &o, &b), STI_OK);
    assert_false(b->found);
    sti_robust_box_destroy(group_env, b);
    sti_document_destroy(d);
}

// The same start, by what is doubted of the probe and of friction: played by the command's stepper and put back
// afterwards.
static void a_start_is_tried(void** state) {
    (void)state;
    sti_document* d;
    sti_box_switch s;
    assert_int_equal(sti_document_parse(group_env, scene, strlen(scene), "scene", &d), STI_OK);
    sti_manipulation* m = sti_manipulation_of(d);
    const double start[3] = {0};
    const sti_push_contact contact = {.against = STI_PUSH_TIP, .corner = -1, .face = 3};
    const sti_push_mode mode = STI_PUSH_STICK;
    const sti_push_doubt doubts[] = {{STI_DOUBT_X, 0, -1, 1},
                                     {STI_DOUBT_MU, 1, -1, 1},
                                     {STI_DOUBT_PLACE_X, 0, -1, 1},
                                     {STI_DOUBT_TURN, 0, -1, 1},
                                     {STI_DOUBT_SPEED, 0, -1, 1}};
    const sti_push_box box = {.h = 0.05,
                              .steps = 8,
                              .start = start,
                              .contact_count = 1,
                              .contacts = &contact,
                              .modes = &mode,
                              .doubt_count = 5,
                              .doubts = doubts};
    double before[2], v[2];
    sti_manipulation_tip(m, 0, 0, before, v);
    const double cases[][5] = {{0, 0, 0, 0, 0},    {0.2, 0, 0, 0, 0}, {0, -0.29, 0, 0.2, 0},
                               {0, 0, -0.2, 0, 0}, {0, 0, 0, 1.2, 0}, {0, 0, 0, 0, 0.5}};
    const long first[] = {-1, 0, 0, 0, 0, -1};
    for (int k = 0; k < 6; k++) {
        assert_int_equal(sti_robust_box_try(group_env, m, &box, cases[k], &s), STI_OK);
        if (s.step != first[k]) fail_msg("case %d: step %ld", k, s.step);
        double after[2], speed[2];
        sti_manipulation_tip(m, 0, 0, after, speed);
        assert_true(after[0] == before[0] && speed[0] == v[0] && speed[1] == v[1]);
        assert_true(sti_manipulation_friction(m, 0, 1) == 0.3);
    }
    assert_int_equal(sti_manipulation_disturb(m, 1, start, 0, 0), STI_ERR_ARGUMENT);
    sti_document_destroy(d);
}

static void allocations_fail(const char* text) {
    for (long k = 0;; k++) {
        failing_env f;
        sti_document* d = NULL;
        sti_robust_box* b = NULL;
        sti_box_verification v;
        failing_env_open(&f, k);
        sti_status status = sti_document_parse(f.env, text, strlen(text), "scene", &d);
        if (status == STI_OK) {
            const sti_manipulation* m = sti_manipulation_of(d);
            sti_box_options o = quick(m);
            o.max_pieces = 1;
            o.rounds = 1;
            o.weight[STI_DOUBT_X] = o.weight[STI_DOUBT_Y] = 0;
            status = sti_robust_box_create(f.env, m, NULL, 0, 1, &o, &b);
            if (status == STI_OK) status = sti_verify_push_box(f.env, m, &b->box, 1, NULL, &v);
            sti_box_switch s;
            const double none[STI_DOUBT_COUNT] = {0};
            if (status == STI_OK) status = sti_robust_box_try(f.env, sti_manipulation_of(d), &b->box, none, &s);
            if (status == STI_OK) status = sti_manipulation_disturb(sti_manipulation_of(d), 0, none, 0, 0);
        }
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_robust_box_destroy(f.env, b);
        sti_document_destroy(d);
        if (failing_env_close(&f)) break;
    }
}

static void default_options_have_weights(void** state) {
    (void)state;
    sti_document* d;
    sti_robust_box* b;
    assert_int_equal(sti_document_parse(group_env, scene, strlen(scene), "scene", &d), STI_OK);
    assert_int_equal(sti_robust_box_create(group_env, sti_manipulation_of(d), NULL, 0, 1, NULL, &b), STI_OK);
    assert_true(b->found && b->proof.accepted && b->scale > 1e-4);
    sti_robust_box_destroy(group_env, b);
    sti_document_destroy(d);
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    allocations_fail(scene);
    allocations_fail(fork_scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_inside_keep_their_modes),
        cmocka_unit_test(a_fork_keeps_its_grip_inside_the_box),
        cmocka_unit_test(a_start_is_tried),
        cmocka_unit_test(default_options_have_weights),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
