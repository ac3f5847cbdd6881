// test_rationals.c: arrays of rationals against GMP's mpq numbers: what goes in comes out, rounded once; texts that
// are numbers and texts that are not; integer images of rows.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "exact/rationals.h"
#include "support/failing_env.h"

static void to_mpz(mpz_t z, const sti_int* a) {
    mpz_t view;
    mpz_set(z, mpz_roinit_n(view, a->limb, a->size));
}

static void to_mpq(mpq_t q, const sti_rationals* r, size_t i) {
    to_mpz(mpq_numref(q), &r->num[i]);
    to_mpz(mpq_denref(q), &r->den[i]);
    // canonical already: den > 0 and nothing shared
    mpz_t g;
    mpz_init(g);
    mpz_gcd(g, mpq_numref(q), mpq_denref(q));
    assert_true(mpz_sgn(mpq_denref(q)) > 0);
    assert_int_equal(mpz_cmp_ui(g, 1), 0);
    mpz_clear(g);
}

static void assert_is(const sti_rationals* r, size_t i, const char* fraction) {
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    to_mpq(a, r, i);
    assert_int_equal(mpq_set_str(b, fraction, 10), 0);
    mpq_canonicalize(b);
    if (!mpq_equal(a, b)) gmp_fprintf(stderr, "got %Qd, not %Qd\n", a, b);
    assert_true(mpq_equal(a, b));
    mpq_clears(a, b, NULL);
}

static double random_double(sti_rng* rng, int span) {
    const double fraction = (sti_rng_u01(rng) - 0.5) * 2;
    const double value = ldexp(fraction, sti_rng_int(rng, -span, span < 1023 ? span : 1023));
    switch (sti_rng_int(rng, 0, 4)) {
        case 0:
            return (double)sti_rng_int(rng, -20, 20);
        case 1:
            return fabs(value) < 1e30 ? (double)(float)value : value;
        default:
            return value;
    }
}

static void doubles_come_back_and_are_known_as_doubles(void** state) {
    (void)state;
    sti_env* env;
    sti_rationals* r;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    assert_int_equal(sti_rationals_create(env, 2, &r), STI_OK);
    assert_int_equal(sti_rationals_count(r), 2);
    assert_is(r, 0, "0");
    sti_rng rng = {21};
    mpq_t q, e;
    mpq_inits(q, e, NULL);
    static const double special[] = {
        0.0, 1.0, -1.0, 0.1, 0x1p-1074, -0x1.fffffffffffffp-1023, 0x1.fffffffffffffp1023, 0x1p-1022, 0x1p1023, 3e-320};
    for (int k = 0; k < 20000; k++) {
        const double v = k < 10 ? special[k] : random_double(&rng, k % 2 == 0 ? 60 : 1070);
        assert_int_equal(sti_rationals_set_double(r, 1, v), STI_OK);
        to_mpq(q, r, 1);
        mpq_set_d(e, v);
        assert_true(mpq_equal(q, e));
        assert_true(sti_rationals_double(r, 1) == v);
        assert_true(sti_rationals_is_double(r, 1));
        assert_int_equal(sti_rationals_sign(r, 1), (v > 0) - (v < 0));
    }
    assert_int_equal(sti_rationals_set_double(r, 0, NAN), STI_ERR_ARGUMENT);
    assert_int_equal(sti_rationals_set_double(r, 0, -INFINITY), STI_ERR_ARGUMENT);
    assert_int_equal(sti_env_error(env)->index, 0);
    assert_is(r, 0, "0");
    mpq_clears(q, e, NULL);
    sti_rationals_destroy(r);
    sti_env_destroy(env);
}

