// robot.c: a robot's file as a scene of its own. What the options say becomes fields of that scene (docs/urdf.md), so a
// run goes on from it, and a scene file can say the same.
#include "robot.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"
#include "scenes.h"

const char* cli_robot_option(const cli_robot_request* r) {
    return r->ground            ? "--ground"
           : r->floating        ? "--floating"
           : r->height != NULL  ? "--height"
           : r->mu != NULL      ? "--mu"
           : r->pose != NULL    ? "--pose"
           : r->collide != NULL ? "--collide"
           : r->show != NULL    ? "--show"
           : r->decompose > 0   ? "--decompose"
           : r->joints != NULL  ? "--joint"
           : r->folders != NULL ? "--folder"
           : r->strict          ? "--strict"
                                : NULL;
}

// ---- folders

// Every part of a list, with an end put to it.
static void put_parts(cli_json* j, const char* list, char between, const char* end) {
    char path[PATH_MAX], full[PATH_MAX];
    while (list != NULL && *list != '\0') {
        const size_t length = strcspn(list, (char[]){between, '\0'});
        if (length > 0 && snprintf(path, sizeof path, "%.*s%s", (int)length, list, end) < (int)sizeof path &&
            realpath(path, full) != NULL)
            cli_json_text(j, NULL, full);
        list += length + (list[length] != '\0');
    }
}

// --folder names folders that there are; those of the environment may be gone.
static int check_folders(const cli* c, const char* list) {
    char path[PATH_MAX];
    struct stat info;
    while (list != NULL && *list != '\0') {
        const size_t length = strcspn(list, "\n");
        snprintf(path, sizeof path, "%.*s", (int)length, list);
        if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
            return cli_fail_usage(c, "--folder: %.200s: no such folder", path);
        list += length + (list[length] != '\0');
    }
    return CLI_DONE;
}

// The folder of the file and all above it.
static void put_above(cli_json* j, const char* file) {
    char path[PATH_MAX], full[PATH_MAX];
    snprintf(path, sizeof path, "%s", file);
    char* slash = strrchr(path, '/');
    if (slash != NULL) slash[1] = '\0';
    if (realpath(slash != NULL ? path : ".", full) == NULL) return;
    for (slash = full; slash != NULL && full[0] != '\0';) {
        cli_json_text(j, NULL, full);
        slash = strrchr(full, '/');
        if (slash != NULL) *slash = '\0';
    }
}

static bool put_folders(cli_json* j, const char* file, const char* text, const cli_robot_request* r) {
    cli_json_array(j, "folders");
    put_parts(j, r->folders, '\n', "");
    put_parts(j, getenv("ROS_PACKAGE_PATH"), ':', "");
    put_parts(j, getenv("AMENT_PREFIX_PATH"), ':', "/share");
    put_above(j, file);
    const bool done = cli_robot_put_packages(j, text, r->folders, '\n') &&
                      cli_robot_put_packages(j, text, getenv("ROS_PACKAGE_PATH"), ':');
    cli_json_end(j);
    return done;
}

// ---- the scene

static int put_joints(const cli* c, cli_json* j, const char* list) {
    char name[200];
    cli_json_object(j, "joints");
    while (list != NULL && *list != '\0') {
        const size_t length = strcspn(list, "\n"), at = strcspn(list, "=");
        if (at == 0 || at + 1 >= length || at >= sizeof name)
            return cli_fail_usage(c, "--joint: %.*s: NAME=X expected, like elbow=0.5", length < 60 ? (int)length : 60,
                                  list);
        snprintf(name, sizeof name, "%.*s", (int)at, list);
        char* value = strndup(list + at + 1, length - at - 1);
        if (value == NULL) return cli_fail_memory(c);
        cli_json_text(j, name, value);
        free(value);
        list += length + (list[length] != '\0');
    }
    cli_json_end(j);
    return CLI_DONE;
}

