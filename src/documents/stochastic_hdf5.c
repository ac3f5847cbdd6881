// stochastic_hdf5.c: stochastic programs from HDF5: what the scenarios have under one name is one dataset.
//
//     /            attribute kind = "stochastic"
//     /Q0 /c0 /T0 /W0 /b (or /bl /bu) /lb /ub         the first stage; matrices dense or a group, as everywhere
//                                                     (hdf5_read.c)
//     /common/Q /common/c ..                          what all scenarios share, in the same form
//     /scenarios/p                                    (N)
//     /scenarios/c d dl du lb ub                      (N, entries)
//     /scenarios/Q T W W0                             (N, rows, cols), or a group of one pattern for all:
//                shape (2), col_start, row as everywhere, value (N, entries)
//
// Numbers of 1e20 and more are no side: HDF5 has no null. A rank that solves with others reads its own rows of every
// dataset and no more.
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "documents/document.h"
#include "documents/stochastic_store.h"
#include "formats/hdf5_fields.h"

enum { N, P, M, Q, SIZES };

typedef struct block {
    const char* name;
    size_t at;       // of a matrix, or of one side
    size_t also_at;  // of the other side, of what stands for both; 0: none
    int rows, cols;  // which sizes; cols -1: a vector
} block;

static const block first_blocks[] = {
    {"Q0", offsetof(sti_stochastic, Q0), 0, N, N},
    {"T0", offsetof(sti_stochastic, T0), 0, P, N},
    {"W0", offsetof(sti_stochastic, W0), 0, Q, N},
    {"c0", offsetof(sti_stochastic, c0), 0, N, -1},
    {"b", offsetof(sti_stochastic, bl), offsetof(sti_stochastic, bu), P, -1},
    {"bl", offsetof(sti_stochastic, bl), 0, P, -1},
    {"bu", offsetof(sti_stochastic, bu), 0, P, -1},
    {"lb", offsetof(sti_stochastic, lb), 0, N, -1},
    {"ub", offsetof(sti_stochastic, ub), 0, N, -1},
};

static const block scenario_blocks[] = {
    {"Q", offsetof(sti_scenario, Q), 0, M, M},    {"T", offsetof(sti_scenario, T), 0, P, M},
    {"W", offsetof(sti_scenario, W), 0, Q, M},    {"W0", offsetof(sti_scenario, W0), 0, Q, N},
    {"c", offsetof(sti_scenario, c), 0, M, -1},   {"d", offsetof(sti_scenario, dl), offsetof(sti_scenario, du), Q, -1},
    {"dl", offsetof(sti_scenario, dl), 0, Q, -1}, {"du", offsetof(sti_scenario, du), 0, Q, -1},
    {"lb", offsetof(sti_scenario, lb), 0, M, -1}, {"ub", offsetof(sti_scenario, ub), 0, M, -1},
};

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof(a)[0]))

typedef struct reader {
    const sti_h5* h;
    sti_stochastic_store* store;
    int rank, size;      // of a team
    int size_of[SIZES];  // -1: not known yet
    int64_t count;       // scenarios of the file, -1: not known yet
    int64_t from, to;    // those of this rank
} reader;

static sti_status check_size(const reader* r, const char* label, int which, int* known, int found) {
    static const char* const words[] = {"variables x", "expectation rows", "variables of a scenario",
                                        "rows of a scenario"};
    if (*known < 0) *known = found;
    if (*known == found) return STI_OK;
    return sti_h5_fail(r->h, label, "%d: %d %s are expected", found, *known, words[which]);
}

static const double** vector_at(void* content, size_t at) {
    return (const double**)(void*)((char*)content + at);
}

// Neither "d" beside "dl" nor twice the same. A side that is not said beside one that is: none.
static sti_status put_vector(reader* r, const block* b, const char* label, void* content, double* x) {
    const double **side = vector_at(content, b->at), **other = b->also_at > 0 ? vector_at(content, b->also_at) : NULL;
    if (other == NULL && *side == NULL) {
        *side = x;
        return STI_OK;
    }
    if (other != NULL && *side == NULL && *other == NULL) {
        *side = *other = x;
        return STI_OK;
    }
    return sti_h5_fail(r->h, label, "a side that is given twice");
}

// ---- what stands there once: the first stage, and what is common

