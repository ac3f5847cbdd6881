// islands.h: parts of a contact problem that have nothing to do with each other.
#ifndef STI_CONTACT_ISLANDS_H
#define STI_CONTACT_ISLANDS_H

#include "contact/contact.h"

// Contacts, bilateral rows and (global) velocities, in this order: of[i] becomes the least of those that are joined to i by
// entries other than 0.                                                                             (nc + nb + nv)
void sti_contact_islands(const sti_contact_problem* problem, int* of);

// The same for a dense W (d nc x d nc) and nothing else; of (nc).
void sti_contact_islands_dense(int d, int nc, const double* W, int* of);

#endif
