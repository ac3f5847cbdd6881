// clip.c: two faces laid over each other, and the choice of a few points among many.
//
// The reference face has the contact normal. Of the other core the face nearest to facing it, among those at its
// deepest vertex, is cut by the side planes of the reference face (Sutherland and Hodgman 1974); a core without faces,
// a segment or a point, is cut likewise. Every corner of what is left is a touch at its height over the reference face.
//
// Identity. A corner is a vertex of the one core, a vertex of the other (a corner of two side planes) or a crossing of
// two edges, and is named after these alone, not after the faces: so it keeps its name when the choice of the reference
// changes. Side planes are 1e-9 of the scale loose, so that faces that just cover each other keep their vertices.
#include <math.h>
#include <stdlib.h>

#include "shapes/manifold.h"

typedef struct mark {  // what a corner is, in terms of reference (r) and clipped (i) features
    enum { MARK_VERTEX_I, MARK_VERTEX_R, MARK_CROSSING, MARK_SIDES } kind;
    int r, i;
} mark;

typedef struct bend {
    vec x;
    mark mark;
    bool cut;  // the border from here to the next bend: cut by a side, or part of edge source
    int source;
} bend;

typedef struct side {
    vec m;  // outward
    double c;
    int feature;  // edge in space, vertex in the plane
} side;

static vec vertex(const pair* p, bool of_a, int i) {
    return of_a ? pair_vertex_a(p, i) : pair_vertex_b(p, i);
}

static vec direction(const pair* p, bool of_a, vec n) {  // of that core, to the frame of b
    return of_a ? rotate(p->R, n) : n;
}

// The vertex that two edges share; -1 when they do not meet, which only rounding can bring about.
static int common_vertex(const core* c, int e, int f) {
    for (int k = 0; k < 4; k++) {
        if (c->edge[2 * e + k / 2] == c->edge[2 * f + k % 2]) return c->edge[2 * e + k / 2];
    }
    return -1;
}

static uint64_t name(const pair* p, mark k, bool on_a) {
    if (k.kind == MARK_VERTEX_I) return touch_id(on_a ? FEATURE_VERTEX_B : FEATURE_VERTEX_A, k.i, 0);
    if (k.kind == MARK_CROSSING) return on_a ? touch_id(FEATURE_EDGES, k.r, k.i) : touch_id(FEATURE_EDGES, k.i, k.r);
    const int v = k.kind == MARK_VERTEX_R ? k.r : common_vertex(on_a ? p->a : p->b, k.r, k.i);
    if (v >= 0) return touch_id(on_a ? FEATURE_VERTEX_A : FEATURE_VERTEX_B, v, 0);
    return touch_id(on_a ? FEATURE_SIDES_A : FEATURE_SIDES_B, k.r < k.i ? k.r : k.i, k.r < k.i ? k.i : k.r);
}

// The side planes of a face with normal n. Returns their number.
static int sides_of(const pair* p, bool on_a, int face, vec n, side* out) {
    const core* c = on_a ? p->a : p->b;
    const int first = c->face_start[face], count = c->face_start[face + 1] - first;
    for (int k = 0; k < count; k++) {
        const vec u = vertex(p, on_a, c->loop_vertex[first + k]);
        const vec w = vertex(p, on_a, c->loop_vertex[first + (k + 1) % count]);
        // in the plane a face has two vertices, and the ends of the edge are its sides
        const vec m = c->dim == 2 ? vec_sub(u, w) : vec_cross(vec_sub(w, u), n);
        out[k].m = vec_scale(1 / vec_norm(m), m);
        out[k].c = vec_dot(out[k].m, u);
        out[k].feature = c->dim == 2 ? c->loop_vertex[first + k] : c->loop_edge[first + k];
    }
    return count;
}

// The face of core c at its vertex v that turns most against n (c's own frame); -1 without faces.
static int facing(const core* c, int v, vec n, double tol) {
    int best = -1;
    double least = INFINITY;
    for (int f = 0; f < c->face_count; f++) {
        const vec m = core_normal(c, f);
        if (c->plane[4 * (size_t)f + 3] - vec_dot(m, vec_of(c->vertex + 3 * (size_t)v)) > tol) continue;
        const double s = vec_dot(m, n);
        if (s < least) {
            least = s;
            best = f;
        }
    }
    return best;
}

static bend cut(const bend* u, const bend* w, double du, double dw, const side* s) {
    const double t = fmin(1, fmax(0, du / (du - dw)));
    bend x = {.x = vec_axpy(t, vec_sub(w->x, u->x), u->x)};
    x.mark = (mark){.kind = u->cut ? MARK_SIDES : MARK_CROSSING, .r = s->feature, .i = u->source};
    return x;
}

