// blocks.c: ordering by AMD on the graph of the groups, then L U by block columns (left-looking).
//
//     for j:   w = column j of A, z = row j of A
//              for every k < j with L_jk != 0:     w_i -= L_ik U_kj   (i >= j),     z_i -= L_jk U_ki   (i > j)
//              D_j = w_j^-1,      L_ij = w_i D_j,      U_ji = z_i
//
// The columns k that reach row j hang in a list at j; each moves on to its next row when it has been used. In the
// symmetric case z_i = w_i' and the second update is saved. Updates run in the order of the list, which depends on the
// pattern alone: the same bits each time.
//
// Cost: 2 b^3 operations for each pair of blocks in a column of L, twice that without symmetry.
#include "linalg/blocks.h"

#include <amd.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- blocks of one size: the compiler unrolls them where b is a number, so they are not left to its judgement

#define UNROLLED static inline __attribute__((always_inline))

UNROLLED void subtract_product(int b, const double* restrict A, const double* restrict B, double* restrict C) {
    for (int c = 0; c < b; c++) {
        double s[STI_BLOCK_MOST];
        for (int r = 0; r < b; r++) s[r] = C[c * b + r];
        for (int k = 0; k < b; k++) {
            const double t = B[c * b + k];
            for (int r = 0; r < b; r++) s[r] -= A[k * b + r] * t;
        }
        for (int r = 0; r < b; r++) C[c * b + r] = s[r];
    }
}

UNROLLED void set_product(int b, const double* restrict A, const double* restrict B, double* restrict C) {
    for (int c = 0; c < b; c++) {
        double s[STI_BLOCK_MOST] = {0};
        for (int k = 0; k < b; k++) {
            const double t = B[c * b + k];
            for (int r = 0; r < b; r++) s[r] += A[k * b + r] * t;
        }
        for (int r = 0; r < b; r++) C[c * b + r] = s[r];
    }
}

UNROLLED void subtract_vector(int b, const double* restrict A, const double* restrict x, double* restrict y) {
    for (int c = 0; c < b; c++) {
        for (int r = 0; r < b; r++) y[r] -= A[c * b + r] * x[c];
    }
}

// X = A^-1 by elimination with row exchanges; A is destroyed. Pivots below tiny are raised to it. False: singular.
static bool invert(int b, double tiny, double* A, double* X) {
    memset(X, 0, (size_t)(b * b) * sizeof *X);
    for (int k = 0; k < b; k++) X[k * b + k] = 1;
    for (int k = 0; k < b; k++) {
        int p = k;
        for (int r = k + 1; r < b; r++) {
            if (fabs(A[k * b + r]) > fabs(A[k * b + p])) p = r;
        }
        double pivot = A[k * b + p];
        if (fabs(pivot) < tiny) A[k * b + p] = pivot = pivot < 0 ? -tiny : tiny;
        if (!(fabs(pivot) > 0) || !isfinite(pivot)) return false;
        for (int c = 0; c < b; c++) {
            const double a = A[c * b + p], x = X[c * b + p];
            A[c * b + p] = A[c * b + k];
            X[c * b + p] = X[c * b + k];
            A[c * b + k] = a / pivot;
            X[c * b + k] = x / pivot;
        }
        for (int r = 0; r < b; r++) {
            const double t = A[k * b + r];
            if (r == k || t == 0) continue;
            for (int c = 0; c < b; c++) {
                A[c * b + r] -= t * A[c * b + k];
                X[c * b + r] -= t * X[c * b + k];
            }
        }
    }
    return true;
}

// ---- pattern

static sti_status grow(sti_env* env, void* at, size_t* capacity, size_t need, size_t size) {
    void** p = at;
    if (*p != NULL && need <= *capacity) return STI_OK;
    const size_t room = need + need / 2 + 8;
    void* grown = sti_realloc(env, *p, room * size);
    if (grown == NULL) return STI_ERR_MEMORY;
    *p = grown;
    *capacity = room;
    return STI_OK;
}

