// plan.c: stiction plan: pushes that bring a part to its goal, robust against a given noise, and how often they do so
// in replays.
#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <stiction/plan.h>
#include <string.h>

#include "file.h"
#include "scenes.h"

enum { MOST_GOALS = 8 };

typedef struct request {
    const char *path, *settings, *part, *out, *picture, *animation, *noise;
    cli_list goal, tolerance;
    long seed, tries, repeat;
    double metric, step, reach;
    bool shortest;
} request;

typedef struct work {
    const cli* c;
    const request* r;
    sti_manipulation* scene;
    sti_plan_goal goals[MOST_GOALS];
    int goal_count;
    sti_plan_options o;
    sti_plan* plan;
    sti_replay replay;
    double time_s;
    cli_progress progress;
} work;

// ---- the question

// The part of the k-th goal: names with commas between, or the parts in their order.
static int find_part(const cli* c, const work* w, int k, int* out) {
    const char* at = w->r->part;
    *out = k;
    for (int i = 0; at != NULL && i < k; i++) {
        at = strchr(at, ',');
        if (at != NULL) at++;
    }
    if (w->r->part == NULL && k < sti_manipulation_part_count(w->scene)) return CLI_DONE;
    if (at == NULL) return cli_fail_usage(c, "--goal: %d goals: one for each of the parts is expected", k + 1);
    const size_t size = strcspn(at, ",");
    for (int i = 0; i < sti_manipulation_part_count(w->scene); i++) {
        const char* name = sti_manipulation_part(w->scene, i);
        if (strlen(name) != size || strncmp(name, at, size) != 0) continue;
        *out = i;
        return CLI_DONE;
    }
    return cli_fail_usage(c, "--part: %.*s: %.200s has no such part", size < 60 ? (int)size : 60, at, w->r->path);
}

