// touch.h: a few plain sweeps over the contacts, from a point that is nearly a solution.
#ifndef STI_CONTACT_TOUCH_H
#define STI_CONTACT_TOUCH_H

#include "contact/contact.h"

// What the sweeps need of every contact, (nc): kept by the caller.
void sti_contact_touch_prepare(const sti_contact_local* p, sti_contact_block* block);

// Each contact solved by itself, in order, `sweeps` times; r (d nc) is changed, whatever becomes of it. W must be a
// matrix.
void sti_contact_touch(const sti_contact_local* p, sti_contact_block* block, int sweeps, double* r);

#endif
