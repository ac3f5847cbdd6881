// test_box_answer.c: answers about boxes of doubts read back from JSON, and what is refused.
#include <stiction/plan.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/io_tools.h"

static const char good[] =
    "{\"kind\": \"robust-box\", \"set\": \"mu=0.2\", \"h\": 0.05, \"steps\": 3, \"proved\": true, \"pieces\": 2,"
    "\"slip\": null, \"contacts\": [{\"mode\": \"slide-\", \"friction\": -1, \"place\": {\"part\": 0, \"against\": "
    "\"tip\", \"other\": 1, \"own\": false, \"corner\": -1, \"face\": 3}}], \"doubts\": [{\"what\": \"mu\", "
    "\"thing\": "
    "1, \"low\": -0.5, \"high\": 0.25}], \"start\": [1, 2, 3], \"end_low\": [4, 5, 6], \"end_high\": [7, 8, 9]}";

static const char* write_text(const char* text) {
    const char* path = io_path("box.json");
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    return path;
}

static void a_box_is_read_as_it_was_written(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_robust_box* b;
    char settings[100];
    assert_int_equal(sti_robust_box_load(env, 1, write_text(good), settings, sizeof settings, &b), STI_OK);
    assert_string_equal(settings, "mu=0.2");
    assert_true(b->found && b->box.h == 0.05 && b->box.steps == 3 && b->proof.pieces == 2 && b->box.slip == 0);
    assert_int_equal(b->box.contact_count, 1);
    const sti_push_contact* c = &b->box.contacts[0];
    assert_true(c->part == 0 && c->against == STI_PUSH_TIP && c->other == 1 && !c->own && c->corner == -1);
    assert_true(c->face == 3 && b->box.modes[0] == STI_PUSH_SLIDE_RIGHT && b->box.friction[0] == -1);
    assert_int_equal(b->box.doubt_count, 1);
    const sti_push_doubt* d = &b->box.doubts[0];
    assert_true(d->kind == STI_DOUBT_MU && d->of == 1 && d->low == -0.5 && d->high == 0.25);
    for (int i = 0; i < 3; i++) assert_true(b->box.start[i] == 1 + i && b->end[i] == 4 + i && b->end[3 + i] == 7 + i);
    sti_robust_box_destroy(env, b);
    sti_env_destroy(env);
}

