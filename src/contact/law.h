// law.h: how far one contact is from Signorini's condition and Coulomb's law.
#ifndef STI_CONTACT_LAW_H
#define STI_CONTACT_LAW_H

// The nearest pair (r', u') that obeys the law, as  max(|r - r'| / force, |u - u'| / velocity):  0 exactly where (r, u)
// does. force, velocity >= 0: the units of r and of u; against a unit of 0 nothing but 0 counts as small. NaN stays one.
double sti_contact_law_distance(int d, double mu, const double* r, const double* u, double force, double velocity);

#endif
