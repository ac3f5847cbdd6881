// run_push_picture.c: a push as a picture: fixtures, the trail of the parts, the paths of the tips, contacts by their
// mode at the end, and the forces there.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_push.h"
#include "svg.h"

enum { DISC_CORNERS = 48 };

static const char* const mode_color[] = {[STI_PUSH_OPEN] = "#bbbbbb",
                                         [STI_PUSH_STICK] = "#228833",
                                         [STI_PUSH_SLIDE_LEFT] = "#ee6677",
                                         [STI_PUSH_SLIDE_RIGHT] = "#aa3377"};

typedef struct canvas {
    cli_svg svg;
    double *x, *y;  // of one outline
    double low[2], high[2];
} canvas;

static int corners_of(const sti_outline* o) {
    return o->vertex_count > 0 ? o->vertex_count : DISC_CORNERS;
}

static void place(const sti_outline* o, const double* pose, canvas* k) {
    const double c = cos(pose[2]), s = sin(pose[2]);
    for (int i = 0; i < corners_of(o); i++) {
        const double f = 2 * 3.14159265358979323846 * i / DISC_CORNERS;
        const double x = o->vertex_count > 0 ? o->vertices[2 * i] : o->radius * cos(f);
        const double y = o->vertex_count > 0 ? o->vertices[2 * i + 1] : o->radius * sin(f);
        k->x[i] = pose[0] + c * x - s * y;
        k->y[i] = pose[1] + s * x + c * y;
    }
}

static void include_point(canvas* k, double x, double y) {
    k->low[0] = fmin(k->low[0], x);
    k->high[0] = fmax(k->high[0], x);
    k->low[1] = fmin(k->low[1], y);
    k->high[1] = fmax(k->high[1], y);
}

static const double* row_of(const cli_push_run* run, size_t row) {
    return run->curve + row * (1 + 3 * (size_t)sti_manipulation_part_count(run->scene));
}

// The part of the fixtures that parts come near to is shown, and the paths of the tips.
static void find_frame(const cli_push_run* run, canvas* k) {
    k->low[0] = k->low[1] = INFINITY;
    k->high[0] = k->high[1] = -INFINITY;
    for (size_t r = 0; r < run->curve_rows; r++) {
        const double* row = row_of(run, r);
        for (int i = 0; i < sti_manipulation_part_count(run->scene); i++) {
            const sti_outline o = sti_manipulation_part_outline(run->scene, i);
            place(&o, row + 1 + 3 * (ptrdiff_t)i, k);
            for (int j = 0; j < corners_of(&o); j++) include_point(k, k->x[j], k->y[j]);
        }
        for (int i = 0; i < sti_manipulation_tip_count(run->scene); i++) {
            double p[2], v[2];
            sti_manipulation_tip(run->scene, i, row[0], p, v);
            include_point(k, p[0], p[1]);
        }
    }
    const double room = 0.12 * fmax(k->high[0] - k->low[0], k->high[1] - k->low[1]);
    for (int i = 0; i < 2; i++) {
        k->low[i] -= room;
        k->high[i] += room;
    }
}

static void draw_fixtures(const cli_push_run* run, canvas* k) {
    for (int i = 0; i < sti_manipulation_fixture_count(run->scene); i++) {
        const sti_outline o = sti_manipulation_fixture_outline(run->scene, i);
        double pose[3];
        sti_manipulation_fixture_pose(run->scene, i, pose);
        place(&o, pose, k);
        cli_svg_polygon(&k->svg, k->x, k->y, corners_of(&o), "#777777", 0.5);
    }
}

static void draw_trail(const cli_push_run* run, canvas* k) {
    for (int shot = 0; shot < CLI_PUSH_SHOTS; shot++) {
        const size_t row = (run->curve_rows - 1) * (size_t)shot / (CLI_PUSH_SHOTS - 1);
        const bool last = shot == CLI_PUSH_SHOTS - 1;
        for (int i = 0; i < sti_manipulation_part_count(run->scene); i++) {
            const sti_outline o = sti_manipulation_part_outline(run->scene, i);
            place(&o, row_of(run, row) + 1 + 3 * (ptrdiff_t)i, k);
            cli_svg_polygon(&k->svg, k->x, k->y, corners_of(&o), cli_svg_color(i), last ? 0.45 : 0.04);
        }
    }
}

