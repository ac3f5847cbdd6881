// climb.c: the vertex of a hull that lies farthest along a direction, uphill along its edges.
//
// On a convex polytope a vertex with no higher neighbour is the highest, so a climb ends there. From a vertex that was
// highest along a direction not far off it takes a step or two, whatever the hull has vertices.
//
// Departure: faces are flat within 1e-10 of the size only (hull.c merges triangles that nearly are), so where a face
// lies level along its edges say little. There all corners of the face are looked at too, and the climb goes on from
// the highest. So the height is that of a scan over all, but for rounding; of several at one height any may be found.
#include <math.h>
#include <string.h>

#include "shapes/shape.h"

#define LEVEL (1 - 1e-9)  // squared cosine between the direction and the normal of such a face

sti_status sti_shape_climb_fill(sti_shape* shape) {
    core* c = &shape->core;
    const size_t vertices = (size_t)c->vertex_count, ends = 2 * (size_t)c->edge_count;
    if (shape->kind != STI_SHAPE_CONVEX || c->edge_count == 0) return STI_OK;
    int* start = sti_alloc_array_zero(shape->env, sti_size_add(vertices + 1, 2 * ends), sizeof *start);
    if (start == NULL) return STI_ERR_MEMORY;
    int *near = start + vertices + 1, *near_edge = near + ends;
    for (size_t e = 0; e < ends; e++) start[c->edge[e] + 1]++;
    for (size_t v = 0; v < vertices; v++) start[v + 1] += start[v];
    for (size_t e = 0; e < ends; e++) {  // start[v] runs to the end of v, which is where v + 1 begins
        const int at = start[c->edge[e]]++;
        near[at] = c->edge[e ^ 1u];
        near_edge[at] = (int)(e / 2);
    }
    memmove(start + 1, start, vertices * sizeof *start);
    start[0] = 0;
    shape->climb = start;
    c->near_start = start;
    c->near = near;
    c->near_edge = near_edge;
    return STI_OK;
}

static double height(const core* c, vec d, int v) {
    return vec_dot(d, vec_of(c->vertex + 3 * (size_t)v));
}

// A higher corner of a face at v that lies level; v: there is none.
static int across_faces(const core* c, vec d, int v, double* most) {
    const double dd = vec_dot(d, d);
    int best = v;
    for (int k = c->near_start[v]; k < c->near_start[v + 1]; k++) {
        for (int side = 0; side < 2; side++) {
            const int f = c->edge_face[2 * c->near_edge[k] + side];
            const double along = vec_dot(d, vec_of(c->plane + 4 * (size_t)f));
            if (c->face_start[f + 1] - c->face_start[f] <= 3 || !(along > 0 && along * along >= LEVEL * dd)) continue;
            for (int i = c->face_start[f]; i < c->face_start[f + 1]; i++) {
                const double s = height(c, d, c->loop_vertex[i]);
                if (!(s > *most)) continue;
                *most = s;
                best = c->loop_vertex[i];
            }
        }
    }
    return best;
}

int sti_core_climb(const core* c, vec d, int from) {
    int at = from, best = from;
    double most = height(c, d, at);
    do {
        at = best;
        for (int k = c->near_start[at]; k < c->near_start[at + 1]; k++) {
            const double s = height(c, d, c->near[k]);
            if (!(s > most)) continue;
            most = s;
            best = c->near[k];
        }
        if (best == at) best = across_faces(c, d, at, &most);
    } while (best != at);
    return best;
}
