// run_drive.c: a run of the library, as the command drives it: the folder, progress, signals, and failures in words.
#include <stdlib.h>

#include "run.h"

int cli_run_simulation(const cli* c, const cli_run_request* r, sti_document* problem, cli_run_maker* make,
                       sti_simulation** out) {
    sti_run_source source = {.name = r->scene, .settings = r->settings};
    char* text;
    if (r->settings != NULL && sti_document_set(problem, r->settings) != STI_OK) return cli_fail_about(c, "--set");
    int code = cli_run_read_text(c, r->scene, &text, &source.size);
    source.text = text;
    if (code == CLI_DONE && make(c->env, &source, r, out) != STI_OK) code = cli_fail_about(c, r->scene);
    free(text);
    return code;
}

void cli_run_field(const cli* c, const char* dir, const char* name, char* value, size_t size) {
    sti_store* fields = NULL;
    char* path = cli_run_path(dir, "checkpoint.h5");
    value[0] = '\0';
    if (path != NULL && sti_store_load(c->env, path, &fields) == STI_OK) {
        const char* text = sti_store_text(fields, name);
        snprintf(value, size, "%s", text != NULL ? text : "");
    }
    sti_store_destroy(fields);
    free(path);
}

static bool stopped(void* user) {
    const cli_run_driver* d = user;
    return cli_run_stopped() || d->code != CLI_DONE;
}

static bool interrupted(void* user) {
    (void)user;
    return cli_run_stopped();
}

static void saved(void* user) {
    (void)user;
    cli_run_folder_keep();
}

static void stepped(void* user, const sti_run* run) {
    cli_run_driver* d = user;
    sti_run_state s;
    char text[160];
    if (d->watch != NULL && d->code == CLI_DONE) d->code = d->watch(d->user, run);
    sti_run_now(run, &s);
    if (!d->begun) d->progress = cli_run_progress_begin((double)s.begun / (double)s.last);
    d->begun = true;
    d->text(run, text, sizeof text);
    cli_run_progress_show(d->c, &d->progress, (double)s.steps / (double)s.last, text);
}

static int begin(const cli* c, const cli_run_request* r, sti_simulation* s, sti_run_options* o, sti_run** out) {
    long steps;
    int code = sti_simulation_steps(s, r->time, &steps) == STI_OK ? CLI_DONE : cli_fail_about(c, r->scene);
    if (code == CLI_DONE && r->out != NULL) code = cli_run_folder(c, r->out, r->force);
    if (code != CLI_DONE) {
        sti_simulation_destroy(s);
        return code;
    }
    o->dir = r->out;
    return sti_run_create(c->env, s, o, out) == STI_OK ? CLI_DONE : cli_run_fail_output(c);
}

static sti_run_options options_of(cli_run_driver* d) {
    const cli_run_request* r = d->request;
    sti_run_options o = sti_run_options_default();
    o.time = r->time;
    o.csv = r->csv;
    o.contacts = r->contacts;
    o.attempts = r->attempts;
    o.checkpoint_s = r->checkpoint;
    o.curve = r->picture || d->curve;
    o.frame = r->frame;
    o.accept = r->accept;
    o.no_check = r->no_check;
    o.method = d->method;
    o.jamming_every = r->jamming_every;
    o.jamming_limit_s = r->jamming_limit;
    o.stopped = stopped;
    o.interrupted = interrupted;
    o.stepped = stepped;
    o.saved = saved;
    o.user = d;
    return o;
}

int cli_run_drive_by(cli_run_driver* d, sti_simulation* simulation, sti_run** out) {
    const cli* c = d->c;
    const cli_run_request* r = d->request;
    sti_run_options o = options_of(d);
    *out = NULL;
    int code = CLI_DONE;
    if (simulation != NULL)
        code = begin(c, r, simulation, &o, out);
    else if (sti_run_resume(c->env, r->resume, &o, out) != STI_OK)
        code = cli_run_fail_output(c);
    if (code == CLI_DONE && d->watch != NULL) code = d->watch(d->user, *out);
    if (code != CLI_DONE) return code;
    const sti_status status = sti_run_go(*out);
    sti_run_state s;
    sti_run_now(*out, &s);
    cli_run_progress_clear(&d->progress);
    if (status == STI_OK) return d->code;
    return s.in_step ? cli_run_fail_step(c, cli_run_name(r), s.steps + 1, s.time) : cli_run_fail_output(c);
}

int cli_run_save_problem(const cli* c, const sti_run* run, const char* title, const char* description, const char* path,
                         double* residual) {
    sti_run_problem p;
    if (sti_run_problem_make(c->env, run, &p) != STI_OK) return cli_fail_about(c, "--problem");
    const sti_status status = sti_run_problem_save(c->env, &p, title, description, path);
    if (residual != NULL && p.contact_answer != NULL) *residual = p.contact_answer->residual;
    sti_run_problem_clear(c->env, &p);
    if (status == STI_OK) return CLI_DONE;
    const int code = cli_fail_about(c, "--problem");
    return status == STI_ERR_IO ? CLI_INTERNAL : code;
}

int cli_run_save_last(const cli* c, const sti_run* run, const cli_run_request* r) {
    return r->problem != NULL ? cli_run_save_problem(c, run, NULL, NULL, r->problem, NULL) : CLI_DONE;
}

int cli_run_drive(const cli* c, const cli_run_request* r, sti_simulation* simulation, cli_run_text* text,
                  sti_run** out) {
    cli_run_driver d = {.c = c, .request = r, .text = text};
    return cli_run_drive_by(&d, simulation, out);
}
