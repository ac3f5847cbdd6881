// anderson.h: extrapolation of a fixed-point iteration from its last steps.
#ifndef STI_CONTACT_ANDERSON_H
#define STI_CONTACT_ANDERSON_H

#include "par/tasks.h"

enum { STI_ANDERSON_DEPTH = 10 };

// The iteration x -> g(x), with f = g(x) - x in a scaling of the caller's choice. Vectors are worked on in chunks of
// fixed length, and sums taken over the chunks in order.
typedef struct sti_anderson {
    int n;             // length of the vectors now
    int chunk;         // length of a chunk
    sti_tasks* tasks;  // who does the chunks; NULL: the calling thread
    int count;         // columns filled
    int head;          // column to be overwritten next
    bool primed;       // f_last and g_last are set
    double* df;        // differences of f          (depth x capacity)
    double* dg;        // differences of g, the same
    double* f_last;    // (capacity)
    double* g_last;    // (capacity)
    double* partial;   // sums of the chunks        (chunks x (depth + 1))
    int capacity;
    void* memory;                                         // all of these
    double gram[STI_ANDERSON_DEPTH][STI_ANDERSON_DEPTH];  // df_i . df_j
    double rhs[STI_ANDERSON_DEPTH];                       // df_i . f
    double weight[STI_ANDERSON_DEPTH];                    // of the dg in the last mix
} sti_anderson;

sti_status sti_anderson_create(sti_env* env, int capacity, int chunk, sti_anderson* a);
void sti_anderson_destroy(sti_env* env, sti_anderson* a);

void sti_anderson_begin(sti_anderson* a, int n, sti_tasks* tasks);  // another iteration, of length n <= capacity
void sti_anderson_forget(sti_anderson* a);                          // drop the history
void sti_anderson_push(sti_anderson* a, const double* f, const double* g);
// y = g - sum w_i dg_i, where the w minimize |f - sum w_i df_i|, at the f and g pushed last. False: no history, y is
// not set.
bool sti_anderson_mix(sti_anderson* a, double* y);

#endif
