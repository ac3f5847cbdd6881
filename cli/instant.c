// instant.c: an instant from a file with numbers, a system by formulas, or a built-in scene.
#include "instant.h"

#include <stdlib.h>
#include <string.h>

#include "scenes.h"

// A number, or a fraction 4/3.
static bool parse_value(const char* text, double* out) {
    char copy[80];
    double denominator = 1;
    if (strlen(text) >= sizeof copy) return false;
    strcpy(copy, text);
    char* slash = strchr(copy, '/');
    if (slash != NULL) {
        *slash = '\0';
        if (!cli_parse_number(slash + 1, &denominator) || denominator == 0) return false;
    }
    if (!cli_parse_number(copy, out)) return false;
    *out /= denominator;
    return true;
}

static int check_length(const cli* c, const char* option, const cli_list* list, const char* name, int n,
                        const char* what) {
    if (list->value == NULL || list->count == n) return CLI_DONE;
    return cli_fail_usage(c, "%s: %d number%s, and %s has %d %s", option, list->count, list->count == 1 ? "" : "s",
                          name, n, what);
}

static int from_numbers(const cli* c, const char* name, const cli_at* at, cli_instant* out) {
    const char* alien = at->q.value != NULL    ? "--at"
                        : at->time != NULL     ? "--time"
                        : at->settings != NULL ? "--set"
                                               : NULL;
    if (alien != NULL)
        return cli_fail_usage(c, "%s: %s is an instant by numbers, only --velocity is taken", alien, name);
    const int code = check_length(c, "--velocity", &at->v, name, out->instant->n, "velocities");
    if (code != CLI_DONE || at->v.value == NULL) return code;
    if (sti_instant_copy(c->env, out->instant, at->v.value, &out->made) != STI_OK) return cli_fail_about(c, name);
    out->instant = out->made;
    return CLI_DONE;
}

// state: room for q and v (2 n)
static int from_system(const cli* c, const char* name, const cli_at* at, sti_system* system, double* state,
                       cli_instant* out) {
    const int n = sti_system_coordinate_count(system);
    double t, *q = state, *v = state + n;
    int code = check_length(c, "--at", &at->q, name, n, "coordinates");
    if (code == CLI_DONE) code = check_length(c, "--velocity", &at->v, name, n, "velocities");
    if (code != CLI_DONE) return code;
    if (sti_system_state(system, &t, q, v) != STI_OK) return cli_fail_about(c, name);
    if (at->time != NULL && !parse_value(at->time, &t))
        return cli_fail_usage(c, "--time: %.60s: a number expected", at->time);
    if (at->q.value != NULL) memcpy(q, at->q.value, (size_t)n * sizeof *q);
    if (at->v.value != NULL) memcpy(v, at->v.value, (size_t)n * sizeof *v);
    sti_status status = sti_system_instant(c->env, system, t, q, v, &out->made);
    if (status == STI_OK) status = sti_instant_check(c->env, out->made);  // masses below 0, say
    if (status != STI_OK) return cli_fail_about(c, name);
    out->system = system;
    out->instant = out->made;
    return CLI_DONE;
}

void cli_instant_note(const sti_world* world, const sti_instant_settled* told, char* text, size_t size) {
    sti_world_instant_note(world, text, size);
    const size_t at = strlen(text);
    if (told->change == 0) return;
    snprintf(
        text + at, size - at,
        "%svelocities fit joints and closed contacts only nearly after a step, and are changed by up to %.2g, rates of "
        "joints by %.2g, gap rates by %.2g, slips by %.2g",
        at > 0 ? "; " : "", told->change, told->joint_rate, told->gap_rate, told->slip);
}

// Bodies at their start, or stepped to --time: what touches there.
static int from_bodies(const cli* c, const char* name, const cli_at* at, const sti_world_scene* scene,
                       cli_instant* out) {
    enum { MOST_STEPS = 10000000 };
    const char* alien = at->q.value != NULL ? "--at" : at->v.value != NULL ? "--velocity" : NULL;
    const double touch = 1e-8;  // a gap that counts as closed
    double t = 0;
    if (alien != NULL)
        return cli_fail_usage(c, "%s: %s is a scene of bodies; --set and --time choose its instant", alien, name);
    if (at->time != NULL && (!parse_value(at->time, &t) || t < 0 || t > MOST_STEPS * scene->step.h))
        return cli_fail_usage(c, "--time: %.60s: a time from 0 to %d steps of %g expected", at->time, MOST_STEPS,
                              scene->step.h);
    sti_world* world = NULL;
    sti_world_options step = scene->step;
    if (step.tol > 1e-12) step.tol = 1e-12;
    sti_status status = sti_world_create(c->env, scene->bodies, &step, &world);
    while (status == STI_OK && sti_world_time(world) < t - 0.5 * scene->step.h) status = sti_world_step(world, NULL);
    sti_instant_settled told = {0};
    if (status == STI_OK)
        status = t > 0 ? sti_world_instant_settled(c->env, world, touch, &told, &out->made)
                       : sti_world_instant(c->env, world, touch, &out->made);
    if (status == STI_OK) cli_instant_note(world, &told, out->note, sizeof out->note);
    out->scene = scene;
    out->world = world;
    out->instant = out->made;
    return status == STI_OK ? CLI_DONE : cli_fail_about(c, name);
}

int cli_instant_of(const cli* c, const char* name, const sti_document* document, const cli_at* at, cli_instant* out) {
    sti_system* system = sti_system_of(document);
    const sti_world_scene* scene = sti_world_scene_of(document);
    out->instant = sti_instant_of(document);
    if (out->instant != NULL) return from_numbers(c, name, at, out);
    if (scene != NULL) return from_bodies(c, name, at, scene, out);
    if (system == NULL) return cli_fail_usage(c, "%s: a bed of grains: an instant, a system or bodies expected", name);
    double* state = malloc(2 * (size_t)sti_system_coordinate_count(system) * sizeof *state);
    const int code = state != NULL ? from_system(c, name, at, system, state, out) : cli_fail_memory(c);
    free(state);
    return code;
}

int cli_instant_load(const cli* c, const char* name, const cli_at* at, cli_instant* out) {
    *out = (cli_instant){0};
    int code = cli_scene_load(c, name, &out->document);
    if (code != CLI_DONE) return code;
    if (sti_instant_of(out->document) == NULL && at->settings != NULL &&
        sti_document_set(out->document, at->settings) != STI_OK)
        code = cli_fail_about(c, "--set");
    if (code == CLI_DONE) code = cli_instant_of(c, name, out->document, at, out);
    if (code != CLI_DONE) cli_instant_clear(c, out);
    return code;
}

void cli_at_clear(cli_at* at) {
    free(at->q.value);
    free(at->v.value);
}

void cli_instant_clear(const cli* c, cli_instant* in) {
    sti_instant_destroy(c->env, in->made);
    sti_world_destroy(in->world);
    sti_document_destroy(in->document);
    *in = (cli_instant){0};
}
