// sweep.c: block Gauss-Seidel on the contacts of a step, in the velocities of the grains.
//
//     r_k := the solution of the one-contact problem with all other impulses held       k = 1 .. nc
//
// The diagonal block of a sphere's contact is diagonal, w diag(1, 7/2, 7/2), so the one-contact problem has a closed
// form for both laws (granular.h). The other impulses are never summed: they are in the velocities of the two grains,
// which every update corrects. A sweep reads each contact and two grains, one cache line each, and costs O(nc).
//
// Order. Slabs of even number first, then the odd ones; slabs of one parity share no grain, so any number of threads gives
// the same bits. The loops over the contacts of a slab are in lanes.h.
//
// Certificate. The residual is the natural map of the law (docs/granular.md), computed from velocities that were summed
// anew from the impulses.
#include <string.h>

#define STI_LANES(name) name##_plain
#include "granular/lanes.h"

typedef struct kernels {
    void (*coulomb)(sti_grain* grain, sti_touch* touch, int count);
    void (*cone)(sti_grain* grain, sti_touch* touch, int count);
    void (*glide_coulomb)(sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count);
    void (*glide_cone)(sti_grain* grain, sti_touch* touch, sti_trail* trail, double beta, int count);
    void (*push)(sti_grain* grain, const sti_touch* touch, int count);
    void (*slip)(const sti_grain* grain, const sti_touch* touch, int count, double* u);
    void (*map)(const sti_grain* grain, const sti_touch* touch, int count, bool coulomb, double out[2]);
} kernels;

// The same bits either way, so what the processor can do is no part of the answer.
static const kernels* pick(void) {
    static const kernels plain = {sti_sweep_coulomb_plain, sti_sweep_cone_plain, sti_glide_coulomb_plain,
                                  sti_glide_cone_plain,    sti_push_all_plain,   sti_slip_all_plain,
                                  sti_map_all_plain};
#if defined(STI_HAVE_AVX2)
    static const kernels avx2 = {sti_sweep_coulomb_avx2, sti_sweep_cone_avx2, sti_glide_coulomb_avx2,
                                 sti_glide_cone_avx2,    sti_push_all_avx2,   sti_slip_all_avx2,
                                 sti_map_all_avx2};
    if (__builtin_cpu_supports("avx2")) return &avx2;
#endif
    return &plain;
}

typedef struct work {
    sti_bed* bed;
    sti_grain* grain;
    const kernels* kernel;
    int parity;
    double beta;
} work;

static void sweep_slab(void* context, int item, int worker) {
    (void)worker;
    const work* w = context;
    sti_bed* bed = w->bed;
    const int slab = 2 * item + w->parity;
    sti_touch* touch = bed->touch + bed->touch_first[slab];
    if (bed->options.law == STI_LAW_COULOMB) {
        w->kernel->coulomb(w->grain, touch, bed->touch_count[slab]);
    } else {
        w->kernel->cone(w->grain, touch, bed->touch_count[slab]);
    }
}

static void glide_slab(void* context, int item, int worker) {
    (void)worker;
    const work* w = context;
    sti_bed* bed = w->bed;
    const int slab = 2 * item + w->parity;
    const int64_t first = bed->touch_first[slab];
    const bool coulomb = bed->options.law == STI_LAW_COULOMB;
    (coulomb ? w->kernel->glide_coulomb : w->kernel->glide_cone)(w->grain, bed->touch + first, bed->trail + first,
                                                                 w->beta, bed->touch_count[slab]);
}

static void push_slab(void* context, int item, int worker) {
    (void)worker;
    const work* w = context;
    const int slab = 2 * item + w->parity;
    w->kernel->push(w->grain, w->bed->touch + w->bed->touch_first[slab], w->bed->touch_count[slab]);
}

