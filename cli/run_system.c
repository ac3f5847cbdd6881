// run_system.c: stiction run with a system by formulas: from its start to the end, step by step.
#include "run_system.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the system

int cli_system_load(const cli* c, cli_system_run* run, const char* name) {
    if (sti_document_parse(c->env, run->text, run->text_size, name, &run->problem) != STI_OK) return cli_fail_env(c);
    sti_system* system = sti_system_of(run->problem);
    if (system == NULL)
        return cli_fail_usage(c, "%.200s: kind: %s: \"scene\" or \"system\" expected", name,
                              sti_kind_text(sti_document_kind(run->problem)));
    run->system = system;
    if (run->settings == NULL || sti_document_set(run->problem, run->settings) == STI_OK) return CLI_DONE;
    return cli_fail_about(c, "--set");
}

// ---- the options

static int choose_law(const cli* c, const cli_run_request* r, sti_stepper_options* o) {
    if (r->law == NULL) return CLI_DONE;
    if (strcmp(r->law, "facets") == 0)
        o->friction = STI_FRICTION_FACETS;
    else if (strcmp(r->law, "cone") == 0 || strcmp(r->law, "coulomb") == 0)
        o->friction = STI_FRICTION_CONE;
    else
        return cli_fail_usage(c, "--law: %.60s: facets or cone expected", r->law);
    return CLI_DONE;
}

// [[a, b], [c, d]]: numbers row by row, as many as contacts by contacts.
static int read_matrix(const cli* c, cli_system_run* run, const char* text) {
    const int contacts = sti_system_contact_count(run->system) - sti_system_joint_count(run->system);
    const size_t wanted = (size_t)contacts * (size_t)contacts;
    const char* whole = text;
    size_t count = 0;
    int depth = 0;
    run->E = malloc((wanted + 1) * sizeof *run->E);
    if (run->E == NULL) return cli_fail_memory(c);
    while (*text != '\0') {
        char* end;
        depth += (*text == '[') - (*text == ']');
        if (depth < 0 || depth > 2) break;
        if (strchr("[], \t\n", *text) != NULL) {
            text++;
            continue;
        }
        const double x = strtod(text, &end);
        if (end == text || !isfinite(x)) return cli_fail_usage(c, "--impact: %.60s: a number expected", text);
        if (count < wanted) run->E[count] = x;
        count++;
        text = end;
    }
    if (depth != 0) return cli_fail_usage(c, "--impact: %.60s: its brackets do not close", whole);
    if (count != wanted)
        return cli_fail_usage(c, "--impact: %zu numbers: a matrix of %d x %d expected, one row for each contact", count,
                              contacts, contacts);
    run->options.law = STI_IMPACT_GENERAL;
    run->options.E = run->E;
    return CLI_DONE;
}

int cli_system_impact(const cli* c, cli_system_run* run) {
    const sti_impact_law laws[] = {STI_IMPACT_POISSON, STI_IMPACT_POISSON_PRINTED, STI_IMPACT_MOREAU, STI_IMPACT_NEWTON,
                                   STI_IMPACT_GENERAL};
    const char* text = run->impact;
    if (text == NULL) return CLI_DONE;
    if (text[0] == '[') return read_matrix(c, run, text);
    for (size_t k = 0; k < sizeof laws / sizeof laws[0]; k++) {
        if (strcmp(text, sti_impact_law_text(laws[k])) != 0) continue;
        run->options.law = laws[k];
        return CLI_DONE;
    }
    return cli_fail_usage(c,
                          "--impact: %.60s: poisson, poisson_printed, moreau, newton, general or a matrix like "
                          "[[0, 1], [1, 0]] expected",
                          text);
}

