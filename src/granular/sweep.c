// sweep.c: block Gauss-Seidel on the contacts of a step, in the velocities of the grains.
//
//     r_k := the solution of the one-contact problem with all other impulses held       k = 1 .. nc
//
// The diagonal block of a sphere's contact is diagonal, w diag(1, 7/2, 7/2), so the one-contact problem has a closed
// form for both laws (granular.h). The other impulses are never summed: they are in the velocities of the two grains,
// which every update corrects. A sweep reads each contact and two grains, one cache line each, and costs O(nc).
//
// Order. Slabs of even number first, then the odd ones; slabs of one parity share no grain, so any number of threads
// gives the same bits. The loops over the contacts of a slab are in lanes.h.
//
// Passes that follow each other, such as the sweeps between two looks at the residual, are run as one list. Threads
// never meet in between: a slab waits for its two neighbours alone (par/tasks.h), so it does not matter if one half of
// the bed has its work in the even slabs and the other one in the odd ones. What a thread pays for is the border of its
// share: the grains there travel from one cache to the other, twice in each sweep.
//
// Certificate. The residual is the natural map of the law (docs/granular.md), with velocities that belong to the
// impulses (accelerate.c, "Looks").
#include <string.h>

#define LANES 4
#define STI_LANES(name) name##_plain
#include "granular/lanes.h"

