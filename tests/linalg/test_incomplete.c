// test_incomplete.c: incomplete factors of limited memory, by what conjugate gradients make of them.
#include <math.h>
#include <string.h>

#include "linalg/incomplete.h"
#include "support/failing_env.h"
#include "support/late_env.h"
#include "support/open_env.h"

enum { SIDE = 40, N = SIDE * SIDE };

// A grid whose edges have weights of very different size, both triangles; `hold` more on the diagonal.
typedef struct grid {
    int start[N + 1], row[5 * N];
    double value[5 * N];
} grid;

static double edge(int a, int b) {
    const int low = a < b ? a : b;
    return pow(10, low % 7 - 3);
}

static void add(grid* g, int* at, int j, int i, double* diagonal) {
    g->row[*at] = i;
    g->value[(*at)++] = -edge(i, j);
    *diagonal += edge(i, j);
}

static void make_grid(grid* g, double hold) {
    int at = 0;
    for (int j = 0; j < N; j++) {
        double diagonal = hold;
        g->start[j] = at;
        if (j >= SIDE) add(g, &at, j, j - SIDE, &diagonal);
        if (j % SIDE > 0) add(g, &at, j, j - 1, &diagonal);
        if (j % SIDE < SIDE - 1) add(g, &at, j, j + 1, &diagonal);
        if (j < N - SIDE) add(g, &at, j, j + SIDE, &diagonal);
        g->row[at] = j;
        g->value[at++] = diagonal;
    }
    g->start[N] = at;
}

static void multiply(const grid* g, const double* x, double* y) {
    for (int j = 0; j < N; j++) {
        double sum = 0;
        for (int k = g->start[j]; k < g->start[j + 1]; k++) sum += g->value[k] * x[g->row[k]];
        y[j] = sum;
    }
}

static double dot(const double* a, const double* b) {
    double sum = 0;
    for (int j = 0; j < N; j++) sum += a[j] * b[j];
    return sum;
}

// Steps of conjugate gradients until the residual, measured by the preconditioner, is a millionth; NULL: none.
static int steps_to_solve(const grid* g, sti_incomplete* f) {
    static double x[N], r[N], z[N], p[N], q[N];
    for (int j = 0; j < N; j++) r[j] = sin(j + 1);
    double mean = 0;
    for (int j = 0; j < N; j++) mean += r[j] / N;
    for (int j = 0; j < N; j++) r[j] -= mean;  // what a grid that is not held can meet
    memset(x, 0, sizeof x);
    double product = 0, first = 0;
    for (int k = 0; k < 5000; k++) {
        if (f != NULL) {
            sti_incomplete_solve(f, r, z);
        } else {
            memcpy(z, r, sizeof z);
        }
        const double next = dot(r, z);
        assert_true(next > 0);
        if (k == 0) first = next;
        if (next <= 1e-12 * first) return k;
        for (int j = 0; j < N; j++) p[j] = k == 0 ? z[j] : z[j] + next / product * p[j];
        product = next;
        multiply(g, p, q);
        const double step = product / dot(p, q);
        for (int j = 0; j < N; j++) {
            x[j] += step * p[j];
            r[j] -= step * q[j];
        }
    }
    return 5000;
}

static int steps_with(sti_env* env, const grid* g, int entries, double* shift) {
    sti_incomplete f;
    assert_int_equal(sti_incomplete_init(&f, env, N, g->start, g->row, entries), STI_OK);
    assert_int_equal(sti_incomplete_factor(&f, g->start, g->row, g->value), STI_INCOMPLETE_DONE);
    const int steps = steps_to_solve(g, &f);
    *shift = f.shift;
    sti_incomplete_clear(&f);
    return steps;
}

static void more_memory_takes_fewer_steps(void** state) {
    static grid g;
    make_grid(&g, 1e-3);
    double shift;
    const int none = steps_to_solve(&g, NULL), few = steps_with(*state, &g, 4, &shift);
    const int many = steps_with(*state, &g, 30, &shift);
    assert_true(none > 1000);
    assert_true(few < 60);
    assert_true(many < few);
    assert_true(shift == 0);
}

// The constant vector has no product with it.
static void a_singular_matrix_is_shifted_and_serves(void** state) {
    static grid g;
    make_grid(&g, 0);
    double shift;
    assert_true(steps_with(*state, &g, 60, &shift) < 60);
    assert_true(shift <= 1e-4);
}

static void nothing_is_dropped_of_a_chain(void** state) {
    enum { LENGTH = 9 };
    int start[LENGTH + 1], row[3 * LENGTH], at = 0;
    double value[3 * LENGTH], b[LENGTH], x[LENGTH];
    for (int j = 0; j < LENGTH; j++) {
        start[j] = at;
        for (int i = j - 1; i <= j + 1; i++) {
            if (i < 0 || i >= LENGTH) continue;
            row[at] = i;
            value[at++] = i == j ? 3 : -1;
        }
    }
    start[LENGTH] = at;
    sti_incomplete f;
    assert_int_equal(sti_incomplete_init(&f, *state, LENGTH, start, row, 1), STI_OK);
    assert_int_equal(sti_incomplete_factor(&f, start, row, value), STI_INCOMPLETE_DONE);
    for (int j = 0; j < LENGTH; j++) b[j] = (j > 0 ? -j : 0) + 3 * (j + 1) - (j + 1 < LENGTH ? j + 2 : 0);
    sti_incomplete_solve(&f, b, x);  // x_j = j + 1
    for (int j = 0; j < LENGTH; j++) assert_true(fabs(x[j] - j - 1) < 1e-12);
    sti_incomplete_clear(&f);
}

static void what_is_not_positive_is_said(void** state) {
    const int start[] = {0, 2, 4}, row[] = {0, 1, 0, 1};
    const double zero[] = {0, 1, 1, 2}, indefinite[] = {1, -3, -3, 1};
    sti_incomplete f;
    assert_int_equal(sti_incomplete_init(&f, *state, 2, start, row, 1), STI_OK);
    assert_int_equal(sti_incomplete_factor(&f, start, row, zero), STI_INCOMPLETE_FAILED);
    assert_int_equal(sti_incomplete_factor(&f, start, row, indefinite), STI_INCOMPLETE_FAILED);
    sti_incomplete_clear(&f);
}

static void a_deadline_ends_it(void** state) {
    static grid g;
    (void)state;
    make_grid(&g, 1);
    late_env l;
    late_env_open(&l, 2);
    sti_incomplete f;
    assert_int_equal(sti_incomplete_init(&f, l.memory.env, N, g.start, g.row, 5), STI_OK);
    f.deadline = 2;
    assert_int_equal(sti_incomplete_factor(&f, g.start, g.row, g.value), STI_INCOMPLETE_LATE);
    sti_incomplete_clear(&f);
    late_env_close(&l);
}

static void every_allocation_may_fail(void** state) {
    static grid g;
    (void)state;
    make_grid(&g, 1);
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_incomplete part;
        const sti_status status = sti_incomplete_init(&part, f.env, N, g.start, g.row, 5);
        if (status == STI_OK) sti_incomplete_clear(&part);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_memory_takes_fewer_steps),
        cmocka_unit_test(a_singular_matrix_is_shifted_and_serves),
        cmocka_unit_test(nothing_is_dropped_of_a_chain),
        cmocka_unit_test(what_is_not_positive_is_said),
        cmocka_unit_test(a_deadline_ends_it),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
