// series.c: Taylor coefficients over intervals by the recurrences of automatic differentiation.
//
// For c = f(a) each function satisfies a linear differential equation in the series of a, which gives its coefficients
// one after the other (Moore 1966; Griewank & Walther, Evaluating Derivatives, sec. 13.2):
//
//     product    c_k = sum_j a_j b_{k-j}
//     quotient   c_k = (a_k - sum_{j>0} b_j c_{k-j}) / b_0
//     sqrt       c_k = (a_k - sum_{0<j<k} c_j c_{k-j}) / (2 c_0)
//     c' = a' v  k c_k = sum_{j>0} j a_j v_{k-j}                   exp, sin, cos, sinh, cosh, tan, tanh with their v
//     c' v = a'  c_k = (a_k - 1/k sum_{0<j<k} j c_j v_{k-j}) / v_0   log, atan, asin, acos with their v
//     a^p        c_k = 1/(k a_0) sum_{j<k} (p (k-j) - j) a_{k-j} c_j
#include "interval/series.h"

#include <limits.h>
#include <stdio.h>

#include "interval/elementary.h"

// ---- memory

sti_status sti_series_init(sti_series* s, sti_env* env, const sti_tape* tape, int order) {
    const size_t count = (size_t)tape->count, rows = count * (size_t)(order + 1);
    *s = (sti_series){.env = env, .tape = tape, .order = order};
    s->c = sti_alloc_array_zero(env, rows, sizeof *s->c);
    s->d = sti_alloc_array_zero(env, rows, sizeof *s->d);
    s->scratch = sti_alloc_array_zero(env, 3 * (size_t)(order + 1), sizeof *s->scratch);
    s->length = sti_alloc_array_zero(env, count, sizeof *s->length);
    s->trouble = sti_alloc_array_zero(env, count, 1);
    s->needed = sti_alloc_array_zero(env, count, 1);
    s->fixed = sti_alloc_array_zero(env, count, 1);
    if (s->c == NULL || s->d == NULL || s->scratch == NULL || s->length == NULL || s->trouble == NULL ||
        s->needed == NULL || s->fixed == NULL) {
        sti_series_clear(s);
        return STI_ERR_MEMORY;
    }
    for (int i = 0; i < tape->count; i++) {
        const sti_node* x = &tape->node[i];
        s->fixed[i] =
            x->op == STI_OP_CONSTANT || (x->op != STI_OP_INPUT && s->fixed[x->a] && (x->b < 0 || s->fixed[x->b]));
    }
    return STI_OK;
}

void sti_series_clear(sti_series* s) {
    if (s->env == NULL) return;
    sti_free(s->env, s->c);
    sti_free(s->env, s->d);
    sti_free(s->env, s->scratch);
    sti_free(s->env, s->length);
    sti_free(s->env, s->trouble);
    sti_free(s->env, s->needed);
    sti_free(s->env, s->fixed);
    *s = (sti_series){0};
}

void sti_series_want(sti_series* s, int entry) {
    s->needed[entry] = 1;
    for (int i = entry; i >= 0; i--) {
        const sti_node* x = &s->tape->node[i];
        if (!s->needed[i] || sti_op_arguments(x->op) == 0) continue;
        s->needed[x->a] = 1;
        if (x->b >= 0) s->needed[x->b] = 1;
    }
    s->warm = false;
}

// ---- sums of products

// sum_{i<n} a[i] b[-i]. Products and sums are rounded to nearest; the error of both ends together is at most
// (n+1) 2^-53 sum |products| and what underflows, and comes off at the end.
static sti_interval dot(const sti_interval* a, const sti_interval* b, int n) {
    double low = 0, high = 0, size = 0;
    for (int i = 0; i < n; i++, b--) {
        const double p = a[i].low * b->low, q = a[i].low * b->high, r = a[i].high * b->low, s = a[i].high * b->high;
        const double l1 = p < q ? p : q, l2 = r < s ? r : s, l = l1 < l2 ? l1 : l2;
        const double h1 = p > q ? p : q, h2 = r > s ? r : s, h = h1 > h2 ? h1 : h2;
        low += l;
        high += h;
        size += fabs(l) + fabs(h);
    }
    if (!(size < INFINITY)) return iv_whole();
    const double error = size * ((n + 4) * 0x1p-53) + n * 0x1p-1073;
    return iv(iv_next_down(low - error), iv_next_up(high + error));
}

