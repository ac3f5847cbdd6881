// sticking.h: can all contacts stick at this instant? (S0: the all-sticking contacts problem)
//
//     M a + F = C lambda,    A'a + c = 0,    lambda_n >= 0 (unilateral),    |lambda_t| <= mu |lambda_n|
//         (61), (65 c, d)
//
// C holds the normals and tangents of all touching contacts, A those along which they do not move: normal and tangents
// of a contact that sticks, the normal alone of one that slides, whose lambda_t is -mu_kinetic |lambda_n| v_t/|v_t|
// (S0 section 5). c are the rates. With redundant contacts lambda is a whole family; the decision is taken over all of
// it. Contacts with a gap (gap > gap_tol) take no part.
//
// Multipliers are flat over the touching contacts, normal first: (lambda_n, lambda_t1, lambda_t2) of the first, ...
#ifndef STICTION_STICKING_H
#define STICTION_STICKING_H

#include <stiction/classes.h>
#include <stiction/cone.h>
#include <stiction/conic.h>
#include <stiction/instant.h>
#include <stiction/system.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STI_STICKING_OUTCOME_LIST(X)                                                           \
    X(STI_STICKING_UNKNOWN, "unknown") /* not decided: too many cases, or nothing is proved */ \
    X(STI_STICKING_YES, "sticks")      /* a and lambda prove it */                             \
    X(STI_STICKING_NO, "does_not")     /* the leaves prove it */                               \
    X(STI_STICKING_LIMIT, "limit")     /* within tol of the boundary, and not decided exactly */

#define STI_X(code, text) code,
typedef enum sti_sticking_outcome { STI_STICKING_OUTCOME_LIST(STI_X) } sti_sticking_outcome;
#undef STI_X

STI_API const char* sti_sticking_outcome_text(sti_sticking_outcome outcome);

// ---- propositions: a uniform table of tests, each with the numbers it rests on

#define STI_HOLDS_LIST(X)                                                        \
    X(STI_NOT_APPLICABLE, "not_applicable") /* a hypothesis fails: see reason */ \
    X(STI_HOLDS, "holds")                                                        \
    X(STI_HOLDS_NOT, "does_not_hold")                                            \
    X(STI_HOLDS_UNKNOWN, "unknown") /* not decided */

#define STI_X(code, text) code,
typedef enum sti_holds { STI_HOLDS_LIST(STI_X) } sti_holds;
#undef STI_X

STI_API const char* sti_holds_text(sti_holds verdict);

typedef enum sti_named_form {
    STI_NAMED_NUMBER,
    STI_NAMED_TRUTH,   // 0 or 1
    STI_NAMED_VECTOR,  // one row
    STI_NAMED_MODES,   // one row of sti_contact_mode; NAN: not known
    STI_NAMED_MATRIX,  // of one row it is a matrix still
} sti_named_form;

typedef struct sti_named {  // a number, a vector or a matrix, by its name
    const char* name;
    sti_named_form form;
    int rows, cols;
    double* value;  // row major (rows x cols)
} sti_named;

typedef struct sti_proposition {
    const char* id;     // "P1.i", "C2", "L1", "E69", "MFCQ"
    const char* title;  // the statement in a line
    sti_holds verdict;
    char reason[200];  // what the verdict rests on, or why it does not apply
    int number_count;
    const sti_named* numbers;  // (number_count)
} sti_proposition;

// NULL: no such proposition, no such number.
STI_API const sti_proposition* sti_proposition_find(const sti_proposition* table, int count, const char* id);
STI_API const sti_named* sti_proposition_number(const sti_proposition* p, const char* name);

// ---- the answer

// What is claimed, and the proof of it; sti_verify_sticking looks at nothing else.
//
// A bilateral contact with friction has a cone for lambda_n >= 0 and one for lambda_n <= 0. The leaves of "does not
// stick" cover all choices of these signs (0: open, in which case nothing but the equations is asked of that contact).
// Each has
//
//     M y + A z = 0,    -C_i'y in the dual cone of contact i,    y'F + z'c > 0:
//
// y is a motion that no admissible contact force can drive, and that F together with the rates would have to.
// With facets K the cones are polygons, and w (one number for each facet, >= 0) shows the second condition:
// -C_i'y = sum_k w_k (mu, -m_k).
typedef struct sti_sticking_leaf {
    signed char* sign;     // +1, -1, or 0: open; 0 for contacts without a choice    (contact_count)
    double* y;             // (n)
    double* z;             // one for each row of A'                                 (acceleration_count)
    double* w;             // facets only; NULL otherwise                            (contact_count x facets)
    sti_rationals* exact;  // y, z, w in a row, without rounding; NULL when only the doubles are known
} sti_sticking_leaf;

