// l1.c: least sums of absolute values: solve, one Newton step, verify, inspect.
#include <math.h>

#include "documents.h"

// ---- solve

static int make_options(const cli* c, const cli_solve_request* r, sti_l1_options* o) {
    *o = sti_l1_options_default();
    if (r->tol > 0) o->tol = r->tol;
    if (r->time_limit > 0) o->time_limit_s = r->time_limit;
    if (r->max_iterations > 0) o->max_iterations = r->max_iterations;
    o->memory_mb = r->memory;
    if (r->norm != NULL && !sti_l1_norm_parse(r->norm, &o->norm))
        return cli_fail_usage(c, "--norm: %.60s: sum or largest is expected", r->norm);
    return cli_check_ipm(c, r->solver, "l1 problems");
}

static void say_answer(const cli* c, const char* path, const sti_l1_answer* a) {
    const bool solved = a->outcome == STI_SOLVED;
    const bool of_sum = a->norm == STI_L1_SUM;
    cli_say(c, "%s: l1, n = %d unknowns, m = %d rows%s\n", path, a->n, a->m, of_sum ? "" : ", the largest");
    cli_say(c, "  %s%s%s by ipm, %ld iteration%s, %.3g s\n", solved ? cli_good(c) : cli_unsure(c),
            sti_outcome_text(a->outcome), cli_plain(c), a->iterations, a->iterations == 1 ? "" : "s", a->time_s);
    if (a->cg_count > 0) cli_say(c, "  %ld steps of conjugate gradients in place of factors\n", a->cg_count);
    cli_say(c, "  objective %.12g\n", a->objective);
    cli_say_vector(c, "x", a->x, a->n);
    cli_say(c, "  shown: no x has %s below %.12g, by a dual vector y with %s <= 1 and A'y = 0\n",
            of_sum ? "a sum" : "all rows", a->bound, of_sum ? "|y|" : "the sum of |y|");
    cli_say(c, "  gap %.2e of the objective, A'y %.2e of its terms\n", a->gap, a->residual);
    if (a->reason[0] != '\0') cli_say(c, "  reason: %s\n", a->reason);
}

static int report(const cli* c, const cli_solve_request* r, const sti_l1_answer* a) {
    char* json = NULL;
    int code = a->outcome == STI_SOLVED ? CLI_DONE : CLI_NO;
    if (c->json && sti_l1_answer_json(c->env, a, &json) != STI_OK)
        code = cli_fail_about(c, r->path);
    else if (r->output != NULL && sti_l1_answer_save(c->env, a, r->output) != STI_OK)
        code = cli_fail_written(c, r->output);
    else if (c->json)
        printf("%s\n", json);
    else
        say_answer(c, r->path, a);
    sti_env_free(c->env, json);
    return code;
}

// ---- one Newton step

static int print_step(const cli* c, const sti_l1_step* s) {
    const size_t m = (size_t)s->m, n = (size_t)s->n;
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "l1-step");
    cli_json_integer(&j, "n", s->n);
    cli_json_integer(&j, "m", s->m);
    cli_json_number(&j, "residual", s->residual);
    cli_json_numbers(&j, "D", s->D, m);
    cli_json_numbers(&j, "rhs", s->rhs, n);
    cli_json_numbers(&j, "dx", s->dx, n);
    cli_json_numbers(&j, "dv", s->dv, 2 * m);
    cli_json_numbers(&j, "dlambda", s->dlambda, m);
    cli_json_numbers(&j, "ds", s->ds, 2 * m);
    return cli_json_print(&j, c, CLI_DONE);
}

static void say_step(const cli* c, const char* path, const sti_l1_step* s) {
    cli_say(c, "%s: one Newton step, n = %d unknowns, m = %d rows\n", path, s->n, s->m);
    cli_say_vector(c, "D", s->D, s->m);
    cli_say_vector(c, "dx", s->dx, s->n);
    if (s->dv != NULL) {
        cli_say_vector(c, "dv", s->dv, 2 * s->m);
        cli_say_vector(c, "dlambda", s->dlambda, s->m);
        cli_say_vector(c, "ds", s->ds, 2 * s->m);
    }
    cli_say(c, "  residual %.2e of A'D^-1 A dx = rhs\n", s->residual);
}

static int newton_step(const cli* c, const cli_solve_request* r, const sti_l1* problem) {
    sti_l1_step_system* system;
    sti_l1_step step;
    if (sti_l1_step_system_load(c->env, problem, r->newton, &system) != STI_OK) return cli_fail_about(c, r->newton);
    int code = CLI_DONE;
    if (sti_l1_newton_step(c->env, problem, system, &step) != STI_OK)
        code = cli_fail_about(c, r->newton);
    else if (c->json)
        code = print_step(c, &step);
    else
        say_step(c, r->path, &step);
    sti_l1_step_clear(c->env, &step);
    sti_l1_step_system_destroy(c->env, system);
    return code;
}

