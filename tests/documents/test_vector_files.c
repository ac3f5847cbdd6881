// test_vector_files.c: vectors from Matrix Market files, in every kind that takes matrices from them; matrices of one
// row.
#include "support/io_tools.h"

static sti_env* env;

static int begin(void** state) {
    (void)state;
    env = io_env(NULL);
    io_folder_make();
    io_write_text(io_path("column.mtx"), "%%MatrixMarket matrix array real general\n% a comment\n3 1\n-5\n0.5\n1e3\n");
    io_write_text(io_path("row.mtx"), "%%MatrixMarket matrix array real general\n1 3\n-5\n0.5\n1e3\n");
    io_write_text(io_path("sparse_column.mtx"),
                  "%%MatrixMarket matrix coordinate real general\n3 1 3\n3 1 1000\n1 1 -5\n2 1 0.5\n");
    io_write_text(io_path("sparse_row.mtx"),
                  "%%MatrixMarket matrix coordinate real general\n1 3 3\n1 2 0.5\n1 3 1000\n1 1 -5\n");
    io_write_text(io_path("holes.mtx"), "%%MatrixMarket matrix coordinate integer general\n3 1 1\n2 1 7\n");
    io_write_text(io_path("square.mtx"), "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n");
    io_write_text(io_path("empty.mtx"), "%%MatrixMarket matrix array real general\n0 1\n");
    io_write_text(io_path("one.mtx"), "%%MatrixMarket matrix array integer general\n1 1\n4\n");
    return 0;
}

static int finish(void** state) {
    (void)state;
    io_folder_remove();
    sti_env_destroy(env);
    return 0;
}

static sti_status load(sti_env* in, const char* text, sti_document** out) {
    io_write_text(io_path("p.json"), text);
    return sti_document_load(in, io_path("p.json"), out);
}

static sti_document* must(const char* text) {
    sti_document* p;
    if (load(env, text, &p) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    return p;
}

static void expect_three(const double* x) {
    assert_true(x[0] == -5 && x[1] == 0.5 && x[2] == 1000);
}

static void a_column_or_a_row_is_a_vector(void** state) {
    (void)state;
    static const char* const names[] = {"column.mtx", "row.mtx", "sparse_column.mtx", "sparse_row.mtx"};
    for (int k = 0; k < 4; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "{\"kind\": \"lcp\", \"n\": 3, \"M\": [[1,0,0],[0,1,0],[0,0,1]], \"q\": {\"file\": \"%s\"}}",
                 names[k]);
        sti_document* p = must(text);
        expect_three(sti_lcp_of(p)->q);
        assert_null(sti_lcp_of(p)->q_exact);
        sti_document_destroy(p);
    }
    sti_document* p = must("{\"kind\": \"lcp\", \"M\": [[1,0,0],[0,1,0],[0,0,1]], \"q\": {\"file\": \"holes.mtx\"}}");
    const double* q = sti_lcp_of(p)->q;
    assert_true(q[0] == 0 && q[1] == 7 && q[2] == 0);
    sti_document_destroy(p);
}

