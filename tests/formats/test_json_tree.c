// test_json_tree.c: JSON as a tree: values in their order, strings decoded, numbers with their digits, memory of the
// caller.
#include "formats/json_tree.h"
#include "support/io_tools.h"

static sti_status parse(sti_env* env, const char* text, sti_json_tree* tree) {
    char* copy = strdup(text);
    const sti_status status = sti_json_tree_create(env, copy, strlen(copy), "t.json", tree);
    free(copy);  // the tree has its own
    return status;
}

static void values_come_in_their_order_and_with_their_counts(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_json_tree tree;
    assert_int_equal(parse(env,
                           "\xef\xbb\xbf { \"a\" :[1 , -2.50e+1,[],{} ],\n\t\"b\": {\"c\": true, \"d\":false,\"e\":null"
                           "}, /* x */ \"f\": \"\" } // end",
                           &tree),
                     STI_OK);
    assert_true(sti_json_is_object(tree.root));
    assert_int_equal(sti_json_count(tree.root), 3);
    const sti_json_value* a = sti_json_get(tree.root, "a");
    assert_true(sti_json_is_array(a) && sti_json_count(a) == 4 && a->child->next->next->next->next == NULL);
    assert_true(sti_json_item(a, 0)->number == 1 && sti_json_item(a, 1)->number == -25);
    assert_string_equal(sti_json_item(a, 0)->text, "1");
    assert_string_equal(sti_json_item(a, 1)->text, "-2.50e+1");
    assert_true(sti_json_is_array(sti_json_item(a, 2)) && sti_json_item(a, 2)->child == NULL);
    assert_true(sti_json_is_object(sti_json_item(a, 3)) && sti_json_item(a, 4) == NULL);
    const sti_json_value* b = sti_json_get(tree.root, "b");
    assert_true(sti_json_is_true(sti_json_get(b, "c")) && sti_json_is_bool(sti_json_get(b, "d")));
    assert_true(sti_json_is_null(sti_json_get(b, "e")) && sti_json_get(b, "f") == NULL && sti_json_get(a, "c") == NULL);
    assert_string_equal(sti_json_string(sti_json_get(tree.root, "f")), "");
    assert_null(sti_json_string(b));
    assert_int_equal(sti_json_count(NULL), 0);
    sti_json_tree_clear(&tree);
    sti_env_destroy(env);
}

static void strings_are_decoded(void** state) {
    (void)state;
    static const struct {
        const char *text, *means;
    } list[] = {{"{\"x\": \"plain\"}", "plain"},
                {"{\"x\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "\"\\/\b\f\n\r\t"},
                {"{\"x\": \"\\u0041\\u00e4\\u20AC\\u20ac|\"}", "A\xc3\xa4\xe2\x82\xac\xe2\x82\xac|"},
                {"{\"x\": \"\\ud83d\\ude00!\"}", "\xf0\x9f\x98\x80!"},
                {"{\"x\": \"\\uD800\\uDC00\\uDBFF\\uDFFF\"}", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
                {"{\"x\": \"/* no comment */ // nor this\"}", "/* no comment */ // nor this"},
                {"{\"x\": \"\\\\\"}", "\\"}};
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        sti_json_tree tree;
        assert_int_equal(parse(env, list[k].text, &tree), STI_OK);
        assert_string_equal(sti_json_string(sti_json_get(tree.root, "x")), list[k].means);
        sti_json_tree_clear(&tree);
    }
    sti_env_destroy(env);
}

static void names_are_decoded_before_they_are_compared(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_json_tree tree;
    assert_int_equal(parse(env, "{\"x\": 1, \"\\u0078\": 2}", &tree), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "x: given twice");
    sti_env_destroy(env);
}

static void the_deepest_tree_is_built(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    char text[200] = "{\"x\":";
    for (int k = 0; k < 63; k++) strcat(text, "[");
    strcat(text, "7");
    for (int k = 0; k < 63; k++) strcat(text, "]");
    strcat(text, "}");
    sti_json_tree tree;
    assert_int_equal(parse(env, text, &tree), STI_OK);
    const sti_json_value* v = sti_json_get(tree.root, "x");
    for (int k = 0; k < 63; k++) v = sti_json_item(v, 0);
    assert_true(sti_json_is_number(v) && v->number == 7);
    sti_json_tree_clear(&tree);
    sti_env_destroy(env);
}

// The caller's allocator grants nothing that is large, so a tree of many values cannot be had.
static void* small_alloc(void* user, size_t size) {
    return size > *(size_t*)user ? NULL : malloc(size);
}
static void* small_realloc(void* user, void* p, size_t size) {
    return size > *(size_t*)user ? NULL : realloc(p, size);
}
static void small_free(void* user, void* p) {
    (void)user;
    free(p);
}

static void the_tree_lives_in_the_memory_of_the_caller(void** state) {
    (void)state;
    enum { VALUES = 20000 };
    size_t most = 200000;
    sti_env_def def = sti_env_def_default();
    def.alloc = small_alloc;
    def.realloc = small_realloc;
    def.free = small_free;
    def.alloc_user = &most;
    sti_env* env;
    assert_int_equal(sti_env_create(&def, &env), STI_OK);
    char* text = malloc(2 * VALUES + 100);
    size_t size = (size_t)sprintf(text, "{\"kind\": \"cone\", \"rays\": [[1");
    for (int k = 1; k < VALUES; k++) size += (size_t)sprintf(text + size, ",1");
    size += (size_t)sprintf(text + size, "]]}");
    sti_document* p;
    assert_int_equal(sti_document_parse(env, text, size, "t.json", &p), STI_ERR_MEMORY);
    io_expect_error(env, STI_ERR_MEMORY, "bytes");
    free(text);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_in_their_order_and_with_their_counts), cmocka_unit_test(strings_are_decoded),
        cmocka_unit_test(names_are_decoded_before_they_are_compared),       cmocka_unit_test(the_deepest_tree_is_built),
        cmocka_unit_test(the_tree_lives_in_the_memory_of_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
