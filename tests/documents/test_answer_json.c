// Answers as JSON: written and read back without loss, read leniently, refused by name.
#include "support/io_tools.h"

static void expect_same_double(double a, double b) {
    assert_true(a == b || (isnan(a) && isnan(b)));
}

static void expect_same(const sti_lcp_answer* a, const sti_lcp_answer* b) {
    const size_t n = (size_t)a->n, width = (size_t)a->free_count + n;
    assert_int_equal(a->outcome, b->outcome);
    assert_int_equal(a->termination, b->termination);
    assert_int_equal(a->solver, b->solver);
    assert_int_equal(a->free_count, b->free_count);
    assert_int_equal(a->n, b->n);
    if (a->free_count > 0) io_expect_equal(a->u, b->u, (size_t)a->free_count);
    io_expect_equal(a->z, b->z, n);
    io_expect_equal(a->w, b->w, n);
    if (a->alpha != NULL) assert_memory_equal(a->alpha, b->alpha, n);
    assert_int_equal(a->basis_nonsingular, b->basis_nonsingular);
    assert_int_equal(a->exact, b->exact);
    expect_same_double(a->residual, b->residual);
    expect_same_double(a->residual_equation, b->residual_equation);
    expect_same_double(a->residual_gap, b->residual_gap);
    expect_same_double(a->time_s, b->time_s);
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->z_exact == NULL, b->z_exact == NULL);
    for (size_t k = 0; a->z_exact != NULL && k < width; k++)
        assert_true(sti_rationals_double(a->z_exact, k) == sti_rationals_double(b->z_exact, k));
    const sti_certificate *c = &a->certificate, *d = &b->certificate;
    assert_int_equal(c->proof, d->proof);
    assert_int_equal(c->exact, d->exact);
    assert_int_equal(c->leaf_count, d->leaf_count);
    if (c->proof == STI_PROOF_FARKAS || c->proof == STI_PROOF_BRANCH) {
        assert_memory_equal(c->fixed, d->fixed, (size_t)c->leaf_count * n);
        io_expect_equal(c->y, d->y, (size_t)c->leaf_count * width);
    }
    assert_int_equal(a->ray.dz == NULL, b->ray.dz == NULL);
    if (a->ray.dz != NULL) {
        io_expect_equal(a->ray.z, b->ray.z, n);
        io_expect_equal(a->ray.dz, b->ray.dz, n);
        assert_true(a->ray.z0 == b->ray.z0 && a->ray.dz0 == b->ray.dz0);
    }
    assert_int_equal(a->attempt_count, b->attempt_count);
    for (int k = 0; k < a->attempt_count; k++) {
        assert_int_equal(a->attempts[k].solver, b->attempts[k].solver);
        assert_int_equal(a->attempts[k].termination, b->attempts[k].termination);
        expect_same_double(a->attempts[k].residual, b->attempts[k].residual);
        assert_string_equal(a->attempts[k].why, b->attempts[k].why);
    }
    assert_string_equal(a->reason, b->reason);
}

static void round_trip(sti_env* env, const sti_lcp_answer* a) {
    char* text;
    sti_lcp_answer b;
    assert_int_equal(sti_lcp_answer_json(env, a, &text), STI_OK);
    assert_null(strchr(text, '\n'));
    const sti_status status = sti_lcp_answer_parse(env, text, strlen(text), "t.json", &b);
    if (status != STI_OK) print_error("%s\n%s\n", sti_env_error(env)->text, text);
    assert_int_equal(status, STI_OK);
    expect_same(a, &b);
    sti_lcp_answer_clear(env, &b);
    sti_env_free(env, text);
}

// An answer with everything in it.
typedef struct full {
    sti_lcp_answer a;
    double u[1], z[2], w[2], y[6], ray_z[2], ray_dz[2];
    unsigned char alpha[2];
    signed char fixed[4];
    sti_lcp_attempt attempts[2];
} full;

