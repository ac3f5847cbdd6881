// modulus.h: the modulus of continuity of a function and its least concave majorant, enclosed.
#ifndef STI_BOUNDS_MODULUS_H
#define STI_BOUNDS_MODULUS_H

#include "interval/series.h"

// One cell of the interval, with what is known of f there.
typedef struct sti_cell {
    double x0, x1;
    sti_interval f0, f1;  // values at the ends
    sti_interval range;   // over the cell
    sti_interval slope;   // difference quotients over the cell
} sti_cell;

typedef struct sti_modulus {
    sti_env* env;
    sti_series* series;      // of order 1 at least, in one variable
    int entry;               // f
    sti_interval low, high;  // the interval
    int count, capacity;
    sti_cell* cell;  // from left to right, all of [low, high]       (capacity)
    double* bound;   // working memory                               (4 x capacity)
    long evaluations;
    double trouble_at;
} sti_modulus;

// STI_ERR_INPUT: f is not continuous on the interval, or not known to be: the text says where.
sti_status sti_modulus_open(sti_modulus* m, sti_env* env, sti_series* series, int entry, sti_interval low,
                            sti_interval high, const char* field);
void sti_modulus_close(sti_modulus* m);  // accepts a zero struct

// omega~(f; t), 0 <= t. Cells are refined until the enclosure is `tol` times the oscillation of f wide, or a budget is
// spent.
sti_status sti_modulus_majorant(sti_modulus* m, sti_interval t, double tol, sti_interval* out);
// omega(f; t)
sti_status sti_modulus_plain(sti_modulus* m, sti_interval t, double tol, sti_interval* out);
// sup f - inf f = omega(f; high - low)
sti_status sti_modulus_oscillation(sti_modulus* m, double tol, sti_interval* out);
// Least L with |f(x) - f(y)| <= L |x - y|; infinite when f has no bounded derivative. The series is of order 2 at
// least.
sti_status sti_modulus_lipschitz(sti_modulus* m, double tol, sti_interval* out);

#endif
