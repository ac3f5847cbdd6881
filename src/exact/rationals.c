// rationals.c: arrays of exact rational numbers, and integer images of data.
#include "exact/rationals.h"

#include <math.h>
#include <string.h>

sti_status sti_rationals_create(sti_env* env, size_t count, sti_rationals** out) {
    *out = NULL;
    sti_rationals* r = sti_alloc_array_zero(env, 1, sizeof *r);
    if (r == NULL) return STI_ERR_MEMORY;
    sti_exact_init(&r->x, env);
    r->count = count;
    r->num = sti_int_array(&r->x, count);
    r->den = sti_int_array(&r->x, count);
    for (size_t i = 0; r->x.status == STI_OK && i < count; i++) sti_int_set_i64(&r->x, &r->den[i], 1);
    if (r->x.status != STI_OK) {
        const sti_status status = r->x.status;
        sti_rationals_destroy(r);
        return status;
    }
    *out = r;
    return STI_OK;
}

void sti_rationals_destroy(sti_rationals* r) {
    if (r == NULL) return;
    sti_env* env = r->x.env;
    sti_int_array_free(env, r->num, r->num != NULL ? r->count : 0);
    sti_int_array_free(env, r->den, r->den != NULL ? r->count : 0);
    sti_exact_clear(&r->x);
    sti_free(env, r);
}

size_t sti_rationals_count(const sti_rationals* r) {
    return r->count;
}

// Result of a call that wrote entry i. A failed one leaves the entry 0 / 1 (never a fraction half written; a
// denominator has room for a limb from its creation on), and the next call starts afresh.
static sti_status take_status(sti_rationals* r, size_t i) {
    const sti_status status = r->x.status;
    if (status != STI_OK) {
        r->num[i].size = 0;
        r->den[i].limb[0] = 1;
        r->den[i].size = 1;
    }
    r->x.status = STI_OK;
    return status;
}

static void reduce(sti_rationals* r, size_t i) {
    sti_exact* x = &r->x;
    if (r->den[i].size < 0) {
        sti_int_neg(&r->den[i]);
        sti_int_neg(&r->num[i]);
    }
    if (sti_int_is_one(&r->den[i])) return;
    sti_int g = {0};
    sti_int_gcd(x, &g, &r->num[i], &r->den[i]);
    if (x->status == STI_OK && !sti_int_is_one(&g)) {
        sti_int_divexact(x, &r->num[i], &r->num[i], &g);
        sti_int_divexact(x, &r->den[i], &r->den[i], &g);
    }
    sti_int_clear(x->env, &g);
}

sti_status sti_rationals_set_ratio(sti_rationals* r, size_t i, const sti_int* num, const sti_int* den) {
    sti_int_set(&r->x, &r->num[i], num);
    sti_int_set(&r->x, &r->den[i], den);
    if (r->x.status == STI_OK) reduce(r, i);
    return take_status(r, i);
}

sti_status sti_rationals_copy(sti_rationals* to, size_t i, const sti_rationals* from, size_t j) {
    sti_int_set(&to->x, &to->num[i], &from->num[j]);
    sti_int_set(&to->x, &to->den[i], &from->den[j]);
    return take_status(to, i);
}

sti_status sti_rationals_slice(sti_env* env, const sti_rationals* from, size_t first, size_t count,
                               sti_rationals** out) {
    sti_status status = sti_rationals_create(env, count, out);
    for (size_t i = 0; status == STI_OK && i < count; i++) status = sti_rationals_copy(*out, i, from, first + i);
    if (status != STI_OK) {
        sti_rationals_destroy(*out);
        *out = NULL;
    }
    return status;
}

// Exponent of the lowest set bit: value = odd * 2^e. value != 0.
static int low_exponent(double value) {
    int exponent;
    const double fraction = frexp(value, &exponent);
    const int64_t mantissa = (int64_t)ldexp(fraction, 53);
    return exponent - 53 + __builtin_ctzll((uint64_t)(mantissa < 0 ? -mantissa : mantissa));
}

sti_status sti_rationals_set_double(sti_rationals* r, size_t i, double value) {
    sti_exact* x = &r->x;
    if (!isfinite(value)) return STI_FAIL(x->env, STI_ERR_ARGUMENT, (int64_t)i, "%g is not a finite number", value);
    const int e = value == 0 ? 0 : low_exponent(value);
    sti_int_set_double(x, &r->num[i], value, e < 0 ? -e : 0);
    sti_int_set_i64(x, &r->den[i], 1);
    if (e < 0) sti_int_shl(x, &r->den[i], &r->den[i], (size_t)-e);
    return take_status(r, i);
}

