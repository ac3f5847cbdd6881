// run_bed.c: stiction run with a bed of grains: from the scene to its end, step by step.
#include "run_bed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the scene, with what the options change

static int set_one(const cli* c, sti_scene* scene, const char* option, const char* name, const char* value) {
    return sti_scene_set(c->env, scene, name, value) == STI_OK ? CLI_DONE : cli_fail_about(c, option);
}

static int set_number(const cli* c, sti_scene* scene, const char* option, const char* name, double value) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return set_one(c, scene, option, name, text);
}

// Is there a setting "name=.." or "section.name=.."?
static bool is_set(const char* settings, const char* name) {
    const size_t size = strlen(name);
    for (const char* item = settings; item != NULL && *item != '\0';) {
        const char *equals = strchr(item, '='), *comma = strchr(item, ',');
        if (equals != NULL && (comma == NULL || equals < comma) && (size_t)(equals - item) >= size &&
            strncmp(equals - size, name, size) == 0 && (equals - size == item || equals[-1 - (long)size] == '.'))
            return true;
        item = comma != NULL ? comma + 1 : NULL;
    }
    return false;
}

// An option whose name --set has as well; NULL: none.
static const char* given_twice(const cli_run_request* r, const char** name) {
    const char* const option[] = {"--time", "--step", "--tol", "--law", "--solver"};
    const char* const setting[] = {"time", "h", "tol", "law", "solver"};
    const bool given[] = {r->time > 0, r->step > 0, r->tol > 0, r->law != NULL, r->solver != NULL};
    for (int k = 0; k < 5; k++) {
        *name = setting[k];
        if (given[k] && is_set(r->settings, setting[k])) return option[k];
    }
    return NULL;
}

static int apply_request(const cli* c, const cli_run_request* r, sti_scene* scene) {
    const char *name, *twice = given_twice(r, &name);
    if (twice != NULL) return cli_fail_usage(c, "%s: given twice, --set has %s too", twice, name);
    int code = CLI_DONE;
    if (r->time > 0) code = set_number(c, scene, "--time", "time", r->time);
    if (code == CLI_DONE && r->step > 0) code = set_number(c, scene, "--step", "h", r->step);
    if (code == CLI_DONE && r->tol > 0) code = set_number(c, scene, "--tol", "tol", r->tol);
    if (code == CLI_DONE && r->law != NULL) code = set_one(c, scene, "--law", "law", r->law);
    if (code == CLI_DONE && r->solver != NULL && !cli_bed_tao_named(r->solver))
        code = set_one(c, scene, "--solver", "solver", r->solver);
    return code;
}

// A frame now and then: as asked, or a hundred in all, and fewer of a bed so large that they would fill a gigabyte.
static long frame_distance(const cli_bed_run* run, long steps) {
    const double h = run->scene.step.h;
    if (run->request->frame > 0) return (long)fmax(1, fmin(floor(run->request->frame / h + 0.5), 1e15));
    const double bytes = 400.0 * run->grains.count, frames = fmax(2, fmin(100, 1e9 / bytes));
    return (long)ceil((double)steps / frames);
}

// ---- begin

static double start_energy(const sti_grains* g) {
    double energy = 0;
    for (int k = 0; k < g->count; k++) {
        const double *v = g->v + 3 * (size_t)k, *w = g->w + 3 * (size_t)k, *x = g->x + 3 * (size_t)k;
        const double m = g->mass[k], I = 0.4 * m * g->radius[k] * g->radius[k];
        for (int i = 0; i < 3; i++) energy += 0.5 * m * v[i] * v[i] + 0.5 * I * w[i] * w[i] - m * g->gravity[i] * x[i];
    }
    return energy;
}

