// json_save.c: problems as JSON: one row a line, numbers with 17 digits, exact entries as text where no double holds
// them.
#include <math.h>

#include "formats/fields.h"
#include "formats/file.h"
#include "formats/json_write.h"

static void put_entry(sti_json* j, const char* key, const sti_outgoing* f, double value, size_t row, size_t col) {
    if (f->exact != NULL)
        sti_json_fraction_short(j, key, f->exact, f->first + sti_size_mul(row, f->stride) + col);
    else
        sti_json_double(j, key, value);
}

static void put_sparse(sti_json* j, const sti_outgoing* f) {
    const sti_matrix* M = f->matrix;
    sti_json_object(j, f->name);
    sti_json_integer(j, "rows", f->rows);
    sti_json_integer(j, "cols", f->cols);
    sti_json_array(j, "entries");
    for (int c = 0; c < f->cols; c++) {
        if (M->col_start[c] < M->col_start[c + 1]) sti_json_break(j);
        for (int64_t k = M->col_start[c]; k < M->col_start[c + 1]; k++) {
            sti_json_array(j, NULL);
            sti_json_integer(j, NULL, M->row[k]);
            sti_json_integer(j, NULL, c);
            put_entry(j, NULL, f, M->value[k], (size_t)M->row[k], (size_t)c);
            sti_json_end(j);
        }
    }
    sti_json_end(j);
    sti_json_end(j);
}

static void put_dense(sti_json* j, const sti_outgoing* f) {
    sti_json_array(j, f->name);
    for (size_t r = 0; r < (size_t)f->rows; r++) {
        sti_json_break(j);
        sti_json_array(j, NULL);
        for (size_t c = 0; c < (size_t)f->cols; c++)
            put_entry(j, NULL, f, f->matrix->dense[r * (size_t)f->cols + c], r, c);
        sti_json_end(j);
    }
    sti_json_end(j);
}

static void put_field(sti_json* j, const sti_outgoing* f) {
    sti_json_break(j);
    if (f->matrix == NULL) {
        sti_json_array(j, f->name);
        for (size_t r = 0; r < (size_t)f->rows; r++) put_entry(j, NULL, f, f->vector[r], r, 0);
        sti_json_end(j);
    } else if (sti_matrix_is_sparse(f->matrix) && f->rows > 0) {
        put_sparse(j, f);
    } else {
        put_dense(j, f);
    }
}

sti_status sti_fields_write_json(sti_env* env, const sti_form* form, const sti_outgoing* fields, int n, int m,
                                 const char* path) {
    sti_json j;
    char* text;
    size_t size;
    sti_json_begin(&j, env);
    sti_json_text(&j, "kind", form->kind);
    sti_json_integer(&j, "n", n);
    if (m >= 0) sti_json_integer(&j, "m", m);
    for (int k = 0; k < form->field_count; k++) put_field(&j, &fields[k]);
    sti_status status = sti_json_finish(&j, &text, &size);
    if (status != STI_OK) return status;
    text[size] = '\n';  // in place of the 0
    status = sti_file_write(env, path, text, size + 1);
    sti_free(env, text);
    return status;
}
