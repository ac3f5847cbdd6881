// converge.c: stiction converge: one scene with several steps: observed orders, and whether speeds, total variations
// and impulses stay bounded.
#include "converge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes.h"

typedef struct request {
    cli_list steps;
    double time;
    const char *settings, *schemes, *rules, *reference, *closed, *picture;
} request;

// ---- what is run

static int open_scene(const request* r, cli_converge* w) {
    const cli* c = w->c;
    int code = cli_scene_load(c, w->file, &w->problem);
    if (code != CLI_DONE) return code;
    if (r->settings != NULL && sti_document_set(w->problem, r->settings) != STI_OK) return cli_fail_about(c, "--set");
    w->system = sti_system_of(w->problem);
    w->world = sti_world_scene_of(w->problem);
    w->bed = sti_bed_scene_of(w->problem);
    if (w->system == NULL && w->world == NULL && w->bed == NULL)
        return cli_fail_usage(c, "%.200s: kind: %s: a system, bodies or grains expected", w->file,
                              sti_kind_text(sti_document_kind(w->problem)));
    if (w->bed != NULL && w->bed->bed.recirculate)
        return cli_fail_usage(c, "%.200s: bed.recirculate: true: grains that come in again make no path", w->file);
    w->time = r->time > 0 ? r->time : w->world != NULL ? w->world->time : w->bed != NULL ? w->bed->time : 10;
    return CLI_DONE;
}

static int read_steps(const request* r, cli_converge* w) {
    const cli* c = w->c;
    if (r->steps.count == 0) return cli_fail_usage(c, "--steps: missing: lengths of steps, like 0.04,0.02,0.01");
    if (r->steps.count < 2 || r->steps.count > CLI_CONVERGE_STEPS)
        return cli_fail_usage(c, "--steps: %d of them: 2 to %d expected", r->steps.count, CLI_CONVERGE_STEPS);
    for (int k = 0; k < r->steps.count; k++) {
        const double h = r->steps.value[k];
        if (!(h > 0) || h > w->time)
            return cli_fail_usage(c, "--steps: %g: a length above 0, up to the time %g, expected", h, w->time);
        if (k > 0 && !(h < w->h[k - 1]))
            return cli_fail_usage(c, "--steps: %g after %g: descending lengths expected", h, w->h[k - 1]);
        if (fabs(w->time / h - floor(w->time / h + 0.5)) > 1e-6 * w->time / h)
            return cli_fail_usage(c, "--steps: %g: does not divide the time %g; --time sets another one", h, w->time);
        w->h[k] = h;
    }
    w->step_count = r->steps.count;
    return CLI_DONE;
}

static int read_reference(const request* r, cli_converge* w) {
    const cli* c = w->c;
    w->reference_step = w->h[w->step_count - 1] / 8;
    if (r->closed != NULL && r->reference != NULL) return cli_fail_usage(c, "--closed: not together with --reference");
    if (r->closed != NULL && w->system == NULL)
        return cli_fail_usage(c, "--closed: for systems by formulas, and %.200s is none", w->file);
    if (r->closed != NULL) {
        w->reference = CLI_CONVERGE_CLOSED;
    } else if (r->reference != NULL && strcmp(r->reference, "extrapolated") == 0) {
        w->reference = CLI_CONVERGE_EXTRAPOLATED;
        w->reference_step = NAN;
        if (w->step_count < 3)
            return cli_fail_usage(c, "--reference: extrapolated: three lengths of steps are needed for it");
    } else if (r->reference != NULL && strcmp(r->reference, "events") == 0) {
        if (w->bed != NULL)
            return cli_fail_usage(c, "--reference: events: for systems and bodies, and %.200s is a bed of grains",
                                  w->file);
        w->reference = CLI_CONVERGE_EVENTS;
    } else if (r->reference != NULL && strcmp(r->reference, "fine") != 0) {
        return cli_fail_usage(c, "--reference: %.60s: fine, extrapolated or events expected", r->reference);
    }
    return CLI_DONE;
}

// ---- ways to step

static void take_events(const cli_converge* w, cli_converge_variant* v, double tol) {
    v->system.events = STI_EVENTS_AUTO;
    v->system.event_tol = tol;
    v->by_events = w->world != NULL;
    if (w->world != NULL) v->system.law = w->world->step.law;
}

