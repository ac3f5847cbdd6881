// margin.h: the margin program of pointed.c in doubles, enclosed between two bounds.
#ifndef STI_CONES_MARGIN_H
#define STI_CONES_MARGIN_H

#include <stiction/cone.h>

#include "base/env.h"

// Bounds on  max { min_i g_i'x : l_j'x = 0, |x|_inf <= 1 }  and what proves them.
typedef struct sti_margin {
    double lower;  // attained at x
    double upper;  // | sum c_i g_i + sum y_j l_j |_1
    double* x;     // (d)
    double* c;     // c >= 0 with sum 1, then y        (m + k)
    double* work;  // owns x and c
} sti_margin;

// A gap between the bounds means that rounding or the pivot limit got in the way; the bounds hold all the same, up to
// the rounding of their own evaluation.
sti_status sti_margin_enclose(sti_env* env, const sti_rows* rays, const sti_rows* lines, sti_margin* out);
void sti_margin_clear(sti_env* env, sti_margin* margin);

#endif
