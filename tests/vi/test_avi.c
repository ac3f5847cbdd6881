// test_avi.c: affine variational inequalities over polyhedra: closed forms, enumeration, the independent check.
#include <math.h>
#include <stiction/io.h>
#include <stiction/vi.h>
#include <string.h>

#include "support/failing_env.h"
#include "support/open_env.h"
#include "support/random.h"

static sti_document* parse(sti_env* env, const char* text) {
    sti_document* d = NULL;
    assert_int_equal(sti_document_parse(env, text, strlen(text), "test", &d), STI_OK);
    return d;
}

// Solve, check, and hand back the answer.
static sti_lcp_answer solve(sti_env* env, const sti_avi* p) {
    sti_lcp_answer a;
    sti_verification v;
    assert_int_equal(sti_avi_solve(env, p, NULL, &a), STI_OK);
    if (a.outcome == STI_SOLVED || a.outcome == STI_NO_SOLUTION) {
        assert_int_equal(sti_verify_avi(env, p, &a, 1e-8, &v), STI_OK);
        if (!v.accepted) fail_msg("%s", v.text);
    }
    return a;
}

static void a_projection_on_a_simplex_is_found_exactly(void** state) {
    sti_document* d = parse(*state,
                            "{\"kind\": \"avi\", \"M\": [[1, 0], [0, 1]], \"q\": [-2, \"-1/3\"], \"E\": [[1, 1]], "
                            "\"e\": [1], \"lb\": [0, 0]}");
    sti_lcp_answer a = solve(*state, sti_avi_of(d));
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_true(a.exact && a.u[0] == 1 && a.u[1] == 0);
    sti_lcp_answer_clear(*state, &a);
    sti_document_destroy(d);
}

static void an_empty_polyhedron_has_no_solution_and_a_proof(void** state) {
    sti_document* d = parse(*state, "{\"kind\": \"avi\", \"M\": [[1]], \"q\": [0], \"A\": [[1], [-1]], \"b\": [1, 0]}");
    sti_lcp_answer a = solve(*state, sti_avi_of(d));
    assert_int_equal(a.outcome, STI_NO_SOLUTION);
    assert_true(a.certificate.exact);
    sti_lcp_answer_clear(*state, &a);
    sti_document_destroy(d);
}

static void a_linear_program_without_a_bound_has_no_solution(void** state) {
    sti_document* d = parse(
        *state, "{\"kind\": \"avi\", \"M\": [[0, 0], [0, 0]], \"q\": [-1, 1], \"lb\": [0, null], \"ub\": [null, 4]}");
    sti_lcp_answer a = solve(*state, sti_avi_of(d));
    assert_int_equal(a.outcome, STI_NO_SOLUTION);
    sti_lcp_answer_clear(*state, &a);
    sti_document_destroy(d);
}

static void a_relay_takes_the_sign_of_what_drives_it(void** state) {
    // M = 0: x_i = -sign(q_i), anything in [-1, 1] where q_i = 0
    sti_document* d =
        parse(*state, "{\"kind\": \"relay\", \"M\": [[0, 0, 0], [0, 0, 0], [0, 0, 0]], \"q\": [3, -2, 0]}");
    sti_lcp_answer a = solve(*state, sti_avi_of(d));
    assert_int_equal(a.outcome, STI_SOLVED);
    assert_true(a.u[0] == -1 && a.u[1] == 1 && fabs(a.u[2]) <= 1);
    sti_lcp_answer_clear(*state, &a);
    sti_document_destroy(d);
}

typedef struct random_avi {
    double M[36], A[36], E[12], q[6], b[6], e[2], lb[6], ub[6];
    sti_avi avi;
} random_avi;

