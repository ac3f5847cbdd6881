// reach_apart.c: nothing but its tips comes to a part that is pushed, and they come to nothing but its edge.
//
// A corner and an edge stay apart in a step when they are farther from each other than both may travel; or when the
// gaps of the contacts that they may have, with the edge and with its ends, stay positive, now and linearized at the
// end: such contacts are open in the step's problem. All is seen from the axes of the edge that is pushed, where the
// part rests. Such a contact is then asked whether another solution of the step may press there (reach_rivals.c).
#include <math.h>
#include <string.h>

#include "verify/reach.h"

// ---- what there is

static reach_edge edge_between(reach* r, place a, place b) {
    reach_edge e = {.from = a};
    const num dx = minus(r, b.x, a.x), dy = minus(r, b.y, a.y);
    const num square = plus(r, times(r, dx, dx), times(r, dy, dy));
    e.length = sti_affine_sqrt(&r->k, &square);
    e.along.x = sti_affine_div(&r->k, &dx, &e.length);
    e.along.y = sti_affine_div(&r->k, &dy, &e.length);
    e.out = (place){e.along.y, scaled(r, e.along.x, -1)};
    return e;
}

static void put_thing(reach* r, const sti_outline* o, num px, num py, num theta, reach_thing* t, size_t* points) {
    num c, s;
    sti_affine_turn(&r->k, &theta, &c, &s);
    t->origin = (place){px, py};
    t->corners = o->vertex_count > 0 ? o->vertex_count : 1;
    t->radius = o->vertex_count > 0 ? 0 : o->radius;
    t->at = r->thing_points + *points;
    t->edges = o->vertex_count > 0 ? r->thing_edges + *points : NULL;
    *points += (size_t)t->corners;
    for (int i = 0; i < t->corners; i++) {
        const double x = o->vertex_count > 0 ? o->vertices[2 * i] : 0,
                     y = o->vertex_count > 0 ? o->vertices[2 * i + 1] : 0;
        t->at[i].x = plus(r, px, minus(r, scaled(r, c, x), scaled(r, s, y)));
        t->at[i].y = plus(r, py, plus(r, scaled(r, s, x), scaled(r, c, y)));
    }
    for (int i = 0; i < t->corners && t->edges != NULL; i++)
        t->edges[i] = edge_between(r, t->at[i], t->at[(i + 1) % t->corners]);
    t->middle[0] = px.c;
    t->middle[1] = py.c;
    for (int i = 0; i < t->corners; i++) {
        const double dx = magnitude(r, minus(r, t->at[i].x, number(px.c)));
        const double dy = magnitude(r, minus(r, t->at[i].y, number(py.c)));
        t->reach = fmax(t->reach, hypot(dx, dy) + t->radius);
    }
}

static void put_part(reach* r, int i, reach_thing* t, size_t* points) {
    const sti_outline o = sti_manipulation_part_outline(r->m, i);
    const sti_pose_set* b = &r->course->before[i];
    const int at = AT_OTHERS + 3 * i;
    const num a = between(at, b->low[0], b->high[0]), c = between(at + 1, b->low[1], b->high[1]);
    const num frame = number(b->angle);
    num fc, fs;
    sti_affine_turn(&r->k, &frame, &fc, &fs);
    put_thing(r, &o, minus(r, times(r, fc, a), times(r, fs, c)), plus(r, times(r, fs, a), times(r, fc, c)),
              between(at + 2, b->low[2], b->high[2]), t, points);
}

static void own_outline(reach* r) {
    const sti_outline o = sti_manipulation_part_outline(r->m, r->course->part);
    for (int i = 0; i < o.vertex_count; i++) {
        const num x = number(o.vertices[2 * i]), y = number(o.vertices[2 * i + 1]);
        r->vertices[i].x = plus(r, times(r, r->ex, x), times(r, r->ey, y));
        r->vertices[i].y = minus(r, times(r, r->ex, y), times(r, r->ey, x));
        r->part_reach = fmax(r->part_reach, hypot(o.vertices[2 * i], o.vertices[2 * i + 1]) * (1 + 1e-12));
    }
    for (int i = 0; i < o.vertex_count; i++)
        r->own_edges[i] = edge_between(r, r->vertices[i], r->vertices[(i + 1) % o.vertex_count]);
}

