// tiles.c: kernels of products and eliminations for three kinds of processors: eight doubles in a register (AVX-512),
// four (AVX2 with fused products), any other. The best that the processor has is chosen at every call.
#include "linalg/tiles.h"

typedef struct kernels {
    void (*subtract)(bool lower, int m, int n, int k, const double* X, size_t ldx, const double* Y, size_t ldy,
                     double* C, size_t ldc);
    void (*subtract_packed)(bool lower, int m, int n, int k, const double* X, size_t ldx, const double* Y, size_t ldy,
                            double* C, size_t ldc, double* room);
    void (*eliminate)(int width, int first, int end, int rows, double* P, size_t ld, const double* f,
                      const double* inverse, double* Z, size_t ldz);
    void (*solve)(const double* L, const double* inverse, int k, double* x);
    void (*multiply)(int rows, int cols, const double* A, double f, const double* x, double* y);
    void (*multiply_transposed)(int rows, int cols, const double* A, double f, const double* y, double* x);
    void (*lanes_pivot)(double* a, size_t order, size_t j, size_t reach, const double* inverse);
    void (*lanes_forward)(const double* L, int order, int k, double* z);
    void (*lanes_backward)(const double* L, const double* inverse, int order, int k, double* z);
} kernels;

#define KERNELS(kind)                                                                                   \
    {                                                                                                   \
        subtract_##kind, subtract_packed_##kind, eliminate_##kind, solve_##kind, multiply_##kind,       \
            multiply_transposed_##kind, lanes_pivot_##kind, lanes_forward_##kind, lanes_backward_##kind \
    }

// ---- any processor

typedef struct eight {
    double x[8];
} eight;

#define EACH(expression)                                 \
    eight out;                                           \
    for (int e = 0; e < 8; e++) out.x[e] = (expression); \
    return out

static inline eight plain_load(const double* from) {
    EACH(from[e]);
}
static inline void plain_store(double* to, eight a) {
    for (int e = 0; e < 8; e++) to[e] = a.x[e];
}
static inline eight plain_fill(double a) {
    EACH(a);
}
static inline eight plain_add_product(eight a, eight x, eight y) {
    EACH(a.x[e] + x.x[e] * y.x[e]);
}
static inline eight plain_take_product(eight a, eight x, eight y) {
    EACH(a.x[e] - x.x[e] * y.x[e]);
}
static inline eight plain_take(eight a, eight b) {
    EACH(a.x[e] - b.x[e]);
}
static inline eight plain_times(eight a, eight b) {
    EACH(a.x[e] * b.x[e]);
}

#define NAME(x) x##_plain
#define TARGET
#define VEC eight
#define LOAD plain_load
#define STORE plain_store
#define FILL plain_fill
#define ADD_PRODUCT plain_add_product
#define TAKE_PRODUCT plain_take_product
#define TAKE plain_take
#define TIMES plain_times
#define ROWS 8
#define COLS 4
#include "linalg/tiles_kernel.h"

static const kernels plain = KERNELS(plain);

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#undef NAME
#undef TARGET
#undef VEC
#undef LOAD
#undef STORE
#undef FILL
#undef ADD_PRODUCT
#undef TAKE_PRODUCT
#undef TAKE
#undef TIMES
#undef ROWS
#undef COLS

// ---- AVX2: two registers of four

typedef struct fours {
    __m256d a, b;
} fours;

#define AVX2 __attribute__((target("avx2,fma")))

AVX2 static inline fours avx2_load(const double* from) {
    return (fours){_mm256_loadu_pd(from), _mm256_loadu_pd(from + 4)};
}
AVX2 static inline void avx2_store(double* to, fours x) {
    _mm256_storeu_pd(to, x.a);
    _mm256_storeu_pd(to + 4, x.b);
}
AVX2 static inline fours avx2_fill(double x) {
    return (fours){_mm256_set1_pd(x), _mm256_set1_pd(x)};
}
AVX2 static inline fours avx2_add_product(fours a, fours x, fours y) {
    return (fours){_mm256_fmadd_pd(x.a, y.a, a.a), _mm256_fmadd_pd(x.b, y.b, a.b)};
}
AVX2 static inline fours avx2_take_product(fours a, fours x, fours y) {
    return (fours){_mm256_fnmadd_pd(x.a, y.a, a.a), _mm256_fnmadd_pd(x.b, y.b, a.b)};
}
AVX2 static inline fours avx2_take(fours a, fours b) {
    return (fours){_mm256_sub_pd(a.a, b.a), _mm256_sub_pd(a.b, b.b)};
}
AVX2 static inline fours avx2_times(fours a, fours b) {
    return (fours){_mm256_mul_pd(a.a, b.a), _mm256_mul_pd(a.b, b.b)};
}

