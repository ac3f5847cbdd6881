// plan_picture.c: a plan as a picture: fixtures, the parts before the first push and after each, pushes numbered in
// their order, the goal; and as a picture that moves.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "plan.h"
#include "svg.h"

enum { ROUND = 48, MOST_CORNERS = 512, FRAMES = 240 };

static int corners(const sti_outline* o, const double* pose, double* x, double* y) {
    const int count = o->vertex_count == 0 ? ROUND : o->vertex_count < MOST_CORNERS ? o->vertex_count : MOST_CORNERS;
    const double c = cos(pose[2]), s = sin(pose[2]);
    for (int i = 0; i < count; i++) {
        const double f = 2 * 3.14159265358979323846 * i / ROUND;
        const double px = o->vertex_count > 0 ? o->vertices[2 * i] : o->radius * cos(f);
        const double py = o->vertex_count > 0 ? o->vertices[2 * i + 1] : o->radius * sin(f);
        x[i] = pose[0] + c * px - s * py;
        y[i] = pose[1] + s * px + c * py;
    }
    return count;
}

static double way_of(const sti_plan* p, const sti_plan_push* u) {
    return u->speed * p->h * (double)u->steps;
}

static void include(cli_svg_axes* axes, double x, double y, double room) {
    axes->x_low = fmin(axes->x_low, x - room);
    axes->x_high = fmax(axes->x_high, x + room);
    axes->y_low = fmin(axes->y_low, y - room);
    axes->y_high = fmax(axes->y_high, y + room);
}

// All places of parts, goals and the tool; of fixtures what is near them.
static void find_frame(const cli_plan* k, cli_svg_axes* axes) {
    const sti_plan* p = k->plan;
    double x[MOST_CORNERS], y[MOST_CORNERS];
    axes->x_low = axes->y_low = INFINITY;
    axes->x_high = axes->y_high = -INFINITY;
    for (int i = 0; i < (p->push_count + 1) * p->part_count + p->goal_count; i++) {
        const int goal = i - (p->push_count + 1) * p->part_count;
        const sti_outline o =
            sti_manipulation_part_outline(k->scene, goal < 0 ? i % p->part_count : p->goals[goal].part);
        const int count = corners(&o, goal < 0 ? p->poses + 3 * (ptrdiff_t)i : p->goals[goal].pose, x, y);
        for (int j = 0; j < count; j++) include(axes, x[j], y[j], 0.15);
    }
    for (int i = 0; i < p->push_count; i++) include(axes, p->pushes[i].at[0], p->pushes[i].at[1], 0.25);
}

static void draw_fixtures(const cli_plan* k, cli_svg* svg) {
    double x[MOST_CORNERS], y[MOST_CORNERS], pose[3];
    for (int i = 0; i < sti_manipulation_fixture_count(k->scene); i++) {
        const sti_outline o = sti_manipulation_fixture_outline(k->scene, i);
        sti_manipulation_fixture_pose(k->scene, i, pose);
        cli_svg_polygon(svg, x, y, corners(&o, pose, x, y), "#777777", 0.5);
    }
}

static void draw_parts(const cli_plan* k, cli_svg* svg) {
    const sti_plan* p = k->plan;
    double x[MOST_CORNERS + 1], y[MOST_CORNERS + 1];
    for (int i = 0; i < (p->push_count + 1) * p->part_count; i++) {
        const sti_outline o = sti_manipulation_part_outline(k->scene, i % p->part_count);
        const int at = i / p->part_count;
        const int count = corners(&o, p->poses + 3 * (ptrdiff_t)i, x, y);
        cli_svg_polygon(svg, x, y, count, cli_svg_color(i % p->part_count),
                        at == p->push_count ? 0.5
                        : at == 0           ? 0.25
                                            : 0.06);
    }
    for (int i = 0; i < p->goal_count; i++) {
        const sti_outline o = sti_manipulation_part_outline(k->scene, p->goals[i].part);
        const int count = corners(&o, p->goals[i].pose, x, y);
        x[count] = x[0];
        y[count] = y[0];
        const cli_svg_pen pen = {.color = "#228833", .width = 1.6, .dash = "5 4"};
        cli_svg_curve(svg, x, y, count + 1, &pen, i == 0 ? "goal" : NULL);
    }
}

