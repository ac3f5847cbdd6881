// test_contact_answer.c: answers of contact problems as JSON and as FCLIB solutions.
#include "support/fclib_file.h"

static sti_env* env;

static int open_env(void** state) {
    (void)state;
    io_folder_make();
    env = io_env(NULL);
    return 0;
}

static int close_env(void** state) {
    (void)state;
    sti_env_destroy(env);
    io_folder_remove();
    return 0;
}

static sti_document* load(const char* path) {
    sti_document* problem;
    if (sti_document_load(env, path, &problem) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    return problem;
}

// ---- an answer with everything in it, for the problem of make_global

static double answer_r[3] = {1, 0.25, -0.125}, answer_u[3] = {0, -1e-300, 1.0 / 3}, answer_v[4] = {1, 2, 3, 0.1},
              answer_lambda[1] = {-7}, answer_margin[1] = {0.5}, answer_dissipation[1] = {1e-20};
static unsigned char answer_mode[1] = {STI_MODE_SLIDE};
static sti_contact_attempt answer_attempts[2] = {
    {STI_CONTACT_GS, STI_END_STALLED, 1e-3, 1000, 0.5, "cheapest first"},
    {STI_CONTACT_NEWTON, STI_END_SOLUTION, 1e-12, 7, 0.25, "gs stalled at 1e-3 \"here\""},
};

static sti_contact_answer full_answer(void) {
    sti_contact_answer a = {.outcome = STI_SOLVED,
                            .termination = STI_END_SOLUTION,
                            .solver = STI_CONTACT_NEWTON,
                            .dimension = 3,
                            .contact_count = 1,
                            .velocity_count = 4,
                            .bilateral_count = 1,
                            .r = answer_r,
                            .u = answer_u,
                            .v = answer_v,
                            .lambda = answer_lambda,
                            .residual = 3e-12,
                            .residual_contact = 1e-12,
                            .residual_equation = 2e-12,
                            .worst_contact = 0,
                            .iterations = 1007,
                            .time_s = 0.75,
                            .mode = answer_mode,
                            .margin = answer_margin,
                            .dissipation = answer_dissipation,
                            .undetermined = 0.125,
                            .undetermined_dimension = 2,
                            .attempt_count = 2,
                            .attempts = answer_attempts};
    snprintf(a.reason, sizeof a.reason, "residual below the tolerance");
    snprintf(a.diagnosis, sizeof a.diagnosis, "none");
    return a;
}

// The same point, and a proof that there is no solution.
static sti_contact_answer refuting_answer(void) {
    static double y[1] = {3}, lambda[1] = {-1.0 / 3};
    sti_contact_answer a = full_answer();
    a.outcome = STI_NO_SOLUTION;
    a.undetermined = NAN;
    a.undetermined_dimension = -1;
    a.certificate = (sti_contact_certificate){.proof = STI_PROOF_FARKAS, .y = y, .lambda = lambda, .bound = 1e17};
    return a;
}

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static void assert_same_answer(const sti_contact_answer* a, const sti_contact_answer* b) {
    const size_t contacts = (size_t)a->contact_count, n = (size_t)a->dimension * contacts;
    assert_int_equal(a->outcome, b->outcome);
    assert_int_equal(a->termination, b->termination);
    assert_int_equal(a->solver, b->solver);
    assert_int_equal(a->dimension, b->dimension);
    assert_int_equal(a->contact_count, b->contact_count);
    assert_int_equal(a->velocity_count, b->velocity_count);
    assert_int_equal(a->bilateral_count, b->bilateral_count);
    io_expect_equal(a->r, b->r, n);
    io_expect_equal(a->u, b->u, n);
    io_expect_equal(a->v, b->v, (size_t)a->velocity_count);
    io_expect_equal(a->lambda, b->lambda, (size_t)a->bilateral_count);
    assert_true(same_number(a->residual, b->residual));
    assert_true(same_number(a->residual_contact, b->residual_contact));
    assert_true(same_number(a->residual_equation, b->residual_equation));
    assert_int_equal(a->worst_contact, b->worst_contact);
    assert_int_equal(a->iterations, b->iterations);
    assert_true(same_number(a->time_s, b->time_s));
    assert_int_equal(a->mode == NULL, b->mode == NULL);
    if (a->mode != NULL) assert_memory_equal(a->mode, b->mode, contacts);
    io_expect_equal(a->margin, b->margin, contacts);
    io_expect_equal(a->dissipation, b->dissipation, contacts);
    assert_true(same_number(a->undetermined, b->undetermined));
    assert_int_equal(a->undetermined_dimension, b->undetermined_dimension);
    assert_int_equal(a->certificate.proof, b->certificate.proof);
    io_expect_equal(a->certificate.y, b->certificate.y, contacts);
    io_expect_equal(a->certificate.lambda, b->certificate.lambda, (size_t)a->bilateral_count);
    assert_true(same_number(a->certificate.bound, b->certificate.bound));
    assert_int_equal(a->attempt_count, b->attempt_count);
    for (int k = 0; k < a->attempt_count; k++) {
        assert_int_equal(a->attempts[k].solver, b->attempts[k].solver);
        assert_int_equal(a->attempts[k].termination, b->attempts[k].termination);
        assert_true(same_number(a->attempts[k].residual, b->attempts[k].residual));
        assert_int_equal(a->attempts[k].iterations, b->attempts[k].iterations);
        assert_string_equal(a->attempts[k].why, b->attempts[k].why);
    }
    assert_string_equal(a->reason, b->reason);
    assert_string_equal(a->diagnosis, b->diagnosis);
}

// ---- JSON

static void assert_same_after_json(const sti_contact_answer* a) {
    sti_contact_answer b;
    char* text;
    assert_int_equal(sti_contact_answer_json(env, a, &text), STI_OK);
    assert_int_equal(sti_contact_answer_parse(env, NULL, text, strlen(text), "a.json", &b), STI_OK);
    assert_same_answer(a, &b);
    sti_contact_answer_clear(env, &b);
    sti_env_free(env, text);
}

static void an_answer_is_the_same_after_json(void** state) {
    (void)state;
    const sti_contact_answer a = full_answer();
    assert_same_after_json(&a);
}

static void a_proof_is_the_same_after_json_and_fclib(void** state) {
    (void)state;
    char problem_path[256], path[256];
    folder_empty();
    make_global(file_path(problem_path, "p.hdf5"));
    sti_document* problem = load(problem_path);
    const sti_contact_problem* p = sti_contact_problem_of(problem);
    sti_contact_answer a = refuting_answer(), b;
    for (int exact = 0; exact < 2; exact++) {
        if (exact) a.certificate.bound = INFINITY;
        assert_same_after_json(&a);
        assert_int_equal(sti_contact_answer_save(env, p, &a, file_path(path, "new.hdf5")), STI_OK);
        assert_int_equal(sti_contact_answer_load(env, p, path, &b), STI_OK);
        assert_same_answer(&a, &b);
        sti_contact_answer_clear(env, &b);
    }
    sti_document_destroy(problem);
}

static void json_has_the_names_others_rely_on(void** state) {
    (void)state;
    static const char* const names[] = {
        "kind",     "solver", "outcome",   "termination", "residual", "residuals", "iterations",  "time_s",
        "r",        "u",      "v",         "lambda",      "modes",    "margins",   "dissipation", "worst_contact",
        "attempts", "reason", "diagnosis", "certificate"};
    const sti_contact_answer a = full_answer();
    char* text;
    assert_int_equal(sti_contact_answer_json(env, &a, &text), STI_OK);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char key[64];
        snprintf(key, sizeof key, "\"%s\":", names[k]);
        if (strstr(text, key) == NULL) fail_msg("no %s in %s", key, text);
    }
    assert_non_null(strstr(text, "\"slide\""));
    sti_env_free(env, text);
}

