// span.c: arithmetic of intervals with ends of many bits.
#include "exact/span.h"

#include <math.h>

void sti_spans_init(sti_spans* s, sti_env* env, size_t bits) {
    *s = (sti_spans){.bits = bits};
    sti_exact_init(&s->x, env);
}

void sti_span_clear(sti_spans* s, sti_span* a) {
    sti_int_clear(s->x.env, &a->low);
    sti_int_clear(s->x.env, &a->high);
}

void sti_spans_clear(sti_spans* s) {
    if (s->x.env == NULL) return;
    for (int k = 0; k < 4; k++) sti_int_clear(s->x.env, &s->t[k]);
    sti_span_clear(s, &s->pi);
    sti_span_clear(s, &s->ln2);
    sti_exact_clear(&s->x);
    *s = (sti_spans){0};
}

// ---- setting

void sti_span_set(sti_spans* s, sti_span* r, const sti_span* a) {
    if (r == a) return;
    sti_int_set(&s->x, &r->low, &a->low);
    sti_int_set(&s->x, &r->high, &a->high);
}

void sti_span_set_int(sti_spans* s, sti_span* r, int64_t value) {
    sti_int_set_i64(&s->x, &r->low, value);
    sti_int_shl(&s->x, &r->low, &r->low, s->bits);
    sti_int_set(&s->x, &r->high, &r->low);
}

// floor and ceiling of n / d, d > 0
static void floor_and_ceiling(sti_spans* s, sti_span* r, const sti_int* n, const sti_int* d) {
    sti_int_div(&s->x, &s->t[2], n, d);
    sti_int_set(&s->x, &s->t[3], n);
    sti_int_neg(&s->t[3]);
    sti_int_div(&s->x, &s->t[3], &s->t[3], d);
    sti_int_neg(&s->t[3]);
    sti_int_set(&s->x, &r->low, &s->t[2]);
    sti_int_set(&s->x, &r->high, &s->t[3]);
}

void sti_span_set_ratio(sti_spans* s, sti_span* r, const sti_int* num, const sti_int* den) {
    sti_int_shl(&s->x, &s->t[0], num, s->bits);
    floor_and_ceiling(s, r, &s->t[0], den);
}

// value 2^bits, rounded down
static void scaled_down(sti_spans* s, sti_int* r, double value) {
    int exponent;
    const double fraction = frexp(value, &exponent);
    sti_int_set_i64(&s->x, r, (int64_t)ldexp(fraction, 53));
    const long shift = (long)exponent - 53 + (long)s->bits;
    if (shift >= 0)
        sti_int_shl(&s->x, r, r, (size_t)shift);
    else
        sti_int_shr(&s->x, r, r, (size_t)-shift);
}

void sti_span_set_doubles(sti_spans* s, sti_span* r, double low, double high) {
    scaled_down(s, &r->low, low);
    scaled_down(s, &r->high, -high);
    sti_int_neg(&r->high);
}

void sti_span_set_double(sti_spans* s, sti_span* r, double value) {
    sti_span_set_doubles(s, r, value, value);
}

void sti_span_hull(sti_spans* s, sti_span* r, const sti_span* a, const sti_span* b) {
    const sti_int* low = sti_int_cmp(&a->low, &b->low) <= 0 ? &a->low : &b->low;
    const sti_int* high = sti_int_cmp(&a->high, &b->high) >= 0 ? &a->high : &b->high;
    sti_int_set(&s->x, &s->t[0], low);
    sti_int_set(&s->x, &s->t[1], high);
    sti_int_swap(&r->low, &s->t[0]);
    sti_int_swap(&r->high, &s->t[1]);
}

void sti_span_middle(sti_spans* s, sti_span* r, const sti_span* a) {
    sti_int_add(&s->x, &s->t[0], &a->low, &a->high);
    sti_int_shr(&s->x, &r->low, &s->t[0], 1);
    sti_int_set(&s->x, &r->high, &r->low);
}

// ---- arithmetic

void sti_span_neg(sti_span* r) {
    sti_int_swap(&r->low, &r->high);
    sti_int_neg(&r->low);
    sti_int_neg(&r->high);
}

