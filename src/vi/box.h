// box.h: affine variational inequalities over a bounded box.
#ifndef STI_VI_BOX_H
#define STI_VI_BOX_H

#include <stiction/vi.h>

bool sti_avi_is_box(const sti_avi* avi);  // bounded on all sides, and nothing else
// By Lemke's method; mlcp: the same as posed. STI_SOLVED, or an answer that is not: the caller goes another way. last:
// there is none, a point of a small problem is good enough with its residual alone.
sti_status sti_avi_solve_box(sti_env* env, const sti_avi* avi, const sti_mlcp* mlcp, const sti_lcp_options* options,
                             bool last, sti_lcp_answer* answer);

#endif
