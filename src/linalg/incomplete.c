// incomplete.c: incomplete Cholesky factors of limited memory (Tismenetsky 1991; Kaporin 1998; Scott & Tuma 2014).
//
// With A scaled to a unit diagonal, column j is
//
//     w = A(:,j) - sum_k L(:,k) L(j,k) - sum_k R(:,k) L(j,k) - sum_k L(:,k) R(j,k),     k < j,
//
// divided by the root of its diagonal. Its `entries` largest go to L, the next as many to R, the rest is dropped: A = L
// L' + L R' + R L' + what was dropped. R is forgotten in the end; that R R' is not taken off is what keeps pivots
// positive where plain dropping does not. Where a pivot still comes out too small all is done again with a larger shift
// of the diagonal.
//
// Columns that take part in column j are found by lists: a column hangs on the row of its first entry that is not done.
//
// The order is reverse Cuthill-McKee, under which incomplete factors are better than under those that save fill.
// Cost: n entries^2 multiplications, 24 n entries bytes, half of them for R.
#include "linalg/incomplete.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double DROP = 1e-4;          // entries of L below this are left to R
static const double DROP_REST = 1e-6;     // and below this to nobody
static const double LEAST_PIVOT = 1e-16;  // of a unit diagonal, squared
static const double FIRST_SHIFT = 1e-7, LARGEST_SHIFT = 1, GROWTH = 8;

enum { OFTEN = 256 };  // columns between looks at the clock

typedef struct entry {
    int row;
    double value;
} entry;

// Columns with a pointer to the first entry of each whose row is not done, and lists of the columns that wait for a
// row.
typedef struct columns {
    int64_t* start;  // (n+1)
    int* row;
    double* value;
    int64_t* first;    // (n)
    int *head, *next;  // (n)
} columns;

typedef struct work {
    columns L, R;
    int *pattern, *mark;  // (n)
    double* w;            // (n)
    entry* kept;          // (n)
} work;

static size_t work_bytes(size_t n, size_t entries) {
    const size_t by_column = 4 * sizeof(int) + 2 * sizeof(int) + 3 * sizeof(int64_t) + sizeof(double) + sizeof(entry);
    return sti_size_add(sizeof(int64_t) + 64, sti_size_mul(n, by_column + entries * (sizeof(int) + sizeof(double))));
}

size_t sti_incomplete_bytes(int n, int entries) {
    const size_t e = (size_t)entries, by_column = 2 * sizeof(int) + 3 * sizeof(double) + sizeof(int64_t);
    const size_t own = sti_size_mul((size_t)n, by_column + e * (sizeof(int) + sizeof(double)));
    return sti_size_add(own, work_bytes((size_t)n, e));
}

// ---- the order

static int degree(const int* col_start, int v) {
    return col_start[v + 1] - col_start[v];
}

// Breadth first from `from` into order, neighbours of few neighbours first; mark[v] becomes `stamp`. The number found;
// *depth of the last level, which begins at *last.
static int breadth_first(const int* col_start, const int* row, int from, int* mark, int stamp, int* order, int* last,
                         int* depth) {
    int done = 0, end = 1, level = 1;
    order[0] = from;
    mark[from] = stamp;
    *last = 0;
    *depth = 0;
    while (done < end) {
        const int v = order[done++], begin = end;
        for (int k = col_start[v]; k < col_start[v + 1]; k++) {
            const int w = row[k];
            if (mark[w] == stamp) continue;
            mark[w] = stamp;
            int at = end++;
            for (; at > begin && degree(col_start, order[at - 1]) > degree(col_start, w); at--)
                order[at] = order[at - 1];
            order[at] = w;
        }
        if (done < level || done == end) continue;
        *last = done;
        level = end;
        ++*depth;
    }
    return end;
}

// Each component from a vertex that is far from others.
static void find_order(sti_incomplete* f, const int* col_start, const int* row, int* mark) {
    int done = 0, stamp = 0;
    for (int v = 0; v < f->n; v++) mark[v] = -1;
    for (int v = 0; v < f->n; v++) {
        if (mark[v] >= 0) continue;
        int from = v, deepest = -1, count = 0;
        for (;;) {
            int last, depth;
            count = breadth_first(col_start, row, from, mark, stamp++, f->order + done, &last, &depth);
            if (depth <= deepest) break;
            deepest = depth;
            from = f->order[done + last];
        }
        done += count;
    }
    for (int k = 0; k < f->n / 2; k++) {
        const int t = f->order[k];
        f->order[k] = f->order[f->n - 1 - k];
        f->order[f->n - 1 - k] = t;
    }
    for (int k = 0; k < f->n; k++) f->place[f->order[k]] = k;
}

