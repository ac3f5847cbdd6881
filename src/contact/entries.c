// entries.c: from entries in any order to compressed columns: two counting sorts, by row and then by column.
#include "contact/entries.h"

static bool grow(sti_entries* e) {
    const size_t capacity = e->capacity < 32 ? 64 : 2 * e->capacity;
    int* row = sti_realloc(e->env, e->row, capacity * sizeof *row);
    if (row != NULL) e->row = row;
    int* col = row != NULL ? sti_realloc(e->env, e->col, capacity * sizeof *col) : NULL;
    if (col != NULL) e->col = col;
    double* value = col != NULL ? sti_realloc(e->env, e->value, capacity * sizeof *value) : NULL;
    if (value == NULL) {
        e->status = STI_ERR_MEMORY;
        return false;
    }
    e->value = value;
    e->capacity = capacity;
    return true;
}

void sti_entries_add(sti_entries* e, int row, int col, double value) {
    if (e->status != STI_OK || (e->count == e->capacity && !grow(e))) return;
    e->row[e->count] = row;
    e->col[e->count] = col;
    e->value[e->count++] = value;
}

void sti_entries_add_matrix(sti_entries* e, const sti_matrix* A, bool transposed, int row, int col, double factor) {
    for (int j = 0; j < A->cols && (A->dense != NULL || A->col_start != NULL); j++) {
        const int64_t first = A->dense != NULL ? 0 : A->col_start[j],
                      last = A->dense != NULL ? A->rows : A->col_start[j + 1];
        for (int64_t k = first; k < last; k++) {
            const int i = A->dense != NULL ? (int)k : A->row[k];
            const double x = A->dense != NULL ? A->dense[(size_t)i * (size_t)A->cols + (size_t)j] : A->value[k];
            if (x != 0) sti_entries_add(e, row + (transposed ? j : i), col + (transposed ? i : j), factor * x);
        }
    }
}

void sti_entries_drop(sti_entries* e) {
    if (e->env == NULL) return;
    sti_free(e->env, e->row);
    sti_free(e->env, e->col);
    sti_free(e->env, e->value);
    *e = (sti_entries){.env = e->env, .status = e->status};
}

// order: entries by key, those of one key in the order of `before` (NULL: as they come).
static void sort_by(const int* key, int keys, size_t count, const size_t* before, size_t* start, size_t* order) {
    for (int k = 0; k <= keys; k++) start[k] = 0;
    for (size_t x = 0; x < count; x++) start[key[x] + 1]++;
    for (int k = 0; k < keys; k++) start[k + 1] += start[k];
    for (size_t x = 0; x < count; x++) {
        const size_t at = before != NULL ? before[x] : x;
        order[start[key[at]]++] = at;
    }
}

static void gather(const sti_entries* e, const size_t* order, sti_matrix* out) {
    int64_t filled = 0;
    int j = 0;
    for (size_t x = 0; x < e->count; x++) {
        const size_t at = order[x];
        while (j < e->col[at]) out->col_start[++j] = filled;
        if (filled > out->col_start[j] && out->row[filled - 1] == e->row[at]) {
            out->value[filled - 1] += e->value[at];
            continue;
        }
        out->row[filled] = e->row[at];
        out->value[filled++] = e->value[at];
    }
    while (j < out->cols) out->col_start[++j] = filled;
}

sti_status sti_entries_finish(sti_entries* e, int rows, int cols, sti_matrix* out) {
    sti_env* env = e->env;
    *out = (sti_matrix){.rows = rows, .cols = cols};
    sti_status status = e->status;
    if (status == STI_OK) {
        const size_t keys = (size_t)(rows > cols ? rows : cols) + 1;
        size_t* start = sti_alloc_array(env, keys, sizeof *start);
        size_t* by_row = sti_alloc_array(env, e->count, sizeof *by_row);
        size_t* by_column = sti_alloc_array(env, e->count, sizeof *by_column);
        out->col_start = sti_alloc_array_zero(env, (size_t)cols + 1, sizeof *out->col_start);
        out->row = sti_alloc_array(env, e->count, sizeof *out->row);
        out->value = sti_alloc_array(env, e->count, sizeof *out->value);
        if (start == NULL || by_row == NULL || by_column == NULL || out->col_start == NULL || out->row == NULL ||
            out->value == NULL) {
            status = STI_ERR_MEMORY;
        } else {
            sort_by(e->row, rows, e->count, NULL, start, by_row);
            sort_by(e->col, cols, e->count, by_row, start, by_column);
            gather(e, by_column, out);
        }
        sti_free(env, start);
        sti_free(env, by_row);
        sti_free(env, by_column);
    }
    sti_entries_drop(e);
    if (status != STI_OK) sti_matrix_clear(env, out);
    return status;
}
