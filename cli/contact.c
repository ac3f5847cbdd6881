// contact.c: frictional contact problems: solve and verify.
#include "contact.h"

#include <math.h>
#include <stdlib.h>

#include "cross_check.h"
#include "documents.h"

const char* cli_contact_form(const sti_contact_problem* p) {
    return p->global ? "global" : "local";
}

// ---- solve

static int make_options(const cli* c, const cli_solve_request* r, sti_contact_options* o) {
    *o = sti_contact_options_default();
    if (r->solver != NULL && !sti_contact_solver_parse(r->solver, &o->solver)) {
        const char* names[STI_CONTACT_SOLVER_COUNT];
        for (int k = 0; k < STI_CONTACT_SOLVER_COUNT; k++) names[k] = sti_contact_solver_text((sti_contact_solver)k);
        const char* near = cli_nearest(r->solver, names, STI_CONTACT_SOLVER_COUNT);
        return cli_fail_usage(c,
                              "--solver: %.60s: no such solver of contact problems%s%s; there are " CLI_CONTACT_SOLVERS,
                              r->solver, near != NULL ? ", did you mean " : "", near != NULL ? near : "");
    }
    if (r->omega >= 2) return cli_fail_usage(c, "--omega: %g: a number between 0 and 2 expected", r->omega);
    if (r->omega > 0) o->relaxation = r->omega;
    if (r->tol > 0) o->tol = r->tol;
    if (r->time_limit > 0) o->time_limit_s = r->time_limit;
    if (r->max_iterations > 0) o->max_iterations = r->max_iterations;
    o->minimum_norm = r->minimum_norm;
    return CLI_DONE;
}

static void say_size(const cli* c, const char* path, const sti_contact_problem* p) {
    cli_say(c, "%s: contact, %s form, dimension %d, %d contact%s", path, cli_contact_form(p), p->dimension,
            p->contact_count, p->contact_count == 1 ? "" : "s");
    if (p->global) cli_say(c, ", %d velocities", p->velocity_count);
    if (p->bilateral_count > 0) cli_say(c, ", %d bilateral rows", p->bilateral_count);
    cli_say(c, "\n");
}

static void say_modes(const cli* c, const sti_contact_answer* a) {
    int count[3] = {0};
    double dissipation = 0;
    for (int k = 0; k < a->contact_count; k++) {
        if (a->mode[k] <= STI_MODE_SLIDE) count[a->mode[k]]++;
        dissipation += a->dissipation[k];
    }
    cli_say(c, "  %d separate, %d stick, %d slide; dissipation %.6g\n", count[STI_MODE_SEPARATE], count[STI_MODE_STICK],
            count[STI_MODE_SLIDE], dissipation);
}

static void say_attempts(const cli* c, const sti_contact_answer* a) {
    enum { SHOWN = 8 };
    const int shown = c->verbose || a->attempt_count <= SHOWN ? a->attempt_count : SHOWN;
    for (int k = 0; k < shown; k++) {
        const sti_contact_attempt* t = &a->attempts[k];
        cli_say(c, "  tried %s: %s after %ld iteration%s, residual %.2e: %s\n", sti_contact_solver_text(t->solver),
                sti_termination_text(t->termination), t->iterations, t->iterations == 1 ? "" : "s", t->residual,
                t->why);
    }
    if (shown < a->attempt_count) cli_say(c, "  tried: %d more, see --verbose\n", a->attempt_count - shown);
}

static void say_answer(const cli* c, const char* path, const sti_contact_problem* p, const sti_contact_answer* a) {
    const bool solved = a->outcome == STI_SOLVED, none = a->outcome == STI_NO_SOLUTION;
    say_size(c, path, p);
    cli_say(c, "  %s%s%s by %s, %ld iteration%s, %.3g s\n",
            solved ? cli_good(c)
            : none ? cli_bad(c)
                   : cli_unsure(c),
            none ? "no solution" : sti_outcome_text(a->outcome), cli_plain(c), sti_contact_solver_text(a->solver),
            a->iterations, a->iterations == 1 ? "" : "s", a->time_s);
    cli_say(c, "  %sresidual %.2e", solved ? "" : "best ", a->residual);
    if (p->global || p->bilateral_count > 0)
        cli_say(c, " (contacts %.2e, equations %.2e)", a->residual_contact, a->residual_equation);
    if (a->worst_contact >= 0) cli_say(c, ", largest at contact %d", a->worst_contact);
    cli_say(c, "\n");
    if (a->mode != NULL && a->dissipation != NULL && a->contact_count > 0) say_modes(c, a);
    if (a->undetermined_dimension >= 0)
        cli_say(c, "  smallest r: %d direction%s of it %s open; %.6g was arbitrary\n", a->undetermined_dimension,
                a->undetermined_dimension == 1 ? "" : "s", a->undetermined_dimension == 1 ? "is" : "are",
                a->undetermined);
    say_attempts(c, a);
    if (solved)
        cli_say(c, "  shown: a point with residual %.2e on the original data\n", a->residual);
    else if (none && isinf(a->certificate.bound))
        cli_say(c, "  proved: there is no solution, by a Farkas vector, exactly\n");
    else if (none)
        cli_say(c, "  proved: there is no solution with %s below %.3g, by a Farkas vector\n",
                p->global ? "|v|_1" : "|r|_1 + |l|_1", a->certificate.bound);
    else
        cli_say(c, "  proved: nothing\n");
    if (a->reason[0] != '\0') cli_say(c, "  reason: %s\n", a->reason);
    if (a->diagnosis[0] != '\0') cli_say(c, "  diagnosis: %s\n", a->diagnosis);
}

