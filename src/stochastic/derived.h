// derived.h: programs of the same form whose solutions are certificates.
#ifndef STI_STOCHASTIC_DERIVED_H
#define STI_STOCHASTIC_DERIVED_H

#include "stochastic/program.h"

typedef struct sti_derived {
    sti_stochastic program;
    sti_scenario* scenarios;
    double* block;  // all numbers
} sti_derived;

// The least sum of what rows have to be changed by so that a point satisfies them: its multipliers are a Farkas vector
// when that sum is not 0. Variables: those of the program, then two for each row.
sti_status sti_derived_elastic(sti_env* env, const sti_stochastic_layout* L, sti_derived* out);

// The steepest direction in the box [-1, 1] along which no row or bound ends and the objective is linear. Rows: those
// of the program, then Q d = 0.
sti_status sti_derived_ray(sti_env* env, const sti_stochastic_layout* L, sti_derived* out);

void sti_derived_clear(sti_env* env, sti_derived* d);

#endif
