// analyze_modes.c: stiction analyze modes: what each contact can do next, and the wrenches that make it so (S2).
#include "analyze_modes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "page_answers.h"

int cli_modes_wrench(const cli* c, const char* text, const char* what, int n, sti_rationals** out) {
    *out = NULL;
    int count = 1;
    for (const char* p = text; *p != '\0'; p++) count += *p == ',';
    if (count != n)
        return cli_fail_usage(c, "%s: %d number%s, and there are %d velocities", what, count, count == 1 ? "" : "s", n);
    if (sti_rationals_create(c->env, (size_t)n, out) != STI_OK) return cli_fail_env(c);
    for (int i = 0; i < n; i++) {
        char piece[80];
        const size_t size = strcspn(text, ",");
        snprintf(piece, sizeof piece, "%.*s", (int)(size < sizeof piece ? size : sizeof piece - 1), text);
        if (size >= sizeof piece || sti_rationals_set_text(*out, (size_t)i, piece) != STI_OK) {
            sti_rationals_destroy(*out);
            *out = NULL;
            return cli_fail_usage(c, "%s: %.60s: a number like 0.4 or -2/5 expected", what, piece);
        }
        text += size + 1;
    }
    return CLI_DONE;
}

void cli_modes_label(const sti_modes* m, char* text, size_t size) {
    const sti_mode_fit fit = m->strict_count > 0 ? STI_MODE_STRICT : STI_MODE_LIMIT;
    const bool any = m->strict_count + m->limit_count > 0, brackets = any && fit == STI_MODE_LIMIT;
    const char* none = m->asked && !m->decided ? "?" : "-";
    size_t at = (size_t)snprintf(text, size, "%s", !any ? none : brackets ? "(" : "");
    bool first = true;
    for (int i = 0; i < m->mode_count && any; i++) {
        if (m->modes[i].fit != fit || at >= size) continue;
        at += (size_t)snprintf(text + at, size - at, "%s%s", first ? "" : "|", m->modes[i].text);
        first = false;
    }
    if (any && !m->all_consistent && at < size) at += (size_t)snprintf(text + at, size - at, "|?");
    if (brackets && at < size) snprintf(text + at, size - at, ")");
}

const sti_mode* cli_modes_pick(const sti_modes* m, const char* text) {
    const int feasible = sti_modes_find(m, text);
    if (feasible >= 0) return &m->modes[feasible];
    for (int i = 0; i < m->infeasible_count; i++) {
        if (strcmp(m->infeasible[i].text, text) == 0) return &m->infeasible[i];
    }
    return NULL;
}

void cli_modes_own_polygon(cli_modes_request* r, const sti_instant* in) {
    const int own = sti_instant_polygon(in, r->options.gap_tol);
    if (own < 0 || r->model != NULL || r->sides > 0) return;
    r->options.model = STI_FRICTION_SIDES;
    r->options.sides = in->contacts[own].corner_count;
}

static int set_options(const cli* c, cli_modes_request* r) {
    r->options = sti_modes_options_default();
    sti_modes_options* o = &r->options;
    if (r->model != NULL && strcmp(r->model, "sides") == 0)
        o->model = STI_FRICTION_SIDES;
    else if (r->model != NULL && strcmp(r->model, "box") != 0)
        return cli_fail_usage(c, "--model: %.60s: box or sides expected", r->model);
    if (r->sides > 0) {
        if (r->sides < 3 || r->sides > 64) return cli_fail_usage(c, "--sides: %ld: 3 to 64 expected", r->sides);
        o->model = STI_FRICTION_SIDES;
        o->sides = (int)r->sides;
    }
    if (r->cones != NULL && strcmp(r->cones, "all") != 0 && strcmp(r->cones, "consistent") != 0 &&
        strcmp(r->cones, "none") != 0)
        return cli_fail_usage(c, "--cones: %.60s: all, consistent or none expected", r->cones);
    if (r->cones != NULL && strcmp(r->cones, "none") == 0) o->want &= ~(unsigned)STI_MODES_CONES;
    if (r->cones != NULL && strcmp(r->cones, "consistent") == 0) o->max_cones = 0;
    if (r->cones != NULL && strcmp(r->cones, "all") == 0) o->max_cones = LONG_MAX;
    o->contacts_only = r->contacts_only;
    if (r->consistent) o->want &= ~(unsigned)STI_MODES_KINEMATIC;
    if (r->infeasible) o->want |= STI_MODES_INFEASIBLE;
    if (r->consistent && r->infeasible)
        return cli_fail_usage(
            c, "--infeasible: --consistent leaves feasible modes out, so what is not feasible is not known");
    if (r->consistent && r->contacts_only)
        return cli_fail_usage(c, "--consistent: --contacts-only leaves friction out, and the wrench with it");
    if (r->max_modes > 0) o->max_modes = r->max_modes;
    o->time_limit_s = c->time_limit > 0 ? cli_limit_soft(c) : CLI_USUAL_LIMIT;
    if (r->gap_tol > 0) o->gap_tol = r->gap_tol;
    return CLI_DONE;
}

