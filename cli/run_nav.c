// run_nav.c: stiction run with vehicles in cages: step by step, changes of the basis as events, deadlocks told.
#include "run_nav.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"

enum { MOST_EVENTS = 1000, SERIES = 6, DISC_CORNERS = 40 };

// The contacts that press, before and after a step.
typedef struct event {
    long step;
    int *before, *after;  // vehicle and other of each
    int before_count, after_count;
} event;

typedef enum ending { END_TIME, END_STOPPED, END_DEADLOCK, END_FAILED } ending;

typedef struct nav_run {
    const cli_run_request* request;
    sti_document* problem;
    sti_navigation* nav;
    long steps, last_step, switches;
    double least_gap, residual, time_s;
    int most_contacts, most_islands;
    int* basis;  // vehicle and other of each contact that presses               (2 basis_count)
    int basis_count;
    event events[MOST_EVENTS];
    int event_count;
    sti_navigation_report report;
    ending end;
    sti_recording* record;
    int series[SERIES];
    FILE* csv;
    long csv_bytes;
    double* curve;  // positions of every step                                   (curve_rows x 2 count)
    size_t curve_rows, curve_room;
} nav_run;

static const char* const end_text[] = {"time", "stopped", "deadlock", "failed"};

// ---- files

static int record_begin(const cli* c, nav_run* run) {
    const int n = 2 * sti_navigation_count(run->nav);
    const sti_series_def defs[SERIES] = {{.name = "steps/time"},
                                         {.name = "steps/q", .columns = n},
                                         {.name = "steps/v", .columns = n},
                                         {.name = "steps/least_gap"},
                                         {.name = "steps/residual"},
                                         {.name = "steps/contacts", .type = STI_RECORD_INT}};
    char* path = cli_run_path(run->request->out, "trajectory.h5");
    if (path == NULL) return cli_fail_memory(c);
    sti_status status = sti_recording_create(c->env, path, &run->record);
    for (int k = 0; status == STI_OK && k < SERIES; k++)
        status = sti_recording_series(run->record, &defs[k], &run->series[k]);
    free(path);
    return status == STI_OK ? CLI_DONE : cli_run_fail_output(c);
}

static int record_step(const cli* c, nav_run* run, const sti_navigation_report* r) {
    const double time = sti_navigation_time(run->nav), gap = r != NULL && isfinite(r->least_gap) ? r->least_gap : 0,
                 residual = r != NULL ? r->residual : 0;
    const int count = r != NULL ? r->contact_count : 0;
    const void* const rows[SERIES] = {&time, sti_navigation_q(run->nav), sti_navigation_v(run->nav), &gap, &residual,
                                      &count};
    sti_status status = STI_OK;
    for (int k = 0; status == STI_OK && k < SERIES; k++)
        status = sti_recording_append(run->record, run->series[k], 1, rows[k]);
    return status == STI_OK ? CLI_DONE : cli_run_fail_output(c);
}

static void csv_header(const nav_run* run) {
    static const char* const words[] = {"x", "y", "x'", "y'"};
    const int count = sti_navigation_count(run->nav);
    fprintf(run->csv, "t");
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < count; i++) {
            fprintf(run->csv, ",%s", words[k]);
            if (count == 1) continue;
            fputc(':', run->csv);
            cli_run_csv_name(run->csv, sti_navigation_vehicle(run->nav, i));
        }
    }
    fprintf(run->csv, ",residual,least_gap,contacts,pressing,switch\n");
}

static int csv_line(const cli* c, nav_run* run, const sti_navigation_report* r, bool changed) {
    const int count = sti_navigation_count(run->nav);
    fprintf(run->csv, "%.17g", sti_navigation_time(run->nav));
    for (int k = 0; k < 4; k++) {
        const double* x = (k < 2 ? sti_navigation_q(run->nav) : sti_navigation_v(run->nav)) + k % 2;
        for (int i = 0; i < count; i++) fprintf(run->csv, ",%.17g", x[2 * i]);
    }
    cli_run_csv_number(run->csv, r != NULL ? r->residual : 0);
    cli_run_csv_number(run->csv, r != NULL && isfinite(r->least_gap) ? r->least_gap : NAN);
    fprintf(run->csv, ",%d,%d,%d\n", r != NULL ? r->contact_count : 0, run->basis_count, changed);
    return cli_run_csv_size(c, run->request->csv, run->csv, &run->csv_bytes);
}

