// create.c: shapes made, described, destroyed.
#include <math.h>
#include <string.h>

#include "shapes/mesh.h"
#include "shapes/shape.h"

static sti_status begin(sti_env* env, sti_shape_kind kind, int dim, sti_shape** out) {
    if (dim != 2 && dim != 3) return STI_FAIL(env, STI_ERR_ARGUMENT, dim, "dimension %d is neither 2 nor 3", dim);
    sti_shape* shape = sti_alloc(env, sizeof *shape);
    if (shape == NULL) return STI_ERR_MEMORY;
    *shape = (sti_shape){.env = env, .kind = kind, .dim = dim};
    *out = shape;
    return STI_OK;
}

static sti_status end(sti_status status, sti_shape* shape, sti_shape** out) {
    if (status == STI_OK) {
        *out = shape;
    } else {
        sti_shape_destroy(shape);
    }
    return status;
}

void sti_shape_destroy(sti_shape* shape) {
    if (shape == NULL) return;
    for (size_t i = 0; i < sizeof shape->storage / sizeof *shape->storage; i++) sti_free(shape->env, shape->storage[i]);
    sti_free(shape->env, shape->climb);
    sti_shape_mesh_clear(shape);
    sti_free(shape->env, shape);
}

// Sizes between these bounds keep products of four of them and their inverses finite.
static sti_status check_size(sti_env* env, const char* name, int index, double value) {
    if (!(value >= 1e-60 && value <= 1e60))
        return STI_FAIL(env, STI_ERR_INPUT, index, "%s is %g: a size from 1e-60 to 1e60 is expected", name, value);
    return STI_OK;
}

// ---- cores

enum { MANY = 32 };  // vertices of a hull from which on they are not all looked at

sti_status sti_shape_core_reserve(sti_shape* shape, int vertices, int edges, int faces, int loops, core_arrays* out) {
    *out = (core_arrays){0};
    sti_env* env = shape->env;
    void** s = shape->storage;
    s[0] = out->vertex = sti_alloc_array_zero(env, 3 * (size_t)vertices, sizeof(double));
    s[1] = out->plane = sti_alloc_array_zero(env, 4 * (size_t)faces, sizeof(double));
    s[2] = out->face_start = sti_alloc_array_zero(env, (size_t)faces + 1, sizeof(int));
    s[3] = out->loop_vertex = sti_alloc_array_zero(env, (size_t)loops, sizeof(int));
    s[4] = out->loop_edge = sti_alloc_array_zero(env, (size_t)loops, sizeof(int));
    s[5] = out->edge = sti_alloc_array_zero(env, 2 * (size_t)edges, sizeof(int));
    s[6] = out->edge_face = sti_alloc_array_zero(env, 2 * (size_t)edges, sizeof(int));
    for (int i = 0; i < 7; i++) {
        if (s[i] == NULL) return STI_ERR_MEMORY;
    }
    shape->core = (core){.dim = shape->dim,
                         .vertex_count = vertices,
                         .edge_count = edges,
                         .face_count = faces,
                         .loop_count = loops,
                         .radius = shape->radius,
                         .vertex = out->vertex,
                         .plane = out->plane,
                         .face_start = out->face_start,
                         .loop_vertex = out->loop_vertex,
                         .loop_edge = out->loop_edge,
                         .edge = out->edge,
                         .edge_face = out->edge_face};
    return STI_OK;
}

// Outward normal of a loop: by Newell's sum in space, the right-hand side of the edge in the plane.
static vec loop_normal(const core* c, int f) {
    const int first = c->face_start[f], count = c->face_start[f + 1] - first;
    vec n = {0, 0, 0};
    if (c->dim == 2) {
        const vec e = vec_sub(vec_of(c->vertex + 3 * (size_t)c->loop_vertex[first + 1]),
                              vec_of(c->vertex + 3 * (size_t)c->loop_vertex[first]));
        n = (vec){e.y, -e.x, 0};
    } else {
        const vec o = vec_of(c->vertex + 3 * (size_t)c->loop_vertex[first]);
        for (int i = 1; i + 1 < count; i++) {
            const vec p = vec_sub(vec_of(c->vertex + 3 * (size_t)c->loop_vertex[first + i]), o);
            const vec q = vec_sub(vec_of(c->vertex + 3 * (size_t)c->loop_vertex[first + i + 1]), o);
            n = vec_add(n, vec_cross(p, q));
        }
    }
    return vec_scale(1 / vec_norm(n), n);
}

