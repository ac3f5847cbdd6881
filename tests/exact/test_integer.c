// test_integer.c: the integers of exact/integer.h against GMP's own mpz numbers on many operands: every
// operation, every way in which result and operands may be one variable, sizes around every limb border.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "exact/integer.h"
#include "support/failing_env.h"

typedef struct bench {
    sti_env* env;
    sti_exact x;
    sti_rng rng;
} bench;

static void bench_open(bench* t, uint64_t seed) {
    assert_int_equal(sti_env_create(NULL, &t->env), STI_OK);
    sti_exact_init(&t->x, t->env);
    t->rng = (sti_rng){seed};
}

static void bench_close(bench* t) {
    assert_int_equal(t->x.status, STI_OK);
    sti_exact_clear(&t->x);
    sti_env_destroy(t->env);
}

static void assert_well_formed(const sti_int* a) {
    const int n = abs(a->size);
    assert_true(n <= a->capacity);
    if (n > 0) assert_true(a->limb[n - 1] != 0);
}

static void to_mpz(mpz_t z, const sti_int* a) {
    assert_well_formed(a);
    mpz_t view;
    mpz_set(z, mpz_roinit_n(view, a->limb, a->size));
}

static void from_mpz(sti_exact* x, sti_int* a, const mpz_t z) {
    const int sign = mpz_sgn(z);
    sti_int limb = {0};
    sti_int_set_i64(x, a, 0);
    for (size_t i = mpz_size(z); i-- > 0;) {
        sti_int_shl(x, a, a, 64);
        const mp_limb_t value = mpz_getlimbn(z, (mp_size_t)i);
        sti_int_set_i64(x, &limb, (int64_t)(value >> 32));
        sti_int_shl(x, &limb, &limb, 32);
        sti_int_add(x, a, a, &limb);
        sti_int_set_i64(x, &limb, (int64_t)(value & 0xffffffffu));
        sti_int_add(x, a, a, &limb);
    }
    if (sign < 0) sti_int_neg(a);
    sti_int_clear(x->env, &limb);
}

static void assert_equal(const sti_int* a, const mpz_t expected) {
    mpz_t z;
    mpz_init(z);
    to_mpz(z, a);
    if (mpz_cmp(z, expected) != 0) gmp_fprintf(stderr, "got %Zd\nnot %Zd\n", z, expected);
    assert_int_equal(mpz_cmp(z, expected), 0);
    mpz_clear(z);
}

// A number of a random kind: zero, near a power of two, a few limbs, up to 40 limbs; with random limbs or long runs
// of ones and zeros (carries run far there).
static void random_mpz(sti_rng* rng, mpz_t z) {
    static const int border[] = {0, 1, 2, 8, 31, 32, 33, 52, 53, 54, 61, 62, 63, 64, 65, 126, 127, 128, 129, 192};
    const int kind = sti_rng_int(rng, 0, 9);
    if (kind == 0) {
        mpz_set_si(z, sti_rng_int(rng, -3, 3));
    } else if (kind <= 3) {
        const int k = border[sti_rng_int(rng, 0, (int)(sizeof border / sizeof *border) - 1)];
        mpz_set_ui(z, 1);
        mpz_mul_2exp(z, z, (mp_bitcnt_t)k);
        const int d = sti_rng_int(rng, -3, 3);
        if (d >= 0)
            mpz_add_ui(z, z, (unsigned)d);
        else
            mpz_sub_ui(z, z, (unsigned)-d);
    } else {
        const int limbs = kind <= 6 ? sti_rng_int(rng, 1, 3) : sti_rng_int(rng, 1, 40);
        const bool runs = sti_rng_int(rng, 0, 1) == 0;
        mpz_set_ui(z, 0);
        for (int i = 0; i < limbs; i++) {
            const int run = sti_rng_int(rng, 0, 3);
            const uint64_t word = runs && run == 0 ? 0 : runs && run == 1 ? UINT64_MAX : sti_rng_next(rng);
            mpz_mul_2exp(z, z, 64);
            mpz_add_ui(z, z, word);
        }
        mpz_fdiv_q_2exp(z, z, (mp_bitcnt_t)sti_rng_int(rng, 0, 70));
    }
    if (sti_rng_int(rng, 0, 1) == 0) mpz_neg(z, z);
}

typedef void operation(sti_exact* x, sti_int* r, const sti_int* a, const sti_int* b);

static void lcm_oracle(mpz_t r, const mpz_t a, const mpz_t b) {
    mpz_lcm(r, a, b);
    mpz_abs(r, r);
}

