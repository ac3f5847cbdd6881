// emptiness.h: a proof, free of rounding, that a local contact problem has no solution.
//
//     y >= 0,     W'p = 0  for p = (y_c, 0) in every contact,     y'q_n < 0
//
// says that sum y_c u_n,c = p'(W r + q) = y'q_n < 0 whatever r is, where a solution has u_n >= 0: Farkas' lemma. W and
// q are the doubles of the problem.
#ifndef STI_CONTACT_EMPTINESS_H
#define STI_CONTACT_EMPTINESS_H

#include "contact/contact.h"

// From multipliers v (nc) that are right up to rounding to y (nc) that are exactly so: v itself, or small whole numbers
// in its proportions. *proved false: none passes, and nothing is known. v is not y.
sti_status sti_contact_prove_empty(const sti_contact_local* p, const double* v, double* y, bool* proved);

#endif
