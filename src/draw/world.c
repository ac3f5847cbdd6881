// world.c: rigid bodies, drawn with a depth buffer.
//
// The viewer is as far away as that of beds, so that lengths can be compared all over the picture. What is drawn and
// from where is decided by world_view.c, how it gets into the buffers by world_put.c, and what a ray then sees by
// world_shade.c. The same scene gives the same bytes.
//
// Cost: O(rays + sum of the boxes around all things); memory 8 bytes a ray, and as many again with ghosts.
#include "draw/world.h"

#include <math.h>
#include <string.h>

sti_world_view sti_world_view_default(void) {
    return (sti_world_view){.width = 1200, .samples = 2, .turn = NAN, .tilt = 0.42, .edges = true};
}

// ---- colours

static void color_of_body(int i, unsigned char rgb[3]) {
    static const unsigned char table[8][3] = {{88, 132, 176},  {216, 134, 88},  {126, 162, 108}, {228, 190, 104},
                                              {176, 106, 118}, {100, 164, 164}, {150, 132, 178}, {194, 164, 132}};
    memcpy(rgb, table[i % 8], 3);
}

// Speeds or sums of impulses of all bodies. value is cleared.
static void measure_bodies(const sti_bodies* bodies, const sti_world* world, sti_world_color by, double* value) {
    int count = 0;
    const sti_world_contact* list = by == STI_WORLD_BY_FORCE ? sti_world_contacts(world, &count) : NULL;
    for (int k = 0; k < count; k++) {
        value[list[k].a] += list[k].r[0];
        value[list[k].b] += list[k].r[0];
    }
    for (int k = 0; k < sti_bodies_count(bodies) && by == STI_WORLD_BY_SPEED; k++) {
        double v[3], w[3];
        sti_world_velocity(world, k, v, w);
        value[k] = sqrt(dot3(v, v));
    }
}

sti_status sti_world_colors(sti_env* env, const sti_bodies* bodies, const sti_world* world, sti_world_color by,
                            unsigned char* rgb) {
    static const unsigned char grey[3] = {168, 170, 174};
    const int n = sti_bodies_count(bodies);
    if (by != STI_WORLD_BY_BODY && (world == NULL || (by != STI_WORLD_BY_SPEED && by != STI_WORLD_BY_FORCE)))
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "colours by %d need a world and must be known", (int)by);
    double* value = sti_alloc_array_zero(env, (size_t)n, sizeof *value);
    if (value == NULL) return STI_ERR_MEMORY;
    if (by != STI_WORLD_BY_BODY) measure_bodies(bodies, world, by, value);
    double most = 0;
    for (int k = 0; k < n; k++) most = sti_bodies_body(bodies, k)->fixed ? most : fmax(most, value[k]);
    for (int k = 0, moving = 0; k < n; k++) {
        if (sti_bodies_body(bodies, k)->fixed)
            memcpy(rgb + 3 * (size_t)k, grey, sizeof grey);
        else if (by == STI_WORLD_BY_BODY)
            color_of_body(moving++, rgb + 3 * (size_t)k);
        else
            sti_color_of_value(most > 0 ? value[k] / most : 0, rgb + 3 * (size_t)k);
    }
    sti_free(env, value);
    return STI_OK;
}

// ---- the picture

static bool is_pose(const sti_pose* p) {
    double q = 0, x = 0;
    for (int i = 0; i < 4; i++) q += p->q[i] * p->q[i];
    for (int i = 0; i < 3; i++) x = fmax(x, isfinite(p->x[i]) ? fabs(p->x[i]) : INFINITY);
    return q > 0 && isfinite(q) && x < 1e100;
}

