// hdf5_put.c: values into an HDF5 file.
#include "io/hdf5_put.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "io/file.h"

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

static bool copy_some(int from, int to) {
    char block[16384];
    for (;;) {
        const ssize_t got = read(from, block, sizeof block);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got == 0;
        for (ssize_t at = 0; at < got;) {
            const ssize_t step = write(to, block + at, (size_t)(got - at));
            if (step < 0 && errno == EINTR) continue;
            if (step < 0) return false;
            at += step;
        }
    }
}

static bool copy_file(const char* from, const char* to) {
    const int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_TRUNC | O_CLOEXEC);
    bool good = in >= 0 && out >= 0 && copy_some(in, out);
    if (in >= 0) close(in);
    if (out >= 0) good = close(out) == 0 && good;
    return good;
}

static bool write_into(const char* temporary, bool copy, sti_h5_writer* write, void* user, sti_status* status) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = -1;
    // everything opened in the file goes with it, whatever failed on the way
    if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
        file =
            copy ? H5Fopen(temporary, H5F_ACC_RDWR, access) : H5Fcreate(temporary, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    bool good = file >= 0;
    if (file >= 0) {
        good = write(file, user, status);
        good = H5Fclose(file) >= 0 && good;
    }
    if (access >= 0) H5Pclose(access);
    return good;
}

sti_status sti_h5_write(sti_env* env, const char* path, bool copy, sti_h5_writer* write, void* user) {
    char* temporary;
    sti_status status = sti_file_begin(env, path, &temporary);
    if (status != STI_OK) return status;
    bool good = !copy || copy_file(path, temporary);
    if (!good) {
        status = sti_file_fail(env, STI_ERR_IO, path, "cannot be copied: %s", strerror(errno));
    } else {
        H5E_BEGIN_TRY {
            good = write_into(temporary, copy, write, user, &status);
        }
        H5E_END_TRY
    }
    if (good && status == STI_OK) return sti_file_commit(env, path, temporary);
    sti_file_abandon(env, temporary);
    return status != STI_OK ? status : sti_file_fail(env, STI_ERR_IO, path, "cannot be written as HDF5");
}
