// step.h: systems in motion: consistent initialization, impacts, and the time-stepping schemes of S3.
//
//     alpha         S3 (2.1.4): Q (u - v) = alpha (k~ + impulses),  u = alpha v+ + (1 - alpha) v,  q+ = q + h u
//     convex        S3 (2.3.7 to 2.3.10): one convex program a step; sliding contacts lift off
//     quasistatic   S3 (2.4.16): no inertia, E v = contact forces + applied forces
//
// docs/steppers.md has the equations, and what differs from the print.
#ifndef STICTION_STEP_H
#define STICTION_STEP_H

#include <stiction/contact.h>
#include <stiction/impact.h>
#include <stiction/system.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- consistent initialization (S3 1.3.5 to 1.3.8)

#define STI_INITIAL_LIST(X)                                                                                 \
    X(STI_INITIAL_CONSISTENT, "consistent")     /* as given, up to rounding */                              \
    X(STI_INITIAL_PROJECTED, "projected")       /* q, v were moved to fit */                                \
    X(STI_INITIAL_OVERLAPPING, "overlapping")   /* they fit the joints, and a contact has a negative gap */ \
    X(STI_INITIAL_INCONSISTENT, "inconsistent") /* no fitting q or v was found */                           \
    X(STI_INITIAL_SINGULAR, "singular")         /* q, v fit, but a is not determined, or there is none */

#define STI_X(code, text) code,
typedef enum sti_initial_outcome { STI_INITIAL_LIST(STI_X) } sti_initial_outcome;
#undef STI_X

STI_API const char* sti_initial_outcome_text(sti_initial_outcome outcome);

typedef struct sti_initial {
    sti_initial_outcome outcome;
    int n, joint_count;
    double time;
    double* q;           // Theta(q) = 0                                      (n)
    double* v;           // nu(q)'v + Theta_t = 0                             (n)
    double* a;           // acceleration without contact forces: (1.3.8)      (n)
    double* c_nu;        // forces of the joints, least norm where redundant  (joint_count)
    double defect_q[2];  // largest |Theta|, as given and after
    double defect_v[2];  // largest |nu'v + Theta_t|, as given and after
    double defect_a;     // largest residual of (1.3.8), relative
    double moved_q;      // sqrt(dq'M dq)
    double moved_v;      // sqrt(dv'M dv)
    int rank;            // of the joints; less than joint_count: redundant
    int worst_joint;     // where |Theta| or the velocity defect was largest; -1: nothing to tell
    int penetrating;     // first contact with a negative gap; -1: none
    int approaching;     // first touching contact with a negative gap rate (it hits at once); -1: none
    int iterations;
    char why[240];  // what was done, or what contradicts what; names joints and contacts
} sti_initial;

// q, v (n): NULL takes the system's own start; its own time if t is NAN. Positions are moved the least in the metric of
// M.
STI_API sti_status sti_initial_create(sti_env* env, const sti_system* system, double t, const double* q,
                                      const double* v, sti_initial** out);
STI_API void sti_initial_destroy(sti_env* env, sti_initial* initial);

// ---- an impact at one instant (S3 2.1.12 to 2.1.22)

typedef struct sti_collision_options {
    // STI_IMPACT_POISSON (default), _POISSON_PRINTED, _MOREAU, _NEWTON (e_t too), _GENERAL, _STRONGE, _LZB; all with
    // Coulomb friction. Stronge: one contact; several at once are taken by lzb with springs alike.
    sti_impact_law law;
    const double* E;  // law general, in the coordinates of S1; NULL: the instant's (contact_count x contact_count)
    int facets;       // directions of friction in space: even, >= 4 (default 8)
    double gap_tol;   // contacts up to this gap take part (default 1e-9)
    double restitution_scale;  // multiplies every restitution (default 1; 0: inelastic)
    bool dissipate;            // an outcome that gains energy is drawn back to one that does not (default true)
    const double* stiffness;   // law lzb: of each contact, joints included; NULL: alike     (contact_count)
    double exponent;           // law lzb: force = stiffness compression^exponent, >= 1 (default 1.5, Hertz)
} sti_collision_options;

