// cells.c: grains in the order of cells, and slabs of them, in O(n).
//
// Grains are sorted into cells at least as wide as the largest pair that matters, cells ordered along one axis, then
// the next, and last along the longest side of the bed across gravity (of a narrow one, the longest of all). The grains
// themselves are moved into that order, so neighbours in space are neighbours in memory, and a range of places is a
// slice across the bed with a small border.
//
// Slabs are cut at equal work, anywhere between two places, as many as there can be without a pair that reaches beyond
// the next slab. Threads have equal shares of them, so their number is even.
#include <math.h>
#include <string.h>

#include "granular/near.h"

int sti_cells_slot(const sti_cells* g, int i, double x) {
    const double s = (x - g->low[i]) / g->width;
    const int top = g->count[i] - 1;
    return !(s > 0) ? 0 : s >= top ? top : (int)s;
}

int sti_cells_of(const sti_cells* g, const double* x) {
    const int i = sti_cells_slot(g, 0, x[g->axis[0]]), j = sti_cells_slot(g, 1, x[g->axis[1]]);
    return (i * g->count[1] + j) * g->count[2] + sti_cells_slot(g, 2, x[g->axis[2]]);
}

// The axis across which slabs are cut. Slabs above each other hand a load down one slab in a sweep, so it is the
// longest axis across gravity where the bed is wide enough to have as many slabs there as threads want, and the longest
// of all in a narrow one.
static int last_axis(const sti_bed* bed, const double low[3], const double high[3], double width) {
    const double* pull = bed->gravity;
    int down = 0, longest = 0, across = -1;
    for (int i = 1; i < 3; i++) {
        if (fabs(pull[i]) > fabs(pull[down])) down = i;
        if (high[i] - low[i] > high[longest] - low[longest]) longest = i;
    }
    for (int i = 0; i < 3; i++) {
        if ((i != down || pull[i] == 0) && (across < 0 || high[i] - low[i] > high[across] - low[across])) across = i;
    }
    return (high[across] - low[across]) / width >= bed->tuning.upright ? across : longest;
}

// The box of the grains, cut into cells of at least `width`; at most a few cells for each grain, however far they fly.
static void measure(const sti_bed* bed, double width, sti_cells* g) {
    double low[3], high[3], side[3];
    for (int i = 0; i < 3; i++) low[i] = high[i] = bed->x[i];
    for (int k = 0; k < bed->n; k++) {
        for (int i = 0; i < 3; i++) {
            const double x = bed->x[3 * (size_t)k + (size_t)i];
            if (x < low[i]) low[i] = x;
            if (x > high[i]) high[i] = x;
        }
    }
    const int last = last_axis(bed, low, high, width);
    for (int i = 0; i < 3; i++) {
        g->axis[i] = (last + i) % 3;
        g->low[i] = low[g->axis[i]];
        side[i] = high[g->axis[i]] - g->low[i];
    }
    const double most = 4.0 * bed->n + 64;
    for (g->width = width;; g->width *= 1.25) {
        double cells = 1;
        for (int i = 0; i < 3; i++) cells *= floor(side[i] / g->width) + 1;
        if (cells <= most) break;
    }
    g->cells = 1;
    for (int i = 0; i < 3; i++) {
        g->count[i] = (int)floor(side[i] / g->width) + 1;
        g->cells *= g->count[i];
    }
}

// Room for the first places of so many cells.
static sti_status reserve_cells(sti_bed* bed, int64_t cells) {
    if (cells < bed->cell_capacity) return STI_OK;
    const int64_t capacity = cells + cells / 8 + 64;
    int* start = sti_alloc_array(bed->env, (size_t)capacity, sizeof *start);
    if (start == NULL) return STI_ERR_MEMORY;
    sti_free(bed->env, bed->cell_start);
    bed->cell_start = start;
    bed->cell_capacity = capacity;
    return STI_OK;
}

static void sort(sti_bed* bed, int* cell, int* order) {
    const sti_cells* g = &bed->cells;
    int* start = bed->cell_start;
    memset(start, 0, (size_t)(g->cells + 1) * sizeof *start);
    for (int k = 0; k < bed->n; k++) {
        cell[k] = sti_cells_of(g, bed->x + 3 * (size_t)k);
        start[cell[k] + 1]++;
    }
    for (int64_t c = 0; c < g->cells; c++) start[c + 1] += start[c];
    for (int k = 0; k < bed->n; k++) order[start[cell[k]]++] = k;
    for (int64_t c = g->cells; c > 0; c--) start[c] = start[c - 1];
    start[0] = 0;
}

// Items of `size` bytes into a new order, through the scratch memory of the bed.
static void reorder(const sti_bed* bed, const int* order, void* items, size_t size) {
    char* to = items;
    const char* from = bed->scratch;
    memcpy(bed->scratch, items, (size_t)bed->n * size);
    for (int k = 0; k < bed->n; k++) memcpy(to + (size_t)k * size, from + (size_t)order[k] * size, size);
}

