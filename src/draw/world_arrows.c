// world_arrows.c: impulses of contacts as arrows.
//
// A face that lies on another is held by several points, and where bodies are small against the picture their arrows
// would cover each other. So what two bodies exchange is drawn as one where it is not farther apart than arrows are
// long: the sum of the impulses, at the centre of their normal parts. Of a face that carries alone this is the centre
// of pressure. Where it is farther apart, still what is close to each other.
#include <math.h>
#include <stdlib.h>

#include "draw/world.h"

// ---- which arrows there are

// A contact in the order of its bodies.
typedef struct pair_entry {
    int a, b;     // the smaller one first
    int contact;  // -1: already in an arrow
} pair_entry;

static int compare(const void* p, const void* q) {
    const pair_entry *x = p, *y = q;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    if (x->b != y->b) return x->b < y->b ? -1 : 1;
    return x->contact < y->contact ? -1 : x->contact > y->contact;
}

// Impulse of a contact on the body with the smaller number.
static void impulse_of(const sti_world_contact* t, bool plane, double f[3]) {
    const double sign = t->a < t->b ? 1 : -1;
    for (int i = 0; i < 3; i++)
        f[i] = sign * (t->r[0] * t->n[i] + t->r[1] * t->t1[i] + (plane ? 0 : t->r[2] * t->t2[i]));
}

// On the body that moves; where both do, on the one that is pushed up.
static void choose_side(const sti_bodies* bodies, const pair_entry* e, double f[3]) {
    const bool fixed_a = sti_bodies_body(bodies, e->a)->fixed, fixed_b = sti_bodies_body(bodies, e->b)->fixed;
    const bool turn = fixed_a != fixed_b ? fixed_a : f[sti_bodies_dim(bodies) - 1] < 0;
    for (int i = 0; i < 3 && turn; i++) f[i] = -f[i];
}

static double distance(const double a[3], const double b[3]) {
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

// Contacts of the same two bodies, from the first entry on.
static int count_pair(const pair_entry* first, int left) {
    int count = 1;
    while (count < left && first[count].a == first->a && first[count].b == first->b) count++;
    return count;
}

// Diagonal of the box around the contacts of a pair.
static double spread_of(const sti_world_contact* contacts, const pair_entry* first, int count) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], contacts[first[k].contact].point[i]);
            high[i] = fmax(high[i], contacts[first[k].contact].point[i]);
        }
    }
    return distance(low, high);
}

// Of the contacts of one pair those within `reach` of the first, which is in no arrow yet.
static void gather(const sti_bodies* bodies, const sti_world_contact* contacts, double reach, pair_entry* first,
                   int count, sti_world_arrow* out) {
    const sti_world_contact* own = &contacts[first->contact];
    const bool plane = sti_bodies_dim(bodies) == 2;
    double weight = 0, f[3];
    *out = (sti_world_arrow){0};
    for (int k = 0; k < count; k++) {
        if (first[k].contact < 0) continue;
        const sti_world_contact* t = &contacts[first[k].contact];
        if (k > 0 && !(distance(t->point, own->point) <= reach)) continue;
        impulse_of(t, plane, f);
        for (int i = 0; i < 3; i++) {
            out->impulse[i] += f[i];
            out->at[i] += fabs(t->r[0]) * t->point[i];
        }
        weight += fabs(t->r[0]);
        if (k > 0) first[k].contact = -1;
    }
    for (int i = 0; i < 3; i++) out->at[i] = weight > 0 ? out->at[i] / weight : own->point[i];
    choose_side(bodies, first, out->impulse);
    first->contact = -1;
}

sti_status sti_world_arrows(sti_env* env, const sti_bodies* bodies, const sti_world_contact* contacts,
                            int contact_count, double reach, sti_world_arrow* arrows, int* count) {
    *count = 0;
    pair_entry* entry = sti_alloc_array(env, (size_t)contact_count, sizeof *entry);
    if (entry == NULL) return STI_ERR_MEMORY;
    for (int k = 0; k < contact_count; k++) {
        const int a = contacts[k].a, b = contacts[k].b;
        entry[k] = (pair_entry){.a = a < b ? a : b, .b = a < b ? b : a, .contact = k};
    }
    qsort(entry, (size_t)contact_count, sizeof *entry, compare);
    int all = 0;
    double most = 0;
    for (int k = 0, pair; k < contact_count; k += pair) {
        pair = count_pair(&entry[k], contact_count - k);
        const double within = spread_of(contacts, &entry[k], pair) <= 1.5 * reach ? INFINITY : 0.5 * reach;
        for (int i = k; i < k + pair; i++) {
            if (entry[i].contact < 0) continue;
            gather(bodies, contacts, within, &entry[i], k + pair - i, &arrows[all]);
            most = fmax(most, sqrt(dot3(arrows[all].impulse, arrows[all].impulse)));
            all++;
        }
    }
    for (int k = 0; k < all; k++) {
        const sti_world_arrow arrow = arrows[k];
        if (sqrt(dot3(arrow.impulse, arrow.impulse)) > 0.01 * most) arrows[(*count)++] = arrow;
    }
    sti_free(env, entry);
    return STI_OK;
}

