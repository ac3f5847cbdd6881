// plan.h: the inside of the planner: the tool, a push that leads towards a target, what is in the way.
#ifndef STI_PLAN_PLAN_H
#define STI_PLAN_PLAN_H

#include <stiction/plan.h>

#include "base/env.h"
#include "base/rng.h"

// ---- grow.c: the largest box for which something can be proved

typedef struct sti_growth {
    sti_env* env;
    int doubts, rounds;
    const double* weight;  // that doubts grow in the proportions of first         (doubts)
    sti_status (*holds)(void* user, const double* low, const double* high, bool* good);
    void* user;
    double scale;  // of the weights, up to which all grew together
    double *low, *high, *factor;
} sti_growth;

// found false: not even without any doubt. The last call of holds is that of the box.
sti_status sti_grow(sti_growth* g, bool* found);

// ---- predict.c: a part with nothing around it, pushed by a tip that sticks

// A tip, or the middle of two, on an edge.
typedef struct sti_plan_touch {
    double r[2], n[2];  // place on the outline and the normal into the part, in its frame
    double angle;       // of one tip: from n, in the frame of the part; of two: of the tool in the world
    double way;
    int edge;
    double along;  // on the edge, 0 to 1; of a disc: of the whole rim
} sti_plan_touch;

void sti_touch_place(const sti_outline* o, sti_plan_touch* t);  // r and n from edge and along
// false: the force leaves the cone of friction.
bool sti_touch_predict(const sti_manipulation* m, int part, double mu, const double pose[3], const sti_plan_touch* t,
                       double out[3]);

// ---- steer.c: which push

typedef struct sti_tool {
    int probe, tips;
    double radius;
    double tip[2][2];  // from the middle of the tips, with the push along x
    double normal;     // angle of the normal of an edge that two tips lie along, from that of the push
    double half;       // half of their distance
} sti_tool;

typedef struct sti_steering {
    const sti_manipulation* m;
    const sti_tool* tool;
    sti_rng* rng;
    int part;
    double cone;  // friction that is counted on
    double metric, step, reach;
    double least;     // way of two tips in a push, but for turns
    double open;      // angle that is doubted
    const double* q;  // poses of all parts: no push ends in what stands there; NULL: whatever
    double turn;      // most that two tips turn a part by in a push
} sti_steering;

sti_status sti_tool_find(sti_env* env, sti_manipulation* m, sti_tool* out);
// The push that leads nearest to the target, of many drawn; end: where to, were nothing around. false: none was found.
bool sti_steer(const sti_steering* k, const double pose[3], const double target[3], sti_plan_touch* best,
               double end[3]);
// Is a part free on the straight way between two poses? It has turned soon after the beginning where two tips push it.
bool sti_way_is_free(const sti_steering* k, const double pose[3], const double to[3]);
// Where the tool starts, with its tips farther than `off` from the part, and in how many steps it goes there.
bool sti_aim(const sti_steering* k, const double pose[3], const sti_plan_touch* touch, const double off[2], double h,
             sti_plan_push* out);

// ---- geometry.c: geometry of the search

double sti_angle_wrap(double a);  // into [-pi, pi]
double sti_pose_distance(const double a[3], const double b[3], double metric);
// Extent of a set in x, y and theta.
void sti_pose_set_bounds(const sti_pose_set* s, double low[3], double high[3]);
// Is a point inside, or nearer than `room`?
bool sti_outline_meets(const sti_outline* o, const double pose[3], const double p[2], double room);
// Do two outlines overlap by more than rounding, as far as corners tell and edges that cross?
bool sti_outlines_overlap(const sti_outline* a, const double pose_a[3], const sti_outline* b, const double pose_b[3]);
// What the part would overlap at the pose: fixture count + part, or fixture; -1: nothing.
int sti_pose_blocked(const sti_manipulation* m, int part, const double pose[3], const double* q);

#endif
