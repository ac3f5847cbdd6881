// test_qp_files.c: quadratic programs and their answers as files.
#include <hdf5.h>

#include "support/io_tools.h"

static sti_document* parse(sti_env* env, const char* text) {
    sti_document* problem;
    if (sti_document_parse(env, text, strlen(text), "text", &problem) != STI_OK)
        fail_msg("%s", sti_env_error(env)->text);
    return problem;
}

static void every_field_is_read(void** state) {
    (void)state;
    io_log log;
    sti_env* env = io_env(&log);
    sti_document* problem = parse(env,
                                  "{\"kind\": \"qp\", \"n\": 2, \"m\": 1, \"name\": \"a test\", // with a comment\n"
                                  " \"P\": {\"rows\": 2, \"cols\": 2, \"entries\": [[0, 0, 2], [1, 1, \"1/2\"]]},\n"
                                  " \"c\": [-2, 0.5], \"A\": [[1, \"1/4\"]], \"l\": [null], \"u\": [3],\n"
                                  " \"lb\": [0, null], \"ub\": [1e30, 7]}");
    assert_int_equal(log.count, 0);
    assert_int_equal(sti_document_kind(problem), STI_KIND_QP);
    assert_null(sti_lcp_of(problem));
    const sti_qp* qp = sti_qp_of(problem);
    assert_non_null(qp);
    assert_int_equal(qp->n, 2);
    assert_int_equal(qp->m, 1);
    assert_true(sti_matrix_get(&qp->P, 0, 0) == 2 && sti_matrix_get(&qp->P, 1, 1) == 0.5);
    assert_true(qp->A.dense[0] == 1 && qp->A.dense[1] == 0.25);
    assert_true(qp->c[0] == -2 && qp->c[1] == 0.5);
    assert_true(qp->l[0] == -INFINITY && qp->u[0] == 3);
    assert_true(qp->lb[0] == 0 && qp->lb[1] == -INFINITY && qp->ub[0] == 1e30 && qp->ub[1] == 7);
    sti_document_destroy(problem);
    sti_env_destroy(env);
}

static void only_the_objective_is_needed(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* problem = parse(env, "{\"kind\": \"qp\", \"c\": [1, 2], \"l\": null, \"ub\": null}");
    const sti_qp* qp = sti_qp_of(problem);
    assert_int_equal(qp->n, 2);
    assert_int_equal(qp->m, 0);
    assert_int_equal(qp->P.rows, 0);
    assert_null(qp->l);
    assert_null(qp->u);
    assert_null(qp->lb);
    assert_null(qp->ub);
    sti_document_destroy(problem);
    sti_env_destroy(env);
}

static void put(hid_t file, const char* name, int rank, hsize_t rows, hsize_t cols, const double* x) {
    const hsize_t size[2] = {rows, cols};
    const hid_t space = H5Screate_simple(rank, size, NULL);
    const hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void hdf5_has_the_same_names(void** state) {
    (void)state;
    io_folder_make();
    const char* path = io_path("q.h5");
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, 3);
    const hid_t kind = H5Acreate2(file, "kind", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(kind, type, "qp");
    H5Aclose(kind);
    H5Sclose(space);
    H5Tclose(type);
    put(file, "P", 2, 2, 2, (double[]){2, 0, 0, 2});
    put(file, "c", 1, 2, 1, (double[]){-2, -6});
    put(file, "A", 2, 1, 2, (double[]){1, 1});
    put(file, "u", 1, 1, 1, (double[]){2});
    put(file, "lb", 1, 2, 1, (double[]){0, -1e30});
    H5Fclose(file);
    sti_env* env = io_env(NULL);
    sti_document* problem;
    if (sti_document_load(env, path, &problem) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    const sti_qp* qp = sti_qp_of(problem);
    sti_qp_answer a;
    assert_int_equal(sti_qp_solve(env, qp, NULL, &a), STI_OK);
    assert_int_equal(a.outcome, STI_CONIC_SOLVED);
    assert_true(fabs(a.x[0]) < 1e-9 && fabs(a.x[1] - 2) < 1e-9);
    sti_qp_answer_clear(env, &a);
    sti_document_destroy(problem);
    sti_env_destroy(env);
    io_folder_remove();
}

static const char* const programs[] = {
    "{\"kind\": \"qp\", \"P\": [[2, 0], [0, 2]], \"c\": [-2, -6], \"A\": [[1, 1]], \"u\": [2], \"lb\": [0, 0]}",
    "{\"kind\": \"qp\", \"c\": [1, 1], \"A\": [[1, 1]], \"l\": [3], \"lb\": [0, 0], \"ub\": [1, 1]}",
    "{\"kind\": \"qp\", \"c\": [1, 1], \"A\": [[1, 1]], \"l\": [3], \"u\": [2]}",
    "{\"kind\": \"qp\", \"c\": [-1, 0], \"lb\": [0, 0]}",
};

static bool same(const double* a, const double* b, int n) {
    for (int i = 0; i < n; i++) {
        if (!(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])))) return false;
    }
    return true;
}

