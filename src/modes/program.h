// program.h: the solutions of one mode as a linear program over the generators of its accelerations and forces.
#ifndef STI_MODES_PROGRAM_H
#define STI_MODES_PROGRAM_H

#include "exact/dictionary.h"
#include "modes/cell.h"
#include "modes/model.h"

typedef struct modes_program {
    modes_model* m;       // borrowed
    const short* choice;  // borrowed                                                        (contact_count)
    modes_cell cell;      // accelerations of the mode
    sti_dictionary* D;
    int equations;    // rows held at zero
    int generators;   // columns: lines and rays of the cell, then forces by contact
    int epsilon;      // column of the slack that all coefficients share; -1: closed problem
    int objective;    // row
    sti_int* weight;  // of each column in the value that is asked for                      (generators)
} modes_program;

// strict: maximize the least coefficient (at most 1) instead of asking for feasibility alone.
sti_status sti_modes_program_create(modes_model* m, const short* choice, bool strict, modes_program* out);
void sti_modes_program_clear(modes_program* p);

// Feasible? *gap (strict problems) receives the sign of the largest common slack.
sti_status sti_modes_program_solve(modes_program* p, bool* feasible, int* gap);
// The point where the program stands: n + 2 K numbers.
sti_status sti_modes_program_point(modes_program* p, sti_rationals* out);
// Least (sense +1) or largest (-1) of number k over the closed problem, which is feasible and has been solved.
sti_status sti_modes_program_range(modes_program* p, int k, int sense, bool* finite, sti_rationals* out);

#endif
