// Files of the kind "l1": problems, answers and the data of a Newton step, both ways, and what is said of bad ones.
#include "support/io_tools.h"

static const char problem_text[] =
    "{\"kind\": \"l1\", \"n\": 2, \"m\": 3, \"A\": {\"rows\": 3, \"cols\": 2, \"entries\": [[0, 0, 1], [1, 1, "
    "\"1/2\"], "
    "[2, 0, -1]]}, \"b\": [1, 2, 3]}";

static sti_document* parsed(sti_env* env, const char* text) {
    sti_document* problem;
    if (sti_document_parse(env, text, strlen(text), "f", &problem) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    return problem;
}

static void a_problem_is_read_dense_or_sparse(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* problem = parsed(env, problem_text);
    const sti_l1* p = sti_l1_of(problem);
    assert_int_equal(sti_document_kind(problem), STI_KIND_L1);
    assert_true(p->m == 3 && p->n == 2 && sti_matrix_is_sparse(&p->A));
    assert_true(sti_matrix_get(&p->A, 1, 1) == 0.5 && p->b[2] == 3);
    assert_null(sti_qp_of(problem));
    sti_document_destroy(problem);
    problem = parsed(env, "{\"kind\": \"l1\", \"A\": [[1], [2]], \"b\": [1, 2]}");
    assert_true(sti_l1_of(problem)->A.dense[1] == 2);
    sti_document_destroy(problem);
    sti_env_destroy(env);
}

static void a_problem_that_is_saved_is_read_again(void** state) {
    (void)state;
    static const char* const names[] = {"p.json", "p.h5"};
    sti_env* env = io_env(NULL);
    sti_document* problem = parsed(env, problem_text);
    io_folder_make();
    for (int k = 0; k < 2; k++) {
        sti_document* again;
        assert_int_equal(sti_l1_save(env, sti_l1_of(problem), io_path(names[k])), STI_OK);
        assert_int_equal(sti_document_load(env, io_path(names[k]), &again), STI_OK);
        const sti_l1 *p = sti_l1_of(problem), *q = sti_l1_of(again);
        assert_true(q->m == p->m && q->n == p->n);
        for (int i = 0; i < p->m; i++) {
            assert_true(q->b[i] == p->b[i]);
            for (int j = 0; j < p->n; j++) assert_true(sti_matrix_get(&q->A, i, j) == sti_matrix_get(&p->A, i, j));
        }
        sti_document_destroy(again);
    }
    io_folder_remove();
    sti_document_destroy(problem);
    sti_env_destroy(env);
}

static void an_answer_that_is_written_is_read_again(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* problem = parsed(env, problem_text);
    sti_l1_answer a, b;
    char* text;
    assert_int_equal(sti_l1_solve(env, sti_l1_of(problem), NULL, &a), STI_OK);
    assert_int_equal(sti_l1_answer_json(env, &a, &text), STI_OK);
    assert_int_equal(sti_l1_answer_parse(env, sti_l1_of(problem), text, strlen(text), "a", &b), STI_OK);
    assert_int_equal(b.outcome, STI_SOLVED);
    assert_true(b.objective == a.objective && b.gap == a.gap && b.iterations == a.iterations);
    for (int j = 0; j < a.n; j++) assert_true(a.x[j] == b.x[j]);
    for (int i = 0; i < a.m; i++) assert_true(a.y[i] == b.y[i]);
    sti_env_free(env, text);
    sti_l1_answer_clear(env, &a);
    sti_l1_answer_clear(env, &b);
    sti_document_destroy(problem);
    sti_env_destroy(env);
}

static void wrong_files_are_answered_with_field_and_value(void** state) {
    (void)state;
    static const char* const problems[][2] = {
        {"{\"kind\": \"l1\", \"b\": [1]}", "f: A: missing: needed for kind \"l1\""},
        {"{\"kind\": \"l1\", \"A\": [[1]]}", "f: b: missing"},
        {"{\"kind\": \"l1\", \"A\": [[1]], \"b\": []}", "f: b: empty"},
        {"{\"kind\": \"l1\", \"A\": [], \"b\": [1]}", "f: A: empty"},
        {"{\"kind\": \"l1\", \"A\": [[1, 2]], \"b\": [1, 2]}", "f: A: 1 x 2: 2 x 2 is expected"},
        {"{\"kind\": \"l1\", \"A\": [[1]], \"b\": [1], \"m\": 2}", "f: m: 2: b has 1"},
        {"{\"kind\": \"l1\", \"A\": [[null]], \"b\": [1]}", "f: A[0][0]: null"},
        {"{\"kind\": \"l1\", \"A\": [[1e999]], \"b\": [1]}", "f: A[0][0]: inf: too large"}};
    static const char* const answers[][2] = {{"{\"x\": [1], \"y\": [0, 0, 0]}", "f: x: a list of 1: 2"},
                                             {"{\"n\": 3}", "f: n: 3: the problem has 2"},
                                             {"{\"outcome\": \"best\"}", "f: outcome: \"best\": one of"}};
    static const char* const steps[][2] = {{"{\"v\": [1, 1, 1, 1, 1, 1]}", "f: s: missing: v and s, or D and rhs"},
                                           {"{\"D\": [1, 1, 1]}", "f: rhs: missing"},
                                           {"{\"D\": [1, 1], \"rhs\": [1, 1]}", "f: D: a list of 2: 3"},
                                           {"{\"q\": 1}", "f: q: 1: no such field"}};
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++) {
        sti_document* p;
        const char* text = problems[k][0];
        assert_int_equal(sti_document_parse(env, text, strlen(text), "f", &p), STI_ERR_INPUT);
        if (strstr(sti_env_error(env)->text, problems[k][1]) == NULL) fail_msg("%s", sti_env_error(env)->text);
    }
    sti_document* problem = parsed(env, problem_text);
    const sti_l1* p = sti_l1_of(problem);
    for (size_t k = 0; k < sizeof answers / sizeof answers[0]; k++) {
        sti_l1_answer a;
        assert_int_equal(sti_l1_answer_parse(env, p, answers[k][0], strlen(answers[k][0]), "f", &a), STI_ERR_INPUT);
        if (strstr(sti_env_error(env)->text, answers[k][1]) == NULL) fail_msg("%s", sti_env_error(env)->text);
    }
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        sti_l1_step_system* s;
        assert_int_equal(sti_l1_step_system_parse(env, p, steps[k][0], strlen(steps[k][0]), "f", &s), STI_ERR_INPUT);
        if (strstr(sti_env_error(env)->text, steps[k][1]) == NULL) fail_msg("%s", sti_env_error(env)->text);
    }
    sti_document_destroy(problem);
    sti_env_destroy(env);
}

