// interval.h: arithmetic of closed intervals: the result holds every value of the operation on members of its
// arguments.
//
// Rounded outward without touching the rounding mode, which belongs to the thread and not to us. Every operation is
// done to nearest, its error is found exactly (Knuth's two-sum, and fma for products, quotients and roots), and an end
// moves by one unit in the last place only when the error says that it has to. So what is exact stays exact: [1,1] +
// [2,2] is [3,3].
//
// Relied on, and nothing else: + - * / sqrt and fma are correctly rounded to nearest with gradual underflow (IEEE 754
// section 5.4, C17 annex F), and the compiler keeps them as written (-ffp-contract=off, no fast-math).
//
// An end may be infinite. No end is NAN, and low <= high; operations whose value set is empty or unknown return the
// whole line, and who called them knows by the domain.
#ifndef STI_INTERVAL_INTERVAL_H
#define STI_INTERVAL_INTERVAL_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stiction/interval.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD == 0 && DBL_MANT_DIG == 53, "doubles are rounded to doubles, operation by operation");

// Is this thread's arithmetic the one relied on: to nearest, with gradual underflow? Asked at every public entry.
bool sti_iv_arithmetic_is_sound(void);

// ---- neighbours of a double

static inline double iv_next_up(double x) {
    int64_t bits;
    if (x == INFINITY) return x;
    if (x == 0) return 0x1p-1074;
    memcpy(&bits, &x, sizeof bits);
    bits += x > 0 ? 1 : -1;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

static inline double iv_next_down(double x) {
    return -iv_next_up(-x);
}

// ---- one end: the operation on two doubles, rounded up (down: by the mirror image)

// Below this a product or a quotient may have lost bits that fma does not show.
#define IV_TINY 0x1p-960

static inline double iv_add_up(double a, double b) {
    const double s = a + b, bb = s - a, e = (a - (s - bb)) + (b - bb);
    if (e <= 0) return s;                // the usual case
    if (isinf(a) || isinf(b)) return s;  // s - a was no number; s is right
    return s == -INFINITY ? -DBL_MAX : iv_next_up(s);
}

static inline double iv_mul_up(double a, double b) {
    if (a == 0 || b == 0) return 0;  // also of 0 and an infinite end, which stands for large numbers only
    const double p = a * b, e = fma(a, b, -p);
    if (fabs(p) >= IV_TINY && e <= 0) return p;
    if (isinf(a) || isinf(b)) return p;
    return p == -INFINITY ? -DBL_MAX : iv_next_up(p);
}

// b != 0
static inline double iv_div_up(double a, double b) {
    if (a == 0 || isinf(b)) return 0;
    const double q = a / b, r = fma(-q, b, a);  // a - q b, so a/b - q has the sign of r b
    if (fabs(q) >= IV_TINY && fabs(a) >= IV_TINY && (b > 0 ? r <= 0 : r >= 0)) return q;
    if (isinf(a)) return q;
    return q == -INFINITY ? -DBL_MAX : iv_next_up(q);
}

static inline double iv_add_down(double a, double b) {
    return -iv_add_up(-a, -b);
}
static inline double iv_mul_down(double a, double b) {
    return -iv_mul_up(-a, b);
}
static inline double iv_div_down(double a, double b) {
    return -iv_div_up(-a, b);
}

// ---- making and asking

static inline sti_interval iv(double low, double high) {
    return (sti_interval){low, high};
}
static inline sti_interval iv_point(double x) {
    return (sti_interval){x, x};
}
static inline sti_interval iv_whole(void) {
    return (sti_interval){-INFINITY, INFINITY};
}
static inline bool iv_is_point(sti_interval a) {
    return a.low == a.high;
}
static inline bool iv_is_bounded(sti_interval a) {
    return a.low > -INFINITY && a.high < INFINITY;
}
static inline bool iv_has(sti_interval a, double x) {
    return a.low <= x && x <= a.high;
}
static inline bool iv_is(sti_interval a, double x) {
    return a.low == x && a.high == x;
}
static inline bool iv_inside(sti_interval a, sti_interval b) {
    return b.low <= a.low && a.high <= b.high;
}
static inline bool iv_meets(sti_interval a, sti_interval b) {
    return a.low <= b.high && b.low <= a.high;
}
static inline double iv_width(sti_interval a) {  // rounded up
    return iv_add_up(a.high, -a.low);
}
static inline double iv_mag(sti_interval a) {  // largest absolute value
    return fmax(fabs(a.low), fabs(a.high));
}
static inline double iv_mig(sti_interval a) {  // least absolute value
    return iv_has(a, 0) ? 0 : fmin(fabs(a.low), fabs(a.high));
}
// Some double of the interval, near its middle; of an unbounded one still finite.
static inline double iv_mid(sti_interval a) {
    const double low = fmax(a.low, -DBL_MAX), high = fmin(a.high, DBL_MAX), m = 0.5 * low + 0.5 * high;
    return fmin(fmax(m, low), high);
}

// ---- sets

static inline sti_interval iv_hull(sti_interval a, sti_interval b) {
    return iv(fmin(a.low, b.low), fmax(a.high, b.high));
}
// Of two that meet: numbers known to be in both.
static inline sti_interval iv_meet(sti_interval a, sti_interval b) {
    return iv(fmax(a.low, b.low), fmin(a.high, b.high));
}

// ---- arithmetic

static inline sti_interval iv_neg(sti_interval a) {
    return iv(-a.high, -a.low);
}
static inline sti_interval iv_add(sti_interval a, sti_interval b) {
    return iv(iv_add_down(a.low, b.low), iv_add_up(a.high, b.high));
}
static inline sti_interval iv_sub(sti_interval a, sti_interval b) {
    return iv(iv_add_down(a.low, -b.high), iv_add_up(a.high, -b.low));
}

static inline sti_interval iv_mul(sti_interval a, sti_interval b) {
    if (a.low >= 0) {
        if (b.low >= 0) return iv(iv_mul_down(a.low, b.low), iv_mul_up(a.high, b.high));
        if (b.high <= 0) return iv(iv_mul_down(a.high, b.low), iv_mul_up(a.low, b.high));
        return iv(iv_mul_down(a.high, b.low), iv_mul_up(a.high, b.high));
    }
    if (a.high <= 0) {
        if (b.low >= 0) return iv(iv_mul_down(a.low, b.high), iv_mul_up(a.high, b.low));
        if (b.high <= 0) return iv(iv_mul_down(a.high, b.high), iv_mul_up(a.low, b.low));
        return iv(iv_mul_down(a.low, b.high), iv_mul_up(a.low, b.low));
    }
    if (b.low >= 0) return iv(iv_mul_down(a.low, b.high), iv_mul_up(a.high, b.high));
    if (b.high <= 0) return iv(iv_mul_down(a.high, b.low), iv_mul_up(a.low, b.low));
    return iv(fmin(iv_mul_down(a.low, b.high), iv_mul_down(a.high, b.low)),
              fmax(iv_mul_up(a.low, b.low), iv_mul_up(a.high, b.high)));
}

static inline sti_interval iv_scale(sti_interval a, double s) {
    return s >= 0 ? iv(iv_mul_down(a.low, s), iv_mul_up(a.high, s)) : iv(iv_mul_down(a.high, s), iv_mul_up(a.low, s));
}

static inline sti_interval iv_sqr(sti_interval a) {
    const double small = iv_mig(a), large = iv_mag(a);
    return iv(iv_mul_down(small, small), iv_mul_up(large, large));
}

static inline sti_interval iv_abs(sti_interval a) {
    return iv(iv_mig(a), iv_mag(a));
}

// Quotients by members of b other than 0; where b holds 0 inside, the whole line.
static inline sti_interval iv_div(sti_interval a, sti_interval b) {
    if (b.high <= 0) {
        a = iv_neg(a);
        b = iv_neg(b);
    }
    if (b.low < 0 || b.high == 0) return iv_whole();
    if (b.low == 0) {  // (0, b.high]
        if (a.low >= 0) return iv(iv_div_down(a.low, b.high), a.high == 0 ? 0 : INFINITY);
        if (a.high <= 0) return iv(-INFINITY, iv_div_up(a.high, b.high));
        return iv_whole();
    }
    return iv(iv_div_down(a.low, a.low >= 0 ? b.high : b.low), iv_div_up(a.high, a.high >= 0 ? b.low : b.high));
}

// Roots of the part of a that is >= 0. Where there is none: the whole line.
static inline double iv_sqrt_up(double x) {
    const double r = sqrt(x);
    if (x == 0 || isinf(x) || (x >= IV_TINY && fma(-r, r, x) <= 0)) return r;
    return iv_next_up(r);
}
static inline double iv_sqrt_down(double x) {
    const double r = sqrt(x);
    if (x == 0 || isinf(x) || (x >= IV_TINY && fma(-r, r, x) >= 0)) return r;
    return iv_next_down(r);
}
static inline sti_interval iv_sqrt(sti_interval a) {
    if (a.high < 0) return iv_whole();
    return iv(iv_sqrt_down(fmax(a.low, 0)), iv_sqrt_up(a.high));
}

#endif
