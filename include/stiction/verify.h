// verify.h: an independent check of answers. Shares no code with the solvers: it sees the posed
// problem and the answer, and recomputes everything from them.
#ifndef STICTION_VERIFY_H
#define STICTION_VERIFY_H

#include <stiction/actuation.h>
#include <stiction/bounds.h>
#include <stiction/conic.h>
#include <stiction/contact.h>
#include <stiction/l1.h>
#include <stiction/navigation.h>
#include <stiction/problem.h>
#include <stiction/qp.h>
#include <stiction/roots.h>
#include <stiction/run.h>
#include <stiction/stochastic.h>
#include <stiction/system.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_verification {
    bool accepted;      // the claim holds
    bool exact;         // and was checked without rounding
    sti_outcome claim;  // what the answer claims
    double residual;    // of the claimed solution, as in sti_lcp_residual; NAN for other claims
    double residual_equation, residual_z, residual_w, residual_gap;
    double natural;      // |(A u + C v + a; min(z, w))| / |(a; q)|, Euclidean
    int leaves_checked;  // Farkas vectors of a no-solution claim
    double margin;       // least strictness x'a + y'b over the leaves, relative to |y|_1 |q|_inf (negative is good)
    char text[240];      // verdict in a sentence, with the first thing that fails
} sti_verification;

STI_API sti_status sti_verify_lcp(sti_env* env, const sti_lcp* lcp, const sti_lcp_answer* answer, double tol,
                                  sti_verification* out);
STI_API sti_status sti_verify_mlcp(sti_env* env, const sti_mlcp* mlcp, const sti_lcp_answer* answer, double tol,
                                   sti_verification* out);

// v of a secondary ray: v >= 0, M v >= 0, v'M v = 0, v'q < 0. And what it proves: no solution when M'v <= 0 as well.
typedef struct sti_ray_check {
    bool homogeneous;  // v solves LCP(0, M), v != 0
    bool descends;     // v'q < 0
    bool farkas;       // M'v <= 0 too: no feasible point, whatever the class of M
    bool exact;
} sti_ray_check;

STI_API sti_status sti_verify_ray(sti_env* env, const sti_lcp* lcp, const double* v, double tol, sti_ray_check* out);

// The residual is that of sti_contact_residual, computed anew in extended precision from r, v and lambda alone: u of
// the answer is not believed, nor are the residuals it states.
typedef struct sti_contact_verification {
    bool accepted;      // "solved" is claimed, and residual <= tol; or "no_solution", and the certificate proves it
    bool exact;         // no_solution: checked without rounding, and for every solution
    sti_outcome claim;  // what the answer claims
    double residual;    // sum of the next two; NAN when nothing could be computed
    double residual_contact;
    double residual_equation;
    int worst_contact;             // farthest from the law, against its own terms; -1 when there is no contact
    double worst_cone_violation;   // largest distance of r_c from its cone, in units of r
    double worst_penetration;      // largest -u_n, in units of u; 0 when no contact closes
    double worst_complementarity;  // largest |r_c . (u_c + mu |u_t| n)|, in units of r u
    double bound;                  // no_solution: there is none with |v|_1 (local: |r|_1 + |l|_1) below; NAN otherwise
    char text[240];                // verdict in a sentence, with the first thing that fails
} sti_contact_verification;

// A problem that is not well posed is an error; an answer that does not fit it, or is not finite, is rejected.
STI_API sti_status sti_verify_contact(sti_env* env, const sti_contact_problem* problem,
                                      const sti_contact_answer* answer, double tol, sti_contact_verification* out);

// The residuals are those of sti_conic_answer (docs/conic.md), computed anew in extended precision from x, s and y
// alone; distance from the cones counts as well.
typedef struct sti_conic_verification {
    bool accepted;            // the claim of the answer holds within tol
    bool convex;              // solved: there is no P, or it was checked to be positive semidefinite (n <= 400)
    sti_conic_outcome claim;  // what the answer claims
    double residual;          // the largest of those below that matter for the claim; NAN for no claim
    double residual_primal, residual_dual, residual_gap;
    double cone_s, cone_y;  // distance of s from K and of y from K*, relative to their sizes
    double bound;           // infeasible: every x that satisfies the rows has |x|_1 >= bound
    char text[240];         // verdict in a sentence, with the first thing that fails
} sti_conic_verification;

STI_API sti_status sti_verify_conic(sti_env* env, const sti_conic* program, const sti_conic_answer* answer, double tol,
                                    sti_conic_verification* out);