static void numbers_between_doubles_are_told_apart(void** state) {
    (void)state;
    sti_env* env;
    sti_rationals* r;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    assert_int_equal(sti_rationals_create(env, 1, &r), STI_OK);
    static const struct {
        const char* text;
        bool is_double;
        double nearest;
    } cases[] = {
        {"1/3", false, 1.0 / 3},
        {"0.1", false, 0.1},
        {"-0.1", false, -0.1},
        {"0.5", true, 0.5},
        {"9007199254740992", true, 0x1p53},
        {"9007199254740993", false, 0x1p53},      // a tie: to even
        {"9007199254740995", false, 0x1p53 + 4},  // a tie: to even, upwards
        {"18014398509481986", false, 0x1p54},     // 2^54 + 2
        {"18014398509481988", true, 0x1p54 + 4},
        {"1e22", true, 1e22},
        {"1e23", false, 1e23},
        {"1e308", false, 1e308},
        {"1e309", false, INFINITY},
        {"-1e309", false, -INFINITY},
        {"1e-400", false, 0.0},
        {"4.9e-324", false, 0x1p-1074},
        {"2.4703282292062327e-324", false, 0.0},  // just below half of the least subnormal
        {"2.4703282292062328e-324", false, 0x1p-1074},
        {"2.2250738585072011e-308", false, 2.2250738585072011e-308},
        {"123456789012345678901234567890/123456789012345678901234567889", false, 1.0},
        {"0", true, 0.0},
        {"0/17", true, 0.0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(sti_rationals_set_text(r, 0, cases[k].text), STI_OK);
        assert_true(sti_rationals_double(r, 0) == cases[k].nearest);
        assert_int_equal(sti_rationals_is_double(r, 0), cases[k].is_double);
    }
    sti_rationals_destroy(r);
    sti_env_destroy(env);
}

// strtod rounds decimal texts correctly; so must we, from the exact number.
static void decimal_texts_round_as_strtod_does(void** state) {
    (void)state;
    sti_env* env;
    sti_rationals* r;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    assert_int_equal(sti_rationals_create(env, 1, &r), STI_OK);
    sti_rng rng = {22};
    for (int k = 0; k < 5000; k++) {
        char text[64];
        const double v = random_double(&rng, k % 4 == 0 ? 1070 : 100);
        const int digits = sti_rng_int(&rng, 1, 25);
        snprintf(text, sizeof text, k % 2 == 0 ? "%.*e" : "%+.*E", digits, v);
        assert_int_equal(sti_rationals_set_text(r, 0, text), STI_OK);
        assert_true(sti_rationals_double(r, 0) == strtod(text, NULL));
    }
    sti_rationals_destroy(r);
    sti_env_destroy(env);
}

static void texts_are_read_exactly(void** state) {
    (void)state;
    sti_env* env;
    sti_rationals* r;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    assert_int_equal(sti_rationals_create(env, 3, &r), STI_OK);
    static const char* const good[][2] = {
        {"2/3", "2/3"},
        {"-4/6", "-2/3"},
        {"+4/6", "2/3"},
        {"0.4", "2/5"},
        {"1e-3", "1/1000"},
        {"1E3", "1000"},
        {"1.5e+2", "150"},
        {"-1.25e-1", "-1/8"},
        {".5", "1/2"},
        {"5.", "5"},
        {"-0", "0"},
        {"-0.000", "0"},
        {"007", "7"},
        {" 3 ", "3"},
        {"0/5", "0"},
        {"00.10", "1/10"},
        {"0e99", "0"},
        {"12/4", "3"},
        {"1e0", "1"},
        {"100/1", "100"},
        {"18446744073709551616/18446744073709551615", "18446744073709551616/18446744073709551615"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"1e40", "10000000000000000000000000000000000000000"},
    };
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        assert_int_equal(sti_rationals_set_text(r, 2, good[k][0]), STI_OK);
        assert_is(r, 2, good[k][1]);
        char* text;
        assert_int_equal(sti_rationals_text(r, 2, &text), STI_OK);
        assert_string_equal(text, good[k][1]);
        sti_env_free(env, text);
    }
    sti_rationals_destroy(r);
    sti_env_destroy(env);
}

