// test_motion_box.c: boxes of doubts in which systems in motion keep their modes: starts inside are played by the
// stepper, which knows nothing of the proof, and end where it says.
#include <math.h>
#include <stiction/plan.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/group_env.h"

static const char vehicle[] =
    "{\"kind\": \"system\", \"parameters\": {\"k\": 2}, \"coordinates\": [\"x\", \"y\"], \"kinetic\": "
    "\"(x'^2 + y'^2)/2\", \"forces\": {\"x\": \"2 - k*x'\", \"y\": \"-0.5 - k*y' + 0.1*sin(t)\"}, \"contacts\": "
    "[{\"name\": \"wall\", \"gap\": \"y - 0.3\"}, {\"name\": \"obstacle\", \"gap\": \"hypot(x - 4, y) - 0.8\"}],"
    "\"state\": {\"q\": [0, 0.3]}}";
static const char block[] =
    "{\"kind\": \"system\", \"parameters\": {\"mu\": 0.4, \"push\": 2}, \"definitions\": {\"h\": \"y - x/10\"},"
    "\"coordinates\": [\"x\", \"y\"], \"kinetic\": \"x'^2 + y'^2\", \"potential\": \"20*y\", \"forces\": {\"x\": "
    "\"push\"}, \"contacts\": [{\"gap\": \"h\", \"slip\": [\"x' + h'/10\"], \"mu\": \"mu\"}]}";
static const char pendulum[] =
    "{\"kind\": \"system\", \"parameters\": {\"l\": 0.7, \"m\": 1.3}, \"definitions\": {\"u\": \"x + l*sin(b)\", "
    "\"w\": "
    "\"-l*cos(b)\"}, \"coordinates\": [\"x\", \"b\"], \"kinetic\": \"x'^2/2 + m/2*(u'^2 + w'^2)\", \"potential\": "
    "\"9.81*m*w + x^4\", \"contacts\": [{\"gap\": \"3 - x\"}], \"state\": {\"q\": [0.2, 0.5], \"v\": [0.3, 1.5]}}";
static const char rod[] =
    "{\"kind\": \"system\", \"parameters\": {\"mu\": 0.2}, \"coordinates\": [\"x\", \"y\", \"a\"], \"kinetic\": "
    "\"(x'^2 + y'^2)/2 + a'^2/24\", \"potential\": \"9.81*y\", \"joints\": [{\"constraint\": \"x - cos(a)/2 - t/5\"}],"
    "\"contacts\": [{\"gap\": \"y - sin(a)/2\", \"slip\": [\"x' + sin(a)/2*a'\"], \"mu\": \"mu\"}],"
    "\"state\": {\"q\": [\"cos(a)/2\", \"sin(a)/2\", 0.9], \"v\": [\"1/5 - sin(a)/2*a'\", \"cos(a)/2*a'\", 1]}}";

typedef struct scene {
    const char* text;
    double alpha;
    long steps;
    int doubts;  // of the coordinates, then velocities, then parameters, those before this one
} scene;

static sti_motion_options options_of(const sti_system* s, const scene* from, sti_motion_doubt* doubts, double* weight) {
    const int n = sti_system_coordinate_count(s);
    sti_motion_options o = {.h = 0.01, .alpha = from->alpha, .doubts = doubts, .weight = weight, .max_pieces = 2};
    for (int i = 0; i < from->doubts; i++) {
        const sti_motion_doubt_kind kind = i < n       ? STI_MOTION_POSITION
                                           : i < 2 * n ? STI_MOTION_VELOCITY
                                                       : STI_MOTION_PARAMETER;
        doubts[i] = (sti_motion_doubt){.kind = kind, .of = i < 2 * n ? i % n : i - 2 * n};
        weight[i] = 1;
    }
    o.doubt_count = from->doubts;
    o.rounds = 2;
    return o;
}

static double draw(unsigned long* seed) {
    *seed = *seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(*seed >> 40) / 16777216.0;
}

