// run_bed.c: stiction run with a bed of grains: options as settings, and what is done with the run.
#include "run_bed.h"

#include <stdlib.h>
#include <string.h>

// ---- options

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

// An option that stands for a setting; value "": not given.
typedef struct setting {
    const char *option, *name;
    char value[80];
} setting;

enum { SETTINGS = 5 };

static setting number(const char* option, const char* name, double value) {
    setting s = {.option = option, .name = name};
    if (value > 0) snprintf(s.value, sizeof s.value, "%.17g", value);
    return s;
}

static setting word(const char* option, const char* name, const char* value) {
    setting s = {.option = option, .name = name};
    if (value != NULL) snprintf(s.value, sizeof s.value, "%s", value);
    return s;
}

// What --set says, then the options; each is tried on the scene for its own message.
static int gather_settings(const cli* c, const cli_run_request* r, const sti_bed_scene* from, char** out) {
    const setting list[SETTINGS] = {number("--time", "time", r->time), number("--step", "h", r->step),
                                    number("--tol", "tol", r->tol), word("--law", "law", r->law),
                                    word("--solver", "solver", cli_bed_tao_named(r->solver) ? NULL : r->solver)};
    sti_bed_scene scene = *from;
    size_t size = SETTINGS * (sizeof list[0].value + 20) + (r->settings != NULL ? strlen(r->settings) : 0), at = 0;
    char* text = *out = calloc(size, 1);
    if (text == NULL) return cli_fail_memory(c);
    if (r->settings != NULL) at += (size_t)snprintf(text, size, "%s", r->settings);
    for (int k = 0; k < SETTINGS; k++) {
        const setting* s = &list[k];
        if (s->value[0] == '\0') continue;
        if (is_set(r->settings, s->name))
            return cli_fail_usage(c, "%s: given twice, --set has %s too", s->option, s->name);
        if (sti_bed_scene_set(c->env, &scene, s->name, s->value) != STI_OK) return cli_fail_about(c, s->option);
        at += (size_t)snprintf(text + at, size - at, "%s%s=%s", at > 0 ? "," : "", s->name, s->value);
    }
    return CLI_DONE;
}

static int begin(const cli* c, const cli_run_request* r, const sti_bed_scene* scene, sti_simulation** out) {
    sti_run_source source = {.name = r->scene};
    char *text = NULL, *settings = NULL;
    int code = gather_settings(c, r, scene, &settings);
    if (code == CLI_DONE) code = cli_run_read_text(c, r->scene, &text, &source.size);
    source.text = text;
    source.settings = settings != NULL && settings[0] != '\0' ? settings : NULL;
    if (code == CLI_DONE && sti_bed_simulation(c->env, &source, out) != STI_OK) code = cli_fail_about(c, r->scene);
    free(text);
    free(settings);
    return code;
}

// ---- while it goes, and at the end

static void progress_text(const sti_run* run, char* text, size_t size) {
    const sti_bed_report* last = &sti_bed_run_of(run)->last;
    snprintf(text, size, "t %.4g  E %.3e  residual %.1e  %d contacts", last->time, last->kinetic, last->residual,
             last->contacts);
}

// A question without an answer costs neither files nor summary.
static int watch(void* user, const sti_run* run) {
    cli_bed_run* w = user;
    w->of = sti_bed_run_of(run);
    sti_run_now(run, &w->state);
    if (!w->state.over) return CLI_DONE;
    w->step_code = cli_bed_last_step(w->c, w, run);
    return CLI_DONE;
}

static int finish(const cli* c, cli_bed_run* run) {
    size_t columns;
    sti_run_now(run->run, &run->state);
    run->of = sti_bed_run_of(run->run);
    run->curve = sti_run_curve(run->run, &run->curve_rows, &columns);
    if (run->state.steps == run->state.begun && run->step_code != CLI_DONE)
        return run->step_code;  // nothing was done that could be lost
    int code = run->request->picture ? cli_bed_pictures(c, run) : CLI_DONE;
    if (code == CLI_DONE) code = cli_bed_report(c, run);
    if (code == CLI_DONE) code = run->step_code;
    const bool short_of = run->state.end == STI_RUN_END_STOPPED || run->of->unsolved > run->of->accepted;
    return code == CLI_DONE && short_of ? CLI_NO : code;
}

int cli_run_bed(cli* c, const cli_run_request* request, const sti_bed_scene* scene) {
    cli_bed_run run = {.c = c, .request = request, .dir = request->resume != NULL ? request->resume : request->out};
    cli_run_driver driver = {
        .c = c, .request = request, .text = progress_text, .curve = run.dir != NULL, .watch = watch, .user = &run};
    char solver[40] = "";
    sti_simulation* simulation = NULL;
    sti_bed_method method;
    int code = cli_run_problem_name(c, request, false);
    if (scene == NULL)
        cli_run_field(c, run.dir, "grains.method", solver, sizeof solver);
    else if (cli_bed_tao_named(request->solver))
        snprintf(solver, sizeof solver, "%s", request->solver);
    if (code == CLI_DONE && scene != NULL) code = begin(c, request, scene, &simulation);
    if (code == CLI_DONE && solver[0] != '\0') {
        code = cli_bed_tao_begin(c, solver, &method);
        driver.method = &method;
    }
    if (code != CLI_DONE)
        sti_simulation_destroy(simulation);
    else
        code = cli_run_drive_by(&driver, simulation, &run.run);
    if (code == CLI_DONE) code = finish(c, &run);
    sti_run_destroy(run.run);
    cli_bed_tao_end();
    sti_bed_jamming_clear(c->env, &run.jamming);
    free(run.force);
    free(run.ends);
    return code;
}
