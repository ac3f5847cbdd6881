// vi.c: variational inequalities given by formulas: solve, verify, inspect.
#include <math.h>
#include <string.h>

#include "documents.h"

static const char* kind_of(const sti_vi* vi) {
    return sti_kind_text(vi->ncp ? STI_KIND_NCP : STI_KIND_VI);
}

// ---- solve

static void say_interval(const cli* c, const char* name, const sti_interval* X) {
    if (X->low == X->high)
        cli_say(c, "    %s = %.17g\n", name, X->low);
    else
        cli_say(c, "    %s in [%.17g, %.17g]\n", name, X->low, X->high);
}

static void say(const cli* c, const char* path, const sti_vi* vi, const sti_vi_answer* a) {
    enum { SHOWN = 20 };
    const char* color = a->outcome == STI_SOLVED        ? cli_good(c)
                        : a->outcome == STI_NO_SOLUTION ? cli_bad(c)
                                                        : cli_unsure(c);
    cli_say(c, "%s: %s, %d unknown%s\n", path, kind_of(vi), a->n, a->n == 1 ? "" : "s");
    cli_say(c, "  %s%s%s by newton, %ld step%s, start %d, %.3g s\n", color,
            a->outcome == STI_NO_SOLUTION ? "no solution" : sti_outcome_text(a->outcome), cli_plain(c), a->iterations,
            a->iterations == 1 ? "" : "s", a->start, a->time_s);
    for (int i = 0; a->outcome == STI_SOLVED && i < a->n && i < SHOWN; i++)
        cli_say(c, "  %s = %.10g, F = %.6g\n", vi->variables[i], a->x[i], a->F[i]);
    if (a->outcome == STI_SOLVED && a->n > SHOWN) cli_say(c, "  ... %d more, see --json\n", a->n - SHOWN);
    if (isfinite(a->residual)) cli_say(c, "  residual at most %.2e\n", a->residual);
    if (a->outcome == STI_SOLVED)
        cli_say(c, "  %s: %s\n", a->proof >= STI_VI_PROOF_EXISTENCE ? "proved" : "shown", a->reason);
    if (a->outcome != STI_SOLVED) cli_say(c, "  reason: %s\n", a->reason);
    for (int i = 0; a->proof == STI_VI_PROOF_EXISTENCE && i < a->n && i < SHOWN; i++)
        say_interval(c, vi->variables[i], &a->interval[i]);
}

static int finish(const cli* c, const cli_solve_request* r, const sti_vi* vi, const sti_vi_answer* a) {
    char* json = NULL;
    if (r->output != NULL && sti_vi_answer_save(c->env, vi, a, r->output) != STI_OK)
        return cli_fail_written(c, r->output);
    if (c->json && sti_vi_answer_json(c->env, vi, a, &json) != STI_OK) return cli_fail_about(c, r->path);
    if (c->json)
        printf("%s\n", json);
    else
        say(c, r->path, vi, a);
    sti_env_free(c->env, json);
    return a->outcome == STI_SOLVED ? CLI_DONE : CLI_NO;
}

int cli_vi_solve(const cli* c, const cli_solve_request* r, const sti_document* document) {
    const sti_vi* vi = sti_vi_of(document);
    sti_vi_options o = sti_vi_options_default();
    sti_vi_answer a;
    if (r->solver != NULL && strcmp(r->solver, "auto") != 0 && strcmp(r->solver, "newton") != 0)
        return cli_fail_usage(c, "--solver: %.60s: no such solver of formulas; there are auto and newton", r->solver);
    if (r->tol > 0) o.tol = r->tol;
    if (r->max_iterations > 0) o.max_iterations = r->max_iterations;
    if (r->time_limit > 0) o.time_limit_s = r->time_limit;
    if (sti_vi_solve(c->env, vi, &o, &a) != STI_OK) return cli_fail_about(c, r->path);
    const int code = finish(c, r, vi, &a);
    sti_vi_answer_clear(c->env, &a);
    return code;
}

// ---- verify

