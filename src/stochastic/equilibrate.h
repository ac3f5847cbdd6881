// equilibrate.h: a stochastic program in units in which its rows and columns have entries near 1.
#ifndef STI_STOCHASTIC_EQUILIBRATE_H
#define STI_STOCHASTIC_EQUILIBRATE_H

#include "stochastic/program.h"

typedef struct sti_equilibrated {
    sti_stochastic program;   // of u / by_var, rows times by_row
    sti_scenario* scenarios;  // of it
    double *by_var, *by_row;  // powers of 2      (all variables), (all rows)
    double* block;            // all numbers of the program
} sti_equilibrated;

sti_status sti_equilibrate(sti_env* env, const sti_stochastic_layout* L, sti_equilibrated* out);
void sti_equilibrated_clear(sti_env* env, sti_equilibrated* s);  // accepts a zero struct

// An answer to it, in the units of the program of L. What is no number stays none.
void sti_equilibrated_restore(const sti_stochastic_layout* L, const sti_equilibrated* s, sti_stochastic_answer* a);

#endif
