// fronts.c: multifrontal L D L' (Duff & Reid 1983; Liu 1992), without pivoting.
//
// A front with w columns and r rows below them is
//
//     [ F11       ]     assembled from the columns of A and from what its children left,
//     [ F21   F22 ]
//
//     F11 = L11 D L11',     L21 = F21 L11^-T D^-1,     U = F22 - L21 D L21'
//
// L11, L21 and D stay, U goes to the parent. Fronts come in a postorder, so the U of the children of the front at hand are the
// last on a stack.
//
// Which columns make a front: those that follow each other in the tree and have the same rows; and a child is taken in where
// it costs few zeros (the rules below), since many small fronts spend their time on bookkeeping.
//
// The order of all sums depends on the pattern alone. Cost: the arithmetic of L D L', sum of count^2, by products of matrices;
// memory for L, its zeros, and the stack.
#include "linalg/fronts.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/lapack.h"

enum { BLOCK = 48, STRIP = 96, SMALL = 24 };  // columns of a panel, of U at a time; fronts too small for products

void sti_fronts_clear(sti_fronts* f) {
    if (f->env == NULL) return;
    void* owned[] = {f->first, f->parent, f->child,    f->sibling, f->row_start, f->row,  f->panel_start,
                     f->panel, f->where,  f->relative, f->update,  f->scaled,    f->stack};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) sti_free(f->env, owned[k]);
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

static size_t update_size(const sti_fronts* f, int s) {
    return (size_t)rows_of(f, s) * (size_t)rows_of(f, s);
}

// Room for panels, for the largest front, and for the stack at its highest.
static sti_status reserve_numbers(sti_fronts* f) {
    size_t rows = 0, largest = 0, top = 0, highest = 0;
    f->panel_start[0] = 0;
    for (int s = 0; s < f->count; s++) {
        const size_t w = (size_t)columns_of(f, s), r = (size_t)rows_of(f, s);
        f->panel_start[s + 1] = f->panel_start[s] + (int64_t)((w + r) * w);
        if (r > rows) rows = r;
        if ((w + r) * w > largest) largest = (w + r) * w;
        for (int c = f->child[s]; c >= 0; c = f->sibling[c]) top -= update_size(f, c);
        top += update_size(f, s);
        if (top > highest) highest = top;
    }
    f->panel = sti_alloc_array(f->env, (size_t)f->panel_start[f->count], sizeof *f->panel);
    f->relative = sti_alloc_array(f->env, rows, sizeof *f->relative);
    f->update = sti_alloc_array(f->env, rows * rows, sizeof *f->update);
    f->scaled = sti_alloc_array(f->env, largest, sizeof *f->scaled);
    f->stack = sti_alloc_array(f->env, highest, sizeof *f->stack);
    if (f->panel == NULL || f->relative == NULL || f->update == NULL || f->scaled == NULL || f->stack == NULL)
        return STI_FAIL(f->env, STI_ERR_MEMORY, -1, "fronts of a matrix of order %d", f->n);
    return STI_OK;
}

// Everything by front or pivot; at most n fronts, and no more rows than L has entries in the last columns of fronts.
static sti_status reserve_pattern(sti_fronts* f, const int* count) {
    const size_t fronts = (size_t)f->count;
    int64_t rows = 0;
    for (int s = 0; s < f->count; s++) rows += count[f->first[s + 1] - 1];
    f->parent = sti_alloc_array(f->env, fronts, sizeof *f->parent);
    f->child = sti_alloc_array(f->env, fronts, sizeof *f->child);
    f->sibling = sti_alloc_array(f->env, fronts, sizeof *f->sibling);
    f->row_start = sti_alloc_array(f->env, fronts + 1, sizeof *f->row_start);
    f->panel_start = sti_alloc_array(f->env, fronts + 1, sizeof *f->panel_start);
    f->row = sti_alloc_array(f->env, (size_t)rows, sizeof *f->row);
    if (f->parent == NULL || f->child == NULL || f->sibling == NULL || f->row_start == NULL || f->panel_start == NULL ||
        f->row == NULL)
        return STI_FAIL(f->env, STI_ERR_MEMORY, -1, "pattern of %d fronts", f->count);
    return STI_OK;
}

