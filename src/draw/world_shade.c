// world_shade.c: what a ray sees of bodies: colour, light, dark edges, and ghosts before it all.
//
//     surface   colour times ambient light, darker in corners, and sunlight by Lambert's law where no shadow falls
//     edges     a ray is on one when a ray close by sees another body, or the same body where its surface has a
//               sharp bend or jumps. Lines have the same width everywhere and need no list of edges, and the outline
//               of a ball is one like any other. They lie inside of the bodies: what they cover stays as large as it
//               is.
//     ghosts    mixed in where they are nearer than what is there now; in the plane behind all that moves
//     ground    half-spaces, chequered, and paler and paler away from the scene; in the plane away from their surface
#include <math.h>

#include "draw/world.h"

static const double sharp = 0.87;  // cosine of the angle between normals from which on a bend is an edge: 30 degrees

static void normal_at(const draw_world* w, const draw_item* t, const double p[3], double n[3]) {
    double along = 0;
    for (int i = 0; i < 3; i++) n[i] = t->n[i];
    if (w->plane || t->kind == DRAW_FACE || t->kind == DRAW_GROUND || draw_is_mark(t)) return;
    for (int i = 0; i < 3; i++) along += t->kind == DRAW_ROD ? (p[i] - t->at[i]) * t->n[i] : 0;
    for (int i = 0; i < 3; i++) n[i] = (p[i] - t->at[i] - along * t->n[i]) / t->radius;
}

// How the depth of a surface with this normal grows to the right and upward. Steep ones are made less so.
static void slope_of(const sti_camera* c, const double n[3], double slope[2]) {
    const double facing = fmin(dot3(n, c->into), -0.1);
    slope[0] = -dot3(n, c->right) / facing;
    slope[1] = -dot3(n, c->up) / facing;
}

// ---- edges

static const draw_item* item_at(const draw_world* w, const sti_depth* b, int i, int j) {
    const int k = b->item[(size_t)j * (size_t)b->view.width + (size_t)i];
    return k < 0 ? NULL : &w->items[k];
}

static bool is_solid(const draw_item* t) {
    return t != NULL && t->kind != DRAW_GROUND && !draw_is_mark(t);
}

// Whether the surface breaks between rays (i, j) and (x, y), which see the same body.
static bool breaks(const draw_world* w, const sti_depth* b, int i, int j, int x, int y) {
    const draw_item *s = item_at(w, b, i, j), *t = item_at(w, b, x, y);
    if (s == t || w->plane) return false;
    const double zs = b->depth[(size_t)j * (size_t)b->view.width + (size_t)i];
    const double zt = b->depth[(size_t)y * (size_t)b->view.width + (size_t)x];
    double p[3], q[3], n[3], m[3], slope[2];
    sti_camera_point(&b->view, i, j, zs, p);
    sti_camera_point(&b->view, x, y, zt, q);
    normal_at(w, s, p, n);
    normal_at(w, t, q, m);
    if (dot3(n, m) < sharp) return true;
    slope_of(&b->view, n, slope);
    const double expected = zs + (slope[0] * (x - i) - slope[1] * (y - j)) / b->view.scale;
    return fabs(zt - expected) > 0.006 * w->size + 4 * (fabs(slope[0]) + fabs(slope[1])) / b->view.scale;
}

