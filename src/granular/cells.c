// cells.c: which grains are near each other, in O(n).
//
// Grains are sorted into cells at least as wide as the largest pair that matters, cells ordered along z, then y, then x.
// The grains themselves are moved into that order, so neighbours in space are neighbours in memory and a slab of cells
// is a range of places. A pair is listed under its first place; its partners lie in five ranges of places: the rest of
// its own column up to the cell above, one column beside it and three in the next slab.
//
// The list holds pairs with a gap up to `reach` and serves until some grain has moved so far that a pair outside it
// could come within the gap that the step asks for.
#include <math.h>
#include <string.h>

#include "granular/bed.h"

typedef struct grid {
    double low[3], width;
    int count[3];
    int* start;  // first place of each cell         (cells+1)
    int* cell;   // of each grain, before sorting    (n)
    int* order;  // old place of each new one        (n)
    int64_t cells;
} grid;

static int slot(const grid* g, int axis, double x) {
    const double s = (x - g->low[axis]) / g->width;
    const int top = g->count[axis] - 1;
    return !(s > 0) ? 0 : s >= top ? top : (int)s;
}

static int cell_of(const grid* g, const double* x) {
    return (slot(g, 0, x[0]) * g->count[1] + slot(g, 1, x[1])) * g->count[2] + slot(g, 2, x[2]);
}

// The box of the grains, cut into cells of at least `width`; at most a few cells for each grain, however far they fly.
static void measure(const sti_bed* bed, double width, grid* g) {
    double high[3];
    for (int i = 0; i < 3; i++) g->low[i] = high[i] = bed->x[i];
    for (int k = 0; k < bed->n; k++) {
        for (int i = 0; i < 3; i++) {
            const double x = bed->x[3 * (size_t)k + (size_t)i];
            if (x < g->low[i]) g->low[i] = x;
            if (x > high[i]) high[i] = x;
        }
    }
    const double most = 4.0 * bed->n + 64;
    for (g->width = width;; g->width *= 1.25) {
        double cells = 1;
        for (int i = 0; i < 3; i++) cells *= floor((high[i] - g->low[i]) / g->width) + 1;
        if (cells <= most) break;
    }
    g->cells = 1;
    for (int i = 0; i < 3; i++) {
        g->count[i] = (int)floor((high[i] - g->low[i]) / g->width) + 1;
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

// Slabs of whole columns along x, with about the same number of grains each.
static void cut_slabs(sti_bed* bed, const grid* g) {
    const int64_t column = (int64_t)g->count[1] * g->count[2];
    int most = g->count[0];
    if (most > STI_SLAB_MOST) most = STI_SLAB_MOST;
    if (most > bed->n / 32 + 1) most = bed->n / 32 + 1;
    bed->slab_count = 0;
    bed->slab_first[0] = 0;
    for (int i = 0; i < g->count[0]; i++) {
        const int last = g->start[(i + 1) * column];
        const bool full = (int64_t)last * most >= (int64_t)bed->n * (bed->slab_count + 1);
        if (!full && i + 1 < g->count[0]) continue;
        if (last == bed->slab_first[bed->slab_count] && last < bed->n) continue;
        bed->slab_first[++bed->slab_count] = last;
        if (last == bed->n) break;
    }
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

typedef struct partners {
    const sti_bed* bed;
    double reach;
    sti_near* out;  // NULL: only count
    int count;
} partners;

static inline void meet(partners* p, int a, int b) {
    const double* x = p->bed->x + 3 * (size_t)a;
    const double* y = p->bed->x + 3 * (size_t)b;
    const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
    const double near = p->bed->radius[a] + p->bed->radius[b] + p->reach;
    if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > near * near) return;
    if (p->out != NULL) p->out[p->count] = (sti_near){.b = b, .touch = -1};
    p->count++;
}

// All partners of place a, in the order of their places, then walls.
static void find_partners(partners* p, const grid* g, int a) {
    const sti_bed* bed = p->bed;
    const double* x = bed->x + 3 * (size_t)a;
    const int ix = slot(g, 0, x[0]), iy = slot(g, 1, x[1]), iz = slot(g, 2, x[2]);
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
        if (sti_wall_gap(&bed->walls[k], x, bed->radius[a], n) > p->reach) continue;
        if (p->out != NULL) p->out[p->count] = (sti_near){.b = -1 - k, .touch = -1};
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
        for (int i = 0; i < 3; i++) near->r[i] = sign * old->near[k].r[i];
        return;
    }
}

typedef struct listing {
    sti_bed* bed;
    const grid* g;
    int64_t* start;  // (n+1)
    sti_near* near;  // NULL while counting
    const old_list* old;
    double reach;
} listing;

static void list_slab(void* context, int slab, int worker) {
    (void)worker;
    listing* l = context;
    sti_bed* bed = l->bed;
    for (int a = bed->slab_first[slab]; a < bed->slab_first[slab + 1]; a++) {
        partners p = {.bed = bed, .reach = l->reach, .out = l->near != NULL ? l->near + l->start[a] : NULL};
        find_partners(&p, l->g, a);
        if (l->near == NULL) {
            l->start[a + 1] = p.count;
            continue;
        }
        if (l->old == NULL) continue;
        for (int k = 0; k < p.count; k++) recall(l->old, a, &p.out[k]);
    }
}

// The new list beside the old one, then in its place.
static sti_status make_list(sti_bed* bed, const grid* g, double reach) {
    sti_env* env = bed->env;
    const size_t n = (size_t)bed->n;
    int64_t* start = sti_alloc_array(env, n + 1, sizeof *start);
    sti_near* near = NULL;
    if (start == NULL) goto failed;
    listing l = {.bed = bed, .g = g, .start = start, .reach = reach};
    sti_tasks_run_any(bed->tasks, bed->slab_count, list_slab, &l);
    start[0] = 0;
    for (size_t a = 0; a < n; a++) start[a + 1] += start[a];
    near = sti_alloc_array(env, (size_t)start[n] + 1, sizeof *near);
    if (near == NULL) goto failed;
    const old_list old = {bed->near_start, bed->near, g->order};
    l.near = near;
    l.old = bed->listed ? &old : NULL;
    sti_tasks_run_any(bed->tasks, bed->slab_count, list_slab, &l);
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
    sti_status status = STI_OK;
    if (g.start == NULL || g.cell == NULL || g.order == NULL) {
        status = STI_FAIL(env, STI_ERR_MEMORY, -1, "cells of %d grains", bed->n);
    } else {
        bed->touches = 0;  // contacts of the last step are of other places now
        for (int k = 0; k < STI_SLAB_MOST; k++) bed->touch_count[k] = 0;
        sort(bed, &g);
        cut_slabs(bed, &g);
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
    return status;
}
