// contacts.c: contact points of two posed shapes, in the world.
#include <math.h>
#include <string.h>

#include "shapes/round.h"

enum { ENOUGH = 4 };  // points that hold a flat face
#define SEEN 1e-9     // of the size: an overlap that is not left to others

static bool is_convex(const sti_shape* s) {
    return s->kind != STI_SHAPE_HALFSPACE && s->kind != STI_SHAPE_MESH;
}

// R = Rb' Ra, t = Rb' (xa - xb)
static void relative_pose(const sti_pose* a, const sti_pose* b, const double Rb[9], double R[9], vec* t) {
    double Ra[9];
    sti_pose_rotation(a, Ra);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) R[3 * i + j] = Rb[i] * Ra[j] + Rb[3 + i] * Ra[3 + j] + Rb[6 + i] * Ra[6 + j];
    }
    *t = rotate_back(Rb, vec_sub(vec_of(a->x), vec_of(b->x)));
}

static pair make_pair(const core* a, const core* b, const sti_pose* pose_a, const sti_pose* pose_b,
                      const double Rb[9]) {
    pair p = {.a = a, .b = b, .scale = fmax(a->size, b->size)};
    if (p.scale == 0) p.scale = a->radius + b->radius;  // two spheres
    relative_pose(pose_a, pose_b, Rb, p.R, &p.t);
    return p;
}

// The core of the half-space { n'x <= offset } is the plane; every vertex within the limit touches it.
static void touch_plane(const sti_shape* a, const sti_shape* b, const double R[9], vec t, double limit,
                        touch_list* list) {
    const vec n = vec_of(b->plane);
    double facing[9];
    memcpy(facing, R, sizeof facing);
    if (sti_shape_is_round(a)) sti_round_face(facing, (vec){-n.x, -n.y, -n.z});
    for (int i = 0; i < a->core.vertex_count; i++) {
        const vec x = vec_add(rotate(facing, vec_of(a->core.vertex + 3 * (size_t)i)), t);
        const double d = vec_dot(n, x) - b->plane[3];
        if (d > limit) continue;
        sti_touch_add(list, (touch){.pb = vec_axpy(-d, n, x), .n = n, .d = d, .id = touch_id(FEATURE_VERTEX_A, i, 0)});
    }
}

// ---- meshes

typedef struct mesh_search {
    const mesh* m;
    const sti_shape* a;
    pair pair;
    double limit;
    touch_list* list;
    touch_list few;  // of one triangle
} mesh_search;

static bool try_triangle(void* user, int triangle) {
    static const int loop[3] = {0, 1, 2}, start[2] = {0, 3}, edge[6] = {0, 1, 1, 2, 2, 0};
    static const int no_face[6] = {-1, -1, -1, -1, -1, -1};
    mesh_search* s = user;
    const mesh* m = s->m;
    double vertex[9];
    core b = {.dim = 3, .vertex_count = 3, .edge_count = 3, .face_count = 1, .loop_count = 3};
    for (int k = 0; k < 3; k++)
        memcpy(vertex + 3 * k, m->vertex + 3 * (size_t)m->triangle[3 * (size_t)triangle + k], 3 * sizeof *vertex);
    b.vertex = vertex;
    b.plane = m->plane + 4 * (size_t)triangle;
    b.face_start = start;
    b.loop_vertex = b.loop_edge = loop;
    b.edge = edge;
    b.edge_face = no_face;
    vec c = {0, 0, 0}, inward[3];
    for (int k = 0; k < 3; k++) c = vec_axpy(1.0 / 3, vec_of(vertex + 3 * k), c);
    vec_store(c, b.centre);
    for (int k = 0; k < 3; k++) {
        const vec u = vec_of(vertex + 3 * k), e = vec_sub(vec_of(vertex + 3 * ((k + 1) % 3)), u);
        const int other = m->neighbour[3 * (size_t)triangle + k];
        b.size = fmax(b.size, vec_norm(vec_sub(u, c)));
        // the triangle beyond runs along -e, and its inside is to the left of that
        inward[k] = (vec){0, 0, 0};
        if (other >= 0) inward[k] = vec_scale(1 / vec_norm(e), vec_cross(e, vec_of(m->plane + 4 * (size_t)other)));
    }
    s->pair.b = &b;
    s->pair.scale = fmax(s->pair.a->size, b.size);
    s->few.count = 0;
    pair facing = s->pair;
    if (sti_shape_is_round(s->a) && !sti_round_face_triangle(s->a, &facing, s->limit)) return true;
    sti_pair_touches_triangle(&facing, inward, s->limit, &s->few);
    for (int k = 0; k < s->few.count; k++) {
        touch t = s->few.touch[k];
        bool fresh = true;  // points on shared edges and corners come with every triangle there
        for (int j = 0; j < s->list->count && fresh; j++) {
            const touch* o = s->list->touch + j;
            fresh = vec_norm(vec_sub(o->pb, t.pb)) > 1e-8 * s->pair.scale || vec_dot(o->n, t.n) < 1 - 1e-8;
        }
        t.id = touch_id_triangle(t.id, triangle);
        if (fresh) sti_touch_add(s->list, t);
    }
    return true;
}