void sti_reach_things_free(reach* r) {
    sti_arena_clear(&r->memory);
}

static void touches(reach* r, reach_thing* t, int thing) {
    t->mu = sti_manipulation_friction(r->m, r->course->part, thing);
    r->rough = fmax(r->rough, t->mu);
}

sti_status sti_reach_things(reach* r) {
    const int parts = sti_manipulation_part_count(r->m), fixtures = sti_manipulation_fixture_count(r->m);
    const int tips = sti_manipulation_tip_count(r->m);
    size_t points = 0;
    for (int i = 0; i < parts; i++) points += (size_t)sti_manipulation_part_outline(r->m, i).vertex_count + 1;
    for (int i = 0; i < fixtures; i++) points += (size_t)sti_manipulation_fixture_outline(r->m, i).vertex_count + 1;
    points += (size_t)tips;
    r->corners = sti_manipulation_part_outline(r->m, r->course->part).vertex_count;
    r->memory = sti_arena_make(r->env);
    r->vertices = sti_arena_take(&r->memory, (size_t)r->corners, sizeof *r->vertices);
    r->own_edges = sti_arena_take(&r->memory, (size_t)r->corners, sizeof *r->own_edges);
    r->things = sti_arena_take(&r->memory, (size_t)parts + (size_t)fixtures + (size_t)tips, sizeof *r->things);
    r->thing_points = sti_arena_take(&r->memory, points, sizeof *r->thing_points);
    r->thing_edges = sti_arena_take(&r->memory, points, sizeof *r->thing_edges);
    if (r->memory.status != STI_OK) return r->memory.status;
    own_outline(r);
    points = 0;
    for (int i = 0; i < parts; i++) {
        if (i == r->course->part) continue;
        reach_thing* t = &r->things[r->thing_count++];
        put_part(r, i, t, &points);
        t->free = true;
        if (!sti_reach_metric(r, i, &t->metric)) sti_reach_fail(r, "the damping of part %d may be singular", i);
        touches(r, t, i);
    }
    for (int i = 0; i < fixtures; i++) {
        double pose[3];
        const sti_outline o = sti_manipulation_fixture_outline(r->m, i);
        sti_manipulation_fixture_pose(r->m, i, pose);
        put_thing(r, &o, number(pose[0]), number(pose[1]), number(pose[2]), &r->things[r->thing_count], &points);
        touches(r, &r->things[r->thing_count++], parts + i);
    }
    for (int i = 0; i < tips; i++) {
        double p[2], v[2];
        if (sti_manipulation_tip_probe(r->m, i) == r->course->probe) continue;
        sti_manipulation_tip(r->m, i, 0, p, v);
        const sti_outline o = {.radius = sti_manipulation_tip_radius(r->m, i)};
        if (v[0] != 0 || v[1] != 0)
            return STI_FAIL(r->env, STI_ERR_INPUT, i, "tip %d: moves too, and only one probe may", i);
        put_thing(r, &o, number(p[0]), number(p[1]), number(0), &r->things[r->thing_count], &points);
        touches(r, &r->things[r->thing_count++], parts + fixtures + sti_manipulation_tip_probe(r->m, i));
    }
    return STI_OK;
}

// ---- one point and one edge

// How a point moves past the edge in the step, along the edge's normal; NULL: nothing is known but its travel.
typedef struct meeting {
    const reach_edge* e;
    place at;
    const place* motion;  // of the point as seen from the edge, linearized
    double wanted;        // radius and travel of both
    double radius;
    const reach_rivals* rivals;  // NULL: nobody presses here, as neither side is free
    double mu, way;              // for them
    const reach_metric* other;   // of the other side; NULL: that stands fast
    place centre;                // of the other side
} meeting;

