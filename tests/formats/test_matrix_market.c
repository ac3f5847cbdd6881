// Matrices in the Matrix Market format, alone and named in a problem.
#include "support/io_tools.h"

static void expect_matrix(const char* text, int rows, int cols, bool sparse, const double* entries) {
    sti_env* env = io_env(NULL);
    sti_matrix M;
    const sti_status status = sti_matrix_parse(env, text, strlen(text), "t.mtx", &M);
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    assert_int_equal(M.rows, rows);
    assert_int_equal(M.cols, cols);
    assert_int_equal(sti_matrix_is_sparse(&M), sparse);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) assert_true(sti_matrix_get(&M, i, j) == entries[i * cols + j]);
    }
    for (int j = 0; sparse && j < cols; j++) {
        for (int64_t k = M.col_start[j] + 1; k < M.col_start[j + 1]; k++) assert_true(M.row[k - 1] < M.row[k]);
    }
    sti_matrix_clear(env, &M);
    sti_env_destroy(env);
}

static void coordinates_become_sparse_columns(void** state) {
    (void)state;
    expect_matrix("%%MatrixMarket matrix coordinate real general\n% a\n%\n\n3 2 3\n3 1 1.5\n1 2 -2e3\n 1\t1  4 \r\n", 3,
                  2, true, (double[]){4, -2e3, 0, 0, 1.5, 0});
    expect_matrix("%%matrixmarket MATRIX Coordinate Integer General\n1 1 0\n", 1, 1, true, (double[]){0});
}

static void repeated_coordinates_are_summed(void** state) {
    (void)state;
    expect_matrix("%%MatrixMarket matrix coordinate real general\n2 2 4\n2 1 1\n1 1 1\n2 1 2\n2 1 4\n", 2, 2, true,
                  (double[]){1, 0, 7, 0});
}

static void symmetric_halves_are_completed(void** state) {
    (void)state;
    expect_matrix("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 -1\n", 2, 2, true,
                  (double[]){3, -1, -1, 0});
    expect_matrix("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n", 2, 2, true,
                  (double[]){0, -5, 5, 0});
    expect_matrix("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n", 2, 2, false, (double[]){1, 2, 2, 3});
    expect_matrix("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3", 3, 3, false,
                  (double[]){0, -1, -2, 1, 0, -3, 2, 3, 0});
}

static void arrays_run_down_the_columns(void** state) {
    (void)state;
    expect_matrix("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6", 2, 3, false,
                  (double[]){1, 3, 5, 2, 4, 6});
}

static void every_mistake_is_named(void** state) {
    (void)state;
    static const struct {
        const char* text;
        const char* words;
    } mistakes[] = {
        {"", "t.mtx: empty"},
        {"3 3 1\n", "line 1: %%MatrixMarket is expected"},
        {"%%MatrixMarket vector array real general\n", "line 1: vector: only \"matrix\""},
        {"%%MatrixMarket matrix list real general\n", "list: \"coordinate\" or \"array\""},
        {"%%MatrixMarket matrix array complex general\n", "complex: a real matrix"},
        {"%%MatrixMarket matrix coordinate pattern general\n", "pattern: a matrix with values"},
        {"%%MatrixMarket matrix array quaternion general\n", "quaternion"},
        {"%%MatrixMarket matrix array real hermitian\n", "hermitian"},
        {"%%MatrixMarket matrix array real general more\n", "more: nothing more"},
        {"%%MatrixMarket matrix array real general\n", "the sizes are missing"},
        {"%%MatrixMarket matrix array real general\n2\n1\n2\n", "line 2: columns"},
        {"%%MatrixMarket matrix array real general\n2 -2\n", "columns: -2"},
        {"%%MatrixMarket matrix array real general\n2 2 4\n1\n", "4: nothing more"},
        {"%%MatrixMarket matrix array real general\n20001 20000\n1\n",
         "20001 x 20000: more than 20000 x 20000 entries"},
        {"%%MatrixMarket matrix array real general\n1000001 1\n", "rows: 1000001"},
        {"%%MatrixMarket matrix array real general\n20000 20000\n1\n", "400000000 entries: more than the rest"},
        {"%%MatrixMarket matrix coordinate real general\n10 10 99999999999\n", "entries: more than the rest"},
        {"%%MatrixMarket matrix coordinate real general\n99999999999999999999 1 1\n", "rows: 99999999999999999999"},
        {"%%MatrixMarket matrix array real symmetric\n2 3\n1\n2\n3\n", "2 x 3: a symmetric matrix is square"},
        {"%%MatrixMarket matrix array real general\n2 1\n  1 % x\n", "line 3: %: nothing more"},
        {"%%MatrixMarket matrix array real general\n2 1\n%%%%\n1\n\n", "the file ends before entry (2, 1)"},
        {"%%MatrixMarket matrix array real general\n1 1\n1\n2\n", "line 4: text after the last entry"},
        {"%%MatrixMarket matrix array real general\n1 1\nnan\n", "line 3: value: nan"},
        {"%%MatrixMarket matrix array real general\n1 1\n-inf\n", "line 3: value: -inf"},
        {"%%MatrixMarket matrix array real general\n1 1\n1e999\n", "line 3: value: 1e999"},
        {"%%MatrixMarket matrix array real general\n1 1\n0x12\n", "line 3: value: 0x12"},
        {"%%MatrixMarket matrix array real general\n1 1\n1,5\n", "line 3: value: 1,5"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 3\n", "line 3: row: 0"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 3\n", "line 3: column: 3"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1\n   ", "line 3: value"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n%     \n", "the file ends after 1 of 2"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 3\n", "(1, 2): only the lower triangle"},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 3\n", "(1, 1): the diagonal"},
        {"%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 1e308\n1 1 1e308\n", "not finite"},
    };
    sti_env* env = io_env(NULL);
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        sti_matrix M;
        assert_int_equal(sti_matrix_parse(env, mistakes[k].text, strlen(mistakes[k].text), "t.mtx", &M), STI_ERR_INPUT);
        assert_null(M.dense);
        assert_null(M.col_start);
        io_expect_error(env, STI_ERR_INPUT, mistakes[k].words);
    }
    sti_env_destroy(env);
}

