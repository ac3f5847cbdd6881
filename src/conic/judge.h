// judge.h: how good a point, or a certificate, is on the program as it was given.
#ifndef STI_CONIC_JUDGE_H
#define STI_CONIC_JUDGE_H

#include <math.h>
#include <stiction/conic.h>

#include "base/arena.h"

// The larger one; a NaN stays.
static inline double sti_larger(double a, double b) {
    return isnan(b) || b > a ? b : a;
}

typedef struct sti_conic_judge {
    sti_arena memory;
    sti_env* env;
    const sti_conic* program;  // borrowed
    double* unit;              // largest |A_ij| of a row, or of the rows of its cone; 1 for zeros       (m)
    double b, c, P;            // largest |b_i| / unit_i, |c_j|, |P_ij|; 1 where there is none
    double *row, *column;      // scratch                                                            (m), (2n)
} sti_conic_judge;

sti_status sti_conic_judge_init(sti_conic_judge* k, sti_env* env, const sti_conic* program);
void sti_conic_judge_clear(sti_conic_judge* k);  // accepts a zero struct

void sti_conic_judge_set_c(sti_conic_judge* k);  // the vector c of the program has changed

typedef struct sti_conic_residuals {
    double primal, dual, gap, worst, objective, bound;
} sti_conic_residuals;

// docs/conic.md has the formulas. A vector that is no certificate at all has worst = INFINITY.
sti_conic_residuals sti_conic_judge_point(sti_conic_judge* k, const double* x, const double* s, const double* y);
sti_conic_residuals sti_conic_judge_infeasible(sti_conic_judge* k, const double* y);
// s of rows of R_+ is made to fit x.
sti_conic_residuals sti_conic_judge_unbounded(sti_conic_judge* k, const double* x, double* s);

#endif
