// bsr.c: block-sparse rows over contacts.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "contact/bsr_row.h"

void sti_bsr_clear(sti_env* env, sti_bsr* A) {
    sti_free(env, A->row_start);
    sti_free(env, A->col);
    sti_free(env, A->diagonal);
    sti_free(env, A->block);
    *A = (sti_bsr){0};
}

// Is there anything in block (i, j) of the dense matrix A?
static bool block_filled(const sti_matrix* A, int d, int i, int j) {
    for (int a = 0; a < d; a++) {
        const double* row = A->dense + (size_t)(d * i + a) * (size_t)A->cols + (size_t)(d * j);
        for (int b = 0; b < d; b++) {
            if (row[b] != 0) return true;
        }
    }
    return i == j;  // diagonal blocks are always stored
}

static sti_status reserve(sti_env* env, sti_bsr* A, int64_t blocks) {
    A->col = sti_alloc_array(env, (size_t)blocks, sizeof *A->col);
    A->block = sti_alloc_array_zero(env, (size_t)blocks * (size_t)(A->d * A->d), sizeof *A->block);
    if (A->col == NULL || A->block == NULL) return STI_ERR_MEMORY;
    return STI_OK;
}

static sti_status from_dense(sti_env* env, const sti_matrix* M, sti_bsr* A) {
    const int d = A->d;
    for (int i = 0; i < A->n; i++) {
        int64_t count = 0;
        for (int j = 0; j < A->n; j++) count += block_filled(M, d, i, j);
        A->row_start[i + 1] = A->row_start[i] + count;
    }
    const sti_status status = reserve(env, A, A->row_start[A->n]);
    if (status != STI_OK) return status;
    for (int i = 0; i < A->n; i++) {
        int64_t k = A->row_start[i];
        for (int j = 0; j < A->n; j++) {
            if (!block_filled(M, d, i, j)) continue;
            if (i == j) A->diagonal[i] = k;
            A->col[k] = j;
            for (int a = 0; a < d; a++)
                memcpy(A->block + (k * d + a) * d, M->dense + (size_t)(d * i + a) * (size_t)M->cols + (size_t)(d * j),
                       (size_t)d * sizeof(double));
            k++;
        }
    }
    return STI_OK;
}

// Where the blocks of a block column go, row by row.
typedef struct filling {
    const sti_matrix* M;
    sti_bsr* A;
    int* seen;       // last block column that touched row i               (n)
    int64_t* place;  // and the block after its last one                   (n)
    bool* whole;     // block columns that hold whole blocks, once they are counted   (n)
    bool count;      // the blocks are only counted
} filling;

// A place for block (i, j), or the one it has; NULL: it was counted.
static inline double* block_at(filling* f, const int d, int i, int j) {
    if (f->seen[i] != j) {
        f->seen[i] = j;
        if (f->count) {
            f->A->row_start[i + 1]++;
        } else {
            f->A->col[f->place[i]] = j;
            if (i == j) f->A->diagonal[i] = f->place[i];
            f->place[i]++;
        }
    }
    return f->count ? NULL : f->A->block + (f->place[i] - 1) * d * d;
}

// Do the d columns hold whole blocks, the same rows each? So it is where blocks were written as blocks.
static inline bool holds_blocks(const sti_matrix* M, const int d, int j) {
    const int64_t *start = M->col_start + (size_t)(d * j), count = start[1] - start[0];
    if (count == 0 || count % d != 0) return false;
    const int* row = M->row + start[0];
    for (int b = 1; b < d; b++) {
        if (start[b + 1] - start[b] != count) return false;
        if (memcmp(M->row + start[b], row, (size_t)count * sizeof *row) != 0) return false;
    }
    bool whole = true;
    for (int64_t k = 0; k < count; k += d) {
        whole &= row[k] % d == 0 && (k == 0 || row[k] > row[k - 1]);
        for (int a = 1; a < d; a++) whole &= row[k + a] == row[k] + a;
    }
    return whole;
}

