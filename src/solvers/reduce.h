// reduce.h: an MLCP brought to an LCP by pivoting its free variables away.
#ifndef STI_SOLVERS_REDUCE_H
#define STI_SOLVERS_REDUCE_H

#include <stiction/problem.h>

#include "base/env.h"

typedef struct sti_reduction {
    sti_env* env;
    int n;               // free variables and equations of the MLCP
    int m;               // complementary pairs
    int size;            // pairs of the LCP: m, plus two for each equation or variable that could not be pivoted
    double* M;           // (size x size)
    double* q;           // (size)
    bool* swapped;       // pair i stands in the LCP with z and w exchanged          (m)
    bool contradiction;  // the equations alone contradict; multipliers x say how
    double* x;           // x'A = 0, x'C = 0, x'a != 0, up to rounding               (n)
    int redundant;       // equations that repeat others
    int undetermined;    // directions of u that nothing depends on
    // values of everything as functions of the LCP's z:  value = value_0 + value_j z_j, in original units
    double* u_row;    // (n x (size+1)), constant first
    double* z_scale;  // original z_i = z_scale_i * (z or w of pair i of the LCP)  (m)
} sti_reduction;

sti_status sti_reduction_create(sti_env* env, const sti_mlcp* mlcp, sti_reduction** out);
void sti_reduction_destroy(sti_reduction* r);

#endif
