// fixed_point.h: from a solver of convex problems to a Coulomb solver.
//
// With the slips s_c >= 0 given in advance the Coulomb problem becomes convex (friction is associated, shifted by mu
// s):
//
//     K contains r,     K* contains W r + q + mu s n,     orthogonal:      min 1/2 r'W r + (q + mu s n)'r  over K
//
// and its solution is a Coulomb solution when s_c = |u_t,c|: a fixed point in s (De Saxce & Feng 1998; Cadoux 2009;
// Acary, Cadoux, Lemarechal & Malick 2011).
#ifndef STI_CONTACT_FIXED_POINT_H
#define STI_CONTACT_FIXED_POINT_H

#include "contact/watch.h"

// A solver of the convex problem.
typedef struct sti_contact_convex {
    void* user;
    // Improves r (d nc), to be left in K, until the natural map of the convex problem of s (nc) is at most tol, or
    // budget iterations are spent; then u = W r + q, and *spent says how many it took.
    sti_status (*solve)(void* user, const double* s, double tol, long budget, double* r, double* u, long* spent);
} sti_contact_convex;

// Natural map of the convex problem: that of sti_contact_natural_map with the slips s in place of |u_t|.
double sti_contact_convex_map(const sti_contact_local* p, const double* s, const double* r, const double* u);

// The Coulomb problem by repeated convex ones, from the best point of the watch on, until the watch says stop.
sti_status sti_contact_fixed_point(sti_contact_watch* watch, const sti_contact_convex* convex);

#endif
