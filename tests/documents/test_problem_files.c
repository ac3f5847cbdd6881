// Problem files: the real ones, saving and reading back in every format, and files that are none.
#include <signal.h>
#include <sys/resource.h>

#include "support/io_tools.h"

static void expect_same_rationals(const sti_rationals* a, const sti_rationals* b, sti_env* env) {
    assert_int_equal(a == NULL, b == NULL);
    for (size_t k = 0; a != NULL && k < sti_rationals_count(a); k++) {
        char *s, *t;
        assert_int_equal(sti_rationals_text(a, k, &s), STI_OK);
        assert_int_equal(sti_rationals_text(b, k, &t), STI_OK);
        assert_string_equal(s, t);
        sti_env_free(env, s);
        sti_env_free(env, t);
    }
}

static void expect_same(sti_env* env, const sti_document* a, const sti_document* b) {
    assert_int_equal(sti_document_kind(a), sti_document_kind(b));
    const sti_lcp *p = sti_lcp_of(a), *q = sti_lcp_of(b);
    const sti_mlcp *r = sti_mlcp_of(a), *s = sti_mlcp_of(b);
    if (p != NULL) {
        assert_int_equal(p->n, q->n);
        io_expect_same_matrix(&p->M, &q->M);
        io_expect_equal(p->q, q->q, (size_t)p->n);
        expect_same_rationals(p->M_exact, q->M_exact, env);
        expect_same_rationals(p->q_exact, q->q_exact, env);
        return;
    }
    assert_int_equal(r->n, s->n);
    assert_int_equal(r->m, s->m);
    io_expect_same_matrix(&r->A, &s->A);
    io_expect_same_matrix(&r->C, &s->C);
    io_expect_same_matrix(&r->D, &s->D);
    io_expect_same_matrix(&r->B, &s->B);
    io_expect_equal(r->a, s->a, (size_t)r->n);
    io_expect_equal(r->b, s->b, (size_t)r->m);
    expect_same_rationals(r->matrix_exact, s->matrix_exact, env);
    expect_same_rationals(r->vector_exact, s->vector_exact, env);
}

static sti_status save(sti_env* env, const sti_document* p, const char* path) {
    return sti_lcp_of(p) != NULL ? sti_lcp_save(env, sti_lcp_of(p), path) : sti_mlcp_save(env, sti_mlcp_of(p), path);
}

// Save as each format, load again, compare bit by bit.
static void round_trip(sti_env* env, const sti_document* p) {
    static const char* const names[] = {"r.json", "r.hdf5", "r.h5"};
    const bool exact = sti_lcp_of(p) != NULL ? sti_lcp_of(p)->M_exact != NULL : sti_mlcp_of(p)->matrix_exact != NULL;
    for (int k = 0; k < 3; k++) {
        sti_document* again;
        const sti_status status = save(env, p, io_path(names[k]));
        if (exact && k > 0) {
            assert_int_equal(status, STI_ERR_ARGUMENT);
            io_expect_error(env, STI_ERR_ARGUMENT, "exact fractions");
            continue;
        }
        assert_int_equal(status, STI_OK);
        assert_int_equal(sti_document_load(env, io_path(names[k]), &again), STI_OK);
        expect_same(env, p, again);
        sti_document_destroy(again);
    }
}

static void every_real_file_is_read_and_survives_a_round_trip(void** state) {
    (void)state;
    static const char* const folders[] = {STI_SHARED_DIR "/problems/lcp", STI_SHARED_DIR "/problems/mlcp",
                                          STI_SOURCE_DIR "/problems"};
    int read = 0;
    sti_env* env = io_env(NULL);
    io_folder_make();
    for (int k = 0; k < 3; k++) {
        if (!io_have_shared(folders[k])) continue;
        DIR* dir = opendir(folders[k]);
        assert_non_null(dir);
        for (struct dirent* e = readdir(dir); e != NULL; e = readdir(dir)) {
            char path[600];
            sti_document* p;
            if (strstr(e->d_name, ".json") == NULL && strstr(e->d_name, ".hdf5") == NULL) continue;
            snprintf(path, sizeof path, "%s/%s", folders[k], e->d_name);
            const sti_status status = sti_document_load(env, path, &p);
            if (status != STI_OK) print_error("%s\n", sti_env_error(env)->text);
            assert_int_equal(status, STI_OK);
            if (sti_lcp_of(p) != NULL || sti_mlcp_of(p) != NULL) round_trip(env, p);
            sti_document_destroy(p);
            read++;
        }
        closedir(dir);
    }
    print_message("%d files\n", read);
    io_folder_remove();
    sti_env_destroy(env);
}

