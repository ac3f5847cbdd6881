// equations.h: n equations in n unknowns, compiled: in doubles for searching, in intervals for proving.
#ifndef STI_ROOTS_EQUATIONS_H
#define STI_ROOTS_EQUATIONS_H

#include <math.h>
#include <stiction/roots.h>

#include "interval/series.h"
#include "system/jet.h"

enum { MOST = STI_ROOT_VARIABLES_MOST };

typedef struct sti_equations {
    sti_env* env;
    int n;
    sti_formulas formulas;
    int entry[MOST];    // f_i
    sti_series series;  // to first order
    sti_jets jets;      // doubles
    sti_program values, gradients;
    bool boxed;
    sti_interval box[MOST];  // the given one, rounded outward
    long evaluations;
} sti_equations;

sti_status sti_equations_open(sti_equations* q, sti_env* env, const sti_root_problem* problem);
void sti_equations_close(sti_equations* q);  // accepts a zero struct

// f in doubles, and its derivatives (n x n, row major; NULL: not wanted). False: not all finite.
bool sti_equations_at(sti_equations* q, const double* x, double* f, double* J);

// Over a box: values F, and slopes J (NULL: not wanted). Returns STI_TROUBLE_.. of all equations together.
unsigned sti_equations_over(sti_equations* q, const sti_interval* X, sti_interval* F, sti_interval* J);
// Which operation has no value on the box last looked at; "nothing" where all have one.
void sti_equations_reason(const sti_equations* q, char* text, size_t size);

// Largest |f_i|.
static inline double sti_roots_size(const double* f, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(f[i]));
    return most;
}

// Solve A x = b by elimination with pivots, n <= MOST; A and b are destroyed, b becomes x. False: singular.
bool sti_dense_algebra(double* A, double* b, int n);

#endif
