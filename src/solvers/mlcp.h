// mlcp.h: the way from a mixed LCP to an LCP and back.
#ifndef STI_SOLVERS_MLCP_H
#define STI_SOLVERS_MLCP_H

#include "solvers/solvers.h"

// Reduce, run the method on the LCP, recover (u, z). The answer is as the method left it (its ray, if any, is one
// of the reduced problem and is dropped), or STI_NO_SOLUTION with its certificate when the equations contradict.
sti_status sti_mlcp_solve_reduced(sti_env* env, const sti_mlcp* mlcp, const sti_lcp_options* options,
                                  sti_lcp_method* method, sti_lcp_answer* answer);

#endif