// Numbers each edge where its loop runs from the smaller vertex to the larger one, and finds it again in the other
// loop.
static sti_status join_edges(sti_shape* shape, core_arrays* arrays) {
    core* c = &shape->core;
    int count = 0;
    // the edge that leaves each vertex for a larger one: a chain for each vertex
    int* head = sti_alloc_array(shape->env, (size_t)c->vertex_count + (size_t)c->edge_count, sizeof *head);
    if (head == NULL) return STI_ERR_MEMORY;
    int* next = head + c->vertex_count;
    for (int i = 0; i < c->vertex_count; i++) head[i] = -1;
    for (int pass = 0; pass < 2; pass++) {
        for (int f = 0; f < c->face_count; f++) {
            const int first = c->face_start[f], end_ = c->face_start[f + 1];
            for (int i = first; i < end_; i++) {
                const int u = c->loop_vertex[i], v = c->loop_vertex[i + 1 < end_ ? i + 1 : first];
                if ((u < v) != (pass == 0)) continue;
                int e = -1;
                if (pass == 0 && count < c->edge_count) {
                    e = count++;
                    arrays->edge[2 * e] = u;
                    arrays->edge[2 * e + 1] = v;
                    arrays->edge_face[2 * e] = f;
                    arrays->edge_face[2 * e + 1] = -1;
                    next[e] = head[u];
                    head[u] = e;
                } else if (pass == 1) {
                    for (e = head[v]; e >= 0 && arrays->edge[2 * e + 1] != u; e = next[e]) continue;
                    if (e >= 0) arrays->edge_face[2 * e + 1] = f;
                }
                if (e < 0) {
                    sti_free(shape->env, head);
                    return STI_FAIL(shape->env, STI_ERR_INTERNAL, f, "face %d of the hull does not close", f);
                }
                arrays->loop_edge[i] = e;
            }
        }
    }
    sti_free(shape->env, head);
    return STI_OK;
}

sti_status sti_shape_core_finish(sti_shape* shape, core_arrays* arrays) {
    core* c = &shape->core;
    vec centre = {0, 0, 0};
    for (int i = 0; i < c->vertex_count; i++) centre = vec_add(centre, vec_of(c->vertex + 3 * (size_t)i));
    centre = vec_scale(1.0 / c->vertex_count, centre);
    vec_store(centre, c->centre);
    for (int i = 0; i < c->vertex_count; i++) {
        const vec p = vec_of(c->vertex + 3 * (size_t)i);
        c->size = fmax(c->size, vec_norm(vec_sub(p, centre)));
        shape->reach = fmax(shape->reach, vec_norm(p) + shape->radius);
    }
    for (int f = 0; f < c->face_count; f++) {
        const vec n = loop_normal(c, f);
        double offset = -INFINITY;
        for (int i = c->face_start[f]; i < c->face_start[f + 1]; i++)
            offset = fmax(offset, vec_dot(n, vec_of(c->vertex + 3 * (size_t)c->loop_vertex[i])));
        vec_store(n, arrays->plane + 4 * (size_t)f);
        arrays->plane[4 * (size_t)f + 3] = offset;
    }
    const sti_status status = c->dim == 3 && c->face_count > 0 ? join_edges(shape, arrays) : STI_OK;
    return status == STI_OK && c->vertex_count >= MANY ? sti_shape_climb_fill(shape) : status;
}

// ---- kinds

sti_status sti_shape_create_sphere(sti_env* env, int dim, double radius, sti_shape** out) {
    *out = NULL;
    sti_status status = check_size(env, "radius", -1, radius);
    sti_shape* shape = NULL;
    if (status == STI_OK) status = begin(env, STI_SHAPE_SPHERE, dim, &shape);
    if (status != STI_OK) return status;
    core_arrays arrays;
    shape->radius = radius;
    status = sti_shape_core_reserve(shape, 1, 0, 0, 0, &arrays);
    if (status == STI_OK) status = sti_shape_core_finish(shape, &arrays);
    return end(status, shape, out);
}