// The version in which contacts may open, (60) and (65 a, b):
//
//     M a + F = C lambda,    a_t = 0,    a_n = 0 (bilateral),    0 <= lambda_n _|_ a_n >= 0 (unilateral)
//         (43)
//
// and lambda in the discs. Every a that solves (43) goes with every lambda that does. So one a tells which contacts
// open, and (60) is the question (61) without their forces and their rows a_n = 0: its proofs are those of sticking.
// That (43) has no solution is shown by
//
//     farkas   z with A z = 0, z >= 0 at the unilateral normals, c'z < 0: no acceleration satisfies the constraints; or
//     descent  x with M x = 0, x'(tangents, bilateral normals) = 0, x'(unilateral normals) >= 0, F'x < 0: nothing holds
//              F.
typedef struct sti_opening {
    bool asked;                    // false: not asked for, or a contact slides (proposition 13 is about that)
    sti_outcome contact_problem;   // (43), without the discs: solved, no_solution, unknown
    sti_sticking_outcome outcome;  // (60), with them
    bool exact;                    // all of it is proved without rounding on the numbers as given
    double* a;                     // (n), NULL when no solution of (43) is known
    double* lambda;          // in the discs when the outcome is "sticks"                           (multiplier_count)
    double* a_n;             // accelerations along the normals                                     (contact_count)
    unsigned char* opens;    // a_n > 0                                                             (contact_count)
    sti_rationals* a_exact;  // (43) was solved without rounding: that solution                     (n)
    // exact and "sticks": in the discs (multiplier_count)
    sti_rationals* lambda_exact;
    int leaf_count;               // "does not", and (43) has a solution: as in the answer, about the contacts that stay
    sti_sticking_leaf* leaves;    // closed; sign, z and w are 0 at the others                           (leaf_count)
    double bound;                 // as in the answer
    double* farkas;               // (acceleration_count)
    double* descent;              // (n)
    sti_rationals* farkas_exact;  // the same without rounding, when exact
    sti_rationals* descent_exact;
} sti_opening;

typedef struct sti_sticking_answer {
    sti_sticking_outcome outcome;
    bool exact;  // proved without rounding on the numbers as given
    // 0: the disc (an interval in 2D); K: its inner polygon with K corners, the first at angle 0, or polygons of the
    // contacts' own with K corners at most. With those there is no table of propositions.
    int facets;
    int n;                        // velocities
    int contact_count;            // touching contacts
    int multiplier_count;         // p
    int acceleration_count;       // q, rows of A'
    int* contact;                 // index in the instant                               (contact_count)
    double* a;                    // (n), NULL unless it sticks or is a limit case
    double* lambda;               // (p)
    sti_rationals* a_exact;       // when exact: another point, without rounding        (n)
    sti_rationals* lambda_exact;  // (p)
    int leaf_count;
    sti_sticking_leaf* leaves;  // (leaf_count)
    double bound;  // not exact "does not": every solution has |(a, lambda)|_1 >= bound; INFINITY when exact
    sti_opening opening;
    int proposition_count;
    sti_proposition* propositions;  // the table of S0's propositions; none: not asked for   (proposition_count)
} sti_sticking_answer;

STI_API void sti_sticking_answer_clear(sti_env* env, sti_sticking_answer* answer);  // of one that was loaded

// ---- the analysis

typedef struct sti_sticking_options {
    double tol;           // width of the limit band, relative to the forces (1e-9)
    double gap_tol;       // contacts with a larger gap are apart (1e-8)
    int facets;           // 0: discs; K >= 3: polygons in 3D
    bool exact;           // settle 2D and polygons in exact arithmetic (true)
    int exact_limit;      // unknowns up to which that is done (80), and a hundredth of the entries of the table
    int leaf_limit;       // sign choices of bilateral friction that may be looked at (4096)
    double force_limit;   // on normal forces, for the least friction; 0: 1e4 times the forces
    double lipschitz;     // proposition 4: bound on the rate of each contact's force; 0: not given
    bool family;          // ranges of the multipliers, redundancy (true)
    bool propositions;    // the table (true)
    double time_limit_s;  // for what takes a program for every contact (ranges, redundancy, least_own); 0: none
} sti_sticking_options;

