// hull.c: convex hull of points in space.
//
// Problem    the faces, edges and vertices of the hull of n points.
// Method     incremental (de Berg et al., Computational Geometry, ch. 11): start from a tetrahedron; a point that sees
//            faces replaces them by triangles from itself to the horizon. Every "sees" is an exact sign (orient.h), so
//            the triangulation is the true hull of the doubles given, whatever is coplanar, collinear or repeated.
// Then       D1  vertices within 1e-10 of the size of another are dropped and the hull is made again;
//            D2  triangles whose corners lie within 1e-10 of the size of a larger one's plane become one face with it;
//            D3  a vertex left with two faces only lies on their common line and is dropped.
//            Should the merged faces fail to be simple loops, the triangles stand as they are.
// Outcome    a core (shape.h), or a refusal: points within 1e-9 of the size of one plane have no inside to speak of.
// Cost       O(n F) for F triangles: meant for hundreds or some thousand vertices, once.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "shapes/orient.h"
#include "shapes/shape.h"

typedef struct triangle {
    int v[3];     // counterclockwise from outside; v[0] = -1: free
    int next[3];  // across the edge from v[k] to v[k+1]
    int group;    // face after merging
    bool seen;    // by the point that is being added
    double area;
} triangle;

typedef struct hull {
    sti_arena memory;
    sti_env* env;
    int count;     // n
    double* p;     // points                              (n x 3)
    double size;   // diagonal of their box
    int capacity;  // of triangles
    int high;      // triangles used so far, free ones among them
    triangle* t;   // (capacity)
    int free_count;
    int* free_list;  // (capacity)
    int* horizon;    // pairs: triangle beyond, its edge; later the loops (3 capacity)
    int* from;       // new triangle whose edge leaves this vertex; later scratch (n)
    int* order;      // (capacity)
    int* member;     // triangles, face by face, once they are grouped (capacity)
} hull;

static void hull_clear(hull* h) {
    sti_arena_clear(&h->memory);
}

