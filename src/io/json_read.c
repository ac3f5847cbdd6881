// json_read.c: problems from JSON.
//
//     {"kind": "lcp",  "M": [[..]], "q": [..]}
//     {"kind": "mlcp", "A": .., "C": .., "D": .., "B": .., "a": .., "b": ..}
//     {"kind": "qp",   "P": .., "c": .., "A": .., "l": .., "u": .., "lb": .., "ub": ..}
//     {"kind": "l1",   "A": .., "b": ..}
//     {"kind": "cone", "rays": [[..]], "lines": [[..]]}   or   {"inequalities": .., "equations": ..}
//
// A matrix is a list of rows, {"rows": r, "cols": c, "entries": [[i, j, v], ..]} (0-based, sparse), or
// {"file": "M.mtx"}; a vector is a list or {"file": "q.mtx"}. An entry is a number or text like "2/3". As soon as one entry is not exactly a double, every entry
// is read a second time without rounding; for a cone as soon as all entries are whole numbers or text.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/bodies_json.h"
#include "io/file.h"
#include "io/grasp_json.h"
#include "io/instant_json.h"
#include "io/json_tree.h"
#include "io/problem.h"
#include "io/scene.h"
#include "io/system_json.h"
#include "io/triplets.h"

typedef struct reader {
    sti_json_tree tree;
    const char* directory;  // of the file, with its slash; NULL: the text came from memory
} reader;

// One entry, and what is remembered about it for the whole field.
static sti_status read_entry(const reader* r, const sti_place* place, const sti_json_value* value, sti_field* f,
                             double* out) {
    bool is_double;
    const sti_status status = sti_json_read_number(&r->tree, place, value, out, &is_double);
    if (status != STI_OK) return status;
    if (!is_double) f->rounded = true;
    if (sti_json_is_number(value) && (fabs(*out) > 0x1p53 || *out != floor(*out))) f->fraction = true;
    return STI_OK;
}

static sti_status read_list(const reader* r, const sti_place* place, const sti_json_value* list, sti_field* f) {
    const int count = sti_json_count(list);
    if (count > STI_IO_SPARSE_MOST)
        return sti_json_fail(&r->tree, place, list, "more than %d entries", STI_IO_SPARSE_MOST);
    f->vector = sti_alloc_array(r->tree.env, (size_t)count, sizeof *f->vector);
    if (f->vector == NULL) return STI_FAIL(r->tree.env, STI_ERR_MEMORY, -1, "vector of %d", count);
    f->rows = count;
    f->cols = 1;
    sti_status status = STI_OK;
    int i = 0;
    for (const sti_json_value* value = list->child; status == STI_OK && value != NULL; value = value->next, i++) {
        const sti_place at = sti_place_index(place, i);
        if (sti_json_is_array(value))
            status = sti_json_fail(&r->tree, &at, value, "a number is expected, vectors are not nested");
        else if (f->open && sti_json_is_null(value))
            f->vector[i] = NAN;
        else
            status = read_entry(r, &at, value, f, &f->vector[i]);
    }
    return status;
}

// Rows and columns of a list of rows, all of one length.
static sti_status measure_rows(const reader* r, const sti_place* place, const sti_json_value* list, int* rows,
                               int* cols) {
    *rows = 0;
    *cols = -1;
    for (const sti_json_value* row = list->child; row != NULL; row = row->next) {
        const sti_place at = sti_place_index(place, *rows);
        if (!sti_json_is_array(row))
            return sti_json_fail(&r->tree, &at, row,
                                 "a row [..] is expected: a matrix is a list of rows, not a flat list");
        const int length = sti_json_count(row);
        if (*cols < 0) *cols = length;
        if (length != *cols)
            return sti_json_fail(&r->tree, &at, row, "a row of %d is expected, as the first one", *cols);
        if (++*rows > STI_IO_DENSE_MOST || length > STI_IO_DENSE_MOST)
            return sti_json_fail(&r->tree, &at, row, "more than %d rows or columns", STI_IO_DENSE_MOST);
    }
    return STI_OK;
}

