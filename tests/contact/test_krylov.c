// L U of blocks over the contact graph, GMRES beside it, and the linear pieces of Coulomb's law.
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "contact/curnier.h"
#include "contact/krylov.h"
#include "linalg/blocks.h"
#include "support/failing_env.h"
#include "support/open_env.h"
#include "support/random.h"

enum { MOST = 40 };

typedef struct sample {
    int d, n;
    double dense[3 * MOST * 3 * MOST];
    sti_bsr A;
} sample;

// Blocks (i, j) where touch says so, on one side at least; the diagonal heavy enough for elimination without exchanges
// between blocks.
static sample* make_sample(sti_env* env, int d, int n, bool (*touch)(int, int, sti_rng*), sti_rng* rng) {
    sample* s = calloc(1, sizeof *s);
    s->d = d;
    s->n = n;
    const int rows = d * n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (i != j && !touch(i, j, rng)) continue;
            for (int k = 0; k < d * d; k++) s->dense[(d * i + k / d) * rows + d * j + k % d] = symmetric(rng);
        }
    }
    for (int i = 0; i < rows; i++) s->dense[i * rows + i] += 2 * d * n;
    const sti_matrix M = sti_matrix_dense_view(rows, rows, s->dense);
    assert_int_equal(sti_bsr_from_matrix(env, &M, d, &s->A), STI_OK);
    return s;
}

static void drop_sample(sti_env* env, sample* s) {
    sti_bsr_clear(env, &s->A);
    free(s);
}

static bool touch_seldom(int i, int j, sti_rng* rng) {
    (void)i;
    (void)j;
    return sti_rng_int(rng, 0, 9) == 0;
}

static bool touch_always(int i, int j, sti_rng* rng) {
    (void)i;
    (void)j;
    (void)rng;
    return true;
}

static bool touch_in_chains(int i, int j, sti_rng* rng) {  // chains of five: no fill in any good order
    (void)rng;
    return i / 5 == j / 5 && (i == j + 1 || j == i + 1);
}

static bool (*const patterns[])(int, int, sti_rng*) = {touch_seldom, touch_always, touch_in_chains};

// The pattern of A + A', with room for its factors.
typedef struct factors {
    sti_arena memory;
    sti_bsr_pattern pattern;
    sti_blocks lu;
    unsigned char dim[MOST];
    double tiny[MOST];
} factors;

static sti_status open_factors(factors* f, sti_env* env, const sample* s, bool complete) {
    *f = (factors){.memory = sti_arena_make(env)};
    memset(f->dim, s->d, sizeof f->dim);
    sti_status status = sti_bsr_pattern_make(&f->memory, &s->A, &f->pattern);
    if (status == STI_OK)
        status = sti_blocks_shape_within(&f->lu, env, s->n, s->d, f->pattern.first, f->pattern.near,
                                         complete ? INT64_MAX : 0, INFINITY);
    return status;
}

static void close_factors(factors* f) {
    sti_blocks_clear(&f->lu, f->memory.env);
    sti_arena_clear(&f->memory);
}

// Of every block its first dim rows and columns.
static void write_blocks(factors* f, const sample* s) {
    const int d = s->d;
    for (int c = 0; c < s->n; c++) {
        for (int64_t t = s->A.row_start[c]; t < s->A.row_start[c + 1]; t++) {
            double* to = f->lu.value + f->pattern.entry[t] * d * d;
            const int other = s->A.col[t];
            for (int a = 0; a < d; a++) {
                for (int b = 0; b < d; b++)
                    to[b * d + a] = a < f->dim[c] && b < f->dim[other] ? s->A.block[t * d * d + a * d + b] : 0;
            }
        }
    }
}

static bool factor(factors* f, int first, int last) {
    return sti_blocks_factor_part(&f->lu, first, last, f->dim, f->tiny);
}

static void solve(const factors* f, int first, int last, double* x) {
    sti_blocks_solve_part(&f->lu, first, last, f->dim, x);
}

