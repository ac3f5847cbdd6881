// Grasps and matrices from JSON: rows by hand, exact where the normals are, and every mistake named.
#include "support/io_tools.h"

static sti_document* parse(sti_env* env, const char* text) {
    sti_document* p;
    const sti_status status = sti_document_parse(env, text, strlen(text), "t.json", &p);
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    return p;
}

static void expect_exact(sti_env* env, const sti_rationals* r, size_t i, const char* expected) {
    char* text;
    assert_int_equal(sti_rationals_text(r, i, &text), STI_OK);
    assert_string_equal(text, expected);
    sti_env_free(env, text);
}

static const char plane[] =
    "{\"kind\":\"grasp\",\"dimension\":2,\"center\":[\"1/3\",0.1],\"mu\":0.4,\"contacts\":[\n"
    " {\"name\":\"thumb\",\"point\":[1,2],\"normal\":[-0.6,0.8]},{\"point\":[0,1],\"normal\":[0,-1],\"mu\":\"1/3\"}]}";

// r = (2/3, 1.9):  r x n = 2/3 * 0.8 + 1.9 * 0.6 = 251/150,  r x t = 2/3 * -0.6 + 1.9 * 0.8 = 28/25
static void rows_of_the_plane_are_exact(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p = parse(env, plane);
    assert_int_equal(sti_document_kind(p), STI_KIND_GRASP);
    const sti_instant* a = sti_instant_of(p);
    assert_int_equal(a->n, 3);
    assert_int_equal(a->tangent_total, 2);
    assert_string_equal(a->names[2], "turn");
    assert_string_equal(a->contacts[0].name, "thumb");
    assert_string_equal(a->contacts[1].name, "contact 2");
    io_expect_equal(a->contacts[0].n, (double[]){-0.6, 0.8, 251.0 / 150}, 3);
    io_expect_equal(a->contacts[0].t, (double[]){-0.8, -0.6, 28.0 / 25}, 3);
    expect_exact(env, a->exact->n, 2, "251/150");
    expect_exact(env, a->exact->t, 0, "-4/5");
    expect_exact(env, a->exact->t, 2, "28/25");
    expect_exact(env, a->exact->mu, 0, "2/5");
    expect_exact(env, a->exact->mu, 1, "1/3");
    expect_exact(env, a->exact->n, 5, "1/3");
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void other_normals_are_scaled_to_length_one(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p =
        parse(env, "{\"kind\":\"grasp\",\"dimension\":2,\"contacts\":[{\"point\":[1,0],\"normal\":[-2,-2],\"mu\":1}]}");
    const sti_instant* a = sti_instant_of(p);
    assert_null(a->exact);
    assert_true(fabs(a->contacts[0].n[0] + sqrt(0.5)) < 1e-15 && fabs(a->contacts[0].n[2] + sqrt(0.5)) < 1e-15);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static double dot3(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void frames_in_space_are_right_handed(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    uint64_t seed = 7;
    for (int k = 0; k < 200; k++) {
        double x[9];
        for (int i = 0; i < 9; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            x[i] = (double)(seed >> 11) * 0x1p-52 - 1;
        }
        if (k == 0) x[6] = x[7] = 0;  // along an axis
        char text[600];
        snprintf(
            text, sizeof text,
            "{\"kind\":\"grasp\",\"dimension\":3,\"center\":[%.17g,%.17g,%.17g],\"contacts\":[{\"point\":[%.17g,%.17g,"
            "%.17g],\"normal\":[%.17g,%.17g,%.17g],\"mu\":0.5}]}",
            x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]);
        sti_document* p = parse(env, text);
        const sti_instant_contact* c = &sti_instant_of(p)->contacts[0];
        const double *n = c->n, *t = c->t, *s = c->t + 6;
        assert_true(fabs(dot3(n, n) - 1) < 1e-14 && fabs(dot3(t, t) - 1) < 1e-14 && fabs(dot3(s, s) - 1) < 1e-14);
        assert_true(fabs(dot3(n, t)) < 1e-14 && fabs(dot3(n, s)) < 1e-14 && fabs(dot3(t, s)) < 1e-14);
        const double det = n[0] * (t[1] * s[2] - t[2] * s[1]) - n[1] * (t[0] * s[2] - t[2] * s[0]) +
                           n[2] * (t[0] * s[1] - t[1] * s[0]);
        assert_true(fabs(det - 1) < 1e-14);
        for (int row = 0; row < 3; row++) {  // r x direction
            const double* e = row == 0 ? n : row == 1 ? t : s;
            for (int i = 0; i < 3; i++) {
                const int j = (i + 1) % 3, l = (i + 2) % 3;
                const double m = (x[3 + j] - x[j]) * e[l] - (x[3 + l] - x[l]) * e[j];
                assert_true(fabs(e[3 + i] - m) < 1e-14);
            }
        }
        sti_document_destroy(p);
    }
    sti_env_destroy(env);
}

static const struct {
    const char* text;  // in place of the dots of {...}
    const char* words;
} mistakes[] = {
    {"\"kind\":\"grasp\"", "t.json: dimension: missing: 2 or 3"},
    {"\"kind\":\"grasp\",\"dimension\":4", "dimension: 4"},
    {"\"kind\":\"grasp\",\"dimension\":2", "contacts: missing: a list of contacts"},
    {"\"kind\":\"grasp\",\"dimension\":2,\"contacts\":[]", "contacts: a list of 0: from 1 to"},
    {"\"kind\":\"grasp\",\"dimension\":2,\"contacts\":[3]", "contacts[0]: 3: an object"},
    {"\"kind\":\"grasp\",\"dimension\":2,\"contacts\":[{}]", "contacts[0].point: missing: 2 numbers"},
    {"\"kind\":\"grasp\",\"dimension\":2,\"contacts\":[{\"point\":[1]}]", "contacts[0].point: a list of 1: 2 entries"},
    {"\"kind\":\"grasp\",\"dimension\":2,\"contacts\":[{\"point\":[1,2]}]", "contacts[0].normal: missing"},
    {"\"kind\":\"grasp\",\"dimension\":2,\"contacts\":[{\"point\":[1,2],\"normal\":[0,0]}]",
     "contacts[0].normal: a list of 2: a direction is expected, not 0"},
    {"\"kind\":\"grasp\",\"dimension\":2,\"contacts\":[{\"point\":[1,2],\"normal\":[0,1],\"mu\":-1}]",
     "contacts[0].mu: -1: friction from 0 on"},
    {"\"kind\":\"grasp\",\"dimension\":2,\"contacts\":[{\"point\":[1,2],\"normal\":[0,1],\"nomral\":1}]", "nomral"},
    {"\"kind\":\"grasp\",\"dimension\":2,\"contacts\":[{\"point\":[1,2],\"normal\":[0,1],\"name\":7}]",
     "contacts[0].name: 7: a name"},
    {"\"kind\":\"grasp\",\"dimension\":2,\"centre\":[0,0],\"contacts\":[{\"point\":[1,2],\"normal\":[0,1]}]", "centre"},
    {"\"kind\":\"grasp\",\"dimension\":3,\"contacts\":[{\"point\":[1.7e308,1.7e308,0],\"normal\":[-1,1,0],\"mu\":1}]",
     "t.json: "},
    {"\"kind\":\"matrices\"", "t.json: no matrix"},
    {"\"kind\":\"matrices\",\"P\":[[1,2],[3,4]],\"N\":[[1]]", "N: 1 x 1: 2 x 2 is expected, as large as P"},
    {"\"kind\":\"matrices\",\"G\":[[1,2],[3,4]],\"E\":[[1]]", "E: 1 x 1: 2 x 2 is expected, as large as G"},
    {"\"kind\":\"matrices\",\"D\":[[1,2],[3,4]],\"E\":[[1]]", "D: 2 x 2: 1 x 1 is expected, as large as E"},
    {"\"kind\":\"matrices\",\"G\":[[1]],\"n_H\":[[1,2],[2,3]]", "n_H: 2 x 2: 1 x 2 is expected"},
    {"\"kind\":\"matrices\",\"G\":[[1]],\"n_H\":[[1,2]],\"mu\":[1]", "mu: 1 entries: 2 are expected"},
    {"\"kind\":\"matrices\",\"T\":[[1,2],[3]]", "T[1]"},
};

static void every_mistake_is_named(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        char text[400];
        sti_document* p;
        snprintf(text, sizeof text, "{%s}", mistakes[k].text);
        assert_int_equal(sti_document_parse(env, text, strlen(text), "t.json", &p), STI_ERR_INPUT);
        assert_null(p);
        io_expect_error(env, STI_ERR_INPUT, mistakes[k].words);
        io_expect_error(env, STI_ERR_INPUT, "t.json: ");
    }
    sti_env_destroy(env);
}

static void matrices_are_read_by_name(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p = parse(env,
                            "{\"kind\":\"matrices\",\"G\":[[1,-0.5],[-0.5,1]],\"E\":{\"rows\":2,\"cols\":2,\"entries\":"
                            "[[0,1,0.25]]},\"n_H\":[[1],[2]],\"mu\":[0.3]}");
    const sti_matrices* m = sti_matrices_of(p);
    assert_int_equal(m->size, 2);
    io_expect_equal(m->G, (double[]){1, -0.5, -0.5, 1}, 4);
    io_expect_equal(m->E, (double[]){0, 0.25, 0, 0}, 4);
    io_expect_equal(m->n_H, (double[]){1, 2}, 2);
    io_expect_equal(m->mu, (double[]){0.3}, 1);
    assert_true(m->P == NULL && m->N == NULL && m->D == NULL && m->T == NULL && m->exact == NULL);
    sti_document_destroy(p);
    p = parse(env, "{\"kind\":\"matrices\",\"T\":[[\"1/3\",2]]}");
    assert_non_null(sti_matrices_of(p)->exact);
    assert_null(sti_instant_of(p));
    expect_exact(env, sti_matrices_of(p)->exact, 0, "1/3");
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    static const char* const texts[] = {
        plane, "{\"kind\":\"grasp\",\"dimension\":3,\"contacts\":[{\"point\":[1,0,0],\"normal\":[-1,0,0],\"mu\":1}]}",
        "{\"kind\":\"matrices\",\"T\":[[\"1/3\",2]],\"E\":{\"rows\":2,\"cols\":2,\"entries\":[[0,1,\"1/"
        "4\"]]},\"mu\":[1]}"};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        for (long k = 0;; k++) {
            failing_env f;
            sti_document* p;
            failing_env_open(&f, k);
            const sti_status status = sti_document_parse(f.env, texts[t], strlen(texts[t]), "t.json", &p);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            sti_document_destroy(p);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_the_plane_are_exact),      cmocka_unit_test(other_normals_are_scaled_to_length_one),
        cmocka_unit_test(frames_in_space_are_right_handed), cmocka_unit_test(every_mistake_is_named),
        cmocka_unit_test(matrices_are_read_by_name),        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
