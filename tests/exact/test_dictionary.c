// test_dictionary.c: exact dictionaries against elimination by hand: feasibility and minimum of small random systems
// with nonnegative, free and held variables, by Fourier-Motzkin projection in 64-bit integers; every Farkas vector
// and every vertex put back into the first dictionary.
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "exact/dictionary.h"
#include "support/failing_env.h"

enum { MAX_ROWS = 4, MAX_COLS = 3, MAX_VARS = MAX_ROWS + MAX_COLS };

// A small system: basic variable i is T_i0 + sum_j T_ij x_j.
typedef struct small {
    int rows, cols;
    int T[MAX_ROWS][MAX_COLS + 1];
    unsigned char kind[MAX_VARS];
} small;

static small random_small(sti_rng* rng, int size) {
    small s = {.rows = sti_rng_int(rng, 1, MAX_ROWS), .cols = sti_rng_int(rng, 0, MAX_COLS)};
    for (int i = 0; i < s.rows; i++) {
        for (int j = 0; j <= s.cols; j++) s.T[i][j] = sti_rng_int(rng, 0, 3) == 0 ? 0 : sti_rng_int(rng, -size, size);
    }
    const int spread = sti_rng_int(rng, 2, 9);  // few or many of the other kinds
    for (int v = 0; v < s.rows + s.cols; v++) {
        const int k = sti_rng_int(rng, 0, spread);
        s.kind[v] = k == 0 ? STI_VAR_FREE : k == 1 ? STI_VAR_ZERO : STI_VAR_NONNEGATIVE;
    }
    return s;
}

static sti_dictionary* load(sti_exact* x, const small* s) {
    sti_dictionary* D;
    if (sti_dictionary_create(x, s->rows, s->cols, &D) != STI_OK) return NULL;
    for (int i = 0; i < s->rows; i++) {
        for (int j = 0; j <= s->cols; j++) sti_int_set_i64(x, sti_dictionary_at(D, i, j), s->T[i][j]);
    }
    memcpy(D->kind, s->kind, (size_t)(s->rows + s->cols));
    return D;
}

// ---- the oracle: inequalities c_0 + sum_j c_j x_j + c_last t >= 0 with t the objective

enum { WIDTH = MAX_COLS + 2, MAX_INEQUALITIES = 40000 };

typedef struct polyhedron {
    int64_t (*c)[WIDTH];
    int count;
} polyhedron;

static int64_t gcd(int64_t a, int64_t b) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        const int64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static void add_inequality(polyhedron* p, const int64_t c[WIDTH]) {
    int64_t g = 0, reduced[WIDTH];
    bool constant = true;
    for (int j = 0; j < WIDTH; j++) {
        g = gcd(g, c[j]);
        constant = constant && (j == 0 || c[j] == 0);
    }
    if (constant && c[0] >= 0) return;
    for (int j = 0; j < WIDTH; j++) reduced[j] = c[j] / g;
    for (int k = 0; k < p->count; k++) {
        if (memcmp(p->c[k], reduced, sizeof reduced) == 0) return;
    }
    assert_true(p->count < MAX_INEQUALITIES);
    memcpy(p->c[p->count++], reduced, sizeof reduced);
}

static void add_restriction(polyhedron* p, int64_t c[WIDTH], int kind) {
    if (kind == STI_VAR_FREE) return;
    add_inequality(p, c);
    if (kind == STI_VAR_NONNEGATIVE) return;
    for (int j = 0; j < WIDTH; j++) c[j] = -c[j];
    add_inequality(p, c);
}

// Eliminate x_j, j from 1: every lower bound below every upper one.
static void project(polyhedron* p, polyhedron* out, int j) {
    out->count = 0;
    for (int a = 0; a < p->count; a++) {
        if (p->c[a][j] == 0) add_inequality(out, p->c[a]);
        for (int b = 0; p->c[a][j] > 0 && b < p->count; b++) {
            if (p->c[b][j] >= 0) continue;
            int64_t c[WIDTH];
            for (int k = 0; k < WIDTH; k++) c[k] = p->c[a][k] * -p->c[b][j] + p->c[b][k] * p->c[a][j];
            add_inequality(out, c);
        }
    }
}