// |A x - b| over the rows and columns that count, relative.
static double linear_error(const factors* f, const sample* s, const double* x, const double* b) {
    const int d = s->d, rows = d * s->n;
    double error = 0, size = 0;
    for (int i = 0; i < rows; i++) {
        if (i % d >= f->dim[i / d]) continue;
        double sum = -b[i];
        for (int j = 0; j < rows; j++) {
            if (j % d < f->dim[j / d]) sum += s->dense[i * rows + j] * x[j];
        }
        error = fmax(error, fabs(sum));
        size = fmax(size, fabs(b[i]));
    }
    return size > 0 ? error / size : error;
}

static void factors_solve_what_was_written(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 4};
    for (int k = 0; k < 90; k++) {
        const int d = 2 + k % 2, n = 1 + k % 37;
        sample* s = make_sample(env, d, n, patterns[k % 3], &rng);
        factors f;
        assert_int_equal(open_factors(&f, env, s, true), STI_OK);
        assert_true(f.lu.complete);
        double b[3 * MOST], x[3 * MOST];
        for (int pass = 0; pass < 3; pass++) {  // the pattern is used again with other blocks taking part
            for (int i = 0; i < n; i++) f.dim[i] = (unsigned char)(pass == 0 ? d : sti_rng_int(&rng, 0, d));
            for (int i = 0; i < d * n; i++) x[i] = b[i] = symmetric(&rng);
            write_blocks(&f, s);
            assert_true(factor(&f, 0, n));
            solve(&f, 0, n, x);
            assert_true(linear_error(&f, s, x, b) <= 1e-11);
            for (int i = 0; i < d * n; i++) {
                if (i % d >= f.dim[i / d]) assert_true(x[i] == b[i]);
            }
        }
        close_factors(&f);
        drop_sample(env, s);
    }
    sti_env_destroy(env);
}

static void islands_are_ranges_that_no_block_leaves(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 14};
    for (int k = 0; k < 60; k++) {
        const int d = 2 + k % 2, n = 1 + k % 37;
        sample* s = make_sample(env, d, n, patterns[k % 3], &rng);
        factors f;
        assert_int_equal(open_factors(&f, env, s, true), STI_OK);
        if (k % 3 == 1) assert_int_equal(f.lu.islands, 1);
        if (k % 3 == 2) assert_int_equal(f.lu.islands, (n + 4) / 5);
        assert_int_equal(f.lu.island_start[0], 0);
        assert_int_equal(f.lu.island_start[f.lu.islands], n);
        int island[MOST];
        for (int i = 0; i < f.lu.islands; i++) {
            assert_true(f.lu.island_start[i] < f.lu.island_start[i + 1]);
            for (int p = f.lu.island_start[i]; p < f.lu.island_start[i + 1]; p++) {
                assert_int_equal(f.lu.place[f.lu.order[p]], p);
                island[f.lu.order[p]] = i;
            }
        }
        for (int c = 0; c < n; c++) {
            for (int64_t t = s->A.row_start[c]; t < s->A.row_start[c + 1]; t++)
                assert_int_equal(island[c], island[s->A.col[t]]);
        }
        // an island alone
        double b[3 * MOST], x[3 * MOST];
        for (int i = 0; i < n; i++) f.dim[i] = 0;
        const int last = f.lu.islands - 1, first_row = f.lu.island_start[last];
        for (int p = first_row; p < n; p++) f.dim[f.lu.order[p]] = (unsigned char)d;
        for (int i = 0; i < d * n; i++) x[i] = b[i] = symmetric(&rng);
        write_blocks(&f, s);
        assert_true(factor(&f, first_row, n));
        solve(&f, first_row, n, x);
        assert_true(linear_error(&f, s, x, b) <= 1e-11);
        close_factors(&f);
        drop_sample(env, s);
    }
    sti_env_destroy(env);
}

typedef struct pair {
    const sample* s;
    factors* f;
} pair;

static void product(void* user, const double* x, double* y) {
    const pair* p = user;
    sti_bsr_multiply(&p->s->A, x, y);
}

