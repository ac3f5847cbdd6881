// fronts.c: multifrontal L D L' (Duff & Reid 1983; Liu 1992), without pivoting.
//
// A front with w columns and r rows below them is
//
//     [ F11       ]     assembled from the columns of A and from what its children left,
//     [ F21   F22 ]
//
//     F11 = L11 D L11',     L21 = F21 L11^-T D^-1,     U = F22 - L21 D L21'
//
// L11, L21 and D stay, U goes to the parent. Fronts come in a postorder, so the U of the children of the front at hand
// are the last on a stack.
//
// Which columns make a front: those that follow each other in the tree and have the same rows; and a child is taken in
// where it costs few zeros (the rules below), since many small fronts spend their time on bookkeeping.
//
// A panel is factored by halves: the left one, its product taken from the right one, the right one. Products are done
// by tiles (tiles.h), pieces of large ones by several threads.
//
// The order of all sums depends on the pattern alone. Cost: the arithmetic of L D L', sum of count^2, by products of
// matrices; memory for L, its zeros, and the stack.
#include "linalg/fronts.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/lapack.h"
#include "linalg/tiles.h"

enum { GROUP = 8, SMALL = 24, ROWS = 480, COLUMNS = 64 };  // fronts too small for products; pieces of what is shared
static const double WORTH_PACKING = 32768, WORTH_SHARING = 1e6;  // entries of a factor, multiplications of a product

void sti_fronts_clear(sti_fronts* f) {
    if (f->env == NULL) return;
    sti_tasks_destroy(f->tasks);
    sti_arena_clear(&f->memory);
    *f = (sti_fronts){0};
}

// ---- which columns make a front

// May a front with w columns and r rows below have so many entries that are zero?
static bool may_have(double zeros, int w, int r) {
    const double entries = 0.5 * w * (w + 1.0) + (double)w * r, part = zeros / entries;
    return w <= 4 || (w <= 16 && part < 0.8) || (w <= 48 && part < 0.1) || part < 0.05;
}

// first[] and count from the tree. zeros (n) is scratch.
static void find_fronts(sti_fronts* f, const int* parent, const int* count, double* zeros) {
    int fronts = 0;
    for (int j = 0; j < f->n;) {
        int end = j + 1;
        while (end < f->n && parent[end - 1] == end && count[end - 1] == count[end] + 1) end++;
        int begin = j;
        double empty = 0;
        while (fronts > 0) {
            const int last = begin - 1, w = begin - f->first[fronts - 1];  // the front before
            if (parent[last] < 0 || parent[last] >= end) break;
            const double more = (double)w * (end - begin + count[end - 1] - count[last]);
            if (!may_have(empty + zeros[fronts - 1] + more, end - begin + w, count[end - 1])) break;
            empty += zeros[fronts - 1] + more;
            begin = f->first[--fronts];
        }
        f->first[fronts] = begin;
        zeros[fronts++] = empty;
        j = end;
    }
    f->first[fronts] = f->n;
    f->count = fronts;
}

