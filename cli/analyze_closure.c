// analyze_closure.c: stiction analyze closure: can the contacts balance every load on an object (S0 remark 6), with how
// little friction, and how well?
#include <math.h>
#include <stdlib.h>

#include "analyze.h"
#include "closure.h"
#include "page_answers.h"
#include "tables.h"

enum { FACE_LIMIT = 200000 };  // of the check of the quality
#define CHECK_TOL 1e-8         // of the checks of closure

static void put(cli_json* j, const cli* c, const char* key, const sti_closure* v) {
    cli_json_object(j, key);
    cli_json_verdict(j, "closed", v->closed);
    cli_json_bool(j, "exact", v->exact);
    cli_json_text(j, "reason", v->reason);
    cli_json_integer(j, "rank", v->rank);
    cli_json_number(j, "margin", v->margin);
    cli_json_indices(j, "contacts", v->contact, (size_t)v->contact_count);
    cli_json_numbers(j, "lambda", v->lambda, (size_t)v->multiplier_count);
    cli_json_rationals(j, c, "lambda_exact", v->lambda_exact, 0, (size_t)v->multiplier_count);
    cli_json_numbers(j, "y", v->y, (size_t)v->n);
    cli_json_rationals(j, c, "y_exact", v->y_exact, 0, (size_t)v->n);
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

// ---- friction and quality

static void put_friction(cli_json* j, const char* key, const sti_grasp_friction* f) {
    cli_json_object(j, key);
    cli_json_verdict(j, "closes", f->closes);
    cli_json_number(j, "low", f->closes == STI_YES ? f->low : (double)NAN);
    cli_json_number(j, "high", f->closes == STI_YES ? f->high : (double)NAN);
    const bool yes = f->closes == STI_YES;
    cli_json_numbers(j, "lambda", yes ? f->at_high.lambda : NULL, (size_t)f->at_high.multiplier_count);
    cli_json_numbers(j, "y_low", yes && f->high > 0 ? f->at_low.y : NULL, (size_t)f->at_low.n);
    cli_json_numbers(j, "y", f->closes == STI_NO ? f->y : NULL, (size_t)f->n);
    cli_json_text(j, "reason", f->why[0] != '\0' ? f->why : NULL);
    cli_json_end(j);
}

static void put_quality(cli_json* j, const cli_closure* f) {
    const sti_grasp_quality* q = &f->quality;
    cli_json_object(j, "quality");
    cli_json_bool(j, "applies", q->applies);
    cli_json_text(j, "reason", q->applies ? NULL : q->why);
    cli_json_text(j, "definition", "largest ball about 0 in the wrenches (force, torque / length) of sum f_n <= 1");
    cli_json_number(j, "lower", q->applies ? q->lower : NAN);
    cli_json_number(j, "upper", q->applies ? q->upper : NAN);
    cli_json_number(j, "length", q->applies ? q->length : NAN);
    cli_json_count(j, "facets", f->options.object.facets > 0 ? f->options.object.facets : -1);
    cli_json_numbers(j, "u", q->applies ? q->u : NULL, (size_t)q->n);
    cli_json_indices(j, "points_contact", q->applies ? q->contact : NULL, (size_t)q->point_count);
    cli_json_matrix(j, "points_tangential", q->applies ? q->tangential : NULL, q->point_count, 2);
    cli_json_count(j, "faces", q->applies ? q->face_count : -1);
    cli_json_bool(j, "lower_checked", q->applies && f->check.lower_checked);
    cli_json_end(j);
}

static void say_friction(const cli* c, const char* what, const sti_grasp_friction* f) {
    if (f->closes == STI_NO)
        cli_say(c, "  %s: %snone is enough%s\n", what, cli_bad(c), cli_plain(c));
    else if (f->closes != STI_YES)
        cli_say(c, "  %s: %snot decided%s, %s\n", what, cli_unsure(c), cli_plain(c), f->why);
    else if (f->high == 0)
        cli_say(c, "  %s: %s0%s, the normals alone hold\n", what, cli_good(c), cli_plain(c));
    else if (f->low == 0)
        cli_say(c, "  %s: any above 0, as far as can be told: %.2g is enough\n", what, f->high);
    else
        cli_say(c, "  %s: %s%.9g%s (between %.16g and %.16g)\n", what, cli_strong(c), f->high, cli_plain(c), f->low,
                f->high);
}

static void say_quality(const cli* c, const cli_closure* f) {
    const sti_grasp_quality* q = &f->quality;
    if (!q->applies) {
        cli_say(c, "  quality: not computed: %s\n", q->why);
        return;
    }
    if (q->upper - q->lower <= 1e-6 * q->upper)
        cli_say(c, "  quality: %s%.7g%s", cli_strong(c), q->lower, cli_plain(c));
    else
        cli_say(c, "  quality: %sbetween %.6g and %.6g%s", cli_strong(c), q->lower, q->upper, cli_plain(c));
    cli_say(c, ", largest ball of (force, torque / %.6g) with normal forces of sum 1%s\n", q->length,
            f->check.lower_checked ? "" : "; the lower bound was not checked again");
}

// ---- work

// Do contacts on the object have friction of different size?
static bool differs(const sti_instant* in, const sti_closure* force) {
    double first = NAN;
    for (int i = 0; i < force->contact_count; i++) {
        const sti_instant_contact* contact = &in->contacts[force->contact[i]];
        if (contact->tangent_count == 0) continue;
        if (isnan(first)) first = contact->mu;
        if (contact->mu != first) return true;
    }
    return false;
}

static sti_status find_out(const cli* c, const sti_instant* in, cli_closure* f) {
    const sti_closure_options* o = &f->options.object;
    sti_status status = sti_force_closure_analyze(c->env, in, o, &f->force);
    if (status == STI_OK) status = sti_form_closure_analyze(c->env, in, o, &f->form);
    if (status == STI_OK) status = sti_grasp_friction_analyze(c->env, in, o, STI_GRASP_COMMON, &f->least);
    if (status == STI_OK && differs(in, &f->force))
        status = sti_grasp_friction_analyze(c->env, in, o, STI_GRASP_FACTOR, &f->factor);
    if (status == STI_OK) status = sti_grasp_quality_analyze(c->env, in, &f->options, &f->quality);
    return status;
}

// A claim that the independent checker does not accept is not made: numbers of very different size can be too much for
// the conic program, though not for the check.
static void withdraw(const cli* c, sti_closure* v) {
    const int n = v->n, contact_count = v->contact_count, multiplier_count = v->multiplier_count, rank = v->rank;
    int* contact = v->contact;
    v->contact = NULL;
    sti_closure_clear(c->env, v);
    *v = (sti_closure){.closed = STI_UNDECIDED,
                       .margin = NAN,
                       .n = n,
                       .rank = rank,
                       .contact = contact,
                       .contact_count = contact_count,
                       .multiplier_count = multiplier_count};
    snprintf(v->reason, sizeof v->reason,
             "what was found does not pass the check: the numbers differ too much in size");
}

static sti_status check_closure(const cli* c, const sti_instant* in, const sti_closure_options* o, bool friction,
                                sti_closure* v) {
    bool accepted = false;
    if (v->closed == STI_UNDECIDED) return STI_OK;
    const sti_status status = sti_verify_closure(c->env, in, o, friction, v, CHECK_TOL, &accepted);
    if (status == STI_OK && !accepted) withdraw(c, v);
    return status;
}

static sti_status check_friction(const cli* c, const sti_instant* in, const sti_closure_options* o,
                                 sti_grasp_friction* f) {
    bool accepted = false;
    const sti_status status = sti_verify_grasp_friction(c->env, in, o, f, CHECK_TOL, &accepted);
    if (status != STI_OK || accepted) return status;
    const sti_grasp_friction_kind kind = f->kind;
    sti_grasp_friction_clear(c->env, f);
    *f = (sti_grasp_friction){.kind = kind, .closes = STI_UNDECIDED, .low = NAN, .high = NAN};
    snprintf(f->why, sizeof f->why, "what was found does not pass the check");
    return STI_OK;
}

// A quality is told of a closed grasp, or 0 of one that is not.
static sti_status check_quality(const cli* c, const sti_instant* in, cli_closure* f) {
    sti_status status = STI_OK;
    if (!f->quality.applies) return STI_OK;
    if (f->force.closed != STI_UNDECIDED)
        status = sti_verify_grasp_quality(c->env, in, &f->options, &f->quality, FACE_LIMIT, &f->check);
    if (status != STI_OK || f->check.accepted) return status;
    const int n = f->quality.n;
    const char* why = f->force.closed == STI_UNDECIDED ? "whether the grasp is closed is not decided" : f->check.text;
    sti_grasp_quality_clear(c->env, &f->quality);
    f->quality = (sti_grasp_quality){.n = n, .lower = NAN, .upper = NAN};
    snprintf(f->quality.why, sizeof f->quality.why, "%s", why);
    return STI_OK;
}

static int check_all(const cli* c, const char* path, const sti_instant* in, cli_closure* f) {
    const sti_closure_options* o = &f->options.object;
    sti_status status = check_closure(c, in, o, true, &f->force);
    if (status == STI_OK) status = check_closure(c, in, o, false, &f->form);
    if (status == STI_OK) status = check_friction(c, in, o, &f->least);
    if (status == STI_OK && differs(in, &f->force)) status = check_friction(c, in, o, &f->factor);
    if (status == STI_OK) status = check_quality(c, in, f);
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, path);
}