// ---- into the picture

// A triangle in the picture, before everything else. Corners: along and across the arrow.
static void put_mark(draw_world* w, const double foot[3], const double dir[2], const double corner[3][2], double before,
                     int index) {
    const sti_camera* c = &w->seen.view;
    const double u = dot3(c->right, foot), v = dot3(c->up, foot);
    double p[9];
    for (int k = 0; k < 3; k++) {
        const double x = u + corner[k][0] * dir[0] - corner[k][1] * dir[1];
        const double y = v + corner[k][0] * dir[1] + corner[k][1] * dir[0];
        for (int i = 0; i < 3; i++) p[3 * k + i] = x * c->right[i] + y * c->up[i] - before * w->size * c->into[i];
    }
    sti_depth_put_triangle(&w->seen, p, index);
}

// Shaft and head, or the same wider by `rim` all around.
static void put_arrow(draw_world* w, const double foot[3], const double dir[2], double length, double thick, double rim,
                      int index) {
    const double tip = fmin(7 * thick, length), neck = length - tip, wing = 0.4 * tip, before = rim > 0 ? 3.9 : 4;
    // the sides of the head are moved outward: corners go farther, by the sharpness of their angles
    const double slant = hypot(tip, wing), point = length + rim * slant / wing,
                 side = wing + rim * (slant + wing) / tip;
    const double out = thick + rim;
    const double shaft1[3][2] = {{-rim, -out}, {neck, -out}, {neck, out}};
    const double shaft2[3][2] = {{-rim, -out}, {neck, out}, {-rim, out}};
    const double head[3][2] = {{neck - rim, -side}, {point, 0}, {neck - rim, side}};
    if (neck > 0) put_mark(w, foot, dir, shaft1, before, index);
    if (neck > 0) put_mark(w, foot, dir, shaft2, before, index);
    put_mark(w, foot, dir, head, before, index);
}

// The largest is half as long as a body (the mean of all), and not longer than a seventh of the scene. Short
// arrows are thin.
sti_status sti_draw_world_put_arrows(draw_world* w) {
    const sti_camera* c = &w->seen.view;
    const double longest = fmin(w->size / 7, 0.5 * w->typical), wide = c->width / c->scale;
    const double thick = fmin(fmax(longest / 70, 0.0008 * wide), 0.0016 * wide);
    const draw_item kinds[2] = {{.kind = DRAW_RIM, .body = -1, .shot = -1, .look = -1},
                                {.kind = DRAW_MARK, .body = -1, .shot = -1, .look = -1}};
    int index[2], count = 0;
    double most = 0;
    if (w->view->contact_count == 0) return STI_OK;
    sti_world_arrow* arrows = sti_alloc_array(w->env, (size_t)w->view->contact_count, sizeof *arrows);
    if (arrows == NULL) return STI_ERR_MEMORY;
    sti_status status =
        sti_world_arrows(w->env, w->bodies, w->view->contacts, w->view->contact_count, longest, arrows, &count);
    for (int k = 0; k < count; k++) most = fmax(most, sqrt(dot3(arrows[k].impulse, arrows[k].impulse)));
    for (int rim = 0; rim < 2 && status == STI_OK; rim++) status = sti_draw_world_add(w, &kinds[rim], &index[rim]);
    for (int k = 0; k < 2 * count && status == STI_OK; k++) {
        const sti_world_arrow* arrow = &arrows[k / 2];
        double dir[2] = {dot3(c->right, arrow->impulse), dot3(c->up, arrow->impulse)}, foot[3];
        const double size = hypot(dir[0], dir[1]);
        if (!(size > 0)) continue;
        for (int i = 0; i < 3; i++) foot[i] = arrow->at[i] - w->centre[i];
        for (int i = 0; i < 2; i++) dir[i] /= size;
        put_arrow(w, foot, dir, longest * size / most, thick, k % 2 == 0 ? 0.9 * thick : 0, index[k % 2]);
    }
    sti_free(w->env, arrows);
    return status;
}
