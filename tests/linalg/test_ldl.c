// test_ldl.c: sparse L D L' with an ordering that is found once.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "linalg/ldl.h"
#include "support/failing_env.h"
#include "support/open_env.h"

// Symmetric pattern by columns, both triangles.
typedef struct pattern {
    int n;
    int64_t* col_start;
    int* row;
} pattern;

static pattern grid_pattern(int side) {
    pattern p = {.n = side * side};
    p.col_start = calloc((size_t)p.n + 1, sizeof *p.col_start);
    p.row = calloc(5 * (size_t)p.n, sizeof *p.row);
    assert_true(p.col_start != NULL && p.row != NULL);
    int64_t at = 0;
    for (int j = 0; j < p.n; j++) {
        if (j >= side) p.row[at++] = j - side;
        if (j % side > 0) p.row[at++] = j - 1;
        p.row[at++] = j;
        if (j % side < side - 1) p.row[at++] = j + 1;
        if (j < p.n - side) p.row[at++] = j + side;
        p.col_start[j + 1] = at;
    }
    return p;
}

// Node 0 meets everybody: the natural order fills L completely, the right one not at all.
static pattern arrow_pattern(int n) {
    pattern p = {.n = n};
    p.col_start = calloc((size_t)n + 1, sizeof *p.col_start);
    p.row = calloc(3 * (size_t)n, sizeof *p.row);
    assert_true(p.col_start != NULL && p.row != NULL);
    int64_t at = 0;
    for (int i = 0; i < n; i++) p.row[at++] = i;
    p.col_start[1] = at;
    for (int j = 1; j < n; j++) {
        p.row[at++] = 0;
        p.row[at++] = j;
        p.col_start[j + 1] = at;
    }
    return p;
}

// Cubes of side^3 nodes, apart from each other, every node with its 26 neighbours: much fill, and a forest.
static pattern cubes_pattern(int side, int cubes) {
    const int each = side * side * side;
    pattern p = {.n = cubes * each};
    p.col_start = calloc((size_t)p.n + 1, sizeof *p.col_start);
    p.row = calloc(27 * (size_t)p.n, sizeof *p.row);
    assert_true(p.col_start != NULL && p.row != NULL);
    int64_t at = 0;
    for (int j = 0; j < p.n; j++) {
        const int cube = j / each, x = j % side, y = j / side % side, z = j % each / (side * side);
        for (int dz = -1; dz <= 1; dz++) {
            for (int dy = -1; dy <= 1; dy++) {
                for (int dx = -1; dx <= 1; dx++) {
                    const int a = x + dx, b = y + dy, c = z + dz;
                    if (a < 0 || b < 0 || c < 0 || a >= side || b >= side || c >= side) continue;
                    p.row[at++] = cube * each + (c * side + b) * side + a;
                }
            }
        }
        p.col_start[j + 1] = at;
    }
    return p;
}

static void pattern_clear(pattern* p) {
    free(p->col_start);
    free(p->row);
}

static double defect(const sti_ldl* f, const double* x, const double* b) {
    double* r = calloc((size_t)f->n + 1, sizeof *r);
    assert_non_null(r);
    double worst = 0;
    for (int j = 0; j < f->n; j++) {
        for (int k = f->col_start[j]; k < f->col_start[j + 1]; k++) r[f->row[k]] += f->value[k] * x[j];
    }
    for (int i = 0; i < f->n; i++) worst = fmax(worst, fabs(r[i] - b[i]));
    free(r);
    return worst;
}

static void solve_and_check(sti_ldl* f, sti_rng* rng) {
    double *x = calloc((size_t)f->n + 1, sizeof *x), *b = calloc((size_t)f->n + 1, sizeof *b);
    assert_true(x != NULL && b != NULL);
    for (int i = 0; i < f->n; i++) b[i] = x[i] = sti_rng_u01(rng) - 0.5;
    sti_ldl_solve(f, x);
    assert_true(defect(f, x, b) < 1e-12);
    free(x);
    free(b);
}

