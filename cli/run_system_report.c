// run_system_report.c: what a system's run reports: the summary as text and as JSON, and its pictures.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_measure.h"
#include "run_system.h"
#include "svg.h"

static const char* const end_text[] = {
    [STI_RUN_END_TIME] = "time", [STI_RUN_END_STOPPED] = "stopped", [STI_RUN_END_ITSELF] = "failed"};

// ---- JSON

static void put_settings(cli_json* j, const cli_system_run* run) {
    const sti_stepper_options* o = run->of->options;
    cli_json_text(j, "scheme", sti_scheme_text(o->scheme));
    cli_json_number(j, "h", o->step);
    cli_json_number(j, "alpha", o->alpha);
    cli_json_text(j, "geometry", o->geometry == STI_GEOMETRY_OLD ? "old" : "ahead");
    cli_json_text(j, "law", o->friction == STI_FRICTION_CONE ? "cone" : "facets");
    cli_json_integer(j, "facets", o->facets);
    cli_json_bool(j, "settle", o->settle);
    cli_json_text(j, "impact", sti_impact_law_text(o->law));
    cli_json_number(j, "exponent", o->law == STI_IMPACT_LZB ? o->exponent : NAN);
    cli_json_integer(j, "index", o->index);
    cli_json_text(j, "events", o->events == STI_EVENTS_AUTO ? "auto" : "off");
    cli_json_number(j, "event_tol", o->events == STI_EVENTS_AUTO ? o->event_tol : NAN);
    cli_json_integer(j, "refine", o->refine);
    cli_json_bool(j, "balance", o->balance);
    cli_json_object(j, "parameters");
    for (int k = 0; k < sti_system_parameter_count(run->of->system); k++)
        cli_json_number(j, sti_system_parameter(run->of->system, k), sti_system_parameter_value(run->of->system, k));
    cli_json_end(j);
}

