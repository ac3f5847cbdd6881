// test_document.c: documents of any kind: the list of kinds, what they are for, saving.
#include <stiction/io.h>

// Who reads a linear complementarity problem from a file meets no mechanics.
#if defined STICTION_SYSTEM_H || defined STICTION_SCENE_H || defined STICTION_BODIES_H || \
    defined STICTION_GRANULAR_H || defined STICTION_ROOTS_H || defined STICTION_INSTANT_H
#error "<stiction/io.h> pulls in more than problems"
#endif

#include "support/io_tools.h"

static sti_env* env;

static int begin(void** state) {
    (void)state;
    env = io_env(NULL);
    io_folder_make();
    return 0;
}

static int finish(void** state) {
    (void)state;
    io_folder_remove();
    sti_env_destroy(env);
    return 0;
}

// One of each, in the order of the list; NULL: not from text.
static const char* const samples[STI_KIND_COUNT] = {
    [STI_KIND_LCP] = "{\"kind\": \"lcp\", \"M\": [[2, \"1/3\"], [1, 2]], \"q\": [-5, -6]}",
    [STI_KIND_MLCP] =
        "{\"kind\": \"mlcp\", \"A\": [[1]], \"C\": [[1]], \"D\": [[-1]], \"B\": [[1]], \"a\": [1], \"b\": [1]}",
    [STI_KIND_AVI] =
        "{\"kind\": \"avi\", \"M\": [[1, 0], [0, \"1/3\"]], \"q\": [1, -1], \"A\": [[1, 1]], \"b\": [1], \"E\": [[1, "
        "-1]], "
        "\"e\": [0], \"lb\": [0, null], \"ub\": [null, 4]}",
    [STI_KIND_RELAY] = "{\"kind\": \"relay\", \"M\": [[2]], \"q\": [-5]}",
    [STI_KIND_NCP] = "{\"kind\": \"ncp\", \"variables\": [\"x\"], \"F\": [\"x^2 - 2\"], \"start\": [1]}",
    [STI_KIND_VI] =
        "{\"kind\": \"vi\", \"variables\": {\"x\": [0, 1], \"y\": null}, \"F\": [\"x - y\", \"y + a\"], "
        "\"definitions\": "
        "{\"a\": \"sin(x)\"}}",
    [STI_KIND_QP] = "{\"kind\": \"qp\", \"P\": [[1]], \"c\": [-1], \"lb\": [0]}",
    [STI_KIND_L1] = "{\"kind\": \"l1\", \"A\": [[1], [1]], \"b\": [-1, -2]}",
    [STI_KIND_STOCHASTIC] =
        "{\"kind\": \"stochastic\", \"c0\": [1], \"T0\": [[1]], \"b\": [1], \"scenarios\": [{\"W0\": [[1]], \"c\": "
        "[1], "
        "\"d\": [2]}]}",
    [STI_KIND_CONE] = "{\"kind\": \"cone\", \"rays\": [[1, 0], [1, 1]]}",
    [STI_KIND_INSTANT] = "{\"kind\": \"instant\", \"M\": [[2]], \"F\": [-1], \"contacts\": [{\"n\": [1]}]}",
    [STI_KIND_GRASP] =
        "{\"kind\": \"grasp\", \"dimension\": 2, \"contacts\": [{\"point\": [1, 0], \"normal\": [-1, 0], "
        "\"mu\": 1}]}",
    [STI_KIND_MATRICES] = "{\"kind\": \"matrices\", \"G\": [[2, 1], [1, 2]]}",
    [STI_KIND_SYSTEM] =
        "{\"kind\": \"system\", \"parameters\": {\"m\": 1}, \"coordinates\": [\"x\"], \"kinetic\": "
        "\"m/2*x'^2\"}",
    [STI_KIND_SCENE] = "{\"kind\": \"scene\", \"bed\": {\"layout\": \"box\", \"count\": 12}, \"time\": 1}",
    [STI_KIND_MANIPULATION] =
        "{\"kind\": \"manipulation\", \"parts\": [{\"name\": \"disc\", \"disc\": 1, \"support\": "
        "{\"points\": [[0.5, 0, 1], [-0.5, 0, 1], [0, 0.5, 1]]}}], \"mu\": 0.3, \"h\": 0.05, \"steps\": 10}",
    [STI_KIND_NAVIGATION] = "{\"kind\": \"navigation\", \"vehicles\": [{\"cage\": 1, \"force\": [\"1 - x'\", 0]}]}",
    [STI_KIND_PLAN] =
        "{\"kind\": \"plan\", \"scene\": \"peg-push\", \"h\": 0.05, \"probe\": 0, \"noise\": {\"pose\": [0, 0, 0], "
        "\"mu\": 0, "
        "\"tip\": 0}, \"goals\": [{\"part\": 0, \"pose\": [1, 0, 0], \"tolerance\": [2, 2, 2]}], \"start\": [0, 0, 0], "
        "\"start_sets\": [{\"angle\": 0, \"low\": [0, 0, 0], \"high\": [0, 0, 0]}], \"pushes\": [{\"part\": 0, "
        "\"edge\": 3, "
        "\"at\": [-1, 0], \"angle\": 0, \"speed\": 0.3, \"steps\": 20, \"cuts\": [1, 1, 1], \"poses\": [0.1, 0, 0], "
        "\"sets\": [{\"angle\": 0, \"low\": [0, 0, 0], \"high\": [1, 0, 0]}]}]}",
    [STI_KIND_MODEL] = "{\"kind\": \"model\", \"parameters\": {\"a\": 1}, \"model\": \"a*t\"}",
    [STI_KIND_ROOT] = "{\"kind\": \"root\", \"variables\": {\"x\": [0, 2]}, \"equations\": [\"x^2 - 2\"]}",
    [STI_KIND_BOUND] =
        "{\"kind\": \"bound\", \"what\": \"hadamard\", \"interval\": [1, 3], \"f\": \"x^3\", "
        "\"weight\": \"1/2\"}",
};