static void fill(sti_env* env, full* f) {
    *f = (full){.u = {-1.0 / 3},
                .z = {0.1, 1e-310},
                .w = {-0.0, 3},
                .y = {1, 0, 2, -1, 1e300, 3},
                .ray_z = {0, 0.5},
                .ray_dz = {1, 2},
                .alpha = {0, 1},
                .fixed = {1, 0, -1, 0}};
    f->attempts[0] = (sti_lcp_attempt){
        .solver = STI_LCP_LEMKE, .termination = STI_END_RAY, .residual = NAN, .why = "a \"quote\" \\ \t end"};
    f->attempts[1] = (sti_lcp_attempt){
        .solver = STI_LCP_IPM, .termination = STI_END_STALLED, .residual = 1e-9, .why = "caf\xc3\xa9"};
    f->a = (sti_lcp_answer){.outcome = STI_NO_SOLUTION,
                            .termination = STI_END_EXHAUSTED,
                            .solver = STI_LCP_ENUM,
                            .free_count = 1,
                            .n = 2,
                            .u = f->u,
                            .z = f->z,
                            .w = f->w,
                            .alpha = f->alpha,
                            .basis_nonsingular = 1,
                            .residual = INFINITY,
                            .residual_gap = 0.1,
                            .iterations = 123456789012L,
                            .time_s = 0.25,
                            .certificate = {.proof = STI_PROOF_BRANCH,
                                            .free_count = 1,
                                            .pair_count = 2,
                                            .leaf_count = 2,
                                            .fixed = f->fixed,
                                            .y = f->y,
                                            .exact = true,
                                            .bound = INFINITY},
                            .ray = {.z = f->ray_z, .dz = f->ray_dz, .z0 = 0.25, .dz0 = -0.5},
                            .attempt_count = 2,
                            .attempts = f->attempts};
    snprintf(f->a.reason, sizeof f->a.reason, "because");
    assert_int_equal(sti_rationals_create(env, 6, &f->a.certificate.y_exact), STI_OK);
    assert_int_equal(sti_rationals_create(env, 3, &f->a.z_exact), STI_OK);
    for (size_t k = 0; k < 6; k++)
        assert_int_equal(sti_rationals_set_double(f->a.certificate.y_exact, k, f->y[k]), STI_OK);
    assert_int_equal(sti_rationals_set_text(f->a.z_exact, 0, "-1/3"), STI_OK);
}

static void drop(full* f) {
    sti_rationals_destroy(f->a.certificate.y_exact);
    sti_rationals_destroy(f->a.z_exact);
}

static void an_answer_with_everything_survives(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    full f;
    fill(env, &f);
    f.a.residual = NAN;  // what is not finite is null, and null is NAN
    round_trip(env, &f.a);
    drop(&f);
    sti_env_destroy(env);
}

static void integers_of_many_digits_survive(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    full f;
    fill(env, &f);
    enum { DIGITS = 9000 };
    char* text = malloc(DIGITS + 300);
    assert_non_null(text);
    const size_t lead = (size_t)sprintf(text,
                                        "{\"kind\":\"lcp\",\"n\":1,\"outcome\":\"no_solution\",\"certificate\":{"
                                        "\"type\":\"farkas\",\"exact\":true,\"leaves\":[{\"y\":[\"-");
    memset(text + lead, '7', DIGITS);
    sprintf(text + lead + DIGITS, "\"]}]}}");
    sti_lcp_answer a, b;
    char *again, *digits;
    assert_int_equal(sti_lcp_answer_parse(env, text, strlen(text), "t.json", &a), STI_OK);
    assert_int_equal(sti_lcp_answer_json(env, &a, &again), STI_OK);
    assert_int_equal(sti_lcp_answer_parse(env, again, strlen(again), "t.json", &b), STI_OK);
    assert_int_equal(sti_rationals_text(b.certificate.y_exact, 0, &digits), STI_OK);
    assert_int_equal(strlen(digits), DIGITS + 1);
    assert_memory_equal(digits, text + lead - 1, DIGITS + 1);
    sti_env_free(env, digits);
    sti_env_free(env, again);
    sti_lcp_answer_clear(env, &a);
    sti_lcp_answer_clear(env, &b);
    free(text);
    drop(&f);
    sti_env_destroy(env);
}

