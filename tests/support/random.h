// random.h: numbers drawn evenly from an interval.
#ifndef TESTS_SUPPORT_RANDOM_H
#define TESTS_SUPPORT_RANDOM_H

#include "base/rng.h"

static inline double between(sti_rng* rng, double low, double high) {
    return low + (high - low) * sti_rng_u01(rng);
}

static inline double symmetric(sti_rng* rng) {  // from -1 to 1
    return 2 * sti_rng_u01(rng) - 1;
}

#endif
