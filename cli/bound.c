// bound.c: stiction bound: inequalities whose both sides are enclosed.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"

typedef struct request {
    const char* path;
    const char* picture;
    bool verify;
} request;

// ---- text

// Both ends where they differ in sight, one number where not.
static void say_number(const cli* c, const char* name, sti_interval x) {
    if (x.low == x.high)
        cli_say(c, "  %-24s %.17g\n", name, x.low);
    else
        cli_say(c, "  %-24s [%.17g, %.17g]\n", name, x.low, x.high);
}

static void say_claim(const cli* c, const char* what, const sti_interval* quantity, const sti_interval* bound) {
    if (quantity == NULL || bound == NULL) return;
    const double size = fmax(fabs(quantity->low), fabs(quantity->high));
    cli_say(c, "  proved: %s <= %.10g; the true value is %.10g, %.3g times less\n", what, bound->high, size,
            size > 0 ? bound->high / size : INFINITY);
}

static void say(const cli* c, const request* r, const sti_bound_answer* a) {
    const char* color = a->outcome == STI_SOLVED ? cli_good(c) : a->outcome == STI_UNKNOWN ? cli_unsure(c) : cli_bad(c);
    cli_say(c, "%s: %s on [%.10g, %.10g]: %s%s%s\n", r->path, sti_bound_what_text(a->what), a->low.low, a->high.high,
            color,
            a->outcome == STI_SOLVED    ? "proved"
            : a->outcome == STI_UNKNOWN ? "unknown"
                                        : "does not apply",
            cli_plain(c));
    for (int k = 0; k < a->t_count; k++)
        cli_say(c, "  t = %-8.6g omega in [%.12g, %.12g], omega~ in [%.12g, %.12g]\n", a->t[k].low, a->omega[k].low,
                a->omega[k].high, a->omega_tilde[k].low, a->omega_tilde[k].high);
    for (int k = 0; k < a->count; k++) say_number(c, a->number[k].name, a->number[k].value);
    if (a->outcome == STI_SOLVED) {
        say_claim(c, "|D(f, g)|", sti_bound_find(a, "D_AB"), sti_bound_find(a, "bound"));
        say_claim(c, "|cov(f(U), g(V))|", sti_bound_find(a, "cov"), sti_bound_find(a, "bound_2_5_20"));
        say_claim(c, "|int w f - f(a1)|", sti_bound_find(a, "lhs"), sti_bound_find(a, "bound"));
    }
    if (a->equality) cli_say(c, "  equality: %s\n", a->equality_why);
    if (a->reason[0] != '\0') cli_say(c, "  reason: %s\n", a->reason);
    cli_say(c, "  %.3g s, %.3g s of it for integrals\n", a->time_s, a->time_integrals_s);
}

// ---- JSON

static void put_interval(cli_json* j, const char* key, sti_interval x) {
    const double ends[2] = {x.low, x.high};
    cli_json_numbers(j, key, ends, 2);
}

static void put_row(cli_json* j, const char* key, const sti_interval* x, int count) {
    cli_json_array(j, key);
    for (int k = 0; k < count; k++) put_interval(j, NULL, x[k]);
    cli_json_end(j);
}

static void put_verification(cli_json* j, const sti_bound_verification* v) {
    if (v == NULL) {
        cli_json_null(j, "verification");
        return;
    }
    cli_json_object(j, "verification");
    cli_json_bool(j, "accepted", v->accepted);
    cli_json_number(j, "agreement", v->agreement);
    cli_json_text(j, "text", v->text);
    cli_json_end(j);
}

static int print_json(const cli* c, const sti_bound_answer* a, const sti_bound_verification* v, int code) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", sti_kind_text(STI_KIND_BOUND));
    cli_json_text(&j, "what", sti_bound_what_text(a->what));
    cli_json_text(&j, "outcome", sti_outcome_text(a->outcome));
    cli_json_text(&j, "reason", a->reason[0] != '\0' ? a->reason : NULL);
    cli_json_array(&j, "interval");
    put_interval(&j, NULL, a->low);
    put_interval(&j, NULL, a->high);
    cli_json_end(&j);
    for (int k = 0; k < a->count; k++) put_interval(&j, a->number[k].name, a->number[k].value);
    if (a->t_count > 0) {
        put_row(&j, "t", a->t, a->t_count);
        put_row(&j, "omega", a->omega, a->t_count);
        put_row(&j, "omega_tilde", a->omega_tilde, a->t_count);
    }
    cli_json_bool(&j, "equality", a->equality);
    cli_json_text(&j, "equality_why", a->equality ? a->equality_why : NULL);
    cli_json_integer(&j, "evaluation_count", a->evaluations);
    cli_json_number(&j, "time_s", a->time_s);
    cli_json_number(&j, "time_integrals_s", a->time_integrals_s);
    put_verification(&j, v);
    return cli_json_print(&j, c, code);
}

