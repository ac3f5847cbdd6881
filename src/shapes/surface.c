// surface.c: shapes as polygons, for pictures.
//
// A sphere is a globe of MERIDIANS by PARALLELS pieces about z, a capsule the same globe pulled apart at its equator;
// in the plane both are polygons of ROUND corners.
#include <math.h>
#include <string.h>

#include "shapes/shape.h"

enum { ROUND = 48, MERIDIANS = 16, PARALLELS = 8 };

static sti_status reserve(sti_env* env, int vertices, int faces, int corners, sti_surface* s) {
    s->vertices = sti_alloc_array_zero(env, (size_t)vertices, 3 * sizeof *s->vertices);
    s->face_start = sti_alloc_array_zero(env, (size_t)faces + 1, sizeof *s->face_start);
    s->corners = sti_alloc_array_zero(env, (size_t)corners, sizeof *s->corners);
    if (s->vertices == NULL || s->face_start == NULL || s->corners == NULL) return STI_ERR_MEMORY;
    s->vertex_count = vertices;
    s->face_count = faces;
    s->face_start[faces] = corners;
    return STI_OK;
}

// One polygon of all vertices in their order.
static sti_status reserve_outline(sti_env* env, int vertices, sti_surface* s) {
    const sti_status status = reserve(env, vertices, 1, vertices, s);
    for (int k = 0; status == STI_OK && k < vertices; k++) s->corners[k] = k;
    return status;
}

// A disc, or with half > 0 a capsule along x: the circle is pulled apart at its top and bottom.
static sti_status disc(sti_env* env, double radius, double half, sti_surface* s) {
    const sti_status status = reserve_outline(env, ROUND, s);
    for (int k = 0; status == STI_OK && k < ROUND; k++) {
        const double angle = 2 * M_PI * (k + 0.5) / ROUND;
        s->vertices[3 * (size_t)k] = radius * cos(angle) + (cos(angle) > 0 ? half : -half);
        s->vertices[3 * (size_t)k + 1] = radius * sin(angle);
    }
    return status;
}

// Edges of the polygon are its faces; each corner is followed by the end of the edge that starts there.
static sti_status polygon(sti_env* env, const core* c, sti_surface* s) {
    const sti_status status = reserve_outline(env, c->vertex_count, s);
    if (status != STI_OK) return status;
    memcpy(s->vertices, c->vertex, 3 * (size_t)c->vertex_count * sizeof *s->vertices);
    int at = 0;
    for (int k = 0; k < c->vertex_count; k++) {
        int i = 0;
        s->corners[k] = at;
        while (i + 1 < c->face_count && c->loop_vertex[c->face_start[i]] != at) i++;
        at = c->loop_vertex[c->face_start[i] + 1];
    }
    return STI_OK;
}

// Vertex (i, j) on parallel i = 1 .. PARALLELS - 1 and meridian j; the poles are the last two.
static int globe_at(int i, int j) {
    return (i - 1) * MERIDIANS + j % MERIDIANS;
}

static sti_status globe(sti_env* env, double radius, double half, sti_surface* s) {
    const int south = (PARALLELS - 1) * MERIDIANS, north = south + 1, faces = PARALLELS * MERIDIANS;
    const sti_status status = reserve(env, north + 1, faces, 4 * faces - 2 * MERIDIANS, s);
    if (status != STI_OK) return status;
    for (int i = 1; i < PARALLELS; i++) {
        const double latitude = M_PI * ((double)i / PARALLELS - 0.5), r = radius * cos(latitude);
        // the equator itself belongs to the southern half; the piece above it is the cylinder
        const double z = radius * sin(latitude) + (2 * i <= PARALLELS ? -half : half);
        for (int j = 0; j < MERIDIANS; j++) {
            double* v = s->vertices + 3 * (size_t)globe_at(i, j);
            v[0] = r * cos(2 * M_PI * j / MERIDIANS);
            v[1] = r * sin(2 * M_PI * j / MERIDIANS);
            v[2] = z;
        }
    }
    s->vertices[3 * (size_t)south + 2] = -radius - half;
    s->vertices[3 * (size_t)north + 2] = radius + half;
    int at = 0, face = 0;
    for (int i = 0; i < PARALLELS; i++) {
        for (int j = 0; j < MERIDIANS; j++) {
            s->face_start[face++] = at;
            s->corners[at++] = i > 0 ? globe_at(i, j) : south;
            if (i > 0) s->corners[at++] = globe_at(i, j + 1);
            if (i + 1 < PARALLELS) s->corners[at++] = globe_at(i + 1, j + 1);
            s->corners[at++] = i + 1 < PARALLELS ? globe_at(i + 1, j) : north;
        }
    }
    return STI_OK;
}

static sti_status faces_of(sti_env* env, const sti_shape* shape, sti_surface* s) {
    int vertices, corners = 0;
    const double* vertex = sti_shape_vertices(shape, &vertices);
    const int faces = sti_shape_face_count(shape);
    double plane[4];
    int count;
    for (int i = 0; i < faces; i++) {
        sti_shape_face(shape, i, plane, &count);
        corners += count;
    }
    const sti_status status = reserve(env, vertices, faces, corners, s);
    if (status != STI_OK) return status;
    memcpy(s->vertices, vertex, 3 * (size_t)vertices * sizeof *vertex);
    for (int i = 0, at = 0; i < faces; i++) {
        const int* loop = sti_shape_face(shape, i, plane, &count);
        s->face_start[i] = at;
        memcpy(s->corners + at, loop, (size_t)count * sizeof *loop);
        at += count;
    }
    return STI_OK;
}

static sti_status patch(sti_env* env, const sti_shape* shape, double extent, sti_surface* s) {
    const double *n = shape->plane, offset = shape->plane[3];
    double t1[3] = {n[1], -n[0], 0}, t2[3] = {-n[0], -n[1], -n[2]};  // in the plane: along it, and into it
    if (shape->dim == 3) sti_tangent_frame(n, t1, t2);
    const sti_status status = reserve_outline(env, 4, s);
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int k = 0; status == STI_OK && k < 4; k++) {
        const double a = extent * corner[k][0];
        const double b = shape->dim == 3 ? extent * corner[k][1] : 0.1 * extent * (1 - corner[k][1]);
        for (int i = 0; i < 3; i++) s->vertices[3 * k + i] = offset * n[i] + a * t1[i] + b * t2[i];
    }
    return status;
}

sti_status sti_surface_make(sti_env* env, const sti_shape* shape, double extent, sti_surface* out) {
    *out = (sti_surface){0};
    const bool round = shape->kind == STI_SHAPE_SPHERE || shape->kind == STI_SHAPE_CAPSULE;
    const double half = shape->kind == STI_SHAPE_CAPSULE ? shape->half[0] : 0;
    sti_status status;
    if (shape->kind == STI_SHAPE_HALFSPACE)
        status = patch(env, shape, extent, out);
    else if (round)
        status = shape->dim == 2 ? disc(env, shape->radius, half, out) : globe(env, shape->radius, half, out);
    else
        status = shape->dim == 2 ? polygon(env, &shape->core, out) : faces_of(env, shape, out);
    if (status != STI_OK) sti_surface_clear(env, out);
    return status;
}

void sti_surface_clear(sti_env* env, sti_surface* surface) {
    sti_free(env, surface->vertices);
    sti_free(env, surface->face_start);
    sti_free(env, surface->corners);
    *surface = (sti_surface){0};
}
