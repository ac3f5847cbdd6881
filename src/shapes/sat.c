// sat.c: the direction that parts two polytopes best.
//
// Statement  for overlapping polytopes the largest of
//                separation(n) = min over a of n'x - max over b of n'x       over unit n
//            is minus the depth of penetration, and it is attained at a face normal of a or b or, in space, at the
//            product of an edge of each (the facets of a - b are of these kinds). All are tried; so the answer is exact
//            up to rounding. For touching or separated ones it is a lower bound of the distance, exact unless both
//            closest features are corners, or a corner and an edge.
// Edges      only a pair whose arcs on the unit sphere cross makes a facet of a - b: with a1, a2 the normals beside the
//            edge of a and b1, b2 those beside the edge of b, the arcs a1 a2 and -b1 -b2 must cut. Two signs decide
//            most pairs. Edges without faces (segments, lone triangles) are projected in full, to both sides. Edges
//            that are parallel within 1e-7 are left out: faces serve there, to the same accuracy.
// Ties       a face wins over edges and a over b unless the other is better by more than 1e-10 of the scale, so that
//            rounding does not make the choice flicker.
// Cores without any axis, a point on a point or on a segment, get a fixed perpendicular direction.
#include <math.h>

#include "shapes/pair.h"

static void faces_of_a(const pair* p, axis* best) {
    int i = 0;
    for (int f = 0; f < p->a->face_count; f++) {
        const vec n = rotate(p->R, core_normal(p->a, f));
        const double offset = p->a->plane[4 * (size_t)f + 3] + vec_dot(n, p->t);
        if (vec_dot(n, vec_of(p->b->centre)) - offset <= best->separation) continue;  // its centre is no farther
        i = core_support_from(p->b, (vec){-n.x, -n.y, -n.z}, i);
        const double s = vec_dot(n, pair_vertex_b(p, i)) - offset;
        if (s > best->separation)
            *best = (axis){.kind = AXIS_FACE_A, .separation = s, .n = {-n.x, -n.y, -n.z}, .fa = f, .fb = i};
    }
}

