// formula.c: formulas evaluated as they are read, by recursive descent, on spans with derivatives.
//
// Written apart from src/system and src/interval, for the same language: + - * / ^, parentheses, numbers (exactly as
// they are written), pi, variables, definitions, and the functions of one and two arguments. Nothing is kept: the text
// is read again for every box.
#include "verify/formula.h"

#include <math.h>
#include <string.h>

#include "exact/rationals.h"

typedef struct reader {
    sti_formula_reader* r;
    const char* p;
    int definitions;  // how many of them may be used here
} reader;

void sti_sloped_clear(sti_formula_reader* r, sti_sloped* a) {
    sti_span_clear(&r->s, &a->v);
    for (int k = 0; k < STI_SLOPED_MOST; k++) sti_span_clear(&r->s, &a->d[k]);
}

static void move(sti_formula_reader* r, sti_sloped* to, sti_sloped* from) {
    sti_sloped_clear(r, to);
    *to = *from;
    *from = (sti_sloped){0};
}

static int slope_count(const sti_formula_reader* r) {
    return r->slopes ? r->n : 0;
}

static bool fine(const sti_formula_reader* r) {
    return !r->unable && !r->s.undefined && !r->nowhere && r->s.x.status == STI_OK;
}

// ---- derivatives

// a becomes f(a), with value v and slope d, which are used up
static void chain(sti_formula_reader* r, sti_sloped* a, sti_span* v, sti_span* d) {
    for (int k = 0; k < slope_count(r); k++) sti_span_mul(&r->s, &a->d[k], &a->d[k], d);
    sti_span_set(&r->s, &a->v, v);
    sti_span_clear(&r->s, v);
    sti_span_clear(&r->s, d);
}

static void one_over(sti_formula_reader* r, sti_span* out, const sti_span* a) {
    sti_span one = {0};
    sti_span_set_int(&r->s, &one, 1);
    sti_span_div(&r->s, out, &one, a);
    sti_span_clear(&r->s, &one);
}

// 1 + sign a^2
static void one_and_square(sti_formula_reader* r, sti_span* out, const sti_span* a, int sign) {
    sti_span one = {0};
    sti_span_sqr(&r->s, out, a);
    if (sign < 0) sti_span_neg(out);
    sti_span_set_int(&r->s, &one, 1);
    sti_span_add(&r->s, out, out, &one);
    sti_span_clear(&r->s, &one);
}

static void product(sti_formula_reader* r, sti_sloped* a, const sti_sloped* b) {
    sti_span t = {0};
    for (int k = 0; k < slope_count(r); k++) {
        sti_span_mul(&r->s, &a->d[k], &a->d[k], &b->v);
        sti_span_mul(&r->s, &t, &a->v, &b->d[k]);
        sti_span_add(&r->s, &a->d[k], &a->d[k], &t);
    }
    sti_span_mul(&r->s, &a->v, &a->v, &b->v);
    sti_span_clear(&r->s, &t);
}

static void quotient(sti_formula_reader* r, sti_sloped* a, const sti_sloped* b) {
    sti_span t = {0};
    sti_span_div(&r->s, &a->v, &a->v, &b->v);
    for (int k = 0; k < slope_count(r); k++) {
        sti_span_mul(&r->s, &t, &a->v, &b->d[k]);
        sti_span_sub(&r->s, &t, &a->d[k], &t);
        sti_span_div(&r->s, &a->d[k], &t, &b->v);
    }
    sti_span_clear(&r->s, &t);
}

static void add(sti_formula_reader* r, sti_sloped* a, const sti_sloped* b, bool minus) {
    for (int k = 0; k < slope_count(r); k++) {
        if (minus)
            sti_span_sub(&r->s, &a->d[k], &a->d[k], &b->d[k]);
        else
            sti_span_add(&r->s, &a->d[k], &a->d[k], &b->d[k]);
    }
    if (minus)
        sti_span_sub(&r->s, &a->v, &a->v, &b->v);
    else
        sti_span_add(&r->s, &a->v, &a->v, &b->v);
}