// sum_{from <= j <= to} a_j b_{k-j}, of series with la and lb coefficients
static sti_interval convolve(const sti_interval* a, int la, const sti_interval* b, int lb, int k, int from, int to) {
    if (to > la - 1) to = la - 1;
    if (from < k - lb + 1) from = k - lb + 1;
    if (from > to) return iv_point(0);
    if (to - from > 1) return dot(a + from, b + k - from, to - from + 1);
    sti_interval sum = iv_mul(a[from], b[k - from]);
    return to > from ? iv_add(sum, iv_mul(a[to], b[k - to])) : sum;
}

// ---- one entry at work

typedef struct work {
    sti_series* s;
    int n;                // order of this evaluation
    sti_interval *c, *d;  // (n+1)
    const sti_interval *a, *b;
    int la, lb;  // lengths of the arguments
    int* length;
    unsigned char* trouble;
} work;

static int least(int a, int b) {
    return a < b ? a : b;
}

static void fill(sti_interval* c, int from, int n, sti_interval value) {
    for (int k = from; k <= n; k++) c[k] = value;
}

static void set_length(const work* w, int length) {
    *w->length = least(length, w->n + 1);
    fill(w->c, *w->length, w->n, iv_point(0));
}

// Slopes that nothing is known of, from k on.
static void give_up(const work* w, int k) {
    fill(w->c, k, w->n, iv_whole());
    *w->length = w->n + 1;
}

static void multiply(sti_interval* c, const sti_interval* a, int la, const sti_interval* b, int lb, int n) {
    for (int k = 0; k <= n; k++) c[k] = convolve(a, la, b, lb, k, 0, k);
}

static void square(sti_interval* c, const sti_interval* a, int la, int n) {
    for (int k = 0; k <= n; k++) {
        c[k] = iv_scale(convolve(a, la, a, la, k, 0, (k + 1) / 2 - 1), 2);
        if (k % 2 == 0 && k / 2 < la) c[k] = iv_add(c[k], iv_sqr(a[k / 2]));
    }
}

static void divide(sti_interval* c, const sti_interval* a, int la, const sti_interval* b, int lb, int n) {
    for (int k = 0; k <= n; k++) {
        const sti_interval rest = convolve(b, lb, c, n + 1, k, 1, k), top = k < la ? a[k] : iv_point(0);
        c[k] = iv_div(iv_sub(top, rest), b[0]);
    }
}

// c_0 is there
static void root(sti_interval* c, const sti_interval* a, int la, int n) {
    const sti_interval twice = iv_scale(c[0], 2);
    for (int k = 1; k <= n; k++) {
        const sti_interval rest = convolve(c, n + 1, c, n + 1, k, 1, k - 1), top = k < la ? a[k] : iv_point(0);
        c[k] = iv_div(iv_sub(top, rest), twice);
    }
}

// j a_j for all j into out
static void slopes(sti_interval* out, const sti_interval* a, int la, int n) {
    for (int j = 0; j <= n; j++) out[j] = j < la ? iv_scale(a[j], j) : iv_point(0);
}

// c_k of c' = a' v: slope holds j a_j; v_0 .. v_{k-1} are there
static sti_interval driven(const work* w, const sti_interval* slope, const sti_interval* v, int k) {
    return iv_div(convolve(slope, w->la, v, w->n + 1, k, 1, k), iv_point(k));
}

// c' v = a', c_0 is there; lv: length of v
static void integrate(const work* w, const sti_interval* a, int la, const sti_interval* v, int lv) {
    sti_interval* slope = w->s->scratch;
    for (int k = 1; k <= w->n; k++) {
        slope[k - 1] = iv_scale(w->c[k - 1], k - 1);
        const sti_interval rest = iv_div(convolve(slope, k, v, lv, k, 1, k - 1), iv_point(k));
        w->c[k] = iv_div(iv_sub(k < la ? a[k] : iv_point(0), rest), v[0]);
    }
}