static const char bodies[] =
    "{\"kind\": \"scene\", \"dimension\": 2, \"bodies\": [{\"name\": \"disc\", \"shape\": {\"type\": \"sphere\", "
    "\"radius\": 1}}], "
    "\"time\": 1}";

static sti_status parse(sti_env* in, const char* text, sti_document** out) {
    return sti_document_parse(in, text, strlen(text), "sample.json", out);
}

static sti_document* must(const char* text) {
    sti_document* d;
    if (parse(env, text, &d) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    return d;
}

static void a_word_is_a_kind_and_a_kind_is_a_word(void** state) {
    (void)state;
    sti_kind kind;
    for (int k = STI_KIND_NONE + 1; k < STI_KIND_COUNT; k++) {
        assert_true(sti_kind_parse(sti_kind_text((sti_kind)k), &kind));
        assert_int_equal(kind, k);
        assert_int_not_equal(sti_kind_uses((sti_kind)k), 0);
    }
    assert_false(sti_kind_parse("none", &kind));
    assert_string_equal(sti_kind_text(STI_KIND_NONE), "none");
    assert_string_equal(sti_kind_text(STI_KIND_COUNT), "none");
    assert_int_equal(sti_kind_uses(STI_KIND_COUNT), 0);
}

static void lists_of_words_read_as_sentences(void** state) {
    (void)state;
    char text[300];
    sti_use_kinds(STI_USE_ROOT, text, sizeof text);
    assert_string_equal(text, "\"root\"");
    sti_use_kinds(STI_USE_ROOT | STI_USE_BOUND, text, sizeof text);
    assert_string_equal(text, "\"root\" or \"bound\"");
    sti_use_kinds(STI_USE_ROOT | STI_USE_BOUND | STI_USE_CONE, text, sizeof text);
    assert_string_equal(text, "\"cone\", \"root\" or \"bound\"");
    sti_use_kinds(0, text, sizeof text);
    assert_string_equal(text, "");
    sti_kind_uses_text(STI_KIND_LCP, text, sizeof text);
    assert_string_equal(text, "solve, inspect or verify");
    sti_kind_uses_text(STI_KIND_CONE, text, sizeof text);
    assert_string_equal(text, "cone");
    char few[8];  // cut, and ended
    sti_use_kinds(STI_USE_SOLVE, few, sizeof few);
    assert_int_equal(strlen(few), 7);
}

static void every_kind_is_read_and_knows_its_kind(void** state) {
    (void)state;
    for (int k = STI_KIND_NONE + 1; k < STI_KIND_COUNT; k++) {
        if (k == STI_KIND_CONTACT) continue;
        if (samples[k] == NULL) fail_msg("%s: no sample here", sti_kind_text((sti_kind)k));
        sti_document* d = must(samples[k]);
        assert_int_equal(sti_document_kind(d), k);
        assert_int_equal(sti_lcp_of(d) != NULL, k == STI_KIND_LCP);
        assert_int_equal(sti_mlcp_of(d) != NULL, k == STI_KIND_MLCP);
        assert_int_equal(sti_qp_of(d) != NULL, k == STI_KIND_QP);
        assert_int_equal(sti_l1_of(d) != NULL, k == STI_KIND_L1);
        assert_int_equal(sti_cone_input_of(d) != NULL, k == STI_KIND_CONE);
        assert_int_equal(sti_instant_of(d) != NULL, k == STI_KIND_INSTANT || k == STI_KIND_GRASP);
        assert_int_equal(sti_matrices_of(d) != NULL, k == STI_KIND_MATRICES);
        assert_int_equal(sti_system_of(d) != NULL, k == STI_KIND_SYSTEM);
        assert_int_equal(sti_bed_scene_of(d) != NULL, k == STI_KIND_SCENE);
        assert_int_equal(sti_root_problem_of(d) != NULL, k == STI_KIND_ROOT);
        assert_int_equal(sti_bound_problem_of(d) != NULL, k == STI_KIND_BOUND);
        assert_int_equal(sti_manipulation_of(d) != NULL, k == STI_KIND_MANIPULATION);
        assert_int_equal(sti_navigation_of(d) != NULL, k == STI_KIND_NAVIGATION);
        const char *scene, *settings;
        assert_int_equal(sti_plan_of(d, &scene, &settings) != NULL, k == STI_KIND_PLAN);
        assert_int_equal(sti_model_of(d) != NULL, k == STI_KIND_MODEL);
        assert_null(sti_world_scene_of(d));
        assert_null(sti_contact_problem_of(d));
        assert_null(sti_contact_info_of(d));
        assert_int_equal(sti_avi_of(d) != NULL, k == STI_KIND_AVI || k == STI_KIND_RELAY);
        assert_int_equal(sti_vi_of(d) != NULL, k == STI_KIND_NCP || k == STI_KIND_VI);
        sti_document_destroy(d);
    }
    sti_document_destroy(NULL);
}

static void a_message_lists_all_kinds_of_text(void** state) {
    (void)state;
    sti_document* d;
    assert_int_equal(parse(env, "{\"kind\": \"none\"}", &d), STI_ERR_INPUT);
    for (int k = STI_KIND_NONE + 1; k < STI_KIND_COUNT; k++) {
        char word[40];
        snprintf(word, sizeof word, "\"%s\"", sti_kind_text((sti_kind)k));
        assert_int_equal(strstr(sti_env_error(env)->text, word) != NULL, k != STI_KIND_CONTACT);
    }
    assert_int_equal(parse(env, "{\"kind\": \"contact\"}", &d), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "read from HDF5 files of FCLIB only"));
}