static void made_up_problems_survive_a_round_trip(void** state) {
    (void)state;
    static const char* const texts[] = {
        "{\"kind\":\"lcp\",\"M\":[[\"2/3\",0.1],[0,\"-7\"]],\"q\":[\"0.4\",1e-300]}",
        "{\"kind\":\"lcp\",\"M\":[[0.1,-0.0],[1e-310,1.7976931348623157e308]],\"q\":[0.3333333333333333,3]}",
        "{\"kind\":\"lcp\",\"M\":{\"rows\":3,\"cols\":3,\"entries\":[[2,0,4],[0,0,1],[1,2,0.1]]},\"q\":[1,2,3]}",
        "{\"kind\":\"lcp\",\"M\":{\"rows\":2,\"cols\":2,\"entries\":[[1,0,\"1/3\"]]},\"q\":[1,2]}",
        "{\"kind\":\"lcp\",\"M\":{\"rows\":2,\"cols\":2,\"entries\":[]},\"q\":[1,2]}",
        "{\"kind\":\"mlcp\",\"A\":[[1,2],[3,4]],\"C\":[[5],[6]],\"D\":[[7,8]],\"B\":[[\"1/3\"]],\"a\":[9,0],\"b\":[1]}",
        "{\"kind\":\"mlcp\",\"A\":[],\"C\":[],\"D\":[[],[]],\"B\":[[1,0],[0,1]],\"a\":[],\"b\":[-1,1]}",
        "{\"kind\":\"mlcp\",\"A\":[[2]],\"C\":[[]],\"D\":[],\"B\":[],\"a\":[1],\"b\":[]}",
    };
    sti_env* env = io_env(NULL);
    io_folder_make();
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        sti_document* p;
        assert_int_equal(sti_document_parse(env, texts[k], strlen(texts[k]), "t.json", &p), STI_OK);
        round_trip(env, p);
        sti_document_destroy(p);
    }
    io_folder_remove();
    sti_env_destroy(env);
}

