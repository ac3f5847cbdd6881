// touch.c: the contacts a step takes along: the active set A(q, eps) of S3 (2.3.6), with identities.
//
// Contacts are gathered slab by slab, each slab into its own part of one array; within a slab they stand in the order of
// the pairs. Beside each contact stands its memo, what the next step starts from; a pair knows the number of both, so a
// contact that stays takes its memo along. Of all near pairs a step reads 8 bytes each: half of them do not touch.
//
// The start. Not the last impulse r, but two filters over the last steps, m slow and d quick, for each contact that stays:
//
//     d = LAST d + (r - start),    m += FRESH (r - start),    start = m + LAST d
//
//     FRESH 0.3, LAST 0.5 up to STI_BED_DEEP grains;   0.425 - recover / 8, 0.875 - 3 recover / 8 beyond
//
// Why. A step that is solved to a tolerance leaves a small velocity v in the slow modes of the bed (it sags, it sways), and
// gaps y h that are not quite closed. Sweeps take the part s of what they see of a mode, v + e + k y, where e is the error
// of the start (an impulse over the mass) and k the part of a gap that a step takes back: `recover`, 1 for an open one.
// With time in steps, s small and S = s / (1 - LAST)
//
//     v' = e - S (v + e + k y),    e' = - FRESH s (v + e + k y),    y' = v
//
// whose modes decay if and only if  S > k f / (k + f),  f = FRESH (1 - LAST)  (Routh and Hurwitz). Below that, waves grow until
// the tolerance sees them, and a step makes as many sweeps as hold them there: the number that brings s to the bound. A
// sweep's s falls with the square of the depth, so a start from the last impulse (FRESH = 1, LAST = 0), or from a mean alone
// (LAST = 0), takes more sweeps the deeper a bed at rest. A larger LAST lets the same sweeps act longer, but lags behind
// the waves when k is near 1: with 0.7 modes grow there that decay with 0.5.
//
// What sweeps at rest are for. In beds of 10^4 to 10^5 grains at rest to a tolerance, r - start is nearly the same
// vector in step after step (cosine 0.98 to 0.997), 90 % of it normal, and it hardly moves anything: its resultants on
// the grains are 0.05 to 0.25 of it (impulses without order: 1.4). It is a self-stress. There are more contacts than
// velocities can satisfy, what is left of u_n + Phi/h is as large as Phi/h, and sweeps shift load from contacts that
// are open by a hair to those that are closed by one, presumably until one lets go. A start that falls back by 1 -
// FRESH of it moves grains again, and that is what the next step has to sweep away. So FRESH ought to be large; but
// with it waves grow.
//
// Together. The two differ in two respects. A wave that goes up and down a deep bed presses and relieves all contacts alike, and
// each of them by a little; loads shift from contact to contact, and most of a shift sits in few of them (half of |r - start|^2
// in 200 to 500 contacts of 10^4 to 10^5). So what r has grown by in common with start in each slab (large beds have upright
// slabs), by least squares, is learned by itself, and what is left of a contact is learned the more quickly the more it stands
// out among those of its slab:
//
//     g = start'(r - start) / start'start,     e = r - (1 + g) start
//     m += f(e) e + FRESH / 2 (LEARNED max(g, 0) + min(g, 0)) start,     f(e) = FRESH (1/2 + 3/2 min(1, |e|^2 / (8 mean |e|^2)))
//
// With one FRESH for all contacts, 0.4, the same states take more sweeps (200 steps): 3.5 in place of 1.9 at 30,000, 2.7 and 4.2 in
// place of 2.0 and 3.1 at 100,000, 3.5 in place of 2.6 at 400,000. At rest 8 may be 4 to 16, FRESH / 2 may be 0.1 to 0.3 and
// twice FRESH 0.7 to 0.9 with about as many; with 1.2 for a large change sweeps grow to 20. If g start is learned with f as well,
// large loads, which change most in a wave, learn it quickly, and waves last longer.
//
// A loss in common is learned as any small change. A slab whose start is too large bears too much: its loaded contacts are held
// open, two thirds of the load in contacts with a gap, and every step takes the same 0.1 to 0.5 % off again. If m does not learn it,
// sweeps grow for some hundred steps (6 to 10 at 100,000), and then the bed drops, its support down to 0.73 of the weight for
// a step. A bed whose start is too small is pressed together, which costs less: a step takes back only the part `recover` of
// it. With all of a growth learned, waves grow at 100,000 and 400,000, and with half of it in short steps too (settle
// test, h = 0.002, 12,800: 9.6 sweeps at rest). One contact in SAMPLE tells g and the mean as well as all do.
//
// In a step with more sweeps than slow waves ask for (accelerate.c), which is a bed that moves, loads do change
// together, and m learns it all with FRESH; otherwise a bed of 400 that has just landed takes 100 sweeps a step for seconds.
// Sweeps in a step, 1e-4, h = 0.01, recover = 0.2, pebble beds at rest, 6 beds over 800 steps, 4 over 400 and 3 over 300:
//
//     learned of a loss / a growth in common         10,000              30,000              100,000
//     min(0.12, 6400 / N) of both                 2.2 (1.1 to 3.6)    2.9 (1.8 to 4.0)    2.7 to 8.1, a drop
//     all / 0.12                                  1.3 (1.0 to 1.6)    2.7 (2.0 to 3.3)    2.9 (2.6 to 3.3)
//     and the more quickly what stands out        1.5 (1.4 to 1.6)    1.7 (1.6 to 1.9)    2.7 (2.4 to 3.4)
//
// Beds differ, and one bed does with time, when something gives way: judge by several. What sweeps are for there: in one bed of 100,000 a
// step has 2.9 of them; 2.4 if the fastest thousandth of the grains is stopped before each step, 2.1 for a hundredth, 2.0 for
// all; but as many as before without their smooth part, polynomials of degree 0 to 5, though in some beds it is most of
// the energy. The residual sits in few contacts, half of its square in 0.1 to 1 %, but they are not the same for long.
//
// A smaller FRESH alone calms the waves as well, but then every contact follows its load too slowly (0.1 doubles the
// sweeps). Methods that solve the whole program instead of sweeping start from the last impulse.
//
// What is kept is start and LAST d = start - m ("lead").
#include <float.h>
#include <math.h>

