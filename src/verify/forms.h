// forms.h: affine forms as values, for proofs that keep the room of their forms in a member k: plus(p, a, b) is a + b.
#ifndef STI_VERIFY_FORMS_H
#define STI_VERIFY_FORMS_H

#include <math.h>

#include "verify/affine.h"

typedef sti_affine num;

typedef struct place {
    num x, y;
} place;

static inline num sti_form_sum(const sti_affine_room* k, num a, num b, int sign) {
    return sti_affine_add(k, &a, &b, sign);
}
static inline num sti_form_product(const sti_affine_room* k, num a, num b) {
    return sti_affine_mul(k, &a, &b);
}
static inline num sti_form_scaled(const sti_affine_room* k, num a, double s) {
    return sti_affine_scale(k, &a, s);
}
static inline double sti_form_low(const sti_affine_room* k, num a) {
    return sti_affine_low(k, &a);
}
static inline double sti_form_high(const sti_affine_room* k, num a) {
    return sti_affine_high(k, &a);
}
static inline double sti_form_magnitude(const sti_affine_room* k, num a) {
    return fmax(fabs(sti_affine_low(k, &a)), fabs(sti_affine_high(k, &a)));
}
// What lies between two numbers, as doubt `at`.
static inline num sti_form_between(int at, double low, double high) {
    num x = sti_affine_number(0.5 * low + 0.5 * high);
    x.a[at] = fmax(high - x.c, x.c - low) * (1 + 0x1p-50);
    x.r = 1e-290;
    return x;
}

#define plus(p, a, b) sti_form_sum(&(p)->k, a, b, 1)
#define minus(p, a, b) sti_form_sum(&(p)->k, a, b, -1)
#define times(p, a, b) sti_form_product(&(p)->k, a, b)
#define scaled(p, a, s) sti_form_scaled(&(p)->k, a, s)
#define low_of(p, a) sti_form_low(&(p)->k, a)
#define high_of(p, a) sti_form_high(&(p)->k, a)
#define magnitude(p, a) sti_form_magnitude(&(p)->k, a)
#define number sti_affine_number
#define between sti_form_between

#endif