static void texts_that_are_no_numbers_are_refused(void** state) {
    (void)state;
    sti_env* env;
    sti_rationals* r;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    assert_int_equal(sti_rationals_create(env, 2, &r), STI_OK);
    assert_int_equal(sti_rationals_set_text(r, 1, "7/9"), STI_OK);
    static const char* const bad[] = {
        "",      " ",     "-",     "+",    ".",     "e5",    "1e",       "1e+",  "1e99999", "1/",  "/2",    "1/-2",
        "1/2/3", "1/2.5", "1.5/2", "--1",  "+-1",   "1 2",   "1,5",      "0x10", "nan",     "inf", "1e5.5", "abc",
        "1/2e3", "1a",    "\t1",   "1..2", "1.2.3", "1e--2", "\xff\xfe", "1/ 2", "2/3x",    "½",
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(sti_rationals_set_text(r, 1, bad[k]), STI_ERR_INPUT);
        assert_int_equal(sti_env_error(env)->index, 1);
        assert_is(r, 1, "7/9");  // untouched
    }
    assert_int_equal(sti_rationals_set_text(r, 1, "1/0"), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(env)->text, "zero"));
    assert_int_equal(sti_rationals_set_text(r, 1, "0/000"), STI_ERR_INPUT);
    static char longest[5000];
    memset(longest, '7', sizeof longest - 1);
    assert_int_equal(sti_rationals_set_text(r, 0, longest), STI_ERR_INPUT);
    longest[4000] = '\0';
    assert_int_equal(sti_rationals_set_text(r, 0, longest), STI_OK);
    char* text;
    assert_int_equal(sti_rationals_text(r, 0, &text), STI_OK);
    assert_string_equal(text, longest);
    sti_env_free(env, text);
    sti_rationals_destroy(r);
    sti_env_destroy(env);
}

static void random_int(sti_exact* x, sti_rng* rng, sti_int* a, int words) {
    sti_int part = {0};
    sti_int_set_i64(x, a, 0);
    const int n = sti_rng_int(rng, 0, words);
    for (int i = 0; i < n; i++) {
        sti_int_shl(x, a, a, 62);
        sti_int_set_i64(x, &part, (int64_t)(sti_rng_next(rng) >> 2));
        sti_int_add(x, a, a, &part);
    }
    if (sti_rng_int(rng, 0, 1) == 0) sti_int_neg(a);
    sti_int_clear(x->env, &part);
}

static void ratios_are_reduced_copied_and_sliced(void** state) {
    (void)state;
    sti_env* env;
    sti_rationals *r, *part;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    assert_int_equal(sti_rationals_create(env, 6, &r), STI_OK);
    sti_exact x;
    sti_exact_init(&x, env);
    sti_rng rng = {23};
    sti_int num = {0}, den = {0}, f = {0};
    mpq_t e, q;
    mpq_inits(e, q, NULL);
    for (int k = 0; k < 3000; k++) {
        const size_t i = (size_t)(k % 6);
        random_int(&x, &rng, &num, 4);
        random_int(&x, &rng, &f, 3);
        do random_int(&x, &rng, &den, 4);
        while (den.size == 0);
        if (f.size != 0) {
            sti_int_mul(&x, &num, &num, &f);
            sti_int_mul(&x, &den, &den, &f);
        }
        assert_int_equal(sti_rationals_set_ratio(r, i, &num, &den), STI_OK);
        to_mpz(mpq_numref(e), &num);
        to_mpz(mpq_denref(e), &den);
        mpq_canonicalize(e);
        to_mpq(q, r, i);
        assert_true(mpq_equal(q, e));
        assert_int_equal(sti_rationals_sign(r, i), mpq_sgn(e));
        if (i != 5) continue;
        assert_int_equal(sti_rationals_slice(env, r, 2, 3, &part), STI_OK);
        assert_int_equal(sti_rationals_count(part), 3);
        for (size_t j = 0; j < 3; j++) {
            to_mpq(e, r, 2 + j);
            to_mpq(q, part, j);
            assert_true(mpq_equal(q, e));
        }
        assert_int_equal(sti_rationals_copy(part, 0, r, 5), STI_OK);
        to_mpq(e, r, 5);
        to_mpq(q, part, 0);
        assert_true(mpq_equal(q, e));
        sti_rationals_destroy(part);
    }
    assert_int_equal(sti_rationals_slice(env, r, 6, 0, &part), STI_OK);
    assert_int_equal(sti_rationals_count(part), 0);
    sti_rationals_destroy(part);
    mpq_clears(e, q, NULL);
    sti_int_clear(env, &num);
    sti_int_clear(env, &den);
    sti_int_clear(env, &f);
    sti_exact_clear(&x);
    sti_rationals_destroy(r);
    sti_env_destroy(env);
}

enum { ROW = 5 };

