// hdf5_file.h: HDF5 files read by our own code: groups, one text attribute, datasets of numbers.
//
// libhdf5 writes our files, and does not read them: on damaged files it runs over its buffers (1.10.8 does so after a
// few hundred fuzzed inputs), and a file from elsewhere must not be able to do that. What is read here is the part of
// the format that problems need, and every address and size is held against the file before it is used:
//
//     superblocks 0 to 3; object headers 1 and 2; groups as symbol tables or compact links; attributes in the header;
//     integers and IEEE numbers of either byte order; contiguous, compact and chunked (B-tree) storage; filters
//     deflate, shuffle and fletcher32 (its sums are not checked)
//
// which is all that HDF5 1.6 to 1.14 write unless told otherwise. Anything else is refused by name; `h5repack` turns it
// into the above. Layout of the bytes: HDF5 File Format Specification, version 3; section numbers stand in the code.
#ifndef STI_FORMATS_HDF5_FILE_H
#define STI_FORMATS_HDF5_FILE_H

#include "base/env.h"

typedef struct sti_h5 {
    sti_env* env;
    const char* name;  // of the file, for messages; borrowed
    int fd;
    uint64_t size;  // of the file
    uint64_t root;  // object header of the root group
} sti_h5;

sti_status sti_h5_open(sti_env* env, const char* path, sti_h5* out);
void sti_h5_close(sti_h5* h);

// "file: FIELD: what": the field in question, or NULL.
sti_status sti_h5_fail(const sti_h5* h, const char* field, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// Bytes at an address; a failure says that the file is damaged.
sti_status sti_h5_fetch(const sti_h5* h, uint64_t address, size_t size, void* to);
// The same into new memory.
sti_status sti_h5_fetch_new(const sti_h5* h, uint64_t address, uint64_t size, unsigned char** out);

// Little-endian integers of 1 to 8 bytes.
static inline uint64_t sti_h5_number(const unsigned char* p, int bytes) {
    uint64_t value = 0;
    for (int k = bytes - 1; k >= 0; k--) value = value << 8 | p[k];
    return value;
}
#define STI_H5_NOWHERE UINT64_MAX  // the undefined address

// Messages of an object header. A visitor that returns other than STI_OK ends the walk.
typedef sti_status sti_h5_visitor(void* user, int type, bool shared, const unsigned char* data, size_t size);
sti_status sti_h5_walk(const sti_h5* h, uint64_t header, sti_h5_visitor* visit, void* user);

// Hard links of a group; others lead elsewhere and are passed over.
typedef sti_status sti_h5_link(void* user, const char* name, size_t length, uint64_t header);
sti_status sti_h5_each_link(const sti_h5* h, uint64_t group, sti_h5_link* visit, void* user);
sti_status sti_h5_find(const sti_h5* h, uint64_t group, const char* name, bool* found, uint64_t* header);
// "group/name" or "name", from the root.
sti_status sti_h5_find_path(const sti_h5* h, const char* path, bool* found, uint64_t* header);

// Text of an attribute, cut to size; *found false when the object has no such attribute.
sti_status sti_h5_attribute(const sti_h5* h, uint64_t header, const char* name, char* text, size_t size, bool* found);

// ---- datasets (hdf5_data.c)

enum { STI_H5_RANK = 2, STI_H5_FILTERS = 3 };
typedef enum sti_h5_layout { STI_H5_NONE, STI_H5_COMPACT, STI_H5_CONTIGUOUS, STI_H5_CHUNKED } sti_h5_layout;

typedef struct sti_h5_dataset {
    bool is_dataset, is_group;
    // numbers
    bool has_type, integer, is_signed, big_endian;
    int width;  // bytes of an entry: 1, 2, 4, 8
    // size
    bool has_space;
    int rank;                    // 0: one number
    uint64_t depth;              // 0, or the third dimension, which size[1] and chunk[1] contain
    uint64_t size[STI_H5_RANK];  // (rank)
    uint64_t count;              // entries
    // storage
    sti_h5_layout layout;
    uint64_t address;             // of the bytes, or of the B-tree of chunks
    uint64_t bytes;               // stored
    unsigned char* compact;       // (bytes)
    uint64_t chunk[STI_H5_RANK];  // (rank)
    int filter_count;
    int filter[STI_H5_FILTERS];  // in the order of writing
    int filter_value[STI_H5_FILTERS];
} sti_h5_dataset;

// What an object is, with all sizes checked against the file: rank at most 2, `most` along a side, and the entries
// really there. is_group and is_dataset say which of the two it is.
sti_status sti_h5_dataset_open(const sti_h5* h, uint64_t header, const char* field, uint64_t most, sti_h5_dataset* out);
// The same with three dimensions, taken as a matrix: [i][j][k] stands in row i and column j size_k + k.
sti_status sti_h5_dataset_open_deep(const sti_h5* h, uint64_t header, const char* field, uint64_t most,
                                    sti_h5_dataset* out);
void sti_h5_dataset_clear(const sti_h5* h, sti_h5_dataset* d);

// All entries, row major, into memory the caller owns afterwards. Integers beyond 2^53 are refused as doubles.
sti_status sti_h5_dataset_doubles(const sti_h5* h, const sti_h5_dataset* d, const char* field, double** out);
// Rows first .. first + rows - 1 alone, entries of the first dimension; nothing else is kept.
sti_status sti_h5_dataset_rows(const sti_h5* h, const sti_h5_dataset* d, const char* field, uint64_t first,
                               uint64_t rows, double** out);
sti_status sti_h5_dataset_integers(const sti_h5* h, const sti_h5_dataset* d, const char* field, int64_t** out);

#endif