// Even slabs, then odd ones.
static void both(sti_bed* bed, sti_grain* grain, double beta, sti_task_work* slab) {
    for (int parity = 0; parity < 2; parity++) {
        work w = {bed, grain, pick(), parity, beta};
        sti_tasks_run(bed->tasks, (bed->slab_count + 1 - parity) / 2, slab, &w);
    }
}

static void begin_slab(void* context, int slab, int worker) {
    (void)worker;
    sti_bed* bed = context;
    for (int k = bed->slab_first[slab]; k < bed->slab_first[slab + 1]; k++) {
        const double* begin = bed->begin + 6 * (size_t)k;
        for (int i = 0; i < 3; i++) {
            bed->grain[k].v[i] = begin[i];
            bed->grain[k].W[i] = begin[3 + i];
        }
    }
}

void sti_bed_push(sti_bed* bed, sti_grain* grain) {
    both(bed, grain, 0, push_slab);
}

void sti_bed_velocities(sti_bed* bed) {
    sti_tasks_run(bed->tasks, bed->slab_count, begin_slab, bed);
    sti_bed_push(bed, bed->grain);
}

void sti_bed_slips(const sti_bed* bed, const sti_grain* grain, int slab, double* u) {
    pick()->slip(grain, bed->touch + bed->touch_first[slab], bed->touch_count[slab], u);
}

static void residual_slab(void* context, int slab, int worker) {
    (void)worker;
    const work* w = context;
    sti_bed* bed = w->bed;
    w->kernel->map(bed->grain, bed->touch + bed->touch_first[slab], bed->touch_count[slab],
                   bed->options.law == STI_LAW_COULOMB, bed->partial[slab]);
}

double sti_bed_residual(sti_bed* bed) {
    work w = {bed, bed->grain, pick(), 0, 0};
    sti_tasks_run(bed->tasks, bed->slab_count, residual_slab, &w);
    double map = 0, size = 0;
    for (int s = 0; s < bed->slab_count; s++) {
        map += bed->partial[s][0];
        size += bed->partial[s][1];
    }
    return map == 0 ? 0 : size > 0 ? sqrt(map / size) : INFINITY;
}

void sti_bed_sweep(sti_bed* bed) {
    both(bed, bed->grain, 0, sweep_slab);
}

static void trail_slab(void* context, int slab, int worker) {
    (void)worker;
    sti_bed* bed = context;
    const int first = bed->slab_first[slab], count = bed->slab_first[slab + 1] - first;
    memcpy(bed->grain_last + first, bed->grain + first, (size_t)count * sizeof(sti_grain));
    const int64_t end = bed->touch_first[slab] + bed->touch_count[slab];
    for (int64_t k = bed->touch_first[slab]; k < end; k++) {
        for (int i = 0; i < 3; i++) bed->trail[k].r[i] = bed->touch[k].r[i];
        bed->trail[k].r[3] = 0;
    }
}

void sti_bed_trail(sti_bed* bed) {
    sti_tasks_run(bed->tasks, bed->slab_count, trail_slab, bed);
}

// Velocities follow impulses linearly, so those of r + beta (r - last r) need no sum over contacts.
static void extrapolate_slab(void* context, int slab, int worker) {
    (void)worker;
    const work* w = context;
    for (int k = w->bed->slab_first[slab]; k < w->bed->slab_first[slab + 1]; k++) {
        sti_grain *g = &w->bed->grain[k], *last = &w->bed->grain_last[k];
        for (int i = 0; i < 3; i++) {
            const double v = g->v[i], W = g->W[i];
            g->v[i] = v + w->beta * (v - last->v[i]);
            g->W[i] = W + w->beta * (W - last->W[i]);
            last->v[i] = v;
            last->W[i] = W;
        }
    }
}

void sti_bed_glide(sti_bed* bed, double beta) {
    work w = {bed, bed->grain, pick(), 0, beta};
    sti_tasks_run(bed->tasks, bed->slab_count, extrapolate_slab, &w);
    both(bed, bed->grain, beta, glide_slab);
}
