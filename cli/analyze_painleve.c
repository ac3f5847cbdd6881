// analyze_painleve.c: stiction analyze painleve: the contact LCP with friction, critical friction, and a map of both.
#include "analyze_painleve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

// ---- JSON

static void put_solutions(cli_json* j, const sti_painleve* k, const sti_painleve_pattern* x) {
    const sti_lcp_solution_set* s = x->solutions;
    const int p = k->p;
    cli_json_array(j, "solutions");
    for (int i = 0; i < s->vertex_count; i++) {
        const double* z = s->vertex + (size_t)i * (size_t)p;
        cli_json_object(j, NULL);
        cli_json_numbers(j, "lambda_bar", z, (size_t)p);
        cli_json_array(j, "lambda_n");
        for (int l = 0; l < p; l++) cli_json_number(j, NULL, z[l] / k->norm[l]);
        cli_json_end(j);
        cli_json_array(j, "acceleration");
        for (int l = 0; l < p; l++) {
            double a = k->b[l];
            for (int m = 0; m < p; m++) a += x->D[l * p + m] * z[m];
            cli_json_number(j, NULL, z[l] > 0 ? 0 : a);
        }
        cli_json_end(j);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_integer(j, "ray_count", s->ray_count);
    cli_json_integer(j, "component_count", s->component_count);
    cli_json_bool(j, "complete", s->complete);
}

static void put_pattern(const cli* c, cli_json* j, const sti_painleve* k, const sti_painleve_pattern* x) {
    const size_t p = (size_t)k->p;
    cli_json_object(j, NULL);
    cli_json_numbers(j, "xi", x->xi, p);
    cli_json_bool(j, "possible", x->possible);
    cli_json_bool(j, "actual", x->actual);
    cli_json_matrix(j, "D", x->D, k->p, k->p);
    cli_json_numbers(j, "principal_minors", x->minors, ((size_t)1 << p) - 1);
    cli_json_bool(j, "P", x->P);
    cli_json_verdict(j, "copositive", x->copositive);
    cli_json_verdict(j, "strictly_copositive", x->strictly_copositive);
    cli_json_number(j, "simplex_min", x->simplex_min);
    cli_json_number(j, "lambda_min", x->lambda_min);
    cli_json_number(j, "mu_c", x->mu_c);
    cli_json_number(j, "mu_definite", x->mu_definite);
    cli_json_bool(j, "prop13_applies", x->symmetric);
    cli_json_number(j, "mu_prop14_frobenius", x->mu_14[0]);
    cli_json_number(j, "mu_prop14_spectral", x->mu_14[1]);
    cli_json_bool(j, "prop14_frobenius", x->prop14[0]);
    cli_json_bool(j, "prop14_spectral", x->prop14[1]);
    cli_json_bool(j, "prop15", x->prop15 == STI_YES);
    cli_json_text(j, "outcome", sti_painleve_case_text(x->outcome));
    put_solutions(j, k, x);
    char* text = NULL;
    if (x->solutions->vertex_count == 0 && x->solutions->certificate.proof != STI_PROOF_NONE &&
        sti_lcp_solution_set_json(c->env, x->solutions, &text) == STI_OK)
        cli_json_raw(j, "solution_set", text);
    else
        cli_json_null(j, "solution_set");
    sti_env_free(c->env, text);
    cli_json_end(j);
}

static void put_instant(const cli* c, cli_json* j, const cli_instant* in, const sti_painleve* k) {
    const size_t p = (size_t)k->p;
    cli_json_array(j, "contacts");
    for (int i = 0; i < k->p; i++) cli_json_text(j, NULL, in->instant->contacts[k->contact[i]].name);
    cli_json_end(j);
    cli_json_numbers(j, "norm_grad_h", k->norm, p);
    cli_json_matrix(j, "G", k->G, k->p, k->p);
    cli_json_matrix(j, "n_H", k->n_H, k->p, k->p);
    cli_json_numbers(j, "mu", k->mu, p);
    cli_json_numbers(j, "b", k->b, p);
    cli_json_numbers(j, "slip", k->slip, p);
    cli_json_number(j, "approach", k->approach);
    cli_json_text(j, "outcome", sti_painleve_case_text(k->outcome));
    cli_json_number(j, "mu_c", k->mu_c);
    cli_json_number(j, "mu_c_all_patterns", k->mu_c_all);
    cli_json_numbers(j, "mu_c_each", k->mu_c_each, p);
    cli_json_number(j, "mu_definite", k->mu_definite);
    cli_json_number(j, "mu_prop12", k->mu_12);
    cli_json_number(j, "mu_prop14_frobenius", k->mu_14[0]);
    cli_json_number(j, "mu_prop14_spectral", k->mu_14[1]);
    cli_json_bool(j, "mass_singular", k->singular);
    cli_json_text(j, "limit", k->singular ? k->limit : NULL);
    cli_json_numbers(j, "z", k->z, (size_t)in->instant->n);
    cli_json_array(j, "patterns");
    for (int i = 0; i < k->pattern_count; i++) put_pattern(c, j, k, &k->patterns[i]);
    cli_json_end(j);
}

static void put_map(cli_json* j, const cli_painleve_request* r, const sti_system* system, const sti_painleve_map* map) {
    cli_json_object(j, "map");
    cli_json_array(j, "axes");
    for (int a = 0; a < r->def.axis_count; a++) {
        cli_json_object(j, NULL);
        cli_json_text(j, "name", r->axis_name[a]);
        cli_json_number(j, "low", r->def.axes[a].low);
        cli_json_number(j, "high", r->def.axes[a].high);
        cli_json_integer(j, "count", r->def.axes[a].count);
        cli_json_end(j);
    }
    cli_json_end(j);
    for (int i = 0; i < STI_PAINLEVE_CASE_COUNT; i++)
        cli_json_integer(j, sti_painleve_case_text((sti_painleve_case)i), map->number[i]);
    cli_json_number(j, "mu_c", map->mu_c);
    cli_json_bool(j, "refined", map->refined);
    cli_json_object(j, "at");
    for (int i = 0; i < map->n; i++) cli_json_number(j, sti_system_coordinate(system, i), map->q[i]);
    cli_json_end(j);
    cli_json_end(j);
}

static int print_json(const cli* c, const cli_painleve_request* r, const cli_instant* in, const sti_painleve* k,
                      const sti_painleve_map* map, int code) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "painleve");
    cli_json_text(&j, "file", r->path);
    if (k != NULL) put_instant(c, &j, in, k);
    if (map != NULL)
        put_map(&j, r, in->system, map);
    else
        cli_json_null(&j, "map");
    return cli_json_print(&j, c, code);
}