static void answers_come_back_as_they_were_and_are_accepted(void** state) {
    (void)state;
    io_folder_make();
    sti_env* env = io_env(NULL);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        sti_document* problem = parse(env, programs[i]);
        const sti_qp* qp = sti_qp_of(problem);
        sti_qp_answer a, b;
        assert_int_equal(sti_qp_solve(env, qp, NULL, &a), STI_OK);
        assert_int_equal(sti_qp_answer_save(env, &a, io_path("a.json")), STI_OK);
        if (sti_qp_answer_load(env, qp, io_path("a.json"), &b) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
        assert_int_equal(a.outcome, b.outcome);
        assert_int_equal(a.crossed, b.crossed);
        assert_int_equal(a.iterations, b.iterations);
        assert_true(a.residual == b.residual && a.time_s == b.time_s);
        assert_string_equal(a.reason, b.reason);
        assert_true(same(a.x, b.x, a.n));
        if (a.crossed < 0) assert_true(same(a.y, b.y, a.m) && same(a.z, b.z, a.n));
        sti_qp_verification v;
        assert_int_equal(sti_verify_qp(env, qp, &b, 1e-9, &v), STI_OK);
        assert_true(v.accepted);
        sti_qp_answer_clear(env, &a);
        sti_qp_answer_clear(env, &b);
        sti_document_destroy(problem);
    }
    sti_env_destroy(env);
    io_folder_remove();
}

static void answers_that_do_not_fit_are_refused(void** state) {
    (void)state;
    static const char* const bad[][2] = {
        {"{\"n\": 3, \"x\": [1, 2, 3]}", "n: 3: the problem has 2"},
        {"{\"m\": 0}", "m: 0: the problem has 1"},
        {"{\"x\": [1]}", "x: a list of 1"},
        {"{\"x\": 1}", "x: 1"},
        {"{\"outcome\": \"fine\"}", "outcome: \"fine\""},
        {"{\"outcome\": \"infeasible\", \"certificate\": 3}", "certificate: 3"},
        {"{\"outcome\": \"infeasible\", \"certificate\": {\"crossed\": 3}}", "certificate.crossed: 3"},
        {"{\"outcome\": \"infeasible\", \"certificate\": {\"y\": [1, 2]}}", "certificate.y: a list of 2"},
        {"{\"residuals\": []}", "residuals: a list"},
        {"[1]", ""},
    };
    sti_env* env = io_env(NULL);
    sti_document* problem = parse(env, programs[0]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sti_qp_answer a;
        assert_int_equal(sti_qp_answer_parse(env, sti_qp_of(problem), bad[i][0], strlen(bad[i][0]), "text", &a),
                         STI_ERR_INPUT);
        if (strstr(sti_env_error(env)->text, bad[i][1]) == NULL)
            fail_msg("%s: %s", bad[i][0], sti_env_error(env)->text);
        assert_null(a.x);
    }
    // a point without multipliers claims to be a solution, and is not believed
    const char* bare = "{\"x\": [0, 2]}";
    sti_qp_answer a;
    sti_qp_verification v;
    assert_int_equal(sti_qp_answer_parse(env, sti_qp_of(problem), bare, strlen(bare), "text", &a), STI_OK);
    assert_int_equal(a.outcome, STI_CONIC_SOLVED);
    assert_int_equal(sti_verify_qp(env, sti_qp_of(problem), &a, 1e-9, &v), STI_OK);
    assert_false(v.accepted);
    sti_qp_answer_clear(env, &a);
    sti_document_destroy(problem);
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_document* problem = NULL;
            sti_qp_answer a = {0}, b = {0};
            char* text = NULL;
            sti_status status = sti_document_parse(f.env, programs[i], strlen(programs[i]), "text", &problem);
            if (status == STI_OK) status = sti_qp_solve(f.env, sti_qp_of(problem), NULL, &a);
            if (status == STI_OK) status = sti_qp_answer_json(f.env, &a, &text);
            if (status == STI_OK)
                status = sti_qp_answer_parse(f.env, sti_qp_of(problem), text, strlen(text), "text", &b);
            if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
            sti_env_free(f.env, text);
            sti_qp_answer_clear(f.env, &a);
            sti_qp_answer_clear(f.env, &b);
            sti_document_destroy(problem);
            if (failing_env_close(&f)) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_read),
        cmocka_unit_test(only_the_objective_is_needed),
        cmocka_unit_test(hdf5_has_the_same_names),
        cmocka_unit_test(answers_come_back_as_they_were_and_are_accepted),
        cmocka_unit_test(answers_that_do_not_fit_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
