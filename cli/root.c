// root.c: stiction root: roots of equations, each in a proved interval.
#include <math.h>
#include <string.h>

#include "cli.h"

typedef struct request {
    const char* path;
    const char* method;
    long seed, runs;
    bool verify;
} request;

// ---- text

static void say_root(const cli* c, const sti_root_problem* p, const sti_root* r) {
    for (int k = 0; k < p->variable_count; k++) {
        const sti_interval x = r->x[k];
        if (x.low == x.high)
            cli_say(c, "  %s%s = %.17g%s\n", k == 0 ? "" : "  ", p->variables[k], x.low, k == 0 ? ", exactly" : "");
        else
            cli_say(c, "  %s%s in [%.17g, %.17g]\n", k == 0 ? "" : "  ", p->variables[k], x.low, x.high);
    }
    cli_say(c, "    %s%s%s", sti_root_proof_text(r->proof),
            r->region != NULL && r->proof != STI_ROOT_UNIQUE ? ", and no other one near it" : "",
            r->edge ? "; it may lie just outside the box" : "");
    if (r->runs > 0) cli_say(c, "; %ld runs ended there", r->runs);
    cli_say(c, "\n");
}

static void say_runs(const cli* c, const sti_root_answer* a) {
    const sti_root_runs* r = &a->runs;
    cli_say(c, "  %ld of %ld runs ended at a root: %.4g (95 %%: %.4g to %.4g)", r->successes, r->runs, r->rate,
            r->rate_low, r->rate_high);
    if (r->successes > 0) cli_say(c, ", after %.4g steps in the mean", r->mean_iterations);
    cli_say(c, "\n");
    if (r->spurious > 0) cli_say(c, "  %ld runs ended where |f| is small and no root is near\n", r->spurious);
    cli_say(c, "  Newton's method from the same start: %s after %ld steps\n",
            r->newton_converged ? "a root" : "no root", r->newton_iterations);
}

static void say_order(const cli* c, const sti_root_order* o) {
    if (o->count < 3) {
        cli_say(c, "  order of convergence: the iteration with gamma = %g does not converge from here\n", o->gamma);
        return;
    }
    cli_say(c, "  order of convergence with gamma = %g:", o->gamma);
    for (int k = 0; k + 2 < o->count; k++) cli_say(c, " %.5g", o->order[k]);
    cli_say(c, "\n");
}

static void say(const cli* c, const request* r, const sti_root_problem* p, const sti_root_answer* a) {
    const char* color = a->outcome == STI_SOLVED ? cli_good(c) : a->outcome == STI_UNKNOWN ? cli_unsure(c) : cli_bad(c);
    cli_say(c, "%s: %d equation%s, method %s\n", r->path, a->n, a->n == 1 ? "" : "s", sti_root_method_text(a->method));
    if (a->outcome == STI_NO_SOLUTION)
        cli_say(c, "  %sno root%s in the box: proved over %d parts of it\n", color, cli_plain(c), a->leaf_count);
    else if (a->method == STI_ROOT_ALL)
        cli_say(c, "  %s%d root%s%s%s\n", color, a->root_count, a->root_count == 1 ? "" : "s", cli_plain(c),
                a->complete ? ": proved, and there is no other one in the box" : "; not all of the box is decided");
    else
        cli_say(c, "  %s%s%s\n", color, a->root_count > 0 ? "a root" : "unknown", cli_plain(c));
    if (a->method == STI_ROOT_NEWTON_MC) say_runs(c, a);
    for (int i = 0; i < a->root_count; i++) say_root(c, p, &a->roots[i]);
    for (int i = 0; i < a->open_count && i < 8; i++)
        cli_say(c, "  open: %s in [%.10g, %.10g]\n", p->variables[0], a->open[(size_t)i * (size_t)a->n].low,
                a->open[(size_t)i * (size_t)a->n].high);
    if (a->order.iterate != NULL) say_order(c, &a->order);
    if (a->reason[0] != '\0') cli_say(c, "  reason: %s\n", a->reason);
    cli_say(c, "  %ld evaluations of f and f', %.3g s\n", a->evaluations, a->time_s);
}

// ---- JSON

static void put_box(cli_json* j, const char* key, const sti_interval* x, int n) {
    cli_json_array(j, key);
    for (int k = 0; k < n; k++) {
        const double ends[2] = {x[k].low, x[k].high};
        cli_json_numbers(j, NULL, ends, 2);
    }
    cli_json_end(j);
}

static void put_optional_box(cli_json* j, const char* key, const sti_interval* x, int n) {
    if (x != NULL)
        put_box(j, key, x, n);
    else
        cli_json_null(j, key);
}

