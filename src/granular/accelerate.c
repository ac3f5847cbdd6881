// accelerate.c: sweeps until the residual is small enough, with momentum where a step needs many.
//
//     y = r + beta (r - last r),    last r := r,    r := one sweep from y
//
// Plain sweeps carry a change from a grain to its neighbours, so the slow errors of a deep bed (a region that gives way as
// a whole) lose a part of their size that falls with the square of the depth. Momentum takes the square root of that
// number, as it does for gradient steps (Polyak 1964, Nesterov 1983). Velocities are linear in the impulses, so those of y
// cost one pass over the grains, and the sweep extrapolates impulses as it comes to them. An update does not depend on
// the contact's own impulse, so it does no harm that y may lie outside the cone; r never does.
//
// Cap and period. For a convex program beta may tend to 1. Coulomb's law is none: friction follows the normal impulse and
// not the other way round, errors turn as they decay, and much momentum feeds those that turn. So
//
//     beta = min(k / (k + 3), cap),      k = 0 .. PERIOD - 1 and again from 0
//
// Between 0.92 and 0.96 and between 100 and 240 the cap and the period hardly matter; 0.97 for ever does not come below 1e-4 on
// some beds. When the residual has not fallen for as long as it took to get where it is, the cap comes down by halves
// of its speed-up, at last to plain sweeps.
//
//     sweeps from zero impulses, 1600 grains       1e-4     1e-5     1e-6
//     plain, impact / at rest                  680 / 690   4833 / 4247   over 20000
//     with momentum                            115 / 100    466 / 345     2304 / 2249
//
// The first sweeps are plain: a step that starts from the impulses of the last one is often done by then.
//
// Nothing proves convergence, for plain sweeps under Coulomb's law neither. What the report says is measured.
#include <math.h>

#include "granular/bed.h"

enum { PLAIN = 8, PERIOD = 160, PATIENCE = 500, SWEEPS_MOST = 20000 };

typedef struct pace {
    double cap;    // of beta
    long age;      // sweeps since the momentum was dropped
    double best;   // smallest residual seen, in steps of a tenth
    long best_at;  // sweep
} pace;

static double momentum(const pace* p) {
    const double beta = (double)p->age / (double)(p->age + 3);
    return beta < p->cap ? beta : p->cap;
}

static void one_sweep(sti_bed* bed, pace* p, long sweep) {
    if (sweep < PLAIN) {
        sti_bed_sweep(bed);
        return;
    }
    if (sweep == PLAIN) sti_bed_trail(bed);
    sti_bed_glide(bed, momentum(p));
    if (++p->age == PERIOD) p->age = 0;
}

static void judge(pace* p, long sweep, double residual) {
    if (residual < 0.9 * p->best) {
        p->best = residual;
        p->best_at = sweep;
    } else if (sweep - p->best_at > PATIENCE + p->best_at) {
        p->cap = p->cap > 0.5 ? 1 - 2 * (1 - p->cap) : 0;
        p->age = 0;
        p->best_at = sweep;
    }
}

// The natural map costs most of a sweep, so it is looked at when its decay says that it may be small enough.
void sti_bed_solve_sweeps(sti_bed* bed, sti_bed_report* report) {
    const double tol = bed->options.tol;
    const long most = bed->options.max_iterations > 0 ? bed->options.max_iterations : SWEEPS_MOST;
    long sweeps = 0, wait = 1;
    sti_bed_velocities(bed);
    double residual = sti_bed_residual(bed);
    pace p = {.cap = 0.94, .best = residual};
    while (residual > tol && sweeps < most) {
        long done = 0;
        for (; done < wait && sweeps < most; done++, sweeps++) one_sweep(bed, &p, sweeps);
        const double before = residual;
        residual = sti_bed_residual(bed);
        judge(&p, sweeps, residual);
        // geometric guess of what is left, halved, at most a doubling and an eighth of the sweeps so far
        const double rate = residual < before && isfinite(before) ? log(before / residual) / (double)done : 0;
        wait = rate > 0 && residual > tol ? (long)fmin(0.5 * log(residual / tol) / rate, 64) : 8;
        if (wait > 2 * done + 2) wait = 2 * done + 2;
        if (wait > 8 + sweeps / 8) wait = 8 + sweeps / 8;
        if (wait < 1) wait = 1;
    }
    sti_bed_velocities(bed);
    report->residual = sti_bed_residual(bed);
    report->iterations = sweeps;
}
