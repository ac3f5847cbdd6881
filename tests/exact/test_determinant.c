// test_determinant.c: signs and values of principal minors against GMP, with small and long integers, singular,
// nearly singular and badly scaled matrices, so that each of the three stages has the last word somewhere;
// elimination; failing memory.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "exact/determinant.h"
#include "exact/rationals.h"
#include "support/failing_env.h"
#include "support/open_env.h"

enum { ORDER = 9 };

static void to_mpz(mpz_t to, const sti_int* a) {
    mpz_set_ui(to, 0);
    const int n = a->size < 0 ? -a->size : a->size;
    mpz_import(to, (size_t)n, -1, sizeof(mp_limb_t), 0, 0, a->limb);
    if (a->size < 0) mpz_neg(to, to);
}

// Determinant by rational elimination in GMP's own types.
static void reference(const sti_int* A, int n, const int* index, int k, mpz_t det) {
    mpq_t t[ORDER * ORDER], f, d;
    mpq_inits(f, d, NULL);
    mpq_set_si(d, 1, 1);
    for (int i = 0; i < k * k; i++) {
        mpq_init(t[i]);
        to_mpz(mpq_numref(t[i]), &A[index[i / k] * n + index[i % k]]);
    }
    for (int c = 0; c < k; c++) {
        int r = c;
        while (r < k && mpq_sgn(t[r * k + c]) == 0) r++;
        if (r == k) {
            mpq_set_si(d, 0, 1);
            break;
        }
        for (int j = 0; j < k && r != c; j++) mpq_swap(t[r * k + j], t[c * k + j]);
        if (r != c) mpq_neg(d, d);
        mpq_mul(d, d, t[c * k + c]);
        for (int i = c + 1; i < k; i++) {
            mpq_div(f, t[i * k + c], t[c * k + c]);
            for (int j = k - 1; j >= c; j--) {
                mpq_t g;
                mpq_init(g);
                mpq_mul(g, f, t[c * k + j]);
                mpq_sub(t[i * k + j], t[i * k + j], g);
                mpq_clear(g);
            }
        }
    }
    mpz_set(det, mpq_numref(d));
    for (int i = 0; i < k * k; i++) mpq_clear(t[i]);
    mpq_clears(f, d, NULL);
}

// kind 0: small; 1: of low rank; 2: long; 3: low rank plus one in the last place; 4: doubles of all sizes
static void fill(sti_exact* x, sti_rng* rng, sti_int* A, int n, int kind) {
    sti_int factor = {0};
    const int rank = sti_rng_int(rng, 1, n);
    int64_t G[2][ORDER][ORDER];
    const int size = kind == 3 ? 1000000 : 3;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < rank; k++) {
            G[0][i][k] = sti_rng_int(rng, -size, size);
            G[1][i][k] = sti_rng_int(rng, -size, size);
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int64_t product = 0;
            for (int k = 0; k < rank; k++) product += G[0][i][k] * G[1][j][k];
            if (kind == 3 && i == j) product += sti_rng_int(rng, -1, 1);
            sti_int* a = &A[i * n + j];
            if (kind == 1 || kind == 3)
                sti_int_set_i64(x, a, product);
            else if (kind == 4)
                sti_int_set_double(x, a, (double)sti_rng_int(rng, -9, 9), sti_rng_int(rng, 0, 300));
            else
                sti_int_set_i64(x, a, sti_rng_int(rng, -5, 5));
            if (kind == 2) {
                sti_int_set_i64(x, &factor, (int64_t)(sti_rng_next(rng) >> 2));
                sti_int_mul(x, a, a, &factor);
                sti_int_mul(x, a, a, &factor);
            }
        }
    }
    sti_int_clear(x->env, &factor);
}