static void one_analysis_serves_many_values(void** state) {
    (void)state;
    sti_env* env = open_env();
    pattern p = grid_pattern(30);
    sti_ldl f;
    assert_int_equal(sti_ldl_init(&f, env, p.n, p.col_start, p.row), STI_OK);
    sti_rng rng = {5};
    for (int trial = 0; trial < 5; trial++) {
        for (int j = 0; j < p.n; j++) {
            for (int k = f.col_start[j]; k < f.col_start[j + 1]; k++)
                f.value[k] = f.row[k] == j ? 4.5 + trial : -1 + 0.1 * trial;
        }
        assert_int_equal(sti_ldl_factor(&f), -1);
        assert_int_equal(sti_ldl_nonpositive_count(&f), 0);
        assert_true(sti_ldl_pivot_ratio(&f) > 0.1);
        solve_and_check(&f, &rng);
    }
    sti_ldl_clear(&f);
    pattern_clear(&p);
    sti_env_destroy(env);
}

static void the_ordering_avoids_fill(void** state) {
    (void)state;
    sti_env* env = open_env();
    pattern p = arrow_pattern(500);
    sti_ldl f;
    assert_int_equal(sti_ldl_init(&f, env, p.n, p.col_start, p.row), STI_OK);
    assert_int_equal(f.lnz, 499);
    for (int k = 0; k < p.n; k++) assert_int_equal(f.place[f.order[k]], k);
    pattern_clear(&p);
    sti_ldl_clear(&f);

    // nested dissection needs 31/4 n log2 n for a square grid; minimum degree does about as well
    p = grid_pattern(100);
    assert_int_equal(sti_ldl_init(&f, env, p.n, p.col_start, p.row), STI_OK);
    assert_true(f.lnz < 40 * p.n);
    pattern_clear(&p);
    sti_ldl_clear(&f);
    sti_env_destroy(env);
}

static void quasidefinite_matrices_factor_in_any_order(void** state) {
    (void)state;
    sti_env* env = open_env();
    pattern p = grid_pattern(12);
    sti_ldl f;
    assert_int_equal(sti_ldl_init(&f, env, p.n, p.col_start, p.row), STI_OK);
    sti_rng rng = {6};
    // chessboard: [H B; B' -G], H and G diagonal and positive, couplings only between the colours
    for (int j = 0; j < p.n; j++) {
        const int colour = (j % 12 + j / 12) % 2;
        for (int k = f.col_start[j]; k < f.col_start[j + 1]; k++)
            f.value[k] = f.row[k] != j ? 3 : colour ? -1e-2 : 1e-2;
    }
    assert_int_equal(sti_ldl_factor(&f), -1);
    assert_int_equal(sti_ldl_nonpositive_count(&f), p.n / 2);  // as many as the negative block has rows
    double x[144], b[144];
    for (int i = 0; i < 144; i++) b[i] = x[i] = sti_rng_u01(&rng);
    sti_ldl_solve(&f, x);
    assert_true(defect(&f, x, b) < 1e-9);
    sti_ldl_clear(&f);
    pattern_clear(&p);
    sti_env_destroy(env);
}

static void a_zero_pivot_names_its_column(void** state) {
    (void)state;
    sti_env* env = open_env();
    const int64_t col_start[4] = {0, 1, 2, 3};
    const int row[3] = {0, 1, 2};
    sti_ldl f;
    assert_int_equal(sti_ldl_init(&f, env, 3, col_start, row), STI_OK);
    for (int bad = 0; bad < 3; bad++) {
        for (int i = 0; i < 3; i++) f.value[i] = i == bad ? 0 : 1 + i;
        assert_int_equal(sti_ldl_factor(&f), bad);
        f.value[bad] = NAN;
        assert_int_equal(sti_ldl_factor(&f), bad);
        f.value[bad] = -5;
        assert_int_equal(sti_ldl_factor(&f), -1);
        assert_int_equal(sti_ldl_nonpositive_count(&f), 1);
    }
    sti_ldl_clear(&f);
    sti_ldl_clear(&f);  // a cleared one may be cleared again

    const int64_t none[1] = {0};
    assert_int_equal(sti_ldl_init(&f, env, 0, none, row), STI_OK);
    assert_int_equal(sti_ldl_factor(&f), -1);
    sti_ldl_solve(&f, NULL);
    sti_ldl_clear(&f);
    sti_env_destroy(env);
}

