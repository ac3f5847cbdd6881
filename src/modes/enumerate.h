// enumerate.h: the inside of sti_modes_create: lists of modes, solutions, certificates, wrench sets.
#ifndef STI_MODES_ENUMERATE_H
#define STI_MODES_ENUMERATE_H

#include "modes/cell.h"
#include "modes/lp.h"

typedef struct modes_list {
    int count, capacity;
    sti_mode* modes;
    bool complete;
} modes_list;

// Every kinematically feasible mode, in lexicographic order of choices; consistent: only those whose closed set holds
// the wrench, in an order in which sticking comes first. Stops at `most`, and at the deadline of the phase: then it is
// not complete.
sti_status sti_modes_walk(modes_model* m, bool consistent, long most, modes_list* out);
void sti_modes_list_clear(sti_env* env, modes_list* list);
void sti_mode_clear(sti_env* env, sti_mode* mode);

// The cell of a kinematically feasible mode: its relatively open cone of (a, 1), or of a when all rates vanish.
sti_status sti_modes_cell(modes_model* m, const short* choice, modes_cell* out);
// The closed accelerations of any combination. *there: some are; without rates 0 always is.
sti_status sti_modes_cell_closed(modes_model* m, const short* choice, modes_cell* out, bool* there);

// All combinations that are not in out->modes, which has to hold all feasible ones.
sti_status sti_modes_list_infeasible(modes_model* m, const sti_modes_options* o, sti_modes* out);

// Is the wrench among those of the closed cell and the choices made (-1: open)? "No" is always proved; "yes" is when it
// must be certain.
sti_status sti_modes_gate(modes_model* m, const int* choice, const modes_cell* cell, bool certain, bool* fits);

// Is there a solution in any closed mode? If so: one of them, (a, forces). If not: cases that prove it. *decided false:
// the deadline came first.
sti_status sti_modes_exist(modes_model* m, bool* decided, bool* exists, sti_rationals** solution,
                           sti_modes_certificate* out);
void sti_modes_certificate_clear(sti_env* env, sti_modes_certificate* certificate);

// Fit and solutions of a mode whose closed set holds the wrench. sets: corners too, where it is not one point.
sti_status sti_mode_solve(modes_model* m, sti_mode* mode, bool sets);
void sti_mode_solution_destroy(sti_env* env, sti_mode_solution* solution);

// The set of wrenches, and the wrench against it.
sti_status sti_mode_find_wrenches(modes_model* m, sti_mode* mode);
// The same of a mode that no acceleration satisfies strictly, by its closed set. NULL stays where that is empty.
sti_status sti_mode_find_wrenches_closed(modes_model* m, sti_mode* mode);
void sti_mode_wrenches_destroy(sti_env* env, sti_mode_wrenches* wrenches);

#endif
