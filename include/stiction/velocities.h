// velocities.h: kinetic quasi-velocities of an instant (S1 section 2).
//
//     n_q,i = M^-1 n_i / |n_i|,   |n_i| = sqrt(n_i' M^-1 n_i)                               (3)
//     Xi = (n_q'; t_q'),   v = Xi M qdot = (qdot_norm; qdot_tan)                            (6)
//     qdot = Xi' D v,   D = diag(D_n, D_t)                                                  (13), (14)
//     2 T = qdot'M qdot = qdot_norm' D_n qdot_norm + qdot_tan' D_t qdot_tan                 (15)
//
// over all touching constraints, bilateral and unilateral, in the order of the instant. t_q is kinetically orthonormal
// and unique up to a rotation: compare the projector on it, or T_tan. Dependent gradients are allowed: then D_n is the
// pseudo-inverse of G, and everything above still holds.
#ifndef STICTION_VELOCITIES_H
#define STICTION_VELOCITIES_H

#include <stiction/instant.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_velocities_options {
    double gap_tol;     // contacts with a larger gap take no part (default 1e-9)
    const double* t_q;  // tangent vectors to use, one per row; NULL: our own choice   (tangent_count x n)
} sti_velocities_options;

STI_API sti_velocities_options sti_velocities_options_default(void);

typedef struct sti_velocities {
    int n;
    int count;           // c: constraints that touch
    int rank;            // of their gradients; c when independent
    int tangent_count;   // n - rank
    int slip_count;      // s: slips of the constraints, all together
    const int* contact;  // contact of the instant behind each constraint                (c)
    const int* slip;     // first slip of each constraint, and the end                   (c+1)

    const double* norm;   // |n_i| in the kinetic metric, S1 (3)                         (c)
    const double* n_q;    // one vector per row                                          (c x n)
    const double* t_q;    // one vector per row, kinetically orthonormal                 (tangent_count x n)
    const double* Xi;     // rows of n_q, then of t_q                                    ((c + tangent_count) x n)
    const double* Xi_M;   // Xi M: v = Xi_M qdot                                         ((c + tangent_count) x n)
    const double* G;      // n_q'M n_q, normalized Delassus matrix of all constraints    (c x c)
    const double* angle;  // kinetic angles (21), radians                                (c x c)
    const double* D_n;    // G^-1                                                        (c x c)
    const double* D_t;    // (t_q'M t_q)^-1                                              (tangent_count x tangent_count)

    int unilateral_count;   // p
    const int* unilateral;  // which constraints                                         (p)
    const double* G_u;      // (17): G of the unilateral ones, joints eliminated         (p x p)

    const double* qdot;       // the velocity of the instant                             (n)
    const double* qdot_norm;  // (c)
    const double* qdot_tan;   // (tangent_count)
    const double* back;       // Xi'D v, which must be qdot                              (n)
    double T, T_norm, T_tan;  // kinetic energy, and its two parts by (15)
    double T_quasi;           // T_norm + T_tan, computed from v alone

    const double* compatible;  // the velocity nearest to qdot that the joints allow     (n)
    double T_compatible;       // its energy, by qdot'M qdot / 2
    double T_compatible_16;    // the same by (16); NAN where joints move by themselves

    const double* tangent_projector;  // t_q t_q'M                                       (n x n)
    const double* n_H;                // n_q'H_T                                         (c x s)
    const double* t_H;                // t_q'H_T                                         (tangent_count x s)
    const double* v_t;                // slips H_T'qdot + t_offset                       (s)
    const double* v_t_quasi;          // H_T'Xi'D v + t_offset, which must be v_t        (s)
    const double* t_offset;           // slips of surfaces that move by themselves       (s)
    const double* F_norm;             // n_q'F                                           (c)
    const double* F_tan;              // t_q'F                                           (tangent_count)
    // M is singular: all of the above is the limit of M + eps 1, eps -> 0. Joints, which hold `held` directions, are
    // eliminated and are no constraints here; what has no mass and no contact moves (`idle` directions) is left alone.
    bool singular;
    int held, idle;
} sti_velocities;

// STI_ERR_INPUT where M is singular and there is no such limit (a contact moves what has no mass), or when given
// tangent vectors do not fit.
STI_API sti_status sti_velocities_create(sti_env* env, const sti_instant* instant,
                                         const sti_velocities_options* options, sti_velocities** out);
STI_API void sti_velocities_destroy(sti_env* env, sti_velocities* velocities);

// Both ways: v = Xi M qdot (c + tangent_count) and qdot = Xi' D v (n).
STI_API void sti_velocities_to_quasi(const sti_velocities* k, const double* qdot, double* v);
STI_API void sti_velocities_from_quasi(const sti_velocities* k, const double* v, double* qdot);

// Power of contact forces on the velocity, in both coordinates; the pairs must agree.
typedef struct sti_velocities_power {
    double normal;            // sum lambda_n,i n_i'qdot                          (18)
    double normal_quasi;      // <F_norm^c, qdot_norm> in the metric D_n          (19)
    double tangential;        // sum lambda_t' H_T'qdot                           (27)
    double tangential_quasi;  // coupling + own
    double coupling;          // <qdot_norm, n_q'H_T lambda_t> in D_n             (28), second term
    double own;               // <qdot_tan, t_q'H_T lambda_t> in D_t              (28), third term
} sti_velocities_power;

STI_API sti_status sti_velocities_power_of(sti_env* env, const sti_velocities* k, const double* lambda_n,
                                           const double* lambda_t, sti_velocities_power* out);  // (c), (s)

// How M and the gradients change along the motion; an instant alone does not say.
typedef struct sti_velocities_motion {
    const double* M_rate;  // dM/dt                                               (n x n)
    const double* n_rate;  // d/dt of the gradients, one row per constraint       (c x n)
} sti_velocities_motion;

// The rates of (24) under given contact forces lambda_n (c), lambda_t (s):
//
//     d/dt qdot_norm = n_q'(-F + grad h lambda_n + H_T lambda_t) + d/dt(n_q'M) qdot,     the same with t_q for qdot_tan
//
// from_forces: the first term, n_q'M a and t_q'M a; rate: the sum                         (c + tangent_count) each.
// t_q follows the motion with t_q'M t_q constant and turns as little as it can: t_q'M d/dt(t_q) is symmetric. motion
// NULL: a rate is NAN where the second term is not known. It is known where the velocity is 0, and at constraints that
// last (qdot_norm = 0, a surface that does not move by itself): there it is n_rate / |n|.
STI_API sti_status sti_velocities_rates_of(sti_env* env, const sti_velocities* k, const sti_instant* instant,
                                           const double* lambda_n, const double* lambda_t,
                                           const sti_velocities_motion* motion, double* rate, double* from_forces);

#ifdef __cplusplus
}
#endif
#endif
