// test_dissection.c: orders by nested dissection: whole, the same every time, and with less fill on grids.
#include <string.h>

#include "base/rng.h"
#include "linalg/dissection.h"
#include "linalg/ldl.h"
#include "linalg/separator.h"
#include "support/failing_env.h"
#include "support/open_env.h"

// A grid whose nodes meet their eight neighbours, nodes numbered through `name`.
typedef struct grid {
    int n;
    int* col_start;
    int* row;
} grid;

static grid make_grid(int side, const int* name) {
    grid g = {.n = side * side};
    g.col_start = calloc((size_t)g.n + 1, sizeof *g.col_start);
    g.row = calloc(9 * (size_t)g.n, sizeof *g.row);
    int* where = calloc((size_t)g.n, sizeof *where);
    assert_true(g.col_start != NULL && g.row != NULL && where != NULL);
    for (int k = 0; k < g.n; k++) where[name != NULL ? name[k] : k] = k;
    int at = 0;
    for (int j = 0; j < g.n; j++) {
        const int x = where[j] % side, y = where[j] / side;
        for (int v = y - 1; v <= y + 1; v++) {
            for (int u = x - 1; u <= x + 1; u++) {
                if (u < 0 || v < 0 || u >= side || v >= side) continue;
                g.row[at++] = name != NULL ? name[v * side + u] : v * side + u;
            }
        }
        g.col_start[j + 1] = at;
    }
    free(where);
    return g;
}

static void drop_grid(grid* g) {
    free(g->col_start);
    free(g->row);
}

static bool is_permutation(const int* order, int n) {
    bool* seen = calloc((size_t)n, sizeof *seen);
    assert_non_null(seen);
    bool all = true;
    for (int k = 0; k < n; k++) {
        all = all && order[k] >= 0 && order[k] < n && !seen[order[k]];
        if (all) seen[order[k]] = true;
    }
    free(seen);
    return all;
}

// Multiplications of a factorization in an order, by elimination of one node after the other in a full table.
static double work_of(const grid* g, const int* order) {
    const size_t n = (size_t)g->n;
    bool* meets = calloc(n * n, sizeof *meets);
    int* place = calloc(n, sizeof *place);
    assert_true(meets != NULL && place != NULL);
    for (int k = 0; k < g->n; k++) place[order[k]] = k;
    for (int j = 0; j < g->n; j++) {
        for (int k = g->col_start[j]; k < g->col_start[j + 1]; k++)
            meets[(size_t)place[j] * n + (size_t)place[g->row[k]]] = true;
    }
    double work = 0;
    for (size_t p = 0; p < n; p++) {
        double count = 0;
        for (size_t i = p + 1; i < n; i++) {
            if (!meets[p * n + i]) continue;
            count++;
            for (size_t j = p + 1; j < n; j++) meets[i * n + j] = meets[i * n + j] || meets[p * n + j];
        }
        work += count * count;
    }
    free(meets);
    free(place);
    return work;
}

static void a_separator_parts_the_graph(void** state) {
    grid g = make_grid(40, NULL);
    sti_weighted_graph w;
    assert_int_equal(sti_weighted_graph_init(*state, g.n, g.col_start[g.n], &w), STI_OK);
    int at = 0;
    for (int j = 0; j < g.n; j++) {
        w.start[j] = at;
        w.vertex_weight[j] = 1;
        for (int k = g.col_start[j]; k < g.col_start[j + 1]; k++) {
            if (g.row[k] == j) continue;
            w.to[at] = g.row[k];
            w.edge_weight[at++] = 1;
        }
    }
    w.start[g.n] = at;
    sti_rng rng = {1};
    signed char part[1600];
    assert_int_equal(sti_separator_find(*state, &w, &rng, part), STI_OK);
    int count[3] = {0, 0, 0};
    for (int j = 0; j < g.n; j++) {
        count[part[j]]++;
        for (int k = w.start[j]; k < w.start[j + 1]; k++)
            assert_false(part[j] != STI_SEPARATOR && part[w.to[k]] == 1 - part[j]);
    }
    assert_true(count[STI_SEPARATOR] <= 60);  // a straight line has 40
    assert_true(count[0] <= 0.65 * g.n && count[1] <= 0.65 * g.n);
    sti_weighted_graph_clear(&w);
    drop_grid(&g);
}

