// jet.h: formulas with first and second derivatives, as affine forms in doubts: the verifier's own reading of the
// language where a system is in motion.
#ifndef STI_VERIFY_JET_H
#define STI_VERIFY_JET_H

#include <stiction/system.h>

#include "base/arena.h"
#include "verify/affine.h"

// A value, its gradient and the lower triangle of its Hessian; entries that are not there are 0.
typedef struct sti_jet {
    sti_affine* v;
    const sti_affine **d, **h;
} sti_jet;

typedef struct sti_jet_reader {
    sti_arena arena;  // all that a formula needs; given back by the next one
    sti_affine_room* k;
    int n;  // variables: coordinates, their velocities, t
    const sti_system_text* text;
    const sti_affine* parameters;  // (parameter_count)
    const sti_affine* at;          // (n)
    int order;                     // of derivatives: 0, 1 or 2
    bool unable;                   // the text holds something that is not known here
    int depth;
} sti_jet_reader;

// NULL: not known (k->bad, unable, or the status of the arena). What came before is gone.
const sti_jet* sti_jet_of(sti_jet_reader* r, const char* formula);

#endif
