// accelerate.c: sweeps until the residual is small enough, with momentum where a step needs many.
//
//     y = r + beta (r - last r),    last r := r,    r := one sweep from y,      beta = min(k / (k + 3), cap),
//         k = 0 .. period - 1 and again
//
// Plain sweeps carry a change from a grain to its neighbours, so the slow errors of a deep bed (a region that gives way
// as a whole) lose a part of their size that falls with the square of the depth. Momentum takes the square root of that
// number, as it does for gradient steps (Polyak 1964, Nesterov 1983). Velocities are linear in the impulses, so those
// of y cost one pass over the grains, and the sweep extrapolates impulses as it comes to them. An update does not
// depend on the contact's own impulse, so it does no harm that y may lie outside the cone; r never does.
//
// Coulomb's law is no convex program: friction follows the normal impulse and not the other way round, errors turn as
// they decay, the more so the larger mu, and much momentum feeds those that turn. So there the cap falls with mu.
//
// At rest a step needs about as many sweeps as the last one, and where they end is hard to guess from the rate: it
// looks for the first time after that many, or one less if the last step ended well below its tolerance.
//
// Looks. The residual that counts is that of velocities which belong to the impulses: summed anew, or carried along
// from there over a few plain sweeps. Carried or summed, they are rounded in the last digit of the impulses (residuals
// of 1e-4 agreed in twelve digits), and a sum costs as much as the natural map. Sweeps with momentum multiply
// velocities again and again; after them, and after many plain ones, velocities are summed anew before a residual
// counts.
//
// Nothing proves convergence, for plain sweeps under Coulomb's law neither. What the report says is measured. The
// numbers are in tuning.h, what they were tried against in bench/granular.
#include <math.h>

#include "granular/bed.h"

typedef struct pace {
    double cap;    // of beta
    long period;   // sweeps after which the momentum is dropped
    long age;      // sweeps since the momentum was dropped
    double best;   // smallest residual seen, in steps of a tenth
    long best_at;  // sweep
} pace;

static pace begin(const sti_bed* bed, double residual) {
    const sti_tuning* t = &bed->tuning;
    pace p = {.cap = t->cap_convex, .period = t->period_convex, .best = residual};
    if (bed->options.law == STI_LAW_CONE) return p;
    double mu = bed->grain[0].mu;
    for (int k = 0; k < bed->wall_count; k++)
        mu = fmax(mu, bed->walls[k].mu * (bed->friction != NULL ? bed->reach[k] : 1));
    p.cap = fmin(p.cap, fmax(t->cap_least, 1 - t->cap_mu * mu));
    p.period = t->period;
    return p;
}

static double momentum(const pace* p) {
    const double beta = (double)p->age / (double)(p->age + 3);
    return beta < p->cap ? beta : p->cap;
}

static void plan_sweep(sti_passes* plan, pace* p, long sweep, long plain) {
    if (sweep < plain) {
        sti_passes_add(plan, STI_PASS_SWEEP, 0);
        return;
    }
    if (sweep == plain) sti_passes_add(plan, STI_PASS_TRAIL, 0);
    sti_passes_add(plan, STI_PASS_GLIDE, momentum(p));
    if (++p->age == p->period) p->age = 0;
}

static void judge(const sti_tuning* t, pace* p, long sweep, double residual) {
    if (residual < t->better * p->best) {
        p->best = residual;
        p->best_at = sweep;
    } else if (sweep - p->best_at > t->patience + p->best_at) {
        p->cap = p->cap > 0.5 ? 1 - 2 * (1 - p->cap) : 0;
        p->age = 0;
        p->best_at = sweep;
    }
}

static double residual_anew(sti_bed* bed, sti_passes* plan) {
    sti_passes_add(plan, STI_PASS_ANEW, 0);
    return sti_passes_residual(bed, plan);
}

// Sweeps until the next look, after `done` of them from one: a part of what the rate says is left, within bounds.
static long next_wait(const sti_tuning* t, double before, double residual, double tol, long done, long sweeps) {
    const double rate = residual < before && isfinite(before) && done > 0 ? log(before / residual) / (double)done : 0;
    double wait = t->wait;
    if (rate > 0 && residual > tol) wait = fmin(t->wait_part * log(residual / tol) / rate, STI_PASSES_SWEEPS);
    wait = fmin(wait, fmin(2 * (double)done + 2, t->wait + floor(t->wait_share * (double)sweeps)));
    return wait < 1 ? 1 : (long)wait;
}

// Sweeps of the next step before its first look.
static int foresee(const sti_bed* bed, long sweeps, double residual) {
    const sti_tuning* t = &bed->tuning;
    if (sweeps == 0 || sweeps > t->foreseen_most) return 0;
    return (int)(residual > t->foreseen * bed->options.tol ? sweeps : sweeps - 1);
}

// The natural map costs two thirds of a sweep, so it is looked at when its decay says that it may be small enough.
void sti_bed_solve_sweeps(sti_bed* bed, sti_bed_report* report) {
    const sti_tuning* t = &bed->tuning;
    const double tol = bed->options.tol;
    const long most = bed->options.max_iterations > 0 ? bed->options.max_iterations : t->most;
    long sweeps = 0;
    sti_passes plan = {.count = 0};
    sti_passes_add(&plan, STI_PASS_ANEW, 0);
    for (; sweeps < bed->foreseen && sweeps < most; sweeps++) sti_passes_add(&plan, STI_PASS_SWEEP, 0);
    double residual = sti_passes_residual(bed, &plan);
    bool counts = true;
    pace p = begin(bed, residual);
    for (long wait = 1; residual > tol && sweeps < most;) {
        long done = 0;
        for (; done < wait && sweeps < most; done++, sweeps++) plan_sweep(&plan, &p, sweeps, t->plain);
        const double before = residual;
        residual = sti_passes_residual(bed, &plan);
        counts = sweeps <= t->plain;
        if (residual <= tol && !counts) {
            residual = residual_anew(bed, &plan);
            counts = true;
        }
        judge(t, &p, sweeps, residual);
        wait = next_wait(t, before, residual, tol, done, sweeps);
    }
    report->residual = counts ? residual : residual_anew(bed, &plan);
    report->iterations = sweeps;
    bed->foreseen = foresee(bed, sweeps, residual);
}
