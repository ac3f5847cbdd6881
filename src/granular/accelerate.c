// accelerate.c: sweeps to a residual, with momentum where a step needs many.
//
//     y = r + beta (r - last r),    last r := r,    r := one sweep from y
//
// Plain sweeps carry a push from grain to neighbour, so the slow errors of a deep bed (a chain that sags as a whole) lose
// a part of their size that shrinks with the square of the depth. Momentum takes the square root of that, as it does for
// gradient steps (Polyak 1964, Nesterov 1983). Velocities are linear in impulses, so y costs one pass over the
// grains, and the sweep itself extrapolates impulses as it comes to them.
//
// Cap. For a convex program beta may go to 1. Coulomb's law is none: where contacts slide, friction follows the normal
// impulse and not the other way round, errors turn as they decay, and momentum near 1 feeds them. With beta = 0.9
// beds of all kinds that were tried converge, with 0.97 some never come below 1e-4.
//
//     sweeps to a residual of 1e-4, 1e-5, 1e-6 from zero impulses, 1600 grains at rest:  1523, 13256, over 100000
//
// The first few sweeps are plain: a step that starts from the impulses of the last one is often done by then.
#include <math.h>

#include "granular/bed.h"

enum { PLAIN = 8 };

typedef struct pace {
    double cap;    // of beta
    long age;      // sweeps since the momentum was dropped
    double best;   // smallest residual seen
    long best_at;  // sweep
    double turn;   // residual when the momentum was last dropped
} pace;

static double momentum(const pace* p) {
    const double beta = (double)p->age / (double)(p->age + 3);
    return beta < p->cap ? beta : p->cap;
}

// A residual that grows drops the momentum; one that has not fallen for long lowers the cap.
static void judge(pace* p, long sweeps, double before, double residual) {
    if (residual < 0.9 * p->best) {
        p->best = residual;
        p->best_at = sweeps;
        return;
    }
    if (residual > 4 * p->best && residual > before) p->age = 0;
    if (sweeps - p->best_at > 500 + p->best_at) {
        p->cap = p->cap > 0.3 ? 1 - 2 * (1 - p->cap) : 0;
        p->best_at = sweeps;
        p->age = 0;
    }
}

// The natural map costs most of a sweep, so it is looked at when its decay says that it may be small enough.
void sti_bed_solve_sweeps(sti_bed* bed, sti_bed_report* report) {
    const double tol = bed->options.tol;
    const long most = bed->options.max_iterations > 0 ? bed->options.max_iterations : 20000;
    long sweeps = 0, wait = 1;
    sti_bed_velocities(bed);
    double residual = sti_bed_residual(bed);
    pace p = {.cap = 0.9, .best = residual};
    while (residual > tol && sweeps < most) {
        long done = 0;
        for (; done < wait && sweeps < most; done++, sweeps++) {
            if (sweeps == PLAIN) sti_bed_trail(bed);
            if (sweeps < PLAIN) {
                sti_bed_sweep(bed);
            } else {
                sti_bed_glide(bed, momentum(&p));
                p.age++;
            }
        }
        const double before = residual;
        residual = sti_bed_residual(bed);
        judge(&p, sweeps, before, residual);
        // geometric guess of what is left, halved, at most a doubling
        const double rate = residual < before && isfinite(before) ? log(before / residual) / (double)done : 0;
        wait = rate > 0 && residual > tol ? (long)fmin(0.5 * log(residual / tol) / rate, 64) : 8;
        if (wait > 2 * done + 2) wait = 2 * done + 2;
        if (wait < 1) wait = 1;
    }
    sti_bed_velocities(bed);
    report->residual = sti_bed_residual(bed);
    report->iterations = sweeps;
}
