// prove.h: one box at a time: no root, one root, or neither known.
#ifndef STI_ROOTS_PROVE_H
#define STI_ROOTS_PROVE_H

#include "roots/equations.h"

// A root that is proved. region: where it is the only one, known iff proof is STI_ROOT_UNIQUE or unique is set.
typedef struct sti_proved {
    sti_root_proof proof;
    bool unique;
    sti_interval x[MOST];
    sti_interval region[MOST];
} sti_proved;

// Try to prove a root next to c. `width`: relative width that is enough.
bool sti_prove_near(sti_equations* q, const double* c, double width, sti_proved* out);

typedef enum sti_contraction { STI_BOX_EMPTY, STI_BOX_ROOT, STI_BOX_SMALLER, STI_BOX_SAME } sti_contraction;

// Take from X what can hold no root. EMPTY: nothing is left. ROOT: X holds exactly one, and is now an enclosure of it.
sti_contraction sti_contract(sti_equations* q, sti_interval* X, unsigned* trouble);

// Draw the enclosure of a proved root together until it is `width` wide or does not get smaller; 0 itself is tried.
void sti_refine(sti_equations* q, double width, sti_proved* proved);

// Is there no other root than the one in `proved` in the hull of its region and X? Then the region grows to it.
bool sti_extend_region(sti_equations* q, sti_proved* proved, const sti_interval* X);

// Largest relative width, absolute where an interval holds 0.
double sti_relative_width(const sti_interval* x, int n);

#endif
