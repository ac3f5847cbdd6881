// tuning.h: every number that the sweeps and the search of a bed go by and that no theory gives, with what it does and
// the range it was tried in.
//
// One rule serves all beds: none of these is compared with the number of grains. bench/granular/ensemble.c tries those
// of the sweeps over layouts, sizes, friction, step and tolerance, each variant from the same states;
// bench/granular/README.md has its tables. They cost or save time alone, but for `missed`: the residual that counts is
// measured, and so is what a step left out, whatever they are.
#ifndef STI_GRANULAR_TUNING_H
#define STI_GRANULAR_TUNING_H

typedef struct sti_tuning {
    // ---- what a step starts from (touch.c)

    // Part of what a step changed that the mean of a contact learns, and part of the lead over the mean that lasts to
    // the next step: at recover = 0, and at recover = 1. Stable up to last = 0.5 at recover = 1 (0.7 makes waves
    // there). Tried: fresh 0.1 (sweeps double) to 1 (waves), last 0 (depth is felt) to 0.9.
    double fresh[2], last[2];

    // ---- momentum (accelerate.c)

    // Plain sweeps at the front of a step. Tried: 1 to 32, which do alike.
    long plain;
    // beta = min(k / (k + 3), cap), k = 0 .. period - 1 and again. Coulomb's law: cap = 1 - cap_mu mu, at least
    // cap_least. At mu = 0.3 caps of 0.92 to 0.96 do alike and 0.97 does not come below 1e-4 on some beds; best at
    // mu = 0.8 about 0.8, at mu = 2 about 0.6. Periods of 100 to 400 do alike; without one mu = 0.8 takes fewer sweeps
    // and mu = 0.3 more.
    double cap_mu, cap_least;
    long period;
    // The same of the convex laws, which allow beta near 1.
    double cap_convex;
    long period_convex;
    // Without a residual smaller by this factor for as many sweeps as it took to get there and `patience`: the cap goes
    // away from 1 twice as far, and momentum begins anew. Tried: patience 50 to 600, and none (steps of a fall then end
    // at the limit of sweeps).
    double better;
    long patience;
    long most;  // sweeps of a step that names no limit

    // ---- looks at the residual (accelerate.c)

    // Sweeps from one look to the next: this part of what the last rate says is left, `wait` where there is no rate,
    // and at most `wait` and this share of all so far. Not tried beyond what is here.
    double wait_part, wait, wait_share;
    // A step looks for the first time after as many sweeps as the last one had, or after one less if that one ended
    // below this part of its tolerance; one that had more than `foreseen_most` says nothing of the next. Tried: off (up
    // to 22 % more time at rest in looks), 0.8 to 1 (at 1 the number never falls).
    double foreseen;
    int foreseen_most;

    // ---- which pairs a step takes along (touch.c, missed.c)

    double margin;  // of the radius: gaps that every step takes along. Tried as one eps for all: 0.04 to 4
    double missed;  // of the smallest radius: no pair left out overlaps by more. Tried: 1e-3, 1e-4, alike in time
    int wider;      // times that a step is made anew, at most
    double widen;   // by how much more than what it missed its range grows then

    // ---- the list of near pairs (near.c, step.c); rooms in parts of the largest radius

    double reserve;       // of a grain in a cell, beyond its share: longer lists, made less often
    double reserve_most;  // of a stray
    int room_steps;       // that a stray has room for
    int soon;             // steps: grains that will have used up their room by then are listed with those that have
    int stray_share;      // one grain of so many may stray, ..
    int stray_most;       // .. and so many beside some, since each is held against all others of them

    // ---- slabs (cells.c)

    // Slabs are cut upright where the bed is so many cells wide: four slabs have work for two threads. Tried in falls
    // of 400 to 3200 grains: 0, 4 (0.9 to 1.0 of the sweeps of never), 8, 12 and never.
    double upright;
    int slab_grains;               // at least, in the mean
    int grain_cost, contact_cost;  // in a run, in units of a pair in the list: by these slabs have equal work
} sti_tuning;

static const sti_tuning sti_tuning_default = {.fresh = {0.425, 0.3},
                                              .last = {0.875, 0.5},
                                              .plain = 8,
                                              .cap_mu = 0.2,
                                              .cap_least = 0.5,
                                              .period = 200,
                                              .cap_convex = 0.99,
                                              .period_convex = 600,
                                              .better = 0.9,
                                              .patience = 150,
                                              .most = 20000,
                                              .wait_part = 0.5,
                                              .wait = 8,
                                              .wait_share = 0.125,
                                              .foreseen = 0.9,
                                              .foreseen_most = 8,
                                              .margin = 0.02,
                                              .missed = 1e-4,
                                              .wider = 8,
                                              .widen = 1.25,
                                              .reserve = 0.075,
                                              .reserve_most = 0.5,
                                              .room_steps = 32,
                                              .soon = 16,
                                              .stray_share = 64,
                                              .stray_most = 2000,
                                              .upright = 4,
                                              .slab_grains = 32,
                                              .grain_cost = 2,
                                              .contact_cost = 10};

// Loops over contacts (lanes.h, touch.c), fixed when they are compiled: parts of a list that a sweep goes through in
// turns, and fewer of them in a short list, where eight contacts at a time share a grain too often (eight parts always:
// 4 % more time in a bed of 1600); contacts by which memory is asked for ahead (in small beds it costs nothing); pairs
// that are picked at a time.
enum {
    STI_PARTS = 8,
    STI_FEW_PARTS = 4,
    STI_SHORT_LIST = 1024,
    STI_AHEAD = 6,
    STI_NEXT_AHEAD = 24,
    STI_FAR_AHEAD = 64,
    STI_PICKS = 256
};

#endif
