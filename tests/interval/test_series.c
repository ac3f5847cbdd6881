// Taylor coefficients over boxes: the expansion with its remainder holds the function, and trouble is told.
#include "interval/elementary.h"
#include "interval/series.h"
#include "support/open_env.h"

enum { ORDER = 8 };

static void open(sti_env* env, const char* text, sti_formulas* f, sti_series* s, int* entry) {
    static const char* const x[] = {"x"};
    assert_int_equal(sti_formulas_open(f, env, "variables", x, 1), STI_OK);
    if (sti_formulas_add(f, "f", text, entry) != STI_OK) fail_msg("%s", sti_env_error(env)->text);
    assert_int_equal(sti_series_init(s, env, &f->tape, ORDER), STI_OK);
    sti_series_want(s, *entry);
}

static void close(sti_formulas* f, sti_series* s) {
    sti_series_clear(s);
    sti_formulas_close(f);
}

static sti_interval at(sti_series* s, int entry, sti_interval x) {
    sti_series_evaluate(s, &x, -1, 0);
    return sti_series_value(s, entry);
}

// f(m + t) lies in sum_j<n c_j(m) t^j + c_n(box) t^n, for every n.
static void check_expansion(sti_env* env, const char* text, double low, double high) {
    sti_formulas f;
    sti_series s;
    int entry;
    open(env, text, &f, &s, &entry);
    const sti_interval X = iv(low, high), m = iv_point(0.5 * low + 0.5 * high);
    sti_interval over[ORDER + 1], point[ORDER + 1];
    sti_series_evaluate(&s, &X, 0, ORDER);
    memcpy(over, sti_series_of(&s, entry), sizeof over);
    sti_series_evaluate(&s, &m, 0, ORDER);
    memcpy(point, sti_series_of(&s, entry), sizeof point);
    for (int i = 0; i <= 10; i++) {
        const double x = low + (high - low) * i / 10;
        const sti_interval t = iv_sub(iv_point(x), m), value = at(&s, entry, iv_point(x));
        for (int n = 0; n <= ORDER; n++) {
            sti_interval sum = iv_mul(over[n], sti_iv_pow_int(t, n));
            for (int j = 0; j < n; j++) sum = iv_add(sum, iv_mul(point[j], sti_iv_pow_int(t, j)));
            if (!iv_meets(sum, value))
                fail_msg("%s: order %d at %g: [%.17g, %.17g] and [%.17g, %.17g]", text, n, x, sum.low, sum.high,
                         value.low, value.high);
        }
        for (int n = 0; n <= ORDER; n++) assert_true(iv_meets(point[n], over[n]));
    }
    close(&f, &s);
}

static void expansions_hold_the_functions(void** state) {
    static const char* const texts[] = {"x^3 - 2*x + 2",
                                        "(x - 0.3)^7",
                                        "x^-2",
                                        "x^2.5",
                                        "sqrt(x)",
                                        "exp(-x^2)",
                                        "log(1 + x^2)",
                                        "log10(x)",
                                        "sin(3*x)*cos(x)",
                                        "tan(x/3)",
                                        "asin(x/3)",
                                        "acos(x/4)",
                                        "atan(5*x)",
                                        "sinh(x)/cosh(x)",
                                        "tanh(2*x)",
                                        "x^x",
                                        "2^(-x)",
                                        "hypot(x, 1)",
                                        "atan2(x, 2)",
                                        "1/(1 + x^4)",
                                        "x*exp(-x)*sin(1/x)",
                                        "abs(x - 5) + x",
                                        "min(x, 9)*max(x, -1)",
                                        "(x^2 + 1)^5",
                                        "pow(x + 1, 1/3)"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        check_expansion(*state, texts[k], 0.5, 1.5);
        check_expansion(*state, texts[k], 1.2, 1.2 + 1e-3);
        check_expansion(*state, texts[k], 0.9375, 1);
    }
}

static void decimals_and_pi_stand_for_real_numbers(void** state) {
    sti_formulas f;
    sti_series s;
    int entry;
    open(*state, "0.1 + 0*x", &f, &s, &entry);
    const sti_interval tenth = at(&s, entry, iv_point(1));
    assert_true(tenth.low < tenth.high && iv_has(tenth, 0.1) && iv_width(tenth) < 1e-16);
    close(&f, &s);
    open(*state, "sin(pi + 0*x)", &f, &s, &entry);
    const sti_interval zero = at(&s, entry, iv_point(1));
    assert_true(iv_has(zero, 0) && iv_width(zero) < 1e-15);
    close(&f, &s);
    open(*state, "0.5*x", &f, &s, &entry);
    assert_true(iv_is(at(&s, entry, iv_point(3)), 1.5));
    close(&f, &s);
}

