// system.h: mechanical systems: coordinates, mass, forces, contacts and joints as functions of (q, v, t).
//
//     d/dt (dT/dv) - dT/dq + dV/dq - Q = sum_i n_i lambda_n,i + t_i' lambda_t,i
//
// A system is written as formulas, or as a C function that fills in the numbers. Looked at in one (q, v, t) it gives an
// instant. Contacts come first, joints after them; a joint is a bilateral contact.
//
// A system is used by one thread at a time, also where it is const: it keeps its working memory.
#ifndef STICTION_SYSTEM_H
#define STICTION_SYSTEM_H

#include <stiction/document.h>
#include <stiction/instant.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_system sti_system;

// ---- by formulas
//
// A formula is text: + - * / ^, parentheses, numbers, pi, t (time), the names of parameters, coordinates and
// definitions, and the functions sin cos tan asin acos atan sinh cosh tanh exp log log10 sqrt abs sign floor (one
// argument), atan2 pow hypot min max (two). x' is the velocity of x; of a definition, its derivative in time. ^ binds
// tighter than a sign and groups from the right: -x^2 is -(x^2), 2^3^2 is 2^9. All derivatives come from automatic
// differentiation.

typedef struct sti_system_named {
    const char* name;
    const char* formula;
} sti_system_named;

// NULL stands for "0" in every formula below but gap, and in mu_kinetic for mu.
typedef struct sti_system_contact_text {
    const char* name;         // NULL: "contact 1", "joint 1", ...
    const char* gap;          // of q and t: h >= 0, of a joint h = 0
    int slip_count;           // 0, 1 or 2
    const char* const* slip;  // slip velocities, affine in the velocities          (slip_count)
    const char* mu;
    const char* mu_kinetic;
    const char* restitution;
    const char* restitution_t;
    // Two slips, no joint: mu times this polygon in place of the disc (instant.h)
    int corner_count;
    const double* corner;  // (corner_count x 2)
} sti_system_contact_text;

typedef struct sti_system_text {
    int parameter_count;
    const char* const* parameter_names;  // (parameter_count)
    const double* parameters;            // their values              (parameter_count)
    int definition_count;
    const sti_system_named* definitions;  // each may use those before it
    int coordinate_count;
    const char* const* coordinates;  // names                     (coordinate_count)
    const char* kinetic;             // T, at most quadratic in the velocities
    const char* potential;           // V of q and t
    const char* const* forces;       // generalized, one for each coordinate; NULL: none   (coordinate_count)
    int contact_count;
    const sti_system_contact_text* contacts;
    int joint_count;
    const sti_system_contact_text* joints;
    const char* time;      // where the system starts; a formula of parameters
    const char* const* q;  // formulas of parameters and of each other; NULL: all 0        (coordinate_count)
    const char* const* v;  // the same
} sti_system_text;

// STI_ERR_INPUT names the formula, the column in it (from 1) and what is wrong there.
STI_API sti_status sti_system_create(sti_env* env, const sti_system_text* text, sti_system** out);

// ---- by a C function

// Where the function writes, all 0 when it is called. Derivatives are its own affair.
typedef struct sti_system_values {
    double* M;                      // symmetric, row major                        (n x n)
    double* F;                      // M a + F = contact forces                    (n)
    double kinetic, potential;      // energies; NAN: not known
    sti_instant_contact* contacts;  // gap, mu, mu_kinetic, restitution, n_rate, n_offset (contacts, then joints)
    double* n;                      // gradients of all gaps                       (contacts x n)
    double* t;                      // tangent rows of all contacts, in order      (tangent_total x n)
    double* t_rate;                 // (tangent_total)
    double* t_offset;               // (tangent_total)
    double* k;                      // applied forces, see sti_system_force; in F already   (n)
    double* k_q;                    // their derivatives                           (n x n)
    double* k_v;                    // (n x n)
} sti_system_values;

typedef struct sti_system_def {
    int coordinate_count;
    const char* const* coordinates;  // names
    int contact_count;
    int joint_count;
    const char* const* contact_names;  // contacts, then joints; NULL: "contact 1", ..., "joint 1", ...
    const int* tangent_count;          // contacts, then joints; NULL: all 0
    double time;                       // where the system starts
    const double* q;                   // NULL: 0
    const double* v;                   // NULL: 0
    // false: (q, v, t) is outside of what the function knows
    bool (*evaluate)(void* user, double t, const double* q, const double* v, sti_system_values* out);
    void* user;
    void (*destroy)(void* user);  // with the system, once it has been created; NULL: nothing is done
} sti_system_def;

STI_API sti_status sti_system_create_def(sti_env* env, const sti_system_def* def, sti_system** out);

STI_API void sti_system_destroy(sti_system* system);  // accepts NULL

// ---- what it consists of

STI_API int sti_system_coordinate_count(const sti_system* system);
STI_API const char* sti_system_coordinate(const sti_system* system, int k);  // its name
STI_API int sti_system_contact_count(const sti_system* system);              // contacts and joints
STI_API int sti_system_joint_count(const sti_system* system);                // the last of them
STI_API const char* sti_system_contact(const sti_system* system, int i);     // its name
STI_API int sti_system_parameter_count(const sti_system* system);
STI_API const char* sti_system_parameter(const sti_system* system, int k);  // its name
STI_API double sti_system_parameter_value(const sti_system* system, int k);
// The formulas of a system that was read from a document, with parameters as they are set now; NULL: of any other.
STI_API const sti_system_text* sti_system_text_of(const sti_system* system);
STI_API sti_status sti_system_set(sti_system* system, const char* parameter, double value);
// Where the system starts, with the parameters it has now. Each of the three may be NULL.
STI_API sti_status sti_system_state(const sti_system* system, double* t, double* q, double* v);

// ---- evaluation. q, v: (coordinate_count). STI_ERR_INPUT: a formula has no finite value there.

STI_API sti_status sti_system_instant(sti_env* env, const sti_system* system, double t, const double* q,
                                      const double* v, sti_instant** out);
// The same into an instant that sti_system_instant made for this system; nothing is allocated.
STI_API sti_status sti_system_instant_update(const sti_system* system, double t, const double* q, const double* v,
                                             sti_instant* instant);
// Mass matrix (n x n, row major; NULL: not wanted) and its rank up to rounding.
STI_API sti_status sti_system_mass(const sti_system* system, double t, const double* q, double* M, int* rank);
STI_API sti_status sti_system_energy(const sti_system* system, double t, const double* q, const double* v,
                                     double* kinetic, double* potential);
// The applied part of -F, k = Q - V_q (n), and its derivatives in q and v (n x n, row major) for implicit steps. Each
// may be NULL. A C function that does not fill them leaves 0: nothing is treated implicitly then.
STI_API sti_status sti_system_force(const sti_system* system, double t, const double* q, const double* v, double* k,
                                    double* k_q, double* k_v);
STI_API sti_status sti_system_gap(const sti_system* system, double t, const double* q, double* gap);  // (contacts)

// What a document holds (document.h), for as long as it lives; NULL when of another kind.
STI_API sti_system* sti_system_of(const sti_document* document);

#ifdef __cplusplus
}
#endif
#endif
