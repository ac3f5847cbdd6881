// gaps.c: pairs of shapes whose gaps are functions of the places of their bodies.
//
// Events between pieces of smooth motion are zeros of functions that have to be there before anything touches, and
// whose gradients turn without jumps while something does. Contacts as steps look for them are no such functions: they
// name the features that are nearest now. Here each pair has a fixed list:
//
//     corners of a against a half-space          n'p - offset - radius                       smooth
//     a ball against anything bounded, space     distance                                    its gradient is Lipschitz
//     plane: corners of a against b, of b        distance of a point from a convex polygon   where it is above the
//            against a                                                                       radii, or a face is next
//
// (A ball is its own only corner, a capsule has two with its radius.) In the plane two convex shapes overlap only where
// a corner of one is in the other, or has been. Where the nearest feature of b changes under a round corner the second
// derivative of the gap jumps: pieces are halved there. Where a sharp corner leaves a face at its end the gradient
// jumps: the scheme makes such moments.
//
// What is left out in space is faces and edges against each other. Two boxes touch in corners of either and in pairs of
// edges, and which of the 16 + 144 are the contact is a matter of all of them at once: the distance of two lines is
// smooth, but is a gap only while the nearest points lie inside both edges, and its sign says nothing elsewhere. The
// least of all of them, which is the gap, has kinks along lines where a box lies flat on another one, and there it
// stays. Cylinders and cones on a plane have the same fault where they stand upright.
#include "bodies/gaps.h"

#include "linalg/vec3.h"

static const sti_collider* collider(const sti_world* world, int i) {
    return &world->bodies->collider[i];
}

static sti_shape_kind kind_of(const sti_world* world, int i) {
    return sti_shape_kind_of(collider(world, i)->shape);
}

static int corners_of(const sti_shape* shape) {
    int count;
    sti_shape_vertices(shape, &count);
    return count;
}

static double radius_of(const sti_shape* shape) {
    int count;
    const sti_shape_kind kind = sti_shape_kind_of(shape);
    const double* corner = sti_shape_vertices(shape, &count);
    return kind == STI_SHAPE_SPHERE || kind == STI_SHAPE_CAPSULE ? sti_shape_reach(shape) - norm3(corner) : 0;
}

// ---- which there are

static bool has_corners(sti_shape_kind kind) {
    return kind == STI_SHAPE_SPHERE || kind == STI_SHAPE_CAPSULE || kind == STI_SHAPE_BOX || kind == STI_SHAPE_CONVEX;
}

static bool has_grain(const sti_world* world, int i) {
    const sti_material* m = &world->bodies->material[collider(world, i)->material];
    return world->dim == 3 && (m->mu_across > 0 || m->section != NULL);
}

static sti_status refuse(const sti_world* world, int i, int j) {
    const char *a = world->bodies->body[collider(world, i)->body].name,
               *b = world->bodies->body[collider(world, j)->body].name;
    if (has_grain(world, i) || has_grain(world, j))
        return STI_FAIL(world->env, STI_ERR_INPUT, collider(world, i)->body,
                        "bodies \"%.60s\" and \"%.60s\": by events friction is the same in all directions, and a "
                        "material has a grain",
                        a, b);
    return STI_FAIL(world->env, STI_ERR_INPUT, collider(world, i)->body,
                    "bodies \"%.60s\" and \"%.60s\": a %s against a %s: by events balls, capsules, boxes and hulls "
                    "touch half-spaces, %s; run it by steps, or set the two apart (ignore)",
                    a, b, sti_shape_kind_text(kind_of(world, i)), sti_shape_kind_text(kind_of(world, j)),
                    world->dim == 3 ? "and balls touch anything bounded but meshes" : "and each other");
}

// gap NULL: counted.
static void add(const sti_world* world, const sti_gap* like, int a, int b, int corner, sti_gap* gap, int* count) {
    if (gap != NULL) {
        sti_gap* g = &gap[*count];
        *g = *like;
        g->a = a;
        g->b = b;
        g->corner = corner;
        const double of_b = g->wall || corner < 0 ? 0 : radius_of(collider(world, b)->shape);
        g->radius = (corner < 0 ? 0 : radius_of(collider(world, a)->shape)) + of_b;
    }
    (*count)++;
}

static void add_corners(const sti_world* world, const sti_gap* like, int a, int b, sti_gap* gap, int* count) {
    const int corners = corners_of(collider(world, a)->shape);
    for (int k = 0; k < corners; k++) add(world, like, a, b, k, gap, count);
}

// The half-space b by what is nearest to a shape.
static bool read_plane(const sti_world* world, int a, int b, double plane[4]) {
    const sti_pose origin = sti_pose_identity();
    sti_shape_contact c;
    if (sti_shape_distance(collider(world, a)->shape, &origin, collider(world, b)->shape, &origin, &c) != STI_OK)
        return false;
    memcpy(plane, c.normal, 3 * sizeof *plane);
    plane[3] = dot3(c.normal, c.point_b);
    return true;
}