int cli_contact_solve(const cli* c, const cli_solve_request* r, const sti_document* document) {
    const sti_contact_problem* p = sti_contact_problem_of(document);
    sti_contact_options o;
    int code = make_options(c, r, &o);
    if (code != CLI_DONE) return code;
    cli_progress bar = cli_progress_begin();
    if (c->err_terminal && !c->quiet) {
        o.trace = cli_progress_show;
        o.trace_user = &bar;
    }
    sti_contact_answer a;
    const sti_status status = sti_contact_solve(c->env, p, &o, &a);
    cli_progress_clear(&bar);
    if (status != STI_OK) return cli_fail_about(c, r->path);
    char *json = NULL, *checked = NULL;
    cli_cross cross = {0};
    code = a.outcome == STI_SOLVED ? CLI_DONE : CLI_NO;
    o.trace = NULL;
    if (r->cross_check && cli_cross_contact(c, p, &o, &a, &cross) != STI_OK)
        code = cli_fail_about(c, r->path);
    else if (c->json && sti_contact_answer_json(c->env, &a, &json) != STI_OK)
        code = cli_fail_about(c, r->path);
    else if (r->output != NULL && sti_contact_answer_save(c->env, p, &a, r->output) != STI_OK)
        code = cli_fail_written(c, r->output);
    else if (c->json && r->cross_check && (checked = cli_cross_join(json, &cross)) == NULL)
        code = cli_fail_memory(c);
    else if (c->json)
        printf("%s\n", checked != NULL ? checked : json);
    else
        say_answer(c, r->path, p, &a);
    if (r->cross_check && (code == CLI_DONE || code == CLI_NO)) {
        cli_cross_say(c, &cross);
        code = cli_cross_code(&cross, code);
    }
    free(checked);
    sti_env_free(c->env, json);
    sti_contact_answer_clear(c->env, &a);
    return code;
}

// ---- verify

static int print_json(const cli* c, const sti_contact_verification* v, int code) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", sti_kind_text(STI_KIND_CONTACT));
    cli_json_bool(&j, "accepted", v->accepted);
    cli_json_text(&j, "claim", sti_outcome_text(v->claim));
    cli_json_bool(&j, "exact", v->exact);
    cli_json_number(&j, "bound", v->bound);
    cli_json_number(&j, "residual", v->residual);
    cli_json_object(&j, "residuals");
    cli_json_number(&j, "contact", v->residual_contact);
    cli_json_number(&j, "equation", v->residual_equation);
    cli_json_end(&j);
    if (v->worst_contact >= 0)
        cli_json_integer(&j, "worst_contact", v->worst_contact);
    else
        cli_json_null(&j, "worst_contact");
    cli_json_object(&j, "worst");
    cli_json_number(&j, "cone_violation", v->worst_cone_violation);
    cli_json_number(&j, "penetration", v->worst_penetration);
    cli_json_number(&j, "complementarity", v->worst_complementarity);
    cli_json_end(&j);
    cli_json_text(&j, "text", v->text);
    return cli_json_print(&j, c, code);
}

static void say(const cli* c, const char* path, const sti_contact_verification* v) {
    cli_say(c, "%s: claims \"%s\"\n", path, sti_outcome_text(v->claim));
    cli_say_verdict(c, v->accepted, v->text);
    if (!isfinite(v->residual)) return;
    cli_say(c, "  residual %.2e (contacts %.2e, equations %.2e)\n", v->residual, v->residual_contact,
            v->residual_equation);
    if (v->worst_contact < 0) return;
    cli_say(c, "  at worst: outside the cone %.2e, penetration %.2e, not complementary %.2e\n", v->worst_cone_violation,
            v->worst_penetration, v->worst_complementarity);
}

int cli_contact_verify(const cli* c, const cli_verify_request* r, const sti_document* document) {
    const sti_contact_problem* p = sti_contact_problem_of(document);
    const double tol = r->tol > 0 ? r->tol : sti_contact_options_default().tol;
    sti_contact_answer answer = {0};
    sti_contact_verification v = {0};
    int code;
    sti_status status = sti_contact_answer_load(c->env, p, r->answer, &answer);
    if (status == STI_OK) status = sti_verify_contact(c->env, p, &answer, tol, &v);
    if (status != STI_OK) {
        code = cli_fail_about(c, r->answer);
    } else {
        code = v.accepted ? CLI_DONE : CLI_NO;
        if (c->json)
            code = print_json(c, &v, code);
        else
            say(c, r->answer, &v);
    }
    sti_contact_answer_clear(c->env, &answer);
    return code;
}
