// stochastic.c: stochastic programs: solve, sample, one Newton system, verify, inspect.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "documents.h"

// ---- solve

static int make_options(const cli* c, const cli_solve_request* r, sti_stochastic_options* o) {
    *o = sti_stochastic_options_default();
    if (r->tol > 0) o->tol = r->tol;
    if (r->time_limit > 0) o->time_limit_s = r->time_limit;
    if (r->max_iterations > 0) o->max_iterations = r->max_iterations;
    return cli_check_ipm(c, r->solver, "stochastic programs");
}

static void say_answer(const cli* c, const char* path, const sti_stochastic_answer* a) {
    cli_say(c, "%s: stochastic, n = %d variables before, %d scenarios with %zu variables, %d expectation row%s\n", path,
            a->n, a->scenario_count, a->y_count, a->p, a->p == 1 ? "" : "s");
    cli_say(c, "  %s%s%s by ipm, %ld iteration%s, %.3g s\n", cli_conic_color(c, a->outcome),
            sti_conic_outcome_text(a->outcome), cli_plain(c), a->iterations, a->iterations == 1 ? "" : "s", a->time_s);
    switch (a->outcome) {
        case STI_CONIC_SOLVED:
            cli_say(c, "  objective %.12g\n", a->objective);
            cli_say_vector(c, "x", a->x, a->n);
            cli_say_vector(c, "pi", a->pi, a->p);
            cli_say(c, "  shown: no point has an objective lower by more than %.2e, by the multipliers pi and l\n",
                    a->gap * (1 + fabs(a->objective)));
            cli_say(c, "  residual %.2e\n", a->residual);
            break;
        case STI_CONIC_INFEASIBLE:
            if (isfinite(a->bound))
                cli_say(c, "  proved: no feasible point with |(x, y)|_1 below %.3g, by a Farkas vector\n", a->bound);
            else
                cli_say(c, "  proved: no feasible point, by a Farkas vector\n");
            break;
        case STI_CONIC_UNBOUNDED:
            cli_say_vector(c, "direction of x", a->x, a->n);
            cli_say(c, "  shown: a direction along which no row or bound ends and the objective falls\n");
            break;
        default:
            cli_say(c, "  best residual %.2e, gap %.2e\n  proved: nothing\n", a->residual, a->gap);
            break;
    }
    if (a->reason[0] != '\0') cli_say(c, "  reason: %s\n", a->reason);
}

static sti_status solve(const cli* c, sti_stochastic_options* o, const sti_stochastic* p, sti_stochastic_answer* a) {
    cli_progress bar = cli_progress_begin();
    if (c->err_terminal && !c->quiet) {
        o->trace = cli_progress_show;
        o->trace_user = &bar;
    }
    const sti_status status = sti_stochastic_solve(c->env, p, o, a);
    cli_progress_clear(&bar);
    return status;
}

// Alone, from an answer in a file where one is given; or with the others, whose answers then come together in all of
// them.
static sti_status find_answer(const cli* c, const cli_solve_request* r, sti_stochastic_options* o,
                              const sti_stochastic* p, sti_stochastic_answer* a) {
    sti_stochastic_answer start = {0};
    sti_status status = STI_OK;
    if (r->start != NULL) {
        status = sti_stochastic_answer_load(c->env, p, r->start, &start);
        o->start = &start;
    }
    o->team = r->team;
    if (status == STI_OK) status = solve(c, o, p, a);
    sti_stochastic_answer_clear(c->env, &start);
    if (status == STI_OK && r->team != NULL && r->whole) status = sti_stochastic_answer_gather(c->env, r->team, a);
    return status;
}

static int solve_scenarios(const cli* c, const cli_solve_request* r, sti_stochastic_options* o,
                           const sti_stochastic* p) {
    sti_stochastic_answer a = {0};
    char* json = NULL;
    const bool first = r->team == NULL || r->team->rank == 0;
    if (find_answer(c, r, o, p, &a) != STI_OK) return first ? cli_fail_about(c, r->path) : CLI_USAGE;
    int code = a.outcome == STI_CONIC_SOLVED ? CLI_DONE : CLI_NO;
    if (r->team != NULL)
        cli_say(c, "%d ranks, each with its own scenarios%s\n", r->team->size, r->whole ? "" : "; those of the first:");
    if (c->json && sti_stochastic_answer_json(c->env, &a, &json) != STI_OK)
        code = cli_fail_about(c, r->path);
    else if (first && r->output != NULL && sti_stochastic_answer_save(c->env, &a, r->output) != STI_OK)
        code = cli_fail_written(c, r->output);
    else if (c->json)
        printf("%s\n", json);
    else
        say_answer(c, r->path, &a);
    sti_env_free(c->env, json);
    sti_stochastic_answer_clear(c->env, &a);
    return code;
}