// The operation into a fresh variable, into one that held something else, over a, over b, and of a with itself.
static void check_everywhere(bench* t, operation* op, void (*oracle)(mpz_t, const mpz_t, const mpz_t), const mpz_t za,
                             const mpz_t zb) {
    sti_exact* x = &t->x;
    sti_int a = {0}, b = {0}, r = {0}, kept = {0};
    mpz_t expected;
    mpz_init(expected);
    from_mpz(x, &a, za);
    from_mpz(x, &b, zb);
    oracle(expected, za, zb);

    op(x, &r, &a, &b);
    assert_equal(&r, expected);
    assert_equal(&a, za);
    assert_equal(&b, zb);
    sti_int_set_i64(x, &r, -77);
    op(x, &r, &a, &b);
    assert_equal(&r, expected);

    sti_int_set(x, &kept, &a);
    op(x, &kept, &kept, &b);
    assert_equal(&kept, expected);
    sti_int_set(x, &kept, &b);
    op(x, &kept, &a, &kept);
    assert_equal(&kept, expected);

    oracle(expected, za, za);
    op(x, &r, &a, &a);
    assert_equal(&r, expected);
    op(x, &a, &a, &a);
    assert_equal(&a, expected);

    mpz_clear(expected);
    sti_int_clear(t->env, &a);
    sti_int_clear(t->env, &b);
    sti_int_clear(t->env, &r);
    sti_int_clear(t->env, &kept);
}

static void arithmetic_agrees_with_gmp_under_all_aliasing(void** state) {
    (void)state;
    bench t;
    bench_open(&t, 1);
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    for (int k = 0; k < 6000; k++) {
        random_mpz(&t.rng, a);
        random_mpz(&t.rng, b);
        check_everywhere(&t, sti_int_add, mpz_add, a, b);
        check_everywhere(&t, sti_int_sub, mpz_sub, a, b);
        check_everywhere(&t, sti_int_mul, mpz_mul, a, b);
        check_everywhere(&t, sti_int_gcd, mpz_gcd, a, b);
        check_everywhere(&t, sti_int_lcm, lcm_oracle, a, b);
    }
    mpz_clears(a, b, NULL);
    bench_close(&t);
}

static void gcd_finds_large_common_factors(void** state) {
    (void)state;
    bench t;
    bench_open(&t, 2);
    mpz_t a, b, g;
    mpz_inits(a, b, g, NULL);
    for (int k = 0; k < 2000; k++) {
        random_mpz(&t.rng, a);
        random_mpz(&t.rng, b);
        random_mpz(&t.rng, g);
        mpz_mul(a, a, g);
        mpz_mul(b, b, g);
        if (k % 3 == 0) mpz_mul_2exp(a, a, (mp_bitcnt_t)sti_rng_int(&t.rng, 0, 200));
        if (k % 5 == 0) mpz_mul_2exp(b, b, (mp_bitcnt_t)sti_rng_int(&t.rng, 0, 200));
        check_everywhere(&t, sti_int_gcd, mpz_gcd, a, b);
        check_everywhere(&t, sti_int_lcm, lcm_oracle, a, b);
    }
    mpz_clears(a, b, g, NULL);
    bench_close(&t);
}

static void addmul_agrees_with_gmp_under_all_aliasing(void** state) {
    (void)state;
    bench t;
    bench_open(&t, 3);
    sti_int v[3] = {{0}, {0}, {0}};
    mpz_t z[3], expected;
    mpz_inits(z[0], z[1], z[2], expected, NULL);
    for (int k = 0; k < 20000; k++) {
        for (int i = 0; i < 3; i++) {
            random_mpz(&t.rng, z[i]);
            from_mpz(&t.x, &v[i], z[i]);
        }
        const int a = sti_rng_int(&t.rng, 0, 2), b = sti_rng_int(&t.rng, 0, 2);
        mpz_set(expected, z[0]);
        mpz_addmul(expected, z[a], z[b]);
        sti_int_addmul(&t.x, &v[0], &v[a], &v[b]);
        assert_equal(&v[0], expected);
    }
    mpz_clears(z[0], z[1], z[2], expected, NULL);
    for (int i = 0; i < 3; i++) sti_int_clear(t.env, &v[i]);
    bench_close(&t);
}