// The same for a quadratic program: residuals anew in extended precision from x, y and z alone. A multiplier of a side
// that is not there counts in full.
typedef struct sti_qp_verification {
    bool accepted;            // the claim of the answer holds within tol
    bool convex;              // solved: there is no P, or it was checked to be positive semidefinite (n <= 400)
    sti_conic_outcome claim;  // what the answer claims
    double residual;          // the largest of those below that matter for the claim; NAN for no claim
    double residual_primal, residual_dual, residual_gap;
    double objective;  // at x
    double bound;      // infeasible: every x that satisfies rows and bounds has |x|_1 >= bound
    char text[240];    // verdict in a sentence, with the first thing that fails
} sti_qp_verification;

STI_API sti_status sti_verify_qp(sti_env* env, const sti_qp* qp, const sti_qp_answer* answer, double tol,
                                 sti_qp_verification* out);

// Least sums of absolute values, or least largest ones, as the answer says: objective and dual vector anew in extended
// precision, from x and y alone.
typedef struct sti_l1_verification {
    bool accepted;     // "solved" is claimed, |y_i| <= 1 (their sum), A'y = 0 up to rounding, and the gap is within tol
    double residual;   // largest |A'y|_j over the sum of its terms
    double objective;  // |A x + b|_1, or the largest entry
    double gap;        // objective - y'r over the objective, r = A x + b
    char text[240];    // verdict in a sentence, with the first thing that fails
} sti_l1_verification;

STI_API sti_status sti_verify_l1(sti_env* env, const sti_l1* problem, const sti_l1_answer* answer, double tol,
                                 sti_l1_verification* out);

// Stochastic programs: residuals, the gap and certificates anew in extended precision, from x, y, pi and l alone.
typedef struct sti_stochastic_verification {
    bool accepted;            // the claim holds, residuals within tol
    bool convex;              // every Q is positive semidefinite
    sti_conic_outcome claim;  // the outcome the answer claims
    double residual;          // of rows, bounds and gradient; of a certificate: what it violates
    double objective;         // of a point
    double gap;               // of a point: what the multipliers leave open, over 1 + |objective|
    double bound;             // of a Farkas vector: no point with |(x, y)|_1 below it
    char text[240];
} sti_stochastic_verification;

STI_API sti_status sti_verify_stochastic(sti_env* env, const sti_stochastic* program,
                                         const sti_stochastic_answer* answer, double tol,
                                         sti_stochastic_verification* out);

// ---- a recorded run of bodies
//
// What a recording says about itself and about mechanics, computed anew from its numbers: neither steppers nor solvers
// are asked. Worst values are parts of the scale that belongs to them (length of the scene, largest speed, largest
// impulse of the frame, largest energy), so one tolerance serves for all.

#define STI_RUN_CHECK_LIST(X)                                                                                   \
    X(STI_RUN_SOLVED, "solved", "steps that were not solved to their tolerance")                                \
    X(STI_RUN_ORDER, "order", "steps and times that do not follow each other")                                  \
    X(STI_RUN_ROTATION, "rotation", "| |q| - 1 | of the rotations")                                             \
    X(STI_RUN_MOTION, "motion", "displacement of a body beyond what velocities and corrections explain")        \
    X(STI_RUN_KINETIC, "kinetic", "kinetic energy against that of the recorded velocities")                     \
    X(STI_RUN_ENERGY, "energy", "rise of the energy in a step beyond work and corrections")                     \
    X(STI_RUN_BASIS, "basis", "normals and tangents that are not unit or not orthogonal")                       \
    X(STI_RUN_CONE, "cone", "contact impulses outside of their friction cones")                                 \
    X(STI_RUN_LAW, "law", "contacts that close too far, press while they open, or slide without full friction") \
    X(STI_RUN_MOMENTUM, "momentum", "change of momentum beyond contact impulses and gravity")                   \
    X(STI_RUN_JOINT, "joint", "joints that are open, from the recorded poses")                                  \
    X(STI_RUN_PENETRATION, "penetration", "overlap of shapes after a step, from the recorded poses")            \
    X(STI_RUN_START, "start", "overlap of shapes where the scene put them; no limit, the run is not at fault")

#define STI_X(code, name, text) code,
typedef enum sti_run_check_kind { STI_RUN_CHECK_LIST(STI_X) STI_RUN_CHECK_COUNT } sti_run_check_kind;
#undef STI_X

