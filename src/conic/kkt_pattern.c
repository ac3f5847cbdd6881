// kkt_pattern.c: where the entries of the interior-point system are. Found once, for all factorizations.
//
// Column j < n holds P and the column of A; columns n.. the rows of A and what stands for W^2: a diagonal, and for
// large cones two more columns. A small cone that is met in column j fills all its rows there: they are mixed by a
// rotation later.
#include <string.h>

#include "conic/kkt.h"

static sti_status reserve(sti_kkt* k, const sti_cones* cones) {
    const size_t count = (size_t)cones->count, m = (size_t)k->m;
    k->memory = sti_arena_make(k->env);
    k->large = sti_arena_raw(&k->memory, count, sizeof *k->large);
    k->cone = sti_arena_raw(&k->memory, m, sizeof *k->cone);
    k->blocks = sti_arena_take(&k->memory, count + 1, sizeof *k->blocks);
    k->Q = sti_arena_raw(&k->memory, count * STI_KKT_SMALL * STI_KKT_SMALL, sizeof *k->Q);
    if (k->memory.status != STI_OK) return k->memory.status;
    for (size_t i = 0; i < m; i++) k->cone[i] = -1;
    for (int c = 0; c < cones->count; c++) {
        for (int i = 0; i < cones->dim[c]; i++) k->cone[cones->at[c] + i] = c;
        const bool large = cones->dim[c] > STI_KKT_SMALL;
        k->large[c] = large ? k->n + k->m + k->extra : -1;
        k->extra += large ? 2 : 0;
    }
    k->order = k->n + k->m + k->extra;
    const size_t N = (size_t)k->order;
    k->diagonal = sti_arena_raw(&k->memory, N, sizeof *k->diagonal);
    k->sign = sti_arena_raw(&k->memory, N, sizeof *k->sign);
    k->exact = sti_arena_take(&k->memory, N, sizeof *k->exact);
    k->rhs = sti_arena_raw(&k->memory, 4 * N + 2 * m, sizeof *k->rhs);
    if (k->memory.status != STI_OK) return k->memory.status;
    k->step = k->rhs + 3 * N;
    k->g = k->step + N;
    k->axis = k->g + m;
    return STI_OK;
}

// One pass over the columns of K, rows ascending. With row == NULL entries, and blocks of cones, are only counted.
typedef struct writer {
    int64_t* col_start;
    int* row;
    double* value;
    int* met;  // blocks of each cone so far      (count)
    int64_t at;
} writer;

static void put(writer* out, int row, double value) {
    if (out->row != NULL) {
        out->row[out->at] = row;
        out->value[out->at] = value;
    }
    out->at++;
}

static void write_P(sti_kkt* k, writer* out, const sti_matrix* P, int j) {
    bool diagonal = false;
    const int64_t end = P->rows > 0 ? P->col_start[j + 1] : 0;
    for (int64_t e = P->rows > 0 ? P->col_start[j] : 0; e < end || !diagonal;) {
        const int row = e < end ? P->row[e] : k->n;
        if (!diagonal && row >= j) {
            k->diagonal[j] = (int)out->at;
            k->exact[j] = row == j ? P->value[e] : 0;
            put(out, j, k->exact[j]);
            diagonal = true;
            e += row == j;
        } else {
            put(out, row, P->value[e++]);
        }
    }
    k->sign[j] = 1;
}

// The entries of column j of A in the small cone c, from entry e on; returns the first beyond.
static int64_t write_block(sti_kkt* k, writer* out, const sti_matrix* A, const sti_cones* cones, int j, int c,
                           int64_t e) {
    const int at = cones->at[c], dim = cones->dim[c];
    const size_t b = (size_t)(k->blocks[c] + out->met[c]++);
    if (out->row != NULL) {
        k->block_column[b] = j;
        k->block_place[b] = (int)out->at;
    }
    for (int i = 0; i < dim; i++) put(out, k->n + at + i, 0);
    for (; e < A->col_start[j + 1] && A->row[e] < at + dim; e++) {
        if (out->row != NULL) k->block_data[b * STI_KKT_SMALL + (size_t)(A->row[e] - at)] = A->value[e];
    }
    return e;
}

static void write_upper(sti_kkt* k, writer* out, const sti_matrix* P, const sti_matrix* A, const sti_cones* cones) {
    for (int j = 0; j < k->n; j++) {
        out->col_start[j] = out->at;
        write_P(k, out, P, j);
        for (int64_t e = A->col_start[j]; e < A->col_start[j + 1];) {
            const int c = k->cone[A->row[e]];
            if (c >= 0 && k->large[c] < 0) {
                e = write_block(k, out, A, cones, j, c, e);
            } else {
                put(out, k->n + A->row[e], A->value[e]);
                e++;
            }
        }
    }
}