static void exact_quotients_come_back(void** state) {
    (void)state;
    bench t;
    bench_open(&t, 4);
    sti_int a = {0}, b = {0}, r = {0};
    mpz_t q, d, n;
    mpz_inits(q, d, n, NULL);
    for (int k = 0; k < 10000; k++) {
        random_mpz(&t.rng, q);
        do random_mpz(&t.rng, d);
        while (mpz_sgn(d) == 0);
        mpz_mul(n, q, d);
        from_mpz(&t.x, &a, n);
        from_mpz(&t.x, &b, d);
        sti_int_divexact(&t.x, &r, &a, &b);
        assert_equal(&r, q);
        sti_int_set(&t.x, &r, &a);
        sti_int_divexact(&t.x, &r, &r, &b);
        assert_equal(&r, q);
        sti_int_set(&t.x, &r, &b);
        sti_int_divexact(&t.x, &r, &a, &r);
        assert_equal(&r, q);
        sti_int_divexact(&t.x, &b, &b, &b);
        assert_true(sti_int_is_one(&b));
    }
    mpz_clears(q, d, n, NULL);
    sti_int_clear(t.env, &a);
    sti_int_clear(t.env, &b);
    sti_int_clear(t.env, &r);
    bench_close(&t);
}

// (r p - a b) / d must be exact: d is made a divisor of p and a, or of r and b.
static void pivot_entry_agrees_with_gmp_under_all_aliasing(void** state) {
    (void)state;
    bench t;
    bench_open(&t, 5);
    sti_int v[5] = {{0}};
    mpz_t z[5], expected;
    for (int i = 0; i < 5; i++) mpz_init(z[i]);
    mpz_init(expected);
    for (int k = 0; k < 20000; k++) {
        for (int i = 0; i < 5; i++) random_mpz(&t.rng, z[i]);
        if (mpz_sgn(z[4]) == 0) mpz_set_si(z[4], -1);
        // r = z0, p = z1, a = z2, b = z3, d = z4
        if (k % 2 == 0) {
            mpz_mul(z[1], z[1], z[4]);
            mpz_mul(z[2], z[2], z[4]);
        } else {
            mpz_mul(z[0], z[0], z[4]);
            mpz_mul(z[3], z[3], z[4]);
        }
        if (k % 7 == 0) mpz_set(z[2], z[1]);
        for (int i = 0; i < 5; i++) from_mpz(&t.x, &v[i], z[i]);
        mpz_mul(expected, z[0], z[1]);
        mpz_submul(expected, z[2], z[3]);
        mpz_divexact(expected, expected, z[4]);
        if (k % 7 == 0) {  // p and a are one variable
            sti_int_pivot(&t.x, &v[0], &v[1], &v[1], &v[3], &v[4]);
        } else {
            sti_int_pivot(&t.x, &v[0], &v[1], &v[2], &v[3], &v[4]);
        }
        assert_equal(&v[0], expected);
        for (int i = 1; i < 5; i++) assert_equal(&v[i], z[i]);

        // r is one of the other operands, in turn
        const int same = 1 + k % 4;
        mpz_mul(z[0], z[same], z[1]);
        mpz_submul(z[0], z[2], z[3]);
        if (!mpz_divisible_p(z[0], z[4])) continue;
        mpz_divexact(expected, z[0], z[4]);
        sti_int_pivot(&t.x, &v[same], &v[1], &v[2], &v[3], &v[4]);
        assert_equal(&v[same], expected);
    }
    mpz_clear(expected);
    for (int i = 0; i < 5; i++) {
        mpz_clear(z[i]);
        sti_int_clear(t.env, &v[i]);
    }
    bench_close(&t);
}

// r p - a b = -2^63 over -1: the one quotient of 64-bit numbers that is none.
static void pivot_survives_the_least_int64_over_minus_one(void** state) {
    (void)state;
    bench t;
    bench_open(&t, 6);
    sti_int v[5] = {{0}};
    sti_int_set_i64(&t.x, &v[0], -((int64_t)1 << 61));
    sti_int_set_i64(&t.x, &v[1], 4);
    sti_int_set_i64(&t.x, &v[4], -1);
    sti_int_pivot(&t.x, &v[0], &v[1], &v[2], &v[3], &v[4]);
    mpz_t expected;
    mpz_init_set_ui(expected, 1);
    mpz_mul_2exp(expected, expected, 63);
    assert_equal(&v[0], expected);
    mpz_clear(expected);
    for (int i = 0; i < 5; i++) sti_int_clear(t.env, &v[i]);
    bench_close(&t);
}