static void every_kind_takes_vectors_from_files(void** state) {
    (void)state;
    sti_document* p = must(
        "{\"kind\": \"mlcp\", \"A\": {\"file\": \"one.mtx\"}, \"C\": {\"file\": \"row.mtx\"}, \"D\": {\"file\": "
        "\"column.mtx\"}, \"B\": [[1,0,0],[0,1,0],[0,0,1]], \"a\": {\"file\": \"one.mtx\"}, \"b\": {\"file\": "
        "\"sparse_row.mtx\"}}");
    const sti_mlcp* m = sti_mlcp_of(p);
    assert_true(m->n == 1 && m->m == 3 && m->a[0] == 4 && m->C.rows == 1 && m->C.cols == 3 && m->D.cols == 1);
    expect_three(m->b);
    sti_document_destroy(p);
    p = must(
        "{\"kind\": \"qp\", \"c\": {\"file\": \"column.mtx\"}, \"A\": {\"file\": \"row.mtx\"}, \"l\": {\"file\": "
        "\"one.mtx\"}, \"u\": [9], \"lb\": {\"file\": \"holes.mtx\"}, \"ub\": null}");
    const sti_qp* qp = sti_qp_of(p);
    expect_three(qp->c);
    assert_true(qp->n == 3 && qp->m == 1 && qp->l[0] == 4 && qp->lb[1] == 7 && qp->ub == NULL);
    assert_true(qp->A.rows == 1 && qp->A.cols == 3 && sti_matrix_get(&qp->A, 0, 2) == 1000);
    sti_document_destroy(p);
    // a matrix of one row stays one
    p = must("{\"kind\": \"cone\", \"rays\": {\"file\": \"row.mtx\"}}");
    assert_true(sti_cone_input_of(p)->dimension == 3 && sti_cone_input_of(p)->first.count == 1);
    sti_document_destroy(p);
}

static void a_fraction_elsewhere_keeps_the_file_as_it_is(void** state) {
    (void)state;
    sti_document* p =
        must("{\"kind\": \"lcp\", \"M\": [[\"1/3\",0,0],[0,1,0],[0,0,1]], \"q\": {\"file\": \"sparse_row.mtx\"}}");
    const sti_lcp* lcp = sti_lcp_of(p);
    assert_non_null(lcp->q_exact);
    for (size_t k = 0; k < 3; k++) assert_true(sti_rationals_double(lcp->q_exact, k) == lcp->q[k]);
    sti_document_destroy(p);
}

static void a_long_vector_goes_with_a_sparse_matrix(void** state) {
    (void)state;
    enum { LONG = 30000 };  // longer than a side of a matrix that is stored whole
    FILE* f = fopen(io_path("long.mtx"), "w");
    fprintf(f, "%%%%MatrixMarket matrix array real general\n%d 1\n", LONG);
    for (int k = 0; k < LONG; k++) fprintf(f, "%d\n", k);
    fclose(f);
    sti_document* p = must(
        "{\"kind\": \"lcp\", \"M\": {\"rows\": 30000, \"cols\": 30000, \"entries\": [[0, 0, 1]]}, \"q\": {\"file\": "
        "\"long.mtx\"}}");
    assert_true(sti_lcp_of(p)->n == LONG && sti_lcp_of(p)->q[LONG - 1] == LONG - 1);
    sti_document_destroy(p);
}

