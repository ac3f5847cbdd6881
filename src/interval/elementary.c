// elementary.c: elementary functions of intervals, proved by how they are computed.
//
// No libm function is trusted (glibc states errors, nobody has proved them). At one double x a function is computed by
// argument reduction and a Taylor polynomial with its remainder, every step in interval arithmetic, so the result holds
// the value by construction; the only facts beside interval.h are the constants below, which tests compare with 200
// bits.
//
//     exp    x = k ln 2 + r,     |r| < 0.36,  sum_{k<15} r^k/k! + r^15/15! [e^-0.36, e^0.36]
//     log    x = 2^e m,  s = (m-1)/(m+1),     2 s (sum_{j<12} s^2j/(2j+1) + s^24/25 [1, 1/(1-s^2)])
//     sin    x = n pi/2 + r,     |r| < 0.79,  alternating series: the rest lies between 0 and the first term left out
//     cos    the same
//     atan   halved and turned until |x| < 0.2, alternating series
//
// and the others from these. On an interval a monotone function is given by its ends; sin, cos and tan by their ends
// and the extrema or poles between them, which the reduction counts. Results are within a few units in the last place
// of the range; at 0 (of log: 1) they are exact.
#include "interval/elementary.h"

#include <limits.h>

// ---- constants. Where two numbers stand, the constant lies between them

static const double LN2_HIGH = 0x1.62e42fefap-1;  // 38 bits: exact times an exponent
static const sti_interval LN2_REST = {0x1.cf79abc9e3b39p-40, 0x1.cf79abc9e3b3ap-40};
static const double HALF_PI_1 = 0x1.921fb548p+0;  // 30 bits each
static const double HALF_PI_2 = -0x1.de973dc8p-31;
static const double HALF_PI_3 = -0x1.9d9cceb8p-62;
static const sti_interval HALF_PI_REST = {-0x1.1fc8f8cbb5bf7p-93, -0x1.1fc8f8cbb5bf6p-93};
static const sti_interval HALF_PI = {0x1.921fb54442d18p+0, 0x1.921fb54442d19p+0};
static const sti_interval QUARTER_PI = {0x1.921fb54442d18p-1, 0x1.921fb54442d19p-1};
static const sti_interval PI = {0x1.921fb54442d18p+1, 0x1.921fb54442d19p+1};
static const sti_interval LN10 = {0x1.26bb1bbb55515p+1, 0x1.26bb1bbb55516p+1};

// 1/k!
static const sti_interval FACTOR[] = {
    {1, 1},
    {1, 1},
    {0.5, 0.5},
    {0x1.5555555555555p-3, 0x1.5555555555556p-3},
    {0x1.5555555555555p-5, 0x1.5555555555556p-5},
    {0x1.1111111111111p-7, 0x1.1111111111112p-7},
    {0x1.6c16c16c16c16p-10, 0x1.6c16c16c16c17p-10},
    {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01bp-13},
    {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01bp-16},
    {0x1.71de3a556c733p-19, 0x1.71de3a556c734p-19},
    {0x1.27e4fb7789f5cp-22, 0x1.27e4fb7789f5dp-22},
    {0x1.ae64567f544e3p-26, 0x1.ae64567f544e4p-26},
    {0x1.1eed8eff8d897p-29, 0x1.1eed8eff8d898p-29},
    {0x1.6124613a86d09p-33, 0x1.6124613a86d0ap-33},
    {0x1.93974a8c07c9dp-37, 0x1.93974a8c07c9ep-37},
    {0x1.ae7f3e733b81fp-41, 0x1.ae7f3e733b820p-41},
    {0x1.ae7f3e733b81fp-45, 0x1.ae7f3e733b820p-45},
    {0x1.952c77030ad4ap-49, 0x1.952c77030ad4bp-49},
    {0x1.6827863b97d97p-53, 0x1.6827863b97d98p-53},
    {0x1.2f49b46814157p-57, 0x1.2f49b46814158p-57},
};

