// cells.c: which grains are near each other, in O(n).
//
// Grains are sorted into cells at least as wide as the largest pair that matters, cells ordered along one axis, then the next,
// and last along the longest side of the bed (of a large one, the longest across gravity). The grains themselves are moved
// into that order, so neighbours in space are neighbours in memory, and a range of places is a slice across the bed with a
// small border. A pair is listed under its first place; its partners lie in five ranges of places: the rest of its own
// column up to the cell above, one column beside it and three in the next layer.
//
// Slabs are cut at equal work, anywhere between two places, as many as there can be without a pair that reaches beyond the
// next slab. Threads have equal shares of them, so their number is even.
//
// The list holds pairs with a gap up to `reach` and serves until some grain has moved so far that a pair outside it
// could come within the gap that the step asks for.
#include <math.h>
#include <string.h>

#include "granular/bed.h"

typedef struct grid {
    int axis[3];  // of space: along the first one cells are ordered last
    double low[3], width;
    int count[3];   // of cells along these axes
    int* start;     // first place of each cell         (cells+1)
    int* cell;      // of each grain, before sorting; then scratch memory    (n)
    int* order;     // old place of each new one        (n)
    int64_t* work;  // of the places before this one, in units of a pair    (n+1)
    int64_t cells;
} grid;

// Slabs above each other hand a load down one slab in a sweep. Up to here that costs nothing (the same sweeps at 3200 grains), but
// at 12,800 a step at rest takes 7 sweeps and not 3; larger beds are cut upright.
enum { SHALLOW = 6400 };

static int slot(const grid* g, int i, const double* x) {
    const double s = (x[g->axis[i]] - g->low[i]) / g->width;
    const int top = g->count[i] - 1;
    return !(s > 0) ? 0 : s >= top ? top : (int)s;
}

static int cell_of(const grid* g, const double* x) {
    return (slot(g, 0, x) * g->count[1] + slot(g, 1, x)) * g->count[2] + slot(g, 2, x);
}

