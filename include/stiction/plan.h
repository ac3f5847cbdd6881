// plan.h: pushes that are robust: the largest box of doubts in which a push keeps its contact modes, proved; and
// sequences of such pushes that bring a part to its goal.
//
// docs/manipulation.md has the rules of the box, docs/planning.md those of plans.
#ifndef STICTION_PLAN_H
#define STICTION_PLAN_H

#include <stiction/manipulation.h>
#include <stiction/step.h>
#include <stiction/system.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- the largest box

typedef struct sti_box_options {
    double weight[STI_DOUBT_COUNT];  // of each kind: the box grows in these proportions first; 0: not doubted
    bool friction;                   // the sign of friction lasts too where a contact sticks: all of the basis (2.4.20)
    double slip;                     // of sti_push_box
    long max_pieces;                 // that a box is cut into to prove it
    int rounds;                      // of bisection for each side
} sti_box_options;

// Lengths by the size of the parts, angles, friction and speed by 1; modes; 64 pieces; 6 rounds.
STI_API sti_box_options sti_box_options_default(const sti_manipulation* m);

typedef struct sti_robust_box {
    sti_push_box box;  // its arrays belong to this
    bool found;        // false: the push itself does not keep its modes, without any doubt
    double scale;      // of the weights, up to which all doubts grow together
    sti_box_verification proof;
    double* end;  // where parts are after the steps, lows then highs          (6 parts)
} sti_robust_box;

// start NULL: the scene's; h <= 0: the scene's; options NULL: defaults. Largest means: all doubts grow in the
// proportions of the weights as far as the proof goes, then the sides by turns, each by itself.
STI_API sti_status sti_robust_box_create(sti_env* env, const sti_manipulation* m, const double* start, double h,
                                         long steps, const sti_box_options* options, sti_robust_box** out);
STI_API void sti_robust_box_destroy(sti_env* env, sti_robust_box* box);  // accepts NULL

// The answer of stiction analyze robust --box (--json) read back, for the checker: the claim, where it says parts end,
// and in the proof the number of pieces; found: something is claimed. parts: those of the scene. settings: of its
// --set, as text of `size` bytes. STI_ERR_INPUT names file, field and value.
STI_API sti_status sti_robust_box_load(sti_env* env, int parts, const char* path, char* settings, size_t size,
                                       sti_robust_box** out);

// One start, with its deviations (doubt_count), played by the stepper, which knows nothing of the proof.
typedef struct sti_box_switch {
    long step;           // in which a mode changes; -1: none does
    int contact;         // of the box, that does; -1: something else comes into touch, or the step has no solution
    sti_push_mode mode;  // what it does then
} sti_box_switch;

// The scene is changed while this works, and as its file says afterwards.
STI_API sti_status sti_robust_box_try(sti_env* env, sti_manipulation* m, const sti_push_box* box,
                                      const double* deviation, sti_box_switch* out);

// ---- the same of a system by formulas, by the alpha scheme with gaps at the level of positions

typedef enum sti_motion_doubt_kind {
    STI_MOTION_POSITION,
    STI_MOTION_VELOCITY,
    STI_MOTION_PARAMETER
} sti_motion_doubt_kind;

typedef struct sti_motion_doubt {
    sti_motion_doubt_kind kind;
    int of;            // coordinate or parameter
    double low, high;  // deviation: low <= 0 <= high
} sti_motion_doubt;

// The claim: from every start within the doubts each of the steps is solved with these modes. A contact without
// friction that is closed presses, whatever mode that is called.
typedef struct sti_motion_box {
    double h, alpha, time;
    long steps;
    const double *q, *v;         // at the start                     (coordinates)
    int contact_count;           // all that the system has
    const sti_push_mode* modes;  // (contact_count)
    int doubt_count;
    const sti_motion_doubt* doubts;
} sti_motion_box;

// By affine arithmetic that holds every rounding, from the formulas alone (src/verify/motion_box.c). end: NULL, or
// where coordinates and velocities are after the last step, lows then highs (4 coordinates). STI_ERR_INPUT: friction in
// space, a coefficient of its own for sliding, joints that rub.
STI_API sti_status sti_verify_motion_box(sti_env* env, const sti_system* system, const sti_motion_box* box,
                                         long max_pieces, double* end, sti_box_verification* out);

typedef struct sti_motion_options {
    double h, alpha;                 // of the scheme (default 0.01, 1/2)
    int doubt_count;                 // 0: the motion itself is all that is asked about (default)
    const sti_motion_doubt* doubts;  // kind and of                                  (doubt_count)
    const double* weight;            // the box grows in these proportions first     (doubt_count)
    long max_pieces;                 // that a box may be cut into for its proof (default 16)
    int rounds;                      // of growing: sides are found to 2^-rounds of their length (default 6)
} sti_motion_options;

STI_API sti_motion_options sti_motion_options_default(void);

typedef struct sti_motion_claim {
    sti_motion_box box;  // its arrays belong to this
    bool found;          // false: the motion itself does not keep its modes, without any doubt
    double scale;        // of the weights, up to which all doubts grow together
    sti_box_verification proof;
    double* end;  // coordinates and velocities after the steps, lows then highs     (4 coordinates)
} sti_motion_claim;

