// hdf5_write.c: problems as HDF5, in the form hdf5_read.c reads. The same problem gives the same bytes.
#include <hdf5.h>

#include "io/file.h"
#include "io/problem.h"

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

// A dataset of `rank` dimensions, without a time stamp.
static bool put_data(hid_t at, const char* name, hid_t stored, hid_t native, int rank, const hsize_t* size,
                     const void* data) {
    const hid_t space = H5Screate_simple(rank, size, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
    bool good = space >= 0 && create >= 0 && H5Pset_obj_track_times(create, false) >= 0;
    const hid_t set = good ? H5Dcreate2(at, name, stored, space, H5P_DEFAULT, create, H5P_DEFAULT) : -1;
    good = set >= 0;
    if (good && H5Sget_simple_extent_npoints(space) > 0)
        good = H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (set >= 0) H5Dclose(set);
    if (create >= 0) H5Pclose(create);
    if (space >= 0) H5Sclose(space);
    return good;
}

static bool put_doubles(hid_t at, const char* name, int rank, hsize_t rows, hsize_t cols, const double* x) {
    const hsize_t size[2] = {rows, cols};
    return put_data(at, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, rank, size, x);
}

static bool put_sparse(hid_t file, const sti_outgoing* f) {
    const sti_matrix* M = f->matrix;
    const hsize_t two = 2, cols = (hsize_t)f->cols + 1, entries = (hsize_t)M->col_start[f->cols];
    const int shape[2] = {f->rows, f->cols};
    const hid_t group = H5Gcreate2(file, f->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return false;
    const bool good = put_data(group, "shape", H5T_STD_I32LE, H5T_NATIVE_INT, 1, &two, shape) &&
                      put_data(group, "col_start", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &cols, M->col_start) &&
                      put_data(group, "row", H5T_STD_I32LE, H5T_NATIVE_INT, 1, &entries, M->row) &&
                      put_data(group, "value", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &entries, M->value);
    H5Gclose(group);
    return good;
}

static bool put_problem(hid_t file, const sti_kind_form* form, const sti_outgoing* fields, int n, int m) {
    const hsize_t one = 1;
    bool good = put_text_attribute(file, "kind", sti_kind_text(form->kind));
    good = good && put_data(file, "n", H5T_STD_I32LE, H5T_NATIVE_INT, 1, &one, &n);
    if (m >= 0) good = good && put_data(file, "m", H5T_STD_I32LE, H5T_NATIVE_INT, 1, &one, &m);
    for (int k = 0; good && k < form->field_count; k++) {
        const sti_outgoing* f = &fields[k];
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

sti_status sti_problem_write_hdf5(sti_env* env, const sti_kind_form* form, const sti_outgoing* fields, int n, int m,
                                  const char* path) {
    for (int k = 0; k < form->field_count; k++) {
        if (fields[k].exact != NULL)
            return sti_file_fail(env, STI_ERR_ARGUMENT, path,
                                 "exact fractions cannot be kept in HDF5, a .json file holds them");
    }
    char* temporary;
    sti_status status = sti_file_begin(env, path, &temporary);
    if (status != STI_OK) return status;
    bool good = false;
    H5E_BEGIN_TRY {
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        hid_t file = -1;
        if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
            file = H5Fcreate(temporary, H5F_ACC_TRUNC, H5P_DEFAULT, access);
        if (file >= 0) {
            good = put_problem(file, form, fields, n, m);
            good = H5Fclose(file) >= 0 && good;
        }
        if (access >= 0) H5Pclose(access);
    }
    H5E_END_TRY
    if (good) return sti_file_commit(env, path, temporary);
    sti_file_abandon(env, temporary);
    return sti_file_fail(env, STI_ERR_IO, path, "cannot be written as HDF5");
}
