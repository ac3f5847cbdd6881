// instant.h: an instant that owns its numbers. Readers and systems fill one, the public sees its head.
#ifndef STI_SYSTEM_INSTANT_H
#define STI_SYSTEM_INSTANT_H

#include <stiction/instant.h>

#include "base/arena.h"
#include "base/env.h"

typedef struct sti_instant_store {
    sti_instant instant;  // first member: a view of what follows
    sti_arena memory;
    sti_instant_contact* contacts;  // (contact_count)
    double* numbers;                // one block for all that follow
    double* M;                      // (n x n)
    double* F;                      // (n)
    double* v;                      // (n)
    double* n;                      // (contact_count x n)
    double* t;                      // (tangent_total x n)
    double* t_rate;                 // (tangent_total)
    double* t_offset;               // (tangent_total)
    double* restitution;            // (contact_count x contact_count), NULL: no matrix
    double* corner;                 // of all contacts, in order                    (corners x 2)
    char** names;                   // of velocities, then of contacts; NULL: not yet set     (n + contact_count)
    sti_instant_exact exact;
} sti_instant_store;

typedef struct sti_instant_shape {
    int n;
    int contact_count;
    const int* tangent_count;  // (contact_count)
    const int* corner_count;   // NULL: no polygons                                 (contact_count)
    bool exact;                // tables of rationals, all 0
    bool restitution;          // room for the full matrix
} sti_instant_shape;

// All numbers 0, contacts unilateral, pointers of the contacts set; names of contacts are still missing.
sti_status sti_instant_store_create(sti_env* env, const sti_instant_shape* shape, sti_instant_store** out);
void sti_instant_store_destroy(sti_env* env, sti_instant_store* store);  // accepts NULL and half-built ones

// k < n: velocity k; otherwise contact k - n. Once one velocity is named, all have to be.
sti_status sti_instant_store_name(sti_env* env, sti_instant_store* store, int k, const char* name);

enum { STI_INSTANT_TABLES = 10 };
sti_rationals** sti_instant_exact_table(sti_instant_exact* exact, int k);           // in the order of the struct
size_t sti_instant_exact_size(int n, int contact_count, int tangent_total, int k);  // entries of table k

#endif
