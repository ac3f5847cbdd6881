// size.h: counts and sizes, multiplied and added without wrapping around.
//
// A number from a file may be anything, and a product of two of them that wraps around is a small size for large data.
// Here a result that does not fit is the largest number there is. It stays that under further products (but with 0) and
// sums, no allocation grants it, and no comparison with a limit lets it pass. `tools/lint sizes` holds the readers to
// these functions.
#ifndef STI_BASE_SIZE_H
#define STI_BASE_SIZE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t sti_size_mul(size_t a, size_t b) {
    size_t c;
    return __builtin_mul_overflow(a, b, &c) ? SIZE_MAX : c;
}

static inline size_t sti_size_add(size_t a, size_t b) {
    size_t c;
    return __builtin_add_overflow(a, b, &c) ? SIZE_MAX : c;
}

// The same for places and sizes in files, which have 64 bits everywhere.
static inline uint64_t sti_u64_mul(uint64_t a, uint64_t b) {
    uint64_t c;
    return __builtin_mul_overflow(a, b, &c) ? UINT64_MAX : c;
}

static inline uint64_t sti_u64_add(uint64_t a, uint64_t b) {
    uint64_t c;
    return __builtin_add_overflow(a, b, &c) ? UINT64_MAX : c;
}

// Rounded up to a multiple of 8, as files and states have their parts.
static inline uint64_t sti_u64_padded(uint64_t size) {
    return sti_u64_add(size, 7) & ~(uint64_t)7;
}

// The product modulo 2^64, where that is what is meant: sums over bytes.
static inline uint64_t sti_u64_mul_wrapping(uint64_t a, uint64_t b) {
    uint64_t c;
    (void)__builtin_mul_overflow(a, b, &c);
    return c;
}

// The same for counts that are kept as int; neither is negative.
static inline int sti_count_mul(int a, int b) {
    int c;
    return __builtin_mul_overflow(a, b, &c) ? INT_MAX : c;
}

#endif
