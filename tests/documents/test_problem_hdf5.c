// Problems from HDF5, with files made by libhdf5: every storage and number type that is read, everything that is
// refused, and damage at every byte.
#include <fcntl.h>

#include "support/io_tools.h"
// after cmocka's headers
#include <hdf5.h>

typedef struct recipe {
    const char* kind;    // NULL: no attribute
    bool fixed_kind;     // text of fixed length
    hid_t matrix_type;   // of M as stored
    int matrix_rank;     // 2 unless the test is about it
    hsize_t rows, cols;  // of M
    int filters;         // 0, 1: chunks, 2: deflate, 3: shuffle, deflate, fletcher32
    bool compact;
    bool latest;  // newest file format
    bool v18;     // file format of 1.8
    bool no_q, q_matrix;
    int n;       // -1: none
    double bad;  // goes into M[1][0] when not 0
} recipe;

static recipe plain(void) {
    return (recipe){.kind = "lcp", .matrix_type = H5T_IEEE_F64LE, .matrix_rank = 2, .rows = 3, .cols = 3, .n = -1};
}

static void put_kind(hid_t file, const recipe* r) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    char fixed[16] = {0};
    H5Tset_size(type, r->fixed_kind ? sizeof fixed : H5T_VARIABLE);
    snprintf(fixed, sizeof fixed, "%s", r->kind);
    const hid_t a = H5Acreate2(file, "kind", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(a >= 0);
    assert_true(H5Awrite(a, type, r->fixed_kind ? (const void*)fixed : (const void*)&r->kind) >= 0);
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_set(hid_t at, const char* name, hid_t stored, hid_t native, int rank, const hsize_t* size,
                    const void* data, const recipe* r) {
    const hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, size, NULL);
    const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    if (r != NULL && r->compact) H5Pset_layout(create, H5D_COMPACT);
    if (r != NULL && r->filters > 0) {
        const hsize_t chunk[3] = {2, 2, 1};
        H5Pset_chunk(create, rank, chunk);
        if (r->filters == 3) H5Pset_shuffle(create);
        if (r->filters >= 2) H5Pset_deflate(create, 6);
        if (r->filters == 3) H5Pset_fletcher32(create);
        if (r->filters == 4) H5Pset_scaleoffset(create, H5Z_SO_INT, 0);
    }
    const hid_t set = H5Dcreate2(at, name, stored, space, H5P_DEFAULT, create, H5P_DEFAULT);
    assert_true(set >= 0);
    if (data != NULL) assert_true(H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Pclose(create);
    H5Sclose(space);
}

static hid_t begin(const recipe* r, const char* path) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (r->latest) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    if (r->v18) H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    assert_true(file >= 0);
    H5Pclose(access);
    if (r->kind != NULL) put_kind(file, r);
    return file;
}

static const char* make(const recipe* r) {
    const char* path = io_path("t.h5");
    const hid_t file = begin(r, path);
    double M[64];
    const double q[9] = {-1, -2, -3, -4, -5, -6, -7, -8, -9};
    for (int k = 0; k < 64; k++) M[k] = k - 5;
    if (r->bad != 0) M[r->cols] = r->bad;
    const hsize_t size[3] = {r->rows, r->cols, 1}, three[2] = {r->rows, 1}, one = 1;
    put_set(file, "M", r->matrix_type, H5T_NATIVE_DOUBLE, r->matrix_rank, size, M, r);
    if (!r->no_q) put_set(file, "q", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, r->q_matrix ? 2 : 1, three, q, NULL);
    if (r->n >= 0) put_set(file, "n", H5T_STD_I16BE, H5T_NATIVE_INT, 1, &one, &r->n, NULL);
    assert_true(H5Fclose(file) >= 0);
    return path;
}