static sti_status hull_init(hull* h, sti_env* env, int count, const double* points) {
    *h = (hull){.env = env, .count = count, .capacity = 2 * count + 8};
    h->memory = sti_arena_make(env);
    h->p = sti_arena_raw(&h->memory, 3 * (size_t)count, sizeof *h->p);
    h->t = sti_arena_raw(&h->memory, (size_t)h->capacity, sizeof *h->t);
    h->free_list = sti_arena_raw(&h->memory, (size_t)h->capacity, sizeof *h->free_list);
    h->horizon = sti_arena_raw(&h->memory, 3 * (size_t)h->capacity, sizeof *h->horizon);
    h->from = sti_arena_raw(&h->memory, (size_t)count, sizeof *h->from);
    h->order = sti_arena_raw(&h->memory, (size_t)h->capacity, sizeof *h->order);
    h->member = sti_arena_raw(&h->memory, (size_t)h->capacity, sizeof *h->member);
    if (h->memory.status != STI_OK) return h->memory.status;
    memcpy(h->p, points, 3 * (size_t)count * sizeof *h->p);
    vec low = vec_of(points), high = low;
    for (int i = 1; i < count; i++) {
        const vec x = vec_of(points + 3 * (size_t)i);
        low = (vec){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
        high = (vec){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
    }
    h->size = vec_norm(vec_sub(high, low));
    return STI_OK;
}

static const double* at(const hull* h, int i) {
    return h->p + 3 * (size_t)i;
}

static vec point(const hull* h, int i) {
    return vec_of(at(h, i));
}

// Four points far from each other: the first, the farthest from it, from their line, from their plane.
static sti_status first_four(const hull* h, int v[4]) {
    static const char* const place[3] = {"at one place", "on one line", "in one plane"};
    v[0] = 0;
    for (int k = 1; k < 4; k++) {
        double best = 0;
        v[k] = -1;
        const vec o = point(h, v[0]);
        const vec e = k > 1 ? vec_sub(point(h, v[1]), o) : o;
        const vec n = k > 2 ? vec_cross(e, vec_sub(point(h, v[2]), o)) : o;
        for (int i = 0; i < h->count; i++) {
            const vec d = vec_sub(point(h, i), o);
            double distance = vec_norm(d);
            if (k == 2) distance = vec_norm(vec_cross(d, e)) / vec_norm(e);
            if (k == 3) distance = fabs(vec_dot(d, n)) / vec_norm(n);
            if (distance > best) {
                best = distance;
                v[k] = i;
            }
        }
        if (v[k] < 0 || !(best > 1e-9 * h->size))
            return STI_FAIL(h->env, STI_ERR_INPUT, -1, "the %d points of the polyhedron lie %s", h->count,
                            place[k - 1]);
    }
    return STI_OK;
}

static void tetrahedron(hull* h, const int v[4]) {
    const bool above = sti_orient_spatial(at(h, v[0]), at(h, v[1]), at(h, v[2]), at(h, v[3])) > 0;
    const int a = v[0], b = above ? v[2] : v[1], c = above ? v[1] : v[2], d = v[3];  // d below a, b, c
    h->t[0] = (triangle){.v = {a, b, c}, .next = {1, 2, 3}};
    h->t[1] = (triangle){.v = {b, a, d}, .next = {0, 3, 2}};
    h->t[2] = (triangle){.v = {c, b, d}, .next = {0, 1, 3}};
    h->t[3] = (triangle){.v = {a, c, d}, .next = {0, 2, 1}};
    h->high = 4;
}

// The edges of unseen triangles that border on seen ones; the seen ones become free.
static int cut_out(hull* h) {
    int edges = 0;
    for (int i = 0; i < h->high; i++) {
        triangle* t = h->t + i;
        if (t->v[0] < 0 || t->seen) continue;
        for (int k = 0; k < 3; k++) {
            if (!h->t[t->next[k]].seen) continue;
            h->horizon[2 * edges] = i;
            h->horizon[2 * edges++ + 1] = k;
        }
    }
    for (int i = 0; i < h->high; i++) {
        if (h->t[i].v[0] < 0 || !h->t[i].seen) continue;
        h->t[i].v[0] = -1;
        h->free_list[h->free_count++] = i;
    }
    return edges;
}

static void add_point(hull* h, int p) {
    bool any = false;
    for (int i = 0; i < h->high; i++) {
        triangle* t = h->t + i;
        if (t->v[0] < 0) continue;
        t->seen = sti_orient_spatial(at(h, t->v[0]), at(h, t->v[1]), at(h, t->v[2]), at(h, p)) > 0;
        any = any || t->seen;
    }
    if (!any) return;
    const int edges = cut_out(h);
    for (int j = 0; j < edges; j++) {
        // the unseen triangle runs u to w along its edge k, the new one w to u
        const int beyond = h->horizon[2 * j], k = h->horizon[2 * j + 1];
        const int u = h->t[beyond].v[k], w = h->t[beyond].v[(k + 1) % 3];
        const int i = h->free_count > 0 ? h->free_list[--h->free_count] : h->high++;
        h->t[i] = (triangle){.v = {w, u, p}, .next = {beyond, -1, -1}};
        h->t[beyond].next[k] = i;
        h->from[w] = i;
        h->order[j] = i;
    }
    for (int j = 0; j < edges; j++) {
        triangle* t = h->t + h->order[j];
        t->next[1] = h->from[t->v[1]];  // edge u to p; the triangle that starts at u has p to u
        h->t[t->next[1]].next[2] = h->order[j];
    }
}

static sti_status triangulate(hull* h) {
    int v[4];
    const sti_status status = first_four(h, v);
    if (status != STI_OK) return status;
    tetrahedron(h, v);
    for (int i = 0; i < h->count; i++) {
        if (i != v[0] && i != v[1] && i != v[2] && i != v[3]) add_point(h, i);
    }
    return STI_OK;
}

// D1: corners of the hull, without those too near to an earlier one, in order (out: count x 3).
// Returns their number; *near_ones says whether any was dropped.
static int corners(const hull* h, double* out, bool* near_ones) {
    int count = 0;
    *near_ones = false;
    for (int i = 0; i < h->count; i++) h->from[i] = -1;
    for (int i = 0; i < h->high; i++) {
        for (int k = 0; k < 3 && h->t[i].v[0] >= 0; k++) h->from[h->t[i].v[k]] = 0;
    }
    for (int i = 0; i < h->count; i++) {
        if (h->from[i] < 0) continue;
        bool near = false;
        for (int j = 0; j < count && !near; j++)
            near = vec_norm(vec_sub(point(h, i), vec_of(out + 3 * (size_t)j))) <= 1e-10 * h->size;
        if (near) {
            *near_ones = true;
        } else {
            memcpy(out + 3 * (size_t)count++, at(h, i), 3 * sizeof *out);
        }
    }
    return count;
}

// ---- merging

static vec normal_of(const hull* h, const triangle* t) {
    return vec_cross(vec_sub(point(h, t->v[1]), point(h, t->v[0])), vec_sub(point(h, t->v[2]), point(h, t->v[0])));
}

// Triangles by falling area, ties by number.
static void sort_by_area(hull* h, int count) {
    for (int gap = count / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < count; i++) {
            const int x = h->order[i];
            int j = i;
            for (; j >= gap; j -= gap) {
                const int y = h->order[j - gap];
                if (h->t[y].area > h->t[x].area || (h->t[y].area == h->t[x].area && y < x)) break;
                h->order[j] = y;
            }
            h->order[j] = x;
        }
    }
}

// D2: numbers the faces. Returns how many.
static int group_faces(hull* h, double tol) {
    int live = 0, groups = 0, members = 0;
    for (int i = 0; i < h->high; i++) {
        if (h->t[i].v[0] < 0) continue;
        h->t[i].group = -1;
        h->t[i].area = vec_norm(normal_of(h, h->t + i));
        h->order[live++] = i;
    }
    sort_by_area(h, live);
    int* stack = h->free_list;
    for (int s = 0; s < live; s++) {
        const int seed = h->order[s];
        if (h->t[seed].group >= 0) continue;
        const vec n = vec_scale(1 / h->t[seed].area, normal_of(h, h->t + seed)), o = point(h, h->t[seed].v[0]);
        int depth = 0;
        stack[depth++] = seed;
        h->t[seed].group = groups;
        while (depth > 0) {
            const int i = stack[--depth];
            const triangle* t = h->t + i;
            h->member[members++] = i;
            for (int k = 0; k < 3; k++) {
                triangle* other = h->t + t->next[k];
                bool flat = other->group < 0;
                for (int c = 0; c < 3 && flat; c++)
                    flat = fabs(vec_dot(n, vec_sub(point(h, other->v[c]), o))) <= tol * h->size;
                if (!flat) continue;
                other->group = groups;
                stack[depth++] = t->next[k];
            }
        }
        groups++;
    }
    return groups;
}

// The border of every group as a loop: h->horizon holds the vertices, start (groups+1) where each loop begins. False
// when a border is not one simple loop.
static bool trace_loops(hull* h, int groups, int* start) {
    int total = 0, members = 0, next = 0;
    for (int i = 0; i < h->high; i++) members += h->t[i].v[0] >= 0 ? 1 : 0;
    for (int g = 0; g < groups; g++) {
        start[g] = total;
        int first = -1, edges = 0;
        for (; next < members && h->t[h->member[next]].group == g; next++) {
            const triangle* t = h->t + h->member[next];
            for (int k = 0; k < 3; k++) {
                if (h->t[t->next[k]].group == g) continue;
                h->from[t->v[k]] = t->v[(k + 1) % 3];
                first = t->v[k];
                edges++;
            }
        }
        if (first < 0) return false;
        int v = first;
        for (int i = 0; i < edges; i++) {
            h->horizon[total++] = v;
            v = h->from[v];
            if ((v == first) != (i + 1 == edges)) return false;
        }
    }
    start[groups] = total;
    return true;
}

// D3: vertices that fewer than three loops pass leave them. Fills from with the new number of each vertex, or -1, and
// returns the number of vertices; 0 when a loop became too short.
static int drop_vertices(hull* h, int groups, int* start) {
    for (int i = 0; i < h->count; i++) h->from[i] = 0;
    for (int i = 0; i < start[groups]; i++) h->from[h->horizon[i]]++;
    int vertices = 0, total = 0, first = 0;
    for (int i = 0; i < h->count; i++) h->from[i] = h->from[i] >= 3 ? vertices++ : -1;
    for (int g = 0; g < groups; g++) {
        const int last = start[g + 1];
        const int begin = total;
        for (int i = first; i < last; i++) {
            if (h->from[h->horizon[i]] >= 0) h->horizon[total++] = h->horizon[i];
        }
        if (total - begin < 3) return 0;
        first = last;
        start[g + 1] = total;
    }
    return vertices;
}

static sti_status store(sti_shape* shape, const hull* h, int groups, int vertices, const int* start) {
    for (int g = 0; g < groups; g++) {
        if (start[g + 1] - start[g] > STI_CORE_MAX_LOOP)
            return STI_FAIL(h->env, STI_ERR_SIZE, g, "a face of the hull has %d corners", start[g + 1] - start[g]);
    }
    if (vertices > 1 << 16) return STI_FAIL(h->env, STI_ERR_SIZE, vertices, "hull of %d vertices", vertices);
    core_arrays arrays;
    const sti_status status =
        sti_shape_core_reserve(shape, vertices, start[groups] / 2, groups, start[groups], &arrays);
    if (status != STI_OK) return status;
    for (int i = 0; i < h->count; i++) {
        if (h->from[i] >= 0) memcpy(arrays.vertex + 3 * (size_t)h->from[i], at(h, i), 3 * sizeof(double));
    }
    memcpy(arrays.face_start, start, ((size_t)groups + 1) * sizeof *start);
    for (int i = 0; i < start[groups]; i++) arrays.loop_vertex[i] = h->from[h->horizon[i]];
    return sti_shape_core_finish(shape, &arrays);
}

static sti_status merge(sti_shape* shape, hull* h) {
    int* start = sti_alloc_array(h->env, (size_t)h->capacity + 1, sizeof *start);
    if (start == NULL) return STI_ERR_MEMORY;
    sti_status status = STI_OK;
    bool done = false;
    for (int attempt = 0; attempt < 2 && !done; attempt++) {
        const int groups = group_faces(h, attempt == 0 ? 1e-10 : -1);
        if (!trace_loops(h, groups, start)) continue;
        const int vertices = drop_vertices(h, groups, start);
        if (vertices < 4 || groups < 4) continue;
        status = store(shape, h, groups, vertices, start);
        done = true;
    }
    if (!done) status = STI_FAIL(h->env, STI_ERR_INPUT, -1, "the hull is too thin for its faces to be told apart");
    sti_free(h->env, start);
    return status;
}

sti_status sti_shape_hull_spatial(sti_shape* shape, int count, const double* points) {
    if (count > 1 << 17) return STI_FAIL(shape->env, STI_ERR_SIZE, count, "hull of %d points", count);
    hull h;
    sti_status status = hull_init(&h, shape->env, count, points);
    if (status == STI_OK) status = triangulate(&h);
    double* kept = NULL;
    if (status == STI_OK) {
        kept = sti_alloc_array(shape->env, 3 * (size_t)count, sizeof *kept);
        if (kept == NULL) status = STI_ERR_MEMORY;
    }
    bool near_ones = false;
    if (status == STI_OK) {
        const int left = corners(&h, kept, &near_ones);
        if (near_ones) {
            hull_clear(&h);
            status = hull_init(&h, shape->env, left, kept);
            if (status == STI_OK) status = triangulate(&h);
        }
    }
    if (status == STI_OK) status = merge(shape, &h);
    sti_free(shape->env, kept);
    hull_clear(&h);
    return status;
}
