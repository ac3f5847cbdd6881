// world_view.c: what a picture of bodies has to show, and from where.
//
// Shown is all that moves, at all instants, but for what has gone astray: a ball that rolled away for ever would
// leave nothing of the rest to be seen. With m the median of the centres of all boxes and d_k the distance of box k
// from it (the largest of its coordinates), a box stays when
//
//     d_k <= 4 (Q + half its diagonal),    Q the value that four in five of the d do not exceed.
//
// Fixed bodies and joints count when they are not much larger than what moves, or farther away; ends of springs up to
// LONG sizes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/world.h"

enum { LONG = 4 };

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double middle_of(const sti_aabb* b, int i) {
    return 0.5 * b->lower[i] + 0.5 * b->upper[i];
}

static double diagonal_of(const double low[3], const double high[3]) {
    return sqrt(pow(high[0] - low[0], 2) + pow(high[1] - low[1], 2) + pow(high[2] - low[2], 2));
}

static void join(draw_world* w, const sti_aabb* b) {
    for (int i = 0; i < 3; i++) {
        w->low[i] = fmin(w->low[i], b->lower[i]);
        w->high[i] = fmax(w->high[i], b->upper[i]);
    }
}

void sti_draw_look_bounds(const draw_world* w, const sti_look* look, int shot, sti_aabb* out) {
    for (int i = 0; i < 3; i++) out->lower[i] = -(out->upper[i] = -INFINITY);
    for (size_t v = 0; v < (size_t)look->surface.vertex_count; v++) {
        double p[3];
        sti_pose_apply(draw_world_pose(w, look->body, shot), look->surface.vertices + 3 * v, p);
        for (int i = 0; i < 3; i++) {
            out->lower[i] = fmin(out->lower[i], p[i]);
            out->upper[i] = fmax(out->upper[i], p[i]);
        }
    }
}

// Boxes of the looks and bounded shapes of bodies that are fixed, or are not, from spots[from] on.
static int gather(const draw_world* w, bool fixed, int from) {
    const int last_shot = fixed ? -1 : w->view->ghost_count - 1;
    for (int k = 0; k < sti_bodies_shape_count(w->bodies); k++) {
        int body;
        sti_pose place;
        const sti_shape* shape = sti_bodies_shape(w->bodies, k, &body, &place, NULL);
        if (sti_bodies_body(w->bodies, body)->fixed != fixed || !isfinite(sti_shape_reach(shape))) continue;
        if (w->replaced[body]) continue;
        for (int shot = -1; shot <= last_shot; shot++) {
            const sti_pose at = sti_pose_compose(draw_world_pose(w, body, shot), &place);
            if (sti_shape_bounds(shape, &at, 0, &w->spots[from]) == STI_OK) from++;
        }
    }
    for (int k = 0; k < w->view->look_count; k++) {
        const sti_look* look = &w->view->looks[k];
        if (sti_bodies_body(w->bodies, look->body)->fixed != fixed || look->surface.vertex_count == 0) continue;
        for (int shot = -1; shot <= last_shot; shot++) sti_draw_look_bounds(w, look, shot, &w->spots[from++]);
    }
    return from;
}

// Points of joints: rods may lead to them.
static int gather_joints(const draw_world* w, int from) {
    for (int k = 0; k < 2 * sti_bodies_joint_count(w->bodies); k++) {
        const sti_joint* joint = sti_bodies_joint(w->bodies, k / 2);
        const int body = k % 2 == 0 ? joint->a : joint->b;
        const sti_pose here = sti_pose_identity(), *pose = body >= 0 ? draw_world_pose(w, body, -1) : &here;
        sti_aabb* b = &w->spots[from];
        if (joint->kind == STI_JOINT_GEAR) continue;
        sti_pose_apply(pose, k % 2 == 0 ? joint->at_a.x : joint->at_b.x, b->lower);
        memcpy(b->upper, b->lower, sizeof b->upper);
        from++;
    }
    return from;
}

void sti_draw_world_spring_ends(const draw_world* w, const sti_spring* spring, double end[2][3]) {
    for (int i = 0; i < 2; i++) {
        const int body = i == 0 ? spring->a : spring->b;
        const sti_pose here = sti_pose_identity(), *pose = body >= 0 ? draw_world_pose(w, body, -1) : &here;
        sti_pose_apply(pose, i == 0 ? spring->at_a : spring->at_b, end[i]);
    }
}

