// run_bed_report.c: what a bed's run reports: the summary as text and as JSON, and its pictures.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "run_bed.h"
#include "run_measure.h"
#include "svg.h"

static const char* const end_text[] = {
    [STI_RUN_END_TIME] = "time", [STI_RUN_END_ITSELF] = "rest", [STI_RUN_END_STOPPED] = "stopped"};

typedef struct facts {
    sti_packing packing;
    bool packed;  // it is known
    double memory;
    double radius;  // largest
} facts;

static sti_status find_facts(const cli* c, const cli_bed_run* run, facts* f) {
    *f = (facts){.memory = cli_run_peak_memory()};
    for (int k = 0; k < run->of->grains->count; k++) f->radius = fmax(f->radius, run->of->grains->radius[k]);
    double* x = malloc(3 * (size_t)run->of->grains->count * sizeof *x);
    if (x == NULL) return STI_ERR_MEMORY;
    sti_bed_get(run->of->bed, x, NULL, NULL);
    const sti_status status = sti_grains_packing(c->env, run->of->grains, x, &f->packing);
    f->packed = status == STI_OK;
    free(x);
    return status == STI_ERR_MEMORY ? status : STI_OK;  // a vessel of another form has no packing fraction
}

// ---- JSON

static void put_settings(cli_json* j, const cli* c, const cli_bed_run* run) {
    const sti_bed_scene* s = run->of->scene;
    cli_json_text(j, "layout", sti_layout_text(s->bed.layout));
    cli_json_integer(j, "grain_count", run->of->grains->count);
    cli_json_integer(j, "seed", (long long)s->bed.seed);
    cli_json_number(j, "mu", run->of->grains->mu);
    cli_json_text(j, "law", sti_law_text(s->step.law));
    cli_json_count(j, "facets", s->step.law == STI_LAW_FACETS ? s->step.facets : -1);
    cli_json_text(j, "solver", cli_bed_solver_name(run));
    cli_json_number(j, "tol", s->step.tol);
    cli_json_number(j, "h", s->step.h);
    cli_json_integer(j, "threads", sti_env_workers(c->env));
}

static void put_quality(cli_json* j, const cli_bed_run* run, const facts* f) {
    const sti_bed_run* t = run->of;
    cli_json_number(j, "residual", t->worst_residual);
    cli_json_integer(j, "unsolved_steps", t->unsolved);
    if (t->unsolved > 0) cli_json_integer(j, "first_unsolved", t->first_unsolved);
    cli_json_integer(j, "deep_steps", t->deep);
    cli_json_integer(j, "accepted_steps", t->accepted);
    if (t->accepted > 0) {
        cli_json_integer(j, "first_accepted", t->first_accepted);
        cli_json_number(j, "accepted_residual", t->accepted_residual);
    }
    cli_json_number(j, "penetration", t->worst_penetration);
    cli_json_number(j, "penetration_over_radius", t->worst_penetration / f->radius);
    cli_json_number(j, "penetration_at_end", t->last.penetration);
    cli_json_number(j, "cone_violation", t->worst_cone);
    cli_json_number(j, "lift", t->worst_lift);
    if (run->of->scene->step.law == STI_LAW_COULOMB)
        cli_json_null(j, "gap");
    else
        cli_json_number(j, "gap", t->worst_gap);
    cli_json_number(j, "balance", t->last.balance);
    cli_json_number(j, "momentum", t->worst_momentum);
    cli_json_integer(j, "iterations", t->iterations);
    cli_json_integer(j, "most_iterations", t->most_iterations);
    cli_json_integer(j, "contact_count", t->last.contacts);
    cli_json_integer(j, "touching", t->last.touching);
    cli_json_integer(j, "most_contacts", t->most_contacts);
}

static void put_packing(cli_json* j, const facts* f) {
    if (!f->packed) {
        cli_json_null(j, "packing");
        return;
    }
    cli_json_object(j, "packing");
    cli_json_number(j, "mean_height", f->packing.mean_height);
    cli_json_number(j, "top", f->packing.top);
    cli_json_number(j, "all", f->packing.all);
    cli_json_number(j, "bottom", f->packing.bottom);
    cli_json_end(j);
}

