// raw.c: read by tests/house/sizes.sh, never built. Lines that end in "raw" are those that `tools/lint sizes` must
// report.
#include <stdlib.h>
#include <string.h>

#include "base/env.h"

typedef struct part {
    uint64_t chunk[2], depth;
    int count;
} part;

// The product of a field with itself, far from any allocation.
void in_a_field(part* p) {
    p->chunk[1] *= p->depth;  // raw
}

uint64_t returned(const part* p) {
    return p->chunk[0] * p->chunk[1];  // raw
}

void* in_the_argument(sti_env* env, size_t rows, size_t cols) {
    return sti_alloc(env, rows * cols);  // raw
}

void* through_a_variable(sti_env* env, size_t rows, size_t cols) {
    const size_t area = rows * cols;  // raw
    const size_t bytes = area;
    return sti_alloc_array(env, bytes, 8);
}

void* with_a_constant(sti_env* env, size_t rows) {
    return sti_alloc(env, 3 * rows);  // raw
}

int as_int(const part* p, int width) {
    return p->count * width;  // raw
}

void copied(double* to, const double* from, size_t count) {
    memcpy(to, from, count * sizeof *to);  // raw
}

void* a_sum(sti_env* env, size_t size) {
    return sti_alloc(env, size + 1);  // raw
}

void* a_sum_through_a_variable(sti_env* env, uint64_t head, uint64_t tail) {
    size_t bytes = head;
    bytes += tail;  // raw
    return malloc(bytes);
}

// What leads to a place, and is used otherwise too.
double both(const double* x, size_t i, size_t n, size_t* where) {
    return x[*where = i * n];  // raw
}