static void an_answer_with_little_in_it_is_the_same_after_json(void** state) {
    (void)state;
    const sti_contact_answer a = {.outcome = STI_LIMIT,
                                  .termination = STI_END_LIMIT,
                                  .dimension = 2,
                                  .contact_count = 1,
                                  .residual = NAN,
                                  .residual_contact = NAN,
                                  .residual_equation = NAN,
                                  .worst_contact = -1,
                                  .undetermined = NAN,
                                  .undetermined_dimension = -1,
                                  .time_s = NAN};
    assert_same_after_json(&a);
}

static sti_status parse(const sti_contact_problem* p, const char* text, sti_contact_answer* a) {
    return sti_contact_answer_parse(env, p, text, strlen(text), "hand.json", a);
}

static void a_point_alone_claims_to_be_a_solution(void** state) {
    (void)state;
    const sti_contact_problem p = {.dimension = 2, .contact_count = 2};
    sti_contact_answer a;
    assert_int_equal(parse(&p, "{\"r\": [1, 0, \"1/2\", -0.25]}", &a), STI_OK);
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_int_equal(a.dimension, 2);
    assert_int_equal(a.contact_count, 2);
    assert_true(a.r[2] == 0.5 && isnan(a.residual));
    assert_int_equal(a.worst_contact, -1);
    assert_null(a.u);
    sti_contact_answer_clear(env, &a);
}

