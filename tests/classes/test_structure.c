// test_structure.c: the structure of theorem 1.2.10: the reference cases, variables in any order, signs and scales
// that do not matter, everything that breaks it, failing memory.
#include "support/class_oracle.h"
#include "support/open_env.h"
#include "support/oracle.h"

enum { MAX_FREE = 8, MAX_PAIRS = 8 };

// A mixed problem that owns its numbers.
typedef struct mixed {
    double A[MAX_FREE * MAX_FREE], C[MAX_FREE * MAX_PAIRS], D[MAX_PAIRS * MAX_FREE], B[MAX_PAIRS * MAX_PAIRS];
    double a[MAX_FREE], b[MAX_PAIRS];
    sti_mlcp mlcp;
} mixed;

// [Q -F -H; F' 0 0; H' 0 N] with the free variables put in the given order.
static void compose(mixed* p, const double* Q, int x, const double* F, int y, const double* H, const double* N, int m,
                    const double* k, const double* b, const int* order) {
    const int n = x + y;
    memset(p, 0, sizeof *p);
    int place[MAX_FREE];
    for (int i = 0; i < n; i++) place[order[i]] = i;
    for (int i = 0; i < x; i++) {
        for (int j = 0; j < x; j++) p->A[place[i] * n + place[j]] = Q[i * x + j];
        for (int j = 0; j < y; j++) {
            p->A[place[i] * n + place[x + j]] = -F[i * y + j];
            p->A[place[x + j] * n + place[i]] = F[i * y + j];
        }
        for (int l = 0; l < m; l++) {
            p->C[place[i] * m + l] = -H[i * m + l];
            p->D[l * n + place[i]] = H[i * m + l];
        }
        p->a[place[i]] = -k[i];
    }
    memcpy(p->B, N, (size_t)(m * m) * sizeof *N);
    memcpy(p->b, b, (size_t)m * sizeof *b);
    p->mlcp = (sti_mlcp){.n = n, .m = m, .a = p->a, .b = p->b};
    p->mlcp.A = sti_matrix_dense_view(n, n, p->A);
    p->mlcp.C = sti_matrix_dense_view(n, m, p->C);
    p->mlcp.D = sti_matrix_dense_view(m, n, p->D);
    p->mlcp.B = sti_matrix_dense_view(m, m, p->B);
}

static sti_mlcp_structure* recognize(sti_env* env, const mixed* p) {
    sti_mlcp_structure* t;
    assert_int_equal(sti_mlcp_structure_create(env, &p->mlcp, NULL, &t), STI_OK);
    assert_true(strlen(t->how) > 0);
    return t;
}

static void cases_of_the_thesis_are_recognized_in_any_order(void** state) {
    sti_env* env = *state;
    cJSON* root = oracle_open("thesis");
    if (root == NULL) skip();
    int seen = 0;
    const cJSON* item;
    cJSON_ArrayForEach(item, oracle_cases(root)) {
        if (strncmp(oracle_id(item), "MLCP-", 5) != 0 || oracle_get(item, "inputs", "Q") == NULL) continue;
        seen++;
        static const char* names[6] = {"Q", "F", "H", "N", "k", "b"};
        oracle_table t[6];
        for (int i = 0; i < 6; i++) t[i] = oracle_read(env, oracle_get(item, "inputs", names[i]));
        const int x = t[0].rows, y = t[1].cols, m = t[3].rows, n = x + y;
        sti_rng rng = {7};
        for (int trial = 0; trial < 20; trial++) {
            int order[MAX_FREE];
            for (int i = 0; i < n; i++) order[i] = i;
            for (int i = n - 1; i > 0 && trial > 0; i--) {
                const int j = sti_rng_int(&rng, 0, i), s = order[i];
                order[i] = order[j];
                order[j] = s;
            }
            mixed p;
            compose(&p, t[0].value, x, t[1].value, y, t[2].value, t[3].value, m, t[4].value, t[5].value, order);
            sti_mlcp_structure* found = recognize(env, &p);
            assert_int_equal(found->matches, STI_YES);
            assert_int_equal(found->solvable, STI_YES);
            assert_int_equal(found->x_count, x);
            assert_int_equal(found->y_count, y);
            for (int i = 0; i < y; i++) assert_true(order[found->y[i]] >= x);
            assert_int_equal(found->rank_F, 1);  // one joint, in MLCP-06 given twice
            assert_int_equal(found->rank_A, x + 1);
            sti_mlcp_structure_destroy(env, found);
        }
        for (int i = 0; i < 6; i++) oracle_free(&t[i]);
    }
    assert_true(seen >= 2);
    cJSON_Delete(root);
}