static int choose_options(const cli* c, cli_system_run* run) {
    const cli_run_request* r = run->request;
    const cli_system_request* own = run->own;
    sti_scheme scheme = STI_SCHEME_ALPHA;
    if (own->scheme != NULL && !sti_scheme_parse(own->scheme, &scheme))
        return cli_fail_usage(c, "--scheme: %.60s: alpha, convex or quasistatic expected", own->scheme);
    sti_stepper_options* o = &run->options;
    *o = own->printed ? sti_stepper_options_printed(scheme) : sti_stepper_options_default(scheme);
    if (own->geometry != NULL && strcmp(own->geometry, "ahead") != 0 && strcmp(own->geometry, "old") != 0)
        return cli_fail_usage(c, "--geometry: %.60s: ahead or old expected", own->geometry);
    if (own->geometry != NULL) o->geometry = strcmp(own->geometry, "old") == 0 ? STI_GEOMETRY_OLD : STI_GEOMETRY_AHEAD;
    if (own->impact != NULL && scheme != STI_SCHEME_ALPHA)
        return cli_fail_usage(c, "--impact: scheme %s has %s; --scheme alpha knows impact laws",
                              sti_scheme_text(scheme),
                              scheme == STI_SCHEME_CONVEX ? "inelastic impacts alone" : "no impacts");
    o->settle = own->settle;
    if (own->alpha > 0) o->alpha = own->alpha;
    if (own->facets > 0) o->facets = own->facets > 1000000 ? 1000000 : (int)own->facets;
    if (r->step > 0) o->step = r->step;
    if (r->solver != NULL) return cli_fail_usage(c, "--solver: for grains and bodies; a system has --law and --scheme");
    if (r->tol > 0) return cli_fail_usage(c, "--tol: for grains and bodies; steps of a system are solved to rounding");
    if (r->frame > 0) return cli_fail_usage(c, "--frame: for grains and bodies; every step of a system is kept");
    if (r->colour != NULL) return cli_fail_usage(c, "--colour: for grains and bodies");
    return choose_law(c, r, o);
}

int cli_system_contacts(const cli* c, cli_system_run* run) {
    const size_t count = (size_t)sti_system_contact_count(run->system);
    sti_instant* instant = NULL;
    run->mode = calloc(count + 1, 1);
    run->contact = calloc(count + 1, sizeof *run->contact);
    run->tangents = calloc(count + 1, sizeof *run->tangents);
    if (run->mode == NULL || run->contact == NULL || run->tangents == NULL) return cli_fail_memory(c);
    if (sti_system_instant(c->env, run->system, sti_stepper_time(run->stepper), sti_stepper_q(run->stepper),
                           sti_stepper_v(run->stepper), &instant) != STI_OK)
        return cli_fail_env(c);
    for (size_t i = 0; i < count; i++) {
        run->tangents[i] = instant->contacts[i].tangent_count;
        run->contact[i] = (cli_system_contact){.first = NAN, .last = NAN, .hit = NAN, .gap = instant->contacts[i].gap};
    }
    sti_instant_destroy(c->env, instant);
    return CLI_DONE;
}

static void keep_contacts(cli_system_run* run, const sti_step_report* r) {
    const int count = sti_system_contact_count(run->system);
    memcpy(run->mode, r->mode, (size_t)count);
    for (int i = 0; i < count; i++) {
        cli_system_contact* k = &run->contact[i];
        k->gap = r->gap[i];
        k->impulse_n = r->impulse_n[i];
        k->hit = r->collision_at[i];
        memcpy(k->impulse_t, r->impulse_t + 2 * (size_t)i, sizeof k->impulse_t);
        memcpy(k->slip, r->slip + 2 * (size_t)i, sizeof k->slip);
        if (isnan(k->hit)) continue;
        if (k->collisions++ == 0) k->first = k->hit;
        k->last = k->hit;
    }
}

// ---- begin

