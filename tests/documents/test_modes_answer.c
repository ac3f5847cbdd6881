// test_modes_answer.c: answers about contact modes read back from JSON, and what is refused.
#include "support/io_tools.h"

// A mass of 2 on a floor, pressed down by 6: one contact without a tangent.
static const double M[1] = {2}, F[1] = {6}, v[1] = {0}, n[1] = {1};
static const sti_instant_contact contact = {.name = "floor", .n = n};
static const sti_instant mass = {.n = 1, .contact_count = 1, .M = M, .F = F, .v = v, .contacts = &contact};

// Pieces of the answer; a test replaces one of them.
typedef struct answer {
    const char *kind, *corners, *contacts, *wrench, *modes, *rest;
} answer;

static const answer good = {
    .kind = "\"modes\"",
    .corners = "[[1, 1], [-1, 1], [-1, -1], [1, -1]]",
    .contacts = "[{\"status\": \"rolling\", \"choices\": [\"c\", \"s\"]}]",
    .wrench = "[\"-6\"]",
    .modes =
        "[{\"mode\": \"c\", \"choice\": [0], \"fit\": \"strict\", \"witness\": [\"0\"], \"solution\": "
        "{\"a_exact\": [\"0\"], \"contact_accelerations_exact\": [\"0\"], \"forces_exact\": [6]}},"
        "{\"mode\": \"s\", \"choice\": [1], \"fit\": \"inconsistent\", \"witness\": [\"1/2\"]}]",
    .rest = "\"exists\": true, \"certificate\": null",
};

static const char* write_answer(const answer* a) {
    const char* path = io_path("answer.json");
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "{\"kind\": %s, \"model\": \"box\", \"corners\": %s, \"contacts\": %s, \"wrench_exact\": %s, \"modes\": "
            "%s, %s}\n",
            a->kind, a->corners, a->contacts, a->wrench, a->modes, a->rest);
    assert_int_equal(fclose(f), 0);
    return path;
}

// STI_OK with the verdict, or the status of the reader.
static sti_status check(sti_env* env, const answer* a, bool* accepted) {
    sti_modes_options options;
    sti_modes* modes;
    sti_modes_verification verdict;
    sti_status status = sti_modes_load(env, &mass, write_answer(a), &options, &modes);
    if (status != STI_OK) return status;
    status = sti_verify_modes(env, &mass, &options, modes, &verdict);
    if (status == STI_OK) *accepted = verdict.accepted;
    sti_modes_destroy(modes);
    return status;
}

static void good_answer_is_read_and_accepted(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    bool accepted = false;
    assert_int_equal(check(env, &good, &accepted), STI_OK);
    assert_true(accepted);
    sti_env_destroy(env);
}

static void wrong_claims_are_not_accepted(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    answer wrong[5] = {good, good, good, good, good};
    wrong[0].modes =
        "[{\"mode\": \"c\", \"choice\": [0], \"fit\": \"strict\", \"witness\": [0], \"solution\": "
        "{\"a_exact\": [0], \"contact_accelerations_exact\": [0], \"forces_exact\": [5]}}]";
    wrong[1].modes =
        "[{\"mode\": \"s\", \"choice\": [1], \"fit\": \"strict\", \"witness\": [1], \"solution\": "
        "{\"a_exact\": [-3], \"contact_accelerations_exact\": [-3], \"forces_exact\": [0]}}]";
    wrong[2].modes = "[]";  // solutions are claimed, none is shown
    wrong[3].rest = "\"exists\": false, \"certificate\": {\"cases\": [{\"choices\": [null], \"y\": [1], \"nu\": [2]}]}";
    wrong[4].contacts = "[{\"status\": \"apart\", \"choices\": [\"a\", \"s\"]}]";
    for (int i = 0; i < 5; i++) {
        bool accepted = true;
        assert_int_equal(check(env, &wrong[i], &accepted), STI_OK);
        assert_false(accepted);
    }
    sti_env_destroy(env);
}

static void broken_answers_are_refused_by_name(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    static const struct {
        size_t part;
        const char *text, *named;
    } broken[] = {
        {offsetof(answer, kind), "\"lcp\"", "kind"},
        {offsetof(answer, corners), "[[1, 1]]", "corners"},
        {offsetof(answer, corners), "[[1], [1], [1], [1]]", "corners[0]"},
        {offsetof(answer, contacts), "[]", "contacts"},
        {offsetof(answer, contacts), "[{\"choices\": [\"c\"]}]", "contacts[0].status"},
        {offsetof(answer, contacts), "[{\"status\": \"rolling\"}]", "contacts[0].choices"},
        {offsetof(answer, contacts), "[{\"status\": \"rolling\", \"choices\": [3]}]", "contacts[0].choices[0]"},
        {offsetof(answer, wrench), "[\"x\"]", "wrench_exact[0]"},
        {offsetof(answer, wrench), "[1, 2]", "wrench_exact"},
        {offsetof(answer, modes), "7", "modes"},
        {offsetof(answer, modes), "[{\"mode\": \"c\", \"choice\": [2], \"witness\": [0]}]", "modes[0].choice[0]"},
        {offsetof(answer, modes), "[{\"mode\": \"c\", \"choice\": [0]}]", "modes[0].witness"},
        {offsetof(answer, modes), "[{\"mode\": \"c\", \"choice\": [0], \"witness\": [0], \"solution\": {}}]",
         "a_exact"},
        {offsetof(answer, rest), "\"exists\": false, \"certificate\": {}", "certificate.cases"},
        {offsetof(answer, rest), "\"exists\": false, \"certificate\": {\"cases\": [{\"choices\": [\"n\"]}]}",
         "choices[0]"},
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        answer a = good;
        bool accepted;
        memcpy((char*)&a + broken[i].part, &broken[i].text, sizeof broken[i].text);
        assert_int_equal(check(env, &a, &accepted), STI_ERR_INPUT);
        if (strstr(sti_env_error(env)->text, broken[i].named) == NULL) print_message("%s\n", sti_env_error(env)->text);
        assert_non_null(strstr(sti_env_error(env)->text, broken[i].named));
    }
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    answer none = good;
    none.rest =
        "\"exists\": false, \"certificate\": {\"cases\": [{\"choices\": [null], \"y\": [1], \"nu\": [2]}]}, \"held\": "
        "[0, 6]";
    for (int k = 0; k < 2; k++) {
        for (long at = 0;; at++) {
            failing_env f;
            bool accepted;
            failing_env_open(&f, at);
            const sti_status status = check(f.env, k == 0 ? &good : &none, &accepted);
            const bool done = failing_env_close(&f);
            assert_int_equal(status, done ? STI_OK : STI_ERR_MEMORY);
            if (done) break;
        }
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
        cmocka_unit_test(good_answer_is_read_and_accepted),
        cmocka_unit_test(wrong_claims_are_not_accepted),
        cmocka_unit_test(broken_answers_are_refused_by_name),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
