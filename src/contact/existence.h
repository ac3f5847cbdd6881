// existence.h: the inside of the solvability tests.
#ifndef STI_CONTACT_EXISTENCE_H
#define STI_CONTACT_EXISTENCE_H

#include "contact/reduce.h"

// The tests on a problem that is already checked and reduced; red may be NULL: W is then not looked at (an operator, or
// a piece of M too large to be factored). time_limit_s 0: none, negative: no tests, only what can be read off the data.
sti_status sti_contact_existence_find(sti_env* env, const sti_contact_problem* problem,
                                      const sti_contact_reduction* red, double time_limit_s,
                                      sti_contact_existence* out);

// The last of the tests alone.
sti_status sti_contact_feasibility_find(sti_env* env, const sti_contact_problem* problem, double time_limit_s,
                                        sti_contact_existence* out);

// The Farkas vector of feasible = fails as a certificate.
sti_status sti_contact_certify(sti_env* env, const sti_contact_existence* existence, sti_contact_certificate* out);

// After a method has ended without a solution: the tests, the diagnosis, and where the tests prove it the outcome
// no_solution with its certificate (diagnose.c). deadline: of sti_clock(), INFINITY: none.
sti_status sti_contact_explain(const sti_contact_reduction* red, double deadline, sti_contact_answer* answer);

// A point is within the tolerance. A contact may still penetrate by more than other contacts were given, where forces
// are orders of magnitude beyond those: then `feasible` is asked, and where it fails the outcome is no_solution after
// all.
sti_status sti_contact_doubt(sti_env* env, const sti_contact_problem* problem, double deadline,
                             sti_contact_answer* answer);

#endif
