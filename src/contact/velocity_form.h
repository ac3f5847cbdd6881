// velocity_form.h: rigid bodies found in the data of a contact problem.
#ifndef STI_CONTACT_VELOCITY_FORM_H
#define STI_CONTACT_VELOCITY_FORM_H

#include "contact/velocities.h"

// *fits: the problem is one of free rigid bodies, and k holds its data (k zero at first; sti_contact_velocities_clear).
// r: the guess.
sti_status sti_contact_velocity_form(sti_env* env, const sti_contact_problem* p, const sti_contact_options* options,
                                     const double* r, sti_contact_velocities* k, bool* fits);

// Many contacts for few bodies, where W is large and singular and M is not. *taken: it was tried; a as below.
sti_status sti_contact_try_velocities(sti_env* env, const sti_contact_problem* p, const sti_contact_options* options,
                                      double deadline, sti_contact_answer* a, bool* taken);

// By the methods on velocities alone: a->r is the guess on entry; r, v, u and residuals are set. Where the problem does
// not fit, a says so. The caller concludes.
sti_status sti_contact_solve_velocities(sti_env* env, const sti_contact_problem* p, const sti_contact_options* options,
                                        double deadline, sti_contact_answer* a);

#endif