// Entry (i, j) of a symmetric matrix made of numbers of both signs, its diagonal heavy: half of it negative.
static double heavy_entry(int i, int j, int trial) {
    if (i == j) return (j % 2 ? -1 : 1) * (30.0 + trial + j % 7);
    const int low = i < j ? i : j, high = i < j ? j : i;
    return sin(1.0 + low * 0.7 + high * 1.3 + trial);
}

static void large_matrices_are_factored_by_fronts(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {9};
    static const int side[] = {12, 9, 2}, cubes[] = {1, 5, 400};
    for (int size = 0; size < 3; size++) {
        pattern p = cubes_pattern(side[size], cubes[size]);
        sti_ldl f;
        assert_int_equal(sti_ldl_init(&f, env, p.n, p.col_start, p.row), STI_OK);
        assert_int_equal(f.fronts.count > 0, size < 2);  // the last one has little fill: a column at a time
        for (int trial = 0; trial < 3; trial++) {
            for (int j = 0; j < p.n; j++) {
                for (int k = f.col_start[j]; k < f.col_start[j + 1]; k++) f.value[k] = heavy_entry(f.row[k], j, trial);
            }
            assert_int_equal(sti_ldl_factor(&f), -1);
            assert_int_equal(sti_ldl_nonpositive_count(&f), p.n / 2);  // diagonally dominant: the signs of the diagonal
            solve_and_check(&f, &rng);
        }
        sti_ldl_clear(&f);
        pattern_clear(&p);
    }
    sti_env_destroy(env);
}

static void a_bad_pivot_in_a_front_names_its_column(void** state) {
    (void)state;
    sti_env* env = open_env();
    pattern p = cubes_pattern(9, 2);
    sti_ldl f;
    assert_int_equal(sti_ldl_init(&f, env, p.n, p.col_start, p.row), STI_OK);
    for (int bad = 0; bad < p.n; bad += 97) {
        for (int j = 0; j < p.n; j++) {  // a column that nothing touches, and in it a zero, then something not a number
            for (int k = f.col_start[j]; k < f.col_start[j + 1]; k++)
                f.value[k] = j == bad || f.row[k] == bad ? 0 : heavy_entry(f.row[k], j, 0);
        }
        assert_int_equal(sti_ldl_factor(&f), bad);
        for (int k = f.col_start[bad]; k < f.col_start[bad + 1]; k++) {
            if (f.row[k] == bad) f.value[k] = NAN;
        }
        assert_int_equal(sti_ldl_factor(&f), bad);
    }
    sti_ldl_clear(&f);
    pattern_clear(&p);
    sti_env_destroy(env);
}

static void fronts_make_the_same_bits_every_time(void** state) {
    (void)state;
    sti_env* env = open_env();
    pattern p = cubes_pattern(9, 2);
    double* x[2];
    for (int run = 0; run < 2; run++) {
        sti_ldl f;
        assert_int_equal(sti_ldl_init(&f, env, p.n, p.col_start, p.row), STI_OK);
        for (int j = 0; j < p.n; j++) {
            for (int k = f.col_start[j]; k < f.col_start[j + 1]; k++) f.value[k] = heavy_entry(f.row[k], j, 1);
        }
        x[run] = calloc((size_t)p.n, sizeof *x[run]);
        assert_non_null(x[run]);
        for (int i = 0; i < p.n; i++) x[run][i] = cos(i);
        if (run == 1) assert_int_equal(sti_ldl_factor(&f), -1);  // what was there before does not matter
        assert_int_equal(sti_ldl_factor(&f), -1);
        sti_ldl_solve(&f, x[run]);
        sti_ldl_clear(&f);
    }
    assert_memory_equal(x[0], x[1], (size_t)p.n * sizeof **x);
    free(x[0]);
    free(x[1]);
    pattern_clear(&p);
    sti_env_destroy(env);
}