static void shifts_bits_comparison_and_residues_agree_with_gmp(void** state) {
    (void)state;
    bench t;
    bench_open(&t, 7);
    sti_int a = {0}, b = {0}, r = {0};
    mpz_t za, zb, e;
    mpz_inits(za, zb, e, NULL);
    for (int k = 0; k < 20000; k++) {
        random_mpz(&t.rng, za);
        random_mpz(&t.rng, zb);
        if (k % 10 == 0) mpz_set(zb, za);
        if (k % 10 == 1) mpz_neg(zb, za);
        from_mpz(&t.x, &a, za);
        from_mpz(&t.x, &b, zb);
        const int c = mpz_cmp(za, zb);
        assert_int_equal(sti_int_cmp(&a, &b), (c > 0) - (c < 0));
        assert_int_equal(sti_int_sign(&a), mpz_sgn(za));
        assert_int_equal(sti_int_is_one(&a), mpz_cmp_si(za, 1) == 0);
        assert_int_equal(sti_int_bits(&a), mpz_sgn(za) == 0 ? 0 : mpz_sizeinbase(za, 2));
        assert_int_equal(sti_int_trailing_zeros(&a), mpz_sgn(za) == 0 ? 0 : mpz_scan1(za, 0));
        const uint64_t p = k % 3 == 0   ? (uint64_t)sti_rng_int(&t.rng, 1, 100)
                           : k % 3 == 1 ? sti_rng_next(&t.rng) | 1
                                        : 0xffffffffffffffc5u;
        assert_true(sti_int_mod(&a, p) == mpz_fdiv_ui(za, p));
        const size_t bits = (size_t)(k % 4 == 0 ? 64 * sti_rng_int(&t.rng, 0, 5) : sti_rng_int(&t.rng, 0, 300));
        mpz_mul_2exp(e, za, bits);
        sti_int_shl(&t.x, &r, &a, bits);
        assert_equal(&r, e);
        sti_int_shl(&t.x, &a, &a, bits);
        assert_equal(&a, e);
        sti_int_neg(&a);
        mpz_neg(e, e);
        assert_equal(&a, e);
        sti_int_swap(&a, &b);
        assert_equal(&a, zb);
        assert_equal(&b, e);
    }
    mpz_clears(za, zb, e, NULL);
    sti_int_clear(t.env, &a);
    sti_int_clear(t.env, &b);
    sti_int_clear(t.env, &r);
    bench_close(&t);
}

static void machine_integers_enter_exactly(void** state) {
    (void)state;
    static const int64_t values[] = {0,         1,         -1,        INT64_MAX,    INT64_MIN,      INT64_MIN + 1,
                                     INT32_MIN, INT32_MAX, 1LL << 62, -(1LL << 62), (1LL << 62) - 1};
    bench t;
    bench_open(&t, 8);
    sti_int a = {0};
    mpz_t e;
    mpz_init(e);
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        sti_int_set_i64(&t.x, &a, values[k]);
        mpz_set_si(e, values[k]);
        assert_equal(&a, e);
    }
    mpz_clear(e);
    sti_int_clear(t.env, &a);
    bench_close(&t);
}

// Any finite double with its exponent anywhere in range, subnormals included.
static double random_double(sti_rng* rng) {
    for (;;) {
        const uint64_t bits = sti_rng_next(rng);
        double v;
        memcpy(&v, &bits, sizeof v);
        if (isfinite(v)) return v;
    }
}

static void doubles_enter_exactly(void** state) {
    (void)state;
    bench t;
    bench_open(&t, 9);
    sti_int a = {0};
    mpq_t e;
    mpq_init(e);
    for (int k = 0; k < 20000; k++) {
        const double value = k % 4 == 0   ? ldexp((double)sti_rng_int(&t.rng, -9, 9), sti_rng_int(&t.rng, -1074, 1000))
                             : k % 4 == 1 ? ldexp(random_double(&t.rng), -2100)
                                          : random_double(&t.rng);
        sti_int_set_double(&t.x, &a, value, 1074);  // every double is a multiple of 2^-1074
        mpq_set_d(e, value);
        mpq_mul_2exp(e, e, 1074);
        mpq_canonicalize(e);
        assert_int_equal(mpz_cmp_ui(mpq_denref(e), 1), 0);
        assert_equal(&a, mpq_numref(e));
    }
    sti_int_set_double(&t.x, &a, 48.0, -4);
    assert_equal(&a, (mpz_set_ui(mpq_numref(e), 3), mpq_numref(e)));
    sti_int_set_double(&t.x, &a, -0.375, 3);
    assert_equal(&a, (mpz_set_si(mpq_numref(e), -3), mpq_numref(e)));
    sti_int_set_double(&t.x, &a, -0.0, -8);
    assert_int_equal(a.size, 0);
    mpq_clear(e);
    sti_int_clear(t.env, &a);
    bench_close(&t);
}

