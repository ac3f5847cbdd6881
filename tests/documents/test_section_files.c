// test_section_files.c: sections of friction in files: FCLIB with a group of ours, instants with an ellipse.
#include <math.h>
#include <stiction/sticking.h>
#include <unistd.h>

#include "support/io_tools.h"
#include "support/near.h"

static const double kite[] = {1, 0, 0, 0.5, -1, 0, 0, -2};

static sti_contact_problem make(double W[81], double q[9], double mu[3], sti_section section[3]) {
    for (int i = 0; i < 81; i++) W[i] = i % 10 == 0;
    for (int i = 0; i < 9; i++) q[i] = i % 3 == 0 ? -1 : 0.4 + 0.01 * i;
    for (int c = 0; c < 3; c++) mu[c] = 0.5;
    section[0] = (sti_section){.shape = STI_SECTION_DISC};
    section[1] = (sti_section){.shape = STI_SECTION_ELLIPSE, .axes = {0.1, 0.7}, .angle = 1.0 / 3};
    section[2] = (sti_section){.shape = STI_SECTION_POLYGON, .vertex_count = 4, .vertex = kite};
    sti_contact_problem p = {.dimension = 3, .contact_count = 3, .mu = mu, .section = section, .q = q};
    p.W = sti_matrix_dense_view(9, 9, W);
    return p;
}

static void sections_come_back_from_a_file_to_the_bit(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    double W[81], q[9], mu[3];
    sti_section section[3];
    const sti_contact_problem p = make(W, q, mu, section);
    char path[64] = "/tmp/stiction_sections_XXXXXX.hdf5";
    const int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(sti_contact_save(env, &p, NULL, path), STI_OK);
    sti_document* d;
    assert_int_equal(sti_document_load(env, path, &d), STI_OK);
    const sti_contact_problem* back = sti_contact_problem_of(d);
    assert_non_null(back->section);
    for (int c = 0; c < 3; c++) assert_int_equal(back->section[c].shape, section[c].shape);
    assert_true(back->section[1].axes[0] == 0.1 && back->section[1].axes[1] == 0.7 &&
                back->section[1].angle == 1.0 / 3);
    assert_int_equal(back->section[2].vertex_count, 4);
    assert_memory_equal(back->section[2].vertex, kite, sizeof kite);
    sti_contact_answer a, b;
    assert_int_equal(sti_contact_solve(env, &p, NULL, &a), STI_OK);
    assert_int_equal(sti_contact_solve(env, back, NULL, &b), STI_OK);
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_memory_equal(a.r, b.r, 9 * sizeof *a.r);
    sti_contact_answer_clear(env, &a);
    sti_contact_answer_clear(env, &b);
    sti_document_destroy(d);
    unlink(path);
    sti_env_destroy(env);
}

static double circle(void* user, const double* y, double* x) {
    (void)user;
    x[0] = y[0], x[1] = y[1];
    return 1;
}

static void what_a_file_cannot_hold_is_refused(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    double W[81], q[9], mu[3];
    sti_section section[3];
    const sti_contact_problem p = make(W, q, mu, section);
    section[0] = (sti_section){.shape = STI_SECTION_SUPPORT, .support = circle};
    assert_int_equal(sti_contact_save(env, &p, NULL, "/tmp/never.hdf5"), STI_ERR_ARGUMENT);
    section[0] = (sti_section){.shape = STI_SECTION_ELLIPSE, .axes = {-1, 1}};
    assert_int_equal(sti_contact_save(env, &p, NULL, "/tmp/never.hdf5"), STI_ERR_ARGUMENT);
    assert_int_equal(access("/tmp/never.hdf5", F_OK), -1);
    sti_env_destroy(env);
}

// A point on the floor that is pulled by (3, 4) under a weight of 10: with an ellipse of half axes mu and 0.4 mu at 0.3
// from the first tangent it sticks from the mu on at which the pull is on the ellipse.
static void an_instant_with_an_ellipse_sticks_from_the_multiple_that_the_ellipse_needs(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    static const char text[] =
        "{\"kind\":\"instant\",\"M_diag\":[1,1,1],\"F\":[-3,-4,10],\"contacts\":[{\"mu\":0.7,\"n\":[0,0,1],"
        "\"t\":[[1,0,0],[0,1,0]],\"ellipse\":{\"axes\":[1,0.4],\"angle\":0.3}}]}";
    sti_document* d;
    assert_int_equal(sti_document_parse(env, text, strlen(text), "t.json", &d), STI_OK);
    sti_sticking_options o = sti_sticking_options_default();
    sti_sticking* s;
    assert_int_equal(sti_sticking_create(env, sti_instant_of(d), &o, &s), STI_OK);
    const double c = cos(0.3), q = sin(0.3);
    const double least = hypot(c * 3 + q * 4, (c * 4 - q * 3) / 0.4) / 10;
    assert_near(s->least_common.mu, least, 1e-7);
    assert_int_equal(s->answer.outcome, least <= 0.7 ? STI_STICKING_YES : STI_STICKING_NO);
    sti_sticking_destroy(s);
    sti_document_destroy(d);
    sti_env_destroy(env);
}

static void a_wrong_ellipse_is_named(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    static const char* const bad[] = {"{\"axes\":[1]}", "{\"axes\":[1,0]}", "{\"angle\":1}", "3",
                                      "{\"axes\":[1,1],\"turn\":2}"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[400];
        snprintf(
            text, sizeof text,
            "{\"kind\":\"instant\",\"M_diag\":[1,1,1],\"contacts\":[{\"mu\":1,\"n\":[0,0,1],\"t\":[[1,0,0],[0,1,0]],"
            "\"ellipse\":%s}]}",
            bad[k]);
        sti_document* d = NULL;
        assert_int_equal(sti_document_parse(env, text, strlen(text), "t.json", &d), STI_ERR_INPUT);
        assert_non_null(strstr(sti_env_error(env)->text, "ellipse"));
    }
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_come_back_from_a_file_to_the_bit),
        cmocka_unit_test(what_a_file_cannot_hold_is_refused),
        cmocka_unit_test(an_instant_with_an_ellipse_sticks_from_the_multiple_that_the_ellipse_needs),
        cmocka_unit_test(a_wrong_ellipse_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
