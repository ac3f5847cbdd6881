// Integrals: the rule in many digits, known values, kinks, and what has none.
#include "bounds/quadrature.h"
#include "exact/span.h"
#include "interval/elementary.h"
#include "support/open_env.h"

// P_10 and P_9 at x, by their recurrence.
static void legendre(sti_spans* s, const sti_span* x, sti_span* p10, sti_span* p9) {
    sti_span next = {0}, t = {0};
    sti_span_set_int(s, p9, 1);
    sti_span_set(s, p10, x);
    for (int k = 2; k <= 10; k++) {
        sti_span_mul(s, &next, x, p10);
        sti_span_mul_int(s, &next, &next, 2 * k - 1);
        sti_span_mul_int(s, &t, p9, k - 1);
        sti_span_sub(s, &next, &next, &t);
        sti_span_div_int(s, &next, &next, k);
        sti_span_set(s, p9, p10);
        sti_span_set(s, p10, &next);
    }
    sti_span_clear(s, &next);
    sti_span_clear(s, &t);
}

static void nodes_and_weights_are_enclosed(void** state) {
    sti_gauss g;
    sti_spans s;
    sti_span p = {0}, q = {0}, low = {0}, high = {0}, x = {0}, w = {0}, box = {0};
    sti_gauss_make(&g);
    sti_spans_init(&s, *state, 300);
    for (int i = 5; i < 10; i++) {
        sti_span_set_double(&s, &low, g.node[i].low);
        sti_span_set_double(&s, &high, g.node[i].high);
        legendre(&s, &low, &p, &q);
        const int sign = sti_span_sign(&p);
        legendre(&s, &high, &p, &q);
        assert_true(sign * sti_span_sign(&p) < 0);  // the node lies between
        for (int turn = 0; turn < 120; turn++) {    // found to 2^-170
            sti_span_hull(&s, &x, &low, &high);
            sti_span_middle(&s, &x, &x);
            legendre(&s, &x, &p, &q);
            sti_span_set(&s, sti_span_sign(&p) == sign ? &low : &high, &x);
        }
        sti_span_hull(&s, &x, &low, &high);
        legendre(&s, &x, &p, &q);
        sti_span_sqr(&s, &x, &x);  // w = 2 (1 - x^2) / (10 P_9(x))^2
        sti_span_set_int(&s, &w, 1);
        sti_span_sub(&s, &w, &w, &x);
        sti_span_mul_int(&s, &w, &w, 2);
        sti_span_mul_int(&s, &q, &q, 10);
        sti_span_sqr(&s, &q, &q);
        sti_span_div(&s, &w, &w, &q);
        sti_span_set_doubles(&s, &box, g.weight[i].low, g.weight[i].high);
        assert_true(sti_span_inside(&w, &box));
        assert_true(g.node[9 - i].low == -g.node[i].high && g.node[9 - i].high == -g.node[i].low);
    }
    // the rule is exact for x^2k, sum w_i x_i^2k = 2/(2k+1)
    for (int k = 0; k < 10; k++) {
        sti_interval sum = iv_point(0);
        for (int i = 0; i < 10; i++) sum = iv_add(sum, iv_mul(g.weight[i], sti_iv_pow_int(g.node[i], 2 * k)));
        assert_true(iv_meets(sum, iv_div(iv_point(2), iv_point(2 * k + 1))) && iv_width(sum) < 1e-14);
    }
    sti_span_clear(&s, &p);
    sti_span_clear(&s, &q);
    sti_span_clear(&s, &low);
    sti_span_clear(&s, &high);
    sti_span_clear(&s, &x);
    sti_span_clear(&s, &w);
    sti_span_clear(&s, &box);
    sti_spans_clear(&s);
}

static bool integral(sti_env* env, const char* text, sti_interval low, sti_interval high, sti_interval* out) {
    static const char* const names[] = {"x"};
    sti_formulas f;
    sti_series s;
    int entry;
    double at;
    assert_int_equal(sti_formulas_open(&f, env, "variables", names, 1), STI_OK);
    assert_int_equal(sti_formulas_add(&f, "f", text, &entry), STI_OK);
    assert_int_equal(sti_series_init(&s, env, &f.tape, STI_QUADRATURE_ORDER), STI_OK);
    sti_series_want(&s, entry);
    sti_quadrature q = {.series = &s, .most_panels = 20000};
    sti_gauss_make(&q.gauss);
    const bool done = sti_integrate(&q, low, high, &entry, 1, out, &at);
    sti_series_clear(&s);
    sti_formulas_close(&f);
    return done;
}

static void known_integrals_are_enclosed(void** state) {
    static const struct {
        const char* text;
        double low, high, value, width;
    } table[] = {{"1", 0, 1, 1, 1e-14},
                 {"x^9", 0, 1, 0.1, 1e-15},
                 {"exp(x)", 0, 1, 1.7182818284590452354, 1e-14},
                 {"sin(20*x)", 0, 1, 0.029595896909330399, 1e-14},
                 {"1/(1+25*x^2)", -1, 1, 0.54936030677800634, 1e-14},
                 {"sqrt(x)", 0, 1, 2.0 / 3, 1e-13},
                 {"abs(x-0.3)", 0, 1, 0.29, 1e-14},
                 {"max(0, min(1, 10*x-3))", 0, 1, 0.65, 1e-13},
                 {"x^0.1", 0, 1, 1 / 1.1, 1e-12},
                 {"floor(3*x)", 0, 1, 1, 1e-13},
                 {"exp(-1000*(x-0.7)^2)", 0, 1, 0.056049912163979286, 1e-14},
                 {"cosh(x)*log(1+x)", 0, 2, 2.7863135601279396, 1e-13}};
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        sti_interval v;
        assert_true(integral(*state, table[k].text, iv_point(table[k].low), iv_point(table[k].high), &v));
        const double slack = 4e-16 * (1 + fabs(table[k].value));  // the value is a double
        if (v.low - slack > table[k].value || v.high + slack < table[k].value || iv_width(v) > table[k].width)
            fail_msg("%s: [%.17g, %.17g], not %.17g", table[k].text, v.low, v.high, table[k].value);
    }
}

static void ends_that_are_no_doubles_count(void** state) {
    sti_interval v;
    const sti_interval tenth = iv_div(iv_point(1), iv_point(10)), pi = sti_iv_pi();
    assert_true(integral(*state, "10", iv_point(0), tenth, &v));
    assert_true(iv_has(v, 1) && iv_width(v) < 1e-14);
    assert_true(integral(*state, "sin(x)", iv_point(0), pi, &v));
    assert_true(iv_has(v, 2) && iv_width(v) < 1e-14);
}

static void what_is_not_bounded_is_refused(void** state) {
    sti_interval v;
    assert_false(integral(*state, "1/x", iv_point(0), iv_point(1), &v));
    assert_false(integral(*state, "log(x)", iv_point(-1), iv_point(1), &v));
    assert_false(integral(*state, "tan(x)", iv_point(1), iv_point(2), &v));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_and_weights_are_enclosed),
        cmocka_unit_test(known_integrals_are_enclosed),
        cmocka_unit_test(ends_that_are_no_doubles_count),
        cmocka_unit_test(what_is_not_bounded_is_refused),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