// Lines are a pixel wide: half of one on either side of an edge, or all of it inside an outline.
static bool is_edge(const draw_world* w, const sti_depth* b, int i, int j) {
    static const int around[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
    const draw_item* own = item_at(w, b, i, j);
    const int half = (w->view->samples + 1) / 2;
    for (int k = 0; k < 16; k++) {
        const int far = k < 8 ? half : 2 * half, step = k % 8 < 4 ? far : (7 * far + 5) / 10;
        const int x = i + step * around[k % 8][0], y = j + step * around[k % 8][1];
        if (x < 0 || y < 0 || x >= b->view.width || y >= b->view.height) continue;
        const draw_item* t = item_at(w, b, x, y);
        if (draw_is_mark(t)) continue;
        if (!is_solid(t)) return true;
        if (k >= 8) continue;
        if (t->body != own->body || t->shot != own->shot || breaks(w, b, i, j, x, y)) return true;
    }
    return false;
}

// ---- surfaces

static void base_color(const draw_world* w, const draw_item* t, const double p[3], double rgb[3]) {
    static const unsigned char link[3] = {74, 78, 84};
    const bool own = t->look >= 0 && w->view->looks[t->look].has_color && !w->view->plain;
    const unsigned char* c = own ? w->view->looks[t->look].rgb : t->body >= 0 ? w->color + 3 * (size_t)t->body : link;
    double tone = 1;
    if (t->kind == DRAW_BALL && t->body >= 0) {
        // octants, so that one sees it turn
        double q[3], world[3];
        for (int i = 0; i < 3; i++) world[i] = p[i] - t->at[i];
        sti_pose pose = *draw_world_pose(w, t->body, t->shot);
        for (int i = 0; i < 3; i++) pose.x[i] = 0;
        sti_pose_apply_inverse(&pose, world, q);
        if ((q[0] < 0) ^ (q[1] < 0) ^ (!w->plane && q[2] < 0)) tone = 0.8;
    }
    for (int i = 0; i < 3; i++) rgb[i] = tone * (c[i] / 255.0) * (c[i] / 255.0);
}

static double sun_on(const draw_world* w, const double p[3], const double n[3]) {
    const double facing = -dot3(n, w->lit.view.into);
    if (!(facing > 0)) return 0;
    return facing * sti_depth_lit_part(&w->lit, p, fmax(0.002 * w->size, 3 / w->lit.view.scale));
}

static void shade_solid(const draw_world* w, const draw_item* t, int i, int j, const double p[3], double z,
                        double rgb[3]) {
    base_color(w, t, p, rgb);
    if (w->plane) return;
    double n[3], slope[2];
    normal_at(w, t, p, n);
    slope_of(&w->seen.view, n, slope);
    const double open = sti_depth_openness(&w->seen, &w->rings, i, j, z, slope, 0.04 * w->size, 1);
    const double light = open * (0.36 + 0.10 * n[2]) + 0.66 * sun_on(w, p, n) * (0.5 + 0.5 * open);
    for (int a = 0; a < 3; a++) rgb[a] *= light;
}

// A side of 1, 2 or 5 times a power of ten, about a fifth of the scene.
static double cell_of(double size) {
    const double ten = pow(10, floor(log10(size / 5))), part = size / 5 / ten;
    return ten * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static double smooth(double t) {
    t = fmin(fmax(t, 0), 1);
    return t * t * (3 - 2 * t);
}

static void shade_ground(const draw_world* w, const draw_item* t, int i, int j, const double p[3], double z,
                         double rgb[3]) {
    static const double earth[3] = {0.60, 0.57, 0.53}, pale[3] = {0.86, 0.86, 0.85}, dark[3] = {0.70, 0.71, 0.72};
    double q[3], t1[3], t2[3], slope[2], away = 0;
    if (w->plane) {
        for (int a = 0; a < 3; a++) away += (t->at[a] - p[a]) * t->n[a];
        const double mix = 0.15 + 0.85 * smooth(away / (0.3 * w->size));
        for (int a = 0; a < 3; a++) rgb[a] = mix * rgb[a] + (1 - mix) * earth[a];
        return;
    }
    sti_tangent_frame(t->n, t1, t2);
    for (int a = 0; a < 3; a++) {
        away += pow(p[a] - t->at[a], 2);
        q[a] = p[a] + w->centre[a];
    }
    const double cell = cell_of(w->size), x = floor(dot3(t1, q) / cell), y = floor(dot3(t2, q) / cell);
    const double* tile = fmod(x + y, 2) == 0 ? pale : dark;
    slope_of(&w->seen.view, t->n, slope);
    const double open = sti_depth_openness(&w->seen, &w->rings, i, j, z, slope, 0.04 * w->size, 1);
    const double light = 0.52 * open + 0.56 * sun_on(w, p, t->n) * (0.6 + 0.4 * open);
    const double mix = smooth((sqrt(away) / t->radius - 0.35) / 0.65);
    for (int a = 0; a < 3; a++) rgb[a] = mix * rgb[a] + (1 - mix) * light * tile[a];
}

// ---- rays

// What there is now. rgb comes with the background.
static void see_now(const draw_world* w, int i, int j, double rgb[3]) {
    static const double mark[3] = {0.62, 0.01, 0.04}, rim[3] = {0.96, 0.95, 0.93};
    const draw_item* t = item_at(w, &w->seen, i, j);
    if (t == NULL) return;
    const double z = w->seen.depth[(size_t)j * (size_t)w->seen.view.width + (size_t)i];
    double p[3];
    sti_camera_point(&w->seen.view, i, j, z, p);
    if (t->kind == DRAW_GROUND)
        shade_ground(w, t, i, j, p, z, rgb);
    else if (draw_is_mark(t))
        for (int a = 0; a < 3; a++) rgb[a] = t->kind == DRAW_MARK ? mark[a] : rim[a];
    else
        shade_solid(w, t, i, j, p, z, rgb);
    if (!w->view->edges || !is_solid(t) || t->body < 0 || !is_edge(w, &w->seen, i, j)) return;
    for (int a = 0; a < 3; a++) rgb[a] *= 0.13;
}

static void mix_ghost(const draw_world* w, int i, int j, double rgb[3]) {
    const size_t at = (size_t)j * (size_t)w->ghost.view.width + (size_t)i;
    const draw_item *t = item_at(w, &w->ghost, i, j), *now = item_at(w, &w->seen, i, j);
    if (t == NULL) return;
    const bool moving = is_solid(now) && (now->body < 0 || !sti_bodies_body(w->bodies, now->body)->fixed);
    if (draw_is_mark(now) || (w->plane ? moving : !(w->ghost.depth[at] < w->seen.depth[at] - 1e-3 * w->size))) return;
    double p[3], n[3], base[3];
    sti_camera_point(&w->ghost.view, i, j, w->ghost.depth[at], p);
    normal_at(w, t, p, n);
    base_color(w, t, p, base);
    const double light = w->plane ? 1 : 0.5 + 0.1 * n[2] + 0.5 * fmax(0, -dot3(n, w->lit.view.into));
    const double part = (t->shot + 1.0) / w->view->ghost_count;
    const bool edge = w->view->edges && is_edge(w, &w->ghost, i, j);
    // before a body only its outline is seen well
    const double before = moving ? 0.25 : 1,
                 alpha = edge ? (0.35 + 0.25 * part) * sqrt(before) : (0.26 + 0.24 * part) * before;
    for (int a = 0; a < 3; a++) {
        const double pale = edge ? 0.2 * base[a] : 0.72 * light * base[a] + 0.28;
        rgb[a] = (1 - alpha) * rgb[a] + alpha * pale;
    }
}

void sti_draw_world_trace(const void* world, int i, int j, double sum[3]) {
    const draw_world* w = world;
    double rgb[3];
    sti_light_background((double)j / w->seen.view.height, rgb);
    see_now(w, i, j, rgb);
    if (w->ghost.item != NULL) mix_ghost(w, i, j, rgb);
    sti_light_add(sum, rgb, 1);
}
