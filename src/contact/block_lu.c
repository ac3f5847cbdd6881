// block_lu.c: ordering, pattern and numbers of a block-sparse L U.
//
// Pattern. In the order of elimination row k of L has the columns that the elimination tree reaches from row k of W
// (Liu 1990; Davis 2006, chapter 4), and row k of U has the pattern of column k of L, because the pattern is symmetric.
// The trees of the elimination forest are the islands of the contact graph: no block joins two of them.
//
// Numbers. Row by row: with a_k the k-th row of A spread over its place in the factors,
//
//     for every j < k in the row, ascending:    L_kj = a_kj U_jj^-1,    a_k -= L_kj U_j,
//
// what is left is row k of U. Cost: one product of blocks for every pair (L_kj, U_ji). In incomplete factors an update
// that has no place is dropped.
//
// Supernodes. Rows j, j+1, ... whose patterns right of the last of them agree (contacts between the same two bodies,
// and the dense end of every elimination) are subtracted together: their numbers lie in long rows, so the sum of L_kj
// U_j over the supernode is formed four rows at a time and spread over row k once.
#include "contact/block_lu.h"

#include <amd.h>
#include <limits.h>
#include <math.h>
#include <string.h>

void sti_block_lu_clear(sti_block_lu* f) {
    if (f->env == NULL) return;
    sti_arena_clear(&f->memory);
    *f = (sti_block_lu){0};
}

static sti_status reserve_rows(sti_block_lu* f, int64_t blocks) {
    const size_t n = (size_t)f->n;
    f->order = sti_arena_raw(&f->memory, n, sizeof *f->order);
    f->place = sti_arena_raw(&f->memory, n, sizeof *f->place);
    f->island_start = sti_arena_raw(&f->memory, n + 1, sizeof *f->island_start);
    f->row_start = sti_arena_raw(&f->memory, n + 1, sizeof *f->row_start);
    f->diagonal = sti_arena_raw(&f->memory, n, sizeof *f->diagonal);
    f->entry = sti_arena_raw(&f->memory, (size_t)blocks, sizeof *f->entry);
    f->dim = sti_arena_take(&f->memory, n, sizeof *f->dim);
    f->super = sti_arena_raw(&f->memory, n, sizeof *f->super);
    f->inverse = sti_arena_raw(&f->memory, 9 * n, sizeof *f->inverse);
    f->where = sti_arena_raw(&f->memory, n, sizeof *f->where);
    f->x = sti_arena_raw(&f->memory, 3 * n, sizeof *f->x);
    if (f->memory.status != STI_OK) return f->memory.status;
    for (size_t i = 0; i < n; i++) f->where[i] = -1;
    return STI_OK;
}

// Pattern of W + W' without its diagonal: a list of neighbours for every contact.
typedef struct graph {
    sti_arena memory;
    int* start;   // (n+1)
    int* length;  // (n)
    int* next;    // (room)
    int room;     // a fifth more than needed, and n: where the ordering works
    int* parent;  // elimination tree, by place            (n)
    int* flag;    // (n)
    int* count;   // entries below the diagonal in column  (n)
    int* work;    // for the ordering                      (6 n)
} graph;