// Velocities of the object, by number and by name.
static void put_object(cli_json* j, const sti_instant* in, const cli_closure* f) {
    cli_json_array(j, "object");
    for (int k = 0; k < f->force.n; k++) cli_json_integer(j, NULL, f->object != NULL ? f->object[k] : k);
    cli_json_end(j);
    if (in->names == NULL) {
        cli_json_null(j, "object_names");
        return;
    }
    cli_json_array(j, "object_names");
    for (int k = 0; k < f->force.n; k++) cli_json_text(j, NULL, in->names[f->object != NULL ? f->object[k] : k]);
    cli_json_end(j);
}

static int print_json(const cli* c, const cli_closure_request* r, const sti_instant* in, const cli_closure* f,
                      int code) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "closure");
    cli_json_text(&j, "file", r->path);
    put_object(&j, in, f);
    put(&j, c, "force", &f->force);
    put(&j, c, "form", &f->form);
    put_friction(&j, "least_friction", &f->least);
    if (differs(in, &f->force))
        put_friction(&j, "least_factor", &f->factor);
    else
        cli_json_null(&j, "least_factor");
    put_quality(&j, f);
    return cli_json_print(&j, c, code);
}

static int write_page(const cli* c, const cli_closure_request* r, const cli_instant* of, const cli_closure* f) {
    const sti_closure_options* o = &f->options.object;
    const char* held = r->object != NULL ? r->object : "all that moves, together";
    // what did not pass its check was withdrawn before: it is undecided
    const cli_answer_of_closure a = {held,      &f->force,   &f->form,
                                     &f->least, &f->quality, f->force.closed != STI_UNDECIDED};
    cli_page p;
    cli_shown shown;
    int code = cli_instant_shown(c, of, o->object, o->object_count, &shown);
    if (code != CLI_DONE) return code;
    code = cli_instant_page_begin(c, &p, r->path, of, &shown);
    if (code == CLI_DONE) {
        cli_json_object(&p.json, NULL);
        cli_answer_closure(&p.json, &shown, &a);
        code = cli_page_save(c, &p, r->page);
    }
    cli_shown_clear(&shown);
    return code;
}