// ---- sample averages

typedef struct average {
    long samples, replications, solved;
    sti_average objective;
    int n;
    double* x;       // of the first replication, NULL: none     (n)
    double* values;  // objectives                               (replications)
    double time_s;
    const char* outcome;
} average;

static int print_average(const cli* c, const average* v, int code) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "stochastic-sample");
    cli_json_text(&j, "solver", "ipm");
    cli_json_text(&j, "outcome", v->outcome);
    cli_json_integer(&j, "n", v->n);
    cli_json_integer(&j, "sample_count", v->samples);
    cli_json_integer(&j, "replication_count", v->replications);
    cli_json_integer(&j, "solved_count", v->solved);
    cli_json_number(&j, "objective", v->objective.mean);
    cli_json_number(&j, "deviation", v->objective.deviation);
    const double ends[2] = {v->objective.low, v->objective.high};
    cli_json_numbers(&j, "objective_95", v->solved > 1 ? ends : NULL, 2);
    cli_json_numbers(&j, "objectives", v->values, (size_t)v->solved);
    cli_json_numbers(&j, "x", v->x, (size_t)v->n);
    cli_json_number(&j, "time_s", v->time_s);
    return cli_json_print(&j, c, code);
}

static void say_average(const cli* c, const char* path, const average* v) {
    cli_say(c, "%s: stochastic, sample averages of %ld scenarios, %ld times\n", path, v->samples, v->replications);
    cli_say(c, "  %s%s%s, %.3g s\n", strcmp(v->outcome, "solved") == 0 ? cli_good(c) : cli_bad(c), v->outcome,
            cli_plain(c), v->time_s);
    if (v->solved == 0) return;
    cli_say(c, "  objective %.10g in the mean of %ld", v->objective.mean, v->solved);
    if (v->solved > 1) cli_say(c, " (95 %%: %.10g to %.10g)", v->objective.low, v->objective.high);
    cli_say(c, "\n");
    if (v->x != NULL) cli_say_vector(c, "x of the first", v->x, v->n);
    cli_say(c, "  the least value of a sample is, in the mean, not above that of the distribution\n");
}

// One replication: its value, and its x when it is the first.
static int replicate(const cli* c, const cli_solve_request* r, sti_stochastic_options* o, const sti_document* document,
                     uint64_t* seed, average* v) {
    sti_stochastic* p;
    sti_stochastic_answer a;
    if (sti_stochastic_sample(c->env, document, (int)v->samples, seed, &p) != STI_OK) return cli_fail_about(c, r->path);
    const sti_status status = solve(c, o, p, &a);
    sti_stochastic_sample_destroy(c->env, p);
    if (status != STI_OK) return cli_fail_about(c, r->path);
    int code = CLI_DONE;
    v->outcome = sti_conic_outcome_text(a.outcome);
    v->n = a.n;
    if (a.outcome == STI_CONIC_SOLVED) {
        if (v->solved == 0) {
            v->x = calloc((size_t)a.n + 1, sizeof *v->x);
            if (v->x == NULL) code = cli_fail_memory(c);
            if (v->x != NULL && a.n > 0) memcpy(v->x, a.x, (size_t)a.n * sizeof *v->x);
        }
        v->values[v->solved++] = a.objective;
    }
    sti_stochastic_answer_clear(c->env, &a);
    return code;
}

