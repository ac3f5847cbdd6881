// Intervals of doubles: arithmetic and elementary functions against spans of many bits, which share no code with them.
#include <fenv.h>
#include <stdlib.h>
#include <stiction/roots.h>

#include "base/rng.h"
#include "exact/span.h"
#include "interval/elementary.h"
#include "support/open_env.h"

static double random_double(sti_rng* rng, int exponents) {
    const double x = 2 * sti_rng_u01(rng) - 1;
    return ldexp(x, sti_rng_int(rng, -exponents, exponents));
}

// Is the span inside the interval?
static bool holds(sti_spans* s, sti_interval a, const sti_span* exact) {
    sti_span box = {0};
    sti_span_set_doubles(s, &box, a.low > -1e300 ? a.low : -1e300, a.high < 1e300 ? a.high : 1e300);
    const bool inside = sti_span_inside(exact, &box);
    sti_span_clear(s, &box);
    return inside;
}

static void arithmetic_encloses_what_integers_compute(void** state) {
    sti_spans s;
    sti_span a = {0}, b = {0}, c = {0};
    sti_rng rng = {11};
    sti_spans_init(&s, *state, 600);
    for (int i = 0; i < 20000; i++) {
        const double x = random_double(&rng, i % 7 == 0 ? 0 : 60), y = random_double(&rng, i % 5 == 0 ? 1 : 60);
        sti_span_set_double(&s, &a, x);
        sti_span_set_double(&s, &b, y);
        sti_span_add(&s, &c, &a, &b);
        assert_true(holds(&s, iv_add(iv_point(x), iv_point(y)), &c));
        sti_span_mul(&s, &c, &a, &b);
        assert_true(holds(&s, iv_mul(iv_point(x), iv_point(y)), &c));
        sti_span_sqr(&s, &c, &a);
        assert_true(holds(&s, iv_sqr(iv_point(x)), &c));
        const sti_interval q = iv_div(iv_point(x), iv_point(y));
        sti_span_div(&s, &c, &a, &b);
        assert_true(y == 0 || holds(&s, q, &c));
        assert_true(y == 0 || iv_next_up(iv_next_up(q.low)) >= q.high);
        sti_span_abs(&s, &a, &a);
        sti_span_sqrt(&s, &c, &a);
        assert_true(holds(&s, iv_sqrt(iv_point(fabs(x))), &c));
    }
    assert_int_equal(s.x.status, STI_OK);
    sti_span_clear(&s, &a);
    sti_span_clear(&s, &b);
    sti_span_clear(&s, &c);
    sti_spans_clear(&s);
}

// Products and quotients of intervals hold those of members, also where ends are negative, 0 or infinite.
static void operations_on_intervals_hold_those_on_members(void** state) {
    (void)state;
    const double ends[] = {-INFINITY, -3, -1e-300, 0, 0x1p-1074, 0.1, 2, 1e308, INFINITY};
    const int n = sizeof ends / sizeof ends[0];
    for (int k = 0; k < n * n * n * n; k++) {
        const sti_interval a = {ends[k % n], ends[k / n % n]}, b = {ends[k / n / n % n], ends[k / n / n / n]};
        if (!(a.low <= a.high && b.low <= b.high)) continue;
        if (a.low == INFINITY || b.low == INFINITY || a.high == -INFINITY || b.high == -INFINITY) continue;
        const sti_interval results[] = {iv_add(a, b), iv_sub(a, b), iv_mul(a, b), iv_div(a, b)};
        for (int r = 0; r < 4; r++) assert_true(results[r].low <= results[r].high);
        for (int i = 0; i < 9; i++) {
            const double x = fmin(fmax(ends[i], a.low), a.high), y = fmin(fmax(ends[8 - i], b.low), b.high);
            if (!isfinite(x) || !isfinite(y)) continue;
            assert_true(iv_has(results[0], x + y) || isinf(x + y));
            assert_true(iv_has(results[2], x * y) || isinf(x * y));
            assert_true(y == 0 || iv_has(results[3], x / y) || isinf(x / y));
        }
    }
}

