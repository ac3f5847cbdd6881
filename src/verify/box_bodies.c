// box_bodies.c: where parts, fixtures and tips are, as forms, and that all of them but the contacts stay apart in a
// step.
#include <math.h>

#include "verify/box.h"

// ---- doubts

num sti_box_doubted(const proof* p, sti_doubt_kind kind, int of) {
    num x = number(0);
    for (int i = 0; i < p->box->doubt_count; i++) {
        const sti_push_doubt* d = &p->box->doubts[i];
        if (d->kind == kind && d->of == of) x = between(i, p->low[i], p->high[i]);
    }
    return x;
}

// ---- where things are

static void settle_points(proof* p, body* b) {
    b->corners = b->o.vertex_count > 0 ? b->o.vertex_count : 1;
    if (b->o.vertex_count == 0) {
        b->at[0] = (place){b->x, b->y};
        return;
    }
    for (int i = 0; i < b->corners; i++) {
        const double vx = b->o.vertices[2 * i], vy = b->o.vertices[2 * i + 1];
        b->at[i].x = plus(p, b->x, minus(p, scaled(p, b->c, vx), scaled(p, b->s, vy)));
        b->at[i].y = plus(p, b->y, plus(p, scaled(p, b->s, vx), scaled(p, b->c, vy)));
    }
}

static void place_part(proof* p, int i) {
    body* b = &p->bodies[i];
    b->x = p->q[3 * i];
    b->y = p->q[3 * i + 1];
    sti_affine_turn(&p->k, &p->q[3 * i + 2], &b->c, &b->s);
    settle_points(p, b);
}

static void place_fixture(proof* p, int i) {
    body* b = &p->bodies[p->parts + i];
    double pose[3];
    sti_manipulation_fixture_pose(p->m, i, pose);
    b->x = number(pose[0]);
    b->y = number(pose[1]);
    const num angle = number(pose[2]);
    sti_affine_turn(&p->k, &angle, &b->c, &b->s);
    settle_points(p, b);
}

// The way of a tip is turned and stretched by the doubts of its probe.
static void place_tip(proof* p, int i, double t) {
    body* b = &p->bodies[p->parts + p->fixtures + i];
    const int probe = sti_manipulation_tip_probe(p->m, i);
    double from[2], at[2], v[2], unused[2];
    sti_manipulation_tip(p->m, i, 0, from, unused);
    sti_manipulation_tip(p->m, i, t, at, v);
    const num turn = sti_box_doubted(p, STI_DOUBT_TURN, probe);
    const num fast = plus(p, number(1), sti_box_doubted(p, STI_DOUBT_SPEED, probe));
    num c, s;
    sti_affine_turn(&p->k, &turn, &c, &s);
    c = times(p, c, fast);
    s = times(p, s, fast);
    const num dx = minus(p, number(at[0]), number(from[0])), dy = minus(p, number(at[1]), number(from[1]));
    const num x0 = plus(p, number(from[0]), sti_box_doubted(p, STI_DOUBT_PLACE_X, probe));
    const num y0 = plus(p, number(from[1]), sti_box_doubted(p, STI_DOUBT_PLACE_Y, probe));
    b->x = plus(p, x0, minus(p, times(p, c, dx), times(p, s, dy)));
    b->y = plus(p, y0, plus(p, times(p, s, dx), times(p, c, dy)));
    b->v.x = minus(p, scaled(p, c, v[0]), scaled(p, s, v[1]));
    b->v.y = plus(p, scaled(p, s, v[0]), scaled(p, c, v[1]));
    settle_points(p, b);
}

void sti_box_place_fixtures(proof* p) {
    for (int i = 0; i < p->fixtures; i++) place_fixture(p, i);
}

void sti_box_place(proof* p, double t) {
    for (int i = 0; i < p->parts; i++) place_part(p, i);
    for (int i = 0; i < p->tips; i++) place_tip(p, i, t);
}

body* sti_box_body(const proof* p, const sti_push_contact* c, bool the_part) {
    const int i = the_part                         ? c->part
                  : c->against == STI_PUSH_PART    ? c->other
                  : c->against == STI_PUSH_FIXTURE ? p->parts + c->other
                                                   : p->parts + p->fixtures + c->other;
    return &p->bodies[i];
}

edge sti_box_edge(proof* p, const body* b, int face) {
    const int next = (face + 1) % b->o.vertex_count;
    const double *v = b->o.vertices + 2 * (size_t)face, *w = b->o.vertices + 2 * (size_t)next;
    const num dx = minus(p, number(w[0]), number(v[0])), dy = minus(p, number(w[1]), number(v[1]));
    const num square = box_dot(p, dx, dy, dx, dy);
    edge e = {.from = b->at[face], .length = sti_affine_sqrt(&p->k, &square)};
    const num ex = sti_affine_div(&p->k, &dx, &e.length), ey = sti_affine_div(&p->k, &dy, &e.length);
    e.along.x = minus(p, times(p, b->c, ex), times(p, b->s, ey));
    e.along.y = plus(p, times(p, b->s, ex), times(p, b->c, ey));
    e.out = (place){e.along.y, scaled(p, e.along.x, -1)};
    return e;
}