static sti_status graph_make(sti_env* env, const sti_bsr* W, graph* g) {
    const size_t n = (size_t)W->n;
    const int64_t blocks = W->row_start[W->n];
    if (blocks > INT_MAX / 4 - W->n)
        return STI_FAIL(env, STI_ERR_SIZE, -1, "contact graph with %lld blocks", (long long)blocks);
    g->room = (int)(2 * blocks + 2 * blocks / 5 + W->n + 1);
    g->start = sti_arena_take(&g->memory, n + 1, sizeof *g->start);
    g->length = sti_arena_take(&g->memory, n, sizeof *g->length);
    g->next = sti_arena_raw(&g->memory, (size_t)g->room, sizeof *g->next);
    g->parent = sti_arena_raw(&g->memory, n, sizeof *g->parent);
    g->flag = sti_arena_raw(&g->memory, n, sizeof *g->flag);
    g->count = sti_arena_take(&g->memory, n, sizeof *g->count);
    g->work = sti_arena_raw(&g->memory, 6 * n, sizeof *g->work);
    return g->memory.status;
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

// Counts of the columns of L when it has the pattern of W.
static int64_t count_without_fill(const sti_block_lu* f, graph* g) {
    memset(g->count, 0, (size_t)f->n * sizeof *g->count);
    for (int c = 0; c < f->n; c++) {
        const int k = f->place[c];
        for (int t = g->start[c]; t < g->start[c + 1]; t++) g->count[k] += f->place[g->next[t]] > k;
    }
    return g->start[f->n] / 2;
}

// Columns of L, which are the rows of U: from the tree, or (incomplete) from the blocks of W alone. Row k is met in
// ascending order, so every column comes sorted.
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
    int* upper = sti_arena_raw(&g->memory, (size_t)below, sizeof *upper);
    int64_t* start = sti_arena_raw(&g->memory, n + 1, sizeof *start);
    int64_t* at = sti_arena_raw(&g->memory, n + 1, sizeof *at);
    f->col = sti_arena_raw(&f->memory, (size_t)blocks, sizeof *f->col);
    f->value = sti_arena_raw(&f->memory, (size_t)blocks * (size_t)(f->d * f->d), sizeof *f->value);
    if (g->memory.status != STI_OK || f->memory.status != STI_OK) return STI_ERR_MEMORY;
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
    return STI_OK;
}

// Rows k, k+1, ... whose patterns right of the diagonal differ by the diagonal alone. Incomplete factors have none.
static sti_status find_supernodes(sti_block_lu* f, const graph* g) {
    int longest = 0;
    for (int k = f->n - 1; k >= 0; k--) {
        const bool same = f->complete && k + 1 < f->n && g->parent[k] == k + 1 && g->count[k] == g->count[k + 1] + 1;
        f->super[k] = same ? f->super[k + 1] : k;
        if (g->count[k] > longest) longest = g->count[k];
    }
    f->tail_room = (size_t)f->d * (size_t)longest;
    f->tail = sti_arena_raw(&f->memory, 3 * f->tail_room, sizeof *f->tail);
    return f->memory.status;
}

static void find_entries(sti_block_lu* f, const sti_bsr* W) {
    for (int k = 0; k < f->n; k++) {
        const int c = f->order[k];
        for (int64_t t = f->row_start[k]; t < f->row_start[k + 1]; t++)
            f->where[f->col[t]] = (int)(t - f->row_start[k]);
        for (int64_t t = W->row_start[c]; t < W->row_start[c + 1]; t++) f->entry[t] = f->where[f->place[W->col[t]]];
        for (int64_t t = f->row_start[k]; t < f->row_start[k + 1]; t++) f->where[f->col[t]] = -1;
    }
}

sti_status sti_block_lu_init(sti_block_lu* f, sti_env* env, const sti_bsr* W, int64_t block_limit, double cost_limit) {
    *f = (sti_block_lu){.env = env, .memory = sti_arena_make(env), .d = W->d, .n = W->n};
    graph g = {.memory = sti_arena_make(env)};
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
        if (!f->complete) below = count_without_fill(f, &g);
        status = find_pattern(f, &g, below);
    }
    if (status == STI_OK) status = find_supernodes(f, &g);
    if (status == STI_OK) find_entries(f, W);
    sti_arena_clear(&g.memory);
    if (status != STI_OK) sti_block_lu_clear(f);
    return status;
}

// Inverse of a dim x dim block (stride apart) by elimination with pivoting of rows. Pivots below tiny are raised to it.
static bool invert(int dim, const double* A, size_t stride, double tiny, double* inverse) {
    double M[3][6];
    for (int i = 0; i < dim; i++) {
        for (int j = 0; j < dim; j++) {
            M[i][j] = A[(size_t)i * stride + (size_t)j];
            M[i][dim + j] = i == j;
        }
    }
    for (int k = 0; k < dim; k++) {
        int p = k;
        for (int i = k + 1; i < dim; i++) {
            if (fabs(M[i][k]) > fabs(M[p][k])) p = i;
        }
        for (int j = 0; j < 2 * dim; j++) {
            const double t = M[k][j];
            M[k][j] = M[p][j];
            M[p][j] = t;
        }
        if (fabs(M[k][k]) < tiny) M[k][k] = M[k][k] < 0 ? -tiny : tiny;
        const double factor = 1 / M[k][k];
        for (int j = k; j < 2 * dim; j++) M[k][j] *= factor;
        for (int i = 0; i < dim; i++) {
            if (i == k) continue;
            const double f = M[i][k];
            for (int j = k; j < 2 * dim; j++) M[i][j] -= f * M[k][j];
        }
    }
    double sum = 0;
    for (int i = 0; i < dim; i++) {
        for (int j = 0; j < dim; j++) {
            inverse[3 * i + j] = M[i][dim + j];
            sum += M[i][dim + j];
        }
    }
    return isfinite(sum);
}