sti_status sti_rationals_off(sti_rationals* r, size_t i, double value, int* out) {
    sti_exact* x = &r->x;
    sti_int a = {0}, b = {0};  // num / den - value, times den and the power of two that makes value whole
    const int e = value == 0 ? 0 : low_exponent(value);
    *out = 0;
    sti_int_shl(x, &a, &r->num[i], e < 0 ? (size_t)-e : 0);
    sti_int_set_double(x, &b, value, e < 0 ? -e : 0);
    sti_int_mul(x, &b, &b, &r->den[i]);
    const int order = x->status == STI_OK ? sti_int_cmp(&a, &b) : 0;
    *out = (order > 0) - (order < 0);
    sti_int_clear(x->env, &a);
    sti_int_clear(x->env, &b);
    const sti_status status = x->status;
    x->status = STI_OK;
    return status;
}

// A number as text: [sign] digits [. digits] [e [sign] digits] or [sign] digits / digits.
typedef struct number_text {
    bool negative;
    const char* digits;
    size_t digit_count;
    const char* fraction;
    size_t fraction_count;
    const char* denominator;
    size_t denominator_count;
    long exponent;
} number_text;

static const char* scan_digits(const char* p, const char** first, size_t* count) {
    *first = p;
    while (*p >= '0' && *p <= '9') p++;
    *count = (size_t)(p - *first);
    return p;
}

static bool scan_number(const char* p, number_text* t) {
    memset(t, 0, sizeof *t);
    while (*p == ' ') p++;
    if (*p == '+' || *p == '-') t->negative = *p++ == '-';
    p = scan_digits(p, &t->digits, &t->digit_count);
    if (*p == '/') {
        if (t->digit_count == 0) return false;
        p = scan_digits(p + 1, &t->denominator, &t->denominator_count);
        if (t->denominator_count == 0) return false;
    } else {
        if (*p == '.') p = scan_digits(p + 1, &t->fraction, &t->fraction_count);
        if (t->digit_count + t->fraction_count == 0) return false;
        if (*p == 'e' || *p == 'E') {
            p++;
            const bool negative = *p == '-';
            if (*p == '+' || *p == '-') p++;
            const char* digits;
            size_t count;
            p = scan_digits(p, &digits, &count);
            if (count == 0 || count > 4) return false;  // beyond 1e9999 is a mistake, not a number
            for (size_t i = 0; i < count; i++) t->exponent = 10 * t->exponent + (digits[i] - '0');
            if (negative) t->exponent = -t->exponent;
        }
    }
    while (*p == ' ') p++;
    return *p == '\0';
}

// r *= 10^k
static void mul_power_of_ten(sti_exact* x, sti_int* r, long k) {
    sti_int ten = {0};
    sti_int_set_i64(x, &ten, 10);
    for (long i = 0; i < k && x->status == STI_OK; i++) sti_int_mul(x, r, r, &ten);
    sti_int_clear(x->env, &ten);
}

sti_status sti_rationals_set_text(sti_rationals* r, size_t i, const char* text) {
    sti_exact* x = &r->x;
    number_text t;
    if (strlen(text) > 4000 || !scan_number(text, &t))
        return STI_FAIL(x->env, STI_ERR_INPUT, (int64_t)i, "'%.60s' is not a number or a fraction like 2/3", text);
    sti_int part = {0};
    sti_int_set_i64(x, &r->num[i], 0);
    sti_int_set_i64(x, &r->den[i], 1);
    if (t.digit_count > 0) sti_int_set_digits(x, &r->num[i], t.digits, t.digit_count);
    if (t.denominator_count > 0) sti_int_set_digits(x, &r->den[i], t.denominator, t.denominator_count);
    if (t.fraction_count > 0) {
        sti_int_set_digits(x, &part, t.fraction, t.fraction_count);
        mul_power_of_ten(x, &r->num[i], (long)t.fraction_count);
        mul_power_of_ten(x, &r->den[i], (long)t.fraction_count);
        sti_int_add(x, &r->num[i], &r->num[i], &part);
    }
    if (t.exponent > 0) mul_power_of_ten(x, &r->num[i], t.exponent);
    if (t.exponent < 0) mul_power_of_ten(x, &r->den[i], -t.exponent);
    sti_int_clear(x->env, &part);
    if (t.negative) sti_int_neg(&r->num[i]);
    if (x->status == STI_OK && r->den[i].size == 0) {
        sti_int_set_i64(x, &r->den[i], 1);
        sti_int_set_i64(x, &r->num[i], 0);
        return STI_FAIL(x->env, STI_ERR_INPUT, (int64_t)i, "'%.60s' divides by zero", text);
    }
    if (x->status == STI_OK) reduce(r, i);
    return take_status(r, i);
}

