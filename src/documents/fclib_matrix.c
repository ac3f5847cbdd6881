// fclib_matrix.c: a matrix of an FCLIB file, in any of its three storages, as compressed columns in order.
//
// Sizes come first, then where rows or columns begin, then indices, then values: each is held against what is known
// before the next is read, and a failure names the entry.
#include <math.h>
#include <stdio.h>

#include "documents/fclib.h"
#include "formats/triplets.h"

enum { COLUMNS = -1, ROWS = -2 };

typedef struct stored {
    const sti_h5* h;
    uint64_t group;
    const char* label;
    int rows, cols;
    int nz;          // >= 0: triplets; COLUMNS, ROWS
    size_t used;     // entries
    int64_t* start;  // compressed: where each column (row) begins                 (cols+1 or rows+1)
    int* outer;      // column of each entry; row of each, when stored by rows      (used)
    int* inner;      // row of each entry; column of each, when stored by rows      (used)
    double* x;       // (used)
} stored;

// ---- lists

static sti_status open_list(const stored* s, const char* name, sti_fclib_list* list) {
    sti_status status = sti_fclib_list_open(s->h, s->group, s->label, name, list);
    if (status == STI_OK && !list->found) status = sti_fclib_list_missing(s->h, list);
    return status;
}

// Only the first `used` entries count; FCLIB keeps room for more behind them.
static void cut(sti_fclib_list* list, size_t used) {
    if (list->d.layout == STI_H5_CHUNKED) return;
    list->d.count = used;
    list->d.size[0] = used;
}

static sti_status check_length(const stored* s, const sti_fclib_list* list, size_t least) {
    if (list->d.count >= least) return STI_OK;
    return sti_h5_fail(s->h, list->label, "%llu entries: %zu are expected", (unsigned long long)list->d.count, least);
}

// Indices below a bound.
static sti_status read_indices(const stored* s, const char* name, int below, int** out) {
    sti_fclib_list list;
    int64_t* wide = NULL;
    int* x = NULL;
    *out = NULL;
    sti_status status = open_list(s, name, &list);
    if (status == STI_OK) status = check_length(s, &list, s->used);
    if (status == STI_OK) {
        cut(&list, s->used);
        status = sti_h5_dataset_integers(s->h, &list.d, list.label, &wide);
    }
    if (status == STI_OK) {
        x = sti_alloc_array(s->h->env, s->used, sizeof *x);
        if (x == NULL) status = STI_ERR_MEMORY;
    }
    for (size_t k = 0; status == STI_OK && k < s->used; k++) {
        if (wide[k] < 0 || wide[k] >= below)
            status = sti_h5_fail(s->h, NULL, "%s[%zu]: %lld: an index from 0 to %d is expected", list.label, k,
                                 (long long)wide[k], below - 1);
        else
            x[k] = (int)wide[k];
    }
    if (status == STI_OK)
        *out = x;
    else
        sti_free(s->h->env, x);
    sti_free(s->h->env, wide);
    sti_h5_dataset_clear(s->h, &list.d);
    return status;
}

static sti_status read_values(stored* s) {
    sti_fclib_list list;
    sti_status status = open_list(s, "x", &list);
    if (status == STI_OK) status = check_length(s, &list, s->used);
    if (status == STI_OK) {
        cut(&list, s->used);
        status = sti_h5_dataset_doubles(s->h, &list.d, list.label, &s->x);
    }
    sti_h5_dataset_clear(s->h, &list.d);
    return status;
}

// Starts of columns or rows: from 0, ascending, to no more entries than there are.
static sti_status check_starts(stored* s, const sti_fclib_list* list, int count, size_t most) {
    if (s->start[0] != 0)
        return sti_h5_fail(s->h, NULL, "%s[0]: %lld: 0 is expected", list->label, (long long)s->start[0]);
    for (int k = 0; k < count; k++) {
        if (s->start[k + 1] < s->start[k])
            return sti_h5_fail(s->h, NULL, "%s[%d]: %lld: less than the entry before, %lld", list->label, k + 1,
                               (long long)s->start[k + 1], (long long)s->start[k]);
        if ((uint64_t)s->start[k + 1] > most)
            return sti_h5_fail(s->h, NULL, "%s[%d]: %lld: there are only %zu entries", list->label, k + 1,
                               (long long)s->start[k + 1], most);
    }
    s->used = (size_t)s->start[count];
    return STI_OK;
}

static sti_status read_starts(stored* s) {
    const int count = s->nz == COLUMNS ? s->cols : s->rows;
    sti_fclib_list p, i = {0}, x = {0};
    sti_status status = open_list(s, "p", &p);
    if (status == STI_OK) status = open_list(s, "i", &i);
    if (status == STI_OK) status = open_list(s, "x", &x);
    if (status == STI_OK && p.d.count != (uint64_t)count + 1)
        status = sti_h5_fail(s->h, p.label, "%llu entries: %d are expected, one more than %s",
                             (unsigned long long)p.d.count, count + 1, s->nz == COLUMNS ? "columns" : "rows");
    if (status == STI_OK) status = sti_h5_dataset_integers(s->h, &p.d, p.label, &s->start);
    if (status == STI_OK) status = check_starts(s, &p, count, (size_t)(i.d.count < x.d.count ? i.d.count : x.d.count));
    sti_h5_dataset_clear(s->h, &p.d);
    sti_h5_dataset_clear(s->h, &i.d);
    sti_h5_dataset_clear(s->h, &x.d);
    return status;
}

