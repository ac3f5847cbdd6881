// plan_picture.c: a plan as a picture: a panel for each push, with the parts before and after it, all that the noise
// may make of that, the way of the tips and the goal; and as a picture that moves.
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

// ---- a panel for each push

enum { WIDE = 3, SCALE_STEPS = 3 };  // panels in a row

typedef struct strip {
    const cli_plan* k;
    page* p;
    double x, y, width, height, unit;  // the frame in the world; unit: of a line
} strip;

static void put_shape(page* p, const sti_outline* o, const double* pose, const char* style) {
    put(p, "<polygon %s points=\"", style);
    put_outline(p, o, pose);
    put(p, "\"/>\n");
}

// The part at the corners of its set: where the noise may have left it.
static void put_set(const strip* s, int part, const sti_pose_set* set) {
    const sti_outline o = sti_manipulation_part_outline(s->k->scene, part);
    const double c = cos(set->angle), d = sin(set->angle);
    char style[160];
    snprintf(style, sizeof style, "fill=\"none\" stroke=\"%s\" stroke-opacity=\"0.6\" stroke-width=\"%.4f\"",
             cli_svg_color(part), 0.5 * s->unit);
    for (int i = 0; i < 8; i++) {
        const double a = i & 1 ? set->high[0] : set->low[0], b = i & 2 ? set->high[1] : set->low[1];
        const double pose[3] = {c * a - d * b, d * a + c * b, i & 4 ? set->high[2] : set->low[2]};
        put_shape(s->p, &o, pose, style);
    }
}

static void put_scene(const strip* s) {
    char style[160];
    double pose[3];
    for (int i = 0; i < sti_manipulation_fixture_count(s->k->scene); i++) {
        const sti_outline o = sti_manipulation_fixture_outline(s->k->scene, i);
        sti_manipulation_fixture_pose(s->k->scene, i, pose);
        put_shape(s->p, &o, pose, "fill=\"#bbbbbb\"");
    }
    for (int i = 0; i < s->k->plan->goal_count; i++) {
        const sti_outline o = sti_manipulation_part_outline(s->k->scene, s->k->plan->goals[i].part);
        snprintf(style, sizeof style,
                 "fill=\"none\" stroke=\"#228833\" stroke-width=\"%.4f\" stroke-dasharray=\"%.4f\"", s->unit,
                 4 * s->unit);
        put_shape(s->p, &o, s->k->plan->goals[i].pose, style);
    }
}

// Tips where the push begins, and the way that they go.
static void put_tool(const strip* s, const sti_plan_push* u) {
    const sti_plan* p = s->k->plan;
    const double dx = way_of(p, u) * cos(u->angle), dy = way_of(p, u) * sin(u->angle), length = hypot(dx, dy);
    if (!(length > 0) || sti_manipulation_aim(s->k->scene, p->probe, u->at[0], u->at[1], u->angle, u->speed) != STI_OK)
        return;
    const double head = fmin(6 * s->unit, length / 2), ex = dx / length, ey = dy / length;
    for (int i = 0; i < sti_manipulation_tip_count(s->k->scene); i++) {
        double at[2], v[2];
        if (sti_manipulation_tip_probe(s->k->scene, i) != p->probe) continue;
        sti_manipulation_tip(s->k->scene, i, 0, at, v);
        const double x = at[0] + dx, y = at[1] + dy, radius = sti_manipulation_tip_radius(s->k->scene, i);
        put(s->p, "<line x1=\"%.4f\" y1=\"%.4f\" x2=\"%.4f\" y2=\"%.4f\" stroke=\"#cc3311\" stroke-width=\"%.4f\"/>\n",
            at[0], -at[1], x - head * ex, -(y - head * ey), 1.2 * s->unit);
        put(s->p, "<polygon fill=\"#cc3311\" points=\"%.4f,%.4f %.4f,%.4f %.4f,%.4f\"/>\n", x, -y,
            x - head * ex - 0.4 * head * ey, -(y - head * ey + 0.4 * head * ex), x - head * ex + 0.4 * head * ey,
            -(y - head * ey - 0.4 * head * ex));
        put(s->p, "<circle fill=\"#cc3311\" cx=\"%.4f\" cy=\"%.4f\" r=\"%.4f\"/>\n", at[0], -at[1],
            fmax(radius, 2 * s->unit));
    }
}

// Push i, -1: none, a plan that found nothing.
static void put_panel(const strip* s, int i) {
    const sti_plan* p = s->k->plan;
    char before[160], after[160];
    put_scene(s);
    snprintf(before, sizeof before, "fill=\"none\" stroke=\"#555555\" stroke-width=\"%.4f\" stroke-dasharray=\"%.4f\"",
             s->unit, 1.5 * s->unit);
    for (int part = 0; part < p->part_count; part++) {
        const sti_outline o = sti_manipulation_part_outline(s->k->scene, part);
        const ptrdiff_t at = (ptrdiff_t)i * p->part_count + part, next = at + p->part_count;
        snprintf(after, sizeof after, "fill=\"%s\" fill-opacity=\"%s\" stroke=\"#222222\" stroke-width=\"%.4f\"",
                 cli_svg_color(part), i >= 0 && p->pushes[i].part == part ? "0.55" : "0.25", s->unit);
        put_shape(s->p, &o, p->poses + 3 * next, after);
        if (i < 0) continue;
        if (!p->shortest) put_set(s, part, &p->sets[next]);
        if (p->pushes[i].part == part) put_shape(s->p, &o, p->poses + 3 * at, before);
    }
    if (i >= 0) put_tool(s, &p->pushes[i]);
    put(s->p,
        "<text x=\"%.4f\" y=\"%.4f\" font-size=\"%.4f\" font-weight=\"600\" paint-order=\"stroke\" stroke=\"#ffffff\" "
        "stroke-width=\"%.4f\">%d</text>\n",
        s->x + 5 * s->unit, s->y + 17 * s->unit, 14 * s->unit, 3 * s->unit, i + 1);
}

