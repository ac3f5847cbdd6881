// checked.c: read by tests/house/sizes.sh, never built. `tools/lint sizes` has nothing to say about it.
#include <string.h>

#include "base/env.h"

void* checked(sti_env* env, size_t rows, size_t cols) {
    return sti_alloc(env, sti_size_add(sti_size_mul(rows, cols), 1));
}

void* by_the_allocation(sti_env* env, size_t count) {
    return sti_alloc_array(env, count, 3 * sizeof(double));
}

// Two numbers of 32 bits as one of 64.
void* narrow(sti_env* env, int rows, int cols) {
    return sti_alloc_array(env, (size_t)rows * (size_t)cols, sizeof(double));
}

// Places in memory that has got its size before.
double place(const double* x, size_t i, size_t n) {
    const double* row = x + i * n;
    return x[3 * (i * n + 1)] + row[2 * i];
}

char* joined(sti_env* env, const char* a, const char* b) {
    size_t size = strlen(a) + 1;
    size += strlen(b);
    return sti_alloc(env, size);
}

double of_doubles(double a, double b) {
    return a * b;
}
