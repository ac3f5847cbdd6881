// block_lu.c: ordering, pattern and numbers of a block-sparse L U.
//
// Pattern. In the order of elimination row k of L has the columns that the elimination tree reaches from row k of W
// (Liu 1990; Davis 2006, sec. 4.4), and row k of U has the pattern of column k of L, because the pattern is symmetric.
// The trees of the elimination forest are the islands of the contact graph: no block joins two of them.
//
// Numbers. Row by row: with a_k the k-th row of A spread over its place in the factors,
//
//     for every j < k in the row, ascending:    L_kj = a_kj U_jj^-1,    a_k -= L_kj U_j,
//
// what is left is row k of U. Cost: one product of blocks for every pair (L_kj, U_ji). In incomplete factors an update
// that has no place is dropped.
#include "contact/block_lu.h"

#include <amd.h>
#include <limits.h>
#include <math.h>
#include <string.h>

void sti_block_lu_clear(sti_block_lu* f) {
    if (f->env == NULL) return;
    sti_free(f->env, f->order);
    sti_free(f->env, f->place);
    sti_free(f->env, f->island_start);
    sti_free(f->env, f->row_start);
    sti_free(f->env, f->diagonal);
    sti_free(f->env, f->col);
    sti_free(f->env, f->block);
    sti_free(f->env, f->entry);
    sti_free(f->env, f->out);
    sti_free(f->env, f->where);
    sti_free(f->env, f->x);
    *f = (sti_block_lu){0};
}

static sti_status reserve_rows(sti_block_lu* f, int64_t blocks) {
    const size_t n = (size_t)f->n;
    f->order = sti_alloc_array(f->env, n, sizeof *f->order);
    f->place = sti_alloc_array(f->env, n, sizeof *f->place);
    f->island_start = sti_alloc_array(f->env, n + 1, sizeof *f->island_start);
    f->row_start = sti_alloc_array(f->env, n + 1, sizeof *f->row_start);
    f->diagonal = sti_alloc_array(f->env, n, sizeof *f->diagonal);
    f->entry = sti_alloc_array(f->env, (size_t)blocks, sizeof *f->entry);
    f->out = sti_alloc_array_zero(f->env, n, sizeof *f->out);
    f->where = sti_alloc_array(f->env, n, sizeof *f->where);
    f->x = sti_alloc_array(f->env, n * (size_t)f->d, sizeof *f->x);
    if (f->order == NULL || f->place == NULL || f->island_start == NULL || f->row_start == NULL ||
        f->diagonal == NULL || f->entry == NULL || f->out == NULL || f->where == NULL || f->x == NULL)
        return STI_FAIL(f->env, STI_ERR_MEMORY, -1, "block factors of %d contacts", f->n);
    for (size_t i = 0; i < n; i++) f->where[i] = -1;
    return STI_OK;
}

// Pattern of W + W' without its diagonal: a list of neighbours for every contact.
typedef struct graph {
    int* start;   // (n+1)
    int* length;  // (n)
    int* next;    // (room)
    int room;     // a fifth more than needed, and n: where the ordering works
    int* parent;  // elimination tree, by place            (n)
    int* flag;    // (n)
    int* count;   // entries below the diagonal in column  (n)
    int* work;    // for the ordering                      (6 n)
} graph;

static void graph_clear(sti_env* env, graph* g) {
    sti_free(env, g->start);
    sti_free(env, g->length);
    sti_free(env, g->next);
    sti_free(env, g->parent);
    sti_free(env, g->flag);
    sti_free(env, g->count);
    sti_free(env, g->work);
}

