// grasp.h: how well contacts hold an object: the least friction that closes, and the quality of Ferrari and Canny.
//
// The object is what sti_closure_options names: some coordinates of an instant, all of them by default. Whatever else
// touches it is taken as held. Closure itself is in sticking.h.
#ifndef STICTION_GRASP_H
#define STICTION_GRASP_H

#include <stiction/sticking.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- least friction for force closure
//
// Cones grow with friction, so there is a number up to which they do not close and beyond which they do: low <= it <=
// high, with the answer of sti_force_closure_analyze at each end as proof. Without friction it is form closure: low =
// high = 0.
typedef enum sti_grasp_friction_kind {
    STI_GRASP_COMMON,  // mu: the same at every contact that has tangents
    STI_GRASP_FACTOR,  // a factor on the friction that the contacts have
} sti_grasp_friction_kind;

typedef struct sti_grasp_friction {
    sti_grasp_friction_kind kind;
    sti_verdict closes;  // YES: above high. NO: with no friction, however large; y says why. UNDECIDED: see why
    double low, high;    // YES: not closed at low (unless both are 0), closed at high
    sti_closure at_low;  // NO at low; empty where low = high = 0
    sti_closure at_high;
    int n;
    double* y;  // NO: n_i'y <= 0 and t_i y = 0 at all contacts, so that nothing balances the load -y        (n)
    char why[160];
} sti_grasp_friction;

// In the plane and with facets to about 1e-12 of high, with discs to about 1e-8.
STI_API sti_status sti_grasp_friction_analyze(sti_env* env, const sti_instant* instant,
                                              const sti_closure_options* options, sti_grasp_friction_kind kind,
                                              sti_grasp_friction* out);
STI_API void sti_grasp_friction_clear(sti_env* env, sti_grasp_friction* friction);

// ---- quality
//
// The radius of the largest ball about 0 in the set of wrenches that the contacts can give with normal forces that add
// up to at most 1,
//
//     W = { sum_i (f_i, r_i x f_i / length) : f_i in the friction cone of contact i, sum_i f_n,i <= 1 },
//
// Euclidean, torques about the point that the object's coordinates belong to (center of a grasp, centre of mass of a
// body). So every wrench of that size is balanced by normal forces with sum 1. Cones are round in space unless facets
// are given. It is min over unit u of the support function h(u) = max_i (v_n + mu_i |v_t|, 0), v = u in the frame of
// contact i. upper is h at u; lower is the radius for the points listed, which all lie in W: with polygons (and in the
// plane) the two agree.
typedef struct sti_grasp_options {
    sti_closure_options object;
    double length;    // torques are divided by it; 0: the largest distance of a contact from the center
    double gap;       // discs: refine until upper - lower <= gap upper (default 1e-2)
    int point_limit;  // points of the hull at most (default 160)
    int facet_limit;  // faces of the hull at most, or it is given up (default 200000)
} sti_grasp_options;

STI_API sti_grasp_options sti_grasp_options_default(void);

typedef struct sti_grasp_quality {
    bool applies;         // the object is one body: 3 or 6 coordinates, normals and tangents orthonormal, no joints
    char why[160];        // what is missing
    int n;                // 3 in the plane, 6 in space
    double length;        // that was used
    double lower, upper;  // 0, 0 when the grasp is not closed
    double* u;            // direction of upper, unit; wrenches in the scaled units       (n)
    int point_count;      // points of W whose hull holds the ball of lower
    int* contact;         // of each, in the instant                                      (point_count)
    double* tangential;   // f_t of each, f_n is 1                                        (point_count x 2)
    int face_count;       // of their hull
} sti_grasp_quality;

STI_API sti_status sti_grasp_quality_analyze(sti_env* env, const sti_instant* instant, const sti_grasp_options* options,
                                             sti_grasp_quality* out);
STI_API void sti_grasp_quality_clear(sti_env* env, sti_grasp_quality* quality);

// ---- independent checks, from the instant and the claims alone

// Both ends by sti_verify_closure, or the load of NO by its own products. UNDECIDED claims nothing and is accepted.
STI_API sti_status sti_verify_grasp_friction(sti_env* env, const sti_instant* instant,
                                             const sti_closure_options* options, const sti_grasp_friction* friction,
                                             double tol, bool* accepted);

// upper by h(u); lower by the hull of the points, wrapped face by face, up to 2e-5 of it. Beyond face_limit faces (a
// few microseconds each; 200000 is plenty) only that the points lie in W is checked.
typedef struct sti_grasp_verification {
    bool accepted;
    bool lower_checked;
    char text[160];
} sti_grasp_verification;

STI_API sti_status sti_verify_grasp_quality(sti_env* env, const sti_instant* instant, const sti_grasp_options* options,
                                            const sti_grasp_quality* quality, int face_limit,
                                            sti_grasp_verification* out);

#ifdef __cplusplus
}
#endif
#endif
