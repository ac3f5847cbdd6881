// The basis behind Lemke's method: solves after pivots and rebuilds against the data itself.
#include "solvers/basis.h"
#include "support/failing_env.h"
#include "support/group_env.h"
#include "support/lcp_families.h"

// Column of variable v in [-I, A], scaled: v stands in A x - w.
static double column_entry(const sti_basis* B, int e, int v) {
    const int n = B->n;
    if (v < n) return e == v ? -1 : 0;
    if (v == 2 * n) return B->d[e];
    return B->R[e] * B->M[(size_t)e * (size_t)n + (size_t)(v - n)] * B->C[v - n];
}

// Largest |A x - w + f| for x by row.
static double defect(const sti_basis* B, const double* f, const double* x) {
    double worst = 0;
    for (int e = 0; e < B->n; e++) {
        long double s = f[e];
        for (int i = 0; i < B->n; i++) s += (long double)column_entry(B, e, B->basic[i]) * x[i];
        worst = fmax(worst, fabs((double)s));
    }
    return worst;
}

// Random pivots on the largest entries, `count` of them, with a rebuild where there is no room.
static void wander(sti_basis* B, sti_rng* rng, int count) {
    for (int k = 0; k < count; k++) {
        if (B->pivots == B->capacity) assert_true(sti_basis_rebuild(B));
        int v;
        do v = sti_rng_int(rng, 0, 2 * B->n);
        while (B->place[v] >= 0);
        sti_basis_column(B, v);
        int r = 0;
        for (int i = 1; i < B->n; i++) {
            if (fabs(B->col[i]) > fabs(B->col[r])) r = i;
        }
        sti_basis_pivot(B, r, v);
    }
}

static sti_basis* make(const family* f) {
    sti_basis* B;
    assert_int_equal(sti_basis_create(group_env, &f->lcp, NULL, &B), STI_OK);
    return B;
}

static void expect_consistent(sti_basis* B) {
    const int n = B->n;
    double *f = family_vector((size_t)n), *x = family_vector((size_t)n);
    assert_true(defect(B, B->q, B->b) <= 1e-9 * fmax(1, sti_max_abs(B->b, n)));
    for (int v = 0; v <= 2 * n; v++) {
        if (B->place[v] >= 0) {
            assert_int_equal(B->basic[B->place[v]], v);
            continue;
        }
        sti_basis_direction(B, v, f);
        for (int e = 0; e < n; e++) assert_true(f[e] == column_entry(B, e, v));
        sti_basis_column(B, v);
        assert_true(defect(B, f, B->col) <= 1e-9 * fmax(1, sti_max_abs(B->col, n)));
        sti_basis_solve(B, f, x);
        assert_true(family_distance(x, B->col, n) <= 1e-9 * fmax(1, sti_max_abs(B->col, n)));
    }
    free(f);
    free(x);
}

static void columns_solve_the_equations_after_any_pivots(void** state) {
    (void)state;
    sti_rng rng = {1};
    for (int n = 1; n <= 41; n += 8) {
        family f = family_make(FAMILY_DEFINITE, n, 4);
        sti_basis* B = make(&f);
        for (int t = 0; t < 4; t++) {
            wander(B, &rng, 1 + n / 2);
            expect_consistent(B);
        }
        assert_true(sti_basis_rebuild(B));
        assert_int_equal(B->pivots, 0);
        expect_consistent(B);
        sti_basis_reset(B);
        assert_memory_equal(B->b, B->q, (size_t)n * sizeof(double));
        expect_consistent(B);
        sti_basis_destroy(B);
        family_clear(&f);
    }
}

// Row r of the inverse times the basis matrix [I, -A]_B is e_r.
static void rows_of_the_inverse_invert(void** state) {
    (void)state;
    sti_rng rng = {2};
    for (int n = 3; n <= 67; n += 16) {
        family f = family_make(FAMILY_DEFINITE, n, 6);
        sti_basis* B = make(&f);
        double *H = family_vector(3 * (size_t)n), size[3];
        for (int t = 0; t < 3; t++) {
            wander(B, &rng, 1 + n / 3);
            if (t == 2) assert_true(sti_basis_rebuild(B));
            const int rows[3] = {0, n / 2, n - 1};
            sti_basis_inverse_rows(B, rows, 3, H, size);
            for (int c = 0; c < 3; c++) {
                for (int i = 0; i < n; i++) {
                    double s = 0;
                    for (int e = 0; e < n; e++) s -= H[c * n + e] * column_entry(B, e, B->basic[i]);
                    assert_true(fabs(s - (i == rows[c])) <= 1e-9 * size[c]);
                }
            }
        }
        free(H);
        sti_basis_destroy(B);
        family_clear(&f);
    }
}