static cli_converge_variant* add_variant(cli_converge* w, const char* name) {
    if (w->variant_count == CLI_CONVERGE_VARIANTS) return NULL;
    cli_converge_variant* v = &w->variant[w->variant_count++];
    snprintf(v->name, sizeof v->name, "%s", name);
    v->system = sti_stepper_options_default(STI_SCHEME_ALPHA);
    if (w->world != NULL) v->world = w->world->step;
    if (w->bed != NULL) v->bed = w->bed->step;
    return v;
}

// "alpha", "alpha:1", "old" and "free" (gradients at the old place; energy not balanced) with A too, "events",
// "index3", "convex", "quasistatic", "printed"; of bodies "alpha:A", "events", "index3"; of grains a law.
static bool set_scheme(const cli_converge* w, cli_converge_variant* v, const char* word) {
    double alpha = NAN;
    char kind[40];
    snprintf(kind, sizeof kind, "%.39s", word);
    char* colon = strchr(kind, ':');
    if (colon != NULL) {
        *colon = '\0';
        const bool weighted = strcmp(kind, "alpha") == 0 || strcmp(kind, "old") == 0 || strcmp(kind, "free") == 0;
        if (!weighted || !cli_parse_number(colon + 1, &alpha)) return false;
        if (!(alpha >= (w->world != NULL ? 0.5 : 1e-6) && alpha <= 1)) return false;
    }
    if (w->bed != NULL) {
        if (!sti_law_parse(word, &v->bed.law)) return false;
        if (v->bed.law != STI_LAW_COULOMB && v->bed.solver == STI_BED_GS) v->bed.solver = STI_BED_APGD;
        return true;
    }
    if (strcmp(kind, "events") == 0) {
        take_events(w, v, 0.5);  // lengths of steps are those that are asked for
        return true;
    }
    if (w->world != NULL) {
        if (strcmp(kind, "index3") == 0) v->world.index = 3;
        if (!isnan(alpha)) v->world.alpha = alpha;
        return strcmp(kind, "alpha") == 0 || strcmp(kind, "index3") == 0;
    }
    sti_scheme scheme;
    if (strcmp(kind, "old") == 0 || strcmp(kind, "free") == 0) {
        v->system.balance = false;
        if (kind[0] == 'o') v->system.geometry = STI_GEOMETRY_OLD;
    } else if (strcmp(kind, "index3") == 0)
        v->system.index = 3;
    else if (strcmp(kind, "printed") == 0)
        v->system = sti_stepper_options_printed(STI_SCHEME_ALPHA);
    else if (sti_scheme_parse(kind, &scheme))
        v->system = sti_stepper_options_default(scheme);
    else
        return false;
    if (!isnan(alpha)) v->system.alpha = alpha;
    return true;
}

static bool set_rule(const cli_converge* w, cli_converge_variant* v, const char* word) {
    if (w->system == NULL) return false;
    if (strcmp(word, "held") != 0 && strcmp(word, "gap") != 0) return false;
    v->system.active = word[0] == 'h' ? STI_ACTIVE_HELD : STI_ACTIVE_GAP;
    return true;
}

