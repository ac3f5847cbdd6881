// cones_picture.c: complementary cones of orders 2 and 3, how often each direction is covered, and the path of Lemke's
// method.
//
// Order 2: the plane; each cone is a band of its own radius. Order 3: the sphere of directions from two sides, along
// (1, 1, 1) and against it; the faces of the cones are great circles.
#include <math.h>
#include <string.h>

#include "cones.h"
#include "svg.h"

enum { FINE = 181, ARC = 48 };

static const double pi = 3.14159265358979323846;

// How many full cones hold a direction.
static const char* const shades[] = {"#f2a09a", "#f4f1e4", "#cfe3d6", "#9cc7c4", "#6aa5b8",
                                     "#4b82a5", "#3a618c", "#2d4470", "#1f2a52"};

typedef struct drawing {
    cli_svg s;
    int n;
    double generator[2][3][3];  // [in alpha][index]: I_i and -M_i, of length 1; zero where -M_i is zero
    const cli_cones* cones;
    const sti_lcp* lcp;
} drawing;

// ---- geometry

static double dot(const double* a, const double* b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void normalize(double* a, int n) {
    const double size = sqrt(dot(a, a, n));
    for (int i = 0; i < n && size > 0; i++) a[i] /= size;
}

static double det(const double* a, const double* b, const double* c, int n) {
    if (n == 2) return a[0] * b[1] - a[1] * b[0];
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// Is x a nonnegative combination of the generators? By Cramer's rule.
static bool holds(const drawing* d, int alpha, const double* x) {
    const double* g[3] = {NULL, NULL, NULL};
    for (int i = 0; i < d->n; i++) g[i] = d->generator[alpha >> i & 1][i];
    const double whole = det(g[0], g[1], g[2], d->n);
    for (int i = 0; i < d->n; i++) {
        const double* h[3] = {g[0], g[1], g[2]};
        h[i] = x;
        if (det(h[0], h[1], h[2], d->n) * whole < 0) return false;
    }
    return whole != 0;
}

static int count_at(const drawing* d, const double* x) {
    int count = 0;
    for (int alpha = 0; alpha < 1 << d->n; alpha++) count += d->cones->covering->sign[alpha] != 0 && holds(d, alpha, x);
    return count;
}

static void find_generators(drawing* d) {
    for (int i = 0; i < d->n; i++) {
        for (int k = 0; k < d->n; k++) {
            d->generator[0][i][k] = k == i;
            d->generator[1][i][k] = -sti_matrix_get(&d->lcp->M, k, i);
        }
        normalize(d->generator[1][i], d->n);
    }
}

static void name_generator(int minus, int i, char* text, size_t size) {
    snprintf(text, size, minus ? "-M%d" : "I%d", i);
}

static void add_legend(drawing* d) {
    int most = 0;
    bool none = false;
    for (int k = 0; k < 2000; k++) {  // enough directions to meet every count that the picture shows
        const double z = 1 - (2 * k + 1) / 2000.0, a = 0.1234 + 2.399963 * k, r = sqrt(1 - z * z);
        const double x[3] = {d->n == 2 ? cos(a) : r * cos(a), d->n == 2 ? sin(a) : r * sin(a), z};
        const int count = count_at(d, x);
        most = count > most ? count : most;
        none = none || count == 0;
    }
    for (int k = none ? 0 : 1; k <= most; k++) {
        char text[40];
        snprintf(text, sizeof text, k == 0 ? "in no full cone" : k == 1 ? "in one cone" : "in %d cones", k);
        cli_svg_legend(&d->s, shades[k], text);
    }
}

// ---- order 2

static void draw_bands(drawing* d) {
    for (int alpha = 0; alpha < 4; alpha++) {
        const double *a = d->generator[alpha & 1][0], *b = d->generator[alpha >> 1 & 1][1];
        const double low = 0.30 + 0.17 * alpha, high = low + 0.13;
        const double from = atan2(a[1], a[0]);
        double turn = atan2(b[1], b[0]) - from, x[2 * ARC], y[2 * ARC];
        turn = turn > pi ? turn - 2 * pi : turn < -pi ? turn + 2 * pi : turn;
        if (d->cones->covering->sign[alpha] == 0) continue;
        for (int k = 0; k < ARC; k++) {
            const double angle = from + turn * k / (ARC - 1);
            x[k] = low * cos(angle);
            y[k] = low * sin(angle);
            x[2 * ARC - 1 - k] = high * cos(angle);
            y[2 * ARC - 1 - k] = high * sin(angle);
        }
        cli_svg_polygon(&d->s, x, y, 2 * ARC, cli_svg_color(alpha), 0.55);
        const char* const names[] = {"cone {}", "cone {0}", "cone {1}", "cone {0, 1}"};
        cli_svg_legend(&d->s, cli_svg_color(alpha), names[alpha]);
    }
}

static void draw_plane_path(drawing* d) {
    const sti_lemke_path* p = d->cones->path;
    const double* q = d->lcp->q;
    if (p == NULL) return;
    double size = hypot(q[0], q[1]);
    for (int k = 0; k < p->count; k++) {
        if (isfinite(p->piece[k].to)) size = fmax(size, hypot(q[0] + p->piece[k].to, q[1] + p->piece[k].to));
    }
    const double scale = size > 0 ? 0.9 / size : 1;
    for (int k = 0; k < p->count; k++) {
        const double from = isfinite(p->piece[k].from) ? p->piece[k].from : 1.6 / scale;
        const double to = isfinite(p->piece[k].to) ? p->piece[k].to : 1.6 / scale;
        const double x[2] = {scale * (q[0] + from), scale * (q[0] + to)},
                     y[2] = {scale * (q[1] + from), scale * (q[1] + to)};
        cli_svg_polyline(&d->s, x, y, 2, "#111111", 2);
        if (isfinite(p->piece[k].to)) cli_svg_point(&d->s, x[1], y[1], "#111111", 3.5);
    }
    cli_svg_text(&d->s, scale * q[0], scale * q[1] + 0.05, CLI_SVG_START,
                 p->solved ? " q" : " q (the path ends on a ray)");
    cli_svg_point(&d->s, scale * q[0], scale * q[1], "#c00000", 4.5);
}

static void draw_plane(drawing* d) {
    static signed char class_of[FINE * FINE];
    for (int k = 0; k < FINE * FINE; k++) {
        const int column = k % FINE - FINE / 2, row = k / FINE - FINE / 2;
        const double x[2] = {column, row};
        class_of[k] = (signed char)count_at(d, x);
    }
    cli_svg_cells(&d->s, FINE, FINE, class_of, shades);
    draw_bands(d);
    for (int minus = 0; minus < 2; minus++) {
        for (int i = 0; i < 2; i++) {
            const double* g = d->generator[minus][i];
            char name[16];
            name_generator(minus, i, name, sizeof name);
            cli_svg_arrow(&d->s, 0, 0, 1.12 * g[0], 1.12 * g[1], minus ? "#333333" : "#888888");
            cli_svg_text(&d->s, 1.19 * g[0], 1.19 * g[1] - 0.03 + 0.06 * minus * (g[1] >= 0 ? 1 : -1), CLI_SVG_MIDDLE,
                         name);
        }
    }
    draw_plane_path(d);
}

// ---- order 3

// Where a direction is on the half that looks along `side` (1, 1, 1); false: on the other half.
static bool project(const double* g, int side, double* x, double* y) {
    const double right[3] = {-1 / sqrt(2), 1 / sqrt(2), 0}, up[3] = {-1 / sqrt(6), -1 / sqrt(6), 2 / sqrt(6)};
    const double depth = side * (g[0] + g[1] + g[2]) / sqrt(3);
    *x = side * (dot(g, right, 3) - 1.12);
    *y = dot(g, up, 3);
    return depth >= 0;
}

static void shade_halves(drawing* d) {
    enum { WIDE = 2 * FINE };
    static signed char class_of[WIDE * FINE];
    const double right[3] = {-1 / sqrt(2), 1 / sqrt(2), 0}, up[3] = {-1 / sqrt(6), -1 / sqrt(6), 2 / sqrt(6)};
    for (int k = 0; k < WIDE * FINE; k++) {
        const int column = k % WIDE, row = k / WIDE;
        const double X = -2.4 + 4.8 * (column + 0.5) / WIDE, Y = -1.2 + 2.4 * (row + 0.5) / FINE;
        const int side = X < 0 ? 1 : -1;
        const double x = side * X + 1.12, r = x * x + Y * Y;
        const double z = side * sqrt(fmax(0, 1 - r)) / sqrt(3);
        class_of[k] = -1;
        if (r >= 1) continue;
        const double g[3] = {x * right[0] + Y * up[0] + z, x * right[1] + Y * up[1] + z, x * right[2] + Y * up[2] + z};
        class_of[k] = (signed char)count_at(d, g);
    }
    cli_svg_cells(&d->s, WIDE, FINE, class_of, shades);
}

// The great circle from a to b, the shorter way; what lies on each half is drawn there.
static void draw_arc(drawing* d, const double* a, const double* b, const char* color, double width) {
    for (int side = -1; side <= 1; side += 2) {
        double x[ARC], y[ARC];
        int count = 0;
        for (int k = 0; k < ARC; k++) {
            const double t = (double)k / (ARC - 1);
            double g[3];
            for (int i = 0; i < 3; i++) g[i] = (1 - t) * a[i] + t * b[i];
            normalize(g, 3);
            if (project(g, side, &x[count], &y[count])) {
                count++;
                continue;
            }
            if (count > 1) cli_svg_polyline(&d->s, x, y, count, color, width);
            count = 0;
        }
        if (count > 1) cli_svg_polyline(&d->s, x, y, count, color, width);
    }
}

static void mark(drawing* d, const double* g, const char* color, double radius, const char* text) {
    for (int side = -1; side <= 1; side += 2) {
        double x, y;
        if (!project(g, side, &x, &y)) continue;
        cli_svg_point(&d->s, x, y, color, radius);
        if (text != NULL) cli_svg_text(&d->s, x, y + 0.05, CLI_SVG_MIDDLE, text);
    }
}

static void path_point(const drawing* d, double z0, double* g) {
    for (int i = 0; i < 3; i++) g[i] = isfinite(z0) ? d->lcp->q[i] + z0 : 1;
    normalize(g, 3);
}

static void draw_sphere(drawing* d) {
    const sti_lemke_path* p = d->cones->path;
    shade_halves(d);
    for (int i = 0; i < 3; i++) {
        for (int j = i + 1; j < 3; j++) {
            for (int k = 0; k < 4; k++) draw_arc(d, d->generator[k & 1][i], d->generator[k >> 1][j], "#666666", 1);
        }
    }
    for (int minus = 0; minus < 2; minus++) {
        for (int i = 0; i < 3; i++) {
            char name[16];
            name_generator(minus, i, name, sizeof name);
            mark(d, d->generator[minus][i], minus ? "#333333" : "#888888", 3.5, name);
        }
    }
    for (int k = 0; p != NULL && k < p->count; k++) {
        double a[3], b[3];
        path_point(d, p->piece[k].from, a);
        path_point(d, p->piece[k].to, b);
        draw_arc(d, a, b, "#111111", 2.5);
        mark(d, b, "#111111", 3, NULL);
    }
    double q[3];
    path_point(d, 0, q);
    mark(d, q, "#c00000", 4.5, "q");
}

// ---- the picture

int cli_cones_picture(const cli* c, const sti_lcp* lcp, const cli_cones* cones, const char* path) {
    drawing d = {.n = lcp->n, .cones = cones, .lcp = lcp};
    find_generators(&d);
    const cli_svg_axes plane = {.title = "complementary cones, and the path of Lemke's method",
                                .x_label = "q_0",
                                .y_label = "q_1",
                                .x_low = -1.3,
                                .x_high = 1.3,
                                .y_low = -1.3,
                                .y_high = 1.3,
                                .equal = true};
    const cli_svg_axes sphere = {.title = "directions of q, seen along (1, 1, 1) and against it",
                                 .x_label = "",
                                 .y_label = "",
                                 .x_low = -2.4,
                                 .x_high = 2.4,
                                 .y_low = -1.2,
                                 .y_high = 1.2,
                                 .equal = true};
    cli_svg_begin(&d.s, d.n == 2 ? &plane : &sphere);
    if (d.n == 2)
        draw_plane(&d);
    else
        draw_sphere(&d);
    add_legend(&d);
    const int code = cli_svg_save(&d.s, c, path);
    if (code == CLI_DONE) cli_say(c, "  picture: %s\n", path);
    return code;
}