// What the solvers say about real and made-up problems survives, and is verified after the trip as before.
static void real_answers_are_verified_after_the_trip(void** state) {
    (void)state;
    static const char* const texts[] = {
        "{\"kind\":\"lcp\",\"M\":[[2,1],[1,2]],\"q\":[-5,-6]}",
        "{\"kind\":\"lcp\",\"M\":[[0,1],[-1,0]],\"q\":[-1,-1]}",
        "{\"kind\":\"lcp\",\"M\":[[\"2/3\",1],[1,\"1/7\"]],\"q\":[\"-1/3\",\"-2/9\"]}",
        "{\"kind\":\"lcp\",\"M\":[[0,-1],[-1,0]],\"q\":[1,-1]}",
        "{\"kind\":\"mlcp\",\"A\":[[2,1],[2,3]],\"B\":[[2,1,1],[1,2,1],[1,1,2]],\"C\":[[1,2,3],[4,5,6]],\"D\":[[-2,-2],"
        "[1,0],[0,1]],"
        "\"a\":[-9,-19],\"b\":[-1,-9,-2]}",
        "{\"kind\":\"mlcp\",\"A\":[[1,1],[1,1]],\"B\":[[1]],\"C\":[[0],[0]],\"D\":[[0,0]],\"a\":[1,2],\"b\":[1]}",
    };
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        sti_document* p;
        sti_lcp_answer a, b;
        sti_verification v;
        char* text;
        assert_int_equal(sti_document_parse(env, texts[k], strlen(texts[k]), "t.json", &p), STI_OK);
        const sti_lcp* lcp = sti_lcp_of(p);
        const sti_mlcp* mlcp = sti_mlcp_of(p);
        sti_lcp_options o = sti_lcp_options_default();
        assert_int_equal(lcp != NULL ? sti_lcp_solve(env, lcp, &o, &a) : sti_mlcp_solve(env, mlcp, &o, &a), STI_OK);
        assert_true(a.outcome == STI_SOLVED || a.outcome == STI_NO_SOLUTION);
        round_trip(env, &a);
        assert_int_equal(sti_lcp_answer_json(env, &a, &text), STI_OK);
        assert_int_equal(sti_lcp_answer_parse(env, text, strlen(text), "t.json", &b), STI_OK);
        assert_int_equal(
            lcp != NULL ? sti_verify_lcp(env, lcp, &b, 1e-8, &v) : sti_verify_mlcp(env, mlcp, &b, 1e-8, &v), STI_OK);
        assert_true(v.accepted);
        sti_env_free(env, text);
        sti_lcp_answer_clear(env, &a);
        sti_lcp_answer_clear(env, &b);
        sti_document_destroy(p);
    }
    sti_env_destroy(env);
}

static void a_bare_point_claims_to_be_a_solution(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_lcp_answer a;
    static const char lcp[] = "{\"z\": [1, \"2/3\"]} // mine",
                      mlcp[] = "{\"u\": [1], \"v\": [0, 2], \"colour\": \"blue\"}";
    assert_int_equal(sti_lcp_answer_parse(env, lcp, sizeof lcp - 1, "t.json", &a), STI_OK);
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_int_equal(a.n, 2);
    assert_true(a.z[1] == 2.0 / 3);
    assert_null(a.w);
    assert_true(isnan(a.residual));
    sti_lcp_answer_clear(env, &a);
    assert_int_equal(sti_lcp_answer_parse(env, mlcp, sizeof mlcp - 1, "t.json", &a), STI_OK);
    assert_int_equal(a.free_count, 1);
    assert_int_equal(a.n, 2);
    sti_lcp_answer_clear(env, &a);
    sti_env_destroy(env);
}