// out_k num' = value_k num with s = num / num' > 0; out_k share no factor two (doubles) or no factor at all.
static void check_row(sti_exact* x, const sti_int* out, mpq_t value[ROW], const sti_int* scale_num,
                      const sti_int* scale_den) {
    assert_int_equal(x->status, STI_OK);
    assert_true(scale_num->size > 0 && scale_den->size > 0);
    mpq_t s, e, q;
    mpq_inits(s, e, q, NULL);
    to_mpz(mpq_numref(s), scale_num);
    to_mpz(mpq_denref(s), scale_den);
    mpq_canonicalize(s);
    for (int k = 0; k < ROW; k++) {
        mpq_mul(e, value[k], s);
        mpz_set_ui(mpq_denref(q), 1);
        to_mpz(mpq_numref(q), &out[k]);
        assert_true(mpq_equal(q, e));
    }
    mpq_clears(s, e, q, NULL);
}

static void rows_of_doubles_become_integers_by_one_power_of_two(void** state) {
    (void)state;
    sti_env* env;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    sti_exact x;
    sti_exact_init(&x, env);
    sti_int* out = sti_int_array(&x, ROW);
    sti_int num = {0}, den = {0};
    mpq_t value[ROW];
    for (int k = 0; k < ROW; k++) mpq_init(value[k]);
    sti_rng rng = {24};
    for (int t = 0; t < 3000; t++) {
        double column[3 * ROW];
        bool any = false, odd = false;
        const int zeros = sti_rng_int(&rng, 0, 3);
        for (int k = 0; k < ROW; k++) {
            const double v = sti_rng_int(&rng, 0, 3) < zeros ? 0.0 : random_double(&rng, t % 2 == 0 ? 20 : 1070);
            column[3 * k] = v;
            mpq_set_d(value[k], v);
            any = any || v != 0;
        }
        sti_int_row_from_doubles(&x, out, column, ROW, 3, &num, &den);
        check_row(&x, out, value, &num, &den);
        for (int k = 0; k < ROW; k++) odd = odd || (out[k].size != 0 && (out[k].limb[0] & 1) != 0);
        assert_int_equal(odd, any);  // no smaller power of two would do
        assert_true(sti_int_is_one(&num) || sti_int_is_one(&den));
        sti_int_row_from_doubles(&x, out, column, ROW, 3, NULL, NULL);
        check_row(&x, out, value, &num, &den);
    }
    for (int k = 0; k < ROW; k++) mpq_clear(value[k]);
    sti_int_clear(env, &num);
    sti_int_clear(env, &den);
    sti_int_array_free(env, out, ROW);
    sti_exact_clear(&x);
    sti_env_destroy(env);
}

static void rows_of_rationals_become_coprime_integers(void** state) {
    (void)state;
    sti_env* env;
    sti_rationals* r;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    assert_int_equal(sti_rationals_create(env, ROW + 2, &r), STI_OK);
    sti_exact x;
    sti_exact_init(&x, env);
    sti_int* out = sti_int_array(&x, ROW);
    sti_int num = {0}, den = {0};
    mpq_t value[ROW];
    for (int k = 0; k < ROW; k++) mpq_init(value[k]);
    mpz_t g, z;
    mpz_inits(g, z, NULL);
    sti_rng rng = {25};
    for (int t = 0; t < 3000; t++) {
        for (int k = 0; k < ROW; k++) {
            random_int(&x, &rng, &num, t % 3);
            sti_int_set_i64(&x, &den, sti_rng_int(&rng, 1, 60));
            if (t % 5 == 0) sti_int_set_i64(&x, &num, 6 * sti_rng_int(&rng, -5, 5));
            if (t % 7 == 0) random_int(&x, &rng, &den, 2);
            if (den.size == 0) sti_int_set_i64(&x, &den, -3);
            assert_int_equal(sti_rationals_set_ratio(r, (size_t)k + 2, &num, &den), STI_OK);
            to_mpq(value[k], r, (size_t)k + 2);
        }
        sti_int_row_from_rationals(&x, out, r, 2, ROW, &num, &den);
        check_row(&x, out, value, &num, &den);
        mpz_set_ui(g, 0);
        for (int k = 0; k < ROW; k++) {
            to_mpz(z, &out[k]);
            mpz_gcd(g, g, z);
        }
        assert_true(mpz_cmp_ui(g, 1) <= 0);  // 0: a row of zeros
        sti_int_row_from_rationals(&x, out, r, 2, ROW, NULL, NULL);
        check_row(&x, out, value, &num, &den);
    }
    mpz_clears(g, z, NULL);
    for (int k = 0; k < ROW; k++) mpq_clear(value[k]);
    sti_int_clear(env, &num);
    sti_int_clear(env, &den);
    sti_int_array_free(env, out, ROW);
    sti_exact_clear(&x);
    sti_rationals_destroy(r);
    sti_env_destroy(env);
}