static void bad_json_is_refused_by_name_and_value(void** state) {
    (void)state;
    static const struct {
        const char* text;
        const char* says;
    } cases[] = {
        {"{\"r\": [1, 0, 1]}", "r: a list of 3: 4 entries are expected"},
        {"{\"kind\": \"lcp\", \"r\": []}", "kind: \"lcp\": one of contact is expected"},
        {"{\"dimension\": 3, \"r\": []}", "dimension: 3: the problem has 2"},
        {"{\"contact_count\": 5}", "contact_count: 5: the problem has 2"},
        {"{\"contact_count\": -5}", "contact_count: -5"},
        {"{\"velocity_count\": 1}", "velocity_count: 1: the problem has 0"},
        {"{\"r\": [1, 0, 1, \"x\"]}", "r[3]: \"x\""},
        {"{\"modes\": [\"stick\", \"roll\"]}", "modes[1]: \"roll\": separate, stick or slide is expected"},
        {"{\"modes\": [\"stick\"]}", "modes: a list of 1: 2 entries are expected"},
        {"{\"margins\": [1, 2, 3]}", "margins: a list of 3"},
        {"{\"worst_contact\": 2}", "worst_contact: 2"},
        {"{\"outcome\": \"fine\"}", "outcome: \"fine\""},
        {"{\"solver\": \"pgs\"}", "solver: \"pgs\""},
        {"{\"attempts\": 3}", "attempts: 3: a list is expected"},
        {"{\"attempts\": [3]}", "attempts[0]: 3: an object is expected"},
        {"{\"attempts\": [{\"termination\": 1}]}", "attempts[0].termination: 1"},
        {"{\"certificate\": 3}", "certificate: 3: an object is expected"},
        {"{\"certificate\": {\"type\": \"faith\"}}", "certificate.type: \"faith\""},
        {"{\"certificate\": {\"type\": \"farkas\", \"y\": [1]}}", "certificate.y: a list of 1: 2 entries are expected"},
        {"{\"certificate\": {\"type\": \"farkas\", \"bound\": []}}", "certificate.bound"},
        {"{\"undetermined_dimension\": -1}", "undetermined_dimension: -1"},
        {"{\"v\": [1]}", "v: a list of 1: 0 entries are expected"},
        {"[]", "object"},
        {"{", ""},
        {"", ""},
    };
    const sti_contact_problem p = {.dimension = 2, .contact_count = 2};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        sti_contact_answer a;
        assert_int_equal(parse(&p, cases[k].text, &a), STI_ERR_INPUT);
        const char* text = sti_env_error(env)->text;
        if (strstr(text, "hand.json") == NULL || strstr(text, cases[k].says) == NULL)
            fail_msg("'%s' does not say '%s'", text, cases[k].says);
        assert_null(a.r);
        assert_null(a.mode);
    }
    sti_contact_answer a;
    assert_int_equal(parse(NULL, "{\"r\": [1, 0]}", &a), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "dimension: missing: needed where the problem is not at hand"));
    assert_int_equal(parse(NULL, "{\"dimension\": 4, \"r\": [1, 0]}", &a), STI_ERR_INPUT);
}

