// stochastic_store.h: what a document of kind "stochastic" holds: scenarios, or a distribution to draw them from.
#ifndef STI_DOCUMENTS_STOCHASTIC_STORE_H
#define STI_DOCUMENTS_STOCHASTIC_STORE_H

#include <stiction/stochastic.h>

#include "formats/hdf5_file.h"
#include "formats/json_tree.h"

typedef struct sti_distribution sti_distribution;

enum { STI_STOCHASTIC_STACKS = 20 };

typedef struct sti_stochastic_store {
    sti_stochastic program;  // first member: what sti_stochastic_of hands out
    sti_scenario common;
    sti_scenario*
        scenarios;  // (scenario_count); each owns what it does not have of `common`, where there are no stacks
    sti_distribution* distribution;
    void* stack[STI_STOCHASTIC_STACKS];  // of HDF5: the numbers of all scenarios under one name   (stack_count)
    int stack_count;
} sti_stochastic_store;

void sti_stochastic_store_destroy(sti_env* env, void* content);  // accepts NULL

// Where the scenarios of a rank begin.
static inline int sti_stochastic_share(int64_t count, int rank, int size) {
    return (int)(sti_size_mul((size_t)count, (size_t)rank) / (size_t)size);
}

// stochastic_hdf5.c: all scenarios, or those of one rank.
sti_status sti_stochastic_read_hdf5(const sti_h5* h, void** content);
sti_status sti_stochastic_read_hdf5_part(const sti_h5* h, int rank, int size, void** content);

// The object "sample". n, p: sizes of the first stage; W0_rows: rows of the common W0, 0: there is none.
sti_status sti_distribution_read(const sti_json_tree* tree, const sti_json_value* sample, int n, int p, int W0_rows,
                                 sti_distribution** out);
void sti_distribution_destroy(sti_env* env, sti_distribution* d);  // accepts NULL
sti_status sti_distribution_draw(sti_env* env, const sti_distribution* d, const sti_stochastic* first, int count,
                                 uint64_t* seed, sti_stochastic** out);

#endif