// Nothing is printed that the independent checker does not accept.
static int check_answer(const cli* c, const cli_modes_request* r, const sti_instant* in, const sti_modes* m,
                        sti_modes_verification* check) {
    if (sti_verify_modes(c->env, in, &r->options, m, check) != STI_OK) return cli_fail_about(c, r->path[0]);
    if (check->accepted) return CLI_DONE;
    cli_fail_usage(c, "the answer does not pass its own check: %s", check->text);
    return CLI_INTERNAL;
}

enum { MODES_OF_PAGE = 400, WORDS_OF_PAGE = 4000 };

static int write_page(const cli* c, const cli_modes_request* r, const cli_instant* of, const sti_modes* m,
                      const sti_modes_verification* check) {
    cli_modes_plane plane = {.w = malloc((size_t)m->n * sizeof *plane.w + 1)};
    cli_page p;
    cli_shown shown = {0};
    const bool wide = m->n >= 2;  // one velocity has no plane
    int code = plane.w != NULL ? CLI_DONE : cli_fail_memory(c);
    if (code == CLI_DONE && wide) code = cli_modes_axes(c, r, m, "--page", &plane.i, &plane.j);
    if (code == CLI_DONE) code = cli_instant_shown(c, of, NULL, 0, &shown);
    if (code == CLI_DONE) code = cli_instant_page_begin(c, &p, r->path[0], of, &shown);
    if (code == CLI_DONE) {
        plane.reach = cli_modes_reach(m, plane.w);
        cli_json_object(&p.json, NULL);
        const int words = 1 + WORDS_OF_PAGE / (m->contact_count + 1);
        cli_answer_modes(&p.json, &shown, m, check, wide ? &plane : NULL,
                         words < MODES_OF_PAGE ? words : MODES_OF_PAGE);
        code = cli_page_save(c, &p, r->page);
        if (code == CLI_DONE) cli_say(c, "%s: opens in a browser\n", r->page);
    }
    cli_shown_clear(&shown);
    free(plane.w);
    return code;
}

// Faces of cones in so many dimensions are listed unasked; with more there may be millions.
enum { MOST_DIMENSIONS = 18 };

static int answer(const cli* c, cli_modes_request* r, const cli_instant* of) {
    const sti_instant* in = of->instant;
    sti_modes* m = NULL;
    sti_modes_lcp* lcp = NULL;
    sti_modes_verification check;
    int code = CLI_DONE;
    if (r->wrench_text != NULL) code = cli_modes_wrench(c, r->wrench_text, "--wrench", in->n, &r->wrench);
    if (code == CLI_DONE && r->actuators_text != NULL)
        code = cli_modes_actuators_read(c, r->actuators_text, in, &r->actuators);
    r->options.wrench_exact = r->wrench;
    if (r->cones == NULL && in->n > MOST_DIMENSIONS) r->options.want &= ~(unsigned)STI_MODES_CONES;
    cli_progress bar = cli_progress_begin();
    if (c->err_terminal && !c->quiet) {
        r->options.trace = cli_progress_part;
        r->options.trace_user = &bar;
    }
    const bool made = code == CLI_DONE && sti_modes_create(c->env, in, &r->options, &m) == STI_OK;
    cli_progress_clear(&bar);
    r->options.trace = NULL;
    if (code == CLI_DONE && !made) code = cli_fail_about(c, r->path[0]);
    if (code == CLI_DONE && r->mode != NULL && cli_modes_pick(m, r->mode) == NULL)
        code = cli_fail_usage(c, "--mode: %.60s: not among the %d modes listed", r->mode, m->mode_count);
    if (code == CLI_DONE && r->lcp && sti_modes_lcp_create(c->env, in, &r->options, &lcp) != STI_OK)
        code = cli_fail_about(c, r->path[0]);
    if (code == CLI_DONE) code = check_answer(c, r, in, m, &check);
    if (code == CLI_DONE && r->picture != NULL) code = cli_modes_picture(c, r, in, m);
    if (code == CLI_DONE && r->page != NULL) code = write_page(c, r, of, m, &check);
    if (code == CLI_DONE) code = cli_modes_answer(c, r, in, m, &check, lcp);
    sti_modes_lcp_destroy(lcp);
    sti_modes_destroy(m);
    sti_rationals_destroy(r->wrench);
    r->wrench = NULL;
    cli_modes_actuators_clear(&r->actuators);
    return code;
}