static sti_status read_rows(const reader* r, const sti_place* place, const sti_json_value* list, sti_field* f) {
    int rows, cols;
    sti_status status = measure_rows(r, place, list, &rows, &cols);
    if (status != STI_OK) return status;
    const size_t count = (size_t)rows * (size_t)(cols < 0 ? 0 : cols);
    double* entry = sti_alloc_array(r->tree.env, count, sizeof *entry);
    if (entry == NULL) return STI_FAIL(r->tree.env, STI_ERR_MEMORY, -1, "dense %d x %d matrix", rows, cols);
    f->matrix = sti_matrix_dense_view(rows, cols < 0 ? 0 : cols, entry);
    f->rows = rows;
    f->cols = cols;
    int i = 0;
    for (const sti_json_value* row = list->child; row != NULL; row = row->next, i++) {
        const sti_place at_row = sti_place_index(place, i);
        int j = 0;
        for (const sti_json_value* value = row->child; value != NULL; value = value->next, j++) {
            const sti_place at = sti_place_index(&at_row, j);
            status = read_entry(r, &at, value, f, entry++);
            if (status != STI_OK) return status;
        }
    }
    return STI_OK;
}

// One entry [i, j, v]; value is the node of v.
static sti_status read_triplet(const reader* r, const sti_place* place, const sti_json_value* entry, int rows, int cols,
                               int64_t* i, int64_t* j, const sti_json_value** value) {
    if (!sti_json_is_array(entry) || sti_json_count(entry) != 3)
        return sti_json_fail(&r->tree, place, entry, "[row, column, value] is expected");
    const sti_place at_i = sti_place_index(place, 0), at_j = sti_place_index(place, 1);
    sti_status status = sti_json_read_integer(&r->tree, &at_i, entry->child, 0, rows - 1, i);
    if (status == STI_OK) status = sti_json_read_integer(&r->tree, &at_j, entry->child->next, 0, cols - 1, j);
    *value = entry->child->next->next;
    return status;
}

static sti_status read_triplets(const reader* r, const sti_place* place, const sti_json_value* list, sti_field* f) {
    sti_triplets t;
    int twice_i, twice_j;
    sti_status status = sti_triplets_create(r->tree.env, (size_t)sti_json_count(list), &t);
    if (status != STI_OK) return status;
    int k = 0;
    for (const sti_json_value* entry = list->child; status == STI_OK && entry != NULL; entry = entry->next, k++) {
        const sti_place at = sti_place_index(place, k), at_value = sti_place_index(&at, 2);
        int64_t i = 0, j = 0;
        const sti_json_value* value = NULL;
        double v = 0;
        status = read_triplet(r, &at, entry, f->rows, f->cols, &i, &j, &value);
        if (status == STI_OK) status = read_entry(r, &at_value, value, f, &v);
        if (status == STI_OK) sti_triplets_add(&t, (int)i, (int)j, v);
    }
    if (status == STI_OK)
        status = sti_triplets_compress(r->tree.env, &t, f->rows, f->cols, &f->matrix, &twice_i, &twice_j);
    if (status == STI_OK && twice_i >= 0)
        status = sti_json_fail(&r->tree, place, list, "row %d, column %d is given twice", twice_i, twice_j);
    sti_triplets_clear(r->tree.env, &t);
    return status;
}

static sti_status read_sparse(const reader* r, const sti_place* place, const sti_json_value* object, sti_field* f) {
    const sti_json_value* list = sti_json_get(object, "entries");
    const sti_place at_rows = sti_place_key(place, "rows"), at_cols = sti_place_key(place, "cols"),
                    at_entries = sti_place_key(place, "entries");
    int64_t rows = 0, cols = 0;
    sti_status status =
        sti_json_read_integer(&r->tree, &at_rows, sti_json_get(object, "rows"), 0, STI_IO_SPARSE_MOST, &rows);
    if (status == STI_OK)
        status = sti_json_read_integer(&r->tree, &at_cols, sti_json_get(object, "cols"), 0, STI_IO_SPARSE_MOST, &cols);
    if (status != STI_OK) return status;
    if (!sti_json_is_array(list))
        return sti_json_fail(&r->tree, &at_entries, list, "a list of [row, column, value] is expected");
    f->rows = (int)rows;
    f->cols = (int)cols;
    return read_triplets(r, &at_entries, list, f);
}

