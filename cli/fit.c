// fit.c: stiction fit: parameters of a scene from measured data.
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes.h"
#include "svg.h"

#define TURN 6.283185307179586

typedef struct request {
    const char *scene, *data, *parameters, *bounds, *norm, *scheme, *picture, *settings;
    cli_list start;
    double h, alpha;
} request;

typedef struct work {
    const cli* c;
    const request* r;
    cli_fit_scene scene;
    cli_fit_data data;
    char* names;  // of the parameters, cut
    double start[CLI_FIT_COLUMNS], low[CLI_FIT_COLUMNS], high[CLI_FIT_COLUMNS];
    double* predicted;  // (rows x outputs)
    double time_s;
} work;

// ---- the question

static int cut_parameters(const cli* c, work* w) {
    w->names = strdup(w->r->parameters);
    if (w->names == NULL) return cli_fail_memory(c);
    for (char* at = w->names; at != NULL;) {
        char* comma = strchr(at, ',');
        if (comma != NULL) *comma = '\0';
        const int k = w->scene.parameter_count;
        if (k == CLI_FIT_COLUMNS) return cli_fail_usage(c, "--parameters: at most %d are taken", (int)CLI_FIT_COLUMNS);
        for (int i = 0; i < k; i++) {
            if (strcmp(w->scene.parameter[i], at) == 0)
                return cli_fail_usage(c, "--parameters: %.60s: given twice", at);
        }
        if (!cli_fit_has_parameter(&w->scene, at, &w->start[k]))
            return cli_fail_usage(c, "--parameters: %.60s: %.200s has no such parameter", at, w->r->scene);
        w->low[k] = -INFINITY;
        w->high[k] = INFINITY;
        w->scene.parameter[w->scene.parameter_count++] = at;
        at = comma != NULL ? comma + 1 : NULL;
    }
    if (w->r->start.count > 0 && w->r->start.count != w->scene.parameter_count)
        return cli_fail_usage(c, "--start: %d numbers for %d parameters", w->r->start.count, w->scene.parameter_count);
    for (int k = 0; k < w->r->start.count; k++) w->start[k] = w->r->start.value[k];
    return CLI_DONE;
}

// "mu=0:1,rho=0.1:0.9"; an end that is left out is none.
static int read_bounds(const cli* c, work* w) {
    if (w->r->bounds == NULL) return CLI_DONE;
    char* text = strdup(w->r->bounds);
    if (text == NULL) return cli_fail_memory(c);
    int code = CLI_DONE;
    for (char *at = text, *next; at != NULL && code == CLI_DONE; at = next) {
        next = strchr(at, ',');
        if (next != NULL) *next++ = '\0';
        char *equals = strchr(at, '='), *colon = equals != NULL ? strchr(equals, ':') : NULL;
        int k = 0;
        if (colon != NULL) *equals = *colon = '\0';
        while (k < w->scene.parameter_count && strcmp(w->scene.parameter[k], at) != 0) k++;
        if (colon == NULL)
            code = cli_fail_usage(c, "--bounds: %.60s: NAME=LOW:HIGH is expected", at);
        else if (k == w->scene.parameter_count)
            code = cli_fail_usage(c, "--bounds: %.60s: not one of --parameters", at);
        else if ((equals[1] != '\0' && !cli_parse_number(equals + 1, &w->low[k])) ||
                 (colon[1] != '\0' && !cli_parse_number(colon + 1, &w->high[k])))
            code = cli_fail_usage(c, "--bounds: %.60s: %.40s:%.40s: numbers are expected", at, equals + 1, colon + 1);
        else if (!(w->low[k] < w->high[k]))
            code = cli_fail_usage(c, "--bounds: %.60s: %g is not below %g", at, w->low[k], w->high[k]);
        else
            w->start[k] = fmin(fmax(w->start[k], w->low[k]), w->high[k]);
    }
    free(text);
    return code;
}

