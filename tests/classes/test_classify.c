// test_classify.c: every class against brute force on thousands of small integer matrices, witnesses checked with
// GMP, invariance under permutation and scaling, bad input, and memory that runs out at every allocation.
#include <stdio.h>

#include "support/class_oracle.h"

static sti_classes* classify(sti_env* env, const brute* b) {
    double entries[BRUTE_MAX * BRUTE_MAX];
    const sti_matrix M = brute_view(b, entries);
    sti_classes* c;
    assert_int_equal(sti_classes_create(env, &M, NULL, NULL, &c), STI_OK);
    exact_check_findings(env, &M, NULL, c);
    return c;
}

static void expect(const brute* b, const sti_classes* c, sti_class which, bool yes) {
    const sti_class_finding* f = &c->finding[which];
    if (f->verdict == (yes ? STI_YES : STI_NO) && f->exact) return;
    for (int i = 0; i < b->n; i++) {
        for (int j = 0; j < b->n; j++) print_message("%4d", b->m[i][j]);
        print_message("\n");
    }
    fail_msg("%s: expected %d, found %d (%s)", sti_class_text(which), yes, f->verdict, f->how);
}

static void check_simplex(const brute* b, const sti_classes* c) {
    wide top = 0, bottom = 0;
    brute_simplex(b, &top, &bottom);
    expect(b, c, STI_CLASS_COPOSITIVE, top >= 0);
    expect(b, c, STI_CLASS_STRICTLY_COPOSITIVE, top > 0);
    assert_true(fabs(c->simplex_min - 0.5 * (double)top / (double)bottom) <= 1e-14 * fabs(c->simplex_min));
    assert_non_null(c->simplex_argmin);
    double sum = 0, value = 0;
    for (int i = 0; i < b->n; i++) {
        assert_true(c->simplex_argmin[i] >= 0);
        sum += c->simplex_argmin[i];
        for (int j = 0; j < b->n; j++) value += b->m[i][j] * c->simplex_argmin[i] * c->simplex_argmin[j];
    }
    assert_true(fabs(sum - 1) < 1e-14 && fabs(value - c->simplex_min) < 1e-13);
}

static void check_all(const fixture* f, const brute* b) {
    sti_classes* c = classify(f->env, b);
    bool symmetric = true, Z = true, nonnegative = true;
    for (int i = 0; i < b->n; i++) {
        for (int j = 0; j < b->n; j++) {
            symmetric = symmetric && b->m[i][j] == b->m[j][i];
            Z = Z && (i == j || b->m[i][j] <= 0);
            nonnegative = nonnegative && b->m[i][j] >= 0;
        }
    }
    const bool P = brute_minors(b, false, 1);
    expect(b, c, STI_CLASS_SYMMETRIC, symmetric);
    expect(b, c, STI_CLASS_Z, Z);
    expect(b, c, STI_CLASS_NONNEGATIVE, nonnegative);
    expect(b, c, STI_CLASS_P, P);
    expect(b, c, STI_CLASS_P0, brute_minors(b, false, 0));
    expect(b, c, STI_CLASS_K, Z && P);
    expect(b, c, STI_CLASS_POSITIVE_DEFINITE, brute_minors(b, true, 1));
    expect(b, c, STI_CLASS_POSITIVE_SEMIDEFINITE, brute_minors(b, true, 0));
    check_simplex(b, c);
    if (b->n <= 4) expect(b, c, STI_CLASS_COLUMN_SUFFICIENT, brute_sufficient(b, f->rays));
    sti_classes_destroy(f->env, c);
}

static void every_class_agrees_with_brute_force(void** state) {
    const fixture* f = *state;
    sti_rng rng = {2024};
    for (int trial = 0; trial < 12000; trial++) {
        const brute b = brute_random(&rng, sti_rng_int(&rng, 1, 4));
        check_all(f, &b);
    }
    for (int trial = 0; trial < 4000; trial++) {
        const brute b = brute_random(&rng, sti_rng_int(&rng, 5, 6));
        check_all(f, &b);
    }
}

static void column_sufficiency_of_order_five_agrees_with_extreme_rays(void** state) {
    const fixture* f = *state;
    sti_rng rng = {77};
    int yes = 0;
    for (int trial = 0; trial < 60; trial++) {
        brute b = brute_random(&rng, 5);
        sti_classes* c = classify(f->env, &b);
        const bool expected = brute_sufficient(&b, f->rays);
        expect(&b, c, STI_CLASS_COLUMN_SUFFICIENT, expected);
        yes += expected;
        sti_classes_destroy(f->env, c);
    }
    assert_true(yes > 3);
}

