// pool.c: blocks that grow, pieces cut from the last one.
#include "analyze/pool.h"

#include <string.h>

enum { BLOCK_SIZE = 1 << 15, ALIGNMENT = 16 };

struct sti_pool_block {
    sti_pool_block* before;
    size_t used, capacity;
};

static size_t aligned(size_t size) {
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void sti_pool_clear(sti_pool* pool) {
    while (pool->last != NULL) {
        sti_pool_block* before = pool->last->before;
        sti_free(pool->env, pool->last);
        pool->last = before;
    }
    pool->status = STI_OK;
}

static void add_block(sti_pool* pool, size_t size) {
    const size_t head = aligned(sizeof(sti_pool_block)), capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    sti_pool_block* block = sti_alloc(pool->env, head + capacity);
    if (block == NULL) {
        pool->status = STI_FAIL(pool->env, STI_ERR_MEMORY, -1, "%zu bytes of working memory", capacity);
        return;
    }
    *block = (sti_pool_block){.before = pool->last, .capacity = capacity};
    pool->last = block;
}

void* sti_pool_take(sti_pool* pool, size_t count, size_t size) {
    if (pool->status != STI_OK) return NULL;
    if (size > 0 && count > (SIZE_MAX / 4) / size) {
        pool->status = STI_FAIL(pool->env, STI_ERR_MEMORY, -1, "%zu numbers", count);
        return NULL;
    }
    const size_t bytes = aligned(count * size + 1);
    if (pool->last == NULL || pool->last->capacity - pool->last->used < bytes) add_block(pool, bytes);
    if (pool->status != STI_OK) return NULL;
    char* p = (char*)pool->last + aligned(sizeof(sti_pool_block)) + pool->last->used;
    pool->last->used += bytes;
    memset(p, 0, bytes);
    return p;
}

double* sti_pool_doubles(sti_pool* pool, size_t count) {
    return sti_pool_take(pool, count, sizeof(double));
}

int* sti_pool_ints(sti_pool* pool, size_t count) {
    return sti_pool_take(pool, count, sizeof(int));
}

double* sti_pool_copy(sti_pool* pool, const double* from, size_t count) {
    double* to = sti_pool_doubles(pool, count);
    if (to != NULL && count > 0) memcpy(to, from, count * sizeof *to);
    return to;
}