static void json_answers_are_saved_and_loaded(void** state) {
    (void)state;
    char path[256], problem_path[256];
    make_global(file_path(problem_path, "p.hdf5"));
    sti_document* problem = load(problem_path);
    const sti_contact_problem* p = sti_contact_problem_of(problem);
    const sti_contact_answer a = full_answer();
    sti_contact_answer b;
    assert_int_equal(sti_contact_answer_save(env, p, &a, file_path(path, "a.json")), STI_OK);
    assert_int_equal(sti_contact_answer_load(env, p, path, &b), STI_OK);
    assert_same_answer(&a, &b);
    sti_contact_answer_clear(env, &b);
    assert_int_equal(sti_contact_answer_save(env, p, &a, file_path(path, "a.txt")), STI_ERR_ARGUMENT);
    assert_int_equal(sti_contact_answer_load(env, p, file_path(path, "absent.json"), &b), STI_ERR_IO);
    sti_document_destroy(problem);
}

// ---- FCLIB

static void a_solution_goes_into_a_new_file_with_its_problem(void** state) {
    (void)state;
    char path[256], problem_path[256];
    make_global(file_path(problem_path, "p.hdf5"));
    sti_document* problem = load(problem_path);
    const sti_contact_problem* p = sti_contact_problem_of(problem);
    const sti_contact_answer a = full_answer();
    sti_contact_answer b;
    assert_int_equal(sti_contact_answer_save(env, p, &a, file_path(path, "new.hdf5")), STI_OK);
    assert_int_equal(sti_contact_answer_load(env, p, path, &b), STI_OK);
    assert_same_answer(&a, &b);
    sti_contact_answer_clear(env, &b);
    // the file says its own sizes
    assert_int_equal(sti_contact_answer_load(env, NULL, path, &b), STI_OK);
    assert_same_answer(&a, &b);
    sti_contact_answer_clear(env, &b);
    sti_document* again = load(path);
    assert_true(sti_contact_problem_of(again)->global);
    assert_true(sti_contact_problem_of(again)->f[2] == 2);
    sti_document_destroy(again);
    sti_document_destroy(problem);
}

static void a_solution_in_the_problem_file_leaves_the_rest_of_it(void** state) {
    (void)state;
    char path[256];
    hid_t file;
    const double extra[2] = {4, 5};
    make_global(file_path(path, "p.hdf5"));
    hid_t group = open_group(path, "of_someone_else", &file);
    make_doubles(group, "extra", 2, extra);
    close_group(group, file);
    sti_document* problem = load(path);
    const sti_contact_problem* p = sti_contact_problem_of(problem);
    sti_contact_answer a = full_answer(), b;
    assert_int_equal(sti_contact_answer_save(env, p, &a, path), STI_OK);
    a.solver = STI_CONTACT_ADMM;
    double other[3] = {9, 8, 7};
    a.r = other;
    assert_int_equal(sti_contact_answer_save(env, p, &a, path), STI_OK);  // in place of the first
    assert_int_equal(sti_contact_answer_load(env, p, path, &b), STI_OK);
    assert_same_answer(&a, &b);
    sti_contact_answer_clear(env, &b);
    group = open_group(path, "of_someone_else", &file);
    assert_true(H5Lexists(group, "extra", H5P_DEFAULT) > 0);
    close_group(group, file);
    sti_document* again = load(path);
    assert_true(sti_contact_problem_of(again)->H.rows == 4);
    sti_document_destroy(again);
    sti_document_destroy(problem);
}

