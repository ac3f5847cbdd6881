// contact_residual.h: how far a point is from solving a contact problem, in long double, by code of its own.
#ifndef STI_VERIFY_CONTACT_RESIDUAL_H
#define STI_VERIFY_CONTACT_RESIDUAL_H

#include <stiction/contact.h>

// The data are checked, r, v and lambda are there and finite. Fills the residuals and the worst_ fields, and `runaway`:
// how many times farther than trusted the forces are from the data (at most 1: not).
sti_status sti_check_contact_residual(sti_env* env, const sti_contact_problem* problem,
                                      const sti_contact_answer* answer, sti_contact_verification* out, double* runaway);

#endif
