// verify.h: an independent check of runs, as they are recorded and while they are made.
//
// Answers are checked by sti_verify_<what>, which stands beside the answer: sti_verify_lcp in problem.h,
// sti_verify_contact in contact.h, and so on. Whatever is checked, the check shares no code with what made it: it sees
// what was posed and what is claimed, and computes everything anew.
#ifndef STICTION_VERIFY_H
#define STICTION_VERIFY_H

#include <stdbool.h>
#include <stiction/bodies.h>
#include <stiction/navigation.h>
#include <stiction/recording.h>
#include <stiction/system.h>

#ifdef __cplusplus
extern "C" {
#endif

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
    double alpha;              // weight of the new velocity in a step (1); velocities at contacts are looked at for 1
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
STI_API sti_status sti_run_checker_save_state(const sti_run_checker* checker, void** bytes, size_t* size);
STI_API sti_status sti_run_checker_load_state(sti_run_checker* checker, const void* bytes, size_t size);

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

#ifdef __cplusplus
}
#endif
#endif
