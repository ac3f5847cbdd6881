// posed.h: what is asked of a posed contact problem before and after solving.
#ifndef STI_CONTACT_POSED_H
#define STI_CONTACT_POSED_H

#include "contact/contact.h"

// Sizes fit, numbers are finite, mu >= 0; the error names field and index.
sti_status sti_contact_check(sti_env* env, const sti_contact_problem* problem);

// sti_contact_residual for a problem that was checked before.
sti_status sti_contact_measure(sti_env* env, const sti_contact_problem* problem, sti_contact_answer* answer);

// Trace of W_cc for every contact, of H_c' diag(M)^-1 H_c in global form (nc).
void sti_contact_traces(const sti_contact_problem* problem, double* trace);

// rho (nc): traces in, d / trace out (contacts without any borrow the mean). Returns |rho q|, the unit of r.
double sti_contact_rho(int d, int nc, const double* q, double* rho);

#endif
