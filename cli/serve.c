// serve.c: stiction serve: the page, live: a scene that is run, paused, pulled at and asked, from a browser on this
// machine.
#include "serve.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run.h"
#include "scenes.h"

static void* keep_scene(void* user) {
    void** both = user;
    cli_session_run(both[0], both[1]);
    cli_mail_end(both[1]);
    return NULL;
}

static int serve_pages(const cli* c, const cli_serve_settings* settings) {
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    cli_mail* mail = cli_mail_create();
    void* both[2] = {(void*)settings, mail};
    pthread_t keeper;
    sigset_t ours, before;
    if (mail == NULL) return cli_fail_memory(c);
    sigemptyset(&ours);  // signals come to this thread, which waits for browsers
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) sigaddset(&ours, ends[k]);
    pthread_sigmask(SIG_BLOCK, &ours, &before);
    const int begun = pthread_create(&keeper, NULL, keep_scene, both);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (begun != 0) {
        cli_mail_destroy(mail);
        return cli_fail_memory(c);
    }
    const int code = cli_net_run(c, settings, mail);
    cli_mail_end(mail);
    pthread_join(keeper, NULL);
    cli_mail_destroy(mail);
    return code;
}

// "a\nb": a folder a line.
static int take_folders(const cli* c, char* lines, cli_serve_settings* out) {
    for (char* at = lines; at != NULL && *at != '\0';) {
        char* end = at;
        struct stat info;
        while (*end != '\0' && *end != '\n') end++;
        const bool more = *end == '\n';
        *end = '\0';
        if (out->folder_count == CLI_SERVE_FOLDERS)
            return cli_fail_usage(c, "--folder: %.200s: %d folders at most", at, CLI_SERVE_FOLDERS);
        if (stat(at, &info) != 0 || !S_ISDIR(info.st_mode))
            return cli_fail_usage(c, "--folder: %.200s: is not a folder", at);
        out->folder[out->folder_count++] = at;
        at = more ? end + 1 : NULL;
    }
    return CLI_DONE;
}

static int check_scene(const cli* c, const cli_serve_settings* settings) {
    const char* scene = settings->scene;
    sti_document* document = NULL;
    cli_robot_request own = settings->robot;
    own.folders = NULL;
    const char* option = cli_robot_option(&own);
    if (option != NULL && settings->folder_count == 0 && (scene == NULL || !cli_serve_is_robot(scene)))
        return cli_fail_usage(c, "%s: for robots (URDF), and there is none", option);
    if (scene == NULL) return CLI_DONE;
    const int code = cli_serve_is_robot(scene) ? cli_robot_load(c, scene, &settings->robot, &document)
                                               : cli_scene_load(c, scene, &document);
    if (code != CLI_DONE) return code;
    const bool moves = sti_world_scene_of(document) != NULL || cli_course_takes(document);
    sti_document_destroy(document);
    return moves ? CLI_DONE : cli_fail_usage(c, "%.200s: nothing that moves; a scene is expected", scene);
}

static int serve(cli* c, int argc, char** argv) {
    const char* folders = NULL;
    double memory = 2000;
    cli_serve_settings settings = {.limit = CLI_USUAL_LIMIT};
    const cli_option options[] = {
        {"--folder", CLI_LINES, "DIR", "scenes to choose from, and where things are saved (the first); may be repeated",
         &folders},
        {"--port", CLI_COUNT, "N", "of the loopback address (one that is free)", &settings.port},
        {"--answer-limit", CLI_POSITIVE, "S", "seconds for an answer, a step, the reading of a scene (15)",
         &settings.limit},
        {"--memory", CLI_POSITIVE, "MB", "for the scene, and again for its analysis (2000)", &memory},
        {"--once", CLI_FLAG, NULL, "ends when the last page is closed", &settings.once},
        CLI_ROBOT_OPTIONS_BUT_FOLDERS(settings.robot),
    };
    char* positional[1];
    int code;
    const int count =
        cli_parse(c, options, (int)(sizeof options / sizeof options[0]), argc, argv, positional, 0, 1, &code);
    if (count < 0) return code;
    if (!cli_net_there()) {
        cli_fail_usage(c, "built without libwebsockets (Debian: libwebsockets-dev; docs/page.md)");
        return CLI_INTERNAL;
    }
    code = cli_page_check(c);
    if (code != CLI_DONE) return code;
    if (settings.port > 65535) return cli_fail_usage(c, "--port: %ld: at most 65535 expected", settings.port);
    settings.scene = count > 0 ? positional[0] : NULL;
    settings.memory = 1e6 * memory;
    char* looked_in = folders != NULL ? strdup(folders) : NULL;  // for meshes, a folder a line
    if (folders != NULL && looked_in == NULL) return cli_fail_memory(c);
    settings.robot.folders = looked_in;
    code = take_folders(c, (char*)folders, &settings);
    if (code == CLI_DONE) code = check_scene(c, &settings);
    if (code == CLI_DONE) {
        cli_limit_none(c);
        cli_run_catch_signals();
        code = serve_pages(c, &settings);
    }
    free(looked_in);
    return code;
}

const cli_verb cli_verb_serve = {
    .name = "serve",
    .arguments = "[SCENE] [options]",
    .summary = "a scene live in a browser: run, pull, pause, ask why",
    .details =
        "Prints an address with a secret, which a browser on this machine opens: choose a scene, change its\n"
        "parameters, run, pause, step, pull a body with the mouse, change friction while it runs. At a pause it\n"
        "is asked what can happen: which modes, whether all contacts stick and with which margin, with how little\n"
        "friction, what the contacts can hold, what the laws of impact say; the answers are checked and drawn\n"
        "(docs/page.md).\n"
        "A robot's file is a scene too; meshes and packages are looked for in the folders as well, and the\n"
        "options of robots are for all that are chosen.\n"
        "Only the loopback address is listened to, and no file is read or written but in the folders of --folder.\n"
        "Exit code 0: ended by Ctrl-C, --time-limit, or by the last page with --once; 2: bad usage or input; 3:\n"
        "built without.\n\n"
        "example:\n"
        "    stiction serve arch --folder scenes\n"
        "    stiction serve robot.urdf --ground --floating --height auto\n",
    .run = serve,
};
