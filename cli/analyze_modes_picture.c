// analyze_modes_picture.c: wrench sets of modes as a picture: the cut through the wrench along two of its components.
//
// A set { F w <= f } is cut from the frame by its faces, one after the other (Sutherland and Hodgman 1974). Thin sets,
// which the cut meets in a line or not at all, are left out.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze_modes.h"
#include "svg.h"

typedef cli_modes_cut polygon;

// Keep a x + b y <= c.
static void clip(polygon* p, double a, double b, double c) {
    static polygon out;
    out.count = 0;
    for (int i = 0; i < p->count && out.count + 2 < CLI_MODES_CORNERS; i++) {
        const int k = (i + 1) % p->count;
        const double d = a * p->x[i] + b * p->y[i] - c, e = a * p->x[k] + b * p->y[k] - c;
        if (d <= 0) {
            out.x[out.count] = p->x[i];
            out.y[out.count++] = p->y[i];
        }
        if ((d < 0 && e > 0) || (d > 0 && e < 0)) {
            out.x[out.count] = p->x[i] + (p->x[k] - p->x[i]) * d / (d - e);
            out.y[out.count++] = p->y[i] + (p->y[k] - p->y[i]) * d / (d - e);
        }
    }
    *p = out;
}

// The cut of a mode's set with the plane through w along components i and j, inside the frame.
static void cut(const sti_mode_wrenches* set, const double* w, int n, int i, int j, polygon* p) {
    const sti_rows faces = sti_polycone_inequalities(set->cone);
    for (int f = 0; f < faces.count && p->count > 0; f++) {
        const double* row = faces.value + (size_t)f * (size_t)faces.dimension;
        double rest = set->is_cone ? 0 : row[n], size = 0;
        for (int k = 0; k < n; k++) {
            size = hypot(size, row[k]);
            if (k != i && k != j) rest += row[k] * w[k];
        }
        if (size > 0) clip(p, row[i] / size, row[j] / size, -rest / size);
    }
}

static double area(const polygon* p) {
    double s = 0;
    for (int i = 0; i < p->count; i++) {
        const int k = (i + 1) % p->count;
        s += p->x[i] * p->y[k] - p->x[k] * p->y[i];
    }
    return fabs(s) / 2;
}

bool cli_modes_cut_through(const sti_mode_wrenches* set, const double* w, int n, int i, int j, double reach,
                           cli_modes_cut* p) {
    if (set == NULL || sti_polycone_equations(set->cone).count > 0) return false;
    *p = (polygon){.count = 4, .x = {-reach, reach, reach, -reach}, .y = {-reach, -reach, reach, reach}};
    cut(set, w, n, i, j, p);
    return p->count >= 3 && area(p) > 0;
}

double cli_modes_reach(const sti_modes* m, double* w) {
    double reach = 0;
    for (int k = 0; k < m->n; k++) {
        w[k] = sti_rationals_double(m->wrench, (size_t)k);
        reach = fmax(reach, fabs(w[k]));
    }
    return reach > 0 ? 2 * reach : 1;
}

int cli_modes_axes(const cli* c, const cli_modes_request* r, const sti_modes* m, const char* option, int* i, int* j) {
    *i = 0;
    *j = 1;
    if (m->n < 2) return cli_fail_usage(c, "%s: a wrench of two components at least is needed", option);
    if (r->axes.count == 0) return CLI_DONE;
    if (r->axes.count != 2) return cli_fail_usage(c, "--axes: two components expected, not %d", r->axes.count);
    *i = (int)r->axes.value[0];
    *j = (int)r->axes.value[1];
    if (*i >= 0 && *j >= 0 && *i < m->n && *j < m->n && *i != *j && *i == r->axes.value[0] && *j == r->axes.value[1])
        return CLI_DONE;
    return cli_fail_usage(c, "--axes: two different components from 0 to %d expected", m->n - 1);
}

enum { MOST_LABELS = 64 };

void cli_modes_component(const sti_instant* in, int k, char* text, size_t size) {
    if (in->names != NULL)
        snprintf(text, size, "wrench along %s", in->names[k]);
    else
        snprintf(text, size, "wrench component %d", k);
}

int cli_modes_picture(const cli* c, const cli_modes_request* r, const sti_instant* in, const sti_modes* m) {
    int i, j;
    const int code = cli_modes_axes(c, r, m, "--picture", &i, &j);
    if (code != CLI_DONE) return code;
    double* w = malloc((size_t)m->n * sizeof *w);
    if (w == NULL) return cli_fail_memory(c);
    const double reach = cli_modes_reach(m, w);
    char x_label[64], y_label[64];
    cli_modes_component(in, i, x_label, sizeof x_label);
    cli_modes_component(in, j, y_label, sizeof y_label);
    cli_svg s;
    cli_svg_begin(&s, &(cli_svg_axes){.title = "wrenches of contact modes, cut through the given wrench",
                                      .x_label = x_label,
                                      .y_label = y_label,
                                      .x_low = -reach,
                                      .x_high = reach,
                                      .y_low = -reach,
                                      .y_high = reach,
                                      .equal = true});
    struct {
        double x, y;
        int mode;
    } label[MOST_LABELS];
    int drawn = 0, labels = 0;
    for (int k = 0; k < m->mode_count; k++) {
        static polygon p;
        if (!cli_modes_cut_through(m->modes[k].wrenches, w, m->n, i, j, reach, &p)) continue;
        cli_svg_polygon(&s, p.x, p.y, p.count, cli_svg_color(drawn), 0.35);
        cli_svg_legend(&s, cli_svg_color(drawn++), m->modes[k].text);
        if (!(area(&p) > 0.01 * reach * reach) || labels == MOST_LABELS) continue;
        label[labels].x = label[labels].y = 0;
        for (int l = 0; l < p.count; l++) {
            label[labels].x += p.x[l] / p.count;
            label[labels].y += p.y[l] / p.count;
        }
        label[labels++].mode = k;
    }
    // names where there is room: colours come again
    for (int l = 0; l < labels; l++)
        cli_svg_text(&s, label[l].x, label[l].y, CLI_SVG_MIDDLE, m->modes[label[l].mode].text);
    cli_svg_point(&s, w[i], w[j], "#000000", 4);
    free(w);
    return cli_svg_save(&s, c, r->picture);
}