static void verdicts_do_not_depend_on_order_or_units(void** state) {
    const fixture* f = *state;
    sti_rng rng = {5};
    for (int trial = 0; trial < 300; trial++) {
        const int n = sti_rng_int(&rng, 2, 6);
        const brute b = brute_random(&rng, n);
        int order[BRUTE_MAX];
        for (int i = 0; i < n; i++) order[i] = i;
        for (int i = n - 1; i > 0; i--) {
            const int j = sti_rng_int(&rng, 0, i), t = order[i];
            order[i] = order[j];
            order[j] = t;
        }
        // the same matrix permuted, and D M D with D powers of two, far apart
        double entries[BRUTE_MAX * BRUTE_MAX];
        int power[BRUTE_MAX];
        for (int i = 0; i < n; i++) power[i] = sti_rng_int(&rng, -90, 90);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) entries[i * n + j] = ldexp(b.m[order[i]][order[j]], power[i] + power[j]);
        }
        const sti_matrix M = sti_matrix_dense_view(n, n, entries);
        sti_classes* first = classify(f->env, &b);
        sti_classes* second;
        assert_int_equal(sti_classes_create(f->env, &M, NULL, NULL, &second), STI_OK);
        exact_check_findings(f->env, &M, NULL, second);
        for (int k = 0; k < STI_CLASS_COUNT; k++) {
            if (first->finding[k].verdict != second->finding[k].verdict)
                fail_msg("%s: %d and %d", sti_class_text((sti_class)k), first->finding[k].verdict,
                         second->finding[k].verdict);
        }
        sti_classes_destroy(f->env, first);
        sti_classes_destroy(f->env, second);
    }
}

static void a_last_bit_decides(void** state) {
    const fixture* f = *state;
    // singular when t = 1/3 exactly, which no double is
    const char* text[3] = {"1/3", "0.33333333333333331", "0.33333333333333337"};
    const sti_verdict expected[3] = {STI_YES, STI_NO, STI_YES};
    for (int k = 0; k < 3; k++) {
        sti_rationals* exact;
        double entries[4];
        assert_int_equal(sti_rationals_create(f->env, 4, &exact), STI_OK);
        assert_int_equal(sti_rationals_set_text(exact, 0, text[k]), STI_OK);
        assert_int_equal(sti_rationals_set_text(exact, 1, "-1"), STI_OK);
        assert_int_equal(sti_rationals_set_text(exact, 2, "-1"), STI_OK);
        assert_int_equal(sti_rationals_set_text(exact, 3, "3"), STI_OK);
        for (size_t i = 0; i < 4; i++) entries[i] = sti_rationals_double(exact, i);
        const sti_matrix M = sti_matrix_dense_view(2, 2, entries);
        sti_classes* c;
        assert_int_equal(sti_classes_create(f->env, &M, exact, NULL, &c), STI_OK);
        exact_check_findings(f->env, &M, exact, c);
        assert_int_equal(c->finding[STI_CLASS_POSITIVE_SEMIDEFINITE].verdict, expected[k]);
        assert_int_equal(c->finding[STI_CLASS_COPOSITIVE].verdict, expected[k]);
        assert_int_equal(c->finding[STI_CLASS_POSITIVE_DEFINITE].verdict, k == 2 ? STI_YES : STI_NO);
        assert_int_equal(c->finding[STI_CLASS_P].verdict, k == 2 ? STI_YES : STI_NO);
        sti_classes_destroy(f->env, c);
        sti_rationals_destroy(exact);
    }
}

static void empty_and_sparse_matrices_are_classified(void** state) {
    const fixture* f = *state;
    const sti_matrix none = {0};
    sti_classes* c;
    assert_int_equal(sti_classes_create(f->env, &none, NULL, NULL, &c), STI_OK);
    for (int k = 0; k < STI_CLASS_COUNT; k++) assert_int_equal(c->finding[k].verdict, STI_YES);
    assert_true(isnan(c->simplex_min) && isnan(c->min_eigenvalue));
    sti_classes_destroy(f->env, c);
    int64_t start[3] = {0, 2, 4};
    int row[4] = {0, 1, 0, 1};
    double value[4] = {2, -1, -1, 2};
    const sti_matrix sparse = {.rows = 2, .cols = 2, .col_start = start, .row = row, .value = value};
    assert_int_equal(sti_classes_create(f->env, &sparse, NULL, NULL, &c), STI_OK);
    assert_int_equal(c->finding[STI_CLASS_K].verdict, STI_YES);
    assert_true(fabs(c->min_eigenvalue - 1) < 1e-14 && fabs(c->max_eigenvalue - 3) < 1e-14);
    assert_true(c->simplex_min == 0.5);
    sti_classes_destroy(f->env, c);
}