typedef struct truth {
    bool feasible, bounded;
    int64_t num, den;  // the minimum, when feasible and bounded
} truth;

// Is the system feasible, and what is the least value of basic variable `objective` (ignored when negative)?
static truth find_truth(const small* s, int objective) {
    static int64_t room[2][MAX_INEQUALITIES][WIDTH];
    polyhedron p = {.c = room[0]}, next = {.c = room[1]};
    for (int j = 0; j < s->cols; j++) {
        int64_t c[WIDTH] = {0};
        c[j + 1] = 1;
        add_restriction(&p, c, s->kind[j]);
    }
    for (int i = 0; i < s->rows; i++) {
        int64_t c[WIDTH] = {0};
        for (int j = 0; j <= s->cols; j++) c[j] = s->T[i][j];
        if (i == objective) {  // t - row = 0
            int64_t e[WIDTH] = {0};
            for (int j = 0; j <= s->cols; j++) e[j] = -c[j];
            e[WIDTH - 1] = 1;
            add_restriction(&p, e, STI_VAR_ZERO);
        }
        add_restriction(&p, c, s->kind[s->cols + i]);
    }
    for (int j = 1; j <= s->cols; j++) {
        project(&p, &next, j);
        const polyhedron t = p;
        p = next;
        next = t;
    }
    truth t = {.feasible = true};
    for (int k = 0; k < p.count; k++) {  // c_0 + c_t t >= 0
        const int64_t c0 = p.c[k][0], ct = p.c[k][WIDTH - 1];
        if (ct == 0) t.feasible = false;
        for (int l = 0; l < p.count && ct > 0; l++) {
            if (p.c[l][WIDTH - 1] < 0 && -c0 * -p.c[l][WIDTH - 1] > p.c[l][0] * ct) t.feasible = false;
        }
        if (ct > 0 && (!t.bounded || -c0 * t.den > t.num * ct)) {
            t.bounded = true;
            t.num = -c0;
            t.den = ct;
        }
    }
    return t;
}

// ---- what a dictionary shows

// All variables at the point where the nonbasic ones are 0, times d, put back: the point belongs to the first
// dictionary and respects every kind.
static void assert_shows_a_feasible_point(const sti_dictionary* D, const small* s) {
    sti_exact* x = D->x;
    sti_int* value = sti_int_array(x, (size_t)(s->rows + s->cols) + 2);
    sti_int *sum = &value[s->rows + s->cols], *t = sum + 1;
    for (int i = 0; i < D->rows; i++) sti_int_set(x, &value[D->basic[i]], sti_dictionary_at(D, i, 0));
    assert_int_equal(sti_int_sign(&D->d), 1);
    for (int v = 0; v < s->rows + s->cols; v++) {
        if (s->kind[v] == STI_VAR_NONNEGATIVE) assert_true(sti_int_sign(&value[v]) >= 0);
        if (s->kind[v] == STI_VAR_ZERO) assert_int_equal(sti_int_sign(&value[v]), 0);
    }
    for (int i = 0; i < s->rows; i++) {
        sti_int_set_i64(x, sum, 0);
        for (int j = 0; j <= s->cols; j++) {
            sti_int_set_i64(x, t, s->T[i][j]);
            sti_int_addmul(x, sum, t, j == 0 ? &D->d : &value[j - 1]);
        }
        assert_int_equal(sti_int_cmp(sum, &value[s->cols + i]), 0);
    }
    sti_int_array_free(x->env, value, (size_t)(s->rows + s->cols) + 2);
}

static int64_t small_int(const sti_int* a) {
    assert_true(a->size >= -1 && a->size <= 1);
    return a->size == 0 ? 0 : a->size > 0 ? (int64_t)a->limb[0] : -(int64_t)a->limb[0];
}