static void expect_read(const recipe* r) {
    sti_env* env = io_env(NULL);
    sti_document* p;
    const sti_status status = sti_document_load(env, make(r), &p);
    if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
    assert_int_equal(status, STI_OK);
    const sti_lcp* lcp = sti_lcp_of(p);
    assert_int_equal(lcp->n, (int)r->rows);
    for (int k = 0; k < lcp->n * lcp->n; k++) assert_true(lcp->M.dense[k] == k - 5);
    assert_true(lcp->q[2] == -3);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void expect_refused(const recipe* r, const char* words) {
    sti_env* env = io_env(NULL);
    sti_document* p;
    assert_int_equal(sti_document_load(env, make(r), &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, words);
    io_expect_error(env, STI_ERR_INPUT, "t.h5: ");
    sti_env_destroy(env);
}

static void every_number_type_is_read(void** state) {
    (void)state;
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_STD_I8LE,
                           H5T_STD_I16BE,  H5T_STD_I32LE,  H5T_STD_I32BE,  H5T_STD_I64LE,  H5T_STD_I64BE};
    io_folder_make();
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        recipe r = plain();
        r.matrix_type = types[k];
        expect_read(&r);
    }
    io_folder_remove();
}

static void every_storage_is_read(void** state) {
    (void)state;
    io_folder_make();
    for (int format = 0; format < 3; format++) {
        for (int filters = 0; filters < 5; filters++) {
            recipe r = plain();
            r.latest = format == 1;
            r.v18 = format == 2;
            r.rows = r.cols = 5;  // chunks of 2 x 2 that stick out at the edges
            r.n = 5;
            r.fixed_kind = filters == 2;
            if (filters == 4)
                r.compact = true;
            else
                r.filters = filters;
            if (format == 1 && r.filters > 0)
                expect_refused(&r, "layout version 4");
            else
                expect_read(&r);
        }
    }
    io_folder_remove();
}

static void what_does_not_fit_is_refused(void** state) {
    (void)state;
    io_folder_make();
    recipe r = plain();
    r.kind = NULL;
    expect_refused(&r, "kind: missing");
    r.kind = "qp";
    expect_refused(&r, "c: missing");
    r.kind = "a kind that is far too long to be one, and then some more";
    expect_refused(&r, "no such kind");
    r = plain();
    r.no_q = true;
    expect_refused(&r, "q: missing");
    r = plain();
    r.q_matrix = true;
    expect_refused(&r, "q: 2 dimensions: a vector");
    r = plain();
    r.matrix_rank = 1;
    expect_refused(&r, "M: 1 dimension: a matrix");
    r.matrix_rank = 3;
    expect_refused(&r, "M: 3 dimensions");
    r = plain();
    r.cols = 2;
    expect_refused(&r, "M: 3 x 2: 3 x 3 is expected");
    r = plain();
    r.n = 4;
    expect_refused(&r, "n: 4: q has 3");
    r = plain();
    r.bad = NAN;
    expect_refused(&r, "M[1][0]: nan: a finite number");
    r.bad = -INFINITY;
    expect_refused(&r, "M[1][0]: -inf");
    r = plain();
    r.matrix_type = H5T_STD_I64LE;
    r.bad = 0x1p60;
    expect_refused(&r, "an integer beyond 2^53");
    r = plain();
    r.matrix_type = H5T_NATIVE_LDOUBLE;
    expect_refused(&r, "unusual form");
    r = plain();
    r.matrix_type = H5T_STD_I32LE;
    r.filters = 4;
    expect_refused(&r, "filter 6, which is not read");
    io_folder_remove();
}

static void a_declared_size_without_data_is_refused(void** state) {
    (void)state;
    const recipe r = plain();
    const hsize_t huge[2] = {20000, 20000}, vast[2] = {1 << 30, 1 << 30};
    sti_env* env = io_env(NULL);
    sti_document* p;
    io_folder_make();
    for (int k = 0; k < 3; k++) {
        recipe c = r;
        c.filters = 2;
        const hid_t file = begin(&r, io_path("t.h5"));
        put_set(file, "M", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, k < 2 ? huge : vast, NULL, k == 1 ? &c : NULL);
        put_set(file, "q", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, huge, NULL, NULL);
        assert_true(H5Fclose(file) >= 0);
        assert_int_equal(sti_document_load(env, io_path("t.h5"), &p), STI_ERR_INPUT);
        static const char* const words[3] = {"M: the file does not hold",
                                             "M: the file does not hold as many entries as it declares",
                                             "M: 1073741824 along a side"};
        io_expect_error(env, STI_ERR_INPUT, words[k]);
    }
    io_folder_remove();
    sti_env_destroy(env);
}

