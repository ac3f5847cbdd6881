// analyze_closure.c: stiction analyze closure: can the contacts balance every load on an object (S0 remark 6)?
#include <math.h>
#include <stdlib.h>

#include "analyze.h"

typedef struct request {
    cli_at at;
    const char* path;
    cli_list object;
    long facets;
    double tol;
} request;

static void put(cli_json* j, const cli* c, const char* key, const sti_closure* v) {
    cli_json_object(j, key);
    cli_json_verdict(j, "closed", v->closed);
    cli_json_bool(j, "exact", v->exact);
    cli_json_text(j, "reason", v->reason);
    cli_json_integer(j, "rank", v->rank);
    cli_json_number(j, "margin", v->margin);
    cli_json_indices(j, "contacts", v->contact, (size_t)v->contact_count);
    cli_json_numbers(j, "lambda", v->lambda, (size_t)v->multiplier_count);
    if (v->lambda_exact != NULL)
        cli_json_rationals(j, c, "lambda_exact", v->lambda_exact, 0, (size_t)v->multiplier_count);
    cli_json_numbers(j, "y", v->y, (size_t)v->n);
    if (v->y_exact != NULL) cli_json_rationals(j, c, "y_exact", v->y_exact, 0, (size_t)v->n);
    cli_json_end(j);
}

static void say_vector(const cli* c, const char* label, const double* x, int count) {
    double size = 0;
    for (int k = 0; k < count; k++) size = fmax(size, fabs(x[k]));
    cli_say(c, "    %s = (", label);
    for (int k = 0; k < count; k++) cli_say(c, "%s%.6g", k > 0 ? ", " : "", fabs(x[k]) < 1e-8 * size ? 0 : x[k] / size);
    cli_say(c, ")\n");
}

static void say(const cli* c, const sti_instant* in, const char* what, const sti_closure* v) {
    cli_say(c, "  %s: %s%s%s%s\n", what,
            v->closed == STI_YES  ? cli_good(c)
            : v->closed == STI_NO ? cli_bad(c)
                                  : cli_unsure(c),
            v->closed == STI_YES  ? "yes"
            : v->closed == STI_NO ? "no"
                                  : "not decided",
            cli_plain(c), v->exact ? ", proved without rounding" : "");
    cli_say(c, "    %s\n", v->reason);
    if (v->closed == STI_NO) say_vector(c, "y", v->y, v->n);
    for (int i = 0, at = 0; v->closed == STI_YES && i < v->contact_count; i++) {
        const sti_instant_contact* contact = &in->contacts[v->contact[i]];
        char label[64];
        snprintf(label, sizeof label, "lambda of %.40s", contact->name);
        say_vector(c, label, v->lambda + at, 1 + contact->tangent_count);
        at += 1 + contact->tangent_count;
    }
}

static int answer(const cli* c, const request* r, const sti_instant* in) {
    sti_closure force = {0}, form = {0};
    sti_closure_options options = sti_closure_options_default();
    int code = CLI_DONE, *object = malloc(((size_t)r->object.count + 1) * sizeof *object);
    if (object == NULL) return cli_fail_memory(c);
    for (int k = 0; code == CLI_DONE && k < r->object.count; k++) {
        object[k] = (int)r->object.value[k];
        if (object[k] != r->object.value[k] || object[k] < 0 || object[k] >= in->n ||
            (k > 0 && object[k] <= object[k - 1]))
            code = cli_fail_usage(c, "--object: %g: velocities from 0 to %d, ascending", r->object.value[k], in->n - 1);
    }
    options.object_count = r->object.count;
    options.object = object;
    options.facets = (int)r->facets;
    if (r->tol > 0) options.tol = r->tol;
    if (code == CLI_DONE && (sti_force_closure(c->env, in, &options, &force) != STI_OK ||
                             sti_form_closure(c->env, in, &options, &form) != STI_OK))
        code = cli_fail_about(c, r->path);
    if (code == CLI_DONE) {
        code = force.closed == STI_YES ? CLI_DONE : CLI_NO;
        cli_say(c, "%s: %d contacts on %d coordinates\n", r->path, force.contact_count, force.n);
        say(c, in, "force closure", &force);
        say(c, in, "form closure", &form);
        if (c->json) {
            cli_json j;
            cli_json_begin(&j);
            cli_json_text(&j, "kind", "closure");
            cli_json_text(&j, "file", r->path);
            put(&j, c, "force", &force);
            put(&j, c, "form", &form);
            code = cli_json_print(&j, c, code);
        }
    }
    sti_closure_clear(c->env, &force);
    sti_closure_clear(c->env, &form);
    free(object);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    request r = {0};
    const cli_option options[] = {
        CLI_AT_OPTIONS(r.at),
        {"--object", CLI_LIST, "I,..", "velocities of the object, from 0 (default: all)", &r.object},
        {"--facets", CLI_COUNT, "K", "friction in space by the inner polygon with K corners (default: the disc)",
         &r.facets},
        {"--tol", CLI_POSITIVE, "TOL", "margin below which discs do not close (1e-9)", &r.tol},
    };
    char* positional[1];
    int code;
    if (cli_parse(c, options, sizeof options / sizeof options[0], argc, argv, positional, 1, 1, &code) >= 0) {
        r.path = positional[0];
        cli_instant in;
        code = r.facets == 0 || (r.facets >= 3 && r.facets <= 360)
                   ? cli_instant_load(c, r.path, &r.at, &in)
                   : cli_fail_usage(c, "--facets: %ld: 3 to 360 expected", r.facets);
        if (code == CLI_DONE) {
            code = answer(c, &r, in.instant);
            cli_instant_clear(c, &in);
        }
    }
    cli_at_clear(&r.at);
    free(r.object.value);
    return code;
}

const cli_verb cli_analyze_closure = {
    .name = "analyze closure",
    .arguments = "FILE [options]",
    .summary = "force closure and form closure, with a witness either way",
    .details =
        "Force closure: the contact forces, each within its friction cone, can balance every load on the object. Form\n"
        "closure: the normals alone can. Yes comes with forces strictly inside the cones that balance themselves; no "
        "with\n"
        "a load y that nothing balances: no admissible contact force has a positive part along it.\n"
        "\n"
        "Exit codes: 0 force closure, 1 none or not decided, 2 bad usage or input, 3 internal failure.\n"
        "\n"
        "example:\n"
        "    stiction analyze closure three-fingers --object 0,1,2\n",
    .run = run,
};
