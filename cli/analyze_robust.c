// analyze_robust.c: stiction analyze robust: does the complementary basis of the first step last, S3 (2.4.21) ff.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze.h"
#include "run_push.h"
#include "scenes.h"

typedef struct request {
    const char* path;
    const char* scheme;
    const char* settings;
    const char* output;
    const char* doubts;
    bool box, whole;
    long steps, pieces, samples;
    double h, alpha, slip;
} request;

typedef struct question {
    const request* r;
    const char* of;            // "system", "manipulation"
    const sti_system* system;  // to look at
    sti_system* frozen;        // the same when it was made here
    sti_stepper_options options;
    long steps;
    const sti_manipulation* scene;  // of parts and probes
    sti_push* push;                 // of these, where the first step has no solution
    sti_push_report jam;            // what that step says; end moved: nothing
} question;

static const char* const kinds[] = {
    [STI_ROBUST_NORMAL] = "normal", [STI_ROBUST_FRICTION] = "friction", [STI_ROBUST_SLIDING] = "sliding"};

// What it means that a component turns negative: on the basis it is z, off it w.
static const char* event_of(int kind, bool basis) {
    static const char* const on[] = {"opens", "friction reverses", "stops sliding"};
    static const char* const off[] = {"closes", "slips against its friction", "begins to slide"};
    return basis ? on[kind] : off[kind];
}

// ---- JSON

static void put_component(cli_json* j, const char* key, const question* k, const sti_robust* r, int i) {
    cli_json_object(j, key);
    cli_json_integer(j, "pair", i);
    cli_json_text(j, "contact", sti_system_contact(k->system, r->pair_contact[i]));
    cli_json_text(j, "component", kinds[r->pair_kind[i]]);
    cli_json_bool(j, "basic", r->alpha[i] != 0);
    cli_json_number(j, "value", r->value[i]);
    cli_json_text(j, "event", event_of(r->pair_kind[i], r->alpha[i] != 0));
    cli_json_bool(j, "open", r->pair_open[i] != 0);
    cli_json_end(j);
}

static void put_margins(cli_json* j, const sti_robust* r) {
    cli_json_array(j, "margins");
    for (int l = 0; l < r->margin_count; l++) {
        cli_json_object(j, NULL);
        cli_json_number(j, "opening", r->margins[l].opening);
        cli_json_number(j, "force", r->margins[l].force);
        cli_json_number(j, "reserve", r->margins[l].reserve);
        cli_json_number(j, "slipping", r->margins[l].slipping);
        cli_json_end(j);
    }
    cli_json_end(j);
}

// Why a first step of parts and probes has no solution, as their run says it.
static void put_jam(cli_json* j, const question* k) {
    const bool jams = k->push != NULL && k->jam.end != STI_PUSH_MOVED;
    cli_json_text(j, "verdict", jams ? sti_push_end_text(k->jam.end) : NULL);
    cli_json_text(j, "why", jams ? k->jam.why : NULL);
    if (jams)
        cli_push_put_certificate(j, k->scene, &k->jam);
    else
        cli_json_null(j, "certificate");
}

static int print_json(const cli* c, const question* k, const sti_robust* r, int code) {
    const int n = sti_system_coordinate_count(k->system);
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "robust");
    cli_json_text(&j, "file", k->r->path);
    cli_json_text(&j, "of", k->of);
    cli_json_text(&j, "scheme", sti_scheme_text(k->options.scheme));
    cli_json_number(&j, "h", k->options.step);
    cli_json_integer(&j, "steps", k->steps);
    cli_json_text(&j, "outcome", sti_outcome_text(r->outcome));
    put_jam(&j, k);
    cli_json_bool(&j, "robust", r->outcome == STI_SOLVED && !r->is_switch);
    cli_json_count(&j, "switch_step", r->is_switch ? r->step : -1);
    cli_json_bool(&j, "singular", r->is_switch && r->broken_count == 0);
    cli_json_array(&j, "broken");
    for (int i = 0; i < r->broken_count; i++) put_component(&j, NULL, k, r, r->broken[i]);
    cli_json_end(&j);
    cli_json_number(&j, "least", r->is_switch ? r->least : NAN);
    cli_json_set(&j, "basis", r->alpha, r->outcome == STI_SOLVED ? r->pair_count : 0);
    cli_json_array(&j, "contacts");
    for (int i = 0; i < sti_system_contact_count(k->system); i++)
        cli_json_text(&j, NULL, sti_system_contact(k->system, i));
    cli_json_end(&j);
    put_margins(&j, r);
    cli_json_array(&j, "coordinates");
    for (int i = 0; i < n; i++) cli_json_text(&j, NULL, sti_system_coordinate(k->system, i));
    cli_json_end(&j);
    cli_json_numbers(&j, "q", r->q, (size_t)n);
    return cli_json_print(&j, c, code);
}