// A contact of the point with a vertex is open at the end of the step: (p - v)'(p - v + motion) > 0.
static bool passes(reach* r, const meeting* k, num x, num y, double* left) {
    const num dx = minus(r, k->at.x, x), dy = minus(r, k->at.y, y);
    const num square = plus(r, times(r, dx, dx), times(r, dy, dy));
    const num after = plus(r, square, plus(r, times(r, dx, k->motion->x), times(r, dy, k->motion->y)));
    const double now = low_of(r, square), then = low_of(r, after);
    if (!(now > 0) || !(then > 0)) return false;
    const double longest = sqrt(sti_affine_high(&r->k, &square)) * (1 + 1e-12);
    *left = fmin(*left, fmin(sqrt(now) * (1 - 1e-12), then / longest));
    return true;
}

static double distance_of(const reach* r, num x, num y) {
    return hypot(magnitude(r, x), magnitude(r, y)) * (1 + 1e-12);
}

// No solution of the step presses here. gap: of the contacts at the end, at least; or now, to be lessened by all
// motion.
static bool alone(reach* r, const meeting* k, double gap, bool now) {
    if (k->rivals == NULL) return true;
    const double from = distance_of(r, k->at.x, k->at.y) + k->radius;
    double give = 0;
    if (k->other != NULL) {
        const num x = minus(r, k->at.x, k->centre.x), y = minus(r, k->at.y, k->centre.y);
        give = sti_reach_nu_square(k->other, distance_of(r, x, y) + k->radius);
    }
    const double motion = (k->rivals->shift + from * k->rivals->angle + k->way + k->radius) * (1 + 1e-12);
    return sti_reach_excluded(k->rivals, now ? gap - motion : gap, from, k->mu, k->way, give);
}

// The point is farther than anything travels; or the contacts that it may have with the edge and its ends are open at
// the end.
static bool stays_off(reach* r, const meeting* k) {
    const reach_edge* e = k->e;
    const num dx = minus(r, k->at.x, e->from.x), dy = minus(r, k->at.y, e->from.y);
    const num d = plus(r, times(r, e->out.x, dx), times(r, e->out.y, dy));
    const num s = plus(r, times(r, e->along.x, dx), times(r, e->along.y, dy));
    const num beyond = minus(r, s, e->length);
    const double gap = low_of(r, d), before = low_of(r, scaled(r, s, -1)), behind = low_of(r, beyond);
    const double best = fmax(fmax(gap, low_of(r, scaled(r, d, -1))), fmax(before, behind));
    double left = best - k->wanted;
    bool sole = left > 0 && alone(r, k, best, true);
    if ((left <= 0 || !sole) && k->motion != NULL && k->radius == 0) {
        const num rate = plus(r, times(r, e->out.x, k->motion->x), times(r, e->out.y, k->motion->y));
        const double then = fmin(gap, low_of(r, plus(r, d, rate)));
        double room = then;
        const bool off = then > 0 || before > 0 || behind > 0;
        if (off && !(then > 0)) room = fmax(before, behind);
        if (off && passes(r, k, e->from.x, e->from.y, &room) &&
            passes(r, k, plus(r, e->from.x, times(r, e->along.x, e->length)),
                   plus(r, e->from.y, times(r, e->along.y, e->length)), &room)) {
            left = fmax(left, room);
            sole = left > 0 && alone(r, k, room, false);
        }
    }
    r->out->clearance = fmin(r->out->clearance, left);
    r->coarse = left > 0 && !sole;
    return left > 0 && sole;
}

static bool far_from(reach* r, place at, place centre, double wanted) {
    const num dx = minus(r, at.x, centre.x), dy = minus(r, at.y, centre.y);
    const num square = plus(r, times(r, dx, dx), times(r, dy, dy));
    const double low = low_of(r, square), left = (low > 0 ? sqrt(low) * (1 - 1e-12) : 0) - wanted;
    r->out->clearance = fmin(r->out->clearance, left);
    return left > 0;
}