static sti_status graph_make(sti_env* env, const sti_bsr* W, graph* g) {
    const size_t n = (size_t)W->n;
    const int64_t blocks = W->row_start[W->n];
    if (blocks > INT_MAX / 4 - W->n)
        return STI_FAIL(env, STI_ERR_SIZE, -1, "contact graph with %lld blocks", (long long)blocks);
    g->room = (int)(2 * blocks + 2 * blocks / 5 + W->n + 1);
    g->start = sti_alloc_array_zero(env, n + 1, sizeof *g->start);
    g->length = sti_alloc_array_zero(env, n, sizeof *g->length);
    g->next = sti_alloc_array(env, (size_t)g->room, sizeof *g->next);
    g->parent = sti_alloc_array(env, n, sizeof *g->parent);
    g->flag = sti_alloc_array(env, n, sizeof *g->flag);
    g->count = sti_alloc_array_zero(env, n, sizeof *g->count);
    g->work = sti_alloc_array(env, 6 * n, sizeof *g->work);
    if (g->start == NULL || g->length == NULL || g->next == NULL || g->parent == NULL || g->flag == NULL ||
        g->count == NULL || g->work == NULL)
        return STI_FAIL(env, STI_ERR_MEMORY, -1, "graph of %d contacts", W->n);
    return STI_OK;
}

// Neighbours of every contact, each once: from rows, and from columns that the rows lack (W need not be symmetric in
// its pattern, an entry may have been rounded to zero on one side).
static void graph_fill(const sti_bsr* W, graph* g) {
    const int n = W->n;
    for (int i = 0; i < n; i++) {
        for (int64_t k = W->row_start[i]; k < W->row_start[i + 1]; k++) {
            if (W->col[k] == i) continue;
            g->length[i]++;
            g->length[W->col[k]]++;
        }
    }
    g->start[0] = 0;
    for (int i = 0; i < n; i++) g->start[i + 1] = g->start[i] + g->length[i];
    memset(g->length, 0, (size_t)n * sizeof *g->length);
    for (int i = 0; i < n; i++) {
        for (int64_t k = W->row_start[i]; k < W->row_start[i + 1]; k++) {
            const int j = W->col[k];
            if (j == i) continue;
            g->next[g->start[i] + g->length[i]++] = j;
            g->next[g->start[j] + g->length[j]++] = i;
        }
    }
    for (int i = 0; i < n; i++) g->flag[i] = -1;
    int at = 0;
    for (int i = 0; i < n; i++) {
        const int first = g->start[i], last = first + g->length[i];
        g->start[i] = at;
        for (int k = first; k < last; k++) {
            const int j = g->next[k];
            if (g->flag[j] == i) continue;
            g->flag[j] = i;
            g->next[at++] = j;
        }
        g->length[i] = at - g->start[i];
    }
    g->start[n] = at;
}

// The ordering destroys the lists it is given: they are made again afterwards.
static void find_order(sti_block_lu* f, graph* g) {
    const int n = f->n;
    int *nv = g->work, *head = nv + n, *elen = head + n, *degree = elen + n, *w = degree + n;
    amd_2(n, g->start, g->next, g->length, g->room, g->start[n], nv, f->place, f->order, head, elen, degree, w, NULL,
          NULL);
    for (int k = 0; k < n; k++) f->place[f->order[k]] = k;
}

// Elimination tree and counts of the columns of L.
static int64_t find_tree(const sti_block_lu* f, graph* g) {
    int64_t total = 0;
    memset(g->count, 0, (size_t)f->n * sizeof *g->count);
    for (int k = 0; k < f->n; k++) {
        g->parent[k] = -1;
        g->flag[k] = k;
        const int c = f->order[k];
        for (int t = g->start[c]; t < g->start[c + 1]; t++) {
            for (int j = f->place[g->next[t]]; j < k && g->flag[j] != k; j = g->parent[j]) {
                if (g->parent[j] < 0) g->parent[j] = k;
                g->flag[j] = k;
                g->count[j]++;
                total++;
            }
        }
    }
    return total;
}

