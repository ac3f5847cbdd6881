// quick.h: problems of which few contacts press, solved before anything is prepared.
#ifndef STI_CONTACT_QUICK_H
#define STI_CONTACT_QUICK_H

#include "contact/contact.h"

// *solved: a->r and a->u solve the problem, residuals and worst contact are set. Otherwise not tried, or not solved;
// a->r is then a point to go on from, and may be zero. a->r is the first guess on entry, a->u zero; a->iterations and
// a->solver are set.
sti_status sti_contact_quick(sti_env* env, const sti_contact_problem* problem, const sti_contact_options* options,
                             sti_contact_answer* a, bool* solved);

#endif