static int open_scene(const cli* c, work* w) {
    cli_fit_scene* s = &w->scene;
    sti_scheme scheme = STI_SCHEME_ALPHA;
    int code = cli_scene_load(c, w->r->scene, &s->problem);
    if (code != CLI_DONE) return code;
    if (w->r->settings != NULL && sti_document_set(s->problem, w->r->settings) != STI_OK)
        return cli_fail_about(c, "--set");
    s->c = c;
    s->path = w->r->scene;
    s->h = w->r->h;
    s->parts = sti_manipulation_of(s->problem);
    s->system = sti_system_of(s->problem);
    s->model = sti_model_of(s->problem);
    s->bodies = sti_world_scene_of(s->problem) != NULL;
    s->grains = sti_bed_scene_of(s->problem) != NULL;
    if (w->r->scheme != NULL && !sti_scheme_parse(w->r->scheme, &scheme))
        return cli_fail_usage(c, "--scheme: %.60s: alpha, convex or quasistatic expected", w->r->scheme);
    if (s->system == NULL && (w->r->scheme != NULL || w->r->alpha > 0))
        return cli_fail_usage(c, "--scheme, --alpha: of a system, and %.200s is none", w->r->scene);
    s->options = sti_stepper_options_default(scheme);
    if (w->r->h > 0) s->options.step = w->r->h;
    if (w->r->alpha > 0) s->options.alpha = w->r->alpha;
    return cli_fit_outputs(c, s);
}

// Places a hundred times as far as the scene is large, or angles of many turns, are in other units.
static int check_units(const cli* c, const work* w) {
    const cli_fit_data* d = &w->data;
    if (w->scene.parts == NULL) return CLI_DONE;
    double size = 0;
    for (int i = 0; i < sti_manipulation_part_count(w->scene.parts); i++) {
        const sti_outline o = sti_manipulation_part_outline(w->scene.parts, i);
        size = fmax(size, o.radius);
        for (int k = 0; k < 2 * o.vertex_count; k++) size = fmax(size, fabs(o.vertices[k]));
    }
    for (int k = 0; k < d->output_count; k++) {
        const bool angle = d->of[k] % 3 == 2;
        double most = 0;
        int at = 0;
        for (int r = 0; r < d->rows; r++) {
            const double x = fabs(d->cell[(size_t)r * (size_t)d->column_count + (size_t)d->output[k]]);
            if (x > most) at = r;
            most = fmax(most, x);
        }
        if (angle && most > 12.6)
            return cli_fail_usage(c, "%.200s: line %d: %.60s: %g: other units? Radians are expected", d->path,
                                  d->line[at], d->name[d->output[k]], most);
        if (!angle && most > 100 * size)
            return cli_fail_usage(c, "%.200s: line %d: %.60s: %g: other units? The parts are %g in size", d->path,
                                  d->line[at], d->name[d->output[k]], most, size);
    }
    return CLI_DONE;
}

static double measured(const work* w, int i) {
    const cli_fit_data* d = &w->data;
    return d->cell[(size_t)(i / d->output_count) * (size_t)d->column_count + (size_t)d->output[i % d->output_count]];
}

static sti_status residuals(void* user, const double* x, double* r) {
    work* w = user;
    const sti_status status = cli_fit_predict(&w->scene, &w->data, x, w->predicted);
    for (int i = 0; i < w->data.rows * w->data.output_count; i++) {
        r[i] = w->predicted[i] - measured(w, i);
        if (w->scene.turns[w->data.of[i % w->data.output_count]] && isfinite(r[i])) r[i] = remainder(r[i], TURN);
    }
    return status;
}

// ---- JSON and text

