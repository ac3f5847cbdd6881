// measure.h: what an answer to a stochastic program shows, on the data as given.
#ifndef STI_STOCHASTIC_MEASURE_H
#define STI_STOCHASTIC_MEASURE_H

#include "stochastic/program.h"

// Residuals, objective and gap of x, y, pi, l of the answer (sti_stochastic_answer).
sti_status sti_stochastic_measure(sti_env* env, const sti_stochastic_layout* L, sti_stochastic_answer* a);
// Of a certificate of infeasibility: residual and bound. STI_OK with bound = 0: it proves nothing.
sti_status sti_stochastic_measure_farkas(sti_env* env, const sti_stochastic_layout* L, sti_stochastic_answer* a);
// Of a direction: residual, and c'd in objective.
sti_status sti_stochastic_measure_ray(sti_env* env, const sti_stochastic_layout* L, sti_stochastic_answer* a);

#endif
