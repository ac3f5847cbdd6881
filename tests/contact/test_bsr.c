// Block rows against dense products.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "contact/contact.h"
#include "support/failing_env.h"

typedef struct sample {
    int d, n;
    double* dense;  // (d n x d n)
    sti_matrix full, sparse;
} sample;

// About a third of the blocks filled, not symmetric; the last diagonal block is empty, and there are explicit zeros.
// whole: every entry of some blocks is stored, of others none, and there are whole blocks of zeros.
static sample make_sample_of(int d, int n, uint64_t seed, bool whole) {
    sti_rng rng = {.state = seed};
    const int rows = d * n;
    sample s = {.d = d, .n = n, .dense = calloc((size_t)(rows * rows) + 1, sizeof(double))};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if ((i != j && sti_rng_int(&rng, 0, 2) != 0) || (i == j && i == n - 1)) continue;
            for (int a = 0; a < d; a++) {
                for (int b = 0; b < d; b++) {
                    const double x = sti_rng_int(&rng, 0, 4) == 0 ? 0 : 2 * sti_rng_u01(&rng) - 1;
                    s.dense[(size_t)(d * i + a) * (size_t)rows + (size_t)(d * j + b)] = x;
                }
            }
        }
    }
    s.full = sti_matrix_dense_view(rows, rows, s.dense);
    s.sparse = (sti_matrix){.rows = rows, .cols = rows};
    s.sparse.col_start = calloc((size_t)rows + 1, sizeof *s.sparse.col_start);
    s.sparse.row = malloc((size_t)(rows * rows) * sizeof *s.sparse.row + 1);
    s.sparse.value = malloc((size_t)(rows * rows) * sizeof *s.sparse.value + 1);
    int64_t filled = 0;
    for (int j = 0; j < rows; j++) {
        for (int i = 0; i < rows; i++) {
            const double x = s.dense[(size_t)i * (size_t)rows + (size_t)j];
            bool kept = x != 0;
            for (int e = 0; e < d * d && whole; e++)
                kept = kept || s.dense[(size_t)(i / d * d + e / d) * (size_t)rows + (size_t)(j / d * d + e % d)] != 0;
            if (whole ? !kept && (i / d + 2 * (j / d)) % 5 != 0 : !kept && sti_rng_int(&rng, 0, 3) != 0) continue;
            s.sparse.row[filled] = i;
            s.sparse.value[filled++] = x;
        }
        s.sparse.col_start[j + 1] = filled;
    }
    return s;
}

static sample make_sample(int d, int n, uint64_t seed) {
    return make_sample_of(d, n, seed, seed % 2 == 0);
}

static void free_sample(sample* s) {
    free(s->dense);
    free(s->sparse.col_start);
    free(s->sparse.row);
    free(s->sparse.value);
}

static void assert_well_formed(const sti_bsr* A) {
    assert_int_equal(A->row_start[0], 0);
    for (int i = 0; i < A->n; i++) {
        assert_int_equal(A->col[A->diagonal[i]], i);
        assert_true(A->diagonal[i] >= A->row_start[i] && A->diagonal[i] < A->row_start[i + 1]);
        for (int64_t k = A->row_start[i] + 1; k < A->row_start[i + 1]; k++) assert_true(A->col[k] > A->col[k - 1]);
    }
}

static void dense_and_sparse_give_the_same_blocks(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    for (int d = 2; d <= 3; d++) {
        for (int n = 1; n <= 9; n += 4) {
            sample s = make_sample(d, n, (uint64_t)(10 * d + n));  // odd and even: entries and whole blocks
            sti_bsr A, B;
            assert_int_equal(sti_bsr_from_matrix(env, &s.full, d, &A), STI_OK);
            assert_int_equal(sti_bsr_from_matrix(env, &s.sparse, d, &B), STI_OK);
            assert_well_formed(&A);
            assert_well_formed(&B);
            assert_memory_equal(A.row_start, B.row_start, (size_t)(n + 1) * sizeof *A.row_start);
            assert_memory_equal(A.diagonal, B.diagonal, (size_t)n * sizeof *A.diagonal);
            assert_memory_equal(A.col, B.col, (size_t)A.row_start[n] * sizeof *A.col);
            for (int64_t k = 0; k < A.row_start[n] * d * d; k++) assert_true(A.block[k] == B.block[k]);
            sti_bsr_clear(env, &A);
            sti_bsr_clear(env, &B);
            free_sample(&s);
        }
    }
    sti_env_destroy(env);
}

