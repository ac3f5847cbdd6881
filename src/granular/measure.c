// measure.c: what a step is judged by, from positions, velocities and impulses alone.
//
// Every slab leaves its sums and maxima, which are put together in the order of the slabs.
#include <math.h>

#include "granular/bed.h"

enum { KINETIC, POTENTIAL, TOUCHING, NORMAL, OVER, LIFT, WALL, DEPTH = WALL + 3, MEASURES };

static void measure_grains(const sti_bed* bed, int slab, double* out) {
    for (int k = bed->slab_first[slab]; k < bed->slab_first[slab + 1]; k++) {
        const sti_grain* g = &bed->grain[k];
        out[KINETIC] += 0.5 * bed->mass[k] * (sti_dot3(g->v, g->v) + 0.4 * sti_dot3(g->W, g->W));
        out[POTENTIAL] -= bed->mass[k] * sti_dot3(bed->gravity, bed->x + 3 * (size_t)k);
    }
}

// Grains have one friction, walls their own: a grain's line is not fetched for it.
static void measure_contacts(const sti_bed* bed, int slab, double* out) {
    const double among_grains = bed->grain[0].mu;
    double normal = 0, over = 0;
    int touching = 0;
    for (int k = 0; k < bed->touch_count[slab]; k++) {
        const sti_touch* t = &bed->touch[bed->touch_first[slab] + k];
        const double rn = sti_dot3(t->r, t->n);
        const double mu = t->b < bed->n ? among_grains : bed->grain[t->b].mu;
        const double rt2 = sti_dot3(t->r, t->r) - rn * rn, most = mu * rn + over;
        touching += (int)(rn != 0);
        normal += rn;
        if (rt2 > most * most) over = sqrt(rt2) - mu * rn;
        if (t->b >= bed->n) {
            for (int i = 0; i < 3; i++) out[WALL + i] += t->r[i];
        }
        if (bed->options.law == STI_LAW_COULOMB || rn == 0) continue;
        double u[3];
        sti_slip(&bed->grain[t->a], &bed->grain[t->b], t->n, u);
        const double un = sti_dot3(u, t->n), ut2 = sti_dot3(u, u) - un * un;
        out[LIFT] = fmax(out[LIFT], mu * sqrt(ut2 > 0 ? ut2 : 0) * bed->options.h);
    }
    out[TOUCHING] = touching;
    out[NORMAL] = normal;
    out[OVER] = over;
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
            const double d2 = sti_dot3(d, d), far = sum - depth;
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

void sti_bed_measure(sti_bed* bed, sti_bed_report* report) {
    sti_tasks_run(bed->tasks, bed->slab_count, measure_depth, bed);
    double all[MEASURES] = {0};
    for (int s = 0; s < bed->slab_count; s++) {
        for (int i = 0; i < MEASURES; i++) {
            const bool largest = i == OVER || i == LIFT || i == DEPTH;
            all[i] = largest ? fmax(all[i], bed->partial[s][i]) : all[i] + bed->partial[s][i];
        }
    }
    report->kinetic = all[KINETIC];
    report->potential = all[POTENTIAL];
    report->touching = (int)all[TOUCHING];
    report->cone_violation = report->touching > 0 ? all[OVER] / (all[NORMAL] / report->touching) : 0;
    report->lift = all[LIFT];
    report->penetration = all[DEPTH];
    const double g = sqrt(sti_dot3(bed->gravity, bed->gravity));
    report->balance = g > 0 ? -sti_dot3(all + WALL, bed->gravity) / g / (bed->options.h * bed->weight) : 0;
}