// ---- powers

// (a_0 + a_1 s)^p, p >= 0 whole: binomial coefficients, tight and of finite length
static void power_of_line(const work* w, long p) {
    const sti_interval slope = w->la > 1 ? w->a[1] : iv_point(0);
    sti_interval factor = iv_point(1);  // binomial (p, k) a_1^k
    for (int k = 0; k <= w->n && k <= p; k++) {
        w->c[k] = iv_mul(factor, sti_iv_pow_int(w->a[0], p - k));
        factor = iv_div(iv_mul(factor, iv_scale(slope, (double)(p - k))), iv_point(k + 1));
    }
    set_length(w, w->la == 1 ? 1 : p < w->n ? (int)p + 1 : w->n + 1);
}

// (a_0 + a_1 s)^p for any p, a_0 from 0 on: coefficients that are not bounded are still bounded on one side
static void power_from_zero(const work* w, sti_interval p) {
    const sti_interval slope = w->la > 1 ? w->a[1] : iv_point(0);
    sti_interval factor = iv_point(1);  // p (p-1) .. (p-k+1) / k! a_1^k
    for (int k = 0; k <= w->n; k++) {
        const sti_interval rest = iv_sub(p, iv_point(k));
        const sti_interval value = rest.low > 0    ? sti_iv_pow(w->a[0], rest)
                                   : rest.high < 0 ? iv_div(iv_point(1), sti_iv_pow(w->a[0], iv_neg(rest)))
                                                   : iv_hull(iv_point(1), iv(0, INFINITY));
        w->c[k] = iv_mul(factor, value);
        factor = iv_div(iv_mul(factor, iv_mul(slope, rest)), iv_point(k + 1));
    }
    *w->length = w->n + 1;
}

// By squaring, p >= 1: good also where a holds 0
static void power_by_squaring(const work* w, long p) {
    const size_t bytes = (size_t)(w->n + 1) * sizeof *w->c;
    sti_interval *base = w->s->scratch, *next = base + w->n + 1;
    memcpy(base, w->a, bytes);
    fill(w->c, 0, w->n, iv_point(0));
    w->c[0] = iv_point(1);
    for (long e = p; e > 0; e /= 2) {
        if (e % 2 != 0) {
            multiply(next, w->c, w->n + 1, base, w->n + 1, w->n);
            memcpy(w->c, next, bytes);
        }
        if (e == 1) break;
        square(next, base, w->n + 1, w->n);
        memcpy(base, next, bytes);
    }
    w->c[0] = sti_iv_pow_int(w->a[0], p);
    *w->length = w->n + 1;
}

// Any constant exponent, a_0 without 0; c_0 is there
static void power_by_recurrence(const work* w, sti_interval p) {
    sti_interval* factor = w->s->scratch;
    for (int k = 1; k <= w->n; k++) {
        for (int j = 0; j < k; j++) {  // (p (k-j) - j) a_{k-j}, standing for c_j
            factor[k - j] = iv_point(0);
            if (k - j < w->la) factor[k - j] = iv_mul(iv_sub(iv_scale(p, k - j), iv_point(j)), w->a[k - j]);
        }
        w->c[k] = iv_div(convolve(factor, w->la, w->c, k, k, 1, k), iv_scale(w->a[0], k));
    }
    *w->length = w->n + 1;
}

static void power_whole(const work* w, long p) {
    if (p < 0 && iv_has(w->a[0], 0)) *w->trouble |= iv_is(w->a[0], 0) ? STI_TROUBLE_NOWHERE : STI_TROUBLE_PARTIAL;
    if (p >= 0 && w->la <= 2) {
        power_of_line(w, p);
    } else if (p >= 0 && (p <= 4 || iv_has(w->a[0], 0))) {
        power_by_squaring(w, p);
    } else {
        w->c[0] = sti_iv_pow_int(w->a[0], p);
        if (iv_has(w->a[0], 0))
            give_up(w, 1);
        else
            power_by_recurrence(w, iv_point((double)p));
    }
}

