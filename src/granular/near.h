// near.h: what the list of near pairs, the cells and a saved state know of each other.
#ifndef STI_GRANULAR_NEAR_H
#define STI_GRANULAR_NEAR_H

#include <math.h>

#include "granular/bed.h"

// Gaps that are taken along whatever the speeds, beyond the shares of the two grains.
static inline double sti_bed_margin(const sti_bed* bed) {
    return bed->options.eps > 0 ? 0 : bed->tuning.margin * bed->largest + sti_bed_fall(bed) + bed->extra;
}

// A grain's share of the gap up to which a step takes a pair along (touch.c). One gap for all: half of it.
static inline double sti_bed_share(const sti_bed* bed, double speed) {
    return bed->options.eps > 0 ? 0.5 * bed->eps_now : bed->options.h * speed;
}

static inline int sti_bed_stray_most(const sti_tuning* t, int n) {
    return 16 + (n / t->stray_share < t->stray_most ? n / t->stray_share : t->stray_most);
}

// cells.c
int sti_cells_slot(const sti_cells* cells, int i, double x);  // along the axis cells->axis[i]
int sti_cells_of(const sti_cells* cells, const double* x);

// What sorting leaves: grains are in their new places.
typedef struct sti_sorted {
    int* old_place;  // of a new one                                      (n)
    int* far;        // last partner in the list, or the place itself    (n)
    int64_t* work;   // of a place, one place on, in units of a pair        (n+1)
    uint64_t* hits;  // which of the places that were asked are near       (n)
} sti_sorted;

sti_status sti_cells_sort(sti_bed* bed, double width, sti_sorted* out);  // cells at least as wide; any slabs
void sti_sorted_clear(sti_env* env, sti_sorted* sorted);
void sti_cells_cut(sti_bed* bed, sti_sorted* sorted);  // slabs, from far and work
sti_status sti_cells_restore(sti_bed* bed);  // `start` from homes; grid as it was. STI_ERR_INPUT: not in order

// All grains whose homes are within reach of x, and more.
void sti_bed_visit(const sti_bed* bed, const double x[3], double reach, void (*visit)(void* context, int b),
                   void* context);

#endif
