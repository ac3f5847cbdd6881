// hull.h: how large a ball about 0 the hull of points holds, by wrapping it face by face.
#ifndef STI_VERIFY_HULL_H
#define STI_VERIFY_HULL_H

#include <stdbool.h>

#include "base/env.h"

enum { STI_HULL_N_MOST = 6 };
// Points are drawn towards 0 by up to this part, each by another, so that no face has more than n of them.
#define STI_HULL_PULL 1e-5

// points: count x n, 2 <= n <= 6. *done: the hull was closed up, and holds the ball of *radius; false: too many faces,
// or rounding was in the way. A hull that does not hold 0 inside has a radius <= 0.
sti_status sti_hull_radius(sti_env* env, int n, int count, const double* points, int face_limit, double* radius,
                           bool* done);

#endif
