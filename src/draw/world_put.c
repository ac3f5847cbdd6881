// world_put.c: bodies into depth buffers: what is there now before the viewer and before the light, other instants
// in a buffer of their own.
//
// Balls and rods are put as such, everything else by its faces. Of convex shapes the viewer gets the faces that are
// turned to him, of meshes all. The light's buffer gets what is turned away from it: a lit face then lies well
// before the depth that is kept there, so that it does not shadow itself.
#include <math.h>
#include <string.h>

#include "draw/world.h"

sti_status sti_draw_world_add(draw_world* w, const draw_item* item, int* index) {
    if (w->item_count == w->item_room) {
        const int room = w->item_room > 0 ? 2 * w->item_room : 256;
        draw_item* items = w->item_room < 1 << 29 ? sti_realloc(w->env, w->items, (size_t)room * sizeof *items) : NULL;
        if (items == NULL) return STI_ERR_MEMORY;
        w->items = items;
        w->item_room = room;
    }
    *index = w->item_count;
    w->items[w->item_count++] = *item;
    return STI_OK;
}

static void place(const draw_world* w, const sti_pose* at, const double p[3], double out[3]) {
    sti_pose_apply(at, p, out);
    for (int i = 0; i < 3; i++) out[i] -= w->centre[i];
}

// ---- shapes

static sti_status put_ball(draw_world* w, draw_kind kind, draw_item item) {
    int index;
    item.kind = kind;
    const sti_status status = sti_draw_world_add(w, &item, &index);
    if (status != STI_OK) return status;
    sti_depth_put_ball(item.shot < 0 ? &w->seen : &w->ghost, item.at, item.radius, index);
    if (item.shot < 0 && !w->plane) sti_depth_put_ball(&w->lit, item.at, item.radius, index);
    return STI_OK;
}

// From item.at to `to`, with balls at its ends.
static sti_status put_rod(draw_world* w, draw_item item, const double to[3]) {
    int index;
    item.kind = DRAW_ROD;
    for (int i = 0; i < 3; i++) item.n[i] = to[i] - item.at[i];
    const double length = sqrt(dot3(item.n, item.n));
    sti_status status = put_ball(w, DRAW_END, item);
    if (status != STI_OK || !(length > 0)) return status;
    for (int i = 0; i < 3; i++) item.n[i] /= length;
    status = sti_draw_world_add(w, &item, &index);
    if (status != STI_OK) return status;
    sti_depth_put_rod(item.shot < 0 ? &w->seen : &w->ghost, item.at, to, item.radius, index);
    if (item.shot < 0 && !w->plane) sti_depth_put_rod(&w->lit, item.at, to, item.radius, index);
    for (int i = 0; i < 3; i++) item.at[i] = to[i];
    return put_ball(w, DRAW_END, item);
}

static sti_status put_round(draw_world* w, const sti_shape* shape, const sti_pose* at, draw_item item) {
    static const double origin[3] = {0, 0, 0};
    int count;
    const double *ends = sti_shape_vertices(shape, &count), reach = sti_shape_reach(shape);
    if (sti_shape_kind_of(shape) == STI_SHAPE_SPHERE) {
        place(w, at, origin, item.at);
        item.radius = reach;
        return put_ball(w, DRAW_BALL, item);
    }
    double to[3];
    place(w, at, ends, item.at);
    place(w, at, ends + 3, to);
    item.radius = reach - sqrt(dot3(ends, ends));
    return put_rod(w, item, to);
}

// A fan of triangles about the first corner.
static void put_fan(sti_depth* b, const draw_world* w, const sti_surface* s, int face, const sti_pose* at, int index) {
    const int *corner = s->corners + s->face_start[face], count = s->face_start[face + 1] - s->face_start[face];
    double p[9];
    place(w, at, s->vertices + 3 * (size_t)corner[0], p);
    for (int k = 1; k + 1 < count; k++) {
        place(w, at, s->vertices + 3 * (size_t)corner[k], p + 3);
        place(w, at, s->vertices + 3 * (size_t)corner[k + 1], p + 6);
        sti_depth_put_triangle(b, p, index);
    }
}

// Outward normal of a face, twice its area long (Newell): in the plane towards the viewer.
static void normal_of(const draw_world* w, const sti_surface* s, int face, const sti_pose* at, double n[3]) {
    const int *corner = s->corners + s->face_start[face], count = s->face_start[face + 1] - s->face_start[face];
    double p[3], q[3];
    n[0] = n[1] = n[2] = 0;
    place(w, at, s->vertices + 3 * (size_t)corner[count - 1], p);
    for (int k = 0; k < count; k++) {
        place(w, at, s->vertices + 3 * (size_t)corner[k], q);
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, l = (i + 2) % 3;
            n[i] += (p[j] - q[j]) * (p[l] + q[l]);
        }
        for (int i = 0; i < 3; i++) p[i] = q[i];
    }
    const double length = sqrt(dot3(n, n));
    for (int i = 0; i < 3 && length > 0; i++) n[i] /= length;
}

