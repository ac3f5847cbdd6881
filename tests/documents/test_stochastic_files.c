// Files of the kind "stochastic": programs, distributions, answers and Newton systems, and memory that runs out.
#include "support/io_tools.h"

static const char program_text[] =
    "{\"kind\": \"stochastic\", \"Q0\": [[2]], \"c0\": [1], \"T0\": [[1]], \"bl\": [null], \"bu\": [9], \"ub\": [5],\n"
    " \"common\": {\"c\": [1, \"1/2\"], \"W\": {\"rows\": 1, \"cols\": 2, \"entries\": [[0, 1, 3]]}, \"W0\": [[1]], "
    "\"d\": [4]},\n"
    " \"scenarios\": [{\"p\": 0.25}, {\"p\": 0.75, \"d\": [7], \"lb\": [null, 1], \"W0\": [[2]], \"T\": [[1, 1]], "
    "\"Q\": [[1, 0], [0, 1]]}]}";
static const char sample_text[] =
    "{\"kind\": \"stochastic\", \"c0\": [1], \"sample\": {\"random\": {\"u\": \"uniform\", \"z\": \"normal\"}, "
    "\"definitions\": {\"w\": \"2*u\"},\n"
    " \"scenario\": {\"c\": [\"w\", 3], \"W0\": [[1]], \"W\": [[\"z\", 1]], \"dl\": [\"u + 1\"], \"du\": [null]}}}";

