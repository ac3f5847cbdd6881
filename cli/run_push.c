// run_push.c: stiction run with a scene of parts and probes: step by step, each one checked, until the end or a jam.
#include "run_push.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cli_push_load(const cli* c, cli_push_run* run, const char* name) {
    if (sti_document_parse(c->env, run->text, run->text_size, name, &run->problem) != STI_OK) return cli_fail_env(c);
    if (sti_manipulation_of(run->problem) == NULL)
        return cli_fail_usage(c, "%.200s: kind: %s: \"manipulation\" expected", name,
                              sti_kind_text(sti_document_kind(run->problem)));
    if (run->settings != NULL && sti_document_set(run->problem, run->settings) != STI_OK)
        return cli_fail_about(c, "--set");
    run->scene = sti_manipulation_of(run->problem);
    if (!(run->h > 0)) run->h = run->request->step > 0 ? run->request->step : sti_manipulation_step(run->scene);
    if (sti_push_create(c->env, run->scene, run->h, &run->push) != STI_OK) return cli_fail_about(c, name);
    run->before = calloc(3 * (size_t)sti_manipulation_part_count(run->scene), sizeof *run->before);
    return run->before != NULL ? CLI_DONE : cli_fail_memory(c);
}

static int refuse_options(const cli* c, const cli_run_request* r, const char* name) {
    const char* alien = r->law != NULL       ? "--law"
                        : r->solver != NULL  ? "--solver"
                        : r->tol > 0         ? "--tol"
                        : r->frame > 0       ? "--frame"
                        : r->colour != NULL  ? "--colour"
                        : r->problem != NULL ? "--problem"
                        : r->jamming         ? "--jamming"
                        : r->accept > 0      ? "--accept"
                                             : NULL;
    return alien == NULL ? CLI_DONE
                         : cli_fail_usage(c, "%s: not for parts and probes, and %.200s has these", alien, name);
}

static int begin(const cli* c, cli_push_run* run, const char* name) {
    const cli_run_request* r = run->request;
    int code = refuse_options(c, r, name);
    if (code == CLI_DONE && r->settings != NULL) {
        run->settings = strdup(r->settings);
        if (run->settings == NULL) code = cli_fail_memory(c);
    }
    if (code == CLI_DONE) code = cli_run_read_text(c, name, &run->text, &run->text_size);
    if (code == CLI_DONE) code = cli_push_load(c, run, name);
    if (code != CLI_DONE) return code;
    const double time =
        r->time > 0 ? r->time : (double)sti_manipulation_steps(run->scene) * sti_manipulation_step(run->scene);
    code = cli_run_steps(c, name, time, run->h, &run->last_step);
    if (code == CLI_DONE && run->dir != NULL) code = cli_run_folder(c, run->dir, r->force);
    if (code == CLI_DONE && run->dir != NULL) code = cli_push_record_begin(c, run, NULL, 0);
    if (code == CLI_DONE && run->dir != NULL) code = cli_push_record_step(c, run, NULL);
    return code == CLI_DONE && run->dir != NULL ? cli_push_checkpoint(c, run) : code;
}

// ---- steps

static bool keep_curve(cli_push_run* run) {
    const size_t n = 3 * (size_t)sti_manipulation_part_count(run->scene);
    double* row = cli_run_curve_row(&run->curve, &run->curve_room, 1 + n, run->curve_rows);
    if (row == NULL) return false;
    run->curve_rows++;
    row[0] = sti_push_time(run->push);
    memcpy(row + 1, sti_push_q(run->push), n * sizeof *row);
    return true;
}

// "probe stick, slot slide+" of the contacts that are closed.
static void modes_text(const cli_push_run* run, const sti_push_report* r, char* text) {
    size_t at = 0;
    text[0] = '\0';
    for (int i = 0; i < r->contact_count && at + 1 < CLI_PUSH_MODES; i++) {
        char name[100];
        if (r->forces[i].mode == STI_PUSH_OPEN) continue;
        sti_manipulation_contact_text(run->scene, &r->contacts[i], name, sizeof name);
        at += (size_t)snprintf(text + at, CLI_PUSH_MODES - at, "%s%s %s", at > 0 ? ", " : "", name,
                               sti_push_mode_text(r->forces[i].mode));
    }
}

static bool keep_phase(cli_push_run* run, const sti_push_report* r) {
    cli_push_phase now = {.first = r->step - 1, .last = r->step - 1};
    modes_text(run, r, now.modes);
    if (run->phase_count > 0 && strcmp(run->phases[run->phase_count - 1].modes, now.modes) == 0) {
        run->phases[run->phase_count - 1].last = now.last;
        return true;
    }
    if (run->phase_count == run->phase_room) {
        const size_t room = 2 * run->phase_room + 16;
        cli_push_phase* more = realloc(run->phases, room * sizeof *more);
        if (more == NULL) return false;
        run->phases = more;
        run->phase_room = room;
    }
    run->phases[run->phase_count++] = now;
    return true;
}