#include "granular/bed.h"

// Near pairs are taken in blocks: those that touch are picked, then their contacts made. Half of the pairs do not touch, and
// no processor guesses which, so neither has a branch on what a pair of grains does. In a large bed contacts and memos are
// fetched ahead: what is written there was last seen a step ago.
enum { BLOCK = 256, AHEAD = 24, LARGE = 1 << 15 };

typedef struct picked {
    int32_t a, pair;
} picked;

// The gap that a step takes along: all + part radius + way (speeds of both). By default what the two can close in the step,
// whatever the directions: a pair that is hit by others within the step is seen as well, if it is not thrown faster
// than it flew.
typedef struct margin {
    double all, part, way;
} margin;

static margin margin_now(const sti_bed* bed) {
    return bed->options.eps > 0 ? (margin){.all = bed->eps_now}
                                : (margin){.all = sti_bed_fall(bed), .part = STI_BED_MARGIN, .way = bed->options.h};
}

// Of the pairs first .. end - 1, the first of which is one of place *a or a later one, those that touch, and all with walls.
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
        const double gap = eps.all + eps.part * radius[at] + eps.way * (speed[at] + speed[b]);
        const double far = radius[at] + radius[b] + gap;
        const int touches = (int)wall | (int)(sti_dot3(d, d) <= far * far);
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

