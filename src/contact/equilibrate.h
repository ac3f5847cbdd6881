// equilibrate.h: a local problem whose contacts have units that differ by orders of magnitude, in units that do not.
#ifndef STI_CONTACT_EQUILIBRATE_H
#define STI_CONTACT_EQUILIBRATE_H

#include "contact/contact.h"

typedef struct sti_contact_even {
    sti_contact_local local;  // S W S, S q
    double* q;                // S q                                        (d nc)
    double* scale;            // S, the same for the d rows of a contact    (nc)
} sti_contact_even;

// Do the blocks W_cc differ so much that methods, which measure all contacts by one norm, would overlook some?
bool sti_contact_uneven(const sti_contact_local* p);

sti_status sti_contact_even_create(const sti_contact_local* p, sti_contact_even* out);
void sti_contact_even_clear(sti_contact_even* e);                               // accepts a zero struct
void sti_contact_even_follow(sti_contact_even* e, const sti_contact_local* p);  // q has changed

#endif