static int check_step(const cli* c, cli_push_run* run, double t) {
    sti_push_verification v;
    if (run->request->no_check || run->report.end == STI_PUSH_UNKNOWN) return CLI_DONE;
    if (sti_verify_push(c->env, run->scene, t, run->h, run->before, sti_push_q(run->push), &run->report, 1e-7, &v) !=
        STI_OK)
        return cli_fail_env(c);
    run->tally.worst_check = fmax(run->tally.worst_check, v.worst);
    if (v.accepted || run->refuted) return CLI_DONE;
    run->refuted = true;
    snprintf(run->check, sizeof run->check, "step %ld: %.200s", run->tally.steps + 1, v.text);
    return CLI_DONE;
}

static int take_step(const cli* c, cli_push_run* run) {
    const double t = sti_push_time(run->push);
    sti_push_report* r = &run->report;
    memcpy(run->before, sti_push_q(run->push),
           3 * (size_t)sti_manipulation_part_count(run->scene) * sizeof *run->before);
    if (sti_push_step(run->push, r) != STI_OK)
        return cli_run_fail_step(c, cli_run_name(run->request), run->tally.steps + 1, t);
    int code = check_step(c, run, t);
    if (r->contact_count > run->tally.most_contacts) run->tally.most_contacts = r->contact_count;
    if (r->end != STI_PUSH_MOVED) {
        run->end = CLI_PUSH_JAMMED;
        return code;
    }
    run->tally.steps = r->step;
    run->tally.worst_residual = fmax(run->tally.worst_residual, r->residual);
    run->tally.worst_penetration = fmax(run->tally.worst_penetration, r->penetration);
    run->tally.dissipation += r->dissipation;
    if (!keep_phase(run, r) || (run->request->picture && !keep_curve(run))) return cli_fail_memory(c);
    if (code == CLI_DONE) code = cli_push_tables_line(c, run, r);
    return code == CLI_DONE && run->record != NULL ? cli_push_record_step(c, run, r) : code;
}

static int work(const cli* c, cli_push_run* run) {
    const double before = run->tally.time_s, start = cli_now();
    double saved = start;
    int code = CLI_DONE;
    cli_run_progress progress = cli_run_progress_begin((double)run->tally.steps / (double)run->last_step);
    run->begun = run->tally.steps;
    run->end = CLI_PUSH_TIME;
    while (code == CLI_DONE && run->tally.steps < run->last_step && run->end == CLI_PUSH_TIME) {
        if (cli_run_stopped()) {
            run->end = CLI_PUSH_STOPPED;
            break;
        }
        code = take_step(c, run);
        run->tally.time_s = before + cli_now() - start;
        char text[120];
        snprintf(text, sizeof text, "t %.4g  %d contacts  residual %.1e", sti_push_time(run->push),
                 run->report.contact_count, run->tally.worst_residual);
        if (code == CLI_DONE)
            cli_run_progress_show(c, &progress, (double)run->tally.steps / (double)run->last_step, text);
        if (code == CLI_DONE && run->record != NULL && cli_now() - saved > run->request->checkpoint) {
            code = cli_push_checkpoint(c, run);
            saved = cli_now();
        }
    }
    cli_run_progress_clear(&progress);
    if (code == CLI_DONE && run->record != NULL) code = cli_push_checkpoint(c, run);
    run->tally.time_s = before + cli_now() - start;
    return code;
}

static void clear(cli_push_run* run) {
    sti_recording_close(run->record);
    sti_push_destroy(run->push);
    sti_document_destroy(run->problem);
    free(run->text);
    free(run->settings);
    free(run->before);
    free(run->curve);
    free(run->phases);
}

static int close_tables(const cli* c, cli_push_run* run, int code) {
    const int first = run->csv != NULL ? cli_run_csv_close(c, run->request->csv, &run->csv) : CLI_DONE;
    const int second = run->contacts != NULL ? cli_run_csv_close(c, run->request->contacts, &run->contacts) : CLI_DONE;
    return code != CLI_DONE ? code : first != CLI_DONE ? first : second;
}

int cli_run_push(cli* c, const cli_run_request* request, const char* name) {
    cli_push_run run = {.request = request, .dir = request->resume != NULL ? request->resume : request->out};
    int code = name != NULL ? begin(c, &run, name) : cli_push_restore(c, &run);
    if (code == CLI_DONE && request->picture && !keep_curve(&run)) code = cli_fail_memory(c);
    if (code == CLI_DONE) code = cli_push_tables_open(c, &run);
    if (code == CLI_DONE) code = work(c, &run);
    code = close_tables(c, &run, code);
    if (code == CLI_DONE && request->picture) code = cli_push_picture(c, &run);
    if (code == CLI_DONE) code = cli_push_report(c, &run);
    if (code == CLI_DONE && (run.end != CLI_PUSH_TIME || run.refuted)) code = CLI_NO;
    clear(&run);
    return code;
}