// mesh: its faces are seen from behind as well.
static sti_status put_faces(draw_world* w, bool mesh, const sti_pose* at, const sti_surface* s, draw_item item) {
    sti_depth* b = item.shot < 0 ? &w->seen : &w->ghost;
    item.kind = DRAW_FACE;
    for (int k = 0; k < s->face_count; k++) {
        normal_of(w, s, k, at, item.n);
        const bool away = dot3(item.n, b->view.into) > 0, shadow = dot3(item.n, w->lit.view.into) > 0;
        int index = -1;
        if (!away || mesh) {
            draw_item turned = item;
            for (int i = 0; i < 3 && away; i++) turned.n[i] = -item.n[i];
            const sti_status status = sti_draw_world_add(w, &turned, &index);
            if (status != STI_OK) return status;
            put_fan(b, w, s, k, at, index);
        }
        if (shadow && item.shot < 0 && !w->plane) put_fan(&w->lit, w, s, k, at, index);
    }
    return STI_OK;
}

static sti_status put_ground(draw_world* w, int shape, draw_item item) {
    double offset;
    int index;
    sti_status status = sti_draw_world_plane(w, shape, item.n, &offset);
    if (status != STI_OK) return status;
    item.kind = DRAW_GROUND;
    item.radius = 1.3 * w->size;
    for (int i = 0; i < 3; i++) item.at[i] = offset * item.n[i];
    // from behind it would hide what is in front of it
    if (!w->plane && dot3(item.n, w->seen.view.into) >= 0) return STI_OK;
    status = sti_draw_world_add(w, &item, &index);
    if (status != STI_OK) return status;
    if (w->plane)
        sti_depth_put_side(&w->seen, item.n, offset, 2 * w->size, index);
    else
        sti_depth_put_plane(&w->seen, item.n, offset, item.at, item.radius, index);
    return STI_OK;
}

// Whether a ghost of the body would be told from the body itself.
static bool has_moved(const draw_world* w, int body, int shot, double reach) {
    const sti_pose *a = draw_world_pose(w, body, shot), *b = draw_world_pose(w, body, -1);
    double way = 0, along = 0, aa = 0, bb = 0;
    for (int i = 0; i < 3; i++) way += pow(a->x[i] - b->x[i], 2);
    for (int i = 0; i < 4; i++) {
        along += a->q[i] * b->q[i];
        aa += a->q[i] * a->q[i];
        bb += b->q[i] * b->q[i];
    }
    const double half_sine = sqrt(fmax(0, 1 - along * along / (aa * bb)));
    return sqrt(way) + 2 * half_sine * reach > 0.01 * w->size;
}

static sti_status put_shape(draw_world* w, int k) {
    int body;
    sti_pose in_body;
    const sti_shape* shape = sti_bodies_shape(w->bodies, k, &body, &in_body, NULL);
    const sti_shape_kind kind = sti_shape_kind_of(shape);
    const bool round = kind == STI_SHAPE_SPHERE || kind == STI_SHAPE_CAPSULE;
    const bool moves = !sti_bodies_body(w->bodies, body)->fixed;
    draw_item item = {.body = body, .shot = -1, .look = -1};
    if (w->replaced[body] && kind != STI_SHAPE_HALFSPACE) return STI_OK;
    if (kind == STI_SHAPE_HALFSPACE) return put_ground(w, k, item);
    sti_surface s = {0};
    sti_status status = round ? STI_OK : sti_surface_make(w->env, shape, 1, &s);
    const double reach = sti_shape_reach(shape) + sqrt(dot3(in_body.x, in_body.x));
    for (int shot = -1; status == STI_OK && shot < (moves ? w->view->ghost_count : 0); shot++) {
        if (shot >= 0 && !has_moved(w, body, shot, reach)) continue;
        const sti_pose at = sti_pose_compose(draw_world_pose(w, body, shot), &in_body);
        item.shot = shot;
        status = round ? put_round(w, shape, &at, item) : put_faces(w, kind == STI_SHAPE_MESH, &at, &s, item);
    }
    sti_surface_clear(w->env, &s);
    return status;
}

// ---- looks

static double reach_of(const sti_surface* s) {
    double most = 0;
    for (size_t k = 0; k < (size_t)s->vertex_count; k++)
        most = fmax(most, dot3(s->vertices + 3 * k, s->vertices + 3 * k));
    return sqrt(most);
}

static sti_status put_look(draw_world* w, int k) {
    const sti_look* look = &w->view->looks[k];
    const bool moves = !sti_bodies_body(w->bodies, look->body)->fixed;
    const double reach = reach_of(&look->surface);
    draw_item item = {.body = look->body, .look = k};
    sti_status status = STI_OK;
    for (int shot = -1; status == STI_OK && shot < (moves ? w->view->ghost_count : 0); shot++) {
        if (shot >= 0 && !has_moved(w, look->body, shot, reach)) continue;
        item.shot = shot;
        status = put_faces(w, true, draw_world_pose(w, look->body, shot), &look->surface, item);
    }
    return status;
}