static void touch_mesh(const sti_shape* a, const sti_shape* b, const double R[9], vec t, double limit,
                       touch_list* list) {
    mesh_search s;
    s.m = &b->mesh;
    s.a = a;
    s.limit = limit;
    s.list = list;
    s.pair.a = &a->core;
    memcpy(s.pair.R, R, 9 * sizeof *R);
    s.pair.t = t;
    sti_aabb box = {.lower = {INFINITY, INFINITY, INFINITY}, .upper = {-INFINITY, -INFINITY, -INFINITY}};
    const core* hull = sti_shape_is_round(a) ? &a->around : &a->core;
    for (int i = 0; i < hull->vertex_count; i++) {
        double x[3];
        vec_store(vec_add(rotate(R, vec_of(hull->vertex + 3 * (size_t)i)), t), x);
        for (int k = 0; k < 3; k++) {
            box.lower[k] = fmin(box.lower[k], x[k] - limit);
            box.upper[k] = fmax(box.upper[k], x[k] + limit);
        }
    }
    sti_bvh_query(&b->mesh.tree, &box, try_triangle, &s);
}

// ---- to the world

// Both surface points come from the point on the core of b. swapped: the caller's a is our b.
static void publish(const touch* t, int dim, double ra, double rb, const double Rb[9], const sti_pose* pose_b,
                    bool swapped, sti_shape_contact* out) {
    const vec origin = vec_of(pose_b->x), n = rotate(Rb, t->n);
    const vec pb = vec_add(rotate(Rb, vec_axpy(rb, t->n, t->pb)), origin);
    const double gap = t->d - ra - rb;
    const vec pa = vec_axpy(gap, n, pb);
    out->gap = gap;
    out->id = t->id;
    vec_store(swapped ? (vec){-n.x, -n.y, -n.z} : n, out->normal);
    vec_store(swapped ? pb : pa, out->point_a);
    vec_store(swapped ? pa : pb, out->point_b);
    if (dim == 3) {
        sti_tangent_frame(out->normal, out->t1, out->t2);
    } else {
        vec_store((vec){-out->normal[1], out->normal[0], 0}, out->t1);
        vec_store((vec){0, 0, 1}, out->t2);
    }
}

static bool valid(const sti_shape* a, const sti_pose* pose_a, const sti_shape* b, const sti_pose* pose_b) {
    return a->dim == b->dim && sti_pose_valid(pose_a, a->dim) && sti_pose_valid(pose_b, b->dim);
}