static void assert_farkas_vector_is_absurd(sti_dictionary* D, const small* s) {
    sti_exact* x = D->x;
    sti_int* y = sti_int_array(x, (size_t)s->rows);
    sti_dictionary_farkas(D, y);
    assert_int_equal(x->status, STI_OK);
    int64_t shared = 0;
    for (int i = 0; i < s->rows; i++) {
        const int64_t yi = small_int(&y[i]);
        shared = gcd(shared, yi);
        if (s->kind[s->cols + i] == STI_VAR_NONNEGATIVE) assert_true(yi >= 0);
        if (s->kind[s->cols + i] == STI_VAR_FREE) assert_true(yi == 0);
    }
    assert_int_equal(shared, 1);
    for (int j = 0; j <= s->cols; j++) {
        int64_t sum = 0;
        for (int i = 0; i < s->rows; i++) sum += small_int(&y[i]) * s->T[i][j];
        if (j == 0)
            assert_true(sum < 0);
        else if (s->kind[j - 1] == STI_VAR_NONNEGATIVE)
            assert_true(sum <= 0);
        else if (s->kind[j - 1] == STI_VAR_FREE)
            assert_true(sum == 0);
    }
    sti_int_array_free(x->env, y, (size_t)s->rows);
}

static void feasibility_agrees_with_elimination_and_is_proved(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_exact x;
    sti_exact_init(&x, env);
    sti_rng rng = {51};
    int feasible = 0;
    enum { SYSTEMS = 20000 };
    for (int k = 0; k < SYSTEMS; k++) {
        const small s = random_small(&rng, 1 + k % 4);
        sti_dictionary* D = load(&x, &s);
        assert_non_null(D);
        const truth t = find_truth(&s, -1);
        assert_int_equal(sti_dictionary_feasible(D), t.feasible);
        assert_int_equal(x.status, STI_OK);
        if (t.feasible)
            assert_shows_a_feasible_point(D, &s);
        else
            assert_farkas_vector_is_absurd(D, &s);
        feasible += t.feasible;
        sti_dictionary_destroy(D);
    }
    assert_in_range(feasible, SYSTEMS / 10, SYSTEMS * 9 / 10);
    sti_exact_clear(&x);
    sti_env_destroy(env);
}

// Column `column` of an unbounded minimization: the objective falls along it and nothing restricted does.
static void assert_column_is_a_ray(const sti_dictionary* D, int objective, int column) {
    assert_int_equal(D->kind[D->nonbasic[column]], STI_VAR_NONNEGATIVE);
    for (int i = 0; i < D->rows; i++) {
        const int sign = sti_int_sign(sti_dictionary_at(D, i, column + 1));
        if (D->basic[i] == objective)
            assert_int_equal(sign, -1);
        else if (D->kind[D->basic[i]] == STI_VAR_NONNEGATIVE)
            assert_true(sign >= 0);
        else if (D->kind[D->basic[i]] == STI_VAR_ZERO)
            assert_int_equal(sign, 0);
    }
}

static void the_minimum_agrees_with_elimination(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_exact x;
    sti_exact_init(&x, env);
    sti_rng rng = {52};
    int minima = 0, unbounded = 0;
    sti_int t1 = {0}, t2 = {0};
    for (int k = 0; k < 20000; k++) {
        small s = random_small(&rng, 1 + k % 4);
        const int objective = sti_rng_int(&rng, 0, s.rows - 1);
        s.kind[s.cols + objective] = STI_VAR_FREE;
        sti_dictionary* D = load(&x, &s);
        assert_non_null(D);
        const truth t = find_truth(&s, objective);
        int column;
        assert_int_equal(sti_dictionary_feasible(D), t.feasible);
        // the feasibility step holds a free variable at 0 when no restricted row depends on it, whether the objective
        // does or not: such systems are left out
        bool loose = false;
        for (int j = 0; j < s.cols; j++) loose = loose || (s.kind[j] == STI_VAR_FREE && D->kind[j] == STI_VAR_ZERO);
        if (t.feasible && !loose) {
            const bool optimal = sti_dictionary_minimize(D, s.cols + objective, &column);
            assert_int_equal(optimal, t.bounded);
            assert_shows_a_feasible_point(D, &s);
            if (optimal) {
                const int row = sti_dictionary_row_of(D, s.cols + objective);
                assert_true(row >= 0);
                sti_int_set_i64(&x, &t1, t.den);
                sti_int_set_i64(&x, &t2, t.num);
                sti_int_mul(&x, &t1, &t1, sti_dictionary_at(D, row, 0));
                sti_int_mul(&x, &t2, &t2, &D->d);
                assert_int_equal(sti_int_cmp(&t1, &t2), 0);
                minima++;
            } else {
                assert_column_is_a_ray(D, s.cols + objective, column);
                unbounded++;
            }
        }
        sti_dictionary_destroy(D);
    }
    assert_true(minima > 2000 && unbounded > 2000);
    sti_int_clear(env, &t1);
    sti_int_clear(env, &t2);
    sti_exact_clear(&x);
    sti_env_destroy(env);
}

