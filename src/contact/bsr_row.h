// bsr_row.h: y += blocks first .. last - 1 of one row of A, times x: the innermost loop of every method.
//
// Nine running sums for d = 3, one for each entry of a block, added up at the end; they are kept in pairs, which the
// machine multiplies and adds two at a time. The order of the additions is the same everywhere.
#ifndef STI_CONTACT_BSR_ROW_H
#define STI_CONTACT_BSR_ROW_H

#include "contact/contact.h"

typedef double sti_pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline sti_pair sti_pair_at(const double* p) {
    return *(const sti_pair*)p;
}

static inline void sti_bsr_add_row_3(const sti_bsr* A, int64_t first, int64_t last, const double* x, double* y) {
    sti_pair s01 = {0, 0}, s23 = {0, 0}, s45 = {0, 0}, s67 = {0, 0};
    double s8 = 0;
    for (int64_t k = first; k < last; k++) {
        const double *B = A->block + 9 * k, *xj = x + 3 * (size_t)A->col[k];
        const double x0 = xj[0], x1 = xj[1], x2 = xj[2];
        const sti_pair x01 = {x0, x1}, x20 = {x2, x0}, x12 = {x1, x2};
        s01 += sti_pair_at(B) * x01;
        s23 += sti_pair_at(B + 2) * x20;
        s45 += sti_pair_at(B + 4) * x12;
        s67 += sti_pair_at(B + 6) * x01;
        s8 += B[8] * x2;
    }
    y[0] += (s01[0] + s01[1]) + s23[0];
    y[1] += s23[1] + (s45[0] + s45[1]);
    y[2] += (s67[0] + s67[1]) + s8;
}

static inline void sti_bsr_add_row_2(const sti_bsr* A, int64_t first, int64_t last, const double* x, double* y) {
    sti_pair s01 = {0, 0}, s23 = {0, 0};
    for (int64_t k = first; k < last; k++) {
        const double *B = A->block + 4 * k, *xj = x + 2 * (size_t)A->col[k];
        const sti_pair x01 = sti_pair_at(xj);
        s01 += sti_pair_at(B) * x01;
        s23 += sti_pair_at(B + 2) * x01;
    }
    y[0] += s01[0] + s01[1];
    y[1] += s23[0] + s23[1];
}

#endif