static void put_flow(cli_json* j, const cli_bed_run* run) {
    if (run->of->flow == NULL) {
        cli_json_null(j, "flow");
        return;
    }
    const sti_outflow flow = sti_recirculation_outflow(run->of->flow);
    cli_json_object(j, "flow");
    cli_json_integer(j, "left", flow.left);
    cli_json_number(j, "rate", run->of->last.time > 0 ? (double)flow.left / run->of->last.time : 0);
    cli_json_number(j, "residence", flow.residence);
    cli_json_number(j, "residence_min", flow.residence_min);
    cli_json_number(j, "residence_max", flow.residence_max);
    cli_json_end(j);
}

static void put_times(cli_json* j, const cli_bed_run* run) {
    const sti_bed_run* t = run->of;
    cli_json_number(j, "time_s", run->state.time_s);
    cli_json_object(j, "time_parts_s");
    cli_json_number(j, "search", t->time_search_s);
    cli_json_number(j, "solve", t->time_solve_s);
    cli_json_number(j, "rest", t->time_rest_s);
    cli_json_number(j, "files", run->state.time_files_s);
    cli_json_end(j);
    cli_json_number(j, "time_per_step_s", t->steps > 0 ? run->state.time_s / (double)t->steps : 0);
}

static void fill_json(cli_json* j, const cli* c, const cli_bed_run* run, const facts* f) {
    const sti_bed_run* t = run->of;
    cli_json_begin(j);
    cli_json_text(j, "kind", "run");
    cli_json_text(j, "of", "grains");
    cli_json_text(j, "scene", t->name);
    cli_json_text(j, "description", run->of->scene->description);
    cli_json_text(j, "outcome", end_text[run->state.end]);
    put_settings(j, c, run);
    cli_json_integer(j, "steps", t->steps);
    cli_json_number(j, "time", t->last.time);
    cli_json_object(j, "energy");
    cli_json_number(j, "start", t->first_energy);
    cli_json_number(j, "end", t->last.kinetic + t->last.potential);
    cli_json_number(j, "kinetic", t->last.kinetic);
    cli_json_number(j, "potential", t->last.potential);
    cli_json_number(j, "peak_kinetic", t->peak_kinetic);
    cli_json_end(j);
    put_quality(j, run, f);
    cli_measure_json(j, t->measure, CLI_MEASURED_GRAINS);
    put_packing(j, f);
    put_flow(j, run);
    cli_bed_step_json(j, run);
    put_times(j, run);
    cli_json_number(j, "peak_memory_bytes", f->memory);
    cli_json_integer(j, "frames", t->frames);
    cli_json_number(j, "colour_high", run->request->picture && run->colour_high > 0 ? run->colour_high : NAN);
    cli_json_text(j, "folder", run->dir);
}

// ---- text

static void say(const cli* c, const cli_bed_run* run, const facts* f) {
    const sti_bed_run* t = run->of;
    const sti_bed_scene* s = run->of->scene;
    cli_say(c, "%s%d grains%s, %ld steps of %g, %s at t = %g\n", cli_strong(c), run->of->grains->count, cli_plain(c),
            t->steps, s->step.h, cli_run_ended(run->state.end, "at rest"), t->last.time);
    cli_run_say_idle(c, run->request, t->steps - run->state.begun, t->last.time);
    cli_say(c, "  law %s, solver %s: worst residual %.2e, %s%ld of %ld steps not solved%s to %g\n",
            sti_law_text(s->step.law), cli_bed_solver_name(run), t->worst_residual,
            t->unsolved > 0 ? cli_bad(c) : cli_good(c), t->unsolved, t->steps, cli_plain(c), s->step.tol);
    if (t->unsolved > 0)
        cli_say(c, "    first step %ld; in %ld of them grains overlap by more than a tenth of a radius%s\n",
                t->first_unsolved, t->deep, t->deep > 0 ? ": a shorter --step helps" : "");
    if (t->accepted > 0)
        cli_say(c, "    %ld of them accepted, first step %ld, residual at most %.2e (--accept %g)\n", t->accepted,
                t->first_accepted, t->accepted_residual, run->request->accept);
    if (s->step.law != STI_LAW_COULOMB)
        cli_say(c, "  duality gap at most %.2e; sliding contacts lift by %.2e of the radius at most\n", t->worst_gap,
                t->worst_lift / f->radius);
    cli_say(c, "  kinetic energy %.4g, at most %.4g; total %.6g, %.6g at the start\n", t->last.kinetic, t->peak_kinetic,
            t->last.kinetic + t->last.potential, t->first_energy);
    cli_say(c,
            "  penetration at most %.2e of the radius, %.2e now; %d contacts, %d carry load; walls carry %.4f of the "
            "weight, momentum balanced to %.1e\n",
            t->worst_penetration / f->radius, t->last.penetration / f->radius, t->last.contacts, t->last.touching,
            fabs(t->last.balance) < 5e-5 ? 0 : t->last.balance, t->worst_momentum);
    cli_measure_say(c, t->measure);
    if (f->packed && isfinite(f->packing.all))
        cli_say(c, "  packing %.4f below 80 %% of the height, %.4f in all; top at %.4g\n", f->packing.bottom,
                f->packing.all, f->packing.top);
    if (run->of->flow != NULL) {
        const sti_outflow flow = sti_recirculation_outflow(run->of->flow);
        cli_say(c, "  %ld grains left below, %.4g for each unit of time", flow.left, (double)flow.left / t->last.time);
        if (isnan(flow.residence))
            cli_say(c, "\n");
        else
            cli_say(c, "; those that came in stayed %.4g (%.4g to %.4g)\n", flow.residence, flow.residence_min,
                    flow.residence_max);
    }
    cli_bed_step_say(c, run);
    cli_say(c, "  %.2f s (search %.2f, solve %.2f, rest %.2f, files %.2f), %.3g ms a step, %.0f MiB\n",
            run->state.time_s, t->time_search_s, t->time_solve_s, t->time_rest_s, run->state.time_files_s,
            t->steps > 0 ? 1e3 * run->state.time_s / (double)t->steps : 0, f->memory / 1048576);
    if (run->request->picture && run->colour_high > 0)
        cli_say(c, "  bed.png: %s of the grains from 0 (pale) to %.4g (dark)\n", run->request->colour,
                run->colour_high);
    if (run->dir != NULL)
        cli_say(c, "  %s: trajectory.h5 and .xdmf with %ld frames, summary.json, checkpoint.h5%s\n", run->dir,
                t->frames, run->request->picture ? ", bed.png, energy.svg" : "");
}

