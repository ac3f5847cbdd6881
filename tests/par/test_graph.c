// Islands and colours of random patterns.
#include <string.h>

#include "base/rng.h"
#include "par/graph.h"
#include "support/failing_env.h"

typedef struct pattern {
    sti_graph graph;
    int64_t* row_start;
    int* col;
} pattern;

// Edges i - j with |i - j| below the width, each with the given chance; loops everywhere. A stride scatters the
// numbers.
static pattern make_pattern(int n, int width, double chance, int stride, uint64_t seed) {
    sti_rng rng = {.state = seed};
    unsigned char* edge = calloc((size_t)n * (size_t)n + 1, 1);
    for (int i = 0; i < n; i++) {
        edge[(size_t)i * (size_t)n + (size_t)i] = 1;
        for (int j = i + 1; j < n && j <= i + width; j++) {
            if (sti_rng_u01(&rng) >= chance) continue;
            const size_t a = (size_t)(i * stride % n), b = (size_t)(j * stride % n);
            edge[a * (size_t)n + b] = 1;
            edge[b * (size_t)n + a] = 1;
        }
    }
    pattern p = {.row_start = calloc((size_t)n + 1, sizeof *p.row_start)};
    p.col = malloc((size_t)n * (size_t)(4 * width + 1) * sizeof *p.col + 1);
    int64_t filled = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (edge[(size_t)i * (size_t)n + (size_t)j]) p.col[filled++] = j;
        }
        p.row_start[i + 1] = filled;
    }
    free(edge);
    p.graph = (sti_graph){.n = n, .row_start = p.row_start, .col = p.col};
    return p;
}

static void free_pattern(pattern* p) {
    free(p->row_start);
    free(p->col);
}

static void islands_are_the_components_in_order(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    for (int trial = 0; trial < 20; trial++) {
        const int n = 1 + 17 * trial;
        pattern p = make_pattern(n, 3, 0.25, trial % 2 ? 1 : 7, (uint64_t)trial);
        int *order = malloc((size_t)n * sizeof *order), *start = malloc((size_t)(n + 1) * sizeof *start), count;
        int* island = malloc((size_t)n * sizeof *island);
        assert_int_equal(sti_graph_islands(env, &p.graph, order, start, &count), STI_OK);
        assert_int_equal(start[0], 0);
        assert_int_equal(start[count], n);
        for (int k = 0; k < count; k++) {
            assert_true(start[k] < start[k + 1]);
            if (k > 0) assert_true(order[start[k]] > order[start[k - 1]]);
            for (int a = start[k]; a < start[k + 1]; a++) {
                if (a > start[k]) assert_true(order[a] > order[a - 1]);
                island[order[a]] = k;
            }
        }
        // no edge leaves an island, and inside each all vertices are reached from the first
        for (int i = 0; i < n; i++) {
            for (int64_t e = p.row_start[i]; e < p.row_start[i + 1]; e++) assert_int_equal(island[p.col[e]], island[i]);
        }
        unsigned char* reached = calloc((size_t)n, 1);
        for (int k = 0; k < count; k++) reached[order[start[k]]] = 1;
        for (int round = 0; round < n; round++) {
            for (int i = 0; i < n; i++) {
                for (int64_t e = p.row_start[i]; reached[i] && e < p.row_start[i + 1]; e++) reached[p.col[e]] = 1;
            }
        }
        for (int i = 0; i < n; i++) assert_int_equal(reached[i], 1);
        free(reached);
        free(island);
        free(order);
        free(start);
        free_pattern(&p);
    }
    sti_env_destroy(env);
}

static void no_edge_joins_clusters_of_one_colour(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    for (int trial = 0; trial < 24; trial++) {
        const int n = 20 + 23 * trial, size = (int[]){1, 4, 32}[trial % 3];
        pattern p = make_pattern(n, 5, 0.4, trial % 2 ? 1 : 3, (uint64_t)(100 + trial));
        int *list = malloc((size_t)n * sizeof *list), *cluster = malloc((size_t)(n + 1) * sizeof *cluster), colours;
        int *colour = malloc((size_t)(n + 1) * sizeof *colour), *of = malloc((size_t)n * sizeof *of);
        int* painted = malloc((size_t)n * sizeof *painted);
        for (int i = 0; i < n; i++) {
            list[i] = i;
            of[i] = -1;
        }
        assert_int_equal(sti_graph_colour(env, &p.graph, size, n, list, cluster, colour, &colours), STI_OK);
        assert_true(colours > 0 && colour[0] == 0 && cluster[0] == 0);
        const int clusters = colour[colours];
        assert_int_equal(cluster[clusters], n);
        for (int c = 0; c < colours; c++) {
            assert_true(colour[c] < colour[c + 1]);
            for (int k = colour[c]; k < colour[c + 1]; k++) {
                assert_true(cluster[k] < cluster[k + 1] && cluster[k + 1] - cluster[k] <= size);
                for (int a = cluster[k]; a < cluster[k + 1]; a++) {
                    assert_int_equal(of[list[a]], -1);  // everyone once
                    of[list[a]] = k;
                    painted[list[a]] = c;
                }
            }
        }
        for (int i = 0; i < n; i++) {
            for (int64_t e = p.row_start[i]; e < p.row_start[i + 1]; e++) {
                const int j = p.col[e];
                assert_true(of[i] == of[j] || painted[i] != painted[j]);
            }
        }
        free(list);
        free(cluster);
        free(colour);
        free(of);
        free(painted);
        free_pattern(&p);
    }
    sti_env_destroy(env);
}

static void edge_in_one_direction_only_is_noticed(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    // 0 sees 1, but 1 does not see 0
    const int64_t row_start[3] = {0, 1, 1};
    const int col[1] = {1};
    const sti_graph g = {.n = 2, .row_start = row_start, .col = col};
    int list[2] = {0, 1}, cluster[3], colour[3], colours = 7, order[2], start[3], count;
    assert_int_equal(sti_graph_colour(env, &g, 1, 2, list, cluster, colour, &colours), STI_OK);
    assert_int_equal(colours, 0);
    assert_int_equal(list[0], 0);
    assert_int_equal(sti_graph_islands(env, &g, order, start, &count), STI_OK);
    assert_int_equal(count, 1);
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    pattern p = make_pattern(30, 3, 0.5, 1, 1);
    int list[30], cluster[31], colour[31], count;
    for (int which = 0; which < 2; which++) {
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            for (int i = 0; i < 30; i++) list[i] = i;
            const sti_status status = which == 0
                                          ? sti_graph_islands(f.env, &p.graph, list, cluster, &count)
                                          : sti_graph_colour(f.env, &p.graph, 4, 30, list, cluster, colour, &count);
            const bool done = failing_env_close(&f);
            assert_int_equal(status, done ? STI_OK : STI_ERR_MEMORY);
            if (done) break;
        }
    }
    free_pattern(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(islands_are_the_components_in_order),
        cmocka_unit_test(no_edge_joins_clusters_of_one_colour),
        cmocka_unit_test(edge_in_one_direction_only_is_noticed),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