// Bring the trees together, largest root last, each in its own order: islands become ranges.
static void gather_islands(sti_block_lu* f, graph* g) {
    const int n = f->n;
    int *island = g->work, *sorted = g->work + n, *first = f->island_start;
    f->island_count = 0;
    for (int k = n - 1; k >= 0; k--) {
        if (g->parent[k] < 0)
            island[k] = f->island_count++;
        else
            island[k] = island[g->parent[k]];
    }
    for (int i = 0; i <= f->island_count; i++) first[i] = 0;
    for (int k = 0; k < n; k++) first[f->island_count - island[k]]++;
    for (int i = 0; i < f->island_count; i++) first[i + 1] += first[i];
    for (int k = n - 1; k >= 0; k--) sorted[--first[f->island_count - island[k]]] = f->order[k];
    // first[i] now begins island i - 1; first[0] was never used
    for (int i = 0; i < f->island_count; i++) first[i] = first[i + 1];
    first[f->island_count] = n;
    memcpy(f->order, sorted, (size_t)n * sizeof *sorted);
    for (int k = 0; k < n; k++) f->place[f->order[k]] = k;
}

// Does row k of the factors get column j < k from contact j's block alone (incomplete), or from the tree?
// Columns of L, which are the rows of U: row k is met in ascending order, so every column comes sorted.
static void walk_pattern(const sti_block_lu* f, graph* g, int* upper, int64_t* upper_at) {
    for (int k = 0; k < f->n; k++) g->flag[k] = -1;
    for (int k = 0; k < f->n; k++) {
        g->flag[k] = k;
        const int c = f->order[k];
        for (int t = g->start[c]; t < g->start[c + 1]; t++) {
            for (int j = f->place[g->next[t]]; j < k && g->flag[j] != k; j = f->complete ? g->parent[j] : k) {
                g->flag[j] = k;
                upper[upper_at[j]++] = k;
            }
        }
    }
}

static sti_status find_pattern(sti_block_lu* f, graph* g, int64_t below) {
    const size_t n = (size_t)f->n;
    const int64_t blocks = f->n + 2 * below;
    int* upper = sti_alloc_array(f->env, (size_t)below, sizeof *upper);
    int64_t* start = sti_alloc_array(f->env, n + 1, sizeof *start);
    int64_t* at = sti_alloc_array(f->env, n + 1, sizeof *at);
    f->col = sti_alloc_array(f->env, (size_t)blocks, sizeof *f->col);
    f->block = sti_alloc_array(f->env, (size_t)blocks * (size_t)(f->d * f->d), sizeof *f->block);
    sti_status status = STI_OK;
    if (upper == NULL || start == NULL || at == NULL || f->col == NULL || f->block == NULL) {
        status = STI_FAIL(f->env, STI_ERR_MEMORY, -1, "%lld blocks of factors", (long long)blocks);
    } else {
        start[0] = 0;
        for (size_t k = 0; k < n; k++) start[k + 1] = start[k] + g->count[k];
        memcpy(at, start, (n + 1) * sizeof *at);
        walk_pattern(f, g, upper, at);
        // lengths of the rows: what is below the diagonal in row i, itself, what is right of it
        for (size_t k = 0; k <= n; k++) f->row_start[k] = 0;
        for (int64_t t = 0; t < below; t++) f->row_start[upper[t] + 1]++;
        for (size_t k = 0; k < n; k++) {
            f->diagonal[k] = f->row_start[k] + f->row_start[k + 1];
            f->row_start[k + 1] = f->diagonal[k] + 1 + g->count[k];
        }
        for (size_t k = 0; k < n; k++) at[k] = f->row_start[k];
        for (size_t k = 0; k < n; k++) {
            f->col[f->diagonal[k]] = (int)k;
            for (int64_t t = start[k]; t < start[k + 1]; t++) {
                f->col[f->diagonal[k] + 1 + (t - start[k])] = upper[t];
                f->col[at[upper[t]]++] = (int)k;
            }
        }
    }
    sti_free(f->env, upper);
    sti_free(f->env, start);
    sti_free(f->env, at);
    return status;
}

