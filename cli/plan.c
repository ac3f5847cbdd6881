// plan.c: stiction plan: pushes that bring a part to its goal, robust against a given noise, and how often they do so in replays.
#include <math.h>
#include <stdlib.h>
#include <stiction/plan.h>
#include <string.h>

#include "run.h"
#include "scenes.h"
#include "svg.h"

typedef struct request {
    const char *path, *settings, *part, *out, *picture, *noise;
    cli_list goal, tolerance;
    long seed, tries, repeat;
    double metric, step, reach;
    bool shortest;
} request;

typedef struct work {
    const cli* c;
    const request* r;
    sti_manipulation* scene;
    sti_plan_goal goal;
    sti_plan_options o;
    sti_plan* plan;
    sti_replay replay;
    double time_s;
    cli_progress progress;
} work;

// ---- the question

// "pose=0.001,mu=0.02,angle=0.001,tip=0.0005"
static int read_noise(const cli* c, const char* text, sti_plan_noise* out) {
    char* copy = strdup(text);
    int code = copy != NULL ? CLI_DONE : cli_fail_memory(c);
    *out = (sti_plan_noise){0};
    for (char *at = copy, *next; at != NULL && code == CLI_DONE; at = next) {
        next = strchr(at, ',');
        if (next != NULL) *next++ = '\0';
        char* equals = strchr(at, '=');
        double x = 0;
        if (equals != NULL) *equals = '\0';
        if (equals == NULL || !cli_parse_number(equals + 1, &x) || x < 0)
            code = cli_fail_usage(c, "--noise: %.60s: NAME=X with X not below 0 is expected", at);
        else if (strcmp(at, "pose") == 0)
            out->pose[0] = out->pose[1] = x;
        else if (strcmp(at, "angle") == 0)
            out->pose[2] = x;
        else if (strcmp(at, "mu") == 0)
            out->mu = x;
        else if (strcmp(at, "tip") == 0)
            out->tip = x;
        else
            code = cli_fail_usage(c, "--noise: %.60s: pose, angle, mu or tip expected", at);
    }
    free(copy);
    return code;
}

static int read_goal(const cli* c, work* w) {
    const request* r = w->r;
    if (r->goal.count != 3) return cli_fail_usage(c, "--goal: %d numbers: x,y,angle expected", r->goal.count);
    if (r->tolerance.count != 0 && r->tolerance.count != 3)
        return cli_fail_usage(c, "--tolerance: %d numbers: three, of x, y and angle, expected", r->tolerance.count);
    const double size = sti_box_options_default(w->scene).weight[STI_DOUBT_X];
    for (int j = 0; j < 3; j++) {
        w->goal.pose[j] = r->goal.value[j];
        w->goal.tolerance[j] = r->tolerance.count == 3 ? r->tolerance.value[j] : j < 2 ? 0.03 * size : 0.05;
        if (!(w->goal.tolerance[j] > 0))
            return cli_fail_usage(c, "--tolerance: %g: above 0 is expected", w->goal.tolerance[j]);
    }
    if (r->part == NULL) return CLI_DONE;
    for (int i = 0; i < sti_manipulation_part_count(w->scene); i++) {
        if (strcmp(sti_manipulation_part(w->scene, i), r->part) != 0) continue;
        w->goal.part = i;
        return CLI_DONE;
    }
    return cli_fail_usage(c, "--part: %.60s: %.200s has no such part", r->part, r->path);
}

static bool watch(void* user, long tries, double nearest) {
    work* w = user;
    char text[80];
    snprintf(text, sizeof text, "%ld pushes tried, %.3g from the goal", tries, nearest);
    if (w->c->err_terminal && !w->c->quiet)
        cli_progress_part(&w->progress, text, (double)tries / (double)w->o.max_tries, tries);
    return !cli_run_stopped();
}

// ---- answers

static void put_noise(cli_json* j, const sti_plan_noise* n) {
    cli_json_object(j, "noise");
    cli_json_numbers(j, "pose", n->pose, 3);
    cli_json_number(j, "mu", n->mu);
    cli_json_number(j, "tip", n->tip);
    cli_json_end(j);
}