static int answer(const cli* c, const cli_closure_request* r, const cli_instant* of) {
    const sti_instant* in = of->instant;
    cli_closure f = {.options = sti_grasp_options_default()};
    sti_closure_options* o = &f.options.object;
    int code = cli_closure_object(c, r->object, in, &f.object, &o->object_count);
    o->object = f.object;
    o->facets = (int)r->facets;
    if (r->tol > 0) o->tol = r->tol;
    f.options.length = r->length;
    if (code == CLI_DONE && find_out(c, in, &f) != STI_OK) code = cli_fail_about(c, r->path);
    if (code == CLI_DONE) code = check_all(c, r->path, in, &f);
    if (code == CLI_DONE && r->picture != NULL) code = cli_closure_picture(c, r, in, &f);
    if (code == CLI_DONE && r->page != NULL) code = write_page(c, r, of, &f);
    if (code == CLI_DONE) {
        code = f.force.closed == STI_YES ? CLI_DONE : CLI_NO;
        cli_say(c, "%s: %d contacts on %d coordinates\n", r->path, f.force.contact_count, f.force.n);
        say(c, in, "force closure", &f.force);
        say(c, in, "form closure", &f.form);
        say_friction(c, "least friction for force closure", &f.least);
        if (differs(in, &f.force)) say_friction(c, "least factor on the friction given", &f.factor);
        say_quality(c, &f);
        if (r->picture != NULL) cli_say(c, "  drawn in %s\n", r->picture);
        if (r->page != NULL) cli_say(c, "  %s: opens in a browser\n", r->page);
        if (c->json) code = print_json(c, r, in, &f, code);
    }
    sti_closure_clear(c->env, &f.force);
    sti_closure_clear(c->env, &f.form);
    sti_grasp_friction_clear(c->env, &f.least);
    sti_grasp_friction_clear(c->env, &f.factor);
    sti_grasp_quality_clear(c->env, &f.quality);
    free(f.object);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    cli_closure_request r = {0};
    const cli_option options[] = {
        CLI_AT_OPTIONS(r.at),
        {"--object", CLI_TEXT, "NAME,..", "the object: a body, or velocities by name or number (default: all)",
         &r.object},
        {"--facets", CLI_COUNT, "K", "friction in space by the inner polygon with K corners (default: the disc)",
         &r.facets},
        {"--length", CLI_POSITIVE, "L", "quality: torques are divided by L (the farthest contact's distance)",
         &r.length},
        {"--picture", CLI_TEXT, "SVG", "draw the contacts on the object and their cones", &r.picture},
        {"--page", CLI_TEXT, "HTML", "the grasp as a page, to turn", &r.page},
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
            code = answer(c, &r, &in);
            cli_instant_clear(c, &in);
        }
    }
    cli_at_clear(&r.at);
    return code;
}