int cli_plan_picture(const cli* c, const cli_plan* k, const char* path) {
    const sti_plan* p = k->plan;
    cli_svg svg = {0};
    cli_svg_axes axes = {.title = p->shortest ? "plan without the test of robustness" : "robust plan",
                         .x_label = "x",
                         .y_label = "y",
                         .equal = true};
    find_frame(k, &axes);
    cli_svg_begin(&svg, &axes);
    draw_fixtures(k, &svg);
    draw_parts(k, &svg);
    for (int i = 0; i < p->push_count; i++) {
        const sti_plan_push* u = &p->pushes[i];
        const double dx = cos(u->angle), dy = sin(u->angle), way = way_of(p, u), off = 0.08;
        char text[16];
        cli_svg_arrow(&svg, u->at[0], u->at[1], u->at[0] + way * dx, u->at[1] + way * dy, "#cc3311");
        snprintf(text, sizeof text, "%d", i + 1);
        cli_svg_text(&svg, u->at[0] - off * dx, u->at[1] - off * dy, CLI_SVG_MIDDLE, text);
    }
    cli_svg_legend(&svg, "#cc3311", "pushes, in their order");
    return cli_svg_save(&svg, c, path);
}

// ---- a picture that moves

typedef struct film {
    const cli_plan* k;
    long steps, seen;  // of all pushes
    int count;         // of frames so far
    double* frames;    // poses, and tips                                      (most x (3 parts + 2 tips))
    int most, width, tips, first_tip;
} film;

static void keep(void* user, int push, long step, const double* q, const sti_push_report* report) {
    film* f = user;
    const cli_plan* k = f->k;
    const int n = 3 * k->plan->part_count;
    (void)report;
    const bool last = step == k->plan->pushes[push].steps;
    f->seen++;
    if (f->count >= f->most || (!last && f->seen * (f->most - k->plan->push_count) / f->steps <= f->count)) return;
    double *row = f->frames + (ptrdiff_t)f->count++ * f->width, v[2];
    memcpy(row, q, (size_t)n * sizeof *row);
    for (int i = 0; i < f->tips; i++)
        sti_manipulation_tip(k->scene, f->first_tip + i, (double)step * k->plan->h, row + n + 2 * (ptrdiff_t)i, v);
}

typedef struct page {
    char* text;
    size_t size, capacity;
    bool broken;
} page;

static void __attribute__((format(printf, 2, 3))) put(page* p, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (p->size + 400 > p->capacity) {
        char* text = realloc(p->text, 2 * p->capacity + 4096);
        p->broken = p->broken || text == NULL;
        if (text != NULL) p->text = text, p->capacity = 2 * p->capacity + 4096;
    }
    if (!p->broken) p->size += (size_t)vsnprintf(p->text + p->size, 400, format, arguments);
    va_end(arguments);
}

static void put_outline(page* p, const sti_outline* o, const double* pose) {
    double x[MOST_CORNERS], y[MOST_CORNERS];
    const int count = corners(o, pose, x, y);
    for (int i = 0; i < count; i++) put(p, "%s%.4f,%.4f", i > 0 ? " " : "", x[i], -y[i]);
}