static void bad_matrices_are_refused(void** state) {
    const fixture* f = *state;
    double entries[4] = {1, NAN, 0, 1};
    sti_classes* c = (sti_classes*)&entries;
    sti_matrix M = sti_matrix_dense_view(2, 2, entries);
    assert_int_equal(sti_classes_create(f->env, &M, NULL, NULL, &c), STI_ERR_ARGUMENT);
    assert_null(c);
    entries[1] = INFINITY;
    assert_int_equal(sti_classes_create(f->env, &M, NULL, NULL, &c), STI_ERR_ARGUMENT);
    M.rows = 1;
    assert_int_equal(sti_classes_create(f->env, &M, NULL, NULL, &c), STI_ERR_ARGUMENT);
    M.rows = 2;
    entries[1] = 0;
    sti_rationals* exact;
    assert_int_equal(sti_rationals_create(f->env, 3, &exact), STI_OK);
    assert_int_equal(sti_classes_create(f->env, &M, exact, NULL, &c), STI_ERR_ARGUMENT);
    sti_rationals_destroy(exact);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    // definite; not P0; copositive by search; column sufficient by branching
    static const int kinds[4][16] = {{2, 1, 0, 1, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 1},
                                     {1, 2, 0, 0, 2, 1, 3, 0, 0, 0, 0, 1, 1, 0, 2, 0},
                                     {1, -1, 1, 1, -1, 1, -1, 1, 1, -1, 1, -1, 1, 1, -1, 1},
                                     {0, 1, 0, 0, -1, 0, 1, 0, 0, -2, 0, 1, 0, 0, -1, 1}};
    for (int kind = 0; kind < 4; kind++) {
        brute b = {.n = 4};
        double entries[16];
        for (int i = 0; i < 16; i++) b.m[i / 4][i % 4] = kinds[kind][i];
        const sti_matrix M = brute_view(&b, entries);
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_classes* c;
            const sti_status status = sti_classes_create(f.env, &M, NULL, NULL, &c);
            if (status == STI_OK) {
                sti_classes_destroy(f.env, c);
            } else {
                assert_int_equal(status, STI_ERR_MEMORY);
                assert_null(c);
            }
            if (failing_env_close(&f)) break;
        }
    }
}

static void failed_allocations_with_exact_entries_are_survived(void** state) {
    const fixture* f0 = *state;
    sti_rationals* exact;
    double entries[9];
    const char* text[9] = {"1/3", "-2/3", "1", "-1/7", "1/3", "-1", "1/5", "-1", "1"};
    assert_int_equal(sti_rationals_create(f0->env, 9, &exact), STI_OK);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(sti_rationals_set_text(exact, i, text[i]), STI_OK);
        entries[i] = sti_rationals_double(exact, i);
    }
    const sti_matrix M = sti_matrix_dense_view(3, 3, entries);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_classes* c;
        const sti_status status = sti_classes_create(f.env, &M, exact, NULL, &c);
        if (status == STI_OK)
            sti_classes_destroy(f.env, c);
        else
            assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    sti_rationals_destroy(exact);
}

static void class_names_are_those_of_the_list(void** state) {
    (void)state;
    assert_string_equal(sti_class_text(STI_CLASS_P0), "P0");
    assert_string_equal(sti_class_text(STI_CLASS_COLUMN_SUFFICIENT), "column_sufficient");
    assert_string_equal(sti_class_text(STI_CLASS_COUNT), "unknown class");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_class_agrees_with_brute_force),
        cmocka_unit_test(column_sufficiency_of_order_five_agrees_with_extreme_rays),
        cmocka_unit_test(verdicts_do_not_depend_on_order_or_units),
        cmocka_unit_test(a_last_bit_decides),
        cmocka_unit_test(empty_and_sparse_matrices_are_classified),
        cmocka_unit_test(bad_matrices_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(failed_allocations_with_exact_entries_are_survived),
        cmocka_unit_test(class_names_are_those_of_the_list),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
