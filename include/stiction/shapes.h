// shapes.h: shapes of rigid bodies in the plane and in space, and where two of them touch.
//
// Geometry alone: no masses in motion, no forces, no time. A shape is made once, in the frame of its body, and never
// changes; queries take shapes and poses, write into the caller's arrays and allocate nothing, so threads may share
// shapes. docs/shapes.md says what is exact and how contact points are chosen.
#ifndef STICTION_SHAPES_H
#define STICTION_SHAPES_H

#include <stdbool.h>
#include <stiction/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// Place of a body. In the plane x[2] = 0 and q turns about z. Queries use q / |q|.
typedef struct sti_pose {
    double x[3];  // origin of the body frame
    double q[4];  // quaternion w, x, y, z from body to world
} sti_pose;

STI_API sti_pose sti_pose_identity(void);
STI_API sti_pose sti_pose_planar(double x, double y, double angle);
STI_API sti_pose sti_pose_compose(const sti_pose* outer, const sti_pose* inner);  // outer after inner
STI_API void sti_pose_apply(const sti_pose* pose, const double p[3], double out[3]);
STI_API void sti_pose_apply_inverse(const sti_pose* pose, const double p[3], double out[3]);
STI_API void sti_pose_rotation(const sti_pose* pose, double R[9]);  // row major, body to world

// A line for each: code, and its word in files.
#define STI_SHAPE_LIST(X)                                              \
    X(STI_SHAPE_SPHERE, sphere) /* a disc in the plane */              \
    X(STI_SHAPE_CAPSULE, capsule)                                      \
    X(STI_SHAPE_BOX, box)                                              \
    X(STI_SHAPE_CONVEX, convex) /* convex polygon or polyhedron */     \
    X(STI_SHAPE_HALFSPACE, halfspace)                                  \
    X(STI_SHAPE_MESH, mesh)         /* static triangles, space only */ \
    X(STI_SHAPE_CYLINDER, cylinder) /* these two in space only */      \
    X(STI_SHAPE_CONE, cone)

#define STI_X(code, name) code,
typedef enum sti_shape_kind { STI_SHAPE_LIST(STI_X) STI_SHAPE_KIND_COUNT } sti_shape_kind;
#undef STI_X

typedef struct sti_shape sti_shape;

// dim is 2 or 3. Sizes must be positive and finite: STI_ERR_INPUT otherwise, with the name of the size.
STI_API sti_status sti_shape_create_sphere(sti_env* env, int dim, double radius, sti_shape** out);
// All points within radius of a segment of length 2 half_length about the origin, along x (plane) or z (space).
STI_API sti_status sti_shape_create_capsule(sti_env* env, int dim, double half_length, double radius, sti_shape** out);
STI_API sti_status sti_shape_create_box(sti_env* env, int dim, const double* half, sti_shape** out);  // half (dim)
// Between two discs about the z axis, at z = -half_length and z = half_length; a cone's may have different radii, and
// one of them may be 0. They are round: docs/shapes.md.
STI_API sti_status sti_shape_create_cylinder(sti_env* env, double half_length, double radius, sti_shape** out);
STI_API sti_status sti_shape_create_cone(sti_env* env, double half_length, double lower_radius, double upper_radius,
                                         sti_shape** out);
// The convex hull of count points (count x dim). Repeated and inner points are dropped; points on one line (plane) or
// in one plane (space) are refused. Faces that are flat within 1e-10 of the size are merged.
STI_API sti_status sti_shape_create_convex(sti_env* env, int dim, int count, const double* points, sti_shape** out);
// { x : normal'x <= offset } is solid; normal (dim) is normalised, and the offset with it.
STI_API sti_status sti_shape_create_halfspace(sti_env* env, int dim, const double* normal, double offset,
                                              sti_shape** out);
// Triangles seen counterclockwise from outside; what is behind one is solid. Edges shared by two triangles are found by
// vertex index, so that flat and hollow edges do not catch what slides over them.
STI_API sti_status sti_shape_create_mesh(sti_env* env, int vertex_count, const double* vertices, int triangle_count,
                                         const int* triangles, sti_shape** out);
STI_API void sti_shape_destroy(sti_shape* shape);  // accepts NULL

STI_API sti_shape_kind sti_shape_kind_of(const sti_shape* shape);
STI_API const char* sti_shape_kind_text(sti_shape_kind kind);
STI_API int sti_shape_dim(const sti_shape* shape);
// Vertices of the hull, of the box or of the segment of a capsule (count x 3); NULL where there are none. Of a cylinder
// or a cone those of a prism or pyramid inside.
STI_API const double* sti_shape_vertices(const sti_shape* shape, int* count);
STI_API int sti_shape_face_count(const sti_shape* shape);
// Face i: outward unit normal and offset (plane 4), and its vertices, counterclockwise from outside.
STI_API const int* sti_shape_face(const sti_shape* shape, int i, double plane[4], int* count);
// The smallest sphere about the body's origin that holds the shape; infinite for a half-space.
STI_API double sti_shape_reach(const sti_shape* shape);