STI_API sti_sticking_options sti_sticking_options_default(void);

// The least coefficient of friction.
typedef struct sti_least_friction {
    sti_verdict exists;  // YES: for some finite mu it sticks; NO: for none
    bool attained;       // false: an infimum, approached with growing internal forces
    double mu;           // NAN when it does not exist
    double* lambda;      // where                                     (p)
} sti_least_friction;

typedef struct sti_sticking {
    sti_sticking_answer answer;
    double gap_rate;      // largest |n'v + n_offset| of a touching contact, 0: all last; otherwise taken as if they did
    bool near_redundant;  // the constraints are redundant, or consistent, only up to rounding: decided with tolerance
    char reason[240];     // what the outcome rests on, in a sentence
    // at the point of largest margin (answer.lambda); NAN, NULL when there is none
    double margin;        // least over the contacts; not pushed beyond the size of the forces (or force_limit)
    double* margins;      // mu |lambda_n| - |lambda_t|, and lambda_n without friction; NAN: no bound   (contact_count)
    double* required_mu;  // |lambda_t| / |lambda_n|; NAN when lambda_n = 0                              (contact_count)
    unsigned char* slides;  // (contact_count)

    // the equations (61 a), all contacts as equality constraints
    bool kkt_solvable;
    double kkt_residual;    // relative distance of the right side from the image
    double* kkt_witness;    // unsolvable: (y, z) with M y + A z = 0, C'y = 0, y'F + z'c != 0          (n + q)
    int rank_C;             // of (grad h | H)
    int kernel_dimension;   // ker M with ker A'
    double* a_least;        // least-norm solution (31)                                                (n)
    double* lambda_least;   // (p)
    double* margins_least;  // its margins                                                             (contact_count)
    sti_verdict least_sticks;
    int self_stress_count;
    double* self_stress;  // orthonormal directions along which lambda may change (61 a)             (count x p)

    // the set of admissible multipliers, when it is not empty
    int family_dimension;  // -1: empty or not computed
    bool family_complete;  // every sign choice of bilateral friction was looked at
    bool cut_short;        // the time limit came first: ranges and own coefficients not reached are NAN
    double* lower;         // least of each multiplier, -INFINITY                                     (p)
    double* upper;
    bool* redundant;  // the friction bound of contact i follows from the other conditions       (contact_count)

    sti_least_friction least_common;  // the same mu at every contact with friction
    sti_least_friction least_factor;  // every mu times this factor
    double* least_own;                // mu of contact i alone, the others as given; NAN: none        (contact_count)

    struct sti_sticking_memory* memory;  // what all of it stands in
} sti_sticking;

// options NULL: the defaults.
STI_API sti_status sti_sticking_create(sti_env* env, const sti_instant* instant, const sti_sticking_options* options,
                                       sti_sticking** out);
STI_API void sti_sticking_destroy(sti_sticking* sticking);

// ---- which forces make it stick

// Over F + B f, f in a box: the least  c'f + sum_k weight_k f_k^2 / 2  for which all contacts stick.
typedef struct sti_force_choice {
    int count;             // entries of f
    const double* B;       // directions, row major; NULL: the identity, count = n      (n x count)
    const double* cost;    // NULL: 0                                                   (count)
    const double* weight;  // >= 0; NULL: 0                                             (count)
    const double* low;     // NULL, or -INFINITY: none                                  (count)
    const double* high;    //                                                           (count)
} sti_force_choice;

typedef struct sti_force_answer {
    sti_conic_outcome outcome;  // solved; infeasible: no such force; unbounded
    bool exact;                 // value and f come from exact arithmetic
    double value;
    double* f;       // (count)
    double* a;       // (n)
    double* lambda;  // (p)
    // infeasible: why no f in the box will do (S0 corollary 1), a motion as in sti_sticking_leaf that no contact can
    // drive:
    //     M y + A z = 0,   -C_i'y in the dual cone of contact i,   y'(F + B f) + z'c >= gap > 0 for every f in the box
    // NULL: not found, polygons, or bilateral contacts with friction, which would need one for each choice of signs. -y
    // is the least force, in the Euclidean norm, that would have to be added to the best of the box
    double* y;      // (n)
    double* z;      // (acceleration_count)
    double* worst;  // the f of the box where the left side is least                (count)
    int acceleration_count;
    double gap;  // NAN: none
} sti_force_answer;

STI_API sti_status sti_sticking_force(sti_env* env, const sti_instant* instant, const sti_sticking_options* options,
                                      const sti_force_choice* choice, sti_force_answer* out);