static void what_is_exact_stays_exact(void** state) {
    (void)state;
    assert_true(iv_is(iv_add(iv_point(1), iv_point(2)), 3));
    assert_true(iv_is(iv_mul(iv_point(-3), iv_point(0.5)), -1.5));
    assert_true(iv_is(iv_div(iv_point(1), iv_point(8)), 0.125));
    assert_true(iv_is(iv_sqrt(iv_point(9)), 3));
    assert_true(iv_is(sti_iv_exp(iv_point(0)), 1));
    assert_true(iv_is(sti_iv_log(iv_point(1)), 0));
    assert_true(iv_is(sti_iv_sin(iv_point(0)), 0));
    assert_true(iv_is(sti_iv_cos(iv_point(0)), 1));
    assert_true(iv_is(sti_iv_atan(iv_point(0)), 0));
    assert_true(iv_is(sti_iv_tanh(iv_point(0)), 0));
    assert_true(iv_is(sti_iv_pow_int(iv_point(-3), 3), -27));
    assert_false(iv_is_point(iv_div(iv_point(1), iv_point(3))));
}

// ---- elementary functions

typedef void span_function(sti_spans* s, sti_span* r, const sti_span* a);

static void span_tan(sti_spans* s, sti_span* r, const sti_span* a) {
    sti_span c = {0};
    sti_span_cos(s, &c, a);
    sti_span_sin(s, r, a);
    sti_span_div(s, r, r, &c);
    sti_span_clear(s, &c);
}

static void span_tanh(sti_spans* s, sti_span* r, const sti_span* a) {
    sti_span e = {0}, one = {0};
    sti_span_mul_int(s, &e, a, 2);
    sti_span_exp(s, &e, &e);
    sti_span_set_int(s, &one, 1);
    sti_span_sub(s, r, &e, &one);
    sti_span_add(s, &e, &e, &one);
    sti_span_div(s, r, r, &e);
    sti_span_clear(s, &e);
    sti_span_clear(s, &one);
}

static void span_sinh(sti_spans* s, sti_span* r, const sti_span* a) {
    sti_span e = {0}, i = {0};
    sti_span_exp(s, &e, a);
    sti_span_set_int(s, &i, 1);
    sti_span_div(s, &i, &i, &e);
    sti_span_sub(s, r, &e, &i);
    sti_span_div_int(s, r, r, 2);
    sti_span_clear(s, &e);
    sti_span_clear(s, &i);
}

static void span_asin(sti_spans* s, sti_span* r, const sti_span* a) {
    sti_span one = {0}, c = {0};
    sti_span_set_int(s, &one, 1);
    sti_span_sqr(s, &c, a);
    sti_span_sub(s, &c, &one, &c);
    sti_span_sqrt(s, &c, &c);
    sti_span_div(s, &c, a, &c);
    sti_span_atan(s, r, &c);
    sti_span_clear(s, &one);
    sti_span_clear(s, &c);
}