// Contacts from `first` on, with their memos, of the pairs that were picked; how many. reach: behind the last place they
// touch. Each is made ready for sti_form_all.
static int make_contacts(sti_bed* bed, const picked* pairs, int picks, int64_t first, int* reach) {
    static const sti_memo none;
    const bool large = bed->n > LARGE;
    int count = 0;
    for (int j = 0; j < picks; j++) {
        const int a = pairs[j].a;
        sti_near* near = &bed->near[pairs[j].pair];
        const sti_memo* last = near->touch >= 0 ? &bed->memo[near->touch] : &none;
        const double* r = bed->options.warm ? last->r : none.r;
        sti_touch* t = &bed->touch[first + count];
        if (large) {
            __builtin_prefetch(t + AHEAD, 1);
            __builtin_prefetch(&bed->spare_memo[first + count + AHEAD], 1);
            __builtin_prefetch(last + AHEAD);
        }
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
    picked pairs[BLOCK];
    for (int64_t k = first; k < end; k += BLOCK) {
        const int picks = pick_pairs(bed, k, k + BLOCK < end ? k + BLOCK : end, &a, pairs);
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
    bool moving = false;
    for (int k = 0; k < bed->wall_count; k++) moving = moving || bed->walls[k].spin != 0;
    status = moving ? attach_moving_walls(bed) : STI_OK;
    if (status != STI_OK) sti_bed_drop_contacts(bed);
    return status;
}

#define LEARNED 0.12    // of a growth in common, in a calm step of a deep bed; a loss is learned whole
#define LARGE_CHANGE 8  // times the mean of a slab, squared: as much as stands out

enum { SAMPLE = 4 };  // one contact in so many tells what a slab has changed by

typedef struct filters {
    double fresh, more, last;  // more: what a change that stands out adds to fresh
} filters;

static filters choose(const sti_bed* bed) {
    const double k = bed->options.recover, last = 0.875 - 0.375 * k;
    if (bed->n <= STI_BED_DEEP) return (filters){0.3, 0, 0.5};
    if (!bed->calm) return (filters){0.425 - 0.125 * k, 0, last};
    return (filters){0.2125 - 0.0625 * k, 0.6375 - 0.1875 * k, last};
}

// What the impulses of a slab have changed by since the start.
typedef struct change {
    double growth;  // the part by which all have grown alike: least squares
    double square;  // mean
} change;

static change measure_change(const sti_touch* touch, const sti_memo* memo, int count) {
    double size = 0, both = 0, square = 0;
    for (int k = 0; k < count; k += SAMPLE) {
        const double *r = touch[k].r, *start = memo[k].r;
        const double e[3] = {r[0] - start[0], r[1] - start[1], r[2] - start[2]};
        size += sti_dot3(start, start);
        both += sti_dot3(start, e);
        square += sti_dot3(e, e);
    }
    const double growth = size > 0 ? both / size : 0;
    return (change){growth, count > 0 ? (square - growth * both) * SAMPLE / count : 0};
}

void sti_bed_keep(sti_bed* bed, int slab) {
    const sti_touch* touch = bed->touch + bed->touch_first[slab];
    sti_memo* memo = bed->memo + bed->touch_first[slab];
    const int count = bed->touch_count[slab];
    const bool swept = bed->options.solver == STI_BED_GS && bed->options.law != STI_LAW_FACETS;
    const filters f = choose(bed);
    const change all = swept && bed->calm ? measure_change(touch, memo, count) : (change){0, 0};
    const double g = all.growth, common = f.fresh * (g > 0 ? LEARNED * g : g);
    const double slope = f.more / fmax(LARGE_CHANGE * all.square, DBL_MIN);
    for (int k = 0; k < count; k++) {
        const double *r = touch[k].r, *start = memo[k].r;
        const double e[3] = {r[0] - (1 + g) * start[0], r[1] - (1 + g) * start[1], r[2] - (1 + g) * start[2]};
        const double more = slope * sti_dot3(e, e), fresh = f.fresh + (more < f.more ? more : f.more);
        const bool stays = swept && sti_dot3(start, start) > DBL_MIN;
        for (int i = 0; i < 3; i++) {
            const double m = stays ? start[i] - memo[k].lead[i] : r[i];
            memo[k].lead[i] = f.last * (r[i] - m);  // LAST d: r - m is the old LAST d and what the step added
            memo[k].r[i] = m + (stays ? fresh * e[i] + common * start[i] : 0) + memo[k].lead[i];
        }
    }
}