// ---- parts that are not pushed

static bool corners_off(reach* r, const reach_thing* points, const reach_thing* t) {
    for (int i = 0; i < points->corners; i++) {
        if (t->edges == NULL && points->edges == NULL)
            return far_from(r, points->at[0], t->at[0], points->radius + t->radius);
        for (int f = 0; f < t->corners && t->edges != NULL; f++) {
            const meeting q = {.e = &t->edges[f], .at = points->at[i], .wanted = points->radius};
            if (!stays_off(r, &q)) return false;
        }
    }
    return true;
}

// They touch nothing, so they stay where they are as long as nothing comes to them.
bool sti_reach_others_rest(reach* r) {
    const double keep = r->out->clearance;
    for (int i = 0; i < r->thing_count; i++) {
        for (int j = 0; j < i; j++) {
            const reach_thing *a = &r->things[i], *b = &r->things[j];
            const double between = hypot(a->middle[0] - b->middle[0], a->middle[1] - b->middle[1]);
            if ((!a->free && !b->free) || between * (1 - 1e-9) > a->reach + b->reach) continue;
            if (!corners_off(r, a, b) || !corners_off(r, b, a))
                return sti_reach_fail(r, "parts that are not pushed may touch something");
        }
    }
    r->out->clearance = keep;  // which is about what is pushed
    return true;
}

// ---- a step

typedef struct scope {
    const reach_state* x;
    place tool;  // first tip in the world
    num bx, by;  // the same, axes of the edge
    const num* u;
    double travel;  // of any point of the part
    reach_rivals rivals;
} scope;

static place into_axes(const reach* r, const scope* k, place at) {
    const num dx = minus(r, at.x, k->tool.x), dy = minus(r, at.y, k->tool.y);
    return (place){plus(r, k->bx, plus(r, times(r, k->x->cosine, dx), times(r, k->x->sine, dy))),
                   plus(r, k->by, minus(r, times(r, k->x->cosine, dy), times(r, k->x->sine, dx)))};
}

// Motion of the point of the part that is at p.
static place moves(const reach* r, const scope* k, place p) {
    return (place){minus(r, k->u[0], times(r, k->u[2], p.y)), plus(r, k->u[1], times(r, k->u[2], p.x))};
}

static bool part_and_thing(reach* r, const scope* k, const reach_thing* t) {
    place corner[2];
    const double wanted = (k->travel + t->radius) * (1 + 1e-12);
    const place centre = into_axes(r, k, t->origin);
    for (int i = 0; i < t->corners; i++) {
        const place p = into_axes(r, k, t->at[i]), m = moves(r, k, p);
        const place back = {scaled(r, m.x, -1), scaled(r, m.y, -1)};
        for (int f = 0; f < r->corners; f++) {
            const meeting q = {.e = &r->own_edges[f],
                               .at = p,
                               .motion = &back,
                               .wanted = wanted,
                               .radius = t->radius,
                               .rivals = &k->rivals,
                               .mu = t->mu,
                               .other = t->free ? &t->metric : NULL,
                               .centre = centre};
            if (!stays_off(r, &q)) return false;
        }
        // edges of the thing in these axes, the part's corners against them
        if (t->edges == NULL) continue;
        corner[0] = p;
        corner[1] = into_axes(r, k, t->at[(i + 1) % t->corners]);
        reach_edge e = t->edges[i];
        const num c = k->x->cosine, s = k->x->sine;
        e.from = corner[0];
        e.along = (place){plus(r, times(r, c, t->edges[i].along.x), times(r, s, t->edges[i].along.y)),
                          minus(r, times(r, c, t->edges[i].along.y), times(r, s, t->edges[i].along.x))};
        e.out = (place){e.along.y, scaled(r, e.along.x, -1)};
        for (int v = 0; v < r->corners; v++) {
            const place motion = moves(r, k, r->vertices[v]);
            const meeting q = {.e = &e,
                               .at = r->vertices[v],
                               .motion = &motion,
                               .wanted = wanted,
                               .rivals = &k->rivals,
                               .mu = t->mu,
                               .other = t->free ? &t->metric : NULL,
                               .centre = centre};
            if (!stays_off(r, &q)) return false;
        }
    }
    return true;
}