static int begin(const cli* c, cli_system_run* run, const char* name) {
    const cli_run_request* r = run->request;
    int code = choose_options(c, run);
    if (code == CLI_DONE && r->settings != NULL) {
        run->settings = strdup(r->settings);
        if (run->settings == NULL) code = cli_fail_memory(c);
    }
    if (code == CLI_DONE && run->own->impact != NULL) {
        run->impact = strdup(run->own->impact);
        if (run->impact == NULL) code = cli_fail_memory(c);
    }
    if (code == CLI_DONE) code = cli_run_read_text(c, name, &run->text, &run->text_size);
    if (code == CLI_DONE) code = cli_system_load(c, run, name);
    if (code == CLI_DONE) code = cli_system_impact(c, run);
    if (code != CLI_DONE) return code;
    if (sti_stepper_create(c->env, run->system, &run->options, &run->stepper) != STI_OK) return cli_fail_about(c, name);
    code = cli_system_contacts(c, run);
    if (code != CLI_DONE) return code;
    double kinetic, potential;
    const double start = sti_stepper_time(run->stepper);
    if (sti_system_energy(run->system, start, sti_stepper_q(run->stepper), sti_stepper_v(run->stepper), &kinetic,
                          &potential) != STI_OK)
        return cli_fail_about(c, name);
    run->tally.first_energy = run->tally.least_energy = kinetic + potential;
    run->tally.last_kinetic = kinetic;
    run->tally.last_potential = potential;
    run->end_time = r->time > 0 ? r->time : start + 10;
    long steps;
    code = cli_run_steps(c, name, run->end_time - start, run->options.step, &steps);
    if (code != CLI_DONE) return code;
    if (run->dir != NULL) code = cli_run_folder(c, run->dir, r->force);
    if (code == CLI_DONE && run->dir != NULL) code = cli_system_record_begin(c, run, NULL, 0);
    if (code == CLI_DONE && run->dir != NULL) code = cli_system_record_step(c, run, NULL);
    return code == CLI_DONE && run->dir != NULL ? cli_system_checkpoint(c, run) : code;
}

// ---- steps

static bool keep_curve(cli_system_run* run) {
    const size_t n = (size_t)sti_system_coordinate_count(run->system);
    double* row = cli_run_curve_row(&run->curve, &run->curve_room, 3 + 2 * n, run->curve_rows);
    if (row == NULL) return false;
    run->curve_rows++;
    row[0] = sti_stepper_time(run->stepper);
    memcpy(row + 1, sti_stepper_q(run->stepper), n * sizeof *row);
    memcpy(row + 1 + n, sti_stepper_v_alpha(run->stepper), n * sizeof *row);
    row[1 + 2 * n] = run->tally.last_kinetic;
    row[2 + 2 * n] = run->tally.last_potential;
    return true;
}

static void add_up(cli_system_tally* t, const sti_step_report* r) {
    t->work += r->work;
    t->loss += r->loss;
    t->defect += r->defect;
    t->pieces += r->pieces;
    if (r->pieces > t->most_pieces) t->most_pieces = r->pieces;
    const double energy = r->kinetic + r->potential - (isnan(t->work) ? 0 : t->work);
    t->steps = r->step;
    t->collisions += r->collisions;
    if (r->active > t->most_active) t->most_active = r->active;
    t->largest_rise = fmax(t->largest_rise, energy - t->least_energy);
    t->least_energy = fmin(t->least_energy, energy);
    t->last_kinetic = r->kinetic;
    t->last_potential = r->potential;
    t->collision_energy += r->collision_energy;
    t->gain += r->gain;
    t->relaxed += r->relaxed;
    t->dropped += r->dropped;
    t->worst_residual = fmax(t->worst_residual, r->residual);
    t->worst_penetration = fmax(t->worst_penetration, r->penetration);
    t->worst_drift = fmax(t->worst_drift, r->drift);
    t->worst_correction = fmax(t->worst_correction, r->corrected);
    t->worst_lift = fmax(t->worst_lift, r->lift);
}

