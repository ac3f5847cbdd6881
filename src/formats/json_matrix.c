// json_matrix.c: matrices and vectors from JSON.
//
// A matrix is a list of rows, {"rows": r, "cols": c, "entries": [[i, j, v], ..]} (0-based, sparse), or {"file":
// "M.mtx"}; a vector is a list or {"file": "q.mtx"}. An entry is a number or text like "2/3".
#include "formats/json_matrix.h"

#include <math.h>
#include <stdio.h>
#include <stiction/io.h>
#include <string.h>

#include "exact/rationals.h"
#include "formats/file.h"
#include "formats/triplets.h"

// One entry, and what is remembered about it for the whole field.
static sti_status read_entry(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                             sti_field* f, double* out) {
    bool is_double;
    const sti_status status = sti_json_read_number(tree, place, value, out, &is_double);
    if (status != STI_OK) return status;
    if (!is_double) f->rounded = true;
    if (sti_json_is_number(value) && (fabs(*out) > 0x1p53 || *out != floor(*out))) f->fraction = true;
    return STI_OK;
}

static sti_status read_list(const sti_json_tree* tree, const sti_place* place, const sti_json_value* list,
                            sti_field* f) {
    const int count = sti_json_count(list);
    if (count > STI_FILE_SPARSE_MOST)
        return sti_json_fail(tree, place, list, "more than %d entries", STI_FILE_SPARSE_MOST);
    f->vector = sti_alloc_array(tree->env, (size_t)count, sizeof *f->vector);
    if (f->vector == NULL) return STI_ERR_MEMORY;
    f->rows = count;
    f->cols = 1;
    sti_status status = STI_OK;
    int i = 0;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(place, i);
        if (sti_json_is_array(value))
            status = sti_json_fail(tree, &at, value, "a number is expected, vectors are not nested");
        else if (f->open && sti_json_is_null(value))
            f->vector[i] = NAN;
        else
            status = read_entry(tree, &at, value, f, &f->vector[i]);
    }
    return status;
}

// Rows and columns of a list of rows, all of one length.
static sti_status measure_rows(const sti_json_tree* tree, const sti_place* place, const sti_json_value* list, int* rows,
                               int* cols) {
    *rows = 0;
    *cols = -1;
    for (const sti_json_value* row = list->child; row != NULL; row = row->next) {
        const sti_place at = sti_place_index(place, *rows);
        if (!sti_json_is_array(row))
            return sti_json_fail(tree, &at, row, "a row [..] is expected: a matrix is a list of rows, not a flat list");
        const int length = sti_json_count(row);
        if (*cols < 0) *cols = length;
        if (length != *cols) return sti_json_fail(tree, &at, row, "a row of %d is expected, as the first one", *cols);
        if (++*rows > STI_FILE_DENSE_MOST || length > STI_FILE_DENSE_MOST)
            return sti_json_fail(tree, &at, row, "more than %d rows or columns", STI_FILE_DENSE_MOST);
    }
    return STI_OK;
}

static sti_status read_rows(const sti_json_tree* tree, const sti_place* place, const sti_json_value* list,
                            sti_field* f) {
    int rows, cols;
    sti_status status = measure_rows(tree, place, list, &rows, &cols);
    if (status != STI_OK) return status;
    const size_t count = (size_t)rows * (size_t)(cols < 0 ? 0 : cols);
    double* entry = sti_alloc_array(tree->env, count, sizeof *entry);
    if (entry == NULL) return STI_ERR_MEMORY;
    f->matrix = sti_matrix_dense_view(rows, cols < 0 ? 0 : cols, entry);
    f->rows = rows;
    f->cols = cols;
    int i = 0;
    for (const sti_json_value* row = list->child; row != NULL; row = row->next, i++) {
        const sti_place at_row = sti_place_index(place, i);
        int j = 0;
        for (const sti_json_value* value = row->child; value != NULL; value = value->next, j++) {
            const sti_place at = sti_place_index(&at_row, j);
            status = read_entry(tree, &at, value, f, entry++);
            if (status != STI_OK) return status;
        }
    }
    return STI_OK;
}

