// Files of the kinds "root" and "bound": what they may hold, and what is said of those that are wrong.
#include <math.h>
#include <stiction/bounds.h>
#include <stiction/io.h>
#include <stiction/roots.h>
#include <string.h>

#include "support/open_env.h"

static void numbers_are_kept_as_they_are_written(void** state) {
    const char* text =
        "{\"kind\": \"root\", \"variables\": {\"a\": [-0.1, \"pi/2\"], \"b\": [0, 1e-3]}, \"equations\": [\"a = b\", "
        "\"c*a\"],\n"
        " \"parameters\": {\"c\": 2.50}, \"definitions\": {\"d\": \"c^2\"}, \"start\": [0.5, 0], \"method\": "
        "\"newton-mc\", \"runs\": 7,\n"
        " \"seed\": 9, \"gamma\": 0.25, \"tol_f\": 1e-9, \"digits\": 30, \"max_iterations\": 12}";
    sti_document* problem;
    assert_int_equal(sti_document_parse(*state, text, strlen(text), "f", &problem), STI_OK);
    assert_int_equal(sti_document_kind(problem), STI_KIND_ROOT);
    assert_null(sti_bound_problem_of(problem));
    const sti_root_problem* p = sti_root_problem_of(problem);
    assert_int_equal(p->variable_count, 2);
    assert_string_equal(p->variables[1], "b");
    assert_string_equal(p->low[0], "-0.1");
    assert_string_equal(p->high[0], "pi/2");
    assert_string_equal(p->high[1], "1e-3");
    assert_int_equal(p->definition_count, 2);
    assert_string_equal(p->definitions[0].formula, "2.50");
    assert_true(p->start[0] == 0.5 && p->options.gamma == 0.25 && p->options.tol_f == 1e-9);
    assert_true(p->options.runs == 7 && p->options.seed == 9 && p->options.digits == 30 &&
                p->options.max_iterations == 12);
    assert_int_equal(p->options.method, STI_ROOT_NEWTON_MC);
    sti_document_destroy(problem);
}

static void broken_lines_become_formulas(void** state) {
    const char* text =
        "{\"kind\": \"bound\", \"what\": \"modulus\", \"interval\": [0, 1], \"t\": 0.25,\n"
        " \"f\": {\"points\": [[0, 0], [0.4, 0], [0.5, 1], [0.9, 1], [1, 2]]}}";
    sti_document* problem;
    sti_bound_answer a;
    assert_int_equal(sti_document_parse(*state, text, strlen(text), "f", &problem), STI_OK);
    assert_int_equal(sti_bound_solve(*state, sti_bound_problem_of(problem), &a), STI_OK);
    assert_true(fabs(a.omega[0].low - 1) < 1e-9 && fabs(a.omega_tilde[0].high - 1.3) < 1e-9);
    sti_bound_answer_clear(*state, &a);
    sti_document_destroy(problem);
}

static void wrong_files_are_answered_with_field_and_value(void** state) {
    static const char* const table[][2] = {
        {"{\"kind\": \"root\"}", "f: variables: missing"},
        {"{\"kind\": \"root\", \"variables\": {\"x\": 3}, \"equations\": [\"x\"]}",
         "f: variables.x: 3: [low, high] is expected"},
        {"{\"kind\": \"root\", \"variables\": {\"x\": [0, 1]}}", "f: equations: missing"},
        {"{\"kind\": \"root\", \"variables\": {\"x\": [0, 1]}, \"equations\": [\"x\", \"x\"]}",
         "f: equations: a list of 2: 2 equations for 1"},
        {"{\"kind\": \"root\", \"variables\": {\"x\": [0, 1]}, \"equations\": [true]}", "f: equations[0]: "},
        {"{\"kind\": \"root\", \"variables\": {\"x\": [0, 1], \"y\": null}, \"equations\": [\"x\", \"y\"]}",
         "a box for all"},
        {"{\"kind\": \"root\", \"variables\": {\"x\": [0, 1]}, \"equations\": \"x\", \"method\": \"fast\"}",
         "f: method: \"fast\": one of"},
        {"{\"kind\": \"root\", \"variables\": {\"x\": [0, 1]}, \"equations\": \"x\", \"runs\": 0}", "f: runs: 0: "},
        {"{\"kind\": \"root\", \"variables\": {\"x\": [0, 1]}, \"equations\": \"x\", \"start\": [1, 2]}", "f: start: "},
        {"{\"kind\": \"bound\"}", "f: what: missing"},
        {"{\"kind\": \"bound\", \"what\": \"guess\"}", "f: what: \"guess\": one of modulus, gruess, hadamard"},
        {"{\"kind\": \"bound\", \"what\": \"gruess\", \"f\": \"x\"}", "f: interval: missing"},
        {"{\"kind\": \"bound\", \"what\": \"gruess\", \"interval\": [0], \"f\": \"x\"}",
         "f: interval: a list of 1: a pair"},
        {"{\"kind\": \"bound\", \"what\": \"gruess\", \"interval\": [0, 1], \"f\": 1, \"weight\": \"1\", \"B\": \"1\"}",
         "f: weight: \"1\": stands for"},
        {"{\"kind\": \"bound\", \"what\": \"gruess\", \"interval\": [0, 1], \"f\": 1, \"A\": {\"atom\": 1}}",
         "f: A.atom: 1: no such field"},
        {"{\"kind\": \"bound\", \"what\": \"gruess\", \"interval\": [0, 1], \"f\": 1, \"A\": {\"atoms\": [[1]]}}",
         "f: A.atoms[0]: "},
        {"{\"kind\": \"bound\", \"what\": \"modulus\", \"interval\": [0, 1], \"f\": {\"points\": [[0, 1]]}}",
         "f: f.points: a list of 1: "},
        {"{\"kind\": \"bound\", \"what\": \"modulus\", \"interval\": [0, 1], \"f\": \"x\", \"tol\": -1}",
         "f: tol: -1: "},
        {"{\"kind\": \"boundary\"}", "\"root\" or \"bound\" is expected"}};
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        sti_document* p;
        assert_int_equal(sti_document_parse(*state, table[k][0], strlen(table[k][0]), "f", &p), STI_ERR_INPUT);
        assert_null(p);
        if (strstr(sti_env_error(*state)->text, table[k][1]) == NULL)
            fail_msg("\"%s\" is not in \"%s\"", table[k][1], sti_env_error(*state)->text);
    }
}

static void every_allocation_may_fail(void** state) {
    static const char* const texts[] = {
        "{\"kind\": \"root\", \"variables\": {\"x\": [0, 1]}, \"equations\": [\"x\"], \"start\": [1], \"parameters\": "
        "{\"a\": 1}}",
        "{\"kind\": \"bound\", \"what\": \"gruess\", \"interval\": [0, 1], \"f\": {\"points\": [[0, 0], [1, 2]]}, "
        "\"g\": \"x\", "
        "\"A\": {\"density\": \"1\", \"atoms\": [[0, 1]]}, \"B\": \"1\"}"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        for (long i = 0;; i++) {
            failing_env f;
            sti_document* p;
            failing_env_open(&f, i);
            const sti_status status = sti_document_parse(f.env, texts[k], strlen(texts[k]), "f", &p);
            if (status == STI_OK)
                sti_document_destroy(p);
            else
                assert_int_equal(status, STI_ERR_MEMORY);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_kept_as_they_are_written),
        cmocka_unit_test(broken_lines_become_formulas),
        cmocka_unit_test(wrong_files_are_answered_with_field_and_value),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
