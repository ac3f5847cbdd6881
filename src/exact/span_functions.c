// span_functions.c: elementary functions of spans: Taylor series in integers, every rest added.
//
// Each function is computed at one point (a span of no width) as a span, by a series whose terms fall to less than one
// unit in the last place; the rest of the series is below the last term kept times a known factor, and is added to both
// sides. On a wide span exp, log and atan go by their ends; sin and cos by their ends and the extrema between them.
#include <math.h>

#include "exact/span.h"

// Ends of r moved out by 2^k units.
static void widen(sti_spans* s, sti_span* r, int k) {
    sti_int_set_i64(&s->x, &s->t[0], (int64_t)1 << k);
    sti_int_sub(&s->x, &r->low, &r->low, &s->t[0]);
    sti_int_add(&s->x, &r->high, &r->high, &s->t[0]);
}

static bool is_tiny(const sti_span* a) {  // within 4 units of 0
    return sti_int_bits(&a->low) <= 2 && sti_int_bits(&a->high) <= 2;
}

static void take(sti_spans* s, sti_span* r, sti_span* from) {
    sti_int_swap(&r->low, &from->low);
    sti_int_swap(&r->high, &from->high);
    sti_span_clear(s, from);
}

// sum_{j even or odd, or all} x^j / j! with signs: first = 0 or 1, step = 1 or 2, alternating or not; |x| <= 1.
// Where the terms are tiny the rest is below 16 units: they fall by a factor of 2 at least from there on.
static void taylor(sti_spans* s, sti_span* r, const sti_span* x, int first, int step, bool alternating) {
    sti_span term = {0}, square = {0}, sum = {0};
    sti_span_set_int(s, &term, 1);
    if (first == 1) sti_span_set(s, &term, x);
    if (step == 2)
        sti_span_sqr(s, &square, x);
    else
        sti_span_set(s, &square, x);
    for (int64_t j = first; s->x.status == STI_OK; j += step) {
        sti_span_add(s, &sum, &sum, &term);
        if (is_tiny(&term)) break;
        sti_span_mul(s, &term, &term, &square);
        sti_span_div_int(s, &term, &term, step == 2 ? (j + 1) * (j + 2) : j + 1);
        if (alternating) sti_span_neg(&term);
    }
    widen(s, &sum, 4);
    sti_span_clear(s, &term);
    sti_span_clear(s, &square);
    take(s, r, &sum);
}

// sum_j (+-1)^j x^(2j+1) / (2j+1), |x| <= 1/2: the rest is below 16 units where the powers are tiny
static void arc_series(sti_spans* s, sti_span* r, const sti_span* x, bool alternating) {
    sti_span power = {0}, square = {0}, sum = {0}, term = {0};
    sti_span_set(s, &power, x);
    sti_span_sqr(s, &square, x);
    for (int64_t j = 1; s->x.status == STI_OK; j += 2) {
        sti_span_div_int(s, &term, &power, j);
        sti_span_add(s, &sum, &sum, &term);
        if (is_tiny(&power)) break;
        sti_span_mul(s, &power, &power, &square);
        if (alternating) sti_span_neg(&power);
    }
    widen(s, &sum, 4);
    sti_span_clear(s, &power);
    sti_span_clear(s, &square);
    sti_span_clear(s, &term);
    take(s, r, &sum);
}

// ---- constants

// k atan(1/n) or k atanh(1/n) added to r
static void add_arc(sti_spans* s, sti_span* r, int64_t k, int64_t n, bool alternating) {
    sti_span x = {0};
    sti_span_set_int(s, &x, 1);
    sti_span_div_int(s, &x, &x, n);
    arc_series(s, &x, &x, alternating);
    sti_span_mul_int(s, &x, &x, k);
    sti_span_add(s, r, r, &x);
    sti_span_clear(s, &x);
}

void sti_span_pi(sti_spans* s, sti_span* r) {
    if (!s->have_pi) {  // Machin: pi = 16 atan(1/5) - 4 atan(1/239)
        sti_span_set_int(s, &s->pi, 0);
        add_arc(s, &s->pi, 16, 5, true);
        add_arc(s, &s->pi, -4, 239, true);
        s->have_pi = s->x.status == STI_OK;
    }
    sti_span_set(s, r, &s->pi);
}