static void make_random(sti_rng* rng, random_avi* p, bool box) {
    const int n = sti_rng_int(rng, 1, 4), m = box ? 0 : sti_rng_int(rng, 0, 3), k = box ? 0 : sti_rng_int(rng, 0, 1);
    double* fields[] = {p->M, p->A, p->E, p->q, p->b, p->e};
    const int count[] = {n * n, m * n, k * n, n, m, k};
    for (int f = 0; f < 6; f++) {
        for (int i = 0; i < count[f]; i++) fields[f][i] = sti_rng_int(rng, -3, 3);
    }
    for (int i = 0; i < n; i++) {
        p->lb[i] = !box && sti_rng_int(rng, 0, 2) == 0 ? -INFINITY : sti_rng_int(rng, -3, 0);
        p->ub[i] = !box && sti_rng_int(rng, 0, 2) == 0 ? INFINITY : sti_rng_int(rng, 0, 3);
    }
    p->avi = (sti_avi){.n = n,
                       .m = m,
                       .k = k,
                       .M = sti_matrix_dense_view(n, n, p->M),
                       .A = sti_matrix_dense_view(m, n, p->A),
                       .E = sti_matrix_dense_view(k, n, p->E),
                       .q = p->q,
                       .b = p->b,
                       .e = p->e,
                       .lb = p->lb,
                       .ub = p->ub};
}

static void random_ones_agree_with_the_enumeration_of_all_cases(void** state) {
    sti_rng rng = {11};
    int solved = 0, none = 0;
    for (int trial = 0; trial < 200; trial++) {
        random_avi p;
        sti_avi_mlcp posed;
        sti_lcp_solution_set* set = NULL;
        make_random(&rng, &p, false);
        sti_lcp_answer a = solve(*state, &p.avi);
        assert_int_equal(sti_avi_mlcp_make(*state, &p.avi, &posed), STI_OK);
        assert_int_equal(sti_mlcp_enumerate(*state, &posed.mlcp, 0, 0, &set), STI_OK);
        assert_true(set->complete);
        assert_int_equal(a.outcome, set->piece_count > 0 ? STI_SOLVED : STI_NO_SOLUTION);
        solved += a.outcome == STI_SOLVED;
        none += a.outcome == STI_NO_SOLUTION;
        sti_lcp_solution_set_destroy(*state, set);
        sti_avi_mlcp_clear(*state, &posed);
        sti_lcp_answer_clear(*state, &a);
    }
    assert_true(solved > 20 && none > 20);
}

// Brouwer: an affine map on a bounded box has a solution, whatever M is. Beyond 24 pairs enumeration does not help.
static void a_bounded_box_is_always_solved(void** state) {
    enum { N = 40 };
    sti_rng rng = {5};
    static double M[N * N], q[N], lb[N], ub[N];
    for (int trial = 0; trial < 10; trial++) {
        for (int i = 0; i < N * N; i++) M[i] = symmetric(&rng);
        for (int i = 0; i < N; i++) {
            q[i] = symmetric(&rng);
            lb[i] = -1 - sti_rng_u01(&rng);
            ub[i] = trial % 3 == 0 && i % 7 == 0 ? lb[i] : 1;
        }
        const sti_avi p = {.n = N, .M = sti_matrix_dense_view(N, N, M), .q = q, .lb = lb, .ub = ub};
        sti_lcp_answer a = solve(*state, &p);
        assert_int_equal(a.outcome, STI_SOLVED);
        sti_lcp_answer_clear(*state, &a);
    }
}

static void the_check_refuses_a_point_that_is_moved(void** state) {
    sti_document* d = parse(*state, "{\"kind\": \"relay\", \"M\": [[2, 1], [0, 2]], \"q\": [\"1/2\", -5]}");
    sti_lcp_answer a = solve(*state, sti_avi_of(d));
    sti_verification v;
    a.u[0] += 1e-3;
    sti_rationals_destroy(a.z_exact);
    a.z_exact = NULL;
    a.exact = false;
    assert_int_equal(sti_verify_avi(*state, sti_avi_of(d), &a, 1e-8, &v), STI_OK);
    assert_false(v.accepted);
    sti_lcp_answer_clear(*state, &a);
    sti_document_destroy(d);
}

// 1e20 stands for no bound only on its own side
static void a_lower_bound_beyond_all_is_refused(void** state) {
    static const char* const texts[] = {"{\"kind\": \"avi\", \"M\": [[1]], \"q\": [1], \"lb\": [1e25]}",
                                        "{\"kind\": \"relay\", \"M\": [[1]], \"q\": [1], \"ub\": [-1e20]}",
                                        "{\"kind\": \"vi\", \"variables\": {\"x\": [1e300, null]}, \"F\": [\"x\"]}"};
    for (int k = 0; k < 3; k++) {
        sti_document* d = NULL;
        assert_int_equal(sti_document_parse(*state, texts[k], strlen(texts[k]), "test", &d), STI_ERR_INPUT);
        assert_non_null(strstr(sti_env_error(*state)->text, "[0]: "));
    }
}

