// round.c: cylinders and cones: exact contacts by prisms that are turned about the axis.
//
// A surface of revolution touches along one generator, or with an end. So the shape is replaced by a prism that has
// this generator as an edge, and which one that is depends on what it touches: a turn about the axis is found first,
// then the pair is one of polytopes (manifold.c).
//
// Statement  with h the exact support functions,
//                s(n) = -h_a(-n) - h_b(n),     n unit from b to a,
//            is at most the distance (of overlapping shapes at most minus the depth), with equality for the right n. A
//            prism inside, turned somehow, has at least that distance. So where the two agree, both are the answer.
// Search     1. The prisms are tried as they are, then with generators that face along the normal found: planes, edges
//            and other
//               generators are settled by that.
//            2. Otherwise s(n) is maximized from there, by a compass search and, because s has ridges where the other
//               shape has edges or a support jumps from end to end, by line searches in the planes across those.
//            3. Generators face along that n, or the middles of sides of prisms outside do, whose edges and faces are
//               tangents: in an overlap with a corner or an edge no prism inside has the right normal. The turns with
//               the largest s(n) are taken.
// Points     Of the prism inside all corners lie on the round surface, so their gaps are exact. An end is a disc; its
//            prism has
//            32 corners, 0.5 % of the radius inside of the circle between them.
// Flat ends  Where the axis is within FLAT of n, no generator is nearer than another: the prism stays as it is on the
//            body.
#include "shapes/round.h"

#include <math.h>

enum { GOLDEN = 46, RIDGES = 3 };
#define FLAT 1e-4     // sine between the axis and a direction that no generator faces
#define AGREE 1e-11   // of the scale: s(n) is the distance
#define OPENING 0.25  // radians to either side in which a ridge is searched; twice the angle of a side
#define FINEST 1e-9   // radians: where the compass search ends
#define SAGITTA 5e-3  // of the radius: a prism of 32 sides lies inside by at most that

typedef struct spin {
    double c, s;  // of the angle about the axis
    bool outside;
} spin;

static const spin still = {1, 0, false};

// A pair as it is turned, and what it found.
typedef struct attempt {
    spin a, b;
    touch t;           // in the frame of b as it is
    double separated;  // s(n)
    bool alone;        // no turn has this n: the touch is all there is
} attempt;

static spin towards(vec d, bool outside) {
    const double flat = sqrt(d.x * d.x + d.y * d.y);
    if (!(flat > FLAT * vec_norm(d))) return (spin){1, 0, outside};
    return (spin){d.x / flat, d.y / flat, outside};
}

static vec turn_back(spin k, vec x) {  // of a vector in the frame of a turned b
    return (vec){k.c * x.x - k.s * x.y, k.s * x.x + k.c * x.y, x.z};
}

static void turn_right(spin k, double R[9]) {  // R Rz
    for (int i = 0; i < 3; i++) {
        const double x = R[3 * i], y = R[3 * i + 1];
        R[3 * i] = k.c * x + k.s * y;
        R[3 * i + 1] = -k.s * x + k.c * y;
    }
}

static pair turned(const sti_shape* a, const sti_shape* b, const pair* p, spin of_a, spin of_b) {
    pair q = *p;
    if (a != NULL && sti_shape_is_round(a)) {
        turn_right(of_a, q.R);
        q.a = of_a.outside ? &a->around : &a->core;
    }
    if (b == NULL || !sti_shape_is_round(b)) return q;
    q.b = of_b.outside ? &b->around : &b->core;
    for (int j = 0; j < 3; j++) {  // Rz' R
        const double x = q.R[j], y = q.R[3 + j];
        q.R[j] = of_b.c * x + of_b.s * y;
        q.R[3 + j] = -of_b.s * x + of_b.c * y;
    }
    q.t = (vec){of_b.c * q.t.x + of_b.s * q.t.y, -of_b.s * q.t.x + of_b.c * q.t.y, q.t.z};
    return q;
}

// max of d'x over the core of a shape, or over the round shape itself
static double support(const sti_shape* s, const core* c, vec d) {
    if (s == NULL || !sti_shape_is_round(s)) return vec_dot(d, vec_of(c->vertex + 3 * (size_t)core_support(c, d)));
    const double flat = sqrt(d.x * d.x + d.y * d.y);
    return fmax(s->rim[0] * flat - s->half[0] * d.z, s->rim[1] * flat + s->half[0] * d.z);
}

static double separation(const sti_shape* a, const sti_shape* b, const pair* p, vec n) {
    const vec d = rotate_back(p->R, n);
    return vec_dot(n, p->t) - support(a, p->a, (vec){-d.x, -d.y, -d.z}) - support(b, p->b, n);
}