static sti_status read_one(reader* r, uint64_t header, const block* b, const char* label, void* content) {
    sti_env* env = r->h->env;
    if (b->cols < 0) {
        sti_h5_dataset d;
        double* x = NULL;
        sti_status status = sti_h5_dataset_open(r->h, header, label, STI_FILE_SPARSE_MOST, &d);
        if (status != STI_OK) return status;
        if (!d.is_dataset || d.rank != 1) status = sti_h5_fail(r->h, label, "a vector is expected");
        if (status == STI_OK) status = check_size(r, label, b->rows, &r->size_of[b->rows], (int)d.size[0]);
        if (status == STI_OK) status = sti_h5_dataset_doubles(r->h, &d, label, &x);
        if (status == STI_OK) status = put_vector(r, b, label, content, x);
        if (status != STI_OK) sti_free(env, x);
        sti_h5_dataset_clear(r->h, &d);
        return status;
    }
    sti_field f = {0};
    sti_status status = sti_h5_read_matrix(r->h, label, header, &f);
    if (status == STI_OK && f.cols < 0) f.cols = f.matrix.cols = r->size_of[b->cols] < 0 ? 0 : r->size_of[b->cols];
    if (status == STI_OK) status = check_size(r, label, b->rows, &r->size_of[b->rows], f.rows);
    if (status == STI_OK) status = check_size(r, label, b->cols, &r->size_of[b->cols], f.cols);
    if (status == STI_OK) {
        *(sti_matrix*)(void*)((char*)content + b->at) = f.matrix;
        f.matrix = (sti_matrix){0};
    }
    sti_field_clear(env, &f);
    return status;
}

static sti_status read_blocks(reader* r, uint64_t group, const char* prefix, const block* blocks, int count,
                              void* content) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < count; k++) {
        char label[64];
        bool found;
        uint64_t header;
        snprintf(label, sizeof label, "%s%s", prefix, blocks[k].name);
        status = sti_h5_find(r->h, group, blocks[k].name, &found, &header);
        if (status == STI_OK && found) status = read_one(r, header, &blocks[k], label, content);
    }
    return status;
}

// ---- stacks

static sti_status keep(reader* r, void* x) {
    r->store->stack[r->store->stack_count++] = x;
    return STI_OK;
}

// How many scenarios there are; which of them are of this rank; room for them.
static sti_status find_count(reader* r, const char* label, uint64_t count) {
    sti_stochastic_store* s = r->store;
    if (r->count >= 0 && (uint64_t)r->count == count) return STI_OK;
    if (r->count >= 0)
        return sti_h5_fail(r->h, label, "%llu scenarios: %lld are expected", (unsigned long long)count,
                           (long long)r->count);
    if (count < (uint64_t)r->size || count > INT_MAX)
        return sti_h5_fail(r->h, label, "%llu scenarios: from %d to %d are expected", (unsigned long long)count,
                           r->size, INT_MAX);
    r->count = (int64_t)count;
    r->from = sti_stochastic_share(r->count, r->rank, r->size);
    r->to = sti_stochastic_share(r->count, r->rank + 1, r->size);
    s->scenarios = sti_alloc_array_zero(r->h->env, (size_t)(r->to - r->from), sizeof *s->scenarios);
    if (s->scenarios == NULL) return STI_ERR_MEMORY;
    for (int64_t i = 0; i < r->to - r->from; i++) {
        s->scenarios[i] = s->common;
        s->scenarios[i].probability = 1 / (double)r->count;
    }
    s->program.scenarios = s->scenarios;
    s->program.scenario_count = (int)(r->to - r->from);
    return STI_OK;
}

// Rows of this rank of a dataset whose first dimension is the scenario; each row is kept for as long as the document.
static sti_status read_rows(reader* r, const sti_h5_dataset* d, const char* label, double** out) {
    const sti_status status = find_count(r, label, d->size[0]);
    if (status != STI_OK) return status;
    sti_status done = sti_h5_dataset_rows(r->h, d, label, (uint64_t)r->from, (uint64_t)(r->to - r->from), out);
    return done == STI_OK ? keep(r, *out) : done;
}

static sti_status stack_vector(reader* r, const block* b, const char* label, const sti_h5_dataset* d) {
    double* x;
    if (d->rank != 2 || d->depth > 0)
        return sti_h5_fail(r->h, label, "two dimensions, scenarios and entries, are expected");
    sti_status status = check_size(r, label, b->rows, &r->size_of[b->rows], (int)d->size[1]);
    if (status == STI_OK) status = read_rows(r, d, label, &x);
    for (int64_t i = 0; status == STI_OK && i < r->to - r->from; i++) {
        sti_scenario* s = &r->store->scenarios[i];
        // what is said of the scenario takes the place of what is common
        if (*vector_at(s, b->at) == *vector_at(&r->store->common, b->at)) *vector_at(s, b->at) = NULL;
        if (b->also_at > 0 && *vector_at(s, b->also_at) == *vector_at(&r->store->common, b->also_at))
            *vector_at(s, b->also_at) = NULL;
        status = put_vector(r, b, label, s, x + (uint64_t)i * d->size[1]);
    }
    return status;
}