static void find_entries(sti_block_lu* f, const sti_bsr* W) {
    for (int k = 0; k < f->n; k++) {
        const int c = f->order[k];
        for (int64_t t = f->row_start[k]; t < f->row_start[k + 1]; t++) f->where[f->col[t]] = t;
        for (int64_t t = W->row_start[c]; t < W->row_start[c + 1]; t++) f->entry[t] = f->where[f->place[W->col[t]]];
        for (int64_t t = f->row_start[k]; t < f->row_start[k + 1]; t++) f->where[f->col[t]] = -1;
    }
}

sti_status sti_block_lu_init(sti_block_lu* f, sti_env* env, const sti_bsr* W, int64_t block_limit, double cost_limit) {
    *f = (sti_block_lu){.env = env, .d = W->d, .n = W->n};
    graph g = {0};
    sti_status status = reserve_rows(f, W->row_start[W->n]);
    if (status == STI_OK) status = graph_make(env, W, &g);
    if (status == STI_OK) {
        graph_fill(W, &g);
        find_order(f, &g);
        memset(g.length, 0, (size_t)f->n * sizeof *g.length);
        graph_fill(W, &g);
        find_tree(f, &g);
        gather_islands(f, &g);
        int64_t below = find_tree(f, &g);
        f->cost = 0;
        for (int k = 0; k < f->n; k++) f->cost += (double)g.count[k] * ((double)g.count[k] + 2);
        f->complete = f->n + 2 * below <= block_limit && f->cost <= cost_limit;
        if (!f->complete) {
            below = g.start[f->n] / 2;
            memset(g.count, 0, (size_t)f->n * sizeof *g.count);
            for (int c = 0; c < f->n; c++) {
                for (int t = g.start[c]; t < g.start[c + 1]; t++) g.count[f->place[c]] += f->place[g.next[t]] > f->place[c];
            }
        }
        status = find_pattern(f, &g, below);
    }
    if (status == STI_OK) find_entries(f, W);
    graph_clear(env, &g);
    if (status != STI_OK) sti_block_lu_clear(f);
    return status;
}

// Inverse of a d x d block by elimination with pivoting of rows. Pivots below tiny are raised to it.
__attribute__((always_inline)) static inline bool invert(const int d, double* A, double tiny) {
    double M[3][6];
    for (int i = 0; i < d; i++) {
        for (int j = 0; j < d; j++) {
            M[i][j] = A[i * d + j];
            M[i][d + j] = i == j;
        }
    }
    for (int k = 0; k < d; k++) {
        int p = k;
        for (int i = k + 1; i < d; i++) {
            if (fabs(M[i][k]) > fabs(M[p][k])) p = i;
        }
        for (int j = 0; j < 2 * d; j++) {
            const double t = M[k][j];
            M[k][j] = M[p][j];
            M[p][j] = t;
        }
        if (fabs(M[k][k]) < tiny) M[k][k] = M[k][k] < 0 ? -tiny : tiny;
        const double inverse = 1 / M[k][k];
        for (int j = 0; j < 2 * d; j++) M[k][j] *= inverse;
        for (int i = 0; i < d; i++) {
            if (i == k) continue;
            const double factor = M[i][k];
            for (int j = 0; j < 2 * d; j++) M[i][j] -= factor * M[k][j];
        }
    }
    double sum = 0;
    for (int i = 0; i < d; i++) {
        for (int j = 0; j < d; j++) {
            A[i * d + j] = M[i][d + j];
            sum += M[i][d + j];
        }
    }
    return isfinite(sum);
}

