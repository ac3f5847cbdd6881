// contacts.c: where cages can meet something in the step: walls, obstacles, other cages.
//
// Contacts are those that vehicles can come to in the step, found by boxes around their reach. Cages do not turn, and
// each is convex (a disc, or the hull of a polygon), so its distance to a wall, to a convex piece of an obstacle or to
// another cage is a convex function of the positions: after a step it is not below its linearization, whatever the
// step.
//
// A polygon that is not convex is an obstacle in triangles (cages.c). What is nearest on one of them may lie on a seam,
// where another triangle is nearer: that one counts then, and no seam is felt by a cage that slides past it.
#include <math.h>
#include <string.h>

#include "navigation/navigation.h"

static sti_status add(sti_navigation* nav, int vehicle, int other, double gap, const double n[2]) {
    if (nav->contact_count == nav->contact_room) {
        const int room = 2 * nav->contact_room + 64;
        sti_cage_contact* more = sti_realloc_array(nav->env, nav->contacts, (size_t)room, sizeof *more);
        if (more != NULL) nav->contacts = more;
        int* order = sti_realloc_array(nav->env, nav->order, (size_t)room, sizeof *order);
        if (order != NULL) nav->order = order;
        if (more == NULL || order == NULL) return STI_ERR_MEMORY;
        nav->contact_room = room;
    }
    nav->contacts[nav->contact_count++] =
        (sti_cage_contact){.vehicle = vehicle, .other = other, .gap = gap, .n = {n[0], n[1]}};
    return STI_OK;
}

// ---- walls: the vertex that is deepest

static double wall_gap(const sti_navigation* nav, int i, const sti_nav_wall* w) {
    const double* q = nav->q + 2 * (size_t)i;
    const sti_vehicle* it = &nav->vehicles[i];
    const double* n = w->normal;
    double least = INFINITY;
    for (int k = 0; k < it->corner_count; k++)
        least = fmin(least, n[0] * it->corners[2 * k] + n[1] * it->corners[2 * k + 1]);
    if (it->corner_count == 0) least = -it->cage;
    return n[0] * (q[0] - w->point[0]) + n[1] * (q[1] - w->point[1]) + least;
}

// ---- obstacles

// Of a disc: by the feet of its centre on the outline.
static int round_meets(const sti_navigation* nav, int i, const sti_obstacle* o, double margin, sti_meeting* out) {
    const double *q = nav->q + 2 * (size_t)i, cage = nav->vehicles[i].cage;
    double p[2];
    sti_take(o->pose, q, p);
    const int count = sti_outline_feet(&o->shape, p, cage + margin, nav->feet);
    for (int f = 0; f < count; f++) {
        out[f].gap = nav->feet[f].gap - cage;
        sti_turn(o->pose[2], nav->feet[f].n, out[f].n);
    }
    return count;
}

// Another piece holds the point and is nearer, or as near and comes first with the same normal.
static bool is_of_another(const sti_obstacle* o, const sti_meeting* m, const double (*at)[2], int k, double tol) {
    for (int j = 0; j < o->piece_count; j++) {
        if (j == k || !sti_piece_has(o, j, at[k], tol)) continue;
        if (m[j].gap < m[k].gap - tol) return true;
        if (j < k && m[j].gap <= m[k].gap + tol && hypot(at[j][0] - at[k][0], at[j][1] - at[k][1]) <= tol &&
            m[j].n[0] * m[k].n[0] + m[j].n[1] * m[k].n[1] > 1 - 1e-9)
            return true;
    }
    return false;
}

// Of a polygon: distances to the pieces.
static int corners_meet(const sti_navigation* nav, int i, const sti_obstacle* o, double margin, sti_meeting* out) {
    const double *q = nav->q + 2 * (size_t)i, tol = 1e-9 * (o->shape.reach + nav->vehicles[i].cage);
    const sti_pose mine = sti_pose_planar(q[0], q[1], 0), its = sti_pose_planar(o->pose[0], o->pose[1], o->pose[2]);
    double(*at)[2] = (double(*)[2])nav->touched;
    int count = 0;
    for (int k = 0; k < o->piece_count; k++) {
        sti_shape_contact c;
        if (sti_shape_distance(nav->vehicles[i].shape, &mine, o->pieces[k], &its, &c) != STI_OK) c.gap = INFINITY;
        out[k] = (sti_meeting){c.gap, {c.normal[0], c.normal[1]}};
        sti_take(o->pose, c.point_b, at[k]);
    }
    for (int k = 0; k < o->piece_count; k++) nav->kept[k] = out[k].gap <= margin && !is_of_another(o, out, at, k, tol);
    for (int k = 0; k < o->piece_count; k++) {
        if (nav->kept[k]) out[count++] = out[k];
    }
    return count;
}

static int obstacle_meets(const sti_navigation* nav, int i, const sti_obstacle* o, double margin, sti_meeting* out) {
    const double *q = nav->q + 2 * (size_t)i, cage = nav->vehicles[i].cage;
    if (hypot(q[0] - o->pose[0], q[1] - o->pose[1]) - o->shape.reach - cage > margin) return 0;
    return nav->vehicles[i].corner_count > 0 ? corners_meet(nav, i, o, margin, out)
                                             : round_meets(nav, i, o, margin, out);
}

