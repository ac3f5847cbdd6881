// run_push_report.c: what a push reports: the summary as text and as JSON.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_push.h"

static const char* end_text(const cli_push_run* run) {
    if (run->of->jammed) return sti_push_end_text(run->of->report.end);
    return run->state.end == STI_RUN_END_TIME ? "time" : "stopped";
}

// ---- JSON

static void put_contact(cli_json* j, const cli_push_run* run, int i) {
    const sti_push_contact* k = &run->of->report.contacts[i];
    const sti_push_force* f = &run->of->report.forces[i];
    const bool made = run->of->report.end == STI_PUSH_MOVED;
    char name[100];
    sti_manipulation_contact_text(run->scene, k, name, sizeof name);
    cli_json_object(j, NULL);
    cli_json_text(j, "part", sti_manipulation_part(run->scene, k->part));
    cli_json_text(j, "with", name);
    cli_json_text(j, "mode", made ? sti_push_mode_text(f->mode) : NULL);
    cli_json_number(j, "gap", k->gap);
    cli_json_number(j, "mu", k->mu);
    cli_json_numbers(j, "point", k->point, 2);
    cli_json_numbers(j, "normal", k->n, 2);
    cli_json_number(j, "lambda_n", made ? f->lambda_n : NAN);
    cli_json_number(j, "lambda_t", made ? f->lambda_t : NAN);
    cli_json_number(j, "slip", made ? f->slip : NAN);
    cli_json_number(j, "opening", made ? f->opening : NAN);
    cli_json_end(j);
}

