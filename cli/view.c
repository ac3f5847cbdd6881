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

// ---- the page: runs, and a text beside them

typedef struct content {
    const char* folder[CLI_VIEW_MOST];
    const char* title[CLI_VIEW_MOST];
    int count;
    const char* text;  // --text FILE
} content;

static int put_text(const cli* c, cli_page* p, const char* path) {
    enum { MOST = 1 << 20 };
    if (path == NULL) return CLI_DONE;
    char* text = cli_view_text(path, MOST);
    if (text == NULL) return cli_fail_usage(c, "--text: %.200s: cannot be read, or is larger than 1 MB", path);
    cli_json_text(&p->json, "text", text);
    free(text);
    return CLI_DONE;
}

static int write_page(const cli* c, const content* what, const char* out) {
    cli_page p = {0};
    cli_json_begin(&p.json);
    int code = put_text(c, &p, what->text);
    cli_json_array(&p.json, "runs");
    for (int k = 0; code == CLI_DONE && k < what->count; k++)
        code = cli_view_run(c, &p, what->folder[k], what->title[k]);
    if (code == CLI_DONE) return cli_page_save(c, &p, out);
    cli_json_drop(&p.json);
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
static int view_scene(cli* c, cli_run_request* r, const cli_robot_request* robot, const content* given,
                      const char* out) {
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
    if (run == CLI_DONE || run == CLI_NO) {
        content what = {.folder = {folder}, .title = {given->title[0]}, .count = 1, .text = given->text};
        code = write_page(c, &what, out);
    }
    if (code == CLI_DONE) code = run;
    cli_run_folder_undo();
    remove_run(folder);
    free(folder);
    return code;
}

// "a\nb": a title a line.
static int take_titles(const cli* c, char* lines, content* what) {
    int k = 0;
    for (char *at = lines, *end; at != NULL; at = end, k++) {
        if (k == what->count) return cli_fail_usage(c, "--title: %.60s: %d runs, and more titles", at, what->count);
        end = strchr(at, '\n');
        if (end != NULL) *end++ = '\0';
        what->title[k] = at;
    }
    return CLI_DONE;
}

static int view(cli* c, int argc, char** argv) {
    const char* out = "page.html";
    content what = {0};
    cli_run_request r = {0};
    cli_robot_request robot = {0};
    const char* titles = NULL;
    const cli_option options[] = {
        {"--out", CLI_TEXT, "FILE", "the page (page.html)", &out},
        {"--title", CLI_LINES, "TEXT", "of a run on the page (its folder); may be repeated, in their order", &titles},
        {"--text", CLI_TEXT, "FILE", "a text that the page shows beside the runs", &what.text},
        {"--set", CLI_JOINED, "NAME=X", "of a scene: parameters, as of stiction run", &r.settings},
        {"--time", CLI_POSITIVE, "T", "of a scene: where its run ends", &r.time},
        {"--frame", CLI_POSITIVE, "T", "of a scene: time between two frames", &r.frame},
        CLI_ROBOT_OPTIONS(robot),
    };
    char* positional[CLI_VIEW_MOST];
    int code;
    const int count = cli_parse(c, options, (int)(sizeof options / sizeof options[0]), argc, argv, positional, 1,
                                CLI_VIEW_MOST, &code);
    if (count < 0) return code;
    code = cli_page_check(c);
    if (code != CLI_DONE) return code;
    for (what.count = 0; what.count < count; what.count++) {
        const char* name = positional[what.count];
        if (!cli_verify_is_run(name) && count > 1)
            return cli_fail_usage(c, "%.200s: several runs make up a page together, scenes only one by one", name);
        const char* slash = strrchr(name, '/');
        what.folder[what.count] = name;
        what.title[what.count] = slash != NULL && slash[1] != '\0' ? slash + 1 : name;
    }
    code = take_titles(c, (char*)titles, &what);
    if (code != CLI_DONE) return code;
    if (cli_verify_is_run(positional[0])) {
        if (r.settings != NULL || r.time > 0 || r.frame > 0 || cli_robot_option(&robot) != NULL)
            return cli_fail_usage(c, "%.200s: a run that is there already; options of a run are for scenes",
                                  positional[0]);
        code = write_page(c, &what, out);
    } else {
        r.scene = positional[0];
        code = view_scene(c, &r, &robot, &what, out);
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
    .arguments = "RUN..|SCENE [options]",
    .summary = "a page to look at: bodies, forces, curves",
    .details =
        "RUN is the folder of a run, or its trajectory.h5; a SCENE (file, robot, or built-in one) is run first,\n"
        "for at most --time-limit seconds (60). Several runs stand in one page beside each other. The page is one\n"
        "file that needs no network: play, scrub, follow a body, contacts with their forces and friction cones,\n"
        "energies and residuals (docs/page.md).\n"
        "Exit code 0: written; 1: written, but the run was stopped or a step of it was not solved; 2: bad usage\n"
        "or input; 3: the page could not be written, or this command was built without it.\n\n"
        "example:\n"
        "    stiction run arch --out arch\n"
        "    stiction view arch --out arch.html\n"
        "    stiction view dominoes --out dominoes.html\n"
        "    stiction view arch arm --out both.html\n",
    .use = STI_USE_RUN,
    .beside = "the folder of a run",
    .run = view,
};
