// run_world.c: stiction run with a scene of bodies: options as settings, and what is done with the run.
#include "run_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_check.h"

// ---- options

// An option that bodies do not know, and that was given; NULL: none.
static const char* alien_option(const cli_run_request* r, const cli_system_request* own) {
    return own->scheme != NULL        ? "--scheme"
           : own->geometry != NULL    ? "--geometry"
           : own->facets > 0          ? "--facets"
           : own->printed             ? "--printed"
           : own->settle              ? "--settle"
           : own->stiffness.count > 0 ? "--stiffness"
           : r->law != NULL           ? "--law"
           : r->jamming               ? "--jamming"
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
static int gather_settings(const cli* c, cli_world_run* run, sti_document* problem) {
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
    add_number(run->settings, size, "step.exponent", own->exponent);
    add_number(run->settings, size, "step.index", (double)own->index);
    if (run->settings[0] == '\0' || sti_document_set(problem, run->settings) == STI_OK) return CLI_DONE;
    const char *text = sti_env_error(c->env)->text, *name = cli_run_name(r);
    return cli_fail_about(c, strncmp(text, name, strlen(name)) == 0 ? NULL : "--set");
}

// ---- begin

int cli_world_text(const cli* c, const char* scene, const sti_document* problem, char** text, size_t* size) {
    char* whole;
    if (sti_world_scene_of(problem)->robot_count == 0) return cli_run_read_text(c, scene, text, size);
    if (sti_document_text(c->env, problem, &whole) != STI_OK) return cli_fail_env(c);
    *text = strdup(whole);
    sti_env_free(c->env, whole);
    if (*text == NULL) return cli_fail_memory(c);
    *size = strlen(*text);
    return CLI_DONE;
}

static int begin(const cli* c, cli_world_run* run, sti_document* problem, sti_simulation** out) {
    const cli_run_request* r = run->request;
    const char* alien = alien_option(r, run->own);
    if (alien != NULL) return cli_fail_usage(c, "%s: not for bodies, and %.200s is a scene of bodies", alien, r->scene);
    if (r->colour != NULL && strcmp(r->colour, "layer") == 0)
        return cli_fail_usage(c, "--colour: layer: for grains, and %.200s is a scene of bodies", r->scene);
    sti_run_source source = {.name = r->scene};
    char* text = NULL;
    int code = cli_world_text(c, r->scene, run->problem, &text, &source.size);
    if (code == CLI_DONE) code = gather_settings(c, run, problem);
    source.text = text;
    source.settings = run->settings != NULL && run->settings[0] != '\0' ? run->settings : NULL;
    if (code == CLI_DONE && sti_world_simulation(c->env, &source, out) != STI_OK) code = cli_fail_about(c, r->scene);
    free(text);
    if (code != CLI_DONE) return code;
    const sti_world_scene* scene = sti_world_scene_of(problem);
    cli_world_robots_say(c, scene);
    run->looked = true;
    code = cli_world_view_read(c, run, scene->bodies, 0);
    if (code != CLI_DONE) sti_simulation_destroy(*out);
    return code;
}

// ---- while it goes, and at the end

static void progress_text(const sti_run* run, char* text, size_t size) {
    const sti_world_report* last = &sti_world_run_of(run)->last;
    snprintf(text, size, "t %.4g  E %.4e  residual %.1e  %d contacts", last->time, last->kinetic + last->potential,
             last->residual, last->contacts);
}

static int watch(void* user, const sti_run* run) {
    cli_world_run* w = user;
    int code = CLI_DONE;
    w->of = sti_world_run_of(run);
    if (!w->looked) code = cli_world_view_read(w->c, w, w->of->scene->bodies, sti_world_time(w->of->world));
    w->looked = true;
    return code == CLI_DONE ? cli_world_picture_at(w->c, w) : code;
}

static int save_problem(const cli* c, const cli_world_run* run) {
    char title[300];
    double residual;
    snprintf(title, sizeof title, "step %ld of %.200s, h = %g", run->of->steps,
             run->request->scene != NULL ? run->request->scene : "a resumed run", run->of->scene->step.h);
    return cli_run_save_problem(c, run->run, title, run->of->scene->description, run->request->problem, &residual);
}

// Is there anything that the exit code ought to tell?
static bool falls_short(const cli_world_run* run) {
    sti_run_verification v;
    if (run->state.end == STI_RUN_END_STOPPED || run->of->unsolved > run->of->accepted) return true;
    if (run->of->checker == NULL) return false;
    sti_run_checker_result(run->of->checker, &v);
    for (int i = 0; i < STI_RUN_CHECK_COUNT; i++) {
        if (i != STI_RUN_SOLVED && !v.check[i].holds) return true;
    }
    return false;
}

static int finish(const cli* c, cli_world_run* run) {
    size_t columns;
    sti_run_now(run->run, &run->state);
    run->curve = sti_run_curve(run->run, &run->curve_rows, &columns);
    int code = run->request->problem != NULL ? save_problem(c, run) : CLI_DONE;
    if (code == CLI_DONE && run->request->picture) code = cli_world_pictures(c, run);
    if (code == CLI_DONE) code = cli_world_report(c, run);
    return code == CLI_DONE && falls_short(run) ? CLI_NO : code;
}

int cli_run_world(cli* c, const cli_run_request* request, const cli_system_request* own, sti_document* problem) {
    cli_world_run run = {.c = c,
                         .request = request,
                         .own = own,
                         .dir = request->resume != NULL ? request->resume : request->out,
                         .problem = problem};
    cli_run_driver driver = {
        .c = c, .request = request, .text = progress_text, .curve = run.dir != NULL, .watch = watch, .user = &run};
    sti_simulation* simulation = NULL;
    int code = cli_run_problem_name(c, request, false);
    if (code == CLI_DONE && problem != NULL)
        code = begin(c, &run, problem, &simulation);
    else if (code == CLI_DONE && request->check && !cli_run_has_part(c, run.dir, "check"))
        code = cli_fail_usage(c, "--check: the run in %.200s was begun with --no-check", run.dir);
    if (code == CLI_DONE) code = cli_run_drive_by(&driver, simulation, &run.run);
    if (code == CLI_DONE) code = finish(c, &run);
    sti_run_destroy(run.run);
    sti_document_destroy(problem);
    free(run.settings);
    return code;
}