static void put_ground(cli_json* j, const cli_robot_request* r) {
    cli_json_array(j, "bodies");
    if (r->ground) {
        cli_json_object(j, NULL);
        cli_json_text(j, "name", "ground");
        cli_json_bool(j, "fixed", true);
        if (r->mu != NULL) cli_json_text(j, "material", "surface");
        cli_json_raw(j, "shape", "{\"type\": \"halfspace\", \"normal\": [0, 0, 1]}");
        cli_json_end(j);
    }
    cli_json_end(j);
}

static int put_robot(const cli* c, cli_json* j, const char* file, const char* text, const cli_robot_request* r) {
    double height;
    cli_json_array(j, "urdf");
    cli_json_object(j, NULL);
    if (r->floating) cli_json_bool(j, "fixed", false);
    if (r->strict) cli_json_bool(j, "strict", true);
    if (r->mu != NULL) cli_json_text(j, "material", "surface");
    if (r->pose != NULL) cli_json_text(j, "pose", r->pose);
    if (r->collide != NULL) cli_json_text(j, "collide", r->collide);
    if (r->decompose > 0) cli_json_number(j, "decompose", r->decompose);
    if (r->show != NULL || r->pictured) cli_json_text(j, "show", r->show != NULL ? r->show : "collision");
    if (r->height != NULL && strcmp(r->height, "auto") == 0)
        cli_json_text(j, "height", "auto");
    else if (r->height != NULL && cli_parse_number(r->height, &height))
        cli_json_number(j, "height", height);
    else if (r->height != NULL)
        return cli_fail_usage(c, "--height: %.60s: a number or auto expected", r->height);
    int code = check_folders(c, r->folders);
    if (code == CLI_DONE) code = put_joints(c, j, r->joints);
    if (code != CLI_DONE) return code;
    if (!put_folders(j, file, text, r)) return cli_fail_memory(c);
    cli_json_text(j, "text", text);
    cli_json_end(j);
    cli_json_end(j);
    return CLI_DONE;
}

static int load(const cli* c, const char* file, const char* text, const cli_robot_request* r, sti_document** out) {
    const char* slash = strrchr(file, '/');
    double mu = 0;
    if (r->mu != NULL && (!cli_parse_number(r->mu, &mu) || mu < 0))
        return cli_fail_usage(c, "--mu: %.60s: a number not below 0 expected", r->mu);
    cli_json j;
    cli_json_begin(&j);
    cli_json_text(&j, "kind", "scene");
    cli_json_text(&j, "description", slash != NULL ? slash + 1 : file);
    cli_json_integer(&j, "dimension", 3);
    cli_json_integer(&j, "time", 10);
    if (r->mu != NULL) {
        cli_json_object(&j, "materials");
        cli_json_object(&j, "surface");
        cli_json_number(&j, "mu", mu);
        cli_json_end(&j);
        cli_json_end(&j);
    }
    put_ground(&j, r);
    int code = put_robot(c, &j, file, text, r);
    if (code == CLI_DONE) {
        size_t size;
        const char* scene = cli_json_close(&j, &size);
        code = scene == NULL                                                  ? cli_fail_memory(c)
               : sti_document_parse(c->env, scene, size, file, out) == STI_OK ? CLI_DONE
                                                                              : cli_fail_env(c);
    }
    cli_json_drop(&j);
    return code;
}

// Does the file hold XML?
static bool begins_with_tag(const char* text) {
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
    return text[strspn(text, " \t\r\n")] == '<';
}

int cli_robot_load(const cli* c, const char* name, const cli_robot_request* r, sti_document** out) {
    const size_t length = strlen(name);
    const char* option = cli_robot_option(r);
    const bool named = length > 5 && strcmp(name + length - 5, ".urdf") == 0;
    if (named ? access(name, R_OK) != 0 : option == NULL) return cli_scene_load(c, name, out);
    char* text = NULL;
    size_t size;
    int code = cli_run_read_text(c, name, &text, &size);
    if (code == CLI_DONE) {
        if (begins_with_tag(text) || named)
            code = load(c, name, text, r, out);
        else
            code = cli_fail_usage(c, "%s: for robots (URDF), and %.200s is none", option, name);
    }
    free(text);
    return code;
}