sti_status sti_fronts_init(sti_fronts* f, sti_env* env, int n, const int* col_start, const int* row, const int* order,
                           const int* place, const int* parent, const int* count) {
    *f = (sti_fronts){0};
    sti_status status = sti_lapack_reserve(env);
    if (status != STI_OK) return status;
    *f = (sti_fronts){.env = env, .n = n, .deadline = (double)INFINITY};
    f->first = sti_alloc_array(env, (size_t)n + 1, sizeof *f->first);
    f->where = sti_alloc_array(env, (size_t)n, sizeof *f->where);
    int* owner = sti_alloc_array(env, (size_t)n, sizeof *owner);
    double* zeros = sti_alloc_array(env, (size_t)n, sizeof *zeros);
    if (f->first == NULL || f->where == NULL || owner == NULL || zeros == NULL) {
        status = STI_FAIL(env, STI_ERR_MEMORY, -1, "fronts of a matrix of order %d", n);
    } else {
        find_fronts(f, parent, count, zeros);
        for (int s = 0; s < f->count; s++) {
            for (int j = f->first[s]; j < f->first[s + 1]; j++) owner[j] = s;
        }
        status = reserve_pattern(f, count);
    }
    if (status == STI_OK) {
        find_rows(f, col_start, row, order, place, owner);
        status = reserve_numbers(f);
    }
    sti_free(env, owner);
    sti_free(env, zeros);
    if (status != STI_OK) sti_fronts_clear(f);
    return status;
}

// ---- numbers

// The children's updates into panel P (ld = w + r) and update U (r); their places on the stack become free.
static double* take_children(sti_fronts* f, int s, double* P, double* top) {
    const int from = f->first[s], w = columns_of(f, s), r = rows_of(f, s), ld = w + r;
    for (int c = f->child[s]; c >= 0; c = f->sibling[c]) {
        const int rows = rows_of(f, c);
        const int* row = f->row + f->row_start[c];
        top -= update_size(f, c);
        for (int k = 0; k < rows; k++) f->relative[k] = row[k] < from + w ? row[k] - from : f->where[row[k]];
        for (int j = 0; j < rows; j++) {
            const int to = f->relative[j];
            const double* left = top + (size_t)j * (size_t)rows;
            double* column = to < w ? P + (size_t)to * (size_t)ld : f->update + (size_t)(to - w) * (size_t)r - w;
            for (int i = j; i < rows; i++) column[f->relative[i]] += left[i];
        }
    }
    return top;
}

