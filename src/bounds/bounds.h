// bounds.h: what the inequalities share: compiled formulas, functionals with their moments, numbers of the answer.
#ifndef STI_BOUNDS_BOUNDS_H
#define STI_BOUNDS_BOUNDS_H

#include <stiction/bounds.h>
#include <stiction/classes.h>

#include "bounds/modulus.h"
#include "bounds/quadrature.h"

// One problem at work. Variables of the tape: x; with a joint density u and v.
typedef struct sti_bound_work {
    sti_env* env;
    const sti_bound_problem* p;
    sti_bound_answer* a;
    sti_formulas formulas;
    sti_series series;
    sti_quadrature quadrature;
    int x;                   // entry of the variable
    int f, g;                // entries, -1: none
    sti_interval low, high;  // [a, b]
    double centre;           // moments are taken about it: about the middle
} sti_bound_work;

// A functional and its values on 1, y, y^2, f, g, f g with y = x - centre, divided by its value on 1.
typedef struct sti_moments {
    sti_interval mass;
    sti_interval y, y2, f, g, fg;
} sti_moments;

// STI_OK, or STI_ERR_INPUT with the line to show. A reason in the answer: it could not be decided.
sti_status sti_find_moments(sti_bound_work* w, const sti_functional* from, const char* field, sti_moments* out);

// The density of a functional as an entry (1/(b-a) is left out of the uniform one), checked to be >= 0.
sti_status sti_density_entry(sti_bound_work* w, const char* field, const char* formula, int* entry);
sti_status sti_density_check(sti_bound_work* w, const char* field, int entry);
sti_status sti_mass_check(sti_bound_work* w, const char* field, sti_interval mass);

// A number given as a formula without variables.
sti_status sti_bound_constant(sti_bound_work* w, const char* field, const char* formula, sti_interval* out);
// Integrals with an error line that says what is wrong.
sti_status sti_bound_integrate(sti_bound_work* w, const char* field, sti_interval low, sti_interval high,
                               const int* entry, int count, sti_interval* out);

void sti_bound_put(sti_bound_work* w, const char* name, sti_interval value);
void sti_bound_unknown(sti_bound_work* w, const char* format, ...) __attribute__((format(printf, 2, 3)));

sti_status sti_bound_modulus(sti_bound_work* w, sti_interval** rows);
sti_status sti_bound_gruess(sti_bound_work* w);
sti_status sti_bound_joint(sti_bound_work* w);
sti_status sti_bound_hadamard(sti_bound_work* w);

#endif