static int take_step(const cli* c, cli_system_run* run) {
    sti_step_report report;
    const double start = cli_now();
    if (sti_stepper_step(run->stepper, &report) != STI_OK)
        return cli_run_fail_step(c, cli_run_name(run->request), run->tally.steps + 1, sti_stepper_time(run->stepper));
    const double stepped = cli_now();
    run->tally.time_step_s += stepped - start;
    if (report.outcome != STI_SOLVED) {
        run->end = CLI_SYSTEM_FAILED;
        snprintf(run->why, sizeof run->why, "%s: %.200s", sti_outcome_text(report.outcome), report.why);
        return CLI_DONE;
    }
    add_up(&run->tally, &report);
    keep_contacts(run, &report);
    if (run->request->picture && !keep_curve(run)) return cli_fail_memory(c);
    int code = run->csv != NULL ? cli_system_csv_line(c, run, &report) : CLI_DONE;
    if (code == CLI_DONE && run->record != NULL) code = cli_system_record_step(c, run, &report);
    run->tally.time_files_s += cli_now() - stepped;
    return code;
}

static int work(const cli* c, cli_system_run* run) {
    const double h = run->options.step, t0 = sti_stepper_time(run->stepper) - (double)run->tally.steps * h;
    long steps;
    int code = cli_run_steps(c, cli_run_name(run->request), run->end_time - t0, h, &steps);
    if (code != CLI_DONE) return code;
    const double before = run->tally.time_s, start = cli_now();
    double saved = start;
    cli_run_progress progress = cli_run_progress_begin((double)run->tally.steps / (double)steps);
    run->begun = run->tally.steps;
    run->end = CLI_SYSTEM_TIME;
    while (code == CLI_DONE && run->tally.steps < steps && run->end == CLI_SYSTEM_TIME) {
        if (cli_run_stopped()) {
            run->end = CLI_SYSTEM_STOPPED;
            break;
        }
        code = take_step(c, run);
        run->tally.time_s = before + cli_now() - start;
        char text[120];
        snprintf(text, sizeof text, "t %.4g  E %.4e  residual %.1e  %ld collisions", sti_stepper_time(run->stepper),
                 run->tally.last_kinetic + run->tally.last_potential, run->tally.worst_residual, run->tally.collisions);
        if (code == CLI_DONE) cli_run_progress_show(c, &progress, (double)run->tally.steps / (double)steps, text);
        if (code == CLI_DONE && run->record != NULL && cli_now() - saved > run->request->checkpoint) {
            code = cli_system_checkpoint(c, run);
            saved = cli_now();
        }
    }
    cli_run_progress_clear(&progress);
    if (code == CLI_DONE && run->record != NULL) code = cli_system_checkpoint(c, run);
    run->tally.time_s = before + cli_now() - start;
    return code;
}

static void clear(const cli* c, cli_system_run* run) {
    sti_recording_close(run->record);
    sti_stepper_destroy(run->stepper);
    sti_document_destroy(run->problem);
    free(run->text);
    free(run->settings);
    free(run->impact);
    free(run->E);
    free(run->curve);
    free(run->mode);
    free(run->contact);
    free(run->tangents);
    (void)c;
}

int cli_run_system(cli* c, const cli_run_request* request, const cli_system_request* own, const char* name) {
    cli_system_run run = {
        .request = request, .own = own, .dir = request->resume != NULL ? request->resume : request->out};
    int code = name != NULL ? begin(c, &run, name) : cli_system_restore(c, &run);
    if (code == CLI_DONE && request->picture && !keep_curve(&run)) code = cli_fail_memory(c);
    if (code == CLI_DONE && request->csv != NULL) code = cli_system_csv_open(c, &run);
    if (code == CLI_DONE) code = work(c, &run);
    if (run.csv != NULL) {
        const int closed = cli_run_csv_close(c, request->csv, &run.csv);
        if (code == CLI_DONE) code = closed;
    }
    if (code == CLI_DONE && request->picture) code = cli_system_picture(c, &run);
    if (code == CLI_DONE) code = cli_system_report(c, &run);
    if (code == CLI_DONE && run.end != CLI_SYSTEM_TIME) code = CLI_NO;
    clear(c, &run);
    return code;
}
