// ipm.h: the interior-point method behind sti_conic_solve. Made once for a program, it can be run for many vectors c.
#ifndef STI_CONIC_IPM_H
#define STI_CONIC_IPM_H

#include "conic/judge.h"
#include "conic/scaled.h"

typedef struct sti_conic_ipm sti_conic_ipm;

// The program was checked; it is borrowed, and must outlive this.
sti_status sti_conic_ipm_create(sti_env* env, const sti_conic* program, sti_conic_ipm** out);
void sti_conic_ipm_destroy(sti_conic_ipm* k);  // accepts NULL

const sti_conic_scaled* sti_conic_ipm_scaled(const sti_conic_ipm* k);
double sti_conic_ipm_work(const sti_conic_ipm* k);  // multiplications in a factorization

// With the vector c that the program has now; everything else must be as it was. The answer has its vectors (see
// sti_conic_answer_reserve); outcome, residuals, iterations and reason are set.
void sti_conic_ipm_run(sti_conic_ipm* k, const sti_conic_options* options, sti_conic_answer* answer);

// A checked program, with the simpler questions that are asked where the method leaves it open (settle.c).
sti_status sti_conic_settle(sti_env* env, const sti_conic* program, const sti_conic_options* options,
                            sti_conic_answer* answer);

// An answer without a point: vectors of the right lengths, all NAN.
sti_status sti_conic_answer_reserve(sti_env* env, const sti_conic* program, sti_conic_answer* answer);

#endif
