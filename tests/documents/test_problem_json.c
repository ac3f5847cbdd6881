// Problems from JSON: what is accepted, what it becomes, and what every mistake is answered with.
#include "support/io_tools.h"

static sti_document* parse(sti_env* env, const char* text) {
    sti_document* p;
    const sti_status status = sti_document_parse(env, text, strlen(text), "t.json", &p);
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    return p;
}

static void an_lcp_is_read(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p = parse(env, "{\"kind\":\"lcp\",\"n\":2,\"M\":[[2,1],[1.5,-2e-3]],\"q\":[-5,\"0.5\"]}");
    const sti_lcp* lcp = sti_lcp_of(p);
    assert_int_equal(sti_document_kind(p), STI_KIND_LCP);
    assert_null(sti_mlcp_of(p));
    assert_null(sti_cone_input_of(p));
    assert_int_equal(lcp->n, 2);
    io_expect_equal(lcp->M.dense, (double[]){2, 1, 1.5, -2e-3}, 4);
    io_expect_equal(lcp->q, (double[]){-5, 0.5}, 2);
    assert_null(lcp->M_exact);  // "0.5" is a double
    assert_null(lcp->q_exact);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void one_fraction_makes_every_entry_exact(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p = parse(env, "{\"kind\":\"lcp\",\"M\":[[\"2/3\",0.1],[0,\"-7\"]],\"q\":[\"0.4\",1]}");
    const sti_lcp* lcp = sti_lcp_of(p);
    static const char* const expected[6] = {"2/3", "3602879701896397/36028797018963968", "0", "-7", "2/5", "1"};
    for (size_t k = 0; k < 6; k++) {
        char* text;
        assert_int_equal(sti_rationals_text(k < 4 ? lcp->M_exact : lcp->q_exact, k < 4 ? k : k - 4, &text), STI_OK);
        assert_string_equal(text, expected[k]);
        sti_env_free(env, text);
    }
    io_expect_equal(lcp->M.dense, (double[]){2.0 / 3, 0.1, 0, -7}, 4);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void an_mlcp_is_read_with_its_blocks_in_place(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p = parse(env,
                            "{\"kind\":\"mlcp\",\"n\":2,\"m\":1,\"A\":[[1,2],[3,4]],\"C\":[[5],[6]],\"D\":[[7,8]],"
                            "\"B\":[[\"1/3\"]],\"a\":[9,10],\"b\":[11]}");
    const sti_mlcp* m = sti_mlcp_of(p);
    assert_int_equal(m->n, 2);
    assert_int_equal(m->m, 1);
    io_expect_equal(m->A.dense, (double[]){1, 2, 3, 4}, 4);
    io_expect_equal(m->C.dense, (double[]){5, 6}, 2);
    io_expect_equal(m->D.dense, (double[]){7, 8}, 2);
    const double expected[9] = {1, 2, 5, 3, 4, 6, 7, 8, 1.0 / 3};
    for (size_t k = 0; k < 9; k++) assert_true(sti_rationals_double(m->matrix_exact, k) == expected[k]);
    for (size_t k = 0; k < 3; k++) assert_true(sti_rationals_double(m->vector_exact, k) == (double)(9 + k));
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void an_mlcp_may_have_no_free_variables_or_no_pairs(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p =
        parse(env, "{\"kind\":\"mlcp\",\"A\":[],\"C\":[],\"D\":[[],[]],\"B\":[[1,0],[0,1]],\"a\":[],\"b\":[-1,1]}");
    const sti_mlcp* m = sti_mlcp_of(p);
    assert_int_equal(m->n, 0);
    assert_int_equal(m->C.rows, 0);
    assert_int_equal(m->C.cols, 2);
    assert_int_equal(m->D.rows, 2);
    sti_document_destroy(p);
    p = parse(env, "{\"kind\":\"mlcp\",\"A\":[[2]],\"C\":[[]],\"D\":[],\"B\":[],\"a\":[\"1/3\"],\"b\":[]}");
    m = sti_mlcp_of(p);
    assert_int_equal(m->m, 0);
    assert_int_equal(m->D.cols, 1);
    assert_int_equal(sti_rationals_count(m->matrix_exact), 1);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void triplets_become_a_sparse_matrix(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p =
        parse(env,
              "{\"kind\":\"lcp\",\"M\":{\"rows\":3,\"cols\":3,\"entries\":[[2,0,4],[0,0,1],[1,2,\"1/7\"]]},"
              "\"q\":[1,2,3]}");
    const sti_lcp* lcp = sti_lcp_of(p);
    assert_true(sti_matrix_is_sparse(&lcp->M));
    const int64_t start[4] = {0, 2, 2, 3};
    const int row[3] = {0, 2, 1};
    assert_memory_equal(lcp->M.col_start, start, sizeof start);
    assert_memory_equal(lcp->M.row, row, sizeof row);
    io_expect_equal(lcp->M.value, (double[]){1, 4, 1.0 / 7}, 3);
    char* text;
    assert_int_equal(sti_rationals_text(lcp->M_exact, 5, &text), STI_OK);
    assert_string_equal(text, "1/7");
    sti_env_free(env, text);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void a_cone_of_whole_numbers_and_text_is_exact(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p = parse(env, "{\"kind\":\"cone\",\"rays\":[[1,0,2],[0,1,\"2/3\"]]}");
    const sti_cone_input* c = sti_cone_input_of(p);
    assert_true(c->span);
    assert_int_equal(c->dimension, 3);
    assert_int_equal(c->first.count, 2);
    assert_int_equal(c->second.count, 0);
    assert_non_null(c->first.exact);
    assert_non_null(c->second.exact);
    sti_document_destroy(p);
    p = parse(env, "{\"kind\":\"cone\",\"inequalities\":[[1,0.5]],\"equations\":[]}");
    c = sti_cone_input_of(p);
    assert_false(c->span);
    assert_null(c->first.exact);
    assert_null(c->second.exact);
    sti_document_destroy(p);
    p = parse(env, "{\"kind\":\"cone\",\"dimension\":4,\"inequalities\":[]}");  // the whole space
    assert_int_equal(sti_cone_input_of(p)->dimension, 4);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void comments_and_byte_order_marks_are_accepted(void** state) {
    (void)state;
    io_log log;
    sti_env* env = io_env(&log);
    sti_document* p =
        parse(env,
              "\xef\xbb\xbf// first // line\n{/* a */\"kind\":\"lcp\", \"name\":\"// not a /* comment\\\"\","
              "\"M\":[[1/**/]],// end\n\"q\":[ 2 ]}\n// last");
    assert_int_equal(log.count, 0);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void unknown_fields_are_warned_of(void** state) {
    (void)state;
    io_log log;
    sti_env* env = io_env(&log);
    sti_document* p = parse(env, "{\"kind\":\"lcp\",\"M\":[[1]],\"q\":[2],\"Q\":3}");
    assert_int_equal(log.count, 1);
    assert_non_null(strstr(log.last, "t.json: Q: not a field"));
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void numbers_keep_every_bit(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p = parse(env, "{\"kind\":\"lcp\",\"M\":[[0.1]],\"q\":[4.9406564584124654e-324]}");
    assert_true(sti_lcp_of(p)->M.dense[0] == 0.1);
    assert_true(sti_lcp_of(p)->q[0] == 0x1p-1074);
    sti_document_destroy(p);
    p = parse(env, "{\"kind\":\"lcp\",\"M\":[[-1.7976931348623157e308]],\"q\":[-0.0]}");
    assert_true(sti_lcp_of(p)->M.dense[0] == -0x1.fffffffffffffp1023);
    assert_true(signbit(sti_lcp_of(p)->q[0]));
    sti_document_destroy(p);
    sti_env_destroy(env);
}

typedef struct mistake {
    const char* text;
    const char* words;
} mistake;

static const mistake mistakes[] = {
    {"", "t.json: empty"},
    {" \n // only a comment", "t.json: empty"},
    {"[1]", "t.json: a JSON object"},
    {"3", "t.json: a JSON object"},
    {"{\"kind\":\"lcp\",", "line 1, column 15"},
    {"{\"kind\":\"lcp\"", "ends inside"},
    {"{\"kind\":\"lcp\"}}", "text after the end"},
    {"{\n \"a\" 1}", "line 2, column 6: a colon"},
    {"{\"a\":1,}", "comma before a closing bracket"},
    {"{\"a\":[1,]}", "a comma too many"},
    {"{\"a\":[,1]}", "a comma where a value"},
    {"{\"a\":[1 2]}", "a comma or ]"},
    {"{\"a\":1 \"b\":2}", "a comma or }"},
    {"{a:1}", "a name in double quotes"},
    {"{'a':1}", "a name in double quotes"},
    {"{\"a\":NaN}", "only finite numbers"},
    {"{\"a\":Infinity}", "only finite numbers"},
    {"{\"a\":-Infinity}", "only finite numbers"},
    {"{\"a\":+1}", "a value is expected"},
    {"{\"a\":.5}", "a value is expected"},
    {"{\"a\":5.}", "decimal point without digits"},
    {"{\"a\":1e}", "exponent without digits"},
    {"{\"a\":01}", "does not start with 0"},
    {"{\"a\":0x10}", "a comma or }"},
    {"{\"a\":1000000000000000000000000000000000000000000000000000000000000000000}", "more than 63 characters"},
    {"{\"a\":\"b", "has no end"},
    {"{\"a\":\"b\nc\"}", "line break"},
    {"{\"a\":\"\\x\"}", "no such escape"},
    {"{\"a\":\"\\ud800\"}", "surrogate"},
    {"{\"a\":\"\\udc00\\ud800\"}", "surrogate"},
    {"{\"a\":\"\\u0000\"}", "character 0"},
    {"{\"a\":/x}", "comments are"},
    {"{\"a\":1 /* x }", "this comment has no end"},
    {"{\"a\":\x01}", "binary"},
    {"{\"M\":[[1]],\"q\":[1]}", "kind: missing"},
    {"{\"kind\":3}", "kind: 3"},
    {"{\"kind\":\"lpc\"}", "kind: \"lpc\": no such kind, \"lcp\", \"mlcp\", \"avi\", "},
    {"{\"kind\":\"qp\"}", "c: missing"},
    {"{\"kind\":\"qp\",\"c\":[]}", "c: empty"},
    {"{\"kind\":\"qp\",\"c\":[1],\"P\":[[1,2]]}", "P: 1 x 2: 1 x 1 is expected"},
    {"{\"kind\":\"qp\",\"c\":[1],\"A\":[[1,2]]}", "A: 1 x 2: 1 x 1 is expected"},
    {"{\"kind\":\"qp\",\"c\":[1],\"A\":[[1]],\"l\":[1,2]}", "l: 2 entries: 1 are expected, one for each row of A"},
    {"{\"kind\":\"qp\",\"c\":[1],\"ub\":[]}", "ub: 0 entries: 1 are expected, one for each variable"},
    {"{\"kind\":\"qp\",\"c\":null}", "c: null"},
    {"{\"kind\":\"qp\",\"c\":[1],\"n\":2}", "n: 2: c has 1"},
    {"{\"kind\":\"scene\"}", "bed: missing"},
    {"{\"kind\":\"lcp\",\"q\":[1]}", "M: missing"},
    {"{\"kind\":\"lcp\",\"M\":[[1]]}", "q: missing"},
    {"{\"kind\":\"lcp\",\"M\":[[1]],\"M\":[[1]],\"q\":[1]}", "M: given twice"},
    {"{\"kind\":\"lcp\",\"M\":[1,2,3,4],\"q\":[1,2]}",
     "M[0]: 1: a row [..] is expected: a matrix is a list of rows, not a flat list"},
    {"{\"kind\":\"lcp\",\"M\":[[1,2],[3]],\"q\":[1,2]}", "M[1]: a list of 1: a row of 2"},
    {"{\"kind\":\"lcp\",\"M\":[[1,2],[3,4],[5,6]],\"q\":[1,2]}", "M: 3 x 2: 2 x 2 is expected"},
    {"{\"kind\":\"lcp\",\"M\":[[1,2],[3,4]],\"q\":[1,2,3]}", "M: 2 x 2: 3 x 3 is expected"},
    {"{\"kind\":\"lcp\",\"M\":[[1,2],[3,[4]]],\"q\":[1,2]}", "M[1][1]: a list of 1: a number"},
    {"{\"kind\":\"lcp\",\"M\":[[1,null],[3,4]],\"q\":[1,2]}", "M[0][1]: null"},
    {"{\"kind\":\"lcp\",\"M\":[[1,true],[3,4]],\"q\":[1,2]}", "M[0][1]: true"},
    {"{\"kind\":\"lcp\",\"M\":[[1,2],[3,4]],\"q\":[[1],[2]]}",
     "q[0]: a list of 1: a number is expected, vectors are not nested"},
    {"{\"kind\":\"lcp\",\"M\":[[1,2],[3,4]],\"q\":5}", "q: 5: a list of numbers"},
    {"{\"kind\":\"lcp\",\"M\":5,\"q\":[1]}", "M: 5: a list of rows"},
    {"{\"kind\":\"lcp\",\"M\":\"x\",\"q\":[1]}", "M: \"x\": a list of rows"},
    {"{\"kind\":\"lcp\",\"M\":{},\"q\":[1]}", "M: an object"},
    {"{\"kind\":\"lcp\",\"M\":[[1e999]],\"q\":[1]}", "M[0][0]: inf: too large"},
    {"{\"kind\":\"lcp\",\"M\":[[\"nan\"]],\"q\":[1]}", "M[0][0]: \"nan\""},
    {"{\"kind\":\"lcp\",\"M\":[[\"1/0\"]],\"q\":[1]}", "M[0][0]: \"1/0\""},
    {"{\"kind\":\"lcp\",\"M\":[[\"\"]],\"q\":[1]}", "M[0][0]: \"\""},
    {"{\"kind\":\"lcp\",\"M\":[[\"1e400\"]],\"q\":[1]}", "M[0][0]: \"1e400\": too large"},
    {"{\"kind\":\"lcp\",\"M\":[[\"1e-400\"]],\"q\":[1]}", "M[0][0]: \"1e-400\": not zero"},
    {"{\"kind\":\"lcp\",\"M\":[],\"q\":[]}", "q: empty"},
    {"{\"kind\":\"lcp\",\"n\":3,\"M\":[[1]],\"q\":[1]}", "n: 3: q has 1"},
    {"{\"kind\":\"lcp\",\"n\":1.5,\"M\":[[1]],\"q\":[1]}", "n: 1.5: a whole number"},
    {"{\"kind\":\"lcp\",\"n\":-1,\"M\":[[1]],\"q\":[1]}", "n: -1"},
    {"{\"kind\":\"lcp\",\"n\":\"1\",\"M\":[[1]],\"q\":[1]}", "n: \"1\""},
    {"{\"kind\":\"lcp\",\"M\":{\"file\":\"M.mtx\"},\"q\":[1]}", "M.file: \"M.mtx\": a problem read from memory"},
    {"{\"kind\":\"lcp\",\"M\":{\"rows\":1,\"cols\":1,\"entries\":[[0,1,1]]},\"q\":[1]}", "M.entries[0][1]: 1"},
    {"{\"kind\":\"lcp\",\"M\":{\"rows\":1,\"cols\":1,\"entries\":[[0,0]]},\"q\":[1]}", "M.entries[0]: a list of 2"},
    {"{\"kind\":\"lcp\",\"M\":{\"rows\":1,\"cols\":1,\"entries\":[[0,0,1],[0,0,2]]},\"q\":[1]}",
     "row 0, column 0 is given twice"},
    {"{\"kind\":\"lcp\",\"M\":{\"rows\":1e9,\"cols\":1,\"entries\":[]},\"q\":[1]}", "M.rows: 1000000000"},
    {"{\"kind\":\"lcp\",\"M\":{\"cols\":1,\"entries\":[]},\"q\":[1]}", "M.rows: missing"},
    {"{\"kind\":\"lcp\",\"M\":{\"rows\":1,\"cols\":1,\"entries\":3},\"q\":[1]}", "M.entries: 3"},
    {"{\"kind\":\"mlcp\",\"A\":[[1]],\"C\":[[1]],\"D\":[[1]],\"B\":[[1]],\"a\":[1]}", "b: missing"},
    {"{\"kind\":\"mlcp\",\"A\":[[1]],\"C\":[[1,2]],\"D\":[[1]],\"B\":[[1]],\"a\":[1],\"b\":[1]}", "C: 1 x 2: 1 x 1"},
    {"{\"kind\":\"mlcp\",\"n\":1,\"m\":2,\"A\":[[1]],\"C\":[[1]],\"D\":[[1]],\"B\":[[1]],\"a\":[1],\"b\":[1]}",
     "m: 2: b has 1"},
    {"{\"kind\":\"mlcp\",\"A\":[],\"C\":[],\"D\":[],\"B\":[],\"a\":[],\"b\":[]}", "both empty"},
    {"{\"kind\":\"cone\"}", "rays: missing"},
    {"{\"kind\":\"cone\",\"rays\":[]}", "dimension: missing"},
    {"{\"kind\":\"cone\",\"rays\":[[]]}", "dimension: 0"},
    {"{\"kind\":\"cone\",\"rays\":[[1]],\"equations\":[[1]]}", "one form is expected"},
    {"{\"kind\":\"cone\",\"rays\":[[1,2]],\"lines\":[[1]]}", "lines: rows of 1: 2 is expected"},
    {"{\"kind\":\"cone\",\"dimension\":3,\"rays\":[[1,2]]}", "rays: rows of 2: 3 is expected, as dimension says"},
    {"{\"kind\":\"cone\",\"rays\":{\"rows\":900000,\"cols\":900000,\"entries\":[]}}",
     "rays: 900000 x 900000: more than"},
};

static void every_mistake_is_named(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        sti_document* p = (sti_document*)env;
        assert_int_equal(sti_document_parse(env, mistakes[k].text, strlen(mistakes[k].text), "t.json", &p),
                         STI_ERR_INPUT);
        assert_null(p);
        io_expect_error(env, STI_ERR_INPUT, mistakes[k].words);
        io_expect_error(env, STI_ERR_INPUT, "t.json: ");
    }
    sti_env_destroy(env);
}

static void deep_nesting_is_refused(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    enum { DEEP = 100000 };
    char* text = malloc(DEEP);
    assert_non_null(text);
    memset(text, '[', DEEP);
    sti_document* p;
    assert_int_equal(sti_document_parse(env, text, DEEP, "t.json", &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "64 levels");
    free(text);
    sti_env_destroy(env);
}

static void an_object_with_a_flood_of_names_is_refused(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    enum { NAMES = 20000 };
    char* text = malloc(NAMES * 16 + 3);
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, "{");
    for (int k = 0; k < NAMES; k++) at += (size_t)sprintf(text + at, "%s\"k%d\":1", k > 0 ? "," : "", k);
    at += (size_t)sprintf(text + at, "}");
    sti_document* p;
    assert_int_equal(sti_document_parse(env, text, at, "t.json", &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "more than 1000 names");
    free(text);
    sti_env_destroy(env);
}

static void every_prefix_of_a_problem_is_refused(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    static const char text[] = "{\"kind\":\"lcp\",\"M\":[[\"2/3\",1],[0.5,\"-7\"]],\"q\":[\"0.4\",1e-3]}";
    sti_document* p;
    for (size_t size = 0; size + 1 < sizeof text; size++) {
        assert_int_equal(sti_document_parse(env, text, size, "t.json", &p), STI_ERR_INPUT);
        assert_null(p);
    }
    sti_env_destroy(env);
}

static void long_names_are_cut_from_the_front(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    char name[1000];
    memset(name, 'x', sizeof name);
    snprintf(name + 990, 10, "\n.json");
    sti_document* p;
    assert_int_equal(sti_document_parse(env, "{", 1, name, &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "x?.json: line 1");
    sti_env_destroy(env);
}

static void a_failed_allocation_leaves_nothing(void** state) {
    (void)state;
    static const char* const texts[] = {
        "{\"kind\":\"lcp\",\"M\":[[\"2/3\",1],[0.5,\"-7\"]],\"q\":[\"0.4\",1]}",
        "{\"kind\":\"mlcp\",\"A\":[[1]],\"C\":[[\"1/3\"]],\"D\":[[1]],\"B\":[[1]],\"a\":[1],\"b\":[1]}",
        "{\"kind\":\"lcp\",\"M\":{\"rows\":2,\"cols\":2,\"entries\":[[1,1,\"1/3\"],[0,0,2]]},\"q\":[1,2]}",
        "{\"kind\":\"cone\",\"rays\":[[1,\"1/3\"]],\"lines\":{\"rows\":1,\"cols\":2,\"entries\":[[0,1,3]]}}",
    };
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        for (long k = 0;; k++) {
            failing_env f;
            sti_document* p;
            failing_env_open(&f, k);
            const sti_status status = sti_document_parse(f.env, texts[t], strlen(texts[t]), "t.json", &p);
            if (status == STI_OK)
                sti_document_destroy(p);
            else
                assert_int_equal(status, STI_ERR_MEMORY);
            if (failing_env_close(&f)) {
                assert_int_equal(status, STI_OK);
                break;
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_lcp_is_read),
        cmocka_unit_test(one_fraction_makes_every_entry_exact),
        cmocka_unit_test(an_mlcp_is_read_with_its_blocks_in_place),
        cmocka_unit_test(an_mlcp_may_have_no_free_variables_or_no_pairs),
        cmocka_unit_test(triplets_become_a_sparse_matrix),
        cmocka_unit_test(a_cone_of_whole_numbers_and_text_is_exact),
        cmocka_unit_test(comments_and_byte_order_marks_are_accepted),
        cmocka_unit_test(unknown_fields_are_warned_of),
        cmocka_unit_test(numbers_keep_every_bit),
        cmocka_unit_test(every_mistake_is_named),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(an_object_with_a_flood_of_names_is_refused),
        cmocka_unit_test(every_prefix_of_a_problem_is_refused),
        cmocka_unit_test(long_names_are_cut_from_the_front),
        cmocka_unit_test(a_failed_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