static inline void fill_blocks(filling* f, const int d, int j) {
    const int64_t* start = f->M->col_start + (size_t)(d * j);
    for (int64_t k = start[0]; k < start[1]; k += d) {
        const int i = f->M->row[k] / d;
        const double* column[3];
        for (int b = 0; b < d; b++) column[b] = f->M->value + start[b] + (k - start[0]);
        bool some = i == j;
        for (int e = 0; e < d * d && !some; e++) some = column[e % d][e / d] != 0;
        if (!some) continue;
        double* block = block_at(f, d, i, j);
        for (int e = 0; block != NULL && e < d * d; e++) block[e] = column[e % d][e / d];
    }
}

static inline void fill_entries(filling* f, const int d, int j) {
    for (int b = 0; b < d; b++) {
        for (int64_t k = f->M->col_start[d * j + b]; k < f->M->col_start[d * j + b + 1]; k++) {
            if (f->M->value[k] == 0) continue;
            const int row = f->M->row[k];
            double* block = block_at(f, d, row / d, j);
            if (block != NULL) block[row % d * d + b] += f->M->value[k];
        }
    }
}

// Compressed columns: block columns are taken one after the other, so the blocks of a row come in ascending order. d is
// a constant where this is called: its divisions are then cheap.
static inline void fill(filling* f, const int d) {
    const int n = f->A->n;
    for (int i = 0; i < n; i++) f->seen[i] = -1;
    for (int j = 0; j < n; j++) {
        block_at(f, d, j, j);  // the diagonal block, filled or not
        if (f->count) f->whole[j] = holds_blocks(f->M, d, j);
        if (f->whole[j])
            fill_blocks(f, d, j);
        else
            fill_entries(f, d, j);
    }
}

static inline sti_status from_sparse(sti_env* env, const sti_matrix* M, const int d, sti_bsr* A) {
    const size_t n = (size_t)A->n;
    filling f = {.M = M, .A = A, .count = true};
    f.seen = sti_alloc_array(env, n, sizeof *f.seen);
    f.place = sti_alloc_array(env, n, sizeof *f.place);
    f.whole = sti_alloc_array(env, n, sizeof *f.whole);
    sti_status status = f.seen != NULL && f.place != NULL && f.whole != NULL ? STI_OK : STI_ERR_MEMORY;
    if (status == STI_OK) {
        fill(&f, d);
        for (size_t i = 0; i < n; i++) {
            A->row_start[i + 1] += A->row_start[i];
            f.place[i] = A->row_start[i];
        }
        status = reserve(env, A, A->row_start[n]);
    }
    if (status == STI_OK) {
        f.count = false;
        fill(&f, d);
    }
    sti_free(env, f.seen);
    sti_free(env, f.place);
    sti_free(env, f.whole);
    return status;
}

sti_status sti_bsr_from_matrix(sti_env* env, const sti_matrix* M, int d, sti_bsr* out) {
    *out = (sti_bsr){.d = d, .n = M->rows / d};
    out->row_start = sti_alloc_array_zero(env, (size_t)out->n + 1, sizeof *out->row_start);
    out->diagonal = sti_alloc_array(env, (size_t)out->n, sizeof *out->diagonal);
    sti_status status = STI_OK;
    if (out->row_start == NULL || out->diagonal == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK)
        status = M->dense != NULL || M->col_start == NULL ? from_dense(env, M, out)
                 : d == 2                                 ? from_sparse(env, M, 2, out)
                                                          : from_sparse(env, M, 3, out);
    if (status != STI_OK) sti_bsr_clear(env, out);
    return status;
}

void sti_bsr_row_multiply(const sti_bsr* A, int c, const double* x, double* y) {
    for (int i = 0; i < A->d; i++) y[i] = 0;
    if (A->d == 3)
        sti_bsr_add_row_3(A, A->row_start[c], A->row_start[c + 1], x, y);
    else
        sti_bsr_add_row_2(A, A->row_start[c], A->row_start[c + 1], x, y);
}

void sti_bsr_multiply(const sti_bsr* A, const double* x, double* y) {
    for (int c = 0; c < A->n; c++) sti_bsr_row_multiply(A, c, x, y + (size_t)A->d * (size_t)c);
}

