// analyze_impact.c: stiction analyze impact: the impact laws of S1 side by side on one instant.
#include "analyze_impact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"

// ---- the picture of what is admissible after this velocity, for two contacts

enum { CURVE = 361 };

// Laws often agree: the later ones are smaller, so that all are seen.
static void draw_outcome(cli_svg* s, const sti_impact* k, double scale, sti_impact_law law, int color, double radius) {
    const sti_impact_answer* a = &k->laws[law];
    if (!a->applies || a->count == 0) return;
    for (int i = 0; i < a->count; i++)
        cli_svg_point(s, a->solutions[i].qdot_norm[0] / scale, a->solutions[i].qdot_norm[1] / scale,
                      cli_svg_color(color), radius);
    cli_svg_legend(s, cli_svg_color(color), sti_impact_law_text(law));
}

// The ellipse a x^2 + b x y + c y^2 = 1, traced by angle.
static void trace_ellipse(const sti_restitution_set* set, double* x, double* y) {
    for (int i = 0; i < CURVE; i++) {
        const double angle = 2 * acos(-1.0) * i / (CURVE - 1), c = cos(angle), d = sin(angle);
        const double r = 1 / sqrt(set->a * c * c + set->b * c * d + set->c * d * d);
        x[i] = r * c;
        y[i] = r * d;
    }
}

static int draw(const cli* c, const cli_impact_request* r, const sti_impact* k) {
    if (k->set.p != 2)
        return cli_fail_usage(c, "--picture: %s: the set is drawn for two independent contacts and an impact", r->path);
    double x[CURVE], y[CURVE], far = 0;
    trace_ellipse(&k->set, x, y);
    for (int i = 0; i < CURVE; i++) far = fmax(far, fmax(fabs(x[i]), fabs(y[i])));
    const double scale = k->set.column >= 0 ? fabs(k->qdot_norm[k->set.column]) : 1;
    cli_svg s;
    cli_svg_begin(
        &s, &(cli_svg_axes){
                .title = "admissible after this velocity",
                .x_label = k->set.column >= 0 ? "e_1j: part of the speed that contact 1 gets" : "qdot_norm,1 after",
                .y_label = k->set.column >= 0 ? "e_2j: part of the speed that contact 2 gets" : "qdot_norm,2 after",
                .x_low = -1.15 * far,
                .x_high = 1.15 * far,
                .y_low = -1.15 * far,
                .y_high = 1.15 * far,
                .equal = true});
    cli_svg_polygon(&s, x, y, CURVE, "#bbbbbb", 0.25);
    cli_svg_legend(&s, "#bbbbbb", "energy is not gained");
    for (int i = 0; i < k->set.arc_count; i++) {
        const sti_restitution_arc* arc = &k->set.arcs[i];
        double from = atan2(arc->from[1], arc->from[0]), to = atan2(arc->to[1], arc->to[0]);
        if (to < from) to += 2 * acos(-1.0);
        for (int l = 0; l < CURVE; l++) {
            const double angle = from + (to - from) * l / (CURVE - 1), a = cos(angle), b = sin(angle);
            const double length = 1 / sqrt(k->set.a * a * a + k->set.b * a * b + k->set.c * b * b);
            x[l] = length * a;
            y[l] = length * b;
        }
        cli_svg_polyline(&s, x, y, CURVE, cli_svg_color(2), 3);
    }
    cli_svg_legend(&s, cli_svg_color(2), "conservative, admissible");
    draw_outcome(&s, k, scale, STI_IMPACT_NEWTON, 0, 11);
    draw_outcome(&s, k, scale, STI_IMPACT_GENERAL, 5, 9);
    draw_outcome(&s, k, scale, STI_IMPACT_MOREAU, 1, 7);
    draw_outcome(&s, k, scale, STI_IMPACT_POISSON, 3, 5);
    draw_outcome(&s, k, scale, STI_IMPACT_FRICTION, 4, 3);
    return cli_svg_save(&s, c, r->picture);
}

// ---- work

// The restitution given: p numbers are the diagonal, p^2 the matrix. E has room for p^2.
static int take_restitution(const cli* c, const cli_impact_request* r, int p, double* E) {
    const int count = r->restitution.count;
    if (count != 1 && count != p && count != p * p)
        return cli_fail_usage(c, "--restitution: %d numbers: 1, %d or %d expected, as %d contacts touch", count, p,
                              p * p, p);
    for (int i = 0; i < p * p; i++) {
        const bool diagonal = i % (p + 1) == 0;
        E[i] = count == p * p && (p > 1 || count > 1) ? r->restitution.value[i]
               : diagonal                             ? r->restitution.value[count == 1 ? 0 : i / (p + 1)]
                                                      : 0;
    }
    return CLI_DONE;
}

