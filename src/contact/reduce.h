// reduce.h: from a posed contact problem to the local one that the methods solve, and back.
#ifndef STI_CONTACT_REDUCE_H
#define STI_CONTACT_REDUCE_H

#include "base/arena.h"
#include "contact/contact.h"
#include "contact/gauge.h"
#include "contact/mass.h"
#include "linalg/dense.h"

// A contact touches a piece, and is there the contact of this place.
typedef struct sti_mass_touch {
    int piece, place;
} sti_mass_touch;

typedef struct sti_contact_reduction {
    sti_arena memory;
    sti_env* env;
    const sti_contact_problem* problem;  // borrowed
    sti_contact_gauge gauge;             // of the problem; made when it is asked for first
    sti_contact_local local;             // what the methods see; its q is `q` below
    double* q;                           // (d nc)
    bool proximal;                       // something was singular: v and l are improved from outside
    sti_contact_memory* keeps;           // patterns of M; borrowed, NULL: none
    // global form
    sti_matrix M, H, G;  // compressed columns, borrowed where the problem has them so
    sti_matrix copy[3];  // of those that are dense there
    int piece_count;
    sti_mass_piece* pieces;
    int* piece_of;    // piece of each velocity                       (nv)
    int* place_in;    // and its place there                          (nv)
    int* index_room;  // of the pieces                              (nv)
    int* pivot_room;  //                                            (nv)
    double* lu_room;  //
    int* contact_room;
    double* H_room;         // H and X
    int64_t* touch_start;   // first touch of each contact           (nc+1)
    sti_mass_touch* touch;  // contact by contact
    double* v;              // proximal centre                              (nv)
    double* work;           // a piece                                      (nv)
    double* scale;          // of velocities, in the pieces that are scaled (nv)
    double* rhs;            // a right side                                 (max(nv, nb))
    double* next_v;         // (nv)
    // bilateral rows: (S + delta_l) l = -(Y r + t) + delta_l l_k,   S = R or G'M^-1 G,   Y = V' or G'M^-1 H
    int nb;
    double* Y;       // row major                                    (nb x d nc)
    double* X;       // (S + delta_l)^-1 Y, row major                (nb x d nc)
    double* t;       // s, or G'M^-1 f + b                           (nb)
    double* l;       // proximal centre                              (nb)
    double* next_l;  // (nb)
    double delta_l;
    sti_dense_factor S;
} sti_contact_reduction;

sti_status sti_contact_reduce(sti_env* env, const sti_contact_problem* problem, sti_contact_reduction* out);
// The same with what a memory has of problems before; NULL: none. It has what is in `out` once that is cleared.
sti_status sti_contact_reduce_again(sti_env* env, const sti_contact_problem* problem, sti_contact_memory* memory,
                                    sti_contact_reduction* out);
void sti_contact_reduction_clear(sti_contact_reduction* red);

// (v, lambda) that belong to r.
void sti_contact_expand(sti_contact_reduction* red, const double* r, double* v, double* lambda);

// (v, lambda) of the answer from its r, and how well they solve the problem as posed.
sti_status sti_contact_expand_and_measure(sti_contact_reduction* red, sti_contact_answer* answer);

// Proximal step: move the centres to (v, lambda) of r and q with them. Returns how far they moved, relative.
double sti_contact_recenter(sti_contact_reduction* red, const double* r);

#endif