static bool draw_paths(const cli_push_run* run, canvas* k) {
    const size_t rows = run->curve_rows;
    double* x = malloc(2 * rows * sizeof *x);
    if (x == NULL) return false;
    for (int i = 0; i < sti_manipulation_part_count(run->scene); i++) {
        for (size_t r = 0; r < rows; r++) {
            x[r] = row_of(run, r)[1 + 3 * (size_t)i];
            x[rows + r] = row_of(run, r)[2 + 3 * (size_t)i];
        }
        cli_svg_polyline(&k->svg, x, x + rows, (int)rows, "#333333", 1.4);
    }
    for (int i = 0; i < sti_manipulation_tip_count(run->scene); i++) {
        double v[2], p[2];
        for (size_t r = 0; r < rows; r++) {
            sti_manipulation_tip(run->scene, i, row_of(run, r)[0], p, v);
            x[r] = p[0];
            x[rows + r] = p[1];
        }
        cli_svg_polyline(&k->svg, x, x + rows, (int)rows, "#ccbb44", 1.2);
        cli_svg_point(&k->svg, x[rows - 1], x[2 * rows - 1], "#ccbb44", 5);
    }
    free(x);
    return true;
}

// Forces of the last step; of a jam, the forces that balance each other. The longest arrow is a fifth of the frame.
static void draw_forces(const cli_push_run* run, canvas* k) {
    const sti_push_report* r = &run->of->report;
    const double frame = fmin(k->high[0] - k->low[0], k->high[1] - k->low[1]);
    double most = 0;
    bool seen[4] = {false};
    const bool jam = r->end != STI_PUSH_MOVED && r->jam != NULL;
    const int count = jam ? r->jam->count : r->end == STI_PUSH_MOVED ? r->contact_count : 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++) {
            const sti_push_contact* c = &r->contacts[jam ? r->jam->contact[i] : i];
            const double n = jam ? r->jam->normal[i] : r->forces[i].lambda_n;
            const double t = jam ? r->jam->left[i] - r->jam->right[i] : r->forces[i].lambda_t;
            const double f[2] = {n * c->n[0] - t * c->n[1], n * c->n[1] + t * c->n[0]}, size = hypot(f[0], f[1]);
            const sti_push_mode mode = jam ? STI_PUSH_STICK : r->forces[i].mode;
            if (pass == 0) {
                most = fmax(most, size);
                continue;
            }
            if (mode != STI_PUSH_OPEN) cli_svg_point(&k->svg, c->point[0], c->point[1], mode_color[mode], 4);
            seen[mode] = true;
            const double scale = most > 0 ? 0.2 * frame / most : 0;
            cli_svg_arrow(&k->svg, c->point[0], c->point[1], c->point[0] + scale * f[0], c->point[1] + scale * f[1],
                          "#cc3311");
        }
    }
    for (int mode = STI_PUSH_STICK; mode <= STI_PUSH_SLIDE_RIGHT && !jam; mode++) {
        if (seen[mode]) cli_svg_legend(&k->svg, mode_color[mode], sti_push_mode_text((sti_push_mode)mode));
    }
    if (count > 0) cli_svg_legend(&k->svg, "#cc3311", jam ? "forces that balance" : "force on the part");
}

static int largest_outline(const cli_push_run* run) {
    int most = DISC_CORNERS;
    for (int i = 0; i < sti_manipulation_part_count(run->scene); i++) {
        const sti_outline o = sti_manipulation_part_outline(run->scene, i);
        most = o.vertex_count > most ? o.vertex_count : most;
    }
    for (int i = 0; i < sti_manipulation_fixture_count(run->scene); i++) {
        const sti_outline o = sti_manipulation_fixture_outline(run->scene, i);
        most = o.vertex_count > most ? o.vertex_count : most;
    }
    return most;
}

static int draw(const cli* c, const cli_push_run* run, canvas* k, const char* path) {
    char title[120];
    find_frame(run, k);
    if (run->of->jammed)
        snprintf(title, sizeof title, "%s after %ld steps", sti_push_end_text(run->of->report.end), run->of->steps);
    else
        snprintf(title, sizeof title, "%ld steps to t = %g", run->of->steps, sti_push_time(run->push));
    cli_svg_begin(&k->svg, &(cli_svg_axes){.title = title,
                                           .x_label = "x",
                                           .y_label = "y",
                                           .x_low = k->low[0],
                                           .x_high = k->high[0],
                                           .y_low = k->low[1],
                                           .y_high = k->high[1],
                                           .equal = true});
    draw_fixtures(run, k);
    draw_trail(run, k);
    const bool good = draw_paths(run, k);
    draw_forces(run, k);
    if (!good) {
        cli_svg_drop(&k->svg);
        return cli_fail_memory(c);
    }
    return cli_svg_save(&k->svg, c, path);
}

int cli_push_picture(const cli* c, const cli_push_run* run) {
    const size_t most = (size_t)largest_outline(run);
    canvas k = {.x = malloc(2 * most * sizeof *k.x)};
    char* path = cli_run_path(run->dir, "scene.svg");
    int code = k.x != NULL && path != NULL ? CLI_DONE : cli_fail_memory(c);
    if (code == CLI_DONE) {
        k.y = k.x + most;
        code = draw(c, run, &k, path);
    }
    if (code == CLI_USAGE) code = CLI_INTERNAL;
    free(k.x);
    free(path);
    return code;
}