static void put_push(cli_json* j, const work* w, int i) {
    const sti_plan* p = w->plan;
    const sti_plan_push* u = &p->pushes[i];
    const size_t n = 3 * (size_t)p->part_count, at = (size_t)(i + 1) * n;
    cli_json_object(j, NULL);
    cli_json_numbers(j, "at", u->at, 2);
    cli_json_number(j, "angle", u->angle);
    cli_json_number(j, "speed", u->speed);
    cli_json_integer(j, "steps", u->steps);
    cli_json_text(j, "mode", p->shortest ? NULL : sti_push_mode_text(u->mode));
    cli_json_number(j, "margin", u->margin);
    cli_json_numbers(j, "poses", p->poses + at, n);
    cli_json_numbers(j, "low", p->shortest ? NULL : p->low + at, n);
    cli_json_numbers(j, "high", p->shortest ? NULL : p->high + at, n);
    cli_json_end(j);
}

static void put_plan(cli_json* j, const work* w) {
    const sti_plan* p = w->plan;
    cli_json_begin(j);
    cli_json_text(j, "kind", "plan");
    cli_json_text(j, "scene", w->r->path);
    cli_json_text(j, "part", sti_manipulation_part(w->scene, p->goal.part));
    cli_json_numbers(j, "goal", p->goal.pose, 3);
    cli_json_numbers(j, "tolerance", p->goal.tolerance, 3);
    put_noise(j, &p->noise);
    cli_json_bool(j, "reached", p->reached);
    cli_json_bool(j, "proved", p->reached && !p->shortest);
    cli_json_number(j, "h", p->h);
    cli_json_integer(j, "tries", p->tries);
    cli_json_integer(j, "nodes", p->nodes);
    cli_json_numbers(j, "start", p->poses, 3 * (size_t)p->part_count);
    cli_json_array(j, "pushes");
    for (int i = 0; i < p->push_count; i++) put_push(j, w, i);
    cli_json_end(j);
    if (w->replay.runs > 0) {
        cli_json_object(j, "replays");
        cli_json_integer(j, "runs", w->replay.runs);
        cli_json_integer(j, "successes", w->replay.successes);
        cli_json_integer(j, "jams", w->replay.jams);
        cli_json_numbers(j, "worst", w->replay.worst, 3);
        cli_json_end(j);
    } else {
        cli_json_null(j, "replays");
    }
    cli_json_number(j, "time_s", w->time_s);
}

static void say(const cli* c, const work* w) {
    const sti_plan* p = w->plan;
    const int k = 3 * p->goal.part, n = 3 * p->part_count;
    cli_say(c, "%s: %s%s%s with %d pushes, %ld tried, %.2f s\n", w->r->path, p->reached ? cli_good(c) : cli_bad(c),
            p->reached ? "the goal is reached" : "the goal was not reached; the nearest is", cli_plain(c),
            p->push_count, p->tries, w->time_s);
    for (int i = 0; i < p->push_count; i++) {
        const sti_plan_push* u = &p->pushes[i];
        const double* q = p->poses + (ptrdiff_t)(i + 1) * n + k;
        cli_say(c, "  from (%.4g, %.4g) along %.4g rad for %.4g: to (%.4g, %.4g, %.4g)", u->at[0], u->at[1], u->angle,
                u->speed * p->h * (double)u->steps, q[0], q[1], q[2]);
        if (p->shortest) {
            cli_say(c, "\n");
            continue;
        }
        const double *low = p->low + (q - p->poses), *high = p->high + (q - p->poses);
        cli_say(c, ", proved within -%.2g +%.2g, -%.2g +%.2g, -%.2g +%.2g\n", q[0] - low[0], high[0] - q[0],
                q[1] - low[1], high[1] - q[1], q[2] - low[2], high[2] - q[2]);
    }
    if (w->replay.runs > 0)
        cli_say(c, "  %ld of %ld replays with noise succeed; farthest from the goal %.3g, %.3g, %.3g\n",
                w->replay.successes, w->replay.runs, w->replay.worst[0], w->replay.worst[1], w->replay.worst[2]);
}

static int write_plan(const cli* c, const work* w) {
    cli_json j;
    size_t size;
    put_plan(&j, w);
    const char* text = cli_json_close(&j, &size);
    const int code = text != NULL ? cli_write_file(c, w->r->out, text, size) : cli_fail_memory(c);
    cli_json_drop(&j);
    return code;
}

// ---- the picture: fixtures, the parts before the first push and after each, arrows for pushes, the goal

enum { CORNERS = 48, MOST_CORNERS = 512 };

