// triplets.h: entries (i, j, v) in any order, made into a sparse matrix.
#ifndef STI_FORMATS_TRIPLETS_H
#define STI_FORMATS_TRIPLETS_H

#include <stiction/linalg.h>

#include "base/arena.h"
#include "base/env.h"

typedef struct sti_triplets {
    sti_arena memory;
    size_t count;
    size_t capacity;
    int* i;     // 0-based                     (capacity)
    int* j;     //                             (capacity)
    double* v;  //                             (capacity)
} sti_triplets;

sti_status sti_triplets_create(sti_env* env, size_t capacity, sti_triplets* out);
void sti_triplets_clear(sti_triplets* t);

static inline void sti_triplets_add(sti_triplets* t, int i, int j, double v) {
    t->i[t->count] = i;
    t->j[t->count] = j;
    t->v[t->count++] = v;
}

// Compressed columns, rows ascending; entries at the same place are summed, and one of them is named in (*i, *j)
// (-1, -1: all places differ). Cost O(count + rows + cols).
sti_status sti_triplets_compress(sti_env* env, const sti_triplets* t, int rows, int cols, sti_matrix* out, int* i,
                                 int* j);

#endif