static void precondition(void* user, const double* x, double* y) {
    const pair* p = user;
    memcpy(y, x, (size_t)(p->s->d * p->s->n) * sizeof *y);
    solve(p->f, 0, p->s->n, y);
}

static void gmres_with_incomplete_factors_solves(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 24};
    for (int k = 0; k < 60; k++) {
        const int d = 2 + k % 2, n = 1 + k % 37, rows = d * n;
        sample* s = make_sample(env, d, n, patterns[k % 3], &rng);
        factors f;
        sti_krylov g;
        assert_int_equal(open_factors(&f, env, s, false), STI_OK);
        assert_int_equal(sti_krylov_init(&g, env, rows, 7), STI_OK);  // short: restarts happen
        assert_false(f.lu.complete);
        double b[3 * MOST], x[3 * MOST];
        for (int i = 0; i < rows; i++) b[i] = symmetric(&rng);
        write_blocks(&f, s);
        assert_true(factor(&f, 0, n));
        pair user = {s, &f};
        assert_true(sti_krylov_solve(&g, product, precondition, &user, b, 1e-11, 500, x) <= 1e-11);
        assert_true(linear_error(&f, s, x, b) <= 1e-9);
        if (k % 3 == 2) {  // no fill was dropped: the factors were exact
            memcpy(x, b, (size_t)rows * sizeof *b);
            solve(&f, 0, n, x);
            assert_true(linear_error(&f, s, x, b) <= 1e-11);
        }
        memset(b, 0, sizeof b);
        assert_true(sti_krylov_solve(&g, product, precondition, &user, b, 1e-11, 500, x) == 0);
        for (int i = 0; i < rows; i++) assert_true(x[i] == 0);
        sti_krylov_clear(&g);
        close_factors(&f);
        drop_sample(env, s);
    }
    sti_env_destroy(env);
}

static void small_pivots_are_raised_and_numbers_out_of_range_reported(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 1};
    sample* s = make_sample(env, 3, 1, touch_always, &rng);
    factors f;
    assert_int_equal(open_factors(&f, env, s, true), STI_OK);
    double x[3] = {1, 2, 3};
    f.tiny[0] = 0.5;
    memset(s->A.block, 0, 9 * sizeof(double));
    s->A.block[0] = 4;
    write_blocks(&f, s);
    assert_true(factor(&f, 0, 1));
    solve(&f, 0, 1, x);
    assert_true(x[0] == 0.25 && x[1] == 4 && x[2] == 6);
    s->A.block[4] = NAN;
    write_blocks(&f, s);
    assert_false(factor(&f, 0, 1));
    close_factors(&f);
    drop_sample(env, s);
    sti_env_destroy(env);
}

// A full Newton step multiplies F by zero: along it |F| falls like 1 - h.
static void pieces_are_the_derivative_of_the_law(void** state) {
    (void)state;
    sti_rng rng = {.state = 2};
    int seen[3] = {0};
    for (int k = 0; k < 2000; k++) {
        const int d = 2 + k % 2;
        const double mu = k % 10 == 0 ? 0 : sti_rng_u01(&rng), rho = 0.2 + sti_rng_u01(&rng), h = 1e-6;
        double r[3], v[3], next_r[3], next_v[3] = {0}, y[3], moved_r[3], moved_v[3];
        for (int i = 0; i < 3; i++) {
            r[i] = (i == 0 ? 2 : 1) * symmetric(&rng);
            v[i] = symmetric(&rng);
            y[i] = symmetric(&rng);
        }
        sti_contact_piece piece;
        const double before = sti_curnier(d, mu, rho, r, v, &piece);
        seen[piece.dim == 0 ? 0 : piece.slide ? 2 : 1]++;
        sti_piece_force(d, &piece, y, next_r);
        if (piece.dim == 0) {
            for (int i = 0; i < d; i++) next_v[i] = symmetric(&rng);
        } else if (piece.slide) {
            const double along = symmetric(&rng),
                         across = piece.dim == 2 ? -piece.stiff * y[1] / piece.kappa : symmetric(&rng);
            next_v[1] = along * piece.s[0] - (d == 3 ? across * piece.s[1] : 0);
            next_v[2] = along * piece.s[1] + across * piece.s[0];
        }
        for (int i = 0; i < d; i++) {
            moved_r[i] = r[i] + h * (next_r[i] - r[i]);
            moved_v[i] = v[i] + h * (next_v[i] - v[i]);
        }
        sti_contact_piece after;
        const double moved = sti_curnier(d, mu, rho, moved_r, moved_v, &after);
        if (after.dim != piece.dim || after.slide != piece.slide) continue;  // a border in between
        const double reach = fabs(next_v[1]) + fabs(next_v[2]) + 5;
        assert_true(fabs(sqrt(moved) - (1 - h) * sqrt(before)) <= 50 * h * h * reach * reach + 1e-15);
        double back[3], zero[9] = {0};
        sti_piece_coordinates(d, &piece, next_r, back);
        for (int i = 0; i < piece.dim; i++) assert_true(fabs(back[i] - y[i]) <= 1e-14);
        sti_piece_stiffness(d, &piece, zero);
        assert_true(zero[d + 1] == (piece.slide && piece.dim == 2 ? piece.stiff : 0));
    }
    assert_true(seen[0] > 100 && seen[1] > 100 && seen[2] > 100);
}

