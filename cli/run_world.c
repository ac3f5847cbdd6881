// run_world.c: stiction run with a scene of bodies: from its start to the end, step by step.
#include "run_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_check.h"

// ---- options

// An option that bodies do not know, and that was given; NULL: none.
static const char* alien_option(const cli_run_request* r, const cli_system_request* own) {
    return own->scheme != NULL     ? "--scheme"
           : own->geometry != NULL ? "--geometry"
           : own->facets > 0       ? "--facets"
           : own->printed          ? "--printed"
           : own->settle           ? "--settle"
           : r->law != NULL        ? "--law"
           : r->jamming            ? "--jamming"
                                   : NULL;
}

static void add_number(char* text, size_t size, const char* name, double value) {
    const size_t at = strlen(text);
    if (value > 0) snprintf(text + at, size - at, "%s%s=%.17g", at > 0 ? "," : "", name, value);
}

static void add_word(char* text, size_t size, const char* name, const char* word) {
    const size_t at = strlen(text);
    if (word != NULL) snprintf(text + at, size - at, "%s%s=%s", at > 0 ? "," : "", name, word);
}

// Options are settings too: what --set says, then they.
static int gather_settings(const cli* c, cli_world_run* run) {
    const cli_run_request* r = run->request;
    const cli_system_request* own = run->own;
    size_t size = 300;
    if (r->settings != NULL) size += strlen(r->settings);
    if (r->solver != NULL) size += strlen(r->solver);
    if (own->impact != NULL) size += strlen(own->impact);
    run->settings = calloc(size, 1);
    if (run->settings == NULL) return cli_fail_memory(c);
    if (r->settings != NULL) strcpy(run->settings, r->settings);
    add_number(run->settings, size, "step.h", r->step);
    add_number(run->settings, size, "step.alpha", own->alpha);
    add_number(run->settings, size, "step.tol", r->tol);
    add_number(run->settings, size, "time", r->time);
    add_word(run->settings, size, "step.solver", r->solver);
    add_word(run->settings, size, "step.impact", own->impact);
    if (run->settings[0] == '\0' || sti_document_set(run->problem, run->settings) == STI_OK) return CLI_DONE;
    const char *text = sti_env_error(c->env)->text, *name = cli_run_name(r);
    return cli_fail_about(c, strncmp(text, name, strlen(name)) == 0 ? NULL : "--set");
}

// Every step, or as asked; fewer of a scene so large that its frames would fill a fifth of a gigabyte.
static long frame_distance(const cli_world_run* run, long steps) {
    const double h = run->scene->step.h;
    if (run->request->frame > 0) return (long)fmax(1, fmin(floor(run->request->frame / h + 0.5), 1e15));
    const double bytes = 2000.0 * fmax(1, sti_bodies_count(run->scene->bodies)), frames = fmax(100, 2e8 / bytes);
    return (long)ceil((double)steps / frames);
}

// ---- begin

// The text that a later run goes on from: robots are part of it.
static int keep_text(const cli* c, cli_world_run* run) {
    char* text;
    if (sti_world_scene_of(run->problem)->robot_count == 0) return CLI_DONE;
    if (sti_document_text(c->env, run->problem, &text) != STI_OK) return cli_fail_env(c);
    free(run->text);
    run->text = strdup(text);
    sti_env_free(c->env, text);
    if (run->text == NULL) return cli_fail_memory(c);
    run->text_size = strlen(run->text);
    return CLI_DONE;
}

int cli_world_checker(const cli* c, cli_world_run* run) {
    sti_run_verify_options options = sti_run_verify_options_default();
    if (run->request->no_check) return CLI_DONE;
    options.tol = cli_checks_tol(run->scene->step.tol);
    options.bodies = run->scene->bodies;
    return sti_run_checker_create(c->env, &options, &run->checker) == STI_OK ? CLI_DONE : cli_fail_env(c);
}

