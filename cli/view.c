// view.c: stiction view: a run as a page that opens from disk, in any browser and without a network.
#include "view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "robot.h"
#include "run.h"
#include "run_system.h"
#include "verify_run.h"

// ---- what all runs share

int cli_view_read(const cli* c, const char* path, const char* name, long columns, long* rows, double** out) {
    long high, wide;
    if (sti_recorded_numbers(c->env, path, name, out, &high, &wide) != STI_OK) return cli_fail_about(c, path);
    if (*out == NULL) return cli_fail_usage(c, "%.200s: %s: missing", path, name);
    if (wide != columns || (*rows >= 0 && high != *rows))
        return cli_fail_usage(c, "%.200s: %s: %ld x %ld: other sizes are expected", path, name, high, wide);
    *rows = high;
    return CLI_DONE;
}

long cli_view_stride(cli_page* p, long frames, double bytes) {
    const double most = 32e6;
    long stride = 1;
    while (stride < frames && bytes * (double)(frames / stride) > most) stride++;
    if (stride > 1) cli_page_note(p, "One of %ld recorded frames is shown, so that the page stays small.", stride);
    return stride;
}

static void put_group(cli_page* p, const char* title, const char* a, const char* b, bool shown, bool log) {
    cli_json_object(&p->json, NULL);
    cli_json_text(&p->json, "title", title);
    cli_json_array(&p->json, "names");
    cli_json_text(&p->json, NULL, a);
    if (b != NULL) cli_json_text(&p->json, NULL, b);
    cli_json_end(&p->json);
    cli_json_bool(&p->json, "shown", shown);
    cli_json_bool(&p->json, "log", log);
    cli_json_end(&p->json);
}

int cli_view_curves(const cli* c, cli_page* p, const char* path) {
    static const char* const names[] = {"kinetic", "potential", "residual", "contacts", "penetration"};
    enum { NAMES = sizeof names / sizeof names[0], MOST = 20000 };
    double *time = NULL, *y = NULL;
    bool has[NAMES] = {false};
    long rows = -1;
    int code = cli_view_read(c, path, "steps/time", 1, &rows, &time);
    const long stride = 1 + (rows > 0 ? rows : 0) / MOST;
    if (stride > 1) cli_page_note(p, "Curves have one of %ld steps.", stride);
    long count = 0;
    for (long k = 0; code == CLI_DONE && k < rows; k += stride) time[count++] = time[k];
    if (code == CLI_DONE) {
        cli_page_numbers(p, "curve_time", CLI_PAGE_F64, time, (size_t)count);
        cli_json_array(&p->json, "series");
    }
    for (int i = 0; code == CLI_DONE && i < NAMES; i++) {
        char name[40];
        long high = 0, wide = 0;
        snprintf(name, sizeof name, "steps/%s", names[i]);
        if (sti_recorded_numbers(c->env, path, name, &y, &high, &wide) != STI_OK) code = cli_fail_about(c, path);
        has[i] = y != NULL && high == rows && wide == 1;
        if (has[i]) {
            count = 0;
            for (long k = 0; k < rows; k += stride) y[count++] = y[k];
            cli_json_object(&p->json, NULL);
            cli_json_text(&p->json, "name", names[i]);
            cli_page_numbers(p, "values", CLI_PAGE_F64, y, (size_t)count);
            cli_json_end(&p->json);
        }
        sti_env_free(c->env, y);
    }
    sti_env_free(c->env, time);
    if (code != CLI_DONE) return code;
    cli_json_end(&p->json);
    cli_json_array(&p->json, "groups");
    if (has[0]) put_group(p, "energy", names[0], has[1] ? names[1] : NULL, true, false);
    if (has[2]) put_group(p, "residual of each step", names[2], NULL, true, true);
    if (has[3]) put_group(p, "contacts", names[3], NULL, false, false);
    if (has[4]) put_group(p, "penetration", names[4], NULL, false, false);
    cli_json_end(&p->json);
    return CLI_DONE;
}

// ---- the verb

static int write_page(const cli* c, const char* folder, const char* title, const char* out) {
    struct stat info;
    char* path =
        stat(folder, &info) == 0 && S_ISDIR(info.st_mode) ? cli_run_path(folder, "trajectory.h5") : strdup(folder);
    if (path == NULL) return cli_fail_memory(c);
    if (stat(path, &info) != 0) {
        free(path);
        return cli_fail_usage(c, "%.200s: no trajectory.h5 there; the folder of a run is expected", folder);
    }
    cli_page p = {0};
    double *fixed = NULL, *radius = NULL;
    long rows, columns;
    cli_json_begin(&p.json);
    cli_json_text(&p.json, "title", title);
    int code = CLI_DONE;
    if (sti_recorded_numbers(c->env, path, "bodies/fixed", &fixed, &rows, &columns) != STI_OK ||
        sti_recorded_numbers(c->env, path, "grains/radius", &radius, &rows, &columns) != STI_OK)
        code = cli_fail_about(c, path);
    else if (fixed != NULL)
        code = cli_view_bodies(c, &p, path);
    else if (radius != NULL)
        code = cli_view_bed(c, &p, path);
    else
        cli_json_text(&p.json, "kind", "curves");
    if (code == CLI_DONE && fixed == NULL && radius == NULL) {
        double* time = NULL;
        rows = -1;
        code = cli_view_read(c, path, "steps/time", 1, &rows, &time);
        if (code == CLI_DONE) {
            cli_json_object(&p.json, "frames");
            cli_page_numbers(&p, "time", CLI_PAGE_F64, time, (size_t)rows);
            cli_json_end(&p.json);
        }
        sti_env_free(c->env, time);
    }
    sti_env_free(c->env, fixed);
    sti_env_free(c->env, radius);
    if (code == CLI_DONE) code = cli_view_curves(c, &p, path);
    if (code == CLI_DONE)
        code = cli_page_save(c, &p, out);
    else
        cli_json_drop(&p.json);
    free(path);
    return code;
}