// exp(b log a)
static void power_general(const work* w) {
    sti_interval *log_a = w->d, *slope = w->s->scratch + 1 * (w->n + 1), *product = w->s->scratch + 2 * (w->n + 1);
    const work of_log = {.s = w->s, .n = w->n, .c = log_a};
    log_a[0] = sti_iv_log(w->a[0]);
    integrate(&of_log, w->a, w->la, w->a, w->la);
    multiply(product, log_a, w->n + 1, w->b, w->lb, w->n);
    slopes(slope, product, w->n + 1, w->n);
    w->c[0] = sti_iv_exp(product[0]);
    for (int k = 1; k <= w->n; k++) w->c[k] = iv_div(convolve(slope, w->n + 1, w->c, w->n + 1, k, 1, k), iv_point(k));
    *w->length = w->n + 1;
}

static void power(const work* w) {
    enum { LARGEST = 1000000 };
    const sti_interval b = w->b[0];
    if (w->lb == 1 && iv_is_point(b) && b.low == rint(b.low) && fabs(b.low) <= LARGEST) {
        power_whole(w, (long)b.low);
        return;
    }
    if (w->a[0].high < 0 || (w->a[0].high == 0 && b.high <= 0))
        *w->trouble |= STI_TROUBLE_NOWHERE;
    else if (w->a[0].low < 0 || (w->a[0].low == 0 && b.low <= 0))
        *w->trouble |= STI_TROUBLE_PARTIAL;
    const sti_interval value = sti_iv_pow(w->a[0], b);
    if (w->a[0].low == 0 && w->la <= 2 && w->lb == 1 && b.low > 0) {
        power_from_zero(w, b);
    } else if (w->a[0].low <= 0) {
        w->c[0] = value;
        if (w->n > 0 && w->lb == 1 && b.low > 0)  // slope b a^(b-1) a_1: bounded on one side at least
            w->c[1] = iv_mul(iv_mul(b, b.low >= 1 ? sti_iv_pow(w->a[0], iv_sub(b, iv_point(1)))
                                                  : iv_div(iv_point(1), sti_iv_pow(w->a[0], iv_sub(iv_point(1), b)))),
                             w->la > 1 ? w->a[1] : iv_point(0));
        give_up(w, w->n > 0 && w->lb == 1 && b.low > 0 ? 2 : 1);
    } else if (w->lb == 1) {
        w->c[0] = value;
        power_by_recurrence(w, b);
    } else {
        power_general(w);
        w->c[0] = iv_meets(w->c[0], value) ? iv_meet(w->c[0], value) : value;
    }
}

// ---- functions of one argument

static void exponential(const work* w) {
    sti_interval* slope = w->s->scratch;
    slopes(slope, w->a, w->la, w->n);
    w->c[0] = sti_iv_exp(w->a[0]);
    for (int k = 1; k <= w->n; k++) w->c[k] = driven(w, slope, w->c, k);
    *w->length = w->n + 1;
}

// sin and cos, sinh and cosh: c' = a' d, d' = sign a' c
static void circular(const work* w, sti_op op) {
    const bool round = op == STI_OP_SIN || op == STI_OP_COS, odd = op == STI_OP_SIN || op == STI_OP_SINH;
    sti_interval *slope = w->s->scratch, *s = odd ? w->c : w->d, *c = odd ? w->d : w->c;
    slopes(slope, w->a, w->la, w->n);
    if (w->n == 0) {
        w->c[0] = op == STI_OP_SIN   ? sti_iv_sin(w->a[0])
                  : op == STI_OP_COS ? sti_iv_cos(w->a[0])
                  : odd              ? sti_iv_sinh(w->a[0])
                                     : sti_iv_cosh(w->a[0]);
    } else {
        s[0] = round ? sti_iv_sin(w->a[0]) : sti_iv_sinh(w->a[0]);
        c[0] = round ? sti_iv_cos(w->a[0]) : sti_iv_cosh(w->a[0]);
    }
    for (int k = 1; k <= w->n; k++) {
        const sti_interval next = driven(w, slope, s, k);
        s[k] = driven(w, slope, c, k);
        c[k] = round ? iv_neg(next) : next;
    }
    *w->length = w->n + 1;
}