static void an_answer_whose_x_is_not_its_u_is_refused(void** state) {
    static const char text[] = "{\"kind\": \"avi\", \"x\": [2, 1], \"u\": [1, 1], \"v\": [0]}";
    sti_lcp_answer a;
    assert_int_equal(sti_lcp_answer_parse(*state, text, strlen(text), "answer", &a), STI_ERR_INPUT);
    assert_string_equal(sti_env_error(*state)->text, "answer: x[0]: 2: u[0] is expected, 1");
}

static void files_read_back_as_they_were(void** state) {
    sti_document *d = parse(*state,
                            "{\"kind\": \"avi\", \"M\": [[1, \"1/3\"], [0, 1]], \"q\": [0, 1], \"A\": [[1, 1]], "
                            "\"b\": [\"2/7\"], \"ub\": [3, \"4/3\"]}"),
                 *again;
    assert_int_equal(sti_document_save(*state, d, "avi_saved.json"), STI_OK);
    assert_int_equal(sti_document_load(*state, "avi_saved.json", &again), STI_OK);
    const sti_avi *p = sti_avi_of(d), *r = sti_avi_of(again);
    assert_int_equal(r->m, 1);
    char *one, *two;
    assert_int_equal(sti_rationals_text(p->ub_exact, 1, &one), STI_OK);
    assert_int_equal(sti_rationals_text(r->ub_exact, 1, &two), STI_OK);
    assert_string_equal(one, two);
    sti_env_free(*state, one);
    sti_env_free(*state, two);
    sti_lcp_answer a = solve(*state, r), b;
    assert_int_equal(sti_avi_answer_save(*state, r, &a, STI_KIND_AVI, "avi_answer.json"), STI_OK);
    assert_int_equal(sti_lcp_answer_load(*state, "avi_answer.json", &b), STI_OK);
    sti_verification v;
    assert_int_equal(sti_verify_avi(*state, p, &b, 1e-8, &v), STI_OK);
    assert_true(v.accepted && v.exact);
    sti_lcp_answer_clear(*state, &a);
    sti_lcp_answer_clear(*state, &b);
    sti_document_destroy(d);
    sti_document_destroy(again);
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    sti_rng rng = {3};
    random_avi p;
    make_random(&rng, &p, true);
    for (long k = 0;; k++) {
        failing_env f;
        sti_lcp_answer a;
        sti_verification v;
        char* text = NULL;
        sti_avi_mlcp posed;
        failing_env_open(&f, k);
        sti_status status = sti_avi_mlcp_make(f.env, &p.avi, &posed);
        if (status == STI_OK) sti_avi_mlcp_clear(f.env, &posed);
        if (status == STI_OK) status = sti_avi_save(f.env, &p.avi, "avi_failing.json");
        if (status == STI_OK && (status = sti_avi_solve(f.env, &p.avi, NULL, &a)) == STI_OK) {
            status = sti_verify_avi(f.env, &p.avi, &a, 1e-8, &v);
            if (status == STI_OK) status = sti_avi_answer_json(f.env, &p.avi, &a, STI_KIND_AVI, &text);
            if (status == STI_OK)
                status = sti_avi_answer_save(f.env, &p.avi, &a, STI_KIND_AVI, "avi_failing_answer.json");
            sti_env_free(f.env, text);
            sti_lcp_answer_clear(f.env, &a);
        }
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_projection_on_a_simplex_is_found_exactly),
        cmocka_unit_test(an_empty_polyhedron_has_no_solution_and_a_proof),
        cmocka_unit_test(a_linear_program_without_a_bound_has_no_solution),
        cmocka_unit_test(a_relay_takes_the_sign_of_what_drives_it),
        cmocka_unit_test(random_ones_agree_with_the_enumeration_of_all_cases),
        cmocka_unit_test(a_bounded_box_is_always_solved),
        cmocka_unit_test(the_check_refuses_a_point_that_is_moved),
        cmocka_unit_test(a_lower_bound_beyond_all_is_refused),
        cmocka_unit_test(an_answer_whose_x_is_not_its_u_is_refused),
        cmocka_unit_test(files_read_back_as_they_were),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