static void negate(sti_formula_reader* r, sti_sloped* a) {
    sti_span_neg(&a->v);
    for (int k = 0; k < slope_count(r); k++) sti_span_neg(&a->d[k]);
}

// ---- functions of one argument: a becomes f(a)

// Leave out what lies below `least` units: false when nothing remains
static bool clip(sti_formula_reader* r, sti_span* a, int64_t least) {
    sti_span edge = {0};
    sti_int_set_i64(&r->s.x, &edge.low, least);
    const bool some = sti_int_cmp(&a->high, &edge.low) >= 0;
    if (some && sti_int_cmp(&a->low, &edge.low) < 0) {
        sti_int_set(&r->s.x, &a->low, &edge.low);
        r->partial = true;
    }
    if (!some) r->nowhere = true;
    sti_span_clear(&r->s, &edge);
    return some;
}

static void f_sqrt(sti_formula_reader* r, sti_sloped* a) {
    sti_span v = {0}, d = {0};
    if (!clip(r, &a->v, 0)) return;
    sti_span_sqrt(&r->s, &v, &a->v);
    if (r->slopes) {
        sti_span_mul_int(&r->s, &d, &v, 2);
        one_over(r, &d, &d);
    }
    chain(r, a, &v, &d);
}

static void f_exp(sti_formula_reader* r, sti_sloped* a) {
    sti_span v = {0}, d = {0};
    sti_span_exp(&r->s, &v, &a->v);
    sti_span_set(&r->s, &d, &v);
    chain(r, a, &v, &d);
}

static void f_log(sti_formula_reader* r, sti_sloped* a) {
    sti_span v = {0}, d = {0};
    if (!clip(r, &a->v, 1)) return;
    sti_span_log(&r->s, &v, &a->v);
    if (r->slopes) one_over(r, &d, &a->v);
    chain(r, a, &v, &d);
}

static void f_log10(sti_formula_reader* r, sti_sloped* a) {
    sti_sloped ten = {0};
    f_log(r, a);
    sti_span_set_int(&r->s, &ten.v, 10);
    sti_span_log(&r->s, &ten.v, &ten.v);
    quotient(r, a, &ten);
    sti_sloped_clear(r, &ten);
}

static void f_sin(sti_formula_reader* r, sti_sloped* a) {
    sti_span v = {0}, d = {0};
    sti_span_sin(&r->s, &v, &a->v);
    if (r->slopes) sti_span_cos(&r->s, &d, &a->v);
    chain(r, a, &v, &d);
}

static void f_cos(sti_formula_reader* r, sti_sloped* a) {
    sti_span v = {0}, d = {0};
    sti_span_cos(&r->s, &v, &a->v);
    if (r->slopes) sti_span_sin(&r->s, &d, &a->v);
    sti_span_neg(&d);
    chain(r, a, &v, &d);
}

static void f_tan(sti_formula_reader* r, sti_sloped* a) {
    sti_span v = {0}, c = {0}, d = {0};
    sti_span_sin(&r->s, &v, &a->v);
    sti_span_cos(&r->s, &c, &a->v);
    sti_span_div(&r->s, &v, &v, &c);
    sti_span_sqr(&r->s, &d, &c);
    one_over(r, &d, &d);
    sti_span_clear(&r->s, &c);
    chain(r, a, &v, &d);
}

static void f_atan(sti_formula_reader* r, sti_sloped* a) {
    sti_span v = {0}, d = {0};
    sti_span_atan(&r->s, &v, &a->v);
    one_and_square(r, &d, &a->v, 1);
    one_over(r, &d, &d);
    chain(r, a, &v, &d);
}

