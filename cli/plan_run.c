// plan_run.c: stiction run PLAN: a plan played again, as it is or under noise; stiction verify PLAN: every claim of it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "plan.h"

typedef struct table {
    FILE* file;
    const cli_plan* k;
    double time;  // of the pushes before
    int push;
} table;

static void row(void* user, int push, long step, const double* q, const sti_push_report* report) {
    table* t = user;
    const sti_plan* p = t->k->plan;
    for (; t->push < push; t->push++) t->time += p->h * (double)p->pushes[t->push].steps;
    fprintf(t->file, "%.17g,%d", t->time + p->h * (double)step, push + 1);
    for (int i = 0; i < 3 * p->part_count; i++) fprintf(t->file, ",%.17g", q[i]);
    fprintf(t->file, ",%.17g\n", report->residual);
}

static void head(FILE* file, const cli_plan* k) {
    fputs("t,push", file);
    for (int i = 0; i < k->plan->part_count; i++) {
        const char* name = sti_manipulation_part(k->scene, i);
        fprintf(file, ",x:%s,y:%s,theta:%s", name, name, name);
    }
    fputs(",residual\n", file);
}

static int put_json(const cli* c, const cli_plan* k, const sti_plan_noise* n, const sti_replay* r, double time,
                    int code) {
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "replay");
    cli_json_text(&j, "file", k->path);
    cli_json_text(&j, "scene", k->scene_path);
    cli_json_object(&j, "noise");
    cli_json_numbers(&j, "pose", n->pose, 3);
    cli_json_number(&j, "mu", n->mu);
    cli_json_number(&j, "tip", n->tip);
    cli_json_end(&j);
    cli_json_integer(&j, "runs", r->runs);
    cli_json_integer(&j, "successes", r->successes);
    cli_json_number(&j, "rate", r->runs > 0 ? (double)r->successes / (double)r->runs : NAN);
    cli_json_integer(&j, "jams", r->jams);
    cli_json_numbers(&j, "worst", r->worst, 3);
    cli_json_number(&j, "time_s", time);
    return cli_json_print(&j, c, code);
}

static const char* alien_option(const cli_run_request* r) {
    return r->time > 0          ? "--time"
           : r->step > 0        ? "--step"
           : r->settings        ? "--set"
           : r->law != NULL     ? "--law"
           : r->solver != NULL  ? "--solver"
           : r->tol > 0         ? "--tol"
           : r->frame > 0       ? "--frame"
           : r->colour != NULL  ? "--colour"
           : r->problem != NULL ? "--problem"
           : r->contacts        ? "--contacts"
           : r->jamming         ? "--jamming"
           : r->accept > 0      ? "--accept"
                                : NULL;
}

static int write_pictures(const cli* c, const cli_run_request* r, const cli_plan* k) {
    if (!r->picture) return CLI_DONE;
    int code = cli_run_folder(c, r->out, r->force);
    char* still = code == CLI_DONE ? cli_run_path(r->out, "plan.svg") : NULL;
    char* moving = code == CLI_DONE ? cli_run_path(r->out, "plan-moves.svg") : NULL;
    if (code == CLI_DONE && (still == NULL || moving == NULL)) code = cli_fail_memory(c);
    if (code == CLI_DONE) code = cli_plan_picture(c, k, still);
    if (code == CLI_DONE) code = cli_plan_animation(c, k, moving);
    if (code == CLI_DONE) cli_run_folder_keep();
    free(still);
    free(moving);
    return code;
}