// 1/(2 j + 1)
static const sti_interval ODD[] = {
    {1, 1},
    {0x1.5555555555555p-2, 0x1.5555555555556p-2},
    {0x1.9999999999999p-3, 0x1.999999999999ap-3},
    {0x1.2492492492492p-3, 0x1.2492492492493p-3},
    {0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71dp-4},
    {0x1.745d1745d1745p-4, 0x1.745d1745d1746p-4},
    {0x1.3b13b13b13b13p-4, 0x1.3b13b13b13b14p-4},
    {0x1.1111111111111p-4, 0x1.1111111111112p-4},
    {0x1.e1e1e1e1e1e1ep-5, 0x1.e1e1e1e1e1e1fp-5},
    {0x1.af286bca1af28p-5, 0x1.af286bca1af29p-5},
    {0x1.8618618618618p-5, 0x1.8618618618619p-5},
    {0x1.642c8590b2164p-5, 0x1.642c8590b2165p-5},
    {0x1.47ae147ae147ap-5, 0x1.47ae147ae147bp-5},
    {0x1.2f684bda12f68p-5, 0x1.2f684bda12f69p-5},
    {0x1.1a7b9611a7b96p-5, 0x1.1a7b9611a7b97p-5},
};

bool sti_iv_arithmetic_is_sound(void) {
    volatile const double one = 1, half_unit = 0x1p-53, tiny = 0x1p-1022, step = 1 + 0x1p-30;
    return one + half_unit == 1 && -one - half_unit == -1 && one + 3 * half_unit == 1 + 0x1p-51 && tiny / 2 > 0 &&
           tiny / 2 + tiny / 2 == tiny && fma(step, step, -(1 + 0x1p-29)) == 0x1p-60;
}

sti_interval sti_iv_pi(void) {
    return PI;
}

// c[0] + x (c[1] + x (c[2] + .. + x (c[terms-1] + x rest))) with c[j] = table[stride j] > 0 and 0 <= rest <= 2
// c[terms-1].
//
// Every inner sum p = c + x p' is positive and |x p'| <= c, because the tables fall and |x| is small. So the errors of
// its product and two sums are at most 5 2^-53 c, and moving the ends by 2^-50 c covers them: no error has to be looked
// at. The outermost step, which decides the width, is done in full.
static sti_interval horner(const sti_interval* table, int stride, int terms, sti_interval rest, sti_interval x) {
    sti_interval p = rest;
    for (int j = terms - 1; j > 0; j--) {
        const sti_interval c = table[stride * j];
        const double low = x.low * (x.low >= 0 ? p.low : p.high), high = x.high * (x.high >= 0 ? p.high : p.low);
        p = iv(c.low + low - 0x1p-50 * c.low, c.high + high + 0x1p-50 * c.high);
    }
    return iv_add(table[0], iv_mul(x, p));
}

// ---- exp and log

static sti_interval exp_point(double x) {
    enum { TERMS = 15 };
    if (x == -INFINITY) return iv_point(0);
    if (x > 709.79) return iv(DBL_MAX, INFINITY);  // ln DBL_MAX = 709.7827..
    if (x < -745.2) return iv(0, 0x1p-1074);       // ln 2^-1074 = -744.44..
    const int k = (int)rint(x * 1.4426950408889634);
    const sti_interval r = iv_sub(iv_sub(iv_point(x), iv_scale(iv_point(LN2_HIGH), k)), iv_scale(LN2_REST, k));
    const sti_interval p = horner(FACTOR, 1, TERMS, iv_mul(FACTOR[TERMS], iv(0.69, 1.44)), r);
    const int half = k / 2;
    return iv_scale(iv_scale(p, ldexp(1, half)), ldexp(1, k - half));
}

sti_interval sti_iv_exp(sti_interval a) {
    const sti_interval low = exp_point(a.low);
    return iv_is_point(a) ? low : iv(fmax(low.low, 0), exp_point(a.high).high);
}

static sti_interval log_point(double x) {
    enum { TERMS = 12 };
    if (x == 0) return iv(-INFINITY, -DBL_MAX);
    if (x == INFINITY) return iv(DBL_MAX, INFINITY);
    int e;
    double m = frexp(x, &e);
    if (m < 0.7071067811865475) {
        m *= 2;
        e--;
    }
    const sti_interval s = iv_div(iv_point(m - 1), iv_add(iv_point(m), iv_point(1)));  // m - 1 is exact
    const sti_interval sum = horner(ODD, 1, TERMS, iv_mul(ODD[TERMS], iv(1, 1.04)), iv_sqr(s));
    const sti_interval p = iv_mul(iv_scale(s, 2), sum);
    return iv_add(iv_scale(iv_point(LN2_HIGH), e), iv_add(iv_scale(LN2_REST, e), p));
}

