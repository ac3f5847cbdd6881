// lp.h: the linear program of a part mode, by its inequalities: its infeasibility has a proof anyone can check.
//
//     M a = w + J c,     a in the closed accelerations, c in the closed forces of the choices made;
//     open contacts:     a_n >= 0 (joints: = 0), c in the friction cone
#ifndef STI_MODES_LP_H
#define STI_MODES_LP_H

#include "exact/dictionary.h"
#include "modes/model.h"

typedef struct modes_lp {
    modes_model* m;     // borrowed
    const int* choice;  // borrowed; -1: open                                            (contact_count)
    sti_dictionary* D;
    int* column;         // first generator column of each contact                        (contact_count + 1)
    int kinematic_rows;  // rows n .. n + kinematic_rows - 1
} modes_lp;

sti_status sti_modes_lp_create(modes_model* m, const int* choice, modes_lp* out);
void sti_modes_lp_clear(modes_lp* lp);

sti_status sti_modes_lp_solve(modes_lp* lp, bool* feasible);
// After feasibility: a and the forces of contacts, n + K rationals.
sti_status sti_modes_lp_point(modes_lp* lp, sti_rationals* out);
// After infeasibility: y and nu of sti_modes_certificate, n + K rationals from entry `first` of out.
sti_status sti_modes_lp_farkas(modes_lp* lp, sti_rationals* out, size_t first);

#endif