STI_API const char* sti_run_check_name(sti_run_check_kind kind);  // "momentum"
STI_API const char* sti_run_check_text(sti_run_check_kind kind);  // what its worst value is

typedef struct sti_run_check {
    bool holds;    // worst <= limit, or nothing was looked at
    long looked;   // at so many numbers, contacts, bodies, ..; 0: the recording does not allow this check
    double worst;  // 0 when nothing was looked at
    double limit;
    long frame;  // where; -1: nowhere (of solved, order and energy: the step, from 1)
    int body;    // or joint, contact of the frame, shape; -1: does not apply
} sti_run_check;

typedef struct sti_run_verification {
    bool accepted;  // all that could be looked at holds
    sti_run_check check[STI_RUN_CHECK_COUNT];
} sti_run_verification;

typedef struct sti_run_verify_options {
    double tol;                // limit of all but `solved` and `order`, where it is 0, and `start` (default 1e-6)
    const sti_bodies* bodies;  // of the scene: for momentum, joints and penetration; NULL: these are not looked at
} sti_run_verify_options;

STI_API sti_run_verify_options sti_run_verify_options_default(void);
// Bodies that are not those of the recording are STI_ERR_ARGUMENT.
STI_API sti_status sti_verify_recorded_world(sti_env* env, const sti_recorded_world* world,
                                             const sti_run_verify_options* options, sti_run_verification* out);

// ---- a run of bodies while it is made, by the same rules
//
// The checker is shown the start and then every step, and keeps the worst of each check. Nothing is believed that a
// recording would not have to say: places, velocities, contacts with their impulses, and the energies of the report.

typedef struct sti_run_checker sti_run_checker;

// options->bodies are borrowed and outlive the checker.
STI_API sti_status sti_run_checker_create(sti_env* env, const sti_run_verify_options* options, sti_run_checker** out);
STI_API void sti_run_checker_destroy(sti_run_checker* checker);  // accepts NULL

typedef struct sti_run_moment {
    double time;
    const sti_pose* pose;            // of the body frames                                  (bodies)
    const double *v, *w;             // of the centres of mass, and angular, in world axes  (bodies x 3)
    const sti_world_report* report;  // of the step that ends here; NULL: the start
    int contact_count;
    const sti_world_contact* contacts;  // of that step
} sti_run_moment;

// Moments come in their order, the start first.
STI_API sti_status sti_run_checker_look(sti_run_checker* checker, const sti_run_moment* moment);
// The same of a world as it is now.
STI_API sti_status sti_run_checker_look_world(sti_run_checker* checker, const sti_world* world,
                                              const sti_world_report* report);
STI_API void sti_run_checker_result(const sti_run_checker* checker, sti_run_verification* out);  // of all so far

// What it has seen, as bytes (free with sti_env_free), and back into a checker of the same bodies. STI_ERR_INPUT: not
// such bytes.
STI_API sti_status sti_run_checker_save(const sti_run_checker* checker, void** bytes, size_t* size);
STI_API sti_status sti_run_checker_load(sti_run_checker* checker, const void* bytes, size_t size);

// ---- a recorded run of a system by formulas
//
// Each step is held against the equations of motion, the laws of contact and the places at its ends, whatever scheme
// made it: what a step may be off is what mass, forces and gradients change over it, found by evaluating them at its
// ends and its middle. Formulas are evaluated by <stiction/system.h>; the steppers are not asked.

#define STI_SYSTEM_CHECK_LIST(X)                                                                                    \
    X(STI_SYSTEM_ORDER, "order", "times that do not follow each other")                                             \
    X(STI_SYSTEM_STATE, "state", "recorded energies and gaps against those of the recorded places and velocities")  \
    X(STI_SYSTEM_CONE, "cone", "impulses that pull, or lie outside of their friction cones")                        \
    X(STI_SYSTEM_REACH, "reach", "impulses at contacts that the step does not close, in parts of the largest")      \
    X(STI_SYSTEM_LAW, "law", "contacts that slide without full friction against it, beyond what the step explains") \
    X(STI_SYSTEM_MOMENTUM, "momentum", "change of momentum beyond impulses and forces, and what the step explains") \
    X(STI_SYSTEM_JOINT, "joint", "opening of joints in a step beyond what it explains")                             \
    X(STI_SYSTEM_PENETRATION, "penetration", "overlap after a step beyond what it explains")                        \
    X(STI_SYSTEM_ENERGY, "energy", "rise of the energy in a step beyond work, and what the step explains")

