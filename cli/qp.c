// qp.c: quadratic programs: solve and verify.
#include <math.h>

#include "documents.h"

// ---- solve

static int make_options(const cli* c, const cli_solve_request* r, sti_conic_options* o) {
    *o = sti_conic_options_default();
    if (r->tol > 0) o->tol = r->tol;
    if (r->time_limit > 0) o->time_limit_s = r->time_limit;
    if (r->max_iterations > 0) o->max_iterations = r->max_iterations;
    return cli_check_ipm(c, r->solver, "quadratic programs");
}

static void say_answer(const cli* c, const char* path, const sti_qp_answer* a) {
    cli_say(c, "%s: qp, n = %d variables, m = %d rows\n", path, a->n, a->m);
    cli_say(c, "  %s%s%s by ipm, %ld iteration%s, %.3g s\n", cli_conic_color(c, a->outcome),
            sti_conic_outcome_text(a->outcome), cli_plain(c), a->iterations, a->iterations == 1 ? "" : "s", a->time_s);
    switch (a->outcome) {
        case STI_CONIC_SOLVED:
            cli_say(c, "  objective %.12g\n", a->objective);
            cli_say_vector(c, "x", a->x, a->n);
            cli_say_vector(c, "y", a->y, a->m);
            cli_say(c, "  residual %.2e\n", a->residual);
            cli_say(c, "  shown: a feasible point, and multipliers that prove it the best, up to the residual\n");
            break;
        case STI_CONIC_INFEASIBLE:
            if (a->crossed < 0 && isfinite(a->bound))
                cli_say(c, "  proved: no feasible point with |x|_1 below %.3g, by a Farkas vector\n", a->bound);
            else
                cli_say(c, "  proved: no feasible point%s\n", a->crossed < 0 ? ", by a Farkas vector" : "");
            break;
        case STI_CONIC_UNBOUNDED:
            cli_say_vector(c, "direction", a->x, a->n);
            cli_say(c, "  shown: a direction along which no row or bound ends and the objective falls\n");
            break;
        default:
            cli_say(c, "  best residual %.2e\n  proved: nothing\n", a->residual);
            break;
    }
    if (a->reason[0] != '\0') cli_say(c, "  reason: %s\n", a->reason);
}

int cli_qp_solve(const cli* c, const cli_solve_request* r, const sti_document* document) {
    sti_conic_options o;
    int code = make_options(c, r, &o);
    if (code != CLI_DONE) return code;
    sti_qp_answer a;
    if (sti_qp_solve(c->env, sti_qp_of(document), &o, &a) != STI_OK) return cli_fail_about(c, r->path);
    char* json = NULL;
    code = a.outcome == STI_CONIC_SOLVED ? CLI_DONE : CLI_NO;
    if (c->json && sti_qp_answer_json(c->env, &a, &json) != STI_OK)
        code = cli_fail_about(c, r->path);
    else if (r->output != NULL && sti_qp_answer_save(c->env, &a, r->output) != STI_OK)
        code = cli_fail_written(c, r->output);
    else if (c->json)
        printf("%s\n", json);
    else
        say_answer(c, r->path, &a);
    sti_env_free(c->env, json);
    sti_qp_answer_clear(c->env, &a);
    return code;
}

// ---- verify

static int print_json(const cli* c, const sti_qp_verification* v, int code) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", sti_kind_text(STI_KIND_QP));
    cli_json_bool(&j, "accepted", v->accepted);
    cli_json_bool(&j, "convex", v->convex);
    cli_json_text(&j, "claim", sti_conic_outcome_text(v->claim));
    cli_json_number(&j, "residual", v->residual);
    cli_json_object(&j, "residuals");
    cli_json_number(&j, "primal", v->residual_primal);
    cli_json_number(&j, "dual", v->residual_dual);
    cli_json_number(&j, "gap", v->residual_gap);
    cli_json_end(&j);
    cli_json_number(&j, "objective", v->objective);
    cli_json_number(&j, "bound", v->bound);
    cli_json_text(&j, "text", v->text);
    return cli_json_print(&j, c, code);
}

static void say(const cli* c, const char* path, const sti_qp_verification* v) {
    cli_say(c, "%s: claims \"%s\"\n", path, sti_conic_outcome_text(v->claim));
    cli_say_verdict(c, v->accepted, v->text);
}

int cli_qp_verify(const cli* c, const cli_verify_request* r, const sti_document* document) {
    const sti_qp* qp = sti_qp_of(document);
    const double tol = r->tol > 0 ? r->tol : sti_conic_options_default().tol;
    sti_qp_answer answer = {0};
    sti_qp_verification v = {0};
    int code;
    sti_status status = sti_qp_answer_load(c->env, qp, r->answer, &answer);
    if (status == STI_OK) status = sti_verify_qp(c->env, qp, &answer, tol, &v);
    if (status != STI_OK) {
        code = cli_fail_about(c, r->answer);
    } else {
        code = v.accepted ? CLI_DONE : CLI_NO;
        if (c->json)
            code = print_json(c, &v, code);
        else
            say(c, r->answer, &v);
    }
    sti_qp_answer_clear(c->env, &answer);
    return code;
}
