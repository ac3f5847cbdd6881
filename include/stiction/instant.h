// instant.h: everything contact theory needs at one (q, v, t), as numbers. Analysis and posing start here.
//
//     M a + F = sum_i n_i lambda_n,i + t_i' lambda_t,i                       (S0 equation 1a)
//
//     gap rate  n_i'v,   gap acceleration  n_i'a + n_rate_i,   slip  t_i v,   slip acceleration  t_i a + t_rate_i
//
// v is the velocity (n), n_i the gradient of gap i, the rows of t_i its tangent map. Unilateral contacts have
// lambda_n >= 0; bilateral ones (joints) have lambda_n of either sign and friction bound mu |lambda_n|.
#ifndef STICTION_INSTANT_H
#define STICTION_INSTANT_H

#include <stiction/document.h>
#include <stiction/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

// What is known or assumed of a touching contact at this instant.
#define STI_INSTANT_STATE_LIST(X)                                        \
    X(STI_INSTANT_BY_VELOCITY, "by_velocity") /* slides when t v != 0 */ \
    X(STI_INSTANT_STICK, "stick")                                        \
    X(STI_INSTANT_SLIDE, "slide")

#define STI_X(code, text) code,
typedef enum sti_instant_state { STI_INSTANT_STATE_LIST(STI_X) } sti_instant_state;
#undef STI_X

typedef struct sti_instant_contact {
    const char* name;  // never NULL
    bool bilateral;
    // A force of at most `bound` along t: n is one velocity z of its own, which nothing else moves and F presses on
    // with bound / mu. So lambda_n = bound / mu while the contact lasts, and it always does. Its mu is of no surface.
    bool pressed;
    sti_instant_state state;
    double gap;         // 0: touching; > 0: apart
    double mu;          // static friction, >= 0
    double mu_kinetic;  // friction of a contact that slides; mu when not given
    double restitution;
    double restitution_t;
    int tangent_count;     // 0: frictionless, 1: planar, 2: spatial
    const double* n;       // gradient of the gap                 (n)
    const double* t;       // tangent map, one row each           (tangent_count x n)
    double n_rate;         // (d/dt n)'v; with explicit time: all of the gap's second derivative but n'a
    const double* t_rate;  // (d/dt t) v                          (tangent_count)
    // Surfaces that move by themselves: gap rate n'v + n_offset, slip t v + t_offset. Their rates are in n_rate,
    // t_rate.
    double n_offset;
    const double* t_offset;  // NULL: 0                           (tangent_count)
    // Two tangents: friction in mu lambda_n S, S a polygon (section.h: counterclockwise, strictly convex, 0 inside), in
    // place of the disc. For unilateral contacts that do not slide. Taken by sticking (sticking.h) and modes (modes.h).
    int corner_count;      // 0: the disc
    const double* corner;  // of S                                (corner_count x 2)
} sti_instant_contact;

// The same numbers without rounding, as a file wrote them ("2/3", 0.4 = 2/5). All tables or none. n_offset and t_offset
// have none: they tell which contacts slide and how.
typedef struct sti_instant_exact {
    sti_rationals* M;       // row major                          (n x n)
    sti_rationals* F;       // (n)
    sti_rationals* v;       // (n)
    sti_rationals* n;       // one row for each contact           (contact_count x n)
    sti_rationals* t;       // rows of all contacts, in order     (tangent_total x n)
    sti_rationals* n_rate;  // (contact_count)
    sti_rationals* t_rate;  // (tangent_total)
    sti_rationals* gap;     // (contact_count)
    sti_rationals* mu;      // (contact_count)
    sti_rationals* mu_kinetic;
} sti_instant_exact;

typedef struct sti_instant {
    int n;  // velocities
    int contact_count;
    int tangent_total;         // sum of tangent_count
    const char* const* names;  // of the velocities; NULL: not named (n)
    double time;
    const double* M;  // symmetric positive semidefinite, row major   (n x n)
    const double* F;  // (n)
    const double* v;  // (n)
    const sti_instant_contact* contacts;
    const double* restitution;       // full matrix E over all contacts, row major; NULL: the contacts' own (p x p)
    const sti_instant_exact* exact;  // NULL: the doubles are the data
} sti_instant;