// Checks y and z of "infeasible" by sti_verify_sticking: they are a leaf of "does not stick" under F + B f for the f of
// the box that is worst for them, found anew, so for every f.
STI_API sti_status sti_verify_no_force(sti_env* env, const sti_instant* instant, const sti_sticking_options* options,
                                       const sti_force_choice* choice, const sti_force_answer* answer, double tol,
                                       bool* accepted);
STI_API void sti_force_answer_clear(sti_env* env, sti_force_answer* answer);

// All tau for which it sticks under F + tau d: a few intervals, in order, disjoint (several only with bilateral
// friction).
typedef struct sti_force_intervals {
    int count;
    double* low;   // -INFINITY: unbounded     (count)
    double* high;  //                          (count)
} sti_force_intervals;

STI_API sti_status sti_sticking_force_line(sti_env* env, const sti_instant* instant,
                                           const sti_sticking_options* options, const double* d,
                                           sti_force_intervals* out);
STI_API void sti_force_intervals_clear(sti_env* env, sti_force_intervals* intervals);

// How long, while F changes by at most load_rate (Euclidean) in a unit of time and position and velocity are these: S0
// proposition 4 for contacts that act on each other, also where their forces are not unique (src/sticking/lasting.c).
typedef struct sti_sticking_time {
    bool found;
    double load_rate;
    double time;  // until then there are forces that hold all contacts; INFINITY: for ever. A lower bound
    bool unique;  // they are the only ones: the contacts stick until then. false: whether they do is not known
    int contact_count;
    double* gain;   // |change of (lambda_n, lambda_t)| for a unit of load, at most     (contact_count)
    double* until;  // of each contact; the least is `time`                             (contact_count)
    char why[120];  // not found
} sti_sticking_time;

STI_API sti_status sti_sticking_lasts(sti_env* env, const sti_instant* instant, const sti_sticking_options* options,
                                      double load_rate, sti_sticking_time* out);
STI_API void sti_sticking_time_clear(sti_env* env, sti_sticking_time* time);

// The set of all F for which it sticks: { F : F - center in a cone }, one cone for each sign choice of bilateral
// friction. Polyhedral: 2D, or facets.
typedef struct sti_force_set {
    int n;
    double* center;  // -M a0 with A'a0 + c = 0                   (n)
    int cone_count;  // 0: A'a + c = 0 has no solution
    sti_polycone** cones;
    int inside;            // the cone that holds F - center, -1: none
    sti_cone_point place;  // of F in it, or with respect to the nearest
} sti_force_set;

STI_API sti_status sti_sticking_force_set(sti_env* env, const sti_instant* instant, const sti_sticking_options* options,
                                          sti_force_set* out);
STI_API void sti_force_set_clear(sti_env* env, sti_force_set* set);

// ---- one contact: Coulomb's law

// lambda_t = proj[ D; lambda_t - rho v_t ], D the disc of radius mu |lambda_n|  (S0 equation 4). Fills the projection
// (count) and |lambda_t - projection|; true when the law holds within tol (1 + |lambda_t|).
STI_API bool sti_friction_fixed_point(int count, const double* lambda_t, const double* v_t, double lambda_n, double mu,
                                      double rho, double tol, double* projection, double* residual);

#define STI_REST_LIST(X)             \
    X(STI_REST_SEPARATE, "separate") \
    X(STI_REST_STICK, "stick")       \
    X(STI_REST_SLIP, "slip")

#define STI_X(code, text) code,
typedef enum sti_rest { STI_REST_LIST(STI_X) } sti_rest;
#undef STI_X

STI_API const char* sti_rest_text(sti_rest mode);

// A unilateral contact at rest with Coulomb's law at acceleration level (S0 equations 5 to 7, 69):
//     acc = G lambda + b,    0 <= acc_n _|_ lambda_n >= 0,    acc_t = 0 or lambda_t = -mu lambda_n acc_t/|acc_t|.
// d = 2 or 3, normal first; G symmetric positive definite (d x d). All solutions: at most 6.
typedef struct sti_rest_solution {
    sti_rest mode;
    double lambda[3];
    double acceleration[3];
} sti_rest_solution;

enum { STI_REST_MOST = 6 };

STI_API sti_status sti_contact_at_rest(sti_env* env, int d, const double* G, const double* b, double mu,
                                       sti_rest_solution* solutions, int* count);

// ---- force closure and form closure (S0 remark 6)

