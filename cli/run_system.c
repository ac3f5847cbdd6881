// run_system.c: stiction run with a system by formulas: its options, and what they make of it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_world.h"

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

// [[a, b], [c, d]]: numbers row by row, as many as contacts by contacts; *E for free().
static int read_matrix(const cli* c, const sti_system* system, const char* text, double** E) {
    const int contacts = sti_system_contact_count(system) - sti_system_joint_count(system);
    const size_t wanted = (size_t)contacts * (size_t)contacts;
    const char* whole = text;
    size_t count = 0;
    int depth = 0;
    *E = malloc((wanted + 1) * sizeof **E);
    if (*E == NULL) return cli_fail_memory(c);
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
        if (count < wanted) (*E)[count] = x;
        count++;
        text = end;
    }
    if (depth != 0) return cli_fail_usage(c, "--impact: %.60s: its brackets do not close", whole);
    if (count != wanted)
        return cli_fail_usage(c, "--impact: %zu numbers: a matrix of %d x %d expected, one row for each contact", count,
                              contacts, contacts);
    return CLI_DONE;
}

// Law, or a matrix: *E for free().
static int choose_impact(const cli* c, const sti_system* system, const char* text, sti_stepper_options* o, double** E) {
    const sti_impact_law laws[] = {STI_IMPACT_POISSON, STI_IMPACT_POISSON_PRINTED, STI_IMPACT_MOREAU, STI_IMPACT_NEWTON,
                                   STI_IMPACT_GENERAL, STI_IMPACT_STRONGE,         STI_IMPACT_LZB};
    if (text == NULL) return CLI_DONE;
    if (text[0] == '[') {
        const int code = read_matrix(c, system, text, E);
        o->law = STI_IMPACT_GENERAL;
        o->E = *E;
        return code;
    }
    for (size_t k = 0; k < sizeof laws / sizeof laws[0]; k++) {
        if (strcmp(text, sti_impact_law_text(laws[k])) != 0) continue;
        o->law = laws[k];
        return CLI_DONE;
    }
    return cli_fail_usage(
        c,
        "--impact: %.60s: poisson, poisson_printed, moreau, newton, general, stronge, lzb or a matrix "
        "like [[0, 1], [1, 0]] expected",
        text);
}

// Springs of the law lzb.
static int choose_springs(const cli* c, const sti_system* system, const cli_system_request* own,
                          sti_stepper_options* o) {
    const int contacts = sti_system_contact_count(system) - sti_system_joint_count(system);
    if (own->exponent > 0) o->exponent = own->exponent;
    if (own->stiffness.count > 0) o->stiffness = own->stiffness.value;
    if (o->law != STI_IMPACT_LZB && (own->exponent > 0 || own->stiffness.count > 0))
        return cli_fail_usage(c, "%s: for --impact lzb", own->exponent > 0 ? "--exponent" : "--stiffness");
    if (own->exponent > 0 && own->exponent < 1)
        return cli_fail_usage(c, "--exponent: %g: 1 (linear springs) or more", own->exponent);
    if (own->stiffness.count > 0 && own->stiffness.count != contacts)
        return cli_fail_usage(c, "--stiffness: %d numbers, and %d contacts", own->stiffness.count, contacts);
    for (int i = 0; i < own->stiffness.count; i++) {
        if (!(own->stiffness.value[i] > 0))
            return cli_fail_usage(c, "--stiffness: %g: a positive number expected", own->stiffness.value[i]);
    }
    return CLI_DONE;
}

static int choose_options(const cli* c, const cli_run_request* r, const cli_system_request* own,
                          sti_stepper_options* o) {
    sti_scheme scheme = STI_SCHEME_ALPHA;
    if (own->scheme != NULL && !sti_scheme_parse(own->scheme, &scheme))
        return cli_fail_usage(c, "--scheme: %.60s: alpha, convex or quasistatic expected", own->scheme);
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
    if (r->solver != NULL) return cli_fail_usage(c, "--solver: for grains and bodies; a system has --law and --scheme");
    if (own->events != NULL && strcmp(own->events, "auto") != 0 && strcmp(own->events, "off") != 0)
        return cli_fail_usage(c, "--events: %.60s: auto or off expected", own->events);
    if (own->events != NULL) o->events = own->events[0] == 'a' ? STI_EVENTS_AUTO : STI_EVENTS_OFF;
    if (o->events != STI_EVENTS_OFF && scheme != STI_SCHEME_ALPHA)
        return cli_fail_usage(c, "--events: scheme %s does not locate events; --scheme alpha does",
                              sti_scheme_text(scheme));
    if (own->index != 0 && own->index != 2 && own->index != 3)
        return cli_fail_usage(c, "--index: %ld: 2 or 3 expected", own->index);
    if (own->index == 3 && (scheme != STI_SCHEME_ALPHA || o->events != STI_EVENTS_OFF))
        return cli_fail_usage(c, "--index: joints at the level of positions: with --scheme alpha, without --events");
    if (own->index != 0) o->index = (int)own->index;
    if (r->tol > 0 && o->events == STI_EVENTS_OFF)
        return cli_fail_usage(c, "--tol: for grains, bodies and --events; steps of a system are solved to rounding");
    if (r->tol >= 1) return cli_fail_usage(c, "--tol: %g: below 1 expected", r->tol);
    if (r->tol > 0) o->event_tol = r->tol;
    if (r->frame > 0) return cli_fail_usage(c, "--frame: for grains and bodies; every step of a system is kept");
    if (r->colour != NULL) return cli_fail_usage(c, "--colour: for grains and bodies");
    return choose_law(c, r, o);
}

