// closure_picture.c: stiction analyze closure --picture: the contacts on the object with their friction cones.
//
// Points are read off the rows of the instant: of a frame e_k with torques m_k = r x e_k, r = sum e_k x m_k (in space
// half of it). In space the picture looks along (-1, -1.5, -1), z upwards. Where closure fails, the load that nothing
// balances.
#include <math.h>
#include <string.h>

#include "closure.h"
#include "svg.h"

enum { ARC = 24 };

typedef struct finger {
    double r[3], e[3][3];  // point, normal and tangents; in the plane z = 0
    double mu;
    int tangents;
    const char* name;
} finger;

static void cross(const double* a, const double* b, double* out) {
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void read_finger(const sti_instant* in, const cli_closure* f, int contact, int n, finger* to) {
    const sti_instant_contact* c = &in->contacts[contact];
    *to = (finger){.mu = c->tangent_count > 0 ? c->mu : 0, .tangents = c->tangent_count, .name = c->name};
    for (int k = 0; k <= c->tangent_count; k++) {
        const double* row = k == 0 ? c->n : c->t + (size_t)(k - 1) * (size_t)in->n;
        double m[3] = {0}, part[3];
        for (int j = 0; j < n; j++) {
            const double x = row[f->object != NULL ? f->object[j] : j];
            if (j < (n == 3 ? 2 : 3))
                to->e[k][j] = x;
            else
                m[n == 3 ? 2 : j - 3] = x;
        }
        cross(to->e[k], m, part);
        for (int j = 0; j < 3; j++) to->r[j] += part[j] / (c->tangent_count == 2 ? 2 : 1);
    }
}

static void look(int n, const double* x, double* flat) {
    static const double right[3] = {-0.8320502943378437, 0.5547001962252291, 0},
                        up[3] = {-0.2690691176, -0.4036036764, 0.8744746322};
    for (int k = 0; k < 2; k++) flat[k] = n == 3 ? x[k] : 0;
    for (int j = 0; n == 6 && j < 3; j++) {
        flat[0] -= right[j] * x[j];
        flat[1] += up[j] * x[j];
    }
}

static void draw_line(cli_svg* s, int n, const double* from, const double* to, const char* color, double width) {
    double a[2], b[2];
    look(n, from, a);
    look(n, to, b);
    cli_svg_polyline(s, (double[]){a[0], b[0]}, (double[]){a[1], b[1]}, 2, color, width);
}

// The cone with normal force `size`, opening into the object.
static void draw_cone(cli_svg* s, int n, const finger* f, double size) {
    double x[ARC + 2], y[ARC + 2], flat[2], tip[3];
    int count = 0;
    look(n, f->r, flat);
    if (f->tangents < 2) {
        x[count] = flat[0];
        y[count++] = flat[1];
    }
    for (int k = 0; k < (f->tangents == 2 ? ARC : 2); k++) {
        const double angle = 2 * acos(-1.0) * k / (f->tangents == 2 ? ARC : 2);
        for (int j = 0; j < 3; j++)
            tip[j] = f->r[j] + size * (f->e[0][j] + f->mu * (cos(angle) * f->e[1][j] + sin(angle) * f->e[2][j]));
        if (f->tangents < 2 || k % (ARC / 4) == 0) draw_line(s, n, f->r, tip, cli_svg_color(0), 1);
        look(n, tip, flat);
        x[count] = flat[0];
        y[count++] = flat[1];
    }
    if (f->tangents > 0 && f->mu > 0) cli_svg_polygon(s, x, y, count, cli_svg_color(0), 0.25);
}

static void draw_finger(cli_svg* s, int n, const finger* f, double size) {
    double at[2], to[2], tip[3];
    for (int j = 0; j < 3; j++) tip[j] = f->r[j] + size * f->e[0][j];
    look(n, f->r, at);
    look(n, tip, to);
    draw_cone(s, n, f, size);
    cli_svg_arrow(s, at[0], at[1], to[0], to[1], "#000000");
    cli_svg_point(s, at[0], at[1], cli_svg_color(1), 4);
    cli_svg_text(s, at[0], at[1] - 0.12 * size, CLI_SVG_MIDDLE, f->name);
}

int cli_closure_picture(const cli* c, const cli_closure_request* r, const sti_instant* in, const cli_closure* f) {
    const int n = f->force.n;
    if (!f->quality.applies) return cli_fail_usage(c, "--picture: %s: one body is drawn: %s", r->path, f->quality.why);
    double far = 0;
    finger one;
    for (int i = 0; i < f->force.contact_count; i++) {
        double at[2];
        read_finger(in, f, f->force.contact[i], n, &one);
        look(n, one.r, at);
        far = fmax(far, fmax(fabs(at[0]), fabs(at[1])));
    }
    if (!(far > 0)) far = 1;
    const double size = 0.45 * far, frame = 1.7 * far;
    cli_svg s;
    cli_svg_begin(&s, &(cli_svg_axes){.title = f->force.closed == STI_YES  ? "force closure"
                                               : f->force.closed == STI_NO ? "no force closure"
                                                                           : "force closure not decided",
                                      .x_label = n == 3 ? "x" : "seen along (-1, -1.5, -1)",
                                      .y_label = n == 3 ? "y" : "z, foreshortened",
                                      .x_low = -frame,
                                      .x_high = frame,
                                      .y_low = -frame,
                                      .y_high = frame,
                                      .equal = true});
    for (int i = 0; i < f->force.contact_count; i++) {
        read_finger(in, f, f->force.contact[i], n, &one);
        draw_finger(&s, n, &one, size);
    }
    double center[2];
    look(n, (double[3]){0}, center);
    cli_svg_point(&s, center[0], center[1], cli_svg_color(2), 4);
    cli_svg_legend(&s, cli_svg_color(1), "contacts");
    cli_svg_legend(&s, cli_svg_color(0), "friction cones");
    cli_svg_legend(&s, cli_svg_color(2), "center");
    if (f->force.closed == STI_NO) {
        double load[3] = {0}, to[2], length = 0;
        for (int j = 0; j < (n == 3 ? 2 : 3); j++) {
            load[j] = -f->force.y[j];  // contacts push against y alone
            length = hypot(length, load[j]);
        }
        for (int j = 0; j < 3 && length > 0; j++) load[j] *= far / length;
        look(n, load, to);
        if (length > 0) cli_svg_arrow(&s, center[0], center[1], to[0], to[1], cli_svg_color(3));
        cli_svg_legend(&s, cli_svg_color(3),
                       length > 0 ? "load without balance: force" : "load without balance: a torque");
    }
    return cli_svg_save(&s, c, r->picture);
}
