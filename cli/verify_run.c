// verify_run.c: stiction verify FOLDER: the independent check of a recorded run.
#include "verify_run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run.h"
#include "run_check.h"
#include "scenes.h"
#include "verify_motion.h"

typedef struct recorded {
    char* path;  // trajectory.h5
    sti_recorded_world world;
    sti_document* problem;     // the scene, as it was run; NULL: it could not be had
    const sti_bodies* bodies;  // of it
    char note[400];            // why not
} recorded;

bool cli_verify_is_run(const char* path) {
    static const char name[] = "trajectory.h5";
    struct stat info;
    const size_t length = strlen(path), tail = sizeof name - 1;
    if (stat(path, &info) != 0) return false;
    return S_ISDIR(info.st_mode) || (length >= tail && strcmp(path + length - tail, name) == 0);
}

// ---- the scene that was run: its text, and the settings of the checkpoint beside it

static void forget_scene(const cli* c, recorded* r) {
    snprintf(r->note, sizeof r->note, "%.300s", sti_env_error(c->env)->text);
    sti_document_destroy(r->problem);
    r->problem = NULL;
}

static void load_scene(const cli* c, recorded* r) {
    sti_store* fields = NULL;
    const char* settings = NULL;
    const size_t length = strlen(r->path);
    char* beside = malloc(length + 16);
    if (beside != NULL) {
        memcpy(beside, r->path, length + 1);
        char* slash = strrchr(beside, '/');
        strcpy(slash != NULL ? slash + 1 : beside, "checkpoint.h5");
        if (sti_store_load(c->env, beside, &fields) == STI_OK) settings = sti_store_text(fields, "settings");
    }
    const char* scene = r->world.scene;
    if (sti_document_parse(c->env, scene, strlen(scene), "scene", &r->problem) != STI_OK ||
        (settings != NULL && settings[0] != '\0' && sti_document_set(r->problem, settings) != STI_OK))
        forget_scene(c, r);
    else if (sti_world_scene_of(r->problem) != NULL)
        r->bodies = sti_world_scene_of(r->problem)->bodies;
    sti_store_destroy(fields);
    free(beside);
}

static sti_status check(const cli* c, recorded* r, double tol, sti_run_verification* v) {
    sti_run_verify_options options = sti_run_verify_options_default();
    if (tol > 0)
        options.tol = tol;
    else if (r->bodies != NULL)
        options.tol = cli_checks_tol(sti_world_scene_of(r->problem)->step.tol);
    options.bodies = r->bodies;
    if (r->bodies != NULL) options.alpha = sti_world_scene_of(r->problem)->step.alpha;
    sti_status status = sti_verify_recorded_world(c->env, &r->world, &options, v);
    if (status != STI_ERR_ARGUMENT || r->bodies == NULL) return status;
    forget_scene(c, r);  // without its settings it may be another one
    r->bodies = options.bodies = NULL;
    return sti_verify_recorded_world(c->env, &r->world, &options, v);
}

// ---- reports

static void fill_json(cli_json* j, const recorded* r, const sti_run_verification* v) {
    cli_json_begin(j);
    cli_json_text(j, "kind", "run");
    cli_json_text(j, "of", "bodies");
    cli_json_text(j, "file", r->path);
    cli_json_bool(j, "accepted", v->accepted);
    cli_json_integer(j, "body_count", r->world.body_count);
    cli_json_integer(j, "steps", r->world.step_count);
    cli_json_integer(j, "frames", r->world.frame_count);
    cli_json_integer(j, "contact_count", r->world.contact_count);
    cli_json_text(j, "note", r->note[0] != '\0' ? r->note : NULL);
    cli_checks_json(j, r->bodies, v);
    cli_json_end(j);
}