static void put_root(cli_json* j, const sti_root* r, int n) {
    static const char* const proofs[] = {"unique", "exact", "sign-change"};
    double middle[STI_ROOT_VARIABLES_MOST];
    for (int k = 0; k < n; k++) middle[k] = r->x[k].low + (r->x[k].high - r->x[k].low) / 2;
    cli_json_object(j, NULL);
    cli_json_numbers(j, "x", middle, (size_t)n);
    put_box(j, "interval", r->x, n);
    cli_json_text(j, "proof", proofs[r->proof]);
    cli_json_bool(j, "unique", r->region != NULL);
    put_optional_box(j, "region", r->region, n);
    cli_json_number(j, "width", r->width);
    cli_json_bool(j, "edge", r->edge);
    cli_json_integer(j, "run_count", r->runs);
    cli_json_end(j);
}

static void put_runs(cli_json* j, const sti_root_answer* a) {
    const sti_root_runs* r = &a->runs;
    if (a->method != STI_ROOT_NEWTON_MC) {
        cli_json_null(j, "runs");
        cli_json_null(j, "newton");
        return;
    }
    cli_json_object(j, "runs");
    cli_json_integer(j, "run_count", r->runs);
    cli_json_integer(j, "success_count", r->successes);
    cli_json_integer(j, "spurious_count", r->spurious);
    cli_json_number(j, "rate", r->rate);
    const double ends[2] = {r->rate_low, r->rate_high};
    cli_json_numbers(j, "rate_95", ends, 2);
    cli_json_number(j, "mean_iterations", r->mean_iterations);
    cli_json_integer(j, "evaluation_count", r->evaluations);
    cli_json_end(j);
    cli_json_object(j, "newton");
    cli_json_bool(j, "converged", r->newton_converged);
    cli_json_integer(j, "iterations", r->newton_iterations);
    cli_json_array(j, "iterates");
    for (int k = 0; k < r->iterate_count; k++) cli_json_numbers(j, NULL, r->newton_iterate[k], (size_t)a->n);
    cli_json_end(j);
    cli_json_end(j);
}

static void put_order(cli_json* j, const sti_root_order* o, int n) {
    const int count = o->count;
    if (!(o->gamma >= 0) || o->iterate == NULL) {
        cli_json_null(j, "order");
        return;
    }
    cli_json_object(j, "order");
    cli_json_number(j, "gamma", o->gamma);
    cli_json_array(j, "iterates");
    for (int k = 0; k < count; k++) cli_json_numbers(j, NULL, o->iterate + (ptrdiff_t)k * n, (size_t)n);
    cli_json_end(j);
    cli_json_numbers(j, "log10_errors", o->log10_error, (size_t)count);
    cli_json_numbers(j, "orders", o->order, count > 2 ? (size_t)count - 2 : 0);
    cli_json_end(j);
}

static void put_certificate(cli_json* j, const sti_root_answer* a) {
    int none = 0, root = 0;
    for (int i = 0; i < a->leaf_count; i++) {
        none += a->leaf[i] == STI_ROOT_LEAF_NONE;
        root += a->leaf[i] == STI_ROOT_LEAF_ROOT;
    }
    cli_json_object(j, "certificate");
    cli_json_integer(j, "box_count", a->leaf_count);
    cli_json_integer(j, "empty_count", none);
    cli_json_integer(j, "root_count", root);
    cli_json_integer(j, "open_count", a->leaf_count - none - root);
    cli_json_end(j);
}

static void put_verification(cli_json* j, const sti_root_verification* v) {
    if (v == NULL) {
        cli_json_null(j, "verification");
        return;
    }
    cli_json_object(j, "verification");
    cli_json_bool(j, "accepted", v->accepted);
    cli_json_integer(j, "root_count", v->roots_checked);
    cli_json_integer(j, "box_count", v->boxes_checked);
    cli_json_text(j, "text", v->text);
    cli_json_end(j);
}

static int print_json(const cli* c, const sti_root_problem* p, const sti_root_answer* a, const sti_root_verification* v,
                      int code) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", sti_kind_text(STI_KIND_ROOT));
    cli_json_text(&j, "solver", sti_root_method_text(a->method));
    cli_json_text(&j, "outcome", sti_outcome_text(a->outcome));
    cli_json_bool(&j, "complete", a->complete);
    cli_json_array(&j, "variables");
    for (int k = 0; k < a->n; k++) cli_json_text(&j, NULL, p->variables[k]);
    cli_json_end(&j);
    put_optional_box(&j, "box", a->box, a->n);
    cli_json_array(&j, "roots");
    for (int i = 0; i < a->root_count; i++) put_root(&j, &a->roots[i], a->n);
    cli_json_end(&j);
    cli_json_array(&j, "open");
    for (int i = 0; i < a->open_count; i++) put_box(&j, NULL, a->open + (ptrdiff_t)i * a->n, a->n);
    cli_json_end(&j);
    cli_json_text(&j, "reason", a->reason[0] != '\0' ? a->reason : NULL);
    put_runs(&j, a);
    put_order(&j, &a->order, a->n);
    put_certificate(&j, a);
    cli_json_integer(&j, "evaluation_count", a->evaluations);
    cli_json_integer(&j, "iterations", a->boxes);
    cli_json_number(&j, "time_s", a->time_s);
    put_verification(&j, v);
    return cli_json_print(&j, c, code);
}