// Grains that have fallen through the opening come in again within the cylinder.
static int begin_flow(const cli* c, cli_bed_run* run) {
    double radius = 0, inner = INFINITY;
    for (int k = 0; k < run->grains.count; k++) radius = fmax(radius, run->grains.radius[k]);
    for (int k = 0; k < run->grains.wall_count; k++) {
        if (run->grains.walls[k].kind == STI_WALL_CYLINDER) inner = fmin(inner, run->grains.walls[k].radius);
    }
    const sti_status status =
        sti_recirculation_create(c->env, run->bed, -2 * radius, inner - 1.1 * radius, run->scene.bed.seed, &run->flow);
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, run->request->scene);
}

static int begin_record(const cli* c, cli_bed_run* run) {
    char* path = cli_run_path(run->dir, "trajectory.h5");
    if (path == NULL) return cli_fail_memory(c);
    sti_status status = sti_bed_record_create(c->env, path, &run->grains, run->scene_json, NULL, 0, &run->record);
    if (status == STI_OK) status = sti_bed_record_frame(run->record, run->bed, 0);
    run->tally.frames = 1;
    free(path);
    return status == STI_OK ? CLI_DONE : cli_run_fail_output(c);
}

static int begin(const cli* c, cli_bed_run* run) {
    const cli_run_request* r = run->request;
    long steps;
    int code = apply_request(c, r, &run->scene);
    if (code == CLI_DONE) code = cli_run_steps(c, r->scene, run->scene.time, run->scene.step.h, &steps);
    if (code != CLI_DONE) return code;
    snprintf(run->tally.scene, sizeof run->tally.scene, "%s", r->scene);
    if (cli_bed_tao_named(r->solver)) snprintf(run->tally.solver, sizeof run->tally.solver, "%s", r->solver);
    if (sti_scene_grains(c->env, &run->scene, &run->grains) != STI_OK) return cli_fail_about(c, r->scene);
    if (sti_bed_create(c->env, &run->grains, &run->scene.step, &run->bed) != STI_OK) return cli_fail_about(c, r->scene);
    code = cli_bed_tao_begin(c, run);
    if (code != CLI_DONE) return code;
    if (sti_scene_json(c->env, &run->scene, &run->scene_json) != STI_OK) return cli_fail_env(c);
    if (run->scene.bed.recirculate) code = begin_flow(c, run);
    if (code != CLI_DONE) return code;
    run->tally.first_energy = start_energy(&run->grains);
    run->tally.frame_every = frame_distance(run, steps);
    if (run->dir != NULL) code = cli_run_folder(c, run->dir, r->force);
    if (code == CLI_DONE && run->dir != NULL) code = begin_record(c, run);
    return code == CLI_DONE && run->record != NULL ? cli_bed_checkpoint(c, run) : code;
}

// ---- steps

static void add_up(cli_bed_tally* t, const sti_bed_report* step, double accept) {
    t->steps = step->step;
    if (!step->solved && t->unsolved++ == 0) t->first_unsolved = step->step;
    t->deep += !step->sound;
    if (!step->solved && step->sound && step->residual <= accept) {
        if (t->accepted++ == 0) t->first_accepted = step->step;
        t->accepted_residual = fmax(t->accepted_residual, step->residual);
    }
    t->iterations += step->iterations;
    if (step->iterations > t->most_iterations) t->most_iterations = step->iterations;
    if (step->contacts > t->most_contacts) t->most_contacts = step->contacts;
    t->worst_residual = fmax(t->worst_residual, step->residual);
    t->worst_penetration = fmax(t->worst_penetration, fmax(step->penetration, step->overlap));
    t->worst_cone = fmax(t->worst_cone, step->cone_violation);
    t->worst_lift = fmax(t->worst_lift, step->lift);
    t->worst_gap = fmax(t->worst_gap, step->gap);
    t->worst_momentum = fmax(t->worst_momentum, step->momentum);
    t->peak_kinetic = fmax(t->peak_kinetic, step->kinetic);
    t->time_search_s += step->time_search_s;
    t->time_solve_s += step->time_solve_s;
    t->time_rest_s += step->time_rest_s;
    t->last = *step;
}

