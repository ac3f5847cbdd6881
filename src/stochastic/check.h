// check.h: are the data of a stochastic program sound? The error names scenario, matrix, index and value.
#ifndef STI_STOCHASTIC_CHECK_H
#define STI_STOCHASTIC_CHECK_H

#include "stochastic/program.h"

// team: what its ranks have together is held against the sum of probabilities; NULL: alone.
sti_status sti_stochastic_check(sti_env* env, const sti_stochastic* p, const sti_stochastic_team* team);

#endif
