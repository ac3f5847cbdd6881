// arena.h: memory that is taken in many pieces and given back all at once: the workspace of an algorithm.
//
// Pieces come out of a few blocks. A failed allocation is remembered in status; every later request fails too,
// so a routine asks for what it needs and looks at the status once. What is made anew in each step takes its pieces
// after a reset: the memory is kept, in one block as large as all of them were, so that a step that needs no more than
// the last one allocates nothing.
#ifndef STI_BASE_ARENA_H
#define STI_BASE_ARENA_H

#include "base/env.h"

typedef struct sti_arena_block sti_arena_block;

typedef struct sti_arena {
    sti_env* env;
    sti_arena_block* last;
    size_t least;       // of the first block
    sti_status status;  // sticky
} sti_arena;

static inline sti_arena sti_arena_make(sti_env* env) {
    return (sti_arena){.env = env};
}
void sti_arena_clear(sti_arena* arena);  // accepts a cleared one
void sti_arena_reset(sti_arena* arena);  // all pieces are gone

void* sti_arena_take(sti_arena* arena, size_t count, size_t size);  // zeroed; NULL on failure
void* sti_arena_raw(sti_arena* arena, size_t count, size_t size);   // not cleared
double* sti_arena_doubles(sti_arena* arena, size_t count);
int* sti_arena_ints(sti_arena* arena, size_t count);
double* sti_arena_copy(sti_arena* arena, const double* from, size_t count);

#endif