typedef struct sti_closure_options {
    double tol;  // width of the band in which 3D discs are left undecided (1e-9)
    double gap_tol;
    int facets;         // as above
    int object_count;   // coordinates of the object that is held; 0: all of them
    const int* object;  // (object_count)
} sti_closure_options;

typedef struct sti_closure {
    sti_verdict closed;
    bool exact;
    int rank;       // of the contact directions on the object's coordinates
    double margin;  // yes: least distance of the witness from the boundary of the cones, with sum lambda_n = 1
    int contact_count, multiplier_count, n;
    int* contact;    // (contact_count)
    double* lambda;  // yes: contact forces strictly inside their cones that balance            (p)
    sti_rationals* lambda_exact;
    double* y;  // no: y'C lambda <= 0 for all contact forces: none balances the load -y, or opposes the motion -y   (n)
    sti_rationals* y_exact;
    char reason[200];
} sti_closure;

STI_API sti_closure_options sti_closure_options_default(void);
// With friction (force closure) or with the normals alone (form closure, of first order).
STI_API sti_status sti_force_closure_analyze(sti_env* env, const sti_instant* instant,
                                             const sti_closure_options* options, sti_closure* out);
STI_API sti_status sti_form_closure_analyze(sti_env* env, const sti_instant* instant,
                                            const sti_closure_options* options, sti_closure* out);
STI_API void sti_closure_clear(sti_env* env, sti_closure* closure);

// ---- independent checks, and files

typedef struct sti_sticking_verification {
    bool accepted;
    bool exact;
    sti_sticking_outcome claim;
    double residual;  // sticks: of the equations, relative; NAN otherwise
    double margin;    // sticks: least margin, in units of force; does not: least strictness y'F + z'c
    double bound;     // does not: as in the answer, recomputed
    int leaves_checked;
    int propositions_checked;  // verdicts
    int numbers_checked;       // numbers of propositions
    int numbers_unchecked;     // those that this check cannot judge: large, or redundant only up to rounding
    char text[240];            // verdict in a sentence, with the first thing that fails
} sti_sticking_verification;

// Shares no code with the analysis. tol: relative violation up to which a claim with rounding is accepted.
STI_API sti_status sti_verify_sticking(sti_env* env, const sti_instant* instant, const sti_sticking_answer* answer,
                                       double tol, sti_sticking_verification* out);
STI_API sti_status sti_verify_closure(sti_env* env, const sti_instant* instant, const sti_closure_options* options,
                                      bool friction, const sti_closure* closure, double tol, bool* accepted);

// ---- is the set of admissible positions prox-regular? (S0 section 3.2, Adly, Nacry and Thibault 2016)
//
// S = { q : h_i(q) >= 0 } over the gaps of a system by formulas. For all x, y in S within `radius` of q, and every unit
// normal z of S at x,
//
//     z'(y - x) <= |y - x|^2 / (2 constant),      constant = opening / bend
//
// proved by enclosures over the ball (src/verify/regularity.c): tangent and normal cones are then those that
// proposition 8 takes. Lengths are Euclidean in the coordinates.
typedef struct sti_gap_regularity {
    bool found;
    int gaps;         // that may be 0 within the radius
    double radius;    // around q
    double opening;   // least grad h_i'v over |grad h_i(q)|, of these gaps over the ball; INFINITY: no gap
    double bend;      // the Hessians of h_i over |grad h_i(q)| have no eigenvalue above; >= 0
    double constant;  // r; INFINITY: S is as a convex set there
    double* v;        // |v| <= 1, opens all of these gaps                            (coordinate_count)
    char why[120];    // not found: what is in the way; a small ball may still be regular
} sti_gap_regularity;

STI_API sti_status sti_gap_regularity_find(sti_env* env, const sti_system* system, double t, const double* q,
                                           sti_gap_regularity* out);
STI_API void sti_gap_regularity_clear(sti_env* env, sti_gap_regularity* regularity);

// JSON text, free with sti_env_free; a file written whole or not at all; and back, from the object itself or from a
// field "certificate" that holds it.
STI_API sti_status sti_sticking_answer_json(sti_env* env, const sti_sticking_answer* answer, char** out);
STI_API sti_status sti_sticking_answer_save(sti_env* env, const sti_sticking_answer* answer, const char* path);
STI_API sti_status sti_sticking_answer_load(sti_env* env, const char* path, sti_sticking_answer* out);

#ifdef __cplusplus
}
#endif
#endif
