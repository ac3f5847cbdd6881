// tuning.h: every number that the sweeps of a bed go by and that no theory gives, with what it does and the range it
// was tried in.
//
// One rule serves all beds: none of these depends on the number of grains or on the layout. bench/granular/ensemble.c
// tries them over layouts, sizes, friction, step and tolerance, each variant from the same states;
// bench/granular/README.md has its tables. They cost or save time alone: the residual that counts is measured, whatever
// they are.
#ifndef STI_GRANULAR_TUNING_H
#define STI_GRANULAR_TUNING_H

typedef struct sti_tuning {
    // ---- what a step starts from (touch.c)

    // Part of what a step changed that the mean of a contact learns, and part of the lead over the mean that lasts to
    // the next step: at recover = 0, and at recover = 1. Stable up to last = 0.5 at recover = 1 (0.7 makes waves
    // there). Tried: fresh 0.1 (sweeps double) to 1 (waves), last 0 (depth is felt) to 0.9.
    double fresh[2], last[2];

    // ---- momentum (accelerate.c)

    // Plain sweeps at the front of a step. Tried: 4 to 32.
    long plain;
    // A step that begins within so many tolerances has so many plain sweeps: momentum finds the sum of small
    // penetrations over the depth of a bed and takes it back at once, and the bed is stirred. Tried: off, 3 to 100
    // tolerances.
    double near;
    long plain_near;
    // beta = min(k / (k + 3), cap), k = 0 .. period - 1 and again. Coulomb's law: cap = 1 - cap_mu mu, at least
    // cap_least. At mu = 0.3 caps of 0.92 to 0.96 do alike and 0.97 does not come below 1e-4 on some beds; best at
    // mu = 0.8 about 0.8, at mu = 2 about 0.6. Periods of 100 to 240 do alike.
    double cap_mu, cap_least;
    long period;
    // The same of the convex laws, which allow beta near 1.
    double cap_convex;
    long period_convex;
    // Without a smaller residual (by a tenth) for as many sweeps as it took to get there and these: the cap goes away
    // from 1 twice as far. Tried: 50 to 600.
    long patience;
    long most;  // sweeps of a step that names no limit

    // ---- looks at the residual (accelerate.c)

    // A step looks for the first time after as many sweeps as the last one had, or after one less if that one ended
    // below this part of its tolerance; one that had more than `foreseen_most` says nothing of the next. Tried: off (9
    // to 20 % more time at rest in looks), 0.8 to 1 (at 1 the number never falls).
    double foreseen;
    int foreseen_most;
} sti_tuning;

static const sti_tuning sti_tuning_default = {.fresh = {0.425, 0.3},
                                              .last = {0.875, 0.5},
                                              .plain = 8,
                                              .near = 10,
                                              .plain_near = 400,
                                              .cap_mu = 0.2,
                                              .cap_least = 0.5,
                                              .period = 200,
                                              .cap_convex = 0.99,
                                              .period_convex = 600,
                                              .patience = 150,
                                              .most = 20000,
                                              .foreseen = 0.9,
                                              .foreseen_most = 8};

#endif
