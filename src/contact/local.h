// local.h: making and dropping a prepared local problem.
#ifndef STI_CONTACT_LOCAL_H
#define STI_CONTACT_LOCAL_H

#include "contact/contact.h"

// env, d, nc, mu, q and W (or op) are set: fills diagonal, rho and scale.
sti_status sti_contact_local_finish(sti_contact_local* p);
void sti_contact_local_clear(sti_contact_local* p);  // frees W, diagonal, rho; q and mu are borrowed

// |e_c|^2 of one contact: e_c = r - P_K(r - rho (u + mu |u_t| n)).
double sti_contact_natural_map_one(int d, double mu, double rho, const double* r, const double* u);

#endif