// ---- links: what holds bodies together without a shape

// Whether a point of the world lies near none of the shapes of a body.
static bool is_apart(const draw_world* w, int body, const double p[3]) {
    if (w->looks[body]) return false;
    for (int k = 0; k < sti_bodies_shape_count(w->bodies); k++) {
        int of;
        sti_pose in_body;
        sti_aabb b;
        const sti_shape* shape = sti_bodies_shape(w->bodies, k, &of, &in_body, NULL);
        if (of != body) continue;
        const sti_pose at = sti_pose_compose(draw_world_pose(w, body, -1), &in_body);
        if (sti_shape_bounds(shape, &at, 0.06 * w->size, &b) != STI_OK) continue;
        bool inside = true;
        for (int i = 0; i < 3; i++) inside = inside && p[i] >= b.lower[i] && p[i] <= b.upper[i];
        if (inside) return false;
    }
    return true;
}

// The unit vector along a x b.
static void across(const double a[3], const double b[3], double out[3]) {
    double c[3];
    cross3(a, b, c);
    const double length = norm3(c);
    for (int i = 0; i < 3; i++) out[i] = c[i] / length;
}

static sti_status put_link(draw_world* w, const double a[3], const double b[3]) {
    draw_item item = {.body = -1, .shot = -1, .look = -1, .radius = 0.003 * w->size};
    double to[3];
    for (int i = 0; i < 3; i++) {
        item.at[i] = a[i] - w->centre[i];
        to[i] = b[i] - w->centre[i];
    }
    return put_rod(w, item, to);
}

// A joint of distance is a rod between its points; any other is one from the centre of each body that it is apart
// from.
static sti_status put_joint(draw_world* w, const sti_joint* joint) {
    double end[2][3];
    sti_status status = STI_OK;
    if (joint->kind == STI_JOINT_GEAR || joint->kind == STI_JOINT_PRISMATIC || joint->kind == STI_JOINT_PLANAR)
        return STI_OK;
    for (int i = 0; i < 2; i++) {
        const int body = i == 0 ? joint->a : joint->b;
        const sti_pose here = sti_pose_identity(), *pose = body >= 0 ? draw_world_pose(w, body, -1) : &here;
        sti_pose_apply(pose, i == 0 ? joint->at_a.x : joint->at_b.x, end[i]);
    }
    if (joint->kind == STI_JOINT_DISTANCE) status = put_link(w, end[0], end[1]);
    for (int i = 0; i < 2 && status == STI_OK; i++) {
        const int body = i == 0 ? joint->a : joint->b;
        if (body < 0 || sti_bodies_body(w->bodies, body)->fixed || !is_apart(w, body, end[i])) continue;
        double centre[3];
        sti_pose_apply(draw_world_pose(w, body, -1), sti_bodies_body(w->bodies, body)->centre, centre);
        status = put_link(w, centre, end[i]);
    }
    return status;
}

// A coil of TURNS turns between the two points, as wide as a link is thick, six times.
static sti_status put_spring(draw_world* w, const sti_spring* spring) {
    enum { TURNS = 9, PIECES = 10 };
    double end[2][3], axis[3], t1[3], t2[3], last[3];
    sti_draw_world_spring_ends(w, spring, end);
    for (int i = 0; i < 3; i++) axis[i] = end[1][i] - end[0][i];
    if (!(sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]) > 1e-6 * w->size)) return STI_OK;
    double other[3] = {0, 0, 0};  // along the coordinate that the axis has least of
    int least = 0;
    for (int i = 1; i < 3; i++) least = fabs(axis[i]) < fabs(axis[least]) ? i : least;
    other[least] = 1;
    across(axis, other, t1);
    across(axis, t1, t2);
    memcpy(last, end[0], sizeof last);
    sti_status status = STI_OK;
    for (int k = 1; status == STI_OK && k <= TURNS * PIECES; k++) {
        const double s = (double)k / (TURNS * PIECES), phi = 2 * M_PI * k / PIECES;
        const double wide = 0.018 * w->size * fmin(1, 12 * fmin(s, 1 - s));
        double p[3];
        for (int i = 0; i < 3; i++) p[i] = end[0][i] + s * axis[i] + wide * (cos(phi) * t1[i] + sin(phi) * t2[i]);
        status = put_link(w, last, p);
        memcpy(last, p, sizeof last);
    }
    return status;
}

sti_status sti_draw_world_put(draw_world* w) {
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < sti_bodies_shape_count(w->bodies); k++) status = put_shape(w, k);
    for (int k = 0; status == STI_OK && k < w->view->look_count; k++) status = put_look(w, k);
    for (int k = 0; status == STI_OK && k < sti_bodies_joint_count(w->bodies); k++)
        status = put_joint(w, sti_bodies_joint(w->bodies, k));
    for (int k = 0; status == STI_OK && k < sti_bodies_spring_count(w->bodies); k++)
        status = put_spring(w, sti_bodies_spring(w->bodies, k));
    return status == STI_OK ? sti_draw_world_put_arrows(w) : status;
}