// One entry [i, j, v]; value is the node of v.
static sti_status read_triplet(const sti_json_tree* tree, const sti_place* place, const sti_json_value* entry, int rows,
                               int cols, int64_t* i, int64_t* j, const sti_json_value** value) {
    if (!sti_json_is_array(entry) || sti_json_count(entry) != 3)
        return sti_json_fail(tree, place, entry, "[row, column, value] is expected");
    const sti_place at_i = sti_place_index(place, 0), at_j = sti_place_index(place, 1);
    sti_status status = sti_json_read_integer(tree, &at_i, entry->child, 0, rows - 1, i);
    if (status == STI_OK) status = sti_json_read_integer(tree, &at_j, entry->child->next, 0, cols - 1, j);
    *value = entry->child->next->next;
    return status;
}

static sti_status read_triplets(const sti_json_tree* tree, const sti_place* place, const sti_json_value* list,
                                sti_field* f) {
    sti_triplets t;
    int twice_i, twice_j;
    sti_status status = sti_triplets_create(tree->env, (size_t)sti_json_count(list), &t);
    if (status != STI_OK) return status;
    int k = 0;
    for (const sti_json_value* entry = list->child; status == STI_OK && entry != NULL; entry = entry->next, k++) {
        const sti_place at = sti_place_index(place, k), at_value = sti_place_index(&at, 2);
        int64_t i = 0, j = 0;
        const sti_json_value* value = NULL;
        double v = 0;
        status = read_triplet(tree, &at, entry, f->rows, f->cols, &i, &j, &value);
        if (status == STI_OK) status = read_entry(tree, &at_value, value, f, &v);
        if (status == STI_OK) sti_triplets_add(&t, (int)i, (int)j, v);
    }
    if (status == STI_OK)
        status = sti_triplets_compress(tree->env, &t, f->rows, f->cols, &f->matrix, &twice_i, &twice_j);
    if (status == STI_OK && twice_i >= 0)
        status = sti_json_fail(tree, place, list, "row %d, column %d is given twice", twice_i, twice_j);
    sti_triplets_clear(&t);
    return status;
}

static sti_status read_sparse(const sti_json_tree* tree, const sti_place* place, const sti_json_value* object,
                              sti_field* f) {
    const sti_json_value* list = sti_json_get(object, "entries");
    const sti_place at_rows = sti_place_key(place, "rows"), at_cols = sti_place_key(place, "cols"),
                    at_entries = sti_place_key(place, "entries");
    int64_t rows = 0, cols = 0;
    sti_status status =
        sti_json_read_integer(tree, &at_rows, sti_json_get(object, "rows"), 0, STI_FILE_SPARSE_MOST, &rows);
    if (status == STI_OK)
        status = sti_json_read_integer(tree, &at_cols, sti_json_get(object, "cols"), 0, STI_FILE_SPARSE_MOST, &cols);
    if (status != STI_OK) return status;
    if (!sti_json_is_array(list))
        return sti_json_fail(tree, &at_entries, list, "a list of [row, column, value] is expected");
    f->rows = (int)rows;
    f->cols = (int)cols;
    return read_triplets(tree, &at_entries, list, f);
}

static sti_status read_file(const sti_json_tree* tree, const sti_place* place, const sti_json_value* name,
                            sti_field* f) {
    sti_env* env = tree->env;
    const sti_place at = sti_place_key(place, "file");
    if (!sti_json_is_string(name) || name->text[0] == '\0')
        return sti_json_fail(tree, &at, name, "the name of a Matrix Market file is expected");
    if (tree->directory == NULL) return sti_json_fail(tree, &at, name, "a problem read from memory cannot name a file");
    const char* folder = name->text[0] == '/' ? "" : tree->directory;
    const size_t size = strlen(folder) + strlen(name->text) + 1;
    char* path = sti_alloc(env, size);
    if (path == NULL) return STI_ERR_MEMORY;
    snprintf(path, size, "%s%s", folder, name->text);
    sti_status status = sti_matrix_load(env, path, &f->matrix);
    sti_free(env, path);
    if (status == STI_ERR_IO || status == STI_ERR_INPUT) {  // say who asked for it
        char text[sizeof env->error.text];
        memcpy(text, env->error.text, sizeof text);
        status = sti_file_fail(env, status, tree->name, "%.40s.file: %s", place->key, text);
    }
    f->rows = f->matrix.rows;
    f->cols = f->matrix.cols;
    if (status == STI_OK) f->fraction = sti_matrix_fraction(&f->matrix);
    return status;
}