STI_API sti_collision_options sti_collision_options_default(void);

typedef struct sti_collision {
    sti_outcome outcome;  // STI_SOLVED, or of the phase that was not solved
    int n, contact_count, tangent_total;
    double* v;         // after                                                   (n)
    double* v_c;       // after compression; laws of one phase: after the inelastic impact it was drawn to, else NAN (n)
    double* p_n;       // impulses, all phases; joints too                        (contact_count)
    double* p_t;       // (tangent_total)
    double* p_n_c;     // of compression                                          (contact_count)
    double* p_t_c;     // (tangent_total)
    double* p_n_x;     // of decompression beyond the restituted e c_n^c          (contact_count)
    double* p_t_x;     // (tangent_total)
    double energy[3];  // kinetic: before, after compression, after
    double gain;       // energy the law would have added, 0 when it added none; NAN: surfaces move, not judged
    double kept;       // 1: the law's own outcome; s < 1: v_c + s (v of the law - v_c), drawn back to keep the energy
    int relaxed;       // newton, general: contacts at which the law asks for a pull, or to close; they open as they can
    double residual;
    char why[240];
} sti_collision;

STI_API sti_status sti_collision_create(sti_env* env, const sti_instant* instant, const sti_collision_options* options,
                                        sti_collision** out);
STI_API void sti_collision_destroy(sti_env* env, sti_collision* collision);

// ---- steppers

#define STI_SCHEME_LIST(X)         \
    X(STI_SCHEME_ALPHA, "alpha")   \
    X(STI_SCHEME_CONVEX, "convex") \
    X(STI_SCHEME_QUASISTATIC, "quasistatic")

// Where mass, inertial forces and all gradients are taken.
#define STI_GEOMETRY_LIST(X)                                                                        \
    X(STI_GEOMETRY_AHEAD, "ahead") /* q + h v / 2: second order for alpha = 1/2, joints included */ \
    X(STI_GEOMETRY_OLD, "old")     /* q, as printed: first order with joints or with M(q) */

#define STI_FRICTION_LIST(X)                                    \
    X(STI_FRICTION_FACETS, "facets") /* MLCP, Lemke's method */ \
    X(STI_FRICTION_CONE, "cone")     /* the round cone, exactly */

#define STI_ACTIVE_LIST(X)                                                                              \
    X(STI_ACTIVE_HELD, "held") /* gap <= gap_tol, or closed in the last step: keeps the second order */ \
    X(STI_ACTIVE_GAP, "gap")   /* gap <= gap_tol: (2.1.11) */

#define STI_LEVEL_LIST(X)                                                                       \
    X(STI_LEVEL_VELOCITY, "velocity") /* 0 <= n'u of active contacts, collisions are located */ \
    X(STI_LEVEL_GAP, "gap")           /* 0 <= gap / h + n'u of all up to gap_tol; impacts inelastic */

// Scheme alpha, level velocity: events (impacts, contacts that open, stick, slip) are located, and motion between them
// is integrated with fixed modes, to fifth order. See src/step/events.c.
#define STI_EVENTS_LIST(X)   \
    X(STI_EVENTS_OFF, "off") \
    X(STI_EVENTS_AUTO, "auto") /* and the scheme makes the rest of a step in which they accumulate */

// What is located.
#define STI_EVENT_LIST(X)                                               \
    X(STI_EVENT_IMPACT, "impact")                                       \
    X(STI_EVENT_CLOSES, "closes") /* touches without an impact */       \
    X(STI_EVENT_OPENS, "opens")   /* its normal force vanishes */       \
    X(STI_EVENT_SLIPS, "slips")   /* friction reaches its bound */      \
    X(STI_EVENT_STICKS, "sticks") /* its slip vanishes, and it stays */ \
    X(STI_EVENT_TURNS, "turns")   /* its slip vanishes, and goes on anew */