// ---- text

static const char* plain_words(sti_painleve_case outcome) {
    static const char* const words[] = {"one solution for every load",         "one solution with these forces",
                                        "several solutions with these forces", "no solution with these forces",
                                        "too near a border to count",          "apart"};
    return words[outcome];
}

static void say_pattern(const cli* c, const sti_painleve* k, const sti_painleve_pattern* x) {
    char sign[16] = "";
    for (int i = 0; i < k->p; i++) sign[i] = x->xi[i] > 0 ? '+' : x->xi[i] < 0 ? '-' : '.';
    cli_say(c, "  %s%s%s%s: %s, %s; %s\n", cli_strong(c), sign, cli_plain(c),
            !x->possible ? " (cannot slip so)"
            : x->actual  ? " (as it slips)"
                         : "",
            x->P ? "P-matrix" : "not a P-matrix",
            x->copositive == STI_YES  ? "copositive"
            : x->copositive == STI_NO ? "not copositive"
                                      : "copositivity undecided",
            plain_words(x->outcome));
    cli_say_matrix(c, "  D", x->D, k->p, k->p);
    cli_say(c, "    mu_c %s, positive definite below %s%s\n", cli_text_number(x->mu_c, 0),
            cli_text_number(x->mu_definite, 0), x->symmetric ? " (S1 Prop 13)" : "");
    for (int i = 0; x->actual && i < x->solutions->vertex_count && i < 8; i++)
        cli_say_row(c, "  lambda_bar", x->solutions->vertex + (size_t)i * (size_t)k->p, k->p);
    if (x->prop15 == STI_YES) cli_say(c, "    a solution exists (S1 Prop 15)\n");
}