// What a scene of bodies says of its steps, where no option says otherwise.
static int choose_of_bodies(const cli* c, const cli_system_request* own, const sti_world_scene* scene,
                            sti_stepper_options* o) {
    o->step = scene->step.h;
    if (own->impact == NULL) o->law = scene->step.law;
    if (own->impact != NULL && own->impact[0] == '[')
        return cli_fail_usage(c, "--impact: a matrix: for systems by formulas; of bodies every contact has its own");
    if (own->stiffness.count > 0 || own->exponent > 0)
        return cli_fail_usage(c, "%s: for systems by formulas",
                              own->stiffness.count > 0 ? "--stiffness" : "--exponent");
    if (o->law == STI_IMPACT_LZB || (own->impact != NULL && strcmp(own->impact, "lzb") == 0))
        return cli_fail_usage(c,
                              "--impact: lzb: the springs of bodies belong to their materials, which events do not "
                              "know; newton, poisson, moreau or stronge");
    return CLI_DONE;
}

// ---- the run

static int begin(const cli* c, const cli_run_request* r, const cli_system_request* own, sti_document* problem,
                 sti_simulation** out) {
    sti_run_source source = {.name = r->scene, .settings = r->settings};
    sti_stepper_options options;
    char* text = NULL;
    double* E = NULL;
    const sti_world_scene* scene = sti_world_scene_of(problem);
    int code = choose_options(c, r, own, &options);
    if (code == CLI_DONE && r->settings != NULL && sti_document_set(problem, r->settings) != STI_OK)
        code = cli_fail_about(c, "--set");
    if (code == CLI_DONE && scene == NULL) code = cli_run_read_text(c, r->scene, &text, &source.size);
    if (code == CLI_DONE && scene != NULL) code = cli_world_text(c, r->scene, problem, &text, &source.size);
    if (code == CLI_DONE && scene != NULL) code = choose_of_bodies(c, own, scene, &options);
    if (code == CLI_DONE && r->step > 0) options.step = r->step;
    if (code == CLI_DONE) code = choose_impact(c, sti_system_of(problem), own->impact, &options, &E);
    if (code == CLI_DONE && scene == NULL) code = choose_springs(c, sti_system_of(problem), own, &options);
    source.text = text;
    if (code == CLI_DONE &&
        (scene != NULL ? sti_world_system_simulation : sti_system_simulation)(c->env, &source, &options, out) != STI_OK)
        code = cli_fail_about(c, r->scene);
    free(text);
    free(E);
    return code;
}

static void progress_text(const sti_run* run, char* text, size_t size) {
    const sti_system_run* of = sti_system_run_of(run);
    snprintf(text, size, "t %.4g  E %.4e  residual %.1e  %ld collisions", sti_stepper_time(of->stepper),
             of->last_kinetic + of->last_potential, of->worst_residual, of->collisions);
}

static int finish(const cli* c, cli_system_run* run) {
    size_t columns;
    sti_run_now(run->run, &run->state);
    run->of = sti_system_run_of(run->run);
    run->curve = sti_run_curve(run->run, &run->curve_rows, &columns);
    int code = cli_run_save_last(c, run->run, run->request);
    if (code == CLI_DONE && run->request->picture) code = cli_system_picture(c, run);
    if (code == CLI_DONE) code = cli_system_report(c, run);
    return code == CLI_DONE && run->state.end != STI_RUN_END_TIME ? CLI_NO : code;
}

int cli_run_system(cli* c, const cli_run_request* request, const cli_system_request* own, sti_document* problem) {
    cli_system_run run = {.request = request, .dir = request->resume != NULL ? request->resume : request->out};
    sti_simulation* simulation = NULL;
    int code = cli_run_problem_name(c, request, true);
    if (code == CLI_DONE && problem != NULL) code = begin(c, request, own, problem, &simulation);
    sti_document_destroy(problem);
    if (code == CLI_DONE) code = cli_run_drive(c, request, simulation, progress_text, &run.run);
    if (code == CLI_DONE) code = finish(c, &run);
    sti_run_destroy(run.run);
    return code;
}