// The largest box in which the modes of the first step last. The system was read from a document. options NULL: the
// defaults.
STI_API sti_status sti_motion_claim_create(sti_env* env, const sti_system* system, long steps,
                                           const sti_motion_options* options, sti_motion_claim** out);
STI_API void sti_motion_claim_destroy(sti_env* env, sti_motion_claim* claim);  // accepts NULL
// The answer of stiction analyze robust --box of that system read back, as sti_robust_box_load does.
STI_API sti_status sti_motion_claim_load(sti_env* env, const sti_system* system, const char* path, char* settings,
                                         size_t size, sti_motion_claim** out);
// One start, with its deviations (doubt_count), played by the stepper. Parameters are afterwards as they were.
STI_API sti_status sti_motion_claim_try(sti_env* env, sti_system* system, const sti_motion_box* box,
                                        const double* deviation, sti_box_switch* out);

// ---- plans: a rapidly exploring random tree over pushes with one probe of one or two tips, S3 2.4

// Half widths of what may differ: pose of every part at the start, friction at the tips, place of the probe in every
// push.
typedef struct sti_plan_noise {
    double pose[3];  // x, y, theta
    double mu;
    double tip;
} sti_plan_noise;

typedef struct sti_plan_goal {
    int part;
    double pose[3];
    double tolerance[3];  // of x, y and theta
} sti_plan_goal;

typedef struct sti_plan_options {
    unsigned long seed;
    long max_tries;     // pushes that are tried, for each goal
    double time_limit;  // seconds; 0: none
    double goal_bias;   // part of the tries that aim at the goal
    double metric;      // length that a turn by 1 counts as
    double step;        // way of the probe in a step
    double reach;       // longest push
    bool shortest;      // without the test of robustness
    sti_plan_noise noise;
    bool (*watch)(void* user, long tries, double nearest);  // false: enough; NULL: nobody watches
    void* user;
} sti_plan_options;

STI_API sti_plan_options sti_plan_options_default(const sti_manipulation* m);

typedef struct sti_plan_push {
    int part;
    double at[2], angle, speed;  // as sti_manipulation_aim takes them
    long steps;
    int edge;     // of the part, that the tips come to
    int cuts[3];  // of sti_push_course, with which the proof goes
} sti_plan_push;

typedef struct sti_plan {
    int part_count, probe;
    double h;
    int goal_count;
    sti_plan_goal* goals;  // reached one after the other
    sti_plan_noise noise;
    bool reached;  // and, of a plan that is not "shortest", proved for every deviation within the noise
    bool shortest;
    long tries, nodes;
    int push_count;
    sti_plan_push* pushes;
    double* poses;       // before the first push and after each, as predicted    ((pushes + 1) x 3 parts)
    sti_pose_set* sets;  // that they are in, whatever the noise                  ((pushes + 1) x parts)
} sti_plan;

// The scene's probe is aimed while this works, and left somewhere. Not reached: pushes to the nearest place that was
// found. STI_ERR_INPUT: no probe that pushes, or the start or a goal overlaps something, with the noise or without.
STI_API sti_status sti_plan_create(sti_env* env, sti_manipulation* m, int goal_count, const sti_plan_goal* goals,
                                   const sti_plan_options* options, sti_plan** out);
STI_API void sti_plan_destroy(sti_env* env, sti_plan* plan);  // accepts NULL

typedef struct sti_replay {
    long runs, successes, jams;
    double worst[3];  // largest distance from the goals: x, y, theta
} sti_replay;

// All pushes, one after the other, with deviations drawn evenly within the noise (NULL: the plan's); runs 1 with noise
// of 0: as planned. show: NULL, or called after every step.
typedef void (*sti_replay_show)(void* user, int push, long step, const double* q, const sti_push_report* report);
STI_API sti_status sti_plan_replay(sti_env* env, sti_manipulation* m, const sti_plan* plan, const sti_plan_noise* noise,
                                   unsigned long seed, long runs, sti_replay_show show, void* user, sti_replay* out);

// ---- a plan checked by who did not make it (src/verify/plan.c)

typedef struct sti_plan_verification {
    bool accepted;
    int push;      // of the claim that fails; -1: none, or one that is not about a push
    double worst;  // of predicted poses: largest deviation of the stepper from them
    double clearance;
    char text[240];
} sti_plan_verification;

// That the first sets hold the scene's start with its noise, that each push leads every member of a set into the next
// (sti_verify_push_reach), that parts which are not pushed stay, and that the last sets are within the tolerance of the
// goals. Of a plan made without the test of robustness: the predicted poses alone.
STI_API sti_status sti_verify_plan(sti_env* env, sti_manipulation* m, const sti_plan* plan, sti_plan_verification* out);

// What a document holds (document.h), for as long as it lives, and the scene and settings that it names; NULL when of
// another kind.
STI_API const sti_plan* sti_plan_of(const sti_document* document, const char** scene, const char** settings);

#ifdef __cplusplus
}
#endif
#endif
