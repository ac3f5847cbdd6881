// hdf5_write.c: problems as HDF5, in the form hdf5_read.c reads. The same problem gives the same bytes.
#include "io/file.h"
#include "io/hdf5_put.h"
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

static bool put_sparse(hid_t file, const sti_outgoing* f) {
    const sti_matrix* M = f->matrix;
    const hsize_t cols = (hsize_t)f->cols + 1;
    const size_t entries = (size_t)M->col_start[f->cols];
    const int shape[2] = {f->rows, f->cols};
    const hid_t group = H5Gcreate2(file, f->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return false;
    const bool good = sti_h5_put_ints(group, "shape", 2, shape) &&
                      sti_h5_put_data(group, "col_start", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &cols, M->col_start) &&
                      sti_h5_put_ints(group, "row", entries, M->row) &&
                      sti_h5_put_doubles(group, "value", entries, M->value);
    H5Gclose(group);
    return good;
}

typedef struct outgoing {
    const sti_kind_form* form;
    const sti_outgoing* fields;  // (form->field_count)
    int n, m;                    // m < 0: there is none
} outgoing;

static bool put_problem(hid_t file, void* user, sti_status* status) {
    const outgoing* o = user;
    (void)status;
    bool good = put_text_attribute(file, "kind", sti_kind_text(o->form->kind));
    good = good && sti_h5_put_int(file, "n", o->n);
    if (o->m >= 0) good = good && sti_h5_put_int(file, "m", o->m);
    for (int k = 0; good && k < o->form->field_count; k++) {
        const sti_outgoing* f = &o->fields[k];
        const hsize_t size[2] = {(hsize_t)f->rows, (hsize_t)f->cols};
        if (f->matrix == NULL)
            good = sti_h5_put_doubles(file, f->name, (size_t)f->rows, f->vector);
        else if (sti_matrix_is_sparse(f->matrix))
            good = put_sparse(file, f);
        else
            good = sti_h5_put_data(file, f->name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, size, f->matrix->dense);
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
    outgoing o = {.form = form, .fields = fields, .n = n, .m = m};
    return sti_h5_write(env, path, false, put_problem, &o);
}
