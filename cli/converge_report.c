// converge_report.c: what stiction converge found: a table, JSON, a picture.
#include <math.h>
#include <string.h>

#include "converge.h"
#include "svg.h"

const char* const cli_converge_error_names[CLI_CONVERGE_ERRORS] = {"position", "final", "velocity",
                                                                   "weighted", "graph", "impulse"};
const char* const cli_converge_size_names[CLI_CONVERGE_SIZES] = {"speed", "variation", "weighted_variation", "jump",
                                                                 "impulses"};

static const char* reference_word(const cli_converge* w) {
    static const char* const names[] = {[CLI_CONVERGE_FINE] = "fine",
                                        [CLI_CONVERGE_EVENTS] = "events",
                                        [CLI_CONVERGE_EXTRAPOLATED] = "extrapolated",
                                        [CLI_CONVERGE_CLOSED] = "closed"};
    return names[w->reference];
}

static void say_reference(const cli_converge* w) {
    if (w->reference == CLI_CONVERGE_FINE)
        cli_say(w->c, "errors against a run of the same kind with h = %g\n", w->reference_step);
    else if (w->reference == CLI_CONVERGE_EVENTS)
        cli_say(w->c, "errors against a run by events, to 1e-12\n");
    else if (w->reference == CLI_CONVERGE_CLOSED)
        cli_say(w->c, "errors against the closed form\n");
    else
        cli_say(w->c, "errors from differences of neighbouring steps, extrapolated after Richardson\n");
}

// NAN: "-".
static void put(char* text, size_t size, const char* format, double x) {
    if (isnan(x))
        snprintf(text, size, "-");
    else
        snprintf(text, size, format, x);
}

static void say_variant(const cli_converge* w, const cli_converge_variant* v) {
    const cli* c = w->c;
    char text[40];
    cli_say(c, "\n%s%s%s\n%-10s", cli_strong(c), v->name, cli_plain(c), "h");
    for (int e = 0; e < CLI_CONVERGE_ERRORS; e++) cli_say(c, "%12s", cli_converge_error_names[e]);
    for (int s = 0; s < CLI_CONVERGE_SIZES; s++)
        cli_say(c, "%12s", s == 2 ? "weighted TV" : s == 1 ? "TV" : cli_converge_size_names[s]);
    for (int k = 0; k < w->step_count; k++) {
        cli_say(c, "\n%-10g", w->h[k]);
        for (int e = 0; e < CLI_CONVERGE_ERRORS; e++) {
            put(text, sizeof text, "%.3e", v->error[k][e]);
            cli_say(c, "%12s", text);
        }
        for (int s = 0; s < CLI_CONVERGE_SIZES; s++) cli_say(c, "%12.5g", v->size[k][s]);
    }
    cli_say(c, "\n%-10s", "order");
    for (int e = 0; e < CLI_CONVERGE_ERRORS; e++) {
        put(text, sizeof text, "%.2f", v->order[e]);
        cli_say(c, "%12s", text);
    }
    for (int s = 0; s < CLI_CONVERGE_SIZES; s++) {
        put(text, sizeof text, v->growth[s] > 0.1 ? "h^-%.2f" : "bounded", v->growth[s]);
        cli_say(c, "%12s", text);
    }
    cli_say(c, "\n");
}

void cli_converge_say(const cli_converge* w) {
    cli_say(w->c, "%s: %d steps, until t = %g\n", w->file, w->step_count, w->time);
    say_reference(w);
    for (int i = 0; i < w->variant_count; i++) say_variant(w, &w->variant[i]);
}