// atan(a / sqrt(1 - a^2)); at -1 and 1 not known here
static void f_asin(sti_formula_reader* r, sti_sloped* a) {
    sti_span v = {0}, d = {0};
    one_and_square(r, &d, &a->v, -1);
    sti_span_sqrt(&r->s, &d, &d);
    sti_span_div(&r->s, &v, &a->v, &d);
    sti_span_atan(&r->s, &v, &v);
    one_over(r, &d, &d);
    chain(r, a, &v, &d);
}

static void f_acos(sti_formula_reader* r, sti_sloped* a) {
    sti_sloped half = {0};
    f_asin(r, a);
    negate(r, a);
    sti_span_pi(&r->s, &half.v);
    sti_span_div_int(&r->s, &half.v, &half.v, 2);
    sti_span_add(&r->s, &a->v, &a->v, &half.v);
    sti_sloped_clear(r, &half);
}

// sinh a = (e^a - e^-a)/2: both parts rise, so the ends are right
static void sinh_of(sti_formula_reader* r, sti_span* out, const sti_span* a) {
    sti_span e = {0}, i = {0};
    sti_span_exp(&r->s, &e, a);
    one_over(r, &i, &e);
    sti_span_sub(&r->s, out, &e, &i);
    sti_span_div_int(&r->s, out, out, 2);
    sti_span_clear(&r->s, &e);
    sti_span_clear(&r->s, &i);
}

// cosh a = sqrt(1 + sinh^2 a)
static void cosh_of(sti_formula_reader* r, sti_span* out, const sti_span* a) {
    sti_span s = {0};
    sinh_of(r, &s, a);
    one_and_square(r, out, &s, 1);
    sti_span_sqrt(&r->s, out, out);
    sti_span_clear(&r->s, &s);
}

static void f_sinh(sti_formula_reader* r, sti_sloped* a) {
    sti_span v = {0}, d = {0};
    sinh_of(r, &v, &a->v);
    if (r->slopes) cosh_of(r, &d, &a->v);
    chain(r, a, &v, &d);
}

static void f_cosh(sti_formula_reader* r, sti_sloped* a) {
    sti_span v = {0}, d = {0};
    cosh_of(r, &v, &a->v);
    if (r->slopes) sinh_of(r, &d, &a->v);
    chain(r, a, &v, &d);
}

// 1 - 2/(e^2a + 1), slope 1 - tanh^2
static void f_tanh(sti_formula_reader* r, sti_sloped* a) {
    sti_span v = {0}, d = {0}, one = {0};
    sti_span_set_int(&r->s, &one, 1);
    sti_span_mul_int(&r->s, &v, &a->v, 2);
    sti_span_exp(&r->s, &v, &v);
    sti_span_add(&r->s, &v, &v, &one);
    one_over(r, &v, &v);
    sti_span_mul_int(&r->s, &v, &v, -2);
    sti_span_add(&r->s, &v, &v, &one);
    one_and_square(r, &d, &v, -1);
    sti_span_clear(&r->s, &one);
    chain(r, a, &v, &d);
}

// d becomes the slopes of |a|: -1, 1, or between
static void f_abs(sti_formula_reader* r, sti_sloped* a) {
    sti_span v = {0}, d = {0}, one = {0};
    const int sign = sti_span_sign(&a->v);
    sti_span_set_int(&r->s, &d, sign == 0 ? -1 : sign);
    sti_span_set_int(&r->s, &one, 1);
    if (sign == 0) sti_int_set(&r->s.x, &d.high, &one.high);
    sti_span_abs(&r->s, &v, &a->v);
    sti_span_clear(&r->s, &one);
    chain(r, a, &v, &d);
}

