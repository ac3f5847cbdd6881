// map.h: the map of a variational inequality, compiled: in doubles for searching, in intervals for proving.
#ifndef STI_VI_MAP_H
#define STI_VI_MAP_H

#include <stiction/vi.h>

#include "interval/series.h"
#include "system/jet.h"

typedef struct sti_vi_map {
    sti_env* env;
    const sti_vi* vi;  // borrowed
    int n;
    sti_formulas formulas;
    int* entry;  // F_i                                    (n)
    sti_series series;
    sti_jets jets;
    sti_program values, gradients;
    double* inputs;  // (2 n + 1)
} sti_vi_map;

sti_status sti_vi_map_open(sti_vi_map* map, sti_env* env, const sti_vi* vi);
void sti_vi_map_close(sti_vi_map* map);  // accepts a zero struct

// F in doubles and its derivatives (n x n, row major; NULL: not wanted). False: not all finite.
bool sti_vi_map_at(sti_vi_map* map, const double* x, double* F, double* J);
// F over a box; STI_TROUBLE_.. of all together.
unsigned sti_vi_map_over(sti_vi_map* map, const sti_interval* X, sti_interval* F);

// The nearest point of the box to a number, mid(lb, x, ub).
static inline double sti_vi_clip(const sti_vi* vi, int i, double x) {
    return fmin(fmax(x, vi->lb[i]), vi->ub[i]);
}

// What a run of Newton's method came to.
typedef struct sti_vi_run {
    double* x;        // best point                          (n)
    double residual;  // in doubles, of the natural map; INFINITY: none was found
    long iterations;
} sti_vi_run;

// newton.c: from run->x.
typedef struct sti_vi_newton sti_vi_newton;
sti_status sti_vi_newton_open(sti_env* env, sti_vi_map* map, sti_vi_newton** out);
void sti_vi_newton_close(sti_vi_newton* w);  // accepts NULL
void sti_vi_newton_run(sti_vi_newton* w, const sti_vi_options* o, double deadline, sti_vi_run* run);

// prove.c: the residual of x rounded outward, and what can be proved next to x. Fills x, F, residual, proof and
// interval.
sti_status sti_vi_prove(sti_vi_map* map, const double* x, double tol, sti_vi_answer* a);

#endif