// Sizes fit, everything is finite, M symmetric and, up to rounding, positive semidefinite, mu >= 0, n not zero, names
// given. STI_ERR_INPUT names the field.
STI_API sti_status sti_instant_check(sti_env* env, const sti_instant* instant);

// A copy that shares nothing with `from`, with another velocity v (n) unless that is NULL; rates stay as they are.
// Where `from` is exact, the new velocity is the shortest decimal that each double is nearest to: 0.1 stands for 1/10.
STI_API sti_status sti_instant_copy(sti_env* env, const sti_instant* from, const double* v, sti_instant** out);
// For what the library made (sti_instant_copy, sti_system_instant), not for structs a caller filled. Accepts NULL.
STI_API void sti_instant_destroy(sti_env* env, sti_instant* instant);

// The first touching contact (gap <= gap_tol) with friction in a polygon; -1: there is none.
STI_API int sti_instant_polygon(const sti_instant* instant, double gap_tol);
// STI_ERR_INPUT where there is one: for what knows discs alone.
STI_API sti_status sti_instant_needs_discs(sti_env* env, const sti_instant* instant);

// What an instant is, by counting. Ranks up to rounding (1e-11 of the largest singular value).
typedef struct sti_instant_facts {
    int n;                        // velocities
    int mass_rank;                // of M
    int motion_rank;              // of M and the joints together: n where forces determine the accelerations
    int joint_count, joint_rank;  // bilateral constraints, and how many of them are independent
    int touching, apart;          // unilateral contacts
    int bounded;                  // bounded forces; they take no part in what follows
    int sliding, approaching;     // of the touching ones: t v is not 0; n'v < 0: an impact
    int normal_rank;              // of joints and normals
    int slip_count;               // tangents of touching contacts and joints that have friction
    int rank;                     // of joints, normals and those tangents
    int normal_redundancy;  // joint_count + touching - normal_rank: forces without friction that balance themselves
    int redundancy;         // the same with friction: joint_count + touching + slip_count - rank
    double kinetic;         // v'M v / 2
} sti_instant_facts;

STI_API sti_status sti_instant_describe(sti_env* env, const sti_instant* instant, double gap_tol,
                                        sti_instant_facts* out);

// Velocities as a step leaves them hold joints and contacts up to its tolerance. What is asked of an instant, whether a
// contact lasts, sticks or slides, needs them to hold: the nearest velocity, in the norm of the diagonal of M, for
// which the rates of joints are 0, and those rates of closed contacts, and slips of contacts with friction, that are
// small already, or of contacts that stick by their state. Small: up to rate_tol times the sum of the sizes of a rate's
// terms, or up to floor. Contacts whose slip was small have the state STI_INSTANT_STICK in the copy.
typedef struct sti_settle_options {
    double gap_tol;   // a gap up to this is closed (1e-8)
    double rate_tol;  // (1e-6)
    double floor;     // (0)
} sti_settle_options;

typedef struct sti_instant_settled {
    int lasts, sticks;                  // closed contacts that stay closed; contacts, and bounded forces, that stick
    double gap_rate, slip, joint_rate;  // the largest that were taken for 0
    double change;                      // of a velocity, the largest
} sti_instant_settled;

STI_API sti_settle_options sti_settle_options_default(void);
// options NULL: the defaults; told may be NULL. Rates of the rows (n_rate, t_rate) stay as they are: they belong to the
// old velocity.
STI_API sti_status sti_instant_settle(sti_env* env, const sti_instant* instant, const sti_settle_options* options,
                                      sti_instant_settled* told, sti_instant** out);

STI_API const char* sti_instant_state_text(sti_instant_state state);

// What a document holds (document.h), an instant or a grasp: the held object alone, M, F and v 0, velocities at the
// center. NULL when of another kind.
STI_API const sti_instant* sti_instant_of(const sti_document* document);
// To a name that ends in .json, whole or not at all.
STI_API sti_status sti_instant_save(sti_env* env, const sti_instant* instant, const char* path);

#ifdef __cplusplus
}
#endif
#endif
