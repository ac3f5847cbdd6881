// contact_farkas.h: the check of a claim that a contact problem has no solution.
#ifndef STI_VERIFY_CONTACT_FARKAS_H
#define STI_VERIFY_CONTACT_FARKAS_H

#include <stiction/contact.h>

#include "base/env.h"

// The problem is well posed and the answer has its sizes. Fills accepted, exact, bound and text.
sti_status sti_contact_check_farkas(sti_env* env, const sti_contact_problem* problem, const sti_contact_answer* answer,
                                    sti_contact_verification* out);

#endif