static void signs_and_values_agree_with_gmp(void** state) {
    sti_env* env = *state;
    sti_exact x;
    sti_exact_init(&x, env);
    sti_rng rng = {11};
    long settled[3] = {0};
    mpz_t expected, value;
    mpz_inits(expected, value, NULL);
    for (int trial = 0; trial < 1500; trial++) {
        const int n = sti_rng_int(&rng, 1, ORDER), kind = trial % 5;
        sti_int* A = sti_int_array(&x, (size_t)(n * n));
        fill(&x, &rng, A, n, kind);
        sti_minors m;
        assert_int_equal(sti_minors_init(&m, &x, A, n), STI_OK);
        for (int repeat = 0; repeat < 4; repeat++) {
            int index[ORDER], k = 0;
            for (int i = 0; i < n; i++) {
                if (repeat == 0 || sti_rng_int(&rng, 0, 1) == 1) index[k++] = i;
            }
            for (int i = 0; i < k; i++) {  // any order
                const int j = sti_rng_int(&rng, 0, i), t = index[i];
                index[i] = index[j];
                index[j] = t;
            }
            reference(A, n, index, k, expected);
            assert_int_equal(sti_minors_sign(&m, index, k), mpz_sgn(expected));
            if (k > 0) assert_int_equal(sti_minors_sign_integer(&m, index, k), mpz_sgn(expected));
            sti_int minor = {0};
            sti_minors_value(&m, index, k, &minor);
            to_mpz(value, &minor);
            assert_int_equal(mpz_cmp(value, expected), 0);
            sti_int_clear(env, &minor);
        }
        settled[0] += m.float_settled;
        settled[1] += m.prime_settled;
        settled[2] += m.integer_settled;
        sti_minors_clear(&m);
        sti_int_array_free(env, A, (size_t)(n * n));
    }
    mpz_clears(expected, value, NULL);
    for (int i = 0; i < 3; i++) assert_true(settled[i] > 100);
    assert_int_equal(x.status, STI_OK);
    sti_exact_clear(&x);
}

// det of the Hilbert matrix of order 9 is about 1e-43: far below rounding, and positive.
static void nearly_singular_matrices_get_the_right_sign(void** state) {
    sti_env* env = *state;
    sti_exact x;
    sti_exact_init(&x, env);
    enum { n = 9 };
    sti_int* A = sti_int_array(&x, n * n);
    int index[n];
    for (int i = 0; i < n; i++) {
        index[i] = i;
        for (int j = 0; j < n; j++) sti_int_set_i64(&x, &A[i * n + j], 12252240 / (i + j + 1));  // divisible by 1 .. 17
    }
    for (int turn = 0; turn < 3; turn++) {
        sti_minors m;
        assert_int_equal(sti_minors_init(&m, &x, A, n), STI_OK);
        for (int k = 1; k <= n; k++) {
            const int last = turn == 0 || k < n ? 1 : turn == 1 ? -1 : 0;
            assert_int_equal(sti_minors_sign(&m, index, k), last);
        }
        sti_minors_clear(&m);
        // the last row negated, then a copy of the one before
        for (int j = 0; j < n; j++) {
            if (turn == 0)
                sti_int_neg(&A[(n - 1) * n + j]);
            else
                sti_int_set(&x, &A[(n - 1) * n + j], &A[(n - 2) * n + j]);
        }
    }
    sti_int_array_free(env, A, n * n);
    sti_exact_clear(&x);
}

static void elimination_solves_and_finds_the_rank(void** state) {
    sti_env* env = *state;
    sti_exact x;
    sti_exact_init(&x, env);
    // 2 x + y = 3, 4 x + 2 y = 6, x - y = 0: rank 2, x = y = 1
    static const int rows[3][3] = {{2, 1, 3}, {4, 2, 6}, {1, -1, 0}};
    sti_int* T = sti_int_array(&x, 9);
    for (int i = 0; i < 9; i++) sti_int_set_i64(&x, &T[i], rows[i / 3][i % 3]);
    int pivot[3];
    sti_int d = {0};
    assert_int_equal(sti_int_eliminate(&x, T, 3, 3, 2, pivot, &d), 2);
    assert_int_equal(pivot[0], 0);
    assert_int_equal(pivot[1], 1);
    assert_int_equal(pivot[2], -1);
    for (int i = 0; i < 2; i++) assert_true(sti_int_cmp(&T[i * 3 + 2], &d) == 0);
    assert_int_equal(sti_int_sign(&T[8]), 0);
    sti_int_clear(env, &d);
    sti_int_array_free(env, T, 9);
    sti_exact_clear(&x);
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    for (long k = 0;; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_exact x;
        sti_exact_init(&x, f.env);
        sti_rng rng = {3};
        sti_int* A = sti_int_array(&x, 16);
        if (A != NULL) {
            fill(&x, &rng, A, 4, 3);
            sti_minors m;
            if (x.status == STI_OK && sti_minors_init(&m, &x, A, 4) == STI_OK) {
                const int index[4] = {0, 1, 2, 3};
                sti_minors_sign(&m, index, 4);
                sti_minors_sign_integer(&m, index, 4);
                sti_minors_clear(&m);
            }
        }
        if (f.count > k) assert_int_equal(x.status, STI_ERR_MEMORY);
        sti_int_array_free(f.env, A, A != NULL ? 16 : 0);
        sti_exact_clear(&x);
        if (failing_env_close(&f)) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_and_values_agree_with_gmp),
        cmocka_unit_test(nearly_singular_matrices_get_the_right_sign),
        cmocka_unit_test(elimination_solves_and_finds_the_rank),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
