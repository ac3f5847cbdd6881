// hdf5_read.c: problems from HDF5: attribute "kind" on the root, datasets under the names of the JSON form.
//
//     /            attribute kind = "lcp" | "mlcp" | "qp" | "l1" | "cone"
//     /M, /q ...   matrices: 2-D, row major; vectors: 1-D; floating point or integer
//     /n, /m       optional, one integer each
//     /M/          a sparse matrix is a group: shape (2), col_start (cols+1), row (nnz), value (nnz), 0-based
//
// A file without the attribute but with a group fclib_local or fclib_global is a contact problem (fclib_read.c).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "documents/document.h"
#include "documents/fclib.h"
#include "formats/hdf5_fields.h"

// A dataset that has to be there. label names it in messages.
static sti_status open_dataset(const sti_h5* h, uint64_t group, const char* name, const char* label, uint64_t most,
                               sti_h5_dataset* d) {
    bool found;
    uint64_t header;
    *d = (sti_h5_dataset){0};
    sti_status status = sti_h5_find(h, group, name, &found, &header);
    if (status == STI_OK && !found) status = sti_h5_fail(h, label, "missing: a dataset is expected");
    if (status == STI_OK) status = sti_h5_dataset_open(h, header, label, most, d);
    if (status == STI_OK && !d->is_dataset) status = sti_h5_fail(h, label, "not a dataset");
    return status;
}

sti_status sti_h5_read_vector(const sti_h5* h, uint64_t group, const char* name, const char* label, uint64_t most,
                              double** out, size_t* count) {
    sti_h5_dataset d;
    sti_status status = open_dataset(h, group, name, label, most, &d);
    if (status == STI_OK && d.rank > 1) status = sti_h5_fail(h, label, "2 dimensions: a vector is expected");
    if (status == STI_OK) status = sti_h5_dataset_doubles(h, &d, label, out);
    *count = (size_t)d.count;
    sti_h5_dataset_clear(h, &d);
    return status;
}

static sti_status read_integers(const sti_h5* h, uint64_t group, const char* name, const char* label, int64_t** out,
                                size_t* count) {
    sti_h5_dataset d;
    sti_status status = open_dataset(h, group, name, label, INT32_MAX, &d);
    if (status == STI_OK) status = sti_h5_dataset_integers(h, &d, label, out);
    *count = (size_t)d.count;
    sti_h5_dataset_clear(h, &d);
    return status;
}

// ---- matrices

static sti_status read_dense(const sti_h5* h, const char* name, const sti_h5_dataset* d, sti_field* f) {
    double* x = NULL;
    sti_status status = STI_OK;
    if (d->rank == 1 && d->count > 0) status = sti_h5_fail(h, name, "1 dimension: a matrix is expected");
    if (status == STI_OK) status = sti_h5_dataset_doubles(h, d, name, &x);
    if (status != STI_OK) return status;
    f->rows = d->rank == 0 ? 1 : (int)d->size[0];
    f->cols = d->rank == 0 ? 1 : d->rank == 1 ? -1 : (int)d->size[1];
    f->matrix = sti_matrix_dense_view(f->rows, f->cols < 0 ? 0 : f->cols, x);
    return STI_OK;
}

typedef struct sparse_parts {
    int64_t* shape;      // (shape_count)
    int64_t* col_start;  // (col_count)
    int64_t* row;        // (row_count)
    double* value;       // (value_count)
    size_t shape_count, col_count, row_count, value_count;
} sparse_parts;

static sti_status read_parts(const sti_h5* h, uint64_t group, const char* name, bool values, sparse_parts* p) {
    char label[4][64];
    static const char* const part[4] = {"shape", "col_start", "row", "value"};
    for (int k = 0; k < 4; k++) snprintf(label[k], sizeof label[k], "%s/%s", name, part[k]);
    sti_status status = read_integers(h, group, part[0], label[0], &p->shape, &p->shape_count);
    if (status == STI_OK) status = read_integers(h, group, part[1], label[1], &p->col_start, &p->col_count);
    if (status == STI_OK) status = read_integers(h, group, part[2], label[2], &p->row, &p->row_count);
    p->value_count = p->row_count;
    if (status == STI_OK && values)
        status = sti_h5_read_vector(h, group, part[3], label[3], INT32_MAX, &p->value, &p->value_count);
    return status;
}