static void many_solutions_in_turn_do_not_grow_the_file(void** state) {
    (void)state;
    char path[256];
    size_t first = 0, size = 0;
    make_global(file_path(path, "p.hdf5"));
    sti_document* problem = load(path);
    const sti_contact_answer a = full_answer();
    for (int k = 0; k < 10; k++) {
        assert_int_equal(sti_contact_answer_save(env, sti_contact_problem_of(problem), &a, path), STI_OK);
        free(whole_file(path, &size));
        if (k == 1) first = size;
    }
    assert_true(size <= first + 4096);
    sti_document_destroy(problem);
}

static void a_file_of_another_problem_is_left_alone(void** state) {
    (void)state;
    char path[256], other[256];
    hid_t file;
    const double f[4] = {-1, 0, 2, 1.0000000001};
    make_global(file_path(path, "p.hdf5"));
    make_global(file_path(other, "other.hdf5"));
    const hid_t vectors = open_group(other, "fclib_global/vectors", &file);
    make_doubles(vectors, "f", 4, f);
    close_group(vectors, file);
    sti_document* problem = load(path);
    const sti_contact_answer a = full_answer();
    size_t size, size_after;
    unsigned char* before = whole_file(other, &size);
    assert_int_equal(sti_contact_answer_save(env, sti_contact_problem_of(problem), &a, other), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(env)->text, "holds another problem"));
    unsigned char* after = whole_file(other, &size_after);
    assert_int_equal(size, size_after);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
    sti_document_destroy(problem);
}

static void what_is_no_answer_to_the_problem_is_not_saved(void** state) {
    (void)state;
    char path[256], out[256];
    make_global(file_path(path, "p.hdf5"));
    sti_document* problem = load(path);
    const sti_contact_problem* p = sti_contact_problem_of(problem);
    file_path(out, "never.hdf5");
    sti_contact_answer a = full_answer();
    a.contact_count = 2;
    assert_int_equal(sti_contact_answer_save(env, p, &a, out), STI_ERR_ARGUMENT);
    a = full_answer();
    a.u = NULL;
    assert_int_equal(sti_contact_answer_save(env, p, &a, out), STI_ERR_ARGUMENT);
    a = full_answer();
    double bad[3] = {1, NAN, 0};
    a.r = bad;
    assert_int_equal(sti_contact_answer_save(env, p, &a, out), STI_ERR_ARGUMENT);
    assert_non_null(strstr(sti_env_error(env)->text, "solution/r[1]: nan"));
    assert_int_not_equal(access(out, F_OK), 0);
    sti_document_destroy(problem);
}

// ---- solutions from elsewhere

static void add_solution(const char* path, size_t r_count, const double* r) {
    hid_t file;
    const hid_t group = open_group(path, "solution", &file);
    make_doubles(group, "r", r_count, r);
    make_doubles(group, "u", r_count, r);
    close_group(group, file);
}

static void a_solution_of_fclib_claims_no_more_than_its_point(void** state) {
    (void)state;
    char path[256];
    const double r[2] = {1, 2};
    make_local(file_path(path, "p.hdf5"));
    add_solution(path, 2, r);
    sti_contact_answer a;
    assert_int_equal(sti_contact_answer_load(env, NULL, path, &a), STI_OK);
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_int_equal(a.termination, STI_END_NONE);
    assert_int_equal(a.dimension, 2);
    assert_true(a.r[1] == 2 && a.u[0] == 1);
    assert_true(isnan(a.residual));
    assert_null(a.v);
    assert_null(a.lambda);
    sti_contact_answer_clear(env, &a);
}

