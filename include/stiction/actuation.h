// actuation.h: can actuators bring a contact mode about, with what margin, and which of them limits it?
//
//     w = base + sum_k tau_k direction_k,    low_k <= tau_k <= high_k
//
// is the external wrench that actuators make, and a mode has a polyhedral set of wrenches (modes.h). Asked is the
// linear program
//
//     max t :   G_f (w, 1) + |G_f| t <= 0  for every face f of the set,   E (w, 1) = 0,   low <= tau <= high,
//
// in rational arithmetic: t >= 0 iff some tau makes a wrench of the closed set, and t > 0 iff one in its relative
// interior (a mode with a frictionless contact that rolls is never strict itself: its friction cone has no inside). t
// is the distance of w from the nearest face, the largest that the bounds allow (|G_f| to 53 bits); its rate with each
// bound says what limits it.
#ifndef STICTION_ACTUATION_H
#define STICTION_ACTUATION_H

#include <stiction/modes.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sti_actuators {
    int count;
    const sti_rationals* direction;  // wrench of a unit of each, one row each      (count x n)
    const sti_rationals* low;        // (count)
    const sti_rationals* high;       // >= low                                      (count)
} sti_actuators;

typedef struct sti_actuation {
    int n, count, face_count, equation_count;
    bool reachable;  // some tau within the bounds meets the equations; false: out of reach, whatever the faces say
    bool possible;   // and none of the faces is in the way: t >= 0
    bool strict;     // t > 0
    double margin;   // t; negative: what is missing; INFINITY: the set has no face; NAN: not reachable
    double* tau;     // with it; 0 where not reachable                              (count)
    double* rate;    // by which t grows when the bound is widened at which tau stands; 0: neither limits     (count)
    int limit;       // actuator with the largest rate times high - low; -1: no bound limits
    double *face_multiplier,
        *equation_multiplier;  // of the optimum: it proves that t cannot be larger   (face_count), ..
    int limit_face;            // face with the largest multiplier times |G_f|; -1: none
} sti_actuation;

// base: the wrench without actuators (n); n is the dimension of wrenches of the mode, whose cone must be exact.
STI_API sti_status sti_actuation_create(sti_env* env, const sti_mode_wrenches* wrenches, int n,
                                        const sti_rationals* base, const sti_actuators* actuators, sti_actuation** out);
STI_API void sti_actuation_destroy(sti_env* env, sti_actuation* actuation);  // accepts NULL

// ---- an independent check: shares no code with the solvers (docs/reliability.md)

typedef struct sti_actuation_verification {
    bool accepted;     // everything below is within tol; false where nothing was looked at: a mode out of reach
    double bounds;     // of controls, beyond
    double faces;      // by which a face is nearer than the margin, relative
    double equations;  // relative
    double gap;        // how much larger the margin could be, by the multipliers; NAN: the set has no face
    char text[120];
} sti_actuation_verification;

STI_API sti_status sti_verify_actuation(sti_env* env, const sti_mode_wrenches* wrenches, int n,
                                        const sti_rationals* base, const sti_actuators* actuators,
                                        const sti_actuation* claim, double tol, sti_actuation_verification* out);

#ifdef __cplusplus
}
#endif
#endif
