// massless.h: an instant whose M is singular, in coordinates in which it is not.
//
//     qdot = Y'y + z,     rows of Y: what the joints allow and has mass
//
// M_y = Y M Y' is regular, joints are gone, and everything S1 says in terms of M^-1 with joints eliminated is the limit
// of M + eps 1, eps -> 0: on the velocities that the joints allow M + eps 1 tends to a metric with an inverse, wherever
// no contact moves what has no mass. Directions without mass that nothing moves keep their velocity: z, the part of
// qdot along them (the 1 of eps 1 is that of the units given). A contact that moves one has none: |n| grows like 1 /
// sqrt(eps), and its quasi-velocity is 0 whatever its speed. It is refused.
#ifndef STI_IMPACTS_MASSLESS_H
#define STI_IMPACTS_MASSLESS_H

#include <stiction/instant.h>

#include "base/arena.h"

typedef struct sti_massless {
    sti_arena pool;
    const sti_instant* from;  // borrowed
    sti_instant instant;      // in y; contacts: the touching unilateral ones
    int joint_count;
    const int* joint;    // of the instant                       (joint_count)
    const int* contact;  // of the instant, for each that is left
    double* Y;           // orthogonal to what is idle           (instant.n x n)
    double* dual;        // rows: y = dual (qdot - z)            (instant.n x n)
    double* mass;        // M_y is diagonal                      (instant.n)
    double* z;           // (n)
    int idle;            // directions without mass that nothing moves
    double* B;           // joint rows, in units and of size 1   (joint_count x n)
    double* B_size;      // what they were divided by            (joint_count)
    double* unit;        // of the coordinates                   (n)
} sti_massless;

// Coordinates may have any units (lengths beside angles), so what counts as no mass is judged in units in which M has a
// diagonal near 1: unit (n), powers of 2, which round nothing. A coordinate that M does not know gets the one in which
// rows of constraints are as large on it as elsewhere.
void sti_massless_units(const sti_instant* instant, double* unit);
// The instant in these units, q = unit q' (M, F, v, gradients, slips; rates stay): a copy in `pool`.
sti_status sti_massless_scale(sti_arena* pool, const sti_instant* instant, const double* unit, sti_instant* out);

// STI_ERR_INPUT: M is not semidefinite, or a contact, a joint that moves or a velocity is in the way.
sti_status sti_massless_make(sti_env* env, const sti_instant* instant, double gap_tol, sti_massless* out);
void sti_massless_clear(sti_massless* m);

// Rows of vectors y (count x instant.n) in the coordinates of the instant, `with` z or without; in `pool`.
double* sti_massless_up(const sti_massless* m, sti_arena* pool, int count, const double* y, bool with);
// The impulses of the joints (joint_count), least squares, that balance M (to - from) = impulse + B'p. *missed: what is
// left of the balance, relative to its terms.
double* sti_massless_joints(const sti_massless* m, sti_arena* pool, const double* from, const double* to,
                            const double* impulse, double* missed);

#endif
