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
// Cap and period.
//
//     beta = min(k / (k + 3), cap),      k = 0 .. period - 1 and again from 0
//
// The convex law allows beta near 1: cap 0.99, period 600. Coulomb's law is no convex program: friction follows the
// normal impulse and not the other way round, errors turn as they decay, the more so the larger mu, and much momentum
// feeds those that turn. There the cap is 1 - 0.2 mu, at least 0.5, and the period 200; a step that outlasts the first
// of them goes on with periods of 240 and, for mu up to 0.5, a cap of 1 - 0.15 mu. With mu = 0.3 all caps from 0.92 to
// 0.96 and periods from 100 to 240 do about as well, but 0.97 without end does not come below 1e-4 on some beds; with
// mu = 0.8 the best is near 0.8, with mu = 2 near 0.6. When the residual has not fallen for as long as it took to get
// where it is, the distance of the cap from 1 is doubled, until plain sweeps are left.
//
//     sweeps from zero impulses, 1600 grains, impact / at rest       1e-4        1e-5        1e-6
//     Coulomb's law, plain                                        845 / 760   4833 / 4247   over 20000
//     Coulomb's law, momentum                                     167 / 109    436 / 369     2655 / 1481
//     the convex law, momentum                                                                632 / 493
//
// Below 1e-5 these numbers are a matter of luck under Coulomb's law: six states of the same fall took 670 to 90,000
// sweeps to 1e-6, a seventh had not come there after 200,000, and one and the same state took 1,500 to 5,700 with 25
// choices of cap, period and order of sweeps.
//
// Tried and worse: the convex law with u_n shifted by the mu |u_t| of the last round as an inner problem (the rounds do not
// contract during an impact), projected gradient steps in place of sweeps (twice as many), symmetric sweeps.
//
// The first sweeps are plain: a step that starts from the impulses of the last one is often done by then.
//
// At rest. A deep bed at rest is solved to a tolerance and no further: small penetrations are left everywhere, and a step
// solved exactly would take them all back at once. Their sum over the depth is a kick, and momentum finds it. In a
// bed of 30,000 a step that went on with momentum after 8 plain sweeps took 116 in all and raised the support by 4 %; some
// fifteen steps of 10 to 40 sweeps followed. After 32 plain ones, the residual at 1.015e-4 and half of it in 130 contacts, it
// was 153, and the next step began at 7e-3. So a step of a deep bed that begins with a residual of at most NEARLY times its
// tolerance stays with plain sweeps, PLAIN_AT_REST of them at most; 10 to 100 do as a rule.
//
// Looks. The residual that counts is that of velocities which belong to the impulses: summed anew, or carried along from
// there over at most PLAIN plain sweeps. Carried or summed, they are rounded in the last digit of the impulses
// (residuals of 1e-4 agreed in twelve digits), and a sum costs as much as the natural map. Sweeps with momentum multiply
// velocities again and again; after them, and after many plain ones, velocities are summed anew before a residual counts.
//
// A deep bed at rest needs about as many sweeps in each step: the first of them takes a third of the residual, the third
// some hundredths, and where they end is hard to guess from the rate. So a step there begins with as many as the last one
// took, or with one less if that one ended well below its tolerance (below 0.8 of it after one sweep, 0.9 after two, 0.97
// after more), and looks then: 1.3 to 1.6 looks a step in place of three or four at 10,000 to 400,000 grains, and as
// many sweeps as before. It must not always begin with as many: their number then never falls, and every sweep beyond
// the tolerance stirs what the next steps start from (5.4 a step instead of 3, with 2.6 times the energy, after 400
// steps at 400,000 grains).
//
// The few. A step near its tolerance that has made FEW_FROM sweeps may be one in which all but a few contacts are done:
// those are swept by themselves before each further sweep of all (few.c). Only sweeps of all are counted.
//
// Tried and worse for beds at rest: a burst of 8 to 32 sweeps with momentum where two or three plain ones do not do. It
// calms the bed for some steps, but what the next steps start from has been stirred (2.2 to 28 sweeps a step in the mean).
//
// Nothing proves convergence, for plain sweeps under Coulomb's law neither. What the report says is measured.
#include <math.h>

#include "granular/bed.h"

enum { PLAIN = 8, PLAIN_AT_REST = 400, NEARLY = 10, FEW_FROM = 4, PERIOD = 200, PATIENCE = 150, SWEEPS_MOST = 20000 };
_Static_assert((int)STI_BED_FEW_SWEEPS <= (int)PLAIN,
               "sweeps before the first look are plain, and its residual counts");

typedef struct pace {
    long plain;  // sweeps before those with momentum
    bool few;    // whether to look for the few contacts that hold much of the residual (few.c)
    bool swept_few;
    double cap;    // of beta
    long period;   // sweeps after which the momentum is dropped
    long age;      // sweeps since the momentum was dropped
    double best;   // smallest residual seen, in steps of a tenth
    long best_at;  // sweep
} pace;

// Whether so many sweeps are what the slow modes of a bed at rest may ask for. Their number grows with the square of the
// depth: up to 28 were seen for 10^5 grains in a vessel as wide as deep, and N^(2/3) / 50 is 43.
static bool is_slow(const sti_bed* bed, long sweeps) {
    const double s = 50.0 * (double)sweeps, n = bed->n;
    return s * s * s <= n * n;
}

