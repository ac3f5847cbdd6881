// run_nav.c: stiction run with vehicles in cages: step by step, changes of the basis as events, deadlocks told.
#include "run_nav.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"

enum { DISC_CORNERS = 40 };

typedef struct nav_run {
    const cli_run_request* request;
    const char* dir;  // NULL: no files
    sti_run* run;
    sti_run_state state;
    const sti_navigation_run* of;
    sti_navigation* nav;
} nav_run;

static const char* end_text(const nav_run* run) {
    return run->of->deadlock                    ? "deadlock"
           : run->of->failed                    ? "failed"
           : run->state.end == STI_RUN_END_TIME ? "time"
                                                : "stopped";
}

// ---- report

static void put_basis(cli_json* j, const char* key, const nav_run* run, const int* basis, int count) {
    cli_json_array(j, key);
    for (int i = 0; i < count; i++) {
        char other[100], text[220];
        sti_navigation_other_text(run->nav, basis[2 * i + 1], other, sizeof other);
        snprintf(text, sizeof text, "%s on %s", sti_navigation_vehicle(run->nav, basis[2 * i]), other);
        cli_json_text(j, NULL, text);
    }
    cli_json_end(j);
}

static void put_vehicles(cli_json* j, const nav_run* run) {
    cli_json_array(j, "vehicles");
    for (int i = 0; i < sti_navigation_count(run->nav); i++) {
        const double* q = sti_navigation_q(run->nav) + 2 * (ptrdiff_t)i;
        double goal[2];
        const bool has = sti_navigation_goal(run->nav, i, goal);
        cli_json_object(j, NULL);
        cli_json_text(j, "name", sti_navigation_vehicle(run->nav, i));
        cli_json_numbers(j, "q", q, 2);
        cli_json_numbers(j, "v", sti_navigation_v(run->nav) + 2 * (ptrdiff_t)i, 2);
        cli_json_number(j, "to_goal", has ? hypot(q[0] - goal[0], q[1] - goal[1]) : NAN);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_array(j, "contacts");
    for (int i = 0; i < run->of->report.contact_count; i++) {
        const sti_cage_contact* k = &run->of->report.contacts[i];
        char other[100];
        sti_navigation_other_text(run->nav, k->other, other, sizeof other);
        cli_json_object(j, NULL);
        cli_json_text(j, "vehicle", sti_navigation_vehicle(run->nav, k->vehicle));
        cli_json_text(j, "with", other);
        cli_json_number(j, "gap", k->gap);
        cli_json_numbers(j, "normal", k->n, 2);
        cli_json_number(j, "force", k->impulse / sti_navigation_step_length(run->nav));
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void fill_json(cli_json* j, const nav_run* run) {
    cli_json_begin(j);
    cli_json_text(j, "kind", "run");
    cli_json_text(j, "of", "navigation");
    cli_json_text(j, "scene", run->request->scene);
    cli_json_text(j, "outcome", end_text(run));
    cli_json_number(j, "h", sti_navigation_step_length(run->nav));
    cli_json_integer(j, "steps", run->state.steps);
    cli_json_number(j, "time", sti_navigation_time(run->nav));
    put_vehicles(j, run);
    cli_json_array(j, "switches");
    for (int i = 0; i < run->of->event_count; i++) {
        cli_json_object(j, NULL);
        cli_json_integer(j, "step", run->of->events[i].step);
        put_basis(j, "before", run, run->of->events[i].before, run->of->events[i].before_count);
        put_basis(j, "after", run, run->of->events[i].after, run->of->events[i].after_count);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_integer(j, "switch_count", run->of->switches);
    cli_json_number(j, "least_gap", run->of->least_gap);
    cli_json_number(j, "balance", run->of->deadlock ? run->of->report.balance : NAN);
    cli_json_number(j, "residual", run->of->residual);
    cli_json_integer(j, "most_contacts", run->of->most_contacts);
    cli_json_integer(j, "most_islands", run->of->most_islands);
    cli_json_number(j, "time_s", run->state.time_s);
    cli_json_text(j, "folder", run->dir);
}

static void say(const cli* c, const nav_run* run) {
    int arrived = 0, goals = 0;
    for (int i = 0; i < sti_navigation_count(run->nav); i++) {
        double goal[2];
        const double* q = sti_navigation_q(run->nav) + 2 * (ptrdiff_t)i;
        if (!sti_navigation_goal(run->nav, i, goal)) continue;
        goals++;
        arrived += hypot(q[0] - goal[0], q[1] - goal[1]) <= sti_navigation_cage(run->nav, i);
    }
    cli_say(c, "%s%ld steps%s of %g to t = %g: %d vehicle%s\n", cli_strong(c), run->state.steps, cli_plain(c),
            sti_navigation_step_length(run->nav), sti_navigation_time(run->nav), sti_navigation_count(run->nav),
            sti_navigation_count(run->nav) == 1 ? "" : "s");
    if (run->of->deadlock)
        cli_say(c, "  %sdeadlock%s: nothing moves, and the forces are balanced by contacts to %.1e\n", cli_bad(c),
                cli_plain(c), run->of->report.balance);
    if (run->of->failed)
        cli_say(c, "  %sa step was not solved%s: %s\n", cli_bad(c), cli_plain(c),
                sti_outcome_text(run->of->report.outcome));
    cli_run_say_idle(c, run->request, run->state.steps - run->state.begun, run->state.time);
    if (goals > 0) cli_say(c, "  %d of %d are at their goals\n", arrived, goals);
    for (int i = 0; i < run->of->event_count && run->of->event_count <= 20; i++) {
        char text[200] = "nothing";
        const sti_navigation_event* e = &run->of->events[i];
        size_t at = 0;
        for (int k = 0; k < e->after_count && at < sizeof text; k++) {
            char other[100];
            sti_navigation_other_text(run->nav, e->after[2 * k + 1], other, sizeof other);
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s on %s", k > 0 ? ", " : "",
                                   sti_navigation_vehicle(run->nav, e->after[2 * k]), other);
        }
        cli_say(c, "  step %ld: %s\n", e->step, text);
    }
    cli_say(c, "  %ld switches of the basis; least gap %.3g; worst residual %.1e\n", run->of->switches,
            run->of->least_gap, run->of->residual);
    cli_say(c, "  %.2f s: %.0f steps a second\n", run->state.time_s,
            run->state.time_s > 0 ? (double)run->state.steps / run->state.time_s : 0);
}

// ---- the picture: walls, obstacles, ways, cages at the end

static void outline_of(const sti_outline* o, const double* pose, double* x, double* y) {
    const int count = o->vertex_count > 0 ? o->vertex_count : DISC_CORNERS;
    for (int i = 0; i < count; i++) {
        const double f = 6.283185307179586 * i / DISC_CORNERS;
        const double a = o->vertex_count > 0 ? o->vertices[2 * i] : o->radius * cos(f);
        const double b = o->vertex_count > 0 ? o->vertices[2 * i + 1] : o->radius * sin(f);
        x[i] = pose[0] + cos(pose[2]) * a - sin(pose[2]) * b;
        y[i] = pose[1] + sin(pose[2]) * a + cos(pose[2]) * b;
    }
}

static void draw_still(const nav_run* run, cli_svg* s, double size, double* x, double* y) {
    for (int i = 0; i < sti_navigation_wall_count(run->nav); i++) {
        double p[2], n[2];
        sti_navigation_wall(run->nav, i, p, n);
        const double line_x[2] = {p[0] - size * n[1], p[0] + size * n[1]},
                     line_y[2] = {p[1] + size * n[0], p[1] - size * n[0]};
        cli_svg_polyline(s, line_x, line_y, 2, "#555555", 2.5);
    }
    for (int i = 0; i < sti_navigation_obstacle_count(run->nav); i++) {
        double pose[3];
        const sti_outline o = sti_navigation_obstacle(run->nav, i, pose);
        outline_of(&o, pose, x, y);
        cli_svg_polygon(s, x, y, o.vertex_count > 0 ? o.vertex_count : DISC_CORNERS, "#777777", 0.5);
    }
}

static int draw(const cli* c, const nav_run* run, double* x, double* y, const char* path) {
    const int count = sti_navigation_count(run->nav);
    size_t rows, n;
    const double* curve = sti_run_curve(run->run, &rows, &n);
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t k = 0; k < rows * n; k++) {
        const double r = sti_navigation_cage(run->nav, (int)(k % n / 2));
        low[k % 2] = fmin(low[k % 2], curve[k] - r);
        high[k % 2] = fmax(high[k % 2], curve[k] + r);
    }
    cli_svg s;
    cli_svg_begin(&s, &(cli_svg_axes){.title = "vehicles in their cages",
                                      .x_label = "x",
                                      .y_label = "y",
                                      .x_low = low[0],
                                      .x_high = high[0],
                                      .y_low = low[1],
                                      .y_high = high[1],
                                      .equal = true});
    draw_still(run, &s, 10 * (high[0] - low[0] + high[1] - low[1]), x, y);
    for (int i = 0; i < count; i++) {
        for (size_t k = 0; k < rows; k++) {
            x[k] = curve[k * n + 2 * (size_t)i];
            y[k] = curve[k * n + 2 * (size_t)i + 1];
        }
        cli_svg_polyline(&s, x, y, (int)rows, cli_svg_color(i), 1.2);
        const sti_outline cage = sti_navigation_cage_outline(run->nav, i);
        const double pose[3] = {x[rows - 1], y[rows - 1], 0};
        outline_of(&cage, pose, x, y);
        cli_svg_polygon(&s, x, y, cage.vertex_count > 0 ? cage.vertex_count : DISC_CORNERS, cli_svg_color(i), 0.35);
    }
    return cli_svg_save(&s, c, path);
}

static int picture(const cli* c, const nav_run* run) {
    size_t most, columns;
    sti_run_curve(run->run, &most, &columns);
    most = most > DISC_CORNERS ? most : DISC_CORNERS;
    for (int i = 0; i < sti_navigation_count(run->nav); i++) {
        const size_t count = (size_t)sti_navigation_cage_outline(run->nav, i).vertex_count;
        most = count > most ? count : most;
    }
    for (int i = 0; i < sti_navigation_obstacle_count(run->nav); i++) {
        double pose[3];
        const size_t count = (size_t)sti_navigation_obstacle(run->nav, i, pose).vertex_count;
        most = count > most ? count : most;
    }
    double* x = malloc(2 * most * sizeof *x);
    char* path = cli_run_path(run->dir, "scene.svg");
    int code = x != NULL && path != NULL ? draw(c, run, x, x + most, path) : cli_fail_memory(c);
    if (code == CLI_USAGE) code = CLI_INTERNAL;
    free(x);
    free(path);
    return code;
}

// ---- the run

static int refuse_options(const cli* c, const cli_run_request* r, const char* name) {
    const char* alien = r->law != NULL        ? "--law"
                        : r->solver != NULL   ? "--solver"
                        : r->tol > 0          ? "--tol"
                        : r->frame > 0        ? "--frame"
                        : r->colour != NULL   ? "--colour"
                        : r->jamming          ? "--jamming"
                        : r->accept > 0       ? "--accept"
                        : r->attempts != NULL ? "--attempts"
                        : r->step > 0         ? "--step"
                                              : NULL;
    return alien == NULL ? CLI_DONE
                         : cli_fail_usage(c, "%s: not for vehicles in cages, and %.200s has these", alien, name);
}

static void progress_text(const sti_run* run, char* text, size_t size) {
    const sti_navigation_run* of = sti_navigation_run_of(run);
    snprintf(text, size, "t %.4g  %d contacts  least gap %.2e", sti_navigation_time(of->nav), of->report.contact_count,
             of->least_gap);
}

static sti_status make(sti_env* env, const sti_run_source* source, const cli_run_request* r, sti_simulation** out) {
    (void)r;
    return sti_navigation_simulation(env, source, out);
}

static int finish(const cli* c, nav_run* run) {
    cli_json j;
    int code = cli_run_save_last(c, run->run, run->request);
    if (code == CLI_DONE && run->request->picture) code = picture(c, run);
    if (code != CLI_DONE) return code;
    fill_json(&j, run);
    code = cli_run_summary(c, run->dir, &j);
    if (code == CLI_DONE && !c->json) say(c, run);
    return code == CLI_DONE && run->state.end != STI_RUN_END_TIME ? CLI_NO : code;
}

int cli_run_nav(cli* c, const cli_run_request* request, sti_document* problem) {
    nav_run run = {.request = request, .dir = request->resume != NULL ? request->resume : request->out};
    sti_simulation* simulation = NULL;
    int code = refuse_options(c, request, cli_run_name(request));
    if (code == CLI_DONE) code = cli_run_problem_name(c, request, true);
    if (code == CLI_DONE && problem != NULL) code = cli_run_simulation(c, request, problem, make, &simulation);
    sti_document_destroy(problem);
    if (code == CLI_DONE) code = cli_run_drive(c, request, simulation, progress_text, &run.run);
    if (code == CLI_DONE) {
        sti_run_now(run.run, &run.state);
        run.of = sti_navigation_run_of(run.run);
        run.nav = run.of->nav;
        code = finish(c, &run);
    }
    sti_run_destroy(run.run);
    return code;
}