static void put_state(cli_json* j, const cli_system_run* run) {
    const int n = sti_system_coordinate_count(run->of->system);
    const sti_stepper* s = run->of->stepper;
    cli_json_array(j, "coordinates");
    for (int i = 0; i < n; i++) cli_json_text(j, NULL, sti_system_coordinate(run->of->system, i));
    cli_json_end(j);
    cli_json_numbers(j, "q", sti_stepper_q(s), (size_t)n);
    cli_json_numbers(j, "v", sti_stepper_v(s), (size_t)n);
    cli_json_numbers(j, "v_alpha", sti_stepper_v_alpha(s), (size_t)n);
    cli_json_array(j, "contacts");
    for (int i = 0; i < sti_system_contact_count(run->of->system) - sti_system_joint_count(run->of->system); i++) {
        cli_json_object(j, NULL);
        cli_json_text(j, "name", sti_system_contact(run->of->system, i));
        cli_json_text(j, "mode", sti_contact_mode_text((sti_contact_mode)run->of->contact[i].mode));
        const sti_system_run_contact* k = &run->of->contact[i];
        cli_json_number(j, "gap", k->gap);
        cli_json_number(j, "impulse_n", k->impulse_n);
        cli_json_numbers(j, "impulse_t", k->impulse_t, (size_t)k->tangents);
        cli_json_numbers(j, "slip", k->slip, (size_t)k->tangents);
        cli_json_number(j, "lift", k->most_lift);
        cli_json_integer(j, "collisions", k->collisions);
        cli_json_number(j, "first_collision", k->first);
        cli_json_number(j, "last_collision", k->last);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void put_quality(cli_json* j, const sti_system_run* t) {
    cli_json_object(j, "energy");
    cli_json_number(j, "start", t->first_energy);
    cli_json_number(j, "end", t->last_kinetic + t->last_potential);
    cli_json_number(j, "kinetic", t->last_kinetic);
    cli_json_number(j, "potential", t->last_potential);
    cli_json_number(j, "work", t->work);
    cli_json_number(j, "friction", t->loss);
    cli_json_number(j, "collisions", t->collision_energy);
    cli_json_number(j, "defect", t->defect);
    cli_json_number(j, "largest_rise", t->largest_rise);
    cli_json_end(j);
    cli_json_integer(j, "pieces", t->pieces);
    cli_json_integer(j, "most_pieces", t->most_pieces);
    cli_json_number(j, "residual", t->worst_residual);
    cli_json_number(j, "penetration", t->worst_penetration);
    cli_json_number(j, "drift", t->worst_drift);
    cli_json_number(j, "drift_rate", t->worst_drift_rate);
    cli_json_count(j, "drift_index", t->index > 0 ? t->index : -1);
    cli_json_number(j, "correction", t->worst_correction);
    cli_json_number(j, "lift", t->worst_lift);
    cli_json_number(j, "duality_gap", t->worst_duality_gap);
    cli_json_integer(j, "collisions", t->collisions);
    cli_json_number(j, "drawn_back", t->gain);
    cli_json_integer(j, "relaxed", t->relaxed);
    cli_json_number(j, "dropped", t->dropped);
    cli_json_integer(j, "most_active", t->most_active);
}

static void put_facets(cli_json* j, const sti_system_run* t) {
    if (t->facet_steps + t->facet_passed == 0) {
        cli_json_null(j, "facet_change");
        return;
    }
    cli_json_object(j, "facet_change");
    cli_json_number(j, "impulse", t->facet_impulse);
    cli_json_number(j, "worst", t->worst_facet);
    cli_json_integer(j, "steps", t->facet_steps);
    cli_json_integer(j, "passed", t->facet_passed);
    cli_json_end(j);
}

static void say_facets(const cli* c, const sti_system_run* t) {
    if (t->facet_steps == 0) return;
    cli_say(
        c,
        "  facets: the steps are those of round friction up to impulses of %.3g in all, at most %.2g of the friction",
        t->facet_impulse, t->worst_facet);
    if (t->facet_passed > 0) cli_say(c, "; not known of %ld steps with collisions or pieces", t->facet_passed);
    cli_say(c, "\n");
}

static void put_events(cli_json* j, const sti_system_run* t) {
    cli_json_object(j, "located");
    cli_json_integer(j, "count", t->events);
    for (int k = 0; k < STI_EVENT_COUNT; k++) cli_json_integer(j, sti_event_text((sti_event_kind)k), t->kinds[k]);
    cli_json_number(j, "stepped", t->stepped);
    cli_json_array(j, "list");
    for (int k = 0; k < t->event_count; k++) {
        cli_json_object(j, NULL);
        cli_json_number(j, "time", t->event[k].time);
        cli_json_text(j, "kind", sti_event_text(t->event[k].kind));
        cli_json_text(j, "contact", sti_system_contact(t->system, t->event[k].contact));
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_integer(j, "left_out", t->events - t->event_count);
    cli_json_end(j);
}

static void fill_json(cli_json* j, const cli_system_run* run) {
    const sti_system_run* t = run->of;
    const sti_initial* start = sti_stepper_initial(run->of->stepper);
    cli_json_begin(j);
    cli_json_text(j, "kind", "run");
    cli_json_text(j, "of", "system");
    cli_json_text(j, "scene", run->request->scene);
    cli_json_text(j, "outcome", end_text[run->state.end]);
    cli_json_text(j, "why", t->failed ? t->why : NULL);
    put_settings(j, run);
    cli_json_object(j, "start");
    cli_json_text(j, "outcome", sti_initial_outcome_text(start->outcome));
    cli_json_text(j, "why", start->why);
    cli_json_end(j);
    cli_json_integer(j, "steps", t->steps);
    cli_json_number(j, "time", sti_stepper_time(run->of->stepper));
    put_state(j, run);
    put_quality(j, t);
    put_events(j, t);
    put_facets(j, t);
    cli_measure_json(j, t->measure, CLI_MEASURED_SYSTEM);
    cli_json_number(j, "time_s", run->state.time_s);
    cli_json_object(j, "time_parts_s");
    cli_json_number(j, "steps", run->state.time_step_s);
    cli_json_number(j, "files", run->state.time_files_s);
    cli_json_end(j);
    cli_json_number(j, "peak_memory_bytes", cli_run_peak_memory());
    cli_json_text(j, "folder", run->dir);
}

// ---- text

enum { MOST_SAID = 8 };

static void say_energy(const cli* c, const sti_system_run* t) {
    cli_say(c, "  energy %.6g, %.6g at the start; ", t->last_kinetic + t->last_potential, t->first_energy);
    if (isnan(t->work))
        cli_say(c, "work of forces and surfaces is not known, largest rise %.1e;", t->largest_rise);
    else
        cli_say(c, "work %.4g, friction %.4g, largest rise beyond work %.1e;", t->work, t->loss, t->largest_rise);
    cli_say(c, " %ld collisions changed it by %.4g\n", t->collisions, t->collision_energy);
    if (t->defect > 0) cli_say(c, "  sum of what the scheme itself gained or lost: %.2g\n", t->defect);
}

static void say_events(const cli* c, const cli_system_run* run) {
    const sti_system_run* t = run->of;
    if (t->options->events == STI_EVENTS_OFF) return;
    cli_say(c, "  events located to %g of a step:", t->options->event_tol);
    if (t->events == 0) cli_say(c, " none");
    for (int k = 0; k < STI_EVENT_COUNT; k++) {
        if (t->kinds[k] > 0) cli_say(c, " %s %ld", sti_event_text((sti_event_kind)k), t->kinds[k]);
    }
    if (t->stepped > 0)
        cli_say(c, "; %.3g of the time was stepped, where they accumulate or no modes agree", t->stepped);
    cli_say(c, "\n");
    for (int k = 0; k < t->event_count && k < MOST_SAID; k++)
        cli_say(c, "    t = %.12g: %s %s\n", t->event[k].time, sti_system_contact(t->system, t->event[k].contact),
                sti_event_text(t->event[k].kind));
    if (t->events > MOST_SAID) cli_say(c, "    and %ld more: --json lists %d\n", t->events - MOST_SAID, t->event_count);
}

static void say_program(const cli* c, const sti_system_run* t) {
    if (t->options->scheme != STI_SCHEME_CONVEX) return;
    cli_say(c, "  duality gap at most %.1e; sliding contacts lift by %.2e at most:", t->worst_duality_gap,
            t->worst_lift);
    const int contacts = sti_system_contact_count(t->system) - sti_system_joint_count(t->system);
    for (int i = 0; i < contacts && i < MOST_SAID; i++)
        cli_say(c, "%s %s %.2e", i > 0 ? "," : "", sti_system_contact(t->system, i), t->contact[i].most_lift);
    cli_say(c, contacts > MOST_SAID ? ", ..\n" : "\n");
}

static void say_joints(const cli* c, const sti_system_run* t) {
    static const char* const levels[] = {"", "accelerations (index 1)", "velocities (index 2)", "positions (index 3)"};
    if (t->index == 0) return;
    cli_say(c, "  joints at the level of %s: drift of positions %.1e, of velocities %.1e\n", levels[t->index],
            t->worst_drift, t->worst_drift_rate);
}

static void say(const cli* c, const cli_system_run* run) {
    const sti_system_run* t = run->of;
    const sti_stepper_options* o = run->of->options;
    const sti_initial* start = sti_stepper_initial(run->of->stepper);
    char q[200], v[200];
    const int n = sti_system_coordinate_count(run->of->system);
    cli_text_numbers(q, sizeof q, sti_stepper_q(run->of->stepper), n, 8);
    cli_text_numbers(v, sizeof v, sti_stepper_v_alpha(run->of->stepper), n, 8);
    cli_say(c, "%s%ld steps%s of %g, %s at t = %g: scheme %s, alpha %g\n", cli_strong(c), t->steps, cli_plain(c),
            o->step, cli_run_ended(run->state.end, "a step failed"), sti_stepper_time(run->of->stepper),
            sti_scheme_text(o->scheme), o->alpha);
    if (t->failed) cli_say(c, "  %s%s%s\n", cli_bad(c), t->why, cli_plain(c));
    if (start->outcome != STI_INITIAL_CONSISTENT)
        cli_say(c, "  start: %s%s%s: %s\n", cli_unsure(c), sti_initial_outcome_text(start->outcome), cli_plain(c),
                start->why);
    cli_run_say_idle(c, run->request, t->steps - run->state.begun, sti_stepper_time(run->of->stepper));
    cli_say(c, "  q %s\n  v %s\n", q, v);
    say_energy(c, t);
    if (t->most_pieces > 1) cli_say(c, "  steps were cut into %ld pieces, up to %ld each\n", t->pieces, t->most_pieces);
    if (t->gain > 0)
        cli_say(c, "  impacts that %s energy, %.3g in all%s\n", o->dissipate ? "would have added" : "added", t->gain,
                o->dissipate ? ", were scaled back" : "");
    if (t->relaxed > 0)
        cli_say(c, "  the impact law asked for a pull %ld times: the contact opened instead\n", t->relaxed);
    if (t->dropped > 0) cli_say(c, "  %.3g of the time was dropped after collisions\n", t->dropped);
    cli_say(c, "  worst residual %.1e, penetration %.1e, joint drift %.1e, correction %.1e\n", t->worst_residual,
            t->worst_penetration, t->worst_drift, t->worst_correction);
    say_program(c, t);
    say_facets(c, t);
    say_joints(c, t);
    say_events(c, run);
    cli_measure_say(c, t->measure);
    cli_say(c, "  %.2f s (steps %.2f, files %.2f)\n", run->state.time_s, run->state.time_step_s,
            run->state.time_files_s);
    if (run->dir != NULL)
        cli_say(c, "  %s: trajectory.h5, summary.json, checkpoint.h5%s\n", run->dir,
                run->request->picture ? ", positions.svg, velocities.svg, energy.svg" : "");
}

int cli_system_report(const cli* c, const cli_system_run* run) {
    cli_json j;
    fill_json(&j, run);
    const int code = cli_run_summary(c, run->dir, &j);
    if (code == CLI_DONE && !c->json) say(c, run);
    return code;
}

// ---- pictures

enum { MOST_FRAMES = 24 };

// Largest value of all columns: what differs by less than rounding of it is drawn as a constant.
static double largest(const cli_system_run* run, size_t first, size_t width, int n) {
    double most = 0;
    for (size_t k = 0; k < run->curve_rows; k++) {
        for (size_t i = 0; i < (size_t)n; i++) most = fmax(most, fabs(run->curve[width * k + first + i]));
    }
    return most;
}

static void fill_column(const cli_system_run* run, size_t column, size_t width, double noise, double* y,
                        cli_svg_axes* axes) {
    axes->y_low = INFINITY;
    axes->y_high = -INFINITY;
    for (size_t k = 0; k < run->curve_rows; k++) {
        y[k] = run->curve[width * k + column];
        axes->y_low = fmin(axes->y_low, y[k]);
        axes->y_high = fmax(axes->y_high, y[k]);
    }
    if (axes->y_high - axes->y_low <= noise) axes->y_low = axes->y_high = y[0];
}

// Coordinates have units of their own, lengths and angles: each has its own frame.
static void draw_columns(const cli_system_run* run, const char* title, size_t first, double* x, double* y, cli_svg* s) {
    const int n = sti_system_coordinate_count(run->of->system), shown = n < MOST_FRAMES ? n : MOST_FRAMES;
    const size_t rows = run->curve_rows, width = 3 + 2 * (size_t)n;
    const double noise = 1e-11 * largest(run, first, width, n);
    for (size_t k = 0; k < rows; k++) x[k] = run->curve[width * k];
    for (int i = 0; i < shown; i++) {
        cli_svg_axes axes = {.title = i == 0 ? title : NULL,
                             .x_label = "t",
                             .y_label = sti_system_coordinate(run->of->system, i),
                             .x_low = x[0],
                             .x_high = x[rows - 1],
                             .margin = 0.06,
                             .height = fmin(fmax(640.0 / shown, 64), 300)};
        fill_column(run, first + (size_t)i, width, noise, y, &axes);
        if (i == 0)
            cli_svg_begin(s, &axes);
        else
            cli_svg_next(s, &axes);
        cli_svg_polyline(s, x, y, (int)rows, cli_svg_color(i), 1.5);
    }
}

static int draw(const cli* c, const cli_system_run* run, const char* name, const char* what, size_t first) {
    const int n = sti_system_coordinate_count(run->of->system);
    double* x = malloc(2 * run->curve_rows * sizeof *x);
    char *path = cli_run_path(run->dir, name), title[80], of[40] = "";
    if (x == NULL || path == NULL) {
        free(x);
        free(path);
        return cli_fail_memory(c);
    }
    if (n > MOST_FRAMES) snprintf(of, sizeof of, ", the first %d of %d", MOST_FRAMES, n);
    snprintf(title, sizeof title, "%s over time%s", what, of);
    cli_svg s;
    draw_columns(run, title, first, x, x + run->curve_rows, &s);
    int code = cli_svg_save(&s, c, path);
    if (code == CLI_USAGE) code = CLI_INTERNAL;
    free(x);
    free(path);
    return code;
}

int cli_system_picture(const cli* c, const cli_system_run* run) {
    const size_t n = (size_t)sti_system_coordinate_count(run->of->system);
    int code = draw(c, run, "positions.svg", "positions", 1);
    if (code == CLI_DONE) code = draw(c, run, "velocities.svg", "weighted velocities", 1 + n);
    if (code != CLI_DONE) return code;
    return cli_run_energy_picture(c, run->dir, run->curve, run->curve_rows, 3 + 2 * n, 1 + 2 * n);
}