static int begin(const cli* c, cli_world_run* run, const char* name) {
    const cli_run_request* r = run->request;
    const char* alien = alien_option(r, run->own);
    if (alien != NULL) return cli_fail_usage(c, "%s: not for bodies, and %.200s is a scene of bodies", alien, name);
    if (r->colour != NULL && strcmp(r->colour, "layer") == 0)
        return cli_fail_usage(c, "--colour: layer: for grains, and %.200s is a scene of bodies", name);
    int code = cli_run_read_text(c, name, &run->text, &run->text_size);
    if (code == CLI_DONE) code = keep_text(c, run);
    if (code == CLI_DONE) code = gather_settings(c, run);
    if (code != CLI_DONE) return code;
    run->scene = sti_world_scene_of(run->problem);
    long steps;
    code = cli_run_steps(c, name, run->scene->time, run->scene->step.h, &steps);
    if (code != CLI_DONE) return code;
    if (sti_world_create(c->env, run->scene->bodies, &run->scene->step, &run->world) != STI_OK)
        return cli_fail_about(c, name);
    cli_world_robots_say(c, run->scene);
    code = cli_world_checker(c, run);
    if (code == CLI_DONE && run->checker != NULL &&
        sti_run_checker_look_world(run->checker, run->world, NULL) != STI_OK)
        code = cli_fail_env(c);
    if (code != CLI_DONE) return code;
    double kinetic, potential;
    sti_world_energy(run->world, &kinetic, &potential);
    run->tally.first_energy = kinetic + potential;
    run->tally.last.kinetic = run->tally.peak_kinetic = kinetic;
    run->tally.last.potential = potential;
    run->tally.frame_every = frame_distance(run, steps);
    if (!cli_world_keep_curve(run, kinetic, potential) || !cli_world_keep_shot(run)) return cli_fail_memory(c);
    code = cli_world_view_read(c, run);
    if (code != CLI_DONE || run->dir == NULL) return code;
    code = cli_run_folder(c, run->dir, r->force);
    if (code == CLI_DONE) code = cli_world_record_begin(c, run, NULL, 0);
    if (code == CLI_DONE && sti_world_record_frame(run->record, run->world) != STI_OK) code = cli_run_fail_output(c);
    return code == CLI_DONE ? cli_world_checkpoint(c, run) : code;
}

// ---- steps

// An overlap of the start lasts until it is lifted.
static void add_start(cli_world_tally* t, const sti_world_report* r) {
    if (!(r->given > 0)) return;
    if (r->given > t->start_overlap) {
        t->start_overlap = r->given;
        t->start_a = r->given_a;
        t->start_b = r->given_b;
    }
    t->start_steps++;
    t->start_left = r->penetration;
    if (!(r->penetration < r->given)) return;  // mending in vain is taken back
    t->start_moved += r->corrected;
    t->start_energy += r->mended;
}

static void add_up(cli_world_tally* t, const sti_world_report* r, double accept) {
    t->steps = r->step;
    if (!r->solved && t->unsolved++ == 0) {
        t->first_unsolved = r->step;
        snprintf(t->why, sizeof t->why, "%s", r->why);
    }
    if (!r->solved && r->sound && r->residual <= accept) {
        if (t->accepted++ == 0) t->first_accepted = r->step;
        t->accepted_residual = fmax(t->accepted_residual, r->residual);
    }
    add_start(t, r);
    t->landings += r->landings;
    t->landing_energy += r->landing_energy;
    t->at_rest += r->at_rest;
    t->iterations += r->iterations;
    if (r->iterations > t->most_iterations) t->most_iterations = r->iterations;
    if (r->contacts > t->most_contacts) t->most_contacts = r->contacts;
    if (r->touching > t->most_touching) t->most_touching = r->touching;
    t->impacts += r->impacts;
    t->work += r->work;
    t->mended += r->mended;
    t->gain += fmax(0, r->gain);
    t->worst_gain = fmax(t->worst_gain, r->gain);
    t->impact_energy += r->impact_energy;
    t->impact_gain += r->impact_gain;
    t->peak_kinetic = fmax(t->peak_kinetic, r->kinetic);
    t->worst_residual = fmax(t->worst_residual, r->residual);
    t->worst_penetration = fmax(t->worst_penetration, r->penetration);
    t->worst_drift = fmax(t->worst_drift, r->drift);
    t->worst_corrected = fmax(t->worst_corrected, r->corrected);
    t->time_detect_s += r->time_detect_s;
    t->time_solve_s += r->time_solve_s;
    t->time_rest_s += r->time_rest_s;
    t->last = *r;
}

static int take_step(const cli* c, cli_world_run* run, long steps) {
    cli_world_tally* t = &run->tally;
    sti_world_report report;
    memset(&report, 0, sizeof report);  // checkpoints hold it, with its gaps
    if (sti_world_step(run->world, &report) != STI_OK)
        return cli_run_fail_step(c, cli_run_name(run->request), t->steps + 1, sti_world_time(run->world));
    add_up(t, &report, run->request->accept);
    const double begin_check = cli_now();
    if (run->checker != NULL && sti_run_checker_look_world(run->checker, run->world, &report) != STI_OK)
        return cli_fail_env(c);
    t->time_check_s += cli_now() - begin_check;
    const double begin_files = cli_now();
    if (!cli_world_keep_curve(run, report.kinetic, report.potential)) return cli_fail_memory(c);
    const double part = (double)t->steps / (double)steps;
    if (run->shots < CLI_WORLD_SHOTS && part * (CLI_WORLD_SHOTS - 1) >= run->shots && !cli_world_keep_shot(run))
        return cli_fail_memory(c);
    int code = cli_world_picture_at(c, run);
    if (code == CLI_DONE && run->csv != NULL) code = cli_world_csv_line(c, run);
    if (code == CLI_DONE && run->contacts != NULL) code = cli_world_contacts_lines(c, run);
    if (code == CLI_DONE && run->record != NULL) {
        sti_status status = sti_world_record_step(run->record, &report);
        if (status == STI_OK && t->steps % t->frame_every == 0)
            status = sti_world_record_frame(run->record, run->world);
        if (status != STI_OK) code = cli_run_fail_output(c);
    }
    t->time_files_s += cli_now() - begin_files;
    return code;
}

