// conic.h: what the checks of conic and quadratic programs share, in long double.
#ifndef STI_VERIFY_CONIC_H
#define STI_VERIFY_CONIC_H

#include <stdbool.h>
#include <stiction/classes.h>
#include <stiction/conic.h>

void sti_check_conic_multiply(const sti_matrix* A, bool transposed, const long double* x,
                              long double* y);  // y += A x, A'x
long double sti_check_conic_size(const sti_matrix* A,
                                 long double* row);  // largest entry; row: and of each row, or NULL
// Is P positive semidefinite, up to 1e-10? Undecided: it is too large to be tested.
sti_status sti_check_conic_convex(sti_env* env, int order, const sti_matrix* P, sti_verdict* convex);

bool sti_check_conic_claims(sti_conic_outcome claim);  // is it one that can be checked?
// The sentence of an accepted claim.
void sti_check_conic_say(sti_conic_outcome claim, double residual, bool convex, char* text, size_t size);

#endif
