// test_tiles.c: kernels of tiles.c, of every kind this processor can run, against sums in long doubles.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "linalg/tiles.c"
#include "support/open_env.h"

static double uniform(sti_rng* rng, double low, double high) {
    return low + (high - low) * sti_rng_u01(rng);
}

static const kernels* kinds[3];
static int kind_count;

static void find_kinds(void) {
    kinds[kind_count++] = &plain;
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) kinds[kind_count++] = &avx2;
    if (__builtin_cpu_supports("avx512f")) kinds[kind_count++] = &avx512;
#endif
}

static double* numbers(sti_rng* rng, size_t count) {
    double* x = malloc((count + 8) * sizeof *x);
    assert_non_null(x);
    for (size_t k = 0; k < count + 8; k++) x[k] = uniform(rng, -1, 1);
    return x;
}

static void assert_near(double value, long double expected, long double terms) {
    assert_true(fabsl((long double)value - expected) <= 8 * DBL_EPSILON * (terms + 1));
}

// C - X Y' of columns of length ld >= m; entries beyond m are nobody's.
static void check_product(const kernels* kind, sti_rng* rng, int m, int n, int k, bool lower, bool packed) {
    const size_t ld = sti_tiles_padded((size_t)m), ldy = (size_t)n + 1;
    double *X = numbers(rng, ld * (size_t)k), *Y = numbers(rng, ldy * (size_t)k), *C = numbers(rng, ld * (size_t)n);
    double *before = numbers(rng, 0), *room = malloc(STI_TILES_ROOM * sizeof *room);
    before = realloc(before, (ld * (size_t)n + 1) * sizeof *before);
    assert_non_null(before);
    assert_non_null(room);
    for (size_t e = 0; e < ld * (size_t)n; e++) before[e] = C[e];
    if (packed) {
        kind->subtract_packed(lower, m, n, k, X, ld, Y, ldy, C, ld, room);
    } else {
        kind->subtract(lower, m, n, k, X, ld, Y, ldy, C, ld);
    }
    for (size_t j = 0; j < (size_t)n; j++) {
        for (size_t i = lower ? j : 0; i < (size_t)m; i++) {
            long double sum = before[j * ld + i], terms = fabsl(sum);
            for (size_t t = 0; t < (size_t)k; t++) {
                sum -= (long double)X[t * ld + i] * Y[t * ldy + j];
                terms += fabsl((long double)X[t * ld + i] * Y[t * ldy + j]);
            }
            assert_near(C[j * ld + i], sum, terms);
        }
    }
    free(X), free(Y), free(C), free(before), free(room);
}

static void products_are_those_of_long_doubles(void** state) {
    (void)state;
    static const int sizes[][3] = {{1, 1, 1},   {7, 3, 2},     {8, 8, 8},    {9, 9, 8},     {24, 8, 5},
                                   {25, 25, 7}, {47, 31, 130}, {50, 49, 16}, {200, 192, 3}, {61, 61, 600}};
    sti_rng rng = {1};
    for (int kind = 0; kind < kind_count; kind++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (int way = 0; way < 4; way++)
                check_product(kinds[kind], &rng, sizes[s][0], sizes[s][1], sizes[s][2], way % 2, way / 2);
        }
    }
}

// A of order k as L D L' from L and D, and back: by squares and eliminations as their callers do, and by tiles.
static void solutions_by_packed_tiles_fit_their_matrix(void** state) {
    (void)state;
    sti_rng rng = {2};
    for (int kind = 0; kind < kind_count; kind++) {
        for (int k = 1; k < 40; k += 3) {
            const int end = (int)sti_tiles_padded((size_t)k);
            double* L = calloc(sti_tiles_packed((size_t)k), sizeof *L);
            double full[40][40] = {{0}}, inverse[40], x[40] = {0}, b[40] = {0};
            size_t at = 0;
            for (int g = 0; g < end; g += 8) {
                for (int i = g; i < end; i += 8) {
                    for (int e = 0; e < 64; e++, at++) {
                        const int column = g + e / 8, r = i + e % 8;
                        if (column >= k || r >= k || r <= column) continue;
                        L[at] = full[r][column] = uniform(&rng, -0.3, 0.3);
                    }
                }
            }
            assert_int_equal(at, sti_tiles_packed((size_t)k));
            for (int j = 0; j < k; j++) full[j][j] = 1;
            double exact[40];
            for (int j = 0; j < k; j++) inverse[j] = j % 3 ? 2 : -0.5, exact[j] = uniform(&rng, -1, 1);
            for (int i = 0; i < k; i++) {
                for (int j = 0; j < k; j++) {
                    double entry = 0;
                    for (int t = 0; t < k; t++) entry += full[i][t] / inverse[t] * full[j][t];
                    b[i] += entry * exact[j];
                }
            }
            for (int i = 0; i < k; i++) x[i] = b[i];
            kinds[kind]->solve(L, inverse, k, x);
            for (int i = 0; i < k; i++) assert_true(fabs(x[i] - exact[i]) < 1e-11);
            for (int i = k; i < end; i++) assert_true(x[i] == 0);
            free(L);
        }
    }
}

