// solvers.h: the inside of the solvers room: one function for each method, all of one shape.
#ifndef STI_SOLVERS_SOLVERS_H
#define STI_SOLVERS_SOLVERS_H

#include <stiction/problem.h>

#include "base/env.h"

// The caller (solve.c) has checked the input (sizes, finite data) and made the answer's arrays z, w, alpha (n each, zero).
// A method fills z (>= 0), alpha, basis_nonsingular if it knows, iterations, termination, reason, and ray when it
// ends on one. Outcome, w, residuals, certificate and time are the caller's. It returns a status other than STI_OK
// only for memory and argument failures; "did not converge" is a termination.
// M may be dense or sparse; methods that need it dense make a copy. Nothing is allocated inside loops.
typedef sti_status sti_lcp_method(sti_env* env, const sti_lcp* lcp, const sti_lcp_options* options, sti_lcp_answer* answer);

sti_lcp_method sti_lcp_method_lemke;   // lemke.c
sti_lcp_method sti_lcp_method_newton;  // newton.c
sti_lcp_method sti_lcp_method_pgs;     // pgs.c
sti_lcp_method sti_lcp_method_ipm;     // ipm.c

// Residual of z without an answer around it: as sti_lcp_residual, largest part only. w (n) is filled with M z + q.
double sti_lcp_point_residual(const sti_lcp* lcp, const double* z, double* w);

// Deadline of options->time_limit_s from now on; INFINITY when there is none. Compare with sti_clock().
double sti_deadline(const sti_lcp_options* options);

#endif
