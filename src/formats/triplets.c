// triplets.c: entries in any order, made into a sparse matrix by two counting sorts: by row, then, stably, by column.
#include "formats/triplets.h"

#include "base/arena.h"

sti_status sti_triplets_create(sti_env* env, size_t capacity, sti_triplets* out) {
    *out = (sti_triplets){.capacity = capacity};
    out->memory = sti_arena_make(env);
    out->i = sti_arena_raw(&out->memory, capacity, sizeof *out->i);
    out->j = sti_arena_raw(&out->memory, capacity, sizeof *out->j);
    out->v = sti_arena_raw(&out->memory, capacity, sizeof *out->v);
    if (out->memory.status == STI_OK) return STI_OK;
    sti_triplets_clear(out);
    return STI_ERR_MEMORY;
}

void sti_triplets_clear(sti_triplets* t) {
    sti_arena_clear(&t->memory);
    *t = (sti_triplets){0};
}

// start (buckets+1, zero at first): where each bucket of keys begins.
static void count_starts(const int* key, size_t count, int64_t* start, int buckets) {
    for (size_t k = 0; k < count; k++) start[key[k] + 1]++;
    for (int b = 0; b < buckets; b++) start[b + 1] += start[b];
}

// Entries in the order `order` (by row), placed into columns; equal places are merged.
static void place(const sti_triplets* t, const size_t* order, int64_t* next, sti_matrix* out, int* twice_i,
                  int* twice_j) {
    for (size_t k = 0; k < t->count; k++) {
        const size_t e = order[k];
        const int i = t->i[e], j = t->j[e];
        const int64_t last = next[j] - 1;
        if (last >= out->col_start[j] && out->row[last] == i) {
            out->value[last] += t->v[e];
            *twice_i = i;
            *twice_j = j;
        } else {
            out->row[next[j]] = i;
            out->value[next[j]++] = t->v[e];
        }
    }
}

// Merged entries have left gaps at the ends of columns: close them.
static void close_gaps(sti_matrix* out, const int64_t* next) {
    int64_t to = 0;
    for (int j = 0; j < out->cols; j++) {
        const int64_t from = out->col_start[j];
        out->col_start[j] = to;
        for (int64_t k = from; k < next[j]; k++) {
            out->row[to] = out->row[k];
            out->value[to++] = out->value[k];
        }
    }
    out->col_start[out->cols] = to;
}

sti_status sti_triplets_compress(sti_env* env, const sti_triplets* t, int rows, int cols, sti_matrix* out, int* i,
                                 int* j) {
    *i = *j = -1;
    *out = (sti_matrix){.rows = rows, .cols = cols};
    out->col_start = sti_alloc_array_zero(env, (size_t)cols + 1, sizeof *out->col_start);
    out->row = sti_alloc_array(env, t->count, sizeof *out->row);
    out->value = sti_alloc_array(env, t->count, sizeof *out->value);
    sti_arena memory = sti_arena_make(env);
    int64_t* row_next = sti_arena_take(&memory, (size_t)rows + 1, sizeof *row_next);
    int64_t* col_next = sti_arena_raw(&memory, (size_t)cols + 1, sizeof *col_next);
    size_t* order = sti_arena_raw(&memory, t->count, sizeof *order);
    sti_status status = STI_OK;
    if (memory.status != STI_OK || out->col_start == NULL || out->row == NULL || out->value == NULL)
        status = STI_ERR_MEMORY;
    if (status == STI_OK) {
        count_starts(t->i, t->count, row_next, rows);
        for (size_t k = 0; k < t->count; k++) order[row_next[t->i[k]]++] = k;
        count_starts(t->j, t->count, out->col_start, cols);
        for (int c = 0; c <= cols; c++) col_next[c] = out->col_start[c];
        place(t, order, col_next, out, i, j);
        close_gaps(out, col_next);
    } else {
        sti_matrix_clear(env, out);
    }
    sti_arena_clear(&memory);
    return status;
}