static sti_status stack_dense(reader* r, const block* b, const char* label, const sti_h5_dataset* d) {
    double* x;
    if (d->depth == 0 && d->count > 0)
        return sti_h5_fail(r->h, label, "three dimensions, scenarios, rows and columns, are expected");
    const int cols = (int)d->depth, rows = cols > 0 ? (int)(d->size[1] / d->depth) : 0;
    sti_status status = check_size(r, label, b->rows, &r->size_of[b->rows], rows);
    if (status == STI_OK) status = check_size(r, label, b->cols, &r->size_of[b->cols], cols);
    if (status == STI_OK) status = read_rows(r, d, label, &x);
    for (int64_t i = 0; status == STI_OK && i < r->to - r->from; i++)
        *(sti_matrix*)(void*)((char*)&r->store->scenarios[i] + b->at) =
            sti_matrix_dense_view(rows, cols, x + (uint64_t)i * d->size[1]);
    return status;
}

static sti_status open_values(const reader* r, uint64_t group, const char* label, sti_h5_dataset* d) {
    bool found;
    uint64_t header;
    sti_status status = sti_h5_find(r->h, group, "value", &found, &header);
    if (status == STI_OK && !found) return sti_h5_fail(r->h, label, "value: missing: a dataset is expected");
    return status == STI_OK ? sti_h5_dataset_open(r->h, header, label, INT_MAX, d) : status;
}

static sti_status stack_sparse(reader* r, const block* b, const char* label, uint64_t group) {
    sti_field f = {0};
    sti_h5_dataset d = {0};
    double* x;
    sti_status status = sti_h5_read_pattern(r->h, label, group, &f);
    if (status != STI_OK) return status;
    keep(r, f.matrix.col_start);
    keep(r, f.matrix.row);
    status = open_values(r, group, label, &d);
    const size_t entries = (size_t)f.matrix.col_start[f.cols];
    if (status == STI_OK && (!d.is_dataset || d.rank != 2 || d.size[1] != entries))
        status = sti_h5_fail(r->h, label, "value: a row of %zu entries for each scenario is expected", entries);
    if (status == STI_OK) status = check_size(r, label, b->rows, &r->size_of[b->rows], f.rows);
    if (status == STI_OK) status = check_size(r, label, b->cols, &r->size_of[b->cols], f.cols);
    if (status == STI_OK) status = read_rows(r, &d, label, &x);
    for (int64_t i = 0; status == STI_OK && i < r->to - r->from; i++) {
        sti_matrix* A = (sti_matrix*)(void*)((char*)&r->store->scenarios[i] + b->at);
        *A = f.matrix;
        A->value = x + (uint64_t)i * d.size[1];
    }
    sti_h5_dataset_clear(r->h, &d);
    return status;
}

static sti_status read_stack(reader* r, uint64_t header, const block* b, const char* label) {
    sti_h5_dataset d;
    sti_status status = b->cols < 0 ? sti_h5_dataset_open(r->h, header, label, INT_MAX, &d)
                                    : sti_h5_dataset_open_deep(r->h, header, label, INT_MAX, &d);
    if (status != STI_OK) return status;
    if (d.is_group && b->cols >= 0)
        status = stack_sparse(r, b, label, header);
    else if (!d.is_dataset)
        status = sti_h5_fail(r->h, label, "neither a dataset nor a group of one pattern");
    else
        status = b->cols < 0 ? stack_vector(r, b, label, &d) : stack_dense(r, b, label, &d);
    sti_h5_dataset_clear(r->h, &d);
    return status;
}

static sti_status read_probabilities(reader* r, uint64_t group) {
    static const char label[] = "scenarios/p";
    sti_h5_dataset d;
    bool found;
    uint64_t header;
    double* x;
    sti_status status = sti_h5_find(r->h, group, "p", &found, &header);
    if (status != STI_OK || !found) return status;
    status = sti_h5_dataset_open(r->h, header, label, INT_MAX, &d);
    if (status != STI_OK) return status;
    if (!d.is_dataset || d.rank != 1) status = sti_h5_fail(r->h, label, "a vector is expected");
    if (status == STI_OK) status = read_rows(r, &d, label, &x);
    for (int64_t i = 0; status == STI_OK && i < r->to - r->from; i++) r->store->scenarios[i].probability = x[i];
    sti_h5_dataset_clear(r->h, &d);
    return status;
}

