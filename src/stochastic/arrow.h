// arrow.h: the Newton system (3.1.7), an arrow of blocks, by its Schur complement.
#ifndef STI_STOCHASTIC_ARROW_H
#define STI_STOCHASTIC_ARROW_H

#include "par/tasks.h"
#include "stochastic/program.h"
#include "stochastic/schur.h"

typedef struct sti_arrow {
    sti_env* env;
    const sti_stochastic_layout* L;
    sti_tasks* tasks;     // borrowed
    int order;            // n + p
    sti_schur* sparse;    // of each scenario: factors of its own where it is large and sparse   (blocks)
    size_t* start;        // where the factors of each scenario begin        (blocks + 1)
    double* factor;       // packed rows, then inverse pivots, of each scenario
    double* C;            // the Schur complement                            (order x order)
    double* factor0;      // packed rows of its factors, then inverse pivots
    double* z0;           // solution of the Schur system                    (order)
    double* part;         // of each chunk: its share of C, and of a right-hand side   (chunks x (order + 1) x order)
    double* scratch;      // of each worker
    size_t scratch_size;  // doubles of one worker
    const double *D, *E;  // of the last factorization, borrowed
    double proximal;      // added to each of them
    double held;          // sti_kernel's: STI_KERNEL_HELD, or 0 for (3.1.7) as it stands
    int* frozen;          // of each chunk: pivots that were replaced         (chunks)
} sti_arrow;

sti_status sti_arrow_create(sti_env* env, const sti_stochastic_layout* L, sti_tasks* tasks, sti_arrow* out);
void sti_arrow_clear(sti_arrow* a);  // accepts a zero struct

// Factor with the diagonals D (variables) and E (rows), not negative, and `proximal` more. The number of pivots that
// were replaced.
int sti_arrow_factor(sti_arrow* a, const double* D, const double* E, double proximal);
// In place: right-hand sides of all variables and rows in, the solution out.
void sti_arrow_solve(sti_arrow* a, double* u, double* l);

#endif