// The same bits in every case, so what the processor can do is no part of the answer. wide: eight lanes, where it has
// them.
const sti_loops* sti_loops_pick(bool wide) {
    static const sti_loops plain = STI_LOOPS(plain, plain);
#if defined(STI_HAVE_AVX)
    static const sti_loops avx2 = STI_LOOPS(avx2, avx2), avx512 = STI_LOOPS(avx512, avx2);
    if (wide && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512cd"))
        return &avx512;
    if (__builtin_cpu_supports("avx2")) return &avx2;
#endif
    (void)wide;
    return &plain;
}

typedef struct work {
    sti_bed* bed;
    sti_grain* grain;
    const sti_pass* pass;  // by stage
} work;

// Grains that no slab before this one touches in the same pass: its own and those of the next one that its contacts
// reach, for an even slab; what is left, for an odd one.
static void fresh_grains(const sti_bed* bed, int slab, int* first, int* end) {
    *first = slab % 2 == 0 ? bed->slab_first[slab] : bed->slab_reach[slab - 1];
    *end = slab % 2 == 0 ? bed->slab_reach[slab] : bed->slab_first[slab + 1];
}

static void begin_grains(sti_bed* bed, int first, int end) {
    for (int k = first; k < end; k++) {
        const double* begin = bed->begin + 6 * (size_t)k;
        for (int i = 0; i < 3; i++) {
            bed->grain[k].v[i] = begin[i];
            bed->grain[k].W[i] = begin[3 + i];
        }
    }
}

// Velocities follow impulses linearly, so those of r + beta (r - last r) need no sum over contacts.
static void extrapolate_grains(sti_bed* bed, int first, int end, double beta) {
    for (int k = first; k < end; k++) {
        sti_grain *g = &bed->grain[k], *last = &bed->grain_last[k];
        for (int i = 0; i < 3; i++) {
            const double v = g->v[i], W = g->W[i];
            g->v[i] = v + beta * (v - last->v[i]);
            g->W[i] = W + beta * (W - last->W[i]);
            last->v[i] = v;
            last->W[i] = W;
        }
    }
}

static void trail_slab(sti_bed* bed, int slab) {
    const int first = bed->slab_first[slab], count = bed->slab_first[slab + 1] - first;
    memcpy(bed->grain_last + first, bed->grain + first, (size_t)count * sizeof(sti_grain));
    const int64_t end = bed->touch_first[slab] + bed->touch_count[slab];
    for (int64_t k = bed->touch_first[slab]; k < end; k++) {
        for (int i = 0; i < 3; i++) bed->trail[k].r[i] = bed->touch[k].r[i];
        bed->trail[k].r[3] = 0;
    }
}

// Lines that another thread had last come one by one when a sweep asks for them, a few hundred nanoseconds each, but
// many at a time when it asks for all at once. A write brings them to stay (prefetching for writing was slower).
static void claim_grains(sti_grain* grain, int first, int end) {
    for (int k = first; k < end; k++) {
        volatile double* v = grain[k].v;
        *v = *v;
    }
}

// Grains that the neighbours had last, where these were worked on by others. Nobody works on a neighbour now.
static void claim_border(sti_bed* bed, sti_grain* grain, int slab, int worker) {
    if (bed->slab_worker[slab] != worker) bed->slab_worker[slab] = worker;
    if (slab > 0 && bed->slab_worker[slab - 1] != worker)
        claim_grains(grain, bed->slab_first[slab], bed->slab_reach[slab - 1]);
    if (slab + 1 < bed->slab_count && bed->slab_worker[slab + 1] != worker)
        claim_grains(grain, bed->slab_first[slab + 1], bed->slab_reach[slab]);
}

// Some walls have friction that is no disc; the law is Coulomb's then. False: a pass that does not ask for it.
static bool rough_pass(sti_bed* bed, const sti_pass* pass, int slab, const sti_loops* loops) {
    int first, end;
    if (pass->kind == STI_PASS_SWEEP) sti_rough_sweep(bed, slab, loops, NULL, 0);
    if (pass->kind == STI_PASS_RESIDUAL) sti_rough_map(bed, slab, loops, bed->partial[slab]);
    if (pass->kind == STI_PASS_GLIDE) {
        fresh_grains(bed, slab, &first, &end);
        extrapolate_grains(bed, first, end, pass->beta);
        sti_rough_sweep(bed, slab, loops, bed->trail + bed->touch_first[slab], pass->beta);
    }
    return pass->kind == STI_PASS_SWEEP || pass->kind == STI_PASS_RESIDUAL || pass->kind == STI_PASS_GLIDE;
}

static void pass_slab(void* context, int stage, int slab, int worker) {
    const work* w = context;
    sti_bed* bed = w->bed;
    const sti_pass pass = w->pass[stage];
    const bool coulomb = bed->options.law == STI_LAW_COULOMB;
    sti_touch* touch = bed->touch + bed->touch_first[slab];
    sti_trail* trail = bed->trail + bed->touch_first[slab];
    const int count = bed->touch_count[slab];
    const sti_loops *loops = sti_loops_pick(true), *sweeper = sti_loops_pick(count >= STI_SHORT_LIST);
    int first, end;
    fresh_grains(bed, slab, &first, &end);
    claim_border(bed, w->grain, slab, worker);
    if (bed->friction != NULL && rough_pass(bed, &pass, slab, sweeper)) return;
    switch (pass.kind) {
        case STI_PASS_SWEEP:
            (coulomb ? sweeper->sweep_coulomb : sweeper->sweep_cone)(bed->grain, touch, count);
            return;
        case STI_PASS_TRAIL:
            trail_slab(bed, slab);
            return;
        case STI_PASS_GLIDE:
            extrapolate_grains(bed, first, end, pass.beta);
            (coulomb ? loops->glide_coulomb : loops->glide_cone)(bed->grain, touch, trail, pass.beta, count);
            return;
        case STI_PASS_ANEW:
            begin_grains(bed, first, end);
            loops->push(bed->grain, touch, count);
            return;
        case STI_PASS_PUSH:
            loops->push(w->grain, touch, count);
            return;
        case STI_PASS_RESIDUAL:
            loops->map(bed->grain, touch, count, coulomb, bed->partial[slab]);
            return;
    }
}

void sti_passes_add(sti_passes* passes, sti_pass_kind kind, double beta) {
    STI_ASSERT(passes->count < (int)(sizeof passes->pass / sizeof *passes->pass));
    passes->pass[passes->count++] = (sti_pass){kind, beta};
}

static void run(sti_bed* bed, sti_grain* grain, sti_passes* passes) {
    work w = {bed, grain, passes->pass};
    sti_tasks_run_stages(bed->tasks, passes->count, bed->slab_count, pass_slab, &w);
    passes->count = 0;
}

void sti_passes_run(sti_bed* bed, sti_passes* passes) {
    run(bed, bed->grain, passes);
}

double sti_passes_residual(sti_bed* bed, sti_passes* passes) {
    sti_passes_add(passes, STI_PASS_RESIDUAL, 0);
    sti_passes_run(bed, passes);
    double map = 0, size = 0;
    for (int s = 0; s < bed->slab_count; s++) {
        map += bed->partial[s][0];
        size += bed->partial[s][1];
    }
    return map == 0 ? 0 : size > 0 ? sqrt(map / size) : INFINITY;
}

void sti_bed_push(sti_bed* bed, sti_grain* grain) {
    sti_passes passes = {.count = 0};
    sti_passes_add(&passes, STI_PASS_PUSH, 0);
    run(bed, grain, &passes);
}

void sti_bed_velocities(sti_bed* bed) {
    sti_passes passes = {.count = 0};
    sti_passes_add(&passes, STI_PASS_ANEW, 0);
    sti_passes_run(bed, &passes);
}

void sti_bed_slips(const sti_bed* bed, const sti_grain* grain, int slab, double* u) {
    sti_loops_pick(true)->slip(grain, bed->touch + bed->touch_first[slab], bed->touch_count[slab], u);
}

void sti_bed_form(const sti_bed* bed, sti_touch* touch, int count) {
    sti_loops_pick(true)->form(bed->grain, touch, count, bed->n, bed->options.h, bed->options.recover);
}
