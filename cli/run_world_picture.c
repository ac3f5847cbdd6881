// run_world_picture.c: pictures of a run of bodies: in the plane the outlines of the bodies at several instants, with
// joints and the forces of the last step; in space a rendered picture of the end; energies over time (run_picture.c).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_world.h"
#include "svg.h"

static void pose_of(const cli_world_run* run, int shot, int body, sti_pose* out) {
    const size_t width = 1 + 7 * (size_t)sti_bodies_count(run->of->scene->bodies);
    const double* row = run->of->shot + width * (size_t)shot + 1 + 7 * (size_t)body;
    memcpy(out->x, row, sizeof out->x);
    memcpy(out->q, row + 3, sizeof out->q);
}

// ---- the plane

typedef struct outline {
    double *x, *y;  // (count)
    int count;
} outline;

typedef struct box {
    double low[2], high[2];
} box;

// The outline of a shape, placed: room for `most` corners.
static void place_outline(const sti_surface* s, const sti_pose* pose, const sti_pose* place, outline* out) {
    const sti_pose at = sti_pose_compose(pose, place);
    out->count = s->face_start[1];
    for (int k = 0; k < out->count; k++) {
        double p[3];
        sti_pose_apply(&at, s->vertices + 3 * (size_t)s->corners[k], p);
        out->x[k] = p[0];
        out->y[k] = p[1];
    }
}

// The two ends of a joint or a spring, at the last instant.
static void ends_of(const cli_world_run* run, int a, int b, const double at_a[3], const double at_b[3],
                    double end[2][3]) {
    for (int i = 0; i < 2; i++) {
        const int body = i == 0 ? a : b;
        sti_pose pose = sti_pose_identity();
        if (body >= 0) sti_world_pose(run->of->world, body, &pose);
        sti_pose_apply(&pose, i == 0 ? at_a : at_b, end[i]);
    }
}

static void include_point(box* out, const double p[3]) {
    for (int i = 0; i < 2; i++) {
        out->low[i] = fmin(out->low[i], p[i]);
        out->high[i] = fmax(out->high[i], p[i]);
    }
}

// Bars and springs, which may lead far away.
static void include_lines(const cli_world_run* run, box* out) {
    const sti_bodies* b = run->of->scene->bodies;
    double end[2][3];
    for (int k = 0; k < sti_bodies_joint_count(b); k++) {
        const sti_joint* joint = sti_bodies_joint(b, k);
        if (joint->kind != STI_JOINT_DISTANCE) continue;
        ends_of(run, joint->a, joint->b, joint->at_a.x, joint->at_b.x, end);
        for (int i = 0; i < 2; i++) include_point(out, end[i]);
    }
    for (int k = 0; k < sti_bodies_spring_count(b); k++) {
        const sti_spring* spring = sti_bodies_spring(b, k);
        ends_of(run, spring->a, spring->b, spring->at_a, spring->at_b, end);
        for (int i = 0; i < 2; i++) include_point(out, end[i]);
    }
}

// What a picture has to show: all bounded shapes, at all instants; bars and springs at the last.
static box bounds_of(const cli_world_run* run) {
    const sti_bodies* b = run->of->scene->bodies;
    box out = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (int k = 0; k < sti_bodies_shape_count(b); k++) {
        int body;
        sti_pose place;
        const sti_shape* shape = sti_bodies_shape(b, k, &body, &place, NULL);
        for (int shot = 0; shot < run->of->shots && isfinite(sti_shape_reach(shape)); shot++) {
            sti_pose pose;
            sti_aabb around;
            pose_of(run, shot, body, &pose);
            const sti_pose at = sti_pose_compose(&pose, &place);
            if (sti_shape_bounds(shape, &at, 0, &around) != STI_OK) continue;
            include_point(&out, around.lower);
            include_point(&out, around.upper);
        }
    }
    include_lines(run, &out);
    for (int i = 0; i < 2; i++) {
        if (!(out.low[i] <= out.high[i])) out.low[i] = out.high[i] = 0;
    }
    const double margin = 0.08 * fmax(out.high[0] - out.low[0], out.high[1] - out.low[1]) + 1e-9;
    for (int i = 0; i < 2; i++) {
        out.low[i] -= margin;
        out.high[i] += margin;
    }
    return out;
}