// ---- the pattern of A + A'

static int compare(const void* a, const void* b) {
    const int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

// Rows taken as columns. True: the columns of A are the same, with ascending numbers.
static bool take_rows(const sti_bsr* A, int* next, sti_bsr_pattern* out) {
    for (int i = 0; i <= A->n; i++) out->first[i] = (int)A->row_start[i];
    memcpy(out->near, A->col, (size_t)A->row_start[A->n] * sizeof *A->col);
    memcpy(next, out->first, (size_t)A->n * sizeof *next);
    for (int i = 0; i < A->n; i++) {
        for (int64_t t = A->row_start[i]; t < A->row_start[i + 1]; t++) {
            const int j = A->col[t];
            if (next[j] == out->first[j + 1] || out->near[next[j]] != i) return false;
            out->entry[t] = next[j]++;
        }
    }
    return true;
}

// Rows and columns, sorted, each number once.
static void merge(const sti_bsr* A, int* start, sti_bsr_pattern* out) {
    memset(start, 0, ((size_t)A->n + 1) * sizeof *start);
    for (int i = 0; i < A->n; i++) {
        for (int64_t t = A->row_start[i]; t < A->row_start[i + 1]; t++) start[i + 1]++, start[A->col[t] + 1]++;
    }
    for (int i = 0; i < A->n; i++) start[i + 1] += start[i];
    for (int i = 0; i < A->n; i++) {
        for (int64_t t = A->row_start[i]; t < A->row_start[i + 1]; t++) {
            out->near[start[i]++] = A->col[t];
            out->near[start[A->col[t]]++] = i;
        }
    }
    // start[j] is now the end of column j
    int at = 0;
    for (int j = 0, from = 0; j < A->n; from = start[j++]) {
        qsort(out->near + from, (size_t)(start[j] - from), sizeof *out->near, compare);
        out->first[j] = at;
        for (int e = from, last = -1; e < start[j]; e++) {
            if (out->near[e] != last) out->near[at++] = last = out->near[e];
        }
    }
    out->first[A->n] = at;
    for (int i = 0; i < A->n; i++) {
        for (int64_t t = A->row_start[i]; t < A->row_start[i + 1]; t++) {
            const int *column = out->near + out->first[A->col[t]], *end = out->near + out->first[A->col[t] + 1];
            out->entry[t] = (int)((int*)bsearch(&i, column, (size_t)(end - column), sizeof i, compare) - out->near);
        }
    }
}

// Block t = (i, j) stands where column j has row i, which in such a pattern is where row j has column i.
static bool is_symmetric(const sti_bsr* A, const sti_bsr_pattern* p) {
    const int d = A->d;
    for (int64_t t = 0; t < A->row_start[A->n]; t++) {
        const double *block = A->block + t * d * d, *other = A->block + (int64_t)p->entry[t] * d * d;
        for (int a = 0; a < d; a++) {
            for (int b = 0; b < d; b++) {
                if (block[a * d + b] != other[b * d + a]) return false;
            }
        }
    }
    return true;
}

sti_status sti_bsr_pattern_make(sti_arena* memory, const sti_bsr* A, sti_bsr_pattern* out) {
    const size_t n = (size_t)A->n, blocks = (size_t)A->row_start[n];
    if (blocks > INT_MAX / 4 - n)
        return STI_FAIL(memory->env, STI_ERR_SIZE, -1, "contact graph with %zu blocks", blocks);
    int* next = sti_arena_raw(memory, n + 1, sizeof *next);
    out->first = sti_arena_raw(memory, n + 1, sizeof *out->first);
    out->near = sti_arena_raw(memory, 2 * blocks, sizeof *out->near);
    out->entry = sti_arena_raw(memory, blocks, sizeof *out->entry);
    if (memory->status != STI_OK) return memory->status;
    const bool same = take_rows(A, next, out);
    if (!same) merge(A, next, out);
    out->symmetric = same && is_symmetric(A, out);
    return STI_OK;
}