static pace begin(const sti_bed* bed, double residual) {
    const bool rests = bed->n > STI_BED_DEEP && residual <= NEARLY * bed->options.tol;
    pace p = {.plain = rests ? PLAIN_AT_REST : PLAIN,
              .few = bed->n > STI_BED_DEEP,
              .cap = 0.99,
              .period = 600,
              .best = residual};
    if (bed->options.law == STI_LAW_CONE) return p;
    double mu = bed->grain[0].mu;
    for (int k = 0; k < bed->wall_count; k++) mu = fmax(mu, bed->walls[k].mu);
    p.cap = fmin(p.cap, fmax(0.5, 1 - 0.2 * mu));
    p.period = PERIOD;
    return p;
}

static double momentum(const pace* p) {
    const double beta = (double)p->age / (double)(p->age + 3);
    return beta < p->cap ? beta : p->cap;
}

// A step that outlasts the first period under Coulomb's law.
static void go_long(pace* p) {
    p->period = 240;
    if (p->cap >= 0.9) p->cap = 1 - 0.75 * (1 - p->cap);
}

static void plan_sweep(sti_passes* plan, pace* p, long sweep) {
    if (sweep < p->plain) {
        sti_passes_add(plan, STI_PASS_SWEEP, 0);
        return;
    }
    if (sweep == p->plain) sti_passes_add(plan, STI_PASS_TRAIL, 0);
    sti_passes_add(plan, STI_PASS_GLIDE, momentum(p));
    if (++p->age == p->period) {
        p->age = 0;
        if (p->period == PERIOD) go_long(p);
    }
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

static bool sweep_few(sti_bed* bed, pace* p, long sweeps, double residual) {
    if (!p->few || sweeps < FEW_FROM || sweeps >= p->plain || !(residual <= NEARLY * bed->options.tol)) return false;
    p->few = sti_bed_sweep_few(bed);
    p->swept_few = p->swept_few || p->few;
    return p->few;
}

static double residual_anew(sti_bed* bed, sti_passes* plan) {
    sti_passes_add(plan, STI_PASS_ANEW, 0);
    return sti_passes_residual(bed, plan);
}

// Sweeps before the next look at a residual that was not small enough: a guess, as a sweep of a deep bed at rest takes 10
// to 20 % of it.
static long first_wait(const sti_bed* bed, double residual) {
    const double guess = log(residual / bed->options.tol) / 0.2;
    return bed->n > STI_BED_DEEP && guess >= 2 ? (guess < 3 ? 2 : 3) : 1;
}

// Sweeps of the next step before its first look. least: of the tolerance, above which one sweep less would not have done.
static int foresee(const sti_bed* bed, long sweeps, double residual) {
    if (bed->n <= STI_BED_DEEP || sweeps == 0 || sweeps > STI_BED_FEW_SWEEPS) return 0;
    const double least = sweeps == 1 ? 0.8 : sweeps == 2 ? 0.9 : 0.97;
    return (int)(residual > least * bed->options.tol ? sweeps : sweeps - 1);
}

// The natural map costs two thirds of a sweep, so it is looked at when its decay says that it may be small enough. The one
// that counts is of velocities summed anew, or carried along over the plain sweeps since.
void sti_bed_solve_sweeps(sti_bed* bed, sti_bed_report* report) {
    const double tol = bed->options.tol;
    const long most = bed->options.max_iterations > 0 ? bed->options.max_iterations : SWEEPS_MOST;
    long sweeps = 0;
    sti_passes plan = {.count = 0};
    sti_passes_add(&plan, STI_PASS_ANEW, 0);
    for (; sweeps < bed->unseen && sweeps < most; sweeps++) sti_passes_add(&plan, STI_PASS_SWEEP, 0);
    double residual = sti_passes_residual(bed, &plan);
    bool counts = true;
    pace p = begin(bed, residual);
    long wait = first_wait(bed, residual);
    while (residual > tol && sweeps < most) {
        if (sweep_few(bed, &p, sweeps, residual)) wait = 1;
        long done = 0;
        for (; done < wait && sweeps < most; done++, sweeps++) plan_sweep(&plan, &p, sweeps);
        const double before = residual;
        residual = sti_passes_residual(bed, &plan);
        counts = sweeps <= PLAIN && !p.swept_few;
        if (residual <= tol && !counts) {
            residual = residual_anew(bed, &plan);
            counts = true;
        }
        judge(&p, sweeps, residual);
        // geometric guess of what is left, halved, at most a doubling and an eighth of the sweeps so far
        const double rate = residual < before && isfinite(before) ? log(before / residual) / (double)done : 0;
        wait = rate > 0 && residual > tol ? (long)fmin(0.5 * log(residual / tol) / rate, STI_PASSES_SWEEPS) : 8;
        if (wait > 2 * done + 2) wait = 2 * done + 2;
        if (wait > 8 + sweeps / 8) wait = 8 + sweeps / 8;
        if (wait < 1) wait = 1;
    }
    report->residual = counts ? residual : residual_anew(bed, &plan);
    report->iterations = sweeps;
    bed->unseen = foresee(bed, sweeps, residual);
    bed->calm = bed->n > STI_BED_DEEP && sweeps > 0 && is_slow(bed, sweeps);
}
