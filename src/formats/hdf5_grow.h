// hdf5_grow.h: an HDF5 file whose datasets grow, and that is whole at every moment.
#ifndef STI_FORMATS_HDF5_GROW_H
#define STI_FORMATS_HDF5_GROW_H

#include "base/env.h"

// As libhdf5 has them by default: children of a node of the chunk tree; and what the superblock says for groups.
enum { STI_H5_CHILDREN = 64, STI_H5_LEVELS = 5, STI_H5_NAMES = 32, STI_H5_GROUPS = 8, STI_H5_NAME = 32 };

typedef enum sti_h5_class { STI_H5_CLASS_DOUBLE, STI_H5_CLASS_INT, STI_H5_CLASS_LONG, STI_H5_CLASS_TEXT } sti_h5_class;

typedef struct sti_h5_node {
    uint64_t address;
    int used;
    unsigned char* bytes;
} sti_h5_node;

typedef struct sti_h5_growing {
    char group[STI_H5_NAME];  // "": the root
    char name[STI_H5_NAME];
    sti_h5_class class;
    uint32_t width;                    // bytes of an entry
    int rank;                          // 0: one text
    uint64_t size[2];                  // of the dimensions after the first
    uint64_t row_bytes;                //
    uint64_t rows;                     //
    uint64_t chunk_rows;               // 0: all rows at `address`, which do not grow
    uint64_t address;                  // of the rows, or of the last chunk
    unsigned char* tail;               // rows of the last chunk, when it takes more than one  (chunk_rows x row_bytes)
    int levels;                        // of the tree of chunks
    sti_h5_node spine[STI_H5_LEVELS];  // its last node on each level, leaf first
} sti_h5_growing;

typedef struct sti_h5_grow {
    sti_env* env;
    char* path;
    int fd;
    bool broken;         // a write failed: the file stays at its last commit
    uint64_t end;        // first free byte
    uint64_t slot[2];    // where the headers of this and the last commit stand, in turn
    uint64_t slot_size;  //
    int turn;            // slot of the next commit
    int count;
    sti_h5_growing* set;  // (count)
    // going on: what the earlier recording knew
    uint64_t* known;  // (known_count)
    size_t known_count, known_at;
} sti_h5_grow;

sti_status sti_h5_grow_open(sti_env* env, const char* path, bool fresh, sti_h5_grow* g);
void sti_h5_grow_close(sti_h5_grow* g);
// Adds an empty dataset of the given form (group, name, class, width, rank, size, chunk_rows).
sti_status sti_h5_grow_add(sti_h5_grow* g, const sti_h5_growing* form, int* index);
sti_status sti_h5_grow_append(sti_h5_grow* g, int index, uint64_t rows, const void* data);
sti_status sti_h5_grow_commit(sti_h5_grow* g, bool sync);

sti_status sti_h5_grow_write(sti_h5_grow* g, uint64_t address, const void* bytes, size_t size);
size_t sti_h5_grow_node_bytes(const sti_h5_growing* d);

// hdf5_headers.c: the headers of all datasets and groups as one block that will stand at `base`. NULL bytes: only its
// size. *root is the address of the root group's header.
size_t sti_h5_headers(const sti_h5_grow* g, uint64_t base, unsigned char* bytes, uint64_t* root);
void sti_h5_superblock(unsigned char bytes[96], uint64_t end, uint64_t root);

static inline void sti_h5_put(unsigned char* to, uint64_t value, int bytes) {
    for (int k = 0; k < bytes; k++, value >>= 8) to[k] = (unsigned char)value;
}

#endif