static int corners(const sti_outline* o, const double* pose, double* x, double* y) {
    const int count = o->vertex_count == 0 ? CORNERS : o->vertex_count < MOST_CORNERS ? o->vertex_count : MOST_CORNERS;
    const double c = cos(pose[2]), s = sin(pose[2]);
    for (int i = 0; i < count; i++) {
        const double f = 2 * 3.14159265358979323846 * i / CORNERS;
        const double px = o->vertex_count > 0 ? o->vertices[2 * i] : o->radius * cos(f);
        const double py = o->vertex_count > 0 ? o->vertices[2 * i + 1] : o->radius * sin(f);
        x[i] = pose[0] + c * px - s * py;
        y[i] = pose[1] + s * px + c * py;
    }
    return count;
}

static void find_frame(const work* w, cli_svg_axes* axes) {
    const sti_plan* p = w->plan;
    double x[MOST_CORNERS], y[MOST_CORNERS];
    axes->x_low = axes->y_low = INFINITY;
    axes->x_high = axes->y_high = -INFINITY;
    for (int i = 0; i < (p->push_count + 1) * p->part_count; i++) {
        const sti_outline o = sti_manipulation_part_outline(w->scene, i % p->part_count);
        const int count = corners(&o, p->poses + 3 * (ptrdiff_t)i, x, y);
        for (int k = 0; k < count; k++) {
            axes->x_low = fmin(axes->x_low, x[k] - 0.3);
            axes->x_high = fmax(axes->x_high, x[k] + 0.3);
            axes->y_low = fmin(axes->y_low, y[k] - 0.3);
            axes->y_high = fmax(axes->y_high, y[k] + 0.3);
        }
    }
}

static int draw(const cli* c, const work* w) {
    const sti_plan* p = w->plan;
    double x[MOST_CORNERS], y[MOST_CORNERS], pose[3];
    cli_svg svg = {0};
    cli_svg_axes axes = {
        .title = p->shortest ? "shortest plan" : "robust plan", .x_label = "x", .y_label = "y", .equal = true};
    find_frame(w, &axes);
    cli_svg_begin(&svg, &axes);
    for (int i = 0; i < sti_manipulation_fixture_count(w->scene); i++) {
        const sti_outline o = sti_manipulation_fixture_outline(w->scene, i);
        sti_manipulation_fixture_pose(w->scene, i, pose);
        cli_svg_polygon(&svg, x, y, corners(&o, pose, x, y), "#777777", 0.5);
    }
    for (int i = 0; i < (p->push_count + 1) * p->part_count; i++) {
        const sti_outline o = sti_manipulation_part_outline(w->scene, i % p->part_count);
        const bool last = i / p->part_count == p->push_count;
        const int count = corners(&o, p->poses + 3 * (ptrdiff_t)i, x, y);
        cli_svg_polygon(&svg, x, y, count, cli_svg_color(i % p->part_count), last ? 0.5 : 0.12);
    }
    for (int i = 0; i < p->push_count; i++) {
        const sti_plan_push* u = &p->pushes[i];
        const double way = u->speed * p->h * (double)u->steps;
        cli_svg_arrow(&svg, u->at[0], u->at[1], u->at[0] + way * cos(u->angle), u->at[1] + way * sin(u->angle),
                      "#cc3311");
    }
    cli_svg_point(&svg, p->goal.pose[0], p->goal.pose[1], "#228833", 4);
    cli_svg_legend(&svg, "#cc3311", "pushes");
    cli_svg_legend(&svg, "#228833", "goal");
    return cli_svg_save(&svg, c, w->r->picture);
}

// ---- the verb

static int answer(const cli* c, work* w) {
    const request* r = w->r;
    const double begin = cli_now();
    w->progress = cli_progress_begin();
    sti_status status = sti_plan_create(c->env, w->scene, &w->goal, &w->o, &w->plan);
    cli_progress_clear(&w->progress);
    w->time_s = cli_now() - begin;
    if (status == STI_OK && r->repeat > 0)
        status = sti_plan_replay(c->env, w->scene, w->plan, NULL, (unsigned long)w->o.seed + 1, r->repeat, &w->replay);
    if (status != STI_OK) return cli_fail_about(c, r->path);
    int code = r->out != NULL ? write_plan(c, w) : CLI_DONE;
    if (code == CLI_DONE && r->picture != NULL) code = draw(c, w);
    if (code != CLI_DONE) return code;
    code = w->plan->reached ? CLI_DONE : CLI_NO;
    if (!c->json) {
        say(c, w);
        return code;
    }
    cli_json j;
    put_plan(&j, w);
    return cli_json_print(&j, c, code);
}

