// test_stochastic_hdf5.c: stochastic programs in HDF5: the same as in JSON, whole and in parts; files that are wrong;
// memory.
#include <hdf5.h>
#include <math.h>
#include <stiction/stochastic.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/open_env.h"
#include "support/scenario_case.h"

enum { SMALL_N = 4, SMALL_M = 5, SMALL_P = 2, SMALL_Q = 3, SCENARIOS = 7 };

static const char path[] = "stochastic_test.h5";

static void put(hid_t at, const char* name, int rank, const hsize_t* size, const double* x, bool chunked) {
    const hid_t space = H5Screate_simple(rank, size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    if (chunked) {
        hsize_t chunk[3] = {3, size[1], rank > 2 ? size[2] : 1};
        H5Pset_chunk(how, rank, chunk);
        H5Pset_deflate(how, 1);
    }
    const hid_t data = H5Dcreate2(at, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(data >= 0 && H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Dclose(data);
    H5Pclose(how);
    H5Sclose(space);
}

static void put_integers(hid_t at, const char* name, hsize_t count, const int* x) {
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t data = H5Dcreate2(at, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(data >= 0 && H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Dclose(data);
    H5Sclose(space);
}

static hid_t begin(void) {
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, 10);
    const hid_t kind = H5Acreate2(file, "kind", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(kind, type, "stochastic");
    H5Aclose(kind);
    H5Sclose(space);
    H5Tclose(type);
    return file;
}

// One dataset for each name, from the scenarios of a case.
typedef enum shape { AS_IT_IS, CHUNKED, SPARSE } shape;

static void write_stacks(hid_t file, const scenario_case* s, shape how) {
    double Q[SCENARIOS][SMALL_M * SMALL_M], c[SCENARIOS][SMALL_M], T[SCENARIOS][SMALL_P * SMALL_M],
        W[SCENARIOS][SMALL_Q * SMALL_M], d[SCENARIOS][SMALL_Q];
    for (int i = 0; i < SCENARIOS; i++) {
        memcpy(Q[i], s->scenarios[i].Q.dense, sizeof Q[i]);
        memcpy(c[i], s->scenarios[i].c, sizeof c[i]);
        memcpy(T[i], s->scenarios[i].T.dense, sizeof T[i]);
        memcpy(W[i], s->scenarios[i].W.dense, sizeof W[i]);
        memcpy(d[i], s->scenarios[i].dl, sizeof d[i]);
    }
    const hid_t group = H5Gcreate2(file, "scenarios", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put(group, "Q", 3, (hsize_t[]){SCENARIOS, SMALL_M, SMALL_M}, Q[0], how == CHUNKED);
    put(group, "T", 3, (hsize_t[]){SCENARIOS, SMALL_P, SMALL_M}, T[0], how == CHUNKED);
    put(group, "c", 2, (hsize_t[]){SCENARIOS, SMALL_M}, c[0], how == CHUNKED);
    put(group, "d", 2, (hsize_t[]){SCENARIOS, SMALL_Q}, d[0], false);
    if (how != SPARSE) {
        put(group, "W", 3, (hsize_t[]){SCENARIOS, SMALL_Q, SMALL_M}, W[0], how == CHUNKED);
    } else {
        double value[SCENARIOS][SMALL_Q * SMALL_M];
        int start[SMALL_M + 1], row[SMALL_Q * SMALL_M];
        for (int j = 0; j <= SMALL_M; j++) start[j] = j * SMALL_Q;
        for (int k = 0; k < SMALL_Q * SMALL_M; k++) row[k] = k % SMALL_Q;
        for (int i = 0; i < SCENARIOS; i++)
            for (int k = 0; k < SMALL_Q * SMALL_M; k++) value[i][k] = W[i][k % SMALL_Q * SMALL_M + k / SMALL_Q];
        const hid_t sparse = H5Gcreate2(group, "W", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        put_integers(sparse, "shape", 2, (int[]){SMALL_Q, SMALL_M});
        put_integers(sparse, "col_start", SMALL_M + 1, start);
        put_integers(sparse, "row", SMALL_Q * SMALL_M, row);
        put(sparse, "value", 2, (hsize_t[]){SCENARIOS, SMALL_Q * SMALL_M}, value[0], false);
        H5Gclose(sparse);
    }
    H5Gclose(group);
}

static void write_case(const scenario_case* s, shape how) {
    const sti_stochastic* p = &s->program;
    const hid_t file = begin();
    put(file, "Q0", 2, (hsize_t[]){SMALL_N, SMALL_N}, p->Q0.dense, false);
    put(file, "T0", 2, (hsize_t[]){SMALL_P, SMALL_N}, p->T0.dense, false);
    put(file, "W0", 2, (hsize_t[]){SMALL_Q, SMALL_N}, p->W0.dense, false);
    put(file, "c0", 1, (hsize_t[]){SMALL_N}, p->c0, false);
    put(file, "b", 1, (hsize_t[]){SMALL_P}, p->bl, false);
    write_stacks(file, s, how);
    H5Fclose(file);
}

static void a_program_is_the_one_that_was_written(void** state) {
    const shape all[] = {AS_IT_IS, CHUNKED, SPARSE};
    for (int k = 0; k < 3; k++) {
        scenario_case s;
        sti_document* document;
        sti_stochastic_answer a, b;
        scenario_case_make(&s, SMALL_N, SMALL_M, SMALL_P, SMALL_Q, SCENARIOS, 5);
        write_case(&s, all[k]);
        if (sti_document_load(*state, path, &document) != STI_OK) fail_msg("%s", sti_env_error(*state)->text);
        const sti_stochastic* p = sti_stochastic_of(document);
        assert_non_null(p);
        assert_int_equal(p->scenario_count, SCENARIOS);
        assert_int_equal(sti_stochastic_solve(*state, &s.program, NULL, &a), STI_OK);
        assert_int_equal(sti_stochastic_solve(*state, p, NULL, &b), STI_OK);
        assert_int_equal(b.outcome, STI_CONIC_SOLVED);
        assert_true(fabs(a.objective - b.objective) <= 1e-9 * (1 + fabs(a.objective)));
        if (all[k] != SPARSE) assert_memory_equal(a.x, b.x, SMALL_N * sizeof *a.x);
        sti_stochastic_verification v;
        assert_int_equal(sti_verify_stochastic(*state, &s.program, &b, 1e-8, &v), STI_OK);
        assert_true(v.accepted);
        sti_stochastic_answer_clear(*state, &a);
        sti_stochastic_answer_clear(*state, &b);
        sti_document_destroy(document);
        scenario_case_free(&s);
    }
}

// Every rank has its own scenarios, and all of them together are all there are.
static void parts_make_the_whole(void** state) {
    const shape all[] = {AS_IT_IS, CHUNKED, SPARSE};
    for (int k = 0; k < 3; k++) {
        scenario_case s;
        int next = 0;
        scenario_case_make(&s, SMALL_N, SMALL_M, SMALL_P, SMALL_Q, SCENARIOS, 6);
        write_case(&s, all[k]);
        for (int rank = 0; rank < 3; rank++) {
            sti_document* document;
            assert_int_equal(sti_stochastic_load_part(*state, path, rank, 3, &document), STI_OK);
            const sti_stochastic* p = sti_stochastic_of(document);
            for (int i = 0; i < p->scenario_count; i++, next++) {
                const sti_scenario *a = &s.scenarios[next], *b = &p->scenarios[i];
                assert_true(fabs(b->probability - 1.0 / SCENARIOS) < 1e-15);
                assert_memory_equal(a->Q.dense, b->Q.dense, SMALL_M * SMALL_M * sizeof(double));
                assert_memory_equal(a->c, b->c, SMALL_M * sizeof(double));
                assert_memory_equal(a->dl, b->dl, SMALL_Q * sizeof(double));
                for (int j = 0; j < SMALL_Q; j++)
                    assert_true(sti_matrix_get(&a->W, j, 2) == sti_matrix_get(&b->W, j, 2));
            }
            sti_document_destroy(document);
        }
        assert_int_equal(next, SCENARIOS);
        scenario_case_free(&s);
    }
}

// x bought at 1, y sold at 3, y <= x, y <= demand: what is common stands once, a side by itself leaves the other open.
static void what_is_common_stands_once(void** state) {
    const hid_t file = begin();
    const double one = 1, minus[] = {-1}, price[] = {-3}, zero[] = {0}, demand[] = {10, 20, 30, 40},
                 p[] = {0.25, 0.25, 0.25, 0.25};
    put(file, "c0", 1, (hsize_t[]){1}, &one, false);
    put(file, "W0", 2, (hsize_t[]){1, 1}, minus, false);
    hid_t group = H5Gcreate2(file, "common", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put(group, "W", 2, (hsize_t[]){1, 1}, &one, false);
    put(group, "c", 1, (hsize_t[]){1}, price, false);
    put(group, "du", 1, (hsize_t[]){1}, zero, false);
    H5Gclose(group);
    group = H5Gcreate2(file, "scenarios", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put(group, "ub", 2, (hsize_t[]){4, 1}, demand, false);
    put(group, "p", 1, (hsize_t[]){4}, p, false);
    H5Gclose(group);
    H5Fclose(file);
    sti_document* document;
    sti_stochastic_answer a;
    if (sti_document_load(*state, path, &document) != STI_OK) fail_msg("%s", sti_env_error(*state)->text);
    assert_int_equal(sti_stochastic_solve(*state, sti_stochastic_of(document), NULL, &a), STI_OK);
    assert_true(fabs(a.objective + 37.5) < 1e-6);
    sti_stochastic_answer_clear(*state, &a);
    sti_document_destroy(document);
}

static void expect_refused(sti_env* env, const char* words) {
    sti_document* document;
    assert_int_equal(sti_document_load(env, path, &document), STI_ERR_INPUT);
    if (strstr(sti_env_error(env)->text, words) == NULL) fail_msg("%s, not %s", sti_env_error(env)->text, words);
}

static void wrong_files_are_named_by_field(void** state) {
    const double x[64] = {1, 2, 3, 4, 5, 6};
    const struct {
        const char* name;
        int rank;
        hsize_t size[3];
        const char* words;
    } bad[] = {
        {"c", 2, {3, 1}, "scenarios/c: 3 scenarios: 2 are expected"},
        {"c", 1, {2}, "scenarios/c: two dimensions, scenarios and entries"},
        {"Q", 2, {2, 4}, "scenarios/Q: three dimensions"},
        {"Q", 3, {2, 2, 3}, "variables of a scenario are expected"},
        {"W0", 3, {2, 1, 3}, "scenarios/W0: 3: 1 variables x are expected"},
        {"p", 2, {2, 1}, "scenarios/p: a vector is expected"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const hid_t file = begin();
        put(file, "c0", 1, (hsize_t[]){1}, x, false);
        const hid_t group = H5Gcreate2(file, "scenarios", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        put(group, bad[k].name, bad[k].rank, bad[k].size, x, false);
        if (strcmp(bad[k].name, "p") != 0) put(group, "p", 1, (hsize_t[]){2}, x, false);
        H5Gclose(group);
        H5Fclose(file);
        expect_refused(*state, bad[k].words);
    }
    hid_t file = begin();
    H5Fclose(file);
    expect_refused(*state, "c0: missing");
    file = begin();
    put(file, "c0", 1, (hsize_t[]){1}, x, false);
    H5Fclose(file);
    expect_refused(*state, "scenarios: missing");
    file = begin();
    put(file, "c0", 1, (hsize_t[]){1}, x, false);
    H5Gclose(H5Gcreate2(file, "scenarios", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
    expect_refused(*state, "scenarios: empty");
    sti_document* document;
    assert_int_equal(sti_stochastic_load_part(*state, path, 2, 2, &document), STI_ERR_ARGUMENT);
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    scenario_case s;
    scenario_case_make(&s, SMALL_N, SMALL_M, SMALL_P, SMALL_Q, SCENARIOS, 5);
    for (int how = AS_IT_IS; how <= SPARSE; how++) {
        write_case(&s, (shape)how);
        for (long k = 0;; k++) {
            failing_env f;
            sti_document* document;
            failing_env_open(&f, k);
            const sti_status status = sti_stochastic_load_part(f.env, path, 1, 2, &document);
            if (status == STI_OK)
                sti_document_destroy(document);
            else
                assert_int_equal(status, STI_ERR_MEMORY);
            if (failing_env_close(&f)) break;
        }
    }
    scenario_case_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_the_one_that_was_written),
        cmocka_unit_test(parts_make_the_whole),
        cmocka_unit_test(what_is_common_stands_once),
        cmocka_unit_test(wrong_files_are_named_by_field),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