// ---- text

static void say_least(const cli* c, const sti_robust* r) {
    sti_robust_margin m = {INFINITY, INFINITY, INFINITY, INFINITY};
    int at[4] = {-1, -1, -1, -1};
    const int looked = r->margin_count - (r->is_switch && r->broken_count > 0);
    for (int l = 0; l < looked; l++) {
        const double now[4] = {r->margins[l].opening, r->margins[l].force, r->margins[l].reserve,
                               r->margins[l].slipping};
        double* const least[4] = {&m.opening, &m.force, &m.reserve, &m.slipping};
        for (int k = 0; k < 4; k++) {
            if (now[k] >= *least[k]) continue;
            *least[k] = now[k];
            at[k] = l;
        }
    }
    static const char* const words[] = {"gap of an open contact", "normal force", "friction in reserve",
                                        "slip in a step"};
    const double value[4] = {m.opening, m.force, m.reserve, m.slipping};
    for (int k = 0; k < 4; k++) {
        if (at[k] >= 0) cli_say(c, "  least %s: %.6g, in step %d\n", words[k], value[k], at[k]);
    }
}

static void say(const cli* c, const question* k, const sti_robust* r) {
    cli_say(c, "%s: %d contacts, %ld steps of %g, scheme %s\n", k->r->path, sti_system_contact_count(k->system),
            k->steps, k->options.step, sti_scheme_text(k->options.scheme));
    if (r->outcome != STI_SOLVED) {
        cli_say(c, "  %sthe first step has no solution%s: %s\n", cli_bad(c), cli_plain(c),
                sti_outcome_text(r->outcome));
        if (k->push != NULL && k->jam.end != STI_PUSH_MOVED) cli_push_say_jam(c, &k->jam);
        return;
    }
    if (!r->is_switch)
        cli_say(c, "  %srobust%s: the basis of the first step lasts\n", cli_good(c), cli_plain(c));
    else if (r->broken_count == 0)
        cli_say(c, "  %sswitch%s in step %d: the basis becomes singular\n", cli_bad(c), cli_plain(c), r->step);
    else
        cli_say(c, "  %sswitch%s in step %d:\n", cli_bad(c), cli_plain(c), r->step);
    for (int i = 0; i < r->broken_count; i++) {
        const int pair = r->broken[i];
        cli_say(
            c, "    %s %s: %s %.4g%s\n", sti_system_contact(k->system, r->pair_contact[pair]),
            event_of(r->pair_kind[pair], r->alpha[pair] != 0), kinds[r->pair_kind[pair]], r->value[pair],
            r->pair_open[pair] && r->pair_kind[pair] != STI_ROBUST_NORMAL ? " (it is open: this says nothing)" : "");
    }
    say_least(c, r);
}

// ---- the question

// Stuck or damage: asked of the step itself.
static int ask_why(const cli* c, question* k) {
    sti_status status = sti_push_create(c->env, k->scene, k->options.step, &k->push);
    if (status == STI_OK) status = sti_push_step(k->push, &k->jam);
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, k->r->path);
}

static int answer(const cli* c, question* k) {
    sti_robust* r = NULL;
    if (sti_robust_create(c->env, k->system, &k->options, (int)k->steps, &r) != STI_OK)
        return cli_fail_about(c, k->r->path);
    int code = r->outcome != STI_SOLVED && k->scene != NULL ? ask_why(c, k) : CLI_DONE;
    if (code == CLI_DONE) {
        code = r->outcome == STI_SOLVED && !r->is_switch ? CLI_DONE : CLI_NO;
        if (c->json)
            code = print_json(c, k, r, code);
        else
            say(c, k, r);
    }
    sti_push_destroy(k->push);
    sti_robust_destroy(c->env, r);
    return code;
}

static int choose_scheme(const cli* c, const request* r, sti_scheme scheme, question* k) {
    if (r->scheme != NULL && (!sti_scheme_parse(r->scheme, &scheme) || scheme == STI_SCHEME_CONVEX))
        return cli_fail_usage(c, "--scheme: %.60s: alpha or quasistatic expected", r->scheme);
    sti_stepper_options* o = &k->options;
    *o = sti_stepper_options_default(scheme);
    if (scheme == STI_SCHEME_ALPHA) {
        o->alpha = r->alpha > 0 ? r->alpha : 1;
        o->geometry = STI_GEOMETRY_OLD;
        o->level = STI_LEVEL_GAP;
        o->gap_tol = INFINITY;
    }
    if (r->h > 0) o->step = r->h;
    return CLI_DONE;
}