static void rows_and_columns_of_a_piece_are_its_equations_and_forces(void** state) {
    (void)state;
    sti_rng rng = {.state = 9};
    for (int k = 0; k < 500; k++) {
        const int d = 2 + k % 2;
        double r[3], v[3], T[9], W[9], y[3] = {0}, force[3], velocity[3], expected[3];
        for (int i = 0; i < 3; i++) {
            r[i] = 1 + symmetric(&rng);
            v[i] = symmetric(&rng);
        }
        for (int i = 0; i < 9; i++) T[i] = W[i] = symmetric(&rng);
        sti_contact_piece piece;
        sti_curnier(d, k % 5 == 0 ? 0 : 0.5, 0.7, r, v, &piece);
        for (int i = 0; i < piece.dim; i++) y[i] = symmetric(&rng);
        if (piece.dim == 0) continue;
        sti_piece_columns(d, &piece, T);
        sti_piece_rows(d, &piece, T);
        sti_piece_force(d, &piece, y, force);
        for (int i = 0; i < d; i++) {
            velocity[i] = 0;
            for (int j = 0; j < d; j++) velocity[i] += W[i * d + j] * force[j];
        }
        sti_piece_equation(d, &piece, velocity, expected);
        for (int i = 0; i < d; i++) {
            double sum = 0;
            for (int j = 0; j < d; j++) {
                sum += T[i * d + j] * y[j];
                if (i >= piece.dim || j >= piece.dim) assert_true(T[i * d + j] == 0);
            }
            assert_true(fabs(sum - expected[i]) <= 1e-14);
        }
    }
}

static void failed_allocations_leave_nothing_behind(void** state) {
    (void)state;
    sti_env* env = open_env();
    sti_rng rng = {.state = 7};
    sample* s = make_sample(env, 3, 12, touch_seldom, &rng);
    for (int incomplete = 0; incomplete < 2; incomplete++) {
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            factors lu;
            sti_status status = open_factors(&lu, f.env, s, !incomplete);
            if (status == STI_OK) {
                sti_krylov g;
                status = sti_krylov_init(&g, f.env, 36, 5);
                sti_krylov_clear(&g);
            }
            close_factors(&lu);
            assert_true(status == STI_OK || status == STI_ERR_MEMORY);
            const bool done = failing_env_close(&f);
            assert_true(done == (status == STI_OK));
            if (done) break;
        }
    }
    drop_sample(env, s);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_solve_what_was_written),
        cmocka_unit_test(islands_are_ranges_that_no_block_leaves),
        cmocka_unit_test(gmres_with_incomplete_factors_solves),
        cmocka_unit_test(small_pivots_are_raised_and_numbers_out_of_range_reported),
        cmocka_unit_test(pieces_are_the_derivative_of_the_law),
        cmocka_unit_test(rows_and_columns_of_a_piece_are_its_equations_and_forces),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