static void functions_enclose_their_values_within_few_units(void** state) {
    static const struct {
        const char* name;
        sti_interval (*f)(sti_interval);
        span_function* exact;
        double low, high, units;
    } table[] = {{"exp", sti_iv_exp, sti_span_exp, -50, 600, 12}, {"exp", sti_iv_exp, sti_span_exp, -1, 1, 12},
                 {"log", sti_iv_log, sti_span_log, 1e-9, 10, 12}, {"log", sti_iv_log, sti_span_log, 0.9, 1.1, 12},
                 {"sin", sti_iv_sin, sti_span_sin, -20, 20, 16},  {"sin", sti_iv_sin, sti_span_sin, -1e6, 1e6, 16},
                 {"cos", sti_iv_cos, sti_span_cos, -20, 20, 16},  {"tan", sti_iv_tan, span_tan, -5, 5, 32},
                 {"atan", sti_iv_atan, sti_span_atan, -5, 5, 16}, {"asin", sti_iv_asin, span_asin, -0.99, 0.99, 24},
                 {"sinh", sti_iv_sinh, span_sinh, -3, 3, 24},     {"tanh", sti_iv_tanh, span_tanh, -3, 3, 40}};
    sti_spans s;
    sti_span x = {0}, y = {0};
    sti_rng rng = {5};
    sti_spans_init(&s, *state, 260);
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        for (int i = 0; i < 1000; i++) {
            double at = table[k].low + (table[k].high - table[k].low) * sti_rng_u01(&rng);
            if (i % 4 == 0) at = fmax(table[k].low, at * ldexp(1, -sti_rng_int(&rng, 0, 30)));
            const sti_interval a = table[k].f(iv_point(at));
            sti_span_set_double(&s, &x, at);
            table[k].exact(&s, &y, &x);
            if (!holds(&s, a, &y)) fail_msg("%s(%.17g) is not in [%.17g, %.17g]", table[k].name, at, a.low, a.high);
            if (iv_width(a) > table[k].units * 0x1p-52 * iv_mag(a) + 1e-300)
                fail_msg("%s(%.17g): [%.17g, %.17g] is too wide", table[k].name, at, a.low, a.high);
            // an interval around it holds the value too
            const double out = at + 3 * sti_rng_u01(&rng) * sti_rng_u01(&rng);
            const sti_interval wide = table[k].f(iv(at, fmin(out, table[k].high)));
            assert_true(wide.low <= a.low && (wide.high >= a.low || isinf(wide.low)));
        }
    }
    assert_int_equal(s.x.status, STI_OK);
    sti_span_clear(&s, &x);
    sti_span_clear(&s, &y);
    sti_spans_clear(&s);
}

static void extrema_and_poles_inside_count(void** state) {
    (void)state;
    assert_true(sti_iv_sin(iv(1, 2)).high == 1);
    assert_true(sti_iv_sin(iv(1, 5)).low == -1);
    assert_true(sti_iv_cos(iv(-0.1, 0.1)).high == 1);
    assert_true(sti_iv_cos(iv(3, 3.2)).low == -1);
    assert_true(sti_iv_sin(iv(0.1, 1.5)).high < 1);
    assert_true(sti_iv_sin(iv(0, 100)).low == -1);
    assert_true(sti_iv_tan_has_pole(iv(1.5, 1.6)));
    assert_false(sti_iv_tan_has_pole(iv(-1.5, 1.5)));
    assert_true(sti_iv_log(iv(-1, 1)).low == -INFINITY);
    assert_true(iv_inside(sti_iv_atan2(iv(1, 2), iv(-2, -1)), iv(1.57, 3.15)));
    assert_true(iv_is(sti_iv_pow(iv_point(0), iv_point(1.5)), 0));
    assert_true(iv_has(sti_iv_pow(iv(0, 4), iv_point(1.5)), 8));
    assert_true(sti_iv_pow_int(iv(-2, 3), 2).low == 0);
    assert_true(sti_iv_cosh(iv(-1, 2)).low == 1);
}

static void another_rounding_mode_is_refused(void** state) {
    const char *x = "x", *low = "0", *high = "1", *f = "x - 1/3";
    const sti_root_problem p = {.variable_count = 1,
                                .variables = &x,
                                .low = &low,
                                .high = &high,
                                .equations = &f,
                                .options = sti_root_options_default()};
    sti_root_answer a;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    assert_true(sti_iv_arithmetic_is_sound());
    for (int k = 0; k < 3; k++) {
        if (fesetround(modes[k]) != 0) continue;
        const sti_status status = sti_root_solve(*state, &p, NULL, &a);
        fesetround(FE_TONEAREST);
        assert_int_equal(status, STI_ERR_ARGUMENT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_encloses_what_integers_compute),
        cmocka_unit_test(operations_on_intervals_hold_those_on_members),
        cmocka_unit_test(what_is_exact_stays_exact),
        cmocka_unit_test(functions_enclose_their_values_within_few_units),
        cmocka_unit_test(extrema_and_poles_inside_count),
        cmocka_unit_test(another_rounding_mode_is_refused),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