// min(a, b) = (a + b - |a - b|)/2 loses nothing but width: taken end by end instead
static void choose(sti_formula_reader* r, sti_sloped* a, const sti_sloped* b, bool smallest) {
    const int sign = smallest ? 1 : -1;
    if (sign * sti_int_cmp(smallest ? &a->v.high : &a->v.low, smallest ? &b->v.low : &b->v.high) <= 0) return;
    const bool second = sign * sti_int_cmp(smallest ? &b->v.high : &b->v.low, smallest ? &a->v.low : &a->v.high) <= 0;
    for (int k = 0; k < slope_count(r); k++) {
        if (second)
            sti_span_set(&r->s, &a->d[k], &b->d[k]);
        else
            sti_span_hull(&r->s, &a->d[k], &a->d[k], &b->d[k]);
    }
    if (second) {
        sti_span_set(&r->s, &a->v, &b->v);
        return;
    }
    if (sign * sti_int_cmp(&b->v.low, &a->v.low) < 0) sti_int_set(&r->s.x, &a->v.low, &b->v.low);
    if (sign * sti_int_cmp(&b->v.high, &a->v.high) < 0) sti_int_set(&r->s.x, &a->v.high, &b->v.high);
}

typedef struct named_function {
    const char* name;
    void (*apply)(sti_formula_reader* r, sti_sloped* a);
} named_function;

static const named_function functions[] = {{"sqrt", f_sqrt}, {"exp", f_exp},   {"log", f_log},   {"log10", f_log10},
                                           {"sin", f_sin},   {"cos", f_cos},   {"tan", f_tan},   {"atan", f_atan},
                                           {"asin", f_asin}, {"acos", f_acos}, {"sinh", f_sinh}, {"cosh", f_cosh},
                                           {"tanh", f_tanh}, {"abs", f_abs}};

// ---- powers

// a^b for a >= 0 that reaches 0, b > 0: from 0 to the value at the upper end
static void power_from_zero(sti_formula_reader* r, sti_span* out, const sti_span* a, const sti_span* b) {
    sti_span high = {0}, zero = {0};
    sti_int_set(&r->s.x, &high.low, &a->high);
    sti_int_set(&r->s.x, &high.high, &a->high);
    if (sti_int_sign(&a->high) > 0) {
        sti_span_log(&r->s, &high, &high);
        sti_span_mul(&r->s, &high, &high, b);
        sti_span_exp(&r->s, &high, &high);
    }
    sti_span_hull(&r->s, out, &high, &zero);
    sti_span_clear(&r->s, &high);
    sti_span_clear(&r->s, &zero);
}

// The same with its slope b a^(b-1), which has no value at 0 for b < 1
static void sloped_power_from_zero(sti_formula_reader* r, sti_sloped* a, const sti_sloped* b) {
    sti_span v = {0}, d = {0}, less = {0};
    sti_span_set_int(&r->s, &less, 1);
    sti_span_sub(&r->s, &less, &b->v, &less);
    power_from_zero(r, &v, &a->v, &b->v);
    if (r->slopes && sti_span_sign(&less) > 0) {
        power_from_zero(r, &d, &a->v, &less);
        sti_span_mul(&r->s, &d, &d, &b->v);
    } else if (r->slopes) {
        r->s.undefined = true;
    }
    sti_span_clear(&r->s, &less);
    chain(r, a, &v, &d);
}

// a^b: whole exponents by products; others by exp(b log a), a > 0
static void power(sti_formula_reader* r, sti_sloped* a, sti_sloped* b) {
    const double p = sti_span_double(&r->s, &b->v);
    sti_span whole = {0};
    sti_span_set_int(&r->s, &whole, isfinite(p) && fabs(p) < 1e6 ? (int64_t)p : 0);
    const bool is_whole = isfinite(p) && fabs(p) < 1e6 && sti_int_cmp(&whole.low, &b->v.low) == 0 &&
                          sti_int_cmp(&whole.low, &b->v.high) == 0;
    if (is_whole) {
        sti_span v = {0}, d = {0};
        const long n = (long)p;
        sti_span_pow_int(&r->s, &v, &a->v, n);
        if (r->slopes && n != 0) sti_span_pow_int(&r->s, &d, &a->v, n - 1);
        sti_span_mul_int(&r->s, &d, &d, n);
        chain(r, a, &v, &d);
    } else if (sti_int_sign(&a->v.low) <= 0 && sti_span_sign(&b->v) > 0) {
        if (clip(r, &a->v, 0)) sloped_power_from_zero(r, a, b);
    } else {
        f_log(r, a);
        product(r, a, b);
        f_exp(r, a);
    }
    sti_span_clear(&r->s, &whole);
}

