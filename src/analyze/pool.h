// pool.h: memory that is taken in many small pieces and given back all at once.
//
// An analysis makes dozens of small matrices that live as long as the call or as its result. They come out of a few
// blocks, zeroed. A failed allocation is remembered in status; every later request fails too, so a routine asks for
// what it needs and looks at the status once.
#ifndef STI_ANALYZE_POOL_H
#define STI_ANALYZE_POOL_H

#include "base/env.h"

typedef struct sti_pool_block sti_pool_block;

typedef struct sti_pool {
    sti_env* env;
    sti_pool_block* last;
    sti_status status;  // sticky
} sti_pool;

static inline sti_pool sti_pool_make(sti_env* env) {
    return (sti_pool){.env = env};
}
void sti_pool_clear(sti_pool* pool);  // accepts a cleared one

void* sti_pool_take(sti_pool* pool, size_t count, size_t size);  // zeroed; NULL on failure
double* sti_pool_doubles(sti_pool* pool, size_t count);
int* sti_pool_ints(sti_pool* pool, size_t count);
double* sti_pool_copy(sti_pool* pool, const double* from, size_t count);

#endif
