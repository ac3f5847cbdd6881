// missed.c: was the active range wide enough? A step takes along the pairs that one of the two can close, at the speed
// it begins with (touch.c). Of the pairs it left out it is asked afterwards whether they overlap at its end. If none
// does, its answer is one of the problem with all pairs: where a pair that is left out gets no impulse and does not
// overlap, impulse and gap are complementary. A range that is too narrow cannot go unseen so, and one that is wider
// changes nothing but the cost; no constant is chosen.
//
// A pair that was left out has a gap beyond  T = h max(|v_a|, |v_b|) + what the range has beyond that,  and overlaps at
// the end only if  h |v+_a| + h |v+_b| > T.  So one of the two goes farther than half of T, and than half of what T is
// with its own speed: grains that do are called swift, and only near pairs with one of them are looked at. A swift
// grain that left the room in which the list knows it is held against all grains around. A step that left something
// out by more than `missed` (tuning.h) is made anew, with what it missed in its range.
#include "granular/bed.h"
#include "granular/near.h"

enum { SWIFT, BEYOND, NEED };  // of partial

// Places at the end of the step.
static void end_of(const sti_bed* bed, int a, double x[3]) {
    for (int i = 0; i < 3; i++) x[i] = bed->x[3 * (size_t)a + (size_t)i] + bed->options.h * bed->grain[a].v[i];
}

// How far the grain is there from where the list of near pairs knows it.
static double beyond_room(const sti_bed* bed, int a) {
    const double* home = bed->home + 4 * (size_t)a;
    double d[3];
    end_of(bed, a, d);
    for (int i = 0; i < 3; i++) d[i] -= home[i];
    return sqrt(dot3(d, d)) - fabs(home[3]);
}

static void look_slab(void* context, int slab, int worker) {
    (void)worker;
    sti_bed* bed = context;
    const double h = bed->options.h, all = sti_bed_fall(bed) + bed->extra + bed->tuning.margin * bed->smallest;
    double swift = 0, beyond = 0;
    for (int a = bed->slab_first[slab]; a < bed->slab_first[slab + 1]; a++) {
        const double most = (h * bed->speed[a] + all) / 2, *v = bed->grain[a].v;
        bed->swift[a] = h * h * dot3(v, v) > most * most;
        if (!bed->swift[a]) continue;
        swift++;
        beyond = fmax(beyond, beyond_room(bed, a));
    }
    bed->partial[slab][SWIFT] = swift;
    bed->partial[slab][BEYOND] = beyond;
}

// How much wider the range has to be for this pair; 0: it does not overlap.
static double need_of(const sti_bed* bed, int a, int b) {
    const double missed = bed->tuning.missed * bed->smallest, *x = bed->x + 3 * (size_t)a;
    double end[3], other[3], n[3], gap;
    double speed = bed->speed[a], radius = bed->radius[a];  // of the first place
    end_of(bed, a, end);
    if (b < 0) {
        const sti_wall* wall = &bed->walls[-1 - b];
        if (sti_wall_gap(wall, end, bed->radius[a], n) >= -missed) return 0;
        gap = sti_wall_gap(wall, x, bed->radius[a], n);
    } else {
        const double *y = bed->x + 3 * (size_t)b, sum = bed->radius[a] + bed->radius[b];
        end_of(bed, b, other);
        for (int i = 0; i < 3; i++) n[i] = end[i] - other[i];
        if (dot3(n, n) >= (sum - missed) * (sum - missed)) return 0;
        for (int i = 0; i < 3; i++) n[i] = x[i] - y[i];
        gap = sqrt(dot3(n, n)) - sum;
        speed = fmax(speed, bed->speed[b]);
        if (b < a) radius = bed->radius[b];
    }
    const double taken = sti_bed_fall(bed) + bed->extra + bed->tuning.margin * radius + bed->options.h * speed;
    return gap > taken ? gap - taken : 0;
}

static void ask_slab(void* context, int slab, int worker) {
    (void)worker;
    sti_bed* bed = context;
    double need = 0;
    for (int a = bed->slab_first[slab]; a < bed->slab_first[slab + 1]; a++) {
        for (int64_t k = bed->near_start[a]; k < bed->near_start[a + 1]; k++) {
            const sti_near* near = &bed->near[k];
            if (near->touch >= 0 || !(bed->swift[a] || (near->b >= 0 && bed->swift[near->b]))) continue;
            need = fmax(need, need_of(bed, a, near->b));
        }
    }
    bed->partial[slab][NEED] = need;
}

typedef struct asked {
    const sti_bed* bed;
    int a;
    double need;
} asked;

static void ask(void* context, int b) {
    asked* k = context;
    if (b != k->a) k->need = fmax(k->need, need_of(k->bed, k->a, b));
}

// Grains that left their rooms, with all that the cells have around them.
static double ask_beyond(const sti_bed* bed, double most) {
    asked k = {.bed = bed};
    for (k.a = 0; k.a < bed->n; k.a++) {
        if (!bed->swift[k.a] || !(beyond_room(bed, k.a) > 0)) continue;
        double end[3];
        end_of(bed, k.a, end);
        sti_bed_visit(bed, end, bed->radius[k.a] + bed->largest + bed->room_most + most, ask, &k);
        for (int wall = 0; wall < bed->wall_count; wall++) k.need = fmax(k.need, need_of(bed, k.a, -1 - wall));
    }
    return k.need;
}

double sti_bed_missed(sti_bed* bed) {
    double swift = 0, need = 0, beyond = 0;
    if (bed->options.eps > 0) return 0;  // the caller's range
    sti_tasks_run(bed->tasks, bed->slab_count, look_slab, bed);
    for (int s = 0; s < bed->slab_count; s++) {
        swift += bed->partial[s][SWIFT];
        beyond = fmax(beyond, bed->partial[s][BEYOND]);
    }
    if (swift == 0) return 0;
    sti_tasks_run(bed->tasks, bed->slab_count, ask_slab, bed);
    for (int s = 0; s < bed->slab_count; s++) need = fmax(need, bed->partial[s][NEED]);
    return beyond > 0 ? fmax(need, ask_beyond(bed, beyond)) : need;
}

void sti_bed_take_back(sti_bed* bed) {
    for (int k = 0; k < bed->n; k++) {
        const double* begin = bed->begin + 6 * (size_t)k;
        for (int i = 0; i < 3; i++) {
            bed->grain[k].v[i] = begin[i] - bed->options.h * bed->gravity[i];
            bed->grain[k].W[i] = begin[3 + i];
        }
    }
}