// The stepper goes from one start, with other parameters, to a state inside of what is proved.
static void play(sti_system* s, const sti_motion_claim* b, const double* x) {
    const int n = sti_system_coordinate_count(s), count = sti_system_parameter_count(s);
    double q[3], v[3], before[3];
    sti_stepper_options o = sti_stepper_options_default(STI_SCHEME_ALPHA);
    o.step = b->box.h;
    o.alpha = b->box.alpha;
    o.geometry = STI_GEOMETRY_OLD;
    o.level = STI_LEVEL_GAP;
    o.gap_tol = INFINITY;
    o.stabilize = o.balance = false;
    o.refine = 0;
    o.start_as_given = true;
    for (int i = 0; i < count; i++) before[i] = sti_system_parameter_value(s, i);
    for (int i = 0; i < n; i++) {
        q[i] = b->box.q[i] + x[i];
        v[i] = b->box.v[i] + (b->box.doubt_count > n ? x[n + i] : 0);
    }
    for (int i = 2 * n; i < b->box.doubt_count; i++)
        assert_int_equal(sti_system_set(s, sti_system_parameter(s, i - 2 * n), before[i - 2 * n] + x[i]), STI_OK);
    sti_stepper* p;
    assert_int_equal(sti_stepper_create(group_env, s, &o, &p), STI_OK);
    assert_int_equal(sti_stepper_set(p, b->box.time, q, v), STI_OK);
    for (long l = 0; l < b->box.steps; l++) assert_int_equal(sti_stepper_step(p, NULL), STI_OK);
    for (int i = 0; i < 2 * n; i++) {
        const double at = i < n ? sti_stepper_q(p)[i] : sti_stepper_v(p)[i - n], slack = 1e-12 * (1 + fabs(at));
        if (!(b->end[i] - slack <= at && at <= b->end[2 * n + i] + slack))
            fail_msg("component %d ends at %.17g, outside of %.17g .. %.17g", i, at, b->end[i], b->end[2 * n + i]);
    }
    sti_stepper_destroy(p);
    for (int i = 0; i < count; i++) sti_system_set(s, sti_system_parameter(s, i), before[i]);
}

static void check(const scene* from, double least) {
    sti_document* d;
    sti_motion_claim* b;
    sti_motion_doubt doubts[9];
    double weight[9], x[9] = {0};
    unsigned long seed = 5;
    assert_int_equal(sti_document_parse(group_env, from->text, strlen(from->text), "system", &d), STI_OK);
    sti_system* s = sti_system_of(d);
    const sti_motion_options o = options_of(s, from, doubts, weight);
    assert_int_equal(sti_motion_claim_create(group_env, s, from->steps, &o, &b), STI_OK);
    if (!b->found || !b->proof.accepted) fail_msg("%s", b->proof.text);
    if (b->scale < least) fail_msg("scale %g", b->scale);
    for (int k = 0; k < 100; k++) {
        sti_box_switch what;
        for (int i = 0; i < o.doubt_count; i++) {
            const double f = k < 50 ? (draw(&seed) < 0.5 ? 0 : 1) : draw(&seed);
            x[i] = b->box.doubts[i].low + f * (b->box.doubts[i].high - b->box.doubts[i].low);
        }
        play(s, b, x);
        assert_int_equal(sti_motion_claim_try(group_env, s, &b->box, x, &what), STI_OK);
        if (what.step >= 0) fail_msg("start %d: contact %d changes in step %ld", k, what.contact, what.step);
    }
    sti_motion_claim_destroy(group_env, b);
    sti_document_destroy(d);
}

static void starts_inside_end_where_the_proof_says(void** state) {
    (void)state;
    check(&(scene){vehicle, 1, 20, 5}, 1e-5);
    check(&(scene){block, 1, 20, 6}, 1e-5);
    check(&(scene){block, 0.5, 3, 2}, 1e-6);
    check(&(scene){pendulum, 1, 20, 6}, 1e-3);
    check(&(scene){pendulum, 0.5, 20, 6}, 1e-3);
    check(&(scene){rod, 1, 6, 2}, 0);
}