__attribute__((always_inline)) static inline bool factor_rows(const int d, sti_block_lu* f, int first, int last,
                                                              const double* tiny) {
    const int dd = d * d;
    for (int k = first; k < last; k++) {
        if (f->out[k]) continue;
        for (int64_t t = f->row_start[k]; t < f->row_start[k + 1]; t++) f->where[f->col[t]] = t;
        for (int64_t t = f->row_start[k]; t < f->diagonal[k]; t++) {
            const int j = f->col[t];
            if (f->out[j]) continue;
            double *a = f->block + t * dd, L[9];
            const double* inverse = f->block + f->diagonal[j] * dd;
            for (int i = 0; i < d; i++) {
                for (int l = 0; l < d; l++) {
                    double sum = 0;
                    for (int m = 0; m < d; m++) sum += a[i * d + m] * inverse[m * d + l];
                    L[i * d + l] = sum;
                }
            }
            for (int i = 0; i < dd; i++) a[i] = L[i];
            for (int64_t s = f->diagonal[j] + 1; s < f->row_start[j + 1]; s++) {
                const int64_t at = f->where[f->col[s]];
                if (at < 0) continue;
                const double* U = f->block + s * dd;
                double* row = f->block + at * dd;
                for (int i = 0; i < d; i++) {
                    for (int l = 0; l < d; l++) {
                        double sum = row[i * d + l];
                        for (int m = 0; m < d; m++) sum -= L[i * d + m] * U[m * d + l];
                        row[i * d + l] = sum;
                    }
                }
            }
        }
        for (int64_t t = f->row_start[k]; t < f->row_start[k + 1]; t++) f->where[f->col[t]] = -1;
        if (!invert(d, f->block + f->diagonal[k] * dd, tiny[k])) return false;
    }
    return true;
}

bool sti_block_lu_factor(sti_block_lu* f, int first, int last, const double* tiny) {
    return f->d == 3 ? factor_rows(3, f, first, last, tiny) : factor_rows(2, f, first, last, tiny);
}

__attribute__((always_inline)) static inline void solve_rows(const int d, sti_block_lu* f, int first, int last,
                                                             double* b) {
    const int dd = d * d;
    double* x = f->x;
    for (int k = first; k < last; k++) {
        double* xk = x + (size_t)d * (size_t)k;
        for (int i = 0; i < d; i++) xk[i] = 0;
        if (f->out[k]) continue;
        for (int i = 0; i < d; i++) xk[i] = b[(size_t)d * (size_t)f->order[k] + (size_t)i];
        for (int64_t t = f->row_start[k]; t < f->diagonal[k]; t++) {
            const double *L = f->block + t * dd, *xj = x + (size_t)d * (size_t)f->col[t];
            if (f->out[f->col[t]]) continue;
            for (int i = 0; i < d; i++) {
                for (int m = 0; m < d; m++) xk[i] -= L[i * d + m] * xj[m];
            }
        }
    }
    for (int k = last - 1; k >= first; k--) {
        if (f->out[k]) continue;
        double *xk = x + (size_t)d * (size_t)k, y[3];
        for (int i = 0; i < d; i++) y[i] = xk[i];
        for (int64_t t = f->diagonal[k] + 1; t < f->row_start[k + 1]; t++) {
            const double *U = f->block + t * dd, *xj = x + (size_t)d * (size_t)f->col[t];
            if (f->out[f->col[t]]) continue;
            for (int i = 0; i < d; i++) {
                for (int m = 0; m < d; m++) y[i] -= U[i * d + m] * xj[m];
            }
        }
        const double* inverse = f->block + f->diagonal[k] * dd;
        for (int i = 0; i < d; i++) {
            double sum = 0;
            for (int m = 0; m < d; m++) sum += inverse[i * d + m] * y[m];
            xk[i] = sum;
            b[(size_t)d * (size_t)f->order[k] + (size_t)i] = sum;
        }
    }
}

void sti_block_lu_solve(sti_block_lu* f, int first, int last, double* b) {
    if (f->d == 3)
        solve_rows(3, f, first, last, b);
    else
        solve_rows(2, f, first, last, b);
}
