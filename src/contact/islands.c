// islands.c: which contacts, bilateral rows and velocities are joined (docs/contact.md): by entries other than 0 of W,
// V and R, in the global form of H, G and M. An operator does not show its entries: all is one island.
#include "contact/islands.h"

#include "base/sets.h"

// What rows or columns of a matrix belong to: item `first` + index / each
typedef struct side {
    int first, each;
} side;

// Sets so far, and how many joins are left until all is one
typedef struct sets {
    int* of;
    int left;
} sets;

static inline void join(sets* k, int x, int y) {
    if (k->of[x] == k->of[y]) return;
    x = sti_sets_root(k->of, x);
    y = sti_sets_root(k->of, y);
    k->left -= x != y;
    sti_sets_join(k->of, x, y);
}

static void link_matrix(const sti_matrix* A, side rows, side cols, sets* k) {
    for (int i = 0; A->dense != NULL && i < A->rows && k->left > 0; i++) {
        const double* row = A->dense + (size_t)i * (size_t)A->cols;
        const int x = rows.first + i / rows.each;
        for (int j = 0; j < A->cols; j++) {
            if (row[j] != 0) join(k, x, cols.first + j / cols.each);
        }
    }
    for (int j = 0; A->dense == NULL && A->col_start != NULL && j < A->cols && k->left > 0; j++) {
        const int y = cols.first + j / cols.each;
        int last = y;  // rows of one contact follow each other
        for (int64_t e = A->col_start[j]; e < A->col_start[j + 1]; e++) {
            const int x = rows.first + A->row[e] / rows.each;
            if (x == last || x == y || A->value[e] == 0) continue;
            join(k, x, y);
            last = x;
        }
    }
}

void sti_contact_islands(const sti_contact_problem* p, int* of) {
    const int nc = p->contact_count, nb = p->bilateral_count, count = nc + nb + (p->global ? p->velocity_count : 0);
    const side contacts = {0, p->dimension}, joints = {nc, 1}, velocities = {nc + nb, 1};
    const bool shown = p->global || p->W_op == NULL;
    sets k = {of, count - 1};
    for (int i = 0; i < count; i++) of[i] = shown ? i : 0;
    if (!shown) return;
    if (p->global) {
        link_matrix(&p->H, velocities, contacts, &k);
        link_matrix(&p->G, velocities, joints, &k);
        link_matrix(&p->M, velocities, velocities, &k);
    } else {
        link_matrix(&p->W, contacts, contacts, &k);
        link_matrix(&p->V, contacts, joints, &k);
        link_matrix(&p->R, joints, joints, &k);
    }
    for (int i = 0; i < count; i++) of[i] = sti_sets_root(of, i);
}