// Contacts that parts can come to in all the steps are held.
static int freeze(const cli* c, const sti_manipulation* m, question* k) {
    const size_t n = 3 * (size_t)sti_manipulation_part_count(m);
    double* q = malloc(n * sizeof *q);
    if (q == NULL) return cli_fail_memory(c);
    double fastest = 0;
    for (int i = 0; i < sti_manipulation_tip_count(m); i++) {
        double p[2], v[2];
        sti_manipulation_tip(m, i, 0, p, v);
        fastest = fmax(fastest, hypot(v[0], v[1]));
    }
    sti_manipulation_start(m, q);
    const double time = (double)k->steps * k->options.step;
    const sti_status status = sti_manipulation_freeze(m, q, 1.5 * fastest * time, time, &k->frozen);
    free(q);
    k->system = k->frozen;
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, k->r->path);
}

static int ask_motion_box(const cli* c, const request* r, sti_system* system) {
    if (r->scheme != NULL && strcmp(r->scheme, "alpha") != 0)
        return cli_fail_usage(c, "--scheme: %.60s: --box of a system is of alpha", r->scheme);
    if (r->whole || r->slip > 0)
        return cli_fail_usage(c, "--whole-basis, --slip: of parts and probes, and %.200s is a system", r->path);
    if (r->steps == 0) return cli_fail_usage(c, "--steps: missing: how many steps the modes should last");
    if (r->steps > 1000000) return cli_fail_usage(c, "--steps: %ld: at most 1000000 are taken", r->steps);
    if (r->alpha > 1) return cli_fail_usage(c, "--alpha: %g: at most 1 is taken", r->alpha);
    const cli_robust_motion q = {.path = r->path,
                                 .settings = r->settings,
                                 .output = r->output,
                                 .system = system,
                                 .doubts = r->doubts,
                                 .steps = r->steps,
                                 .pieces = r->pieces,
                                 .samples = r->samples,
                                 .h = r->h > 0 ? r->h : sti_stepper_options_default(STI_SCHEME_ALPHA).step,
                                 .alpha = r->alpha > 0 ? r->alpha : 1};
    return cli_robust_motion_answer(c, &q);
}

static int ask_box(const cli* c, const request* r, sti_manipulation* m) {
    if (r->alpha > 0 || r->scheme != NULL)
        return cli_fail_usage(c, "--scheme, --alpha: parts and probes move quasi-statically");
    const cli_robust_box q = {.path = r->path,
                              .settings = r->settings,
                              .output = r->output,
                              .scene = m,
                              .doubts = r->doubts,
                              .whole = r->whole,
                              .steps = r->steps > 0 ? r->steps : sti_manipulation_steps(m),
                              .pieces = r->pieces,
                              .samples = r->samples,
                              .slip = r->slip,
                              .h = r->h};
    if (q.steps > 1000000) return cli_fail_usage(c, "--steps: %ld: at most 1000000 are taken", q.steps);
    return cli_robust_box_answer(c, &q);
}

static int ask_nav(const cli* c, const request* r, sti_navigation* nav) {
    if (r->box || r->scheme != NULL || r->alpha > 0 || r->h > 0)
        return cli_fail_usage(c, "--box, --scheme, --alpha, --step: not for vehicles in cages");
    if (r->steps == 0) return cli_fail_usage(c, "--steps: missing: how many steps the basis should last");
    if (r->steps > 10000000) return cli_fail_usage(c, "--steps: %ld: at most 10000000 are taken", r->steps);
    return cli_robust_nav_answer(c, &(cli_robust_nav){r->path, nav, r->steps});
}