static const double Q[4] = {2, 1, -1, 1}, F[2] = {1, 3}, H[4] = {1, 0, 2, -1}, copositive[4] = {1, 2, -1, 0},
                    k[2] = {4, 5}, b[2] = {0, 1};
static const int in_order[3] = {0, 1, 2};

static void base(mixed* p) {
    compose(p, Q, 2, F, 1, H, copositive, 2, k, b, in_order);
}

static void the_base_problem_matches(void** state) {
    mixed p;
    base(&p);
    sti_mlcp_structure* t = recognize(*state, &p);
    assert_int_equal(t->solvable, STI_YES);
    assert_null(strstr(t->how, "scaled"));
    sti_mlcp_structure_destroy(*state, t);
}

static void signs_and_scales_of_equations_do_not_matter(void** state) {
    mixed p;
    base(&p);
    for (int j = 0; j < 3; j++) p.A[2 * 3 + j] *= -0.1;  // the equation of y
    sti_mlcp_structure* t = recognize(*state, &p);
    assert_int_equal(t->matches, STI_NO);  // 0.1 times 3 is not a multiple in doubles
    sti_mlcp_structure_destroy(*state, t);
    base(&p);
    for (int j = 0; j < 3; j++) p.A[2 * 3 + j] *= -0.75;
    t = recognize(*state, &p);
    assert_int_equal(t->solvable, STI_YES);
    assert_non_null(strstr(t->how, "scaled"));
    sti_mlcp_structure_destroy(*state, t);
    base(&p);
    for (int i = 0; i < 2; i++) {  // the equations of x
        for (int j = 0; j < 3; j++) p.A[i * 3 + j] *= -1;
        for (int l = 0; l < 2; l++) p.C[i * 2 + l] *= -1;
        p.a[i] *= -1;
    }
    t = recognize(*state, &p);
    assert_int_equal(t->solvable, STI_YES);
    assert_non_null(strstr(t->how, "times -1"));
    sti_mlcp_structure_destroy(*state, t);
}

static void whatever_breaks_the_pattern_is_seen(void** state) {
    for (int what = 0; what < 9; what++) {
        mixed p;
        base(&p);
        if (what == 0) p.A[0 * 3 + 2] += 1;              // column of F
        if (what == 1) p.C[2 * 2 + 1] = 1;               // C in the row of y
        if (what == 2) p.D[1 * 3 + 2] = 1;               // D in the column of y
        if (what == 3) p.a[2] = 1e-300;                  // F'x = 0 not homogeneous
        if (what == 4) p.C[0] = nextafter(p.C[0], 0);    // C is not -D' by a bit
        if (what == 5) p.A[0] = -2;                      // mixed signs on the diagonal
        if (what == 6) p.A[0] = p.A[4] = 0;              // nothing left that could be x, and not zero
        if (what == 7) p.A[2 * 3] = p.A[2 * 3 + 1] = 0;  // F without its equation
        if (what == 8) p.A[2] = p.A[5] = 0;              // an equation without its multiplier
        sti_mlcp_structure* t = recognize(*state, &p);
        assert_int_equal(t->matches, STI_NO);
        assert_int_equal(t->solvable, STI_UNDECIDED);
        sti_mlcp_structure_destroy(*state, t);
    }
}

static void conditions_of_the_theorem_are_told_one_by_one(void** state) {
    for (int what = 0; what < 3; what++) {
        mixed p;
        base(&p);
        if (what == 0) p.A[1] = p.A[3] = 5;  // Q indefinite
        if (what == 1) p.B[0] = -1;          // N not copositive
        if (what == 2) p.b[1] = -1e-300;
        sti_mlcp_structure* t = recognize(*state, &p);
        assert_int_equal(t->matches, STI_YES);
        assert_int_equal(t->Q_positive_definite, what != 0);
        assert_int_equal(t->N_copositive, what != 1);
        assert_int_equal(t->b_nonnegative, what != 2);
        assert_int_equal(t->solvable, STI_UNDECIDED);
        sti_mlcp_structure_destroy(*state, t);
    }
}