// Up to 0.1 an MLCP's answer called parts of v z, and its exact form was one list.
static void the_names_of_the_version_before_are_read(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_lcp_answer a;
    static const char text[] =
        "{\"kind\": \"mlcp\", \"n\": 1, \"m\": 2, \"outcome\": \"no_solution\", \"u\": [1], \"v\": [0, 2], "
        "\"residuals\": {\"z\": 0.25}, \"z_exact\": [\"1\", \"0\", \"2/3\"], "
        "\"ray\": {\"z\": [1, 2], \"dz\": [3, 4], \"z0\": 5, \"dz0\": 6}, "
        "\"certificate\": {\"type\": \"branch\", \"leaves\": [{\"z_zero\": [1], \"x\": [7], \"y\": [8, 9]}]}}";
    assert_int_equal(sti_lcp_answer_parse(env, text, sizeof text - 1, "t.json", &a), STI_OK);
    assert_true(a.mixed);
    assert_true(a.residual_z == 0.25);
    assert_true(sti_rationals_double(a.z_exact, 2) == 2.0 / 3);
    assert_true(a.ray.z[1] == 2 && a.ray.dz[1] == 4);
    assert_int_equal(a.certificate.fixed[1], 1);
    char* now;
    assert_int_equal(sti_lcp_answer_json(env, &a, &now), STI_OK);
    static const char* const written[] = {"\"v\": 0.25", "\"u_exact\": [\"1\"], \"v_exact\": [\"0\", \"2/3\"]",
                                          "\"ray\": {\"v\": [1, 2], \"dv\": [3, 4]", "\"v_zero\": [1]"};
    for (size_t k = 0; k < sizeof written / sizeof written[0]; k++) assert_non_null(strstr(now, written[k]));
    assert_null(strstr(now, "\"z\""));
    sti_env_free(env, now);
    sti_lcp_answer_clear(env, &a);
    sti_env_destroy(env);
}

static void an_mlcp_without_free_variables_stays_an_mlcp(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_lcp_answer a;
    double B[] = {2}, b[] = {-1};
    const sti_mlcp p = {.n = 0, .m = 1, .B = {.rows = 1, .cols = 1, .dense = B}, .b = b};
    const sti_lcp_options o = sti_lcp_options_default();
    assert_int_equal(sti_mlcp_solve(env, &p, &o, &a), STI_OK);
    char* text;
    assert_int_equal(sti_lcp_answer_json(env, &a, &text), STI_OK);
    assert_non_null(strstr(text, "\"kind\": \"mlcp\", \"n\": 0, \"m\": 1"));
    assert_non_null(strstr(text, "\"u\": [], \"v\": [0.5]"));
    assert_non_null(strstr(text, "\"certificate\": {\"type\": \"solution\", \"exact\": true, \"bound\": null"));
    sti_env_free(env, text);
    sti_lcp_solution_set* set;
    assert_int_equal(sti_mlcp_enumerate(env, &p, 0, 0, &set), STI_OK);
    assert_int_equal(sti_lcp_solution_set_json(env, set, &text), STI_OK);
    assert_non_null(strstr(text, "\"v_exact\": [\"1/2\"]"));
    sti_env_free(env, text);
    sti_lcp_solution_set_destroy(env, set);
    round_trip(env, &a);
    sti_lcp_answer_clear(env, &a);
    sti_env_destroy(env);
}