static sti_status check(sti_env* env, const sti_bodies* bodies, const sti_pose* poses, const sti_world_view* view) {
    const sti_status status = sti_view_check(env, view->width, view->height, view->samples, view->tilt);
    if (status != STI_OK) return status;
    if (isinf(view->turn)) return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "turn: %g, must be finite", view->turn);
    if (view->ghost_count < 0 || view->ghost_count > 10000 || view->contact_count < 0)
        return STI_FAIL(env, STI_ERR_ARGUMENT, -1, "%d ghosts, must be 0 to 10000, and %d contacts", view->ghost_count,
                        view->contact_count);
    const int n = sti_bodies_count(bodies);
    for (int k = 0; k < view->look_count; k++) {
        if (view->looks[k].body < 0 || view->looks[k].body >= n)
            return STI_FAIL(env, STI_ERR_ARGUMENT, k, "look %d: of body %d: there are %d", k, view->looks[k].body, n);
    }
    for (int shot = -1; shot < view->ghost_count; shot++) {
        const sti_pose* list = shot < 0 ? poses : view->ghosts + (size_t)shot * (size_t)n;
        for (int k = 0; k < n; k++) {
            if (!is_pose(&list[k]))
                return STI_FAIL(env, STI_ERR_ARGUMENT, k, "body %d (%s): a pose that is none", k,
                                sti_bodies_body(bodies, k)->name);
        }
    }
    return STI_OK;
}

static sti_status make_buffers(draw_world* w) {
    sti_status status = sti_depth_make(w->env, &w->seen, true);
    if (status == STI_OK && w->view->ghost_count > 0) status = sti_depth_make(w->env, &w->ghost, true);
    if (status == STI_OK && !w->plane) status = sti_depth_make(w->env, &w->lit, false);
    return status;
}

// Which bodies have looks, and which are shown by them alone.
static sti_status find_looks(draw_world* w) {
    const size_t n = (size_t)sti_bodies_count(w->bodies);
    w->replaced = sti_alloc_array_zero(w->env, n, sizeof *w->replaced);
    w->looks = sti_alloc_array_zero(w->env, n, sizeof *w->looks);
    if (w->replaced == NULL || w->looks == NULL) return STI_ERR_MEMORY;
    for (int k = 0; k < w->view->look_count; k++) {
        const sti_look* look = &w->view->looks[k];
        w->looks[look->body] = true;
        w->replaced[look->body] |= look->instead;
    }
    return STI_OK;
}

static sti_status make_colors(draw_world* w, const unsigned char* color) {
    const size_t n = (size_t)sti_bodies_count(w->bodies);
    w->color = sti_alloc_array(w->env, n, 3);
    if (w->color == NULL) return STI_ERR_MEMORY;
    if (color == NULL) return sti_world_colors(w->env, w->bodies, NULL, STI_WORLD_BY_BODY, w->color);
    if (n > 0) memcpy(w->color, color, 3 * n);
    return STI_OK;
}

sti_status sti_draw_world(sti_env* env, const sti_bodies* bodies, const sti_pose* poses, const unsigned char* color,
                          const sti_world_view* view, sti_image* out) {
    *out = (sti_image){0};
    sti_status status = check(env, bodies, poses, view);
    if (status != STI_OK) return status;
    draw_world w = {.env = env, .bodies = bodies, .poses = poses, .view = view, .plane = sti_bodies_dim(bodies) == 2};
    status = find_looks(&w);
    if (status == STI_OK) status = make_colors(&w, color);
    if (status == STI_OK) status = sti_draw_world_measure(&w);
    if (status == STI_OK) status = sti_draw_world_aim(&w);
    if (status == STI_OK) status = make_buffers(&w);
    if (status == STI_OK) status = sti_draw_world_put(&w);
    if (status == STI_OK) status = sti_image_make(env, view->width, w.seen.view.height / view->samples, out);
    if (status == STI_OK) {
        sti_rings_fill(&w.rings);
        sti_image_develop(out, view->samples, sti_draw_world_trace, &w);
    }
    sti_free(env, w.replaced);
    sti_free(env, w.looks);
    sti_free(env, w.color);
    sti_free(env, w.spots);
    sti_free(env, w.items);
    sti_depth_clear(env, &w.seen);
    sti_depth_clear(env, &w.ghost);
    sti_depth_clear(env, &w.lit);
    return status;
}
