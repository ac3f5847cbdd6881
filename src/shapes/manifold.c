// manifold.c: the contact points of two cores.
//
// 1. Closest points (gjk.c). Farther than the limit: none.
// 2. The normal. When the cores are more than 1e-6 of the scale apart it is the direction of the closest points,
//    replaced by a face normal that differs from it by less than 1e-7. Nearer, that direction would be made of
//    rounding, and the best separating axis (sat.c) serves; except between two corners, or a corner and an edge, where
//    no axis reaches the distance: there the closest points decide down to 1e-9 of the scale.
// 3. The points.
//    face      the other core clipped by it (clip.c), each point with its own height over the face
//    edges     the closest points of the two edges
//    corners   the closest points. If both cores have an edge there, nearly parallel: also the ends of each edge that
//              lie opposite the other one, each with its own distance and normal.
//    When no face gave the normal but one lies within 6 degrees of it, the points clipped by that face are added unless
//    they are deeper than the closest ones: a plate that rests on a rim is held by the rest of its face as well.
// Every touch is a distance between true features, so gaps are exact for each of them, and the least is the distance
// (or minus the depth) of the pair.
#include "shapes/manifold.h"

#include <math.h>

#define PARALLEL 0.05      // sine of the largest angle between edges that count as parallel
#define NEARLY_FLAT 0.995  // cosine between the normal and that of a face that still holds

// Closest points of two lines of edges; parallel ones do not come here.
static touch edge_touch(const pair* p, const axis* x) {
    const vec a = pair_vertex_a(p, p->a->edge[2 * x->fa]), b = pair_vertex_b(p, p->b->edge[2 * x->fb]);
    const vec e = vec_sub(pair_vertex_a(p, p->a->edge[2 * x->fa + 1]), a);
    const vec f = vec_sub(pair_vertex_b(p, p->b->edge[2 * x->fb + 1]), b);
    const vec w = vec_sub(a, b);
    const double ee = vec_dot(e, e), ff = vec_dot(f, f), ef = vec_dot(e, f), we = vec_dot(w, e), wf = vec_dot(w, f);
    const double s = fmin(1, fmax(0, (ee * wf - ef * we) / (ee * ff - ef * ef)));
    return (touch){.pb = vec_axpy(s, f, b), .n = x->n, .d = x->separation, .id = touch_id(FEATURE_EDGES, x->fa, x->fb)};
}

static int edge_between(const core* c, int u, int v) {
    for (int e = 0; e < c->edge_count; e++) {
        if ((c->edge[2 * e] == u && c->edge[2 * e + 1] == v) || (c->edge[2 * e] == v && c->edge[2 * e + 1] == u))
            return e;
    }
    return -1;
}

// The vertices that differ among the corners of a simplex; returns how many (1 or 2; 3 is more than an edge).
static int distinct(int count, const int* v, int out[3]) {
    int n = 0;
    for (int i = 0; i < count; i++) {
        bool seen = false;
        for (int j = 0; j < n; j++) seen = seen || out[j] == v[i];
        if (!seen) out[n++] = v[i];
    }
    return n;
}

static touch closest_touch(const pair* p, const closest* c) {
    int va[3] = {0}, vb[3] = {0};
    const int na = distinct(c->count, c->ia, va), nb = distinct(c->count, c->ib, vb);
    touch t = {.pb = c->pb, .n = c->n, .d = c->distance};
    const int ea = na == 2 ? edge_between(p->a, va[0], va[1]) : -1;
    const int eb = nb == 2 ? edge_between(p->b, vb[0], vb[1]) : -1;
    if (ea >= 0 && eb >= 0) {
        t.id = touch_id(FEATURE_EDGES, ea, eb);
    } else if (na == 1) {
        t.id = touch_id(FEATURE_VERTEX_A, va[0], 0);
    } else if (nb == 1) {
        t.id = touch_id(FEATURE_VERTEX_B, vb[0], 0);
    } else {
        int a = va[0], b = vb[0];
        for (int i = 1; i < na; i++) a = va[i] < a ? va[i] : a;
        for (int i = 1; i < nb; i++) b = vb[i] < b ? vb[i] : b;
        t.id = touch_id(FEATURE_POINTS, a, b);
    }
    return t;
}

// The face of c whose normal (b's frame) is nearest to n; -1 without faces. *cosine gets how near.
static int aligned_face(const pair* p, bool of_a, vec n, double* cosine) {
    const core* c = of_a ? p->a : p->b;
    const vec own = of_a ? rotate_back(p->R, (vec){-n.x, -n.y, -n.z}) : n;
    int best = -1;
    *cosine = -INFINITY;
    for (int f = 0; f < c->face_count; f++) {
        const double s = vec_dot(core_normal(c, f), own);
        if (s > *cosine) {
            *cosine = s;
            best = f;
        }
    }
    return best;
}