int cli_converge_json(const cli_converge* w) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "converge");
    cli_json_text(&j, "file", w->file);
    cli_json_number(&j, "time", w->time);
    cli_json_text(&j, "reference", reference_word(w));
    cli_json_number(&j, "reference_step", w->reference_step);
    cli_json_numbers(&j, "steps", w->h, (size_t)w->step_count);
    cli_json_array(&j, "variants");
    for (int i = 0; i < w->variant_count; i++) {
        const cli_converge_variant* v = &w->variant[i];
        double row[CLI_CONVERGE_STEPS];
        cli_json_object(&j, NULL);
        cli_json_text(&j, "name", v->name);
        cli_json_object(&j, "errors");
        for (int e = 0; e < CLI_CONVERGE_ERRORS; e++) {
            for (int k = 0; k < w->step_count; k++) row[k] = v->error[k][e];
            cli_json_numbers(&j, cli_converge_error_names[e], row, (size_t)w->step_count);
        }
        cli_json_end(&j);
        cli_json_object(&j, "orders");
        for (int e = 0; e < CLI_CONVERGE_ERRORS; e++) cli_json_number(&j, cli_converge_error_names[e], v->order[e]);
        cli_json_end(&j);
        cli_json_object(&j, "sizes");
        for (int s = 0; s < CLI_CONVERGE_SIZES; s++) {
            for (int k = 0; k < w->step_count; k++) row[k] = v->size[k][s];
            cli_json_numbers(&j, cli_converge_size_names[s], row, (size_t)w->step_count);
        }
        cli_json_end(&j);
        cli_json_object(&j, "growth");
        for (int s = 0; s < CLI_CONVERGE_SIZES; s++) cli_json_number(&j, cli_converge_size_names[s], v->growth[s]);
        cli_json_end(&j);
        cli_json_end(&j);
    }
    cli_json_end(&j);
    return cli_json_print(&j, w->c, CLI_DONE);
}

int cli_converge_draw(const cli_converge* w, const char* path) {
    static const char* const dash[] = {NULL, "6 4", "2 3", "8 3 2 3", "12 4", "2 8", "12 3 2 3 2 3", "5 10"};
    enum { DASHES = sizeof dash / sizeof *dash };
    double low = INFINITY, high = 0;
    for (int i = 0; i < w->variant_count; i++) {
        for (int k = 0; k < w->step_count; k++) {
            for (int e = 0; e < CLI_CONVERGE_ERRORS; e++) {
                const double x = w->variant[i].error[k][e];
                if (x > 0 && e != 1) low = fmin(low, x), high = fmax(high, x);
            }
        }
    }
    cli_svg s;
    const cli_svg_axes axes = {.title = "errors over the step",
                               .x_label = "log10 h",
                               .y_label = "error",
                               .x_low = log10(w->h[w->step_count - 1]),
                               .x_high = log10(w->h[0]),
                               .y_low = high > 0 ? low / 2 : 0.1,
                               .y_high = high > 0 ? 2 * high : 1,
                               .y_log = true};
    bool drawn[CLI_CONVERGE_ERRORS] = {false};
    cli_svg_begin(&s, &axes);
    for (int i = 0; i < w->variant_count; i++) {
        for (int e = 0; e < CLI_CONVERGE_ERRORS; e++) {
            double x[CLI_CONVERGE_STEPS], y[CLI_CONVERGE_STEPS];
            int count = 0;
            for (int k = 0; k < w->step_count; k++) {
                if (!(w->variant[i].error[k][e] > 0)) continue;
                x[count] = log10(w->h[k]);
                y[count++] = w->variant[i].error[k][e];
            }
            if (e == 1 || count == 0) continue;
            drawn[e] = true;
            const cli_svg_pen pen = {cli_svg_color(e), 2, dash[i % DASHES]};
            cli_svg_curve(&s, x, y, count, &pen, NULL);
            for (int k = 0; k < count; k++) cli_svg_point(&s, x[k], y[k], cli_svg_color(e), 3);
        }
    }
    for (int e = 0; e < CLI_CONVERGE_ERRORS; e++) {
        if (drawn[e]) cli_svg_legend(&s, cli_svg_color(e), cli_converge_error_names[e]);
    }
    for (int i = 0; i < w->variant_count && w->variant_count > 1; i++) {
        const cli_svg_pen pen = {"#555555", 2, dash[i % DASHES]};
        cli_svg_curve(&s, NULL, NULL, 0, &pen, w->variant[i].name);
    }
    return cli_svg_save(&s, w->c, path);
}
