// box.h: the inside of the proof that a push keeps its contact modes: where things are (box_bodies.c).
#ifndef STI_VERIFY_BOX_H
#define STI_VERIFY_BOX_H

#include <stiction/manipulation.h>

#include "base/arena.h"
#include "verify/forms.h"
#include "verify/pieces.h"

// A shape with a pose, in forms; a tip is a disc.
typedef struct body {
    sti_outline o;
    num x, y, c, s;
    int part;   // -1: none
    place v;    // of a tip
    place* at;  // vertices in the world; of a disc its centre
    int corners;
} body;

typedef struct proof {
    sti_arena memory;
    sti_pieces pieces;
    sti_env* env;
    const sti_manipulation* m;
    const sti_push_box* box;
    sti_affine_room k;
    int parts, tips, fixtures, things, order, unknowns;
    const double *low, *high;  // of the piece                                  (doubts)
    num* q;                    // (3 parts)
    num* K;                    // (order x (order + 1))
    bool* done;                // columns that are eliminated                    (order)
    body* bodies;              // parts, fixtures, tips
    place* points;
    num *gap, *rows;      // of the contacts: gap; W_n and W_t, and what tips add: (2 x (unknowns + 1)) each
    num* mu;              // of the contacts
    int* partner;         // of a tip of a fork: its other tip; -1
    num *lever, *skew;    // of a fork, at its first tip: a and b
    double *slip, *grip;  // of a fork, at its first tip: b^2 / |a|; largest lambda_t of the second tip that is taken
    double* end;
} proof;

// Along the edge of b from its first vertex, out of it, and its length.
typedef struct edge {
    place along, out, from;
    num length;
} edge;

// (a, b)'(c, d)
static inline num box_dot(const proof* p, num a, num b, num c, num d) {
    return plus(p, times(p, a, c), times(p, b, d));
}

// Of the linear system, whose solution stands in the last column.
static inline num* box_entry(const proof* p, int i, int j) {
    return &p->K[(size_t)i * (size_t)(p->order + 1) + (size_t)j];
}

// The deviation of one thing; 0 where nobody doubts it.
num sti_box_doubted(const proof* p, sti_doubt_kind kind, int of);
void sti_box_place_fixtures(proof* p);
void sti_box_place(proof* p, double t);  // parts and tips
body* sti_box_body(const proof* p, const sti_push_contact* c, bool the_part);
edge sti_box_edge(proof* p, const body* b, int face);
// All but the contacts stays farther than anything goes in the step that is solved.
bool sti_box_apart(proof* p, long step);

#endif