static int ask(cli* c, cli_modes_request* r, int argc, char** argv) {
    const cli_option options[] = {
        CLI_AT_OPTIONS(r->at),
        {"--wrench", CLI_TEXT, "W,..", "external wrench, numbers or fractions; -F of the instant otherwise",
         &r->wrench_text},
        {"--actuators", CLI_TEXT, "X=A:B,..",
         "forces with bounds, along velocities (by name or number) or [directions]: which modes they can bring about",
         &r->actuators_text},
        {"--model", CLI_TEXT, "NAME", "friction in space: box (default) or sides", &r->model},
        {"--sides", CLI_COUNT, "K", "sides of the friction polygon, 3 to 64 (8); implies --model sides", &r->sides},
        {"--mode", CLI_TEXT, "WORDS", "show this mode in full, with the wrenches that produce it", &r->mode},
        {"--cones", CLI_TEXT, "WHICH",
         "wrench sets: all, consistent, none (default: all, up to 400 modes, 18 velocities)", &r->cones},
        {"--consistent", CLI_FLAG, NULL, "only the modes consistent with the wrench, not all that are feasible",
         &r->consistent},
        {"--infeasible", CLI_FLAG, NULL, "also the combinations that no acceleration has: why, and their wrench sets",
         &r->infeasible},
        {"--contacts-only", CLI_FLAG, NULL, "touching (c) or separating (s) only, without friction", &r->contacts_only},
        {"--lcp", CLI_FLAG, NULL, "the LCP of S2 (23), (30) or (37), and all its solutions", &r->lcp},
        {"--count", CLI_FLAG, NULL, "count the complementary choices of one contact; takes no FILE", &r->count},
        {"--path", CLI_TEXT, "FILE", "lines t,w_1,..,w_n: the modes along it and the graph of transitions", &r->csv},
        {"--trajectory", CLI_TEXT, "FILE", "the same over the states of stiction run --csv FILE; for a system",
         &r->trajectory},
        {"--picture", CLI_TEXT, "FILE", "SVG of the wrench sets, cut through the wrench", &r->picture},
        {"--page", CLI_TEXT, "HTML", "the modes as a page: a table with the cone of each, what moves", &r->page},
        {"--axes", CLI_LIST, "I,J", "of the picture: components of the wrench, from 0 (0,1)", &r->axes},
        {"--output", CLI_TEXT, "FILE", "the --json answer, into a file", &r->output},
        {"--gap-tol", CLI_POSITIVE, "TOL", "a gap not larger touches (1e-9)", &r->gap_tol},
        {"--max-modes", CLI_COUNT, "N", "list at most N modes (20000)", &r->max_modes},
    };
    int code;
    r->path_count =
        cli_parse(c, options, sizeof options / sizeof options[0], argc, argv, r->path, 0, CLI_MODES_FILES, &code);
    if (r->path_count < 0) return code;
    code = set_options(c, r);
    if (code != CLI_DONE) return code;
    if (r->count) return cli_modes_count(c, r);
    if (r->path_count == 0) return cli_fail_usage(c, "FILE is missing; try stiction analyze modes --help");
    if (r->csv != NULL && r->path_count > 1)
        return cli_fail_usage(c, "--path: one FILE expected, not %d", r->path_count);
    if (r->trajectory != NULL && (r->csv != NULL || r->path_count > 1))
        return cli_fail_usage(c, "--trajectory: one FILE expected, and no --path");
    if (r->actuators_text != NULL && (r->csv != NULL || r->trajectory != NULL || r->path_count > 1))
        return cli_fail_usage(c, "--actuators: one FILE expected, and no path");
    if (r->page != NULL && (r->csv != NULL || r->trajectory != NULL || r->path_count > 1))
        return cli_fail_usage(c, "--page: of one instant, not of several");
    if (r->csv != NULL || r->trajectory != NULL || r->path_count > 1) return cli_modes_path(c, r);
    cli_instant in;
    code = cli_instant_load(c, r->path[0], &r->at, &in);
    if (code != CLI_DONE) return code;
    r->note = in.note;
    cli_modes_own_polygon(r, in.instant);
    code = answer(c, r, &in);
    cli_instant_clear(c, &in);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    cli_modes_request* r = calloc(1, sizeof *r);
    if (r == NULL) return cli_fail_memory(c);
    const int code = ask(c, r, argc, argv);
    cli_at_clear(&r->at);
    free(r->axes.value);
    free(r);
    return code;
}

const cli_verb cli_analyze_modes = {
    .name = "analyze modes",
    .arguments = "FILE.. [options]",
    .summary = "contact modes, and the wrenches that produce them",
    .details =
        "A mode says of every contact what it does next: s separates, n rolls (sticks), l and r slide to the left\n"
        "(+t) and right, a approaches (a gap that shrinks), c keeps contact; in space +- and the like are the\n"
        "signs of the slip acceleration (box), d3 and d3-4 the friction corner or side (sides). Listed are all\n"
        "modes that are kinematically feasible, those consistent with the wrench, strictly or as a limit, their\n"
        "solutions, and for each mode the wrenches that produce it with the margin of the given one. Everything\n"
        "is decided without rounding. docs/modes.md says more. Several FILEs are instants along a trajectory.\n"
        "Many bodies have more modes than anybody can list: --consistent asks for those of the wrench alone. A\n"
        "search that is not finished at its limit says so, and claims nothing about what it has not seen.\n\n"
        "Exit codes: 0 some mode is consistent, 1 none is, with a proof, or none was found in time.\n\n"
        "example:\n"
        "    stiction analyze modes rocking-block --wrench 3,-10,0\n"
        "    stiction analyze modes rocking-block --actuators x=-8:8,theta=-1:1\n",
    .use = STI_USE_ANALYZE,
    .run = run,
};
