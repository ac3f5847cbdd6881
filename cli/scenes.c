// scenes.c: stiction scenes: the built-in scenes, and one of them as a file to start from.
#include "scenes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const cli_scene* cli_scene_find(const char* name) {
    for (int i = 0; i < cli_scene_count; i++) {
        if (strcmp(cli_scene_list[i].name, name) == 0) return &cli_scene_list[i];
    }
    return NULL;
}

const char* cli_scene_nearest(const char* name) {
    const char** names = malloc(((size_t)cli_scene_count + 1) * sizeof *names);
    if (names == NULL) return NULL;
    for (int i = 0; i < cli_scene_count; i++) names[i] = cli_scene_list[i].name;
    const char* near = cli_nearest(name, names, cli_scene_count);
    free(names);
    return near;
}

const cli_scene* cli_scene_instead(const char* name) {
    struct stat info;
    const bool there = stat(name, &info) == 0;
    return there && !S_ISDIR(info.st_mode) ? NULL : cli_scene_find(name);
}

int cli_scene_load(const cli* c, const char* name, sti_document** out) {
    const cli_scene* scene = cli_scene_instead(name);
    if (scene == NULL && (strcmp(name, "-") == 0 || access(name, F_OK) == 0 || strpbrk(name, "./") != NULL))
        return cli_load(c, name, out);
    if (scene != NULL)
        return sti_document_parse(c->env, scene->text, strlen(scene->text), name, out) == STI_OK
                   ? cli_check_kind(c, name, out)
                   : cli_fail_env(c);
    const char* near = cli_scene_nearest(name);
    return cli_fail_usage(c, "%.200s: neither a file nor a built-in scene; %s%s%sstiction scenes lists those", name,
                          near != NULL ? "did you mean " : "", near != NULL ? near : "", near != NULL ? "? " : "");
}

static int print_list(const cli* c) {
    if (!c->json) {
        for (int i = 0; i < cli_scene_count; i++)
            cli_say(c, "%-20s %s\n", cli_scene_list[i].name, cli_scene_list[i].description);
        return CLI_DONE;
    }
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "scenes");
    cli_json_array(&j, "scenes");
    for (int i = 0; i < cli_scene_count; i++) {
        cli_json_object(&j, NULL);
        cli_json_text(&j, "name", cli_scene_list[i].name);
        cli_json_text(&j, "description", cli_scene_list[i].description);
        cli_json_end(&j);
    }
    cli_json_end(&j);
    return cli_json_print(&j, c, CLI_DONE);
}

static int print_scene(const cli* c, const cli_scene* scene) {
    if (!c->json) {  // the file itself is the answer, so --quiet does not take it away
        fputs(scene->text, stdout);
        return CLI_DONE;
    }
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "scene");
    cli_json_text(&j, "name", scene->name);
    cli_json_text(&j, "description", scene->description);
    cli_json_text(&j, "text", scene->text);
    return cli_json_print(&j, c, CLI_DONE);
}

static int run(cli* c, int argc, char** argv) {
    char* positional[1];
    int code;
    const int count = cli_parse(c, NULL, 0, argc, argv, positional, 0, 1, &code);
    if (count < 0) return code;
    if (count == 0) return print_list(c);
    const cli_scene* scene = cli_scene_find(positional[0]);
    if (scene != NULL) return print_scene(c, scene);
    const char* near = cli_scene_nearest(positional[0]);
    return cli_fail_usage(c, "%.60s: no such scene; %s%s%sstiction scenes lists them", positional[0],
                          near != NULL ? "did you mean " : "", near != NULL ? near : "", near != NULL ? "? " : "");
}

const cli_verb cli_verb_scenes = {
    .name = "scenes",
    .arguments = "[NAME]",
    .summary = "built-in scenes, and one of them as a file to start from",
    .details =
        "Without a name: the list. With one: the file, with comments, to copy and change: a system by formulas,\n"
        "bodies, a bed of grains, or a decision for many scenarios. Every verb that takes such a file also takes\n"
        "the name of a built-in scene.\n"
        "Exit code 0: done; 2: bad usage.\n\n"
        "example:\n"
        "    stiction scenes painleve-rod > rod.json\n"
        "    stiction analyze painleve rod.json\n",
    .run = run,
};