static void say(const cli* c, const recorded* r, const sti_run_verification* v) {
    cli_say(c, "%s: %d bodies, %ld steps, %ld frames, %ld contacts in them\n", r->path, r->world.body_count,
            r->world.step_count, r->world.frame_count, r->world.contact_count);
    cli_checks_say(c, r->bodies, v);
    if (r->note[0] != '\0') cli_say(c, "  the scene could not be made again from the file: %s\n", r->note);
    char text[120];
    cli_checks_count(v, text, sizeof text);
    cli_say_verdict(c, v->accepted, text);
}

// Whose recording is it? Those of others are checked by others; false: of bodies, or none that is known.
static bool is_other(const cli* c, const char* path, double tol, int* code) {
    char *system = NULL, *navigation = NULL;
    double* radius = NULL;
    long rows, columns;
    const bool of_system = sti_recorded_text(c->env, path, "system", &system) == STI_OK && system != NULL;
    const bool of_vehicles = sti_recorded_text(c->env, path, "navigation", &navigation) == STI_OK && navigation != NULL;
    const bool of_grains =
        sti_recorded_numbers(c->env, path, "grains/radius", &radius, &rows, &columns) == STI_OK && radius != NULL;
    sti_env_free(c->env, system);
    sti_env_free(c->env, navigation);
    sti_env_free(c->env, radius);
    if (of_system) *code = cli_verify_system_run(c, path, tol);
    if (of_vehicles) *code = cli_verify_navigation_run(c, path, tol);
    if (of_grains) *code = cli_verify_bed_run(c, path, tol);
    return of_system || of_vehicles || of_grains;
}

static int fail_load(const cli* c, const char* path) {
    if (strstr(sti_env_error(c->env)->text, "not the recording of a run of bodies") == NULL)
        return cli_fail_about(c, path);
    return cli_fail_usage(c,
                          "%.200s: not the recording of a run of bodies, of a system by formulas, of vehicles or of "
                          "grains (steps of pushes are "
                          "checked while they run)",
                          path);
}

int cli_verify_run(const cli* c, const char* path, double tol) {
    struct stat info;
    recorded r = {0};
    r.path = stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? cli_run_path(path, "trajectory.h5") : strdup(path);
    if (r.path == NULL) return cli_fail_memory(c);
    int code = CLI_DONE;
    bool other = false;
    if (stat(r.path, &info) != 0)
        code = cli_fail_usage(c, "%.200s: no trajectory.h5 there; the folder of a run is expected", path);
    else if (is_other(c, r.path, tol, &code))
        other = true;
    else if (sti_recorded_world_load(c->env, r.path, &r.world) != STI_OK)
        code = fail_load(c, r.path);
    if (other) {
        free(r.path);
        return code;
    }
    sti_run_verification v;
    if (code == CLI_DONE) load_scene(c, &r);
    if (code == CLI_DONE && check(c, &r, tol, &v) != STI_OK) code = cli_fail_about(c, r.path);
    if (code == CLI_DONE) {
        code = v.accepted ? CLI_DONE : CLI_NO;
        cli_json j;
        if (c->json) fill_json(&j, &r, &v);
        if (c->json)
            code = cli_json_print(&j, c, code);
        else
            say(c, &r, &v);
    }
    sti_document_destroy(r.problem);
    sti_recorded_world_clear(c->env, &r.world);
    free(r.path);
    return code;
}

int cli_verify_alone(const cli* c, const char* path) {
    const cli_scene* scene = cli_scene_instead(path);
    const char* near = scene == NULL ? cli_scene_nearest(path) : NULL;
    struct stat info;
    if (scene != NULL)
        return cli_fail_usage(c, "%s: a scene, not an answer; stiction run %s --out DIR, then stiction verify DIR",
                              path, path);
    if (stat(path, &info) != 0)
        return cli_fail_usage(c, "%.200s: neither a file nor the folder of a run%s%s%s", path,
                              near != NULL ? "; did you mean the scene " : "", near != NULL ? near : "",
                              near != NULL ? "?" : "");
    return cli_fail_usage(c, "%.200s: SOL is missing, the answer to it; usage: stiction %s %s", path, c->verb->name,
                          c->verb->arguments);
}
