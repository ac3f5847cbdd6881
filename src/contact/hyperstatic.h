// hyperstatic.h: of all forces that go with the same velocities the smallest.
#ifndef STI_CONTACT_HYPERSTATIC_H
#define STI_CONTACT_HYPERSTATIC_H

#include "contact/reduce.h"

// answer: a solution of red->problem within options->tol. In how many directions is its r open? Fills
// undetermined_dimension, and undetermined = 0 when there are none.
sti_status sti_contact_count_open(sti_contact_reduction* red, const sti_contact_options* options,
                                  sti_contact_answer* answer);

// Fills undetermined and undetermined_dimension, and replaces r (v, lambda, u and the residuals with it) where a
// smaller one was found that is a solution as well; otherwise undetermined stays NAN. The velocities of the answer
// should be better than the tolerance by an order or two.
sti_status sti_contact_minimum_norm(sti_contact_reduction* red, const sti_contact_options* options,
                                    sti_contact_answer* answer);

#endif