static void ln2(sti_spans* s, sti_span* r) {
    if (!s->have_ln2) {  // 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749)
        sti_span_set_int(s, &s->ln2, 0);
        add_arc(s, &s->ln2, 18, 26, false);
        add_arc(s, &s->ln2, -2, 4801, false);
        add_arc(s, &s->ln2, 8, 8749, false);
        s->have_ln2 = s->x.status == STI_OK;
    }
    sti_span_set(s, r, &s->ln2);
}

// About a / b as a whole number; false: too large for one
static bool whole_ratio(sti_spans* s, const sti_span* a, double b, int64_t* out) {
    const double q = sti_span_double(s, a) / b;
    if (!(fabs(q) < 1e9)) return false;
    *out = (int64_t)rint(q);
    return true;
}

// ---- at a point

// 2^k times r
static void scale(sti_spans* s, sti_span* r, int64_t k) {
    if (k >= 0) {
        sti_int_shl(&s->x, &r->low, &r->low, (size_t)k);
        sti_int_shl(&s->x, &r->high, &r->high, (size_t)k);
    } else {
        sti_int_shr(&s->x, &r->low, &r->low, (size_t)-k);
        sti_int_neg(&r->high);
        sti_int_shr(&s->x, &r->high, &r->high, (size_t)-k);
        sti_int_neg(&r->high);
    }
}

static void exp_point(sti_spans* s, sti_span* r, const sti_span* a) {
    sti_span x = {0}, c = {0};
    int64_t k = 0;
    if (!whole_ratio(s, a, 0.69314718055994531, &k) || k > 100000 || k < -100000) {
        s->undefined = true;
        sti_span_set_int(s, r, 0);
        return;
    }
    ln2(s, &c);
    sti_span_mul_int(s, &c, &c, k);
    sti_span_sub(s, &x, a, &c);
    taylor(s, &x, &x, 0, 1, false);
    scale(s, &x, k);
    sti_span_clear(s, &c);
    take(s, r, &x);
}

// a > 0: 2^e m with m near 1, log m = 2 atanh((m-1)/(m+1))
static void log_point(sti_spans* s, sti_span* r, const sti_span* a) {
    sti_span m = {0}, one = {0}, up = {0};
    const int64_t e = (int64_t)sti_int_bits(&a->high) - (int64_t)s->bits;  // m in (1/2, 1], about
    sti_span_set(s, &m, a);
    scale(s, &m, -e);
    sti_span_set_int(s, &one, 1);
    sti_span_add(s, &up, &m, &one);
    sti_span_sub(s, &m, &m, &one);
    sti_span_div(s, &m, &m, &up);
    arc_series(s, &m, &m, false);
    sti_span_mul_int(s, &m, &m, 2);
    ln2(s, &one);
    sti_span_mul_int(s, &one, &one, e);
    sti_span_add(s, &m, &m, &one);
    sti_span_clear(s, &one);
    sti_span_clear(s, &up);
    take(s, r, &m);
}

// |x| halved until it is below 1/4, by x / (1 + sqrt(1 + x^2)), which is tan of half the angle
static void atan_point(sti_spans* s, sti_span* r, const sti_span* a) {
    sti_span x = {0}, one = {0}, root = {0};
    int turns = 0;
    sti_span_set(s, &x, a);
    sti_span_set_int(s, &one, 1);
    while (s->x.status == STI_OK && (sti_int_bits(&x.low) + 2 > s->bits || sti_int_bits(&x.high) + 2 > s->bits)) {
        sti_span_sqr(s, &root, &x);
        sti_span_add(s, &root, &root, &one);
        sti_span_sqrt(s, &root, &root);
        sti_span_add(s, &root, &root, &one);
        sti_span_div(s, &x, &x, &root);
        turns++;
    }
    arc_series(s, &x, &x, true);
    scale(s, &x, turns);
    sti_span_clear(s, &one);
    sti_span_clear(s, &root);
    take(s, r, &x);
}