static int compare(const void* a, const void* b) {
    const int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

// Fill-reducing order on the graph of the groups (ldl.c says what amd_2 wants).
static sti_status find_order(sti_blocks* f, sti_env* env) {
    const int n = f->n, room = f->count + f->count / 5 + n + 1;
    const sti_status status = grow(env, &f->L_row, &f->room.L_row, (size_t)room + 7 * (size_t)n, sizeof *f->L_row);
    if (status != STI_OK) return status;
    int* entries = f->L_row;
    int *start = entries + room, *length = start + n, *nv = length + n, *head = nv + n;
    int *elen = head + n, *degree = elen + n, *w = degree + n, at = 0;
    for (int j = 0; j < n; j++) {
        start[j] = at;
        for (int e = f->first[j]; e < f->first[j + 1]; e++) {
            if (f->near[e] != j) entries[at++] = f->near[e];
        }
        length[j] = at - start[j];
    }
    amd_2(n, start, entries, length, room, at, nv, f->place, f->order, head, elen, degree, w, NULL, NULL);
    return STI_OK;
}

// Column j of L: the rows of A below the diagonal, and those of the columns whose first row is j. Beyond the limits the
// former alone.
static sti_status find_columns(sti_blocks* f, sti_env* env, double most_blocks, double most_cost) {
    const int n = f->n;
    size_t at = 0;
    f->cost = 0;
    for (int j = 0; j < n; j++) f->head[j] = f->where[j] = -1;
    for (int j = 0; j < n; j++) {
        const int column = f->order[j];
        size_t most = (size_t)(f->first[column + 1] - f->first[column]);
        for (int k = f->complete ? f->head[j] : -1; k >= 0; k = f->next[k])
            most += (size_t)(f->L_start[k + 1] - f->L_start[k]);
        const sti_status status = grow(env, &f->L_row, &f->room.L_row, at + most, sizeof *f->L_row);
        if (status != STI_OK) return status;
        if (at + most > INT_MAX / 2) return STI_FAIL(env, STI_ERR_SIZE, -1, "L would have %zu blocks", at);
        f->L_start[j] = (int)at;
        for (int e = f->first[column]; e < f->first[column + 1]; e++) {
            const int row = f->place[f->near[e]];
            if (row <= j || f->where[row] == j) continue;
            f->where[row] = j;
            f->L_row[at++] = row;
        }
        for (int k = f->complete ? f->head[j] : -1; k >= 0; k = f->next[k]) {
            for (int e = f->L_start[k]; e < f->L_start[k + 1]; e++) {
                const int row = f->L_row[e];
                if (row <= j || f->where[row] == j) continue;
                f->where[row] = j;
                f->L_row[at++] = row;
            }
        }
        f->L_start[j + 1] = (int)at;
        qsort(f->L_row + f->L_start[j], at - (size_t)f->L_start[j], sizeof *f->L_row, compare);
        const double count = (double)(at - (size_t)f->L_start[j]);
        f->cost += count * (count + 2);
        if (f->complete && (n + 2 * (double)at > most_blocks || f->cost > most_cost)) {
            const double cost = f->cost;
            f->complete = false;
            const sti_status cut = find_columns(f, env, most_blocks, most_cost);
            f->cost = fmax(cost, f->cost);  // of the complete ones, at least
            return cut;
        }
        if (at == (size_t)f->L_start[j]) continue;
        const int parent = f->L_row[f->L_start[j]];
        f->next[j] = f->head[parent];
        f->head[parent] = j;
    }
    f->fill = (int)at;
    return STI_OK;
}

// Islands become ranges of pivots, in the order of their last ones, each in its own order. True: the order has changed.
static bool gather_islands(sti_blocks* f) {
    const int n = f->n;
    int *island = f->head, *sorted = f->next, *first = f->island_start;
    f->islands = 0;
    for (int k = n - 1; k >= 0; k--)
        island[k] = f->L_start[k + 1] > f->L_start[k] ? island[f->L_row[f->L_start[k]]] : f->islands++;
    for (int i = 0; i <= f->islands; i++) first[i] = 0;
    for (int k = 0; k < n; k++) first[f->islands - island[k]]++;
    for (int i = 0; i < f->islands; i++) first[i + 1] += first[i];
    for (int k = n - 1; k >= 0; k--) sorted[--first[f->islands - island[k]]] = f->order[k];
    for (int i = 0; i < f->islands; i++) first[i] = first[i + 1];  // the first one was never used
    first[f->islands] = n;
    const bool same = memcmp(f->order, sorted, (size_t)n * sizeof *sorted) == 0;
    memcpy(f->order, sorted, (size_t)n * sizeof *sorted);
    for (int k = 0; k < n; k++) f->place[f->order[k]] = k;
    return !same;
}

// Islands are those of the complete factors; of incomplete ones there is one.
static sti_status find_pattern(sti_blocks* f, sti_env* env, bool gather, double most_blocks, double most_cost) {
    f->complete = true;
    sti_status status = find_columns(f, env, most_blocks, most_cost);
    f->islands = 1;
    f->island_start[0] = 0;
    f->island_start[1] = f->n;
    if (status == STI_OK && gather && f->complete && gather_islands(f))
        status = find_columns(f, env, INFINITY, INFINITY);
    return status;
}

static sti_status shape(sti_blocks* f, sti_env* env, int n, int b, const int* first, const int* near, bool gather,
                        double most_blocks, double most_cost) {
    const int count = first[n];
    if (f->n == n && f->b == b && f->count == count && memcmp(f->first, first, (size_t)(n + 1) * sizeof *first) == 0 &&
        memcmp(f->near, near, (size_t)count * sizeof *near) == 0)
        return STI_OK;
    f->n = 0;
    const size_t N = (size_t)n, size = (size_t)(b * b);
    sti_status status = grow(env, &f->first, &f->room.first, N + 1, sizeof *f->first);
    if (status == STI_OK) status = grow(env, &f->near, &f->room.near, (size_t)count, sizeof *f->near);
    if (status == STI_OK) status = grow(env, &f->order, &f->room.order, 8 * N + 2, sizeof *f->order);
    if (status == STI_OK) status = grow(env, &f->value, &f->room.value, (size_t)count * size, sizeof *f->value);
    if (status == STI_OK) status = grow(env, &f->D, &f->room.D, N * (size + (size_t)b), sizeof *f->D);
    if (status != STI_OK) return status;
    memcpy(f->first, first, (N + 1) * sizeof *first);
    memcpy(f->near, near, (size_t)count * sizeof *near);
    f->place = f->order + n;
    f->head = f->place + n;
    f->next = f->head + n;
    f->at = f->next + n;
    f->where = f->at + n;
    f->L_start = f->where + n;
    f->island_start = f->L_start + n + 1;
    f->n = n;
    f->b = b;
    f->count = count;
    status = find_order(f, env);
    if (status == STI_OK) status = find_pattern(f, env, gather, most_blocks, most_cost);
    if (status == STI_OK) status = grow(env, &f->L, &f->room.L, (size_t)f->fill * size, sizeof *f->L);
    if (status == STI_OK) status = grow(env, &f->U, &f->room.U, (size_t)f->fill * size, sizeof *f->U);
    if (status != STI_OK) f->n = 0;
    return status;
}

sti_status sti_blocks_shape(sti_blocks* f, sti_env* env, int n, int b, const int* first, const int* near) {
    return shape(f, env, n, b, first, near, false, INFINITY, INFINITY);
}

sti_status sti_blocks_shape_within(sti_blocks* f, sti_env* env, int n, int b, const int* first, const int* near,
                                   int64_t most_blocks, double most_cost) {
    const sti_status status = shape(f, env, n, b, first, near, true, (double)most_blocks, most_cost);
    if (status == STI_OK) memset(f->value, 0, (size_t)f->count * (size_t)(b * b) * sizeof *f->value);
    return status;
}

void sti_blocks_clear(sti_blocks* f, sti_env* env) {
    void* owned[] = {f->first, f->near, f->order, f->L_row, f->value, f->L, f->U, f->D};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sti_free(env, owned[i]);
    *f = (sti_blocks){0};
}

// ---- numbers

// Column and row j of A into their places in L and U, and the pivot. where: place of a row in column j. dim NULL: all
// groups count.
static void load(sti_blocks* f, int j, const unsigned char* dim, double* pivot) {
    const int column = f->order[j], b = f->b, from = f->L_start[j], size = b * b;
    const size_t bytes = (size_t)(f->L_start[j + 1] - from) * (size_t)size * sizeof *f->L;
    memset(f->L + (size_t)from * (size_t)size, 0, bytes);
    memset(f->U + (size_t)from * (size_t)size, 0, bytes);
    for (int e = from; e < f->L_start[j + 1]; e++) f->where[f->L_row[e]] = e;
    for (int e = f->first[column]; e < f->first[column + 1]; e++) {
        const int row = f->place[f->near[e]];
        const double* A = f->value + (size_t)e * (size_t)size;
        if (row == j) memcpy(pivot, A, (size_t)size * sizeof *A);
        if (row > j && (dim == NULL || dim[f->near[e]] > 0))
            memcpy(f->L + (size_t)f->where[row] * (size_t)size, A, (size_t)size * sizeof *A);
    }
    for (int k = dim != NULL ? dim[column] : b; k < b; k++) pivot[k * b + k] = 1;
}

// Row j of A: its blocks lie in the columns of the groups that j touches.
static void load_row(sti_blocks* f, int j, const unsigned char* dim) {
    const int column = f->order[j], size = f->b * f->b;
    for (int e = f->first[column]; e < f->first[column + 1]; e++) {
        const int other = f->near[e], row = f->place[other];
        if (row <= j || (dim != NULL && dim[other] == 0)) continue;
        const int* found = bsearch(&column, f->near + f->first[other], (size_t)(f->first[other + 1] - f->first[other]),
                                   sizeof *f->near, compare);
        memcpy(f->U + (size_t)f->where[row] * (size_t)size, f->value + (size_t)(found - f->near) * (size_t)size,
               (size_t)size * sizeof *f->U);
    }
}

// Column k waits at its next row that counts, from place p on.
static void hang(sti_blocks* f, int k, int p, const unsigned char* dim) {
    const int end = f->L_start[k + 1];
    while (dim != NULL && p < end && dim[f->order[f->L_row[p]]] == 0) p++;
    if (p == end) return;
    const int row = f->L_row[p];
    f->at[k] = p;
    f->next[k] = f->head[row];
    f->head[row] = k;
}

// What column k, whose row j is at place p, takes from column and row j. some: groups may be left out, and L may lack
// rows.
UNROLLED void subtract_column(sti_blocks* f, int b, bool symmetric, bool some, int j, int k, const unsigned char* dim,
                              double* pivot) {
    const size_t size = (size_t)(b * b);
    const int p = f->at[k], end = f->L_start[k + 1], from = f->L_start[j], to = f->L_start[j + 1];
    const double *Ljk = f->L + (size_t)p * size, *Ukj = f->U + (size_t)p * size;
    subtract_product(b, Ljk, Ukj, pivot);
    for (int e = p + 1; e < end; e++) {
        const int row = f->L_row[e], place = f->where[row];
        if (some && dim[f->order[row]] == 0) continue;
        if (some && !f->complete && (place < from || place >= to || f->L_row[place] != row)) continue;
        const size_t at = (size_t)place * size;
        subtract_product(b, f->L + (size_t)e * size, Ukj, f->L + at);
        if (!symmetric) subtract_product(b, Ljk, f->U + (size_t)e * size, f->U + at);
    }
}

UNROLLED bool eliminate(sti_blocks* f, int b, bool symmetric, bool some, int first, int last, const unsigned char* dim,
                        const double* tiny) {
    const size_t size = (size_t)(b * b);
    for (int j = first; j < last; j++) f->head[j] = -1;
    for (int j = first; j < last; j++) {
        double pivot[STI_BLOCK_MOST * STI_BLOCK_MOST] = {0};
        if (some && dim[f->order[j]] == 0) continue;
        load(f, j, dim, pivot);
        if (!symmetric) load_row(f, j, dim);
        for (int k = f->head[j], then; k >= 0; k = then) {
            then = f->next[k];
            subtract_column(f, b, symmetric, some, j, k, dim, pivot);
            hang(f, k, f->at[k] + 1, dim);
        }
        double* D = f->D + (size_t)j * size;
        if (!invert(b, some ? tiny[f->order[j]] : 0, pivot, D)) return false;
        for (int e = f->L_start[j]; e < f->L_start[j + 1]; e++) {
            double w[STI_BLOCK_MOST * STI_BLOCK_MOST], *L = f->L + (size_t)e * size, *U = f->U + (size_t)e * size;
            memcpy(w, L, size * sizeof *w);
            for (int r = 0; r < b && symmetric; r++) {
                for (int c = 0; c < b; c++) U[r * b + c] = w[c * b + r];
            }
            set_product(b, w, D, L);
        }
        hang(f, j, f->L_start[j], dim);
    }
    return true;
}

bool sti_blocks_factor(sti_blocks* f, bool symmetric) {
    if (f->b == 6) return eliminate(f, 6, symmetric, false, 0, f->n, NULL, NULL);
    if (f->b == 2) return eliminate(f, 2, symmetric, false, 0, f->n, NULL, NULL);
    if (f->b == 3) return eliminate(f, 3, symmetric, false, 0, f->n, NULL, NULL);
    return eliminate(f, f->b, symmetric, false, 0, f->n, NULL, NULL);
}

bool sti_blocks_factor_part(sti_blocks* f, int first, int last, const unsigned char* dim, const double* tiny) {
    if (f->b == 2) return eliminate(f, 2, false, true, first, last, dim, tiny);
    if (f->b == 3) return eliminate(f, 3, false, true, first, last, dim, tiny);
    return eliminate(f, f->b, false, true, first, last, dim, tiny);
}

UNROLLED void substitute(const sti_blocks* f, int b, bool some, int first, int last, const unsigned char* dim,
                         double* x) {
    const size_t size = (size_t)(b * b), bytes = (size_t)b * sizeof *x;
    double* y = f->D + (size_t)f->n * size;
    for (int j = first; j < last; j++) memcpy(y + (size_t)(j * b), x + (size_t)(f->order[j] * b), bytes);
    for (int j = first; j < last; j++) {
        if (some && dim[f->order[j]] == 0) continue;
        for (int e = f->L_start[j]; e < f->L_start[j + 1]; e++) {
            if (some && dim[f->order[f->L_row[e]]] == 0) continue;
            subtract_vector(b, f->L + (size_t)e * size, y + (size_t)(j * b), y + (size_t)(f->L_row[e] * b));
        }
    }
    for (int j = last - 1; j >= first; j--) {
        double *at = y + (size_t)(j * b), s[STI_BLOCK_MOST] = {0};
        if (some && dim[f->order[j]] == 0) continue;
        for (int e = f->L_start[j]; e < f->L_start[j + 1]; e++) {
            if (some && dim[f->order[f->L_row[e]]] == 0) continue;
            subtract_vector(b, f->U + (size_t)e * size, y + (size_t)(f->L_row[e] * b), at);
        }
        for (int c = 0; c < b; c++) {
            for (int r = 0; r < b; r++) s[r] += f->D[(size_t)j * size + (size_t)(c * b + r)] * at[c];
        }
        memcpy(at, s, bytes);
    }
    for (int j = first; j < last; j++) memcpy(x + (size_t)(f->order[j] * b), y + (size_t)(j * b), bytes);
}

void sti_blocks_solve(const sti_blocks* f, double* x) {
    if (f->b == 6)
        substitute(f, 6, false, 0, f->n, NULL, x);
    else if (f->b == 2)
        substitute(f, 2, false, 0, f->n, NULL, x);
    else if (f->b == 3)
        substitute(f, 3, false, 0, f->n, NULL, x);
    else
        substitute(f, f->b, false, 0, f->n, NULL, x);
}

void sti_blocks_solve_part(const sti_blocks* f, int first, int last, const unsigned char* dim, double* x) {
    if (f->b == 2)
        substitute(f, 2, true, first, last, dim, x);
    else if (f->b == 3)
        substitute(f, 3, true, first, last, dim, x);
    else
        substitute(f, f->b, true, first, last, dim, x);
}