#define STI_X(code, text) code,
typedef enum sti_events { STI_EVENTS_LIST(STI_X) } sti_events;
typedef enum sti_event_kind { STI_EVENT_LIST(STI_X) STI_EVENT_COUNT } sti_event_kind;
typedef enum sti_scheme { STI_SCHEME_LIST(STI_X) STI_SCHEME_COUNT } sti_scheme;
typedef enum sti_geometry { STI_GEOMETRY_LIST(STI_X) } sti_geometry;
typedef enum sti_friction { STI_FRICTION_LIST(STI_X) } sti_friction;
typedef enum sti_active { STI_ACTIVE_LIST(STI_X) } sti_active;
typedef enum sti_level { STI_LEVEL_LIST(STI_X) } sti_level;
#undef STI_X

STI_API const char* sti_scheme_text(sti_scheme scheme);
STI_API bool sti_scheme_parse(const char* name, sti_scheme* out);
STI_API const char* sti_event_text(sti_event_kind kind);

typedef struct sti_event {
    double time;
    sti_event_kind kind;
    int contact;
} sti_event;

typedef struct sti_stepper_options {
    sti_scheme scheme;
    double step;   // h (default 0.01)
    double alpha;  // in (0, 1] (default 1/2)
    sti_geometry geometry;
    sti_friction friction;
    int facets;  // directions of friction in space: even, >= 4 (default 8); convex: also 3
    sti_active active;
    sti_level level;
    double gap_tol;  // default 1e-12; with level gap, and for the other schemes, INFINITY
    bool stabilize;  // positions are projected on the joints and on closed contacts after a step (default true)
    bool settle;     // velocities are projected on joints and closed contacts after a step (default false)
    bool substep;    // true: a step goes on after a collision; false: its rest is dropped, as printed (default true)
    int collision_limit;      // collisions in one piece of a step before restitution is switched off (default 16)
    sti_impact_law law;       // as in sti_collision_options
    const double* E;          // law general: over the contacts without joints, copied; NULL: each contact's own
    bool dissipate;           // as in sti_collision_options
    const double* stiffness;  // law lzb: of the contacts without joints, copied; NULL: alike
    double exponent;          // as in sti_collision_options
    // alpha with level velocity: a piece of a step whose energy balance fails is halved, up to `refine` times (default
    // 10; 0: never), and what is left of the defect is taken out of the velocity (default true). See
    // src/step/balance.c.
    int refine;
    bool balance;
    int index;          // alpha: joints at the level of velocities (2, default) or of positions (3): Theta(t + h, q+) =
                        // 0
    sti_events events;  // default off
    double event_tol;   // error of a smooth piece in parts of 1 + |q|, 1 + |v|; of the time of an event in parts of h
                        // (1e-10)
    // The skew matrix G(v) of S3 (2.1.2), M a = G(v) v + k: it stands on the side of the applied forces, so G v is
    // minus the inertial forces c of M a + c = k (a free body: I w' = -w x I w, G = [I w]x). One that is not so is
    // refused. NULL: half the derivative of c, which is Christoffel's matrix. Geometry ahead takes the whole derivative
    // in any case.
    bool (*inertial)(void* user, double t, const double* q, const double* v, double* G);  // (n x n)
    void* inertial_user;
    bool start_as_given;  // false: from the projected state of sti_initial (default false)
} sti_stepper_options;

STI_API sti_stepper_options sti_stepper_options_default(sti_scheme scheme);
// Every choice as in S3: geometry old, active gap, impacts poisson_printed; nothing is stabilized, corrected or
// refined, and the rest of a step with a collision is dropped.
STI_API sti_stepper_options sti_stepper_options_printed(sti_scheme scheme);

enum { STI_STEP_JUMPS = 32, STI_STEP_EVENTS = 64 };