// Step 2, when the cores are apart: a face with the normal of the closest points?
static bool snap(const pair* p, const closest* c, axis* x) {
    for (int of_b = 0; of_b < 2; of_b++) {
        double cosine;
        const int f = aligned_face(p, of_b == 0, c->n, &cosine);
        if (f < 0) continue;
        const vec own = core_normal(of_b ? p->b : p->a, f);
        const vec n = of_b ? own : rotate(p->R, (vec){-own.x, -own.y, -own.z});
        if (vec_norm(vec_sub(n, c->n)) > 1e-7) continue;
        *x = (axis){.kind = of_b ? AXIS_FACE_B : AXIS_FACE_A, .separation = c->distance, .n = n, .fa = f, .fb = f};
        return true;
    }
    return false;
}

static void find_axis(const pair* p, const closest* c, axis* x) {
    const axis by_points = {.kind = AXIS_OTHER, .separation = c->distance, .n = c->n};
    if (c->distance > 1e-6 * p->scale) {
        if (!snap(p, c, x)) *x = by_points;
        return;
    }
    sti_pair_axis(p, x);
    const bool short_of = x->separation < c->distance * (1 - 1e-10) - 1e-14 * p->scale;
    if (c->distance > 1e-9 * p->scale && short_of) *x = by_points;
}

// ---- nearly parallel edges

typedef struct segment {
    vec o, e;    // from o to o + e
    int v0, v1;  // its vertices
} segment;

// The edge at the vertex of the core farthest along n (its own frame) that is nearest to perpendicular to n.
static bool edge_at(const pair* p, bool of_a, vec n, segment* out) {
    const core* c = of_a ? p->a : p->b;
    const vec own = of_a ? rotate_back(p->R, n) : n;
    const int v = core_support(c, own);
    const int pairs = c->dim == 2 ? c->face_count : c->edge_count;
    double least = PARALLEL;
    bool found = false;
    for (int i = 0; i < pairs; i++) {
        const int* ends = c->dim == 2 ? c->loop_vertex + c->face_start[i] : c->edge + 2 * i;
        if (ends[0] != v && ends[1] != v) continue;
        const vec o = vec_of(c->vertex + 3 * (size_t)ends[0]), e = vec_sub(vec_of(c->vertex + 3 * (size_t)ends[1]), o);
        const double slope = fabs(vec_dot(e, own)) / vec_norm(e);
        if (!(slope < least)) continue;
        least = slope;
        found = true;
        *out = (segment){
            .o = of_a ? pair_vertex_a(p, ends[0]) : o, .e = of_a ? rotate(p->R, e) : e, .v0 = ends[0], .v1 = ends[1]};
    }
    return found;
}

static bool is_new(const touch_list* list, const touch* t, double reach) {
    for (int k = 0; k < list->count; k++) {
        if (list->touch[k].id == t->id || vec_norm(vec_sub(list->touch[k].pb, t->pb)) <= reach) return false;
    }
    return true;
}

// The end x of one edge against the other edge, where it lies opposite its inside.
static void add_end(const pair* p, vec x, const segment* other, bool x_of_a, int v, double limit, touch_list* list) {
    const double s = vec_dot(vec_sub(x, other->o), other->e) / vec_dot(other->e, other->e);
    if (!(s >= 0 && s <= 1)) return;
    const vec y = vec_axpy(s, other->e, other->o), d = x_of_a ? vec_sub(x, y) : vec_sub(y, x);
    const double length = vec_norm(d);
    if (!(length <= limit) || !(length > 1e-9 * p->scale)) return;
    const touch t = {.pb = x_of_a ? y : x,
                     .n = vec_scale(1 / length, d),
                     .d = length,
                     .id = touch_id(x_of_a ? FEATURE_VERTEX_A : FEATURE_VERTEX_B, v, 0)};
    if (is_new(list, &t, 1e-6 * p->scale)) sti_touch_add(list, t);
}

static void add_parallel_edges(const pair* p, vec n, double limit, touch_list* list) {
    segment a, b;
    if (!edge_at(p, true, (vec){-n.x, -n.y, -n.z}, &a) || !edge_at(p, false, n, &b)) return;
    if (vec_norm(vec_cross(a.e, b.e)) > PARALLEL * vec_norm(a.e) * vec_norm(b.e)) return;
    const int first = list->count - 1;
    const double level = list->touch[first].d + 1e-9 * p->scale;
    add_end(p, a.o, &b, true, a.v0, limit, list);
    add_end(p, vec_add(a.o, a.e), &b, true, a.v1, limit, list);
    add_end(p, b.o, &a, false, b.v0, limit, list);
    add_end(p, vec_add(b.o, b.e), &a, false, b.v1, limit, list);
    // parallel: any point between two ends is a closest one, and says nothing that they do not
    int level_ends = 0;
    for (int k = first + 1; k < list->count; k++) level_ends += list->touch[k].d <= level ? 1 : 0;
    if (level_ends >= 2) list->touch[first] = list->touch[--list->count];
}

// ---- all of it

