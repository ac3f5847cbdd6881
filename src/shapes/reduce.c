// reduce.c: a few touches that stand for many.
//
// Seen along the normal of the deepest touch, all touches are points in a plane; a resting body is held by the corners
// of their hull. So inner points go first; then, as long as there are too many, the corner whose loss takes least from
// the area, the one with the lower identity on ties (within 1e-3, so that rounding and rocking do not choose). The
// deepest touch stays, the one with the lowest identity among those within 1e-5 of the span. The rule sees positions
// and identities only, hence small motions rarely change the choice.
#include <math.h>
#include <stdlib.h>

#include "shapes/manifold.h"

void sti_touch_add(touch_list* list, touch t) {
    if (list->count == STI_TOUCH_MAX) sti_touch_reduce(list, STI_SHAPE_MAX_POINTS);
    list->touch[list->count++] = t;
}

typedef struct spot {
    double x, y;
    int touch;
} spot;

static int by_place(const void* p, const void* q) {
    const spot *a = p, *b = q;
    if (a->x != b->x) return a->x < b->x ? -1 : 1;
    if (a->y != b->y) return a->y < b->y ? -1 : 1;
    return (a->touch > b->touch) - (a->touch < b->touch);
}

static double turn(const spot* a, const spot* b, const spot* c) {
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

// Andrew's chains; h (2 count). Returns the number of corners.
static int chains(int count, const spot* p, spot* h) {
    int k = 0;
    for (int half = 0; half < 2; half++) {
        const int fewest = half == 0 ? 2 : k + 1;
        for (int j = half; j < count; j++) {
            const spot* x = p + (half == 0 ? j : count - 1 - j);
            while (k >= fewest && turn(h + k - 2, h + k - 1, x) <= 0) k--;
            h[k++] = *x;
        }
    }
    return k - 1;
}

static int smallest_corner(int count, const spot* h, const touch* t, int deepest) {
    int best = -1;
    double least = INFINITY;
    for (int k = 0; k < count; k++) {
        if (h[k].touch == deepest) continue;
        const double area = fabs(turn(h + (k + count - 1) % count, h + k, h + (k + 1) % count));
        const bool tie = best >= 0 && fabs(area - least) <= 1e-3 * fmax(area, least);
        if (best < 0 || (tie ? t[h[k].touch].id < t[h[best].touch].id : area < least)) {
            best = k;
            least = area;
        }
    }
    return best;
}

static int by_id(const void* p, const void* q) {
    const touch *a = p, *b = q;
    return (a->id > b->id) - (a->id < b->id);
}

// Least d; the lowest identity among those within 1e-5 of the span.
static int find_deepest(const touch_list* list) {
    const touch* t = list->touch;
    double least = INFINITY, span = 0;
    for (int i = 0; i < list->count; i++) {
        least = fmin(least, t[i].d);
        span = fmax(span, vec_norm(vec_sub(t[i].pb, t[0].pb)));
    }
    int i = 0;
    while (i + 1 < list->count && t[i].d > least + 1e-5 * span) i++;
    return i;
}

void sti_touch_reduce(touch_list* list, int max) {
    touch* t = list->touch;
    qsort(t, (size_t)list->count, sizeof *t, by_id);
    if (list->count <= max) return;
    const int deepest = find_deepest(list);
    double n[3], t1[3], t2[3];
    vec_store(t[deepest].n, n);
    sti_tangent_frame(n, t1, t2);
    spot place[STI_TOUCH_MAX], h[2 * STI_TOUCH_MAX];
    for (int i = 0; i < list->count; i++)
        place[i] = (spot){.x = vec_dot(vec_of(t1), t[i].pb), .y = vec_dot(vec_of(t2), t[i].pb), .touch = i};
    qsort(place, (size_t)list->count, sizeof *place, by_place);
    int count = chains(list->count, place, h);

    bool keep[STI_TOUCH_MAX] = {false};
    bool corner = false;
    for (int k = 0; k < count; k++) corner = corner || h[k].touch == deepest;
    while (count > 0 && count > max - (corner ? 0 : 1)) {
        const int k = smallest_corner(count, h, t, deepest);
        if (k < 0) break;
        for (int j = k; j + 1 < count; j++) h[j] = h[j + 1];
        count--;
    }
    for (int k = 0; k < count; k++) keep[h[k].touch] = true;
    keep[deepest] = true;
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        if (keep[i]) t[kept++] = t[i];
    }
    list->count = kept;
}
