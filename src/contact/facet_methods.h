// facet_methods.h: the methods for contacts some of whose sections are polygons or given by their support function.
#ifndef STI_CONTACT_FACET_METHODS_H
#define STI_CONTACT_FACET_METHODS_H

#include "contact/contact.h"

typedef struct sti_faceted {
    const sti_contact_local* p;
    const sti_section* section;  // (nc)
    sti_section* facets;         // polygons inside the sections; discs stay discs            (nc)
    double* vertex;              // of those that were made here
} sti_faceted;

sti_status sti_faceted_create(const sti_contact_local* p, const sti_section* section, sti_faceted* out);
void sti_faceted_clear(sti_faceted* k);

// As sti_contact_method, by one of gs, newton, ipm, lemke: r is improved until the equation of every contact
// (facet_one.h) holds, |F| <= tol max(|r|, scale).
sti_status sti_faceted_run(sti_faceted* k, sti_contact_solver solver, const sti_contact_options* options,
                           sti_contact_run* run);

#endif
