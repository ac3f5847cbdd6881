// check.h: are the data of a stochastic program sound? The error names scenario, matrix, index and value.
#ifndef STI_STOCHASTIC_CHECK_H
#define STI_STOCHASTIC_CHECK_H

#include "stochastic/program.h"

sti_status sti_stochastic_check(sti_env* env, const sti_stochastic* p);

#endif