// ---- steps

static bool keep_curve(nav_run* run) {
    const size_t n = 2 * (size_t)sti_navigation_count(run->nav);
    double* row = cli_run_curve_row(&run->curve, &run->curve_room, n, run->curve_rows);
    if (row == NULL) return false;
    memcpy(row, sti_navigation_q(run->nav), n * sizeof *row);
    run->curve_rows++;
    return true;
}

// The basis of the step, and the event when it is another one. False: memory ran out.
static bool keep_basis(nav_run* run, const sti_navigation_report* r, bool* changed) {
    int* now = malloc(2 * ((size_t)r->contact_count + 1) * sizeof *now);
    int count = 0;
    if (now == NULL) return false;
    for (int i = 0; i < r->contact_count; i++) {
        if (!(r->contacts[i].impulse > 0)) continue;
        now[2 * count] = r->contacts[i].vehicle;
        now[2 * count++ + 1] = r->contacts[i].other;
    }
    *changed =
        count != run->basis_count || (count > 0 && memcmp(now, run->basis, 2 * (size_t)count * sizeof *now) != 0);
    if (!*changed) {
        free(now);
        return true;
    }
    run->switches++;
    if (run->event_count < MOST_EVENTS) {
        int* copy = malloc(2 * ((size_t)count + 1) * sizeof *copy);
        if (copy == NULL) {
            free(now);
            return false;
        }
        memcpy(copy, now, 2 * (size_t)count * sizeof *copy);
        run->events[run->event_count++] = (event){.step = r->step - 1,
                                                  .before = run->basis,
                                                  .before_count = run->basis_count,
                                                  .after = copy,
                                                  .after_count = count};
    } else {
        free(run->basis);
    }
    run->basis = now;
    run->basis_count = count;
    return true;
}

// Not those that are where they want to be.
static bool is_lost(const nav_run* run) {
    for (int i = 0; i < sti_navigation_count(run->nav); i++) {
        double goal[2];
        const double* q = sti_navigation_q(run->nav) + 2 * (ptrdiff_t)i;
        if (!sti_navigation_goal(run->nav, i, goal) ||
            hypot(q[0] - goal[0], q[1] - goal[1]) > sti_navigation_cage(run->nav, i))
            return true;
    }
    return false;
}

static int take_step(const cli* c, nav_run* run) {
    sti_navigation_report* r = &run->report;
    bool changed;
    if (sti_navigation_step(run->nav, r) != STI_OK)
        return cli_run_fail_step(c, run->request->scene, run->steps + 1, sti_navigation_time(run->nav));
    if (r->outcome != STI_SOLVED) {
        run->end = END_FAILED;
        return CLI_DONE;
    }
    run->steps = r->step;
    run->least_gap = fmin(run->least_gap, r->least_gap);
    run->residual = fmax(run->residual, r->residual);
    if (r->contact_count > run->most_contacts) run->most_contacts = r->contact_count;
    if (r->islands > run->most_islands) run->most_islands = r->islands;
    if (!keep_basis(run, r, &changed) || (run->request->picture && !keep_curve(run))) return cli_fail_memory(c);
    int code = run->csv != NULL ? csv_line(c, run, r, changed) : CLI_DONE;
    if (code == CLI_DONE && run->record != NULL) code = record_step(c, run, r);
    if (r->deadlock && is_lost(run)) run->end = END_DEADLOCK;
    return code;
}

