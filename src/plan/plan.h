// plan.h: the inside of the planner: a free push predicted, a push that is made and proved, a plan played again.
#ifndef STI_PLAN_PLAN_H
#define STI_PLAN_PLAN_H

#include <stiction/plan.h>

#include "base/env.h"
#include "base/rng.h"

// ---- predict.c: a part with nothing around it, pushed by a tip that sticks

typedef struct sti_touch {
    double r[2], n[2];  // place on the outline and the normal into the part, in its frame
    double angle;       // of the push, from n, in the frame of the part
    double way;
    int edge;
    double along;  // on the edge, 0 to 1; of a disc: of the whole rim
} sti_touch;

void sti_touch_place(const sti_outline* o, sti_touch* t);  // r and n from edge and along
// false: the force leaves the cone of friction.
bool sti_touch_predict(const sti_manipulation* m, int part, double mu, const double pose[3], const sti_touch* t,
                       double out[3]);

// ---- geometry of the search

double sti_angle_wrap(double a);  // into [-pi, pi]
double sti_pose_distance(const double a[3], const double b[3], double metric);

#endif