// sin(a + shift pi/2) at a point; *quarter: the number of quarter turns in a, *rest: what is left
static void sin_point(sti_spans* s, sti_span* r, const sti_span* a, int shift, int64_t* quarter, sti_span* rest) {
    sti_span x = {0};
    *quarter = 0;
    if (!whole_ratio(s, a, 1.57079632679489662, quarter)) s->undefined = true;
    sti_span_pi(s, &x);
    sti_span_mul_int(s, &x, &x, *quarter);
    sti_span_div_int(s, &x, &x, 2);
    sti_span_sub(s, &x, a, &x);
    sti_span_set(s, rest, &x);
    *quarter += shift;
    const int64_t q = *quarter & 3;
    taylor(s, &x, &x, q % 2 == 0 ? 1 : 0, 2, true);
    if (q >= 2) sti_span_neg(&x);
    take(s, r, &x);
}

// ---- on spans

typedef void function(sti_spans* s, sti_span* r, const sti_span* a);

static void rising(sti_spans* s, sti_span* r, const sti_span* a, function* f) {
    sti_span low = {0}, high = {0};
    sti_int_set(&s->x, &low.low, &a->low);
    sti_int_set(&s->x, &low.high, &a->low);
    f(s, &low, &low);
    if (sti_int_cmp(&a->low, &a->high) != 0) {
        sti_int_set(&s->x, &high.low, &a->high);
        sti_int_set(&s->x, &high.high, &a->high);
        f(s, &high, &high);
        sti_int_swap(&low.high, &high.high);
    }
    sti_span_clear(s, &high);
    take(s, r, &low);
}

void sti_span_exp(sti_spans* s, sti_span* r, const sti_span* a) {
    if (s->x.status == STI_OK) rising(s, r, a, exp_point);
}

void sti_span_log(sti_spans* s, sti_span* r, const sti_span* a) {
    if (s->x.status != STI_OK) return;
    if (sti_int_sign(&a->low) <= 0) {
        s->undefined = true;
        sti_span_set_int(s, r, 0);
        return;
    }
    rising(s, r, a, log_point);
}

void sti_span_atan(sti_spans* s, sti_span* r, const sti_span* a) {
    if (s->x.status == STI_OK) rising(s, r, a, atan_point);
}

// Is some m pi/2 with m = which (mod 4) between the ends? Yes also when it cannot be told.
static bool has_extremum(int64_t q0, const sti_span* r0, int64_t q1, const sti_span* r1, int which) {
    const int64_t first = sti_span_sign(r0) > 0 ? q0 + 1 : q0, last = sti_span_sign(r1) < 0 ? q1 - 1 : q1;
    return first + ((which - first) % 4 + 4) % 4 <= last;
}

static void wave(sti_spans* s, sti_span* r, const sti_span* a, int shift) {
    sti_span low = {0}, high = {0}, rest[2] = {{{0}, {0}}, {{0}, {0}}}, one = {0};
    int64_t q[2];
    if (s->x.status != STI_OK) return;
    sti_int_set(&s->x, &low.low, &a->low);
    sti_int_set(&s->x, &low.high, &a->low);
    sti_int_set(&s->x, &high.low, &a->high);
    sti_int_set(&s->x, &high.high, &a->high);
    sin_point(s, &low, &low, shift, &q[0], &rest[0]);
    sin_point(s, &high, &high, shift, &q[1], &rest[1]);
    sti_span_hull(s, &low, &low, &high);
    sti_span_set_int(s, &one, 1);
    if (has_extremum(q[0], &rest[0], q[1], &rest[1], 1)) sti_int_set(&s->x, &low.high, &one.high);
    sti_span_neg(&one);
    if (has_extremum(q[0], &rest[0], q[1], &rest[1], 3)) sti_int_set(&s->x, &low.low, &one.low);
    sti_span_clear(s, &high);
    sti_span_clear(s, &rest[0]);
    sti_span_clear(s, &rest[1]);
    sti_span_clear(s, &one);
    take(s, r, &low);
}

void sti_span_sin(sti_spans* s, sti_span* r, const sti_span* a) {
    wave(s, r, a, 0);
}

void sti_span_cos(sti_spans* s, sti_span* r, const sti_span* a) {
    wave(s, r, a, 1);
}