// What is computed ahead, kept over pivots and taken up again is what would be computed alone.
static void columns_computed_ahead_are_the_same(void** state) {
    (void)state;
    sti_rng rng = {3};
    family f = family_make(FAMILY_DEFINITE, 460, 7);
    sti_basis* B = make(&f);
    const int n = B->n;
    assert_true(B->ahead_room > 0);
    double *y = family_vector((size_t)n), *x = family_vector((size_t)n);
    for (int t = 0; t < 4; t++) {
        int wanted[STI_BASIS_WIDTH], count = 0;
        for (int v = n + 40 * t; count < STI_BASIS_WIDTH; v++) {
            if (B->place[v] < 0) wanted[count++] = v;
        }
        sti_basis_look_ahead(B, wanted, count);
        for (int c = 0; c < count; c++) assert_true(B->ahead_slot[wanted[c]] >= 0);
        wander(B, &rng, 20);
        for (int c = 0; c < count; c++) {
            if (B->place[wanted[c]] >= 0) continue;
            sti_basis_column(B, wanted[c]);
            sti_basis_direction(B, wanted[c], y);
            sti_basis_solve(B, y, x);
            assert_true(family_distance(x, B->col, n) <= 1e-10 * fmax(1, sti_max_abs(x, n)));
        }
        if (t == 2) assert_true(sti_basis_rebuild(B));
    }
    free(x);
    free(y);
    sti_basis_destroy(B);
    family_clear(&f);
}

static void refinement_reaches_rounding(void** state) {
    (void)state;
    sti_rng rng = {4};
    family f = family_make(FAMILY_MONOTONE, 60, 9);
    sti_basis* B = make(&f);
    wander(B, &rng, 30);
    for (int i = 0; i < 60; i++) B->b[i] += 1e-5 * sti_rng_u01(&rng);
    assert_true(sti_basis_refine(B, B->q, B->b) <= 1e-13);
    assert_true(defect(B, B->q, B->b) <= 4e-16 * 60 * fmax(1, sti_max_abs(B->b, 60)));
    sti_basis_destroy(B);
    family_clear(&f);
}

static void singular_bases_are_told(void** state) {
    (void)state;
    family f = family_dense(2);
    for (int k = 0; k < 4; k++) f.lcp.M.dense[k] = 1;
    f.q[0] = f.q[1] = -1;
    sti_basis* B = make(&f);
    sti_basis_column(B, 2);
    sti_basis_pivot(B, 0, 2);
    sti_basis_column(B, 3);
    assert_true(B->col[1] == 0);
    B->col[1] = 1e-17;  // a pivot that is rounding
    sti_basis_pivot(B, 1, 3);
    assert_false(sti_basis_rebuild(B));
    sti_basis_destroy(B);
    family_clear(&f);
}

// After sti_basis_cover the column of z0 is one in every row.
static void a_new_cover_enters_with_ones(void** state) {
    (void)state;
    sti_rng rng = {5};
    family f = family_make(FAMILY_DEFINITE, 25, 9);
    sti_basis* B = make(&f);
    for (int t = 0; t < 10; t++) {
        const int v = B->n + sti_rng_int(&rng, 0, B->n - 1);
        if (B->place[v] >= 0) continue;
        sti_basis_column(B, v);
        sti_basis_pivot(B, B->place[v - B->n], v);  // principal pivots: the basis stays complementary
    }
    assert_true(sti_basis_rebuild(B));
    sti_basis_cover(B);
    sti_basis_column(B, 2 * B->n);
    for (int i = 0; i < B->n; i++) assert_true(fabs(B->col[i] - 1) <= 1e-12);
    sti_basis_destroy(B);
    family_clear(&f);
}

static void scaling_is_by_powers_of_two(void** state) {
    (void)state;
    family f = family_make(FAMILY_SPD, 12, 1);
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 12; j++) f.lcp.M.dense[i * 12 + j] *= pow(10, i - j);
    }
    sti_basis* B = make(&f);
    for (int i = 0; i <= 12; i++) {
        int e;
        assert_true(frexp(B->C[i], &e) == 0.5);
        if (i < 12) assert_true(frexp(B->R[i], &e) == 0.5);
    }
    for (int i = 0; i < 12; i++) {
        double row = 0, col = 0;
        for (int j = 0; j < 12; j++) {
            row = fmax(row, fabs(column_entry(B, i, 12 + j)));
            col = fmax(col, fabs(column_entry(B, j, 12 + i)));
        }
        assert_true(row >= 1.0 / 32 && row <= 32 && col >= 1.0 / 32 && col <= 32);
    }
    sti_basis_destroy(B);
    family_clear(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_solve_the_equations_after_any_pivots),
        cmocka_unit_test(rows_of_the_inverse_invert),
        cmocka_unit_test(columns_computed_ahead_are_the_same),
        cmocka_unit_test(refinement_reaches_rounding),
        cmocka_unit_test(singular_bases_are_told),
        cmocka_unit_test(a_new_cover_enters_with_ones),
        cmocka_unit_test(scaling_is_by_powers_of_two),
    };
    return cmocka_run_group_tests(tests, open_group_env, close_group_env);
}
