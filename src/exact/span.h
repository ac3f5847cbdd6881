// span.h: intervals with ends of many bits: [low, high] / 2^bits, the ends integers of any size.
//
// Arithmetic and elementary functions are rounded outward in the last bit, by integer operations alone. A number type
// of its own: it shares nothing with src/interval, so each can check the other. Failures travel as in integer.h; a
// value that does not exist (division by a span with 0, log of one that reaches 0) sets `undefined` in the context, and
// is [0, 0].
#ifndef STI_EXACT_SPAN_H
#define STI_EXACT_SPAN_H

#include "exact/integer.h"

typedef struct sti_span {
    sti_int low, high;
} sti_span;  // all zero bytes: [0, 0]

typedef struct sti_spans {
    sti_exact x;
    size_t bits;  // behind the point
    bool undefined;
    sti_int t[4];      // working memory
    sti_span pi, ln2;  // when they were first asked for
    bool have_pi, have_ln2;
} sti_spans;

void sti_spans_init(sti_spans* s, sti_env* env, size_t bits);
void sti_spans_clear(sti_spans* s);
void sti_span_clear(sti_spans* s, sti_span* a);

void sti_span_set(sti_spans* s, sti_span* r, const sti_span* a);
void sti_span_set_int(sti_spans* s, sti_span* r, int64_t value);
void sti_span_set_ratio(sti_spans* s, sti_span* r, const sti_int* num, const sti_int* den);  // den > 0
void sti_span_set_double(sti_spans* s, sti_span* r, double value);  // outward where it has more bits
void sti_span_set_doubles(sti_spans* s, sti_span* r, double low, double high);
void sti_span_hull(sti_spans* s, sti_span* r, const sti_span* a, const sti_span* b);
void sti_span_middle(sti_spans* s, sti_span* r, const sti_span* a);  // a point of it, up to rounding

// r may be one of the operands everywhere.
void sti_span_neg(sti_span* r);
void sti_span_add(sti_spans* s, sti_span* r, const sti_span* a, const sti_span* b);
void sti_span_sub(sti_spans* s, sti_span* r, const sti_span* a, const sti_span* b);
void sti_span_mul(sti_spans* s, sti_span* r, const sti_span* a, const sti_span* b);
void sti_span_sqr(sti_spans* s, sti_span* r, const sti_span* a);
void sti_span_mul_int(sti_spans* s, sti_span* r, const sti_span* a, int64_t k);
void sti_span_div_int(sti_spans* s, sti_span* r, const sti_span* a, int64_t k);  // k > 0
void sti_span_div(sti_spans* s, sti_span* r, const sti_span* a, const sti_span* b);
void sti_span_sqrt(sti_spans* s, sti_span* r, const sti_span* a);
void sti_span_abs(sti_spans* s, sti_span* r, const sti_span* a);
void sti_span_pow_int(sti_spans* s, sti_span* r, const sti_span* a, long n);

// Elementary functions (span_functions.c).
void sti_span_pi(sti_spans* s, sti_span* r);
void sti_span_exp(sti_spans* s, sti_span* r, const sti_span* a);
void sti_span_log(sti_spans* s, sti_span* r, const sti_span* a);
void sti_span_sin(sti_spans* s, sti_span* r, const sti_span* a);
void sti_span_cos(sti_spans* s, sti_span* r, const sti_span* a);
void sti_span_atan(sti_spans* s, sti_span* r, const sti_span* a);

static inline bool sti_span_has_zero(const sti_span* a) {
    return sti_int_sign(&a->low) <= 0 && sti_int_sign(&a->high) >= 0;
}
// 1: all positive, -1: all negative, 0: holds 0
static inline int sti_span_sign(const sti_span* a) {
    return sti_int_sign(&a->low) > 0 ? 1 : sti_int_sign(&a->high) < 0 ? -1 : 0;
}
bool sti_span_inside(const sti_span* a, const sti_span* b);
double sti_span_double(sti_spans* s, const sti_span* a);  // about its middle
double sti_span_log10(sti_spans* s,
                      const sti_span* a);  // log10 |middle|, -INFINITY for 0; beyond the range of doubles too

#endif
