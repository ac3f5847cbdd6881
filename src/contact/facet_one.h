// facet_one.h: the law of one contact with any section, as an equation and solved alone.
#ifndef STI_CONTACT_FACET_ONE_H
#define STI_CONTACT_FACET_ONE_H

#include "contact/contact.h"

// F = r - G(x), x = r - rho u:  G_n = max(0, x_n),  G_t = s P(x_t / s),  s = mu G_n,
//     P the projection on S: the function of
// Alart and Curnier (curnier.h). F (3); dG (3 x 3, may be NULL): of G by x.
void sti_section_equation(const sti_section* section, double mu, double rho, const double* r, const double* u,
                          double* F, double* dG);

// r of the contact alone, u = A r + b (A 3 x 3, row major). facets: an inscribed polygon, section itself where it is
// one.
void sti_section_solve_one(const sti_section* section, const sti_section* facets, double mu, double rho,
                           const double* A, const double* b, double* r);

#endif