static void objects_of_the_wrong_kind_are_refused(void** state) {
    (void)state;
    const recipe r = plain();
    const hsize_t one[2] = {1, 1};
    const double x = 1;
    sti_env* env = io_env(NULL);
    sti_document* p;
    io_folder_make();
    hid_t file = begin(&r, io_path("t.h5"));  // q is a group, M a link to nowhere
    H5Gclose(H5Gcreate2(file, "q", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    put_set(file, "M", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, one, &x, NULL);
    H5Fclose(file);
    assert_int_equal(sti_document_load(env, io_path("t.h5"), &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "q: not a dataset");

    file = begin(&r, io_path("t.h5"));
    H5Lcreate_external("other.h5", "/M", file, "M", H5P_DEFAULT, H5P_DEFAULT);
    put_set(file, "q", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, one, &x, NULL);
    H5Fclose(file);
    assert_int_equal(sti_document_load(env, io_path("t.h5"), &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "M: missing");

    file = begin(&r, io_path("t.h5"));  // M is text
    const hid_t text = H5Tcopy(H5T_C_S1);
    put_set(file, "M", text, text, 2, one, "a", NULL);
    H5Tclose(text);
    H5Fclose(file);
    assert_int_equal(sti_document_load(env, io_path("t.h5"), &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "M: not numbers");

    file = begin(&r, io_path("t.h5"));  // M is an empty group
    H5Gclose(H5Gcreate2(file, "M", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
    assert_int_equal(sti_document_load(env, io_path("t.h5"), &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "M/shape: missing");
    io_folder_remove();
    sti_env_destroy(env);
}

static void a_cone_in_hdf5_is_exact_when_whole(void** state) {
    (void)state;
    recipe r = plain();
    r.kind = "cone";
    const hsize_t size[2] = {2, 3};
    const double rays[6] = {1, 0, 2, 0, 1, 0.5};
    const int lines[3] = {0, 0, 1};
    const hsize_t one[2] = {1, 3};
    sti_env* env = io_env(NULL);
    io_folder_make();
    for (int k = 0; k < 2; k++) {
        sti_document* p;
        const hid_t file = begin(&r, io_path("t.h5"));
        if (k == 0) put_set(file, "rays", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, size, rays, NULL);
        put_set(file, "lines", H5T_STD_I32LE, H5T_NATIVE_INT, 2, one, lines, NULL);
        H5Fclose(file);
        assert_int_equal(sti_document_load(env, io_path("t.h5"), &p), STI_OK);
        const sti_cone_input* c = sti_cone_input_of(p);
        assert_true(c->span);
        assert_int_equal(c->dimension, 3);
        assert_int_equal(c->first.count, k == 0 ? 2 : 0);
        assert_int_equal(c->second.exact != NULL, k == 1);
        sti_document_destroy(p);
    }
    io_folder_remove();
    sti_env_destroy(env);
}

static void whole_numbers_in_hdf5_are_exact_in_every_kind_that_wants_them(void** state) {
    (void)state;
    recipe r = plain();
    const double T[2][4] = {{1, 0, 2, 3}, {1, 0, 2, 3.5}}, value[2] = {1, -2};
    const hsize_t square[2] = {2, 2}, two = 2, three = 3;
    const int shape[2] = {2, 2}, row[2] = {0, 1};
    const int64_t start[3] = {0, 1, 2};
    sti_env* env = io_env(NULL);
    sti_document* p;
    char* text;
    io_folder_make();
    for (int k = 0; k < 2; k++) {
        r.kind = "matrices";
        hid_t file = begin(&r, io_path("t.h5"));
        put_set(file, "T", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, square, T[k], NULL);
        H5Fclose(file);
        assert_int_equal(sti_document_load(env, io_path("t.h5"), &p), STI_OK);
        assert_int_equal(sti_matrices_of(p)->exact != NULL, k == 0);
        sti_document_destroy(p);
    }
    r.kind = "cone";  // sparse: places that are not listed are 0
    const hid_t file = begin(&r, io_path("t.h5")),
                group = H5Gcreate2(file, "rays", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_set(group, "shape", H5T_STD_I32LE, H5T_NATIVE_INT, 1, &two, shape, NULL);
    put_set(group, "col_start", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &three, start, NULL);
    put_set(group, "row", H5T_STD_I32LE, H5T_NATIVE_INT, 1, &two, row, NULL);
    put_set(group, "value", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &two, value, NULL);
    H5Gclose(group);
    H5Fclose(file);
    assert_int_equal(sti_document_load(env, io_path("t.h5"), &p), STI_OK);
    const char* const expected[4] = {"1", "0", "0", "-2"};
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(sti_rationals_text(sti_cone_input_of(p)->first.exact, k, &text), STI_OK);
        assert_string_equal(text, expected[k]);
        sti_env_free(env, text);
    }
    sti_document_destroy(p);
    io_folder_remove();
    sti_env_destroy(env);
}

static void sparse_parts_are_checked(void** state) {
    (void)state;
    const recipe r = plain();
    static const struct {
        int64_t shape[2], start[3], row[2];
        const char* words;
    } cases[] = {
        {{2, 2}, {0, 1, 2}, {0, 1}, NULL},
        {{2, 2}, {0, 2, 2}, {1, 0}, "row[1]: 0"},
        {{2, 2}, {0, 2, 2}, {1, 1}, "row[1]: 1"},
        {{2, 2}, {0, 1, 2}, {0, 2}, "row[1]: 2"},
        {{2, 2}, {0, 1, 2}, {-1, 0}, "row[0]: -1"},
        {{2, 2}, {0, 3, 2}, {0, 1}, "col_start[1]: 3"},
        {{2, 2}, {1, 1, 2}, {0, 1}, "col_start: has to run"},
        {{2, 2}, {0, 1, 1}, {0, 1}, "col_start: has to run"},
        {{2, 3}, {0, 1, 2}, {0, 1}, "col_start: 3 entries"},
        {{2, -1}, {0, 1, 2}, {0, 1}, "shape: two sizes"},
        {{2, 1LL << 40}, {0, 1, 2}, {0, 1}, "shape: two sizes"},
    };
    const hsize_t two = 2, three = 3;
    const double value[2] = {5, 6}, q[2] = {-1, -2};
    sti_env* env = io_env(NULL);
    io_folder_make();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        sti_document* p;
        const hid_t file = begin(&r, io_path("t.h5")),
                    group = H5Gcreate2(file, "M", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        put_set(group, "shape", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &two, cases[k].shape, NULL);
        put_set(group, "col_start", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &three, cases[k].start, NULL);
        put_set(group, "row", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &two, cases[k].row, NULL);
        put_set(group, "value", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &two, value, NULL);
        H5Gclose(group);
        put_set(file, "q", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &two, q, NULL);
        H5Fclose(file);
        const sti_status status = sti_document_load(env, io_path("t.h5"), &p);
        assert_int_equal(status, cases[k].words == NULL ? STI_OK : STI_ERR_INPUT);
        if (cases[k].words != NULL)
            io_expect_error(env, STI_ERR_INPUT, cases[k].words);
        else
            assert_true(sti_matrix_get(&sti_lcp_of(p)->M, 1, 1) == 6);
        sti_document_destroy(p);
    }
    io_folder_remove();
    sti_env_destroy(env);
}

static size_t read_all(const char* path, unsigned char* bytes, size_t most) {
    FILE* f = fopen(path, "rb");
    assert_non_null(f);
    const size_t size = fread(bytes, 1, most, f);
    fclose(f);
    assert_true(size < most);
    return size;
}

static void a_truncated_file_is_refused_at_every_length(void** state) {
    (void)state;
    static unsigned char bytes[65536];
    sti_env* env = io_env(NULL);
    io_folder_make();
    for (int k = 0; k < 2; k++) {
        recipe r = plain();
        r.latest = k == 1;
        const size_t size = read_all(make(&r), bytes, sizeof bytes);
        for (size_t keep = size - 1; keep >= 8; keep -= keep > 400 ? 29 : 1) {
            sti_document* p;
            assert_int_equal(truncate(io_path("t.h5"), (off_t)keep), 0);
            assert_int_equal(sti_document_load(env, io_path("t.h5"), &p), STI_ERR_INPUT);
            io_expect_error(env, STI_ERR_INPUT, "t.h5: ");
        }
    }
    io_folder_remove();
    sti_env_destroy(env);
}

// Whatever one byte becomes, the answer is an error or a problem, and the sanitizers have nothing to say.
static void damage_at_any_byte_is_survived(void** state) {
    (void)state;
    static unsigned char bytes[65536];
    static const unsigned char flips[4] = {0x01, 0x80, 0xff, 0x55};
    sti_env* env = io_env(NULL);
    int refused = 0;
    io_folder_make();
    for (int k = 0; k < 3; k++) {
        recipe r = plain();
        r.v18 = k == 1;
        r.filters = k == 2 ? 3 : 0;
        const size_t size = read_all(make(&r), bytes, sizeof bytes);
        const int fd = open(io_path("t.h5"), O_WRONLY);
        assert_true(fd >= 0);
        for (size_t at = 0; at < size; at++) {
            if (bytes[at] == 0 && at % 7 != 0) continue;  // most of a file is padding
            sti_document* p;
            const unsigned char bad = bytes[at] ^ flips[at % 4];
            assert_int_equal(pwrite(fd, &bad, 1, (off_t)at), 1);
            const sti_status status = sti_document_load(env, io_path("t.h5"), &p);
            assert_true(status == STI_OK || status == STI_ERR_INPUT);
            refused += status != STI_OK;
            sti_document_destroy(p);
            assert_int_equal(pwrite(fd, &bytes[at], 1, (off_t)at), 1);
        }
        close(fd);
    }
    print_message("%d damaged files refused\n", refused);
    io_folder_remove();
    sti_env_destroy(env);
}

static void contact_problems_are_read(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p;
    assert_int_equal(sti_document_load(env, STI_SOURCE_DIR "/problems/siconos_rover.hdf5", &p), STI_OK);
    assert_int_equal(sti_document_kind(p), STI_KIND_CONTACT);
    assert_null(sti_lcp_of(p));
    assert_non_null(sti_contact_problem_of(p));
    assert_int_equal(sti_contact_problem_of(p)->contact_count, 4);
    sti_document_destroy(p);
    sti_env_destroy(env);
}

static void a_failed_allocation_leaves_nothing(void** state) {
    (void)state;
    io_folder_make();
    for (int t = 0; t < 3; t++) {
        recipe r = plain();
        r.filters = t == 1 ? 3 : 0;
        r.compact = t == 2;
        const char* path = make(&r);
        for (long k = 0;; k++) {
            failing_env f;
            sti_document* p;
            failing_env_open(&f, k);
            const sti_status status = sti_document_load(f.env, path, &p);
            if (status == STI_OK)
                sti_document_destroy(p);
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
        cmocka_unit_test(every_number_type_is_read),
        cmocka_unit_test(every_storage_is_read),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_declared_size_without_data_is_refused),
        cmocka_unit_test(objects_of_the_wrong_kind_are_refused),
        cmocka_unit_test(a_cone_in_hdf5_is_exact_when_whole),
        cmocka_unit_test(whole_numbers_in_hdf5_are_exact_in_every_kind_that_wants_them),
        cmocka_unit_test(sparse_parts_are_checked),
        cmocka_unit_test(a_truncated_file_is_refused_at_every_length),
        cmocka_unit_test(damage_at_any_byte_is_survived),
        cmocka_unit_test(contact_problems_are_read),
        cmocka_unit_test(a_failed_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