static int ask(const cli* c, const request* r, sti_document* problem) {
    if (sti_navigation_of(problem) != NULL) return ask_nav(c, r, sti_navigation_of(problem));
    sti_manipulation* m = sti_manipulation_of(problem);
    if (r->box) return m != NULL ? ask_box(c, r, m) : ask_motion_box(c, r, sti_system_of(problem));
    if (r->doubts != NULL || r->whole || r->pieces > 0 || r->samples > 0 || r->slip > 0 || r->output != NULL)
        return cli_fail_usage(c, "--doubts, --whole-basis, --slip, --output, --pieces, --samples: need --box");
    question k = {.r = r, .of = m != NULL ? "manipulation" : "system", .system = sti_system_of(problem), .scene = m};
    if (m != NULL && (r->alpha > 0 || (r->scheme != NULL && strcmp(r->scheme, "quasistatic") != 0)))
        return cli_fail_usage(c, "--scheme, --alpha: parts and probes move quasi-statically");
    if (m == NULL && r->steps == 0) return cli_fail_usage(c, "--steps: missing: how many steps the basis should last");
    int code = choose_scheme(c, r, m != NULL ? STI_SCHEME_QUASISTATIC : STI_SCHEME_ALPHA, &k);
    if (code != CLI_DONE) return code;
    if (m != NULL && !(r->h > 0)) k.options.step = sti_manipulation_step(m);
    k.steps = r->steps > 0 ? r->steps : sti_manipulation_steps(m);
    if (k.steps > 10000000) return cli_fail_usage(c, "--steps: %ld: at most 10000000 are taken", k.steps);
    if (m != NULL) code = freeze(c, m, &k);
    if (code == CLI_DONE) code = answer(c, &k);
    sti_system_destroy(k.frozen);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    request r = {0};
    const cli_option options[] = {
        {"--steps", CLI_COUNT, "N", "steps that the basis should last (parts and probes: those of the scene)",
         &r.steps},
        {"--step", CLI_POSITIVE, "H", "length of a step", &r.h},
        {"--scheme", CLI_TEXT, "NAME", "of a system: alpha or quasistatic (alpha)", &r.scheme},
        {"--alpha", CLI_POSITIVE, "A", "of a system: weight of the new velocity (1)", &r.alpha},
        {"--set", CLI_JOINED, "NAME=X,..", "parameters of the scene", &r.settings},
        {"--box", CLI_FLAG, NULL, "not of vehicles: the largest box of doubts in which modes last, proved", &r.box},
        {"--doubts", CLI_TEXT, "LIST",
         "with --box: x,y,theta,mu,place-x,place-y,turn,speed; of a system x,x',mu,.. (all)", &r.doubts},
        {"--whole-basis", CLI_FLAG, NULL, "with --box: the sign of friction at sticking contacts lasts too", &r.whole},
        {"--slip", CLI_POSITIVE, "S",
         "with --box: what two tips on one edge may slip in a step and stick (1e-10 of the size)", &r.slip},
        {"--samples", CLI_COUNT, "N", "with --box: starts inside that are tried by the stepper (none)", &r.samples},
        {"--output", CLI_TEXT, "FILE", "with --box: the answer as JSON, for stiction verify", &r.output},
        {"--pieces", CLI_COUNT, "N", "with --box: that a box may be cut into to prove it (64)", &r.pieces},
    };
    char* positional[1];
    int code;
    if (cli_parse(c, options, sizeof options / sizeof options[0], argc, argv, positional, 1, 1, &code) < 0) return code;
    sti_document* problem = NULL;
    r.path = positional[0];
    code = cli_scene_load(c, r.path, &problem);
    if (code != CLI_DONE) return code;
    if (r.settings != NULL && sti_document_set(problem, r.settings) != STI_OK)
        code = cli_fail_about(c, "--set");
    else
        code = ask(c, &r, problem);
    sti_document_destroy(problem);
    return code;
}

const cli_verb cli_analyze_robust = {
    .name = "analyze robust",
    .arguments = "SCENE --steps N",
    .summary = "does a control keep its contact modes over N steps",
    .details =
        "The first step's problem is solved by Lemke's method; its complementary basis is then kept, and each\n"
        "further step is a linear system: a negative component is a switch (S3 2.4, docs/manipulation.md). SCENE\n"
        "holds parts and probes, a system by formulas, or vehicles in cages. Told are the step of the first\n"
        "switch, all components that are negative there, with contact and kind, and how far each step is from\n"
        "another mode. Where the first step has no solution, parts are stuck or would be damaged, with the forces\n"
        "that prove it, as stiction run says.\n"
        "With --box nothing is sampled: pose, friction and control (of a system state and parameters) may differ\n"
        "by anything in the box that is told, and every step is proved to keep its modes, by affine arithmetic\n"
        "that shares no code with the solver; stiction verify SCENE BOX does so again with what --output wrote.\n"
        "Exit code 0: robust; 1: a switch, or no first step; 2: bad usage or input; 3: internal failure.\n\n"
        "example:\n"
        "    stiction analyze robust peg-push --steps 100\n"
        "    stiction analyze robust peg-push --set mu=0.05\n"
        "    stiction analyze robust nav-wall --steps 169\n"
        "    stiction analyze robust peg-push --steps 20 --box --doubts x,y,theta,mu --output box.json\n"
        "    stiction verify peg-push box.json\n"
        "    stiction analyze robust slope-block --steps 20 --box --doubts \"x',mu\" --output box.json\n"
        "    stiction verify slope-block box.json\n",
    .use = STI_USE_ROBUST,
    .run = run,
};