// Compressed columns in order: starts that rise from 0 to the number of entries, rows ascending inside a column.
static sti_status check_parts(const sti_h5* h, const char* name, const sparse_parts* p) {
    const int64_t most = STI_FILE_SPARSE_MOST;
    if (p->shape_count != 2 || p->shape[0] < 0 || p->shape[0] > most || p->shape[1] < 0 || p->shape[1] > most)
        return sti_h5_fail(h, name, "shape: two sizes from 0 to %lld are expected", (long long)most);
    if (p->col_count != (size_t)p->shape[1] + 1)
        return sti_h5_fail(h, name, "col_start: %zu entries: one more than columns is expected", p->col_count);
    if (p->row_count != p->value_count)
        return sti_h5_fail(h, name, "row: %zu entries: as many as in value, %zu, are expected", p->row_count,
                           p->value_count);
    if (p->col_start[0] != 0 || p->col_start[p->shape[1]] != (int64_t)p->row_count)
        return sti_h5_fail(h, name, "col_start: has to run from 0 to the number of entries");
    for (int64_t j = 0; j < p->shape[1]; j++) {
        if (p->col_start[j] > p->col_start[j + 1] || p->col_start[j + 1] > (int64_t)p->row_count)
            return sti_h5_fail(h, name, "col_start[%lld]: %lld: has to ascend", (long long)j + 1,
                               (long long)p->col_start[j + 1]);
        for (int64_t k = p->col_start[j]; k < p->col_start[j + 1]; k++) {
            const int64_t least = k > p->col_start[j] ? p->row[k - 1] + 1 : 0;
            if (p->row[k] < least || p->row[k] >= p->shape[0])
                return sti_h5_fail(h, name, "row[%lld]: %lld: rows below %lld, ascending in each column, are expected",
                                   (long long)k, (long long)p->row[k], (long long)p->shape[0]);
        }
    }
    return STI_OK;
}

static sti_status read_sparse(const sti_h5* h, uint64_t group, const char* name, bool values, sti_field* f) {
    sparse_parts p = {0};
    sti_status status = read_parts(h, group, name, values, &p);
    if (status == STI_OK) status = check_parts(h, name, &p);
    int* row = status == STI_OK ? sti_alloc_array(h->env, p.row_count, sizeof *row) : NULL;
    if (status == STI_OK && row == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) {
        for (size_t k = 0; k < p.row_count; k++) row[k] = (int)p.row[k];
        f->rows = (int)p.shape[0];
        f->cols = (int)p.shape[1];
        f->matrix =
            (sti_matrix){.rows = f->rows, .cols = f->cols, .col_start = p.col_start, .row = row, .value = p.value};
        p.col_start = NULL;
        p.value = NULL;
    }
    sti_free(h->env, p.shape);
    sti_free(h->env, p.col_start);
    sti_free(h->env, p.row);
    sti_free(h->env, p.value);
    return status;
}

sti_status sti_h5_read_matrix(const sti_h5* h, const char* name, uint64_t header, sti_field* f) {
    sti_h5_dataset d;
    sti_status status = sti_h5_dataset_open(h, header, name, STI_FILE_DENSE_MOST, &d);
    if (status != STI_OK) return status;
    if (d.is_dataset)
        status = read_dense(h, name, &d, f);
    else if (d.is_group)
        status = read_sparse(h, header, name, true, f);
    else
        status = sti_h5_fail(h, name, "neither a dataset nor a group");
    sti_h5_dataset_clear(h, &d);
    return status;
}

sti_status sti_h5_read_pattern(const sti_h5* h, const char* name, uint64_t group, sti_field* f) {
    return read_sparse(h, group, name, false, f);
}

// ---- the problem

static sti_status read_size(const sti_h5* h, const char* name, int64_t* out) {
    int64_t* value = NULL;
    size_t count = 0;
    sti_status status = read_integers(h, h->root, name, name, &value, &count);
    if (status == STI_OK && count != 1) status = sti_h5_fail(h, name, "%zu entries: one integer is expected", count);
    if (status == STI_OK && (*value < 0 || *value > STI_FILE_SPARSE_MOST))
        status = sti_h5_fail(h, name, "%lld: a size from 0 to %d is expected", (long long)*value, STI_FILE_SPARSE_MOST);
    if (status == STI_OK) *out = *value;
    sti_free(h->env, value);
    return status;
}

