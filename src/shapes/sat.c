// sat.c: the direction that parts two polytopes best.
//
// Statement  for overlapping polytopes the largest of
//                separation(n) = min over a of n'x - max over b of n'x       over unit n
//            is minus the depth of penetration, and it is attained at a face normal of a or b or, in space, at the product
//            of an edge of each (the facets of a - b are of these kinds). All are tried; so the answer is exact up to
//            rounding. For touching or separated ones it is a lower bound of the distance, exact unless both closest
//            features are corners, or a corner and an edge.
// Edges      only a pair whose arcs on the unit sphere cross makes a facet of a - b: with a1, a2 the normals beside the edge
//            of a and b1, b2 those beside the edge of b, the arcs a1 a2 and -b1 -b2 must cut. Two signs decide most pairs.
//            Edges without faces (segments, lone triangles) are projected in full, to both sides. Edges that are parallel within 1e-7 are
//            left out: faces serve there, to the same accuracy.
// Ties       a face wins over edges and a over b unless the other is better by more than 1e-10 of the scale, so that
//            rounding does not make the choice flicker.
// Cores without any axis, a point on a point or on a segment, get a fixed perpendicular direction.
#include <math.h>

#include "shapes/pair.h"

static void faces_of_a(const pair* p, axis* best) {
    for (int f = 0; f < p->a->face_count; f++) {
        const vec n = rotate(p->R, core_normal(p->a, f));
        const double offset = p->a->plane[4 * (size_t)f + 3] + vec_dot(n, p->t);
        const int i = core_support(p->b, (vec){-n.x, -n.y, -n.z});
        const double s = vec_dot(n, pair_vertex_b(p, i)) - offset;
        if (s > best->separation)
            *best = (axis){.kind = AXIS_FACE_A, .separation = s, .n = {-n.x, -n.y, -n.z}, .fa = f, .fb = i};
    }
}

static void faces_of_b(const pair* p, double bias, axis* best) {
    double needed = best->separation + bias;
    for (int f = 0; f < p->b->face_count; f++) {
        const vec n = core_normal(p->b, f), d = rotate_back(p->R, n);
        const int i = core_support(p->a, (vec){-d.x, -d.y, -d.z});
        const double s = vec_dot(n, pair_vertex_a(p, i)) - p->b->plane[4 * (size_t)f + 3];
        if (!(s > needed)) continue;
        *best = (axis){.kind = AXIS_FACE_B, .separation = s, .n = n, .fa = i, .fb = f};
        needed = s;
    }
}

// Do the arcs from a1 to a2 and from -b1 to -b2 cross? The edges run so that e is along a1 x a2 and f along b1 x b2.
static bool arcs_cross(vec a1, vec a2, vec e, vec b1, vec b2, vec f) {
    const double c1 = vec_dot(b1, e), c2 = vec_dot(b2, e);  // sides of the circle through a1 and a2
    if (c1 * c2 >= 0) return false;
    const double d1 = vec_dot(a1, f), d2 = vec_dot(a2, f);
    return d1 * d2 < 0 && c1 * d2 < 0;  // each arc cuts the other's circle, and on the same half of the sphere
}

static double project(const pair* p, vec n) {
    const vec d = rotate_back(p->R, n);
    const int i = core_support(p->a, (vec){-d.x, -d.y, -d.z}), j = core_support(p->b, n);
    return vec_dot(n, vec_sub(pair_vertex_a(p, i), pair_vertex_b(p, j)));
}

static void edges_of_both(const pair* p, double bias, axis* best) {
    const core *a = p->a, *b = p->b;
    const vec centre = vec_add(rotate(p->R, vec_of(a->centre)), p->t);
    double needed = best->separation + bias;
    for (int i = 0; i < a->edge_count; i++) {
        const vec pa = pair_vertex_a(p, a->edge[2 * i]), e = vec_sub(pair_vertex_a(p, a->edge[2 * i + 1]), pa);
        const bool bare_a = a->edge_face[2 * i + 1] < 0;
        const vec a1 = bare_a ? e : rotate(p->R, core_normal(a, a->edge_face[2 * i]));
        const vec a2 = bare_a ? e : rotate(p->R, core_normal(a, a->edge_face[2 * i + 1]));
        for (int j = 0; j < b->edge_count; j++) {
            const vec pb = pair_vertex_b(p, b->edge[2 * j]), f = vec_sub(pair_vertex_b(p, b->edge[2 * j + 1]), pb);
            const bool bare = bare_a || b->edge_face[2 * j + 1] < 0;
            if (!bare &&
                !arcs_cross(a1, a2, e, core_normal(b, b->edge_face[2 * j]), core_normal(b, b->edge_face[2 * j + 1]), f))
                continue;
            vec n = vec_cross(e, f);
            const double length = vec_norm(n);
            if (!(length > 1e-7 * vec_norm(e) * vec_norm(f))) continue;
            n = vec_scale(1 / length, n);
            // from b to a: from the edge of a into a. Bare edges may part to either side; centres decide ties.
            if (vec_dot(n, vec_sub(centre, bare ? vec_of(b->centre) : pa)) < 0) n = (vec){-n.x, -n.y, -n.z};
            double s = bare ? project(p, n) : vec_dot(n, vec_sub(pa, pb));
            if (bare) {
                const double back = project(p, (vec){-n.x, -n.y, -n.z});
                if (back > s + bias) {
                    s = back;
                    n = (vec){-n.x, -n.y, -n.z};
                }
            }
            if (!(s > needed)) continue;
            *best = (axis){.kind = AXIS_EDGES, .separation = s, .n = n, .fa = i, .fb = j};
            needed = s;
        }
    }
}

// A point on a point, or in line with a segment
static void perpendicular(const pair* p, axis* best) {
    vec d = {0, 0, 0};
    if (p->b->vertex_count == 2) d = vec_sub(pair_vertex_b(p, 1), pair_vertex_b(p, 0));
    if (p->a->vertex_count == 2) d = vec_sub(pair_vertex_a(p, 1), pair_vertex_a(p, 0));
    const double length = vec_norm(d);
    best->n = (vec){0, p->a->dim == 2 ? 1 : 0, p->a->dim == 2 ? 0 : 1};
    if (length > 0 && p->a->dim == 3) {
        double n[3], t1[3], t2[3];
        vec_store(vec_scale(1 / length, d), n);
        sti_tangent_frame(n, t1, t2);
        best->n = vec_of(t1);
    }
    best->separation = project(p, best->n);
}

void sti_pair_axis(const pair* p, axis* out) {
    const double bias = 1e-10 * p->scale;
    *out = (axis){.kind = AXIS_OTHER, .separation = -INFINITY};
    faces_of_a(p, out);
    faces_of_b(p, bias, out);
    edges_of_both(p, bias, out);
    if (out->kind == AXIS_OTHER) perpendicular(p, out);
}