sti_interval sti_iv_log(sti_interval a) {
    if (a.high <= 0) return iv_whole();
    const sti_interval high = log_point(a.high);
    return iv_is_point(a) ? high : iv(a.low <= 0 ? -INFINITY : log_point(a.low).low, high.high);
}

sti_interval sti_iv_log10(sti_interval a) {
    return iv_div(sti_iv_log(a), LN10);
}

// ---- sin, cos, tan

// |r| < 0.8
static sti_interval sin_series(sti_interval r) {
    enum { TERMS = 9 };
    return iv_mul(r, horner(FACTOR + 1, 2, TERMS, iv(0, FACTOR[2 * TERMS + 1].high), iv_neg(iv_sqr(r))));
}

static sti_interval cos_series(sti_interval r) {
    enum { TERMS = 9 };
    return horner(FACTOR, 2, TERMS, iv(0, FACTOR[2 * TERMS].high), iv_neg(iv_sqr(r)));
}

// x = n pi/2 + r
typedef struct reduced {
    int64_t n;
    sti_interval r;
} reduced;

// Beyond this the quarter turns are not counted: sin may be anything in [-1, 1].
static const double FARTHEST = 0x1p40;

static reduced reduce(double x) {
    const double n = rint(x * 0.63661977236758134);
    sti_interval r = iv_sub(iv_point(x), iv_scale(iv_point(HALF_PI_1), n));
    r = iv_sub(r, iv_scale(iv_point(HALF_PI_2), n));
    r = iv_sub(r, iv_scale(iv_point(HALF_PI_3), n));
    r = iv_sub(r, iv_scale(HALF_PI_REST, n));
    return (reduced){(int64_t)n, r};
}

static sti_interval clamp_unit(sti_interval a) {
    return iv(fmax(a.low, -1), fmin(a.high, 1));
}

// sin(r + n pi/2)
static sti_interval sin_reduced(reduced x) {
    if (!(x.r.low > -0.8 && x.r.high < 0.8)) return iv(-1, 1);  // the reduction has lost its bits
    const sti_interval s = (x.n & 1) != 0 ? cos_series(x.r) : sin_series(x.r);
    return clamp_unit((x.n & 2) != 0 ? iv_neg(s) : s);
}

// Is some m pi/2 with m = which (mod period) in [a, b]? Yes also when it cannot be told.
static bool has_multiple(reduced a, reduced b, int period, int which) {
    const int64_t first = a.r.low > 0 ? a.n + 1 : a.n, last = b.r.high < 0 ? b.n - 1 : b.n;
    int64_t m = first + (which - first % period + 2 * (int64_t)period) % period;
    return m <= last;
}

// sin(x + shift pi/2) over an interval
static sti_interval sin_shifted(sti_interval a, int shift) {
    if (!(a.low >= -FARTHEST && a.high <= FARTHEST) || a.high - a.low > 6.3) return iv(-1, 1);
    reduced low = reduce(a.low);
    low.n += shift;
    sti_interval s = sin_reduced(low);
    if (iv_is_point(a)) return s;
    reduced high = reduce(a.high);
    high.n += shift;
    s = iv_hull(s, sin_reduced(high));
    if (has_multiple(low, high, 4, 1)) s.high = 1;
    if (has_multiple(low, high, 4, 3)) s.low = -1;
    return s;
}

sti_interval sti_iv_sin(sti_interval a) {
    return sin_shifted(a, 0);
}

sti_interval sti_iv_cos(sti_interval a) {
    return sin_shifted(a, 1);
}

bool sti_iv_tan_has_pole(sti_interval a) {
    if (!(a.low >= -FARTHEST && a.high <= FARTHEST) || a.high - a.low > 3.2) return true;
    return has_multiple(reduce(a.low), reduce(a.high), 2, 1);
}

