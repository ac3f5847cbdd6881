// solvers.h: the inside of the solvers room: one function for each method, all of one shape.
#ifndef STI_SOLVERS_SOLVERS_H
#define STI_SOLVERS_SOLVERS_H

#include <stiction/problem.h>

#include "base/env.h"

enum { STI_ENUM_LIMIT = 64 };  // complementary pairs that the exact search takes

// The caller has checked the input (sizes, finite data) and made the answer's arrays z, w, alpha (n each, zero).
// A method fills z (>= 0), alpha, basis_nonsingular if it knows, iterations, termination, reason, and ray when it
// ends on one. Outcome, w, residuals, certificate and time are the caller's. It returns a status other than STI_OK
// only for memory and argument failures; "did not converge" is a termination.
// M may be dense or sparse; methods that need it dense make a copy. Nothing is allocated inside loops.
typedef sti_status sti_lcp_method(sti_env* env, const sti_lcp* lcp, const sti_lcp_options* options,
                                  sti_lcp_answer* answer);

// sti_lcp_method_lemke in lemke.c, and so on
#define STI_X(code, name) sti_lcp_method sti_lcp_method_##name;
STI_LCP_METHOD_LIST(STI_X)
#undef STI_X
sti_lcp_method sti_lcp_method_auto;  // auto.c: a portfolio of them

// Residual of z without an answer around it: as sti_lcp_residual, largest part only. w (n) is filled with M z + q.
double sti_lcp_point_residual(const sti_lcp* lcp, const double* z, double* w);

// Sizes fit and every number is finite; errors speak of A, C, D, B, a, b when mixed, otherwise of M, q.
sti_status sti_mlcp_check(sti_env* env, const sti_mlcp* mlcp, bool mixed);

// Arrays of an answer for so many free variables and pairs, everything else empty.
sti_status sti_lcp_answer_reserve(sti_env* env, int free_count, int n, sti_lcp_answer* answer);
sti_lcp_method* sti_lcp_method_of(sti_lcp_solver solver);  // NULL for enum

// What the end of a method is worth (conclude.c): residuals, outcome, exact confirmation, proofs of infeasibility.
sti_status sti_mlcp_conclude(sti_env* env, const sti_mlcp* mlcp, const sti_lcp_options* options,
                             sti_lcp_answer* answer);
// Exact search for one solution or the proof that there is none; overwrites the answer when it decides.
sti_status sti_mlcp_decide(sti_env* env, const sti_mlcp* mlcp, const sti_lcp_options* options, long max_nodes,
                           sti_lcp_answer* answer);

// How far a solution would have to be if x, y are Farkas multipliers only up to rounding: any solution has
// |u|_1 + |z|_1 >= the value, by a bound that includes the rounding of its own evaluation. 0: they show nothing.
double sti_certificate_bound(const sti_mlcp* mlcp, const double* x, const double* y);
// The same for a ray v of an LCP, clipped to y >= 0 (m); 0 unless the bound is far beyond the size of the data.
double sti_ray_bound(const sti_mlcp* mlcp, const double* v, double* y);

#endif