int cli_vi_verify(const cli* c, const cli_verify_request* r, const sti_document* document) {
    const sti_vi* vi = sti_vi_of(document);
    sti_vi_answer a;
    sti_vi_verification v;
    sti_status status = sti_vi_answer_load(c->env, vi, r->answer, &a);
    if (status != STI_OK) return cli_fail_about(c, r->answer);
    status = sti_verify_vi(c->env, vi, &a, r->tol > 0 ? r->tol : sti_vi_options_default().tol, &v);
    sti_vi_answer_clear(c->env, &a);
    if (status != STI_OK) return cli_fail_about(c, r->answer);
    const int code = v.accepted ? CLI_DONE : CLI_NO;
    if (c->json) {
        cli_json j;
        cli_json_begin(&j);
        cli_json_text(&j, "kind", kind_of(vi));
        cli_json_bool(&j, "accepted", v.accepted);
        cli_json_text(&j, "claim", sti_outcome_text(v.claim));
        cli_json_text(&j, "proof", sti_vi_proof_text(v.proof));
        cli_json_number(&j, "residual", v.residual);
        cli_json_text(&j, "text", v.text);
        return cli_json_print(&j, c, code);
    }
    cli_say(c, "%s: claims \"%s\"\n", r->answer, sti_outcome_text(v.claim));
    cli_say_verdict(c, v.accepted, v.text);
    if (!isnan(v.residual)) cli_say(c, "  residual %.2e\n", v.residual);
    return code;
}

// ---- inspect: the map at the start: its values, and the classes of its derivative there

static int say_classes(const cli* c, const char* path, const sti_vi* vi, const double* x, const double* F,
                       const sti_classes* k) {
    if (c->json) {
        cli_json j;
        cli_json_begin(&j);
        cli_json_text(&j, "kind", kind_of(vi));
        cli_json_integer(&j, "n", vi->n);
        cli_json_numbers(&j, "x", x, (size_t)vi->n);
        cli_json_numbers(&j, "F", F, (size_t)vi->n);
        cli_json_text(&j, "classes_of", "F'");
        cli_json_object(&j, "classes");
        for (int i = 0; i < STI_CLASS_COUNT; i++)
            cli_json_verdict(&j, sti_class_text((sti_class)i), k->finding[i].verdict);
        cli_json_end(&j);
        return cli_json_print(&j, c, CLI_DONE);
    }
    cli_say(c, "%s: %s, %d unknown%s\n", path, kind_of(vi), vi->n, vi->n == 1 ? "" : "s");
    cli_say_vector(c, "start", x, vi->n);
    cli_say_vector(c, "F", F, vi->n);
    cli_say(c, "  the derivative of F there:\n");
    for (int i = 0; i < STI_CLASS_COUNT; i++) {
        const sti_verdict verdict = k->finding[i].verdict;
        cli_say(c, "  %-22s %s\n", sti_class_text((sti_class)i),
                verdict == STI_YES  ? "yes"
                : verdict == STI_NO ? "no"
                                    : "open");
    }
    return CLI_DONE;
}

int cli_vi_inspect(const cli* c, const cli_inspect_request* r, const sti_document* document) {
    const sti_vi* vi = sti_vi_of(document);
    double *x, *F, *J;
    sti_classes* classes = NULL;
    sti_classes_options o = sti_classes_options_default();
    if (r->exact_limit > 0) o.exact_limit = r->exact_limit < 1000 ? (int)r->exact_limit : 1000;
    if (r->work_limit > 0) o.work_limit = r->work_limit;
    if (sti_vi_at_start(c->env, vi, &x, &F, &J) != STI_OK) return cli_fail_about(c, r->path);
    const sti_matrix M = sti_matrix_dense_view(vi->n, vi->n, J);
    int code;
    if (sti_classes_create(c->env, &M, NULL, &o, &classes) != STI_OK)
        code = cli_fail_about(c, r->path);
    else
        code = say_classes(c, r->path, vi, x, F, classes);
    sti_classes_destroy(c->env, classes);
    sti_env_free(c->env, x);
    return code;
}
