// Spans: integers rounded down as they should be, and elementary functions against digits from elsewhere.
#include <math.h>

#include "base/rng.h"
#include "exact/rationals.h"
#include "exact/span.h"
#include "support/open_env.h"

enum { BITS = 200 };

// Does the span hold the number with these decimal digits, up to 1e-55, and is it thin?
static void assert_digits(sti_env* env, sti_spans* s, const sti_span* a, const char* digits) {
    sti_rationals* q;
    sti_span exact = {0}, slack = {0};
    assert_int_equal(sti_rationals_create(env, 1, &q), STI_OK);
    assert_int_equal(sti_rationals_set_text(q, 0, digits), STI_OK);
    sti_span_set_ratio(s, &exact, &q->num[0], &q->den[0]);
    sti_span_set_doubles(s, &slack, -1e-55, 1e-55);
    sti_span_add(s, &exact, &exact, &slack);
    if (!sti_span_inside(a, &exact)) fail_msg("%s: not %.17g", digits, sti_span_double(s, a));
    sti_span_clear(s, &exact);
    sti_span_clear(s, &slack);
    sti_rationals_destroy(q);
}

static void functions_have_the_digits_that_mpmath_gives(void** state) {
    sti_spans s;
    sti_span x = {0}, y = {0};
    sti_spans_init(&s, *state, BITS);
    sti_span_pi(&s, &x);
    assert_digits(*state, &s, &x, "3.14159265358979323846264338327950288419716939937510582097494");
    sti_span_set_double(&s, &x, 1.5);
    sti_span_exp(&s, &y, &x);
    assert_digits(*state, &s, &y, "4.4816890703380648226020554601192758190057498683696670567726500827859");
    sti_span_log(&s, &y, &x);
    assert_digits(*state, &s, &y, "0.40546510810816438197801311546434913657199042346249419761401432414410");
    sti_span_sin(&s, &y, &x);
    assert_digits(*state, &s, &y, "0.99749498660405443094172337114148732270665142592211582194997482405936");
    sti_span_cos(&s, &y, &x);
    assert_digits(*state, &s, &y, "0.070737201667702910088189851434268709085091027563346869426454997140042");
    sti_span_atan(&s, &y, &x);
    assert_digits(*state, &s, &y, "0.98279372324732906798571061101466601449687745363162855676142508831798");
    sti_span_set_double(&s, &x, -20.25);
    sti_span_exp(&s, &y, &x);
    assert_true(fabs(sti_span_double(&s, &y) / exp(-20.25) - 1) < 1e-15);
    sti_span_sin(&s, &y, &x);
    assert_true(fabs(sti_span_double(&s, &y) - sin(-20.25)) < 1e-15);
    assert_int_equal(s.x.status, STI_OK);
    sti_span_clear(&s, &x);
    sti_span_clear(&s, &y);
    sti_spans_clear(&s);
}

static void division_and_shift_round_down(void** state) {
    sti_exact x;
    sti_int a = {0}, b = {0}, q = {0}, r = {0};
    sti_rng rng = {3};
    sti_exact_init(&x, *state);
    for (int i = 0; i < 3000; i++) {
        sti_int_set_i64(&x, &a, (int64_t)sti_rng_next(&rng) >> sti_rng_int(&rng, 0, 62));
        sti_int_set_i64(&x, &b, 1 + (int64_t)(sti_rng_next(&rng) >> sti_rng_int(&rng, 2, 62)));
        sti_int_shl(&x, &a, &a, (size_t)sti_rng_int(&rng, 0, 130));
        sti_int_shl(&x, &b, &b, (size_t)sti_rng_int(&rng, 0, 70));
        sti_int_div(&x, &q, &a, &b);
        sti_int_mul(&x, &r, &q, &b);
        sti_int_sub(&x, &r, &a, &r);  // 0 <= a - q b < b
        assert_true(sti_int_sign(&r) >= 0 && sti_int_cmp(&r, &b) < 0);
        const size_t bits = (size_t)sti_rng_int(&rng, 0, 200);
        sti_int_shr(&x, &q, &a, bits);
        sti_int_shl(&x, &r, &q, bits);
        sti_int_sub(&x, &r, &a, &r);  // 0 <= a - q 2^bits < 2^bits
        assert_true(sti_int_sign(&r) >= 0 && sti_int_bits(&r) <= bits);
        if (sti_int_sign(&a) < 0) sti_int_neg(&a);
        sti_int_sqrt(&x, &q, &a);
        sti_int_mul(&x, &r, &q, &q);
        assert_true(sti_int_cmp(&r, &a) <= 0);
        sti_int_set_i64(&x, &r, 1);
        sti_int_add(&x, &q, &q, &r);
        sti_int_mul(&x, &r, &q, &q);
        assert_true(sti_int_cmp(&r, &a) > 0);
    }
    assert_int_equal(x.status, STI_OK);
    sti_int_clear(*state, &a);
    sti_int_clear(*state, &b);
    sti_int_clear(*state, &q);
    sti_int_clear(*state, &r);
    sti_exact_clear(&x);
}

static void undefined_values_are_told(void** state) {
    sti_spans s;
    sti_span x = {0}, y = {0};
    sti_spans_init(&s, *state, BITS);
    sti_span_set_doubles(&s, &x, -1, 1);
    sti_span_log(&s, &y, &x);
    assert_true(s.undefined);
    s.undefined = false;
    sti_span_set_int(&s, &y, 1);
    sti_span_div(&s, &y, &y, &x);
    assert_true(s.undefined);
    s.undefined = false;
    sti_span_sqrt(&s, &y, &x);
    assert_true(s.undefined);
    sti_span_clear(&s, &x);
    sti_span_clear(&s, &y);
    sti_spans_clear(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_the_digits_that_mpmath_gives),
        cmocka_unit_test(division_and_shift_round_down),
        cmocka_unit_test(undefined_values_are_told),
    };
    return cmocka_run_group_tests(tests, open_state_env, close_state_env);
}