double sti_rationals_double(const sti_rationals* r, size_t i) {
    if (sti_int_is_one(&r->den[i])) return sti_int_double(&r->num[i]);
    sti_exact x;  // of our own: the array is const
    sti_exact_init(&x, r->x.env);
    return sti_int_ratio(&x, &r->num[i], &r->den[i]);
}

int sti_rationals_sign(const sti_rationals* r, size_t i) {
    return sti_int_sign(&r->num[i]);
}

bool sti_rationals_is_double(const sti_rationals* r, size_t i) {
    // the denominator is a power of two, the odd part fits 53 bits, and the exponent is in range
    const sti_int *num = &r->num[i], *den = &r->den[i];
    if (num->size == 0) return true;
    const size_t den_bits = sti_int_bits(den);
    if (sti_int_trailing_zeros(den) + 1 != den_bits) return false;
    const size_t bits = sti_int_bits(num), zeros = sti_int_trailing_zeros(num);
    if (bits - zeros > 53) return false;
    const long low = (long)zeros - (long)(den_bits - 1), high = (long)bits - (long)(den_bits - 1);
    return low >= -1074 && high <= 1024;
}

sti_status sti_rationals_text(const sti_rationals* r, size_t i, char** out) {
    *out = NULL;
    sti_env* env = r->x.env;
    sti_exact x;
    sti_exact_init(&x, env);
    char* num = sti_int_text(&x, &r->num[i]);
    if (num != NULL && sti_int_is_one(&r->den[i])) {
        *out = num;
        num = NULL;
    } else if (num != NULL) {
        char* den = sti_int_text(&x, &r->den[i]);
        if (den != NULL) {
            const size_t n = strlen(num), d = strlen(den);
            *out = sti_alloc(env, n + d + 2);
            if (*out != NULL) {
                memcpy(*out, num, n);
                (*out)[n] = '/';
                memcpy(*out + n + 1, den, d + 1);
            }
        }
        sti_free(env, den);
    }
    sti_free(env, num);
    sti_exact_clear(&x);
    return *out != NULL ? STI_OK : STI_ERR_MEMORY;
}

static void set_scale(sti_exact* x, sti_int* num, sti_int* den, int exponent) {  // 2^exponent
    if (num == NULL) return;
    sti_int_set_i64(x, num, 1);
    sti_int_set_i64(x, den, 1);
    if (exponent > 0) sti_int_shl(x, num, num, (size_t)exponent);
    if (exponent < 0) sti_int_shl(x, den, den, (size_t)-exponent);
}

void sti_int_row_from_doubles(sti_exact* x, sti_int* out, const double* value, size_t count, size_t stride,
                              sti_int* scale_num, sti_int* scale_den) {
    int low = INT32_MAX;
    for (size_t k = 0; k < count; k++) {
        const double v = value[k * stride];
        if (v != 0) {
            const int e = low_exponent(v);
            if (e < low) low = e;
        }
    }
    if (low == INT32_MAX) low = 0;
    for (size_t k = 0; k < count; k++) sti_int_set_double(x, &out[k], value[k * stride], -low);
    set_scale(x, scale_num, scale_den, -low);
}

void sti_int_row_from_rationals(sti_exact* x, sti_int* out, const sti_rationals* r, size_t first, size_t count,
                                sti_int* scale_num, sti_int* scale_den) {
    sti_int l = {0}, g = {0}, t = {0};
    sti_int_set_i64(x, &l, 1);
    for (size_t k = 0; k < count && x->status == STI_OK; k++) sti_int_lcm(x, &l, &l, &r->den[first + k]);
    for (size_t k = 0; k < count && x->status == STI_OK; k++) {
        sti_int_divexact(x, &t, &l, &r->den[first + k]);
        sti_int_mul(x, &out[k], &r->num[first + k], &t);
        sti_int_gcd(x, &g, &g, &out[k]);
    }
    if (g.size == 0) sti_int_set_i64(x, &g, 1);
    for (size_t k = 0; k < count && x->status == STI_OK; k++) sti_int_divexact(x, &out[k], &out[k], &g);
    if (scale_num != NULL && x->status == STI_OK) {
        sti_int_set(x, scale_num, &l);
        sti_int_set(x, scale_den, &g);
    }
    sti_int_clear(x->env, &l);
    sti_int_clear(x->env, &g);
    sti_int_clear(x->env, &t);
}
