// section.h: sections of friction cones as the checker reads them.
#ifndef STI_VERIFY_SECTION_H
#define STI_VERIFY_SECTION_H

#include <stiction/section.h>

// Is S convex, with 0 inside? STI_ERR_ARGUMENT, with the contact, where it is not.
sti_status sti_check_section(sti_env* env, const sti_section* section, int contact);
// The nearest point of reach S to x; reach >= 0.
void sti_check_section_nearest(const sti_section* section, long double reach, const long double* x, long double* p);
// max over S of x.y
long double sti_check_section_support(const sti_section* section, const long double* y);

#endif