static void say_instant(const cli* c, const cli_instant* in, const sti_painleve* k) {
    cli_say(c, "%scontact LCP%s (S1 (26)) of", cli_strong(c), cli_plain(c));
    for (int i = 0; i < k->p; i++) cli_say(c, "%s %s", i > 0 ? "," : "", in->instant->contacts[k->contact[i]].name);
    cli_say(c, ": %s%s%s\n", k->outcome <= STI_PAINLEVE_ONE ? cli_good(c) : cli_bad(c), plain_words(k->outcome),
            cli_plain(c));
    if (k->approach > 1e-9)
        cli_say(c, "  not a lasting contact: qdot_norm up to %s\n", cli_text_number(k->approach, 0));
    if (k->singular) cli_say(c, "  %s\n", k->limit);
    if (k->z != NULL) cli_say_row(c, "z", k->z, in->instant->n);
    cli_say_row(c, "mu", k->mu, k->p);
    cli_say_row(c, "b", k->b, k->p);
    for (int i = 0; i < k->pattern_count && i < 16; i++) say_pattern(c, k, &k->patterns[i]);
    if (k->pattern_count > 16) cli_say(c, "  ... %d directions more, see --json\n", k->pattern_count - 16);
    cli_say(c, "%scritical friction%s mu_c = %s%s\n", cli_strong(c), cli_plain(c), cli_text_number(k->mu_c, 0),
            cli_text_about(k->mu_c, false));
    if (k->mu_c_all < k->mu_c)
        cli_say(c, "  with directions that cannot occur together: %s\n", cli_text_number(k->mu_c_all, 0));
    if (k->p > 1) cli_say_row(c, "each contact alone", k->mu_c_each, k->p);
    cli_say(c, "  positive definite below %s; by S1 Prop 14: %s (Frobenius), %s (spectral)",
            cli_text_number(k->mu_definite, 0), cli_text_number(k->mu_14[0], 0), cli_text_number(k->mu_14[1], 0));
    if (k->p == 1) cli_say(c, "; by S1 Prop 12: %s", cli_text_number(k->mu_12, 0));
    cli_say(c, "\n");
}

// The map in letters, thinned to fit a screen: the second axis upwards.
static void say_letters(const cli* c, const cli_painleve_request* r, const sti_painleve_map* map) {
    enum { COLUMNS = 64, ROWS = 20 };
    static const char letters[] = ".o2X? ";
    const int columns = map->count[0] < COLUMNS ? map->count[0] : COLUMNS,
              rows = map->count[1] < ROWS ? map->count[1] : ROWS;
    if (rows < 2 || columns < 2) return;
    for (int y = rows - 1; y >= 0; y--) {
        const int j = (int)((long long)y * (map->count[1] - 1) / (rows - 1));
        const sti_painleve_axis* up = &r->def.axes[1];
        const bool marked = y == 0 || y == rows - 1;
        cli_say(c, "  %10s |", marked ? cli_text_number(y == 0 ? up->low : up->high, 0) : "");
        for (int x = 0; x < columns; x++) {
            const int i = (int)((long long)x * (map->count[0] - 1) / (columns - 1));
            cli_say(c, "%c", letters[map->cells[(size_t)j * (size_t)map->count[0] + (size_t)i].outcome]);
        }
        cli_say(c, "|%s%s\n", y == rows - 1 ? " " : "", y == rows - 1 ? r->axis_name[1] : "");
    }
    cli_say(c, "  %10s  %-*s%s  %s\n", "", columns - (int)strlen(cli_text_number(r->def.axes[0].high, 0)),
            cli_text_number(r->def.axes[0].low, 0), cli_text_number(r->def.axes[0].high, 0), r->axis_name[0]);
    cli_say(c, "  %10s  . unique   o one   2 several   X none   ? undecided\n", "");
}

