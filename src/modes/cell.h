// cell.h: relatively open cones of accelerations by their generators, cut one hyperplane at a time.
#ifndef STI_MODES_CELL_H
#define STI_MODES_CELL_H

#include "exact/integer.h"

// { sum z_i r_i + lines : all z_i > 0 }: the relative interior of the cone, so strict inequalities are kept.
typedef struct modes_cell {
    int dimension;
    int line_count, ray_count;
    int capacity;    // vectors v has room for
    int words;       // of a zero set
    sti_int* v;      // lines first, then extreme rays                               (capacity x dimension)
    uint64_t* zero;  // of each ray: the cuts made whose form vanishes on it         (capacity x words)
    uint64_t* made;  // the cuts made                                                (words)
} modes_cell;

// The whole space: lines e_1 .. e_lines; when dimension = lines + 1 one ray, the last unit vector, with cut 0 (that its
// coordinate is positive). cuts: how many cuts may follow, number 0 included.
bool sti_cell_whole(sti_exact* x, int lines, int dimension, int cuts, modes_cell* out);

// The part of a cell where form has the sign (+1, 0, -1). False: it is empty, or x->status is set; *out is then
// cleared.
bool sti_cell_cut(sti_exact* x, const modes_cell* from, const sti_int* form, int sign, int cut, modes_cell* out);
// The relative interior of the closed cone's part sign form >= 0 (sign 0: form = 0), whether or not the cell itself
// meets it; the origin at least is there. False: x->status is set.
bool sti_cell_part(sti_exact* x, const modes_cell* from, const sti_int* form, int sign, int cut, modes_cell* out);
// The relative interior of the cone's face on which an earlier cut, of a form that is >= 0 on it, vanishes.
bool sti_cell_face(sti_exact* x, const modes_cell* from, int cut, modes_cell* out);
// No cut of the mask vanishes on the whole cell.
bool sti_cell_is_strict(const modes_cell* cell, const uint64_t* mask);
void sti_cell_clear(sti_env* env, modes_cell* cell);

static inline sti_int* modes_cell_at(const modes_cell* cell, int i) {
    return cell->v + (size_t)i * (size_t)cell->dimension;
}

#endif
