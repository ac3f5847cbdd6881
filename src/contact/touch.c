// touch.c: plain block Gauss-Seidel: what mends contacts that a norm over all of them does not see.
//
// A method stops when one norm over all contacts is small. A contact with small terms of its own may then still be anywhere;
// a sweep, in which it is solved exactly while the others stand still (one_contact.c), puts it right and hardly moves anything
// else. Nothing is watched here, unlike in gs.c: the point is judged afterwards, contact by contact.
#include "contact/touch.h"

sti_status sti_contact_touch(const sti_contact_local* p, int sweeps, double* r) {
    const int d = p->d;
    sti_contact_block* block = sti_alloc_array(p->env, (size_t)p->nc, sizeof *block);
    if (block == NULL) return STI_FAIL(p->env, STI_ERR_MEMORY, -1, "sweeps over %d contacts", p->nc);
    for (int c = 0; c < p->nc; c++)
        sti_contact_block_prepare(d, p->mu[c], p->diagonal + (size_t)c * (size_t)(d * d), &block[c]);
    for (int s = 0; s < sweeps; s++) {
        for (int c = 0; c < p->nc; c++) {
            double *own = r + (size_t)d * (size_t)c, b[3] = {0};
            const double *A = p->diagonal + (size_t)c * (size_t)(d * d), *q = p->q + (size_t)d * (size_t)c;
            sti_bsr_row_multiply(&p->W, c, r, b);
            for (int i = 0; i < d; i++) {
                b[i] += q[i];
                for (int j = 0; j < d; j++) b[i] -= A[i * d + j] * own[j];
            }
            sti_contact_block_solve(&block[c], b, own);
        }
    }
    sti_free(p->env, block);
    return STI_OK;
}
