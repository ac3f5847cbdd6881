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

static void every_allocation_may_fail(void** state) {
    (void)state;
    const char* path = write_text(good);
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
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