// The velocity profile of a flow: mean downward speed in rings and layers, as a table.
static int save_profile(const cli* c, const cli_bed_run* run) {
    enum { LINE = 200 };
    int layers, rings;
    double low, high, radius;
    const double* speed;
    const long* count;
    sti_recirculation_profile(run->of->flow, &layers, &rings, &speed, &count);
    sti_recirculation_extent(run->of->flow, &low, &high, &radius);
    const size_t cells = (size_t)layers * (size_t)rings, room = (cells + 1) * LINE;
    char *text = malloc(room), *path = cli_run_path(run->dir, "profile.csv");
    int code = CLI_DONE;
    if (text == NULL || path == NULL) {
        code = cli_fail_memory(c);
    } else {
        size_t at =
            (size_t)snprintf(text, room, "layer,ring,height,radius,count,speed_down\n");  // middles of the cells
        for (size_t k = 0; k < cells; k++) {
            const size_t layer = k / (size_t)rings, ring = k % (size_t)rings;
            at += (size_t)snprintf(text + at, room - at, "%zu,%zu,%.9g,%.9g,%ld,%.17g\n", layer, ring,
                                   low + (high - low) * ((double)layer + 0.5) / layers,
                                   radius * ((double)ring + 0.5) / rings, count[k],
                                   count[k] > 0 ? speed[k] / (double)count[k] : 0.0);
        }
        code = cli_write_file(c, path, text, at);
        if (code == CLI_USAGE) code = CLI_INTERNAL;
    }
    free(text);
    free(path);
    return code;
}

int cli_bed_report(const cli* c, const cli_bed_run* run) {
    facts f;
    if (find_facts(c, run, &f) != STI_OK) return cli_fail_memory(c);
    int code = run->dir != NULL && run->of->flow != NULL ? save_profile(c, run) : CLI_DONE;
    if (code != CLI_DONE) return code;
    cli_json j;
    fill_json(&j, c, run, &f);
    code = cli_run_summary(c, run->dir, &j);
    if (code == CLI_DONE && !c->json) say(c, run, &f);
    return code;
}