static void exact_data_are_used(void** state) {
    sti_env* env = *state;
    mixed p;
    base(&p);
    sti_rationals *matrix, *vector;
    assert_int_equal(sti_rationals_create(env, 25, &matrix), STI_OK);
    assert_int_equal(sti_rationals_create(env, 5, &vector), STI_OK);
    for (size_t i = 0; i < 25; i++) {
        const int r = (int)i / 5, c = (int)i % 5;
        const double v = r < 3   ? (c < 3 ? p.A[r * 3 + c] : p.C[r * 2 + c - 3])
                         : c < 3 ? p.D[(r - 3) * 3 + c]
                                 : p.B[(r - 3) * 2 + c - 3];
        assert_int_equal(sti_rationals_set_double(matrix, i, v), STI_OK);
    }
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(sti_rationals_set_double(vector, i, i < 3 ? p.a[i] : p.b[i - 3]), STI_OK);
    p.mlcp.matrix_exact = matrix;
    p.mlcp.vector_exact = vector;
    sti_mlcp_structure* t = recognize(env, &p);
    assert_int_equal(t->solvable, STI_YES);
    sti_mlcp_structure_destroy(env, t);
    assert_int_equal(sti_rationals_set_text(vector, 4, "-1e-400"), STI_OK);  // below every double
    t = recognize(env, &p);
    assert_int_equal(t->solvable, STI_UNDECIDED);
    assert_false(t->b_nonnegative);
    sti_mlcp_structure_destroy(env, t);
    for (long i = 0;; i++) {
        failing_env f;
        failing_env_open(&f, i);
        sti_mlcp_structure* u;
        const sti_status status = sti_mlcp_structure_create(f.env, &p.mlcp, NULL, &u);
        if (status == STI_OK)
            sti_mlcp_structure_destroy(f.env, u);
        else
            assert_true(status == STI_ERR_MEMORY && u == NULL);
        if (failing_env_close(&f)) break;
    }
    sti_rationals_destroy(matrix);
    sti_rationals_destroy(vector);
}

static void empty_parts_and_bad_sizes_are_handled(void** state) {
    mixed p;
    base(&p);
    sti_mlcp none = {0};
    sti_mlcp_structure* t;
    assert_int_equal(sti_mlcp_structure_create(*state, &none, NULL, &t), STI_OK);
    assert_int_equal(t->solvable, STI_YES);
    sti_mlcp_structure_destroy(*state, t);
    p.mlcp.C.cols = 1;
    assert_int_equal(sti_mlcp_structure_create(*state, &p.mlcp, NULL, &t), STI_ERR_ARGUMENT);
    assert_null(t);
    base(&p);
    p.b[0] = NAN;
    assert_int_equal(sti_mlcp_structure_create(*state, &p.mlcp, NULL, &t), STI_ERR_ARGUMENT);
    base(&p);
    p.A[0] = NAN;
    assert_int_equal(sti_mlcp_structure_create(*state, &p.mlcp, NULL, &t), STI_ERR_ARGUMENT);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    mixed p;
    base(&p);
    for (long i = 0;; i++) {
        failing_env f;
        failing_env_open(&f, i);
        sti_mlcp_structure* t;
        const sti_status status = sti_mlcp_structure_create(f.env, &p.mlcp, NULL, &t);
        if (status == STI_OK)
            sti_mlcp_structure_destroy(f.env, t);
        else
            assert_true(status == STI_ERR_MEMORY && t == NULL);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_of_the_thesis_are_recognized_in_any_order),
        cmocka_unit_test(the_base_problem_matches),
        cmocka_unit_test(signs_and_scales_of_equations_do_not_matter),
        cmocka_unit_test(whatever_breaks_the_pattern_is_seen),
        cmocka_unit_test(conditions_of_the_theorem_are_told_one_by_one),
        cmocka_unit_test(exact_data_are_used),
        cmocka_unit_test(empty_parts_and_bad_sizes_are_handled),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