static sti_interval tan_point(double x) {
    return iv_div(sin_shifted(iv_point(x), 0), sin_shifted(iv_point(x), 1));
}

sti_interval sti_iv_tan(sti_interval a) {
    if (sti_iv_tan_has_pole(a)) return iv_whole();
    const sti_interval low = tan_point(a.low);
    return iv_is_point(a) ? low : iv(low.low, tan_point(a.high).high);
}

// ---- inverse functions

// |x| < 0.2
static sti_interval atan_series(sti_interval x) {
    enum { TERMS = 12 };
    return iv_mul(x, horner(ODD, 1, TERMS, iv(0, ODD[TERMS].high), iv_neg(iv_sqr(x))));
}

// Thin, 0 <= x up to rounding. tan(pi/8) = 0.4142.., so each turn is taken once.
static sti_interval atan_thin(sti_interval x) {
    const sti_interval one = iv_point(1);
    if (x.low > 1) return iv_sub(HALF_PI, atan_thin(iv_div(one, x)));
    if (x.high > 0.4143) return iv_add(QUARTER_PI, iv_neg(atan_thin(iv_div(iv_sub(one, x), iv_add(one, x)))));
    return iv_scale(atan_series(iv_div(x, iv_add(one, iv_sqrt(iv_add(one, iv_sqr(x)))))), 2);
}

static sti_interval atan_point(double x) {
    if (x < 0) return iv_neg(atan_point(-x));
    return isinf(x) ? HALF_PI : atan_thin(iv_point(x));
}

sti_interval sti_iv_atan(sti_interval a) {
    const sti_interval low = atan_point(a.low);
    return iv_is_point(a) ? low : iv(low.low, atan_point(a.high).high);
}

// x/sqrt((1-x)(1+x)), |x| <= 1
static sti_interval asin_point(double x) {
    if (x < 0) return iv_neg(asin_point(-x));
    if (x == 1) return HALF_PI;
    const sti_interval one = iv_point(1), p = iv_point(x);
    return atan_thin(iv_div(p, iv_sqrt(iv_mul(iv_sub(one, p), iv_add(one, p)))));
}

// 2 atan sqrt((1-x)/(1+x))
static sti_interval acos_point(double x) {
    if (x == -1) return PI;
    const sti_interval one = iv_point(1), p = iv_point(x);
    return iv_scale(atan_thin(iv_sqrt(iv_div(iv_sub(one, p), iv_add(one, p)))), 2);
}

sti_interval sti_iv_asin(sti_interval a) {
    if (a.high < -1 || a.low > 1) return iv_whole();
    const sti_interval low = asin_point(fmax(a.low, -1));
    return iv_is_point(a) ? low : iv(low.low, asin_point(fmin(a.high, 1)).high);
}

sti_interval sti_iv_acos(sti_interval a) {
    if (a.high < -1 || a.low > 1) return iv_whole();
    const sti_interval low = acos_point(fmin(a.high, 1));
    return iv_is_point(a) ? low : iv(low.low, acos_point(fmax(a.low, -1)).high);
}

// The angle of one point (x, y) other than 0.
static sti_interval angle_point(double y, double x) {
    const sti_interval py = iv_point(y), px = iv_point(x);
    if (x > 0 && fabs(y) <= x) return sti_iv_atan(iv_div(py, px));
    if (y > 0) return iv_sub(HALF_PI, sti_iv_atan(iv_div(px, py)));
    if (y < 0) return iv_neg(iv_add(HALF_PI, sti_iv_atan(iv_div(px, py))));
    return PI;  // y = 0, x < 0
}

sti_interval sti_iv_atan2(sti_interval y, sti_interval x) {
    const sti_interval all = iv(-PI.high, PI.high);
    if (!iv_is_bounded(y) || !iv_is_bounded(x)) return all;
    if (iv_has(y, 0) && x.low <= 0) {
        if (!(x.high < 0 && y.low == 0)) return all;          // the cut, or the origin
        return iv(angle_point(y.high, x.high).low, PI.high);  // from above only
    }
    // Seen from the origin, a box that does not hold it and does not meet the cut is bounded by two of its corners.
    sti_interval s = angle_point(y.low, x.low);
    s = iv_hull(s, angle_point(y.low, x.high));
    s = iv_hull(s, angle_point(y.high, x.low));
    return iv_hull(s, angle_point(y.high, x.high));
}