static int solve_sample(const cli* c, const cli_solve_request* r, sti_stochastic_options* o,
                        const sti_document* document) {
    average v = {.samples = r->samples > 0 ? r->samples : 100,
                 .replications = r->replications > 0 ? r->replications : 10,
                 .outcome = "unknown"};
    uint64_t seed = r->seed > 0 ? (uint64_t)r->seed : 1;
    const double begin = cli_now();
    if (v.samples > 10000000) return cli_fail_usage(c, "--samples: %ld: more than 10000000", v.samples);
    if (v.replications > 100000) return cli_fail_usage(c, "--replications: %ld: more than 100000", v.replications);
    if (r->output != NULL)
        return cli_fail_usage(c, "--output: %s draws its scenarios: there is no one answer", r->path);
    v.values = calloc((size_t)v.replications, sizeof *v.values);
    int code = v.values == NULL ? cli_fail_memory(c) : CLI_DONE;
    for (long k = 0; code == CLI_DONE && k < v.replications; k++) {
        code = replicate(c, r, o, document, &seed, &v);
        if (code == CLI_DONE && v.solved <= k) break;  // one that has no solution says so
        if (cli_limit_reached()) break;
    }
    if (code == CLI_DONE) {
        v.objective = sti_average_of(v.values, v.solved);
        v.time_s = cli_now() - begin;
        code = v.solved == v.replications ? CLI_DONE : CLI_NO;
        if (c->json)
            code = print_average(c, &v, code);
        else
            say_average(c, r->path, &v);
    }
    free(v.x);
    free(v.values);
    return code;
}

// ---- one Newton system

static int print_step(const cli* c, const sti_stochastic* p, const sti_stochastic_step* s) {
    const size_t n = (size_t)s->order;
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "stochastic-step");
    cli_json_integer(&j, "n", p->n);
    cli_json_integer(&j, "p", p->p);
    cli_json_number(&j, "residual", s->residual);
    cli_json_array(&j, "C");
    for (size_t i = 0; i < n; i++) cli_json_numbers(&j, NULL, s->C + i * n, n);
    cli_json_end(&j);
    cli_json_numbers(&j, "eigenvalues", s->eigen, n);
    int positive = 0;
    for (size_t i = 0; i < n; i++) positive += s->eigen[i] > 0;
    const int inertia[2] = {positive, s->order - positive};
    cli_json_indices(&j, "inertia", inertia, 2);
    cli_json_numbers(&j, "z0", s->z0, n);
    cli_json_array(&j, "z");
    double square = 0;
    const double* z = s->z;
    for (int i = 0; i < p->scenario_count; i++) {
        const size_t count = (size_t)p->scenarios[i].m + (size_t)p->scenarios[i].q;
        cli_json_numbers(&j, NULL, z, count);
        z += count;
    }
    cli_json_end(&j);
    for (size_t i = 0; i < n; i++) square += s->z0[i] * s->z0[i];
    for (size_t i = 0; i < s->size; i++) square += s->z[i] * s->z[i];
    cli_json_number(&j, "norm", sqrt(square));
    return cli_json_print(&j, c, CLI_DONE);
}

static int newton_step(const cli* c, const cli_solve_request* r, const sti_stochastic* p) {
    sti_stochastic_system* system;
    sti_stochastic_step step;
    if (sti_stochastic_system_load(c->env, p, r->newton, &system) != STI_OK) return cli_fail_about(c, r->newton);
    int code = CLI_DONE;
    if (sti_stochastic_newton_step(c->env, p, system, &step) != STI_OK) {
        code = cli_fail_about(c, r->newton);
    } else if (c->json) {
        code = print_step(c, p, &step);
    } else {
        cli_say(c, "%s: one Newton system, Schur complement of order %d\n", r->path, step.order);
        cli_say_vector(c, "eigenvalues", step.eigen, step.order);
        cli_say_vector(c, "z0", step.z0, step.order);
        cli_say(c, "  residual %.2e\n", step.residual);
    }
    sti_stochastic_step_clear(c->env, &step);
    sti_stochastic_system_destroy(c->env, system);
    return code;
}