// The nearest double to q, from first principles: truncate to the 53 (or fewer, when subnormal) leading bits, then
// compare with the midpoint exactly; ties to even.
static double nearest_double(const mpq_t q) {
    const int sign = mpq_sgn(q);
    if (sign == 0) return 0;
    mpz_t n, d, quotient, remainder;
    mpz_inits(n, d, quotient, remainder, NULL);
    mpz_abs(n, mpq_numref(q));
    mpz_set(d, mpq_denref(q));
    long e = (long)mpz_sizeinbase(n, 2) - (long)mpz_sizeinbase(d, 2);  // 2^(e-1) < |q| < 2^(e+1)
    mpz_t probe;
    mpz_init(probe);
    if (e >= 0)
        mpz_mul_2exp(probe, d, (mp_bitcnt_t)e);
    else
        mpz_mul_2exp(probe, n, (mp_bitcnt_t)-e);
    const bool below = e >= 0 ? mpz_cmp(n, probe) < 0 : mpz_cmp(probe, d) < 0;
    if (below) e--;  // now 2^e <= |q| < 2^(e+1)
    const long ulp = e - 52 < -1074 ? -1074 : e - 52;
    if (ulp < 0)
        mpz_mul_2exp(n, n, (mp_bitcnt_t)-ulp);
    else
        mpz_mul_2exp(d, d, (mp_bitcnt_t)ulp);
    mpz_tdiv_qr(quotient, remainder, n, d);
    mpz_mul_2exp(remainder, remainder, 1);
    const int c = mpz_cmp(remainder, d);
    if (c > 0 || (c == 0 && mpz_odd_p(quotient))) mpz_add_ui(quotient, quotient, 1);
    const double value = e > 1024 ? INFINITY : ldexp(mpz_get_d(quotient), (int)ulp);
    mpz_clears(n, d, quotient, remainder, probe, NULL);
    return sign < 0 ? -value : value;
}

static void assert_same_double(double a, double b) {
    uint64_t bits_a, bits_b;  // tells -0 from 0
    memcpy(&bits_a, &a, sizeof a);
    memcpy(&bits_b, &b, sizeof b);
    if (bits_a != bits_b) fprintf(stderr, "got %a, not %a\n", a, b);
    assert_true(bits_a == bits_b);
}

static void check_ratio(bench* t, sti_int* a, sti_int* b, const mpz_t za, const mpz_t zb, mpq_t q) {
    from_mpz(&t->x, a, za);
    from_mpz(&t->x, b, zb);
    mpz_set(mpq_numref(q), za);
    mpz_set(mpq_denref(q), zb);
    mpq_canonicalize(q);
    assert_same_double(sti_int_ratio(&t->x, a, b), nearest_double(q));
}

static void integers_and_ratios_round_to_the_nearest_double(void** state) {
    (void)state;
    bench t;
    bench_open(&t, 10);
    sti_int a = {0}, b = {0};
    mpz_t za, zb;
    mpz_inits(za, zb, NULL);
    mpq_t q;
    mpq_init(q);
    for (int k = 0; k < 20000; k++) {
        random_mpz(&t.rng, za);
        from_mpz(&t.x, &a, za);
        mpq_set_z(q, za);
        assert_same_double(sti_int_double(&a), nearest_double(q));
        do random_mpz(&t.rng, zb);
        while (mpz_sgn(zb) == 0);
        check_ratio(&t, &a, &b, za, zb, q);
        // near ties: 53 bits, then 1, then far below a stray bit or none; the scale anywhere, subnormals and overflow
        mpz_set_ui(za, (unsigned long)(sti_rng_next(&t.rng) >> 11) | (1ul << 52));
        mpz_mul_2exp(za, za, 1);
        mpz_add_ui(za, za, k % 5 != 0);
        mpz_mul_2exp(za, za, 200);
        const int stray = sti_rng_int(&t.rng, -1, 1);
        if (stray > 0) mpz_add_ui(za, za, 1);
        if (stray < 0) mpz_sub_ui(za, za, 1);
        mpz_set_ui(zb, 1);
        const int scale = k % 2 == 0 ? sti_rng_int(&t.rng, -1400, 1200) : sti_rng_int(&t.rng, -1400, -1260);
        if (scale < 0)
            mpz_mul_2exp(zb, zb, (mp_bitcnt_t)-scale);
        else
            mpz_mul_2exp(za, za, (mp_bitcnt_t)scale);
        if (k % 3 == 0) {
            mpz_mul_ui(za, za, 1000003);
            mpz_mul_si(zb, zb, -1000003);
        }
        check_ratio(&t, &a, &b, za, zb, q);
    }
    mpz_clears(za, zb, NULL);
    mpq_clear(q);
    sti_int_clear(t.env, &a);
    sti_int_clear(t.env, &b);
    bench_close(&t);
}