static void every_mistake_is_named(void** state) {
    (void)state;
    static const struct {
        const char* text;
        const char* words;
    } mistakes[] = {
        {"", "t.json: empty"},
        {"[]", "a JSON object"},
        {"{}", "z: missing"},
        {"{\"z\":3}", "z: 3: a list"},
        {"{\"z\":[1,\"x\"]}", "z[1]: \"x\""},
        {"{\"z\":[1],\"n\":2}", "z: a list of 1: 2 entries"},
        {"{\"z\":[1],\"n\":-2}", "n: -2"},
        {"{\"z\":[1],\"w\":[1,2]}", "w: a list of 2: 1 entries"},
        {"{\"z\":[1],\"kind\":\"qp\"}", "kind: \"qp\": one of lcp, mlcp"},
        {"{\"kind\":\"mlcp\",\"u\":[1]}", "v: missing"},
        {"{\"kind\":\"mlcp\",\"n\":1,\"m\":1,\"u\":[1],\"v\":[1],\"z\":[1]}", "both z and v"},
        {"{\"z\":[1],\"outcome\":\"perhaps\"}", "outcome: \"perhaps\": one of unknown, solved"},
        {"{\"z\":[1],\"outcome\":1}", "outcome: 1"},
        {"{\"z\":[1],\"solver\":\"siconos\"}", "solver: \"siconos\""},
        {"{\"z\":[1],\"termination\":\"x\"}", "termination: \"x\""},
        {"{\"z\":[1],\"alpha\":[1]}", "alpha[0]: 1: a whole number from 0 to 0"},
        {"{\"z\":[1],\"alpha\":[0,0]}", "alpha[1]: 0: this index is given twice"},
        {"{\"z\":[1],\"alpha\":0}", "alpha: 0"},
        {"{\"z\":[1],\"exact\":1}", "exact: 1: true or false"},
        {"{\"z\":[1],\"basis_nonsingular\":\"yes\"}", "basis_nonsingular: \"yes\""},
        {"{\"z\":[1],\"residual\":\"x\"}", "residual: \"x\""},
        {"{\"z\":[1],\"iterations\":1.5}", "iterations: 1.5"},
        {"{\"z\":[1],\"reason\":7}", "reason: 7"},
        {"{\"z\":[1],\"z_exact\":[\"1\",\"2\"]}", "z_exact: a list of 2"},
        {"{\"z\":[1],\"z_exact\":[1e999]}", "z_exact[0]"},
        {"{\"u\":[1],\"v\":[1],\"u_exact\":[\"1\"]}", "v_exact: missing"},
        {"{\"u\":[1],\"v\":[1],\"u_exact\":[\"1\"],\"v_exact\":[\"1\",\"2\"]}", "v_exact: a list of 2"},
        {"{\"z\":[1],\"ray\":{\"dz\":[1,2]}}", "ray.dz: a list of 2"},
        {"{\"z\":[1],\"attempts\":3}", "attempts: 3"},
        {"{\"z\":[1],\"attempts\":[3]}", "attempts[0]: 3"},
        {"{\"z\":[1],\"attempts\":[{\"solver\":\"x\"}]}", "attempts[0].solver: \"x\""},
        {"{\"z\":[1],\"certificate\":3}", "certificate: 3"},
        {"{\"z\":[1],\"certificate\":{\"type\":\"faith\"}}", "certificate.type: \"faith\""},
        {"{\"z\":[1],\"certificate\":{\"leaves\":[3]}}", "certificate.leaves[0]: 3"},
        {"{\"z\":[1],\"certificate\":{\"leaves\":[{}]}}", "certificate.leaves[0].y: missing"},
        {"{\"z\":[1],\"certificate\":{\"leaves\":[{\"y\":[1,2]}]}}", "certificate.leaves[0].y: a list of 2"},
        {"{\"z\":[1],\"certificate\":{\"leaves\":[{\"y\":[null]}]}}", "certificate.leaves[0].y[0]: null"},
        {"{\"z\":[1],\"certificate\":{\"leaves\":[{\"y\":[1],\"z_zero\":[0],\"w_zero\":[0]}]}}",
         "w_zero[0]: 0: this index is given twice"},
        {"{\"kind\":\"lcp\",\"n\":1000000000}", "n: 1000000000"},
    };
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        sti_lcp_answer a;
        assert_int_equal(sti_lcp_answer_parse(env, mistakes[k].text, strlen(mistakes[k].text), "t.json", &a),
                         STI_ERR_INPUT);
        assert_null(a.z);
        io_expect_error(env, STI_ERR_INPUT, mistakes[k].words);
    }
    sti_env_destroy(env);
}