sti_status sti_shape_create_capsule(sti_env* env, int dim, double half_length, double radius, sti_shape** out) {
    *out = NULL;
    sti_status status = check_size(env, "radius", -1, radius);
    if (status == STI_OK) status = check_size(env, "half length", -1, half_length);
    sti_shape* shape = NULL;
    if (status == STI_OK) status = begin(env, STI_SHAPE_CAPSULE, dim, &shape);
    if (status != STI_OK) return status;
    core_arrays arrays;
    shape->radius = radius;
    shape->half[0] = half_length;
    const bool plane = dim == 2;
    status = sti_shape_core_reserve(shape, 2, plane ? 0 : 1, plane ? 2 : 0, plane ? 4 : 0, &arrays);
    if (status == STI_OK) {
        arrays.vertex[plane ? 0 : 2] = -half_length;
        arrays.vertex[plane ? 3 : 5] = half_length;
        if (plane) {  // both sides of the segment
            memcpy(arrays.loop_vertex, (int[]){0, 1, 1, 0}, 4 * sizeof(int));
            memcpy(arrays.face_start, (int[]){0, 2, 4}, 3 * sizeof(int));
        } else {
            memcpy(arrays.edge, (int[]){0, 1}, 2 * sizeof(int));
            memcpy(arrays.edge_face, (int[]){-1, -1}, 2 * sizeof(int));
        }
        status = sti_shape_core_finish(shape, &arrays);
    }
    return end(status, shape, out);
}

