// hdf5_put.c: values into an HDF5 file.
#include "formats/hdf5_put.h"

#include <stdint.h>
#include <string.h>

#include "formats/file.h"

bool sti_h5_put_data(hid_t at, const char* name, hid_t stored, hid_t native, int rank, const hsize_t* size,
                     const void* data) {
    const hid_t space = rank > 0 ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
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

bool sti_h5_put_int(hid_t at, const char* name, int value) {
    return sti_h5_put_ints(at, name, 1, &value);
}

bool sti_h5_put_ints(hid_t at, const char* name, size_t count, const int* x) {
    const hsize_t size = count;
    return sti_h5_put_data(at, name, H5T_STD_I32LE, H5T_NATIVE_INT, 1, &size, x);
}

bool sti_h5_put_doubles(hid_t at, const char* name, size_t count, const double* x) {
    const hsize_t size = count;
    return sti_h5_put_data(at, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &size, x);
}

bool sti_h5_put_text(hid_t at, const char* name, const char* text) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    const bool good =
        type >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0 && sti_h5_put_data(at, name, type, type, 0, NULL, text);
    if (type >= 0) H5Tclose(type);
    return good;
}

// ---- the file

// libhdf5 makes the file in memory: on a disk that is full it neither closes what it opened nor stays silent.
typedef struct image {
    char* bytes;  // NULL: libhdf5 could not make it
    size_t size;
} image;

static sti_status take_image(sti_env* env, hid_t file, image* out) {
    const ssize_t size = H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0 ? H5Fget_file_image(file, NULL, 0) : -1;
    if (size <= 0) return STI_OK;
    out->bytes = sti_alloc_array(env, (size_t)size, 1);
    if (out->bytes == NULL) return STI_ERR_MEMORY;
    out->size = (size_t)size;
    if (H5Fget_file_image(file, out->bytes, out->size) == size) return STI_OK;
    sti_free(env, out->bytes);
    out->bytes = NULL;
    return STI_OK;
}

static sti_status make_image(sti_env* env, const image* old, sti_h5_writer* write, void* user, image* out) {
    enum { STEP = 1 << 20 };                           // by which it grows
    static const char name[] = "/dev/null/memory.h5";  // nothing that could be opened, though libhdf5 tries
    sti_status status = STI_OK;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = -1;
    // everything opened in the file goes with it, whatever failed on the way
    if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_fapl_core(access, STEP, false) >= 0) {
        if (old->bytes == NULL)
            file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
        else if (H5Pset_file_image(access, old->bytes, old->size) >= 0)
            file = H5Fopen(name, H5F_ACC_RDWR, access);
    }
    if (file >= 0 && write(file, user, &status) && status == STI_OK) status = take_image(env, file, out);
    if (file >= 0) H5Fclose(file);
    if (access >= 0) H5Pclose(access);
    return status;
}

sti_status sti_h5_write(sti_env* env, const char* path, bool copy, sti_h5_writer* write, void* user) {
    image old = {0}, made = {0};
    sti_status status = copy ? sti_file_read(env, path, SIZE_MAX / 4, &old.bytes, &old.size) : STI_OK;
    if (status == STI_OK) {
        H5E_BEGIN_TRY {  // libhdf5 does not print
            status = make_image(env, &old, write, user, &made);
        }
        H5E_END_TRY
    }
    if (status == STI_OK && made.bytes == NULL)
        status = sti_file_fail(env, STI_ERR_IO, path, "libhdf5 could not build the file");
    if (status == STI_OK) status = sti_file_write(env, path, made.bytes, made.size);
    sti_free(env, old.bytes);
    sti_free(env, made.bytes);
    return status;
}
