// found.h: what a search has found so far: roots, and boxes with how they ended.
#ifndef STI_ROOTS_FOUND_H
#define STI_ROOTS_FOUND_H

#include "roots/prove.h"

typedef struct sti_found {
    sti_env* env;
    int n;
    int root_count, root_capacity;
    sti_proved* root;  // (root_capacity)
    long* runs;        // of newton-mc that ended at each        (root_capacity)
    int leaf_count, leaf_capacity;
    sti_interval* leaf_box;  // (leaf_capacity x n)
    unsigned char* leaf;     // (leaf_capacity)
    bool unsure;             // two roots could not be told apart
} sti_found;

void sti_found_clear(sti_found* f);
// At its place, ascending in the first coordinate. A root that is there already is refined, not added. *at: where it
// stands.
sti_status sti_found_add(sti_found* f, sti_equations* q, const sti_proved* root, int* at);
sti_status sti_found_leaf(sti_found* f, const sti_interval* box, sti_root_leaf kind);

// Searches (search.c, quick.c, newton_mc.c, order.c). Each fills in what it found, and its part of the answer.
sti_status sti_search_all(sti_equations* q, const sti_root_options* o, const double* start, bool one, sti_found* f,
                          sti_root_answer* a);
bool sti_quick_root(sti_equations* q, const double* start, double* c);
sti_status sti_newton_mc(sti_equations* q, const sti_root_options* o, const double* start, sti_found* f,
                         sti_root_runs* out);
// iterates (count x n), then log10 of the errors (count), then orders (count): one block.
sti_status sti_convergence_order(sti_equations* q, const sti_root_options* o, const double* start, double** out,
                                 int* count);

#endif