static int gather_springs(const draw_world* w, int from) {
    for (int k = 0; k < sti_bodies_spring_count(w->bodies); k++) {
        double end[2][3];
        sti_draw_world_spring_ends(w, sti_bodies_spring(w->bodies, k), end);
        for (int i = 0; i < 2; i++, from++) {
            memcpy(w->spots[from].lower, end[i], sizeof end[i]);
            memcpy(w->spots[from].upper, end[i], sizeof end[i]);
        }
    }
    return from;
}

static double away_from(const sti_aabb* b, const double p[3]) {
    double d = 0;
    for (int i = 0; i < 3; i++) d = fmax(d, fabs(middle_of(b, i) - p[i]));
    return d;
}

// Drops what is astray. `sorted` has room for all spots.
static void drop_strays(draw_world* w, double* sorted) {
    const int n = w->spot_count;
    double median[3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < n; k++) sorted[k] = middle_of(&w->spots[k], i);
        qsort(sorted, (size_t)n, sizeof *sorted, compare);
        median[i] = sorted[(n - 1) / 2];
    }
    for (int k = 0; k < n; k++) sorted[k] = away_from(&w->spots[k], median);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    const double Q = sorted[(4 * n + 4) / 5 - 1];
    w->spot_count = 0;
    for (int k = 0; k < n; k++) {
        const sti_aabb b = w->spots[k];
        if (away_from(&b, median) <= 4 * (Q + 0.5 * diagonal_of(b.lower, b.upper))) w->spots[w->spot_count++] = b;
    }
}

sti_status sti_draw_world_measure(draw_world* w) {
    const size_t shapes = (size_t)sti_bodies_shape_count(w->bodies), joints = (size_t)sti_bodies_joint_count(w->bodies),
                 springs = (size_t)sti_bodies_spring_count(w->bodies);
    const size_t looks = (size_t)w->view->look_count;
    const size_t room = (shapes + looks) * ((size_t)w->view->ghost_count + 1) + 2 * joints + 2 * springs;
    w->spots = sti_alloc_array(w->env, room, sizeof *w->spots);
    double* sorted = sti_alloc_array(w->env, room, sizeof *sorted);
    if (w->spots == NULL || sorted == NULL) {
        sti_free(w->env, sorted);
        return STI_ERR_MEMORY;
    }
    for (int i = 0; i < 3; i++) {
        w->low[i] = INFINITY;
        w->high[i] = -INFINITY;
    }
    w->spot_count = gather(w, false, 0);
    if (w->spot_count > 0) drop_strays(w, sorted);
    sti_free(w->env, sorted);
    for (int k = 0; k < w->spot_count; k++) {
        join(w, &w->spots[k]);
        w->typical += diagonal_of(w->spots[k].lower, w->spots[k].upper) / w->spot_count;
    }
    const int moving = w->spot_count, rods = gather_joints(w, gather(w, true, moving)), all = gather_springs(w, rods);
    const double size = diagonal_of(w->low, w->high);
    double centre[3];
    for (int i = 0; i < 3; i++) centre[i] = 0.5 * w->low[i] + 0.5 * w->high[i];
    for (int k = moving; k < all; k++) {
        const sti_aabb b = w->spots[k];
        const double reach = fmax(0.5 * diagonal_of(b.lower, b.upper), away_from(&b, centre));
        if (moving > 0 && !(reach <= (k < rods ? 1 : LONG) * size)) continue;
        w->spots[w->spot_count++] = b;
    }
    for (int k = moving; k < w->spot_count; k++) join(w, &w->spots[k]);
    for (int i = 0; i < 3; i++) {
        if (!(w->low[i] <= w->high[i])) w->low[i] = -(w->high[i] = 1);  // nothing but half-spaces
        w->centre[i] = 0.5 * w->low[i] + 0.5 * w->high[i];
    }
    w->size = diagonal_of(w->low, w->high);
    if (w->size > 0) return STI_OK;
    w->spot_count = 0;  // a point: as if there were nothing
    w->size = 2;
    return STI_OK;
}

// ---- cameras

sti_status sti_draw_world_plane(const draw_world* w, int shape, double n[3], double* offset) {
    int body;
    sti_pose place;
    sti_surface s;
    const sti_shape* of = sti_bodies_shape(w->bodies, shape, &body, &place, NULL);
    const sti_status status = sti_surface_make(w->env, of, 1, &s);
    if (status != STI_OK) return status;
    const sti_pose at = sti_pose_compose(draw_world_pose(w, body, -1), &place);
    double p[4][3], a[3], b[3];
    for (int k = 0; k < 4; k++) sti_pose_apply(&at, s.vertices + 3 * (size_t)s.corners[k], p[k]);
    sti_surface_clear(w->env, &s);
    for (int i = 0; i < 3; i++) {
        a[i] = p[1][i] - p[0][i];
        b[i] = p[3][i] - p[0][i];
    }
    // in the plane the strip lies behind its surface, from corner 3 to corner 0
    for (int i = 0; i < 3; i++)
        n[i] = w->plane ? b[i] : a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    const double length = sqrt(dot3(n, n));
    for (int i = 0; i < 3; i++) n[i] /= length;
    *offset = dot3(n, p[3]) - dot3(n, w->centre);
    return STI_OK;
}