// One shape at its instants: the later, the darker.
static sti_status draw_shape(const cli* c, cli_svg* s, const cli_world_run* run, int k, double extent) {
    enum { MOST = 4096 };
    static double x[MOST], y[MOST];
    int body;
    sti_pose place, pose;
    sti_surface surface;
    outline o = {.x = x, .y = y};
    const sti_bodies* b = run->of->scene->bodies;
    const sti_shape* shape = sti_bodies_shape(b, k, &body, &place, NULL);
    const sti_status status = sti_surface_make(c->env, shape, extent, &surface);
    if (status != STI_OK || surface.vertex_count >= MOST) {
        sti_surface_clear(c->env, &surface);
        return status;
    }
    const bool fixed = sti_bodies_body(b, body)->fixed;
    for (int shot = fixed ? run->of->shots - 1 : 0; shot < run->of->shots; shot++) {
        const bool last = shot == run->of->shots - 1;
        pose_of(run, shot, body, &pose);
        place_outline(&surface, &pose, &place, &o);
        const char* color = fixed ? "#9a9a9a" : cli_svg_color(body % 8);
        if (fixed || last) cli_svg_polygon(s, o.x, o.y, o.count, color, fixed ? 0.5 : 0.35);
        x[o.count] = x[0];
        y[o.count] = y[0];
        cli_svg_polyline(s, x, y, o.count + 1, fixed ? "#606060" : last ? "#202020" : "#b8b8b8", last ? 1.2 : 0.7);
    }
    sti_surface_clear(c->env, &surface);
    return STI_OK;
}

static void draw_joints(cli_svg* s, const cli_world_run* run) {
    const sti_bodies* b = run->of->scene->bodies;
    for (int k = 0; k < sti_bodies_joint_count(b); k++) {
        const sti_joint* joint = sti_bodies_joint(b, k);
        if (joint->kind == STI_JOINT_GEAR) continue;
        double end[2][3];
        ends_of(run, joint->a, joint->b, joint->at_a.x, joint->at_b.x, end);
        for (int i = 0; i < 2; i++) cli_svg_point(s, end[i][0], end[i][1], "#202020", 2.5);
        const double x[2] = {end[0][0], end[1][0]}, y[2] = {end[0][1], end[1][1]};
        if (joint->kind == STI_JOINT_DISTANCE || joint->kind == STI_JOINT_PRISMATIC)
            cli_svg_polyline(s, x, y, 2, "#202020", 1);
    }
}

// A zigzag between the two points, with straight ends.
static void draw_springs(cli_svg* s, const cli_world_run* run, double size) {
    enum { CORNERS = 20 };
    const sti_bodies* b = run->of->scene->bodies;
    for (int k = 0; k < sti_bodies_spring_count(b); k++) {
        const sti_spring* spring = sti_bodies_spring(b, k);
        double end[2][3], x[CORNERS + 2], y[CORNERS + 2];
        ends_of(run, spring->a, spring->b, spring->at_a, spring->at_b, end);
        const double dx = end[1][0] - end[0][0], dy = end[1][1] - end[0][1], length = hypot(dx, dy);
        for (int i = 0; i < CORNERS + 2; i++) {
            const double along = (double)i / (CORNERS + 1);
            const bool straight = i < 2 || i >= CORNERS;
            const double wide = straight || !(length > 0) ? 0 : (i % 2 == 0 ? 0.012 : -0.012) * size / length;
            x[i] = end[0][0] + along * dx - wide * dy;
            y[i] = end[0][1] + along * dy + wide * dx;
        }
        cli_svg_polyline(s, x, y, CORNERS + 2, "#2c6e49", 1.2);
    }
}

// Impulses of the last step: the largest as long as a tenth of the picture.
static int draw_forces(const cli* c, cli_svg* s, const cli_world_run* run, double size) {
    int contacts = 0, count;
    const sti_world_contact* list = sti_world_contacts(run->of->world, &contacts);
    sti_world_arrow* arrows = malloc(((size_t)contacts + 1) * sizeof *arrows);
    if (arrows == NULL) return cli_fail_memory(c);
    const sti_status status =
        sti_world_arrows(c->env, run->of->scene->bodies, list, contacts, 0.05 * size, arrows, &count);
    double most = 0;
    for (int k = 0; k < count; k++) most = fmax(most, hypot(arrows[k].impulse[0], arrows[k].impulse[1]));
    for (int k = 0; k < count; k++) {
        const double *at = arrows[k].at, *r = arrows[k].impulse, f = 0.1 * size / most;
        cli_svg_arrow(s, at[0], at[1], at[0] + f * r[0], at[1] + f * r[1], "#c0392b");
    }
    if (count > 0) cli_svg_legend(s, "#c0392b", "impulses of the last step");
    free(arrows);
    return status == STI_OK ? CLI_DONE : cli_fail_env(c);
}