static void put_state(cli_json* j, const cli_push_run* run) {
    cli_json_array(j, "parts");
    for (int i = 0; i < sti_manipulation_part_count(run->scene); i++) {
        cli_json_object(j, NULL);
        cli_json_text(j, "name", sti_manipulation_part(run->scene, i));
        cli_json_numbers(j, "q", sti_push_q(run->push) + 3 * (ptrdiff_t)i, 3);
        cli_json_numbers(j, "v", sti_push_v(run->push) + 3 * (ptrdiff_t)i, 3);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_array(j, "contacts");
    for (int i = 0; i < run->of->report.contact_count; i++) put_contact(j, run, i);
    cli_json_end(j);
    cli_json_array(j, "phases");
    for (int k = 0; k < run->of->phase_count; k++) {
        cli_json_object(j, NULL);
        cli_json_integer(j, "first", run->of->phases[k].first);
        cli_json_integer(j, "last", run->of->phases[k].last);
        cli_json_text(j, "modes", run->of->phases[k].modes);
        cli_json_end(j);
    }
    cli_json_end(j);
}

void cli_push_put_certificate(cli_json* j, const sti_manipulation* m, const sti_push_report* r) {
    if (r->end == STI_PUSH_MOVED || r->certificate == NULL) {
        cli_json_null(j, "certificate");
        return;
    }
    cli_json_object(j, "certificate");
    cli_json_text(j, "proof", sti_proof_text(r->certificate->proof));
    cli_json_integer(j, "leaf_count", r->certificate->leaf_count);
    cli_json_bool(j, "exact", r->certificate->exact);
    cli_json_array(j, "wrenches");
    for (int k = 0; r->jam != NULL && k < r->jam->count; k++) {
        const sti_push_contact* at = &r->contacts[r->jam->contact[k]];
        char name[100];
        sti_manipulation_contact_text(m, at, name, sizeof name);
        cli_json_object(j, NULL);
        cli_json_integer(j, "contact", r->jam->contact[k]);
        cli_json_text(j, "with", name);
        cli_json_number(j, "normal", r->jam->normal[k]);
        cli_json_number(j, "left", r->jam->left[k]);
        cli_json_number(j, "right", r->jam->right[k]);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_end(j);
}

static void put_check(cli_json* j, const cli_push_run* run) {
    if (run->request->no_check) {
        cli_json_null(j, "check");
        return;
    }
    cli_json_object(j, "check");
    cli_json_bool(j, "accepted", !run->of->refuted);
    cli_json_number(j, "worst", run->of->worst_check);
    cli_json_text(j, "text", run->of->refuted ? run->of->check : NULL);
    cli_json_end(j);
}

static void fill_json(cli_json* j, const cli_push_run* run) {
    const sti_push_run* t = run->of;
    cli_json_begin(j);
    cli_json_text(j, "kind", "run");
    cli_json_text(j, "of", "manipulation");
    cli_json_text(j, "scene", run->request->scene);
    cli_json_text(j, "outcome", end_text(run));
    cli_json_text(j, "why", run->of->jammed ? run->of->report.why : NULL);
    cli_json_number(j, "h", run->state.h);
    cli_json_object(j, "parameters");
    for (int k = 0; k < sti_manipulation_parameter_count(run->scene); k++)
        cli_json_number(j, sti_manipulation_parameter(run->scene, k), sti_manipulation_parameter_value(run->scene, k));
    cli_json_end(j);
    cli_json_integer(j, "steps", t->steps);
    cli_json_number(j, "time", sti_push_time(run->push));
    put_state(j, run);
    cli_push_put_certificate(j, run->scene, &run->of->report);
    put_check(j, run);
    cli_json_number(j, "residual", t->residual);
    cli_json_number(j, "penetration", t->penetration);
    cli_json_number(j, "dissipation", t->dissipation);
    cli_json_integer(j, "most_contacts", t->most_contacts);
    cli_json_number(j, "time_s", run->state.time_s);
    cli_json_number(j, "peak_memory_bytes", cli_run_peak_memory());
    cli_json_text(j, "folder", run->dir);
}

// ---- text

void cli_push_say_jam(const cli* c, const sti_push_report* r) {
    cli_say(c, "  %s%s%s\n", cli_bad(c), r->why, cli_plain(c));
    if (r->certificate != NULL)
        cli_say(c, "  that there is no solution is proved: %d case%s\n", r->certificate->leaf_count,
                r->certificate->leaf_count == 1 ? "" : "s");
}

static void say_end(const cli* c, const cli_push_run* run) {
    cli_say(c, "%s%ld steps%s of %g, %s at t = %g\n", cli_strong(c), run->of->steps, cli_plain(c), run->state.h,
            cli_run_ended(run->state.end, "a step without a solution"), sti_push_time(run->push));
    if (run->of->jammed) cli_push_say_jam(c, &run->of->report);
    cli_run_say_idle(c, run->request, run->of->steps - run->state.begun, sti_push_time(run->push));
}

static void say(const cli* c, const cli_push_run* run) {
    enum { SHOWN = 12 };
    const sti_push_run* t = run->of;
    say_end(c, run);
    for (int i = 0; i < sti_manipulation_part_count(run->scene); i++) {
        const double* q = sti_push_q(run->push) + 3 * (ptrdiff_t)i;
        cli_say(c, "  %s at (%.6g, %.6g), angle %.6g\n", sti_manipulation_part(run->scene, i), q[0], q[1], q[2]);
    }
    const int skip = run->of->phase_count > SHOWN ? run->of->phase_count - SHOWN : 0;
    if (skip > 0) cli_say(c, "  ..\n");
    for (int k = skip; k < run->of->phase_count; k++)
        cli_say(c, "  steps %ld to %ld: %s\n", run->of->phases[k].first, run->of->phases[k].last,
                run->of->phases[k].modes[0] != '\0' ? run->of->phases[k].modes : "nothing touches");
    if (run->of->refuted)
        cli_say(c, "  %scheck fails: %s%s\n", cli_bad(c), run->of->check, cli_plain(c));
    else if (!run->request->no_check)
        cli_say(c, "  every step checked: worst deviation %.1e\n", t->worst_check);
    cli_say(c, "  worst residual %.1e, overlap %.1e; the support took %.6g of work; at most %ld contacts\n",
            t->residual, t->penetration, t->dissipation, t->most_contacts);
    cli_say(c, "  %.2f s\n", run->state.time_s);
    if (run->dir != NULL)
        cli_say(c, "  %s: trajectory.h5, summary.json, checkpoint.h5%s\n", run->dir,
                run->request->picture ? ", scene.svg" : "");
}

int cli_push_report(const cli* c, const cli_push_run* run) {
    cli_json j;
    fill_json(&j, run);
    const int code = cli_run_summary(c, run->dir, &j);
    if (code == CLI_DONE && !c->json) say(c, run);
    return code;
}