static void remove_run(const char* folder) {
    static const char* const files[] = {"trajectory.h5", "trajectory.xdmf", "summary.json", "checkpoint.h5",
                                        "profile.csv"};
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        char* path = cli_run_path(folder, files[k]);
        if (path != NULL) remove(path);
        free(path);
    }
    rmdir(folder);
}

// A scene is run first, into a folder beside the page that goes away again; seconds that it gets when nobody says: 60.
static int view_scene(cli* c, cli_run_request* r, const cli_robot_request* robot, const char* out) {
    const size_t size = strlen(out) + 16;
    char* folder = malloc(size);
    if (folder == NULL) return cli_fail_memory(c);
    snprintf(folder, size, "%s.XXXXXX", out);
    if (mkdtemp(folder) == NULL) {
        const int code = cli_fail_usage(c, "--out: %.200s: cannot be written: %s", out, strerror(errno));
        free(folder);
        return code;
    }
    const bool json = c->json, quiet = c->quiet;
    const cli_system_request own = {0};
    r->out = folder;
    r->checkpoint = 60;
    c->json = false;
    c->quiet = true;
    if (!(c->time_limit > 0)) c->time_limit = 60;
    cli_limit_begin(c);
    cli_run_catch_signals();
    cli_limit_none(c);
    const int run = cli_run_scene(c, r, &own, robot);
    c->json = json;
    c->quiet = quiet;
    int code = run;
    if (run == CLI_DONE || run == CLI_NO) code = write_page(c, folder, r->scene, out);
    if (code == CLI_DONE) code = run;
    cli_run_folder_undo();
    remove_run(folder);
    free(folder);
    return code;
}

static int view(cli* c, int argc, char** argv) {
    const char* out = "page.html";
    cli_run_request r = {0};
    cli_robot_request robot = {0};
    const cli_option options[] = {
        {"--out", CLI_TEXT, "FILE", "the page (page.html)", &out},
        {"--set", CLI_JOINED, "NAME=X", "of a scene: parameters, as of stiction run", &r.settings},
        {"--time", CLI_POSITIVE, "T", "of a scene: where its run ends", &r.time},
        {"--frame", CLI_POSITIVE, "T", "of a scene: time between two frames", &r.frame},
        CLI_ROBOT_OPTIONS(robot),
    };
    char* positional[1];
    int code;
    const int count =
        cli_parse(c, options, (int)(sizeof options / sizeof options[0]), argc, argv, positional, 1, 1, &code);
    if (count < 0) return code;
    const char* what = positional[0];
    if (cli_page_script_size == 0) {
        cli_fail_usage(c, "built without its page: node and npm were missing, or the packages of web/ (docs/page.md)");
        return CLI_INTERNAL;
    }
    if (cli_verify_is_run(what)) {
        if (r.settings != NULL || r.time > 0 || r.frame > 0 || cli_robot_option(&robot) != NULL)
            return cli_fail_usage(c, "%.200s: a run that is there already; options of a run are for scenes", what);
        code = write_page(c, what, what, out);
    } else {
        r.scene = what;
        code = view_scene(c, &r, &robot, out);
    }
    if (code != CLI_DONE && code != CLI_NO) return code;
    if (c->json) {
        cli_json j;
        cli_json_begin(&j);
        cli_json_text(&j, "kind", "page");
        cli_json_text(&j, "file", out);
        cli_json_bool(&j, "solved", code == CLI_DONE);
        return cli_json_print(&j, c, code);
    }
    cli_say(c, "%s: opens in a browser%s\n", out,
            code == CLI_NO ? "; the run was stopped, or not every step was solved" : "");
    return code;
}

const cli_verb cli_verb_view = {
    .name = "view",
    .arguments = "RUN|SCENE [options]",
    .summary = "a page to look at: bodies, forces, curves",
    .details =
        "RUN is the folder of a run, or its trajectory.h5; a SCENE (file, robot, or built-in one) is run first, for at "
        "most\n"
        "--time-limit seconds (60). The page is one file that needs no network: play, scrub, follow a body, contacts\n"
        "with their forces and friction cones, energies and residuals (docs/page.md).\n"
        "Exit code 0: written; 1: written, but the run was stopped or a step of it was not solved; 2: bad usage or "
        "input;\n"
        "3: the page could not be written, or this command was built without it.\n\n"
        "example:\n"
        "    stiction run arch --out arch\n"
        "    stiction view arch --out arch.html\n"
        "    stiction view dominoes --out dominoes.html\n",
    .use = STI_USE_RUN,
    .beside = "the folder of a run",
    .run = view,
};