static void faces_of_b(const pair* p, double bias, axis* best) {
    const vec centre = vec_add(rotate(p->R, vec_of(p->a->centre)), p->t);
    double needed = best->separation + bias;
    int i = 0;
    for (int f = 0; f < p->b->face_count; f++) {
        const vec n = core_normal(p->b, f), d = rotate_back(p->R, n);
        if (vec_dot(n, centre) - p->b->plane[4 * (size_t)f + 3] <= needed) continue;
        i = core_support_from(p->a, (vec){-d.x, -d.y, -d.z}, i);
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

// ia, ib: vertices that may be the outermost ones.
static double project(const pair* p, vec n, int ia, int ib) {
    const vec d = rotate_back(p->R, n);
    const int i = core_support_from(p->a, (vec){-d.x, -d.y, -d.z}, ia), j = core_support_from(p->b, n, ib);
    return vec_dot(n, vec_sub(pair_vertex_a(p, i), pair_vertex_b(p, j)));
}

// An edge in the frame of b
typedef struct rib {
    int index;
    bool bare;   // without faces
    vec o, e;    // from o to o + e
    vec n1, n2;  // normals beside it
} rib;

static rib rib_of(const pair* p, bool of_a, int i) {
    const core* c = of_a ? p->a : p->b;
    const int u = c->edge[2 * i], w = c->edge[2 * i + 1];
    rib r = {.index = i, .bare = c->edge_face[2 * i + 1] < 0};
    r.o = of_a ? pair_vertex_a(p, u) : pair_vertex_b(p, u);
    r.e = vec_sub(of_a ? pair_vertex_a(p, w) : pair_vertex_b(p, w), r.o);
    if (r.bare) return r;
    r.n1 = core_normal(c, c->edge_face[2 * i]);
    r.n2 = core_normal(c, c->edge_face[2 * i + 1]);
    if (of_a) {
        r.n1 = rotate(p->R, r.n1);
        r.n2 = rotate(p->R, r.n2);
    }
    return r;
}

// Does no point of the core lie farther along u than this edge, which is square to u? It does where a face beside it
// rises away from it.
static bool is_outermost(const rib* r, vec u) {
    const vec into[2] = {vec_cross(r->n1, r->e), vec_cross(r->n2, r->e)};
    for (int k = 0; k < 2; k++) {
        const double length = vec_norm(into[k]), side = vec_dot(into[k], k == 0 ? r->n2 : r->n1);
        if (fabs(side) <= 1e-9 * length) continue;  // the two faces are all but one
        if ((side < 0 ? 1 : -1) * vec_dot(u, into[k]) > 1e-6 * length) return false;
    }
    return true;
}

static void try_edges(const pair* p, const rib* a, const rib* b, double bias, double* needed, axis* best) {
    const bool bare = a->bare || b->bare;
    if (!bare && !arcs_cross(a->n1, a->n2, a->e, b->n1, b->n2, b->e)) return;
    vec n = vec_cross(a->e, b->e);
    const double length = vec_norm(n);
    if (!(length > 1e-7 * vec_norm(a->e) * vec_norm(b->e))) return;
    n = vec_scale(1 / length, n);
    const vec back_n = {-n.x, -n.y, -n.z};
    if (bare && !a->bare && !is_outermost(a, n) && !is_outermost(a, back_n)) return;
    // from b to a: from the edge of a into a. Bare edges may part to either side; centres decide ties.
    const vec centre = vec_add(rotate(p->R, vec_of(p->a->centre)), p->t);
    if (vec_dot(n, vec_sub(centre, bare ? vec_of(p->b->centre) : a->o)) < 0) n = (vec){-n.x, -n.y, -n.z};
    const int ia = p->a->edge[2 * a->index], ib = p->b->edge[2 * b->index];
    double s = bare ? project(p, n, ia, ib) : vec_dot(n, vec_sub(a->o, b->o));
    if (bare) {
        const double back = project(p, (vec){-n.x, -n.y, -n.z}, ia, ib);
        if (back > s + bias) {
            s = back;
            n = (vec){-n.x, -n.y, -n.z};
        }
        // of several parallel bare edges only the outermost ones touch
        if (vec_dot(n, vec_sub(a->o, b->o)) > s + bias) return;
    }
    if (!(s > *needed)) return;
    *best = (axis){.kind = AXIS_EDGES, .separation = s, .n = n, .fa = a->index, .fb = b->index};
    *needed = s;
}

// Two edges that part the cores by s are |s| apart, and |s| is at most the depth found so far (or the distance, which
// is below 1e-6 of the scale here). So with n, the best face normal, an edge of a counts only when it comes within
// twice that of the lowest point of a along n, and an edge of b likewise at its top.
static void edges_of_both(const pair* p, double bias, axis* best) {
    enum { CHUNK = 64 };
    const bool any = best->kind != AXIS_OTHER;
    const vec n = best->n;
    const double reach = 2 * (fmax(0, -best->separation) + 2e-6 * p->scale);
    const vec d = rotate_back(p->R, n);
    const double low = vec_dot(n, pair_vertex_a(p, core_support(p->a, (vec){-d.x, -d.y, -d.z}))) + reach;
    const double high = vec_dot(n, pair_vertex_b(p, core_support(p->b, n))) - reach;
    double needed = best->separation + bias;
    for (int i = 0; i < p->a->edge_count;) {
        rib ribs[CHUNK];
        int count = 0;
        for (; i < p->a->edge_count && count < CHUNK; i++) {
            const double u = vec_dot(d, vec_of(p->a->vertex + 3 * (size_t)p->a->edge[2 * i]));
            const double w = vec_dot(d, vec_of(p->a->vertex + 3 * (size_t)p->a->edge[2 * i + 1]));
            if (!any || fmin(u, w) + vec_dot(n, p->t) <= low) ribs[count++] = rib_of(p, true, i);
        }
        for (int j = 0; j < p->b->edge_count && count > 0; j++) {
            const double u = vec_dot(n, pair_vertex_b(p, p->b->edge[2 * j]));
            const double w = vec_dot(n, pair_vertex_b(p, p->b->edge[2 * j + 1]));
            if (any && fmax(u, w) < high) continue;
            const rib b = rib_of(p, false, j);
            for (int k = 0; k < count; k++) try_edges(p, ribs + k, &b, bias, &needed, best);
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
    best->separation = project(p, best->n, 0, 0);
}

void sti_pair_axis(const pair* p, axis* out) {
    const double bias = 1e-10 * p->scale;
    *out = (axis){.kind = AXIS_OTHER, .separation = -INFINITY};
    faces_of_a(p, out);
    faces_of_b(p, bias, out);
    edges_of_both(p, bias, out);
    if (out->kind == AXIS_OTHER) perpendicular(p, out);
}
