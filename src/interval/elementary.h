// elementary.h: elementary functions of intervals. The result holds every value of the function on the part of the
// argument where it is defined; where it is defined nowhere, the whole line.
#ifndef STI_INTERVAL_ELEMENTARY_H
#define STI_INTERVAL_ELEMENTARY_H

#include "interval/interval.h"

sti_interval sti_iv_pi(void);
sti_interval sti_iv_exp(sti_interval a);
sti_interval sti_iv_log(sti_interval a);    // defined for > 0
sti_interval sti_iv_log10(sti_interval a);  // the same
sti_interval sti_iv_sin(sti_interval a);
sti_interval sti_iv_cos(sti_interval a);
sti_interval sti_iv_tan(sti_interval a);  // a pole inside: the whole line
bool sti_iv_tan_has_pole(sti_interval a);
sti_interval sti_iv_asin(sti_interval a);  // defined on [-1, 1]
sti_interval sti_iv_acos(sti_interval a);  // the same
sti_interval sti_iv_atan(sti_interval a);
sti_interval sti_iv_atan2(sti_interval y, sti_interval x);  // not defined at (0, 0); a cut at x < 0, y = 0
sti_interval sti_iv_sinh(sti_interval a);
sti_interval sti_iv_cosh(sti_interval a);
sti_interval sti_iv_tanh(sti_interval a);
sti_interval sti_iv_pow_int(sti_interval a, long n);      // a^n; n < 0: a other than 0
sti_interval sti_iv_pow(sti_interval a, sti_interval b);  // defined for a > 0, and a = 0 with b > 0
sti_interval sti_iv_hypot(sti_interval a, sti_interval b);

#endif