static sti_status everything(sti_env* env) {
    sti_document* problem = NULL;
    sti_l1_answer a = {0}, b = {0};
    sti_l1_step_system* system = NULL;
    char* text = NULL;
    const char step[] = "{\"v\": [1, 1, 1, 1, 1, 1], \"s\": [1, 1, 1, 1, 1, 1], \"r_x\": [1, 2]}";
    sti_status status = sti_document_parse(env, problem_text, strlen(problem_text), "f", &problem);
    const sti_l1* p = problem != NULL ? sti_l1_of(problem) : NULL;
    if (status == STI_OK) status = sti_l1_save(env, p, io_path("q.json"));
    if (status == STI_OK) status = sti_l1_solve(env, p, NULL, &a);
    if (status == STI_OK) status = sti_l1_answer_json(env, &a, &text);
    if (status == STI_OK) status = sti_l1_answer_save(env, &a, io_path("a.json"));
    if (status == STI_OK) status = sti_l1_answer_load(env, p, io_path("a.json"), &b);
    sti_l1_answer_clear(env, &b);
    if (status == STI_OK) status = sti_l1_answer_parse(env, p, text, strlen(text), "a", &b);
    if (status == STI_OK) status = sti_l1_step_system_parse(env, p, step, strlen(step), "s", &system);
    sti_l1_step_system_destroy(env, system);
    system = NULL;
    if (status == STI_OK) status = sti_l1_step_system_load(env, p, io_path("s.json"), &system);
    sti_l1_step_system_destroy(env, system);
    sti_env_free(env, text);
    sti_l1_answer_clear(env, &a);
    sti_l1_answer_clear(env, &b);
    sti_document_destroy(problem);
    return status;
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    io_folder_make();
    FILE* file = fopen(io_path("s.json"), "w");
    assert_non_null(file);
    fputs("{\"D\": [1, 1, 1], \"rhs\": [1, 1]}", file);
    fclose(file);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        const sti_status status = everything(f.env);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    io_folder_remove();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_is_read_dense_or_sparse),
        cmocka_unit_test(a_problem_that_is_saved_is_read_again),
        cmocka_unit_test(an_answer_that_is_written_is_read_again),
        cmocka_unit_test(wrong_files_are_answered_with_field_and_value),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