static void put_film(page* p, const film* f, const cli_svg_axes* a) {
    const cli_plan* k = f->k;
    const double seconds = 0.05 * f->count, size = fmax(a->x_high - a->x_low, a->y_high - a->y_low);
    double pose[3];
    put(p, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%.4f %.4f %.4f %.4f\" width=\"800\">\n", a->x_low,
        -a->y_high, a->x_high - a->x_low, a->y_high - a->y_low);
    put(p, "<rect x=\"%.4f\" y=\"%.4f\" width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", a->x_low, -a->y_high);
    for (int i = 0; i < sti_manipulation_fixture_count(k->scene); i++) {
        const sti_outline o = sti_manipulation_fixture_outline(k->scene, i);
        sti_manipulation_fixture_pose(k->scene, i, pose);
        put(p, "<polygon fill=\"#bbbbbb\" points=\"");
        put_outline(p, &o, pose);
        put(p, "\"/>\n");
    }
    for (int i = 0; i < k->plan->goal_count; i++) {
        const sti_outline o = sti_manipulation_part_outline(k->scene, k->plan->goals[i].part);
        put(p, "<polygon fill=\"none\" stroke=\"#228833\" stroke-width=\"%.4f\" stroke-dasharray=\"%.4f\" points=\"",
            0.003 * size, 0.015 * size);
        put_outline(p, &o, k->plan->goals[i].pose);
        put(p, "\"/>\n");
    }
    for (int i = 0; i < k->plan->part_count; i++) {
        const sti_outline o = sti_manipulation_part_outline(k->scene, i);
        put(p, "<polygon fill=\"%s\" fill-opacity=\"0.6\" stroke=\"#222222\" stroke-width=\"%.4f\" points=\"",
            cli_svg_color(i), 0.002 * size);
        put_outline(p, &o, k->plan->poses + 3 * (ptrdiff_t)i);
        put(p, "\"><animate attributeName=\"points\" dur=\"%.2fs\" repeatCount=\"indefinite\" values=\"", seconds);
        for (int j = 0; j < f->count; j++) {
            put(p, "%s", j > 0 ? ";" : "");
            put_outline(p, &o, f->frames + (ptrdiff_t)j * f->width + 3 * (ptrdiff_t)i);
        }
        put(p, "\"/></polygon>\n");
    }
    for (int i = 0; i < f->tips; i++) {
        const double radius = sti_manipulation_tip_radius(k->scene, f->first_tip + i);
        put(p, "<circle fill=\"#cc3311\" r=\"%.4f\">", fmax(radius, 0.008 * size));
        for (int j = 0; j < 2; j++) {
            put(p,
                "<animate attributeName=\"%s\" calcMode=\"discrete\" dur=\"%.2fs\" repeatCount=\"indefinite\" "
                "values=\"",
                j == 0 ? "cx" : "cy", seconds);
            for (int l = 0; l < f->count; l++) {
                const double x = f->frames[(ptrdiff_t)l * f->width + 3 * k->plan->part_count + 2 * i + j];
                put(p, "%s%.4f", l > 0 ? ";" : "", j == 0 ? x : -x);
            }
            put(p, "\"/>");
        }
        put(p, "</circle>\n");
    }
    put(p, "</svg>\n");
}

int cli_plan_animation(const cli* c, const cli_plan* k, const char* path) {
    const sti_plan_noise none = {0};
    const sti_plan* p = k->plan;
    film f = {.k = k, .most = FRAMES + p->push_count};
    for (int i = sti_manipulation_tip_count(k->scene) - 1; i >= 0; i--) {
        if (sti_manipulation_tip_probe(k->scene, i) == p->probe) f.tips++, f.first_tip = i;
    }
    f.width = 3 * p->part_count + 2 * f.tips;
    for (int i = 0; i < p->push_count; i++) f.steps += p->pushes[i].steps;
    f.frames = calloc((size_t)f.most * (size_t)f.width, sizeof *f.frames);
    if (f.frames == NULL) return cli_fail_memory(c);
    sti_replay replay;
    cli_svg_axes axes = {0};
    find_frame(k, &axes);
    int code = CLI_DONE;
    if (sti_plan_replay(c->env, k->scene, p, &none, 1, 1, keep, &f, &replay) != STI_OK)
        code = cli_fail_about(c, k->path);
    page text = {0};
    if (code == CLI_DONE) put_film(&text, &f, &axes);
    if (code == CLI_DONE && text.broken) code = cli_fail_memory(c);
    if (code == CLI_DONE) code = cli_write_file(c, path, text.text, text.size);
    free(text.text);
    free(f.frames);
    return code;
}
