// few.c: sweeps where the residual sits.
//
// When something gives way in a large bed at rest, a few grains slip, and the rest waits: in a bed of 30,000 the residual stood
// 4 % above the tolerance from the 14th sweep to the 32nd, half of its square in 40 of 86,000 contacts, some twenty grains side
// by side, whose impulses fell by the same hundredths in every sweep until they slid. Such steps took up to 99 whole sweeps and
// came twenty in a row.
//
//     hot grains:     those of a contact whose natural map is STANDS_OUT times the mean of all, squared
//     few contacts:   all contacts of hot grains
//
// The few are swept SWEEPS times, all other impulses held, which costs less than one sweep of the bed as long as they are no
// more than a PART of all; then all are swept again (accelerate.c). Where hot contacts hold less than SHARE of the residual, or
// the few are many, nothing is done.
//
//     sweeps in a step, 200 steps in which something gave way      without      with the few, and their time
//     30,000 grains                                                   5.8         3.3, 0.74 of the time of the solves
//     100,000 grains                                                  3.8         2.3, 0.73
//
// In steps where nothing does, there is nothing to find, and a step of few sweeps does not look for it. STANDS_OUT 30 and 300 have
// 4.7 sweeps where 100 has 3.0, 100 sweeps of the few do no more than 32, 16 less, and it does not help to begin before the fourth
// whole sweep. With a SHARE of 0.2 to 0.3 the few are sought in steps whose residual is spread, which costs time and stirs the bed.
//
// The same bits for any number of threads: marks are set and contacts picked slab by slab, the few are swept by one.
#include <stdint.h>

#include "granular/bed.h"

enum { SWEEPS = 24, BLOCK = 64, PART = 64, PICKS = 8 };  // PICKS: room in a slab, for each of its grains
#define STANDS_OUT 100
#define SHARE 0.4

// In the scratch of a bed, a line for each grain.
typedef struct room {
    int32_t* picked;  // contacts by slab, counted from its first one; what does not fit is left out       (n x PICKS)
    uint8_t* hot;     // (n)
    sti_touch* few;   // on a line                                                                         (most)
    int64_t most;
} room;

static room divide(const sti_bed* bed) {
    const size_t n = (size_t)bed->n, before = n * (PICKS * sizeof(int32_t) + 1);
    char* p = bed->scratch;
    room r = {.picked = bed->scratch, .hot = (uint8_t*)p + n * PICKS * sizeof(int32_t)};
    p += before;
    p += -(uintptr_t)p & (sizeof(sti_touch) - 1);
    r.few = (sti_touch*)p;
    r.most = (int64_t)(n / 4);
    return r;
}
_Static_assert(PICKS * sizeof(int32_t) + 1 + sizeof(sti_touch) / 4 < sizeof(sti_grain), "it fits with a line to spare");

static bool is_hot(const sti_bed* bed, const uint8_t* hot, const sti_touch* t) {
    return hot[t->a] != 0 || (t->b < bed->n && hot[t->b] != 0);
}

void sti_bed_heat_slab(sti_bed* bed, int slab, int first, int end, double limit) {
    const sti_loops* loops = sti_loops_pick(true);
    const bool coulomb = bed->options.law == STI_LAW_COULOMB;
    uint8_t* hot = divide(bed).hot;
    for (int k = first; k < end; k++) hot[k] = 0;
    const sti_touch* touch = bed->touch + bed->touch_first[slab];
    double sum = 0, map[2];
    for (int k = 0; k < bed->touch_count[slab]; k += BLOCK) {
        const int count = bed->touch_count[slab] - k < BLOCK ? bed->touch_count[slab] - k : BLOCK;
        loops->map(bed->grain, touch + k, count, coulomb, map);
        if (!(map[0] >= limit)) continue;
        for (const sti_touch* t = touch + k; t < touch + k + count; t++) {
            loops->map(bed->grain, t, 1, coulomb, map);
            if (!(map[0] >= limit)) continue;
            sum += map[0];
            hot[t->a] = 1;
            if (t->b < bed->n) hot[t->b] = 1;
        }
    }
    bed->partial[slab][0] = sum;
}

void sti_bed_pick_slab(sti_bed* bed, int slab) {
    const room r = divide(bed);
    const int most = PICKS * (bed->slab_first[slab + 1] - bed->slab_first[slab]);
    int32_t* picked = r.picked + (size_t)PICKS * (size_t)bed->slab_first[slab];
    const sti_touch* touch = bed->touch + bed->touch_first[slab];
    int count = 0;
    for (int k = 0; k < bed->touch_count[slab] && count < most; k++) {
        if (is_hot(bed, r.hot, touch + k)) picked[count++] = k;
    }
    bed->partial[slab][1] = count;
}

// Hands every contact that was picked to or from the few.
static int copy_few(sti_bed* bed, const room* r, bool back) {
    int at = 0;
    for (int s = 0; s < bed->slab_count; s++) {
        const int32_t* picked = r->picked + (size_t)PICKS * (size_t)bed->slab_first[s];
        for (int k = 0; k < (int)bed->partial[s][1]; k++, at++) {
            sti_touch* t = &bed->touch[bed->touch_first[s] + picked[k]];
            if (back)
                *t = r->few[at];
            else
                r->few[at] = *t;
        }
    }
    return at;
}

bool sti_bed_sweep_few(sti_bed* bed) {
    double all = 0, hot = 0, count = 0;
    for (int s = 0; s < bed->slab_count; s++) all += bed->partial[s][0];
    sti_passes plan = {.count = 0};
    sti_passes_add(&plan, STI_PASS_HEAT, STANDS_OUT * all / bed->touches);
    sti_passes_add(&plan, STI_PASS_PICK, 0);
    sti_passes_run(bed, &plan);
    for (int s = 0; s < bed->slab_count; s++) {
        hot += bed->partial[s][0];
        count += bed->partial[s][1];
    }
    const room r = divide(bed);
    if (!(hot >= SHARE * all) || count * PART > bed->touches || count > (double)r.most) return false;
    const int few = copy_few(bed, &r, false);
    const sti_loops* loops = sti_loops_pick(false);
    const bool coulomb = bed->options.law == STI_LAW_COULOMB;
    for (int k = 0; k < SWEEPS; k++) (coulomb ? loops->sweep_coulomb : loops->sweep_cone)(bed->grain, r.few, few);
    copy_few(bed, &r, true);
    return true;
}
