// inertia.h: how many eigenvalues of a symmetric matrix are negative, and how many vanish.
#ifndef STI_CONTACT_INERTIA_H
#define STI_CONTACT_INERTIA_H

#include "contact/contact.h"

// Of S = D (A + A')/2 D, D such that the diagonal of S is 1 wherever it is positive: eigenvalues below -tau, and those
// within tau of zero, tau = 1e-10. Sylvester: S - tau I = L D L' has as many negative pivots as S has eigenvalues below
// tau. Both are -1 when L would be too large to be stored.
sti_status sti_inertia_count(sti_env* env, const sti_matrix* A, int* negative, int* zero);

// E'W E, E = diag(E_c), E_c (d x dim[c], columns one after the other) at basis + d d c. W = NULL basis: E = I.
sti_status sti_bsr_restrict(sti_env* env, const sti_bsr* W, const int* dim, const double* basis, sti_matrix* out);

#endif