// ---- what stays apart

static bool listed(const proof* p, const body* a, const body* b, int corner, int face) {
    for (int i = 0; i < p->box->contact_count; i++) {
        const sti_push_contact* c = &p->box->contacts[i];
        const body *from = sti_box_body(p, c, c->own), *on = sti_box_body(p, c, !c->own);
        if (from == a && on == b && (a->o.vertex_count == 0 || c->corner == corner) &&
            (b->o.vertex_count == 0 || c->face == face))
            return true;
    }
    return false;
}

// Lower bound of the distance of a point to the edge, as the best of three.
static num apart(proof* p, const edge* e, place at, double* best) {
    const num dx = minus(p, at.x, e->from.x), dy = minus(p, at.y, e->from.y),
              s = box_dot(p, e->along.x, e->along.y, dx, dy);
    const num d = box_dot(p, e->out.x, e->out.y, dx, dy);
    const num ways[4] = {d, scaled(p, d, -1), scaled(p, s, -1), minus(p, s, e->length)};
    int k = 0;
    *best = -INFINITY;
    for (int i = 0; i < 4; i++) {
        const double low = sti_affine_low(&p->k, &ways[i]);
        if (low > *best) *best = low, k = i;
    }
    return ways[k];
}

static double travel_of(const proof* p, const body* b, double* turn) {
    *turn = 0;
    if (b->part < 0) return p->box->h * (magnitude(p, b->v.x) + magnitude(p, b->v.y)) * (1 + 1e-12);
    const int at = 3 * b->part;
    double reach = b->o.vertex_count > 0 ? 0 : b->o.radius;
    for (int i = 0; i < b->o.vertex_count; i++)
        reach = fmax(reach, hypot(b->o.vertices[2 * i], b->o.vertices[2 * i + 1]));
    *turn = magnitude(p, *box_entry(p, at + 2, p->order));
    return (magnitude(p, *box_entry(p, at, p->order)) + magnitude(p, *box_entry(p, at + 1, p->order)) + reach * *turn) *
           (1 + 1e-12);
}

// Everything else stays farther than a step reaches: gap (1 - turns) > travel.
static bool check_pair(proof* p, long step, const body* a, const body* b) {
    double turn_a, turn_b;
    const double way = travel_of(p, a, &turn_a) + travel_of(p, b, &turn_b), rest = 1 - turn_a - turn_b;
    const int faces = b->o.vertex_count > 0 ? b->o.vertex_count : 1;
    const double radius = (a->o.vertex_count > 0 ? 0 : a->o.radius) + (b->o.vertex_count > 0 ? 0 : b->o.radius);
    if (!(rest > 0.5)) return sti_pieces_fail(&p->pieces, NULL, "step %ld: a part may turn too far in it", step);
    const double wanted = way / rest * (1 + 1e-12) + radius;
    for (int f = 0; f < faces; f++) {
        edge e = {0};
        if (b->o.vertex_count > 0) e = sti_box_edge(p, b, f);
        for (int i = 0; i < a->corners; i++) {
            if (listed(p, a, b, i, f)) continue;
            double best;
            num gap;
            if (b->o.vertex_count > 0) {
                gap = apart(p, &e, a->at[i], &best);
            } else {
                const num dx = minus(p, a->at[i].x, b->x), dy = minus(p, a->at[i].y, b->y);
                const num ways[4] = {dx, scaled(p, dx, -1), dy, scaled(p, dy, -1)};
                const num square = box_dot(p, dx, dy, dx, dy);
                gap = sti_affine_low(&p->k, &square) > 0 ? sti_affine_sqrt(&p->k, &square) : ways[0];
                best = sti_affine_low(&p->k, &gap);
            }
            p->pieces.margin = fmin(p->pieces.margin, best - wanted);
            if (best > wanted) continue;
            gap = minus(p, gap, number(wanted));
            sti_pieces_fail(&p->pieces, &gap, "step %ld: something else may come into touch", step);
            return false;
        }
    }
    return true;
}

bool sti_box_apart(proof* p, long step) {
    for (int i = 0; i < p->parts; i++) {
        for (int j = 0; j < p->things; j++) {
            const body *a = &p->bodies[i], *b = &p->bodies[j];
            if (j == i || (j < p->parts && j < i)) continue;
            const bool round_a = a->o.vertex_count == 0, round_b = b->o.vertex_count == 0;
            if (round_b) {
                if (!check_pair(p, step, round_a ? a : b, round_a ? b : a)) return false;
            } else if (!check_pair(p, step, a, b) || (!round_a && !check_pair(p, step, b, a))) {
                return false;
            }
        }
    }
    return p->k.bad ? sti_pieces_fail(&p->pieces, NULL, "step %ld: a length may be 0", step) : true;
}