// tan and tanh: c' = a' d, d = 1 +- c^2
static void tangent(const work* w, double sign) {
    sti_interval* slope = w->s->scratch;
    slopes(slope, w->a, w->la, w->n);
    if (sign > 0 && sti_iv_tan_has_pole(w->a[0])) *w->trouble |= STI_TROUBLE_PARTIAL;
    w->c[0] = sign > 0 ? sti_iv_tan(w->a[0]) : sti_iv_tanh(w->a[0]);
    w->d[0] = iv_add(iv_point(1), iv_scale(iv_sqr(w->c[0]), sign));
    for (int k = 1; k <= w->n; k++) {
        w->c[k] = driven(w, slope, w->d, k);
        w->d[k] = iv_scale(convolve(w->c, k + 1, w->c, k + 1, k, 0, k), sign);
    }
    *w->length = w->n + 1;
}

static void logarithm(const work* w, bool decimal) {
    if (w->a[0].high <= 0)
        *w->trouble |= STI_TROUBLE_NOWHERE;
    else if (w->a[0].low <= 0)
        *w->trouble |= STI_TROUBLE_PARTIAL;
    w->c[0] = sti_iv_log(w->a[0]);
    integrate(w, w->a, w->la, w->a, w->la);
    *w->length = w->n + 1;
    if (!decimal) return;
    const sti_interval ln10 = sti_iv_log(iv_point(10));
    w->c[0] = sti_iv_log10(w->a[0]);
    for (int k = 1; k <= w->n; k++) w->c[k] = iv_div(w->c[k], ln10);
}

// atan: v = 1 + a^2; asin and acos: v = sqrt(1 - a^2)
static void inverse(const work* w, sti_op op) {
    sti_interval *v = w->d, *u = w->s->scratch + w->n + 1;
    const bool flat = op == STI_OP_ATAN;
    const int lv = least(2 * w->la - 1, w->n + 1);
    square(u, w->a, w->la, w->n);
    for (int k = 0; k <= w->n; k++) v[k] = flat ? u[k] : iv_neg(u[k]);
    v[0] = flat ? iv_add(iv_point(1), v[0]) : iv_mul(iv_sub(iv_point(1), w->a[0]), iv_add(iv_point(1), w->a[0]));
    if (!flat) {
        if (w->a[0].high < -1 || w->a[0].low > 1)
            *w->trouble |= STI_TROUBLE_NOWHERE;
        else if (w->a[0].low < -1 || w->a[0].high > 1)
            *w->trouble |= STI_TROUBLE_PARTIAL;
        memcpy(u, v, (size_t)(w->n + 1) * sizeof *u);
        u[0].high = fmin(u[0].high, 1);
        v[0] = iv_sqrt(u[0]);
        root(v, u, lv, w->n);
    }
    w->c[0] = flat ? sti_iv_atan(w->a[0]) : sti_iv_asin(w->a[0]);
    integrate(w, w->a, w->la, v, flat ? lv : w->n + 1);
    if (op == STI_OP_ACOS) {
        for (int k = 1; k <= w->n; k++) w->c[k] = iv_neg(w->c[k]);
        w->c[0] = sti_iv_acos(w->a[0]);
    }
    *w->length = w->n + 1;
}

static void square_root(const work* w) {
    if (w->a[0].high < 0)
        *w->trouble |= STI_TROUBLE_NOWHERE;
    else if (w->a[0].low < 0)
        *w->trouble |= STI_TROUBLE_PARTIAL;
    if (w->a[0].low == 0 && w->la <= 2) {
        power_from_zero(w, iv_point(0.5));
        return;
    }
    w->c[0] = iv_sqrt(w->a[0]);
    root(w->c, w->a, w->la, w->n);
    *w->length = w->n + 1;
}

// ---- pieces

static void copy(const work* w, const sti_interval* a, int la, bool negative) {
    for (int k = 0; k <= w->n && k < la; k++) w->c[k] = negative ? iv_neg(a[k]) : a[k];
    set_length(w, la);
}

