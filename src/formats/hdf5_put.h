// hdf5_put.h: values into an HDF5 file, and the file written whole or not at all. Bytes depend on the values alone: no
// time stamps.
#ifndef STI_FORMATS_HDF5_PUT_H
#define STI_FORMATS_HDF5_PUT_H

#include <hdf5.h>

#include "base/env.h"

// false: HDF5 could not do it.
bool sti_h5_put_data(hid_t at, const char* name, hid_t stored, hid_t native, int rank, const hsize_t* size,
                     const void* data);
bool sti_h5_put_int(hid_t at, const char* name, int value);  // a list of one
bool sti_h5_put_ints(hid_t at, const char* name, size_t count, const int* x);
bool sti_h5_put_doubles(hid_t at, const char* name, size_t count, const double* x);
bool sti_h5_put_text(hid_t at, const char* name, const char* text);  // of fixed length, its 0 included

// Writes into an open file; false: what went wrong is in *status, or HDF5 failed when that is STI_OK.
typedef bool sti_h5_writer(hid_t file, void* user, sti_status* status);

// A file made by `write` takes the place of path in one step. copy: start from the bytes of the file that is there,
// otherwise from nothing.
sti_status sti_h5_write(sti_env* env, const char* path, bool copy, sti_h5_writer* write, void* user);

#endif