// Numbers of many thousand bits too, and of very different sizes. No memory is asked for, so there is nothing that
// could fail.
static void ratios_of_long_numbers_need_no_memory(void** state) {
    (void)state;
    bench t;
    bench_open(&t, 15);
    failing_env f;
    failing_env_open(&f, 0);
    sti_exact x;
    sti_exact_init(&x, f.env);
    sti_int a = {0}, b = {0};
    mpz_t za, zb, z;
    mpz_inits(za, zb, z, NULL);
    mpq_t q;
    mpq_init(q);
    for (int k = 0; k < 2000; k++) {
        const int lengths[2] = {sti_rng_int(&t.rng, 1, 90), k % 2 == 0 ? sti_rng_int(&t.rng, 1, 90) : 0};
        mpz_set_ui(za, 1);
        mpz_set_ui(zb, 1);
        for (int side = 0; side < 2; side++) {
            for (int limb = 0; limb < (lengths[side] > 0 ? lengths[side] : lengths[0]); limb++) {
                mpz_mul_2exp(side == 0 ? za : zb, side == 0 ? za : zb, 64);
                if (k % 3 == 0 && limb % 2 == 0) continue;
                mpz_set_ui(z, (unsigned long)sti_rng_next(&t.rng));
                mpz_add(side == 0 ? za : zb, side == 0 ? za : zb, z);
            }
        }
        if (k % 5 == 0) mpz_mul_ui(za, zb, (unsigned long)(k + 1));  // a whole number
        from_mpz(&t.x, &a, za);
        from_mpz(&t.x, &b, zb);
        mpz_set(mpq_numref(q), za);
        mpz_set(mpq_denref(q), zb);
        mpq_canonicalize(q);
        assert_same_double(sti_int_ratio(&x, &a, &b), nearest_double(q));
    }
    mpz_clears(za, zb, z, NULL);
    mpq_clear(q);
    sti_int_clear(t.env, &a);
    sti_int_clear(t.env, &b);
    sti_exact_clear(&x);
    assert_int_equal(f.count, 0);
    failing_env_close(&f);
    bench_close(&t);
}

// Halfway cases at both ends of the range: overflow begins at 2^1024 - 2^970, underflow ends at 2^-1075.
static void range_ends_round_as_ieee_says(void** state) {
    (void)state;
    bench t;
    bench_open(&t, 11);
    sti_int a = {0}, b = {0}, one = {0};
    sti_int_set_i64(&t.x, &one, 1);
    sti_int_shl(&t.x, &a, &one, 54);
    sti_int_sub(&t.x, &a, &a, &one);
    sti_int_shl(&t.x, &a, &a, 970);  // 2^1024 - 2^970, the midpoint of DBL_MAX and 2^1024
    assert_same_double(sti_int_double(&a), INFINITY);
    sti_int_sub(&t.x, &a, &a, &one);
    assert_same_double(sti_int_double(&a), DBL_MAX);
    sti_int_neg(&a);
    assert_same_double(sti_int_double(&a), -DBL_MAX);
    sti_int_shl(&t.x, &a, &one, 100000);
    assert_same_double(sti_int_double(&a), INFINITY);

    sti_int_shl(&t.x, &b, &one, 1075);
    assert_same_double(sti_int_ratio(&t.x, &one, &b), 0.0);
    sti_int_sub(&t.x, &b, &b, &one);
    assert_same_double(sti_int_ratio(&t.x, &one, &b), 0x1p-1074);
    sti_int_shl(&t.x, &b, &one, 90000);
    assert_same_double(sti_int_ratio(&t.x, &one, &b), 0.0);
    assert_same_double(sti_int_ratio(&t.x, &b, &one), INFINITY);
    sti_int_neg(&one);
    assert_same_double(sti_int_ratio(&t.x, &b, &one), -INFINITY);
    sti_int_set_i64(&t.x, &a, 0);
    assert_same_double(sti_int_ratio(&t.x, &a, &one), 0.0);
    // 2^-1022 - 2^-1075 is halfway between the largest subnormal and the least normal number, which is even
    sti_int_shl(&t.x, &b, &b, 1);
    sti_int_set_i64(&t.x, &one, 1);
    sti_int_shl(&t.x, &a, &one, 53);
    sti_int_sub(&t.x, &a, &a, &one);
    sti_int_shl(&t.x, &b, &one, 1075);
    assert_same_double(sti_int_ratio(&t.x, &a, &b), DBL_MIN);
    sti_int_clear(t.env, &a);
    sti_int_clear(t.env, &b);
    sti_int_clear(t.env, &one);
    bench_close(&t);
}