static void absolute(const work* w) {
    if (w->a[0].low >= 0 || w->a[0].high <= 0) {
        copy(w, w->a, w->la, w->a[0].low < 0);
        return;
    }
    w->c[0] = iv_abs(w->a[0]);
    if (w->la == 1) {
        set_length(w, 1);
        return;
    }
    *w->trouble |= STI_TROUBLE_KINK;
    if (w->n > 0) w->c[1] = iv_mul(iv(-1, 1), w->a[1]);
    give_up(w, 2);
}

static void choose(const work* w, bool smallest) {
    const sti_interval a = w->a[0], b = w->b[0];
    if (a.high <= b.low) {
        copy(w, smallest ? w->a : w->b, smallest ? w->la : w->lb, false);
    } else if (b.high <= a.low) {
        copy(w, smallest ? w->b : w->a, smallest ? w->lb : w->la, false);
    } else {
        w->c[0] =
            smallest ? iv(fmin(a.low, b.low), fmin(a.high, b.high)) : iv(fmax(a.low, b.low), fmax(a.high, b.high));
        *w->trouble |= STI_TROUBLE_KINK;
        if (w->n > 0) w->c[1] = iv_hull(w->la > 1 ? w->a[1] : iv_point(0), w->lb > 1 ? w->b[1] : iv_point(0));
        give_up(w, 2);
    }
}

// Constant but for jumps
static void staircase(const work* w, sti_op op) {
    const sti_interval a = w->a[0];
    w->c[0] = op == STI_OP_FLOOR ? iv(floor(a.low), floor(a.high))
                                 : iv((a.low > 0) - (a.low < 0), (a.high > 0) - (a.high < 0));
    set_length(w, 1);
    if (iv_is_point(w->c[0])) return;
    *w->trouble |= STI_TROUBLE_JUMP;  // also where the jump is in a variable that is held
    give_up(w, 1);
}

// ---- functions of two arguments

static void quotient(const work* w) {
    if (iv_is(w->b[0], 0))
        *w->trouble |= STI_TROUBLE_NOWHERE;
    else if (iv_has(w->b[0], 0))
        *w->trouble |= STI_TROUBLE_PARTIAL;
    if (w->lb == 1) {
        for (int k = 0; k <= w->n && k < w->la; k++) w->c[k] = iv_div(w->a[k], w->b[0]);
        set_length(w, w->la);
        return;
    }
    divide(w->c, w->a, w->la, w->b, w->lb, w->n);
    *w->length = w->n + 1;
}

static void hypotenuse(const work* w) {
    sti_interval *u = w->s->scratch + w->n + 1, *v = u + w->n + 1;
    square(u, w->a, w->la, w->n);
    square(v, w->b, w->lb, w->n);
    for (int k = 0; k <= w->n; k++) u[k] = iv_add(u[k], v[k]);
    w->c[0] = sti_iv_hypot(w->a[0], w->b[0]);
    if (w->n > 0 && w->c[0].low == 0) {  // slopes: |c'| <= |a'| + |b'|
        const double most = iv_add_up(w->la > 1 ? iv_mag(w->a[1]) : 0, w->lb > 1 ? iv_mag(w->b[1]) : 0);
        w->c[1] = iv(-most, most);
        *w->trouble |= STI_TROUBLE_KINK;
        give_up(w, 2);
        return;
    }
    root(w->c, u, w->n + 1, w->n);
    *w->length = w->n + 1;
}

// c' (x^2 + y^2) = x y' - y x'
static void angle(const work* w) {
    sti_interval *v = w->d, *slope = w->s->scratch, *u = slope + w->n + 1;
    if (iv_is(w->a[0], 0) && iv_is(w->b[0], 0))
        *w->trouble |= STI_TROUBLE_NOWHERE;
    else if (iv_has(w->a[0], 0) && iv_has(w->b[0], 0))
        *w->trouble |= STI_TROUBLE_PARTIAL;
    else if (w->b[0].low < 0 && w->a[0].low < 0 && w->a[0].high >= 0)
        *w->trouble |= STI_TROUBLE_JUMP;
    square(v, w->a, w->la, w->n);
    square(u, w->b, w->lb, w->n);
    for (int k = 0; k <= w->n; k++) v[k] = iv_add(v[k], u[k]);
    w->c[0] = sti_iv_atan2(w->a[0], w->b[0]);
    for (int k = 1; k <= w->n; k++) {  // k c_k v_0 = sum_j j (y_j x_{k-j} - x_j y_{k-j}) - sum_{0<j<k} j c_j v_{k-j}
        slopes(slope, w->a, w->la, w->n);
        sti_interval sum = convolve(slope, w->la, w->b, w->lb, k, 1, k);
        slopes(slope, w->b, w->lb, w->n);
        sum = iv_sub(sum, convolve(slope, w->lb, w->a, w->la, k, 1, k));
        slopes(slope, w->c, k, k - 1);
        sum = iv_sub(sum, convolve(slope, k, v, w->n + 1, k, 1, k - 1));
        w->c[k] = iv_div(sum, iv_scale(v[0], k));
    }
    *w->length = w->n + 1;
}

