// measure.c: what a step is judged by, from positions, velocities and impulses alone.
#include <math.h>

#include "granular/bed.h"

static void measure_grains(const sti_bed* bed, sti_bed_report* report) {
    double kinetic = 0, potential = 0;
    for (int k = 0; k < bed->n; k++) {
        const sti_grain* g = &bed->grain[k];
        kinetic += 0.5 * bed->mass[k] * (sti_dot3(g->v, g->v) + 0.4 * sti_dot3(g->W, g->W));
        potential -= bed->mass[k] * sti_dot3(bed->gravity, bed->x + 3 * (size_t)k);
    }
    report->kinetic = kinetic;
    report->potential = potential;
}

static void measure_contacts(const sti_bed* bed, sti_bed_report* report) {
    double normal = 0, worst = 0, lift = 0, walls[3] = {0};
    for (int s = 0; s < bed->slab_count; s++) {
        for (int k = 0; k < bed->touch_count[s]; k++) {
            const sti_touch* t = &bed->touch[bed->touch_first[s] + k];
            const double rn = sti_dot3(t->r, t->n);
            if (rn == 0) continue;
            report->touching++;
            normal += rn;
            const double mu = bed->grain[t->b].mu, rt2 = sti_dot3(t->r, t->r) - rn * rn;
            const double over = sqrt(rt2 > 0 ? rt2 : 0) - mu * rn;
            if (over > worst) worst = over;
            if (t->b >= bed->n) {
                for (int i = 0; i < 3; i++) walls[i] += t->r[i];
            }
            if (bed->options.law == STI_LAW_COULOMB) continue;
            double u[3];
            sti_slip(&bed->grain[t->a], &bed->grain[t->b], t->n, u);
            const double un = sti_dot3(u, t->n), ut2 = sti_dot3(u, u) - un * un;
            lift = fmax(lift, mu * sqrt(ut2 > 0 ? ut2 : 0) * bed->options.h);
        }
    }
    report->cone_violation = report->touching > 0 ? worst / (normal / report->touching) : 0;
    report->lift = lift;
    const double g = sqrt(sti_dot3(bed->gravity, bed->gravity));
    report->balance = g > 0 ? -sti_dot3(walls, bed->gravity) / g / (bed->options.h * bed->weight) : 0;
}

// Penetration at the new positions, over the pairs that were near at the old ones.
static double worst_penetration(const sti_bed* bed) {
    double worst = 0;
    for (int a = 0; a < bed->n; a++) {
        for (int64_t k = bed->near_start[a]; k < bed->near_start[a + 1]; k++) {
            const double gap = sti_bed_gap(bed, a, bed->near[k].b);
            if (-gap > worst) worst = -gap;
        }
    }
    return worst;
}

void sti_bed_measure(const sti_bed* bed, sti_bed_report* report) {
    measure_grains(bed, report);
    measure_contacts(bed, report);
    report->penetration = worst_penetration(bed);
}