// ---- the end

// Below this the bed may rest. The mean is that of grains of diameter 1 under 9.81; others have other energies m g d.
static double until(const cli_bed_run* run) {
    const sti_scene_bed* bed = &run->scene.bed;
    const double diameter = bed->radius > 0 ? 2 * bed->radius : 1, gravity = bed->gravity > 0 ? bed->gravity / 9.81 : 1;
    const double mean = run->scene.until_mean * pow(diameter, 4) * gravity;
    return fmax(run->scene.until_kinetic, mean * run->grains.count);
}

// So many steps in a row with little energy are rest: as long as a grain takes to fall by its diameter, for whatever moves
// stands still for a moment where it turns.
static long rest_steps(const cli_bed_run* run) {
    enum { LEAST = 20 };
    const double* g = run->grains.gravity;
    const double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    double radius = 0;
    for (int k = 0; k < run->grains.count; k++) radius = fmax(radius, run->grains.radius[k]);
    const double steps = size > 0 ? ceil(sqrt(4 * radius / size) / run->scene.step.h) : 0;
    return steps > LEAST ? (long)fmin(steps, 1e9) : LEAST;
}

static bool rests(const cli_bed_run* run) {
    return run->tally.peak_kinetic > until(run) && run->tally.quiet >= rest_steps(run);
}

// True: the run is over, and run->end says why.
static bool is_over(cli_bed_run* run, long steps) {
    if (rests(run) && !run->past_rest)
        run->end = CLI_BED_REST;
    else if (run->tally.steps >= steps)
        run->end = CLI_BED_TIME;
    else if (cli_run_stopped())
        run->end = CLI_BED_STOPPED;
    else
        return false;
    return true;
}

// The last frame, where it is none of the regular ones: a run that goes on does so from before it.
static sti_status record_last_frame(cli_bed_run* run) {
    sti_status status = sti_bed_record_commit(run->record, true);
    if (status == STI_OK) status = sti_bed_record_state(run->record, &run->record_state, &run->record_size);
    if (status == STI_OK) status = sti_bed_record_frame(run->record, run->bed, run->tally.steps);
    return status;
}

static int take_step(const cli* c, cli_bed_run* run, long steps) {
    cli_bed_tally* t = &run->tally;
    sti_bed_report report;
    if (sti_bed_step(run->bed, &report) != STI_OK)
        return cli_run_fail_step(c, cli_run_name(run->request), t->steps + 1, t->last.time);
    add_up(t, &report, run->request->accept);
    t->quiet = report.kinetic < until(run) ? t->quiet + 1 : 0;
    run->over = is_over(run, steps);
    t->end = run->end;
    if (!cli_bed_keep_curve(run, report.time, report.kinetic)) return cli_fail_memory(c);
    const double begin_files = cli_now();
    int code = run->csv != NULL ? cli_bed_csv_line(c, run) : CLI_DONE;
    if (code == CLI_DONE && run->record != NULL) {
        sti_status status = sti_bed_record_step(run->record, &report);
        if (status != STI_OK) code = cli_run_fail_output(c);
    }
    // before the last frame, which a run that goes on leaves out
    if (code == CLI_DONE) code = cli_bed_ask(c, run);
    if (code == CLI_DONE && run->record != NULL) {
        sti_status status = STI_OK;
        if (t->steps % t->frame_every == 0)
            status = sti_bed_record_frame(run->record, run->bed, t->steps);
        else if (run->over)
            status = record_last_frame(run);
        if (status != STI_OK) code = cli_run_fail_output(c);
        t->frames = sti_bed_record_frames(run->record);
    }
    t->time_files_s += cli_now() - begin_files;
    if (code == CLI_DONE && run->over) run->step_code = cli_bed_last_step(c, run);
    // after the frame and the questions, which want positions and contacts of one step
    if (code == CLI_DONE && run->flow != NULL && sti_recirculation_apply(run->flow, run->bed, NULL) != STI_OK)
        code = cli_fail_env(c);
    return code;
}