// y_a -= sum over four rows of l_ab u_b,   a < rows, vectors of the given length.
static void subtract_rows(int rows, const double l[3][4], const double* const* u, double* const* y, int length) {
    const double* restrict u0 = u[0], * restrict u1 = u[1], * restrict u2 = u[2], * restrict u3 = u[3];
    for (int a = 0; a < rows; a++) {
        const double l0 = l[a][0], l1 = l[a][1], l2 = l[a][2], l3 = l[a][3];
        double* restrict ya = y[a];
        for (int i = 0; i < length; i++) ya[i] -= (l0 * u0[i] + l1 * u1[i]) + (l2 * u2[i] + l3 * u3[i]);
    }
}

// Rows waiting to be subtracted, four at a time.
typedef struct batch {
    int count;
    double l[3][4];
    const double* u[4];
} batch;

static void batch_flush(batch* b, int rows, double* const* y, int length) {
    if (b->count == 0) return;
    for (int i = b->count; i < 4; i++) {
        b->u[i] = b->u[0];
        for (int a = 0; a < 3; a++) b->l[a][i] = 0;
    }
    subtract_rows(rows, b->l, b->u, y, length);
    b->count = 0;
}

static void batch_push(batch* b, int rows, const double* l, int stride, const double* u, double* const* y, int length) {
    for (int a = 0; a < rows; a++) b->l[a][b->count] = l[a * stride];
    b->u[b->count++] = u;
    if (b->count == 4) batch_flush(b, rows, y, length);
}

// L_kj = a_kj U_jj^-1 in place (L, stride apart) and packed (packed, 3 apart).
static void divide(int rows, int dim, const double* inverse, double* L, size_t stride, double* packed) {
    for (int a = 0; a < rows; a++) {
        double* row = L + (size_t)a * stride;
        double x[3];
        for (int b = 0; b < dim; b++) {
            double sum = 0;
            for (int m = 0; m < dim; m++) sum += row[m] * inverse[3 * m + b];
            x[b] = sum;
        }
        for (int b = 0; b < dim; b++) packed[3 * a + b] = row[b] = x[b];
    }
}

// Subtract from row k what the rows first ... last of one supernode give it: t is the place of column first in row k.
// Right of the run those rows have one pattern, that of row last: their sum is formed first and spread once.
static void subtract_run(sti_block_lu* f, int k, int64_t t, int first, int last) {
    const int d = f->d, rows = f->dim[k];
    const int tail = (int)(f->row_start[last + 1] - f->diagonal[last] - 1), length = d * tail;
    const size_t stride = (size_t)d * (size_t)(f->row_start[k + 1] - f->row_start[k]);
    double* const row = f->value + f->row_start[k] * d * d;
    double* sum[3] = {f->tail, f->tail + f->tail_room, f->tail + 2 * f->tail_room};
    for (int a = 0; a < rows; a++) memset(sum[a], 0, (size_t)length * sizeof(double));
    batch waiting = {0};
    for (int j = first; j <= last; j++) {
        const int dim = f->dim[j];
        if (dim == 0) continue;
        double packed[9] = {0};
        double* at = row + (size_t)d * (size_t)(t + j - first - f->row_start[k]);
        divide(rows, dim, f->inverse + 9 * (size_t)j, at, stride, packed);
        const size_t stride_j = (size_t)d * (size_t)(f->row_start[j + 1] - f->row_start[j]);
        const double* Uj =
            f->value + f->row_start[j] * d * d + (size_t)d * (size_t)(f->diagonal[j] - f->row_start[j] + 1);
        // columns j+1 ... last, side by side in both rows
        double* next[3];
        for (int a = 0; a < rows; a++) next[a] = at + (size_t)a * stride + (size_t)d;
        batch inside = {0};
        for (int b = 0; b < dim && j < last; b++)
            batch_push(&inside, rows, packed + b, 3, Uj + (size_t)b * stride_j, next, d * (last - j));
        batch_flush(&inside, rows, next, d * (last - j));
        for (int b = 0; b < dim; b++)
            batch_push(&waiting, rows, packed + b, 3, Uj + (size_t)b * stride_j + (size_t)(d * (last - j)), sum,
                       length);
    }
    batch_flush(&waiting, rows, sum, length);
    for (int s = 0; s < tail; s++) {
        const int place = f->where[f->col[f->diagonal[last] + 1 + s]];
        if (place < 0) continue;
        for (int a = 0; a < rows; a++) {
            double* to = row + (size_t)a * stride + (size_t)(d * place);
            for (int b = 0; b < d; b++) to[b] += sum[a][d * s + b];
        }
    }
}