// The box of the grains, cut into cells of at least `width`; at most a few cells for each grain, however far they fly.
static void measure(const sti_bed* bed, double width, grid* g) {
    double low[3], high[3], side[3];
    for (int i = 0; i < 3; i++) low[i] = high[i] = bed->x[i];
    for (int k = 0; k < bed->n; k++) {
        for (int i = 0; i < 3; i++) {
            const double x = bed->x[3 * (size_t)k + (size_t)i];
            if (x < low[i]) low[i] = x;
            if (x > high[i]) high[i] = x;
        }
    }
    const double* pull = bed->gravity;
    int down = 0, longest = -1;
    for (int i = 1; i < 3; i++) down = fabs(pull[i]) > fabs(pull[down]) ? i : down;
    for (int i = 0; i < 3; i++) {
        if (i == down && pull[i] != 0 && bed->n > SHALLOW) continue;
        if (longest < 0 || high[i] - low[i] > high[longest] - low[longest]) longest = i;
    }
    for (int i = 0; i < 3; i++) {
        g->axis[i] = (longest + i) % 3;
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

static void sort(const sti_bed* bed, grid* g) {
    memset(g->start, 0, (size_t)(g->cells + 1) * sizeof(int));
    for (int k = 0; k < bed->n; k++) {
        g->cell[k] = cell_of(g, bed->x + 3 * (size_t)k);
        g->start[g->cell[k] + 1]++;
    }
    for (int64_t c = 0; c < g->cells; c++) g->start[c + 1] += g->start[c];
    for (int k = 0; k < bed->n; k++) g->order[g->start[g->cell[k]]++] = k;
    for (int64_t c = g->cells; c > 0; c--) g->start[c] = g->start[c - 1];
    g->start[0] = 0;
}

// Items of `size` bytes into a new order, through the scratch memory of the bed.
static void reorder(const sti_bed* bed, const int* order, void* items, size_t size) {
    char* to = items;
    const char* from = bed->sort_memory;
    memcpy(bed->sort_memory, items, (size_t)bed->n * size);
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

// What a grain and a contact cost in a run, in units of a pair in the list.
enum { GRAIN = 2, CONTACT = 10 };

typedef struct partners {
    const sti_bed* bed;
    double reach;
    sti_near* out;  // NULL: only count
    int count;
    int close;  // of these, how many the step would take along; while counting
    int last;   // of the places met
} partners;

static double larger(double x, double y) {
    return x > y ? x : y;
}

static double fastest_component(const double* v) {
    return larger(fabs(v[0]), larger(fabs(v[1]), fabs(v[2])));
}

// About the gap up to which a step takes a pair along (touch.c).
static double gap_taken(const sti_bed* bed, int a, int b) {
    const sti_bed_options* o = &bed->options;
    if (o->eps > 0) return bed->eps_now;
    const double fast = fastest_component(bed->grain[a].v) + fastest_component(bed->grain[b].v);
    return STI_BED_MARGIN * bed->radius[a] + 0.5 * o->h * fast;
}

static inline void meet(partners* p, int a, int b) {
    const double* x = p->bed->x + 3 * (size_t)a;
    const double* y = p->bed->x + 3 * (size_t)b;
    const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
    const double sum = p->bed->radius[a] + p->bed->radius[b], near = sum + p->reach, d2 = sti_dot3(d, d);
    if (d2 > near * near) return;
    if (p->out != NULL) {
        p->out[p->count] = (sti_near){.b = b, .touch = -1};
    } else {
        const double close = sum + gap_taken(p->bed, a, b);
        p->close += d2 <= close * close ? 1 : 0;
    }
    p->count++;
    p->last = b;
}

// All partners of place a, in the order of their places, then walls.
static void find_partners(partners* p, const grid* g, int a) {
    const sti_bed* bed = p->bed;
    const double* x = bed->x + 3 * (size_t)a;
    const int ix = slot(g, 0, x), iy = slot(g, 1, x), iz = slot(g, 2, x);
    const int low = iz > 0 ? iz - 1 : 0, high = iz + 1 < g->count[2] ? iz + 1 : iz;
    const int own = (ix * g->count[1] + iy) * g->count[2];
    for (int b = a + 1; b < g->start[own + high + 1]; b++) meet(p, a, b);
    for (int dx = 0; dx <= 1; dx++) {
        for (int dy = dx == 0 ? 1 : -1; dy <= 1; dy++) {
            const int jx = ix + dx, jy = iy + dy;
            if (jx >= g->count[0] || jy < 0 || jy >= g->count[1]) continue;
            const int column = (jx * g->count[1] + jy) * g->count[2];
            for (int b = g->start[column + low]; b < g->start[column + high + 1]; b++) meet(p, a, b);
        }
    }
    for (int k = 0; k < bed->wall_count; k++) {
        double n[3];
        const double gap = sti_wall_gap(&bed->walls[k], x, bed->radius[a], n);
        if (gap > p->reach) continue;
        if (p->out != NULL)
            p->out[p->count] = (sti_near){.b = -1 - k, .touch = -1};
        else
            p->close += gap <= gap_taken(bed, a, a) ? 1 : 0;
        p->count++;
    }
}

// The old list, by old places, where impulses are looked up.
typedef struct old_list {
    const int64_t* start;
    const sti_near* near;
    const int* old_place;  // of a new one
} old_list;

static void recall(const old_list* old, int a, sti_near* near) {
    const int first = old->old_place[a];
    int low = first, high = near->b;
    double sign = 1;
    if (near->b >= 0) {
        const int other = old->old_place[near->b];
        low = first < other ? first : other;
        high = first < other ? other : first;
        sign = first < other ? 1 : -1;
    }
    for (int64_t k = old->start[low]; k < old->start[low + 1]; k++) {
        if (old->near[k].b != high) continue;
        for (int i = 0; i < 3; i++) {
            near->r[i] = sign * old->near[k].r[i];
            near->lead[i] = sign * old->near[k].lead[i];
        }
        return;
    }
}

typedef struct listing {
    sti_bed* bed;
    const grid* g;
    int64_t* start;  // (n+1)
    int64_t* work;   // of each place, one place on          (n+1)
    int* far;        // last partner, or the place itself    (n)
    sti_near* near;  // NULL while counting
    const old_list* old;
    double reach;
} listing;

static void list_slab(void* context, int slab, int worker) {
    (void)worker;
    listing* l = context;
    sti_bed* bed = l->bed;
    for (int a = bed->slab_first[slab]; a < bed->slab_first[slab + 1]; a++) {
        partners p = {.bed = bed, .reach = l->reach, .out = l->near != NULL ? l->near + l->start[a] : NULL, .last = a};
        find_partners(&p, l->g, a);
        if (l->near == NULL) {
            l->start[a + 1] = p.count;
            l->work[a + 1] = GRAIN + p.count + CONTACT * p.close;
            l->far[a] = p.last;
            continue;
        }
        if (l->old == NULL) continue;
        for (int k = 0; k < p.count; k++) recall(l->old, a, &p.out[k]);
    }
}

// Cuts at equal work; true: no pair reaches farther than into the next slab. far: last partner of this place or one before.
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
static void cut_slabs(sti_bed* bed, int64_t* work, int* far) {
    work[0] = 0;
    for (int a = 0; a < bed->n; a++) work[a + 1] += work[a];
    for (int a = 1; a < bed->n; a++) far[a] = far[a] > far[a - 1] ? far[a] : far[a - 1];
    int count = bed->n / 64 * 2;
    if (count > STI_SLAB_MOST) count = STI_SLAB_MOST;
    while (count > 1 && !cut(bed, work, far, count)) count -= 2;
    if (count < 2) cut(bed, work, far, 1);
}

// Any slabs, to make a list with.
static void cut_evenly(sti_bed* bed) {
    bed->slab_count = bed->n / 32 + 1;
    if (bed->slab_count > STI_SLAB_MOST) bed->slab_count = STI_SLAB_MOST;
    for (int s = 0; s <= bed->slab_count; s++) bed->slab_first[s] = (int)((int64_t)bed->n * s / bed->slab_count);
}

// The new list beside the old one, then in its place.
static sti_status make_list(sti_bed* bed, const grid* g, double reach) {
    sti_env* env = bed->env;
    const size_t n = (size_t)bed->n;
    int64_t* start = sti_alloc_array(env, n + 1, sizeof *start);
    sti_near* near = NULL;
    if (start == NULL) goto failed;
    listing l = {.bed = bed, .g = g, .start = start, .work = g->work, .far = g->cell, .reach = reach};
    sti_tasks_run(bed->tasks, bed->slab_count, list_slab, &l);
    start[0] = 0;
    for (size_t a = 0; a < n; a++) start[a + 1] += start[a];
    near = sti_alloc_array(env, (size_t)start[n] + 1, sizeof *near);
    if (near == NULL) goto failed;
    cut_slabs(bed, g->work, g->cell);
    const old_list old = {bed->near_start, bed->near, g->order};
    l.near = near;
    l.old = bed->listed ? &old : NULL;
    sti_tasks_run(bed->tasks, bed->slab_count, list_slab, &l);
    sti_free(env, bed->near_start);
    sti_free(env, bed->near);
    bed->near_start = start;
    bed->near = near;
    return STI_OK;
failed:
    sti_free(env, start);
    return STI_FAIL(env, STI_ERR_MEMORY, -1, "the list of near pairs of %d grains", bed->n);
}

sti_status sti_bed_list(sti_bed* bed, double reach) {
    sti_env* env = bed->env;
    grid g = {0};
    measure(bed, 2 * bed->largest + reach, &g);
    g.start = sti_alloc_array(env, (size_t)g.cells + 1, sizeof(int));
    g.cell = sti_alloc_array(env, (size_t)bed->n, sizeof(int));
    g.order = sti_alloc_array(env, (size_t)bed->n, sizeof(int));
    g.work = sti_alloc_array(env, (size_t)bed->n + 1, sizeof *g.work);
    sti_status status = STI_OK;
    if (g.start == NULL || g.cell == NULL || g.order == NULL || g.work == NULL) {
        status = STI_FAIL(env, STI_ERR_MEMORY, -1, "cells of %d grains", bed->n);
    } else {
        bed->touches = 0;  // contacts of the last step are of other places now
        for (int k = 0; k < STI_SLAB_MOST; k++) bed->touch_count[k] = 0;
        sort(bed, &g);
        cut_evenly(bed);
        move_grains(bed, g.order);
        status = make_list(bed, &g, reach);
        bed->listed = status == STI_OK;  // a list that was not made anew is of other places now
    }
    if (status == STI_OK) {
        memcpy(bed->listed_x, bed->x, 3 * (size_t)bed->n * sizeof(double));
        bed->reach = reach;
    }
    sti_free(env, g.start);
    sti_free(env, g.cell);
    sti_free(env, g.order);
    sti_free(env, g.work);
    return status;
}
