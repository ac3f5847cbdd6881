// touch.c: the contacts a step takes along: the active set A(q, eps) of S3 (2.3.6), with identities.
//
// Contacts are gathered slab by slab, each slab into its own part of one array; within a slab they stand in the order
// of the pairs. Beside each contact stands its memo, what the next step starts from; a pair knows the number of both,
// so a contact that stays takes its memo along. Of all near pairs a step reads 8 bytes each: half of them do not touch.
//
// The start. Not the last impulse r, but two filters over the last steps, m slow and d quick, for each contact that
// stays:
//
//     d = LAST d + (r - start),    m += FRESH (r - start),    start = m + LAST d
//
// Why. A step that is solved to a tolerance leaves a small velocity v in the slow modes of the bed (it sags, it sways),
// and gaps y h that are not quite closed. Sweeps take the part s of what they see of a mode, v + e + k y, where e is
// the error of the start (an impulse over the mass) and k the part of a gap that a step takes back: `recover`, 1 for an
// open one. With time in steps, s small and S = s / (1 - LAST)
//
//     v' = e - S (v + e + k y),    e' = - FRESH s (v + e + k y),    y' = v
//
// whose modes decay if and only if  S > k f / (k + f),  f = FRESH (1 - LAST)  (Routh and Hurwitz). Below that, waves
// grow until the tolerance sees them, and a step makes as many sweeps as hold them there: the number that brings s to
// the bound. A sweep's s falls with the square of the depth, so a start from the last impulse (FRESH = 1, LAST = 0), or
// from a mean alone (LAST = 0), takes more sweeps the deeper a bed at rest. A larger LAST lets the same sweeps act
// longer, but lags behind the waves when k is near 1. So both fall with `recover` (tuning.h).
//
// A smaller FRESH alone calms the waves as well, but then every contact follows its load too slowly. Methods that solve
// the whole program instead of sweeping start from the last impulse.
//
// What is kept is start and LAST d = start - m ("lead").
#include <float.h>
#include <math.h>

#include "granular/bed.h"

// Near pairs are taken in blocks: those that touch are picked, then their contacts made. Half of the pairs do not
// touch, and no processor guesses which, so neither has a branch on what a pair of grains does. Contacts and memos are
// fetched ahead: what is written there was last seen a step ago.

typedef struct picked {
    int32_t a, pair;
} picked;

// The gap that a step takes along: all + part radius + way (speed of the faster). By default what the two can close in
// the step when one of them stands still or follows the other. Those that come towards each other, or that others
// throw, may close more: missed.c looks for them.
typedef struct margin {
    double all, part, way;
} margin;

static margin margin_now(const sti_bed* bed) {
    return bed->options.eps > 0
               ? (margin){.all = bed->eps_now}
               : (margin){.all = sti_bed_fall(bed) + bed->extra, .part = bed->tuning.margin, .way = bed->options.h};
}

// Of the pairs first .. end - 1, the first of which is one of place *a or a later one, those that touch, and all with
// walls.
static int pick_pairs(sti_bed* bed, int64_t first, int64_t end, int* a, picked* out) {
    const margin eps = margin_now(bed);
    const double *x = bed->x, *radius = bed->radius, *speed = bed->speed;
    int count = 0, at = *a;
    for (int64_t k = first; k < end; k++) {
        at += k == bed->near_start[at + 1] ? 1 : 0;
        while (k == bed->near_start[at + 1]) at++;  // hardly ever: a grain without pairs
        sti_near* near = &bed->near[k];
        const bool wall = near->b < 0;
        const int b = wall ? at : near->b;
        const double *y = x + 3 * (size_t)at, *z = x + 3 * (size_t)b;
        const double d[3] = {y[0] - z[0], y[1] - z[1], y[2] - z[2]};
        const double gap = eps.all + eps.part * radius[at] + eps.way * (speed[at] > speed[b] ? speed[at] : speed[b]);
        const double far = radius[at] + radius[b] + gap;
        const int touches = (int)wall | (int)(dot3(d, d) <= far * far);
        near->touch |= touches - 1;  // -1 where they do not: in numbers, or compilers make a branch of it
        out[count] = (picked){at, (int32_t)k};
        count += touches;
    }
    *a = at;
    return count;
}

// False: the wall is too far.
static bool touch_wall(const sti_bed* bed, int a, int wall, sti_touch* t) {
    const sti_bed_options* o = &bed->options;
    const margin eps = margin_now(bed);
    const double gap = sti_wall_gap(&bed->walls[wall], bed->x + 3 * (size_t)a, bed->radius[a], t->n);
    if (!(gap <= eps.all + eps.part * bed->radius[a] + eps.way * bed->speed[a])) return false;
    t->b = bed->n + wall;
    t->off = (gap > 0 ? gap : o->recover * gap) / o->h;
    return true;
}

static void touch_grain(const sti_bed* bed, int a, int b, sti_touch* t) {
    const double *x = bed->x + 3 * (size_t)a, *y = bed->x + 3 * (size_t)b;
    t->b = b;
    t->off = bed->radius[a] + bed->radius[b];
    for (int i = 0; i < 3; i++) t->n[i] = x[i] - y[i];
}