// A matrix of one column or one row that came from a file, as the vector it is.
static sti_status take_as_vector(const sti_json_tree* tree, const sti_place* place, const sti_json_value* name,
                                 sti_field* f) {
    const int rows = f->matrix.rows, cols = f->matrix.cols;
    const sti_place at = sti_place_key(place, "file");
    sti_matrix dense;
    if (rows != 1 && cols != 1 && (rows > 0 || cols > 0))
        return sti_json_fail(tree, &at, name, "%d x %d: a vector is expected, n x 1 or 1 x n", rows, cols);
    const sti_status status = sti_matrix_to_dense(tree->env, &f->matrix, &dense);
    if (status != STI_OK) return status;
    sti_matrix_clear(tree->env, &f->matrix);
    f->vector = dense.dense;
    f->rows = sti_count_mul(rows, cols);
    f->cols = 1;
    return STI_OK;
}

sti_status sti_json_read_vector(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                                sti_field* f) {
    const sti_json_value* file = sti_json_get(value, "file");
    if (sti_json_is_array(value)) return read_list(tree, place, value, f);
    if (file == NULL) return sti_json_fail(tree, place, value, "a list of numbers, or {\"file\"}, is expected");
    const sti_status status = read_file(tree, place, file, f);
    return status == STI_OK ? take_as_vector(tree, place, file, f) : status;
}

sti_status sti_json_read_matrix(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                                sti_field* f) {
    if (sti_json_is_array(value)) return read_rows(tree, place, value, f);
    if (sti_json_is_object(value)) {
        const sti_json_value* file = sti_json_get(value, "file");
        if (file != NULL) return read_file(tree, place, file, f);
        if (sti_json_get(value, "entries") != NULL) return read_sparse(tree, place, value, f);
    }
    return sti_json_fail(tree, place, value,
                         "a list of rows, {\"rows\", \"cols\", \"entries\"} or {\"file\"} is expected");
}

// ---- the second reading, without rounding

static sti_status exact_rows(const sti_json_tree* tree, const sti_place* place, const sti_json_value* list,
                             sti_field* f) {
    size_t k = 0;
    for (const sti_json_value* row = list->child; row != NULL; row = row->next) {
        const sti_json_value* first = sti_json_is_array(row) ? row->child : row;  // a matrix, or a vector
        for (const sti_json_value* value = first; value != NULL; value = sti_json_is_array(row) ? value->next : NULL) {
            const size_t at = k++;
            if (f->open && sti_json_is_null(value)) continue;  // no number: what stands there is not looked at
            const sti_status status = sti_json_read_exact(tree, place, value, f->exact, at);
            if (status != STI_OK) return status;
        }
    }
    return STI_OK;
}

static sti_status exact_triplets(const sti_json_tree* tree, const sti_place* place, const sti_json_value* list,
                                 sti_field* f) {
    for (const sti_json_value* entry = list->child; entry != NULL; entry = entry->next) {
        const size_t i = (size_t)entry->child->number, j = (size_t)entry->child->next->number;
        const sti_status status =
            sti_json_read_exact(tree, place, entry->child->next->next, f->exact, sti_size_mul(i, (size_t)f->cols) + j);
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

sti_status sti_json_read_field_exact(const sti_json_tree* tree, const sti_place* place, const sti_json_value* value,
                                     sti_field* f) {
    const size_t count = (size_t)f->rows * (size_t)(f->cols < 0 ? 0 : f->cols);
    if (count > STI_FILE_EXACT_MOST)
        return sti_json_fail(tree, place, value, "more than %d entries, the most that fractions are kept for",
                             STI_FILE_EXACT_MOST);
    if (sti_json_get(value, "file") != NULL) return sti_field_exact_doubles(tree->env, f);
    const sti_status status = sti_rationals_create(tree->env, count, &f->exact);
    if (status != STI_OK) return status;
    if (sti_json_is_array(value)) return exact_rows(tree, place, value, f);
    return exact_triplets(tree, place, sti_json_get(value, "entries"), f);
}
