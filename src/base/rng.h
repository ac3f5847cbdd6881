// rng.h: splitmix64, the one generator of the library (RNG-01 of tests/reference has its first numbers).
#ifndef STI_BASE_RNG_H
#define STI_BASE_RNG_H

#include <stdint.h>

#include "base/size.h"

typedef struct sti_rng {
    uint64_t state;  // the seed, to begin with
} sti_rng;

static inline uint64_t sti_rng_next(sti_rng* rng) {
    uint64_t x = (rng->state += 0x9E3779B97F4A7C15u);
    x = sti_u64_mul_wrapping(x ^ (x >> 30), 0xBF58476D1CE4E5B9u);
    x = sti_u64_mul_wrapping(x ^ (x >> 27), 0x94D049BB133111EBu);
    return x ^ (x >> 31);
}

// Uniform in [0, 1), 53 bits.
static inline double sti_rng_u01(sti_rng* rng) {
    return (double)(sti_rng_next(rng) >> 11) * 0x1p-53;
}

// Uniform integer in [low, high]; the bias of the modulus is below 2^-50 for the ranges used.
static inline int sti_rng_int(sti_rng* rng, int low, int high) {
    return low + (int)(sti_rng_next(rng) % (uint64_t)(high - low + 1));
}

#endif