// ---- the matrix

static sti_status read_sizes(stored* s) {
    int m = 0, n = 0;
    sti_status status = sti_fclib_read_int(s->h, s->group, s->label, "m", 0, STI_FCLIB_MOST, &m);
    if (status == STI_OK) status = sti_fclib_read_int(s->h, s->group, s->label, "n", 0, STI_FCLIB_MOST, &n);
    if (status == STI_OK && (m != s->rows || n != s->cols))
        status =
            sti_h5_fail(s->h, s->label, "%d x %d: %d x %d is expected, as the vectors say", m, n, s->rows, s->cols);
    if (status == STI_OK) status = sti_fclib_read_int(s->h, s->group, s->label, "nz", ROWS, INT32_MAX, &s->nz);
    if (status == STI_OK && s->nz >= 0) s->used = (size_t)s->nz;
    return status;
}

// Room that is smaller than what is in it: FCLIB itself would read past its end.
static sti_status check_room(const stored* s) {
    sti_fclib_list list;
    int most = 0;
    sti_status status = sti_fclib_list_open(s->h, s->group, s->label, "nzmax", &list);
    const bool found = list.found;
    sti_h5_dataset_clear(s->h, &list.d);
    if (status != STI_OK || !found) return status;
    status = sti_fclib_read_int(s->h, s->group, s->label, "nzmax", 0, INT32_MAX, &most);
    if (status == STI_OK && (size_t)most < s->used)
        status = sti_h5_fail(s->h, list.label, "%d: there are %zu entries", most, s->used);
    return status;
}

// Row (column) of each entry from where rows (columns) begin.
static sti_status spread_starts(stored* s) {
    const int count = s->nz == COLUMNS ? s->cols : s->rows;
    s->outer = sti_alloc_array(s->h->env, s->used, sizeof *s->outer);
    if (s->outer == NULL) return STI_ERR_MEMORY;
    for (int k = 0; k < count; k++) {
        for (int64_t e = s->start[k]; e < s->start[k + 1]; e++) s->outer[e] = k;
    }
    return STI_OK;
}

// Compressed columns with rows ascending are what we want, as they are.
static bool in_order(const stored* s) {
    if (s->nz != COLUMNS) return false;
    for (int j = 0; j < s->cols; j++) {
        for (int64_t k = s->start[j] + 1; k < s->start[j + 1]; k++) {
            if (s->inner[k] <= s->inner[k - 1]) return false;
        }
    }
    return true;
}

static sti_status arrange(stored* s, sti_matrix* out) {
    if (in_order(s)) {
        *out = (sti_matrix){.rows = s->rows, .cols = s->cols, .col_start = s->start, .row = s->inner, .value = s->x};
        s->start = NULL;
        s->inner = NULL;
        s->x = NULL;
        return STI_OK;
    }
    sti_status status = s->nz < 0 ? spread_starts(s) : STI_OK;
    if (status != STI_OK) return status;
    int i, j;
    const bool by_rows = s->nz == ROWS;
    const sti_triplets t = {.count = s->used,
                            .capacity = s->used,
                            .i = by_rows ? s->outer : s->inner,
                            .j = by_rows ? s->inner : s->outer,
                            .v = s->x};
    status = sti_triplets_compress(s->h->env, &t, s->rows, s->cols, out, &i, &j);
    if (status != STI_OK || i < 0) return status;
    // entries were summed, and a sum of finite numbers need not be one
    for (int col = 0; col < out->cols; col++) {
        for (int64_t k = out->col_start[col]; k < out->col_start[col + 1]; k++) {
            if (!isfinite(out->value[k]))
                return sti_h5_fail(s->h, s->label, "row %d, column %d: %g: the sum of its entries is not finite",
                                   out->row[k], col, out->value[k]);
        }
    }
    return STI_OK;
}

sti_status sti_fclib_read_matrix(const sti_h5* h, uint64_t group, const char* label, int rows, int cols,
                                 sti_matrix* out) {
    stored s = {.h = h, .group = group, .label = label, .rows = rows, .cols = cols};
    *out = (sti_matrix){0};
    sti_status status = read_sizes(&s);
    if (status == STI_OK && s.nz < 0) status = read_starts(&s);
    if (status == STI_OK) status = check_room(&s);
    if (status == STI_OK && s.nz >= 0) status = read_indices(&s, "p", cols, &s.outer);
    if (status == STI_OK) status = read_indices(&s, "i", s.nz == ROWS ? cols : rows, &s.inner);
    if (status == STI_OK) status = read_values(&s);
    if (status == STI_OK) status = arrange(&s, out);
    if (status != STI_OK) sti_matrix_clear(h->env, out);
    sti_free(h->env, s.start);
    sti_free(h->env, s.outer);
    sti_free(h->env, s.inner);
    sti_free(h->env, s.x);
    return status;
}
