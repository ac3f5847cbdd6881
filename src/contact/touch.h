// touch.h: a few plain sweeps over the contacts, from a point that is nearly a solution.
#ifndef STI_CONTACT_TOUCH_H
#define STI_CONTACT_TOUCH_H

#include "contact/contact.h"

// Each contact solved by itself, in order, `sweeps` times; r (d nc) is changed, whatever becomes of it. W must be a matrix.
sti_status sti_contact_touch(const sti_contact_local* p, int sweeps, double* r);

#endif
