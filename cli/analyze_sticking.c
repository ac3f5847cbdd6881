// analyze_sticking.c: stiction analyze sticking: can all contacts stick at this instant (S0), and what would make them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page_answers.h"
#include "sticking.h"

const char* cli_sticking_name(const sti_instant* in, const sti_sticking* s, int i) {
    return in->contacts[s->answer.contact[i]].name;
}

static int set_options(const cli* c, cli_sticking_request* r) {
    r->options = sti_sticking_options_default();
    if (r->facets != 0 && (r->facets < 3 || r->facets > 360))
        return cli_fail_usage(c, "--facets: %ld: 3 to 360 expected", r->facets);
    r->options.facets = (int)r->facets;
    if (r->tol > 0) r->options.tol = r->tol;
    r->options.lipschitz = r->lipschitz;
    r->options.force_limit = r->force_limit;
    r->options.time_limit_s = c->time_limit > 0 ? cli_limit_soft(c) : CLI_USUAL_LIMIT;
    return CLI_DONE;
}

static bool is_pressed(const sti_instant* in, size_t j) {
    for (int i = 0; i < in->contact_count; i++) {
        if (in->contacts[i].pressed && in->contacts[i].n[j] != 0) return true;
    }
    return false;
}

// The least change of F, in the Euclidean norm: within the bounds given, or anywhere.
static sti_status ask_change(const cli* c, const cli_sticking_request* r, const sti_instant* in,
                             cli_sticking_extra* x) {
    const size_t n = (size_t)in->n;
    double* room = malloc((3 * n + 1) * sizeof *room);
    if (room == NULL) return STI_ERR_MEMORY;
    for (size_t j = 0; j < n; j++) {
        room[j] = 1;
        room[n + j] = r->bounds.value != NULL ? r->bounds.value[2 * j] : -INFINITY;
        room[2 * n + j] = r->bounds.value != NULL ? r->bounds.value[2 * j + 1] : INFINITY;
        // the bound of a motor or of friction in a joint is no load
        if (r->bounds.value == NULL && is_pressed(in, j)) room[n + j] = room[2 * n + j] = 0;
    }
    const sti_force_choice choice = {.count = in->n, .weight = room, .low = room + n, .high = room + 2 * n};
    const sti_status status = sti_sticking_force(c->env, in, &r->options, &choice, &x->change);
    free(room);
    x->change_asked = true;
    return status;
}

static int check_lists(const cli* c, const cli_sticking_request* r, const sti_instant* in) {
    if (r->direction.value != NULL && r->direction.count != in->n)
        return cli_fail_usage(c, "--force-direction: %d numbers, and there are %d velocities", r->direction.count,
                              in->n);
    if (r->bounds.value != NULL && r->bounds.count != 2 * in->n)
        return cli_fail_usage(c, "--force-bounds: %d numbers, and there are %d velocities: low and high for each",
                              r->bounds.count, in->n);
    for (int j = 0; j < r->bounds.count / 2; j++)
        if (r->bounds.value[2 * j] > r->bounds.value[2 * j + 1])
            return cli_fail_usage(c, "--force-bounds: velocity %d: %g is above %g", j, r->bounds.value[2 * j],
                                  r->bounds.value[2 * j + 1]);
    return CLI_DONE;
}

static bool has_discs(const cli_sticking_request* r, const sti_instant* in) {
    bool discs = false;
    for (int i = 0; r->facets == 0 && i < in->contact_count; i++)
        discs = discs || (in->contacts[i].tangent_count == 2 && in->contacts[i].mu > 0);
    return discs;
}