static void what_is_odd_is_named(void** state) {
    (void)state;
    static const struct {
        const char *from, *to, *message;
    } cases[] = {{"robust-box", "modes", "kind"},
                 {"\"h\": 0.05", "\"h\": null", "h: "},
                 {"slide-", "glide", "contacts[0].mode"},
                 {"\"face\": 3", "\"face\": -3", "contacts[0].place.face"},
                 {"\"tip\"", "\"top\"", "contacts[0].place.against"},
                 {"\"mu\", \"thing\"", "\"me\", \"thing\"", "doubts[0].what"},
                 {"\"low\": -0.5", "\"low\": null", "doubts[0].low"},
                 {"[1, 2, 3]", "[1, 2]", "start"},
                 {"[4, 5, 6]", "null", "end_low"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        sti_env* env = io_env(NULL);
        sti_robust_box* b;
        char text[sizeof good + 20], settings[100];
        const char* at = strstr(good, cases[k].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, cases[k].to, at + strlen(cases[k].from));
        assert_int_equal(sti_robust_box_load(env, 1, write_text(text), settings, sizeof settings, &b), STI_ERR_INPUT);
        assert_null(b);
        if (strstr(sti_env_error(env)->text, cases[k].message) == NULL) fail_msg("%s", sti_env_error(env)->text);
        sti_env_destroy(env);
    }
}

// ---- of a system by formulas

static const char block[] =
    "{\"kind\": \"system\", \"parameters\": {\"m\": 2}, \"coordinates\": [\"x\", \"xx\"], \"kinetic\": "
    "\"m*(x'^2 + xx'^2)/2\", \"contacts\": [{\"gap\": \"x\"}], \"joints\": [{\"constraint\": \"x - xx\"}]}";
static const char moved[] =
    "{\"kind\": \"robust-motion-box\", \"set\": null, \"h\": 0.01, \"alpha\": 1, \"steps\": 4, \"proved\": true, "
    "\"pieces\": "
    "1, \"contacts\": [{\"name\": \"c\", \"mode\": \"stick\"}], \"doubts\": [{\"what\": \"xx'\", \"low\": -1, "
    "\"high\": 2}, "
    "{\"what\": \"x\", \"low\": 0, \"high\": 0.5}, {\"what\": \"m\", \"low\": -0.1, \"high\": 0}], \"time\": 0.25, "
    "\"start\": [1, "
    "2, 3, 4], \"end_low\": [5, 6, 7, 8], \"end_high\": [9, 10, 11, 12]}";

static sti_document* parse_block(sti_env* env) {
    sti_document* d = NULL;
    assert_int_equal(sti_document_parse(env, block, strlen(block), "system", &d), STI_OK);
    return d;
}

static void a_box_of_a_system_is_read_as_it_was_written(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* d = parse_block(env);
    sti_motion_claim* b;
    char settings[100];
    assert_int_equal(sti_motion_claim_load(env, sti_system_of(d), write_text(moved), settings, sizeof settings, &b),
                     STI_OK);
    assert_string_equal(settings, "");
    assert_true(b->found && b->box.h == 0.01 && b->box.alpha == 1 && b->box.steps == 4 && b->box.time == 0.25);
    assert_true(b->box.contact_count == 1 && b->box.modes[0] == STI_PUSH_STICK && b->proof.pieces == 1);
    static const sti_motion_doubt_kind kinds[] = {STI_MOTION_VELOCITY, STI_MOTION_POSITION, STI_MOTION_PARAMETER};
    static const int of[] = {1, 0, 0};
    assert_int_equal(b->box.doubt_count, 3);
    for (int i = 0; i < 3; i++) assert_true(b->box.doubts[i].kind == kinds[i] && b->box.doubts[i].of == of[i]);
    assert_true(b->box.doubts[0].low == -1 && b->box.doubts[0].high == 2);
    for (int i = 0; i < 2; i++) assert_true(b->box.q[i] == 1 + i && b->box.v[i] == 3 + i);
    for (int i = 0; i < 8; i++) assert_true(b->end[i] == 5 + i);
    sti_motion_claim_destroy(env, b);
    sti_document_destroy(d);
    sti_env_destroy(env);
}

static void what_is_odd_of_a_system_is_named(void** state) {
    (void)state;
    static const struct {
        const char *from, *to, *message;
    } cases[] = {{"robust-motion-box", "robust-box", "kind"},
                 {"\"alpha\": 1", "\"alpha\": null", "alpha: "},
                 {"stick", "glue", "contacts[0].mode"},
                 {"[{\"name\": \"c\", \"mode\": \"stick\"}]", "[]", "contacts: "},
                 {"\"xx'\"", "\"x''\"", "doubts[0].what"},
                 {"\"m\"", "\"n\"", "doubts[2].what"},
                 {"\"high\": 2", "\"high\": []", "doubts[0].high"},
                 {"[5, 6, 7, 8]", "[5, 6]", "end_low"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        sti_env* env = io_env(NULL);
        sti_document* d = parse_block(env);
        sti_motion_claim* b;
        char text[sizeof moved + 20], settings[100];
        const char* at = strstr(moved, cases[k].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - moved), moved, cases[k].to, at + strlen(cases[k].from));
        assert_int_equal(sti_motion_claim_load(env, sti_system_of(d), write_text(text), settings, sizeof settings, &b),
                         STI_ERR_INPUT);
        assert_null(b);
        if (strstr(sti_env_error(env)->text, cases[k].message) == NULL) fail_msg("%s", sti_env_error(env)->text);
        sti_document_destroy(d);
        sti_env_destroy(env);
    }
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    const char* path = write_text(moved);
    for (long k = 0;; k++) {
        failing_env f;
        sti_document* d = NULL;
        sti_motion_claim* b = NULL;
        char settings[100];
        failing_env_open(&f, k);
        sti_status status = sti_document_parse(f.env, block, strlen(block), "system", &d);
        if (status == STI_OK)
            status = sti_motion_claim_load(f.env, sti_system_of(d), path, settings, sizeof settings, &b);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_motion_claim_destroy(f.env, b);
        sti_document_destroy(d);
        if (failing_env_close(&f)) break;
    }
    path = write_text(good);
    for (long k = 0;; k++) {
        failing_env f;
        sti_robust_box* b;
        char settings[100];
        failing_env_open(&f, k);
        const sti_status status = sti_robust_box_load(f.env, 1, path, settings, sizeof settings, &b);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        sti_robust_box_destroy(f.env, b);
        if (failing_env_close(&f)) break;
    }
}

static int begin(void** state) {
    (void)state;
    io_folder_make();
    return 0;
}
static int end(void** state) {
    (void)state;
    io_folder_remove();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_is_read_as_it_was_written),
        cmocka_unit_test(what_is_odd_is_named),
        cmocka_unit_test(a_box_of_a_system_is_read_as_it_was_written),
        cmocka_unit_test(what_is_odd_of_a_system_is_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
