// plan_file.c: plans of pushes as files, with the scenes that they name.
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "scenes.h"

// ---- a plan and its scene

static int check_fits(const cli* c, const cli_plan* p) {
    const sti_plan* q = p->plan;
    if (sti_manipulation_part_count(p->scene) != q->part_count)
        return cli_fail_usage(c, "%.200s: a plan for %d parts, and its scene %.200s has %d", p->path, q->part_count,
                              p->scene_path, sti_manipulation_part_count(p->scene));
    if (q->probe >= sti_manipulation_probe_count(p->scene))
        return cli_fail_usage(c, "%.200s: probe: %d: its scene %.200s has %d", p->path, q->probe, p->scene_path,
                              sti_manipulation_probe_count(p->scene));
    return CLI_DONE;
}

int cli_plan_open(const cli* c, const char* path, const sti_document* document, cli_plan* out) {
    *out = (cli_plan){.path = path};
    out->plan = sti_plan_of(document, &out->scene_path, &out->settings);
    if (out->scene_path[0] == '\0') return cli_fail_usage(c, "%.200s: scene: missing, the plan's scene", path);
    const cli_scene* built_in = cli_scene_instead(out->scene_path);
    sti_status status;
    if (built_in != NULL)
        status =
            sti_document_parse(c->env, built_in->text, strlen(built_in->text), out->scene_path, &out->scene_document);
    else
        status = sti_document_load(c->env, out->scene_path, &out->scene_document);
    if (status != STI_OK) return cli_fail_about(c, path);
    out->scene = sti_manipulation_of(out->scene_document);
    if (out->scene == NULL)
        return cli_fail_usage(c, "%.200s: scene: %.200s: has no parts to push", path, out->scene_path);
    if (out->settings[0] != '\0' && sti_document_set(out->scene_document, out->settings) != STI_OK)
        return cli_fail_about(c, path);
    return check_fits(c, out);
}

void cli_plan_close(cli_plan* p) {
    sti_document_destroy(p->scene_document);
    p->scene_document = NULL;
}

int cli_plan_read_noise(const cli* c, const char* text, sti_plan_noise* out) {
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

// ---- as JSON

static void put_sets(cli_json* j, const char* name, const sti_pose_set* sets, int count) {
    cli_json_array(j, name);
    for (int i = 0; i < count; i++) {
        cli_json_object(j, NULL);
        cli_json_number(j, "angle", sets[i].angle);
        cli_json_numbers(j, "low", sets[i].low, 3);
        cli_json_numbers(j, "high", sets[i].high, 3);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void put_goals(cli_json* j, const cli_plan* p) {
    cli_json_array(j, "goals");
    for (int i = 0; i < p->plan->goal_count; i++) {
        const sti_plan_goal* g = &p->plan->goals[i];
        cli_json_object(j, NULL);
        cli_json_integer(j, "part", g->part);
        cli_json_text(j, "name", sti_manipulation_part(p->scene, g->part));
        cli_json_numbers(j, "pose", g->pose, 3);
        cli_json_numbers(j, "tolerance", g->tolerance, 3);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void put_push(cli_json* j, const sti_plan* p, int i) {
    const sti_plan_push* u = &p->pushes[i];
    const double cuts[3] = {u->cuts[0], u->cuts[1], u->cuts[2]};
    const size_t n = 3 * (size_t)p->part_count;
    cli_json_object(j, NULL);
    cli_json_integer(j, "part", u->part);
    cli_json_integer(j, "edge", u->edge);
    cli_json_numbers(j, "at", u->at, 2);
    cli_json_number(j, "angle", u->angle);
    cli_json_number(j, "speed", u->speed);
    cli_json_integer(j, "steps", u->steps);
    cli_json_numbers(j, "cuts", cuts, 3);
    cli_json_numbers(j, "poses", p->poses + (size_t)(i + 1) * n, n);
    put_sets(j, "sets", p->sets + (ptrdiff_t)(i + 1) * p->part_count, p->part_count);
    cli_json_end(j);
}

void cli_plan_put(cli_json* j, const cli_plan* p) {
    const sti_plan* q = p->plan;
    cli_json_begin(j);
    cli_json_text(j, "kind", "plan");
    cli_json_text(j, "scene", p->scene_path);
    cli_json_text(j, "set", p->settings);
    cli_json_integer(j, "probe", q->probe);
    cli_json_number(j, "h", q->h);
    cli_json_object(j, "noise");
    cli_json_numbers(j, "pose", q->noise.pose, 3);
    cli_json_number(j, "mu", q->noise.mu);
    cli_json_number(j, "tip", q->noise.tip);
    cli_json_end(j);
    cli_json_bool(j, "shortest", q->shortest);
    cli_json_bool(j, "reached", q->reached);
    cli_json_bool(j, "proved", q->reached && !q->shortest);
    cli_json_integer(j, "tries", q->tries);
    cli_json_integer(j, "nodes", q->nodes);
    put_goals(j, p);
    cli_json_numbers(j, "start", q->poses, 3 * (size_t)q->part_count);
    put_sets(j, "start_sets", q->sets, q->part_count);
    cli_json_array(j, "pushes");
    for (int i = 0; i < q->push_count; i++) put_push(j, q, i);
    cli_json_end(j);
}

void cli_plan_put_replay(cli_json* j, const sti_replay* r) {
    if (r->runs == 0) {
        cli_json_null(j, "replays");
        return;
    }
    cli_json_object(j, "replays");
    cli_json_integer(j, "runs", r->runs);
    cli_json_integer(j, "successes", r->successes);
    cli_json_integer(j, "jams", r->jams);
    cli_json_numbers(j, "worst", r->worst, 3);
    cli_json_end(j);
}