static int read_goals(const cli* c, work* w) {
    const request* r = w->r;
    if (r->goal.count % 3 != 0 || r->goal.count > 3 * MOST_GOALS)
        return cli_fail_usage(c, "--goal: %d numbers: x,y,angle expected, of up to %d parts", r->goal.count,
                              MOST_GOALS);
    if (r->tolerance.count != 0 && r->tolerance.count != 3)
        return cli_fail_usage(c, "--tolerance: %d numbers: three, of x, y and angle, expected", r->tolerance.count);
    const double size = sti_box_options_default(w->scene).weight[STI_DOUBT_X];
    w->goal_count = r->goal.count / 3;
    for (int i = 0; i < r->goal.count; i++) {
        sti_plan_goal* g = &w->goals[i / 3];
        const int j = i % 3, code = j == 0 ? find_part(c, w, i / 3, &g->part) : CLI_DONE;
        if (code != CLI_DONE) return code;
        g->pose[j] = r->goal.value[i];
        g->tolerance[j] = r->tolerance.count == 3 ? r->tolerance.value[j] : j < 2 ? 0.03 * size : 0.05;
        if (!(g->tolerance[j] > 0)) return cli_fail_usage(c, "--tolerance: %g: above 0 is expected", g->tolerance[j]);
    }
    return CLI_DONE;
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

static cli_plan whole(const work* w) {
    return (cli_plan){.path = w->r->path,
                      .scene_path = w->r->path,
                      .settings = w->r->settings != NULL ? w->r->settings : "",
                      .plan = w->plan,
                      .scene = w->scene};
}

static void put_plan(cli_json* j, const work* w) {
    const cli_plan k = whole(w);
    cli_plan_put(j, &k);
    cli_plan_put_replay(j, &w->replay);
    cli_json_number(j, "time_s", w->time_s);
}

static void say(const cli* c, const work* w) {
    const sti_plan* p = w->plan;
    const int n = 3 * p->part_count;
    cli_say(c, "%s: %s%s%s with %d pushes, %ld tried, %.2f s\n", w->r->path, p->reached ? cli_good(c) : cli_bad(c),
            p->reached ? "the goal is reached" : "the goal was not reached; the nearest is", cli_plain(c),
            p->push_count, p->tries, w->time_s);
    for (int i = 0; i < p->push_count; i++) {
        const sti_plan_push* u = &p->pushes[i];
        const double* q = p->poses + (ptrdiff_t)(i + 1) * n + 3 * (ptrdiff_t)u->part;
        cli_say(c, "  %s from (%.4g, %.4g) along %.4g rad for %.4g: to (%.4g, %.4g, %.4g)",
                sti_manipulation_part(w->scene, u->part), u->at[0], u->at[1], u->angle,
                u->speed * p->h * (double)u->steps, q[0], q[1], q[2]);
        const sti_pose_set* s = &p->sets[(ptrdiff_t)(i + 1) * p->part_count + u->part];
        if (!p->shortest)
            cli_say(c, ", proved within %.2g along, %.2g across, %.2g rad", s->high[0] - s->low[0],
                    s->high[1] - s->low[1], s->high[2] - s->low[2]);
        cli_say(c, "\n");
    }
    if (w->replay.runs > 0)
        cli_say(c, "  %ld of %ld replays with noise succeed; farthest from the goal %.3g, %.3g, %.3g\n",
                w->replay.successes, w->replay.runs, w->replay.worst[0], w->replay.worst[1], w->replay.worst[2]);
    if (p->reached && !p->shortest)
        cli_say(c, "  proved for all of the noise and every solution of every step: only the tool touches a part\n");
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

// ---- the verb

static int answer(const cli* c, work* w) {
    const request* r = w->r;
    const double begin = cli_now();
    w->progress = cli_progress_begin();
    sti_status status = sti_plan_create(c->env, w->scene, w->goal_count, w->goals, &w->o, &w->plan);
    cli_progress_clear(&w->progress);
    w->time_s = cli_now() - begin;
    if (status == STI_OK && r->repeat > 0)
        status = sti_plan_replay(c->env, w->scene, w->plan, NULL, w->o.seed + 1, r->repeat, NULL, NULL, &w->replay);
    if (status != STI_OK) return cli_fail_about(c, r->path);
    int code = r->out != NULL ? write_plan(c, w) : CLI_DONE;
    const cli_plan k = whole(w);
    if (code == CLI_DONE && r->picture != NULL) code = cli_plan_picture(c, &k, r->picture);
    if (code == CLI_DONE && r->animation != NULL) code = cli_plan_animation(c, &k, r->animation);
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
    int code = read_goals(c, &w);
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
    if (code == CLI_DONE && r->noise != NULL) code = cli_plan_read_noise(c, r->noise, &w.o.noise);
    if (code == CLI_DONE) code = cli_run_check_output(c, "--out", r->out, NULL, true);
    if (code == CLI_DONE) code = cli_run_check_output(c, "--picture", r->picture, NULL, true);
    if (code == CLI_DONE) code = cli_run_check_output(c, "--animation", r->animation, NULL, true);
    if (code == CLI_DONE) code = answer(c, &w);
    sti_plan_destroy(c->env, w.plan);
    return code;
}

static int run(cli* c, int argc, char** argv) {
    request r = {0};
    const cli_option options[] = {
        {"--goal", CLI_LIST, "X,Y,ANGLE,..", "where the part should be; of several parts one after the other", &r.goal},
        {"--tolerance", CLI_LIST, "X,Y,ANGLE", "how near (3 % of the size of the part, 0.05)", &r.tolerance},
        {"--part", CLI_TEXT, "NAME,..", "that the goals are of (the parts in their order)", &r.part},
        {"--seed", CLI_COUNT, "S", "of the search (1); the same seed, the same plan", &r.seed},
        {"--noise", CLI_TEXT, "pose=X,..", "half widths that the plan is proved for: pose, angle, mu, tip", &r.noise},
        {"--repeat", CLI_COUNT, "N", "replays with noise, to count successes", &r.repeat},
        {"--shortest", CLI_FLAG, NULL, "without the test of robustness, to compare", &r.shortest},
        {"--tries", CLI_COUNT, "N", "pushes that are tried at most, for each goal (20000)", &r.tries},
        {"--metric", CLI_POSITIVE, "L", "length that a turn by 1 rad counts as (the size of the part)", &r.metric},
        {"--step", CLI_POSITIVE, "WAY", "way of the tip in a step (2 % of the size)", &r.step},
        {"--reach", CLI_POSITIVE, "WAY", "longest push (2.5 sizes)", &r.reach},
        {"--out", CLI_TEXT, "FILE", "the plan as JSON", &r.out},
        {"--picture", CLI_TEXT, "FILE", "and as SVG", &r.picture},
        {"--animation", CLI_TEXT, "FILE", "and as an SVG that moves", &r.animation},
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
        "A random tree over pushes with one tip or two (S3 2.4, docs/planning.md). A push is taken when it is\n"
        "proved where it leads the part for every deviation within the noise; that set of poses is where the next\n"
        "one starts from. A plan that reaches the goal does so for all of the noise and by every solution of\n"
        "every step; in none of them anything but the tool touches a part. stiction verify checks the file on its\n"
        "own, stiction run plays it. Ctrl-C and --time-limit leave the nearest that was found.\n"
        "Exit code 0: the goal is reached; 1: it was not; 2: bad usage or input; 3: internal failure.\n\n"
        "example:\n"
        "    stiction plan peg-push --goal 1,0.5,0.4 --seed 1 --repeat 1000 --out plan.json --picture plan.svg\n"
        "    stiction verify plan.json\n"
        "    stiction run plan.json --noise pose=0.01,mu=0.02 --repeat 1000\n"
        "    stiction plan peg-push --goal 1,0.5,0.4 --shortest --repeat 1000\n",
    .use = STI_USE_PLAN,
    .run = run,
};