static void add(const work* w, bool minus) {
    const int length = w->la > w->lb ? w->la : w->lb;
    for (int k = 0; k <= w->n && k < length; k++) {
        if (k >= w->lb)
            w->c[k] = w->a[k];
        else if (k >= w->la)
            w->c[k] = minus ? iv_neg(w->b[k]) : w->b[k];
        else
            w->c[k] = minus ? iv_sub(w->a[k], w->b[k]) : iv_add(w->a[k], w->b[k]);
    }
    set_length(w, length);
}

static void product(const work* w, bool same) {
    if (same)
        square(w->c, w->a, w->la, w->n);
    else
        multiply(w->c, w->a, w->la, w->b, w->lb, w->n);
    set_length(w, w->la + w->lb - 1);
}

// ---- all entries

static void operate(const work* w, const sti_node* x) {
    switch (x->op) {
        case STI_OP_ADD:
        case STI_OP_SUBTRACT:
            add(w, x->op == STI_OP_SUBTRACT);
            break;
        case STI_OP_MULTIPLY:
            product(w, x->a == x->b);
            break;
        case STI_OP_DIVIDE:
            quotient(w);
            break;
        case STI_OP_NEGATE:
            copy(w, w->a, w->la, true);
            break;
        case STI_OP_POW:
            power(w);
            break;
        case STI_OP_ATAN2:
            angle(w);
            break;
        case STI_OP_HYPOT:
            hypotenuse(w);
            break;
        case STI_OP_MIN:
        case STI_OP_MAX:
            choose(w, x->op == STI_OP_MIN);
            break;
        case STI_OP_SIN:
        case STI_OP_COS:
        case STI_OP_SINH:
        case STI_OP_COSH:
            circular(w, x->op);
            break;
        case STI_OP_TAN:
        case STI_OP_TANH:
            tangent(w, x->op == STI_OP_TAN ? 1 : -1);
            break;
        case STI_OP_ASIN:
        case STI_OP_ACOS:
        case STI_OP_ATAN:
            inverse(w, x->op);
            break;
        case STI_OP_EXP:
            exponential(w);
            break;
        case STI_OP_LOG:
        case STI_OP_LOG10:
            logarithm(w, x->op == STI_OP_LOG10);
            break;
        case STI_OP_SQRT:
            square_root(w);
            break;
        case STI_OP_ABS:
            absolute(w);
            break;
        default:  // sign, floor
            staircase(w, x->op);
            break;
    }
}

static sti_interval constant_value(const sti_node* x) {
    if (x->off == 0) return iv_point(x->value);
    return x->off > 0 ? iv(x->value, iv_next_up(x->value)) : iv(iv_next_down(x->value), x->value);
}

// A constant argument gives a constant, whatever the recurrence says.
static void operate_fixed(const work* w, const sti_node* x) {
    work value = *w;
    value.n = 0;
    value.la = value.lb = 1;
    operate(&value, x);
    set_length(w, 1);
}

