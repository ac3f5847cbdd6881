// mesh.c: a triangle mesh made: planes, neighbours across edges, a tree of boxes.
#include "shapes/mesh.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

void sti_shape_mesh_clear(sti_shape* shape) {
    mesh* m = &shape->mesh;
    sti_free(shape->env, m->vertex);
    sti_free(shape->env, m->triangle);
    sti_free(shape->env, m->plane);
    sti_free(shape->env, m->neighbour);
    sti_bvh_clear(&m->tree, shape->env);
    *m = (mesh){0};
}

static sti_status check(sti_env* env, int vertex_count, const double* vertices, int triangle_count,
                        const int* triangles) {
    if (vertex_count < 3 || triangle_count < 1)
        return STI_FAIL(env, STI_ERR_INPUT, -1, "mesh of %d vertices and %d triangles", vertex_count, triangle_count);
    if (triangle_count > 1 << 22 || vertex_count > 1 << 26)
        return STI_FAIL(env, STI_ERR_SIZE, triangle_count, "mesh of %d triangles", triangle_count);
    for (int i = 0; i < vertex_count; i++) {
        for (int k = 0; k < 3; k++) {
            const double x = vertices[3 * (size_t)i + k];
            if (!(fabs(x) <= 1e60)) return STI_FAIL(env, STI_ERR_INPUT, i, "vertex %d: coordinate %d is %g", i, k, x);
        }
    }
    for (int t = 0; t < triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            const int v = triangles[3 * (size_t)t + k];
            if (v < 0 || v >= vertex_count)
                return STI_FAIL(env, STI_ERR_INPUT, t, "triangle %d: vertex %d does not exist", t, v);
        }
    }
    return STI_OK;
}

static sti_status fill_planes(sti_shape* shape) {
    mesh* m = &shape->mesh;
    for (int t = 0; t < m->triangle_count; t++) {
        vec p[3];
        for (int k = 0; k < 3; k++) p[k] = vec_of(m->vertex + 3 * (size_t)m->triangle[3 * (size_t)t + k]);
        const vec e = vec_sub(p[1], p[0]), f = vec_sub(p[2], p[0]), g = vec_sub(p[2], p[1]);
        const vec n = vec_cross(e, f);
        const double longest = fmax(vec_dot(e, e), fmax(vec_dot(f, f), vec_dot(g, g)));
        const double length = vec_norm(n);
        if (!(length > 1e-12 * longest))
            return STI_FAIL(shape->env, STI_ERR_INPUT, t, "triangle %d: its vertices lie on a line", t);
        vec_store(vec_scale(1 / length, n), m->plane + 4 * (size_t)t);
        m->plane[4 * (size_t)t + 3] = vec_dot(p[0], n) / length;
    }
    return STI_OK;
}

// Across an edge u to v lies the triangle with the edge v to u. An edge with more than two triangles keeps the first
// pair.
static sti_status fill_neighbours(sti_shape* shape) {
    mesh* m = &shape->mesh;
    const size_t half_edges = 3 * (size_t)m->triangle_count;
    int* head = sti_alloc_array(shape->env, (size_t)m->vertex_count + half_edges, sizeof *head);
    if (head == NULL) return STI_ERR_MEMORY;
    int* next = head + m->vertex_count;
    for (int i = 0; i < m->vertex_count; i++) head[i] = -1;
    for (size_t h = half_edges; h-- > 0;) {  // backwards, so that chains run forwards
        const int u = m->triangle[h];
        next[h] = head[u];
        head[u] = (int)h;
        m->neighbour[h] = -1;
    }
    for (size_t h = 0; h < half_edges; h++) {
        const size_t t = h / 3, k = h % 3;
        const int u = m->triangle[h], v = m->triangle[3 * t + (k + 1) % 3];
        for (int g = head[v]; g >= 0; g = next[g]) {
            const size_t s = (size_t)g / 3;
            if (s != t && m->triangle[3 * s + ((size_t)g % 3 + 1) % 3] == u) {
                m->neighbour[h] = (int)s;
                break;
            }
        }
    }
    sti_free(shape->env, head);
    return STI_OK;
}

static sti_status fill_tree(sti_shape* shape) {
    mesh* m = &shape->mesh;
    sti_env* env = shape->env;
    sti_arena memory = sti_arena_make(env);
    sti_aabb* boxes = sti_arena_raw(&memory, (size_t)m->triangle_count, sizeof *boxes);
    int* items = sti_arena_raw(&memory, (size_t)m->triangle_count, sizeof *items);
    sti_status status = STI_OK;
    if (memory.status != STI_OK) status = STI_ERR_MEMORY;
    if (status == STI_OK) status = sti_bvh_reserve(&m->tree, env, m->triangle_count);
    for (int t = 0; t < m->triangle_count && status == STI_OK; t++) {
        items[t] = t;
        for (int k = 0; k < 3; k++) {
            const double x = m->vertex[3 * (size_t)m->triangle[3 * (size_t)t] + k];
            const double y = m->vertex[3 * (size_t)m->triangle[3 * (size_t)t + 1] + k];
            const double z = m->vertex[3 * (size_t)m->triangle[3 * (size_t)t + 2] + k];
            boxes[t].lower[k] = fmin(x, fmin(y, z));
            boxes[t].upper[k] = fmax(x, fmax(y, z));
        }
    }
    if (status == STI_OK) sti_bvh_build(&m->tree, m->triangle_count, items, boxes);
    sti_arena_clear(&memory);
    return status;
}

sti_status sti_shape_mesh_fill(sti_shape* shape, int vertex_count, const double* vertices, int triangle_count,
                               const int* triangles) {
    sti_env* env = shape->env;
    sti_status status = check(env, vertex_count, vertices, triangle_count, triangles);
    if (status != STI_OK) return status;
    mesh* m = &shape->mesh;
    m->vertex_count = vertex_count;
    m->triangle_count = triangle_count;
    m->vertex = sti_alloc_array(env, 3 * (size_t)vertex_count, sizeof(double));
    m->triangle = sti_alloc_array(env, 3 * (size_t)triangle_count, sizeof(int));
    m->plane = sti_alloc_array(env, 4 * (size_t)triangle_count, sizeof(double));
    m->neighbour = sti_alloc_array(env, 3 * (size_t)triangle_count, sizeof(int));
    if (m->vertex == NULL || m->triangle == NULL || m->plane == NULL || m->neighbour == NULL) return STI_ERR_MEMORY;
    memcpy(m->vertex, vertices, 3 * (size_t)vertex_count * sizeof(double));
    memcpy(m->triangle, triangles, 3 * (size_t)triangle_count * sizeof(int));
    for (int i = 0; i < vertex_count; i++)
        shape->reach = fmax(shape->reach, vec_norm(vec_of(m->vertex + 3 * (size_t)i)));
    status = fill_planes(shape);
    if (status == STI_OK) status = fill_neighbours(shape);
    if (status == STI_OK) status = fill_tree(shape);
    return status;
}