// How far F may move along each velocity by itself; NAN where it sticks nowhere, or in several pieces.
static sti_status ask_extent(const cli* c, const cli_sticking_request* r, const sti_instant* in,
                             cli_sticking_extra* x) {
    const size_t n = (size_t)in->n;
    double* d = calloc(n + 1, sizeof *d);
    x->extent = malloc((2 * n + 1) * sizeof *x->extent);
    sti_status status = d != NULL && x->extent != NULL ? STI_OK : STI_ERR_MEMORY;
    for (size_t j = 0; status == STI_OK && j < n; j++) {
        sti_force_intervals line;
        d[j] = 1;
        status = sti_sticking_force_line(c->env, in, &r->options, d, &line);
        d[j] = 0;
        if (status != STI_OK) break;
        x->extent[2 * j] = line.count == 1 ? line.low[0] : NAN;
        x->extent[2 * j + 1] = line.count == 1 ? line.high[0] : NAN;
        sti_force_intervals_clear(c->env, &line);
    }
    free(d);
    return status;
}

static int ask_extra(const cli* c, const cli_sticking_request* r, const sti_instant* in, const sti_sticking* s,
                     cli_sticking_extra* x) {
    sti_status status = STI_OK;
    if (r->direction.value != NULL) {
        x->line_asked = true;
        status = sti_sticking_force_line(c->env, in, &r->options, r->direction.value, &x->line);
    }
    if (status == STI_OK && (r->bounds.value != NULL || s->answer.outcome == STI_STICKING_NO))
        status = ask_change(c, r, in, x);
    if (status == STI_OK && r->forces && has_discs(r, in)) {
        status = ask_extent(c, r, in, x);
    } else if (status == STI_OK && r->forces) {
        x->set_asked = true;
        status = sti_sticking_force_set(c->env, in, &r->options, &x->set);
    }
    if (status == STI_OK && r->load_rate > 0)
        status = sti_sticking_lasts(c->env, in, &r->options, r->load_rate, &x->lasts);
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, r->path);
}

static int write_page(const cli* c, const cli_sticking_request* r, const cli_instant* of, const sti_sticking* s,
                      const sti_sticking_verification* v) {
    cli_page p;
    cli_shown shown;
    int code = cli_instant_shown(c, of, NULL, 0, &shown);
    if (code != CLI_DONE) return code;
    code = cli_instant_page_begin(c, &p, r->path, of, &shown);
    if (code == CLI_DONE) {
        cli_json_object(&p.json, NULL);
        cli_answer_sticking(&p.json, &shown, s, v);
        code = cli_page_save(c, &p, r->page);
        if (code == CLI_DONE) cli_say(c, "%s: opens in a browser\n", r->page);
    }
    cli_shown_clear(&shown);
    return code;
}