// ---- pivots

enum { ROWS = 9, COLS = 8 };

// Values of all variables for given x (COLS), from the first dictionary; the current one must agree.
static void assert_same_system(const sti_dictionary* D, const sti_int* first, sti_rng* rng) {
    sti_exact* x = D->x;
    sti_int* value = sti_int_array(x, ROWS + COLS + 2);
    sti_int *sum = &value[ROWS + COLS], *scaled = sum + 1;
    for (int j = 0; j < COLS; j++) sti_int_set_i64(x, &value[j], sti_rng_int(rng, -1000, 1000));
    for (int i = 0; i < ROWS; i++) {
        sti_int_set(x, &value[COLS + i], &first[i * (COLS + 1)]);
        for (int j = 0; j < COLS; j++) sti_int_addmul(x, &value[COLS + i], &first[i * (COLS + 1) + j + 1], &value[j]);
    }
    bool seen[ROWS + COLS] = {false};
    for (int i = 0; i < ROWS; i++) {
        sti_int_set(x, sum, sti_dictionary_at(D, i, 0));
        for (int j = 0; j < COLS; j++) sti_int_addmul(x, sum, sti_dictionary_at(D, i, j + 1), &value[D->nonbasic[j]]);
        sti_int_mul(x, scaled, &D->d, &value[D->basic[i]]);
        assert_int_equal(sti_int_cmp(sum, scaled), 0);
        seen[D->basic[i]] = true;
        assert_int_equal(sti_dictionary_row_of(D, D->basic[i]), i);
    }
    for (int j = 0; j < COLS; j++) {
        seen[D->nonbasic[j]] = true;
        assert_int_equal(sti_dictionary_row_of(D, D->nonbasic[j]), -1);
    }
    for (int v = 0; v < ROWS + COLS; v++) assert_true(seen[v]);
    assert_int_equal(sti_int_sign(&D->d), 1);
    sti_int_array_free(x->env, value, ROWS + COLS + 2);
}

static void pivots_keep_the_system_and_undo_each_other(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_exact x;
    sti_exact_init(&x, env);
    sti_rng rng = {53};
    sti_dictionary *D, *before;
    assert_int_equal(sti_dictionary_create(&x, ROWS, COLS, &D), STI_OK);
    assert_int_equal(sti_dictionary_create(&x, ROWS, COLS, &before), STI_OK);
    sti_int* first = sti_int_array(&x, ROWS * (COLS + 1));
    for (int i = 0; i < ROWS * (COLS + 1); i++) {
        sti_int_set_i64(&x, &first[i], sti_rng_int(&rng, -9, 9));
        if (i % 7 == 0) sti_int_shl(&x, &first[i], &first[i], 57);  // entries of one limb and of many
        sti_int_set(&x, &D->T[i], &first[i]);
    }
    int done = 0;
    while (done < 300) {
        const int r = sti_rng_int(&rng, 0, ROWS - 1), c = sti_rng_int(&rng, 0, COLS - 1);
        if (sti_int_sign(sti_dictionary_at(D, r, c + 1)) == 0) continue;
        sti_dictionary_copy(before, D);
        sti_dictionary_pivot(D, r, c);
        assert_int_equal(x.status, STI_OK);
        assert_same_system(D, first, &rng);
        if (done++ % 3 != 0) continue;
        sti_dictionary_pivot(D, r, c);
        for (int i = 0; i < ROWS * (COLS + 1); i++) assert_int_equal(sti_int_cmp(&D->T[i], &before->T[i]), 0);
        assert_int_equal(sti_int_cmp(&D->d, &before->d), 0);
        assert_memory_equal(D->basic, before->basic, sizeof(int) * ROWS);
        assert_memory_equal(D->nonbasic, before->nonbasic, sizeof(int) * COLS);
        assert_int_equal(D->pivots, before->pivots + 2);
    }
    sti_int_array_free(env, first, ROWS * (COLS + 1));
    sti_dictionary_destroy(D);
    sti_dictionary_destroy(before);
    sti_dictionary_destroy(NULL);
    sti_exact_clear(&x);
    sti_env_destroy(env);
}