static void say_map(const cli* c, const cli_painleve_request* r, const sti_painleve_map* map) {
    cli_say(c, "%smap%s over", cli_strong(c), cli_plain(c));
    for (int a = 0; a < r->def.axis_count; a++)
        cli_say(c, "%s %s from %s to %s, %d points", a > 0 ? " and" : "", r->axis_name[a],
                cli_text_number(r->def.axes[a].low, 0), cli_text_number(r->def.axes[a].high, 0), r->def.axes[a].count);
    cli_say(c, "\n");
    for (int i = 0, shown = 0; i < STI_PAINLEVE_CASE_COUNT; i++) {
        if (map->number[i] > 0)
            cli_say(c, "%s%s %d", shown++ > 0 ? ", " : "  ", sti_painleve_case_text((sti_painleve_case)i),
                    map->number[i]);
    }
    cli_say(c, "\n");
    say_letters(c, r, map);
    if (!isfinite(map->mu_c)) {
        cli_say(c, "  no friction is critical on the map\n");
        return;
    }
    cli_say(c, "  least mu_c = %s%s%s%s", cli_strong(c), cli_text_number(map->mu_c, 0), cli_plain(c),
            cli_text_about(map->mu_c, false));
    for (int a = 0, shown = 0; a < r->def.axis_count; a++) {
        if (r->def.axes[a].kind != STI_PAINLEVE_COORDINATE) continue;
        const double x = map->q[r->def.axes[a].index];
        cli_say(c, "%s %s = %s%s", shown++ > 0 ? "," : " at", r->axis_name[a], cli_text_number(x, 0),
                cli_text_about(x, true));
    }
    cli_say(c, "\n");
    if (r->picture != NULL) cli_say(c, "  drawn in %s\n", r->picture);
    if (r->page != NULL) cli_say(c, "  %s: opens in a browser\n", r->page);
    if (r->csv != NULL) cli_say(c, "  points in %s\n", r->csv);
}

// ---- work

static int make_map(const cli* c, cli_painleve_request* r, const cli_instant* in, sti_painleve_map** map) {
    const int n = sti_system_coordinate_count(in->system);
    double* q = malloc((size_t)n * sizeof *q);
    if (q == NULL) return cli_fail_memory(c);
    int code = CLI_DONE;
    if (sti_system_state(in->system, NULL, q, NULL) != STI_OK) code = cli_fail_about(c, r->path);
    if (code == CLI_DONE && r->at.q.value != NULL) memcpy(q, r->at.q.value, (size_t)n * sizeof *q);
    r->def.time = in->instant->time;
    r->def.q = q;
    r->def.v = in->instant->v;
    if (code == CLI_DONE) code = cli_painleve_axes(c, r, in);
    if (code == CLI_DONE && sti_painleve_map_create(c->env, in->system, &r->def, map) != STI_OK)
        code = cli_fail_about(c, r->path);
    if (code == CLI_DONE && r->csv != NULL) code = cli_painleve_csv(c, r, *map);
    if (code == CLI_DONE && r->picture != NULL) code = cli_painleve_picture(c, r, *map);
    if (code == CLI_DONE && r->page != NULL) code = cli_painleve_page(c, r, *map);
    free(q);
    return code;
}

// An option about a map that was given; NULL: none.
static const char* map_option(const cli_painleve_request* r) {
    return r->grid != NULL      ? "--grid"
           : r->csv != NULL     ? "--csv"
           : r->picture != NULL ? "--picture"
           : r->page != NULL    ? "--page"
                                : NULL;
}