static int compare(const void* a, const void* b) {
    const int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

// Rows below every front: those of its columns in A and those of its children. owner: front of a pivot.
static void find_rows(sti_fronts* f, const int* col_start, const int* row, const int* order, const int* place,
                      const int* owner) {
    for (int s = 0; s < f->count; s++) f->child[s] = f->sibling[s] = -1;
    for (int i = 0; i < f->n; i++) f->where[i] = -1;
    int64_t at = 0;
    for (int s = 0; s < f->count; s++) {
        const int end = f->first[s + 1];
        const int64_t begin = at;
        for (int j = f->first[s]; j < end; j++) {
            for (int k = col_start[order[j]]; k < col_start[order[j] + 1]; k++) {
                const int i = place[row[k]];
                if (i < end || f->where[i] == s) continue;
                f->where[i] = s;
                f->row[at++] = i;
            }
        }
        for (int c = f->child[s]; c >= 0; c = f->sibling[c]) {
            for (int64_t k = f->row_start[c]; k < f->row_start[c + 1]; k++) {
                const int i = f->row[k];
                if (i < end || f->where[i] == s) continue;
                f->where[i] = s;
                f->row[at++] = i;
            }
        }
        f->row_start[s] = begin;
        f->row_start[s + 1] = at;
        qsort(f->row + begin, (size_t)(at - begin), sizeof *f->row, compare);
        f->parent[s] = at > begin ? owner[f->row[begin]] : -1;
        if (f->parent[s] < 0) continue;
        f->sibling[s] = f->child[f->parent[s]];
        f->child[f->parent[s]] = s;
    }
}

static int columns_of(const sti_fronts* f, int s) {
    return f->first[s + 1] - f->first[s];
}

static int rows_of(const sti_fronts* f, int s) {
    return (int)(f->row_start[s + 1] - f->row_start[s]);
}

// Columns of larger fronts begin at multiples of eight entries, as tiles want them.
static int padded(int count, int all) {
    return all <= SMALL ? count : (int)sti_tiles_padded((size_t)count);
}

static int stride_of(const sti_fronts* f, int s) {
    const int all = columns_of(f, s) + rows_of(f, s);
    return padded(all, all);
}

static int update_stride(const sti_fronts* f, int s) {
    return padded(rows_of(f, s), columns_of(f, s) + rows_of(f, s));
}

static size_t update_size(const sti_fronts* f, int s) {
    return (size_t)update_stride(f, s) * (size_t)rows_of(f, s);
}

// Room for panels, for the largest front, and for the stack at its highest, if it is not more than `most` bytes.
static sti_status reserve_numbers(sti_fronts* f, size_t most) {
    size_t rows = 0, largest = 0, update = 0, top = 0, highest = 0;
    f->panel_start[0] = 0;
    for (int s = 0; s < f->count; s++) {
        const size_t size = (size_t)stride_of(f, s) * (size_t)columns_of(f, s), r = (size_t)rows_of(f, s);
        f->panel_start[s + 1] = f->panel_start[s] + (int64_t)size;
        if (r > rows) rows = r;
        if (size > largest) largest = size;
        if (update_size(f, s) > update) update = update_size(f, s);
        for (int c = f->child[s]; c >= 0; c = f->sibling[c]) top -= update_size(f, c);
        top += update_size(f, s);
        if (top > highest) highest = top;
    }
    const size_t room = largest > WORTH_PACKING ? STI_TILES_ROOM : 0;
    f->bytes = ((size_t)f->panel_start[f->count] + largest + update + highest) * sizeof *f->panel;
    if (f->bytes > most) return STI_OK;
    f->panel = sti_arena_raw(&f->memory, (size_t)f->panel_start[f->count] + STI_TILES_PAD, sizeof *f->panel);
    f->relative = sti_arena_raw(&f->memory, rows, sizeof *f->relative);
    f->update = sti_arena_raw(&f->memory, update, sizeof *f->update);
    f->scaled = sti_arena_raw(&f->memory, largest + STI_TILES_PAD, sizeof *f->scaled);
    f->stack = sti_arena_raw(&f->memory, highest, sizeof *f->stack);
    f->room = sti_arena_raw(&f->memory, (size_t)sti_tasks_workers(f->tasks) * room, sizeof *f->room);
    return f->memory.status;
}

// Threads, where a front is large enough to share.
static sti_status find_helpers(sti_fronts* f) {
    double most = 0;
    for (int s = 0; s < f->count; s++) most = fmax(most, (double)columns_of(f, s) * rows_of(f, s) * rows_of(f, s));
    return most > 4 * WORTH_SHARING ? sti_tasks_create(f->env, sti_env_workers(f->env), &f->tasks) : STI_OK;
}

// Everything by front or pivot; at most n fronts, and no more rows than L has entries in the last columns of fronts.
static sti_status reserve_pattern(sti_fronts* f, const int* count) {
    const size_t fronts = (size_t)f->count;
    int64_t rows = 0;
    for (int s = 0; s < f->count; s++) rows += count[f->first[s + 1] - 1];
    f->parent = sti_arena_raw(&f->memory, fronts, sizeof *f->parent);
    f->child = sti_arena_raw(&f->memory, fronts, sizeof *f->child);
    f->sibling = sti_arena_raw(&f->memory, fronts, sizeof *f->sibling);
    f->row_start = sti_arena_raw(&f->memory, fronts + 1, sizeof *f->row_start);
    f->panel_start = sti_arena_raw(&f->memory, fronts + 1, sizeof *f->panel_start);
    f->row = sti_arena_raw(&f->memory, (size_t)rows, sizeof *f->row);
    return f->memory.status;
}

sti_status sti_fronts_init(sti_fronts* f, sti_env* env, int n, const int* col_start, const int* row, const int* order,
                           const int* place, const int* parent, const int* count, size_t most) {
    *f = (sti_fronts){0};
    sti_status status = sti_lapack_reserve(env);
    if (status != STI_OK) return status;
    *f = (sti_fronts){.env = env, .n = n, .deadline = (double)INFINITY};
    f->memory = sti_arena_make(env);
    f->first = sti_arena_raw(&f->memory, (size_t)n + 1, sizeof *f->first);
    f->where = sti_arena_raw(&f->memory, (size_t)n, sizeof *f->where);
    sti_arena memory = sti_arena_make(env);
    int* owner = sti_arena_raw(&memory, (size_t)n, sizeof *owner);
    double* zeros = sti_arena_raw(&memory, (size_t)n, sizeof *zeros);
    if (memory.status != STI_OK || f->memory.status != STI_OK) {
        status = STI_ERR_MEMORY;
    } else {
        find_fronts(f, parent, count, zeros);
        for (int s = 0; s < f->count; s++) {
            for (int j = f->first[s]; j < f->first[s + 1]; j++) owner[j] = s;
        }
        status = reserve_pattern(f, count);
    }
    if (status == STI_OK) {
        find_rows(f, col_start, row, order, place, owner);
        status = find_helpers(f);
    }
    if (status == STI_OK) {
        status = reserve_numbers(f, most);
    }
    sti_arena_clear(&memory);
    if (status != STI_OK) sti_fronts_clear(f);
    return status;
}

// ---- numbers

// Work of columns begin .. end - 1 of an update.
typedef void column_work(sti_fronts* f, const void* context, int begin, int end);

typedef struct columns {
    sti_fronts* f;
    column_work* work;
    const void* context;
    int count;
} columns;

static void run_columns(void* context, int item, int worker) {
    const columns* c = context;
    const int begin = item * COLUMNS, end = begin + COLUMNS < c->count ? begin + COLUMNS : c->count;
    (void)worker;
    c->work(c->f, c->context, begin, end);
}

static void share_columns(sti_fronts* f, int count, column_work* work, const void* context) {
    columns c = {f, work, context, count};
    if (f->tasks != NULL && count > 2 * COLUMNS) {
        sti_tasks_run_any(f->tasks, (count - 1) / COLUMNS + 1, run_columns, &c);
    } else {
        work(f, context, 0, count);
    }
}

typedef struct child {
    int s, w, stride, update_stride;  // of the parent
    int rows, stride_left;            // of the child
    const double* left;               // its update
    double* P;
} child;

static void add_columns(sti_fronts* f, const void* context, int begin, int end) {
    const child* c = context;
    for (int j = begin; j < end; j++) {
        const int to = f->relative[j];
        const double* left = c->left + (size_t)j * (size_t)c->stride_left;
        double* column = to < c->w ? c->P + (size_t)to * (size_t)c->stride
                                   : f->update + (size_t)(to - c->w) * (size_t)c->update_stride - c->w;
        for (int i = j; i < c->rows; i++) column[f->relative[i]] += left[i];
    }
}

// The children's updates into panel P and update U; their places on the stack become free.
static double* take_children(sti_fronts* f, int s, double* P, double* top) {
    const int from = f->first[s], w = columns_of(f, s);
    for (int k = f->child[s]; k >= 0; k = f->sibling[k]) {
        const int rows = rows_of(f, k);
        const int* row = f->row + f->row_start[k];
        top -= update_size(f, k);
        for (int i = 0; i < rows; i++) f->relative[i] = row[i] < from + w ? row[i] - from : f->where[row[i]];
        const child c = {s, w, stride_of(f, s), update_stride(f, s), rows, update_stride(f, k), top, P};
        share_columns(f, rows, add_columns, &c);
    }
    return top;
}

// The lower triangle of U.
static void clear_columns(sti_fronts* f, const void* context, int begin, int end) {
    const size_t stride = *(const size_t*)context;
    for (size_t j = (size_t)begin; j < (size_t)end; j++)
        memset(f->update + j * (stride + 1), 0, (stride - j) * sizeof *f->update);
}

typedef struct target {
    size_t stride;
    double* to;
} target;

static void copy_columns(sti_fronts* f, const void* context, int begin, int end) {
    const target* p = context;
    for (size_t j = (size_t)begin; j < (size_t)end; j++)
        memcpy(p->to + j * (p->stride + 1), f->update + j * (p->stride + 1), (p->stride - j) * sizeof *p->to);
}

static void assemble(sti_fronts* f, int s, const int* col_start, const int* row, const double* value, const int* order,
                     const int* place, double* P) {
    const int from = f->first[s], w = columns_of(f, s), r = rows_of(f, s), ld = stride_of(f, s);
    const size_t stride = (size_t)update_stride(f, s);
    const int* below = f->row + f->row_start[s];
    memset(P, 0, (size_t)ld * (size_t)w * sizeof *P);
    share_columns(f, r, clear_columns, &stride);
    for (int k = 0; k < r; k++) f->where[below[k]] = w + k;
    for (int j = 0; j < w; j++) {
        const int column = order[from + j];
        for (int k = col_start[column]; k < col_start[column + 1]; k++) {
            const int i = place[row[k]];
            if (i < from + j) continue;
            P[(size_t)j * (size_t)ld + (size_t)(i < from + w ? i - from : f->where[i])] += value[k];
        }
    }
}

static bool is_pivot(double d) {
    return isfinite(d) && d != 0;
}

// Columns j0 .. j1 - 1 of P against each other, down to row `end`; column by column. The column of a bad pivot, or -1.
static int factor_columns(double* P, int ld, int j0, int j1, int end, double* D) {
    for (int j = j0; j < j1; j++) {
        double* column = P + (size_t)j * (size_t)ld;
        D[j] = column[j];
        if (!is_pivot(D[j])) return j;
        for (int k = j + 1; k < j1; k++) {
            double* other = P + (size_t)k * (size_t)ld;
            const double t = column[k] / D[j];
            for (int i = k; i < end; i++) other[i] -= t * column[i];
        }
        const double inverse = 1 / D[j];
        for (int i = j + 1; i < end; i++) column[i] *= inverse;
    }
    return -1;
}

// ---- larger fronts

// C (m x n, a lower trapezoid) -= X (m x k) Y' (n x k), in pieces.
typedef struct product {
    sti_fronts* f;
    int m, n, k, ranges;  // of rows
    const double *X, *Y;
    double* C;
    int ld, ldc;  // of X and Y, of C
} product;

static void multiply_piece(void* context, int item, int worker) {
    const product* p = context;
    const int c = item / p->ranges * STI_TILES_STRIP, width = c + STI_TILES_STRIP < p->n ? STI_TILES_STRIP : p->n - c;
    const int all = p->m - c, begin = item % p->ranges * ROWS,
              end = item % p->ranges == p->ranges - 1 ? all : begin + ROWS;
    if (begin >= all) return;
    const int rows = (end < all ? end : all) - begin;
    const double *X = p->X + c + begin, *Y = p->Y + c;
    double* C = p->C + (size_t)c * (size_t)p->ldc + (size_t)(c + begin);
    if ((double)rows * p->k > WORTH_PACKING) {
        double* room = p->f->room + (size_t)worker * STI_TILES_ROOM;
        sti_tiles_subtract_packed(begin == 0, rows, width, p->k, X, p->ld, Y, p->ld, C, p->ldc, room);
    } else {
        sti_tiles_subtract(begin == 0, rows, width, p->k, X, p->ld, Y, p->ld, C, p->ldc);
    }
}

static void subtract(sti_fronts* f, int m, int n, int k, const double* X, const double* Y, int ld, double* C, int ldc) {
    if (m <= 0 || n <= 0 || k <= 0) return;
    const int strips = (n - 1) / STI_TILES_STRIP + 1;
    product p = {f, m, n, k, (m - 1) / ROWS + 1, X, Y, C, ld, ldc};
    if (f->tasks != NULL && (double)m * n * k > WORTH_SHARING) {
        sti_tasks_run_any(f->tasks, strips * p.ranges, multiply_piece, &p);
    } else {
        for (int item = 0; item < strips * p.ranges; item++) multiply_piece(&p, item, 0);
    }
}

// At most GROUP columns from j on: their square of GROUP rows one by one, then the rows below. Z takes L D.
static int factor_group(double* P, int ld, int j, int width, double* D, double* Z) {
    double f[GROUP * GROUP] = {0}, inverse[GROUP] = {0};
    double *square = P + (size_t)j * (size_t)(ld + 1), *scaled = Z + (size_t)j * (size_t)(ld + 1);
    for (int t = 0; t < width; t++) {
        double* column = square + (size_t)t * (size_t)ld;
        D[j + t] = column[t];
        if (!is_pivot(D[j + t])) return j + t;
        inverse[t] = 1 / D[j + t];
        for (int s = t + 1; s < width; s++) {
            double* other = square + (size_t)s * (size_t)ld;
            f[GROUP * s + t] = column[s] * inverse[t];
            for (int i = s; i < GROUP; i++) other[i] -= f[GROUP * s + t] * column[i];
        }
        for (int i = t + 1; i < GROUP; i++) {
            scaled[(size_t)t * (size_t)ld + (size_t)i] = column[i];
            column[i] *= inverse[t];
        }
    }
    const int rows = ld - j - GROUP;
    if (rows > 0) sti_tiles_eliminate(width, 0, width, rows, square + GROUP, ld, f, inverse, scaled + GROUP, ld);
    return -1;
}

// Columns j0 .. j1 - 1 of a panel with ld rows, by halves.
static int factor_columns_by_halves(sti_fronts* f, double* P, int ld, int j0, int j1, double* D, double* Z) {
    if (j1 - j0 <= GROUP) return factor_group(P, ld, j0, j1 - j0, D, Z);
    const int middle = j0 + ((j1 - j0) / 2 + GROUP - 1) / GROUP * GROUP;
    int bad = factor_columns_by_halves(f, P, ld, j0, middle, D, Z);
    if (bad >= 0) return bad;
    const size_t at = (size_t)j0 * (size_t)ld + (size_t)middle;
    subtract(f, ld - middle, j1 - middle, middle - j0, P + at, Z + at, ld, P + (size_t)middle * (size_t)(ld + 1), ld);
    return factor_columns_by_halves(f, P, ld, middle, j1, D, Z);
}

// U -= L21 D L21', the lower triangle, of a small front.
static void update_rows(const double* P, int w, int r, const double* D, double* U) {
    for (int j = 0; j < w; j++) {
        const double* column = P + (size_t)j * (size_t)(w + r) + (size_t)w;
        for (int k = 0; k < r; k++) {
            const double t = column[k] * D[j];
            double* to = U + (size_t)k * (size_t)r;
            for (int i = k; i < r; i++) to[i] -= column[i] * t;
        }
    }
}

// L and D of front s, and what it leaves. The column of a bad pivot, or -1.
static int factor_front(sti_fronts* f, int s, double* P, double* D) {
    const int w = columns_of(f, s), r = rows_of(f, s), ld = stride_of(f, s);
    const bool small = w + r <= SMALL;
    const int bad = small ? factor_columns(P, ld, 0, w, ld, D) : factor_columns_by_halves(f, P, ld, 0, w, D, f->scaled);
    if (bad >= 0) return bad;
    if (small) {
        update_rows(P, w, r, D, f->update);
    } else {
        subtract(f, r, r, w, P + w, f->scaled + w, ld, f->update, update_stride(f, s));
    }
    return -1;
}

int sti_fronts_factor(sti_fronts* f, const int* col_start, const int* row, const double* value, const int* order,
                      const int* place, double* D) {
    double* top = f->stack;
    for (int s = 0; s < f->count; s++) {
        double* P = f->panel + f->panel_start[s];
        if (f->deadline < (double)INFINITY && sti_now(f->env) > f->deadline) return -2;
        assemble(f, s, col_start, row, value, order, place, P);
        top = take_children(f, s, P, top);
        const int bad = factor_front(f, s, P, D + f->first[s]);
        if (bad >= 0) return f->first[s] + bad;
        const target left = {(size_t)update_stride(f, s), top};
        share_columns(f, rows_of(f, s), copy_columns, &left);
        top += update_size(f, s);
    }
    return -1;
}

// ---- solution

void sti_fronts_solve(sti_fronts* f, const double* D, double* x) {
    double* t = f->scaled;  // rows of a front
    for (int s = 0; s < f->count; s++) {
        const int w = columns_of(f, s), r = rows_of(f, s), ld = stride_of(f, s);
        const double* P = f->panel + f->panel_start[s];
        const int* below = f->row + f->row_start[s];
        double* own = x + f->first[s];
        sti_blas_trsv('N', true, w, P, ld, own);
        if (r == 0) continue;
        sti_blas_gemv('N', r, w, 1, P + w, ld, own, 0, t);
        for (int k = 0; k < r; k++) x[below[k]] -= t[k];
    }
    for (int i = 0; i < f->n; i++) x[i] /= D[i];
    for (int s = f->count - 1; s >= 0; s--) {
        const int w = columns_of(f, s), r = rows_of(f, s), ld = stride_of(f, s);
        const double* P = f->panel + f->panel_start[s];
        const int* below = f->row + f->row_start[s];
        double* own = x + f->first[s];
        for (int k = 0; k < r; k++) t[k] = x[below[k]];
        if (r > 0) sti_blas_gemv('T', r, w, -1, P + w, ld, t, 1, own);
        sti_blas_trsv('T', true, w, P, ld, own);
    }
}

int sti_fronts_most_rows(const sti_fronts* f) {
    int most = 0;
    for (int s = 0; s < f->count; s++) most = rows_of(f, s) > most ? rows_of(f, s) : most;
    return most;
}

// The columns of a front from one of its pivots on
typedef struct tail {
    int w, r, ld;
    const double *own, *rest;  // L among them, and below
    const int* below;
} tail;

static tail tail_of(const sti_fronts* f, int s, int from) {
    const int first = f->first[s], ld = stride_of(f, s);
    const double* P = f->panel + f->panel_start[s] + (size_t)(from - first) * (size_t)ld;
    return (tail){.w = f->first[s + 1] - from,
                  .r = rows_of(f, s),
                  .ld = ld,
                  .own = P + (from - first),
                  .rest = P + columns_of(f, s),
                  .below = f->row + f->row_start[s]};
}

// X (n x m) forward, and over D.
static void solve_down(const sti_fronts* f, int s, int from, const double* D, int m, double* X, double* t) {
    const tail L = tail_of(f, s, from);
    const size_t n = (size_t)f->n, r = (size_t)L.r;
    sti_blas_trsm('L', 'N', true, L.w, m, L.own, L.ld, X + from, f->n);
    if (r > 0) sti_blas_gemm('N', 'N', L.r, m, L.w, 1, L.rest, L.ld, X + from, f->n, 0, t, L.r);
    for (size_t j = 0; j < (size_t)m; j++) {
        for (size_t k = 0; k < r; k++) X[j * n + (size_t)L.below[k]] -= t[j * r + k];
        for (int i = from; i < from + L.w; i++) X[j * n + (size_t)i] /= D[i];
    }
}

static void solve_up(const sti_fronts* f, int s, int from, int m, double* X, double* t) {
    const tail L = tail_of(f, s, from);
    const size_t n = (size_t)f->n, r = (size_t)L.r;
    for (size_t j = 0; j < (size_t)m; j++) {
        for (size_t k = 0; k < r; k++) t[j * r + k] = X[j * n + (size_t)L.below[k]];
    }
    if (r > 0) sti_blas_gemm('T', 'N', L.w, m, L.r, -1, L.rest, L.ld, t, L.r, 1, X + from, f->n);
    sti_blas_trsm('L', 'T', true, L.w, m, L.own, L.ld, X + from, f->n);
}

void sti_fronts_solve_some(const sti_fronts* f, const double* D, int count, const int* some, const int* from, int m,
                           double* X, double* t) {
    for (int l = 0; l < count; l++) solve_down(f, some[l], from[l], D, m, X, t);
    for (int l = count - 1; l >= 0; l--) solve_up(f, some[l], from[l], m, X, t);
}