const cli_verb cli_analyze_closure = {
    .name = "analyze closure",
    .arguments = "FILE [options]",
    .summary = "force closure and form closure, with a witness either way",
    .details =
        "Force closure: the contact forces, each within its friction cone, can balance every load on the object.\n"
        "Form closure: the normals alone can. Yes comes with forces strictly inside the cones that balance\n"
        "themselves; no with a load -y that nothing balances: no admissible contact force has a positive part\n"
        "along y.\n"
        "Whatever touches the object is taken as held. FILE may also be a grasp by points and inward normals:\n"
        "    {\"kind\": \"grasp\", \"dimension\": 2, \"center\": [0, 0], \"mu\": 0.5,\n"
        "     \"contacts\": [{\"point\": [1, 0], \"normal\": [-1, 0]}, {\"point\": [-1, 0], \"normal\": [1, 0]}]}\n"
        "Least friction: the same mu at all contacts, between one proved too small and one proved enough; where\n"
        "contacts differ also a factor on theirs. Quality (Ferrari and Canny): the radius of the largest ball\n"
        "about 0 in the wrenches (force, torque / length), about the center, of contact forces whose normal parts\n"
        "add up to 1. Cones are round in space, with bounds; --facets makes them polygons. docs/grasps.md says\n"
        "more.\n\n"
        "Exit codes: 0 force closure, 1 none or not decided, 2 bad usage or input, 3 internal failure.\n\n"
        "example:\n"
        "    stiction analyze closure gripper --object box\n"
        "    stiction analyze closure three-fingers --object x,y,theta --picture grasp.svg\n",
    .use = STI_USE_ANALYZE,
    .run = run,
};