#define NAME(x) x##_avx2
#define TARGET AVX2
#define VEC fours
#define LOAD avx2_load
#define STORE avx2_store
#define FILL avx2_fill
#define ADD_PRODUCT avx2_add_product
#define TAKE_PRODUCT avx2_take_product
#define TAKE avx2_take
#define TIMES avx2_times
#define ROWS 8
#define COLS 6
#include "linalg/tiles_kernel.h"

static const kernels avx2 = KERNELS(avx2);

#undef NAME
#undef TARGET
#undef VEC
#undef LOAD
#undef STORE
#undef FILL
#undef ADD_PRODUCT
#undef TAKE_PRODUCT
#undef TAKE
#undef TIMES
#undef ROWS
#undef COLS

// ---- AVX-512

#define AVX512 __attribute__((target("avx512f")))

AVX512 static inline __m512d avx512_take_product(__m512d a, __m512d x, __m512d y) {
    return _mm512_fnmadd_pd(x, y, a);
}
AVX512 static inline __m512d avx512_add_product(__m512d a, __m512d x, __m512d y) {
    return _mm512_fmadd_pd(x, y, a);
}

#define NAME(x) x##_avx512
#define TARGET AVX512
#define VEC __m512d
#define LOAD _mm512_loadu_pd
#define STORE _mm512_storeu_pd
#define FILL _mm512_set1_pd
#define ADD_PRODUCT avx512_add_product
#define TAKE_PRODUCT avx512_take_product
#define TAKE _mm512_sub_pd
#define TIMES _mm512_mul_pd
#define ROWS 24
#define COLS 8
#include "linalg/tiles_kernel.h"

static const kernels avx512 = KERNELS(avx512);

static const kernels* best(void) {
    if (__builtin_cpu_supports("avx512f")) return &avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &avx2;
    return &plain;
}
#else
static const kernels* best(void) {
    return &plain;
}
#endif

// ---- the best of them

void sti_tiles_subtract(bool lower, int m, int n, int k, const double* X, int ldx, const double* Y, int ldy, double* C,
                        int ldc) {
    best()->subtract(lower, m, n, k, X, (size_t)ldx, Y, (size_t)ldy, C, (size_t)ldc);
}

void sti_tiles_subtract_packed(bool lower, int m, int n, int k, const double* X, int ldx, const double* Y, int ldy,
                               double* C, int ldc, double* room) {
    best()->subtract_packed(lower, m, n, k, X, (size_t)ldx, Y, (size_t)ldy, C, (size_t)ldc, room);
}

void sti_tiles_eliminate(int width, int first, int end, int rows, double* P, int ld, const double* f,
                         const double* inverse, double* Z, int ldz) {
    best()->eliminate(width, first, end, rows, P, (size_t)ld, f, inverse, Z, (size_t)ldz);
}

void sti_tiles_solve(const double* L, const double* inverse, int k, double* x) {
    best()->solve(L, inverse, k, x);
}

void sti_tiles_multiply(int rows, int cols, const double* A, double f, const double* x, double* y) {
    best()->multiply(rows, cols, A, f, x, y);
}

void sti_tiles_multiply_transposed(int rows, int cols, const double* A, double f, const double* y, double* x) {
    best()->multiply_transposed(rows, cols, A, f, y, x);
}

void sti_tiles_lanes_pivot(double* a, int order, int j, int reach, const double* inverse) {
    best()->lanes_pivot(a, (size_t)order, (size_t)j, (size_t)reach, inverse);
}

void sti_tiles_lanes_forward(const double* L, int order, int k, double* z) {
    best()->lanes_forward(L, order, k, z);
}

void sti_tiles_lanes_backward(const double* L, const double* inverse, int order, int k, double* z) {
    best()->lanes_backward(L, inverse, order, k, z);
}