// The vehicle comes to the obstacle when it starts far enough ahead: refuted, and seen by the stepper.
static void a_box_that_holds_a_switch_is_refuted(void** state) {
    (void)state;
    sti_document* d;
    sti_box_verification v;
    sti_box_switch what;
    assert_int_equal(sti_document_parse(group_env, vehicle, strlen(vehicle), "system", &d), STI_OK);
    sti_system* s = sti_system_of(d);
    const double q[] = {0, 0.3}, still[] = {0, 0}, ahead[] = {3.2};
    const sti_push_mode modes[] = {STI_PUSH_STICK, STI_PUSH_OPEN}, other[] = {STI_PUSH_OPEN, STI_PUSH_OPEN};
    const sti_motion_doubt doubt = {.kind = STI_MOTION_POSITION, .of = 0, .low = -0.5, .high = 3.2};
    sti_motion_box box = {.h = 0.01, .alpha = 1, .steps = 60, .q = q, .v = still, .contact_count = 2, .modes = modes};
    assert_int_equal(sti_verify_motion_box(group_env, s, &box, 1, NULL, &v), STI_OK);
    assert_true(v.accepted);
    box.doubts = &doubt;
    box.doubt_count = 1;
    assert_int_equal(sti_verify_motion_box(group_env, s, &box, 256, NULL, &v), STI_OK);
    assert_false(v.accepted);
    assert_true(v.refuted);
    assert_int_equal(sti_motion_claim_try(group_env, s, &box, ahead, &what), STI_OK);
    assert_true(what.step >= 0);
    box.doubt_count = 0;
    box.modes = other;
    assert_int_equal(sti_verify_motion_box(group_env, s, &box, 1, NULL, &v), STI_OK);
    assert_true(v.refuted);
    sti_document_destroy(d);
}

static void wrong_claims_are_named(void** state) {
    (void)state;
    sti_document* d;
    sti_box_verification v;
    assert_int_equal(sti_document_parse(group_env, vehicle, strlen(vehicle), "system", &d), STI_OK);
    sti_system* s = sti_system_of(d);
    const double q[] = {0, 0.3}, still[] = {0, 0};
    const sti_push_mode modes[] = {STI_PUSH_STICK, STI_PUSH_OPEN};
    const sti_motion_doubt doubts[] = {{STI_MOTION_PARAMETER, 1, -1, 1}, {STI_MOTION_VELOCITY, 0, 1, 2}};
    const sti_motion_box good = {
        .h = 0.01, .alpha = 1, .steps = 2, .q = q, .v = still, .contact_count = 2, .modes = modes};
    for (int k = 0; k < 5; k++) {
        sti_motion_box box = good;
        if (k == 0) box.steps = 0;
        if (k == 1) box.alpha = 2;
        if (k == 2) box.contact_count = 1;
        if (k >= 3) box.doubt_count = 1, box.doubts = &doubts[k - 3];
        assert_int_equal(sti_verify_motion_box(group_env, s, &box, 1, NULL, &v), STI_ERR_INPUT);
    }
    sti_document_destroy(d);
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        sti_document* d = NULL;
        sti_motion_claim* b = NULL;
        sti_box_switch what;
        sti_box_verification v;
        const double none[1] = {0}, weight[1] = {1};
        const sti_motion_doubt doubt = {.kind = STI_MOTION_PARAMETER, .of = 0};
        const sti_motion_options o = {.h = 0.01, .alpha = 1, .doubts = &doubt, .weight = weight, .doubt_count = 1};
        failing_env_open(&f, k);
        sti_status status = sti_document_parse(f.env, block, strlen(block), "system", &d);
        if (status == STI_OK) status = sti_motion_claim_create(f.env, sti_system_of(d), 1, &o, &b);
        if (status == STI_OK) status = sti_verify_motion_box(f.env, sti_system_of(d), &b->box, 1, NULL, &v);
        if (status == STI_OK) status = sti_motion_claim_try(f.env, sti_system_of(d), &b->box, none, &what);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_motion_claim_destroy(f.env, b);
        sti_document_destroy(d);
        if (failing_env_close(&f)) break;
    }
}

// The motion itself, without any doubt: the box of default options holds where its modes last.
static void default_options_ask_about_the_motion_itself(void** state) {
    (void)state;
    sti_document* d;
    sti_motion_claim* b;
    assert_int_equal(sti_document_parse(group_env, block, strlen(block), "system", &d), STI_OK);
    assert_int_equal(sti_motion_claim_create(group_env, sti_system_of(d), 3, NULL, &b), STI_OK);
    if (!b->found || !b->proof.accepted) fail_msg("%s", b->proof.text);
    assert_int_equal(b->box.doubt_count, 0);
    assert_true(b->box.h == 0.01 && b->box.alpha == 0.5);
    sti_motion_claim_destroy(group_env, b);
    sti_document_destroy(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_inside_end_where_the_proof_says),
        cmocka_unit_test(a_box_that_holds_a_switch_is_refuted),
        cmocka_unit_test(wrong_claims_are_named),
        cmocka_unit_test(default_options_ask_about_the_motion_itself),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