// Vertex i of the box has +half in direction k exactly when bit k of i is set.
static void fill_box(sti_shape* shape, core_arrays* arrays) {
    static const int loops[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    static const int square[8] = {0, 1, 1, 3, 3, 2, 2, 0};
    const bool plane = shape->dim == 2;
    for (int i = 0; i < shape->core.vertex_count; i++) {
        for (int k = 0; k < shape->dim; k++)
            arrays->vertex[3 * i + k] = (i >> k & 1) != 0 ? shape->half[k] : -shape->half[k];
    }
    for (int f = 0; f <= shape->core.face_count; f++) arrays->face_start[f] = f * (plane ? 2 : 4);
    if (plane) {
        memcpy(arrays->loop_vertex, square, sizeof square);
    } else {
        memcpy(arrays->loop_vertex, loops, sizeof loops);
    }
}

sti_status sti_shape_create_box(sti_env* env, int dim, const double* half, sti_shape** out) {
    static const char* const names[3] = {"half width of the box along x", "half width of the box along y",
                                         "half width of the box along z"};
    *out = NULL;
    sti_shape* shape = NULL;
    sti_status status = begin(env, STI_SHAPE_BOX, dim, &shape);
    if (status != STI_OK) return status;
    for (int k = 0; k < dim && status == STI_OK; k++) {
        status = check_size(env, names[k], k, half[k]);
        shape->half[k] = half[k];
    }
    core_arrays arrays;
    if (status == STI_OK && dim == 2) status = sti_shape_core_reserve(shape, 4, 0, 4, 8, &arrays);
    if (status == STI_OK && dim == 3) status = sti_shape_core_reserve(shape, 8, 12, 6, 24, &arrays);
    if (status == STI_OK) {
        fill_box(shape, &arrays);
        status = sti_shape_core_finish(shape, &arrays);
    }
    return end(status, shape, out);
}

sti_status sti_shape_create_convex(sti_env* env, int dim, int count, const double* points, sti_shape** out) {
    *out = NULL;
    sti_shape* shape = NULL;
    sti_status status = begin(env, STI_SHAPE_CONVEX, dim, &shape);
    if (status != STI_OK) return status;
    if (count < dim + 1) {
        status =
            STI_FAIL(env, STI_ERR_INPUT, count, "%d points have no hull with an inside in dimension %d", count, dim);
    } else if (count > 1 << 20) {
        status = STI_FAIL(env, STI_ERR_SIZE, count, "hull of %d points", count);
    }
    for (int i = 0; i < count && status == STI_OK; i++) {
        for (int k = 0; k < dim; k++) {
            const double x = points[(size_t)dim * i + k];
            if (!(fabs(x) <= 1e60)) status = STI_FAIL(env, STI_ERR_INPUT, i, "vertex %d: coordinate %d is %g", i, k, x);
        }
    }
    if (status == STI_OK && dim == 2) status = sti_shape_hull_planar(shape, count, points);
    if (status == STI_OK && dim == 3) status = sti_shape_hull_spatial(shape, count, points);
    return end(status, shape, out);
}

sti_status sti_shape_create_halfspace(sti_env* env, int dim, const double* normal, double offset, sti_shape** out) {
    *out = NULL;
    sti_shape* shape = NULL;
    sti_status status = begin(env, STI_SHAPE_HALFSPACE, dim, &shape);
    if (status != STI_OK) return status;
    const vec n = {normal[0], normal[1], dim == 3 ? normal[2] : 0};
    const double length = vec_norm(n);
    status = check_size(env, "length of the normal of the half-space", -1, length);
    if (status == STI_OK && !(fabs(offset) <= 1e60))
        status = STI_FAIL(env, STI_ERR_INPUT, -1, "offset of the half-space is %g", offset);
    if (status == STI_OK) {
        vec_store(vec_scale(1 / length, n), shape->plane);
        shape->plane[3] = offset / length;
        shape->reach = INFINITY;
    }
    return end(status, shape, out);
}

sti_status sti_shape_create_mesh(sti_env* env, int vertex_count, const double* vertices, int triangle_count,
                                 const int* triangles, sti_shape** out) {
    *out = NULL;
    sti_shape* shape = NULL;
    sti_status status = begin(env, STI_SHAPE_MESH, 3, &shape);
    if (status != STI_OK) return status;
    status = sti_shape_mesh_fill(shape, vertex_count, vertices, triangle_count, triangles);
    return end(status, shape, out);
}

// ---- cylinders and cones

enum { SIDES = 32 };

// Corners of one end: SIDES of them about the axis, or its tip. Returns how many.
static int put_rim(double* vertex, double radius, double z, double first) {
    const int count = radius > 0 ? SIDES : 1;
    for (int k = 0; k < count; k++) {
        const double angle = 2 * M_PI * (k + first) / SIDES;
        vertex[3 * k] = radius > 0 ? radius * cos(angle) : 0;
        vertex[3 * k + 1] = radius > 0 ? radius * sin(angle) : 0;
        vertex[3 * k + 2] = z;
    }
    return count;
}

// Faces: the lower end, the upper end, the sides. lower, upper: corners of the ends.
static void put_loops(core_arrays* arrays, int lower, int upper) {
    int at = 0, face = 0;
    for (int k = 0; k < lower && lower > 1; k++) arrays->loop_vertex[at++] = lower - 1 - k;
    if (lower > 1) arrays->face_start[++face] = at;
    for (int k = 0; k < upper && upper > 1; k++) arrays->loop_vertex[at++] = lower + k;
    if (upper > 1) arrays->face_start[++face] = at;
    for (int k = 0; k < SIDES; k++) {
        const int next = (k + 1) % SIDES;
        arrays->loop_vertex[at++] = lower > 1 ? k : 0;
        if (lower > 1) arrays->loop_vertex[at++] = next;
        if (upper > 1) arrays->loop_vertex[at++] = lower + next;
        arrays->loop_vertex[at++] = upper > 1 ? lower + k : lower;
        arrays->face_start[++face] = at;
    }
}

// The prism outside: the same faces, all radii larger by 1 / cos(pi / SIDES).
static sti_status make_around(sti_shape* shape) {
    const core* in = &shape->core;
    const double wider = 1 / cos(M_PI / SIDES);
    double* vertex = sti_alloc_array(shape->env, (size_t)in->vertex_count, 3 * sizeof *vertex);
    double* plane = sti_alloc_array(shape->env, (size_t)in->face_count, 4 * sizeof *plane);
    shape->storage[7] = vertex;
    shape->storage[8] = plane;
    if (vertex == NULL || plane == NULL) return STI_ERR_MEMORY;
    const int lower = put_rim(vertex, wider * shape->rim[0], -shape->half[0], -0.5);
    put_rim(vertex + 3 * (size_t)lower, wider * shape->rim[1], shape->half[0], -0.5);
    shape->around = *in;
    shape->around.vertex = vertex;
    shape->around.plane = plane;
    shape->around.size = wider * in->size;
    for (int f = 0; f < in->face_count; f++) {
        const vec n = loop_normal(&shape->around, f);
        vec_store(n, plane + 4 * (size_t)f);
        plane[4 * (size_t)f + 3] = -INFINITY;
        for (int i = in->face_start[f]; i < in->face_start[f + 1]; i++)
            plane[4 * (size_t)f + 3] =
                fmax(plane[4 * (size_t)f + 3], vec_dot(n, vec_of(vertex + 3 * (size_t)in->loop_vertex[i])));
    }
    return STI_OK;
}

static sti_status create_round(sti_env* env, sti_shape_kind kind, double half_length, double lower_radius,
                               double upper_radius, sti_shape** out) {
    sti_shape* shape = NULL;
    sti_status status = begin(env, kind, 3, &shape);
    if (status != STI_OK) return status;
    shape->half[0] = half_length;
    shape->rim[0] = lower_radius;
    shape->rim[1] = upper_radius;
    const int lower = lower_radius > 0 ? SIDES : 1, upper = upper_radius > 0 ? SIDES : 1;
    const int ends = (lower > 1) + (upper > 1);
    core_arrays arrays;
    status = sti_shape_core_reserve(shape, lower + upper, (1 + ends) * SIDES, ends + SIDES,
                                    ends * SIDES + (2 + ends) * SIDES, &arrays);
    if (status == STI_OK) {
        put_rim(arrays.vertex, lower_radius, -half_length, 0);
        put_rim(arrays.vertex + 3 * (size_t)lower, upper_radius, half_length, 0);
        put_loops(&arrays, lower, upper);
        status = sti_shape_core_finish(shape, &arrays);
    }
    if (status == STI_OK) status = make_around(shape);
    return end(status, shape, out);
}

sti_status sti_shape_create_cylinder(sti_env* env, double half_length, double radius, sti_shape** out) {
    *out = NULL;
    sti_status status = check_size(env, "radius", -1, radius);
    if (status == STI_OK) status = check_size(env, "half length", -1, half_length);
    if (status != STI_OK) return status;
    return create_round(env, STI_SHAPE_CYLINDER, half_length, radius, radius, out);
}

sti_status sti_shape_create_cone(sti_env* env, double half_length, double lower_radius, double upper_radius,
                                 sti_shape** out) {
    *out = NULL;
    sti_status status = check_size(env, "half length", -1, half_length);
    if (status == STI_OK && lower_radius != 0) status = check_size(env, "lower radius", 0, lower_radius);
    if (status == STI_OK && upper_radius != 0) status = check_size(env, "upper radius", 1, upper_radius);
    if (status == STI_OK && lower_radius == 0) status = check_size(env, "larger radius", -1, upper_radius);
    if (status != STI_OK) return status;
    return create_round(env, STI_SHAPE_CONE, half_length, lower_radius, upper_radius, out);
}

// ---- looking at them

sti_shape_kind sti_shape_kind_of(const sti_shape* shape) {
    return shape->kind;
}

const char* sti_shape_kind_text(sti_shape_kind kind) {
#define STI_X(code, name) [code] = #name,
    static const char* const names[] = {STI_SHAPE_LIST(STI_X)};
#undef STI_X
    return (unsigned)kind < STI_SHAPE_KIND_COUNT ? names[kind] : "?";
}

int sti_shape_dim(const sti_shape* shape) {
    return shape->dim;
}

const double* sti_shape_vertices(const sti_shape* shape, int* count) {
    *count = shape->kind == STI_SHAPE_MESH ? shape->mesh.vertex_count : shape->core.vertex_count;
    return shape->kind == STI_SHAPE_MESH ? shape->mesh.vertex : shape->core.vertex;
}

int sti_shape_face_count(const sti_shape* shape) {
    return shape->kind == STI_SHAPE_MESH ? shape->mesh.triangle_count : shape->core.face_count;
}

const int* sti_shape_face(const sti_shape* shape, int i, double plane[4], int* count) {
    if (shape->kind == STI_SHAPE_MESH) {
        *count = 3;
        memcpy(plane, shape->mesh.plane + 4 * (size_t)i, 4 * sizeof(double));
        return shape->mesh.triangle + 3 * (size_t)i;
    }
    const core* c = &shape->core;
    *count = c->face_start[i + 1] - c->face_start[i];
    memcpy(plane, c->plane + 4 * (size_t)i, 4 * sizeof(double));
    return c->loop_vertex + c->face_start[i];
}

double sti_shape_reach(const sti_shape* shape) {
    return shape->reach;
}
