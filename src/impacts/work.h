// work.h: what the impact laws share while sti_impact_create works.
//
// Local velocities u = (qdot_norm; v_t) and impulses z = (pbar_n; p_t) of the touching contacts satisfy u+ = u0 + W z;
// u0 belongs to v0, the velocity v- after the joints alone have acted (v0 = v- when v- fits the joints).
#ifndef STI_IMPACTS_WORK_H
#define STI_IMPACTS_WORK_H

#include <stiction/impact.h>
#include <stiction/velocities.h>

#include "base/arena.h"
#include "impacts/space.h"
#include "linalg/vector.h"

// Pivots and eigenvalues below this, relative to the largest, are zero.
#define STI_IMPACT_RANK_TOL 1e-11

typedef struct sti_impact_work {
    sti_env* env;
    const sti_instant* instant;
    sti_impact_options options;
    const sti_space* space;
    const sti_velocities* velocities;  // with the caller's t_q, when given; NULL: one law that needs none
    double* t_H;                       // its t_q'H_T, columns of the unilateral contacts only   (d x s)
    sti_impact* out;
    sti_arena* pool;  // of out
    double* v0;       // (n)
    double* u0;       // (p+s)
    double* u;        // before                                       (p+s)
    double* e;        // diagonal restitution                         (p)
    double* G_inv;    // G^+                                          (p x p)
    double* tan;      // kinetic length of each slip row              (s)
    double speed;     // sqrt(2 T-): size of quasi-velocities and of impulses
    bool plain;       // joints fit and nothing moves by itself: the energy formulas of S1 apply
} sti_impact_work;

// A new solution of the answer, from the impulses (pbar; p_t) (p+s): velocities, flags, momentum, direct energy and
// (47).
sti_status sti_impact_add(sti_impact_work* w, sti_impact_answer* a, const double* z, sti_impact_solution** out);
// The same from a velocity and impulses that are already known (p_joint in units of the gradients).
sti_status sti_impact_add_known(sti_impact_work* w, sti_impact_answer* a, const double* v, const double* z,
                                const double* p_joint, sti_impact_solution** out);

// Energy formulas of a law qdot_norm+ = -E qdot_norm- without friction: (40), (48) to (51).
sti_status sti_impact_energy_restitution(sti_impact_work* w, const double* E, sti_impact_solution* solution);
void sti_impact_energy_normal(sti_impact_work* w, sti_impact_solution* solution);          // (40)
sti_status sti_impact_energy_friction(sti_impact_work* w, sti_impact_solution* solution);  // (77)

// 0 <= w = M z + q _|_ z >= 0 by Lemke's method; *solved false when it found none.
sti_status sti_impact_lcp(sti_env* env, int n, double* M, const double* q, double* z, bool* solved);

sti_status sti_impact_newton(sti_impact_work* w);
sti_status sti_impact_general(sti_impact_work* w);
sti_status sti_impact_moreau(sti_impact_work* w);
sti_status sti_impact_implicit(sti_impact_work* w, bool rough);
sti_status sti_impact_quasi(sti_impact_work* w);
sti_status sti_impact_poisson(sti_impact_work* w, bool printed);
sti_status sti_impact_friction(sti_impact_work* w);
sti_status sti_impact_friction_spatial(sti_impact_work* w, sti_impact_answer* a);  // one contact, two slips
sti_status sti_impact_stronge(sti_impact_work* w);
sti_status sti_impact_lzb(sti_impact_work* w);
sti_status sti_impact_springs(sti_impact_work* w, sti_impact_answer* a);  // the energetic coefficient, integrated
sti_status sti_impact_bounds(sti_impact_work* w);
sti_status sti_impact_set(sti_impact_work* w);

#endif