// STI_KIND_CONTACT for a file of FCLIB, global or local.
static sti_status read_kind(const sti_h5* h, sti_kind* kind, bool* global) {
    char text[64], words[300];
    bool found;
    sti_status status = sti_h5_attribute(h, h->root, "kind", text, sizeof text, &found);
    if (status == STI_OK && found) return sti_kind_find(h->env, h->name, text, false, kind);
    if (status == STI_OK) status = sti_fclib_find(h, &found, global);
    *kind = STI_KIND_CONTACT;
    if (status != STI_OK || found) return status;
    sti_kind_words(false, words, sizeof words);
    return sti_h5_fail(
        h, "kind", "missing: an attribute of the root, %s, or a group fclib_local or fclib_global, is expected", words);
}

static sti_status read_field(const sti_h5* h, const sti_field_name* name, sti_field* f) {
    bool found;
    uint64_t header;
    sti_status status = sti_h5_find(h, h->root, name->name, &found, &header);
    if (status != STI_OK || (!found && name->optional)) return status;
    if (!found) return sti_h5_fail(h, name->name, "missing: a dataset is expected");
    f->given = true;
    if (name->matrix) {
        status = sti_h5_read_matrix(h, name->name, header, f);
        f->fraction = status == STI_OK && sti_matrix_fraction(&f->matrix);
        return status;
    }
    size_t count = 0;
    status = sti_h5_read_vector(h, h->root, name->name, name->name, STI_FILE_SPARSE_MOST, &f->vector, &count);
    f->rows = (int)count;
    f->cols = 1;
    f->fraction = status == STI_OK && sti_fields_fraction(f->vector, count);
    return status;
}

typedef struct warning {
    const sti_h5* h;
    const sti_form* form;
} warning;

static sti_status warn_unknown(void* user, const char* name, size_t length, uint64_t header) {
    const warning* w = user;
    char text[64];
    (void)header;
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), name);
    if (!sti_form_knows(w->form, text))
        sti_log(w->h->env, STI_LOG_WARNING, "%.200s: %s: not a field of kind \"%s\", ignored", w->h->name, text,
                w->form->kind);
    return STI_OK;
}

static sti_status read_fields(const sti_h5* h, sti_fields* fields) {
    const sti_form* form = fields->form;
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < form->size_count; k++) {
        bool found;
        uint64_t header;
        status = sti_h5_find(h, h->root, form->size[k], &found, &header);
        if (status == STI_OK && found) status = read_size(h, form->size[k], &fields->size[k]);
    }
    for (int k = 0; status == STI_OK && k < form->field_count; k++)
        status = read_field(h, &form->field[k], &fields->field[k]);
    if (status != STI_OK || !sti_fields_want_exact(fields)) return status;
    for (int k = 0; status == STI_OK && k < form->field_count; k++) {
        if (fields->field[k].given) status = sti_field_exact_doubles(h->env, &fields->field[k]);
    }
    return status;
}

static sti_status read_form(const sti_h5* h, const sti_kind_row* row, void** content) {
    sti_fields fields;
    sti_fields_begin(h->env, h->name, row->form, &fields);
    warning w = {.h = h, .form = row->form};
    sti_status status = read_fields(h, &fields);
    if (status == STI_OK) status = sti_h5_each_link(h, h->root, warn_unknown, &w);
    if (status == STI_OK) status = row->assemble(&fields, content);
    sti_fields_clear(&fields);
    return status;
}

static sti_status read_document(const sti_h5* h, sti_document** out) {
    sti_kind kind;
    void* content = NULL;
    bool global = false;
    sti_status status = read_kind(h, &kind, &global);
    if (status != STI_OK) return status;
    const sti_kind_row* row = sti_kind_row_of(kind);
    if (row->form != NULL) {
        status = read_form(h, row, &content);
    } else if (row->read_hdf5 != NULL) {
        status = row->read_hdf5(h, &content);
    } else {
        sti_fclib* contact = NULL;
        status = sti_fclib_read(h, global, &contact);
        content = contact;
    }
    if (status == STI_OK) return sti_document_create(h->env, kind, content, out);
    row->destroy(h->env, content);
    return status;
}

sti_status sti_document_read_hdf5(sti_env* env, const char* path, sti_document** out) {
    sti_h5 h;
    *out = NULL;
    sti_status status = sti_h5_open(env, path, &h);
    if (status != STI_OK) return status;
    status = read_document(&h, out);
    sti_h5_close(&h);
    return status;
}