static void decimal_text_goes_both_ways(void** state) {
    (void)state;
    bench t;
    bench_open(&t, 12);
    sti_int a = {0}, back = {0};
    mpz_t z;
    mpz_init(z);
    for (int k = 0; k < 4000; k++) {
        random_mpz(&t.rng, z);
        if (k % 50 == 0) {  // one more than a run of nines, and many limbs: beyond GMP's quadratic range
            mpz_ui_pow_ui(z, 10, (unsigned)(7 * k / 10));
            if (k % 100 == 0) mpz_sub_ui(z, z, 1);
        }
        from_mpz(&t.x, &a, z);
        char* text = sti_int_text(&t.x, &a);
        char* expected = mpz_get_str(NULL, 10, z);
        assert_string_equal(text, expected);
        const bool negative = text[0] == '-';
        assert_true(sti_int_set_digits(&t.x, &back, text + negative, strlen(text) - negative));
        if (negative) sti_int_neg(&back);
        assert_equal(&back, z);
        void (*release)(void*, size_t);
        mp_get_memory_functions(NULL, NULL, &release);
        release(expected, strlen(expected) + 1);
        sti_free(t.env, text);
    }
    assert_true(sti_int_set_digits(&t.x, &back, "000", 3));
    assert_int_equal(back.size, 0);
    assert_true(sti_int_set_digits(&t.x, &back, "00000000000000000000000000000000000000000000042", 47));
    assert_int_equal(back.size, 1);
    assert_int_equal(back.limb[0], 42);
    mpz_clear(z);
    sti_int_clear(t.env, &a);
    sti_int_clear(t.env, &back);
    bench_close(&t);
}

static void primitive_rows_share_no_factor(void** state) {
    (void)state;
    bench t;
    bench_open(&t, 13);
    enum { COUNT = 5 };
    sti_int* row = sti_int_array(&t.x, COUNT);
    mpz_t z[COUNT], g, f;
    for (int i = 0; i < COUNT; i++) mpz_init(z[i]);
    mpz_inits(g, f, NULL);
    for (int k = 0; k < 3000; k++) {
        mpz_set_ui(g, 0);
        random_mpz(&t.rng, f);
        for (int i = 0; i < COUNT; i++) {
            random_mpz(&t.rng, z[i]);
            mpz_mul(z[i], z[i], f);
            mpz_gcd(g, g, z[i]);
            from_mpz(&t.x, &row[i], z[i]);
        }
        sti_int_make_primitive(&t.x, row, COUNT);
        for (int i = 0; i < COUNT; i++) {
            if (mpz_sgn(g) != 0) mpz_divexact(z[i], z[i], g);
            assert_equal(&row[i], z[i]);
        }
    }
    for (int i = 0; i < COUNT; i++) mpz_clear(z[i]);
    mpz_clears(g, f, NULL);
    sti_int_array_free(t.env, row, COUNT);
    bench_close(&t);
}