static void what_is_no_vector_is_named(void** state) {
    (void)state;
    static const struct {
        const char *q, *words;
    } list[] = {{"{\"file\": \"square.mtx\"}", "q.file: \"square.mtx\": 2 x 2: a vector is expected, n x 1 or 1 x n"},
                {"{\"file\": \"none.mtx\"}", "q.file: "},
                {"{\"file\": 3}", "q.file: 3: the name of a Matrix Market file"},
                {"{\"rows\": 2}", "q: an object: a list of numbers, or {\"file\"}, is expected"},
                {"{\"file\": \"empty.mtx\"}", "q: empty: at least one entry is expected"},
                {"\"q.mtx\"", "q: \"q.mtx\": a list of numbers, or {\"file\"}, is expected"},
                {"{\"file\": \"column.mtx\"}", "M: 2 x 2: 3 x 3 is expected, n x n with n the length of q"}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[300];
        sti_document* p;
        snprintf(text, sizeof text, "{\"kind\": \"lcp\", \"M\": [[1,0],[0,1]], \"q\": %s}", list[k].q);
        const sti_status status = load(env, text, &p);
        assert_true(status == STI_ERR_INPUT || (k == 1 && status == STI_ERR_IO));
        io_expect_error(env, status, list[k].words);
    }
    static const char inside[] = "{\"kind\": \"lcp\", \"M\": [[1]], \"q\": {\"file\": \"one.mtx\"}}";
    sti_document* p;
    assert_int_equal(sti_document_parse(env, inside, sizeof inside - 1, "t", &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "q.file: \"one.mtx\": a problem read from memory cannot name a file");
}

static void instants_and_equations_take_files_too(void** state) {
    (void)state;
    static const char* const masses[] = {
        "\"M\": {\"file\": \"mass.mtx\"}", "\"M\": {\"file\": \"sparse_mass.mtx\"}",
        "\"M\": {\"rows\": 3, \"cols\": 3, \"entries\": [[0, 0, 4], [1, 1, 2], [2, 2, \"1/3\"]]}",
        "\"M_diag\": {\"file\": \"diagonal.mtx\"}"};
    io_write_text(io_path("mass.mtx"), "%%MatrixMarket matrix array real general\n3 3\n4\n0\n0\n0\n2\n0\n0\n0\n0.5\n");
    io_write_text(io_path("sparse_mass.mtx"),
                  "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 4\n2 2 2\n3 3 0.5\n");
    io_write_text(io_path("diagonal.mtx"), "%%MatrixMarket matrix array real general\n3 1\n4\n2\n0.5\n");
    for (int k = 0; k < 4; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{\"kind\": \"instant\", %s, \"F\": {\"file\": \"column.mtx\"}, \"v\": {\"file\": \"row.mtx\"}}",
                 masses[k]);
        sti_document* p = must(text);
        const sti_instant* a = sti_instant_of(p);
        const double last = k == 2 ? 1.0 / 3 : 0.5;
        assert_true(a->n == 3 && a->M[0] == 4 && a->M[1] == 0 && a->M[4] == 2 && a->M[8] == last);
        expect_three(a->F);
        expect_three(a->v);
        char* exact;  // what a file holds are doubles
        assert_int_equal(sti_rationals_text(a->exact->M, 8, &exact), STI_OK);
        assert_string_equal(exact, k == 2 ? "1/3" : "1/2");
        sti_env_free(env, exact);
        sti_document_destroy(p);
    }
    sti_document* p = must(
        "{\"kind\": \"root\", \"variables\": {\"x\": null, \"y\": null, \"z\": null}, \"equations\": [\"x\", \"y\", "
        "\"z\"], \"start\": {\"file\": \"column.mtx\"}}");
    expect_three(sti_root_problem_of(p)->start);
    sti_document_destroy(p);
}

static void what_does_not_fit_an_instant_is_named(void** state) {
    (void)state;
    static const struct {
        const char *fields, *words;
    } list[] = {{"\"M\": {\"file\": \"column.mtx\"}", "M: an object: 3 x 1: a square matrix is expected"},
                {"\"M\": {\"file\": \"empty.mtx\"}", "M: an object: from 1 to 3000 velocities are expected"},
                {"\"M\": {\"file\": \"none.mtx\"}", "M.file: "},
                {"\"M_diag\": {\"file\": \"square.mtx\"}", "M_diag.file: \"square.mtx\": 2 x 2: a vector is expected"},
                {"\"M\": [[1]], \"F\": {\"file\": \"row.mtx\"}", "F: an object: 3 numbers: 1 are expected"},
                {"\"M\": {\"file\": \"square.mtx\"}", "M[1][0]: 2: M[0][1] is 3, a symmetric matrix is expected"}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[300];
        sti_document* p;
        snprintf(text, sizeof text, "{\"kind\": \"instant\", %s}", list[k].fields);
        const sti_status status = load(env, text, &p);
        assert_true(status == STI_ERR_INPUT || (k == 2 && status == STI_ERR_IO));
        io_expect_error(env, status, list[k].words);
    }
}

static void matrices_of_one_row_or_column_survive_a_round_trip(void** state) {
    (void)state;
    static const char* const names[] = {"r.json", "r.h5"};
    double A[1] = {4}, row[3] = {1, 0, -2}, B[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, a[3] = {1, 2, 3};
    int64_t row_starts[4] = {0, 1, 1, 2}, column_starts[2] = {0, 2};
    int row_rows[2] = {0, 0}, column_rows[2] = {0, 2};
    double values[2] = {1, -2};
    const sti_matrix wide = sti_matrix_dense_view(1, 3, row), high = sti_matrix_dense_view(3, 1, row);
    const sti_matrix sparse_wide = {.rows = 1, .cols = 3, .col_start = row_starts, .row = row_rows, .value = values};
    const sti_matrix sparse_high = {
        .rows = 3, .cols = 1, .col_start = column_starts, .row = column_rows, .value = values};
    for (int k = 0; k < 8; k++) {
        const bool sparse = k / 2 % 2 == 1, few = k / 4 == 1;  // one free variable, or one pair
        const sti_matrix w = sparse ? sparse_wide : wide, h = sparse ? sparse_high : high;
        const sti_matrix one = sti_matrix_dense_view(1, 1, A), three = sti_matrix_dense_view(3, 3, B);
        const sti_mlcp mlcp = few ? (sti_mlcp){.n = 1, .m = 3, .A = one, .C = w, .D = h, .B = three, .a = a, .b = a}
                                  : (sti_mlcp){.n = 3, .m = 1, .A = three, .C = h, .D = w, .B = one, .a = a, .b = a};
        sti_document* p;
        assert_int_equal(sti_mlcp_save(env, &mlcp, io_path(names[k % 2])), STI_OK);
        assert_int_equal(sti_document_load(env, io_path(names[k % 2]), &p), STI_OK);
        const sti_mlcp* back = sti_mlcp_of(p);
        assert_true(back->n == mlcp.n && back->m == mlcp.m);
        io_expect_same_matrix(&back->C, &mlcp.C);
        io_expect_same_matrix(&back->D, &mlcp.D);
        io_expect_same_matrix(&back->A, &mlcp.A);
        sti_document_destroy(p);
    }
}

static void a_failed_allocation_leaves_nothing(void** state) {
    (void)state;
    static const char* const forms[] = {
        "{\"kind\": \"lcp\", \"M\": [[\"1/3\",0,0],[0,1,0],[0,0,1]], \"q\": {\"file\": \"row.mtx\"}}",
        "{\"kind\": \"lcp\", \"M\": [[\"1/3\",0,0],[0,1,0],[0,0,1]], \"q\": {\"file\": \"sparse_row.mtx\"}}",
        "{\"kind\": \"instant\", \"M\": {\"file\": \"one.mtx\"}, \"v\": {\"file\": \"one.mtx\"}}",
        "{\"kind\": \"root\", \"variables\": {\"x\": null}, \"equations\": [\"x\"],\"start\":{\"file\":\"one.mtx\"}}"};
    for (int form = 0; form < 4; form++) {
        const char* text = forms[form];
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_document* p;
            const sti_status status = load(f.env, text, &p);
            sti_document_destroy(p);
            const bool done = failing_env_close(&f);
            assert_int_equal(status, done ? STI_OK : STI_ERR_MEMORY);
            if (done) break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_or_a_row_is_a_vector),
        cmocka_unit_test(every_kind_takes_vectors_from_files),
        cmocka_unit_test(a_fraction_elsewhere_keeps_the_file_as_it_is),
        cmocka_unit_test(a_long_vector_goes_with_a_sparse_matrix),
        cmocka_unit_test(what_is_no_vector_is_named),
        cmocka_unit_test(instants_and_equations_take_files_too),
        cmocka_unit_test(what_does_not_fit_an_instant_is_named),
        cmocka_unit_test(matrices_of_one_row_or_column_survive_a_round_trip),
        cmocka_unit_test(a_failed_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, begin, finish);
}