// One variant for each word of the list.
static int add_list(cli_converge* w, const char* option, const char* list,
                    bool (*set)(const cli_converge*, cli_converge_variant*, const char*), const char* expected) {
    for (const char* at = list; at != NULL;) {
        const size_t length = strcspn(at, ",");
        char word[40];
        snprintf(word, sizeof word, "%.*s", (int)(length < 39 ? length : 39), at);
        cli_converge_variant* v = add_variant(w, word);
        if (v == NULL)
            return cli_fail_usage(w->c, "%s: more than %d ways to step in all", option, CLI_CONVERGE_VARIANTS);
        if (!set(w, v, word)) return cli_fail_usage(w->c, "%s: %.40s: %s", option, word, expected);
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return CLI_DONE;
}

static int add_variants(const request* r, cli_converge* w) {
    int code = CLI_DONE;
    if (r->schemes == NULL && r->rules == NULL) add_variant(w, "default");
    if (r->schemes != NULL)
        code = add_list(w, "--schemes", r->schemes, set_scheme,
                        w->bed != NULL     ? "coulomb, cone or facets expected, for grains"
                        : w->world != NULL ? "alpha, alpha:A with A in [1/2, 1], index3 or events expected, for bodies"
                                           : "alpha, old, free, or these with :A, A in (0, 1], events, index3, convex, "
                                             "quasistatic or printed expected");
    if (code == CLI_DONE && r->rules != NULL)
        code = add_list(w, "--rules", r->rules, set_rule,
                        w->system != NULL ? "held or gap expected" : "for systems by formulas alone");
    return code;
}

// ---- orders

static void read_error(const sti_path_error* e, double out[CLI_CONVERGE_ERRORS]) {
    const double all[CLI_CONVERGE_ERRORS] = {e->position, e->final, e->velocity, e->weighted, e->graph, e->impulse};
    memcpy(out, all, sizeof all);
}

static void read_sizes(const sti_path* path, double out[CLI_CONVERGE_SIZES]) {
    sti_path_measures m;
    sti_path_measure(path, &m);
    const double all[CLI_CONVERGE_SIZES] = {m.speed, m.variation, m.weighted_variation, m.jump, m.impulses};
    memcpy(out, all, sizeof all);
}

// Errors up to this are rounding.
static double rounding(const cli_converge_variant* v) {
    return 1e-11 * fmax(1, fmax(v->size[0][0], v->size[0][4]));
}

// log of the ratio of errors over that of steps; NAN where an error is rounding or not known.
static double order_of(const cli_converge_variant* v, double e, double f, double h, double g) {
    return e > rounding(v) && f > rounding(v) ? log(e / f) / log(h / g) : NAN;
}

// Differences d_k of neighbours are errors up to 1 - (h_(k+1) / h_k)^p, with p the order they show.
static void extrapolate(const cli_converge* w, cli_converge_variant* v) {
    const int last = w->step_count - 1;
    for (int e = 0; e < CLI_CONVERGE_ERRORS; e++) {
        v->order[e] = order_of(v, v->error[last - 2][e], v->error[last - 1][e], w->h[last - 2], w->h[last - 1]);
        for (int k = 0; k < last; k++) {
            if (v->order[e] > 0.1) v->error[k][e] /= 1 - pow(w->h[k + 1] / w->h[k], v->order[e]);
        }
        v->error[last][e] = NAN;
    }
}

// Slope of log size over -log h.
static double growth_of(const cli_converge* w, const cli_converge_variant* v, int s) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < w->step_count; k++) {
        if (!(v->size[k][s] > 0)) return NAN;
        const double x = -log(w->h[k]), y = log(v->size[k][s]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    const double n = w->step_count;
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static int compare(const request* r, cli_converge* w, cli_converge_variant* v) {
    const cli* c = w->c;
    const bool next = w->reference == CLI_CONVERGE_EXTRAPOLATED;
    const int last = w->step_count - 1;
    sti_path* reference = NULL;
    cli_converge_variant located = {.name = "reference", .system = sti_stepper_options_default(STI_SCHEME_ALPHA)};
    if (w->world != NULL) located.world = w->world->step;
    take_events(w, &located, 1e-12);
    int code = w->reference == CLI_CONVERGE_FINE     ? cli_converge_run(w, v, w->reference_step, &reference)
               : w->reference == CLI_CONVERGE_EVENTS ? cli_converge_run(w, &located, w->reference_step, &reference)
               : w->reference == CLI_CONVERGE_CLOSED ? cli_converge_closed(w, r->closed, &reference)
                                                     : CLI_DONE;
    for (int k = 0; code == CLI_DONE && k < (next ? last : w->step_count); k++) {
        sti_path_error e;
        if (sti_path_compare(v->path[k], next ? v->path[k + 1] : reference, &e) != STI_OK) code = cli_fail_env(c);
        if (code == CLI_DONE) read_error(&e, v->error[k]);
        // formulas of t say nothing of impulses, and their velocities carry no weight
        if (w->reference == CLI_CONVERGE_CLOSED) v->error[k][5] = NAN;
    }
    sti_path_destroy(reference);
    if (code != CLI_DONE) return code;
    if (next) extrapolate(w, v);
    for (int e = 0; !next && e < CLI_CONVERGE_ERRORS; e++)
        v->order[e] = order_of(v, v->error[last - 1][e], v->error[last][e], w->h[last - 1], w->h[last]);
    for (int s = 0; s < CLI_CONVERGE_SIZES; s++) v->growth[s] = growth_of(w, v, s);
    return CLI_DONE;
}

static int work(const request* r, cli_converge* w) {
    int code = CLI_DONE;
    for (int k = 0; k < w->step_count; k++) w->work += w->time / w->h[k] * w->variant_count;
    if (w->reference == CLI_CONVERGE_FINE) w->work += w->time / w->reference_step * w->variant_count;
    w->progress = cli_run_progress_begin(0);
    for (int i = 0; code == CLI_DONE && i < w->variant_count; i++) {
        cli_converge_variant* v = &w->variant[i];
        for (int k = 0; code == CLI_DONE && k < w->step_count; k++) {
            code = cli_converge_run(w, v, w->h[k], &v->path[k]);
            if (code == CLI_DONE) read_sizes(v->path[k], v->size[k]);
        }
        if (code == CLI_DONE) code = compare(r, w, v);
    }
    cli_run_progress_clear(&w->progress);
    return code;
}

static void clear(cli_converge* w) {
    for (int i = 0; i < w->variant_count; i++) {
        for (int k = 0; k < CLI_CONVERGE_STEPS; k++) sti_path_destroy(w->variant[i].path[k]);
    }
    sti_document_destroy(w->problem);
    free(w);
}

static int run(cli* c, int argc, char** argv) {
    request r = {0};
    const cli_option options[] = {
        {"--steps", CLI_LIST, "H,H,..", "lengths of steps, descending; each divides the time", &r.steps},
        {"--time", CLI_POSITIVE, "T", "how long, instead of the scene's time (a system: 10)", &r.time},
        {"--set", CLI_JOINED, "NAME=X,..", "parameters of the scene", &r.settings},
        {"--schemes", CLI_TEXT, "A,B,..",
         "a system: alpha, alpha:A, events, index3, convex, quasistatic, printed; bodies: alpha:A, index3, "
         "events; grains: coulomb, cone, facets",
         &r.schemes},
        {"--rules", CLI_TEXT, "A,B", "a system: which contacts are active, held or gap, with the default scheme",
         &r.rules},
        {"--reference", CLI_TEXT, "HOW",
         "fine (a run with an eighth of the least step), extrapolated, or events, to 1e-12 (fine)", &r.reference},
        {"--closed", CLI_TEXT, "FORMULAS", "a system: the exact motion, like \"x=1-t^2,x'=-2*t\"", &r.closed},
        {"--picture", CLI_TEXT, "FILE", "errors over the step (.svg)", &r.picture},
    };
    char* positional[1];
    int code;
    cli_converge* w = calloc(1, sizeof *w);
    if (w == NULL) return cli_fail_memory(c);
    const int count = cli_parse(c, options, sizeof options / sizeof options[0], argc, argv, positional, 1, 1, &code);
    if (count >= 0) {
        w->c = c;
        w->file = positional[0];
        cli_run_catch_signals();
        cli_limit_none(c);
        code = cli_run_check_output(c, "--picture", r.picture, NULL, true);
        if (code == CLI_DONE) code = open_scene(&r, w);
        if (code == CLI_DONE) code = read_steps(&r, w);
        if (code == CLI_DONE) code = read_reference(&r, w);
        if (code == CLI_DONE) code = add_variants(&r, w);
        if (code == CLI_DONE) code = work(&r, w);
        if (code == CLI_DONE && r.picture != NULL) code = cli_converge_draw(w, r.picture);
        if (code == CLI_DONE && c->json)
            code = cli_converge_json(w);
        else if (code == CLI_DONE)
            cli_converge_say(w);
    }
    clear(w);
    free(r.steps.value);
    return code;
}

const cli_verb cli_verb_converge = {
    .name = "converge",
    .arguments = "SCENE --steps H,H,..",
    .summary = "observed orders: one scene with several steps",
    .details =
        "Runs of a system, of bodies or of grains with each step: errors of positions (largest; at the end),\n"
        "velocities and weighted velocities (L1), graphs of velocities (Hausdorff distance) and sums of normal\n"
        "impulses (L1) against a reference, with the orders that the last two steps show; and over h the largest\n"
        "speed, total variations, the largest jump and the sum of normal impulses, \"bounded\" where they grow\n"
        "less than h^-0.1 (S3 theorems 2.2.4 and 2.2.5 claim bounds; docs/steppers.md).\n"
        "Exit code 0: done; 1: stopped, or some step was not solved; 2: bad usage or input; 3: internal failure.\n\n"
        "example:\n"
        "    stiction converge stick-slip --steps 0.1,0.05,0.025 --schemes alpha,alpha:1 --picture orders.svg\n"
        "    stiction converge bouncing-ball --steps 0.02,0.01,0.005 --time 1 --rules held,gap\n"
        "    stiction converge kane-pendulum --steps 0.02,0.01,0.005 --time 1 --schemes alpha,events "
        "--reference events\n",
    .use = STI_USE_RUN,
    .run = run,
};