// Column n + i: row i of A, turned for a small cone, and W^2. Values of the latter are filled at each factorization.
static void write_row(sti_kkt* k, writer* out, const sti_matrix* At, int i) {
    const int c = k->cone[i];
    out->col_start[k->n + i] = out->at;
    if (c >= 0 && k->large[c] < 0) {
        for (int b = 0; b < out->met[c]; b++) put(out, out->row != NULL ? k->block_column[k->blocks[c] + b] : 0, 0);
    } else {
        for (int64_t e = At->col_start[i]; e < At->col_start[i + 1]; e++) put(out, At->row[e], At->value[e]);
    }
    k->diagonal[k->n + i] = (int)out->at;
    k->sign[k->n + i] = -1;
    put(out, k->n + i, 0);
    for (int t = 0; c >= 0 && k->large[c] >= 0 && t < 2; t++) put(out, k->large[c] + t, 0);
}

static void write_extra(sti_kkt* k, writer* out, const sti_cones* cones) {
    for (int c = 0; c < cones->count; c++) {
        for (int t = 0; k->large[c] >= 0 && t < 2; t++) {
            const int column = k->large[c] + t;
            out->col_start[column] = out->at;
            for (int i = 0; i < cones->dim[c]; i++) put(out, k->n + cones->at[c] + i, 0);
            k->diagonal[column] = (int)out->at;
            put(out, column, 0);
            k->sign[column] = t == 0 ? -1 : 1;
        }
    }
}

static void write_all(sti_kkt* k, writer* out, const sti_matrix* P, const sti_matrix* A, const sti_matrix* At,
                      const sti_cones* cones) {
    out->at = 0;
    memset(out->met, 0, (size_t)cones->count * sizeof *out->met);
    write_upper(k, out, P, A, cones);
    for (int i = 0; i < k->m; i++) write_row(k, out, At, i);
    write_extra(k, out, cones);
    out->col_start[k->order] = out->at;
}

// After the counting pass: room for the entries and the blocks.
static sti_status reserve_entries(sti_kkt* k, writer* out, const sti_cones* cones) {
    const size_t entries = (size_t)out->at;
    for (int c = 0; c < cones->count; c++) k->blocks[c + 1] = k->blocks[c] + out->met[c];
    const size_t blocks = (size_t)k->blocks[cones->count];
    out->row = sti_alloc_array(k->env, entries, sizeof *out->row);
    out->value = sti_alloc_array(k->env, entries, sizeof *out->value);
    k->block_column = sti_arena_raw(&k->memory, blocks, sizeof *k->block_column);
    k->block_place = sti_arena_raw(&k->memory, blocks, sizeof *k->block_place);
    k->block_data = sti_arena_take(&k->memory, blocks * STI_KKT_SMALL, sizeof *k->block_data);
    if (k->memory.status != STI_OK || out->row == NULL || out->value == NULL) return STI_ERR_MEMORY;
    return STI_OK;
}

static sti_status assemble(sti_kkt* k, const sti_matrix* P, const sti_matrix* A, const sti_matrix* At,
                           const sti_cones* cones) {
    writer out = {.col_start = sti_alloc_array(k->env, (size_t)k->order + 1, sizeof(int64_t)),
                  .met = sti_alloc_array(k->env, (size_t)cones->count, sizeof(int))};
    sti_status status = STI_OK;
    if (out.col_start == NULL || out.met == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) {
        write_all(k, &out, P, A, At, cones);
        status = reserve_entries(k, &out, cones);
    }
    if (status == STI_OK) {
        write_all(k, &out, P, A, At, cones);
        status = sti_ldl_init(&k->ldl, k->env, k->order, out.col_start, out.row);
    }
    if (status == STI_OK) memcpy(k->ldl.value, out.value, (size_t)out.at * sizeof *out.value);
    sti_free(k->env, out.col_start);
    sti_free(k->env, out.met);
    sti_free(k->env, out.row);
    sti_free(k->env, out.value);
    return status;
}

sti_status sti_kkt_init(sti_kkt* k, sti_env* env, const sti_matrix* P, const sti_matrix* A, const sti_matrix* At,
                        const sti_cones* cones) {
    *k = (sti_kkt){.env = env, .n = A->cols, .m = A->rows};
    sti_status status = reserve(k, cones);
    if (status == STI_OK) status = assemble(k, P, A, At, cones);
    if (status != STI_OK) sti_kkt_clear(k);
    return status;
}

void sti_kkt_clear(sti_kkt* k) {
    if (k->env == NULL) return;
    sti_ldl_clear(&k->ldl);
    sti_arena_clear(&k->memory);
    *k = (sti_kkt){0};
}
