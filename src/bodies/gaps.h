// gaps.h: gaps of pairs of shapes as functions of the places of their bodies, each as smooth as events ask for
// (as_system.c).
#ifndef STI_BODIES_GAPS_H
#define STI_BODIES_GAPS_H

#include "bodies/bodies.h"

typedef struct sti_gap {
    int a, b;         // colliders
    int corner;       // of a, that touches b; -1: a is a ball in space and b bounded, and it is their distance
    bool wall;        // b is a half-space, this one in its own frame:
    double plane[4];  // normal, offset
    double radius;    // of the corner and of b together
    double mu, restitution;
    double aside[3];  // the first tangent is laid along it; space
} sti_gap;

typedef struct sti_gap_seen {
    double gap;
    double n[3];              // unit, from b to a
    double t1[3], t2[3];      // plane: the first alone
    double at_a[3], at_b[3];  // where they are nearest, world
} sti_gap_seen;

// All gaps of pairs that may touch, in an order of their own: gap NULL: counted. STI_ERR_INPUT: a pair has none of this
// kind, with the reason.
sti_status sti_gaps_find(sti_world* world, sti_gap* gap, int* count);
void sti_gap_look(const sti_world* world, const sti_gap* g, sti_gap_seen* out);

#endif