sti_status sti_incomplete_init(sti_incomplete* f, sti_env* env, int n, const int* col_start, const int* row,
                               int entries) {
    const size_t size = (size_t)n, all = sti_size_mul(size, (size_t)entries);
    *f = (sti_incomplete){.env = env, .n = n, .entries = entries, .deadline = (double)INFINITY};
    f->order = sti_alloc_array(env, size, sizeof *f->order);
    f->place = sti_alloc_array(env, size, sizeof *f->place);
    f->scale = sti_alloc_array(env, size, sizeof *f->scale);
    f->start = sti_alloc_array(env, size + 1, sizeof *f->start);
    f->row = sti_alloc_array(env, all, sizeof *f->row);
    f->value = sti_alloc_array(env, all, sizeof *f->value);
    f->pivot = sti_alloc_array(env, size, sizeof *f->pivot);
    f->x = sti_alloc_array(env, size, sizeof *f->x);
    f->room = sti_alloc(env, work_bytes(size, (size_t)entries));
    if (f->order == NULL || f->place == NULL || f->scale == NULL || f->start == NULL || f->row == NULL ||
        f->value == NULL || f->pivot == NULL || f->x == NULL || f->room == NULL) {
        sti_incomplete_clear(f);
        return STI_ERR_MEMORY;
    }
    find_order(f, col_start, row, f->room);
    return STI_OK;
}

void sti_incomplete_clear(sti_incomplete* f) {
    if (f->env == NULL) return;
    void* owned[] = {f->order, f->place, f->scale, f->start, f->row, f->value, f->pivot, f->x, f->room};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sti_free(f->env, owned[k]);
    *f = (sti_incomplete){0};
}

// ---- numbers

static void* take(char** at, size_t count, size_t size) {
    void* out = *at;
    *at += (count * size + 7) / 8 * 8;
    return out;
}

static work lay_out(sti_incomplete* f) {
    const size_t n = (size_t)f->n, all = n * (size_t)f->entries;
    char* at = f->room;
    work k = {.L = {.start = f->start, .row = f->row, .value = f->value}};
    k.R.start = take(&at, n + 1, sizeof *k.R.start);
    k.L.first = take(&at, n, sizeof *k.L.first);
    k.R.first = take(&at, n, sizeof *k.R.first);
    k.w = take(&at, n, sizeof *k.w);
    k.kept = take(&at, n, sizeof *k.kept);
    k.R.value = take(&at, all, sizeof *k.R.value);
    k.R.row = take(&at, all, sizeof *k.R.row);
    int** by_column[] = {&k.L.head, &k.L.next, &k.R.head, &k.R.next, &k.pattern, &k.mark};
    for (size_t i = 0; i < sizeof by_column / sizeof *by_column; i++) *by_column[i] = take(&at, n, sizeof(int));
    return k;
}

static void hang(columns* c, int k) {
    if (c->first[k] >= c->start[k + 1]) return;
    const int row = c->row[c->first[k]];
    c->next[k] = c->head[row];
    c->head[row] = k;
}

// w -= f times column k of c, its entries that are not done and not of row j.
static int subtract(work* k, const columns* c, int column, double f, int j, int count) {
    for (int64_t e = c->first[column]; e < c->start[column + 1]; e++) {
        const int i = c->row[e];
        if (i == j) continue;
        if (k->mark[i] != j) {
            k->mark[i] = j;
            k->pattern[count++] = i;
            k->w[i] = 0;
        }
        k->w[i] -= f * c->value[e];
    }
    return count;
}

// Column j of A, scaled and shifted, less what earlier columns take. Its entries; *diagonal.
static int gather(const sti_incomplete* f, work* k, int j, const int* col_start, const int* row, const double* value,
                  double* diagonal) {
    const int column = f->order[j];
    int count = 0;
    *diagonal = 1 + f->shift;
    for (int e = col_start[column]; e < col_start[column + 1]; e++) {
        const int i = f->place[row[e]];
        if (i <= j) continue;
        k->w[i] = value[e] * f->scale[column] * f->scale[row[e]];
        k->mark[i] = j;
        k->pattern[count++] = i;
    }
    for (int c = k->L.head[j], next; c >= 0; c = next) {
        const double l = k->L.value[k->L.first[c]];
        next = k->L.next[c];
        *diagonal -= l * l;
        count = subtract(k, &k->L, c, l, j, count);
        count = subtract(k, &k->R, c, l, j, count);
        k->L.first[c]++;
        hang(&k->L, c);
    }
    for (int c = k->R.head[j], next; c >= 0; c = next) {
        next = k->R.next[c];
        count = subtract(k, &k->L, c, k->R.value[k->R.first[c]], j, count);
        k->R.first[c]++;
        hang(&k->R, c);
    }
    return count;
}

static bool is_before(const entry* a, const entry* b) {
    const double x = fabs(a->value), y = fabs(b->value);
    return x > y || (x == y && a->row < b->row);
}

