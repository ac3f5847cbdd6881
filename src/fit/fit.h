// fit.h: the inside of the fit room.
#ifndef STI_FIT_FIT_H
#define STI_FIT_FIT_H

#include <stiction/fit.h>

double sti_fit_size(sti_fit_norm norm, const double* r, int m);  // INFINITY: something is not finite
// Singular values and directions of the derivatives at answer->x, and how many the data leave open (determine.c).
sti_status sti_fit_determine(sti_env* env, const sti_fit_problem* problem, sti_fit_answer* answer);

#endif
