// arena.c: blocks that grow, pieces cut from the last one.
#include "base/arena.h"

#include <string.h>

#include "base/size.h"

enum { BLOCK_SIZE = 1 << 15, ALIGNMENT = 16 };

struct sti_arena_block {
    sti_arena_block* before;
    size_t used, capacity;
};

static size_t aligned(size_t size) {
    return sti_size_add(size, ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

void sti_arena_clear(sti_arena* a) {
    while (a->last != NULL) {
        sti_arena_block* before = a->last->before;
        sti_free(a->env, a->last);
        a->last = before;
    }
    a->status = STI_OK;
}

void sti_arena_reset(sti_arena* a) {
    size_t all = 0;
    for (const sti_arena_block* b = a->last; b != NULL; b = b->before) all += b->capacity;
    if (a->last != NULL && a->last->before == NULL) {
        a->last->used = 0;
        a->status = STI_OK;
        return;
    }
    sti_arena_clear(a);
    a->least = all;
}

static void add_block(sti_arena* a, size_t size) {
    size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    if (a->last == NULL && a->least > capacity) capacity = a->least;
    const size_t head = aligned(sizeof(sti_arena_block));
    sti_arena_block* block = sti_alloc(a->env, sti_size_add(head, capacity));
    if (block == NULL) {
        a->status = STI_ERR_MEMORY;
        return;
    }
    *block = (sti_arena_block){.before = a->last, .capacity = capacity};
    a->last = block;
}

void* sti_arena_raw(sti_arena* a, size_t count, size_t size) {
    if (a->status != STI_OK) return NULL;
    if (size > 0 && count > (SIZE_MAX / 4) / size) {
        a->status = STI_FAIL(a->env, STI_ERR_MEMORY, -1, "%zu numbers", count);
        return NULL;
    }
    const size_t bytes = aligned(sti_size_add(sti_size_mul(count, size), 1));
    if (a->last == NULL || a->last->capacity - a->last->used < bytes) add_block(a, bytes);
    if (a->status != STI_OK) return NULL;
    char* p = (char*)a->last + aligned(sizeof(sti_arena_block)) + a->last->used;
    a->last->used += bytes;
    return p;
}

void* sti_arena_take(sti_arena* a, size_t count, size_t size) {
    void* p = sti_arena_raw(a, count, size);
    if (p != NULL) memset(p, 0, sti_size_mul(count, size));
    return p;
}

double* sti_arena_doubles(sti_arena* a, size_t count) {
    return sti_arena_take(a, count, sizeof(double));
}

int* sti_arena_ints(sti_arena* a, size_t count) {
    return sti_arena_take(a, count, sizeof(int));
}

double* sti_arena_copy(sti_arena* a, const double* from, size_t count) {
    double* to = sti_arena_doubles(a, count);
    if (to != NULL && count > 0) memcpy(to, from, sti_size_mul(count, sizeof *to));
    return to;
}
