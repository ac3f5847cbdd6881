// interior.h: the primal-dual interior-point method for min |A x + b|_1.
#ifndef STI_L1_INTERIOR_H
#define STI_L1_INTERIOR_H

#include <stiction/l1.h>

#include "l1/normal.h"

// A is sparse. x (n), y (m) of the answer are filled, iterations counted, reason set where a limit or rounding ended
// it.
sti_status sti_l1_interior(sti_env* env, const sti_l1* problem, const sti_l1_options* options, sti_l1_answer* answer);

// min max_i |A x + b|_i (largest.c): x, y and iterations of the answer; y with A'y = 0 and sum |y_i| <= 1.
sti_status sti_l1_largest(sti_env* env, const sti_l1* problem, const sti_l1_options* options, sti_l1_answer* answer);

// Is there an x at which every row is met up to rounding? It takes the place of the x given. memory: of normal.h.
sti_status sti_l1_meet_rows(sti_env* env, const sti_l1* problem, double memory, double* x, bool* met);

#endif