static void expect_same_file(const char* one, const char* other) {
    char a[4096] = {0}, b[4096] = {0};
    FILE *f = fopen(io_path(one), "rb"), *g = fopen(io_path(other), "rb");
    assert_true(f != NULL && g != NULL);
    const size_t size = fread(a, 1, sizeof a, f);
    assert_true(size > 0 && size < sizeof a);
    assert_int_equal(fread(b, 1, sizeof b, g), size);
    assert_memory_equal(a, b, size);
    fclose(f);
    fclose(g);
}

static void what_is_saved_reads_back_as_the_same(void** state) {
    (void)state;
    for (int k = STI_KIND_NONE + 1; k < STI_KIND_COUNT; k++) {
        if (samples[k] == NULL) continue;
        sti_document *d = must(samples[k]), *back = NULL;
        const bool can = k == STI_KIND_LCP || k == STI_KIND_MLCP || k == STI_KIND_AVI || k == STI_KIND_RELAY ||
                         k == STI_KIND_L1 || k == STI_KIND_INSTANT || k == STI_KIND_SCENE;
        const sti_status status = sti_document_save(env, d, io_path("once.json"));
        assert_int_equal(status, can ? STI_OK : STI_ERR_ARGUMENT);
        if (!can) assert_non_null(strstr(sti_env_error(env)->text, "cannot be written"));
        if (can) {
            assert_int_equal(sti_document_load(env, io_path("once.json"), &back), STI_OK);
            assert_int_equal(sti_document_kind(back), k);
            assert_int_equal(sti_document_save(env, back, io_path("twice.json")), STI_OK);
            expect_same_file("once.json", "twice.json");
        }
        sti_document_destroy(back);
        sti_document_destroy(d);
    }
}

static void the_text_of_a_scene_is_its_own(void** state) {
    (void)state;
    char* text;
    sti_document* d = must(bodies);
    assert_int_equal(sti_document_text(env, d, &text), STI_OK);
    assert_string_equal(text, bodies);
    sti_env_free(env, text);
    assert_int_equal(sti_document_save(env, d, io_path("bodies.hdf5")), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(env)->text, "a name that ends in .json is expected"));
    sti_document_destroy(d);
    d = must(samples[STI_KIND_LCP]);
    assert_int_equal(sti_document_text(env, d, &text), STI_ERR_ARGUMENT);
    assert_null(text);
    assert_int_equal(sti_document_set(d, "mu=1"), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(env)->text, "kind lcp has no parameters"));
    sti_document_destroy(d);
}

static void parse_save_and_drop(const char* text) {
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_document* d;
        sti_status status = parse(f.env, text, &d);
        if (status == STI_OK) status = sti_document_save(f.env, d, io_path("saved.json"));
        if (status != STI_OK && status != STI_ERR_ARGUMENT) assert_int_equal(status, STI_ERR_MEMORY);
        sti_document_destroy(d);
        if (failing_env_close(&f)) break;
    }
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    for (int k = STI_KIND_NONE + 1; k < STI_KIND_COUNT; k++) {
        if (samples[k] != NULL) parse_save_and_drop(samples[k]);
    }
    parse_save_and_drop(bodies);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_a_kind_and_a_kind_is_a_word),
        cmocka_unit_test(lists_of_words_read_as_sentences),
        cmocka_unit_test(every_kind_is_read_and_knows_its_kind),
        cmocka_unit_test(a_message_lists_all_kinds_of_text),
        cmocka_unit_test(what_is_saved_reads_back_as_the_same),
        cmocka_unit_test(the_text_of_a_scene_is_its_own),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, begin, finish);
}