static void show(const cli* c, cli_run_progress* p, const cli_world_run* run, long steps) {
    const sti_world_report* last = &run->tally.last;
    char text[160];
    snprintf(text, sizeof text, "t %.4g  E %.4e  residual %.1e  %d contacts", last->time,
             last->kinetic + last->potential, last->residual, last->contacts);
    cli_run_progress_show(c, p, (double)run->tally.steps / (double)steps, text);
}

static int work(const cli* c, cli_world_run* run) {
    long steps;
    int code = cli_run_steps(c, cli_run_name(run->request), run->scene->time, run->scene->step.h, &steps);
    if (code != CLI_DONE) return code;
    const double before = run->tally.time_s, start = cli_now();
    double saved = start;
    cli_run_progress progress = cli_run_progress_begin((double)run->tally.steps / (double)steps);
    run->begun = run->tally.steps;
    run->end = CLI_WORLD_TIME;
    while (code == CLI_DONE && run->tally.steps < steps) {
        if (cli_run_stopped()) {
            run->end = CLI_WORLD_STOPPED;
            break;
        }
        code = take_step(c, run, steps);
        run->tally.time_s = before + cli_now() - start;
        if (code == CLI_DONE) show(c, &progress, run, steps);
        if (code == CLI_DONE && run->record != NULL && cli_now() - saved > run->request->checkpoint) {
            code = cli_world_checkpoint(c, run);
            saved = cli_now();
        }
    }
    cli_run_progress_clear(&progress);
    // what a later run goes on from; the last frame, where it is none of the regular ones, comes after that
    if (code == CLI_DONE && run->record != NULL) code = cli_world_checkpoint(c, run);
    if (code == CLI_DONE && run->record != NULL && run->tally.steps % run->tally.frame_every != 0) {
        sti_status status = sti_world_record_frame(run->record, run->world);
        if (status == STI_OK) status = sti_world_record_commit(run->record, true);
        if (status != STI_OK) code = cli_run_fail_output(c);
    }
    run->tally.time_s = before + cli_now() - start;
    return code;
}

// Is there anything that the exit code ought to tell?
static bool falls_short(const cli_world_run* run) {
    sti_run_verification v;
    if (run->end == CLI_WORLD_STOPPED || run->tally.unsolved > run->tally.accepted) return true;
    if (run->checker == NULL) return false;
    sti_run_checker_result(run->checker, &v);
    for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) {
        if (i != STI_RUN_SOLVED && !v.check[i].holds) return true;
    }
    return false;
}

static int close_tables(const cli* c, cli_world_run* run, int code) {
    const char* const path[] = {run->request->csv, run->request->contacts};
    FILE** const table[] = {&run->csv, &run->contacts};
    for (int k = 0; k < 2; k++) {
        const int closed = *table[k] != NULL ? cli_run_csv_close(c, path[k], table[k]) : CLI_DONE;
        if (code == CLI_DONE) code = closed;
    }
    return code;
}

int cli_run_world(cli* c, const cli_run_request* request, const cli_system_request* own, sti_document* problem,
                  const char* name) {
    cli_world_run run = {.request = request,
                         .own = own,
                         .dir = request->resume != NULL ? request->resume : request->out,
                         .problem = problem};
    int code = name != NULL ? begin(c, &run, name) : cli_world_restore(c, &run);
    if (code == CLI_DONE && name == NULL) code = cli_world_view_read(c, &run);
    if (code == CLI_DONE) code = cli_world_picture_at(c, &run);
    if (code == CLI_DONE && request->csv != NULL) code = cli_world_csv_open(c, &run);
    if (code == CLI_DONE && request->contacts != NULL) code = cli_world_contacts_open(c, &run);
    if (code == CLI_DONE) code = work(c, &run);
    code = close_tables(c, &run, code);
    if (code == CLI_DONE && request->problem != NULL) code = cli_world_save_problem(c, &run);
    if (code == CLI_DONE && request->picture) code = cli_world_pictures(c, &run);
    if (code == CLI_DONE) code = cli_world_report(c, &run);
    if (code == CLI_DONE && falls_short(&run)) code = CLI_NO;
    sti_world_record_destroy(run.record);
    sti_run_checker_destroy(run.checker);
    sti_world_destroy(run.world);
    sti_document_destroy(run.problem);
    free(run.text);
    free(run.settings);
    free(run.curve);
    free(run.shot);
    return code;
}