// A walk through every operation with numbers that grow.
static double everything(sti_exact* x) {
    enum { COUNT = 4 };
    sti_int* v = sti_int_array(x, COUNT);
    double value = NAN;
    if (v == NULL) return value;
    sti_int_set_digits(x, &v[0], "123456789012345678901234567890", 30);
    sti_int_set_double(x, &v[1], 0x1.8p200, 3);
    sti_int_set_i64(x, &v[2], 1);
    for (int i = 0; i < 6 && x->status == STI_OK; i++) {
        sti_int_mul(x, &v[2], &v[2], &v[0]);
        sti_int_addmul(x, &v[2], &v[1], &v[0]);
        sti_int_shl(x, &v[3], &v[2], 77);
        sti_int_lcm(x, &v[3], &v[3], &v[0]);
        sti_int_pivot(x, &v[3], &v[0], &v[1], &v[0], &v[0]);
        sti_int_gcd(x, &v[1], &v[3], &v[2]);
        sti_int_sub(x, &v[0], &v[0], &v[1]);
        sti_int_set(x, &v[1], &v[3]);
    }
    sti_int_make_primitive(x, v, COUNT);
    char* text = sti_int_text(x, &v[3]);
    sti_free(x->env, text);
    if (x->status == STI_OK) value = sti_int_ratio(x, &v[3], &v[2]);
    for (int i = 0; i < COUNT; i++) assert_well_formed(&v[i]);
    sti_int_array_free(x->env, v, COUNT);
    return value;
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    double first = NAN;
    long k = 0;
    for (bool done = false; !done; k++) {
        failing_env f;
        failing_env_open(&f, k);
        sti_exact x;
        sti_exact_init(&x, f.env);
        const double value = everything(&x);
        if (x.status == STI_OK)
            first = value;
        else
            assert_int_equal(sti_env_error(f.env)->status, STI_ERR_MEMORY);
        assert_int_equal(x.status == STI_OK, f.count <= k);
        sti_exact_clear(&x);
        done = failing_env_close(&f);
    }
    assert_true(k > 20);
    assert_true(isfinite(first));
}

// After a failure nothing changes any more: results keep their value, their sign too.
static void a_failed_context_leaves_results_alone(void** state) {
    (void)state;
    bench t;
    bench_open(&t, 14);
    sti_int a = {0}, b = {0}, r = {0};
    sti_int_set_i64(&t.x, &a, -12);
    sti_int_set_i64(&t.x, &b, 0);
    sti_int_set_i64(&t.x, &r, -5);
    t.x.status = STI_ERR_MEMORY;
    sti_int_add(&t.x, &r, &a, &a);
    sti_int_sub(&t.x, &r, &a, &b);
    sti_int_mul(&t.x, &r, &a, &a);
    sti_int_addmul(&t.x, &r, &a, &a);
    sti_int_divexact(&t.x, &r, &a, &b);
    sti_int_gcd(&t.x, &r, &a, &b);
    sti_int_gcd(&t.x, &r, &a, &a);
    sti_int_lcm(&t.x, &r, &a, &a);
    sti_int_lcm(&t.x, &r, &a, &b);
    sti_int_shl(&t.x, &r, &a, 5);
    sti_int_shl(&t.x, &r, &b, 5);
    sti_int_pivot(&t.x, &r, &a, &a, &a, &a);
    sti_int_set(&t.x, &r, &a);
    sti_int_set_i64(&t.x, &r, 4);
    sti_int_set_double(&t.x, &r, 4, 0);
    assert_false(sti_int_set_digits(&t.x, &r, "99", 2));
    assert_int_equal(r.size, -1);
    assert_int_equal(r.limb[0], 5);
    assert_null(sti_int_text(&t.x, &a));
    assert_true(isnan(sti_int_ratio(&t.x, &a, &a)));
    t.x.status = STI_OK;
    sti_int_clear(t.env, &a);
    sti_int_clear(t.env, &b);
    sti_int_clear(t.env, &r);
    bench_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_agrees_with_gmp_under_all_aliasing),
        cmocka_unit_test(gcd_finds_large_common_factors),
        cmocka_unit_test(addmul_agrees_with_gmp_under_all_aliasing),
        cmocka_unit_test(exact_quotients_come_back),
        cmocka_unit_test(pivot_entry_agrees_with_gmp_under_all_aliasing),
        cmocka_unit_test(pivot_survives_the_least_int64_over_minus_one),
        cmocka_unit_test(shifts_bits_comparison_and_residues_agree_with_gmp),
        cmocka_unit_test(machine_integers_enter_exactly),
        cmocka_unit_test(doubles_enter_exactly),
        cmocka_unit_test(integers_and_ratios_round_to_the_nearest_double),
        cmocka_unit_test(ratios_of_long_numbers_need_no_memory),
        cmocka_unit_test(range_ends_round_as_ieee_says),
        cmocka_unit_test(decimal_text_goes_both_ways),
        cmocka_unit_test(primitive_rows_share_no_factor),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(a_failed_context_leaves_results_alone),
    };
    return cmocka_run_group_tests_name("integer", tests, NULL, NULL);
}
