// cages.c: cages that are polygons, and obstacles in convex pieces for them to keep away from.
//
// A cage is the hull of its polygon: what is inside stays inside. An obstacle that is not convex is cut into triangles
// by ears (Meisters 1975): a vertex that sticks out, with no other vertex in its triangle, is cut off until three are
// left.
#include <math.h>
#include <string.h>

#include "navigation/navigation.h"

static double turn(const double* a, const double* b, const double* c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// ---- pieces of an obstacle

static bool is_ear(const double* v, const int* list, int count, int k) {
    const int before = list[(k + count - 1) % count], here = list[k], after = list[(k + 1) % count];
    const double *a = v + 2 * before, *b = v + 2 * here, *c = v + 2 * after;
    if (!(turn(a, b, c) > 0)) return false;
    for (int i = 0; i < count; i++) {
        const double* p = v + 2 * list[i];
        if (list[i] == before || list[i] == here || list[i] == after) continue;
        if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
    }
    return true;
}

static sti_status add_piece(sti_env* env, sti_obstacle* o, int count, const double* points) {
    return sti_shape_create_convex(env, 2, count, points, &o->pieces[o->piece_count++]);
}

// Flat corners are left out without a triangle.
static sti_status cut(sti_env* env, sti_obstacle* o, int* list) {
    int count = o->shape.vertex_count;
    const double* v = o->shape.v;
    sti_status status = STI_OK;
    for (int i = 0; i < count; i++) list[i] = i;
    while (status == STI_OK && count >= 3) {
        int k = 0;
        while (k < count && !is_ear(v, list, count, k)) k++;
        int flat = 0;
        while (k == count && flat < count &&
               turn(v + 2 * list[(flat + count - 1) % count], v + 2 * list[flat], v + 2 * list[(flat + 1) % count]) !=
                   0)
            flat++;
        if (k == count && flat == count) return STI_FAIL(env, STI_ERR_INPUT, -1, "the polygon is too thin to be cut");
        if (k == count) {
            k = flat;
        } else {
            double three[6];
            for (int j = 0; j < 3; j++) memcpy(three + 2 * j, v + 2 * list[(k + count - 1 + j) % count], 2 * sizeof *v);
            status = add_piece(env, o, 3, three);
        }
        memmove(list + k, list + k + 1, (size_t)(count - k - 1) * sizeof *list);
        count--;
    }
    return status;
}

static sti_status make_pieces(sti_env* env, sti_obstacle* o) {
    const int n = o->shape.vertex_count;
    o->pieces = sti_alloc_array_zero(env, (size_t)(n > 2 ? n : 1), sizeof(sti_shape*));
    if (o->pieces == NULL) return STI_ERR_MEMORY;
    if (n == 0) {
        o->piece_count = 1;
        return sti_shape_create_sphere(env, 2, o->shape.radius, &o->pieces[0]);
    }
    bool convex = true;
    for (int k = 0; k < n; k++)
        convex =
            convex && turn(o->shape.v + 2 * ((k + n - 1) % n), o->shape.v + 2 * k, o->shape.v + 2 * ((k + 1) % n)) >= 0;
    if (convex) return add_piece(env, o, n, o->shape.v);
    int* list = sti_alloc_array(env, (size_t)n, sizeof *list);
    if (list == NULL) return STI_ERR_MEMORY;
    const sti_status status = cut(env, o, list);
    sti_free(env, list);
    return status;
}

bool sti_piece_has(const sti_obstacle* o, int k, const double p[2], double tol) {
    const int faces = sti_shape_face_count(o->pieces[k]);
    for (int f = 0; f < faces; f++) {
        double plane[4];
        int count;
        sti_shape_face(o->pieces[k], f, plane, &count);
        if (plane[0] * p[0] + plane[1] * p[1] > plane[3] + tol) return false;
    }
    return faces > 0;
}

// ---- all of them

sti_status sti_cages_create(sti_navigation* nav) {
    sti_status status = STI_OK;
    size_t most = 1;
    bool any = false;
    for (int i = 0; i < nav->count; i++) any = any || nav->vehicles[i].corner_count > 0;
    for (int i = 0; any && status == STI_OK && i < nav->count; i++) {
        sti_vehicle* it = &nav->vehicles[i];
        status = it->corner_count > 0 ? sti_shape_create_convex(nav->env, 2, it->corner_count, it->corners, &it->shape)
                                      : sti_shape_create_sphere(nav->env, 2, it->cage, &it->shape);
    }
    for (int k = 0; any && status == STI_OK && k < nav->obstacle_count; k++) {
        status = make_pieces(nav->env, &nav->obstacles[k]);
        if (status == STI_ERR_INPUT)
            return STI_FAIL(nav->env, status, k, "obstacles[%d].polygon: too thin to be cut into triangles", k);
    }
    for (int k = 0; k < nav->obstacle_count; k++) {
        const size_t n = (size_t)nav->obstacles[k].shape.vertex_count;
        most = n > most ? n : most;
    }
    nav->meetings = sti_alloc_array_zero(nav->env, 2 * most, sizeof *nav->meetings);
    nav->touched = sti_alloc_array_zero(nav->env, 2 * most, sizeof *nav->touched);
    nav->kept = sti_alloc_array_zero(nav->env, most, sizeof *nav->kept);
    if (status == STI_OK && (nav->meetings == NULL || nav->touched == NULL || nav->kept == NULL)) return STI_ERR_MEMORY;
    return status;
}

void sti_cages_destroy(sti_navigation* nav) {
    for (int i = 0; nav->vehicles != NULL && i < nav->count; i++) {
        sti_shape_destroy(nav->vehicles[i].shape);
        sti_free(nav->env, nav->vehicles[i].corners);
    }
    for (int k = 0; nav->obstacles != NULL && k < nav->obstacle_count; k++) {
        for (int j = 0; j < nav->obstacles[k].piece_count; j++) sti_shape_destroy(nav->obstacles[k].pieces[j]);
        sti_free(nav->env, nav->obstacles[k].pieces);
    }
    sti_free(nav->env, nav->meetings);
    sti_free(nav->env, nav->touched);
    sti_free(nav->env, nav->kept);
}