// Contacts from `first` on, with their memos, of the pairs that were picked; how many. reach: behind the last place
// they touch. Each is made ready for sti_form_all.
static int make_contacts(sti_bed* bed, const picked* pairs, int picks, int64_t first, int* reach) {
    static const sti_memo none;
    int count = 0;
    for (int j = 0; j < picks; j++) {
        const int a = pairs[j].a;
        sti_near* near = &bed->near[pairs[j].pair];
        const sti_memo* last = near->touch >= 0 ? &bed->memo[near->touch] : &none;
        const double* r = bed->options.warm ? last->r : none.r;
        sti_touch* t = &bed->touch[first + count];
        __builtin_prefetch(t + STI_NEXT_AHEAD, 1);
        __builtin_prefetch(&bed->spare_memo[first + count + STI_NEXT_AHEAD], 1);
        __builtin_prefetch(last + STI_NEXT_AHEAD);
        near->touch = -1;
        t->a = a;
        if (near->b >= 0)
            touch_grain(bed, a, near->b, t);
        else if (!touch_wall(bed, a, -1 - near->b, t))
            continue;
        for (int i = 0; i < 3; i++) t->r[i] = r[i];
        if (near->b >= *reach) *reach = near->b + 1;
        bed->spare_memo[first + count] = *last;
        near->touch = (int32_t)(first + count++);
    }
    sti_bed_form(bed, bed->touch + first, count);
    return count;
}

static void gather_slab(void* context, int slab, int worker) {
    (void)worker;
    sti_bed* bed = context;
    int a = bed->slab_first[slab], count = 0, reach = bed->slab_first[slab + 1];
    const int64_t first = bed->near_start[a], end = bed->near_start[reach];
    picked pairs[STI_PICKS];
    for (int64_t k = first; k < end; k += STI_PICKS) {
        const int picks = pick_pairs(bed, k, k + STI_PICKS < end ? k + STI_PICKS : end, &a, pairs);
        count += make_contacts(bed, pairs, picks, first + count, &reach);
    }
    bed->touch_first[slab] = first;
    bed->touch_count[slab] = count;
    bed->slab_reach[slab] = reach;
}

// Contacts with a wall that turns get a partner of their own, which moves as the wall does there.
static sti_status attach_moving_walls(sti_bed* bed) {
    int next = bed->n + bed->wall_count;
    for (int s = 0; s < bed->slab_count; s++) {
        for (int64_t k = bed->touch_first[s]; k < bed->touch_first[s] + bed->touch_count[s]; k++) {
            sti_touch* t = &bed->touch[k];
            if (t->b < bed->n || bed->walls[t->b - bed->n].spin == 0) continue;
            const sti_wall* wall = &bed->walls[t->b - bed->n];
            const sti_status status = sti_bed_reserve_grains(bed, next + 1);
            if (status != STI_OK) return status;
            double at[3];
            for (int i = 0; i < 3; i++) at[i] = bed->x[3 * (size_t)t->a + (size_t)i] - bed->radius[t->a] * t->n[i];
            bed->grain[next] = (sti_grain){.mu = wall->mu};
            sti_wall_velocity(wall, at, bed->grain[next].v);
            t->b = next++;
        }
    }
    return STI_OK;
}

sti_status sti_bed_gather(sti_bed* bed) {
    sti_status status = sti_bed_reserve_touches(bed, bed->near_start[bed->n]);
    if (status == STI_OK) status = sti_bed_reserve_memos(bed, bed->near_start[bed->n]);
    if (status != STI_OK) return status;
    sti_tasks_run(bed->tasks, bed->slab_count, gather_slab, bed);
    sti_bed_take_memos(bed);
    bed->touches = 0;
    for (int s = 0; s < bed->slab_count; s++) bed->touches += bed->touch_count[s];
    if (bed->friction != NULL) status = sti_rough_gather(bed);
    bool moving = false;
    for (int k = 0; k < bed->wall_count; k++) moving = moving || bed->walls[k].spin != 0;
    if (moving && status == STI_OK) status = attach_moving_walls(bed);
    if (status != STI_OK) sti_bed_drop_contacts(bed);
    return status;
}

// Between its values at recover = 0 and 1.
static double at_recover(const sti_bed* bed, const double ends[2]) {
    return ends[0] + bed->options.recover * (ends[1] - ends[0]);
}

void sti_bed_keep(sti_bed* bed, int slab) {
    const sti_touch* touch = bed->touch + bed->touch_first[slab];
    sti_memo* memo = bed->memo + bed->touch_first[slab];
    const bool swept = bed->options.solver == STI_BED_GS && bed->options.law != STI_LAW_FACETS;
    const double fresh = at_recover(bed, bed->tuning.fresh), last = at_recover(bed, bed->tuning.last);
    for (int k = 0; k < bed->touch_count[slab]; k++) {
        const double *r = touch[k].r, *start = memo[k].r;
        const bool stays = swept && dot3(start, start) > DBL_MIN;
        for (int i = 0; i < 3; i++) {
            const double m = stays ? start[i] - memo[k].lead[i] : r[i];
            memo[k].lead[i] = last * (r[i] - m);  // LAST d: r - m is the old LAST d and what the step added
            memo[k].r[i] = m + (stays ? fresh * (r[i] - start[i]) : 0) + memo[k].lead[i];
        }
    }
}