static int work(const cli* c, nav_run* run) {
    const double start = cli_now();
    int code = CLI_DONE;
    cli_run_progress progress = cli_run_progress_begin(0);
    while (code == CLI_DONE && run->steps < run->last_step && run->end == END_TIME) {
        if (cli_run_stopped()) {
            run->end = END_STOPPED;
            break;
        }
        code = take_step(c, run);
        char text[120];
        snprintf(text, sizeof text, "t %.4g  %d contacts  least gap %.2e", sti_navigation_time(run->nav),
                 run->report.contact_count, run->least_gap);
        if (code == CLI_DONE) cli_run_progress_show(c, &progress, (double)run->steps / (double)run->last_step, text);
    }
    cli_run_progress_clear(&progress);
    if (code == CLI_DONE && run->record != NULL && sti_recording_commit(run->record, true) != STI_OK)
        code = cli_run_fail_output(c);
    run->time_s = cli_now() - start;
    return code;
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
    for (int i = 0; i < run->report.contact_count; i++) {
        const sti_cage_contact* k = &run->report.contacts[i];
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
    cli_json_text(j, "outcome", end_text[run->end]);
    cli_json_number(j, "h", sti_navigation_step_length(run->nav));
    cli_json_integer(j, "steps", run->steps);
    cli_json_number(j, "time", sti_navigation_time(run->nav));
    put_vehicles(j, run);
    cli_json_array(j, "switches");
    for (int i = 0; i < run->event_count; i++) {
        cli_json_object(j, NULL);
        cli_json_integer(j, "step", run->events[i].step);
        put_basis(j, "before", run, run->events[i].before, run->events[i].before_count);
        put_basis(j, "after", run, run->events[i].after, run->events[i].after_count);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_integer(j, "switch_count", run->switches);
    cli_json_number(j, "least_gap", run->least_gap);
    cli_json_number(j, "balance", run->end == END_DEADLOCK ? run->report.balance : NAN);
    cli_json_number(j, "residual", run->residual);
    cli_json_integer(j, "most_contacts", run->most_contacts);
    cli_json_integer(j, "most_islands", run->most_islands);
    cli_json_number(j, "time_s", run->time_s);
    cli_json_text(j, "folder", run->request->out);
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
    cli_say(c, "%s%ld steps%s of %g to t = %g: %d vehicle%s\n", cli_strong(c), run->steps, cli_plain(c),
            sti_navigation_step_length(run->nav), sti_navigation_time(run->nav), sti_navigation_count(run->nav),
            sti_navigation_count(run->nav) == 1 ? "" : "s");
    if (run->end == END_DEADLOCK)
        cli_say(c, "  %sdeadlock%s: nothing moves, and the forces are balanced by contacts to %.1e\n", cli_bad(c),
                cli_plain(c), run->report.balance);
    if (run->end == END_FAILED)
        cli_say(c, "  %sa step was not solved%s: %s\n", cli_bad(c), cli_plain(c),
                sti_outcome_text(run->report.outcome));
    if (goals > 0) cli_say(c, "  %d of %d are at their goals\n", arrived, goals);
    for (int i = 0; i < run->event_count && run->event_count <= 20; i++) {
        char text[200] = "nothing";
        const event* e = &run->events[i];
        size_t at = 0;
        for (int k = 0; k < e->after_count && at < sizeof text; k++) {
            char other[100];
            sti_navigation_other_text(run->nav, e->after[2 * k + 1], other, sizeof other);
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s on %s", k > 0 ? ", " : "",
                                   sti_navigation_vehicle(run->nav, e->after[2 * k]), other);
        }
        cli_say(c, "  step %ld: %s\n", e->step, text);
    }
    cli_say(c, "  %ld switches of the basis; least gap %.3g; worst residual %.1e\n", run->switches, run->least_gap,
            run->residual);
    cli_say(c, "  %.2f s: %.0f steps a second\n", run->time_s, run->time_s > 0 ? (double)run->steps / run->time_s : 0);
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
    const size_t n = 2 * (size_t)count, rows = run->curve_rows;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t k = 0; k < rows * n; k++) {
        const double r = sti_navigation_cage(run->nav, (int)(k % n / 2));
        low[k % 2] = fmin(low[k % 2], run->curve[k] - r);
        high[k % 2] = fmax(high[k % 2], run->curve[k] + r);
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
            x[k] = run->curve[k * n + 2 * (size_t)i];
            y[k] = run->curve[k * n + 2 * (size_t)i + 1];
        }
        cli_svg_polyline(&s, x, y, (int)rows, cli_svg_color(i), 1.2);
        const sti_outline cage = {.radius = sti_navigation_cage(run->nav, i)};
        const double pose[3] = {x[rows - 1], y[rows - 1], 0};
        outline_of(&cage, pose, x, y);
        cli_svg_polygon(&s, x, y, DISC_CORNERS, cli_svg_color(i), 0.35);
    }
    return cli_svg_save(&s, c, path);
}