// A shape as polygons, for pictures and files of them. Curved parts are made of flat pieces; of a half-space there is a
// square (in the plane a strip) of side 2 extent about the point of it that is nearest to the origin. In the plane
// there is one polygon, the outline, counterclockwise.
typedef struct sti_surface {
    int vertex_count;
    double* vertices;  // in the frame of the shape                        (vertex_count x 3)
    int face_count;
    int* face_start;  // first entry of each face in `corners`             (face_count + 1)
    int* corners;     // vertices of the faces, counterclockwise from outside
} sti_surface;

// What a body looks like, for pictures: it touches nothing.
typedef struct sti_look {
    int body;
    sti_surface surface;  // in the frame of the body
    bool instead;         // of the shapes of this body, which are not shown then
    bool has_color;       // otherwise that of the body
    unsigned char rgb[3];
} sti_look;

STI_API sti_status sti_surface_make(sti_env* env, const sti_shape* shape, double extent, sti_surface* out);
STI_API void sti_surface_clear(sti_env* env, sti_surface* surface);

// Mass properties for a uniform density, in closed form. STI_ERR_ARGUMENT for half-spaces and meshes.
typedef struct sti_shape_mass {
    double size;        // area or volume
    double mass;        // density * size
    double centre[3];   // of mass, in the body frame
    double inertia[9];  // about the centre, axes of the body frame; the plane fills [8] only
} sti_shape_mass;

#define STI_DENSITY_LIMIT 1e60  // beyond it products of masses leave the range of doubles

// density: above 0, not above the limit
STI_API sti_status sti_shape_measure(sti_env* env, const sti_shape* shape, double density, sti_shape_mass* out);

// One contact point. With n from b to a:  point_a - point_b = gap n,  up to rounding.
typedef struct sti_shape_contact {
    double gap;         // signed; negative: penetration
    double normal[3];   // unit, from b to a
    double t1[3];       // tangents: sti_tangent_frame in space; in the plane t1 = (-n_y, n_x, 0) and
    double t2[3];       //           t2 = (0, 0, 1), which has no meaning there
    double point_a[3];  // on the surface of a, world
    double point_b[3];  // on the surface of b, world
    uint64_t id;        // names the features that touch; the same from step to step while they stay the same
} sti_shape_contact;

#define STI_SHAPE_MAX_POINTS 64  // no query gives more

// Frame of a unit normal: t1 = normalise(e_m - n_m n), m = argmin |n_m| (the first on ties), t2 = n x t1.
STI_API void sti_tangent_frame(const double n[3], double t1[3], double t2[3]);

// The contacts of a and b with gap <= margin, at most max_points of them (1 to STI_SHAPE_MAX_POINTS; 0: 4 for a flat
// touch, all of one with a plane that is only nearly flat; out has room for STI_SHAPE_MAX_POINTS then) in out, in an
// order that depends on the features alone. The least gap is among them; when points had to be left out, within 1e-5 of
// their span. Two static kinds (half-space, mesh) never touch each other. Writes no error text: STI_ERR_ARGUMENT says
// that dimensions differ, a pose or the margin is not finite, or max_points is out of range; count is 0 then.
STI_API sti_status sti_shape_contacts(const sti_shape* a, const sti_pose* pose_a, const sti_shape* b,
                                      const sti_pose* pose_b, double margin, int max_points, sti_shape_contact* out,
                                      int* count);

// Distance of two convex shapes (or one and a half-space): one point, however far. Penetration is negative: the least
// translation that parts them. STI_ERR_ARGUMENT as above, and for meshes.
STI_API sti_status sti_shape_distance(const sti_shape* a, const sti_pose* pose_a, const sti_shape* b,
                                      const sti_pose* pose_b, sti_shape_contact* out);

// Which old contact each new one continues (-1: none): by id first, then the nearest one left within distance.
STI_API void sti_shape_contacts_match(int old_count, const sti_shape_contact* old, int count,
                                      const sti_shape_contact* now, double distance, int* match);

// An axis-parallel box. A side may be infinite.
typedef struct sti_aabb {
    double lower[3], upper[3];
} sti_aabb;

// The smallest such box around the posed shape, widened by margin on every side. In the plane z runs from 0 to 0.
STI_API sti_status sti_shape_bounds(const sti_shape* shape, const sti_pose* pose, double margin, sti_aabb* out);

// Broad phase: which of n boxes overlap. Boxes are numbered by the caller. The tree is kept between calls; it is
// refitted when boxes move and rebuilt when that made it loose. Cost O(n log n + pairs) for boxes of like size.
typedef struct sti_broadphase sti_broadphase;
typedef struct sti_box_pair {
    int a, b;  // a < b
} sti_box_pair;

STI_API sti_status sti_broadphase_create(sti_env* env, sti_broadphase** out);
STI_API void sti_broadphase_destroy(sti_broadphase* broad);  // accepts NULL
// All pairs of overlapping (or touching) boxes, sorted by a, then b; valid until the next call. still (count) marks
// boxes that need no pairs among themselves; NULL: none. STI_ERR_INPUT: a box that is not a number or inside out.
STI_API sti_status sti_broadphase_update(sti_broadphase* broad, int count, const sti_aabb* boxes, const bool* still,
                                         const sti_box_pair** pairs, int* pair_count);

#ifdef __cplusplus
}
#endif
#endif