// What happened in one step. Arrays are the stepper's own, good until the next step.
typedef struct sti_step_report {
    long step;            // number of steps so far
    double time;          // at its end
    sti_outcome outcome;  // of its problem; not STI_SOLVED: the state did not change, `why` says more
    double residual;      // worst of its problems
    double kinetic, potential;
    // kinetic + potential at the end = at the start + work + loss + collision_energy + what remains of the defect
    double work;                 // of applied forces without potential and of surfaces that move; NAN: not known
    double loss;                 // of friction, <= 0; NAN: not known
    double defect;               // sizes of what the scheme added or lost before it was corrected; NAN: not known
    int pieces;                  // that the step was made of: 1 unless collisions or a failing balance cut it
    double drift;                // largest |Theta| of a joint at the end
    double drift_rate;           // and |nu'v + Theta_t|
    int index;                   // that was integrated: 3 positions, 2 velocities, 1 accelerations (events); 0: no
                                 // joints
    double penetration;          // largest negative gap at the end
    double corrected;            // largest displacement by stabilization
    int collisions;              // located or at once in this step; convex, level gap: contacts that closed in it
    double collision_time;       // of the first; NAN: none
    const double* collision_at;  // of the last one that a contact had part in; NAN: none            (contact_count)
    const double* v_minus;       // velocity before and after the last collision; NULL: none     (n)
    const double* v_plus;        // (n)
    // |v_plus - v_minus| of the located ones in order, the first STI_STEP_JUMPS of them: atoms of the measure dv
    int jump_count;
    const double* jump_time;                        // (jump_count)
    const double* jump_size;                        // (jump_count)
    const double *jump_q, *jump_minus, *jump_plus;  // position there, velocity before and after   (jump_count x n)
    // events auto: what was located; event holds the first STI_STEP_EVENTS. stepped: time that the scheme made instead
    int events;
    double stepped;
    const sti_event* event;
    double collision_energy;  // sum of the changes of kinetic energy in collisions, less the work of moving surfaces;
                              // convex,
                              // level gap: work of the normal impulses of contacts that close
    double gain;              // energy that the impact law would have added
    int relaxed;              // sum over the collisions, as in sti_collision
    double dropped;           // time at the end of the step that was not integrated
    double lift;              // convex: largest gap that friction opened
    double objective;         // convex: of the step's program; NAN: another scheme
    double duality_gap;       // its distance from the dual value, in parts of both and of f'M^-1 f; NAN: another scheme
    int active;               // contacts in the problem
    const double* gap;        // at the end                                            (contact_count)
    const double* lifts;      // convex: gap that friction opened at each contact      (contact_count)
    const double* impulse_n;  // over the step, collisions included; joints too        (contact_count)
    const double* impulse_t;  // two for each contact                                  (contact_count x 2)
    const unsigned char* mode;  // sti_contact_mode                                      (contact_count)
    const double* slip;         // slip in the step's problem, two for each              (contact_count x 2)
    const double* opening;  // n'u + ... of the step's problem, 0 where closed; gap + ... with level gap (contact_count)
    char why[240];
} sti_step_report;

typedef struct sti_stepper sti_stepper;

// The system is borrowed and outlives the stepper. options NULL: defaults of alpha. An inconsistent start is
// STI_ERR_INPUT.
STI_API sti_status sti_stepper_create(sti_env* env, const sti_system* system, const sti_stepper_options* options,
                                      sti_stepper** out);
STI_API void sti_stepper_destroy(sti_stepper* stepper);  // accepts NULL
// report may be NULL. STI_OK with another outcome than STI_SOLVED: no step was made.
STI_API sti_status sti_stepper_step(sti_stepper* stepper, sti_step_report* report);