// ---- picture

enum { SAMPLES = 61 };

typedef struct curve {
    double t[SAMPLES], omega[SAMPLES], tilde[SAMPLES];
} curve;

// omega and omega~ of one function over the whole interval: upper ends, so the drawn curve is a bound.
static int sample(const cli* c, const sti_bound_problem* p, const sti_bound_answer* a, const char* f, curve* out) {
    static char text[SAMPLES][40];
    const char* t[SAMPLES];
    sti_bound_answer m;
    for (int k = 0; k < SAMPLES; k++) {
        snprintf(text[k], sizeof text[k], "%.17g", (a->high.high - a->low.low) * k / (SAMPLES - 1));
        t[k] = text[k];
    }
    const sti_bound_problem q = {.what = STI_BOUND_MODULUS,
                                 .low = p->low,
                                 .high = p->high,
                                 .definition_count = p->definition_count,
                                 .definitions = p->definitions,
                                 .f = f,
                                 .t_count = SAMPLES,
                                 .t = t,
                                 .tol = 1e-4};
    if (sti_bound_solve(c->env, &q, &m) != STI_OK) return cli_fail_env(c);
    for (int k = 0; k < SAMPLES; k++) {
        out->t[k] = m.t[k].high;
        out->omega[k] = m.omega[k].high;
        out->tilde[k] = m.omega_tilde[k].high;
    }
    sti_bound_answer_clear(c->env, &m);
    return CLI_DONE;
}

static void draw_modulus(cli_svg* s, const curve* v, const char* title, const sti_interval* argument, bool next) {
    const cli_svg_axes axes = {.title = title,
                               .x_label = "t",
                               .y_label = "omega, omega~",
                               .x_high = v->t[SAMPLES - 1],
                               .y_high = v->tilde[SAMPLES - 1],
                               .margin = 0.05};
    if (next)
        cli_svg_next(s, &axes);
    else
        cli_svg_begin(s, &axes);
    cli_svg_curve(s, v->t, v->tilde, SAMPLES, &(cli_svg_pen){cli_svg_color(1), 2.5, NULL}, "omega~, least concave");
    cli_svg_curve(s, v->t, v->omega, SAMPLES, &(cli_svg_pen){cli_svg_color(0), 1.5, NULL}, "omega");
    if (argument == NULL) return;
    const double x[2] = {argument->high, argument->high}, y[2] = {0, v->tilde[SAMPLES - 1]};
    cli_svg_curve(s, x, y, 2, &(cli_svg_pen){cli_svg_color(2), 1.5, "5 4"}, "t of the inequality");
}

static int draw_moduli(const cli* c, const request* r, const sti_bound_problem* p, const sti_bound_answer* a) {
    curve v;
    cli_svg s;
    if (p->joint != NULL) return cli_fail_usage(c, "--picture: not drawn for joint densities");
    int code = sample(c, p, a, p->f, &v);
    if (code != CLI_DONE) return code;
    const sti_interval* argument = sti_bound_find(a, "argument");
    draw_modulus(&s, &v, "modulus of continuity of f", argument, false);
    if (p->g != NULL && p->what == STI_BOUND_GRUESS) {
        code = sample(c, p, a, p->g, &v);
        if (code != CLI_DONE) {
            cli_svg_drop(&s);
            return code;
        }
        draw_modulus(&s, &v, "modulus of continuity of g", argument, true);
    }
    return cli_svg_save(&s, c, r->picture);
}

