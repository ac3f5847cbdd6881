// jet.h: values, gradients and Hessians of all entries of a tape in the variables (q, v, t), by forward
// differentiation.
#ifndef STI_SYSTEM_JET_H
#define STI_SYSTEM_JET_H

#include "base/arena.h"
#include "system/tape.h"

enum { STI_JET_SKIP = 255 };  // in place of an order: the entry is not needed

// What is computed in one go: for each entry 0 (value), 1 (gradient), 2 (Hessian) or STI_JET_SKIP.
typedef struct sti_program {
    unsigned char* order;  // (count)
} sti_program;

typedef struct sti_jets {
    sti_arena memory;
    sti_env* env;
    const sti_tape* tape;   // borrowed
    int variable_count;     // 2 n + 1
    int64_t* start;         // variables of entry i: support[start[i]] .. support[start[i+1]]      (count+1)
    int* support;           // sorted; q is 0.., v is n.., t is 2 n
    int64_t* jet;           // where gradient and Hessian of entry i stand in d                    (count+1)
    int64_t* map;           // per entry: where the places of its arguments' variables among its own stand in place,
                            // -1: the same                                                        (2 count)
    int* place;             //
    double* x;              // values                                                              (count)
    double* d;              // gradient, then lower triangle of the Hessian, of each entry
    unsigned char* kinked;  // an entry that has met a kink, and was reported                      (count)
    int kink;               // the first new one of the last evaluation; -1: none
} sti_jets;

sti_status sti_jets_init(sti_jets* jets, sti_env* env, const sti_tape* tape);
void sti_jets_clear(sti_jets* jets);  // accepts a zero struct

// A program: sti_program_want for every output, then sti_program_finish.
sti_status sti_program_init(sti_program* program, sti_env* env, const sti_tape* tape);
void sti_program_clear(sti_env* env, sti_program* program);
void sti_program_want(sti_program* program, int entry, int order);
void sti_program_finish(sti_program* program, const sti_tape* tape);

// inputs: parameters, q, v, t.
void sti_jets_evaluate(sti_jets* jets, const sti_program* program, const double* inputs);

// Of an entry whose gradient (Hessian) was computed; 0 where it does not depend on the variable.
double sti_jets_gradient(const sti_jets* jets, int entry, int variable);
// Add factor * gradient of the entry in variables first .. first + count to out.
void sti_jets_add_gradient(const sti_jets* jets, int entry, int first, int count, double factor, double* out);
// Lower triangle, row by row, over the variables the entry depends on.
const double* sti_jets_hessian(const sti_jets* jets, int entry, const int** variables, int* count);

#endif