static int picture(const cli* c, const nav_run* run) {
    size_t most = run->curve_rows > DISC_CORNERS ? run->curve_rows : DISC_CORNERS;
    for (int i = 0; i < sti_navigation_obstacle_count(run->nav); i++) {
        double pose[3];
        const size_t count = (size_t)sti_navigation_obstacle(run->nav, i, pose).vertex_count;
        most = count > most ? count : most;
    }
    double* x = malloc(2 * most * sizeof *x);
    char* path = cli_run_path(run->request->out, "scene.svg");
    int code = x != NULL && path != NULL ? draw(c, run, x, x + most, path) : cli_fail_memory(c);
    if (code == CLI_USAGE) code = CLI_INTERNAL;
    free(x);
    free(path);
    return code;
}

// ---- the run

static int begin(const cli* c, nav_run* run) {
    const cli_run_request* r = run->request;
    const char* alien = r->law != NULL        ? "--law"
                        : r->solver != NULL   ? "--solver"
                        : r->tol > 0          ? "--tol"
                        : r->frame > 0        ? "--frame"
                        : r->colour != NULL   ? "--colour"
                        : r->problem != NULL  ? "--problem"
                        : r->jamming          ? "--jamming"
                        : r->accept > 0       ? "--accept"
                        : r->contacts != NULL ? "--contacts"
                        : r->step > 0         ? "--step"
                                              : NULL;
    if (alien != NULL) return cli_fail_usage(c, "%s: not for vehicles in cages, and %.200s has these", alien, r->scene);
    const double time = r->time > 0 ? r->time : sti_navigation_end(run->nav);
    int code = cli_run_steps(c, r->scene, time, sti_navigation_step_length(run->nav), &run->last_step);
    if (code == CLI_DONE && r->out != NULL) code = cli_run_folder(c, r->out, r->force);
    if (code == CLI_DONE && r->out != NULL) code = record_begin(c, run);
    if (code == CLI_DONE && r->out != NULL) code = record_step(c, run, NULL);
    if (code == CLI_DONE && r->csv != NULL) {
        code = cli_run_csv_open(c, r->csv, r->out, 0, &run->csv);
        if (code == CLI_DONE) csv_header(run);
        if (code == CLI_DONE) code = csv_line(c, run, NULL, false);
    }
    return code == CLI_DONE && r->picture && !keep_curve(run) ? cli_fail_memory(c) : code;
}

static void clear(nav_run* run) {
    for (int i = 0; i < run->event_count; i++) {
        free(run->events[i].before);
        free(run->events[i].after);
    }
    free(run->basis);
    free(run->curve);
    sti_recording_close(run->record);
    sti_document_destroy(run->problem);
    free(run);
}

int cli_run_nav(cli* c, const cli_run_request* request, sti_document* problem) {
    nav_run* run = calloc(1, sizeof *run);
    if (run == NULL) {
        sti_document_destroy(problem);
        return cli_fail_memory(c);
    }
    run->request = request;
    run->problem = problem;
    run->least_gap = INFINITY;
    int code = CLI_DONE;
    if (request->settings != NULL && sti_document_set(problem, request->settings) != STI_OK)
        code = cli_fail_about(c, "--set");
    run->nav = sti_navigation_of(problem);
    if (code == CLI_DONE) code = begin(c, run);
    if (code == CLI_DONE) code = work(c, run);
    if (run->csv != NULL) {
        const int closed = cli_run_csv_close(c, request->csv, &run->csv);
        if (code == CLI_DONE) code = closed;
    }
    if (code == CLI_DONE && request->picture) code = picture(c, run);
    if (code == CLI_DONE) {
        cli_json j;
        fill_json(&j, run);
        code = cli_run_summary(c, request->out, &j);
        if (code == CLI_DONE) cli_run_folder_keep();
        if (code == CLI_DONE && !c->json) say(c, run);
    }
    if (code == CLI_DONE && run->end != END_TIME) code = CLI_NO;
    clear(run);
    return code;
}
