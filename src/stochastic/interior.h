// interior.h: a primal-dual interior-point method for stochastic programs.
#ifndef STI_STOCHASTIC_INTERIOR_H
#define STI_STOCHASTIC_INTERIOR_H

#include "stochastic/arrow.h"

typedef struct sti_stochastic_point {
    double *u, *l;  // variables and multipliers of the rows, of all blocks in the scale of program.h, borrowed
    bool optimal;   // within the tolerance, by the measures of the method
    long iterations;
    const char* reason;
} sti_stochastic_point;

// From `point` where warm, into it. The data are sound.
sti_status sti_stochastic_interior(sti_env* env, const sti_layout* L, const sti_stochastic_options* options,
                                   double deadline, bool warm, sti_stochastic_point* point);

#endif