// The `most` largest of list[0 .. count - 1] first (Hoare's selection).
static void select_largest(entry* list, int count, int most) {
    int low = 0, high = count - 1;
    while (low < high && most > low && most <= high) {
        const entry middle = list[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (is_before(&list[i], &middle)) i++;
            while (is_before(&middle, &list[j])) j--;
            if (i > j) break;
            const entry t = list[i];
            list[i++] = list[j];
            list[j--] = t;
        }
        if (most <= j) {
            high = j;
        } else if (most >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static int by_row(const void* a, const void* b) {
    const int x = ((const entry*)a)->row, y = ((const entry*)b)->row;
    return (x > y) - (x < y);
}

// The list as column j of c.
static void append(columns* c, int j, entry* list, int count) {
    int64_t at = c->start[j];
    qsort(list, (size_t)count, sizeof *list, by_row);
    for (int k = 0; k < count; k++, at++) {
        c->row[at] = list[k].row;
        c->value[at] = list[k].value;
    }
    c->first[j] = c->start[j];
    c->start[j + 1] = at;
    hang(c, j);
}

static void keep(const sti_incomplete* f, work* k, int j, int count) {
    int large = 0, small = 0;
    for (int e = 0; e < count; e++) {
        const entry one = {k->pattern[e], k->w[k->pattern[e]] / f->pivot[j]};
        if (fabs(one.value) > DROP_REST) k->kept[small++] = one;
    }
    select_largest(k->kept, small, 2 * f->entries);
    if (small > 2 * f->entries) small = 2 * f->entries;
    select_largest(k->kept, small, f->entries);
    const int most = small < f->entries ? small : f->entries;
    for (int e = 0; e < most; e++) {  // those that are large enough for L to the front
        if (!(fabs(k->kept[e].value) > DROP)) continue;
        const entry t = k->kept[large];
        k->kept[large++] = k->kept[e];
        k->kept[e] = t;
    }
    const int rest = small - large < f->entries ? small - large : f->entries;
    append(&k->L, j, k->kept, large);
    append(&k->R, j, k->kept + large, rest);
}

static sti_incomplete_end run(sti_incomplete* f, const int* col_start, const int* row, const double* value) {
    work k = lay_out(f);
    k.L.start[0] = k.R.start[0] = 0;
    for (int j = 0; j < f->n; j++) k.L.head[j] = k.R.head[j] = k.mark[j] = -1;
    for (int j = 0; j < f->n; j++) {
        double diagonal;
        if (j % OFTEN == 0 && isfinite(f->deadline) && sti_now(f->env) > f->deadline) return STI_INCOMPLETE_LATE;
        const int count = gather(f, &k, j, col_start, row, value, &diagonal);
        if (!(diagonal > LEAST_PIVOT) || !isfinite(diagonal)) return STI_INCOMPLETE_FAILED;
        f->pivot[j] = sqrt(diagonal);
        keep(f, &k, j, count);
    }
    return STI_INCOMPLETE_DONE;
}

sti_incomplete_end sti_incomplete_factor(sti_incomplete* f, const int* col_start, const int* row, const double* value) {
    for (int j = 0; j < f->n; j++) {
        double diagonal = 0;
        for (int k = col_start[j]; k < col_start[j + 1]; k++) {
            if (row[k] == j) diagonal = value[k];
        }
        if (!(diagonal > 0) || !isfinite(diagonal)) return STI_INCOMPLETE_FAILED;
        f->scale[j] = 1 / sqrt(diagonal);
    }
    f->shift = f->shift > FIRST_SHIFT ? f->shift / (GROWTH * GROWTH) : 0;
    for (;;) {
        const sti_incomplete_end end = run(f, col_start, row, value);
        if (end != STI_INCOMPLETE_FAILED) return end;
        if (f->shift >= LARGEST_SHIFT) return end;
        f->shift = fmax(FIRST_SHIFT, GROWTH * f->shift);
    }
}

void sti_incomplete_solve(sti_incomplete* f, const double* b, double* x) {
    double* y = f->x;
    for (int j = 0; j < f->n; j++) y[j] = b[f->order[j]] * f->scale[f->order[j]];
    for (int j = 0; j < f->n; j++) {
        const double v = y[j] /= f->pivot[j];
        for (int64_t e = f->start[j]; e < f->start[j + 1]; e++) y[f->row[e]] -= f->value[e] * v;
    }
    for (int j = f->n - 1; j >= 0; j--) {
        double v = y[j];
        for (int64_t e = f->start[j]; e < f->start[j + 1]; e++) v -= f->value[e] * y[f->row[e]];
        y[j] = v / f->pivot[j];
    }
    for (int j = 0; j < f->n; j++) x[f->order[j]] = y[j] * f->scale[f->order[j]];
}
