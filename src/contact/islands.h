// islands.h: parts of a contact problem that have nothing to do with each other.
#ifndef STI_CONTACT_ISLANDS_H
#define STI_CONTACT_ISLANDS_H

#include "contact/contact.h"

// Contacts, bilateral rows and (global) velocities, in this order: of[i] becomes the least of those that are joined to
// i by
// entries other than 0.                                                                             (nc + nb + nv)
void sti_contact_islands(const sti_contact_problem* problem, int* of);

#endif