static void add_flat_face(const pair* p, const touch* first, double limit, touch_list* list) {
    double cosine_a, cosine_b;
    const int fa = aligned_face(p, true, first->n, &cosine_a), fb = aligned_face(p, false, first->n, &cosine_b);
    const bool on_a = cosine_a >= cosine_b;
    if (!(fmax(cosine_a, cosine_b) >= NEARLY_FLAT)) return;
    touch_list more;
    more.count = 0;
    sti_pair_clip(p, on_a, on_a ? fa : fb, limit, &more);
    for (int k = 0; k < more.count; k++) {
        if (more.touch[k].d >= first->d && is_new(list, more.touch + k, 1e-3 * p->scale))
            sti_touch_add(list, more.touch[k]);
    }
}

// The deepest point of an axis that clipping and closest points did not give.
static touch deepest_touch(const pair* p, const closest* c, const axis* x) {
    const vec d = rotate_back(p->R, x->n);
    const int i = core_support(p->a, (vec){-d.x, -d.y, -d.z}), j = core_support(p->b, x->n);
    touch t = {.n = x->n, .d = x->separation};
    if (x->kind == AXIS_FACE_A) {
        t.pb = pair_vertex_b(p, j);
        t.id = touch_id(FEATURE_VERTEX_B, j, 0);
    } else if (x->kind == AXIS_OTHER) {  // points and segments that meet
        t.pb = c->pb;
        t.id = touch_id(FEATURE_POINTS, 0, 0);
    } else {
        t.pb = vec_axpy(-x->separation, x->n, pair_vertex_a(p, i));
        t.id = touch_id(FEATURE_VERTEX_A, i, 0);
    }
    return t;
}

static void touches_of_axis(const pair* p, const closest* c, const axis* x, double limit, touch_list* list) {
    if (x->separation > limit) return;
    if (x->kind == AXIS_FACE_A || x->kind == AXIS_FACE_B) {
        const int before = list->count;
        sti_pair_clip(p, x->kind == AXIS_FACE_A, x->kind == AXIS_FACE_A ? x->fa : x->fb, limit, list);
        double least = INFINITY;
        for (int k = before; k < list->count; k++) least = fmin(least, list->touch[k].d);
        if (!(least <= x->separation + 1e-9 * p->scale))
            sti_touch_add(list, c->count > 0 ? closest_touch(p, c) : deepest_touch(p, c, x));
        return;
    }
    touch first;
    if (x->kind == AXIS_EDGES) {
        first = edge_touch(p, x);
    } else if (c->count > 0) {
        first = closest_touch(p, c);
    } else {
        first = deepest_touch(p, c, x);
    }
    sti_touch_add(list, first);
    if (c->count > 0 && x->kind == AXIS_OTHER) add_parallel_edges(p, first.n, limit, list);
    add_flat_face(p, &first, limit, list);
}

void sti_pair_touches(const pair* p, double limit, touch_list* list) {
    closest c;
    sti_pair_closest(p, limit, &c);
    if (c.far) return;
    axis x;
    find_axis(p, &c, &x);
    touches_of_axis(p, &c, &x, limit, list);
}

touch sti_pair_nearest(const pair* p) {
    closest c;
    sti_pair_closest(p, INFINITY, &c);
    axis x;
    find_axis(p, &c, &x);
    if (x.kind == AXIS_EDGES) return edge_touch(p, &x);
    if (c.count > 0 && x.separation > 0) {
        touch t = closest_touch(p, &c);
        t.n = x.n;
        return t;
    }
    return deepest_touch(p, &c, &x);
}

// A direction is a normal of the mesh at an edge of the triangle only if it does not lean into the triangle beyond.
// What leans there is that triangle's to report. Beyond a convex edge it does so better; over a flat or hollow one the
// face of this triangle still counts.
void sti_pair_touches_triangle(const pair* p, const vec neighbour[3], double limit, touch_list* list) {
    closest c;
    sti_pair_closest(p, limit, &c);
    if (c.far) return;
    axis x;
    find_axis(p, &c, &x);
    const vec n = core_normal(p->b, 0);
    bool allowed = true, bent = false;
    if (vec_dot(x.n, n) < 0) {
        if (x.separation > p->a->radius) return;  // behind, and apart
        allowed = false;
    }
    const int far_out = core_support(p->b, x.n);
    const double most = vec_dot(x.n, pair_vertex_b(p, far_out));
    for (int k = 0; k < 3; k++) {
        const double u = vec_dot(x.n, pair_vertex_b(p, k)), w = vec_dot(x.n, pair_vertex_b(p, (k + 1) % 3));
        if (fmax(u, w) < most - 1e-9 * p->scale || vec_dot(x.n, neighbour[k]) <= 1e-9) continue;
        allowed = false;
        bent = bent || vec_dot(neighbour[k], n) < -1e-9;
    }
    if (bent && x.kind != AXIS_FACE_B) return;
    if (allowed || x.kind == AXIS_FACE_B) {
        touches_of_axis(p, &c, &x, limit, list);
    } else {
        sti_pair_clip(p, false, 0, limit, list);
    }
}