// Entries of a matrix that came as doubles: is some of them no whole number?
static bool has_fraction(const sti_matrix* M) {
    const bool sparse = sti_matrix_is_sparse(M);
    const double* v = sparse ? M->value : M->dense;
    const size_t count = sparse ? (size_t)M->col_start[M->cols] : (size_t)M->rows * (size_t)M->cols;
    for (size_t k = 0; k < count; k++) {
        if (fabs(v[k]) > 0x1p53 || v[k] != floor(v[k])) return true;
    }
    return false;
}

static sti_status read_file(const reader* r, const sti_place* place, const sti_json_value* name, sti_field* f) {
    sti_env* env = r->tree.env;
    const sti_place at = sti_place_key(place, "file");
    if (!sti_json_is_string(name) || name->text[0] == '\0')
        return sti_json_fail(&r->tree, &at, name, "the name of a Matrix Market file is expected");
    if (r->directory == NULL)
        return sti_json_fail(&r->tree, &at, name, "a problem read from memory cannot name a file");
    const char* folder = name->text[0] == '/' ? "" : r->directory;
    const size_t size = strlen(folder) + strlen(name->text) + 1;
    char* path = sti_alloc(env, size);
    if (path == NULL) return STI_FAIL(env, STI_ERR_MEMORY, -1, "name of a matrix file");
    snprintf(path, size, "%s%s", folder, name->text);
    sti_status status = sti_matrix_load(env, path, &f->matrix);
    sti_free(env, path);
    if (status == STI_ERR_IO || status == STI_ERR_INPUT) {  // say who asked for it
        char text[sizeof env->error.text];
        memcpy(text, env->error.text, sizeof text);
        status = sti_file_fail(env, status, r->tree.name, "%.40s.file: %s", place->key, text);
    }
    f->rows = f->matrix.rows;
    f->cols = f->matrix.cols;
    if (status == STI_OK) f->fraction = has_fraction(&f->matrix);
    return status;
}

// A matrix of one column or one row that came from a file, as the vector it is.
static sti_status take_as_vector(const reader* r, const sti_place* place, const sti_json_value* name, sti_field* f) {
    const int rows = f->matrix.rows, cols = f->matrix.cols;
    const sti_place at = sti_place_key(place, "file");
    sti_matrix dense;
    if (rows != 1 && cols != 1 && (rows > 0 || cols > 0))
        return sti_json_fail(&r->tree, &at, name, "%d x %d: a vector is expected, n x 1 or 1 x n", rows, cols);
    const sti_status status = sti_matrix_to_dense(r->tree.env, &f->matrix, &dense);
    if (status != STI_OK) return status;
    sti_matrix_clear(r->tree.env, &f->matrix);
    f->vector = dense.dense;
    f->rows = sti_count_mul(rows, cols);
    f->cols = 1;
    return STI_OK;
}

static sti_status read_vector(const reader* r, const sti_place* place, const sti_json_value* value, sti_field* f) {
    const sti_json_value* file = sti_json_get(value, "file");
    if (sti_json_is_array(value)) return read_list(r, place, value, f);
    if (file == NULL) return sti_json_fail(&r->tree, place, value, "a list of numbers, or {\"file\"}, is expected");
    const sti_status status = read_file(r, place, file, f);
    return status == STI_OK ? take_as_vector(r, place, file, f) : status;
}

static sti_status read_matrix(const reader* r, const sti_place* place, const sti_json_value* value, sti_field* f) {
    if (sti_json_is_array(value)) return read_rows(r, place, value, f);
    if (sti_json_is_object(value)) {
        const sti_json_value* file = sti_json_get(value, "file");
        if (file != NULL) return read_file(r, place, file, f);
        if (sti_json_get(value, "entries") != NULL) return read_sparse(r, place, value, f);
    }
    return sti_json_fail(&r->tree, place, value,
                         "a list of rows, {\"rows\", \"cols\", \"entries\"} or {\"file\"} is expected");
}

// ---- the second reading, without rounding