static int draw_plane(const cli* c, const cli_world_run* run) {
    const box b = bounds_of(run);
    const double size = fmax(b.high[0] - b.low[0], b.high[1] - b.low[1]);
    const double far = fmax(fmax(fabs(b.low[0]), fabs(b.high[0])), fmax(fabs(b.low[1]), fabs(b.high[1])));
    char title[40], earlier[48];
    snprintf(earlier, sizeof earlier, "earlier, from t = %.4g on", run->of->shots > 0 ? run->of->shot[0] : 0);
    snprintf(title, sizeof title, "t = %.4g", sti_world_time(run->of->world));
    cli_svg s;
    cli_svg_begin(&s, &(cli_svg_axes){.title = title,
                                      .x_label = "x",
                                      .y_label = "y",
                                      .x_low = b.low[0],
                                      .x_high = b.high[0],
                                      .y_low = b.low[1],
                                      .y_high = b.high[1],
                                      .equal = true});
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < sti_bodies_shape_count(run->of->scene->bodies); k++)
        status = draw_shape(c, &s, run, k, 4 * (size + far));
    if (status != STI_OK) {
        cli_svg_drop(&s);
        return cli_fail_env(c);
    }
    draw_joints(&s, run);
    draw_springs(&s, run, size);
    if (run->of->shots > 1) cli_svg_legend(&s, "#e4e4e4", earlier);
    int code = draw_forces(c, &s, run, size);
    char* path = code == CLI_DONE ? cli_run_path(run->dir, "scene.svg") : NULL;
    if (code == CLI_DONE) code = path != NULL ? cli_svg_save(&s, c, path) : cli_fail_memory(c);
    if (path == NULL) cli_svg_drop(&s);
    if (code == CLI_USAGE) code = CLI_INTERNAL;
    free(path);
    return code;
}

// ---- space

static sti_world_color colour_by(const char* word) {
    if (word != NULL && strcmp(word, "speed") == 0) return STI_WORLD_BY_SPEED;
    return word != NULL && strcmp(word, "force") == 0 ? STI_WORLD_BY_FORCE : STI_WORLD_BY_BODY;
}

// Looks of all robots, free with free; NULL: no memory.
static sti_look* looks_of(const sti_world_scene* scene, int* count) {
    *count = 0;
    for (int k = 0; k < scene->robot_count; k++) *count += scene->robots[k].look_count;
    sti_look* looks = malloc(((size_t)*count + 1) * sizeof *looks);
    *count = 0;
    for (int k = 0; looks != NULL && k < scene->robot_count; k++) {
        for (int i = 0; i < scene->robots[k].look_count; i++) looks[(*count)++] = scene->robots[k].looks[i];
    }
    return looks;
}

// The end, with the instants before it as ghosts.
static sti_status render(const cli* c, const cli_world_run* run, sti_pose* poses, const sti_look* looks, int look_count,
                         unsigned char* color, const char* path) {
    const sti_bodies* b = run->of->scene->bodies;
    const int count = sti_bodies_count(b);
    sti_world_view view = run->view;
    view.looks = looks;
    view.look_count = look_count;
    view.plain = colour_by(run->request->colour) != STI_WORLD_BY_BODY;
    view.ghost_count = run->of->shots - 1;
    view.ghosts = poses + count;
    view.contacts = sti_world_contacts(run->of->world, &view.contact_count);
    for (int k = 0; k < count; k++) sti_world_pose(run->of->world, k, &poses[k]);
    for (int k = 0; k < view.ghost_count * count; k++) pose_of(run, k / count, k % count, &poses[count + k]);
    sti_image image = {0};
    sti_status status = sti_world_colors(c->env, b, run->of->world, colour_by(run->request->colour), color);
    if (status == STI_OK) status = sti_draw_world(c->env, b, poses, color, &view, &image);
    if (status == STI_OK) status = sti_image_save(c->env, &image, path);
    sti_image_clear(c->env, &image);
    return status;
}

