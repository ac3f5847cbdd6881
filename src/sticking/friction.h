// friction.h: the search for the least coefficient of friction, as its two files see it.
#ifndef STI_STICKING_FRICTION_H
#define STI_STICKING_FRICTION_H

#include "sticking/sticking.h"

typedef struct sti_quest {
    const sti_posed* s;  // the instant
    sti_posed t;         // the same with other coefficients
    double* weight;      // w_i; 0: not asked about               (nc)
    unsigned char* on;   // (nc)
    double* mu;          // of t                                  (nc)
    unsigned char* rough;
    signed char* sign;  // the branch                            (nc)
    double limit;       // on normal forces
    double* lambda;     // best so far                           (p)
    double k;
    sti_cone_program last;  // the last one reduced: its equations serve again
    bool found, refused;
    bool growth;  // directions of growth instead of forces
    bool* idle;   // lambda_n is zero for every choice, so lambda_t must be       (nc)
} sti_quest;

// friction.c: the largest |lambda_t| / (w lambda_n) of the contacts asked about; INFINITY: one carries
// nothing.
double sti_quest_ratio(const sti_quest* q, const double* lambda);

// friction_newton.c: improves q->k and q->lambda when the conditions can be met better; leaves them alone
// otherwise. x: the point of the program that they come from.
sti_status sti_quest_polish(sti_quest* q, const sti_cone_program* g, const double* x);

#endif
