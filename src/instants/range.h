// range.h: are the numbers of an instant of a size that an analysis in doubles can multiply?
#ifndef STI_INSTANTS_RANGE_H
#define STI_INSTANTS_RANGE_H

#include <stiction/instant.h>

// STI_ERR_INPUT names the first number beyond 1e100: products of three such numbers leave the range of doubles. What is
// in range and overflows for other reasons is met at the border to LAPACK (linalg/lapack.h).
sti_status sti_range_check(sti_env* env, const sti_instant* instant);

#endif