static void a_problem_names_its_matrix_beside_it(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p;
    io_folder_make();
    io_write_text(io_path("M.mtx"), "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 1\n2 2 2\n");
    io_write_text(io_path("p.json"), "{\"kind\":\"lcp\",\"M\":{\"file\":\"M.mtx\"},\"q\":[-5,\"1/3\"]}");
    assert_int_equal(sti_document_load(env, io_path("p.json"), &p), STI_OK);
    const sti_lcp* lcp = sti_lcp_of(p);
    assert_true(sti_matrix_is_sparse(&lcp->M));
    assert_true(sti_matrix_get(&lcp->M, 0, 1) == 1);
    assert_true(sti_rationals_double(lcp->M_exact, 2) == 1);
    sti_document_destroy(p);

    io_write_text(io_path("c.json"), "{\"kind\":\"cone\",\"rays\":{\"file\":\"M.mtx\"}}");
    assert_int_equal(sti_document_load(env, io_path("c.json"), &p), STI_OK);
    assert_non_null(sti_cone_input_of(p)->first.exact);
    io_expect_equal(sti_cone_input_of(p)->first.value, (double[]){2, 1, 1, 2}, 4);
    sti_document_destroy(p);

    io_write_text(io_path("M.mtx"), "%%MatrixMarket matrix array real general\n1 1\nx\n");
    assert_int_equal(sti_document_load(env, io_path("p.json"), &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "p.json: M.file: ");
    io_expect_error(env, STI_ERR_INPUT, "M.mtx: line 3: value: x");
    unlink(io_path("M.mtx"));
    assert_int_equal(sti_document_load(env, io_path("p.json"), &p), STI_ERR_IO);
    io_expect_error(env, STI_ERR_IO, "M.file: ");
    io_folder_remove();
    sti_env_destroy(env);
}

static void a_matrix_file_is_not_a_problem(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p;
    sti_matrix M;
    io_folder_make();
    io_write_text(io_path("M.mtx"), "%%MatrixMarket matrix array real general\n1 1\n7\n");
    assert_int_equal(sti_document_load(env, io_path("M.mtx"), &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "a matrix, not a problem");
    assert_int_equal(sti_matrix_load(env, io_path("M.mtx"), &M), STI_OK);
    assert_true(M.dense[0] == 7);
    sti_matrix_clear(env, &M);
    assert_int_equal(sti_matrix_load(env, io_path("no.mtx"), &M), STI_ERR_IO);
    io_folder_remove();
    sti_env_destroy(env);
}

static void a_failed_allocation_leaves_nothing(void** state) {
    (void)state;
    static const char* const texts[] = {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 -1\n",
                                        "%%MatrixMarket matrix array real general\n2 1\n1\n2\n"};
    io_folder_make();
    for (int t = 0; t < 4; t++) {
        io_write_text(io_path("M.mtx"), texts[t / 2]);
        for (long k = 0;; k++) {
            failing_env f;
            sti_matrix M;
            failing_env_open(&f, k);
            const sti_status status = t % 2 == 0
                                          ? sti_matrix_parse(f.env, texts[t / 2], strlen(texts[t / 2]), "t.mtx", &M)
                                          : sti_matrix_load(f.env, io_path("M.mtx"), &M);
            if (status == STI_OK)
                sti_matrix_clear(f.env, &M);
            else
                assert_int_equal(status, STI_ERR_MEMORY);
            if (failing_env_close(&f)) {
                assert_int_equal(status, STI_OK);
                break;
            }
        }
    }
    io_folder_remove();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_become_sparse_columns),
        cmocka_unit_test(repeated_coordinates_are_summed),
        cmocka_unit_test(symmetric_halves_are_completed),
        cmocka_unit_test(arrays_run_down_the_columns),
        cmocka_unit_test(every_mistake_is_named),
        cmocka_unit_test(a_problem_names_its_matrix_beside_it),
        cmocka_unit_test(a_matrix_file_is_not_a_problem),
        cmocka_unit_test(a_failed_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
