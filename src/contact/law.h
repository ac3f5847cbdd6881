// law.h: how far one contact is from Signorini's condition and Coulomb's law.
#ifndef STI_CONTACT_LAW_H
#define STI_CONTACT_LAW_H

#include <stiction/section.h>

// Units of one contact, >= 0: of r, of u_n and of u_t. Against a unit of 0 nothing but 0 counts as small.
typedef struct sti_contact_units {
    double force, normal, tangent;
    double force_noise, velocity_noise;  // what is rounding, and counts for nothing
} sti_contact_units;

typedef struct sti_contact_miss {
    // the largest of |r - r'|, |u_n - u'_n| and |u_t - u'_t|, without noise, in these units; NAN: not finite
    double share;
    double force;     // |r - r'|
    double velocity;  // |u - u'|
} sti_contact_miss;

// The nearest pair (r', u') that obeys the law: how far it is. share is 0 where (r, u) does, up to noise.
sti_contact_miss sti_contact_law_miss(int d, double mu, const double* r, const double* u, sti_contact_units units);

// The same with friction in mu S (d = 3): of separating and of touching with r_t + T the nearest point (law.c).
sti_contact_miss sti_contact_section_miss(const sti_section* section, double mu, const double* r, const double* u,
                                          sti_contact_units units);

#endif