static void product_equals_dense_product(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    for (int d = 2; d <= 3; d++) {
        const int n = 12, rows = d * n;
        sample s = make_sample(d, n, (uint64_t)d);
        sti_bsr A;
        assert_int_equal(sti_bsr_from_matrix(env, &s.sparse, d, &A), STI_OK);
        sti_rng rng = {.state = 77};
        double x[36], y[36], row[3];
        for (int i = 0; i < rows; i++) x[i] = 2 * sti_rng_u01(&rng) - 1;
        sti_bsr_multiply(&A, x, y);
        for (int i = 0; i < rows; i++) {
            double sum = 0, size = 0;
            for (int j = 0; j < rows; j++) {
                const double product = s.dense[(size_t)i * (size_t)rows + (size_t)j] * x[j];
                sum += product;
                size += fabs(product);
            }
            assert_true(fabs(y[i] - sum) <= 16 * DBL_EPSILON * size);
            sti_bsr_row_multiply(&A, i / d, x, row);
            assert_true(row[i % d] == y[i]);
        }
        sti_bsr_clear(env, &A);
        free_sample(&s);
    }
    sti_env_destroy(env);
}

static void zero_blocks_are_dropped_and_diagonal_blocks_kept(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    double dense[16] = {0};
    dense[1 * 4 + 3] = 5;  // in block (0, 1)
    int64_t col_start[5] = {0, 1, 1, 1, 2};
    int row[2] = {2, 1};
    double value[2] = {0, 5};  // the first is an explicit zero in block (1, 0)
    const sti_matrix forms[2] = {sti_matrix_dense_view(4, 4, dense),
                                 {.rows = 4, .cols = 4, .col_start = col_start, .row = row, .value = value}};
    for (int k = 0; k < 2; k++) {
        sti_bsr A;
        assert_int_equal(sti_bsr_from_matrix(env, &forms[k], 2, &A), STI_OK);
        assert_int_equal(A.row_start[2], 3);
        assert_int_equal(A.col[0], 0);
        assert_int_equal(A.col[1], 1);
        assert_int_equal(A.col[2], 1);
        assert_true(A.block[4 + 3] == 5);
        sti_bsr_clear(env, &A);
    }
    sti_env_destroy(env);
}

static void empty_matrix_is_taken(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    const sti_matrix none = {0};
    sti_bsr A;
    assert_int_equal(sti_bsr_from_matrix(env, &none, 3, &A), STI_OK);
    assert_int_equal(A.n, 0);
    sti_bsr_multiply(&A, NULL, NULL);
    sti_bsr_clear(env, &A);
    sti_env_destroy(env);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    sample s = make_sample(3, 5, 1);
    for (int form = 0; form < 2; form++) {
        for (long k = 0;; k++) {
            failing_env f;
            failing_env_open(&f, k);
            sti_bsr A;
            const sti_status status = sti_bsr_from_matrix(f.env, form == 0 ? &s.full : &s.sparse, 3, &A);
            if (status == STI_OK)
                sti_bsr_clear(f.env, &A);
            else
                assert_int_equal(status, STI_ERR_MEMORY);
            if (failing_env_close(&f)) break;
        }
    }
    free_sample(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_and_sparse_give_the_same_blocks),
        cmocka_unit_test(product_equals_dense_product),
        cmocka_unit_test(zero_blocks_are_dropped_and_diagonal_blocks_kept),
        cmocka_unit_test(empty_matrix_is_taken),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