// --reach: the matrix that gives these n_i'v after the impact (S1 proposition 1). E has room for p^2.
static int reach(const cli* c, const cli_impact_request* r, const cli_instant* in, const sti_impact_options* given,
                 double* E) {
    sti_impact* k = NULL;
    if (sti_impact_create(c->env, in->instant, given, &k) != STI_OK) return cli_fail_about(c, r->path);
    int code = CLI_DONE;
    double* after = calloc((size_t)k->p + 1, sizeof *after);
    if (after == NULL)
        code = cli_fail_memory(c);
    else if (r->reach.count != k->p)
        code = cli_fail_usage(c, "--reach: %d numbers, and %d contacts touch", r->reach.count, k->p);
    for (int i = 0; code == CLI_DONE && i < k->p; i++) after[i] = r->reach.value[i] / k->norm[i];
    if (code == CLI_DONE && sti_restitution_reaching(c->env, k->p, k->G, k->qdot_norm, after, E) != STI_OK)
        code = cli_fail_about(c, r->path);
    free(after);
    sti_impact_destroy(c->env, k);
    return code;
}

static int check_list(const cli* c, const char* option, const cli_list* list, int expected) {
    if (list->count == 0 || list->count == expected) return CLI_DONE;
    return cli_fail_usage(c, "%s: %d numbers, and %d are needed", option, list->count, expected);
}

static int touching(const cli_instant* in, double gap_tol) {
    int p = 0;
    for (int i = 0; i < in->instant->contact_count; i++)
        p += !in->instant->contacts[i].bilateral && in->instant->contacts[i].gap <= gap_tol;
    return p;
}

// The matrices over all quasi-velocities: their order is only known once the gradients are.
static int take_quasi(const cli* c, const cli_impact_request* r, const cli_instant* in, double** Lambda,
                      sti_impact_options* o) {
    if (r->quasi.count == 0 && r->t_q.count == 0 && r->lambda.count == 0) return CLI_DONE;
    sti_velocities_options vo = sti_velocities_options_default();
    vo.gap_tol = r->gap_tol;
    sti_velocities* v = NULL;
    if (sti_velocities_create(c->env, in->instant, &vo, &v) != STI_OK) return cli_fail_about(c, r->path);
    const int size = v->count + v->tangent_count, tangents = v->tangent_count * v->n;
    sti_velocities_destroy(c->env, v);
    int code = check_list(c, "--quasi", &r->quasi, size * size);
    if (code == CLI_DONE) code = check_list(c, "--t-q", &r->t_q, tangents);
    if (code == CLI_DONE && r->lambda.count != 1) code = check_list(c, "--lambda", &r->lambda, size * size);
    o->E_quasi = r->quasi.value;
    o->t_q = r->t_q.value;
    if (code != CLI_DONE || r->lambda.count == 0) return code;
    *Lambda = calloc((size_t)size * (size_t)size, sizeof **Lambda);
    if (*Lambda == NULL) return cli_fail_memory(c);
    for (int i = 0; i < size * size; i++)
        (*Lambda)[i] = r->lambda.count > 1 ? r->lambda.value[i] : i % (size + 1) == 0 ? r->lambda.value[0] : 0;
    o->Lambda = *Lambda;
    return CLI_DONE;
}

static int exit_code(const cli_impact_request* r, const sti_impact* k) {
    for (int l = 0; r->law != NULL && l < STI_IMPACT_LAW_COUNT; l++) {
        if (strcmp(r->law, sti_impact_law_text((sti_impact_law)l)) == 0)
            return k->laws[l].admissible > 0 ? CLI_DONE : CLI_NO;
    }
    return CLI_DONE;
}

static int work(const cli* c, const cli_impact_request* r, const cli_instant* in) {
    const int p = touching(in, r->gap_tol);
    double* E = calloc((size_t)p * (size_t)p + 1, sizeof *E);
    double* Lambda = NULL;
    sti_impact_options o = sti_impact_options_default();
    sti_impact* k = NULL;
    o.gap_tol = r->gap_tol;
    o.stick_negative = r->stick_negative;
    int code = E != NULL ? CLI_DONE : cli_fail_memory(c);
    if (code == CLI_DONE && r->restitution.count > 0) {
        code = take_restitution(c, r, p, E);
        o.E = E;
    }
    if (code == CLI_DONE && r->reach.count > 0) {
        code = reach(c, r, in, &o, E);
        o.E = E;
    }
    if (code == CLI_DONE) code = check_list(c, "--stiffness", &r->stiffness, p);
    o.stiffness = r->stiffness.value;
    if (r->exponent > 0) o.exponent = r->exponent;
    if (code == CLI_DONE) code = take_quasi(c, r, in, &Lambda, &o);
    if (code == CLI_DONE && sti_impact_create(c->env, in->instant, &o, &k) != STI_OK) code = cli_fail_about(c, r->path);
    if (code == CLI_DONE && r->picture != NULL) code = draw(c, r, k);
    if (code == CLI_DONE) {
        code = exit_code(r, k);
        if (c->json) {
            code = cli_impact_json(c, r, in, k, code);
        } else {
            const int said = cli_impact_say(c, r, in, k);
            if (said != CLI_DONE) code = said;
        }
    }
    sti_impact_destroy(c->env, k);
    free(Lambda);
    free(E);
    return code;
}

