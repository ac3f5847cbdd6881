// measure.c: what a step is judged by, from positions, velocities and impulses alone.
//
// Pairs that are not in the list of the step can close in it from farther than the list looks, when they are fast
// (near.c). They are contacts of the next step, which sees how deep they are (unless it takes nothing back, and then
// its end does).
//
// Every slab leaves its sums and maxima, which are put together in the order of the slabs.
#include <math.h>

#include "granular/bed.h"

// OBJECTIVE, CONSTANT, POWER: for convex laws, see the duality gap.
enum {
    KINETIC,
    POTENTIAL,
    TOUCHING,
    NORMAL,
    OVER,
    LIFT,
    OBJECTIVE,
    CONSTANT,
    POWER,
    OVERLAP,
    DEPTH,
    WALL,
    MOMENTUM = WALL + 3,
    MEASURES = MOMENTUM + 3
};
_Static_assert(MEASURES * sizeof(double) <= sizeof((sti_bed*)0)->partial[0], "they fit");

static bool is_convex(const sti_bed* bed) {
    return bed->options.law != STI_LAW_COULOMB;
}

// Of the primal program (dual.c), and of the terms that the dual one does not have.
static void measure_objective(const sti_bed* bed, int k, double* out) {
    const double *v = bed->grain[k].v, *W = bed->grain[k].W, *v0 = bed->begin + 6 * (size_t)k, *W0 = v0 + 3;
    const double m = bed->mass[k];
    out[OBJECTIVE] += m * (0.5 * dot3(v, v) - dot3(v0, v)) + 0.4 * m * (0.5 * dot3(W, W) - dot3(W0, W));
    out[CONSTANT] += 0.5 * m * (dot3(v0, v0) + 0.4 * dot3(W0, W0));
}

static void measure_grains(const sti_bed* bed, int slab, double* out) {
    const bool convex = is_convex(bed);
    double kinetic = 0, potential = 0, momentum[3] = {0};
    for (int k = bed->slab_first[slab]; k < bed->slab_first[slab + 1]; k++) {
        const sti_grain* g = &bed->grain[k];
        const double m = bed->mass[k];
        kinetic += 0.5 * m * (dot3(g->v, g->v) + 0.4 * dot3(g->W, g->W));
        potential -= m * dot3(bed->gravity, bed->x + 3 * (size_t)k);
        for (int i = 0; i < 3; i++) momentum[i] += m * g->v[i];
        if (convex) measure_objective(bed, k, out);
    }
    out[KINETIC] = kinetic;
    out[POTENTIAL] = potential;
    for (int i = 0; i < 3; i++) out[MOMENTUM + i] = momentum[i];
}

static double slip_speed(const double u[3], const double n[3]) {
    const double un = dot3(u, n), ut2 = dot3(u, u) - un * un;
    return sqrt(ut2 > 0 ? ut2 : 0);
}

double sti_bed_lift(const sti_bed* bed, const sti_touch* t) {
    if (!is_convex(bed) || dot3(t->r, t->n) == 0) return 0;
    double u[3];
    sti_slip(&bed->grain[t->a], &bed->grain[t->b], t->n, u);
    return bed->grain[t->b].mu * slip_speed(u, t->n) * bed->options.h;
}

// Grains have one friction, walls their own: a grain's line is not fetched for it.
static void measure_contacts(const sti_bed* bed, int slab, double* out) {
    const bool convex = is_convex(bed);
    const double among_grains = bed->grain[0].mu;
    double normal = 0, over = 0, off = 0;
    int touching = 0;
    for (int k = 0; k < bed->touch_count[slab]; k++) {
        const sti_touch* t = &bed->touch[bed->touch_first[slab] + k];
        const double rn = dot3(t->r, t->n);
        const double mu = t->b < bed->n ? among_grains : bed->grain[t->b].mu;
        const double rt2 = dot3(t->r, t->r) - rn * rn, most = mu * rn + over;
        off = t->off < off ? t->off : off;
        touching += (int)(rn != 0);
        normal += rn;
        if (rt2 > most * most && sti_rough_of(bed, slab, k) == NULL) over = sqrt(rt2) - mu * rn;
        if (t->b >= bed->n) {
            for (int i = 0; i < 3; i++) out[WALL + i] += t->r[i];
        }
        if (!convex || rn == 0) continue;
        double u[3];
        sti_slip(&bed->grain[t->a], &bed->grain[t->b], t->n, u);
        out[POWER] += dot3(t->r, u) + t->off * rn;
        out[LIFT] = fmax(out[LIFT], mu * slip_speed(u, t->n) * bed->options.h);
    }
    out[TOUCHING] = touching;
    out[NORMAL] = normal;
    out[OVER] = bed->friction != NULL ? fmax(over, sti_rough_violation(bed, slab)) : over;
    out[OVERLAP] = bed->options.recover > 0 ? -off * bed->options.h / bed->options.recover : 0;
}