void sti_span_add(sti_spans* s, sti_span* r, const sti_span* a, const sti_span* b) {
    sti_int_add(&s->x, &r->low, &a->low, &b->low);
    sti_int_add(&s->x, &r->high, &a->high, &b->high);
}

void sti_span_sub(sti_spans* s, sti_span* r, const sti_span* a, const sti_span* b) {
    sti_int_sub(&s->x, &s->t[0], &a->low, &b->high);
    sti_int_sub(&s->x, &s->t[1], &a->high, &b->low);
    sti_int_swap(&r->low, &s->t[0]);
    sti_int_swap(&r->high, &s->t[1]);
}

// r = t0 / 2^bits rounded down, t1 / 2^bits rounded up
static void take_back(sti_spans* s, sti_span* r) {
    sti_int_shr(&s->x, &s->t[0], &s->t[0], s->bits);
    sti_int_neg(&s->t[1]);
    sti_int_shr(&s->x, &s->t[1], &s->t[1], s->bits);
    sti_int_neg(&s->t[1]);
    sti_int_swap(&r->low, &s->t[0]);
    sti_int_swap(&r->high, &s->t[1]);
}

void sti_span_mul(sti_spans* s, sti_span* r, const sti_span* a, const sti_span* b) {
    const sti_int *pa[2] = {&a->low, &a->high}, *pb[2] = {&b->low, &b->high};
    for (int k = 0; k < 4; k++) {  // the least and the largest of four products
        sti_int_mul(&s->x, &s->t[2], pa[k / 2], pb[k % 2]);
        if (k == 0 || sti_int_cmp(&s->t[2], &s->t[0]) < 0) sti_int_set(&s->x, &s->t[0], &s->t[2]);
        if (k == 0 || sti_int_cmp(&s->t[2], &s->t[1]) > 0) sti_int_set(&s->x, &s->t[1], &s->t[2]);
    }
    take_back(s, r);
}

void sti_span_abs(sti_spans* s, sti_span* r, const sti_span* a) {
    sti_span_set(s, r, a);
    if (sti_int_sign(&r->low) >= 0) return;
    sti_span_neg(r);
    if (sti_int_sign(&r->low) >= 0) return;
    sti_int_set(&s->x, &s->t[0], &r->low);  // 0 inside
    sti_int_neg(&s->t[0]);
    if (sti_int_cmp(&s->t[0], &r->high) > 0) sti_int_swap(&s->t[0], &r->high);
    sti_int_set_i64(&s->x, &r->low, 0);
}

void sti_span_sqr(sti_spans* s, sti_span* r, const sti_span* a) {
    sti_span_abs(s, r, a);
    sti_int_mul(&s->x, &s->t[0], &r->low, &r->low);
    sti_int_mul(&s->x, &s->t[1], &r->high, &r->high);
    take_back(s, r);
}

void sti_span_mul_int(sti_spans* s, sti_span* r, const sti_span* a, int64_t k) {
    sti_int_set_i64(&s->x, &s->t[2], k);
    sti_int_mul(&s->x, &r->low, &a->low, &s->t[2]);
    sti_int_mul(&s->x, &r->high, &a->high, &s->t[2]);
    if (k < 0) sti_int_swap(&r->low, &r->high);
}

void sti_span_div_int(sti_spans* s, sti_span* r, const sti_span* a, int64_t k) {
    sti_int_set_i64(&s->x, &s->t[2], k);
    sti_int_div(&s->x, &r->low, &a->low, &s->t[2]);
    sti_int_set(&s->x, &s->t[3], &a->high);
    sti_int_neg(&s->t[3]);
    sti_int_div(&s->x, &s->t[3], &s->t[3], &s->t[2]);
    sti_int_neg(&s->t[3]);
    sti_int_swap(&r->high, &s->t[3]);
}