#define STI_X(code, name, text) code,
typedef enum sti_system_check_kind { STI_SYSTEM_CHECK_LIST(STI_X) STI_SYSTEM_CHECK_COUNT } sti_system_check_kind;
#undef STI_X

STI_API const char* sti_system_check_name(sti_system_check_kind kind);
STI_API const char* sti_system_check_text(sti_system_check_kind kind);

typedef struct sti_system_verification {
    bool accepted;
    sti_run_check check[STI_SYSTEM_CHECK_COUNT];  // frame: the step; body: the contact, or the coordinate of momentum
    double overlap;                               // largest negative gap after a step
    double overlap_constant;                      // C with gap >= -C h^2 after every step
    double drift;                                 // largest gap of a joint after a step
    double momentum_defect;  // largest of M dv + h F - impulses at the middle of a step, in parts of the momentum
    double momentum_sum;     // the same, summed over the run
    long unseen;             // steps of more than 8 pieces, or settled ones: their momentum is not looked at
} sti_system_verification;

typedef struct sti_system_verify_options {
    double tol;  // limit of all but `order`, in parts of their scales (default 1e-6)
    // How steps were made, where that is known
    bool inertia;   // false: quasistatic, M counts for nothing (default true)
    bool balances;  // velocities are changed so that the energy of the step fits (default true)
    bool settles;  // velocities are projected on closed contacts after a step, by impulses that nobody records (default
                   // false)
    bool lifts;    // sliding contacts may be held at a distance: convex steps (default false)
    bool drops;    // the rest of a step with a collision may have been left out (default false)
    int facets;    // directions of friction in space; 0: the round cone (default 8)
} sti_system_verify_options;

STI_API sti_system_verify_options sti_system_verify_options_default(void);
// system: of the recording's text, with its settings. STI_ERR_ARGUMENT: it is not that of the recording.
STI_API sti_status sti_verify_recorded_system(sti_env* env, const sti_recorded_system* recorded,
                                              const sti_system* system, const sti_system_verify_options* options,
                                              sti_system_verification* out);

// ---- a recorded run of vehicles in cages, step by step, all pairs (src/verify/navigation.c)

#define STI_NAVIGATION_CHECK_LIST(X)                                                                             \
    X(STI_NAVIGATION_ORDER, "order", "times that do not follow each other, and a start that is not the scene's") \
    X(STI_NAVIGATION_MOTION, "motion", "places against those before and the velocities of the step")             \
    X(STI_NAVIGATION_APART, "apart", "overlap of cages, walls and obstacles after a step, all pairs")            \
    X(STI_NAVIGATION_LEAST, "least", "recorded least gaps against those of all pairs")                           \
    X(STI_NAVIGATION_SIGN, "sign", "impulses that pull, and normals that are no unit vectors")                   \
    X(STI_NAVIGATION_CONTACT, "contact", "gaps and normals of contacts against the cages before their step")     \
    X(STI_NAVIGATION_CLOSED, "closed", "gap at the end of a step of contacts that press in it")                  \
    X(STI_NAVIGATION_BALANCE, "balance", "change of momentum beyond forces and impulses")

#define STI_X(code, name, text) code,
typedef enum sti_navigation_check_kind {
    STI_NAVIGATION_CHECK_LIST(STI_X) STI_NAVIGATION_CHECK_COUNT
} sti_navigation_check_kind;
#undef STI_X

STI_API const char* sti_navigation_check_name(sti_navigation_check_kind kind);
STI_API const char* sti_navigation_check_text(sti_navigation_check_kind kind);

typedef struct sti_navigation_verification {
    bool accepted;
    sti_run_check check[STI_NAVIGATION_CHECK_COUNT];  // frame: the step; body: the vehicle
    double least_gap;                                 // of all pairs, after all steps; INFINITY: there are none
    bool at_rest;                                     // in the last step nothing moved by more than 1e-9 of its cage
    double balance;  // then: largest |k + sum n lambda|, in parts of the largest |k|; else NAN
} sti_navigation_verification;

// nav: of the recording's text, with its settings, at its start. tol <= 0: 1e-6, in parts of cages and of the largest
// momentum. STI_ERR_ARGUMENT: it is not that of the recording.
STI_API sti_status sti_verify_recorded_navigation(sti_env* env, const sti_recorded_navigation* recorded,
                                                  const sti_navigation* nav, double tol,
                                                  sti_navigation_verification* out);