static int answer(const cli* c, const cli_sticking_request* r, const cli_instant* of) {
    const sti_instant* in = of->instant;
    sti_sticking* s = NULL;
    cli_sticking_extra x = {0};
    int code = check_lists(c, r, in);
    if (code != CLI_DONE) return code;
    if (sti_sticking_create(c->env, in, &r->options, &s) != STI_OK) return cli_fail_about(c, r->path);
    code = ask_extra(c, r, in, s, &x);
    if (code == CLI_DONE && (r->verify || r->page != NULL)) {
        x.verified = r->verify;
        if (sti_verify_sticking(c->env, in, &s->answer, r->options.tol, &x.verification) != STI_OK)
            code = cli_fail_about(c, r->path);
    }
    if (code == CLI_DONE && r->page != NULL) code = write_page(c, r, of, s, &x.verification);
    if (code == CLI_DONE && r->output != NULL && sti_sticking_answer_save(c->env, &s->answer, r->output) != STI_OK)
        code = cli_fail_written(c, r->output);
    if (code == CLI_DONE) {
        code = s->answer.outcome == STI_STICKING_YES ? CLI_DONE : CLI_NO;
        if (c->json)
            code = cli_sticking_json(c, r, in, s, &x, code);
        else if (r->proposition != NULL)
            code = cli_sticking_proposition(c, r, s);
        else if (r->steps)
            cli_sticking_steps(c, in, s, &x);
        else
            cli_sticking_text(c, r, in, s, &x);
        if (x.verified && !c->json) cli_sticking_say_verified(c, &x.verification);
        if (x.verified && !x.verification.accepted) code = CLI_INTERNAL;
    }
    sti_force_intervals_clear(c->env, &x.line);
    sti_force_answer_clear(c->env, &x.change);
    sti_force_set_clear(c->env, &x.set);
    sti_sticking_time_clear(c->env, &x.lasts);
    free(x.extent);
    sti_sticking_destroy(s);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    cli_sticking_request r = {0};
    const cli_option options[] = {
        CLI_AT_OPTIONS(r.at),
        {"--facets", CLI_COUNT, "K", "friction in space by the inner polygon with K corners (default: the disc)",
         &r.facets},
        {"--tol", CLI_POSITIVE, "TOL", "width of the limit band, relative to the forces (1e-9)", &r.tol},
        {"--steps", CLI_FLAG, NULL, "the algorithm of S0 section 4.2, step by step", &r.steps},
        {"--propositions", CLI_FLAG, NULL, "the verdict of every proposition of S0", &r.table},
        {"--proposition", CLI_TEXT, "ID", "one of them with its numbers: P6.i, C2, L1, E69, MFCQ, ...", &r.proposition},
        {"--force-direction", CLI_LIST, "D,..", "all tau for which it sticks under F + tau D", &r.direction},
        {"--force-bounds", CLI_LIST, "L,H,..",
         "least change of F that makes it stick, within L and H for each velocity", &r.bounds},
        {"--forces", CLI_FLAG, NULL,
         "the set of all F for which it sticks: its faces, or its extent along each velocity", &r.forces},
        {"--lipschitz", CLI_POSITIVE, "L", "bound on the rate of each contact's force: time to slip (proposition 4)",
         &r.lipschitz},
        {"--load-rate", CLI_POSITIVE, "L", "bound on the rate of F: time to slip, with all contacts coupled",
         &r.load_rate},
        {"--force-limit", CLI_POSITIVE, "N",
         "largest normal force to consider for the least friction (1e4 times the load)", &r.force_limit},
        {"--output", CLI_TEXT, "FILE", "the answer with its proof, for stiction verify", &r.output},
        {"--page", CLI_TEXT, "HTML", "the contacts with their forces, cones and margins, as a page", &r.page},
        {"--verify", CLI_FLAG, NULL, "check the answer independently: proofs, contacts that open, every proposition",
         &r.verify},
    };
    char* positional[1];
    int code;
    if (cli_parse(c, options, sizeof options / sizeof options[0], argc, argv, positional, 1, 1, &code) >= 0) {
        r.path = positional[0];
        code = set_options(c, &r);
        cli_instant in;
        if (code == CLI_DONE) code = cli_instant_load(c, r.path, &r.at, &in);
        if (code == CLI_DONE) {
            r.note = in.note;
            code = answer(c, &r, &in);
            cli_instant_clear(c, &in);
        }
    }
    cli_at_clear(&r.at);
    free(r.direction.value);
    free(r.bounds.value);
    return code;
}

const cli_verb cli_analyze_sticking = {
    .name = "analyze sticking",
    .arguments = "FILE [options]",
    .summary = "can all contacts stick, with multipliers or a proof that they cannot",
    .details =
        "All sticking: no acceleration along normals and tangents, lambda_n >= 0 at unilateral contacts, lambda_t\n"
        "within mu |lambda_n| (S0 equation 61). Decided over all multipliers: yes with multipliers and margins,\n"
        "no with a motion that no admissible contact force can drive. Contacts that slide keep sliding (S0\n"
        "section 5). Beside it: the least-norm multipliers, the range of each, the version in which contacts may\n"
        "open (60), the least coefficient of friction. Plane contacts and polygons are decided without rounding.\n"
        "docs/sticking.md says more.\n"
        "In a scene of bodies the dry friction of joints, and motors at their speed, are contacts too: they hold\n"
        "up to their bound. A motor that has not reached its speed pushes with all its force.\n\n"
        "Exit codes: 0 sticks, 1 does not or not decided, 2 bad usage or input, 3 internal failure, also an\n"
        "answer that --verify does not accept.\n\n"
        "example:\n"
        "    stiction analyze sticking ladder --steps\n"
        "    stiction analyze sticking arch --page arch.html\n",
    .use = STI_USE_ANALYZE,
    .run = run,
};
