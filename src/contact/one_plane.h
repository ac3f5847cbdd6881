// one_plane.h: one contact in the plane, inside loops: the formulas of one_contact.c, and their bits, without its rare
// cases.
#ifndef STI_CONTACT_ONE_PLANE_H
#define STI_CONTACT_ONE_PLANE_H

#include <math.h>

#include "contact/contact.h"

// r with u = A r + b. Numbers far from 1, a contact without friction or with a singular block go to
// sti_contact_block_solve.
static inline void sti_contact_block_solve_plane(sti_contact_block* A, const double* b, double* r) {
    const double bn = b[0], bt = b[1], slip = fabs(bt), size = -bn > slip ? -bn : slip;
    r[0] = r[1] = 0;
    if (bn >= 0) return;
    if (!(A->pivot > 0 && A->mu > 0 && A->unit == 1 && -bn > 0x1p-56 * slip && size >= 0x1p-100 && size <= 0x1p+100)) {
        sti_contact_block_solve(A, b, r);
        return;
    }
    const double beta = -bn * A->inverse, c = bt - A->column[0] * bn, rt = -c * A->pivot;
    const double rn = beta - A->row[0] * rt, reach = A->mu * rn;
    if (rn >= 0 && rt * rt <= reach * reach) {
        r[0] = rn;
        r[1] = rt;
        return;
    }
    const double rest = 1 - A->mu * copysign(A->row[0], A->row[0] * c);
    if (!(rest > 0)) {
        sti_contact_block_solve(A, b, r);
        return;
    }
    r[1] = copysign(A->mu * beta / rest, -c);
    r[0] = fabs(r[1]) / A->mu;
}

#endif