// ---- a recorded run of grains, frame by frame; momentum where two frames are one step apart

#define STI_BED_CHECK_LIST(X)                                                                              \
    X(STI_BED_SOLVED, "solved", "steps that were not solved to their tolerance")                           \
    X(STI_BED_ORDER, "order", "steps and times that do not follow each other")                             \
    X(STI_BED_MOTION, "motion", "places against those before and the velocities of the step")              \
    X(STI_BED_KINETIC, "kinetic", "recorded energies against those of the recorded places and velocities") \
    X(STI_BED_CONE, "cone", "contact impulses that pull, or lie outside of their friction cones")          \
    X(STI_BED_NORMAL, "normal", "normals and gaps of contacts against the places before their step")       \
    X(STI_BED_LAW, "law", "distance of impulses and velocities from the law of contact, of a whole frame") \
    X(STI_BED_MOMENTUM, "momentum", "change of momentum beyond contact impulses and gravity")              \
    X(STI_BED_SPIN, "spin", "change of angular momentum beyond the moments of contact impulses")           \
    X(STI_BED_PENETRATION, "penetration", "overlap of grains and walls, all pairs, beyond what the run says of itself")

#define STI_X(code, name, text) code,
typedef enum sti_bed_check_kind { STI_BED_CHECK_LIST(STI_X) STI_BED_CHECK_COUNT } sti_bed_check_kind;
#undef STI_X

STI_API const char* sti_bed_check_name(sti_bed_check_kind kind);
STI_API const char* sti_bed_check_text(sti_bed_check_kind kind);

typedef struct sti_bed_verification {
    bool accepted;
    sti_run_check check[STI_BED_CHECK_COUNT];  // body: the grain, or the contact of the frame
    double overlap;                            // deepest, in all frames but the first
    double overlap_constant;                   // C with gap >= -C h^2 in them
} sti_bed_verification;

typedef struct sti_bed_verify_options {
    double tol;       // limit of checks, in parts of their scales (default 1e-6)
    double step_tol;  // to which steps were solved: twice it is the limit of `law` (default 1e-4)
    sti_law law;      // of the steps (default coulomb)
    int facets;       // of the law with facets (default 3)
    double recover;   // part of a penetration that a step takes back (default 1)
} sti_bed_verify_options;

STI_API sti_bed_verify_options sti_bed_verify_options_default(void);
STI_API sti_status sti_verify_recorded_bed(sti_env* env, const sti_recorded_bed* bed,
                                           const sti_bed_verify_options* options, sti_bed_verification* out);

// ---- roots and bounds

// What was checked, and what it found: the first claim that does not hold, or that could not be confirmed.
typedef struct sti_root_verification {
    bool accepted;
    int roots_checked;
    int boxes_checked;
    char text[240];
} sti_root_verification;

// Formulas are read again and evaluated on intervals of some 200 bits (exact/span.h), with derivatives: that each
// interval holds a root, that its region holds no other one, that every box claimed empty is, and that the boxes cover
// what was searched.
STI_API sti_status sti_verify_root(sti_env* env, const sti_root_problem* problem, const sti_root_answer* answer,
                                   sti_root_verification* out);

typedef struct sti_bound_verification {
    bool accepted;
    double agreement;  // largest distance, relative to the size, that is left between a number and its own enclosure
    char text[240];
} sti_bound_verification;

// The quantity and its bound are enclosed again, by rules of low order on many cells over spans: no number may lie
// outside, and the inequality must hold for the new enclosures.
STI_API sti_status sti_verify_bound(sti_env* env, const sti_bound_problem* problem, const sti_bound_answer* answer,
                                    sti_bound_verification* out);

// ---- a mode by actuators (actuation.h)

typedef struct sti_actuation_verification {
    bool accepted;     // everything below is within tol; false where nothing was looked at: a mode out of reach
    double bounds;     // of controls, beyond
    double faces;      // by which a face is nearer than the margin, relative
    double equations;  // relative
    double gap;        // how much larger the margin could be, by the multipliers; NAN: the set has no face
    char text[120];
} sti_actuation_verification;

STI_API sti_status sti_verify_actuation(sti_env* env, const sti_mode_wrenches* wrenches, int n,
                                        const sti_rationals* base, const sti_actuators* actuators,
                                        const sti_actuation* claim, double tol, sti_actuation_verification* out);

#ifdef __cplusplus
}
#endif
#endif