static sti_status exact_rows(const reader* r, const sti_place* place, const sti_json_value* list, sti_field* f) {
    size_t k = 0;
    for (const sti_json_value* row = list->child; row != NULL; row = row->next) {
        const sti_json_value* first = sti_json_is_array(row) ? row->child : row;  // a matrix, or a vector
        for (const sti_json_value* value = first; value != NULL; value = sti_json_is_array(row) ? value->next : NULL) {
            const sti_status status = sti_json_read_exact(&r->tree, place, value, f->exact, k++);
            if (status != STI_OK) return status;
        }
    }
    return STI_OK;
}

static sti_status exact_triplets(const reader* r, const sti_place* place, const sti_json_value* list, sti_field* f) {
    for (const sti_json_value* entry = list->child; entry != NULL; entry = entry->next) {
        const size_t i = (size_t)entry->child->number, j = (size_t)entry->child->next->number;
        const sti_status status = sti_json_read_exact(&r->tree, place, entry->child->next->next, f->exact,
                                                      sti_size_mul(i, (size_t)f->cols) + j);
        if (status != STI_OK) return status;
    }
    return STI_OK;
}

// From the doubles of a file.
static sti_status exact_doubles(sti_field* f) {
    const sti_matrix* M = &f->matrix;
    sti_status status = STI_OK;
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

static sti_status read_exact(const reader* r, const char* name, const sti_json_value* value, sti_field* f) {
    const sti_place place = sti_place_key(NULL, name);
    const size_t count = (size_t)f->rows * (size_t)(f->cols < 0 ? 0 : f->cols);
    if (count > STI_IO_EXACT_MOST)
        return sti_json_fail(&r->tree, &place, value, "more than %d entries, the most that fractions are kept for",
                             STI_IO_EXACT_MOST);
    sti_status status = sti_rationals_create(r->tree.env, count, &f->exact);
    if (status != STI_OK) return status;
    if (sti_json_is_array(value)) return exact_rows(r, &place, value, f);
    const sti_json_value* entries = sti_json_get(value, "entries");
    if (sti_json_get(value, "file") != NULL) return exact_doubles(f);
    return exact_triplets(r, &place, entries, f);
}

// ---- the problem

static sti_status read_kind(const reader* r, const sti_kind_form** form) {
    const sti_json_value* kind = sti_json_get(r->tree.root, "kind");
    const sti_place place = sti_place_key(NULL, "kind");
    if (!sti_json_is_string(kind))
        return sti_json_fail(
            &r->tree, &place, kind,
            "\"lcp\", \"mlcp\", \"qp\", \"cone\", \"l1\", \"instant\", \"grasp\", \"matrices\", \"system\", "
            "\"scene\", \"root\" or \"bound\" is expected");
    return sti_kind_form_find(r->tree.env, r->tree.name, kind->text, form);
}

static sti_status read_fields(const reader* r, const sti_kind_form* form, sti_field* fields, int64_t* sizes) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < form->size_count; k++) {
        const sti_json_value* value = sti_json_get(r->tree.root, form->size[k]);
        const sti_place place = sti_place_key(NULL, form->size[k]);
        sizes[k] = -1;
        if (value != NULL) status = sti_json_read_integer(&r->tree, &place, value, 0, STI_IO_SPARSE_MOST, &sizes[k]);
    }
    for (int k = 0; status == STI_OK && k < form->field_count; k++) {
        const sti_field_name* name = &form->field[k];
        const sti_json_value* value = sti_json_get(r->tree.root, name->name);
        const sti_place place = sti_place_key(NULL, name->name);
        fields[k].cols = -1;
        fields[k].open = name->open;
        if ((value == NULL || (name->open && sti_json_is_null(value))) && name->optional) continue;
        if (value == NULL)
            return sti_json_fail(&r->tree, &place, NULL, "needed for kind \"%s\"", sti_kind_text(form->kind));
        fields[k].given = true;
        status = name->matrix ? read_matrix(r, &place, value, &fields[k]) : read_vector(r, &place, value, &fields[k]);
    }
    return status;
}