static attempt try_turn(const sti_shape* a, const sti_shape* b, const pair* p, spin of_a, spin of_b) {
    const pair q = turned(a, b, p, of_a, of_b);
    attempt out = {.a = of_a, .b = of_b, .t = sti_pair_nearest(&q)};
    if (b != NULL && sti_shape_is_round(b)) {
        out.t.n = turn_back(of_b, out.t.n);
        out.t.pb = turn_back(of_b, out.t.pb);
    }
    out.separated = separation(a, b, p, out.t.n);
    return out;
}

// ---- the largest s(n)

typedef struct search {
    const sti_shape *a, *b;
    const pair* p;
    vec n;     // the best so far
    double s;  // s(n)
} search;

static vec unit(vec x) {
    return vec_scale(1 / vec_norm(x), x);
}

static bool improve(search* k, vec n) {
    const double s = separation(k->a, k->b, k->p, n);
    if (!(s > k->s)) return false;
    k->n = n;
    k->s = s;
    return true;
}

// Eight directions, which turn with every try: a ridge between two of them would end it.
static void compass(search* k) {
    double angle = 0;
    for (double h = OPENING; h > FINEST;) {
        double n[3], t1[3], t2[3];
        vec_store(k->n, n);
        sti_tangent_frame(n, t1, t2);
        bool better = false;
        for (int i = 0; i < 8 && !better; i++) {
            const double at = angle + 0.7853981633974483 * (5 * i % 8);
            const vec way = vec_axpy(cos(at), vec_of(t1), vec_scale(sin(at), vec_of(t2)));
            better = improve(k, unit(vec_axpy(h, way, vec_of(n))));
        }
        angle += 2.399963229728653;
        if (!better) h *= 0.6;
    }
}

// Golden section about the present n, among the directions that rise by `height` along e for one across it: a plane
// where that is 0.
static void across(search* k, vec e, double height) {
    const double ratio = 0.6180339887498949, length = vec_norm(e);
    if (!(length > 0)) return;
    e = vec_scale(1 / length, e);
    const vec flat = vec_axpy(-vec_dot(e, k->n), e, k->n), up = vec_scale(height, e);
    if (!(vec_norm(flat) > 0.1)) return;
    const vec x = unit(flat), y = vec_cross(e, x);
    double low = -OPENING, high = OPENING, at[2], value[2];
    for (int i = -2; i < GOLDEN; i++) {
        bool lower = i == -2;  // where a new value is due: at the lower place, or at the upper one
        if (i >= 0) {
            lower = value[0] > value[1];
            if (lower)
                high = at[1];
            else
                low = at[0];
            at[lower] = at[!lower];
            value[lower] = value[!lower];
        }
        at[!lower] = lower ? high - ratio * (high - low) : low + ratio * (high - low);
        const vec n = unit(vec_add(unit(vec_axpy(tan(at[!lower]), y, x)), up));
        value[!lower] = separation(k->a, k->b, k->p, n);
    }
    improve(k, unit(vec_add(unit(vec_axpy(tan(0.5 * low + 0.5 * high), y, x)), up)));
}

// Edges of a polytope at its support along d that are nearest to perpendicular to d, its own frame. Returns how many.
static int ridges(const core* c, vec d, vec out[RIDGES]) {
    double slope[RIDGES];
    int count = 0;
    const double level = vec_dot(d, vec_of(c->vertex + 3 * (size_t)core_support(c, d))) - 0.1 * OPENING * c->size;
    for (int i = 0; i < c->edge_count; i++) {
        const vec u = vec_of(c->vertex + 3 * (size_t)c->edge[2 * i]),
                  w = vec_of(c->vertex + 3 * (size_t)c->edge[2 * i + 1]);
        const vec e = vec_sub(w, u);
        const double steep = fabs(vec_dot(e, d)) / vec_norm(e);
        if (fmax(vec_dot(d, u), vec_dot(d, w)) < level || steep > 2 * OPENING) continue;
        int k = count < RIDGES ? count++ : RIDGES;
        for (; k > 0 && slope[k - 1] > steep; k--) {
            if (k == RIDGES) continue;
            slope[k] = slope[k - 1];
            out[k] = out[k - 1];
        }
        if (k == RIDGES) continue;
        slope[k] = steep;
        out[k] = e;
    }
    return count;
}

static void along_ridges(search* k) {
    const sti_shape* both[2] = {k->a, k->b};
    for (int side = 0; side < 2; side++) {
        const core* c = side == 0 ? k->p->a : k->p->b;
        const vec back = rotate_back(k->p->R, (vec){-k->n.x, -k->n.y, -k->n.z});
        vec e[RIDGES] = {{0, 0, 1}};
        const bool turns = both[side] != NULL && sti_shape_is_round(both[side]);
        const int count = turns ? 1 : ridges(c, side == 0 ? back : k->n, e);
        // where the support jumps between the ends: along a generator; n leads out of b and into a
        const double slope = turns ? (both[side]->rim[0] - both[side]->rim[1]) / (2 * both[side]->half[0]) : 0;
        for (int i = 0; i < count; i++) across(k, side == 0 ? rotate(k->p->R, e[i]) : e[i], side == 0 ? -slope : slope);
    }
}

