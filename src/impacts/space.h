// space.h: an instant seen from its touching unilateral contacts, joints eliminated.
//
// A force or impulse  N p_n + H' p_t  at the contacts changes velocities (or accelerations) by
//
//     M_b^-1 (N p_n + H' p_t),     M_b^-1 = M^-1 - M^-1 B' K B M^-1,     K = (B M^-1 B')^+
//
// when the joints B v = 0 hold. In the quasi-normal coordinates of S1 (n_i divided by its kinetic norm, S1 (3)) and the
// slips of the contacts this is one symmetric matrix W, with blocks
//
//     W_nn = G of S1 (17),     W_nt = n_q'H_T,     W_tt = H_T'M_b^-1 H_T.
//
// Redundant contacts and joints are allowed: inverses are pseudo-inverses, and whoever needs more asks for the ranks.
#ifndef STI_IMPACTS_SPACE_H
#define STI_IMPACTS_SPACE_H

#include <stiction/instant.h>

#include "base/env.h"

// Eigenvalues of matrices with unit diagonal below this count as zero.
#define STI_SPACE_RANK_TOL 1e-11

typedef struct sti_space {
    sti_env* env;
    const sti_instant* instant;  // borrowed
    int n, m, p, s;              // velocities, joints (rows held at zero), contacts, slip rows
    int* joint;                  // contact of the instant behind each joint; -1: a slip row held          (m)
    int* contact;                // contact of the instant behind each                                    (p)
    int* slip;                   // first slip row of each contact, and the end                           (p+1)
    double* B;                   // joint rows                                                            (m x n)
    double* MB;                  // M^-1 of each                                                          (m x n)
    double* K;                   // (B M^-1 B')^+                                                         (m x m)
    double* joint_norm;          // kinetic length of the joint rows, which are stored at length 1        (m)
    double* joint_offset;        // B v + joint_offset = 0 where surfaces move                            (m)
    double* norm;                // kinetic norm of the gradients                                         (p)
    double* offset;              // local velocity = A v + offset                                         (p+s)
    double* A;                   // rows n_i / norm_i, then slip rows                                     ((p+s) x n)
    double* MA;                  // M_b^-1 of each                                                        ((p+s) x n)
    double* W;       // A M_b^-1 A'                                                           ((p+s) x (p+s))
    double* Minv;    // M^-1                                                                  (n x n)
    double* memory;  // all of the above that are doubles
} sti_space;

typedef struct sti_space_choice {
    double gap_tol;  // contacts with a larger gap are left out; INFINITY: none is
    bool rough;      // slips of the contacts are held at zero, like joints
    bool bounded;    // bounded forces (pressed contacts) too; they have no impulse, so impacts leave them out
} sti_space_choice;

// Is the instant one that is taken, and M singular?
sti_status sti_space_mass(sti_env* env, const sti_instant* instant, bool* singular);
// STI_ERR_INPUT when M is not positive definite.
sti_status sti_space_create(sti_env* env, const sti_instant* instant, sti_space_choice choice, sti_space** out);
void sti_space_destroy(sti_space* space);  // accepts NULL

// x (n): M_b^-1 f;  v - M^-1 B'K (B v + offset), the velocity nearest to v (kinetically) that the joints allow; and the
// impulses (m) of the joints that lead there, in units of the gradients (may be NULL).
void sti_space_solve(const sti_space* k, const double* f, double* x);
void sti_space_project(const sti_space* k, const double* v, double* x, double* impulse);
// Local velocities of v: quasi-normal ones, then slips (p+s).
void sti_space_local(const sti_space* k, const double* v, double* u);

// The matrices G (p x p), W_nt (p x s), W_tt (s x s) out of W.
void sti_space_block(const sti_space* k, int row, int rows, int col, int cols, double* out);

#endif
