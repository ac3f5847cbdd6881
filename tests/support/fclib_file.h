// fclib_file.h: FCLIB files made by hand through libhdf5, right and wrong ones.
#ifndef TESTS_SUPPORT_FCLIB_FILE_H
#define TESTS_SUPPORT_FCLIB_FILE_H

#include <hdf5.h>

#include "support/io_tools.h"

// ---- files in the folder of the test

static inline const char* file_path(char* path, const char* name) {
    snprintf(path, 256, "%s/%s", io_folder, name);
    return path;
}

static inline void folder_empty(void) {
    io_folder_remove();
    io_folder_make();
}

static inline unsigned char* whole_file(const char* path, size_t* size) {
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char* bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

// ---- values

static inline hid_t make_group(hid_t at, const char* name) {
    if (H5Lexists(at, name, H5P_DEFAULT) > 0) return H5Gopen2(at, name, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(group >= 0);
    return group;
}

// An older value of the same name goes.
static inline void make_data(hid_t at, const char* name, hid_t type, int rank, const hsize_t* size, const void* data) {
    if (H5Lexists(at, name, H5P_DEFAULT) > 0) H5Ldelete(at, name, H5P_DEFAULT);
    const hid_t space = rank > 0 ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (H5Sget_simple_extent_npoints(space) > 0)
        assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static inline void make_ints(hid_t at, const char* name, size_t count, const int* x) {
    const hsize_t size = count;
    make_data(at, name, H5T_NATIVE_INT, 1, &size, x);
}

static inline void make_int(hid_t at, const char* name, int x) {
    make_ints(at, name, 1, &x);
}

static inline void make_doubles(hid_t at, const char* name, size_t count, const double* x) {
    const hsize_t size = count;
    make_data(at, name, H5T_NATIVE_DOUBLE, 1, &size, x);
}

// room 0: of variable length.
static inline void make_text(hid_t at, const char* name, const char* text, size_t room, H5T_str_t padding) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    char fixed[256];
    assert_true(room < sizeof fixed);
    memset(fixed, padding == H5T_STR_SPACEPAD ? ' ' : '\0', sizeof fixed);
    memcpy(fixed, text, strlen(text) < room ? strlen(text) : room);
    H5Tset_size(type, room == 0 ? H5T_VARIABLE : room);
    if (room > 0) H5Tset_strpad(type, padding);
    make_data(at, name, type, 0, NULL, room == 0 ? (const void*)&text : fixed);
    H5Tclose(type);
}

// p_count, count: lengths of p and of i, x.
static inline void make_matrix(hid_t at, const char* name, int m, int n, int nz, size_t p_count, const int* p,
                               size_t count, const int* i, const double* x) {
    const hid_t group = make_group(at, name);
    make_int(group, "m", m);
    make_int(group, "n", n);
    make_int(group, "nz", nz);
    make_int(group, "nzmax", (int)count);
    make_ints(group, "p", p_count, p);
    make_ints(group, "i", count, i);
    make_doubles(group, "x", count, x);
    H5Gclose(group);
}

// ---- whole files

static inline hid_t make_file(const char* path) {
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

// One contact in the plane, by columns:   W = [2 1; 1 3],  q = (-1, 0.5),  mu = 0.3.
static inline void make_local(const char* path) {
    static const int p[3] = {0, 2, 4}, i[4] = {0, 1, 0, 1};
    static const double x[4] = {2, 1, 1, 3}, q[2] = {-1, 0.5}, mu = 0.3;
    const hid_t file = make_file(path), top = make_group(file, "fclib_local"), vectors = make_group(top, "vectors");
    make_int(top, "spacedim", 2);
    make_matrix(top, "W", 2, 2, -1, 3, p, 4, i, x);
    make_doubles(vectors, "q", 2, q);
    make_doubles(vectors, "mu", 1, &mu);
    H5Gclose(vectors);
    H5Gclose(top);
    H5Fclose(file);
}

// Two bilateral rows to it:   V = [1 0; 0 2],  R = [4 0; 1 5],  s = (7, 8), as triplets.
static inline void add_local_bilateral(const char* path) {
    static const int row_V[2] = {1, 0}, col_V[2] = {1, 0}, row_R[3] = {0, 1, 1}, col_R[3] = {0, 0, 1};
    static const double x_V[2] = {2, 1}, x_R[3] = {4, 1, 5}, s[2] = {7, 8};
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), top = make_group(file, "fclib_local");
    const hid_t vectors = make_group(top, "vectors");
    make_matrix(top, "V", 2, 2, 2, 2, col_V, 2, row_V, x_V);
    make_matrix(top, "R", 2, 2, 3, 3, col_R, 3, row_R, x_R);
    make_doubles(vectors, "s", 2, s);
    H5Gclose(vectors);
    H5Gclose(top);
    H5Fclose(file);
}

// One contact in space, four velocities, one bilateral row:   M = diag(1, 2, 3, 4) as triplets,
// H = [1 0 0; 0 1 0; 0 0 1; 5 0 0] by rows, G = (0, 0, 0, 1)',  f, w, b, mu = 0.5.
static inline void make_global(const char* path) {
    static const int diagonal[4] = {0, 1, 2, 3}, start_H[5] = {0, 1, 2, 3, 4}, col_H[4] = {0, 1, 2, 0};
    static const int start_G[2] = {0, 1}, row_G[1] = {3};
    static const double x_M[4] = {1, 2, 3, 4}, x_H[4] = {1, 1, 1, 5}, x_G[1] = {1};
    static const double f[4] = {-1, 0, 2, 1}, w[3] = {0.1, 0.2, 0.3}, b[1] = {-2}, mu = 0.5;
    const hid_t file = make_file(path), top = make_group(file, "fclib_global"), vectors = make_group(top, "vectors");
    make_int(top, "spacedim", 3);
    make_matrix(top, "M", 4, 4, 4, 4, diagonal, 4, diagonal, x_M);
    make_matrix(top, "H", 4, 3, -2, 5, start_H, 4, col_H, x_H);
    make_matrix(top, "G", 4, 1, -1, 2, start_G, 1, row_G, x_G);
    make_doubles(vectors, "f", 4, f);
    make_doubles(vectors, "w", 3, w);
    make_doubles(vectors, "b", 1, b);
    make_doubles(vectors, "mu", 1, &mu);
    H5Gclose(vectors);
    H5Gclose(top);
    H5Fclose(file);
}

// A group of a file that is there, for changes. Close both with close_group.
static inline hid_t open_group(const char* path, const char* name, hid_t* file) {
    *file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(*file >= 0);
    return make_group(*file, name);
}

static inline void close_group(hid_t group, hid_t file) {
    H5Gclose(group);
    assert_true(H5Fclose(file) >= 0);
}

#endif