// ---- hyperbolic functions

static sti_interval sinh_point(double x) {
    enum { TERMS = 9 };
    if (fabs(x) >= 0.5) {
        const sti_interval e = exp_point(fabs(x));
        const sti_interval s = iv_scale(iv_sub(e, iv_div(iv_point(1), e)), 0.5);
        return x < 0 ? iv_neg(s) : s;
    }
    const sti_interval p = iv_point(x), rest = iv_mul(FACTOR[2 * TERMS + 1], iv(1, 1.13));  // cosh 0.5 = 1.1276..
    return iv_mul(p, horner(FACTOR + 1, 2, TERMS, rest, iv_sqr(p)));
}

static sti_interval cosh_point(double x) {
    const sti_interval e = exp_point(fabs(x));
    const sti_interval c = iv_scale(iv_add(e, iv_div(iv_point(1), e)), 0.5);
    return iv(fmax(c.low, 1), c.high);
}

static sti_interval tanh_point(double x) {
    if (fabs(x) > 20) {  // 1 - tanh 20 = 2 e^-40 / (1 + e^-40) < 2^-56
        const sti_interval t = iv(1 - 0x1p-53, 1);
        return x < 0 ? iv_neg(t) : t;
    }
    return clamp_unit(iv_div(sinh_point(x), cosh_point(x)));
}

sti_interval sti_iv_sinh(sti_interval a) {
    const sti_interval low = sinh_point(a.low);
    return iv_is_point(a) ? low : iv(low.low, sinh_point(a.high).high);
}

sti_interval sti_iv_cosh(sti_interval a) {
    const sti_interval low = cosh_point(iv_mig(a));
    return iv_is_point(a) ? low : iv(low.low, cosh_point(iv_mag(a)).high);
}

sti_interval sti_iv_tanh(sti_interval a) {
    const sti_interval low = tanh_point(a.low);
    return iv_is_point(a) ? low : iv(low.low, tanh_point(a.high).high);
}

// ---- powers

// x^n for 0 <= x, n >= 1; thin
static sti_interval power_thin(sti_interval x, long n) {
    sti_interval p = iv_point(1);
    for (; n > 0; n /= 2) {
        if (n % 2 != 0) p = iv_mul(p, x);
        if (n > 1) x = iv_sqr(x);
    }
    return p;
}

sti_interval sti_iv_pow_int(sti_interval a, long n) {
    if (n == 0) return iv_point(1);
    if (n < 0) return n == LONG_MIN ? iv_whole() : iv_div(iv_point(1), sti_iv_pow_int(a, -n));
    if (n % 2 == 0) {
        const sti_interval low = power_thin(iv_point(iv_mig(a)), n);
        return iv(fmax(low.low, 0), iv_is_point(a) ? low.high : power_thin(iv_point(iv_mag(a)), n).high);
    }
    const sti_interval low = power_thin(iv_point(fabs(a.low)), n), high = power_thin(iv_point(fabs(a.high)), n);
    return iv(a.low < 0 ? -low.high : low.low, a.high < 0 ? -high.low : high.high);
}

sti_interval sti_iv_pow(sti_interval a, sti_interval b) {
    if (iv_is(b, 0.5)) return iv_sqrt(a);
    if (a.high < 0) return iv_whole();
    a.low = fmax(a.low, 0);
    if (iv_is(a, 0)) return b.low > 0 ? iv_point(0) : iv_whole();
    const sti_interval p = sti_iv_exp(iv_mul(b, sti_iv_log(a)));
    return iv(a.low == 0 && b.low > 0 ? 0 : fmax(p.low, 0), p.high);
}

sti_interval sti_iv_hypot(sti_interval a, sti_interval b) {
    if (iv_is(a, 0)) return iv_abs(b);
    if (iv_is(b, 0)) return iv_abs(a);
    return iv_sqrt(iv_add(iv_sqr(a), iv_sqr(b)));
}
