// touch.c: plain block Gauss-Seidel: what mends contacts that a norm over all of them does not see.
//
// A method stops when one norm over all contacts is small. A contact with small terms of its own may then still be
// anywhere; a sweep, in which it is solved exactly while the others stand still (one_contact.c), puts it right and
// hardly moves anything else. Nothing is watched here, unlike in gs.c: the point is judged afterwards, contact by
// contact.
#include "contact/touch.h"

void sti_contact_touch_prepare(const sti_contact_local* p, sti_contact_block* block) {
    for (int c = 0; c < p->nc; c++)
        sti_contact_block_prepare(p->d, p->mu[c], p->diagonal + (size_t)c * (size_t)(p->d * p->d), &block[c]);
}

static void touch_contact(const sti_contact_local* p, int c, sti_contact_block* block, double* r) {
    const int d = p->d;
    double *own = r + (size_t)d * (size_t)c, b[3] = {0};
    const double *A = p->diagonal + (size_t)c * (size_t)(d * d), *q = p->q + (size_t)d * (size_t)c;
    sti_bsr_row_multiply(&p->W, c, r, b);
    for (int i = 0; i < d; i++) {
        b[i] += q[i];
        for (int j = 0; j < d; j++) b[i] -= A[i * d + j] * own[j];
    }
    sti_contact_block_solve(block, b, own);
}

void sti_contact_touch(const sti_contact_local* p, sti_contact_block* block, int sweeps, double* r) {
    for (int s = 0; s < sweeps; s++) {
        for (int c = 0; c < p->nc; c++) touch_contact(p, c, &block[c], r);
    }
}
