// fields.c: fields of documents: what is known of them in any format, checks, and the way out.
#include "formats/fields.h"

#include <math.h>
#include <string.h>

#include "exact/rationals.h"
#include "formats/file.h"

void sti_fields_begin(sti_env* env, const char* file, const sti_form* form, sti_fields* out) {
    *out = (sti_fields){.env = env, .file = file, .form = form};
    for (int k = 0; k < STI_SIZE_MOST; k++) out->size[k] = -1;
    for (int k = 0; k < form->field_count; k++) {
        out->field[k].cols = -1;
        out->field[k].open = form->field[k].open;
    }
}

void sti_field_clear(sti_env* env, sti_field* f) {
    sti_matrix_clear(env, &f->matrix);
    sti_free(env, f->vector);
    sti_rationals_destroy(f->exact);
    *f = (sti_field){0};
}

void sti_fields_clear(sti_fields* fields) {
    for (int k = 0; k < STI_FIELD_MOST; k++) sti_field_clear(fields->env, &fields->field[k]);
}

bool sti_form_knows(const sti_form* form, const char* name) {
    for (int k = 0; k < form->field_count; k++) {
        if (strcmp(form->field[k].name, name) == 0) return true;
    }
    for (int k = 0; k < form->size_count; k++) {
        if (strcmp(form->size[k], name) == 0) return true;
    }
    return strcmp(name, "kind") == 0 || strcmp(name, "name") == 0 || strcmp(name, "comment") == 0;
}

// ---- without rounding

bool sti_fields_fraction(const double* value, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (fabs(value[k]) > 0x1p53 || value[k] != floor(value[k])) return true;
    }
    return false;
}

bool sti_matrix_fraction(const sti_matrix* M) {
    if (sti_matrix_is_sparse(M)) return sti_fields_fraction(M->value, (size_t)M->col_start[M->cols]);
    return sti_fields_fraction(M->dense, (size_t)M->rows * (size_t)M->cols);
}

bool sti_fields_want_exact(const sti_fields* fields) {
    const bool whole = fields->form->exact == STI_EXACT_WHOLE;
    bool rounded = false, fraction = false;
    if (fields->form->exact == STI_EXACT_NEVER) return false;
    for (int k = 0; k < fields->form->field_count; k++) {
        const sti_field* f = &fields->field[k];
        if (whole && (int64_t)f->rows * f->cols > STI_FILE_EXACT_MOST) return false;
        rounded = rounded || f->rounded;
        fraction = fraction || f->fraction;
    }
    return whole ? !fraction : rounded;
}

sti_status sti_field_exact_doubles(sti_env* env, sti_field* f) {
    const sti_matrix* M = &f->matrix;
    const size_t count = (size_t)f->rows * (size_t)(f->cols < 0 ? 0 : f->cols);
    sti_status status = f->exact == NULL ? sti_rationals_create(env, count, &f->exact) : STI_OK;
    if (f->vector != NULL) {
        for (size_t k = 0; status == STI_OK && k < (size_t)f->rows; k++)
            status = sti_rationals_set_double(f->exact, k, f->vector[k]);
    } else if (sti_matrix_is_sparse(M)) {
        for (int j = 0; j < M->cols; j++) {
            for (int64_t k = M->col_start[j]; status == STI_OK && k < M->col_start[j + 1]; k++)
                status =
                    sti_rationals_set_double(f->exact, (size_t)M->row[k] * (size_t)M->cols + (size_t)j, M->value[k]);
        }
    } else {
        for (size_t k = 0; status == STI_OK && k < (size_t)M->rows * (size_t)M->cols; k++)
            status = sti_rationals_set_double(f->exact, k, M->dense[k]);
    }
    return status;
}

// ---- checks

sti_status sti_fields_check_size(const sti_fields* fields, int which, int64_t found, const char* of) {
    const int64_t declared = fields->size[which];
    if (declared < 0 || declared == found) return STI_OK;
    return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file, "%s: %lld: %s has %lld", fields->form->size[which],
                         (long long)declared, of, (long long)found);
}

sti_status sti_fields_check_shape(sti_fields* fields, int which, int rows, int cols, const char* why) {
    sti_field* f = &fields->field[which];
    const bool empty = rows == 0 || cols == 0;
    if (f->rows == 0 && f->cols < 0 && empty) {
        f->matrix.rows = f->rows = rows;
        f->matrix.cols = f->cols = cols;
    }
    if (f->rows == rows && f->cols == cols) return STI_OK;
    return sti_file_fail(fields->env, STI_ERR_INPUT, fields->file, "%s: %d x %d: %d x %d is expected, %s",
                         fields->form->field[which].name, f->rows, f->cols < 0 ? 0 : f->cols, rows, cols, why);
}

sti_matrix sti_field_take_matrix(sti_field* f) {
    const sti_matrix M = f->matrix;
    f->matrix = (sti_matrix){0};
    return M;
}

double* sti_field_take_vector(sti_field* f) {
    double* v = f->vector;
    f->vector = NULL;
    return v;
}

sti_rationals* sti_field_take_exact(sti_field* f) {
    sti_rationals* r = f->exact;
    f->exact = NULL;
    return r;
}

sti_status sti_fields_take_dense(sti_fields* fields, int which, double** out) {
    sti_field* f = &fields->field[which];
    sti_matrix dense = {0};
    sti_status status = STI_OK;
    if (sti_matrix_is_sparse(&f->matrix))
        status = sti_matrix_to_dense(fields->env, &f->matrix, &dense);
    else
        dense = sti_field_take_matrix(f);
    *out = dense.dense;
    return status;
}

// ---- the way out

// A field that can be written: of the right shape, with finite entries.
static sti_status check_outgoing(sti_env* env, const sti_outgoing* f, const char* path) {
    const bool sparse = f->matrix != NULL && sti_matrix_is_sparse(f->matrix);
    if (f->rows < 0 || f->cols < 0 || (f->matrix != NULL && (f->matrix->rows != f->rows || f->matrix->cols != f->cols)))
        return sti_file_fail(env, STI_ERR_ARGUMENT, path, "%s: not %d x %d", f->name, f->rows, f->cols);
    const size_t area = (size_t)f->rows * (size_t)f->cols;
    const double* value = f->matrix == NULL ? f->vector : sparse ? f->matrix->value : f->matrix->dense;
    const size_t count = sparse ? (size_t)f->matrix->col_start[f->cols] : area;
    if (count > 0 && value == NULL) return sti_file_fail(env, STI_ERR_ARGUMENT, path, "%s: has no entries", f->name);
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(value[k]))
            return sti_file_fail(env, STI_ERR_ARGUMENT, path, "%s: %g: only finite numbers can be saved", f->name,
                                 value[k]);
    }
    return STI_OK;
}

sti_status sti_fields_save(sti_env* env, const sti_form* form, const sti_outgoing* fields, int n, int m,
                           const char* path) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < form->field_count; k++) status = check_outgoing(env, &fields[k], path);
    if (status != STI_OK) return status;
    if (sti_file_has_suffix(path, ".json")) return sti_fields_write_json(env, form, fields, n, m, path);
    if (sti_file_has_suffix(path, ".hdf5") || sti_file_has_suffix(path, ".h5"))
        return sti_fields_write_hdf5(env, form, fields, n, m, path);
    return sti_file_fail(env, STI_ERR_ARGUMENT, path, "a name that ends in .json, .hdf5 or .h5 is expected");
}