STI_API double sti_stepper_time(const sti_stepper* stepper);
STI_API const double* sti_stepper_q(const sti_stepper* stepper);
STI_API const double* sti_stepper_v(const sti_stepper* stepper);        // v^l
STI_API const double* sti_stepper_v_alpha(const sti_stepper* stepper);  // (2.2.10); before the first step v
STI_API const sti_initial* sti_stepper_initial(const sti_stepper* stepper);
// Puts the stepper elsewhere: q, v (n). Contacts are looked at anew.
STI_API sti_status sti_stepper_set(sti_stepper* stepper, double t, const double* q, const double* v);
// All that later steps depend on, as bytes (free with sti_env_free), and back into a stepper made with the same system
// and options: it goes on bit for bit. STI_ERR_INPUT: not such bytes.
STI_API sti_status sti_stepper_save_state(const sti_stepper* stepper, void** bytes, size_t* size);
STI_API sti_status sti_stepper_load_state(sti_stepper* stepper, const void* bytes, size_t size);

// The problem that solved the last step; where that was made of several, the last of them. With facets the mixed one S3
// (2.1.8): u = (weighted velocity, impulses of joints), z = c_n, beta and lambda. With round cones the contact problem
// in global form: v = weighted velocity, r = alpha times the impulses; where the matrix of the step is not symmetric, f
// has what the rest of it brings at the solution. Good until the next step, or until it is cleared. STI_ERR_ARGUMENT:
// nothing was in touch; or (convex with round cones) the step is a conic program.
typedef struct sti_stepper_problem {
    bool round;  // contact, not mlcp
    sti_mlcp mlcp;
    sti_contact_problem contact;
    double* memory;
} sti_stepper_problem;

STI_API sti_status sti_stepper_pose(sti_env* env, sti_stepper* stepper, sti_stepper_problem* out);
STI_API void sti_stepper_problem_clear(sti_env* env, sti_stepper_problem* problem);

// ---- robust controls (S3 2.4): does the complementary basis of the first step last?

// What a pair of the step's problem stands for.
typedef enum sti_robust_kind {
    STI_ROBUST_NORMAL,    // force along the normal | gap
    STI_ROBUST_FRICTION,  // force along one direction | slip against it
    STI_ROBUST_SLIDING    // sliding speed | what friction has in reserve
} sti_robust_kind;

// How far a step is from another mode; INFINITY: no contact is in that mode.
typedef struct sti_robust_margin {
    double opening;   // least gap at the end, of open contacts
    double force;     // least normal force, of closed ones
    double reserve;   // least mu lambda_n - |lambda_t|, of those that stick
    double slipping;  // least slip in the step, of those that slide
} sti_robust_margin;

typedef struct sti_robust {
    sti_outcome outcome;  // of the first step's problem
    bool is_switch;       // the basis stopped fitting before step N
    int step;             // where; -1: nowhere
    int violating;        // first negative component, -1: none, or the basis became singular
    double least;         // the most negative value; NAN: singular
    double* q;            // where the linear systems led       (n)
    int pair_count;
    unsigned char* alpha;  // basis of the first step, pairs (c_n, beta, lambda)  (pair_count)
    int broken_count;      // components that are negative at the switch; 0 where the basis became singular
    int* broken;           // which of the pairs, ascending                       (broken_count)
    double* value;      // the component of each pair at the last step looked at: z on the basis, w off it  (pair_count)
    int* pair_contact;  // contact of each pair                                    (pair_count)
    unsigned char* pair_kind;  // sti_robust_kind                                         (pair_count)
    unsigned char* pair_open;  // the contact is open in the basis: its friction and sliding pairs say nothing of modes
    int margin_count;          // steps looked at, the first and that of the switch among them
    sti_robust_margin* margins;  // (margin_count)
} sti_robust;

// steps N >= 1; checks n = 1, ..., N - 1. Tolerance 1e-9 on signs. Schemes quasistatic and alpha with level gap.
STI_API sti_status sti_robust_create(sti_env* env, const sti_system* system, const sti_stepper_options* options,
                                     int steps, sti_robust** out);
STI_API void sti_robust_destroy(sti_env* env, sti_robust* robust);

#ifdef __cplusplus
}
#endif
#endif