static void direction(double turn, double tilt, double into[3]) {
    into[0] = -sin(turn) * cos(tilt);
    into[1] = cos(turn) * cos(tilt);
    into[2] = -sin(tilt);
}

static void extent(const draw_world* w, const sti_camera* c, double u[2], double v[2]) {
    u[0] = v[0] = INFINITY;
    u[1] = v[1] = -INFINITY;
    for (int k = 0; k < w->spot_count; k++) {
        double low[3], high[3];
        for (int i = 0; i < 3; i++) {
            low[i] = w->spots[k].lower[i] - w->centre[i];
            high[i] = w->spots[k].upper[i] - w->centre[i];
        }
        sti_camera_widen(c, low, high, u, v);
    }
    if (w->spot_count == 0) sti_camera_widen(c, (const double[]){-1, -1, -1}, (const double[]){1, 1, 1}, u, v);
}

// One of four turns: that from which most half-spaces are seen from outside; of these the one with the widest view,
// where the first two count a quarter more: what is long in x is usually meant to be.
static sti_status choose_turn(const draw_world* w, double* turn) {
    static const double turns[4] = {0.55, -0.55, 1.5707963267948966 - 0.55, 0.55 - 1.5707963267948966};
    int most = -1;
    double widest = 0;
    for (int k = 0; k < 4; k++) {
        sti_camera c = {0};
        double into[3], n[3], offset, u[2], v[2];
        int outside = 0;
        direction(turns[k], w->view->tilt, into);
        sti_camera_look(&c, into);
        for (int s = 0; s < sti_bodies_shape_count(w->bodies); s++) {
            const sti_shape* shape = sti_bodies_shape(w->bodies, s, NULL, NULL, NULL);
            if (sti_shape_kind_of(shape) != STI_SHAPE_HALFSPACE) continue;
            const sti_status status = sti_draw_world_plane(w, s, n, &offset);
            if (status != STI_OK) return status;
            outside += dot3(n, into) < -0.1;
        }
        extent(w, &c, u, v);
        const double width = (k < 2 ? 1.25 : 1) * (u[1] - u[0]);
        if (outside < most || (outside == most && !(width > (1 + 1e-9) * widest))) continue;
        most = outside;
        widest = width;
        *turn = turns[k];
    }
    return STI_OK;
}

sti_status sti_draw_world_aim(draw_world* w) {
    const sti_world_view* view = w->view;
    sti_camera *c = &w->seen.view, *l = &w->lit.view;
    double turn = view->turn, into[3], u[2], v[2];
    c->width = view->width * view->samples;
    c->height = view->height * view->samples;
    if (w->plane) {
        *c = (sti_camera){
            .right = {1, 0, 0}, .up = {0, 1, 0}, .into = {0, 0, -1}, .width = c->width, .height = c->height};
    } else {
        const sti_status status = isnan(turn) ? choose_turn(w, &turn) : STI_OK;
        if (status != STI_OK) return status;
        direction(turn, view->tilt, into);
        sti_camera_look(c, into);
    }
    extent(w, c, u, v);
    // whole pixels: the height is chosen in them
    sti_camera whole = *c;
    whole.width = view->width;
    whole.height = view->height;
    const double margin = 0.07 * fmax(u[1] - u[0], v[1] - v[0]);
    sti_camera_frame(&whole, u, v, margin, 0.5, 1);
    c->height = whole.height * view->samples;
    sti_camera_frame(c, u, v, margin, 0.5, 1);
    w->ghost.view = *c;
    // light from behind the viewer's left shoulder
    direction(turn, 0, into);
    const double light[3] = {0.45 * c->right[0] + 0.45 * into[0], 0.45 * c->right[1] + 0.45 * into[1], -1};
    l->width = l->height = 2048;
    w->lit.back = true;
    if (w->plane) return STI_OK;
    sti_camera_look(l, light);
    extent(w, l, u, v);
    sti_camera_frame(l, u, v, 0.01 * w->size, 1, 1);
    return STI_OK;
}