void sti_span_div(sti_spans* s, sti_span* r, const sti_span* a, const sti_span* b) {
    if (s->x.status != STI_OK) return;
    if (sti_span_has_zero(b)) {
        s->undefined = true;
        sti_span_set_int(s, r, 0);
        return;
    }
    sti_span part = {0}, hull = {0};
    const sti_int *pa[2] = {&a->low, &a->high}, *pb[2] = {&b->low, &b->high};
    for (int k = 0; k < 4 && s->x.status == STI_OK; k++) {
        sti_int_shl(&s->x, &s->t[0], pa[k / 2], s->bits);
        sti_int_set(&s->x, &s->t[1], pb[k % 2]);
        if (sti_int_sign(&s->t[1]) < 0) {
            sti_int_neg(&s->t[0]);
            sti_int_neg(&s->t[1]);
        }
        if (s->x.status == STI_OK) floor_and_ceiling(s, &part, &s->t[0], &s->t[1]);
        if (k == 0)
            sti_span_set(s, &hull, &part);
        else
            sti_span_hull(s, &hull, &hull, &part);
    }
    sti_int_swap(&r->low, &hull.low);
    sti_int_swap(&r->high, &hull.high);
    sti_span_clear(s, &part);
    sti_span_clear(s, &hull);
}

void sti_span_sqrt(sti_spans* s, sti_span* r, const sti_span* a) {
    if (s->x.status != STI_OK) return;
    if (sti_int_sign(&a->low) < 0) {
        s->undefined = true;
        sti_span_set_int(s, r, 0);
        return;
    }
    sti_int_shl(&s->x, &s->t[0], &a->low, s->bits);
    sti_int_sqrt(&s->x, &s->t[0], &s->t[0]);
    sti_int_shl(&s->x, &s->t[1], &a->high, s->bits);
    sti_int_sqrt(&s->x, &s->t[2], &s->t[1]);
    sti_int_mul(&s->x, &s->t[3], &s->t[2], &s->t[2]);
    if (sti_int_cmp(&s->t[3], &s->t[1]) != 0) {
        sti_int_set_i64(&s->x, &s->t[3], 1);
        sti_int_add(&s->x, &s->t[2], &s->t[2], &s->t[3]);
    }
    sti_int_swap(&r->low, &s->t[0]);
    sti_int_swap(&r->high, &s->t[2]);
}

void sti_span_pow_int(sti_spans* s, sti_span* r, const sti_span* a, long n) {
    sti_span base = {0}, p = {0};
    sti_span_set(s, &base, a);
    sti_span_set_int(s, &p, 1);
    for (long e = n < 0 ? -n : n; e > 0; e /= 2) {
        if (e % 2 != 0) sti_span_mul(s, &p, &p, &base);
        if (e > 1) sti_span_sqr(s, &base, &base);
    }
    if (n < 0) {
        sti_span_set_int(s, &base, 1);
        sti_span_div(s, &p, &base, &p);
    }
    sti_int_swap(&r->low, &p.low);
    sti_int_swap(&r->high, &p.high);
    sti_span_clear(s, &base);
    sti_span_clear(s, &p);
}

// ---- asking

bool sti_span_inside(const sti_span* a, const sti_span* b) {
    return sti_int_cmp(&b->low, &a->low) <= 0 && sti_int_cmp(&a->high, &b->high) <= 0;
}

double sti_span_double(sti_spans* s, const sti_span* a) {
    sti_int_add(&s->x, &s->t[0], &a->low, &a->high);
    sti_int_set_i64(&s->x, &s->t[1], 1);
    sti_int_shl(&s->x, &s->t[1], &s->t[1], s->bits + 1);
    return s->x.status == STI_OK ? sti_int_ratio(&s->x, &s->t[0], &s->t[1]) : NAN;
}

double sti_span_log10(sti_spans* s, const sti_span* a) {
    sti_int_add(&s->x, &s->t[0], &a->low, &a->high);
    if (s->t[0].size == 0) return -INFINITY;
    const size_t bits = sti_int_bits(&s->t[0]), drop = bits > 60 ? bits - 60 : 0;
    sti_int_shr(&s->x, &s->t[1], &s->t[0], drop);
    const double top = fabs(sti_int_double(&s->t[1]));
    return log10(top) + ((double)drop - (double)s->bits - 1) * 0.30102999566398120;
}