// A closed polygon by one side. out has room for one more bend. Returns how many there are.
static int clip_loop(int count, const bend* in, const side* s, double tol, bend* out) {
    int kept = 0;
    for (int k = 0; k < count; k++) {
        const bend *u = in + k, *w = in + (k + 1) % count;
        const double du = vec_dot(s->m, u->x) - s->c, dw = vec_dot(s->m, w->x) - s->c;
        if (du <= tol) out[kept++] = *u;
        if ((du <= tol) == (dw <= tol)) continue;
        bend x = cut(u, w, du, dw, s);
        x.cut = du <= tol || u->cut;
        x.source = du <= tol ? s->feature : u->source;
        out[kept++] = x;
    }
    return kept;
}

// A segment by all sides; returns 0, 1 or 2 ends.
static int clip_segment(int count, const side* sides, int dim, double tol, bend ends[2]) {
    for (int k = 0; k < count; k++) {
        const double d0 = vec_dot(sides[k].m, ends[0].x) - sides[k].c, d1 = vec_dot(sides[k].m, ends[1].x) - sides[k].c;
        if (d0 > tol && d1 > tol) return 0;
        if (d0 <= tol && d1 <= tol) continue;
        const int outer = d0 > tol ? 0 : 1;
        const int source = ends[outer].source;
        bend x = cut(&ends[0], &ends[1], d0, d1, sides + k);
        x.source = source;
        if (dim == 2) x.mark = (mark){.kind = MARK_VERTEX_R, .r = sides[k].feature};
        ends[outer] = x;
    }
    return 2;
}

static void emit(const pair* p, bool on_a, vec n, double offset, double limit, const bend* x, touch_list* list) {
    const double d = vec_dot(n, x->x) - offset;
    if (!(d <= limit)) return;
    touch t = {.d = d, .id = name(p, x->mark, on_a)};
    t.n = on_a ? (vec){-n.x, -n.y, -n.z} : n;
    t.pb = on_a ? x->x : vec_axpy(-d, n, x->x);
    for (int k = 0; k < list->count; k++) {
        const touch* other = list->touch + k;
        if (other->id == t.id || vec_norm(vec_sub(other->pb, t.pb)) <= 1e-8 * p->scale) return;
    }
    sti_touch_add(list, t);
}

void sti_pair_clip(const pair* p, bool on_a, int face, double limit, touch_list* list) {
    const core *r = on_a ? p->a : p->b, *c = on_a ? p->b : p->a;
    const vec n = direction(p, on_a, core_normal(r, face));
    const double offset = r->plane[4 * (size_t)face + 3] + (on_a ? vec_dot(n, p->t) : 0);
    const double tol = 1e-9 * p->scale;
    side sides[STI_CORE_MAX_LOOP];
    const int side_count = sides_of(p, on_a, face, n, sides);

    const vec own = on_a ? n : rotate_back(p->R, n);  // n in the frame of the clipped core
    const int deepest = core_support(c, (vec){-own.x, -own.y, -own.z});
    const int other = facing(c, deepest, own, tol);
    if (other >= 0 && c->dim == 3) {
        bend buffer[2][2 * STI_CORE_MAX_LOOP];
        const int first = c->face_start[other];
        int count = c->face_start[other + 1] - first, now = 0;
        for (int k = 0; k < count; k++) {
            const int v = c->loop_vertex[first + k];
            buffer[0][k] = (bend){
                .x = vertex(p, !on_a, v), .mark = {.kind = MARK_VERTEX_I, .i = v}, .source = c->loop_edge[first + k]};
        }
        for (int k = 0; k < side_count && count > 0; k++, now = 1 - now)
            count = clip_loop(count, buffer[now], sides + k, tol, buffer[1 - now]);
        for (int k = 0; k < count; k++) emit(p, on_a, n, offset, limit, buffer[now] + k, list);
        return;
    }
    if (c->vertex_count == 1) {
        const bend x = {.x = vertex(p, !on_a, 0), .mark = {.kind = MARK_VERTEX_I, .i = 0}};
        for (int k = 0; k < side_count; k++) {
            if (vec_dot(sides[k].m, x.x) - sides[k].c > tol) return;
        }
        emit(p, on_a, n, offset, limit, &x, list);
        return;
    }
    // an edge of a polygon, or the segment of a capsule
    const int v0 = other >= 0 ? c->loop_vertex[c->face_start[other]] : 0;
    const int v1 = other >= 0 ? c->loop_vertex[c->face_start[other] + 1] : 1;
    bend ends[2] = {{.x = vertex(p, !on_a, v0), .mark = {.kind = MARK_VERTEX_I, .i = v0}},
                    {.x = vertex(p, !on_a, v1), .mark = {.kind = MARK_VERTEX_I, .i = v1}}};
    const int count = clip_segment(side_count, sides, c->dim, tol, ends);
    for (int k = 0; k < count; k++) emit(p, on_a, n, offset, limit, ends + k, list);
}