// A length that is 1, 2 or 5 times a power of ten, and about a fifth of the frame.
static void put_scale(const strip* s) {
    static const double steps[SCALE_STEPS] = {1, 2, 5};
    const double wanted = s->width / 5, power = pow(10, floor(log10(wanted)));
    double length = power;
    for (int i = 0; i < SCALE_STEPS; i++) {
        if (steps[i] * power <= wanted) length = steps[i] * power;
    }
    const double x = s->x + s->width - length - 8 * s->unit, y = s->y + s->height - 8 * s->unit;
    put(s->p, "<line x1=\"%.4f\" y1=\"%.4f\" x2=\"%.4f\" y2=\"%.4f\" stroke=\"#222222\" stroke-width=\"%.4f\"/>\n", x,
        y, x + length, y, 2 * s->unit);
    put(s->p,
        "<text x=\"%.4f\" y=\"%.4f\" font-size=\"%.4f\" text-anchor=\"middle\" paint-order=\"stroke\" "
        "stroke=\"#ffffff\" "
        "stroke-width=\"%.4f\">%g</text>\n",
        x + length / 2, y - 4 * s->unit, 11 * s->unit, 2 * s->unit, length);
}

static void put_key(page* p, const sti_plan* plan, double y) {
    put(p, "<g transform=\"translate(10 %.0f)\" font-size=\"12\" fill=\"#333333\">\n", y);
    put(p, "<path d=\"M0 0h26\" stroke=\"#555555\" stroke-dasharray=\"2 2\"/><text x=\"32\" y=\"4\">before</text>\n");
    put(p, "<rect x=\"100\" y=\"-6\" width=\"26\" height=\"12\" fill=\"%s\" fill-opacity=\"0.55\" stroke=\"#222222\"/>",
        cli_svg_color(0));
    put(p, "<text x=\"132\" y=\"4\">after%s</text>\n",
        plan->shortest ? "" : ", and where the noise may have left it: proved");
    put(p,
        "<path d=\"M470 0h22\" stroke=\"#cc3311\" stroke-width=\"1.5\"/><circle cx=\"470\" r=\"3\" "
        "fill=\"#cc3311\"/><path d=\"M496 0l-7 -3v6z\" fill=\"#cc3311\"/><text x=\"502\" y=\"4\">push</text>\n");
    put(p,
        "<path d=\"M560 0h26\" stroke=\"#228833\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\"/>"
        "<text x=\"592\" y=\"4\">goal</text></g>\n");
}

int cli_plan_picture(const cli* c, const cli_plan* k, const char* path) {
    enum { PANEL = 270, GAP = 8, TOP = 34 };
    const int count = k->plan->push_count > 0 ? k->plan->push_count : 1, wide = count < WIDE ? count : WIDE;
    const int rows = (count + wide - 1) / wide;
    page text = {0};
    cli_svg_axes a = {0};
    find_frame(k, &a);
    const double width = a.x_high - a.x_low, height = a.y_high - a.y_low, high = PANEL * height / width;
    const strip s = {k, &text, a.x_low, -a.y_high, width, height, width / PANEL};
    const double whole = fmax(wide * (PANEL + GAP) + GAP, 640);
    put(&text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n<text x=\"10\" y=\"22\" font-size=\"15\" "
        "font-weight=\"600\" fill=\"#333333\">%s</text>\n",
        whole, TOP + rows * (high + GAP) + 26,
        !k->plan->reached   ? "pushes towards a goal that was not reached"
        : k->plan->shortest ? "plan without the test of robustness"
                            : "robust plan");
    for (int i = 0; i < count; i++) {
        const int row = i / wide;
        const double left = GAP + (i % wide) * (PANEL + GAP), top = TOP + row * (high + GAP);
        put(&text, "<svg x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" viewBox=\"%.4f %.4f %.4f %.4f\">\n", left,
            top, PANEL, high, s.x, s.y, width, height);
        put_panel(&s, k->plan->push_count > 0 ? i : -1);
        if (i == 0) put_scale(&s);
        put(&text,
            "</svg>\n<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"none\" stroke=\"#555555\"/>\n",
            left, top, PANEL, high);
    }
    put_key(&text, k->plan, TOP + rows * (high + GAP) + 8);
    put(&text, "</svg>\n");
    const int code = text.broken ? cli_fail_memory(c) : cli_write_file(c, path, text.text, text.size);
    free(text.text);
    return code;
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