static sti_document* parsed(sti_env* env, const char* text) {
    sti_document* problem;
    if (sti_document_parse(env, text, strlen(text), "f", &problem) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    return problem;
}

static void scenarios_take_from_the_common_part_what_they_do_not_say(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* problem = parsed(env, program_text);
    const sti_stochastic* p = sti_stochastic_of(problem);
    assert_int_equal(sti_document_kind(problem), STI_KIND_STOCHASTIC);
    assert_false(sti_stochastic_is_sampled(problem));
    assert_true(p->n == 1 && p->p == 1 && p->scenario_count == 2 && p->Q0.dense[0] == 2 && p->bu[0] == 9);
    assert_true(isinf(p->bl[0]) && p->ub[0] == 5 && p->lb == NULL);
    const sti_scenario *a = &p->scenarios[0], *b = &p->scenarios[1];
    assert_true(a->m == 2 && a->q == 1 && a->c[1] == 0.5 && a->dl[0] == 4 && a->du[0] == 4 && a->W0.dense[0] == 1);
    assert_true(sti_matrix_get(&b->W, 0, 1) == 3 && b->dl[0] == 7 && isinf(b->lb[0]) && b->lb[1] == 1 && b->ub == NULL);
    assert_true(b->W0.dense[0] == 2 && b->T.dense[1] == 1 && b->Q.dense[3] == 1 && a->Q.rows == 0);
    assert_true(a->probability == 0.25 && b->c == a->c);
    sti_document_destroy(problem);
    sti_env_destroy(env);
}

static void a_distribution_draws_the_same_scenarios_for_a_seed(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* problem = parsed(env, sample_text);
    sti_stochastic *p, *q;
    uint64_t one = 5, two = 5;
    assert_true(sti_stochastic_is_sampled(problem) && sti_stochastic_of(problem) == NULL);
    assert_int_equal(sti_stochastic_sample(env, problem, 1000, &one, &p), STI_OK);
    assert_int_equal(sti_stochastic_sample(env, problem, 1000, &two, &q), STI_OK);
    assert_true(one == two && one != 5);
    double mean_u = 0, mean_z = 0, square = 0;
    for (int i = 0; i < 1000; i++) {
        const sti_scenario *s = &p->scenarios[i], *t = &q->scenarios[i];
        assert_true(s->c[0] == t->c[0] && s->W.dense[0] == t->W.dense[0] && s->c[1] == 3);
        assert_true(s->dl[0] == s->c[0] / 2 + 1 && isinf(s->du[0]));
        mean_u += s->c[0] / 2000;
        mean_z += s->W.dense[0] / 1000;
        square += s->W.dense[0] * s->W.dense[0] / 1000;
    }
    assert_true(fabs(mean_u - 0.5) < 0.04 && fabs(mean_z) < 0.12 && fabs(square - 1) < 0.2);
    sti_stochastic_sample_destroy(env, p);
    sti_stochastic_sample_destroy(env, q);
    sti_document_destroy(problem);
    sti_env_destroy(env);
}

static void an_answer_that_is_written_is_read_again(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* problem = parsed(env, program_text);
    const sti_stochastic* p = sti_stochastic_of(problem);
    sti_stochastic_answer a, b;
    char* text;
    assert_int_equal(sti_stochastic_solve(env, p, NULL, &a), STI_OK);
    assert_int_equal(a.outcome, STI_CONIC_SOLVED);
    assert_int_equal(sti_stochastic_answer_json(env, &a, &text), STI_OK);
    assert_int_equal(sti_stochastic_answer_parse(env, p, text, strlen(text), "a", &b), STI_OK);
    assert_memory_equal(a.x, b.x, sizeof *a.x);
    assert_memory_equal(a.y, b.y, a.y_count * sizeof *a.y);
    assert_memory_equal(a.pi, b.pi, sizeof *a.pi);
    assert_memory_equal(a.l, b.l, a.l_count * sizeof *a.l);
    sti_env_free(env, text);
    sti_stochastic_answer_clear(env, &a);
    sti_stochastic_answer_clear(env, &b);
    sti_document_destroy(problem);
    sti_env_destroy(env);
}

static sti_status read_and_write(sti_env* env) {
    static const char step[] =
        "{\"D0\": [1], \"D\": [[1, 1], [1, 1]], \"rhs0\": [1, 1], \"rhs\": [[1, 1, 1], [1, 1, 1]]}";
    sti_document* problem = NULL;
    sti_stochastic_answer a = {0}, b = {0};
    sti_stochastic_system* system = NULL;
    char* text = NULL;
    sti_status status = sti_document_parse(env, program_text, strlen(program_text), "f", &problem);
    const sti_stochastic* p = problem != NULL ? sti_stochastic_of(problem) : NULL;
    if (status == STI_OK) status = sti_stochastic_solve(env, p, NULL, &a);
    if (status == STI_OK) status = sti_stochastic_answer_json(env, &a, &text);
    if (status == STI_OK) status = sti_stochastic_answer_save(env, &a, io_path("a.json"));
    if (status == STI_OK) status = sti_stochastic_answer_load(env, p, io_path("a.json"), &b);
    sti_stochastic_answer_clear(env, &b);
    if (status == STI_OK) status = sti_stochastic_answer_parse(env, p, text, strlen(text), "a", &b);
    if (status == STI_OK) status = sti_stochastic_system_parse(env, p, step, strlen(step), "s", &system);
    sti_stochastic_system_destroy(env, system);
    system = NULL;
    if (status == STI_OK) status = sti_stochastic_system_load(env, p, io_path("s.json"), &system);
    sti_stochastic_system_destroy(env, system);
    sti_env_free(env, text);
    sti_stochastic_answer_clear(env, &a);
    sti_stochastic_answer_clear(env, &b);
    sti_document_destroy(problem);
    return status;
}

static sti_status draw_some(sti_env* env) {
    sti_document* problem = NULL;
    sti_stochastic* p = NULL;
    uint64_t seed = 1;
    sti_status status = sti_document_parse(env, sample_text, strlen(sample_text), "f", &problem);
    if (status == STI_OK) status = sti_stochastic_sample(env, problem, 3, &seed, &p);
    sti_stochastic_sample_destroy(env, p);
    sti_document_destroy(problem);
    return status;
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    io_folder_make();
    io_write_text(io_path("s.json"),
                  "{\"D0\": [1], \"D\": [[1, 1], [1, 1]], \"rhs0\": [1, 1], \"rhs\": [[1, 1, 1], [1, 1, 1]]}");
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_status status = read_and_write(f.env);
        if (status == STI_OK) status = draw_some(f.env);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    io_folder_remove();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenarios_take_from_the_common_part_what_they_do_not_say),
        cmocka_unit_test(a_distribution_draws_the_same_scenarios_for_a_seed),
        cmocka_unit_test(an_answer_that_is_written_is_read_again),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