int cli_l1_solve(const cli* c, const cli_solve_request* r, const sti_document* document) {
    const sti_l1* problem = sti_l1_of(document);
    sti_l1_options o;
    int code = make_options(c, r, &o);
    if (code != CLI_DONE) return code;
    if (r->newton != NULL) return newton_step(c, r, problem);
    cli_progress bar = cli_progress_begin();
    if (c->err_terminal && !c->quiet) {
        o.trace = cli_progress_show;
        o.trace_user = &bar;
    }
    sti_l1_answer a;
    const sti_status status = sti_l1_solve(c->env, problem, &o, &a);
    cli_progress_clear(&bar);
    if (status != STI_OK) return cli_fail_about(c, r->path);
    code = report(c, r, &a);
    sti_l1_answer_clear(c->env, &a);
    return code;
}

// ---- verify

static int print_json(const cli* c, const sti_l1_verification* v, int code) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", sti_kind_text(STI_KIND_L1));
    cli_json_bool(&j, "accepted", v->accepted);
    cli_json_number(&j, "residual", v->residual);
    cli_json_number(&j, "objective", v->objective);
    cli_json_number(&j, "gap", v->gap);
    cli_json_text(&j, "text", v->text);
    return cli_json_print(&j, c, code);
}

int cli_l1_verify(const cli* c, const cli_verify_request* r, const sti_document* document) {
    const sti_l1* problem = sti_l1_of(document);
    const double tol = r->tol > 0 ? r->tol : sti_l1_options_default().tol;
    sti_l1_answer answer = {0};
    sti_l1_verification v = {0};
    int code;
    sti_status status = sti_l1_answer_load(c->env, problem, r->answer, &answer);
    if (status == STI_OK) status = sti_verify_l1(c->env, problem, &answer, tol, &v);
    if (status != STI_OK) {
        code = cli_fail_about(c, r->answer);
    } else {
        code = v.accepted ? CLI_DONE : CLI_NO;
        if (c->json) {
            code = print_json(c, &v, code);
        } else {
            cli_say(c, "%s: claims \"%s\"\n", r->answer, sti_outcome_text(answer.outcome));
            cli_say_verdict(c, v.accepted, v.text);
        }
    }
    sti_l1_answer_clear(c->env, &answer);
    return code;
}

// ---- inspect

typedef struct facts {
    long entries, empty_columns;
    double least, largest;  // of |A_ij| that are not 0
    double at_zero;         // |b|_1
} facts;

static facts look(const sti_l1* p) {
    facts f = {.least = INFINITY};
    for (int j = 0; j < p->n; j++) {
        const bool sparse = sti_matrix_is_sparse(&p->A);
        const int64_t begin = sparse ? p->A.col_start[j] : 0, end = sparse ? p->A.col_start[j + 1] : p->m;
        const long before = f.entries;
        for (int64_t k = begin; k < end; k++) {
            const double a = fabs(sparse ? p->A.value[k] : p->A.dense[(size_t)k * (size_t)p->n + (size_t)j]);
            if (!(a > 0)) continue;
            f.entries++;
            f.least = fmin(f.least, a);
            f.largest = fmax(f.largest, a);
        }
        f.empty_columns += f.entries == before;
    }
    for (int i = 0; i < p->m; i++) f.at_zero += fabs(p->b[i]);
    return f;
}

int cli_l1_inspect(const cli* c, const cli_inspect_request* q, const sti_document* document) {
    const sti_l1* problem = sti_l1_of(document);
    const facts f = look(problem);
    if (!c->json) {
        cli_say(c, "%s: l1, n = %d unknowns, m = %d rows, A %s\n", q->path, problem->n, problem->m,
                sti_matrix_is_sparse(&problem->A) ? "sparse" : "dense");
        cli_say(c, "  %ld entries that are not 0, %.3g for each row; sizes from %.3g to %.3g\n", f.entries,
                (double)f.entries / problem->m, f.entries > 0 ? f.least : 0, f.largest);
        if (f.empty_columns > 0) cli_say(c, "  %ld unknowns occur in no row\n", f.empty_columns);
        cli_say(c, "  objective at x = 0: %.12g\n", f.at_zero);
        return CLI_DONE;
    }
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", sti_kind_text(STI_KIND_L1));
    cli_json_integer(&j, "n", problem->n);
    cli_json_integer(&j, "m", problem->m);
    cli_json_bool(&j, "sparse", sti_matrix_is_sparse(&problem->A));
    cli_json_integer(&j, "entry_count", f.entries);
    cli_json_integer(&j, "empty_column_count", f.empty_columns);
    cli_json_number(&j, "least_entry", f.least);
    cli_json_number(&j, "largest_entry", f.entries > 0 ? f.largest : NAN);
    cli_json_number(&j, "objective_at_zero", f.at_zero);
    return cli_json_print(&j, c, CLI_DONE);
}
