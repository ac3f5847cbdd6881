// hdf5_write.c: problems as HDF5, in the form hdf5_read.c reads. The same problem gives the same bytes.
//
// libhdf5 builds the file in memory, and our own code writes it: after a write that failed (a full disk), libhdf5 1.10
// keeps the file open and ends the process with a segmentation fault at exit. The price is a second and third copy of
// the data while saving.
#include "formats/fields.h"
#include "formats/file.h"
#include "formats/hdf5_put.h"

static bool put_text_attribute(hid_t at, const char* name, const char* text) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    bool good =
        type >= 0 && space >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    const hid_t attribute = good ? H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    good = attribute >= 0 && H5Awrite(attribute, type, (const void*)&text) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return good;
}

static bool put_doubles(hid_t at, const char* name, int rank, hsize_t rows, hsize_t cols, const double* x) {
    const hsize_t size[2] = {rows, cols};
    return sti_h5_put_data(at, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, rank, size, x);
}

static bool put_sparse(hid_t file, const sti_outgoing* f) {
    const sti_matrix* M = f->matrix;
    const hsize_t two = 2, cols = (hsize_t)f->cols + 1, entries = (hsize_t)M->col_start[f->cols];
    const int shape[2] = {f->rows, f->cols};
    const hid_t group = H5Gcreate2(file, f->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return false;
    const bool good = sti_h5_put_data(group, "shape", H5T_STD_I32LE, H5T_NATIVE_INT, 1, &two, shape) &&
                      sti_h5_put_data(group, "col_start", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &cols, M->col_start) &&
                      sti_h5_put_data(group, "row", H5T_STD_I32LE, H5T_NATIVE_INT, 1, &entries, M->row) &&
                      sti_h5_put_data(group, "value", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &entries, M->value);
    H5Gclose(group);
    return good;
}

typedef struct outgoing {
    const sti_form* form;
    const sti_outgoing* fields;
    int n, m;
} outgoing;

static bool put_problem(hid_t file, void* user, sti_status* status) {
    (void)status;
    const outgoing* o = user;
    const hsize_t one = 1;
    bool good = put_text_attribute(file, "kind", o->form->kind);
    good = good && sti_h5_put_data(file, "n", H5T_STD_I32LE, H5T_NATIVE_INT, 1, &one, &o->n);
    if (o->m >= 0) good = good && sti_h5_put_data(file, "m", H5T_STD_I32LE, H5T_NATIVE_INT, 1, &one, &o->m);
    for (int k = 0; good && k < o->form->field_count; k++) {
        const sti_outgoing* f = &o->fields[k];
        const hsize_t rows = (hsize_t)f->rows, cols = (hsize_t)f->cols;
        if (f->matrix == NULL)
            good = put_doubles(file, f->name, 1, rows, 1, f->vector);
        else if (sti_matrix_is_sparse(f->matrix))
            good = put_sparse(file, f);
        else
            good = put_doubles(file, f->name, 2, rows, cols, f->matrix->dense);
    }
    return good;
}

sti_status sti_fields_write_hdf5(sti_env* env, const sti_form* form, const sti_outgoing* fields, int n, int m,
                                 const char* path) {
    for (int k = 0; k < form->field_count; k++) {
        if (fields[k].exact != NULL)
            return sti_file_fail(env, STI_ERR_ARGUMENT, path,
                                 "exact fractions cannot be kept in HDF5, a .json file holds them");
    }
    outgoing o = {form, fields, n, m};
    return sti_h5_write(env, path, false, put_problem, &o);
}