// A tip and something that it is not to touch, both in the world.
static bool tip_and_thing(reach* r, place tip, const reach_thing* t) {
    const double wanted = (r->way_size + r->radius + t->radius) * (1 + 1e-12);
    if (t->edges == NULL) return far_from(r, tip, t->at[0], wanted);
    for (int f = 0; f < t->corners; f++) {
        const meeting q = {.e = &t->edges[f], .at = tip, .wanted = wanted};
        if (!stays_off(r, &q)) return false;
    }
    return true;
}

// Of a convex part a tip on an edge is nearest to that edge alone, so the step has no contact with another one.
static bool is_convex(const reach* r) {
    for (int i = 0; i < r->corners; i++) {
        const place *a = &r->own_edges[i].along, *b = &r->own_edges[(i + 1) % r->corners].along;
        if (!(low_of(r, minus(r, times(r, a->x, b->y), times(r, a->y, b->x))) > 0)) return false;
    }
    return true;
}

// The tips and the edges of the part that are not pushed.
static bool own_edges(reach* r, const scope* k) {
    const double wanted = (r->way_size + k->travel + r->radius) * (1 + 1e-12);
    const bool convex = is_convex(r);
    for (int i = 0; i < r->tips; i++) {
        const place at = {plus(r, r->start.x, k->x->s[i]),
                          minus(r, r->start.y, plus(r, k->x->g[i], number(r->radius)))};
        for (int f = 0; f < r->corners; f++) {
            const meeting q = {.e = &r->own_edges[f],
                               .at = at,
                               .wanted = wanted,
                               .radius = r->radius,
                               .rivals = convex ? NULL : &k->rivals,
                               .mu = r->mu_high,
                               .way = r->way_size};
            if (f != r->course->edge && !stays_off(r, &q)) return false;
        }
    }
    return true;
}

// What is inside stays inside, as nothing comes to an edge: so one member decides for all, and rounding does not
// matter.
static bool is_inside(const place* corners, int count, double x, double y) {
    bool inside = false;
    for (int i = 0, j = count - 1; i < count; j = i++) {
        const double ax = corners[j].x.c, ay = corners[j].y.c, bx = corners[i].x.c, by = corners[i].y.c;
        if ((ay > y) != (by > y) && x < ax + (y - ay) / (by - ay) * (bx - ax)) inside = !inside;
    }
    return inside;
}

// The tool is set down outside of all that there is; no thing lies in the part, nor the part in a thing.
static bool starts_outside(reach* r, const scope* k) {
    const double c = k->x->cosine.c, s = k->x->sine.c, least = 1e-9 * r->part_reach;
    for (int i = 0; i < r->tips; i++) {
        const double away = fmax(k->x->g[i].c + r->radius, least);  // on the edge is not inside
        if (is_inside(r->vertices, r->corners, r->start.x.c + k->x->s[i].c, r->start.y.c - away))
            return sti_reach_fail(r, "a tip starts inside the part");
    }
    const double dx = r->vertices[0].x.c - k->bx.c, dy = r->vertices[0].y.c - k->by.c;
    for (int i = 0; i < r->thing_count; i++) {
        const reach_thing* t = &r->things[i];
        const place first = into_axes(r, k, t->at[0]);
        if (is_inside(r->vertices, r->corners, first.x.c, first.y.c) ||
            is_inside(t->at, t->corners, k->tool.x.c + c * dx - s * dy, k->tool.y.c + s * dx + c * dy))
            return sti_reach_fail(r, "the part starts where something else is");
        for (int j = 0; j < r->tips; j++) {
            const double x = k->tool.x.c + j * r->apart.x.c, y = k->tool.y.c + j * r->apart.y.c;
            if (is_inside(t->at, t->corners, x, y)) return sti_reach_fail(r, "a tip starts inside something else");
        }
    }
    return true;
}