static void what_is_saved_is_the_same_each_time(void** state) {
    (void)state;
    static const char* const names[2] = {"a.h5", "a.json"};
    sti_env* env = io_env(NULL);
    double M[4] = {2, 1, 1, 2}, q[2] = {-5, -6};
    const sti_lcp lcp = {.n = 2, .M = sti_matrix_dense_view(2, 2, M), .q = q};
    io_folder_make();
    for (int k = 0; k < 2; k++) {
        char bytes[2][20000];
        size_t size[2];
        for (int t = 0; t < 2; t++) {
            assert_int_equal(sti_lcp_save(env, &lcp, io_path(names[k])), STI_OK);
            FILE* f = fopen(io_path(names[k]), "rb");
            assert_non_null(f);
            size[t] = fread(bytes[t], 1, sizeof bytes[t], f);
            fclose(f);
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
    }
    assert_int_equal(io_folder_count(), 2);  // and no temporary is left
    io_folder_remove();
    sti_env_destroy(env);
}

static void a_failed_save_leaves_the_old_file_and_nothing_else(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    double M[1] = {2}, q[1] = {-5}, bad[1] = {NAN};
    sti_lcp lcp = {.n = 1, .M = sti_matrix_dense_view(1, 1, M), .q = q};
    char folder[300];
    io_folder_make();
    assert_int_equal(sti_lcp_save(env, &lcp, io_path("p.json")), STI_OK);
    lcp.q = bad;
    assert_int_equal(sti_lcp_save(env, &lcp, io_path("p.json")), STI_ERR_ARGUMENT);
    io_expect_error(env, STI_ERR_ARGUMENT, "p.json: q: nan");
    lcp.q = q;
    assert_int_equal(sti_lcp_save(env, &lcp, io_path("p.txt")), STI_ERR_ARGUMENT);
    assert_int_equal(sti_lcp_save(env, &lcp, "/nonexistent/p.json"), STI_ERR_IO);
    assert_int_equal(sti_lcp_save(env, &lcp, "/nonexistent/p.h5"), STI_ERR_IO);
    snprintf(folder, sizeof folder, "%s/d.json", io_folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(sti_lcp_save(env, &lcp, folder), STI_ERR_IO);
    io_expect_error(env, STI_ERR_IO, "not a regular file");
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(io_folder_count(), 1);
    sti_document* p;
    assert_int_equal(sti_document_load(env, io_path("p.json"), &p), STI_OK);
    assert_true(sti_lcp_of(p)->q[0] == -5);
    sti_document_destroy(p);
    io_folder_remove();
    sti_env_destroy(env);
}

static void a_full_disk_leaves_nothing(void** state) {
    (void)state;
    static double M[10000], q[100];
    const sti_lcp lcp = {.n = 100, .M = sti_matrix_dense_view(100, 100, M), .q = q};
    struct rlimit before, small;
    sti_env* env = io_env(NULL);
    io_folder_make();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    small = before;
    small.rlim_cur = 3000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(sti_lcp_save(env, &lcp, io_path("p.json")), STI_ERR_IO);
    assert_int_equal(sti_lcp_save(env, &lcp, io_path("p.h5")), STI_ERR_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    io_expect_error(env, STI_ERR_IO, "p.h5: cannot be written");
    assert_int_equal(io_folder_count(), 0);
    io_folder_remove();
    sti_env_destroy(env);
}

static void what_is_no_problem_file_is_refused(void** state) {
    (void)state;
    sti_env* env = io_env(NULL);
    sti_document* p;
    io_folder_make();
    assert_int_equal(sti_document_load(env, io_path("none.json"), &p), STI_ERR_IO);
    io_expect_error(env, STI_ERR_IO, "none.json: No such file");
    assert_int_equal(sti_document_load(env, io_folder, &p), STI_ERR_IO);
    io_expect_error(env, STI_ERR_IO, "a directory");
    assert_int_equal(sti_document_load(env, "/dev/zero", &p), STI_ERR_IO);
    io_expect_error(env, STI_ERR_IO, "/dev/zero: neither");
    io_write_text(io_path("empty.json"), "");
    assert_int_equal(sti_document_load(env, io_path("empty.json"), &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "empty.json: empty");
    io_write_text(io_path("empty.h5"), "");
    assert_int_equal(sti_document_load(env, io_path("empty.h5"), &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "not an HDF5 file");
    io_write(io_path("junk.json"),
             "\x7f"
             "ELF\x02\x01\x01\x00\x00",
             9);
    assert_int_equal(sti_document_load(env, io_path("junk.json"), &p), STI_ERR_INPUT);
    io_expect_error(env, STI_ERR_INPUT, "junk.json: line 1, column 1: not JSON text");
    io_folder_remove();
    sti_env_destroy(env);
}

static void a_failed_allocation_leaves_nothing(void** state) {
    (void)state;
    static const char* const names[3] = {"p.json", "p.h5", "q.json"};
    static const char* const sparse =
        "{\"kind\":\"mlcp\",\"A\":[[2]],\"C\":[[1]],\"D\":[[3]],\"B\":{\"rows\":1,\"cols\":1,\"entries\":[[0,0,4]]},"
        "\"a\":[1],\"b\":[2]}";
    static const char* const exact = "{\"kind\":\"lcp\",\"M\":[[\"1/3\"]],\"q\":[1]}";
    sti_env* env = io_env(NULL);
    sti_document *mixed, *fraction;
    io_folder_make();
    assert_int_equal(sti_document_parse(env, sparse, strlen(sparse), "t", &mixed), STI_OK);
    assert_int_equal(sti_document_parse(env, exact, strlen(exact), "t", &fraction), STI_OK);
    for (int t = 0; t < 3; t++) {
        for (long k = 0;; k++) {  // saving
            failing_env f;
            failing_env_open(&f, k);
            const sti_status status = save(f.env, t < 2 ? mixed : fraction, io_path(names[t]));
            assert_true(status == STI_OK || status == STI_ERR_MEMORY);
            assert_int_equal(io_folder_count(), status == STI_OK ? t + 1 : t);
            if (failing_env_close(&f)) break;
        }
        for (long k = 0;; k++) {  // loading
            failing_env f;
            sti_document* p;
            failing_env_open(&f, k);
            const sti_status status = sti_document_load(f.env, io_path(names[t]), &p);
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
    sti_document_destroy(mixed);
    sti_document_destroy(fraction);
    io_folder_remove();
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_real_file_is_read_and_survives_a_round_trip),
        cmocka_unit_test(made_up_problems_survive_a_round_trip),
        cmocka_unit_test(what_is_saved_is_the_same_each_time),
        cmocka_unit_test(a_failed_save_leaves_the_old_file_and_nothing_else),
        cmocka_unit_test(a_full_disk_leaves_nothing),
        cmocka_unit_test(what_is_no_problem_file_is_refused),
        cmocka_unit_test(a_failed_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