static int ask(const cli* c, const request* r, sti_document* document) {
    work w = {.c = c, .r = r, .scene = sti_manipulation_of(document)};
    if (r->settings != NULL && sti_document_set(document, r->settings) != STI_OK) return cli_fail_about(c, "--set");
    int code = read_goal(c, &w);
    w.o = sti_plan_options_default(w.scene);
    w.o.shortest = r->shortest;
    w.o.time_limit = c->time_limit;
    w.o.watch = watch;
    w.o.user = &w;
    if (r->seed > 0) w.o.seed = (unsigned long)r->seed;
    if (r->tries > 0) w.o.max_tries = r->tries;
    if (r->metric > 0) w.o.metric = r->metric;
    if (r->step > 0) w.o.step = r->step;
    if (r->reach > 0) w.o.reach = r->reach;
    if (code == CLI_DONE && r->noise != NULL) code = read_noise(c, r->noise, &w.o.noise);
    if (code == CLI_DONE) code = cli_run_check_output(c, "--out", r->out, NULL, true);
    if (code == CLI_DONE) code = cli_run_check_output(c, "--picture", r->picture, NULL, true);
    if (code == CLI_DONE) code = answer(c, &w);
    sti_plan_destroy(c->env, w.plan);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    request r = {0};
    const cli_option options[] = {
        {"--goal", CLI_LIST, "X,Y,ANGLE", "where the part should be", &r.goal},
        {"--tolerance", CLI_LIST, "X,Y,ANGLE", "how near (3 % of the size of the part, 0.05)", &r.tolerance},
        {"--part", CLI_TEXT, "NAME", "that is pushed (the first)", &r.part},
        {"--seed", CLI_COUNT, "S", "of the search (1); the same seed, the same plan", &r.seed},
        {"--noise", CLI_TEXT, "pose=X,..", "half widths that the plan is proved for: pose, angle, mu, tip", &r.noise},
        {"--repeat", CLI_COUNT, "N", "replays with noise, to count successes", &r.repeat},
        {"--shortest", CLI_FLAG, NULL, "without the test of robustness, to compare", &r.shortest},
        {"--tries", CLI_COUNT, "N", "pushes that are tried at most (20000)", &r.tries},
        {"--metric", CLI_POSITIVE, "L", "length that a turn by 1 rad counts as (half the size of the part)", &r.metric},
        {"--step", CLI_POSITIVE, "WAY", "way of the tip in a step (2 % of the size)", &r.step},
        {"--reach", CLI_POSITIVE, "WAY", "longest push (1.5 sizes)", &r.reach},
        {"--out", CLI_TEXT, "FILE", "the plan as JSON", &r.out},
        {"--picture", CLI_TEXT, "FILE", "and as SVG", &r.picture},
        {"--set", CLI_JOINED, "NAME=X,..", "parameters of the scene", &r.settings},
    };
    char* positional[1];
    int code;
    if (cli_parse(c, options, sizeof options / sizeof options[0], argc, argv, positional, 1, 1, &code) < 0) return code;
    sti_document* document = NULL;
    r.path = positional[0];
    if (r.goal.count == 0)
        code = cli_fail_usage(c, "--goal: missing: x,y,angle of the part");
    else
        code = cli_scene_load(c, r.path, &document);
    if (code == CLI_DONE) {
        cli_run_catch_signals();
        cli_limit_none(c);
        code = ask(c, &r, document);
    }
    sti_document_destroy(document);
    free(r.goal.value);
    free(r.tolerance.value);
    return code;
}

const cli_verb cli_verb_plan = {
    .name = "plan",
    .arguments = "SCENE --goal X,Y,ANGLE",
    .summary = "pushes that bring a part to its goal, proved robust against a given noise",
    .details =
        "A random tree over pushes with one tip (S3 2.4, docs/planning.md). A push is taken when every deviation "
        "within "
        "the noise\n"
        "keeps its contact and mode in all steps, proved; the box of poses after it is where the next one starts from. "
        "A "
        "plan\n"
        "that reaches the goal does so for all of the noise. Ctrl-C and --time-limit leave the nearest that was "
        "found.\n"
        "Exit code 0: the goal is reached; 1: it was not; 2: bad usage or input; 3: internal failure.\n\n"
        "example:\n"
        "    stiction plan peg-push --goal 1,0.5,0.4 --seed 1 --repeat 1000 --out plan.json --picture plan.svg\n"
        "    stiction plan peg-push --goal 1,0.5,0.4 --shortest --repeat 1000\n",
    .use = STI_USE_PLAN,
    .run = run,
};
