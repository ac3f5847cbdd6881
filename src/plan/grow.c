// grow.c: the largest box of doubts for which something can be proved: all doubts in given proportions first, by
// doubling and bisection, then the sides by turns.
#include <math.h>

#include "plan/plan.h"

static void set_scale(sti_growth* g, double s) {
    for (int i = 0; i < g->doubts; i++) {
        g->low[i] = -s * g->weight[i];
        g->high[i] = s * g->weight[i];
    }
}

static sti_status find_scale(sti_growth* g) {
    double low = 0, high = INFINITY, s = 1e-3;
    for (int i = 0; i < 40 + g->rounds && !sti_late(g->env); i++) {
        bool good;
        set_scale(g, s);
        const sti_status status = g->holds(g->user, g->low, g->high, &good);
        if (status != STI_OK) return status;
        if (good)
            low = s;
        else
            high = s;
        if (low > 0 && high < INFINITY && high - low < ldexp(low, -g->rounds)) break;
        if (s > 1e3 || s < 1e-13) break;
        s = isinf(high) ? 4 * s : low > 0 ? 0.5 * (low + high) : s / 4;
    }
    g->scale = low;
    set_scale(g, low);
    return STI_OK;
}

// One side by a factor, if that can be proved.
static sti_status grow_side(sti_growth* g, int side, bool* good) {
    double* end = side % 2 == 0 ? &g->low[side / 2] : &g->high[side / 2];
    const double before = *end, most = 10 * g->weight[side / 2];
    *end = copysign(fmin(fmax(fabs(before), 1e-9 * most) * g->factor[side], most), side % 2 == 0 ? -1 : 1);
    *good = false;
    const sti_status status = fabs(*end) > fabs(before) ? g->holds(g->user, g->low, g->high, good) : STI_OK;
    if (!*good) *end = before;
    return status;
}

// All sides by turns, so that none takes the room of the others; the factor of one that fails comes down to its root.
static sti_status grow_sides(sti_growth* g) {
    const int sides = 2 * g->doubts;
    const double enough = 1 + ldexp(0.5, -g->rounds);
    for (int i = 0; i < sides; i++) g->factor[i] = 2;
    for (bool any = true; any && !sti_late(g->env);) {
        any = false;
        for (int i = 0; i < sides && !sti_late(g->env); i++) {
            bool good;
            if (g->factor[i] < enough) continue;
            const sti_status status = grow_side(g, i, &good);
            if (status != STI_OK) return status;
            if (!good) g->factor[i] = sqrt(g->factor[i]);
            any = true;
        }
    }
    return STI_OK;
}

sti_status sti_grow(sti_growth* g, bool* found) {
    const size_t n = (size_t)g->doubts;
    *found = false;
    double* room = sti_alloc_array_zero(g->env, 4 * n, sizeof *room);
    if (room == NULL) return STI_ERR_MEMORY;
    g->low = room;
    g->high = room + n;
    g->factor = room + 2 * n;
    sti_status status = g->holds(g->user, g->low, g->high, found);
    if (status == STI_OK && *found) {
        status = find_scale(g);
        if (status == STI_OK) status = grow_sides(g);
        bool good;
        if (status == STI_OK) status = g->holds(g->user, g->low, g->high, &good);  // the last one that was proved
    }
    sti_free(g->env, room);
    return status;
}
