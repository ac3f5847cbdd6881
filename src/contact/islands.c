// islands.c: which contacts, bilateral rows and velocities are joined (docs/contact.md): by entries other than 0 of W, V and R, in
// the global form of H, G and M. An operator does not show its entries: all is one island.
#include "contact/islands.h"

#include "base/sets.h"

// What rows or columns of a matrix belong to: item `first` + index / each
typedef struct side {
    int first, each;
} side;

static void link_matrix(const sti_matrix* A, side rows, side cols, int* of) {
    for (int i = 0; A->dense != NULL && i < A->rows; i++) {
        const double* row = A->dense + (size_t)i * (size_t)A->cols;
        const int x = rows.first + i / rows.each;
        for (int j = 0; j < A->cols; j++) {
            if (row[j] != 0) sti_sets_join(of, x, cols.first + j / cols.each);
        }
    }
    for (int j = 0; A->dense == NULL && A->col_start != NULL && j < A->cols; j++) {
        const int y = cols.first + j / cols.each;
        for (int64_t k = A->col_start[j]; k < A->col_start[j + 1]; k++) {
            if (A->value[k] != 0) sti_sets_join(of, rows.first + A->row[k] / rows.each, y);
        }
    }
}

void sti_contact_islands(const sti_contact_problem* p, int* of) {
    const int nc = p->contact_count, nb = p->bilateral_count, nv = p->global ? p->velocity_count : 0;
    const side contacts = {0, p->dimension}, joints = {nc, 1}, velocities = {nc + nb, 1};
    const bool shown = p->global || p->W_op == NULL;
    for (int i = 0; i < nc + nb + nv; i++) of[i] = shown ? i : 0;
    if (!shown) return;
    if (p->global) {
        link_matrix(&p->H, velocities, contacts, of);
        link_matrix(&p->G, velocities, joints, of);
        link_matrix(&p->M, velocities, velocities, of);
    } else {
        link_matrix(&p->W, contacts, contacts, of);
        link_matrix(&p->V, contacts, joints, of);
        link_matrix(&p->R, joints, joints, of);
    }
    for (int i = 0; i < nc + nb + nv; i++) of[i] = sti_sets_root(of, i);
}

void sti_contact_islands_dense(int d, int nc, const double* W, int* of) {
    int left = nc - 1;  // joins until all are one
    for (int c = 0; c < nc; c++) of[c] = c;
    for (int c = 0; c < nc; c++) {
        for (int e = 0; e < nc && left > 0; e++) {
            bool joined = sti_sets_root(of, c) == sti_sets_root(of, e);
            for (int k = 0; k < d * d && !joined; k++) {
                joined = W[(d * c + k / d) * d * nc + d * e + k % d] != 0;
                if (!joined) continue;
                sti_sets_join(of, c, e);
                left--;
            }
        }
    }
    for (int c = 0; c < nc; c++) of[c] = sti_sets_root(of, c);
}
