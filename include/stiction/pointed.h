// pointed.h: the total friction cone of S3 section 2.2, whether it is pointed, and by how much.
//
//     FC = { z = nu c_nu + n c_n + D beta :  c_n >= 0, beta >= 0, sum beta^(j) <= mu_j c_n,j }
//         (1.4.1), (2.2.1)
//
// pointed: no multipliers (c_nu, c_n, beta) other than 0 give z = 0. Then there is a least constant c_FC with
//
//     |(c_nu, c_n, beta)| <= c_FC |z|                                                                     (2.2.2)
//
// Euclidean norms; multipliers count, so friction that cancels (beta along d and -d) counts too. The directions of a
// contact are generators of its friction: d and -d in the plane, d_1 .. d_k in space.
#ifndef STICTION_POINTED_H
#define STICTION_POINTED_H

#include <stiction/cone.h>
#include <stiction/contact.h>
#include <stiction/instant.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_friction_cone {
    int dimension;             // s, of z
    int joint_count;           // m
    const double* joints;      // nu, one row each                          (m x s)
    int contact_count;         // p
    const double* normals;     // n, one row each                           (p x s)
    const double* mu;          // (p)
    const int* direction;      // first direction of each contact, and the end   (p+1)
    const double* directions;  // D, one row each                           (direction[p] x s)
} sti_friction_cone;

typedef struct sti_friction_cone_margin {
    bool pointed;
    // With generators g = n_j and n_j + mu_j d: margin = max delta with g'u >= delta for all g, nu'u = 0, |u|_inf <= 1.
    double margin;   // 0: not pointed
    double* u;       // attains it; NULL when not pointed                            (s)
    double c;        // |x| / |z(x)| of x below: c_FC is at least this; INFINITY when not pointed
    double bound;    // and at most this; INFINITY when not pointed
    bool all_faces;  // c is c_FC, up to rounding: every face of the cone of multipliers was looked at
    int count;       // m + p + direction[p]
    double* x;       // multipliers (c_nu, c_n, beta): of c, of length one; not pointed: with z = 0     (count)
} sti_friction_cone_margin;

// Generators up to which all faces are looked at (2^generators eigenvalue problems).
enum { STI_FRICTION_CONE_FACES = 14 };

STI_API sti_status sti_friction_cone_measure(sti_env* env, const sti_friction_cone* cone,
                                             sti_friction_cone_margin* out);
STI_API void sti_friction_cone_margin_clear(sti_env* env, sti_friction_cone_margin* margin);

// The cone of an instant: its joints, and its contacts with gap <= gap_tol; along t and -t, in space along +-t_1 and
// +-t_2. Free with sti_friction_cone_destroy. Bounded forces and friction in joints are left out.
STI_API sti_status sti_friction_cone_create_instant(sti_env* env, const sti_instant* instant, double gap_tol,
                                                    sti_friction_cone** out);
// The cone of a contact problem, friction as above. Global form: z = H r + G lambda as it stands. Local form: z in
// coordinates in which |z|^2 = (r, lambda)'(W, V; V', R)(r, lambda), the kinetic metric. STI_ERR_INPUT when that matrix
// is not positive semidefinite up to rounding, STI_ERR_SIZE for an operator or more than 600 rows.
STI_API sti_status sti_friction_cone_create_contact(sti_env* env, const sti_contact_problem* problem,
                                                    sti_friction_cone** out);
STI_API void sti_friction_cone_destroy(sti_env* env, sti_friction_cone* cone);

// An independent check: x are multipliers with that ratio; u keeps its inequalities; bound by subdividing the simplex
// until |z|^2 - |x|^2 / bound^2 has no negative part (all_faces), or by the inequality that u gives.
typedef struct sti_friction_cone_verification {
    bool accepted;
    bool bound_checked;  // false: that would have taken more than work_limit simplices
    char text[160];
} sti_friction_cone_verification;

STI_API sti_status sti_verify_friction_cone(sti_env* env, const sti_friction_cone* cone,
                                            const sti_friction_cone_margin* margin, long work_limit,
                                            sti_friction_cone_verification* out);

#ifdef __cplusplus
}
#endif
#endif
