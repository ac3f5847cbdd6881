// section_solve.h: the front door for problems with sections (stretch.h, facet_methods.h).
#ifndef STI_CONTACT_SECTION_SOLVE_H
#define STI_CONTACT_SECTION_SOLVE_H

#include "contact/contact.h"

// A checked problem some of whose sections are no discs; the answer is reserved, r holds the guess.
sti_status sti_contact_solve_sections(sti_env* env, const sti_contact_problem* problem,
                                      const sti_contact_options* options, sti_contact_answer* answer);

#endif