// Two numbers with one character between them, "30,-20" or "640x480"; the second is left as it is where there is one
// alone.
static bool two_numbers(const char* text, char between, double* first, double* second) {
    char left[32];
    const char* cut = strchr(text, between);
    if (cut == NULL) return cli_parse_number(text, first);
    const size_t length = (size_t)(cut - text);
    if (length >= sizeof left) return false;
    memcpy(left, text, length);
    left[length] = '\0';
    return cli_parse_number(left, first) && cli_parse_number(cut + 1, second);
}

int cli_world_view_read(const cli* c, cli_world_run* run, const sti_bodies* bodies, double time) {
    const struct {
        const char* name;
        double turn, tilt;  // degrees; a robot looks along x
    } side[] = {{"front", 90, 0}, {"back", 270, 0}, {"left", 180, 0}, {"right", 0, 0}, {"top", 270, 85}};
    const cli_run_request* r = run->request;
    const char* given = r->view != NULL ? "--view" : r->size != NULL ? "--size" : r->at != NULL ? "--at" : NULL;
    run->view = sti_world_view_default();
    run->at = INFINITY;
    if (given != NULL && sti_bodies_dim(bodies) != 3)
        return cli_fail_usage(c, "%s: of bodies in space, and %.200s is in the plane", given, cli_run_name(r));
    double turn = NAN, tilt = 0;
    bool known = r->view == NULL;
    if (r->view != NULL && strchr(r->view, ',') != NULL && two_numbers(r->view, ',', &turn, &tilt))
        known = fabs(turn) <= 360 && fabs(tilt) <= 85;
    for (size_t k = 0; !known && k < sizeof side / sizeof side[0]; k++) {
        known = strcmp(r->view, side[k].name) == 0;
        turn = side[k].turn;
        tilt = side[k].tilt;
    }
    if (!known)
        return cli_fail_usage(
            c, "--view: %.60s: front, back, left, right, top or degrees TURN,TILT, like 30,-20, expected", r->view);
    if (r->view != NULL) {
        run->view.turn = turn * 3.141592653589793 / 180;
        run->view.tilt = tilt * 3.141592653589793 / 180;
    }
    const int code = cli_run_size(c, r, &run->view.width, &run->view.height);
    if (code != CLI_DONE) return code;
    if (r->at != NULL && !(cli_parse_number(r->at, &run->at) && run->at >= 0))
        return cli_fail_usage(c, "--at: %.60s: a time from 0 on expected", r->at);
    if (r->at != NULL && run->at < time - 1e-9)
        return cli_fail_usage(c, "--at: %.60s: the run is at t = %g already", r->at, time);
    return CLI_DONE;
}

static int draw_space(const cli* c, const cli_world_run* run) {
    const size_t count = (size_t)sti_bodies_count(run->of->scene->bodies);
    sti_pose* poses = malloc((count * (size_t)run->of->shots + 1) * sizeof *poses);
    unsigned char* color = malloc(3 * count + 1);
    char* path = cli_run_path(run->dir, "scene.png");
    int code = CLI_DONE, look_count;
    sti_look* looks = looks_of(run->of->scene, &look_count);
    if (poses == NULL || color == NULL || path == NULL || looks == NULL)
        code = cli_fail_memory(c);
    else if (render(c, run, poses, looks, look_count, color, path) != STI_OK)
        code = cli_run_fail_output(c);
    free(looks);
    free(poses);
    free(color);
    free(path);
    return code;
}

// The time is reached with the step that ends next to it.
int cli_world_picture_at(const cli* c, cli_world_run* run) {
    if (run->drawn || !(sti_world_time(run->of->world) >= run->at - 0.5 * run->of->scene->step.h)) return CLI_DONE;
    run->drawn = true;
    return draw_space(c, run);
}

int cli_world_pictures(const cli* c, const cli_world_run* run) {
    const int code = cli_run_energy_picture(c, run->dir, run->curve, run->curve_rows, 3, 1);
    if (code != CLI_DONE) return code;
    if (run->drawn) return CLI_DONE;
    if (isfinite(run->at)) cli_say(c, "the run ended before t = %g: scene.png shows its end\n", run->at);
    return sti_bodies_dim(run->of->scene->bodies) == 3 ? draw_space(c, run) : draw_plane(c, run);
}
