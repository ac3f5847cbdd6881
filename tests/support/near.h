// near.h: numbers that agree within a tolerance, or a failure that shows both.
#ifndef TESTS_SUPPORT_NEAR_H
#define TESTS_SUPPORT_NEAR_H

#include <math.h>

#include "support/failing_env.h"

#define assert_near(a, b, tol)                                                                          \
    do {                                                                                                \
        const double a_ = (a), b_ = (b), tol_ = (tol);                                                  \
        if (!(fabs(a_ - b_) <= tol_)) fail_msg("%.17g and %.17g differ by more than %g", a_, b_, tol_); \
    } while (0)

#endif
