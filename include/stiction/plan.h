// plan.h: pushes that are robust: the largest box of doubts in which a push keeps its contact modes, proved; and sequences of
// such pushes that bring a part to its goal.
//
// docs/manipulation.md has the rules of the box, docs/planning.md those of plans.
#ifndef STICTION_PLAN_H
#define STICTION_PLAN_H

#include <stiction/manipulation.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- the largest box

typedef struct sti_box_options {
    double weight[STI_DOUBT_COUNT];  // of each kind: the box grows in these proportions first; 0: not doubted
    bool friction;                   // the sign of friction lasts too where a contact sticks: all of the basis (2.4.20)
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

// start NULL: the scene's; h <= 0: the scene's; options NULL: defaults. Largest means: all doubts grow in the proportions of the
// weights as far as the proof goes, then each side alone, one after the other.
STI_API sti_status sti_robust_box_create(sti_env* env, const sti_manipulation* m, const double* start, double h,
                                         long steps, const sti_box_options* options, sti_robust_box** out);
STI_API void sti_robust_box_destroy(sti_env* env, sti_robust_box* box);  // accepts NULL

// ---- plans: a rapidly exploring random tree over pushes with one tip, S3 2.4

// Half widths of what may differ: pose of every part at the start, friction at the tip, place of the tip in every push.
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
    long max_tries;     // pushes that are tried
    double time_limit;  // seconds; 0: none
    double goal_bias;   // part of the tries that aim at the goal
    double metric;      // length that a turn by 1 counts as
    double step;        // way of the tip in a step
    double reach;       // longest push
    bool shortest;      // without the test of robustness
    sti_plan_noise noise;
    bool (*watch)(void* user, long tries, double nearest);  // false: enough; NULL: nobody watches
    void* user;
} sti_plan_options;

STI_API sti_plan_options sti_plan_options_default(const sti_manipulation* m);

typedef struct sti_plan_push {
    double at[2], angle, speed;  // as sti_manipulation_aim takes them
    long steps;
    sti_push_contact contact;  // that is kept, in this mode, whatever the deviation
    sti_push_mode mode;
    double margin;  // of the proof; NAN: not proved
} sti_plan_push;

typedef struct sti_plan {
    int part_count, probe;
    double h;
    sti_plan_goal goal;
    sti_plan_noise noise;
    bool reached;  // and, of a plan that is not "shortest", proved for every deviation within the noise
    bool shortest;
    long tries, nodes;
    int push_count;
    sti_plan_push* pushes;
    double *poses, *low,
        *high;  // before the first push and after each: predicted, and the box they are in  ((pushes + 1) x 3 parts)
} sti_plan;

// The scene's probe is aimed while this works, and left somewhere. Not reached: pushes to the nearest place that was found.
// STI_ERR_INPUT: no probe that pushes, or the start or the goal overlaps something.
STI_API sti_status sti_plan_create(sti_env* env, sti_manipulation* m, const sti_plan_goal* goal,
                                   const sti_plan_options* options, sti_plan** out);
STI_API void sti_plan_destroy(sti_env* env, sti_plan* plan);  // accepts NULL

typedef struct sti_replay {
    long runs, successes, jams;
    double worst[3];  // largest distance from the goal: x, y, theta
} sti_replay;

// All pushes, one after the other, with deviations drawn evenly within the noise (NULL: the plan's); runs 1 with noise of 0: as planned.
STI_API sti_status sti_plan_replay(sti_env* env, sti_manipulation* m, const sti_plan* plan, const sti_plan_noise* noise,
                                   unsigned long seed, long runs, sti_replay* out);

#ifdef __cplusplus
}
#endif
#endif
