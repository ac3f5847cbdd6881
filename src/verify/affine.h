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

// Doubts from `first` on were the rest of a step before, and are none any more: they and the new rest become doubt
// `at`.
void sti_affine_settle(const sti_affine_room* k, sti_affine* x, int first, int at);

// K, n rows of `width` forms, its first n columns square: row and column trade places, and the column is taken out of
// all other rows, in columns that are not done and in the last one. done (n): a mark is set.
void sti_affine_pivot(sti_affine_room* k, sti_affine* K, int n, int width, int column, int row, bool* done);
// The same for every column that is not done yet, by the largest pivot; the solution comes to stand in the last column.
// false: the matrix may be singular.
bool sti_affine_solve(sti_affine_room* k, sti_affine* K, int n, int width, bool* done);

double sti_affine_spread(const sti_affine_room* k, const sti_affine* x);  // sum |a_i| + r, rounded up
double sti_affine_low(const sti_affine_room* k, const sti_affine* x);     // rounded down
double sti_affine_high(const sti_affine_room* k, const sti_affine* x);    // rounded up

#endif