int cli_stochastic_solve(const cli* c, const cli_solve_request* r, const sti_document* document) {
    sti_stochastic_options o;
    const sti_stochastic* p = sti_stochastic_of(document);
    const int code = make_options(c, r, &o);
    if (code != CLI_DONE) return code;
    if (p != NULL && (r->samples > 0 || r->seed > 0 || r->replications > 0))
        return cli_fail_usage(c, "--samples: %s lists its scenarios: nothing is drawn", r->path);
    if (r->start != NULL && (p == NULL || r->newton != NULL || r->team != NULL))
        return cli_fail_usage(
            c, "--start: an answer to scenarios that %s lists is expected, and neither --newton nor --ranks", r->path);
    if (r->team != NULL && r->newton != NULL) return cli_fail_usage(c, "--newton: one process is expected");
    if (p == NULL && r->newton != NULL)
        return cli_fail_usage(c, "--newton: %s draws its scenarios: there is no one system", r->path);
    if (p == NULL) return solve_sample(c, r, &o, document);
    return r->newton != NULL ? newton_step(c, r, p) : solve_scenarios(c, r, &o, p);
}

// ---- verify

static int print_json(const cli* c, const sti_stochastic_verification* v, int code) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", sti_kind_text(STI_KIND_STOCHASTIC));
    cli_json_bool(&j, "accepted", v->accepted);
    cli_json_bool(&j, "convex", v->convex);
    cli_json_text(&j, "claim", sti_conic_outcome_text(v->claim));
    cli_json_number(&j, "residual", v->residual);
    cli_json_number(&j, "objective", v->objective);
    cli_json_number(&j, "gap", v->gap);
    cli_json_number(&j, "bound", v->bound);
    cli_json_text(&j, "text", v->text);
    return cli_json_print(&j, c, code);
}

int cli_stochastic_verify(const cli* c, const cli_verify_request* r, const sti_document* document) {
    const sti_stochastic* p = sti_stochastic_of(document);
    sti_stochastic_answer answer = {0};
    sti_stochastic_verification v = {0};
    int code;
    if (p == NULL) return cli_fail_usage(c, "%s: draws its scenarios: there is no one answer to check", r->path);
    sti_status status = sti_stochastic_answer_load(c->env, p, r->answer, &answer);
    if (status == STI_OK) status = sti_verify_stochastic(c->env, p, &answer, r->tol > 0 ? r->tol : 1e-7, &v);
    if (status != STI_OK) {
        code = cli_fail_about(c, r->answer);
    } else {
        code = v.accepted ? CLI_DONE : CLI_NO;
        if (c->json) {
            code = print_json(c, &v, code);
        } else {
            cli_say(c, "%s: claims \"%s\"\n", r->answer, sti_conic_outcome_text(v.claim));
            cli_say_verdict(c, v.accepted, v.text);
        }
    }
    sti_stochastic_answer_clear(c->env, &answer);
    return code;
}

// ---- inspect

int cli_stochastic_inspect(const cli* c, const cli_inspect_request* r, const sti_document* document) {
    const char* path = r->path;
    const sti_stochastic* p = sti_stochastic_of(document);
    if (p == NULL) return cli_fail_usage(c, "%s: draws its scenarios: inspect takes those that list them", path);
    long long variables = 0, rows = 0, equations = 0;
    double least = INFINITY, most = 0;
    for (int i = 0; i < p->scenario_count; i++) {
        const sti_scenario* s = &p->scenarios[i];
        variables += s->m;
        rows += s->q;
        for (int k = 0; k < s->q; k++) equations += s->dl == NULL || s->du == NULL || s->dl[k] >= s->du[k];
        least = fmin(least, s->probability);
        most = fmax(most, s->probability);
    }
    if (!c->json) {
        cli_say(c, "%s: stochastic, n = %d variables before, p = %d expectation rows\n", path, p->n, p->p);
        cli_say(c, "  %d scenarios with probabilities from %.4g to %.4g\n", p->scenario_count, least, most);
        cli_say(c, "  %lld variables in them, %lld rows, %lld of those equations\n", variables, rows, equations);
        return CLI_DONE;
    }
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", sti_kind_text(STI_KIND_STOCHASTIC));
    cli_json_integer(&j, "n", p->n);
    cli_json_integer(&j, "p", p->p);
    cli_json_integer(&j, "scenario_count", p->scenario_count);
    cli_json_integer(&j, "variable_count", variables);
    cli_json_integer(&j, "row_count", rows);
    cli_json_integer(&j, "equation_count", equations);
    cli_json_number(&j, "least_probability", least);
    cli_json_number(&j, "largest_probability", most);
    return cli_json_print(&j, c, CLI_DONE);
}
