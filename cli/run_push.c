// run_push.c: stiction run with a scene of parts and probes, until the end or a jam.
#include "run_push.h"

#include <stiction/io.h>

static int refuse_options(const cli* c, const cli_run_request* r, const char* name) {
    const char* alien = r->law != NULL        ? "--law"
                        : r->solver != NULL   ? "--solver"
                        : r->tol > 0          ? "--tol"
                        : r->frame > 0        ? "--frame"
                        : r->colour != NULL   ? "--colour"
                        : r->jamming          ? "--jamming"
                        : r->accept > 0       ? "--accept"
                        : r->attempts != NULL ? "--attempts"
                                              : NULL;
    return alien == NULL ? CLI_DONE
                         : cli_fail_usage(c, "%s: not for parts and probes, and %.200s has these", alien, name);
}

static void progress_text(const sti_run* run, char* text, size_t size) {
    const sti_push_run* of = sti_push_run_of(run);
    snprintf(text, size, "t %.4g  %d contacts  residual %.1e", sti_push_time(of->push), of->report.contact_count,
             of->residual);
}

static sti_status make(sti_env* env, const sti_run_source* source, const cli_run_request* r, sti_simulation** out) {
    return sti_push_simulation(env, source, r->step, out);
}

static int finish(const cli* c, cli_push_run* run) {
    size_t columns;
    sti_run_now(run->run, &run->state);
    run->of = sti_push_run_of(run->run);
    run->scene = run->of->scene;
    run->push = run->of->push;
    run->curve = sti_run_curve(run->run, &run->curve_rows, &columns);
    int code = cli_run_save_last(c, run->run, run->request);
    if (code == CLI_DONE && run->request->picture) code = cli_push_picture(c, run);
    if (code == CLI_DONE) code = cli_push_report(c, run);
    return code == CLI_DONE && (run->state.end != STI_RUN_END_TIME || run->of->refuted) ? CLI_NO : code;
}

int cli_run_push(cli* c, const cli_run_request* request, sti_document* problem) {
    cli_push_run run = {.request = request, .dir = request->resume != NULL ? request->resume : request->out};
    sti_simulation* simulation = NULL;
    int code = refuse_options(c, request, cli_run_name(request));
    if (code == CLI_DONE) code = cli_run_problem_name(c, request, true);
    if (code == CLI_DONE && problem != NULL) code = cli_run_simulation(c, request, problem, make, &simulation);
    sti_document_destroy(problem);
    if (code == CLI_DONE) code = cli_run_drive(c, request, simulation, progress_text, &run.run);
    if (code == CLI_DONE) code = finish(c, &run);
    sti_run_destroy(run.run);
    return code;
}