// Every call that allocates, with one array. A failed call leaves a valid fraction and may be repeated.
static sti_status everything(sti_env* env) {
    sti_rationals *r, *part = NULL;
    char* text = NULL;
    sti_status status = sti_rationals_create(env, 4, &r);
    if (status != STI_OK) {
        assert_null(r);
        return status;
    }
    status = sti_rationals_set_text(r, 0, "-12345678901234567890123456789012345678901234567890.125e-60");
    if (status == STI_OK) status = sti_rationals_set_double(r, 1, 0x1.23456789abcdfp-500);
    if (status == STI_OK) status = sti_rationals_set_ratio(r, 2, &r->num[0], &r->den[1]);
    if (status == STI_OK) status = sti_rationals_slice(env, r, 0, 4, &part);
    if (status == STI_OK) status = sti_rationals_text(part, 2, &text);
    if (status == STI_OK && isnan(sti_rationals_double(part, 2))) status = STI_ERR_MEMORY;
    if (status == STI_OK) {
        sti_exact x;
        sti_exact_init(&x, env);
        sti_int num = {0}, den = {0};
        sti_int* row = sti_int_array(&x, 4);
        if (row != NULL) sti_int_row_from_rationals(&x, row, r, 0, 4, &num, &den);
        const double values[4] = {0.1, 1e-30, 0, 1e30};
        if (row != NULL) sti_int_row_from_doubles(&x, row, values, 4, 1, &num, &den);
        sti_int_array_free(env, row, 4);
        sti_int_clear(env, &num);
        sti_int_clear(env, &den);
        status = x.status;
        sti_exact_clear(&x);
    }
    mpq_t q;
    mpq_init(q);
    for (size_t i = 0; i < 4; i++) to_mpq(q, r, i);  // each a reduced fraction, whatever failed
    mpq_clear(q);
    sti_env_free(env, text);
    sti_rationals_destroy(part);
    sti_rationals_destroy(r);
    return status;
}

static void every_failed_allocation_is_survived(void** state) {
    (void)state;
    long k = 0;
    for (bool done = false; !done; k++) {
        failing_env f;
        failing_env_open(&f, k);
        const sti_status status = everything(f.env);
        assert_int_equal(status, f.count <= k ? STI_OK : STI_ERR_MEMORY);
        done = failing_env_close(&f);
    }
    assert_true(k > 30);
}

static void too_many_entries_are_a_memory_failure(void** state) {
    (void)state;
    sti_env* env;
    sti_rationals* r;
    assert_int_equal(sti_env_create(NULL, &env), STI_OK);
    assert_int_equal(sti_rationals_create(env, SIZE_MAX / 2, &r), STI_ERR_MEMORY);
    assert_null(r);
    assert_int_equal(sti_rationals_create(env, 0, &r), STI_OK);
    sti_rationals_destroy(r);
    sti_rationals_destroy(NULL);
    sti_env_destroy(env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_come_back_and_are_known_as_doubles),
        cmocka_unit_test(numbers_between_doubles_are_told_apart),
        cmocka_unit_test(decimal_texts_round_as_strtod_does),
        cmocka_unit_test(texts_are_read_exactly),
        cmocka_unit_test(texts_that_are_no_numbers_are_refused),
        cmocka_unit_test(ratios_are_reduced_copied_and_sliced),
        cmocka_unit_test(rows_of_doubles_become_integers_by_one_power_of_two),
        cmocka_unit_test(rows_of_rationals_become_coprime_integers),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(too_many_entries_are_a_memory_failure),
    };
    return cmocka_run_group_tests_name("rationals", tests, NULL, NULL);
}