static int check_law(const cli* c, const char* law) {
    const char* names[STI_IMPACT_LAW_COUNT];
    for (int l = 0; l < STI_IMPACT_LAW_COUNT; l++) {
        names[l] = sti_impact_law_text((sti_impact_law)l);
        if (law == NULL || strcmp(law, names[l]) == 0) return CLI_DONE;
    }
    const char* near = cli_nearest(law, names, STI_IMPACT_LAW_COUNT);
    return cli_fail_usage(c, "--law: %.60s: no such law%s%s", law, near != NULL ? "; did you mean " : "",
                          near != NULL ? near : "");
}

static int run(cli* c, int argc, char** argv) {
    cli_impact_request r = {.gap_tol = sti_impact_options_default().gap_tol};
    const cli_option options[] = {
        CLI_AT_OPTIONS(r.at),
        {"--law", CLI_TEXT, "NAME", "one law only; exit code 1 when it has no admissible solution", &r.law},
        {"--restitution", CLI_LIST, "E,..", "instead of the file's: one number, one per contact, or the matrix",
         &r.restitution},
        {"--reach", CLI_LIST, "U,..",
         "the matrix that gives every touching contact this n'v after the impact (law general)", &r.reach},
        {"--quasi", CLI_LIST, "E,..", "matrix over all quasi-velocities, for the law quasi", &r.quasi},
        {"--t-q", CLI_LIST, "T,..", "tangent vectors that go with it, one after the other", &r.t_q},
        {"--lambda", CLI_LIST, "L,..", "Lambda of the implicit laws: one number, or the matrix", &r.lambda},
        {"--stiffness", CLI_LIST, "K,..", "law lzb: stiffness of every touching contact; their ratios count (1)",
         &r.stiffness},
        {"--exponent", CLI_POSITIVE, "ETA", "law lzb: force = K compression^ETA, 1 or more (1.5, Hertz)", &r.exponent},
        {"--stick-negative", CLI_FLAG, NULL, "(68): let contacts stick with p_n < 0, as (67) reads to the letter",
         &r.stick_negative},
        {"--gap-tol", CLI_POSITIVE, "GAP", "contacts with a larger gap are left out (1e-9)", &r.gap_tol},
        {"--picture", CLI_TEXT, "SVG", "draw what is admissible after this velocity (two contacts)", &r.picture},
    };
    char* positional[1];
    int code;
    if (cli_parse(c, options, (int)(sizeof options / sizeof options[0]), argc, argv, positional, 1, 1, &code) >= 0) {
        cli_instant in = {0};
        r.path = positional[0];
        code = check_law(c, r.law);
        if (code == CLI_DONE) code = cli_instant_load(c, r.path, &r.at, &in);
        if (code == CLI_DONE) code = work(c, &r, &in);
        cli_instant_clear(c, &in);
    }
    cli_at_clear(&r.at);
    free(r.restitution.value);
    free(r.reach.value);
    free(r.quasi.value);
    free(r.t_q.value);
    free(r.lambda.value);
    free(r.stiffness.value);
    return code;
}

const cli_verb cli_analyze_impact = {
    .name = "analyze impact",
    .arguments = "FILE [options]",
    .summary = "impact laws side by side, and which of them are consistent",
    .details =
        "The velocity is the one before the impact. Laws: newton, general (a full matrix E), moreau, poisson and\n"
        "poisson_printed, implicit_smooth and implicit_rough, quasi (with --quasi), friction (Newton with\n"
        "Coulomb's friction: every mode, inadmissible solutions marked), stronge (one contact, energetic\n"
        "coefficient), lzb (the same for several, with --stiffness). A solution is admissible when no contact\n"
        "closes further, none pulls, and no energy is gained. Each tells velocities, impulses and the energy\n"
        "change by all formulas that apply. Then: may E be used whatever the velocity before, with a witness when\n"
        "not; what is admissible after this velocity; and Theorem 2 on the energy lost with friction.\n"
        "Exit code 0: done; 1: the law of --law has no admissible solution; 2: bad usage or input; 3: internal\n"
        "failure.\n\n"
        "example:\n"
        "    stiction analyze impact balls-3 --restitution 0.8,0.3\n",
    .use = STI_USE_ANALYZE,
    .run = run,
};
