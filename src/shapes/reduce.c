// reduce.c: a few touches that stand for many.
//
// Seen along the normal of the deepest touch, all touches are points in a plane; a resting body is held by the corners
// of their hull. So inner points go first; then, as long as there are too many, the corner whose loss takes least from
// the area, the one with the lower identity on ties (within 1e-3, so that rounding and rocking do not choose). The
// deepest touch stays, the one with the lowest identity among those within 1e-5 of the span. The rule sees positions
// and identities only, hence small motions rarely change the choice. What overlaps is kept beside those: a coin that
// wobbles goes down at the next corner, which nobody would see otherwise.
//
// Four points hold a body only where the others lie in one plane with them. A face of a scanned or rounded mesh is flat
// to 1e-5 of its size, say: put on four of its corners, a fifth is below the ground; the step that follows lifts that
// one and drops another, for ever. Where touches of a plane are not in one plane themselves, all of them are needed.
#include <math.h>
#include <stdlib.h>

#include "shapes/manifold.h"

enum { DEEP_ONES = STI_SHAPE_MAX_POINTS / 2 };  // that are kept because they overlap
#define FLAT 1e-10                              // of the span of the touches
#define SAME_NORMAL 1e-12                       // between the normals of touches of one plane

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

// Twice the area of a triangle of touches.
static double area_of(const touch* t, int i, int j, int k) {
    return vec_norm(vec_cross(vec_sub(t[j].pb, t[i].pb), vec_sub(t[k].pb, t[i].pb)));
}

// The height of the touches is an affine function of the place, as that of one flat face over another: it goes through
// three that are far apart, and the others lie on it.
bool sti_touch_flat(const touch_list* list) {
    const touch* t = list->touch;
    const vec n = t[0].n;
    int far = 0, wide = 0;
    double span = 0, area = 0;
    for (int i = 1; i < list->count; i++) {
        if (vec_norm(vec_sub(t[i].n, n)) > SAME_NORMAL) return true;  // not of one plane
        const double way = vec_norm(vec_sub(t[i].pb, t[0].pb));
        if (way > span) far = i;
        span = fmax(span, way);
    }
    for (int i = 1; i < list->count; i++) {
        const double a = area_of(t, 0, far, i);
        if (a > area) wide = i;
        area = fmax(area, a);
    }
    if (!(area > FLAT * span * span)) return true;
    const vec e = vec_sub(t[far].pb, t[0].pb), f = vec_sub(t[wide].pb, t[0].pb);
    const double ee = vec_dot(e, e), ef = vec_dot(e, f), ff = vec_dot(f, f), det = ee * ff - ef * ef;
    for (int i = 0; i < list->count; i++) {
        const vec x = vec_sub(t[i].pb, t[0].pb);
        const double xe = vec_dot(x, e), xf = vec_dot(x, f);
        const double a = (ff * xe - ef * xf) / det, b = (ee * xf - ef * xe) / det;
        const double due = t[0].d + a * (t[far].d - t[0].d) + b * (t[wide].d - t[0].d);
        if (fabs(t[i].d - due) > FLAT * span) return false;
    }
    return true;
}

void sti_touch_reduce(touch_list* list, int max) {
    sti_touch_reduce_to(list, max, -INFINITY);
}

static int count_below(const touch_list* list, double d) {
    int count = 0;
    for (int i = 0; i < list->count; i++) count += list->touch[i].d < d;
    return count;
}

void sti_touch_reduce_to(touch_list* list, int max, double deep) {
    touch* t = list->touch;
    qsort(t, (size_t)list->count, sizeof *t, by_id);
    if (list->count <= max) return;
    double least = deep;
    for (int i = 0; i < list->count; i++) least = fmin(least, t[i].d);
    while (count_below(list, deep) > DEEP_ONES) deep = (deep + least) / 2;
    const int others = STI_SHAPE_MAX_POINTS - count_below(list, deep);
    if (max > others) max = others;
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
        if (keep[i] || t[i].d < deep) t[kept++] = t[i];
    }
    list->count = kept;
}