// Tied ratios throughout: all constants 0. Bland's rule ends.
static void degenerate_systems_do_not_cycle(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_exact x;
    sti_exact_init(&x, env);
    sti_rng rng = {54};
    for (int k = 0; k < 300; k++) {
        sti_dictionary* D;
        assert_int_equal(sti_dictionary_create(&x, ROWS, COLS, &D), STI_OK);
        for (int i = 0; i < ROWS; i++) {
            for (int j = 1; j <= COLS; j++) sti_int_set_i64(&x, sti_dictionary_at(D, i, j), sti_rng_int(&rng, -2, 2));
        }
        D->kind[COLS] = STI_VAR_FREE;
        int column;
        assert_true(sti_dictionary_feasible(D));  // x = 0
        const bool optimal = sti_dictionary_minimize(D, COLS, &column);
        const int row = sti_dictionary_row_of(D, COLS);
        assert_int_equal(sti_int_sign(sti_dictionary_at(D, row, 0)), 0);
        if (!optimal) assert_column_is_a_ray(D, COLS, column);
        sti_dictionary_destroy(D);
    }
    sti_exact_clear(&x);
    sti_env_destroy(env);
}

// ---- failed allocations

static bool everything(sti_exact* x, const small* s, int objective) {
    sti_dictionary *D = load(x, s), *copy = NULL;
    int column;
    if (D == NULL || sti_dictionary_create(x, s->rows, s->cols, &copy) != STI_OK) {
        sti_dictionary_destroy(D);
        return false;
    }
    const bool feasible = sti_dictionary_feasible(D);
    if (feasible) sti_dictionary_minimize(D, s->cols + objective, &column);
    sti_dictionary_copy(copy, D);
    if (x->status == STI_OK && !feasible) {
        sti_int* y = sti_int_array(x, (size_t)s->rows);
        if (y != NULL) sti_dictionary_farkas(copy, y);
        sti_int_array_free(x->env, y, (size_t)s->rows);
    }
    sti_dictionary_destroy(D);
    sti_dictionary_destroy(copy);
    return x->status == STI_OK;
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    sti_rng rng = {55};
    for (int system = 0; system < 12; system++) {
        small s = random_small(&rng, 9);
        for (int i = 0; i < s.rows; i++) s.T[i][0] = sti_rng_int(&rng, -1000000000, 1000000000);
        s.kind[s.cols] = STI_VAR_FREE;
        long k = 0;
        for (bool done = false; !done; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_exact x;
            sti_exact_init(&x, f.env);
            const bool ok = everything(&x, &s, 0);
            assert_int_equal(ok, f.count <= k);
            if (!ok) assert_int_equal(sti_env_error(f.env)->status, STI_ERR_MEMORY);
            sti_exact_clear(&x);
            done = failing_env_close(&f);
        }
        assert_true(k > 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feasibility_agrees_with_elimination_and_is_proved),
        cmocka_unit_test(the_minimum_agrees_with_elimination),
        cmocka_unit_test(pivots_keep_the_system_and_undo_each_other),
        cmocka_unit_test(degenerate_systems_do_not_cycle),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("dictionary", tests, NULL, NULL);
}