static int play(const cli* c, const cli_run_request* r, const cli_plan* k) {
    sti_plan_noise noise = {0};
    sti_replay result;
    table t = {.k = k};
    const double begin = cli_now();
    const long runs = r->repeat > 0 ? r->repeat : 1;
    if (r->repeat > 0) noise = k->plan->noise;
    int code = r->noise != NULL ? cli_plan_read_noise(c, r->noise, &noise) : CLI_DONE;
    if (code == CLI_DONE && r->csv != NULL && runs > 1)
        code = cli_fail_usage(c, "--csv: of one run, and --repeat asks for %ld", runs);
    if (code != CLI_DONE) return code;
    cli_file file = {0};
    if (r->csv != NULL) code = cli_file_open(c, r->csv, &file);
    if (code != CLI_DONE) return code;
    t.file = file.out;
    if (t.file != NULL) head(t.file, k);
    const sti_status status =
        sti_plan_replay(c->env, k->scene, k->plan, &noise, r->seed > 0 ? (unsigned long)r->seed : 1, runs,
                        t.file != NULL ? row : NULL, &t, &result);
    if (status != STI_OK) {
        code = cli_fail_about(c, k->path);
        cli_file_drop(&file);
        return code;
    }
    code = cli_file_close(c, &file, true);
    if (code != CLI_DONE) return code;
    code = write_pictures(c, r, k);
    if (code != CLI_DONE) return code;
    code = result.successes == result.runs ? CLI_DONE : CLI_NO;
    if (r->repeat > 0 && result.runs > 0 && 100 * result.successes >= 99 * result.runs) code = CLI_DONE;
    if (c->json) return put_json(c, k, &noise, &result, cli_now() - begin, code);
    cli_say(c,
            "%s: %d pushes in %s: %s%ld of %ld runs%s come to the goal, %ld jam; farthest from it %.3g, %.3g, %.3g\n",
            k->path, k->plan->push_count, k->scene_path, code == CLI_DONE ? cli_good(c) : cli_bad(c), result.successes,
            result.runs, cli_plain(c), result.jams, result.worst[0], result.worst[1], result.worst[2]);
    return code;
}

int cli_run_plan(const cli* c, const cli_run_request* r, const sti_document* document) {
    const char* alien = alien_option(r);
    cli_plan k = {0};
    if (alien != NULL) return cli_fail_usage(c, "%s: not for a plan, and %.200s is one", alien, r->scene);
    if (r->picture && r->out == NULL) return cli_fail_usage(c, "--picture: of a plan it needs --out DIR");
    int code = cli_plan_open(c, r->scene, document, &k);
    if (code == CLI_DONE) code = play(c, r, &k);
    cli_plan_close(&k);
    return code;
}

// ---- stiction verify PLAN

int cli_plan_verify(const cli* c, const char* path, const sti_document* document) {
    cli_plan k = {0};
    sti_plan_verification v;
    const double begin = cli_now();
    int code = cli_plan_open(c, path, document, &k);
    if (code == CLI_DONE && sti_verify_plan(c->env, k.scene, k.plan, &v) != STI_OK) code = cli_fail_about(c, path);
    if (code == CLI_DONE) {
        code = v.accepted ? CLI_DONE : CLI_NO;
        if (c->json) {
            cli_json j;
            cli_json_begin(&j);
            cli_json_text(&j, "kind", "verification");
            cli_json_text(&j, "file", path);
            cli_json_text(&j, "scene", k.scene_path);
            cli_json_bool(&j, "accepted", v.accepted);
            cli_json_text(&j, "reason", v.text);
            if (v.push >= 0)
                cli_json_integer(&j, "push", v.push + 1);
            else
                cli_json_null(&j, "push");
            cli_json_number(&j, "clearance", isfinite(v.clearance) ? v.clearance : NAN);
            cli_json_number(&j, "worst", v.worst);
            cli_json_number(&j, "time_s", cli_now() - begin);
            code = cli_json_print(&j, c, code);
        } else {
            cli_say(c, "%s: %s%s%s: %s\n", path, v.accepted ? cli_good(c) : cli_bad(c),
                    v.accepted ? "accepted" : "not accepted", cli_plain(c), v.text);
        }
    }
    cli_plan_close(&k);
    return code;
}