static void matrices_by_rows_multiply(void** state) {
    (void)state;
    sti_rng rng = {3};
    for (int kind = 0; kind < kind_count; kind++) {
        for (int cols = 1; cols < 45; cols += 4) {
            const int rows = 1 + cols % 7;
            double *A = numbers(&rng, (size_t)(rows * cols)), *x = numbers(&rng, (size_t)cols);
            double *y = numbers(&rng, (size_t)rows), *u = numbers(&rng, (size_t)rows), *v = numbers(&rng, (size_t)cols);
            for (int i = 0; i < rows; i++) {
                long double sum = u[i];
                for (int j = 0; j < cols; j++) sum += 0.5L * A[i * cols + j] * x[j];
                double one = u[i];
                kinds[kind]->multiply(1, cols, A + (size_t)(i * cols), 0.5, x, &one);
                assert_near(one, sum, cols);
            }
            double* before = numbers(&rng, (size_t)cols);
            for (int j = 0; j < cols; j++) before[j] = v[j];
            kinds[kind]->multiply_transposed(rows, cols, A, -2, y, v);
            for (int j = 0; j < cols; j++) {
                long double sum = before[j];
                for (int i = 0; i < rows; i++) sum -= 2.0L * A[i * cols + j] * y[i];
                assert_near(v[j], sum, 2 * rows);
            }
            free(A), free(x), free(y), free(u), free(v), free(before);
        }
    }
}

// Eight matrices I + small, each solved by its own numbers: what one lane has does not touch another.
static void lanes_are_alone(void** state) {
    (void)state;
    enum { ORDER = 5, K = 3 };
    sti_rng rng = {4};
    for (int kind = 0; kind < kind_count; kind++) {
        double a[8 * ORDER * ORDER], inverse[8 * K], L[8 * (K * ORDER - K * (K + 1) / 2)], z[8 * ORDER],
            first[8 * ORDER];
        double whole[8][ORDER][ORDER];
        for (int lane = 0; lane < 8; lane++) {
            for (int i = 0; i < ORDER; i++) {
                for (int j = 0; j <= i; j++)
                    whole[lane][i][j] = whole[lane][j][i] = (i == j ? 3 + lane : 0) + uniform(&rng, -1, 1);
                for (int j = 0; j <= i; j++) a[8 * (i + ORDER * j) + lane] = whole[lane][i][j];
                first[8 * i + lane] = z[8 * i + lane] = i < K ? uniform(&rng, -1, 1) : 0;
            }
        }
        size_t at = 0;
        for (int j = 0; j < K; j++) {
            for (int lane = 0; lane < 8; lane++) inverse[8 * j + lane] = 1 / a[8 * (j + ORDER * j) + lane];
            kinds[kind]->lanes_pivot(a, ORDER, (size_t)j, ORDER, inverse + 8 * j);
            for (int i = j + 1; i < ORDER; i++) {
                for (int lane = 0; lane < 8; lane++) L[at++] = a[8 * (i + ORDER * j) + lane];
            }
        }
        kinds[kind]->lanes_forward(L, ORDER, K, z);
        for (int e = 8 * K; e < 8 * ORDER; e++) z[e] = 0;
        kinds[kind]->lanes_backward(L, inverse, ORDER, K, z);
        for (int lane = 0; lane < 8; lane++) {
            for (int i = 0; i < K; i++) {
                double sum = 0;
                for (int j = 0; j < K; j++) sum += whole[lane][i][j] * z[8 * j + lane];
                assert_true(fabs(sum - first[8 * i + lane]) < 1e-13);
            }
        }
    }
}

int main(void) {
    find_kinds();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_long_doubles),
        cmocka_unit_test(solutions_by_packed_tiles_fit_their_matrix),
        cmocka_unit_test(matrices_by_rows_multiply),
        cmocka_unit_test(lanes_are_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
