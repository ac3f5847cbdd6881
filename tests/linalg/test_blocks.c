// test_blocks.c: L U over blocks against products with the matrix itself.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "linalg/blocks.h"
#include "support/failing_env.h"

enum { MOST = 40 };

// A random symmetric pattern of n groups, each linked to the next and to a few others.
static void random_pattern(sti_rng* rng, int n, int* first, int* near) {
    static bool linked[MOST][MOST];
    memset(linked, 0, sizeof linked);
    for (int i = 0; i < n; i++) {
        linked[i][i] = true;
        for (int k = 0; k < 2; k++) {
            const int j = k == 0 ? (i + 1) % n : (int)(sti_rng_u01(rng) * n);
            linked[i][j] = linked[j][i] = true;
        }
    }
    int at = 0;
    for (int j = 0; j < n; j++) {
        first[j] = at;
        for (int i = 0; i < n; i++) {
            if (linked[i][j]) near[at++] = i;
        }
    }
    first[n] = at;
}

// Random blocks, with a diagonal that outweighs them; symmetric where asked for.
static void fill(sti_rng* rng, sti_blocks* f, bool symmetric) {
    const int b = f->b, size = b * b;
    for (int i = 0; i < f->count * size; i++) f->value[i] = 2 * sti_rng_u01(rng) - 1;
    for (int j = 0; j < f->n; j++) {
        for (int e = f->first[j]; e < f->first[j + 1]; e++) {
            const int i = f->near[e];
            int back = f->first[i];
            while (f->near[back] != j) back++;
            for (int r = 0; r < b && symmetric; r++) {
                for (int c = 0; c < b; c++) {
                    if (i > j || (i == j && r > c)) f->value[back * size + r * b + c] = f->value[e * size + c * b + r];
                }
            }
            for (int r = 0; r < b && i == j; r++) f->value[e * size + r * (b + 1)] += 3 * b * 4;
        }
    }
}

static double error_of(const sti_blocks* f, const double* x, const double* y) {
    const int b = f->b;
    static double z[MOST * STI_BLOCK_MOST];
    memset(z, 0, sizeof z);
    for (int j = 0; j < f->n; j++) {
        for (int e = f->first[j]; e < f->first[j + 1]; e++) {
            for (int c = 0; c < b; c++) {
                for (int r = 0; r < b; r++) z[f->near[e] * b + r] += f->value[e * b * b + c * b + r] * x[j * b + c];
            }
        }
    }
    double worst = 0;
    for (int i = 0; i < f->n * b; i++) worst = fmax(worst, fabs(z[i] - y[i]));
    return worst;
}

static void solutions_satisfy_their_equations(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_blocks f = {0};
    sti_rng rng = {7};
    static int first[MOST + 1], near[MOST * MOST];
    for (int trial = 0; trial < 60; trial++) {
        const int n = 1 + (int)(sti_rng_u01(&rng) * (MOST - 1)), size[4] = {1, 3, 4, 6}, b = size[trial % 4];
        random_pattern(&rng, n, first, near);
        assert_int_equal(sti_blocks_shape(&f, env, n, b, first, near), STI_OK);
        for (int again = 0; again < 3; again++) {  // the pattern stays, the values do not
            double x[MOST * STI_BLOCK_MOST], y[MOST * STI_BLOCK_MOST];
            fill(&rng, &f, again != 1);
            assert_int_equal(sti_blocks_shape(&f, env, n, b, first, near), STI_OK);
            assert_true(sti_blocks_factor(&f, again == 0));
            for (int i = 0; i < n * b; i++) x[i] = y[i] = 2 * sti_rng_u01(&rng) - 1;
            sti_blocks_solve(&f, x);
            assert_true(error_of(&f, x, y) <= 1e-13);
        }
    }
    sti_blocks_clear(&f, env);
    sti_env_destroy(env);
}

static void a_singular_pivot_is_found(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_blocks f = {0};
    const int first[] = {0, 1, 2}, near[] = {0, 1};
    assert_int_equal(sti_blocks_shape(&f, env, 2, 3, first, near), STI_OK);
    memset(f.value, 0, 18 * sizeof *f.value);
    for (int k = 0; k < 3; k++) f.value[4 * k] = 1;
    assert_false(sti_blocks_factor(&f, true));
    f.value[9] = f.value[13] = f.value[17] = NAN;
    assert_false(sti_blocks_factor(&f, false));
    sti_blocks_clear(&f, env);
    sti_env_destroy(env);
}

static void failed_allocations_are_survived(void** state) {
    (void)state;
    static int first[MOST + 1], near[MOST * MOST];
    sti_rng rng = {3};
    random_pattern(&rng, MOST, first, near);
    for (long k = 0;; k++) {
        failing_env e;
        failing_env_open(&e, k);
        sti_blocks f = {0};
        sti_status status = sti_blocks_shape(&f, e.env, MOST, 6, first, near);
        if (status != STI_OK) {
            assert_int_equal(status, STI_ERR_MEMORY);
            status = sti_blocks_shape(&f, e.env, MOST, 6, first, near);  // and goes on from there
        }
        assert_int_equal(status, STI_OK);
        fill(&rng, &f, true);
        assert_true(sti_blocks_factor(&f, true));
        sti_blocks_clear(&f, e.env);
        if (failing_env_close(&e)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_satisfy_their_equations),
        cmocka_unit_test(a_singular_pivot_is_found),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
