// shape.h: the inside of a shape.
//
// Every bounded convex shape is a polytope, its core, blown up by a radius: a sphere is a point, a capsule a segment, a
// box and a hull have radius 0. So one pair test serves all of them. In the plane a face is an edge of the polygon,
// with two vertices; a segment has two of them there, one for each side, and none in space.
#ifndef STI_SHAPES_SHAPE_H
#define STI_SHAPES_SHAPE_H

#include <stiction/shapes.h>

#include "base/env.h"
#include "shapes/bvh.h"
#include "shapes/vec.h"

#define STI_CORE_MAX_LOOP 256  // vertices of one face

typedef struct core {
    int dim;
    int vertex_count;        // nv
    int edge_count;          // ne; 0 in the plane
    int face_count;          // nf
    int loop_count;          // nl, length of all loops together
    double radius;           // added all around
    double size;             // largest distance of a vertex from the centre
    double centre[3];        // mean of the vertices
    const double* vertex;    // (nv x 3)
    const double* plane;     // outward unit normal, offset             (nf x 4)
    const int* face_start;   // first entry of each loop                (nf+1)
    const int* loop_vertex;  // vertices, counterclockwise from outside (nl)
    const int* loop_edge;    // edge from this vertex to the next       (nl), space only
    const int* edge;         // its two vertices                        (ne x 2)
    const int* edge_face;    // and its two faces; -1 for a segment     (ne x 2)
    const int* near_start;   // of a hull with many vertices, otherwise NULL: first neighbour of each (nv+1)
    const int* near;         // neighbours along edges                                                (2 ne)
    const int* near_edge;    // and the edges that lead there                                         (2 ne)
} core;

typedef struct mesh {
    int vertex_count;    // nv
    int triangle_count;  // nt
    double* vertex;      // (nv x 3)
    int* triangle;       // (nt x 3)
    double* plane;       // outward unit normal, offset                          (nt x 4)
    int* neighbour;      // triangle across edge k, from corner k to the next; -1 (nt x 3)
    sti_bvh tree;        // over the triangles
} mesh;

struct sti_shape {
    sti_env* env;
    sti_shape_kind kind;
    int dim;
    double radius;     // of a sphere or capsule, otherwise 0
    double half[3];    // of a box; half[0] of a capsule, a cylinder and a cone is its half length
    double rim[2];     // of a cylinder or a cone: radii of the lower and the upper disc
    double plane[4];   // of a half-space
    double reach;      // farthest point from the origin
    core core;         // of a bounded convex kind; of a round one (round.h) a prism inside, one generator at azimuth 0
    core around;       // of a round one: a prism outside, the middle of one side at azimuth 0
    mesh mesh;         // of a mesh
    void* storage[9];  // what the cores point at
    int* climb;        // near_start, near and near_edge of the core
};

// Finite, with a quaternion that is not zero; in the plane, without a part that leaves it.
bool sti_pose_valid(const sti_pose* pose, int dim);

// Where core arrays come from: allocated with the given counts, all entries zero.
typedef struct core_arrays {
    double* vertex;
    double* plane;
    int *face_start, *loop_vertex, *loop_edge, *edge, *edge_face;
} core_arrays;

sti_status sti_shape_core_reserve(sti_shape* shape, int vertices, int edges, int faces, int loops, core_arrays* out);
// Once vertices and loops are written: edges from the loops (space), planes, centre, size, reach.
sti_status sti_shape_core_finish(sti_shape* shape, core_arrays* arrays);

// near of a core: once its edges are there.
sti_status sti_shape_climb_fill(sti_shape* shape);
// Number of the vertex farthest along d, from vertex `from` uphill along edges.
int sti_core_climb(const core* c, vec d, int from);

// Hulls: fill the core of a shape whose kind, dim and env are set.
sti_status sti_shape_hull_planar(sti_shape* shape, int count, const double* points);
sti_status sti_shape_hull_spatial(sti_shape* shape, int count, const double* points);

#endif