// Grains into the order of their cells.
static void move_grains(sti_bed* bed, const int* order) {
    reorder(bed, order, bed->id, sizeof *bed->id);
    reorder(bed, order, bed->x, 3 * sizeof *bed->x);
    reorder(bed, order, bed->radius, sizeof *bed->radius);
    reorder(bed, order, bed->mass, sizeof *bed->mass);
    reorder(bed, order, bed->grain, sizeof *bed->grain);
    for (int k = 0; k < bed->n; k++) bed->place[bed->id[k]] = k;
}

// Cuts at equal work; true: no pair reaches farther than into the next slab. far: last partner of this place or one
// before.
static bool cut(sti_bed* bed, const int64_t* work, const int* far, int count) {
    const int64_t all = work[bed->n];
    bed->slab_count = count;
    bed->slab_first[0] = 0;
    for (int s = 1; s <= count; s++) {
        int low = bed->slab_first[s - 1],
            high = bed->n;  // the first place with at least s / count of the work before it
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (work[middle] * count >= all * s)
                high = middle;
            else
                low = middle + 1;
        }
        bed->slab_first[s] = high;
    }
    for (int s = 0; s + 2 < count; s++) {
        const int end = bed->slab_first[s + 1];
        if (end > 0 && far[end - 1] >= bed->slab_first[s + 2]) return false;
    }
    return true;
}

// As many slabs as can be, an even number of them, so that two threads have the same to do; or one.
void sti_cells_cut(sti_bed* bed, sti_sorted* sorted) {
    int64_t* work = sorted->work;
    int* far = sorted->far;
    work[0] = 0;
    for (int a = 0; a < bed->n; a++) work[a + 1] += work[a];
    for (int a = 1; a < bed->n; a++) far[a] = far[a] > far[a - 1] ? far[a] : far[a - 1];
    int count = bed->n / (2 * bed->tuning.slab_grains) * 2;
    if (count > STI_SLAB_MOST) count = STI_SLAB_MOST;
    while (count > 1 && !cut(bed, work, far, count)) count -= 2;
    if (count < 2) cut(bed, work, far, 1);
}

// Any slabs, to make a list with.
static void cut_evenly(sti_bed* bed) {
    bed->slab_count = bed->n / bed->tuning.slab_grains + 1;
    if (bed->slab_count > STI_SLAB_MOST) bed->slab_count = STI_SLAB_MOST;
    for (int s = 0; s <= bed->slab_count; s++) bed->slab_first[s] = (int)((int64_t)bed->n * s / bed->slab_count);
}

void sti_sorted_clear(sti_env* env, sti_sorted* sorted) {
    sti_free(env, sorted->old_place);
    sti_free(env, sorted->far);
    sti_free(env, sorted->work);
    sti_free(env, sorted->hits);
    *sorted = (sti_sorted){0};
}

sti_status sti_cells_sort(sti_bed* bed, double width, sti_sorted* out) {
    const size_t n = (size_t)bed->n;
    *out = (sti_sorted){.old_place = sti_alloc_array(bed->env, n, sizeof(int)),
                        .far = sti_alloc_array(bed->env, n, sizeof(int)),
                        .work = sti_alloc_array(bed->env, n + 1, sizeof(int64_t)),
                        .hits = sti_alloc_array(bed->env, n, sizeof(uint64_t))};
    sti_cells cells = {0};
    measure(bed, width, &cells);
    sti_status status = STI_OK;
    if (out->old_place == NULL || out->far == NULL || out->work == NULL || out->hits == NULL) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = reserve_cells(bed, cells.cells);
    if (status != STI_OK) {
        sti_sorted_clear(bed->env, out);
        return status;
    }
    bed->cells = cells;
    sort(bed, out->far, out->old_place);
    move_grains(bed, out->old_place);
    cut_evenly(bed);
    return STI_OK;
}

// Strays are looked for elsewhere, so they may be counted to any cell that keeps the order.
sti_status sti_cells_restore(sti_bed* bed) {
    const sti_cells* g = &bed->cells;
    const sti_status status = reserve_cells(bed, g->cells);
    if (status != STI_OK) return status;
    int* start = bed->cell_start;
    int64_t next = 0;  // first cell that has no start yet
    for (int k = 0; k < bed->n; k++) {
        if (bed->home[4 * (size_t)k + 3] < 0) continue;
        const int64_t cell = sti_cells_of(g, bed->home + 4 * (size_t)k);
        if (cell + 1 < next) return STI_FAIL(bed->env, STI_ERR_INPUT, k, "state of a bed: places out of order");
        while (next <= cell) start[next++] = k;
    }
    while (next <= g->cells) start[next++] = bed->n;
    return STI_OK;
}