static void evaluate_entry(sti_series* s, int i, const sti_interval* x, int along, int order) {
    const sti_node* node = &s->tape->node[i];
    const size_t width = (size_t)(s->order + 1);
    sti_interval* c = s->c + (size_t)i * width;
    s->trouble[i] = 0;
    if (sti_op_arguments(node->op) == 0) {
        const bool moves = node->op == STI_OP_INPUT && node->a == along && order > 0;
        c[0] = node->op == STI_OP_CONSTANT ? constant_value(node) : x[node->a];
        fill(c, 1, order, iv_point(0));
        if (moves) c[1] = iv_point(1);
        s->length[i] = moves ? 2 : 1;
        return;
    }
    const int a = node->a, b = node->b >= 0 ? node->b : node->a;
    work w = {.s = s,
              .n = order,
              .c = c,
              .d = s->d + (size_t)i * width,
              .a = s->c + (size_t)a * width,
              .b = s->c + (size_t)b * width,
              .la = s->length[a],
              .lb = s->length[b],
              .length = &s->length[i],
              .trouble = &s->trouble[i]};
    s->trouble[i] = s->trouble[a] | s->trouble[b];
    if ((s->trouble[i] & STI_TROUBLE_NOWHERE) != 0) {
        c[0] = iv_whole();
        give_up(&w, 1);
    } else if (w.la == 1 && (node->b < 0 || w.lb == 1)) {
        operate_fixed(&w, node);
    } else {
        operate(&w, node);
    }
}

void sti_series_evaluate(sti_series* s, const sti_interval* x, int along, int order) {
    STI_ASSERT(order <= s->order);
    if (!s->warm) {
        for (int i = 0; i < s->tape->count; i++) {
            if (s->needed[i] && s->fixed[i]) evaluate_entry(s, i, x, -1, s->order);
        }
        s->warm = true;
    }
    for (int i = 0; i < s->tape->count; i++) {
        if (s->needed[i] && !s->fixed[i]) evaluate_entry(s, i, x, along, order);
    }
}

// ---- what went wrong

static void describe(const sti_series* s, int i, char* text, size_t size) {
    const sti_node* x = &s->tape->node[i];
    const sti_interval a = sti_series_value(s, x->a), b = x->b >= 0 ? sti_series_value(s, x->b) : a;
    switch (x->op) {
        case STI_OP_DIVIDE:
            snprintf(text, size, "division by a number in [%.6g, %.6g]", b.low, b.high);
            break;
        case STI_OP_POW:
            snprintf(text, size, "a number in [%.6g, %.6g] to a power in [%.6g, %.6g]", a.low, a.high, b.low, b.high);
            break;
        case STI_OP_ATAN2:
            snprintf(text, size, "atan2 of numbers in [%.6g, %.6g] and [%.6g, %.6g]", a.low, a.high, b.low, b.high);
            break;
        default:
            snprintf(text, size, "%s of a number in [%.6g, %.6g]", sti_op_name(x->op), a.low, a.high);
            break;
    }
}

void sti_series_reason(const sti_series* s, int entry, char* text, size_t size) {
    const unsigned bad = STI_TROUBLE_PARTIAL | STI_TROUBLE_NOWHERE | STI_TROUBLE_JUMP;
    int at = entry;
    snprintf(text, size, "nothing");
    if ((s->trouble[entry] & bad) == 0) return;
    for (bool down = true; down;) {  // to where the trouble begins
        const sti_node* x = &s->tape->node[at];
        down = false;
        if (sti_op_arguments(x->op) == 0) break;
        if ((s->trouble[x->a] & bad) != 0) {
            at = x->a;
            down = true;
        } else if (x->b >= 0 && (s->trouble[x->b] & bad) != 0) {
            at = x->b;
            down = true;
        }
    }
    describe(s, at, text, size);
}

int sti_series_kink(const sti_series* s, int entry, int* minus) {
    int at = entry;
    *minus = -1;
    if ((s->trouble[entry] & STI_TROUBLE_KINK) == 0) return -1;
    for (;;) {
        const sti_node* x = &s->tape->node[at];
        if (sti_op_arguments(x->op) == 0) return -1;
        if ((s->trouble[x->a] & STI_TROUBLE_KINK) != 0) {
            at = x->a;
        } else if (x->b >= 0 && (s->trouble[x->b] & STI_TROUBLE_KINK) != 0) {
            at = x->b;
        } else if (x->op == STI_OP_ABS) {
            return x->a;
        } else if (x->op == STI_OP_MIN || x->op == STI_OP_MAX) {
            *minus = x->b;
            return x->a;
        } else {
            return -1;
        }
    }
}