static sti_status find_still(sti_navigation* nav, int i) {
    const double reach = nav->reach[i];
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < nav->wall_count; k++) {
        const double gap = wall_gap(nav, i, &nav->walls[k]);
        if (gap <= reach) status = add(nav, i, -1 - k, gap, nav->walls[k].normal);
    }
    for (int k = 0; status == STI_OK && k < nav->obstacle_count; k++) {
        const int count = obstacle_meets(nav, i, &nav->obstacles[k], reach, nav->meetings);
        for (int f = 0; status == STI_OK && f < count; f++)
            status = add(nav, i, -1 - nav->wall_count - k, nav->meetings[f].gap, nav->meetings[f].n);
    }
    return status;
}

// ---- pairs

static sti_meeting pair_meets(const sti_navigation* nav, int a, int b) {
    const sti_vehicle *A = &nav->vehicles[a], *B = &nav->vehicles[b];
    const double *p = nav->q + 2 * (size_t)a, *q = nav->q + 2 * (size_t)b;
    if (A->corner_count > 0 || B->corner_count > 0) {
        const sti_pose mine = sti_pose_planar(p[0], p[1], 0), its = sti_pose_planar(q[0], q[1], 0);
        sti_shape_contact c;
        if (sti_shape_distance(A->shape, &mine, B->shape, &its, &c) != STI_OK) c.gap = INFINITY;
        return (sti_meeting){c.gap, {c.normal[0], c.normal[1]}};
    }
    const double d[2] = {p[0] - q[0], p[1] - q[1]}, apart = hypot(d[0], d[1]);
    return (sti_meeting){apart - A->cage - B->cage, {apart > 0 ? d[0] / apart : 1, apart > 0 ? d[1] / apart : 0}};
}

static sti_status find_pairs(sti_navigation* nav) {
    const sti_box_pair* pairs;
    int count;
    for (int i = 0; i < nav->count; i++) {
        const double r = nav->vehicles[i].cage + nav->reach[i], *q = nav->q + 2 * (size_t)i;
        nav->boxes[i] = (sti_aabb){.lower = {q[0] - r, q[1] - r, 0}, .upper = {q[0] + r, q[1] + r, 0}};
    }
    sti_status status = sti_broadphase_update(nav->broad, nav->count, nav->boxes, NULL, &pairs, &count);
    for (int p = 0; status == STI_OK && p < count; p++) {
        const int a = pairs[p].a, b = pairs[p].b;
        const sti_meeting m = pair_meets(nav, a, b);
        if (m.gap <= nav->reach[a] + nav->reach[b]) status = add(nav, a, b, m.gap, m.n);
    }
    return status;
}

// ---- what is asked of them

// In the order in which they are found: what stands still by vehicle, then pairs.
static int compare(const sti_cage_contact* a, const sti_cage_contact* b) {
    if ((a->other >= 0) != (b->other >= 0)) return a->other >= 0 ? 1 : -1;
    if (a->vehicle != b->vehicle) return a->vehicle < b->vehicle ? -1 : 1;
    return a->other >= 0 ? (a->other > b->other) - (a->other < b->other)
                         : (a->other < b->other) - (a->other > b->other);
}

// Impulses of the step before, for contacts that pressed there: where the search begins.
static void warm(sti_navigation* nav) {
    int k = 0;
    for (int i = 0; i < nav->contact_count; i++) {
        sti_cage_contact* c = &nav->contacts[i];
        while (k < nav->pressing_count && compare(&nav->pressing[k], c) < 0) k++;
        if (k < nav->pressing_count && compare(&nav->pressing[k], c) == 0) c->impulse = nav->pressing[k++].impulse;
    }
}

sti_status sti_navigation_find(sti_navigation* nav) {
    sti_status status = STI_OK;
    nav->contact_count = 0;
    for (int i = 0; status == STI_OK && i < nav->count && nav->wall_count + nav->obstacle_count > 0; i++)
        status = find_still(nav, i);
    if (status == STI_OK && nav->count > 1) status = find_pairs(nav);
    if (status == STI_OK) warm(nav);
    return status;
}

// What it is now, at q: the least of those with the same other.
static double gap_now(const sti_navigation* nav, const sti_cage_contact* c) {
    if (c->other >= 0) return pair_meets(nav, c->vehicle, c->other).gap;
    if (-1 - c->other < nav->wall_count) return wall_gap(nav, c->vehicle, &nav->walls[-1 - c->other]);
    const sti_obstacle* o = &nav->obstacles[-1 - c->other - nav->wall_count];
    const int count = obstacle_meets(nav, c->vehicle, o, nav->vehicles[c->vehicle].cage, nav->meetings);
    double gap = INFINITY;
    for (int f = 0; f < count; f++) gap = fmin(gap, nav->meetings[f].gap);
    return gap;
}

double sti_navigation_least_gap(const sti_navigation* nav) {
    double least = INFINITY;
    for (int k = 0; k < nav->contact_count; k++) least = fmin(least, gap_now(nav, &nav->contacts[k]));
    return least;
}