// Penetration at the new positions, over the pairs that were near at the old ones. Most are apart, which needs no root.
static void measure_depth(void* context, int slab, int worker) {
    (void)worker;
    sti_bed* bed = context;
    double depth = 0;
    for (int a = bed->slab_first[slab]; a < bed->slab_first[slab + 1]; a++) {
        const double* x = bed->x + 3 * (size_t)a;
        for (int64_t k = bed->near_start[a]; k < bed->near_start[a + 1]; k++) {
            const int b = bed->near[k].b;
            if (b < 0) {
                double n[3];
                depth = fmax(depth, -sti_wall_gap(&bed->walls[-1 - b], x, bed->radius[a], n));
                continue;
            }
            const double* y = bed->x + 3 * (size_t)b;
            const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]}, sum = bed->radius[a] + bed->radius[b];
            const double d2 = dot3(d, d), far = sum - depth;
            if (far > 0 && d2 < far * far) depth = sum - sqrt(d2);
        }
    }
    bed->partial[slab][DEPTH] = depth;
}

void sti_bed_measure_slab(sti_bed* bed, int slab) {
    double* out = bed->partial[slab];
    for (int i = 0; i < MEASURES; i++) out[i] = 0;
    measure_grains(bed, slab, out);
    measure_contacts(bed, slab, out);
}

// What nobody has given the grains, or taken from them: between themselves they only exchange it.
static double momentum_defect(const sti_bed* bed, const double* after, const double* walls, double g) {
    const double h = bed->options.h, mass = g > 0 ? bed->weight / g : 0, size = h * bed->weight + bed->before[3];
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = (after[i] - bed->before[i]) - (h * mass * bed->gravity[i] + walls[i]);
    return size > 0 ? sqrt(dot3(d, d)) / size : 0;
}

// The dual program is worth  r'u - objective - constant  at r.
static double duality_gap(const double* all) {
    const double dual = all[POWER] - all[OBJECTIVE] - all[CONSTANT], size = fabs(all[OBJECTIVE]) + fabs(dual);
    return size > 0 ? fabs(all[POWER]) / size : 0;
}

void sti_bed_measure(sti_bed* bed, sti_bed_report* report) {
    sti_tasks_run(bed->tasks, bed->slab_count, measure_depth, bed);
    double all[MEASURES] = {0};
    for (int s = 0; s < bed->slab_count; s++) {
        for (int i = 0; i < MEASURES; i++) {
            const bool largest = i == OVER || i == LIFT || i == OVERLAP || i == DEPTH;
            all[i] = largest ? fmax(all[i], bed->partial[s][i]) : all[i] + bed->partial[s][i];
        }
    }
    report->kinetic = all[KINETIC];
    report->potential = all[POTENTIAL];
    report->touching = (int)all[TOUCHING];
    report->cone_violation = report->touching > 0 ? all[OVER] / (all[NORMAL] / report->touching) : 0;
    report->impulses = all[NORMAL];
    report->lift = all[LIFT];
    report->objective = all[OBJECTIVE];
    report->gap = duality_gap(all);
    report->penetration = all[DEPTH];
    report->overlap = all[OVERLAP];
    const double g = sqrt(dot3(bed->gravity, bed->gravity));
    report->balance = g > 0 ? -dot3(all + WALL, bed->gravity) / g / (bed->options.h * bed->weight) : 0;
    report->momentum = momentum_defect(bed, all + MOMENTUM, all + WALL, g);
}