static sti_status find_pair(const sti_world* world, int i, int j, sti_gap* gap, int* count) {
    const bool wall_i = kind_of(world, i) == STI_SHAPE_HALFSPACE, wall_j = kind_of(world, j) == STI_SHAPE_HALFSPACE;
    const bool ball_i = kind_of(world, i) == STI_SHAPE_SPHERE, ball_j = kind_of(world, j) == STI_SHAPE_SPHERE;
    const int a = wall_i || (ball_j && !wall_j) ? j : i, b = a == i ? j : i;
    sti_gap like = {.wall = wall_i || wall_j, .aside = {1, 0, 0}};
    sti_bodies_pair(world->bodies, collider(world, i)->material, collider(world, j)->material, &like.mu,
                    &like.restitution);
    if (has_grain(world, i) || has_grain(world, j)) return refuse(world, i, j);
    if (like.wall) {
        if (!has_corners(kind_of(world, a)) || !read_plane(world, a, b, like.plane)) return refuse(world, i, j);
        add_corners(world, &like, a, b, gap, count);
    } else if (world->dim == 3) {
        const bool mesh = kind_of(world, i) == STI_SHAPE_MESH || kind_of(world, j) == STI_SHAPE_MESH;
        if ((!ball_i && !ball_j) || mesh) return refuse(world, i, j);
        add(world, &like, a, b, -1, gap, count);
    } else {
        add_corners(world, &like, a, b, gap, count);
        if (!ball_i && !ball_j) add_corners(world, &like, b, a, gap, count);
    }
    return STI_OK;
}

sti_status sti_gaps_find(sti_world* world, sti_gap* gap, int* count) {
    const int colliders = world->bodies->collider_count;
    sti_status status = STI_OK;
    *count = 0;
    for (int i = 0; i < colliders; i++) {
        for (int j = i + 1; status == STI_OK && j < colliders; j++) {
            if (!sti_world_may_touch(world, collider(world, i)->body, collider(world, j)->body)) continue;
            status = find_pair(world, i, j, gap, count);
        }
    }
    for (int k = 0; status == STI_OK && gap != NULL && world->dim == 3 && k < *count; k++) {
        sti_gap_seen seen;
        double across[3];
        sti_gap_look(world, &gap[k], &seen);
        sti_tangent_frame(seen.n, gap[k].aside, across);
    }
    return status;
}

// ---- what they are

// Of the point y from the convex polygon (segment, point), outside; negative inside. n: its gradient.
static double from_polygon(const sti_shape* shape, const double y[3], double n[3]) {
    int corners, loop;
    const double* corner = sti_shape_vertices(shape, &corners);
    double deepest = -INFINITY, least = INFINITY, plane[4], e[3], to[3];
    n[0] = n[2] = 0;
    n[1] = 1;
    for (int f = 0; f < sti_shape_face_count(shape); f++) {
        sti_shape_face(shape, f, plane, &loop);
        const double off = dot3(plane, y) - plane[3];
        if (!(off > deepest)) continue;
        deepest = off;
        memcpy(n, plane, 3 * sizeof *n);
    }
    if (deepest > -INFINITY && deepest <= 0) return deepest;
    for (int f = 0; f < sti_shape_face_count(shape); f++) {
        const int* end = sti_shape_face(shape, f, plane, &loop);
        const double *from = corner + 3 * (size_t)end[0], off = dot3(plane, y) - plane[3];
        sub3(corner + 3 * (size_t)end[1], from, e);
        sub3(y, from, to);
        const double along = dot3(e, to);
        if (!(off >= 0 && off < least && along > 0 && along < dot3(e, e))) continue;
        least = off;
        memcpy(n, plane, 3 * sizeof *n);
    }
    for (int k = 0; k < corners; k++) {
        sub3(y, corner + 3 * (size_t)k, to);
        const double distance = norm3(to);
        if (!(distance < least)) continue;
        least = distance;
        for (int i = 0; distance > 0 && i < 3; i++) n[i] = to[i] / distance;
    }
    return least;
}

static void lay_tangents(int dim, const double aside[3], sti_gap_seen* out) {
    if (dim == 2) {
        out->t1[0] = -out->n[1];
        out->t1[1] = out->n[0];
        out->t1[2] = 0;
        return;
    }
    memcpy(out->t1, aside, sizeof out->t1);
    axpy3(-dot3(aside, out->n), out->n, out->t1);
    const double length = norm3(out->t1);
    if (length > 0.1) {
        for (int k = 0; k < 3; k++) out->t1[k] /= length;
        cross3(out->n, out->t1, out->t2);
    } else {
        sti_tangent_frame(out->n, out->t1, out->t2);
    }
}

void sti_gap_look(const sti_world* world, const sti_gap* g, sti_gap_seen* out) {
    const sti_shape *a = collider(world, g->a)->shape, *b = collider(world, g->b)->shape;
    sti_pose pose_a, pose_b;
    sti_world_collider_pose(world, g->a, &pose_a);
    sti_world_collider_pose(world, g->b, &pose_b);
    *out = (sti_gap_seen){.gap = NAN};
    if (g->corner < 0) {
        sti_shape_contact c;
        if (sti_shape_distance(a, &pose_a, b, &pose_b, &c) != STI_OK) return;
        out->gap = c.gap;
        memcpy(out->n, c.normal, sizeof out->n);
        memcpy(out->at_a, c.point_a, sizeof out->at_a);
        memcpy(out->at_b, c.point_b, sizeof out->at_b);
    } else {
        int corners;
        double p[3], R[9], from[3], y[3], n[3];
        sti_pose_apply(&pose_a, sti_shape_vertices(a, &corners) + 3 * (size_t)g->corner, p);
        sti_pose_rotation(&pose_b, R);
        sub3(p, pose_b.x, from);
        mul3_transposed(R, from, y);
        if (g->wall) memcpy(n, g->plane, sizeof n);
        out->gap = (g->wall ? dot3(n, y) - g->plane[3] : from_polygon(b, y, n)) - g->radius;
        mul3(R, n, out->n);
        memcpy(out->at_a, p, sizeof p);
        axpy3(-radius_of(a), out->n, out->at_a);
        memcpy(out->at_b, out->at_a, sizeof p);
        axpy3(-out->gap, out->n, out->at_b);
    }
    lay_tangents(world->dim, g->aside, out);
}