// ---- the text

static void sum(reader* k, sti_sloped* out);
static void signed_power(reader* k, sti_sloped* out);

static void skip(reader* k) {
    while (*k->p == ' ' || *k->p == '\t' || *k->p == '\n' || *k->p == '\r') k->p++;
}

static bool take(reader* k, char c) {
    skip(k);
    if (*k->p != c) return false;
    k->p++;
    return true;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void number(reader* k, sti_sloped* out) {
    sti_env* env = k->r->s.x.env;
    char text[64];
    size_t n = strspn(k->p, "0123456789.");
    if (k->p[n] == 'e' || k->p[n] == 'E') {
        const size_t sign = k->p[n + 1] == '+' || k->p[n + 1] == '-' ? 2 : 1;
        if (is_digit(k->p[n + sign])) n += sign + strspn(k->p + n + sign, "0123456789");
    }
    if (n >= sizeof text) {
        k->r->unable = true;
        return;
    }
    memcpy(text, k->p, n);
    text[n] = '\0';
    k->p += n;
    sti_rationals* q;
    sti_status status = sti_rationals_create(env, 1, &q);
    if (status == STI_OK) status = sti_rationals_set_text(q, 0, text);
    if (status == STI_OK) sti_span_set_ratio(&k->r->s, &out->v, &q->num[0], &q->den[0]);
    if (status == STI_ERR_INPUT) k->r->unable = true;
    if (status == STI_ERR_MEMORY) k->r->s.x.status = status;
    sti_rationals_destroy(q);
}

static bool is_name(const char* p, size_t n, const char* name) {
    return strlen(name) == n && memcmp(p, name, n) == 0;
}

static void call(reader* k, const char* name, size_t n, sti_sloped* out) {
    sti_sloped b = {0};
    sum(k, out);
    const bool two = take(k, ',');
    if (two) sum(k, &b);
    if (!take(k, ')')) k->r->unable = true;
    if (!fine(k->r)) {
        sti_sloped_clear(k->r, &b);
        return;
    }
    bool known = false;
    for (size_t i = 0; !two && i < sizeof functions / sizeof functions[0]; i++) {
        if (!is_name(name, n, functions[i].name)) continue;
        functions[i].apply(k->r, out);
        known = true;
    }
    if (two && (is_name(name, n, "min") || is_name(name, n, "max"))) {
        choose(k->r, out, &b, name[1] == 'i');
        known = true;
    } else if (two && is_name(name, n, "pow")) {
        power(k->r, out, &b);
        known = true;
    } else if (two && is_name(name, n, "hypot")) {
        sti_sloped a = {0};
        sti_span_set(&k->r->s, &a.v, &out->v);
        for (int i = 0; i < slope_count(k->r); i++) sti_span_set(&k->r->s, &a.d[i], &out->d[i]);
        product(k->r, out, &a);
        move(k->r, &a, &b);
        sti_sloped c = {0};
        sti_span_set(&k->r->s, &c.v, &a.v);
        for (int i = 0; i < slope_count(k->r); i++) sti_span_set(&k->r->s, &c.d[i], &a.d[i]);
        product(k->r, &a, &c);
        add(k->r, out, &a, false);
        f_sqrt(k->r, out);
        sti_sloped_clear(k->r, &a);
        sti_sloped_clear(k->r, &c);
        known = true;
    }
    if (!known) k->r->unable = true;  // atan2, sign, floor
    sti_sloped_clear(k->r, &b);
}

static void name(reader* k, sti_sloped* out) {
    const char* at = k->p;
    sti_formula_reader* r = k->r;
    size_t n = 0;
    while (is_letter(at[n]) || is_digit(at[n])) n++;
    k->p += n;
    for (int i = 0; i < r->n; i++) {
        if (!is_name(at, n, r->variables[i])) continue;
        sti_span_set(&r->s, &out->v, &r->at[i]);
        if (r->slopes) sti_span_set_int(&r->s, &out->d[i], 1);
        return;
    }
    for (int i = 0; i < k->definitions; i++) {
        if (!is_name(at, n, r->definitions[i].name)) continue;
        reader inner = {.r = r, .p = r->definitions[i].formula, .definitions = i};
        if (++r->depth > 100) r->unable = true;
        if (fine(r)) sum(&inner, out);
        r->depth--;
        return;
    }
    if (is_name(at, n, "pi")) {
        sti_span_pi(&r->s, &out->v);
    } else if (take(k, '(')) {
        call(k, at, n, out);
    } else {
        r->unable = true;
    }
}

static void primary(reader* k, sti_sloped* out) {
    skip(k);
    if (is_digit(*k->p) || *k->p == '.') {
        number(k, out);
    } else if (is_letter(*k->p)) {
        name(k, out);
    } else if (take(k, '(')) {
        sum(k, out);
        if (!take(k, ')')) k->r->unable = true;
    } else {
        k->r->unable = true;
    }
}

static void signed_power(reader* k, sti_sloped* out) {
    if (++k->r->depth > 200) k->r->unable = true;
    if (!fine(k->r)) {
        k->r->depth--;
        return;
    }
    if (take(k, '-')) {
        signed_power(k, out);
        negate(k->r, out);
    } else if (take(k, '+')) {
        signed_power(k, out);
    } else {
        primary(k, out);
        if (fine(k->r) && take(k, '^')) {
            sti_sloped b = {0};
            signed_power(k, &b);
            if (fine(k->r)) power(k->r, out, &b);
            sti_sloped_clear(k->r, &b);
        }
    }
    k->r->depth--;
}

static void products(reader* k, sti_sloped* out) {
    signed_power(k, out);
    while (fine(k->r)) {
        skip(k);
        const char op = *k->p;
        if (op != '*' && op != '/') break;
        k->p++;
        sti_sloped b = {0};
        signed_power(k, &b);
        if (fine(k->r)) {
            if (op == '*')
                product(k->r, out, &b);
            else
                quotient(k->r, out, &b);
        }
        sti_sloped_clear(k->r, &b);
    }
}

static void sum(reader* k, sti_sloped* out) {
    products(k, out);
    while (fine(k->r)) {
        skip(k);
        const char op = *k->p;
        if (op != '+' && op != '-') break;
        k->p++;
        sti_sloped b = {0};
        products(k, &b);
        if (fine(k->r)) add(k->r, out, &b, op == '-');
        sti_sloped_clear(k->r, &b);
    }
}

bool sti_formula_over(sti_formula_reader* r, const char* text, bool slopes, sti_sloped* out) {
    reader k = {.r = r, .p = text, .definitions = r->definition_count};
    sti_sloped value = {0};
    r->slopes = slopes;
    r->s.undefined = r->partial = r->nowhere = false;
    r->depth = 0;
    sum(&k, &value);
    skip(&k);
    if (*k.p == '=' && fine(r)) {  // f = g stands for f - g = 0
        sti_sloped right = {0};
        k.p++;
        sum(&k, &right);
        if (fine(r)) add(r, &value, &right, true);
        sti_sloped_clear(r, &right);
        skip(&k);
    }
    if (*k.p != '\0' && fine(r)) r->unable = true;
    const bool good = fine(r);
    if (good) move(r, out, &value);
    sti_sloped_clear(r, &value);
    return good;
}

bool sti_formula_number(sti_formula_reader* r, const char* text, sti_span* out) {
    const int n = r->n;
    sti_sloped value = {0};
    r->n = 0;
    const bool good = sti_formula_over(r, text, false, &value);
    r->n = n;
    if (good) sti_span_set(&r->s, out, &value.v);
    sti_sloped_clear(r, &value);
    return good;
}
