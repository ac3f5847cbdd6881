// gjk.c: closest points of two polytopes.
//
// Problem    min | x - y |, x in a, y in b: the point v of a - b nearest to the origin.
// Method     Gilbert, Johnson, Keerthi 1988. A simplex of at most four points of a - b moves towards the origin: v is
//            its nearest point, w the point of a - b farthest against v, and
//                v'w / |v|  <=  distance  <=  |v|
//            so the run ends when the two meet. Our departures:
//   D1       the nearest point of a triangle is found from its plane and the signs of areas taken inside that plane, of
//            a tetrahedron from its faces: no determinants of the whole simplex, which cancel when it is flat;
//   D2       |v| must fall at every step; when rounding prevents it the run ends with the best v so far, which is a
//            true pair of points of the bodies whatever happened before.
// Outcome    points of both bodies, and |v| larger than the distance by at most a few roundings of the scale. Below
//            1e-12 of the scale the pair counts as overlapping; the direction v / |v| means nothing there.
// Cost       a handful of scans over the vertices, or of climbs from the last one (climb.c).
#include <math.h>

#include "shapes/pair.h"

typedef struct corner {
    vec w, pa, pb;
    int ia, ib;
} corner;

typedef struct simplex {
    int count;
    corner c[4];
    double weight[4];
    vec v;  // sum of weight w
} simplex;

typedef struct nearest {
    int count;
    int which[3];
    double weight[3];
    vec v;
    double square;
} nearest;

static nearest on_point(const simplex* s, int i) {
    const vec v = s->c[i].w;
    return (nearest){.count = 1, .which = {i}, .weight = {1}, .v = v, .square = vec_dot(v, v)};
}

static nearest on_segment(const simplex* s, int i, int j) {
    const vec a = s->c[i].w, b = s->c[j].w, e = vec_sub(b, a);
    const double ee = vec_dot(e, e), t = -vec_dot(a, e);
    if (!(t > 0)) return on_point(s, i);
    if (!(t < ee)) return on_point(s, j);
    const double x = t / ee;
    const vec v = x < 0.5 ? vec_axpy(x, e, a) : vec_axpy(x - 1, e, b);
    return (nearest){.count = 2, .which = {i, j}, .weight = {1 - x, x}, .v = v, .square = vec_dot(v, v)};
}

static nearest on_triangle(const simplex* s, int i, int j, int k) {
    const vec a = s->c[i].w, e = vec_sub(s->c[j].w, a), f = vec_sub(s->c[k].w, a);
    const vec n = vec_cross(e, f);
    const double nn = vec_dot(n, n), ee = vec_dot(e, e), ff = vec_dot(f, f);
    if (nn > 1e-24 * ee * ff) {
        const double height = vec_dot(n, a) / nn;
        const vec foot = vec_sub(vec_scale(height, n), a);  // D1: of the origin, in the plane, from a
        const double wk = vec_dot(n, vec_cross(e, foot)), wj = vec_dot(n, vec_cross(foot, f));
        if (wk >= 0 && wj >= 0 && wj + wk <= nn) {
            const vec v = vec_scale(height, n);
            return (nearest){.count = 3,
                             .which = {i, j, k},
                             .weight = {1 - (wj + wk) / nn, wj / nn, wk / nn},
                             .v = v,
                             .square = vec_dot(v, v)};
        }
    }
    nearest best = on_segment(s, i, j);
    const nearest jk = on_segment(s, j, k), ki = on_segment(s, k, i);
    if (jk.square < best.square) best = jk;
    if (ki.square < best.square) best = ki;
    return best;
}

// False when the origin is inside.
static bool on_tetrahedron(const simplex* s, nearest* best) {
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    bool outside = false;
    best->square = INFINITY;
    for (int f = 0; f < 4; f++) {
        const vec a = s->c[face[f][0]].w;
        const vec n = vec_cross(vec_sub(s->c[face[f][1]].w, a), vec_sub(s->c[face[f][2]].w, a));
        const vec d = vec_sub(s->c[face[f][3]].w, a);
        const double origin = -vec_dot(n, a), other = vec_dot(n, d);
        const bool flat = other * other <= 1e-28 * vec_dot(n, n) * vec_dot(d, d);
        if (!flat && (origin > 0) == (other > 0)) continue;
        outside = true;
        const nearest x = on_triangle(s, face[f][0], face[f][1], face[f][2]);
        if (x.square < best->square) *best = x;
    }
    return outside;
}

static void keep(simplex* s, const nearest* x) {
    simplex next = {.count = x->count, .v = x->v};
    for (int i = 0; i < x->count; i++) {
        next.c[i] = s->c[x->which[i]];
        next.weight[i] = x->weight[i];
    }
    *s = next;
}

static corner support(const pair* p, vec v, int from_a, int from_b) {  // against v
    corner c;
    const vec d = rotate_back(p->R, v);
    c.ia = core_support_from(p->a, (vec){-d.x, -d.y, -d.z}, from_a);
    c.ib = core_support_from(p->b, v, from_b);
    c.pa = pair_vertex_a(p, c.ia);
    c.pb = pair_vertex_b(p, c.ib);
    c.w = vec_sub(c.pa, c.pb);
    return c;
}

static void report(const simplex* s, closest* out) {
    out->pa = out->pb = (vec){0, 0, 0};
    out->count = s->count;
    for (int i = 0; i < s->count; i++) {
        out->pa = vec_axpy(s->weight[i], s->c[i].pa, out->pa);
        out->pb = vec_axpy(s->weight[i], s->c[i].pb, out->pb);
        out->ia[i] = s->c[i].ia;
        out->ib[i] = s->c[i].ib;
    }
}

void sti_pair_closest(const pair* p, double limit, closest* out) {
    *out = (closest){.distance = 0, .pa = vec_of(p->b->centre), .pb = vec_of(p->b->centre)};
    const vec centre_a = vec_add(rotate(p->R, vec_of(p->a->centre)), p->t);
    simplex s = {.count = 1, .weight = {1}};
    s.c[0] = support(p, vec_sub(centre_a, vec_of(p->b->centre)), 0, 0);
    s.v = s.c[0].w;
    int last_a = s.c[0].ia, last_b = s.c[0].ib;
    const double tiny = 1e-12 * p->scale;
    for (int step = 0; step < 200; step++) {
        const double vv = vec_dot(s.v, s.v), length = sqrt(vv);
        if (length <= tiny) {
            report(&s, out);
            out->count = 0;
            return;
        }
        const corner c = support(p, s.v, last_a, last_b);
        last_a = c.ia;
        last_b = c.ib;
        const double vw = vec_dot(s.v, c.w);
        if (vw > limit * length) {
            out->far = true;
            return;
        }
        bool again = vv - vw <= 1e-15 * (vv + length * p->scale);
        for (int i = 0; i < s.count; i++) again = again || (s.c[i].ia == c.ia && s.c[i].ib == c.ib);
        if (again) break;
        s.c[s.count++] = c;
        nearest x;
        if (s.count == 2) {
            x = on_segment(&s, 0, 1);
        } else if (s.count == 3) {
            x = on_triangle(&s, 0, 1, 2);
        } else if (!on_tetrahedron(&s, &x)) {
            return;
        }
        if (!(x.square < vv)) {  // D2
            s.count--;
            break;
        }
        keep(&s, &x);
    }
    report(&s, out);
    out->distance = vec_norm(s.v);
    out->n = vec_scale(1 / out->distance, s.v);
}