static void bad_solutions_are_refused(void** state) {
    (void)state;
    char path[256];
    hid_t file;
    const double r[3] = {1, 2, 3}, bad[2] = {1, NAN};
    sti_contact_answer a;
    make_local(file_path(path, "p.hdf5"));
    assert_int_equal(sti_contact_answer_load(env, NULL, path, &a), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "solution: missing"));
    add_solution(path, 3, r);
    assert_int_equal(sti_contact_answer_load(env, NULL, path, &a), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "solution/r: 3 entries: 2 are expected"));
    add_solution(path, 2, bad);
    assert_int_equal(sti_contact_answer_load(env, NULL, path, &a), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "solution/r[1]: nan"));
    add_solution(path, 2, r);
    const hid_t group = open_group(path, "solution", &file);
    make_text(group, "report", "{\"outcome\": \"sure\"}", 40, H5T_STR_NULLTERM);
    close_group(group, file);
    assert_int_equal(sti_contact_answer_load(env, NULL, path, &a), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "solution/report: outcome: \"sure\""));
    // a problem of other sizes
    const sti_contact_problem p = {.dimension = 3, .contact_count = 1};
    assert_int_equal(sti_contact_answer_load(env, &p, path, &a), STI_ERR_INPUT);
}

// ---- memory

typedef sti_status action(sti_env* in, const sti_contact_problem* p, const char* path);

static sti_status do_json(sti_env* in, const sti_contact_problem* p, const char* path) {
    const sti_contact_answer a = refuting_answer();
    sti_contact_answer b;
    char* text;
    (void)p;
    (void)path;
    sti_status status = sti_contact_answer_json(in, &a, &text);
    if (status != STI_OK) return status;
    status = sti_contact_answer_parse(in, NULL, text, strlen(text), "a.json", &b);
    if (status == STI_OK) sti_contact_answer_clear(in, &b);
    sti_env_free(in, text);
    return status;
}

static sti_status do_save(sti_env* in, const sti_contact_problem* p, const char* path) {
    const sti_contact_answer a = refuting_answer();
    return sti_contact_answer_save(in, p, &a, path);
}

static sti_status do_load(sti_env* in, const sti_contact_problem* p, const char* path) {
    sti_contact_answer a;
    (void)p;
    const sti_status status = sti_contact_answer_load(in, NULL, path, &a);
    if (status == STI_OK) sti_contact_answer_clear(in, &a);
    return status;
}

static void fail_everywhere(action* act, const sti_contact_problem* p, const char* path) {
    for (long at = 0;; at++) {
        failing_env f;
        failing_env_open(&f, at);
        const sti_status status = act(f.env, p, path);
        if (status != STI_OK && status != STI_ERR_MEMORY) fail_msg("%s", sti_env_error(f.env)->text);
        if (failing_env_close(&f)) {
            assert_int_equal(status, STI_OK);
            break;
        }
    }
}

static void answers_survive_every_failed_allocation(void** state) {
    (void)state;
    char path[256], fresh[256];
    folder_empty();
    make_global(file_path(path, "p.hdf5"));
    sti_document* problem = load(path);
    const sti_contact_problem* p = sti_contact_problem_of(problem);
    fail_everywhere(do_json, p, NULL);
    fail_everywhere(do_save, p, path);
    fail_everywhere(do_save, p, file_path(fresh, "new.hdf5"));
    fail_everywhere(do_load, p, fresh);
    assert_int_equal(io_folder_count(), 2);
    sti_document_destroy(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_the_same_after_json),
        cmocka_unit_test(a_proof_is_the_same_after_json_and_fclib),
        cmocka_unit_test(json_has_the_names_others_rely_on),
        cmocka_unit_test(an_answer_with_little_in_it_is_the_same_after_json),
        cmocka_unit_test(a_point_alone_claims_to_be_a_solution),
        cmocka_unit_test(bad_json_is_refused_by_name_and_value),
        cmocka_unit_test(json_answers_are_saved_and_loaded),
        cmocka_unit_test(a_solution_goes_into_a_new_file_with_its_problem),
        cmocka_unit_test(a_solution_in_the_problem_file_leaves_the_rest_of_it),
        cmocka_unit_test(many_solutions_in_turn_do_not_grow_the_file),
        cmocka_unit_test(a_file_of_another_problem_is_left_alone),
        cmocka_unit_test(what_is_no_answer_to_the_problem_is_not_saved),
        cmocka_unit_test(a_solution_of_fclib_claims_no_more_than_its_point),
        cmocka_unit_test(bad_solutions_are_refused),
        cmocka_unit_test(answers_survive_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, open_env, close_env);
}