static void answers_are_saved_and_loaded(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    full f;
    sti_lcp_answer b;
    fill(env, &f);
    f.a.residual = 1;
    io_folder_make();
    assert_int_equal(sti_lcp_answer_save(env, &f.a, io_path("a.json")), STI_OK);
    assert_int_equal(sti_lcp_answer_load(env, io_path("a.json"), &b), STI_OK);
    expect_same(&f.a, &b);
    sti_lcp_answer_clear(env, &b);
    assert_int_equal(sti_lcp_answer_load(env, io_path("none.json"), &b), STI_ERR_IO);
    assert_int_equal(sti_lcp_answer_save(env, &f.a, "/nonexistent/a.json"), STI_ERR_IO);
    assert_int_equal(io_folder_count(), 1);
    io_folder_remove();
    drop(&f);
    sti_env_destroy(env);
}

static void a_set_of_solutions_is_written(void** state) {
    (void)state;
    static const char text[] = "{\"kind\":\"lcp\",\"M\":[[1,2],[2,1]],\"q\":[-1,-1]}";  // (1, 0), (0, 1), (1/3, 1/3)
    sti_env* env = io_env(NULL);
    sti_document* p;
    sti_lcp_solution_set* s;
    char* json;
    assert_int_equal(sti_document_parse(env, text, sizeof text - 1, "t.json", &p), STI_OK);
    assert_int_equal(sti_lcp_enumerate(env, sti_lcp_of(p), 0, 0, &s), STI_OK);
    assert_int_equal(s->vertex_count, 3);
    assert_int_equal(sti_lcp_solution_set_json(env, s, &json), STI_OK);
    assert_non_null(strstr(json, "\"complete\": true"));
    assert_non_null(strstr(json, "\"z_exact\": [\"1/3\", \"1/3\"]"));
    assert_non_null(strstr(json, "\"isolated\": true"));
    sti_env_free(env, json);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        const sti_status status = sti_lcp_solution_set_json(f.env, s, &json);
        if (status == STI_OK)
            sti_env_free(f.env, json);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    sti_lcp_solution_set_destroy(env, s);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void a_failed_allocation_leaves_nothing(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    full f;
    char* text;
    fill(env, &f);
    assert_int_equal(sti_lcp_answer_json(env, &f.a, &text), STI_OK);
    io_folder_make();
    assert_int_equal(sti_lcp_answer_save(env, &f.a, io_path("a.json")), STI_OK);
    for (int what = 0; what < 4; what++) {
        for (long k = 0;; k++) {
            failing_env e;
            sti_lcp_answer b;
            char* again = NULL;
            sti_status status;
            failing_env_open(&e, k);
            if (what == 0)
                status = sti_lcp_answer_parse(e.env, text, strlen(text), "t.json", &b);
            else if (what == 1)
                status = sti_lcp_answer_load(e.env, io_path("a.json"), &b);
            else if (what == 2)
                status = sti_lcp_answer_json(e.env, &f.a, &again);
            else
                status = sti_lcp_answer_save(e.env, &f.a, io_path("b.json"));
            if (status != STI_OK)
                assert_int_equal(status, STI_ERR_MEMORY);
            else if (what < 2)
                sti_lcp_answer_clear(e.env, &b);
            else if (what == 2)
                sti_env_free(e.env, again);
            if (failing_env_close(&e)) {
                assert_int_equal(status, STI_OK);
                break;
            }
        }
    }
    assert_int_equal(io_folder_count(), 2);
    io_folder_remove();
    sti_env_free(env, text);
    drop(&f);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_with_everything_survives),
        cmocka_unit_test(integers_of_many_digits_survive),
        cmocka_unit_test(real_answers_are_verified_after_the_trip),
        cmocka_unit_test(a_bare_point_claims_to_be_a_solution),
        cmocka_unit_test(the_names_of_the_version_before_are_read),
        cmocka_unit_test(an_mlcp_without_free_variables_stays_an_mlcp),
        cmocka_unit_test(every_mistake_is_named),
        cmocka_unit_test(answers_are_saved_and_loaded),
        cmocka_unit_test(a_set_of_solutions_is_written),
        cmocka_unit_test(a_failed_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