static void show(const cli* c, cli_run_progress* p, const cli_bed_run* run, long steps) {
    const sti_bed_report* last = &run->tally.last;
    char text[160];
    snprintf(text, sizeof text, "t %.4g  E %.3e  residual %.1e  %d contacts", last->time, last->kinetic, last->residual,
             last->contacts);
    cli_run_progress_show(c, p, (double)run->tally.steps / (double)steps, text);
}

static int work(const cli* c, cli_bed_run* run) {
    long steps;
    int code = cli_run_steps(c, cli_run_name(run->request), run->scene.time, run->scene.step.h, &steps);
    if (code != CLI_DONE) return code;
    const double before = run->tally.time_s, start = cli_now();
    double saved = start;
    cli_run_progress progress = cli_run_progress_begin((double)run->tally.steps / (double)steps);
    run->begun = run->tally.steps;
    run->past_rest = run->request->resume != NULL && run->request->time > 0 && run->tally.steps < steps && rests(run);
    run->over = is_over(run, steps);
    if (run->over && run->request->resume != NULL && run->end != CLI_BED_STOPPED) run->end = run->tally.end;
    // a run that is over and does not go on keeps its files as they are
    if (!run->over && run->request->resume != NULL) code = cli_bed_restore_record(c, run);
    if (code == CLI_DONE && !run->over && run->request->csv != NULL) code = cli_bed_csv_open(c, run);
    if (run->over)
        run->step_code = cli_bed_last_step(c, run);  // a run that was over before: it has no step to ask about
    while (code == CLI_DONE && !run->over) {
        code = take_step(c, run, steps);
        run->tally.time_s = before + cli_now() - start;
        if (code == CLI_DONE) show(c, &progress, run, steps);
        if (code == CLI_DONE && run->record != NULL && cli_now() - saved > run->request->checkpoint) {
            code = cli_bed_checkpoint(c, run);
            saved = cli_now();
        }
    }
    cli_run_progress_clear(&progress);
    if (code == CLI_DONE && run->record != NULL) code = cli_bed_checkpoint(c, run);  // what a later run goes on from
    run->tally.time_s = before + cli_now() - start;
    return code;
}

int cli_run_bed(cli* c, const cli_run_request* request, const sti_scene* scene) {
    cli_bed_run run = {.request = request, .dir = request->resume != NULL ? request->resume : request->out};
    if (scene != NULL) run.scene = *scene;
    int code = scene != NULL ? begin(c, &run) : cli_bed_restore(c, &run);
    if (code == CLI_DONE && scene == NULL) code = cli_bed_tao_begin(c, &run);
    if (code == CLI_DONE) code = work(c, &run);
    if (code == CLI_DONE && run.tally.steps == run.begun) code = run.step_code;  // nothing was done that could be lost
    if (run.csv != NULL) {
        const int closed = cli_run_csv_close(c, request->csv, &run.csv);
        if (code == CLI_DONE) code = closed;
    }
    if (code == CLI_DONE && request->picture) code = cli_bed_pictures(c, &run);
    if (code == CLI_DONE) code = cli_bed_report(c, &run);
    if (code == CLI_DONE) code = run.step_code;  // a question without an answer costs neither files nor summary
    if (code == CLI_DONE && (run.end == CLI_BED_STOPPED || run.tally.unsolved > run.tally.accepted)) code = CLI_NO;
    sti_bed_record_destroy(run.record);
    sti_recirculation_destroy(c->env, run.flow);
    sti_bed_destroy(run.bed);
    cli_bed_tao_end();
    sti_grains_clear(c->env, &run.grains);
    sti_env_free(c->env, run.scene_json);
    sti_bed_jamming_clear(c->env, &run.jamming);
    sti_env_free(c->env, run.record_state);
    free(run.force);
    free(run.ends);
    free(run.curve);
    return code;
}