// Nor does another solution press on a thing so far away.
static bool far_alone(const reach* r, const scope* k, const reach_thing* t, double between, double open) {
    const double from = (between + t->reach + open + r->part_reach) * (1 + 1e-9);
    const double apart = (between - t->reach - open - r->part_reach) * (1 - 1e-9);
    const double motion = (k->rivals.shift + from * k->rivals.angle) * (1 + 1e-9);
    return sti_reach_excluded(&k->rivals, apart - motion, from, t->mu, 0,
                              t->free ? sti_reach_nu_square(&t->metric, from + between) : 0);
}

// Which of both it was: the way there, or another solution.
static bool blame(reach* r, long step, const char* what) {
    r->out->coarse = r->coarse;
    if (!r->coarse) return sti_reach_fail(r, "step %ld: %s", step, what);
    return sti_reach_fail(r, "step %ld: another solution may press where the gap is narrow for steps of this length",
                          step);
}

bool sti_reach_apart(reach* r, const reach_state* x, const num u[3], long step) {
    const double l = (double)step;
    const num nx = between(AT_TOOL_X, -r->course->tip, r->course->tip);
    const num ny = between(AT_TOOL_Y, -r->course->tip, r->course->tip);
    const double turn = magnitude(r, u[2]);
    scope k = {.x = x, .u = u};
    k.tool.x = plus(r, plus(r, r->tip.x, nx), scaled(r, r->way.x, l));
    k.tool.y = plus(r, plus(r, r->tip.y, ny), scaled(r, r->way.y, l));
    k.bx = plus(r, r->start.x, x->s[0]);
    k.by = minus(r, r->start.y, plus(r, x->g[0], number(r->radius)));
    k.travel =
        (hypot(magnitude(r, u[0]), magnitude(r, u[1])) + r->part_reach * turn) / (1 - fmin(turn, 0.5)) * (1 + 1e-9);
    if (!(turn < 0.5)) return sti_reach_fail(r, "step %ld: the part may turn too far in it", step);
    if (!sti_reach_rivals_bound(r, x, u, &k.rivals)) return false;
    if (!own_edges(r, &k)) return blame(r, step, "a tip may come to another edge");
    const num px = minus(r, k.tool.x, minus(r, times(r, x->cosine, k.bx), times(r, x->sine, k.by)));
    const num py = minus(r, k.tool.y, plus(r, times(r, x->sine, k.bx), times(r, x->cosine, k.by)));
    const double open = hypot(sti_affine_spread(&r->k, &px), sti_affine_spread(&r->k, &py));
    for (int i = 0; i < r->thing_count; i++) {
        const reach_thing* t = &r->things[i];
        const double room = t->reach + open + k.travel + r->way_size + 2 * r->radius;
        const double between = hypot(px.c - t->middle[0], py.c - t->middle[1]);
        const bool near = between <= (room + r->part_reach) * (1 + 1e-9) || !far_alone(r, &k, t, between, open);
        if (near && !part_and_thing(r, &k, t)) return blame(r, step, "the part may touch something else");
        for (int j = 0; j < r->tips; j++) {
            place tip = k.tool;
            if (j == 1) tip = (place){plus(r, tip.x, r->apart.x), plus(r, tip.y, r->apart.y)};
            if (hypot(tip.x.c - t->middle[0], tip.y.c - t->middle[1]) > (room + r->course->tip * 2) * (1 + 1e-9))
                continue;
            if (!tip_and_thing(r, tip, t)) return sti_reach_fail(r, "step %ld: a tip may touch something else", step);
        }
    }
    if (r->k.bad) return sti_reach_fail(r, "step %ld: a length may be 0", step);
    return step > 0 || starts_outside(r, &k);
}