// ---- the whole

// A row of one pattern of sides: where one is said and the other is not, that is none.
static sti_status open_sides(reader* r) {
    sti_stochastic_store* s = r->store;
    const int longest = r->size_of[P] > r->size_of[Q] ? r->size_of[P] : r->size_of[Q];
    const size_t count = longest > 0 ? (size_t)longest : 0;
    double* none = sti_alloc_array(r->h->env, sti_size_mul(2, count), sizeof *none);
    if (none == NULL) return STI_ERR_MEMORY;
    keep(r, none);
    for (size_t k = 0; k < count; k++) {
        none[k] = -INFINITY;
        none[count + k] = INFINITY;
    }
    for (int i = 0; i < s->program.scenario_count; i++) {
        sti_scenario* c = &s->scenarios[i];
        if (c->dl == NULL && c->du != NULL) c->dl = none;
        if (c->du == NULL && c->dl != NULL) c->du = none + count;
        c->m = r->size_of[M] < 0 ? 0 : r->size_of[M];
        c->q = r->size_of[Q] < 0 ? 0 : r->size_of[Q];
    }
    return STI_OK;
}

static sti_status first_sides(reader* r) {
    sti_stochastic* p = &r->store->program;
    if ((p->bl == NULL) == (p->bu == NULL)) return STI_OK;
    double* none = sti_alloc_array(r->h->env, (size_t)r->size_of[P], sizeof *none);
    if (none == NULL) return STI_ERR_MEMORY;
    for (int k = 0; k < r->size_of[P]; k++) none[k] = p->bl == NULL ? -INFINITY : INFINITY;
    *(p->bl == NULL ? &p->bl : &p->bu) = none;
    return STI_OK;
}

static sti_status read_all(reader* r) {
    sti_stochastic_store* s = r->store;
    bool found;
    uint64_t group;
    sti_status status = read_blocks(r, r->h->root, "", first_blocks, COUNT_OF(first_blocks), &s->program);
    if (status == STI_OK && r->size_of[N] < 0)
        status = sti_h5_fail(r->h, "c0", "missing: the costs of x, or Q0, T0 or W0, are expected");
    if (status == STI_OK) status = first_sides(r);
    if (status == STI_OK) status = sti_h5_find(r->h, r->h->root, "common", &found, &group);
    if (status == STI_OK && found)
        status = read_blocks(r, group, "common/", scenario_blocks, COUNT_OF(scenario_blocks), &s->common);
    if (status == STI_OK) status = sti_h5_find(r->h, r->h->root, "scenarios", &found, &group);
    if (status == STI_OK && !found) status = sti_h5_fail(r->h, "scenarios", "missing: a group is expected");
    if (status != STI_OK) return status;
    status = read_probabilities(r, group);
    for (int k = 0; status == STI_OK && k < COUNT_OF(scenario_blocks); k++) {
        char label[64];
        uint64_t header;
        snprintf(label, sizeof label, "scenarios/%s", scenario_blocks[k].name);
        status = sti_h5_find(r->h, group, scenario_blocks[k].name, &found, &header);
        if (status == STI_OK && found) status = read_stack(r, header, &scenario_blocks[k], label);
    }
    if (status == STI_OK && r->count < 0)
        status = sti_h5_fail(r->h, "scenarios", "empty: p, or another dataset, says how many there are");
    if (status != STI_OK) return status;
    s->program.n = r->size_of[N];
    s->program.p = r->size_of[P] < 0 ? 0 : r->size_of[P];
    return open_sides(r);
}

sti_status sti_stochastic_read_hdf5_part(const sti_h5* h, int rank, int size, void** content) {
    sti_stochastic_store* s = *content = sti_alloc_array_zero(h->env, 1, sizeof *s);
    if (s == NULL) return STI_ERR_MEMORY;
    reader r = {.h = h, .store = s, .rank = rank, .size = size, .size_of = {-1, -1, -1, -1}, .count = -1};
    return read_all(&r);
}

sti_status sti_stochastic_read_hdf5(const sti_h5* h, void** content) {
    return sti_stochastic_read_hdf5_part(h, 0, 1, content);
}