// ---- turns

static attempt along(const sti_shape* a, const sti_shape* b, const pair* p, vec n, int outside) {
    const vec back = rotate_back(p->R, (vec){-n.x, -n.y, -n.z});
    return try_turn(a, b, p, towards(back, (outside & 1) != 0), towards(n, (outside & 2) != 0));
}

static bool settled(const pair* p, const attempt* k) {
    return fabs(k->t.d - k->separated) <= AGREE * p->scale;
}

// A generator of each faces the closest point of the other.
static attempt at_points(const sti_shape* a, const sti_shape* b, const pair* p, const attempt* now) {
    const vec pa = vec_axpy(now->t.d, now->t.n, now->t.pb), seen = rotate_back(p->R, vec_sub(now->t.pb, p->t));
    return try_turn(a, b, p, towards(seen, false), towards(pa, false));
}

// The turns that n leads to, where one has a larger s(n) than the best so far.
static void try_along(const sti_shape* a, const sti_shape* b, const pair* p, vec n, attempt* best) {
    const int kinds[2] = {a != NULL && sti_shape_is_round(a) ? 2 : 1, b != NULL && sti_shape_is_round(b) ? 2 : 1};
    for (int outside = 0; outside < 4; outside++) {
        if ((outside & 1) >= kinds[0] || outside / 2 >= kinds[1]) continue;
        const attempt other = along(a, b, p, n, outside);
        if (other.separated > best->separated + AGREE * p->scale) *best = other;
    }
}

// Turned along n the prisms have a direction that is nearly as good, and better for them: the support of a along n
// alone.
static attempt alone(const search* k, const attempt* best) {
    const vec back = rotate_back(k->p->R, (vec){-k->n.x, -k->n.y, -k->n.z});
    attempt out = *best;
    out.a = towards(back, false);
    out.b = towards(k->n, false);
    const pair q = turned(k->a, NULL, k->p, out.a, still);
    const int i = core_support(q.a, rotate_back(q.R, (vec){-k->n.x, -k->n.y, -k->n.z}));
    out.separated = k->s;
    out.alone = true;
    out.t = (touch){
        .n = k->n, .d = k->s, .pb = vec_axpy(-k->s, k->n, pair_vertex_a(&q, i)), .id = touch_id(FEATURE_POINTS, 0, 0)};
    return out;
}

static attempt best_turn(const sti_shape* a, const sti_shape* b, const pair* p) {
    const attempt first = try_turn(a, b, p, still, still);
    attempt best = along(a, b, p, first.t.n, 0);
    for (int k = 0; k < 2 && !settled(p, &best); k++) {
        const attempt other = at_points(a, b, p, k == 0 ? &first : &best);
        if (other.separated > best.separated) best = other;
    }
    if (settled(p, &best)) return best;
    search k = {.a = a, .b = b, .p = p, .n = best.t.n, .s = best.separated};
    along_ridges(&k);
    try_along(a, b, p, k.n, &best);
    if (settled(p, &best)) return best;
    compass(&k);
    along_ridges(&k);
    try_along(a, b, p, k.n, &best);
    return settled(p, &best) || !(k.s < best.t.d) ? best : alone(&k, &best);
}

void sti_round_face(double R[9], vec d) {
    turn_right(towards(rotate_back(R, d), false), R);
}

// Far apart, whatever the turns are.
static bool is_far(const sti_shape* a, const sti_shape* b, const pair* p, double limit) {
    const sti_shape* both[2] = {a, b};
    closest c;
    for (int k = 0; k < 2; k++) {
        if (both[k] != NULL && sti_shape_is_round(both[k])) limit += SAGITTA * fmax(both[k]->rim[0], both[k]->rim[1]);
    }
    sti_pair_closest(p, limit, &c);
    return c.far;
}

void sti_round_touches(const sti_shape* a, const sti_shape* b, const pair* p, double limit, touch_list* list) {
    if (is_far(a, b, p, limit)) return;
    const attempt best = best_turn(a, b, p);
    const pair q = turned(a, b, p, best.a, best.b);
    const int before = list->count;
    if (best.alone) {
        if (best.t.d <= limit) sti_touch_add(list, best.t);
        return;
    }
    sti_pair_touches(&q, limit, list);
    for (int k = before; k < list->count && sti_shape_is_round(b); k++) {
        list->touch[k].n = turn_back(best.b, list->touch[k].n);
        list->touch[k].pb = turn_back(best.b, list->touch[k].pb);
    }
}

touch sti_round_nearest(const sti_shape* a, const sti_shape* b, const pair* p) {
    return best_turn(a, b, p).t;
}

bool sti_round_face_triangle(const sti_shape* a, pair* p, double limit) {
    if (is_far(a, NULL, p, limit)) return false;
    const attempt best = best_turn(a, NULL, p);
    *p = turned(a, NULL, p, best.a, still);
    return true;
}