static void an_order_of_a_grid_is_whole_and_the_same_every_time(void** state) {
    grid g = make_grid(50, NULL);
    int one[2500], other[2500];
    assert_int_equal(sti_dissection_order(*state, g.n, g.col_start, g.row, one), STI_OK);
    assert_int_equal(sti_dissection_order(*state, g.n, g.col_start, g.row, other), STI_OK);
    assert_true(is_permutation(one, g.n));
    assert_memory_equal(one, other, sizeof one);
    drop_grid(&g);
}

static void a_grid_is_ordered_well_however_it_is_numbered(void** state) {
    enum { SIDE = 30, N = SIDE * SIDE };
    int name[N], order[N], rows[N];
    sti_rng rng = {3};
    for (int k = 0; k < N; k++) name[k] = rows[k] = k;
    for (int k = N - 1; k > 0; k--) {
        const int j = sti_rng_int(&rng, 0, k), t = name[k];
        name[k] = name[j];
        name[j] = t;
    }
    grid plain = make_grid(SIDE, NULL), mixed = make_grid(SIDE, name);
    const double by_rows = work_of(&plain, rows);
    assert_int_equal(sti_dissection_order(*state, N, plain.col_start, plain.row, order), STI_OK);
    assert_true(work_of(&plain, order) < 0.65 * by_rows);
    assert_int_equal(sti_dissection_order(*state, N, mixed.col_start, mixed.row, order), STI_OK);
    assert_true(work_of(&mixed, order) < 0.65 * by_rows);
    drop_grid(&plain);
    drop_grid(&mixed);
}

// A star and a full graph have no useful separator, single nodes no edges at all.
static void graphs_without_a_good_separator_are_ordered_too(void** state) {
    enum { N = 300 };
    static int start[N + 1], row[N * N], order[N];
    for (int kind = 0; kind < 3; kind++) {
        int at = 0;
        for (int j = 0; j < N; j++) {
            for (int i = 0; i < N; i++) {
                if (i == j || kind == 1 || (kind == 0 && (i == 0 || j == 0))) row[at++] = i;
            }
            start[j + 1] = at;
        }
        assert_int_equal(sti_dissection_order(*state, N, start, row, order), STI_OK);
        assert_true(is_permutation(order, N));
    }
}

// Large enough for the dissection to be tried and kept, so that factors and solution go through it.
static void a_large_grid_is_factored_in_its_order(void** state) {
    enum { SIDE = 230 };
    grid g = make_grid(SIDE, NULL);
    int64_t* start = calloc((size_t)g.n + 1, sizeof *start);
    double* x = calloc((size_t)g.n, sizeof *x);
    assert_true(start != NULL && x != NULL);
    for (int j = 0; j <= g.n; j++) start[j] = g.col_start[j];
    sti_ldl f;
    assert_int_equal(sti_ldl_init(&f, *state, g.n, start, g.row), STI_OK);
    for (int j = 0; j < g.n; j++) {
        for (int k = f.col_start[j]; k < f.col_start[j + 1]; k++) f.value[k] = f.row[k] == j ? 8.5 : -1;
        for (int k = f.col_start[j]; k < f.col_start[j + 1]; k++) x[f.row[k]] += f.value[k] * (1 + j % 3);
    }
    assert_int_equal(sti_ldl_factor(&f), -1);
    sti_ldl_solve(&f, x);
    for (int j = 0; j < g.n; j++) assert_true(x[j] - (1 + j % 3) < 1e-12 && x[j] - (1 + j % 3) > -1e-12);
    sti_ldl_clear(&f);
    free(start);
    free(x);
    drop_grid(&g);
}

static void every_allocation_may_fail(void** state) {
    (void)state;
    grid g = make_grid(15, NULL);
    int order[225];
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        const sti_status status = sti_dissection_order(f.env, g.n, g.col_start, g.row, order);
        if (status != STI_OK) assert_int_equal(status, STI_ERR_MEMORY);
        if (failing_env_close(&f)) break;
    }
    drop_grid(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_separator_parts_the_graph),
        cmocka_unit_test(an_order_of_a_grid_is_whole_and_the_same_every_time),
        cmocka_unit_test(a_grid_is_ordered_well_however_it_is_numbered),
        cmocka_unit_test(graphs_without_a_good_separator_are_ordered_too),
        cmocka_unit_test(a_large_grid_is_factored_in_its_order),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