// ---- the verb

static int make_options(const cli* c, const request* r, sti_root_options* o) {
    if (r->seed >= 0) o->seed = (uint64_t)r->seed;
    if (r->runs > 0) o->runs = r->runs;
    if (c->time_limit > 0) o->time_limit_s = cli_limit_soft(c);
    if (r->method == NULL) return CLI_DONE;
    for (int k = STI_ROOT_SAFE; k <= STI_ROOT_NEWTON_MC; k++) {
        if (strcmp(r->method, sti_root_method_text((sti_root_method)k)) != 0) continue;
        o->method = (sti_root_method)k;
        return CLI_DONE;
    }
    return cli_fail_usage(c, "--method: %.60s: no such method; there are safe, all and newton-mc", r->method);
}

static int exit_code(const sti_root_answer* a) {
    const bool good = a->outcome == STI_SOLVED && (a->method != STI_ROOT_ALL || a->complete);
    return good ? CLI_DONE : CLI_NO;
}

static int answer(const cli* c, const request* r, const sti_root_problem* p) {
    sti_root_options o = p->options;
    sti_root_answer a;
    sti_root_verification v = {0};
    int code = make_options(c, r, &o);
    if (code != CLI_DONE) return code;
    if (sti_root_solve(c->env, p, &o, &a) != STI_OK) return cli_fail_about(c, r->path);
    code = exit_code(&a);
    if (r->verify && sti_verify_root(c->env, p, &a, &v) != STI_OK) {
        code = cli_fail_about(c, r->path);
    } else {
        if (r->verify && !v.accepted) code = CLI_NO;
        if (c->json) {
            code = print_json(c, p, &a, r->verify ? &v : NULL, code);
        } else {
            say(c, r, p, &a);
            if (r->verify) cli_say_verdict(c, v.accepted, v.text);
        }
    }
    sti_root_answer_clear(c->env, &a);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    request r = {.seed = -1};
    const cli_option options[] = {
        {"--method", CLI_TEXT, "NAME", "safe, all or newton-mc (default: what the file says, or safe)", &r.method},
        {"--seed", CLI_COUNT, "N", "of newton-mc", &r.seed},
        {"--runs", CLI_COUNT, "N", "of newton-mc", &r.runs},
        {"--verify", CLI_FLAG, NULL, "have the answer checked by code that shares nothing with the search", &r.verify},
    };
    char* positional[1];
    int code;
    if (cli_parse(c, options, sizeof options / sizeof options[0], argc, argv, positional, 1, 1, &code) < 0) return code;
    sti_document* document;
    r.path = positional[0];
    code = cli_load(c, r.path, &document);
    if (code != CLI_DONE) return code;
    code = answer(c, &r, sti_root_problem_of(document));
    sti_document_destroy(document);
    return code;
}

const cli_verb cli_verb_root = {
    .name = "root",
    .arguments = "FILE [options]",
    .summary = "roots of equations, each in a proved interval",
    .details =
        "The file has variables with a box and as many equations (docs/bounds.md):\n"
        "    {\"kind\": \"root\", \"variables\": {\"x\": [-10, 10]}, \"equations\": [\"cos(x) = x\"], "
        "\"start\": [1]}\n\n"
        "safe finds one root, or proves that the box holds none. all finds all of them and proves that there are\n"
        "no others. newton-mc runs Newton's method with random weights from the start, and counts where the runs\n"
        "end. An interval is a theorem: the equations have a root in it. What cannot be decided (multiple roots,\n"
        "formulas without a value) is listed as open, with the reason.\n\n"
        "Exit codes: 0 a root (all: all of them), 1 none or not decided, 2 bad usage or input, 3 internal\n"
        "failure.\n\n"
        "example:\n"
        "    echo '{\"kind\": \"root\", \"variables\": {\"x\": [-10, 10]}, \"equations\": [\"sin(10*x) + x/2 "
        "= 1\"]}' > r.json\n"
        "    stiction root r.json\n"
        "    stiction root r.json --method all --verify\n",
    .use = STI_USE_ROOT,
    .run = run,
};