// Does the problem need, or allow, a reading without rounding?
static bool wants_exact(const sti_kind_form* form, const sti_field* fields) {
    const bool by_whole = form->kind == STI_KIND_CONE || form->kind == STI_KIND_MATRICES;
    bool rounded = false, fraction = false;
    if (form->kind == STI_KIND_QP || form->kind == STI_KIND_L1) return false;  // solved in floating point alone
    for (int k = 0; k < form->field_count; k++) {
        if (by_whole && (int64_t)fields[k].rows * fields[k].cols > STI_IO_EXACT_MOST) return false;
        rounded = rounded || fields[k].rounded;
        fraction = fraction || fields[k].fraction;
    }
    return by_whole ? !fraction : rounded;
}

static void warn_unknown(const reader* r, const sti_kind_form* form) {
    for (const sti_json_value* value = r->tree.root->child; value != NULL; value = value->next) {
        if (!sti_kind_form_knows(form, value->key))
            sti_log(r->tree.env, STI_LOG_WARNING, "%.200s: %.60s: not a field of kind \"%s\", ignored", r->tree.name,
                    value->key, sti_kind_text(form->kind));
    }
}

// A robot is a scene of its own.
static sti_status read_urdf(sti_env* env, const char* text, const char* name, const char* directory,
                            sti_problem** out) {
    char* scene;
    sti_status status = sti_urdf_scene(env, text, name, &scene);
    if (status == STI_OK) status = sti_problem_read_json(env, scene, strlen(scene), name, directory, out);
    sti_free(env, scene);
    return status;
}

sti_status sti_problem_read_json(sti_env* env, char* text, size_t size, const char* name, const char* directory,
                                 sti_problem** out) {
    reader r = {.directory = directory};
    const sti_kind_form* form = NULL;
    sti_field fields[STI_FIELD_MOST] = {0};
    int64_t sizes[STI_SIZE_MOST] = {-1, -1};
    *out = NULL;
    if (sti_urdf_begins(text)) return read_urdf(env, text, name, directory, out);
    sti_status status = sti_json_tree_create(env, text, size, name, &r.tree);
    if (status != STI_OK) return status;
    const char* kind = sti_json_string(sti_json_get(r.tree.root, "kind"));
    const bool instant = kind != NULL && strcmp(kind, sti_kind_text(STI_KIND_INSTANT)) == 0;
    const bool system = kind != NULL && strcmp(kind, sti_kind_text(STI_KIND_SYSTEM)) == 0;
    const bool scene = kind != NULL && strcmp(kind, sti_kind_text(STI_KIND_SCENE)) == 0;
    const bool grasp = kind != NULL && strcmp(kind, sti_kind_text(STI_KIND_GRASP)) == 0;
    const bool equations = kind != NULL && strcmp(kind, sti_kind_text(STI_KIND_ROOT)) == 0;
    const bool bound = kind != NULL && strcmp(kind, sti_kind_text(STI_KIND_BOUND)) == 0;
    const bool pushed = kind != NULL && strcmp(kind, sti_kind_text(STI_KIND_MANIPULATION)) == 0;
    if (instant || system || scene || grasp || equations || bound || pushed) {
        status = instant     ? sti_instant_read_json(&r.tree, out)
                 : grasp     ? sti_grasp_read_json(&r.tree, out)
                 : system    ? sti_system_read_json(&r.tree, out)
                 : equations ? sti_root_read_json(&r.tree, out)
                 : bound     ? sti_bound_read_json(&r.tree, out)
                 : pushed    ? sti_manipulation_read_json(&r.tree, out)
                             : sti_scene_read_json(&r.tree, text, directory, out);
        sti_json_tree_clear(&r.tree);
        return status;
    }
    status = read_kind(&r, &form);
    if (status == STI_OK) status = read_fields(&r, form, fields, sizes);
    if (status == STI_OK && wants_exact(form, fields)) {
        for (int k = 0; status == STI_OK && k < form->field_count; k++) {
            const sti_json_value* value = sti_json_get(r.tree.root, form->field[k].name);
            if (fields[k].given) status = read_exact(&r, form->field[k].name, value, &fields[k]);
        }
    }
    if (status == STI_OK) warn_unknown(&r, form);
    if (status == STI_OK) status = sti_problem_assemble(env, name, form, fields, sizes, out);
    for (int k = 0; k < STI_FIELD_MOST; k++) sti_field_clear(env, &fields[k]);
    sti_json_tree_clear(&r.tree);
    return status;
}
