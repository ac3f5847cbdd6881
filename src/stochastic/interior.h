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

// warm: from `point`; careful: slower, for programs where the usual way came to no end.
typedef enum sti_stochastic_way { STI_STOCHASTIC_COLD, STI_STOCHASTIC_WARM, STI_STOCHASTIC_CAREFUL } sti_stochastic_way;

// Into `point`. The data are sound.
sti_status sti_stochastic_interior(sti_env* env, const sti_stochastic_layout* L, const sti_stochastic_options* options,
                                   double deadline, sti_stochastic_way way, sti_stochastic_point* point);

#endif