static void put_open(cli_json* j, const work* w, const sti_fit_answer* a) {
    cli_json_array(j, "undetermined");
    for (int k = a->n - a->undetermined; k < a->n; k++) {
        cli_json_object(j, NULL);
        for (int i = 0; i < a->n; i++)
            cli_json_number(j, w->scene.parameter[i], a->direction[(size_t)k * (size_t)a->n + (size_t)i]);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static int print_json(const work* w, const sti_fit_answer* a, int code) {
    const cli_fit_data* d = &w->data;
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "fit");
    cli_json_text(&j, "file", w->r->scene);
    cli_json_text(&j, "data", w->r->data);
    cli_json_text(&j, "solver", "nelder-mead");
    cli_json_text(&j, "outcome", a->converged ? "solved" : "limit");
    cli_json_text(&j, "norm", w->r->norm != NULL && strcmp(w->r->norm, "squares") == 0 ? "squares" : "largest");
    cli_json_object(&j, "parameters");
    for (int i = 0; i < a->n; i++) cli_json_number(&j, w->scene.parameter[i], a->x[i]);
    cli_json_end(&j);
    cli_json_object(&j, "start");
    for (int i = 0; i < a->n; i++) cli_json_number(&j, w->scene.parameter[i], w->start[i]);
    cli_json_end(&j);
    cli_json_number(&j, "residual", a->value);
    cli_json_array(&j, "samples");
    for (int i = 0; i < a->m; i++) {
        const int row = i / d->output_count, column = d->output[i % d->output_count];
        cli_json_object(&j, NULL);
        cli_json_integer(&j, "line", d->line[row]);
        cli_json_number(&j, "t", d->cell[(size_t)row * (size_t)d->column_count + (size_t)d->time]);
        cli_json_text(&j, "name", d->name[column]);
        cli_json_number(&j, "measured", measured(w, i));
        cli_json_number(&j, "residual", a->r[i]);
        cli_json_end(&j);
    }
    cli_json_end(&j);
    cli_json_array(&j, "at_bound");
    for (int i = 0; i < a->n; i++) {
        if (a->at_bound[i]) cli_json_text(&j, NULL, w->scene.parameter[i]);
    }
    cli_json_end(&j);
    cli_json_bool(&j, "identifiable", a->undetermined == 0);
    cli_json_numbers(&j, "singular_values", a->singular, (size_t)a->n);
    put_open(&j, w, a);
    cli_json_integer(&j, "experiment_count", d->group_count);
    cli_json_integer(&j, "iterations", a->iterations);
    cli_json_integer(&j, "evaluation_count", a->evaluations);
    cli_json_integer(&j, "restart_count", a->restarts);
    cli_json_number(&j, "time_s", w->time_s);
    return cli_json_print(&j, w->c, code);
}

static void say_open(const work* w, const sti_fit_answer* a) {
    for (int k = a->n - a->undetermined; k < a->n; k++) {
        char text[300] = "";
        for (int i = 0; i < a->n; i++) {
            const double part = a->direction[(size_t)k * (size_t)a->n + (size_t)i];
            const size_t used = strlen(text);
            if (fabs(part) > 1e-3)
                snprintf(text + used, sizeof text - used, "%s%.3g %s", used > 0 ? ", " : "", part,
                         w->scene.parameter[i]);
        }
        cli_say(w->c,
                "  %snot determined%s: a change in these proportions, in parts of each, changes no residual: %s\n",
                cli_unsure(w->c), cli_plain(w->c), text);
    }
}

static void say(const work* w, const sti_fit_answer* a) {
    const cli* c = w->c;
    const cli_fit_data* d = &w->data;
    int worst = 0;
    for (int i = 1; i < a->m; i++) {
        if (fabs(a->r[i]) > fabs(a->r[worst])) worst = i;
    }
    cli_say(c, "%s: %d numbers of %d experiment%s in %s\n", w->r->scene, a->m, d->group_count,
            d->group_count == 1 ? "" : "s", w->r->data);
    for (int i = 0; i < a->n; i++)
        cli_say(c, "  %s%s = %.10g%s%s\n", cli_strong(c), w->scene.parameter[i], a->x[i], cli_plain(c),
                a->at_bound[i] ? ", at its bound" : "");
    cli_say(c, "  residual %.6g; worst is %s in line %d, off by %.6g\n", a->value,
            d->name[d->output[worst % d->output_count]], d->line[worst / d->output_count], a->r[worst]);
    say_open(w, a);
    cli_say(c, "  %s%s%s after %ld evaluations and %d restarts, %.2f s\n", a->converged ? cli_good(c) : cli_unsure(c),
            a->converged ? "converged" : "not converged", cli_plain(c), a->evaluations, a->restarts, w->time_s);
}

// ---- the picture: one frame for each column, data as points, the model as lines

static int draw(const work* w) {
    const cli_fit_data* d = &w->data;
    double* x = malloc(2 * (size_t)d->rows * sizeof *x);
    if (x == NULL) return cli_fail_memory(w->c);
    double* y = x + d->rows;
    cli_svg s;
    for (int k = 0; k < d->output_count; k++) {
        cli_svg_axes axes = {.title = k == 0 ? "data and model" : NULL,
                             .x_label = "t",
                             .y_label = d->name[d->output[k]],
                             .x_low = INFINITY,
                             .x_high = -INFINITY,
                             .y_low = INFINITY,
                             .y_high = -INFINITY,
                             .margin = 0.08,
                             .height = fmax(640.0 / d->output_count, 80)};
        for (int r = 0; r < d->rows; r++) {
            const int i = r * d->output_count + k;
            const double t = d->cell[(size_t)r * (size_t)d->column_count + (size_t)d->time];
            axes.x_low = fmin(axes.x_low, t);
            axes.x_high = fmax(axes.x_high, t);
            axes.y_low = fmin(axes.y_low, fmin(measured(w, i), w->predicted[i]));
            axes.y_high = fmax(axes.y_high, fmax(measured(w, i), w->predicted[i]));
        }
        if (k == 0)
            cli_svg_begin(&s, &axes);
        else
            cli_svg_next(&s, &axes);
        for (int g = 0; g < d->group_count; g++) {
            int count = 0;
            for (int r = 0; r < d->rows; r++) {
                if (d->group[r] != g) continue;
                x[count] = d->cell[(size_t)r * (size_t)d->column_count + (size_t)d->time];
                y[count++] = w->predicted[r * d->output_count + k];
                cli_svg_point(&s, x[count - 1], measured(w, r * d->output_count + k), cli_svg_color(g), 3.5);
            }
            cli_svg_polyline(&s, x, y, count, cli_svg_color(g), 1.4);
        }
    }
    free(x);
    return cli_svg_save(&s, w->c, w->r->picture);
}

// ---- the verb

static int fit(work* w) {
    const cli* c = w->c;
    sti_fit_options o = sti_fit_options_default();
    sti_fit_answer a;
    if (w->r->norm != NULL && strcmp(w->r->norm, "squares") == 0)
        o.norm = STI_FIT_SQUARES;
    else if (w->r->norm != NULL && strcmp(w->r->norm, "largest") != 0)
        return cli_fail_usage(c, "--norm: %.60s: largest or squares expected", w->r->norm);
    double scale = 0;
    for (int i = 0; i < w->data.rows * w->data.output_count; i++) scale = fmax(scale, fabs(measured(w, i)));
    const sti_fit_problem p = {.n = w->scene.parameter_count,
                               .m = w->data.rows * w->data.output_count,
                               .start = w->start,
                               .scale = scale,
                               .low = w->low,
                               .high = w->high,
                               .residuals = residuals,
                               .user = w};
    w->predicted = malloc((size_t)p.m * sizeof *w->predicted);
    if (w->predicted == NULL) return cli_fail_memory(c);
    const double began = cli_now();
    if (sti_fit_solve(c->env, &p, &o, &a) != STI_OK) return cli_fail_about(c, w->r->scene);
    w->time_s = cli_now() - began;
    int code = a.converged && a.undetermined == 0 ? CLI_DONE : CLI_NO;
    if (!isfinite(a.value)) {
        code = cli_fail_usage(
            c, "%.200s: at the start values it has no answer for every line of %.200s: other ones by --start",
            w->r->scene, w->r->data);
    } else {
        if (cli_fit_predict(&w->scene, &w->data, a.x, w->predicted) != STI_OK) code = cli_fail_env(c);
        const int drawn = w->r->picture != NULL && code < CLI_USAGE ? draw(w) : CLI_DONE;
        if (drawn != CLI_DONE)
            code = drawn;
        else if (c->json && code < CLI_USAGE)
            code = print_json(w, &a, code);
        else if (code < CLI_USAGE)
            say(w, &a);
    }
    sti_fit_answer_clear(c->env, &a);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    request r = {0};
    const cli_option options[] = {
        {"--parameters", CLI_TEXT, "A,B,..", "which parameters of the scene are fitted", &r.parameters},
        {"--bounds", CLI_JOINED, "A=LOW:HIGH,..", "between which values; an end may be left out", &r.bounds},
        {"--start", CLI_LIST, "X,Y,..", "where to begin, instead of the values in the scene", &r.start},
        {"--norm", CLI_TEXT, "NORM", "largest residual, or squares (largest)", &r.norm},
        {"--set", CLI_TEXT, "NAME=X,..", "other parameters of the scene", &r.settings},
        {"--step", CLI_POSITIVE, "H", "length of a step", &r.h},
        {"--scheme", CLI_TEXT, "NAME", "of a system: alpha, convex or quasistatic (alpha)", &r.scheme},
        {"--alpha", CLI_POSITIVE, "A", "of a system: weight of the new velocity (1/2)", &r.alpha},
        {"--picture", CLI_TEXT, "FILE", "data and model over time (.svg)", &r.picture},
    };
    char* positional[2];
    int code;
    const int count = cli_parse(c, options, sizeof options / sizeof options[0], argc, argv, positional, 2, 2, &code);
    work w = {.c = c, .r = &r};
    if (count >= 0) {
        r.scene = positional[0];
        r.data = positional[1];
        code = r.parameters == NULL ? cli_fail_usage(c, "--parameters: missing: which parameters are fitted")
                                    : open_scene(c, &w);
        if (code == CLI_DONE) code = cut_parameters(c, &w);
        if (code == CLI_DONE) code = read_bounds(c, &w);
        if (code == CLI_DONE) code = cli_fit_read(c, r.data, &w.scene, &w.data);
        if (code == CLI_DONE) code = check_units(c, &w);
        if (code == CLI_DONE) code = fit(&w);
    }
    cli_fit_drop(&w.data);
    sti_document_destroy(w.scene.problem);
    free(w.names);
    free(w.predicted);
    free(r.start.value);
    return code;
}

const cli_verb cli_verb_fit = {
    .name = "fit",
    .arguments = "SCENE DATA.csv --parameters A,..",
    .summary = "parameters of a scene from measured data",
    .details =
        "DATA.csv names its columns in the first line: t, what was measured (x, y, theta of a part; coordinates\n"
        "of a system; y of a model; of bodies and beds what run --csv tells, as box.x or kinetic, and height, top\n"
        "of a bed), and parameters of the scene that differ between experiments; rows that agree in these belong\n"
        "to one experiment.\n"
        "SCENE holds parts and probes, bodies, a bed of grains, a system by formulas, or a formula of t:\n"
        "    {\"kind\": \"model\", \"parameters\": {\"a\": 1, \"b\": 1}, \"model\": \"a*exp(-b*t)\"}\n\n"
        "The largest residual is made least by the method of Nelder and Mead with restarts (S3 2.4), or the sum\n"
        "of squares. What the data do not determine is told, with the combination of parameters that is open\n"
        "(docs/manipulation.md).\n"
        "Exit code 0: converged, all determined; 1: not so; 2: bad usage or input; 3: internal failure.\n\n"
        "example:\n"
        "    echo '{\"kind\": \"model\", \"parameters\": {\"a\": 1, \"b\": 1}, \"model\": \"a*exp(-b*t)\"}' >"
        " m.json\n"
        "    printf 't,y\\n0,2\\n1,1\\n2,0.5\\n' > d.csv\n"
        "    stiction fit m.json d.csv --parameters a,b\n",
    .use = STI_USE_FIT,
    .run = run,
};