static void solve_few_and_check(sti_ldl* f, int few_count, const int* few, int columns) {
    double* x = calloc((size_t)(few_count * columns), sizeof *x);
    double* all = calloc((size_t)f->n, sizeof *all);
    assert_true(x != NULL && all != NULL);
    for (int i = 0; i < few_count * columns; i++) x[i] = sin(1 + i);
    sti_ldl_solve_few(f, columns, x);
    for (int c = 0; c < columns; c++) {
        for (int i = 0; i < f->n; i++) all[i] = 0;
        for (int i = 0; i < few_count; i++) all[few[i]] = sin(1 + c * few_count + i);
        sti_ldl_solve(f, all);
        for (int i = 0; i < few_count; i++) assert_true(fabs(x[c * few_count + i] - all[few[i]]) < 1e-13);
    }
    free(x);
    free(all);
}

// Columns and fronts; a few rows of a border, which come last where there are many solves, and stay where there is none
static void a_few_rows_have_solves_of_their_own(void** state) {
    (void)state;
    enum { FEW = 30 };
    static const int solves[] = {0, 1000};
    sti_env* env = open_env();
    pattern small = grid_pattern(30), large = cubes_pattern(11, 1), apart = cubes_pattern(9, 3);
    const pattern* each[] = {&small, &large, &apart};
    for (int size = 0; size < 3; size++) {
        for (int many = 0; many < 2; many++) {
            const pattern* p = each[size];
            int few[FEW];
            for (int i = 0; i < FEW; i++) few[i] = size == 2 ? 7 * i : i;
            sti_ldl f;
            assert_int_equal(sti_ldl_init_few(&f, env, p->n, p->col_start, p->row, FEW, few, solves[many], NULL),
                             STI_OK);
            assert_int_equal(f.fronts.count > 0, size > 0);
            for (int j = 0; j < p->n; j++) {
                for (int k = f.col_start[j]; k < f.col_start[j + 1]; k++) f.value[k] = heavy_entry(f.row[k], j, 1);
            }
            assert_int_equal(sti_ldl_factor(&f), -1);
            solve_few_and_check(&f, FEW, few, 1);
            solve_few_and_check(&f, FEW, few, STI_LDL_TOGETHER);
            for (int i = 0; i < FEW && many == 1; i++)
                assert_true(f.place[few[i]] >= p->n - (size == 2 ? p->n / 2 : FEW));
            sti_ldl_clear(&f);
        }
    }
    pattern_clear(&small);
    pattern_clear(&large);
    pattern_clear(&apart);
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    pattern small = grid_pattern(4), large = cubes_pattern(9, 1);
    const pattern* each[] = {&small, &large};
    for (int size = 0; size < 2; size++) {
        const pattern* p = each[size];
        for (long k = 0;; k++) {
            failing_env e;
            failing_env_open(&e, k);
            sti_ldl f;
            const int few[3] = {0, 5, 7};
            const sti_status status = sti_ldl_init_few(&f, e.env, p->n, p->col_start, p->row, 3, few, 1000, NULL);
            if (status == STI_OK) {
                assert_int_equal(f.fronts.count > 0, size == 1);
                sti_ldl_clear(&f);
            } else {
                assert_int_equal(status, STI_ERR_MEMORY);
            }
            if (failing_env_close(&e)) break;
        }
    }
    pattern_clear(&small);
    pattern_clear(&large);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_analysis_serves_many_values),
        cmocka_unit_test(the_ordering_avoids_fill),
        cmocka_unit_test(quasidefinite_matrices_factor_in_any_order),
        cmocka_unit_test(a_zero_pivot_names_its_column),
        cmocka_unit_test(large_matrices_are_factored_by_fronts),
        cmocka_unit_test(a_bad_pivot_in_a_front_names_its_column),
        cmocka_unit_test(fronts_make_the_same_bits_every_time),
        cmocka_unit_test(a_few_rows_have_solves_of_their_own),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