sti_status sti_shape_contacts(const sti_shape* a, const sti_pose* pose_a, const sti_shape* b, const sti_pose* pose_b,
                              double margin, int max_points, sti_shape_contact* out, int* count) {
    *count = 0;
    if (!valid(a, pose_a, b, pose_b) || !isfinite(margin) || max_points < 0 || max_points > STI_SHAPE_MAX_POINTS)
        return STI_ERR_ARGUMENT;
    const bool swapped = !is_convex(a);  // the static one is b
    if (swapped) {
        const sti_shape* shape = a;
        const sti_pose* pose = pose_a;
        a = b;
        b = shape;
        pose_a = pose_b;
        pose_b = pose;
    }
    if (!is_convex(a)) return STI_OK;
    double Rb[9];
    sti_pose_rotation(pose_b, Rb);
    const double limit = margin + a->radius + b->radius;
    touch_list list;
    list.count = 0;
    const pair p = make_pair(&a->core, &b->core, pose_a, pose_b, Rb);
    if (b->kind == STI_SHAPE_HALFSPACE) {
        touch_plane(a, b, p.R, p.t, limit, &list);
    } else if (b->kind == STI_SHAPE_MESH) {
        touch_mesh(a, b, p.R, p.t, limit, &list);
    } else if (sti_shape_is_round(a) || sti_shape_is_round(b)) {
        sti_round_touches(a, b, &p, limit, &list);
    } else {
        sti_pair_touches(&p, limit, &list);
    }
    if (max_points > 0)
        sti_touch_reduce(&list, max_points);
    else
        sti_touch_reduce_to(&list, sti_touch_flat(&list) ? ENOUGH : STI_SHAPE_MAX_POINTS,
                            a->radius + b->radius - SEEN * p.scale);
    for (int i = 0; i < list.count; i++)
        publish(list.touch + i, a->dim, a->radius, b->radius, Rb, pose_b, swapped, out + i);
    *count = list.count;
    return STI_OK;
}

sti_status sti_shape_distance(const sti_shape* a, const sti_pose* pose_a, const sti_shape* b, const sti_pose* pose_b,
                              sti_shape_contact* out) {
    *out = (sti_shape_contact){0};
    if (!valid(a, pose_a, b, pose_b) || (!is_convex(a) && !is_convex(b)) || a->kind == STI_SHAPE_MESH ||
        b->kind == STI_SHAPE_MESH)
        return STI_ERR_ARGUMENT;
    const bool swapped = !is_convex(a);
    const sti_shape *first = swapped ? b : a, *second = swapped ? a : b;
    const sti_pose *pose_1 = swapped ? pose_b : pose_a, *pose_2 = swapped ? pose_a : pose_b;
    double R2[9];
    sti_pose_rotation(pose_2, R2);
    pair p = make_pair(&first->core, &second->core, pose_1, pose_2, R2);
    touch t;
    if (second->kind == STI_SHAPE_HALFSPACE) {
        const vec n = vec_of(second->plane);
        if (sti_shape_is_round(first)) sti_round_face(p.R, (vec){-n.x, -n.y, -n.z});
        const vec d = rotate_back(p.R, n);
        const int i = core_support(&first->core, (vec){-d.x, -d.y, -d.z});
        const vec x = pair_vertex_a(&p, i);
        t = (touch){.n = n, .d = vec_dot(n, x) - second->plane[3], .id = touch_id(FEATURE_VERTEX_A, i, 0)};
        t.pb = vec_axpy(-t.d, n, x);
    } else if (sti_shape_is_round(first) || sti_shape_is_round(second)) {
        t = sti_round_nearest(first, second, &p);
    } else {
        t = sti_pair_nearest(&p);
    }
    publish(&t, first->dim, first->radius, second->radius, R2, pose_2, swapped, out);
    return STI_OK;
}

void sti_shape_contacts_match(int old_count, const sti_shape_contact* old, int count, const sti_shape_contact* now,
                              double distance, int* match) {
    bool taken[STI_SHAPE_MAX_POINTS] = {false};
    const int olds = old_count < STI_SHAPE_MAX_POINTS ? old_count : STI_SHAPE_MAX_POINTS;
    for (int i = 0; i < count; i++) {
        match[i] = -1;
        for (int j = 0; j < olds && match[i] < 0; j++) {
            if (taken[j] || old[j].id != now[i].id) continue;
            match[i] = j;
            taken[j] = true;
        }
    }
    for (int i = 0; i < count; i++) {
        double least = distance;
        int best = -1;
        for (int j = 0; j < olds && match[i] < 0; j++) {
            const double d = vec_norm(vec_sub(vec_of(old[j].point_b), vec_of(now[i].point_b)));
            if (taken[j] || !(d <= least) || (best >= 0 && d == least)) continue;
            least = d;
            best = j;
        }
        if (best < 0) continue;
        match[i] = best;
        taken[best] = true;
    }
}