// The quantity and the bounds, right and as printed, as bars.
static int draw_bars(const cli* c, const request* r, const sti_bound_answer* a) {
    static const char* const names[] = {"lhs", "bound", "bound_printed_2_5_22", "bound_printed_2_5_23"};
    static const char* const words[] = {"|int w f - f(a1)|", "bound", "printed (2.5.22)", "printed (2.5.23)"};
    double low = 0, high = 0;
    cli_svg s;
    for (int k = 0; k < 4; k++) {
        low = fmin(low, sti_bound_find(a, names[k])->low);
        high = fmax(high, sti_bound_find(a, names[k])->high);
    }
    cli_svg_begin(&s, &(cli_svg_axes){.title = "Hermite-Hadamard: the quantity and its bounds",
                                      .x_label = "value",
                                      .x_low = low,
                                      .x_high = high * 1.05,
                                      .y_high = 4,
                                      .height = 240});
    for (int k = 0; k < 4; k++) {
        const double x = sti_bound_find(a, names[k])->high, y = 3 - k;
        const double px[4] = {0, x, x, 0}, py[4] = {y + 0.2, y + 0.2, y + 0.8, y + 0.8};
        cli_svg_polygon(&s, px, py, 4, cli_svg_color(k), 0.8);
        cli_svg_legend(&s, cli_svg_color(k), words[k]);
    }
    return cli_svg_save(&s, c, r->picture);
}

// ---- the verb

static int answer(const cli* c, const request* r, const sti_bound_problem* p) {
    sti_bound_answer a;
    sti_bound_verification v = {0};
    if (sti_bound_solve(c->env, p, &a) != STI_OK) return cli_fail_about(c, r->path);
    int code = a.outcome == STI_SOLVED ? CLI_DONE : CLI_NO, drawn = CLI_DONE;
    if (r->verify && sti_verify_bound(c->env, p, &a, &v) != STI_OK) {
        code = cli_fail_about(c, r->path);
    } else {
        if (r->verify && !v.accepted) code = CLI_NO;
        if (r->picture != NULL) drawn = p->what == STI_BOUND_HADAMARD ? draw_bars(c, r, &a) : draw_moduli(c, r, p, &a);
        if (drawn != CLI_DONE) {
            code = drawn;
        } else if (c->json) {
            code = print_json(c, &a, r->verify ? &v : NULL, code);
        } else {
            say(c, r, &a);
            if (r->verify) cli_say_verdict(c, v.accepted, v.text);
        }
    }
    sti_bound_answer_clear(c->env, &a);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    request r = {0};
    const cli_option options[] = {
        {"--picture", CLI_TEXT, "FILE.svg", "omega and omega~, or the bounds as bars", &r.picture},
        {"--verify", CLI_FLAG, NULL, "have the numbers checked by code that shares nothing with their computation",
         &r.verify},
    };
    char* positional[1];
    int code;
    if (cli_parse(c, options, sizeof options / sizeof options[0], argc, argv, positional, 1, 1, &code) < 0) return code;
    sti_document* document;
    r.path = positional[0];
    code = cli_load(c, r.path, &document);
    if (code != CLI_DONE) return code;
    code = answer(c, &r, sti_bound_problem_of(document));
    sti_document_destroy(document);
    return code;
}

const cli_verb cli_verb_bound = {
    .name = "bound",
    .arguments = "FILE [options]",
    .summary = "inequalities with both sides enclosed: Chebyshev-Gruess, Hermite-Hadamard",
    .details =
        "The file says which inequality, for which functions and densities on which interval (docs/bounds.md):\n"
        "    {\"kind\": \"bound\", \"what\": \"gruess\", \"interval\": [0, 1], \"f\": \"x^2\", \"g\": "
        "\"sqrt(x)\", \"weight\": \"6*x*(1-x)\"}\n\n"
        "gruess bounds covariances by the least concave majorants of moduli of continuity, hadamard the distance\n"
        "of a mean value from the value at the mean, modulus gives the moduli themselves. Every number is an\n"
        "interval that holds the real one. Where the conditions of a theorem are not proved the answer is\n"
        "unknown, with the reason.\n\n"
        "Exit codes: 0 proved, 1 does not apply or unknown, 2 bad usage or input, 3 internal failure.\n\n"
        "example:\n"
        "    echo '{\"kind\": \"bound\", \"what\": \"hadamard\", \"interval\": [1, 3], \"f\": \"x^3\", "
        "\"weight\": \"1/2\"}' > b.json\n"
        "    stiction bound b.json --picture b.svg --verify\n",
    .use = STI_USE_BOUND,
    .run = run,
};