static void assemble(sti_fronts* f, int s, const int* col_start, const int* row, const double* value, const int* order,
                     const int* place, double* P) {
    const int from = f->first[s], w = columns_of(f, s), r = rows_of(f, s), ld = w + r;
    const int* below = f->row + f->row_start[s];
    memset(P, 0, (size_t)ld * (size_t)w * sizeof *P);
    memset(f->update, 0, update_size(f, s) * sizeof *f->update);
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

// Z = L D for the rows i0 .. i1 - 1 and columns j0 .. j1 - 1 of P.
static void scale_columns(const double* P, int ld, int i0, int i1, int j0, int j1, const double* D, double* Z) {
    for (int j = j0; j < j1; j++) {
        const double* column = P + (size_t)j * (size_t)ld;
        for (int i = i0; i < i1; i++) *Z++ = column[i] * D[j];
    }
}

// C (m x n, ld) -= X (m x k, ldx) Y' (n x k, ldy), all by columns.
static void subtract(int m, int n, int k, const double* X, int ldx, const double* Y, int ldy, double* C, int ldc) {
    if (m > 0 && n > 0 && k > 0) sti_blas_gemm('N', 'T', m, n, k, -1, X, ldx, Y, ldy, 1, C, ldc);
}

// L of a panel with w columns and ld rows: blocks of columns, each subtracted from all that follow.
static int factor_panel(double* P, int w, int ld, double* D, double* Z) {
    for (int j0 = 0; j0 < w; j0 += BLOCK) {
        const int j1 = j0 + BLOCK < w ? j0 + BLOCK : w, k = j1 - j0, rest = ld - j1;
        const int bad = factor_columns(P, ld, j0, j1, j1, D);
        if (bad >= 0) return bad;
        double* below = P + (size_t)j0 * (size_t)ld + (size_t)j1;
        if (rest > 0) sti_blas_trsm('R', 'T', true, rest, k, P + (size_t)j0 * (size_t)ld + (size_t)j0, ld, below, ld);
        for (int j = j0; j < j1; j++) {
            double* column = P + (size_t)j * (size_t)ld;
            const double inverse = 1 / D[j];
            for (int i = j1; i < ld; i++) column[i] *= inverse;
        }
        scale_columns(P, ld, j1, w, j0, j1, D, Z);
        for (int c = j1; c < w; c += STRIP) {
            const int width = c + STRIP < w ? STRIP : w - c;
            subtract(ld - c, width, k, P + (size_t)j0 * (size_t)ld + (size_t)c, ld, Z + (c - j1), w - j1,
                     P + (size_t)c * (size_t)ld + (size_t)c, ld);
        }
    }
    return -1;
}

// U -= L21 D L21', the lower triangle.
static void update_rows(const double* P, int w, int r, const double* D, double* Z, double* U) {
    const int ld = w + r;
    if (ld <= SMALL || w == 1) {
        for (int j = 0; j < w; j++) {
            const double* column = P + (size_t)j * (size_t)ld + (size_t)w;
            for (int k = 0; k < r; k++) {
                const double t = column[k] * D[j];
                double* to = U + (size_t)k * (size_t)r;
                for (int i = k; i < r; i++) to[i] -= column[i] * t;
            }
        }
        return;
    }
    scale_columns(P, ld, w, ld, 0, w, D, Z);
    for (int c = 0; c < r; c += STRIP) {
        const int width = c + STRIP < r ? STRIP : r - c;
        subtract(r - c, width, w, P + w + c, ld, Z + c, r, U + (size_t)c * (size_t)r + (size_t)c, r);
    }
}

int sti_fronts_factor(sti_fronts* f, const int* col_start, const int* row, const double* value, const int* order,
                      const int* place, double* D) {
    double* top = f->stack;
    for (int s = 0; s < f->count; s++) {
        const int from = f->first[s], w = columns_of(f, s), r = rows_of(f, s), ld = w + r;
        double* P = f->panel + f->panel_start[s];
        if (f->deadline < (double)INFINITY && sti_now(f->env) > f->deadline) return -2;
        assemble(f, s, col_start, row, value, order, place, P);
        top = take_children(f, s, P, top);
        const int bad =
            ld <= SMALL ? factor_columns(P, ld, 0, w, ld, D + from) : factor_panel(P, w, ld, D + from, f->scaled);
        if (bad >= 0) return from + bad;
        if (r == 0) continue;
        update_rows(P, w, r, D + from, f->scaled, f->update);
        memcpy(top, f->update, update_size(f, s) * sizeof *top);
        top += update_size(f, s);
    }
    return -1;
}

// ---- solution

void sti_fronts_solve(sti_fronts* f, const double* D, double* x) {
    double* t = f->scaled;  // rows of a front
    for (int s = 0; s < f->count; s++) {
        const int w = columns_of(f, s), r = rows_of(f, s), ld = w + r;
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
        const int w = columns_of(f, s), r = rows_of(f, s), ld = w + r;
        const double* P = f->panel + f->panel_start[s];
        const int* below = f->row + f->row_start[s];
        double* own = x + f->first[s];
        for (int k = 0; k < r; k++) t[k] = x[below[k]];
        if (r > 0) sti_blas_gemv('T', r, w, -1, P + w, ld, t, 1, own);
        sti_blas_trsv('T', true, w, P, ld, own);
    }
}
