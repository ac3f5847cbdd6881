// affine.h: numbers that depend on doubts: c + sum a_i e_i + r e with every e in [-1, 1], rounding errors kept in r.
//
// An operation gives a form that holds its value for every choice of the doubts that both arguments share (Comba and
// Stolfi's affine arithmetic). What is linear in the doubts stays exact up to rounding; what is not goes into r. Relied
// on: + - * / and sqrt are correctly rounded to nearest; sines come from their series, with its remainder.
#ifndef STI_VERIFY_AFFINE_H
#define STI_VERIFY_AFFINE_H

#include <math.h>
#include <stdbool.h>

enum { STI_DOUBTS_MOST = 40 };

typedef struct sti_affine {
    double c;
    double a[STI_DOUBTS_MOST];
    double r;
} sti_affine;

// How many doubts there are; false of bad: a quotient by what may be 0, a root of what may be negative, a number too
// large.
typedef struct sti_affine_room {
    int n;
    bool bad;
} sti_affine_room;

sti_affine sti_affine_number(double x);
sti_affine sti_affine_add(const sti_affine_room* k, const sti_affine* x, const sti_affine* y, int sign);  // x + sign y
sti_affine sti_affine_scale(const sti_affine_room* k, const sti_affine* x, double s);
sti_affine sti_affine_mul(const sti_affine_room* k, const sti_affine* x, const sti_affine* y);
sti_affine sti_affine_div(sti_affine_room* k, const sti_affine* x, const sti_affine* y);
sti_affine sti_affine_sqrt(sti_affine_room* k, const sti_affine* x);
void sti_affine_turn(sti_affine_room* k, const sti_affine* angle, sti_affine* cosine, sti_affine* sine);

double sti_affine_spread(const sti_affine_room* k, const sti_affine* x);  // sum |a_i| + r, rounded up
double sti_affine_low(const sti_affine_room* k, const sti_affine* x);     // rounded down
double sti_affine_high(const sti_affine_room* k, const sti_affine* x);    // rounded up

#endif