bool sti_block_lu_factor(sti_block_lu* f, int first, int last, const double* tiny) {
    const int d = f->d;
    for (int k = first; k < last; k++) {
        if (f->dim[k] == 0) continue;
        const int64_t start = f->row_start[k], end = f->row_start[k + 1];
        for (int64_t t = start; t < end; t++) f->where[f->col[t]] = (int)(t - start);
        for (int64_t t = start; t < f->diagonal[k];) {
            const int j = f->col[t], e = f->super[j] < k ? f->super[j] : k - 1;
            subtract_run(f, k, t, j, e);
            t += e - j + 1;
        }
        for (int64_t t = start; t < end; t++) f->where[f->col[t]] = -1;
        const double* diagonal = f->value + start * d * d + (f->diagonal[k] - start) * d;
        if (!invert(f->dim[k], diagonal, (size_t)d * (size_t)(end - start), tiny[k], f->inverse + 9 * (size_t)k))
            return false;
    }
    return true;
}

// y -= A x for one block of a row, stride apart.
static inline void subtract_block(int rows, int dim, const double* A, size_t stride, const double* x, double* y) {
    for (int a = 0; a < rows; a++) {
        for (int b = 0; b < dim; b++) y[a] -= A[(size_t)a * stride + (size_t)b] * x[b];
    }
}

void sti_block_lu_solve(sti_block_lu* f, int first, int last, double* b) {
    const int d = f->d;
    for (int k = first; k < last; k++) {
        const int64_t start = f->row_start[k];
        const size_t stride = (size_t)d * (size_t)(f->row_start[k + 1] - start);
        const double* row = f->value + start * d * d;
        double* x = f->x + 3 * (size_t)k;
        for (int a = 0; a < f->dim[k]; a++) x[a] = b[(size_t)d * (size_t)f->order[k] + (size_t)a];
        if (f->dim[k] == 0) continue;
        for (int64_t t = start; t < f->diagonal[k]; t++)
            subtract_block(f->dim[k], f->dim[f->col[t]], row + d * (t - start), stride, f->x + 3 * (size_t)f->col[t],
                           x);
    }
    for (int k = last - 1; k >= first; k--) {
        const int64_t start = f->row_start[k];
        const size_t stride = (size_t)d * (size_t)(f->row_start[k + 1] - start);
        const double* row = f->value + start * d * d;
        const int dim = f->dim[k];
        double *x = f->x + 3 * (size_t)k, y[3] = {0};
        if (dim == 0) continue;
        for (int a = 0; a < dim; a++) y[a] = x[a];
        for (int64_t t = f->diagonal[k] + 1; t < f->row_start[k + 1]; t++)
            subtract_block(dim, f->dim[f->col[t]], row + d * (t - start), stride, f->x + 3 * (size_t)f->col[t], y);
        for (int a = 0; a < dim; a++) {
            double sum = 0;
            for (int m = 0; m < dim; m++) sum += f->inverse[9 * (size_t)k + (size_t)(3 * a + m)] * y[m];
            x[a] = sum;
        }
        for (int a = 0; a < dim; a++) b[(size_t)d * (size_t)f->order[k] + (size_t)a] = x[a];
    }
}
