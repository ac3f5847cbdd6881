// pose_tools.h: poses: a place without a turn, and any pose within reach.
#ifndef TESTS_SUPPORT_POSE_TOOLS_H
#define TESTS_SUPPORT_POSE_TOOLS_H

#include <math.h>
#include <stiction/shapes.h>

#include "support/random.h"

static inline sti_pose at(double x, double y, double z) {
    sti_pose p = sti_pose_identity();
    p.x[0] = x;
    p.x[1] = y;
    p.x[2] = z;
    return p;
}

static inline sti_pose random_pose(sti_rng* rng, int dim, double reach) {
    if (dim == 2) return sti_pose_planar(between(rng, -reach, reach), between(rng, -reach, reach), between(rng, -4, 4));
    sti_pose p;
    double s = 0;
    for (int k = 0; k < 3; k++) p.x[k] = between(rng, -reach, reach);
    do {
        s = 0;
        for (int k = 0; k < 4; k++) {
            p.q[k] = between(rng, -1, 1);
            s += p.q[k] * p.q[k];
        }
    } while (s > 1 || s < 0.01);
    for (int k = 0; k < 4; k++) p.q[k] /= sqrt(s);
    return p;
}

#endif