static unsigned trouble_of(sti_env* env, const char* text, double low, double high, char* why, size_t size) {
    sti_formulas f;
    sti_series s;
    int entry;
    open(env, text, &f, &s, &entry);
    at(&s, entry, iv(low, high));
    const unsigned trouble = s.trouble[entry];
    sti_series_reason(&s, entry, why, size);
    close(&f, &s);
    return trouble;
}

static void trouble_is_told_with_the_operation(void** state) {
    char why[200];
    assert_int_equal(trouble_of(*state, "1 + log(x - 1)", 0, 2, why, sizeof why), STI_TROUBLE_PARTIAL);
    assert_string_equal(why, "log of a number in [-1, 1]");
    assert_int_equal(trouble_of(*state, "sqrt(x)", -2, -1, why, sizeof why), STI_TROUBLE_NOWHERE);
    assert_int_equal(trouble_of(*state, "1/x", -1, 1, why, sizeof why), STI_TROUBLE_PARTIAL);
    assert_string_equal(why, "division by a number in [-1, 1]");
    assert_int_equal(trouble_of(*state, "floor(x)", 0.5, 1.5, why, sizeof why), STI_TROUBLE_JUMP);
    assert_int_equal(trouble_of(*state, "floor(x)", 0.5, 0.75, why, sizeof why), 0);
    assert_int_equal(trouble_of(*state, "tan(x)", 1, 2, why, sizeof why), STI_TROUBLE_PARTIAL);
    assert_int_equal(trouble_of(*state, "asin(x)", 0, 2, why, sizeof why), STI_TROUBLE_PARTIAL);
    assert_int_equal(trouble_of(*state, "abs(x)", -1, 1, why, sizeof why), 0);  // values alone have no kink
    assert_int_equal(trouble_of(*state, "x^2", -1, 1, why, sizeof why), 0);
}

static void kinks_keep_slopes_and_lose_what_is_higher(void** state) {
    sti_formulas f;
    sti_series s;
    int entry, minus;
    open(*state, "abs(x)", &f, &s, &entry);
    const sti_interval X = iv(-1, 2);
    sti_series_evaluate(&s, &X, 0, 3);
    const sti_interval* c = sti_series_of(&s, entry);
    assert_true(c[0].low == 0 && c[0].high == 2 && c[1].low == -1 && c[1].high == 1 && !iv_is_bounded(c[2]));
    assert_int_equal(s.trouble[entry], STI_TROUBLE_KINK);
    assert_true(sti_series_kink(&s, entry, &minus) >= 0 && minus == -1);
    const sti_interval Y = iv(0, 2);  // 0 is an end: no kink inside
    sti_series_evaluate(&s, &Y, 0, 3);
    assert_true(iv_is(sti_series_of(&s, entry)[1], 1) && iv_is(sti_series_of(&s, entry)[2], 0));
    close(&f, &s);
}

static void powers_at_0_keep_the_sign_of_what_is_not_bounded(void** state) {
    sti_formulas f;
    sti_series s;
    int entry;
    const sti_interval X = iv(0, 1);
    open(*state, "x^2.5", &f, &s, &entry);
    sti_series_evaluate(&s, &X, 0, 3);
    const sti_interval* c = sti_series_of(&s, entry);
    assert_true(c[0].low == 0 && c[1].low == 0 && c[2].low == 0 && iv_is_bounded(c[2]));
    assert_true(c[3].low > 0 && c[3].high == INFINITY && s.trouble[entry] == 0);
    close(&f, &s);
    open(*state, "sqrt(x)", &f, &s, &entry);
    sti_series_evaluate(&s, &X, 0, 2);
    c = sti_series_of(&s, entry);
    assert_true(c[1].low > 0.49 && c[1].high == INFINITY && c[2].low == -INFINITY && c[2].high < 0);
    close(&f, &s);
}

static void time_and_velocities_have_no_meaning_here(void** state) {
    static const char* const x[] = {"x"};
    sti_formulas f;
    int entry;
    assert_int_equal(sti_formulas_open(&f, *state, "variables", x, 1), STI_OK);
    assert_int_equal(sti_formulas_add(&f, "f", "x + t", &entry), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(*state)->text, "t: no such name"));
    assert_int_equal(sti_formulas_add(&f, "f", "x'", &entry), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(*state)->text, "no velocity"));
    assert_int_equal(sti_formulas_add(&f, "f", "sn(x)", &entry), STI_ERR_INPUT);
    assert_non_null(strstr(sti_env_error(*state)->text, "did you mean sin"));
    sti_formulas_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expansions_hold_the_functions),
        cmocka_unit_test(decimals_and_pi_stand_for_real_numbers),
        cmocka_unit_test(trouble_is_told_with_the_operation),
        cmocka_unit_test(kinks_keep_slopes_and_lose_what_is_higher),
        cmocka_unit_test(powers_at_0_keep_the_sign_of_what_is_not_bounded),
        cmocka_unit_test(time_and_velocities_have_no_meaning_here),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
