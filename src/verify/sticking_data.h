// sticking_data.h: an instant as the checker of sticking and closure claims sees it: rationals, contact by contact.
#ifndef STI_VERIFY_STICKING_DATA_H
#define STI_VERIFY_STICKING_DATA_H

#include <stiction/sticking.h>

#include "base/arena.h"
#include "exact/rationals.h"

typedef struct sti_sticking_data {
    sti_arena memory;
    sti_env* env;
    const sti_instant* instant;
    sti_exact x;
    // the data: the instant's own exact tables, or its doubles as the binary fractions they are
    sti_instant_exact table;
    bool made;  // the tables are ours
    // the contacts an answer speaks of
    int count;
    const int* contact;          // (count)
    int* first;                  // first multiplier                         (count+1)
    int* row;                    // first row of A'                          (count+1)
    int* t_first;                // first tangent row in the instant         (count)
    unsigned char* slides;       // (count)
    double (*slip)[2];           // unit slip direction                      (count)
    double *size_a, *size_l;     // of a (n) and lambda (p), as the data suggest it
    const unsigned char* opens;  // contacts that open, of a claim about that; NULL: none   (count)
    sti_int num, den, t1, t2;    // the accumulator num / den
} sti_sticking_data;

// Contacts that are not listed must be apart, or have no part in the coordinates `object` (NULL: all count). *why is
// set when the list does not fit.
sti_status sti_sticking_data_open(sti_sticking_data* d, sti_env* env, const sti_instant* instant, int count,
                                  const int* contact, const int* object, int object_count, const char** why);
void sti_sticking_data_close(sti_sticking_data* d);  // also after a failed open

static inline const sti_instant_contact* sti_sticking_data_contact(const sti_sticking_data* d, int i) {
    return &d->instant->contacts[d->contact[i]];
}

// Facet k of the friction polygon of contact i, { z : m'z <= mu }: of its own, or of the inner one of so many corners.
int sti_sticking_data_facets(const sti_sticking_data* d, int i, int facets);
void sti_sticking_data_facet(const sti_sticking_data* d, int i, int facets, int k, double m[2]);

// Is a claim about sticking, or about the contacts that do not open, proved?
sti_status sti_check_claim(sti_sticking_data* d, const sti_sticking_answer* answer, double tol,
                           sti_sticking_verification* out);

// The parts of an answer beside the decision itself. They turn out->accepted to false.
sti_status sti_check_opening(sti_sticking_data* d, const sti_sticking_answer* answer, double tol,
                             sti_sticking_verification* out);
sti_status sti_check_propositions(sti_sticking_data* d, const sti_sticking_answer* answer, double tol,
                                  sti_sticking_verification* out);

// The accumulator.
void sti_sum_clear(sti_sticking_data* d);
void sti_sum_add(sti_sticking_data* d, const sti_rationals* a, size_t i, int sign);
void sti_sum_add_product(sti_sticking_data* d, const sti_rationals* a, size_t i, const sti_rationals* b, size_t j,
                         int sign);
int sti_sum_sign(const sti_sticking_data* d);
double sti_sum_double(sti_sticking_data* d);
sti_status sti_sum_store(sti_sticking_data* d, sti_rationals* r, size_t i);

// u = -C_i'y at contact i, y in entries 0.. of `y`, into entries 0.. of u (1 + tangents).
sti_status sti_sticking_data_pull(sti_sticking_data* d, int i, const sti_rationals* y, sti_rationals* u);

// How far u is from the dual of the friction cone of contact i: 0 when it is inside, exactly. rough: with friction.
double sti_dual_miss(sti_sticking_data* d, int i, int sign, bool rough, const sti_rationals* u);

#endif