// ---- pictures

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// Values as colours, from 0 to what one grain in a hundred exceeds.
static bool color_values(const double* value, int count, double* high_of, unsigned char* color) {
    double* sorted = malloc((size_t)count * sizeof *sorted);
    if (sorted == NULL) return false;
    memcpy(sorted, value, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    const double high = *high_of = sorted[(size_t)(0.99 * (count - 1))];
    for (int k = 0; k < count; k++) sti_color_of_value(high > 0 ? value[k] / high : 0, color + 3 * (size_t)k);
    free(sorted);
    return true;
}

// Bands of the layers that grains started in, from below.
static void color_layers(const sti_grains* g, unsigned char* color) {
    enum { BANDS = 7 };
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < g->count; k++) {
        low = fmin(low, g->x[3 * (size_t)k + 2]);
        high = fmax(high, g->x[3 * (size_t)k + 2]);
    }
    for (int k = 0; k < g->count; k++) {
        const double at = high > low ? (g->x[3 * (size_t)k + 2] - low) / (high - low) : 0;
        sti_color_of_class((int)fmin(BANDS - 1, floor(BANDS * at)), color + 3 * (size_t)k);
    }
}

static bool color_grains(cli_bed_run* run, double* scratch, unsigned char* color) {
    const char* by = run->request->colour != NULL ? run->request->colour : "layer";
    const int n = run->of->grains->count;
    if (strcmp(by, "layer") == 0) {
        color_layers(run->of->grains, color);
        return true;
    }
    if (strcmp(by, "force") == 0) return color_values(run->force, n, &run->colour_high, color);
    sti_bed_get(run->of->bed, NULL, scratch, NULL);
    for (int k = 0; k < n; k++) {
        const double* v = scratch + 3 * (size_t)k;
        scratch[k] = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return color_values(scratch, n, &run->colour_high, color);
}

static int draw_bed(const cli* c, cli_bed_run* run) {
    const size_t n = (size_t)run->of->grains->count;
    double* x = malloc(3 * n * sizeof *x);
    unsigned char* color = malloc(3 * n);
    char* path = cli_run_path(run->dir, "bed.png");
    int code = CLI_DONE;
    if (x == NULL || color == NULL || path == NULL || !color_grains(run, x, color)) {
        code = cli_fail_memory(c);
    } else {
        sti_bed_view view = sti_bed_view_default();
        view.width = 900;  // beds are tall
        sti_image image;
        cli_run_size(c, run->request, &view.width, &view.height);
        sti_bed_get(run->of->bed, x, NULL, NULL);
        sti_status status = sti_draw_bed(c->env, run->of->grains, x, color, &view, &image);
        if (status == STI_OK) {
            status = sti_image_save(c->env, &image, path);
            sti_image_clear(c->env, &image);
        }
        if (status != STI_OK) code = cli_run_fail_output(c);
    }
    free(x);
    free(color);
    free(path);
    return code;
}

// Kinetic energy over time, on a scale of powers of ten.
static int draw_energy(const cli* c, const cli_bed_run* run) {
    const size_t rows = run->curve_rows;
    double* t = malloc(2 * (rows + 1) * sizeof *t);
    char* path = cli_run_path(run->dir, "energy.svg");
    if (t == NULL || path == NULL) {
        free(t);
        free(path);
        return cli_fail_memory(c);
    }
    double* E = t + rows + 1;
    const double high = run->of->peak_kinetic > 0 ? run->of->peak_kinetic : 1;
    double low = high;
    int count = 0;
    for (size_t k = 0; k < rows; k++) {
        const double value = run->curve[2 * k + 1];
        if (!(value > 1e-12 * high)) continue;
        t[count] = run->curve[2 * k];
        E[count++] = value;
        low = fmin(low, value);
    }
    char title[120];
    snprintf(title, sizeof title, "%d grains, h = %g, %s by %s", run->of->grains->count, run->of->scene->step.h,
             sti_law_text(run->of->scene->step.law), cli_bed_solver_name(run));
    cli_svg s;
    cli_svg_begin(&s, &(cli_svg_axes){.title = title,
                                      .x_label = "t",
                                      .y_label = "kinetic energy",
                                      .x_low = 0,
                                      .x_high = run->of->last.time,
                                      .y_low = low,
                                      .y_high = 2 * high,
                                      .y_log = true});
    cli_svg_polyline(&s, t, E, count, cli_svg_color(0), 1.6);
    int code = cli_svg_save(&s, c, path);
    if (code == CLI_USAGE) code = CLI_INTERNAL;
    free(t);
    free(path);
    return code;
}

int cli_bed_pictures(const cli* c, cli_bed_run* run) {
    if (cli_bed_by_force(run) && run->force == NULL)
        return cli_fail_usage(c, "--colour: force: the run was over and has made no step, so there are no forces");
    const int code = draw_bed(c, run);
    return code == CLI_DONE ? draw_energy(c, run) : code;
}