static int work(const cli* c, cli_painleve_request* r, const cli_instant* in) {
    sti_painleve_options o = sti_painleve_options_default();
    o.gap_tol = r->gap_tol;
    int touching = 0;
    for (int i = 0; i < in->instant->contact_count; i++)
        touching += !in->instant->contacts[i].bilateral && in->instant->contacts[i].gap <= r->gap_tol;
    if (r->mu.count > 0 && r->mu.count != 1 && r->mu.count != touching)
        return cli_fail_usage(c, "--mu: %d numbers, and %d contacts touch", r->mu.count, touching);
    double* mu = malloc(((size_t)touching + 1) * sizeof *mu);
    if (mu == NULL) return cli_fail_memory(c);
    for (int i = 0; r->mu.count > 0 && i < touching; i++) mu[i] = r->mu.value[r->mu.count == 1 ? 0 : i];
    if (r->mu.count > 0) o.mu = mu;
    if (r->along) o.weight = mu;
    sti_painleve* k = NULL;
    sti_painleve_map* map = NULL;
    int code = CLI_DONE;
    const char* wanted = map_option(r);
    if (in->system == NULL && wanted != NULL)
        code = cli_fail_usage(c, "%s: %s is an instant by numbers: a map needs a system", wanted, r->path);
    else if (r->instant && wanted != NULL)
        code = cli_fail_usage(c, "--instant: leaves no map for %s", wanted);
    else if (r->along && r->mu.count == 0)
        code = cli_fail_usage(c, "--along-mu: needs --mu");
    // a system that touches nowhere at its start may still have a map
    if (code == CLI_DONE && (touching > 0 || in->system == NULL) &&
        sti_painleve_create(c->env, in->instant, &o, &k) != STI_OK)
        code = cli_fail_about(c, r->path);
    if (code == CLI_DONE && in->system != NULL && !r->instant) code = make_map(c, r, in, &map);
    if (code == CLI_DONE) {
        if (c->json) {
            code = print_json(c, r, in, k, map, CLI_DONE);
        } else {
            cli_say(c, "%s\n", r->path);
            if (k != NULL) say_instant(c, in, k);
            if (map != NULL) say_map(c, r, map);
        }
    }
    sti_painleve_map_destroy(c->env, map);
    sti_painleve_destroy(c->env, k);
    free(mu);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    cli_painleve_request r = {.gap_tol = sti_painleve_options_default().gap_tol, .def = sti_painleve_map_def_default()};
    const cli_option options[] = {
        CLI_AT_OPTIONS(r.at),
        {"--mu", CLI_LIST, "MU,..", "friction, one for all or one per touching contact", &r.mu},
        {"--along-mu", CLI_FLAG, NULL, "mu_c as a factor of the friction given with --mu", &r.along},
        {"--grid", CLI_TEXT, "X=A:B:N,..", "axes of the map: a coordinate, a velocity x', or mu; one or two", &r.grid},
        {"--instant", CLI_FLAG, NULL, "only the state itself, no map", &r.instant},
        {"--csv", CLI_TEXT, "FILE", "the points of the map", &r.csv},
        {"--picture", CLI_TEXT, "SVG", "draw the map", &r.picture},
        {"--page", CLI_TEXT, "HTML", "the map as a page to hover over", &r.page},
        {"--gap-tol", CLI_POSITIVE, "GAP", "contacts with a larger gap are left out (1e-9)", &r.gap_tol},
    };
    char* positional[1];
    int code;
    if (cli_parse(c, options, (int)(sizeof options / sizeof options[0]), argc, argv, positional, 1, 1, &code) >= 0) {
        cli_instant in = {0};
        r.path = positional[0];
        code = cli_instant_load(c, r.path, &r.at, &in);
        if (code == CLI_DONE) code = work(c, &r, &in);
        cli_instant_clear(c, &in);
    }
    cli_at_clear(&r.at);
    free(r.mu.value);
    return code;
}

const cli_verb cli_analyze_painleve = {
    .name = "analyze painleve",
    .arguments = "FILE [options]",
    .summary = "contact LCP with friction: none, one or several solutions; critical friction",
    .details =
        "For every choice of slip directions: the matrix D = G - n_q'H_T diag(mu xi / |n|), its minors and\n"
        "classes, all solutions of the contact LCP, and the least friction mu_c at which D stops being a\n"
        "P-matrix, beside the bounds of S1 Props 12 to 15. Of a system also a map over configurations: without\n"
        "--grid over the first coordinate that matters, from 0 to pi/2, and mu. Coordinates that are not on an\n"
        "axis move so that the contacts stay closed.\n"
        "Where M is singular the limit of a small mass is taken, and told how, if there is one. unique: one\n"
        "solution for every load; one, several, none: with the forces and slips of that state.\n"
        "Exit code 0: done; 2: bad usage or input; 3: internal failure.\n\n"
        "example:\n"
        "    stiction analyze painleve painleve-rod --picture rod.svg\n"
        "    stiction analyze painleve painleve-rod --grid \"theta=0:1.5708:200,theta'=-8:8:200\" --csv rod.csv\n",
    .use = STI_USE_ANALYZE,
    .run = run,
};
